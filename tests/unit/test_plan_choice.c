/* Which way planners choose: kernels, arithmetic, transfer commands, steps. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"
#include "plan_fixture.h"

static enum vkdml_kernel kernel_of(const char *line, const struct invented_device *device) {
    struct subject subject;
    plan_line(line, device, &subject);
    return subject.kernel;
}

static uint32_t scaling_of(const char *tensors, const char *scale_bias, const struct invented_device *device) {
    char line[256];
    struct subject subject;
    snprintf(line, sizeof(line), "ELEMENT_WISE_IDENTITY seed=1 %s ScaleBias=%s", tensors, scale_bias);
    plan_line(line, device, &subject);
    assert_true(subject.kernel == VKDML_KERNEL_MAP || subject.kernel == VKDML_KERNEL_MAP_WIDE);
    return subject.constants[VKDML_MAP_CONSTANT_SCALE_BIAS];
}

/* In 32 bits more than the element's, in 32, or by a table, which devices other than processors prefer; else by
 * FLOAT64, or as exact reals, as FLOAT32 is. */
static void integers_are_scaled_in_fixed_point_where_it_suffices(void **state) {
    (void)state;
    static const struct {
        const char *type;
        const char *scale_bias;
        enum vkdml_map_scale scale;
    } rows[] = {
        {"UINT8", "1.5,0.25", VKDML_MAP_NARROW_SCALE},
        {"INT16", "-1.5,0.25", VKDML_MAP_NARROW_SCALE},
        {"INT32", "1,0", VKDML_MAP_WIDE_SCALE},
        {"UINT8", "0x3b808081,0", VKDML_MAP_WIDE_SCALE}, /* 1 / 255: 24 bits */
        {"UINT8", "0x3fffff00,0", VKDML_MAP_NARROW_SCALE},
        {"UINT8", "0x3fffff80,0", VKDML_MAP_NARROW_SCALE}, /* 16 bits, 17 */
        {"UINT8", "0x487fffff,0", VKDML_MAP_WIDE_SCALE},   /* 24 bits */
        {"UINT8", "1,1073741823", VKDML_MAP_WIDE_SCALE},
        {"UINT8", "1,1073740800", VKDML_MAP_NARROW_SCALE}, /* 2^30, and just below */
        {"INT32", "1073741824,0", VKDML_MAP_FLOAT_SCALE},
        {"INT32", "1073741760,0", VKDML_MAP_WIDE_SCALE}, /* the same of a scale */
        {"INT32", "1,0x1e000000", VKDML_MAP_FLOAT_SCALE},
        {"INT32", "0,0x1e000000", VKDML_MAP_FLOAT_SCALE}, /* 2^-67 */
        {"INT32", "0x21800000,1", VKDML_MAP_WIDE_SCALE},
        {"INT8", "0x21800000,1", VKDML_MAP_WIDE_SCALE}, /* 2^-60 */
        {"UINT16", "inf,0", VKDML_MAP_DOUBLE_SCALE},
        {"UINT16", "0,nan", VKDML_MAP_DOUBLE_SCALE},
        {"UINT8", "inf,0", VKDML_MAP_TABLE_SCALE},
        {"INT8", "1,0x1e000000", VKDML_MAP_TABLE_SCALE},
        {"INT64", "1,0", VKDML_MAP_WIDE_SCALE},
        {"UINT64", "0x21800000,-1", VKDML_MAP_WIDE_SCALE},
        {"INT64", "1073741824,0", VKDML_MAP_FLOAT_SCALE},
        {"INT64", "1,2305843009213693952", VKDML_MAP_FLOAT_SCALE},
        {"INT64", "1,-2305842871774740480", VKDML_MAP_WIDE_SCALE}, /* -2^61, and just above */
        {"FLOAT32", "1,0", VKDML_MAP_FLOAT_SCALE},
        {"FLOAT16", "0x66000000,-0.5", VKDML_MAP_FLOAT_SCALE},
        {"FLOAT16", "0x58000000,0x80000000", VKDML_MAP_FLOAT_SCALE},
        {"FLOAT16", "0x59000000,0", VKDML_MAP_FLOAT_SCALE},
        {"FLOAT16", "0,1", VKDML_MAP_FLOAT_SCALE},
        {"FLOAT16", "1,nan", VKDML_MAP_FLOAT_SCALE},
        {"FLOAT16", "1,0", VKDML_MAP_FLOAT_SCALE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char tensors[64];
        snprintf(tensors, sizeof(tensors), "InputTensor=%s[64] OutputTensor=%s[64]", rows[i].type, rows[i].type);
        const uint32_t of_processors = scaling_of(tensors, rows[i].scale_bias, &devices[DEVICE_LAVAPIPE]);
        const uint32_t of_others = scaling_of(tensors, rows[i].scale_bias, &devices[DEVICE_MINIMUM]);
        if (of_processors != rows[i].scale ||
            of_others != (strstr(rows[i].type, "INT8") != NULL ? VKDML_MAP_TABLE_SCALE : rows[i].scale)) {
            fail_msg("%s %s: %" PRIu32 " and %" PRIu32, tensors, rows[i].scale_bias, of_processors, of_others);
        }
    }
    /* Of rows with gaps an invocation has one element. */
    const char *gaps = "InputTensor=UINT8[64] OutputTensor=UINT8[64] OutputTensor.strides=2";
    assert_int_equal(scaling_of(gaps, "1,0", &devices[DEVICE_MINIMUM]), VKDML_MAP_DOUBLE_SCALE);
    assert_int_equal(scaling_of(gaps, "inf,0", &devices[DEVICE_LAVAPIPE]), VKDML_MAP_DOUBLE_SCALE);
}

static void copies_go_by_tiles_where_innermost_dimensions_differ(void **state) {
    (void)state;
    static const struct {
        const char *tensors; /* "InputTensor=.. OutputTensor=.." */
        enum vkdml_kernel parallel;
        enum vkdml_kernel serial;
    } rows[] = {
#define COPY(input, output, parallel, serial)                                                                          \
    {"ELEMENT_WISE_IDENTITY seed=1 InputTensor=" input " OutputTensor=" output, VKDML_KERNEL_##parallel,               \
     VKDML_KERNEL_##serial}
        COPY("FLOAT32[64,64] InputTensor.strides=1,64", "FLOAT32[64,64]", TRANSPOSE, TRANSPOSE),
        COPY("UINT8[128,128] InputTensor.strides=1,128", "UINT8[128,128]", TRANSPOSE, TRANSPOSE),
        COPY("INT64[65,67] InputTensor.strides=1,65", "INT64[65,67]", TRANSPOSE_SHIFTED, TRANSPOSE),
        COPY("FLOAT32[64,64]", "FLOAT32[64,64] OutputTensor.strides=1,64", TRANSPOSE, TRANSPOSE),
        /* Not worth a workgroup. */
        COPY("FLOAT32[8,8] InputTensor.strides=1,8", "FLOAT32[8,8]", COPY, TRANSPOSE),
        /* Innermost dimensions agree, or the input's repeats one element. */
        COPY("FLOAT32[64,64]", "FLOAT32[64,64]", COPY, COPY_RUNS),
        COPY("FLOAT32[64,64] InputTensor.strides=80,1", "FLOAT32[64,64]", COPY, COPY_RUNS),
        COPY("FLOAT32[64,64] InputTensor.strides=1,0", "FLOAT32[64,64]", COPY, COPY_RUNS),
        COPY("FLOAT32[64,64] InputTensor.strides=1,64", "FLOAT32[64,64] OutputTensor.strides=128,2", COPY, COPY),
        /* A run that both share moves as one, unless it is long. */
        COPY("FLOAT32[64,64,4] InputTensor.strides=4,256,1", "FLOAT32[64,64,4]", TRANSPOSE, TRANSPOSE),
        COPY("FLOAT32[64,64,9] InputTensor.strides=9,576,1", "FLOAT32[64,64,9]", COPY, COPY_RUNS),
        COPY("UINT8[64,64,3] InputTensor.strides=3,192,1", "UINT8[64,64,3]", PERMUTE, COPY_RUNS),
        /* Output rows that begin within words: atomics at their ends, and words that invocations share. */
        COPY("UINT8[91,95] InputTensor.strides=1,91", "UINT8[91,95]", TRANSPOSE, COPY),
        COPY("UINT8[97,99] InputTensor.strides=1,97", "UINT8[97,99]", TRANSPOSE_SHIFTED, COPY),
        COPY("FLOAT32[64,64] InputTensor.strides=1,65", "FLOAT32[64,64]", TRANSPOSE_SHIFTED, TRANSPOSE),
        COPY("FLOAT32[64,23] InputTensor.strides=1,65", "FLOAT32[64,23]", PERMUTE, TRANSPOSE),
        COPY("FLOAT16[192,128] InputTensor.strides=1,192", "FLOAT16[192,128]", TRANSPOSE, TRANSPOSE),
        /* Runs of several dimensions are long where each is short. */
        COPY("UINT8[4099,3] InputTensor.strides=1,4099", "UINT8[4099,3]", PERMUTE, COPY),
        COPY("FLOAT32[4099,3] InputTensor.strides=1,4099", "FLOAT32[4099,3]", PERMUTE, COPY),
        /* Few planes whose elements fill 16 bytes, and begin there. */
        COPY("UINT8[4096,3] InputTensor.strides=1,4096", "UINT8[4096,3]", INTERLEAVE, COPY),
        COPY("FLOAT32[2,3,1024] InputTensor.strides=3072,1,3", "FLOAT32[2,3,1024]", INTERLEAVE, COPY),
        COPY("FLOAT16[1024,8] InputTensor.strides=1,1024", "FLOAT16[1024,8]", INTERLEAVE, TRANSPOSE),
        COPY("FLOAT16[1024,9] InputTensor.strides=1,1024", "FLOAT16[1024,9]", PERMUTE, COPY),
        COPY("FLOAT32[4096,3] InputTensor.strides=1,4097", "FLOAT32[4096,3]", PERMUTE, COPY),
        COPY("FLOAT32[64,3] InputTensor.strides=1,64", "FLOAT32[64,3]", COPY, COPY),
        COPY("FLOAT16[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "FLOAT16[16,7,24,3,32]", PERMUTE, COPY),
        /* Hardly more than half of a tile, where rows begin anywhere. */
        COPY("FLOAT32[4,5,16,7,24,3,32] InputTensor.strides=430080,1,1120,5,17920,1720320,35",
             "FLOAT32[4,5,16,7,24,3,32]", PERMUTE, TRANSPOSE),
        COPY("FLOAT32[127,129] InputTensor.strides=1,127", "FLOAT32[127,129]", TRANSPOSE_SHIFTED, TRANSPOSE),
        /* Arithmetic is none of it. */
        COPY("FLOAT32[64,64] InputTensor.strides=1,64", "FLOAT32[64,64] ScaleBias=1,2", MAP, MAP),
#undef COPY
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const enum vkdml_kernel parallel = kernel_of(rows[i].tensors, &devices[DEVICE_MINIMUM]);
        const enum vkdml_kernel serial = kernel_of(rows[i].tensors, &devices[DEVICE_SMALL_PROCESSOR]);
        if (parallel != rows[i].parallel || serial != rows[i].serial) {
            fail_msg("%s goes by %s and %s", rows[i].tensors, vkdml_kernel_info(parallel)->name,
                     vkdml_kernel_info(serial)->name);
        }
    }
}

/* Where words of the output are whole and columns of the input fill squares but for a third. */
static void narrow_elements_are_permuted_by_squares(void **state) {
    (void)state;
    static const struct {
        const char *tensors;
        bool by_squares;
    } rows[] = {
#define COPY(input, output, by_squares)                                                                                \
    {"ELEMENT_WISE_IDENTITY seed=1 InputTensor=" input " OutputTensor=" output, by_squares}
        COPY("UINT8[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "UINT8[16,7,24,3,32]", true),
        COPY("FLOAT16[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "FLOAT16[16,7,24,3,32]", true),
        COPY("FLOAT32[16,7,24,3,32] InputTensor.strides=672,3,10752,1,21", "FLOAT32[16,7,24,3,32]", false),
        COPY("UINT8[16,7,24,3,33] InputTensor.strides=693,3,11088,1,21", "UINT8[16,7,24,3,33]", false),
        COPY("UINT8[512,5,36] InputTensor.strides=180,1,5", "UINT8[512,5,36]", false),
        COPY("UINT8[512,7,32] InputTensor.strides=224,1,7", "UINT8[512,7,32] OutputTensor.strides=226,32,1", false),
#undef COPY
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct subject subject;
        plan_line(rows[i].tensors, &devices[DEVICE_MINIMUM], &subject);
        if (subject.kernel != VKDML_KERNEL_PERMUTE ||
            (subject.constants[VKDML_PERMUTE_CONSTANT_COLUMN_RANK] != 0) != rows[i].by_squares) {
            fail_msg("%s: kernel %d, columns of %" PRIu32 " dimensions", rows[i].tensors, subject.kernel,
                     subject.constants[VKDML_PERMUTE_CONSTANT_COLUMN_RANK]);
        }
    }
}

/* Where transfer commands are allowed and faster. */
static const struct invented_device *transferring(void) {
    size_t d = 0;
    while (!devices[d].limits.transfer_allowed || !devices[d].limits.transfer_is_faster)
        d++;
    return &devices[d];
}

/* ELEMENT_WISE_IDENTITY of {rows, columns}, rows of the output `gap` elements apart. */
static void rows_case(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rows, uint32_t columns,
                      uint32_t gap) {
    case_begin(c, DML_OPERATOR_ELEMENT_WISE_IDENTITY);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = type;
    input->rank = 2;
    input->sizes[0] = rows;
    input->sizes[1] = columns;
    *output = *input;
    output->has_strides = 1;
    output->strides[0] = columns + gap;
    output->strides[1] = 1;
}

/* What the only step of a case is; fails where there are several. */
static enum vkdml_plan_step_kind only_kind(const struct operator_case *c, const struct invented_device *device) {
    struct subject subject;
    open_subject(&subject, c, device);
    check_subject(&subject);
    CHECK(&subject, subject.result == VKDML_SUCCESS && subject.step_count == 1);
    close_subject(&subject);
    return subject.first_kind;
}

static void contiguous_elements_are_copied_by_the_device_however_many(void **state) {
    (void)state;
    static struct operator_case c;
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 1u << 15, 1u << 15, 0);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_COPY);
    rows_case(&c, DML_TENSOR_DATA_TYPE_UINT8, 3, 7, 0); /* vkCmdCopyBuffer() takes any number of bytes */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_COPY);
    case_set(&c, "ScaleBias", 2, (const uint32_t[]){0x40000000, 0x3f800000}); /* 2 and 1 */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
}

static void few_long_rows_are_copied_by_the_device(void **state) {
    (void)state;
    static struct operator_case c;
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 4096, 256, 1);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_COPY);
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 4097, 256, 1);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
    rows_case(&c, DML_TENSOR_DATA_TYPE_FLOAT32, 4096, 255, 1);
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
}

