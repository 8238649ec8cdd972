/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_json.h"

#include "base/util.h"
#include "report/json/report_json_value.h"

/* Parses a text of the queue that is JSON. */
static json_t *parsed(const char *text)
{
    json_t *value = text != NULL ? json_loads(text, 0, NULL) : NULL;
    return value != NULL ? value : json_null();
}

json_t *job_json(const struct job *job)
{
    json_t *object = value_object();
    value_set(object, "id", json_integer(job->id));
    value_set(object, "state", value_text(job_state_name(job->state)));
    value_set(object, "kind", value_text(job->kind));
    value_set(object, "target", value_text(job->target));
    value_set(object, "test", value_text(job->test));
    value_set(object, "who", value_text(job->who));
    value_set(object, "queued", value_text(job->queued));
    value_set(object, "started", value_text(job->started));
    value_set(object, "ended", value_text(job->ended));
    value_set(object, "stopping", json_boolean(job->cancel && job->state == JOB_RUNNING));
    value_set(object, "reason", value_text(job->reason));
    value_set(object, "exit_code",
              job->exit_code >= 0 ? json_integer(job->exit_code) : json_null());
    value_set(object, "request", parsed(job->request));
    value_set(object, "result", parsed(job->result));
    return object;
}

static void append_run(void *arg, const struct archive_row *row)
{
    value_append(arg, json_integer(row->id));
}

json_t *job_json_runs(struct archive *archive, int64_t id)
{
    char number[24];
    const struct archive_label label = {"job", number};
    const struct archive_filter filter = {.label = &label, .labels = 1};
    json_t *runs = value_array();
    snprintf(number, sizeof(number), "%lld", (long long)id);
    if (archive_each(archive, &filter, append_run, runs) == 0)
        return runs;
    json_decref(runs);
    return NULL;
}

json_t *target_json(const struct target *target)
{
    json_t *object = value_object();
    value_set(object, "name", value_text(target->name));
    value_set(object, "class", value_text(target->production ? "production" : "test"));
    value_set(object, "database", value_text(target->driver));
    value_set(object, "prepares", json_boolean(target->schema != NULL));
    value_set(object, "max_rate", value_real(target->max_rate));
    value_set(object, "max_workers", value_real(target->max_workers));
    value_set(object, "max_seconds", value_real(target->max_seconds));
    value_set(object, "tests", target->tests != NULL ? json_deep_copy(target->tests) : json_null());
    value_set(object, "guard", value_text(target->guard_slo));
    return object;
}

static json_t *copy_of(const json_t *value)
{
    return value != NULL ? json_deep_copy(value) : json_null();
}

static json_t *parameter_json(const struct parameter *p)
{
    const bool number = p->type == PARAMETER_INTEGER || p->type == PARAMETER_NUMBER;
    json_t *object = value_object();
    value_set(object, "type", value_text(parameter_type_name(p->type)));
    if (number) {
        value_set(object, "min", value_real(p->least));
        value_set(object, "max", value_real(p->most));
    }
    if (p->type == PARAMETER_CHOICE)
        value_set(object, "choices", copy_of(p->choices));
    value_set(object, "default", copy_of(p->standard));
    value_set(object, "help", value_text(p->help));
    return object;
}

json_t *catalogue_test_json(const struct catalogue_test *test)
{
    json_t *object = value_object(), *parameters = value_object();
    for (size_t i = 0; i < test->parameters; i++)
        value_set(parameters, test->parameter[i].name, parameter_json(&test->parameter[i]));
    value_set(object, "name", value_text(test->name));
    value_set(object, "help", value_text(test->help));
    value_set(object, "read_only", json_boolean(test->read_only));
    value_set(object, "parameters", parameters);
    return object;
}
