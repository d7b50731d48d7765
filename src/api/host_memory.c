#include "api/host_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "schema/aliases.h"

/* The bindings of a call's inputs, or of its outputs, with what they must be. */
struct side {
    const char *name; /* "input" */
    uint32_t count;
    const VkdmlHostBinding *bindings;
    uint32_t tensor_count;
    const struct vkdml_tensor *tensors;
    const char *(*name_of)(const struct vkdml_instance *instance, uint32_t index);
};

static void check_tensor(const struct vkdml_tensor *tensor, const VkdmlHostBinding *binding, const char *name,
                         struct vkdml_report *report) {
    /* Where two elements share a byte, bytes are all that is addressed. */
    const uint32_t alignment = tensor->element_size > 0 ? tensor->element_size : 1;
    if (tensor->dimension_count == 0) {
        if (binding->data) {
            vkdml_report_invalid(report, "%s: data must be NULL, the descriptor has no such tensor", name);
        }
        return;
    }
    if (!binding->data) {
        vkdml_report_invalid(report, "%s: data is NULL", name);
    } else if (binding->size < tensor->total_bytes) {
        vkdml_report_invalid(report, "%s: size is %zu, must be at least %" PRIu64 " = TotalTensorSizeInBytes", name,
                             binding->size, tensor->total_bytes);
    } else if ((uintptr_t)binding->data % alignment != 0) {
        vkdml_report_invalid(report, "%s: data is 0x%" PRIxPTR ", must be a multiple of %" PRIu32 " (its element size)",
                             name, (uintptr_t)binding->data, alignment);
    }
}

static void check_side(const struct side *side, const struct vkdml_instance *instance, struct vkdml_report *report) {
    if (side->count != side->tensor_count) {
        vkdml_report_invalid(report, "%sCount is %" PRIu32 ", must be %" PRIu32, side->name, side->count,
                             side->tensor_count);
    } else if (side->count != 0 && !side->bindings) {
        vkdml_report_invalid(report, "%ss is NULL, must point to %" PRIu32 " bindings", side->name, side->count);
    } else {
        for (uint32_t i = 0; i < side->count; i++) {
            check_tensor(&side->tensors[i], &side->bindings[i], side->name_of(instance, i), report);
        }
    }
}

/* A tensor's bytes in the host's memory. */
struct region {
    struct vkdml_place place;
    uint32_t index; /* among inputs or outputs */
};

static struct region region_of(const struct side *side, uint32_t index) {
    return (struct region){
        .place = {.first = (uintptr_t)side->bindings[index].data, .bytes = side->tensors[index].total_bytes},
        .index = index};
}

static int by_first_byte(const void *left, const void *right) {
    const struct region *a = left, *b = right;
    return (a->place.first > b->place.first) - (a->place.first < b->place.first);
}

static void report_overlap(const struct region *output, const char *name, const struct region *other,
                           const char *other_name, const char *refusal, struct vkdml_report *report) {
    vkdml_report_invalid(
        report,
        "%s: its %" PRIu64 " bytes at 0x%" PRIx64 " overlap %s, %" PRIu64 " at 0x%" PRIx64 ", must be disjoint%s", name,
        output->place.bytes, output->place.first, other_name, other->place.bytes, other->place.first, refusal);
}

static struct vkdml_aliases aliases_of(const struct vkdml_instance *instance, uint32_t output) {
    const VkdmlOperatorSchema *schema = instance->schema;
    for (uint32_t i = 0; i < schema->fieldCount; i++) {
        if (schema->fields[i].kind == VKDML_FIELD_KIND_OUTPUT_TENSOR && schema->fields[i].bindingIndex == output) {
            return vkdml_output_aliases(instance, &schema->fields[i]);
        }
    }
    return (struct vkdml_aliases){0, 0}; /* one of an array behind its first */
}

/* Outputs that are disjoint and sorted end in the order that they begin in: those that an input overlaps are
 * neighbours. */
static void check_input_apart(const struct region *input, const char *name, const struct region *outputs,
                              uint32_t count, const struct vkdml_instance *instance, struct vkdml_report *report) {
    uint32_t first = 0, end = count;
    while (first < end) { /* the first that does not end before the input */
        const uint32_t middle = first + (end - first) / 2;
        const struct vkdml_place *place = &outputs[middle].place;
        if (place->first < input->place.first && !vkdml_places_overlap(place, &input->place)) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    for (; first < count && vkdml_places_overlap(&outputs[first].place, &input->place); first++) {
        const struct vkdml_aliases aliases = aliases_of(instance, outputs[first].index);
        const char *refusal = vkdml_overlap_refusal(&aliases, input->index, &outputs[first].place, &input->place);
        if (refusal) {
            report_overlap(&outputs[first], vkdml_output_name(instance, outputs[first].index), input, name, refusal,
                           report);
        }
    }
}

/* An array may have 65536 tensors: sorted, they need not be held each to each. */
static void check_apart(const struct side *inputs, const struct side *outputs, struct region *sorted,
                        const struct vkdml_instance *instance, struct vkdml_report *report) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < outputs->count; i++) {
        if (outputs->bindings[i].data) {
            sorted[count++] = region_of(outputs, i);
        }
    }
    qsort(sorted, count, sizeof *sorted, by_first_byte);
    for (uint32_t i = 1; i < count; i++) {
        if (vkdml_places_overlap(&sorted[i - 1].place, &sorted[i].place)) {
            report_overlap(&sorted[i], vkdml_output_name(instance, sorted[i].index), &sorted[i - 1],
                           vkdml_output_name(instance, sorted[i - 1].index), "", report);
        }
    }
    const bool disjoint = report->count == 0;
    for (uint32_t i = 0; i < inputs->count && disjoint; i++) {
        if (inputs->bindings[i].data) {
            const struct region input = region_of(inputs, i);
            check_input_apart(&input, vkdml_input_name(instance, i), sorted, count, instance, report);
        }
    }
}

VkdmlResult vkdml_check_host_memory(const VkdmlReferenceInfo *info, const struct vkdml_instance *instance,
                                    struct vkdml_report *report) {
    const struct side inputs = {.name = "input",
                                .count = info->inputCount,
                                .bindings = info->inputs,
                                .tensor_count = instance->input_count,
                                .tensors = instance->inputs,
                                .name_of = vkdml_input_name};
    const struct side outputs = {.name = "output",
                                 .count = info->outputCount,
                                 .bindings = info->outputs,
                                 .tensor_count = instance->output_count,
                                 .tensors = instance->outputs,
                                 .name_of = vkdml_output_name};
    check_side(&inputs, instance, report);
    check_side(&outputs, instance, report);
    if (report->count > 0) {
        return report->result;
    }
    const size_t bytes = outputs.count * sizeof(struct region);
    struct region *sorted = vkdml_allocate(NULL, bytes);
    if (!sorted) {
        return vkdml_report_out_of_memory(report, bytes, "the order of the outputs");
    }
    check_apart(&inputs, &outputs, sorted, instance, report);
    vkdml_free(NULL, sorted);
    return report->result;
}
