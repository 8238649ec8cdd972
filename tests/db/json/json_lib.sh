# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2034
#
# Compares oltp_json with a model that contains every document (json_model.lua, json_model.py). Sourced after servers.sh and
# mongodb_lib.sh:
#
#   options_of SERVER          sets the array $connect to the options that connect to sqlite, mysql, pgsql or mongodb
#   make_model EVENTS SIZE     computes the model after EVENTS events of one thread, with two tables of SIZE documents
#   check_model OPTION...      prepares $server, runs the same events, and compares every document with the model

options_of() {
    if [ "$1" = sqlite ]; then
        connect=(--db-driver=sqlite --sqlite-db=test.db --sqlite-synchronous=off)
    elif [ "$1" = mongodb ]; then
        mongodb_options
    else
        server_options "$1"
    fi
}

cat >dump.lua <<'LUA'
local driver = sysbench.sql.driver()
local con = driver:connect()
for n = 1, 2 do
   local text = driver:name() ~= "mongodb" and "SELECT id, doc FROM jsondoc%d" or '{"find": "jsondoc%d", "filter": {}}'
   local found = con:query(text:format(n))
   for _ = 1, found.nrows do
      local row = found:fetch_row()
      if not row[2] then row = {row[1]:match('"_id" : (%d+)'), row[1]} end
      io.write(n, "\t", row[1], "\t", row[2], "\n")
   end
end
LUA

make_model() {
    model_options=(--table_size="$2" --tables=2 --doc_size=600 --rand-seed=7 --threads=1)
    model_run=(--events="$1" --time=0)
    model_least=$((2 * $2 + 1))
    rm -f model.log
    run "$SYSRATE" "$TESTS_DIR/db/json/json_model.lua" --db-driver=null "${model_options[@]}" prepare
    run "$SYSRATE" "$TESTS_DIR/db/json/json_model.lua" --db-driver=null "${model_options[@]}" "${model_run[@]}" run
    check_equal "the model: $((2 * $2)) documents and $1 operations of nine kinds" "0 $((2 * $2 + $1)) 9" \
        "$status $(wc -l <model.log) $(cut -f 1 model.log | sort -u | wc -l)"
}

check_model() {
    run "$SYSRATE" oltp_json "${connect[@]}" "${model_options[@]}" prepare
    check_equal "$server: prepare as the model" 0 "$status"
    run "$SYSRATE" oltp_json "${connect[@]}" "${model_options[@]}" "${model_run[@]}" --report-sql --json=model.json "$@" run
    check_equal "$server: run as the model" 0 "$status"
    "$SYSRATE" "${connect[@]}" --verbosity=0 dump.lua >documents
    local size
    size=$(wc -l <documents)
    check_equal "$server: every document is as the model says" "$size documents in the model, $size agree, $size in the database" \
        "$(python3 "$TESTS_DIR/db/json/json_model.py" model.log <documents | tail -n 5 | cut -c 1-500)"
    check_between "$server: documents were inserted" "$model_least" "$size" $((3 * model_least))
    run "$SYSRATE" oltp_json "${connect[@]}" "${model_options[@]}" cleanup
    check_equal "$server: cleanup after the model" 0 "$status"
}
