#include "operators/matrices.h"

#include <inttypes.h>

#include "tensor/infer.h"

/* A dimension of a tensor. */
struct place {
    const char *name;
    struct vkdml_tensor *tensor;
    uint32_t dimension;
};

static void check_same(const struct place *checked, const struct place *with, const char *meaning,
                       struct vkdml_report *report) {
    const uint32_t size = checked->tensor->sizes[checked->dimension];
    const uint32_t wanted = with->tensor->sizes[with->dimension];
    if (!vkdml_size_is(checked->tensor, checked->dimension, wanted)) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "], %s",
                             checked->name, checked->dimension, size, wanted, with->name, with->dimension, meaning);
    }
}

/* Whether those that have the output's dimension count do. */
static bool agree_in_rank(const struct vkdml_instance *instance, const struct vkdml_matrices *matrices) {
    const uint32_t rank = instance->outputs[0].dimension_count;
    const uint32_t of_c = matrices->c != 0 ? instance->inputs[matrices->c].dimension_count : 0;
    return rank >= 2 && instance->inputs[matrices->a].dimension_count == rank &&
           instance->inputs[matrices->b].dimension_count == rank && (of_c == rank || of_c == 0);
}

bool vkdml_matrices_check(const struct vkdml_instance *instance, const struct vkdml_matrices *matrices,
                          struct vkdml_report *report) {
    struct vkdml_tensor *a = &instance->inputs[matrices->a], *b = &instance->inputs[matrices->b];
    struct vkdml_tensor *output = &instance->outputs[0];
    if (!agree_in_rank(instance, matrices)) {
        return false;
    }
    const char *output_name = vkdml_output_name(instance, 0);
    const uint32_t rank = output->dimension_count, row = rank - 2, column = rank - 1;
    const struct place a_rows = {vkdml_input_name(instance, matrices->a), a, matrices->turns_a ? column : row};
    const struct place a_columns = {a_rows.name, a, matrices->turns_a ? row : column};
    const struct place b_rows = {vkdml_input_name(instance, matrices->b), b, matrices->turns_b ? column : row};
    const struct place b_columns = {b_rows.name, b, matrices->turns_b ? row : column};
    const struct place rows = {output_name, output, row};
    const struct place columns = {output_name, output, column};
    check_same(&b_rows, &a_columns, "what is summed", report);
    check_same(&rows, &a_rows, "the rows", report);
    check_same(&columns, &b_columns, "the columns", report);
    for (uint32_t d = 0; d < row; ++d) {
        const struct place batch = {a_rows.name, a, d};
        const struct place others[] = {{b_rows.name, b, d}, {output_name, output, d}};
        check_same(&others[0], &batch, "a batch", report);
        check_same(&others[1], &batch, "a batch", report);
    }
    for (uint32_t d = 0; matrices->c != 0 && d < instance->inputs[matrices->c].dimension_count; ++d) {
        const struct place c = {vkdml_input_name(instance, matrices->c), &instance->inputs[matrices->c], d};
        const struct place own = {output_name, output, d};
        check_same(&c, &own, "as all sizes of both", report);
    }
    return true;
}
