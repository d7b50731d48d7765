/* AVERAGE_POOLING_GRAD and MAX_POOLING_GRAD: each element adds up, in double, what the windows give that have it. */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

static const uint32_t ones[VKDML_MAX_DIMENSIONS] = {1, 1, 1, 1, 1, 1, 1, 1};

struct pooling {
    uint32_t spatial;
    const uint32_t *strides, *window, *start, *dilations;
};

#define POOLING(desc, dilations)                                                                                       \
    { (desc)->DimensionCount, (desc)->Strides, (desc)->WindowSize, (desc)->StartPadding, (dilations) }

/* Steps to the next of a window's elements; false, and all 0 again, after the last. */
static bool next_element(const struct pooling *p, uint32_t *element) {
    for (uint32_t s = p->spatial; s-- > 0;) {
        if (++element[s] < p->window[s]) {
            return true;
        }
        element[s] = 0;
    }
    return false;
}

/* The window in which an element of the tensor is the one given; false where there is none. */
static bool window_of(const struct pooling *p, const struct vkdml_tensor *windows, const struct vkdml_coordinate *at,
                      const uint32_t *element, struct vkdml_coordinate *window) {
    *window = *at;
    for (uint32_t s = 0; s < p->spatial; s++) {
        const int64_t first = (int64_t)at->index[2 + s] + p->start[s] - (int64_t)element[s] * p->dilations[s];
        if (first < 0 || first % p->strides[s] != 0 || first / p->strides[s] >= windows->sizes[2 + s]) {
            return false;
        }
        window->index[2 + s] = (uint32_t)(first / p->strides[s]);
    }
    return true;
}

/* An element of a window in the tensor; false where it is padding. */
static bool element_of(const struct pooling *p, const struct vkdml_tensor *tensor,
                       const struct vkdml_coordinate *window, const uint32_t *element, struct vkdml_coordinate *at) {
    *at = *window;
    for (uint32_t s = 0; s < p->spatial; s++) {
        const int64_t place =
            (int64_t)window->index[2 + s] * p->strides[s] + (int64_t)element[s] * p->dilations[s] - p->start[s];
        if (place < 0 || place >= tensor->sizes[2 + s]) {
            return false;
        }
        at->index[2 + s] = (uint32_t)place;
    }
    return true;
}

/* How many of a window's elements count. */
static double count_of(const struct pooling *p, const struct vkdml_tensor *tensor,
                       const struct vkdml_coordinate *window, bool includes_padding) {
    double count = 1;
    for (uint32_t s = 0; s < p->spatial; s++) {
        const int64_t first = (int64_t)window->index[2 + s] * p->strides[s] - p->start[s];
        const int64_t end = first + p->window[s], size = tensor->sizes[2 + s];
        count *= includes_padding ? p->window[s] : (double)((end < size ? end : size) - (first > 0 ? first : 0));
    }
    return count;
}

void vkdml_reference_average_pooling_grad(const struct vkdml_instance *instance,
                                          const struct vkdml_reference_memory *memory) {
    const DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *gradient = &instance->inputs[0], *output = &instance->outputs[0];
    const struct pooling p = POOLING(desc, ones);
    struct vkdml_coordinate at = {{0}}, window;
    do {
        uint32_t element[VKDML_MAX_DIMENSIONS] = {0};
        double sum = 0;
        do {
            if (window_of(&p, gradient, &at, element, &window)) {
                sum += vkdml_number_read(gradient, memory->inputs[0], &window) /
                       count_of(&p, output, &window, desc->IncludePadding != 0);
            }
        } while (next_element(&p, element));
        vkdml_number_write(output, memory->outputs[0], &at, sum);
    } while (vkdml_coordinate_next(output, &at));
}

/* As maxima are found: the first of equal ones, NaN the greatest, -0 below +0. */
static bool is_above(double x, double y) {
    if (isnan(x) || isnan(y)) {
        return !isnan(y);
    }
    return x > y || (x == y && signbit(x) == 0 && signbit(y) != 0);
}

static bool wins(const struct pooling *p, const struct vkdml_tensor *input, const void *memory,
                 const struct vkdml_coordinate *window, const struct vkdml_coordinate *at) {
    uint32_t element[VKDML_MAX_DIMENSIONS] = {0};
    const double own = vkdml_number_read(input, memory, at);
    bool is_before = true; /* of elements that come before `at` */
    do {
        struct vkdml_coordinate other;
        if (!element_of(p, input, window, element, &other)) {
            continue;
        }
        if (memcmp(&other, at, sizeof(other)) == 0) {
            is_before = false;
            continue;
        }
        const double number = vkdml_number_read(input, memory, &other);
        if (is_before ? !is_above(own, number) : is_above(number, own)) {
            return false;
        }
    } while (next_element(p, element));
    return true;
}

void vkdml_reference_max_pooling_grad(const struct vkdml_instance *instance,
                                      const struct vkdml_reference_memory *memory) {
    const DML_MAX_POOLING_GRAD_OPERATOR_DESC *desc = instance->desc;
    const struct vkdml_tensor *input = &instance->inputs[0], *gradient = &instance->inputs[1];
    const struct vkdml_tensor *output = &instance->outputs[0];
    const struct pooling p = POOLING(desc, desc->Dilations);
    struct vkdml_coordinate at = {{0}}, window;
    do {
        uint32_t element[VKDML_MAX_DIMENSIONS] = {0};
        double sum = 0;
        do {
            if (window_of(&p, gradient, &at, element, &window) && wins(&p, input, memory->inputs[0], &window, &at)) {
                sum += vkdml_number_read(gradient, memory->inputs[1], &window);
            }
        } while (next_element(&p, element));
        vkdml_number_write(output, memory->outputs[0], &at, sum);
    } while (vkdml_coordinate_next(output, &at));
}
