#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/number.h"

static const char *const padding_fixed[] = {
    /* The documented examples. */
    "PADDING seed=1 InputTensor=FLOAT32[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8 "
    "OutputTensor=FLOAT32[1,1,8,10] PaddingMode=CONSTANT PaddingValue=9 DimensionCount=4 "
    "StartPadding=0,0,1,2 EndPadding=0,0,3,4 OutputTensor.data="
    "9,9,9,9,9,9,9,9,9,9,9,9,1,2,3,4,9,9,9,9,"
    "9,9,5,6,7,8,9,9,9,9,9,9,1,2,3,4,9,9,9,9,"
    "9,9,5,6,7,8,9,9,9,9,9,9,9,9,9,9,9,9,9,9,"
    "9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9",
    "PADDING seed=2 InputTensor=FLOAT32[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8 "
    "OutputTensor=FLOAT32[1,1,8,10] PaddingMode=EDGE PaddingValue=0 DimensionCount=4 "
    "StartPadding=0,0,1,2 EndPadding=0,0,3,4 OutputTensor.data="
    "1,1,1,2,3,4,4,4,4,4,1,1,1,2,3,4,4,4,4,4,"
    "5,5,5,6,7,8,8,8,8,8,1,1,1,2,3,4,4,4,4,4,"
    "5,5,5,6,7,8,8,8,8,8,5,5,5,6,7,8,8,8,8,8,"
    "5,5,5,6,7,8,8,8,8,8,5,5,5,6,7,8,8,8,8,8",
    "PADDING seed=3 InputTensor=FLOAT32[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8 "
    "OutputTensor=FLOAT32[1,1,8,10] PaddingMode=REFLECTION PaddingValue=0 DimensionCount=4 "
    "StartPadding=0,0,1,2 EndPadding=0,0,3,4 OutputTensor.data="
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2,"
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2,"
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2,"
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2",
    "PADDING seed=4 InputTensor=FLOAT32[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8 "
    "OutputTensor=FLOAT32[1,1,8,10] PaddingMode=SYMMETRIC PaddingValue=0 DimensionCount=4 "
    "StartPadding=0,0,1,2 EndPadding=0,0,3,4 OutputTensor.data="
    "2,1,1,2,3,4,4,3,2,1,2,1,1,2,3,4,4,3,2,1,"
    "6,5,5,6,7,8,8,7,6,5,2,1,1,2,3,4,4,3,2,1,"
    "6,5,5,6,7,8,8,7,6,5,6,5,5,6,7,8,8,7,6,5,"
    "2,1,1,2,3,4,4,3,2,1,6,5,5,6,7,8,8,7,6,5",
    /* Folding as often as needed. */
    "PADDING seed=10 InputTensor=UINT8[3] InputTensor.data=1,2,3 OutputTensor=UINT8[13] "
    "OutputTensor.data=2,1,2,3,2,1,2,3,2,1,2,3,2 PaddingMode=REFLECTION DimensionCount=1 StartPadding=5 EndPadding=5",
    "PADDING seed=11 InputTensor=UINT8[3] InputTensor.data=1,2,3 OutputTensor=UINT8[13] "
    "OutputTensor.data=2,3,3,2,1,1,2,3,3,2,1,1,2 PaddingMode=SYMMETRIC DimensionCount=1 StartPadding=5 EndPadding=5",
    "PADDING seed=12 InputTensor=UINT8[3] InputTensor.data=1,2,3 OutputTensor=UINT8[13] "
    "OutputTensor.data=2,3,1,2,3,1,2,3,1,2,3,1,2 PaddingMode=WRAP DimensionCount=1 StartPadding=5 EndPadding=5",
    "PADDING seed=13 InputTensor=FLOAT16[1,2] InputTensor.data=0x7c01,2 OutputTensor=FLOAT16[3,2] "
    "OutputTensor.data=0x7c01,2,0x7c01,2,0x7c01,2 PaddingMode=REFLECTION DimensionCount=2 StartPadding=1,0 "
    "EndPadding=1,0",
    /* No padding at all is a copy. */
    "PADDING seed=14 InputTensor=INT16[3,5] InputTensor.fill=BITS OutputTensor=INT16[3,5] PaddingMode=WRAP "
    "DimensionCount=2 StartPadding=0,0 EndPadding=0,0",
    /* So many rows that an invocation of the kernel for CPUs has several: rims of two of them meet in its part. */
    "PADDING seed=15 InputTensor=UINT8[297,9] InputTensor.fill=BITS OutputTensor=UINT8[302,14] PaddingMode=CONSTANT "
    "PaddingValue=3 DimensionCount=2 StartPadding=3,3 EndPadding=2,2",
    "PADDING seed=16 InputTensor=UINT16[9,50,51] InputTensor.fill=BITS OutputTensor=UINT16[9,55,57] "
    "PaddingMode=CONSTANT PaddingValue=3 DimensionCount=3 StartPadding=0,3,3 EndPadding=0,2,3",
    "PADDING seed=17 InputTensor=FLOAT32[70,70] InputTensor.fill=BITS OutputTensor=FLOAT32[70,83] PaddingMode=EDGE "
    "PaddingValue=0 DimensionCount=2 StartPadding=0,6 EndPadding=0,7",
    "PADDING seed=18 InputTensor=INT8[300,37] InputTensor.fill=BITS OutputTensor=INT8[301,71] PaddingMode=REFLECTION "
    "PaddingValue=0 DimensionCount=2 StartPadding=1,17 EndPadding=0,17",
    "PADDING seed=19 InputTensor=INT64[9,8,9,3] InputTensor.fill=BITS OutputTensor=INT64[9,11,12,3] "
    "PaddingMode=WRAP PaddingValue=0 DimensionCount=4 StartPadding=0,1,2,0 EndPadding=0,2,1,0",
    "PADDING seed=19 InputTensor=INT8[40,30,3] InputTensor.fill=BITS OutputTensor=INT8[42,33,3] "
    "PaddingMode=CONSTANT PaddingValue=7 DimensionCount=3 StartPadding=1,2,0 EndPadding=1,1,0",
    /* Conversion of PaddingValue: truncation, saturation, NaN, rounding; other modes ignore it. */
    "PADDING seed=20 InputTensor=UINT8[1] InputTensor.data=1 OutputTensor=UINT8[2] OutputTensor.data=10,1 "
    "PaddingMode=CONSTANT PaddingValue=10.6 DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING seed=21 InputTensor=UINT8[1] InputTensor.data=1 OutputTensor=UINT8[2] OutputTensor.data=1,255 "
    "PaddingMode=CONSTANT PaddingValue=300 DimensionCount=1 StartPadding=0 EndPadding=1",
    "PADDING seed=22 InputTensor=INT64[1] InputTensor.data=-5 OutputTensor=INT64[3] "
    "OutputTensor.data=0x7fffffffffffffff,-5,0x7fffffffffffffff PaddingMode=CONSTANT PaddingValue=1e30 "
    "DimensionCount=1 StartPadding=1 EndPadding=1",
    "PADDING seed=23 InputTensor=UINT16[1] InputTensor.data=7 OutputTensor=UINT16[2] OutputTensor.data=0,7 "
    "PaddingMode=CONSTANT PaddingValue=nan DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING seed=24 InputTensor=FLOAT16[1] InputTensor.data=1 OutputTensor=FLOAT16[2] OutputTensor.data=0x2e66,1 "
    "PaddingMode=CONSTANT PaddingValue=0.1 DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING seed=25 InputTensor=FLOAT64[1] InputTensor.data=1 OutputTensor=FLOAT64[2] "
    "OutputTensor.data=0x3fb99999a0000000,1 PaddingMode=CONSTANT PaddingValue=0.1 DimensionCount=1 StartPadding=1 "
    "EndPadding=0",
    "PADDING seed=26 InputTensor=INT8[1] InputTensor.data=-3 OutputTensor=INT8[3] OutputTensor.data=-3,-3,-3 "
    "PaddingMode=EDGE PaddingValue=nan DimensionCount=1 StartPadding=1 EndPadding=1",
    /* FLOAT16's ends: zero of either sign, the smallest denormal, half of it, infinity. */
    "PADDING seed=30 InputTensor=FLOAT16[1] InputTensor.data=1 OutputTensor=FLOAT16[2] OutputTensor.data=0x0,0x3c00 "
    "PaddingMode=CONSTANT PaddingValue=0 DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING seed=31 InputTensor=FLOAT16[1] InputTensor.data=1 OutputTensor=FLOAT16[2] OutputTensor.data=0x8000,0x3c00 "
    "PaddingMode=CONSTANT PaddingValue=-0.0 DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING seed=32 InputTensor=FLOAT16[1] InputTensor.data=1 OutputTensor=FLOAT16[2] OutputTensor.data=0x1,0x3c00 "
    "PaddingMode=CONSTANT PaddingValue=0x33800000 DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING seed=33 InputTensor=FLOAT16[1] InputTensor.data=1 OutputTensor=FLOAT16[2] OutputTensor.data=0x8000,0x3c00 "
    "PaddingMode=CONSTANT PaddingValue=0xb3000000 DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING seed=34 InputTensor=FLOAT16[1] InputTensor.data=1 OutputTensor=FLOAT16[2] OutputTensor.data=0xfc00,0x3c00 "
    "PaddingMode=CONSTANT PaddingValue=-inf DimensionCount=1 StartPadding=1 EndPadding=0",
    /* The oldest levels of operator and modes. */
    "PADDING seed=27 level=1_0 InputTensor=FLOAT32[1,2,3,4] InputTensor.fill=BITS OutputTensor=FLOAT32[2,3,4,5] "
    "PaddingMode=EDGE DimensionCount=4 StartPadding=1,0,1,0 EndPadding=0,1,0,1",
    "PADDING seed=28 level=3_0 InputTensor=INT8[1,2,3,4] InputTensor.fill=BITS InputTensor.owned=1 "
    "OutputTensor=INT8[2,3,4,5] PaddingMode=SYMMETRIC DimensionCount=4 StartPadding=1,0,1,0 EndPadding=0,1,0,1",
    /* Eight dimensions, none of which collapses. */
    "PADDING seed=29 InputTensor=UINT8[2,2,2,2,2,2,2,2] InputTensor.fill=INDEX OutputTensor=UINT8[3,4,3,4,3,4,3,4] "
    "PaddingMode=REFLECTION DimensionCount=8 StartPadding=1,1,0,2,1,1,0,0 EndPadding=0,1,1,0,0,1,1,2",
    /* Rows of many times 16 bytes, at all distances from them. */
    "PADDING seed=41 InputTensor=UINT8[2,40,203] InputTensor.fill=BITS OutputTensor=UINT8[2,43,268] "
    "PaddingMode=WRAP DimensionCount=3 StartPadding=0,1,3 EndPadding=0,2,62",
    "PADDING seed=42 InputTensor=INT16[2,40,131] InputTensor.fill=BITS OutputTensor=INT16[2,43,197] "
    "PaddingMode=SYMMETRIC DimensionCount=3 StartPadding=0,1,61 EndPadding=0,2,5",
    "PADDING seed=43 InputTensor=FLOAT32[90,67] InputTensor.fill=BITS OutputTensor=FLOAT32[93,105] "
    "PaddingMode=CONSTANT PaddingValue=1 DimensionCount=2 StartPadding=2,1 EndPadding=1,37",
    "PADDING seed=44 InputTensor=INT64[70,33] InputTensor.fill=BITS OutputTensor=INT64[73,50] "
    "PaddingMode=EDGE DimensionCount=2 StartPadding=2,1 EndPadding=1,16",
    /* The same with rims of less than 16 bytes or little more; and far rims of outer dimensions beside near ones. */
    "PADDING seed=45 InputTensor=UINT8[2,40,203] InputTensor.fill=BITS OutputTensor=UINT8[2,43,211] "
    "PaddingMode=REFLECTION DimensionCount=3 StartPadding=0,1,3 EndPadding=0,2,5",
    "PADDING seed=46 InputTensor=INT16[2,40,131] InputTensor.fill=BITS OutputTensor=INT16[2,43,132] "
    "PaddingMode=WRAP DimensionCount=3 StartPadding=0,1,0 EndPadding=0,2,1",
    "PADDING seed=47 InputTensor=FLOAT32[90,67] InputTensor.fill=BITS OutputTensor=FLOAT32[93,77] "
    "PaddingMode=EDGE DimensionCount=2 StartPadding=2,4 EndPadding=1,6",
    "PADDING seed=48 InputTensor=INT64[70,33] InputTensor.fill=BITS OutputTensor=INT64[73,36] "
    "PaddingMode=SYMMETRIC DimensionCount=2 StartPadding=2,2 EndPadding=1,1",
    "PADDING seed=49 InputTensor=UINT8[2,40,203] InputTensor.fill=BITS OutputTensor=UINT8[2,43,204] "
    "PaddingMode=CONSTANT PaddingValue=7 DimensionCount=3 StartPadding=0,1,1 EndPadding=0,2,0",
    "PADDING seed=50 InputTensor=UINT8[3,203] InputTensor.fill=BITS OutputTensor=UINT8[33,210] "
    "PaddingMode=REFLECTION DimensionCount=2 StartPadding=21,3 EndPadding=9,4",
    "PADDING seed=51 InputTensor=UINT8[200,203] InputTensor.fill=BITS OutputTensor=UINT8[203,210] "
    "PaddingMode=SYMMETRIC DimensionCount=2 StartPadding=2,3 EndPadding=1,4",
    /* Short rows of narrow elements, at all distances from 16 bytes, with rims of few elements or none. */
    "PADDING seed=52 InputTensor=UINT8[3,100,14] InputTensor.fill=BITS OutputTensor=UINT8[3,102,16] PaddingMode=EDGE "
    "PaddingValue=0 DimensionCount=3 StartPadding=0,1,1 EndPadding=0,1,1",
    "PADDING seed=53 InputTensor=INT16[3,60,15] InputTensor.fill=BITS OutputTensor=INT16[3,62,17] "
    "PaddingMode=REFLECTION PaddingValue=0 DimensionCount=3 StartPadding=0,1,1 EndPadding=0,1,1",
    "PADDING seed=54 InputTensor=UINT8[5,90,17] InputTensor.fill=BITS OutputTensor=UINT8[5,91,21] "
    "PaddingMode=SYMMETRIC PaddingValue=0 DimensionCount=3 StartPadding=0,1,3 EndPadding=0,0,1",
    "PADDING seed=55 InputTensor=INT16[3,50,33] InputTensor.fill=BITS OutputTensor=INT16[3,53,35] PaddingMode=WRAP "
    "PaddingValue=0 DimensionCount=3 StartPadding=0,2,0 EndPadding=0,1,2",
    "PADDING seed=56 InputTensor=INT16[400,6] InputTensor.fill=BITS OutputTensor=INT16[400,8] PaddingMode=REFLECTION "
    "PaddingValue=0 DimensionCount=2 StartPadding=0,1 EndPadding=0,1",
    "PADDING seed=57 InputTensor=UINT8[5,90,19] InputTensor.fill=BITS OutputTensor=UINT8[5,93,19] PaddingMode=EDGE "
    "PaddingValue=0 DimensionCount=3 StartPadding=0,2,0 EndPadding=0,1,0",
    "PADDING seed=58 InputTensor=INT16[3,25] InputTensor.fill=BITS OutputTensor=INT16[133,27] PaddingMode=REFLECTION "
    "PaddingValue=0 DimensionCount=2 StartPadding=71,1 EndPadding=59,1",
    /* Windows that begin within a 32-bit word, where a descriptor binds 32 KiB. */
    "PADDING seed=40 InputTensor=UINT8[3,40001] InputTensor.fill=INDEX OutputTensor=UINT8[5,40008] "
    "PaddingMode=REFLECTION DimensionCount=2 StartPadding=1,3 EndPadding=1,4",
    /* Rims longer than the input, of which a window on a small device has a part. */
    "PADDING seed=61 InputTensor=FLOAT32[20000] InputTensor.fill=INDEX OutputTensor=FLOAT32[62003] "
    "PaddingMode=REFLECTION DimensionCount=1 StartPadding=21001 EndPadding=21002",
    "PADDING seed=60 InputTensor=FLOAT32[20000] InputTensor.fill=INDEX OutputTensor=FLOAT32[62003] "
    "PaddingMode=SYMMETRIC DimensionCount=1 StartPadding=21001 EndPadding=21002",
    "PADDING seed=61 InputTensor=FLOAT32[20000] InputTensor.fill=INDEX OutputTensor=FLOAT32[62003] PaddingMode=WRAP "
    "DimensionCount=1 StartPadding=21001 EndPadding=21002",
    /* Sizes that wrap: -1 and -2 at both ends, -3 before and 2 behind, in two dimensions; each mode alone. */
    "PADDING InputTensor=FLOAT32[5] InputTensor.data=1,2,3,4,5 OutputTensor=FLOAT32[2] OutputTensor.data=2,3 "
    "PaddingMode=CONSTANT DimensionCount=1 StartPadding=4294967295 EndPadding=4294967294",
    "PADDING InputTensor=INT8[5] InputTensor.data=1,2,3,4,5 OutputTensor=INT8[4] OutputTensor.data=4,5,9,9 "
    "PaddingMode=CONSTANT PaddingValue=9 DimensionCount=1 StartPadding=4294967293 EndPadding=2",
    "PADDING InputTensor=INT16[2,3] InputTensor.data=1,2,3,4,5,6 OutputTensor=INT16[2,3] "
    "OutputTensor.data=4,4,5,4,4,5 PaddingMode=EDGE DimensionCount=2 StartPadding=4294967295,1 EndPadding=1,4294967295",
    "PADDING InputTensor=INT8[2,3] InputTensor.data=1,2,3,4,5,6 OutputTensor=INT8[3,2] OutputTensor.data=4,4,4,4,4,4 "
    "PaddingMode=EDGE DimensionCount=2 StartPadding=4294967294,5 EndPadding=3,4294967290",
    "PADDING InputTensor=UINT8[5] InputTensor.data=1,2,3,4,5 OutputTensor=UINT8[1] OutputTensor.data=1 "
    "PaddingMode=REFLECTION DimensionCount=1 StartPadding=0 EndPadding=4294967292",
    "PADDING InputTensor=UINT8[5] InputTensor.data=1,2,3,4,5 OutputTensor=UINT8[3] OutputTensor.data=3,4,5 "
    "PaddingMode=WRAP DimensionCount=1 StartPadding=4294967294 EndPadding=0",
    "PADDING InputTensor=UINT8[2,5] InputTensor.data=1,2,3,4,5,6,7,8,9,10 OutputTensor=UINT8[4,3] "
    "OutputTensor.data=3,4,5,3,4,5,8,9,10,8,9,10 PaddingMode=SYMMETRIC DimensionCount=2 StartPadding=1,4294967294 "
    "EndPadding=1,0",
};

