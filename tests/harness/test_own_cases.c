/* Cases of every field type, on rows of the tests' own, which the linker puts in the operator table's place (--wrap).
 * Needs no device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/accuracy.h"
#include "cases/case.h"
#include "cases/case_data.h"
#include "cases/image.h"
#include "rows/own_rows.h"

static const char quantize_line[] =
    "QUANTIZE seed=3 InputTensor=FLOAT32[5] InputTensor.fill=BITS Mode=WRAP QuantizationTensorCount=3 "
    "QuantizationTensors[0]=FLOAT32[2] QuantizationTensors[0].fill=SMALL QuantizationTensors[1]=UINT4[3] "
    "QuantizationTensors[1].slack=4 QuantizationTensors[1].owned=1 QuantizationTensors[1].data=0x1,0xf,0x7 "
    "QuantizationTensors[2]=INT4[1] QuantizationTensors[2].fill=SPARSE:500 OutputTensor=INT4[5] "
    "OutputTensor.strides=3";
static const char gru_line[] =
    "GRU seed=1 InputTensor=FLOAT32[2] InputTensor.fill=INDEX OutputTensor=FLOAT32[2] ActivationDescCount=3 "
    "ActivationDescs[0]=RELU ActivationDescs[1]=CELU ActivationDescs[1].Alpha=0x3f000000 ActivationDescs[2]=RELU "
    "LinearBeforeReset=1";
static const char add1_line[] =
    "ELEMENT_WISE_ADD1 seed=2 level=3_0 ATensor=FLOAT16[3] ATensor.fill=BITS BTensor=FLOAT16[3] BTensor.fill=BITS "
    "OutputTensor=FLOAT16[3] OutputTensor.in_place=3 FusedActivation=SHRINK FusedActivation.Mode=SYMMETRIC "
    "FusedActivation.OffsetCount=2 FusedActivation.Offsets=5,6";
static const char resample_line[] =
    "RESAMPLE seed=4 InputTensor=FLOAT32[1] InputTensor.fill=BITS MeanTensor=FLOAT32[1] MeanTensor.fill=BITS "
    "ScaleTensor=FLOAT32[1] ScaleTensor.fill=BITS OutputTensor=FLOAT32[1] Window=7,9 ScaleCount=2 "
    "Scales=0x3f800000,0xbf000000 Steps=-3,2147483647 ValueDataType=FLOAT16 Value=0x3c00,0x0";

static void parse(const char *line, struct operator_case *c) {
    char error[256];
    if (!case_parse(line, c, error, sizeof(error))) {
        fail_msg("%s", error);
    }
}

static void a_line_says_all_of_its_case(void **state) {
    static const char *const lines[] = {quantize_line, gru_line, add1_line, resample_line};
    static struct operator_case c;
    char printed[CASE_MAX_LINE];
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        parse(lines[i], &c);
        assert_true(case_print(&c, printed, sizeof(printed)));
        assert_string_equal(printed, lines[i]);
    }
}

static void a_line_that_is_none_is_refused(void **state) {
    static const char *const lines[] = {
        "QUANTIZE QuantizationTensors=FLOAT32[2]",
        "QUANTIZE QuantizationTensors[1]=FLOAT32[2]",
        "QUANTIZE QuantizationTensors[0]=FLOAT32[2] QuantizationTensors[1].slack=4",
        "QUANTIZE QuantizationTensors[x]=FLOAT32[2]",
        "QUANTIZE InputTensor[0]=FLOAT32[2]",
        "ELEMENT_WISE_ADD1 FusedActivation=TANH",
        "ELEMENT_WISE_ADD1 FusedActivation.Alpha=1",
        "ELEMENT_WISE_ADD1 FusedActivation=CELU FusedActivation.Beta=1",
        "ELEMENT_WISE_ADD1 FusedActivation=CELU FusedActivation.InputTensor=FLOAT32[1]",
        "GRU ActivationDescs[1]=CELU",
        "RESAMPLE Window=7",
        "RESAMPLE Window=7,8,9",
        "RESAMPLE Scales=1,2,3,4,5,6,7,8,9",
        "RESAMPLE Steps=-2147483649",
    };
    static struct operator_case c;
    char error[256];
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (case_parse(lines[i], &c, error, sizeof(error))) {
            fail_msg("taken: %s", lines[i]);
        }
    }
}

static void descriptors_have_arrays_of_tensors(void **state) {
    static struct operator_case c;
    static struct case_desc desc;
    (void)state;
    parse(quantize_line, &c);
    case_build_desc(&c, &desc);
    const struct own_quantize *quantize = desc.op.Desc;
    const DML_BUFFER_TENSOR_DESC *second = quantize->QuantizationTensors[1].Desc;
    assert_int_equal(quantize->QuantizationTensorCount, 3);
    assert_int_equal(second->DataType, DML_TENSOR_DATA_TYPE_UINT4);
    assert_int_equal(second->Sizes[0], 3);
    assert_int_equal(second->TotalTensorSizeInBytes, 8);
    assert_int_equal(second->Flags, DML_TENSOR_FLAG_OWNED_BY_DML);
    const DML_BUFFER_TENSOR_DESC *output = quantize->OutputTensor->Desc;
    assert_int_equal(output->TotalTensorSizeInBytes, 8); /* 13 elements of half a byte */
    assert_int_equal(case_input_count(&c), 4);
    assert_int_equal(case_output_count(&c), 1);
}

