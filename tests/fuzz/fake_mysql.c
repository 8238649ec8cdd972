/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake server for MySQL's protocol. Each command of the client is answered by one of these lines. A
 * '+' means that another result follows.
 *
 *     O[+]AFFECTED WARNINGS INFO    success, for example "O+1 0 Rows matched: 1"
 *     ECODE STATE MESSAGE           an error, for example "E1213 40001 Deadlock found"
 *     R[+]COLUMN<tab>COLUMN         a result set in the text format; a column is NAME or TYPE:NAME
 *     S[+]COLUMN<tab>COLUMN         a result set in the binary format of prepared statements
 *     =CELL<tab>CELL                a row of the preceding result set; "\N" is NULL
 *     PPARAMETERS COLUMNS           a statement was prepared; numbers of parameters and columns
 *     LNAME                         requests a file from the client
 *     GCODE STATE MESSAGE           as the first answer: refuses the connection
 *     BBYTES                        a packet with these bytes
 *     HBYTES                        these bytes without a packet header
 */
#include <stdlib.h>
#include <string.h>

#include "fake_protocols.h"

#define MORE_RESULTS 0x0008
#define COLUMNS_MAX 64
#define TYPE_STRING 0xfd
#define COM_QUIT 0x01
#define COM_STMT_LONG_DATA 0x18
#define COM_STMT_CLOSE 0x19

/* The answer to one command. */
struct reply {
    struct fake_session *s;
    struct bytes out;
    uint8_t sequence;
};

static void put_number(struct bytes *b, uint64_t value, unsigned bytes)
{
    for (; bytes > 0; bytes--, value >>= 8) {
        uint8_t byte = (uint8_t)value;
        bytes_put(b, &byte, 1);
    }
}

/* Appends a number in the length-encoded format of the protocol. */
static void put_length(struct bytes *b, uint64_t value)
{
    if (value < 251) {
        put_number(b, value, 1);
    } else {
        put_number(b, 0xfe, 1);
        put_number(b, value, 8);
    }
}

static void put_text(struct bytes *b, const char *text)
{
    struct bytes plain = {0};
    fake_put(&plain, text);
    put_length(b, plain.count);
    if (plain.count > 0)
        bytes_put(b, plain.data, plain.count);
    bytes_fini(&plain);
}

/* Appends a packet with this body, and frees the body. */
static void put_packet(struct reply *r, struct bytes *body)
{
    put_number(&r->out, body->count, 3);
    put_number(&r->out, r->sequence++, 1);
    if (body->count > 0)
        bytes_put(&r->out, body->data, body->count);
    bytes_fini(body);
}

static bool has_more(char **line)
{
    bool more = **line == '+';
    *line += more;
    return more;
}

static bool put_ok(struct reply *r, char *line)
{
    struct bytes body = {0};
    const bool more = has_more(&line);
    const uint64_t affected = strtoull(line, &line, 10);
    const unsigned long warnings = strtoul(line, &line, 10);
    put_number(&body, 0, 1);
    put_length(&body, affected);
    put_length(&body, 0);
    put_number(&body, more ? MORE_RESULTS | 2 : 2, 2);
    put_number(&body, warnings, 2);
    if (*line == ' ')
        put_text(&body, line + 1);
    put_packet(r, &body);
    return more;
}

/*
 * Replaces error code 65535, with which MariaDB reports progress. If this code comes in place of
 * the
 * greeting, libmariadb 3.3 crashes: it reads the server's version, which is not known yet.
 */
static uint16_t without_progress(uint16_t code)
{
    return code == 65535 ? 65534 : code;
}

