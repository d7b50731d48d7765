/* Cases that differ from one in a thing each. */
#ifndef VKDML_TESTS_INVALID_NEIGHBOURS_H
#define VKDML_TESTS_INVALID_NEIGHBOURS_H

#include "cases/case.h"

typedef void neighbour_visit(const struct operator_case *c, void *context);

/* Visits the case itself, and it with another number, size, type, dimension count, level, flag or enumerator, without a
 * tensor or an array, and with one that it lacks. */
void visit_neighbours(const struct operator_case *c, neighbour_visit *visit, void *context);

#endif
