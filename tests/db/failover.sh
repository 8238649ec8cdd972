#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests --failover: workers connect to the next host if their host dies, stops answering or does not exist. The hosts are proxies
# in front of one server, so that all have the same tables.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
start_servers

declare -A proxy_pid port

# start_proxy NAME TARGET [PORT]
start_proxy() {
    rm -f "$1.port"
    python3 "$TESTS_DIR/db/fakes/proxy.py" "$1.port" "$2" "${3:-0}" &
    proxy_pid[$1]=$!
    wait_for 30 test -s "$1.port"
    port[$1]=$(cat "$1.port")
}

stop_proxy() {
    kill -s KILL "${proxy_pid[$1]}" 2>/dev/null
    wait "${proxy_pid[$1]}" 2>/dev/null
    unset "proxy_pid[$1]"
}

stop_all() {
    local name
    for name in "${!proxy_pid[@]}"; do
        stop_proxy "$name"
    done
    stop_servers
}
trap 'stop_all; cd / && rm -rf "$WORK_DIR"' EXIT

# hosts_of SERVER: starts two proxies of a server, a and b; sets $hosts to the options that use them.
hosts_of() {
    local target=${server_port[$1]}
    for name in a b; do
        [ -n "${proxy_pid[$name]-}" ] && stop_proxy $name
        start_proxy $name "$target"
    done
    hosts=(--db-driver="$1" "--$1-host=127.0.0.1" "--$1-port=${port[a]},${port[b]}" "--$1-password=secret" --table-size=100)
}

json() { jq -c "$1" a.json; }

# oltp_point_select with a pause after each event, so that other tests get the processors.
cat >paced_select.lua <<'LUA'
require("oltp_point_select")
local ffi = require("ffi")
ffi.cdef[[int usleep(unsigned microseconds);]]
local select_one = event

function event()
   select_one()
   ffi.C.usleep(5000)
end
LUA

# start TEST OPTION...: starts a run in the background with four workers, two per host; returns when the first interval was
# reported. The failover timeout is 3 s, because a healthy host may take 1 s to answer while other tests start servers.
start() {
    rm -f a.json run.out run.err
    "$SYSRATE" "$1" "${hosts[@]}" --threads=4 --failover --failover-timeout=3 --time=60 --json=a.json \
        --report-interval=0.2 "${@:2}" run >run.out 2>run.err &
    run_pid=$!
    wait_for 30 grep -qs "^\\[ " run.out
}

# Ends the run and reads its output.
end() {
    kill -INT $run_pid
    wait $run_pid
    status=$?
    out=$(cat run.out) err=$(settled run.err)
}

moved() { grep -q "127.0.0.1:${port[$1]} is gone" run.err; }

# check_moved NAME: checks that two workers have connected to the other host.
check_moved() {
    check_equal "$1: the run went on" 130 "$status"
    check_match "$1: one warning" '^WARNING: 127.0.0.1:[0-9]+ is gone: connections go to the next host: .*' "$err"
    check_equal "$1: no other" 1 "$(grep -c . <<<"$err")"
    check_equal "$1: connections" '[[2,2],[4,0]]' "$(json '[.summary.hosts[] | [.connections, .lost]]')"
    check_equal "$1: got back" 2 "$(json .summary.counters.reconnects)"
    check_equal "$1: by the other host" '[0,2]' "$(json '[.summary.hosts[].counters.reconnects]')"
    check_equal "$1: which does all the work" true "$(json '.intervals[-1].hosts | .[0].completed == 0 and .[1].completed > 0')"
}

for server in mysql pgsql; do
    hosts_of $server
    run "$SYSRATE" oltp_read_only "${hosts[@]}" prepare
    check_equal "$server: prepare" 0 "$status"

    start paced_select.lua
    stop_proxy a
    check "$server: a host dies" wait_for 20 moved a
    sleep 0.5
    end
    check_moved "$server: a host dies"

    # The host that was killed above is still down when this run begins.
    run "$SYSRATE" oltp_point_select "${hosts[@]}" --threads=4 --events=100 --time=0 --failover --json=a.json run
    check_equal "$server: a host is not there: exit code" 0 "$status"
    check_equal "$server: a host is not there: connections" '[[0,0],[4,0]]' "$(json '[.summary.hosts[] | [.connections, .lost]]')"
    check_match "$server: a host is not there: the warning" '^WARNING: 127.0.0.1:[0-9]+ is gone: ' "$err"
    run "$SYSRATE" oltp_point_select "${hosts[@]}" --threads=4 --events=100 --time=0 run
    check_equal "$server: without --failover it ends the run" 1 "$status"

    for mode in auto disable; do
        hosts_of $server
        start paced_select.lua --db-ps-mode=$mode
        kill -s STOP "${proxy_pid[a]}"
        check "$server: a host falls silent, --db-ps-mode=$mode" wait_for 20 moved a
        # The other worker waits for its own 3 s, which began at about the same time; 1 s is added for a busy machine.
        sleep 4
        kill -s CONT "${proxy_pid[a]}"
        end
        check_moved "$server: a host falls silent, --db-ps-mode=$mode"
    done
