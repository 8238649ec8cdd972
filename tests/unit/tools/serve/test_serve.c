/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "tools/serve/csp.h"
#include "tools/serve/json_limits.h"
#include "tools/serve/route.h"

#include "../../suite.h"

static const char *look(const char *text)
{
    return json_limits_check(text, strlen(text));
}

/* `open` so many times, and then some. */
static char *repeated(const char *first, const char *part, unsigned count, const char *last)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    fputs(first, out);
    for (unsigned i = 0; i < count; i++)
        fputs(part, out);
    fputs(last, out);
    fclose(out);
    return text;
}

static void check_limit(const char *first, const char *part, unsigned most, const char *last)
{
    char *good = repeated(first, part, most, last), *bad = repeated(first, part, most + 1, last);
    ck_assert_ptr_null(look(good));
    ck_assert_ptr_nonnull(look(bad));
    free(good);
    free(bad);
}

START_TEST(limits_of_json)
{
    check_limit("", "[", JSON_LIMIT_DEPTH, "");
    check_limit("{\"a\":1", ",\"b\":2", JSON_LIMIT_MEMBERS - 1, "}");
    check_limit("[1", ",1", JSON_LIMIT_VALUES - 1, "]");
    check_limit("\"", "x", JSON_LIMIT_STRING - 1, "\"");
}
END_TEST

START_TEST(what_only_looks_like_brackets)
{
    char *text = repeated("[\"", "[{\\\"", 100, "\"]");
    ck_assert_ptr_null(look(text));
    ck_assert_ptr_null(look("]]]]}}}}"));
    ck_assert_ptr_null(look("\"\\"));
    ck_assert_ptr_null(look(""));
    free(text);
}
END_TEST

static void check_route(const char *method, const char *path, const char *found, int64_t number)
{
    int64_t id = 0;
    const char *allowed;
    const struct route *route = route_find(method, path, &id, &allowed);
    if (found == NULL) {
        ck_assert_ptr_null(route);
        return;
    }
    ck_assert_ptr_nonnull(route);
    ck_assert_str_eq(route->path, found);
    ck_assert_int_eq(id, number);
}

START_TEST(routes)
{
    check_route("GET", "/", "/", 0);
    check_route("HEAD", "/runs/7", "/runs/#", 7);
    check_route("GET", "/api/v1/runs/123456789012345678/page", "/api/v1/runs/#/page",
                123456789012345678);
    check_route("GET", "/runs/", NULL, 0);
    check_route("GET", "/runs/7/", NULL, 0);
    check_route("GET", "/runs/07", NULL, 0);
    check_route("GET", "/runs/1234567890123456789", NULL, 0);
    check_route("GET", "/runs/7x", NULL, 0);
    check_route("GET", "", NULL, 0);
    check_route("DELETE", "/api/v1/runs", NULL, 0);
}
END_TEST

START_TEST(policy_has_all_hashes)
{
    static const char html[] = "<style>a</style><script>b</script>\n<script type=\"x\">no</script>"
                               "<script>c</script><script>open";
    const struct csp_part part = {html, strlen(html)};
    char *policy = csp_policy(&part, 1, "; more");
    ck_assert_ptr_nonnull(
        strstr(policy, "style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='; "));
    ck_assert_ptr_nonnull(strstr(policy,
                                 "script-src 'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=' "
                                 "'sha256-Ln0sA6lQeuJl7PW1NWiFpTOTogKdJBOUmXJloaJa78Y='; more"));
    free(policy);
}
END_TEST

START_TEST(what_was_logged_is_heard)
{
    log_hear();
    log_text(LOG_WARNING, "a warning");
    log_text(LOG_FATAL, "the %s", "first");
    log_text(LOG_FATAL, "the second");
    char *text = log_heard();
    ck_assert_str_eq(text, "the first");
    free(text);
    ck_assert_ptr_null(log_heard());
}
END_TEST

RUN_SUITE("serve", 30, limits_of_json, what_only_looks_like_brackets, routes, policy_has_all_hashes,
          what_was_logged_is_heard)
