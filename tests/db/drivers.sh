#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the drivers of database servers: values, results and errors (drivers.lua), lists of servers, limits, options.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

start_servers
mysql_sql "GRANT CREATE ROUTINE, EXECUTE ON *.* TO sbtest@'%'"

for server in mysql pgsql; do
    server_options $server
    for mode in auto disable; do
        mysql_sql "DROP DATABASE sbtest; CREATE DATABASE sbtest"
        pgsql_sql "DROP OWNED BY sbtest; GRANT ALL ON SCHEMA public TO sbtest" sbtest 2>/dev/null
        run "$SYSRATE" "${connect[@]}" --db-ps-mode=$mode --verbosity=0 "$TESTS_DIR/db/drivers.lua"
        check_equal "$server, ps-mode $mode: exit code" 0 "$status"
        check_match "$server, ps-mode $mode" '^all passed$' "$both"
    done
done

# The example that was ported from pgbench. Its sums agree after transactions of several workers.
for server in mysql pgsql; do
    server_options $server
    for command in "--accounts=1000 prepare" "--accounts=1000 --threads=4 --events=200 --time=0 run" check; do
        # shellcheck disable=SC2086  # several words
        run "$SYSRATE" "${connect[@]}" "$SRCDIR/examples/tpcb.lua" $command
        check_equal "$server: tpcb.lua $command" 0 "$status"
    done
    check_match "$server: tpcb.lua has executed its transactions" '^200 transactions, and all sums are -?[0-9]+$' "$out"
    run "$SYSRATE" "${connect[@]}" "$SRCDIR/examples/tpcb.lua" cleanup
done

# The example also runs on tables that pgbench has made, and leaves them in a state that pgbench accepts.
if command -v pgbench >/dev/null; then
    server_options pgsql
    bench=(env PGPASSWORD=secret pgbench --host="$SERVERS_DIR" --port="${server_port[pgsql]}" --username=sbtest sbtest)
    run "${bench[@]}" --initialize --scale=2 --quiet
    check_equal "pgbench makes its tables" 0 "$status"
    run "$SYSRATE" "${connect[@]}" "$SRCDIR/examples/tpcb.lua" --scale=2 --threads=4 --events=100 --time=0 run
    check_equal "tpcb.lua on the tables of pgbench" 0 "$status"
    run "${bench[@]}" --transactions=20 --client=2 --no-vacuum
    check_equal "pgbench on these tables" 0 "$status"
    run "$SYSRATE" "${connect[@]}" "$SRCDIR/examples/tpcb.lua" check
    check_match "both have changed all balances alike" '^140 transactions, and all sums are -?[0-9]+$' "$out"
    run "$SYSRATE" "${connect[@]}" "$SRCDIR/examples/tpcb.lua" cleanup
fi

# Counts of reads, writes and other statements; a write that finds no row is also a write.
cat >count.lua <<'LUA'
function thread_init()
   con = sysbench.sql.driver():connect()
   upd = con:prepare("UPDATE counted SET n = n + 1 WHERE id = ?")
   id = upd:bind_create(sysbench.sql.type.INT)
   upd:bind_param(id)
end
function event()
   con:query("BEGIN")
   id:set(1) upd:execute()
   id:set(99) upd:execute()
   con:query("SELECT * FROM counted")
   con:query("COMMIT")
end
LUA
for server in mysql pgsql; do
    server_options $server
    "${server}_sql" "CREATE TABLE counted (id INT PRIMARY KEY, n INT)" sbtest
    "${server}_sql" "INSERT INTO counted VALUES (1, 0)" sbtest
    [ $server = mysql ] || pgsql_sql "GRANT ALL ON counted TO sbtest" sbtest
    run "$SYSRATE" "${connect[@]}" --threads=4 --events=200 --time=20 --json=a.json count.lua run
    check_equal "$server: all events" "0 200" "$status $("${server}_sql" "SELECT n FROM counted" sbtest)"
    check_equal "$server: reads, writes, others" "200 400 400" \
        "$(jq -r '.summary.counters | "\(.reads) \(.writes) \(.other)"' a.json)"
done

# Threads delete and insert the same rows; an insert that violates the unique key restarts its event.
cat >again.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local id = sysbench.rand.uniform(1, 5)
   con:query("BEGIN")
   con:query("DELETE FROM counted WHERE id = " .. id)
   con:query("INSERT INTO counted VALUES (" .. id .. ", 0)")
   con:query("COMMIT")
