#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The built-in tests cpu, memory, threads and mutex report the work that they did.
. "$TESTS_DIR/cli/lib.sh"

# Commands

for test in cpu memory threads mutex; do
    run "$SYSRATE" "$test"
    check_equal "$test without a command fails" 1 "$status"
    check_match "$test without a command" "^The '$test' test requires a command argument. See 'sysrate $test help'$" "$err"
    run "$SYSRATE" "$test" prepare
    check_equal "$test prepare fails" 1 "$status"
    check_match "$test prepare" "^'$test' test does not implement the 'prepare' command\.$" "$err"
done
run "$SYSRATE" cpu bogus
check_equal "an unknown command fails" 1 "$status"
run "$SYSRATE" --help
check_match "--help lists the tests" '^  memory - Memory functions speed test$' "$out"

# Wrong values

# refuses NAME REGEX ARGUMENT...
refuses() {
    local name=$1 message=$2
    shift 2
    run "$SYSRATE" "$@" run
    check_equal "$name: fails" 1 "$status"
    check_match "$name" "$message" "$err"
}
refuses "a prime limit of 0" '^FATAL: invalid value for --cpu-max-prime: .0. \(allowed: ' cpu --cpu-max-prime=0
refuses "a block of 0 bytes" '^FATAL: invalid value for --memory-block-size: .0. \(allowed: ' memory --memory-block-size=0
refuses "a block of 9 bytes" '^FATAL: invalid value for --memory-block-size: .9. \(allowed: a multiple of 8 bytes\)$' \
    memory --memory-block-size=9
refuses "an unknown operation" 'invalid value for --memory-oper: .x. \(allowed: ' memory --memory-oper=x
refuses "no locks" 'invalid value for --thread-locks: .0. \(allowed: ' threads --thread-locks=0
refuses "no mutexes" 'invalid value for --mutex-num: .0. \(allowed: ' mutex --mutex-num=0
if [ "$(cat /proc/sys/vm/nr_hugepages 2>/dev/null)" = 0 ]; then
    refuses "huge pages where there are none" '^FATAL: cannot allocate 2097152 bytes of huge pages.*nr_hugepages' \
        memory --memory-hugetlb
fi

# Results

run "$SYSRATE" cpu --validate --cpu-max-prime=1000 --events=100 --threads=2 run
check_equal "cpu finds the primes" 0 "$status"
check_equal "cpu executes the events" 100 "$(figure 'total number of events')"

for threads in 1 3 16; do
    run "$SYSRATE" memory --memory-block-size=4K --memory-total-size=40000 --threads="$threads" --validate run
    check_equal "memory with $threads threads ends well" 0 "$status"
    check_equal "memory with $threads threads: blocks, the last one short" 10 "$(figure 'Total operations')"
    check_match "memory with $threads threads: bytes" '^0.04 MiB transferred' "$out"
done
run "$SYSRATE" memory --memory-block-size=8 --memory-total-size=1M --threads=4 --json=memory.json run
check_equal "memory stops exactly at the total size" 131072 "$(figure 'Total operations')"
check_match "memory counts the bytes that it accessed" '^1\.00 MiB transferred' "$out"
run "$SYSRATE" memory --memory-total-size=1M --events=5 run
check_equal "memory keeps --events" 5 "$(figure 'Total operations')"
for options in "--memory-oper=read" "--memory-oper=read --memory-access-mode=rnd" "--memory-access-mode=rnd" \
    "--memory-scope=local" "--memory-scope=local --memory-access-mode=rnd"; do
    # shellcheck disable=SC2086  # a list
    run "$SYSRATE" memory --memory-block-size=1000 --memory-total-size=1000000 --threads=2 --validate $options run
    check_equal "memory $options, checked" "0 1000" "$status $(figure 'Total operations')"
done
run "$SYSRATE" memory --memory-oper=none --events=100 run
check_no_match "nothing is transferred by no operation" 'MiB transferred' "$out"

run "$SYSRATE" mutex --threads=3 --mutex-locks=1000 --mutex-num=1 --mutex-loops=1 run
check_equal "mutex: no lock failed" 0 "$status"
check_match "mutex: an event per thread" '^ +events \(avg/stddev\): +1\.0000/0\.00$' "$out"
run "$SYSRATE" mutex --threads=2 --mutex-locks=10 --events=7 run
check_equal "mutex keeps --events" 7 "$(figure 'total number of events')"
run "$SYSRATE" threads --threads=4 --thread-locks=1 --events=50 --thread-yields=20 run
check_equal "threads executes the events" "0 50" "$status $(figure 'total number of events')"

# At an arrival rate

for test in "cpu --cpu-max-prime=100" "memory" "threads --thread-yields=1" "mutex --mutex-locks=10 --events=100"; do
    # shellcheck disable=SC2086  # a list
    run "$SYSRATE" $test --rate=500 --time=0.4 --threads=2 --rand-seed=3 run
    check_equal "${test%% *} at a rate" 0 "$status"
    check_equal "${test%% *} at a rate accounts for its requests" "$(figure offered)" "$(figure 'accounted for')"
done

# Options of databases

run "$SYSRATE" cpu --cpu-max-prime=100 --events=10 --server-stats --replica=x --server-config run
check_equal "options that watch a server, and there is none: exits 0" 0 "$status"
for option in server-stats replica server-config; do
    check_match "--$option: a warning" "^WARNING: --$option has no effect: the test uses no database$" "$err"
done
finish
