/* CONVOLUTION, forward and backward. */
#include <inttypes.h>
#include <string.h>

#include "base/notes.h"
#include "frames/gather/copy.h"
#include "frames/product/depthwise.h"
#include "frames/product/product.h"
#include "operators/convolution_parts.h"
#include "operators/mapping.h"

enum { INPUT = VKDML_CONVOLUTION_INPUT, FILTER = VKDML_CONVOLUTION_FILTER, BIAS = VKDML_CONVOLUTION_BIAS };

static struct vkdml_convolution read_convolution(const struct vkdml_instance *instance) {
    const DML_CONVOLUTION_OPERATOR_DESC *desc = instance->desc;
    return (struct vkdml_convolution){
        .spatial = desc->DimensionCount,
        .groups = desc->GroupCount,
        .is_backward = desc->Direction == DML_CONVOLUTION_DIRECTION_BACKWARD,
        .turns_filter = desc->Mode == DML_CONVOLUTION_MODE_CONVOLUTION,
        .strides = desc->Strides,
        .dilations = desc->Dilations,
        .start = desc->StartPadding,
        .end = desc->EndPadding,
        .output_padding = desc->OutputPadding,
    };
}

/* ---- rules ---- */

static bool check_numbers(const struct vkdml_convolution *convolution, struct vkdml_report *report) {
    bool good = true;
    for (uint32_t s = 0; s < convolution->spatial; ++s) {
        const struct {
            const char *name;
            uint32_t value;
        } numbers[] = {{"Strides", convolution->strides[s]}, {"Dilations", convolution->dilations[s]}};
        for (uint32_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); ++n) {
            if (numbers[n].value == 0) {
                vkdml_report_invalid(report, "%s[%" PRIu32 "] is 0, must be at least 1", numbers[n].name, s);
                good = false;
            }
        }
    }
    if (convolution->groups == 0) {
        vkdml_report_invalid(report, "GroupCount is 0, must be at least 1");
        good = false;
    }
    return good;
}

/* A dimension of a tensor. */
struct place {
    const char *name;
    const struct vkdml_tensor *tensor;
    uint32_t dimension;
};

static uint32_t size_of(const struct place *place) {
    return place->tensor->sizes[place->dimension];
}

/* That a size is another, or so many times it where groups are more than one. */
static void check_same(const struct place *checked, const struct place *with, uint32_t groups,
                       struct vkdml_report *report) {
    const uint64_t wanted = (uint64_t)size_of(with) * groups;
    if (size_of(checked) != wanted) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %s.Sizes[%" PRIu32 "]%s",
                             checked->name, checked->dimension, size_of(checked), wanted, with->name, with->dimension,
                             groups == 1 ? "" : " * GroupCount");
    }
}

static void check_divides(const struct place *checked, uint32_t groups, struct vkdml_report *report) {
    if (size_of(checked) % groups != 0) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be a multiple of GroupCount (%" PRIu32 ")",
                             checked->name, checked->dimension, size_of(checked), groups);
    }
}

static void check_channels(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                           struct vkdml_report *report) {
    const struct vkdml_tensor *inputs = instance->inputs;
    const char *input_name = vkdml_input_name(instance, INPUT), *filter_name = vkdml_input_name(instance, FILTER);
    const char *output_name = vkdml_output_name(instance, 0);
    const struct place batches = {input_name, &inputs[INPUT], 0}, taken = {input_name, &inputs[INPUT], 1};
    const struct place filters = {filter_name, &inputs[FILTER], 0}, channels = {filter_name, &inputs[FILTER], 1};
    const struct place own_batches = {output_name, &instance->outputs[0], 0};
    const struct place made = {output_name, &instance->outputs[0], 1};
    check_same(&own_batches, &batches, 1, report);
    check_divides(&filters, convolution->groups, report);
    if (convolution->is_backward) {
        check_same(&filters, &taken, 1, report);
        check_same(&made, &channels, convolution->groups, report);
    } else {
        check_same(&taken, &channels, convolution->groups, report);
        check_same(&made, &filters, 1, report);
    }
}

/* How far the last of some elements is from the first; sizes and steps have 32 bits. */
static uint64_t distance(uint32_t count, uint32_t step) {
    return (uint64_t)(count - 1) * step;
}

