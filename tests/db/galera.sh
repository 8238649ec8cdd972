#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# A Galera cluster of three: what its members count, beside what they were sent.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/galera_lib.sh"
start_galera

# Transactions that meet on two members end one of them: an error to be ignored.
user=(--db-driver=mysql --mysql-password=secret --mysql-ignore-errors=1213,1020,1205)
one=("${user[@]}" --mysql-socket="$(mysql_socket_of g1)")
three=("${user[@]}" --mysql-socket="$(mysql_socket_of g1),$(mysql_socket_of g2),$(mysql_socket_of g3)")

checks_of() { jq -c '[.probes.checks[] | [.what, .agrees]]' a.json; }


run "$SYSRATE" oltp_write_only "${one[@]}" --table-size=10000 prepare
check_equal "prepare" 0 "$status"

# Each member changes all rows, whichever was sent them.
both_agree='[["statements sent",true],["rows changed",true]]'
run "$SYSRATE" oltp_write_only "${three[@]}" --table-size=10000 --threads=6 --events=600 --time=0 --server-stats --json=a.json run
check_equal "all members are sent writes: exit code" 0 "$status"
check_equal "all members are sent writes: counts agree" "$both_agree" "$(checks_of)"
check "all members are sent writes: rows were changed" test "$(jq '.probes.checks[1].ours' a.json)" -ge 1800
run "$SYSRATE" oltp_write_only "${one[@]}" --table-size=10000 --threads=2 --events=600 --time=0 --server-stats --json=a.json run
check_equal "one member is sent writes: counts agree" "$both_agree" "$(checks_of)"
finish
