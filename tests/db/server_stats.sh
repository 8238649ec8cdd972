#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests --server-stats, --replica and --server-config on a MySQL or MariaDB primary with a replica, and on PostgreSQL: output, comparison
# of counts, and runs whose server refuses, dies or freezes. The tests compare counts and wait for conditions. The only time measured is
# the end of runs, which a hanging sampler would delay by 10 s.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

replica_socket=$(mysql_socket_of replica)

prepare_replica() {
    make_mysql_tmp replica
    cp -a "$SERVERS_DIR/fresh" "$SERVERS_DIR/replica"
    forget_identity "$SERVERS_DIR/replica"
}

launch_replica() { MYSQL_SETTINGS=$replica_settings launch_mysql replica; }

replica_sql() { mysql_socket=$replica_socket mysql_sql "$@"; }

# The replica gets its databases and users from the primary's log.
create_replica_user() {
    mysql_sql "CREATE USER repl@'%' IDENTIFIED BY 'copy'; GRANT REPLICATION SLAVE ON *.* TO repl@'%'"
    replica_sql "$(follow "${server_port[mysql]}" repl copy)"
}

# Keeps a copy of the data folder before the first start, for the replica.
eval "$(declare -f prepare_mysql | sed '1s/prepare_mysql/install_mysql/')"
prepare_mysql() {
    install_mysql && cp -a "$SERVERS_DIR/mysql" "$SERVERS_DIR/fresh"
}

# soon NAME COMMAND...: checks that the command succeeds within 60 s.
soon() {
    if wait_for 60 "${@:2}"; then
        pass "$1"
    else
        fail "$1" "$(tail -n 20 run.out run.err)"
    fi
}

caught_up() { [ "$(replica_sql "CHECKSUM TABLE sbtest.sbtest1")" = "$(mysql_sql "CHECKSUM TABLE sbtest.sbtest1")" ]; }

with_options() {
    command=("$SYSRATE" "$1" "${connect[@]}" --tables=1 --table-size=1000 --threads=2 --report-interval=0.5
        --server-stats=0.5 --json=a.json "${@:2}")
    rm -f a.json
}

load() {
    with_options "$@"
    run "${command[@]}"
}

# start_load OPTION...: starts a run in the background with its output in run.out and run.err.
start_load() {
    with_options "$@"
    rm -f run.out
    "${command[@]}" >run.out 2>run.err &
    run_pid=$!
}

end_load() {
    wait $run_pid
    status=$?
    out=$(cat run.out) err=$(settled run.err)
}

json() { jq -c "$1" a.json; }

shows() { grep -Eqss "$1" run.out; }

# True if figures follow the first line that reports a missing answer.
answers_again() { awk '/server: no answer/ { gone = 1 } gone && /server: (statements|commits)\/s/ { again = 1 } END { exit !again }' run.out; }

now_ms() { date +%s%3N; }

watch_primary_and_replica() {
    steadily load oltp_write_only --time=2 --replica=127.0.0.1:"${server_port[replica]}" --csv=a.csv --html=a.html --server-config run
    check_equal "write-only load: exits 0" 0 "$status"
    check_equal "without a privilege: one warning" 1 "$(grep -c WARNING <<<"$err")"
    check_match "it names what is missing" "WARNING: replica \(host '127.0.0.1', port ${server_port[replica]}\): lag is not known: .*$replica_privilege" "$err"
    check_match "the interval line is as ever" '^\[ [0-9.]+s \] thds: 2 tps: [0-9.]+ qps: ' "$out"
    check_match "the server's line" '^\[ [0-9.]+s \] server: statements/s: [0-9.]+ commits/s: [0-9.]+ writes/s: [0-9.]+ ins/s: [0-9.]+ upd/s: [1-9][0-9.]* del/s' "$out"
    check_match "buffer pool, threads, log" '^\[ [0-9.]+s \] server: buffer/s: [0-9.]+ hit%: [0-9.]+ running: .* log KiB/s: [1-9]' "$out"
    if mariadb_only "history list"; then
        check_match "history list" '^\[ [0-9.]+s \] server: buffer/s: .* history: [0-9]' "$out"
    fi
    check_match "the machine" '^\[ [0-9.]+s \] machine: cpu%: [0-9.]+ ' "$out"
    check_match "statements are compared" '^    statements sent: [0-9]+, counted there: [0-9]+ \(difference [-+][0-9]+, tolerance [0-9]+: they agree\)$' "$out"
    check_match "and rows" '^    rows changed: [1-9][0-9]*, counted there: [0-9]+ \(difference [-+][0-9]+, tolerance [0-9]+: they agree\)$' "$out"
    check_equal "as many columns in each row of the CSV file" 1 "$(awk -F, '{ print NF }' a.csv | sort -u | wc -l)"
    check_match "columns" '(,.*)server_commits_per_s,server_writes_per_s,.*server_rows_updated_per_s,.*,replica_lag_s,.*,machine_cpu_busy_percent' "$(head -n 1 a.csv)"
    check_equal "all members in each interval" true "$(json '[.intervals[].probes | map_values(keys - ["error"])] | unique | length == 1')"
    check_equal "settings" "[\"0\",\"${log_size_setting#* }\"]" \
        "$(json ".server_config | [.innodb_flush_log_at_trx_commit, .${log_size_setting% *}]")"
    check_not "no password in any report" grep -q secret a.json a.csv a.html

    mysql_sql "GRANT $replica_privilege ON *.* TO sbtest@'%'"
    soon "the replica catches up" caught_up
    steadily load oltp_write_only --time=2 --replica=127.0.0.1:"${server_port[replica]}" run
    check_equal "with the privilege: no warning" "" "$err"
    check_match "lag and apply rate of the replica" '^\[ [0-9.]+s \] replica: .* lag s: [0-9.]+ applied tx/s: [1-9][0-9.]* behind KiB' "$out"
    # A transaction of oltp_write_only has four writes; the first and the last one may be only partly inside the measured time.
    check_between "commits and writes" 3.8 "$(json '.probes.sources[0].mean | .writes_per_s / .commits_per_s')" 4.2
    check_equal "rows of the replica" true "$(json '.probes.sources[] | select(.name == "replica") | .mean.rows_updated_per_s > 0')"
    check_equal "no gaps" '[[],[],[]]' "$(json '[.probes.sources[].gaps]')"
}

