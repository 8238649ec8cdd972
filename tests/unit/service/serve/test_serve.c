/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "service/serve/csp.h"
#include "service/serve/json_limits.h"
#include "service/serve/route.h"
#include "service/serve/sessions.h"

#include "../../suite.h"

static const char *look(const char *text)
{
    return json_limits_check(text, strlen(text));
}

/* Returns `first`, `count` times `part`, then `last`. The caller frees the text. */
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

/* Checks that `part` is allowed `most` times and refused once more. */
static void check_limit(const char *first, const char *part, unsigned most, const char *last)
{
    char *good = repeated(first, part, most, last), *bad = repeated(first, part, most + 1, last);
    ck_assert_ptr_null(look(good));
    ck_assert_ptr_nonnull(look(bad));
    free(good);
    free(bad);
}

START_TEST(json_limits)
{
    check_limit("", "[", JSON_LIMIT_DEPTH, "");
    check_limit("{\"a\":1", ",\"b\":2", JSON_LIMIT_MEMBERS - 1, "}");
    check_limit("[1", ",1", JSON_LIMIT_VALUES - 1, "]");
    check_limit("\"", "x", JSON_LIMIT_STRING - 1, "\"");
}
END_TEST

START_TEST(json_limits_ignore_brackets_in_strings)
{
    char *text = repeated("[\"", "[{\\\"", 100, "\"]");
    ck_assert_ptr_null(look(text));
    ck_assert_ptr_null(look("]]]]}}}}"));
    ck_assert_ptr_null(look("\"\\"));
    ck_assert_ptr_null(look(""));
    free(text);
}
END_TEST

static const char *look_at_report(const char *first, const char *part, unsigned count,
                                  const char *last)
{
    char *text = repeated(first, part, count, last);
    const char *allowed = json_limits_check_report(text, strlen(text), 1 << 20);
    free(text);
    return allowed;
}

START_TEST(json_limits_of_reports)
{
    ck_assert_ptr_null(look_at_report("{\"intervals\":[{}", ",{}", 30000, "]}"));
    ck_assert_ptr_nonnull(look_at_report("{\"intervals\":[[{}", ",{}", 30000, "]]}"));
    ck_assert_ptr_null(look_at_report("{\"config\":[0", ",0", 30000, "]}"));
    ck_assert_ptr_nonnull(look_at_report("{\"config\":[{}", ",{}", 30000, "]}"));
    ck_assert_ptr_null(look_at_report("{\"summary\":[[]", ",[]", 30000, "]}"));
    ck_assert_ptr_nonnull(look_at_report("{\"summary\":[[]", ",[]", 40000, "]}"));
    ck_assert_ptr_null(look_at_report("{\"checkpoints\":[[]", ",[]", 80000, "]}"));
    ck_assert_ptr_nonnull(look_at_report("{\"checkpoints\":[[]", ",[]", 120000, "]}"));
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

START_TEST(the_first_error_is_heard)
{
    log_capture();
    log_text(LOG_WARNING, "a warning");
    log_text(LOG_FATAL, "the %s", "first");
    log_text(LOG_FATAL, "the second");
    char *text = log_captured();
    ck_assert_str_eq(text, "the first");
    free(text);
    ck_assert_ptr_null(log_captured());
}
END_TEST

#define HOUR_NS (3600 * (int64_t)1000000000)

static void check_session(struct sessions *sessions, const char *id, enum token_role role,
                          const char *name)
{
    const char *who = "-";
    ck_assert_int_eq(sessions_role(sessions, id, &who), role);
    ck_assert_str_eq(who, name);
}

START_TEST(sessions_are_known_by_their_ids)
{
    struct sessions *sessions = sessions_create(HOUR_NS);
    char ann[SESSION_ID_BYTES + 1], ben[SESSION_ID_BYTES + 1], none[SESSION_ID_BYTES + 1];
    sessions_open(sessions, ROLE_RUN, "ann", ann);
    sessions_open(sessions, ROLE_READ, "ben", ben);
    ck_assert_uint_eq(strspn(ann, "0123456789abcdef"), SESSION_ID_BYTES);
    check_session(sessions, ann, ROLE_RUN, "ann");
    check_session(sessions, ben, ROLE_READ, "ben");
    memset(none, '0', sizeof(none) - 1);
    none[SESSION_ID_BYTES] = '\0';
    check_session(sessions, none, ROLE_NONE, "-");
    check_session(sessions, "", ROLE_NONE, "-");
    check_session(sessions, NULL, ROLE_NONE, "-");
    ann[SESSION_ID_BYTES - 1] ^= 1;
    check_session(sessions, ann, ROLE_NONE, "-");
    sessions_close(sessions, ann);
    ann[SESSION_ID_BYTES - 1] ^= 1;
    check_session(sessions, ann, ROLE_RUN, "ann");
    sessions_close(sessions, ann);
    check_session(sessions, ann, ROLE_NONE, "-");
    check_session(sessions, ben, ROLE_READ, "ben");
    sessions_destroy(sessions);
}
END_TEST

START_TEST(sessions_expire)
{
    struct sessions *sessions = sessions_create(0);
    char id[SESSION_ID_BYTES + 1];
    sessions_open(sessions, ROLE_RUN, "ann", id);
    check_session(sessions, id, ROLE_NONE, "-");
    sessions_destroy(sessions);
}
END_TEST

START_TEST(the_sessions_of_a_token_are_limited)
{
    struct sessions *sessions = sessions_create(HOUR_NS);
    char ben[SESSION_ID_BYTES + 1], id[SESSIONS_MAX + 1][SESSION_ID_BYTES + 1];
    sessions_open(sessions, ROLE_READ, "ben", ben);
    for (size_t i = 0; i <= SESSIONS_MAX; i++)
        sessions_open(sessions, ROLE_RUN, "ann", id[i]);
    check_session(sessions, id[0], ROLE_NONE, "-");
    for (size_t i = 1; i <= SESSIONS_MAX; i++)
        check_session(sessions, id[i], ROLE_RUN, "ann");
    check_session(sessions, ben, ROLE_READ, "ben");
    sessions_destroy(sessions);
}
END_TEST

RUN_SUITE("serve", 30, json_limits, json_limits_ignore_brackets_in_strings, json_limits_of_reports,
          routes, policy_has_all_hashes, the_first_error_is_heard, sessions_are_known_by_their_ids,
          sessions_expire, the_sessions_of_a_token_are_limited)
