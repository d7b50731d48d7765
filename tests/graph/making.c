#include "making.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/number.h"

#define MAX_ELEMENTS 700

/* ---- ranges ---- */

bool range_is_finite(const struct graph_range *range) {
    return range->most < 1e30;
}

static struct graph_range range_of_anything(DML_TENSOR_DATA_TYPE type) {
    return (struct graph_range){number_is_float(type) ? (double)INFINITY : 0x1p32,
                                number_is_float(type) ? GRAPH_DENSE : 0, 0};
}

static int32_t either(int32_t a, int32_t b) {
    return a > b ? a : b;
}

struct graph_range range_add(const struct graph_range *a, const struct graph_range *b) {
    return (struct graph_range){a->most + b->most, either(a->fraction, b->fraction), a->error + b->error};
}

struct graph_range range_both(const struct graph_range *a, const struct graph_range *b) {
    return (struct graph_range){fmax(a->most, b->most), either(a->fraction, b->fraction), fmax(a->error, b->error)};
}

struct graph_range range_multiply(const struct graph_range *a, const struct graph_range *b) {
    const bool is_dense = a->fraction == GRAPH_DENSE || b->fraction == GRAPH_DENSE;
    const double error = a->error + b->error > 0 ? a->most * b->error + b->most * a->error + a->error * b->error : 0;
    return (struct graph_range){a->most * b->most, is_dense ? GRAPH_DENSE : a->fraction + b->fraction, error};
}

struct graph_range range_of_sum(const struct graph_range *a, const struct graph_range *b, uint32_t terms) {
    struct graph_range sum = range_multiply(a, b);
    sum.most *= terms;
    sum.error *= terms;
    const bool is_exact = sum.fraction != GRAPH_DENSE && ldexp(sum.most, sum.fraction) < 0x1p24;
    if (!is_exact || sum.error > 0) {
        sum.fraction = GRAPH_DENSE;
        sum.error += sum.most * (16 + terms) * 0x1p-23;
    }
    return sum;
}

/* What storing adds: numbers that differed differ after rounding. */
static void round_range(DML_TENSOR_DATA_TYPE type, struct graph_range *range) {
    const bool is_half = type == DML_TENSOR_DATA_TYPE_FLOAT16;
    /* Of what has no bound there is no error either. */
    if (range->error != 0) {
        range->error += range->most * (is_half ? 0x1p-10 : 0x1p-22);
    }
    if (number_is_float(type) && range->most > (is_half ? 60000.0 : 1e30)) {
        *range = (struct graph_range){INFINITY, GRAPH_DENSE, range->error == 0 ? 0 : (double)INFINITY};
    }
}

/* ---- sources ---- */

struct numbers usual_numbers(struct making *making, DML_TENSOR_DATA_TYPE type) {
    static const int32_t most[] = {1, 2, 4, 8};
    const int32_t greatest = RANDOM_OF(making->random, most);
    const int32_t fraction = number_is_float(type) ? (int32_t)random_below(making->random, 3) : 0;
    return (struct numbers){number_is_signed(type) ? -greatest : 0, greatest, fraction};
}

static void fill(struct making *making, const struct case_tensor *tensor, struct numbers numbers, unsigned char *data) {
    const uint64_t count = case_element_count(tensor);
    for (uint64_t i = 0; i < count; i++) {
        const int32_t number =
            numbers.least + (int32_t)random_below(making->random, (uint32_t)(numbers.greatest - numbers.least) + 1);
        case_write_element(tensor, number_encode(tensor->type, ldexp(number, -numbers.fraction)), i, data);
    }
}

