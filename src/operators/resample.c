/* RESAMPLE and its newer versions: what is between input elements, or the nearest; copies where each
 * output element is one of the input's, as often or as far apart as whole numbers say. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "frames/gather/copy.h"
#include "frames/neighbours/scaling.h"
#include "operators/neighbourhood.h"
#include "operators/operators.h"
#include "operators/resampling.h"
#include "tensor/infer.h"

/* Coordinates below are exact in FLOAT32, and halves between them; so are sums with offsets that are. */
#define EXACT_SIZE   (1u << 22)
#define EXACT_OFFSET 0x1p20f

/* ---- what descriptors say ---- */

static struct vkdml_resampling read_resample(const struct vkdml_instance *instance) {
    const DML_RESAMPLE_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_resampling){
        .mode = desc->InterpolationMode,
        .bias = 0.5f,
        .count_name = "ScaleCount",
        .count = desc->ScaleCount,
        .scales = desc->Scales,
    };
}

#define WITH_OFFSETS(desc)                                                                                             \
    .mode = (desc)->InterpolationMode, .count_name = "DimensionCount", .count = (desc)->DimensionCount,                \
    .scales = (desc)->Scales, .input_offsets = (desc)->InputPixelOffsets, .output_offsets = (desc)->OutputPixelOffsets

static struct vkdml_resampling read_resample1(const struct vkdml_instance *instance) {
    const DML_RESAMPLE1_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_resampling){
        WITH_OFFSETS(desc),
        .bias = 0.5f,
    };
}

static struct vkdml_resampling read_resample2(const struct vkdml_instance *instance) {
    const DML_RESAMPLE2_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_resampling){
        WITH_OFFSETS(desc),
        .rounds_up = desc->RoundingDirection == DML_AXIS_DIRECTION_INCREASING,
    };
}

static struct vkdml_resampling read_resample3(const struct vkdml_instance *instance) {
    const DML_RESAMPLE3_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_resampling){
        WITH_OFFSETS(desc),
        .rounds_up = desc->RoundingDirection == DML_AXIS_DIRECTION_INCREASING,
        .is_antialiased = desc->Antialiased != 0,
    };
}

/* Any size is one; DirectML's callers take the input's times the scale. That is a FLOAT32: 0.7 times 10 is 7 all the
 * same. */
static void choose_sizes(const struct vkdml_resampling *resampling, const struct vkdml_tensor *input,
                         struct vkdml_tensor *output) {
    for (uint32_t d = 0; d < input->dimension_count && output->dimension_count == input->dimension_count; ++d) {
        const double size = floor((double)input->sizes[d] * (double)resampling->scales[d] * (1 + 0x1p-22));
        if (size <= UINT32_MAX) {
            vkdml_choose_size(output, d, size >= 1 ? (uint64_t)size : 1);
        }
    }
}

static void check_resampling(const struct vkdml_resampling *resampling, const struct vkdml_instance *instance,
                             struct vkdml_report *report) {
    if (vkdml_resampling_check(resampling, &instance->inputs[0], vkdml_input_name(instance, 0), report)) {
        choose_sizes(resampling, &instance->inputs[0], &instance->outputs[0]);
    }
}

static bool is_averaged(const struct vkdml_resampling *r, uint32_t d) {
    return r->mode == DML_INTERPOLATION_MODE_LINEAR && r->is_antialiased && r->scales[d] < 1;
}

/* ---- copies ---- */

static bool is_half_integer(float x) {
    return fabsf(x) <= EXACT_OFFSET && 2 * x == truncf(2 * x);
}

/* Whether each element is there as often as a whole scale says: places lie so far from where rounding would change that
 * FLOAT32's errors do not matter, or have none. */
static bool is_repeated(const struct vkdml_scaling *scaling, uint32_t input_size, uint32_t output_size) {
    const double factor = (double)scaling->scale;
    if (factor != trunc(factor) || output_size > EXACT_SIZE || (double)input_size * factor != (double)output_size) {
        return false;
    }
    const double error = ((double)input_size + 1) * 0x1p-20;
    const double first =
        (double)scaling->bias - (double)scaling->output_offset / factor - (double)scaling->input_offset;
    const double last = first + (factor - 1) / factor;
    const bool has_offsets = scaling->input_offset != 0 || scaling->output_offset != 0 || scaling->bias != 0;
    return scaling->rounds_up ? first > -1 + error && last < -error
                              : !has_offsets || (first >= error && last < 1 - error);
}