/* Parts of one tensor that a copy and a dispatch write, in either order: rows that lie among one another, and halves
 * that share a word. The later step waits for the earlier one, in either stage. */
static void copies_and_dispatches_into_one_output_wait_for_each_other(void **state) {
    (void)state;
#define PARTS(type, first, second, whole)                                                                              \
    "JOIN seed=1 InputCount=2 InputTensors[0]=" type first " InputTensors[1]=" type second " OutputTensor=" type whole \
    " Axis=1"
    static const struct {
        const char *line;
        enum vkdml_plan_step_kind kinds[2];
    } rows[] = {
        {PARTS("FLOAT32", "[16,256]", "[16,32]", "[16,288]"), {VKDML_PLAN_COPY, VKDML_PLAN_DISPATCH}},
        {PARTS("FLOAT32", "[16,32]", "[16,256]", "[16,288]"), {VKDML_PLAN_DISPATCH, VKDML_PLAN_COPY}},
        {PARTS("FLOAT16", "[1,3]", "[1,5]", "[1,8]"), {VKDML_PLAN_COPY, VKDML_PLAN_DISPATCH}},
    };
#undef PARTS
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct operator_case c;
        struct subject subject;
        char text[256];
        assert_true(case_parse(rows[i].line, &c, text, sizeof(text)));
        open_subject(&subject, &c, transferring());
        assert_int_equal(plan_subject(&subject, &subject.plan), VKDML_SUCCESS);
        assert_int_equal(subject.plan.steps.count, 2);
        for (size_t s = 0; s < 2; s++) {
            assert_int_equal(subject.plan.steps.items[s].kind, rows[i].kinds[s]);
            assert_int_equal(subject.plan.steps.items[s].barrier_before, s == 1);
        }
        vkdml_plan_end(&subject.plan);
        close_subject(&subject);
    }
}

