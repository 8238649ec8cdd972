#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154
#
# The built-in tests beside those of sysbench 1.0: help, header, interval lines and reports must be the same, but for the
# differences that docs/migration.md lists (tests/db/differential/differential_lib.sh says how they are compared, differential_help.sh checks
# that each is listed).
. "$TESTS_DIR/cli/lib.sh"
. "$TESTS_DIR/db/differential/differential_lib.sh"
require_peer
server=

# Rules as in differential_lib.sh. The number of interval lines depends on chance, and so does whether an interval is
# complete.
PEER_RULES+=(
    [fileio-block-size]='s/--file-block-size=N   /--file-block-size=SIZE/'
)
for args in "cpu --events=20 --validate" "cpu --time=2 --report-interval=1 --percentile=0" "cpu --time=2 --rate=20 --report-checkpoints=1" \
    "memory --memory-total-size=8M" "memory --memory-total-size=1000G --time=2 --report-interval=1 --rand-seed=5" \
    "threads --events=50 --threads=3" "mutex --mutex-locks=1000"; do
    # shellcheck disable=SC2086  # a list
    exactly "$args" $args run
done

for test in cpu memory threads mutex fileio; do
    same "$test help" "$test" help
done

same "cpu" cpu --events=200 --threads=2 run
same "cpu, intervals" cpu --time=2 --report-interval=1 --percentile=99 run
same "cpu, checked" cpu --time=0 --events=5 --validate run
same "memory writes" memory --memory-total-size=64M --threads=2 run
same "memory reads at random" memory --memory-total-size=8M --memory-oper=read --memory-access-mode=rnd --memory-scope=local run
same "memory, neither" memory --memory-total-size=64M --memory-block-size=4K --memory-oper=none run
same "memory, intervals" memory --memory-total-size=1000G --memory-block-size=1M --time=2 --report-interval=1 run
same "threads" threads --events=50 --threads=3 run
same "mutex" mutex --threads=2 --mutex-locks=1000 run

differs memory-rest "a total size that is no multiple of the block" "0 ^Total operations: 2 " "0 ^Total operations: 3 " \
    memory --memory-block-size=4K --memory-total-size=10000 run
differs events "memory, --events" "0 ^Total operations: 1024 " "0 ^Total operations: 5 " memory --memory-total-size=1M --events=5 run
differs events "mutex, --events" "0 total number of events: +1$" "0 total number of events: +3$" mutex --mutex-locks=10 --events=3 run
differs memory-block "a block of 1000 bytes" "1 ^FATAL: Invalid value for memory-block-size: 1000" "0 ^Total operations: 1000 " \
    memory --memory-block-size=1000 --memory-total-size=1000000 run
differs memory-none "intervals of no operation" '0 ^\[ [0-9]+s \] [1-9][0-9]*\.[0-9]+ MiB/sec' '0 ^\[ [0-9.]+s \] 0\.00 MiB/sec' \
    memory --memory-oper=none --memory-total-size=1000000G --time=2 --report-interval=1 run
if [ "$(cat /proc/sys/vm/nr_hugepages 2>/dev/null)" = 0 ]; then
    differs memory-hugetlb "huge pages where there are none" "1 ^FATAL: Failed to allocate [0-9]+ bytes from HugeTLB memory" \
        "1 ^FATAL: cannot allocate [0-9]+ bytes of huge pages.*nr_hugepages" memory --memory-hugetlb run
fi