/* Whether places lie apart by whole numbers, exactly. */
static bool is_stepped(const struct vkdml_scaling *scaling, bool is_nearest, uint32_t input_size, uint32_t output_size,
                       struct vkdml_copied *copied) {
    const double step = 1 / (double)scaling->scale;
    const double last = ((double)output_size - 1) * step;
    if (step != trunc(step) || !vkdml_scaling_is_binary(scaling) || last > EXACT_SIZE ||
        !is_half_integer(scaling->input_offset) || !is_half_integer(scaling->output_offset * (float)step)) {
        return false;
    }
    const double place = -(double)scaling->output_offset * step - (double)scaling->input_offset + (double)scaling->bias;
    const double first = scaling->rounds_up ? ceil(place) : floor(place);
    if (first < 0 || first + last > (double)input_size - 1 || (!is_nearest && first != place)) {
        return false;
    }
    *copied = (struct vkdml_copied){1, (uint32_t)step, (uint32_t)first};
    return true;
}

static bool is_copied(const struct vkdml_scaling *scaling, bool is_nearest, uint32_t input_size, uint32_t output_size,
                      struct vkdml_copied *copied) {
    *copied = (struct vkdml_copied){1, 1, 0};
    if (input_size == 1) {
        copied->repeats = output_size;
        return true;
    }
    if (is_nearest && is_repeated(scaling, input_size, output_size)) {
        copied->repeats = (uint32_t)scaling->scale;
        return true;
    }
    return is_stepped(scaling, is_nearest, input_size, output_size, copied);
}

/* ---- passes ---- */

/* A pass takes what the one before it left, or the input, and leaves the output, or FLOAT32 numbers. */
struct pass {
    const struct vkdml_view *source;
    const struct vkdml_view *target;
    enum vkdml_neighbours_kind kind;
    uint32_t walked; /* a bit for each dimension */
};

/* What only moves elements need not know their meaning. */
static DML_TENSOR_DATA_TYPE bits_type(const struct vkdml_view *view) {
    const uint32_t bytes = vkdml_data_type_size(view->at.type);
    return bytes == 4   ? DML_TENSOR_DATA_TYPE_UINT32
           : bytes == 2 ? DML_TENSOR_DATA_TYPE_UINT16
                        : DML_TENSOR_DATA_TYPE_UINT8;
}

static uint32_t taps_of(enum vkdml_neighbours_kind kind, const struct vkdml_scaling *scaling) {
    const uint32_t reach = vkdml_scaling_reach(scaling);
    return kind == VKDML_NEIGHBOURS_NEAREST  ? 1
           : kind == VKDML_NEIGHBOURS_LINEAR ? 2
           : reach > INT32_MAX               ? UINT32_MAX
                                             : 2 * reach;
}

static VkdmlResult plan_pass(const struct vkdml_resampling *r, const struct pass *pass,
                             const struct vkdml_planning *planning) {
    struct vkdml_neighbours n = vkdml_neighbours_begin(planning->instance);
    n.kind = pass->kind;
    n.source = pass->source->at;
    n.target = pass->target->at;
    if (pass->kind == VKDML_NEIGHBOURS_NEAREST) {
        n.source.type = n.target.type = bits_type(pass->target);
    }
    n.own = n.source;
    n.count = pass->source->rank;
    for (uint32_t d = 0; d < n.count; ++d) {
        const struct vkdml_scaling scaling = vkdml_resampling_scaling(r, d);
        n.dimensions[d] = (struct vkdml_neighbours_dimension){
            .size = pass->target->sizes[d],
            .source_stride = pass->source->sizes[d] == 1 ? 0 : pass->source->strides[d],
            .target_stride = pass->target->strides[d],
            .is_walked = (pass->walked >> d & 1) != 0,
            .taps = taps_of(pass->kind, &scaling),
            .tap_step = 1,
            .source_size = pass->source->sizes[d],
            .source_step = 1,
            .is_scaled = true,
            .scaling = scaling,
        };
    }
    vkdml_builder_phase(planning->builder); /* reads what the pass before wrote */
    return vkdml_neighbours_plan(&n, planning->builder);
}

/* Passes in an order in which no tensor between two has more elements than the input or the output: what shrinks most
 * first. A pass takes one dimension of which all elements are averaged, or two. */
