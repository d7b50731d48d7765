/* AVERAGE_POOLING, LP_POOLING, MAX_POOLING and MAX_UNPOOLING: windows of spatial dimensions. Floats are summed in
 * double. */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/quantized.h"
#include "reference/reference.h"

static const uint32_t ones[VKDML_MAX_DIMENSIONS] = {1, 1, 1, 1, 1, 1, 1, 1};

struct pooling {
    uint32_t spatial;
    const uint32_t *strides, *window, *start, *dilations;
};

#define POOLING(desc, dilations)                                                                                       \
    { (desc)->DimensionCount, (desc)->Strides, (desc)->WindowSize, (desc)->StartPadding, (dilations) }

/* A window's elements, one after another in row-major order, and those it would have. */
struct walk {
    const struct pooling *pooling;
    const struct vkdml_tensor *input;
    struct vkdml_coordinate output, at; /* of the input */
    uint32_t element[VKDML_MAX_DIMENSIONS];
    double count, size; /* of elements so far, and with padding */
    bool has_begun;
};

static struct walk begin(const struct pooling *pooling, const struct vkdml_tensor *input,
                         const struct vkdml_coordinate *output) {
    struct walk walk = {.pooling = pooling, .input = input, .output = *output, .at = *output};
    return walk;
}

/* Whether `at` is another element now. */
static bool step(struct walk *walk) {
    const struct pooling *p = walk->pooling;
    for (;;) {
        uint32_t s = p->spatial;
        while (walk->has_begun && s-- > 0 && ++walk->element[s] == p->window[s]) {
            walk->element[s] = 0;
        }
        if (walk->has_begun && s == UINT32_MAX) {
            return false;
        }
        walk->has_begun = true;
        walk->size++;
        bool is_there = true;
        for (uint32_t d = 0; d < p->spatial; d++) {
            const int64_t place = (int64_t)walk->output.index[2 + d] * p->strides[d] +
                                  (int64_t)walk->element[d] * p->dilations[d] - p->start[d];
            is_there = is_there && place >= 0 && place < walk->input->sizes[2 + d];
            walk->at.index[2 + d] = (uint32_t)place;
        }
        if (is_there) {
            walk->count++;
            return true;
        }
    }
}

static double number_at(const struct walk *walk, const void *memory) {
    return (double)vkdml_element_to_float(walk->input->data_type, vkdml_element_read(walk->input, memory, &walk->at));
}

/* ---- AVERAGE_POOLING ---- */

static void average(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                    const struct pooling *pooling, bool includes_padding) {
    struct vkdml_coordinate at = {{0}};
    do {
        struct walk walk = begin(pooling, &instance->inputs[0], &at);
        double sum = 0;
        while (step(&walk)) {
            sum += number_at(&walk, memory->inputs[0]);
        }
        const double count = includes_padding ? walk.size : walk.count;
        vkdml_number_write(&instance->outputs[0], memory->outputs[0], &at, walk.count == 0 ? 0 : sum / count);
    } while (vkdml_coordinate_next(&instance->outputs[0], &at));
}

void vkdml_reference_average_pooling(const struct vkdml_instance *instance,
                                     const struct vkdml_reference_memory *memory) {
    const DML_AVERAGE_POOLING_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, ones);
    average(instance, memory, &pooling, desc->IncludePadding != 0);
}

void vkdml_reference_average_pooling1(const struct vkdml_instance *instance,
                                      const struct vkdml_reference_memory *memory) {
    const DML_AVERAGE_POOLING1_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, desc->Dilations);
    average(instance, memory, &pooling, desc->IncludePadding != 0);
}

/* Sums of differences from the zero point are exact. */
void vkdml_reference_quantized_linear_average_pooling(const struct vkdml_instance *instance,
                                                      const struct vkdml_reference_memory *memory) {
    enum { INPUT_SCALE = 1, INPUT_ZERO_POINT, OUT_SCALE, OUT_ZERO_POINT };
    const DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, desc->Dilations);
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        const uint32_t channel = at.index[1];
        const int64_t zero_point = vkdml_reference_zero_point(instance, memory, INPUT_ZERO_POINT, channel);
        struct walk walk = begin(&pooling, &instance->inputs[0], &at);
        int64_t sum = 0;
        while (step(&walk)) {
            sum += vkdml_reference_integer(walk.input, memory->inputs[0], &walk.at) - zero_point;
        }
        const float count = (float)(desc->IncludePadding != 0 ? walk.size : walk.count);
        const float scaled = (float)sum * vkdml_reference_scale(instance, memory, INPUT_SCALE, channel);
        const float average = scaled / count;
        const float quotient = average / vkdml_reference_scale(instance, memory, OUT_SCALE, channel);
        vkdml_element_write(
            output, memory->outputs[0], &at,
            vkdml_reference_quantized(output->data_type, walk.count == 0 ? 0 : quotient,
                                      vkdml_reference_zero_point(instance, memory, OUT_ZERO_POINT, channel)));
    } while (vkdml_coordinate_next(output, &at));
}

/* ---- LP_POOLING ---- */

