#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   scripts/check-release.sh [FOLDER]     leaves the archive and SHA256SUMS in FOLDER
#
# Makes the release of what is committed twice, from two clones in folders of different names, with another mask, time zone, language
# and number of processes: both must be the same to the last byte. Then builds what is in the archive and looks at its version.
# About three minutes. Needs git and what building needs.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "${1:-.}" && cd "${1:-.}" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# make_release CLONE ENVIRONMENT...: in a clone of its own.
make_release() {
    local clone=$1
    shift
    git clone -q --no-hardlinks "$root" "$work/$clone"
    (cd "$work/$clone" && autoreconf -fi && mkdir build && cd build && ../configure && env "$@" make release) \
        >"$work/$clone.log" 2>&1 || {
        tail -n 30 "$work/$clone.log" >&2
        echo "$0: make release failed" >&2
        exit 1
    }
}

(umask 022 && make_release one TZ=UTC LC_ALL=C)
sleep 1
(umask 077 && make_release another TZ=Pacific/Chatham LC_ALL=C.UTF-8 MAKEFLAGS=-j2)
cmp "$work"/one/build/sysrate-*.tar.gz "$work"/another/build/sysrate-*.tar.gz
cmp "$work/one/build/SHA256SUMS" "$work/another/build/SHA256SUMS"
cp "$work"/one/build/sysrate-*.tar.gz "$work/one/build/SHA256SUMS" "$folder"
(cd "$folder" && sha256sum -c SHA256SUMS)

mkdir "$work/unpacked"
tar -C "$work/unpacked" -xzf "$work"/one/build/sysrate-*.tar.gz
cd "$work"/unpacked/sysrate-*
(./configure && make -j "$(nproc)") >"$work/unpacked.log" 2>&1 || {
    tail -n 30 "$work/unpacked.log" >&2
    echo "$0: the archive does not build" >&2
    exit 1
}
version=$("$root/scripts/check-version.sh")
src/sysrate --version | grep -qx "sysrate $version"
echo "sysrate $version: built twice, identical; what is in the archive builds"
