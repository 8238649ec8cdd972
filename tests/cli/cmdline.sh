# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The command line: errors and their messages, where the test and its options come from, commands, help, names.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

SCRIPTS=$TESTS_DIR/cli/scripts
EMPTY=$SCRIPTS/empty_event.lua
OPTIONS=$SCRIPTS/options.lua
cp "$EMPTY" e.lua

# fails_with NAME LINE COMMAND...: checks for exit code 1 and exactly LINE on standard error.
fails_with() {
    local name=$1 line=$2
    shift 2
    run "$@" </dev/null
    if [ "$status" -eq 1 ] && printf '%s\n' "$err" | grep -Fxq -- "$line"; then
        pass "$name"
    else
        fail "$name" "expected: exit code 1 and the line: $line
seen: exit code $status and: $both"
    fi
}

test_bad_options() {
    local argument message
    # A script that declares no options would accept any.
    echo 'sysbench.cmdline.options = {mine = {"a number", 1}} function event() end' >o.lua
    while IFS=$'\t' read -r argument message; do
        case $argument in '#'*) continue ;; esac
        fails_with "refused: '$argument'" "$message" "$SYSRATE" --time=0.1 o.lua "$argument" run
    done < <(cat "$TESTS_DIR/cli/bad_options.txt" "$TESTS_DIR/cli/bad_database_options.txt")
    fails_with "options that contradict each other" \
        "FATAL: --histogram cannot be used with --percentile=0" \
        "$SYSRATE" e.lua run --histogram --percentile=0
    fails_with "a bad value of a test's own option" \
        "FATAL: invalid value for --t_int: '5x' (allowed: a whole number (also 1k, 1M, 1G))" \
        "$SYSRATE" "$OPTIONS" show --t_int=5x
    fails_with "an option of another test" "invalid option: --t_int=5" "$SYSRATE" oltp_read_only run --t_int=5
}

test_positions() {
    fails_with "a third word" "Unrecognized command line argument: X" "$SYSRATE" e.lua run X
    fails_with "a third word behind options" "Unrecognized command line argument: X" \
        "$SYSRATE" --threads=2 e.lua --time=1 run --rate=1 X
    run "$SYSRATE" --count=9 --threads=2 "$OPTIONS" --flag show --t-int=6
    check_equal "options anywhere: exit code" 0 "$status"
    check_match "a test's option before the test" '^opt count = 9$' "$out"
    check_match "a test's option in between" '^opt flag = true$' "$out"
    check_match "an option of a test after its name, - for _" '^opt t_int = 6$' "$out"
    check_match "the last of two wins" '^opt threads = 5$' \
        "$("$SYSRATE" --threads=3 "$OPTIONS" show --threads=5)"
}

test_unknown_tests() {
    local test
    mkdir folder
    for test in nosuch folder ./nosuch.lua . / ''; do
        for command in '' run prepare help; do
            # shellcheck disable=SC2086  # no word when empty
            fails_with "unknown test '$test' $command" \
                "FATAL: Cannot find benchmark '$test': no such built-in test, file or module" \
                "$SYSRATE" "$test" $command
        done
    done
    fails_with "unknown command" "Unknown command: runn" "$SYSRATE" e.lua runn
    fails_with "missing prepare" "'e.lua' test does not implement the 'prepare' command." \
        "$SYSRATE" e.lua prepare
    fails_with "missing warmup" "'e.lua' test does not implement the 'warmup' command." \
        "$SYSRATE" e.lua warmup
}

