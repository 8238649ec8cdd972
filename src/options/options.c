/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/options.h"

#include <string.h>

#include "base/log.h"
#include "base/secret.h"
#include "base/util.h"

/*
 * Entries are allocated one by one and linked, so that a value does not move when rows are added.
 */
struct entry {
    struct entry *next;
    const char *group;
    const struct option_spec *row;
    struct option_value value;
    char *typed; /* the name by which it was set, or NULL */
};

struct options {
    struct entry *first;
    struct entry **end; /* where the next entry is linked */
};

struct options *options_create(void)
{
    struct options *set = xcalloc(1, sizeof(*set));
    set->end = &set->first;
    return set;
}

void options_destroy(struct options *set)
{
    if (set == NULL)
        return;
    for (struct entry *e = set->first, *next; e != NULL; e = next) {
        next = e->next;
        option_value_fini(&e->value);
        free(e->typed);
        free(e);
    }
    free(set);
}

/* Finding options by name. */

static struct entry *find(const struct options *set, const char *name)
{
    for (struct entry *e = set->first; e != NULL; e = e->next)
        if (option_name_is(e->row->name, name))
            return e;
    return NULL;
}

const struct option_spec *options_find(const struct options *set, const char *name)
{
    const struct entry *e = find(set, name);
    return e != NULL ? e->row : NULL;
}

const char *options_group(const struct options *set, const char *name)
{
    const struct entry *e = find(set, name);
    return e != NULL ? e->group : NULL;
}

/* Returns the name of the row that holds the value of `row`, or NULL for an ignored row. */
static const char *owner_name(const struct option_spec *row)
{
    if (row->ignored)
        return NULL;
    if (row->successor != NULL)
        return row->successor;
    return row->same_as != NULL ? row->same_as : row->name;
}

static bool owns_value(const struct option_spec *row)
{
    return owner_name(row) == row->name;
}

/* Returns the entry that holds the value of `name`, which must exist. */
static struct entry *find_owner(const struct options *set, const char *name)
{
    struct entry *e = find(set, name);
    if (e != NULL && !owns_value(e->row))
        e = e->row->ignored ? NULL : find(set, owner_name(e->row));
    if (e == NULL) {
        log_text(LOG_FATAL, "option --%s does not exist (a mistake in the program)", name);
        abort();
    }
    return e;
}

/* Adding rows. */

static int set_default(struct entry *e)
{
    char allowed[256];
    if (e->row->fallback == NULL || !owns_value(e->row))
        return 0;
    if (option_parse(e->row, e->row->fallback, &e->value, allowed, sizeof(allowed)) == 0)
        return 0;
    log_text(LOG_FATAL, "invalid default for --%s: '%s' (allowed: %s)", e->row->name,
             e->row->fallback, allowed);
    return -1;
}

static int add_row(struct options *set, const char *group, const struct option_spec *row)
{
    if (find(set, row->name) != NULL) {
        log_text(LOG_FATAL, "option --%s of the %s already exists", row->name, group);
        return -1;
    }
    struct entry *e = xcalloc(1, sizeof(*e));
    e->group = group;
    e->row = row;
    *set->end = e;
    set->end = &e->next;
    return set_default(e);
}

int options_add(struct options *set, const char *group, const struct option_spec *rows,
                size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (add_row(set, group, &rows[i]) != 0)
            return -1;
    return 0;
}

/* Setting values. */

/* Returns the value for a message: on one line, shortened, with secrets masked. The caller frees
 * it. */
static char *shown_value(const char *text)
{
    const size_t most = 124;
    char *shown = secret_mask(text);
    log_printable(shown, "");
    if (strlen(shown) > most) {
        shown = xrealloc(shown, most + sizeof("..."));
        strcpy(shown + most, "...");
    }
    return shown;
}

