/* What becomes of a product's results behind its epilogue. */
#include "frames/product/product.h"

enum { OPERAND = VKDML_PRODUCT_OPERAND };

bool vkdml_product_takes(const struct vkdml_epilogue *epilogue, const struct vkdml_epilogue *tail,
                         DML_TENSOR_DATA_TYPE output, const struct vkdml_plan_limits *limits) {
    uint32_t unused[VKDML_FUNCTION_ARGUMENTS];
    const bool has_operand = tail->count != 0 && vkdml_view_exists(&tail->steps[0].operand);
    /* Matrix cores wait for what becomes of their results: BERT of 8 x 512 tokens took 13.7 ms for 7.0 on an H200. */
    const bool goes_by_cores =
        limits->matrix_cores.subgroup_size != 0 && (output == DML_TENSOR_DATA_TYPE_FLOAT16 || limits->half_allowed);
    return !goes_by_cores && vkdml_epilogue_is_short(tail, output, false, limits) &&
           (!has_operand || limits->max_storage_buffers > OPERAND) &&
           (vkdml_epilogue_function(epilogue, unused) == VKDML_FUNCTION_NONE ||
            vkdml_epilogue_function(tail, unused) == VKDML_FUNCTION_NONE);
}

enum vkdml_map_function vkdml_product_function(const struct vkdml_product *product,
                                               uint32_t arguments[VKDML_FUNCTION_ARGUMENTS]) {
    const enum vkdml_map_function function = vkdml_epilogue_function(product->epilogue, arguments);
    return function != VKDML_FUNCTION_NONE || product->tail == NULL ? function
                                                                    : vkdml_epilogue_function(product->tail, arguments);
}

const struct vkdml_view *vkdml_product_set_tail(struct vkdml_product *product, const struct vkdml_epilogue *tail) {
    const struct vkdml_ending ending = vkdml_epilogue_ending(tail);
    product->tail = tail;
    if (ending.operand != NULL) {
        product->tensors[OPERAND].at = ending.operand->at;
    }
    return ending.operand;
}
