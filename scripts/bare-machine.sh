#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs commands in a fresh, minimal Debian that has nothing but a clone of this repository (what is committed):
#
#   scripts/bare-machine.sh [COMMAND...]      default: scripts/quickstart.sh scripts/test.sh
#
# Each argument is one command line, run by sh in the clone. Prints the exit code and the time of each; exit code 1 when any
# failed. Needs root, git and debootstrap, and 2 GB below TMPDIR. Mirror and suite are those of this machine's apt;
# MIRROR and SUITE in the environment override them.
set -eu

if [ "$(id -u)" -ne 0 ]; then
    echo "$0: needs root (debootstrap, mount and chroot)" >&2
    exit 1
fi
for program in debootstrap git unshare; do
    if ! command -v "$program" >/dev/null; then
        echo "$0: missing: $program (Debian package of that name; unshare: util-linux)" >&2
        exit 1
    fi
done

# In name spaces of its own, mounts and processes of the guest end with this script, whatever happens.
if [ "${BARE_MACHINE_INSIDE-}" != yes ]; then
    BARE_MACHINE_INSIDE=yes exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi

repository=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- scripts/quickstart.sh scripts/test.sh

# The first archive with the release that runs here; apt reads both formats of its configuration.
# shellcheck disable=SC1091,SC2016  # apt expands these itself
codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v codename="$codename" '$3 == "main" && (codename == "" || $2 == codename) { print $1, $2; exit }')
mirror=${MIRROR:-${archive% *}}
suite=${SUITE:-${archive#* }}
if [ -z "$mirror" ] || [ -z "$suite" ]; then
    echo "$0: apt has no archive of '$codename' configured; set MIRROR and SUITE" >&2
    exit 1
fi

guest=$(mktemp -d "${TMPDIR:-/tmp}/bare-machine.XXXXXX")
chmod 755 "$guest" # it is the guest's root folder, which every user may enter
clean_up() {
    umount --lazy "$guest/dev/shm" "$guest/proc" 2>/dev/null || true
    rm -rf --one-file-system "$guest"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

include=
case $mirror in
https:*) include=--include=ca-certificates ;;
esac
echo "Setting up a minimal $suite"
# shellcheck disable=SC2086  # $include may be nothing
if ! debootstrap --variant=minbase $include "$suite" "$guest" "$mirror" >"$guest.log" 2>&1; then
    tail -n 20 "$guest.log" >&2
    echo "$0: debootstrap failed; its log is $guest.log" >&2
    exit 1
fi
rm -f "$guest.log"

# The network as here: name servers, and apt's proxies.
cp -L /etc/resolv.conf "$guest/etc/resolv.conf"
apt-config dump --format '%f "%v";%n' | grep -i '^acquire::.*proxy' >"$guest/etc/apt/apt.conf.d/90proxy" || true
mount -t proc proc "$guest/proc"
mkdir -p "$guest/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$guest/dev/shm"

git -c safe.directory='*' clone --quiet --no-hardlinks "$repository" "$guest/root/sysrate"

status=0
for command; do
    echo "== $command"
    start=$(date +%s)
    code=0
    chroot "$guest" /usr/bin/env -i HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c 'cd /root/sysrate && eval "$1"' sh "$command" </dev/null || code=$?
    results="${results-}$command: exit $code after $(($(date +%s) - start)) s
"
    [ "$code" -eq 0 ] || status=1
done
printf '\n%s' "$results"
exit "$status"
