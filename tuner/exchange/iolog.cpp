// Traces that fio writes (write_iolog), versions 2 and 3. Source: fio(1) of fio 3.33, "Trace file format";
// stamps are microseconds, as measured with fio 3.33.
#include <charconv>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "tuner/exchange/importers.h"
#include "tuner/exchange/trace_summary.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kLongestLine = 64u << 10;
constexpr std::size_t kMostFiles = 1u << 16;

// Lines of a file of any length.
class LineReader {
  public:
    explicit LineReader(Fd file) : file_(std::move(file)) {}
    // False at the end. Errors: kBadInput for a line above the limit.
    Result<bool> next(std::string_view& line, const std::string& path) {
        while (true) {
            const std::size_t end = buffer_.find('\n', start_);
            if (end != std::string::npos || (ended_ && start_ < buffer_.size())) {
                const std::size_t stop = end == std::string::npos ? buffer_.size() : end;
                line = std::string_view(buffer_).substr(start_, stop - start_);
                start_ = std::min(stop + 1, buffer_.size());
                ++number_;
                return true;
            }
            if (ended_) return false;
            if (buffer_.size() - start_ > kLongestLine) {
                return fail(ErrorCode::kBadInput, "the line is longer than 64 KiB",
                            fmt::format("{}:{}", path, number_ + 1), "an iolog has one short action a line");
            }
            buffer_.erase(0, start_);
            start_ = 0;
            const std::size_t filled = buffer_.size();
            buffer_.resize(filled + kLongestLine);
            const ssize_t count = ::read(file_.get(), buffer_.data() + filled, kLongestLine);
            if (count < 0) return fail(ErrorCode::kBadInput, "cannot read: " + errno_text(errno), path);
            buffer_.resize(filled + static_cast<std::size_t>(count));
            ended_ = count == 0;
        }
    }
    [[nodiscard]] int number() const { return number_; }

  private:
    Fd file_;
    std::string buffer_;
    std::size_t start_ = 0;
    bool ended_ = false;
    int number_ = 0;
};

class IologReader {
  public:
    IologReader(const std::string& path, int version, TraceSummary& summary)
        : path_(path), version_(version), summary_(summary) {}

