#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that src/ is built the way docs/architecture.md draws it:
#
#   scripts/check-layers.sh [SOURCE [BUILD [ARCHITECTURE-PAGE]]]      default: . build docs/architecture.md
#
# A room (a folder of src/) may include and call only rooms that are above it in the list `order`, and no pair in `forbidden`. Files of a
# room must not depend on each other in a circle (x.c and x.h count as one file). A dependency is an include of a file of SOURCE/src, or a
# symbol that one object of BUILD/src leaves undefined and another one defines. No folder of the source may have more than 40 files.
# Prints the order, and each violation with the two files and the name; the exit code is 1 if there is a violation.
set -eu

# Lowest first. Rooms on one line do not depend on each other.
order='base
options stats
drivers result
engine
report
archive
sql
run
ranks workloads
tools
main'

# Rooms of the program sysrate-serve. They may use the rooms above them; the rooms of sysrate may not use them.
service=service

# FROM:TO: the folder FROM must not depend on the folder TO, although the order would allow it. Tools start the program as a child and
# do not use the code of runs. Scripts, built-in tests and replay are independent of each other. Only workloads, sql and drivers use SQL.
# The service neither runs Lua nor opens a database.
forbidden='tools:drivers tools:engine tools:sql tools:run
workloads:run workloads:archive
workloads/script:workloads/builtins workloads/script:workloads/replay workloads/builtins:workloads/script
workloads/builtins:workloads/replay workloads/replay:workloads/script workloads/replay:workloads/builtins
workloads/builtins:sql workloads/builtins:drivers run:sql run:drivers ranks:sql ranks:drivers archive:drivers archive:engine
report:drivers engine:drivers sql:report sql:archive report:engine
service:drivers service:engine service:sql service:run service:ranks service:workloads service:main main:service'

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

# Prints "include FROM TO" for each include; paths count from src/.
includes() {
    (cd "$source/src" && find . -name '*.[ch]' | sort | xargs -r grep -H '^#include "' | sed 's|^\./\([^:]*\):#include "\(.*\)"|include \1 \2|')
}

# Prints the objects whose source file exists. Other objects may be left over from a file that was moved.
objects() {
    find . -name '*.o' | sort | while read -r object; do
        if [ -e "$source/src/${object%.o}.c" ] || [ -e "${object%.o}.c" ]; then
            echo "$object"
        fi
    done
}

# Prints "defined FILE NAME" and "wanted FILE NAME" for each symbol of each object.
symbols() {
    (cd "$build/src" && objects | xargs -r nm -A | sed 's|^\./||; s|\.o:|.c |' | awk '
        $(NF - 1) == "U" { print "wanted", $1, $NF }
        $(NF - 1) ~ /^[TDBRVWC]$/ { print "defined", $1, $NF }')
}

# Prints the rooms in the table of the page ("| 1 | base | ..."). Rooms with the same number are printed on one line.
page_order() {
    awk -F ' *[|] *' '$2 ~ /^[0-9]+$/ { printf "%s%s", number == "" ? "" : $2 == number ? " " : "\n", $3; number = $2 } END { print "" }' "$1"
}

judge() {
    awk -v order="$order
$service" -v forbidden="$forbidden" '
        function room(file) { return file ~ /\// ? substr(file, 1, index(file, "/") - 1) : file }
        function module(file) { sub(/\.[ch]$/, "", file); return file }
        function breach(from, to, name) {
            print from " -> " to ": " name ": " room(from) " may not know " room(to)
            upward++
        }
        # Notes that the file `from` depends on the file `to` because of `name`.
        function arrow(from, to, name,    a, b) {
            a = module(from); b = module(to)
            if (a == b) return
            if (room(from) != room(to)) {
                if (!(room(from) in level)) { unknown[room(from)] = from; return }
                if (!(room(to) in level)) { unknown[room(to)] = to; return }
                if (level[room(to)] >= level[room(from)]) breach(from, to, name)
                else banned(from, to, name)
                return
            }
            banned(from, to, name)
            if (!((a, b) in why)) next_of[a] = next_of[a] " " b
            why[a, b] = why[a, b] == "" ? name : why[a, b] ", " name
        }
        function within(file, folder) { return index(file, folder "/") == 1 }
        function banned(from, to, name,    i) {
            for (i = 1; i <= bans; i++)
                if (within(from, ban_from[i]) && within(to, ban_to[i])) { breach(from, to, name); return }
        }
        # Depth-first search for circles: a module that is already on the path closes a circle.
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
            bans = split(forbidden, names, /[ \n]+/)
            for (i = 1; i <= bans; i++) { split(names[i], pair, ":"); ban_from[i] = pair[1]; ban_to[i] = pair[2] }
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

# Folders with more than 40 files. Files that a build or another tool creates are not counted.
large_folders() {
    (cd "$source" && find src tests docs scripts bench examples -type f ! -path '*/.*' ! -name '*.o' ! -name '*.log' ! -name '*.trs' \
        ! -name '*.pyc' 2>/dev/null) | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 40 { print $2 ": " $1 " files, more than 40" }'
}

status=0
echo "$order"
echo "sysrate-serve: $service"
large=$(large_folders)
if [ -n "$large" ]; then
    echo "$large"
    status=1
fi
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
