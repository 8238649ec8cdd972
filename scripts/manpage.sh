#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes the manual page of a program to standard output: scripts/manpage.sh PROGRAM TEXT. sysrate(1) is made from docs/manual.md,
# sysrate-serve(1) from docs/service-manual.md. The lists of options, tests and drivers are the output of the program, so that the page
# cannot differ from it.
set -eu

program=${1:?usage: scripts/manpage.sh PROGRAM TEXT}
text=${2:?usage: scripts/manpage.sh PROGRAM TEXT}
title=$(sed -n '1s/^# //p' "$text" | tr '[:lower:]' '[:upper:]')
version=$("$program" --version | sed -n '1s/.* //p')

# Prints text line by line without filling.
escape() {
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/"
}

# Converts lines "  --name=TYPE  text" and "  name - text" to tagged paragraphs, and lines "Heading:" to subsections.
paragraphs() {
    escape | awk '
        /^  \\-\\-/ { name = $1; sub(/^ +[^ ]+ +/, ""); print ".TP\n.B " name "\n" $0; next }
        /^  [^ ].* \\- / {
            at = index($0, " \\- ")
            print ".TP\n.B " substr($0, 3, at - 3) "\n" substr($0, at + 4); next
        }
        /:$/ { sub(/:$/, ""); print ".SS " $0 }'
}

# The options of `sysrate serve` are on the manual page of sysrate-serve, the program that it executes.
options() {
    if [ "$title" = SYSRATE-SERVE ]; then
        "$program" --help | sed '1,/^serve options:$/d' | paragraphs
        return
    fi
    "$program" --help | sed -e '1,/^Commands implemented/d' -e '/^See /d' | paragraphs
    for test in $("$program" --help | sed -n '/^Compiled-in tests:/,/^$/s/^  \([a-z]*\) - .*/\1/p'); do
        "$program" "$test" help | sed 1d | paragraphs
    done
    for tool in $("$program" list | sed -n '/^Tools:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx serve); do
        "$program" "$tool" --help | sed -n '/^[a-z]* options:$/,$p' | paragraphs
    done
}

# Converts the parts of Markdown that these texts use: headings, paragraphs, lists "- `term`: text", blocks of commands, `code`, **bold**.
markdown() {
    sed -e '/^```sh$/,/^```$/{/^#>/d}' -e 's/\*\*\([^*]*\)\*\*/`\1`/g' | escape |
        sed -e '/^```/!s/`\([^`]*\)`/\\fB\1\\fR/g' | awk '
        /^```/ { print block ? ".EE" : ".PP\n.EX"; block = !block; next }
        block { print; next }
        /^# / { print ".SH NAME"; title = substr($0, 3); next }
        /^## / { print ".SH " toupper(substr($0, 4)); fresh = 1; next }
        /^$/ { blank = 1; next }
        /^\\- / { at = index($0, ": "); print ".TP\n" substr($0, 4, at - 4) "\n" substr($0, at + 2); blank = fresh = 0; next }
        title != "" { print title " \\- " $0; title = ""; next }
        blank && !fresh { print ".PP" }
        { print; blank = fresh = 0 }'
}

printf '.\\" Made by scripts/manpage.sh.\n.TH %s 1 "" "sysrate %s" "User Commands"\n' "$title" "$version"
sed '/^<!-- options -->$/,$d' "$text" | markdown
options
sed '1,/^<!-- options -->$/d' "$text" | markdown
