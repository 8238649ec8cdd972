/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/server_setting.h"

#include <ctype.h>
#include <stdlib.h>

bool setting_name_is_valid(const char *name)
{
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_' || name[length] == '.')
        length++;
    return length > 0 && length < SETTING_NAME_BYTES && name[length] == '\0';
}

void setting_fini(struct server_setting *setting)
{
    free(setting->value);
    free(setting->kept);
    free(setting->source);
    *setting = (struct server_setting){0};
}
