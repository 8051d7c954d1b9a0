// fio job files: one stream a job, one file set a group of files that jobs share.
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "tuner/exchange/fio_mix.h"
#include "tuner/exchange/fio_pace.h"
#include "tuner/exchange/importers.h"

namespace fsadvise::tuner {
namespace {

constexpr auto kAsynchronous = {"libaio", "io_uring", "posixaio"};
constexpr auto kSynchronous = {"sync", "psync", "vsync", "pvsync", "pvsync2"};
constexpr auto kByName = {"filecreate", "filestat", "filedelete"};

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string base_name(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

class FioImport {
  public:
    FioImport(Notes& notes, Load& load) : notes_(notes), load_(load) {}

    Result<void> add(const FioJob& job) {
        FSADVISE_TRY(check_keys(job));
        const std::string engine = job.text({"ioengine"}, "psync");
        if (one_of(engine, kByName)) return add_names(job, engine);
        FSADVISE_ASSIGN(FioAccess access, fio_access(job, notes_));
        Stream stream;
        FSADVISE_TRY(set_clients(job, engine, stream));
        stream.name = unique_name(job.name());
        stream.skew = access.skew;
        stream.sync = access.sync;
        FSADVISE_TRY(add_files(job, access, stream));
        stream.steps = steps_of(access.mix);
        if (stream.steps.empty()) return fail(ErrorCode::kBadInput, "the job transfers nothing", job.place());
        FSADVISE_TRY(set_fio_rate(job, access, stream, notes_));
        FSADVISE_TRY(phases_.add(job, stream));
        load_.streams.push_back(std::move(stream));
        return {};
    }

    void finish() { phases_.finish(load_, notes_); }

  private:
    Result<void> check_keys(const FioJob& job) {
        for (const IniEntry& entry : job.entries()) {
            const FioKeyUse use = fio_key_use(entry.key);
            if (use == FioKeyUse::kUsed || use == FioKeyUse::kHarmless) continue;
            const std::string what =
                use == FioKeyUse::kLost
                    ? fmt::format("{}={}: a load has no word for it", entry.key, entry.value)
                    : fmt::format("unknown key '{}'{}", printable(entry.key),
                                  did_you_mean(entry.key, fio_keys()));
            FSADVISE_TRY(notes_.lost(job.place(entry), what));
        }
        if (const auto* entry = job.find({"file_service_type"});
            entry != nullptr && entry->value != "sequential" && entry->value != "random") {
            notes_.add(fmt::format(
                "{}: {}={}: random steps take a file at random, sequential ones one after the other",
                job.place(*entry), entry->key, entry->value));
        }
        return {};
    }

    Result<void> set_clients(const FioJob& job, const std::string& engine, Stream& stream) {
        FSADVISE_ASSIGN(const auto jobs, job.number({"numjobs"}, 1));
        FSADVISE_ASSIGN(auto depth, job.number({"iodepth"}, 1));
        FSADVISE_ASSIGN(const bool buffered, job.flag({"buffered"}, true));
        FSADVISE_ASSIGN(stream.direct, job.flag({"direct"}, !buffered));
        if (jobs == 0 || jobs > 4096) return fail(ErrorCode::kBadInput, "numjobs is 1 to 4096", job.place());
        const bool asynchronous = one_of(engine, kAsynchronous);
        if (engine == "mmap") {
            notes_.add(
                fmt::format("{}: accesses by mmap are said as buffered reads and writes", job.place()));
        } else if (!asynchronous && !one_of(engine, kSynchronous)) {
            const auto* entry = job.find({"ioengine"});
            FSADVISE_TRY(
                notes_.lost(job.place(*entry), fmt::format("ioengine={} is none for files", engine)));
        }
        if (depth > 1 && (!asynchronous || (engine == "libaio" && !stream.direct))) {
            notes_.add(fmt::format("{}: iodepth={} has no effect with ioengine={}{}", job.place(), depth,
                                   engine, asynchronous ? " without direct=1" : ""));
            depth = 1;
        }
        std::tie(stream.threads, stream.depth) = spread_clients(jobs, depth);
        if (static_cast<std::uint64_t>(stream.threads) != jobs) {
            notes_.add(fmt::format("{}: {} jobs are {} threads of {} actors each: as many requests at a time",
                                   job.place(), jobs, stream.threads, stream.depth));
        }
        return {};
    }

    Result<void> set_file_size(const FioJob& job, std::uint64_t files, FileSet& set) {
        const auto* size = job.find({"size"});
        const auto* file = job.find({"filesize"});
        for (const auto* entry : {size, file}) {
            if (entry != nullptr && entry->value.ends_with('%')) {
                return fail(ErrorCode::kBadInput, entry->key + " is a share of a disk", job.place(*entry),
                            "write the size");
            }
        }
        if (file != nullptr) {
            const auto dash = file->value.find('-');
            FSADVISE_ASSIGN(set.size_bytes, job.size(*file, file->value.substr(0, dash)));
            if (dash != std::string::npos) {
                FSADVISE_ASSIGN(const auto high, job.size(*file, file->value.substr(dash + 1)));
                if (set.size_bytes == 0 || high < set.size_bytes) {
                    return fail(ErrorCode::kBadInput, "filesize is an empty range", job.place(*file));
                }
                set.size_min_bytes = set.size_bytes;
                set.size_max_bytes = high;
                // The mean of the log-uniform sizes.
                const auto least = static_cast<double>(set.size_bytes), most = static_cast<double>(high);
                if (high > set.size_bytes) {
                    set.size_bytes =
                        static_cast<std::uint64_t>(std::llround((most - least) / std::log(most / least)));
                }
                notes_.add(fmt::format("{}: sizes of files are log-uniform between the two, with fio uniform",
                                       job.place(*file)));
            }
        } else if (size != nullptr) {
            FSADVISE_ASSIGN(const auto all, job.size(*size, size->value));
            set.size_bytes = all / std::max<std::uint64_t>(files, 1);
        } else {
            return fail(ErrorCode::kBadInput, "the job has no size", job.place(), "add size= or filesize=");
        }
        if (set.size_bytes == 0) return fail(ErrorCode::kBadInput, "files of no size", job.place());
        return {};
    }

    Result<void> add_files(const FioJob& job, FioAccess& access, Stream& stream) {
        FSADVISE_ASSIGN(auto files, job.number({"nrfiles", "nr_files"}, 1));
        FSADVISE_ASSIGN(const auto jobs, job.number({"numjobs"}, 1));
        const std::string names = job.text({"filename"}, ""), format = job.text({"filename_format"}, "");
        // The same files for all jobs that name them; $jobnum and $jobname make them a job's own.
        const bool shared = !names.empty() || (!format.empty() && format.find("$job") == std::string::npos);
        if (!names.empty()) files = split(names, ':').size();
        if (files == 0 || files > 100'000'000)
            return fail(ErrorCode::kBadInput, "nrfiles is out of range", job.place());
        FileSet set;
        FSADVISE_TRY(set_file_size(job, files, set));
        set.files = shared ? files : files * jobs;
        FSADVISE_TRY(set_content(job, access, set));
        if (names.starts_with("/dev/") && !names.starts_with("/dev/shm/")) {
            notes_.add(
                fmt::format("{}: the job works on the device {}; here a file of its size stands for it",
                            job.place(), names));
        }
        std::string key = job.text({"directory"}, "") + "\n" + (shared ? names + format : std::string());
        if (!shared) key += "\n" + stream.name;
        const auto [found, fresh] = sets_.try_emplace(key, load_.file_sets.size());
        if (!fresh) {
            FileSet& known = load_.file_sets[found->second];
            if (known.size_bytes != set.size_bytes || known.files != set.files) {
                notes_.add(fmt::format(
                    "{}: the jobs give the shared files several sizes; the largest is taken", job.place()));
            }
            known.size_bytes = std::max(known.size_bytes, set.size_bytes);
            known.files = std::max(known.files, set.files);
            if (set.fill && !known.fill) {
                known.fill = true;
                overwrite_where_filled(known.name);
            }
            known.preallocate = known.preallocate && set.preallocate;
            stream.file_set = known.name;
            if (known.fill) access.mix.appends = false;
            return {};
        }
        std::string wanted = stream.name;
        if (!names.empty()) wanted = base_name(split(names, ':').front());
        if (names.empty() && shared) wanted = base_name(format.substr(0, format.find('$')));
        set.name = unique_set_name(wanted);
        stream.file_set = set.name;
        load_.file_sets.push_back(std::move(set));
        return {};
    }

    // fio lays the files of a job that reads them out before any job runs, so those that write them find
    // them.
    void overwrite_where_filled(const std::string& set) {
        for (Stream& stream : load_.streams) {
            if (stream.file_set != set) continue;
            for (Step& step : stream.steps) {
                if (step.operation != "append") continue;
                step.operation = "write";
                step.sequential = true;
            }
        }
    }

    // fio lays files out for reads; for writes alone it allocates them, and overwrite=1 fills them too.
    Result<void> set_content(const FioJob& job, FioAccess& access, FileSet& set) {
        FSADVISE_ASSIGN(const double compressible, job.real({"buffer_compress_percentage"}, 0));
        FSADVISE_ASSIGN(const bool zero, job.flag({"zero_buffers"}, false));
        FSADVISE_ASSIGN(const bool overwrite, job.flag({"overwrite"}, false));
        set.compressible = zero ? 1 : std::clamp(compressible / 100, 0.0, 1.0);
        if (access.reads || overwrite) return {};
        const std::string allocate = job.text({"fallocate"}, "native");
        set.preallocate = allocate != "none" && allocate != "0" && allocate != "truncate";
        if (access.random) {
            if (!set.preallocate)
                notes_.add(
                    fmt::format("{}: the files are filled before the run, with fio sparse", job.place()));
        } else {
            set.fill = false;
            access.mix.appends = true;
        }
        return {};
    }

    // Engines that only create, look at or delete files.
    Result<void> add_names(const FioJob& job, const std::string& engine) {
        FSADVISE_ASSIGN(const auto files, job.number({"nrfiles", "nr_files"}, 1));
        FSADVISE_ASSIGN(const auto jobs, job.number({"numjobs"}, 1));
        if (jobs == 0 || jobs > 4096 || files == 0 || files > 100'000'000) {
            return fail(ErrorCode::kBadInput, "numjobs or nrfiles is out of range", job.place());
        }
        Stream stream;
        stream.name = unique_name(job.name());
        std::tie(stream.threads, stream.depth) = spread_clients(jobs, 1);
        FileSet set;
        set.files = files * jobs;
        set.size_bytes = 4096;
        if (job.find({"size", "filesize"}) != nullptr) {
            FSADVISE_TRY(set_file_size(job, files, set));
        }
        set.name = stream.file_set = unique_set_name(stream.name);
        set.fill = engine == "filestat";
        const auto step = [&](const char* operation) {
            Step added;
            added.operation = operation;
            stream.steps.push_back(added);
        };
        if (engine == "filestat") {
            step("stat");
        } else {
            step("create");
            step("unlink");
            notes_.add(fmt::format(
                "{}: {} is said as creating and removing files, so that their number stays level; "
                "created files are written, with fio they are empty",
                job.place(), engine));
        }
        FSADVISE_TRY(phases_.add(job, stream));
        load_.file_sets.push_back(std::move(set));
        load_.streams.push_back(std::move(stream));
        return {};
    }

    std::string unique(std::string wanted, const char* fallback, std::map<std::string, int>& taken) {
        wanted = plain_name(wanted, fallback);
        const int count = ++taken[wanted];
        if (count == 1) return wanted;
        return unique(fmt::format("{}-{}", wanted, count), fallback, taken);
    }
    std::string unique_name(const std::string& wanted) { return unique(wanted, "job", unique_names_); }
    std::string unique_set_name(const std::string& wanted) { return unique(wanted, "data", unique_sets_); }

    Notes& notes_;
    Load& load_;
    std::map<std::string, std::size_t> sets_;
    std::map<std::string, int> unique_names_, unique_sets_;
    FioPhases phases_;
};

}  // namespace

bool writes_without_flush(const Load& load) {
    return std::any_of(load.streams.begin(), load.streams.end(), [](const Stream& stream) {
        bool writes = false, syncs = stream.sync != SyncPolicy::kNone;
        for (const Step& step : stream.steps) {
            writes = writes || step.operation == "write" || step.operation == "append" ||
                     step.operation == "create";
            syncs = syncs || step.operation == "fsync" || step.operation == "fdatasync";
        }
        return stream.counts && !stream.direct && writes && !syncs;
    });
}

Result<WorkloadDocument> import_fio(const std::string& path, const ImportOptions& options) {
    FSADVISE_ASSIGN(const FioText text, read_fio_text(path));
    FSADVISE_ASSIGN(const auto jobs, read_fio_jobs(text));
    WorkloadDocument document;
    Notes notes(options.lenient);
    FioImport import(notes, document.load);
    std::vector<std::string> names;
    for (const FioJob& job : jobs) {
        names.push_back(job.name());
        if (options.section.empty() || options.section == job.name()) FSADVISE_TRY(import.add(job));
    }
    if (document.load.streams.empty()) {
        return fail(ErrorCode::kUsage,
                    "no job is named '" + options.section + "'" + did_you_mean(options.section, names),
                    "--section", "jobs: " + join(names, ", "));
    }
    import.finish();
    document.load.flush_in_window = writes_without_flush(document.load);
    document.notes = notes.take();
    document.summary = fmt::format("{} job{} of a fio job file.", document.load.streams.size(),
                                   document.load.streams.size() == 1 ? "" : "s");
    return document;
}

}  // namespace fsadvise::tuner
