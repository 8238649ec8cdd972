/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/near.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/util.h"

/* longest word that is compared; longer ones are not misspelt names */
#define LONGEST 63

/* One row of the distance table: from one prefix of the word to every prefix of the name. */
typedef unsigned row[LONGEST + 1];

static char plain(char c)
{
    return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static bool is_same(const char *a, size_t i, const char *b, size_t j)
{
    return plain(a[i]) == plain(b[j]);
}

static bool is_swapped(const char *a, size_t i, const char *b, size_t j)
{
    return i > 1 && j > 1 && is_same(a, i - 1, b, j - 2) && is_same(a, i - 2, b, j - 1);
}

/* Computes row `i` of the table from the two rows before it. */
static void next_row(const char *a, size_t i, const char *b, row before, row last, row now)
{
    now[0] = (unsigned)i;
    for (size_t j = 1; b[j - 1] != '\0'; j++) {
        unsigned changed = last[j - 1] + !is_same(a, i - 1, b, j - 1);
        now[j] = min_u32(changed, min_u32(last[j], now[j - 1]) + 1);
        if (is_swapped(a, i, b, j))
            now[j] = min_u32(now[j], before[j - 2] + 1);
    }
}

static unsigned distance(const char *a, const char *b)
{
    row rows[3] = {{0}};
    for (unsigned j = 0; j <= LONGEST; j++)
        rows[0][j] = j;
    size_t i = 1;
    for (; a[i - 1] != '\0'; i++)
        next_row(a, i, b, rows[(i + 1) % 3], rows[(i - 1) % 3], rows[i % 3]);
    return rows[(i - 1) % 3][strlen(b)];
}

struct near near_to(const char *word)
{
    unsigned third = (unsigned)strlen(word) / 3;
    return (struct near){.word = word, .distance = (third > 0 ? third : 1) + 1};
}

void near_offer(struct near *near, const char *name)
{
    if (strlen(near->word) > LONGEST || strlen(name) > LONGEST)
        return;
    unsigned steps = distance(near->word, name);
    if (steps >= near->distance)
        return;
    near->best = name;
    near->distance = steps;
}
