#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Runs oltp_json for a minute at 200 per second on SQLite, MySQL or MariaDB, PostgreSQL and mongo-java-server: the same operations
# must match the same number of documents, and the documents must be those of the model. One of the long tests.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1
. "$TESTS_DIR/db/json/json_lib.sh" || exit 1
export RUN_TIMEOUT=150

start_servers
make_model 12000 2000
servers=(sqlite mysql pgsql)
if has_mongodb_driver && fetch_mongodb; then
    start_mongodb
    servers+=(mongodb)
else
    skip "a minute on MongoDB" "${why_not:-built without the driver}"
fi
for server in "${servers[@]}"; do
    options_of "$server"
    check_model --tx-rate=200
    check_equal "$server: all requests" "12000 12000" "$(jq -r '.summary.requests | "\(.offered) \(.completed)"' model.json)"
    seen=$(jq -r '[.summary.statements[] | select(.class != "thread_init") | "\(.class) \(.count) \(.rows_matched)"] |
        sort | join(", ")' model.json)
    : "${first:=$seen}"
    check_equal "$server: operations and what they matched, as on the first" "$first" "$seen"
done
finish
