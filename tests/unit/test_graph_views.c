/* Graphs whose nodes only move elements. On the machine's first Vulkan device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph_execution.h"
#include "one_device.h"

/* ---- views ---- */

static const uint32_t square[4] = {1, 1, 16, 16}, row[4] = {1, 1, 1, 16}, half_square[4] = {1, 1, 8, 16};

static void check_taken(void) {
    begin_graph(2, 2);
    const uint32_t first = shrink_node(square), halves = split_node(square, 2),
                   one = slice_node(square, (uint32_t[4]){0, 0, 5, 0}, row);
    const uint32_t a = shrink_node(half_square), b = add_node(half_square), c = relu_node(row),
                   same = identity_node(half_square);
    feed(0, first, 0, square);
    JOIN({first, 0, halves, 0}, {first, 0, one, 0}, {halves, 0, a, 0}, {halves, 1, same, 0}, {same, 0, b, 0},
         {a, 0, b, 1}, {one, 0, c, 0});
    yield_as(b, 0, 0, half_square);
    yield_as(c, 0, 1, row);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 4); /* neither SPLIT, SLICE nor IDENTITY */
    assert_int_equal(cost.barriers, 2);
    assert_int_equal(cost.temporary_bytes, 1024 + 512);
}

static void what_is_taken_out_is_read_where_it_lies(void **state) {
    (void)state;
    on_each_device(check_taken);
}

static void check_put(void) {
    static const uint32_t parts[3][4] = {{1, 1, 8, 16}, {1, 1, 1, 16}, {1, 1, 3, 16}};
    static const uint32_t whole[4] = {1, 1, 12, 16};
    begin_graph(1, 1);
    const uint32_t a = shrink_node(parts[0]), b = slice_node(parts[0], (uint32_t[4]){0, 0, 3, 0}, parts[1]);
    const uint32_t c = slice_node(parts[0], (uint32_t[4]){0, 0, 2, 0}, parts[2]);
    const uint32_t b1 = shrink_node(parts[1]), c1 = shrink_node(parts[2]), all = join_node(parts, 3, 2),
                   last = relu_node(whole);
    feed(0, a, 0, parts[0]);
    JOIN({a, 0, b, 0}, {a, 0, c, 0}, {b, 0, b1, 0}, {c, 0, c1, 0}, {a, 0, all, 0}, {b1, 0, all, 1}, {c1, 0, all, 2},
         {all, 0, last, 0});
    yield_as(last, 0, 0, whole);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 4);
    assert_int_equal(cost.barriers, 2);
    assert_int_equal(cost.temporary_bytes, 768);
}

static void what_is_joined_is_written_where_it_is_to_lie(void **state) {
    (void)state;
    on_each_device(check_put);
}

static void check_outputs(void) {
    static const uint32_t parts[2][4] = {{1, 1, 8, 16}, {1, 1, 8, 16}};
    begin_graph(2, 3);
    const uint32_t a = shrink_node(parts[0]), b = relu_node(parts[1]), all = join_node(parts, 2, 2),
                   back = slice_node(square, (uint32_t[4]){0, 0, 4, 0}, half_square);
    const uint32_t c = shrink_node(square), same = identity_node(square), d = shrink_node(half_square);
    feed(0, a, 0, parts[0]);
    feed(1, b, 0, parts[1]);
    JOIN({a, 0, all, 0}, {b, 0, all, 1}, {all, 0, back, 0}, {back, 0, d, 0}, {all, 0, c, 0}, {c, 0, same, 0});
    yield_as(all, 0, 0, square);
    yield_as(same, 0, 1, square);
    yield_as(d, 0, 2, half_square);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 4);
    assert_int_equal(cost.temporary_bytes, 0); /* all lies in outputs */
}

static void outputs_are_written_in_parts_and_read_back(void **state) {
    (void)state;
    on_each_device(check_outputs);
}

/* What must be copied after all: an input of the graph, a value that is put twice, columns, what begins at 8 bytes, and
 * what is an output itself. */
