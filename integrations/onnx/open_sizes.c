#include "onnx/open_sizes.h"

#include <stdio.h>
#include <string.h>

#include "onnx/names.h"
#include "text/visible_text.h"

#define SHARED_BIT 62

struct finding {
    const struct onnx_graph *graph;
    struct onnx_open_sizes *open;
    struct onnx_names names;
    uint32_t room;
};

static bool is_open(const struct onnx_value *value, uint32_t d) {
    return value->sizes[d] < 0 || value->sizes[d] > UINT32_MAX;
}

static bool add(struct finding *f, uint32_t v, uint32_t d) {
    const char *symbol = f->graph->values[v].symbols[d];
    const struct onnx_text text = {symbol, symbol == NULL ? 0 : strlen(symbol)};
    const struct onnx_name *known = symbol == NULL ? NULL : onnx_names_find(&f->names, text);
    struct onnx_open_sizes *open = f->open;
    uint32_t *number = &open->numbers[(size_t)v * ONNX_MAX_RANK + d];
    *number = known == NULL ? open->count : known->number;
    if (known != NULL) {
        return true;
    }
    open->sizes[open->count++] = (struct onnx_open_size){symbol, v, d};
    return symbol == NULL || onnx_names_add(&f->names, text, *number);
}

static bool add_all(struct finding *f, uint32_t v) {
    const struct onnx_value *value = &f->graph->values[v];
    bool done = true;
    for (uint32_t d = 0; done && value->has_shape && d < value->rank && d < ONNX_MAX_RANK; ++d) {
        done = !is_open(value, d) || f->open->numbers[(size_t)v * ONNX_MAX_RANK + d] != ONNX_NONE || add(f, v, d);
    }
    return done;
}

bool onnx_find_open_sizes(const struct onnx_graph *graph, struct onnx_arena *arena, struct onnx_open_sizes *open) {
    struct finding f = {.graph = graph, .open = open, .names = {.arena = arena}, .room = 1};
    const uint32_t input_count = graph->input_count + graph->optional_count;
    *open = (struct onnx_open_sizes){0};
    for (uint32_t v = 0; v < graph->value_count; ++v) {
        for (uint32_t d = 0; graph->values[v].has_shape && d < graph->values[v].rank && d < ONNX_MAX_RANK; ++d) {
            f.room += is_open(&graph->values[v], d);
        }
    }
    open->sizes = onnx_allocate(arena, f.room, sizeof *open->sizes);
    open->numbers = onnx_allocate(arena, (size_t)graph->value_count * ONNX_MAX_RANK, sizeof *open->numbers);
    if (open->sizes == NULL || open->numbers == NULL) {
        return false;
    }
    memset(open->numbers, 0xFF, (size_t)graph->value_count * ONNX_MAX_RANK * sizeof *open->numbers);
    bool done = true;
    for (uint32_t i = 0; done && i < input_count; ++i) {
        done = graph->values[graph->inputs[i]].constant != NULL || add_all(&f, graph->inputs[i]);
    }
    open->input_count = open->count;
    for (uint32_t v = 0; done && v < graph->value_count; ++v) {
        done = add_all(&f, v);
    }
    open->unranked = open->count;
    open->sizes[open->count++] = (struct onnx_open_size){NULL, ONNX_NONE, 0};
    return done;
}

uint32_t onnx_open_size_of(const struct onnx_open_sizes *open, const struct onnx_graph *graph, uint32_t value,
                           uint32_t dimension) {
    return graph->values[value].has_shape ? open->numbers[(size_t)value * ONNX_MAX_RANK + dimension] : open->unranked;
}

struct onnx_open_name onnx_open_name(const struct onnx_open_sizes *open, const struct onnx_graph *graph,
                                     uint32_t number) {
    const struct onnx_open_size *size = &open->sizes[number];
    struct onnx_open_name name;
    if (size->name != NULL) {
        snprintf(name.text, sizeof name.text, "'%s'", visible_text(size->name).text);
    } else if (size->value != ONNX_NONE) {
        snprintf(name.text, sizeof name.text, "'%s.%u'", visible_text(graph->values[size->value].name).text,
                 (unsigned)size->dimension);
    } else {
        snprintf(name.text, sizeof name.text, "a size without a rank");
    }
    return name;
}

uint64_t onnx_open_bit(uint32_t number) {
    return (uint64_t)1 << (number < SHARED_BIT ? number : SHARED_BIT);
}
