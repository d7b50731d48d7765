/* What sums of products may be, and the functions that random cases fuse behind them. */
#ifndef CASES_TERMS_H
#define CASES_TERMS_H

#include "cases/family.h"

/* What an element of the output is made of. */
struct terms {
    double value, magnitudes; /* of all terms together */
    double largest;           /* magnitude on the way */
    double depth;             /* how many products */
    bool is_open;             /* it may be any number or NaN */
};

/* An element of the tensor in a slot. */
double terms_number(const struct operator_case *c, const unsigned char *const *tensors, uint32_t slot,
                    const uint32_t *at);

/* Fuses one of the functions that never fall: what they may give follows from what the sum may be. */
void terms_fuse(struct random *random, struct operator_case *c);

/* Where the sum may be off by `distance`. Cases that fuse another function are held to the reference's bits and have
 * nothing to sum. */
struct accuracy_bounds terms_bounds(const struct operator_case *c, const struct terms *t, double distance);

/* In units of one rounding of the magnitudes. */
struct accuracy_exact terms_exact(const struct operator_case *c, const struct terms *t);

#endif
