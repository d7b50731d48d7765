#include "model/tolerance.h"

#include <string.h>

/* What an operator and those that are fused into it add up to. */
struct sum {
    bool is_sum;
    bool fuses;
    uint32_t ulp;
};

static void add_accuracy(struct sum *sum, const VkdmlOperatorSchema *schema, DML_TENSOR_DATA_TYPE type) {
    if (schema->accuracy.kind == VKDML_ACCURACY_SUM) {
        sum->is_sum = true;
    } else if (schema->accuracy.kind == VKDML_ACCURACY_ULP) {
        sum->ulp += type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 1 : schema->accuracy.ulp;
    }
}

/* Operators to fuse, where the field has some. */
static void add_fused(struct sum *sum, const struct dispatchable *dispatchable, const VkdmlFieldSchema *field,
                      DML_TENSOR_DATA_TYPE type) {
    const unsigned char *desc = dispatchable->desc.Desc;
    const DML_OPERATOR_DESC *fused = NULL;
    uint32_t count = 1;
    if (field->type != VKDML_FIELD_TYPE_OPERATOR_DESC && field->type != VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY) {
        return;
    }
    memcpy(&fused, desc + field->offset, sizeof(fused));
    if (field->type == VKDML_FIELD_TYPE_OPERATOR_DESC_ARRAY) {
        memcpy(&count, desc + dispatchable->schema->fields[field->countField].offset, sizeof(count));
    }
    for (uint32_t i = 0; fused && i < count; i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchema(fused[i].Type);
        if (schema) {
            sum->fuses = true;
            add_accuracy(sum, schema, type);
        }
    }
}

static struct sum add_up(const struct dispatchable *dispatchable, DML_TENSOR_DATA_TYPE type) {
    const VkdmlOperatorSchema *schema = dispatchable->schema;
    struct sum sum = {false, false, 0};
    add_accuracy(&sum, schema, type);
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        add_fused(&sum, dispatchable, &schema->fields[i], type);
    }
    return sum;
}

static bool is_float(DML_TENSOR_DATA_TYPE type) {
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 || type == DML_TENSOR_DATA_TYPE_FLOAT32 ||
           type == DML_TENSOR_DATA_TYPE_FLOAT64;
}

/* A power of two below 1. */
static double part(unsigned digits) {
    return 1.0 / (double)(1u << digits);
}

/* Whether a SUM's bound hangs on how many terms there are, and on their magnitudes, which results do not show. */
static bool counts_terms(const VkdmlAccuracy *accuracy) {
    return accuracy->kind != VKDML_ACCURACY_SUM || accuracy->ofTermsCount > 0 || accuracy->ofResult.perTerm > 0;
}

/* The bound itself, of both sides where both are results, and a rounding to the type of each side. Beyond it lies what
 * is too small for FLOAT32. */
static struct compare_tolerance tolerance_of_bound(const VkdmlAccuracy *accuracy, DML_TENSOR_DATA_TYPE type,
                                                   unsigned sides) {
    const double rounding = type == DML_TENSOR_DATA_TYPE_FLOAT16 ? part(11) : part(24);
    const double least = type == DML_TENSOR_DATA_TYPE_FLOAT16 ? part(24) : 0x1p-125;
    return (struct compare_tolerance){.relative = sides * accuracy->ofResult.fixed * part(24) + 2 * rounding,
                                      .absolute = sides * accuracy->absolute * part(24) + least};
}

/* `sides`: how many of what is compared are results: 1 or both. */
static struct compare_tolerance tolerance_of_sum(const struct dispatchable *dispatchable, DML_TENSOR_DATA_TYPE type,
                                                 unsigned sides) {
    const VkdmlAccuracy *accuracy = &dispatchable->schema->accuracy;
    if (!is_float(type)) {
        return accuracy->ofIntegers ? (struct compare_tolerance){.absolute = accuracy->ofIntegers}
                                    : (struct compare_tolerance){.bits = true};
    }
    if (!counts_terms(accuracy) && !add_up(dispatchable, type).fuses) {
        return tolerance_of_bound(accuracy, type, sides);
    }
    const bool half = type == DML_TENSOR_DATA_TYPE_FLOAT16 ||
                      (dispatchable->flags & DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION);
    return half ? (struct compare_tolerance){.relative = part(9), .of_largest = part(12)}
                : (struct compare_tolerance){.relative = part(13), .of_largest = part(16)};
}

/* ---- graphs ---- */

/* What the nodes' tolerances add up to, in floats: each takes the errors of those before over. */
static struct compare_tolerance
tolerance_of_graph(const struct graph *graph, DML_TENSOR_DATA_TYPE type,
                   struct compare_tolerance (*of)(const struct dispatchable *dispatchable, DML_TENSOR_DATA_TYPE type)) {
    struct compare_tolerance sum = {.bits = true};
    for (uint32_t at = 0; is_float(type) && at < graph->operator_count; at++) {
        const struct dispatchable *op = graph->nodes[graph->order[at]].op;
        for (uint32_t i = 0; i < op->output_count; i++) {
            const DML_BUFFER_TENSOR_DESC *desc = model_tensor(op, VKDML_FIELD_KIND_OUTPUT_TENSOR, i).desc;
            if (!desc || !is_float(desc->DataType)) {
                continue;
            }
            const struct compare_tolerance own = of(op, desc->DataType);
            sum.bits = sum.bits && own.bits;
            sum.relative += own.relative;
            sum.absolute += own.absolute;
            sum.of_largest += own.of_largest;
            sum.ulp += own.ulp;
            break;
        }
    }
    return sum;
}

struct compare_tolerance tolerance_of_results(const struct dispatchable *dispatchable, DML_TENSOR_DATA_TYPE type) {
    if (!dispatchable) {
        return (struct compare_tolerance){.bits = true};
    }
    if (dispatchable->graph) {
        return tolerance_of_graph(dispatchable->graph, type, tolerance_of_results);
    }
    const struct sum sum = add_up(dispatchable, type);
    if (sum.is_sum) {
        return tolerance_of_sum(dispatchable, type, 1);
    }
    return sum.ulp && is_float(type) ? (struct compare_tolerance){.ulp = sum.ulp + 0.5}
                                     : (struct compare_tolerance){.bits = true};
}

struct compare_tolerance tolerance_of_reference(const struct dispatchable *dispatchable, DML_TENSOR_DATA_TYPE type) {
    if (dispatchable && dispatchable->graph) {
        return tolerance_of_graph(dispatchable->graph, type, tolerance_of_reference);
    }
    return dispatchable && add_up(dispatchable, type).is_sum ? tolerance_of_sum(dispatchable, type, 2)
                                                             : (struct compare_tolerance){.bits = true};
}
