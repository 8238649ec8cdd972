#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the sources of passwords and their order of precedence, and that passwords are never shown.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

start_servers
mysql_sql "CREATE USER nopass@'%'; GRANT ALL ON sbtest.* TO nopass@'%'"
pgsql_sql "CREATE USER nopass"
# All users except "nopass" need a password, even on the socket.
printf '%s\n' 'local all postgres trust' 'local all nopass trust' 'local all all scram-sha-256' \
    'host all all 127.0.0.1/32 scram-sha-256' >"$SERVERS_DIR/pgsql/pg_hba.conf"
pgsql_sql "SELECT pg_reload_conf()" >/dev/null
asks_for_password() {
    psql --no-psqlrc --no-password --host="$SERVERS_DIR" --port="${server_port[pgsql]}" --username=sbtest --command='SELECT 1' 2>&1 |
        grep -q 'no password supplied'
}
check "pgsql asks for passwords" wait_for 30 asks_for_password
export HOME=$WORK_DIR
echo 'print(sysbench.sql.driver():connect():query_row("SELECT 42"))' >one.lua
echo secret >password.txt
: >empty.txt
printf '[client]\nuser=sbtest\npassword=secret\n' >my.cnf
printf '[client]\npassword=secret\n' >no_user.cnf
printf '[client]\npassword=secret\nsocket=%s\n' "$mysql_socket" >socket.cnf
printf '[client]\npassword=secret\nhost=127.0.0.1\nport=%s\nsocket=nosuch\n' "${server_port[mysql]}" >host.cnf
printf '[client]\npassword=secret\nhost=127.0.0.1\nport=1\n' >nobody.cnf
printf '*:*:*:sbtest:secret\n' >.pgpass
chmod 600 .pgpass

# tries NAME EXPECTED-STATUS OPTION...: connects, and checks the exit status and that no password is shown
tries() {
    run "$SYSRATE" "${connect[@]}" "${@:3}" one.lua
    check_equal "$1" "$2" "$status"
    check_no_match "$1: shown nowhere" 'secret' "$both"
    if [ "$2" -eq 0 ]; then
        check_match "$1: connected" '^42$' "$out"
    fi
}

test_mysql() {
    connect=(--db-driver=mysql --mysql-socket="$mysql_socket")
    tries "mysql: without" 1
    tries "mysql: option" 0 --mysql-password=secret
    tries "mysql: file" 0 --mysql-password-file=password.txt
    tries "mysql: the option wins over the file" 1 --mysql-password=wrong --mysql-password-file=password.txt
    tries "mysql: option file" 0 --mysql-defaults-file=my.cnf
    tries "mysql: option file without a user" 0 --mysql-defaults-file=no_user.cnf
    tries "mysql: the option wins over the option file" 1 --mysql-defaults-file=my.cnf --mysql-password=wrong
    export MYSQL_PWD=secret
    tries "mysql: environment" 0
    tries "mysql: the option wins over the environment" 1 --mysql-password=wrong
    tries "mysql: an empty option too" 1 --mysql-password=
    tries "mysql: which can be right" 0 --mysql-user=nopass --mysql-password=
    tries "mysql: an empty file is an empty password" 1 --mysql-password-file=empty.txt
    # Memory that was never written is not empty then.
    MALLOC_PERTURB_=85 tries "mysql: which can be right, too" 0 --mysql-user=nopass --mysql-password-file=/dev/null
    unset MYSQL_PWD
    run "$SYSRATE" "${connect[@]}" --mysql-password-file=nosuch.txt one.lua
    check_match "mysql: no such file" '^FATAL: cannot read --mysql-password-file=nosuch\.txt: No such file' "$err"
}

test_pgsql() {
    connect=(--db-driver=pgsql --pgsql-host="$SERVERS_DIR" --pgsql-port="${server_port[pgsql]}")
    tries "pgsql: .pgpass" 0
    tries "pgsql: the option wins over .pgpass" 1 --pgsql-password=wrong
    tries "pgsql: an empty option too" 1 --pgsql-password=
    rm .pgpass
    tries "pgsql: without" 1
    tries "pgsql: option" 0 --pgsql-password=secret
    tries "pgsql: file" 0 --pgsql-password-file=password.txt
    export PGPASSWORD=secret
    tries "pgsql: environment" 0
    tries "pgsql: the option wins over the environment" 1 --pgsql-password=wrong
    tries "pgsql: an empty option wins over the environment" 1 --pgsql-password=
    tries "pgsql: and can be right" 0 --pgsql-user=nopass --pgsql-password=
    tries "pgsql: an empty file is an empty password" 1 --pgsql-password-file=empty.txt
    MALLOC_PERTURB_=85 tries "pgsql: which can be right, too" 0 --pgsql-user=nopass --pgsql-password-file=/dev/null
    unset PGPASSWORD
}