bool take_new(struct making *making, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes,
              struct numbers numbers, struct view *view) {
    struct random_graph *graph = making->graph;
    const uint32_t v = graph->value_count;
    struct graph_value *value = &graph->values[v];
    const double most = fmax(abs(numbers.least), abs(numbers.greatest));
    *value = (struct graph_value){.range = {ldexp(most, -numbers.fraction), numbers.fraction, 0}};
    value->tensor = (struct case_tensor){.type = type, .rank = rank};
    memcpy(value->tensor.sizes, sizes, rank * sizeof *sizes);
    const uint64_t exact = case_element_count(&value->tensor) * (number_bits(type) / 8);
    if (exact > GRAPH_MAX_BYTES || v >= GRAPH_MAX_VALUES || graph->input_count >= GRAPH_MAX_BINDINGS ||
        graph->node_count >= GRAPH_MAX_NODES) {
        return false;
    }
    value->tensor.slack = random_chance(making->random, 10) ? 4 * random_between(making->random, 1, 9) : 0;
    value->bytes = (uint32_t)case_total_bytes(&value->tensor);
    value->data = calloc(1, GRAPH_ROOM);
    assert(value->data != NULL);
    random_bytes(making->random, value->data, value->bytes);
    fill(making, &value->tensor, numbers, value->data);
    if (random_chance(making->random, 30)) {
        struct graph_node *node = &graph->nodes[graph->node_count];
        value->kind = GRAPH_CONSTANT;
        value->node = graph->node_count++;
        value->given = random_chance(making->random, 50) ? (uint32_t)exact : value->bytes;
        memset(value->data + value->given, 0, GRAPH_ROOM - value->given);
        node->is_constant = true;
        node->first_value = v;
        node->value_count = 1;
        strcpy(node->name, random_chance(making->random, 50) ? "constant" : "");
    } else {
        value->kind = GRAPH_INPUT;
        value->node = graph->input_count;
        value->given = value->bytes;
        value->is_owned = making->is_known || random_chance(making->random, 30);
        graph->inputs[graph->input_count++] = v;
    }
    graph->value_count++;
    *view = (struct view){v, value->tensor, value->range};
    return true;
}

/* ---- views ---- */

/* Spreads as many elements over so many dimensions. */
static void spread(struct random *random, uint64_t count, uint32_t rank, struct case_tensor *tensor) {
    tensor->rank = rank;
    tensor->has_strides = 0;
    for (uint32_t d = 0; d < rank; d++) {
        tensor->sizes[d] = 1;
    }
    for (uint32_t factor = 2; count > 1;) {
        if (count % factor == 0) {
            tensor->sizes[random_below(random, rank)] *= factor;
            count /= factor;
        } else {
            factor++;
        }
    }
}

static void transpose(struct random *random, struct case_tensor *tensor) {
    uint32_t order[CASE_MAX_RANK], strides[CASE_MAX_RANK];
    const struct case_tensor packed = *tensor;
    case_strides(&packed, strides);
    random_permutation(random, tensor->rank, order);
    tensor->has_strides = 1;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        tensor->sizes[d] = packed.sizes[order[d]];
        tensor->strides[d] = strides[order[d]];
    }
}

/* The same bytes as numbers of another type. */
static bool reinterpret(uint32_t types, struct random *random, struct view *view) {
    static const DML_TENSOR_DATA_TYPE all[] = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16,
                                               DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT32,
                                               DML_TENSOR_DATA_TYPE_UINT8};
    const DML_TENSOR_DATA_TYPE type = RANDOM_OF(random, all);
    const uint64_t bytes = case_element_count(&view->tensor) * (number_bits(view->tensor.type) / 8);
    const uint64_t count = bytes / (number_bits(type) / 8);
    if ((types >> type & 1) == 0 || type == view->tensor.type || bytes % (number_bits(type) / 8) != 0 ||
        count > MAX_ELEMENTS) {
        return false;
    }
    view->tensor.type = type;
    spread(random, count, view->tensor.rank, &view->tensor);
    view->range = range_of_anything(type);
    return true;
}

