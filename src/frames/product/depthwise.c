#include "frames/product/depthwise.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/product/pixels.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/step.h"

enum { A = VKDML_PRODUCT_A, B, C, OUT, OPERAND, TENSORS };
enum { PIXELS = VKDML_PRODUCT_PIXELS };

/* Who asks how a product is stored does not ask which kernel it is. */
_Static_assert((int)VKDML_DEPTHWISE_CONSTANT_SHAPE == (int)VKDML_PRODUCT_CONSTANT_SHAPE &&
                   (int)VKDML_DEPTHWISE_OUT_IS_VECTOR == (int)VKDML_PRODUCT_OUT_IS_VECTOR,
               "vkdml_product_stores_words() is asked of both");

/* Dimensions: of pixels columns, rows and two more, then a group's channels of the output, and groups. */
enum { COLUMNS, ROWS, CHANNELS = PIXELS, GROUPS, RANK };

#define WIDTH             4 /* pixels of a row that an invocation makes */
#define MOST_ROWS         4
#define LOCAL_SIZE        128
#define SERIAL_LOCAL_SIZE 8

/* What keeps the largest GPUs busy. */
#define ENOUGH_INVOCATIONS (1u << 17)

/* Registers: weights, and what four pixels reach along a row. */
#define MOST_WEIGHTS 49
#define MOST_SPAN    24

/* Walked tap by tap. More are better off where k has shares. */
#define MOST_TAPS 1024

/* Of so many rows of the output tiles have few that are of no use. */
#define MOST_CHANNELS 4

/* A dimension of pixels; taps go forward in b, if need be backward in a. */
struct dimension {
    struct vkdml_product_walk walk;
    uint32_t out_stride;
    uint32_t operand_stride; /* of a tail */
    uint32_t tap_stride;
    bool is_backward;
};

struct depthwise {
    const struct vkdml_product *product;
    struct dimension pixels[PIXELS];
    struct vkdml_builder *builder;
};

