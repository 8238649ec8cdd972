#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A first measurement on a fresh Debian machine: installs missing packages (as root), builds in build/, fills an SQLite database in
# build/quickstart/ and runs two workloads at a fixed arrival rate.
set -eu

cd "$(dirname "$0")/.."

say() {
    printf '\n== %s\n' "$*"
}

# Prints a command as a user would type it, and runs it.
show() {
    printf '$ %s\n' "$*"
    "$@"
}

say 'Installing what is missing'
scripts/install-deps.sh

say 'Building in build/'
scripts/build.sh build

database=build/quickstart/quickstart.db
rm -rf build/quickstart
mkdir build/quickstart
options=build/quickstart/options
sqlite="--db-driver=sqlite --sqlite-db=$database --tables=2 --table-size=50000"
rate='--threads=8 --tx-rate=200 --time=10 --report-interval=1 --percentile=50,95,99'

# The lists of options are split into words on purpose; no option contains a blank or a pattern.
# shellcheck disable=SC2086
{
    say 'Filling two tables of 50 000 rows'
    show build/src/sysrate oltp_read_only $sqlite --threads=2 prepare

    # The options are also written to a file for the user's own experiments. The path in it is absolute, so that it works in every folder.
    printf '%s\n' $sqlite | sed "s|^--||; s|=build/|=$PWD/build/|" >$options

    say 'Reading: 200 transactions a second arrive, whatever the database does'
    show build/src/sysrate oltp_read_only $sqlite $rate run

    say 'Reading and writing at the same rate'
    show build/src/sysrate oltp_read_write $sqlite $rate run
}

cat <<END

== What to read next
docs/read-your-report.md  what each line of this report says
README.md                 the options, and a workload of your own in five lines of Lua
docs/README.md            all other pages, by what you want to do
src/lua/*.lua             the workloads

The database of these runs has its options in a file, so the next run may be:

  build/src/sysrate oltp_read_write --config-file=$options --threads=8 --tx-rate=300 --html=run.html --report-interval=1 run
END
