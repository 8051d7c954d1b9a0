// filebench personalities: one stream a thread, one file set a fileset.
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"
#include "tuner/exchange/importers.h"
#include "tuner/exchange/wml.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kLargestFile = 16u << 20;
constexpr std::uint64_t kUsualBlock = 1u << 20, kLargestBlock = 64u << 20;

// Keys that name things, or say how filebench itself goes about it.
const std::vector<std::string> kKnownKeys = {
    "name",      "filesetname", "filename",      "fd",       "srcfd",    "iosize",    "iters",
    "random",    "dsync",       "directio",      "value",    "target",   "highwater", "memsize",
    "instances", "nice",        "useism",        "ioprio",   "path",     "size",      "entries",
    "dirwidth",  "dirgamma",    "filesizegamma", "prealloc", "paralloc", "reuse",     "readonly",
    "trusts",    "cached",      "leafdirs",      "type",     "blocking"};

class ThreadImport {
  public:
    ThreadImport(const WmlItem& thread, const std::string& path, Load& load, Stream& stream, Notes& notes)
        : thread_(thread), path_(path), load_(load), stream_(stream), notes_(notes) {}

    Result<void> run() {
        for (const WmlItem& operation : thread_.children) {
            FSADVISE_TRY(check_keys(operation));
            FSADVISE_TRY(add(operation));
        }
        for (auto& [fd, file] : open_) close(file);
        return {};
    }

  private:
    struct OpenFile {
        std::string set;
        bool created = false, used = false;
        std::size_t create_step = 0;
    };

    [[nodiscard]] std::string place(int line) const { return fmt::format("{}:{}", path_, line); }
    [[nodiscard]] tl::unexpected<Error> bad(const WmlItem& operation, const std::string& message,
                                            const std::string& hint = {}) const {
        return fail(ErrorCode::kBadInput, printable(operation.kind + ": " + message), place(operation.line),
                    hint);
    }
    Result<void> check_keys(const WmlItem& operation) {
        for (const WmlAttribute& attribute : operation.attributes) {
            if (std::find(kKnownKeys.begin(), kKnownKeys.end(), attribute.key) != kKnownKeys.end()) continue;
            FSADVISE_TRY(notes_.lost(place(attribute.line),
                                     fmt::format("{}: '{}' is unknown{}", operation.kind, attribute.key,
                                                 did_you_mean(attribute.key, kKnownKeys))));
        }
        return {};
    }
    Result<std::uint64_t> size(const WmlItem& operation, std::string_view key, std::uint64_t usual) const {
        const auto* attribute = operation.find(key);
        if (attribute == nullptr) return usual;
        const auto value = parse_size(attribute->value);
        if (!value) return bad(operation, fmt::format("{}: {}", key, value.error().message));
        return *value;
    }
    Result<std::string> named_set(const WmlItem& operation) const {
        std::string name = operation.text("filesetname");
        if (name.empty()) name = operation.text("filename");
        if (name.empty()) return std::string();
        name = plain_name(name, "data");
        std::vector<std::string> names;
        for (const FileSet& set : load_.file_sets) {
            if (set.name == name) return name;
            names.push_back(set.name);
        }
        return bad(operation, fmt::format("unknown file or fileset '{}'{}", name, did_you_mean(name, names)));
    }
    // The file the operation works on: that of its descriptor, or any of the set it names.
    Result<OpenFile*> file_of(const WmlItem& operation) {
        const std::string fd = operation.find("fd") != nullptr ? operation.text("fd") : "1";
        FSADVISE_ASSIGN(const std::string set, named_set(operation));
        const auto found = open_.find(fd);
        if (found != open_.end() && (set.empty() || set == found->second.set)) return &found->second;
        if (set.empty())
            return bad(operation, fmt::format("no file is open as fd={}", fd), "name a filesetname");
        implicit_ = OpenFile{set, false, true, 0};
        return &implicit_;
    }
    Step& push(const WmlItem& operation, const char* name, const std::string& set) {
        Step step;
        step.operation = name;
        if (set != stream_.file_set) step.file_set = set;
        if (stream_.file_set.empty()) {
            stream_.file_set = set;
            step.file_set.clear();
        }
        if (const auto* iters = operation.find("iters")) {
            int count = 1;
            std::from_chars(iters->value.data(), iters->value.data() + iters->value.size(), count);
            step.repeat = std::clamp(count, 1, 1'000'000);
        }
        stream_.steps.push_back(std::move(step));
        return stream_.steps.back();
    }
    [[nodiscard]] std::uint64_t file_bytes(const std::string& name) const {
        for (const FileSet& set : load_.file_sets) {
            if (set.name == name) return std::max(set.size_bytes, set.size_max_bytes);
        }
        return kUsualBlock;
    }
    void close(OpenFile& file) {
        if (!file.created && !file.used) push(WmlItem{}, "open-close", file.set);
        file.used = true;
    }

