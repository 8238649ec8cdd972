#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests sysrate replay on a server that does not allow read-only sessions, where nothing that could write is executed, and on a server
# that closes the connection, where statements without an answer do not count as completed.
. "$TESTS_DIR/cli/lib.sh" || exit 1

if ! "$SYSRATE" --help | grep -q '^  pgsql - '; then
    skip "refusals" "built without the pgsql driver"
    pass "nothing to test"
    finish
fi
json() { jq -c "$1" report.json; }
requests() { json '.summary.requests | [.offered, .completed, .failed, .unfinished]'; }

# serve KIND OPTION...: replays two.log on a fake server of this kind with one worker; writes the received queries to queries.txt.
serve() {
    local server
    : >queries.txt
    python3 "$TESTS_DIR/db/fakes/fake_pgsql.py" "$1" >queries.txt 2>server.err &
    server=$!
    wait_for 20 test -s queries.txt
    run "$SYSRATE" --pgsql-host=127.0.0.1 --pgsql-port="$(head -n 1 queries.txt)" --threads=1 --json=report.json "${@:2}" replay two.log run
    kill $server 2>/dev/null
    wait $server 2>/dev/null
}

cat >two.log <<'LOG'
2026-11-24 03:37:01.000 UTC [7] LOG:  statement: SELECT 'first'
2026-11-24 03:37:01.100 UTC [8] LOG:  statement: SELECT 'second'
2026-11-24 03:37:01.200 UTC [8] ERROR:  relation "nowhere" does not exist
2026-11-24 03:37:01.200 UTC [8] STATEMENT:  SELECT * FROM nowhere
LOG
serve --writable=0
check_equal "no session is read only: exit code" 1 "$status"
check_match "no session is read only: is said" 'FATAL: .*the session is not read only' "$err"
check_no_match "no session is read only: nothing is executed" "SELECT '" "$(cat queries.txt)"

serve --writable=1
check_match "the second is not: the first is executed" 'first' "$(cat queries.txt)"
check_no_match "the second is not: nothing of it is executed" 'second|nowhere' "$(cat queries.txt)"
check_equal "the second is not: its statements have failed" '[3,1,2,0]' "$(requests)"
check_match "the second is not: is counted" 'of these, not executed: 2 statements, whose session had no connection, was not read only' "$out"
check_match "the second is not: is named" 'the session is not read only' "$both"
check_match "the second is not: errors beside those of the log" \
    'errors: 2; in the log: 1; not in the log: 2; only in the log: 1' "$out"

serve --writable=0 --allow-writes
check_equal "with --allow-writes all are executed" '[3,3,0,0]' "$(requests)"

# The log contains an error for this statement, but during the replay the server does not answer it.
serve --drops=nowhere
check_equal "hangs up: that is no answer" '[3,2,1,0]' "$(requests)"
check_match "hangs up: is named" 'not in the log: .*nowhere' "$out"

finish
