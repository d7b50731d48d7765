#include "epilogue_subjects.h"

#include <string.h>

#include "cases/random.h"
#include "frames/neighbours/neighbours.h"
#include "frames/reduce/reduce.h"

/* ---- subjects ---- */

/* Rows, columns, both in one order of memory or another, runs of outputs that operands do not follow, and what takes
 * several steps. */
#define REDUCTION(NAME, bits, ...)                                                                                     \
    { .name = "reduce " #NAME, .kind = SUBJECT_REDUCE, .function = VKDML_REDUCE_##NAME, .folded = (bits), __VA_ARGS__ }
#define POOL(NAME, ENDING, ...)                                                                                        \
    {                                                                                                                  \
        .name = "pool " #NAME " " #ENDING, .kind = SUBJECT_POOL, .function = VKDML_POOL_##NAME,                        \
        .ending = VKDML_POOL_##ENDING, __VA_ARGS__                                                                     \
    }
#define SUM_OF(...)                                                                                                    \
    { .name = "sum", .kind = SUBJECT_SUM, __VA_ARGS__ }

static const struct subject subjects[] = {
    REDUCTION(SUM, 0xC, .sizes = {4, 6, 5, 7}),
    REDUCTION(AVERAGE, 0xC, .sizes = {4, 6, 16, 16}, .gap = 1),
    REDUCTION(L1, 0x4, .sizes = {4, 3, 6, 8}),
    REDUCTION(L2, 0x1, .sizes = {3, 8, 16, 4}),
    REDUCTION(LOG_SUM, 0xC, .sizes = {2, 6, 5, 4}, .across = true),
    REDUCTION(LOG_SUM_EXP, 0x8, .sizes = {3, 5, 7, 33}),
    REDUCTION(MAX, 0xC, .sizes = {2, 3, 40, 250}),
    REDUCTION(MIN, 0x2, .sizes = {5, 9, 6, 2}),
    REDUCTION(MULTIPLY, 0x5, .sizes = {5, 4, 3, 6}),
    REDUCTION(SUM_SQUARE, 0xC, .sizes = {2, 12, 6, 6}, .across = true, .gap = 3),
    REDUCTION(SUM, 0xC, .sizes = {2, 3, 40, 250}),
    REDUCTION(SUM, 0xF, .sizes = {4, 6, 5, 7}),
    REDUCTION(AVERAGE, 0x5, .sizes = {50, 2, 40, 12}, .gap = 2),
    POOL(MAXIMUM, AS_IT_IS, .sizes = {2, 3, 12, 16}, .window = 3, .step = 1),
    POOL(MAXIMUM, AS_IT_IS, .sizes = {2, 3, 14, 17}, .window = 3, .step = 2, .gap = 1),
    POOL(MAXIMUM, AS_IT_IS, .sizes = {2, 8, 9, 10}, .window = 2, .step = 2, .across = true),
    POOL(MAXIMUM, AS_IT_IS, .sizes = {1, 3, 12, 16}, .window = 3, .step = 1, .has_places = true),
    POOL(MAXIMUM, AS_IT_IS, .sizes = {1, 2, 180, 180}, .window = 170, .step = 10),
    POOL(SUM, SCALED, .sizes = {2, 3, 12, 16}, .window = 3, .step = 1),
    POOL(SUM, AVERAGE, .sizes = {2, 5, 9, 11}, .window = 3, .step = 2, .across = true),
    POOL(SUM, AVERAGE, .sizes = {1, 2, 180, 180}, .window = 170, .step = 10),
    POOL(MAGNITUDES, AS_IT_IS, .sizes = {2, 3, 10, 24}, .window = 2, .step = 2),
    POOL(SQUARED, ROOT, .sizes = {3, 3, 9, 8}, .window = 4, .step = 1),
    POOL(NORM, AS_IT_IS, .sizes = {2, 3, 6, 9}, .window = 3, .step = 2),
    SUM_OF(.sizes = {2, 7, 5, 16}, .window = 3, .step = 1),
    SUM_OF(.sizes = {2, 7, 5, 9}, .window = 5, .step = 1, .gap = 3),
};

uint32_t subject_count(void) {
    return sizeof(subjects) / sizeof(subjects[0]);
}

const struct subject *subject_at(uint32_t index) {
    return &subjects[index];
}

static bool is_walked(const struct subject *subject, uint32_t d) {
    return subject->kind == SUBJECT_POOL ? d >= 2 : subject->kind == SUBJECT_SUM && (d == 1 || d == 3);
}

static uint32_t output_size(const struct subject *subject, uint32_t d) {
    if (subject->kind == SUBJECT_REDUCE) {
        return (subject->folded >> d & 1) != 0 ? 1 : subject->sizes[d];
    }
    const uint32_t padding = subject->window < 10 ? subject->window / 2 : 0;
    return is_walked(subject, d) ? (subject->sizes[d] + 2 * padding - subject->window) / subject->step + 1
                                 : subject->sizes[d];
}

/* The last dimension closest, or the second one; `gap` elements behind what it has. */
static void set_strides(struct vkdml_view *view, bool across, uint32_t gap) {
    static const uint32_t orders[2][4] = {{3, 2, 1, 0}, {1, 3, 2, 0}};
    uint32_t stride = 1;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t d = orders[across][i];
        view->strides[d] = stride;
        stride = stride * view->sizes[d] + (i == 0 ? gap : 0);
    }
}

