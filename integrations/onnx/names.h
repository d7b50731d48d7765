/* Numbers by name. */
#ifndef ONNX_NAMES_H
#define ONNX_NAMES_H

#include "onnx/wire.h"

struct onnx_name {
    struct onnx_text text;
    uint32_t number;
    bool is_promised; /* for whoever keeps the table */
};

struct onnx_names {
    struct onnx_arena *arena; /* of the table; texts are who put them in's */
    struct onnx_name *entries;
    uint32_t *slots; /* of entries, counted from 1; 0: free */
    uint32_t count, slot_count;
};

bool onnx_text_equals(struct onnx_text a, struct onnx_text b);

/* NULL: there is none. Until the next one is put in. */
struct onnx_name *onnx_names_find(const struct onnx_names *names, struct onnx_text text);

/* A name that is not there yet. False: memory is out. */
bool onnx_names_add(struct onnx_names *names, struct onnx_text text, uint32_t number);

#endif
