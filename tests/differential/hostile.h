/* Cases with an input full of what no coordinate, length, count or scale should be. The operator table says which
 * inputs there are, so that a new one is not forgotten. */
#ifndef TESTS_DIFFERENTIAL_HOSTILE_H
#define TESTS_DIFFERENTIAL_HOSTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "cases/family.h"
#include "cases/random.h"

/* How many inputs an operator has, arrays being one, and which field the nth is. */
uint32_t hostile_count(const struct case_family *family);

/* A case of the family's whose nth input is there and hostile; false where none of many has that input. */
bool hostile_generate(const struct case_family *family, uint32_t n, struct random *random, struct operator_case *c);

#endif
