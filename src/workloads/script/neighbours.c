/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/neighbours.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* Number of the first query among the vectors of the data. */
#define FIRST_QUERY (UINT32_C(1) << 31)
/* Relative difference up to which two distances count as equal. */
#define TOLERANCE 1e-6
#define NEVER UINT64_MAX

/* A row that is near to a query. */
struct near_row {
    uint32_t row;
    double distance;
    /* Marks of the beginning and the end of the insert and of the delete; NEVER if not yet. */
    uint64_t insert[2], delete[2];
};

struct query {
    float *v;
    struct near_row *near;
    uint32_t count, room;
    double limit; /* distance of the k-th of the unchanging rows; infinite if there are fewer */
};

struct neighbours {
    struct neighbours_plan plan;
    float *centres;
    pthread_mutex_t lock; /* guards `clock` and the near rows of all queries */
    uint64_t clock;
    struct query *query;
};

struct neighbours *neighbours_create(const struct neighbours_plan *plan)
{
    struct neighbours *n = xcalloc(1, sizeof(*n));
    n->plan = *plan;
    n->centres = plan->file == NULL ? vector_centres(&plan->shape) : NULL;
    n->query = xcalloc((size_t)2 * plan->queries + 1, sizeof(*n->query));
    pthread_mutex_init(&n->lock, NULL);
    for (uint32_t q = 0; q < 2 * plan->queries; q++) {
        n->query[q].v = xcalloc(plan->shape.dimensions, sizeof(float));
        n->query[q].limit = INFINITY;
        neighbours_query(n, q, n->query[q].v);
    }
    return n;
}

void neighbours_destroy(struct neighbours *n)
{
    for (uint32_t q = 0; q < 2 * n->plan.queries; q++) {
        free(n->query[q].v);
        free(n->query[q].near);
    }
    pthread_mutex_destroy(&n->lock);
    free(n->query);
    free(n->centres);
    free(n);
}

const struct neighbours_plan *neighbours_plan(const struct neighbours *n)
{
    return &n->plan;
}

void neighbours_row(const struct neighbours *n, uint32_t row, float *out)
{
    const struct neighbours_plan *plan = &n->plan;
    if (plan->file != NULL)
        vector_file_read(plan->file, (row - 1) % (plan->file->count - plan->queries), out);
    else
        vector_draw(out, &plan->shape, n->centres, row);
}

void neighbours_query(const struct neighbours *n, uint32_t query, float *out)
{
    const struct neighbours_plan *plan = &n->plan;
    query %= plan->queries;
    if (plan->file != NULL)
        vector_file_read(plan->file, plan->file->count - plan->queries + query, out);
    else
        vector_draw(out, &plan->shape, n->centres, FIRST_QUERY + query);
}

uint32_t neighbours_first_bucket(const struct neighbours *n, uint32_t query)
{
    return query * UINT32_C(37) % (NEIGHBOURS_BUCKETS - n->plan.buckets + 1);
}

/* Returns false if the filter of the query leaves the row out. */
static bool is_kept(const struct neighbours *n, uint32_t query, uint32_t row)
{
    if (query < n->plan.queries)
        return true;
    const uint32_t first = neighbours_first_bucket(n, query - n->plan.queries),
                   bucket = row % NEIGHBOURS_BUCKETS;
    return bucket >= first && bucket < first + n->plan.buckets;
}

static double distance_to(const struct neighbours *n, const struct query *q, const float *v)
{
    return vector_distance(n->plan.metric, q->v, v, n->plan.shape.dimensions);
}

static bool is_nearer(const struct near_row *a, const struct near_row *b)
{
    return a->distance < b->distance || (a->distance == b->distance && a->row < b->row);
}

/* Puts a row into a sorted list of at most `most` rows. Returns the new length. */
static uint32_t put_sorted(struct near_row *list, uint32_t count, uint32_t most,
                           struct near_row added)
{
    if (count == most && !is_nearer(&added, &list[count - 1]))
        return count;
    uint32_t at = count < most ? count : count - 1;
    for (; at > 0 && is_nearer(&added, &list[at - 1]); at--)
        list[at] = list[at - 1];
    list[at] = added;
    return count < most ? count + 1 : count;
}

