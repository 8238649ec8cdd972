# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# tpcc on SQLite: the population, the effects of the transactions, each consistency condition on data that violates it,
# the distributions of inputs, and rejected options.

. "${TESTS_DIR:-$(dirname "$0")/..}/cli/lib.sh"

tpcc() {
    run "$SYSRATE" tpcc --db-driver=sqlite --sqlite-db=test.db --sqlite-synchronous=off --rand-seed=11 "$@"
}

sql() {
    sqlite3 -cmd '.timeout 10000' test.db "$1"
}

new_database() {
    rm -f test.db*
    tpcc --shrink=100 "$@" prepare
    check_equal "prepare $*: exit code" 0 "$status"
}

# holds NAME: checks all twelve conditions.
holds() {
    tpcc --threads=2 check
    check_equal "$1: the data is consistent" "0 12" "$status $(grep -c '^condition [0-9]* holds' <<<"$out")"
}

check_population() {
    new_database --warehouses=3 --threads=2
    holds "after prepare"
    local counts=() name
    for name in item warehouse district customer history orders new_order stock; do
        counts+=("$(sql "SELECT COUNT(*) FROM tpcc_$name")")
    done
    check_equal "rows, divided by 100" "1000 3 30 900 900 900 270 3000" "${counts[*]}"
    # 900 orders with 5 to 15 lines, variance 10: 4.5 standard deviations are 427.
    check_between "order lines" 8573 "$(sql 'SELECT COUNT(*) FROM tpcc_order_line')" 9427
    check_equal "items with ORIGINAL" 100 "$(sql "SELECT COUNT(*) FROM tpcc_item WHERE i_data LIKE '%ORIGINAL%'")"
    check_equal "stock with ORIGINAL" 300 "$(sql "SELECT COUNT(*) FROM tpcc_stock WHERE s_data LIKE '%ORIGINAL%'")"
    check_equal "bad credit" 90 "$(sql "SELECT COUNT(*) FROM tpcc_customer WHERE c_credit = 'BC'")"
    check_equal "values outside the ranges of 4.3.3.1" 0 "$(sql "
        SELECT (SELECT COUNT(*) FROM tpcc_customer WHERE length(c_data) NOT BETWEEN 300 AND 500 OR length(c_phone) <> 16
                    OR c_zip NOT GLOB '[0-9][0-9][0-9][0-9]11111' OR c_discount NOT BETWEEN 0 AND 0.5)
             + (SELECT COUNT(*) FROM tpcc_item WHERE i_price NOT BETWEEN 1 AND 100 OR length(i_data) NOT BETWEEN 26 AND 50)
             + (SELECT COUNT(*) FROM tpcc_stock WHERE s_quantity NOT BETWEEN 10 AND 100 OR length(s_dist_07) <> 24)
             + (SELECT COUNT(*) FROM tpcc_orders WHERE o_ol_cnt NOT BETWEEN 5 AND 15 OR (o_carrier_id IS NULL) <> (o_id > 21))")"
    check_equal "all customers of a district have one order" 30 \
        "$(sql 'SELECT COUNT(DISTINCT o_c_id) FROM tpcc_orders WHERE o_w_id = 2 AND o_d_id = 5')"
    check_equal "C of the load is kept" 1 "$(sql "SELECT CAST(value AS INTEGER) BETWEEN 0 AND 255 FROM tpcc_info WHERE name = 'c_load'")"
    tpcc --shrink=100 --warehouses=3 prepare
    check_match "prepare again: nothing to do" 'All 3 warehouses are loaded' "$out"
    tpcc --shrink=100 --warehouses=4 prepare
    check_equal "prepare with more files: only the missing ones are written" "Loading warehouse 4..." "$(grep Loading <<<"$out")"
    holds "a warehouse more"
    tpcc --shrink=50 --warehouses=5 prepare
    check_equal "prepare --shrink=50 on --shrink=100: exit code" 1 "$status"
    check_match "prepare --shrink=50 on --shrink=100: refused" 'loaded with --shrink=100: run cleanup first' "$err"
}

