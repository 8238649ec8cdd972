/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/checkpoints.h"

#include "base/sort.h"
#include "options/option_value.h"

static bool parse_checkpoint(const char *text, int64_t *checkpoint_ns)
{
    static const struct option_spec row = {.type = OPTION_SECONDS};
    struct option_value seconds;
    char allowed[128];
    if (option_parse(&row, text, &seconds, allowed, sizeof(allowed)) != 0)
        return false;
    *checkpoint_ns = seconds.integer;
    option_value_fini(&seconds);
    return *checkpoint_ns > 0;
}

int checkpoints_load(int64_t *checkpoint_ns, char *const *list)
{
    int count = 0;
    for (; list != NULL && *list != NULL; list++) {
        if (count == MAX_CHECKPOINTS || !parse_checkpoint(*list, &checkpoint_ns[count]))
            return -1;
        count++;
    }
    sort_i64(checkpoint_ns, (size_t)count);
    for (int i = 1; i < count; i++)
        if (checkpoint_ns[i] == checkpoint_ns[i - 1])
            return -1;
    return count;
}

const char *checkpoints_check(const char *text)
{
    static const struct option_spec row = {.type = OPTION_LIST};
    struct option_value list = {0};
    int64_t checkpoint_ns[MAX_CHECKPOINTS];
    char allowed[128];
    int count = -1;
    if (option_parse(&row, text, &list, allowed, sizeof(allowed)) == 0)
        count = checkpoints_load(checkpoint_ns, list.list);
    option_value_fini(&list);
    return count >= 0 ? NULL
                      : "up to 1024 different numbers of seconds above 0, separated by commas";
}
