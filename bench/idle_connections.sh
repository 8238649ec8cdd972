#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures what connections that do nothing do to the response times of a load, on private servers: MariaDB or MySQL, PostgreSQL, and
# PostgreSQL through pgbouncer in transaction mode. usage: bench/idle_connections.sh [ROUNDS [SECONDS]]; SYSRATE is the program. Prints
# a table of medians over the rounds, and writes idle-connections.svg, in which a dot is a run, to the current folder. The load is 300
# point selects per second by four workers on a table of 10 000 rows; it is measured after all idle connections are open. In every
# second round the numbers of idle connections are taken in the opposite order. Needs a limit of 12 000 open files.
rounds=${1:-5}
seconds=${2:-10}
picture=$PWD/idle-connections.svg
TESTS_DIR=$(cd "$(dirname "$0")/../tests" && pwd)
ulimit -n "$(ulimit -H -n)"
. "$TESTS_DIR/cli/lib.sh" || exit 1
# shellcheck disable=SC2034  # read by servers.sh
PGSQL_SETTINGS=(--max_connections=1100)
# shellcheck disable=SC2034
MYSQL_SETTINGS=(--open-files-limit=12000 --max-connections=6000)
# shellcheck disable=SC2034  # read by poolers_lib.sh
POOL_CLIENTS=6000 POOL_SIZE=8
. "$TESTS_DIR/db/servers.sh" || exit 1
. "$TESTS_DIR/db/connections/poolers_lib.sh" || exit 1
kind=MySQL
# shellcheck disable=SC2154  # set by servers.sh
if grep -qi mariadb <<<"$("$mysqld" --version)"; then
    kind=MariaDB
    MYSQL_SETTINGS+=(--thread-handling=pool-of-threads)
fi
start_servers mysql pgsql && start_pooler pgbouncer_transaction || exit 1

# choose SERVER: sets the array $connect.
choose() {
    if [ "$1" = pgbouncer ]; then
        pooler_options pgbouncer_transaction
        connect+=(--db-ps-mode=disable)
    else
        server_options "$1"
    fi
    connect+=(--tables=1 --table-size=10000)
}

# measure SERVER COUNT: prints the server, the number of idle connections, p50 and p99 in milliseconds.
measure() {
    choose "$1"
    local open_s=$(($2 / 250 + 2))
    "$SYSRATE" oltp_point_select "${connect[@]}" --threads=4 --tx-rate=300 --warmup-time="$open_s" \
        --time="$seconds" --idle-connections="$2" --connect-rate=500 --percentile=50,99 --json=r.json run >out 2>&1 || { cat out >&2; return 1; }
    jq -r --arg server "$1" --argjson count "$2" '.summary.response_ms.percentiles as $p |
        if $count > 0 and .idle_connections.open < $count then error("only \(.idle_connections.open) of \($count) are open")
        else [$server, $count, $p.p50.value, $p.p99.value] | @tsv end' r.json
}

for server in mysql pgsql; do
    choose "$server"
    "$SYSRATE" oltp_point_select "${connect[@]}" prepare >/dev/null || exit 1
done
for ((i = 0; i < rounds; i++)); do
    counts=(0 100 1000 5000)
    if ((i % 2)); then
        counts=(5000 1000 100 0)
    fi
    for count in "${counts[@]}"; do
        for server in mysql pgsql pgbouncer; do
            if [ "$server" != pgsql ] || [ "$count" -le 1000 ]; then
                measure "$server" "$count" || exit 1
            fi
        done
    done
done >rows.tsv || exit 1

python3 - "$picture" "$kind" rows.tsv <<'PY'
import collections, math, statistics, sys

names = {"mysql": sys.argv[2], "pgsql": "PostgreSQL", "pgbouncer": "PostgreSQL, pgbouncer"}
colors = {"mysql": "#c05020", "pgsql": "#2060a0", "pgbouncer": "#208050"}
counts = [0, 100, 1000, 5000]
runs = collections.defaultdict(list)
for line in open(sys.argv[3]):
    server, count, p50, p99 = line.split()
    runs[server, int(count)].append((float(p50), float(p99)))

print("| server | idle connections | p50, ms | p99, ms | p99 of single runs |\n|---|---|---|---|---|")
for (server, count), values in sorted(runs.items(), key=lambda item: (list(names).index(item[0][0]), item[0][1])):
    p50, p99 = ([value[i] for value in values] for i in (0, 1))
    print(f"| {names[server]} | {count} | {statistics.median(p50):.2f} | {statistics.median(p99):.2f} | {min(p99):.2f} to {max(p99):.2f} |")

# The picture: p99 on a logarithmic scale against the number of idle connections.
largest = max(p99 for values in runs.values() for _, p99 in values)
smallest = min(p99 for values in runs.values() for _, p99 in values)
low, high = math.floor(math.log10(smallest) * 3) / 3, math.ceil(math.log10(largest) * 3) / 3
x = {count: 90 + 150 * i for i, count in enumerate(counts)}
y = lambda ms: 300 - 260 * (math.log10(ms) - low) / (high - low)
parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="760" height="360" viewBox="0 0 760 360" font-family="sans-serif" font-size="13">',
         '<rect width="760" height="360" fill="white"/>', '<text x="20" y="22">p99 of the response time, ms</text>']
ticks = [m * 10.0**e for e in range(-2, 6) for m in (1, 2, 5) if low <= math.log10(m * 10.0**e) <= high]
for tick in ticks:
    parts.append(f'<path d="M70 {y(tick):.1f}H560" stroke="#ddd"/><text x="62" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
for count in counts:
    parts.append(f'<text x="{x[count]}" y="322" text-anchor="middle">{count}</text>')
parts.append('<text x="315" y="346" text-anchor="middle">idle connections</text>')
for i, (server, name) in enumerate(names.items()):
    dx, color = 6 * (i - 1), colors[server]
    line = [(x[c] + dx, y(statistics.median(v[1] for v in runs[server, c]))) for c in counts if runs[server, c]]
    parts.append(f'<polyline points="{" ".join(f"{a},{b:.1f}" for a, b in line)}" fill="none" stroke="{color}" stroke-width="2"/>')
    parts += [f'<circle cx="{x[c] + dx}" cy="{y(v[1]):.1f}" r="3" fill="{color}"/>' for c in counts for v in runs[server, c]]
    parts.append(f'<text x="580" y="{60 + 22 * i}" fill="{color}">{name}</text>')
with open(sys.argv[1], "w") as out:
    out.write("\n".join(parts + ["</svg>"]) + "\n")
PY
