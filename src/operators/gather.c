#include "operators/gather.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "operators/plan_step.h"

/* A multiple of every subgroup size in use, 4 to 128; devices that allow fewer invocations get fewer. */
#define LOCAL_SIZE 256

_Static_assert(sizeof(struct vkdml_gather_parameters) <= 4 * VKDML_PLAN_MAX_PARAMETERS, "must fit a parameter block");

void vkdml_gather_init(struct vkdml_gather *gather, const struct vkdml_tensor *output,
                       const struct vkdml_tensor *input) {
    memset(gather, 0, sizeof(*gather));
    gather->element_bytes = output->element_size;
    gather->count = output->dimension_count;
    for (uint32_t d = 0; d < gather->count; ++d) {
        gather->dimensions[d] = (struct vkdml_gather_dimension){
            .size = output->sizes[d],
            .output_stride = output->strides[d],
            .input_stride = input != NULL ? input->strides[d] : 0,
            .input_size = output->sizes[d],
        };
    }
}

static bool is_padded(const struct vkdml_gather_dimension *dimension) {
    return dimension->input_size != dimension->size;
}

/* Whether `outer` walks over whole runs of `inner`, in both tensors. */
static bool is_one_run(const struct vkdml_gather_dimension *outer, const struct vkdml_gather_dimension *inner) {
    return !is_padded(outer) && !is_padded(inner) &&
           outer->output_stride == (uint64_t)inner->output_stride * inner->size &&
           outer->input_stride == (uint64_t)inner->input_stride * inner->size;
}

static uint32_t drop_ones(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (dimensions[d].size != 1) {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

static void sort_by_output_stride(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        struct vkdml_gather_dimension moved = dimensions[i];
        uint32_t place = i;
        for (; place > 0 && dimensions[place - 1].output_stride < moved.output_stride; --place) {
            dimensions[place] = dimensions[place - 1];
        }
        dimensions[place] = moved;
    }
}

static uint32_t merge_runs(struct vkdml_gather_dimension *dimensions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t d = 0; d < count; ++d) {
        if (kept > 0 && is_one_run(&dimensions[kept - 1], &dimensions[d])) {
            struct vkdml_gather_dimension merged = dimensions[d];
            merged.size *= dimensions[kept - 1].size; /* at most all elements, which fit 32 bits */
            merged.input_size = merged.size;
            dimensions[kept - 1] = merged;
        } else {
            dimensions[kept++] = dimensions[d];
        }
    }
    return kept;
}

void vkdml_gather_collapse(struct vkdml_gather *gather, uint32_t first, uint32_t count) {
    struct vkdml_gather_dimension *dimensions = gather->dimensions + first;
    uint32_t after = gather->count - first - count;
    uint32_t kept = drop_ones(dimensions, count);
    sort_by_output_stride(dimensions, kept);
    kept = merge_runs(dimensions, kept);
    memmove(dimensions + kept, dimensions + count, after * sizeof(*dimensions));
    gather->count = first + kept + after;
    if (gather->count == 0) {
        gather->dimensions[0] =
            (struct vkdml_gather_dimension){.size = 1, .output_stride = 1, .input_stride = 1, .input_size = 1};
        gather->count = 1;
    }
}

/* Whether elements twice as wide lie side by side: the row is dense and even, and every row starts at an even element.
 */
static bool can_double(const struct vkdml_gather *gather) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    if (gather->element_bytes >= 4 || row->output_stride != 1 || row->input_stride != 1 || row->size % 2 != 0) {
        return false;
    }
    for (uint32_t d = 0; d + 1 < gather->count; ++d) {
        if (gather->dimensions[d].output_stride % 2 != 0 || gather->dimensions[d].input_stride % 2 != 0) {
            return false;
        }
    }
    return true;
}

void vkdml_gather_widen(struct vkdml_gather *gather) {
    while (can_double(gather)) {
        gather->element_bytes *= 2;
        for (uint32_t d = 0; d + 1 < gather->count; ++d) {
            gather->dimensions[d].output_stride /= 2;
            gather->dimensions[d].input_stride /= 2;
        }
        gather->dimensions[gather->count - 1].size /= 2;
        gather->dimensions[gather->count - 1].input_size /= 2;
    }
}

/* Invocations per row: a word each where narrow elements lie side by side, an element each otherwise. A row may begin
 * up to one element short of a word's end. */
static uint32_t items_per_row(const struct vkdml_gather *gather, const struct vkdml_gather_dimension *row) {
    uint32_t per_word = gather->element_bytes < 4 ? 4 / gather->element_bytes : 1;
    if (row->output_stride != 1) {
        return row->size;
    }
    return (uint32_t)vkdml_divide_up((uint64_t)row->size + per_word - 1, per_word);
}

static void fill_parameters(const struct vkdml_gather *gather, const uint32_t arguments[4],
                            struct vkdml_gather_parameters *parameters) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    uint32_t rows = 1;
    memset(parameters, 0, sizeof(*parameters));
    for (uint32_t d = 0; d + 1 < gather->count; ++d) {
        const struct vkdml_gather_dimension *outer = &gather->dimensions[d];
        rows *= outer->size;
        parameters->sizes[d] = outer->size;
        parameters->output_strides[d] = outer->output_stride;
        parameters->input_strides[d] = outer->input_stride;
        parameters->input_sizes[d] = outer->input_size;
        parameters->starts[d] = outer->start;
    }
    parameters->items_per_row = items_per_row(gather, row);
    parameters->item_count = rows * parameters->items_per_row; /* at most the elements, see there */
    parameters->row_length = row->size;
    parameters->row_output_stride = row->output_stride;
    parameters->row_input_stride = row->input_stride;
    parameters->row_input_size = row->input_size;
    parameters->row_start = row->start;
    memcpy(parameters->arguments, arguments, sizeof(parameters->arguments));
}

VkdmlResult vkdml_gather_step(const struct vkdml_gather *gather, enum vkdml_kernel kernel,
                              uint32_t specialization_count, const uint32_t *specializations,
                              const uint32_t arguments[4], const struct vkdml_plan_limits *limits,
                              struct vkdml_report *report, struct vkdml_plan_step *step) {
    struct vkdml_gather_parameters parameters;
    fill_parameters(gather, arguments, &parameters);

    uint32_t local_size = vkdml_local_size(limits, LOCAL_SIZE);
    uint64_t group_count = vkdml_divide_up(parameters.item_count, local_size);
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;

    step->kernel = kernel;
    step->specializations[VKDML_SPECIALIZATION_LOCAL_SIZE] = local_size;
    step->specializations[1] = 8 * gather->element_bytes;
    step->specializations[2] = gather->count - 1;
    assert(3 + specialization_count <= VKDML_PLAN_MAX_SPECIALIZATIONS);
    for (uint32_t i = 0; i < specialization_count; ++i) {
        step->specializations[3 + i] = specializations[i];
    }
    step->specialization_count = 3 + specialization_count;
    step->parameter_count = sizeof(parameters) / 4;
    memcpy(step->parameters, &parameters, sizeof(parameters));
    return VKDML_SUCCESS;
}