/* Rim of one side of a dimension of `size`. */
static uint32_t generate_rim(struct random *random, uint32_t size, uint32_t largest) {
    const uint32_t rims[] = {0,
                             0,
                             0,
                             1,
                             2,
                             3,
                             random_below(random, size + 1),
                             size,
                             size - 1,
                             size + 1,
                             random_below(random, 6 * size + 1),
                             random_below(random, 6 * size + 1),
                             largest};
    uint32_t rim = RANDOM_OF(random, rims);
    return rim <= largest ? rim : random_below(random, largest + 1);
}

/* Chooses the rims so that the output keeps to the budget. */
static void generate_rims(struct random *random, uint32_t budget, const struct case_tensor *input, uint32_t *start,
                          uint32_t *end) {
    uint32_t order[CASE_MAX_RANK];
    uint64_t others = case_element_count(input); /* the output's elements, the dimension at hand left out */
    random_permutation(random, input->rank, order);
    for (uint32_t i = 0; i < input->rank; i++) {
        uint32_t d = order[i], size = input->sizes[d];
        others /= size;
        uint32_t longest = (uint32_t)(budget / others);
        uint32_t room = longest > size ? longest - size : 0;
        start[d] = random_chance(random, 60) ? generate_rim(random, size, room) : 0;
        end[d] = random_chance(random, 60) ? generate_rim(random, size, room - start[d]) : 0;
        others *= size + start[d] + end[d];
    }
}

