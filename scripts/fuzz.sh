#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzes the parts of the program that read untrusted input: scripts/fuzz.sh MINUTES [TARGET...]. Each target runs for MINUTES; all
# targets run by default (tests/fuzz/fuzz.c has their names). Needs clang with its sanitizers: apt-get install clang. Builds in
# build-fuzz/ with the address and undefined sanitizers and leak detection. New inputs that reach new code are kept in
# build-fuzz/corpus/TARGET for the next time. An input that fails is in build-fuzz/found/TARGET: correct the code, then move the input
# to tests/fuzz/seeds/TARGET under a telling name. The exit code is 1 if an input has failed; the other targets run in any case.
#
# To run one input again: FUZZ_TARGET=TARGET build-fuzz/tests/fuzz/fuzzer FILE, or with gcc: build/tests/fuzz/run_seeds TARGET FILE
set -eu

cd "$(dirname "$0")/.."
root=$PWD
minutes=${1-}
shift || true
case $minutes in
'' | *[!0-9.]*)
    echo "usage: $0 MINUTES [TARGET...]" >&2
    exit 2
    ;;
esac
seconds=$(awk -v m="$minutes" 'BEGIN { print int(m * 60) }')
command -v clang >/dev/null || {
    echo "$0: there is no clang (apt-get install clang)" >&2
    exit 2
}

export CC=clang CFLAGS='-O1 -g -fsanitize=fuzzer-no-link -fno-sanitize-recover=all'
scripts/build.sh build-fuzz --with-sanitizer=address,undefined --without-mongodb
make -C build-fuzz -j "$(nproc)" V=0 tests/fuzz/fuzzer >build-fuzz/build.log

[ $# -gt 0 ] || for folder in tests/fuzz/seeds/*/; do
    set -- "$@" "$(basename "$folder")"
done

# Prints the words of the seeds as a dictionary for libFuzzer.
write_dictionary() {
    cat "tests/fuzz/seeds/$1"/* | LC_ALL=C tr -c 'A-Za-z0-9_-' '\n' | LC_ALL=C grep -E '^[A-Za-z_-]{2,30}$' | sort -u |
        head -n 500 | sed 's/.*/"&"/'
    echo '"0"'
}

status=0
for target in "$@"; do
    [ -d "tests/fuzz/seeds/$target" ] || {
        echo "$0: there is no target '$target'" >&2
        exit 2
    }
    mkdir -p "build-fuzz/corpus/$target" "build-fuzz/found/$target" build-fuzz/work
    write_dictionary "$target" >"build-fuzz/$target.dict"
    log=build-fuzz/$target.log
    code=0
    (
        cd build-fuzz/work # what a target writes by mistake is not in the source
        export FUZZ_TARGET="$target" UBSAN_OPTIONS=print_stacktrace=1
        export ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1
        exec ../tests/fuzz/fuzzer -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2500 -close_fd_mask=3 \
            -max_len=65536 -len_control=100 -dict="../$target.dict" -artifact_prefix="../found/$target/" -print_final_stats=1 \
            "../corpus/$target" "$root/tests/fuzz/seeds/$target" </dev/null >"../$target.log" 2>&1
    ) || code=$?
    done_inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ "$code" -eq 0 ]; then
        echo "ok - $target: ${done_inputs:-?} inputs in $minutes minutes"
    else
        status=1
        echo "not ok - $target: see build-fuzz/found/$target and $log:"
        grep -nE 'ERROR|SUMMARY|runtime error|does not hold|^    #[0-9]+ .* /.*/src/' "$log" | head -n 12
    fi
done
exit $status
