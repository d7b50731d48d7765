/* What is known of the elements that differ in some dimensions alone, for bounds of results that hang on all of them.
 */
#ifndef CASES_REDUCTIONS_H
#define CASES_REDUCTIONS_H

#include "cases/family.h"

struct case_reduction {
    double count;
    double mean, variance; /* computed one after the other, in double */
    double magnitudes;     /* their mean */
    double squares;        /* their sum */
    double most;           /* the greatest magnitude */
    double greatest;       /* NaN where an element is */
    double powers;         /* the sum of exp(x - greatest) */
};

/* The reduction of the first input that the element at `coordinates` belongs to, `folded` having a bit for each
 * dimension that is folded. All of a case's are computed at once, and kept for the next call; one thread at a time. */
const struct case_reduction *case_reduction_at(const struct operator_case *c, const unsigned char *const *tensors,
                                               uint32_t folded, const uint32_t *coordinates);

/* The element itself. */
double case_reduction_element(const struct operator_case *c, const unsigned char *const *tensors,
                              const uint32_t *coordinates);

/* The dimensions in the array Axes, a bit each. */
uint32_t case_axes(const struct operator_case *c);

/* Makes the last dimension of some cases a multiple of four elements, as rows and columns have it that are read by
 * fours. */
void case_widen(struct random *random, struct operator_case *c);

/* Gives a case some axes of its first input, at least one. */
void case_choose_axes(struct random *random, struct operator_case *c);

#endif
