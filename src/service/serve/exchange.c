/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/exchange.h"

#include <stdarg.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"
#include "service/serve/json_limits.h"

static void open_answer(struct exchange *x)
{
    x->out = checked_alloc(open_memstream(&x->text, &x->bytes));
}

void exchange_init(struct exchange *x, struct service *service)
{
    *x = (struct exchange){.service = service,
                           .who = "-",
                           .status = 200,
                           .type = "application/json",
                           .policy = "default-src 'none'; frame-ancestors 'none'"};
    open_answer(x);
}

void exchange_restart(struct exchange *x)
{
    fclose(x->out);
    free(x->text);
    open_answer(x);
}

void exchange_fini(struct exchange *x)
{
    for (size_t i = 0; i < x->queries; i++) {
        free(x->query[i].name);
        free(x->query[i].value);
        free(x->query[i].copy);
    }
    if (x->out != NULL)
        fclose(x->out);
    archive_stream_close(x->report);
    free(x->text);
    free(x->body);
    free(x->location);
    free(x->cookie);
    free(x->error);
}

const char *exchange_query(const struct exchange *x, const char *name)
{
    for (size_t i = 0; i < x->queries; i++)
        if (strcmp(x->query[i].name, name) == 0)
            return x->query[i].value;
    return NULL;
}

void exchange_fail(struct exchange *x, unsigned status, const char *fmt, ...)
{
    va_list args;
    if (x->error != NULL)
        return;
    x->status = status;
    va_start(args, fmt);
    if (vasprintf(&x->error, fmt, args) < 0)
        checked_alloc(NULL);
    va_end(args);
}

void exchange_fail_heard(struct exchange *x, unsigned status)
{
    char *text = log_captured();
    exchange_fail(x, status, "%s", text != NULL ? text : "it did not work");
    free(text);
}

void exchange_print_json(struct exchange *x, json_t *value)
{
    json_dumpf(value, x->out, REPORT_JSON_FLAGS);
    fputs("\n", x->out);
    json_decref(value);
}

json_t *exchange_json(struct exchange *x)
{
    const char *allowed = json_limits_check(x->body, x->body_bytes);
    json_error_t error;
    json_t *value = NULL;
    if (allowed != NULL) {
        exchange_fail(x, 400, "the body is not as allowed: %s", allowed);
        return NULL;
    }
    value = json_loadb(x->body, x->body_bytes, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(value))
        return value;
    exchange_fail(x, 400, "the body is no JSON object%s%s", value == NULL ? ": " : "",
                  value == NULL ? error.text : "");
    json_decref(value);
    return NULL;
}