done

# A host freezes at a given moment: before a statement is prepared, before it is prepared again for values of another type, before
# it is closed, or before rows are loaded.
cat >moment.lua <<'LUA'
local ffi = require("ffi")
ffi.cdef[[int usleep(unsigned microseconds);]]
sysbench.cmdline.options = {moment = {"When the host freezes", "prepare"}}

local con, statement, value
local before = true

local function exists(name)
   local file = io.open(name)
   return file ~= nil and file:close()
end

local function freeze()
   io.open("ready." .. sysbench.opt.moment, "w"):close()
   repeat ffi.C.usleep(10000) until exists("frozen")
   before = false
end

local moments = {
   prepare = freeze,
   again = function()
      statement:execute()
      freeze()
      value = statement:bind_create(sysbench.sql.type.DOUBLE)
      statement:bind_param(value)
   end,
   close = function()
      statement:execute()
      freeze()
      statement:close()
      statement = con:prepare("SELECT 2")
   end,
   load = function()
      con:load_begin("sbtest1", "k", "load")
      freeze()
      con:load_int(1)
      con:load_done()
   end,
}

function thread_init()
   con = sysbench.sql.driver():connect()
   statement = con:prepare("SELECT 1 WHERE 1 = ?")
   value = statement:bind_create(sysbench.sql.type.INT)
   statement:bind_param(value)
end

function event()
   if before then
      moments[sysbench.opt.moment]()
   end
   if statement then
      statement:execute()
   end
end
LUA

# freeze_at MOMENT...: starts one run per moment, all on the same host, which freezes when every run has reached its moment.
freeze_at() {
    local -A moment_pid
    local moment
    hosts_of pgsql
    for moment in "$@"; do
        timeout --kill-after=5 40 "$SYSRATE" moment.lua --moment="$moment" "${hosts[@]:0:4}" --failover --failover-timeout=3 \
            --events=1 --time=0 --json="$moment.json" run >"$moment.out" 2>"$moment.err" &
        moment_pid[$moment]=$!
    done
    for moment in "$@"; do
        check "a host freezes, $moment: it gets there" wait_for 30 test -e "ready.$moment"
    done
    kill -s STOP "${proxy_pid[a]}"
    # The signal takes effect some time later on a busy machine.
    check "the host is frozen" wait_for 10 grep -q '^State:.T' "/proc/${proxy_pid[a]}/status"
    : >frozen
    for moment in "$@"; do
        wait "${moment_pid[$moment]}"
        check_equal "a host freezes, $moment: the run goes on" "0 " "$? $(grep -v ' is gone: ' "$moment.err")"
        check_match "a host freezes, $moment: the warning" "127.0.0.1:${port[a]} is gone: " "$(cat "$moment.err")"
        check_equal "a host freezes, $moment: connections" '[[1,1],[1,0]]' \
            "$(jq -c '[.summary.hosts[] | [.connections, .lost]]' "$moment.json")"
    done
}
freeze_at prepare again close load

# Scripts that call reconnect() return to their original host when it is up again.
hosts_of mysql
start paced_select.lua --reconnect=10
stop_proxy a
check "reconnecting: a host dies" wait_for 20 moved a
start_proxy a "${server_port[mysql]}" "${port[a]}"
sleep 1
end
check_equal "reconnecting: the run went on" "130 " "$status $([ "$status" -eq 130 ] || cat run.err)"
check_equal "reconnecting: workers come home" true "$(json '[.intervals[-1].hosts[].completed > 0] | all')"

run "$SYSRATE" cpu --failover --events=1 run
check_equal "a test without a database: exit code" 0 "$status"
run "$SYSRATE" oltp_point_select --db-driver=mysql --mysql-socket="$mysql_socket" --mysql-password=secret --table-size=100 \
    --events=10 --failover run
check_match "one host: a warning" '^WARNING: --failover has no effect: there is one host only$' "$err"
for bad in 0 0.5 1.5 4000; do
    run "$SYSRATE" oltp_point_select --failover-timeout=$bad run
    check_equal "--failover-timeout=$bad: exit code" 1 "$status"
done
finish