static void put_error(struct reply *r, char *line, bool greets)
{
    struct bytes body = {0};
    const uint16_t given = (uint16_t)strtoul(line, &line, 10);
    const uint16_t code = greets ? without_progress(given) : given;
    char state[6] = "HY000";
    if (*line == ' ')
        line++;
    for (unsigned i = 0; i < 5 && *line != '\0'; i++)
        state[i] = *line++;
    put_number(&body, 0xff, 1);
    put_number(&body, code, 2);
    bytes_put(&body, "#", 1);
    bytes_put(&body, state, 5);
    fake_put(&body, *line == ' ' ? line + 1 : line);
    put_packet(r, &body);
}

static void put_end(struct reply *r, bool more)
{
    struct bytes body = {0};
    put_number(&body, 0xfe, 1);
    put_number(&body, 0, 2);
    put_number(&body, more ? MORE_RESULTS | 2 : 2, 2);
    put_packet(r, &body);
}

/* Appends the definition of a column. Returns the type of the column. */
static uint8_t put_column(struct reply *r, char *column)
{
    struct bytes body = {0};
    char *colon = strchr(column, ':');
    uint8_t type = colon != NULL ? (uint8_t)strtoul(column, NULL, 10) : TYPE_STRING;
    const char *name = colon != NULL ? colon + 1 : column;
    static const char *const before[] = {"def", "db", "t", "t"};
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
        put_text(&body, before[i]);
    put_text(&body, name);
    put_text(&body, name);
    put_number(&body, 12, 1);
    put_number(&body, 33, 2);
    put_number(&body, 255, 4);
    put_number(&body, type, 1);
    put_number(&body, 0, 5);
    put_packet(r, &body);
    return type;
}

/* True if values of this type are sent with their length; the other types have a fixed size. */
static bool has_length(uint8_t type)
{
    return type == 0 || type == 15 || type == 16 || type >= 0xf5;
}

static void put_text_row(struct reply *r, char *row)
{
    struct bytes body = {0};
    char *cell;
    while ((cell = strsep(&row, "\t")) != NULL)
        if (strcmp(cell, "\\N") == 0)
            put_number(&body, 0xfb, 1);
        else
            put_text(&body, cell);
    put_packet(r, &body);
}

static void put_binary_row(struct reply *r, char *row, const uint8_t *type, unsigned count)
{
    struct bytes body = {0}, cells = {0};
    uint8_t nulls[COLUMNS_MAX / 8 + 2] = {0};
    for (unsigned i = 0; i < count; i++) {
        const char *cell = row != NULL ? strsep(&row, "\t") : "\\N";
        if (strcmp(cell, "\\N") == 0)
            nulls[(i + 2) / 8] |= (uint8_t)(1u << ((i + 2) % 8));
        else if (has_length(type[i]))
            put_text(&cells, cell);
        else
            fake_put(&cells, cell);
    }
    put_number(&body, 0, 1);
    bytes_put(&body, nulls, (count + 7 + 2) / 8);
    if (cells.count > 0)
        bytes_put(&body, cells.data, cells.count);
    bytes_fini(&cells);
    put_packet(r, &body);
}

static bool put_rows(struct reply *r, char *line, bool binary)
{
    struct bytes body = {0};
    uint8_t type[COLUMNS_MAX];
    char *columns[COLUMNS_MAX], *row;
    unsigned count = 0;
    const bool more = has_more(&line);
    while (count < COLUMNS_MAX && (columns[count] = strsep(&line, "\t")) != NULL)
        count++;
    put_length(&body, count);
    put_packet(r, &body);
    for (unsigned i = 0; i < count; i++)
        type[i] = put_column(r, columns[i]);
    put_end(r, false);
    while ((row = fake_answer_if(r->s, '=')) != NULL)
        if (binary)
            put_binary_row(r, row, type, count);
        else
            put_text_row(r, row);
    put_end(r, more);
    return more;
}

