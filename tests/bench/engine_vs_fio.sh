#!/bin/sh
# Compares our engine with fio on the same file of the same mount, alternating, and prints ratios with intervals.
# Needs root (loop device, mount), fio and python3. Buffered jobs of depth 1 run against fio's psync engine, which is
# the cheaper one there; all others against its io_uring engine.
#
# On a loop device of a small virtual machine the rates of direct I/O depend on which processor its worker thread
# happens to run, for either program. PLACEMENT decides it: "together" keeps program and kernel workers on processor 0,
# "apart" the program on 0 and the workers on 1 (the mask of all unbound kernel workers; it is put back). MEDIUM=zram
# takes a fresh zram device instead, which works in the thread of the caller: no other thread at all. RIVAL=fio runs
# fio in place of our engine too: what the method shows where there is no difference.
#
# usage: engine_vs_fio.sh BENCH_BINARY [FILESYSTEM [REPEATS [SECONDS [JOB...]]]]
set -eu
bench=$1
filesystem=${2:-ext4}
repeats=${3:-6}
seconds=${4:-1}
[ $# -ge 4 ] && shift 4 || shift $#
size_mib=${SIZE_MIB:-512}
milliseconds=$(awk "BEGIN { printf \"%d\", $seconds * 1000 }")  # fio takes whole numbers

[ "$(id -u)" = 0 ] || { echo "SKIPPED: root is needed for the loop device"; exit 0; }
command -v fio > /dev/null || { echo "SKIPPED: fio is not installed"; exit 0; }

work=$(mktemp -d /dev/shm/engine-vs-fio.XXXXXX)
mounted=
zram=
mask=/sys/devices/virtual/workqueue/cpumask
saved_mask=
pin=
cleanup() {
    [ -z "$saved_mask" ] || echo "$saved_mask" > "$mask"
    [ -z "$mounted" ] || umount "$work/mount"
    [ -z "$zram" ] || echo "$zram" > /sys/class/zram-control/hot_remove
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
mkdir "$work/mount"
if [ "${MEDIUM:-loop}" = zram ]; then
    [ -r /sys/class/zram-control/hot_add ] || { echo "SKIPPED: this kernel has no zram"; exit 0; }
    zram=$(cat /sys/class/zram-control/hot_add)
    echo $((size_mib + 512))M > "/sys/block/zram$zram/disksize"
    device=/dev/zram$zram
    options=noatime
else
    device=$work/image
    truncate -s $((size_mib + 512))M "$device"
    options=loop,noatime
fi
"mkfs.$filesystem" -q "$device"
mount -o "$options" "$device" "$work/mount"
mounted=1
mkdir "$work/mount/area"

case ${PLACEMENT:-free} in
    free) ;;
    together | apart)
        [ -w "$mask" ] && [ "$(nproc)" -ge 2 ] || { echo "SKIPPED: kernel workers cannot be placed here"; exit 0; }
        saved_mask=$(cat "$mask")
        pin="taskset -c 0"
        if [ "$PLACEMENT" = apart ]; then echo 2 > "$mask"; else echo 1 > "$mask"; fi
        ;;
    *) echo "PLACEMENT is free, together or apart" >&2; exit 2 ;;
esac

# The fio side of the jobs in engine_vs_fio.cpp.
fio_arguments() {
    case $1 in
        randread-*) echo "--rw=randread --norandommap" ;;
        randwrite-*) echo "--rw=randwrite --norandommap" ;;
        read-*) echo "--rw=read" ;;
        write-*) echo "--rw=write" ;;
    esac
    case $1 in *-4k-*) echo "--bs=4k" ;; *) echo "--bs=2m" ;; esac
    case $1 in *-direct-*) echo "--direct=1" ;; *) echo "--direct=0" ;; esac
    case $1 in *-fdatasync-*) echo "--fdatasync=1" ;; esac
    case $1 in
        *-direct-fdatasync-qd1) echo "--ioengine=psync" ;;
        *-direct-*) echo "--ioengine=io_uring" ;;
        *-qd1) echo "--ioengine=psync" ;;
        *) echo "--ioengine=io_uring" ;;
    esac
    echo "--iodepth=${1##*-qd}"
}

# fio reports the CPU of its own thread only. Where io_uring hands the work to kernel threads (buffered, depth above
# 1) take the CPU of the whole process, less that of a run of no length.
fio_process_cpu() {
    python3 - "$@" << 'PYTHON'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime)
PYTHON
}

run_fio() {
    # shellcheck disable=SC2046
    set -- "$1" --name=job --filename="$work/mount/area/data/f00000000" --size="${size_mib}m" --time_based \
        --invalidate=0 --randrepeat=0 --output-format=json $(fio_arguments "$1")
    job=$1
    shift
    total=0
    idle=0
    case $job in
        *-buffered-qd[2-9] | *-buffered-qd[1-9][0-9])
            idle=$(fio_process_cpu $pin fio "$@" --runtime=1ms --output="$work/idle.json")
            total=$(fio_process_cpu $pin fio "$@" --runtime="${milliseconds}ms" --output="$work/fio.json")
            ;;
        *) $pin fio "$@" --runtime="${milliseconds}ms" --ramp_time=200ms --output="$work/fio.json" > /dev/null ;;
    esac
    python3 - "$work/fio.json" "$total" "$idle" << 'PYTHON'
import json, sys
total, idle = float(sys.argv[2]), float(sys.argv[3])
job = json.load(open(sys.argv[1]))["jobs"][0]
assert job["error"] == 0, job["error"]
operations = job["read"]["total_ios"] + job["write"]["total_ios"]
rate = job["read"]["iops"] + job["write"]["iops"]
cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100
if total > 0:
    cpu = (total - idle) / (job["job_runtime"] / 1000)
print(f"{rate:.1f} {cpu / rate * 1e6:.4f}")
PYTHON
}
run_ours() {
    if [ "${RIVAL:-}" = fio ]; then run_fio "$1"; return; fi
    $pin "$bench" run "$work/mount/area" "$1" "$size_mib" "$seconds" "$2"
}

[ $# -gt 0 ] || set -- $("$bench" jobs)
"$bench" layout "$work/mount/area" randread-4k-direct-qd1 "$size_mib"
for job in "$@"; do
    for repeat in $(seq "$repeats"); do
        if [ $((repeat % 2)) = 0 ]; then
            ours=$(run_ours "$job" "$repeat")
            fio=$(run_fio "$job")
        else
            fio=$(run_fio "$job")
            ours=$(run_ours "$job" "$repeat")
        fi
        echo "$job ${ours% *} ${fio% *} ${ours#* } ${fio#* }" >> "$work/figures"
    done
done
echo "${RIVAL:-engine} against fio $(fio --version), $filesystem on ${MEDIUM:-loop} in RAM, placement ${PLACEMENT:-free}," \
    "kernel $(uname -r), $(nproc) cores, $seconds s a run"
"$bench" summary < "$work/figures"
