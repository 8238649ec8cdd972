/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_machines.h"

#include <stdio.h>
#include <string.h>

#include "drivers/server.h"
#include "options/options.h"
#include "stats/machine/exporter.h"

#define MACHINES 4

/* Returns true for http://HOST[:PORT][/PATH], also with https. A user, a password or a query might
 * be secret, and would be in the report. */
static bool is_address(const char *url)
{
    struct server_place place;
    char host[SERVER_HOST_BYTES];
    const bool safe = strncmp(url, "https://", strlen("https://")) == 0;
    if (!safe && strncmp(url, "http://", strlen("http://")) != 0)
        return false;
    const char *from = strstr(url, "//") + 2;
    const size_t bytes = strcspn(from, "/");
    if (bytes == 0 || bytes >= sizeof(host) || strpbrk(from, "@?# \t\r\n\"\\") != NULL)
        return false;
    snprintf(host, sizeof(host), "%.*s", (int)bytes, from);
    return server_place(host, &place);
}

const char *sql_machines_check(const char *value)
{
    static const struct option_spec row = {.type = OPTION_LIST};
    struct option_value list = {0};
    char text[128];
    bool good = option_parse(&row, value, &list, text, sizeof(text)) == 0;
    const unsigned count = server_list_length(list.list);
    for (unsigned i = 0; i < count && good; i++)
        good = is_address(list.list[i]);
    option_value_fini(&list);
    if (!good || count < 1 || count > MACHINES)
        return "up to 4 addresses such as http://db1:9100/metrics, separated by commas";
    return exporter_library() != NULL ? NULL
                                      : "none, because this sysrate was built without libcurl";
}

void sql_machines_add(struct probes *probes, char *const *urls)
{
    for (unsigned i = 0; urls != NULL && urls[i] != NULL; i++) {
        struct probe_source source;
        char name[16] = "machine";
        if (i > 0)
            snprintf(name, sizeof(name), "machine%u", i + 1);
        if (exporter_source(&source, name, urls[i]) == 0)
            probes_add(probes, &source);
    }
}
