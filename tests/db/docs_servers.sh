# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Executes the examples of the documentation that need MariaDB, MySQL, PostgreSQL or MongoDB, on private servers
# (cli/docs/docs_lib.sh).

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"
. "$TESTS_DIR/db/servers.sh"
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh"
. "$TESTS_DIR/cli/docs/docs_lib.sh"

# shellcheck disable=SC2034  # for docs_lib.sh
without_servers=no
connect_options() {
    if [ "$1" != mongodb ]; then
        server_options "$1"
    elif [ -n "$mongodb_pid" ]; then
        mongodb_options
    else
        return 1
    fi
}

start_servers
if ! has_mongodb_driver || ! fetch_java_mongodb; then
    skip "examples with MongoDB" "${why_not:-built without the driver}"
else
    start_java_mongodb
fi

document=
for path in "$SRCDIR"/README.md "$SRCDIR"/docs/*.md; do
    grep -Eq '^(\$ )?sysrate .*--db-driver=(mysql|pgsql|mongodb)' "$path" || continue
    document=${path#"$SRCDIR"/}
    mkdir -p "$WORK_DIR/$document"
    cd "$WORK_DIR/$document" || exit 1
    read_document "$path"
done
check "some examples need a server" test -n "$document"

finish
