/* Which nodes make infinities and NaN, and why. */
#include <math.h>
#include <string.h>

#include "onnx/diagnosis_parts.h"
#include "onnx/plan_parts.h"
#include "text/visible_text.h"

/* Infinities and NaN that a node has as attributes are what it is asked to make. */
static bool asks_for_non_finite(const struct onnx_node *node) {
    for (uint32_t a = 0; a < node->attribute_count; ++a) {
        const struct onnx_attribute *attribute = &node->attributes[a];
        for (size_t i = 0; attribute->floats != NULL && i < attribute->count; ++i) {
            if (!isfinite(attribute->floats[i])) {
                return true;
            }
        }
        if (attribute->kind == ONNX_ATTRIBUTE_TENSOR) {
            const struct onnx_data *data = &attribute->tensor;
            const struct onnx_extent extent =
                onnx_measure(data->type, onnx_count_of(data->type, data->rank, data->sizes), data->data);
            if (extent.infinities != 0 || extent.nans != 0) {
                return true;
            }
        }
    }
    return false;
}

/* A FLOAT16 input as FLOAT; others as they are. */
static bool widen(struct onnx_plan_input *input, struct onnx_arena *arena) {
    const uint64_t count = onnx_elements(input->rank, input->sizes);
    float *elements = onnx_allocate(arena, count + 1, sizeof *elements);
    for (uint64_t i = 0; elements != NULL && i < count; ++i) {
        double number = 0;
        onnx_read_float(ONNX_FLOAT16, input->data, i, &number);
        elements[i] = (float)number;
    }
    input->type = ONNX_FLOAT;
    input->data = elements;
    return elements != NULL;
}

/* What a node of FLOAT16 makes of the same numbers as FLOAT, if it can be made so. */
static bool measure_widened(struct onnx_visit *v, uint32_t output, struct onnx_extent *extent) {
    struct onnx_walking *walk = v->walk;
    struct onnx_visit wide = {.walk = walk, .node = v->node};
    bool *is_given = onnx_allocate(&v->arena, walk->graph->value_count, sizeof *is_given);
    for (uint32_t i = 0; is_given != NULL && i < walk->graph->value_count; ++i) {
        is_given[i] = walk->held[i].is.type == ONNX_FLOAT16 || walk->is_given[i];
    }
    bool done = is_given != NULL && onnx_single_make(walk->graph, v->node, is_given, walk->wanted, walk->numbers,
                                                     &v->arena, &wide.single);
    const uint32_t count = done ? wide.single.graph.input_count : 0;
    wide.inputs = onnx_allocate(&v->arena, count, sizeof *wide.inputs);
    done = done && wide.inputs != NULL;
    for (uint32_t i = 0; done && i < count; ++i) {
        wide.inputs[i] = walk->held[wide.single.inputs[i]].is;
        done = wide.inputs[i].type != ONNX_FLOAT16 || widen(&wide.inputs[i], &v->arena);
    }
    struct onnx_made made = {0};
    struct onnx_error ignored = {0};
    done = done && onnx_execute(walk, &wide.single.graph, wide.inputs, true, &made, &ignored) &&
           made.outputs[output].type == ONNX_FLOAT;
    if (done) {
        const struct onnx_plan_output *is = &made.outputs[output];
        *extent = onnx_measure(is->type, onnx_elements(is->rank, is->sizes), made.elements[output]);
    }
    onnx_made_free(&made);
    return done;
}

/* Whether a node makes what is not finite of what is, or NaN of infinities. */
static bool goes_wrong(const struct onnx_visit *v, const struct onnx_extent *extent) {
    uint64_t infinities = 0, nans = 0;
    for (uint32_t i = 0; i < v->read_count; ++i) {
        infinities += v->reads[i].extent.infinities;
        nans += v->reads[i].extent.nans;
    }
    return nans == 0 && !asks_for_non_finite(v->node) &&
           (extent->nans != 0 || (extent->infinities != 0 && infinities == 0));
}

bool onnx_check_finite(struct onnx_visit *v, const struct onnx_made *made, uint32_t o) {
    const struct onnx_walking *walk = v->walk;
    const struct onnx_plan_output *output = &made->outputs[o];
    const struct onnx_extent extent =
        onnx_is_real(output->type)
            ? onnx_measure(output->type, onnx_elements(output->rank, output->sizes), made->elements[o])
            : (struct onnx_extent){0};
    struct onnx_text_buffer text = {.size = 0};
    struct onnx_found found = {.node = v->node,
                               .value = walk->graph->values[v->single.outputs[o]].name,
                               .type = output->type,
                               .rank = output->rank,
                               .sizes = output->sizes,
                               .is_wrong = goes_wrong(v, &extent)};
    if (found.is_wrong) {
        struct onnx_extent wide;
        const bool is_widened = output->type == ONNX_FLOAT16 && measure_widened(v, o, &wide);
        onnx_text_add_node(&text, walk->graph, v->node);
        onnx_text_add(&text, ": output '%s' has %llu inf and %llu NaN of %llu elements: %s", visible_text(found.value).text,
                      (unsigned long long)extent.infinities, (unsigned long long)extent.nans,
                      (unsigned long long)extent.count,
                      onnx_non_finite_reason(v->node, output->type, &extent, v->read_count, v->reads,
                                             is_widened ? &wide : NULL));
        if (is_widened && wide.infinities == 0 && wide.nans == 0) {
            onnx_text_add(&text, "; in FLOAT it is from %.6g to %.6g", wide.least, wide.most);
        }
        onnx_text_add_inputs(&text, v->read_count, v->reads);
    }
    found.text = text.text;
    onnx_tell_found(v->walk, &found);
    return true;
}
