/* What sums of products may be, and the functions that random cases fuse behind them. */
#ifndef CASES_TERMS_H
#define CASES_TERMS_H

#include "cases/family.h"

/* What an element of the output is made of. */
struct terms {
    double value, magnitudes; /* of all terms together */
    double largest;           /* magnitude on the way */
    double depth;             /* how many products */
    double lost;              /* what may be lost of them: of denormals that count as 0, of operands that are rounded */
    bool is_open;             /* it may be any number or NaN */
};

/* Adds the product of an element of the tensor in a slot, and one of that in another. */
void terms_add_product(const struct operator_case *c, struct terms *t, const uint32_t slots[2],
                       const double factors[2]);

/* Adds `factor` times an element of the tensor in a slot. */
void terms_add(const struct operator_case *c, struct terms *t, uint32_t slot, double x, double factor);

/* Fuses one of the functions that never fall: what they may give follows from what the sum may be. */
void terms_fuse(struct random *random, struct operator_case *c);

/* What the function that terms_fuse() fused, if it did, makes of bounds; it is off by `relative` itself. */
struct accuracy_bounds terms_rise(const struct operator_case *c, struct accuracy_bounds bounds, double relative);

/* Where the sum may be off by `distance`. Cases that fuse another function are held to the reference's bits and have
 * nothing to sum. */
struct accuracy_bounds terms_bounds(const struct operator_case *c, const struct terms *t, double distance);

/* In units of one rounding of the magnitudes. */
struct accuracy_exact terms_exact(const struct operator_case *c, const struct terms *t);

/* Lines of cases that fuse each function there is, F(seed, type, activation) a line. */
#define TERMS_ALPHA " FusedActivation.Alpha=0.625"
#define TERMS_BETA  " FusedActivation.Beta=0.375"
#define TERMS_FUSED(F)                                                                                                 \
    F("20", "FLOAT32", "ELU" TERMS_ALPHA), F("21", "FLOAT32", "HARD_SIGMOID" TERMS_ALPHA TERMS_BETA),                  \
        F("22", "FLOAT32", "IDENTITY"), F("23", "FLOAT32", "LEAKY_RELU" TERMS_ALPHA),                                  \
        F("24", "FLOAT32", "LINEAR" TERMS_ALPHA TERMS_BETA),                                                           \
        F("25", "FLOAT32", "PARAMETRIC_SOFTPLUS" TERMS_ALPHA TERMS_BETA), F("26", "FLOAT32", "RELU"),                  \
        F("27", "FLOAT32", "SCALED_ELU" TERMS_ALPHA " FusedActivation.Gamma=1.5"),                                     \
        F("28", "FLOAT32", "SCALED_TANH" TERMS_ALPHA TERMS_BETA), F("29", "FLOAT32", "SIGMOID"),                       \
        F("30", "FLOAT32", "SOFTPLUS FusedActivation.Steepness=2.5"), F("31", "FLOAT32", "SOFTSIGN"),                  \
        F("32", "FLOAT32", "TANH"), F("33", "FLOAT32", "THRESHOLDED_RELU" TERMS_ALPHA),                                \
        F("34", "FLOAT32", "SHRINK FusedActivation.Bias=0.25 FusedActivation.Threshold=0.5"),                          \
        F("35", "FLOAT32", "CELU" TERMS_ALPHA), F("36", "FLOAT32", "GELU"),                                            \
        F("37", "FLOAT32", "SWISH FusedActivation.SigmoidInputScale=1.5"),                                             \
        F("38", "FLOAT32", "HARD_SWISH" TERMS_ALPHA TERMS_BETA), F("39", "FLOAT16", "GELU"),                           \
        F("40", "FLOAT16", "LEAKY_RELU" TERMS_ALPHA)

#endif
