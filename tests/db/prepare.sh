#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests how prepare fills tables on servers, with LOAD DATA or COPY and with INSERT, and what it refuses.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh"

SIZE=20011 # more than one piece with INSERT; 3 threads do not divide it

start_servers mysql pgsql

prepare() {
    local driver=$1
    shift
    server_options "$driver"
    run "$SYSRATE" oltp_read_write --db-driver="$driver" "${connect[@]}" --tables=2 --table_size=$SIZE \
        --threads=3 --rand-seed=5 "$@" prepare
}

query() {
    case $1 in
    mysql) mysql_sql "USE sbtest; $2" ;;
    pgsql) pgsql_sql "$2" sbtest ;;
    esac
}

# Checks in both tables that ids have no gaps and that values have the right form.
check_rows() {
    local driver=$1 name=$2 n
    for n in 1 2; do
        check_equal "$name: rows of table $n" "$SIZE 1 $SIZE 119 59 $SIZE" \
            "$(query "$driver" "SELECT COUNT(*), MIN(id), MAX(id), MIN(LENGTH(TRIM(c))), MAX(LENGTH(TRIM(pad))),
                COUNT(DISTINCT c) FROM sbtest$n" | tr '\t|' '  ')"
    done
}

# Checks that a new row gets the id after the loaded ones.
check_next_id() {
    local driver=$1 name=$2
    query "$driver" "INSERT INTO sbtest1(k, c, pad) VALUES (1, 'x', 'y')" >/dev/null
    check_equal "$name: the next id" $((SIZE + 1)) "$(query "$driver" "SELECT MAX(id) FROM sbtest1")"
}

for driver in mysql pgsql; do
    prepare $driver
    check_equal "$driver: exits 0" 0 "$status"
    check_rows $driver "$driver"
    check_next_id $driver "$driver"

    prepare $driver
    check_equal "$driver, tables exist: exits 1" 1 "$status"
    check_equal "$driver, tables exist: what to do" \
        "FATAL: \`prepare' function failed: table sbtest1 exists: run cleanup first, or prepare --force" "$err"
    check_no_match "$driver, tables exist: nothing is done before" 'Creating' "$out"
    check_equal "$driver, tables exist: they are as they were" $((SIZE + 1)) \
        "$(query $driver "SELECT COUNT(*) FROM sbtest1")"

    prepare $driver --force --prepare-method=insert
    check_equal "$driver, insert: exits 0" 0 "$status"
    check_rows $driver "$driver, insert"

    prepare $driver --force --prepare-method=load
    check_equal "$driver, load: exits 0" 0 "$status"
    check_rows $driver "$driver, load"

    prepare $driver --force --prepare-method=fast
    check_equal "$driver, bad method: exits 1" 1 "$status"
    check_match "$driver, bad method: says what is allowed" \
        "invalid value for --prepare-method: 'fast' \(allowed: auto, insert, load\)" "$err"
done

mysql_sql "SET GLOBAL auto_increment_increment = 2; SET GLOBAL local_infile = 0"
prepare mysql --force --prepare-method=load
check_equal "local_infile off, load: exits 1" 1 "$status"
check_match "local_infile off, load: says why" 'local_infile is off.* use --prepare-method=auto or insert' "$err"
prepare mysql --force
check_equal "auto_increment_increment 2: exits 0" 0 "$status"
check_match "auto_increment_increment 2: warns" \
    "^WARNING: auto_increment_increment is 2 on this server: ids are written explicitly, 1 to $SIZE without gaps" "$err"
check_rows mysql "auto_increment_increment 2"

# If one table cannot be written, prepare fails and names the table.
mysql_sql "USE sbtest; DROP TABLE sbtest1, sbtest2; CREATE TABLE sbtest2 (other INT)"
prepare mysql
check_equal "one table is in the way: exits 1" 1 "$status"
check_match "one table is in the way: names it" 'sbtest2' "$err"

