/* Cases of DEPTH_TO_SPACE, SPACE_TO_DEPTH and their successors. */
#include "cases/operators/rearranging.h"

#define BLOCKS_SINCE_2_1                                                                                               \
    CASE_SUPPORT({DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32}, {DML_FEATURE_LEVEL_5_0, 4, 4, CASE_TYPES_UP_TO_64})
#define BLOCKS                                                                                                         \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32}, \
                 {DML_FEATURE_LEVEL_5_0, 4, 4, CASE_TYPES_UP_TO_64})

/* The sizes of the deep tensor and of the wide one. */
static void set_blocks(struct operator_case *c, DML_TENSOR_DATA_TYPE type, const uint32_t *wide, uint32_t block,
                       bool to_depth) {
    benchmark_tensor(case_tensor(c, to_depth ? "InputTensor" : "OutputTensor"), type, 4,
                     (const uint32_t[]){wide[0], wide[1], wide[2] * block, wide[3] * block});
    benchmark_tensor(case_tensor(c, to_depth ? "OutputTensor" : "InputTensor"), type, 4,
                     (const uint32_t[]){wide[0], wide[1] * block * block, wide[2], wide[3]});
    case_set_uint(c, "BlockSize", block);
}

static void generate_blocks(struct random *random, struct operator_case *c, bool to_depth, bool has_order) {
    struct case_tensor sizes = {.rank = 4};
    const uint32_t budget = generate_budget(random);
    const uint32_t blocks[] = {1, 2, 2, 3, 4, 8};
    const uint32_t block = RANDOM_OF(random, blocks);
    generate_sizes(random, budget / (block * block) + 1, &sizes);
    set_blocks(c, generate_type(random, c, "InputTensor"), sizes.sizes, block, to_depth);
    if (has_order) {
        case_set_uint(c, "Order", random_below(random, 2));
    }
    rearranging_lay_out(random, case_tensor(c, "InputTensor"), case_tensor(c, "OutputTensor"));
    generate_call(random, c);
}

/* Images of 64 channels, by blocks of 2 x 2. */
static void make_blocks(uint64_t bytes, DML_TENSOR_DATA_TYPE type, DML_OPERATOR_TYPE operator_type, uint32_t order,
                        bool to_depth, struct operator_case *c) {
    struct case_tensor images = {.rank = 4};
    case_begin(c, operator_type);
    benchmark_images(&images, bytes, type);
    set_blocks(c, type, (const uint32_t[]){images.sizes[0], images.sizes[1], images.sizes[2] / 2, images.sizes[3] / 2},
               2, to_depth);
    if (operator_type == DML_OPERATOR_SPACE_TO_DEPTH1 || operator_type == DML_OPERATOR_DEPTH_TO_SPACE1) {
        case_set_uint(c, "Order", order);
    }
}

/* Rows of the output, whose elements lie a block apart in the wide tensor, or side by side in the deep one. */
static void loop_blocks(const struct operator_case *c, unsigned char *const *tensors, bool to_depth,
                        bool channels_first) {
    const uint32_t in = case_index(c, "InputTensor"), out = case_index(c, "OutputTensor");
    const struct case_tensor *deep = &c->tensors[to_depth ? out : in], *wide = &c->tensors[to_depth ? in : out];
    const uint32_t block = case_word(c, "BlockSize");
    const ptrdiff_t depth = rearranging_packed_stride(deep, 1), channels = wide->sizes[1];
    const ptrdiff_t column = channels_first ? depth : depth * channels;
    struct loop_move move = {.element = vkdmlGetDataTypeSize(deep->type), .rank = 6};
    const ptrdiff_t of_deep[] = {rearranging_packed_stride(deep, 0),
                                 channels_first ? depth * block * block : depth,
                                 column * block,
                                 column,
                                 rearranging_packed_stride(deep, 2),
                                 1};
    const ptrdiff_t of_wide[] = {rearranging_packed_stride(wide, 0),         rearranging_packed_stride(wide, 1),
                                 rearranging_packed_stride(wide, 2),         1,
                                 rearranging_packed_stride(wide, 2) * block, block};
    const uint32_t sizes[] = {wide->sizes[0], wide->sizes[1], block, block, deep->sizes[2], deep->sizes[3]};
    /* The row of the wide tensor is that of two dimensions: the block's column is the inner one. */
    static const uint32_t to_deep_order[] = {0, 1, 2, 3, 4, 5}, to_wide_order[] = {0, 1, 4, 2, 5, 3};
    for (uint32_t d = 0; d < 6; d++) {
        const uint32_t n = to_depth ? to_deep_order[d] : to_wide_order[d];
        move.sizes[d] = sizes[n];
        move.from[d] = to_depth ? of_wide[n] : of_deep[n];
        move.to[d] = to_depth ? of_deep[n] : of_wide[n];
    }
    loop_move(&move, tensors[in], tensors[out]);
}

