# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Functions that create a fresh, minimal Debian in a folder (the guest), for scripts that run something on a bare machine. These scripts
# source this file. Needs root, debootstrap, and 2 GB below TMPDIR. Mirror and suite are those of this machine's apt, unless MIRROR and
# SUITE are set in the environment. ARCH in the environment chooses a Debian for another processor architecture (arm64 ...).
# qemu-user-static executes its programs ten times slower; the script registers it with the kernel (binfmt_misc) while it runs.
#
#   guest_isolate "$0" "$@"    must be called first; restarts the script in name spaces of its own, so that mounts and processes of the
#                              guest end with the script in any case
#   guest_emulate ARCH         makes programs of this architecture executable, also in guests
#   guest_create               sets $guest to the folder of the guest, which is removed when the script ends
#   guest_run FOLDER COMMAND   runs a command line with sh in this folder of the guest

# In these name spaces, mounts and processes of the guest end with the script in any case.
guest_isolate() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "$0: needs root (debootstrap, mount and chroot)" >&2
        exit 1
    fi
    guest_require debootstrap unshare
    if [ "${GUEST_INSIDE-}" != yes ]; then
        GUEST_INSIDE=yes exec unshare --mount --mount-proc --pid --fork --kill-child "$@"
    fi
}

guest_require() {
    for program; do
        if ! command -v "$program" >/dev/null; then
            echo "$0: missing: $program (Debian package of that name; unshare: util-linux)" >&2
            exit 1
        fi
    done
}

# Sets mirror and suite to the first archive in apt's configuration that has the release of this machine. apt itself reads the
# configuration, which has two formats.
guest_find_archive() {
    # shellcheck disable=SC1091,SC2016  # apt expands these itself
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    # shellcheck disable=SC2016
    archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v codename="$codename" '$3 == "main" && (codename == "" || $2 == codename) { print $1, $2; exit }')
    mirror=${MIRROR:-${archive% *}}
    suite=${SUITE:-${archive#* }}
    if [ -z "$mirror" ] || [ -z "$suite" ]; then
        echo "$0: apt has no archive of '$codename' configured; set MIRROR and SUITE" >&2
        exit 1
    fi
}

# The table of qemu-user-static says how the kernel recognises programs of the architecture. With the flag F the kernel opens the
# emulator now, so that the guest does not need it.
guest_emulate() {
    case $1 in
    amd64) machine=x86_64 ;;
    arm64) machine=aarch64 ;;
    ppc64el) machine=ppc64le ;;
    *) machine=$1 ;;
    esac
    table=/usr/share/binfmts/qemu-$machine
    known=/proc/sys/fs/binfmt_misc
    if [ ! -e "$table" ]; then
        echo "$0: $table is missing (Debian package: qemu-user-static)" >&2
        exit 1
    fi
    [ -e "$known/register" ] || mount -t binfmt_misc binfmt_misc "$known" || exit 1
    if [ ! -e "$known/qemu-$machine" ]; then
        field() { sed -n "s/^$1 //p" "$table"; }
        printf '%s' ":qemu-$machine:M:$(field offset):$(field magic):$(field mask):$(field interpreter):PF" >"$known/register"
    fi
}

guest_remove() {
    umount --lazy "$guest/run/netns" "$guest/dev/pts" "$guest/dev/shm" "$guest/proc" "$guest/sys" "$guest" 2>/dev/null || true
    rm -rf --one-file-system "$guest"
}

# Copies the network settings of this machine: name servers and apt's proxies. For sid, apt ignores the expiry date of the mirror's
# lists, because a mirror may be older than that.
guest_connect() {
    case $suite in
    sid | unstable) echo 'Acquire::Check-Valid-Until "false";' >"$guest/etc/apt/apt.conf.d/90valid-until" ;;
    esac
    cp -L /etc/resolv.conf "$guest/etc/resolv.conf"
    apt-config dump --format '%f "%v";%n' | grep -i '^acquire::.*proxy' >"$guest/etc/apt/apt.conf.d/90proxy" || true
}

guest_create() {
    guest_find_archive
    guest=$(mktemp -d "${TMPDIR:-/tmp}/guest.XXXXXX")
    chmod 755 "$guest" # it is the guest's root folder, which every user may enter
    trap guest_remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    include=
    case $mirror in
    https:*) include=--include=ca-certificates ;;
    esac
    : "${ARCH:=$(dpkg --print-architecture)}"
    [ "$ARCH" = "$(dpkg --print-architecture)" ] || guest_emulate "$ARCH"
    echo "Setting up a minimal $suite for $ARCH"
    # shellcheck disable=SC2086  # $include may be nothing
    if ! debootstrap --arch="$ARCH" --variant=minbase $include "$suite" "$guest" "$mirror" >"$guest.log" 2>&1; then
        tail -n 20 "$guest.log" >&2
        echo "$0: debootstrap failed; its log is $guest.log" >&2
        exit 1
    fi
    rm -f "$guest.log"
    guest_connect
    mount --bind "$guest" "$guest" # a mount point, as a root folder is; name spaces within it need that
    mount -t proc proc "$guest/proc"
    mount -t sysfs -o ro sysfs "$guest/sys"
    mkdir -p "$guest/dev/shm" "$guest/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$guest/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$guest/dev/pts"
}

guest_run() {
    chroot "$guest" /usr/bin/env -i HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c 'cd "$1" && eval "$2"' sh "$1" "$2" </dev/null
}
