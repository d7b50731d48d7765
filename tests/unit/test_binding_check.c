/* What may lie in one place: bindings of a dispatchable made by hand, held to one another without a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vulkan/binding_table.h"

enum { OUTPUT, TEMPORARY, PERSISTENT, A, B, C, POINT_COUNT };

/* One output that may be bound in place of the inputs A and B but not C; B lies otherwise than the output. */
struct bound {
    struct vkdml_bind_point points[POINT_COUNT];
    VkdmlBufferBinding bindings[POINT_COUNT];
    struct VkdmlDispatchable_T dispatchable;
    struct VkdmlBindingTable_T table;
    struct vkdml_taken taken[POINT_COUNT];
};

static VkdmlBufferBinding range(uint64_t offset) {
    static int buffer;
    return (VkdmlBufferBinding){.buffer = (VkBuffer)(uintptr_t)&buffer, .offset = offset, .size = 64};
}

static void make_bound(struct bound *bound) {
    static const char *const names[POINT_COUNT] = {"OutputTensor", "TemporaryResource", "PersistentResource",
                                                   "ATensor",      "BTensor",           "CTensor"};
    *bound = (struct bound){
        .dispatchable = {.output_count = 1, .input_count = 3, .points = bound->points},
        .table = {.dispatchable = &bound->dispatchable, .bindings = bound->bindings, .taken = bound->taken}};
    for (uint32_t i = 0; i < POINT_COUNT; i++) {
        const bool is_tensor = i != TEMPORARY && i != PERSISTENT;
        bound->points[i] = (struct vkdml_bind_point){
            .name = names[i], .element = VKDML_NO_INDEX, .operator_index = VKDML_NO_INDEX, .bytes = is_tensor ? 64 : 0};
        bound->bindings[i] = is_tensor ? range(UINT64_C(256) * i) : (VkdmlBufferBinding){.buffer = VK_NULL_HANDLE};
    }
    bound->points[OUTPUT].aliases.may = 1u << 0 | 1u << 1;
    bound->points[OUTPUT].aliases.same_layouts = 1u << 0;
}

static void expect(const struct bound *bound, const char *lines) {
    struct vkdml_report report;
    vkdml_report_clear(&report);
    const VkdmlResult result = vkdml_binding_table_check(&bound->table, &report);
    assert_string_equal(report.text, lines);
    assert_int_equal(result, lines[0] != '\0' ? VKDML_ERROR_INVALID_ARGUMENT : VKDML_SUCCESS);
}

static void inputs_may_lie_in_one_place(void **state) {
    (void)state;
    struct bound bound;
    make_bound(&bound);
    expect(&bound, "");
    bound.bindings[A] = bound.bindings[B] = bound.bindings[C] = range(4096);
    expect(&bound, "");
}

static void an_output_may_lie_where_any_input_is_that_the_table_names_and_that_lies_as_it_does(void **state) {
    (void)state;
    struct bound bound;
    make_bound(&bound);
    bound.bindings[OUTPUT] = bound.bindings[A];
    expect(&bound, "");
    bound.bindings[A] = range(8192);
    bound.bindings[OUTPUT] = bound.bindings[B];
    expect(&bound,
           "OutputTensor: bytes 1024 to 1088 of its buffer overlap BTensor at 1024 to 1088, must be disjoint (in "
           "place needs the same sizes, strides and type)");
    bound.points[OUTPUT].aliases.same_layouts |= 1u << 1;
    expect(&bound, "");
    bound.bindings[A] = bound.bindings[B];
    expect(&bound, "");
    bound.bindings[A] = range(1024 + 16);
    expect(&bound,
           "OutputTensor: bytes 1024 to 1088 of its buffer overlap ATensor at 1040 to 1104, must be disjoint (in "
           "place needs the same first byte)");
}

static void an_output_may_not_lie_where_another_input_is(void **state) {
    (void)state;
    struct bound bound;
    make_bound(&bound);
    bound.bindings[OUTPUT] = bound.bindings[C];
    expect(&bound, "OutputTensor: bytes 1280 to 1344 of its buffer overlap CTensor at 1280 to 1344, must be disjoint");
}

/* In bits: 1 << i for input i. */
static uint32_t overlapped(const struct bound *bound) {
    uint32_t inputs[3] = {0}, bits = 0;
    const uint32_t count = vkdml_binding_table_overlapped(&bound->table, 3, inputs);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(i == 0 || inputs[i - 1] < inputs[i]);
        bits |= 1u << inputs[i];
    }
    return bits;
}

static void inputs_that_an_output_overlaps_are_listed_unless_it_may_run_in_place(void **state) {
    (void)state;
    struct bound bound;
    make_bound(&bound);
    assert_int_equal(overlapped(&bound), 0);
    bound.bindings[OUTPUT] = bound.bindings[A];
    assert_int_equal(overlapped(&bound), 0);
    bound.bindings[A] = range(bound.bindings[A].offset + 16); /* the end of one, the start of the other */
    assert_int_equal(overlapped(&bound), 1u << 0);
    bound.bindings[OUTPUT] = bound.bindings[C] = bound.bindings[B];
    assert_int_equal(overlapped(&bound), 1u << 1 | 1u << 2);
    bound.bindings[OUTPUT].offset = bound.bindings[B].offset + 64; /* right after it */
    assert_int_equal(overlapped(&bound), 0);
    bound.bindings[OUTPUT] = bound.bindings[C];
    bound.bindings[C].buffer = VK_NULL_HANDLE;
    bound.bindings[B] = range(8192);
    assert_int_equal(overlapped(&bound), 0);
    bound.points[TEMPORARY].bytes = 64;
    bound.bindings[TEMPORARY] = bound.bindings[A];
    assert_int_equal(overlapped(&bound), 0); /* no copy of A would help */
}

