#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compiles each header alone, with warnings as errors, to check that it includes all headers that it needs. CC and CFLAGS may be set
# in the environment; `make check-headers` passes those of the build.
set -eu

cd "$(dirname "$0")/.."
: "${CC:=gcc}"
: "${CFLAGS=-std=gnu11 -D_GNU_SOURCE -iquote src -Wall -Wextra -Wshadow -Wstrict-prototypes $(pkg-config --cflags luajit ck jansson sqlite3)}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Compiles the header $1. It is included twice, so that a missing include guard is an error too.
cat >"$work/alone.sh" <<'END'
source=$work/$$.c
printf '#include "%s"\n#include "%s"\n' "$PWD/$1" "$PWD/$1" >"$source"
# shellcheck disable=SC2086  # CFLAGS is a list
$CC $CFLAGS -Werror -fsyntax-only "$source" && exit
echo "$1: does not compile alone" | tee -a "$work/failed" >&2
END
export CC CFLAGS work
: >"$work/failed"
find src -name '*.h' | sort >"$work/headers"
xargs -n 1 -P "$(nproc)" sh "$work/alone.sh" <"$work/headers"

echo "$(wc -l <"$work/headers") headers compiled alone, $(wc -l <"$work/failed") failed"
[ ! -s "$work/failed" ]