# prepare creates the same rows with any number of threads, and restores each part that an interrupted prepare lacks.
check_pieces() {
    local whole
    new_database --warehouses=2 --threads=3
    whole=$(sql "SELECT * FROM tpcc_stock; SELECT c_first, c_data FROM tpcc_customer; SELECT o_c_id FROM tpcc_orders;
        SELECT ol_i_id, ol_dist_info FROM tpcc_order_line; SELECT w_name FROM tpcc_warehouse; SELECT i_data FROM tpcc_item" | md5sum)
    new_database --warehouses=2 --threads=1
    sql "DELETE FROM tpcc_info WHERE name IN ('items', 'stock 2', 'orders 1', 'ready'); DELETE FROM tpcc_item;
        DELETE FROM tpcc_stock WHERE s_w_id = 2; DELETE FROM tpcc_orders WHERE o_w_id = 1;
        DELETE FROM tpcc_order_line WHERE ol_w_id = 1; DELETE FROM tpcc_new_order WHERE no_w_id = 1"
    tpcc --events=1 run
    check_match "run on a half of it: refused" '0 warehouses are loaded, and --warehouses=0: run prepare' "$err"
    tpcc --shrink=100 --warehouses=2 --threads=2 prepare
    check_equal "the same rows, in pieces" "$whole" "$(sql "SELECT * FROM tpcc_stock; SELECT c_first, c_data FROM tpcc_customer;
        SELECT o_c_id FROM tpcc_orders; SELECT ol_i_id, ol_dist_info FROM tpcc_order_line; SELECT w_name FROM tpcc_warehouse;
        SELECT i_data FROM tpcc_item" | md5sum)"
    holds "in pieces"
}

declare -A ONLY=([new_order]=1,0,0,0,0 [payment]=0,1,0,0,0 [order_status]=0,0,1,0,0 [delivery]=0,0,0,1,0
    [stock_level]=0,0,0,0,1)

# only TYPE EVENTS: runs transactions of this type only, in one thread.
only() {
    tpcc --mix="${ONLY[$1]}" --events="$2" --time=0 --drain=60 --report-sql --json=report.json "${@:3}" run
    check_equal "$1: exit code" 0 "$status"
}

statements() {
    jq -r --arg name "$1" '[.summary.statements[] | select(.class == $name) | .count] | add // 0' report.json
}

check_transactions() {
    new_database --warehouses=2
    only delivery 1
    check_equal "delivery: ten orders" "10 10" \
        "$(sql 'SELECT SUM(c_delivery_cnt) FROM tpcc_customer') $(statements credit_customer)"
    only delivery 24
    check_equal "delivery: no more than there were" "180 0" \
        "$(sql 'SELECT SUM(c_delivery_cnt) FROM tpcc_customer') $(sql 'SELECT COUNT(*) FROM tpcc_new_order')"
    only new_order 400
    local rolled_back
    rolled_back=$(statements rollback)
    check_equal "new_order: orders and rollbacks" "$((600 + 400 - rolled_back)) $((400 - rolled_back))" \
        "$(sql 'SELECT COUNT(*) FROM tpcc_orders') $(sql 'SELECT COUNT(*) FROM tpcc_new_order')"
    check_equal "new_order: every line takes from stock" "$(sql 'SELECT SUM(ol_quantity) FROM tpcc_order_line WHERE ol_o_id > 30')" \
        "$(sql 'SELECT SUM(s_ytd) FROM tpcc_stock')"
    check_equal "new_order: OL_AMOUNT is quantity by price" 0 "$(sql "SELECT COUNT(*) FROM tpcc_order_line, tpcc_item
        WHERE i_id = ol_i_id AND ol_o_id > 30 AND round(ol_amount * 100) <> round(ol_quantity * i_price * 100)")"
    check_equal "new_order: remote lines" "$(sql 'SELECT COUNT(*) FROM tpcc_order_line WHERE ol_supply_w_id <> ol_w_id')" \
        "$(sql 'SELECT SUM(s_remote_cnt) FROM tpcc_stock')"
    check_equal "new_order: O_ALL_LOCAL" 0 "$(sql "SELECT COUNT(*) FROM tpcc_orders WHERE o_all_local =
        (SELECT MAX(ol_supply_w_id <> ol_w_id) FROM tpcc_order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)")"
    check_equal "new_order: OL_DIST_INFO is the district's" 0 "$(sql "SELECT COUNT(*) FROM tpcc_order_line, tpcc_stock
        WHERE ol_o_id > 30 AND s_i_id = ol_i_id AND s_w_id = ol_supply_w_id AND ol_d_id = 3 AND ol_dist_info <> s_dist_03")"
    only payment 400
    check_equal "payment: history and counts" "1000 1000" \
        "$(sql 'SELECT COUNT(*) FROM tpcc_history') $(sql 'SELECT SUM(c_payment_cnt) FROM tpcc_customer')"
    # 60 of 100 are expected: 240 with a standard deviation of 9.8; 4.5 of these are 44.
    check_between "payment: by last name" 196 "$(statements customers_by_name)" 284
    check_between "payment: some by customers with bad credit" 1 "$(statements pay_bad_customer)" 399
    check_equal "payment: C_DATA of bad credit, 500 letters at most" 0 "$(sql "SELECT COUNT(*) FROM tpcc_customer
        WHERE length(c_data) > 500 OR (c_credit = 'BC' AND c_payment_cnt > 1) <> (c_data LIKE '% | %')")"
    only order_status 100
    check_equal "order_status: reads" "100 100 100" "$(statements customer_status) $(statements last_order) $(statements order_lines)"
    only stock_level 100
    check_equal "stock_level: reads" "100 100" "$(statements next_order) $(statements low_stock)"
    holds "after all of them"
}

# breaks N STATEMENT [OTHERS]: after the statement condition N must be reported, and none except OTHERS. Then restores
# the data.
breaks() {
    cp test.db kept.db
    sql "$2"
    tpcc check
    check_equal "condition $1 is broken: exit code" 1 "$status"
    check_equal "condition $1 is broken: and named" "$(printf '%s\n' "$1" ${3:-} | sort -n | xargs)" \
        "$(sed -n 's/^condition \([0-9]*\) does NOT hold.*/\1/p' <<<"$out" | sort -n | xargs)"
    check_match "condition $1 is broken: it is in the message" "not consistent: condition .*\\b$1\\b" "$err"
    mv kept.db test.db
}

check_conditions() {
    new_database --warehouses=2
    tpcc --events=300 --time=0 run
    sql 'PRAGMA journal_mode = DELETE' >/dev/null
    breaks 1 'UPDATE tpcc_warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2' 8
    check_match "the row that contradicts is shown" '^   w_id=2 w_ytd=[0-9.]+ d_ytd=[0-9.]+$' "$out"
    breaks 2 'UPDATE tpcc_district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 4'
    breaks 3 'DELETE FROM tpcc_new_order WHERE no_w_id = 2 AND no_d_id = 1 AND no_o_id = 29' '5 11'
    breaks 4 'DELETE FROM tpcc_order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 3 AND ol_number = 2' 6
    breaks 5 'UPDATE tpcc_orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 5' 7
    breaks 6 'UPDATE tpcc_orders SET o_ol_cnt = o_ol_cnt + CASE o_id WHEN 1 THEN 1 ELSE -1 END
        WHERE o_w_id = 1 AND o_d_id = 3 AND o_id IN (1, 2)'
    breaks 7 'UPDATE tpcc_order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 3 AND ol_number = 1'
    breaks 8 'UPDATE tpcc_history SET h_w_id = 3 - h_w_id
        WHERE rowid = (SELECT MIN(rowid) FROM tpcc_history WHERE h_w_id = 1)' 9
    breaks 9 'UPDATE tpcc_district SET d_ytd = d_ytd + CASE d_id WHEN 1 THEN 1 ELSE -1 END WHERE d_w_id = 2 AND d_id IN (1, 2)'
    breaks 10 'UPDATE tpcc_customer SET c_balance = c_balance + 1, c_ytd_payment = c_ytd_payment - 1
        WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1'
    breaks 11 'UPDATE tpcc_customer SET c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = 1 AND c_d_id = 7 AND c_id = 3'
    breaks 12 'UPDATE tpcc_customer SET c_ytd_payment = c_ytd_payment + 0.01 WHERE c_w_id = 2 AND c_d_id = 1 AND c_id = 9'
    holds "the data that was kept"
}

check_draws() {
    run "$SYSRATE" "$TESTS_DIR/cli/scripts/tpcc_draws.lua" --rand-seed=3
    check_equal "drawn values: exit code" 0 "$status"
    check_equal "drawn values: checks" 19 "$(grep -c '^ok' <<<"$out")"
    check_no_match "drawn values: no errors" '^wrong' "$both"
}

# refused WORDS OPTION...
refused() {
    run "$SYSRATE" tpcc --db-driver=sqlite "${@:2}" run
    check_equal "${*:2}: exit code" 1 "$status"
    check_match "${*:2}: the allowed values are printed" "$1" "$err"
}

check_refusals() {
    refused 'deck, or five weights' --mix=45,43
    refused 'deck, or five weights' --mix=0,0,0,0,0
    refused 'deck, or five weights' --mix=45,43,4,4,x
    refused 'deck, or five weights' --mix=45,43,4,4,-4
    refused 'a whole number from 0 to 100000' --warehouses=-1
    refused '1, 2, 5, 10, 20, 50, 100' --shrink=3
    refused 'default, read-committed' --isolation=dirty
    refused 'SQLite has no other' --isolation=read-committed
    refused 'SQLite has no partitions' --partitions=4
    refused 'off, before, after, both' --check=always
    refused 'auto, insert, load' --prepare_method=fast
    rm -f sysrate.db*
    run "$SYSRATE" tpcc --db-driver=sqlite run
    check_match "run without tables: message with advice" 'table tpcc_info does not exist' "$err"
}

# audit VARIANT: runs tpcc without one of its rules. Sets `findings` to the names of all findings of the audit, and
# `failed` to those of the failed audits.
audit() {
    new_database --warehouses=2
    VARIANT=$1 run "$SYSRATE" "$TESTS_DIR/cli/scripts/tpcc_variant.lua" --db-driver=sqlite --sqlite-db=test.db \
        --sqlite-synchronous=off --rand-seed=23 --events=4000 --time=0 --strict --report=full --json=report.json run
    failed=$(jq -r '[.summary.remarks.audits[] | select(.state == "fails") | .name] | join(",")' report.json)
    findings=$(jq -r '[.summary.audit.verdict.findings[].name] | join(",")' report.json)
}

# 4000 transactions: 1800 New-Orders with 18 000 lines.
check_audit() {
    audit none
    check_equal "audit: nothing fails, exit code without AUDIT-FAILED" "" "$failed"
    check_no_match "audit: not in the verdict" 'AUDIT-FAILED' "$findings"
    check_equal "audit: New-Orders/min by the name that it must have" "$(jq '.summary | .event_types[0].completed * 60 / .elapsed_s | floor' report.json)" \
        "$(jq '.summary.remarks.figures["New-Orders/min (TPC-C derived, closed loop)"] | floor' report.json)"
    check_no_match "audit: never tpmC" 'tpmC' "$out"
    check_match "audit: deviations" '^    - closed loop without keying and think times' "$out"
    check_match "audit: deviations" '^    - items, customers and orders divided by 100' "$out"
    check_equal "audit: fourteen" 14 "$(jq '.summary.remarks.audits | length' report.json)"
    local variant
    for variant in "uniform NURand" "local_lines remote lines" "home_stock remote lines" "no_rollback rollbacks" \
        "early_rollback lines done" "home_customers remote payments" \
        "by_number payments by name" "ten_lines lines" "constant legal C"; do
        audit "${variant%% *}"
        check_equal "audit, ${variant%% *}: failed audits" "${variant#* }" "$failed"
        check_match "audit, ${variant%% *}: in the verdict" 'AUDIT-FAILED' "$findings"
        check_equal "audit, ${variant%% *}: exit code with --strict" 4 "$status"
        check_match "audit, ${variant%% *}: in text" 'FAILS$' "$out"
    done
    tpcc --mix=52,36,4,4,4 --events=4000 --time=0 --json=report.json run
    check_equal "audit, another mix: failed audits" payment \
        "$(jq -r '[.summary.remarks.audits[] | select(.state == "fails") | .name] | join(",")' report.json)"
    tpcc --tx-rate=200 --time=1 --drain=60 --percentile=90 --json=report.json run
    check_equal "at a rate: p90 of each type next to its limit" "$(jq -c '[.summary | (.event_types[0], .deferred[0]).response_ms.percentiles.p90.value]' report.json)" \
        "$(jq -c '[.summary.remarks.figures["New-Order, p90 in ms (5000 at most)", "Delivery, executed, p90 in ms (80000 at most)"]]' report.json)"
    check_equal "at a rate: rollbacks are counted" true "$(jq '.summary.remarks | (.figures["New-Orders rolled back"] | round) ==
        (.audits[] | select(.name == "rollbacks") | .mean * .count | round)' report.json)"
    check_match "audit at a rate: the name" '^New-Orders/min \(TPC-C derived, open loop\): [0-9.]+$' "$out"
}

check_ends() {
    new_database --warehouses=1 --foreign_keys
    tpcc --mix=0,0,0,1,0 --events=20 --time=0 --drain=60 --json=report.json run
    check_equal "deliveries are deferred: queued and completed, apart from the events" '[20,20,20]' \
        "$(jq -c '[.summary.event_types[3].completed, .summary.deferred[0].queued, .summary.deferred[0].completed]' report.json)"
    check_equal "deliveries are deferred: their statements are theirs" '[0,true]' \
        "$(jq -c '[.summary.event_types[3].counters.writes, .summary.deferred[0].counters.writes > 0]' report.json)"
    check_no_match "deliveries are deferred: no deviation" '2\.7\.2' "$out"
    tpcc --mix=0,0,0,1,0 --events=2 --time=0 --deferred-threads=0 run
    check_match "--deferred-threads=0: that deviates" '^    - Delivery is executed at once' "$out"
    tpcc --mix=deck --threads=4 --foreign_keys --time=0.5 run
    check_equal "foreign keys, decks of cards: exit code" 0 "$status"
    tpcc --warehouses=2 --time=0.1 run
    check_match "more warehouses than there are: refused" '1 warehouses are loaded, and --warehouses=2' "$err"
    holds "foreign keys"
    check_equal "foreign keys: nothing dangles" "" "$(sql 'PRAGMA foreign_key_check')"
    tpcc --check=both --events=20 --time=0 --csv=run.csv --html=run.html --report-interval=1 run
    check_equal "--check=both: all conditions, twice" "0 24" "$status $(grep -c '^condition [0-9]* holds' <<<"$out")"
    check_match "CSV has the types" 'type_0_completed_per_s,.*type_4_response_ms_p95' "$(head -n 1 run.csv)"
    check_match "the page has remarks" 'Stock-Level in the mix' "$(cat run.html)"
    sql "UPDATE tpcc_warehouse SET w_ytd = w_ytd + 1"
    tpcc --check=after --events=20 --time=0 run
    check_match "--check=after on wrong data: message" 'not consistent: condition 1, 8 ' "$err"
    check_equal "--check=after on wrong data: exit code" 1 "$status"
    tpcc --check=before --events=20 --time=0 run
    check_no_match "--check=before on wrong data: no run" 'Threads started' "$out"
    tpcc --threads=2 warmup
    check_equal "warmup: exit code" 0 "$status"
    tpcc cleanup
    check_equal "cleanup: nothing is left" "0 0" "$status $(sql "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'tpcc%'")"
    run "$SYSRATE" tpcc --db-driver=null --events=2000 --time=0 run
    check_equal "null driver: exit code" 0 "$status"
}

check_population
check_pieces
check_transactions
check_conditions
check_draws
check_refusals
check_audit
check_ends
finish