    Result<void> add(const WmlItem& operation) {
        const std::string& kind = operation.kind;
        if (operation.flag("directio")) stream_.direct = true;
        if (kind == "createfile" || kind == "openfile") return open(operation, kind == "createfile");
        if (kind == "closefile" || kind == "closefd") {
            const std::string fd = operation.find("fd") != nullptr ? operation.text("fd") : "1";
            const auto found = open_.find(fd);
            if (found == open_.end()) return bad(operation, fmt::format("no file is open as fd={}", fd));
            close(found->second);
            open_.erase(found);
            return {};
        }
        if (kind == "read" || kind == "write" || kind == "aiowrite")
            return transfer(operation, kind == "read");
        if (kind == "readwholefile" || kind == "writewholefile")
            return whole(operation, kind == "readwholefile");
        if (kind == "appendfile" || kind == "appendfilerand")
            return append(operation, kind == "appendfilerand");
        if (kind == "fsync" || kind == "fsyncset" || kind == "fdatasync") {
            FSADVISE_ASSIGN(OpenFile * file, file_of(operation));
            file->used = true;
            push(operation, kind == "fdatasync" ? "fdatasync" : "fsync", file->set);
            return {};
        }
        if (kind == "delay") return delay(operation);
        return add_by_name(operation);
    }

    Result<void> add_by_name(const WmlItem& operation) {
        static const std::map<std::string, const char*> kOperations = {
            {"deletefile", "unlink"}, {"statfile", "stat"}, {"listdir", "list"}, {"makedir", "mkdir-rmdir"}};
        static const std::map<std::string, const char*> kNotes = {
            {"aiowait", ""},
            {"finishoncount", ""},
            {"finishonbytes", ""},
            {"eventlimit", "the rate is not limited"},
            {"iopslimit", "the rate is not limited"},
            {"opslimit", "the rate is not limited"},
            {"bwlimit", "the rate is not limited"},
            {"hog", "the work of the processor is left out"},
            {"block", "threads do not wait for each other"},
            {"wakeup", "threads do not wait for each other"},
            {"semblock", "threads do not wait for each other"},
            {"sempost", "threads do not wait for each other"}};
        if (const auto note = kNotes.find(operation.kind); note != kNotes.end()) {
            if (*note->second != '\0') {
                notes_.add(fmt::format("not carried over: {}: {}: {}", place(operation.line), operation.kind,
                                       note->second));
            }
            return {};
        }
        const auto found = kOperations.find(operation.kind);
        if (found == kOperations.end()) {
            if (operation.kind == "removedir") {
                return notes_.lost(place(operation.line),
                                   "removedir: directories are removed by makedir's step");
            }
            static const std::vector<std::string> kKnown = {
                "createfile",     "openfile",   "closefile",      "read",       "write",    "readwholefile",
                "writewholefile", "appendfile", "appendfilerand", "deletefile", "statfile", "listdir",
                "makedir",        "fsync",      "fsyncset",       "delay",      "aiowrite"};
            return notes_.lost(place(operation.line),
                               fmt::format("unknown flow operation '{}'{}", operation.kind.substr(0, 60),
                                           did_you_mean(operation.kind.substr(0, 60), kKnown)));
        }
        FSADVISE_ASSIGN(std::string set, named_set(operation));
        if (set.empty()) {
            FSADVISE_ASSIGN(OpenFile * file, file_of(operation));
            set = file->set;
        }
        if (operation.kind == "deletefile" && !creates(set)) {
            return notes_.lost(place(operation.line),
                               "deletefile: the thread creates no files in '" + set + "' to delete",
                               "create and delete in one thread");
        }
        push(operation, found->second, set);
        return {};
    }
    [[nodiscard]] bool creates(const std::string& set) const {
        return std::any_of(thread_.children.begin(), thread_.children.end(), [&](const WmlItem& other) {
            return other.kind == "createfile" && plain_name(other.text("filesetname"), "data") == set;
        });
    }

