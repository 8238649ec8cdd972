#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The folders of src/ keep the order of docs/architecture.md, and scripts/check-layers.sh finds each kind of violation.
. "$TESTS_DIR/cli/lib.sh"

PAGE=$SRCDIR/docs/architecture.md
BUILD=${SYSRATE%/src/sysrate}

# house NAME: creates a small tree that keeps the order: pump, in engine, calls pipe in base and valve in options.
house() {
    rm -rf "$1"
    mkdir -p "$1"/src/{base,options,stats,engine,report,tools,workloads/script,workloads/replay}
    echo 'int pipe_open(void);' >"$1/src/base/pipe.h"
    printf '#include "base/pipe.h"\nint pipe_open(void) { return 1; }\n' >"$1/src/base/pipe.c"
    echo 'int valve_open(void);' >"$1/src/options/valve.h"
    printf '#include "options/valve.h"\n#include "base/pipe.h"\nint valve_open(void) { return pipe_open(); }\n' >"$1/src/options/valve.c"
    echo 'int pump_start(void);' >"$1/src/engine/pump.h"
    printf '#include "engine/pump.h"\n#include "options/valve.h"\nint pump_start(void) { return valve_open(); }\n' >"$1/src/engine/pump.c"
}

# inspect NAME: compiles the tree and runs the check on it.
inspect() {
    local file
    for file in "$1"/src/*/*.c; do
        ${CC:-cc} -iquote "$1/src" -c "$file" -o "${file%.c}.o" || return 1
    done
    run "$SRCDIR/scripts/check-layers.sh" "$1" "$1" "${2:-$PAGE}"
}

run "$SRCDIR/scripts/check-layers.sh" "$SRCDIR" "$BUILD"
check_equal "the program keeps the order: exit code" 0 "$status"
check_match "it prints the order" '^drivers result$' "$out"
check_equal "the program keeps the order" "0 upward, 0 circles" "$(tail -n 1 <<<"$out")"

house tidy
inspect tidy
check_equal "a tidy house" "0 0 upward, 0 circles" "$status $(tail -n 1 <<<"$out")"

house includes
echo '#include "engine/pump.h"' >>includes/src/options/valve.c
inspect includes
check_equal "an include that points up: exit code" 1 "$status"
check_match "an include that points up: files and name" '^options/valve\.c -> engine/pump\.h: includes it' "$out"

house calls
printf 'extern int pump_start(void);\nint valve_push(void) { return pump_start(); }\n' >>calls/src/options/valve.c
inspect calls
check_equal "a call that points up without an include: exit code" 1 "$status"
check_match "a call that points up: files and name" '^options/valve\.c -> engine/pump\.c: pump_start' "$out"

house beside
echo '#include "options/valve.h"' >beside/src/stats/dial.c
inspect beside
check_equal "rooms of one line do not depend on each other: exit code" 1 "$status"
check_match "rooms of one line: files" '^stats/dial\.c -> options/valve\.h' "$out"

house forbidden
echo '#include "engine/pump.h"' >forbidden/src/tools/crane.c
inspect forbidden
check_match "a forbidden pair" '^tools/crane\.c -> engine/pump\.h.*tools may not know engine' "$out"

house folders
echo 'int log_open(void);' >folders/src/workloads/replay/log.h
echo '#include "workloads/replay/log.h"' >folders/src/workloads/script/state.c
inspect folders
check_match "a forbidden pair of folders in one room" '^workloads/script/state\.c -> workloads/replay/log\.h' "$out"

house large
for number in {1..41}; do
    echo 'int never_called(void);' >"large/src/report/page$number.h"
done
inspect large
check_equal "a folder with 41 files: exit code" 1 "$status"
check_match "a folder with 41 files: its name" '^src/report: 41 files' "$out"
rm large/src/report/page41.h
inspect large
check_equal "a folder with 40 files" 0 "$status"

house circle
printf '#include "engine/tank.h"\n#include "engine/pump.h"\nint tank_fill(void) { return pump_start(); }\n' >circle/src/engine/tank.c
echo 'int tank_fill(void);' >circle/src/engine/tank.h
inspect circle
check_equal "two files that call in one direction are no circle" "0 upward, 0 circles" "$(tail -n 1 <<<"$out")"
printf '#include "engine/tank.h"\nint pump_again(void) { return tank_fill(); }\n' >>circle/src/engine/pump.c
inspect circle
check_equal "a circle: exit code" 1 "$status"
check_match "a circle: its files" '^circle: engine/(pump|tank) -> engine/(pump|tank) .*-> engine/(pump|tank)' "$out"
check_match "a circle: names" 'tank_fill' "$out"

house unknown
mkdir unknown/src/cellar
echo '#include "base/pipe.h"' >unknown/src/cellar/wine.c
inspect unknown
check_match "a folder that is not in the table" '^cellar/wine\.c: a room that the order does not name' "$out"

house page
sed 's/^| \([0-9]*\) | engine /| 3 | engine /' "$PAGE" >page/architecture.md
inspect page page/architecture.md
check_equal "a page with another order: exit code" 1 "$status"
check_match "a page with another order: message" 'its table of rooms has another order' "$err"

rm -f tidy/src/*/*.o
run "$SRCDIR/scripts/check-layers.sh" tidy tidy
check_match "without objects: message" 'build first' "$err"

finish