test_odd_scripts() {
    : >empty.lua
    run "$SYSRATE" empty.lua
    check_equal "an empty script, no command" 0 "$status"
    fails_with "an empty script, run" "FATAL: cannot find the event() function in empty.lua" \
        "$SYSRATE" empty.lua run
    echo 'event = 5' >number.lua
    fails_with "event is no function" "FATAL: cannot find the event() function in number.lua" \
        "$SYSRATE" number.lua run
    printf 'local a = 1\nfunction event( end\n' >syntax.lua
    fails_with "a syntax error" "FATAL: syntax.lua:2: <name> or '...' expected near 'end'" \
        "$SYSRATE" syntax.lua run
    printf '\n\nlocal x = nil + 1\n' >body.lua
    fails_with "an error in the body" "FATAL: body.lua:3: attempt to perform arithmetic on a nil value" \
        "$SYSRATE" body.lua run
    echo 'error({})' >table.lua
    fails_with "a table as error" "FATAL: (error value of type table)" "$SYSRATE" table.lua
    echo 'error(setmetatable({}, {__tostring = function() error("x") end}))' >tostring.lua
    fails_with "an error that cannot be shown" "FATAL: (error value of type table)" "$SYSRATE" tostring.lua
    echo 'error(setmetatable({}, {__tostring = function() return "shown" end}))' >shown.lua
    fails_with "an error with a text" "FATAL: shown" "$SYSRATE" shown.lua
    echo 'require("nosuchmodule")' >require.lua
    run "$SYSRATE" require.lua run
    check_equal "a module that is not there: exit code" 1 "$status"
    check_match "a module that is not there: names it" "module 'nosuchmodule' not found" "$err"
    printf '\033LJ\002garbage' >binary.lua
    run "$SYSRATE" binary.lua run
    check_equal "no bytecode after all: exit code" 1 "$status"
    check_match "no bytecode after all: names the file" '^FATAL: .*binary.lua' "$err"
    ln -s nowhere.lua dangling.lua
    fails_with "a link to nowhere" \
        "FATAL: Cannot find benchmark 'dangling.lua': no such built-in test, file or module" \
        "$SYSRATE" dangling.lua run
    cp e.lua 'with space é.lua'
    run "$SYSRATE" 'with space é.lua' run --time=0.1
    check_equal "a name with blanks" 0 "$status"
    if [ "$(id -u)" -ne 0 ]; then
        cp e.lua secret.lua
        chmod 0 secret.lua
        fails_with "a file that must not be read" "FATAL: cannot open secret.lua" "$SYSRATE" secret.lua run
    fi
}

test_sources() {
    echo 'print("plain program", sysbench.tid, sysbench.cmdline.command)' >plain.lua
    run "$SYSRATE" plain.lua
    check_equal "no command: exit code" 0 "$status"
    check_match "no command: the body runs" '^plain program	0	nil$' "$out"
    run "$SYSRATE" - --threads=2 <plain.lua
    check_match "the script from standard input as -" '^plain program' "$out"
    run "$SYSRATE" <plain.lua
    check_match "the script from standard input without a name" '^plain program' "$out"
    run "$SYSRATE" - run --events=4 --threads=2 --time=0 <e.lua
    check_equal "a run of standard input: exit code" 0 "$status"
    check_match "a run of standard input: in each thread" 'total number of events: +4$' "$out"
    run "$SYSRATE" - run <<<'function event() error("here") end'
    check_match "standard input in messages" "failed: stdin:1: here" "$err"
    run "$SYSRATE" </dev/null
    check_equal "empty standard input: exit code" 0 "$status"

    printf '#!/usr/bin/env sysrate\nprint("by shebang", sysbench.cmdline.command)\nprint(nil + 1)' >tool
    chmod +x tool
    mkdir bin
    ln -s "$SYSRATE" bin/sysrate
    run env PATH="$PWD/bin:$PATH" ./tool
    check_match "a script with a #! line" '^by shebang	nil$' "$out"
    check_match "a script with a #! line: lines count on" '^FATAL: ./tool:3:' "$err"
    run "$SYSRATE" - <tool
    check_match "a #! line on standard input" '^by shebang' "$out"
    check_match "a #! line on standard input: line numbers are right" '^FATAL: stdin:3:' "$err"

    mkdir lib
    echo 'print("found by LUA_PATH")' >lib/mine.lua
    echo 'print("found without an ending")' >lib/bare
    run env LUA_PATH="$PWD/lib/?.lua;$PWD/lib/?;;" "$SYSRATE" mine
    check_match "a bare name in LUA_PATH" '^found by LUA_PATH' "$out"
    run env LUA_PATH="$PWD/lib/?.lua;$PWD/lib/?;;" "$SYSRATE" bare
    check_match "a file without .lua in LUA_PATH" '^found without an ending' "$out"
    run env LUA_PATH="$PWD/lib/?.lua" "$SYSRATE" oltp_read_write help
    check_match "bundled scripts with LUA_PATH" '^oltp_read_write options:' "$out"
    echo 'require("oltp_common") function show() print(type(cmd_prepare), type(begin)) end
sysbench.cmdline.commands.show = {show}' >own.lua
    run "$SYSRATE" own.lua show
    check_match "require of a bundled script" '^function	function$' "$out"
    echo 'print("the one here")' >oltp_insert
    run "$SYSRATE" oltp_insert
    check_match "a file here goes before a bundled script" '^the one here' "$out"
    rm oltp_insert
}