# The option file may also contain the address of the server.
test_mysql_places() {
    connect=(--db-driver=mysql)
    tries "mysql: socket of the option file" 0 --mysql-defaults-file=socket.cnf
    tries "mysql: host and port of the option file" 0 --mysql-defaults-file="$WORK_DIR/host.cnf"
    tries "mysql: a host wins over the option file" 1 --mysql-defaults-file=host.cnf --mysql-host=127.0.0.3
    check_match "mysql: whose port it gets" "host '127.0.0.3', port ${server_port[mysql]}: " "$err"
    tries "mysql: a port wins over the option file" 1 --mysql-defaults-file=host.cnf --mysql-port=1
    check_match "mysql: whose host it gets" "host '127.0.0.1', port 1: " "$err"
    tries "mysql: nobody is where the option file says" 1 --mysql-defaults-file=nobody.cnf
    check_match "mysql: names where that is" "host '127.0.0.1', port 1: " "$err"
    tries "mysql: a socket wins over the option file" 0 --mysql-defaults-file=nobody.cnf --mysql-socket="$mysql_socket"
    echo "mysql-port=${server_port[mysql]}" >port.cfg
    tries "mysql: so does what the configuration file says" 0 --mysql-defaults-file=nobody.cnf --config-file=port.cfg
    run "$SYSRATE" "${connect[@]}" --mysql-defaults-file=nosuch.cnf one.lua
    check_match "mysql: no such option file" '^FATAL: cannot read --mysql-defaults-file=nosuch\.cnf: No such file' "$err"
    run "$SYSRATE" "${connect[@]}" --mysql-defaults-file=/ one.lua
    check_match "mysql: a folder as option file" '^FATAL: cannot read --mysql-defaults-file=/: Is a directory$' "$err"
    printf '[client]\nport=65536\n' >bad_port.cnf
    run "$SYSRATE" "${connect[@]}" --mysql-defaults-file=bad_port.cnf one.lua
    check_match "mysql: no port in the option file" '^FATAL: --mysql-defaults-file=\./bad_port\.cnf: invalid port: 65536 \(allowed: 1 to 65535\)$' "$err"
}

# Workers, samplers and connections that kill statements use the same list of servers; so do reports.
test_mysql_list() {
    cat >slow.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("DO SLEEP(0.1)") end
LUA
    run "$SYSRATE" --db-driver=mysql --mysql-defaults-file=host.cnf --mysql-host=127.0.0.1,127.1 --failover --server-stats=1 \
        --threads=2 --time=1 --json=places.json slow.lua run
    check_equal "mysql: a list of hosts with the option file's port" 0 "$status"
    check_equal "mysql: and its names" "127.0.0.1:${server_port[mysql]} 127.1:${server_port[mysql]}" \
        "$(jq -r '[.summary.hosts[].name] | join(" ")' places.json)"
    check_match "mysql: what is watched" "server \(host '127\.0\.0\.1', port ${server_port[mysql]}\): [1-9]" "$out"
}

# No password in the list of processes and in the report of a run.
test_traces() {
    rm -f looked run.out
    cat >wait.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event()
   while not io.open("looked") do ffi.C.usleep(10000) end
end
LUA
    "$SYSRATE" "--$1-password=secret" "--$1_password=secret" --db-driver="$1" --events=1 --time=0 --json=a.json wait.lua run \
        >run.out 2>&1 &
    local pid=$!
    wait_for 40 grep -qs '^Threads started!' run.out
    check_match "$1: the list of processes shows the option" "^--$1-password=x+$" "$(tr '\0' '\n' </proc/$pid/cmdline)"
    check_no_match "$1: but not the password" secret "$(tr '\0' '\n' </proc/$pid/cmdline)"
    touch looked
    wait $pid
    check_equal "$1: the run was good" 0 $?
    check_no_match "$1: not in reports" secret "$(cat run.out a.json)"
}

test_mysql
test_mysql_places
test_mysql_list
test_pgsql
test_traces mysql
test_traces pgsql
finish
