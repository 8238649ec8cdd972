#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests sweep --vary-server on MariaDB or MySQL and on PostgreSQL: values are set before each run, read back, written to reports and
# tables, and restored at the end and after Ctrl-C. Values and settings that cannot be set change nothing.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

flush=innodb_flush_log_at_trx_commit
journal=dir/server-settings.journal

mysql_value() { mysql_sql "SELECT @@GLOBAL.$1"; }
pgsql_value() { pgsql_sql "SHOW $1" sbtest; }
# Lines of postgresql.auto.conf that set something.
auto_conf() { grep -v '^#' "$SERVERS_DIR/pgsql/postgresql.auto.conf"; }

# sweep OPTION... runs a sweep of short runs on the server of $connect; those of the test follow "--".
sweep() {
    local own=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do own+=("$1") && shift; done
    run "$SYSRATE" sweep --out=dir --allow-server-changes "${own[@]}" -- oltp_point_select "${connect[@]}" --tables=1 --table-size=100 \
        --threads=1 --time="${time:-0.2}" --report-interval=0.1 "${@:2}"
}

# refused NAME REGEX OPTION...: the sweep must end with one line, print no table, and leave neither a journal nor a report.
refused() {
    rm -rf dir
    sweep "${@:3}"
    check_equal "$1: exits 1" 1 "$status"
    check_equal "$1: one line" 1 "$(grep -c . <<<"$err")"
    check_match "$1: its text" "^FATAL: .*$2" "$err"
    check_no_match "$1: no table" '^\|' "$out"
    check_not "$1: no journal" test -e $journal
    check_equal "$1: no report" 0 "$(find dir -name '*.json' 2>/dev/null | wc -l)"
}

# jq 1.7 prints the number 1.0 as 1.0, and other versions as 1.
whole='if type == "number" then . + 0 else . end'
configs() { jq -c ".config[\"server.$1\"] | $whole" dir/00*.json | tr '\n' ' '; }
column() { python3 -c 'import csv,sys; print(*[row[sys.argv[1]] for row in csv.DictReader(open("dir/table.csv"))])' "$1"; }

mysql_values() {
    rm -rf dir
    sweep --vary-server=$flush=1,2 --vary-server=innodb_io_capacity=300
    check_equal "MySQL: exits 0" 0 "$status"
    check_match "MySQL: the first line has the changes" \
        "^Server settings of .* that will be changed: $flush \(now 0\) to 1, 2; innodb_io_capacity \(now [0-9]+\) to 300$" "$(head -n 1 <<<"$out")"
    check_match "MySQL: a line about the end" "^Server settings of .* restored: $flush=0, innodb_io_capacity=[0-9]+$" "$out"
    check_equal "MySQL: restored" 0 "$(mysql_value $flush)"
    check_not "MySQL: no journal remains" test -e $journal
    check_equal "MySQL: in reports, as numbers" "1 2 " "$(configs $flush)"
    check_equal "MySQL: in table.csv" "1 2" "$(column "server.$flush")"
    check_match "MySQL: in the table" "^\| server.$flush \| server.innodb_io_capacity \|" "$out"
    check_match "MySQL: on the page" "server\.$flush" "$(cat dir/page.html)"
    sweep --vary-server=$flush=1,2 --vary-server=innodb_io_capacity=300
    check_no_match "MySQL: nothing is missing, so nothing is changed" "restored" "$out"
    check_match "MySQL: the finished runs are used" "2 of them finished earlier" "$out"

    # The value is in effect during a run: an option of the script that runs a statement shows it.
    cat >seen.lua <<LUA
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local value = con:query_row("SELECT @@GLOBAL.$flush")
   local file = io.open("seen.txt", "a"); file:write(value, "\n"); file:close()
end
LUA
    rm -rf dir
    run "$SYSRATE" sweep --out=dir --allow-server-changes --vary-server=$flush=2,1 -- seen.lua "${connect[@]}" --events=1 --time=0
    check_equal "MySQL: the runs have the values" "2 1" "$(tr '\n' ' ' <seen.txt | sed 's/ $//')"

    rm -rf dir
    sweep --vary-server=slow_query_log=ON --vary-server=sql_mode=ANSI,STRICT_TRANS_TABLES --vary-server=max_allowed_packet=2M
    check_equal "MySQL: switches, names and sizes: exits 1, since ANSI stands for other names" 1 "$status"
    check_match "MySQL: the other names are shown" 'sql_mode=ANSI has no effect: the server uses .*ANSI_QUOTES.* instead$' "$err"
    rm -rf dir
    local before
    before=$(mysql_value sql_mode)
    sweep --vary-server=slow_query_log=ON --vary-server=sql_mode=STRICT_TRANS_TABLES --vary-server=max_allowed_packet=2M
    check_equal "MySQL: switches, names and sizes: exits 0" 0 "$status"
    check_equal "MySQL: the names are restored" "$before" "$(mysql_value sql_mode)"
    check_not "MySQL: no password in the folder" grep -rq secret dir
}

