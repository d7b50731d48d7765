/* Where blocks of memory are placed by their lifetimes: apart where they live at one time, and in little more than is
 * needed at the worst one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/place.h"

#define MOST 8192

static struct vkdml_block blocks[MOST];
static uint32_t count;
static uint64_t sums[MOST];

static uint32_t seed;

static uint32_t random_below(uint32_t end) {
    seed = seed * 1664525 + 1013904223; /* Numerical Recipes */
    return (uint32_t)((uint64_t)seed * end >> 32);
}

static void assert_apart(void) {
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a + 1; b < count; b++) {
            const struct vkdml_block *x = &blocks[a], *y = &blocks[b];
            if (x->first <= y->last && y->first <= x->last && x->offset < y->offset + y->bytes &&
                y->offset < x->offset + x->bytes) {
                fail_msg("blocks %u and %u overlap", a, b);
            }
        }
    }
}

/* Places the blocks; what they take of what any placement takes at least, in thousandths. */
static uint32_t place(void) {
    struct vkdml_report report;
    uint64_t bytes = 0, end = 0;
    uint32_t moments = 0;
    vkdml_report_clear(&report);
    assert_int_equal(vkdml_place(blocks, count, NULL, &report, &bytes), VKDML_SUCCESS);
    for (uint32_t b = 0; b < count; b++) {
        assert_int_equal(blocks[b].offset % 256, 0);
        end = blocks[b].offset + blocks[b].bytes > end ? blocks[b].offset + blocks[b].bytes : end;
        moments = blocks[b].last >= moments ? blocks[b].last + 1 : moments;
    }
    assert_int_equal(end, bytes);
    assert_true(moments <= MOST);
    const uint64_t bound = vkdml_place_bound(blocks, count, sums, moments);
    assert_true(bytes >= bound);
    return bound > 0 ? (uint32_t)((bytes * 1000 + bound - 1) / bound) : 1000;
}

/* A value that comes to be at `first`, of so many KiB; which one. It lives until it is read. */
static uint32_t value(uint32_t first, uint64_t kib) {
    assert_true(count < MOST);
    blocks[count] = (struct vkdml_block){.bytes = kib * 1024, .first = first, .last = first};
    return count++;
}

static void read_at(uint32_t v, uint32_t moment) {
    blocks[v].last = moment > blocks[v].last ? moment : blocks[v].last;
}

/* ---- random ---- */

static void random_blocks(uint32_t n, uint32_t moments, uint32_t longest, bool alike) {
    count = 0;
    for (uint32_t b = 0; b < n; b++) {
        const uint32_t first = random_below(moments);
        const uint32_t length = random_below(random_below(longest) + 1);
        const uint64_t kib = alike ? UINT64_C(1) << random_below(8) : random_below(1u << (1 + random_below(12)));
        const uint32_t v = value(first, kib);
        read_at(v, first + length);
    }
}

static void random_blocks_lie_apart(void **state) {
    (void)state;
    uint32_t worst[2] = {0, 0};
    uint64_t sum[2] = {0, 0};
    for (uint32_t i = 0; i < 400; i++) {
        seed = i;
        random_blocks(1 + random_below(300), 1 + random_below(100), 1 + random_below(i % 3 == 0 ? 100 : 8), i % 2 == 0);
        const uint32_t thousandths = place();
        assert_apart();
        worst[i % 2] = thousandths > worst[i % 2] ? thousandths : worst[i % 2];
        sum[i % 2] += thousandths;
    }
    print_message("sizes alike: %u at worst, %u on average; others %u, %u\n", worst[0], (unsigned)(sum[0] / 200),
                  worst[1], (unsigned)(sum[1] / 200));
    assert_true(worst[0] <= 1080 && worst[1] <= 1080);
    assert_true(sum[0] / 200 <= 1005 && sum[1] / 200 <= 1005);
}

static void nothing_and_little_are_placed(void **state) {
    (void)state;
    count = 0;
    assert_int_equal(place(), 1000);
    value(0, 0);
    assert_int_equal(place(), 1000);
    value(7, 1);
    assert_int_equal(place(), 1000);
}

/* ---- networks: values are FLOAT32, a moment for each level ---- */

/* Convolutions with a rest around three of them, from 56 x 56 x 64 on; each with scratch memory now and then. */
static void residual_network(uint32_t batch) {
    static const uint32_t layers[] = {3, 4, 6, 3};
    uint32_t moment = 0, side = 56, channels = 64;
    count = 0;
    uint32_t x = value(moment++, (uint64_t)batch * 112 * 112 * 64 * 4 / 1024);
    read_at(x, moment);
    x = value(moment++, (uint64_t)batch * side * side * channels * 4 / 1024);
    for (uint32_t stage = 0; stage < 4; stage++) {
        for (uint32_t layer = 0; layer < layers[stage]; layer++) {
            const uint32_t strided = stage > 0 && layer == 0;
            const uint64_t before = (uint64_t)batch * side * side * channels * 4 / 1024;
            side /= strided ? 2 : 1;
            const uint64_t narrow = (uint64_t)batch * side * side * channels * 4 / 1024;
            const uint32_t first = value(moment, strided ? before : narrow);
            uint32_t rest = x;
            read_at(x, moment);
            if (layer == 0) { /* the rest's own convolution, and scratch memory of it */
                rest = value(moment, 4 * narrow);
                value(moment, narrow);
            }
            read_at(first, ++moment);
            const uint32_t second = value(moment, narrow);
            read_at(second, ++moment);
            x = value(moment, 4 * narrow);
            read_at(rest, ++moment);
            read_at(x, moment);
            x = value(moment++, 4 * narrow);
        }
        channels *= 2;
    }
    read_at(x, moment);
    value(moment, 2 * batch);
}

