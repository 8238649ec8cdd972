# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Starts private MySQL or MariaDB (mysql_kind.sh) and PostgreSQL servers for tests, in a subfolder of the test's folder, on sockets and
# free ports. Does not touch servers that already run on the machine. Sourced after cli/lib.sh:
#
#   start_servers [mysql] [mysql2] [pgsql] [mongodb]   starts mysql and pgsql by default; mysql2 is a second server like mysql; mongodb
#                                                      is our own server with MongoDB's protocol (fake_mongodb.py);
#                                                      pgbouncer, after pgsql, is a pooler in transaction mode for pgsql
#   server_options mysql            sets the array $connect to the options that connect to the server
#   mysql_sql STATEMENT             executes a statement as administrator; prints tab-separated rows
#   numbers N                       prints a FROM clause for MySQL and MariaDB with N rows: 1 to N in the column seq
#   mysql2_sql STATEMENT; pgsql_sql STATEMENT
#   mysql_socket_of mysql2          prints the path of the socket; $mysql_socket is that of mysql
#   server_pids mysql               prints the process ids of a server, the main process first
#   signal_server KILL mysql        sends a signal to all processes of a server
#   stop_server KILL mysql; start_server mysql
#
# The user is sbtest with password "secret", the database sbtest. All servers are stopped, by process id, when the test ends.
# MYSQL_SETTINGS and PGSQL_SETTINGS are arrays of extra settings (--name=value).

: "${MYSQL_SETTINGS:=}"
: "${PGSQL_SETTINGS:=}"

. "$TESTS_DIR/db/mysql_kind.sh" || exit 1

SERVERS_DIR=$WORK_DIR/servers
mysql_socket=$SERVERS_DIR/mysql.sock
declare -A server_port server_main_pid

# account USER: prints USER, or "nobody" if the user does not exist (Debian's mysql-server-core does not create it).
account() {
    if id -u "$1" >/dev/null 2>&1; then
        echo "$1"
    else
        echo nobody
    fi
}

# Servers refuse to run as root. If the test runs as root, sets the array $as_user to a prefix that runs a command as another user.
become() {
    local user
    as_user=()
    if [ "$(id -u)" -eq 0 ]; then
        user=$(account "$1")
        as_user=(setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups --)
    fi
}

