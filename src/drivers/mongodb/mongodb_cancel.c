/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cancels the running command of a connection. The command is found on the server by the
 * connection's application name. */
#include "drivers/mongodb/mongodb_internal.h"

/* Timeout of each step. */
#define PATIENCE_S 1

/* Kills one operation and ignores the answer. */
static void kill_operation(mongoc_client_t *client, uint32_t server, const bson_iter_t *number)
{
    bson_t command = BSON_INITIALIZER;

    BSON_APPEND_INT32(&command, "killOp", 1);
    bson_append_iter(&command, "op", -1, number);
    mongoc_client_command_simple_with_server_id(client, "admin", &command, NULL, server, NULL,
                                                NULL);
    bson_destroy(&command);
}

/* Writes a command that lists the running operations of the connection `name`. It needs no
 * privilege, because the operations belong to the same user. */
static void write_question(bson_t *command, const char *name)
{
    char text[256];

    const int length = snprintf(text, sizeof(text),
                                "{\"aggregate\": 1, \"cursor\": {}, \"pipeline\": "
                                "[{\"$currentOp\": {}}, {\"$match\": {\"appName\": \"%s\"}}]}",
                                name);
    bson_init_from_json(command, text, length, NULL);
}

static void kill_operations(mongoc_client_t *client, uint32_t server, const bson_t *reply)
{
    bson_iter_t it, operation, number;

    if (!bson_iter_init(&it, reply) ||
        !bson_iter_find_descendant(&it, "cursor.firstBatch", &operation) ||
        !bson_iter_recurse(&operation, &it))
        return;
    while (bson_iter_next(&it))
        if (bson_iter_recurse(&it, &operation) && bson_iter_find(&operation, "opid")) {
            number = operation;
            kill_operation(client, server, &number);
        }
}

static void cancel_on(mongoc_client_t *client, uint32_t server, const char *name)
{
    bson_t command, reply;

    write_question(&command, name);
    if (mongoc_client_command_simple_with_server_id(client, "admin", &command, NULL, server, &reply,
                                                    NULL))
        kill_operations(client, server, &reply);
    bson_destroy(&reply);
    bson_destroy(&command);
}

/* Searches all members of a replica set, because it is not known which one executes the command. */
void mongodb_cancel(struct driver_conn *conn)
{
    struct driver_conn other = {.ops = conn->ops,
                                .shared = conn->shared,
                                .number = conn->number,
                                .elsewhere = conn->elsewhere,
                                .connect_timeout_s = PATIENCE_S,
                                .answer_timeout_s = PATIENCE_S};
    size_t servers = 0;

    if (conn->handle == NULL || mongodb_connect(&other) == DRIVER_ERROR)
        return;
    mongoc_client_t *client = ((struct mongodb_connection *)other.handle)->client;
    mongoc_server_description_t **server = mongoc_client_get_server_descriptions(client, &servers);
    for (size_t i = 0; i < servers; i++)
        cancel_on(client, mongoc_server_description_id(server[i]),
                  ((struct mongodb_connection *)conn->handle)->name);
    mongoc_server_descriptions_destroy_all(server, servers);
    mongodb_disconnect(&other);
}
