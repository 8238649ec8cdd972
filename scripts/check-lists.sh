#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fails in these cases:
# - A source file, a Lua module, or a file of the tests, documentation, examples or scripts is missing in Makefile.am. It would not be
#   built, run or distributed.
# - The names of two test scripts differ only by their suffixes. They would share a log, and make would always run the same one.
# - debian/control lacks a library that scripts/packages.txt lists for the build.
set -eu

cd "$(dirname "$0")/.."

missing=0
# shellcheck disable=SC2044  # names without spaces
for file in $(find .github src tests docs examples scripts bench -name .deps -prune -o -type f -name '*.*' -print); do
    case $file in
    src/workloads/script/api_functions.c | src/workloads/script/embedded.c | src/report/page/embedded_page.c | src/service/serve/embedded_site.c | *.[ao] | *.log | *.trs | *.pyc | */.dirstamp) continue ;; # made by a build in the source folder
    tests/unit/*/test_*.c) name=${file%.c} ;;
    *) name=$file ;;
    esac
    if ! grep -Fqw -- "$name" Makefile.am; then
        echo "$file: not in Makefile.am" >&2
        missing=$((missing + 1))
    fi
done

for name in $(find tests -name '*.sh' -o -name '*.py' | sed 's/\.[a-z]*$//' | sort | uniq -d); do
    echo "$name.sh and $name.py: one log for two" >&2
    missing=$((missing + 1))
done

for package in $(awk '!/^#/ { print $1 }' scripts/packages.txt); do
    case $package in
    lib*) [ "$package" = libc6-dev ] || grep -Eqw -- "$package" debian/control || {
        echo "$package: not in debian/control" >&2
        missing=$((missing + 1))
    } ;;
    esac
done

echo "$missing files or packages are missing in a list"
[ "$missing" -eq 0 ]
