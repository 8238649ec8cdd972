#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Under the name sysbench the program speaks as the release that --enable-sysbench-alias names: $RELEASE, or what this build was
# configured for.
. "$TESTS_DIR/cli/lib.sh"
: "${RELEASE:=$(sed -nE 's/^#define SYSBENCH_ALIAS_VERSION "(.*)"$/\1/p' "$(dirname "$SYSRATE")/../config.h")}"
dots=${RELEASE//./\\.}
ln -s "$SYSRATE" sysbench

case $RELEASE in
1.1.0) layout=sysbench-1.1 mine='^    time elapsed: ' other='^General statistics:$' ;;
1.0.20) layout=sysbench-1.0 mine='^    total time: ' other='^Throughput:$' ;;
*) fail "the release" "'$RELEASE' is none" ;;
esac

# headings TEXT
headings() {
    printf '%s\n' "$1" | sed -nE 's/^([A-Z][A-Za-z ]+)( \(ms\))?:$/\1/p'
}

run ./sysbench --version
check_equal "--version: one line" "sysbench $RELEASE" "$out"
run ./sysbench cpu --rate=100 --time=0.5 --report-interval=0.1 run
check_match "the banner" "^sysbench $dots \(using system LuaJIT [^ ]+\)\$" "${out%%$'\n'*}"
check_match "the layout" "$mine" "$out"
check_no_match "not the other layout" "$other" "$out"
check_no_match "no lines that sysbench does not have" '^(Requests:|Audit:|Verdict:|Generator lag|\[ .*\] arrivals)' "$out"
sections=$(headings "$out")
run "$SYSRATE" cpu --rate=100 --time=0.5 --report="$layout" run
check_equal "the same as --report=$layout" "$sections" "$(headings "$out")"

echo 'print(sysbench.version, "|", sysbench.version_string)' >version.lua
run ./sysbench version.lua
check_match "scripts see it" "^$dots	\|	sysbench $dots\$" "$out"

run ./sysbench cpu --rate=100 --time=0.5 --report=full run
check_match "--report=full has all" '^Verdict: ' "$out"
echo report=full >options.conf
run ./sysbench cpu --rate=100 --time=0.5 --config-file=options.conf run
check_match "--report in a file of options" '^Verdict: ' "$out"

# Results that these layouts have no section for are logged as warnings.
run ./sysbench cpu --events=5 --slo='p50<0.000001ms' run
check_equal "a missed objective: exit code" 3 "$status"
check_match "a missed objective: warning" '^WARNING: objective p50<0\.000001ms is missed: [0-9.]+ ms$' "$err"
check_no_match "a missed objective: not in the report" 'MISSED' "$out"
run ./sysbench oltp_point_select --db-driver=null --null-service=1s --threads=2 --rate=200 --rand-seed=1 --time=1 run
check_match "a bad verdict: warning" '^WARNING: verdict OVERLOADED: ' "$err"
check_match "lower bounds: warning" '^WARNING: requests that did not end .* lower bounds' "$err"
check_match "lower bounds: a number" '^ +max: +[0-9]+\.[0-9]{2}$' "$out"

run "$SRCDIR/configure" --quiet --enable-sysbench-alias=0.5
check_equal "--enable-sysbench-alias=0.5: exit code" 1 "$status"
check_match "--enable-sysbench-alias=0.5: allowed values" '1\.1\.0 or 1\.0\.20 was expected' "$err"
finish
