#include "operators/gathered.h"

#include <inttypes.h>

#include "tensor/infer.h"

void vkdml_gathered_add(struct vkdml_gathered *layout, const struct vkdml_instance *instance, uint32_t input,
                        uint32_t d) {
    const struct vkdml_tensor *tensor = &instance->inputs[input];
    layout->sources[layout->count++] = (struct vkdml_gathered_source){
        .name = vkdml_input_name(instance, input),
        .dimension = d,
        .size = tensor->sizes[d],
        .input_stride = input == VKDML_GATHERED_INPUT ? tensor->strides[d] : 0,
        .index_stride = input == VKDML_GATHERED_INDICES ? tensor->strides[d] : 0,
    };
}

void vkdml_gathered_check_ignored(const struct vkdml_tensor *tensor, const char *name, const char *count_name,
                                  uint32_t count, struct vkdml_report *report) {
    for (uint32_t d = 0; d + count < tensor->dimension_count; ++d) {
        if (tensor->sizes[d] != 1) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: %s (%" PRIu32 ") leaves it out",
                                 name, d, tensor->sizes[d], count_name, count);
        }
    }
}

void vkdml_gathered_check(const struct vkdml_instance *instance, const struct vkdml_gathered *layout,
                          struct vkdml_tensor *output, const char *name, struct vkdml_report *report) {
    const uint32_t rank = output->dimension_count;
    if (layout->count > rank) {
        vkdml_report_invalid(
            report, "%s.DimensionCount is %" PRIu32 ", must be at least %" PRIu32 ": so many dimensions %s and %s make",
            name, rank, layout->count, vkdml_input_name(instance, 0), vkdml_input_name(instance, 1));
        return;
    }
    for (uint32_t d = 0; d < rank; ++d) {
        const uint32_t ones = rank - layout->count;
        if (d < ones && !vkdml_size_is(output, d, 1)) {
            vkdml_report_invalid(
                report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1: %s and %s make %" PRIu32 " dimensions", name,
                d, output->sizes[d], vkdml_input_name(instance, 0), vkdml_input_name(instance, 1), layout->count);
        } else if (d >= ones && !vkdml_size_is(output, d, layout->sources[d - ones].size)) {
            const struct vkdml_gathered_source *source = &layout->sources[d - ones];
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu32 " = %s.Sizes[%" PRIu32 "]",
                                 name, d, output->sizes[d], source->size, source->name, source->dimension);
        }
    }
}

void vkdml_gathered_set(const struct vkdml_gathered *layout, struct vkdml_index *index) {
    for (uint32_t n = 0; n < layout->count; ++n) {
        struct vkdml_dimension *dimension = &index->dimensions[index->rank - layout->count + n];
        dimension->strides[VKDML_INDEX_OF_INPUT] = layout->sources[n].input_stride;
        dimension->strides[VKDML_INDEX_OF_INDICES] = layout->sources[n].index_stride;
    }
}
