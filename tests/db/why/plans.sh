#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --explain: the plans of statements at the beginning and at the end of a run, with and without prepared statements, while an index is
# dropped in the middle of the run.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

start_servers pgsql mysql
declare -A drop=([pgsql]="DROP INDEX k_1" [mysql]="DROP INDEX k_1 ON sbtest1")

# A lookup by the index k_1, and one by the primary key, whose plan does not change.
cat >lookup.lua <<'LUA'
sysbench.cmdline.options = {prepared = {"execute prepared statements", false}}
function thread_init()
   con = sysbench.sql.driver():connect()
   if sysbench.opt.prepared then
      stmt = con:prepare("SELECT c FROM sbtest1 WHERE k = ?")
      k = stmt:bind_create(sysbench.sql.type.INT)
      stmt:bind_param(k)
   end
end
function event()
   local value = sysbench.rand.uniform(1, 1000000)
   if stmt then
      k:set(value)
      stmt:execute()
   else
      con:query("SELECT c FROM sbtest1 WHERE k = " .. value)
   end
   con:query("SELECT c FROM sbtest1 WHERE id = 5")
end
LUA

for server in pgsql mysql; do
    for prepared in off on; do
        name="$server, prepared $prepared"
        server_options $server
        "$SYSRATE" oltp_point_select "${connect[@]}" --table-size=20000 prepare >/dev/null
        [ $server = mysql ] || pgsql_sql "ANALYZE sbtest1" sbtest
        run "$SYSRATE" "${connect[@]}" --prepared=$prepared --tx-rate=50 --threads=2 --time=4 --explain --json=a.json \
            --inject="1s: sql: ${drop[$server]}" lookup.lua run
        check_equal "$name: exits 0" 0 "$status"
        check_equal "$name: the plan that changed is that of one class" "[true]" "$(jq -c '[.plans[] | select(.changed) | .changed]' a.json)"
        check_match "$name: first by the index" k_1 "$(jq -r '.plans[] | select(.changed) | .first.shape' a.json)"
        check_no_match "$name: then without it" k_1 "$(jq -r '.plans[] | select(.changed) | .last.shape' a.json)"
        check_equal "$name: all plans are known" true "$(jq '.plans | length >= 1 and all(.first != null and .last != null)' a.json)"
        check_match "$name: the text" '^Plans of statements: [12] class(es)?, 1 changed during the run$' "$out"
        remark=$(jq -r '"the plan of the class \u0027\(.plans[] | select(.changed) | .class)\u0027 changed during the run"' a.json)
        check_equal "$name: the remark of the verdict" "$remark" "$(jq -r .summary.audit.verdict.plan_remark a.json)"
        check_match "$name: the remark in the text" "^    Plans: $remark\.$" "$out"
        check_no_match "$name: no value of a statement is reported" '[0-9]{3}' "$(jq -r '.plans[] | .first.shape, .last.shape' a.json)"
        run "$SYSRATE" report a.json
        check_match "$name: the text again" '^Plans of statements: [12] class(es)?, 1 changed during the run$' "$out"
        check_match "$name: the remark again" "^    Plans: $remark\.$" "$out"
        "$SYSRATE" oltp_point_select "${connect[@]}" cleanup >/dev/null
    done
done

finish
