/* The CPU reference: one function per row of the operator table. Plain loops; knows nothing of planners or kernels. */
#ifndef VKDML_REFERENCE_REFERENCE_H
#define VKDML_REFERENCE_REFERENCE_H

#include "schema/schema.h"
#include "vkdml/operator.h"

/* The tensors' first bytes, by binding index; NULL for absent inputs. Sizes were checked. */
struct vkdml_reference_memory {
    const void *const *inputs;
    void *const *outputs;
    VkdmlCompileFlags flags;
    struct vkdml_report *report; /* told where there is no memory for what is kept on the way */
};

/* Executes a valid instance. What it reports leaves outputs undefined. */
void vkdml_reference(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory);

#define VKDML_OPERATOR(NAME, name, ...)                                                                                \
    void vkdml_reference_##name(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory);
#include "schema/operator_table.inc"
#undef VKDML_OPERATOR

#endif
