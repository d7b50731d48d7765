#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"

static const char *const fixed[] = {
    /* The documented example; rows past the count keep their bytes. */
    "NONZERO_COORDINATES seed=1 InputTensor=FLOAT32[1,1,2,4] InputTensor.data=1.0,0.0,0.0,2.0,-0.0,3.5,0.0,-5.2 "
    "OutputCountTensor=UINT32[1,1,1,1] OutputCountTensor.data=4 OutputCoordinatesTensor=UINT32[1,1,8,3] "
    "OutputCoordinatesTensor.data=0,0,0,0,0,3,0,1,1,0,1,3,?,?,?,?,?,?,?,?,?,?,?,?",
    /* The same with fewer and more columns, and with undefined rows zeroed. */
    "NONZERO_COORDINATES seed=2 InputTensor=FLOAT32[1,1,2,4] InputTensor.data=1.0,0.0,0.0,2.0,-0.0,3.5,0.0,-5.2 "
    "OutputCountTensor=UINT32[1,1,1,1] OutputCountTensor.data=4 OutputCoordinatesTensor=UINT32[1,1,8,2] "
    "OutputCoordinatesTensor.data=0,0,0,3,1,1,1,3,?,?,?,?,?,?,?,?",
    "NONZERO_COORDINATES seed=3 flags=1 InputTensor=FLOAT32[1,1,2,4] "
    "InputTensor.data=1.0,0.0,0.0,2.0,-0.0,3.5,0.0,-5.2 OutputCountTensor=UINT32[1,1,1,1] OutputCountTensor.data=4 "
    "OutputCoordinatesTensor=UINT32[1,1,8,4] "
    "OutputCoordinatesTensor.data=0,0,0,0,0,0,0,3,0,0,1,1,0,0,1,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
    /* The documented order: (0,5) before (1,0) before (1,2). */
    "NONZERO_COORDINATES seed=4 InputTensor=INT8[2,6] InputTensor.data=0,0,0,0,0,-1,1,0,2,0,0,0 "
    "OutputCountTensor=UINT32[1] OutputCountTensor.data=3 OutputCoordinatesTensor=UINT32[12,2] "
    "OutputCoordinatesTensor.data=0,5,1,0,1,2,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?",
    /* NaN and denormals are not zero, -0 is. */
    "NONZERO_COORDINATES seed=5 InputTensor=FLOAT16[5] InputTensor.data=0x8000,0x7e00,0x1,0x8001,0x0 "
    "OutputCountTensor=UINT32[1] OutputCountTensor.data=3 OutputCoordinatesTensor=UINT32[5,1] "
    "OutputCoordinatesTensor.data=1,2,3,?,?",
    "NONZERO_COORDINATES seed=6 InputTensor=FLOAT32[5] InputTensor.data=0x80000000,0xffc00000,0x1,0x80000001,0x0 "
    "OutputCountTensor=UINT32[1] OutputCountTensor.data=3 OutputCoordinatesTensor=UINT32[5,1] "
    "OutputCoordinatesTensor.data=1,2,3,?,?",
    /* A single element has effective rank 0 and still one column. */
    "NONZERO_COORDINATES seed=7 InputTensor=UINT16[1,1] InputTensor.data=3 OutputCountTensor=UINT32[1] "
    "OutputCountTensor.data=1 OutputCoordinatesTensor=UINT32[1,1] OutputCoordinatesTensor.data=0",
    "NONZERO_COORDINATES seed=8 InputTensor=UINT32[1] InputTensor.data=0 OutputCountTensor=UINT32[1,1,1] "
    "OutputCountTensor.data=0 OutputCoordinatesTensor=UINT32[1,1] OutputCoordinatesTensor.data=?",
    /* Columns of a two-column matrix of 64-bit coordinates, as ONNX Runtime binds them: strides {2, 2n}. */
    "NONZERO_COORDINATES seed=9 InputTensor=INT32[2,3] InputTensor.data=0,7,0,8,0,9 OutputCountTensor=UINT32[1] "
    "OutputCountTensor.data=3 OutputCoordinatesTensor=UINT32[6,2] OutputCoordinatesTensor.strides=2,12 "
    "OutputCoordinatesTensor.data=0,1,1,0,1,2,?,?,?,?,?,?",
    /* The oldest level, owned input, rows of several chunks, all and nothing nonzero. */
    "NONZERO_COORDINATES seed=10 level=3_0 InputTensor=UINT8[1,3,5,7] InputTensor.fill=SPARSE:500 InputTensor.owned=1 "
    "OutputCountTensor=UINT32[1,1,1,1] OutputCoordinatesTensor=UINT32[1,1,105,3]",
    "NONZERO_COORDINATES seed=11 InputTensor=UINT8[70000] InputTensor.fill=SPARSE:1000 OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[70000,1]",
    "NONZERO_COORDINATES seed=12 flags=1 InputTensor=FLOAT32[70000] InputTensor.fill=SPARSE "
    "OutputCountTensor=UINT32[1] OutputCoordinatesTensor=UINT32[70000,1]",
    "NONZERO_COORDINATES seed=13 InputTensor=FLOAT16[300,1000] InputTensor.fill=RUNS:300 OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[300000,2]",
    /* Several tiles of the second pass, from few nonzero elements to nothing but such. */
    "NONZERO_COORDINATES seed=14 InputTensor=FLOAT32[3,5,70,37] InputTensor.fill=SPARSE:20 OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[38850,4]",
    "NONZERO_COORDINATES seed=15 InputTensor=FLOAT32[3,5,70,37] InputTensor.fill=SPARSE:300 "
    "OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[38850,4]",
    "NONZERO_COORDINATES seed=16 InputTensor=INT8[60000] InputTensor.fill=SPARSE:700 OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[60000,1]",
    "NONZERO_COORDINATES seed=17 flags=1 InputTensor=UINT16[2,100,301] InputTensor.fill=SPARSE:900 "
    "OutputCountTensor=UINT32[1] OutputCoordinatesTensor=UINT32[60200,3]",
    "NONZERO_COORDINATES seed=18 InputTensor=UINT32[1,2,1,2,5,10,10,20] InputTensor.fill=RUNS:600 "
    "OutputCountTensor=UINT32[1] OutputCoordinatesTensor=UINT32[40000,8]",
    "NONZERO_COORDINATES seed=19 InputTensor=INT32[5,100,100] InputTensor.fill=SPARSE:1000 OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[50000,3]",
    /* So few that those of several tiles are written at once. */
    "NONZERO_COORDINATES seed=25 InputTensor=UINT8[65000] InputTensor.fill=SPARSE:20 OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[65000,1]",
    /* Columns far apart at the same densities, with rows zeroed. */
    "NONZERO_COORDINATES seed=20 flags=1 InputTensor=INT32[200,201] InputTensor.fill=SPARSE:600 "
    "OutputCountTensor=UINT32[1] OutputCoordinatesTensor=UINT32[40200,2] OutputCoordinatesTensor.strides=2,80400",
    /* Inputs that are no run: rows with gaps that 16 bytes divide and that they do not, and columns. */
    "NONZERO_COORDINATES seed=21 InputTensor=FLOAT32[100,301] InputTensor.strides=304,1 InputTensor.fill=SPARSE:300 "
    "OutputCountTensor=UINT32[1] OutputCoordinatesTensor=UINT32[30100,2]",
    "NONZERO_COORDINATES seed=22 InputTensor=UINT8[100,301] InputTensor.strides=307,1 InputTensor.fill=SPARSE:300 "
    "OutputCountTensor=UINT32[1] OutputCoordinatesTensor=UINT32[30100,2]",
    "NONZERO_COORDINATES seed=23 InputTensor=FLOAT16[200,301] InputTensor.strides=1,200 InputTensor.fill=SPARSE:300 "
    "OutputCountTensor=UINT32[1] OutputCoordinatesTensor=UINT32[60200,2]",
    /* Mask words fill the first pass's tile, elements the last of them in part. */
    "NONZERO_COORDINATES seed=24 InputTensor=UINT8[32765] InputTensor.fill=SPARSE:500 OutputCountTensor=UINT32[1] "
    "OutputCoordinatesTensor=UINT32[32765,1]",
};

