/* AVERAGE_POOLING, LP_POOLING and MAX_POOLING, of windows on pictures and volumes. A window that holds a whole picture
 * is a reduce. */
#include <inttypes.h>
#include <string.h>

#include "frames/integer_product/integer_pool.h"
#include "frames/neighbours/neighbours.h"
#include "frames/reduce/reduce.h"
#include "operators/operators.h"
#include "operators/positive.h"
#include "operators/quantized.h"
#include "tensor/infer.h"

#define MOST_SPATIAL 3

/* What all descriptors have in common. */
struct pooling {
    uint32_t dimension_count;
    const uint32_t *strides;
    const uint32_t *window;
    const uint32_t *start;
    const uint32_t *end;
    const uint32_t *dilations;
    enum vkdml_pool function;
    enum vkdml_reduce_function reduce; /* the same of whole pictures */
    bool includes_padding;
    uint32_t p; /* of norms */
};

static const uint32_t no_dilations[MOST_SPATIAL] = {1, 1, 1};

#define WINDOWS_OF(desc)                                                                                               \
    .dimension_count = (desc)->DimensionCount, .strides = (desc)->Strides, .window = (desc)->WindowSize,               \
    .start = (desc)->StartPadding, .end = (desc)->EndPadding

/* ---- rules ---- */

static bool check_numbers(const struct pooling *pooling, struct vkdml_report *report) {
    const struct vkdml_positive arrays[] = {
        {"Strides", pooling->strides}, {"WindowSize", pooling->window}, {"Dilations", pooling->dilations}};
    return vkdml_positive_check(arrays, sizeof(arrays) / sizeof(arrays[0]), pooling->dimension_count, report);
}

static uint64_t padded_size(const struct vkdml_tensor *input, const struct pooling *pooling, uint32_t s) {
    return (uint64_t)input->sizes[2 + s] + pooling->start[s] + pooling->end[s];
}

/* How many windows there are along a spatial dimension; 0 where not even one fits. */
static uint64_t window_count(const struct vkdml_tensor *input, const struct pooling *pooling, uint32_t s) {
    const uint64_t padded = padded_size(input, pooling, s);
    const uint64_t reach = (uint64_t)pooling->dilations[s] * (pooling->window[s] - 1);
    return padded <= reach ? 0 : (padded - reach - 1) / pooling->strides[s] + 1;
}

static void refuse_window(const struct vkdml_instance *instance, const struct pooling *pooling, uint32_t s,
                          struct vkdml_report *report) {
    vkdml_report_invalid(report,
                         "the number of windows along %s.Sizes[%" PRIu32 "] (%" PRIu32
                         ") is 0, must be at least 1: WindowSize[%" PRIu32 "] (%" PRIu32 ") with Dilations[%" PRIu32
                         "] (%" PRIu32 ") reaches beyond it, StartPadding[%" PRIu32 "] (%" PRIu32
                         ") and EndPadding[%" PRIu32 "] (%" PRIu32 ")",
                         vkdml_input_name(instance, 0), 2 + s, instance->inputs[0].sizes[2 + s], s, pooling->window[s],
                         s, pooling->dilations[s], s, pooling->start[s], s, pooling->end[s]);
}

static void check_windows(const struct vkdml_instance *instance, const struct pooling *pooling,
                          struct vkdml_report *report) {
    const struct vkdml_tensor *input = &instance->inputs[0];
    struct vkdml_tensor *output = &instance->outputs[0];
    const uint32_t spatial = pooling->dimension_count;
    if (input->dimension_count < 4 || input->dimension_count > 5 || input->dimension_count != spatial + 2) {
        vkdml_report_invalid(report, "DimensionCount is %" PRIu32 ", must be %" PRIu32 " = %s.DimensionCount - 2",
                             spatial, input->dimension_count - 2, vkdml_input_name(instance, 0));
        return;
    }
    if (!check_numbers(pooling, report) || output->dimension_count != input->dimension_count) {
        return;
    }
    for (uint32_t d = 0; d < output->dimension_count; ++d) {
        const char *name = vkdml_output_name(instance, 0);
        const uint64_t size = d < 2 ? input->sizes[d] : window_count(input, pooling, d - 2);
        if (d >= 2 && size == 0) {
            refuse_window(instance, pooling, d - 2, report);
        } else if (vkdml_size_is(output, d, size)) {
            continue;
        } else if (d < 2) {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 " = %s.Sizes[%" PRIu32 "]",
                                 name, d, output->sizes[d], size, vkdml_input_name(instance, 0), d);
        } else {
            vkdml_report_invalid(report,
                                 "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 ", the number of windows",
                                 name, d, output->sizes[d], size);
        }
    }
}

