#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks the models of the lock-free parts (tests/orders) under the memory model of C11, with relacy (Debian: relacy-dev, g++). Each
# model must pass, and must fail if one of its memory orders is relaxed; otherwise it would prove nothing. Takes about a minute.
set -eu

cd "$(dirname "$0")/.."
[ -e /usr/include/relacy/relacy.hpp ] && command -v g++ >/dev/null || {
    echo "$0: apt-get install relacy-dev g++" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# model NAME FLAGS: compiles and runs a model and returns its exit code. Compiler warnings are off, because relacy is older than today's
# compilers and causes many.
model() {
    # shellcheck disable=SC2086  # no flag, or one
    g++ -std=gnu++11 -O1 -w $2 -o "$work/model" "tests/orders/$1.cpp" || exit 2
    "$work/model" >"$work/log" 2>&1
}

failed=0
for source in tests/orders/*.cpp; do
    name=$(basename "$source" .cpp)
    if model "$name" ''; then
        echo "ok - $name holds"
    else
        failed=1
        echo "not ok - $name holds"
        tail -n 60 "$work/log"
    fi
    if model "$name" -DBROKEN; then
        failed=1
        echo "not ok - $name fails with one order less"
    else
        echo "ok - $name fails with one order less"
    fi
done
exit $failed