# Each tool creates its files in its own folder.
files="--file-num=3 --file-total-size=1920K"
layout=sysbench-1.0 # unless the arguments set another
# shellcheck disable=SC2086  # a list
{
    differs fileio-first "fileio without files" "1 ^FATAL: Cannot open file 'test_file.0' errno = 2 " \
        "1 ^FATAL: Cannot open file 'test_file.0' errno = 2 " fileio $files --file-test-mode=rndrd run
    check_no_match "nothing is begun without files" 'Number of threads' "$our_out"
    same "fileio prepare" fileio $files prepare
    same "fileio prepare, again" fileio $files prepare
    too_small="1 ^FATAL: Size of file 'test_file.0' is 640KiB, but at least 1MiB is expected\."
    differs fileio-first "files that are too small" "$too_small" "$too_small" \
        fileio --file-num=3 --file-total-size=3M --file-test-mode=rndrd run
    for mode in rndrw rndrd rndwr seqrd seqrewr seqwr; do
        same "fileio $mode" fileio $files --file-test-mode=$mode --events=300 --threads=2 run
    done
    same "fileio prepare behind seqwr" fileio $files prepare
    exactly "fileio" fileio $files --file-test-mode=rndrw --events=300 run
    exactly "fileio, asynchronous" fileio $files --file-test-mode=rndrw --file-io-mode=async --time=2 --report-interval=1 run
    exactly "fileio at a rate" fileio $files --file-test-mode=rndrd --rate=200 --time=2 --report-interval=1 run
    layout=full differs fileio-counts "figures of fileio" '0 ^    read, MiB/s: +[0-9.]+$' '0 ^    reads, writes, fsyncs: +300, 0, 0$' \
        fileio $files --file-test-mode=rndrd --events=300 run
    sections=$(printf '%s\n' "$our_out" | sed -nE 's/^([A-Z][a-z ]+)( \(ms\))?:$/\1/p' | sort)
    check_equal "fileio, full: all sections, each once" "Audit
File operations
Latency
Running the test with following options
Threads fairness
Throughput" "$sections"
    check_match "fileio, full: as in 1.1" '^         read:  IOPS=[0-9.]+ [0-9.]+ MiB/s \([0-9.]+ MB/s\)$' "$our_out"
    layout=full differs fileio-async "asynchronous I/O" '0 ^Using asynchronous I/O mode$' '0 ^Asynchronous I/O by (io_uring|libaio)$' \
        fileio $files --file-test-mode=rndrd --events=30 --file-io-mode=async run
    ours fileio $files --file-test-mode=rndrw --events=300 --report=sysbench-1.1 run
    check_equal "fileio as sysbench 1.1 has it" "Throughput:
         read:  IOPS=N.DD N.DD MiB/s (N.DD MB/s)
         write: IOPS=N.DD N.DD MiB/s (N.DD MB/s)
         fsync: IOPS=N.DD

Latency (ms):" "$(printf '\n%s\n' "$our_out" | letters | sed -n '/^Throughput:/,/^Latency/p')"
    check_no_match "fileio as sysbench 1.1 has it: no more" '^(File operations|Threads fairness|    events/s)' "$our_out"
    same "fileio, intervals" fileio $files --file-test-mode=rndrw --file-io-mode=async --time=2 --report-interval=1 run
    same "fileio, mapped, synced" fileio $files --file-test-mode=rndwr --file-io-mode=mmap --file-fsync-all --events=100 run
    same "fileio, merged, direct" fileio --file-num=2 --file-total-size=1M --file-test-mode=seqrd --file-merged-requests=4 --events=20 \
        --file-extra-flags=direct --file-fsync-freq=0 --file-fsync-end=off run

    differs fileio-mode "no test mode" "1 ^  --file-rw-ratio=N" "1 ^FATAL: Missing required argument: --file-test-mode" fileio $files run
    differs fileio-fsync-end "fsyncs after the end" '0 ^ +fsyncs/s: +[1-9]' '0 ^ +fsyncs/s: +0\.00$' \
        fileio $files --file-test-mode=rndwr --file-fsync-freq=0 --events=100 run
    # The changed byte is in the last block, which a single read of the first block does not touch.
    (cd peer && sysbench fileio $files cleanup && sysbench fileio $files --validate prepare) >prepare.txt
    (cd ours && "$SYSRATE" fileio $files --file-test-mode=seqwr --file-fsync-freq=0 --events=120 run) >seqwr.txt
    for folder in peer ours; do
        printf X | dd of=$folder/test_file.2 bs=1 seek=655000 conv=notrunc status=none
    done
    differs fileio-validate "a damaged block that is not read" "0 total number of events: +1$" \
        "1 ^FATAL: Validation failed on file 'test_file.2', block offset 638976: " \
        fileio $files --file-test-mode=seqrd --validate --events=1 run
    same "fileio cleanup" fileio $files cleanup
}
check_no_match "no file is left" 'test_file' "$(ls peer ours)"
finish
