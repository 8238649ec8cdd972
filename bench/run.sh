#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures sysrate and comparable tools and writes the results to bench/RESULTS.md: bench/run.sh [--quick] [SECTION...].
# Installs missing packages, builds in build-bench and runs bench/bench.py. bench/README.md has the details.
set -eu

cd "$(dirname "$0")/.."
case ${1-} in
-h | --help) exec python3 bench/bench.py --help ;;
esac

scripts/install-deps.sh
# The package postgresql contains pgbench.
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
        # Debian starts the servers that it installs. They are stopped, because the benchmark uses private servers.
        # shellcheck disable=SC2086  # a list
        RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $missing \
            >/dev/null </dev/null || echo "$0: could not install all of:$missing" >&2
    else
        echo "$0: what needs$missing is left out; as root: apt-get install$missing" >&2
    fi
fi

scripts/build.sh build-bench
exec python3 bench/bench.py --program="$PWD/build-bench/src/sysrate" "$@"
