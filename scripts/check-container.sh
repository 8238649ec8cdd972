#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   scripts/check-container.sh [FOLDER]     leaves the image as an archive (OCI) in FOLDER
#
# Builds the image of the Containerfile from the commit that is checked out, and tests it: its user, its size, and a run on SQLite. The
# base image is made by debootstrap, so that no image registry is needed; BASE=IMAGE in the environment chooses another base. Needs
# root, buildah with the packages that it recommends, debootstrap and git. Takes some minutes.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
# buildah keeps all files in this folder and needs no daemon. Therefore the script also works inside a container.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
storage=(--root "$work/storage" --runroot "$work/runroot")
limit_mb=120
container=
cleanup() {
    [ -z "$container" ] || buildah "${storage[@]}" rm "$container" >/dev/null
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say() {
    printf '\n== %s\n' "$*"
}

# quiet COMMAND...: prints the output of the command only if it fails.
quiet() {
    "$@" >"$work/log" 2>&1 || {
        tail -n 60 "$work/log" >&2
        echo "$0: failed: $*" >&2
        exit 1
    }
}

# Makes an image of a minimal Debian with debootstrap.
make_base() {
    local mirror suite base
    # shellcheck disable=SC2016,SC1091  # apt expands these
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v suite="$suite" '$3 == "main" && $2 == suite { print $1; exit }')
    quiet debootstrap --variant=minbase "$suite" "$work/debian" "$mirror"
    rm -rf "$work"/debian/var/cache/apt/* "$work"/debian/var/lib/apt/lists/* "$work"/debian/usr/share/{doc,man,locale}/*
    apt-config dump --format '%f "%v";%n' | grep -i '^acquire::.*proxy' >"$work/debian/etc/apt/apt.conf.d/90proxy" || true
    base=$(buildah "${storage[@]}" from scratch)
    quiet buildah "${storage[@]}" add "$base" "$work/debian" /
    quiet buildah "${storage[@]}" config --cmd /bin/bash "$base"
    quiet buildah "${storage[@]}" commit "$base" localhost/debian:base
    quiet buildah "${storage[@]}" rm "$base"
    rm -rf --one-file-system "$work/debian"
}

if [ -z "${BASE-}" ]; then
    say 'A base'
    make_base
    BASE=localhost/debian:base
fi

say 'buildah build'
git clone -q --no-hardlinks "$root" "$work/source"
quiet buildah "${storage[@]}" build --network host --build-arg "BASE=$BASE" --tag localhost/sysrate "$work/source"

say 'What is in it'
failed=0
check() {
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        sed 's/^/#   /' "$work/log"
        failed=1
    fi
}
container=$(buildah "${storage[@]}" from --pull-never localhost/sysrate)
inside() {
    buildah "${storage[@]}" run "$container" -- "$@"
}
measures_sqlite() {
    inside sysrate oltp_read_only --db-driver=sqlite --table-size=1000 prepare &&
        inside sysrate oltp_read_only --db-driver=sqlite --table-size=1000 --tx-rate=50 --time=2 --json=run.json run &&
        inside sh -c 'grep -q "\"offered\":[1-9]" run.json'
}
check "not root" test "$(buildah "${storage[@]}" inspect --type image --format '{{.OCIv1.Config.User}}' localhost/sysrate)" = 10001:10001
check "not root inside" test "$(inside id -u)" = 10001
check "the program is its entry" sh -c "buildah ${storage[*]} inspect --type image --format '{{.OCIv1.Config.Entrypoint}}' localhost/sysrate | grep -q /usr/bin/sysrate"
check "its version" inside sysrate --version
check "the service" inside sysrate serve --version
check "no compiler inside" inside sh -c '! command -v gcc && ! command -v make'
check "it cannot write to what it is made of" inside sh -c '! touch /usr/bin/sysrate 2>/dev/null && ! test -w /etc'
check "a run on SQLite" measures_sqlite
buildah "${storage[@]}" push -q localhost/sysrate "oci-archive:$work/sysrate.oci.tar"
mb=$(($(stat -c %s "$work/sysrate.oci.tar") / 1000000))
check "$mb MB compressed, base included (at most $limit_mb)" test "$mb" -lt "$limit_mb"
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cp "$work/sysrate.oci.tar" "$1/sysrate-$("$root/scripts/check-version.sh")-$(uname -m).oci.tar"
fi
exit "$failed"
