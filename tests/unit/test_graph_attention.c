/* Attention written in parts that becomes one operator: what is made, what is not and why, and how far results are from
 * the reference's. On the machine's first Vulkan device, by the kernels of GPUs, as if it had matrix cores or had none:
 * heads are so few rows that no kernel uses them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fusion_fixture.h"
#include "one_device.h"
#include "vkdml/vkdml.h"
#include "vulkan/device.h"

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define F16 DML_TENSOR_DATA_TYPE_FLOAT16

/* Inputs of all graphs. */
enum { Q, K, V, MASK, INPUTS };

/* How the parts are written. */
struct writing {
    DML_TENSOR_DATA_TYPE type;                  /* UNKNOWN: FLOAT32 */
    enum { PACKED, BY_ROWS, SCATTERED } layout; /* heads behind one another; those of a row; neither */
    bool is_masked;
    bool is_along_columns; /* the softmax */
    bool shows_weights;    /* they are an output */
};

static const uint32_t queries[] = {2, 3, 8, 16}, keys[] = {2, 3, 20, 16}, values[] = {2, 3, 20, 12};
static const uint32_t scores[] = {2, 3, 8, 20}, results[] = {2, 3, 8, 12}, of_keys[] = {0, 0, 0, 1};
static const uint32_t last_axis[] = {3}, other_axis[] = {2};
static const uint32_t q_rows[] = {8 * 48, 16, 48, 1}, k_rows[] = {20 * 48, 16, 48, 1}, v_rows[] = {20 * 36, 12, 36, 1};
static const uint32_t out_rows[] = {8 * 36, 12, 36, 1}, q_apart[] = {8 * 50, 17, 50, 1};

static DML_TENSOR_DATA_TYPE type_of(const struct writing *writing) {
    return writing->type != DML_TENSOR_DATA_TYPE_UNKNOWN ? writing->type : F32;
}

static uint32_t scores_node(const struct writing *writing) {
    const DML_TENSOR_DATA_TYPE type = type_of(writing);
    const bool by_rows = writing->layout != PACKED;
    const uint32_t *q_strides = writing->layout == SCATTERED ? q_apart : by_rows ? q_rows : NULL;
    const DML_GEMM_OPERATOR_DESC desc = {tensor_of(type, queries, q_strides),
                                         tensor_of(type, keys, by_rows ? k_rows : NULL),
                                         NULL,
                                         tensor_of(type, scores, NULL),
                                         DML_MATRIX_TRANSFORM_NONE,
                                         DML_MATRIX_TRANSFORM_TRANSPOSE,
                                         0.25F,
                                         0,
                                         NULL};
    const uint32_t product = node(DML_OPERATOR_GEMM, &desc, "scores");
    graph_input(&graph, Q, product, 0);
    graph_input(&graph, K, product, 1);
    if (!writing->is_masked) {
        return product;
    }
    const uint32_t sum =
        add_node(tensor_of(type, scores, NULL), tensor_of(type, scores, of_keys), tensor_of(type, scores, NULL));
    graph_join(&graph, product, 0, sum, 0);
    graph_input(&graph, MASK, sum, 1);
    return sum;
}

static void begin_written(const struct writing *writing) {
    const DML_TENSOR_DATA_TYPE type = type_of(writing);
    const bool by_rows = writing->layout != PACKED;
    begin(INPUTS, writing->shows_weights ? 2 : 1);
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC powers = {tensor_of(type, scores, NULL), tensor_of(type, scores, NULL),
                                                          1, writing->is_along_columns ? other_axis : last_axis};
    const uint32_t softmax = node(DML_OPERATOR_ACTIVATION_SOFTMAX1, &powers, "softmax");
    graph_join(&graph, scores_node(writing), 0, softmax, 0);
    const DML_GEMM_OPERATOR_DESC desc = {tensor_of(type, scores, NULL),
                                         tensor_of(type, values, by_rows ? v_rows : NULL),
                                         NULL,
                                         tensor_of(type, results, by_rows ? out_rows : NULL),
                                         DML_MATRIX_TRANSFORM_NONE,
                                         DML_MATRIX_TRANSFORM_NONE,
                                         1,
                                         0,
                                         NULL};
    const uint32_t sums = node(DML_OPERATOR_GEMM, &desc, "sums");
    graph_join(&graph, softmax, 0, sums, 0);
    graph_input(&graph, V, sums, 1);
    graph_output(&graph, sums, 0, 0);
    if (writing->shows_weights) {
        graph_output(&graph, softmax, 0, 1);
    }
}

