/* Where a coordinate of an output lies in an input that is scaled: as glsl/neighbours/places.glsl finds it. */
#ifndef VKDML_FRAMES_NEIGHBOURS_SCALING_H
#define VKDML_FRAMES_NEIGHBOURS_SCALING_H

#include <stdbool.h>
#include <stdint.h>

/* (c - output_offset) / scale - input_offset, each operation in FLOAT32, what is below 2^-32 taken for 0; then
 * `bias` is added, and what is beyond the input's first and last element is there. */
struct vkdml_scaling {
    float scale; /* from 2^-32 to 2^64 */
    float input_offset;
    float output_offset;
    float bias;
    bool rounds_up; /* of NEAREST, where the place lies between two elements; else down */
};

/* The greatest place in `size` elements. */
float vkdml_scaling_limit(uint32_t size);

/* The place, biased, of coordinate c in `size` elements. */
float vkdml_scaling_place(const struct vkdml_scaling *scaling, uint32_t size, uint32_t c);

/* The first of the two elements that coordinate c lies between, or the nearest one. */
uint32_t vkdml_scaling_first(const struct vkdml_scaling *scaling, uint32_t size, uint32_t c);

/* The place rounded down, of an average; what lies `reach` or more beyond the elements lies there. */
int64_t vkdml_scaling_below(const struct vkdml_scaling *scaling, uint32_t size, uint32_t c);

/* How far elements count that are less than 1 / scale away, the farther ones not counted. */
uint32_t vkdml_scaling_reach(const struct vkdml_scaling *scaling);

/* Whether the reciprocal is exact, and so are quotients. */
bool vkdml_scaling_is_binary(const struct vkdml_scaling *scaling);

/* Whether centres are mapped onto centres, in an output so small that places are exact. */
bool vkdml_scaling_is_centred(const struct vkdml_scaling *scaling, float scale, uint32_t size);

#endif
