/* What an operator does at initialization depends on what it keeps and on the device, never on how large its other
 * tensors are: graphs of one model that are compiled for several sizes share what one initializer made. */
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

#define MOST_SIZES 7

/* Sizes of pictures and of what is made of them; of matrices n and h are the batch and the rows. */
struct sizes {
    uint32_t n, h, w, y, x;
};

/* A case, in which $n, $h, $w, $y and $x stand for sizes. */
struct family {
    uint32_t least; /* its general plan has the same kernels for sizes of at least so many rows and columns; 0: not */
    const char *text;
    struct sizes sizes[MOST_SIZES]; /* up to one whose n is 0 */
};

#define ARRAYS(strides, dilations, padding, output_padding, groups)                                                    \
    " DimensionCount=2 Strides=" strides " Dilations=" dilations " StartPadding=" padding " EndPadding=" padding       \
    " OutputPadding=" output_padding " GroupCount=" groups
#define INTEGER_ARRAYS(strides, dilations, padding, groups)                                                            \
    " DimensionCount=2 Strides=" strides " Dilations=" dilations " StartPadding=" padding " EndPadding=" padding       \
    " GroupCount=" groups
#define CONVOLVE(type, channels, filter, made)                                                                         \
    "CONVOLUTION seed=1 InputTensor=" type "[$n," channels ",$h,$w] FilterTensor=" type filter                         \
    " FilterTensor.owned=1 BiasTensor=" type "[1," made ",1,1] BiasTensor.owned=1 OutputTensor=" type "[$n," made      \
    ",$y,$x] Mode=CROSS_CORRELATION Direction="
#define CONVOLVE_BYTES(channels, filter, made)                                                                         \
    "CONVOLUTION_INTEGER seed=1 InputTensor=UINT8[$n," channels ",$h,$w] FilterTensor=INT8" filter                     \
    " FilterTensor.owned=1 FilterZeroPointTensor=INT8[1,1,1,1] FilterZeroPointTensor.owned=1 OutputTensor=INT32[$n,"   \
    made ",$y,$x]"

#define SAME                                                                                                           \
    {                                                                                                                  \
        {1, 1, 1, 1, 1}, {1, 48, 320, 48, 320}, {1, 48, 321, 48, 321}, {1, 1, 40, 1, 40}, {6, 48, 328, 48, 328}, {     \
            3, 40, 1, 40, 1                                                                                            \
        }                                                                                                              \
    }
#define HALVED                                                                                                         \
    {                                                                                                                  \
        {1, 1, 1, 1, 1}, {1, 48, 320, 24, 160}, {1, 48, 321, 24, 161}, {1, 1, 40, 1, 20}, {6, 48, 328, 24, 164}        \
    }
/* Of a filter of 3, a stride of 4 and 1 of padding: the last have outputs of some phases alone. */
#define SPREAD                                                                                                         \
    {                                                                                                                  \
        {1, 8, 8, 29, 29}, {2, 5, 9, 17, 33}, {1, 1, 8, 1, 29}, {1, 2, 1, 5, 1}, {1, 1, 1, 1, 1}                       \
    }
/* The kernel for such filters cannot bind a row and the row below of the last. */
#define HUGE_ROWS                                                                                                      \
    {                                                                                                                  \
        {1, 3, 320, 3, 320}, {2, 1, 7, 1, 7}, {1, 3, 100000000, 3, 100000000}                                          \
    }
#define ROWS                                                                                                           \
    {                                                                                                                  \
        {1, 1, 0, 0, 0}, {1, 7, 0, 0, 0}, {1, 128, 0, 0, 0}, {1, 4096, 0, 0, 0}, {3, 1, 0, 0, 0}, {                    \
            2, 300, 0, 0, 0                                                                                            \
        }                                                                                                              \
    }