# The client counts a text with three statements as one statement, the server as three.
disagreement() {
    cat >three.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1; SELECT 2; SELECT 3") end
LUA
    run "$SYSRATE" three.lua "${connect[@]}" --events=500 --time=0 --warmup-time=0.001 --server-stats --json=a.json run
    check_equal "counts that disagree: exits 0" 0 "$status"
    check_match "they are named" '^    statements sent: 500, counted there: 150[0-9] \(they DISAGREE by \+100[0-9], ' "$out"
    check_equal "in JSON too" '[false,true]' "$(json '.probes.checks[0] | [.agrees, .ours == 500]')"
    check_match "with a warm-up rows are not compared" \
        '^    not compared with what was sent: rows changed, since there was a warm-up$' "$out"
    check_equal "with a warm-up: in JSON" '[1,true]' "$(json '.probes | [(.checks | length), (.unchecked | startswith("rows changed"))]')"
    # The tolerance is two per connection, which is more than this run sends.
    run "$SYSRATE" three.lua "${connect[@]}" --threads=60 --events=30 --time=0 --server-stats --json=b.json run
    check_match "few statements, many connections: unclear" \
        '^    statements sent: 30, counted there: [0-9]+ \(difference \+[0-9]+, tolerance 120: unclear, ' "$out"
    check_equal "unclear: in JSON" null "$(jq -c '.probes.checks[0].agrees' b.json)"
}

killed_server() {
    start_load oltp_point_select --time=100 --mysql-ignore-errors=2013 run
    soon "figures before" shows 'server: statements/s'
    stop_server KILL mysql
    soon "killed: no answer" shows 'server: no answer for [0-9.]+ s: '
    start_server mysql
    soon "restarted: sampling goes on" answers_again
    kill -INT $run_pid
    end_load
    check_equal "killed: the run went on" 130 "$status"
    check_equal "killed: one warning of the sampler" 1 "$(grep -c 'cannot be watched' <<<"$err")"
    check_match "killed: the gap in the report" '^        no answer from [0-9.]+ s to [0-9.]+ s: ' "$out"
    check_match "killed: counts are not compared" "^    not compared with what was sent: the server's counts do not cover" "$out"
    check_equal "killed: gap and intervals in JSON" true "$(json '(.probes.sources[0].gaps | length >= 1) and
        ([.intervals[].probes.server | select(.silent_s > 0 and .error != null and .statements_per_s == null)] | length >= 1)')"
    check_equal "killed: requests add up" true "$(json '.summary.requests | .offered == .completed + .failed + .dropped + .unfinished')"
}

# cancelled_sample: a sample waits for a lock, and an administrator cancels its statement. The following samples are taken.
cancelled_sample() {
    start_load oltp_point_select --time=100 run
    soon "PostgreSQL: figures before" shows 'server: .*commits/s'
    pgsql_sql "BEGIN; LOCK TABLE pg_stat_bgwriter IN ACCESS EXCLUSIVE MODE;
        DO \$\$ BEGIN
            FOR attempt IN 1..3000 LOOP
                EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE CASE WHEN wait_event_type = 'Lock' THEN pg_cancel_backend(pid) END);
                PERFORM pg_sleep(0.01);
                PERFORM pg_stat_clear_snapshot();
            END LOOP;
        END \$\$; ROLLBACK" sbtest
    soon "PostgreSQL, a cancelled sample: no answer" shows 'server: no answer for [0-9.]+ s: .*canceling statement'
    soon "PostgreSQL, a cancelled sample: sampling goes on" answers_again
    kill -INT $run_pid
    end_load
    check_equal "PostgreSQL, a cancelled sample: one gap names it" 1 \
        "$(json '[.probes.sources[0].gaps[] | select(.error | strings | test("canceling statement"))] | length')"
}

