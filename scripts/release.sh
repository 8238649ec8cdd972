#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Called by `make release` in the build folder: release.sh NAME-VERSION. Packs the folder of that name, which `make distdir` has
# made, into NAME-VERSION.tar.gz and writes SHA256SUMS. The same source makes the same bytes: order, owners, rights and times of the
# files are fixed. Their time is SOURCE_DATE_EPOCH, or without it that of the commit, or of CHANGELOG.md where there is no git.
set -eu

name=${1:?usage: release.sh NAME-VERSION}
source=$(cd "$(dirname "$0")/.." && pwd)

"$source/scripts/check-version.sh" >/dev/null
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/CHANGELOG.md")}

LC_ALL=C tar --format=ustar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode='u+rw,go=rX' \
    -cf "$name.tar" "$name"
gzip -9nf "$name.tar"
rm -rf "$name"
sha256sum "$name.tar.gz" >SHA256SUMS
cat SHA256SUMS
