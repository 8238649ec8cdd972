/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/server.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"

const char *server_check_hosts(const char *value)
{
    return *value != '\0' ? NULL : "a comma-separated list of hosts";
}

/* Returns the end of the port number that starts at `p`, or NULL if `p` is not a valid port. */
static const char *skip_port(const char *p)
{
    size_t digits = strspn(p, "0123456789");
    long port = digits > 0 && digits <= 5 ? strtol(p, NULL, 10) : 0;

    return port >= 1 && port <= 65535 ? p + digits : NULL;
}

const char *server_check_ports(const char *value)
{
    const char *p = skip_port(value);

    while (p != NULL && *p == ',')
        p = skip_port(p + 1);
    return p != NULL && *p == '\0' ? NULL : "a comma-separated list of ports from 1 to 65535";
}

const char *server_check_errors(const char *value, size_t (*error)(const char *text),
                                const char *allowed)
{
    if (*value == '\0' || strcmp(value, "all") == 0)
        return NULL;
    for (const char *p = value;; p++) {
        const size_t length = error(p);
        p += length;
        if (length == 0 || *p != ',')
            return length > 0 && *p == '\0' ? NULL : allowed;
    }
}

unsigned server_list_length(char *const *list)
{
    unsigned n = 0;

    while (list != NULL && list[n] != NULL)
        n++;
    return n;
}

struct server_address server_address(char *const *hosts, char *const *ports, unsigned number)
{
    unsigned host_count = server_list_length(hosts);
    unsigned port = number / host_count % server_list_length(ports);

    return (struct server_address){.host = hosts[number % host_count], .port = ports[port]};
}

/* Returns the colon before the port, or NULL if the text has no port. Text with several colons is
 * an IPv6 address without a port, unless the address is in brackets. */
static const char *port_colon(const char *text)
{
    const char *last = strrchr(text, ':');
    bool alone = last != NULL && (strchr(text, ':') == last || last[-1] == ']');

    return alone ? last : NULL;
}

bool server_place(const char *text, struct server_place *place)
{
    const char *colon = port_colon(text);
    const char *port_end = colon != NULL ? skip_port(colon + 1) : NULL;
    size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);

    if (colon != NULL && (port_end == NULL || *port_end != '\0'))
        return false;
    if (text[0] == '[' && length > 2 && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof(place->host) || memchr(text, ',', length) != NULL)
        return false;
    snprintf(place->host, sizeof(place->host), "%.*s", (int)length, text);
    snprintf(place->port, sizeof(place->port), "%s", colon != NULL ? colon + 1 : "");
    return true;
}

void server_find_place(char *const *hosts, char *const *ports, unsigned number,
                       const char *elsewhere, struct server_place *place)
{
    struct server_address address = server_address(hosts, ports, number);

    if (elsewhere != NULL) {
        server_place(elsewhere, place);
        if (place->port[0] == '\0')
            snprintf(place->port, sizeof(place->port), "%s", ports[0]);
    } else {
        snprintf(place->host, sizeof(place->host), "%s", address.host);
        snprintf(place->port, sizeof(place->port), "%s", address.port);
    }
}

/* bind() succeeds only with an address of this machine. */
static bool is_own_address(const char *host)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *address;
    if (getaddrinfo(host, NULL, &hints, &address) != 0)
        return false;
    int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, 0);
    bool own = fd >= 0 && bind(fd, address->ai_addr, address->ai_addrlen) == 0;
    if (fd >= 0)
        close(fd);
    freeaddrinfo(address);
    return own;
}

bool server_is_local(const char *host)
{
    return host[0] == '/' || strcmp(host, "localhost") == 0 || is_own_address(host);
}

unsigned server_count(char *const *hosts, char *const *ports)
{
    return server_list_length(hosts) * server_list_length(ports);
}

void server_write_name(char *const *hosts, char *const *ports, unsigned server, char *name,
                       size_t bytes)
{
    struct server_address address = server_address(hosts, ports, server);

    snprintf(name, bytes, "%s:%s", address.host, address.port);
}
