# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
#
# Compares prepare, run and cleanup of the bundled workloads with sysbench 1.0.20 on one server. Started by differential_mysql.sh
# and differential_pgsql.sh with $1 = the server.

. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/differential/differential_lib.sh"
start_differential "$1"

# workload SCRIPT [OPTION...]: compares one workload with and without server-side prepared statements
workload() {
    local script=$1 mode
    shift
    set -- "${tables[@]}" "$@"
    same_lines "$script prepare" "$script" "$@" prepare
    same_schema "$script prepare"
    for mode in auto disable; do
        # The peer's oltp_insert never prepares (listed: prepared-insert).
        if [ "$script $mode" != "oltp_insert auto" ]; then
            same_statements "$script, --db-ps-mode=$mode" "$script" "$@" "${few[@]}" --db-ps-mode=$mode run
            compare "$script, --db-ps-mode=$mode: output" cat
        else
            same "$script, --db-ps-mode=$mode: output" "$script" "$@" "${few[@]}" --db-ps-mode=$mode run
        fi
        same_counts "$script, --db-ps-mode=$mode"
    done
    same "$script cleanup" "$script" "$@" cleanup
    same_empty "$script cleanup"
    same "$script cleanup of nothing" "$script" "$@" cleanup
}

for script in oltp_read_write oltp_read_only oltp_write_only oltp_point_select oltp_insert oltp_delete oltp_update_index \
    oltp_update_non_index; do
    workload $script
done
workload select_random_points --tables=1
workload select_random_ranges --tables=1

# One event inserts a row; one statement contains some thousand rows.
same "bulk_insert prepare" bulk_insert --threads=2 prepare
same_schema "bulk_insert prepare"
same "bulk_insert prepare again" bulk_insert --threads=2 prepare
same_statements "bulk_insert" bulk_insert --threads=1 --events=500 --time=0 run
compare "bulk_insert: output" cat
same_counts "bulk_insert"
same_schema "bulk_insert"
same "bulk_insert cleanup" bulk_insert --threads=2 cleanup
same_empty "bulk_insert cleanup"

finish
