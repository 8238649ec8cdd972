/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/registry.h"

#include <string.h>

void registry_init(struct registry *r, const struct registry_ops *ops, void *owner,
                   unsigned threads)
{
    *r = (struct registry){.ops = ops, .owner = owner, .threads = threads};
    r->names = xcalloc(REGISTRY_NAMES, ops->name_bytes);
    r->cells = xcalloc((size_t)threads * REGISTRY_NAMES, sizeof(*r->cells));
    pthread_mutex_init(&r->lock, NULL);
}

void registry_fini(struct registry *r)
{
    for (size_t i = 0; i < (size_t)r->threads * REGISTRY_NAMES; i++)
        free(r->cells[i]);
    pthread_mutex_destroy(&r->lock);
    free(r->cells);
    free(r->names);
}

unsigned registry_count(const struct registry *r)
{
    return atomic_load_explicit(&r->count, memory_order_acquire);
}

const char *registry_name(const struct registry *r, unsigned number)
{
    return &r->names[number * r->ops->name_bytes];
}

/* Returns the number of the name among the first `count`, or `count` if it is not among them. */
static unsigned find(const struct registry *r, unsigned count, const char *name, size_t length)
{
    unsigned i = 0;
    while (i < count && (strncmp(registry_name(r, i), name, length) != 0 ||
                         registry_name(r, i)[length] != '\0'))
        i++;
    return i;
}

/* Adds a name unless another thread has added it. Call it with the lock held. */
static unsigned add(struct registry *r, const char *name, size_t length)
{
    const unsigned count = r->count, number = find(r, count, name, length);
    if (number < count || count == REGISTRY_NAMES)
        return min_u32(number, REGISTRY_NAMES - 1);
    char *to = &r->names[number * r->ops->name_bytes];
    if (number == REGISTRY_NAMES - 1)
        strcpy(to, REGISTRY_OTHER);
    else
        memcpy(to, name, length);
    if (r->ops->add != NULL)
        r->ops->add(r->owner, number);
    atomic_store_explicit(&r->count, count + 1, memory_order_release);
    return number;
}

unsigned registry_find(struct registry *r, const char *name, size_t length)
{
    const unsigned count = registry_count(r);
    length = length < r->ops->name_bytes ? length : r->ops->name_bytes - 1;
    unsigned number = find(r, count, name, length);
    if (number < count)
        return number;
    if (count == REGISTRY_NAMES)
        return REGISTRY_NAMES - 1;
    pthread_mutex_lock(&r->lock);
    number = add(r, name, length);
    pthread_mutex_unlock(&r->lock);
    return number;
}

static unsigned number_of(const char *names, size_t stride, unsigned count, const char *name)
{
    unsigned i = 0;
    while (i < count && strcmp(&names[i * stride], name) != 0)
        i++;
    return i;
}

unsigned registry_merge(const char *names, size_t stride, unsigned count, const char **name)
{
    const unsigned number = number_of(names, stride, count, *name);
    if (number < count || count < REGISTRY_NAMES - 1)
        return number;
    *name = REGISTRY_OTHER;
    return min_u32(number_of(names, stride, count, *name), REGISTRY_NAMES - 1);
}

void *registry_make_cell(struct registry *r, unsigned thread, unsigned number)
{
    void *cell = r->ops->make_cell(r->owner, thread, number);
    atomic_store_explicit(&r->cells[(size_t)thread * REGISTRY_NAMES + number], cell,
                          memory_order_release);
    return cell;
}
