#!/bin/sh
# Rows a second of fsadvise check --batch, over the recorded trials repeated until there are 20,000 rows.
# Usage: batch_rate.sh [FSADVISE] [ROWS]
set -eu
program=${1:-build/fsadvise}
rows=${2:-20000}
here=$(cd "$(dirname "$0")" && pwd)
input=$(mktemp)
trap 'rm -f "$input"' EXIT INT TERM
while [ "$(wc -l <"$input")" -lt "$rows" ]; do
    cat "$here"/../knowledge/data/oracle_options.jsonl "$here"/../knowledge/data/oracle_remount.jsonl >>"$input"
done
count=$(wc -l <"$input")
start=$(date +%s%N)
"$program" check --batch "$input" --distro debian12 --kernel 6.18 >/dev/null
end=$(date +%s%N)
echo "$count rows in $(((end - start) / 1000000)) ms: $((count * 1000000000 / (end - start))) rows/s"
