# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Prints the candidates for the word at the cursor. The completions of all shells run this script with sh and the arguments PROGRAM CURRENT
# [WORD...]. CURRENT is the part of the word before the cursor; each WORD is a word between the program and CURRENT. Each line has a
# candidate, followed by a tab and a description if there is one. A candidate that ends in "=" is not a complete word. After "--name=" a
# candidate is the value only. "@files" stands for the names of files. All names come from the program, so that they match its version.

program=$1
current=$2
shift 2
# sysrate-serve has the same command line as "sysrate serve".
case $program in
*sysrate-serve)
    program=${program%-serve}
    set -- serve "$@"
    ;;
esac

# Finds the test and its command, or the tool. After the "--" of a tool, finds the test that the tool runs.
test='' command='' more='' tool='' behind=''
for word; do
    case $word in
    --) test='' behind=$tool ;;
    -*) ;;
    *)
        if [ -n "$test" ]; then
            more=${command:+$word}
            command=${command:-$word}
        else
            test=$word
            [ -n "$behind" ] || tool=$("$program" list | sed -n "/^Tools:/,/^\$/s/^  \($word\) .*/\1/p")
        fi
        ;;
    esac
done

help_text() {
    if [ -n "$tool" ] && [ -z "$behind" ]; then
        "$program" "$tool" --help
    else
        "$program" --help
        [ -z "$test" ] || "$program" "$test" help </dev/null
    fi 2>/dev/null
}

options() {
    help_text | awk '/^  --/ {
        name = $1
        text = $0
        sub(/^  [^ ]+ */, "", text)
        if (!sub(/\[=on\|off\]$/, "", name))
            sub(/=.*/, "=", name)
        print name "\t" text
    }'
}

# Derives the values of an option from its help text: a list in braces, a switch, or a file. The database drivers are a separate list.
values() {
    help_text | awk -v name="$1" '
        function plain(text) {
            gsub(/_/, "-", text)
            return text
        }
        /^[^ ]/ { drivers = /^Compiled-in database drivers:/ }
        drivers && / - / && plain(name) == "db-driver" {
            text = $0
            sub(/.*[a-z] - /, "", text)
            print $1 "\t" text
        }
        /^  --/ && !done {
            option = $1
            sub(/(=|\[).*/, "", option)
            if (plain(option) != "--" plain(name))
                next
            done = 1
            if (match($0, /\{[A-Za-z0-9_., -]+\}/)) {
                count = split(substr($0, RSTART + 1, RLENGTH - 2), value, /, */)
                for (i = 1; i <= count; i++)
                    print value[i]
            } else if ($1 ~ /\[=on\|off\]$/)
                print "on\noff"
            else if ($1 ~ /=(DIR|FILE|FILENAME|FOLDER)$/)
                print "@files"
        }'
}

# Prints the tests, and the tools if a tool is possible at this place.
names() {
    "$program" list | awk -v tools="${behind:+no}" '
        /^[^ ]/ { tool = /^Tools:/ }
        /^  / && !(tool && tools == "no") {
            text = $0
            sub(/^  [^ ]+ */, "", text)
            print $1 "\t" text
        }'
    [ -n "$behind" ] || printf '%s\t%s\n' list "the tests and tools that there are" help "the help of the program, a test or a tool"
    echo @files
}

commands() {
    printf '%s\t%s\n' prepare "make what the test needs" run "run the test" cleanup "remove what prepare made" \
        help "list the test's options"
}

case $current in
--*=*)
    name=${current%%=*}
    values "${name#--}"
    ;;
-*) options ;;
*)
    if [ -z "$test" ] || { [ "$test" = help ] && [ -z "$command" ]; }; then
        names
    elif [ "$test" = replay ] && [ -z "$command" ]; then
        echo @files
    elif [ "$test" = replay ]; then
        [ -n "$more" ] || printf '%s\t%s\n' run "replay the log"
    elif [ -n "$tool" ]; then
        [ -n "$behind" ] || echo @files
    elif [ -z "$command" ] && [ "$test" != list ]; then
        commands
    fi
    ;;
esac
