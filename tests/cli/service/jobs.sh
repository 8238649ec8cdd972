#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Jobs of a service without a database: what is refused, the queue, and kill -9 of the service in each state of a job.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/cli/service/jobs_lib.sh" || exit 1

# A server that accepts connections and never answers.
python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
kept = []
while True:
    kept.append(s.accept())' >silent.port &
silent=$!
# A webhook that appends the bodies of its requests to the file `notified`.
python3 -c '
import http.server
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open("notified", "ab") as notified:
            notified.write(self.rfile.read(int(self.headers["Content-Length"])) + b"\n")
        self.send_response(204)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
print(server.server_port, flush=True)
server.serve_forever()' >hook.port &
hook=$!
uuid=5e9f1c2a-0000-11f0-8d5c-0242ac120002
python3 "$TESTS_DIR/db/fakes/fake_mysql.py" --uuid=$uuid >known.port &
known=$!
disown -a
trap 'kill -KILL "$silent" "$hook" "$known" ${service:-} 2>/dev/null; cd / && rm -rf "$WORK_DIR"' EXIT
while [ ! -s silent.port ] || [ ! -s hook.port ] || [ ! -s known.port ]; do sleep 0.05; done

cat >targets.json <<END
{"targets": [
    {"name": "null", "class": "test", "options": {"db-driver": "null", "null-service": "1ms"}, "max_seconds": 120,
     "webhook": "http://127.0.0.1:$(cat hook.port)/jobs?token=of-the-hook"},
    {"name": "guarded", "class": "test", "options": {"db-driver": "null", "null-service": "5ms"}, "guard_slo": "p99<1ms", "guard_seconds": 1},
    {"name": "live", "class": "production", "options": {"db-driver": "null"}, "tests": ["point"]},
    {"name": "unheard", "class": "test", "options": {"db-driver": "null"}, "webhook": "http://127.0.0.1:$(cat silent.port)/"},
    {"name": "slow", "class": "test", "options": {"db-driver": "null", "null-service": "5s"}},
    {"name": "known", "class": "test", "identity": "$uuid",
     "options": {"db-driver": "mysql", "mysql-host": "127.0.0.1", "mysql-port": "$(cat known.port)"}},
    {"name": "changed", "class": "test", "identity": "6$uuid",
     "options": {"db-driver": "mysql", "mysql-host": "127.0.0.1", "mysql-port": "$(cat known.port)"}},
    {"name": "silent", "class": "test", "identity": "x",
     "options": {"db-driver": "mysql", "mysql-host": "127.0.0.1", "mysql-port": "$(cat silent.port)"}}
]}
END
cat >tests.json <<'END'
{"tests": [
    {"name": "point", "script": "oltp_point_select", "read_only": true,
     "parameters": {"table_size": {"type": "integer", "min": 1, "max": 1000, "default": 10}}},
    {"name": "mixed", "script": "oltp_read_write"}
]}
END
chmod 600 targets.json

test_owner() {
    chmod 640 targets.json
    run "$SYSRATE" serve --port=0 --token-file=tokens --targets=targets.json --tests=tests.json kept
    check_match "targets that other users can read" 'targets\.json: .*chmod 600' "$err"
    chmod 600 targets.json
    run "$SYSRATE" serve --port=0 --targets=targets.json --tests=tests.json kept
    check_match "jobs without tokens" '^FATAL: --targets needs --token-file' "$err"
    run "$SYSRATE" serve --port=0 --token-file=tokens --targets=targets.json kept
    check_match "targets without tests" '^FATAL: jobs need both --targets and --tests' "$err"
    start_service
    run "$SYSRATE" serve --port=0 --token-file=tokens --targets=targets.json --tests=tests.json kept
    check_match "a second service" "^FATAL: another service executes the jobs of the archive" "$err"
}

refuse() {
    check_match "refused: $1" "$3" "$(post jobs "$2")"
}