static void log_rejected(const char *name, const char *text, const char *where, const char *allowed)
{
    char *shown = text != NULL ? shown_value(text) : NULL;
    const char *colon = where != NULL ? ": " : "";
    where = where != NULL ? where : "";
    if (text == NULL)
        log_text(LOG_FATAL, "%s%s--%s needs a value (allowed: %s)", where, colon, name, allowed);
    else if (option_is_secret(name))
        log_text(LOG_FATAL, "%s%sinvalid value for --%s (allowed: %s)", where, colon, name,
                 allowed);
    else
        log_text(LOG_FATAL, "%s%sinvalid value for --%s: '%s' (allowed: %s)", where, colon, name,
                 shown, allowed);
    free(shown);
}

static void warn_of_old_name(const struct option_spec *row)
{
    if (row->ignored)
        log_text(LOG_WARNING, "--%s is deprecated and ignored: %s", row->name, row->successor);
    else if (row->successor != NULL)
        log_text(LOG_WARNING, "--%s is deprecated, use --%s instead", row->name, row->successor);
}

/* Prepends the text of an earlier value to `value`. Frees `value` if the result is not allowed. */
static int add_to_earlier(const struct option_spec *row, const struct option_value *earlier,
                          struct option_value *value, char *allowed, size_t allowed_bytes)
{
    struct option_value both;
    char *text;
    if (!row->adds || !earlier->given)
        return 0;
    if (asprintf(&text, "%s,%s", earlier->text, value->text) < 0)
        text = checked_alloc(NULL);
    int status = option_parse(row, text, &both, allowed, allowed_bytes);
    free(text);
    option_value_fini(value);
    *value = status == 0 ? both : (struct option_value){0};
    return status;
}

/* Stores the value and takes ownership of it. */
static void store_value(struct entry *e, struct option_value value)
{
    if (e->row->repeats) {
        value.list = e->value.list;
        e->value.list = NULL;
        option_value_append(&value, value.text);
    }
    option_value_fini(&e->value);
    e->value = value;
    e->value.given = true;
}

int options_set_from(struct options *set, const char *name, const char *text, const char *where)
{
    char allowed[256];
    struct option_value value;
    struct entry *e = find(set, name);
    if (e == NULL)
        return -1;
    struct entry *owner = e->row->ignored ? e : find_owner(set, name);
    if (option_parse(owner->row, text, &value, allowed, sizeof(allowed)) != 0 ||
        add_to_earlier(owner->row, &owner->value, &value, allowed, sizeof(allowed)) != 0) {
        log_rejected(name, text, where, allowed);
        return -1;
    }
    warn_of_old_name(e->row);
    store_value(owner, value);
    char *typed = xstrdup(name); /* copied first: `name` may point to owner->typed */
    free(owner->typed);
    owner->typed = typed;
    return 0;
}

int options_set(struct options *set, const char *name, const char *text)
{
    return options_set_from(set, name, text, NULL);
}

bool options_accepts(const struct options *set, const char *name, const char *text)
{
    char allowed[256];
    struct option_value value;
    const struct entry *e = find(set, name);
    if (e->row->ignored)
        return true;
    const bool accepted =
        option_parse(find_owner(set, name)->row, text, &value, allowed, sizeof(allowed)) == 0;
    if (accepted)
        option_value_fini(&value);
    return accepted;
}

void options_reset(struct options *set, const char *name)
{
    struct entry *e = find_owner(set, name);
    option_value_fini(&e->value);
    e->value = (struct option_value){0};
    free(e->typed);
    e->typed = NULL;
    set_default(e);
}

/* Reading values. */

const char *options_typed(const struct options *set, const char *name)
{
    const struct entry *e = find_owner(set, name);
    return e->typed != NULL ? e->typed : name;
}

const struct option_value *options_get(const struct options *set, const char *name)
{
    return &find_owner(set, name)->value;
}

bool options_bool(const struct options *set, const char *name)
{
    return options_get(set, name)->integer != 0;
}

int64_t options_int(const struct options *set, const char *name)
{
    return options_get(set, name)->integer;
}

const char *options_string(const struct options *set, const char *name)
{
    return options_get(set, name)->text;
}

unsigned options_choice(const struct options *set, const char *name)
{
    const struct entry *e = find_owner(set, name);
    unsigned number = 0;
    while (strcmp(e->row->choices[number].name, e->value.text) != 0)
        number++;
    return number;
}

