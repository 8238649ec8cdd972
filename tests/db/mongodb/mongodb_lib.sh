# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Starts servers with MongoDB's protocol, in memory, on free ports. Debian has no MongoDB package. The suite uses mongo-java-server,
# which Ivy, a client of Maven, downloads once into the build folder (3 MB, one or two seconds), and our own server fake_mongodb.py
# for features that mongo-java-server lacks. Long tests (scripts/test.sh --long) also use FerretDB on SQLite, which Go builds once in
# one or two minutes. Sourced after cli/lib.sh:
#
#   has_mongodb_driver; need_mongodb_driver NAME
#   fetch_mongodb              downloads the server if needed; returns 1 if this fails, with the reason in $why_not
#   start_mongodb              starts the server MONGODB_SERVER, java (the default) or ferretdb; sets $mongodb_port
#   start_fake_mongodb OPTION...
#   mongodb_options            sets the array $connect to the options that connect to the server
#   signal_mongodb STOP; stop_mongodb
#   mongodb_lua 'LUA'          executes Lua code that uses a connection `con`, and prints its result
#
# All servers are stopped, by process id, when the test ends.

MONGODB_VERSION=1.46.0
# In the build folder, so that all tests use the same download.
MONGODB_JARS=$(dirname "$SYSRATE")/../tests/mongo-java-server-$MONGODB_VERSION
FERRETDB=$(cd "$(dirname "$SYSRATE")/.." && pwd)/tests/ferretdb-1.24.0
: "${MONGODB_SERVER:=java}"
mongodb_pid=

has_mongodb_driver() { "$SYSRATE" --version | grep -q '^  mongodb - '; }

# need_mongodb_driver NAME: skips the rest of the test if the program has no MongoDB driver.
need_mongodb_driver() {
    has_mongodb_driver && return
    skip "$1" "built without the MongoDB driver"
    echo "# 0 checks passed, 0 failed"
    exit 0
}

fetch_java_mongodb() {
    local ivy=/usr/share/java/ivy.jar
    if "$SYSRATE" --version | grep -q 'libmongoc 2'; then
        why_not="mongo-java-server is like MongoDB 4.0, which this libmongoc does not take any more"
        return 1
    elif [ -d "$MONGODB_JARS" ]; then
        return 0
    elif ! command -v java >/dev/null || [ ! -r $ivy ] || [ ! -r /usr/share/java/bsh.jar ]; then
        why_not="no java, ivy or bsh"
        return 1
    fi
    why_not="mongo-java-server cannot be fetched"
    mkdir -p "$(dirname "$MONGODB_JARS")"
    # Downloads to $WORK_DIR first and then moves the files in one step, because other tests may run at the same time.
    timeout 120 java -jar $ivy -cache "$WORK_DIR/ivy" -confs default -warn \
        -dependency de.bwaldvogel mongo-java-server $MONGODB_VERSION \
        -retrieve "$WORK_DIR/jars/[artifact]-[revision].[ext]" >"$WORK_DIR/ivy.log" 2>&1 || return 1
    [ -e "$WORK_DIR/jars/mongo-java-server-core-$MONGODB_VERSION.jar" ] || return 1
    rm -rf "$MONGODB_JARS.new.$$"
    cp -r "$WORK_DIR/jars" "$MONGODB_JARS.new.$$"
    mv -T "$MONGODB_JARS.new.$$" "$MONGODB_JARS" 2>/dev/null || rm -rf "$MONGODB_JARS.new.$$"
    [ -d "$MONGODB_JARS" ]
}

# Sets $go to the first Go compiler that is new enough.
find_go() {
    for go in go /usr/local/go/bin/go /usr/lib/go/bin/go; do
        command -v $go >/dev/null || continue
        GOTOOLCHAIN=local $go version | sed -n 's/.* go1\.\([0-9]*\).*/\1/p' | awk '$1 >= 24 { new = 1 } END { exit !new }' && return
    done
    return 1
}