#define HALF_ALLOWED DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION

static void pretend_cores(uint32_t subgroup_size) {
    device->limits.matrix_cores = (struct vkdml_matrix_cores){16, 16, 16, subgroup_size};
}

/* That many nodes, and a note, of such a graph where half precision is allowed. The graph ends. */
static void check_halves(const struct writing *writing, uint32_t nodes, const char *note) {
    struct writing of_halves = *writing;
    of_halves.type = F16;
    begin_written(&of_halves);
    const uint32_t left = fuse(HALF_ALLOWED);
    if (left != nodes || strstr(notes_text, note) == NULL) {
        fail_msg("%u nodes, must be %u; notes must have \"%s\":\n%s", (unsigned)left, (unsigned)nodes, note,
                 notes_text);
    }
    agree_about(F16);
}

static void all_layouts_become_one_operator(void **state) {
    (void)state;
    pretend_cores(32);
    for (uint32_t layout = PACKED; layout <= BY_ROWS; layout++) {
        for (uint32_t is_masked = 0; is_masked < 2; is_masked++) {
            check_halves(&(struct writing){.layout = layout, .is_masked = is_masked != 0}, 1,
                         "(softmax) is fused into");
        }
    }
}

static void halves_stay_but_where_rounding_allows(void **state) {
    (void)state;
    pretend_cores(32);
    begin_written(&(struct writing){.type = F16});
    assert_nodes(3, "FLOAT16 between its parts would not be rounded");
    graph_end(&graph);
}

static void what_does_not_pay_stays(void **state) {
    (void)state;
    pretend_cores(32);
    begin_written(&(struct writing){.type = F32});
    assert_nodes(3, "faster as one of FLOAT16 on matrix cores alone");
    agree_about(F32);
    pretend_cores(0);
    check_halves(&(struct writing){.layout = PACKED}, 3, "faster as one of FLOAT16 on matrix cores alone");
}

static void what_is_no_attention_stays(void **state) {
    (void)state;
    pretend_cores(32);
    check_halves(&(struct writing){.is_along_columns = true}, 3, "");
    check_halves(&(struct writing){.layout = SCATTERED}, 3, "whose heads lie as no strides say");
}

static void weights_that_are_an_output_stay(void **state) {
    (void)state;
    pretend_cores(32);
    check_halves(&(struct writing){.shows_weights = true}, 3, "");
}

/* ---- casts around the operator ---- */

enum { BIAS = 6, PAST_KEY = 9, PAST_VALUE };

/* What there is beside queries, keys and values. */
struct casting {
    bool has_bias, has_past;
    bool keeps_float;   /* the result is not cast back */
    bool takes_float;   /* neither are the queries cast */
    bool shares_values; /* .. which are the keys: one cast is read twice */
};

static const uint32_t query_rows[] = {2, 8, 48}, key_rows[] = {2, 20, 48}, past_rows[] = {2, 3, 5, 16},
                      present_rows[] = {2, 3, 25, 16}, bias_row[] = {1, 1, 144};

/* Casts of graph input `input` to inputs of a node; the cast. */
static uint32_t cast_before(uint32_t input, uint32_t rank, const uint32_t *sizes, uint32_t to, uint32_t to_input) {
    const uint32_t cast = cast_node(ranked(F16, rank, sizes, NULL), ranked(F32, rank, sizes, NULL));
    graph_input(&graph, input, cast, 0);
    graph_join(&graph, cast, 0, to, to_input);
    return cast;
}

static void cast_behind(uint32_t rank, const uint32_t *sizes, uint32_t from, uint32_t output) {
    const uint32_t cast = cast_node(ranked(F32, rank, sizes, NULL), ranked(F16, rank, sizes, NULL));
    graph_join(&graph, from, output, cast, 0);
    graph_output(&graph, cast, 0, output);
}

