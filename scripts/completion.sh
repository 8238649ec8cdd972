#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes the completion for bash, zsh or fish to standard output: scripts/completion.sh SHELL. All of them run completion/candidates.sh.
# This script inserts its text into completion/sysrate.SHELL.in as a string, quoted for that shell.
set -eu

shell=${1:?usage: scripts/completion.sh bash|zsh|fish}
folder=$(dirname "$0")/../completion

# Quotes the text on standard input for a string in single quotes of the shell.
quoted() {
    case $shell in
    fish) sed -e "s/\\\\/\\\\\\\\/g" -e "s/'/\\\\'/g" ;;
    *) sed "s/'/'\\\\''/g" ;;
    esac
}

template=$folder/sysrate.$shell.in
sed '/@CANDIDATES@/,$d' "$template"
sed -n "s/@CANDIDATES@.*/'/p" "$template" | tr -d '\n'
# Comments of the script are left out.
sed '/^ *#/d' "$folder/candidates.sh" | quoted
echo "'"
sed '1,/@CANDIDATES@/d' "$template"
