// The parsed knowledge base: filesystems, parameters, constraints, workloads, applications, distributions, rules,
// evidence. Facts are data; no C++ outside parsers and emitters spells a filesystem option.
//
// Errors: a malformed file is kBadInput with "file#/json/pointer" as context and the nearest known key as hint.
// Threads: immutable after load.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "space/constraint.h"
#include "space/knowledge_files.h"
#include "space/parameter.h"

namespace fsadvise {

struct Change;
struct FactTable;

struct Filesystem {
    std::string id;     // "xfs"
    std::string title;  // "XFS"
    std::string summary;
    std::string mkfs;            // program: "mkfs.xfs"
    std::vector<std::string> mkfs_aliases;  // "mke2fs -t ext4" style names: "mke2fs"
    std::vector<std::string> mkfs_quiet;    // flags that only silence or speed up, e.g. {"-q"}
    std::vector<std::string> mkfs_overwrite;  // the tool's force flag, used on scratch areas only: {"-f"}
    // Flags of mkfs that are known but are no parameters: without and with a value ("-L"). "-E offset" names a suboption.
    std::vector<std::string> switches, value_flags;
    std::vector<std::string> last_only_flags;  // repeated, only the last one counts: mke2fs -E, -O
    std::vector<std::string> mount_words;      // known mount options that are no parameters: "acl", "subvol="
    // Set on both sides while measuring, so that background initialisation does not disturb the run.
    std::map<std::string, Value> measure_with;
    std::string tool;            // package whose version matters: "xfsprogs"
    std::string kernel_module;   // "xfs"
    Expression available;        // empty = asks Host::filesystems only
    std::uint64_t minimum_bytes = 0;
    std::uint64_t maximum_bytes = 0, maximum_file_bytes = 0;  // 0 = no practical limit known
    int fstab_pass = 0;          // 2 for ext4, 0 for xfs and btrfs
    // requirement -> "yes" or the reason why not ("no: needs LVM"); keys as in Requirements.
    std::map<std::string, std::string> capabilities;
    // "format" (the filesystem itself) or capabilities joined by '+' -> component or boot loader -> first version that
    // reads it, or "no: reason".
    std::map<std::string, std::map<std::string, std::string>> since;
    std::vector<std::string> sources;
};

// A number or a vendor statement with provenance.
struct Evidence {
    std::string id;       // "ev.vps2024.pg-8k-write.xfs-optimized"
    std::string kind;     // "measurement" | "statement" | "behaviour"
    std::string says;     // our words
    std::string source;   // title and owner
    std::string locator;  // where in the source
    std::string date;     // as stated by the source, or when we read it
    std::string grade;    // "measured-here" | "documented" | "vendor-opinion" | "third-party-benchmark" | "recollection"
    std::map<std::string, std::string> context;  // hardware, kernel, load
    std::optional<double> value;
    std::string unit;
    std::string valid;    // "" or what is known to be wrong or outdated about it
};

enum class ActionKind { kPrefer, kAvoid, kSet, kRequire, kDerive, kReject, kApplication, kWarn };

struct Action {
    ActionKind kind = ActionKind::kPrefer;
    std::string target;   // filesystem id, parameter id, trait name, or application setting name
    Expression value;     // kSet: value expression; kApplication: text literal
    double weight = 0;    // kPrefer/kAvoid: points towards or away from a filesystem, roughly ln(ratio) * 100
    std::string text;     // kReject: the option as people write it; kWarn: the warning; kApplication: application id
    std::string versions; // kReject: "removed in Linux 4.19"
    std::string because;  // one sentence, overrides the rule's why
};

struct RuleExample {
    std::string text;  // JSON of a request, kept as text and parsed by the test
};

struct Rule {
    std::string id;  // "R-DB-003", never reused
    std::string title;
    Expression when;
    std::vector<Action> then;
    std::string strength;  // "strong" | "moderate" | "weak"
    std::string why, known_problems;
    std::vector<std::string> sources;  // evidence ids or URLs
    std::vector<RuleExample> fires, quiet;
    std::string origin;
};

struct Distribution {
    std::string id, version;  // "debian" "12"; version may be "" = any
    std::string title;
    std::string kernel;       // kernel it ships
    std::string default_filesystem;
    std::map<std::string, std::string> tools;       // package -> version
    std::map<std::string, std::string> filesystems; // fs -> "supported" | "available" | "unsupported"
    std::vector<std::string> sources;
};

// Descriptive half of a workload; the load itself (streams, operations) is kept as JSON text for the tuner.
struct WorkloadDescription {
    std::string id, title, summary;
    std::vector<std::string> aliases;   // "postgresql"
    std::vector<std::string> traits;    // "synchronous-commits", "random-overwrite", "many-small-files", ...
    std::string mount_point;            // customary: /var/lib/postgresql
    std::string application;            // key into applications, may be empty
    std::string durability = "strict";
    std::optional<double> mean_file_bytes;  // for inode counts
    std::string derivation;             // how the load was derived from the application
    std::string load;                   // JSON text of the load, see tuner/workload/
    std::vector<std::string> sources;
};

// Invariant: ids are unique, every reference (source, parameter, workload) resolves, every expression parses.
class Knowledge {
  public:
    // Fails with the first defect; the hint counts the others.
    static Result<Knowledge> load(std::span<const KnowledgeFile> files);
    // Every defect that load() would fail for, in the order of the files, at most 200. Empty = sound.
    static std::vector<Error> check(std::span<const KnowledgeFile> files);

    [[nodiscard]] const Filesystem* filesystem(std::string_view id) const;
    [[nodiscard]] const Parameter* parameter(std::string_view id) const;
    [[nodiscard]] const WorkloadDescription* workload(std::string_view id_or_alias) const;
    [[nodiscard]] const Evidence* evidence(std::string_view id) const;
    // Best match: the version itself, else its major version, else the entry without a version.
    [[nodiscard]] const Distribution* distribution(std::string_view id, std::string_view version) const;

    [[nodiscard]] const std::vector<Filesystem>& filesystems() const;
    [[nodiscard]] const std::vector<Parameter>& parameters() const;  // sorted by id
    [[nodiscard]] std::vector<const Parameter*> parameters_of(std::string_view filesystem) const;
    [[nodiscard]] std::vector<const Parameter*> parameters_of(std::string_view filesystem, Layer layer) const;
    [[nodiscard]] const std::vector<Constraint>& constraints() const;
    [[nodiscard]] std::vector<const Constraint*> constraints_of(std::string_view filesystem) const;
    [[nodiscard]] const std::vector<Rule>& rules() const;
    [[nodiscard]] const std::vector<Change>& changes() const;  // sorted by id
    // A list of other facts, or null; see docs/knowledge.md, tables.
    [[nodiscard]] const FactTable* table(std::string_view id) const;
    [[nodiscard]] const std::vector<WorkloadDescription>& workloads() const;
    [[nodiscard]] const std::vector<Distribution>& distributions() const;
    [[nodiscard]] const std::vector<Evidence>& evidence() const;
    [[nodiscard]] std::vector<std::string> workload_names() const;
    [[nodiscard]] const std::string& digest() const;  // fingerprint over all files

  private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

}  // namespace fsadvise
