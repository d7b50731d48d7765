/* What translations ask of a node. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "onnx/plan_parts.h"
#include "text/visible_text.h"

struct onnx_title onnx_node_title(const struct onnx_node *node) {
    struct onnx_title title;
    const struct visible_text op = visible_text(node->op), name = visible_text(node->name);
    const char *quote = name.text[0] == 0 ? "" : "'";
    snprintf(title.text, sizeof title.text, "%s%s%s%s%s", op.text, name.text[0] == 0 ? "" : " ", quote, name.text,
             quote);
    return title;
}

static void refuse(const struct onnx_call *call, VkdmlResult result, const char *format, va_list arguments) {
    char text[384];
    vsnprintf(text, sizeof text, format, arguments);
    const struct onnx_node *node = call->node;
    if (node == NULL) {
        onnx_fail_with(call->error, result, "the graph: %s", text);
    } else {
        onnx_fail_with(call->error, result, "%s: %s", onnx_node_title(node).text, text);
    }
}

bool onnx_refuse(const struct onnx_call *call, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    refuse(call, VKDML_ERROR_INVALID_ARGUMENT, format, arguments);
    va_end(arguments);
    return false;
}

bool onnx_refuse_with(const struct onnx_call *call, VkdmlResult result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    refuse(call, result, format, arguments);
    va_end(arguments);
    return false;
}

bool onnx_refuse_type(const struct onnx_call *call, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    refuse(call, VKDML_ERROR_NOT_IMPLEMENTED, format, arguments);
    va_end(arguments);
    return false;
}

bool onnx_memory_is_out(const struct onnx_call *call) {
    return onnx_refuse_with(call, VKDML_ERROR_OUT_OF_HOST_MEMORY, "memory is out");
}

struct onnx_tensor *onnx_input(const struct onnx_call *call, uint32_t index) {
    return index < call->input_count ? call->inputs[index] : NULL;
}

bool onnx_output(const struct onnx_call *call, uint32_t index, struct onnx_tensor *tensor) {
    if (tensor != NULL && index < call->output_count) {
        call->outputs[index] = tensor;
    }
    return tensor != NULL;
}

/* ---- attributes ---- */

const struct onnx_attribute *onnx_attribute(const struct onnx_call *call, const char *name,
                                            enum onnx_attribute_kind kind) {
    for (uint32_t i = 0; i < call->node->attribute_count; ++i) {
        const struct onnx_attribute *attribute = &call->node->attributes[i];
        if (attribute->kind == kind && strcmp(attribute->name, name) == 0) {
            return attribute;
        }
    }
    return NULL;
}

bool onnx_find_body(const struct onnx_call *call, const char *name, const struct onnx_graph **body) {
    const struct onnx_attribute *attribute = onnx_attribute(call, name, ONNX_ATTRIBUTE_GRAPH);
    *body = attribute == NULL ? NULL : attribute->graph;
    return attribute == NULL || *body != NULL ||
           onnx_refuse_type(call,
                            "ONNX Runtime runs nodes that have bodies; nodes of the bodies are assigned one by one");
}

int64_t onnx_int(const struct onnx_call *call, const char *name, int64_t otherwise) {
    const struct onnx_attribute *attribute = onnx_attribute(call, name, ONNX_ATTRIBUTE_INT);
    return attribute == NULL ? otherwise : attribute->ints[0];
}

float onnx_float(const struct onnx_call *call, const char *name, float otherwise) {
    const struct onnx_attribute *attribute = onnx_attribute(call, name, ONNX_ATTRIBUTE_FLOAT);
    return attribute == NULL ? otherwise : attribute->floats[0];
}

const char *onnx_text(const struct onnx_call *call, const char *name, const char *otherwise) {
    const struct onnx_attribute *attribute = onnx_attribute(call, name, ONNX_ATTRIBUTE_STRING);
    return attribute == NULL ? otherwise : attribute->strings[0];
}

const int64_t *onnx_ints(const struct onnx_call *call, const char *name, uint32_t *count) {
    const struct onnx_attribute *attribute = onnx_attribute(call, name, ONNX_ATTRIBUTE_INTS);
    *count = attribute == NULL ? 0 : (uint32_t)attribute->count;
    return attribute == NULL ? NULL : attribute->ints;
}

bool onnx_axis(const struct onnx_call *call, int64_t axis, uint32_t rank, uint32_t *found) {
    const int64_t from_start = axis < 0 ? axis + rank : axis;
    if (from_start < 0 || from_start >= rank) {
        return onnx_refuse(call, "axis %lld of %u dimensions", (long long)axis, (unsigned)rank);
    }
    *found = (uint32_t)from_start;
    return true;
}

/* ---- elements ---- */

/* Bytes of what planning writes out for each element of an operand that a translation looks at: 2^24 elements, for
 * 1 GiB. */
#define BYTES_OF_OPERAND 64

static float half_to_float(uint16_t bits) {
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value;
    if (exponent == 0) {
        value = (float)fraction * 0x1p-24F;
        return sign != 0 ? -value : value;
    }
    const uint32_t word = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
    memcpy(&value, &word, sizeof value);
    return value;
}

