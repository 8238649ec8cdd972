#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests a PostgreSQL server that refuses a worker that reconnects. Whether the worker tries again depends on the SQLSTATE, not on the
# language of the message.
. "$TESTS_DIR/cli/lib.sh" || exit 1

if ! "$SYSRATE" --help | grep -q '^  pgsql - '; then
    skip "refusals" "built without the pgsql driver"
    pass "nothing to test"
    finish
fi

cat >query.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
LUA

# refuse SQLSTATE MESSAGE OPTION...: starts a run whose server closes the connection and then refuses with this error.
refuse() {
    : >port
    python3 "$TESTS_DIR/db/fakes/fake_pgsql.py" "$1" "$2" >port &
    local server=$!
    for _ in $(seq 200); do
        [ -s port ] && break
        sleep 0.05
    done
    RUN_TIMEOUT=20 run "$SYSRATE" query.lua --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$(cat port)" \
        --pgsql-ignore-errors=08006 --json=report.json "${@:3}" run
    kill $server 2>/dev/null
    wait $server 2>/dev/null
}

refuse 28P01 "Passwort-Authentifizierung für Benutzer »sbtest« fehlgeschlagen" --time=3600
check_equal "a wrong password ends the run at once" 1 "$status"
check_match "a wrong password is told, with its SQLSTATE, in one line" "^FATAL: pgsql driver: cannot reconnect: error 28P01 \
\\(connection to server at \"127\.0\.0\.1\", port [0-9]+ failed: FATAL: Passwort-Authentifizierung für .* fehlgeschlagen\\)$" "$err"
refuse 3D000 "Datenbank »sbtest« existiert nicht" --time=3600
check_match "so is a missing database" '^FATAL: pgsql driver: cannot reconnect: error 3D000 ' "$err"
for state in 57P03 53300; do
    refuse $state "das Datenbanksystem startet" --time=1
    check_equal "$state is no reason to give up" 0 "$status"
    check_equal "$state: attempts are errors that were ignored" "true" \
        "$(jq ".summary.errors[] | select(.state == \"$state\") | .count > 0 and .count == .ignored" report.json)"
    check_match "$state: in the report, too" "^ +0 +$state +[1-9][0-9]* +[1-9][0-9]*  connection to server at " "$out"
done
finish
