#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   scripts/cross.sh [--arch=ARCH] [FOLDER]     ARCH: arm64, or another of Debian; leaves package and tarball in FOLDER
#
# Compiles the present commit for another processor architecture, without warnings, in a fresh Debian that has the libraries of both
# architectures. Then runs the unit tests and scripts/check-port.sh, and builds the Debian packages and the tarball that runs without
# installation. Only the compiled programs are emulated (Debian package qemu-user-static), so that this takes as many minutes as
# scripts/bare-machine.sh --arch=ARCH takes hours. Needs root, git and debootstrap, see scripts/guest.sh. The time limits of the tests
# are longer than usual (CK_TIMEOUT_MULTIPLIER).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/guest.sh"
guest_isolate "$0" "$@"
guest_require git
arch=arm64
case ${1-} in
--arch=?*)
    arch=${1#--arch=}
    shift
    ;;
-*)
    sed -n 's/^#   \(scripts[^;]*\).*/usage: \1/p' "$0" >&2
    exit 2
    ;;
esac
case $arch in
arm64) tools=aarch64-linux-gnu ;;
*) tools=$(dpkg-architecture -A "$arch" -q DEB_HOST_GNU_TYPE) ;;
esac

# quiet FOLDER COMMAND: runs the command in this folder of the guest. Prints the end of its output only if it fails.
quiet() {
    guest_run "$1" "$2" >"$guest/var/log/step" 2>&1 || {
        tail -n 60 "$guest/var/log/step" >&2
        echo "$0: failed: $2" >&2
        exit 1
    }
}

guest_create
guest_emulate "$arch"
echo "Installing what building for $arch needs"
git -c safe.directory='*' clone -q --no-hardlinks "$root" "$guest/root/sysrate"
quiet / "echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/unsafe-io; dpkg --add-architecture $arch && apt-get -qq update"
libraries=$(awk -v arch="$arch" '!/^#/ && /^(lib[a-z0-9.-]+-dev|zlib1g-dev|check) / && $1 != "libc6-dev" { print $1 ":" arch }' "$root/scripts/packages.txt" | tr '\n' ' ')
quiet / "DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install crossbuild-essential-$arch debhelper autoconf automake pkg-config luajit libjs-dygraphs git $libraries"

echo "Building for $arch"
environment="export PKG_CONFIG_LIBDIR=/usr/lib/$tools/pkgconfig:/usr/share/pkgconfig CK_TIMEOUT_MULTIPLIER=20"
quiet /root/sysrate "$environment; scripts/build.sh build --host=$tools --enable-werror --with-mpi"
guest_run /root/sysrate "readelf --file-header build/src/sysrate | grep Machine; build/src/sysrate --version"

# qemu-user implements vfork as fork. Therefore the parent does not get the error of a program that cannot be executed, which two of the
# tests check.
emulator='tests/unit/run/test_inject_(agent|command)$'
echo 'The unit tests'
status=0
guest_run /root/sysrate "$environment; make -k -C build unit_test_seconds=3600 check-units >build/units.log 2>&1" || true
guest_run /root/sysrate "grep -E '^# (TOTAL|PASS|SKIP|FAIL|ERROR):|^(FAIL|ERROR):' build/units.log"
! grep -E '^(FAIL|ERROR):' "$guest/root/sysrate/build/units.log" | grep -Ev "$emulator" || status=1
grep -q '^# PASS: ' "$guest/root/sysrate/build/units.log" || status=1
guest_run /root/sysrate 'scripts/check-port.sh build/src/sysrate' || status=1

echo 'The packages and the tarball'
quiet /root/sysrate "$environment; DEB_BUILD_OPTIONS='nocheck noautodbgsym' dpkg-buildpackage -us -uc -b -d -a$arch -Pcross,nocheck"
quiet /root/sysrate 'make -C debian/build tarball'
guest_run /root 'ls -l *.deb sysrate/debian/build/sysrate-*.tar.gz'
quiet /root 'mkdir -p /opt/sysrate && tar -C /opt/sysrate --strip-components=1 -xzf sysrate/debian/build/sysrate-*.tar.gz'
guest_run /root '/opt/sysrate/bin/sysrate --version | head -n 1' || status=1
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cp "$guest"/root/*.deb "$guest"/root/sysrate/debian/build/sysrate-*.tar.gz "$1"
fi
exit "$status"
