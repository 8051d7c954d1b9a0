#!/bin/sh
# Lines a second of check on a 10,000-line fstab and a 5,000-line script, and the time of one advice.
# Usage: lint_rate.sh [FSADVISE]; the program's start is measured apart and taken off.
set -eu
fsadvise=${1:-fsadvise}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

awk 'BEGIN {
    split("ext4 xfs btrfs", type, " ")
    split("noatime,commit=30 noatime,logbsize=256k,nobarrier compress=zstd:3,noatime,space_cache=v2", option, " ")
    for (i = 0; i < 10000; ++i)
        printf "UUID=%08d /srv/%d %s %s 0 %d\n", i, i, type[i % 3 + 1], option[i % 3 + 1], i % 3 ? 0 : 2
}' >"$folder/fstab"
awk 'BEGIN {
    print "#!/bin/sh"
    for (i = 0; i < 2500; ++i) {
        if (i % 2) printf "mkfs.xfs -f -d agcount=8 -m reflink=1 /dev/x%d\nmount -t xfs -o noatime,logbsize=256k /dev/x%d /srv/%d\n", i, i, i
        else printf "mkfs.ext4 -q -E lazy_itable_init=0 /dev/x%d\nmount -o noatime,data=writeback /dev/x%d /srv/%d\n", i, i, i
    }
}' >"$folder/script.sh"
: >"$folder/empty.sh"

seconds() { # of a command, from the monotonic clock
    start=$(cut -d' ' -f1 /proc/uptime)
    "$@" >/dev/null 2>&1 || [ $? -eq 1 ]
    end=$(cut -d' ' -f1 /proc/uptime)
    awk -v a="$start" -v b="$end" 'BEGIN { print b - a }'
}
best() { # of five
    for _ in 1 2 3 4 5; do seconds "$@"; done | sort -n | head -1
}
repeat() { # COUNT COMMAND...: in one process group, so that the clock of /proc/uptime is fine enough
    count=$1
    shift
    while [ "$count" -gt 0 ]; do
        "$@" >/dev/null 2>&1 || [ $? -eq 1 ]
        count=$((count - 1))
    done
}

base=$(best repeat 20 "$fsadvise" check --kernel 6.1 "$folder/empty.sh")
table=$(best "$fsadvise" check --kernel 6.1 --json "$folder/fstab")
script=$(best "$fsadvise" check --kernel 6.1 --json "$folder/script.sh")
advice=$(best repeat 20 "$fsadvise" recommend --workload postgres --kernel 6.1 --cores 4 --json)
awk -v base="$base" -v table="$table" -v script="$script" -v advice="$advice" 'BEGIN {
    start = base / 20
    printf "start with loading the knowledge: %.1f ms\n", 1000 * start
    printf "fstab of 10000 lines: %.2f s, %.0f lines/s\n", table, 10000 / (table - start > 0.01 ? table - start : 0.01)
    printf "script of 5001 lines: %.2f s, %.0f lines/s\n", script, 5001 / (script - start > 0.01 ? script - start : 0.01)
    printf "one advice after loading: %.1f ms\n", 1000 * (advice - base) / 20
}'
