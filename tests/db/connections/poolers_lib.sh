# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Starts poolers and proxies before the private servers (servers.sh), on free ports, with their files in a subfolder of the test's
# folder. Sourced after db/servers.sh, whose functions take these names like those of servers:
#
#   pgbouncer_transaction, pgbouncer_statement   pgbouncer with two sessions of the server for all clients
#   pgpool                                       Pgpool-II with eight processes, each for one client
#   haproxy, haproxy_mysql                       HAProxy, which passes on whole connections; the latter to MySQL or MariaDB
#
#   start_pooler NAME                 starts a pooler; returns false if it cannot be started
#   stop_server KILL NAME; start_server NAME
#   pooler_options NAME               sets the array $connect to the options that connect through the pooler
#   has_pooler NAME                   true if its program is installed

PATH=$PATH:/usr/sbin

has_pooler() { command -v "${1%%_*}" >/dev/null; }

pooler_options() {
    # shellcheck disable=SC2034  # read by tests
    if [ "$1" = haproxy_mysql ]; then
        connect=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${server_port[$1]}" --mysql-password=secret)
        return
    fi
    # shellcheck disable=SC2034  # read by tests
    connect=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="${server_port[$1]}" --pgsql-password=secret)
}

start_pooler() { first_start "$1"; }

# pooler_sql NAME STATEMENT [DATABASE]
pooler_sql() {
    if [ "$1" = haproxy_mysql ]; then
        "${mysql_client[@]}" --host=127.0.0.1 --port="${server_port[$1]}" --user=sbtest --password=secret --skip-column-names --batch -e "$2"
        return
    fi
    PGPASSWORD=secret psql --no-psqlrc --host=127.0.0.1 --port="${server_port[$1]}" --username=sbtest --quiet --tuples-only --no-align \
        --field-separator=$'\t' --dbname="${3:-sbtest}" --command="$2"
}

# launch_bouncer NAME MODE
launch_bouncer() {
    local config=$SERVERS_DIR/$1.ini
    cat >"$config" <<INI
[databases]
sbtest = host=$SERVERS_DIR port=${server_port[pgsql]} dbname=sbtest user=sbtest
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${server_port[$1]}
unix_socket_dir =
auth_type = any
admin_users = sbtest
pool_mode = $2
default_pool_size = ${POOL_SIZE:-2}
query_wait_timeout = ${POOL_WAIT:-120}
max_client_conn = ${POOL_CLIENTS:-200}
INI
    if pgbouncer --version | grep -Eq '^PgBouncer 1\.(2[1-9]|[3-9][0-9])'; then
        echo "max_prepared_statements = 0" >>"$config"
    fi
    own postgres "$config"
    become postgres
    exec "${as_user[@]}" pgbouncer "$config" >>"$SERVERS_DIR/$1.log" 2>&1
}
launch_pgbouncer_transaction() { launch_bouncer pgbouncer_transaction transaction; }
launch_pgbouncer_statement() { launch_bouncer pgbouncer_statement statement; }
pgbouncer_transaction_sql() { pooler_sql pgbouncer_transaction "$@"; }
pgbouncer_statement_sql() { pooler_sql pgbouncer_statement "$@"; }

# Since version 4.4, the option for the folder of sockets has another name.
launch_pgpool() {
    local folder=$SERVERS_DIR/pgpool sockets=unix_socket_directories pcp=pcp_socket_dir
    if pgpool --version 2>&1 | grep -Eq 'version 4\.[0-3]'; then
        sockets=socket_dir
    fi
    mkdir -p "$folder"
    cat >"$folder/pgpool.conf" <<CONF
listen_addresses = '127.0.0.1'
port = ${server_port[pgpool]}
$sockets = '$folder'
$pcp = '$folder'
pcp_port = $(free_port)
backend_clustering_mode = 'raw'
backend_hostname0 = '$SERVERS_DIR'
backend_port0 = ${server_port[pgsql]}
backend_weight0 = 1
num_init_children = ${POOL_SIZE:-8}
max_pool = 1
enable_pool_hba = off
pid_file_name = '$folder/pgpool.pid'
logdir = '$folder'
sr_check_period = 0
health_check_period = 0
CONF
    touch "$folder/pool_hba.conf" "$folder/pcp.conf"
    own postgres "$folder"
    become postgres
    exec "${as_user[@]}" pgpool -n -f "$folder/pgpool.conf" -a "$folder/pool_hba.conf" -F "$folder/pcp.conf" >>"$SERVERS_DIR/pgpool.log" 2>&1
}
pgpool_sql() { pooler_sql pgpool "$@"; }

# launch_proxy NAME SERVER
launch_proxy() {
    cat >"$SERVERS_DIR/$1.cfg" <<CFG
global
    maxconn 200
defaults
    mode tcp
    timeout connect 10s
    timeout client 1h
    timeout server 1h
listen database
    bind 127.0.0.1:${server_port[$1]}
    server database 127.0.0.1:${server_port[$2]} maxconn ${POOL_SIZE:-100}
CFG
    exec haproxy -db -f "$SERVERS_DIR/$1.cfg" >>"$SERVERS_DIR/$1.log" 2>&1
}
launch_haproxy() { launch_proxy haproxy pgsql; }
launch_haproxy_mysql() { launch_proxy haproxy_mysql mysql; }
haproxy_sql() { pooler_sql haproxy "$@"; }
haproxy_mysql_sql() { pooler_sql haproxy_mysql "$@"; }

for pooler in pgbouncer_transaction pgbouncer_statement pgpool haproxy haproxy_mysql; do
    eval "prepare_$pooler() { :; }; create_${pooler}_user() { :; }"
done
