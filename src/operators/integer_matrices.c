/* Products of matrices of integers: MATRIX_MULTIPLY_INTEGER, QUANTIZED_LINEAR_MATRIX_MULTIPLY and
 * MATRIX_MULTIPLY_INTEGER_TO_FLOAT. */
#include <inttypes.h>

#include "frames/map/map.h"
#include "frames/product/product.h"
#include "operators/matrices.h"
#include "operators/operators.h"
#include "operators/quantized.h"
#include "tensor/infer.h"

/* An input that a descriptor does not have. */
#define NONE UINT32_MAX

/* Which inputs are what. */
struct layout {
    uint32_t a, a_scale, a_zero_point;
    uint32_t b, b_scale, b_zero_point;
    uint32_t out_scale, out_zero_point, bias;
};

static const struct layout plain = {0, NONE, 1, 2, NONE, 3, NONE, NONE, NONE};
static const struct layout quantized = {0, 1, 2, 3, 4, 5, 6, 7, NONE};
static const struct layout to_float = {0, 1, 2, 3, 4, 5, NONE, NONE, 6};

/* ---- rules ---- */

static void check_numbers(const struct vkdml_instance *instance, uint32_t input, enum vkdml_quantized_along along,
                          uint32_t matrix, struct vkdml_report *report) {
    const struct vkdml_tensor *tensor = &instance->inputs[matrix];
    if (input != NONE) {
        const uint32_t d = tensor->dimension_count - (along == VKDML_QUANTIZED_ROWS ? 2 : 1);
        vkdml_quantized_check(instance, input, along, tensor->sizes[d], report);
    }
}

static void check(const struct vkdml_instance *instance, const struct layout *layout, struct vkdml_report *report) {
    const struct vkdml_matrices matrices = {layout->a, layout->b, layout->bias == NONE ? 0 : layout->bias, false,
                                            false};
    if (!vkdml_matrices_check(instance, &matrices, report)) {
        return;
    }
    check_numbers(instance, layout->a_scale, VKDML_QUANTIZED_ROWS, layout->a, report);
    check_numbers(instance, layout->a_zero_point, VKDML_QUANTIZED_ROWS, layout->a, report);
    check_numbers(instance, layout->b_scale, VKDML_QUANTIZED_COLUMNS, layout->b, report);
    check_numbers(instance, layout->b_zero_point, VKDML_QUANTIZED_COLUMNS, layout->b, report);
    check_numbers(instance, layout->out_scale, VKDML_QUANTIZED_ROWS, layout->a, report);
    check_numbers(instance, layout->out_zero_point, VKDML_QUANTIZED_ROWS, layout->a, report);
}

static void check_plain(const struct vkdml_instance *instance, struct vkdml_report *report) {
    check(instance, &plain, report);
}

static void check_quantized(const struct vkdml_instance *instance, struct vkdml_report *report) {
    check(instance, &quantized, report);
}

/* A and B have one type, but for bytes, whose signs may differ. */
static void check_to_float(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const DML_TENSOR_DATA_TYPE a = instance->inputs[to_float.a].data_type, b = instance->inputs[to_float.b].data_type;
    const bool are_bytes = vkdml_data_type_bits(a) == 8 && vkdml_data_type_bits(b) == 8;
    if (a != b && !are_bytes) {
        vkdml_report_invalid_type(report, "%s.DataType is %s, must be %s = %s.DataType, or both have 8 bits",
                                  vkdml_input_name(instance, to_float.b), vkdml_data_type_name(b),
                                  vkdml_data_type_name(a), vkdml_input_name(instance, to_float.a));
    }
    check(instance, &to_float, report);
}

/* ---- plans of bytes ---- */

