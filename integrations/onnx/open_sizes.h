/* Open sizes of a graph: the sizes of its values that the model does not state. Sizes with the same name are one open
 * size. A size without a name is an open size of its own. */
#ifndef ONNX_OPEN_SIZES_H
#define ONNX_OPEN_SIZES_H

#include "onnx/graph.h"

struct onnx_open_size {
    const char *name;          /* NULL: it has none */
    uint32_t value, dimension; /* the first place that has it; ONNX_NONE: see `unranked` */
};

struct onnx_open_sizes {
    uint32_t count;
    struct onnx_open_size *sizes;
    uint32_t input_count; /* the first ones are sizes of the graph's inputs */
    uint32_t unranked;    /* the number of all sizes of values whose rank is not known either */
    uint32_t *numbers;    /* by value and dimension; see onnx_open_size_of() */
};

/* Finds the open sizes. They are the arena's. False if memory is out. */
bool onnx_find_open_sizes(const struct onnx_graph *graph, struct onnx_arena *arena, struct onnx_open_sizes *open);

/* The number of an open size, or ONNX_NONE if the model states the size. */
uint32_t onnx_open_size_of(const struct onnx_open_sizes *open, const struct onnx_graph *graph, uint32_t value,
                           uint32_t dimension);

/* 'NAME', or 'VALUE.DIMENSION' of a size without a name, as it is printed. */
struct onnx_open_name {
    char text[288];
};
struct onnx_open_name onnx_open_name(const struct onnx_open_sizes *open, const struct onnx_graph *graph,
                                     uint32_t number);

/* A set of open sizes: a bit each; the last bits are shared, see onnx_open_bit(). */
#define ONNX_OPEN_ELEMENTS ((uint64_t)1 << 63) /* not a size: elements that are not known */
uint64_t onnx_open_bit(uint32_t number);

#endif