struct vkdml_view subject_output(const struct subject *subject, DML_TENSOR_DATA_TYPE type) {
    struct vkdml_view view = {.at = {.resource = VKDML_PLAN_OUTPUT, .type = type}, .rank = 4};
    for (uint32_t d = 0; d < 4; d++) {
        view.sizes[d] = output_size(subject, d);
    }
    set_strides(&view, subject->across, subject->gap);
    return view;
}

static struct vkdml_view source_of(const struct subject *subject, DML_TENSOR_DATA_TYPE type) {
    struct vkdml_view view = {.at = {.resource = VKDML_PLAN_INPUT, .type = type}, .rank = 4};
    memcpy(view.sizes, subject->sizes, sizeof(subject->sizes));
    set_strides(&view, subject->across, 0);
    return view;
}

/* ---- plans ---- */

static struct vkdml_reduce reduce_of(const struct subject *subject, const struct vkdml_view *output) {
    return (struct vkdml_reduce){.input = source_of(subject, output->at.type),
                                 .outputs = {*output},
                                 .folded = subject->folded,
                                 .function = subject->function};
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static struct vkdml_neighbours neighbours_of(const struct subject *subject, const struct vkdml_view *output) {
    const struct vkdml_view source = source_of(subject, output->at.type);
    struct vkdml_neighbours n = {.pool = subject->kind == SUBJECT_POOL ? subject->function : VKDML_POOL_NONE,
                                 .ending = subject->ending,
                                 .has_places = subject->has_places,
                                 .finish = VKDML_NEIGHBOURS_TOTAL,
                                 .source = source.at,
                                 .own = source.at,
                                 .target = output->at,
                                 .count = 4};
    n.arguments[0] = bits_of(0.1f);
    n.arguments[1] = bits_of(3);
    n.arguments[2] = bits_of(1.0f / 3);
    uint32_t place = 1;
    for (uint32_t d = 4; d-- > 0;) {
        struct vkdml_neighbours_dimension *dimension = &n.dimensions[d];
        *dimension = (struct vkdml_neighbours_dimension){.size = output->sizes[d],
                                                         .source_stride = source.strides[d],
                                                         .own_stride = output->strides[d],
                                                         .target_stride = output->strides[d]};
        if (subject->has_places) {
            dimension->tap_stride = place;
        }
        if (is_walked(subject, d)) {
            dimension->is_walked = true;
            dimension->start = subject->window < 10 ? subject->window / 2 : 0;
            dimension->taps = subject->window;
            dimension->tap_step = 1;
            dimension->source_size = source.sizes[d];
            dimension->source_step = subject->kind == SUBJECT_POOL ? subject->step : 1;
        }
        place *= source.sizes[d];
    }
    return n;
}

VkdmlResult subject_plan(const struct subject *subject, const struct vkdml_view *output,
                         const struct vkdml_epilogue *epilogue, struct vkdml_builder *builder) {
    if (subject->kind == SUBJECT_REDUCE) {
        struct vkdml_reduce reduce = reduce_of(subject, output);
        reduce.epilogue = epilogue;
        return vkdml_reduce_plan(&reduce, builder);
    }
    struct vkdml_neighbours n = neighbours_of(subject, output);
    n.epilogue = epilogue;
    if (subject->has_places) {
        n.own = vkdml_builder_region(builder, "places", 2 * vkdml_view_span(output), DML_TENSOR_DATA_TYPE_UINT32);
    }
    return vkdml_neighbours_plan(&n, builder);
}

bool subject_takes(const struct subject *subject, const struct vkdml_view *output,
                   const struct vkdml_epilogue *epilogue, const struct vkdml_plan_limits *limits) {
    if (subject->kind == SUBJECT_REDUCE) {
        const struct vkdml_reduce reduce = reduce_of(subject, output);
        return vkdml_reduce_takes(&reduce, epilogue, limits);
    }
    struct vkdml_neighbours n = neighbours_of(subject, output);
    n.own.type = subject->has_places ? DML_TENSOR_DATA_TYPE_UINT32 : n.own.type;
    return vkdml_neighbours_takes(&n, epilogue, limits);
}

/* ---- elements ---- */

static const uint32_t specials[] = {0,          0x80000000, 0x00000001, 0x80400000, 0x00800000, 0x7F7FFFFF,
                                    0x7F800000, 0xFF800000, 0x7FC00001, 0xFFFFFFFF, 0x3F800000, 0xC2C80000};
static const uint16_t half_specials[] = {0,      0x8000, 0x0001, 0x8200, 0x0400, 0x7BFF,
                                         0x7C00, 0xFC00, 0x7E01, 0xFFFF, 0x3C00, 0xD640};

/* Numbers from 2^-5 to 8, and among `rarity` others one that is special. */
static void fill(DML_TENSOR_DATA_TYPE type, struct random *random, uint32_t rarity, unsigned char *bytes) {
    for (uint32_t i = 0; i < EPILOGUE_WORDS; i++) {
        uint32_t word = random_below(random, 8) << 23 | random_below(random, 1 << 23);
        word = (word + (122u << 23)) | random_below(random, 2) << 31;
        if (random_below(random, rarity) == 0) {
            word = specials[random_below(random, 12)];
        }
        if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
            uint16_t halves[2];
            for (uint32_t h = 0; h < 2; h++) {
                halves[h] = (uint16_t)((10 + random_below(random, 8)) << 10 | random_below(random, 1 << 10) |
                                       random_below(random, 2) << 15);
                if (random_below(random, rarity) == 0) {
                    halves[h] = half_specials[random_below(random, 12)];
                }
            }
            memcpy(&word, halves, sizeof word);
        }
        memcpy(bytes + 4 * i, &word, sizeof word);
    }
}

