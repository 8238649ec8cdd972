#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each function of the interface for scripts is called with wrong arguments (arguments.lua). Nothing may crash, and wrong
# sizes are refused.
. "$TESTS_DIR/cli/lib.sh" || exit 1

# The names of functions in the tables of the documentation; error() belongs to Lua.
documented=$(awk '/^## /{ours = /sysbench|Work for later|think|A run loop/} ours && /^\|/' "$SRCDIR/docs/lua-api.md" |
    grep -oE '[a-z_0-9]+\(' | tr -d '(' | grep -vx error | sort -u)
check_between "the documentation lists functions" 50 "$(wc -l <<<"$documented")" 100

# LuaJIT 2.1.1737090214 (Debian 13) crashes in its own compiler in one of eight runs of these loops. Without the compiler, the same
# functions get the same arguments. They are also called from compiled code, in "run".
for mode in "--luajit-cmd=off --db-ps-mode=auto everything" "--luajit-cmd=off --db-ps-mode=disable everything" "--time=60 run"; do
    # shellcheck disable=SC2086  # several words
    run "$SYSRATE" "$TESTS_DIR/cli/lua/arguments.lua" --db-driver=sqlite --sqlite-db=wrong.db $mode
    check_equal "wrong arguments, $mode: exit code" 0 "$status"
    check_equal "wrong arguments, $mode: wrong sizes are refused, and errors are texts" "0 errors of another type" \
        "$(printf '%s\n' "$out" | grep -aE 'was accepted|^[a-z_]+(, | without )[a-z ]+: |errors? of ' | head -n 20)"
    check_no_match "wrong arguments, $mode: no memory error" 'AddressSanitizer|runtime error|PANIC' "$err"
    called=$(printf '%s\n' "$out" | sed -n 's/^called \(.*[.: ]\)\{0,1\}//p' | sort -u)
    case $mode in
    *everything) check_equal "all documented functions were called" "" "$(comm -23 <(printf '%s\n' "$documented") <(printf '%s\n' "$called"))" ;;
    esac
done

finish
