#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the messages of configure about missing libraries, and the option --with-dygraphs. Takes half a minute, in a temporary folder.
# Needs the packages that building needs. Run this after changes of configure.ac; CI runs it too.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$work"
failed=0

# configure OPTION...: runs configure, sets `code` to its exit code, and writes its output to the files out and err.
configure() {
    code=0
    "$root/configure" --cache-file="$work/cache" "$@" >out 2>err || code=$?
}

# check NAME COMMAND...: prints whether the command succeeds.
check() {
    name=$1
    shift
    if "$@"; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        sed 's/^/#   /' err
        failed=1
    fi
}

# says NAME TEXT: checks that the messages of configure contain TEXT.
says() {
    check "$1" grep -qF -- "$2" err
}

# Without libraries. This is the only run of configure that does not use the cache, whose results are from a run with libraries.
mkdir empty programs
for folder in $(echo "$PATH" | tr : ' '); do
    ln -s "$folder"/* programs/ 2>/dev/null || true # the first of a name is the one that counts
done
rm -f programs/luajit programs/*_config
PATH=$work/programs PKG_CONFIG_LIBDIR=$work/empty PKG_CONFIG_PATH='' ac_cv_header_liburing_h=no ac_cv_header_libaio_h=no \
    configure --with-dygraphs="$work/empty" --with-mpi
check "without libraries: an error" test "$code" -ne 0
for line in \
    'ck >= 0.7 (package: Debian libck-dev, Fedora ck-devel, Alpine ck-dev)' \
    'jansson >= 2.14 (package: Debian libjansson-dev, Fedora jansson-devel, Alpine jansson-dev)' \
    'libmicrohttpd >= 0.9.71; --without-microhttpd builds without it (package: Debian libmicrohttpd-dev, Fedora libmicrohttpd-devel, Alpine libmicrohttpd-dev)' \
    'the program luajit (package: Debian luajit, Fedora luajit, Alpine luajit)' \
    'luajit (package: Debian libluajit-5.1-dev, Fedora luajit-devel, Alpine luajit-dev)' \
    'sqlite3 >= 3.24 (package: Debian libsqlite3-dev, Fedora sqlite-devel, Alpine sqlite-dev)' \
    'zlib (package: Debian zlib1g-dev, Fedora zlib-devel, Alpine zlib-dev)' \
    'the MySQL client library; --without-mysql builds without it (package: Debian libmariadb-dev, Fedora mariadb-connector-c-devel, Alpine mariadb-connector-c-dev)' \
    'the PostgreSQL client library; --without-pgsql builds without it (package: Debian libpq-dev, Fedora libpq-devel, Alpine libpq-dev)' \
    'the MongoDB client library; --without-mongodb builds without it (package: Debian libmongoc-dev, Fedora mongo-c-driver-devel, Alpine mongo-c-driver-dev)' \
    'Open MPI; --without-mpi builds without it (package: Debian libopenmpi-dev, Fedora openmpi-devel, Alpine openmpi-dev)' \
    "dygraph.min.js and dygraph.min.css in $work/empty; --with-dygraphs=DIR names another folder, --without-html builds without (package: Debian libjs-dygraphs, Fedora none, Alpine none)"; do
    says "missing: ${line%%(*}" "configure: missing: $line"
done
says "what to do" "scripts/install-deps.sh"
check "left out: libcurl" grep -qF "no libcurl: --machine-metrics is left out (package: Debian libcurl4-openssl-dev" out
check "left out: libarchive" grep -qF "no libarchive: replay reads plain logs and logs compressed with gzip only (package: Debian libarchive-dev" out
for library in liburing libaio; do
    check "left out: $library" grep -qF "no $library: fileio does without it (package: Debian $library-dev, Fedora $library-devel, Alpine $library-dev)" out
done
rm -f cache

configure --with-dygraphs
check "--with-dygraphs without a folder: an error" test "$code" -ne 0
says "it says so" "--with-dygraphs needs a folder"

configure --with-dygraphs="$work/none"
check "a folder that is not there: an error" test "$code" -ne 0
says "it names the folder" "dygraph.min.css in $work/none"

# A relative path starts at the build folder.
mkdir charts
echo '/* one */' >charts/dygraph.min.css
echo '/* two */' >charts/dygraph.min.js
configure --with-dygraphs=charts
check "another folder" test "$code" -eq 0
check "it is what pages are built of" grep -qx "DYGRAPHS_DIR = $work/charts" Makefile
check "they can be built" make -s src/report/page/embedded_page.c

# Without the library of the web server, the service, its manual page and --prom are left out.
printf '#!/bin/sh\ncase "$*" in *libmicrohttpd*) exit 1 ;; esac\nexec pkg-config "$@"\n' >no-microhttpd
chmod +x no-microhttpd
rm -f cache
configure --without-html --without-microhttpd PKG_CONFIG="$work/no-microhttpd"
check "--without-microhttpd: configure succeeds" test "$code" -eq 0
make -n all install DESTDIR="$work/nowhere" >commands 2>err || true
check "--without-microhttpd: sysrate is built" grep -q -- '-o src/sysrate ' commands
check "--without-microhttpd: there is no sysrate-serve" sh -c '! grep -q sysrate-serve commands'
check "--without-microhttpd: --prom is left out" sh -c 'grep -q prom_server_none commands && ! grep -q "prom_server\.c" commands'
check "--without-microhttpd: nothing links the library" sh -c '! grep -q -- -lmicrohttpd commands'
check "--without-microhttpd: what stands for it compiles" make -s src/report/live/prom_server_none.o

exit "$failed"
