# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Executes the examples of the documentation. Each document has a folder of its own, and its examples are executed in order:
#
#   ```lua       a first line "-- file: NAME" is required: the block becomes that file, which some command must name
#   ```sh        commands "sysrate ..." must succeed; TEXT of a line "#> TEXT" after a command must be in its output
#   ```console   commands "$ sysrate ..." or "$ build/src/sysrate ..." must succeed and print each line that follows,
#                except for most figures, the verdict, text in parentheses, and notes after an arrow; "..." matches
#                anything; an interval may be known or not; other commands are not executed
#
# Other blocks are ignored.
#
# Figures that follow from the command alone are compared: the number of threads and the rate asked for in interval lines,
# requests that failed, were dropped or reconnected, and the percentiles that are named. Other figures vary; in the document
# and in the output, figures that belong together must add up.
#
# Commands with --db-driver=mysql, pgsql or mongodb need a server. connect_options DRIVER, a function of the test, sets $connect
# to the additional options of a command; if it fails, such commands are not executed. Commands without a server are executed
# if $without_servers is "yes".
#
# Source this file after cli/lib.sh. read_document PATH checks a document in the current folder; $document is its name for
# messages.

# Prints a line without figures that vary between runs, so that two runs can be compared.
shape() {
    perl -lpe 's/\([^)]*\)//g; s/ ± [0-9.]+//g; s/not known: needs [0-9]+ times as many requests/1 to 2/;
        s{(\b(?:thds|asked):\ [0-9.]+ | ^\ *(?:failed|dropped|reconnects):\ +[0-9.]+ | ^\ *[0-9.]+(?=th\ percentile:|%\s))
          | >?-?[0-9]+(?:\.[0-9]+)?}{$1 // "N"}gex;
        s/\s*←.*//; s/^Result .*/Result/; s/\s+/ /g; s/^ | $//g' | sort -u
}

# Prints the server that a command needs, if any.
driver_of() { sed -nE 's/.*--db-driver=(mysql|pgsql|mongodb)\b.*/\1/p' <<<"$1"; }

# wanted COMMAND: true if this test executes the command. Sets $connect for the server that the command needs.
wanted() {
    connect=()
    local driver
    driver=$(driver_of "$1")
    if [ -n "$driver" ]; then
        connect_options "$driver"
    else
        [ "$without_servers" = yes ]
    fi
}

# execute COMMAND: executes "sysrate ..." with words and quotes as in a shell.
execute() {
    eval "set -- ${1#*sysrate }"
    run "$SYSRATE" "$@" "${connect[@]}"
    check_equal "$document: $command" 0 "$status"
    if [ "$status" -ne 0 ]; then
        printf '%s\n' "$both" | sed 's/^/#   /'
    fi
}

check_contains() {
    local text=${1#"#> "}
    check "$document: $command: prints '$text'" grep -Fq -- "$text" <<<"$both"
}

# Prints the number after "NAME:" in the first such line of a text.
shown_figure() {
    sed -nE "s/^ *$1: +([0-9.]+).*/\1/p" <<<"$2" | head -n 1
}

# check_sums NAME TEXT: checks that requests and queries of a report are the sums of their parts, if it shows them.
check_sums() {
    local text=$2
    sum() { echo $(($(for figure in "$@"; do shown_figure "$figure" "$text"; done | paste -sd+))); }
    if [ -n "$(shown_figure offered "$text")" ]; then
        check_equal "$1: requests add up" "$(shown_figure offered "$text")" "$(sum completed failed dropped unfinished)"
        check_equal "$1: requests are accounted for" "$(shown_figure offered "$text")" "$(shown_figure 'accounted for' "$text")"
    fi
    if [ -n "$(shown_figure read "$text")" ]; then
        check_equal "$1: queries add up" "$(shown_figure total "$text")" "$(sum read write other)"
        check_equal "$1: transactions are events" "$(shown_figure 'total number of events' "$text")" "$(shown_figure transactions "$text")"
    fi
}

# The lines that a console block shows for its last command must be in the output of the command.
check_shown() {
    if [ -n "$shown" ]; then
        check_equal "$document: $command: prints what is shown" "" \
            "$(comm -23 <(printf '%s' "$shown" | shape) <(printf '%s\n' "$both" | shape))"
        check_sums "$document: $command: as shown" "$shown"
        check_sums "$document: $command: as printed" "$both"
    fi
    shown=
}

lua_line() {
    if [ -z "$file" ]; then
        file=${1#-- file: }
        if [ "$file" = "$1" ]; then
            fail "$document: a Lua block starts with -- file: NAME" "$1"
            file=unnamed.lua
        fi
        files+=("$file")
        : >"$file"
    else
        printf '%s\n' "$1" >>"$file"
    fi
}

sh_line() {
    case $1 in
    'sysrate '*)
        command=$1
        named+=$1$'\n'
        shows=no
        if wanted "$1"; then
            shows=yes
            execute "$1"
        fi
        ;;
    '#> '*) [ "$shows" = no ] || check_contains "$1" ;;
    *) fail "$document: a sh block has sysrate commands only" "$1" ;;
    esac
}

console_line() {
    case $1 in
    '$ sysrate '* | '$ build/src/sysrate '*)
        check_shown
        command=${1#* }
        named+=$command$'\n'
        shows=no
        if wanted "$command"; then
            shows=yes
            execute "$command"
        fi
        ;;
    '$ '*)
        check_shown
        shows=no
        ;;
    '...') ;;
    *) [ "$shows" = no ] || shown+=$1$'\n' ;;
    esac
}

read_document() {
    local line block='' file='' shown='' shows=no command='' named=''
    local files=()
    while IFS= read -r line; do
        case $block:$line in
        :'```'?*) block=${line#'```'} file='' ;;
        console:'```')
            check_shown
            block=''
            ;;
        *:'```') if [ -n "$block" ]; then block=''; else block=other; fi ;;
        lua:*) lua_line "$line" ;;
        sh:*) sh_line "$line" ;;
        console:*) console_line "$line" ;;
        esac
    done <"$1"
    check_equal "$document: the last block is closed" "" "$block"
    for file in ${files[@]+"${files[@]}"}; do
        check "$document: $file is used" grep -Fqw -- "${file%.lua}" <<<"$named"
    done
}
