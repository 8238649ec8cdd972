# SPDX-License-Identifier: GPL-2.0-or-later
#
# The package names that scripts/install-deps.sh prints on systems other than Debian, and the list that configure uses
# too; the version number, which is the same in all files; and the archive of `make release`.
. "$TESTS_DIR/cli/lib.sh"

TABLE=$SRCDIR/scripts/packages.txt

# The commands of a system without apt-get.
mkdir commands
for command in awk cat dirname sed sh; do
    ln -s "$(command -v "$command")" "commands/$command"
done

# elsewhere NAME OS-RELEASE-LINE: checks the messages of install-deps.sh on that system.
elsewhere() {
    echo "$2" >os-release
    run env PATH="$PWD/commands" OS_RELEASE="$PWD/os-release" sh "$SRCDIR/scripts/install-deps.sh"
    check_equal "$1: exit code" 1 "$status"
    check_equal "$1: nothing on standard output" "" "$out"
    check_match "$1: where dygraphs comes from" 'docs/install\.md' "$err"
}

elsewhere Fedora ID=fedora
check_match "Fedora: the command" '^    dnf install gcc .* zlib-devel .* mongo-c-driver-devel ' "$err"
elsewhere Rocky 'ID_LIKE="rhel centos fedora"'
check_match "Rocky: as Fedora" '^    dnf install gcc ' "$err"
elsewhere Alpine ID=alpine
check_match "Alpine: the command" '^    apk add gcc musl-dev .* zlib-dev .* mongo-c-driver-dev ' "$err"
check_no_match "Alpine: packages that it lacks are not in the command" ' - ' "$err"
elsewhere Arch ID=arch
check_match "elsewhere: the list" '^zlib1g-dev +zlib-devel +zlib-dev ' "$err"
check_equal "elsewhere: with one head" 1 "$(grep -c '^Debian  *Fedora' <<<"$err")"

check_equal "each line of the list has four columns" "" "$(awk '!/^#/ && NF != 4' "$TABLE")"

# configure prints package names from this list, the last argument of the macro in brackets.
named=$(grep -oE '\[(lib[a-z0-9.+-]+-dev|libjs-[a-z]+|zlib1g-dev|luajit|pkg-config|check)\]\)' "$SRCDIR/configure.ac" |
    tr -d '[])' | sort -u)
check_between "configure names packages" 10 "$(wc -l <<<"$named")" 40
for package in $named; do
    check "$package, named by configure, is in the list" grep -q "^$package " "$TABLE"
done

version=$("$SRCDIR/scripts/check-version.sh" 2>&1)
check_equal "all files name one version" "sysrate $version" "$("$SYSRATE" --version | head -n 1)"

# With the same names, different file times, permissions and orders on disk result in the same archive.
pack() {
    mkdir -p "$1/sysrate-0/b" "$1/sysrate-0/a"
    for file in $2; do
        echo "$file" >"$1/sysrate-0/$file"
    done
    chmod "$3" "$1"/sysrate-0/?/*
    touch -d "$4" "$1"/sysrate-0/?/*
    (cd "$1" && SOURCE_DATE_EPOCH=1700000000 "$SRCDIR/scripts/release.sh" sysrate-0 >/dev/null)
}
names=$(seq -f 'a/%02.0f' 20)
pack one "$names" 644 2020-01-01
pack two "$(sort -r <<<"$names")" 600 2021-01-01
check "the archive depends on its contents only" cmp one/sysrate-0.tar.gz two/sysrate-0.tar.gz
check "files are in the order of their names" env LC_ALL=C sort -c <(tar -tzf one/sysrate-0.tar.gz)
check "its checksum is right" env -C one sha256sum --quiet -c SHA256SUMS
check_equal "time and owner are fixed" "0/0 2023-11-14" \
    "$(TZ=UTC tar -tvzf one/sysrate-0.tar.gz | awk '{ print $2, $4 }' | sort -u)"
pack three "a/01 b/01" 644 2020-01-01
# LuaJIT orders tables differently in each process.
for turn in 1 2 3; do
    check "the modules are written, $turn" luajit "$SRCDIR/scripts/embed.lua" content "modules.$turn" \
        "$SRCDIR"/src/workloads/script/lua/*.lua
done
check "the modules inside the program are the same bytes each time" cmp modules.1 modules.2
check "... and again" cmp modules.1 modules.3
check_not "other files, another archive" cmp -s one/sysrate-0.tar.gz three/sysrate-0.tar.gz
finish
