#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests every TLS mode with servers whose certificate is correct, has another name, or was signed by another authority.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/servers.sh" || exit 1

new_key() { openssl req -new -newkey rsa:2048 -nodes -keyout "$1.key" -subj "/CN=$1" "${@:2}" 2>/dev/null; }

make_authority() { new_key "$1" -x509 -days 2 -out "$1.crt"; }

# make_certificate NAME SUBJECT-ALTERNATIVE-NAME: creates a certificate signed by "authority".
make_certificate() {
    new_key "$1" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 -out "$1.crt" \
        -extfile <(echo "subjectAltName=$2") 2>/dev/null
}

use_certificate() {
    cp "$1.crt" tls/server.crt
    cp "$1.key" tls/server.key
    cp tls/server.crt tls/pg.crt
    cp tls/server.key tls/pg.key
    chmod 600 tls/*.key
    own mysql tls
    if [ "$(id -u)" -eq 0 ]; then
        chown postgres tls/pg.*
    fi
}

make_authority authority
make_authority stranger
make_certificate good IP:127.0.0.1,DNS:localhost
make_certificate other DNS:db.example
mkdir tls
chmod 755 tls
use_certificate good

MYSQL_SETTINGS="--ssl-cert=$WORK_DIR/tls/server.crt --ssl-key=$WORK_DIR/tls/server.key --ssl-ca=$WORK_DIR/authority.crt"
PGSQL_SETTINGS="--ssl=on --ssl_cert_file=$WORK_DIR/tls/pg.crt --ssl_key_file=$WORK_DIR/tls/pg.key"
chmod 644 ./*.crt
start_servers

cat >mysql.lua <<'LUA'
print(select(2, sysbench.sql.driver():connect():query_row("SHOW STATUS LIKE 'Ssl_cipher'")) ~= "")
LUA
cat >pgsql.lua <<'LUA'
print(sysbench.sql.driver():connect():query_row(
   "SELECT CASE WHEN ssl THEN 'true' ELSE 'false' END FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
LUA

# try NAME EXPECTED OPTION...: connects; EXPECTED is "true" (encrypted), "false", or an error message.
try() {
    run "$SYSRATE" "${connect[@]}" "${@:3}" "$server.lua"
    if [ "$2" = true ] || [ "$2" = false ]; then
        check_equal "$server: $1" "0 $2" "$status $(printf '%s\n' "$out" | tail -n 1)"
    else
        check_equal "$server: $1: exit code" 1 "$status"
        check_match "$server: $1" "^FATAL: .*$2" "$err"
    fi
}

# Since version 3.4, Connector/C does not compare the name in the certificate if the host is exactly "localhost", "127.0.0.1" or "::1".
# The program refuses such connections. With "LOCALHOST", the name is compared.
mysql_modes() {
    local name=LOCALHOST by_address=true
    if "$SYSRATE" --version | grep -Eq 'MariaDB Connector/C (3\.([4-9]|[1-9][0-9])|[4-9])'; then
        by_address="does not compare the name .* --mysql-ssl=VERIFY_IDENTITY demands"
    fi
    server=mysql
    connect=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${server_port[mysql]}" --mysql-password=secret)
    ca=--mysql-ssl-ca=authority.crt
    try "without" false
    try "off" false --mysql-ssl=off
    try "DISABLED" false --mysql-ssl=DISABLED
    try "the name alone" true --mysql-ssl
    try "on" true --mysql-ssl=on
    try "PREFERRED" true --mysql-ssl=PREFERRED
    try "REQUIRED" true --mysql-ssl=REQUIRED
    try "required, in small letters" true --mysql-ssl=required
    try "VERIFY_CA" true --mysql-ssl=VERIFY_CA $ca
    try "VERIFY_IDENTITY" true --mysql-ssl=VERIFY_IDENTITY --mysql-host=$name $ca
    try "VERIFY_IDENTITY by address" "$by_address" --mysql-ssl=VERIFY_IDENTITY $ca
    try "VERIFY_CA, a stranger" "(certificate|TLS|SSL)" --mysql-ssl=VERIFY_CA --mysql-ssl-ca=stranger.crt
    try "VERIFY_IDENTITY, a stranger" "(certificate|TLS|SSL)" --mysql-ssl=VERIFY_IDENTITY --mysql-host=$name --mysql-ssl-ca=stranger.crt
    try "VERIFY_CA without authority" "need --mysql-ssl-ca" --mysql-ssl=VERIFY_CA
    try "a mode that is none" "--mysql-ssl: 'maybe'" --mysql-ssl=maybe
    try "compression" true --mysql-ssl=on --mysql-compression=on
    use_certificate other
    mysql_sql "$reload_certificates"
    try "another name, VERIFY_CA" true --mysql-ssl=VERIFY_CA $ca
    try "another name, VERIFY_IDENTITY" "(certificate|TLS|SSL)" --mysql-ssl=VERIFY_IDENTITY --mysql-host=$name $ca
    try "another name, VERIFY_IDENTITY by address" "(certificate|TLS|SSL)" --mysql-ssl=VERIFY_IDENTITY $ca
}

# options_file LINE...: writes an option file.
options_file() { printf '%s\n' '[client]' "$@" >my.cnf; }

# What an option file asks for holds unless --mysql-ssl is given. The server's certificate has another name.
mysql_option_file() {
    local name=--mysql-host=LOCALHOST refused="(certificate|TLS|SSL)" file=--mysql-defaults-file=my.cnf
    options_file ssl-mode=REQUIRED
    try "the file: ssl-mode" true $file
    try "the option wins over the file" false $file --mysql-ssl=off
    options_file '# a comment' 'SSL-mode = "x"' 'loose_ssl_mode = "VERIFY_IDENTITY"' "ssl-ca=$PWD/authority.crt"
    try "the file: VERIFY_IDENTITY" "$refused" $file $name
    # With VERIFY_CA, Connector/C 3.4 compares the name, too, except for an address of this machine.
    options_file ssl-mode=VERIFY_CA "ssl-ca=$PWD/authority.crt"
    try "the file: VERIFY_CA" true $file
    options_file ssl-mode=VERIFY_CA "ssl-ca=$PWD/stranger.crt"
    try "the file: a stranger" "$refused" $file $name
    options_file ssl-mode=PREFERRED
    try "the file: PREFERRED" true $file
    options_file ssl-mode=maybe
    try "the file: a mode that is none" "unknown ssl-mode: maybe" $file
    options_file ssl
    try "the file: ssl" true $file
    options_file "ssl-ca=$PWD/stranger.crt"
    try "the file: an authority alone" "$refused" $file $name
    options_file skip-ssl "ssl-ca=$PWD/stranger.crt"
    try "the file: skip-ssl" false $file
    options_file ssl-verify-server-cert "ssl-ca=$PWD/authority.crt"
    try "the file: ssl-verify-server-cert" "$refused" $file $name
    options_file ssl-mode=REQUIRED ssl-verify-server-cert=1 "ssl-ca=$PWD/authority.crt"
    try "the file: ssl-mode and ssl-verify-server-cert" "$refused" $file $name
    options_file ssl-verify-server-cert=0
    try "the file does not weaken the option" "$refused" $file $name --mysql-ssl=VERIFY_IDENTITY $ca
    options_file "ssl-ca=$PWD/authority.crt"
    try "the authority of the option wins over the file's" "$refused" $file $name --mysql-ssl=VERIFY_CA --mysql-ssl-ca=stranger.crt
    try "the authority may be in the file" true $file --mysql-ssl=VERIFY_CA
    try "but the option turns TLS off" false $file --mysql-ssl=off
    mkdir -p conf.d
    options_file ssl-mode=REQUIRED
    mv my.cnf conf.d/tls.cnf
    options_file "!includedir $PWD/conf.d"
    try "the file includes another" true $file
    mysql_sql "SET GLOBAL require_secure_transport = ON"
    options_file user=sbtest
    try "the server demands TLS" "(insecure transport|Access denied)" $file
    check_match "mysql: the remedy is named" '--mysql-ssl=REQUIRED' "$both"
    mysql_sql "SET GLOBAL require_secure_transport = OFF"
}

# shows_certificate NAME: true if PostgreSQL uses this certificate.
shows_certificate() {
    openssl s_client -starttls postgres -connect "127.0.0.1:${server_port[pgsql]}" </dev/null 2>/dev/null |
        openssl x509 -noout -subject 2>/dev/null | grep -Eq "CN ?= ?$1$"
}

pgsql_modes() {
    server=pgsql
    connect=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="${server_port[pgsql]}" --pgsql-password=secret)
    ca=--pgsql-sslrootcert=authority.crt
    use_certificate good
    pgsql_sql "SELECT pg_reload_conf()" >/dev/null
    check "pgsql: the good certificate is used" wait_for 30 shows_certificate good
    try "without" true
    local mode
    for mode in prefer require; do
        try "$mode" true --pgsql-sslmode=$mode
    done
    for mode in disable allow; do
        try "$mode" false --pgsql-sslmode=$mode
    done
    for mode in verify-ca verify-full; do
        try "$mode" true --pgsql-sslmode=$mode $ca
        try "$mode, a stranger" "certificate verify failed" --pgsql-sslmode=$mode --pgsql-sslrootcert=stranger.crt
    done
    try "a mode that is none" "--pgsql-sslmode: 'maybe'" --pgsql-sslmode=maybe
    use_certificate other
    pgsql_sql "SELECT pg_reload_conf()" >/dev/null
    check "pgsql: the other certificate is used" wait_for 30 shows_certificate other
    try "another name, verify-ca" true --pgsql-sslmode=verify-ca $ca
    try "another name, verify-full" "does not match host name" --pgsql-sslmode=verify-full $ca
}

# The default of --pgsql-sslmode does not replace what the environment or a service file asks for. The server's certificate has another
# name.
pgsql_environment() {
    export PGSSLROOTCERT=$PWD/authority.crt PGSSLMODE=verify-full
    try "PGSSLMODE=verify-full" "does not match host name"
    try "the option wins over PGSSLMODE" true --pgsql-sslmode=require
    export PGSSLMODE=verify-ca
    try "PGSSLMODE=verify-ca" true
    PGSSLROOTCERT=$PWD/stranger.crt try "PGSSLROOTCERT" "certificate verify failed"
    export PGSSLMODE=disable
    try "PGSSLMODE=disable" false
    unset PGSSLMODE
    PGHOSTADDR=127.0.0.3 PGHOST=127.0.0.3 PGPORT=1 PGUSER=nobody PGDATABASE=nosuch try "the place is that of the options" true
    export PGSERVICEFILE=$PWD/service.conf PGSERVICE=bench
    printf '[bench]\nsslmode=verify-full\n' >service.conf
    try "a mode in the service file" "does not match host name"
    try "the option wins over the service file" true --pgsql-sslmode=prefer
    printf '[bench]\nhost=127.0.0.1\nport=%s\nuser=sbtest\ndbname=sbtest\npassword=secret\n' "${server_port[pgsql]}" >service.conf
    connect=(--db-driver=pgsql)
    try "the place is in the service file" true
    try "the option wins over the place in the file" "database \"nosuch\" does not exist" --pgsql-db=nosuch
    PGTARGETSESSIONATTRS=standby try "PGTARGETSESSIONATTRS" "standby|not read-only|recovery"
    PGCHANNELBINDING=require try "PGCHANNELBINDING" "channel binding" --pgsql-sslmode=disable
    printf '[bench]\nhostaddr=127.0.0.1\nport=%s\npassword=secret\n' "${server_port[pgsql]}" >service.conf
    try "an address in the service file" true
    try "would replace the host" "hostaddr" --pgsql-host=127.0.0.1
    unset PGSERVICE PGSERVICEFILE PGSSLROOTCERT
}

# Servers without TLS.
plain_servers() {
    stop_server KILL mysql
    stop_server KILL pgsql
    MYSQL_SETTINGS=$plain_mysqld
    PGSQL_SETTINGS=
    start_server mysql
    start_server pgsql
    server=mysql
    connect=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${server_port[mysql]}" --mysql-password=secret)
    try "PREFERRED, plain server" false --mysql-ssl=PREFERRED
    try "on, plain server" false --mysql-ssl=on
    local mode
    for mode in REQUIRED VERIFY_CA VERIFY_IDENTITY; do
        try "$mode, plain server" "(does not encrypt|support)" --mysql-host=LOCALHOST --mysql-ssl=$mode --mysql-ssl-ca=authority.crt
    done
    server=pgsql
    connect=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="${server_port[pgsql]}" --pgsql-password=secret)
    try "prefer, plain server" false --pgsql-sslmode=prefer
    try "require, plain server" "does not support SSL" --pgsql-sslmode=require
}

mysql_modes
mysql_option_file
pgsql_modes
pgsql_environment
plain_servers
finish