/* All but the padding value, which the operators give in different ways. */
static void generate_padding(struct random *random, struct operator_case *c, DML_OPERATOR_TYPE type) {
    static const enum case_fill fills[] = {CASE_FILL_BITS, CASE_FILL_INDEX, CASE_FILL_SPECIAL};
    uint32_t start[CASE_MAX_RANK] = {0}, end[CASE_MAX_RANK] = {0};
    uint32_t budget = generate_budget(random);
    case_begin(c, type);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_between(random, 1, CASE_MAX_RANK);
    uint32_t input_budget = budget >> random_below(random, generate_budget_is_fixed() ? 3 : 7);
    generate_sizes(random, input_budget != 0 ? input_budget : 1, input);
    generate_rims(random, budget, input, start, end);
    *output = *input;
    for (uint32_t d = 0; d < input->rank; d++) {
        output->sizes[d] += start[d] + end[d];
    }
    generate_input_layout(random, input);
    generate_output_layout(random, output);
    input->fill = RANDOM_OF(random, fills);
    case_set_uint(c, "PaddingMode", random_between(random, DML_PADDING_MODE_CONSTANT, DML_PADDING_MODE_WRAP));
    case_set_uint(c, "DimensionCount", input->rank);
    case_set(c, "StartPadding", input->rank, start);
    case_set(c, "EndPadding", input->rank, end);
    c->flags = random_chance(random, 5) ? VKDML_COMPILE_FLAG_ZERO_UNDEFINED : 0;
}

