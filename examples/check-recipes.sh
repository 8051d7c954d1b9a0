#!/bin/sh
# Checks recipes from the web: four of the six do not mount on a 6.x kernel. Exit status 1 says so to scripts.
set -eu
fsadvise=${FSADVISE:-$(dirname "$0")/../fsadvise}
status=0
"$fsadvise" check "$(dirname "$0")/recipes.sh" || status=$?
[ "$status" = 1 ] || { echo "expected findings (exit status 1), got $status" >&2; exit 1; }
