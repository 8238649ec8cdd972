# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
#
# For tests of --wait-events on real servers: sourced after tests/db/servers.sh, when the servers run.

# Creates a table of 100 accounts on both servers, and gives the user of the runs the privileges that samples need.
create_accounts() {
    local create="CREATE TABLE accounts (id INT PRIMARY KEY, balance INT NOT NULL); INSERT INTO accounts SELECT"
    mysql_sql "$create seq, 0 FROM $(numbers 100)" sbtest
    mysql_sql "GRANT $sampling_privilege TO sbtest@localhost" 2>/dev/null || mysql_sql "GRANT $sampling_privilege TO sbtest"
    mysql_sql "INSTALL SONAME 'metadata_lock_info'" 2>/dev/null
    pgsql_sql "$create generate_series(1, 100), 0; GRANT ALL ON accounts TO sbtest; GRANT pg_read_all_stats TO sbtest" sbtest
}

# hold SERVER FIRST LAST SECONDS [TIMES]: sets $hold to the options with which a run starts a session 0.5 s after its start. The session
# executes FIRST, waits SECONDS and executes LAST, three times, each after a pause of 1.5 s. The run starts the session itself, so that
# the session is not too early on a busy machine.
hold() {
    local client=("${mysql_client[@]}" --socket="$mysql_socket" --user=root sbtest)
    if [ "$1" = pgsql ]; then
        client=(psql --no-psqlrc --host="$SERVERS_DIR" --port="${server_port[pgsql]}" --username=postgres --quiet --dbname=sbtest)
    fi
    {
        echo "for i in $(seq -s ' ' "${5:-3}"); do"
        printf 'echo %q; sleep %s; echo %q; sleep 1.5\n' "$2" "$4" "$3"
        echo 'done |'
        printf '%q ' "${client[@]}"
    } >hold.sh
    hold=(--inject='0.5s: sh: bash hold.sh >/dev/null')
}

# The columns of the table of waits. Each must add up to 100 % of the response time.
columns_add_up() {
    check_equal "$1: columns add up to 100 %" true "$(json_figure '.wait_events as $w | [$w.requests | to_entries[] |
        select(.value.divided) | .key as $c | .value.client_late_percent + .value.waiting_percent +
        ([$w.events[][$c].percent] | add) | . > 99.9 and . < 100.1] | all')"
}

# share EVENT COLUMN: prints the share of an event in the time that the server needed, in percent; null if there is no such event. A busy
# machine makes only the time of the client longer: the time before the service, and the time in which the server waits for the client.
share() {
    json_figure "[.wait_events.events[] | select(.event | IN(\"waiting for the client\", \"client did not run\", \"not connected\") |
        not)] as \$server | if (\$server | length) == 0 or \$server[0].$2 == null then null else
        ([.wait_events.locks, \$server[] | select(.event == \"$1\") | .$2.percent] | .[0]) /
        ([\$server[].$2.percent] | add) * 100 end"
}

# at_least NAME LEAST VALUE: prints the report if the check fails.
at_least() {
    if awk "BEGIN { exit !(\"$3\" != \"null\" && $3 >= $2) }"; then
        pass "$1 ($3)"
    else
        fail "$1 ($3)" "$(printf '%s\n' "$out" "$err" | sed -n '/^Requests:/,$p')"
    fi
}
