# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Limits of a machine: stack size and open files.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

# With any stack size, a script can nest as deep as the limits of LuaJIT allow.
test_stack_size() {
    cat >deep.lua <<'END'
local function nested(n, open, close) return "return " .. open:rep(n) .. close:rep(n) end

function event()
   assert(loadstring(nested(190, "{", "}")))
   local f, message = loadstring(nested(1000, "{", "}"))
   assert(f == nil and message:find("too many syntax levels"), message)
   f, message = loadstring(nested(1000, "function() return ", " end "))
   assert(f == nil and message:find("too many syntax levels"), message)
   assert(string.format("%.99f", 1e308):len() > 400)
   return true
end
END
    for size in 16K 64K 1M; do
        run "$SYSRATE" deep.lua run --time=0 --events=1 --thread-stack-size=$size
        check_equal "a stack of $size: the parser ends by its own limit" "0 " "$status $err"
    done
    # Sanitizers need more address space than this limit.
    [ "$SANITIZER" = no ] || return
    run bash -c 'ulimit -v 4000000; "$SYSRATE" "$TESTS_DIR/cli/scripts/empty_event.lua" run --threads=100 --thread-stack-size=1G'
    check_match "a stack that is too large: message" \
        '^FATAL: cannot start worker thread [0-9]+ of 100, with a stack of 1049600 KiB: ' "$err"
    check_equal "a stack that is too large: exit code" 1 "$status"
}

# Without open files the error of a script, such as a missing module, would be misleading.
test_open_files() {
    local limited='ulimit -n 64; exec "$SYSRATE" oltp_point_select --db-driver=sqlite --sqlite-db=limits.db'
    cat >holding.lua <<'END'
function thread_init()
   held = assert(io.open("holding.lua"))
   require("oltp_common")
   thread_done = nil
end

function event() return true end
END
    # A thread that fails frees its files: another thread may then take the missing file for a missing module.
    try_until '! grep -q "not found" <<<"$err"' \
        run bash -c 'ulimit -n 64; exec "$SYSRATE" holding.lua run --threads=400 --time=0 --events=1'
    check_match "files are limited: message" '^FATAL: too many open files \(ulimit -n is 64, some 430 are needed\)$' "$err"
    check_equal "files are limited: nothing else, exit code 1" "1 " \
        "$status $(grep -vE 'too many open files|last message repeated' <<<"$err")"
    run bash -c 'ulimit -Sn 64; exec "$SYSRATE" holding.lua run --threads=100 --time=0 --events=1'
    check_equal "a soft limit is raised" "0 " "$status $err"
    run bash -c "$limited prepare --table-size=10"
    check_equal "few files are enough for few threads" 0 "$status"
    run bash -c "$limited run --threads=400 --time=1"
    check_no_match "connections take the files: no module is missing" 'not found' "$err"
    check_match "connections use up the files: message" 'too many open files' "$err"
    # The number of files that fileio opens is known before the run.
    local files=(fileio --file-num=100 --file-total-size=1600K --file-test-mode=rndrd)
    run "$SYSRATE" "${files[@]}" prepare
    run bash -c 'ulimit -n 64; exec "$SYSRATE" "$@" --events=10 run' - "${files[@]}"
    check_equal "fileio, more files than may be open: nothing is begun" \
        "1 FATAL: too many open files (ulimit -n is 64, some 130 are needed)" "$status $err"
    run bash -c 'ulimit -Sn 64; exec "$SYSRATE" "$@" --events=10 run' - "${files[@]}"
    check_equal "fileio, more files than may be open: a soft limit is raised" "0 " "$status $err"
    run bash -c 'ulimit -n 64; exec "$SYSRATE" "$@" --events=10 --file-num=50 run' - "${files[@]}" --file-total-size=800K
    check_equal "fileio, as many files as may be open" "0 " "$status $err"
    run "$SYSRATE" "${files[@]}" cleanup
}

# The program waits some seconds for data from a pipe, and then refuses it.
test_pipe_as_config_file() {
    echo 'function event() end' >e.lua
    run "$SYSRATE" --config-file=<(sleep 1; echo events=3) --time=0 --json=a.json e.lua run
    check_equal "options from a pipe" "0 3" "$status $(json_figure .summary.requests.completed)"
    mkfifo pipe
    run "$SYSRATE" --config-file=pipe e.lua run
    check_match "a pipe without a writer: exit code and message" '^1 FATAL: .*--config-file=pipe\b.* 10 seconds$' "$status $err"
}

test_stack_size
test_open_files
test_pipe_as_config_file
finish
