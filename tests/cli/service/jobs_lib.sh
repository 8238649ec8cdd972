# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A service that takes jobs, and who asks it. Sourced after cli/lib.sh; the files targets.json and tests.json are the test's.
#
#   start_service; kill_service KILL     $url is where it answers; its archive is $WORK_DIR/kept
#   get jobs/1; post jobs '{...}'        the answer, as the user $who (ann, ben, cat; eve may only read)
#   job '{...}'                          asks for a job: sets $job to its number
#   wait_job N STATE...                  until the job has one of these states; sets $state to what it is at last
#   none_left                            no process of a job is there any more

needs_http "jobs of a service"
mkdir -p "$WORK_DIR/tmp"
export TMPDIR=$WORK_DIR/tmp
# shellcheck disable=SC2034  # for the test
secrets=()
for who in ann ben cat; do echo "run $who token-of-$who-0123456789abcdef0123456789"; done >tokens
echo "read eve token-of-eve-0123456789abcdef0123456789" >>tokens
chmod 600 tokens
who=ann

start_service() {
    : >service.out
    "$SYSRATE" serve --port=0 --token-file=tokens --targets=targets.json --tests=tests.json "$WORK_DIR/kept" >service.out 2>>service.err &
    service=$!
    for _ in $(seq 300); do
        url=$(sed -n 's|.* at \(http://[^/]*\)/$|\1|p' service.out)
        [ -z "$url" ] || return 0
        sleep 0.1
    done
    fail "the service starts" "$(cat service.err)"
    finish
}

kill_service() {
    kill "-$1" "$service"
    wait "$service" 2>>shell.err
}

ask() {
    curl -s -m 30 -H "Authorization: Bearer token-of-$who-0123456789abcdef0123456789" "$@"
}
get() { ask "$url/api/v1/$1"; }
post() { ask -H "Origin: $url" -H 'X-Sysrate: 1' -H 'Content-Type: application/json' "$url/api/v1/$1" -d "$2"; }
job() { job=$(post jobs "$1" | jq .id); }
field() { get "jobs/$1" | jq -r "$2"; }

wait_job() {
    local _
    for _ in $(seq 600); do
        state=$(field "$1" .state)
        case " ${*:2} " in *" $state "*) return 0 ;; esac
        sleep 0.1
    done
    return 1
}

# wait_live N: until its process says something.
wait_live() {
    local _
    for _ in $(seq 300); do
        [ "$(field "$1" '.live != null')" != true ] || return 0
        sleep 0.1
    done
    return 1
}

# The archive or a temporary folder of ours stands on the command line of each (but on the service's own), or $mark.
mark=$WORK_DIR/
processes() {
    ps -eo pid,args | grep -F -e "$WORK_DIR/" -e "$mark" | grep -vE 'grep|sysrate-serve|bash|mariadbd|mysqld|postgres'
}

none_left() {
    local _
    for _ in $(seq 300); do
        [ -n "$(processes)" ] || return 0
        sleep 0.1
    done
    processes
    return 1
}

trap '[ -z "${service:-}" ] || kill -KILL "$service" 2>/dev/null; cd / && rm -rf "$WORK_DIR"' EXIT