static void descriptors_have_operators(void **state) {
    static struct operator_case c;
    static struct case_desc desc;
    (void)state;
    parse(gru_line, &c);
    case_build_desc(&c, &desc);
    const struct own_gru *gru = desc.op.Desc;
    assert_int_equal(gru->ActivationDescs[0].Type, DML_OPERATOR_ACTIVATION_RELU);
    assert_int_equal(gru->ActivationDescs[1].Type, DML_OPERATOR_ACTIVATION_CELU);
    const struct own_celu *celu = gru->ActivationDescs[1].Desc;
    assert_null(celu->InputTensor);
    assert_true(celu->Alpha == 0.5f);
    assert_int_equal(gru->LinearBeforeReset, 1);

    parse(add1_line, &c);
    case_build_desc(&c, &desc);
    const struct own_add1 *add1 = desc.op.Desc;
    const struct own_shrink *shrink = add1->FusedActivation->Desc;
    assert_int_equal(shrink->Mode, DML_PADDING_MODE_SYMMETRIC);
    assert_int_equal(shrink->Offsets[1], 6);
    parse("ELEMENT_WISE_ADD1 seed=1", &c);
    case_build_desc(&c, &desc);
    assert_null(add1->FusedActivation);
}

static void descriptors_have_sizes_and_arrays_of_numbers(void **state) {
    static struct operator_case c;
    static struct case_desc desc;
    (void)state;
    parse(resample_line, &c);
    case_build_desc(&c, &desc);
    const struct own_resample *resample = desc.op.Desc;
    assert_int_equal(resample->Window.Width, 7);
    assert_int_equal(resample->Window.Height, 9);
    assert_true(resample->Scales[1] == -0.5f);
    assert_int_equal(resample->Steps[0], -3);
    assert_null(resample->Offsets);
    assert_null(resample->ZeroPointTensor);
}

static void cases_can_be_put_together(void **state) {
    static struct operator_case c;
    char printed[CASE_MAX_LINE];
    (void)state;
    case_begin(&c, DML_OPERATOR_SPLIT);
    *case_tensor(&c, "InputTensor") =
        (struct case_tensor){.type = DML_TENSOR_DATA_TYPE_FLOAT32, .rank = 1, .sizes = {3}};
    case_set_uint(&c, "OutputCount", 2);
    for (uint32_t i = 0; i < 2; i++) {
        *case_array_tensor(&c, "OutputTensors", i) =
            (struct case_tensor){.type = DML_TENSOR_DATA_TYPE_FLOAT32, .rank = 1, .sizes = {i + 1}};
    }
    assert_true(case_print(&c, printed, sizeof(printed)));
    assert_string_equal(printed, "SPLIT seed=0 InputTensor=FLOAT32[3] InputTensor.fill=BITS OutputCount=2 "
                                 "OutputTensors[0]=FLOAT32[1] OutputTensors[1]=FLOAT32[2]");
    case_begin(&c, DML_OPERATOR_ELEMENT_WISE_ADD1);
    case_fused_set_float(case_fuse(&c, "FusedActivation", 0, DML_OPERATOR_ACTIVATION_CELU), "Alpha", 1.0f);
    assert_true(case_print(&c, printed, sizeof(printed)));
    assert_string_equal(printed, "ELEMENT_WISE_ADD1 seed=0 FusedActivation=CELU FusedActivation.Alpha=0x3f800000");
}

