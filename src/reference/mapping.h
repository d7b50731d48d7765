/* Operators that map elements: a function of the elements at each coordinate, for each kind of type they may have. */
#ifndef VKDML_REFERENCE_MAPPING_H
#define VKDML_REFERENCE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "reference/activation.h"
#include "reference/reference.h"

/* Operands x are in the order of the inputs, y is the result. Floats are computed in FLOAT32 whatever the type,
 * integers with their signs in 64 bits, of which the result keeps as many as its type has. */
struct vkdml_map_reference {
    vkdml_float_function *floats;
    uint64_t (*integers)(const uint64_t *x, const struct vkdml_map_context *context);
    /* Of floats, with a result that is none. */
    bool (*truth)(const float *x, const struct vkdml_map_context *context);
    bool bits; /* elements of all types are unsigned integers */
};

/* Walks over all elements: scales the first operand where there is a ScaleBias, and applies the fused activation. */
void vkdml_reference_map(const struct vkdml_map_reference *map, const struct vkdml_instance *instance,
                         const struct vkdml_reference_memory *memory);

/* What the activation that is fused into an operator makes of a FLOAT32; itself where none is. */
float vkdml_reference_fused(const struct vkdml_instance *instance, float x);

/* Makes a row's function of a map. */
#define VKDML_REFERENCE_MAP(name, ...)                                                                                 \
    void vkdml_reference_##name(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory) {  \
        static const struct vkdml_map_reference map = {__VA_ARGS__};                                                   \
        vkdml_reference_map(&map, instance, memory);                                                                   \
    }

#endif
