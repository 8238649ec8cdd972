#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the MongoDB driver on mongo-java-server, or another server (MONGODB_SERVER): values, results and errors (mongodb.lua),
# counts, lists of servers.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "the MongoDB driver"
if ! fetch_mongodb; then
    skip "the MongoDB driver on a server" "$why_not"
    exit 0
fi
start_mongodb
mongodb_options

for mode in auto disable; do
    mongodb_lua 'con:query("{\"dropDatabase\": 1}") con:query([[{"dropDatabase": 1, "$db": "other"}]])' >/dev/null
    run "$SYSRATE" "${connect[@]}" --db-ps-mode=$mode --verbosity=0 "$TESTS_DIR/db/mongodb/mongodb.lua"
    check_equal "ps-mode $mode: exit code" 0 "$status"
    check_match "ps-mode $mode" '^all passed$' "$both"
done

# Counts of reads, writes and other statements, and of matched and changed documents.
cat >count.lua <<'LUA'
local t = sysbench.sql.type
function thread_init()
   con = sysbench.sql.driver():connect()
   set = con:prepare('{"update": "counted1", "updates": [{"q": {"_id": ?}, "u": {"$set": {"n": 5}}}]}')
   id = set:bind_create(t.INT)
   set:bind_param(id)
end
function event()
   con:query('{"insert": "counted1", "documents": [{"_id": 1}, {"_id": 2}]}')
   id:set(1) set:execute()                  -- changed
   id:set(1) set:execute()                  -- is so already
   id:set(9) set:execute()                  -- not there
   con:query('{"update": "counted1", "updates": [{"q": {"_id": 7}, "u": {"$set": {"n": 1}}, "upsert": true}]}', "upsert")
   con:query('{"find": "counted1", "filter": {}}')
   con:query('{"ping": 1}')
   con:query('{"delete": "counted1", "deletes": [{"q": {}, "limit": 0}]}')
end
LUA
run "$SYSRATE" "${connect[@]}" --events=10 --time=20 --report-sql --json=a.json count.lua run
check_equal "reads, writes, others" "0 10 60 10" "$status $(json_figure '.summary.counters | "\(.reads) \(.writes) \(.other)"')"
check_equal "classes: count, matched, changed" "delete counted 10 30 30
find counted 10 30 0
insert counted 10 20 20
ping 10 0 0
update counted 30 20 10
upsert 10 10 10" "$(json_figure '.summary.statements[] | "\(.class) \(.count) \(.rows_matched) \(.rows_changed)"' | sort)"
check_match "writes that changed nothing" 'update: +20 ' "$out"

# Errors by code; errors in the ignore list restart the event.
cat >twice.lua <<'LUA'
function event()
   con = con or sysbench.sql.driver():connect()
   con:query('{"insert": "twice", "documents": [{"_id": ' .. sysbench.rand.uniform(1, 50) .. '}]}')
end
LUA
run "$SYSRATE" "${connect[@]}" --time=20 --json=a.json twice.lua run
check_equal "a duplicate key ends the run" "1 11000 1 0" \
    "$status $(json_figure '.summary.errors[] | "\(.code) \(.count) \(.ignored)"')"
mongodb_lua 'con:query("{\"drop\": \"twice\"}")' >/dev/null
run "$SYSRATE" "${connect[@]}" --mongodb-ignore-errors=112,11000 --threads=2 --events=50 --time=20 --json=a.json twice.lua run
check_equal "or starts the event again" "0 50 true" \
    "$status $(json_figure '.summary | "\(.counters.events) \(.errors | all(.code == 11000 and .count == .ignored))"')"

# Lists of servers: connections use them round-robin.
other=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
run "$SYSRATE" --db-driver=mongodb --mongodb-host=127.0.0.1 --mongodb-port="$mongodb_port,$other,$other" --threads=6 --time=1 \
    count.lua run
check_match "ports: a third of the connections" '^FATAL: 2 of 6 connections were opened; the last error: as above$' "$err"
check_match "ports: the error above" "^FATAL: unable to connect with the mongodb driver: .*connection refused .*127\.0\.0\.1:$other" "$err"
run "$SYSRATE" --db-driver=mongodb --mongodb-uri="mongodb://127.0.0.1:$mongodb_port/?directConnection=true" --verbosity=0 \
    "$TESTS_DIR/db/mongodb/mongodb.lua"
check_match "mongodb-uri: the same server, with its collections" 'errno = 48' "$err"
run "$SYSRATE" --db-driver=mongodb --mongodb-host=nosuch.invalid --time=1 count.lua run
check_match "an unknown host" "^FATAL: unable to connect with the mongodb driver: .*resolve 'nosuch\.invalid'" "$err"
check_match "an unknown host: what to do" '^Check that the server is running .* --mongodb-host and --mongodb-port' "$err"

# Executes the commands in the comment of the example script for a document store.
while read -r command; do
    read -ra words <<<"${command/carts.lua/$SRCDIR/examples/carts.lua}"
    run "$SYSRATE" "${words[@]}" --mongodb-port="$mongodb_port" --mongodb-host=127.0.0.1 --time=0.5
    check_equal "examples/carts.lua: $command" 0 "$status"
    case $command in *check) check_match "examples/carts.lua: nothing was lost" '^1000 carts add up$' "$out" ;; esac
done < <(sed -n 's/^--    sysrate //p' "$SRCDIR/examples/carts.lua")

while read -r option message; do
    run "$SYSRATE" "--$option" count.lua run
    check_equal "--$option: exit code" 1 "$status"
    check_match "--$option" "^FATAL: invalid value for --${option%%=*}: '.*' \(allowed: .*$message" "$err"
    check_no_match "--$option: no password is shown" secret "$both"
done <<'TABLE'
mongodb-port=0 ports from 1 to 65535
mongodb-host= a comma-separated list of hosts
mongodb-uri=localhost mongodb://HOST
mongodb-uri=mongodb:// mongodb://HOST
mongodb-uri=mongodb://joe:secret@localhost/ without a password: --mongodb-password
mongodb-tls=on disable, require, verify-ca, verify-full
mongodb-write-concern=0 majority, or a number
mongodb-write-concern=51 majority, or a number
mongodb-write-concern=most majority, or a number
mongodb-read-preference=near primary, primaryPreferred
mongodb-ignore-errors=112,x all, or a comma-separated list of error numbers
mongodb-ignore-errors=112, a comma-separated list
TABLE
finish
