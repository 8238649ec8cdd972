#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that src/ is built the way docs/architecture.md draws it:
#
#   scripts/check-layers.sh [SOURCE [BUILD [ARCHITECTURE-PAGE]]]      default: . build docs/architecture.md
#
# A room includes and calls only rooms below it, and no pair named as forbidden; within a room no files depend on each other in a
# circle (x.c and x.h are one). An arrow is an include of SOURCE/src, or a symbol that one object of BUILD/src leaves undefined and
# another one defines. Prints the order and what breaks it, with the two files and the name; exit code 1 then.
set -eu

# Lowest first. Rooms of one line do not know each other.
order='base
cluster
options measure watch launch
judge drivers
result
engine report
sql
document
archive
output
present
run
script builtins replay tools
program
main.c'

# FROM:TO, where the order alone would allow it: tools run the program, they are no part of a run; nothing but scripts knows SQL; reports
# are functions of what was measured.
forbidden='tools:engine tools:sql tools:run
script:report
builtins:sql builtins:drivers run:sql run:drivers output:sql output:drivers document:sql document:drivers report:drivers engine:drivers
drivers:measure judge:watch report:engine sql:report'

here=$(cd "$(dirname "$0")/.." && pwd)
source=$(cd "${1:-$here}" && pwd)
build=${2:-$source/build}
if [ ! -d "$build/src" ]; then
    echo "$build: no objects to look into; build first" >&2
    exit 1
fi
build=$(cd "$build" && pwd)
page=${3:-$here/docs/architecture.md}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "include FROM TO": paths below src/, as they stand in the files.
includes() {
    (cd "$source/src" && find . -name '*.[ch]' | sort | xargs -r grep -H '^#include "' | sed 's|^\./\([^:]*\):#include "\(.*\)"|include \1 \2|')
}

# The objects whose source is there; that of another may have moved.
objects() {
    find . -name '*.o' | sort | while read -r object; do
        if [ -e "$source/src/${object%.o}.c" ] || [ -e "${object%.o}.c" ]; then
            echo "$object"
        fi
    done
}

# "defined FILE NAME" and "wanted FILE NAME" of each object.
symbols() {
    (cd "$build/src" && objects | xargs -r nm -A | sed 's|^\./||; s|\.o:|.c |' | awk '
        $(NF - 1) == "U" { print "wanted", $1, $NF }
        $(NF - 1) ~ /^[TDBRVWC]$/ { print "defined", $1, $NF }')
}

# The rooms of the page's table ("| 1 | base | ..."), those of one number on one line.
page_order() {
    awk -F ' *[|] *' '$2 ~ /^[0-9]+$/ { printf "%s%s", number == "" ? "" : $2 == number ? " " : "\n", $3; number = $2 } END { print "" }' "$1"
}

judge() {
    awk -v order="$order" -v forbidden="$forbidden" '
        function room(file) { return file ~ /\// ? substr(file, 1, index(file, "/") - 1) : file }
        function module(file) { sub(/\.[ch]$/, "", file); return file }
        function breach(from, to, name) {
            print from " -> " to ": " name ": " room(from) " may not know " room(to)
            upward++
        }
        # An arrow between two files; `name` says what makes it one.
        function arrow(from, to, name,    a, b) {
            a = module(from); b = module(to)
            if (a == b) return
            if (room(from) != room(to)) {
                if (!(room(from) in level)) { unknown[room(from)] = from; return }
                if (!(room(to) in level)) { unknown[room(to)] = to; return }
                if (level[room(to)] >= level[room(from)] || (room(from) ":" room(to)) in ban) breach(from, to, name)
                return
            }
            if (!((a, b) in why)) next_of[a] = next_of[a] " " b
            why[a, b] = why[a, b] == "" ? name : why[a, b] ", " name
        }
        # Depth first; a module that stands on the path already closes a circle.
        function visit(m,    list, n, i, j, text) {
            state[m] = "open"; path[++depth] = m
            n = split(next_of[m], list, " ")
            for (i = 1; i <= n; i++) {
                if (state[list[i]] == "") visit(list[i])
                else if (state[list[i]] == "open") {
                    text = ""
                    for (j = depth; path[j] != list[i]; j--) text = " -> " path[j] " (" why[path[j - 1], path[j]] ")" text
                    print "circle: " list[i] text " -> " list[i] " (" why[m, list[i]] ")"
                    circles++
                }
            }
            state[m] = "done"; depth--
        }
        BEGIN {
            n = split(order, lines, "\n")
            for (i = 1; i <= n; i++) {
                k = split(lines[i], names, " ")
                for (j = 1; j <= k; j++) level[names[j]] = i
            }
            n = split(forbidden, names, /[ \n]+/)
            for (i = 1; i <= n; i++) ban[names[i]]
        }
        $1 == "include" { arrow($2, $3, "includes it"); next }
        $1 == "defined" { definer[$3] = $2; next }
        $1 == "wanted" { wants[++wanted] = $2; name_of[wanted] = $3 }
        END {
            for (i = 1; i <= wanted; i++) if (name_of[i] in definer) arrow(wants[i], definer[name_of[i]], name_of[i])
            for (m in next_of) if (state[m] == "") visit(m)
            for (r in unknown) { print unknown[r] ": a room that the order does not name"; upward++ }
            printf "%d upward, %d circles\n", upward, circles
            exit upward + circles > 0
        }'
}

status=0
echo "$order"
if [ "$(page_order "$page")" != "$order" ]; then
    echo "$page: its table of rooms has another order than $0" >&2
    status=1
fi
{
    includes
    symbols
} >"$work/arrows"
if ! grep -q '^defined ' "$work/arrows"; then
    echo "$build: no objects to look into; build first" >&2
    status=1
fi
judge <"$work/arrows" || status=1
exit "$status"
