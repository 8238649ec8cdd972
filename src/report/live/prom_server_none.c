/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces prom_server.c in a program that was built --without-microhttpd. */
#include "report/live/prom_server.h"

#include "base/log.h"

const char *prom_server_library(void)
{
    return NULL;
}

int prom_server_check(void)
{
    log_text(LOG_FATAL, "--prom: this sysrate was built without libmicrohttpd (configure "
                        "--without-microhttpd); --prom-file writes the same metrics to a file");
    return -1;
}

struct prom_server *prom_server_start(const char *address, bool text)
{
    (void)address, (void)text;
    prom_server_check();
    return NULL;
}

void prom_server_stop(struct prom_server *server)
{
    (void)server;
}

void prom_server_publish(struct prom_server *server, char *page, size_t bytes)
{
    (void)server, (void)page, (void)bytes;
}
