# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Functions for tests of a service that takes jobs. Sourced after cli/lib.sh. The test writes targets.json and tests.json.
#
#   start_service; kill_service KILL     sets $url to the address of the service; its archive is $WORK_DIR/kept
#   get jobs/1; post jobs '{...}'        prints the answer to the user $who (ann, ben, cat; eve may only read)
#   job '{...}'                          requests a job and sets $job to its number
#   wait_job N STATE...                  waits until the job has one of these states; sets $state to its last state
#   none_left                            waits until no process of a job is left

needs_http "jobs of a service"
mkdir -p "$WORK_DIR/tmp"
export TMPDIR=$WORK_DIR/tmp
# shellcheck disable=SC2034  # used by the test
secrets=()
for who in ann ben cat; do echo "run $who token-of-$who-0123456789abcdef0123456789"; done >tokens
echo "read eve token-of-eve-0123456789abcdef0123456789" >>tokens
chmod 600 tokens
who=ann

# start_service [WORD...]: starts the service by these words, by default sysrate serve.
start_service() {
    [ $# -gt 0 ] || set -- "$SYSRATE" serve
    : >service.out
    "$@" --port=0 --token-file=tokens --targets=targets.json --tests=tests.json "$WORK_DIR/kept" >service.out 2>>service.err &
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
post() { ask -H "Origin: $url" -H 'X-Sysrate: 1' -H 'Content-Type: application/json' "$url/api/v1/$1" -d "$2" "${@:3}"; }
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

# wait_live N: waits until the process of job N has written an interval or a progress message.
wait_live() {
    local _
    for _ in $(seq 300); do
        [ "$(field "$1" '.live != null')" != true ] || return 0
        sleep 0.1
    done
    return 1
}

# Prints the processes of jobs. Their command lines contain the archive, a temporary folder of the test, or $mark. The service itself and
# database servers are left out.
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
