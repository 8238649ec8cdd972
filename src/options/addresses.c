/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/addresses.h"

#include <string.h>

#include "base/util.h"

#define LOOPBACK "127.0.0.1"

static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= 5 && text[digits] == '\0' && atoi(text) <= UINT16_MAX;
}

/* Returns the host without brackets, or NULL if it is malformed. The caller frees it. */
static char *parse_host(const char *text, size_t length)
{
    if (text[0] == '[' && length > 2 && text[length - 1] == ']') {
        text++;
        length -= 2;
    } else if (memchr(text, ':', length) != NULL) {
        return NULL;
    }
    if (memchr(text, '[', length) != NULL || memchr(text, ']', length) != NULL)
        return NULL;
    return length == 0 ? xstrdup(LOOPBACK) : checked_alloc(strndup(text, length));
}

bool listen_address_parse(struct listen_address *address, const char *text)
{
    const char *colon = strrchr(text, ':');
    const char *port = colon != NULL ? colon + 1 : text;
    char *host = parse_host(text, colon != NULL ? (size_t)(colon - text) : 0);
    if (host == NULL || !is_port(port)) {
        free(host);
        return false;
    }
    *address = (struct listen_address){.host = host, .port = xstrdup(port)};
    return true;
}

void listen_address_fini(struct listen_address *address)
{
    free(address->host);
    free(address->port);
    *address = (struct listen_address){0};
}

const char *listen_address_check(const char *text)
{
    struct listen_address address;
    if (!listen_address_parse(&address, text))
        return "[ADDRESS:]PORT, such as 9464 or 127.0.0.1:9464, with a port up to 65535; 0: any "
               "free port";
    listen_address_fini(&address);
    return NULL;
}