/* Sees a value as a reader of such tensors might; false where none can. */
static bool see(struct making *making, uint32_t v, uint32_t types, uint32_t least_rank, uint32_t most_rank,
                struct view *view) {
    struct random *random = making->random;
    const struct graph_value *value = &making->graph->values[v];
    if (value->kind == GRAPH_ABSENT || value->is_private || (value->range.error > 0 && making->needs_exact)) {
        return false;
    }
    *view = (struct view){v, value->tensor, value->range};
    if (value->tensor.has_strides) {
        return (types >> value->tensor.type & 1) != 0 && value->tensor.rank >= least_rank &&
               value->tensor.rank <= most_rank;
    }
    const bool fits = view->tensor.rank >= least_rank && view->tensor.rank <= most_rank;
    if (!fits || random_chance(random, 15)) {
        spread(random, case_element_count(&view->tensor), random_between(random, least_rank, most_rank), &view->tensor);
    }
    const bool is_type = (types >> value->tensor.type & 1) != 0;
    if (value->range.error == 0 && (!is_type || random_chance(random, 4))) {
        return reinterpret(types, random, view) || is_type;
    }
    if (is_type && view->tensor.rank > 1 && random_chance(random, 8)) {
        transpose(random, &view->tensor);
    }
    return is_type;
}

/* A product that nobody reads yet: where it is an output of the graph it is not joined with others. */
static uint32_t find_product(const struct random_graph *graph) {
    for (uint32_t v = graph->value_count; v-- > 0;) {
        const struct graph_value *value = &graph->values[v];
        if (value->kind == GRAPH_RESULT && value->readers == 0 &&
            graph->nodes[value->node].c.schema->type == DML_OPERATOR_GEMM) {
            return v;
        }
    }
    return GRAPH_NONE;
}

static uint32_t choose_value(struct making *making) {
    const uint32_t count = making->graph->value_count;
    const uint32_t product = find_product(making->graph);
    if (product != GRAPH_NONE && random_chance(making->random, 85)) {
        return product;
    }
    const uint32_t recent = count < 6 ? count : 6;
    return random_chance(making->random, 65) ? count - 1 - random_below(making->random, recent)
                                             : random_below(making->random, count);
}

static bool take_source(struct making *making, uint32_t types, uint32_t least_rank, uint32_t most_rank,
                        struct view *view) {
    uint32_t sizes[CASE_MAX_RANK];
    DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_FLOAT32;
    const uint32_t rank = random_between(making->random, least_rank, most_rank);
    if ((types >> type & 1) == 0 || random_chance(making->random, 50)) {
        do {
            type = (DML_TENSOR_DATA_TYPE)random_below(making->random, 32);
        } while ((types >> type & 1) == 0);
    }
    uint32_t elements = 1;
    for (uint32_t d = 0; d < rank; d++) {
        const uint32_t size = random_chance(making->random, 20) ? 1 : random_between(making->random, 2, 7);
        sizes[d] = elements * size <= MAX_ELEMENTS ? size : 1;
        elements *= sizes[d];
    }
    if (rank == 1 && random_chance(making->random, 10)) {
        sizes[0] = random_between(making->random, 500, 2500);
    }
    return take_new(making, type, rank, sizes, usual_numbers(making, type), view);
}

/* What the last node made, and nobody else is to read. */
static bool take_last(struct making *making, uint32_t types, uint32_t least_rank, uint32_t most_rank,
                      struct view *view) {
    const uint32_t v = making->graph->value_count - 1;
    const bool is_seen = making->continues && see(making, v, types, least_rank, most_rank, view);
    making->continues = false;
    making->graph->values[v].is_private = is_seen;
    return is_seen;
}

bool take(struct making *making, uint32_t types, uint32_t least_rank, uint32_t most_rank, struct view *view) {
    if (making->graph->value_count > 0 && take_last(making, types, least_rank, most_rank, view)) {
        return true;
    }
    for (uint32_t tries = 0; tries < 8 && making->graph->value_count > 0 && random_chance(making->random, 95);
         tries++) {
        if (see(making, choose_value(making), types, least_rank, most_rank, view)) {
            return true;
        }
    }
    return take_source(making, types, least_rank, most_rank, view);
}

