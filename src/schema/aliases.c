#include "schema/aliases.h"

#include "tensor/tensor.h"

/* The inputs are among the first 32: a test of the table says so. */
struct vkdml_aliases vkdml_output_aliases(const struct vkdml_instance *instance, const VkdmlFieldSchema *output) {
    struct vkdml_aliases aliases = {0, 0};
    for (uint32_t i = 0; output->mayAliasFields >> i != 0; i++) {
        if ((output->mayAliasFields >> i & 1) != 0) {
            const uint32_t input = instance->schema->fields[i].bindingIndex;
            aliases.may |= 1u << input;
            if (vkdml_same_layout(&instance->outputs[output->bindingIndex], &instance->inputs[input])) {
                aliases.same_layouts |= 1u << input;
            }
        }
    }
    return aliases;
}
