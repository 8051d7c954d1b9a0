// What a study must remember to be resumed and read: request, target, budget, load, knowledge, anchor.
#pragma once

#include "space/request_json.h"
#include "tuner/executor/tune.h"
#include "tuner/study/study.h"

namespace fsadvise::tuner {

struct StudyFacts {
    Request request;
    TuneOptions options;  // target, budget, seed ... as given at the start
    Configuration anchor;
    std::string knowledge_digest;
    std::string load;  // JSON
    double scale = 1;
    double trial_seconds = 0;
    std::string stands_for, medium;
    std::int64_t elapsed_ns = 0;  // over all sittings
};

Result<void> write_facts(Study& study, const StudyFacts& facts);
Result<void> write_elapsed(Study& study, std::int64_t elapsed_ns);
Result<StudyFacts> read_facts(const Study& study, const Knowledge& knowledge);

}  // namespace fsadvise::tuner
