/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Like bare_select_mysql.c, but with libmongoc. Finds a document by its id, in the way of the
 * library's examples. Usage: bare_select_mongodb PORT TABLE_SIZE EVENTS.
 */
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void find(mongoc_collection_t *collection, int id)
{
    const bson_t *document;
    bson_error_t error;
    bson_t filter = BSON_INITIALIZER;

    BSON_APPEND_INT64(&filter, "_id", id);
    mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(collection, &filter, NULL, NULL);
    unsigned found = 0;
    while (mongoc_cursor_next(cursor, &document))
        found++;
    if (mongoc_cursor_error(cursor, &error) || found != 1)
        fail("find", found != 1 ? "no document" : error.message);
    mongoc_cursor_destroy(cursor);
    bson_destroy(&filter);
}

int main(int argc, char **argv)
{
    char uri[64];

    if (argc != 4)
        fail(argv[0], "usage: PORT TABLE_SIZE EVENTS");
    int rows = atoi(argv[2]);
    unsigned long events = strtoul(argv[3], NULL, 10);
    mongoc_init();
    snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%s/?directConnection=true", argv[1]);
    mongoc_client_t *client = mongoc_client_new(uri);
    if (client == NULL)
        fail("connect", uri);
    mongoc_collection_t *collection = mongoc_client_get_collection(client, "sbtest", "jsondoc1");

    for (unsigned long i = 0; i < events; i++)
        find(collection, 1 + (int)(random() % rows));
    printf("total number of events: %lu\n", events);
    mongoc_collection_destroy(collection);
    mongoc_client_destroy(client);
    mongoc_cleanup();
    return 0;
}
