/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of vectors, told apart by their suffix:
 * - .fvecs and .bvecs (http://corpus-texmex.irisa.fr): each vector is its number of components, a
 *   little-endian 32-bit integer, followed by its components: single-precision numbers, or bytes.
 * - .npy (NumPy's format, versions 1 to 3): a table of little-endian single or double precision
 *   numbers or of bytes, a row for each vector. Double precision is rounded to single precision.
 *
 * An open file does not change, so all functions except vector_file_close() may be called by any
 * thread.
 */
#ifndef VECTOR_FILE_H
#define VECTOR_FILE_H

#include <stddef.h>
#include <stdint.h>

enum vector_component {
    VECTOR_BYTE,
    VECTOR_SINGLE,
    VECTOR_DOUBLE,
};

struct vector_file {
    const uint8_t *data; /* the whole file */
    size_t bytes;
    uint32_t count, dimensions;
    enum vector_component component;
    size_t first;  /* position of the first component of the first vector */
    size_t stride; /* bytes from one vector to the next */
};

/* Maps a file into memory and checks all of its vectors. Returns NULL if the file can be used, or a
 * constant text with the reason why not. */
const char *vector_file_open(struct vector_file *file, const char *path);
void vector_file_close(struct vector_file *file);

/* The same for a file that is in memory, which must stay there. Only the suffix of `path` is used.
 * The file is not to be closed. */
const char *vector_file_use(struct vector_file *file, const char *path, const uint8_t *data,
                            size_t bytes);

/* Reads vector `index`, below `count`. */
void vector_file_read(const struct vector_file *file, uint32_t index, float *out);

/* Returns a checksum (CRC-32) of all bytes of the file. */
uint32_t vector_file_checksum(const struct vector_file *file);

#endif