# frozen NAME SERVER EXIT-CODE OPTION...: the server freezes during a run and is still frozen at its end.
frozen() {
    start_load oltp_point_select --time=6 "${@:4}" run
    soon "$1: figures before" shows "$2: statements/s"
    signal_server STOP "${2/server/mysql}"
    local began_ms
    began_ms=$(now_ms)
    end_load
    check_between "$1: the run ends on time" 0 $(($(now_ms) - began_ms)) 12000
    signal_server CONT "${2/server/mysql}"
    check_equal "$1: exit code" "$3" "$status"
    check_equal "$1: the gap is in JSON" true "$(json "[.probes.sources[] | select(.name == \"$2\") | .gaps | length >= 1] == [true]")"
}

refusals() {
    mysql_sql "CREATE USER two@'%' IDENTIFIED BY 'secret' WITH MAX_USER_CONNECTIONS 2; GRANT ALL ON sbtest.* TO two@'%'"
    # Without --check-tables, because its connection might still count when the workers connect. The rate keeps the workers connected
    # until the sampler connects.
    load oltp_point_select --events=1000 --time=0 --tx-rate=1000 --mysql-user=two --check-tables=off run
    check_equal "no connection to spare: exits 0" 0 "$status"
    check_match "no connection to spare: a warning says so" '^WARNING: server .* cannot be watched: .*max_user_connections' "$err"
    check_equal "no connection to spare: once" 1 "$(grep -c 'cannot be watched' <<<"$err")"
    check_equal "no connection to spare: nothing lost" 1000 "$(json .summary.requests.completed)"

    load oltp_point_select --events=1000 --time=0 --server-config --report-format=json run
    check_equal "JSON on standard output: settings, sources and comparison are in its last line" "true $(jq -cS 'del(.intervals)' a.json)" \
        "$(tail -n 1 <<<"$out" | jq -r '(.server_config | length) > 0 and .probes.checks[0].agrees') $(tail -n 1 <<<"$out" | jq -cS .)"

    run "$SYSRATE" oltp_point_select --db-driver=sqlite --tables=1 --table-size=10 prepare
    run "$SYSRATE" oltp_point_select --db-driver=sqlite --tables=1 --table-size=10 --events=10 --server-stats --server-config --json=b.json run
    check_equal "SQLite: exits 0" 0 "$status"
    check_match "SQLite has no server" '^WARNING: --server-stats has no effect with the sqlite driver' "$err"
    check_equal "SQLite has no server: said in the report" "--server-config --server-stats" "$(jq -r '.warnings[]' b.json |
        sed -n 's/ has no effect with the sqlite driver.*//p' | sort | xargs)"
    run "$SYSRATE" oltp_point_select --db-driver=sqlite --tables=1 --table-size=10 --events=10 --server-config run
    check_equal "settings without a report to hold them" \
        "0 WARNING: --server-config has no effect without --json, --html or --report-format=json" "$status $err"
}

