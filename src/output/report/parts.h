// Sections of a report, each the HTML of one study. Internal to src/output/report.
#pragma once

#include <string>

#include "output/report/report.h"

namespace fsadvise {

// What all sections need. `prefix` keeps ids apart when several studies stand in one file.
struct SectionInput {
    const ReportedStudy& study;
    const Knowledge& knowledge;
    std::string prefix;
};

std::string summary_section(const SectionInput& input);       // for whoever decides
std::string commands_section(const SectionInput& input);      // what to run, and why each option
std::string confirmation_section(const SectionInput& input);  // the difference, with its interval
std::string search_section(const SectionInput& input);        // convergence, effects, every trial
std::string latency_section(const SectionInput& input);
std::string front_section(const SectionInput& input);         // best compromises
std::string alternatives_section(const SectionInput& input);  // other filesystems, rejected options
std::string risk_section(const SectionInput& input);        // durability and what speaks against the figures
std::string operations_section(const SectionInput& input);  // runbook
std::string host_section(const SectionInput& input);
std::string sources_section(const SectionInput& input);
std::string reproduce_section(const SectionInput& input);

// "ext4 -m 0; noatime": as people write it, "ext4, defaults" where nothing differs.
std::string configuration_words(const Knowledge& knowledge, const Configuration& configuration);

// <section> with a heading; "" if there is no body.
std::string section(const SectionInput& input, const std::string& id, const std::string& title,
                    const std::string& body);

}  // namespace fsadvise
