/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connects to MySQL or MariaDB with the client library: the peer of the times to connect that
 * sysrate reports.
 *
 *     bare_connect_mysql HOST PORT USER PASSWORD DATABASE TLS COUNT
 *
 * TLS is 0 or 1. The timeout is that of sysrate, because it makes the library wait in another way.
 */
#include <mysql.h>

#include "bare_connect.h"

static double connect_once(char **arg)
{
    const double from_ms = now_ms();
    MYSQL *mysql = mysql_init(NULL);
    const unsigned timeout_s = 60;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_s);
    if (atoi(arg[6]) != 0) {
        my_bool enforce = 1;
        mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &enforce);
    }
    if (mysql_real_connect(mysql, arg[1], arg[3], arg[4], arg[5], (unsigned)atoi(arg[2]), NULL,
                           0) == NULL) {
        fprintf(stderr, "%s\n", mysql_error(mysql));
        return -1;
    }
    const double ms = now_ms() - from_ms;
    if (mysql_query(mysql, "SELECT 1") == 0)
        mysql_free_result(mysql_store_result(mysql));
    mysql_close(mysql);
    return ms;
}

int main(int argc, char **argv)
{
    return bare_connect_main(argc, argv, 8, "HOST PORT USER PASSWORD DATABASE TLS COUNT");
}