end
LUA
server_options pgsql
run "$SYSRATE" "${connect[@]}" --threads=8 --events=2000 --time=60 --json=a.json again.lua run
check_equal "pgsql: a unique violation starts the event again" "0 2000 true" "$status $(jq -r '.summary |
    "\(.requests.completed) \(.errors[] | select(.state == "23505") | .count > 0 and .count == .ignored)"' a.json)"

# Statements are prepared at their first execution. The message about the server's limit says what to do.
mysql_sql "SET GLOBAL max_prepared_stmt_count = 3"
server_options mysql
cat >limit.lua <<'LUA'
local con = sysbench.sql.driver():connect()
local all = {}
for i = 1, 20 do all[i] = con:prepare("SELECT " .. i) end
for i = 1, 3 do all[i]:execute() end
LUA
run "$SYSRATE" "${connect[@]}" limit.lua
check_equal "max_prepared_stmt_count: those unused do not count" 0 "$status"
sed -i 's/for i = 1, 3/for i = 1, 4/' limit.lua
run "$SYSRATE" "${connect[@]}" limit.lua
check_equal "max_prepared_stmt_count: exit code" 1 "$status"
check_match "max_prepared_stmt_count: message" \
    'error 1461, .*max_prepared_stmt_count.*raise max_prepared_stmt_count on the server, or use --db-ps-mode=disable' "$err"
run "$SYSRATE" "${connect[@]}" --db-ps-mode=disable limit.lua
check_equal "max_prepared_stmt_count: --db-ps-mode=disable" 0 "$status"
mysql_sql "SET GLOBAL max_prepared_stmt_count = 16382"

# Lists of servers: connections use them round-robin.
cat >where.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
LUA
other=$(free_port)
run "$SYSRATE" --db-driver=mysql --mysql-host=127.0.0.1,localhost.invalid --mysql-port="${server_port[mysql]}" \
    --mysql-password=secret --threads=4 --time=1 where.lua run
check_match "mysql hosts: half of the connections" '^FATAL: 2 of 4 connections were opened; the last error: as above$' "$err"
check_match "mysql hosts: the error above" "^FATAL: unable to connect with the mysql driver: .*localhost\.invalid" "$err"
run "$SYSRATE" --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${server_port[mysql]},$other,$other" \
    --mysql-password=secret --threads=6 --time=1 where.lua run
check_match "mysql ports: a third of the connections" "^FATAL: 2 of 6 connections were opened; the last error: as above$" "$err"
check_match "mysql ports: the error above" "^FATAL: unable to connect with the mysql driver: .*port $other" "$err"
run "$SYSRATE" --db-driver=mysql --mysql-socket="$mysql_socket,/nosuch.sock" --mysql-password=secret --threads=2 --time=1 \
    where.lua run
check_match "mysql sockets" "^FATAL: 1 of 2 connections were opened; the last error: as above$" "$err"
check_match "mysql sockets: the error above" "^FATAL: unable to connect with the mysql driver: .*socket '/nosuch\.sock'" "$err"
run "$SYSRATE" --db-driver=mysql --mysql-socket="$mysql_socket,$mysql_socket" --mysql-password=secret --threads=4 --time=1 \
    where.lua run
check_equal "mysql sockets: all good" 0 "$status"
run "$SYSRATE" --db-driver=pgsql --pgsql-host="$SERVERS_DIR,/nosuch" --pgsql-port="${server_port[pgsql]}" \
    --pgsql-password=secret --threads=4 --time=1 where.lua run
check_match "pgsql hosts" '^FATAL: 2 of 4 connections were opened; the last error: as above$' "$err"
check_match "pgsql hosts: the error above" '^FATAL: unable to connect with the pgsql driver: .*/nosuch' "$err"

# Options.
run "$SYSRATE" --db-driver=mysql --mysql-dry-run --threads=2 --events=100 --json=a.json where.lua run
check_equal "mysql-dry-run counts events and no statements" "0 100 0 0 0" \
    "$status $(jq -r '.summary.counters | "\(.events) \(.reads) \(.writes) \(.other)"' a.json)"
run "$SYSRATE" oltp_read_write --db-driver=mysql --mysql-dry-run --events=10 --time=5 run
check_equal "mysql-dry-run: oltp_read_write" 0 "$status"
server_options mysql
for option in --mysql-compression=on --mysql-debug=on --mysql-ignore-errors=all; do
    run "$SYSRATE" "${connect[@]}" $option --events=100 where.lua run
    check_equal "mysql: $option" 0 "$status"
