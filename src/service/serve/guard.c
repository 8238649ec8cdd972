/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/guard.h"

#include <string.h>

#include "base/util.h"

/* Length of the name in a Host header, without ":PORT". */
static size_t name_bytes(const char *host)
{
    if (host[0] == '[')
        return strcspn(host, "]") + (strchr(host, ']') != NULL);
    return strcspn(host, ":");
}

static bool check_host(struct exchange *x, const char *host)
{
    const size_t bytes = host != NULL ? name_bytes(host) : 0;
    const char *port = host != NULL ? host + bytes : "";
    bool known = false;
    if (port[0] == '\0' || (port[0] == ':' && port[1 + strspn(port + 1, "0123456789")] == '\0'))
        for (char *const *name = x->service->host; *name != NULL; name++)
            known = known || (strlen(*name) == bytes && strncasecmp(*name, host, bytes) == 0);
    if (!known)
        exchange_fail(x, 421,
                      "this service does not have the name in the header Host; sysrate serve "
                      "--host=NAME adds a name");
    return known;
}

static bool find_route(struct exchange *x, const struct guard_facts *f)
{
    const char *allowed;
    x->page = strncmp(f->path, "/api/", strlen("/api/")) != 0;
    x->route = route_find(f->method, f->path, &x->id, &allowed);
    x->allow = x->route == NULL ? allowed : NULL;
    if (x->allow != NULL)
        exchange_fail(x, 405, "this address takes %s only", allowed);
    else if (x->route == NULL)
        exchange_fail(x, 404, "there is no such address: %.200s", f->path);
    return x->route != NULL;
}

/* If a request has a token, the browser session is ignored. */
static enum token_role find_role(struct exchange *x, const struct guard_facts *f)
{
    static const char bearer[] = "Bearer ";
    const struct service *service = x->service;
    if (service->tokens == NULL)
        return ROLE_RUN;
    if (f->authorization == NULL)
        return sessions_role(service->sessions, f->session, &x->who);
    if (strncasecmp(f->authorization, bearer, strlen(bearer)) != 0)
        return ROLE_NONE;
    return tokens_role(service->tokens, f->authorization + strlen(bearer), &x->who);
}

static bool check_role(struct exchange *x, const struct guard_facts *f)
{
    x->role = find_role(x, f);
    x->session = f->session;
    if (x->role >= x->route->role)
        return true;
    if (x->role == ROLE_NONE)
        exchange_fail(x, 401, "a token is needed (Authorization: Bearer TOKEN, or log in)");
    else
        exchange_fail(x, 403, "this needs a token for runs; '%s' may only read", x->who);
    return false;
}

/* Length of "NAME:PORT" without ":PORT" if it is `port`, the default port of the scheme. */
static size_t host_bytes(const char *host, const char *port)
{
    size_t bytes = strlen(host), port_bytes = strlen(port);
    return bytes > port_bytes && strcmp(host + bytes - port_bytes, port) == 0 ? bytes - port_bytes
                                                                              : bytes;
}

/* True if `origin`, such as "https://NAME:PORT", has the same name and port as the Host header. */
static bool is_own_origin(struct exchange *x, const char *origin, const char *host)
{
    const char *port = ":80";
    if (origin != NULL && strncasecmp(origin, "https://", 8) == 0) {
        x->https = true;
        port = ":443";
        origin += 8;
    } else if (origin != NULL && strncasecmp(origin, "http://", 7) == 0) {
        origin += 7;
    } else {
        return false;
    }
    const size_t bytes = host_bytes(origin, port);
    return host_bytes(host, port) == bytes && strncasecmp(origin, host, bytes) == 0;
}

static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    if (type == NULL || strncasecmp(type, json, strlen(json)) != 0)
        return false;
    return strchr("; \t", type[strlen(json)]) != NULL; /* strchr() also finds the final zero */
}

static bool check_writing(struct exchange *x, const struct guard_facts *f)
{
    if (!is_own_origin(x, f->origin, f->host))
        exchange_fail(x, 403, "the header Origin must be this service's: http://%s", f->host);
    else if (f->own == NULL)
        exchange_fail(x, 403, "the header " GUARD_HEADER " is missing");
    else if (!is_json(f->type))
        exchange_fail(x, 415, "the body must be JSON (Content-Type: application/json)");
    return x->error == NULL;
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static bool check_length(struct exchange *x, const struct guard_facts *f)
{
    const enum route_body body = x->route->body;
    const int64_t most = body == BODY_NONE    ? 0
                         : body == BODY_SMALL ? ROUTE_SMALL_BYTES
                                              : x->service->body_bytes_max;
    const char *length = f->length != NULL ? f->length : body == BODY_NONE ? "0" : NULL;
    if (f->transfer != NULL || length == NULL || !is_number(length))
        exchange_fail(x, 411, "a body needs its Content-Length");
    else if (strlen(length) > 15 || atoll(length) > most)
        exchange_fail(x, 413, "a body of at most %lld bytes is taken here%s", (long long)most,
                      body == BODY_REPORT ? " (sysrate serve --upload-limit=SIZE)" : "");
    return x->error == NULL;
}

/* With two such headers, a proxy and this service might use different ones. */
static bool check_once(struct exchange *x, const struct guard_facts *f)
{
    if (f->hosts > 1 || f->lengths > 1)
        exchange_fail(x, 400, "the header %s occurs twice",
                      f->hosts > 1 ? "Host" : "Content-Length");
    return x->error == NULL;
}

bool guard_pass(struct exchange *x, const struct guard_facts *f)
{
    return check_once(x, f) && check_host(x, f->host) && find_route(x, f) && check_role(x, f) &&
           (!route_writes(x->route) || check_writing(x, f)) && check_length(x, f);
}
