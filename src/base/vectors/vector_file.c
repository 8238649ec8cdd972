/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vectors/vector_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/util.h"
#include "base/vectors/vectors.h"

static const size_t component_bytes[] = {
    [VECTOR_BYTE] = 1,
    [VECTOR_SINGLE] = sizeof(float),
    [VECTOR_DOUBLE] = sizeof(double),
};

/* Reads a little-endian number of `bytes` bytes. */
static uint64_t read_number(const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = bytes; i > 0; i--)
        number = number << 8 | at[i - 1];
    return number;
}

static float read_component(const uint8_t *at, enum vector_component component)
{
    const uint64_t bits = read_number(at, component_bytes[component]);
    const uint32_t low = (uint32_t)bits;
    float single;
    double twice;
    switch (component) {
    case VECTOR_BYTE:
        return (float)bits;
    case VECTOR_SINGLE:
        memcpy(&single, &low, sizeof(single));
        return single;
    case VECTOR_DOUBLE:
        memcpy(&twice, &bits, sizeof(twice));
        return (float)twice;
    }
    return 0;
}

void vector_file_read(const struct vector_file *file, uint32_t index, float *out)
{
    const uint8_t *at = file->data + file->first + index * file->stride;
    for (uint32_t i = 0; i < file->dimensions; i++, at += component_bytes[file->component])
        out[i] = read_component(at, file->component);
}

uint32_t vector_file_checksum(const struct vector_file *file)
{
    return (uint32_t)crc32_z(0, file->data, file->bytes);
}

/* Sets the shape of the file if `bytes` bytes after the header are `count` vectors, or any whole
 * number of vectors if count is 0. `before` is the number of bytes before the components of each
 * vector. */
static const char *set_shape(struct vector_file *file, size_t header, size_t before,
                             uint64_t dimensions, uint64_t count)
{
    if (dimensions < 1 || dimensions > VECTOR_DIMENSIONS)
        return "its vectors do not have 1 to 16000 components";
    file->dimensions = (uint32_t)dimensions;
    file->first = header + before;
    file->stride = before + dimensions * component_bytes[file->component];
    const size_t rest = file->bytes - header;
    if (rest % file->stride != 0 || (count > 0 && rest / file->stride != count))
        return "it is not complete";
    if (rest / file->stride > INT32_MAX)
        return "it has more than 2147483647 vectors";
    file->count = (uint32_t)(rest / file->stride);
    return NULL;
}

static const char *use_vecs(struct vector_file *file, enum vector_component component)
{
    file->component = component;
    if (file->bytes < sizeof(uint32_t))
        return "it has no vectors";
    const uint64_t dimensions = read_number(file->data, sizeof(uint32_t));
    const char *problem = set_shape(file, 0, sizeof(uint32_t), dimensions, 0);
    for (uint32_t i = 0; i < file->count && problem == NULL; i++)
        if (read_number(file->data + i * file->stride, sizeof(uint32_t)) != dimensions)
            problem = "its vectors do not all have the same number of components";
    return problem;
}

/* Returns the text after "'NAME':" and blanks in the header of a .npy file, or NULL. */
static const char *find_value(const char *header, const char *name)
{
    const char *at = strstr(header, name);
    if (at == NULL)
        return NULL;
    at += strlen(name);
    return at + strspn(at, " ");
}

static bool begins(const char *text, const char *start)
{
    return text != NULL && strncmp(text, start, strlen(start)) == 0;
}

static const char *use_npy_header(struct vector_file *file, const char *header, size_t length)
{
    const char *type = find_value(header, "'descr':");
    if (begins(type, "'<f4'"))
        file->component = VECTOR_SINGLE;
    else if (begins(type, "'<f8'"))
        file->component = VECTOR_DOUBLE;
    else if (begins(type, "'|u1'"))
        file->component = VECTOR_BYTE;
    else
        return "its type is not <f4, <f8 or |u1";
    if (!begins(find_value(header, "'fortran_order':"), "False"))
        return "it is in Fortran order";
    unsigned long count, dimensions;
    int end = 0;
    const char *shape = find_value(header, "'shape':");
    if (shape == NULL || sscanf(shape, "(%lu, %lu)%n", &count, &dimensions, &end) != 2 || end == 0)
        return "it does not have two dimensions";
    if (count == 0)
        return "it has no vectors";
    return set_shape(file, length, 0, dimensions, count);
}

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_BYTES 6
#define NPY_HEADER_MAX 4096

static const char *use_npy(struct vector_file *file)
{
    char header[NPY_HEADER_MAX + 1];
    if (file->bytes < NPY_MAGIC_BYTES + 6 || memcmp(file->data, NPY_MAGIC, NPY_MAGIC_BYTES) != 0)
        return "it is not in the format of NumPy";
    const size_t size = file->data[NPY_MAGIC_BYTES] == 1 ? 2 : 4, at = NPY_MAGIC_BYTES + 2 + size;
    const size_t length = read_number(file->data + NPY_MAGIC_BYTES + 2, size);
    if (length > NPY_HEADER_MAX || length > file->bytes - at)
        return "its header is not complete";
    memcpy(header, file->data + at, length);
    header[length] = '\0';
    return use_npy_header(file, header, at + length);
}

/* Vectors with infinite components, or components that are not numbers, have no distance. */
static const char *check_components(const struct vector_file *file)
{
    float *v = xcalloc(file->dimensions, sizeof(*v));
    const char *problem = NULL;
    for (uint32_t i = 0; i < file->count && problem == NULL; i++) {
        vector_file_read(file, i, v);
        for (uint32_t k = 0; k < file->dimensions; k++)
            if (!isfinite(v[k]))
                problem = "it has a component that is not a finite number";
    }
    free(v);
    return problem;
}

const char *vector_file_use(struct vector_file *file, const char *path, const uint8_t *data,
                            size_t bytes)
{
    const char *suffix = strrchr(path, '.'), *problem;
    *file = (struct vector_file){.data = data, .bytes = bytes};
    if (suffix != NULL && strcmp(suffix, ".fvecs") == 0)
        problem = use_vecs(file, VECTOR_SINGLE);
    else if (suffix != NULL && strcmp(suffix, ".bvecs") == 0)
        problem = use_vecs(file, VECTOR_BYTE);
    else if (suffix != NULL && strcmp(suffix, ".npy") == 0)
        problem = use_npy(file);
    else
        problem = "its name does not end in .fvecs, .bvecs or .npy";
    if (problem == NULL && file->component != VECTOR_BYTE)
        problem = check_components(file);
    return problem;
}

const char *vector_file_open(struct vector_file *file, const char *path)
{
    const char *problem = NULL;
    struct stat stat;
    void *data = MAP_FAILED;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return strerror(errno);
    if (fstat(fd, &stat) != 0)
        problem = strerror(errno);
    else if (!S_ISREG(stat.st_mode))
        problem = "it is not a regular file";
    else if (stat.st_size == 0)
        problem = "it is empty";
    else if ((data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
        problem = strerror(errno);
    close(fd);
    if (problem != NULL)
        return problem;
    problem = vector_file_use(file, path, data, (size_t)stat.st_size);
    if (problem != NULL)
        vector_file_close(file);
    return problem;
}

void vector_file_close(struct vector_file *file)
{
    munmap((void *)(uintptr_t)file->data, file->bytes);
    file->data = NULL;
}
