/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vectors/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rand_stream.h"
#include "base/util.h"

#define UNIT 10000     /* components are multiples of 1/UNIT */
#define LARGEST 200000 /* such multiples are below this */
#define SPREAD 0.5     /* standard deviation of the components around the centre of their cluster */

/* Four sums for each term, so that the compiler can use vector instructions. */
#define SUM_OF(term)                                                                               \
    double sum[4] = {0};                                                                           \
    size_t i = 0;                                                                                  \
    for (; i + 4 <= count; i += 4)                                                                 \
        for (size_t k = 0; k < 4; k++) {                                                           \
            const double x = a[i + k], y = b[i + k];                                               \
            sum[k] += (term);                                                                      \
        }                                                                                          \
    for (; i < count; i++) {                                                                       \
        const double x = a[i], y = b[i];                                                           \
        sum[0] += (term);                                                                          \
    }                                                                                              \
    return (sum[0] + sum[1]) + (sum[2] + sum[3])

static double product(const float *a, const float *b, size_t count)
{
    SUM_OF(x * y);
}

static double squared_distance(const float *a, const float *b, size_t count)
{
    SUM_OF((x - y) * (x - y));
}

double vector_distance(enum vector_metric metric, const float *a, const float *b, size_t count)
{
    if (metric == VECTOR_L2)
        return sqrt(squared_distance(a, b, count));
    const double ab = product(a, b, count);
    if (metric == VECTOR_INNER)
        return -ab;
    const double lengths = product(a, a, count) * product(b, b, count);
    return lengths > 0 ? 1 - ab / sqrt(lengths) : 1;
}

typedef float four_floats __attribute__((vector_size(16)));

/* Components of which is_farther() looks at the sum once, and by how much that sum in single
 * precision may differ from the exact one: 8 additions in each of 4 sums, 3 roundings of each term,
 * and 3 of the total are below 16 x 2^-24 < 1e-6. */
#define PIECE 32
#define ROUNDING 1e-5

/* Returns true if the squared L2 distance is certainly above `limit`. Terms are positive, so a part
 * of the sum says so. */
static bool is_farther(const float *a, const float *b, size_t count, double limit)
{
    double sum = 0;
    for (size_t i = 0; i + PIECE <= count; i += PIECE) {
        four_floats part = {0};
        for (size_t k = i; k < i + PIECE; k += 4) {
            four_floats x, y;
            memcpy(&x, a + k, sizeof(x));
            memcpy(&y, b + k, sizeof(y));
            part += (x - y) * (x - y);
        }
        sum += (part[0] + part[1]) + (part[2] + part[3]);
        if (sum > limit * (1 + ROUNDING))
            return true;
    }
    return false;
}

double vector_distance_within(enum vector_metric metric, const float *a, const float *b,
                              size_t count, double limit)
{
    if (metric == VECTOR_L2 && is_farther(a, b, count, limit * limit))
        return INFINITY;
    return vector_distance(metric, a, b, count);
}

/* Draws two numbers from N(0, 1) (G. E. P. Box, M. E. Muller, 1958). */
static void draw_normal(struct rand_stream *stream, double pair[2])
{
    const double radius = sqrt(2 * rand_stream_exponential(stream)),
                 angle = 2 * M_PI * rand_stream_double(stream);
    pair[0] = radius * cos(angle);
    pair[1] = radius * sin(angle);
}

static void draw(float *out, struct rand_stream *stream, const float *centre, double deviation,
                 size_t count)
{
    double pair[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        if (i % 2 == 0)
            draw_normal(stream, pair);
        const double value = (centre != NULL ? centre[i] : 0) + deviation * pair[i % 2];
        out[i] = (float)(round(value * UNIT) / UNIT);
    }
}

float *vector_centres(const struct vector_shape *shape)
{
    float *centres = xcalloc((size_t)shape->clusters * shape->dimensions, sizeof(*centres));
    struct rand_stream stream;
    for (uint32_t c = 0; c < shape->clusters; c++) {
        rand_stream_init(&stream, shape->seed, RAND_VECTOR, UINT32_MAX - c);
        draw(centres + (size_t)c * shape->dimensions, &stream, NULL, 1, shape->dimensions);
    }
    return centres;
}

void vector_draw(float *out, const struct vector_shape *shape, const float *centres,
                 uint32_t number)
{
    struct rand_stream stream;
    rand_stream_init(&stream, shape->seed, RAND_VECTOR, number);
    const size_t cluster = rand_stream_below(&stream, shape->clusters);
    draw(out, &stream, centres + cluster * shape->dimensions, SPREAD, shape->dimensions);
}

/* Writes two digits of a number below 100. */
static char *put_pair(char *to, unsigned number)
{
    to[0] = (char)('0' + number / 10);
    to[1] = (char)('0' + number % 10);
    return to + 2;
}

/* Writes a component and returns the end of its text, from which the same number can be read. */
static char *put_component(char *to, float value)
{
    char digits[16];
    int n = 0;
    const double positive = fabs((double)value);
    const uint32_t size = positive < LARGEST ? (uint32_t)(positive * UNIT + 0.5) : 0,
                   part = size % UNIT;
    if ((float)((double)size / UNIT) != (float)positive)
        return to + snprintf(to, VECTOR_COMPONENT_BYTES, "%.9g", (double)value);
    if (value < 0)
        *to++ = '-';
    for (uint32_t rest = size / UNIT; rest > 0 || n == 0; rest /= 10)
        digits[n++] = (char)('0' + rest % 10);
    while (n > 0)
        *to++ = digits[--n];
    *to++ = '.';
    return put_pair(put_pair(to, part / 100), part % 100);
}

size_t vector_text(char *to, const float *v, size_t count)
{
    char *at = to;
    *at++ = '[';
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *at++ = ',';
        at = put_component(at, v[i]);
    }
    *at++ = ']';
    return (size_t)(at - to);
}

/* Reads the exponent of a number, such as "e-05", if there is one. Returns the end of its text, or
 * NULL if it has no digits. Numbers in single precision have exponents of at most two digits. */
static const char *read_exponent(const char *at, const char *end, double *factor)
{
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    at++;
    const bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    int exponent = 0;
    const char *first = at;
    for (; at < end && at < first + 3 && *at >= '0' && *at <= '9'; at++)
        exponent = 10 * exponent + (*at - '0');
    *factor = pow(10, negative ? -exponent : exponent);
    return at > first ? at : NULL;
}

/* Reads "-12.5" or "1e-05" and returns the end of its text, or NULL if there is no number, or one
 * that single precision does not have. */
static const char *read_component(const char *at, const char *end, float *value)
{
    const bool negative = at < end && *at == '-';
    double number = 0, place = 1;
    at += negative;
    const char *first = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        number = 10 * number + (*at - '0');
    if (at == first)
        return NULL;
    if (at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++) {
            number = 10 * number + (*at - '0');
            place *= 10;
        }
    double factor = 1;
    at = read_exponent(at, end, &factor);
    *value = (float)((negative ? -number : number) / place * factor);
    return isfinite(*value) ? at : NULL;
}

size_t vector_parse(float *out, size_t most, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    size_t count = 0;
    if (length < 2 || *at != '[' || end[-1] != ']')
        return 0;
    end--;
    do {
        at = count < most ? read_component(at + 1, end, &out[count]) : NULL;
        count++;
    } while (at != NULL && at < end && *at == ',');
    return at == end ? count : 0;
}