done
cat >compressed.lua <<'LUA'
local _, compressed = sysbench.sql.driver():connect():query_row("SHOW STATUS LIKE 'Compression'")
local _, algorithm = sysbench.sql.driver():connect():query_row("SHOW STATUS LIKE 'Compression_algorithm'")
print(compressed, algorithm or "")
LUA
# compresses OPTION COMPRESSED ALGORITHM: MariaDB does not report the algorithm, so it is not checked there.
compresses() {
    [ $mysql_kind = mysql ] || set -- "$1" "$2" ""
    run "$SYSRATE" "${connect[@]}" "$1" --verbosity=0 compressed.lua
    check_equal "mysql: $1: compressed" "0 $2 $3" "$status $(tr '\t' ' ' <<<"$out")"
}
compresses --mysql-compression=off OFF ""
compresses --mysql-compression=on ON zlib
compresses --mysql-compression-algorithms=zlib ON zlib
compresses --mysql-compression-algorithms=zlib,zstd ON zlib
compresses --mysql-compression-algorithms=zstd,uncompressed "$([ $mysql_kind = mysql ] && echo ON || echo OFF)" zstd
compresses --mysql-compression-algorithms=uncompressed OFF ""
if "$SYSRATE" --version | grep -q libmysqlclient; then
    compresses --mysql-compression-algorithms=zstd ON zstd
else
    run "$SYSRATE" "${connect[@]}" --mysql-compression-algorithms=zstd compressed.lua
    check_match "mysql-compression-algorithms: a library without them says so" \
        '^FATAL: --mysql-compression-algorithms: the client library \(.*\) supports none of them; .*zlib' "$err"
fi

# An empty user name means the login name, or an anonymous user.
mysql_sql "CREATE USER ''@localhost; GRANT ALL ON sbtest.* TO ''@localhost"
echo 'print(sysbench.sql.driver():connect():query_row("SELECT 1"))' >one.lua
run "$SYSRATE" --db-driver=mysql --mysql-socket="$mysql_socket" --mysql-user= --verbosity=0 one.lua
check_equal "mysql-user may be empty" "0 1" "$status $out"
mysql_sql "DROP USER ''@localhost"

# Cleanup does not drop a view, and does not print that it was dropped.
for server in mysql pgsql sqlite; do
    connect=(--db-driver=sqlite --sqlite-db=views.db)
    if [ $server = sqlite ]; then
        printf 'local con = sysbench.sql.driver():connect()\ncon:query("CREATE VIEW sbtest1 AS SELECT 1 AS a")\n' >view.lua
        run "$SYSRATE" "${connect[@]}" view.lua
    else
        server_options $server
        "${server}_sql" "CREATE VIEW sbtest1 AS SELECT 1 AS a" sbtest
    fi
    for test in oltp_read_only bulk_insert oltp_legacy/oltp oltp_legacy/bulk_insert; do
        run "$SYSRATE" "$SRCDIR/src/lua/$test.lua" "${connect[@]}" cleanup
        check_equal "$server: cleanup of $test on a view fails" 1 "$status"
        check_match "$server: $test says why" "\`cleanup' function failed: .*'sbtest1' is a view, which cleanup does not drop" "$err"
        check_no_match "$server: $test drops nothing and does not say so" '^Dropping' "$out"
    done
    [ $server = sqlite ] || "${server}_sql" "DROP VIEW sbtest1" sbtest
done
server_options mysql
while read -r option message; do
    run "$SYSRATE" "--$option" where.lua run
    check_equal "--$option: exit code" 1 "$status"
    check_match "--$option" "^FATAL: invalid value for --${option%%=*}: '${option#*=}' \(allowed: .*$message" "$err"
done <<'TABLE'
mysql-port=0 ports from 1 to 65535
mysql-port=3306,x ports from 1 to 65535
mysql-port=65536 ports from 1 to 65535
mysql-host= a comma-separated list of hosts
mysql-ssl=yes off, on, DISABLED
mysql-compression-algorithms=lz4 zlib, zstd, uncompressed
mysql-ignore-errors=1213,x all, or a comma-separated list of error numbers
mysql-ignore-errors=1213, a comma-separated list
pgsql-port=5432,5433x ports from 1 to 65535
pgsql-sslmode=on disable, allow, prefer
pgsql-ignore-errors=4000 all, or a comma-separated list of SQLSTATEs
pgsql-ignore-errors=40001,40p01 all, or a comma-separated list of SQLSTATEs
TABLE
finish
