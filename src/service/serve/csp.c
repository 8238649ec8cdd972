/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/csp.h"

#include <string.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "base/util.h"

/* Writes the hash of each text that is enclosed by `open` and `close`. */
static void print_hashes(FILE *out, const struct csp_part *part, const char *open,
                         const char *close)
{
    const char *at = part->html, *end = part->html + part->bytes;
    while ((at = memmem(at, (size_t)(end - at), open, strlen(open))) != NULL) {
        at += strlen(open);
        const char *stop = memmem(at, (size_t)(end - at), close, strlen(close));
        unsigned char digest[SHA256_BYTES];
        if (stop == NULL)
            return;
        sha256(at, (size_t)(stop - at), digest);
        char *hash = bytes_base64(&(struct bytes){.data = digest, .count = sizeof(digest)});
        fprintf(out, " 'sha256-%s'", hash);
        free(hash);
        at = stop;
    }
}

char *csp_policy(const struct csp_part *part, size_t parts, const char *more)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    fputs("default-src 'none'; base-uri 'none'; frame-ancestors 'none'; img-src data:; "
          "connect-src 'self'; style-src",
          out);
    for (size_t i = 0; i < parts; i++)
        print_hashes(out, &part[i], "<style>", "</style>");
    /* The chart library sets these style attributes on elements. */
    fputs("; style-src-attr 'unsafe-hashes'", out);
    for (size_t i = 0; i < parts; i++)
        print_hashes(out, &part[i], "setAttribute(\"style\",\"", "\"");
    fputs("; script-src", out);
    for (size_t i = 0; i < parts; i++)
        print_hashes(out, &part[i], "<script>", "</script>");
    fputs(more != NULL ? more : "", out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}
