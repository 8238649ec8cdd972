/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page/page_json.h"

#include "base/util.h"

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

/* In JSON, '<' occurs in strings only, so it can be replaced by an escape. */
static int write_escaped(const char *buffer, size_t bytes, void *out)
{
    for (size_t i = 0; i < bytes; i++)
        if (buffer[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(buffer[i], out);
    return 0;
}

void page_json_write(const json_t *value, size_t flags, FILE *out)
{
    if (json_dump_callback(value, write_escaped, out, DUMP_FLAGS | flags) != 0)
        checked_alloc(NULL);
}