static void generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    (void)family;
    generate_padding(random, c, DML_OPERATOR_PADDING);
    case_set_float(c, "PaddingValue", random_chance(random, 20) ? 0.0f : number_special_float(random));
    generate_call(random, c);
}

/* Pads every dimension d by pads[d] on both sides. */
static void pad(struct operator_case *c, uint32_t mode, const uint32_t *pads) {
    const struct case_tensor *input = case_tensor(c, "InputTensor");
    struct case_tensor *output = case_tensor(c, "OutputTensor");
    benchmark_tensor(output, input->type, input->rank, input->sizes);
    for (uint32_t d = 0; d < input->rank; d++) {
        output->sizes[d] += 2 * pads[d];
    }
    case_set_uint(c, "PaddingMode", mode);
    case_set_uint(c, "DimensionCount", input->rank);
    case_set(c, "StartPadding", input->rank, pads);
    case_set(c, "EndPadding", input->rank, pads);
}

static void make_images(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t mode, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_PADDING);
    benchmark_images(case_tensor(c, "InputTensor"), bytes, type);
    pad(c, mode, (const uint32_t[]){0, 0, 3, 3});
    case_set_float(c, "PaddingValue", 1.0f);
}

/* 14 x 14, as the late layers of image networks have. */
static void make_short_rows(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t mode, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_PADDING);
    const uint32_t batch = benchmark_size(bytes, type, 64 * 14 * 14, 1);
    benchmark_tensor(case_tensor(c, "InputTensor"), type, 4, (const uint32_t[]){batch, 64, 14, 14});
    pad(c, mode, (const uint32_t[]){0, 0, 1, 1});
    case_set_float(c, "PaddingValue", 1.0f);
}

