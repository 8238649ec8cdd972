# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate replay: logs that MariaDB (or MySQL) and PostgreSQL made of a run of ours and of pgbench are replayed, and what the server then
# logs of the replay is compared: the same statements in the same order in each session.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"

logs=$SERVERS_DIR/logs
mkdir -p "$logs"
chmod 711 "$SERVERS_DIR"
chmod 1777 "$logs"
MYSQL_SETTINGS=(--general-log-file="$logs/start.log" --log-output=FILE)
PGSQL_SETTINGS=(--log_min_duration_statement=0 --log_destination=csvlog --logging_collector=on --log_directory="$logs"
    --log_filename=pgsql.log --log_connections=on --log_disconnections=on)
start_servers mysql pgsql

sessions() { python3 "$TESTS_DIR/db/replay_sessions.py" sessions "$1"; }
json() { jq -c "$1" report.json; }
# The figure behind "behind schedule: at most", in seconds.
furthest() { printf '%s\n' "$out" | sed -n 's/^ *behind schedule: at most \([0-9.]*\) s.*/\1/p'; }

# mysql_log NAME: what comes now goes to that general log.
mysql_log() { mysql_sql "SET GLOBAL general_log_file = '$logs/$1.log'; SET GLOBAL general_log = ON"; }
mysql_log_off() {
    mysql_sql "SET GLOBAL general_log = OFF"
    sed -i '/general_log/d' "$logs/$1.log"
}
# pgsql_log NAME: what has come since the last call is in that csvlog. Sessions that have ended before the mark have told it before.
pgsql_ended() { [ "$(pgsql_sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'sbtest' /* oracle */")" = 0 ]; }
pgsql_marked() { grep -q "oracle mark" "$logs/pgsql.csv"; }
pgsql_log() {
    wait_for 30 pgsql_ended
    pgsql_sql "SELECT 'oracle mark'" >/dev/null
    wait_for 30 pgsql_marked
    cp "$logs/pgsql.csv" "$1.csv"
    : >"$logs/pgsql.csv"
}

small=(--table-size=100 --tables=2)

server_options mysql
"$SYSRATE" "${connect[@]}" "${small[@]}" oltp_read_write prepare >/dev/null
mysql_log first
"$SYSRATE" "${connect[@]}" "${small[@]}" --check-tables=off --threads=3 --tx-rate=30 --time=1.5 --rand-seed=1 oltp_read_write run >first.txt
mysql_log_off first
sessions "$logs/first.log" >first
check_equal "mysql: the log has the sessions of the run" 3 "$(wc -l <first)"
for speed in 1 4; do
    mysql_log "again$speed"
    run "$SYSRATE" "${connect[@]}" --json=report.json --speed=$speed --allow-writes replay "$logs/first.log" run
    mysql_log_off "again$speed"
    check_equal "mysql: exit code, speed $speed" 0 "$status"
    sessions "$logs/again$speed.log" >again
    check "mysql: the same statements in the same order in each session, speed $speed" cmp first again
    check_equal "mysql: all adds up" true "$(json '.summary.requests | .completed == .offered and .unfinished == 0')"
done
check_equal "mysql: as many statements as the log has" "$(tr '\001' '\n' <first | wc -l)" "$(json .summary.requests.offered)"

run "$SYSRATE" "${connect[@]}" --json=report.json --speed=10 replay "$logs/first.log" run
check_match "mysql: without --allow-writes writes stay away" \
    'not replayed without --allow-writes: [0-9]+ statements that may write \(line [0-9]+: UPDATE' "$out"
check_equal "mysql: and none is sent" 0 "$(json .summary.counters.writes)"

# A server that stands still shows in the response times, and nothing arrives later for it.
freeze() {
    run "$SYSRATE" "${connect[@]}" --json=report.json --request-log="$1" "${@:2}" replay "$logs/first.log" run
    check_equal "mysql: exit code of $1" 0 "$status"
}
arrivals() { awk -F '[ ,\t]' '/^[0-9]/ { print $1 }' "$1" | sort -n | awk 'NR == 1 { first = $1 } { printf "%d\n", $1 - first }'; }
freeze moving.txt
freeze frozen.txt --inject="0.2s: sh: kill -STOP ${server_main_pid[mysql]}; sleep 1.5; kill -CONT ${server_main_pid[mysql]}"
check_equal "mysql: frozen for 1.5 s, a response took half of that and more" true "$(json '.summary.response_ms.max > 750')"
arrivals moving.txt >moving
arrivals frozen.txt >frozen
check "mysql: the schedule is that of a server which moves" cmp moving frozen

server_options pgsql
pgbench=("$(pgsql_bin)/pgbench" --host="$SERVERS_DIR" --port="${server_port[pgsql]}" --username=sbtest)
"${pgbench[@]}" -i -q sbtest >/dev/null 2>&1
pgsql_log nothing
"${pgbench[@]}" --client=2 --transactions=15 --rate=30 --protocol=prepared --random-seed=1 sbtest >pgbench.txt 2>&1
pgsql_log first
sessions first.csv >first
for speed in 1 4; do
    run "$SYSRATE" "${connect[@]}" --json=report.json --speed=$speed --allow-writes replay first.csv run
    check_equal "pgsql: exit code, speed $speed" 0 "$status"
    pgsql_log "again$speed"
    sessions "again$speed.csv" >again
    check "pgsql: the same statements in the same order in each session, speed $speed" cmp first again
    check_equal "pgsql: all adds up" true "$(json '.summary.requests | .completed == .offered and .unfinished == 0')"
    # What the server calls the start lies between arrival and response; two clocks tick in milliseconds.
    check_equal "pgsql: starts are where they were, within the longest response, speed $speed" within \
        "$(python3 "$TESTS_DIR/db/replay_sessions.py" starts first.csv "again$speed.csv" $speed "$(json '.summary.response_ms.max + 3')")"
done
check_match "pgsql: logged durations beside" '^    update pgbench_accounts +logged +30 ' "$out"

finish