    Result<void> open(const WmlItem& operation, bool create) {
        FSADVISE_ASSIGN(const std::string set, named_set(operation));
        if (set.empty()) return bad(operation, "no filesetname");
        const std::string fd = operation.find("fd") != nullptr ? operation.text("fd") : "1";
        OpenFile file{set, create, false, stream_.steps.size()};
        if (create) push(operation, "create", set).block_bytes = kUsualBlock;
        open_[fd] = file;
        return {};
    }

    Result<void> whole(const WmlItem& operation, bool read) {
        FSADVISE_ASSIGN(const auto iosize, size(operation, "iosize", kUsualBlock));
        FSADVISE_ASSIGN(OpenFile * file, file_of(operation));
        const std::uint64_t block = std::clamp<std::uint64_t>(iosize, 1, kLargestBlock);
        file->used = true;
        if (read) {
            push(operation, "read-file", file->set).block_bytes = block;
        } else if (file->created) {
            stream_.steps[file->create_step].block_bytes = block;  // create writes the file
        } else {
            // Overwriting a whole file is the same to it as writing it from its beginning, block by block.
            Step& step = push(operation, "write", file->set);
            step.sequential = true;
            step.block_bytes = std::min(block, file_bytes(file->set));
            step.repeat = static_cast<int>(
                std::clamp<std::uint64_t>(file_bytes(file->set) / step.block_bytes, 1, 4096));
        }
        return {};
    }

    Result<void> append(const WmlItem& operation, bool random_size) {
        FSADVISE_ASSIGN(auto block, size(operation, "iosize", kUsualBlock));
        FSADVISE_ASSIGN(OpenFile * file, file_of(operation));
        file->used = true;
        if (random_size) {
            block = std::max<std::uint64_t>(block / 2, 1);
            notes_.add(fmt::format(
                "{}: appendfilerand draws a size up to its iosize; half of it, the mean, stands for that",
                place(operation.line)));
        }
        if (file->created) {
            notes_.add(fmt::format("{}: a created file has a size of its fileset, not of the append",
                                   place(operation.line)));
            stream_.steps[file->create_step].block_bytes = std::min(block, kLargestBlock);
            return {};
        }
        push(operation, "append", file->set).block_bytes =
            std::min({block, kLargestBlock, file_bytes(file->set)});
        return {};
    }

    Result<void> transfer(const WmlItem& operation, bool read) {
        FSADVISE_ASSIGN(const auto iosize, size(operation, "iosize", 8192));
        if (iosize == 0) return bad(operation, "iosize of zero");
        FSADVISE_ASSIGN(OpenFile * file, file_of(operation));
        file->used = true;
        const std::string set = file->set;
        Step& step = push(operation, read ? "read" : "write", set);
        step.block_bytes = std::min({iosize, kLargestBlock, file_bytes(set)});
        step.sequential = !operation.flag("random");
        const int repeat = step.repeat;
        if (!read && operation.flag("dsync")) {
            push(WmlItem{}, "fdatasync", set);
            if (repeat > 1)
                notes_.add(fmt::format("{}: {} writes with dsync are followed by one fdatasync",
                                       place(operation.line), repeat));
        }
        return {};
    }

    Result<void> delay(const WmlItem& operation) {
        double seconds = 0;
        const std::string text = operation.text("value");
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (code != std::errc{} || end == text.data() || !(seconds > 0 && seconds < 3600)) {
            return bad(operation, "value is no number of seconds");
        }
        Step step;
        step.operation = "think";
        step.think_ns = static_cast<std::uint64_t>(seconds * 1e9);
        stream_.steps.push_back(step);
        return {};
    }

    const WmlItem& thread_;
    const std::string& path_;
    Load& load_;
    Stream& stream_;
    Notes& notes_;
    std::map<std::string, OpenFile> open_;
    OpenFile implicit_;
};

Result<std::uint64_t> whole_number(const WmlItem& item, std::string_view key, std::uint64_t usual,
                                   const std::string& path) {
    const auto* attribute = item.find(key);
    if (attribute == nullptr) return usual;
    const auto value = parse_size(attribute->value);
    if (value) return *value;
    return fail(ErrorCode::kBadInput, fmt::format("{} {}: {}", item.kind, key, value.error().message),
                fmt::format("{}:{}", path, attribute->line));
}

