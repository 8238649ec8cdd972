#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Called by `make tarball` in the build folder: tarball.sh NAME-VERSION NAME-portable... Packs the files that `make install` installs, but
# replaces each program NAME by the file NAME-portable. Adds the shared libraries that these programs and the driver for MongoDB load,
# except those of glibc, and their licences. The tarball may be for another processor architecture (CC and STRIP as in the Makefile) if
# this machine can run programs of that architecture. If SOURCE_DATE_EPOCH is set, the files have this time, so that the same build gives
# the same bytes.
set -eu

name=${1:?}
shift
program=${1:?}
machine=$(${CC:-gcc} -dumpmachine)
machine=${machine%%-*}
name=$name-linux-$machine
: "${MAKE:=make}" "${STRIP:=strip}"
source=$(cd "$(dirname "$0")/.." && pwd)

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
top=$stage/$name
libraries=$top/lib/sysrate

# loaded_by FILE...: prints the libraries that the files load, in the format of ldd. ldd itself only works for this machine's own
# architecture; this function runs the dynamic linker of the program.
loaded_by() {
    linker=$(LC_ALL=C readelf --program-headers "$program" | sed -n 's/.*program interpreter: \(.*\)]$/\1/p')
    for file; do
        "$linker" --list "$file"
    done
}

# loaded_libraries PROGRAM...: prints "NAME PATH" of each shared library, except those of glibc, which every system has.
loaded_libraries() {
    loaded_by "$@" $([ ! -e "$libraries/sysrate_mongodb.so" ] || echo "$libraries/sysrate_mongodb.so") | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
        grep -Ev '^(ld-linux[^ ]*|lib(c|m|dl|rt|pthread|resolv|gcc_s))\.so'
}

# copy_licence FILE: copies the licence of the Debian package that contains the file.
copy_licence() {
    package=$(dpkg-query -S "$(readlink -f "$1")" 2>/dev/null | sed -n '1s/:.*//p') || true
    if [ -n "$package" ] && [ -r "/usr/share/doc/$package/copyright" ]; then
        cp -L "/usr/share/doc/$package/copyright" "$top/share/doc/sysrate/licences/$package"
    fi
}

"$MAKE" install DESTDIR="$stage" prefix="/$name" >/dev/null
for program; do
    installed=$(basename "$program" -portable)
    cp "$program" "$top/bin/$installed"
    "$STRIP" "$top/bin/$installed"
done
cp "$source/docs/install.md" "$top/README.md"
cp "$source/LICENSE" "$top/"
mkdir -p "$libraries" "$top/share/doc/sysrate/licences"
for library in libluajit-5.1 libck libjansson libsqlite3 libz liburing libaio; do
    copy_licence "$(${CC:-gcc} -print-file-name="$library.a")"
done
loaded_libraries "$@" >"$stage/loaded"
while read -r soname path; do
    cp -L "$path" "$libraries/$soname"
    copy_licence "$path"
    # MariaDB's client library has plugins for authentication, which are files in a separate folder.
    plugins=$(dirname "$path")/libmariadb3/plugin
    if [ "${soname#libmariadb.so}" != "$soname" ] && [ -d "$plugins" ]; then
        cp -rL "$plugins" "$libraries/plugin"
    fi
done <"$stage/loaded"

LC_ALL=C tar -C "$stage" --sort=name ${SOURCE_DATE_EPOCH:+--mtime="@$SOURCE_DATE_EPOCH"} --owner=0 --group=0 --numeric-owner \
    --mode='u+rw,go=rX' -cf "$name.tar" "$name"
gzip -9nf "$name.tar"
echo "$name.tar.gz: $(wc -l <"$stage/loaded") shared libraries inside, $(du -h "$name.tar.gz" | cut -f1)"
