/* What the operators have in common that compute each element of the output from several around a place, in FLOAT32.
 * All have one input, of slot 0, and one output of the same type. */
#ifndef CASES_NEIGHBOURS_H
#define CASES_NEIGHBOURS_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"
#include "cases/support.h"

/* Below FLOAT32's greatest number by what sums round. */
#define NEIGHBOURS_GREATEST ((double)FLT_MAX * (1 - 0x1p-10))

/* Floats of all kinds. */
enum case_fill neighbours_fill(struct random *random);

void neighbours_lay_out(struct random *random, struct case_tensor *input, struct case_tensor *output);

/* The greatest denormal where denormals may be taken for 0, as FLOAT32's may. */
double neighbours_denormal(const struct operator_case *c);

/* What a gradient collects for one element. */
struct neighbours_collected {
    double sum, magnitudes, count;
    double finite; /* magnitudes that are, before they are shared out */
};

struct accuracy_bounds neighbours_bounds(const struct operator_case *c, const struct neighbours_collected *sum);
struct accuracy_exact neighbours_exact(const struct neighbours_collected *sum);

#endif
