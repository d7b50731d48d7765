/* How far results of operators whose accuracy is SUM are from the exact ones: the worst of all that was seen, by
 * operator, function and type. */
#ifndef CASES_ERRORS_H
#define CASES_ERRORS_H

#include "cases/family.h"

/* Makes a random case of numbers alone, of up to a million elements. */
void errors_generate(const struct case_family *family, struct random *random, struct operator_case *c);

/* Takes down a case's results; see struct runner. */
void errors_observe(const struct operator_case *c, const unsigned char *const *tensors, const unsigned char *got);

/* Prints all since the last time, and forgets them. */
void errors_print(void);

#endif
