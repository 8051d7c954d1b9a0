#include "tuner/apply/record.h"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

namespace fsadvise::tuner {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestRecord = 16u << 20;

// Edits of an earlier run of the same plan: undoing goes back to before all of them.
Json earlier_edits(const std::string& path) {
    const auto text = read_if_there(path);
    if (!text || !*text) return Json::array();
    const Json document = Json::parse(**text, nullptr, false);
    return document.is_object() && document.contains("edits") ? document.at("edits") : Json::array();
}

}  // namespace

Result<Record> Record::begin(std::string path, const Plan& plan) {
    std::error_code error;
    const auto folder = std::filesystem::absolute(path).parent_path();
    std::filesystem::create_directories(folder, error);
    Json document = to_json(plan);
    document["edits"] = earlier_edits(path);
    document["progress"] = {{"step", ""}, {"number", 0}, {"of", plan.steps.size()}, {"state", "planned"}};
    if (plan.wish.format_begun)
        document["progress"] = {{"step", to_text(PlanStepKind::kFormat)},
                                {"number", 1},
                                {"of", plan.steps.size()},
                                {"state", "begun"}};
    sweep_temporaries(path);
    Record record(std::move(path), std::move(document));
    if (auto written = record.write(); !written) {
        Error problem = written.error();
        problem.code = ErrorCode::kUnavailable;
        problem.hint = "nothing was changed; make room, or choose another --state-dir";
        return tl::unexpected(std::move(problem));
    }
    return record;
}

Result<void> Record::tell(const PlanStep& step, std::size_t number, std::string_view state) {
    document_["progress"]["step"] = to_text(step.kind);
    document_["progress"]["number"] = number;
    document_["progress"]["state"] = state;
    return write();
}

Result<void> Record::add(const FileEdit& edit) {
    Json item = {{"file", edit.path}, {"backup", edit.backup}, {"after_digest", edit.after_digest}};
    Json& edits = document_["edits"];
    for (Json& earlier : edits) {
        if (earlier.at("file") != edit.path) continue;
        // Two edits of ours in a row are one: undoing goes back to before both.
        if (earlier.at("after_digest") == edit.before_digest) item["backup"] = earlier.at("backup");
        earlier = std::move(item);
        return write();
    }
    edits.push_back(std::move(item));
    return write();
}

Result<void> Record::finish() {
    document_["progress"]["state"] = "complete";
    return write();
}

Result<void> Record::write() const {
    return write_file_atomically(path_, document_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<std::vector<Undo>> undo_of_record(const std::string& record) {
    FSADVISE_ASSIGN(const std::string text, read_file(record, kLargestRecord));
    const Json document = Json::parse(text, nullptr, false);
    std::vector<Undo> undos;
    try {
        if (document.is_discarded() || document.value("kind", "") != "apply-plan" ||
            !document.contains("edits")) {
            return fail(ErrorCode::kBadInput, "is no record of an apply that was carried out", record,
                        "records are kept in --state-dir, one a filesystem; apply names its own at the end");
        }
        const Json& edits = document.at("edits");
        for (auto item = edits.rbegin(); item != edits.rend(); ++item) {
            const FileEdit edit{item->at("file").get<std::string>(), item->at("backup").get<std::string>(),
                                item->at("after_digest").get<std::string>()};
            FSADVISE_ASSIGN(Undo undo, plan_undo(edit));
            undos.push_back(std::move(undo));
        }
    } catch (const Json::exception& error) {
        return fail(ErrorCode::kBadInput, error.what(), record);
    }
    return undos;
}

bool format_was_begun(const Knowledge& knowledge, const std::string& folder, const DiskIdentity& disk) {
    std::error_code error;
    std::filesystem::file_time_type newest = std::filesystem::file_time_type::min();
    bool begun = false;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".json") continue;
        const auto text = read_file(entry.path(), kLargestRecord);
        if (!text) continue;
        const auto stored =
            stored_plan_from_json(knowledge, Json::parse(*text, nullptr, false), entry.path().string());
        if (!stored || !difference(stored->disk, disk).empty()) continue;
        const auto written = entry.last_write_time(error);
        if (written < newest) continue;
        newest = written;
        begun = stored->format_begun;
    }
    return begun;
}

std::string record_file(const std::string& folder, const std::string& uuid) {
    return folder + "/" + uuid + ".json";
}

Result<Fd> lock_records(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    auto lock = Fd::open(folder + "/lock", O_RDWR | O_CREAT, 0644);
    if (!lock) {
        return fail(ErrorCode::kUnavailable, lock.error().message, folder,
                    "nothing was changed; name a writable folder with --state-dir");
    }
    if (::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
        return fail(ErrorCode::kUnavailable, "another fsadvise is applying something", folder + "/lock",
                    "wait for it to end");
    }
    return std::move(*lock);
}

}  // namespace fsadvise::tuner