static bool is_owned(const struct vkdml_instance *instance, uint32_t input) {
    return (instance->inputs[input].flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
}

/* A matrix as lines along what is summed: rows of A, columns of B. Batches that lie in one place are packed once. */
static struct vkdml_integer_operand operand_of(const struct vkdml_instance *instance, uint32_t input, bool turns) {
    const struct vkdml_view view = vkdml_input_view(instance, input);
    const uint32_t rank = view.rank, row = turns ? rank - 1 : rank - 2, column = turns ? rank - 2 : rank - 1;
    struct vkdml_integer_operand operand = {
        .lines = {.source = view.at,
                  .rank = 3,
                  .count = view.sizes[column],
                  .step = view.sizes[column] > 1 ? view.strides[column] : 1},
        .is_owned = is_owned(instance, input),
        .row_step = 1,
    };
    uint32_t step = view.sizes[row];
    operand.lines.dimensions[2] =
        (struct vkdml_integer_dimension){view.sizes[row], view.strides[row], 0, view.sizes[row]};
    for (uint32_t d = 2; d-- > 0;) {
        const bool is_there = rank > 3 - d;
        const uint32_t from = is_there ? rank - 4 + d : 0;
        const uint32_t stride = is_there ? view.strides[from] : 0, size = stride != 0 ? view.sizes[from] : 1;
        operand.lines.dimensions[d] = (struct vkdml_integer_dimension){size, stride, 0, size};
        *(d == 0 ? &operand.outer_step : &operand.inner_step) = size > 1 ? step : 0;
        step *= size; /* no more than elements */
    }
    return operand;
}

static struct vkdml_integer_product product_of(const struct vkdml_instance *instance, const struct layout *layout,
                                               const struct vkdml_view *out) {
    const uint32_t rank = out->rank;
    struct vkdml_integer_product product = {
        .outer = rank > 3 ? out->sizes[rank - 4] : 1,
        .inner = rank > 2 ? out->sizes[rank - 3] : 1,
        .m = out->sizes[rank - 2],
        .a = operand_of(instance, layout->a, false),
        .b = operand_of(instance, layout->b, true),
        .column_rank = 1,
        .columns = {{out->sizes[rank - 1], 1, out->strides[rank - 1]}},
        .tap_rows = 1,
        .taps = 1,
        .out = out->at,
        .out_strides = {rank > 3 ? out->strides[rank - 4] : 0, rank > 2 ? out->strides[rank - 3] : 0,
                        out->strides[rank - 2]},
        .is_scaled = layout->a_scale != NONE,
    };
    const struct {
        uint32_t term, input;
        enum vkdml_quantized_along along;
    } terms[] = {{VKDML_INTEGER_TERM_ZERO_A, layout->a_zero_point, VKDML_QUANTIZED_ROWS},
                 {VKDML_INTEGER_TERM_ZERO_B, layout->b_zero_point, VKDML_QUANTIZED_COLUMNS},
                 {VKDML_INTEGER_TERM_SCALE_A, layout->a_scale, VKDML_QUANTIZED_ROWS},
                 {VKDML_INTEGER_TERM_SCALE_B, layout->b_scale, VKDML_QUANTIZED_COLUMNS},
                 {VKDML_INTEGER_TERM_SCALE_OUT, layout->out_scale, VKDML_QUANTIZED_ROWS},
                 {VKDML_INTEGER_TERM_ZERO_OUT, layout->out_zero_point, VKDML_QUANTIZED_ROWS}};
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); ++i) {
        if (terms[i].input != NONE) {
            product.terms[terms[i].term] = vkdml_quantized_term(instance, terms[i].input, terms[i].along);
        }
    }
    return product;
}

static VkdmlResult plan_bytes(const struct vkdml_planning *planning, const struct layout *layout) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_integer_product product = product_of(planning->instance, layout, &output);
    return vkdml_integer_product_plan(&product, planning->builder);
}

static VkdmlResult plan_plain(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    return plan_bytes(planning, &plain);
}

static VkdmlResult plan_quantized(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    (void)op;
    return plan_bytes(planning, &quantized);
}

/* ---- plans to floats ---- */

/* The scaled product, rounded to FLOAT32, and then the bias. */
static VkdmlResult plan_bytes_and_bias(const struct vkdml_planning *planning) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view numbers =
        vkdml_builder_scratch(planning->builder, "numbers", &output, DML_TENSOR_DATA_TYPE_FLOAT32);
    const struct vkdml_integer_product product = product_of(planning->instance, &to_float, &numbers);
    struct vkdml_map map;
    VkdmlResult result = vkdml_integer_product_plan(&product, planning->builder);
    vkdml_map_begin(&map, output);
    map.operation = VKDML_MAP_ADD;
    vkdml_map_set_operand(&map, 0, numbers);
    vkdml_map_set_operand(&map, 1, vkdml_input_view(planning->instance, to_float.bias));
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? vkdml_map_plan(&map, planning->builder) : result;
}