struct neighbours_search {
    const struct neighbours *n;
    uint32_t first, step;
    uint32_t mine;         /* number of queries */
    uint32_t rows;         /* number of rows that were added */
    struct near_row *list; /* k for each query, then k for each filtered query */
    uint32_t *count;
};

struct neighbours_search *neighbours_search_create(const struct neighbours *n, uint32_t first,
                                                   uint32_t step)
{
    struct neighbours_search *s = xcalloc(1, sizeof(*s));
    *s = (struct neighbours_search){.n = n, .first = first, .step = step};
    s->mine = first < n->plan.queries ? (n->plan.queries - first - 1) / step + 1 : 0;
    s->list = xcalloc((size_t)2 * s->mine * n->plan.k + 1, sizeof(*s->list));
    s->count = xcalloc((size_t)2 * s->mine + 1, sizeof(*s->count));
    return s;
}

void neighbours_search_destroy(struct neighbours_search *s)
{
    free(s->list);
    free(s->count);
    free(s);
}

/* The distance above which a row is not among the k nearest ones of list `i`. */
static double limit_of(const struct neighbours_search *s, uint32_t i)
{
    const uint32_t k = s->n->plan.k;
    return s->count[i] < k ? INFINITY : s->list[(size_t)i * k + k - 1].distance;
}

static void put_into(struct neighbours_search *s, uint32_t i, struct near_row row)
{
    const uint32_t k = s->n->plan.k;
    s->count[i] = put_sorted(&s->list[(size_t)i * k], s->count[i], k, row);
}

void neighbours_search_add(struct neighbours_search *s, uint32_t row, const float *v)
{
    const struct neighbours_plan *plan = &s->n->plan;
    s->rows++;
    for (uint32_t i = 0; i < s->mine; i++) {
        const uint32_t q = s->first + i * s->step;
        const bool kept = is_kept(s->n, plan->queries + q, row);
        const double limit = kept ? limit_of(s, s->mine + i) : limit_of(s, i);
        const struct near_row found = {.row = row,
                                       .distance =
                                           vector_distance_within(plan->metric, s->n->query[q].v, v,
                                                                  plan->shape.dimensions, limit)};
        if (found.distance <= limit_of(s, i))
            put_into(s, i, found);
        if (kept)
            put_into(s, s->mine + i, found);
    }
}

uint32_t neighbours_search_rows(const struct neighbours_search *s)
{
    return s->rows;
}

void neighbours_search_merge(struct neighbours_search *s, const struct neighbours_search *from)
{
    const uint32_t k = s->n->plan.k;
    s->rows += from->rows;
    for (uint32_t i = 0; i < 2 * s->mine; i++)
        for (uint32_t j = 0; j < from->count[i]; j++)
            put_into(s, i, from->list[(size_t)i * k + j]);
}

uint32_t neighbours_search_answer(const struct neighbours_search *s, uint32_t query, double *rows)
{
    const uint32_t k = s->n->plan.k, queries = s->n->plan.queries;
    const uint32_t i = (query % queries - s->first) / s->step + (query < queries ? 0 : s->mine);
    for (uint32_t j = 0; j < s->count[i]; j++)
        rows[j] = s->list[(size_t)i * k + j].row;
    return s->count[i];
}

static struct near_row *append(struct query *q, uint32_t row, double distance)
{
    if (q->count == q->room) {
        q->room = q->room > 0 ? 2 * q->room : 16;
        q->near = xrealloc(q->near, q->room * sizeof(*q->near));
    }
    q->near[q->count] = (struct near_row){
        .row = row, .distance = distance, .insert = {0, NEVER}, .delete = {NEVER, NEVER}};
    return &q->near[q->count++];
}

void neighbours_add(struct neighbours *n, uint32_t query, uint32_t row)
{
    float *v = xcalloc(n->plan.shape.dimensions, sizeof(*v));
    struct query *q = &n->query[query];
    neighbours_row(n, row, v);
    pthread_mutex_lock(&n->lock);
    append(q, row, distance_to(n, q, v))->insert[1] = 0;
    if (q->count == n->plan.k) {
        q->limit = -INFINITY;
        for (uint32_t i = 0; i < q->count; i++)
            q->limit = fmax(q->limit, q->near[i].distance);
    }
    pthread_mutex_unlock(&n->lock);
    free(v);
}

