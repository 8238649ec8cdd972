# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The service is a separate program, which sysrate executes. Tests its libraries, how both programs find each other,
# and the messages if one of them is not installed.
. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

needs_http "the program of the service"
SERVICE=$(dirname "$SYSRATE")/sysrate-serve
foreign='lib(luajit|mariadb|mysql|pq|mongoc|bson|uring|aio)[-.0-9]*\.so'

# needed PROGRAM: prints its libraries, including indirect ones.
needed() {
    readelf --dynamic --wide "$1" | grep NEEDED
    ldd "$1"
}

check_match "the pattern matches libraries that the service must not have" "$foreign" "$(needed "$SYSRATE")"
libraries=$(needed "$SERVICE")
check_match "the service needs the web server's library" 'libmicrohttpd\.so' "$libraries"
check_no_match "the service needs neither Lua nor a database's library" "$foreign" "$libraries"
exported() { nm --dynamic --defined-only "$1" | grep -c ' T log_text$'; }
check_equal "sysrate exports functions for scripts, the service does not" "1 0" "$(exported "$SYSRATE") $(exported "$SERVICE")"

run "$SYSRATE" --version
check_match "sysrate --version names the library of --prom" '^Metrics over HTTP .--prom.: libmicrohttpd [0-9]' "$out"
check_match "sysrate --version names the service" "^Service .sysrate serve.: $SERVICE\$" "$out"
version=$(head -n 1 <<<"$out")
run "$SERVICE" --version
check_equal "both have one version" "${version/sysrate/sysrate-serve}" "$(head -n 1 <<<"$out")"
check_match "sysrate-serve --version names the program of jobs" ": $SYSRATE\$" "$out"
run "$SYSRATE" serve --version
check_equal "sysrate serve hands its options on" "0 ${version/sysrate/sysrate-serve}" "$status $(head -n 1 <<<"$out")"

run "$SRCDIR/scripts/manpage.sh" "$SERVICE" "$SRCDIR/docs/service-manual.md"
check_equal "its manual page is made" "0 .TH SYSRATE-SERVE 1" "$status $(grep -o '^\.TH SYSRATE-SERVE 1' <<<"$out")"
check_equal "the manual page has each option" "$("$SERVICE" --help | grep -oE '^  --[a-z-]+' | tr -d ' ' | sort)" \
    "$(sed -n 's/\\-/-/g; s/^\.B \(--[a-z-]*\).*/\1/p' <<<"$out" | sort)"
if command -v man >/dev/null; then
    printf '%s\n' "$out" >service.1
    check_equal "the manual page is well-formed" "" "$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z ./service.1 2>&1 >/dev/null)"
fi

# Each program is alone in a folder. The other one may be found in the folder that configure installs programs into.
mkdir alone
cp "$SYSRATE" "$SERVICE" alone
prefix=$(sed -n 's/^prefix = //p' "${SYSRATE%/src/sysrate}/Makefile" 2>/dev/null)
if [ -e "$prefix/bin/sysrate" ] || [ -e "$prefix/bin/sysrate-serve" ]; then
    skip "each program without the other one" "sysrate is installed in $prefix/bin"
    finish
fi
mv alone/sysrate-serve service
run alone/sysrate serve --port=0 runs
check_equal "without the service: exit code" 1 "$status"
check_match "without the service: a message names its package" '^FATAL: serve: .*sysrate-serve .*not installed.* package sysrate-serve ' "$err"
check_equal "without the service: one line, nothing else" "1 " "$(wc -l <<<"$err") $out"
run alone/sysrate --version
check_match "without the service: --version shows it" '^Service .*: not installed$' "$out"

# shellcheck disable=SC2016  # of the other script
printf '#!/bin/sh\necho "$# $*"\nexit 7\n' >alone/sysrate-serve
run alone/sysrate serve
check_match "a service that may not be executed is not there" 'not installed' "$status $err"
chmod +x alone/sysrate-serve
run alone/sysrate serve --port=0 'a b'
check_equal "the service next to the program: arguments and exit code" "7 2 --port=0 a b" "$status $out"
ln -s alone/sysrate linked
run ./linked serve
check_equal "a link to the program" "7 0 " "$status $out"
: >alone/sysrate-serve
run alone/sysrate serve
check_equal "an empty service: exit code" 1 "$status"
check_match "an empty service: the file" "^FATAL: serve: cannot execute '.*/alone/sysrate-serve': " "$err"

rm alone/*
mv service alone/sysrate-serve
(umask 077 && echo 'run ann token-of-ann-0123456789abcdef0123456789' >tokens)
echo '{"targets": [{"name": "null", "class": "test", "options": {"db-driver": "null"}}]}' >targets.json
echo '{"tests": [{"name": "point", "script": "oltp_point_select"}]}' >tests.json
chmod 600 tokens targets.json tests.json
run alone/sysrate-serve --port=0 --token-file=tokens --targets=targets.json --tests=tests.json runs
check_equal "jobs without sysrate: exit code" 1 "$status"
check_match "jobs without sysrate: a message names its package" '^FATAL: jobs need the program sysrate, .*not installed.* package sysrate ' "$err"
run alone/sysrate-serve --help
check_equal "the service alone: exit code of --help" 0 "$status"
finish
