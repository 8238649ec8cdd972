#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds in the folder FOLDER below the source: scripts/build.sh FOLDER [CONFIGURE-OPTION...]. Runs configure only if the folder is
# new, or if the options or the libraries that pkg-config finds have changed. Prints nothing unless something fails.
set -eu

cd "$(dirname "$0")/.."
folder=${1:?usage: scripts/build.sh FOLDER [CONFIGURE-OPTION...]}
shift
mkdir -p "$folder"
log=$folder/build.log

failed() {
    cat "$log" >&2
    echo "$0: $1 failed (the log above is in $log)" >&2
    exit 1
}

# shellcheck disable=SC3013  # dash, bash and busybox have -nt
if [ ! -e configure ] || [ ! -e build-aux/install-sh ] || [ configure.ac -nt configure ] ||
    [ Makefile.am -nt Makefile.in ]; then
    autoreconf -fi >"$log" 2>&1 || failed autoreconf
fi
given="$* $(pkg-config --list-all 2>/dev/null | LC_ALL=C sort | cksum)"
if [ ! -e "$folder/Makefile" ] || [ "$(cat "$folder/given" 2>/dev/null)" != "$given" ]; then
    (cd "$folder" && ../configure "$@") >"$log" 2>&1 || failed configure
    printf '%s\n' "$given" >"$folder/given"
    make -C "$folder" clean >>"$log" 2>&1 || failed 'make clean'
fi
# Only standard output goes to the log, so that warnings are visible.
make -C "$folder" -j "$(nproc)" V=0 >"$log" || failed make