static uint32_t effective_rank(const struct case_tensor *tensor) {
    uint32_t rank = tensor->rank;
    while (rank > 0 && tensor->sizes[tensor->rank - rank] == 1) {
        rank--;
    }
    return rank;
}

/* Leading dimensions of size 1 decide how few columns there may be; chance alone seldom gives them. */
static void generate_input(struct random *random, struct case_tensor *input) {
    static const uint32_t permilles[] = {0, 1, 10, 100, 500, 900, 1000};
    input->rank = random_between(random, 1, CASE_MAX_RANK);
    uint32_t leading = random_chance(random, 50) ? random_below(random, input->rank + 1) : 0;
    struct case_tensor rest = {.rank = input->rank - leading};
    generate_sizes(random, generate_budget(random), &rest);
    for (uint32_t d = 0; d < input->rank; d++) {
        input->sizes[d] = d < leading ? 1 : rest.sizes[d - leading];
    }
    generate_input_layout(random, input);
    input->fill = random_chance(random, 70) ? CASE_FILL_SPARSE : CASE_FILL_RUNS;
    input->fill_permille = RANDOM_OF(random, permilles);
}

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    (void)family;
    case_begin(c, DML_OPERATOR_NONZERO_COORDINATES);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *count = case_tensor(c, "OutputCountTensor");
    struct case_tensor *coordinates = case_tensor(c, "OutputCoordinatesTensor");
    input->type = generate_type(random, c, "InputTensor");
    generate_input(random, input);

    count->type = coordinates->type = DML_TENSOR_DATA_TYPE_UINT32;
    /* Below feature level 4_0 all three have the same rank; above, any. */
    bool same_ranks = input->rank >= 2 && random_chance(random, 40);
    count->rank = same_ranks ? input->rank : random_between(random, 1, CASE_MAX_RANK);
    coordinates->rank = same_ranks ? input->rank : random_between(random, 2, CASE_MAX_RANK);
    for (uint32_t d = 0; d < CASE_MAX_RANK; d++) {
        count->sizes[d] = d < count->rank;
        coordinates->sizes[d] = d < coordinates->rank;
    }
    uint32_t fewest = effective_rank(input) > 1 ? effective_rank(input) : 1;
    coordinates->sizes[coordinates->rank - 2] = (uint32_t)case_element_count(input);
    coordinates->sizes[coordinates->rank - 1] = random_between(random, fewest, input->rank);
    generate_output_layout(random, count);
    generate_output_layout(random, coordinates);
    c->flags = random_chance(random, 40) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
    generate_call(random, c);
}