#define BLOCK_FAMILY(name, NAME, to_depth, has_order, support)                                                         \
    static void generate_##name(const struct case_family *family, struct random *random, struct operator_case *c) {    \
        case_begin(c, family->type);                                                                                   \
        generate_blocks(random, c, to_depth, has_order);                                                               \
    }                                                                                                                  \
    static void make_##name(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t order, struct operator_case *c) {      \
        make_blocks(bytes, type, DML_OPERATOR_##NAME, order, to_depth, c);                                             \
    }                                                                                                                  \
    static const struct case_tensor_support name##_support[] = {{"InputTensor", support}, {"OutputTensor", support}};  \
    static void name##_loop(const struct operator_case *c, unsigned char *const *tensors) {                            \
        loop_blocks(c, tensors, to_depth, (has_order) && case_word(c, "Order") != 0);                                  \
    }                                                                                                                  \
    static const struct case_benchmark name##_benchmarks[] = {                                                         \
        {"blocks_2x2", BENCHMARKED, has_order, 0, make_##name, name##_loop},                                           \
    };                                                                                                                 \
    REARRANGING_FAMILY(name, NAME, false)

static const char *const space_to_depth_fixed[] = {
    "SPACE_TO_DEPTH BlockSize=2 InputTensor=UINT32[1,2,4,6] "
    "InputTensor.data=0,18,1,19,2,20,36,54,37,55,38,56,3,21,4,22,5,23,39,57,40,58,41,59,9,27,10,28,11,29,45,63,46,64,"
    "47,65,12,30,13,31,14,32,48,66,49,67,50,68 "
    "OutputTensor=UINT32[1,8,2,3] "
    "OutputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68",
};

static const char *const space_to_depth1_fixed[] = {
    "SPACE_TO_DEPTH1 BlockSize=2 Order=DEPTH_COLUMN_ROW InputTensor=UINT32[1,2,4,6] "
    "InputTensor.data=0,18,1,19,2,20,36,54,37,55,38,56,3,21,4,22,5,23,39,57,40,58,41,59,9,27,10,28,11,29,45,63,46,64,"
    "47,65,12,30,13,31,14,32,48,66,49,67,50,68 "
    "OutputTensor=UINT32[1,8,2,3] "
    "OutputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68",
    "SPACE_TO_DEPTH1 BlockSize=2 Order=COLUMN_ROW_DEPTH InputTensor=UINT32[1,2,4,6] "
    "InputTensor.data=0,9,1,10,2,11,18,27,19,28,20,29,3,12,4,13,5,14,21,30,22,31,23,32,36,45,37,46,38,47,54,63,55,64,"
    "56,65,39,48,40,49,41,50,57,66,58,67,59,68 "
    "OutputTensor=UINT32[1,8,2,3] "
    "OutputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68",
};

static const char *const depth_to_space_fixed[] = {
    "DEPTH_TO_SPACE InputTensor=FLOAT16[1,8,1,2] InputTensor.data=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 "
    "OutputTensor=FLOAT16[1,2,2,4] OutputTensor.data=0,4,1,5,8,12,9,13,2,6,3,7,10,14,11,15 BlockSize=2",
};

