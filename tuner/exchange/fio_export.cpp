// A load as a fio job file. Source: fio(1) of fio 3.33.
//
// A loop of fio is one transfer, so a loop of several steps becomes the mix of its transfers; what that loses
// is said in comments and warnings.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/exchange/exchange.h"
#include "tuner/exchange/fio_job_text.h"
#include "tuner/exchange/plain_steps.h"
#include "tuner/workload/phases.h"
#include "tuner/workload/step_kind.h"

namespace fsadvise::tuner {
namespace {

class FioWriter {
  public:
    explicit FioWriter(const Load& load) : load_(load) {}

    Result<FioExport> run(const std::string& title) {
        std::string jobs;
        if (load_.phases.empty()) {
            for (const Stream& stream : load_.streams) jobs += stream_text(stream, FioJobPhase{});
        } else {
            jobs = phases_text();
        }
        if (jobs.empty()) {
            return fail(ErrorCode::kBadInput,
                        "nothing of this load can be said in fio's words: " +
                            (warnings_.empty() ? std::string("no transfer") : warnings_.front()),
                        title);
        }
        FioExport out;
        out.text = "# " + printable(title) + "\n";
        for (const std::string& warning : warnings_) out.text += "# lost: " + warning + "\n";
        out.text +=
            "# Run it with --directory=DIR on the filesystem in question.\n"
            "[global]\ntime_based=1\nruntime=60\ngroup_reporting=1\nnorandommap=1\nrefill_buffers=1\n" +
            jobs;
        out.warnings = std::move(warnings_);
        return out;
    }

  private:
    const FileSet* set_of(const Stream& stream, const Step& step) const {
        const std::string& name = step.file_set.empty() ? stream.file_set : step.file_set;
        for (const FileSet& set : load_.file_sets) {
            if (set.name == name) return &set;
        }
        return nullptr;
    }
    void warn(std::string text) { add_once(warnings_, std::move(text)); }

    std::string phases_text() {
        if (counting_phase(load_) + 1 != load_.phases.size()) {
            warn(fmt::format("phase {}: is the result of the load, fio reports every phase",
                             load_.phases[counting_phase(load_)].name));
        }
        std::string text;
        std::map<std::string, int> seen;
        for (std::size_t i = 0; i < load_.phases.size(); ++i) {
            const Phase& phase = load_.phases[i];
            const auto runs = phase_streams(load_, i);
            FioJobPhase jobs{phase.name, {}, i > 0, phase.seconds, phase.operations, 0};
            for (std::size_t j = 0; j < runs.size(); ++j) {
                if (runs[j]) jobs.clients += clients_of(load_.streams[j]);
            }
            if (phase.operations > 0 && phase.streams.size() > 1) {
                warn(fmt::format("phase {}: ends with all its streams, each job of fio by its own count",
                                 phase.name));
            }
            if (phase.name != fmt::format("phase-{}", i + 1))
                warn(fmt::format("phase {}: its name, jobs of fio wait without one", phase.name));
            for (std::size_t j = 0; j < runs.size(); ++j) {
                if (!runs[j]) continue;
                const Stream& stream = load_.streams[j];
                // A stream of several phases is a job in each.
                jobs.suffix = seen[stream.name]++ > 0 ? "-" + phase.name : "";
                const std::string job = stream_text(stream, jobs);
                if (!job.empty()) jobs.waits = false;  // the others of the phase start with it
                text += job;
            }
        }
        for (const Stream& stream : load_.streams) {
            if (!seen.contains(stream.name))
                warn(fmt::format("stream {}: runs in no phase of the load", stream.name));
        }
        return text;
    }

    std::string stream_text(const Stream& stream, FioJobPhase phase) {
        std::vector<FioPart> parts;
        FioPauses pauses;
        for (const Step& step : stream.steps) {
            if (step.operation == "commit") {
                warn(fmt::format(
                    "stream {}: commits that wait for one flush together; each job syncs for itself",
                    stream.name));
            }
            for (const Step& part : parts_of(stream, step)) count(stream, part, parts, pauses);
        }
        tell_what_jobs_lack(stream);
        std::erase_if(parts, [&](const FioPart& part) {
            if (part.transfers() > 0) return false;
            if (part.fsyncs + part.fdatasyncs > 0) {
                warn(fmt::format("stream {}: syncs of '{}', which it does not write", stream.name,
                                 part.set->name));
            }
            return true;
        });
        if (parts.size() > 1) {
            warn(
                fmt::format("stream {}: its steps on {} file sets run side by side as jobs of their own, at "
                            "the rates they "
                            "reach and not at those of the loop",
                            stream.name, parts.size()));
        }
        if (!stream.counts && !parts.empty())
            warn(fmt::format("stream {}: is a background, fio counts it with the others", stream.name));
        if (parts.size() > 1 && pauses.count > 0) {
            warn(fmt::format("stream {}: its pauses are kept in the first job only", stream.name));
        }
        FioPart all;
        for (const FioPart& part : parts) {
            all.reads += part.reads;
            all.writes += part.writes;
            all.read_bytes += part.read_bytes;
            all.written_bytes += part.written_bytes;
        }
        std::string text;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string name =
                (parts.size() == 1 ? stream.name : stream.name + "-" + parts[i].set->name) + phase.suffix;
            text +=
                fio_job_text({name, stream, parts[i], all, i == 0 ? pauses : FioPauses{}, phase}, warnings_);
            phase.waits = false;
        }
        return text;
    }

