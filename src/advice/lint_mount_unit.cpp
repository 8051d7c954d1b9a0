// systemd .mount units. Source: systemd.mount(5), systemd.unit(5), systemd-escape(1) of systemd 252.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_fstab.h"
#include "advice/lint_ini.h"
#include "base/text.h"

namespace fsadvise {
namespace {

// The unit name of a path: "/srv/my-data" -> "srv-my\x2ddata".
std::string escape_path(std::string_view path) {
    std::string name;
    for (const auto& part : split(path, '/')) {
        if (part.empty() || part == ".") continue;
        if (!name.empty()) name += '-';
        for (const char c : part) {
            const auto byte = static_cast<unsigned char>(c);
            const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) || c == ':' || c == '_' ||
                               (c == '.' && !name.empty());
            name += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
        }
    }
    return name.empty() ? "-" : name;
}

class MountUnit {
  public:
    MountUnit(const LintInput& input, std::string_view name, const std::vector<IniSection>& sections,
              LintResult& result)
        : checker_(input.checker()),
          name_(name),
          sections_(sections),
          mount_(*find_section(sections, "Mount")),
          result_(result) {}

    void run() {
        ++result_.checked;
        keys();
        const auto* where = mount_.find("Where");
        const auto* what = mount_.find("What");
        if (where == nullptr || where->value.empty()) missing("Where");
        if (what == nullptr || what->value.empty()) missing("What");
        if (where != nullptr) unit_name(*where);
        if (what != nullptr) check_device_name(checker_, what->value, what->line, result_);
        for (const auto* entry : {what, mount_.find("Options")}) {
            if (entry != nullptr) percent(*entry);
        }
        options();
        ordering();
        install();
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_.finding(std::move(id), severity, line, std::move(subject)));
        result_.findings.back().sources = {"systemd.mount(5)"};
        return result_.findings.back();
    }

    void missing(const std::string& key) {
        auto& item = add("mount-unit-incomplete", Severity::kError, mount_.line, key);
        item.what = fmt::format("[Mount] has no {}=", key);
        item.consequence = "systemd refuses to load the unit: nothing is mounted";
        item.fix = fmt::format("add {}=", key);
    }

    void keys() {
        const auto known = table_words(checker_.knowledge(), "mount-unit-keys");
        for (const auto& entry : mount_.entries) {
            if (std::ranges::find(known, entry.key) != known.end()) continue;
            // Execution, kill and resource-control settings are legal here; only look-alikes are worth a
            // word.
            const auto near = nearest(entry.key, known);
            const bool fstab_word = lower(entry.key) != entry.key ? false : true;
            if (!near && !fstab_word) continue;
            auto& item = add("mount-unit-key", Severity::kWarning, entry.line, entry.key);
            item.what = fmt::format("[Mount] has no key '{}'{}", entry.key, did_you_mean(entry.key, known));
            item.consequence = "systemd logs 'Unknown key name' and goes on without it";
            item.fix = "correct or remove the key";
        }
    }

    void unit_name(const IniEntry& where) {
        if (where.value.find('%') != std::string::npos) return;
        if (!where.value.starts_with('/')) {
            auto& item = add("mount-unit-path", Severity::kError, where.line, where.value);
            item.what = "Where= is no absolute path";
            item.consequence = "systemd refuses to load the unit: nothing is mounted";
            item.fix = "write the whole path";
            return;
        }
        const auto expected = escape_path(where.value) + ".mount";
        if (name_.empty() || !name_.ends_with(".mount") || name_ == expected) return;
        auto& item = add("mount-unit-name", Severity::kError, where.line, std::string(name_));
        item.what = fmt::format("the file of a unit for {} must be called {}", where.value, expected);
        item.consequence =
            "systemd refuses it: \"Where= setting doesn't match unit name\", nothing is mounted";
        item.fix = fmt::format("rename it to {}", expected);
        item.ignore_if = "it is installed under that name";
        item.sources = {"systemd.mount(5): the unit name must match the mount point",
                        "systemd-escape(1), --path --suffix=mount"};
    }

    void percent(const IniEntry& entry) {
        for (std::size_t i = 0; i < entry.value.size(); ++i) {
            if (entry.value[i] != '%') continue;
            const bool specifier = i + 1 < entry.value.size() &&
                                   (entry.value[i + 1] == '%' ||
                                    std::isalpha(static_cast<unsigned char>(entry.value[i + 1])) != 0);
            ++i;
            if (specifier) continue;
            auto& item = add("mount-unit-percent", Severity::kWarning, entry.line, entry.value);
            item.what = "a percent sign starts a specifier";
            item.consequence = "systemd cannot resolve it and ignores the assignment";
            item.fix = "write %% for one percent sign";
            return;
        }
    }

