/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

int listen_at(const char *option, const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    int error = getaddrinfo(host, port, &hints, &found);
    if (error != 0) {
        log_text(LOG_FATAL, "%s: %s", option, gai_strerror(error));
        return -1;
    }
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
        bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, SOMAXCONN) != 0) {
        log_errno(LOG_FATAL, "%s: cannot listen there", option);
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

void listen_url(int fd, char url[LISTEN_URL_BYTES])
{
    struct sockaddr_storage own;
    socklen_t length = sizeof(own);
    char host[INET6_ADDRSTRLEN + 24], port[8];
    url[0] = '\0';
    if (getsockname(fd, (struct sockaddr *)&own, &length) != 0 ||
        getnameinfo((struct sockaddr *)&own, length, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    const bool colons = own.ss_family == AF_INET6;
    snprintf(url, LISTEN_URL_BYTES, colons ? "http://[%s]:%s" : "http://%s:%s", host, port);
}
