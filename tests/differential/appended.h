/* Plans as parts of larger ones: what an operator's plan computes behind and before others', on memory of its own. */
#ifndef TESTS_APPENDED_H
#define TESTS_APPENDED_H

#include "cases/case.h"

/* Whether operators that are compiled from now on are appended: their inputs and outputs are regions of the temporary
 * resource, which plans of ELEMENT_WISE_IDENTITY copy from and to what is bound, and a plan of FILL_VALUE_CONSTANT,
 * which meets none of them, stands before all. Or whether their plans are general ones instead
 * (vkdml_plan_limits::general), alone. */
void appended_set(bool on, bool general);

/* Of `runner.observe`: keeps a result where plans are not appended, and holds the appended plan's to it. */
void appended_observe(const struct operator_case *c, const unsigned char *const *tensors, const unsigned char *got);

/* What was wrong since appended_set(), or NULL. */
const char *appended_failure(void);

#endif
