# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
#
# A Galera cluster of three MariaDB servers, `g1` to `g3`, on this machine. Sourced after cli/lib.sh instead of db/servers.sh. They
# use free ports. start_galera starts them; stop_server, start_server and the other functions of servers.sh work with each of them,
# as do g1_sql to g3_sql. The others remove a member that does not answer for three seconds (the default is five), so that tests
# wait less.

. "$TESTS_DIR/db/servers.sh"

GALERA_PROVIDER=/usr/lib/galera/libgalera_smm.so
GALERA_OUT_AFTER='evs.keepalive_period=PT0.5S;evs.suspect_timeout=PT3S;evs.inactive_check_period=PT0.5S;evs.inactive_timeout=PT6S'
declare -A galera_port galera_sst_port galera_ist_port
# Option for the first server, which creates the cluster.
galera_new=--wsrep-new-cluster

galera_members() {
    local member
    for member in g1 g2 g3; do
        printf '%s127.0.0.1:%s' "${separator-}" "${galera_port[$member]}"
        local separator=,
    done
}

# The plugin is off, because with it MariaDB 11 turns some options of the provider into variables and rejects all other options at
# run time.
galera_settings() {
    local port=${galera_port[$1]}
    MYSQL_SETTINGS=(--binlog-format=ROW --innodb-autoinc-lock-mode=2 --wsrep-on=ON --wsrep-provider="$GALERA_PROVIDER"
        --loose-plugin-wsrep-provider=OFF --wsrep-cluster-name=test --wsrep-cluster-address="gcomm://$(galera_members)" --wsrep-node-address=127.0.0.1
        --wsrep-node-name="$1" --wsrep-sst-method=rsync --wsrep-sst-receive-address="127.0.0.1:${galera_sst_port[$1]}" $galera_new
        --wsrep-provider-options="gcache.size=8M;base_port=$port;gmcast.listen_addr=tcp://127.0.0.1:$port;ist.recv_addr=127.0.0.1:${galera_ist_port[$1]};$GALERA_OUT_AFTER")
}

launch_galera() {
    local MYSQL_SETTINGS
    galera_settings "$1"
    launch_mysql "$1"
}

launch_g1() { launch_galera g1; }
launch_g2() { launch_galera g2; }
launch_g3() { launch_galera g3; }
g1_sql() { mysql_socket=$(mysql_socket_of g1) mysql_sql "$@"; }
g2_sql() { mysql_socket=$(mysql_socket_of g2) mysql_sql "$@"; }
g3_sql() { mysql_socket=$(mysql_socket_of g3) mysql_sql "$@"; }
prepare_g1() { prepare_mysql g1; }
create_g1_user() { create_mysql_user g1; }

# Creates an empty folder for a server that joins; it receives all data from the first server.
prepare_joiner() {
    mkdir -p "$SERVERS_DIR/$1"
    own mysql "$SERVERS_DIR/$1"
    make_mysql_tmp "$1"
}
prepare_g2() { prepare_joiner g2; }
prepare_g3() { prepare_joiner g3; }
create_g2_user() { :; }
create_g3_user() { :; }

# True if all three members are in the cluster and accept statements.
galera_is_whole() {
    local member
    for member in g1 g2 g3; do
        [ "$("${member}_sql" "SELECT GROUP_CONCAT(variable_value ORDER BY variable_name) FROM information_schema.global_status
            WHERE variable_name IN ('wsrep_cluster_size', 'wsrep_ready')" 2>/dev/null)" = 3,ON ] || return 1
    done
}

start_galera() {
    local member
    if ! mariadb_only "a Galera cluster"; then
        pass "nothing to test"
        finish
    fi
    for member in g1 g2 g3; do
        galera_port[$member]=$(free_port)
        galera_sst_port[$member]=$(free_port)
        galera_ist_port[$member]=$(free_port)
    done
    start_servers g1
    galera_new=
    start_servers g2 g3
    check "the cluster has three members" wait_for 60 galera_is_whole
}