test_refusals() {
    refuse "an unknown target" '{"target": "no", "test": "point", "rate": 1, "seconds": 1}' 'target: there is no target'
    refuse "an unknown test" '{"target": "null", "test": "no", "rate": 1, "seconds": 1}' 'test: there is no test'
    refuse "a rate above the limit" '{"target": "null", "test": "point", "rate": 1001, "seconds": 1}' 'rate: a number from'
    refuse "a parameter below its limit" '{"target": "null", "test": "point", "rate": 1, "seconds": 1, "parameters": {"table_size": 0}}' \
        'a whole number from 1 to 1000'
    refuse "an option" '{"target": "null", "test": "point", "rate": 1, "seconds": 1, "inject": "1: sh: id"}' 'no such key'
    refuse "production, without confirmation" '{"target": "live", "test": "point", "rate": 1, "seconds": 1}' 'confirm: the name'
    refuse "production, a test that writes" '{"target": "live", "test": "mixed", "rate": 1, "seconds": 1, "confirm": "live"}' \
        'not allowed on this target'
    refuse "prepare without a schema" '{"target": "null", "test": "mixed", "kind": "prepare"}' 'no schema'
    who=eve
    refuse "a client that may only read" '{"target": "null", "test": "point", "rate": 1, "seconds": 1}' 'may only read'
    who=ann
    check_equal "refused requests add no jobs" "[]" "$(get jobs)"
    check_match "cancel: no such job" 'there is no job 7' "$(post jobs/7/cancel '{}')"
}

run_of() { echo "{\"target\": \"null\", \"test\": \"point\", \"rate\": 200, \"workers\": 2, \"seconds\": $1, \"key\": \"$2\"}"; }

test_queue() {
    job "$(run_of 60 one)"
    local first=$job
    job "$(run_of 60 one)"
    check_equal "the same key and request return the same job" "$first" "$job"
    check_match "a key with another request" 'used for another request' "$(post jobs "$(run_of 61 one)")"
    who=ben
    job "$(run_of 2 two)"
    local second=$job
    job "$(run_of 2 three)"
    who=ann
    check "the first job runs, with live figures" wait_live "$first"
    check_equal "the second job is queued" queued "$(field "$second" .state)"
    post "jobs/$job/cancel" '{}' >answer
    check_equal "a queued job is cancelled at once" cancelled "$(jq -r .state answer)"
    check "the webhook is notified, though another job runs" wait_for 10 grep -q "\"id\":$job,.*\"state\":\"cancelled\"" notified
    post "jobs/$first/cancel" '{}' >answer
    wait_job "$first" cancelled done failed lost
    check_equal "a running job is cancelled" cancelled "$state"
    check_equal "the cancelled job keeps its run" 1 "$(field "$first" '.runs | length')"
    check "the webhook gets the cancelled job with its run" wait_for 10 grep -q "\"id\":$first,.*\"state\":\"cancelled\".*\"runs\":\[[0-9]*\]" notified
    wait_job "$second" done failed
    check_equal "the second job is done" done "$state"
    check_equal "the second job has a run" 1 "$(field "$second" '.runs | length')"
    check_equal "the run of the second job has its label" "$(field "$second" '.runs[0]')" \
        "$("$SYSRATE" archive list --format=json --label=job="$second" kept | jq '.[0].id')"
    check_match "the page of the queue links to the job" "<a href=\"/jobs/$first\">" "$(ask "$url/jobs")"
    check_match "the page of a stopped job says why it ended" 'was stopped' "$(ask "$url/jobs/$first")"
    check_match "the page that starts a job has the parameters of the test" 'data-parameter="table_size"' "$(ask "$url/jobs/new?target=null&test=point")"
}

test_capacity() {
    job '{"target": "null", "test": "point", "kind": "capacity", "slo": "p99<20s", "rate": 20, "workers": 2, "seconds": 60}'
    wait_job "$job" done failed lost cancelled
    check_equal "a capacity is done" "done above_max" "$state $(field "$job" .result.outcome)"
    check_equal "a capacity: its result is a row of the archive" "capacity ABOVE-MAX $job" \
        "$("$SYSRATE" archive list --format=json --kind=capacity --label=job="$job" kept | jq -r '.[0] | "\(.kind) \(.verdict) \(.labels.job)"')"
    check_match "a capacity has a page" '<p>Capacity: above 20 requests/s</p>' "$(ask "$url/runs/$(
        "$SYSRATE" archive list --format=json --kind=capacity kept | jq '.[0].id')")"
}

test_guard() {
    job '{"target": "guarded", "test": "point", "rate": 100, "workers": 2, "seconds": 300}'
    wait_job "$job" done failed lost cancelled
    check_equal "guard_slo ends a run" "done objectives were missed 1" "$(field "$job" '"\(.state) \(.reason) \(.runs | length)"')"
    job '{"target": "guarded", "test": "point", "kind": "capacity", "slo": "p99<20s", "rate": 20, "workers": 2, "seconds": 60}'
    wait_job "$job" done failed lost cancelled
    check_equal "guard_slo limits a capacity" below_min "$(field "$job" .result.outcome)"
    job '{"target": "live", "test": "point", "rate": 10, "seconds": 1, "confirm": "live"}'
    wait_job "$job" done failed lost cancelled
    check_equal "a confirmed run in production" done "$state"
}