static void store(const struct option_spec *row, const struct option_value *value, void *field)
{
    switch (row->type) {
    case OPTION_BOOL:
        *(bool *)field = value->integer != 0;
        break;
    case OPTION_DOUBLE:
        *(double *)field = value->number;
        break;
    case OPTION_INT:
    case OPTION_SIZE:
    case OPTION_SECONDS:
        *(int64_t *)field = value->integer;
        break;
    case OPTION_STRING:
    case OPTION_FILE:
        *(const char **)field = value->text;
        break;
    case OPTION_LIST:
        break;
    }
}

void options_store(const struct options *set, const struct option_spec *rows, size_t count,
                   void *target)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].field != OPTION_NO_FIELD)
            store(&rows[i], options_get(set, rows[i].name), (char *)target + rows[i].field);
}

void options_each(const struct options *set,
                  void (*visit)(void *arg, const struct option_spec *row,
                                const struct option_value *value),
                  void *arg)
{
    for (const struct entry *e = set->first; e != NULL; e = e->next)
        if (owns_value(e->row))
            visit(arg, e->row, &e->value);
}

/* Printing help. */

static const char *type_text(const struct option_spec *row)
{
    if (row->argument != NULL)
        return row->argument;
    switch (row->type) {
    case OPTION_BOOL:
        return "[=on|off]";
    case OPTION_SIZE:
        return "=SIZE";
    case OPTION_STRING:
        return "=STRING";
    case OPTION_LIST:
        return "=[LIST,...]";
    case OPTION_FILE:
        return "=FILENAME";
    default:
        return row->off ? "=STRING" : "=N";
    }
}

static int label_length(const struct option_spec *row)
{
    return (int)(strlen(row->name) + strlen(type_text(row)));
}

const struct option_spec **options_listed(const struct options *set, const char *group,
                                          size_t *count)
{
    const struct option_spec **rows = NULL;
    *count = 0;
    for (const struct entry *e = set->first; e != NULL; e = e->next)
        if (e->row->help != NULL && strcmp(e->group, group) == 0) {
            rows = xrealloc(rows, (*count + 1) * sizeof(const struct option_spec *));
            rows[(*count)++] = e->row;
        }
    return rows;
}

static int compare_names(const void *a, const void *b)
{
    const struct option_spec *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Prints " {a, b}; a: meaning of a; b: meaning of b". */
static void print_choices(const struct option_spec *row, FILE *out)
{
    for (const struct option_choice *c = row->choices; c->name != NULL; c++)
        fprintf(out, "%s%s", c == row->choices ? " {" : row->tight ? "," : ", ", c->name);
    fputc('}', out);
    for (const struct option_choice *c = row->choices; c->name != NULL; c++)
        if (c->meaning != NULL)
            fprintf(out, "; %s: %s", c->name, c->meaning);
}

void options_help_rows(const struct option_spec *const *rows, size_t count, FILE *out)
{
    int width = 0;
    for (size_t i = 0; i < count; i++)
        width = label_length(rows[i]) > width ? label_length(rows[i]) : width;
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  --%s%s%*s %s", rows[i]->name, type_text(rows[i]),
                width - label_length(rows[i]), "", rows[i]->help);
        if (rows[i]->choices != NULL)
            print_choices(rows[i], out);
        if (rows[i]->fallback != NULL && !rows[i]->tacit)
            fprintf(out, " [%s]", rows[i]->fallback);
        fputc('\n', out);
    }
}

void options_help(const struct options *set, const char *group, bool sorted, FILE *out)
{
    size_t count;
    const struct option_spec **rows = options_listed(set, group, &count);
    if (sorted && count > 0)
        qsort(rows, count, sizeof(const struct option_spec *), compare_names);
    options_help_rows(rows, count, out);
    free(rows);
}

void options_print_names(const struct options *set, const char *group, FILE *out)
{
    size_t count;
    const struct option_spec **rows = options_listed(set, group, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s--%s%s", i > 0 ? ", " : "", rows[i]->name, type_text(rows[i]));
    free(rows);
}