/* A quarter of `bytes` elements whatever their type, so that the coordinates' size does not depend on it; `permille` of
 * them nonzero. */
static void make_coordinates(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t permille, uint32_t rank,
                             struct operator_case *c) {
    case_begin(c, DML_OPERATOR_NONZERO_COORDINATES);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor images = {.rank = 0};
    benchmark_images(&images, bytes, DML_TENSOR_DATA_TYPE_FLOAT32);
    const uint32_t count = (uint32_t)case_element_count(&images);
    benchmark_tensor(input, type, rank, rank == 1 ? &count : images.sizes);
    input->fill = CASE_FILL_SPARSE;
    input->fill_permille = permille;
    benchmark_tensor(case_tensor(c, "OutputCountTensor"), DML_TENSOR_DATA_TYPE_UINT32, 1, (const uint32_t[]){1});
    benchmark_tensor(case_tensor(c, "OutputCoordinatesTensor"), DML_TENSOR_DATA_TYPE_UINT32, 2,
                     (const uint32_t[]){count, rank});
}

static void make_4d(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t permille, struct operator_case *c) {
    make_coordinates(bytes, type, permille, 4, c);
}

static void make_flat(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t permille, struct operator_case *c) {
    make_coordinates(bytes, type, permille, 1, c);
}

#define BENCHMARK_TYPES (CASE_TYPES_FLOATS | CASE_TYPE(UINT8))

static const struct case_benchmark benchmarks[] = {
    {"4d/density0.001", BENCHMARK_TYPES, 1, 0, make_4d, loop_nonzero},
    {"4d/density0.1", BENCHMARK_TYPES, 100, 0, make_4d, loop_nonzero},
    {"4d/density0.5", BENCHMARK_TYPES, 500, 0, make_4d, loop_nonzero},
    {"4d/density1", BENCHMARK_TYPES, 1000, 0, make_4d, loop_nonzero},
    {"flat/density0.001", BENCHMARK_TYPES, 1, 0, make_flat, loop_nonzero},
    {"flat/density0.1", BENCHMARK_TYPES, 100, 0, make_flat, loop_nonzero},
    {"flat/density0.5", BENCHMARK_TYPES, 500, 0, make_flat, loop_nonzero},
    {"flat/density1", BENCHMARK_TYPES, 1000, 0, make_flat, loop_nonzero},
};

static const struct case_tensor_support support[] = {
    {"InputTensor", CASE_SUPPORT({DML_FEATURE_LEVEL_3_0, 4, 5, CASE_TYPES_UP_TO_32},
                                 {DML_FEATURE_LEVEL_4_0, 1, 8, CASE_TYPES_UP_TO_32})},
    {"OutputCountTensor",
     CASE_SUPPORT({DML_FEATURE_LEVEL_3_0, 4, 5, CASE_TYPE(UINT32)}, {DML_FEATURE_LEVEL_4_0, 1, 8, CASE_TYPE(UINT32)})},
    {"OutputCoordinatesTensor",
     CASE_SUPPORT({DML_FEATURE_LEVEL_3_0, 4, 5, CASE_TYPE(UINT32)}, {DML_FEATURE_LEVEL_4_0, 2, 8, CASE_TYPE(UINT32)})},
};

const struct case_family vkdml_cases_nonzero_coordinates = {.type = DML_OPERATOR_NONZERO_COORDINATES,
                                                            CASE_SUPPORTED(support),
                                                            CASE_FIXED(fixed),
                                                            .has_frame = true,
                                                            .generate = generate,
                                                            .group = "nonzero",
                                                            CASE_BENCHMARKS(benchmarks),
                                                            .counted_output = "OutputCoordinatesTensor",
                                                            .count_output = "OutputCountTensor"};
