#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs missing packages, builds in build/, build-asan/ and build-tsan/ and runs the tests:
# - all tests on the plain build,
# - the unit tests under the address and undefined sanitizers, and under the thread sanitizer,
# - the scripts that look for memory errors under the address and undefined sanitizers.
# With --sanitize, the command-line tests that are suitable also run under the sanitizers. With --long, tests that take minutes also run,
# on the plain build. With --mysql, the script only builds and runs the tests on databases, with MySQL and its client library instead of
# MariaDB's (scripts/mysql.sh).
# The script continues after failures and prints the logs of failed tests, and the failed checks once more at the end. The last line counts
# single checks, "N passed, N failed", and those that were skipped. The exit code is 1 if a check has failed.
set -u

cd "$(dirname "$0")/.." || exit 1
root=$PWD

tests=test_all
dependencies=--test
long=
sanitizer_target=check-units
case ${1-} in
'') ;;
--sanitize) sanitizer_target=check-sanitized ;;
--long) long=yes ;;
--mysql)
    tests=test_mysql
    dependencies=--test-mysql
    ;;
*)
    echo "usage: $0 [--sanitize|--long|--mysql]" >&2
    exit 2
    ;;
esac

passed=0
failed=0
skipped=0
steps=0
repeats=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# step NAME COMMAND...: runs a command as one check. Prints its output if it fails.
step() {
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
        printf 'ok - %s\n' "$name"
    else
        failed=$((failed + 1))
        printf 'not ok - %s\n' "$name" | tee -a "$work/failures"
        cat "$work/log"
        return 1
    fi
}

# count RESULT LOG: prints "PASSED FAILED", the numbers of single checks of one test. A test that prints no checks counts as one check.
# A test that failed although no check has failed counts as one more failure.
count() {
    awk -v result="$1" '
        /^ok - / { p++ }
        /^not ok - / { f++ }
        /^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+$/ {
            gsub(/,/, ""); p += $3 - $5 - $7; f += $5 + $7
        }
        END {
            if (result == "PASS" && p + f == 0) p++
            if (result != "PASS" && result != "SKIP" && f == 0) f++
            print p + 0, f + 0
        }' "$2"
}

# Counts the checks that were skipped; the log has the reasons. A test that is skipped as a whole counts as one check.
count_skips() {
    awk -v result="$1" '/^skip - / { n++ } END { print n + 0 + (result == "SKIP" && n == 0) }' "$2"
}

# Prints "STEPS REPEATS": the number of test steps that a busy machine may spoil, and how often such steps were repeated (tests/cli/lib.sh).
count_repeats() {
    awk '/^# [0-9]+ steps, made again: [0-9]+$/ { s += $2; r += $6 } END { print s + 0, r + 0 }' "$1"
}

# repeats_limit N: the highest plausible number of repeats of N steps if a busy machine spoils a tenth of the attempts (q = 0.1). A higher
# number has a probability of 1/100 000. The number of repeats has a negative binomial distribution,
# P(k) = P(k - 1) q (N + k - 1) / k, P(0) = (1 - q)^N. With a load of 4 to 7 on two processors, one of 72 attempts was spoilt.
repeats_limit() {
    awk -v n="$1" 'BEGIN {
        q = 0.1
        p = (1 - q) ^ n
        for (more = 1 - p; more > 1e-5; more -= p) { k++; p *= q * (n + k - 1) / k }
        print k + 0 }'
}

few_repeats() {
    echo "$repeats of $steps steps were repeated, but at most $(repeats_limit "$steps") are plausible as noise: a test is spoilt too often"
    [ "$repeats" -le "$(repeats_limit "$steps")" ]
}

# note_failures TEST LOG: keeps the failed checks of a test for the summary: its first ten, or the last ten lines of a test that names none.
note_failures() {
    {
        printf '%s:\n' "$1"
        (grep -E '^not ok - |:[FE]:' "$2" || tail -n 10 "$2") | head -n 10 | sed 's/^/    /'
    } >>"$work/failures"
}

