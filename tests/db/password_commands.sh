#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests passwords that a command prints: how often the command is executed, what happens if it fails or hangs, and that its output
# is never shown.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

servers=(mysql pgsql)
if "$SYSRATE" --help | grep -q '^  mongodb - '; then
    servers+=(mongodb)
fi
start_servers "${servers[@]}"
# All users need a password, even on the socket.
printf '%s\n' 'local all postgres trust' 'local all all scram-sha-256' 'host all all 127.0.0.1/32 scram-sha-256' \
    >"$SERVERS_DIR/pgsql/pg_hba.conf"
pgsql_sql "SELECT pg_reload_conf()" >/dev/null
export HOME=$WORK_DIR
echo 'print(sysbench.sql.driver():connect() and "connected")' >one.lua
echo 'function event() sysbench.sql.driver():connect():disconnect() end' >connects.lua
echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() end' >idle.lua
echo secret >password.txt
cat >count.sh <<'SH'
#!/bin/sh
echo call >>calls
cat password.txt
SH
chmod +x count.sh

# tries NAME EXPECTED-STATUS OPTION...: connects, and checks the exit status and that no password is shown.
tries() {
    run "$SYSRATE" "${connect[@]}" "${@:3}" one.lua
    check_equal "$1" "$2" "$status"
    check_no_match "$1: shown nowhere" 'secret' "$both"
    if [ "$2" -eq 0 ]; then
        check_match "$1: connected" '^connected$' "$out"
    fi
}

# fails NAME REASON COMMAND: the run ends within its time, and one line gives the reason.
fails() {
    local began=$SECONDS
    run "$SYSRATE" "${connect[@]}" "--$driver-password-command=$3" --thread-init-timeout=3 --threads=20 --events=20 --time=0 \
        idle.lua run
    check_equal "$1: the run fails" 1 "$status"
    check_equal "$1: one line gives the reason" 1 "$(grep -Ec "^FATAL: .*--$driver-password-command: the command $2" <<<"$err")"
    check_equal "$1: no other line names the command" 1 "$(grep -c "password-command" <<<"$both")"
    check_no_match "$1: the output is not shown" secret "$both"
    check "$1: within the time" [ $((SECONDS - began)) -le 60 ]
}

# calls OPTION...: prints how often a run with 20 connections executes the command.
calls() {
    rm -f calls
    run "$SYSRATE" "${connect[@]}" "--$driver-password-command=./count.sh" --threads=20 --events=20 --time=0 "$@" idle.lua run
    echo "$status $(wc -l <calls)"
}

test_sources() {
    local option=--$driver-password-command
    tries "$driver: words" 0 "$option=cat 'password.txt'"
    tries "$driver: no shell without sh:" 1 "$option=echo secret | cat"
    tries "$driver: a shell" 0 "$option=sh: cat nosuch.txt || cat password.txt | cat"
    tries "$driver: only the first line counts" 0 "$option=sh:printf 'secret\r\nmore\n'"
    tries "$driver: without an end of the line" 0 "$option=printf secret"
    tries "$driver: a wrong password" 1 "$option=echo secretly"
    tries "$driver: a password wins over the command" 1 "$option=cat password.txt" "--$driver-password=wrong"
    tries "$driver: a file wins over the command" 0 "$option=echo wrong" "--$driver-password-file=password.txt"
    echo "$driver-password-command = cat password.txt" >command.cfg
    tries "$driver: configuration file" 0 --config-file=command.cfg
    tries "$driver: a command that leaves a process behind" 0 "$option=sh:sleep 30 & cat password.txt"
}

test_failures() {
    fails "$driver: a status" "has ended with exit status 3" "sh:echo secret; echo secret >&2; exit 3"
    fails "$driver: a signal" "was ended by signal 15" "sh:echo secret; kill \$\$"
    fails "$driver: no command" "cannot be started: No such file" "./nosuch secret"
    fails "$driver: no output" "has printed no password" "true"
    fails "$driver: too much output" "has printed more than 65536 bytes" "yes secret"
    fails "$driver: a command that hangs" "has not ended within 2.4 s" "sh:echo secret; sleep 4321.$$; echo"
    # The run waits for the shell that it has killed, and not for the child of the shell.
    check "$driver: it was ended" wait_for 5 no_sleeper
}

no_sleeper() { ! pgrep -f "^sleep 4321.$$" >/dev/null; }