test_commands() {
    run "$SYSRATE" "$OPTIONS" everywhere --threads=4 --rand-seed=5
    check_equal "a parallel command: exit code" 0 "$status"
    check_match "a parallel command: heading" '^Initializing worker threads\.\.\.$' "$out"
    check_equal "a parallel command: each thread once" "0 1 2 3" \
        "$(printf '%s\n' "$out" | sed -n 's/^thread \([0-9]*\) of 4 .*/\1/p' | sort | xargs)"
    check_equal "a parallel command: threads draw different numbers" 4 \
        "$(printf '%s\n' "$out" | sed -n 's/^thread.*draws //p' | sort -u | wc -l)"
    local first second
    first=$(printf '%s\n' "$out" | grep ^thread | sort)
    second=$("$SYSRATE" "$OPTIONS" everywhere --threads=4 --rand-seed=5 | grep ^thread | sort)
    check_equal "a parallel command: the same seed, the same numbers" "$first" "$second"
    run "$SYSRATE" "$OPTIONS" everywhere --threads=4 --flag
    check_equal "a thread of a parallel command fails: exit code" 1 "$status"
    check_match "a thread of a parallel command fails: message" \
        "^FATAL: \`everywhere' function failed: .*options\.lua:[0-9]+: thread 1 has had enough$" "$err"
    run "$SYSRATE" "$OPTIONS" everywhere --threads=300
    check_equal "300 threads: exit code" 0 "$status"
    check_equal "300 threads: each once" 300 "$(printf '%s\n' "$out" | grep -c '^thread')"

    run "$SYSRATE" "$OPTIONS" prepare
    check_match "a command of the table" '^prepare of the table$' "$out"
    run "$SYSRATE" "$OPTIONS" cleanup
    check_match "a global function as command" '^cleanup as a global function$' "$out"
    run "$SYSRATE" "$OPTIONS" prewarm
    check_match "prewarm" '^prewarm as a global function$' "$out"
    run "$SYSRATE" "$OPTIONS" failing
    check_equal "a command that fails: exit code" 1 "$status"
    check_match "a command that fails: script and line" \
        "^FATAL: \`failing' function failed: .*options\.lua:[0-9]+: as asked$" "$err"
    fails_with "a command without a function" \
        "FATAL: \`broken' function failed: sysbench.cmdline.commands.broken: {function} was expected" \
        "$SYSRATE" "$OPTIONS" broken
    fails_with "a global that is no command of the script" "Unknown command: print_nothing" \
        "$SYSRATE" "$OPTIONS" print_nothing
}

# declares LUA-TABLE: prints the message with which a script with these options ends.
declares() {
    printf 'sysbench.cmdline.options = %s\nfunction event() end\n' "$1" >declares.lua
    run "$SYSRATE" declares.lua run --time=0.1
}

