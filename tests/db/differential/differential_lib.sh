# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # tables, few are for the tests; status, out and connect are set by lib.sh and servers.sh
#
# Runs sysbench 1.0.20 ("the peer") and sysrate with the same arguments and compares their outputs after normalisation. Sourced
# after servers.sh. Each tool has its own folder and its own database, so that both can run the same steps.
#
#   require_peer                        skips the test where sysbench 1.0.20 is not installed
#   create_databases mysql              creates the databases "peer" and "ours" on the server; `on mysql` selects the server
#   start_differential mysql            does all of this with one server; sets tables and few, options of the bundled workloads
#   both ARGUMENT...                    runs both tools
#   same NAME ARGUMENT...               runs both; exit code and output must be the same
#   same_lines NAME ARGUMENT...         as `same`, but the order of lines may differ
#   same_counts NAME                    in the last runs, figures that do not depend on time must be equal
#   exactly NAME ARGUMENT...            runs both, ours with --report=sysbench-1.0; only banner and figures may differ
#   same_statements NAME ARGUMENT...    runs both; the server must receive the same statements the same number of times. If
#                                       $used_only is set, Prepare is ignored: the peer also prepares unused statements
#                                       (listed: lazy-prepare)
#   differs ID NAME PEER OURS ARGUMENT...   checks a listed difference; PEER and OURS are "exit-code regular-expression"
#
# Normalisation: integers become N; each decimal becomes a D, so that 12.34 is N.DD; several spaces before a figure become one,
# and those after a bracket are removed; the names of the two databases become DB; equal consecutive lines, and equal consecutive
# pairs of lines, count once. Standard error is compared together with standard output. All other differences have an ID, in a
# rule below or in a call of `differs`. docs/migration.md explains each ID, which differential_help.sh checks.

# Lines that --report=sysbench-1.0 also prints differently.
GENERAL='s/^General statistics:$/Throughput:/; s/^    total time:          /    time elapsed:        /'

# Rules: Perl statements that are executed for each line of the output of one tool.

# shellcheck disable=SC2034  # used by name
declare -A PEER_RULES=(
    [banner]='s/^.*sysbench 1\.0\.20 \(using .*\)$/BANNER/'
    [throughput]="$GENERAL"
    [program-name]='s/\bsysbench (?=(\[options\]|\w+ help))/PROGRAM /'
)
# shellcheck disable=SC2034
declare -A OUR_RULES=(
    [banner]='s/^sysrate \S+ \(using .*\)$/BANNER/'
    [throughput]='$_ = "" if /^    events\/s \(eps\): /; '"$GENERAL"
    [program-name]='s/\bsysrate (?=(\[options\]|\w+ help))/PROGRAM /'
    [rate-report]='$gone = 1 if /^Requests:$/; $gone = 0 if /^\[/; $_ = "" if $gone || /^\[ .*\] (arrivals\/s asked|Little.s law): /'
    [censored]='s/: +>(?=\d)/: /'
    [interval-times]='s/^\[ \d+\K\.\d+(?=s \])//'
    [errors-by-code]='$errors = 1 if /^Errors by code:$/; $_ = "" if $errors'
    [outages]='$outages = 1 if /^Outages \(/; $outages = 0 if /^$/; $_ = "" if $outages'
    [no-op-writes]='$no_ops = 1 if /^Writes that changed nothing:$/; $_ = "" if $no_ops || /^WARNING: gaps in id: /'
    [script-name]='s/^\S+\/(\S+\.lua options:)$/$1/'
    [own-options]='$_ = "" if /^  --(create_table_options|force|prepare_method|reconnect)(=|\[)/'
)

FIGURES='s/\( +(?=[0-9])/(/g; s/ +(?=\(?[0-9.]+(?![0-9.]*[A-Za-z]))/ /g; s/(?<![A-Za-z_0-9])([0-9]+)(?:\.([0-9]+))?/"N" . ($2 ? "." . "D" x length $2 : "")/ge;'

