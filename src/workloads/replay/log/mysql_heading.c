/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/mysql_heading.h"

#include <string.h>

const struct log_reason mysql_told_twice = {"EXECUTEs whose statements the log also has", NULL};

bool mysql_log_is_heading(const struct log_lines *lines)
{
    const char *line = lines->line;
    size_t length = lines->length;
    static const char end[] = "started with:";
    const size_t n = sizeof(end) - 1;
    const char *version = strstr(line, ", Version: ");
    while (length > 0 && line[length - 1] == ' ')
        length--;
    return lines->missing == NULL && line[0] != '#' && version != NULL && length > n &&
           memcmp(line + length - n, end, n) == 0;
}

void mysql_log_skip_heading(struct log_lines *lines)
{
    while (log_lines_next(lines)) {
        if (strncmp(lines->line, "Tcp port:", 9) == 0 || strncmp(lines->line, "TCP Port:", 9) == 0)
            continue;
        if (strncmp(lines->line, "Time  ", 6) != 0 && strncmp(lines->line, "Time\t", 5) != 0)
            log_lines_keep(lines);
        return;
    }
}