/* Images whose channels lie together: the innermost dimension is not padded. */
static void make_channels_last(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t mode, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_PADDING);
    struct case_tensor *input = case_tensor(c, "InputTensor");
    benchmark_images(input, bytes, type);
    benchmark_tensor(input, type, 4,
                     (const uint32_t[]){input->sizes[0], input->sizes[2], input->sizes[3], input->sizes[1]});
    pad(c, mode, (const uint32_t[]){0, 3, 3, 0});
    case_set_float(c, "PaddingValue", 1.0f);
}

#define BENCHMARK_TYPES (CASE_TYPES_FLOATS | CASE_TYPE(UINT8) | CASE_TYPE(INT64))
#define BENCHMARK(MODE, name, make)                                                                                    \
    { name, BENCHMARK_TYPES, DML_PADDING_MODE_##MODE, 0, make, loop_padding }

static const struct case_benchmark benchmarks[] = {
    BENCHMARK(CONSTANT, "constant", make_images),
    BENCHMARK(CONSTANT, "constant/short_rows", make_short_rows),
    BENCHMARK(CONSTANT, "constant/channels_last", make_channels_last),
    BENCHMARK(EDGE, "edge", make_images),
    BENCHMARK(EDGE, "edge/short_rows", make_short_rows),
    BENCHMARK(EDGE, "edge/channels_last", make_channels_last),
    BENCHMARK(REFLECTION, "reflection", make_images),
    BENCHMARK(REFLECTION, "reflection/short_rows", make_short_rows),
    BENCHMARK(REFLECTION, "reflection/channels_last", make_channels_last),
    BENCHMARK(SYMMETRIC, "symmetric", make_images),
    BENCHMARK(SYMMETRIC, "symmetric/short_rows", make_short_rows),
    BENCHMARK(SYMMETRIC, "symmetric/channels_last", make_channels_last),
    BENCHMARK(WRAP, "wrap", make_images),
    BENCHMARK(WRAP, "wrap/short_rows", make_short_rows),
    BENCHMARK(WRAP, "wrap/channels_last", make_channels_last),
};

static const struct case_tensor_support padding_support[] = {
    {"InputTensor",
     CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 5, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 5, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_3_1, 1, 8, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_5_0, 1, 8, CASE_TYPES_UP_TO_64})},
    {"OutputTensor",
     CASE_SUPPORT({DML_FEATURE_LEVEL_1_0, 4, 5, CASE_TYPES_FLOATS}, {DML_FEATURE_LEVEL_2_1, 4, 5, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_3_1, 1, 8, CASE_TYPES_UP_TO_32},
                  {DML_FEATURE_LEVEL_5_0, 1, 8, CASE_TYPES_UP_TO_64})},
};

