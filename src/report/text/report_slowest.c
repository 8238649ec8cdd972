/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest requests. The text is made from their JSON, so that `sysrate report` prints the same
 * lines from a file. */
#include "report/text/report_slowest.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/util.h"

#define REQUESTS_SHOWN 3
#define STATEMENTS_SHOWN 4
/* Waits with a smaller share, in percent, are not shown. */
#define WAIT_MIN 0.5

static double number_at(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* Prints ", NAME TEXT" if the object has this text. */
static void print_named(FILE *out, const json_t *object, const char *name)
{
    if (text_at(object, name) != NULL)
        fprintf(out, ", %s %s", name, text_at(object, name));
}

static void print_head(FILE *out, const json_t *r)
{
    const char *outcome = text_at(r, "outcome");
    fprintf(out, "    %.2f ms, arrived at %.3f s", number_at(r, "response_ms"),
            number_at(r, "arrived_s"));
    print_named(out, r, "type");
    fprintf(out, ", worker %.0f", number_at(r, "worker"));
    print_named(out, r, "host");
    if (number_at(r, "retries") > 0)
        fprintf(out, ", retries %.0f", number_at(r, "retries"));
    if (outcome != NULL && strcmp(outcome, "completed") != 0)
        fprintf(out, ", %s", outcome);
    fprintf(out, "\n        client late %.2f ms, waiting for a worker %.2f ms",
            number_at(r, "client_late_ms"), number_at(r, "waiting_ms"));
    if (number_at(r, "connection_wait_ms") > 0)
        fprintf(out, ", for a connection %.2f ms", number_at(r, "connection_wait_ms"));
    fprintf(out, ", service %.2f ms\n", number_at(r, "service_ms"));
}

/* Statements. */

static double duration_of(const json_t *statement)
{
    const json_t *ms = json_object_get(statement, "ms");
    return json_is_number(ms) ? json_number_value(ms) : HUGE_VAL;
}

/* Returns true if fewer than STATEMENTS_SHOWN statements are longer. */
static bool is_long(const json_t *list, size_t number)
{
    const double ms = duration_of(json_array_get(list, number));
    unsigned longer = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const double other = duration_of(json_array_get(list, i));
        longer += other > ms || (other == ms && i < number);
    }
    return longer < STATEMENTS_SHOWN;
}

static void print_statement(FILE *out, const json_t *s)
{
    const json_t *error = json_object_get(s, "error");
    const char *class = text_at(s, "class");
    fprintf(out, "        at %.2f ms: %s, ", number_at(s, "start_ms"), class != NULL ? class : "-");
    if (json_is_number(json_object_get(s, "ms")))
        fprintf(out, "%.2f ms", number_at(s, "ms"));
    else
        fputs("not finished", out);
    if (json_is_object(error)) {
        fprintf(out, ", error %.0f", number_at(error, "code"));
        print_named(out, error, "state");
    } else if (json_is_number(json_object_get(s, "rows")))
        fprintf(out, ", rows %.0f", number_at(s, "rows"));
    fputc('\n', out);
}

static void print_statements(FILE *out, const json_t *r)
{
    const json_t *list = json_object_get(r, "statements");
    size_t left_out = (size_t)number_at(r, "statements_left_out");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (is_long(list, i))
            print_statement(out, json_array_get(list, i));
        else
            left_out++;
    if (left_out > 0)
        fprintf(out, "        %zu shorter statement%s\n", left_out, left_out > 1 ? "s" : "");
}

/* Waits. */

static void print_waits(FILE *out, const json_t *r)
{
    const json_t *list = json_object_get(r, "waits");
    const char *before = "        waits: ";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *wait = json_array_get(list, i);
        if (text_at(wait, "event") == NULL || number_at(wait, "percent") < WAIT_MIN)
            continue;
        fprintf(out, "%s%s %.0f %%", before, text_at(wait, "event"), number_at(wait, "percent"));
        before = ", ";
    }
    if (before[0] == ',')
        fputc('\n', out);
}

static void print_session(FILE *out, const json_t *blocker)
{
    static const char *const parts[] = {"program", "user", "state"};
    const char *before = " (";
    fprintf(out, "session %.0f", number_at(blocker, "session"));
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (text_at(blocker, parts[i]) != NULL) {
            fprintf(out, "%s%s", before, text_at(blocker, parts[i]));
            before = ", ";
        }
    if (before[0] == ',')
        fputc(')', out);
}

static bool is_known(const json_t *blocker)
{
    return json_is_object(blocker) ||
           (json_is_string(blocker) && strcmp(json_string_value(blocker), "run") == 0);
}

/* Prints the first blocker that is known. It has the largest share. */
static void print_blocker(FILE *out, const json_t *r)
{
    const json_t *list = json_object_get(r, "blocked_by");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i), *blocker = json_object_get(one, "blocker");
        if (!is_known(blocker))
            continue;
        fputs("        blocked by ", out);
        if (json_is_object(blocker))
            print_session(out, blocker);
        else
            fputs("this run", out);
        if (text_at(one, "table") != NULL)
            fprintf(out, ", on %s", text_at(one, "table"));
        fputc('\n', out);
        return;
    }
}

void report_slowest(FILE *out, const json_t *slowest)
{
    const json_t *list = json_object_get(slowest, "requests");
    const size_t count = json_array_size(list);
    if (count == 0)
        return;
    const size_t shown = count < REQUESTS_SHOWN ? count : REQUESTS_SHOWN;
    fprintf(out, "Slowest requests (%zu of the %zu in the JSON report):\n", shown, count);
    for (size_t i = 0; i < shown; i++) {
        const json_t *r = json_array_get(list, i);
        print_head(out, r);
        print_statements(out, r);
        print_waits(out, r);
        print_blocker(out, r);
    }
    fputc('\n', out);
}