bool onnx_read_int(enum onnx_type type, const unsigned char *data, uint64_t i, int64_t *value) {
#define READ(T)                                                                                                        \
    do {                                                                                                               \
        T element;                                                                                                     \
        memcpy(&element, data + i * sizeof element, sizeof element);                                                   \
        *value = (int64_t)element;                                                                                     \
        return true;                                                                                                   \
    } while (0)
    switch (type) {
    case ONNX_BOOL:
    case ONNX_UINT8:
        READ(uint8_t);
    case ONNX_INT8:
        READ(int8_t);
    case ONNX_UINT16:
        READ(uint16_t);
    case ONNX_INT16:
        READ(int16_t);
    case ONNX_UINT32:
        READ(uint32_t);
    case ONNX_INT32:
        READ(int32_t);
    case ONNX_UINT64:
        READ(uint64_t);
    case ONNX_INT64:
        READ(int64_t);
    case ONNX_UINT4:
        *value = data[i / 2] >> (i % 2 * 4) & 15;
        return true;
    case ONNX_INT4:
        *value = ((data[i / 2] >> (i % 2 * 4) & 15) ^ 8) - 8;
        return true;
    default:
        return false;
    }
#undef READ
}

bool onnx_read_float(enum onnx_type type, const unsigned char *data, uint64_t i, double *value) {
    int64_t integer;
    if (onnx_read_int(type, data, i, &integer)) {
        *value = (double)integer;
    } else if (type == ONNX_FLOAT) {
        float element;
        memcpy(&element, data + i * sizeof element, sizeof element);
        *value = (double)element;
    } else if (type == ONNX_DOUBLE) {
        memcpy(value, data + i * sizeof *value, sizeof *value);
    } else if (type == ONNX_FLOAT16) {
        uint16_t bits;
        memcpy(&bits, data + i * sizeof bits, sizeof bits);
        *value = (double)half_to_float(bits);
    } else if (type == ONNX_BFLOAT16) {
        float element;
        uint16_t bits;
        memcpy(&bits, data + i * sizeof bits, sizeof bits);
        const uint32_t word = (uint32_t)bits << 16;
        memcpy(&element, &word, sizeof element);
        *value = (double)element;
    } else {
        return false;
    }
    return true;
}

/* Packed elements of an input that is known, which the plan then depends on. An empty one has some place. */
static const unsigned char *known_elements(const struct onnx_call *call, uint32_t index,
                                           const struct onnx_tensor **tensor) {
    static const unsigned char nothing[8];
    struct onnx_plan *plan = call->plan;
    *tensor = onnx_input(call, index);
    if (*tensor == NULL) {
        onnx_refuse(call, "input %u is missing", (unsigned)index);
        return NULL;
    }
    if (onnx_is_empty(*tensor)) {
        return nothing;
    }
    if ((*tensor)->source == ONNX_NONE) {
        onnx_refuse(call, "input %u is of type %s, which is not computed with", (unsigned)index,
                    onnx_type_name((*tensor)->type));
        return NULL;
    }
    if ((*tensor)->data == NULL) {
        plan->unknown |= plan->sources[(*tensor)->source].depends;
        plan->to_fix |= plan->sources[(*tensor)->source].of_sizes;
        onnx_refuse(call, "input %u is not known before the model runs", (unsigned)index);
        return NULL;
    }
    if (onnx_count(*tensor) > plan->host_limit / BYTES_OF_OPERAND) {
        onnx_refuse(call, "input %u has more elements than are looked at", (unsigned)index);
        return NULL;
    }
    const void *elements = onnx_packed(plan, *tensor);
    if (elements == NULL) {
        onnx_memory_is_out(call);
    }
    return elements;
}

const int64_t *onnx_host_ints(const struct onnx_call *call, uint32_t index, uint32_t *count) {
    const struct onnx_tensor *tensor;
    const unsigned char *elements = known_elements(call, index, &tensor);
    if (elements == NULL) {
        return NULL;
    }
    *count = (uint32_t)onnx_count(tensor);
    int64_t *ints = onnx_allocate(&call->plan->arena, (size_t)onnx_count(tensor), sizeof *ints);
    if (ints == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    for (uint32_t i = 0; i < *count; ++i) {
        if (!onnx_read_int(tensor->type, elements, i, &ints[i])) {
            onnx_refuse(call, "input %u is no integer", (unsigned)index);
            return NULL;
        }
    }
    return ints;
}

const double *onnx_host_floats(const struct onnx_call *call, uint32_t index, uint32_t *count) {
    const struct onnx_tensor *tensor;
    const unsigned char *elements = known_elements(call, index, &tensor);
    if (elements == NULL) {
        return NULL;
    }
    *count = (uint32_t)onnx_count(tensor);
    double *floats = onnx_allocate(&call->plan->arena, (size_t)onnx_count(tensor), sizeof *floats);
    if (floats == NULL) {
        onnx_memory_is_out(call);
        return NULL;
    }
    for (uint32_t i = 0; i < *count; ++i) {
        if (!onnx_read_float(tensor->type, elements, i, &floats[i])) {
            onnx_refuse(call, "input %u is no number", (unsigned)index);
            return NULL;
        }
    }
    return floats;
}
