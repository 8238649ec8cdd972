#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the job service with two databases and three users. Then errors: a server with another identity, tables that the service has
# not made, kill -9 during prepare. The password must not appear anywhere.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1
start_servers mysql pgsql
service=
. "$TESTS_DIR/cli/service/jobs_lib.sh" || exit 1
trap 'if [ -n "$service" ]; then kill -KILL "$service" 2>/dev/null; fi; stop_servers; cd / && rm -rf "$WORK_DIR"' EXIT

mark=--pgsql-port=${server_port[pgsql]}
password=Pa55-word-of-the-bench
echo "$password" >password
chmod 600 password
mysql_sql "CREATE DATABASE made; CREATE USER bench@'%' IDENTIFIED BY '$password'; GRANT ALL ON made.* TO bench@'%';
    CREATE USER bench@localhost IDENTIFIED BY '$password'; GRANT ALL ON made.* TO bench@localhost"
pgsql_sql "CREATE USER bench PASSWORD '$password'"
pgsql_sql "CREATE DATABASE made OWNER bench"
mysql_id=$(mysql_sql "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', 'server_uid')" | cut -f 2)
pgsql_id=$(pgsql_sql "SELECT 'id=' || system_identifier FROM pg_control_system()" | sed -n 's/.*id=\([0-9]*\).*/\1/p')

# targets MYSQL-IDENTITY: writes targets.json
targets() {
    cat >targets.json <<END
{"targets": [
    {"name": "maria", "class": "test", "identity": "$1", "schema": "made", "max_rate": 500, "max_workers": 8, "max_seconds": 120,
     "options": {"db-driver": "mysql", "mysql-host": "127.0.0.1", "mysql-port": "${server_port[mysql]}", "mysql-user": "bench",
                 "mysql-password-file": "$WORK_DIR/password"}},
    {"name": "postgres", "class": "test", "identity": "$pgsql_id", "schema": "made", "max_rate": 500, "guard_slo": "p99<30s",
     "options": {"db-driver": "pgsql", "pgsql-host": "127.0.0.1", "pgsql-port": "${server_port[pgsql]}", "pgsql-user": "bench",
                 "pgsql-password-file": "$WORK_DIR/password"}}
]}
END
    chmod 600 targets.json
}
targets "$mysql_id"
cat >tests.json <<'END'
{"tests": [
    {"name": "point", "script": "oltp_point_select", "read_only": true, "options": {"rand-seed": "7"},
     "parameters": {"table_size": {"type": "integer", "min": 1, "max": 1000000, "default": 1000}}},
    {"name": "large", "script": "oltp_point_select", "options": {"tables": "8"},
     "parameters": {"table_size": {"type": "integer", "min": 1, "max": 10000000, "default": 1000}}}
]}
END

# does NAME REQUEST: starts a job, which must succeed.
does() {
    job "$2"
    wait_job "$job" done failed cancelled lost
    check_equal "$1" "done null" "$state $(field "$job" .reason)"
}

# ends NAME REQUEST REASON: starts a job, which must fail with this reason.
ends() {
    job "$2"
    wait_job "$job" done failed cancelled lost
    check_match "$1" "^failed .*$3" "$state $(field "$job" .reason)"
}

run_on() { echo "{\"target\": \"$1\", \"test\": \"point\", \"rate\": 100, \"workers\": 2, \"seconds\": ${2:-2}}"; }

# Print comparisons by the service and by `sysrate compare` as lines "NAME A B RESULT", followed by the exit status.
compared_by_service() {
    get "compare?a=$a&b=$b" | python3 -c '
import json, sys
told = json.load(sys.stdin)
for one in told["figures"]:
    print("%s %.2f %.2f %s" % (one["name"], one["a"], one["b"], one["result"]))
print({"same": 0, "unknown": 6, "different": 5}[told["result"]])'
}

compared_by_hand() {
    "$SYSRATE" archive show --json kept "$a" >a.json
    "$SYSRATE" archive show --json kept "$b" >b.json
    run "$SYSRATE" compare a.json b.json
    sed -nE 's/^(\S+) \([^)]*\) +>?(\S+) +>?(\S+) .* (same|different|unknown|not judged)(: [a-z ]+)?$/\1 \2 \3 \4/p' <<<"$out"
    echo "$status"
}