static bool exists(const struct depthwise *d, uint32_t t) {
    return d->product->tensors[t].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* ---- dimensions ---- */

static struct dimension dimension_of(const struct vkdml_product *product, const uint32_t *tap_strides, uint32_t d) {
    struct dimension dimension = {.walk = product->gather.walks[d],
                                  .out_stride = product->scatter.strides[d],
                                  .operand_stride = product->scatter.operand_strides[d],
                                  .tap_stride = tap_strides[d],
                                  .is_backward = product->gather.walks[d].tap_step < 0};
    if (dimension.is_backward) {
        dimension.walk.start += (int64_t)(dimension.walk.taps - 1) * dimension.walk.tap_step;
        dimension.walk.tap_step = -dimension.walk.tap_step;
    }
    return dimension;
}

/* Columns lie closest in the output; rows take the most taps of the others. */
static bool comes_before(const struct dimension *a, const struct dimension *b, uint32_t place) {
    if (place == COLUMNS) {
        return a->walk.size > 1 && (b->walk.size == 1 || a->out_stride < b->out_stride);
    }
    return a->walk.taps > b->walk.taps || (a->walk.taps == b->walk.taps && a->walk.size > b->walk.size);
}

static void order_pixels(struct depthwise *depthwise, const uint32_t *tap_strides) {
    struct dimension *pixels = depthwise->pixels;
    for (uint32_t d = 0; d < PIXELS; ++d) {
        pixels[d] = (struct dimension){.walk = {.size = 1, .taps = 1, .step = 1, .divisor = 1, .source_size = 1}};
        if (d < depthwise->product->gather.rank) {
            pixels[d] = dimension_of(depthwise->product, tap_strides, d);
        }
    }
    for (uint32_t place = 0; place < PIXELS; ++place) {
        for (uint32_t d = place + 1; d < PIXELS; ++d) {
            if (comes_before(&pixels[d], &pixels[place], place)) {
                const struct dimension other = pixels[d];
                pixels[d] = pixels[place];
                pixels[place] = other;
            }
        }
    }
}

/* ---- what a box takes ---- */

/* Coordinates of b in a dimension of pixels; where there are none the first, which is not read. */
static struct vkdml_span reached(const struct vkdml_product_walk *walk, uint32_t origin, uint32_t size) {
    int64_t first = (int64_t)origin * walk->step + walk->start;
    int64_t last = first + (int64_t)(size - 1) * walk->step + (int64_t)(walk->taps - 1) * walk->tap_step;
    first = first < 0 ? 0 : first;
    last = last >= walk->source_size ? (int64_t)walk->source_size - 1 : last;
    return last < first ? (struct vkdml_span){0, 1}
                        : (struct vkdml_span){(uint64_t)first, (uint64_t)(last - first) + 1};
}

/* How far elements of a tensor are apart, in a dimension of all. */
static uint32_t stride_of(const struct depthwise *depthwise, uint32_t t, uint32_t d) {
    const uint32_t *strides = depthwise->product->tensors[t].strides;
    if (d == CHANNELS || d == GROUPS) {
        return strides[d == CHANNELS ? VKDML_PRODUCT_M : VKDML_PRODUCT_INNER];
    }
    return t == OUT ? depthwise->pixels[d].out_stride : t == OPERAND ? depthwise->pixels[d].operand_stride : 0;
}

static struct vkdml_span span_of(const struct depthwise *depthwise, uint32_t t, const struct vkdml_box *box) {
    struct vkdml_span span = {depthwise->product->tensors[t].at.first, 1};
    for (uint32_t d = 0; d < RANK; ++d) {
        const uint64_t stride = stride_of(depthwise, t, d);
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    for (uint32_t d = 0; d < PIXELS; ++d) {
        const struct dimension *dimension = &depthwise->pixels[d];
        if (t == A) {
            span.count += (uint64_t)(dimension->walk.taps - 1) * dimension->tap_stride;
        } else if (t == B) {
            const struct vkdml_span q = reached(&dimension->walk, box->origin[d], box->size[d]);
            span.first += q.first * dimension->walk.stride;
            span.count += (q.count - 1) * dimension->walk.stride;
        }
    }
    return span;
}

static struct vkdml_window window_of(const struct depthwise *depthwise, uint32_t t, const struct vkdml_box *box) {
    return vkdml_window_of(span_of(depthwise, t, box), vkdml_data_type_bits(depthwise->product->tensors[t].at.type));
}

static uint64_t bytes(void *context, uint32_t t, const struct vkdml_box *box, bool *fits) {
    const struct depthwise *depthwise = context;
    *fits = true;
    if (!exists(depthwise, t)) {
        return 0;
    }
    const struct vkdml_window window = window_of(depthwise, t, box);
    *fits =
        vkdml_fits(depthwise->builder->limits, depthwise->product->tensors[t].at.offset + window.offset, window.size);
    return window.size;
}

static uint64_t reach(void *context, uint32_t t, const struct vkdml_box *box, uint32_t d) {
    const struct depthwise *depthwise = context;
    const uint64_t length = box->size[d] - 1;
    if (t == B && d < PIXELS) {
        return length * depthwise->pixels[d].walk.step * depthwise->pixels[d].walk.stride;
    }
    return length * stride_of(depthwise, t, d);
}

/* ---- a step ---- */

/* How an invocation goes about its pixels. */
struct way {
    uint32_t shape;
    uint32_t taps[2]; /* of columns and rows; 0: one by one */
    uint32_t lead;
    uint32_t rows;
};

/* Where element 0 of a tensor lies in what is bound, modulo 16 bytes. */
static uint32_t place_of(const struct depthwise *depthwise, uint32_t t, const struct vkdml_box *box) {
    const uint64_t offset = window_of(depthwise, t, box).offset;
    const uint32_t begin =
        vkdml_place_modulo_16(depthwise->builder->limits, depthwise->product->tensors[t].at.offset + offset, 0);
    return (begin + 16 - (uint32_t)(offset % 16)) % 16;
}

/* Whether fours of a tensor begin at multiples of four, if they do in columns. */
static bool has_fours(const struct depthwise *depthwise, uint32_t t, const struct vkdml_box *box) {
    const struct vkdml_product *product = depthwise->product;
    bool fours = product->tensors[t].at.first % 4 == 0 &&
                 place_of(depthwise, t, box) % (WIDTH * vkdml_data_type_size(product->tensors[t].at.type)) == 0;
    for (uint32_t d = 0; d < RANK; ++d) {
        const bool is_pixel = d < PIXELS && t == B;
        const bool is_one = is_pixel ? depthwise->pixels[d].walk.source_size == 1 : box->origin[d] + box->size[d] == 1;
        const uint32_t stride = is_pixel ? depthwise->pixels[d].walk.stride : stride_of(depthwise, t, d);
        fours = fours && (is_one || (d == COLUMNS ? stride == 1 : stride % WIDTH == 0));
    }
    return fours;
}

static bool are_close(const struct vkdml_product_walk *walk) {
    return walk->taps == 1 || walk->tap_step == 1;
}

static uint64_t count_units(const struct vkdml_box *box, uint32_t rows) {
    uint64_t count = vkdml_divide_up(box->size[COLUMNS], WIDTH) * vkdml_divide_up(box->size[ROWS], rows);
    for (uint32_t d = ROWS + 1; d < RANK; ++d) {
        count *= box->size[d];
    }
    return count;
}

/* General plans load and store one by one, and a row at a time. */
static struct way choose_way(const struct depthwise *depthwise, const struct vkdml_box *box) {
    const bool general = depthwise->builder->limits->general;
    const struct dimension *pixels = depthwise->pixels;
    const struct vkdml_product_walk *columns = &pixels[COLUMNS].walk, *rows = &pixels[ROWS].walk;
    const uint32_t group = stride_of(depthwise, OUT, GROUPS);
    struct way way = {.rows = 1};
    way.shape = exists(depthwise, C) ? VKDML_DEPTHWISE_HAS_C : 0;
    way.shape |= box->size[GROUPS] > 1 && group < pixels[COLUMNS].out_stride ? VKDML_DEPTHWISE_CHANNELS_INNER : 0;
    const bool starts_whole = !general && box->origin[COLUMNS] % WIDTH == 0 && box->size[COLUMNS] % WIDTH == 0;
    way.shape |= starts_whole && has_fours(depthwise, OUT, box) ? VKDML_DEPTHWISE_OUT_IS_VECTOR : 0;
    way.shape |= starts_whole && exists(depthwise, OPERAND) && has_fours(depthwise, OPERAND, box)
                     ? VKDML_DEPTHWISE_OPERAND_IS_VECTOR
                     : 0;
    const uint64_t span = (uint64_t)(WIDTH - 1) * columns->step + columns->taps;
    if (!are_close(columns) || !are_close(rows) || columns->taps > MOST_WEIGHTS / rows->taps ||
        span > MOST_SPAN - (WIDTH - 1)) {
        return way;
    }
    way.taps[0] = columns->taps;
    way.taps[1] = rows->taps;
    const struct vkdml_span q = reached(columns, box->origin[COLUMNS], box->size[COLUMNS]);
    const bool is_whole = q.first % WIDTH == 0 && q.count % WIDTH == 0; /* and all of it is bound */
    if (!general && is_whole && has_fours(depthwise, B, box)) {
        const int64_t start = columns->start + (int64_t)box->origin[COLUMNS] * columns->step;
        way.shape |= VKDML_DEPTHWISE_B_IS_VECTOR;
        way.lead = (uint32_t)start % WIDTH;
    }
    const bool serial = depthwise->builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    way.rows = !general && rows->taps > 1 && rows->step <= rows->taps && box->size[ROWS] > 1 ? MOST_ROWS : 1;
    while (way.rows > 1 && !serial && count_units(box, way.rows) < ENOUGH_INVOCATIONS) {
        way.rows /= 2;
    }
    return way;
}

static void fill_parameters(const struct depthwise *depthwise, const struct vkdml_box *box, uint32_t rows,
                            struct vkdml_depthwise_parameters *parameters) {
    memset(parameters, 0, sizeof(*parameters));
    for (uint32_t t = 0; t < OPERAND; ++t) {
        if (exists(depthwise, t)) {
            parameters->firsts[t] = window_of(depthwise, t, box).lead;
            parameters->groups[t] = stride_of(depthwise, t, GROUPS);
            parameters->rows[t] = stride_of(depthwise, t, CHANNELS);
        }
    }
    for (uint32_t d = 0; d < RANK; ++d) {
        const uint32_t each = d == COLUMNS ? WIDTH : d == ROWS ? rows : 1;
        const uint32_t count = (uint32_t)vkdml_divide_up(box->size[d], each);
        const struct vkdml_divisor divisor = vkdml_divisor(count);
        const uint32_t units[] = {count, divisor.multiplier, divisor.shifts, stride_of(depthwise, OUT, d)};
        memcpy(parameters->units[d], units, sizeof(units));
    }
    for (uint32_t d = 0; d < PIXELS; ++d) {
        const struct dimension *dimension = &depthwise->pixels[d];
        const struct vkdml_product_walk *walk = &dimension->walk;
        const uint32_t start = (uint32_t)walk->start + box->origin[d] * walk->step;
        const uint32_t tap_stride = dimension->is_backward ? 0 - dimension->tap_stride : dimension->tap_stride;
        const uint32_t steps[] = {walk->step, start, (uint32_t)walk->tap_step, walk->stride};
        const struct vkdml_span q = reached(walk, box->origin[d], box->size[d]);
        const uint32_t sizes[] = {box->size[d], walk->taps, (uint32_t)(q.first + q.count), tap_stride};
        memcpy(parameters->steps[d], steps, sizeof(steps));
        memcpy(parameters->sizes[d], sizes, sizeof(sizes));
        parameters->firsts[B] -= (uint32_t)q.first * walk->stride;
        parameters->firsts[A] += dimension->is_backward ? (walk->taps - 1) * dimension->tap_stride : 0;
    }
}

/* What becomes of results. */
static void fill_endings(const struct depthwise *depthwise, const struct vkdml_box *box,
                         struct vkdml_depthwise_parameters *parameters, struct vkdml_plan_step *step) {
    const struct vkdml_product *product = depthwise->product;
    const struct vkdml_ending ending = vkdml_epilogue_ending(product->tail);
    const enum vkdml_map_function function = vkdml_product_function(product, parameters->arguments[2]);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_FUNCTION, (uint32_t)function);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_EPILOGUE, ending.constant);
    parameters->ending[1] = ending.factor;
    if (exists(depthwise, OPERAND)) {
        parameters->ending[0] = window_of(depthwise, OPERAND, box).lead;
        parameters->operand_steps[0] = stride_of(depthwise, OPERAND, GROUPS);
        parameters->operand_steps[1] = stride_of(depthwise, OPERAND, CHANNELS);
        for (uint32_t d = 0; d < PIXELS; ++d) {
            parameters->operand_pixels[d] = stride_of(depthwise, OPERAND, d);
        }
    }
}

