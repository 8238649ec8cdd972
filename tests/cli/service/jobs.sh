#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Jobs of a service without a database: what is refused, the queue, and kill -9 of the service in each state of a job.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/cli/service/jobs_lib.sh" || exit 1

# Takes connections and says nothing: a server that a look waits for.
python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
kept = []
while True:
    kept.append(s.accept())' >silent.port &
silent=$!
# Keeps what it is told.
python3 -c '
import http.server
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open("told", "ab") as told:
            told.write(self.rfile.read(int(self.headers["Content-Length"])) + b"\n")
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
    check_match "targets that others can read" 'targets\.json: others can read or change it \(needed: chmod 600\)' "$err"
    chmod 600 targets.json
    run "$SYSRATE" serve --port=0 --targets=targets.json --tests=tests.json kept
    check_match "jobs without tokens" '^FATAL: --targets: --token-file is needed' "$err"
    run "$SYSRATE" serve --port=0 --token-file=tokens --targets=targets.json kept
    check_match "targets without tests" '^FATAL: --targets and --tests belong together' "$err"
    start_service
    run "$SYSRATE" serve --port=0 --token-file=tokens --targets=targets.json --tests=tests.json kept
    check_match "a second service" "^FATAL: another service executes the jobs of the archive" "$err"
}

refuse() {
    check_match "refused: $1" "$3" "$(post jobs "$2")"
}

test_refusals() {
    refuse "no target" '{"target": "no", "test": "point", "rate": 1, "seconds": 1}' 'target: there is none'
    refuse "no test" '{"target": "null", "test": "no", "rate": 1, "seconds": 1}' 'test: there is none'
    refuse "a rate beyond" '{"target": "null", "test": "point", "rate": 1001, "seconds": 1}' 'rate: a number from'
    refuse "a parameter beyond" '{"target": "null", "test": "point", "rate": 1, "seconds": 1, "parameters": {"table_size": 0}}' \
        'a whole number from 1 to 1000'
    refuse "an option" '{"target": "null", "test": "point", "rate": 1, "seconds": 1, "inject": "1: sh: id"}' 'no such key'
    refuse "production, not typed" '{"target": "live", "test": "point", "rate": 1, "seconds": 1}' 'confirm: the name'
    refuse "production, a test that writes" '{"target": "live", "test": "mixed", "rate": 1, "seconds": 1, "confirm": "live"}' \
        'not allowed on this target'
    refuse "prepare without a schema" '{"target": "null", "test": "mixed", "kind": "prepare"}' 'no schema'
    who=eve
    refuse "who may only read" '{"target": "null", "test": "point", "rate": 1, "seconds": 1}' 'may only read'
    who=ann
    check_equal "nothing came of them" "[]" "$(get jobs)"
    check_match "cancel: no such job" 'there is no job 7' "$(post jobs/7/cancel '{}')"
}

run_of() { echo "{\"target\": \"null\", \"test\": \"point\", \"rate\": 200, \"workers\": 2, \"seconds\": $1, \"key\": \"$2\"}"; }

test_queue() {
    job "$(run_of 60 one)"
    local first=$job
    job "$(run_of 60 one)"
    check_equal "a key makes it once" "$first" "$job"
    check_match "a key with another request" 'came with another request' "$(post jobs "$(run_of 61 one)")"
    who=ben
    job "$(run_of 2 two)"
    local second=$job
    job "$(run_of 2 three)"
    who=ann
    check "the first runs, with live figures" wait_live "$first"
    check_equal "the second waits" queued "$(field "$second" .state)"
    post "jobs/$job/cancel" '{}' >answer
    check_equal "one that waits is cancelled at once" cancelled "$(jq -r .state answer)"
    check "the webhook is told of that, though another runs" wait_for 10 grep -q "\"id\":$job,.*\"state\":\"cancelled\"" told
    post "jobs/$first/cancel" '{}' >answer
    wait_job "$first" cancelled done failed lost
    check_equal "one that runs is cancelled" cancelled "$state"
    check_equal "with its figures" 1 "$(field "$first" '.runs | length')"
    check "the webhook is told" wait_for 10 grep -q "\"id\":$first,.*\"state\":\"cancelled\".*\"runs\":\[[0-9]*\]" told
    wait_job "$second" done failed
    check_equal "the second is done" done "$state"
    check_equal "with a run" 1 "$(field "$second" '.runs | length')"
    check_equal "which is its own" "$(field "$second" '.runs[0]')" \
        "$("$SYSRATE" archive list --format=json --label=job="$second" kept | jq '.[0].id')"
    check_match "a page of the queue" "<a href=\"/jobs/$first\">" "$(ask "$url/jobs")"
    check_match "a page of a job" 'it was stopped' "$(ask "$url/jobs/$first")"
    check_match "a page to start one" 'data-parameter="table_size"' "$(ask "$url/jobs/new?target=null&test=point")"
}