/* ---- plans ---- */

static uint32_t bits_of(double x) {
    const float number = (float)x;
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* Whether the only window holds all elements and, where it counts, nothing else. */
static bool is_global(const struct vkdml_instance *instance, const struct pooling *pooling) {
    for (uint32_t s = 0; s < pooling->dimension_count; ++s) {
        const uint32_t size = instance->inputs[0].sizes[2 + s];
        if (instance->outputs[0].sizes[2 + s] != 1 || pooling->dilations[s] != 1 ||
            pooling->window[s] < (uint64_t)size + pooling->start[s] ||
            (pooling->includes_padding && pooling->window[s] != size)) {
            return false;
        }
    }
    return true;
}

static VkdmlResult plan_fold(const struct vkdml_planning *planning, const struct pooling *pooling) {
    const struct vkdml_reduce reduce = {
        .input = vkdml_input_view(planning->instance, 0),
        .outputs = {vkdml_output_view(planning->instance, 0)},
        .function = pooling->reduce,
        .folded = ((1u << pooling->dimension_count) - 1) << 2,
    };
    return vkdml_reduce_plan(&reduce, planning->builder);
}

/* How a pool of some spatial dimensions ends, a bit each. */
static void set_ending(const struct pooling *pooling, uint32_t walked, struct vkdml_neighbours *pool) {
    double elements = 1;
    bool is_padded = false;
    for (uint32_t s = 0; s < pooling->dimension_count; ++s) {
        if ((walked >> s & 1) != 0) {
            elements *= pooling->window[s];
            is_padded = is_padded || pooling->start[s] != 0 || pooling->end[s] != 0;
        }
    }
    if (pooling->function == VKDML_POOL_SUM) {
        pool->ending = pooling->includes_padding || !is_padded ? VKDML_POOL_SCALED : VKDML_POOL_AVERAGE;
        pool->arguments[0] = bits_of(1 / elements);
    } else if (pooling->function == VKDML_POOL_NORM) {
        pool->arguments[1] = bits_of(pooling->p);
        pool->arguments[2] = bits_of(1.0 / pooling->p);
    }
}

/* Of a pool from one tensor onto another; places, where they are asked for, are counted in the first's row-major order,
 * whatever its strides. */
static void set_dimensions(const struct pooling *pooling, uint32_t walked, const struct vkdml_view *from,
                           const struct vkdml_view *to, const struct vkdml_view *places,
                           struct vkdml_neighbours *pool) {
    uint32_t place_stride = 1;
    pool->count = from->rank;
    for (uint32_t d = pool->count; d-- > 0;) {
        struct vkdml_neighbours_dimension *dimension = &pool->dimensions[d];
        *dimension = (struct vkdml_neighbours_dimension){
            .size = to->sizes[d],
            .source_stride = from->strides[d],
            .own_stride = places != NULL ? places->strides[d] : 0,
            .target_stride = to->strides[d],
            .tap_stride = places != NULL ? place_stride : 0,
        };
        if (d >= 2 && (walked >> (d - 2) & 1) != 0) {
            const uint32_t s = d - 2;
            dimension->is_walked = true;
            dimension->start = pooling->start[s];
            dimension->taps = pooling->window[s];
            dimension->tap_step = pooling->window[s] == 1 ? 1 : pooling->dilations[s];
            dimension->source_size = from->sizes[d];
            dimension->source_step = to->sizes[d] == 1 ? 1 : pooling->strides[s];
        }
        place_stride *= from->sizes[d]; /* all elements fit 32 bits */
    }
}

static VkdmlResult plan_pool(const struct vkdml_planning *planning, const struct vkdml_neighbours *pool) {
    return vkdml_neighbours_plan(pool, planning->builder);
}

/* More elements than these go row by row first, and what became of rows then. */
#define MOST_AT_ONCE 81

static bool goes_by_rows(const struct pooling *pooling, bool has_places) {
    const uint32_t columns = pooling->window[pooling->dimension_count - 1];
    uint64_t rows = 1; /* windows fit 31 bits */
    for (uint32_t s = 0; s + 1 < pooling->dimension_count && rows <= MOST_AT_ONCE; ++s) {
        rows *= pooling->window[s];
    }
    return !has_places && pooling->function != VKDML_POOL_NORM && rows > 1 && columns > 1 &&
           rows * columns > MOST_AT_ONCE;
}

/* A row's average is a share of the average, its maximum or sum one of its elements. */
static VkdmlResult plan_by_rows(const struct vkdml_planning *planning, const struct pooling *pooling,
                                struct vkdml_neighbours *pool) {
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const uint32_t last = input.rank - 1;
    const uint32_t columns = 1u << (pooling->dimension_count - 1);
    struct vkdml_view sizes = input;
    sizes.sizes[last] = output.sizes[last];
    const struct vkdml_view rows =
        vkdml_builder_scratch(planning->builder, "what becomes of rows", &sizes,
                              pooling->function == VKDML_POOL_MAXIMUM ? input.at.type : DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_neighbours rest = *pool;
    pool->target = rows.at;
    set_ending(pooling, columns, pool);
    set_dimensions(pooling, columns, &input, &rows, NULL, pool);
    rest.source = pool->target;
    rest.own = rest.source;
    rest.pool = pooling->function == VKDML_POOL_MAXIMUM ? VKDML_POOL_MAXIMUM : VKDML_POOL_SUM;
    rest.ending = pooling->function == VKDML_POOL_SQUARED ? VKDML_POOL_ROOT : VKDML_POOL_AS_IT_IS;
    set_ending(pooling, columns - 1, &rest);
    set_dimensions(pooling, columns - 1, &rows, &output, NULL, &rest);
    VkdmlResult result = plan_pool(planning, pool);
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? plan_pool(planning, &rest) : result;
}

/* Places are counted in 31 bits. */
static VkdmlResult check_reach(const struct vkdml_planning *planning, const struct pooling *pooling) {
    for (uint32_t s = 0; s < pooling->dimension_count; ++s) {
        const uint64_t size = padded_size(&planning->instance->inputs[0], pooling, s);
        if (size > INT32_MAX) {
            return vkdml_report_add(planning->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                                    "the padded input is %" PRIu64 " elements long in spatial dimension %" PRIu32
                                    ", must be at most %" PRId32,
                                    size, s, INT32_MAX);
        }
    }
    return VKDML_SUCCESS;
}

static VkdmlResult plan_pooling(const struct vkdml_planning *planning, const struct pooling *pooling) {
    const struct vkdml_instance *instance = planning->instance;
    const VkdmlResult result = check_reach(planning, pooling);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    const bool has_places = pooling->function == VKDML_POOL_MAXIMUM && instance->output_count > 1 &&
                            instance->outputs[1].dimension_count != 0;
    if (!has_places && pooling->function != VKDML_POOL_NORM && is_global(instance, pooling)) {
        return plan_fold(planning, pooling);
    }
    struct vkdml_neighbours pool;
    memset(&pool, 0, sizeof(pool));
    pool.pool = pooling->function;
    pool.has_places = has_places;
    const struct vkdml_view input = vkdml_input_view(instance, 0), output = vkdml_output_view(instance, 0);
    const struct vkdml_view places = has_places ? vkdml_output_view(instance, 1) : input;
    pool.source = input.at;
    pool.target = output.at;
    pool.own = places.at;
    if (goes_by_rows(pooling, has_places)) {
        return plan_by_rows(planning, pooling, &pool);
    }
    const uint32_t all = (1u << pooling->dimension_count) - 1;
    pool.ending = pooling->function == VKDML_POOL_SQUARED ? VKDML_POOL_ROOT : VKDML_POOL_AS_IT_IS;
    set_ending(pooling, all, &pool);
    set_dimensions(pooling, all, &input, &output, has_places ? &places : NULL, &pool);
    return plan_pool(planning, &pool);
}

/* ---- the operators ---- */

/* Defines an operator by what reads its descriptor; `rule` is one that sizes have nothing to do with. */
#define POOLING(name, rule)                                                                                            \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const struct pooling pooling = read_##name(instance->desc);                                                    \
        rule;                                                                                                          \
        check_windows(instance, &pooling, report);                                                                     \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        const struct pooling pooling = read_##name(planning->instance->desc);                                          \
        (void)op;                                                                                                      \
        return plan_pooling(planning, &pooling);                                                                       \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {.rules = check_##name, .plan = plan_##name};

#define AVERAGE(desc)                                                                                                  \
    .function = VKDML_POOL_SUM, .reduce = VKDML_REDUCE_AVERAGE, .includes_padding = (desc)->IncludePadding != 0
#define MAXIMUM .function = VKDML_POOL_MAXIMUM, .reduce = VKDML_REDUCE_MAX
#define NORM(desc)                                                                                                     \
    .function = (desc)->P == 1   ? VKDML_POOL_MAGNITUDES                                                               \
                : (desc)->P == 2 ? VKDML_POOL_SQUARED                                                                  \
                                 : VKDML_POOL_NORM,                                                                    \
    .reduce = (desc)->P == 1 ? VKDML_REDUCE_L1 : VKDML_REDUCE_L2, .p = (desc)->P

static struct pooling read_average_pooling(const DML_AVERAGE_POOLING_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = no_dilations, AVERAGE(desc)};
}

static struct pooling read_average_pooling1(const DML_AVERAGE_POOLING1_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = desc->Dilations, AVERAGE(desc)};
}

static struct pooling read_lp_pooling(const DML_LP_POOLING_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = no_dilations, NORM(desc)};
}

