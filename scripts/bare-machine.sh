#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs commands in a fresh, minimal Debian that has nothing but a clone of this repository (what is committed):
#
#   scripts/bare-machine.sh [--release=NAME] [--arch=ARCH] [COMMAND...]      default: scripts/quickstart.sh scripts/test.sh
#
# NAME is the name of a Debian release (bookworm, trixie, sid ...), by default the release of this machine. ARCH is Debian's name of
# a processor architecture, for example arm64. It is emulated (Debian package qemu-user-static), and the default command is then
# scripts/check-port.sh. An emulated run takes hours on two processors; scripts/cross.sh is faster, because it compiles here and
# emulates the tests only. Each other argument is a command line that sh runs in the clone. Prints the exit code and the time of each
# command; the exit code is 1 if a command has failed. Needs root, git and debootstrap, see scripts/guest.sh.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
. "$repository/scripts/guest.sh"
guest_isolate "$0" "$@"
guest_require git
commands='scripts/quickstart.sh scripts/test.sh'
while [ $# -gt 0 ]; do
    case $1 in
    --release=?*) export SUITE="${1#--release=}" ;; # read by guest.sh, as ARCH
    --arch=?*)
        export ARCH="${1#--arch=}"
        commands=scripts/check-port.sh
        ;;
    -*)
        sed -n 's/^#   \(scripts.*\)/usage: \1/p' "$0" >&2
        exit 2
        ;;
    *) break ;;
    esac
    shift
done
# shellcheck disable=SC2086  # a list
[ $# -gt 0 ] || set -- $commands

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
