/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/waits/wait_names.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "base/util.h"

/* Room that is kept for details without a table, so that a blocker is seen although there were
 * locks on many tables. */
#define WITHOUT_OBJECT 40

void wait_names_init(struct wait_names *names)
{
    static const char *const fixed[] = {
        [WAIT_LABEL_CLIENT] = "waiting for the client",
        [WAIT_LABEL_CPU] = "on CPU",
        [WAIT_LABEL_ABSENT] = "client did not run",
        [WAIT_LABEL_SILENT] = "server did not answer",
        [WAIT_LABEL_NOT_CONNECTED] = "not connected",
        [WAIT_LABEL_OTHER] = "other waits",
        [WAIT_LABEL_LOCKS] = "all locks",
    };
    *names = (struct wait_names){.labels = WAIT_LABELS_FIXED, .details = 1};
    for (unsigned i = 0; i < WAIT_LABELS_FIXED; i++)
        snprintf(names->event[i], sizeof(names->event[i]), "%s", fixed[i]);
}

unsigned wait_names_label(struct wait_names *names, const char *event)
{
    for (unsigned i = 0; i < names->labels; i++)
        if (strcmp(names->event[i], event) == 0)
            return i;
    if (names->labels == WAIT_LABELS)
        return WAIT_LABEL_OTHER;
    snprintf(names->event[names->labels], sizeof(names->event[0]), "%s", event);
    return names->labels++;
}

unsigned wait_names_group(const char *event)
{
    static const char *const locks[] = {"Lock:", "wait/lock/"};
    for (unsigned i = 0; i < ARRAY_SIZE(locks); i++)
        if (strncmp(event, locks[i], strlen(locks[i])) == 0)
            return WAIT_LABEL_LOCKS;
    return WAIT_NO_GROUP;
}

static bool is_same(const struct wait_detail *a, const struct wait_detail *b)
{
    return a->label == b->label && a->blocker == b->blocker && strcmp(a->object, b->object) == 0;
}

/* Detail 0 stands for no detail. */
unsigned wait_names_detail(struct wait_names *names, const struct wait_detail *detail)
{
    const bool has_object = detail->object[0] != '\0';
    if (detail->blocker == WAIT_BY_NOBODY && !has_object)
        return 0;
    for (unsigned i = 1; i < names->details; i++)
        if (is_same(&names->detail[i], detail))
            return i;
    if (names->details < WAIT_DETAILS - (has_object ? WITHOUT_OBJECT : 0)) {
        names->detail[names->details] = *detail;
        return names->details++;
    }
    if (!has_object)
        return 0;
    const struct wait_detail without = {.label = detail->label, .blocker = detail->blocker};
    return wait_names_detail(names, &without);
}

/* Returns true if the session is described by `stranger`. If only the number of a session is known,
 * it is a stranger of its own. */
static bool is_of(const struct wait_stranger *stranger, const struct wait_session *s)
{
    if (s->program[0] == '\0' && s->user[0] == '\0')
        return stranger->session == s->id;
    return strcmp(stranger->program, s->program) == 0 && strcmp(stranger->user, s->user) == 0;
}

static void describe(struct wait_stranger *stranger, const struct wait_session *s)
{
    stranger->session = s->id;
    stranger->seconds = s->seconds;
    memcpy(stranger->program, s->program, sizeof(stranger->program));
    memcpy(stranger->user, s->user, sizeof(stranger->user));
    memcpy(stranger->state, s->state, sizeof(stranger->state));
    char *text = secret_mask(s->text);
    snprintf(stranger->text, sizeof(stranger->text), "%s", text);
    free(text);
}

unsigned wait_names_stranger(struct wait_names *names, const struct wait_session *s)
{
    unsigned i = 0;
    while (i < names->strangers && !is_of(&names->stranger[i], s))
        i++;
    if (i == WAIT_STRANGERS)
        return WAIT_BY_UNKNOWN;
    const bool is_new = i == names->strangers;
    names->strangers += is_new;
    struct wait_stranger *stranger = &names->stranger[i];
    if (!is_new && stranger->session == s->id)
        stranger->seconds = fmax(stranger->seconds, s->seconds);
    else if (is_new || s->seconds > stranger->seconds)
        describe(stranger, s);
    return WAIT_BY_STRANGER + i;
}
