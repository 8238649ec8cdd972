# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034  # for servers.sh and the tests
#
# Differences between MariaDB and MySQL, both of which tests call "mysql". Tests use MariaDB if mariadbd is installed, otherwise
# MySQL (8.4 or later). Sourced by servers.sh:
#
#   $mysql_kind                    "mariadb" or "mysql"
#   mariadb_only NAME              returns 0 if the server is MariaDB; otherwise reports check NAME as skipped
#   $mysqld, $mysqld_settings      the server program, and options that only this kind needs or knows
#   $mysql_client                  the client, without encryption
#   $plain_mysqld                  the server's option that turns encryption off
#   $reload_certificates           a statement
#   $rows_updated_counter          the status variable that counts changed rows, but not those left as they were
#   $log_size_setting              the setting for the size of the redo log, and its value in tests: "NAME BYTES"
#   $replica_privilege             what a user needs to see the lag of a replica
#   $sampling_privilege            what a user needs for --wait-events
#   $primary_settings              options of a server that has a replica ($replica_settings)
#   install_mysql_data FOLDER TMP  fills a folder with the data of a new server, as $as_user; "root" needs no password on the socket
#   forget_identity FOLDER         removes the server's unique id from a copy of such a folder
#   follow PORT USER PASSWORD      the statements that make a server the replica of 127.0.0.1:PORT

if command -v mariadbd >/dev/null || [ -x /usr/sbin/mariadbd ]; then
    mysql_kind=mariadb
    mysqld=$(command -v mariadbd || echo /usr/sbin/mariadbd)
    mysqld_settings=(--innodb-log-file-size=16M)
    mysql_client=(mariadb --no-defaults --skip-ssl)
    plain_mysqld=--skip-ssl
    reload_certificates="FLUSH SSL"
    rows_updated_counter=Handler_update
    log_size_setting="innodb_log_file_size 16777216"
    replica_privilege="SLAVE MONITOR"
    sampling_privilege="PROCESS ON *.*"
    primary_settings="--server-id=1"
    replica_settings="--server-id=2"
else
    mysql_kind=mysql
    mysqld=$(command -v mysqld || echo /usr/sbin/mysqld)
    mysqld_settings=(--innodb-redo-log-capacity=32M --mysqlx=OFF --local-infile=ON --secure-file-priv=NULL)
    mysql_client=(mysql --no-defaults --ssl-mode=DISABLED)
    plain_mysqld=--tls-version=
    reload_certificates="ALTER INSTANCE RELOAD TLS"
    rows_updated_counter=Innodb_rows_updated
    log_size_setting="innodb_redo_log_capacity 33554432"
    replica_privilege="REPLICATION CLIENT"
    sampling_privilege="SELECT ON performance_schema.*"
    primary_settings="--server-id=1 --gtid-mode=ON --enforce-gtid-consistency=ON"
    replica_settings="--server-id=2 --gtid-mode=ON --enforce-gtid-consistency=ON"
fi

mariadb_only() {
    [ $mysql_kind = mariadb ] || { skip "$1" "MariaDB only"; false; }
}

install_mysql_data() {
    if [ $mysql_kind = mariadb ]; then
        "${as_user[@]}" mysql_install_db --no-defaults --datadir="$1" --auth-root-authentication-method=normal --tmpdir="$2" --skip-test-db \
            --skip-name-resolve --innodb-buffer-pool-size=16M "${mysqld_settings[@]}"
    else
        "${as_user[@]}" "$mysqld" --no-defaults --initialize-insecure --datadir="$1" --tmpdir="$2" --innodb-buffer-pool-size=16M \
            --innodb-flush-method=nosync "${mysqld_settings[@]}"
    fi
}

forget_identity() { rm -f "$1/auto.cnf"; }

follow() {
    if [ $mysql_kind = mariadb ]; then
        echo "CHANGE MASTER TO master_host='127.0.0.1', master_port=$1, master_user='$2', master_password='$3',
            master_use_gtid=slave_pos, master_connect_retry=1; START SLAVE"
    else
        echo "CHANGE REPLICATION SOURCE TO source_host='127.0.0.1', source_port=$1, source_user='$2', source_password='$3',
            source_auto_position=1, source_connect_retry=1, get_source_public_key=1; START REPLICA"
    fi
}
