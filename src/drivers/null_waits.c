/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/null_waits.h"

#include <string.h>

#include "base/util.h"
#include "options/quantity.h"

#define MAX_PHASE_NS (3600 * NS_PER_SEC)

/* Reads a percentage such as "@5". Without a percentage the phase is always executed. */
static bool read_probability(const char **text, double *probability)
{
    double percent = 100;
    if (**text == '@') {
        ++*text;
        if (!quantity_read_plain(text, &percent))
            return false;
    }
    *probability = percent / 100;
    return percent <= 100;
}

/* Reads "LABEL=2ms:exp@5" and a comma after it. Returns false if the text is malformed. */
static bool read_phase(const char **text, struct null_phase *phase)
{
    const size_t length = strcspn(*text, "=,");
    double unit_ns = 1;
    if (length == 0 || length >= sizeof(phase->label) || (*text)[length] != '=')
        return false;
    snprintf(phase->label, sizeof(phase->label), "%.*s", (int)length, *text);
    *text += length + 1;
    if (!quantity_read_plain(text, &phase->mean_ns) ||
        !quantity_read_unit(text, UNIT_NS, UNIT_S, &unit_ns))
        return false;
    phase->mean_ns *= unit_ns;
    phase->exponential = strncmp(*text, ":exp", 4) == 0;
    *text += phase->exponential ? 4 : 0;
    if (!read_probability(text, &phase->probability) || phase->mean_ns > (double)MAX_PHASE_NS)
        return false;
    const bool more = **text == ',';
    *text += more;
    return **text == '\0' ? !more : more;
}

static bool parse(const char *text, struct null_waits *waits)
{
    waits->count = 0;
    while (*text != '\0')
        if (waits->count == NULL_PHASES || !read_phase(&text, &waits->phase[waits->count++]))
            return false;
    return true;
}

const char *null_waits_check(const char *value)
{
    struct null_waits waits;
    return parse(value, &waits) && waits.count > 0
               ? NULL
               : "up to 16 of LABEL=TIME, LABEL=TIME:exp or LABEL=TIME@PERCENT, separated by "
                 "commas; times up to an hour in ns, us, ms or s";
}

void null_waits_init(struct null_waits *waits, const char *value)
{
    *waits = (struct null_waits){0};
    if (value != NULL)
        parse(value, waits);
}
