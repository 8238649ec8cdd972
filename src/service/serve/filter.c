/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/filter.h"

#include <string.h>

#include "base/util.h"
#include "options/labels.h"
#include "tools/archive/archive_words.h"

static int refuse(struct exchange *x, const struct exchange_pair *pair, const char *allowed)
{
    exchange_fail(x, 400, "%.40s: '%.100s' is not allowed (allowed: %s)", pair->name, pair->value,
                  allowed);
    return -1;
}

static int read_time(struct exchange *x, const struct exchange_pair *pair, const char **time)
{
    const char *allowed = archive_check_time(pair->value);
    *time = pair->value;
    return allowed == NULL ? 0 : refuse(x, pair, allowed);
}

static int read_kind(struct exchange *x, const struct exchange_pair *pair, const char **kind)
{
    *kind = pair->value;
    for (int i = 0; i < ARCHIVE_KINDS; i++)
        if (strcmp(pair->value, archive_kind_name(i)) == 0)
            return 0;
    return refuse(x, pair, "run, probe or capacity");
}

static int read_label(struct filter *filter, struct exchange *x, struct exchange_pair *pair)
{
    const char *allowed = label_check(pair->value);
    if (allowed != NULL)
        return refuse(x, pair, allowed);
    if (filter->archive.labels == FILTER_LABELS)
        return refuse(x, pair, "at most 8 labels");
    pair->copy = pair->copy != NULL ? pair->copy : xstrdup(pair->value);
    filter->label[filter->archive.labels++] = archive_split_label(pair->copy);
    return 0;
}

static int read_number(struct exchange *x, const struct exchange_pair *pair, int64_t least,
                       int64_t most, int64_t *number)
{
    const size_t digits = strspn(pair->value, "0123456789");
    char allowed[64];
    *number = digits <= 12 ? atoll(pair->value) : INT64_MAX;
    if (digits > 0 && pair->value[digits] == '\0' && *number >= least && *number <= most)
        return 0;
    snprintf(allowed, sizeof(allowed), "a number from %lld to %lld", (long long)least,
             (long long)most);
    return refuse(x, pair, allowed);
}

static int read_pair(struct filter *filter, struct exchange *x, struct exchange_pair *pair)
{
    struct archive_filter *a = &filter->archive;
    if (pair->value[0] == '\0')
        return 0;
    if (strcmp(pair->name, "test-name") == 0)
        a->test = pair->value;
    else if (strcmp(pair->name, "verdict") == 0)
        a->verdict = pair->value;
    else if (strcmp(pair->name, "kind") == 0)
        return read_kind(x, pair, &a->kind);
    else if (strcmp(pair->name, "since") == 0)
        return read_time(x, pair, &a->since);
    else if (strcmp(pair->name, "until") == 0)
        return read_time(x, pair, &a->until);
    else if (strcmp(pair->name, "label") == 0)
        return read_label(filter, x, pair);
    else if (strcmp(pair->name, "limit") == 0)
        return read_number(x, pair, 1, FILTER_LIMIT_MAX, &a->limit);
    else if (strcmp(pair->name, "skip") == 0)
        return read_number(x, pair, 0, INT32_MAX, &a->skip);
    return 0;
}

int filter_read(struct filter *filter, struct exchange *x)
{
    *filter = (struct filter){.archive.limit = FILTER_LIMIT};
    filter->archive.label = filter->label;
    for (size_t i = 0; i < x->queries; i++)
        if (read_pair(filter, x, &x->query[i]) != 0)
            return -1;
    return 0;
}

static int64_t next_id(const char **at)
{
    const size_t digits = strspn(*at, "0123456789");
    int64_t id = digits > 0 && digits <= 18 ? atoll(*at) : 0;
    *at += digits;
    return id;
}

/* Adds the numbers in `text` to the `count` numbers in `id`. Returns false if the text is malformed
 * or has too many. */
static bool add_ids(const char *text, int64_t *id, size_t *count, size_t most)
{
    bool more = true;
    while (more && *count < most && (id[*count] = next_id(&text)) > 0) {
        (*count)++;
        more = *text == ',';
        text += more;
    }
    return !more && *text == '\0';
}

size_t filter_read_ids(struct exchange *x, const char *name, int64_t *id, size_t most)
{
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i < x->queries && good; i++)
        if (strcmp(x->query[i].name, name) == 0)
            good = add_ids(x->query[i].value, id, &count, most);
    if (good && count > 0)
        return count;
    exchange_fail(x, 400, "%s: numbers of runs are needed, with commas between, at most %zu", name,
                  most);
    return 0;
}
