#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysrate selftest as a user runs it, with its fixed seed. Under a sanitizer, which makes the
# program slow, the short version is used.
. "$TESTS_DIR/cli/lib.sh" || exit 1

quick=
[ "$SANITIZER" = no ] || quick=--quick

# Returns true if the only failure is that half of the wake-ups, or a reading of the clock, were
# late, as happens on a machine with few free processors. Only then is the test repeated.
only_late() {
    [[ $status = 1 && $out = *' FAIL'* ]] && ! printf '%s\n' "$out" | grep ' FAIL$' | grep -Evq ' (wake-up of a worker, median|lateness of a service, median|starts of the ranks apart) '
}

selftest() {
    RUN_TIMEOUT=600 run "$SYSRATE" selftest $quick
    printf '%s\n' "$out" | grep ' FAIL$' | sed 's/^/# /'
}
try_until '! only_late' selftest
check_equal "every check passes" 0 "$status"
[ "$status" = 0 ] || printf '%s\n' "$both" | grep -v ' pass$'
check_match "says so" '^[0-9]+ of [0-9]+ checks passed in' "$out"
check_equal "writes nothing to stderr" "" "$err"
lines=$(printf '%s\n' "$out" | grep -Ec ' (pass|FAIL)$')
check_match "has a line for each check" "^$lines of $lines checks passed" "$out"
for test in 'M/M/1' 'M/M/4' 'M/D/1' 'M/M/(4/2) rank 0' 'M/M/(4/2) rank 1' 'M/M/(4/2) merged' 'server stall' 'client stall' overload; do
    check_match "has checks of $test" "^${test//[()]/.} .* pass\$" "$out"
done

mkdir broken_off
TMPDIR=$PWD/broken_off "$SYSRATE" selftest >.out 2>.err &
pid=$!
wait_for 60 grep -qs ' pass$' .out
sleep 0.3
kill -INT "$pid"
wait "$pid"
check_equal "Ctrl-C: exit 130" 130 $?
check_match "Ctrl-C: says so" '^([0-9]+) of \1 checks passed in [0-9]+ s: interrupted$' "$(cat .out)"
check_equal "Ctrl-C: nothing else is said" "" "$(cat .err)"
check_equal "Ctrl-C: nothing is left behind" "" "$(ls broken_off)"

run "$SYSRATE" selftest help
check_equal "help exits 0" 0 "$status"
check_match "help lists its option" '^  --quick' "$out"

run "$SYSRATE" selftest run
check_equal "no command but help" 1 "$status"
check_match "names the command" "'selftest' takes no command but help: run" "$err"

run "$SYSRATE" selftest --slow
check_equal "no unknown option" 1 "$status"
check_match "names the option" 'invalid option: --slow' "$err"

run env TMPDIR=/no/such/folder "$SYSRATE" selftest --quick
check_equal "a temporary folder that is not there fails" 1 "$status"
check_match "names the folder" "/no/such/folder" "$err"

finish
