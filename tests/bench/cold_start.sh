#!/bin/sh
# Wall time and peak memory of `fsadvise --workload postgres --cores 4`; a benchmark, not a test.
# usage: cold_start.sh [BINARY] [RUNS]
set -eu
binary=${1:-$(dirname "$0")/../../build/release/fsadvise}
runs=${2:-21}
python3 - "$binary" "$runs" <<'PYTHON'
import os, resource, statistics, subprocess, sys, time
binary, runs = sys.argv[1], int(sys.argv[2])
walls, peaks = [], []
for _ in range(runs):
    start = time.perf_counter()
    child = subprocess.Popen([binary, "--workload", "postgres", "--cores", "4"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    walls.append((time.perf_counter() - start) * 1e3)
    peaks.append(usage.ru_maxrss / 1024)
    if status != 0:
        sys.exit(f"exit status {status}")
walls.sort()
print(f"{runs} runs: wall median {statistics.median(walls):.1f} ms "
      f"(min {walls[0]:.1f}, max {walls[-1]:.1f}), peak memory {max(peaks):.1f} MiB")
PYTHON