static const struct case_refusal padding_refused[] = {
    {"PADDING seed=1 InputTensor=FLOAT32[4] OutputTensor=FLOAT32[7] PaddingMode=EDGE DimensionCount=1 StartPadding=1 "
     "EndPadding=3",
     "DML_OPERATOR_PADDING: OutputTensor.Sizes[0] is 7, must be 8 = InputTensor.Sizes[0] (4) + StartPadding[0] (1) + "
     "EndPadding[0] (3)"},
    {"PADDING InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] PaddingMode=CONSTANT DimensionCount=1 "
     "StartPadding=4294967295 EndPadding=4294967294",
     "DML_OPERATOR_PADDING: OutputTensor.Sizes[0] is 2, must be 1 = InputTensor.Sizes[0] (4) + StartPadding[0] (-1) + "
     "EndPadding[0] (-2)"},
    {"PADDING InputTensor=FLOAT32[4] OutputTensor=FLOAT32[2] PaddingMode=CONSTANT DimensionCount=1 "
     "StartPadding=4294967292 EndPadding=2",
     "DML_OPERATOR_PADDING: StartPadding[0] (-4) and EndPadding[0] (2) remove all of InputTensor.Sizes[0] (4)"},
    {"PADDING InputTensor=FLOAT32[4] OutputTensor=FLOAT32[5] PaddingMode=SYMMETRIC DimensionCount=1 StartPadding=2 "
     "EndPadding=4294967295",
     "DML_OPERATOR_PADDING: StartPadding[0] (2) and EndPadding[0] (-1) remove and add elements, must do only one where "
     "PaddingMode repeats elements"},
};

