/* GEMM. */
#include "frames/product/product.h"

#include "operators/mapping.h"
#include "operators/matrices.h"
#include "operators/softmax.h"

enum { A, B, C };

/* Whether the last two dimensions of a tensor are to be exchanged. */
struct gemm {
    const DML_GEMM_OPERATOR_DESC *desc;
    uint32_t rank;
    bool turns_a;
    bool turns_b;
};

static struct gemm read_gemm(const struct vkdml_instance *instance) {
    const DML_GEMM_OPERATOR_DESC *desc = instance->desc;
    return (struct gemm){
        .desc = desc,
        .rank = instance->outputs[0].dimension_count,
        .turns_a = desc->TransA == DML_MATRIX_TRANSFORM_TRANSPOSE,
        .turns_b = desc->TransB == DML_MATRIX_TRANSFORM_TRANSPOSE,
    };
}

/* What is fused, where that is no function of elements alone; else NULL. */
static const struct vkdml_instance *softmax_of(const struct vkdml_instance *instance) {
    const bool is_softmax = instance->activation_count != 0 && vkdml_is_softmax(&instance->activations[0]);
    return is_softmax ? &instance->activations[0] : NULL;
}

static void check_gemm(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct gemm gemm = read_gemm(instance);
    const struct vkdml_matrices matrices = {A, B, C, gemm.turns_a, gemm.turns_b};
    const struct vkdml_instance *softmax = softmax_of(instance);
    if (vkdml_matrices_check(instance, &matrices, report) && softmax != NULL) {
        report->part = softmax->role;
        vkdml_softmax_check_fused(softmax, &instance->outputs[0], vkdml_output_name(instance, 0), report);
        report->part = NULL;
    }
}

static struct vkdml_product_tensor tensor_of(const struct vkdml_view *view, uint32_t row, uint32_t column,
                                             bool turned) {
    struct vkdml_product_tensor result = {.at = view->at};
    const uint32_t rank = view->rank;
    if (rank == 0) {
        return result; /* there is none */
    }
    result.strides[row] = view->strides[turned ? rank - 1 : rank - 2];
    result.strides[column] = view->strides[turned ? rank - 2 : rank - 1];
    result.strides[VKDML_PRODUCT_INNER] = rank > 2 ? view->strides[rank - 3] : 0;
    result.strides[VKDML_PRODUCT_OUTER] = rank > 3 ? view->strides[rank - 4] : 0;
    return result;
}

static bool takes_tail(const struct vkdml_planning *planning) {
    struct vkdml_epilogue epilogue;
    if (softmax_of(planning->instance) != NULL) {
        return false;
    }
    vkdml_mapping_epilogue(planning->instance, &epilogue);
    return vkdml_product_takes(&epilogue, planning->tail, planning->instance->outputs[0].data_type,
                               planning->builder->limits);
}

static bool is_owned(const struct vkdml_tensor *tensor) {
    return (tensor->flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
}

static VkdmlResult plan_gemm(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    (void)op;
    const struct gemm gemm = read_gemm(instance);
    const struct vkdml_tensor *inputs = instance->inputs;
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct vkdml_instance *softmax = softmax_of(instance);
    const struct vkdml_view whole = vkdml_output_view(instance, 0);
    const struct vkdml_view views[] = {vkdml_input_view(instance, A), vkdml_input_view(instance, B),
                                       vkdml_input_view(instance, C)};
    struct vkdml_epilogue epilogue;
    epilogue.count = 0;
    if (softmax == NULL) {
        vkdml_mapping_epilogue(instance, &epilogue);
    }
    vkdml_product_add(&epilogue, gemm.desc->Beta, &views[C]);
    struct vkdml_product product = {
        .sizes = {gemm.rank > 3 ? output->sizes[gemm.rank - 4] : 1, gemm.rank > 2 ? output->sizes[gemm.rank - 3] : 1,
                  output->sizes[gemm.rank - 2], output->sizes[gemm.rank - 1],
                  inputs[A].sizes[gemm.turns_a ? gemm.rank - 2 : gemm.rank - 1]},
        .tensors = {tensor_of(&views[A], VKDML_PRODUCT_M, VKDML_PRODUCT_K, gemm.turns_a),
                    tensor_of(&views[B], VKDML_PRODUCT_K, VKDML_PRODUCT_N, gemm.turns_b),
                    tensor_of(&views[C], VKDML_PRODUCT_M, VKDML_PRODUCT_N, false),
                    tensor_of(&whole, VKDML_PRODUCT_M, VKDML_PRODUCT_N, false)},
        .open_dimension = is_owned(&inputs[B])   ? VKDML_PRODUCT_M
                          : is_owned(&inputs[A]) ? VKDML_PRODUCT_N
                                                 : 0,
        .alpha = gemm.desc->Alpha,
        .epilogue = &epilogue,
    };
    const struct vkdml_view *operand = vkdml_product_set_tail(&product, planning->tail);
    if (operand != NULL) {
        product.tensors[VKDML_PRODUCT_OPERAND] = tensor_of(operand, VKDML_PRODUCT_M, VKDML_PRODUCT_N, false);
    }
    if (softmax == NULL) {
        return vkdml_product_plan(&product, planning->builder);
    }
    const struct vkdml_view numbers =
        vkdml_builder_scratch(planning->builder, "numbers", &whole, DML_TENSOR_DATA_TYPE_FLOAT32);
    product.tensors[VKDML_PRODUCT_OUT] = tensor_of(&numbers, VKDML_PRODUCT_M, VKDML_PRODUCT_N, false);
    VkdmlResult result = vkdml_product_plan(&product, planning->builder);
    return result == VKDML_SUCCESS ? vkdml_softmax_plan_fused(softmax, &numbers, planning) : result;
}

const struct vkdml_operator vkdml_operator_gemm = {
    .takes_strides = true,
    .rules = check_gemm,
    .plan = plan_gemm,
    .mapping = {.attributes_of_operation = true},
    .takes = takes_tail,
};