static struct pooling read_lp_pooling1(const DML_LP_POOLING1_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = desc->Dilations, NORM(desc)};
}

static struct pooling read_max_pooling(const DML_MAX_POOLING_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = no_dilations, MAXIMUM};
}

static struct pooling read_max_pooling1(const DML_MAX_POOLING1_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = no_dilations, MAXIMUM};
}

static struct pooling read_max_pooling2(const DML_MAX_POOLING2_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = desc->Dilations, MAXIMUM};
}

static void check_p(const struct pooling *pooling, struct vkdml_report *report) {
    if (pooling->p == 0) {
        vkdml_report_invalid(report, "P is 0, must be at least 1");
    }
}

POOLING(average_pooling, (void)0)
POOLING(average_pooling1, (void)0)
POOLING(lp_pooling, check_p(&pooling, report))
POOLING(lp_pooling1, check_p(&pooling, report))
POOLING(max_pooling, (void)0)
POOLING(max_pooling1, (void)0)
POOLING(max_pooling2, (void)0)

/* ---- QUANTIZED_LINEAR_AVERAGE_POOLING ---- */

enum { SCALE = 1, ZERO_POINT, OUT_SCALE, OUT_ZERO_POINT };

static struct pooling read_quantized(const DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC *desc) {
    return (struct pooling){WINDOWS_OF(desc), .dilations = desc->Dilations,
                            .includes_padding = desc->IncludePadding != 0};
}

