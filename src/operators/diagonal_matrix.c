/* DIAGONAL_MATRIX and DIAGONAL_MATRIX1: a band of diagonals over a stack of matrices. */
#include "operators/gather.h"
#include "operators/operators.h"
#include "operators/scalar.h"

/* Diagonal x - y of the elements to fill, `first` to `last`; first > last: none. */
struct band {
    int32_t first;
    int32_t last;
    bool invert;       /* fill what is outside instead */
    uint32_t value[2]; /* an element of the output's type, low word first */
};

static VkdmlResult plan_band(const struct vkdml_instance *instance, const struct band *band,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                             struct vkdml_plan *plan) {
    const struct vkdml_tensor *input =
        instance->schema->inputCount > 0 && instance->inputs[0].dimension_count != 0 ? &instance->inputs[0] : NULL;
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, &instance->outputs[0], input);
    vkdml_gather_collapse(&gather, 0, gather.count - 2); /* the batch; the last two stay: the kernel compares them */

    const struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_DIAGONAL,
        .specialization_count = 2,
        .specializations = {input != NULL, band->invert},
        .arguments = {band->value[0], band->value[1], (uint32_t)band->first, (uint32_t)band->last},
        .has_input = input != NULL,
        .input = VKDML_PLAN_INPUT,
        .output = VKDML_PLAN_OUTPUT,
    };
    return vkdml_gather_plan(&gather, &use, limits, report, plan, &plan->steps);
}

void vkdml_rules_diagonal_matrix(const struct vkdml_instance *instance, struct vkdml_report *report) {
    /* Any Offset and any Value are legal; the table says the rest. */
    (void)instance;
    (void)report;
}

VkdmlResult vkdml_plan_diagonal_matrix(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                                       VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    (void)flags;
    const DML_DIAGONAL_MATRIX_OPERATOR_DESC *desc = instance->desc;
    struct band band = {.first = desc->Offset, .last = desc->Offset};
    vkdml_scalar_from_float(desc->Value, instance->outputs[0].data_type, band.value);
    return plan_band(instance, &band, limits, report, plan);
}

void vkdml_rules_diagonal_matrix1(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_DIAGONAL_MATRIX1_OPERATOR_DESC *desc = instance->desc;
    vkdml_scalar_check_type(instance, "ValueDataType", desc->ValueDataType, report);
}

VkdmlResult vkdml_plan_diagonal_matrix1(const struct vkdml_instance *instance, const struct vkdml_plan_limits *limits,
                                        VkdmlCompileFlags flags, struct vkdml_report *report, struct vkdml_plan *plan) {
    (void)flags;
    const DML_DIAGONAL_MATRIX1_OPERATOR_DESC *desc = instance->desc;
    struct band band = {.first = 1, .last = 0}; /* none, as for Begin == End */
    if (desc->DiagonalFillBegin < desc->DiagonalFillEnd) {
        band = (struct band){.first = desc->DiagonalFillBegin, .last = desc->DiagonalFillEnd - 1};
    } else if (desc->DiagonalFillBegin > desc->DiagonalFillEnd) {
        band = (struct band){.first = desc->DiagonalFillEnd, .last = desc->DiagonalFillBegin - 1, .invert = true};
    }
    vkdml_scalar_from_union(&desc->Value, instance->outputs[0].data_type, band.value);
    return plan_band(instance, &band, limits, report, plan);
}
