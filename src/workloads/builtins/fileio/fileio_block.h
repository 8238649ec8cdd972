/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What blocks hold. Each block that is written ends with its position and a checksum, whether or
 * not anybody validates.
 */
#ifndef FILEIO_BLOCK_H
#define FILEIO_BLOCK_H

#include <stdint.h>

/* The smallest block with room for contents, position and checksum. */
#define FILEIO_BLOCK_MIN 32

/*
 * Fills a group of whole blocks with contents, the same in each block and for the same seed.
 * Returns their sum for fileio_stamp().
 */
uint64_t fileio_fill(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t seed);

/* Makes `data`, which was filled, the group that stands at `offset` of file number `file`. */
void fileio_stamp(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t contents_sum,
                  int64_t file, int64_t offset);

/* Offset in `data` of the first block that is not what was written there, or −1. */
int64_t fileio_find_damage(const uint8_t *data, int64_t bytes, int64_t block_bytes, int64_t file,
                           int64_t offset);

#endif
