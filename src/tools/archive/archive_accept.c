/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/archive/archive_accept.h"

#include <string.h>

#include "archive/archive.h"
#include "base/util.h"
#include "report/json/report_shape.h"
#include "tools/capacity/capacity_record.h"

static int accept_search(const char *name, const char *text, size_t bytes)
{
    struct capacity_kept kept;
    const int status = capacity_kept_read(&kept, name, text, bytes);
    capacity_kept_fini(&kept);
    return status;
}

static void ignore(void *arg, const json_t *interval)
{
    (void)arg, (void)interval;
}

static int accept_run(const char *name, const char *text, size_t bytes)
{
    struct report_document document;
    char *copy = checked_alloc(malloc(bytes + 1));
    memcpy(copy, text, bytes);
    if (report_document_parse(&document, name, copy, bytes) != 0)
        return -1;
    int status = report_shape_check(&document, name);
    if (status == 0)
        status = report_document_each(&document, name, ignore, NULL);
    report_document_fini(&document);
    return status;
}

int archive_accept(const char *name, const char *text, size_t bytes)
{
    return archive_is_capacity(text, bytes) ? accept_search(name, text, bytes)
                                            : accept_run(name, text, bytes);
}
