// --workload, --require, --durability, --fs, --mount-point, --files: what the answer must serve.
#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

Result<void> check_words(const std::string& option, const std::vector<std::string>& words,
                         const std::vector<std::string>& known) {
    for (const std::string& word : words) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            return fail(ErrorCode::kUsage, "unknown word '" + word + "'" + did_you_mean(word, known), option,
                        "known: " + join(known, ", "));
        }
    }
    return {};
}

// CLI11 validator: "20M" of things is 20000000 of them. Decimal, because nobody counts files in powers of
// two.
std::string read_count(std::string& text) {
    std::size_t letters = 0;
    double number = 0;
    try {
        number = std::stod(text, &letters);
    } catch (const std::exception&) {
        letters = 0;
    }
    const std::string suffix = lower(text.substr(letters));
    const double factor = suffix.empty()  ? 1
                          : suffix == "k" ? 1e3
                          : suffix == "m" ? 1e6
                          : suffix == "g" ? 1e9
                                          : 0;
    constexpr double kMost = 1e15;  // beyond every filesystem's inodes
    if (letters == 0 || factor == 0 || !(number > 0) || number * factor > kMost)
        return "'" + text + "' is no number of things: write for example 900000, 20M or 1.5G";
    text = fmt::format("{:.0f}", std::max(1.0, number * factor));
    return {};
}

// Other words for the same requirement.
void use_own_words(std::vector<std::string>& needs) {
    static const std::map<std::string, std::string> kSame = {
        {"offline-shrink", "shrink"}, {"checksums", "data-checksums"},
        {"casefold", "case-folding"}, {"case-insensitive", "case-folding"},
        {"quotas", "project-quotas"}, {"prjquota", "project-quotas"}};
    for (std::string& need : needs)
        if (const auto same = kSame.find(need); same != kSame.end()) need = same->second;
}

}  // namespace

void add_request_options(CLI::App& command, RequestOptions& options) {
    command.add_option("-w,--workload", options.workload, "what the filesystem is for, e.g. postgres, or a workload file")
        ->type_name("NAME|FILE");
    command.add_option("--require", options.needs, "features it must have, e.g. snapshots,compression")
        ->delimiter(',')
        ->type_name("LIST");
    command.add_option("--durability", options.durability, "strict, relaxed or scratch")->type_name("CLASS");
    command.add_option("--fs", options.filesystems, "only these filesystems, e.g. ext4,xfs")
        ->delimiter(',')
        ->type_name("LIST");
    add_reader_options(command, options.readers);
    command.add_option("--mount-point", options.mount_point, "where it will be mounted")->type_name("DIR");
    command.add_option("--files", options.files, "expected number of files, e.g. 20M")
        ->transform(CLI::Validator(read_count, "", "count"))
        ->type_name("N");
    command.add_option("--mean-file", options.mean_file, "usual size of a file, e.g. 3k")->type_name("SIZE");
    command.add_option("--generations", options.generations, "backups or snapshots kept side by side")
        ->transform(CLI::Validator(read_count, "", "count"))
        ->type_name("N");
    command.add_option("--given", options.given, join(known_circumstances(), ", "))
        ->delimiter(',')
        ->type_name("LIST");
}

Result<Request> resolve_request(const RequestOptions& options, const Knowledge& knowledge, Host host) {
    if (options.workload.empty()) {
        return fail(ErrorCode::kUsage, "no workload given", "--workload",
                    "for example postgres, mail or vm-images; fsadvise workload list prints all");
    }
    const WorkloadDescription* workload = knowledge.workload(options.workload);
    if (workload == nullptr) {
        const auto names = knowledge.workload_names();
        return fail(ErrorCode::kUsage,
                    "unknown workload '" + options.workload + "'" + did_you_mean(options.workload, names),
                    "--workload", "fsadvise workload list prints all; or name a workload file");
    }
    static const std::vector<std::string> kNeeds = {
        "snapshots",    "compression", "data-checksums", "shrink",        "project-quotas", "reflink",
        "case-folding", "dax",         "encryption",     "online-shrink", "vendor-support"};
    auto needs = options.needs;
    use_own_words(needs);
    FSADVISE_TRY(check_words("--require", needs, kNeeds));
    FSADVISE_TRY(check_words("--given", options.given, known_circumstances()));
    FSADVISE_TRY(check_words("--durability", {options.durability}, {"strict", "relaxed", "scratch"}));
    std::vector<std::string> filesystems;
    for (const Filesystem& filesystem : knowledge.filesystems()) filesystems.push_back(filesystem.id);
    FSADVISE_TRY(check_words("--fs", options.filesystems, filesystems));
    if (!options.mount_point.empty() && options.mount_point.front() != '/') {
        return fail(ErrorCode::kUsage, "the mount point must be an absolute path", "--mount-point");
    }
    if (!is_plain_text(options.mount_point)) {
        return fail(ErrorCode::kUsage, "the mount point holds control characters or is not UTF-8", "--mount-point");
    }
    Request request;
    request.workload = workload->id;
    request.host = std::move(host);
    request.requirements.needs = {needs.begin(), needs.end()};
    request.requirements.durability = options.durability;
    request.requirements.filesystems = options.filesystems;
    FSADVISE_TRY(resolve_readers(options.readers, knowledge, request.requirements));
    // A kernel told alone must mount what the tools of this system make: what they turn on by themselves
    // counts too.
    if (request.host.source == "described" && request.host.distribution.empty() &&
        !request.host.kernel.empty())
        request.requirements.readers.emplace("kernel", request.host.kernel);
    FSADVISE_TRY(check_vendor(request.requirements, request.host, knowledge));
    request.mount_point = options.mount_point;
    request.files = options.files;
    request.generations = options.generations;
    request.given = {options.given.begin(), options.given.end()};
    if (!options.mean_file.empty()) {
        const auto size = parse_size(options.mean_file);
        if (!size || *size == 0)
            return fail(ErrorCode::kUsage, size ? "a size of zero" : size.error().message, "--mean-file",
                        "write for example 3k");
        request.mean_file_bytes = static_cast<double>(*size);
    }
    return request;
}

}  // namespace fsadvise::cli
