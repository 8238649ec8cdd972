#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154
#
# Runs the same scripts, written as users write them, with both tools on both servers.

. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/differential/differential_lib.sh"
require_peer
start_servers
few=(--events=5 --time=0)

errors() {
    differs "$1" "$server: --mode=$2" "$3" "$4" ../scripts/app_errors.lua --mode="$2" "${few[@]}" run
}

for name in mysql pgsql; do
    create_databases $name
    on $name
    same "$server: app_loop help" ../scripts/app_loop.lua help
    same "$server: app_loop options" ../scripts/app_loop.lua options
    same "$server: app_loop options given" ../scripts/app_loop.lua --rows=7 --check --name=z --kinds=c,d,e --chunk=2M \
        --ratio=3 --extra=q options
    same_lines "$server: app_loop share" ../scripts/app_loop.lua --threads=3 share
    same "$server: app_loop share, alone" ../scripts/app_loop.lua share
    same "$server: app_loop prepare" ../scripts/app_loop.lua prepare
    # The script has its own report hook, so only statements and exit codes are compared.
    same_statements "$server: app_loop run" ../scripts/app_loop.lua "${few[@]}" run
    check_equal "$server: app_loop run: exit codes" "0 0" "$peer_status $our_status"
    check_equal "$server: app_loop run: its report" "$(printf '%s\n' "$peer_out" | grep -E '^(init|events|done)')" \
        "$(printf '%s\n' "$our_out" | grep -E '^(init|events|done)')"
    check_match "$server: app_loop run: its events" '^events.5.reads.10.other.0.true.true.true$' "$our_out"
    same "$server: app_loop cleanup" ../scripts/app_loop.lua cleanup

    for mode in auto disable; do
        same "$server: app_types prepare" ../scripts/app_types.lua prepare
        same_statements "$server: app_types, --db-ps-mode=$mode" ../scripts/app_types.lua --db-ps-mode=$mode "${few[@]}" run
        compare "$server: app_types, --db-ps-mode=$mode: output" cat
        same_counts "$server: app_types, --db-ps-mode=$mode"
        same "$server: app_types cleanup" ../scripts/app_types.lua cleanup
    done

    same_lines "$server: app_oltp prepare" ../scripts/app_oltp.lua --tables=2 --table-size=200 prepare
    same_schema "$server: app_oltp"
    # Five events may not use all of the tables.
    used_only=" " same_statements "$server: app_oltp" ../scripts/app_oltp.lua --tables=2 --table-size=200 "${few[@]}" run
    compare "$server: app_oltp: output" cat
    same_counts "$server: app_oltp"
    same "$server: app_oltp cleanup" ../scripts/app_oltp.lua --tables=2 cleanup
    same_empty "$server: app_oltp"

    same "$server: --mode=no" ../scripts/app_errors.lua --mode=no "${few[@]}" run
    errors sql-messages missing "1 failed.*SQL error, errno = [0-9]+, state = '42" \
        "1 failed.*SQL error, errno = [0-9]+, state = '42"
    errors sql-messages syntax "1 failed.*SQL error, errno = [0-9]+, state = '42" \
        "1 failed.*SQL error, errno = [0-9]+, state = '42"
    errors sql-messages caught "0 total number of events: +5$" "0 total number of events: +5$"
    errors sql-messages ignore "0 ignored errors: +3 " "0 ignored errors: +3 "
    if [ $name = mysql ]; then
        errors sql-messages duplicate "1 failed.*errno = 1062, state = '23000'" "1 failed.*errno = 1062, state = '23000'"
    else
        # Both tools restart the event again and again: the peer never ends, sysrate ends after --time.
        ours ../scripts/app_errors.lua --mode=duplicate "${few[@]}" --time=1 run
        check_equal "$server: --mode=duplicate: exit code" 0 "$our_status"
        check_match "$server: --mode=duplicate" "^ +0 +23505 +([0-9]+) +[1-9][0-9]*  duplicate key" "$our_out"
    fi
    differs no-connection "$server: unknown database" "1 connection creation failed" "1 unable to connect with the $server driver: .*nosuch" \
        ../scripts/app_types.lua "--$server-db=nosuch" run
    errors restart-event restart "1 app_errors.lua:[0-9]+: 1" "0 total number of events: +5$"
    errors last-event ends "0 total number of events: +2$" "0 total number of events: +3$"
    errors report-kept lua "1 attempt to index local 'x'" "1 attempt to index local 'x'"
    check_match "$server: a Lua error: the report" '^SQL statistics:|^Throughput:' "$our_out"
    differs missing-table "$server: missing table" "$([ $name = mysql ] && echo 1 || echo 139) sbtest1" \
        "1 ^FATAL: table sbtest1 does not exist" oltp_read_only "${few[@]}" run
    differs one-table "$server: cleanup of two tables" "1 does not support --tables > 1" "0 ^Dropping table 'sbtest2'" \
        select_random_points --tables=2 cleanup
done

finish