/* Of what is made into one result, so that not all of these are NaN. */
static uint32_t elements_of_result(const struct subject *subject) {
    uint32_t elements = subject->window * subject->window;
    if (subject->kind == SUBJECT_REDUCE) {
        elements = 1;
        for (uint32_t d = 0; d < 4; d++) {
            elements *= (subject->folded >> d & 1) != 0 ? subject->sizes[d] : 1;
        }
    }
    return elements;
}

void subject_fill(const struct subject *subject, DML_TENSOR_DATA_TYPE type, unsigned char *source,
                  unsigned char *operand) {
    struct random random = {1};
    fill(type, &random, 8 * elements_of_result(subject), source);
    fill(type, &random, 12, operand);
}

/* ---- endings ---- */

#define NOTHING         .operation = VKDML_MAP_FIRST, .operand = OPERAND_NONE
#define SUMS(of)        .operation = VKDML_MAP_ADD, .operand = OPERAND_##of, .factor = 1
#define TIMES(of)       .operation = VKDML_MAP_MULTIPLY, .operand = OPERAND_##of, .factor = 1
#define THEN(NAME, ...) .function = VKDML_FUNCTION_##NAME, .arguments = {__VA_ARGS__}

static const struct ending endings[] = {
    {"a sum", SUMS(WHOLE), .is_arithmetic = true},
    {"a sum by channel and RELU", SUMS(BY_CHANNEL), THEN(RELU, 0), .is_arithmetic = true},
    {"a sum by channel and, stored before, SCALED_TANH", SUMS(BY_CHANNEL), THEN(SCALED_TANH, 1.7f, 0.6f),
     .in_two = true},
    {"a product", TIMES(TURNED), .is_arithmetic = true},
    {"a product with one and TANH", TIMES(OF_ONE), THEN(TANH, 0)},
    {"some of the operand, and CLIP", .operation = VKDML_MAP_ADD, .operand = OPERAND_TURNED, .factor = 0.3f,
     THEN(CLIP, -1.5f, 2.25f), .in_two = true, .is_arithmetic = true},
    {"ELU", NOTHING, THEN(ELU, 1.5f)},
    {"SOFTPLUS", NOTHING, THEN(SOFTPLUS, 2, 0.5f)},
    {"LEAKY_RELU", NOTHING, THEN(LEAKY_RELU, 0.3f), .is_arithmetic = true},
    {"a sum and CELU", SUMS(WHOLE), THEN(CELU, 3, 0)},
};

