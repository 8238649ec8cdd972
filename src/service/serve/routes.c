/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/util.h"
#include "service/jobs/handle_jobs.h"
#include "service/serve/handlers.h"
#include "service/serve/route.h"

#define API "/api/v1"
#define PAGE .page = true

/* clang-format off */
static const struct route routes[] = {
    /* Pages. */
    {"GET",  "/",                     page_runs,    ROLE_READ, LANE_LIGHT, BODY_NONE, PAGE},
    {"GET",  "/runs/#",               page_run,     ROLE_READ, LANE_PAGE,  BODY_NONE, PAGE},
    {"GET",  "/compare",              page_compare, ROLE_READ, LANE_HEAVY, BODY_NONE, PAGE},
    {"GET",  "/compare/page",         page_overlay, ROLE_READ, LANE_HEAVY, BODY_NONE, PAGE},
    {"GET",  "/trend",                page_trend,   ROLE_READ, LANE_HEAVY, BODY_NONE, PAGE},
    {"GET",  "/jobs",                 page_jobs,    ROLE_READ, LANE_LIGHT, BODY_NONE, PAGE},
    {"GET",  "/jobs/new",             page_new_job, ROLE_RUN,  LANE_LIGHT, BODY_NONE, PAGE},
    {"GET",  "/jobs/#",               page_job,     ROLE_READ, LANE_LIGHT, BODY_NONE, PAGE},
    {"GET",  "/login",                page_login,   ROLE_NONE, LANE_LIGHT, BODY_NONE, PAGE},

    /* The service itself. */
    {"GET",  API "/health",           api_health,   ROLE_NONE, LANE_LIGHT, BODY_NONE, false},
    {"GET",  API "/metrics",          api_metrics,  ROLE_READ, LANE_LIGHT, BODY_NONE, false},
    {"POST", API "/login",            api_login,    ROLE_NONE, LANE_LIGHT, BODY_SMALL, false},
    {"POST", API "/logout",           api_logout,   ROLE_NONE, LANE_LIGHT, BODY_SMALL, false},

    /* Runs. */
    {"GET",  API "/runs",             api_runs,     ROLE_READ, LANE_LIGHT, BODY_NONE, false},
    {"POST", API "/runs",             api_add_run,  ROLE_RUN,  LANE_WRITE, BODY_REPORT, false},
    {"GET",  API "/runs/#",           api_run,      ROLE_READ, LANE_LIGHT, BODY_NONE, false},
    {"GET",  API "/runs/#/page",      api_run_page, ROLE_READ, LANE_PAGE,  BODY_NONE, false},
    {"GET",  API "/compare",          api_compare,  ROLE_READ, LANE_HEAVY, BODY_NONE, false},
    {"GET",  API "/trend",            api_trend,    ROLE_READ, LANE_HEAVY, BODY_NONE, false},

    /* Jobs. */
    {"GET",  API "/targets",          api_targets,  ROLE_READ, LANE_LIGHT, BODY_NONE, false},
    {"GET",  API "/tests",            api_tests,    ROLE_READ, LANE_LIGHT, BODY_NONE, false},
    {"GET",  API "/jobs",             api_jobs,     ROLE_READ, LANE_LIGHT, BODY_NONE, false},
    {"POST", API "/jobs",             api_add_job,  ROLE_RUN,  LANE_WRITE, BODY_SMALL, false},
    {"GET",  API "/jobs/#",           api_job,      ROLE_READ, LANE_LIGHT, BODY_NONE, false},
    {"POST", API "/jobs/#/cancel",    api_cancel_job, ROLE_RUN, LANE_WRITE, BODY_SMALL, false},
};
/* clang-format on */

/* Reads a number at *path and moves *path past its last digit. */
static bool read_id(const char **path, int64_t *id)
{
    size_t digits = strspn(*path, "0123456789");
    if (digits == 0 || digits > 18 || **path == '0')
        return false;
    *id = strtoll(*path, NULL, 10);
    *path += digits;
    return true;
}

static bool is_path(const char *pattern, const char *path, int64_t *id)
{
    for (; *pattern != '\0'; pattern++)
        if (*pattern == '#' ? !read_id(&path, id) : *path++ != *pattern)
            return false;
    return *path == '\0';
}

const struct route *route_find(const char *method, const char *path, int64_t *id,
                               const char **allowed)
{
    *allowed = NULL;
    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
        if (!is_path(routes[i].path, path, id))
            continue;
        if (strcmp(routes[i].method, method) == 0)
            return &routes[i];
        *allowed = routes[i].method;
    }
    return NULL;
}

bool route_writes(const struct route *route)
{
    return strcmp(route->method, "GET") != 0;
}
