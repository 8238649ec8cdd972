#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fails if a function has more than 80 lines or a file has more than 500 lines, and prints the distribution of the lengths. Only C and
# Lua functions that start in the first column are counted. The length of a function is counted from the first line of its signature to
# its closing brace or `end`.
set -eu

max_function=80
max_file=600

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

set -- src scripts
for folder in tests bench; do
    [ ! -d "$folder" ] || set -- "$@" "$folder"
done
find "$@" -type f \
    \( -name '*.[ch]' -o -name '*.lua' -o -name '*.sh' -o -name '*.py' \) | sort >"$work/files"

# Prints "LENGTH FILE:LINE" for each function of the C files.
c_functions() {
    awk '
        FNR == 1 { start = 0; inside = 0 }
        inside { if (/^}/) { print FNR - start + 1, FILENAME ":" start; inside = 0; start = 0 } next }
        /^[a-zA-Z_].*\) *\{.*\}$/ { print 1, FILENAME ":" FNR; start = 0; next }
        /^\{/ && start { inside = 1; next }
        /^[a-zA-Z_]/ && !start { start = FNR }
        /^#/ || /^$/ || /;$/ || /^\}/ || /\*\/$/ { start = 0 }
    ' "$@"
}

lua_functions() {
    awk '
        FNR == 1 { start = 0 }
        /^(local )?function |^[a-zA-Z_][a-zA-Z_0-9.]* *= *function/ {
            if (/[^a-zA-Z_]end$/) print 1, FILENAME ":" FNR; else start = FNR
        }
        /^end/ && start { print FNR - start + 1, FILENAME ":" start; start = 0 }
    ' "$@"
}

# files_of PATTERN FUNCTION: calls the function with the files whose names match the pattern.
files_of() {
    # shellcheck disable=SC2046  # names without spaces
    set -- "$2" $(grep -E "$1" "$work/files" || true)
    if [ $# -gt 1 ]; then
        "$@"
    fi
}

# limits UNIT MAXIMUM FILE: prints the median, the 90th percentile and the maximum of the first column of FILE, and the lines of FILE
# that exceed MAXIMUM.
limits() {
    awk -v unit="$1" -v maximum="$2" '
        { n[NR] = $1; if ($1 > maximum) { print $2 ": " $1 " lines, " unit "s may have " maximum; bad = 1 } }
        END {
            if (NR == 0) { print unit "s: none"; exit 0 }
            median = n[int((NR + 1) / 2)]; p90 = n[int((NR * 9 + 9) / 10)]
            printf "%ss: %d, median %d lines, 90 %% within %d, longest %d\n", unit, NR, median, p90, n[NR]
            exit bad
        }' "$3"
}

{
    files_of '\.[ch]$' c_functions
    files_of '\.lua$' lua_functions
} | sort -n >"$work/functions"

while read -r file; do
    echo "$(wc -l <"$file") $file"
done <"$work/files" | sort -n >"$work/lengths"

status=0
limits function "$max_function" "$work/functions" || status=1
limits file "$max_file" "$work/lengths" || status=1
exit "$status"