static const struct family families[] = {
    {1, CONVOLVE("FLOAT32", "16", "[32,16,3,3]", "32") "FORWARD" ARRAYS("1,1", "1,1", "1,1", "0,0", "1"), SAME},
    /* Sums of so many products are made in shares where there are few pixels. */
    {1, CONVOLVE("FLOAT16", "256", "[32,256,3,3]", "32") "FORWARD" ARRAYS("1,1", "1,1", "1,1", "0,0", "1"), SAME},
    {1, CONVOLVE("FLOAT32", "1024", "[32,1024,1,1]", "32") "FORWARD" ARRAYS("1,1", "1,1", "0,0", "0,0", "1"), SAME},
    {1, CONVOLVE("FLOAT16", "16", "[32,16,1,1]", "32") "FORWARD" ARRAYS("1,1", "1,1", "0,0", "0,0", "1"), SAME},
    {1, CONVOLVE("FLOAT32", "16", "[32,4,3,3]", "32") "FORWARD" ARRAYS("2,2", "1,1", "1,1", "0,0", "4"), HALVED},
    {2, CONVOLVE("FLOAT32", "16", "[16,1,3,3]", "16") "FORWARD" ARRAYS("1,1", "1,1", "1,1", "0,0", "16"), SAME},
    {0, CONVOLVE("FLOAT32", "2", "[2,1,3,3] FilterTensor.strides=9,9,1,3", "2") "FORWARD" ARRAYS("1,1", "1,1", "1,1",
                                                                                          "0,0", "2"),
     HUGE_ROWS},
    {1, CONVOLVE("FLOAT32", "16", "[32,16,3,3] FilterTensor.strides=144,1,48,16", "32") "FORWARD" ARRAYS(
         "1,1", "1,1", "1,1", "0,0", "1"),
     SAME},
    {2, CONVOLVE("FLOAT32", "16", "[16,8,3,3]", "8") "BACKWARD" ARRAYS("4,4", "1,1", "1,1", "0,0", "1"), SPREAD},
    {1, CONVOLVE("FLOAT32", "16", "[16,8,3,3]", "8") "BACKWARD" ARRAYS("1,1", "1,1", "1,1", "0,0", "1"), SAME},
    {0, CONVOLVE_BYTES("16", "[32,16,3,3]", "32") INTEGER_ARRAYS("1,1", "1,1", "1,1", "1"), SAME},
    {0, CONVOLVE_BYTES("16", "[16,1,3,3]", "16") INTEGER_ARRAYS("1,1", "1,1", "1,1", "16"), SAME},
    /* Four pixels of a row reach farther than that kernel's registers, one does not. */
    {0, CONVOLVE_BYTES("4", "[4,1,3,3]", "4") INTEGER_ARRAYS("30,30", "1,1", "1,1", "4"),
     {{1, 1, 1, 1, 1}, {1, 61, 91, 3, 4}, {1, 61, 1, 3, 1}}},
    {1, "GEMM seed=1 ATensor=FLOAT32[$n,1,$h,256] BTensor=FLOAT32[$n,1,256,80] BTensor.strides=0,0,80,1 "
     "BTensor.owned=1 CTensor=FLOAT32[$n,1,$h,80] CTensor.strides=0,0,0,1 CTensor.owned=1 "
     "OutputTensor=FLOAT32[$n,1,$h,80] Alpha=1 Beta=1 TransA=NONE TransB=NONE",
     ROWS},
    {1, "GEMM seed=1 ATensor=FLOAT16[1,1,$h,2048] BTensor=FLOAT16[1,1,80,2048] BTensor.owned=1 "
     "OutputTensor=FLOAT16[1,1,$h,80] Alpha=1 Beta=0 TransA=NONE TransB=TRANSPOSE",
     ROWS},
    {0, "MATRIX_MULTIPLY_INTEGER seed=1 ATensor=UINT8[1,$n,$h,256] BTensor=INT8[1,$n,256,80] BTensor.strides=0,0,80,1 "
     "BTensor.owned=1 BZeroPointTensor=INT8[1,80] BZeroPointTensor.owned=1 OutputTensor=INT32[1,$n,$h,80]",
     ROWS},
    {0, "MATRIX_MULTIPLY_INTEGER_TO_FLOAT seed=1 ATensor=UINT8[$h,256] AScaleTensor=FLOAT32[1,1] "
     "BTensor=INT8[256,80] BTensor.owned=1 BScaleTensor=FLOAT32[1,80] BScaleTensor.owned=1 BiasTensor=FLOAT32[$h,80] "
     "BiasTensor.strides=0,1 BiasTensor.owned=1 OutputTensor=FLOAT32[$h,80]",
     ROWS},
    {0, "QUANTIZED_LINEAR_MATRIX_MULTIPLY seed=1 ATensor=UINT8[$h,256] AScaleTensor=FLOAT32[1,1] BTensor=INT8[256,80] "
     "BTensor.owned=1 BScaleTensor=FLOAT32[1,80] BScaleTensor.owned=1 OutputScaleTensor=FLOAT32[1,1] "
     "OutputTensor=INT8[$h,80]",
     ROWS},
    {1, "BATCH_NORMALIZATION seed=1 InputTensor=FLOAT32[$n,16,$h,$w] MeanTensor=FLOAT32[1,16,1,1] MeanTensor.owned=1 "
     "VarianceTensor=FLOAT32[1,16,1,1] VarianceTensor.owned=1 ScaleTensor=FLOAT32[1,16,1,1] ScaleTensor.owned=1 "
     "BiasTensor=FLOAT32[1,16,1,1] BiasTensor.owned=1 OutputTensor=FLOAT32[$n,16,$h,$w] Spatial=1 Epsilon=1e-5",
     SAME},
    {0, "GATHER seed=1 InputTensor=FLOAT32[1,1,1000,64] InputTensor.owned=1 IndicesTensor=UINT32[1,1,$n,$h] "
     "OutputTensor=FLOAT32[1,$n,$h,64] Axis=2 IndexDimensions=2",
     ROWS},
};

