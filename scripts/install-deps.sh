#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the Debian packages that building needs. With --test it also installs those of the tests; with --test-mysql those of the tests
# on databases, with MySQL and its client library instead of MariaDB's (Debian sid has them). Only missing packages are installed, so that
# root is not needed if all are there. On other systems than Debian the script installs nothing and prints what to install.
set -eu

table=$(dirname "$0")/packages.txt

# packages_for COLUMN: prints the packages that building needs, from this column of scripts/packages.txt.
packages_for() {
    awk -v column="$1" '!/^#/ && NF && $4 != "tests" && $column != "-" { printf "%s%s", separator, $column; separator = " " }' "$table"
}

packages=$(packages_for 1)
database_test_packages="check curl haproxy jq openssl pgbouncer pgpool2 postgresql procps prometheus-node-exporter python3 python3-prometheus-client sqlite3 sysbench"
mariadb_test_packages="galera-4 mariadb-server rsync"
# Packages for tests that are skipped without them. Older releases of Debian do not have them.
optional_test_packages="postgresql-17-pgvector"
# mysql-server is not in the list, because it conflicts with the client library that sysbench needs.
mysql_test_packages="mysql-client-core mysql-server-core"
other_test_packages="chromium chromium-driver default-jre-headless fish fonts-dejavu-core ivy libbsh-java libhdrhistogram-java locales openmpi-bin python3-venv zsh"

case ${1-} in
'') ;;
--test) packages="$packages $database_test_packages $mariadb_test_packages $other_test_packages" ;;
--test-mysql) packages="$(echo "$packages" | sed 's/libmariadb-dev/libmysqlclient-dev/') $database_test_packages $mysql_test_packages" ;;
*)
    echo "usage: $0 [--test|--test-mysql]" >&2
    exit 2
    ;;
esac

# elsewhere: prints what to install on a system that is not Debian, according to its /etc/os-release.
elsewhere() {
    # shellcheck disable=SC1090  # a file of the system
    family=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${ID-} ${ID_LIKE-}") || family=
    case " $family " in
    *' fedora '* | *' rhel '*) # RHEL and its relatives: with EPEL
        install="dnf install $(packages_for 2)" unit_tests="dnf install check-devel"
        ;;
    *' alpine '*) install="apk add $(packages_for 3)" unit_tests="apk add check-dev" ;;
    *) install= ;;
    esac
    if [ -n "$install" ]; then
        echo "$0: this is not Debian; as root:"
        echo "    $install"
        echo "and for the unit tests (make check-units):"
        echo "    $unit_tests"
    else
        echo "$0: neither Debian, Fedora nor Alpine. What building needs, by the names of packages there:"
        sed '/^# Debian /{ s/^# Debian/Debian  /; b
        }; /^#/d' "$table"
    fi
    echo "Pages need dygraphs, which few systems have as a package: docs/install.md says where to get it; or configure --without-html."
    echo "The other tests need Debian 12 or later."
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    elsewhere >&2
    exit 1
fi

# Prints which of the packages apt can install. Prints nothing for users who may not install.
available() {
    [ "$(id -u)" -eq 0 ] || return 0
    for package; do
        ! apt-cache show "$package" >/dev/null 2>&1 || printf ' %s' "$package"
    done
}
# shellcheck disable=SC2086  # a list
case ${1-} in
--test*) packages="$packages$(available $optional_test_packages)" ;;
esac

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