/* At how many places along a spatial dimension the filter lies within the padded input. */
static uint64_t count_places(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                             uint32_t s) {
    const uint64_t reach = distance(instance->inputs[FILTER].sizes[2 + s], convolution->dilations[s]);
    const uint64_t padded =
        (uint64_t)instance->inputs[INPUT].sizes[2 + s] + convolution->start[s] + convolution->end[s];
    return padded <= reach ? 0 : (padded - reach - 1) / convolution->strides[s] + 1;
}

static void check_forward_size(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                               uint32_t s, struct vkdml_report *report) {
    const uint32_t d = 2 + s, size = instance->outputs[0].sizes[d];
    const uint64_t places = count_places(instance, convolution, s);
    const uint64_t wanted = places + convolution->output_padding[s];
    const char *filter_name = vkdml_input_name(instance, FILTER), *input_name = vkdml_input_name(instance, INPUT);
    if (places == 0) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] (%" PRIu32 ") with Dilations[%" PRIu32 "] (%" PRIu32
                             ") reaches beyond %s.Sizes[%" PRIu32 "] (%" PRIu32 ") + StartPadding[%" PRIu32
                             "] (%" PRIu32 ") + EndPadding[%" PRIu32 "] (%" PRIu32 ")",
                             filter_name, d, instance->inputs[FILTER].sizes[d], s, convolution->dilations[s],
                             input_name, d, instance->inputs[INPUT].sizes[d], s, convolution->start[s], s,
                             convolution->end[s]);
    } else if (size != wanted) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %" PRIu64
                             " places of the filter + OutputPadding[%" PRIu32 "] (%" PRIu32 ")",
                             vkdml_output_name(instance, 0), d, size, wanted, places, s,
                             convolution->output_padding[s]);
    }
}

static void check_backward_size(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                                uint32_t s, struct vkdml_report *report) {
    const uint32_t d = 2 + s, size = instance->outputs[0].sizes[d];
    const uint64_t cut = (uint64_t)convolution->start[s] + convolution->end[s];
    const uint64_t last_place = distance(instance->inputs[INPUT].sizes[d], convolution->strides[s]);
    const uint64_t reach = distance(instance->inputs[FILTER].sizes[d], convolution->dilations[s]);
    const uint64_t most = (uint64_t)UINT32_MAX + cut; /* below 2^34 */
    if (last_place > most || reach > most) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be more than %" PRIu32
                             " for what Strides[%" PRIu32 "] (%" PRIu32 ") and Dilations[%" PRIu32 "] (%" PRIu32
                             ") reach",
                             vkdml_output_name(instance, 0), d, size, UINT32_MAX, s, convolution->strides[s], s,
                             convolution->dilations[s]);
        return;
    }
    const uint64_t reached = last_place + reach + 1, padded = reached + convolution->output_padding[s];
    if (padded <= cut) {
        vkdml_report_invalid(
            report,
            "StartPadding[%" PRIu32 "] (%" PRIu32 ") and EndPadding[%" PRIu32 "] (%" PRIu32
            ") leave nothing of %" PRIu64 " elements reached by the filter + OutputPadding[%" PRIu32 "] (%" PRIu32 ")",
            s, convolution->start[s], s, convolution->end[s], reached, s, convolution->output_padding[s]);
    } else if (size != padded - cut) {
        vkdml_report_invalid(report,
                             "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %" PRIu64
                             " reached by the filter + OutputPadding[%" PRIu32 "] (%" PRIu32 ") - StartPadding[%" PRIu32
                             "] (%" PRIu32 ") - EndPadding[%" PRIu32 "] (%" PRIu32 ")",
                             vkdml_output_name(instance, 0), d, size, padded - cut, reached, s,
                             convolution->output_padding[s], s, convolution->start[s], s, convolution->end[s]);
    }
}

static void check_bias(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_tensor *bias = &instance->inputs[BIAS];
    const char *name = vkdml_input_name(instance, BIAS);
    for (uint32_t d = 0; d < bias->dimension_count; ++d) {
        if (d == 1) {
            const struct place channels = {name, bias, d},
                               made = {vkdml_output_name(instance, 0), instance->outputs, d};
            check_same(&channels, &made, 1, report);
        } else if (bias->sizes[d] != 1) {
            vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be 1", name, d, bias->sizes[d]);
        }
    }
}