static void overlapped_inputs_are_counted_beyond_the_room_for_them(void **state) {
    (void)state;
    struct bound bound;
    uint32_t inputs[3] = {7, 7, 7};
    make_bound(&bound);
    bound.bindings[OUTPUT] = bound.bindings[B] = bound.bindings[C];
    assert_int_equal(vkdml_binding_table_overlapped(&bound.table, 1, inputs), 2);
    assert_int_equal(inputs[0], 1);
    assert_int_equal(inputs[1], 7);
    assert_int_equal(vkdml_binding_table_overlapped(&bound.table, 0, NULL), 2);
}

static void tensors_of_arrays_are_told_by_their_index(void **state) {
    (void)state;
    struct bound bound;
    make_bound(&bound);
    bound.points[B].element = 3;
    bound.points[C].element = 65535;
    bound.points[C].operator_index = UINT32_MAX - 1;
    bound.bindings[B].buffer = VK_NULL_HANDLE;
    bound.bindings[C].buffer = VK_NULL_HANDLE;
    expect(&bound, "BTensor[3]: nothing is bound, must be a buffer of at least 64 bytes\n"
                   "operators[4294967294].CTensor[65535]: nothing is bound, must be a buffer of at least 64 bytes");
}

/* ---- many ---- */

static uint64_t compared; /* pairs */

bool __real_vkdml_places_overlap(const struct vkdml_place *a, const struct vkdml_place *b);
bool __wrap_vkdml_places_overlap(const struct vkdml_place *a, const struct vkdml_place *b);

bool __wrap_vkdml_places_overlap(const struct vkdml_place *a, const struct vkdml_place *b) {
    compared++;
    return __real_vkdml_places_overlap(a, b);
}

/* Outputs in any order, and inputs that all lie in one place: work grows with their number, not with its square. */
static void many_tensors_are_not_held_each_to_each(void **state) {
    enum { OUTPUTS = 4096, INPUTS = 4096, COUNT = OUTPUTS + 2 + INPUTS };
    static struct vkdml_bind_point points[COUNT];
    static VkdmlBufferBinding bindings[COUNT];
    static struct vkdml_taken taken[OUTPUTS + 2];
    struct VkdmlDispatchable_T dispatchable = {.output_count = OUTPUTS, .input_count = INPUTS, .points = points};
    struct bound bound = {.table = {.dispatchable = &dispatchable, .bindings = bindings, .taken = taken}};
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        const bool is_tensor = i < OUTPUTS || i >= OUTPUTS + 2, is_output = i < OUTPUTS;
        points[i] = (struct vkdml_bind_point){.name = is_output ? "Outputs" : "Inputs",
                                              .element = is_output ? i : i - OUTPUTS - 2,
                                              .operator_index = VKDML_NO_INDEX,
                                              .bytes = is_tensor ? 64 : 0};
        if (is_tensor) {
            bindings[i] = range(is_output ? UINT64_C(64) * (i * 2731 % OUTPUTS) : UINT64_C(64) * OUTPUTS);
        }
    }
    compared = 0;
    expect(&bound, "");
    assert_in_range(compared, OUTPUTS, 32 * COUNT);
    bindings[COUNT - 1] = bindings[7];
    uint32_t input = 0;
    compared = 0;
    assert_int_equal(vkdml_binding_table_overlapped(&bound.table, 1, &input), 1);
    assert_int_equal(input, INPUTS - 1);
    assert_in_range(compared, OUTPUTS, 32 * COUNT);
    expect(&bound, "Outputs[7]: bytes 174912 to 174976 of its buffer overlap Inputs[4095] at 174912 to 174976, must be "
                   "disjoint");
    bindings[4000].offset = bindings[9].offset + 16;
    expect(
        &bound,
        "Outputs[9]: bytes 192 to 256 of its buffer overlap Outputs[4000] at 208 to 272, must be disjoint\n"
        "Outputs[12]: bytes 256 to 320 of its buffer overlap Outputs[4000] at 208 to 272, must be disjoint\n"
        "Outputs[7]: bytes 174912 to 174976 of its buffer overlap Inputs[4095] at 174912 to 174976, must be disjoint");
    assert_int_equal(vkdml_binding_table_overlapped(&bound.table, 1, &input), 1);
    assert_int_equal(input, INPUTS - 1); /* also where outputs overlap each other */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_may_lie_in_one_place),
        cmocka_unit_test(an_output_may_lie_where_any_input_is_that_the_table_names_and_that_lies_as_it_does),
        cmocka_unit_test(an_output_may_not_lie_where_another_input_is),
        cmocka_unit_test(inputs_that_an_output_overlaps_are_listed_unless_it_may_run_in_place),
        cmocka_unit_test(overlapped_inputs_are_counted_beyond_the_room_for_them),
        cmocka_unit_test(tensors_of_arrays_are_told_by_their_index),
        cmocka_unit_test(many_tensors_are_not_held_each_to_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