# Only jobs add to the runs of a job. Its label in an uploaded report is left out, and cannot be given with the upload.
test_labels() {
    local before
    job "$(run_of 1 labels)"
    wait_job "$job" done failed lost
    before=$(field "$job" .runs)
    "$SYSRATE" --db-driver=null --tx-rate=100 --time=0.2 --label=job="$job" --label=branch=own --json=own.json oltp_point_select run >/dev/null
    check_match "an upload with the label of a job is refused" '"error":"label: .job. is reserved' "$(post "runs?label=job=$job" @own.json)"
    check_match "a report with the label of a job is added" '^\{"id":[0-9]+\}$' "$(post "runs?label=a=b" @own.json)"
    check_equal "the runs of the job are the same" "$before" "$(field "$job" .runs)"
    check_equal "the other labels are kept" '{"a":"b","branch":"own"}' "$(get "runs?label=a=b" | jq -c '.[0].labels')"
}

# change_archive SQL: changes the archive while the service uses it.
change_archive() {
    python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60).execute(sys.argv[2])' kept/archive.sqlite "$1"
}

test_unwritable() {
    job "$(run_of 60 blocker-of-writes)"
    change_archive "CREATE TRIGGER broken BEFORE INSERT ON jobs BEGIN SELECT RAISE(FAIL, 'made up'); END"
    check_equal "a job that cannot be stored: 500" 500 "$(post jobs "$(run_of 1 unwritable)" -o /dev/null -w '%{http_code}')"
    change_archive "DROP TRIGGER broken"
    check_equal "a key that was used for another request: 409" 409 "$(post jobs "$(run_of 1 blocker-of-writes)" -o /dev/null -w '%{http_code}')"
    change_archive "CREATE TRIGGER broken BEFORE UPDATE ON jobs BEGIN SELECT RAISE(FAIL, 'made up'); END"
    check_equal "a job that cannot be cancelled: 500" 500 "$(post "jobs/$job/cancel" '{}' -o /dev/null -w '%{http_code}')"
    change_archive "DROP TRIGGER broken"
    check_equal "a running job is cancelled: 200" 200 "$(post "jobs/$job/cancel" '{}' -o /dev/null -w '%{http_code}')"
    wait_job "$job" cancelled
    check_equal "a job that has ended: 409" 409 "$(post "jobs/$job/cancel" '{}' -o /dev/null -w '%{http_code}')"
}

# A job whose program cannot be executed, or cannot be locked, fails with a reason.
test_programs() {
    local as=()
    kill_service TERM
    mkdir -p programs && cp "$SYSRATE" "$(dirname "$SYSRATE")/sysrate-serve" programs
    start_service programs/sysrate-serve
    chmod 0 programs/sysrate
    job "$(run_of 1 no-program)"
    wait_job "$job" failed done lost
    check_equal "a program that cannot be executed" "failed the program sysrate cannot be executed" "$state $(field "$job" .reason)"
    kill_service TERM
    : >service.err
    chmod 755 programs/sysrate
    chmod 0311 programs/sysrate-serve
    if [ "$(id -u)" = 0 ]; then
        command -v setpriv >/dev/null || { skip "a service that cannot read its program file" "no setpriv"; start_service; return; }
        as=(setpriv --reuid=65534 --clear-groups)
        chmod 0711 programs/sysrate-serve
        chmod 755 .
        chown -R 65534 kept tokens targets.json tests.json
    fi
    start_service "${as[@]}" programs/sysrate-serve
    job "$(run_of 1 no-lock)"
    wait_job "$job" failed done lost
    check_match "a service that cannot read its program file" '^failed the service cannot lock its program file' "$state $(field "$job" .reason)"
    kill_service TERM
    [ "$(id -u)" != 0 ] || chown -R 0 kept tokens targets.json tests.json
    check_match "a service that cannot read its program file logs it" '^WARNING: jobs: the service cannot lock' "$(cat service.err)"
    : >service.err
    start_service
}