/* Beside the greatest magnitude, so that no power is beyond double. */
static double norm_of(struct walk walk, const void *memory, uint32_t p) {
    struct walk first = walk;
    double greatest = 0, sum = 0;
    while (step(&first)) {
        const double x = fabs(number_at(&first, memory));
        greatest = isnan(x) || x > greatest ? x : greatest;
        if (isnan(x)) {
            return x;
        }
    }
    if (greatest == 0 || isinf(greatest)) {
        return greatest;
    }
    while (step(&walk)) {
        sum += pow(fabs(number_at(&walk, memory)) / greatest, p);
    }
    return greatest * pow(sum, 1.0 / p);
}

static void norm(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                 const struct pooling *pooling, uint32_t p) {
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_number_write(&instance->outputs[0], memory->outputs[0], &at,
                           norm_of(begin(pooling, &instance->inputs[0], &at), memory->inputs[0], p));
    } while (vkdml_coordinate_next(&instance->outputs[0], &at));
}

void vkdml_reference_lp_pooling(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_LP_POOLING_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, ones);
    norm(instance, memory, &pooling, desc->P);
}

void vkdml_reference_lp_pooling1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_LP_POOLING1_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, desc->Dilations);
    norm(instance, memory, &pooling, desc->P);
}

/* ---- MAX_POOLING ---- */

/* NaN is above all numbers, and -0 below +0. */
static bool is_above(DML_TENSOR_DATA_TYPE type, uint64_t a, uint64_t b) {
    if (!vkdml_data_type_is_float(type)) {
        return vkdml_integer_comes_before(type, a, b, false);
    }
    const float x = vkdml_element_to_float(type, a), y = vkdml_element_to_float(type, b);
    if (isnan(x) || isnan(y)) {
        return !isnan(y);
    }
    return x > y || (x == y && signbit(x) == 0 && signbit(y) != 0);
}

/* What a window without elements gives. */
static uint64_t least_of(DML_TENSOR_DATA_TYPE type) {
    return vkdml_data_type_is_float(type) ? vkdml_float_to_element(type, -INFINITY)
                                          : vkdml_integer_saturate(type, true, UINT64_MAX);
}

/* In row-major order, whatever the strides. */
static uint64_t place_of(const struct vkdml_tensor *tensor, const struct vkdml_coordinate *at) {
    uint64_t place = 0;
    for (uint32_t d = 0; d < tensor->dimension_count; d++) {
        place = place * tensor->sizes[d] + at->index[d];
    }
    return place;
}

static void maximum(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                    const struct pooling *pooling) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const bool has_places = instance->output_count > 1 && instance->outputs[1].dimension_count != 0;
    struct vkdml_coordinate at = {{0}};
    do {
        struct walk walk = begin(pooling, input, &at);
        uint64_t greatest = least_of(input->data_type), place = UINT64_MAX;
        while (step(&walk)) {
            const uint64_t bits = vkdml_element_read(input, memory->inputs[0], &walk.at);
            if (place == UINT64_MAX || is_above(input->data_type, bits, greatest)) {
                greatest = bits;
                place = place_of(input, &walk.at);
            }
        }
        if (vkdml_data_type_is_float(input->data_type) && isnan(vkdml_element_to_float(input->data_type, greatest))) {
            greatest = vkdml_float_to_element(input->data_type, NAN);
        }
        vkdml_element_write(output, memory->outputs[0], &at, greatest);
        if (has_places) {
            vkdml_element_write(&instance->outputs[1], memory->outputs[1], &at, place);
        }
    } while (vkdml_coordinate_next(output, &at));
}

void vkdml_reference_max_pooling(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_MAX_POOLING_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, ones);
    maximum(instance, memory, &pooling);
}

void vkdml_reference_max_pooling1(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_MAX_POOLING1_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, ones);
    maximum(instance, memory, &pooling);
}

void vkdml_reference_max_pooling2(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const DML_MAX_POOLING2_OPERATOR_DESC *desc = instance->desc;
    const struct pooling pooling = POOLING(desc, desc->Dilations);
    maximum(instance, memory, &pooling);
}

/* ---- MAX_UNPOOLING ---- */

void vkdml_reference_max_unpooling(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {
    const struct vkdml_tensor *input = &instance->inputs[0], *indices = &instance->inputs[1];
    const struct vkdml_tensor *output = &instance->outputs[0];
    struct vkdml_coordinate at = {{0}};
    do {
        vkdml_element_write(output, memory->outputs[0], &at, 0);
    } while (vkdml_coordinate_next(output, &at));
    do {
        uint64_t rest = vkdml_element_read(indices, memory->inputs[1], &at);
        struct vkdml_coordinate to = {{0}};
        for (uint32_t d = output->dimension_count; d-- > 0;) {
            to.index[d] = (uint32_t)(rest % output->sizes[d]);
            rest /= output->sizes[d];
        }
        if (rest == 0) {
            vkdml_element_write(output, memory->outputs[0], &to, vkdml_element_read(input, memory->inputs[0], &at));
        }
    } while (vkdml_coordinate_next(input, &at));
}