CASE_FAMILY(padding, PADDING, .has_frame = true, .generate = generate, .group = "padding", CASE_BENCHMARKS(benchmarks));

/* PADDING1: the value is an element of the tensors' type, its bits low word first. */
static const char *const padding1_fixed[] = {
    /* The documented examples, of which but the first ignore the value. */
    "PADDING1 seed=1 InputTensor=FLOAT32[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8 "
    "OutputTensor=FLOAT32[1,1,8,10] PaddingMode=CONSTANT PaddingValueDataType=FLOAT32 PaddingValue=0x41100000,0x0 "
    "DimensionCount=4 StartPadding=0,0,1,2 EndPadding=0,0,3,4 OutputTensor.data="
    "9,9,9,9,9,9,9,9,9,9,9,9,1,2,3,4,9,9,9,9,"
    "9,9,5,6,7,8,9,9,9,9,9,9,1,2,3,4,9,9,9,9,"
    "9,9,5,6,7,8,9,9,9,9,9,9,9,9,9,9,9,9,9,9,"
    "9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9",
    "PADDING1 seed=2 InputTensor=FLOAT32[1,1,4,4] InputTensor.data=1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8 "
    "OutputTensor=FLOAT32[1,1,8,10] PaddingMode=REFLECTION PaddingValueDataType=FLOAT32 PaddingValue=0x0,0x0 "
    "DimensionCount=4 StartPadding=0,0,1,2 EndPadding=0,0,3,4 OutputTensor.data="
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2,"
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2,"
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2,"
    "7,6,5,6,7,8,7,6,5,6,3,2,1,2,3,4,3,2,1,2",
    /* Values that no FLOAT holds; NaN bits are kept; what of the union lies beside the value does not matter. */
    "PADDING1 seed=3 InputTensor=UINT64[1] InputTensor.data=7 OutputTensor=UINT64[2] "
    "OutputTensor.data=18446744073709551615,7 PaddingMode=CONSTANT PaddingValueDataType=UINT64 "
    "PaddingValue=0xffffffff,0xffffffff DimensionCount=1 StartPadding=1 EndPadding=0",
    "PADDING1 seed=4 InputTensor=FLOAT16[1] InputTensor.data=1 OutputTensor=FLOAT16[2] OutputTensor.data=0x7d55,0x3c00 "
    "PaddingMode=CONSTANT PaddingValueDataType=FLOAT16 PaddingValue=0x12347d55,0x5678 DimensionCount=1 StartPadding=1 "
    "EndPadding=0",
};

