/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces exporter.c in a program that was built without libcurl. */
#include "base/log.h"
#include "stats/machine/exporter.h"

const char *exporter_library(void)
{
    return NULL;
}

int exporter_source(struct probe_source *source, const char *name, const char *url)
{
    (void)source, (void)name, (void)url;
    log_text(LOG_FATAL, "--machine-metrics: this sysrate was built without libcurl");
    return -1;
}
