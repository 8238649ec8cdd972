/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions on figures (--fail-if). */
#include "tools/compare/compare.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "options/quantity.h"

/* Reads a percentage without a sign at the end of the text. */
static bool parse_percent(const char *text, double *percent)
{
    return quantity_read_plain(&text, percent) && strcmp(text, "%") == 0;
}

int compare_condition_parse(struct compare_condition *condition, const char *text)
{
    size_t length = strcspn(text, "<>");
    const char *limit = text + length;
    double sign = *limit == '<' ? -1 : 1;
    if (length == 0 || *limit == '\0')
        return -1;
    limit++;
    if (*limit == (sign < 0 ? '-' : '+'))
        limit++;
    else if (sign < 0)
        return -1;
    if (!parse_percent(limit, &condition->percent))
        return -1;
    condition->percent *= sign;
    condition->text = text;
    condition->figure = checked_alloc(strndup(text, length));
    return 0;
}

static bool is_met(const struct compare_condition *condition, const struct comparison *c)
{
    double change = compare_change_percent(c);
    bool beyond =
        signbit(condition->percent) ? change < condition->percent : change > condition->percent;
    return beyond && compare_is_significant(c);
}

/* Returns true if the noise is so large that the true change may exceed the limit. */
static bool noise_hides(const struct compare_condition *condition, const struct comparison *c)
{
    if (!c->is_noisy || compare_noise_percent(c) <= fabs(condition->percent))
        return false;
    return signbit(condition->percent) ? compare_low_percent(c) < condition->percent
                                       : compare_high_percent(c) > condition->percent;
}

/* If the figure of A is a lower bound, the true change may be smaller. If the figure of B is a
 * lower bound, the true change may be larger. */
bool compare_condition_hangs_on_a(const struct compare_condition *condition,
                                  const struct comparison *c)
{
    if (!compare_is_known(c))
        return c->a_is_vague;
    return is_met(condition, c) != (bool)signbit(condition->percent);
}

enum compare_result compare_condition_judge(const struct compare_condition *condition,
                                            const struct comparison *c)
{
    bool is_bound = compare_condition_hangs_on_a(condition, c) ? c->a_is_bound : c->b_is_bound;
    if (!compare_is_known(c) || is_bound)
        return COMPARE_UNKNOWN;
    if (is_met(condition, c))
        return COMPARE_DIFFERENT;
    return noise_hides(condition, c) ? COMPARE_UNKNOWN : COMPARE_SAME;
}
