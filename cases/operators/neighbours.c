#include <math.h>

#include "cases/operators/neighbours.h"

enum case_fill neighbours_fill(struct random *random) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_SMALL, CASE_FILL_SPECIAL, CASE_FILL_UNIT,
                                           CASE_FILL_ABOVE_ONE};
    return RANDOM_OF(random, fills);
}

void neighbours_lay_out(struct random *random, struct case_tensor *input, struct case_tensor *output) {
    input->fill = neighbours_fill(random);
    generate_input_layout(random, input);
    generate_output_layout(random, output);
}

double neighbours_denormal(const struct operator_case *c) {
    return c->tensors[0].type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x1p-126 : 0;
}

struct accuracy_bounds neighbours_bounds(const struct operator_case *c, const struct neighbours_collected *sum) {
    if (sum->finite > NEIGHBOURS_GREATEST) {
        return accuracy_anything; /* sums on the way may be infinite */
    }
    const double distance =
        sum->magnitudes * accuracy_of_terms(c, sum->count) + (2 * sum->count + 1) * neighbours_denormal(c);
    return accuracy_around(sum->sum, isfinite(sum->magnitudes) ? distance : 0);
}

struct accuracy_exact neighbours_exact(const struct neighbours_collected *sum) {
    return sum->finite > 0x1p120 ? accuracy_no_exact : accuracy_beside(sum->sum, sum->magnitudes);
}
