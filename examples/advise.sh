#!/bin/sh
# Advice for this machine, for a described one, and as JSON for other programs. Touches nothing.
set -eu
fsadvise=${FSADVISE:-$(dirname "$0")/../fsadvise}
"$fsadvise" --workload postgres --cores 4
"$fsadvise" --workload build-farm --distro rhel9 --size 2T --media nvme --cores 32 --require reflink
"$fsadvise" --workload backup --require snapshots,compression --size 8T --media hdd --json |
    python3 -c 'import json, sys; print("backup on:", json.load(sys.stdin)["ranked"][0]["filesystem"])'
