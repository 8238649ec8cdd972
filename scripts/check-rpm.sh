#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   scripts/check-rpm.sh ARCHIVE [FOLDER]     leaves the packages in FOLDER
#
# Builds the rpm packages from the source archive of a release (make source-archive), and checks which files they contain. Needs
# rpmbuild (Debian package rpm) and cpio. Dependencies of the packages are not checked, because rpm does not know Debian's packages.
set -eu

archive=$(realpath "${1:?usage: check-rpm.sh ARCHIVE [FOLDER]}")
folder=$(mkdir -p "${2:-.}" && cd "${2:-.}" && pwd)
for command in rpmbuild rpm2cpio cpio; do
    command -v $command >/dev/null || {
        echo "$0: $command is missing: install Debian's packages rpm and cpio" >&2
        exit 1
    }
done
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
dygraphs=${DYGRAPHS:-/usr/share/javascript/dygraphs}

rpmbuild -ta --nodeps --without check --define "_topdir $work" --define 'dist %{nil}' \
    --define "dygraphs_dir $dygraphs" "$archive" >"$work/log" 2>&1 || {
    tail -n 60 "$work/log" >&2
    echo "$0: rpmbuild failed" >&2
    exit 1
}

version=$(rpm -q --qf '%{version}' --nosignature "$work"/SRPMS/*.src.rpm)
main=$(echo "$work"/RPMS/*/sysrate-"$version"-*.rpm)
failed=0

# has PACKAGE PATTERN: checks that the package has a file that matches the pattern.
has() {
    rpm -qlp "$1" | grep -q "$2" || {
        echo "$0: no $2 in $(basename "$1")" >&2
        failed=1
    }
}

service=$(echo "$work"/RPMS/*/sysrate-serve-*.rpm)
for pattern in /bin/sysrate$ /sysrate/oltp_read_only.lua$ /man1/sysrate.1 /completions/sysrate.bash$ /examples/mix.lua$; do
    has "$main" "$pattern"
done
for pattern in /bin/sysrate-serve$ /man1/sysrate-serve.1 /sysrate-serve.service$ /completions/sysrate-serve.bash$; do
    has "$service" "$pattern"
done
has "$(echo "$work"/RPMS/*/sysrate-mongodb-*.rpm)" /sysrate_mongodb.so$
has "$(echo "$work"/RPMS/*/sysrate-mpi-*.rpm)" /sysrate_mpi.so$

mkdir "$work/unpacked"
(cd "$work/unpacked" && rpm2cpio "$main" | cpio -id --quiet)
"$work"/unpacked/usr/bin/sysrate serve "$work/runs" 2>&1 | grep -q '^FATAL: serve: .*not installed'
(cd "$work/unpacked" && rpm2cpio "$service" | cpio -id --quiet)
"$work"/unpacked/usr/bin/sysrate serve --version | grep -qx "sysrate-serve $version"
"$work"/unpacked/usr/bin/sysrate --version | grep -qx "sysrate $version"
"$work"/unpacked/usr/bin/sysrate oltp_read_only --db-driver=sqlite --sqlite-db="$work/db" --table-size=100 prepare >/dev/null
"$work"/unpacked/usr/bin/sysrate oltp_read_only --db-driver=sqlite --sqlite-db="$work/db" --table-size=100 --tx-rate=50 --time=1 run |
    grep -q 'transactions:'
cp "$work"/SRPMS/*.rpm "$work"/RPMS/*/*.rpm "$folder"
(cd "$folder" && ls -- *.rpm)
exit "$failed"