test_lifetime() {
    check_equal "$driver: many connections, one execution" "0 1" "$(calls)"
    check_equal "$driver: without a lifetime, one for each connection" "0 20" "$(calls --password-lifetime=0)"
}

# set_password PASSWORD: changes the password of the user, and what the command prints from now on.
set_password() {
    echo "$1" >new.txt
    mv new.txt password.txt
    case $driver in
    mysql) mysql_sql "ALTER USER sbtest@'%' IDENTIFIED BY '$1'" ;;
    pgsql) pgsql_sql "ALTER USER sbtest PASSWORD '$1'" ;;
    esac
}

# A password that was refused before the end of its lifetime is asked for again.
test_rotation() {
    rm -f calls run.out
    "$SYSRATE" "${connect[@]}" "--$driver-password-command=./count.sh" --tx-rate=20 --time=4 --report-interval=1 connects.lua run \
        >run.out 2>&1 &
    local pid=$!
    wait_for 40 grep -q '^\[ [0-9.]*s \]' run.out
    set_password secret2
    wait $pid
    check_equal "$driver: a run survives a change of the password" "0 2" "$? $(wc -l <calls)"
    set_password secret
}

# The command may contain a secret itself, and so is not shown either.
test_traces() {
    rm -f looked run.out
    cat >wait.lua <<'LUA'
ffi.cdef("int usleep(unsigned)")
function event()
   sysbench.sql.driver():connect()
   while not io.open("looked") do ffi.C.usleep(10000) end
end
LUA
    "$SYSRATE" "${connect[@]}" "--$driver-password-command=echo secret" --events=1 --time=0 --json=a.json --verbosity=5 wait.lua run \
        >run.out 2>&1 &
    local pid=$!
    wait_for 40 grep -qs '^Threads started!' run.out
    check_no_match "$driver: not in the list of processes" secret "$(tr '\0' '\n' </proc/$pid/cmdline)"
    touch looked
    wait $pid
    check_equal "$driver: the run was good" 0 $?
    check_no_match "$driver: not in reports" secret "$(cat run.out a.json)"
}

test_bad_values() {
    local value
    for value in "" " " "'echo secret" sh:; do
        run "$SYSRATE" --pgsql-password-command="$value" one.lua
        check_match "refused: '$value'" '^FATAL: invalid value for --pgsql-password-command \(allowed: a command' "$err"
        check_no_match "refused: '$value': shown nowhere" secret "$both"
    done
    run "$SYSRATE" --password-lifetime=-1 one.lua
    check_match "refused: a lifetime below 0" '^FATAL: invalid value for --password-lifetime' "$err"
}

test_mysql_option_file() {
    printf '[client]\nuser=sbtest\npassword-command = "cat password.txt"\n' >my.cnf
    tries "mysql: option file" 0 --mysql-defaults-file=my.cnf
    printf '[mysql]\npassword-command=echo wrong\n[client]\npassword=wrong\n[sysrate]\nloose_password_command=sh:cat password.txt\n' \
        >my.cnf
    tries "mysql: a group of its own" 0 --mysql-defaults-file=my.cnf
    tries "mysql: the option wins over the option file" 1 --mysql-defaults-file=my.cnf "--mysql-password-command=echo wrong"
    chmod o+w my.cnf
    tries "mysql: a file that everybody can write" 1 --mysql-defaults-file=my.cnf
    check_match "mysql: which is the reason" '^FATAL: --mysql-defaults-file=\./my\.cnf: every user can write' "$err"
    printf '[client]\npassword-command="cat\n' >bad.cnf
    tries "mysql: a command with an open quote" 1 --mysql-defaults-file=bad.cnf
    check_match "mysql: which is the reason" '^FATAL: --mysql-defaults-file=\./bad\.cnf: invalid password-command' "$err"
}

for driver in "${servers[@]}"; do
    case $driver in
    mysql) connect=(--db-driver=mysql --mysql-socket="$mysql_socket") ;;
    pgsql) connect=(--db-driver=pgsql --pgsql-host="$SERVERS_DIR" --pgsql-port="${server_port[pgsql]}") ;;
    mongodb) connect=(--db-driver=mongodb --mongodb-host=127.0.0.1 --mongodb-port="${server_port[mongodb]}" --mongodb-user=sbtest) ;;
    esac
    test_sources
    test_failures
    test_lifetime
    test_traces
    [ "$driver" = mongodb ] || test_rotation
done
test_bad_values
driver=mysql
connect=(--db-driver=mysql --mysql-socket="$mysql_socket")
test_mysql_option_file
finish