static void begin_cast(const struct casting *how) {
    begin(6, how->has_past ? 3 : 1);
    const DML_TENSOR_DESC *past = how->has_past ? ranked(F32, 4, past_rows, NULL) : NULL;
    const DML_TENSOR_DESC *present = how->has_past ? ranked(F32, 4, present_rows, NULL) : NULL;
    const DML_MULTIHEAD_ATTENTION_OPERATOR_DESC desc = {
        .QueryTensor = ranked(F32, 3, query_rows, NULL),
        .KeyTensor = ranked(F32, 3, key_rows, NULL),
        .ValueTensor = ranked(F32, 3, key_rows, NULL),
        .BiasTensor = how->has_bias ? ranked(F32, 3, bias_row, NULL) : NULL,
        .PastKeyTensor = past,
        .PastValueTensor = past,
        .OutputTensor = ranked(F32, 3, query_rows, NULL),
        .OutputPresentKeyTensor = present,
        .OutputPresentValueTensor = present,
        .Scale = 0.25F,
        .HeadCount = 3,
        .MaskType = DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE,
    };
    const uint32_t attention = node(DML_OPERATOR_MULTIHEAD_ATTENTION, &desc, "attention");
    if (how->takes_float) {
        graph_input(&graph, Q, attention, Q);
    } else {
        cast_before(Q, 3, query_rows, attention, Q);
    }
    const uint32_t keys_cast = cast_before(K, 3, key_rows, attention, K);
    if (how->shares_values) {
        graph_join(&graph, keys_cast, 0, attention, V);
    } else {
        cast_before(V, 3, key_rows, attention, V);
    }
    if (how->has_bias) {
        cast_before(3, 3, bias_row, attention, BIAS);
    }
    if (how->has_past) {
        cast_before(4, 4, past_rows, attention, PAST_KEY);
        cast_before(5, 4, past_rows, attention, PAST_VALUE);
        cast_behind(4, present_rows, attention, 1);
        cast_behind(4, present_rows, attention, 2);
    }
    if (how->keeps_float) {
        graph_output(&graph, attention, 0, 0);
    } else {
        cast_behind(3, query_rows, attention, 0);
    }
}

static void check_casts(const struct casting *how, DML_EXECUTION_FLAGS flags, uint32_t nodes, const char *note) {
    begin_cast(how);
    const uint32_t left = fuse(flags);
    if (left != nodes || strstr(notes_text, note) == NULL) {
        fail_msg("%u nodes, must be %u; notes must have \"%s\":\n%s", (unsigned)left, (unsigned)nodes, note,
                 notes_text);
    }
    if (how->keeps_float) {
        graph_end(&graph);
    } else if (flags == HALF_ALLOWED) {
        agree_about(F16);
    } else {
        agree_nearly(F16);
    }
}

static void casts_around_attention_go(void **state) {
    (void)state;
    check_casts(&(struct casting){.has_past = false}, DML_EXECUTION_FLAG_NONE, 1, "is fused into");
    check_casts(&(struct casting){.has_past = true}, DML_EXECUTION_FLAG_NONE, 1, "is fused into");
    check_casts(&(struct casting){.shares_values = true}, DML_EXECUTION_FLAG_NONE, 1, "is fused into");
    check_casts(&(struct casting){.has_bias = true, .has_past = true}, HALF_ALLOWED, 1, "is fused into");
}

static void casts_that_round_stay(void **state) {
    (void)state;
    check_casts(&(struct casting){.has_bias = true}, DML_EXECUTION_FLAG_NONE, 6, "would be rounded once more");
    check_casts(&(struct casting){.keeps_float = true}, DML_EXECUTION_FLAG_NONE, 4, "");
    begin_cast(&(struct casting){.takes_float = true});
    assert_nodes(4, NULL);
    graph_end(&graph);
    pretend_cores(32);
    check_casts(&(struct casting){.has_bias = false}, DML_EXECUTION_FLAG_NONE, 5, "probabilities would be rounded");
}

static void casts_leak_nothing_where_memory_ends(void **state) {
    (void)state;
    begin_cast(&(struct casting){.has_past = true});
    assert_no_leaks();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_layouts_become_one_operator), TEST(halves_stay_but_where_rounding_allows),
        TEST(what_does_not_pay_stays),         TEST(what_is_no_attention_stays),
        TEST(weights_that_are_an_output_stay), TEST(casts_around_attention_go),
        TEST(casts_that_round_stay),           TEST(casts_leak_nothing_where_memory_ends),
    };
    return cmocka_run_group_tests_name("graph_attention", tests, set_up_vulkan, tear_down_vulkan);
}
