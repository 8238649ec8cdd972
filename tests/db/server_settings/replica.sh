#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Varies a setting of a replica, which can change only while replication is stopped: sweep stops and starts replication, the tables have
# the transactions that the replica applies, and after a kill the next start makes replication run again.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

replica_socket=$(mysql_socket_of replica)
prepare_replica() { prepare_mysql replica; }
launch_replica() { MYSQL_SETTINGS=$replica_settings launch_mysql replica; }
replica_sql() { mysql_socket=$replica_socket mysql_sql "$@"; }
# status_of STATEMENT: prints the columns with their names, one in a line.
status_of() { "${mysql_client[@]}" --socket="$replica_socket" --user=root --vertical -e "$1"; }
create_replica_user() {
    mysql_sql "CREATE USER repl@'%' IDENTIFIED BY 'copy'; GRANT REPLICATION SLAVE ON *.* TO repl@'%'"
    replica_sql "$(follow "${server_port[mysql]}" repl copy)"
}

if [ $mysql_kind = mariadb ]; then
    workers=slave_parallel_workers
    stop="STOP SLAVE" kill_sql="STOP SLAVE SQL_THREAD"
    state() { status_of "SHOW SLAVE STATUS" | sed -nE 's/^ *Slave_(IO|SQL)_Running: //p' | tr '\n' ' '; }
else
    workers=replica_parallel_workers
    stop="STOP REPLICA" kill_sql="STOP REPLICA SQL_THREAD"
    state() { status_of "SHOW REPLICA STATUS" | sed -nE 's/^ *Replica_(IO|SQL)_Running: //p' | tr '\n' ' '; }
fi

value() { replica_sql "SELECT @@GLOBAL.$workers"; }
# The IO thread may be connecting for a moment.
runs() { [ "$(state)" = "Yes Yes " ]; }
user_arrived() { replica_sql "SELECT 1 FROM mysql.user WHERE User = 'sbtest'" | grep -q 1; }

# make_command OPTION... of the sweep.
make_command() {
    command=("$SYSRATE" sweep --out=dir --allow-server-changes --vary-server=$workers=1,3 --server-setting-host="$replica_socket" "$@" --
        oltp_write_only "${connect[@]}" --tables=2 --table-size=1000 --threads=2 --time=1 --report-interval=0.5
        --replica="$replica_socket")
}

varies() {
    rm -rf dir
    run "${command[@]}"
    check_equal "a replica: exits 0" 0 "$status"
    check_match "the first line names the replica" "^Server settings of .*replica.sock.* that will be changed: $workers \(now $old\) to 1, 3$" "$(head -n 1 <<<"$out")"
    check_equal "a line about replication" 1 "$(grep -c '^Replication of .* is stopped and started for each change$' <<<"$out")"
    check_equal "the setting is restored" "$old" "$(value)"
    check "replication runs again" wait_for 30 runs
    check_match "the table has the applied transactions" '^\| server\.'$workers' .* replica applied tx/s \|' "$out"
    check_equal "table.csv has them as in the reports" same "$(python3 - 2>&1 <<'PY'
import csv, json
for row in csv.DictReader(open('dir/table.csv')):
    mean = [s['mean'] for s in json.load(open('dir/' + row['file']))['probes']['sources'] if s['name'] == 'replica'][0]
    assert float(row['replica_applied_per_s']) == mean['applied_per_s'] > 0, row
print('same')
PY
)"
}

# A sweep that is killed between stopping and starting replication leaves it stopped. The test makes this state itself.
killed() {
    rm -rf dir
    "${command[@]}" --time=0 >run.out 2>run.err &
    local pid=$!
    wait_for 30 test -e dir/server-settings.journal || fail "the journal exists" "$(cat run.out run.err)"
    kill -KILL $pid
    wait $pid 2>/dev/null
    wait_for 20 no_children
    replica_sql "$kill_sql"
    replica_sql "SET GLOBAL $workers = 7"
    run "${command[@]}"
    check_equal "after a kill: exits 0" 0 "$status"
    check_equal "after a kill: the setting is restored" "$old" "$(value)"
    check "after a kill: replication runs again" wait_for 30 runs
}

no_children() { ! pgrep -f -- "server-settings:$WORK_DIR" >/dev/null; }

# Replication that was stopped by its administrator stays stopped.
stopped_before() {
    rm -rf dir
    replica_sql "$stop"
    make_command --seed=1
    run "${command[@]}"
    check_equal "stopped before: exits 0" 0 "$status"
    check_equal "stopped before: it stays so" "No No " "$(state)"
    check_equal "stopped before: the setting is restored" "$old" "$(value)"
    replica_sql "${stop/STOP/START}"
}

refused_by_replica() {
    rm -rf dir
    replica_sql "CREATE USER IF NOT EXISTS weak@'%' IDENTIFIED BY 'secret'"
    run "${command[@]}" --mysql-user=weak --mysql-db=
    check_equal "without a privilege: exits 1" 1 "$status"
    check_match "without a privilege: one line" "^FATAL: .*cannot (set|stop replication)" "$err"
    check "without a privilege: replication runs" wait_for 30 runs
    check_equal "without a privilege: nothing is changed" "$old" "$(value)"
}

MYSQL_SETTINGS="--log-bin=$SERVERS_DIR/mysql/log $primary_settings"
start_servers mysql replica
mysql_sql "GRANT ALL ON *.* TO sbtest@'%'"
wait_for 60 user_arrived
server_options mysql
run "$SYSRATE" oltp_write_only "${connect[@]}" --tables=2 --table-size=1000 prepare
check_equal "prepare" 0 "$status"
check "replication runs" wait_for 60 runs
old=$(value)
make_command
varies
killed
refused_by_replica
stopped_before
finish
