/* Plans of CONVOLUTION, forward and backward. */
#include <inttypes.h>
#include <string.h>

#include "base/notes.h"
#include "frames/gather/copy.h"
#include "frames/product/depthwise.h"
#include "frames/product/product.h"
#include "operators/convolution_parts.h"
#include "operators/convolution_rules.h"
#include "operators/mapping.h"

enum { INPUT = VKDML_CONVOLUTION_INPUT, FILTER = VKDML_CONVOLUTION_FILTER, BIAS = VKDML_CONVOLUTION_BIAS };

struct planner {
    const struct vkdml_planning *planning;
    const struct vkdml_convolution *convolution;
    uint32_t
        places[1 + VKDML_CONVOLUTION_SPATIAL]; /* of pictures and of the spatial dimensions among those of pixels */
    struct vkdml_product product;              /* but for what parts have of their own */
    bool packs;                                /* the filter is vkdml's, and some part needs a copy of it: all have one,
                                                  so that what is kept does not depend on which parts have outputs */
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
    const struct vkdml_ending ending = vkdml_epilogue_ending(product.tail);
    for (uint32_t s = 0; s < planner->convolution->spatial; ++s) {
        const uint32_t d = planner->places[1 + s];
        product.gather.walks[d] = parts[s].walk;
        product.scatter.sizes[d] = parts[s].walk.size;
        product.scatter.strides[d] = parts[s].step * output->strides[2 + s];
        product.tensors[VKDML_PRODUCT_OUT].at.first += parts[s].first * output->strides[2 + s];
        product.scatter.operand_strides[d] = parts[s].step * vkdml_ending_stride(&ending, 2 + s);
        product.tensors[VKDML_PRODUCT_OPERAND].at.first += parts[s].first * vkdml_ending_stride(&ending, 2 + s);
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
 * belongs to vkdml is packed once, unless it is a depthwise one, whose kernel reads it as it lies for all inputs but
 * the largest: whether it is packed at initialization never depends on the input. */
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
    const bool is_owned = owns_filter(planner) && !vkdml_depthwise_suits_filter(product);
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

/* Whether the steps of a part's filter along k are one stride apart, or the depthwise kernel takes them anyway. */
static bool reads_in_place(const struct planner *planner, const struct vkdml_product *product,
                           const struct vkdml_convolution_part *parts) {
    const struct steps steps = steps_of(planner, &product->gather, parts);
    uint32_t stride;
    return product->is_empty || vkdml_depthwise_suits_filter(product) || find_stride(&steps, &stride);
}

/* Gives a part its filter: as it lies, or for a product where that has no one stride along k a copy of it. Where there
 * is nothing to add up it is any element of the input instead, so that the filter need not be kept for that. */
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
    if (product->is_empty) {
        *a = (struct vkdml_product_tensor){.at = product->tensors[VKDML_PRODUCT_B].at};
        return VKDML_SUCCESS;
    }
    for (uint32_t s = 0; s < planner->convolution->spatial; ++s) {
        first += parts[s].filter_first * filter->strides[2 + s];
    }
    *a = (struct vkdml_product_tensor){.at = vkdml_input_view(planning->instance, FILTER).at};
    a->at.first = first;
    a->strides[VKDML_PRODUCT_INNER] = group_stride;
    a->strides[VKDML_PRODUCT_M] = m_stride;
    find_tap_strides(planner, parts, tap_strides);
    if (vkdml_depthwise_suits(product, tap_strides, planning->builder->limits) ||
        (!planner->packs && find_stride(&steps, &a->strides[VKDML_PRODUCT_K]))) {
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

/* Fills in the product, whose epilogue is made in `epilogue`. */
static void begin(struct planner *planner, struct vkdml_epilogue *epilogue) {
    const struct vkdml_instance *instance = planner->planning->instance;
    const struct vkdml_tensor *input = &instance->inputs[INPUT], *bias = &instance->inputs[BIAS];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const uint32_t groups = planner->convolution->groups, spatial = planner->convolution->spatial;
    const uint32_t channels = input->sizes[1] / groups, made = output->sizes[1] / groups;
    struct vkdml_product *p = &planner->product;
    const struct vkdml_view added = vkdml_input_view(instance, BIAS);
    vkdml_mapping_epilogue(instance, epilogue);
    vkdml_product_add(epilogue, 1, &added);
    *p = (struct vkdml_product){
        .sizes = {1, groups, made, output->sizes[0], channels},
        .tensors = {[VKDML_PRODUCT_B] = {.at = vkdml_input_view(instance, INPUT).at},
                    [VKDML_PRODUCT_C] = {.at = added.at},
                    [VKDML_PRODUCT_OUT] = {.at = vkdml_output_view(instance, 0).at}},
        .gather = {.rank = 1 + spatial, .channels = channels, .channel_stride = input->strides[1]},
        .scatter = {.rank = 1 + spatial},
        .open_dimension = VKDML_PRODUCT_N,
        .alpha = 1,
        .epilogue = epilogue,
    };
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

/* Gives it the tail, if there is one: strides but for spatial dimensions, which parts have of their own. */
static void set_tail(struct planner *planner) {
    const struct vkdml_tensor *output = &planner->planning->instance->outputs[0];
    const struct vkdml_view *operand = vkdml_product_set_tail(&planner->product, planner->planning->tail);
    if (operand != NULL) {
        uint32_t *strides = planner->product.tensors[VKDML_PRODUCT_OPERAND].strides;
        strides[VKDML_PRODUCT_INNER] = output->sizes[1] / planner->convolution->groups * operand->strides[1];
        strides[VKDML_PRODUCT_M] = operand->strides[1];
        planner->product.scatter.operand_strides[planner->places[0]] = operand->strides[0];
    }
}

static bool takes_tail(const struct vkdml_planning *planning) {
    struct vkdml_epilogue epilogue;
    vkdml_mapping_epilogue(planning->instance, &epilogue);
    return vkdml_product_takes(&epilogue, planning->tail, planning->instance->outputs[0].data_type,
                               planning->builder->limits);
}

/* Part `number` of all, of each spatial dimension one. */
static void find_parts(const struct planner *planner, uint32_t number,
                       struct vkdml_convolution_part parts[VKDML_CONVOLUTION_SPATIAL]) {
    const struct vkdml_instance *instance = planner->planning->instance;
    for (uint32_t s = planner->convolution->spatial; s-- > 0;) {
        const uint32_t count = vkdml_convolution_part_count(planner->convolution, s);
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

static bool some_part_packs(const struct planner *planner, uint32_t count) {
    struct vkdml_convolution_part parts[VKDML_CONVOLUTION_SPATIAL];
    bool packs = false;
    for (uint32_t i = 0; i < count && !packs; ++i) {
        find_parts(planner, i, parts);
        const struct vkdml_product product = product_of(planner, parts);
        packs = !reads_in_place(planner, &product, parts);
    }
    return packs;
}

/* Plans the products of all parts that have outputs, and copies of filters before all: those that vkdml keeps for parts
 * without outputs, too. */
static VkdmlResult plan_parts(const struct planner *planner, uint32_t count) {
    const struct vkdml_planning *planning = planner->planning;
    struct vkdml_convolution_part parts[VKDML_CONVOLUTION_SPATIAL];
    struct vkdml_product_tensor filters[VKDML_CONVOLUTION_MOST_PARTS];
    VkdmlResult result = VKDML_SUCCESS;
    for (uint32_t i = 0; i < count && result == VKDML_SUCCESS; ++i) {
        find_parts(planner, i, parts);
        const struct vkdml_product product = product_of(planner, parts);
        const bool is_kept = planner->packs && !vkdml_depthwise_suits_filter(&product);
        if (is_kept || product.sizes[VKDML_PRODUCT_N] != 0) {
            result = take_filter(planner, &product, parts, &filters[i]);
        }
    }
    vkdml_builder_phase(planning->builder);
    for (uint32_t i = 0; i < count && result == VKDML_SUCCESS; ++i) {
        find_parts(planner, i, parts);
        struct vkdml_product product = product_of(planner, parts);
        if (product.sizes[VKDML_PRODUCT_N] != 0) {
            product.tensors[VKDML_PRODUCT_A] = filters[i];
            result = plan_part(planner, &product, parts);
        }
    }
    return result;
}

/* How many elements the filter's first tap passes along a spatial dimension: of the padded input, or of the outputs
 * where these are more, each of which is a place. */
static uint64_t padded_length(const struct vkdml_instance *instance, const struct vkdml_convolution *convolution,
                              uint32_t s) {
    const uint32_t size = instance->outputs[0].sizes[2 + s];
    const uint64_t padding = (uint64_t)convolution->start[s] + convolution->end[s];
    if (convolution->is_backward) {
        return size + padding;
    }
    const uint64_t padded = instance->inputs[INPUT].sizes[2 + s] + padding;
    const uint64_t passed = vkdml_convolution_distance(size, convolution->strides[s]);
    return passed < padded ? padded : passed;
}

/* Places are counted in 31 bits. */
static VkdmlResult check_reach(const struct vkdml_planning *planning, const struct vkdml_convolution *convolution) {
    const struct vkdml_instance *instance = planning->instance;
    const uint64_t most = INT32_MAX / 2;
    for (uint32_t s = 0; s < convolution->spatial; ++s) {
        const uint64_t length = padded_length(instance, convolution, s);
        const uint64_t reach =
            vkdml_convolution_distance(instance->inputs[FILTER].sizes[2 + s], convolution->dilations[s]);
        if (length > most || reach > most - length) {
            return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "spatial dimension %" PRIu32 " is %" PRIu64 " elements long with padding and the "
                                    "filter reaches %" PRIu64 ", must be at most %" PRIu64 " together",
                                    s, length, reach, most);
        }
    }
    return VKDML_SUCCESS;
}

static VkdmlResult plan_convolution(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    struct vkdml_convolution convolution = vkdml_convolution_read(planning->instance);
    struct planner planner = {.planning = planning, .convolution = &convolution};
    struct vkdml_epilogue epilogue;
    VkdmlResult result = check_reach(planning, &convolution);
    uint32_t count = 1;
    (void)op;
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_convolution_limit_parts(&convolution);
    for (uint32_t s = 0; s < convolution.spatial; ++s) {
        count *= vkdml_convolution_part_count(&convolution, s);
    }
    if (count > 1) {
        vkdml_note(planning->builder->report, "convolution: %u parts, the pixels between which strides lead",
                   (unsigned)count);
    }
    begin(&planner, &epilogue);
    set_tail(&planner);
    planner.packs = owns_filter(&planner) && some_part_packs(&planner, count);
    return plan_parts(&planner, count);
}

static void check_convolution(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct vkdml_convolution convolution = vkdml_convolution_read(instance);
    vkdml_convolution_check(instance, &convolution, report);
}

const struct vkdml_operator vkdml_operator_convolution = {
    .rules = check_convolution, .plan = plan_convolution, .takes = takes_tail};