    // What a step is made of; syncs by O_DSYNC and O_SYNC have a word in fio.
    static std::vector<Step> parts_of(const Stream& stream, const Step& step) {
        Stream counted = stream;
        if (opens_for_sync(stream)) counted.sync = SyncPolicy::kNone;
        return plain_steps(counted, step);
    }

    void tell_what_jobs_lack(const Stream& stream) {
        if (stream.open_loop)
            warn(fmt::format("stream {}: its open loop; a job that cannot keep its rate falls behind",
                             stream.name));
        if (stream.hot_accesses > 0) warn(fmt::format("stream {}: its hot spot", stream.name));
        if (stream.working_set < 1)
            warn(fmt::format("stream {}: the part of its data that is never touched", stream.name));
        const bool random_pauses = std::any_of(stream.steps.begin(), stream.steps.end(),
                                               [](const Step& step) { return step.exponential; });
        if (random_pauses)
            warn(fmt::format("stream {}: pauses of random length, of which the mean is kept", stream.name));
    }

    void count(const Stream& stream, const Step& step, std::vector<FioPart>& parts, FioPauses& pauses) {
        const auto kind = step_kind(step.operation);
        if (!kind) return;
        const double times = step.probability * step.repeat;
        if (*kind == StepKind::kThink) {
            pauses.count += times;
            pauses.ns += times * static_cast<double>(step.think_ns);
            return;
        }
        const FileSet* set = set_of(stream, step);
        if (set == nullptr) return;
        auto found =
            std::find_if(parts.begin(), parts.end(), [&](const FioPart& part) { return part.set == set; });
        if (found == parts.end()) {
            parts.push_back({});
            found = parts.end() - 1;
            found->set = set;
        }
        FioPart& part = *found;
        const double block = static_cast<double>(step.block_bytes);
        const auto file_blocks = std::max(1.0, static_cast<double>(set->size_bytes) / block);
        switch (*kind) {
            case StepKind::kRead:
                part.reads += times;
                if (!step.sequential) part.random_reads += times;
                part.read_blocks[step.block_bytes] += times;
                part.read_bytes += times * block;
                break;
            case StepKind::kWrite:
                part.writes += times;
                if (!step.sequential) part.random_writes += times;
                part.write_blocks[step.block_bytes] += times;
                part.written_bytes += times * block;
                break;
            case StepKind::kAppend:
                part.writes += times;
                part.appends = true;
                part.write_blocks[step.block_bytes] += times;
                part.written_bytes += times * block;
                break;
            case StepKind::kReadFile:
            case StepKind::kCreate: {
                const bool read = *kind == StepKind::kReadFile;
                warn(fmt::format(
                    "stream {}: {} is said as transfers one after the other; files are not {} each time",
                    stream.name, step.operation, read ? "opened" : "made anew"));
                (read ? part.reads : part.writes) += times * file_blocks;
                (read ? part.read_blocks : part.write_blocks)[step.block_bytes] += times * file_blocks;
                (read ? part.read_bytes : part.written_bytes) += times * file_blocks * block;
                part.by_file = true;
                break;
            }
            case StepKind::kFsync:
                part.fsyncs += times;
                break;
            case StepKind::kFdatasync:
                part.fdatasyncs += times;
                break;
            default:
                warn(fmt::format("stream {}: {} has no word in a job of transfers", stream.name,
                                 step.operation));
                break;
        }
    }

    const Load& load_;
    std::vector<std::string> warnings_;
};

}  // namespace

Result<FioExport> export_fio(const Load& load, const std::string& title) {
    return FioWriter(load).run(title);
}

}  // namespace fsadvise::tuner
