/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/merge/merge_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/text/interval_column.h"

static int refuse(const char *path, const char *why)
{
    log_text(LOG_FATAL, "cannot use '%s': %s", path, why);
    return -1;
}

/* Says why a spool cannot be read: another version of sysrate has written it, or it is broken. */
static int refuse_spool(const struct merge_input *input, const char *broken)
{
    const struct bytes *b = &input->bytes;
    const bool is_spool =
        b->count > strlen(SPOOL_MAGIC) && memcmp(b->data, SPOOL_NAME, strlen(SPOOL_NAME)) == 0;
    const bool is_known = is_spool && memcmp(b->data, SPOOL_MAGIC, strlen(SPOOL_MAGIC)) == 0;
    return refuse(input->path, is_spool && !is_known
                                   ? "another version of sysrate has written its spool; merge it "
                                     "with that version"
                                   : broken);
}

/* Reads the whole file if it begins with SPOOL_NAME; returns false otherwise. */
static bool read_spool(struct bytes *bytes, const char *path)
{
    char block[65536];
    size_t got;
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return false;
    got = fread(block, 1, strlen(SPOOL_NAME), in);
    const bool is_spool = got == strlen(SPOOL_NAME) && memcmp(block, SPOOL_NAME, got) == 0;
    for (; is_spool && got > 0; got = fread(block, 1, sizeof(block), in))
        bytes_put(bytes, block, got);
    fclose(in);
    return is_spool;
}

/* Decodes a spool that is a file of its own. */
static int load_spool(struct merge_input *input)
{
    if (spool_read(&input->spool, &input->bytes) != 0)
        return refuse_spool(input, "it is a spool, but its beginning is missing or broken");
    if (input->spool.document != NULL)
        input->head = json_loads(input->spool.document, 0, NULL);
    if (!json_is_object(input->head))
        return refuse(input->path, "it is a spool without a description of its run");
    return 0;
}

/* Converts the name of an ending in a report: the inverse of judgement_end_name(). */
static struct ending ending_of(const char *end)
{
    if (strcmp(end, "queue_full") == 0)
        return (struct ending){.why = END_QUEUE_FULL};
    if (strcmp(end, "error") == 0)
        return (struct ending){.why = END_ERROR, .failed = true};
    if (strcmp(end, "forced_shutdown") == 0)
        return (struct ending){.why = END_TIME, .abandoned = true};
    return (struct ending){.why = strcmp(end, "signal") == 0   ? END_SIGNAL
                                  : strcmp(end, "slo") == 0    ? END_SLO
                                  : strcmp(end, "until") == 0  ? END_UNTIL
                                  : strcmp(end, "events") == 0 ? END_EVENTS
                                  : strcmp(end, "script") == 0 ? END_SCRIPT
                                                               : END_TIME};
}

/* Restores the result of a whole run from its report. Only the exact sums and buckets of the whole
 * run are used. */
static int restore(struct merge_input *input)
{
    struct rank_result *r = &input->spool.rank;
    struct report_restored *from = &input->restored;
    rank_result_init(r);
    if (report_restore(from, &input->document, input->path) != 0)
        return -1;
    r->settings = from->settings;
    r->settings.rank = rank_of(0, 1, from->settings.threads);
    r->settings.slo = from->slo;
    r->settings.rand.seed = (uint64_t)json_integer_value(
        json_object_get(json_object_get(input->head, "config"), "rand_seed"));
    snapshot_merge(&r->result.total.snapshot, &from->total.snapshot);
    snapshot_merge(&r->result.part.snapshot, &from->total.snapshot);
    r->result.total.requests = r->result.part.requests = from->total.requests;
    r->result.total.fairness = r->result.part.fairness = from->total.fairness;
    r->result.total.elapsed_ns = r->result.part.elapsed_ns = from->total.elapsed_ns;
    r->result.ending = ending_of(merge_input_text(input, "summary/end"));
    r->result.settings = &r->settings;
    r->judgement = judgement_with(&r->result, &from->trust);
    return 0;
}

static int load_report(struct merge_input *input)
{
    if (report_document_load(&input->document, input->path) != 0)
        return -1;
    input->head = json_incref(input->document.head);
    const char *text = json_string_value(json_object_get(input->head, "spool"));
    if (text == NULL)
        return restore(input);
    if (spool_from_text(&input->bytes, text) != 0 || spool_read(&input->spool, &input->bytes) != 0)
        return refuse_spool(input, "its \"spool\" is broken");
    return 0;
}

int merge_input_load(struct merge_input *input, const char *path)
{
    *input = (struct merge_input){.path = path};
    const int status = read_spool(&input->bytes, path) ? load_spool(input) : load_report(input);
    if (status == 0)
        input->is_rank = input->spool.rank.settings.rank.count > 1;
    return status;
}

void merge_input_fini(struct merge_input *input)
{
    if (input->restored.total.snapshot.operations != NULL)
        report_restored_fini(&input->restored);
    if (input->spool.rank.result.total.snapshot.operations != NULL)
        spool_fini(&input->spool);
    bytes_fini(&input->bytes);
    json_decref(input->head);
    report_document_fini(&input->document);
}

const char *merge_input_text(const struct merge_input *input, const char *path)
{
    const char *text = json_string_value(interval_value(input->head, path));
    return text != NULL ? text : "";
}
