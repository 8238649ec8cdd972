#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154
#
# Tests users, passwords and TLS of the MongoDB driver on our own server with MongoDB's protocol.
. "$TESTS_DIR/cli/lib.sh" || exit 1
. "$TESTS_DIR/db/mongodb/mongodb_lib.sh" || exit 1

need_mongodb_driver "logging in to MongoDB"
echo 'print("count " .. sysbench.sql.driver():connect():query_row([[{"count": "c", "$fields": ["n"]}]]))' >count.lua

# refused NAME PATTERN OPTION...: the connection must fail with a message that matches; accepted NAME OPTION...: it must succeed.
refused() {
    run "$SYSRATE" "${connect[@]}" "${@:3}" count.lua
    check_equal "$1: exit code" 1 "$status"
    check_match "$1" "$2" "$err"
    check_no_match "$1: no password is shown" 's3cret' "$both"
}

accepted() {
    run "$SYSRATE" "${connect[@]}" "${@:2}" --verbosity=2 count.lua
    check_equal "$1" "0 count 0" "$status $out"
}

start_fake_mongodb --auth=joe:s3cret
mongodb_options
refused "nobody" '^FATAL: mongodb driver: error 13 \(Unauthorized: command count requires authentication\)'
refused "a wrong password" '^FATAL: unable to connect with the mongodb driver: .*Authentication failed' --mongodb-user=joe --mongodb-password=wr0ng
check_match "a wrong password: what to do" '^[^:]*--mongodb-user, --mongodb-password and --mongodb-auth-source' "$err"
refused "another user" 'Authentication failed' --mongodb-user=jim --mongodb-password=s3cret
accepted "the password" --mongodb-user=joe --mongodb-password=s3cret
echo s3cret >password
accepted "the password in a file" --mongodb-user=joe --mongodb-password-file=password
refused "no such file" '^FATAL: cannot read --mongodb-password-file=nosuch' --mongodb-user=joe --mongodb-password-file=nosuch
accepted "a user in the connection string" --mongodb-uri="mongodb://joe@127.0.0.1:$mongodb_port/?authSource=admin" --mongodb-password=s3cret
refused "TLS on a server without" '^FATAL: unable to connect with the mongodb driver: ' --mongodb-tls=require
stop_mongodb

# Creates two certificate authorities, "authority" and "stranger", and a server certificate for localhost.
for name in authority stranger; do
    openssl req -x509 -newkey rsa:2048 -nodes -keyout $name.key -out $name.pem -days 2 -subj "/CN=$name" >openssl.log 2>&1
done
openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost >>openssl.log 2>&1
openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -out server.crt \
    -extfile <(echo subjectAltName=DNS:localhost) >>openssl.log 2>&1
cat server.crt server.key >server.pem
start_fake_mongodb --tls=server.pem
mongodb_options
refused "a server that wants TLS" '^FATAL: unable to connect with the mongodb driver: '
accepted "require" --mongodb-tls=require
refused "verify-ca without the authority" 'TLS|certificate' --mongodb-tls=verify-ca
check_match "verify-ca: what to do" '^[^:]*--mongodb-tls, --mongodb-tls-ca and --mongodb-tls-cert' "$err"
refused "verify-ca with a stranger" 'TLS|certificate' --mongodb-tls=verify-ca --mongodb-tls-ca=stranger.pem
accepted "verify-ca" --mongodb-tls=verify-ca --mongodb-tls-ca=authority.pem
refused "verify-full under another name" 'TLS|certificate' --mongodb-tls=verify-full --mongodb-tls-ca=authority.pem
accepted "verify-full" --mongodb-tls=verify-full --mongodb-tls-ca=authority.pem --mongodb-host=localhost
finish
