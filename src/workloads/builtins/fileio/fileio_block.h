/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contents of blocks. Each block written ends with its position and a checksum, even without
 * --validate. */
#ifndef FILEIO_BLOCK_H
#define FILEIO_BLOCK_H

#include <stdint.h>

/* smallest block with room for contents, position and checksum */
#define FILEIO_BLOCK_MIN 32

/* Fills a group of whole blocks with contents, which depend on the seed only. All blocks have the
 * same contents. Returns the checksum of the contents, for fileio_stamp(). */
uint64_t fileio_fill(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t seed);

/* Writes position and checksum into each block of `data`, which was filled by fileio_fill(). The
 * group is then ready to be written at `offset` of file number `file`. */
void fileio_stamp(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t contents_sum,
                  int64_t file, int64_t offset);

/*
 * Returns the offset in `data` of the first block that is not as written by fileio_stamp(), or −1.
 */
int64_t fileio_find_damage(const uint8_t *data, int64_t bytes, int64_t block_bytes, int64_t file,
                           int64_t offset);

#endif
