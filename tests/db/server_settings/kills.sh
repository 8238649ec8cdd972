#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kills sweeps that vary a setting of a server, at points spread over their whole time: before the journal exists, with a journal but
# before a change, while values are tried, during a run, and while the old value is restored. Whenever the server has another value than
# before, the journal must exist, and the next start must restore the value.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

journal=dir/server-settings.journal

mysql_value() { mysql_sql "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit"; }
pgsql_value() { pgsql_sql "SHOW synchronous_commit" sbtest; }

# make_command SETTING=VALUE,...: the sweep that is killed and started again.
make_command() {
    command=("$SYSRATE" sweep --out=dir --allow-server-changes --vary-server="$1" -- oltp_point_select "${connect[@]}" --tables=1
        --table-size=100 --threads=1 --time=0.1)
}

# kill_at MILLISECONDS SERVER: starts a sweep and kills it after this time. Sets value, journaled and reports.
kill_at() {
    rm -rf dir
    "${command[@]}" >run.out 2>run.err &
    local pid=$!
    sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    # Its children end by themselves; one of them may still change the value.
    wait_for 20 no_children
    value=$("$2_value")
    journaled=no
    [ ! -e $journal ] || journaled=yes
}

no_children() { ! pgrep -f -- "--server-setting=|server-settings:$WORK_DIR" >/dev/null; }

# span_ms: prints how long the whole sweep takes.
span_ms() {
    local start
    rm -rf dir
    start=$(date +%s%3N)
    "${command[@]}" >run.out 2>run.err || cat run.err >&2
    echo $(($(date +%s%3N) - start))
}

# kills SERVER OLD POINTS: kills the sweep at this number of points.
kills() {
    local server=$1 old=$2 points=$3 point span unsafe=0 lost=0 changed=0 armed=0 begun=0 left=0
    span=$(span_ms)
    check_equal "$server: a whole sweep restores the value" "$old" "$("${server}_value")"
    for ((point = 0; point < points; point++)); do
        kill_at $((span * point / points)) "$server"
        [ "$value" = "$old" ] || [ $journaled = yes ] || unsafe=$((unsafe + 1))
        [ $journaled = no ] && begun=$((begun + 1))
        [ $journaled = yes ] && [ "$value" = "$old" ] && armed=$((armed + 1))
        [ "$value" = "$old" ] || changed=$((changed + 1))
        run "${command[@]}"
        [ "$status" -eq 0 ] && [ "$("${server}_value")" = "$old" ] || lost=$((lost + 1))
        [ $journaled = no ] || grep -q '^Server settings of .* restored: ' <<<"$(head -n 1 <<<"$out")" || lost=$((lost + 1))
        [ ! -e $journal ] || left=$((left + 1))
    done
    check_equal "$server: a changed value always has a journal" 0 $unsafe
    check_equal "$server: the next start restores the value first, and completes the sweep" 0 $lost
    check_equal "$server: no journal remains" 0 $left
    check "$server: some kills came before the journal" test $begun -gt 0
    check "$server: some kills came after a change" test $changed -gt 0
    echo "# $server: $points kills in $span ms: $begun without a journal, $armed with one and the old value, $changed with another value"
}

# A journal that another call must not ignore.
others_refuse() {
    rm -rf dir
    "${command[@]}" --time=0 >run.out 2>run.err &
    local pid=$!
    wait_for 20 value_is 2 || fail "the value is set" "$(cat run.err)"
    sleep 0.3
    kill -KILL $pid
    wait $pid 2>/dev/null
    run "$SYSRATE" sweep --out=dir --vary=threads=1 -- oltp_point_select "${connect[@]}" --time=0.1
    check_equal "without permission: exits 1" 1 "$status"
    check_match "without permission: the journal is named" "^FATAL: 'dir/server-settings.journal' has old values .*--allow-server-changes to restore them" "$err"
    stop_server KILL mysql
    run "${command[@]}"
    check_equal "a server that is down: exits 1" 1 "$status"
    check_match "a server that is down: not restored" '^FATAL: server settings that an earlier call has changed are not restored: .*cannot connect' "$err"
    start_server mysql
    check "a server that is down: the journal remains" test -e $journal
    run "$SYSRATE" sweep --out=dir --allow-server-changes --vary=threads=1 -- oltp_point_select --db-driver=pgsql \
        --pgsql-host="$SERVERS_DIR" --pgsql-port="${server_port[pgsql]}" --time=0.1
    check_match "options of another server: refused" '^FATAL: .*give the earlier command first' "$err"
    check "options of another server: the journal remains" test -e $journal
    run "${command[@]}"
    check_equal "the same command: exits 0" 0 "$status"
    check_not "the same command: no journal remains" test -e $journal
    echo '{' >$journal
    run "${command[@]}"
    check_match "a journal that cannot be read is named" "cannot use 'dir/server-settings.journal'" "$err"
}

value_is() { [ "$(mysql_value)" = "$1" ]; }

start_servers
mysql_sql "GRANT ALL ON *.* TO sbtest@'%'"
pgsql_sql "ALTER USER sbtest SUPERUSER"
for server in mysql pgsql; do
    server_options $server
    run "$SYSRATE" oltp_point_select "${connect[@]}" --tables=1 --table-size=100 prepare
done
server_options mysql
make_command innodb_flush_log_at_trx_commit=1,2
kills mysql 0 14
make_command innodb_flush_log_at_trx_commit=2
others_refuse
server_options pgsql
make_command synchronous_commit=off,local
kills pgsql on 14
check_equal "pgsql: nothing remains in the file" "" "$(grep -v '^#' "$SERVERS_DIR/pgsql/postgresql.auto.conf")"
finish
