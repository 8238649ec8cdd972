#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154
#
# Compares help texts of tests and messages about mistakes on the command line with those of sysbench 1.0.20. Also checks that
# docs/migration.md has a row for each listed difference.

. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/db/differential/differential_lib.sh"

# Prints the IDs of all listed differences: those of rules, of calls of `differs`, and those in comments.
listed() {
    local peer_tests=("$TESTS_DIR"/db/differential/differential_*.sh "$TESTS_DIR/cli/builtin_peer.sh")
    {
        cat "${peer_tests[@]}" | sed -nE 's/^    \[([a-z-]+)\]=.*/\1/p'
        cat "${peer_tests[@]}" | grep -oE '(^ *(layout=full )?(differs|errors)|listed:) [a-z]+(-[a-z]+)*' | sed 's/.* //'
    } | sort -u
}
check_equal "docs/migration.md names each listed difference" "$(listed)" \
    "$(sed -nE 's/^\| `([a-z-]+)` \|.*/\1/p' "$SRCDIR/docs/migration.md" | sort -u)"

require_peer
server=

for test in oltp_read_write oltp_read_only oltp_write_only oltp_point_select oltp_insert oltp_delete oltp_update_index \
    oltp_update_non_index select_random_points select_random_ranges bulk_insert; do
    same "$test help" $test help
done

differs hints "nothing" "0 ^sysbench 1\.0\.20" "0 ^No test was named, and no script came from standard input" </dev/null
same "unknown test" nosuch run
same "two commands" oltp_read_only run extra
same "an option that nobody knows" oltp_read_only --nosuch=1 run
same "a test without a command" cpu
same "a file that is not there" ./nosuch.lua run
differs command-list "a workload without a command" "1 Command is required\. Supported commands: prepare, prewarm, run" \
    "1 Command is required\. Supported commands: prepare, warmup, run" oltp_read_only
same "unknown command" oltp_read_only frob
same "a command that the test has not" memory prepare
differs checked-values "not a number" "1 ^Invalid value for the 'threads' option: 'abc'" \
    "1 ^FATAL: invalid value for --threads: 'abc'" cpu --threads=abc run
differs checked-values "not a number, option of a test" "1 ^Threads started!|FATAL: unable to connect" \
    "1 ^FATAL: invalid value for --tables: 'abc'" oltp_read_only --tables=abc run
differs checked-values "neither on nor off" "1 ^invalid option: --skip-trx=perhaps" \
    "1 ^FATAL: invalid value for --skip-trx: 'perhaps'" oltp_read_only --skip-trx=perhaps run
differs checked-values "unknown distribution" "1 ^FATAL: Invalid random numbers distribution: bad" \
    "1 ^FATAL: invalid value for --rand-type: 'bad'" cpu --rand-type=bad run
differs any-option "option without a test" "0 ^sysbench" "0 ^WARNING: --nosuch is ignored: this test declares no options" --nosuch
echo 'function event() end function prepare() print("argv: " .. table.concat(sysbench.cmdline.argv, " ")) end' >any.lua
differs any-option "an option of a script that declares none" "0 total number of events: +3$" \
    "0 ^WARNING: --thread is ignored: this test declares no options" "$PWD/any.lua" --events=3 --thread=4 run
differs any-option "options that a script takes from argv" "0 ^argv: .*/any.lua --mine=5 prepare" \
    "0 ^argv: .*/any.lua --mine=5 prepare" "$PWD/any.lua" --mine=5 prepare
echo 'sysbench.cmdline.options = {{}} function help() end' >table.lua
differs option-table "an entry without a name" "1 wrong table structure in sysbench.cmdline.options" \
    "1 sysbench.cmdline.options: a name was expected, not the number 1" "$PWD/table.lua" help
cat >own.lua <<'LUA'
sysbench.cmdline.options = {size = {"a number", 5}, name = {"a text"}}
function help() print("first") sysbench.cmdline.print_test_options() print("last") end
LUA
same "a help() of its own" "$PWD/own.lua" help
finish