/* Down with skips, and up again, joined with what was skipped. */
static void u_network(uint32_t depth, uint32_t side, uint32_t channels) {
    uint32_t moment = 0, skips[16];
    count = 0;
    uint32_t x = value(moment, (uint64_t)side * side * channels * 4 / 1024);
    for (uint32_t d = 0; d < depth; d++) {
        for (uint32_t c = 0; c < 2; c++) {
            read_at(x, ++moment);
            x = value(moment, (uint64_t)side * side * channels * 4 / 1024);
        }
        skips[d] = x;
        side /= 2;
        read_at(x, ++moment);
        x = value(moment, (uint64_t)side * side * channels * 4 / 1024);
        channels *= 2;
    }
    for (uint32_t d = depth; d-- > 0;) {
        side *= 2;
        channels /= 2;
        read_at(x, ++moment);
        const uint32_t up = value(moment, (uint64_t)side * side * channels * 4 / 1024);
        read_at(up, ++moment);
        read_at(skips[d], moment);
        x = value(moment, (uint64_t)side * side * channels * 8 / 1024);
        for (uint32_t c = 0; c < 2; c++) {
            read_at(x, ++moment);
            x = value(moment, (uint64_t)side * side * channels * 4 / 1024);
        }
    }
    read_at(x, ++moment);
    value(moment, 1);
}

/* Layers of attention and of two products, with what is added around them; the mask lives all the time. */
static void encoder(uint32_t layers, uint32_t length, uint32_t width, uint32_t heads) {
    const uint64_t hidden = (uint64_t)length * width * 4 / 1024, scores = (uint64_t)length * length * heads * 4 / 1024;
    uint32_t moment = 1;
    count = 0;
    const uint32_t mask = value(0, (uint64_t)length * length * 4 / 1024);
    uint32_t x = value(0, hidden);
    for (uint32_t layer = 0; layer < layers; layer++) {
        uint32_t parts[3], moved[3];
        for (uint32_t p = 0; p < 3; p++) {
            read_at(x, moment);
            parts[p] = value(moment, hidden);
            read_at(parts[p], moment + 1);
            moved[p] = value(moment + 1, hidden);
        }
        moment += 2;
        read_at(moved[0], moment);
        read_at(moved[1], moment);
        uint32_t s = value(moment, scores);
        read_at(mask, moment + 1);
        for (uint32_t step = 0; step < 2; step++) { /* masked, and their SOFTMAX */
            read_at(s, ++moment);
            s = value(moment, scores);
        }
        read_at(s, ++moment);
        read_at(moved[2], moment);
        uint32_t y = value(moment, hidden);
        for (uint32_t step = 0; step < 2; step++) {
            read_at(y, ++moment);
            y = value(moment, hidden);
        }
        read_at(y, ++moment);
        read_at(x, moment);
        x = value(moment, hidden);
        read_at(x, moment + 1);
        y = value(++moment, hidden); /* normalized */
        const uint32_t rest = y;
        for (uint32_t step = 0; step < 2; step++) {
            read_at(y, ++moment);
            y = value(moment, 4 * hidden);
        }
        read_at(y, ++moment);
        y = value(moment, hidden);
        read_at(y, ++moment);
        read_at(rest, moment);
        x = value(moment++, hidden);
    }
    read_at(x, moment);
}

static void networks_take_little_more_than_they_need(void **state) {
    (void)state;
    for (uint32_t batch = 1; batch <= 8; batch += 7) {
        residual_network(batch);
        const uint32_t thousandths = place();
        assert_apart();
        print_message("ResNet-50, batch %u: %u blocks, %u\n", batch, count, thousandths);
        assert_true(thousandths <= 1050);
    }
    for (uint32_t depth = 2; depth <= 6; depth++) {
        u_network(depth, 512, 32 + 16 * (depth % 3));
        const uint32_t thousandths = place();
        assert_apart();
        print_message("U-Net of depth %u: %u blocks, %u\n", depth, count, thousandths);
        assert_true(thousandths <= 1050);
    }
    for (uint32_t length = 64; length <= 1024; length *= 2) {
        encoder(12, length, 768, 12);
        const uint32_t thousandths = place();
        assert_apart();
        print_message("BERT, %u tokens: %u blocks, %u\n", length, count, thousandths);
        assert_true(thousandths <= 1050);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_blocks_lie_apart),
        cmocka_unit_test(nothing_and_little_are_placed),
        cmocka_unit_test(networks_take_little_more_than_they_need),
    };
    return cmocka_run_group_tests_name("graph memory", tests, NULL, NULL);
}
