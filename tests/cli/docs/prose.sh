#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The share of comments, messages and sentences that are hard to read stays below its limit, and scripts/check-prose.sh finds them.
. "$TESTS_DIR/cli/lib.sh"
if ! command -v perl >/dev/null; then
    skip "the share of phrases that are hard to read" "perl is not installed"
    exit 77
fi

run "$SRCDIR/scripts/check-prose.sh"
check_equal "the whole tree: exit code" 0 "$status"
[ "$status" -eq 0 ] || printf '%s\n' "$out"

cat >plain.c <<'C'
/* Returns the length of the queue: requests that wait. */
int queue_length(void);
/* If the queue is full, the function fails; the caller tries again as soon as there is room. */
int queue_put(void) { return log_text("the queue has no room for another request"); }
C
run "$SRCDIR/scripts/check-prose.sh" --list plain.c
check_equal "plain words: exit code" 0 "$status"
check_match "plain words: nothing is found" '^comments: 0 of 2 ' "$out"

# finds TEXT: one comment with the text is found.
finds() {
    printf '/* %s */\nint x;\n' "$1" >found.c
    run "$SRCDIR/scripts/check-prose.sh" --list found.c
    check_equal "'$1' is found: exit code" 1 "$status"
    check_match "'$1' is found: its place" '^found\.c:1: \[' "$out"
}
finds 'What has been judged is left as it is.'
finds 'Behind the report of the workload.'
finds 'Waits so long.'
finds 'The file stands next to the report.'
finds 'The list is made anew.'
finds 'The reader knows no such name.'
finds 'The worker is told the time.'
finds 'Nobody reads the file.'
finds 'The values of others.'
finds 'It is that of this one, and those are its own.'

printf -- '-- A value that is kept.\n-- It stands in the table.\nlocal x = 1\n' >two.lua
run "$SRCDIR/scripts/check-prose.sh" --list two.lua
check_match "lines of one Lua comment are read together" '^comments: 1 of 1 ' "$out"

printf 'Text in words.\n\n```\nwhat is told stands\n```\n\n| what is told |\n' >page.md
run "$SRCDIR/scripts/check-prose.sh" page.md
check_match "code and tables of a page are no sentences" '^sentences of pages: 0 of 1 ' "$out"

finish
