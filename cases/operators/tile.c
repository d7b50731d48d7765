#include "cases/operators/rearranging.h"

#define TILE_TYPES                                                                                                     \
    CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 4, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 4, CASE_TYPES_UP_TO_32}, \
                 {DML_FEATURE_LEVEL_3_1, 1, 8, CASE_TYPES_UP_TO_32},                                                   \
                 {DML_FEATURE_LEVEL_4_1, 1, 8, CASE_TYPES_UP_TO_64 & ~CASE_TYPE(FLOAT64)})

static void generate_tile(const struct case_family *family, struct random *random, struct operator_case *c) {
    uint32_t repeats[CASE_MAX_RANK];
    case_begin(c, family->type);
    struct case_tensor *output = rearranging_any_tensor(random, c, "OutputTensor");
    struct case_tensor *input = case_tensor(c, "InputTensor");
    rearranging_copy_shape(input, output);
    for (uint32_t d = 0; d < output->rank; d++) {
        const uint32_t size =
            random_chance(random, 40) ? output->sizes[d] : random_between(random, 1, output->sizes[d]);
        input->sizes[d] = size;
        repeats[d] = output->sizes[d] / size;
        output->sizes[d] = size * repeats[d];
    }
    case_set_uint(c, "RepeatsCount", output->rank);
    case_set(c, "Repeats", output->rank, repeats);
    rearranging_lay_out(random, input, output);
    generate_call(random, c);
}

static void make_tiles(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t inner, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_TILE);
    const uint32_t rows = benchmark_size(bytes, type, 4096, 2);
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 2, (const uint32_t[]){rows, 4096});
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 2,
                     (const uint32_t[]){inner != 0 ? rows : rows / 2, inner != 0 ? 2048 : 4096});
    case_set_uint(c, "RepeatsCount", 2);
    case_set(c, "Repeats", 2, (const uint32_t[]){inner != 0 ? 1 : 2, inner != 0 ? 2 : 1});
}

static void tile_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const uint32_t in = case_index(c, "InputTensor"), out = case_index(c, "OutputTensor");
    const struct case_tensor *from = &c->tensors[in], *to = &c->tensors[out];
    struct loop_move move = {.element = vkdmlGetDataTypeSize(to->type), .rank = 2 * to->rank};
    for (uint32_t d = 0; d < to->rank; d++) {
        move.sizes[2 * d] = to->sizes[d] / from->sizes[d];
        move.to[2 * d] = rearranging_packed_stride(to, d) * from->sizes[d];
        move.sizes[2 * d + 1] = from->sizes[d];
        move.from[2 * d + 1] = rearranging_packed_stride(from, d);
        move.to[2 * d + 1] = rearranging_packed_stride(to, d);
    }
    loop_move(&move, tensors[in], tensors[out]);
}

static const struct case_benchmark tile_benchmarks[] = {
    {"outer", BENCHMARKED & ~CASE_TYPE(FLOAT64), 0, 0, make_tiles, tile_loop},
    {"inner", BENCHMARKED & ~CASE_TYPE(FLOAT64), 1, 0, make_tiles, tile_loop},
};

static const struct case_tensor_support tile_support[] = {{"InputTensor", TILE_TYPES}, {"OutputTensor", TILE_TYPES}};

static const char *const tile_fixed[] = {
    "TILE RepeatsCount=4 Repeats=1,1,3,3 InputTensor=FLOAT32[1,1,2,3] InputTensor.data=1,2,3,4,5,6 "
    "OutputTensor=FLOAT32[1,1,6,9] "
    "OutputTensor.data=1,2,3,1,2,3,1,2,3,4,5,6,4,5,6,4,5,6,1,2,3,1,2,3,1,2,3,4,5,6,4,5,6,4,5,6,1,2,3,1,2,3,1,2,3,4,5,6,"
    "4,5,6,4,5,6",
    /* So large that GPUs walk through both copies block by block. */
    "TILE seed=2 InputTensor=FLOAT32[2100,1024] InputTensor.fill=BITS OutputTensor=FLOAT32[4200,1024] "
    "RepeatsCount=2 Repeats=2,1",
    /* Sixteen dimensions once split: more than kernels take. */
    "TILE seed=1 InputTensor=UINT8[2,2,2,2,2,2,2,3] InputTensor.fill=INDEX OutputTensor=UINT8[4,4,4,4,4,4,4,6] "
    "RepeatsCount=8 Repeats=2,2,2,2,2,2,2,2",
};

static const struct case_refusal tile_refused[] = {
    {"TILE InputTensor=FLOAT32[2] OutputTensor=FLOAT32[4] RepeatsCount=2 Repeats=2,1",
     "DML_OPERATOR_TILE: RepeatsCount is 2, must be 1 = InputTensor.DimensionCount"},
    {"TILE InputTensor=FLOAT32[2] OutputTensor=FLOAT32[4] RepeatsCount=1 Repeats=0",
     "DML_OPERATOR_TILE: Repeats[0] is 0, must be at least 1"},
    {"TILE InputTensor=FLOAT32[2] OutputTensor=FLOAT32[4] RepeatsCount=1 Repeats=3",
     "DML_OPERATOR_TILE: OutputTensor.Sizes[0] is 4, must be 6 = InputTensor.Sizes[0] (2) * Repeats[0] (3)"},
};

REARRANGING_FAMILY(tile, TILE, false);
