#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that files, functions and options that the documentation and the comments mention exist in the tree:
#
#   scripts/check-references.sh [TREE]      default: the tree that the script is part of
#
# The script reads docs/*.md, README.md, CONTRIBUTING.md, and the comments in src/, tests/, scripts/ and bench/. It checks
#
# - paths and names of files: "src/ROOM/FILE.c", "ROOM/FILE.c", "ROOM/FILE", "FILE.c". A path may begin at any folder. A word in capital
#   letters, as in these examples, stands for any name.
# - functions, "name()": code of the tree, in any language, must call or define a function of this name.
# - options, "--name": an option table, a script, a test or configure must have an option of this name.
#
# Prints each reference that was not found, with its place. The exit code is then 1.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"
find . -type d \( -name 'build*' -o -name autom4te.cache -o -name __pycache__ -o -name node_modules -o -name .git \) -prune -o -type f -print |
    LC_ALL=C sort | "${LUAJIT:-luajit}" "$here/references.lua"
