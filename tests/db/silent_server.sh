#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests commands, and the code of a script before a run, on a server that never answers or answers late. --thread-init-timeout limits
# the first answer; later answers have no limit, but messages report the wait.
. "$TESTS_DIR/cli/lib.sh" || exit 1

cat >index.lua <<'LUA'
local con
function prepare()
   con = sysbench.sql.driver():connect()
   con:query("CREATE INDEX k_1\n  ON sbtest1(k)")
   print("done")
end
cleanup = prepare
sysbench.cmdline.commands = {prepare = {prepare, sysbench.cmdline.PARALLEL_COMMAND}}
LUA

# Code that runs before a run: init(), and the body of the script. The body connects only in the first Lua state, that of the main thread.
{ cat index.lua; echo 'init, event = prepare, function() end'; } >init.lua
{ cat index.lua; echo 'if os.remove("first") then prepare() end; function event() end'; } >body.lua

script=index.lua
# serve DRIVER KIND COMMAND OPTION...: runs a command of $script on a fake server of this kind; sets $took, in seconds.
serve() {
    local server begin
    : >port >first
    python3 "$TESTS_DIR/db/fakes/fake_$1.py" "$2" >port 2>server.err &
    server=$!
    wait_for 20 test -s port
    begin=$(date +%s.%N)
    RUN_TIMEOUT=50 run "$SYSRATE" $script --db-driver="$1" "--$1-host=127.0.0.1" "--$1-port=$(head -n 1 port)" "${@:4}" "$3"
    took=$(awk "BEGIN { print $(date +%s.%N) - $begin }")
    kill $server 2>/dev/null
    wait $server 2>/dev/null
}

for driver in mysql pgsql; do
    if ! "$SYSRATE" --help | grep -q "^  $driver - "; then
        skip "a silent $driver server" "built without the driver"
        continue
    fi
    for kind in silent greets; do
        for command in prepare cleanup; do
            serve $driver --$kind $command --thread-init-timeout=1.5
            check_equal "$driver, $kind: $command fails" 1 "$status"
            check_match "$driver, $kind: $command says why" \
                "^FATAL: unable to connect with the $driver driver: .*127\.0\.0\.1.*: no answer within 2 s$" "$err"
            # The upper bound allows for a busy machine.
            check_between "$driver, $kind: $command waits no longer" 1.8 "$took" 20
        done
    done
    for script in init.lua body.lua; do
        serve $driver --silent run --events=1 --thread-init-timeout=1.5
        check_equal "$driver, silent: $script fails" 1 "$status"
        check_match "$driver, silent: $script says why" "^FATAL: unable to connect with the $driver driver: .*: no answer within 2 s$" "$err"
        check_between "$driver, silent: $script waits no longer" 1.8 "$took" 20
        serve $driver --slow=6.5 run --events=1 --thread-init-timeout=1
        check_equal "$driver, slow: $script waits without limit" 0 "$status"
        check_match "$driver, slow: $script says what it waits for" \
            '^Waiting for the server since [567] s: CREATE INDEX k_1 +ON sbtest1\(k\)$' "$out"
    done
    script=index.lua
    serve $driver --slow=11.5 prepare --thread-init-timeout=1
    check_equal "$driver, slow: prepare waits without limit" 0 "$status"
    check_match "$driver, slow: and then goes on" '^done$' "$out"
    check_match "$driver, slow: it says what it waits for" \
        '^Waiting for the server since [567] s: CREATE INDEX k_1 +ON sbtest1\(k\)$' "$out"
    check_match "$driver, slow: and says so again" '^Waiting for the server since 1[0-9] s: ' "$out"
done
finish
