#!/bin/sh
# Scores of the searches on tables, Optuna's among them: search_score.sh BUILD_DIRECTORY SEEDS [TABLE...]
# Without tables generated ones are used. Lines of all runs stay in ./search-score for another summary.
set -eu
build=$1 seeds=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p search-score
if [ $# -eq 0 ]; then
    "$build/tests/bench_search_score" generate search-score
    set -- search-score/family*.jsonl
fi
"$build/tests/bench_search_score" run --seeds "$seeds" "$@" > search-score/ours.out
for table in "$@"; do
    "$source/examples/optuna_study.py" "$table" --seeds "$seeds" --fsadvise "$build/fsadvise"
done > search-score/optuna.out
"$build/tests/bench_search_score" summary search-score/ours.out search-score/optuna.out
