#include "onnx/candidates.h"

#include <string.h>

#include "onnx/plan_parts.h"

#define LARGEST       ((int64_t)1 << 22)
#define MOST_PER_SIZE 40 /* candidates from the node's numbers */
#define MOST_SIZES    32 /* open sizes with candidates of their own */
#define MOST_ALONE    4

/* Windows and steps ask for large sizes, counts of elements for small ones; halving and doubling ask for multiples.
 * The last ones are multiples of all numbers up to 8 and 16. */
static const uint32_t powers[] = {256,     64,      512,     32,      1024,    16,      2048,    8,
                                  4096,    4,       8192,    2,       1 << 14, 1,       1 << 15, 1 << 16,
                                  1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 840,     720720};
#define POWER_COUNT (sizeof powers / sizeof powers[0])

static void add_number(uint32_t *numbers, uint32_t *count, int64_t number) {
    bool found = number < 1 || number > LARGEST || *count == ONNX_MOST_NUMBERS;
    for (uint32_t i = 0; !found && i < *count; ++i) {
        found = numbers[i] == number;
    }
    if (!found) {
        numbers[(*count)++] = (uint32_t)number;
    }
}

/* Integers that are known, as shapes that Reshape reads, and their product. */
static void read_elements(const struct onnx_tensor *tensor, struct onnx_node_numbers *numbers) {
    const uint64_t count = onnx_count(tensor);
    int64_t element, product = 1;
    if (tensor->data == NULL || tensor->is_strided || count > ONNX_MAX_RANK) {
        return;
    }
    for (uint64_t i = 0; i < count && onnx_read_int(tensor->type, tensor->data, i, &element); ++i) {
        add_number(numbers->attributes, &numbers->attribute_count, element);
        product *= element > 0 && element <= LARGEST && product <= LARGEST ? element : 1;
    }
    add_number(numbers->attributes, &numbers->attribute_count, product);
}

void onnx_read_numbers(const struct onnx_node_report *report, struct onnx_node_numbers *numbers) {
    const struct onnx_node *node = report->node;
    numbers->size_count = numbers->attribute_count = 0;
    for (uint32_t i = 0; i < node->input_count; ++i) {
        const uint32_t value = node->inputs[i];
        const struct onnx_tensor *tensor = value == ONNX_NONE ? NULL : report->scope->tensors[value];
        for (uint32_t d = 0; tensor != NULL && d < tensor->rank; ++d) {
            add_number(numbers->sizes, &numbers->size_count, tensor->sizes[d]);
        }
        if (tensor != NULL) {
            read_elements(tensor, numbers);
        }
    }
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        for (size_t i = 0; node->attributes[a].ints != NULL && i < node->attributes[a].count; ++i) {
            add_number(numbers->attributes, &numbers->attribute_count, node->attributes[a].ints[i]);
        }
    }
}

/* The sizes for one open size, each once. */
struct listing {
    struct onnx_candidates *candidates;
    uint32_t number, first, size;
};

static void list(const struct listing *l, int64_t size) {
    struct onnx_candidates *c = l->candidates;
    bool found = size < 1 || size > LARGEST || size == l->size || c->count - l->first == MOST_PER_SIZE;
    for (uint32_t i = l->first; !found && i < c->count; ++i) {
        found = c->all[i].size == size;
    }
    if (!found) {
        c->all[c->count++] = (struct onnx_candidate){l->number, (uint32_t)size, 0, false};
    }
}

static void list_quotients(const struct listing *l, uint32_t size, const struct onnx_node_numbers *n) {
    for (uint32_t a = 0; a < n->attribute_count; ++a) {
        const uint64_t divisor = n->attributes[a];
        if (size % divisor == 0) {
            list(l, (int64_t)(size / divisor));
        }
        /* Queries, keys and values in one tensor: heads of one kind, and twice of another. */
        for (uint32_t b = 0; b < n->attribute_count; ++b) {
            const uint64_t sum = divisor + 2 * (uint64_t)n->attributes[b];
            if (size % sum == 0) {
                list(l, (int64_t)(size / sum));
            }
        }
    }
}

