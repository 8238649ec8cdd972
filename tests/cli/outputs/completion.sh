#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion in bash, zsh and fish, and the manual page must list all tests, tools and options of the program.
. "$TESTS_DIR/cli/lib.sh"

for shell in bash zsh fish; do
    "$SRCDIR/scripts/completion.sh" $shell >sysrate.$shell
done
cp "$SRCDIR"/completion/sysrate-serve.fish .
mkdir functions bin
cp sysrate.zsh functions/_sysrate
ln -s "$SYSRATE" bin/sysrate
ln -s "$SYSRATE-serve" bin/sysrate-serve
PATH=$PWD/bin:$PATH
touch some.lua report.json
mkdir runs

. ./sysrate.bash

# complete_line TEXT [PROGRAM]: prints the completions of the line, sorted, one per line.
complete_line() {
    local program=${2-sysrate}
    COMP_LINE="$program $1" COMP_POINT=$((${#program} + 1 + ${#1}))
    # shellcheck disable=SC2034  # read by the function
    COMP_WORDS=("$program")
    COMPREPLY=()
    _sysrate
    printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort
}

test_bash() {
    check_match "tests" '^memory$' "$(complete_line '')"
    check_match "tools" '^capacity$' "$(complete_line '')"
    check_match "the list" '^list$' "$(complete_line '')"
    check_equal "topics of help" sweep "$(complete_line 'help sw')"
    check_equal "nothing after a topic of help" "" "$(complete_line 'help sweep ')"
    check_equal "tests by their beginning" fileio "$(complete_line fil)"
    check_equal "bundled scripts" "select_random_points
select_random_ranges" "$(complete_line select_)"
    check_equal "commands" "cleanup
help
prepare
run" "$(complete_line 'fileio ')"
    check_equal "commands after an option" run "$(complete_line '--time=1 fileio r')"
    check_equal "general options" "--events=" "$(complete_line '--ev')"
    check_equal "options of a test" "--cpu-max-prime=" "$(complete_line 'cpu --cpu')"
    check_equal "options that are on or off" "--file-fsync-all" "$(complete_line 'fileio --file-fsync-a')"
    check_equal "options of a script" "--range_selects
--range_size=" "$(complete_line 'oltp_read_only --range_')"
    check_equal "values" "rndrd
rndrw
rndwr" "$(complete_line 'fileio --file-test-mode=rnd')"
    check_equal "values with other characters" "sysbench-1.0
sysbench-1.1" "$(complete_line '--report=sys')"
    check_equal "values of a switch" "off
on" "$(complete_line '--strict=')"
    check_equal "database drivers" "$("$SYSRATE" --version | sed -nE 's/^  ([a-z]+) - .*/\1/p' | sort)" "$(complete_line '--db-driver=')"
    check_equal "database drivers by their beginning" sqlite "$(complete_line '--db_driver=sq')"
    check_equal "files" report.json "$(complete_line '--json=rep')"
    check_equal "nothing after the command" "" "$(complete_line 'cpu run ')"
    check_match "scripts in the folder" '^some\.lua$' "$(complete_line 'so')"
    check_equal "options of a tool" "--fail-if=" "$(complete_line 'compare --fa')"
    check_equal "no options of tests for a tool" "" "$(complete_line 'compare --threads')"
    check_equal "files for a tool" report.json "$(complete_line 'compare report.json rep')"
    check_equal "folders for a tool" runs "$(complete_line 'compare ru')"
    check_equal "sysrate-serve: options" "--token-file=" "$(complete_line '--to' sysrate-serve)"
    check_equal "sysrate-serve: folders" runs "$(complete_line 'ru' sysrate-serve)"
    check_equal "sysrate-serve: it has the same function" "complete -F _sysrate sysrate-serve" "$(complete -p sysrate-serve)"
    check_equal "after --: a test" oltp_insert "$(complete_line 'sweep --vary=threads=1,2 --out=x -- oltp_ins')"
    check_equal "after --: no tool" "" "$(complete_line 'sweep -- swee')"
    check_equal "after --: options" "--cpu-max-prime=" "$(complete_line 'sweep --vary=threads=1 -- cpu --cpu')"
    check_equal "after --: values" sqlite "$(complete_line 'capacity -- oltp_insert --db-driver=sql')"
    check_equal "after --: no command" "" "$(complete_line 'sweep -- cpu ')"
}

# The completions of zsh for a line and a tab that are typed at a terminal.
zsh_line() { timeout 60 zsh -f "$TESTS_DIR/cli/outputs/complete.zsh" "$PWD/functions" "${2-sysrate} $1"; }

test_zsh() {
    check_equal "zsh: a test" "sysrate oltp_point_select " "$(zsh_line 'oltp_po')"
    check_equal "zsh: a command" "sysrate fileio cleanup " "$(zsh_line 'fileio cl')"
    check_equal "zsh: an option that goes on" "sysrate --events=" "$(zsh_line '--ev')"
    check_equal "zsh: a value" "sysrate --db-driver=sqlite " "$(zsh_line '--db-driver=sq')"
    check_equal "zsh: a file" "sysrate --json=report.json " "$(zsh_line '--json=rep')"
    check_equal "zsh: sysrate-serve" "sysrate-serve --token-file=" "$(zsh_line '--to' sysrate-serve)"
    check_equal "zsh: after --" "sysrate sweep -- cpu --cpu-max-prime=" "$(zsh_line 'sweep -- cpu --cpu')"
}

fish_line() { fish --no-config -c "source sysrate.fish; complete -C 'sysrate $1'"; }

test_fish() {
    check_match "fish: a test, with its description" '^oltp_point_select	the reading of one row' "$(fish_line 'oltp_po')"
    check_equal "fish: commands" "cleanup help prepare run" "$(fish_line 'fileio ' | cut -f 1 | sort | tr '\n' ' ' | sed 's/ $//')"
    check_match "fish: an option" '^--events=	[a-z]' "$(fish_line '--ev')"
    check_match "fish: a value" '^--db-driver=sqlite	SQLite driver' "$(fish_line '--db-driver=sq')"
    check_equal "fish: a file" "--json=report.json" "$(fish_line '--json=rep')"
    check_equal "fish: sysrate-serve" "--token-file=" "$(fish --no-config -c "source sysrate-serve.fish; complete -C 'sysrate-serve --to'" | cut -f 1)"
    check_match "fish: after --" '^--cpu-max-prime=' "$(fish_line 'sweep -- cpu --cpu')"
}

test_manual() {
    local name
    run "$SRCDIR/scripts/manpage.sh" "$SYSRATE" "$SRCDIR/docs/manual.md"
    check_equal "the manual page is made" 0 "$status"
    for name in threads rate cpu-max-prime file-test-mode sqlite-db vary precision fail-if quick csv; do
        check_match "the manual page has --$name" "^\\.B .*$(printf '%s' "--$name" | sed 's/-/\\\\-/g')" "$out"
    done
    for name in ab archive capacity compare merge report selftest sweep; do
        check_match "the manual page has the options of $name" "^\\.SS $name options\$" "$out"
    done
    if command -v man >/dev/null; then
        printf '%s\n' "$out" >sysrate.1
        check_equal "the manual page is well-formed" "" "$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z ./sysrate.1 2>&1 >/dev/null)"
    fi
}

# choices < HELP: prints a line "NAME: CHOICE, CHOICE" for each option with choices in the help.
choices() { sed -nE 's/^  --([a-z0-9-]+)=[^{]*\{([^}]*)\}.*/\1: \2/p' | sort; }

# The program has one table with the choices of an option. The documentation must have the same choices in the column
# "allowed" or, for an option without a row of its own, as "`NAME`: CHOICE, CHOICE".
test_documented_choices() {
    local name allowed
    "$SYSRATE" --help | choices >choices
    check "choices: help has them" grep -q '^arrival-wait: auto, sleep, spin$' choices
    check_match "choices: help has their meanings" \
        'arrival-wait=STRING .*\{auto, sleep, spin\}; auto: [^;]+; sleep: [^;]+; spin: [^;]+ \[auto\]$' "$("$SYSRATE" --help | grep -e --arrival-wait)"
    while IFS=: read -r name allowed; do
        check_match "choices: the documentation has those of --$name" "(^| \|) \`$name\`(: | \| [a-z]* \| )${allowed# }( \||\.)" \
            "$(sed 's/^|/ |/' "$SRCDIR"/docs/{options,mongodb}.md)"
    done <choices
}

test_bash
if command -v zsh >/dev/null; then test_zsh; else skip "completion in zsh" "it is not installed"; fi
if command -v fish >/dev/null; then test_fish; else skip "completion in fish" "it is not installed"; fi
test_manual
test_documented_choices
finish
