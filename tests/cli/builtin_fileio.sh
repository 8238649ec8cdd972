#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The built-in test fileio: counts, contents, and messages about faulty files, disks and options.
. "$TESTS_DIR/cli/lib.sh"

FILES="--file-num=4 --file-total-size=1M"

# fileio COMMAND OPTION...
# shellcheck disable=SC2086  # a list
fileio() {
    local command=$1
    shift
    run "$SYSRATE" fileio $FILES "$@" "$command"
}

# operations N: the number of reads (1), writes (2) or fsyncs (3) of the run.
operations() {
    printf '%s\n' "$out" | sed -nE 's/^ +reads, writes, fsyncs: +([0-9]+), ([0-9]+), ([0-9]+)$/\'"$1"'/p'
}

# refused NAME REGEX: checks that the last run failed with this message.
refused() {
    check_equal "$1: fails" 1 "$status"
    check_match "$1" "$2" "$err"
}

# flip FILE OFFSET: changes one byte.
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059  # made here
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Options

fileio run
refused "no test mode" '^FATAL: Missing required argument: --file-test-mode$'
fileio run --file-test-mode=foo
refused "an unknown test mode" '^FATAL: invalid value for --file-test-mode: .foo. \(allowed: '
fileio run --file-extra-flags=direkt --file-test-mode=rndrd
refused "an unknown flag" '^FATAL: invalid value for --file-extra-flags: .direkt. \(allowed: sync, dsync and direct'
fileio prepare --file-block-size=1M
refused "a block larger than a file" '^FATAL: --file-block-size=1048576 is larger than a file: .* files of 262144 bytes$'
fileio prepare --file-block-size=1000 --file-extra-flags=direct
refused "blocks that direct I/O cannot move" 'invalid value for --file-block-size: .1000. \(allowed with direct: a multiple of 512\)'

# Missing and faulty files

fileio run --file-test-mode=rndrd
refused "missing files" "^FATAL: Cannot open file 'test_file.0' errno = 2 \\(No such file or directory\\)$"
check_match "missing files: advice" '^WARNING: Did you forget to run the prepare step\?$' "$err"
fileio prepare
check_equal "prepare" 0 "$status"
check_match "prepare prints the bytes that it wrote" '^1048576 bytes written in ' "$out"
run "$SYSRATE" fileio --file-num=4 --file-total-size=2M --file-test-mode=rndrd run
refused "files of a wrong size" "^FATAL: Size of file 'test_file.0' is 256KiB, but at least 512KiB is expected\.$"
check_match "files of a wrong size: advice" '^WARNING: Did you run .prepare. with different' "$err"

# Counts

for io in sync mmap async; do
    fileio run --file-test-mode=rndrw --file-io-mode=$io --threads=16 --events=1000 --file-fsync-freq=1 --validate
    check_equal "$io: 16 threads, an fsync of every file after each request" "0 1000 800" \
        "$status $(($(operations 1) + $(operations 2) + $(operations 3))) $(operations 3)"
    check_equal "$io: reads to writes as 1.5" 120 "$(operations 1)"
    fileio run --file-test-mode=rndwr --file-io-mode=$io --threads=3 --events=500 --file-fsync-all --validate
    check_equal "$io: an fsync after each write" "0 500 500" "$status $(operations 2) $(operations 3)"
    for mode in seqrd seqrewr rndrd rndwr rndrw; do
        fileio run --file-test-mode=$mode --file-io-mode=$io --threads=4 --events=416 --validate
        check_equal "$io $mode" "0 416" "$status $(($(operations 1) + $(operations 2) + $(operations 3)))"
    done
    fileio run --file-test-mode=seqwr --file-io-mode=$io --file-fsync-freq=0 --threads=4 --events=64
    check_equal "$io seqwr writes each block once" "0 64 1048576" "$status $(operations 2) $(cat test_file.* | wc -c)"
    check_match "$io seqwr: fsyncs after the end" '^ +fsyncs after the end: +4 in ' "$out"
    fileio run --file-test-mode=seqrd --validate --events=64
    check_equal "$io seqwr wrote the right contents" 0 "$status"
