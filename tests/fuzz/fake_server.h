/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fake database server that runs in a thread and answers with the contents of a fuzzer's input.
 * It
 * implements as much of the protocol as is needed for the answers to reach the driver.
 *
 * An input is a text. Its first line has a letter for each step of the client (target_databases.c).
 * Each other line is an answer; they are sent in this order. "%41" in an answer is the byte 0x41.
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

/* The connection of a client. */
struct fake_session {
    int client;
    struct fake_server *server;
};

typedef void fake_protocol(struct fake_session *s);

struct fake_server {
    char folder[40];
    char path[80]; /* path of the socket, which is in `folder` */
    int listener, stop;
    fake_protocol *serve;
    char *rest; /* answers that have not been sent yet */
    pthread_t thread;
};

/* Creates a Unix socket with this name in a temporary folder, which exists until the process ends.
 * */
void fake_server_init(struct fake_server *server, const char *socket_name, fake_protocol *serve);
/* Starts to accept clients and to send them `answers`. The text is cut into lines in place. */
void fake_server_start(struct fake_server *server, char *answers);
void fake_server_stop(struct fake_server *server);

/* Functions for protocols. The server has one thread. If another client connects while a function
 * waits for data, the function serves the new client first, until the new client disconnects. */

/* Receives `bytes` bytes. Returns false if the client has disconnected or has sent nothing for
 * fuzz_patience_ms. */
bool fake_receive(struct fake_session *s, void *data, size_t bytes);
/* Receives bytes and ignores them. Returns the same as fake_receive(). */
bool fake_skip(struct fake_session *s, size_t bytes);
/* Sends the bytes of *b and empties it. */
void fake_send(struct fake_session *s, struct bytes *b);

/* Removes the next answer from the input and returns it, or NULL if no answer is left. */
char *fake_answer(struct fake_session *s);
/* Returns the first letter of the next answer, which is not removed, or 0 if no answer is left. */
char fake_next_letter(const struct fake_session *s);
/* If the next answer begins with `letter`, removes it and returns the text after the letter.
 * Otherwise returns NULL. */
char *fake_answer_if(struct fake_session *s, char letter);

/* Appends the bytes of an answer, with "%41" and the like decoded. */
void fake_put(struct bytes *b, const char *text);

#endif
