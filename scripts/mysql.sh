#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tests on databases with MySQL and its client library instead of MariaDB's, in a fresh, minimal Debian sid:
#
#   scripts/mysql.sh [COMMAND...]      default: 'scripts/test.sh --mysql'
#
# Needs root, git, debootstrap, and 3 GB below TMPDIR. See scripts/bare-machine.sh, which this script calls.
set -eu

case ${1-} in
-*)
    sed -n 's/^#   \(scripts.*\)/usage: \1/p' "$0" >&2
    exit 2
    ;;
esac
[ $# -gt 0 ] || set -- 'scripts/test.sh --mysql'
exec "$(dirname "$0")/bare-machine.sh" --release=sid "$@"
