# shellcheck shell=sh disable=SC2034,SC2154 # variables are the interface with the two scripts that source it
# Shared by ./fsadvise and ./test: installs Debian packages that are missing. Sourced, POSIX sh.
# Needs: $root, the source folder.

build_packages="g++ cmake ninja-build pkg-config libboost-dev libboost-graph-dev libeigen3-dev nlohmann-json3-dev libyaml-cpp-dev
liburing-dev libcli11-dev libfmt-dev libspdlog-dev libexpected-dev libblkid-dev libmount-dev libsqlite3-dev zlib1g-dev"
tool_packages="e2fsprogs xfsprogs btrfs-progs f2fs-tools mount util-linux fdisk"
test_packages="doctest-dev libvalijson-dev shellcheck python3 python3-yaml procps postgresql dbench git make chromium"

say() { echo "fsadvise setup: $*" >&2; }

# install_packages NAME...: installs those that dpkg does not know as installed.
install_packages() {
    missing=
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null; then
        say "these Debian packages are needed:$missing (no apt-get here: install their equivalents by hand)"
        exit 4
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "these packages are missing and root is needed to install them:$missing"
            say "run as root: apt-get install$missing"
            exit 4
        fi
        as_root=sudo
    fi
    say "installing$missing"
    log=$(mktemp)
    # shellcheck disable=SC2086 # a list of package names
    if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        say "apt-get failed; the whole output is in $log"
        exit 4
    fi
    rm -f "$log"
}

# build PRESET TARGET...: configures and builds quietly; on failure shows the end of the log.
build() {
    preset=$1
    shift
    folder=$root/build/$preset
    mkdir -p "$folder"
    say "building ($preset); the log is in $folder/build.log"
    if ! { (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" -- "$@"); } >"$folder/build.log" 2>&1; then
        grep -n -E 'error|FAILED' "$folder/build.log" | head -n 20 >&2
        tail -n 10 "$folder/build.log" >&2
        say "the build failed; see $folder/build.log"
        exit 5
    fi
}
