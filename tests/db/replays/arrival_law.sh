# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sysrate replay LOG --arrival-law with the log that PostgreSQL has written during runs whose arrivals have a known law. The command
# line is tested in tests/cli/replay/arrival_law.sh.

. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"

logs=$SERVERS_DIR/logs
mkdir -p "$logs"
chmod 711 "$SERVERS_DIR"
chmod 1777 "$logs"
PGSQL_SETTINGS=(--log_statement=all --log_destination=csvlog --logging_collector=on --log_directory="$logs"
    --log_filename=pgsql.log --log_connections=on --log_disconnections=on)
start_servers pgsql
server_options pgsql

cat >one.lua <<'EOF'
local con
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
EOF
# Prints the number of statements in the log.
logged() { grep -c 'statement: SELECT 1"' "$logs/pgsql.csv"; }
all_logged() { [ "$(logged)" -ge "$requests" ]; }
write_log() {
    : >"$logs/pgsql.csv"
    run "$SYSRATE" "${connect[@]}" --threads=8 --tx-rate=200 --time=10 --rand-seed=7 --json=report.json "$@" one.lua run
}
# law OPTION...: makes a run of 10 s and reads the law of the server's log.
law() {
    steadily write_log "$@"
    check_equal "$*: exit code" 0 "$status"
    requests=$(jq .summary.requests.completed report.json)
    wait_for 30 all_logged
    run "$SYSRATE" replay "$logs/pgsql.csv" --arrival-law --json=law.json --log-database=sbtest
    check_equal "$*: the statements of the run" "$requests" "$(jq .statements law.json)"
}

# 2000 gamma gaps with a CV of 2 have a CV with a standard deviation of √(10/2000) = 0.07 (the formula is in
# tests/cli/replay/arrival_law.sh); 4 are 0.28. Delays of a busy machine, of 2 ms here and there, change gaps of 5 ms on average: 0.2.
law --arrival='gamma(2)'
check_between "gamma(2): the CV" 1.5 "$(jq .cv law.json)" 2.5
check_equal "gamma(2): the gaps are known by a clock of 1 ms" '"gamma" null' "$(jq -c .kind law.json) $(jq -c .cv_window_s law.json)"

# c = 1/0.2 + 1/0.05 = 25/s, A = 2 · 0.2 · 0.8 · (b − a)²/(200 · 25) with a = 71 and b = 714 per second: 26, so I is 3.7 at 10 ms
# and 17 at 100 ms.
law --arrival='mmpp(1,10,200ms,50ms)'
check_equal "mmpp: it is recognised" '"mmpp"' "$(jq .kind law.json)"
check_equal "mmpp: I grows with the window" true \
    "$(jq '[.dispersion[] | select(.window_s == 0.01 or .window_s == 0.1) | .index] | .[1] > 1.5 * .[0]' law.json)"

finish
