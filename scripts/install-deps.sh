#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the Debian packages that building needs, with --test those of the tests too. Only what is missing; nothing
# happens (and nobody needs to be root) when all of it is there.
set -eu

packages="gcc libc6-dev make autoconf automake pkg-config luajit libluajit-5.1-dev libck-dev libjansson-dev libsqlite3-dev libmariadb-dev libpq-dev liburing-dev libaio-dev libjs-dygraphs libmicrohttpd-dev zlib1g-dev"
test_packages="check chromium chromium-driver default-jre-headless fonts-dejavu-core jq libhdrhistogram-java python3 python3-prometheus-client python3-venv sqlite3 procps mariadb-server galera-4 rsync postgresql openssl sysbench"

case ${1-} in
'') ;;
--test) packages="$packages $test_packages" ;;
*)
    echo "usage: $0 [--test]" >&2
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