# The identity of a MySQL server is its server_uuid.
test_identity() {
    job '{"target": "changed", "test": "point", "rate": 1, "seconds": 1}'
    wait_job "$job" done failed lost cancelled
    check_match "another server_uuid" "^failed .*target changed is not the expected one.*'$uuid'$" "$state $(field "$job" .reason)"
    job '{"target": "known", "test": "point", "rate": 1, "seconds": 1}'
    wait_job "$job" done failed lost cancelled
    check_no_match "the right server_uuid: the run begins" 'not the expected' "$state $(field "$job" .reason)"
    check_equal "the right server_uuid: the job had a process" true "$(field "$job" '.exit_code != null')"
}

# killed NAME REQUEST RUNS: kills the service with SIGKILL while the job of the request runs and another job is queued. The running
# job must become lost and keep at least RUNS runs; the other one must be done.
killed() {
    job "$2"
    local killed=$job
    if [ "$3" -gt 0 ]; then
        check "$1: the job runs" wait_live "$killed"
    else
        check "$1: the job runs" wait_job "$killed" running
    fi
    job "$(run_of 1 "after-$killed")"
    kill_service KILL
    check "$1: no process is left over" none_left
    start_service
    wait_job "$killed" lost done failed cancelled
    check_match "$1: the job is lost" '^lost the service ended' "$state $(field "$killed" .reason)"
    check_between "$1: runs of the job" "$3" "$(field "$killed" '.runs | length')" 9
    wait_job "$job" done failed lost
    check_equal "$1: the next job is done" done "$state"
}

test_kills() {
    killed "killed in a run" "$(run_of 60 k1)" 1
    killed "killed in a sweep" '{"target": "null", "test": "point", "kind": "sweep", "vary": "workers", "values": [1, 2], "rate": 100,
        "seconds": 2}' 1
    killed "killed in a capacity" '{"target": "null", "test": "point", "kind": "capacity", "slo": "p99<20ms", "seconds": 60}' 1
    killed "killed in the check of the server" '{"target": "silent", "test": "point", "rate": 1, "seconds": 1}' 0
}

# The service is killed while a cancelled job is ending: its workers need seconds to complete their requests.
test_killed_in_stopping() {
    job '{"target": "slow", "test": "point", "rate": 10, "workers": 2, "seconds": 60}'
    local stopped=$job
    check "killed in stopping: the job runs" wait_live "$stopped"
    job "$(run_of 1 after-stopped)"
    check_equal "killed in stopping: the job is stopping" true "$(post "jobs/$stopped/cancel" '{}' | jq .stopping)"
    kill_service KILL
    check "killed in stopping: no process is left over" none_left
    start_service
    wait_job "$stopped" lost done failed cancelled
    check_equal "killed in stopping: the job is cancelled" cancelled "$state"
    wait_job "$job" done failed lost
    check_equal "killed in stopping: the next job is done" done "$state"
}

# A webhook that never answers delays neither other webhooks nor the end of the service.
test_unheard() {
    local i began
    job "$(run_of 60 blocker)"
    local blocker=$job
    for i in $(seq 8); do
        job '{"target": "unheard", "test": "point", "rate": 1, "seconds": 1}'
        post "jobs/$job/cancel" '{}' >answer
    done
    job "$(run_of 1 heard)"
    post "jobs/$job/cancel" '{}' >answer
    # If the webhooks shared a queue, the eight notifications would delay this one by 8 x 6 s.
    check "a webhook that never answers delays no other" wait_for 20 grep -q "\"id\":$job,.*\"state\":\"cancelled\"" notified
    post "jobs/$blocker/cancel" '{}' >answer
    wait_job "$blocker" cancelled
    began=$SECONDS
    kill_service TERM
    # The limit is 6 s; 20 s allow for a busy machine.
    check_between "a webhook that never answers delays the end by a few seconds only" 0 $((SECONDS - began)) 20
    check_match "the failed notification is logged" 'webhook at 127.0.0.1:[0-9]+: no answer' "$(cat service.err)"
    check_match "unsent notifications are counted" 'a webhook did not receive [0-9] notifications' "$(cat service.err)"
    : >service.err
    start_service
}

test_end() {
    job "$(run_of 60 end)"
    check "the end: the job runs" wait_live "$job"
    kill_service TERM
    check "the end: no process is left over" none_left
    start_service
    check_match "the end: the job is lost and keeps its run" '^lost the service was ended .* 1$' \
        "$(field "$job" '"\(.state) \(.reason) \(.runs | length)"')"
    kill_service INT
    check_equal "the service has logged no errors" "" "$(cat service.err)"
}

test_owner
test_refusals
test_queue
test_capacity
test_guard
test_labels
test_unwritable
test_programs
test_identity
test_kills
test_killed_in_stopping
test_unheard
test_end
finish