static void check_convolution(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_convolution convolution = read_convolution(instance);
    const uint32_t rank = instance->inputs[INPUT].dimension_count;
    for (uint32_t i = 0; i < instance->input_count; ++i) {
        if (instance->inputs[i].dimension_count != rank && instance->inputs[i].dimension_count != 0) {
            return; /* the table refuses it */
        }
    }
    if (rank < 3 || rank > 2 + VKDML_CONVOLUTION_SPATIAL || instance->outputs[0].dimension_count != rank) {
        return;
    }
    if (convolution.spatial != rank - 2) {
        vkdml_report_invalid(report, "DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount - 2",
                             convolution.spatial, rank - 2, vkdml_input_name(instance, INPUT));
        return;
    }
    if (!check_numbers(&convolution, report)) {
        return;
    }
    check_channels(instance, &convolution, report);
    for (uint32_t s = 0; s < convolution.spatial; ++s) {
        if (convolution.is_backward) {
            check_backward_size(instance, &convolution, s, report);
        } else {
            check_forward_size(instance, &convolution, s, report);
        }
    }
    check_bias(instance, report);
}

/* ---- plans ---- */

struct planner {
    const struct vkdml_planning *planning;
    const struct vkdml_convolution *convolution;
    uint32_t
        places[1 + VKDML_CONVOLUTION_SPATIAL]; /* of pictures and of the spatial dimensions among those of pixels */
    struct vkdml_product product;              /* but for what parts have of their own */
};

