/* What planners of all families need: buffers within the device's limits, workgroup sizes and grids. */
#ifndef VKDML_PLAN_STEP_H
#define VKDML_PLAN_STEP_H

#include <assert.h>
#include <string.h>

#include "base/report.h"
#include "kernels/divisor.h"
#include "plan/plan.h"
#include "tensor/tensor.h"

/* The bytes of a tensor that its elements lie in, rounded up to 4. */
uint64_t vkdml_tensor_span(const struct vkdml_tensor *tensor);

/* The invocations per workgroup to ask for: `wanted`, a power of two, or as many as the device allows. */
uint32_t vkdml_local_size(const struct vkdml_plan_limits *limits, uint32_t wanted);

/* What a kernel divides by d with: exact for every 32-bit numerator. */
struct vkdml_divisor vkdml_divisor(uint32_t d);

/* For d above 1 and numerators below 2^31: the quotient is the high word of the product with the multiplier, shifted
 * right by `shifts`; half as many instructions. */
struct vkdml_divisor vkdml_short_divisor(uint32_t d);

/* Gives a step's kernel one of its specialization constants, by its name in kernels/blocks.h. A plan gives a kernel all
 * that it has, and no others. */
static inline void vkdml_step_constant(struct vkdml_plan_step *step, uint32_t id, uint32_t value) {
    assert(id < VKDML_KERNEL_CONSTANTS);
    step->constants_given |= UINT32_C(1) << id;
    step->constants[id] = value;
}

/* Of what kernels read as a float. */
static inline uint32_t vkdml_float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Sets the parameter block, once: a struct of kernels/blocks.h, or the beginning of it that the kernel has. */
void vkdml_step_parameters(struct vkdml_plan_step *step, const void *parameters, size_t bytes);

/* Folds `group_count` workgroups into a grid. VKDML_ERROR_LIMIT_EXCEEDED where the device cannot. */
VkdmlResult vkdml_grid(uint64_t group_count, const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                       uint32_t groups[3]);

/* Whether `size` bytes from a multiple of 4, `offset`, can be bound wherever the resource begins (tensors at multiples
 * of 16): descriptors begin at multiples of the device's alignment, and the rest before the first byte is bound too. */
bool vkdml_fits(const struct vkdml_plan_limits *limits, uint64_t offset, uint64_t size);

/* Where byte `byte` of what begins at `offset` lies, modulo 16, counted from the descriptor's start: tensors are bound
 * at multiples of 16, and the descriptor begins at the device's multiple below. */
uint32_t vkdml_place_modulo_16(const struct vkdml_plan_limits *limits, uint64_t offset, uint64_t byte);

#endif
