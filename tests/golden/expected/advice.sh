#!/bin/sh
# PostgreSQL on XFS, advised by fsadvise (knowledge 0123456789abcdef)
# An existing filesystem, partition table or mount is never touched: the script stops instead.
# usage: DEVICE=/dev/disk/by-id/... sh this-script
set -eu

DEVICE=${DEVICE:?name the empty disk or partition to format}
DIRECTORY=${DIRECTORY:-'/srv/my data'}

fail() { echo "$0: $1" >&2; exit 1; }
[ -b "$DEVICE" ] || fail "$DEVICE is not a block device"
command -v mkfs.xfs >/dev/null || fail "mkfs.xfs is missing: install xfsprogs"
case $DIRECTORY in /*) ;; *) fail "DIRECTORY must be an absolute path" ;; esac
while [ "$DIRECTORY" != / ] && [ "$DIRECTORY" != "${DIRECTORY%/}" ]; do DIRECTORY=${DIRECTORY%/}; done
if [ -d "$DIRECTORY" ] && [ -n "$(ls -A "$DIRECTORY")" ]; then
    fail "$DIRECTORY is not empty: a mount would hide its files; move them away first"
fi
# fstab writes blanks and backslashes in octal.
field=$(printf '%s' "$DIRECTORY" | sed 's/\\/\\134/g; s/ /\\040/g; s/	/\\011/g')
touch /etc/fstab
if sed 's/#.*//; s/^[[:space:]]*//' /etc/fstab | tr -s '[:blank:]' ' ' | cut -d ' ' -f 2 | sed 's,/*$,,' |
    grep -qxF -e "$field"; then
    fail "$DIRECTORY is in /etc/fstab already"
fi
signature=$(wipefs --no-act --parsable "$DEVICE") || fail "cannot read $DEVICE (root is needed)"
[ -z "$signature" ] || fail "$DEVICE carries a signature, nothing was touched: $signature"
if lsblk --noheadings --output MOUNTPOINTS "$DEVICE" | grep -q '[^[:space:]]'; then
    fail "$DEVICE is in use"
fi

# why: It won the benchmark. [R-X-001]
# -d agcount=8: More writers than groups; it's "enough". [R-X-002]
# noatime: Nobody asks for read times. [R-X-003]
# warning: Watch the log size.
mkfs.xfs -d agcount=8 "$DEVICE"

uuid=$(blkid -p -s UUID -o value "$DEVICE")
[ -n "$uuid" ] || fail "no UUID found on $DEVICE after formatting"
mkdir -p "$DIRECTORY"
# A last line without newline must not be glued to ours.
if [ -n "$(tail -c 1 /etc/fstab)" ]; then echo >>/etc/fstab; fi
printf 'UUID=%s %s xfs noatime,nofail 0 0\n' "$uuid" "$field" >>/etc/fstab
mount "$DIRECTORY"
findmnt --target "$DIRECTORY" --output SOURCE,FSTYPE,OPTIONS