    void options() {
        const auto* entry = mount_.find("Options");
        const auto type = mount_.value("Type");
        std::string text = entry != nullptr ? entry->value : "";
        for (std::size_t at = text.find("%%"); at != std::string::npos; at = text.find("%%", at + 1)) {
            text.erase(at, 1);
        }
        if (checker_.knowledge().filesystem(type) != nullptr) {
            const int line = entry != nullptr ? entry->line : mount_.line;
            const auto words = parse_mount_options(checker_.knowledge(), type, text);
            checker_.check_mount(type, nullptr, words, {line, consequence()}, result_);
            check_redundant_options(checker_, type, text, line, result_);
        }
        if (entry == nullptr) return;
        const auto fstab_only = table_words(checker_.knowledge(), "fstab-only-options");
        for (const auto& word : split(text, ',')) {
            // x-systemd.rw-only and friends that the mount itself reads are not in this list.
            const auto key = word.substr(0, word.find('='));
            if (std::ranges::find(fstab_only, key) == fstab_only.end()) continue;
            auto& item = add("mount-unit-fstab-option", Severity::kInfo, entry->line, word);
            const bool nofail = key == "nofail";
            item.what = fmt::format("'{}' is read from fstab only and has no effect in a unit", word);
            if (nofail) item.what += ": the [Install] section says who needs the mount";
            item.consequence = key == "x-systemd.makefs"   ? "nothing is formatted"
                               : key == "x-systemd.growfs" ? "the filesystem does not grow"
                                                           : "nothing: it is accepted and changes nothing";
            item.fix =
                nofail ? "leave it out; use WantedBy= (not RequiredBy=) if boot may go on without it"
                       : "write the unit setting instead (TimeoutSec=, After=, JobRunningTimeoutSec= of the "
                         "device unit), or use an fstab line";
            item.sources = {"systemd.mount(5), FSTAB"};
        }
    }

    [[nodiscard]] std::string consequence() const {
        const auto* install = find_section(sections_, "Install");
        const bool required = install != nullptr && install->find("RequiredBy") != nullptr;
        return required ? "the mount unit fails, and what requires it does not start"
                        : "the mount unit fails; boot goes on without it";
    }

    void ordering() {
        const auto* unit = find_section(sections_, "Unit");
        if (unit == nullptr) return;
        const auto options = split(mount_.value("Options"), ',');
        const auto has = [&](std::string_view word) {
            return std::ranges::find(options, word) != options.end();
        };
        if (lower(unit->value("DefaultDependencies")) == "no" || has("nofail") || has("_netdev")) return;
        for (const auto& entry : unit->entries) {
            if (entry.key != "After" || entry.value.find("local-fs.target") == std::string::npos ||
                entry.value.find("local-fs-pre") != std::string::npos) {
                continue;
            }
            auto& item = add("mount-unit-ordering-cycle", Severity::kWarning, entry.line, entry.value);
            item.what =
                "a mount of a local disk is ordered before local-fs.target by default, and this one after it";
            item.consequence = "systemd finds a circle and drops a unit of it";
            item.fix = "remove After=local-fs.target";
            item.sources = {"systemd.mount(5), Default Dependencies"};
        }
    }

    void install() {
        const auto* install = find_section(sections_, "Install");
        if (install != nullptr && !install->entries.empty()) return;
        auto& item = add("mount-unit-not-installed", Severity::kInfo, mount_.line, "[Install]");
        item.what = "no [Install] section: systemctl enable has nothing to do";
        item.consequence = "it is mounted only if another unit pulls it in";
        item.fix = "add [Install] with WantedBy=multi-user.target";
        item.ignore_if = "an automount or a service with RequiresMountsFor= pulls it in";
        item.sources = {"systemd.unit(5), [Install] section"};
    }

    LintChecker checker_;
    std::string_view name_;
    const std::vector<IniSection>& sections_;
    const IniSection& mount_;
    LintResult& result_;
};

bool recognises(std::string_view name, std::string_view text) {
    if (name.ends_with(".mount")) return true;
    // A unit inside another file is that file's to read: a unit file begins with a section.
    for (const auto& line : split(text, '\n')) {
        const auto content = trim(line);
        if (content.empty() || content.starts_with('#') || content.starts_with(';')) continue;
        return line.starts_with('[') && has_line_starting(text, "[Mount]");
    }
    return false;
}

Result<void> check(const LintInput& input, LintResult& result) {
    if (find_section(split_ini(input.text, 1, true), "Mount") == nullptr) {
        return fail(ErrorCode::kBadInput, "is no mount unit: it has no [Mount] section", input.file,
                    "see systemd.mount(5)");
    }
    const auto name = input.name.ends_with(".mount") ? input.name : std::string_view();
    check_mount_unit(input, name, input.text, 1, result);
    return {};
}

}  // namespace

void check_mount_unit(const LintInput& input, std::string_view name, std::string_view text, int first_line,
                      LintResult& result) {
    const auto sections = split_ini(text, first_line, true);
    if (find_section(sections, "Mount") == nullptr) return;
    MountUnit(input, name, sections, result).run();
}

LintFormat mount_unit_format() {
    return {"mount unit", recognises, check};
}

}  // namespace fsadvise
