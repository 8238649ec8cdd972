/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the MongoDB driver share. */
#ifndef MONGODB_INTERNAL_H
#define MONGODB_INTERNAL_H

#include <mongoc/mongoc.h>

#include "drivers/driver.h"

/* Constant once it is made; strings belong to the options unless said otherwise. */
struct mongodb_shared {
    char *const *hosts, *const *ports;
    const char *uri; /* in place of hosts and ports; NULL: none */
    const char *user, *auth_source, *database;
    const char *tls, *tls_ca, *tls_cert;
    char *password;                  /* owned; NULL: none */
    mongoc_read_prefs_t *read_prefs; /* owned; NULL: the primary */
    bson_t *write_concern;           /* owned; NULL: the server's default */
    char *const *ignored;            /* numbers of errors; NULL: none */
    bool ignore_all;
    bool ignore_lost; /* an error that means a lost connection is ignored, as all of them are */
};

struct mongodb_template;

/* Room for "sysrate", two numbers and a time. */
#define MONGODB_NAME_BYTES 72

/* The handle of a connection. */
struct mongodb_connection {
    mongoc_client_t *client;
    char name[MONGODB_NAME_BYTES]; /* under which the server knows it */
    uint32_t reader, writer; /* servers that commands go to; 0: not chosen yet */
    bson_t **reply; /* answers of the last command: the first, then one for each further batch … */
    unsigned replies, room;
    unsigned current;                       /* … which of them is read … */
    bson_iter_t row;                        /* … and where, in its batch, */
    bool whole;                             /* or as one row */
    const struct mongodb_template *command; /* that was answered */
    struct mongodb_template *text;          /* that, if it was given as text; owned */
    char **field_text;                      /* of the row fetched last; owned by libbson */
    unsigned fields;
};

/* mongodb.c: the name by which the program finds the driver in its file. */

#define MONGODB_SYMBOL "mongodb_whole_driver"
extern const struct driver_ops mongodb_whole_driver;

/* mongodb_text.c */

enum sql_text_kind mongodb_kind(const char *text, size_t length);
/* An operation of struct driver_ops. */
size_t mongodb_escape(struct driver_conn *conn, char *to, const char *text, size_t length);

/* mongodb_error.c: numbers are those of the server, also for what the client has found. */

enum mongodb_code {
    MONGODB_BAD_VALUE = 2,
    MONGODB_UNREACHABLE = 6,
    MONGODB_NO_HOST = 7,
    MONGODB_UNPARSED = 9,
    MONGODB_UNAUTHORIZED = 13,
    MONGODB_NOT_AUTHENTICATED = 18,
    MONGODB_BAD_TLS = 141,
    MONGODB_TOO_OLD = 188,
    MONGODB_LOST = 9001,
};

/* Whether the number of an error means that only a new connection helps. */
bool mongodb_is_lost(int code);
/* Fill conn->error and return DRIVER_ERROR: from a number and a text, … */
enum driver_status mongodb_fail(struct driver_conn *conn, int code, const char *text);
/* … from what the library says, and the server's answer, if there is one (NULL: none). */
enum driver_status mongodb_fail_with(struct driver_conn *conn, const bson_error_t *error,
                                     const bson_t *reply);
/* Of one that is part of an answer: a document with code, codeName and errmsg. */
enum driver_status mongodb_fail_by(struct driver_conn *conn, const bson_iter_t *document);
/* An operation of struct driver_ops. */
const char *mongodb_connect_advice(const struct driver_conn *conn);

/* mongodb_options.c */

/* What the options come to. −1 after a logged message; mongodb_shared_fini() is due also then. */
int mongodb_shared_init(struct mongodb_shared *shared, const struct options *options);
void mongodb_shared_fini(struct mongodb_shared *shared);

/* mongodb_template.c: commands with places for values. */

