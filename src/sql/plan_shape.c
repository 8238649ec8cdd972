/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/plan_shape.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* Members whose values are part of the shape. PostgreSQL writes the first ones, the others the
 * rest: MySQL and MariaDB "key", and MySQL 9 the members after it. */
static const char *const values[] = {
    "Node Type",   "Join Type", "Operation",  "Relation Name",     "Index Name",    "table_name",
    "access_type", "key",       "index_name", "index_access_type", "join_algorithm"};
/* Operations that MySQL and MariaDB write as members with an object or a list. */
static const char *const operations[] = {"nested_loop",
                                         "block-nl-join",
                                         "ordering_operation",
                                         "grouping_operation",
                                         "filesort",
                                         "temporary_table",
                                         "duplicates_removal",
                                         "union_result",
                                         "materialized",
                                         "windowing",
                                         "read_sorted_file",
                                         "hash_join",
                                         "range-checked-for-each-record",
                                         "attached_subqueries",
                                         "optimized_away_subqueries"};

static bool is_among(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static void write_shape(FILE *out, const json_t *part);

static void write_members(FILE *out, const json_t *object)
{
    const char *name;
    json_t *member;
    /* A plan of PostgreSQL names its operation after its children, so values come first. */
    for (size_t i = 0; i < ARRAY_SIZE(values); i++)
        if (json_is_string(member = json_object_get(object, values[i])))
            fprintf(out, "%s ", json_string_value(member));
    json_object_foreach((json_t *)object, name, member)
    {
        if (!json_is_object(member) && !json_is_array(member))
            continue;
        const bool named = is_among(name, operations, ARRAY_SIZE(operations));
        fprintf(out, "%s", named ? name : "");
        fputs(named ? "( " : "", out);
        write_shape(out, member);
        fputs(named ? ") " : "", out);
    }
}

static void write_shape(FILE *out, const json_t *part)
{
    size_t i;
    json_t *element;
    if (json_is_object(part)) {
        write_members(out, part);
        return;
    }
    json_array_foreach(part, i, element)
    {
        const bool plan = json_object_get(element, "Node Type") != NULL ||
                          json_object_get(element, "access_type") != NULL;
        fputs(plan ? "( " : "", out);
        write_shape(out, element);
        fputs(plan ? ") " : "", out);
    }
}

char *plan_shape(const char *text, size_t length)
{
    char *shape = NULL;
    size_t bytes = 0;
    json_t *plan = json_loadb(text, length, 0, NULL);
    if (plan == NULL)
        return NULL;
    FILE *out = checked_alloc(open_memstream(&shape, &bytes));
    write_shape(out, plan);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    json_decref(plan);
    while (bytes > 0 && shape[bytes - 1] == ' ')
        shape[--bytes] = '\0';
    return shape;
}
