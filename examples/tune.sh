#!/bin/sh
# A short study on a loop file in RAM: shows the flow, not your disk. Needs root. Give a file on the disk in question
# (and ten minutes or more) for figures that mean something.
set -eu
fsadvise=${FSADVISE:-$(dirname "$0")/../fsadvise}
folder=$(mktemp -d /dev/shm/fsadvise-example-XXXXXX)
trap 'rm -rf "$folder"' EXIT
"$fsadvise" tune --workload web-static --scratch-file "$folder/scratch" --size 1300M --trials "${TRIALS:-6}" \
    --confirm "${CONFIRM:-6}" --trial-seconds 1 --study "$folder/study.sqlite"
"$fsadvise" report "$folder/study.sqlite"
