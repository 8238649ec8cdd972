/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target for the files of oltp_vector's --vectors-file. The first byte selects the format. */
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "base/vectors/vector_file.h"
#include "base/vectors/vectors.h"
#include "fuzz.h"

static void run(const uint8_t *data, size_t bytes);

const struct fuzz_target fuzz_vectors = {.name = "vectors", .run = run};

/* Checks that a vector can be read again from its text. */
static void check_text(const float *v, uint32_t count, float *again, char *text)
{
    const size_t length = vector_text(text, v, count);
    FUZZ_CHECK(length <= count * VECTOR_COMPONENT_BYTES + 2);
    FUZZ_CHECK(vector_parse(again, count, text, length) == count);
    for (uint32_t i = 0; i < count; i++)
        FUZZ_CHECK(isfinite(v[i]) && again[i] == v[i]);
}

static void run(const uint8_t *data, size_t bytes)
{
    static const char *const names[] = {"a.fvecs", "a.bvecs", "a.npy"};
    struct vector_file file;
    if (bytes < 1 || vector_file_use(&file, names[data[0] % 3], data + 1, bytes - 1) != NULL)
        return;
    FUZZ_CHECK(file.count > 0 && file.dimensions > 0 && file.dimensions <= VECTOR_DIMENSIONS);
    float *v = xcalloc(file.dimensions, sizeof(*v)), *again = xcalloc(file.dimensions, sizeof(*v));
    char *text = xcalloc(file.dimensions, VECTOR_COMPONENT_BYTES + 2);
    for (uint32_t i = 0; i < file.count; i++) {
        vector_file_read(&file, i, v);
        check_text(v, file.dimensions, again, text);
    }
    free(v);
    free(again);
    free(text);
}
