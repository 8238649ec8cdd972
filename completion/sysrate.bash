# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Completion of sysrate's command line in bash. All names come from the program, so that they are always those it knows.

# Options as "--name=" or, for booleans, "--name", from what `... help` prints.
_sysrate_options() {
    sed -nE 's/^  (--[a-z0-9_-]+)\[=on\|off\].*/\1/p; s/^  (--[a-z0-9_-]+=).*/\1/p'
}

# Tests that are part of the program, tools, and bundled scripts.
_sysrate_tests() {
    local help folder script
    help=$("$1" --help 2>/dev/null)
    sed -nE '/^Compiled-in tests:/,/^$/s/^  ([a-z]+) - .*/\1/p; s/^  sysrate ([a-z]+) - .*/\1/p' <<<"$help"
    folder=$(dirname "$(command -v "$1")")/../share/sysrate
    for script in "$folder"/*.lua; do
        script=${script##*/}
        case $script in
        '*.lua' | *_common.lua | *_schema.lua) ;;
        *) printf '%s\n' "${script%.lua}" ;;
        esac
    done
}

# The test's options too, and what a value may be where help says so: {a,b}.
_sysrate_values() {
    sed -nE "s/^  --$1=[^ ]+ .*\\{([a-z, ]+)\\}.*/\\1/p" | tr -d ' ' | tr ',' '\n'
}

_sysrate() {
    local program=${COMP_WORDS[0]} words=() line cur word name='' help
    line=${COMP_LINE:0:COMP_POINT}
    cur=${line##*[[:space:]]}
    # Words before the one at the cursor; "=" must not cut them, so they are read from the line.
    for word in ${line%"$cur"}; do
        [[ $word == -* ]] || words+=("$word")
    done
    words=("${words[@]:1}")
    help=$("$program" --help 2>/dev/null)
    if [[ ${#words[@]} -gt 0 && -n ${words[0]} ]]; then
        help+=$'\n'$("$program" "${words[0]}" help 2>/dev/null </dev/null)
    fi
    if [[ $cur == --*=* ]]; then
        name=${cur%%=*}
        mapfile -t COMPREPLY < <(compgen -W "$(_sysrate_values "${name#--}" <<<"$help")" -- "${cur#*=}")
        [[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "${cur#*=}")
    elif [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_sysrate_options <<<"$help")" -- "$cur")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
    elif [[ ${#words[@]} -eq 0 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_sysrate_tests "$program")" -- "$cur"; compgen -f -X '!*.lua' -- "$cur")
    elif [[ ${#words[@]} -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "prepare run cleanup help" -- "$cur")
    fi
    return 0
}

complete -F _sysrate sysrate