    Result<void> action(std::string_view line, int number) {
        place_ = number;
        words_.clear();
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t begin = line.find_first_not_of(" \t\r", at);
            if (begin == std::string_view::npos) break;
            const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
            words_.push_back(line.substr(begin, end - begin));
            at = end;
        }
        if (words_.empty()) return {};
        std::size_t first = 0;
        if (version_ == 3) {
            FSADVISE_ASSIGN(const std::uint64_t microseconds, number_at(0, "a time stamp"));
            time_ns_ = microseconds * 1000;
            first = 1;
        }
        if (words_.size() != first + 2 && words_.size() != first + 4) {
            return bad(
                fmt::format("an action has {} or {} words, not {}", first + 2, first + 4, words_.size()));
        }
        return words_.size() == first + 2 ? manage(words_[first], words_[first + 1])
                                          : transfer(words_[first], words_[first + 1], first + 2);
    }
    [[nodiscard]] std::size_t files() const { return files_.size(); }
    [[nodiscard]] bool timed() const { return version_ == 3 || waited_; }

  private:
    tl::unexpected<Error> bad(const std::string& message) const {
        return fail(ErrorCode::kBadInput, printable(message), fmt::format("{}:{}", path_, place_));
    }
    Result<std::uint64_t> number_at(std::size_t index, const char* what) const {
        std::uint64_t value = 0;
        const std::string_view text = words_[index];
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code != std::errc{} || end != text.data() + text.size() || value > INT64_MAX / 1000) {
            return bad(fmt::format("'{}' is not {}", text.substr(0, 40), what));
        }
        return value;
    }
    Result<void> manage(std::string_view name, std::string_view action) {
        if (action == "add") {
            if (files_.size() >= kMostFiles) return bad("more than 65536 files");
            files_.emplace(name, static_cast<std::uint32_t>(files_.size()));
            return {};
        }
        if (action == "open" || action == "close") return {};
        return sync(name, action);
    }
    // A sync is written without a place by fio, with one by its documentation.
    Result<void> sync(std::string_view name, std::string_view action) {
        TraceRequest request;
        request.time_ns = time_ns_;
        if (action == "sync") {
            request.operation = TraceOperation::kFsync;
        } else if (action == "datasync") {
            request.operation = TraceOperation::kFdatasync;
        } else {
            static const std::vector<std::string> kActions = {"add",  "open",     "close", "read", "write",
                                                              "sync", "datasync", "trim",  "wait"};
            return bad(fmt::format("unknown action '{}'{}", action.substr(0, 40),
                                   did_you_mean(action.substr(0, 40), kActions)));
        }
        FSADVISE_TRY(file_of(name));
        summary_.add(request);
        return {};
    }
    Result<std::uint32_t> file_of(std::string_view name) const {
        const auto found = files_.find(std::string(name));
        if (found == files_.end())
            return bad(fmt::format("the file '{}' was not added before", name.substr(0, 200)));
        return found->second;
    }
    Result<void> transfer(std::string_view name, std::string_view action, std::size_t at) {
        FSADVISE_ASSIGN(const std::uint64_t offset, number_at(at, "an offset"));
        FSADVISE_ASSIGN(const std::uint64_t length, number_at(at + 1, "a length"));
        if (action == "wait") {
            if (version_ != 2) return bad("version 3 has no wait");
            // Microseconds since the beginning of the log.
            time_ns_ = std::max(time_ns_, offset * 1000);
            waited_ = true;
            return {};
        }
        TraceRequest request;
        request.time_ns = time_ns_;
        request.offset = offset;
        request.bytes = length;
        if (action == "read") {
            request.operation = TraceOperation::kRead;
        } else if (action == "write") {
            request.operation = TraceOperation::kWrite;
        } else if (action == "trim") {
            request.operation = TraceOperation::kDiscard;
        } else {
            return sync(name, action);
        }
        FSADVISE_ASSIGN(request.file, file_of(name));
        if (length == 0 && action != "trim") return bad("a transfer of no bytes");
        summary_.add(request);
        return {};
    }

    const std::string& path_;
    int version_;
    TraceSummary& summary_;
    std::unordered_map<std::string, std::uint32_t> files_;
    std::vector<std::string_view> words_;
    std::uint64_t time_ns_ = 0;
    bool waited_ = false;
    int place_ = 0;
};

}  // namespace

Result<WorkloadDocument> import_iolog(const std::string& path, const ImportOptions& options) {
    FSADVISE_ASSIGN(Fd file, Fd::open(path, O_RDONLY));
    LineReader lines(std::move(file));
    std::string_view line;
    FSADVISE_ASSIGN(const bool some, lines.next(line, path));
    const auto header = some ? trim(line) : std::string_view();
    int version = 0;
    if (header == "fio version 2 iolog") version = 2;
    if (header == "fio version 3 iolog") version = 3;
    if (version == 0) {
        return fail(ErrorCode::kBadInput,
                    "does not begin with 'fio version 2 iolog' or 'fio version 3 iolog'", path + ":1",
                    "write it with fio's write_iolog");
    }
    TraceSummary summary;
    IologReader reader(path, version, summary);
    while (true) {
        FSADVISE_ASSIGN(const bool more, lines.next(line, path));
        if (!more) break;
        FSADVISE_TRY(reader.action(line, lines.number()));
    }
    Notes notes(options.lenient);
    WorkloadDocument document;
    TraceFacts facts;
    facts.what = fmt::format("an iolog of fio, version {}", version);
    facts.files = std::max<std::size_t>(summary.file_ends.size(), 1);
    FSADVISE_TRY(fill_from_trace(summary, facts, path, notes, document));
    notes.add("not seen: whether the files were opened with O_DIRECT; set \"direct\" if they were");
    document.notes = notes.take();
    return document;
}

}  // namespace fsadvise::tuner
