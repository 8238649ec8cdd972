/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/machine/exporter.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "stats/host.h"
#include "stats/machine/node_metrics.h"

/* An exporter that works answers sooner. Neither timeout delays the end of a run. */
#define CONNECT_TIMEOUT_S 5L
#define ANSWER_TIMEOUT_S 10L
/* A longer answer is refused. A node_exporter sends some 100 KB. */
#define ANSWER_BYTES_MAX (16U << 20)

struct exporter {
    char *name, *url;
    CURL *curl; /* keeps its connection between two samples */
    char *answer;
    size_t bytes, room;
};

const char *exporter_library(void)
{
    static char text[40];
    snprintf(text, sizeof(text), "libcurl %s", curl_version_info(CURLVERSION_NOW)->version);
    return text;
}

/* Returning less than the number of bytes ends the transfer with an error. */
static size_t keep_answer(char *data, size_t size, size_t count, void *self)
{
    struct exporter *e = self;
    const size_t more = size * count;
    if (more > ANSWER_BYTES_MAX - e->bytes)
        return 0;
    if (e->bytes + more > e->room) {
        e->room = 2 * (e->bytes + more);
        e->answer = xrealloc(e->answer, e->room);
    }
    memcpy(e->answer + e->bytes, data, more);
    e->bytes += more;
    return more;
}

/* Proxies of the environment are not used, and redirections are not followed: the machine is the
 * one that was named. */
static CURL *new_handle(struct exporter *e)
{
    CURL *curl = checked_alloc(curl_easy_init());
    curl_easy_setopt(curl, CURLOPT_URL, e->url);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, ANSWER_TIMEOUT_S);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, e);
    return curl;
}

static enum probe_status read_exporter(void *self, double *value, char *error)
{
    struct exporter *e = self;
    char detail[CURL_ERROR_SIZE] = "";
    if (e->curl == NULL)
        e->curl = new_handle(e);
    e->bytes = 0;
    curl_easy_setopt(e->curl, CURLOPT_ERRORBUFFER, detail);
    const CURLcode code = curl_easy_perform(e->curl);
    curl_easy_setopt(e->curl, CURLOPT_ERRORBUFFER, NULL);
    if (code != CURLE_OK) {
        snprintf(error, PROBE_ERROR_BYTES, "%.200s",
                 detail[0] != '\0' ? detail : curl_easy_strerror(code));
        return PROBE_FAILED;
    }
    if (node_metrics_read(e->answer, e->bytes, value))
        return PROBE_READ;
    snprintf(error, PROBE_ERROR_BYTES,
             "the answer has no node_cpu_seconds_total, so it is not that of a node_exporter");
    return PROBE_REFUSED;
}

static void destroy(void *self)
{
    struct exporter *e = self;
    if (e->curl != NULL)
        curl_easy_cleanup(e->curl);
    free(e->answer);
    free(e->name);
    free(e->url);
    free(e);
    curl_global_cleanup();
}

int exporter_source(struct probe_source *source, const char *name, const char *url)
{
    struct exporter *e = xcalloc(1, sizeof(*e));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    e->name = xstrdup(name);
    e->url = xstrdup(url);
    *source = (struct probe_source){.name = e->name,
                                    .where = e->url,
                                    .table = host_table,
                                    .self = e,
                                    .read = read_exporter,
                                    .destroy = destroy};
    return 0;
}
