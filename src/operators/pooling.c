/* AVERAGE_POOLING, LP_POOLING and MAX_POOLING, of windows on pictures and volumes. A window that holds a whole picture
 * is a reduce. */
#include <string.h>

#include "frames/neighbours/neighbours.h"
#include "frames/reduce/reduce.h"
#include "operators/operators.h"
#include "operators/windows.h"

/* What all descriptors have in common. */
struct pooling {
    struct vkdml_windows windows;
    enum vkdml_pool function;
    enum vkdml_reduce_function reduce; /* the same of whole pictures */
    bool includes_padding;
    uint32_t p; /* of norms */
};

/* ---- plans ---- */

static uint32_t bits_of(double x) {
    const float number = (float)x;
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* Whether the only window holds all elements and, where it counts, nothing else. */
static bool is_global(const struct vkdml_instance *instance, const struct pooling *pooling) {
    for (uint32_t s = 0; s < pooling->windows.dimension_count; ++s) {
        const uint32_t size = instance->inputs[0].sizes[2 + s];
        if (instance->outputs[0].sizes[2 + s] != 1 || pooling->windows.dilations[s] != 1 ||
            pooling->windows.window[s] < (uint64_t)size + pooling->windows.start[s] ||
            (pooling->includes_padding && pooling->windows.window[s] != size)) {
            return false;
        }
    }
    return true;
}

static struct vkdml_reduce fold_of(const struct vkdml_planning *planning, const struct pooling *pooling) {
    return (struct vkdml_reduce){
        .input = vkdml_input_view(planning->instance, 0),
        .outputs = {vkdml_output_view(planning->instance, 0)},
        .function = pooling->reduce,
        .folded = ((1u << pooling->windows.dimension_count) - 1) << 2,
        .epilogue = planning->tail,
    };
}

/* How a pool of some spatial dimensions ends, a bit each. */
static void set_ending(const struct vkdml_instance *instance, const struct pooling *pooling, uint32_t walked,
                       struct vkdml_neighbours *pool) {
    double elements = 1;
    bool is_padded = false;
    for (uint32_t s = 0; s < pooling->windows.dimension_count; ++s) {
        if ((walked >> s & 1) != 0) {
            elements *= pooling->windows.window[s];
            is_padded = is_padded || vkdml_windows_have_padding(&pooling->windows, &instance->inputs[0],
                                                                &instance->outputs[0], s);
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

static VkdmlResult plan_pool(const struct vkdml_planning *planning, const struct vkdml_neighbours *pool) {
    return vkdml_neighbours_plan(pool, planning->builder);
}

/* More elements than these go row by row first, and what became of rows then. */
#define MOST_AT_ONCE 81

static bool goes_by_rows(const struct vkdml_instance *instance, const struct pooling *pooling, bool has_places) {
    const uint32_t last = instance->inputs[0].dimension_count - 1;
    const uint32_t columns = pooling->windows.window[pooling->windows.dimension_count - 1];
    uint64_t rows = 1; /* windows fit 31 bits */
    for (uint32_t s = 0; s + 1 < pooling->windows.dimension_count && rows <= MOST_AT_ONCE; ++s) {
        rows *= pooling->windows.window[s];
    }
    /* Where padding gives rows many more places than elements, what becomes of them may be of any size. */
    return !has_places && pooling->function != VKDML_POOL_NORM && rows > 1 && columns > 1 &&
           rows * columns > MOST_AT_ONCE && instance->outputs[0].sizes[last] / 2 <= instance->inputs[0].sizes[last];
}

/* A row's average is a share of the average, its maximum or sum one of its elements. */
static VkdmlResult plan_by_rows(const struct vkdml_planning *planning, const struct pooling *pooling,
                                struct vkdml_neighbours *pool) {
    const struct vkdml_view input = vkdml_input_view(planning->instance, 0);
    const struct vkdml_view output = vkdml_output_view(planning->instance, 0);
    const uint32_t last = input.rank - 1;
    const uint32_t columns = 1u << (pooling->windows.dimension_count - 1);
    struct vkdml_view sizes = input;
    sizes.sizes[last] = output.sizes[last];
    const struct vkdml_view rows =
        vkdml_builder_scratch(planning->builder, "what becomes of rows", &sizes,
                              pooling->function == VKDML_POOL_MAXIMUM ? input.at.type : DML_TENSOR_DATA_TYPE_FLOAT32);
    struct vkdml_neighbours rest = *pool;
    pool->target = rows.at;
    set_ending(planning->instance, pooling, columns, pool);
    vkdml_windows_set_dimensions(&pooling->windows, columns, &input, &rows, NULL, pool);
    rest.source = pool->target;
    rest.own = rest.source;
    rest.pool = pooling->function == VKDML_POOL_MAXIMUM ? VKDML_POOL_MAXIMUM : VKDML_POOL_SUM;
    rest.ending = pooling->function == VKDML_POOL_SQUARED ? VKDML_POOL_ROOT : VKDML_POOL_AS_IT_IS;
    set_ending(planning->instance, pooling, columns - 1, &rest);
    vkdml_windows_set_dimensions(&pooling->windows, columns - 1, &rows, &output, NULL, &rest);
    VkdmlResult result = plan_pool(planning, pool);
    vkdml_builder_phase(planning->builder);
    return result == VKDML_SUCCESS ? plan_pool(planning, &rest) : result;
}

static bool gives_places(const struct vkdml_instance *instance, const struct pooling *pooling) {
    return pooling->function == VKDML_POOL_MAXIMUM && instance->output_count > 1 &&
           instance->outputs[1].dimension_count != 0;
}

/* Whether it is a fold of all elements. */
static bool is_fold(const struct vkdml_instance *instance, const struct pooling *pooling) {
    return !gives_places(instance, pooling) && pooling->function != VKDML_POOL_NORM && is_global(instance, pooling);
}

/* Of all dimensions at once. */
static struct vkdml_neighbours pool_of(const struct vkdml_planning *planning, const struct pooling *pooling) {
    const struct vkdml_instance *instance = planning->instance;
    const bool has_places = gives_places(instance, pooling);
    const struct vkdml_view input = vkdml_input_view(instance, 0), output = vkdml_output_view(instance, 0);
    const struct vkdml_view places = has_places ? vkdml_output_view(instance, 1) : input;
    const uint32_t all = (1u << pooling->windows.dimension_count) - 1;
    struct vkdml_neighbours pool;
    memset(&pool, 0, sizeof(pool));
    pool.pool = pooling->function;
    pool.has_places = has_places;
    pool.source = input.at;
    pool.target = output.at;
    pool.own = places.at;
    pool.ending = pooling->function == VKDML_POOL_SQUARED ? VKDML_POOL_ROOT : VKDML_POOL_AS_IT_IS;
    set_ending(instance, pooling, all, &pool);
    vkdml_windows_set_dimensions(&pooling->windows, all, &input, &output, has_places ? &places : NULL, &pool);
    return pool;
}

/* Pools that go by rows, which are of many elements, take none. */
static bool takes_tail(const struct vkdml_planning *planning, const struct pooling *pooling) {
    const struct vkdml_plan_limits *limits = planning->builder->limits;
    if (is_fold(planning->instance, pooling)) {
        const struct vkdml_reduce fold = fold_of(planning, pooling);
        return vkdml_reduce_takes(&fold, planning->tail, limits);
    }
    const struct vkdml_neighbours pool = pool_of(planning, pooling);
    return !pool.has_places && !goes_by_rows(planning->instance, pooling, false) &&
           vkdml_neighbours_takes(&pool, planning->tail, limits);
}

static VkdmlResult plan_pooling(const struct vkdml_planning *planning, const struct pooling *pooling) {
    const struct vkdml_instance *instance = planning->instance;
    const VkdmlResult result =
        vkdml_windows_check_lengths(&pooling->windows, &instance->inputs[0], &instance->outputs[0],
                                    planning->builder->report);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    if (is_fold(instance, pooling)) {
        const struct vkdml_reduce fold = fold_of(planning, pooling);
        return vkdml_reduce_plan(&fold, planning->builder);
    }
    struct vkdml_neighbours pool = pool_of(planning, pooling);
    if (goes_by_rows(instance, pooling, pool.has_places)) {
        pool.ending = VKDML_POOL_AS_IT_IS;
        return plan_by_rows(planning, pooling, &pool);
    }
    pool.epilogue = planning->tail;
    return plan_pool(planning, &pool);
}

/* ---- the operators ---- */

/* Defines an operator by what reads its descriptor; `rule` is one that sizes have nothing to do with. */
#define POOLING(name, rule)                                                                                            \
    static void check_##name(const struct vkdml_instance *instance, struct vkdml_report *report) {                     \
        const struct pooling pooling = read_##name(instance->desc);                                                    \
        rule;                                                                                                          \
        vkdml_windows_check(&pooling.windows, VKDML_WINDOWS_ANY, &instance->inputs[0], vkdml_input_name(instance, 0),  \
                            &instance->outputs[0], vkdml_output_name(instance, 0), report);                            \
    }                                                                                                                  \
    static VkdmlResult plan_##name(const struct vkdml_operator *op, const struct vkdml_planning *planning) {           \
        const struct pooling pooling = read_##name(planning->instance->desc);                                          \
        (void)op;                                                                                                      \
        return plan_pooling(planning, &pooling);                                                                       \
    }                                                                                                                  \
    static bool takes_##name##_tail(const struct vkdml_planning *planning) {                                           \
        const struct pooling pooling = read_##name(planning->instance->desc);                                          \
        return takes_tail(planning, &pooling);                                                                         \
    }                                                                                                                  \
    const struct vkdml_operator vkdml_operator_##name = {                                                              \
        .rules = check_##name, .plan = plan_##name, .takes = takes_##name##_tail};

#define AVERAGE(desc)                                                                                                  \
    .function = VKDML_POOL_SUM, .reduce = VKDML_REDUCE_AVERAGE, .includes_padding = (desc)->IncludePadding != 0
#define MAXIMUM .function = VKDML_POOL_MAXIMUM, .reduce = VKDML_REDUCE_MAX
#define NORM(desc)                                                                                                     \
    .function = (desc)->P == 1   ? VKDML_POOL_MAGNITUDES                                                               \
                : (desc)->P == 2 ? VKDML_POOL_SQUARED                                                                  \
                                 : VKDML_POOL_NORM,                                                                    \
    .reduce = (desc)->P == 1 ? VKDML_REDUCE_L1 : VKDML_REDUCE_L2, .p = (desc)->P

static struct pooling read_average_pooling(const DML_AVERAGE_POOLING_OPERATOR_DESC *desc) {
    return (struct pooling){.windows = VKDML_WINDOWS(desc, vkdml_no_dilations), AVERAGE(desc)};
}

static struct pooling read_average_pooling1(const DML_AVERAGE_POOLING1_OPERATOR_DESC *desc) {
    return (struct pooling){.windows = VKDML_WINDOWS(desc, desc->Dilations), AVERAGE(desc)};
}

static struct pooling read_lp_pooling(const DML_LP_POOLING_OPERATOR_DESC *desc) {
    return (struct pooling){.windows = VKDML_WINDOWS(desc, vkdml_no_dilations), NORM(desc)};
}

static struct pooling read_lp_pooling1(const DML_LP_POOLING1_OPERATOR_DESC *desc) {
    return (struct pooling){.windows = VKDML_WINDOWS(desc, desc->Dilations), NORM(desc)};
}

static struct pooling read_max_pooling(const DML_MAX_POOLING_OPERATOR_DESC *desc) {
    return (struct pooling){.windows = VKDML_WINDOWS(desc, vkdml_no_dilations), MAXIMUM};
}

static struct pooling read_max_pooling1(const DML_MAX_POOLING1_OPERATOR_DESC *desc) {
    return (struct pooling){.windows = VKDML_WINDOWS(desc, vkdml_no_dilations), MAXIMUM};
}

static struct pooling read_max_pooling2(const DML_MAX_POOLING2_OPERATOR_DESC *desc) {
    return (struct pooling){.windows = VKDML_WINDOWS(desc, desc->Dilations), MAXIMUM};
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
