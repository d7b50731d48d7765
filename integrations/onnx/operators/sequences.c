/* Sequences and optional values: what of them is a tensor. */
#include "onnx/operators/move.h"

static bool refuse_sequence(const struct onnx_call *call) {
    return onnx_refuse(call, "a sequence of tensors is no tensor");
}

static bool refuse_optional(const struct onnx_call *call) {
    return onnx_refuse(call, "an optional value is no tensor");
}

/* Version 18 on take tensors too. */
static bool get_element(const struct onnx_call *call) {
    return onnx_output(call, 0, onnx_needed(call, 0));
}

static bool has_element(const struct onnx_call *call) {
    const uint8_t truth = onnx_input(call, 0) != NULL;
    return onnx_output(call, 0, onnx_constant(call, ONNX_BOOL, 0, NULL, &truth));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "SequenceAt", 11, refuse_sequence},         {ONNX_ML, "SequenceConstruct", 11, refuse_sequence},
    {ONNX_ML, "SequenceEmpty", 11, refuse_sequence},      {ONNX_ML, "SequenceErase", 11, refuse_sequence},
    {ONNX_ML, "SequenceInsert", 11, refuse_sequence},     {ONNX_ML, "SequenceLength", 11, refuse_sequence},
    {ONNX_ML, "SequenceMap", 17, refuse_sequence},        {ONNX_ML, "SplitToSequence", 11, refuse_sequence},
    {ONNX_ML, "ConcatFromSequence", 11, refuse_sequence}, {ONNX_ML, "Optional", 15, refuse_optional},
    {ONNX_ML, "OptionalGetElement", 15, refuse_optional}, {ONNX_ML, "OptionalGetElement", 18, get_element},
    {ONNX_ML, "OptionalHasElement", 15, refuse_optional}, {ONNX_ML, "OptionalHasElement", 18, has_element},
};
ONNX_DEFINE_FAMILY(sequences, rows)
