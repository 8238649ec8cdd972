#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands in the comment of each script of examples/ are executed, with --time=0.5. EXAMPLES is the folder of the
# scripts if they are not in the source. Those with MongoDB are executed by db/mongodb/mongodb.sh, those with MySQL by
# db/policies/metastable_mysql.sh.
. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
: "${EXAMPLES:=$SRCDIR/examples}"

# commands_of FILE: prints its lines "--    sysrate ...", without the comment marks.
commands_of() {
    sed -n 's/^--    sysrate //p' "$1"
}

# execute NAME COMMAND-LINE: executes one of these commands.
execute() {
    local words
    read -ra words <<<"${2/$1/$EXAMPLES/$1}"
    run "$SYSRATE" "${words[@]}" --time=0.5
    check_equal "$1: $2" 0 "$status"
    [ "$status" -eq 0 ] || printf '%s\n' "$both" | sed 's/^/#   /'
}

for path in "$EXAMPLES"/*.lua; do
    name=${path##*/}
    check_between "$name shows how it is used" 1 "$(commands_of "$path" | wc -l)" 9
    mkdir "$WORK_DIR/$name"
    cd "$WORK_DIR/$name" || exit 1
    while read -r command; do
        [[ $command != *--db-driver=m* ]] || continue
        execute "$name" "$command"
        printf '%s\n' "$out" >>"$WORK_DIR/outputs"
    done < <(commands_of "$path")
done

# Checks that are specific to one example.
for pattern in '^1000 accounts hold 100000: nothing was lost$' '^[0-9]+ transactions, and all sums are -?[0-9]+$' \
    '^[0-9]+\.[0-9]	[0-9]+	[0-9]+\.[0-9]{3}	[0-9]+\.[0-9]{3}	[0-9]+$' '^ +[2-9][0-9]{2}\.[0-9]{3} \|'; do
    check "the examples print $pattern" grep -Eq -- "$pattern" "$WORK_DIR/outputs"
done
check_equal "commit_log.lua leaves no file" "" "$(ls "$WORK_DIR/commit_log.lua")"
run "$SYSRATE" "$EXAMPLES/commit_log.lua" --threads=2 --events=10 --record-size=0 run
check_equal "commit_log.lua writes empty records as well" 0 "$status"
finish
