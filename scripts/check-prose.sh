#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fails if the share of comments, messages or sentences with a turn of phrase that is hard to read (scripts/prose.pl) is above its
# limit, or if the subject of a new commit has more than 72 characters. --list prints each place; not every place is a mistake. Other
# arguments are the files to check instead of the whole tree.
#
#   scripts/check-prose.sh [--list] [FILE...]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
list=
if [ "${1-}" = --list ]; then
    list=--list
    shift
fi

# The rule for subjects applies to commits after this one.
first=3621f44
# Lower a limit when the share has fallen; never raise one.
comment_limit=2.0 message_limit=2.0 page_limit=4.0

files=$(mktemp)
trap 'rm -f "$files"' EXIT
status=0

# share KIND LIMIT UNIT NAME-PATTERN: checks the files of the list whose names match the pattern.
share() {
    # shellcheck disable=SC2046  # names without spaces
    set -- "$@" $(grep -E "$4" "$files" || true)
    kind=$1 limit=$2 unit=$3
    shift 4
    [ $# -gt 0 ] || return 0
    found=$(perl "$here/prose.pl" "$kind" $list "$@")
    printf '%s\n' "$found" | sed '$d'
    printf '%s\n' "$found" | tail -n 1 | awk -v unit="$unit" -v limit="$limit" '{
        share = $2 > 0 ? 100 * $1 / $2 : 0
        printf "%s: %d of %d have a turn of phrase that is hard to read (%.1f %%, at most %.1f %%)\n", unit, $1, $2, share, limit
        exit share > limit }' || status=1
}

if [ $# -gt 0 ]; then
    printf '%s\n' "$@" >"$files"
else
    cd "$here/.."
    find src tests scripts bench examples docs ./*.md -type f ! -name '.*' ! -path '*/.deps/*' 2>/dev/null | sort >"$files"
fi
share comments "$comment_limit" 'comments' '\.([chly]|js|lua|sh|py|pl)$'
share messages "$message_limit" 'messages and help texts' '^(\./)?src/.*\.[ch]$'
share pages "$page_limit" 'sentences of pages' '\.md$'

if [ $# -eq 0 ] && git rev-parse -q --verify "$first^{commit}" >/dev/null 2>&1; then
    long=$(git log --format=%s "$first..HEAD" | awk 'length($0) > 72')
    if [ -n "$long" ]; then
        printf 'subjects of commits with more than 72 characters:\n%s\n' "$long"
        status=1
    fi
fi
exit "$status"