static VkdmlResult fill_step(const struct depthwise *depthwise, const struct vkdml_box *box,
                             struct vkdml_plan_step *step) {
    const struct vkdml_product *product = depthwise->product;
    const struct vkdml_plan_limits *limits = depthwise->builder->limits;
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t local_size = vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    const struct way way = choose_way(depthwise, box);
    const uint64_t units = count_units(box, way.rows); /* no more than the output has elements */
    struct vkdml_depthwise_parameters parameters;
    fill_parameters(depthwise, box, way.rows, &parameters);
    parameters.unit_count = (uint32_t)units;
    parameters.group_count = (uint32_t)vkdml_divide_up(units, local_size);

    const struct vkdml_product_tensor *tensors = product->tensors;
    const DML_TENSOR_DATA_TYPE type_of_c = exists(depthwise, C) ? tensors[C].at.type : DML_TENSOR_DATA_TYPE_FLOAT32;
    const bool has_halves = tensors[A].at.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    const struct dimension *columns = &depthwise->pixels[COLUMNS], *rows = &depthwise->pixels[ROWS];
    step->float_controls = has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = VKDML_KERNEL_DEPTHWISE;
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_TYPES,
                        (uint32_t)tensors[A].at.type | (uint32_t)type_of_c << 4 | (uint32_t)tensors[OUT].at.type << 8);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_SHAPE, way.shape);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_COLUMN_TAPS, way.taps[0]);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_ROW_TAPS, way.taps[1]);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_COLUMN_STEP,
                        way.taps[0] != 0 ? columns->walk.step | way.lead << 4 : 0);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_ROW_STEP, way.taps[0] != 0 ? rows->walk.step : 0);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_ROWS, way.rows);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_OPERATION, 0);
    fill_endings(depthwise, box, &parameters, step);
    vkdml_step_constant(step, VKDML_DEPTHWISE_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    static const uint32_t places[TENSORS] = {[A] = 0, [OUT] = 1, [B] = 2, [C] = 3, [OPERAND] = 4};
    step->buffer_count = exists(depthwise, OPERAND) ? 5 : exists(depthwise, C) ? 4 : 3;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        if (exists(depthwise, t)) {
            const struct vkdml_window window = window_of(depthwise, t, box);
            step->buffers[places[t]] = vkdml_origin_buffer(&tensors[t].at, window.offset, window.size);
        }
    }
    if (!exists(depthwise, C)) { /* that the kernel leaves alone */
        step->buffers[places[C]] = step->buffers[places[B]];
    }
    return vkdml_grid(parameters.group_count, limits, depthwise->builder->report, step->groups);
}

