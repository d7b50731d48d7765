/* Activations that networks write in parts: each becomes one step or two, with the bits that its parts have one by one.
 * On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fusion_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16

static DML_TENSOR_DATA_TYPE type;

static const DML_TENSOR_DESC *whole(void) {
    return TENSOR(type, 2, 3, 5, 20);
}

/* ---- parts: which node, output 0 of which they read; input 0 of the graph is NONE ---- */

#define NONE UINT32_MAX

static uint32_t feed(uint32_t to, uint32_t input, uint32_t from) {
    if (from == NONE) {
        graph_input(&graph, 0, to, input);
    } else {
        graph_join(&graph, from, 0, to, input);
    }
    return to;
}

static uint32_t linear(uint32_t of, float scale, float bias) {
    const DML_SCALE_BIAS scale_bias = {scale, bias};
    return feed(identity_node(whole(), whole(), &scale_bias), 0, of);
}

static uint32_t product(uint32_t a, uint32_t b) {
    const DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC desc = {whole(), whole(), whole()};
    return feed(feed(node(DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &desc, "product"), 0, a), 1, b);
}

static uint32_t sum(uint32_t a, uint32_t b) {
    return feed(feed(add_node(whole(), whole(), whole()), 0, a), 1, b);
}

/* A number for all elements. */
static const DML_TENSOR_DESC *number(void) {
    return STRIDED(type, SIZES(2, 3, 5, 20), SIZES(0, 0, 0, 0));
}

/* By a constant. */
static uint32_t multiple(uint32_t of, const void *constant) {
    const DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC desc = {whole(), number(), whole()};
    return feed(feed(node(DML_OPERATOR_ELEMENT_WISE_MULTIPLY, &desc, "multiple"), 0, of), 1,
                graph_constant(&graph, constant, 4, "number"));
}

static uint32_t error_function(uint32_t of) {
    const DML_ELEMENT_WISE_ERF_OPERATOR_DESC desc = {whole(), whole(), NULL};
    return feed(node(DML_OPERATOR_ELEMENT_WISE_ERF, &desc, "erf"), 0, of);
}

static uint32_t cube(uint32_t of) {
    const DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC desc = {whole(), whole(), NULL, 3};
    return feed(node(DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW, &desc, "cube"), 0, of);
}

static uint32_t activation(DML_OPERATOR_TYPE of_type, uint32_t of) {
    return feed(activation_node(of_type, whole(), whole()), 0, of);
}

/* 1 / 2 in both types. */
static const float halves[] = {0.5F};
static const uint16_t halves_of_halves[] = {0x3800, 0};

static uint32_t half_of(uint32_t of) {
    return multiple(of, type == F32 ? (const void *)halves : (const void *)halves_of_halves);
}

/* ---- activations ---- */

static uint32_t gelu_by_erf(void) {
    return half_of(product(NONE, linear(error_function(linear(NONE, 0.70710678F, 0)), 1, 1)));
}

static uint32_t gelu_by_erf_halved_first(void) {
    return product(half_of(NONE), linear(error_function(linear(NONE, 0.70710678F, 0)), 1, 1));
}

/* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
static uint32_t gelu_by_tanh(void) {
    const uint32_t inner = linear(sum(NONE, linear(cube(NONE), 0.044715F, 0)), 0.79788456F, 0);
    return product(half_of(NONE), linear(activation(DML_OPERATOR_ACTIVATION_TANH, inner), 1, 1));
}

static uint32_t gelu_by_tanh_of_products(void) {
    const uint32_t cubed = product(NONE, product(NONE, NONE));
    const uint32_t inner = linear(sum(NONE, linear(cubed, 0.044715F, 0)), 0.79788456F, 0);
    return half_of(product(NONE, linear(activation(DML_OPERATOR_ACTIVATION_TANH, inner), 1, 1)));
}

/* x sigmoid(1.702 x) */
static uint32_t gelu_by_sigmoid(void) {
    return product(NONE, activation(DML_OPERATOR_ACTIVATION_SIGMOID, linear(NONE, 1.702F, 0)));
}

static uint32_t silu(void) {
    return product(NONE, activation(DML_OPERATOR_ACTIVATION_SIGMOID, NONE));
}

static uint32_t silu_turned(void) {
    return product(activation(DML_OPERATOR_ACTIVATION_SIGMOID, NONE), NONE);
}

static uint32_t six_error_functions(void) {
    uint32_t last = NONE;
    for (uint32_t i = 0; i < 6; i++) {
        last = error_function(last);
    }
    return last;
}

/* A program has eight instructions: of nine nodes there are two. Four of them may compute long. */
static const struct {
    const char *name;
    uint32_t (*build)(void);
    uint32_t steps;
} written[] = {{"erf", gelu_by_erf, 1},
               {"erf, halved first", gelu_by_erf_halved_first, 1},
               {"tanh", gelu_by_tanh, 1},
               {"tanh of products", gelu_by_tanh_of_products, 2},
               {"sigmoid of 1.702 x", gelu_by_sigmoid, 1},
               {"silu", silu, 1},
               {"silu, turned", silu_turned, 1},
               {"six of erf", six_error_functions, 2}};

static void check(DML_TENSOR_DATA_TYPE of_type) {
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        type = of_type;
        begin(1, 1);
        graph_output(&graph, written[i].build(), 0, 0);
        const uint32_t steps = count_steps(0);
        if (steps != written[i].steps) {
            fail_msg("%s: %u steps, must be %u", written[i].name, (unsigned)steps, (unsigned)written[i].steps);
        }
        agree(of_type);
    }
}

static void activations_in_parts_are_joined(void **state) {
    (void)state;
    check(F32);
}

static void halves_too(void **state) {
    (void)state;
    check(F16);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(activations_in_parts_are_joined), TEST(halves_too)};
    return cmocka_run_group_tests_name("graph_activations", tests, set_up_vulkan, tear_down_vulkan);
}