static void check_copied(void) {
    static const uint32_t parts[4][4] = {{1, 1, 8, 16}, {1, 1, 8, 16}, {1, 1, 8, 16}, {1, 1, 8, 16}};
    static const uint32_t whole[4] = {1, 1, 32, 16}, pair[4] = {1, 1, 1, 2}, column[4] = {1, 1, 16, 8};
    begin_graph(2, 4);
    const uint32_t a = shrink_node(parts[0]), b = relu_node(parts[1]), all = join_node(parts, 4, 2),
                   last = relu_node(whole);
    const uint32_t odd = slice_node(half_square, (uint32_t[4]){0, 0, 0, 2}, pair), odd_last = relu_node(pair);
    const uint32_t part = slice_node(whole, (uint32_t[4]){0, 0, 16, 0}, square);
    const uint32_t wide = shrink_node(square), columns = split_node(square, 3), sum = add_node(column);
    feed(0, a, 0, parts[0]);
    feed(1, b, 0, parts[1]);
    graph_join(&graph, a, 0, all, 0);
    feed(1, all, 1, parts[1]);
    JOIN({b, 0, all, 2}, {b, 0, all, 3}, {all, 0, last, 0}, {a, 0, odd, 0}, {odd, 0, odd_last, 0}, {last, 0, part, 0},
         {part, 0, wide, 0}, {wide, 0, columns, 0}, {columns, 0, sum, 0}, {columns, 1, sum, 1});
    yield_as(last, 0, 0, whole);
    yield_as(odd_last, 0, 1, pair);
    yield_as(sum, 0, 2, column);
    yield_as(a, 0, 3, parts[0]);
    agree();
}

static void what_lies_otherwise_is_copied(void **state) {
    (void)state;
    on_each_device(check_copied);
}

/* Rows of 64 bytes that another order of dimensions puts elsewhere. */
static uint32_t heads_node(void) {
    static const uint32_t sizes[4] = {1, 4, 8, 16}, strides[4] = {512, 16, 64, 1};
    const DML_BUFFER_TENSOR_DESC buffers[2] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, strides, 2048, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, 2048, 0}};
    const DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &buffers[0]}, out = {DML_TENSOR_TYPE_BUFFER, &buffers[1]};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&in, &out, NULL};
    return operator_node(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc, "heads");
}

/* The products of all pairs of rows, by head. */
static uint32_t scores_node(void) {
    static const uint32_t sizes[4] = {1, 4, 8, 16}, scores[4] = {1, 4, 8, 8};
    const DML_BUFFER_TENSOR_DESC buffers[2] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, NULL, 2048, 0},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, scores, NULL, 1024, 0}};
    const DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &buffers[0]}, out = {DML_TENSOR_TYPE_BUFFER, &buffers[1]};
    const DML_GEMM_OPERATOR_DESC desc = {
        &in, &in, NULL, &out, DML_MATRIX_TRANSFORM_NONE, DML_MATRIX_TRANSFORM_TRANSPOSE, 1, 0, NULL};
    return operator_node(DML_OPERATOR_GEMM, &desc, "scores");
}

static void check_strided(void) {
    static const uint32_t all[4] = {1, 4, 8, 16}, scores[4] = {1, 4, 8, 8};
    static const uint32_t wide[4] = {1, 1, 16, 64}, half[4] = {1, 1, 16, 32};
    begin_graph(3, 3);
    const uint32_t a = shrink_node(all), q = heads_node(), k = heads_node(), s = scores_node(), b = relu_node(all);
    const uint32_t c = shrink_node(wide), columns = split_node(wide, 3), sum = add_node(half);
    feed(0, a, 0, all);
    graph_join(&graph, a, 0, q, 0);
    feed(1, k, 0, all);
    JOIN({q, 0, s, 0}, {k, 0, s, 1}, {q, 0, b, 0});
    feed(2, c, 0, wide);
    JOIN({c, 0, columns, 0}, {columns, 1, sum, 0}, {columns, 0, sum, 1});
    yield_as(s, 0, 0, scores);
    yield_as(b, 0, 1, all);
    yield_as(sum, 0, 2, half);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 5); /* neither IDENTITY nor SPLIT */
    assert_int_equal(cost.barriers, 1);
    assert_int_equal(cost.temporary_bytes, 2048 + 4096);
}

static void maps_and_products_read_rows_where_they_lie(void **state) {
    (void)state;
    on_each_device(check_strided);
}

/* A map behind a map, which are one program. */
static uint32_t relus_behind(uint32_t from, uint32_t output, const uint32_t sizes[4]) {
    const uint32_t first = relu_node(sizes), second = relu_node(sizes);
    graph_join(&graph, from, output, first, 0);
    graph_join(&graph, first, 0, second, 0);
    return second;
}