test_own_options() {
    run "$SYSRATE" "$OPTIONS" show
    check_equal "options of all types: exit code" 0 "$status"
    local line
    while read -r line; do
        check_match "default: $line" "^opt $line\$" "$out"
    done <<'END'
flag = false
count = 7
ratio = 0\.5
word = 'abc'
names = \{x,y\}
nothing = ''
with_dash = 3
t_bool = true
t_int = 5
t_size = 4096
t_double = 2
t_string = 's'
t_list = \{p,q\}
t_file = nil
u_bool = true
u_int = 0
u_string = ''
u_list = \{\}
threads = 1
num_threads = 1
events = 0
max_requests = 0
rate = 0
tx_rate = 0
percentile = 95
time = 10
forced_shutdown = 'off'
db_ps_mode = 'auto'
report_checkpoints = \{\}
histogram = false
rand_type = 'uniform'
thread_stack_size = 65536
END
    check_match "sysbench.cmdline.command and .script_path" "^command show script $OPTIONS\$" "$out"
    check_match "sysbench.cmdline.argv" "^argv\[0\] string argv\[1\] $OPTIONS count 2\$" "$out"

    run "$SYSRATE" "$OPTIONS" show --flag --count=-8 --ratio=1e-3 --word= --names=a --with_dash=4 \
        --t_bool=off --t_int=1099511627776 --t_size=3G --t_double=2.5 --t_string='a b=c' --t_list=1,2,3 \
        --t_file=/tmp/x --u_bool --u_int=9 --u_string=u --u_list=m,n --nothing=n --t_null=z \
        --tx-rate=2.5 --time=0.5 --forced-shutdown=3 --percentile=50,99 --report-checkpoints=1,2
    check_equal "options of all types, given: exit code" 0 "$status"
    while read -r line; do
        check_match "given: $line" "^opt $line\$" "$out"
    done <<'END'
flag = true
count = -8
ratio = 0\.001
word = ''
names = \{a\}
with_dash = 4
t_bool = false
t_int = 1099511627776
t_size = 3221225472
t_double = 2\.5
t_string = 'a b=c'
t_list = \{1,2,3\}
t_file = '/tmp/x'
u_bool = true
u_int = 9
u_string = 'u'
u_list = \{m,n\}
nothing = 'n'
t_null = 'z'
rate = 2\.5
tx_rate = 2\.5
time = 0\.5
forced_shutdown = 3
percentile = '50,99'
report_checkpoints = \{1,2\}
END
    # Help is aligned, sorted by name, and shows types.
    check_equal "print_test_options" "  --count=N           inferred number [7]
  --flag[=on|off]     inferred boolean [off]
  --names=[LIST,...]  inferred list [x,y]
  --nothing=STRING    neither default nor type
  --ratio=N           inferred decimal [0.5]
  --t_bool[=on|off]   ARG_BOOL [on]
  --t_double=N        ARG_DOUBLE [2]
  --t_file=FILENAME   ARG_FILE
  --t_int=N           ARG_INT [5]
  --t_list=[LIST,...] ARG_LIST [p,q]
  --t_null=STRING     ARG_NULL
  --t_size=SIZE       ARG_SIZE [4K]
  --t_string=STRING   ARG_STRING [s]
  --u_bool[=on|off]   no default
  --u_int=N           no default
  --u_list=[LIST,...] no default
  --u_string=STRING   no default
  --with-dash=N       dashes become underscores [3]
  --word=STRING       inferred string [abc]" "$(printf '%s\n' "$out" | grep '^  --')"

    declares '{bad = 5}'
    check_equal "a declaration that is no table: exit code" 1 "$status"
    check_match "a declaration that is no table: named" 'sysbench\.cmdline\.options\.bad: ' "$err"
    declares '{bad = {"text", 5, 99}}'
    check_match "a declaration of no type: named" "sysbench\.cmdline\.options\.bad: unknown type '99'" "$err"
    declares '{bad = {"text", "x", sysbench.cmdline.ARG_INT}}'
    check_equal "a default against its type: exit code" 1 "$status"
    check_match "a default against its type: named" "bad.*'x'.*whole number" "$err"
    declares '{threads = {"mine", 5}}'
    check_equal "an option that exists already has no effect: exit code" "0 " "$status $err"
    # A script may declare options that sysbench does not have. Values then need not be valid for sysrate's option of this name.
    cat >claims.lua <<'END'
sysbench.cmdline.options = {csv = {"a text", "orders.csv"}, json = {"a number", 7}, label = {"a text", "none"}, node = {"a number", 1},
                            ["server-stats"] = {"a text", "abc"}, html = {"a text", ""}}
function thread_init()
   local opt = sysbench.opt
   print("claimed", opt.csv, opt.json, opt.label, opt.node, opt.server_stats, opt.html)
end
function event() end
END
    run "$SYSRATE" claims.lua --events=1 run
    check_equal "names of options of ours: the script's defaults" "0 " "$status $err"
    check_match "names of options of ours: seen by the script" $'^claimed\torders.csv\t7\tnone\t1\tabc\t$' "$out"
    run "$SYSRATE" claims.lua --events=1 --csv=no/such.csv --json=9 --label=plain --node=3 --server-stats=x --html=page.html run
    check_equal "names of options of ours, given: exit code" "0 " "$status $err"
    check_match "names of options of ours, given: seen by the script" $'^claimed\tno/such.csv\t9\tplain\t3\tx\tpage.html$' "$out"
    check_not "names of options of ours, given: no file is written" test -e page.html -o -e 9
    check_match "names of options of ours: help" '^  --json=N +a number \[7\]$' "$("$SYSRATE" claims.lua help)"
    fails_with "names of options of ours: a value against the script's type" \
        "FATAL: invalid value for --json: 'x' (allowed: a whole number (also 1k, 1M, 1G))" "$SYSRATE" claims.lua --json=x run
    printf 'sysbench.cmdline.options = {label = {"a text", "none"}}\nfunction event() end\n' >label.lua
    run "$SYSRATE" label.lua --events=1 --label=mine --json=- run
    check_equal "a name of an option of ours next to --json=-: standard output is the report" "0 1" \
        "$status $(jq .summary.counters.events <<<"$out")"
    check_not "a name of an option of ours next to --json=-: no file is written" test -e -
    run "$SYSRATE" claims.lua --events=1 --rand-seed=1 --node=0/2 --threads=2 run
    check_equal "names of options of ours: not one that has set the number of threads" 1 "$status"
    declares '5'
    check_equal "options that are no table: exit code" 1 "$status"
    check_no_match "options that are no table: no panic" 'PANIC' "$both"
    declares '{[1] = {"text", 5}}'
    check_equal "an option without a name: exit code" 1 "$status"
    check_no_match "an option without a name: no panic" 'PANIC|terminated' "$both"
}