static void generate1(const struct case_family *family, struct random *random, struct operator_case *c) {
    (void)family;
    generate_padding(random, c, DML_OPERATOR_PADDING1);
    const DML_TENSOR_DATA_TYPE type = case_tensor(c, "OutputTensor")->type;
    const uint64_t value = number_special(type, random);
    const uint32_t words[] = {(uint32_t)value, (uint32_t)(value >> 32)};
    case_set_uint(c, "PaddingValueDataType", type);
    case_set(c, "PaddingValue", 2, words);
    generate_call(random, c);
}

static const struct case_refusal padding1_refused[] = {
    {"PADDING1 seed=1 InputTensor=INT8[4] OutputTensor=INT8[6] PaddingMode=EDGE PaddingValueDataType=UINT8 "
     "PaddingValue=0x0,0x0 DimensionCount=1 StartPadding=1 EndPadding=1",
     "DML_OPERATOR_PADDING1: PaddingValueDataType is DML_TENSOR_DATA_TYPE_UINT8, must be DML_TENSOR_DATA_TYPE_INT8 = "
     "OutputTensor.DataType"},
};

static void make_images1(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t mode, struct operator_case *c) {
    case_begin(c, DML_OPERATOR_PADDING1);
    benchmark_images(case_tensor(c, "InputTensor"), bytes, type);
    pad(c, mode, (const uint32_t[]){0, 0, 3, 3});
    case_set_uint(c, "PaddingValueDataType", type);
}

static const struct case_benchmark benchmarks1[] = {
    {"constant", CASE_TYPE(INT64) | CASE_TYPE(FLOAT32), DML_PADDING_MODE_CONSTANT, 0, make_images1, NULL},
};

static const struct case_tensor_support padding1_support[] = {
    {"InputTensor", CASE_SUPPORT({DML_FEATURE_LEVEL_5_0, 1, 8, CASE_TYPES_UP_TO_64})},
    {"OutputTensor", CASE_SUPPORT({DML_FEATURE_LEVEL_5_0, 1, 8, CASE_TYPES_UP_TO_64})},
};

CASE_FAMILY(padding1, PADDING1, .generate = generate1, .group = "padding1", CASE_BENCHMARKS(benchmarks1));