static bool owns_filter(const struct planner *planner) {
    return (planner->planning->instance->inputs[FILTER].flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
}

/* Steps of a filter along k: of its channels and taps. */
struct steps {
    uint32_t count;
    uint32_t sizes[2 + VKDML_CONVOLUTION_SPATIAL]; /* pictures take a place too */
    uint32_t strides[2 + VKDML_CONVOLUTION_SPATIAL];
};

/* In the order in which k counts them. */
static struct steps steps_of(const struct planner *planner, const struct vkdml_product_gather *gather,
                             const struct vkdml_convolution_part *parts) {
    const struct vkdml_tensor *filter = &planner->planning->instance->inputs[FILTER];
    const uint32_t spatial = planner->convolution->spatial;
    const uint32_t channel = gather->channels_last ? 1 + spatial : 0, tap = gather->channels_last ? 0 : 1;
    struct steps steps = {.count = 2 + spatial};
    steps.sizes[channel] = gather->channels;
    steps.strides[channel] = filter->strides[planner->convolution->is_backward ? 0 : 1];
    steps.sizes[tap + planner->places[0]] = 1;
    for (uint32_t s = 0; s < spatial; ++s) {
        const uint32_t place = planner->places[1 + s];
        steps.sizes[tap + place] = gather->walks[place].taps;
        steps.strides[tap + place] = parts[s].filter_step * filter->strides[2 + s];
    }
    return steps;
}

/* The stride between all steps, if there is one. */
static bool find_stride(const struct steps *steps, uint32_t *stride) {
    uint64_t wanted = 0;
    bool is_found = false;
    *stride = 0;
    for (uint32_t i = steps->count; i-- > 0;) {
        if (steps->sizes[i] == 1) {
            continue;
        }
        if (is_found && steps->strides[i] != wanted) {
            return false;
        }
        *stride = is_found ? *stride : steps->strides[i];
        is_found = true;
        wanted = (uint64_t)steps->strides[i] * steps->sizes[i];
    }
    return true;
}

/* The product of a part of each spatial dimension, but for its filter. */
static struct vkdml_product product_of(const struct planner *planner, const struct vkdml_convolution_part *parts) {
    const struct vkdml_tensor *output = &planner->planning->instance->outputs[0];
    struct vkdml_product product = planner->product;
    for (uint32_t s = 0; s < planner->convolution->spatial; ++s) {
        const uint32_t d = planner->places[1 + s];
        product.gather.walks[d] = parts[s].walk;
        product.scatter.sizes[d] = parts[s].walk.size;
        product.scatter.strides[d] = parts[s].step * output->strides[2 + s];
        product.tensors[VKDML_PRODUCT_OUT].at.first += parts[s].first * output->strides[2 + s];
        product.sizes[VKDML_PRODUCT_N] *= parts[s].walk.size;
        product.sizes[VKDML_PRODUCT_K] *= parts[s].walk.taps;
        product.is_empty = product.is_empty || parts[s].is_empty;
    }
    if (product.is_empty) { /* of any element of the filter */
        product.gather.channels = 1;
        product.sizes[VKDML_PRODUCT_K] = 1;
        for (uint32_t s = 0; s < planner->convolution->spatial; ++s) {
            product.gather.walks[planner->places[1 + s]].taps = 1;
        }
    }
    return product;
}

/* Packs a filter for one stride along k; `from` has its first element and its strides along groups and m. Whichever of
 * m and channels lies farther apart stays outside, so that elements move no farther than they must. A filter that
 * belongs to vkdml is packed once. */
static VkdmlResult copy_filter(const struct planner *planner, const struct vkdml_product *product,
                               const struct steps *steps, const uint32_t from[3], struct vkdml_product_tensor *a) {
    const struct vkdml_planning *planning = planner->planning;
    const struct vkdml_tensor *filter = &planning->instance->inputs[FILTER];
    const uint32_t groups = product->sizes[VKDML_PRODUCT_INNER], m = product->sizes[VKDML_PRODUCT_M];
    const uint32_t k = product->sizes[VKDML_PRODUCT_K];
    const bool m_is_inner = planner->convolution->is_backward && from[2] < filter->strides[0];
    a->strides[VKDML_PRODUCT_INNER] = m * k; /* no more elements than the filter has */
    a->strides[VKDML_PRODUCT_M] = m_is_inner ? 1 : k;
    a->strides[VKDML_PRODUCT_K] = m_is_inner ? m : 1;
    const uint32_t elements = groups * m * k;
    struct vkdml_gather copied = {.element_bytes = filter->element_size, .input = a->at};
    copied.input.first = from[0];
    vkdml_copy_add(&copied, groups, a->strides[VKDML_PRODUCT_INNER], from[1]);
    vkdml_copy_add(&copied, m, a->strides[VKDML_PRODUCT_M], from[2]);
    uint32_t stride = k * a->strides[VKDML_PRODUCT_K];
    for (uint32_t i = 0; i < steps->count; ++i) {
        stride /= steps->sizes[i];
        vkdml_copy_add(&copied, steps->sizes[i], stride, steps->strides[i]);
    }
    const bool is_owned = owns_filter(planner);
    const uint64_t bytes = (uint64_t)elements * filter->element_size;
    const struct vkdml_origin origin =
        is_owned ? vkdml_builder_kept(planning->builder, "packed filter", bytes, filter->data_type)
                 : vkdml_builder_region(planning->builder, "packed filter", bytes, filter->data_type);
    a->at = copied.output = origin;
    vkdml_note(planning->builder->report,
               "convolution: the filter has no one stride along its channels and taps, and is packed %s",
               is_owned ? "when the operator is initialized" : "in the temporary resource");
    struct vkdml_builder initialization = vkdml_builder_at_initialization(planning->builder);
    return vkdml_copy_plan(&copied, false, is_owned ? &initialization : planning->builder);
}

/* Strides of a filter along its taps. */
static void find_tap_strides(const struct planner *planner, const struct vkdml_convolution_part *parts,
                             uint32_t strides[VKDML_PRODUCT_PIXELS]) {
    strides[planner->places[0]] = 0;
    for (uint32_t s = 0; s < planner->convolution->spatial; ++s) {
        strides[planner->places[1 + s]] =
            parts[s].filter_step * planner->planning->instance->inputs[FILTER].strides[2 + s];
    }
}

/* Gives a part its filter: as it lies, or for a product where that has no one stride along k a copy of it. */
static VkdmlResult take_filter(const struct planner *planner, const struct vkdml_product *product,
                               const struct vkdml_convolution_part *parts, struct vkdml_product_tensor *a) {
    const struct vkdml_planning *planning = planner->planning;
    const struct vkdml_tensor *filter = &planning->instance->inputs[FILTER];
    const bool is_backward = planner->convolution->is_backward;
    const struct steps steps = steps_of(planner, &product->gather, parts);
    const uint32_t in_group = is_backward ? planner->product.gather.channels : product->sizes[VKDML_PRODUCT_M];
    const uint32_t group_stride = in_group * filter->strides[0], m_stride = filter->strides[is_backward ? 1 : 0];
    uint32_t tap_strides[VKDML_PRODUCT_PIXELS];
    uint32_t first = 0;
    for (uint32_t s = 0; s < planner->convolution->spatial; ++s) {
        first += parts[s].filter_first * filter->strides[2 + s];
    }
    *a = (struct vkdml_product_tensor){.at = vkdml_input_view(planning->instance, FILTER).at};
    a->at.first = first;
    a->strides[VKDML_PRODUCT_INNER] = group_stride;
    a->strides[VKDML_PRODUCT_M] = m_stride;
    find_tap_strides(planner, parts, tap_strides);
    if (vkdml_depthwise_suits(product, tap_strides, planning->builder->limits) ||
        find_stride(&steps, &a->strides[VKDML_PRODUCT_K])) {
        return VKDML_SUCCESS;
    }
    return copy_filter(planner, product, &steps, (const uint32_t[]){first, group_stride, m_stride}, a);
}

/* Pixels come as they lie in the output, the closest last. */
static void order_pixels(struct planner *planner) {
    const struct vkdml_tensor *output = &planner->planning->instance->outputs[0];
    const uint32_t rank = 1 + planner->convolution->spatial;
    for (uint32_t i = 0; i < rank; ++i) {
        const uint32_t d = i == 0 ? 0 : 1 + i;
        planner->places[i] = 0;
        for (uint32_t j = 0; j < rank; ++j) {
            const uint32_t other = j == 0 ? 0 : 1 + j;
            const bool is_before =
                output->strides[other] > output->strides[d] || (output->strides[other] == output->strides[d] && j < i);
            planner->places[i] += is_before ? 1 : 0;
        }
    }
}

static void begin(struct planner *planner) {
    const struct vkdml_instance *instance = planner->planning->instance;
    const struct vkdml_tensor *input = &instance->inputs[INPUT], *bias = &instance->inputs[BIAS];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const uint32_t groups = planner->convolution->groups, spatial = planner->convolution->spatial;
    const uint32_t channels = input->sizes[1] / groups, made = output->sizes[1] / groups;
    struct vkdml_product *p = &planner->product;
    *p = (struct vkdml_product){
        .sizes = {1, groups, made, output->sizes[0], channels},
        .tensors = {[VKDML_PRODUCT_B] = {.at = vkdml_input_view(instance, INPUT).at},
                    [VKDML_PRODUCT_C] = {.at = vkdml_input_view(instance, BIAS).at},
                    [VKDML_PRODUCT_OUT] = {.at = vkdml_output_view(instance, 0).at}},
        .gather = {.rank = 1 + spatial, .channels = channels, .channel_stride = input->strides[1]},
        .scatter = {.rank = 1 + spatial},
        .alpha = 1,
        .epilogue = vkdml_mapping_epilogue(instance),
    };
    const struct vkdml_view added = vkdml_input_view(instance, BIAS);
    vkdml_product_add(p, 1, &added);
    p->gather.channels_last =
        input->strides[1] == 1 && channels % 4 == 0 && input->strides[1 + spatial] != 1; /* else along pixels */
    order_pixels(planner);
    p->scatter.sizes[planner->places[0]] = output->sizes[0];
    p->scatter.strides[planner->places[0]] = output->strides[0];
    p->gather.walks[planner->places[0]] = (struct vkdml_product_walk){.size = input->sizes[0],
                                                                      .taps = 1,
                                                                      .step = 1,
                                                                      .divisor = 1,
                                                                      .source_size = input->sizes[0],
                                                                      .stride = input->strides[0]};
    p->tensors[VKDML_PRODUCT_B].strides[VKDML_PRODUCT_INNER] = channels * input->strides[1];
    p->tensors[VKDML_PRODUCT_OUT].strides[VKDML_PRODUCT_INNER] = made * output->strides[1];
    p->tensors[VKDML_PRODUCT_OUT].strides[VKDML_PRODUCT_M] = output->strides[1];
    if (bias->dimension_count != 0) {
        p->tensors[VKDML_PRODUCT_C].strides[VKDML_PRODUCT_INNER] = made * bias->strides[1];
        p->tensors[VKDML_PRODUCT_C].strides[VKDML_PRODUCT_M] = bias->strides[1];
    }
}

/* Part `number` of all, of each spatial dimension one. */
static void find_parts(const struct planner *planner, uint32_t number,
                       struct vkdml_convolution_part parts[VKDML_CONVOLUTION_SPATIAL]) {
    const struct vkdml_instance *instance = planner->planning->instance;
    for (uint32_t s = planner->convolution->spatial; s-- > 0;) {
        const uint32_t count = vkdml_convolution_part_count(instance, planner->convolution, s);
        parts[s] = vkdml_convolution_part_of(instance, planner->convolution, s, number % count);
        number /= count;
    }
}

/* Plans a part after others, none of which writes its elements: where halves of a word may be two parts' a barrier lies
 * between those that write words and those that change bits of them, which validation layers take for reading. */
static VkdmlResult plan_part(const struct planner *planner, const struct vkdml_product *product,
                             const struct vkdml_convolution_part *parts) {
    const struct vkdml_planning *planning = planner->planning;
    const struct vkdml_builder_mark before = vkdml_builder_mark(planning->builder);
    uint32_t strides[VKDML_PRODUCT_PIXELS];
    find_tap_strides(planner, parts, strides);
    VkdmlResult result = vkdml_depthwise_suits(product, strides, planning->builder->limits)
                             ? vkdml_depthwise_plan(product, strides, planning->builder)
                             : vkdml_product_plan(product, planning->builder);
    const struct vkdml_plan_step *other = vkdml_builder_last_before(planning->builder, &before);
    if (result == VKDML_SUCCESS && other != NULL &&
        product->tensors[VKDML_PRODUCT_OUT].at.type == DML_TENSOR_DATA_TYPE_FLOAT16 &&
        vkdml_product_stores_words(vkdml_builder_first_since(planning->builder, &before)) !=
            vkdml_product_stores_words(other)) {
        vkdml_builder_phase_since(planning->builder, &before);
    }
    return result;
}

/* Plans the products of all parts, and copies of their filters before all. */
static VkdmlResult plan_parts(const struct planner *planner, uint32_t count) {
    const struct vkdml_planning *planning = planner->planning;
    struct vkdml_convolution_part parts[VKDML_CONVOLUTION_SPATIAL];
    struct vkdml_product_tensor filters[VKDML_CONVOLUTION_MOST_PARTS];
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t i = 0; i < count && result == VKDML_SUCCESS; ++i) {
        find_parts(planner, i, parts);
        const struct vkdml_product product = product_of(planner, parts);
        result = take_filter(planner, &product, parts, &filters[i]);
    }
    vkdml_builder_phase(planning->builder);
    for (uint32_t i = 0; i < count && result == VKDML_SUCCESS; ++i) {
        find_parts(planner, i, parts);
        struct vkdml_product product = product_of(planner, parts);
        product.tensors[VKDML_PRODUCT_A] = filters[i];
        result = plan_part(planner, &product, parts);
    }
    return result;
}

