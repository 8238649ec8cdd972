/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/rank.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"

int64_t rank_part(int64_t total, unsigned number, unsigned count)
{
    return total / count + (number < total % count);
}

int64_t rank_first(int64_t total, unsigned number, unsigned count)
{
    return total / count * number + min_i64(number, total % count);
}

struct rank rank_of(unsigned number, unsigned count, int64_t threads)
{
    return (struct rank){.number = number,
                         .count = count,
                         .threads = threads,
                         .first_thread = rank_first(threads, number, count)};
}

int64_t rank_threads(const struct rank *rank)
{
    return rank_part(rank->threads, rank->number, rank->count);
}

double rank_share(const struct rank *rank)
{
    return rank_is_alone(rank) ? 1 : (double)rank_threads(rank) / (double)rank->threads;
}

/* Returns the part of the first `workers` workers: ⌈total · workers / all⌉. */
static int64_t part_of_first(const struct rank *rank, int64_t workers, int64_t total)
{
    const __int128 all = rank->threads;
    return (int64_t)(((__int128)total * workers + all - 1) / all);
}

int64_t rank_weighted_first(const struct rank *rank, int64_t total)
{
    return rank_is_alone(rank) ? 0 : part_of_first(rank, rank->first_thread, total);
}

int64_t rank_weighted_part(const struct rank *rank, int64_t total)
{
    if (rank_is_alone(rank))
        return total;
    const int64_t end = rank->first_thread + rank_threads(rank);
    return part_of_first(rank, end, total) - rank_weighted_first(rank, total);
}

static bool read_number(const char **text, unsigned *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    const unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = (unsigned)value;
    return errno == 0 && value <= RANKS_MAX;
}

const char *rank_parse(struct rank *rank, const char *text)
{
    static const char allowed[] = "I/N: rank I of N, counted from 0, such as 0/4 or 3/4";
    unsigned number, count;
    bool good = read_number(&text, &number) && *text == '/';
    text += good;
    if (!good || !read_number(&text, &count) || *text != '\0' || number >= count)
        return allowed;
    *rank = (struct rank){.number = number, .count = count};
    return NULL;
}

const char *rank_check(const char *text)
{
    struct rank rank;
    return rank_parse(&rank, text);
}