mysql_refusals() {
    local binlog
    binlog=$(mysql_value sync_binlog) # 1 on MySQL, 0 on MariaDB
    refused "an unknown setting" "cannot vary no_such_setting: the server has no global setting 'no_such_setting'$" \
        --vary-server=no_such_setting=1
    refused "a value that is not allowed" "cannot set sync_binlog: .*" --vary-server=sync_binlog=1,nonsense
    # The server adjusts the value and warns.
    refused "a value that the server adjusts" 'innodb_purge_batch_size=9999999 has no effect: the server uses 5000 instead$' \
        --vary-server=innodb_purge_batch_size=100,9999999
    refused "a setting that needs a restart" "innodb_ft_min_token_size can be changed only by a restart of the server: --restart-command is needed$" \
        --vary-server=innodb_ft_min_token_size=2 --vary-server=$flush=1
    refused "a setting with a password" "passwords cannot be varied$" --vary-server=report_password=x
    refused "a host that does not answer" "cannot connect" --vary-server=$flush=1 --server-setting-host=127.0.0.1:1
    check_equal "after refusals: nothing is changed" "0 $binlog" "$(mysql_value $flush) $(mysql_value sync_binlog)"

    mysql_sql "CREATE USER weak@'%' IDENTIFIED BY 'secret'; GRANT ALL ON sbtest.* TO weak@'%'"
    local connect=("${connect[@]}" --mysql-user=weak)
    refused "a user without the privilege" "cannot set $flush: Access denied" --vary-server=$flush=1
}

# serve_restarts PID [SIGNAL]: as long as the process runs, starts the server again when its --restart-command asks for that. Sends the
# process the signal a second before the first start. Sets $restarts.
serve_restarts() {
    restarts=0
    while kill -0 "$1" 2>/dev/null; do
        if [ -e restart.wanted ]; then
            rm -f restart.wanted
            wait "${server_main_pid[mysql]}" 2>/dev/null
            restarts=$((restarts + 1))
            if [ $restarts = 1 ] && [ -n "${2-}" ]; then
                kill "-$2" "$1"
                sleep 1
            fi
            launch_restarted &
            server_main_pid[mysql]=$!
            echo "${server_main_pid[mysql]}" >server.pid
        fi
        sleep 0.1
    done
}

mysql_restarts() {
    local before restarts
    before=$(mysql_value innodb_ft_min_token_size)
    cat >restart.sh <<SCRIPT
#!/bin/sh
kill "\$(cat '$SERVERS_DIR/mysql.pid')"
while kill -0 "\$(cat server.pid)" 2>/dev/null; do sleep 0.05; done
cp "\$SYSRATE_SERVER_OPTIONS" '$SERVERS_DIR/extra.cnf'
chmod 644 '$SERVERS_DIR/extra.cnf'
touch restart.wanted
SCRIPT
    chmod 755 restart.sh
    echo "${server_main_pid[mysql]}" >server.pid
    rm -rf dir
    "$SYSRATE" sweep --out=dir --allow-server-changes --vary-server=innodb_ft_min_token_size=2,4 --vary-server=$flush=1,2 \
        --restart-command="$PWD/restart.sh" -- oltp_point_select "${connect[@]}" --tables=1 --table-size=100 --threads=1 --time=0.2 \
        >run.out 2>run.err &
    local sweep_pid=$!
    serve_restarts $sweep_pid
    wait $sweep_pid
    check_equal "restart: exits 0" 0 $?
    check_equal "restart: one for each value and one at the end" 3 $restarts
    check_equal "restart: values in the reports" "2 2 4 4 " "$(configs innodb_ft_min_token_size)"
    check_equal "restart: the other setting varies too" "1 2 1 2 " "$(configs $flush)"
    check_equal "restart: restored" "$before 0" "$(mysql_value innodb_ft_min_token_size) $(mysql_value $flush)"
    check_match "restart: mentioned" '^Restart of .* by --restart-command$' "$(cat run.out)"

    # The signal comes while the server is down. The old value is restored as soon as the server is up, by another restart.
    rm -rf dir
    "$SYSRATE" sweep --out=dir --allow-server-changes --vary-server=innodb_ft_min_token_size=2 --restart-command="$PWD/restart.sh" -- \
        oltp_point_select "${connect[@]}" --tables=1 --table-size=100 --threads=1 --time=0.2 >run.out 2>run.err &
    sweep_pid=$!
    serve_restarts $sweep_pid INT
    wait $sweep_pid
    check_equal "Ctrl-C during a restart: exits 130" 130 $?
    check_equal "Ctrl-C during a restart: restored by another" "$before 2" "$(mysql_value innodb_ft_min_token_size) $restarts"
    check_match "Ctrl-C during a restart: mentioned" "restored: innodb_ft_min_token_size=$before" "$(cat run.out)"
    check_not "Ctrl-C during a restart: no journal is left" test -e $journal

    echo 'exit 7' >fails.sh
    rm -rf dir
    sweep --vary-server=innodb_ft_min_token_size=2 --restart-command="sh $PWD/fails.sh"
    check_equal "a command that fails: exits 1" 1 "$status"
    check_match "a command that fails: in the table" '--restart-command has ended with exit status 7' "$out"
    check_not "a command that fails: no journal, since nothing was changed" test -e $journal
    rm -rf dir
    sweep --vary-server=innodb_ft_min_token_size=2 --restart-command=true --restart-timeout=1
    check_equal "a command without a restart: exits 1" 1 "$status"
    check_match "a command without a restart: in the table" 'after --restart-command: the server does not use the new value' "$out"
}