/* A scale or zero point of a matrix with as many dimensions as that has. */
static struct vkdml_view numbers_of(const struct vkdml_instance *instance, uint32_t input,
                                    enum vkdml_quantized_along along, const struct vkdml_view *matrix) {
    const struct vkdml_integer_term term = vkdml_quantized_term(instance, input, along);
    struct vkdml_view view = {.at = term.at, .rank = matrix->rank};
    const uint32_t own = matrix->rank - (along == VKDML_QUANTIZED_ROWS ? 2 : 1);
    for (uint32_t d = 0; d < view.rank; ++d) {
        view.sizes[d] = d == own ? term.count : 1;
        view.strides[d] = d == own ? term.stride : 0;
    }
    return view;
}

/* What a matrix stands for, as FLOAT32. */
static VkdmlResult dequantize(const struct vkdml_planning *planning, uint32_t matrix, enum vkdml_quantized_along along,
                              struct vkdml_view *numbers) {
    const struct vkdml_instance *instance = planning->instance;
    const struct vkdml_view view = vkdml_input_view(instance, matrix);
    struct vkdml_map map;
    *numbers = vkdml_builder_scratch(planning->builder, "numbers", &view, DML_TENSOR_DATA_TYPE_FLOAT32);
    vkdml_map_begin(&map, *numbers);
    map.operation = VKDML_MAP_DEQUANTIZE;
    vkdml_map_set_operand(&map, 0, view);
    vkdml_map_set_operand(&map, 1, numbers_of(instance, matrix + 1, along, &view));
    if (instance->inputs[matrix + 2].dimension_count != 0) {
        vkdml_map_set_operand(&map, 2, numbers_of(instance, matrix + 2, along, &view));
    }
    return vkdml_map_plan(&map, planning->builder);
}

static struct vkdml_product_tensor tensor_of(const struct vkdml_view *view, uint32_t row, uint32_t column) {
    struct vkdml_product_tensor tensor = {.at = view->at};
    const uint32_t rank = view->rank;
    tensor.strides[row] = rank > 0 ? view->strides[rank - 2] : 0;
    tensor.strides[column] = rank > 0 ? view->strides[rank - 1] : 0;
    tensor.strides[VKDML_PRODUCT_INNER] = rank > 2 ? view->strides[rank - 3] : 0;
    tensor.strides[VKDML_PRODUCT_OUTER] = rank > 3 ? view->strides[rank - 4] : 0;
    return tensor;
}

/* Integers of more bits, whose sums would not fit: as floats. */
static VkdmlResult plan_numbers(const struct vkdml_planning *planning) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const struct vkdml_view bias = vkdml_input_view(planning->instance, to_float.bias);
    const uint32_t rank = output.rank;
    struct vkdml_view a, b;
    struct vkdml_epilogue epilogue;
    VkdmlResult result = dequantize(planning, to_float.a, VKDML_QUANTIZED_ROWS, &a);
    result = result == VKDML_SUCCESS ? dequantize(planning, to_float.b, VKDML_QUANTIZED_COLUMNS, &b) : result;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_builder_phase(planning->builder);
    epilogue.count = 0;
    vkdml_product_add(&epilogue, 1, &bias);
    const struct vkdml_product product = {
        .sizes = {rank > 3 ? output.sizes[rank - 4] : 1, rank > 2 ? output.sizes[rank - 3] : 1, output.sizes[rank - 2],
                  output.sizes[rank - 1], a.sizes[rank - 1]},
        .tensors = {tensor_of(&a, VKDML_PRODUCT_M, VKDML_PRODUCT_K), tensor_of(&b, VKDML_PRODUCT_K, VKDML_PRODUCT_N),
                    tensor_of(&bias, VKDML_PRODUCT_M, VKDML_PRODUCT_N),
                    tensor_of(&output, VKDML_PRODUCT_M, VKDML_PRODUCT_N)},
        .alpha = 1,
        .epilogue = &epilogue,
    };
    return vkdml_product_plan(&product, planning->builder);
}

static VkdmlResult plan_to_float(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    (void)op;
    if (vkdml_data_type_bits(instance->inputs[to_float.a].data_type) != 8) {
        return plan_numbers(planning);
    }
    return instance->inputs[to_float.bias].dimension_count != 0 ? plan_bytes_and_bias(planning)
                                                                : plan_bytes(planning, &to_float);
}

const struct vkdml_operator vkdml_operator_matrix_multiply_integer = {
    .takes_strides = true, .rules = check_plain, .plan = plan_plain};

const struct vkdml_operator vkdml_operator_quantized_linear_matrix_multiply = {
    .takes_strides = true, .rules = check_quantized, .plan = plan_quantized};

const struct vkdml_operator vkdml_operator_matrix_multiply_integer_to_float = {
    .takes_strides = true, .rules = check_to_float, .plan = plan_to_float};