/* Dimensions that a broadcast tensor has 1 of. */
static void choose_broadcast(struct random *random, uint32_t rank, const uint32_t *sizes, uint32_t *own) {
    for (uint32_t d = 0; d < rank; d++) {
        own[d] = random_chance(random, 50) ? sizes[d] : 1;
    }
}

static void broadcast(const uint32_t *sizes, struct case_tensor *tensor) {
    uint32_t strides[CASE_MAX_RANK];
    case_strides(tensor, strides);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        tensor->strides[d] = tensor->sizes[d] == sizes[d] ? strides[d] : 0;
        tensor->sizes[d] = sizes[d];
    }
    tensor->has_strides = 1;
}

bool take_alike(struct making *making, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes,
                bool may_broadcast, struct numbers numbers, struct view *view) {
    struct case_tensor wanted = {.type = type, .rank = rank};
    memcpy(wanted.sizes, sizes, rank * sizeof *sizes);
    const bool is_broadcast = may_broadcast && random_chance(making->random, 40);
    if (is_broadcast) {
        choose_broadcast(making->random, rank, sizes, wanted.sizes);
    }
    bool found = false;
    for (uint32_t tries = 0; tries < 12 && !found && making->graph->value_count > 0; tries++) {
        const uint32_t v = choose_value(making);
        const struct graph_value *value = &making->graph->values[v];
        found = value->kind != GRAPH_ABSENT && !value->is_private && value->tensor.type == type &&
                !value->tensor.has_strides && case_element_count(&value->tensor) == case_element_count(&wanted) &&
                !(value->range.error > 0 && making->needs_exact);
        *view = (struct view){v, wanted, value->range};
    }
    if (!found && !take_new(making, type, rank, wanted.sizes, numbers, view)) {
        return false;
    }
    if (is_broadcast) {
        broadcast(sizes, &view->tensor);
    }
    return true;
}

/* ---- nodes ---- */

void begin_node(struct making *making, DML_OPERATOR_TYPE type) {
    case_begin(making->c, type);
}

void read_view(struct making *making, const char *field, uint32_t element, const struct view *view) {
    struct case_tensor *tensor = case_array_tensor(making->c, field, element);
    const struct graph_value *value = &making->graph->values[view->value];
    *tensor = view->tensor;
    tensor->slack = 0;
    /* Readers of a constant have any total. */
    tensor->slack = value->kind != GRAPH_CONSTANT       ? value->bytes - (uint32_t)case_minimum_bytes(tensor)
                    : random_chance(making->random, 10) ? 4 * random_between(making->random, 1, 9)
                                                        : 0;
    tensor->owned = value->is_owned;
    tensor->align = value->kind != GRAPH_CONSTANT && random_chance(making->random, 5) ? 16 : 0;
    making->sources[tensor - making->c->tensors] = view->value;
}

bool write_result(struct making *making, const char *field, uint32_t element, DML_TENSOR_DATA_TYPE type, uint32_t rank,
                  const uint32_t *sizes, struct graph_range range) {
    struct case_tensor *tensor = case_array_tensor(making->c, field, element);
    *tensor = (struct case_tensor){.type = type, .rank = rank};
    memcpy(tensor->sizes, sizes, rank * sizeof *sizes);
    if (random_chance(making->random, 6)) {
        uint32_t stride = 1;
        for (uint32_t d = rank; d-- > 0;) {
            tensor->strides[d] = stride;
            stride = stride * sizes[d] + random_below(making->random, 3);
        }
        tensor->has_strides = 1;
    }
    tensor->slack = random_chance(making->random, 6) ? 4 * random_between(making->random, 1, 5) : 0;
    round_range(type, &range);
    making->results[tensor - making->c->tensors] = range;
    return case_element_count(tensor) <= 4 * MAX_ELEMENTS && case_total_bytes(tensor) <= GRAPH_MAX_BYTES &&
           (range.error == 0 || (making->graph->is_rough && range.error < 1e30));
}