/* Of columns, which SPLIT would move; and over what it alone reads. */
static void check_programs(void) {
    static const uint32_t wide[4] = {1, 1, 16, 64}, half[4] = {1, 1, 16, 32};
    begin_graph(2, 3);
    const uint32_t a = shrink_node(wide), columns = split_node(wide, 3), b = shrink_node(square);
    feed(0, a, 0, wide);
    graph_join(&graph, a, 0, columns, 0);
    yield_as(relus_behind(columns, 0, half), 0, 0, half);
    yield_as(relus_behind(columns, 1, half), 0, 1, half);
    feed(1, b, 0, square);
    const uint32_t over = relus_behind(b, 0, square), last = shrink_node(square);
    graph_join(&graph, over, 0, last, 0);
    yield_as(last, 0, 2, square);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 6); /* not SPLIT */
    assert_int_equal(cost.barriers, 2);
    assert_int_equal(cost.temporary_bytes, 4096 + 1024);
}

static void programs_read_and_write_where_maps_would(void **state) {
    (void)state;
    on_each_device(check_programs);
}

/* A part of 64 bytes that is there eight levels before one of 8064 is copied: else these would be taken all the time.
 */
static void check_small_and_early(void) {
    static const uint32_t small[4] = {1, 1, 1, 16}, large[4] = {1, 1, 125, 16}, wide[4] = {1, 1, 126, 16};
    static const uint32_t parts[2][4] = {{1, 1, 1, 16}, {1, 1, 125, 16}};
    begin_graph(2, 2);
    const uint32_t early = shrink_node(small), all = join_node(parts, 2, 2), last = relu_node(wide);
    uint32_t before = shrink_node(large);
    feed(0, early, 0, small);
    feed(1, before, 0, large);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t next = shrink_node(large);
        graph_join(&graph, before, 0, next, 0);
        before = next;
    }
    const uint32_t other = relu_node(small);
    JOIN({early, 0, other, 0}, {early, 0, all, 0}, {before, 0, all, 1}, {all, 0, last, 0});
    yield_as(last, 0, 0, wide);
    yield_as(other, 0, 1, small);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 1 + 9 + 1 + 1 + 1);
    assert_int_equal(cost.temporary_bytes, 2 * 8192 + 256);
}

static void small_parts_that_come_early_are_copied(void **state) {
    (void)state;
    on_each_device(check_small_and_early);
}

/* A block of DenseNet: each layer reads all before it, joined. */
static void check_dense(void) {
    uint32_t parts[2][4] = {{1, 4, 8, 8}, {1, 4, 8, 8}}, sizes[4] = {1, 4, 8, 8};
    static const uint32_t begun[4] = {1, 4, 8, 8};
    begin_graph(1, 1);
    uint32_t before = shrink_node(begun);
    feed(0, before, 0, begun);
    for (uint32_t layer = 0; layer < 5; layer++) {
        const uint32_t reads = shrink_node(sizes), taken = slice_node(sizes, (uint32_t[4]){0, layer, 0, 0}, begun);
        const uint32_t grown = relu_node(begun), all = join_node((const uint32_t(*)[4])parts, 2, 1);
        graph_join(&graph, before, 0, reads, 0);
        graph_join(&graph, reads, 0, taken, 0);
        graph_join(&graph, taken, 0, grown, 0);
        graph_join(&graph, before, 0, all, 0);
        graph_join(&graph, grown, 0, all, 1);
        sizes[1] += 4;
        parts[0][1] = sizes[1];
        before = all;
    }
    const uint32_t last = relu_node(sizes);
    graph_join(&graph, before, 0, last, 0);
    yield_as(last, 0, 0, sizes);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 12);
    /* The whole and the last layer's two maps. */
    assert_int_equal(cost.temporary_bytes, 24 * 256 + 20 * 256);
}

static void joins_of_joins_are_one_buffer(void **state) {
    (void)state;
    on_each_device(check_dense);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_without_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_is_taken_out_is_read_where_it_lies),    TEST(what_is_joined_is_written_where_it_is_to_lie),
        TEST(outputs_are_written_in_parts_and_read_back), TEST(what_lies_otherwise_is_copied),
        TEST(maps_and_products_read_rows_where_they_lie), TEST(programs_read_and_write_where_maps_would),
        TEST(small_parts_that_come_early_are_copied),     TEST(joins_of_joins_are_one_buffer),
    };
    return cmocka_run_group_tests_name("graph views", tests, set_up_vulkan, tear_down_vulkan);
}
