#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   scripts/check-release.sh [FOLDER]     leaves the release in FOLDER
#
# Checks that releases are reproducible. Makes the release of the present commit twice, from clones in folders with different names and
# with different umask, time zone, language and number of processes. All files must be identical: source archive, Debian's source and
# binary packages, the tarball that runs without installation, and SHA256SUMS. Takes about five minutes on an idle machine. Needs git,
# dpkg-dev, debhelper and the packages that building needs.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "${1:-.}" && cd "${1:-.}" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# make_release CLONE ENVIRONMENT...: makes the release in a new clone in the folder CLONE, with these environment variables.
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
diff -r "$work/one/build/release" "$work/another/build/release" || {
    echo "$0: the second release differs from the first" >&2
    exit 1
}
cp "$work"/one/build/release/* "$folder"
(cd "$folder" && sha256sum -c SHA256SUMS)

version=$("$root/scripts/check-version.sh")
for package in sysrate sysrate-serve; do
    dpkg-deb -f "$folder/$package"_"$version"-*.deb Version | grep -q "^$version-"
done
mkdir "$work/unpacked"
tar -C "$work/unpacked" --strip-components=1 -xzf "$folder/sysrate-$version-linux-$(uname -m).tar.gz"
"$work/unpacked/bin/sysrate" --version | grep -qx "sysrate $version"
"$work/unpacked/bin/sysrate" serve --version | grep -qx "sysrate-serve $version"
echo "sysrate $version: built twice, identical: $(wc -l <"$folder/SHA256SUMS") files"