static VkdmlResult add(void *context, const struct vkdml_box *box) {
    const struct depthwise *depthwise = context;
    struct vkdml_plan_step *step;
    VkdmlResult result = vkdml_builder_add(depthwise->builder, &step);
    return result == VKDML_SUCCESS ? fill_step(depthwise, box, step) : result;
}

/* ---- plans ---- */

bool vkdml_depthwise_suits_filter(const struct vkdml_product *product) {
    const struct vkdml_product_gather *gather = &product->gather;
    uint64_t taps = 1;
    bool suits = gather->rank > 0 && gather->channels == 1 && !product->is_empty &&
                 product->sizes[VKDML_PRODUCT_M] <= MOST_CHANNELS;
    for (uint32_t d = 0; d < gather->rank && suits; ++d) {
        taps *= gather->walks[d].taps;
        suits = gather->walks[d].divisor == 1 && taps <= MOST_TAPS;
    }
    return suits;
}

bool vkdml_depthwise_suits(const struct vkdml_product *product, const uint32_t *tap_strides,
                           const struct vkdml_plan_limits *limits) {
    uint64_t farthest = 1;
    for (uint32_t d = 0; d < product->gather.rank; ++d) {
        const struct vkdml_product_walk *walk = &product->gather.walks[d];
        const uint64_t step = (uint64_t)(walk->tap_step < 0 ? -walk->tap_step : walk->tap_step) * walk->stride;
        farthest += (walk->taps - 1) * (step > tap_strides[d] ? step : tap_strides[d]);
    }
    return vkdml_depthwise_suits_filter(product) && vkdml_fits(limits, 4, 8 * farthest);
}

VkdmlResult vkdml_depthwise_plan(const struct vkdml_product *product, const uint32_t *tap_strides,
                                 struct vkdml_builder *builder) {
    vkdml_note(builder->report,
               "depthwise: few channels in a group, so an invocation makes %d pixels of a row from registers", WIDTH);
    struct depthwise depthwise = {.product = product, .builder = builder};
    order_pixels(&depthwise, tap_strides);
    const struct vkdml_covering covering = {&depthwise, RANK, TENSORS, builder, bytes, reach, add};
    struct vkdml_box whole = {{0}, {0}};
    for (uint32_t d = 0; d < PIXELS; ++d) {
        whole.size[d] = depthwise.pixels[d].walk.size;
    }
    whole.size[CHANNELS] = product->sizes[VKDML_PRODUCT_M];
    whole.size[GROUPS] = product->sizes[VKDML_PRODUCT_INNER];
    return vkdml_cover(&covering, &whole);
}
