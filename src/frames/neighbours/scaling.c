#include "frames/neighbours/scaling.h"

#include <math.h>

/* Places below are taken for 0: devices differ in what they do with denormals. */
#define LEAST_PLACE 0x1p-32f

/* Coordinates of as many elements are exact in FLOAT32, those of centres too. */
#define EXACT_SIZE (1u << 22)

float vkdml_scaling_limit(uint32_t size) {
    const float limit = (float)(size - 1);
    return (double)limit > (double)(size - 1) ? nextafterf(limit, 0) : limit;
}

static float place_of(const struct vkdml_scaling *scaling, uint32_t c) {
    const float place = ((float)c - scaling->output_offset) / scaling->scale - scaling->input_offset;
    return fabsf(place) < LEAST_PLACE ? 0 : place;
}

int64_t vkdml_scaling_below(const struct vkdml_scaling *scaling, uint32_t size, uint32_t c) {
    const float reach = (float)vkdml_scaling_reach(scaling);
    const float behind = vkdml_scaling_limit(size) + reach;
    const float place = place_of(scaling, c);
    return (int64_t)floorf(place > behind ? behind : place < -reach ? -reach : place);
}

float vkdml_scaling_place(const struct vkdml_scaling *scaling, uint32_t size, uint32_t c) {
    const float limit = vkdml_scaling_limit(size);
    const float biased = place_of(scaling, c) + scaling->bias;
    return biased > limit ? limit : biased > 0 ? biased : 0;
}

uint32_t vkdml_scaling_first(const struct vkdml_scaling *scaling, uint32_t size, uint32_t c) {
    const float inside = vkdml_scaling_place(scaling, size, c);
    const uint32_t below = (uint32_t)inside;
    return below + (scaling->rounds_up && (float)below < inside ? 1 : 0);
}

uint32_t vkdml_scaling_reach(const struct vkdml_scaling *scaling) {
    const double reach = ceil(1 / (double)scaling->scale);
    return reach < (double)UINT32_MAX ? (uint32_t)reach : UINT32_MAX;
}

bool vkdml_scaling_is_binary(const struct vkdml_scaling *scaling) {
    int exponent;
    return frexpf(scaling->scale, &exponent) == 0.5f;
}

bool vkdml_scaling_is_centred(const struct vkdml_scaling *scaling, float scale, uint32_t size) {
    return scaling->scale == scale && scaling->input_offset == 0.5f && scaling->output_offset == -0.5f &&
           size <= EXACT_SIZE;
}
