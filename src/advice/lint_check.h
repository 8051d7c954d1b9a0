// The judgement shared by fstab and script lint: words and configurations become findings. Internal to
// src/advice.
#pragma once

#include <string>
#include <vector>

#include "advice/lint.h"
#include "space/spelling.h"
#include "space/validity.h"

namespace fsadvise {

// Where a set of words stands and what a failure there means.
struct Place {
    int line = 0;
    std::string consequence_of_refusal;  // "the mount fails and boot stops in emergency mode"
    std::string directory = {};          // of the mount, if known
};

struct Verdict {
    bool formats = true, mounts = true;
};

class LintChecker {
  public:
    LintChecker(const Knowledge& knowledge, const LintTarget& target, std::string file);

    // The words alone: unknown, foreign or malformed ones. True if all will be accepted.
    bool check_words(const std::string& filesystem, Layer layer, const std::vector<ParsedWord>& words,
                     const Place& place, LintResult& result) const;
    // A format on its own.
    Verdict check_mkfs(const ParsedCommand& mkfs, const Place& place, LintResult& result) const;
    // Mount words; with `mkfs` not null only what check_mkfs has not said already.
    Verdict check_mount(const std::string& filesystem, const ParsedCommand* mkfs,
                        const std::vector<ParsedWord>& words, const Place& place, LintResult& result) const;

    [[nodiscard]] Finding finding(std::string id, Severity severity, int line, std::string subject) const;
    [[nodiscard]] const Knowledge& knowledge() const { return *knowledge_; }
    [[nodiscard]] const Request& request() const { return request_; }

  private:
    [[nodiscard]] Finding explain(const Context& context, const Violation& violation,
                                  const std::vector<ParsedWord>& words, const Place& place) const;
    void explain_version(const Context& context, const Violation& violation, Layer layer,
                         Finding& finding) const;
    [[nodiscard]] std::vector<Violation> relevant_violations(const Context& context) const;
    // Without what concerns mount options alone: that is said where something is mounted.
    [[nodiscard]] std::vector<Violation> format_violations(const Context& context) const;
    void add_detail(const Context& context, const Violation& violation, const std::vector<ParsedWord>& words,
                    Finding& finding) const;
    void check_defaults(const Context& context, const std::vector<ParsedWord>& words, const Place& place,
                        LintResult& result) const;
    // Options of which a later one, or a stronger one, leaves nothing.
    void check_repetitions(const std::vector<ParsedWord>& words, const Place& place,
                           LintResult& result) const;
    // "Needs two devices" about a list of devices that only the shell knows.
    [[nodiscard]] bool counts_unknown_devices(const Context& context, const Violation& violation,
                                              const ParsedCommand* mkfs) const;
    void make_conditional(const Context& context, const Violation& violation, const Place& place,
                          Finding& finding) const;
    void check_kernel_has(const std::string& filesystem, const Place& place, LintResult& result,
                          Verdict& verdict) const;

    const Knowledge* knowledge_;
    std::string file_;
    Request request_;
};

// True if the violated constraint would not (or need not) be violated by another format than the default one.
bool depends_on_format(const Context& context, const Constraint& constraint);
// A refusal that the words of a later mount decide: nothing to say while only the format is known.
bool waits_for_mount(const Context& context, const Constraint& constraint);
// A variable, a glob or a brace list: how many devices it stands for is known to the shell only.
bool names_several_devices(const ParsedCommand& mkfs);

// What a remount does with a new value of the parameter: "effective", "refused", "ignored" or "blocks".
std::string_view remount_result(const Parameter& parameter, const Context& context);

// Information for what has no effect and for remarks: constraints whose name begins with "note-".
Severity severity_of(const Violation& violation);

// Sorts by line, the gravest first, and drops repetitions.
void tidy(LintResult& result);
// Errors: kBadInput if the text is beyond the documented bounds.
Result<void> check_bounds(std::string_view text, const std::string& file);

}  // namespace fsadvise
