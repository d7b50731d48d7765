/* Measures the functions of src/math/: those of one argument over all 2^32, or of FLOAT16's grade over all 2^16, those
 * of two over random pairs, and pairs of special values.
 *
 * exhaustive [--threads N] [--pairs N] [--step N] [--range FIRST LAST] [FUNCTION ..]
 *
 * A line for each function. Everything is computed twice, where the processor can: with denormals kept, and with
 * denormals flushed in operands and results; the bits must be the same. Exits with 1 where they are not, or a bound is
 * exceeded. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "flush.h"
#include "inputs.h"
#include "oracle.h"

#define BLOCK       ((uint64_t)1 << 14)
#define MAX_THREADS 64

struct measurement {
    uint64_t count;
    uint64_t common;
    uint64_t misrounded;
    uint64_t beyond;  /* the bound */
    uint64_t flushed; /* other bits where denormals are flushed */
    double worst;
    uint32_t x, y, got, want;              /* of the worst */
    uint32_t flush_x, flush_y, flush_bits; /* of the last that differs */
};

/* One function's run, shared by its threads. */
struct run {
    const struct math_function *function;
    uint64_t step, first, blocks;
    pthread_mutex_t lock;
    uint64_t next; /* block */
    struct measurement total;
};

static void add(struct measurement *total, const struct measurement *part) {
    total->count += part->count;
    total->common += part->common;
    total->misrounded += part->misrounded;
    total->beyond += part->beyond;
    total->flushed += part->flushed;
    if (part->flushed != 0) {
        total->flush_x = part->flush_x;
        total->flush_y = part->flush_y;
        total->flush_bits = part->flush_bits;
    }
    if (part->worst > total->worst) {
        total->worst = part->worst;
        total->x = part->x;
        total->y = part->y;
        total->got = part->got;
        total->want = part->want;
    }
}

/* Of FLOAT16's grade: all FLOAT16 numbers, and where others are arguments too a million of these, evenly spaced bits.
 */
#define HALVES  65536
#define SPACING 4093
#define SPACED  ((uint64_t)1 << 20)

static uint64_t half_arguments(const struct math_function *function) {
    return HALVES + (function->arguments == OF_FLOATS ? SPACED : 0);
}

static uint32_t half_argument(uint64_t n) {
    return n < HALVES ? math_widened((uint32_t)n) : (uint32_t)((n - HALVES) * SPACING);
}

static void compute(const struct math_function *function, const uint32_t *x, const uint32_t *y, uint32_t *results) {
    for (uint64_t i = 0; i < BLOCK; i++) {
        results[i] =
            math_result(function, function->unary != NULL ? function->unary(x[i]) : function->binary(x[i], y[i]));
    }
}

static void measure_block(const struct run *run, uint64_t block, struct measurement *part) {
    static _Thread_local uint32_t x[BLOCK], y[BLOCK], results[BLOCK], flushed[BLOCK];
    const struct math_function *function = run->function;
    if (function->unary != NULL) {
        for (uint64_t i = 0; i < BLOCK; i++) {
            const uint64_t n = block * BLOCK + i;
            x[i] = function->is_half ? half_argument(n) : (uint32_t)(run->first + n * run->step);
        }
    } else {
        inputs_fill_pairs(function, block * BLOCK, BLOCK, x, y);
    }
    compute(function, x, y, results);
    const unsigned state = flush_begin();
    compute(function, x, y, flushed);
    flush_end(state);
    part->count += BLOCK;
    for (uint64_t i = 0; i < BLOCK; i++) {
        part->common +=
            function->unary != NULL ? function->unary_is_common(x[i]) : function->binary_is_common(x[i], y[i]);
        if (flushed[i] != results[i]) {
            part->flushed++;
            part->flush_x = x[i];
            part->flush_y = y[i];
            part->flush_bits = flushed[i];
        }
        const struct math_verdict verdict = math_judge(function, x[i], y[i], results[i]);
        part->misrounded += !verdict.rounded;
        part->beyond += verdict.error > function->bound;
        if (verdict.error > part->worst) {
            part->worst = verdict.error;
            part->x = x[i];
            part->y = y[i];
            part->got = results[i];
            part->want = verdict.want;
        }
    }
}

