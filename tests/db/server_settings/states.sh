#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kills sweeps that vary a setting of a server in each state of the change. A proxy holds the connection that leads out of the state, so
# that the kill comes in this state and not only near it. kills.sh kills at points of time. In each state the journal and the value of the
# server must be those expected, and the next start must restore the value, first of all, and complete the sweep.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

journal=dir/server-settings.journal

mysql_value() { mysql_sql "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit"; }
pgsql_value() { pgsql_sql "SHOW synchronous_commit" sbtest; }

# use_server SERVER: sets the command that is killed, the old and the new value, and the sockets.
use_server() {
    server=$1
    server_options "$server"
    mkdir -p gate
    if [ "$server" = mysql ]; then
        old=0 new=1
        real=$mysql_socket
        socket=$WORK_DIR/gate/server.sock
        through=(--mysql-socket="$socket")
        setting=innodb_flush_log_at_trx_commit
    else
        old=on new=off
        real=$SERVERS_DIR/.s.PGSQL.${server_port[pgsql]}
        socket=$WORK_DIR/gate/.s.PGSQL.${server_port[pgsql]}
        through=(--pgsql-host="$WORK_DIR/gate")
        setting=synchronous_commit
    fi
    command=("$SYSRATE" sweep --out=dir --allow-server-changes --vary-server="$setting=$new" -- oltp_point_select "${connect[@]}"
        "${through[@]}" --tables=1 --table-size=100 --threads=1 --time=0.1)
}

# open_gate [TEXT NUMBER]: starts the proxy, which holds this event.
open_gate() {
    rm -f "$socket" gate/hold gate/held gate/drop gate/connections
    [ $# -eq 0 ] || echo "$*" >gate/hold
    python3 "$TESTS_DIR/db/server_settings/gate.py" "$socket" "$real" gate &
    gate_pid=$!
    wait_for 20 test -S "$socket" || fail "the proxy listens"
}

close_gate() {
    kill -KILL "$gate_pid" 2>/dev/null
    wait "$gate_pid" 2>/dev/null
}

no_children() { ! pgrep -f -- "--server-setting=|server-settings:$WORK_DIR" >/dev/null; }
has_no_child() { ! pgrep -P "$1" >/dev/null; }

# kill_now PID: kills the tool; its child loses the connection that is held.
kill_now() {
    kill -KILL "$1"
    wait "$1" 2>/dev/null
    touch gate/drop
    rm -f gate/hold
    wait_for 20 no_children || fail "$server, $state: the child of the killed program ends"
}

# look JOURNAL VALUE: checks the state in which the tool was killed.
look() {
    local journaled=no
    [ ! -e $journal ] || journaled=yes
    check_equal "$server, $state: journal and value" "$1 $2" "$journaled $("${server}_value")"
}

# recover JOURNAL: the same command restores the old value if there is a journal, and completes the sweep.
recover() {
    open_gate
    run "${command[@]}"
    close_gate
    check_equal "$server, $state: the next start completes the sweep" "0" "$status"
    if [ "$1" = yes ]; then
        check_match "$server, $state: the next start restores first" "^Server settings of .* restored: $setting=$old" "$(head -n 1 <<<"$out")"
    else
        check_match "$server, $state: the next start has nothing to restore" '^Server settings of .* that will be changed: ' "$(grep -m 1 '^Server settings' <<<"$out")"
    fi
    check_equal "$server, $state: restored, no journal" "$old no" "$("${server}_value") $([ -e $journal ] && echo yes || echo no)"
    [ "$server" = mysql ] || check_equal "pgsql, $state: nothing remains in the file" "" "$(grep -v '^#' "$SERVERS_DIR/pgsql/postgresql.auto.conf")"
}

# kill_held STATE TEXT NUMBER JOURNAL VALUE: kills the tool when the proxy holds this event.
kill_held() {
    local pid
    state=$1
    rm -rf dir
    open_gate "$2" "$3"
    "${command[@]}" >run.out 2>run.err &
    pid=$!
    wait_for 60 test -e gate/held || fail "$server, $state: reached" "$(cat run.out run.err)"
    kill_now $pid
    close_gate
    look "$4" "$5"
    recover "$4"
}

fill_pipe() {
    python3 - "$1" <<'PYTHON'
import os, sys
pipe = os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
for size in (4096, 1):
    try:
        while True:
            os.write(pipe, b'.' * size)
    except BlockingIOError:
        pass
PYTHON
}

# The line "restored" does not fit into a full pipe, so the tool waits between the end of the restoration and the removal of the journal.
kill_before_removal() {
    local pid
    state='restored and verified, journal not removed'
    rm -rf dir pipe
    mkfifo pipe
    exec 7<>pipe
    open_gate connect "$connections"
    "${command[@]}" >pipe 2>run.err &
    pid=$!
    wait_for 60 test -e gate/held || fail "$server, $state: reached" "$(cat run.err)"
    fill_pipe pipe
    rm gate/hold
    wait_for 20 has_no_child $pid || fail "$server, $state: the restoration ends"
    kill -KILL $pid
    wait $pid 2>/dev/null
    exec 7<&-
    close_gate
    look yes "$old"
    recover yes
}

# The next start is killed, too, when it has restored the value and not yet verified this. Its connections: which server, restore, verify.
kill_twice() {
    local pid
    state='killed again while it restored'
    rm -rf dir
    open_gate connect 6
    "${command[@]}" >run.out 2>run.err &
    pid=$!
    wait_for 60 test -e gate/held || fail "$server, $state: reached" "$(cat run.out run.err)"
    kill_now $pid
    close_gate
    look yes $new
    open_gate connect 3
    "${command[@]}" >run.out 2>run.err &
    pid=$!
    wait_for 60 test -e gate/held || fail "$server, $state: reached again" "$(cat run.out run.err)"
    kill_now $pid
    close_gate
    look yes "$old"
    recover yes
}

# The connections of a whole sweep: read the old value; try the new value and verify it; set it and verify it; the run; restore, verify.
count_connections() {
    rm -rf dir
    state='a whole sweep'
    open_gate
    run "${command[@]}"
    close_gate
    connections=$(cat gate/connections)
    check_equal "$server, $state: exit status, value" "0 $old" "$status $("${server}_value")"
    check "$server, $state: connections" test "$connections" -ge 8
}

test_states() {
    use_server "$1"
    count_connections
    kill_held 'before the journal' connect 1 no "$old"
    kill_held 'journal, nothing changed' connect 2 yes "$old"
    [ "$1" = mysql ] || kill_held 'changed in the file, not loaded' pg_reload_conf 1 yes "$old"
    kill_held 'changed, not verified' connect 3 yes $new
    kill_held 'changed and verified' connect 4 yes $new
    kill_held 'during the run' connect 6 yes $new
    kill_held 'before restoring' connect $((connections - 1)) yes $new
    [ "$1" = mysql ] || kill_held 'restored in the file, not loaded' pg_reload_conf 3 yes "$new"
    kill_held 'restored, not verified' connect "$connections" yes "$old"
    kill_before_removal
    kill_twice
}

start_servers
mysql_sql "GRANT ALL ON *.* TO sbtest@'%'"
pgsql_sql "ALTER USER sbtest SUPERUSER"
for server in mysql pgsql; do
    server_options $server
    run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=100 prepare
done
test_states mysql
test_states pgsql
finish
