/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/bundled/bundled.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define SUFFIX ".lua"
#define HEAD_BYTES 1024
#define SCRIPT_BYTES (256 * 1024)

static int is_script(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, SUFFIX) == 0;
}

/* Reads the first `most` - 1 bytes of a file as a string; "" if the file cannot be read. */
static void read_head(const char *folder, const char *file, char *head, size_t most)
{
    char *path = NULL;
    checked_alloc(asprintf(&path, "%s/%s", folder, file) < 0 ? NULL : path);
    FILE *in = fopen(path, "r");
    size_t bytes = in != NULL ? fread(head, 1, most - 1, in) : 0;
    head[bytes] = '\0';
    if (in != NULL)
        fclose(in);
    free(path);
}

/* Finds the comment that begins with "-- Measures ", up to its first full stop or colon, and joins
 * its lines. */
static void find_sentence(const char *head, char sentence[HEAD_BYTES])
{
    static const char begin[] = "\n-- Measures ";
    const char *from = strstr(head, begin);
    size_t n = 0;
    from = from != NULL ? from + strlen(begin) : "";
    while (*from != '\0' && strncmp(from, ". ", 2) != 0 && strncmp(from, ".\n", 2) != 0 &&
           strncmp(from, "\n\n", 2) != 0) {
        bool joins = strncmp(from, "\n-- ", strlen("\n-- ")) == 0;
        sentence[n++] = joins ? ' ' : *from;
        from += joins ? strlen("\n-- ") : 1;
    }
    sentence[n] = '\0';
}

static void visit_script(const char *folder, char *file, bundled_visit *visit, void *arg)
{
    char head[HEAD_BYTES], sentence[HEAD_BYTES];
    read_head(folder, file, head, sizeof(head));
    if (strncmp(head, "#!", 2) != 0)
        return;
    find_sentence(head, sentence);
    file[strlen(file) - strlen(SUFFIX)] = '\0';
    visit(arg, file, sentence);
}

void bundled_each(const char *folder, bundled_visit *visit, void *arg)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, is_script, alphasort);
    for (int i = 0; i < n; i++) {
        visit_script(folder, entry[i]->d_name, visit, arg);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
}

bool bundled_declares(const char *folder, const char *name, const char *option)
{
    static const char common[] = "oltp_common";
    char *text = xcalloc(1, SCRIPT_BYTES), *file, *row;
    checked_alloc(asprintf(&file, "%s" SUFFIX, name) < 0 ? NULL : file);
    checked_alloc(asprintf(&row, "\n   %s = {\"", option) < 0 ? NULL : row);
    for (char *c = row; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    read_head(folder, file, text, SCRIPT_BYTES);
    bool declares = strstr(text, row) != NULL ||
                    (strstr(text, "require(\"oltp_common\")") != NULL &&
                     strcmp(name, common) != 0 && bundled_declares(folder, common, option));
    free(text);
    free(file);
    free(row);
    return declares;
}
