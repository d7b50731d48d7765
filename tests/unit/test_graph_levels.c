/* Graphs whose maps may write over what they read, and how many barriers there are. On the machine's first Vulkan
 * device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph_execution.h"
#include "one_device.h"

static const uint32_t square[4] = {1, 1, 16, 16};

/* ---- in place ---- */

/* Where another reads the input, in the same level or later, or the same node twice, nothing is written over it. */
static void check_overwritten(void) {
    begin_graph(1, 2);
    const uint32_t a = shrink_node(square), b = shrink_node(square), c = shrink_node(square), sum = add_node(square);
    const uint32_t twice = add_node(square), d = shrink_node(square), e = shrink_node(square), last = add_node(square);
    feed(0, a, 0, square);
    JOIN({a, 0, b, 0}, {b, 0, c, 0}, {a, 0, sum, 0}, {c, 0, sum, 1}, {sum, 0, twice, 0}, {sum, 0, twice, 1},
         {twice, 0, d, 0}, {twice, 0, e, 0}, {d, 0, last, 0}, {e, 0, last, 1});
    yield_as(last, 0, 0, square);
    yield_as(c, 0, 1, square);
    const struct cost cost = agree();
    assert_int_equal(cost.dispatches, 8);
    assert_int_equal(cost.temporary_bytes, 3 * 1024);
}

static void maps_write_over_what_is_read_last(void **state) {
    (void)state;
    on_each_device(check_overwritten);
}

/* ---- barriers ---- */

static void chains(uint32_t width, uint32_t depth) {
    static const uint32_t sizes[4] = {1, 1, 1, 64};
    begin_graph(1, width);
    for (uint32_t w = 0; w < width; w++) {
        uint32_t before = 0;
        for (uint32_t d = 0; d < depth; d++) {
            const uint32_t n = shrink_node(sizes);
            if (d == 0) {
                feed(0, n, 0, sizes);
            } else {
                graph_join(&graph, before, 0, n, 0);
            }
            before = n;
        }
        yield_as(before, 0, w, sizes);
    }
}

static void check_barriers(void) {
    for (uint32_t width = 1; width <= MOST; width += 3) {
        for (uint32_t depth = 1; depth <= 7; depth += 3) {
            chains(width, depth);
            const struct cost cost = agree();
            assert_int_equal(cost.dispatches, width * depth);
            assert_int_equal(cost.barriers, depth - 1);
        }
    }
}

/* Nodes of several steps each, a barrier between: how many barriers are there? */
static uint32_t barriers_of(uint32_t width) {
    enum { COUNT = 500 };
    static const uint32_t sizes[4] = {1, 1, 1, COUNT}, one[4] = {1, 1, 1, 1}, rows[4] = {1, 1, COUNT, 4};
    begin_graph(1, 2 * width);
    for (uint32_t w = 0; w < width; w++) {
        struct nonzero nonzero;
        nonzero_init(&nonzero, COUNT);
        const uint32_t n = operator_node(DML_OPERATOR_NONZERO_COORDINATES, &nonzero.nonzero, NULL);
        feed(0, n, 0, sizes);
        yield_as(n, 0, 2 * w, one);
        yield_as(n, 1, 2 * w + 1, rows);
    }
    return agree().barriers;
}

static void check_steps_within(void) {
    const uint32_t barriers = barriers_of(1);
    for (uint32_t width = 2; width <= MOST / 2; width++) {
        assert_int_equal(barriers_of(width), barriers);
    }
}

static void steps_within_nodes_share_their_barriers(void **state) {
    (void)state;
    on_each_device(check_steps_within);
}

static void chains_side_by_side_share_their_barriers(void **state) {
    (void)state;
    on_each_device(check_barriers);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_without_device, end_with_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(maps_write_over_what_is_read_last),
        TEST(chains_side_by_side_share_their_barriers),
        TEST(steps_within_nodes_share_their_barriers),
    };
    return cmocka_run_group_tests_name("graph levels", tests, set_up_vulkan, tear_down_vulkan);
}
