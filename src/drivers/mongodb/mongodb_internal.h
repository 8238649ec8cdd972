/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and functions shared by the files of the MongoDB driver. */
#ifndef MONGODB_INTERNAL_H
#define MONGODB_INTERNAL_H

#include <mongoc/mongoc.h>

#include "drivers/driver.h"
#include "drivers/password.h"

/* Settings of the driver; do not change after init. The options own all strings not marked as
 * owned. */
struct mongodb_shared {
    char *const *hosts, *const *ports;
    const char *uri; /* used instead of hosts and ports unless NULL */
    const char *user, *auth_source, *database;
    const char *tls, *tls_ca, *tls_cert;
    struct password *password;       /* owned */
    mongoc_read_prefs_t *read_prefs; /* owned; NULL to read from the primary */
    bson_t *write_concern;           /* owned; NULL for the server's default */
    char *const *ignored;            /* list of error numbers, or NULL */
    bool ignore_all;
    bool ignore_lost; /* `ignored` contains a number for a lost connection: ignore all such */
};

struct mongodb_template;

/* Room for "sysrate", two numbers and a time. */
#define MONGODB_NAME_BYTES 72

/* The handle of a connection. */
struct mongodb_connection {
    mongoc_client_t *client;
    char name[MONGODB_NAME_BYTES]; /* application name of the connection on the server */
    uint64_t session;              /* number of the session, if it was asked for */
    uint32_t reader, writer;       /* servers used for reads and for writes; 0 if not chosen yet */
    bson_t **reply; /* answers to the last command: the first, then one for each further batch */
    unsigned replies, room;
    unsigned current;                       /* index of the answer that is being read */
    bson_iter_t row;                        /* position in the batch of this answer */
    bool whole;                             /* the answer has no batch and counts as one row */
    const struct mongodb_template *command; /* the last command */
    struct mongodb_template *text;          /* the last command if it was text; owned */
    char **field_text;                      /* texts of the row fetched last; owned by libbson */
    unsigned fields;
};

/* mongodb.c: name of the symbol that the program looks up in the driver's shared object. */

#define MONGODB_SYMBOL "mongodb_whole_driver"
extern const struct driver_ops mongodb_whole_driver;

/* mongodb_text.c */

enum sql_text_kind mongodb_kind(const char *text, size_t length);
/* An operation of struct driver_ops. */
size_t mongodb_escape(struct driver_conn *conn, char *to, const char *text, size_t length);

/* mongodb_error.c: the numbers are those of the server, also for errors found by the client. */

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

/* True if an error number means that only a new connection helps. */
bool mongodb_is_lost(int code);
/* Fills conn->error with a number and a text. Returns DRIVER_ERROR. */
enum driver_status mongodb_fail(struct driver_conn *conn, int code, const char *text);
/* Fills conn->error from an error of the library and the server's answer, which may be NULL.
 * Returns DRIVER_ERROR. */
enum driver_status mongodb_fail_with(struct driver_conn *conn, const bson_error_t *error,
                                     const bson_t *reply);
/* Fills conn->error from a part of an answer: a document with code, codeName and errmsg. Returns
 * DRIVER_ERROR. */
enum driver_status mongodb_fail_by(struct driver_conn *conn, const bson_iter_t *document);
/* An operation of struct driver_ops. */
const char *mongodb_connect_advice(const struct driver_conn *conn);

/* mongodb_options.c */

/* Fills `shared` from the options. Returns 0, or −1 after a logged message. Call
 * mongodb_shared_fini() in both cases. */
int mongodb_shared_init(struct mongodb_shared *shared, const struct options *options);
void mongodb_shared_fini(struct mongodb_shared *shared);

/* mongodb_template.c: commands with slots for values. */

/* A slot in the BSON of a command: `bytes` bytes at offset `at` are replaced by a value. */
struct mongodb_slot {
    uint32_t at, bytes;
    uint32_t key_bytes; /* length of type and key before the value; the type byte is set with it */
    bool fields;        /* for "$json": the value is a JSON document whose fields are inserted */
    char *literal;      /* the value, if it is part of the command; NULL if it is a parameter */
};

/* A document of the command that contains slots, so that its length has to be corrected. */
struct mongodb_frame {
    uint32_t at;          /* offset in the command */
    unsigned first, last; /* the slots first to last − 1 are inside the document */
};

struct mongodb_template {
    bson_t *command;
    char *database; /* value of "$db"; NULL for the database of the options */
    char **fields;  /* "$fields": an array of `columns` paths; NULL if a row is a whole document */
    unsigned columns;
    bool pairs; /* "$pairs": the answer has one row for each path, with name and value */
    enum sql_text_kind kind;
    struct mongodb_slot *slot;
    unsigned slots;
    struct mongodb_frame *frame;
    unsigned frames;
    unsigned parameters;
    int64_t *growth; /* growth[i]: bytes added to the current command by the slots before i */
    uint8_t *out;    /* the current command, with values */
    size_t used, room;
};

/* Creates a template from a command with '?' for parameters. Returns NULL on failure, with the
 * reason in conn->error. */
struct mongodb_template *mongodb_template_create(struct driver_conn *conn, const char *text,
                                                 size_t length);
void mongodb_template_destroy(struct mongodb_template *template);
/* Fills the slots with the values of the parameters. *command is valid until the next call with the
 * same template. */
enum driver_status mongodb_template_fill(struct driver_conn *conn,
                                         struct mongodb_template *template,
                                         struct sql_param *const *params, bson_t *command);
/* Converts a JSON document to BSON and passes its elements to take(). Returns false if the text is
 * not a document. */
bool mongodb_add_fields(const char *text, size_t length, void (*take)(void *, const void *, size_t),
                        void *arg);

/* mongodb_result.c */

/* Executes a command that was made from `template` and opens its rows. */
enum driver_status mongodb_run(struct driver_conn *conn, const struct mongodb_template *template,
                               const bson_t *command);
/* Executes a command. On success, the caller destroys *reply; after an error, it is not set. */
enum driver_status mongodb_ask(struct driver_conn *conn, const char *database,
                               const bson_t *command, bool write, bson_t *reply);
/* Records the row counts in the answer to a write, or the error that it contains. */
enum driver_status mongodb_account(struct driver_conn *conn, const bson_t *reply);
/* Frees the answers to the last command. */
void mongodb_forget(struct driver_conn *conn);
/* Operations of struct driver_ops. */
enum driver_status mongodb_query(struct driver_conn *conn, const char *text, size_t length);
const struct rowset_field *mongodb_fetch(struct driver_conn *conn);

/* mongodb_connect.c */

enum driver_status mongodb_connect(struct driver_conn *conn);
void mongodb_disconnect(struct driver_conn *conn);
/* Writes the address of the connection's server for messages. True if it is on this machine. */
bool mongodb_where(const struct driver_conn *conn, char *name, size_t bytes);
/* Return the number of servers in the options, and the name of one of them. */
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

/* mongodb_waits.c */

extern const struct driver_waits mongodb_waits;

/* mongodb_load.c */

enum driver_status mongodb_load(struct driver_conn *conn, const char *table, const char *columns,
                                const char *text, size_t length);

#endif