/* A place in the BSON of a command: `bytes` bytes at `at` are replaced. */
struct mongodb_slot {
    uint32_t at, bytes;
    uint32_t key_bytes; /* type and key stand so long before the value; the type changes with it */
    bool fields;        /* "$json": the fields of a document as text */
    char *literal;      /* that text, where it is part of the command; NULL: it is a parameter */
};

/* A document of the command with places in it: its length depends on them. */
struct mongodb_frame {
    uint32_t at;
    unsigned first, behind; /* the places that are inside: behind − first of them */
};

struct mongodb_template {
    bson_t *command;
    char *database; /* "$db"; NULL: that of the options */
    char **fields;  /* "$fields", as many as `columns`; NULL: a row is a document */
    unsigned columns;
    bool pairs; /* "$pairs": of one answer, a row for each of these paths, its name and value */
    enum sql_text_kind kind;
    struct mongodb_slot *slot;
    unsigned slots;
    struct mongodb_frame *frame;
    unsigned frames;
    unsigned parameters;
    int64_t *growth; /* by the places before the i-th, of those in hand */
    uint8_t *out;    /* the command in hand */
    size_t used, room;
};

/* Makes the template of a command, with '?' for parameters. NULL: conn->error says why. */
struct mongodb_template *mongodb_template_create(struct driver_conn *conn, const char *text,
                                                 size_t length);
void mongodb_template_destroy(struct mongodb_template *template);
/*
 * Puts the values of the parameters in their places. *command is good until the next call with the
 * same template.
 */
enum driver_status mongodb_template_fill(struct driver_conn *conn,
                                         struct mongodb_template *template,
                                         struct sql_param *const *params, bson_t *command);
/*
 * Gives the elements of a document that is given as JSON to take(), in the form of BSON. False: it
 * is no document.
 */
bool mongodb_add_fields(const char *text, size_t length, void (*take)(void *, const void *, size_t),
                        void *arg);

/* mongodb_result.c */

/* Executes a command; `template` says what it is and how its rows look. */
enum driver_status mongodb_run(struct driver_conn *conn, const struct mongodb_template *template,
                               const bson_t *command);
/* Executes a command and leaves its answer to the caller, who destroys it; not after an error. */
enum driver_status mongodb_ask(struct driver_conn *conn, const char *database,
                               const bson_t *command, bool write, bson_t *reply);
/* What a write has come to: the counts, or the error that its answer holds. */
enum driver_status mongodb_account(struct driver_conn *conn, const bson_t *reply);
/* Gives up what is left of the last answer. */
void mongodb_forget(struct driver_conn *conn);
/* Operations of struct driver_ops. */
enum driver_status mongodb_query(struct driver_conn *conn, const char *text, size_t length);
const struct rowset_field *mongodb_fetch(struct driver_conn *conn);

/* mongodb_connect.c */

enum driver_status mongodb_connect(struct driver_conn *conn);
void mongodb_disconnect(struct driver_conn *conn);
/* Writes how the user knows the endpoint of a connection. True: it is on this machine. */
bool mongodb_where(const struct driver_conn *conn, char *name, size_t bytes);
/* How many servers the options name, and what to call each of them. */
unsigned mongodb_servers(const void *shared);
void mongodb_server_name(const void *shared, unsigned server, char *name, size_t bytes);

/* mongodb_stmt.c */

enum driver_status mongodb_prepare(struct driver_stmt *stmt, const char *text, size_t length);
enum driver_status mongodb_execute(struct driver_stmt *stmt, struct sql_param *const *params,
                                   unsigned count);
void mongodb_close_statement(struct driver_stmt *stmt);

/* mongodb_cancel.c */

/* An operation of struct driver_ops. */
void mongodb_cancel(struct driver_conn *conn);

/* mongodb_watch.c */

extern const struct driver_watch mongodb_watch;

/* mongodb_load.c */

enum driver_status mongodb_load(struct driver_conn *conn, const char *table, const char *columns,
                                const char *text, size_t length);

#endif