own() {
    if [ "$(id -u)" -eq 0 ]; then
        chown -R "$(account "$1"):" "$2"
    fi
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Prints the folder with the programs of the newest PostgreSQL.
pgsql_bin() {
    local bin
    bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
    echo "${bin:-$(dirname "$(command -v initdb)")}"
}

mysql_socket_of() { echo "$SERVERS_DIR/$1.sock"; }

# Each server has its own folder for temporary files, because a server that starts removes the temporary files in its folder.
make_mysql_tmp() {
    mkdir -p "$SERVERS_DIR/$1.tmp"
    own mysql "$SERVERS_DIR/$1.tmp"
}

prepare_mysql() {
    local name=${1:-mysql}
    mkdir -p "$SERVERS_DIR/$name"
    own mysql "$SERVERS_DIR/$name"
    make_mysql_tmp "$name"
    become mysql
    install_mysql_data "$SERVERS_DIR/$name" "$SERVERS_DIR/$name.tmp" >"$SERVERS_DIR/$name.install" 2>&1 ||
        { cat "$SERVERS_DIR/$name.install"; return 1; }
}

launch_mysql() {
    local name=${1:-mysql}
    become mysql
    # shellcheck disable=SC2048,SC2086  # a list
    exec "${as_user[@]}" "$mysqld" --no-defaults --datadir="$SERVERS_DIR/$name" \
        --socket="$(mysql_socket_of "$name")" --pid-file="$SERVERS_DIR/$name.pid" --port="${server_port[$name]}" \
        --tmpdir="$SERVERS_DIR/$name.tmp" --bind-address=127.0.0.1 --innodb-buffer-pool-size=64M "${mysqld_settings[@]}" \
        --innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync --skip-log-bin --skip-name-resolve \
        --max-connections=500 ${MYSQL_SETTINGS[*]} >>"$SERVERS_DIR/$name.log" 2>&1
}

prepare_mysql2() { prepare_mysql mysql2; }
launch_mysql2() { launch_mysql mysql2; }
create_mysql2_user() { create_mysql_user mysql2; }

prepare_pgsql() {
    mkdir -p "$SERVERS_DIR/pgsql"
    own postgres "$SERVERS_DIR/pgsql"
    become postgres
    "${as_user[@]}" "$(pgsql_bin)/initdb" --pgdata="$SERVERS_DIR/pgsql" --username=postgres --auth-local=trust \
        --auth-host=scram-sha-256 --no-sync --encoding=UTF8 --locale=C >"$SERVERS_DIR/pgsql.install" 2>&1 ||
        { cat "$SERVERS_DIR/pgsql.install"; return 1; }
}

launch_pgsql() {
    local name=${1:-pgsql}
    become postgres
    # shellcheck disable=SC2048,SC2086  # a list
    exec "${as_user[@]}" "$(pgsql_bin)/postgres" -D "$SERVERS_DIR/$name" -p "${server_port[$name]}" \
        --listen_addresses=127.0.0.1 --unix_socket_directories="$SERVERS_DIR" --fsync=off --shared_buffers=64MB \
        --max_connections=200 ${PGSQL_SETTINGS[*]} >>"$SERVERS_DIR/$name.log" 2>&1
}

mysql_sql() {
    "${mysql_client[@]}" --socket="$mysql_socket" --user=root --skip-column-names --batch -e "$1" ${2:+"$2"}
}

numbers() {
    echo "JSON_TABLE(CONCAT('[', REPEAT('0,', $1 - 1), '0]'), '\$[*]' COLUMNS (seq FOR ORDINALITY)) numbers"
}

mysql2_sql() {
    mysql_socket=$(mysql_socket_of mysql2) mysql_sql "$@"
}

pgsql_sql() {
    psql --no-psqlrc --host="$SERVERS_DIR" --port="${server_port[${pgsql_name:-pgsql}]}" --username=postgres --quiet --tuples-only \
        --no-align --field-separator=$'\t' --dbname="${2:-postgres}" --command="$1"
}

prepare_mongodb() { :; }
launch_mongodb() {
    exec python3 "$TESTS_DIR/db/fakes/fake_mongodb.py" --port="${server_port[mongodb]}" --auth=sbtest:secret --keep="$SERVERS_DIR/mongodb" \
        >>"$SERVERS_DIR/mongodb.log" 2>&1
}
mongodb_sql() { (exec 3<>"/dev/tcp/127.0.0.1/${server_port[mongodb]}"); }
create_mongodb_user() { :; }

create_mysql_user() {
    "${1:-mysql}_sql" "CREATE DATABASE sbtest; CREATE USER sbtest@'%' IDENTIFIED BY 'secret';
        GRANT ALL ON sbtest.* TO sbtest@'%'"
}

create_pgsql_user() {
    pgsql_sql "CREATE USER sbtest PASSWORD 'secret'" && pgsql_sql "CREATE DATABASE sbtest OWNER sbtest"
}

# Clients share the server's sessions, one transaction at a time, and sessions are not reset in between. Since version 1.21, pgbouncer
# can give each client its own prepared statements, which is turned off because it would hide the errors that tests look for.
prepare_pgbouncer() {
    local config=$SERVERS_DIR/pgbouncer.ini
    cat >"$config" <<INI
[databases]
sbtest = host=$SERVERS_DIR port=${server_port[pgsql]} dbname=sbtest user=sbtest
[pgbouncer]
listen_addr = 127.0.0.1
unix_socket_dir =
auth_type = any
admin_users = sbtest
pool_mode = transaction
default_pool_size = 2
max_client_conn = 200
INI
    if pgbouncer --version | grep -Eq '^PgBouncer 1\.(2[1-9]|[3-9][0-9])'; then
        echo "max_prepared_statements = 0" >>"$config"
    fi
    own postgres "$config"
}

launch_pgbouncer() {
    local config=$SERVERS_DIR/pgbouncer.ini
    sed -i "/^listen_port/d; /^listen_addr/a listen_port = ${server_port[pgbouncer]}" "$config"
    own postgres "$config"
    become postgres
    exec "${as_user[@]}" pgbouncer "$config" >>"$SERVERS_DIR/pgbouncer.log" 2>&1
}

pgbouncer_sql() {
    psql --no-psqlrc --host=127.0.0.1 --port="${server_port[pgbouncer]}" --username=sbtest --quiet --tuples-only --no-align \
        --field-separator=$'\t' --dbname="${2:-sbtest}" --command="$1"
}

create_pgbouncer_user() { :; }

# answers SERVER: true if the server answers or has ended.
answers() {
    "$1_sql" "SELECT 1" >/dev/null 2>&1 || ! kill -0 "${server_main_pid[$1]}" 2>/dev/null
}

# $! is the process id of the server itself, because the shell in the background calls exec.
launch() {
    "launch_$1" &
    server_main_pid[$1]=$!
    wait_for 120 answers "$1"
    "$1_sql" "SELECT 1" >/dev/null 2>&1
}

start_server() {
    launch "$1" || { fail "the $1 server starts" "$(tail -n 20 "$SERVERS_DIR/$1.log")"; return 1; }
}

# first_start SERVER: starts a server; tries another port if the free port was taken in the meantime.
first_start() {
    local attempt
    for attempt in 1 2 3; do
        server_port[$1]=$(free_port)
        if launch "$1"; then
            return 0
        fi
        stop_server KILL "$1"
        grep -qi 'address already in use' "$SERVERS_DIR/$1.log" || return 1
        echo "# port ${server_port[$1]} was taken (attempt $attempt)"
    done
    return 1
}

start_servers() {
    [ $# -gt 0 ] || set -- mysql pgsql
    chmod 711 "$WORK_DIR"
    mkdir -p "$SERVERS_DIR"
    chmod 1777 "$SERVERS_DIR"
    local server
    for server in "$@"; do
        if ! { "prepare_$server" && first_start "$server" && "create_${server}_user"; }; then
            fail "the $server server can be set up" "$(tail -n 20 "$SERVERS_DIR/$server.log")"
            finish
        fi
    done
}

server_pids() {
    echo "${server_main_pid[$1]}"
    pgrep -P "${server_main_pid[$1]}"
}

signal_server() {
    # shellcheck disable=SC2046  # a list
    kill -s "$1" $(server_pids "$2") 2>/dev/null
}

stop_server() {
    signal_server "$1" "$2"
    wait "${server_main_pid[$2]}" 2>/dev/null
    unset "server_main_pid[$2]"
}

stop_servers() {
    local server
    for server in "${!server_main_pid[@]}"; do
        signal_server CONT "$server"
        stop_server KILL "$server"
    done
}
trap 'stop_servers; cd / && rm -rf "$WORK_DIR"' EXIT

server_options() {
    # shellcheck disable=SC2034  # for the test
    if [ "$1" = mysql ]; then
        connect=(--db-driver=mysql --mysql-socket="$mysql_socket" --mysql-password=secret)
    elif [ "$1" = mongodb ]; then
        connect=(--db-driver=mongodb --mongodb-host=127.0.0.1 --mongodb-port="${server_port[mongodb]}" --mongodb-user=sbtest
            --mongodb-password=secret)
    elif [ "$1" = pgbouncer ]; then
        connect=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="${server_port[pgbouncer]}")
    else
        connect=(--db-driver=pgsql --pgsql-host="$SERVERS_DIR" --pgsql-port="${server_port[pgsql]}"
            --pgsql-password=secret)
    fi
}