postgresql() {
    server_options pgsql
    load oltp_write_only prepare
    load oltp_point_select --events=100 --time=0 --archive=kept run
    load oltp_point_select --events=100 --time=0 --archive=kept --server-config=off run
    check_equal "in an archive: the settings are on by default" "true false" \
        "$(for i in 1 2; do "$SYSRATE" archive show --json kept "$i" | jq 'has("server_config") and (.server_config | length > 0)'; done | xargs)"
    # A session reports its counts at most once per second, and on a busy machine later.
    steadily load oltp_write_only --time=4 --server-config run
    check_equal "PostgreSQL: exits 0" 0 "$status"
    check_equal "PostgreSQL: no warning" "" "$err"
    check_match "PostgreSQL: transactions and rows" '^\[ [0-9.]+s \] server: commits/s: [1-9][0-9.]* ins/s: [1-9][0-9.]* upd/s: [1-9]' "$out"
    check_equal "PostgreSQL: commits in JSON" true "$(json '.probes.sources[0].mean.commits_per_s > 0')"
    check_match "PostgreSQL: buffers, backends, WAL" '^\[ [0-9.]+s \] server: buffer/s: .* hit%: .* active: .* connected: .* log KiB/s: [1-9]' "$out"
    check_match "PostgreSQL: rows are compared" '^    rows changed: [1-9][0-9]*, counted there: [0-9]+ \(difference [-+][0-9]+, tolerance [0-9]+: they agree\)$' "$out"
    check_equal "PostgreSQL: settings" '["off","64MB"]' "$(json '.server_config | [.fsync, .shared_buffers]')"
    # Closing prepared statements one by one at the end would add 100 or more transactions. The sampler adds less than ten per second.
    # The lower bound is open, because a session reports its counts with a delay.
    load oltp_read_write --threads=8 --tx-rate=20 --time=2 --drain=20 run
    check_between "PostgreSQL: no commits but those of the load" -1e6 \
        "$(json '(.probes.sources[0].mean.commits_per_s - 10) * .summary.elapsed_s - .summary.requests.completed')" 30
    # The session reports the rows after its transaction, 3 s late; the log has them at once.
    cat >held.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("BEGIN")
   con:query("INSERT INTO held SELECT generate_series(1, 20000)")
   con:query("SELECT pg_sleep(3)")
   con:query("COMMIT")
end
LUA
    pgsql_sql "ALTER DATABASE sbtest SET work_mem = '2MB'"
    load oltp_point_select --events=1000 --time=0 --server-config --inject="0s: sql: ALTER DATABASE sbtest SET work_mem = '3MB'" run
    check_equal "PostgreSQL: a setting that an injection changes before the measured part" '0 ["done","3MB"]' \
        "$status $(json '[.injections[0].state, .server_config.work_mem]')"
    load oltp_point_select --time=3 --server-config --inject="0s: sql: ALTER DATABASE sbtest SET work_mem = '4MB'" \
        --inject="0.2s: sql: ALTER DATABASE sbtest SET work_mem = '5MB'" run
    check_equal "PostgreSQL: a setting that an injection may have changed again is that from the start" '0 "3MB"' \
        "$status $(json .server_config.work_mem)"
    load oltp_point_select --events=1000 --time=0 --server-config --inject="0s: sql: ALTER DATABASE sbtest SET work_mem = '6MB'" \
        --inject="1h: sql: SELECT 1" run
    check_equal "PostgreSQL: an injection that was never due does not matter" '0 "6MB"' "$status $(json .server_config.work_mem)"
    pgsql_sql "CREATE TABLE held (n INT); GRANT ALL ON held TO sbtest" sbtest
    command=("$SYSRATE" held.lua "${connect[@]}" --events=1 --time=0 --report-interval=0.5 --server-stats=0.5 --json=a.json --csv=a.csv run)
    run "${command[@]}"
    check_equal "PostgreSQL, a long transaction: exits 0" 0 "$status"
    check_equal "PostgreSQL: the log is written before the rows are counted" true \
        "$(json '[.intervals[].probes.server] | (map(.log_kib_per_s > 500) | index(true)) < (map(.rows_inserted_per_s > 500) | index(true) // length)')"
    check_equal "PostgreSQL: late counts are marked" true "$(json '[.intervals[].probes.server.counts_late] | any')"
    check_match "PostgreSQL: in the text" '^\[ [0-9.]+s \] server: counts are late: ' "$out"
    check_match "PostgreSQL: a column" ',server_counts_late' "$(head -n 1 a.csv)"
    cancelled_sample
    pgsql_sql "REVOKE SELECT ON pg_stat_bgwriter FROM PUBLIC" sbtest
    load oltp_point_select --events=1000 --time=0 run
    check_equal "PostgreSQL refuses: exits 0" 0 "$status"
    check_equal "PostgreSQL refuses: one warning" 1 "$(grep -c '^WARNING: server .*permission denied for view pg_stat_bgwriter$' <<<"$err")"
    check_equal "PostgreSQL refuses: nothing lost" 1000 "$(json .summary.requests.completed)"
}

# refused OPTION ALLOWED: the option must be refused with this list of allowed values
refused() {
    run "$SYSRATE" "$1" oltp_point_select run
    check_equal "$1" "1 FATAL: invalid value for ${1%%=*}: '${1#*=}' (allowed: $2)" "$status $err"
}

bad_values() {
    local places="up to 4 of HOST, HOST:PORT or a socket, separated by commas" value
    refused --server-stats=0.05 "0 for none, or seconds from 0.1 to 1000000000"
    for value in '' db:0 db:65536 db:x '[::1]:' a,b,c,d,e; do
        refused "--replica=$value" "$places"
    done
    refused --server-config=maybe "on or off"
}

bad_values
MYSQL_SETTINGS="--log-bin=$SERVERS_DIR/mysql/log $primary_settings"
start_servers mysql replica pgsql
server_options mysql
load oltp_write_only prepare
soon "the replica follows" caught_up
watch_primary_and_replica
disagreement
frozen "frozen replica" replica 0 --replica="$replica_socket"
frozen "frozen server" server 2 --forced-shutdown=0
refusals
killed_server
postgresql
finish
