#include "frames/gather/gather_interleave.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/step.h"

#define LOCAL_SIZE 256

/* Vulkan 1.2 limit minimum for maxComputeSharedMemorySize. */
#define SHARED_BYTES 16384

/* An invocation keeps 16 bytes of each in registers. */
#define MAX_PLANES 8

/* Fewer units than this leave most of a workgroup idle. */
#define LEAST_UNITS 64

/* The planes and their elements, as dimensions of the gather. */
struct interleaving {
    uint32_t planes;
    uint32_t row;
    bool separates;
};

static bool is_interleaved(const struct vkdml_gather_dimension *planes, const struct vkdml_gather_dimension *row,
                           uint32_t count, bool separates) {
    return separates ? planes->input_stride == 1 && row->input_stride == count && row->output_stride == 1
                     : planes->output_stride == 1 && row->output_stride == count && row->input_stride == 1;
}

static bool find(const struct vkdml_gather *gather, const struct vkdml_gather_part *part, struct interleaving *found) {
    for (uint32_t p = 0; p < gather->count; ++p) {
        const uint32_t count = part->box.size[p];
        for (uint32_t r = 0; r < gather->count && count > 1 && count <= MAX_PLANES; ++r) {
            for (int separates = 0; separates < 2 && r != p; ++separates) {
                if (part->box.size[r] > 1 &&
                    is_interleaved(&gather->dimensions[p], &gather->dimensions[r], count, separates != 0)) {
                    *found = (struct interleaving){p, r, separates != 0};
                    return true;
                }
            }
        }
    }
    return false;
}

/* Fills in the dimensions other than planes and rows. Returns their number, or UINT32_MAX where one has a stride that
 * is no multiple of 16 bytes. */
static uint32_t fill_batches(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                             const struct interleaving *found, struct vkdml_interleave_parameters *parameters) {
    const uint32_t chunk = 16 / gather->element_bytes;
    uint32_t rank = 0;
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        if (d == found->planes || d == found->row || part->box.size[d] == 1) {
            continue;
        }
        if (dimension->output_stride % chunk != 0 || dimension->input_stride % chunk != 0) {
            return UINT32_MAX;
        }
        const struct vkdml_divisor divisor = vkdml_divisor(part->box.size[d]);
        parameters->sizes[rank] = part->box.size[d];
        parameters->multipliers[rank] = divisor.multiplier;
        parameters->shifts[rank] = divisor.shifts;
        parameters->output_strides[rank] = dimension->output_stride / chunk;
        parameters->input_strides[rank++] = dimension->input_stride / chunk;
    }
    return rank;
}

/* False where something does not begin or end at a multiple of 16 bytes. */
static bool fill_places(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                        const struct vkdml_plan_limits *limits, const struct interleaving *found,
                        struct vkdml_interleave_parameters *parameters) {
    const uint32_t chunk = 16 / gather->element_bytes;
    uint64_t first = 0 - part->input_base;
    for (uint32_t d = 0; d < gather->count; ++d) {
        first += (uint64_t)part->box.origin[d] * gather->dimensions[d].input_stride;
    }
    const struct vkdml_gather_dimension *planes = &gather->dimensions[found->planes];
    const uint32_t stride = found->separates ? planes->output_stride : planes->input_stride;
    const uint32_t row = part->box.size[found->row];
    const uint64_t lead = part->output.lead;
    if (stride % chunk != 0 || row % chunk != 0 || first % chunk != 0 || lead % chunk != 0 ||
        vkdml_place_modulo_16(limits, gather->input.offset + part->input.offset, 0) != 0 ||
        vkdml_place_modulo_16(limits, gather->output.offset + part->output.offset, 0) != 0) {
        return false;
    }
    parameters->units = row / chunk;
    parameters->units_divisor = vkdml_divisor(parameters->units);
    parameters->plane_stride = stride / chunk;
    parameters->output_first = (uint32_t)(lead / chunk);
    parameters->input_first = (uint32_t)(first / chunk);
    return true;
}

/* With the skew of the kernel. */
static uint32_t tile_vectors(uint32_t local_size, uint32_t planes) {
    const uint32_t vectors = local_size * planes;
    return planes % 2 == 0 ? vectors + vectors / 8 : vectors;
}

bool vkdml_gather_interleave(const struct vkdml_gather *gather, const struct vkdml_gather_part *part,
                             const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                             struct vkdml_plan_step *step, VkdmlResult *result) {
    struct interleaving found;
    struct vkdml_interleave_parameters parameters;
    memset(&parameters, 0, sizeof(parameters));
    if (limits->variant == VKDML_KERNEL_VARIANT_SERIAL || !find(gather, part, &found) ||
        !fill_places(gather, part, limits, &found, &parameters)) {
        return false;
    }
    const uint32_t rank = fill_batches(gather, part, &found, &parameters);
    uint64_t count = parameters.units;
    for (uint32_t d = 0; rank != UINT32_MAX && d < rank; ++d) {
        count *= parameters.sizes[d];
    }
    if (rank == UINT32_MAX || count < LEAST_UNITS) {
        return false;
    }
    const uint32_t planes = part->box.size[found.planes];
    uint32_t local_size = vkdml_local_size(limits, LOCAL_SIZE);
    while (tile_vectors(local_size, planes) * 16 > SHARED_BYTES) {
        local_size /= 2;
    }
    const uint64_t group_count = vkdml_divide_up(count, local_size);
    *result = vkdml_grid(group_count, limits, report, step->groups);
    if (*result != VKDML_SUCCESS) {
        return true;
    }
    parameters.unit_count = (uint32_t)count;
    parameters.group_count = (uint32_t)group_count;
    vkdml_note_step(report, "few planes: %u of them are %s in registers", (unsigned)planes,
                    found.separates ? "separated" : "interleaved");
    step->kernel = VKDML_KERNEL_INTERLEAVE;
    vkdml_step_constant(step, VKDML_INTERLEAVE_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_INTERLEAVE_CONSTANT_ELEMENT_BITS, 8 * gather->element_bytes);
    vkdml_step_constant(step, VKDML_INTERLEAVE_CONSTANT_PLANES, planes);
    vkdml_step_constant(step, VKDML_INTERLEAVE_CONSTANT_BATCH_RANK, rank);
    vkdml_step_constant(step, VKDML_INTERLEAVE_CONSTANT_SEPARATES, found.separates);
    vkdml_step_constant(step, VKDML_INTERLEAVE_CONSTANT_TILE_VECTORS, tile_vectors(local_size, planes));
    vkdml_gather_bind_step(gather, part, &parameters, sizeof(parameters), step);
    return true;
}