/* ---- memory ---- */

struct images {
    struct operator_case c;
    struct image_layout layout;
    unsigned char *want, *got;
};

static struct images *make_images(const char *line) {
    struct images *images = calloc(1, sizeof(*images));
    assert_non_null(images);
    parse(line, &images->c);
    image_place(&images->c, 0, 0, &images->layout);
    images->want = malloc(images->layout.size);
    images->got = malloc(images->layout.size);
    assert_true(images->want != NULL && images->got != NULL);
    image_write(&images->c, &images->layout, images->want);
    memcpy(images->got, images->want, images->layout.size);
    return images;
}

static void free_images(struct images *images) {
    free(images->want);
    free(images->got);
    free(images);
}

/* Flips bits of the image and expects the report to say so. */
static void assert_reported(struct images *images, size_t offset, unsigned char bits, const char *words) {
    char text[512] = "";
    images->got[offset] ^= bits;
    assert_true(image_difference(&images->c, &images->layout, images->got, images->want, text, sizeof(text)));
    if (strstr(text, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, words);
    }
    images->got[offset] ^= bits;
}

static void halves_of_bytes_are_elements_or_guarded(void **state) {
    (void)state;
    struct images *images = make_images(quantize_line);
    const struct image_region *output = NULL;
    for (struct case_at at = case_first(&images->c); at.tensor != NULL; at = case_next(&images->c, at)) {
        output = at.is_input ? output : &images->layout.tensors[at.slot];
    }
    assert_non_null(output);
    /* Elements 0 to 4 are at halves 0, 3, 6, 9 and 12. */
    assert_reported(images, output->offset, 0x02, "OutputTensor element 0 = [0], byte 0:");
    assert_reported(images, output->offset + 1, 0x20, "OutputTensor element 1 = [1], byte 1:");
    assert_reported(images, output->offset + 6, 0x04, "OutputTensor element 4 = [4], byte 6:");
    assert_reported(images, output->offset, 0x20, "no element's byte of OutputTensor, byte 0 ");
    assert_reported(images, output->offset + 6, 0x10, "no element's byte of OutputTensor, byte 6 ");
    image_copy_outputs(&images->c, &images->layout, images->got, images->want);
    assert_memory_equal(images->got, images->want, images->layout.size);
    memset(images->got + output->offset, 0, 8);
    memset(images->want + output->offset, 0xFF, 8);
    image_copy_outputs(&images->c, &images->layout, images->got, images->want);
    const unsigned char kept[] = {0xF0, 0x0F, 0xFF, 0xF0, 0x0F, 0xFF, 0xF0, 0xFF};
    assert_memory_equal(images->want + output->offset, kept, sizeof(kept));
    free_images(images);
}

static void tensors_of_an_array_have_places_and_data_of_their_own(void **state) {
    (void)state;
    struct images *images = make_images(quantize_line);
    size_t end = 0;
    uint32_t count = 0;
    for (struct case_at at = case_first(&images->c); at.tensor != NULL; at = case_next(&images->c, at)) {
        const struct image_region *region = &images->layout.tensors[at.slot];
        assert_true(region->offset >= end + IMAGE_GUARD);
        assert_string_equal(region->name.text, case_tensor_name(&images->c, at).text);
        end = region->offset + region->bound;
        count++;
        if (strcmp(region->name.text, "QuantizationTensors[1]") == 0) {
            assert_int_equal(images->got[region->offset], 0xF1);
            assert_int_equal(images->got[region->offset + 1] & 0xF, 0x7);
            assert_int_equal(at.binding, 2);
            assert_reported(images, region->offset, 1, "QuantizationTensors[1], byte 0 ");
        }
    }
    assert_int_equal(count, 5);
    free_images(images);
}

static void an_array_of_outputs_is_compared_tensor_by_tensor(void **state) {
    (void)state;
    struct images *images = make_images("SPLIT seed=1 InputTensor=FLOAT32[3] InputTensor.fill=BITS OutputCount=2 "
                                        "OutputTensors[0]=FLOAT32[1] OutputTensors[1]=FLOAT32[2]");
    const struct case_at second = case_next(&images->c, case_next(&images->c, case_first(&images->c)));
    assert_int_equal(second.element, 1);
    assert_reported(images, images->layout.tensors[second.slot].offset + 4, 1,
                    "OutputTensors[1] element 1 = [1], byte 4:");
    free_images(images);
}