static void a_diagonal_is_a_fill_and_a_dispatch_behind_a_barrier(void **state) {
    (void)state;
    static struct operator_case c;
    struct subject subject;
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT16, 1000, 1000);
    open_subject(&subject, &c, transferring());
    assert_int_equal(plan_subject(&subject, &subject.plan), VKDML_SUCCESS);
    const struct vkdml_plan_step *steps = subject.plan.steps.items;
    assert_int_equal(subject.plan.steps.count, 2);
    assert_int_equal(steps[0].kind, VKDML_PLAN_FILL);
    assert_int_equal(steps[0].fill_word, 0);
    assert_int_equal(steps[0].buffers[0].size, 2000000);
    assert_int_equal(steps[1].kind, VKDML_PLAN_DISPATCH);
    assert_true(steps[1].barrier_before && !steps[0].barrier_before);
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT16, 3, 3); /* half a word at the end */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_DISPATCH);
    diagonal_case(&c, DML_TENSOR_DATA_TYPE_FLOAT16, 4, 4);
    case_set_uint(&c, "Offset", 4); /* past the corner */
    assert_int_equal(only_kind(&c, transferring()), VKDML_PLAN_FILL);
}

/* What a window takes along one dimension is kept in a ring for the next, but not where the other dimensions have so
 * many elements that invocations would reach their ends first. */