launch_restarted() {
    become mysql
    exec "${as_user[@]}" "$mysqld" --defaults-file="$SERVERS_DIR/extra.cnf" --datadir="$SERVERS_DIR/mysql" --socket="$mysql_socket" \
        --pid-file="$SERVERS_DIR/mysql.pid" --port="${server_port[mysql]}" --tmpdir="$SERVERS_DIR/mysql.tmp" --bind-address=127.0.0.1 \
        --innodb-buffer-pool-size=64M "${mysqld_settings[@]}" --innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync \
        --skip-log-bin --skip-name-resolve >>"$SERVERS_DIR/mysql.log" 2>&1
}

# interrupt VALUE...: starts a sweep with long runs, and ends it by Ctrl-C when a run has begun.
interrupted() {
    rm -rf dir
    "$SYSRATE" sweep --out=dir --allow-server-changes --vary-server="$1" -- oltp_point_select "${connect[@]}" --tables=1 --table-size=100 \
        --threads=1 --time=0 >run.out 2>run.err &
    local pid=$!
    wait_for 20 changed "$2" "$3" || fail "the value is set" "$(cat run.out run.err)"
    check "$2: the journal exists before the change" test -e $journal
    sleep 0.5
    kill -INT $pid
    wait $pid
    check_equal "$2: Ctrl-C: exits 130" 130 $?
    check_not "$2: Ctrl-C: no journal remains" test -e $journal
}

