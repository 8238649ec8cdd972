#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Called by `make tarball` in the build folder: tarball.sh PROGRAM NAME-VERSION. Packs what `make install` installs, with PROGRAM
# in place of the program, and the shared libraries that PROGRAM and the driver for MongoDB load, glibc's own aside, with their licences.
set -eu

program=${1:?}
name=${2:?}-linux-$(uname -m)
: "${MAKE:=make}"
source=$(cd "$(dirname "$0")/.." && pwd)

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
top=$stage/$name
libraries=$top/lib/sysrate

# "NAME PATH" of each shared library; those that every system has with glibc are left out.
loaded_libraries() {
    ldd "$program" $([ ! -e "$libraries/sysrate_mongodb.so" ] || echo "$libraries/sysrate_mongodb.so") | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u |
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
cp "$program" "$top/bin/sysrate"
strip "$top/bin/sysrate"
cp "$source/docs/install.md" "$top/README.md"
cp "$source/LICENSE" "$top/"
mkdir -p "$libraries" "$top/share/doc/sysrate/licences"
for library in libluajit-5.1 libck libjansson libsqlite3 libz liburing libaio; do
    copy_licence "$(${CC:-gcc} -print-file-name="$library.a")"
done
loaded_libraries >"$stage/loaded"
while read -r soname path; do
    cp -L "$path" "$libraries/$soname"
    copy_licence "$path"
    # MariaDB's library has ways to log in as files in a folder of their own.
    plugins=$(dirname "$path")/libmariadb3/plugin
    if [ "${soname#libmariadb.so}" != "$soname" ] && [ -d "$plugins" ]; then
        cp -rL "$plugins" "$libraries/plugin"
    fi
done <"$stage/loaded"

tar -C "$stage" --owner=0 --group=0 --sort=name -czf "$name.tar.gz" "$name"
echo "$name.tar.gz: $(wc -l <"$stage/loaded") shared libraries inside, $(du -h "$name.tar.gz" | cut -f1)"
