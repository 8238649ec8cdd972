#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The built-in tests beside those of sysbench 1.0: help, header, interval lines and reports must be the same after
# normalisation. Figures become N; names of the program become PROGRAM; blank lines go; and the block on the run as a whole,
# which every test has, is left out; interval lines count once: "General statistics" there, "Throughput" with events/s here (as in sysbench 1.1).
. "$TESTS_DIR/cli/lib.sh"

if ! command -v sysbench >/dev/null; then
    check "no sysbench here" true
    skip "all of it" "sysbench is not installed"
    finish
fi

normalize() {
    sed -E -e '1d' \
        -e '/^General statistics:$/d; /^ +total time: /d; /^ +total number of events: /d' \
        -e '/^ +events\/s \(eps\): /d; /^ +time elapsed: /d' \
        -e '/^ +reads, writes, fsyncs: /d; /^ +fsyncs after the end: /d; /^Asynchronous I\/O by /d' \
        -e 's/--file-block-size=(N   |SIZE)/--file-block-size=SIZE/' \
        -e "s/sys(bench|rate) /PROGRAM /g" \
        -e 's/ +[0-9]+(\.[0-9]+)?/ N/g; s/\( *N/(N/g; s/: +/: /g; s/[0-9]+(\.[0-9]+)?/N/g' |
        awk '/^$/ { next }
             # A second block of this name, or one with nothing left in it, is the one on the run as a whole.
             /^Throughput:$/ { held = $0; next }
             held != "" { if ($0 ~ /MiB/) print held; held = "" }
             { print }' | uniq
}

# same NAME ARGUMENT...
same() {
    local name=$1 theirs
    shift
    run sysbench "$@"
    theirs=$(printf '%s\n' "$out" | normalize)
    run "$SYSRATE" "$@"
    check_equal "$name" "$theirs" "$(printf '%s\n' "$out" | normalize)"
}

for test in cpu memory threads mutex; do
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

# The same files serve both.
same "fileio help" fileio help
files="--file-num=3 --file-total-size=2M"
# shellcheck disable=SC2086  # a list
{
    theirs_prepare=$(sysbench fileio $files prepare | normalize)
    sysbench fileio $files cleanup >cleanup.txt
    run "$SYSRATE" fileio $files prepare
    check_equal "fileio prepare" "$theirs_prepare" "$(printf '%s\n' "$out" | normalize)"
    same "fileio prepare, again" fileio $files prepare
    for mode in rndrw rndrd rndwr seqrd seqrewr seqwr; do
        same "fileio $mode" fileio $files --file-test-mode=$mode --events=300 --threads=2 run
        "$SYSRATE" fileio $files prepare >prepare.txt
    done
    same "fileio, intervals" fileio $files --file-test-mode=rndrw --file-io-mode=async --time=2 --report-interval=1 run
    same "fileio, mapped, synced" fileio $files --file-test-mode=rndwr --file-io-mode=mmap --file-fsync-all --events=100 run
    same "fileio, merged, direct" fileio --file-num=2 --file-total-size=1M --file-test-mode=seqrd --file-merged-requests=4 --events=20 \
        --file-extra-flags=direct --file-fsync-freq=0 --file-fsync-end=off run
    same "fileio cleanup" fileio $files cleanup
}
check_no_match "no file is left" 'test_file' "$(ls)"
finish
