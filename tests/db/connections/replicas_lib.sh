# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A primary with two replicas. Sourced after cli/lib.sh; sources servers.sh.
#
#   start_replicas mysql|pgsql   starts a primary and its replicas; sets $kind, $replica (the names of the replicas), $read_hosts (the value of
#                                --read-hosts) and $connect
#   primary_sql STATEMENT        executes a statement as administrator
#   replica_sql NAME STATEMENT   the same at a replica
#   pause_replica NAME; resume_replica NAME   stops and starts the applying of changes
#   promote_replica NAME
#   caught_up NAME               true if the replica has the rows of the primary's sbtest1

. "$TESTS_DIR/db/servers.sh" || exit 1

replica=(replica1 replica2)

# replica_port NAME must exist before the server of that name is prepared.
prepare_mysql_replica() { prepare_mysql "$1"; }
launch_mysql_replica() { MYSQL_SETTINGS="--server-id=1${1: -1} ${replica_settings#--server-id=2}" launch_mysql "$1"; }
create_mysql_replica_user() { replica_sql "$1" "$(follow "${server_port[mysql]}" repl copy)"; }

prepare_pgsql_replica() {
    become postgres
    "${as_user[@]}" "$(pgsql_bin)/pg_basebackup" --pgdata="$SERVERS_DIR/$1" --write-recovery-conf --checkpoint=fast --no-sync \
        --dbname="host=$SERVERS_DIR port=${server_port[pgsql]} user=postgres application_name=$1" >"$SERVERS_DIR/$1.install" 2>&1 ||
        { cat "$SERVERS_DIR/$1.install"; return 1; }
}
launch_pgsql_replica() { launch_pgsql "$1"; }
create_pgsql_replica_user() { :; }

for name in "${replica[@]}"; do
    eval "prepare_$name() { prepare_\${kind}_replica $name; }
        launch_$name() { launch_\${kind}_replica $name; }
        create_${name}_user() { create_\${kind}_replica_user $name; }
        ${name}_sql() { replica_sql $name \"\$@\"; }"
done

primary_sql() { "${kind}_sql" "$@"; }

replica_sql() {
    if [ "$kind" = mysql ]; then
        mysql_socket=$(mysql_socket_of "$1") mysql_sql "${@:2}"
    else
        pgsql_name=$1 pgsql_sql "${@:2}"
    fi
}

start_replicas() {
    kind=$1
    MYSQL_SETTINGS="--log-bin=$SERVERS_DIR/mysql/log $primary_settings"
    start_servers "$kind"
    if [ "$kind" = mysql ]; then
        mysql_sql "CREATE USER repl@'%' IDENTIFIED BY 'copy'; GRANT REPLICATION SLAVE ON *.* TO repl@'%'"
    fi
    start_servers "${replica[@]}"
    read_hosts=127.0.0.1:${server_port[replica1]},127.0.0.1:${server_port[replica2]}
    server_options "$kind"
    connect+=(--table-size=100)
}

# PostgreSQL pauses some time after it was asked to.
is_paused() { [ "$(replica_sql "$1" "SELECT pg_get_wal_replay_pause_state()")" = paused ]; }

pause_replica() {
    if [ "$kind" = mysql ]; then
        replica_sql "$1" "STOP SLAVE SQL_THREAD"
    else
        replica_sql "$1" "SELECT pg_wal_replay_pause()" >/dev/null
        wait_for 10 is_paused "$1"
    fi
}

resume_replica() {
    if [ "$kind" = mysql ]; then
        replica_sql "$1" "START SLAVE SQL_THREAD"
    else
        replica_sql "$1" "SELECT pg_wal_replay_resume()" >/dev/null
    fi
}

promote_replica() {
    if [ "$kind" = mysql ]; then
        replica_sql "$1" "STOP SLAVE; RESET SLAVE ALL"
    else
        replica_sql "$1" "SELECT pg_promote()" >/dev/null
    fi
}

count_rows="SELECT COUNT(*) FROM sbtest1"
caught_up() { [ "$(replica_sql "$1" "$count_rows" sbtest 2>/dev/null)" = "$(primary_sql "$count_rows" sbtest)" ]; }