static void *measure(void *argument) {
    struct run *run = argument;
    struct measurement part = {0};
    for (;;) {
        pthread_mutex_lock(&run->lock);
        const uint64_t block = run->next++;
        pthread_mutex_unlock(&run->lock);
        if (block >= run->blocks) {
            break;
        }
        measure_block(run, block, &part);
    }
    pthread_mutex_lock(&run->lock);
    add(&run->total, &part);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

static void print_place(const struct math_function *function, uint32_t x, uint32_t y) {
    printf("%08" PRIx32 " (%.9g)", x, (double)math_float_of(x));
    if (function->binary != NULL) {
        printf(", %08" PRIx32 " (%.9g)", y, (double)math_float_of(y));
    }
}

static bool report(const struct run *run, double seconds) {
    const struct measurement *total = &run->total;
    printf("%-18s worst %.3f ULP", run->function->name, total->worst);
    if (total->worst > 0) {
        printf(" at ");
        print_place(run->function, total->x, total->y);
        printf(": %08" PRIx32 ", not %08" PRIx32, total->got, total->want);
    }
    printf("; correctly rounded %.4f %%, common %.2f %%; %" PRIu64 " arguments, %.0f s\n",
           100 * (1 - (double)total->misrounded / (double)total->count),
           100 * (double)total->common / (double)total->count, total->count, seconds);
    if (total->beyond != 0) {
        printf("    FAILED: %" PRIu64 " beyond the bound of %g ULP\n", total->beyond, run->function->bound);
    }
    if (total->flushed != 0) {
        printf("    FAILED: %" PRIu64 " others where denormals are flushed; ", total->flushed);
        print_place(run->function, total->flush_x, total->flush_y);
        printf(": %08" PRIx32 "\n", total->flush_bits);
    }
    fflush(stdout);
    return total->beyond == 0 && total->flushed == 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_named(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

int main(int argc, char **argv) {
    uint64_t threads = 2, pairs = 1000000000, step = 1, first = 0, last = UINT32_MAX;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--pairs") == 0 && i + 1 < argc) {
            pairs = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--step") == 0 && i + 1 < argc) {
            step = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--range") == 0 && i + 2 < argc) {
            first = strtoull(argv[++i], NULL, 16);
            last = strtoull(argv[++i], NULL, 16);
        } else {
            fprintf(stderr, "Usage: %s [--threads N] [--pairs N] [--step N] [--range FIRST LAST] [FUNCTION ..]\n",
                    argv[0]);
            return 1;
        }
    }
    threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    if (!flush_exists) {
        printf("not measured with denormals flushed: not known how on this processor\n");
    }
    bool good = true;
    for (uint32_t f = 0; f < math_function_count; f++) {
        if (!is_named(math_functions[f].name, argc - i, argv + i)) {
            continue;
        }
        const uint64_t arguments = math_functions[f].unary == NULL ? inputs_special_pairs() + pairs
                                   : math_functions[f].is_half     ? half_arguments(&math_functions[f])
                                                                   : (last - first) / step + 1;
        struct run run = {.function = &math_functions[f],
                          .step = step,
                          .first = first,
                          .blocks = (arguments + BLOCK - 1) / BLOCK,
                          .lock = PTHREAD_MUTEX_INITIALIZER};
        const double begin = now();
        pthread_t others[MAX_THREADS];
        uint64_t started = 1;
        for (; started < threads && pthread_create(&others[started], NULL, measure, &run) == 0; started++) {
        }
        measure(&run);
        for (uint64_t t = 1; t < started; t++) {
            pthread_join(others[t], NULL);
        }
        good = report(&run, now() - begin) && good;
    }
    return good ? 0 : 1;
}
