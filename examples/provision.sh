#!/bin/sh
# Writes the script that a provisioning hook would run on a new machine. It formats nothing by itself: the device is
# given as DEVICE=... and refused if it carries anything.
set -eu
fsadvise=${FSADVISE:-$(dirname "$0")/../fsadvise}
"$fsadvise" --workload mysql --distro debian12 --size 500G --media cloud --format shell