# Text with special characters of the load format is stored unchanged.
cat >odd.lua <<'LUA'
sysbench.cmdline.commands = {load = {function()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE IF EXISTS odd")
   con:query("CREATE TABLE odd (id INTEGER PRIMARY KEY, t VARCHAR(100))")
   for part, method in ipairs({"auto", "insert"}) do
      con:load_begin("odd", "id, t", method)
      for i, text in ipairs({"tab\there", "line\nbreak", "back\\slash", "quote'\"", "\\N", "return\rhere", "", "äöü"}) do
         con:load_int(part * 10 + i)
         con:load_text(text)
         con:load_row()
      end
      con:load_int(part * 10 + 9)
      con:load_null()
      con:load_row()
      con:load_done()
   end
   for part = 1, 2 do
      local rs = con:query(("SELECT t FROM odd WHERE id > %d AND id < %d ORDER BY id"):format(part * 10, part * 10 + 10))
      for i = 1, rs.nrows do
         local text = rs:fetch_row()[1] or "NULL"
         io.write((text:gsub("[%c\\]", function(c) return "<" .. c:byte() .. ">" end)), ",")
      end
      print()
   end
end}}
LUA
# odd DRIVER NAME [OPTION...]: loads odd text and compares it
odd() {
    server_options "$1"
    run "$SYSRATE" odd.lua --db-driver="$1" "${connect[@]}" "${@:3}" load
    check_equal "$2, odd text: exits 0" 0 "$status"
    check_equal "$2, odd text: both ways the same, and as given" 2 \
        "$(printf '%s\n' "$out" | grep -Fxc "tab<9>here,line<10>break,back<92>slash,quote'\",<92>N,return<13>here,,äöü,NULL,")"
}

mysql_sql "SET GLOBAL local_infile = 1"
odd mysql mysql
odd pgsql pgsql

# The character set of the database must not matter. LOAD DATA would use it by default, INSERT uses that of the connection.
mysql_sql "CREATE DATABASE latin CHARACTER SET latin1; GRANT ALL ON latin.* TO sbtest@'%'"
odd mysql "mysql, a database in latin1" --mysql-db=latin

# It must not matter whether a backslash is an escape character in the server's SQL.
sql_mode=$(mysql_sql "SELECT @@GLOBAL.sql_mode")
mysql_sql "SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',NO_BACKSLASH_ESCAPES')"
odd mysql "mysql, NO_BACKSLASH_ESCAPES"
mysql_sql "SET GLOBAL sql_mode = '$sql_mode'"

# A skipped row or a truncated value, for which the server only gives a warning, is an error.
cat >warn.lua <<'LUA'
sysbench.cmdline.commands = {
   cut = {function()
      local con = sysbench.sql.driver():connect()
      con:query("DROP TABLE IF EXISTS narrow")
      con:query("CREATE TABLE narrow (id INTEGER PRIMARY KEY, t CHAR(3))")
      con:load_begin("narrow", "id, t", "load")
      con:load_int(1)
      con:load_text("abcdef")
      con:load_row()
      con:load_done()
   end},
   early = {function() sysbench.sql.driver():connect():load_int(1) end},
   late = {function()
      local con = sysbench.sql.driver():connect()
      con:load_begin("narrow", "id, t")
      con:disconnect()
      con:load_text("x")
   end},
}
LUA
for driver in mysql pgsql; do
    server_options $driver
    run "$SYSRATE" warn.lua --db-driver=$driver "${connect[@]}" cut
    check_equal "$driver, a value that is too long: exits 1" 1 "$status"
    check_match "$driver, a value that is too long: says so" 'truncated|too long' "$err"
    run "$SYSRATE" warn.lua --db-driver=$driver "${connect[@]}" early
    check_equal "$driver, a field before load_begin(): exits 1" 1 "$status"
    check_match "$driver, a field before load_begin(): says so" 'load_begin\(\) on an open connection' "$err"
    run "$SYSRATE" warn.lua --db-driver=$driver "${connect[@]}" late
    check_equal "$driver, a field after disconnect(): exits 1" 1 "$status"
done

finish
