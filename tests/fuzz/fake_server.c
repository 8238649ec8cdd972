/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake_server.h"

#include <ctype.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/util.h"
#include "fuzz.h"

/* Longer answers are not sent. Others are sent without waiting for the client to receive them. */
#define SEND_BYTES_MAX (1 << 20)

static const struct fake_server *known[4]; /* servers whose sockets are removed at exit */
static unsigned known_count;

static void remove_sockets(void)
{
    for (unsigned i = 0; i < known_count; i++) {
        unlink(known[i]->path);
        rmdir(known[i]->folder);
    }
}

void fake_server_init(struct fake_server *server, const char *socket_name, fake_protocol *serve)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *server = (struct fake_server){.folder = "/tmp/sysrate-fuzz.XXXXXX", .serve = serve};
    FUZZ_CHECK(mkdtemp(server->folder) != NULL);
    snprintf(server->path, sizeof(server->path), "%s/%s", server->folder, socket_name);
    memcpy(address.sun_path, server->path, sizeof(server->path));
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    server->stop = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    FUZZ_CHECK(bind(server->listener, (struct sockaddr *)&address, sizeof(address)) == 0);
    FUZZ_CHECK(listen(server->listener, 8) == 0);
    if (known_count == 0)
        atexit(remove_sockets);
    known[known_count++] = server;
}

static int accept_client(const struct fake_server *server)
{
    return accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
}

static void serve_client(struct fake_server *server)
{
    struct fake_session s = {.client = accept_client(server), .server = server};
    if (fake_next_letter(&s) != '\0')
        server->serve(&s);
    close(s.client);
}

/*
 * Waits for data from the client, which may be −1, and serves other clients that connect. Returns
 * true if there is data, false after the timeout or if the server must stop.
 */
static bool wait_for(struct fake_server *server, int client, int timeout_ms)
{
    struct pollfd fds[] = {{.fd = server->stop, .events = POLLIN},
                           {.fd = client, .events = POLLIN},
                           {.fd = server->listener, .events = POLLIN}};
    while (poll(fds, ARRAY_SIZE(fds), timeout_ms) > 0 && fds[0].revents == 0) {
        if (fds[1].revents != 0)
            return true;
        serve_client(server);
    }
    return false;
}

static void *serve_clients(void *server)
{
    wait_for(server, -1, -1);
    return NULL;
}

void fake_server_start(struct fake_server *server, char *answers)
{
    server->rest = answers;
    FUZZ_CHECK(pthread_create(&server->thread, NULL, serve_clients, server) == 0);
}

void fake_server_stop(struct fake_server *server)
{
    uint64_t one = 1;
    FUZZ_CHECK(write(server->stop, &one, sizeof(one)) == sizeof(one));
    pthread_join(server->thread, NULL);
    FUZZ_CHECK(read(server->stop, &one, sizeof(one)) == sizeof(one));
    /* Close connections that were not accepted yet. */
    struct pollfd left = {.fd = server->listener, .events = POLLIN};
    while (poll(&left, 1, 0) > 0)
        close(accept_client(server));
}

bool fake_receive(struct fake_session *s, void *data, size_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        if (!wait_for(s->server, s->client, fuzz_patience_ms))
            return false;
        ssize_t got = recv(s->client, to, bytes, 0);
        if (got <= 0)
            return false;
        to += got;
        bytes -= (size_t)got;
    }
    return true;
}

bool fake_skip(struct fake_session *s, size_t bytes)
{
    char block[4096];
    bool good = true;
    for (; good && bytes > 0; bytes -= min_u64(bytes, sizeof(block)))
        good = fake_receive(s, block, min_u64(bytes, sizeof(block)));
    return good;
}

void fake_send(struct fake_session *s, struct bytes *b)
{
    if (b->count > 0 && b->count <= SEND_BYTES_MAX) {
        size_t sent = 0;
        ssize_t n = 1;
        for (; sent < b->count && n > 0; sent += n > 0 ? (size_t)n : 0)
            n = send(s->client, b->data + sent, b->count - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    bytes_fini(b);
    *b = (struct bytes){0};
}

char *fake_answer(struct fake_session *s)
{
    return fuzz_line(&s->server->rest);
}

char fake_next_letter(const struct fake_session *s)
{
    return s->server->rest != NULL ? *s->server->rest : '\0';
}

char *fake_answer_if(struct fake_session *s, char letter)
{
    return fake_next_letter(s) == letter ? fake_answer(s) + 1 : NULL;
}

static int digit_of(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

void fake_put(struct bytes *b, const char *text)
{
    for (; *text != '\0'; text++) {
        uint8_t byte = (uint8_t)*text;
        if (byte == '%' && isxdigit((unsigned char)text[1]) && isxdigit((unsigned char)text[2])) {
            byte = (uint8_t)(digit_of(text[1]) * 16 + digit_of(text[2]));
            text += 2;
        }
        bytes_put(b, &byte, 1);
    }
}
