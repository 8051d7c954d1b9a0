// Internal: fio job files as jobs with their effective settings.
//
// Units: sizes by fio's rules: K is 1024 and Ki 1000 unless kb_base=1000 turns that round.
// Source: fio(1) of fio 3.33.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/lint_ini.h"
#include "base/result.h"

namespace fsadvise::tuner {

// Lines of a job file with its included files in place.
struct FioText {
    struct Origin {
        std::string file;
        int line;
    };
    std::string text;
    std::vector<Origin> lines;  // of `text`, the first one has index 0
    [[nodiscard]] std::string place(int line) const;
};
// Errors: kBadInput, also for a line that fio would refuse, includes that are missing or nest too deep.
Result<FioText> read_fio_text(const std::string& path);

// Where a key is used for the load, where it can be left out without a loss, and where that is one.
enum class FioKeyUse { kUsed, kHarmless, kLost, kUnknown };
FioKeyUse fio_key_use(std::string_view key);
std::vector<std::string> fio_keys();

// Invariant: entries hold the job's own keys behind those of the [global] sections before it, as fio takes
// them.
class FioJob {
  public:
    FioJob(IniSection section, const FioText& text) : section_(std::move(section)), text_(&text) {}
    [[nodiscard]] const std::string& name() const { return section_.name; }
    [[nodiscard]] std::string place() const { return text_->place(section_.line); }
    [[nodiscard]] std::string place(const IniEntry& entry) const { return text_->place(entry.line); }
    [[nodiscard]] const std::vector<IniEntry>& entries() const { return section_.entries; }

    // The last one of any of these spellings.
    [[nodiscard]] const IniEntry* find(std::initializer_list<std::string_view> keys) const;
    [[nodiscard]] std::string text(std::initializer_list<std::string_view> keys,
                                   const std::string& usual) const;
    [[nodiscard]] Result<bool> flag(std::initializer_list<std::string_view> keys, bool usual) const;
    [[nodiscard]] Result<std::uint64_t> number(std::initializer_list<std::string_view> keys,
                                               std::uint64_t usual) const;
    [[nodiscard]] Result<double> real(std::initializer_list<std::string_view> keys, double usual) const;
    // Values for reads and for writes: "4k" or "4k,8k" (a third one is for trims).
    [[nodiscard]] Result<std::pair<std::uint64_t, std::uint64_t>> two(
        std::initializer_list<std::string_view> keys, std::uint64_t usual) const;
    // Errors: kBadInput with the entry's place.
    [[nodiscard]] Result<std::uint64_t> size(const IniEntry& entry, std::string_view text) const;

  private:
    IniSection section_;
    const FioText* text_;
};

Result<std::vector<FioJob>> read_fio_jobs(const FioText& text);
// "100", "1s", "20ms"; `bare_unit` is that of a number without one ("s", "us"). nullopt if it is no time.
std::optional<std::uint64_t> fio_time_ns(std::string_view text, const char* bare_unit);

}  // namespace fsadvise::tuner
