#include "cases/operators/reductions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/number.h"

/* Of one case, whose first tensor is an input. */
static struct {
    struct operator_case c;
    const unsigned char *memory;
    uint32_t folded;
    struct case_reduction *reductions;
} known;

static const struct case_tensor *input_of(const struct operator_case *c) {
    return &c->tensors[0];
}

static uint64_t number_of(const struct case_tensor *input, uint32_t folded, const uint32_t *coordinates) {
    uint64_t number = 0;
    for (uint32_t d = 0; d < input->rank; d++) {
        number = (folded >> d & 1) != 0 ? number : number * input->sizes[d] + coordinates[d];
    }
    return number;
}

double case_reduction_element(const struct operator_case *c, const unsigned char *const *tensors,
                              const uint32_t *coordinates) {
    uint32_t strides[CASE_MAX_RANK];
    const struct case_tensor *input = input_of(c);
    case_strides(input, strides);
    const uint64_t position = case_element_position(input, strides, coordinates);
    return number_decode(input->type, case_read_element(input, tensors[0], position));
}

typedef void taker(struct case_reduction *reduction, double x);

static void take_first(struct case_reduction *reduction, double x) {
    reduction->count++;
    reduction->mean += x; /* the sum yet */
    reduction->magnitudes += fabs(x);
    reduction->squares += x * x;
    reduction->most = fabs(x) > reduction->most ? fabs(x) : reduction->most;
    reduction->greatest = isnan(x) || x > reduction->greatest ? x : reduction->greatest;
}

static void take_second(struct case_reduction *reduction, double x) {
    reduction->variance += (x - reduction->mean) * (x - reduction->mean);
    reduction->powers += isinf(reduction->greatest) ? x == reduction->greatest : exp(x - reduction->greatest);
}

static void take_all(const struct operator_case *c, const unsigned char *const *tensors, taker *take) {
    uint32_t at[CASE_MAX_RANK] = {0};
    do {
        take(&known.reductions[number_of(input_of(c), known.folded, at)], case_reduction_element(c, tensors, at));
    } while (case_next_coordinates(input_of(c), at));
}

static void find(const struct operator_case *c, const unsigned char *const *tensors, uint32_t folded) {
    const struct case_tensor *input = input_of(c);
    uint64_t count = 1;
    for (uint32_t d = 0; d < input->rank; d++) {
        count *= (folded >> d & 1) != 0 ? 1 : input->sizes[d];
    }
    free(known.reductions);
    known.c = *c;
    known.memory = tensors[0];
    known.folded = folded;
    known.reductions = calloc(count, sizeof(*known.reductions));
    if (known.reductions == NULL) {
        abort();
    }
    for (uint64_t i = 0; i < count; i++) {
        known.reductions[i].greatest = -INFINITY;
    }
    take_all(c, tensors, take_first);
    for (uint64_t i = 0; i < count; i++) {
        known.reductions[i].mean /= known.reductions[i].count;
        known.reductions[i].magnitudes /= known.reductions[i].count;
    }
    take_all(c, tensors, take_second);
    for (uint64_t i = 0; i < count; i++) {
        known.reductions[i].variance /= known.reductions[i].count;
    }
}

const struct case_reduction *case_reduction_at(const struct operator_case *c, const unsigned char *const *tensors,
                                               uint32_t folded, const uint32_t *coordinates) {
    if (known.memory != tensors[0] || known.folded != folded || memcmp(&known.c, c, sizeof(*c)) != 0) {
        find(c, tensors, folded);
    }
    return &known.reductions[number_of(input_of(c), folded, coordinates)];
}

uint32_t case_axes(const struct operator_case *c) {
    uint32_t axes = 0, i = 0;
    while (strcmp(c->schema->fields[i].name, "Axes") != 0) {
        i++;
    }
    for (uint32_t n = 0; n < c->fields[i].word_count; n++) {
        axes |= 1u << c->fields[i].words[n];
    }
    return axes;
}

void case_choose_axes(struct random *random, struct operator_case *c) {
    uint32_t order[CASE_MAX_RANK];
    const uint32_t rank = input_of(c)->rank;
    random_permutation(random, rank, order);
    const uint32_t count = random_between(random, 1, rank);
    case_set_uint(c, "AxisCount", count);
    case_set(c, "Axes", count, order);
}

void case_widen(struct random *random, struct operator_case *c) {
    const uint32_t last = input_of(c)->rank - 1, size = input_of(c)->sizes[last];
    if (size > 1000 || random_chance(random, 50)) {
        return;
    }
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        struct case_tensor *tensor = &c->tensors[at.slot];
        if (tensor->sizes[last] == size) {
            tensor->sizes[last] = 4 * size;
        }
    }
}