/* Sizes that must be equal to others, to attributes, to quotients, or to sums. */
static void list_numbers(const struct listing *l, const struct onnx_node_numbers *n) {
    for (uint32_t i = 0; i < n->size_count; ++i) {
        list(l, n->sizes[i]);
    }
    for (uint32_t i = 0; i < n->attribute_count; ++i) {
        list(l, n->attributes[i]);
    }
    for (uint32_t i = 0; i < n->size_count; ++i) {
        list_quotients(l, n->sizes[i], n);
        list(l, n->sizes[i] / 2);
    }
    for (uint32_t i = 0; i < n->size_count; ++i) {
        for (uint32_t k = 0; k < n->size_count; ++k) {
            list(l, (int64_t)n->sizes[i] + n->sizes[k]);
            list(l, (int64_t)l->size + n->sizes[i] - n->sizes[k]);
        }
    }
}

static void list_powers(struct onnx_candidates *c, uint32_t number, uint32_t size, bool clears_others) {
    for (size_t i = 0; i < POWER_COUNT; ++i) {
        if (powers[i] != size || clears_others) {
            c->all[c->count++] = (struct onnx_candidate){number, powers[i], 0, clears_others};
        }
    }
}

/* One size for all of a group. */
static void list_group(struct onnx_candidates *c, uint64_t group, const struct onnx_node_numbers *n) {
    const uint32_t first = c->count;
    for (uint32_t i = 0; i < n->attribute_count; ++i) {
        c->all[c->count++] = (struct onnx_candidate){ONNX_NONE, n->attributes[i], 0, false};
    }
    list_powers(c, ONNX_NONE, 0, false);
    for (uint32_t i = first; i < c->count; ++i) {
        c->all[i].group = group;
    }
}

static bool is_in(uint64_t mask, uint32_t number) {
    return (mask & onnx_open_bit(number)) != 0;
}

static uint32_t count_sizes(const struct onnx_open_sizes *open, uint64_t mask) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < open->count; ++s) {
        count += is_in(mask, s);
    }
    return count;
}

/* Sizes for each open size of a mask, from the node's numbers. */
static void list_each(struct onnx_candidates *c, const struct onnx_open_sizes *open, uint64_t mask,
                      const uint32_t *assumed, const struct onnx_node_numbers *numbers) {
    for (uint32_t s = 0, count = 0; s < open->count && count < MOST_SIZES; ++s) {
        if (is_in(mask, s)) {
            list_numbers(&(struct listing){c, s, c->count, assumed[s]}, numbers);
            ++count;
        }
    }
}

bool onnx_find_candidates(const struct onnx_node_numbers *numbers, const struct onnx_open_sizes *open, uint64_t mask,
                          uint64_t fresh, const uint32_t *assumed, struct onnx_arena *arena,
                          struct onnx_candidates *candidates) {
    const size_t most =
        2 * (ONNX_MOST_NUMBERS + POWER_COUNT) + (size_t)MOST_SIZES * (2 * MOST_PER_SIZE + 2 * POWER_COUNT);
    if (candidates->all == NULL) {
        candidates->all = onnx_allocate(arena, most, sizeof *candidates->all);
    }
    if (candidates->all == NULL) {
        return false;
    }
    candidates->count = 0;
    /* Few sizes are tried one by one first; many, as those of a cache, more likely need one size. */
    if (count_sizes(open, fresh) <= MOST_ALONE) {
        list_each(candidates, open, fresh, assumed, numbers);
    }
    list_group(candidates, fresh, numbers);
    if (count_sizes(open, fresh) > MOST_ALONE) {
        list_each(candidates, open, fresh, assumed, numbers);
    }
    if (fresh != mask) {
        list_group(candidates, mask, numbers);
    }
    list_each(candidates, open, mask & ~fresh, assumed, numbers);
    for (uint32_t clears = 0; clears < 2; ++clears) {
        for (uint32_t s = 0, count = 0; s < open->count && count < MOST_SIZES; ++s) {
            if (is_in(mask, s)) {
                list_powers(candidates, s, assumed[s], clears != 0);
                ++count;
            }
        }
    }
    return true;
}

void onnx_apply_candidate(const struct onnx_candidate *candidate, const struct onnx_open_sizes *open, uint64_t mask,
                          const uint32_t *assumed, uint32_t *sizes) {
    memcpy(sizes, assumed, open->count * sizeof *sizes);
    for (uint32_t s = 0; s < open->count; ++s) {
        if (candidate->number == s || (candidate->number == ONNX_NONE && is_in(candidate->group, s))) {
            sizes[s] = candidate->size;
        } else if (candidate->clears_others && is_in(mask, s)) {
            sizes[s] = 1;
        }
    }
}