changed() { [ "$("${1%%:*}_value" "${1#*:}")" = "$2" ]; }

pgsql_values() {
    rm -rf dir
    pgsql_sql "ALTER SYSTEM SET work_mem = '3MB'"
    pgsql_sql "SELECT pg_reload_conf()" >reload.out
    sweep --vary-server=synchronous_commit=on,off --vary-server=work_mem=8MB
    check_equal "PostgreSQL: exits 0" 0 "$status"
    check_match "PostgreSQL: the first line has the changes" \
        "^Server settings of .* that will be changed: synchronous_commit \(now on\) to on, off; work_mem \(now 3MB\) to 8MB$" "$(head -n 1 <<<"$out")"
    check_equal "PostgreSQL: restored" "on 3MB" "$(pgsql_value synchronous_commit) $(pgsql_value work_mem)"
    check_equal "PostgreSQL: the file is as before" "work_mem = '3MB'" "$(auto_conf)"
    check_equal "PostgreSQL: in reports" '"on" "off" ' "$(configs synchronous_commit)"
    check_equal "PostgreSQL: in table.csv" "on off" "$(column server.synchronous_commit)"

    cat >seen.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local value = con:query_row("SHOW synchronous_commit")
   local file = io.open("seen.txt", "a"); file:write(value, "\n"); file:close()
end
LUA
    rm -rf dir seen.txt
    run "$SYSRATE" sweep --out=dir --allow-server-changes --vary-server=synchronous_commit=off,local -- seen.lua "${connect[@]}" --events=1 --time=0
    check_equal "PostgreSQL: the runs have the values" "off local" "$(tr '\n' ' ' <seen.txt | sed 's/ $//')"

    rm -rf dir
    pgsql_sql "ALTER DATABASE sbtest SET synchronous_commit = local"
    sweep --vary-server=synchronous_commit=off
    check_equal "PostgreSQL: a value of the database: exits 0" 0 "$status"
    check_equal "PostgreSQL: a value of the database is restored" local "$(pgsql_value synchronous_commit)"
    pgsql_sql "ALTER DATABASE sbtest RESET synchronous_commit"

    rm -rf dir
    sweep --vary-server=search_path='"$user"\, public,public'
    check_equal "PostgreSQL: a list of names: exits 0" 0 "$status"
    check_equal "PostgreSQL: a list of names is restored" '"$user", public' "$(pgsql_value search_path)"
    check_equal "PostgreSQL: the file is as before" "work_mem = '3MB'" "$(auto_conf)"
}

pgsql_refusals() {
    refused "an unknown setting" "the server has no setting 'no_such_setting'$" --vary-server=no_such_setting=1
    refused "a value that is not allowed" 'cannot set work_mem: .*outside the valid range' --vary-server=work_mem=4MB,1kB
    refused "a setting that needs a restart" "max_wal_senders can be changed only by a restart of the server: --restart-command is needed$" \
        --vary-server=max_wal_senders=3
    refused "a value that is set elsewhere" 'wal_writer_delay=50ms has no effect: the server takes 77ms from another place \(command line\)$' \
        --vary-server=wal_writer_delay=50ms
    refused "a setting that cannot be changed" 'the setting cannot be changed' --vary-server=block_size=4096
    pgsql_sql "ALTER USER sbtest SET synchronous_commit = off"
    refused "a value that is set for the user" 'synchronous_commit=local has no effect: the server takes off from another place \(user\)$' \
        --vary-server=synchronous_commit=local
    pgsql_sql "ALTER USER sbtest RESET synchronous_commit"
    check_equal "after refusals: the file is as before" "work_mem = '3MB'" "$(auto_conf)"
}

# The owner of a database may set what sessions may set.
pgsql_owner() {
    pgsql_sql "ALTER USER sbtest NOSUPERUSER"
    rm -rf dir
    sweep --vary-server=synchronous_commit=off
    check_equal "an owner: exits 0" 0 "$status"
    check_equal "an owner: restored" on "$(pgsql_value synchronous_commit)"
    check_equal "an owner: nothing is stored" "" "$(pgsql_sql "SELECT setconfig FROM pg_db_role_setting")"
    refused "an owner, a setting of the server" 'cannot vary checkpoint_timeout: .*permission denied' --vary-server=checkpoint_timeout=60
    pgsql_sql "ALTER USER sbtest SUPERUSER"
}

pgsql_restarts() {
    cat >restart.sh <<SCRIPT
#!/bin/sh
exec ${as_user[*]} '$(pgsql_bin)/pg_ctl' -D '$SERVERS_DIR/pgsql' -m fast -w restart
SCRIPT
    rm -rf dir
    local before
    before=$(pgsql_value max_wal_senders)
    sweep --vary-server=max_wal_senders=3,4 --restart-command="sh $PWD/restart.sh"
    check_equal "restart: exits 0" 0 "$status"
    check_equal "restart: values in the reports" "3 4 " "$(configs max_wal_senders)"
    check_equal "restart: restored" "$before" "$(pgsql_value max_wal_senders)"
    check_equal "restart: the file is as before" "work_mem = '3MB'" "$(auto_conf)"
    server_main_pid[pgsql]=$(head -n 1 "$SERVERS_DIR/pgsql/postmaster.pid")
}

start_servers
mysql_sql "GRANT ALL ON *.* TO sbtest@'%'"
server_options mysql
run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=100 prepare
mysql_values
mysql_refusals
interrupted $flush=2 mysql:$flush 2
check_equal "MySQL: Ctrl-C: restored" 0 "$(mysql_value $flush)"
mysql_restarts

pgsql_sql "ALTER USER sbtest SUPERUSER"
stop_server INT pgsql
PGSQL_SETTINGS=(--wal_writer_delay=77ms)
start_server pgsql
server_options pgsql
run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=100 prepare
pgsql_values
pgsql_refusals
interrupted synchronous_commit=off pgsql:synchronous_commit off
check_equal "PostgreSQL: Ctrl-C: restored" on "$(pgsql_value synchronous_commit)"
pgsql_owner
become postgres
pgsql_restarts

run "$SYSRATE" sweep --out=new --vary-server=$flush=1 -- oltp_point_select "${connect[@]}"
check_match "without permission: says which option is missing" 'must be permitted by --allow-server-changes$' "$err"
check_not "without permission: no folder" test -e new
finish