static void nine_elements_of_4_bits_take_eight_bytes(void **state) {
    static struct operator_case c;
    (void)state;
    parse("QUANTIZE OutputTensor=INT4[9]", &c);
    assert_int_equal(case_total_bytes(&c.tensors[4]), 8);
    parse("QUANTIZE OutputTensor=INT4[8]", &c);
    assert_int_equal(case_total_bytes(&c.tensors[4]), 4);
}

static void an_output_may_be_in_place_of_two_inputs(void **state) {
    static struct operator_case c;
    struct image_layout layout;
    (void)state;
    parse(add1_line, &c);
    assert_int_equal(case_aliases(&c, 2), 3);
    image_place(&c, 0, 0, &layout);
    assert_true(layout.tensors[0].offset == layout.tensors[1].offset);
    assert_true(layout.tensors[0].offset == layout.tensors[2].offset);
    c.tensors[2].in_place = 2;
    assert_int_equal(case_aliases(&c, 2), 2);
    image_place(&c, 0, 0, &layout);
    assert_true(layout.tensors[0].offset != layout.tensors[1].offset);
    assert_true(layout.tensors[1].offset == layout.tensors[2].offset);
}

/* ---- accuracy ---- */

static void tolerances_are_the_tables(void **state) {
    static struct operator_case c;
    (void)state;
    const DML_TENSOR_DATA_TYPE half = DML_TENSOR_DATA_TYPE_FLOAT16, single = DML_TENSOR_DATA_TYPE_FLOAT32;
    const VkdmlAccuracy *celu = &own_row_find(DML_OPERATOR_ACTIVATION_CELU)->accuracy;
    assert_int_equal(accuracy_ulp(celu, single), 4);
    assert_int_equal(accuracy_ulp(celu, half), 1);
    assert_int_equal(accuracy_ulp(celu, DML_TENSOR_DATA_TYPE_INT32), 0);
    assert_int_equal(accuracy_ulp(&own_row_find(DML_OPERATOR_GRU)->accuracy, single), 0);
    parse("ACTIVATION_CELU seed=1 Alpha=1", &c);
    assert_int_equal(accuracy_of_case(&c, single), 4);
    parse("GRU seed=1 ActivationDescs[0]=CELU ActivationDescs[1]=RELU ActivationDescs[2]=CELU", &c);
    assert_int_equal(accuracy_of_case(&c, single), 8);
    assert_int_equal(accuracy_of_case(&c, half), 2);
}

static void distances_are_in_units_in_the_last_place(void **state) {
    (void)state;
    static const struct {
        DML_TENSOR_DATA_TYPE type;
        uint64_t bits;
        double exact, distance;
    } rows[] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x3F800000, 1, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x3F800002, 1, 2},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x3F800000, 1 + 0x1p-24, 0.5},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0xC0000001, -2, 1},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x00000003, 0, 3}, /* denormals are 2^-149 apart */
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x00000003, 0x1p-149, 2},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x7F800000, 0x1p128, 0}, /* nothing nearer */
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x7F800000, 1, INFINITY},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x7F7FFFFF, INFINITY, INFINITY},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x7FC00000, NAN, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, 0x7FC00000, 1, INFINITY},
        {DML_TENSOR_DATA_TYPE_FLOAT16, 0x3C01, 1, 1},
        {DML_TENSOR_DATA_TYPE_FLOAT16, 0x0001, 0, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(accuracy_distance(rows[i].type, rows[i].bits, rows[i].exact) == rows[i].distance);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_all_of_its_case),
        cmocka_unit_test(a_line_that_is_none_is_refused),
        cmocka_unit_test(descriptors_have_arrays_of_tensors),
        cmocka_unit_test(descriptors_have_operators),
        cmocka_unit_test(descriptors_have_sizes_and_arrays_of_numbers),
        cmocka_unit_test(cases_can_be_put_together),
        cmocka_unit_test(halves_of_bytes_are_elements_or_guarded),
        cmocka_unit_test(tensors_of_an_array_have_places_and_data_of_their_own),
        cmocka_unit_test(an_array_of_outputs_is_compared_tensor_by_tensor),
        cmocka_unit_test(nine_elements_of_4_bits_take_eight_bytes),
        cmocka_unit_test(an_output_may_be_in_place_of_two_inputs),
        cmocka_unit_test(tolerances_are_the_tables),
        cmocka_unit_test(distances_are_in_units_in_the_last_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
