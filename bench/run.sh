#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures sysrate beside its peers and writes the table to bench/RESULTS.md: bench/run.sh [--quick] [SECTION...].
# Installs what is missing, builds in build-bench, then bench/bench.py does the work; bench/README.md explains it.
set -eu

cd "$(dirname "$0")/.."
case ${1-} in
-h | --help) exec python3 bench/bench.py --help ;;
esac

scripts/install-deps.sh
# pgbench comes with postgresql.
peers="sysbench postgresql mariadb-server valgrind python3 libmariadb-dev libmongoc-dev libpq-dev"
missing=
for package in $peers; do
    if ! dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed'; then
        missing="$missing $package"
    fi
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" -eq 0 ]; then
        echo "Installing$missing"
        # Debian starts a server that it installs; those of the benchmark are private ones.
        # shellcheck disable=SC2086  # a list
        RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $missing \
            >/dev/null </dev/null || echo "$0: could not install all of:$missing" >&2
    else
        echo "$0: what needs$missing is left out; as root: apt-get install$missing" >&2
    fi
fi

scripts/build.sh build-bench
exec python3 bench/bench.py --program="$PWD/build-bench/src/sysrate" "$@"
