/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake server for PostgreSQL's protocol. The lines up to a 'Z' are the answer to one statement.
 *
 *     CTAG                  success, for example "CUPDATE 3"
 *     ESTATE MESSAGE        an error, for example "E40P01 deadlock detected"
 *     TCOLUMN<tab>COLUMN    starts a result set
 *     =CELL<tab>CELL        a row of the result set; "\N" is NULL
 *     I                     the answer to an empty statement
 *     G, H, W               starts COPY: from the client, to the client, or in both directions
 *     DBYTES, c             rows of COPY to the client, and their end
 *     NMESSAGE              a notice
 *     SNAME=VALUE           a parameter of the session
 *     ZSTATUS               ready for the next statement; the status is I, T or E
 *     KSTATE MESSAGE        as the first answer: refuses the connection
 *     BTYPEBYTES            a message of this type with these bytes
 *
 * libpq 14 to 17 leaks memory if a COPY starts while a result set is open. Therefore reply() ends
 * the
 * result set before a COPY.
 */
#include <string.h>

#include "fake_protocols.h"

/* Messages that the client has sent since the last answer. */
struct asked {
    bool parse, bind, copying;
};

static void put_u32(struct bytes *b, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                             (uint8_t)value};
    bytes_put(b, bytes, sizeof(bytes));
}

static void put_u16(struct bytes *b, unsigned value)
{
    const uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};
    bytes_put(b, bytes, sizeof(bytes));
}

/* Appends a message with this body, and frees the body. */
static void put_message(struct bytes *out, char type, struct bytes *body)
{
    bytes_put(out, &type, 1);
    put_u32(out, (uint32_t)body->count + 4);
    if (body->count > 0)
        bytes_put(out, body->data, body->count);
    bytes_fini(body);
}

static void put_text(struct bytes *b, const char *text)
{
    fake_put(b, text);
    bytes_put(b, "", 1);
}

static void put_simple(struct bytes *out, char type, const char *text)
{
    struct bytes body = {0};
    if (text != NULL)
        put_text(&body, text);
    put_message(out, type, &body);
}

/* Appends an error or a notice, given as "STATE MESSAGE". */
static void put_report(struct bytes *out, char type, char *line)
{
    struct bytes body = {0};
    const char *state = strsep(&line, " ");
    put_text(&body, "SERROR");
    bytes_put(&body, "C", 1);
    put_text(&body, state);
    if (line != NULL) {
        bytes_put(&body, "M", 1);
        put_text(&body, line);
    }
    bytes_put(&body, "", 1);
    put_message(out, type, &body);
}

static void put_row(struct bytes *out, char *row)
{
    struct bytes body = {0}, cells = {0};
    unsigned count = 0;
    for (char *cell; (cell = strsep(&row, "\t")) != NULL; count++) {
        struct bytes plain = {0};
        bool null = strcmp(cell, "\\N") == 0;
        if (!null)
            fake_put(&plain, cell);
        put_u32(&cells, null ? UINT32_MAX : (uint32_t)plain.count);
        if (plain.count > 0)
            bytes_put(&cells, plain.data, plain.count);
        bytes_fini(&plain);
    }
    put_u16(&body, count);
    if (cells.count > 0)
        bytes_put(&body, cells.data, cells.count);
    bytes_fini(&cells);
    put_message(out, 'D', &body);
}

static void put_columns(struct bytes *out, char *line)
{
    struct bytes body = {0}, columns = {0};
    unsigned count = 0;
    for (char *column; (column = strsep(&line, "\t")) != NULL; count++) {
        put_text(&columns, column);
        put_u32(&columns, 0);
        put_u16(&columns, 0);
        put_u32(&columns, 25);
        put_u16(&columns, 0xffff);
        put_u32(&columns, UINT32_MAX);
        put_u16(&columns, 0);
    }
    put_u16(&body, count);
    if (columns.count > 0)
        bytes_put(&body, columns.data, columns.count);
    bytes_fini(&columns);
    put_message(out, 'T', &body);
}

static void put_copy(struct bytes *out, char type)
{
    struct bytes body = {0};
    bytes_put(&body, "", 1);
    put_u16(&body, 0);
    put_message(out, type, &body);
}

static void put_parameter(struct bytes *out, char *line)
{
    struct bytes body = {0};
    const char *name = strsep(&line, "=");
    put_text(&body, name);
    put_text(&body, line != NULL ? line : "");
    put_message(out, 'S', &body);
}

