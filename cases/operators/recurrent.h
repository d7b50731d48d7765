/* Cases of recurrent networks. */
#ifndef CASES_RECURRENT_H
#define CASES_RECURRENT_H

#include "cases/family.h"

/* What a state of a step may be: the exact one, carried through all steps before, and how far these may have led from
 * it. */
struct accuracy_bounds recurrent_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *coordinates);
struct accuracy_exact recurrent_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                      const uint32_t *coordinates);

#endif