static void rings_are_walked_with_few_turns(void **state) {
    (void)state;
#define WIDE_FOLD(elements, window, size)                                                                              \
    "FOLD seed=1 InputTensor=FLOAT32[1," elements ",10] InputTensor.strides=10,0,1 OutputTensor=FLOAT32[1,1,3," size   \
    "] DimensionCount=2 WindowSizes=2," window " Strides=1,1 Dilations=1,1 StartPadding=0,0 EndPadding=0,0"
#define LONG_POOLING(size, window)                                                                                     \
    "MAX_POOLING seed=1 InputTensor=FLOAT32[1,1,3," size ",8] OutputTensor=FLOAT32[1,1,2,2,8] DimensionCount=3 "       \
    "Strides=1,1,1 WindowSize=2," window ",1 StartPadding=0,0,0 EndPadding=0,0,0"
    static const struct {
        const char *line;
        enum vkdml_kernel kernel;
        bool has_ring;
    } rows[] = {{WIDE_FOLD("200", "100", "104"), VKDML_KERNEL_NEIGHBOURS, true},
                {WIDE_FOLD("800", "400", "404"), VKDML_KERNEL_NEIGHBOURS, false},
                {LONG_POOLING("101", "100"), VKDML_KERNEL_POOL, true},
                {LONG_POOLING("901", "900"), VKDML_KERNEL_POOL, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct subject subject;
        plan_line(rows[i].line, &devices[DEVICE_MINIMUM], &subject);
        assert_int_equal(subject.kernel, rows[i].kernel);
        assert_int_equal(subject.constants[VKDML_NEIGHBOURS_CONSTANT_RING] != 0, rows[i].has_ring);
    }
#undef WIDE_FOLD
#undef LONG_POOLING
}

/* The last step of a band's plan, by the constants of diagonal.comp. */
struct band_plan {
    const char *line;
    uint32_t steps;
    uint32_t bits; /* of an element */
    uint32_t rank; /* outer dimensions; x or y that are it are the row, those that are more are nowhere */
    uint32_t source;
    uint32_t x;
    uint32_t y;
};

static void check_band_plan(const struct band_plan *expected, const struct invented_device *device) {
    static struct operator_case c;
    struct subject subject;
    char text[256];
    assert_true(case_parse(expected->line, &c, text, sizeof(text)));
    open_subject(&subject, &c, device);
    assert_int_equal(plan_subject(&subject, &subject.plan), VKDML_SUCCESS);
    assert_int_equal(subject.plan.steps.count, expected->steps);
    const struct vkdml_plan_step *step = &subject.plan.steps.items[expected->steps - 1];
    const uint32_t constants[] = {
        step->constants[VKDML_GATHER_CONSTANT_ELEMENT_BITS], step->constants[VKDML_GATHER_CONSTANT_RANK],
        step->constants[VKDML_GATHER_CONSTANT_SOURCE], step->constants[VKDML_GATHER_CONSTANT_X_DIMENSION],
        step->constants[VKDML_GATHER_CONSTANT_Y_DIMENSION]};
    const uint32_t wanted[] = {expected->bits, expected->rank, expected->source, expected->x, expected->y};
    if (step->kernel != VKDML_KERNEL_DIAGONAL || memcmp(constants, wanted, sizeof(wanted)) != 0 ||
        step->barrier_before != (expected->steps == 2)) {
        fail_msg("%s: %" PRIu32 " bits, rank %" PRIu32 ", source %" PRIu32 ", x %" PRIu32 ", y %" PRIu32,
                 expected->line, constants[0], constants[1], constants[2], constants[3], constants[4]);
    }
    vkdml_plan_end(&subject.plan);
    close_subject(&subject);
}

static void a_band_goes_along_the_innermost_dimension(void **state) {
    (void)state;
    enum { ZEROS, INPUT, ALIKE, OUTPUT, NONE = VKDML_MAX_DIMENSIONS, PATTERN };
#define DIAGONAL(output) "DIAGONAL_MATRIX seed=1 Offset=0 Value=1 OutputTensor=" output
#define TRIANGLE(type, input, output)                                                                                  \
    "DIAGONAL_MATRIX1 seed=1 ValueDataType=" type " Value=0x1,0x0 DiagonalFillBegin=0 DiagonalFillEnd=90 "             \
    "InputTensor=" type input " OutputTensor=" type output
    static const struct band_plan plans[] = {
        {DIAGONAL("UINT8[6,70,90]"), 1, 8, 2, ZEROS, 2, 1},
        {DIAGONAL("UINT8[6,70,90] OutputTensor.strides=6300,1,70"), 1, 8, 2, ZEROS, 2, 1},
        {DIAGONAL("UINT8[7,70,90] OutputTensor.strides=1,7,490"), 1, 8, 2, ZEROS, 0, 1},
        {DIAGONAL("UINT8[7,70,90] OutputTensor.strides=1,630,7"), 1, 8, 2, ZEROS, 1, 0},
        /* Wider elements, until matrices are the row. */
        {DIAGONAL("UINT8[6,70,90] OutputTensor.strides=1,6,420"), 1, 16, 2, ZEROS, 0, 1},
        {DIAGONAL("UINT8[4,70,90] OutputTensor.strides=1,4,280"), 1, 32, 1, ZEROS, 1, 0},
        {DIAGONAL("UINT8[4,70,90] OutputTensor.strides=1,5,350"), 1, 8, 2, ZEROS, 0, 1},
        /* Gaps everywhere; one column, one row. */
        {DIAGONAL("UINT8[7,70,90] OutputTensor.strides=2,16,1200"), 1, 8, 2, ZEROS, 0, 1},
        {DIAGONAL("UINT8[7,140,1]"), 1, 8, 1, ZEROS, 1, NONE},
        {DIAGONAL("UINT8[7,1,90] OutputTensor.strides=1,1,8"), 1, 8, 1, ZEROS, 0, NONE},
        /* So few elements that what is filled is a pattern, and one more; beside others of the batch. */
        {DIAGONAL("UINT8[9,1,113]"), 1, 8, 1, ZEROS, PATTERN, NONE},
        {DIAGONAL("UINT8[9,2,57]"), 1, 8, 2, ZEROS, 2, 1},
        {DIAGONAL("UINT8[9,7,3,5] OutputTensor.strides=200,1,7,21"), 1, 8, 3, ZEROS, PATTERN, 2},
        {DIAGONAL("UINT8[9,7,3,5] OutputTensor.strides=200,1,8,24"), 1, 8, 3, ZEROS, 1, 2},
        {TRIANGLE("UINT8", "[9,10,11]", "[9,10,11]"), 1, 8, 2, ALIKE, PATTERN, 1},
        {TRIANGLE("UINT8", "[9,10,11] InputTensor.strides=200,11,1", "[9,10,11]"), 1, 8, 2, INPUT, 2, 1},
        /* Inputs that lie as the output does, those that do not in parts, and those that do nowhere: tiles. */
        {TRIANGLE("UINT8", "[7,70,80]", "[7,70,80]"), 1, 8, 2, ALIKE, 2, 1},
        {TRIANGLE("UINT8", "[7,70,80] InputTensor.strides=6000,81,1", "[7,70,80]"), 1, 8, 2, INPUT, 2, 1},
        {TRIANGLE("UINT8", "[7,70,80] InputTensor.strides=6000,80,1", "[7,70,80] OutputTensor.strides=6001,80,1"), 1, 8,
         2, ALIKE, 2, 1},
        {TRIANGLE("FLOAT32", "[600,513] InputTensor.strides=1,600", "[600,513]"), 2, 32, 1, OUTPUT, 1, 0},
        {TRIANGLE("FLOAT16", "[2100,258] InputTensor.strides=1,2100", "[2100,258]"), 2, 16, 1, OUTPUT, 1, 0},
        {TRIANGLE("FLOAT32", "[9,513] InputTensor.strides=1,9", "[9,513] OutputTensor.strides=1026,2"), 1, 32, 1, INPUT,
         1, 0},
        /* By elements: near enough, small enough, or not for tiles. */
        {TRIANGLE("FLOAT32", "[600,512] InputTensor.strides=1,600", "[600,512]"), 1, 32, 1, INPUT, 1, 0},
        {TRIANGLE("FLOAT16", "[2100,256] InputTensor.strides=1,2100", "[2100,256]"), 1, 16, 1, INPUT, 1, 0},
        {TRIANGLE("FLOAT32", "[512,512] InputTensor.strides=1,512", "[512,512] OutputTensor.strides=513,1"), 1, 32, 1,
         INPUT, 1, 0},
        {TRIANGLE("FLOAT32", "[70,600] InputTensor.strides=2,140", "[70,600]"), 1, 32, 1, INPUT, 1, 0},
        /* All of it is filled. */
        {"DIAGONAL_MATRIX1 seed=1 ValueDataType=UINT8 Value=0x1,0x0 DiagonalFillBegin=-2 DiagonalFillEnd=8 "
         "OutputTensor=UINT8[3,3,8] OutputTensor.strides=1,3,9",
         1, 32, 0, ZEROS, NONE, NONE},
    };
    /* For CPUs. */
    static const struct band_plan near_by_tiles = {
        TRIANGLE("FLOAT32", "[3300,80] InputTensor.strides=1,3300", "[3300,80]"), 2, 32, 1, OUTPUT, 1, 0};
#undef DIAGONAL
#undef TRIANGLE
    for (size_t i = 0; i < COUNT_OF(plans); i++) {
        check_band_plan(&plans[i], &devices[DEVICE_MINIMUM]);
    }
    check_band_plan(&near_by_tiles, &devices[DEVICE_SMALL_PROCESSOR]);
}

/* ---- matrix cores ---- */

static const struct invented_device *device_of(const char *name) {
    size_t d = 0;
    while (strcmp(devices[d].name, name) != 0)
        d++;
    return &devices[d];
}

/* A product of 512 x K x 512, and what else its line says. */
static enum vkdml_kernel kernel_of_product(const char *type, uint32_t k, const char *rest,
                                           const struct invented_device *device) {
    char line[512];
    snprintf(line, sizeof(line),
             "GEMM seed=1 ATensor=%s[512,%" PRIu32 "] BTensor=%s[%" PRIu32
             ",512] OutputTensor=%s[512,512] TransA=NONE TransB=NONE Alpha=1 Beta=0 %s",
             type, k, type, k, type, rest);
    return kernel_of(line, device);
}

static void matrix_cores_multiply_halves(void **state) {
    (void)state;
    struct invented_device device = *device_of("matrix cores");
    device.limits.half_allowed = false;
    assert_int_equal(kernel_of_product("FLOAT16", 64, "", &device), VKDML_KERNEL_PRODUCT_MATRIX);
    assert_int_equal(kernel_of_product("FLOAT16", 17, "ATensor.strides=100,3", &device), VKDML_KERNEL_PRODUCT_MATRIX);
    assert_int_equal(kernel_of_product("FLOAT16", 15, "", &device), VKDML_KERNEL_PRODUCT); /* less than a fragment */
    assert_int_equal(kernel_of_product("FLOAT32", 64, "", &device), VKDML_KERNEL_PRODUCT);
    device.limits.half_allowed = true;
    assert_int_equal(kernel_of_product("FLOAT32", 64, "", &device), VKDML_KERNEL_PRODUCT_MATRIX);
    device.limits.float_controls &= ~VKDML_FLOAT_CONTROLS_16; /* denormals might go */
    assert_int_equal(kernel_of_product("FLOAT16", 64, "", &device), VKDML_KERNEL_PRODUCT);
    assert_int_equal(kernel_of_product("FLOAT16", 64, "", device_of("large")), VKDML_KERNEL_PRODUCT);
}

/* A tile of a subgroup is cut into fragments: of an H200's sizes, of others, of ones that no tile is made of. */
static void fragments_are_of_the_devices_sizes(void **state) {
    (void)state;
    static const struct {
        struct vkdml_matrix_cores cores;
        enum vkdml_kernel kernel;
        uint32_t fragment;
    } rows[] = {{{16, 16, 16, 32}, VKDML_KERNEL_PRODUCT_MATRIX, 0x101010},
                {{16, 8, 16, 32}, VKDML_KERNEL_PRODUCT_MATRIX, 0x100810},
                {{8, 16, 16, 16}, VKDML_KERNEL_PRODUCT_MATRIX, 0x101008},
                {{16, 16, 16, 64}, VKDML_KERNEL_PRODUCT_MATRIX, 0x101010},
                {{24, 16, 16, 32}, VKDML_KERNEL_PRODUCT, 0},
                {{16, 16, 48, 32}, VKDML_KERNEL_PRODUCT, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct invented_device device = *device_of("matrix cores");
        struct subject subject;
        device.limits.matrix_cores = rows[i].cores;
        plan_line("GEMM seed=1 ATensor=FLOAT16[512,64] BTensor=FLOAT16[64,512] OutputTensor=FLOAT16[512,512] "
                  "TransA=NONE TransB=NONE Alpha=1 Beta=0",
                  &device, &subject);
        assert_int_equal(subject.kernel, rows[i].kernel);
        if (rows[i].fragment != 0) {
            assert_int_equal(subject.constants[VKDML_PRODUCT_CONSTANT_OPERATION], rows[i].fragment);
        }
    }
}

/* The kernel of the product itself, the last step. */
static enum vkdml_kernel kernel_of_bytes(uint32_t m, const struct invented_device *device) {
    static struct operator_case c;
    struct subject subject;
    struct vkdml_plan plan;
    char line[512], text[256];
    snprintf(line, sizeof(line),
             "MATRIX_MULTIPLY_INTEGER seed=1 ATensor=INT8[%" PRIu32 ",512] BTensor=INT8[512,512] "
             "OutputTensor=INT32[%" PRIu32 ",512]",
             m, m);
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(&subject, &c, device);
    assert_int_equal(plan_subject(&subject, &plan), VKDML_SUCCESS);
    const enum vkdml_kernel kernel = plan.steps.items[plan.steps.count - 1].kernel;
    vkdml_plan_end(&plan);
    close_subject(&subject);
    return kernel;
}

static void bytes_are_multiplied_by_what_the_device_has_for_them(void **state) {
    (void)state;
    struct invented_device device = *device_of("matrix cores");
    assert_int_equal(kernel_of_bytes(512, &device), VKDML_KERNEL_INTEGER_PRODUCT_MATRIX);
    assert_int_equal(kernel_of_bytes(15, &device), VKDML_KERNEL_INTEGER_PRODUCT); /* less than a fragment */
    device.limits.dot_products = true;
    assert_int_equal(kernel_of_bytes(15, &device), VKDML_KERNEL_INTEGER_PRODUCT_DOT);
    assert_int_equal(kernel_of_bytes(2, &device), VKDML_KERNEL_INTEGER_PRODUCT_DOT);
    device.limits.byte_cores.m = 24; /* of which no tile is made */
    assert_int_equal(kernel_of_bytes(512, &device), VKDML_KERNEL_INTEGER_PRODUCT_DOT);
    assert_int_equal(kernel_of_bytes(512, device_of("lavapipe")), VKDML_KERNEL_INTEGER_PRODUCT);
}

/* The kernel that a gradient's plan begins with. */
static enum vkdml_kernel first_kernel(const char *line, const struct invented_device *device) {
    static struct operator_case c;
    char text[256];
    struct subject subject;
    struct vkdml_plan plan;
    assert_true(case_parse(line, &c, text, sizeof(text)));
    open_subject(&subject, &c, device);
    CHECK(&subject, plan_subject(&subject, &plan) == VKDML_SUCCESS && plan.steps.count > 0);
    const enum vkdml_kernel kernel = plan.steps.items[0].kernel;
    vkdml_plan_end(&plan);
    close_subject(&subject);
    return kernel;
}

/* There the compiler takes minutes for it; of other gradients the code is short. */
static void winners_of_patches_are_not_found_where_long_code_is_avoided(void **state) {
    (void)state;
#define PICTURES                                                                                                       \
    "InputGradientTensor=FLOAT16[1,2,8,16] OutputGradientTensor=FLOAT16[1,2,16,32] DimensionCount=2 Strides=2,2 "      \
    "WindowSize=3,3 StartPadding=1,1 EndPadding=1,1 "
    static const char maxima[] = "MAX_POOLING_GRAD InputTensor=FLOAT16[1,2,16,32] " PICTURES "Dilations=1,1";
    static const char averages[] = "AVERAGE_POOLING_GRAD " PICTURES "IncludePadding=0";
#undef PICTURES
    struct invented_device device = *device_of("lavapipe");
    assert_int_equal(first_kernel(maxima, &device), VKDML_KERNEL_GRADIENT_WINDOWS);
    device.limits.avoids_long_code = true;
    assert_int_not_equal(first_kernel(maxima, &device), VKDML_KERNEL_GRADIENT_WINDOWS);
    assert_int_equal(first_kernel(averages, &device), VKDML_KERNEL_GRADIENT_WINDOWS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_scaled_in_fixed_point_where_it_suffices),
        cmocka_unit_test(copies_go_by_tiles_where_innermost_dimensions_differ),
        cmocka_unit_test(narrow_elements_are_permuted_by_squares),
        cmocka_unit_test(contiguous_elements_are_copied_by_the_device_however_many),
        cmocka_unit_test(few_long_rows_are_copied_by_the_device),
        cmocka_unit_test(copies_and_dispatches_into_one_output_wait_for_each_other),
        cmocka_unit_test(a_diagonal_is_a_fill_and_a_dispatch_behind_a_barrier),
        cmocka_unit_test(rings_are_walked_with_few_turns),
        cmocka_unit_test(a_band_goes_along_the_innermost_dimension),
        cmocka_unit_test(matrix_cores_multiply_halves),
        cmocka_unit_test(bytes_are_multiplied_by_what_the_device_has_for_them),
        cmocka_unit_test(fragments_are_of_the_devices_sizes),
        cmocka_unit_test(winners_of_patches_are_not_found_where_long_code_is_avoided),
    };
    return cmocka_run_group_tests_name("plan_choice", tests, NULL, NULL);
}
