#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tests on databases with MySQL and MySQL's client library in place of MariaDB's, in a fresh, minimal Debian sid, which has both:
#
#   scripts/mysql.sh [COMMAND...]      default: 'scripts/test.sh --mysql'
#
# scripts/bare-machine.sh tells the rest: root, git and debootstrap, and 3 GB below TMPDIR.
set -eu

case ${1-} in
-*)
    sed -n 's/^#   \(scripts.*\)/usage: \1/p' "$0" >&2
    exit 2
    ;;
esac
[ $# -gt 0 ] || set -- 'scripts/test.sh --mysql'
exec "$(dirname "$0")/bare-machine.sh" --release=sid "$@"