static const char *const depth_to_space1_fixed[] = {
    "DEPTH_TO_SPACE1 BlockSize=2 Order=DEPTH_COLUMN_ROW InputTensor=UINT32[1,8,2,3] "
    "InputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68 "
    "OutputTensor=UINT32[1,2,4,6] "
    "OutputTensor.data=0,18,1,19,2,20,36,54,37,55,38,56,3,21,4,22,5,23,39,57,40,58,41,59,9,27,10,28,11,29,45,63,46,64,"
    "47,65,12,30,13,31,14,32,48,66,49,67,50,68",
    "DEPTH_TO_SPACE1 BlockSize=2 Order=COLUMN_ROW_DEPTH InputTensor=UINT32[1,8,2,3] "
    "InputTensor.data=0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,41,45,46,47,48,"
    "49,50,54,55,56,57,58,59,63,64,65,66,67,68 "
    "OutputTensor=UINT32[1,2,4,6] "
    "OutputTensor.data=0,9,1,10,2,11,18,27,19,28,20,29,3,12,4,13,5,14,21,30,22,31,23,32,36,45,37,46,38,47,54,63,55,64,"
    "56,65,39,48,40,49,41,50,57,66,58,67,59,68",
};

static const struct case_refusal space_to_depth_refused[] = {
    {"SPACE_TO_DEPTH InputTensor=FLOAT32[1,1,2,2] OutputTensor=FLOAT32[1,4,1,1] BlockSize=0",
     "DML_OPERATOR_SPACE_TO_DEPTH: BlockSize is 0, must be at least 1"},
    {"SPACE_TO_DEPTH InputTensor=FLOAT32[1,1,2,2] OutputTensor=FLOAT32[1,3,1,1] BlockSize=2",
     "DML_OPERATOR_SPACE_TO_DEPTH: OutputTensor.Sizes[1] is 3, must be InputTensor.Sizes[1] (1) * 4; BlockSize is 2"},
};

static const struct case_refusal space_to_depth1_refused[] = {
    {"SPACE_TO_DEPTH1 InputTensor=FLOAT32[1,1,3,2] OutputTensor=FLOAT32[1,4,1,1] BlockSize=2 Order=COLUMN_ROW_DEPTH",
     "DML_OPERATOR_SPACE_TO_DEPTH1: InputTensor.Sizes[2] is 3, must be OutputTensor.Sizes[2] (1) * 2; BlockSize is 2"},
};

static const struct case_refusal depth_to_space_refused[] = {
    {"DEPTH_TO_SPACE InputTensor=FLOAT32[2,4,1,1] OutputTensor=FLOAT32[1,1,2,2] BlockSize=2",
     "DML_OPERATOR_DEPTH_TO_SPACE: OutputTensor.Sizes[0] is 1, must be InputTensor.Sizes[0] (2) * 1; BlockSize is 2"},
};

static const struct case_refusal depth_to_space1_refused[] = {
    {"DEPTH_TO_SPACE1 InputTensor=FLOAT32[1,4,1,1] OutputTensor=FLOAT32[1,1,2,5] BlockSize=2 Order=COLUMN_ROW_DEPTH",
     "DML_OPERATOR_DEPTH_TO_SPACE1: OutputTensor.Sizes[3] is 5, must be InputTensor.Sizes[3] (1) * 2; BlockSize is 2"},
};

BLOCK_FAMILY(space_to_depth, SPACE_TO_DEPTH, true, false, BLOCKS);
BLOCK_FAMILY(space_to_depth1, SPACE_TO_DEPTH1, true, true, BLOCKS_SINCE_2_1);
BLOCK_FAMILY(depth_to_space, DEPTH_TO_SPACE, false, false, BLOCKS);
BLOCK_FAMILY(depth_to_space1, DEPTH_TO_SPACE1, false, true, BLOCKS_SINCE_2_1);
