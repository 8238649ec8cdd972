#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the Debian packages that building needs, with --test those of the tests too; with --test-mysql those of the tests on
# databases, MySQL and its client library in place of MariaDB's (Debian sid has them). Only what is missing; nothing happens (and
# nobody needs to be root) when all of it is there.
set -eu

packages="gcc libc6-dev make autoconf automake pkg-config luajit libluajit-5.1-dev libck-dev libjansson-dev libsqlite3-dev libpq-dev liburing-dev libaio-dev libjs-dygraphs libmicrohttpd-dev zlib1g-dev"
database_test_packages="check jq openssl postgresql procps python3 python3-prometheus-client sqlite3 sysbench"
mariadb_test_packages="galera-4 mariadb-server rsync"
# Not mysql-server, which cannot be beside the client library that sysbench needs.
mysql_test_packages="mysql-client-core mysql-server-core"
other_test_packages="chromium chromium-driver default-jre-headless fonts-dejavu-core libhdrhistogram-java python3-venv"

case ${1-} in
'') packages="$packages libmariadb-dev" ;;
--test) packages="$packages libmariadb-dev $database_test_packages $mariadb_test_packages $other_test_packages" ;;
--test-mysql) packages="$packages libmysqlclient-dev $database_test_packages $mysql_test_packages" ;;
*)
    echo "usage: $0 [--test|--test-mysql]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "$0: no Debian system; needed are what these packages bring: $packages" >&2
    exit 1
fi

missing=
for package in $packages; do
    if ! dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed'; then
        missing="$missing $package"
    fi
done

if [ -z "$missing" ]; then
    exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "$0: missing packages; as root: apt-get install$missing" >&2
    exit 1
fi

echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # a list
if ! {
    apt-get -qq -o DPkg::Lock::Timeout=300 update &&
        apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install --no-install-recommends $missing
} >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "$0: could not install$missing" >&2
    exit 1
fi
