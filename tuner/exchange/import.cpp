// Which importer reads a file, and what every imported document carries.
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/blktrace_api.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "tuner/exchange/importers.h"
#include "tuner/exchange/mix.h"

namespace fsadvise::tuner {
namespace {

struct FormatName {
    ExchangeFormat format;
    std::string_view name, title;
};
constexpr FormatName kFormats[] = {{ExchangeFormat::kFio, "fio", "fio job file"},
                                   {ExchangeFormat::kWml, "wml", "filebench personality"},
                                   {ExchangeFormat::kIolog, "iolog", "iolog of fio"},
                                   {ExchangeFormat::kBlktrace, "blktrace", "blktrace recording"}};

Result<std::string> read_head(const std::string& path) {
    constexpr std::size_t kHead = 64u << 10;
    FSADVISE_ASSIGN(const Fd file, Fd::open(path, O_RDONLY));
    std::string head(kHead, '\0');
    const ssize_t count = ::read(file.get(), head.data(), head.size());
    if (count < 0) return fail(ErrorCode::kBadInput, "cannot read: " + errno_text(errno), path);
    head.resize(static_cast<std::size_t>(count));
    return head;
}

std::string id_of(const std::string& path) {
    std::string name = path.substr(path.find_last_of('/') + 1);
    // sda.blktrace.0 -> sda
    if (const auto dot = name.find(".blktrace"); dot != std::string::npos && dot > 0) name.resize(dot);
    if (const auto dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
    return plain_id(name, "imported");
}

Result<WorkloadDocument> read(const std::vector<std::string>& paths, ExchangeFormat format,
                              const ImportOptions& options) {
    switch (format) {
        case ExchangeFormat::kFio:
            return import_fio(paths.front(), options);
        case ExchangeFormat::kWml:
            return import_wml(paths.front(), options);
        case ExchangeFormat::kIolog:
            return import_iolog(paths.front(), options);
        case ExchangeFormat::kBlktrace:
            return import_blktrace(paths, options);
    }
    return fail(ErrorCode::kUsage, "unknown format", paths.front());
}

}  // namespace

std::string_view to_text(ExchangeFormat format) {
    for (const FormatName& known : kFormats) {
        if (known.format == format) return known.name;
    }
    return "";
}

std::optional<ExchangeFormat> exchange_format(std::string_view name) {
    for (const FormatName& known : kFormats) {
        if (known.name == name) return known.format;
    }
    return std::nullopt;
}

Result<ExchangeFormat> detect_format(const std::string& path) {
    FSADVISE_ASSIGN(const std::string head, read_head(path));
    if (head.empty()) return fail(ErrorCode::kBadInput, "is empty", path);
    std::uint32_t magic = 0;
    if (head.size() >= sizeof magic) std::memcpy(&magic, head.data(), sizeof magic);
    constexpr std::uint32_t kMagic = BLK_IO_TRACE_MAGIC;
    if ((magic & 0xffffff00u) == kMagic || (__builtin_bswap32(magic) & 0xffffff00u) == kMagic)
        return ExchangeFormat::kBlktrace;
    if (head.starts_with("fio version ")) return ExchangeFormat::kIolog;
    bool section = false, define = false;
    for (const auto& raw : split(head, '\n')) {
        const auto line = trim(raw);
        section = section || (line.starts_with('[') && line.ends_with(']'));
        define = define || line.starts_with("define ") || line.starts_with("flowop ");
    }
    if (head.find('\0') == std::string::npos) {
        if (define) return ExchangeFormat::kWml;
        if (section) return ExchangeFormat::kFio;
    }
    return fail(ErrorCode::kBadInput,
                "is no fio job file, filebench personality, iolog of fio or blktrace recording", path,
                "name the format with --from");
}

Result<WorkloadDocument> import_workload(const std::vector<std::string>& paths,
                                         std::optional<ExchangeFormat> format, const ImportOptions& options) {
    if (paths.empty()) return fail(ErrorCode::kUsage, "no file to import is named", "import");
    if (!format) {
        FSADVISE_ASSIGN(format, detect_format(paths.front()));
    }
    if (paths.size() > 1 && *format != ExchangeFormat::kBlktrace) {
        return fail(ErrorCode::kUsage, "only the per-CPU files of one blktrace recording are read together",
                    paths[1], "import the others by themselves");
    }
    if (!options.section.empty() && *format != ExchangeFormat::kFio) {
        return fail(ErrorCode::kUsage, "only fio job files have sections", "--section");
    }
    if (!options.id.empty() && options.id != plain_id(options.id, "")) {
        return fail(ErrorCode::kUsage, "an id is lower case letters, digits and -", "--id",
                    "write for example " + plain_id(options.id, "mine"));
    }
    FSADVISE_ASSIGN(WorkloadDocument document, read(paths, *format, options));
    std::string_view title;
    for (const FormatName& known : kFormats) {
        if (known.format == *format) title = known.title;
    }
    const std::string name = printable(paths.front().substr(paths.front().find_last_of('/') + 1));
    document.id = options.id.empty() ? id_of(paths.front()) : options.id;
    document.title = fmt::format("{} ({})", document.id, title);
    document.mount_point = "/srv/" + document.id;
    document.derivation = fmt::format(
        "Imported from {} ({}). The traits are derived from the operations; what operations do "
        "not show (retention, growth, whether lost data can be made again) is for you to add.",
        name, title);
    document.sources = {fmt::format("{} {}", title, name)};
    document.traits = derive_traits(document.load);
    if (!document.mean_file_bytes && !document.load.file_sets.empty()) {
        double bytes = 0, files = 0;
        for (const FileSet& set : document.load.file_sets) {
            bytes += static_cast<double>(set.files) * static_cast<double>(set.size_bytes);
            files += static_cast<double>(set.files);
        }
        document.mean_file_bytes = static_cast<std::uint64_t>(bytes / files);
    }
    if (auto checked = check(document.load); !checked) {
        Error error = checked.error();
        error.context = paths.front() + ": as a load, " + error.context;
        return tl::unexpected(std::move(error));
    }
    return document;
}

}  // namespace fsadvise::tuner