require_peer() {
    unset LUA_PATH
    if ! sysbench --version 2>/dev/null | grep -q '^sysbench 1\.0\.20'; then
        check "no sysbench 1.0.20 here" true
        skip "all of it" "sysbench 1.0.20 is not installed"
        finish
    fi
    mkdir -p peer ours scripts
    if [ -d "$TESTS_DIR/db/scripts" ]; then
        cp "$TESTS_DIR"/db/scripts/*.lua scripts/
    fi
}

create_databases() {
    if [ "$1" = mysql ]; then
        mysql_sql "CREATE DATABASE peer; CREATE DATABASE ours; GRANT ALL ON peer.* TO sbtest@'%';
            GRANT ALL ON ours.* TO sbtest@'%'; SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = 1"
    else
        pgsql_sql "CREATE DATABASE peer OWNER sbtest" && pgsql_sql "CREATE DATABASE ours OWNER sbtest" &&
            pgsql_sql "ALTER ROLE sbtest SET log_statement = 'all'"
    fi
}

on() {
    server=$1
    server_options "$server"
}

start_differential() {
    require_peer
    start_servers "$1"
    on "$1"
    create_databases "$1"
    tables=(--tables=2 --table-size=300 --range-size=10)
    few=(--events=30 --time=0)
}

# Runs the peer and sets peer_status and peer_out (standard output and standard error in one text).
peer() {
    cd "$WORK_DIR/peer" || exit 1
    run bash -c '"$@" 2>&1' - sysbench ${server:+"${connect[@]}" "--$server-db=peer"} "$@"
    cd "$WORK_DIR" || exit 1
    peer_status=$status
    peer_out=$out
}

ours() {
    cd "$WORK_DIR/ours" || exit 1
    run bash -c '"$@" 2>&1' - "$SYSRATE" ${server:+"${connect[@]}" "--$server-db=ours"} ${layout:+"--report=$layout"} "$@"
    cd "$WORK_DIR" || exit 1
    our_status=$status
    our_out=$out
}

both() {
    peer "$@"
    ours "$@"
}

# Replaces equal consecutive lines by one line, and equal consecutive pairs of lines (intervals at a rate) by one pair.
once() {
    perl -0777 -pe 's/^(.*\n)\1+/$1/gm; s/^(\[.*\n\[.*\n)\1+/$1/gm'
}

# normal RULES: normalises standard input
normal() {
    local -n rules=$1
    perl -ne "$(printf '%s; ' "${rules[@]}") $FIGURES"' s/\b(peer|ours)\b/DB/g; print' | once | sed -e '${/^$/d}'
}

# compare NAME FILTER...: compares the filtered outputs of the last runs
compare() {
    local name=$1 theirs mine
    shift
    theirs=$(printf '%s\n' "$peer_out" | normal PEER_RULES | "$@")
    mine=$(printf '%s\n' "$our_out" | normal OUR_RULES | "$@")
    if [ "$peer_status $theirs" = "$our_status $mine" ]; then
        pass "$name"
    else
        fail "$name" "exit codes: $peer_status $our_status
$(diff <(printf '%s\n' "$theirs") <(printf '%s\n' "$mine"))"
    fi
}

same() {
    local name=$1
    shift
    both "$@"
    compare "$name" cat
}

# The peer writes a line and its newline separately, so that lines of two threads may be joined. Separates them.
single_lines() {
    sed -E 's/(Creating|Inserting)/\n\1/g' | sed '/^$/d' | sort
}

same_lines() {
    local name=$1
    shift
    both "$@"
    compare "$name" single_lines
}

# The peer counts writes that change no row as "other" (listed: empty-writes), so the two kinds are added up here.
counts() {
    printf '%s\n' "$1" | sed -nE 's/^ +(read|write|other|total|transactions|queries|ignored errors|total number of events): +([0-9]+).*/\1: \2/p' |
        awk '/^(write|other)/ { sum += $2; next } /^total: / { print "write and other: " sum } { print }'
}

same_counts() {
    if [ -z "$(counts "$peer_out")" ]; then
        fail "$1: counts" "none in: $peer_out"
    else
        check_equal "$1: counts" "$(counts "$peer_out")" "$(counts "$our_out")"
    fi
}

