/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The routes for programs about the service itself: health, metrics, log in and log out. */
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json_value.h"
#include "service/serve/handlers.h"

/* Returns the number of runs, or −1 after exchange_fail() if the archive cannot be read. */
static int64_t count_runs(struct exchange *x)
{
    log_capture();
    int64_t runs = archive_count(x->archive, &(struct archive_filter){0});
    if (runs < 0)
        exchange_fail_heard(x, 503);
    free(log_captured());
    return runs;
}

void api_health(struct exchange *x)
{
    if (count_runs(x) < 0)
        return;
    json_t *object = value_object();
    value_set(object, "status", value_text("ok"));
    exchange_print_json(x, object);
}

static void print_metric(FILE *out, const char *name, const char *help, const char *type)
{
    fprintf(out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

static void print_answers(struct exchange *x)
{
    print_metric(x->out, "sysrate_serve_answers", "Answers by their status.", "counter");
    for (int status = 0; status < SERVICE_STATUSES; status++) {
        uint64_t count = atomic_load(&x->service->answers[status]);
        if (count > 0)
            fprintf(x->out, "sysrate_serve_answers_total{status=\"%d\"} %llu\n", status,
                    (unsigned long long)count);
    }
}

void api_metrics(struct exchange *x)
{
    const int64_t runs = count_runs(x);
    if (runs < 0)
        return;
    x->type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    print_answers(x);
    print_metric(x->out, "sysrate_serve_turned_away",
                 "Connections that were closed because there were too many.", "counter");
    fprintf(x->out, "sysrate_serve_turned_away_total %llu\n",
            (unsigned long long)atomic_load(&x->service->turned_away));
    print_metric(x->out, "sysrate_serve_too_slow",
                 "Connections that were closed because no request came in time.", "counter");
    fprintf(x->out, "sysrate_serve_too_slow_total %llu\n",
            (unsigned long long)atomic_load(&x->service->too_slow));
    print_metric(x->out, "sysrate_serve_runs", "Runs in the archive.", "gauge");
    fprintf(x->out, "sysrate_serve_runs %lld\n# EOF\n", (long long)runs);
}

/* HttpOnly: scripts of pages cannot read the cookie. SameSite=Strict: the browser does not send it
 * with requests of pages from other sites. */
static void set_cookie(struct exchange *x, const char *id, int seconds)
{
    if (asprintf(&x->cookie, SERVICE_COOKIE "=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
                 id, seconds, x->https ? "; Secure" : "") < 0)
        checked_alloc(NULL);
}

static void open_session(struct exchange *x, enum token_role role, const char *name)
{
    char id[SESSION_ID_BYTES + 1];
    sessions_close(x->service->sessions, x->session);
    sessions_open(x->service->sessions, role, name, id);
    set_cookie(x, id, SERVICE_SESSION_SECONDS);
}

void api_login(struct exchange *x)
{
    const char *name = "-";
    json_t *body = exchange_json(x);
    if (body == NULL)
        return;
    const char *token = json_string_value(json_object_get(body, "token"));
    enum token_role role =
        x->service->tokens != NULL ? tokens_role(x->service->tokens, token, &name) : ROLE_RUN;
    if (role == ROLE_NONE) {
        exchange_fail(x, 403, "this is no token of this service");
    } else {
        json_t *object = value_object();
        value_set(object, "name", value_text(name));
        value_set(object, "role", value_text(token_role_name(role)));
        if (x->service->tokens != NULL)
            open_session(x, role, name);
        exchange_print_json(x, object);
    }
    json_decref(body);
}

void api_logout(struct exchange *x)
{
    if (x->service->tokens != NULL)
        sessions_close(x->service->sessions, x->session);
    set_cookie(x, "", 0);
    exchange_print_json(x, value_object());
}
