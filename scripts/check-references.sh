#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that what the documentation and the comments name is in the tree:
#
#   scripts/check-references.sh [TREE]      default: the tree that the script is part of
#
# It looks at docs/*.md, README.md, CONTRIBUTING.md, and at the comments of src/, tests/, scripts/ and bench/. Checked are
#
# - paths and names of files: "src/ROOM/FILE.c", "ROOM/FILE.c", "ROOM/FILE", "FILE.c". A path may begin at any folder. A word in capitals stands for any
#   name, as these do.
# - functions, "name()": some code of the tree, in any language, must call or define a function of that name.
# - options, "--name": an option table, a script, a test or configure must know one of that name.
#
# Prints each reference that leads nowhere, with its place; exit code 1 then.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"
find . -type d \( -name 'build*' -o -name autom4te.cache -o -name __pycache__ -o -name node_modules -o -name .git \) -prune -o -type f -print |
    LC_ALL=C sort | "${LUAJIT:-luajit}" "$here/references.lua"
