#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints the version, which configure.ac defines. Fails if the documentation or a package mentions another version.
set -eu

cd "$(dirname "$0")/.."
version=$(sed -n 's/^AC_INIT(\[sysrate\], \[\(.*\)\])$/\1/p' configure.ac)
failed=0

# same FILE VERSION: reports FILE if its version is not that of configure.ac.
same() {
    if [ "$2" != "$version" ]; then
        echo "$1: version '$2'; configure.ac has '$version'" >&2
        failed=1
    fi
}

same debian/changelog "$(sed -n '1s/^sysrate (\([^)-]*\)-[0-9]*).*/\1/p' debian/changelog)"
same CHANGELOG.md "$(sed -n 's/^## \([0-9][^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)"
same rpm/sysrate.spec "$(sed -n 's/^Version: *//p' rpm/sysrate.spec)"
# shellcheck disable=SC2016  # Markdown's
same docs/lua-api.md "$(sed -n 's/.*`"sysrate \([^"]*\)"`.*/\1/p' docs/lua-api.md | head -n 1)"

echo "$version"
[ -n "$version" ] && [ "$failed" -eq 0 ]
