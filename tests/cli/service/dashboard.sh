# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Grafana dashboard is well-formed, and --prom-file exports all metrics and labels that it uses. tests/db/hosts.sh tests the
# dashboard for several hosts.
. "$TESTS_DIR/cli/lib.sh"

DASHBOARD=$SRCDIR/docs/grafana/sysrate.json

inspect() {
    run python3 "$TESTS_DIR/cli/check_dashboard.py" "$1" metrics.prom
}

cat >query.lua <<'EOS'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
EOS
run "$SYSRATE" --db-driver=null --tx-rate=200 --time=0.2 --prom-file=metrics.prom query.lua run
check_equal "a run at a rate" 0 "$status"
inspect "$DASHBOARD"
check_match "the dashboard is right" '^[0-9]+ panels, [0-9]+ queries$' "$out"

# spoilt NAME SED-SCRIPT EXPECTED: changes the dashboard with the script and expects the check to fail with this message.
spoilt() {
    sed "$2" "$DASHBOARD" >spoilt.json
    inspect spoilt.json
    check_equal "$1: refused" 1 "$status"
    check_match "$1: message" "$3" "$out"
}
spoilt "another metric" 's/sysrate_queue/sysrate_queue_size/' ': sysrate_queue_size is not exported$'
spoilt "another label" 's/by (kind)/by (sort)/' ': no label sort$'
spoilt "another variable" 's/\$instance/$run/' ': no variable \$run$'
spoilt "a field that Grafana does not know" 's/"schemaVersion"/"schema"/' '^dashboard: "schema" is not known$'
spoilt "another type" 's/"editable": true/"editable": "yes"/' '"editable" has the wrong type$'
spoilt "panels on each other" 's/"x": 12,/"x": 11,/' 'lies on another panel$'
finish
