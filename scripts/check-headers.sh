#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compiles each header alone, as C with every warning an error: a header includes what it needs. CC and CFLAGS may come
# from the environment; `make check-headers` hands over those of the build.
set -eu

cd "$(dirname "$0")/.."
: "${CC:=gcc}"
: "${CFLAGS=-std=gnu11 -D_GNU_SOURCE -iquote src -Wall -Wextra -Wshadow -Wstrict-prototypes $(pkg-config --cflags luajit ck jansson sqlite3)}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=0
count=0
for header in $(find src -name '*.h' | sort); do
    count=$((count + 1))
    # Twice, so that a missing include guard shows too.
    printf '#include "%s"\n#include "%s"\n' "$PWD/$header" "$PWD/$header" >"$work/alone.c"
    # shellcheck disable=SC2086  # CFLAGS is a list
    if ! $CC $CFLAGS -Werror -fsyntax-only "$work/alone.c"; then
        echo "$header: does not compile alone" >&2
        failed=$((failed + 1))
    fi
done

echo "$count headers compiled alone, $failed failed"
[ "$failed" -eq 0 ]
