/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/archive/archive_words.h"

#include <string.h>
#include <time.h>

#include "base/util.h"

const char *archive_check_time(const char *value)
{
    static const char allowed[] = "a time such as 2026-11-23 or 2026-11-23T14:22 (UTC)";
    static const char form[] = "0000-00-00T00:00:00";
    size_t length = strlen(value);
    if (length < 4 || length >= sizeof(form))
        return allowed;
    for (size_t i = 0; i < length; i++)
        if (form[i] == '0' ? value[i] < '0' || value[i] > '9' : value[i] != form[i])
            return allowed;
    /* Missing parts become the first month, the first day or 0. */
    char whole[sizeof(form)] = "0000-01-01T00:00:00";
    struct tm tm = {0};
    memcpy(whole, value, length);
    const char *end = strptime(whole, "%Y-%m-%dT%H:%M:%S", &tm);
    return end != NULL && *end == '\0' ? NULL : allowed;
}

const char *archive_check_name(const char *value)
{
    return value[0] != '\0' ? NULL : "a name";
}

struct archive_label archive_split_label(char *text)
{
    char *equals = strchr(text, '=');
    *equals = '\0';
    return (struct archive_label){text, equals[1] != '\0' ? equals + 1 : NULL};
}

struct archive_label *archive_read_labels(char *const *text, size_t *count)
{
    struct archive_label *label = NULL;
    for (*count = 0; text != NULL && text[*count] != NULL; ++*count) {
        label = xrealloc(label, (*count + 1) * sizeof(*label));
        label[*count] = archive_split_label(xstrdup(text[*count]));
    }
    return label;
}

void archive_free_labels(struct archive_label *label, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)label[i].name);
    free(label);
}