static void put_any(struct bytes *out, const char *line)
{
    struct bytes body = {0};
    char type = *line != '\0' && strchr("TGHW", *line) == NULL ? *line++ : 'Z';
    fake_put(&body, line);
    put_message(out, type, &body);
}

static void put_ready(struct bytes *out, char status)
{
    struct bytes body = {0};
    bytes_put(&body, status != '\0' ? &status : "I", 1);
    put_message(out, 'Z', &body);
}

static void put_answer(struct bytes *out, char *line)
{
    struct bytes body = {0};
    switch (line[0]) {
    case 'C':
        put_simple(out, 'C', line + 1);
        break;
    case 'T':
        put_columns(out, line + 1);
        break;
    case '=':
        put_row(out, line + 1);
        break;
    case 'I':
    case 'c':
        put_simple(out, line[0], NULL);
        break;
    case 'G':
    case 'H':
    case 'W':
        put_copy(out, line[0]);
        break;
    case 'D':
        fake_put(&body, line + 1);
        put_message(out, 'd', &body);
        break;
    case 'N':
        put_report(out, 'N', line + 1);
        break;
    case 'S':
        put_parameter(out, line + 1);
        break;
    case 'B':
        put_any(out, line + 1);
        break;
    default:
        put_report(out, 'E', line + 1);
    }
}

/* Answers one statement. After the start of a COPY from the client, its rows must be received
 * before the next answer. Returns false if no answers are left. */
static bool reply(struct fake_session *s, struct asked *asked)
{
    struct bytes out = {0};
    char *line = NULL;
    char letter = '\0';
    bool open = false;
    if (asked->parse)
        put_simple(&out, '1', NULL);
    if (asked->bind)
        put_simple(&out, '2', NULL);
    *asked = (struct asked){0};
    while (letter != 'Z' && letter != 'G' && letter != 'W' && (line = fake_answer(s)) != NULL) {
        letter = line[0];
        const bool copies = letter == 'G' || letter == 'H' || letter == 'W';
        if (open && copies)
            put_simple(&out, 'C', "SELECT");
        open = letter == 'T' || (open && !copies && letter != 'C' && letter != 'E');
        if (letter == 'Z')
            put_ready(&out, line[1]);
        else
            put_answer(&out, line);
    }
    asked->copying = letter == 'G' || letter == 'W';
    fake_send(s, &out);
    return line != NULL;
}

/* Handles a message of the client. Returns false if the session is over. */
static bool take_message(struct fake_session *s, char type, struct asked *asked)
{
    switch (type) {
    case 'X':
        return false;
    case 'P':
        asked->parse = true;
        return true;
    case 'B':
        asked->bind = true;
        return true;
    case 'S':
    case 'Q':
        return reply(s, asked);
    case 'c':
    case 'f':
        return !asked->copying || reply(s, asked);
    default:
        return true;
    }
}

static bool receive(struct fake_session *s, size_t head, char *type, size_t *bytes)
{
    uint8_t data[5];
    if (!fake_receive(s, data + 5 - head, head))
        return false;
    *type = (char)data[0];
    *bytes = (size_t)data[1] << 24 | (size_t)data[2] << 16 | (size_t)data[3] << 8 | data[4];
    return *bytes >= 4 && *bytes < (1 << 20);
}

/* Answers the start of a session. Messages of the start have no type. Requests for encryption,
 * which have 8 bytes, are refused. Returns false if the session is over. */
static bool greet(struct fake_session *s)
{
    struct bytes out = {0};
    char type, *refusal;
    size_t bytes = 8;
    while (bytes == 8) {
        if (!receive(s, 4, &type, &bytes) || !fake_skip(s, bytes - 4))
            return false;
        if (bytes == 8)
            bytes_put(&out, "N", 1);
        fake_send(s, &out);
    }
    if ((refusal = fake_answer_if(s, 'K')) != NULL) {
        put_report(&out, 'E', refusal);
        fake_send(s, &out);
        return false;
    }
    struct bytes body = {0};
    put_u32(&body, 0);
    put_message(&out, 'R', &body);
    put_ready(&out, 'I');
    fake_send(s, &out);
    return true;
}

void fake_pgsql(struct fake_session *s)
{
    struct asked asked = {0};
    char type;
    size_t bytes;
    if (!greet(s))
        return;
    while (receive(s, 5, &type, &bytes) && fake_skip(s, bytes - 4))
        if (!take_message(s, type, &asked))
            return;
}
