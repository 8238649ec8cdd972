/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors of single-precision numbers: distances, text, and synthetic data. All functions may be
 * called by any thread.
 */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VECTOR_DIMENSIONS 16000 /* at most */
/* Bytes of the text of one component, with its comma: "-1.17549435e-38,". */
#define VECTOR_COMPONENT_BYTES 16

enum vector_metric {
    VECTOR_L2,     /* Euclidean distance */
    VECTOR_COSINE, /* 1 − cosine of the angle; 1 if a vector has no length */
    VECTOR_INNER,  /* inner product times −1, so that the nearest vector has the smallest value */
};

/* Returns the distance of two vectors. The sums are computed in double precision. */
double vector_distance(enum vector_metric metric, const float *a, const float *b, size_t count);
/* Returns the same, or any value above `limit` if the distance is above `limit`. Saves time for L2.
 */
double vector_distance_within(enum vector_metric metric, const float *a, const float *b,
                              size_t count, double limit);

/*
 * A vector of the synthetic data: a mixture of `clusters` Gaussians. The centres of the clusters
 * are drawn from N(0, 1) for each component, and a vector is its centre plus N(0, 1/4). A vector
 * depends on the seed, its number, and the shape only. Components are multiples of 1/10000, so that
 * their text is exact. `number` is below 2^32 − clusters.
 */
struct vector_shape {
    uint64_t seed;
    uint32_t dimensions, clusters;
};
/* Returns the centres of all clusters, clusters × dimensions numbers, to be freed by the caller. */
float *vector_centres(const struct vector_shape *shape);
void vector_draw(float *out, const struct vector_shape *shape, const float *centres,
                 uint32_t number);

/* Writes "[1.5000,-0.2500]" and returns its length. `to` needs VECTOR_COMPONENT_BYTES for each
 * component and 2 more bytes. Components that four decimals do not give exactly have nine
 * significant digits, such as "0.100006104" or "1.5e-05". All must be finite. */
size_t vector_text(char *to, const float *v, size_t count);
/* Reads such a text, with any number of decimals. Each number must be finite. Returns the number of
 * components, or 0 if the text is malformed or has more than `most` components. */
size_t vector_parse(float *out, size_t most, const char *text, size_t length);

#endif