test_config_file() {
    cat >run.conf <<'END'
# a comment
; another
  ; threads=9
threads=3
 rate = 50
t_string=from the file
flag
END
    run "$SYSRATE" --config-file=run.conf "$OPTIONS" show --rate=60
    check_match "a file sets options" '^opt threads = 3$' "$out"
    check_match "the command line wins" '^opt rate = 60$' "$out"
    check_match "a test's options in a file" "^opt t_string = 'from the file'\$" "$out"
    check_match "a name alone in a file" '^opt flag = true$' "$out"
    run "$SYSRATE" "$OPTIONS" show --rate=60 --config-file=run.conf
    check_match "the command line wins where it comes first, too" '^opt rate = 60$' "$out"
    printf 'threads=2\nthreads=x\n' >bad.conf
    fails_with "a bad value in a file" \
        "FATAL: bad.conf:2: invalid value for --threads: 'x' (allowed: a whole number (also 1k, 1M, 1G) from 1 to 1000000)" \
        "$SYSRATE" --config-file=bad.conf e.lua run
    echo 'treads=2' >typo.conf
    run "$SYSRATE" --config-file=typo.conf e.lua run --events=1
    check_equal "an option of another test in a file: the run goes on" 0 "$status"
    check_equal "an option of another test in a file: a warning" \
        "WARNING: typo.conf:1: ignored, this test has no such option: --treads=2" "$err"
    printf 'my-pass=secret\ntreads=2\n' >other.conf
    run "$SYSRATE" --config-file=other.conf cpu run --events=1 --cpu-max-prime=10
    check_equal "a built-in test ignores it too, and shows no password" \
        "0 WARNING: other.conf:1: ignored, this test has no such option: --my-pass
WARNING: other.conf:2: ignored, this test has no such option: --treads=2" "$status $err"
    echo 'a b=2' >blank.conf
    fails_with "a line that is none" \
        "FATAL: blank.conf:1: a line must be name=value, a name alone, or a # or ; comment" \
        "$SYSRATE" --config-file=blank.conf e.lua run
    fails_with "a folder as file" "FATAL: cannot read --config-file=folder: Is a directory" \
        "$SYSRATE" --config-file=folder e.lua run
    RUN_TIMEOUT=20 fails_with "a device without an end" \
        "FATAL: cannot read --config-file=/dev/zero: it is longer than 1048576 bytes" \
        "$SYSRATE" --config-file=/dev/zero e.lua run
    : >empty.conf
    run "$SYSRATE" --config-file=empty.conf "$OPTIONS" show
    check_equal "an empty file" 0 "$status"
    run "$SYSRATE" --config-file=<(echo threads=3) "$OPTIONS" show
    check_match "a pipe" '^opt threads = 3$' "$out"
    echo 'test=e.lua' >test.conf
    run "$SYSRATE" --config-file=test.conf run --time=0.1
    check_equal "the test in a file" 0 "$status"
}