Result<FileSet> file_set(const WmlItem& item, const std::string& path, Notes& notes) {
    const std::string place = fmt::format("{}:{}", path, item.line);
    const auto* name = item.find("name");
    if (name == nullptr) return fail(ErrorCode::kBadInput, item.kind + " without a name", place);
    FileSet set;
    set.name = plain_name(name->value, "data");
    if (item.find("size") == nullptr) return fail(ErrorCode::kBadInput, item.kind + " without a size", place);
    FSADVISE_ASSIGN(set.size_bytes, whole_number(item, "size", 0, path));
    if (item.kind == "fileset") {
        if (item.find("entries") == nullptr)
            return fail(ErrorCode::kBadInput, "fileset without entries", place);
        FSADVISE_ASSIGN(set.files, whole_number(item, "entries", 0, path));
        FSADVISE_ASSIGN(set.directory_width, whole_number(item, "dirwidth", 0, path));
        if (set.directory_width >= set.files) set.directory_width = 0;
        // Sizes follow a gamma distribution of shape 1.5 unless told otherwise: its coefficient of variation,
        // 0.82, is that of a log-uniform distribution over a factor of 20.
        if (item.text("filesizegamma") != "0" && set.size_bytes >= 1024 && set.files > 1) {
            const double low = static_cast<double>(set.size_bytes) * std::log(20.0) / 19;
            set.size_min_bytes = static_cast<std::uint64_t>(low);
            set.size_max_bytes = 20 * set.size_min_bytes;
            notes.add(fmt::format(
                "{}: sizes are log-uniform over a factor of 20 with the mean given, with filebench a gamma "
                "distribution",
                place));
        }
    }
    if (set.files == 0 || set.size_bytes == 0)
        return fail(ErrorCode::kBadInput, item.kind + " of no files or no bytes", place);
    set.fill = item.find("prealloc") != nullptr && item.flag("prealloc");
    const std::string part = item.text("prealloc");
    if (set.fill && !part.empty() && part != "100" && part != "true") {
        notes.add(fmt::format("{}: prealloc={}: all files are there at the start", place, part));
    }
    return set;
}

}  // namespace

Result<WorkloadDocument> import_wml(const std::string& path, const ImportOptions& options) {
    FSADVISE_ASSIGN(const std::string text, read_file(path, kLargestFile));
    Notes notes(options.lenient);
    FSADVISE_ASSIGN(const WmlModel model, parse_wml(text, path, notes));
    WorkloadDocument document;
    Load& load = document.load;
    for (const WmlItem& item : model.sets) {
        FSADVISE_ASSIGN(FileSet set, file_set(item, path, notes));
        load.file_sets.push_back(std::move(set));
    }
    std::map<std::string, int> names;
    for (const WmlItem& process : model.processes) {
        FSADVISE_ASSIGN(const auto processes, whole_number(process, "instances", 1, path));
        for (const WmlItem& thread : process.children) {
            FSADVISE_ASSIGN(const auto threads, whole_number(thread, "instances", 1, path));
            if (processes * threads == 0 || processes > 4096 || threads > 4096) {
                return fail(ErrorCode::kBadInput, "instances are 1 to 4096",
                            fmt::format("{}:{}", path, thread.line));
            }
            Stream stream;
            stream.name = plain_name(thread.text("name"), "thread");
            if (const int count = ++names[stream.name]; count > 1) stream.name += fmt::format("-{}", count);
            std::tie(stream.threads, stream.depth) = spread_clients(processes * threads, 1);
            FSADVISE_TRY(ThreadImport(thread, path, load, stream, notes).run());
            if (stream.steps.empty()) continue;
            load.streams.push_back(std::move(stream));
        }
    }
    if (load.streams.empty()) {
        return fail(ErrorCode::kBadInput, "no thread with a flow operation", path,
                    "a personality defines processes");
    }
    if (model.paced) notes.add("not carried over: eventgen: the load runs as fast as it can");
    load.flush_in_window = writes_without_flush(load);
    document.notes = notes.take();
    document.summary = fmt::format("{} kinds of threads of a filebench personality.", load.streams.size());
    return document;
}

}  // namespace fsadvise::tuner
