#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tests for mongo-java-server on FerretDB. FerretDB scans the whole collection for each operation on a numeric id, so that
# this takes minutes. One of the long tests.
. "$TESTS_DIR/cli/lib.sh" || exit 1
export MONGODB_SERVER=ferretdb RUN_TIMEOUT=300
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "the MongoDB driver on FerretDB"
if ! fetch_mongodb; then
    skip "the MongoDB driver on FerretDB" "$why_not"
    exit 0
fi
for test in mongodb/mongodb json/json; do
    JSON_SERVERS='' bash "$TESTS_DIR/db/$test.sh" >"$(basename "$test").log" 2>&1
    check_equal "$test.sh on FerretDB: exit code" 0 $?
    check_no_match "$test.sh on FerretDB: nothing fails" '^(not ok|skip) - ' "$(cat "$(basename "$test").log")"
    check_match "$test.sh on FerretDB: it has checked something" '^ok - ' "$(cat "$(basename "$test").log")"
done
finish