# letters: replaces the figures in standard input by letters of the same length and changes nothing else. Right-aligned figures
# are replaced with the blanks before them, left-aligned figures with the blanks after them. Equal consecutive lines count once,
# because the line for the last second of a run is printed only by chance.
letters() {
    sed 1d | perl -pe 's/^( {9}[^:]*:)( +[0-9.]+)$/$1 . "R" x length $2/e; s/(events per second:)( +[0-9.]+)/$1 . "R" x min9($2)/e;
        s/\(( *[0-9.]+)(?= per second)/"(" . "R" x min9($1)/e; s/(?<=: )( *)([0-9]+ *)(?= \()/$1 . "L" x min6($2)/e;
        s/(?<![A-Za-z_0-9])([0-9]+)(?:\.([0-9]+))?/"N" . ($2 ? "." . "D" x length $2 : "")/ge;
        sub min6 { length $_[0] > 6 ? 6 : length $_[0] } sub min9 { length $_[0] > 9 ? 9 : length $_[0] }' | once
}

# exactly NAME ARGUMENT...: runs both; exit code and output must be the same except for the banner, the figures, and warnings
# that the peer does not have (listed: rate-report; listed: no-op-writes)
exactly() {
    local name="$1, to the letter" theirs mine
    shift
    peer "$@"
    ours "$@" --report=sysbench-1.0
    theirs=$(printf '%s\n' "$peer_out" | letters)
    mine=$(printf '%s\n' "$our_out" | grep -vE '^WARNING: (verdict |gaps in id: |requests without an end |.* changed nothing: )' | letters)
    if [ "$peer_status $theirs" = "$our_status $mine" ]; then
        pass "$name"
    else
        fail "$name" "exit codes: $peer_status $our_status
$(diff <(printf '%s\n' "$theirs") <(printf '%s\n' "$mine"))"
    fi
}

# differs ID NAME "EXIT-CODE REGEX" "EXIT-CODE REGEX" ARGUMENT...
differs() {
    local name="$2 (listed: $1)" theirs=$3 mine=$4
    shift 4
    both "$@"
    check_equal "$name: exit code of the peer" "${theirs%% *}" "$peer_status"
    check_match "$name: what the peer says" "${theirs#* }" "$peer_out"
    check_equal "$name: our exit code" "${mine%% *}" "$our_status"
    check_match "$name: what we say" "${mine#* }" "$our_out"
}

# ---------------------------------------------------------------------------------------------------------------------------
# Statements that the server receives
# ---------------------------------------------------------------------------------------------------------------------------

start_log() {
    if [ "$server" = mysql ]; then
        mysql_sql "TRUNCATE mysql.general_log"
    else
        log_start=$(($(wc -c <"$SERVERS_DIR/pgsql.log") + 1))
    fi
}

mysql_log() {
    mysql_sql "SELECT command_type, argument FROM mysql.general_log
        WHERE user_host LIKE 'sbtest%' AND command_type IN ('Query', 'Execute'${used_only:-, 'Prepare'})"
}

# Removes names of prepared statements, parameters, and DEALLOCATE, which the peer does not send (listed: deallocate).
pgsql_log() {
    tail -c "+$log_start" "$SERVERS_DIR/pgsql.log" |
        perl -0777 -pe 's/\n\t/ /g' |
        sed -nE -e '/DETAIL: |DEALLOCATE/d' -e 's/.*LOG:  (execute) [^:]*: /\1 /p' -e 's/.*LOG:  (statement): /\1 /p'
}

# Prints each statement with the number of times it was received. Literals and white space are normalised; numbers of tables are
# removed, because tables are chosen at random. Statements that load rows (listed: load) and those that only sysrate sends to check
# tables before a run (listed: check-tables) are ignored.
logged() {
    "${server}_log" |
        perl -ne 'next if /LOAD DATA|COPY sbtest|INSERT INTO sbtest\d+\(|SELECT \@\@|SELECT setval|\/\* check-tables \*\//;
            s/\x27(?:[^\x27]|\x27\x27)*\x27/S/g; s/(?<![A-Za-z_])\d+/N/g; s/(\s|\\n)+/ /g; s/ $//;
            s/ sbtest\K\d+// unless /^Prepare|CREATE|DROP/; print "$_\n"' | LC_ALL=C sort | uniq -c
}

same_statements() {
    local name=$1 theirs mine
    shift
    start_log
    peer "$@"
    theirs=$(logged)
    start_log
    ours "$@"
    mine=$(logged)
    if [ -n "$theirs" ] && [ "$theirs" = "$mine" ]; then
        pass "$name: statements"
    else
        fail "$name: statements" "$(diff <(printf '%s\n' "$theirs") <(printf '%s\n' "$mine"))"
    fi
}

# ---------------------------------------------------------------------------------------------------------------------------
# Contents of the databases
# ---------------------------------------------------------------------------------------------------------------------------

mysql_schema() {
    local table
    for table in $(mysql_sql "SHOW TABLES" "$1"); do
        # The next automatic id depends on how the rows were loaded.
        mysql_sql "SHOW CREATE TABLE $table" "$1" | sed 's/ AUTO_INCREMENT=[0-9]*//'
        mysql_sql "SELECT COUNT(*), MIN(id), MAX(id) FROM $table" "$1"
    done
}

pgsql_schema() {
    local table
    pgsql_sql "SELECT table_name, column_name, data_type, column_default, is_nullable, character_maximum_length
        FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position" "$1"
    pgsql_sql "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname" "$1"
    for table in $(pgsql_sql "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1" "$1"); do
        pgsql_sql "SELECT COUNT(*), MIN(id), MAX(id) FROM $table" "$1"
    done
    pgsql_sql "SELECT sequencename, last_value FROM pg_sequences ORDER BY 1" "$1"
}

# same_schema NAME: compares definitions, numbers of rows, smallest and largest ids, and next automatic ids
same_schema() {
    local theirs
    theirs=$("${server}_schema" peer)
    if [ -z "$theirs" ]; then
        fail "$1: schema" "the peer's database is empty"
    else
        check_equal "$1: schema" "$theirs" "$("${server}_schema" ours)"
    fi
}

same_empty() {
    check_equal "$1: nothing left" " " "$("${server}_schema" peer) $("${server}_schema" ours)"
}

drop_tables() {
    local db table
    for db in peer ours; do
        if [ "$server" = mysql ]; then
            mysql_sql "DROP DATABASE $db; CREATE DATABASE $db"
        else
            pgsql_sql "DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION sbtest" "$db" 2>/dev/null
        fi
    done
}
