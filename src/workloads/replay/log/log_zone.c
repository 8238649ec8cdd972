/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_zone.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"

struct zone {
    char name[6];
    int16_t east_minutes;
};

/* The names are sorted only for readers. */
static const struct zone zones[] = {
    {"ACDT", 630},  {"ACST", 570}, {"ADT", -180}, {"AEDT", 660},  {"AEST", 600},  {"AKDT", -480},
    {"AKST", -540}, {"ART", -180}, {"AST", -240}, {"AWST", 480},  {"BRST", -120}, {"BRT", -180},
    {"BST", 60},    {"CAT", 120},  {"CDT", -300}, {"CEST", 120},  {"CET", 60},    {"CLST", -180},
    {"CLT", -240},  {"COT", -300}, {"CST", -360}, {"EAT", 180},   {"EDT", -240},  {"EEST", 180},
    {"EET", 120},   {"EST", -300}, {"GMT", 0},    {"HDT", -540},  {"HKT", 480},   {"HST", -600},
    {"ICT", 420},   {"IDT", 180},  {"IST", 330},  {"JST", 540},   {"KST", 540},   {"MDT", -360},
    {"MESZ", 120},  {"MEZ", 60},   {"MSD", 240},  {"MSK", 180},   {"MST", -420},  {"NDT", -150},
    {"NST", -210},  {"NZDT", 780}, {"NZST", 720}, {"PDT", -420},  {"PET", -300},  {"PHT", 480},
    {"PKT", 300},   {"PST", -480}, {"SAST", 120}, {"SGT", 480},   {"SST", -660},  {"TRT", 180},
    {"UCT", 0},     {"UTC", 0},    {"UYT", -180}, {"UYST", -120}, {"UZT", 300},   {"VET", -240},
    {"WAST", 120},  {"WAT", 60},   {"WEST", 60},  {"WET", 0},     {"WIB", 420},   {"WIT", 540},
    {"WITA", 480},  {"YEKT", 300}, {"Z", 0},      {"ZULU", 0}};

/* Returns true if the zone is known. */
static bool find_zone(const char *name, size_t length, int64_t *east_s)
{
    for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
        if (strlen(zones[i].name) == length && strncmp(zones[i].name, name, length) == 0) {
            *east_s = zones[i].east_minutes * INT64_C(60);
            return true;
        }
    return false;
}

/* Reads "+2", "+02", "+0530" or "+05:30". Returns false if this is no offset: the text continues
 * with a letter or with too many digits. */
static bool read_offset(const char **text, bool with_colon, int64_t *east_s)
{
    const char *p = *text;
    const bool west = *p == '-';
    int digits = 0, number = 0, minutes = 0;
    if (*p != '+' && *p != '-')
        return false;
    for (p++; isdigit((unsigned char)*p) && digits < 5; p++, digits++)
        number = 10 * number + (*p - '0');
    if (digits > 2) {
        minutes = number % 100;
        number /= 100;
    } else if (with_colon && *p == ':' && isdigit((unsigned char)p[1]) &&
               isdigit((unsigned char)p[2])) {
        minutes = 10 * (p[1] - '0') + (p[2] - '0');
        p += 3;
    }
    if (digits == 0 || digits > 4 || isalnum((unsigned char)*p) || number > 15 || minutes > 59)
        return false;
    *east_s = (west ? -1 : 1) * (number * INT64_C(3600) + minutes * INT64_C(60));
    *text = p;
    return true;
}

int64_t log_zone_read(const char **text, bool with_colon)
{
    const char *p = *text;
    int64_t east_s = 0;
    p += *p == ' ' && p[1] != ' ';
    if (read_offset(&p, with_colon, &east_s)) {
        *text = p;
        return east_s;
    }
    const char *name = p;
    while (isupper((unsigned char)*p))
        p++;
    const size_t length = (size_t)(p - name);
    if (length == 0 || length > 5 || islower((unsigned char)*p))
        return 0;
    /* "LOG: " after a time without a zone is no zone. */
    if (!find_zone(name, length, &east_s) && *p == ':' && (p[1] == ' ' || p[1] == '\0'))
        return 0;
    if (strncmp(name, "GMT", length) == 0 || strncmp(name, "UTC", length) == 0)
        read_offset(&p, with_colon, &east_s);
    *text = p;
    return east_s;
}