test_day() {
    start_service
    who=ann
    does "ann prepares MariaDB" '{"target": "maria", "test": "point", "kind": "prepare"}'
    who=ben
    does "ben prepares PostgreSQL" '{"target": "postgres", "test": "point", "kind": "prepare"}'
    who=cat
    job "$(run_on maria)"
    local maria=$job
    job "$(run_on postgres)"
    local postgres=$job
    who=ben
    job "$(run_on maria 60)"
    local long=$job
    check_match "cat is refused: a rate beyond the limit" 'rate: a number from 0.001 to 500' \
        "$(post jobs '{"target": "maria", "test": "point", "rate": 501, "seconds": 1}')"
    wait_job "$postgres" done failed lost
    check_equal "cat's runs are done" "done done" "$(field "$maria" .state) $state"
    check "ben's run runs" wait_live "$long"
    ps -eo args >listed
    post "jobs/$long/cancel" '{}' >answer
    wait_job "$long" cancelled done failed lost
    check_equal "ben's run is cancelled" cancelled "$state"
    a=$(field "$maria" '.runs[0]')
    b=$(field "$postgres" '.runs[0]')
    check_equal "the report is that of the command line" "$("$SYSRATE" archive show --json kept "$a" | md5sum)" "$(get "runs/$a" | md5sum)"
    check_equal "compare: the figures of the command line" "$(compared_by_hand)" "$(compared_by_service)"
    check_match "compare: there are figures" '^throughput [0-9.]+ [0-9.]+ (same|different|unknown|not judged)$' "$(compared_by_service)"
    check_equal "trend: that of the command line" "$("$SYSRATE" trend --format=json --test-name=oltp_point_select kept | md5sum)" \
        "$(get "trend?test-name=oltp_point_select" | md5sum)"
    check_equal "the list is that of the command line" "$("$SYSRATE" archive list --format=json kept | md5sum)" "$(get runs | md5sum)"
    local settings='.config | del(.json, .archive, .label, .report_format)'
    run "$SYSRATE" oltp_point_select --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${server_port[mysql]}" --mysql-user=bench \
        --mysql-password-file="$WORK_DIR/password" --mysql-db=made --table_size=1000 --threads=2 --tx-rate=100 --time=2 --warmup-time=0 \
        --report-interval=1 --forced-shutdown=10 --json=own.json --rand-seed=7 run
    check_equal "the same settings as on the command line" \
        "$(jq -S "$settings" own.json)" "$(get "runs/$a" | jq -S "$settings")"
    local figures='.summary | "\(.end) \(.exit_code) \(.requests.offered) \(.requests.failed) \(.requests.completed + .requests.queued + .requests.in_service)"'
    check_equal "the same requests as on the command line" "$(jq -r "$figures" own.json)" "$(get "runs/$a" | jq -r "$figures")"
}

test_tables() {
    who=ann
    mysql_sql "CREATE TABLE made.of_somebody (a INT)"
    ends "a table of somebody: no cleanup" '{"target": "maria", "test": "point", "kind": "cleanup"}' 'no job has created: of_somebody'
    check_equal "a table of somebody: nothing was removed" 1000 "$(mysql_sql "SELECT COUNT(*) FROM made.sbtest1")"
    mysql_sql "DROP TABLE made.of_somebody"
    does "cleanup" '{"target": "maria", "test": "point", "kind": "cleanup"}'
    check_equal "cleanup: nothing is left" 0 "$(mysql_sql "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'made'")"
    does "cleanup of PostgreSQL" '{"target": "postgres", "test": "point", "kind": "cleanup"}'
}

test_kill() {
    job '{"target": "postgres", "test": "large", "kind": "prepare", "parameters": {"table_size": 10000000}}'
    local killed=$job
    for _ in $(seq 200); do
        [ -z "$(processes | grep ' prepare$')" ] || break
        sleep 0.1
    done
    kill_service KILL
    check "killed in a prepare: no process is left over" none_left
    start_service
    wait_job "$killed" lost done failed
    check_equal "killed in a prepare: it is lost" lost "$state"
    job "$(run_on maria 1)"
    wait_job "$job" failed done lost
    check_match "the next one is executed: there is no table" '^failed .*sbtest1' "$state $(field "$job" .reason)"
    job '{"target": "postgres", "test": "large", "kind": "cleanup"}'
    wait_job "$job" done failed lost
    check_equal "what the lost prepare has made can be removed by a job" "done null" "$state $(field "$job" .reason)"
    check_no_match "nothing of it is left" sbtest "$(pgsql_sql "SELECT tablename FROM pg_tables" made)"
    does "the next prepare" '{"target": "maria", "test": "point", "kind": "prepare"}'
}

test_wrong_server() {
    kill_service TERM
    targets "not-${mysql_id:0:8}"
    start_service
    ends "another server than it should be" "$(run_on maria)" 'is not the expected one'
    check_equal "another server: nothing was run" 0 "$(field "$job" '.runs | length')"
    echo "wrong-$password" >password
    ends "a wrong password" "$(run_on postgres)" 'password'
    check_no_match "a wrong password: not in the reason" "$password" "$(field "$job" .reason)"
}

test_password() {
    local page
    for page in api/v1/jobs api/v1/targets api/v1/tests "api/v1/jobs/$job" "api/v1/runs/$a" "api/v1/runs/$a/page" jobs "jobs/$job" "runs/$a" \
        "jobs/new?target=maria&test=point"; do
        ask "$url/$page" >>seen
    done
    kill_service INT
    cat service.out service.err listed >>seen
    "$SYSRATE" archive show --json kept "$a" >>seen
    check_equal "the pages were seen" 1 "$(grep -c 'data-target="maria"' seen)"
    check_no_match "the password is nowhere" "$password" "$(cat seen)"
    check_no_match "not in the archive either" "$password" "$(strings kept/archive.sqlite 2>/dev/null || cat -v kept/archive.sqlite)"
}

test_day
test_tables
test_kill
test_wrong_server
test_password
finish
