# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate capacity -- replay LOG with logs of servers: PostgreSQL's log of pgbench, with writes that must be undone before each probe,
# and MariaDB's (or MySQL's) log of sysrate itself. The result is compared with the edge that single replays find.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"

logs=$SERVERS_DIR/logs
mkdir -p "$logs"
chmod 711 "$SERVERS_DIR"
chmod 1777 "$logs"
MYSQL_SETTINGS=(--general-log-file="$logs/start.log" --log-output=FILE)
PGSQL_SETTINGS=(--log_min_duration_statement=0 --log_destination=csvlog --logging_collector=on --log_directory="$logs"
    --log_filename=pgsql.log --log_connections=on --log_disconnections=on)
start_servers mysql pgsql

# Statements wait 4 ms in the server, so the edge depends little on its processors: 2 sessions with 30 statements of that kind per
# second each are busy for 12 to 20 % of the time at speed 1, and p90 exceeds 50 ms when they are nearly always busy.
slo='p90<50ms,errors<1%'
search=(--precision=15 --pause=0 --seed=3 --time-limit=240)

# p90 SPEED OPTION...: restores the data and replays the log by hand.
p90() {
    "$restore" >>restores.txt
    run "$SYSRATE" "${connect[@]}" --json=report.json --percentile=90 replay "$log" run "${writes[@]}" --speed="$1"
    jq '.summary.response_ms.percentiles.p90.value' report.json
}
# Prints the edge that a bisection with single replays finds, to a factor of 1.1: each speed is tried three times, and
# the median counts.
edge_by_hand() {
    local low=1 high=64 middle
    while awk "BEGIN { exit !($high / $low > 1.1) }"; do
        middle=$(awk "BEGIN { print sqrt($low * $high) }")
        if awk "BEGIN { exit !($(for _ in 1 2 3; do p90 "$middle"; done | sort -g | sed -n 2p) < 50) }"; then low=$middle; else high=$middle; fi
    done
    awk "BEGIN { print sqrt($low * $high) }"
}
# The interval has a coverage of 95 %. The edge by hand is known to a factor of 1.1, and other programs on this machine change it
# from one minute to the next, so the interval is widened by a factor of 1.5. A wrong factor would be off by more: the edge is
# between 3 and 12 times the load.
check_capacity() {
    rm -rf found
    : >restores.txt
    run "$SYSRATE" capacity --slo="$slo" --out=found "${search[@]}" --before-probe="exec: $restore" -- replay "$log" "${connect[@]}" "${writes[@]}"
    check "$1: the search ends" test "$status" = 0 -o "$status" = 4
    check_match "$1: its result" '^Capacity: ' "$out"
    check_equal "$1: speed 1 meets the objectives" true "$(jq '.probes[0] | .met and .speed == 1' found/capacity.json)"
    check_equal "$1: nothing fails but overload" true \
        "$(jq '[.probes[].figures["errors<1%"].value] | all(. == 0 or . == null)' found/capacity.json)"
    local low high
    read -r low high < <(jq -r '.result | "\(.low_speed) \(.high_speed // 1000)"' found/capacity.json)
    check_between "$1: the edge by hand is in the interval" "$(awk "BEGIN { print $low / 1.5 }")" "$(edge_by_hand)" \
        "$(awk "BEGIN { print $high * 1.5 }")"
}

# pgbench. The replay inserts the rows with their keys, so it fails unless they are removed before.
server_options pgsql
pgsql_sql "CREATE TABLE moved (id bigint PRIMARY KEY); ALTER TABLE moved OWNER TO sbtest" sbtest
pgsql_created() { grep -q 'CREATE TABLE moved' "$logs/pgsql.csv"; }
wait_for 30 pgsql_created
: >"$logs/pgsql.csv" # without the statement of this test
printf '%s\n' '\set id random(1, 1000000000000)' 'INSERT INTO moved VALUES (:id);' 'SELECT pg_sleep(0.004);' >moves.sql
"$(pgsql_bin)/pgbench" --host="$SERVERS_DIR" --port="${server_port[pgsql]}" --username=sbtest --no-vacuum --client=2 --rate=60 \
    --time=4 --random-seed=1 --file=moves.sql sbtest >pgbench.txt 2>&1
check_equal "pgbench: exit code" 0 "$?"
pgsql_ended() { [ "$(pgsql_sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'sbtest'")" = 0 ]; }
wait_for 30 pgsql_ended
check "pgbench: its log" grep -q 'session time.*sbtest\|disconnection' "$logs/pgsql.csv"
cp "$logs/pgsql.csv" pgbench.csv
log=pgbench.csv
writes=(--allow-writes --log-database=sbtest --pgsql-db=sbtest)
cat >restore.sh <<EOF
#!/bin/sh
exec psql --no-psqlrc --host=$SERVERS_DIR --port=${server_port[pgsql]} --username=postgres --quiet --dbname=sbtest --command='TRUNCATE moved'
EOF
chmod 755 restore.sh
restore=$PWD/restore.sh
check_capacity "pgbench"
run "$SYSRATE" "${connect[@]}" --json=report.json replay "$log" run "${writes[@]}" --speed=4
run "$SYSRATE" "${connect[@]}" --json=report.json replay "$log" run "${writes[@]}" --speed=4
check_equal "pgbench: without restoring, statements fail" true "$(jq '.summary.requests.failed > 50' report.json)"

# sysrate itself.
server_options mysql
cat >sleeps.lua <<'EOF'
local con
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT SLEEP(0.004)") end
EOF
mysql_sql "SET GLOBAL general_log_file = '$logs/sysrate.log'; SET GLOBAL general_log = ON"
run "$SYSRATE" "${connect[@]}" --threads=2 --tx-rate=60 --time=4 --rand-seed=1 sleeps.lua run
check_equal "sysrate: exit code" 0 "$status"
mysql_sql "SET GLOBAL general_log = OFF"
grep -v general_log "$logs/sysrate.log" >sysrate.log
log=sysrate.log
writes=()
printf '#!/bin/sh\necho nothing to restore\n' >nothing.sh
chmod 755 nothing.sh
restore=$PWD/nothing.sh
check_capacity "sysrate"

finish
