#include "onnx/diagnosis_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "onnx/plan_parts.h"
#include "text/visible_text.h"

void onnx_text_add(struct onnx_text_buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(buffer->text + buffer->size, sizeof buffer->text - buffer->size, format, arguments);
    va_end(arguments);
    const size_t room = sizeof buffer->text - 1 - buffer->size;
    buffer->size += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
}

void onnx_text_add_node(struct onnx_text_buffer *buffer, const struct onnx_graph *graph, const struct onnx_node *node) {
    if (node->name[0] != 0) {
        onnx_text_add(buffer, "node '%s' (%s)", visible_text(node->name).text, visible_text(node->op).text);
        return;
    }
    const char *output = "";
    for (uint32_t i = 0; output[0] == 0 && i < node->output_count; ++i) {
        output = node->outputs[i] == ONNX_NONE ? "" : graph->values[node->outputs[i]].name;
    }
    onnx_text_add(buffer, "node %s of '%s'", visible_text(node->op).text, visible_text(output).text);
}

static void add_coordinates(struct onnx_text_buffer *buffer, uint64_t index, uint32_t rank, const uint32_t *sizes) {
    uint64_t inner = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        inner *= sizes[d];
    }
    onnx_text_add(buffer, "[");
    for (uint32_t d = 0; d < rank; ++d) {
        inner /= sizes[d];
        onnx_text_add(buffer, "%s%" PRIu64, d == 0 ? "" : ", ", index / inner);
        index %= inner;
    }
    onnx_text_add(buffer, "]");
}

static void add_sizes(struct onnx_text_buffer *buffer, uint32_t rank, const uint32_t *sizes) {
    onnx_text_add(buffer, "[");
    for (uint32_t d = 0; d < rank; ++d) {
        onnx_text_add(buffer, "%s%u", d == 0 ? "" : ", ", (unsigned)sizes[d]);
    }
    onnx_text_add(buffer, "]");
}

void onnx_text_add_inputs(struct onnx_text_buffer *buffer, uint32_t count, const struct onnx_read_value *inputs) {
    onnx_text_add(buffer, "%s", count == 0 ? "; no inputs" : "; inputs: ");
    for (uint32_t i = 0; i < count; ++i) {
        const struct onnx_read_value *input = &inputs[i];
        onnx_text_add(buffer, "%s'%s' %s ", i == 0 ? "" : "; ", visible_text(input->name).text,
                      onnx_type_name(input->type));
        add_sizes(buffer, input->rank, input->sizes);
        onnx_text_add(buffer, " from %.6g to %.6g", input->extent.least, input->extent.most);
        if (onnx_is_real(input->type)) {
            onnx_text_add(buffer, ", %" PRIu64 " inf, %" PRIu64 " NaN", input->extent.infinities, input->extent.nans);
        }
    }
}

static void add_element(struct onnx_text_buffer *buffer, const struct onnx_comparison *c, const void *data) {
    int64_t integer;
    double number;
    if (onnx_read_int(c->type, data, c->worst, &integer) && c->type != ONNX_UINT64) {
        onnx_text_add(buffer, "%" PRId64, integer);
    } else if (onnx_read_float(c->type, data, c->worst, &number)) {
        onnx_text_add(buffer, "%.9g", number);
    } else {
        onnx_text_add(buffer, "other bits");
    }
}

void onnx_text_add_difference(struct onnx_text_buffer *buffer, const struct onnx_comparison *c, uint32_t rank,
                         const uint32_t *sizes) {
    onnx_text_add(buffer, "%" PRIu64 " of %" PRIu64 " elements %s wrong, most at ", c->wrong, c->count,
                  c->wrong == 1 ? "is" : "are");
    add_coordinates(buffer, c->worst, rank, sizes);
    onnx_text_add(buffer, ": ");
    add_element(buffer, c, c->got);
    onnx_text_add(buffer, ", must be ");
    add_element(buffer, c, c->expected);
    if (c->relative > 0) {
        onnx_text_add(buffer, ", within %.3g of the element and %.3g of the largest", c->relative, c->of_largest);
    }
}

/* ---- reasons ---- */

/* What an operator is not defined for, where an input of it has such elements. */
struct domain {
    const char *op;
    uint32_t input;
    bool makes_nan;
    enum { ZERO, BELOW_ZERO, BELOW_ONE, BEYOND_ONE, FROM_ONE_ON } kind;
    const char *text;
};

static const struct domain domains[] = {
    {"Div", 1, false, ZERO, "division by 0"},
    {"Div", 1, true, ZERO, "0 / 0"},
    {"Mod", 1, true, ZERO, "the remainder of a division by 0"},
    {"Reciprocal", 0, false, ZERO, "the reciprocal of 0"},
    {"Pow", 0, false, ZERO, "0 to a negative power, or a power that is too large"},
    {"Pow", 0, true, BELOW_ZERO, "a negative number to a fractional power"},
    {"Log", 0, false, ZERO, "the logarithm of 0"},
    {"Log", 0, true, BELOW_ZERO, "the logarithm of a negative number"},
    {"Sqrt", 0, true, BELOW_ZERO, "the square root of a negative number"},
    {"Acosh", 0, true, BELOW_ONE, "an element below 1"},
    {"Asin", 0, true, BEYOND_ONE, "an element outside -1 to 1"},
    {"Acos", 0, true, BEYOND_ONE, "an element outside -1 to 1"},
    {"Atanh", 0, true, BEYOND_ONE, "an element outside -1 to 1"},
    {"Atanh", 0, false, FROM_ONE_ON, "an element that is -1 or 1"},
};

static bool has_such(const struct domain *domain, const struct onnx_extent *extent) {
    switch (domain->kind) {
    case ZERO:
        return extent->zeros != 0;
    case BELOW_ZERO:
        return extent->least < 0;
    case BELOW_ONE:
        return extent->least < 1;
    case BEYOND_ONE:
        return extent->least < -1 || extent->most > 1;
    default:
        return extent->least <= -1 || extent->most >= 1;
    }
}

static const char *overflow_of(enum onnx_type type) {
    return type == ONNX_FLOAT16    ? "the result exceeds the largest FLOAT16, 65504"
           : type == ONNX_BFLOAT16 ? "the result exceeds the largest BFLOAT16, 3.39e38"
           : type == ONNX_DOUBLE   ? "the result exceeds the largest DOUBLE, 1.80e308"
                                   : "the result exceeds the largest FLOAT, 3.40e38";
}

const char *onnx_non_finite_reason(const struct onnx_node *node, enum onnx_type type, const struct onnx_extent *made,
                                   uint32_t count, const struct onnx_read_value *inputs,
                                   const struct onnx_extent *widened) {
    const bool makes_nan = made->nans != 0;
    bool reads_infinities = false;
    for (uint32_t i = 0; i < count; ++i) {
        reads_infinities = reads_infinities || inputs[i].extent.infinities != 0;
    }
    if (makes_nan && reads_infinities) {
        return "infinities among the inputs cancel or meet 0";
    }
    if (widened != NULL && widened->nans == 0 && widened->infinities == 0) {
        return makes_nan ? "a part of the result exceeds the largest FLOAT16, 65504" : overflow_of(type);
    }
    for (size_t d = 0; d < sizeof domains / sizeof domains[0]; ++d) {
        const struct domain *domain = &domains[d];
        if (strcmp(domain->op, node->op) == 0 && domain->makes_nan == makes_nan && domain->input < count &&
            has_such(domain, &inputs[domain->input].extent)) {
            return domain->text;
        }
    }
    return makes_nan ? "the operator is not defined for these inputs, or a part of the result is infinite"
                     : overflow_of(type);
}