static void put_prepared(struct reply *r, char *line)
{
    struct bytes body = {0};
    const unsigned long parameters = strtoul(line, &line, 10) % COLUMNS_MAX;
    const unsigned long columns = strtoul(line, NULL, 10) % COLUMNS_MAX;
    char name[] = "c";
    put_number(&body, 0, 1);
    put_number(&body, 1, 4);
    put_number(&body, columns, 2);
    put_number(&body, parameters, 2);
    put_number(&body, 0, 3);
    put_packet(r, &body);
    for (unsigned long i = 0; i < parameters; i++)
        put_column(r, name);
    if (parameters > 0)
        put_end(r, false);
    for (unsigned long i = 0; i < columns; i++)
        put_column(r, name);
    if (columns > 0)
        put_end(r, false);
}

/* Receives a packet of the client. Sets *command to its first byte, or to −1 if the packet is
 * empty. Returns false if the client has disconnected. */
static bool receive(struct fake_session *s, int *command, uint8_t *sequence)
{
    uint8_t head[4], first = 0;
    if (!fake_receive(s, head, sizeof(head)))
        return false;
    size_t bytes = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
    *sequence = head[3];
    *command = -1;
    if (bytes == 0)
        return true;
    if (!fake_receive(s, &first, 1) || !fake_skip(s, bytes - 1))
        return false;
    *command = first;
    return true;
}

/* Requests a file from the client and receives it, up to an empty packet. */
static void ask_for_file(struct reply *r, const char *name)
{
    struct bytes body = {0};
    int command = 0;
    put_number(&body, 0xfb, 1);
    fake_put(&body, name);
    put_packet(r, &body);
    fake_send(r->s, &r->out);
    while (command != -1 && receive(r->s, &command, &r->sequence))
        ;
    r->sequence++;
}

/* Appends an answer. Returns true if another result follows. */
static bool put_answer(struct reply *r, char *line)
{
    struct bytes body = {0};
    switch (line[0]) {
    case 'O':
        return put_ok(r, line + 1);
    case 'R':
    case 'S':
        return put_rows(r, line + 1, line[0] == 'S');
    case 'P':
        put_prepared(r, line + 1);
        return false;
    case 'L':
        ask_for_file(r, line + 1);
        return true;
    case 'H':
        fake_put(&r->out, line + 1);
        return false;
    case 'B':
        fake_put(&body, line + 1);
        put_packet(r, &body);
        return false;
    default:
        put_error(r, line + 1, false);
        return false;
    }
}

/* Answers one command. Returns false if no answers are left. */
static bool reply(struct fake_session *s, uint8_t sequence)
{
    struct reply r = {.s = s, .sequence = sequence};
    char *line;
    bool more = true;
    while (more && (line = fake_answer(s)) != NULL)
        more = put_answer(&r, line);
    fake_send(s, &r.out);
    return !more;
}

static bool greet(struct fake_session *s)
{
    static const char usual[] =
        "%0a5.7.30-MariaDB%00%01%00%00%00AAAAAAAA%00%ff%f7%21%02%00%0f%00%15"
        "%00%00%00%00%00%00%00%00%00%00BBBBBBBBBBBB%00mysql_native_password%00";
    struct reply r = {.s = s};
    struct bytes body = {0};
    char *refusal = fake_answer_if(s, 'G');
    int command;
    if (refusal != NULL) {
        put_error(&r, refusal, true);
        fake_send(s, &r.out);
        return false;
    }
    fake_put(&body, usual);
    put_packet(&r, &body);
    fake_send(s, &r.out);
    if (!receive(s, &command, &r.sequence))
        return false;
    r.sequence++;
    char ok[] = "0 0";
    put_ok(&r, ok);
    fake_send(s, &r.out);
    return true;
}

void fake_mysql(struct fake_session *s)
{
    int command;
    uint8_t sequence;
    if (!greet(s))
        return;
    while (receive(s, &command, &sequence) && command != COM_QUIT)
        if (command != COM_STMT_CLOSE && command != COM_STMT_LONG_DATA &&
            !reply(s, (uint8_t)(sequence + 1)))
            return;
}
