/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/rowset.h"

#include <string.h>

#include "base/util.h"

#define FIELD_NULL SIZE_MAX

static void reserve(struct rowset *set, size_t bytes)
{
    if (LIKELY(bytes <= set->room - set->used))
        return;
    size_t room = set->room < 512 ? 512 : set->room;
    while (room - set->used < bytes)
        room *= 2;
    set->data = xrealloc(set->data, room);
    set->room = room;
}

void rowset_start(struct rowset *set, uint32_t nfields)
{
    rowset_clear(set);
    set->nfields = nfields;
    if (nfields > set->row_room) {
        set->row = xrealloc(set->row, nfields * sizeof(set->row[0]));
        set->row_room = nfields;
    }
}

void rowset_add(struct rowset *set, const char *text, size_t length)
{
    size_t header = text == NULL ? FIELD_NULL : length;
    size_t bytes = text == NULL ? 0 : length;

    reserve(set, sizeof(header) + bytes);
    /* The length may be at an unaligned address, because it follows the bytes of the last field. */
    memcpy(set->data + set->used, &header, sizeof(header));
    set->used += sizeof(header);
    if (bytes > 0)
        memcpy(set->data + set->used, text, bytes);
    set->used += bytes;
}

void rowset_end_row(struct rowset *set)
{
    set->nrows++;
}

static struct rowset_field read_field(struct rowset *set)
{
    size_t header;

    memcpy(&header, set->data + set->read, sizeof(header));
    set->read += sizeof(header);
    if (header == FIELD_NULL)
        return (struct rowset_field){NULL, 0};
    const char *text = set->data + set->read;
    set->read += header;
    return (struct rowset_field){text, header};
}

const struct rowset_field *rowset_fetch(struct rowset *set)
{
    if (set->read == set->used)
        return NULL;
    for (uint32_t i = 0; i < set->nfields; i++)
        set->row[i] = read_field(set);
    return set->row;
}

void rowset_clear(struct rowset *set)
{
    set->nrows = 0;
    set->nfields = 0;
    set->used = 0;
    set->read = 0;
}

void rowset_fini(struct rowset *set)
{
    free(set->data);
    free(set->row);
    *set = (struct rowset){0};
}