static void write_case(const struct family *family, const struct sizes *sizes, char *line, size_t capacity) {
    size_t length = 0;
    for (const char *from = family->text; *from != '\0' && length + 16 < capacity; ++from) {
        if (*from != '$') {
            line[length++] = *from;
            continue;
        }
        ++from;
        const uint32_t size = *from == 'n'   ? sizes->n
                              : *from == 'h' ? sizes->h
                              : *from == 'w' ? sizes->w
                              : *from == 'y' ? sizes->y
                                             : sizes->x;
        length += (size_t)snprintf(line + length, capacity - length, "%u", (unsigned)size);
    }
    line[length] = '\0';
}

/* Plans a case; whether the device can do without needing more than it has. */
static bool plan_case(const char *line, const struct invented_device *device, struct vkdml_plan *plan) {
    static struct operator_case c;
    struct subject subject;
    char text[256];
    if (!case_parse(line, &c, text, sizeof(text))) {
        print_error("%s\n%s\n", line, text);
        fail();
    }
    open_subject(&subject, &c, device);
    const VkdmlResult result = plan_subject(&subject, plan);
    CHECK(&subject, result == VKDML_SUCCESS || (device->cramped && result == VKDML_ERROR_LIMIT_EXCEEDED));
    close_subject(&subject);
    return result == VKDML_SUCCESS;
}

static void initialization_does_not_depend_on_sizes(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT_OF(families); ++f) {
        for (size_t d = 0; d < DEVICE_COUNT; ++d) {
            const struct family *family = &families[f];
            struct vkdml_plan first, other;
            char line[1024];
            write_case(family, &family->sizes[0], line, sizeof(line));
            if (plan_case(line, &devices[d], &first)) {
                assert_true(first.init_steps.count > 0);
                for (size_t s = 1; s < MOST_SIZES && family->sizes[s].n != 0; ++s) {
                    write_case(family, &family->sizes[s], line, sizeof(line));
                    const bool is_planned = plan_case(line, &devices[d], &other);
                    if (is_planned && (!same_steps(&first.init_steps, &other.init_steps) ||
                                       first.persistent_bytes != other.persistent_bytes)) {
                        print_error("on \"%s\" initialization is another than for the first sizes: %s\n",
                                    devices[d].name, line);
                        fail();
                    }
                    vkdml_plan_end(&other);
                }
            }
            vkdml_plan_end(&first);
        }
    }
}

/* ---- general plans ---- */

static bool same_kernel(const struct vkdml_plan_step *a, const struct vkdml_plan_step *b) {
    return a->kernel == b->kernel && a->buffer_count == b->buffer_count && a->constants_given == b->constants_given &&
           a->float_controls == b->float_controls && memcmp(a->constants, b->constants, sizeof(a->constants)) == 0;
}

static bool has_kernel(const struct vkdml_plan *plan, const struct vkdml_plan_step *step) {
    bool has = step->kind != VKDML_PLAN_DISPATCH;
    for (uint32_t s = 0; s < plan->steps.count && !has; ++s) {
        has = plan->steps.items[s].kind == VKDML_PLAN_DISPATCH && same_kernel(&plan->steps.items[s], step);
    }
    for (uint32_t s = 0; s < plan->spare_steps.count && !has; ++s) {
        has = same_kernel(&plan->spare_steps.items[s], step);
    }
    return has;
}

static void check_kernels(const struct family *family, const struct invented_device *device) {
    struct vkdml_plan first, other;
    char line[1024];
    write_case(family, &family->sizes[1], line, sizeof(line));
    if (plan_case(line, device, &first)) {
        for (size_t s = 0; s < MOST_SIZES && family->sizes[s].n != 0; ++s) {
            write_case(family, &family->sizes[s], line, sizeof(line));
            const struct sizes *sizes = &family->sizes[s];
            const bool is_less = sizes->h < family->least || (sizes->w != 0 && sizes->w < family->least);
            const bool is_planned = plan_case(line, device, &other) && !is_less;
            for (uint32_t i = 0; is_planned && i < other.steps.count; ++i) {
                if (!has_kernel(&first, &other.steps.items[i])) {
                    print_error("on \"%s\" step %u needs another pipeline than for the second sizes: %s\n",
                                device->name, (unsigned)i, line);
                    fail();
                }
            }
            vkdml_plan_end(&other);
        }
    }
    vkdml_plan_end(&first);
}

static void general_plans_have_the_same_kernels_for_all_sizes(void **state) {
    (void)state;
    for (size_t d = 0; d < DEVICE_COUNT; ++d) {
        struct invented_device device = devices[d];
        device.limits.general = true;
        for (size_t f = 0; f < COUNT_OF(families) && !device.cramped; ++f) {
            if (families[f].least != 0) {
                check_kernels(&families[f], &device);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(initialization_does_not_depend_on_sizes),
                                       cmocka_unit_test(general_plans_have_the_same_kernels_for_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
