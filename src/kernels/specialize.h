/* Gives a module's specialization constants their values before a driver sees it. Drivers do so too, but lavapipe's
 * inlines and optimizes everything first, and what a pipeline takes of a kernel is often a small part of it. */
#ifndef VKDML_KERNELS_SPECIALIZE_H
#define VKDML_KERNELS_SPECIALIZE_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "kernels/kernels.h"

/* A plan's constants, and VKDML_SPECIALIZATION_ALIGNED. */
#define VKDML_SPECIALIZATION_COUNT (VKDML_KERNEL_CONSTANTS + 1)

struct vkdml_specialization {
    uint32_t given;                              /* bit i: values[i] is that of SpecId i; others keep their defaults */
    uint32_t values[VKDML_SPECIALIZATION_COUNT]; /* of bools 0 is false */
    uint32_t float_controls;                     /* VKDML_FLOAT_CONTROLS_ bits: what the module declares */
};

/* The module with its constants' values, and without what they leave out: branches not taken, functions not called,
 * global variables not used, the capability Float16 where no such type is left. Execution modes are added for
 * float_controls. Nothing in it is left to specialize but operations that vkdml_constant_fold() does not know, those of
 * constants of other than 32 bits for example: they stay OpSpecConstantOp, which drivers fold, and nothing is left out
 * on their account. The same words and constants always make the same module.
 *
 * *count is the number of words, before and after. The memory is the caller's, to be freed with vkdml_free() and the
 * same callbacks; NULL where there is none. The words are trusted to be a valid module; if they are not, the result is
 * not either, but nothing beyond them is read. */
uint32_t *vkdml_specialize(const uint32_t *words, size_t *count, const struct vkdml_specialization *specialization,
                           const VkAllocationCallbacks *callbacks);

#endif
