# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154  # SIZE, TABLES and DB are the test's, out is lib.sh's
#
# What tests of the bundled workloads ask of the program and of the SQLite database $DB with $TABLES tables of $SIZE rows. Sourced
# after lib.sh.

# workload DRIVER SCRIPT COMMAND [OPTION...]: runs the script. Later options take precedence.
workload() {
    local driver=$1 script=$2 command=$3
    shift 3
    if [ "$script" != bulk_insert ]; then
        set -- --tables="$TABLES" --table_size="$SIZE" "$@"
    fi
    run "$SYSRATE" "$script" --db-driver="$driver" --sqlite-db="$DB" --rand-seed=7 "$@" "$command"
}

sql() {
    sqlite3 -cmd '.timeout 10000' "$DB" "$1"
}

new_database() {
    rm -f "$DB" "$DB-wal" "$DB-shm"
}

# Prints the count, smallest and largest id, and number of different ids of table N.
ids() {
    sql "SELECT COUNT(*) || ' ' || MIN(id) || ' ' || MAX(id) || ' ' || COUNT(DISTINCT id)
         FROM sbtest$1"
}

indexes() {
    sql "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master
         WHERE type = 'index' AND sql IS NOT NULL ORDER BY name)"
}

check_ids_dense() {
    local name=$1 n
    for n in $(seq "$TABLES"); do
        check_equal "$name: sbtest$n holds the ids 1 to $SIZE" "$SIZE 1 $SIZE $SIZE" "$(ids "$n")"
    done
}

check_integrity() {
    check_equal "$1: the database is intact" ok "$(sql 'PRAGMA integrity_check')"
}

# Checks the form of values: groups of 11 digits in c and pad, and k within the table.
check_values() {
    local group c pad
    group=$(printf '[0-9]%.0s' {1..11})
    c=$group$(printf -- "-$group%.0s" {1..9})
    pad=$group$(printf -- "-$group%.0s" {1..4})
    check_equal "$1: c, pad and k are well formed" 0 \
        "$(sql "SELECT COUNT(*) FROM sbtest2
                WHERE c NOT GLOB '$c' OR pad NOT GLOB '$pad' OR k NOT BETWEEN 1 AND $SIZE")"
    check_between "$1: c is random" "$((SIZE - 1))" \
        "$(sql 'SELECT COUNT(DISTINCT c) FROM sbtest2')" "$SIZE"
}

lines() {
    printf '%s\n' "$out" | grep -Fxc -- "$1"
}