uint32_t ending_count(void) {
    return sizeof(endings) / sizeof(endings[0]);
}

const struct ending *ending_at(uint32_t index) {
    return &endings[index];
}

static struct vkdml_view operand_of(enum ending_operand operand, const struct vkdml_view *output) {
    struct vkdml_view view = {.at = {.resource = VKDML_PLAN_INPUT, .index = 1, .first = 3, .type = output->at.type},
                              .rank = output->rank};
    memcpy(view.sizes, output->sizes, sizeof(view.sizes));
    if (operand == OPERAND_WHOLE || operand == OPERAND_TURNED) {
        set_strides(&view, operand == OPERAND_TURNED, 1);
    } else if (operand == OPERAND_BY_CHANNEL) {
        view.strides[1] = 1;
    } else {
        for (uint32_t d = 0; d < view.rank; d++) {
            view.sizes[d] = 1;
        }
    }
    return view;
}

/* Of FLOAT16 -1, by which no product is rounded: those of a map are, and the epilogue's are FLOAT32. */
static float factor_of(const struct ending *ending, DML_TENSOR_DATA_TYPE type) {
    return ending->factor != 1 && type == DML_TENSOR_DATA_TYPE_FLOAT16 ? -1 : ending->factor;
}

struct vkdml_epilogue ending_epilogue(const struct ending *ending, const struct vkdml_view *output) {
    struct vkdml_epilogue epilogue = {.count = 0};
    struct vkdml_epilogue_step *step = vkdml_epilogue_add(&epilogue);
    memset(step, 0, sizeof(*step));
    step->operation = ending->operation;
    step->factor = factor_of(ending, output->at.type);
    if (ending->operand != OPERAND_NONE) {
        step->operand = operand_of(ending->operand, output);
    }
    if (ending->in_two) {
        step = vkdml_epilogue_add(&epilogue);
        memset(step, 0, sizeof(*step));
    }
    step->function = ending->function;
    memcpy(step->arguments, ending->arguments, sizeof(ending->arguments));
    return epilogue;
}

void ending_fill(const struct ending *ending, DML_TENSOR_DATA_TYPE type, unsigned char *operand) {
    const uint16_t half = 0xBC00;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        memcpy(operand + EPILOGUE_FACTOR_PLACE * 2, &half, sizeof half);
    } else {
        memcpy(operand + EPILOGUE_FACTOR_PLACE * 4, &ending->factor, sizeof ending->factor);
    }
}
