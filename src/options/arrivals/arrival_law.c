/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/arrivals/arrival_law.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "options/quantity.h"

#define CV_MIN 0.1
#define CV_MAX 5
#define SHAPE_MIN 0.3
#define SHAPE_MAX 10
#define STATE_RATE_MAX 1e10
#define STATE_MIN_S 1e-3
#define FACTOR_MAX 1e6

static const char BAD_LAW[] =
    "poisson, constant, gamma(CV), weibull(SHAPE) or mmpp(RATE1,RATE2,MEAN1,MEAN2)";
static const char BAD_GAMMA[] = "gamma(CV) with a coefficient of variation from 0.1 to 5";
static const char BAD_WEIBULL[] = "weibull(SHAPE) with a shape from 0.3 to 10";
static const char BAD_MMPP[] =
    "mmpp(RATE1,RATE2,MEAN1,MEAN2) with rates from 0 to 10000000000, at least one above 0, and "
    "mean times of at least 1 ms (ms, s, m or h)";
static const char BAD_BURST[] =
    "xFACTOR LENGTH every PERIOD or every ~PERIOD, such as 'x10 200ms every 5s', with a factor "
    "above 1, up to 1000000, and times (ms, s, m or h) where 1 ms <= LENGTH < PERIOD";

static bool skip(const char **text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

/* Reads "NUMBER)" and the end of the text. */
static bool read_only_number(const char *text, double min, double max, double *value)
{
    return quantity_read(&text, value) && *value >= min && *value <= max && skip(&text, ")") &&
           *text == '\0';
}

static const char *parse_gamma(struct arrival_law *law, const char *text)
{
    double cv;
    if (!read_only_number(text, CV_MIN, CV_MAX, &cv))
        return BAD_GAMMA;
    *law = (struct arrival_law){.kind = LAW_GAMMA, .shape = 1 / (cv * cv), .scale = cv * cv};
    return NULL;
}

static const char *parse_weibull(struct arrival_law *law, const char *text)
{
    double shape;
    if (!read_only_number(text, SHAPE_MIN, SHAPE_MAX, &shape))
        return BAD_WEIBULL;
    *law = (struct arrival_law){
        .kind = LAW_WEIBULL, .shape = shape, .scale = 1 / tgamma(1 + 1 / shape)};
    return NULL;
}

static bool read_rate(const char **text, double *rate)
{
    return quantity_read_count(text, rate) && *rate <= STATE_RATE_MAX;
}

static bool read_state_time(const char **text, double *mean_s)
{
    return quantity_read_time(text, mean_s) && *mean_s >= STATE_MIN_S;
}

static const char *parse_mmpp(struct arrival_law *law, const char *text)
{
    double rate[2], s[2];
    const bool good = read_rate(&text, &rate[0]) && skip(&text, ",") && read_rate(&text, &rate[1]) &&
                      skip(&text, ",") && read_state_time(&text, &s[0]) && skip(&text, ",") &&
                      read_state_time(&text, &s[1]) && skip(&text, ")") && *text == '\0';
    if (!good || fmax(rate[0], rate[1]) < 1e-6)
        return BAD_MMPP;
    const double mean = (rate[0] * s[0] + rate[1] * s[1]) / (s[0] + s[1]);
    *law = (struct arrival_law){.kind = LAW_MMPP,
                                .factor = {rate[0] / mean, rate[1] / mean},
                                .mean_s = {s[0], s[1]}};
    return NULL;
}

const char *arrival_law_parse(struct arrival_law *law, const char *text)
{
    *law = (struct arrival_law){.kind = LAW_POISSON};
    if (strcmp(text, "poisson") == 0)
        return NULL;
    law->kind = LAW_CONSTANT;
    if (strcmp(text, "constant") == 0)
        return NULL;
    if (skip(&text, "gamma("))
        return parse_gamma(law, text);
    if (skip(&text, "weibull("))
        return parse_weibull(law, text);
    return skip(&text, "mmpp(") ? parse_mmpp(law, text) : BAD_LAW;
}

const char *arrival_burst_parse(struct arrival_burst *burst, const char *text)
{
    double x, length_s, every_s;
    if (!skip(&text, "x") || !quantity_read(&text, &x) || !skip(&text, " ") ||
        !quantity_read_time(&text, &length_s) || !skip(&text, " every "))
        return BAD_BURST;
    const bool random = skip(&text, "~");
    if (!quantity_read_time(&text, &every_s) || *text != '\0' || !(x > 1) || x > FACTOR_MAX ||
        length_s < STATE_MIN_S || every_s - length_s < STATE_MIN_S / 1000)
        return BAD_BURST;
    const double mean = 1 + (x - 1) * length_s / every_s;
    *burst = (struct arrival_burst){.factor = {1 / mean, x / mean},
                                    .length_s = length_s,
                                    .every_s = every_s,
                                    .random = random};
    return NULL;
}

const char *arrival_law_check(const char *text)
{
    struct arrival_law law;
    return arrival_law_parse(&law, text);
}

const char *arrival_burst_check(const char *text)
{
    struct arrival_burst burst;
    return arrival_burst_parse(&burst, text);
}

bool arrival_law_is_renewal(const struct arrival_law *law)
{
    return law->kind == LAW_GAMMA || law->kind == LAW_WEIBULL;
}

/* x^a·exp(−x)/Γ(a), as a logarithm. */
static double log_front(double a, double x)
{
    int sign;
    return a * log(x) - x - lgamma_r(a, &sign);
}

/* The lower incomplete gamma function by its series, for x < a + 1. */
static double gamma_below(double a, double x)
{
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-16; n++) {
        term *= x / n;
        sum += term;
    }
    return exp(log_front(a, x)) * sum;
}

/* −log of the upper function by its continued fraction (Lentz's method), for x ≥ a + 1. */
static double gamma_hazard_above(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 10000; i++) {
        const double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return -(log_front(a, x) + log(h));
}

double arrival_law_hazard(const struct arrival_law *law, double gap)
{
    if (gap <= 0)
        return 0;
    const double x = gap / law->scale;
    if (law->kind == LAW_WEIBULL)
        return pow(x, law->shape);
    return x < law->shape + 1 ? -log1p(-gamma_below(law->shape, x))
                              : gamma_hazard_above(law->shape, x);
}