done
check_match "async prints the interface" '^Asynchronous I/O by (io_uring|libaio)$' "$(fileio run --file-test-mode=rndrd \
    --file-io-mode=async --events=1; printf '%s\n' "$out")"
# The number of io_uring_setup is the same on all architectures; that of io_setup is not.
without="python3 $TESTS_DIR/cli/without_syscalls.py"
if $without 425 true 2>/dev/null; then
    # shellcheck disable=SC2086  # lists
    run $without 425 "$SYSRATE" fileio $FILES --file-test-mode=rndrw --file-io-mode=async --events=300 --validate run
    check_equal "async where io_uring is refused" 0 "$status"
    check_match "async where io_uring is refused: by libaio" '^Asynchronous I/O by libaio$' "$out"
    if [ "$(uname -m)" = x86_64 ]; then
        # shellcheck disable=SC2086  # lists
        run $without 425,206 "$SYSRATE" fileio $FILES --file-test-mode=rndrw --file-io-mode=async run
        refused "async where all is refused" \
            '^FATAL: --file-io-mode=async is not possible here; io_uring: Operation not permitted; libaio: Operation not permitted$'
    fi
else
    skip "async where io_uring is refused" "no system call can be refused here"
fi
fileio run --file-test-mode=seqrewr --file-merged-requests=5 --events=16 --file-fsync-freq=0 --json=merged.json
check_equal "merged requests end with their file" "0 1048576" \
    "$status $(jq .summary.counters.bytes_written merged.json)"
fileio run --file-test-mode=rndrw --threads=16 --file-fsync-freq=1 --time=3
requests=$(($(operations 1) + $(operations 2)))
check_equal "16 threads for 3 s: no error" 0 "$status"
# A turn consists of a request and 4 fsyncs. The end of the run may cut one turn short per thread.
check_between "16 threads for 3 s: fsyncs" $((4 * requests - 64)) "$(operations 3)" $((4 * requests))

# Without --validate threads may write a block at the same time, but blocks must not be torn.
fileio run --file-test-mode=rndwr --threads=8 --file-io-mode=mmap --time=0.3 --rand-type=zipfian
fileio run --file-test-mode=seqrd --validate --events=64
check_equal "blocks written by several threads are whole" 0 "$status"

# Contents

cp test_file.2 saved
for place in 0 16383 100000 262143; do
    flip test_file.2 $place
    fileio run --file-test-mode=rndrd --validate --events=1
    refused "a byte flipped at $place is found" \
        "^FATAL: Validation failed on file 'test_file.2', block offset $((place / 16384 * 16384)): "
    cp saved test_file.2
done
flip test_file.1 5
fileio run --file-test-mode=rndrd --events=100
check_equal "no check without --validate" 0 "$status"
flip test_file.1 5
fileio run --file-test-mode=rndrd --validate --file-block-size=4K --events=1
refused "blocks of another size are told" 'by a prepare with the same --file-block-size\?'

# At an arrival rate

for io in sync async mmap; do
    fileio run --file-test-mode=rndrw --file-io-mode=$io --rate=1000 --time=0.5 --threads=2 --report-interval=0.25
    check_equal "$io at a rate" 0 "$status"
    check_equal "$io at a rate accounts for its requests" "$(figure offered)" "$(figure 'accounted for')"
    check_match "$io at a rate: intervals" \
        '^\[ [0-9.]+s \] reads: [0-9.]+ MiB/s writes: [0-9.]+ MiB/s fsyncs: [0-9.]+/s latency \(ms,95%\): [0-9.]+$' "$out"
done

# Things that happen during a run

# during_run COMMAND...: executes the command after the run has begun and completed some operations.
during_run() {
    : >.out
    (wait_for 40 grep -qs '^\[ ' .out && "$@") &
}