fetch_ferretdb() {
    [ -x "$FERRETDB" ] && return
    why_not="no Go 1.24 or newer"
    find_go || return 1
    mkdir -p "$(dirname "$FERRETDB")"
    why_not="FerretDB cannot be built: its modules cannot be fetched"
    (cd "$TESTS_DIR/db/ferretdb" && GOTOOLCHAIN=local timeout 120 "$go" mod download) >"$WORK_DIR/go.log" 2>&1 || return 1
    if ! (cd "$TESTS_DIR/db/ferretdb" && GOTOOLCHAIN=local timeout 800 "$go" build -p 2 -o "$FERRETDB.new.$$" .) >"$WORK_DIR/go.log" 2>&1
    then
        fail "FerretDB is built" "$(cat "$WORK_DIR/go.log")"
        finish
    fi
    mv "$FERRETDB.new.$$" "$FERRETDB"
}

# launch_mongodb_server NAME COMMAND...: starts a server, which prints "port N" when it listens.
launch_mongodb_server() {
    local name=$1
    shift
    rm -f "$WORK_DIR/mongodb.out" # that of another one
    "$@" >"$WORK_DIR/mongodb.out" 2>"$WORK_DIR/mongodb.err" &
    mongodb_pid=$!
    wait_for 60 grep -qs '^port [0-9]*$' "$WORK_DIR/mongodb.out"
    mongodb_port=$(sed -n 's/^port //p' "$WORK_DIR/mongodb.out")
    [ -n "$mongodb_port" ] || { fail "the $name starts" "$(cat "$WORK_DIR/mongodb.err")"; finish; }
}

start_java_mongodb() {
    cat >"$WORK_DIR/server.bsh" <<'BSH'
server = new de.bwaldvogel.mongo.MongoServer(new de.bwaldvogel.mongo.backend.memory.MemoryBackend());
print("port " + server.bind().getPort());
BSH
    launch_mongodb_server "Java server" java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
        -cp "$MONGODB_JARS/*:/usr/share/java/bsh.jar" bsh.Interpreter "$WORK_DIR/server.bsh"
}

start_ferretdb() {
    rm -rf "$WORK_DIR/ferretdb"
    mkdir "$WORK_DIR/ferretdb"
    launch_mongodb_server FerretDB "$FERRETDB" "$WORK_DIR/ferretdb"
}

case $MONGODB_SERVER in
ferretdb)
    fetch_mongodb() { fetch_ferretdb; }
    start_mongodb() { start_ferretdb; }
    ;;
*)
    fetch_mongodb() { fetch_java_mongodb; }
    start_mongodb() { start_java_mongodb; }
    ;;
esac

start_fake_mongodb() {
    launch_mongodb_server "server of ours" python3 "$TESTS_DIR/db/fakes/fake_mongodb.py" "$@"
}

mongodb_options() {
    # shellcheck disable=SC2034  # for the test
    connect=(--db-driver=mongodb --mongodb-host=127.0.0.1 --mongodb-port="$mongodb_port")
}

signal_mongodb() {
    kill -s "$1" "$mongodb_pid" 2>/dev/null
}

stop_mongodb() {
    [ -n "$mongodb_pid" ] || return 0
    signal_mongodb CONT
    signal_mongodb KILL
    wait "$mongodb_pid" 2>/dev/null
    mongodb_pid=
}

mongodb_lua() {
    printf 'local con = sysbench.sql.driver():connect()\nprint((function() %s end)())\n' "$1" >"$WORK_DIR/ask.lua"
    "$SYSRATE" "${connect[@]}" --verbosity=0 "$WORK_DIR/ask.lua"
}

# Also stops the servers of servers.sh if this library is used.
end_mongodb_test() {
    stop_mongodb
    if declare -F stop_servers >/dev/null; then stop_servers; fi
    cd / && rm -rf "$WORK_DIR"
}
trap end_mongodb_test EXIT
