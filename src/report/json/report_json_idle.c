/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of idle connections, in the JSON report. */
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"

void report_json_idle(struct report_json *json, const struct idle_counts *idle)
{
    json_t *object = value_object();
    value_set(object, "wanted", value_count(idle->wanted));
    value_set(object, "open", value_count(idle->open));
    value_set(object, "most_open", value_count(idle->most));
    value_set(object, "opened", value_count(idle->opened));
    value_set(object, "refused", value_count(idle->refused));
    value_set(object, "closed_by_server", value_count(idle->closed));
    value_set(object, "statements", value_count(idle->touched));
    value_set(object, "last_refusal",
              idle->failure[0] != '\0' ? value_text(idle->failure) : json_null());
    report_json_add(json, "idle_connections", object);
}