during_run rm test_file.3
fileio run --file-test-mode=rndwr --time=20 --report-interval=0.2
refused "a file removed during the run" "^FATAL: file 'test_file.3' was removed or replaced during the run"
wait
"$SYSRATE" fileio $FILES prepare >prepare.txt
for io in sync async mmap; do
    during_run truncate -s 1000 test_file.0
    fileio run --file-test-mode=rndrd --file-io-mode=$io --time=20 --report-interval=0.2
    refused "a file cut during the run, $io" \
        "^FATAL: (file 'test_file.0' ends at offset [0-9]+, where|a mapped file cannot be read or written any more)"
    wait
    "$SYSRATE" fileio $FILES prepare >prepare.txt
done

# A limit stands in for a full disk where nothing can be mounted.
# shellcheck disable=SC2016  # the inner shell's
run bash -c 'ulimit -f 512; trap "" XFSZ; exec "$0" "$@"' "$SYSRATE" fileio --file-num=1 --file-total-size=2M prepare
refused "no room for the files" "^FATAL: cannot write to file 'test_file.0' at offset [0-9]+: File too large \\(see ulimit -f\\)$"
fileio cleanup
check_equal "cleanup leaves nothing" "0 0" "$status $(find . -name 'test_file.*' | wc -l)"

mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=1M tmpfs disk 2>/dev/null; then
    trap 'cd / && umount "$WORK_DIR/disk" && rm -rf "$WORK_DIR"' EXIT
    cd disk || exit 1
    run "$SYSRATE" fileio --file-num=2 --file-total-size=4M prepare
    refused "prepare on a full disk" "^FATAL: cannot write to file 'test_file.0' at offset [0-9]+: No space left on device$"
    check_match "prepare on a full disk: advice" "^WARNING: 4MiB in 2 files were asked for; 'fileio cleanup'" "$err"
    run "$SYSRATE" fileio --file-num=2 --file-total-size=4M cleanup
    for io in sync async mmap; do
        run "$SYSRATE" fileio --file-num=2 --file-total-size=4M --file-test-mode=seqwr --file-io-mode=$io --time=5 run
        refused "a disk that fills up, $io" \
            "^FATAL: cannot (write [0-9]+ bytes at offset [0-9]+ of|make) file 'test_file.0'.*: No space left on device$"
        rm -f test_file.*
    done
    cd ..
    umount disk
    # Permissions do not stop root, but a read-only file system does.
    mount -t tmpfs -o ro tmpfs disk
    cd disk || exit 1
    for command in prepare "run --file-test-mode=seqwr"; do
        # shellcheck disable=SC2086  # a list
        fileio $command
        refused "a read-only file system, $command" "^FATAL: Cannot open file 'test_file.0' errno = 30 \\(Read-only file system\\)$"
    done
    cd ..
    umount disk
    # This is the last check, because the file system may allow direct I/O.
    if mount -t ramfs ramfs disk 2>/dev/null; then
        cd disk || exit 1
        run "$SYSRATE" fileio $FILES prepare
        if dd if=test_file.0 of=/dev/null iflag=direct count=1 bs=4096 status=none 2>/dev/null; then
            skip "direct I/O refused" "this file system allows it"
        else
            run "$SYSRATE" fileio $FILES --file-test-mode=rndrd --file-extra-flags=direct run
            refused "direct I/O refused" "^FATAL: Cannot open file 'test_file.0' errno = 22 \\(Invalid argument\\)$"
            check_match "direct I/O refused: advice" '^WARNING: The file system does not support direct I/O' "$err"
        fi
        cd ..
    fi
else
    skip "full disk, direct I/O refused" "nothing can be mounted here"
fi

mkdir -m 555 readonly
if [ "$(id -u)" -ne 0 ]; then
    as_user=
elif command -v setpriv >/dev/null && chmod 755 "$WORK_DIR" && setpriv --reuid=65534 --clear-groups test -x "$SYSRATE"; then
    as_user="setpriv --reuid=65534 --clear-groups"
else
    as_user=none
fi
if [ "$as_user" = none ]; then
    skip "a read-only folder" "root writes everywhere, and nobody cannot run the program"
else
    cd readonly || exit 1
    # shellcheck disable=SC2086  # a list
    run $as_user "$SYSRATE" fileio $FILES prepare
    refused "a read-only folder" "^FATAL: Cannot open file 'test_file.0' errno = 13 \\(Permission denied\\)$"
    cd ..
fi
finish
