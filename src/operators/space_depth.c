/* SPACE_TO_DEPTH and DEPTH_TO_SPACE, both versions. */
#include <inttypes.h>

#include "base/checked.h"
#include "operators/copying.h"
#include "operators/operators.h"
#include "tensor/infer.h"

enum { BATCH, CHANNEL, HEIGHT, WIDTH };

/* A tensor whose channels hold blocks of BlockSize * BlockSize elements of one that is as much higher and wider. */
struct blocks {
    struct vkdml_tensor *deep;
    struct vkdml_tensor *wide;
    const char *deep_name;
    const char *wide_name;
    uint32_t size;
    bool channels_first; /* of the parts of a deep channel: else the block's row and column are */
};

static struct blocks blocks_of(const struct vkdml_instance *instance, bool to_depth, uint32_t size,
                               DML_DEPTH_SPACE_ORDER order) {
    return (struct blocks){
        .deep = to_depth ? &instance->outputs[0] : &instance->inputs[0],
        .wide = to_depth ? &instance->inputs[0] : &instance->outputs[0],
        .deep_name = to_depth ? vkdml_output_name(instance, 0) : vkdml_input_name(instance, 0),
        .wide_name = to_depth ? vkdml_input_name(instance, 0) : vkdml_output_name(instance, 0),
        .size = size,
        .channels_first = order == DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH,
    };
}

/* The size of the deep tensor in a dimension times `factor` is that of the wide one, or the other way round. */
static void check_block_sizes(const struct blocks *blocks, uint32_t d, bool deep_is_larger, uint64_t factor,
                              struct vkdml_report *report) {
    struct vkdml_tensor *larger = deep_is_larger ? blocks->deep : blocks->wide;
    struct vkdml_tensor *smaller = deep_is_larger ? blocks->wide : blocks->deep;
    const char *larger_name = deep_is_larger ? blocks->deep_name : blocks->wide_name;
    const char *smaller_name = deep_is_larger ? blocks->wide_name : blocks->deep_name;
    uint64_t product;
    const uint64_t times =
        vkdml_checked_multiply(smaller->sizes[d], factor, &product) ? product : UINT64_MAX; /* no size */
    const bool is_good = vkdml_size_is_unknown(larger, d)
                             ? vkdml_size_is(larger, d, times)
                             : larger->sizes[d] % factor == 0 && vkdml_size_is(smaller, d, larger->sizes[d] / factor);
    if (!is_good) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %s.Sizes[%" PRIu32 "] (%" PRIu32
                             ") * %" PRIu64 "; BlockSize is %" PRIu32,
                             larger_name, d, larger->sizes[d], smaller_name, d, smaller->sizes[d], factor,
                             blocks->size);
    }
}

static void check_blocks(const struct blocks *blocks, struct vkdml_report *report) {
    if (blocks->size == 0) {
        vkdml_report_invalid(report, "BlockSize is 0, must be at least 1");
    } else if (blocks->deep->dimension_count == 4 && blocks->wide->dimension_count == 4) {
        check_block_sizes(blocks, BATCH, false, 1, report);
        check_block_sizes(blocks, CHANNEL, true, (uint64_t)blocks->size * blocks->size, report);
        check_block_sizes(blocks, HEIGHT, false, blocks->size, report);
        check_block_sizes(blocks, WIDTH, false, blocks->size, report);
    }
}

static VkdmlResult plan_blocks(const struct blocks *blocks, bool to_depth, const struct vkdml_planning *planning) {
    const uint32_t *deep = blocks->deep->strides;
    const uint32_t *wide = blocks->wide->strides;
    const uint64_t size = blocks->size;
    const uint32_t channels = blocks->wide->sizes[CHANNEL];
    const uint64_t channel = deep[CHANNEL] * (blocks->channels_first ? size * size : 1);
    const uint64_t column = (uint64_t)deep[CHANNEL] * (blocks->channels_first ? 1 : channels);
    const struct {
        uint32_t size;
        uint64_t deep;
        uint64_t wide;
    } dimensions[] = {
        {blocks->deep->sizes[BATCH], deep[BATCH], wide[BATCH]},           {channels, channel, wide[CHANNEL]},
        {blocks->deep->sizes[HEIGHT], deep[HEIGHT], wide[HEIGHT] * size}, {blocks->size, column * size, wide[HEIGHT]},
        {blocks->deep->sizes[WIDTH], deep[WIDTH], wide[WIDTH] * size},    {blocks->size, column, wide[WIDTH]},
    };
    struct vkdml_gather gather = vkdml_copying_begin(planning->instance, 0, 0);
    bool fits = true;
    for (uint32_t d = 0; d < sizeof(dimensions) / sizeof(dimensions[0]); ++d) {
        fits &= vkdml_copy_add(&gather, dimensions[d].size, to_depth ? dimensions[d].deep : dimensions[d].wide,
                               to_depth ? dimensions[d].wide : dimensions[d].deep);
    }
    return vkdml_copying_plan(&gather, fits, planning);
}

#define OF_BLOCKS(name, NAME, to_depth, order)                                                                         \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const DML_##NAME##_OPERATOR_DESC *desc = instance->desc;                                                       \
        const struct blocks blocks = blocks_of(instance, to_depth, desc->BlockSize, order);                            \
        check_blocks(&blocks, report);                                                                                 \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        const DML_##NAME##_OPERATOR_DESC *desc = planning->instance->desc;                                             \
        const struct blocks blocks = blocks_of(planning->instance, to_depth, desc->BlockSize, order);                  \
        (void)op;                                                                                                      \
        return plan_blocks(&blocks, to_depth, planning);                                                               \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {.rules = check_##name, .plan = plan_##name}

OF_BLOCKS(space_to_depth, SPACE_TO_DEPTH, true, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW);
OF_BLOCKS(space_to_depth1, SPACE_TO_DEPTH1, true, desc->Order);
OF_BLOCKS(depth_to_space, DEPTH_TO_SPACE, false, DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW);
OF_BLOCKS(depth_to_space1, DEPTH_TO_SPACE1, false, desc->Order);
