# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Limits of a machine: stack size, open files, size of files, a system without /proc.

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

# ulimit -s. The soft limit is raised; a hard limit ends the program with a message.
test_small_stack() {
    # The memory that sanitizers need on the stack before main() depends on the compiler.
    [ "$SANITIZER" = no ] || return
    run bash -c 'ulimit -Ss 64; exec "$SYSRATE" oltp_point_select --db-driver=sqlite --sqlite-db=stack.db --table-size=10 prepare'
    check_equal "a stack of 64 KiB, prepare" "0 " "$status $err"
    run bash -c 'ulimit -Ss 64; exec "$SYSRATE" oltp_point_select --db-driver=sqlite --sqlite-db=stack.db --table-size=10 --threads=3 \
        --events=10 --time=0 --report-interval=1 --json=stack.json --archive=stack run'
    check_equal "a stack of 64 KiB, run" "0 " "$status $err"
    cat >deep_file.lua <<'END'
local function nested(n, open, close) return "return " .. open:rep(n) .. close:rep(n) end
assert(loadstring(nested(190, "{", "}")))
assert(not loadstring(nested(1000, "function() return ", " end ")))
function event() end
END
    for limit in '-Ss 64' '-s 1024'; do
        run bash -c "ulimit $limit; exec \"\$SYSRATE\" deep_file.lua run --time=0 --events=1"
        check_equal "ulimit $limit: a deeply nested script" "0 " "$status $err"
    done
    run bash -c 'ulimit -s 64; exec "$SYSRATE" cpu run --time=0 --events=1'
    check_equal "a stack that cannot be raised: exit code and message" \
        "1 FATAL: the stack is limited to 64 KiB, and 1024 KiB are needed (ulimit -s)" "$status $err"
}

# ulimit -f: a write fails, and the program continues as on a full disk. Programs that a script starts have the usual signals.
test_file_size() {
    cat >rows.lua <<'END'
function event()
   assert(os.execute("bash -c 'kill -XFSZ $$' 2>/dev/null") ~= 0)
   os.execute("sleep 0.01")
end
END
    run bash -c 'ulimit -f 4; exec "$SYSRATE" rows.lua run --time=0.5 --report-interval=0.01 --csv=rows.csv'
    check_equal "ulimit -f: exit code" 1 "$status"
    check_match "ulimit -f: message" "^FATAL: cannot write 'rows\.csv' .*: File too large \(see ulimit -f\)$" "$err"
    check_match "ulimit -f: the run has its report" '95th percentile' "$out"
    run bash -c 'ulimit -f 4; exec "$SYSRATE" cpu run --events=2 --time=0 --archive=small'
    check_match "ulimit -f, archive: exit code and message" "^1 FATAL: archive " "$status $err"
    run bash -c 'ulimit -f 1; "$SYSRATE" --help >help.txt'
    check_equal "ulimit -f, standard output: exit code" 1 "$status"
    check_match "ulimit -f, standard output: message" "^FATAL: cannot write to standard output: File too large" "$err"
}

# A message that cannot be written to the temporary folder is replaced by another one.
test_full_temporary_folder() {
    local message
    message=$(ulimit -f 0; "$SYSRATE" sweep --out=full --repeat=2 -- cpu --time=1 2>&1 | cat)
    check_match "no room in TMPDIR" '^FATAL: the process that checks the test .*TMPDIR' "$message"
}

# Tools start the program by /proc/self/exe.
test_without_proc() {
    local hidden='mount -t tmpfs none /proc && exec "$SYSRATE" "$@"'
    if ! unshare -rm mount -t tmpfs none /proc 2>/dev/null; then
        skip "without /proc" "this user cannot mount"
        return
    fi
    run unshare -rm bash -c "$hidden" - sweep --out=noproc --repeat=2 -- cpu --events=1
    check_match "sweep without /proc: exit code and message" "^1 FATAL: cannot start a process .*/proc must be mounted" "$status $err"
    run unshare -rm bash -c "$hidden" - cpu run --events=1 --time=0
    check_equal "a run without /proc" "0 " "$status $err"
    printf '#!/no/such/interpreter\n' >launcher
    chmod +x launcher
    run "$SYSRATE" capacity --slo='p99<1s' --out=launched --launcher="$PWD/launcher" -- cpu
    check_match "a launcher that cannot be executed: exit code and message" \
        "^1 FATAL: cannot start a process for a run: '$PWD/launcher': No such file" "$status $err"
}

# What has no end is not read.
test_endless_files() {
    local limited='ulimit -v 4000000; exec "$SYSRATE" "$@"'
    [ "$SANITIZER" = no ] || limited='exec "$SYSRATE" "$@"'
    RUN_TIMEOUT=20 run bash -c "$limited" - /dev/zero run
    check_equal "a device as script" "1 FATAL: cannot read the script from /dev/zero: it is a device" "$status $err"
    RUN_TIMEOUT=20 run bash -c "$limited" - - run </dev/zero
    check_equal "a script without end" \
        "1 FATAL: cannot read the script from standard input: it is longer than 64 MiB" "$status $err"
    truncate -s 65M long.lua
    run "$SYSRATE" long.lua run
    check_equal "a long script" "1 FATAL: cannot read the script from long.lua: it is longer than 64 MiB" "$status $err"
    run "$SYSRATE" <(echo 'function event() end') run --events=1 --time=0
    check_equal "a script from a pipe" "0 " "$status $err"
    RUN_TIMEOUT=20 run bash -c "$limited" - cpu --arrival-trace=/dev/zero run
    check_match "a device as trace" '^1 FATAL: /dev/zero:1: not a line of text' "$status $err"
    for tool in report compare merge 'archive add new'; do
        # shellcheck disable=SC2086  # words
        RUN_TIMEOUT=20 run bash -c "$limited" - $tool /dev/zero /dev/zero
        check_equal "$tool: a device as report" "1 FATAL: cannot read '/dev/zero': it is a device" "$status $err"
    done
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
test_small_stack
test_file_size
test_full_temporary_folder
test_without_proc
test_endless_files
test_open_files
test_pipe_as_config_file
finish
