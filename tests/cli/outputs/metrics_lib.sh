# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Functions for tests of metrics for Prometheus; sourced after lib.sh.

# start_metrics ARGUMENT...: starts a run in the background; sets pid and address.
start_metrics() {
    rm -f run.out
    "$SYSRATE" "$@" --prom=0 run >run.out 2>run.err &
    pid=$!
    address=
    for _ in $(seq 100); do
        address=$(sed -n 's/^Metrics: //p' run.out 2>/dev/null)
        [ -n "$address" ] && return
        sleep 0.1
    done
    fail "the run says where its metrics are" "$(cat run.out run.err)"
}

# fetch PATH: prints "STATUS CONTENT-TYPE", then the body.
fetch() {
    python3 - "$address" "$1" <<'EOF'
import sys, urllib.request, urllib.error
try:
    answer = urllib.request.urlopen(sys.argv[1].rsplit('/', 1)[0] + sys.argv[2], timeout=10)
except urllib.error.HTTPError as error:
    answer = error
print(answer.status, answer.headers['Content-Type'])
sys.stdout.write(answer.read().decode())
EOF
}

# The Debian package is installed for Debian's Python, which may not be the first one in PATH.
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
        python=$candidate
        break
    fi
done

# parse NAME PAGE...: sets `parsed` to one line per page.
parse() {
    local name=$1
    shift
    if [ -z "$python" ]; then
        skip "$name" "needs python3-prometheus-client"
        return 1
    fi
    parsed=$($python "$TESTS_DIR/cli/read_metrics.py" "$@" 2>&1)
    check_equal "$name" 0 $?
}
