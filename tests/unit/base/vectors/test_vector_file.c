/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"
#include "base/vectors/vector_file.h"

/* Two vectors of three components each. */
static const uint8_t fvecs[] = {3, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x20, 0xc1,
                                3, 0, 0, 0, 0, 0, 0,    0x3e, 0, 0, 0, 0,    0, 0, 0x80, 0x40};
static const uint8_t bvecs[] = {3, 0, 0, 0, 1, 2, 255, 3, 0, 0, 0, 0, 128, 4};
#define NPY_TEXT(type, order, shape)                                                               \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }\n"
#define BYTES_2_3 NPY_TEXT("|u1", "False", "(2, 3)")

/* Writes a .npy file of version 1 and returns its length. */
static size_t npy(uint8_t *out, const char *header, const void *data, size_t bytes)
{
    const size_t length = strlen(header);
    const uint8_t start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)length, 0};
    memcpy(out, start, sizeof(start));
    memcpy(out + sizeof(start), header, length);
    memcpy(out + sizeof(start) + length, data, bytes);
    return sizeof(start) + length + bytes;
}

static void check_vectors(const struct vector_file *file, const float *expected)
{
    float v[3];
    ck_assert_uint_eq(file->count, 2);
    ck_assert_uint_eq(file->dimensions, 3);
    for (uint32_t i = 0; i < 2; i++) {
        vector_file_read(file, i, v);
        for (uint32_t k = 0; k < 3; k++)
            ck_assert_float_eq(v[k], expected[3 * i + k]);
    }
}

START_TEST(formats)
{
    static const float floats[] = {1, 2, -10, 0.125f, 0, 4}, bytes[] = {1, 2, 255, 0, 128, 4};
    static const double doubles[] = {1, 2, -10, 0.125, 0, 4};
    struct vector_file file;
    uint8_t data[256];
    ck_assert_ptr_null(vector_file_use(&file, "a.fvecs", fvecs, sizeof(fvecs)));
    check_vectors(&file, floats);
    ck_assert_ptr_null(vector_file_use(&file, "/b.c/a.bvecs", bvecs, sizeof(bvecs)));
    check_vectors(&file, bytes);
    size_t size = npy(data, BYTES_2_3, "\1\2\377\0\200\4", 6);
    ck_assert_ptr_null(vector_file_use(&file, "a.npy", data, size));
    check_vectors(&file, bytes);
    size = npy(data, NPY_TEXT("<f8", "False", "(2, 3)"), doubles, sizeof(doubles));
    ck_assert_ptr_null(vector_file_use(&file, "a.npy", data, size));
    check_vectors(&file, floats);
    size = npy(data, NPY_TEXT("<f4", "False", "(2, 3)"), floats, sizeof(floats));
    ck_assert_ptr_null(vector_file_use(&file, "a.npy", data, size));
    check_vectors(&file, floats);
}
END_TEST

START_TEST(broken_files)
{
    struct vector_file file;
    uint8_t data[256];
    const size_t size = npy(data, BYTES_2_3, "\1\2\377\0\200\4", 6);
    for (size_t bytes = 0; bytes < size; bytes++)
        ck_assert_ptr_nonnull(vector_file_use(&file, "a.npy", data, bytes));
    for (size_t bytes = 0; bytes < sizeof(fvecs); bytes++)
        if (bytes != sizeof(fvecs) / 2)
            ck_assert_ptr_nonnull(vector_file_use(&file, "a.fvecs", fvecs, bytes));
    memcpy(data, bvecs, sizeof(bvecs));
    data[sizeof(bvecs) / 2] = 2;
    ck_assert_str_eq(vector_file_use(&file, "a.bvecs", data, sizeof(bvecs)),
                     "its vectors do not all have the same number of components");
    memcpy(data, fvecs, sizeof(fvecs));
    data[6] = 0x80, data[7] = 0x7f;
    ck_assert_str_eq(vector_file_use(&file, "a.fvecs", data, sizeof(fvecs)),
                     "it has a component that is not a finite number");
    ck_assert_str_eq(vector_file_use(&file, "a.vec", fvecs, sizeof(fvecs)),
                     "its name does not end in .fvecs, .bvecs or .npy");
}
END_TEST

static const struct {
    const char *header, *problem;
} headers[] = {
    {NPY_TEXT("<f2", "False", "(2, 3)"), "its type is not <f4, <f8 or |u1"},
    {NPY_TEXT(">f4", "False", "(2, 3)"), "its type is not <f4, <f8 or |u1"},
    {NPY_TEXT("|u1", "True", "(2, 3)"), "it is in Fortran order"},
    {NPY_TEXT("|u1", "False", "(6,)"), "it does not have two dimensions"},
    {NPY_TEXT("|u1", "False", "(1, 2, 3)"), "it does not have two dimensions"},
    {NPY_TEXT("|u1", "False", "(0, 3)"), "it has no vectors"},
    {NPY_TEXT("|u1", "False", "(3, 3)"), "it is not complete"},
    {NPY_TEXT("|u1", "False", "(2, 0)"), "its vectors do not have 1 to 16000 components"},
    {NPY_TEXT("|u1", "False", "(2, 99999999999)"), "its vectors do not have 1 to 16000 components"},
};

START_TEST(headers_of_numpy)
{
    struct vector_file file;
    uint8_t data[256];
    for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
        const size_t size = npy(data, headers[i].header, "\1\2\377\0\200\4", 6);
        ck_assert_str_eq(vector_file_use(&file, "a.npy", data, size), headers[i].problem);
    }
}
END_TEST

START_TEST(files_on_disk)
{
    struct vector_file file;
    char folder[] = "/tmp/sysrate-test.XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.fvecs", folder);
    ck_assert_str_eq(vector_file_open(&file, path), strerror(ENOENT));
    FILE *out = fopen(path, "wb");
    ck_assert_str_eq(vector_file_open(&file, path), "it is empty");
    fwrite(fvecs, 1, sizeof(fvecs), out);
    fclose(out);
    ck_assert_ptr_null(vector_file_open(&file, path));
    ck_assert_uint_eq(file.count, 2);
    const uint32_t checksum = vector_file_checksum(&file);
    vector_file_close(&file);
    ck_assert_ptr_null(vector_file_use(&file, path, fvecs, sizeof(fvecs)));
    ck_assert_uint_eq(vector_file_checksum(&file), checksum);
    ck_assert_str_eq(vector_file_open(&file, folder), "it is not a regular file");
    unlink(path);
    rmdir(folder);
}
END_TEST

RUN_SUITE("vector_file", 30, formats, broken_files, headers_of_numpy, files_on_disk)