static uint32_t order_walks(const struct vkdml_planning *planning, uint32_t walked, uint32_t *order) {
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    uint32_t count = 0;
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        if ((walked >> d & 1) != 0) {
            uint32_t place = count++;
            for (; place > 0; --place) {
                const uint32_t before = order[place - 1];
                if ((uint64_t)output->sizes[before] * input->sizes[d] <=
                    (uint64_t)output->sizes[d] * input->sizes[before]) {
                    break;
                }
                order[place] = before;
            }
            order[place] = d;
        }
    }
    return count;
}

static uint32_t walks_of_pass(const struct vkdml_resampling *r, const uint32_t *order, uint32_t count) {
    uint32_t run = 0;
    while (run < count && !is_averaged(r, order[run])) {
        ++run;
    }
    return run == 0 || run % 2 != 0 ? 1 : 2;
}

static VkdmlResult plan_passes(const struct vkdml_resampling *r, uint32_t walked,
                               const struct vkdml_planning *planning) {
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    struct vkdml_view source = vkdml_input_view(planning->instance, 0);
    uint32_t order[VKDML_MAX_DIMENSIONS];
    const uint32_t count = order_walks(planning, walked, order);
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t at = 0; at < count && result == VKDML_SUCCESS;) {
        const uint32_t walks = walks_of_pass(r, &order[at], count - at);
        struct vkdml_view target = source;
        struct pass pass = {
            .source = &source,
            .target = &target,
            .kind = is_averaged(r, order[at]) ? VKDML_NEIGHBOURS_AVERAGE : VKDML_NEIGHBOURS_LINEAR,
        };
        for (uint32_t w = 0; w < walks; ++w) {
            const uint32_t d = order[at + w];
            pass.walked |= 1u << d;
            target.sizes[d] = output.sizes[d];
        }
        for (uint32_t d = 0; d < target.rank; ++d) {
            target.sizes[d] = (walked >> d & 1) != 0 ? target.sizes[d] : output.sizes[d];
        }
        target = at + walks == count
                     ? output
                     : vkdml_builder_scratch(planning->builder, "numbers", &target, DML_TENSOR_DATA_TYPE_FLOAT32);
        result = plan_pass(r, &pass, planning);
        source = target;
        at += walks;
    }
    return result;
}

static VkdmlResult plan_resampling(const struct vkdml_resampling *r, const struct vkdml_planning *planning) {
    const struct vkdml_tensor *input = &planning->instance->inputs[0];
    const struct vkdml_tensor *output = &planning->instance->outputs[0];
    const bool is_nearest = r->mode == DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR;
    struct vkdml_copied copied[VKDML_MAX_DIMENSIONS];
    uint32_t walked = 0;
    bool copies = true;
    for (uint32_t d = 0; d < input->dimension_count; ++d) {
        const struct vkdml_scaling scaling = vkdml_resampling_scaling(r, d);
        const bool is_copy = is_copied(&scaling, is_nearest, input->sizes[d], output->sizes[d], &copied[d]) &&
                             (input->sizes[d] == 1 || !is_averaged(r, d));
        const bool stays =
            copied[d].step == 1 && copied[d].first == 0 && (copied[d].repeats == 1 || input->sizes[d] == 1);
        walked |= is_copy && stays ? 0 : 1u << d;
        copies = copies && is_copy;
    }
    if (copies) {
        return vkdml_plan_copied(copied, planning);
    }
    const VkdmlResult result = vkdml_copy_add_spare(input->data_type, planning->builder);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    if (is_nearest) {
        const struct vkdml_view from = vkdml_input_view(planning->instance, 0);
        const struct vkdml_view to = vkdml_output_view(planning->instance, 0);
        const struct pass pass = {&from, &to, VKDML_NEIGHBOURS_NEAREST, walked};
        return plan_pass(r, &pass, planning);
    }
    return plan_passes(r, walked, planning);
}

#define RESAMPLING(name)                                                                                               \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const struct vkdml_resampling r = read_##name(instance);                                                       \
        check_resampling(&r, instance, report);                                                                        \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        const struct vkdml_resampling r = read_##name(planning->instance);                                             \
        (void)op;                                                                                                      \
        return plan_resampling(&r, planning);                                                                          \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {.rules = check_##name, .plan = plan_##name}

RESAMPLING(resample);
RESAMPLING(resample1);
RESAMPLING(resample2);
RESAMPLING(resample3);