test_seed_and_rate() {
    run "$SYSRATE" e.lua run --events=1 --rand-seed=-1
    check_match "a negative seed is one" \
        '^0 .*Initializing random number generator from seed \(-1\)\.' "$status $(tr '\n' ' ' <<<"$out")"
    run "$SYSRATE" e.lua run --time=5 --rate=2000000000 --queue-size=100
    check_match "more arrivals than there are nanoseconds: the queue is full" '^FATAL: The event queue is full' "$err"
}

test_help() {
    local heading
    run "$SYSRATE" --help
    check_equal "--help: exit code" 0 "$status"
    check_equal "--help: begins with the usage" "Usage:
  sysrate [options]... [testname] [command]

Commands implemented by most tests: prepare run cleanup help" "$(printf '%s\n' "$out" | head -n 4)"
    for heading in "Put load on a server:" "Print the report:" "Choose random numbers:" "Reach a database:" \
        "Compiled-in database drivers:" "sqlite options:" "null options:" "Find a setting or a limit:"; do
        check_match "--help: $heading" "^$heading\$" "$out"
    done
    check_match "--help: drivers" '^  sqlite - SQLite driver$' "$out"
    check_match "--help: an option" '^  --threads=N +number of .*threads.* \[1\]$' "$out"
    check_match "--help: ends with a hint" \
        "^See 'sysrate <testname> help' for a list of options for each test\.\$" "$out"
    check_equal "--help: nothing on standard error" "" "$err"
    check_match "--help: options on waits" '^  --wait-events-text' "$(sed -n '/^Judge the run/,/^$/p' <<<"$out")"
    run "$SYSRATE" help tx_rate
    check_equal "help OPTION: exit code" 0 "$status"
    check_equal "help OPTION: nothing on standard error" "" "$err"
    check_match "help OPTION: it is one" "^'tx_rate' is an option:\$" "$out"
    check_match "help OPTION: its meaning" '^  --tx-rate=STRING +requests that arrive per second' "$out"
    run "$SYSRATE" help table-size
    check_match "help OPTION of a script: names the tests" "^'table-size' is an option of oltp_delete, .*oltp_read_write, .*\. 'sysrate help oltp_delete' prints its meaning\.\$" "$out"
    run "$SYSRATE" help file-total-size
    check_match "help OPTION of a built-in test: names the test" "^'file-total-size' is an option of fileio\. 'sysrate help fileio' " "$out"
    run "$SYSRATE" --help=on e.lua run
    check_match "--help wins over a test" '^Usage:$' "$out"
    run "$SYSRATE" "$OPTIONS" help
    check_equal "TEST help: exit code" 0 "$status"
    check_match "TEST help: heading" "^$OPTIONS options:\$" "$out"
    check_match "TEST help: an option" '^  --count=N +inferred number \[7\]$' "$out"
    echo 'function help() print("help of its own") end' >help.lua
    run "$SYSRATE" help.lua help
    check_match "help() of the script" '^help of its own$' "$out"
}