# tally FOLDER TITLE: counts the results of the tests of one build. Prints a line per test, and the logs of failed tests without the
# checks that passed.
tally() {
    for result_file in $(find "$1/tests" -name '*.trs' | sort); do
        log=${result_file%.trs}.log
        name=${log#"$1"/}
        name=${name%.log}
        result=$(sed -n 's/^:test-result: \([A-Z]*\).*/\1/p' "$result_file" | head -n 1)
        counts=$(count "$result" "$log")
        passed=$((passed + ${counts% *}))
        failed=$((failed + ${counts#* }))
        skips=$(count_skips "$result" "$log")
        skipped=$((skipped + skips))
        tries=$(count_repeats "$log")
        steps=$((steps + ${tries% *}))
        repeats=$((repeats + ${tries#* }))
        took=$(sed -n 's/^# took \([0-9]* s\)$/, \1/p' "$log" | tail -n 1)
        printf '%-5s %s%s: %s passed, %s failed%s\n' "$result" "$name" "$2" "${counts% *}" "${counts#* }" "$took"
        if [ "$result" != PASS ] || [ "${counts#* }" -gt 0 ]; then
            sed '/^ok - /d; s/^/      /' "$log"
            [ "${counts#* }" -eq 0 ] || note_failures "$name$2" "$log"
        elif [ "$skips" -gt 0 ] || [ "${tries#* }" -gt 0 ]; then
            sed -nE '/^(skip - |# to be made again|# again, because)/s/^/      /p' "$log"
        fi
    done
}

# run_tests FOLDER TARGET TITLE [COMMAND-PREFIX...]
run_tests() {
    folder=$1
    target=$2
    title=$3
    shift 3
    find "$folder/tests" \( -name '*.trs' -o -name '*.log' \) -exec rm -f {} + 2>/dev/null
    if step "the tests compile$title" make -C "$folder" -j "$(nproc)" -k check TESTS=; then
        failed_before=$failed
        code=0
        "$@" make -C "$folder" -k "$target" >"$folder/check.log" 2>&1 || code=$?
        tally "$folder" "$title"
        if [ "$code" -ne 0 ] && [ "$failed" -eq "$failed_before" ]; then
            step "the tests run$title" sh -c 'cat "$1"; false' sh "$folder/check.log"
        fi
    fi
}

# The thread sanitizer expects memory at certain addresses. A kernel with much address space randomization does not comply with that.
fixed_addresses() {
    if setarch -R true 2>/dev/null; then
        setarch -R "$@"
    else
        "$@"
    fi
}

# Builds the source archive with -O1, which takes less time than -O2. That is sufficient, because build/ compiles the same sources with -O2
# and shows their warnings, and because no program of the archive is measured.
check_archive() {
    make -C build -j "$(nproc)" distcheck TESTS= DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O1
}

# Builds the program that behaves as sysbench 1.0.20 in build-alias/. SYSBENCH_ALIAS_VERSION is the only difference from build/, and
# main.c is the only file that uses it. Therefore the libraries of build/ are reused: make does not rebuild them (-o).
build_alias() {
    mkdir -p build-alias/src
    (cd build-alias && ../configure --quiet --enable-werror --enable-sysbench-alias=1.0.20) || return 1
    for folder in build build-alias; do
        grep -v SYSBENCH_ALIAS_VERSION $folder/config.h >"$work/$folder.h" || return 1
    done
    diff "$work/build.h" "$work/build-alias.h" || return 1
    readers=$(grep -rl SYSBENCH_ALIAS_VERSION src)
    [ "$readers" = src/main/main.c ] || { echo "SYSBENCH_ALIAS_VERSION is read by other files than src/main/main.c: $readers"; return 1; }
    kept=
    for library in base report tools engine sysrate; do
        cp "build/src/lib$library.a" build-alias/src/ || return 1
        kept="$kept -o src/lib$library.a"
    done
    # shellcheck disable=SC2086  # a list
    make -C build-alias $kept src/sysrate
}

test_all() {
    step 'every file is in Makefile.am' scripts/check-lists.sh
    step 'functions and files are short' scripts/check-functions.sh && cat "$work/log"
    step 'what documentation and comments name exists' scripts/check-references.sh && cat "$work/log"
    if step 'builds without a warning' scripts/build.sh build --enable-werror; then
        step 'headers compile alone' make -C build check-headers
        step 'the source archive builds, installs and uninstalls' check_archive
        run_tests build check-parallel ''
        [ -z "$long" ] || run_tests build check-long ' (long)'
        if step 'builds as sysbench 1.0.20' build_alias; then
            step 'speaks as sysbench 1.0.20' env TESTS_DIR="$root/tests" SYSRATE="$root/build-alias/src/sysrate" RELEASE=1.0.20 \
                bash tests/cli/alias.sh
        fi
    fi
    # -O1 takes two thirds of the time of -O2 to compile, and the instrumentation is the same.
    if step 'builds with the address and undefined sanitizers' \
        scripts/build.sh build-asan --enable-werror --with-sanitizer=address,undefined CFLAGS='-g -O1'; then
        run_tests build-asan "$sanitizer_target" ' (address, undefined)'
    fi
    if step 'builds with the thread sanitizer' \
        scripts/build.sh build-tsan --enable-werror --with-sanitizer=thread; then
        run_tests build-tsan "$sanitizer_target" ' (thread)' fixed_addresses
    fi
}

# The tests whose results may depend on the server and the client library.
test_mysql() {
    if step 'builds without a warning' scripts/build.sh build --enable-werror; then
        step "is built with MySQL's client library" sh -c 'build/src/sysrate --version | grep libmysqlclient' && cat "$work/log"
        step "the server is MySQL's" sh -c '! command -v mariadbd && mysqld --version' && cat "$work/log"
        run_tests build check-databases ''
    fi
}

start=$(date +%s)
scripts/install-deps.sh "$dependencies" || exit 1
"$tests"

step 'the number of repeated steps is plausible as noise' few_repeats
[ ! -s "$work/failures" ] || { echo 'These have failed:' && cat "$work/failures"; }
echo "Took $(($(date +%s) - start)) s; logs are in $root/build*/tests"
echo "$repeats of $steps steps that a busy machine may spoil were repeated; up to $(repeats_limit "$steps") repeats are plausible as noise"
summary=
[ "$skipped" -eq 0 ] || summary=", $skipped skipped"
echo "$passed passed, $failed failed$summary"
[ "$failed" -eq 0 ]
