#include "tuner/apply/match.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.h"
#include "base/units.h"
#include "host/media.h"
#include "host/sysfs_block.h"

namespace fsadvise::tuner {

namespace {

const std::vector<std::string> kKeys = {"size", "name", "by-id", "serial", "model", "media"};
constexpr std::array kRelations = std::to_array<std::string_view>({">=", "<=", "!=", ">", "<", "="});

// Disks that the kernel makes without any medium behind them; nobody's data disk unless named.
bool is_virtual(const std::string& name) {
    for (const char* prefix : {"loop", "ram", "zram", "nbd", "sr", "fd", "mtdblock"})
        if (name.starts_with(prefix)) return true;
    return false;
}

Result<MatchTerm> parse_term(const std::string& text) {
    const auto at = text.find_first_of("<>=!");
    MatchTerm term;
    term.key = std::string(trim(text.substr(0, at)));
    if (std::find(kKeys.begin(), kKeys.end(), term.key) == kKeys.end()) {
        return fail(ErrorCode::kUsage,
                    "unknown word '" + printable(term.key) + "'" + did_you_mean(term.key, kKeys), "--match",
                    "known: " + join(kKeys, ", "));
    }
    for (const std::string_view relation : kRelations) {
        if (at == std::string::npos || text.compare(at, relation.size(), relation) != 0) continue;
        term.relation = relation;
        term.pattern = std::string(trim(text.substr(at + relation.size())));
        break;
    }
    const bool ordered = term.relation.starts_with('<') || term.relation.starts_with('>');
    if (term.relation.empty() || term.pattern.empty() || (ordered && term.key != "size") ||
        (term.relation == "!=" && term.key == "size")) {
        return fail(ErrorCode::kUsage, "'" + printable(text) + "' is no term", "--match",
                    "write for example size>=10G, by-id=*DATA* or name!=sda");
    }
    if (term.key == "size") {
        const auto bytes = parse_size(term.pattern);
        if (!bytes)
            return fail(ErrorCode::kUsage, bytes.error().message, "--match", "write for example size>=10G");
        term.bytes = *bytes;
    }
    return term;
}

bool fits(const std::string& pattern, const std::string& text) {
    return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool size_fits(const MatchTerm& term, std::uint64_t bytes) {
    if (term.relation == ">=") return bytes >= term.bytes;
    if (term.relation == "<=") return bytes <= term.bytes;
    if (term.relation == ">") return bytes > term.bytes;
    if (term.relation == "<") return bytes < term.bytes;
    return bytes == term.bytes;
}

bool holds(const MatchTerm& term, const DiskIdentity& disk, const std::string& media) {
    if (term.key == "size") return size_fits(term, disk.size_bytes);
    bool found = false;
    if (term.key == "by-id") {
        for (const std::string& link : disk.by_id)
            found = found || fits(term.pattern, link) || fits(term.pattern, link.substr(link.rfind('/') + 1));
    } else {
        const std::string& text = term.key == "name"     ? disk.name
                                  : term.key == "serial" ? disk.serial
                                  : term.key == "model"  ? disk.model
                                                         : media;
        found = fits(term.pattern, text);
    }
    return found == (term.relation == "=");
}

}  // namespace

bool MatchRule::names_virtual_disks() const {
    return std::any_of(terms.begin(), terms.end(), [](const MatchTerm& term) {
        return term.key == "name" && term.relation == "=" && is_virtual(term.pattern);
    });
}

Result<MatchRule> parse_match(const std::string& text) {
    MatchRule rule;
    rule.text = text;
    for (const std::string& term : split(text, ',')) {
        FSADVISE_ASSIGN(MatchTerm parsed, parse_term(term));
        rule.terms.push_back(std::move(parsed));
    }
    return rule;
}

bool matches(const MatchRule& rule, const DiskIdentity& disk, const std::string& media) {
    return std::all_of(rule.terms.begin(), rule.terms.end(),
                       [&](const MatchTerm& term) { return holds(term, disk, media); });
}

std::string Candidate::text() const {
    const std::string why = !unseen.empty() ? unseen : state.is_empty() ? "empty" : state.occupied_by();
    return fmt::format("{} ({}): {}", path, state.identity.text(), why);
}

std::vector<Candidate> candidates(const MatchRule& rule, const FileReader& files) {
    std::vector<Candidate> found;
    for (const std::string& name : files.list("/sys/block")) {
        if (is_virtual(name) && !rule.names_virtual_disks()) continue;
        if (block_number(files, name, "size").value_or(0) == 0)
            continue;  // a reader without a medium, a free loop
        std::string path = "/dev/" + name;
        std::replace(path.begin(), path.end(), '!', '/');
        const auto identity = identify_disk(path, files);
        if (!identity || !matches(rule, *identity, media_of(files, name))) continue;
        Candidate candidate;
        candidate.path = identity->by_id.empty() ? path : identity->by_id.front();
        auto state = look_at_disk(candidate.path, files);
        if (state) {
            candidate.state = std::move(*state);
        } else {
            candidate.state.identity = *identity;
            candidate.unseen = state.error().message;
        }
        found.push_back(std::move(candidate));
    }
    return found;
}

}  // namespace fsadvise::tuner