/* Places are counted in 31 bits. */
static VkdmlResult check_reach(const struct vkdml_planning *planning, const struct vkdml_convolution *convolution) {
    const struct vkdml_instance *instance = planning->instance;
    for (uint32_t s = 0; s < convolution->spatial; ++s) {
        const uint64_t size =
            convolution->is_backward ? instance->outputs[0].sizes[2 + s] : instance->inputs[INPUT].sizes[2 + s];
        const uint64_t reach = distance(instance->inputs[FILTER].sizes[2 + s], convolution->dilations[s]);
        const uint64_t length = size + convolution->start[s] + convolution->end[s] + reach;
        if (length > INT32_MAX / 2) {
            return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "spatial dimension %" PRIu32 " with padding and the filter is %" PRIu64
                                    " elements long, must be at most %" PRId32,
                                    s, length, INT32_MAX / 2);
        }
    }
    return VKDML_SUCCESS;
}

static VkdmlResult plan_convolution(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    struct vkdml_convolution convolution = read_convolution(planning->instance);
    struct planner planner = {.planning = planning, .convolution = &convolution};
    VkdmlResult result = check_reach(planning, &convolution);
    uint32_t count = 1;
    (void)op;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_convolution_limit_parts(planning->instance, &convolution);
    for (uint32_t s = 0; s < convolution.spatial; ++s) {
        count *= vkdml_convolution_part_count(planning->instance, &convolution, s);
    }
    if (count > 1) {
        vkdml_note(planning->builder->report, "convolution: %u parts, the pixels between which strides lead",
                   (unsigned)count);
    }
    begin(&planner);
    return plan_parts(&planner, count);
}

const struct vkdml_operator vkdml_operator_convolution = {.rules = check_convolution, .plan = plan_convolution};
