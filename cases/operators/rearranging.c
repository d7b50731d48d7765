#include "cases/operators/rearranging.h"

enum case_fill rearranging_fill(struct random *random) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_INDEX, CASE_FILL_SPECIAL};
    return RANDOM_OF(random, fills);
}

struct case_tensor *rearranging_any_tensor(struct random *random, struct operator_case *c, const char *field) {
    struct case_tensor *tensor = case_tensor(c, field);
    tensor->type = generate_type(random, c, field);
    tensor->rank = random_between(random, 1, CASE_MAX_RANK);
    generate_sizes(random, generate_budget(random), tensor);
    return tensor;
}

void rearranging_copy_shape(struct case_tensor *to, const struct case_tensor *from) {
    to->type = from->type;
    to->rank = from->rank;
    for (uint32_t d = 0; d < from->rank; d++) {
        to->sizes[d] = from->sizes[d];
    }
}

void rearranging_lay_out(struct random *random, struct case_tensor *input, struct case_tensor *output) {
    input->fill = rearranging_fill(random);
    generate_input_layout(random, input);
    generate_output_layout(random, output);
}

ptrdiff_t rearranging_packed_stride(const struct case_tensor *tensor, uint32_t d) {
    ptrdiff_t stride = 1;
    while (++d < tensor->rank) {
        stride *= tensor->sizes[d];
    }
    return stride;
}
