/* Random cases that are changed towards what generators do not make: odd sizes and strides, other types, attributes. */
#ifndef DIFFERENTIAL_CHANGED_H
#define DIFFERENTIAL_CHANGED_H

#include "cases/family.h"

/* Makes one that the operator's rules allow and that is small enough for the reference. False where, of many, none is.
 */
bool changed_generate(const struct case_family *family, struct random *random, struct operator_case *c);

#endif
