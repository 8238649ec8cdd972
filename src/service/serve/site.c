/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/site.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"
#include "report/json/report_json_value.h"
#include "report/page/embedded_page.h"
#include "service/serve/compare_chart.h"
#include "service/serve/csp.h"
#include "service/serve/embedded_site.h"
#include "service/serve/route.h"
#include "tools/capacity/capacity_record.h"
#include "tools/trend/trend_print.h"
#include "tools/html_text.h"

/* Longer texts are cut in pages. */
#define TEXT_BYTES_MAX 300

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

/* The links of the navigation bar. */
static const struct {
    const char *address, *name;
} places[] = {
    {"/", "Runs"},
    {"/trend", "Trend"},
    {"/jobs", "Jobs"},
};

static char *join(const char *a, const char *b, const char *c)
{
    char *text;
    return asprintf(&text, "%s%s%s", a, b, c) < 0 ? checked_alloc(NULL) : text;
}

static struct csp_part part_of(const char *html)
{
    return (struct csp_part){html, strlen(html)};
}

/* The policy for pages of capacity searches, made from the page of an empty search: the style sheet
 * is the same for all searches. */
static char *search_policy(void)
{
    const struct slo none = {0};
    const struct capacity_record record = {.test = "", .slo = &none};
    char *page = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&page, &bytes));
    capacity_print_page(&record, out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    const struct csp_part part = part_of(page);
    char *policy = csp_policy(&part, 1, NULL);
    free(page);
    return policy;
}

void site_init(struct service *service)
{
    char *opening = join(head, "<style>", embedded_site_css);
    char *trend = join("<style>", trend_chart_style, "</style>");
    char *capacity = join("<style>", capacity_chart_style, "</style>");
    service->head = join(opening, "</style>\n", "");
    service->tail = join("</main>\n<script>", embedded_site_js, "</script>\n</body>\n</html>\n");
    char *compare = join("<style>", compare_chart_style, "</style>");
    const struct csp_part own[] = {part_of(service->head), part_of(service->tail), part_of(trend),
                                   part_of(capacity), part_of(compare)};
    const struct csp_part report[] = {
        {(const char *)embedded_page_head.bytes, embedded_page_head.length},
        {(const char *)embedded_page_tail.bytes, embedded_page_tail.length}};
    service->site_policy = csp_policy(own, 2, "; form-action 'self'");
    service->trend_policy = csp_policy(own, ARRAY_SIZE(own), "; form-action 'self'");
    service->search_policy = search_policy();
    service->report_policy = csp_policy(report, 2, NULL);
    free(opening);
    free(trend);
    free(capacity);
    free(compare);
}

void site_fini(struct service *service)
{
    free((char *)service->head);
    free((char *)service->tail);
    free((char *)service->site_policy);
    free((char *)service->trend_policy);
    free((char *)service->search_policy);
    free((char *)service->report_policy);
}

/* Writes the links to the places that this service has. */
static void print_links(FILE *out, const struct service *service, const char *here)
{
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        if (service->jobs != NULL || strcmp(places[i].address, "/jobs") != 0)
            fprintf(out, "<a href=\"%s\"%s>%s</a>\n", places[i].address,
                    strcmp(places[i].address, here) == 0 ? " aria-current=\"page\"" : "",
                    places[i].name);
}

static void print_places(struct exchange *x, const char *here)
{
    fputs("<nav aria-label=\"Service\"><strong>sysrate</strong>\n", x->out);
    print_links(x->out, x->service, here);
    if (x->service->tokens != NULL && x->role != ROLE_NONE) {
        fputs("<span class=\"who\">", x->out);
        site_text(x->out, x->who);
        fputs(" <button type=\"button\" id=\"logout\">Log out</button></span>\n", x->out);
    }
    fputs("</nav>\n", x->out);
}

void site_begin(struct exchange *x, const char *title, const char *place, const char *style)
{
    x->type = "text/html; charset=utf-8";
    x->policy = style != NULL ? x->service->trend_policy : x->service->site_policy;
    fputs(x->service->head, x->out);
    if (style != NULL)
        fprintf(x->out, "<style>%s</style>\n", style);
    fputs("<title>", x->out);
    site_text(x->out, title);
    fputs(" - sysrate</title>\n</head>\n<body>\n", x->out);
    print_places(x, place);
    fputs("<main>\n<h1>", x->out);
    site_text(x->out, title);
    fputs("</h1>\n", x->out);
}

void site_end(struct exchange *x)
{
    fputs(x->service->tail, x->out);
}

void site_text(FILE *out, const char *text)
{
    size_t bytes = strlen(text);
    if (bytes <= TEXT_BYTES_MAX) {
        html_text_print(out, text);
        return;
    }
    bytes = TEXT_BYTES_MAX;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
        bytes--;
    char *start = checked_alloc(strndup(text, bytes));
    html_text_print(out, start);
    fputs(" …", out);
    free(start);
}

void site_url_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        if (isalnum((unsigned char)*text) || strchr("-._~", *text) != NULL)
            fputc(*text, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*text);
}

char *site_places(const struct service *service)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    fputs("<nav class=\"service\" aria-label=\"Service\"><strong>sysrate</strong>\n", out);
    print_links(out, service, "");
    fputs("</nav>\n", out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}

/* Writes a field. `hint` names the form of the value, and is shown above the field. */
static void print_field(struct exchange *x, const char *name, const char *label, const char *hint)
{
    const char *value = exchange_query(x, name);
    fprintf(x->out, "<label>%s <span class=\"hint\">%s</span> <input name=\"%s\" value=\"", label,
            hint, name);
    site_text(x->out, value != NULL ? value : "");
    fputs("\"></label>\n", x->out);
}

void site_filter_form(struct exchange *x, const char *action, bool verdict)
{
    fprintf(x->out, "<form action=\"%s\" class=\"filter\" role=\"search\">\n", action);
    print_field(x, "test-name", "Test", "");
    print_field(x, "label", "Label", "NAME=VALUE");
    if (verdict)
        print_field(x, "verdict", "Verdict", "VALID or a finding");
    print_field(x, "since", "Since", "YYYY-MM-DD, UTC");
    print_field(x, "until", "Until", "YYYY-MM-DD, UTC");
    fputs("<button>Filter</button>\n</form>\n", x->out);
}

void site_login_form(struct exchange *x)
{
    fputs("<form id=\"login\">\n<p>This service wants a token.</p>\n"
          "<p><label>Token <input type=\"password\" id=\"token\" autocomplete=\"current-password\" "
          "required></label>\n<button>Log in</button></p>\n<p id=\"said\" role=\"alert\"></p>\n"
          "</form>\n<noscript><p>Logging in needs JavaScript.</p></noscript>\n",
          x->out);
}

static void print_error_page(struct exchange *x)
{
    const char *title = x->status == 401   ? "Log in"
                        : x->status == 404 ? "Not found"
                                           : "It did not work";
    site_begin(x, title, "", NULL);
    if (x->status == 401) {
        site_login_form(x);
    } else {
        fputs("<p>", x->out);
        site_text(x->out, x->error);
        fputs("</p>\n", x->out);
    }
    site_end(x);
}

void site_print_error(struct exchange *x)
{
    exchange_restart(x);
    if (x->route != NULL ? x->route->page : x->page) {
        print_error_page(x);
        return;
    }
    json_t *object = value_object();
    value_set(object, "error", value_text(x->error));
    x->type = "application/json";
    exchange_print_json(x, object);
}
