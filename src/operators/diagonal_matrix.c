/* DIAGONAL_MATRIX and DIAGONAL_MATRIX1: a band of diagonals over a stack of matrices. */
#include "operators/gather.h"
#include "operators/operators.h"
#include "operators/scalar.h"
#include "operators/transfer.h"

/* Diagonal x - y of the elements to fill, `first` to `last`; first > last: none. */
struct band {
    int32_t first;
    int32_t last;
    bool invert;       /* fill what is outside instead */
    uint32_t value[2]; /* an element of the output's type, low word first */
};

/* Where a band is one diagonal of a stack of matrices: that, as rows of one matrix row each, all within any band. */
static VkdmlResult plan_diagonal(const struct vkdml_tensor *output, int32_t diagonal, const uint32_t value[2],
                                 const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                 struct vkdml_plan *plan) {
    const uint32_t x = output->dimension_count - 1;
    const uint32_t y = x - 1;
    const uint64_t first_x = diagonal > 0 ? (uint64_t)diagonal : 0;
    const uint64_t first_y = diagonal < 0 ? (uint64_t)(-(int64_t)diagonal) : 0;
    if (first_x >= output->sizes[x] || first_y >= output->sizes[y]) {
        return VKDML_SUCCESS; /* past the matrices' corners */
    }
    const uint32_t columns = output->sizes[x] - (uint32_t)first_x;
    const uint32_t rows = output->sizes[y] - (uint32_t)first_y;
    const uint32_t length = columns < rows ? columns : rows;
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, output, NULL);
    gather.output_first = first_x * output->strides[x] + first_y * output->strides[y];
    gather.dimensions[y] = (struct vkdml_gather_dimension){.size = 1, .input_size = 1};
    gather.dimensions[x] = (struct vkdml_gather_dimension){
        .size = length,
        .output_stride = length > 1 ? output->strides[x] + output->strides[y] : 1,
        .input_size = length,
    };
    vkdml_gather_collapse(&gather, 0, gather.count - 2);
    const struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_DIAGONAL,
        .specialization_count = 2,
        .arguments = {value[0], value[1], (uint32_t)INT32_MIN, (uint32_t)INT32_MAX},
        .output = VKDML_PLAN_OUTPUT,
    };
    const uint32_t first_step = plan->steps.count;
    VkdmlResult result = vkdml_gather_plan(&gather, &use, limits, report, plan, &plan->steps);
    if (result == VKDML_SUCCESS) {
        plan->steps.items[first_step].barrier_before = true;
    }
    return result;
}

/* Whether a fill and a dispatch for the few elements of one diagonal do. */
static bool suits_fill(const struct vkdml_instance *instance, const struct band *band,
                       const struct vkdml_plan_limits *limits, uint32_t *word) {
    static const uint32_t zero[2] = {0, 0};
    const bool has_input = instance->schema->inputCount > 0 && instance->inputs[0].dimension_count != 0;
    return !has_input && band->first >= band->last &&
           vkdml_transfer_suits_fill(&instance->outputs[0], band->invert ? band->value : zero, limits, word);
}

static VkdmlResult plan_filled(const struct vkdml_instance *instance, const struct band *band, uint32_t word,
                               const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                               struct vkdml_plan *plan) {
    static const uint32_t zero[2] = {0, 0};
    const struct vkdml_tensor *output = &instance->outputs[0];
    VkdmlResult result = vkdml_transfer_plan_fill(output, word, limits, report, plan);
    if (result == VKDML_SUCCESS && band->first == band->last) {
        result = plan_diagonal(output, band->first, band->invert ? zero : band->value, limits, report, plan);
    }
    return result;
}

/* Of diagonals no farther than INT32_MAX - 1 from 0, which all are where a matrix is transposed: what lies beyond is
 * the same. */
static int32_t opposite(int32_t diagonal) {
    return diagonal == INT32_MIN ? INT32_MAX : -diagonal;
}

/* The kernel's rows are x's: where y's lie closer together in the output the matrices are transposed, and the band. */
static void choose_rows(struct vkdml_gather *gather, struct band *band) {
    struct vkdml_gather_dimension *x = &gather->dimensions[gather->count - 1];
    struct vkdml_gather_dimension *y = x - 1;
    const bool closer = x->size == 1 || y->output_stride < x->output_stride;
    if (y->size > 1 && y->size <= INT32_MAX && closer) {
        const struct vkdml_gather_dimension row = *y;
        *y = *x;
        *x = row;
        const int32_t first = band->first;
        band->first = opposite(band->last);
        band->last = opposite(first);
    }
}

static VkdmlResult plan_band(const struct vkdml_instance *instance, struct band *band,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                             struct vkdml_plan *plan) {
    uint32_t word;
    if (suits_fill(instance, band, limits, &word)) {
        return plan_filled(instance, band, word, limits, report, plan);
    }
    const struct vkdml_tensor *input =
        instance->schema->inputCount > 0 && instance->inputs[0].dimension_count != 0 ? &instance->inputs[0] : NULL;
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, &instance->outputs[0], input);
    choose_rows(&gather, band);
    vkdml_gather_collapse(&gather, 0, gather.count - 2); /* the batch; the last two stay: the kernel compares them */

    const struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_DIAGONAL,
        .runs_kernel = VKDML_KERNEL_DIAGONAL_RUNS,
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
