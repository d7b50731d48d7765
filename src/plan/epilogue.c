#include "plan/epilogue.h"

#include <assert.h>
#include <string.h>

#include "kernels/blocks.h"
#include "plan/step.h"

struct vkdml_epilogue_step *vkdml_epilogue_add(struct vkdml_epilogue *epilogue) {
    assert(epilogue->count < VKDML_EPILOGUE_STEPS);
    return &epilogue->steps[epilogue->count++];
}

const struct vkdml_epilogue_step *vkdml_epilogue_find(const struct vkdml_epilogue *epilogue,
                                                      enum vkdml_map_operation operation) {
    for (uint32_t i = 0; i < epilogue->count; ++i) {
        if (epilogue->steps[i].operation == operation && vkdml_view_exists(&epilogue->steps[i].operand)) {
            return &epilogue->steps[i];
        }
    }
    return NULL;
}

enum vkdml_map_function vkdml_epilogue_function(const struct vkdml_epilogue *epilogue,
                                                uint32_t arguments[VKDML_FUNCTION_ARGUMENTS]) {
    memset(arguments, 0, VKDML_FUNCTION_ARGUMENTS * sizeof(*arguments));
    if (epilogue->count == 0) {
        return VKDML_FUNCTION_NONE;
    }
    const struct vkdml_epilogue_step *last = &epilogue->steps[epilogue->count - 1];
    memcpy(arguments, last->arguments, sizeof(last->arguments));
    return last->function;
}

/* ---- of frames whose kernels have glsl/common/epilogue.glsl ---- */

#define ONE            0x3F800000u
#define OPERAND_BUFFER 3 /* of a step */

_Static_assert((uint32_t)VKDML_FUNCTION_SWISH < (uint32_t)VKDML_EPILOGUE_ADDS, "functions are below the bits");

static bool is_arithmetic(enum vkdml_map_function function) {
    switch (function) {
    case VKDML_FUNCTION_NONE:
    case VKDML_FUNCTION_ABS:
    case VKDML_FUNCTION_NEGATE:
    case VKDML_FUNCTION_SIGN:
    case VKDML_FUNCTION_CLIP:
    case VKDML_FUNCTION_THRESHOLD:
    case VKDML_FUNCTION_RELU:
    case VKDML_FUNCTION_THRESHOLDED_RELU:
    case VKDML_FUNCTION_LEAKY_RELU:
    case VKDML_FUNCTION_LINEAR:
    case VKDML_FUNCTION_HARD_SIGMOID:
    case VKDML_FUNCTION_HARD_SWISH:
    case VKDML_FUNCTION_SHRINK:
        return true;
    default:
        return false;
    }
}

static bool is_long(enum vkdml_map_function function) {
    switch (function) {
    case VKDML_FUNCTION_SOFTSIGN:
    case VKDML_FUNCTION_TANH:
    case VKDML_FUNCTION_SIGMOID:
    case VKDML_FUNCTION_CELU:
    case VKDML_FUNCTION_ELU:
    case VKDML_FUNCTION_SCALED_ELU:
    case VKDML_FUNCTION_SCALED_TANH:
    case VKDML_FUNCTION_SOFTPLUS:
    case VKDML_FUNCTION_PARAMETRIC_SOFTPLUS:
    case VKDML_FUNCTION_GELU:
    case VKDML_FUNCTION_SWISH:
        return true;
    default:
        return false;
    }
}

static bool is_operation(const struct vkdml_epilogue_step *step) {
    return (step->operation == VKDML_MAP_ADD || step->operation == VKDML_MAP_MULTIPLY) &&
           vkdml_view_exists(&step->operand);
}

bool vkdml_epilogue_exists(const struct vkdml_epilogue *epilogue) {
    return epilogue != NULL && epilogue->count != 0;
}

bool vkdml_epilogue_is_short(const struct vkdml_epilogue *epilogue, DML_TENSOR_DATA_TYPE output, bool only_arithmetic,
                             const struct vkdml_plan_limits *limits) {
    bool suits = epilogue->count <= 2 && vkdml_data_type_is_float(output) && vkdml_data_type_bits(output) <= 32;
    for (uint32_t i = 0; i < epilogue->count && suits; ++i) {
        const struct vkdml_epilogue_step *step = &epilogue->steps[i];
        const bool is_last = i + 1 == epilogue->count;
        if (step->operation != VKDML_MAP_FIRST) {
            const uint64_t bytes = is_operation(step) ? vkdml_view_span(&step->operand) : 0;
            suits = i == 0 && bytes != 0 && step->operand.at.type == output && step->operand.at.first <= UINT32_MAX &&
                    vkdml_fits(limits, step->operand.at.offset, bytes);
        }
        suits = suits && (i == 0 || step->operation == VKDML_MAP_FIRST) &&
                (is_last || (step->operation != VKDML_MAP_FIRST && step->function == VKDML_FUNCTION_NONE)) &&
                (is_arithmetic(step->function) || (!only_arithmetic && is_long(step->function)));
    }
    return suits;
}

struct vkdml_ending vkdml_epilogue_ending(const struct vkdml_epilogue *epilogue) {
    struct vkdml_ending ending = {0, ONE, {0, 0}, NULL, 0};
    if (!vkdml_epilogue_exists(epilogue)) {
        return ending;
    }
    uint32_t arguments[VKDML_FUNCTION_ARGUMENTS];
    ending.constant = (uint32_t)vkdml_epilogue_function(epilogue, arguments);
    memcpy(ending.arguments, arguments, sizeof(ending.arguments));
    const struct vkdml_epilogue_step *first = &epilogue->steps[0];
    if (first->operation != VKDML_MAP_FIRST) {
        const bool adds = first->operation == VKDML_MAP_ADD;
        memcpy(&ending.factor, &first->factor, adds ? sizeof(first->factor) : 0);
        ending.constant |= adds ? VKDML_EPILOGUE_ADDS : VKDML_EPILOGUE_MULTIPLIES;
        ending.constant |= ending.factor != ONE ? VKDML_EPILOGUE_HAS_FACTOR : 0;
        ending.constant |= epilogue->count > 1 ? VKDML_EPILOGUE_IS_STORED : 0;
        ending.operand = &first->operand;
        ending.first = (uint32_t)first->operand.at.first;
    }
    return ending;
}

uint32_t vkdml_ending_stride(const struct vkdml_ending *ending, uint32_t d) {
    return ending->operand == NULL || ending->operand->sizes[d] == 1 ? 0 : ending->operand->strides[d];
}

void vkdml_ending_bind(const struct vkdml_ending *ending, struct vkdml_plan_step *step) {
    if (ending->operand == NULL) {
        return;
    }
    for (; step->buffer_count < OPERAND_BUFFER; ++step->buffer_count) {
        step->buffers[step->buffer_count] = step->buffers[1]; /* that the kernel leaves alone */
    }
    step->buffers[step->buffer_count++] =
        vkdml_origin_buffer(&ending->operand->at, 0, vkdml_view_span(ending->operand));
}

uint32_t vkdml_epilogue_turns(const struct vkdml_epilogue *epilogue) {
    static const uint8_t turns[] = {
#define OPERATION(NAME, value, turns, work)
#define FUNCTION(NAME, value, turns, work) [value] = (turns),
#include "../glsl/common/operation_list.inc"
    };
    uint32_t arguments[VKDML_FUNCTION_ARGUMENTS];
    /* the loop of what is rare, of an operation and of a function */
    return vkdml_epilogue_exists(epilogue) ? 2 + turns[vkdml_epilogue_function(epilogue, arguments)] : 0;
}
