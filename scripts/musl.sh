#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   scripts/musl.sh [FOLDER]     FOLDER keeps the libraries and the build for the next time
#
# Builds the present commit with musl instead of glibc, without warnings, and runs the unit tests and scripts/check-port.sh. This tests the
# build for Alpine without an Alpine. The required libraries, and check, are built from Debian's sources. Pages are included; the drivers
# for servers, Open MPI, libarchive, libcurl, liburing and libaio are left out. Needs musl-tools and the packages that building needs. Needs deb-src lines in
# apt's configuration; if there are none, they are derived from the deb lines. Takes ten minutes.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
for program in musl-gcc apt-get dpkg-source; do
    command -v "$program" >/dev/null || {
        echo "$0: missing: $program (apt-get install musl-tools dpkg-dev)" >&2
        exit 2
    }
done
if [ $# -gt 0 ]; then
    work=$(mkdir -p "$1" && cd "$1" && pwd)
else
    work=$(mktemp -d)
    trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
fi
prefix=$work/prefix
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/bin" "$work/sources"
# musl does not include the headers of the kernel.
for headers in /usr/include/linux /usr/include/asm-generic "/usr/include/$(gcc -print-multiarch)/asm"; do
    ln -sfn "$headers" "$prefix/include/$(basename "$headers")"
done
export CC="musl-gcc -isystem $prefix/include" PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig LD_LIBRARY_PATH=
host=$(gcc -dumpmachine | sed 's/-gnu$/-musl/')
jobs=-j$(nproc)

# quiet NAME COMMAND...: writes the output of the command to a log, which is printed if the command fails.
quiet() {
    local log=$work/$1.log
    shift
    "$@" >>"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        echo "$0: failed: $* ($log)" >&2
        exit 1
    }
}

# Gets Debian's sources with a separate configuration of apt, so that the configuration of this system does not change.
fetch() {
    local sources=$work/apt
    mkdir -p "$sources/lists/partial" "$sources/parts"
    sed -s 's/^Types: .*/Types: deb-src/; s/^deb /deb-src /' /etc/apt/sources.list.d/*.sources >"$sources/parts/all.sources" 2>/dev/null || true
    sed 's/^deb /deb-src /' /etc/apt/sources.list >"$sources/list" 2>/dev/null || true
    local apt=(apt-get -qq -o Dir::Etc::SourceList="$sources/list" -o Dir::Etc::SourceParts="$sources/parts" -o Dir::State::Lists="$sources/lists")
    quiet fetch "${apt[@]}" update
    (cd "$work/sources" && quiet fetch "${apt[@]}" source "$@")
}

# source_of PACKAGE: prints the folder of the package's source.
source_of() {
    find "$work/sources" -maxdepth 1 -type d -name "$1-*" | head -n 1
}

# usual PACKAGE OPTION...: builds and installs a package with configure, make and make install.
usual() {
    local name=$1 folder
    shift
    folder=$(source_of "$name")
    [ -e "$work/$name.done" ] && return
    echo "building $name"
    (
        cd "$folder"
        [ -x configure ] || quiet "$name" autoreconf -fi
        quiet "$name" ./configure --prefix="$prefix" "$@"
        quiet "$name" make "$jobs"
        quiet "$name" make install
    )
    touch "$work/$name.done"
}

# LuaJIT uses its own unwinder, because gcc's unwinder on this machine was built for glibc.
build_luajit() {
    local flags=(CC=gcc STATIC_CC="$CC" DYNAMIC_CC="$CC -fPIC" TARGET_LD="$CC" XCFLAGS=-DLUAJIT_NO_UNWIND PREFIX="$prefix" BUILDMODE=static)
    [ -e "$work/luajit.done" ] && return
    echo 'building luajit'
    quiet luajit make -C "$(source_of luajit)" "$jobs" "${flags[@]}"
    quiet luajit make -C "$(source_of luajit)" "${flags[@]}" install
    touch "$work/luajit.done"
}

[ -n "$(source_of check)" ] || fetch luajit ck jansson zlib sqlite3 libmicrohttpd check
build_luajit
usual ck
rm -f "$prefix"/lib/libck.so* # so that the program starts without LD_LIBRARY_PATH
usual zlib --static
usual jansson --host="$host" --disable-shared
usual sqlite3 --host="$host" --disable-shared --disable-tcl --disable-readline
usual libmicrohttpd --host="$host" --disable-shared --disable-https --disable-doc --disable-examples
usual check --host="$host" --disable-shared --disable-subunit --disable-timeout-tests --disable-build-docs ac_cv_type_timer_t=yes
ln -sf libcheck.a "$prefix/lib/libcheck_pic.a" # that is what Debian's check.pc names

echo 'building sysrate'
[ -e "$work/sysrate" ] || git clone -q --no-hardlinks "$root" "$work/sysrate"
cd "$work/sysrate"
[ -x configure ] || quiet sysrate autoreconf -fi
mkdir -p build
cd build
[ -e Makefile ] || quiet sysrate ../configure --host="$host" --enable-werror --without-mysql --without-pgsql --without-mongodb --without-mpi
quiet sysrate make "$jobs" V=0
readelf --program-headers src/sysrate | grep interpreter
make check-units >units.log 2>&1 || {
    grep -E '^(FAIL|ERROR):' units.log >&2
    echo "$0: unit tests failed ($PWD/units.log)" >&2
    exit 1
}
grep -E '^# (TOTAL|PASS|SKIP|FAIL):' units.log
"$root/scripts/check-port.sh" "$PWD/src/sysrate"
