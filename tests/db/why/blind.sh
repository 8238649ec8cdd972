#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A blind test of --wait-events and --explain: ten times, one of three faults begins in the middle of a run, in an order that a seed
# draws. A reader that sees nothing but the report of the run must name the fault: a session that holds rows, a disk that flushes slowly,
# or an index that was dropped. The last run has no fault.
. "${TESTS_DIR:-$(dirname "$0")/../..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"

seed=${BLIND_SEED:-$RANDOM}
echo "# BLIND_SEED=$seed"
cc -shared -fPIC -o "$WORK_DIR/slow_flush.so" "$TESTS_DIR/db/why/slow_flush.c" -ldl || fail "the library compiles"
chmod 755 "$WORK_DIR/slow_flush.so"
export LD_PRELOAD=$WORK_DIR/slow_flush.so SLOW_FLUSH=$WORK_DIR/slow
MYSQL_SETTINGS=(--innodb-flush-log-at-trx-commit=1 --innodb-flush-method=fsync)
PGSQL_SETTINGS=(--fsync=on --max_parallel_workers_per_gather=0)
start_servers
unset LD_PRELOAD

cat >half.lua <<'LUA'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   if sysbench.rand.uniform(1, 2) == 1 then
      con:query("SELECT c FROM sbtest1 WHERE k = " .. sysbench.rand.uniform(1, 100000))
   else
      con:query("UPDATE sbtest1 SET c = 'x' WHERE id = " .. sysbench.rand.uniform(1, 100000))
   end
end
LUA

declare -A client=([pgsql]="psql --no-psqlrc --host=$SERVERS_DIR --port=${server_port[pgsql]} --username=postgres --quiet --dbname=sbtest"
    [mysql]="$(printf '%q ' "${mysql_client[@]}") --socket=$mysql_socket --user=root sbtest")
declare -A create_index=([pgsql]="CREATE INDEX k_1 ON sbtest1 (k)" [mysql]="CREATE INDEX k_1 ON sbtest1 (k)")
declare -A drop_index=([pgsql]="DROP INDEX k_1" [mysql]="DROP INDEX k_1 ON sbtest1")

# begin FAULT SERVER: prints the shell command by which the fault begins during a run.
begin() {
    case $1 in
    lock) echo "(echo 'BEGIN; UPDATE sbtest1 SET pad = 1 WHERE id <= 10000;'; sleep 3; echo 'ROLLBACK;') | ${client[$2]}" ;;
    flush) echo "touch $SLOW_FLUSH" ;;
    plan) echo "echo '${drop_index[$2]};' | ${client[$2]}" ;;
    none) echo true ;;
    esac
}

repair() {
    rm -f "$SLOW_FLUSH"
    [ "$1" != plan ] || "$2_sql" "${create_index[$2]}" sbtest
}

# diagnose REPORT: prints the fault that the report of a run names: a plan that changed, otherwise the largest row of the server above p95.
# docs/why.md has the names of waits for a flush. Rows of the client itself are those of a busy machine.
diagnose() {
    jq -r 'if ([.plans[] | select(.changed)] | length) > 0 then "plan" else
        [.wait_events.locks, .wait_events.events[] | select(.p95.percent != null) |
            select(.event | IN("client did not run", "waiting for the client", "not connected", "server did not answer") | not)] |
        max_by(.p95.percent).event | if . == "all locks" or startswith("Lock:") then "lock"
            elif test("WALSync|WALWrite|^Commit$|^Updating status$|innodb_log_file|handler commit") then "flush" else . end end' "$1"
}

RANDOM=$seed
for server in pgsql mysql; do
    server_options $server
    "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=100000 prepare >/dev/null
    [ $server = mysql ] || { pgsql_sql "VACUUM ANALYZE sbtest1" sbtest; pgsql_sql "GRANT pg_read_all_stats TO sbtest"; }
    [ $server = pgsql ] || mysql_sql "GRANT $sampling_privilege TO sbtest"
    for number in 1 2 3 4 5 6 7 8 9 10; do
        faults=(lock flush plan)
        fault=${faults[RANDOM % 3]}
        begin $fault $server >fault.sh
        run "$SYSRATE" half.lua "${connect[@]}" --threads=100 --tx-rate=150 --time=8 --wait-events=50 --explain --json=run.json \
            --inject='4s: sh: bash fault.sh >/dev/null' run
        check_equal "$server, run $number: the report names the fault" "$fault" "$(diagnose run.json)"
        [ "$(diagnose run.json)" = $fault ] || printf '%s\n' "$out" | sed 's/^/# /'
        repair $fault $server
    done
done
finish