static void check_quantized(const struct vkdml_instance *instance, struct vkdml_report *report) {
    const struct pooling pooling = read_quantized(instance->desc);
    check_windows(instance, &pooling, report);
    for (uint32_t input = SCALE; input <= OUT_ZERO_POINT; ++input) {
        vkdml_quantized_check(instance, input, VKDML_QUANTIZED_CHANNELS, instance->inputs[0].sizes[1], report);
    }
}

static VkdmlResult plan_quantized(const struct vkdml_operator *op, const struct vkdml_planning *planning) {
    const struct vkdml_instance *instance = planning->instance;
    const struct pooling pooling = read_quantized(instance->desc);
    struct vkdml_integer_pool pool = {
        .input = vkdml_input_view(instance, 0),
        .output = vkdml_output_view(instance, 0),
        .counts_padding = pooling.includes_padding,
        .terms = {[VKDML_INTEGER_TERM_SCALE_A] = vkdml_quantized_term(instance, SCALE, VKDML_QUANTIZED_CHANNELS),
                  [VKDML_INTEGER_TERM_ZERO_A] = vkdml_quantized_term(instance, ZERO_POINT, VKDML_QUANTIZED_CHANNELS),
                  [VKDML_INTEGER_TERM_SCALE_OUT] = vkdml_quantized_term(instance, OUT_SCALE, VKDML_QUANTIZED_CHANNELS),
                  [VKDML_INTEGER_TERM_ZERO_OUT] =
                      vkdml_quantized_term(instance, OUT_ZERO_POINT, VKDML_QUANTIZED_CHANNELS)},
    };
    (void)op;
    const VkdmlResult result = check_reach(planning, &pooling);
    for (uint32_t s = 0; s < pooling.dimension_count; ++s) {
        pool.walks[s] = (struct vkdml_integer_walk){
            .step = pool.output.sizes[2 + s] == 1 ? 1 : pooling.strides[s],
            .start = pooling.start[s],
            .taps = pooling.window[s],
            .tap_step = pooling.window[s] == 1 ? 1 : pooling.dilations[s],
        };
    }
    return result == VKDML_SUCCESS ? vkdml_integer_pool_plan(&pool, planning->builder) : result;
}

const struct vkdml_operator vkdml_operator_quantized_linear_average_pooling = {.rules = check_quantized,
                                                                               .plan = plan_quantized};