test_names() {
    local version heading
    run "$SYSRATE" --version
    check_equal "--version: exit code" 0 "$status"
    check_match "--version: name and number" '^sysrate [0-9]+\.[0-9]+\.[0-9]+$' "$out"
    version=$(printf '%s\n' "$out" | sed -n 's/^sysrate //p')
    run "$SYSRATE" plain.lua
    check_match "the banner" "^sysrate $version \(using LuaJIT .*\)\$" "$out"
    ln -s "$SYSRATE" sysbench
    run ./sysbench --version
    check_match "as sysbench: --version, a line" '^sysbench 1\.(1\.0|0\.20)$' "$out"
    run ./sysbench --help
    check_match "as sysbench: usage" '^  sysbench \[options\]\.\.\. \[testname\] \[command\]$' "$out"
    for heading in "General options:" "Pseudo-Random Numbers Generator options:" "Log options:" \
        "General database options:" "Compiled-in database drivers:" "sqlite options:" "null options:"; do
        check_match "as sysbench: --help: $heading" "^$heading\$" "$out"
    done
    check_match "as sysbench: hint" "^See 'sysbench <testname> help'" "$out"
    echo 'print(sysbench.version, "|", sysbench.version_string)' >version.lua
    run ./sysbench version.lua
    check_match "as sysbench: banner" '^sysbench 1\.(1\.0|0\.20) \(using system LuaJIT ' "$out"
    check_match "as sysbench: sysbench.version" '^1\.(1\.0|0\.20)	\|	sysbench 1\.(1\.0|0\.20)$' "$out"
    run "$SYSRATE" version.lua
    check_match "sysbench.version" "^$version	\\|	sysrate $version\$" "$out"
    run ./sysbench oltp_read_only help
    check_match "as sysbench: bundled scripts are found" '^oltp_read_only options:' "$out"
}

test_old_names() {
    run "$SYSRATE" --test=e.lua --num-threads=2 --max-requests=6 --max-time=5 --init-rng=on run
    check_equal "old names: exit code" 0 "$status"
    check_match "old names: threads" '^Number of threads: 2$' "$out"
    check_match "old names: events" 'total number of events: +6$' "$out"
    local pair
    for pair in "num-threads threads" "max-requests events" "max-time time"; do
        # shellcheck disable=SC2086  # two words
        set -- $pair
        check_match "old names: a warning names the successor of --$1" "^WARNING: --$1 .*--$2\\b" "$err"
    done
    check_match "old names: --test" '^WARNING: .*--test' "$err"
    run "$SYSRATE" e.lua run --tx-rate=100 --time=0.2
    check_equal "--tx-rate is not old" "" "$err"
    check_match "--tx-rate is --rate" '^Target transaction rate: 100/sec$' "$out"
}

test_verbosity() {
    run "$SYSRATE" e.lua run --time=0.2 --verbosity=0 --report-interval=0.1 --histogram --rate=100
    check_equal "--verbosity=0: exit code" 0 "$status"
    check_equal "--verbosity=0: silence" "" "$out$err"
    echo 'print("my words") function event() print("event") return true end' >talk.lua
    run "$SYSRATE" talk.lua run --verbosity=0
    check_equal "--verbosity=0: a script's own words" "my words
my words
event" "$out$err"
    run "$SYSRATE" --verbosity=0 e.lua run --num-threads=1 --events=1
    check_equal "--verbosity=0: no warnings" "" "$out$err"
    fails_with "--verbosity=0: what is fatal is said" \
        "FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module" \
        "$SYSRATE" --verbosity=0 nosuch run
    run "$SYSRATE" --verbosity=5 e.lua run --events=1
    check_equal "--verbosity=5: exit code" 0 "$status"
}

test_full_output() {
    test -e /dev/full || return
    "$SYSRATE" e.lua run --events=1 >/dev/full 2>err
    check_equal "a full disk: exit code" 1 $?
    check_match "a full disk: message" '^FATAL: cannot write to standard output' "$(cat err)"
    fails_with "a JSON file that cannot be written" \
        "FATAL: cannot write 'nosuch/a.json': No such file or directory" \
        "$SYSRATE" e.lua run --events=1 --json=nosuch/a.json
    check_no_match "a JSON file that cannot be written: no run" 'Threads started' "$out"
    mkdir json.folder
    fails_with "a folder as JSON file" "FATAL: cannot write 'json.folder': Is a directory" \
        "$SYSRATE" e.lua run --events=1 --json=json.folder
    fails_with "a file as the folder of the JSON file" "FATAL: cannot write 'e.lua/x': Not a directory" \
        "$SYSRATE" e.lua run --events=1 --json=e.lua/x
}

test_bad_options
test_positions
test_unknown_tests
test_odd_scripts
test_sources
test_commands
test_own_options
test_config_file
test_seed_and_rate
test_help
test_names
test_old_names
test_verbosity
test_full_output
finish
