/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/mysql_heading.h"

#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "workloads/replay/log/log_time.h"

const struct log_reason mysql_told_twice = {"EXECUTEs whose statements the log also has", NULL};

bool mysql_log_is_heading(const struct log_lines *lines)
{
    const char *line = lines->line;
    size_t length = lines->length;
    static const char end[] = "started with:";
    const size_t n = sizeof(end) - 1;
    const char *version = strstr(line, ", Version: ");
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\r'))
        length--;
    return lines->missing == NULL && line[0] != '#' && version != NULL && length > n &&
           memcmp(line + length - n, end, n) == 0;
}

bool mysql_log_is_port(const struct log_lines *lines)
{
    return strncmp(lines->line, "Tcp port:", 9) == 0 || strncmp(lines->line, "TCP Port:", 9) == 0;
}

void mysql_log_skip_heading(struct log_lines *lines)
{
    while (log_lines_next(lines)) {
        if (mysql_log_is_port(lines))
            continue;
        if (strncmp(lines->line, "Time  ", 6) != 0 && strncmp(lines->line, "Time\t", 5) != 0)
            log_lines_keep(lines);
        return;
    }
}

bool mysql_log_is_foreign(const char *line)
{
    static const char *const words[] = {" [Note] ",   " [Warning] ", " [ERROR] ",
                                        " [System] ", " InnoDB: ",   " mysqld_safe "};
    struct log_time time;
    if (strncmp(line, "==> ", 4) == 0)
        return strstr(line, " <==") != NULL;
    if (strncmp(line, "Time", 4) == 0)
        return strncmp(line + 4 + strspn(line + 4, " \t"), "Id Command", 10) == 0;
    if (!log_time_iso(&line, &time) && !log_time_short(&line, &time))
        return false;
    for (size_t i = 0; *line == ' ' && i < ARRAY_SIZE(words); i++)
        if (strstr(line, words[i]) != NULL)
            return true;
    return false;
}

void mysql_log_trim(struct log_lines *lines)
{
    while (lines->length > 0 &&
           (lines->line[lines->length - 1] == ' ' || lines->line[lines->length - 1] == '\r'))
        lines->line[--lines->length] = '\0';
}
