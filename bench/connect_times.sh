#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the times to connect that sysrate reports with those of bare C loops (bare_connect_*.c), with TLS and without, on private
# servers. usage: bench/connect_times.sh [ROUNDS [CONNECTS]]; SYSRATE is the program. The two take turns in each round; a row of the
# table has the medians over the rounds of the median of a round, and the median over the rounds of the quotient.
rounds=${1:-11}
connects=${2:-400}
TESTS_DIR=$(cd "$(dirname "$0")/../tests" && pwd)
. "$TESTS_DIR/cli/lib.sh" || exit 1
openssl req -new -newkey rsa:2048 -nodes -x509 -days 2 -subj /CN=localhost -keyout key -out crt 2>/dev/null
for owner in mysql postgres; do
    install -m 600 key "$owner.key"
    if [ "$(id -u)" -eq 0 ]; then
        chown "$owner" "$owner.key"
    fi
done
chmod 644 crt
# shellcheck disable=SC2034  # read by servers.sh
MYSQL_SETTINGS="--ssl-cert=$WORK_DIR/crt --ssl-key=$WORK_DIR/mysql.key"
# shellcheck disable=SC2034
PGSQL_SETTINGS="--ssl=on --ssl_cert_file=$WORK_DIR/crt --ssl_key_file=$WORK_DIR/postgres.key"
. "$TESTS_DIR/db/servers.sh" || exit 1
start_servers mysql pgsql
# shellcheck disable=SC2046  # lists of options
${CC:-cc} -O2 -pthread -o pgsql "$SRCDIR/bench/bare_connect_pgsql.c" $(pkg-config --cflags --libs libpq) &&
    ${CC:-cc} -O2 -pthread -o mysql "$SRCDIR/bench/bare_connect_mysql.c" $(pkg-config --cflags --libs libmariadb) || exit 1
echo 'function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end' >one.lua

# ours OPTION...: prints the median of sysrate.
ours() {
    "$SYSRATE" one.lua --threads=1 --events="$connects" --time=0 --reconnect=1 --connect-in-response=off --json=r.json "$@" run \
        >/dev/null && jq .summary.connect_ms.percentiles.p50.value r.json
}

# compare NAME BARE-PROGRAM ARGUMENT... -- OPTION...
compare() {
    local name=$1 bare=() i a b
    shift
    while [ "$1" != -- ]; do
        bare+=("$1")
        shift
    done
    shift
    for ((i = 0; i < rounds; i++)); do
        if ((i % 2)); then
            a=$("${bare[@]}" "$connects") b=$(ours "$@")
        else
            b=$(ours "$@") a=$("${bare[@]}" "$connects")
        fi
        echo "$a $b"
    done | python3 -c '
import statistics, sys
rows = [tuple(map(float, line.split())) for line in sys.stdin]
bare, ours = (statistics.median(column) for column in zip(*rows))
ratios = sorted(b / a for a, b in rows)
print(f"{sys.argv[1]:24} {bare:8.3f} {ours:8.3f} {statistics.median(ratios):8.3f}   ({ratios[0]:.3f} to {ratios[-1]:.3f})")' "$name"
}

host=(--mysql-host=127.0.0.1 --mysql-port="${server_port[mysql]}" --mysql-password=secret --db-driver=mysql)
info="host=127.0.0.1 port=${server_port[pgsql]} user=sbtest password=secret dbname=sbtest"
pg=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="${server_port[pgsql]}" --pgsql-password=secret)
printf '%-24s %8s %8s %8s\n' "median, ms" "bare C" sysrate ratio
compare "mysql" ./mysql 127.0.0.1 "${server_port[mysql]}" sbtest secret sbtest 0 -- "${host[@]}"
compare "mysql, TLS" ./mysql 127.0.0.1 "${server_port[mysql]}" sbtest secret sbtest 1 -- "${host[@]}" --mysql-ssl=REQUIRED
compare "pgsql" ./pgsql "$info sslmode=disable" -- "${pg[@]}" --pgsql-sslmode=disable
compare "pgsql, TLS" ./pgsql "$info sslmode=require" -- "${pg[@]}" --pgsql-sslmode=require