static bool is_at_most(double distance, double limit)
{
    return distance <= limit + TOLERANCE * fabs(limit) + 1e-12;
}

static struct near_row *find_row(const struct query *q, uint32_t row)
{
    for (uint32_t i = q->count; i > 0; i--)
        if (q->near[i - 1].row == row)
            return &q->near[i - 1];
    return NULL;
}

static void note_change(struct neighbours *n, struct query *q, uint32_t row, double distance,
                        bool insert, bool done)
{
    pthread_mutex_lock(&n->lock);
    struct near_row *near = find_row(q, row);
    if (near == NULL)
        near = append(q, row, distance);
    (insert ? near->insert : near->delete)[done] = ++n->clock;
    pthread_mutex_unlock(&n->lock);
}

void neighbours_change(struct neighbours *n, uint32_t row, bool insert, bool done)
{
    float *v = xcalloc(n->plan.shape.dimensions, sizeof(*v));
    neighbours_row(n, row, v);
    for (uint32_t q = 0; q < 2 * n->plan.queries; q++) {
        if (!is_kept(n, q, row))
            continue;
        const double d = distance_to(n, &n->query[q], v);
        if (is_at_most(d, n->query[q].limit))
            note_change(n, &n->query[q], row, d, insert, done);
    }
    free(v);
}

uint64_t neighbours_mark(struct neighbours *n)
{
    pthread_mutex_lock(&n->lock);
    const uint64_t mark = ++n->clock;
    pthread_mutex_unlock(&n->lock);
    return mark;
}

enum presence { ABSENT, UNCERTAIN, CERTAIN };

/* Whether a row was there in the search from mark `from` until now. */
static enum presence presence_of(const struct near_row *r, uint64_t from)
{
    if (r->delete[1] < from)
        return ABSENT;
    return r->insert[1] < from && r->delete[0] == NEVER ? CERTAIN : UNCERTAIN;
}

static bool is_among(const double *rows, uint32_t count, uint32_t row)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i] == row)
            return true;
    return false;
}

/* The distance of a row that was found; infinite if the row was absent, or if the filter leaves
 * it out. */
static double found_distance(struct neighbours *n, const struct query *q, uint64_t mark,
                             uint32_t row, float *v)
{
    if (!is_kept(n, (uint32_t)(q - n->query), row))
        return INFINITY;
    const struct near_row *near = find_row(q, row);
    if (near != NULL)
        return presence_of(near, mark) == ABSENT ? INFINITY : near->distance;
    neighbours_row(n, row, v);
    return distance_to(n, q, v);
}

/* The k nearest rows among the certain ones, and the uncertain ones that were found. */
static uint32_t exact_answer(const struct neighbours *n, const struct query *q, uint64_t mark,
                             const double *rows, uint32_t count, struct near_row *list)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        const enum presence presence = presence_of(&q->near[i], mark);
        if (presence == CERTAIN || (presence == UNCERTAIN && is_among(rows, count, q->near[i].row)))
            length = put_sorted(list, length, n->plan.k, q->near[i]);
    }
    return length;
}

double neighbours_recall(struct neighbours *n, uint32_t query, uint64_t mark, const double *rows,
                         uint32_t count)
{
    const struct query *q = &n->query[query];
    struct near_row *list = xcalloc(n->plan.k, sizeof(*list));
    float *v = xcalloc(n->plan.shape.dimensions, sizeof(*v));
    uint32_t found = 0;
    pthread_mutex_lock(&n->lock);
    const uint32_t length = exact_answer(n, q, mark, rows, count, list);
    for (uint32_t i = 0; i < count && length > 0; i++)
        if (!is_among(rows, i, (uint32_t)rows[i]))
            found += is_at_most(found_distance(n, q, mark, (uint32_t)rows[i], v),
                                list[length - 1].distance);
    pthread_mutex_unlock(&n->lock);
    free(list);
    free(v);
    return length == 0 ? -1 : fmin(1, (double)found / length);
}
