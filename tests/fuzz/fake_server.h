/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database server in a thread, which says what an input tells it to. It speaks the protocol so
 * far that the answers reach the driver; what stands in them is the input's.
 *
 * An input is a text. Its first line says what the client does, a letter for each step
 * (target_databases.c), the others are answers in the order in which they are given. "%41" in an answer is
 * the byte 0x41.
 */
#ifndef FAKE_SERVER_H
#define FAKE_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct fake_server;

/* A client, and the server that it has come to. */
struct fake_session {
    int client;
    struct fake_server *server;
};

typedef void fake_protocol(struct fake_session *s);

struct fake_server {
    char folder[40];
    char path[80]; /* of the socket in it */
    int listener, stop;
    fake_protocol *serve;
    char *rest; /* of the answers */
    pthread_t thread;
};

/* `socket_name`: of the socket, in a folder of its own, which is there as long as the process. */
void fake_server_init(struct fake_server *server, const char *socket_name, fake_protocol *serve);
/* From start to stop it answers, with what stands in `answers`, which is cut in place. */
void fake_server_start(struct fake_server *server, char *answers);
void fake_server_stop(struct fake_server *server);

/* For protocols. While a client is silent, another one that comes is served to its end. */

/* False: the client has gone, or sends nothing for fuzz_patience_ms. */
bool fake_receive(struct fake_session *s, void *data, size_t bytes);
/* The same with what is not looked at. */
bool fake_skip(struct fake_session *s, size_t bytes);
/* Sends and empties *b. */
void fake_send(struct fake_session *s, struct bytes *b);

/* The next answer, cut in place; NULL: there is none. */
char *fake_answer(struct fake_session *s);
/* The first letter of the next answer, which is not taken; 0: there is none. */
char fake_next_letter(const struct fake_session *s);
/* The next answer without its first letter if it begins with `letter`, else NULL. */
char *fake_answer_if(struct fake_session *s, char letter);

/* Appends what an answer, or a part of one, stands for. */
void fake_put(struct bytes *b, const char *text);

#endif
