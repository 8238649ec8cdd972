#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A server can request any file of the client's machine from the client library. Tests that such requests are refused, although
# prepare uses the same mechanism to load rows.
. "$TESTS_DIR/cli/lib.sh" || exit 1

if ! "$SYSRATE" --help | grep -q '^  mysql - '; then
    skip "a server that asks for files" "built without the mysql driver"
    pass "nothing to test"
    finish
fi

echo 'the secret of this machine' >secret.txt
echo 'function event() sysbench.sql.driver():connect():query("SELECT 1") end' >query.lua
python3 "$TESTS_DIR/db/fakes/fake_mysql.py" "$PWD/secret.txt" >server.txt 2>&1 &
server=$!
for _ in $(seq 100); do
    [ -s server.txt ] && break
    sleep 0.05
done
run "$SYSRATE" query.lua --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$(head -n 1 server.txt)" --mysql-ssl=off \
    --events=1 run
kill $server 2>/dev/null
wait $server 2>/dev/null
check_match "the server asked" '^received:' "$(cat server.txt)"
check_no_match "and got nothing" 'the secret' "$(cat server.txt)"
check_equal "the run fails" 1 "$status"

finish
