#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Called by `make tarball` in the build folder: tarball.sh NAME-VERSION NAME-portable... Packs what `make install` installs, with
# each program NAME replaced by the file NAME-portable, and the shared libraries that these and the driver for MongoDB load, glibc's own
# aside, with their licences. It may be for another processor, with CC and STRIP as they are in the Makefile, where this machine can run its programs. The files have
# the time SOURCE_DATE_EPOCH, where that is set: the same build makes the same bytes.
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

# loaded_by FILE...: what the dynamic linker of the program says, as ldd does, which knows this machine's own alone.
loaded_by() {
    linker=$(LC_ALL=C readelf --program-headers "$program" | sed -n 's/.*program interpreter: \(.*\)]$/\1/p')
    for file; do
        "$linker" --list "$file"
    done
}

# loaded_libraries PROGRAM...: "NAME PATH" of each shared library; those that every system has with glibc are left out.
loaded_libraries() {
    loaded_by "$@" $([ ! -e "$libraries/sysrate_mongodb.so" ] || echo "$libraries/sysrate_mongodb.so") | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
        grep -Ev '^(ld-linux[^ ]*|lib(c|m|dl|rt|pthread|resolv|gcc_s))\.so'
}

# copy_licence FILE: that of the Debian package which the file is from.
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
    # MariaDB's library has ways to log in as files in a folder of their own.
    plugins=$(dirname "$path")/libmariadb3/plugin
    if [ "${soname#libmariadb.so}" != "$soname" ] && [ -d "$plugins" ]; then
        cp -rL "$plugins" "$libraries/plugin"
    fi
done <"$stage/loaded"

LC_ALL=C tar -C "$stage" --sort=name ${SOURCE_DATE_EPOCH:+--mtime="@$SOURCE_DATE_EPOCH"} --owner=0 --group=0 --numeric-owner \
    --mode='u+rw,go=rX' -cf "$name.tar" "$name"
gzip -9nf "$name.tar"
echo "$name.tar.gz: $(wc -l <"$stage/loaded") shared libraries inside, $(du -h "$name.tar.gz" | cut -f1)"
