#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs commands in a fresh, minimal Debian that has nothing but a clone of this repository (what is committed):
#
#   scripts/bare-machine.sh [--release=NAME] [COMMAND...]      default: scripts/quickstart.sh scripts/test.sh
#
# NAME is that of a Debian release (bookworm, trixie, sid ...); without it, the one that runs here. Each other argument is one command
# line, run by sh in the clone. Prints the exit code and the time of each; exit code 1 when any
# failed. Needs root, git and debootstrap; scripts/guest.sh tells more.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
. "$repository/scripts/guest.sh"
guest_isolate "$0" "$@"
guest_require git
case ${1-} in
--release=?*)
    SUITE=${1#--release=} # read by guest.sh
    export SUITE
    shift
    ;;
-*)
    sed -n 's/^#   \(scripts.*\)/usage: \1/p' "$0" >&2
    exit 2
    ;;
esac
[ $# -gt 0 ] || set -- scripts/quickstart.sh scripts/test.sh

guest_create
git -c safe.directory='*' clone --quiet --no-hardlinks "$repository" "$guest/root/sysrate"

status=0
for command; do
    echo "== $command"
    start=$(date +%s)
    code=0
    guest_run /root/sysrate "$command" || code=$?
    results="${results-}$command: exit $code after $(($(date +%s) - start)) s
"
    [ "$code" -eq 0 ] || status=1
done
printf '\n%s' "$results"
exit "$status"
