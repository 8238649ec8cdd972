#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A hot row: every request updates the same row of PostgreSQL and keeps its lock for 3 ms, and for 30 ms from second 2 to 7. The row
# serves one request at a time, whatever the number of workers is. 100 requests arrive per second, so its load is 0.3 and a little, and 3
# for these five seconds: a third of the run is overloaded, although the run begins and ends idle. The verdict must find the episode.
#
# In the five seconds 100 * 5 = 500 requests arrive, with a standard deviation of 22, and the row serves at most 5 s / 30 ms = 167 of them,
# because pg_sleep() never returns early. With any seed, fewer than 400 arrive with a probability of 1 / 300 000, so the load is above 2.4.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

PGSQL_SETTINGS=(--synchronous_commit=off)
start_servers pgsql
server_options pgsql
pgsql_sql "CREATE TABLE hot (id INT PRIMARY KEY, v INT NOT NULL); INSERT INTO hot VALUES (1, 0); GRANT ALL ON hot TO sbtest" sbtest

cat >hot.lua <<'LUA'
local start
function thread_init()
   con = sysbench.sql.driver():connect()
   start = sysbench.clock()
end
function event()
   local t = sysbench.clock() - start
   con:query("BEGIN")
   con:query("UPDATE hot SET v = v + 1 WHERE id = 1")
   con:query("SELECT pg_sleep(" .. ((t >= 2 and t < 7) and 0.03 or 0.003) .. ")")
   con:query("COMMIT")
end
LUA

# Returns true if the machine disturbed the run: before and long after the five seconds a request waits for few others, so it takes
# some 5 ms, and the generator is on time.
spoilt() {
    [ "$(jq '.summary.generator_lag_us.percentiles.p99.value > 60000 or
        ([.intervals[] | select(.to_s < 2.1 or .from_s > 11) | .service_ms.mean] | max) > 25' a.json)" = true ]
}

# The exit status is 4, so run_until would not look at the condition.
try_until '! spoilt' run "$SYSRATE" "${connect[@]}" --tx-rate=100 --threads=8 --time=14 --rand-seed=2 --percentile=99 --report-interval=1 \
    --strict --json=a.json hot.lua run
check_equal "hot row: --strict exits 4" 4 "$status"
check_match "hot row: the run was overloaded" 'OVERLOADED' "$(jq -r '.summary.audit.verdict.findings[].name' a.json | xargs)"
check_equal "hot row: an episode overlaps the seconds 2 to 7" true \
    "$(jq '.summary.audit.verdict.overload_episodes | any(.from_s < 6 and .to_s > 4 and .load > 1.1)' a.json)"
check_equal "hot row: the run began and ended idle" true "$(jq '[.intervals[0, -1].response_ms.percentiles.p50.value] | max < 1000' a.json)"
finish
