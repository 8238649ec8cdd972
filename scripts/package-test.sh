#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the packages on a machine without a compiler. Builds the Debian package and the tarball from the present commit, checks the
# package with lintian, and runs tests/package/installed.sh with each of them in a fresh, minimal Debian. autopkgtest also runs the
# package's own tests (debian/tests) there.
#
#   scripts/package-test.sh [FOLDER]      leaves the package and the tarball in FOLDER
#
# Needs root, git, dpkg-dev, lintian, autopkgtest and debootstrap (see scripts/guest.sh), and the packages that debian/control lists as
# Build-Depends.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
. "$repository/scripts/guest.sh"
guest_isolate "$0" "$@"
guest_require git dpkg-buildpackage lintian autopkgtest
(cd "$repository" && dpkg-checkbuilddeps)

say() {
    printf '\n== %s\n' "$*"
}

# quiet COMMAND...: prints the output of the command only if it fails.
quiet() {
    if ! "$@" >"$guest/var/log/step" 2>&1; then
        tail -n 100 "$guest/var/log/step" >&2
        echo "$0: failed: $*" >&2
        exit 1
    fi
}

build_package() (
    cd "$clone"
    dpkg-buildpackage -us -uc -b -j2
)

say 'Setting up'
guest_create
clone=$guest/build/sysrate
git -c safe.directory='*' clone --quiet --no-hardlinks "$repository" "$clone"

say 'dpkg-buildpackage -us -uc -b'
quiet build_package
quiet make -C "$clone/debian/build" tarball
cp "$clone"/debian/build/sysrate-*.tar.gz "$guest/build"
ls "$guest/build"

say 'lintian'
lintian --allow-root --fail-on error "$guest"/build/*.changes

# Only the packages and the tests are copied to the guest, so that a test cannot use a file of the source by accident.
mkdir "$guest/root/tests" "$guest/build/source"
cp -r "$clone/tests/cli" "$clone/tests/package" "$guest/root/tests"
git -C "$clone" archive HEAD debian | tar -C "$guest/build/source" -x
rm -rf "$clone"

say 'The tarball in a fresh Debian'
guest_run /opt 'tar xzf /build/sysrate-*.tar.gz --strip-components=1 --one-top-level=sysrate'
guest_run /root "bash tests/package/installed.sh /opt/sysrate/bin/sysrate"
guest_run / 'rm -r /opt/sysrate'

say 'The package in a fresh Debian'
quiet guest_run / 'apt-get -qq update'
quiet guest_run / 'DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install man-db bash-completion /build/sysrate_*.deb'
guest_run /root "bash tests/package/installed.sh /usr/bin/sysrate"
say 'The service beside it'
quiet guest_run / 'DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install /build/sysrate-serve_*.deb'
guest_run /root "bash tests/package/installed.sh /usr/bin/sysrate"
quiet guest_run / 'dpkg --purge sysrate-serve sysrate'

say 'autopkgtest'
# TMPDIR is unset, because the guest would inherit it.
quiet env -u TMPDIR autopkgtest --no-built-binaries "$guest"/build/sysrate_*.deb "$guest"/build/sysrate-mpi_*.deb "$guest"/build/sysrate-serve_*.deb \
    "$guest/build/source" \
    --summary-file "$guest/build/summary" -- chroot "$guest"
cat "$guest/build/summary"
quiet guest_run / 'dpkg --purge sysrate-mpi sysrate-serve sysrate'
left=$(guest_run / 'find / -xdev -name "*sysrate*" ! -path "/build/*" ! -path "/root/tests/*" ! -path "/proc/*"')
if [ -n "$left" ]; then
    printf '%s: left behind after the package was removed:\n%s\n' "$0" "$left" >&2
    exit 1
fi

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cp "$guest"/build/*.deb "$guest"/build/*.tar.gz "$1"
fi
say 'The package and the tarball are good'