test_capacity() {
    job '{"target": "null", "test": "point", "kind": "capacity", "slo": "p99<20s", "rate": 20, "workers": 2, "seconds": 60}'
    wait_job "$job" done failed lost cancelled
    check_equal "a capacity is done" "done above_max" "$state $(field "$job" .result.outcome)"
    check_equal "a capacity: its result is a row of the archive" "capacity ABOVE-MAX $job" \
        "$("$SYSRATE" archive list --format=json --kind=capacity --label=job="$job" kept | jq -r '.[0] | "\(.kind) \(.verdict) \(.labels.job)"')"
    check_match "a capacity: and has a page" '<p>Capacity: above 20 requests/s</p>' "$(ask "$url/runs/$(
        "$SYSRATE" archive list --format=json --kind=capacity kept | jq '.[0].id')")"
}

test_guard() {
    job '{"target": "guarded", "test": "point", "rate": 100, "workers": 2, "seconds": 300}'
    wait_job "$job" done failed lost cancelled
    check_equal "the guard ends a run" "done objectives were missed 1" "$(field "$job" '"\(.state) \(.reason) \(.runs | length)"')"
    job '{"target": "live", "test": "point", "rate": 10, "seconds": 1, "confirm": "live"}'
    wait_job "$job" done failed lost cancelled
    check_equal "a run in production, its name typed" done "$state"
}

# A MySQL server says who it is by its server_uuid.
test_identity() {
    job '{"target": "changed", "test": "point", "rate": 1, "seconds": 1}'
    wait_job "$job" done failed lost cancelled
    check_equal "another server_uuid" "failed the server of the target changed is not the one that it should be: it is '$uuid'" \
        "$state $(field "$job" .reason)"
    job '{"target": "known", "test": "point", "rate": 1, "seconds": 1}'
    wait_job "$job" done failed lost cancelled
    check_no_match "the right server_uuid: the run begins" 'is not the one' "$state $(field "$job" .reason)"
    check_equal "the right server_uuid: it had a process" true "$(field "$job" '.exit_code != null')"
}

# killed NAME REQUEST RUNS: kill -9 while it runs, another one behind it.
killed() {
    job "$2"
    local killed=$job
    if [ "$3" -gt 0 ]; then
        check "$1: it runs" wait_live "$killed"
    else
        check "$1: it runs" wait_job "$killed" running
    fi
    job "$(run_of 1 "behind-$killed")"
    kill_service KILL
    check "$1: no process is left over" none_left
    start_service
    wait_job "$killed" lost done failed cancelled
    check_equal "$1: it is lost" "lost the service ended while it ran" "$state $(field "$killed" .reason)"
    check_between "$1: its runs" "$3" "$(field "$killed" '.runs | length')" 9
    wait_job "$job" done failed lost
    check_equal "$1: the one behind it is done" done "$state"
}

test_kills() {
    killed "killed in a run" "$(run_of 60 k1)" 1
    killed "killed in a sweep" '{"target": "null", "test": "point", "kind": "sweep", "vary": "workers", "values": [1, 2], "rate": 100,
        "seconds": 2}' 1
    killed "killed in a capacity" '{"target": "null", "test": "point", "kind": "capacity", "slo": "p99<20ms", "seconds": 60}' 1
    killed "killed in a look" '{"target": "silent", "test": "point", "rate": 1, "seconds": 1}' 0
}

# Somebody has stopped it, and it takes a while: workers do not come back for seconds.
test_killed_in_stopping() {
    job '{"target": "slow", "test": "point", "rate": 10, "workers": 2, "seconds": 60}'
    local stopped=$job
    check "killed while it is stopped: it runs" wait_live "$stopped"
    job "$(run_of 1 behind-stopped)"
    check_equal "killed while it is stopped: it is being stopped" true "$(post "jobs/$stopped/cancel" '{}' | jq .stopping)"
    kill_service KILL
    check "killed while it is stopped: no process is left over" none_left
    start_service
    wait_job "$stopped" lost done failed cancelled
    check_equal "killed while it is stopped: it is cancelled" cancelled "$state"
    wait_job "$job" done failed lost
    check_equal "killed while it is stopped: the one behind it is done" done "$state"
}

# A webhook that never answers: no other one waits for it, and the service ends in spite of it.
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
    # Eight times six seconds would go by before.
    check "a webhook that never answers delays no other" wait_for 20 grep -q "\"id\":$job,.*\"state\":\"cancelled\"" told
    post "jobs/$blocker/cancel" '{}' >answer
    wait_job "$blocker" cancelled
    began=$SECONDS
    kill_service TERM
    # Six seconds, and what a busy machine adds.
    check_between "nor the end of the service by more than a moment" 0 $((SECONDS - began)) 20
    check_match "what it was not told is said" 'webhook at 127.0.0.1:[0-9]+: no answer' "$(cat service.err)"
    check_match "what it was not told is counted" 'a webhook was not told of [0-9] ended job' "$(cat service.err)"
    : >service.err
    start_service
}

test_end() {
    job "$(run_of 60 end)"
    check "the end: it runs" wait_live "$job"
    kill_service TERM
    check "the end: no process is left over" none_left
    start_service
    check_equal "the end: it is lost" "lost the service was ended while it ran 1" \
        "$(field "$job" '"\(.state) \(.reason) \(.runs | length)"')"
    kill_service INT
    check_equal "nothing was said against anything" "" "$(cat service.err)"
}

test_owner
test_refusals
test_queue
test_capacity
test_guard
test_identity
test_kills
test_killed_in_stopping
test_unheard
test_end
finish
