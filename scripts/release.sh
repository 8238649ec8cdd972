#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Called by `make release` in the build folder: release.sh NAME-VERSION [all]. Packs the folder NAME-VERSION, which `make distdir` has
# made, into NAME-VERSION.tar.gz and writes SHA256SUMS. With "all" the script writes these files to the folder release/, and also builds
# there Debian's source and binary packages and, from the same build, the tarball that runs without installation.
#
# Releases are reproducible: the same source gives the same bytes. Order, owners, modes and times of the files are fixed, and compiled
# files do not contain paths. The time of the files is SOURCE_DATE_EPOCH; if this is not set, it is the time of the commit, or of
# CHANGELOG.md if there is no git repository. Packages have the time of debian/changelog.
set -eu

name=${1:?usage: release.sh NAME-VERSION [all]}
what=${2-}
here=$PWD
source=$(cd "$(dirname "$0")/.." && pwd)

"$source/scripts/check-version.sh" >/dev/null
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/CHANGELOG.md")}

LC_ALL=C tar --format=ustar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode='u+rw,go=rX' \
    -cf "$name.tar" "$name"
gzip -9nf "$name.tar"
rm -rf "$name"
if [ "$what" != all ]; then
    sha256sum "$name.tar.gz" >SHA256SUMS
    cat SHA256SUMS
    exit
fi

for program in dpkg-buildpackage dh; do
    command -v "$program" >/dev/null || {
        echo "$0: missing: $program (apt-get install dpkg-dev debhelper)" >&2
        exit 1
    }
done

# dpkg-buildpackage writes its results next to the source folder.
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
umask 022
unset SOURCE_DATE_EPOCH
export TZ=UTC LC_ALL=C.UTF-8

# quiet COMMAND...: prints the output of the command only if it fails.
quiet() {
    "$@" >"$work/log" 2>&1 || {
        tail -n 60 "$work/log" >&2
        echo "$0: failed: $*" >&2
        exit 1
    }
}

tar -C "$work" -xzf "$name.tar.gz"
cp "$name.tar.gz" "$work/$(echo "$name" | tr - _).orig.tar.gz"
cd "$work/$name"
# dpkg sets file times that are after the time of debian/changelog to that time. Earlier times would remain, and differ between builds.
if [ "$(dpkg-parsechangelog -S Timestamp)" -ge "$epoch" ]; then
    echo "$0: debian/changelog is later than the source ($epoch)" >&2
    exit 1
fi
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-nocheck} parallel=$(nproc)"
quiet env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES dpkg-buildpackage -us -uc -F
quiet env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES SOURCE_DATE_EPOCH="$epoch" make -C debian/build tarball

release=$here/release
rm -rf "$release"
mkdir "$release"
cp "$here/$name.tar.gz" debian/build/"$name"-linux-*.tar.gz "$work"/*.orig.tar.gz "$work"/*.dsc "$work"/*.debian.tar.* "$work"/*.deb "$release"
cd "$release"
sha256sum -- * >SHA256SUMS
cat SHA256SUMS
