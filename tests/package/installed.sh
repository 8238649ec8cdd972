#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# installed.sh PROGRAM: what was installed works on a machine without build tools, without the source, and without a server.
# scripts/package-test.sh runs it in a fresh Debian.
SYSRATE=${1:?usage: installed.sh PROGRAM}
. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
share=$(dirname "$SYSRATE")/../share

for tool in gcc cc make luajit pkg-config; do
    check_not "there is no $tool here" command -v "$tool"
done

run "$SYSRATE" cpu --time=1 run
check_equal "cpu run" 0 "$status"
check_match "cpu run reports" '^ +events per second: +[0-9]' "$out"
for driver in mysql pgsql sqlite mongodb null; do
    run "$SYSRATE" --version
    check_match "the driver $driver is there" "^  $driver - " "$out"
done

run "$SYSRATE" oltp_read_only --db-driver=sqlite prepare
check_equal "oltp_read_only prepare on SQLite" 0 "$status"
run "$SYSRATE" oltp_read_only --db-driver=sqlite --rate=100 --time=1 --html=page.html --json=result.json run
check_equal "oltp_read_only run on SQLite" 0 "$status"
check_match "oltp_read_only run reports" '^ +transactions: +[0-9]' "$out"
check "a page with its charts inside" grep -q Dygraph page.html
run "$SYSRATE" oltp_read_only --db-driver=mysql --mysql-socket=/nowhere run
check_match "the MySQL driver tries" "^FATAL: .*Can't connect to local" "$err"
run "$SYSRATE" fileio --file-num=2 --file-total-size=2M prepare
run "$SYSRATE" fileio --file-num=2 --file-total-size=2M --file-test-mode=rndrw --file-io-mode=async --events=200 run
check_equal "fileio run" 0 "$status"

# health URL: the answer of the service, without any program for that.
health() {
    local place=${1#http://}
    exec 3<>"/dev/tcp/${place%:*}/${place##*:}"
    printf 'GET /api/v1/health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$place" >&3
    cat <&3
    exec 3>&-
}
if [ -x "$(dirname "$SYSRATE")/sysrate-serve" ]; then
    "$SYSRATE" serve --port=0 kept >service.out 2>service.err &
    service=$!
    url=
    for _ in $(seq 300); do
        url=$(sed -n 's|.* at \(http://[^/]*\)/$|\1|p' service.out)
        [ -z "$url" ] || break
        sleep 0.1
    done
    check_match "sysrate serve answers" '"status":"ok"' "$(health "$url")"
    kill "$service"
    wait "$service"
    check_equal "sysrate serve ends well" "0 " "$? $(cat service.err)"
    check "the manual page of the service is there" test -e "$share/man/man1/sysrate-serve.1" -o -e "$share/man/man1/sysrate-serve.1.gz"
else
    run "$SYSRATE" serve kept
    check_match "sysrate serve names the package that it needs" '^FATAL: serve: .* package sysrate-serve ' "$err"
fi

if command -v man >/dev/null; then
    manual=$(MANPATH=$share/man MANPAGER=cat man sysrate 2>/dev/null)
    check_match "man sysrate" 'sysrate - database and system benchmark' "$manual"
    check_match "man sysrate has the options" '^ +--file-test-mode=' "$manual"
else
    check "the manual page is there" test -s "$share/man/man1/sysrate.1"
fi

# complete_line TEXT: what bash offers behind "sysrate TEXT", in a shell that has only loaded bash-completion.
complete_line() {
    bash --norc -c '
        . /usr/share/bash-completion/bash_completion
        _completion_loader sysrate
        COMP_WORDS=("$1") COMP_LINE="sysrate $2" COMP_POINT=$((8 + ${#2}))
        eval "$(complete -p sysrate | sed "s/.*-F \([^ ]*\) .*/\1/")"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$SYSRATE" "$1"
}
if [ -r /usr/share/bash-completion/bash_completion ]; then
    check_equal "completion of a test" oltp_point_select "$(complete_line oltp_poi)"
    check_equal "completion of a test's option" "--file-test-mode=" "$(complete_line 'fileio --file-test')"
    check_equal "completion of a command" cleanup "$(complete_line 'fileio clea')"
else
    check "the completion is there" test -s "$share/bash-completion/completions/sysrate.bash"
fi
check "the completion for fish is there" test -s "$share/fish/vendor_completions.d/sysrate.fish"
check "the completion for zsh is there" test -s "$share/zsh/vendor-completions/_sysrate" -o -s "$share/zsh/site-functions/_sysrate"

check "the examples do what they promise" \
    env EXAMPLES="$share/doc/sysrate/examples" SYSRATE="$SYSRATE" bash "$TESTS_DIR/cli/docs/examples.sh"
finish
