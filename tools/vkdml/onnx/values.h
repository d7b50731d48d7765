/* What outputs of an ONNX model's graph hold. */
#ifndef VALUES_H
#define VALUES_H

#include "model/compare.h"
#include "onnx/plan.h"
#include "onnx/subject.h"

struct values {
    uint32_t count;
    struct onnx_plan_output *outputs;
    void **elements;
};

/* Makes room for such outputs, which are copied. False, with the reason on stderr, where memory is out; values_free()
 * is due either way. */
bool values_begin(struct values *values, uint32_t count, const struct onnx_plan_output *outputs);
void values_free(struct values *values);

/* 0 of types that DirectML has not, such as strings. */
uint64_t values_elements(const struct values *values, uint32_t index);

/* Writes a .npy file. False, with the reason on stderr. */
bool values_write(const struct values *values, uint32_t index, const char *path);

#endif
