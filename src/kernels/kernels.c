#include "kernels/kernels.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/inflate.h"
#include "kernels/spirv.h"

/* Written by the build: spirv_NAME_words, spirv_NAME_bytes, static const uint8_t spirv_NAME[], and static const
 * uint32_t spirv_first_words[], the first words that instructions have. */
#include "spirv.inc"

/* Likewise NAME_facts, and the words that they refer to. */
#include "kernel_facts.inc"

#define OWN(name)                                                                                                      \
    { spirv_##name, spirv_##name##_bytes, spirv_##name##_words }
#define PORTABLE(name)                                                                                                 \
    { NULL, 0, 0 }

static const struct vkdml_kernel_info kernels[] = {
#define VKDML_KERNEL(NAME, name, buffer_count, SUBGROUP, SERIAL)                                                       \
    {#name, buffer_count, name##_facts, OWN(name), SUBGROUP(name##_subgroup), SERIAL(name##_serial)},
#include "kernels/kernel_list.inc"
};

const struct vkdml_kernel_info *vkdml_kernel_info(enum vkdml_kernel kernel) {
    assert((unsigned)kernel < VKDML_KERNEL_COUNT);
    return &kernels[kernel];
}

const char *vkdml_kernel_word(uint16_t word) {
    return &kernel_words[word];
}

const char *vkdml_kernel_constant(const struct vkdml_kernel_info *kernel, uint32_t id) {
    uint32_t at = kernel->first_name;
    assert(kernel->constants >> id & 1);
    for (uint32_t i = 0; i < id; i++) {
        at += kernel->constants >> i & 1;
    }
    return vkdml_kernel_word(kernel_constants[at]);
}

const struct vkdml_kernel_module *vkdml_kernel_module(enum vkdml_kernel kernel, VkdmlKernelVariant variant) {
    const struct vkdml_kernel_info *info = vkdml_kernel_info(kernel);
    if (variant == VKDML_KERNEL_VARIANT_SUBGROUP && info->subgroup.packed) {
        return &info->subgroup;
    }
    if (variant == VKDML_KERNEL_VARIANT_SERIAL && info->serial.packed) {
        return &info->serial;
    }
    return &info->portable;
}

static uint32_t next_number(const uint8_t **packed) {
    uint32_t number = 0;
    uint32_t shift = 0;
    uint8_t byte;
    do {
        byte = *(*packed)++;
        number |= (uint32_t)(byte & 0x7F) << shift;
        shift += 7;
    } while (byte & 0x80);
    return number;
}

/* What an instruction's words after the first are, as tools/build/embed.py packs them. */
enum operands {
    NUMBERS,
    RESULT_AND_NUMBERS, /* a type before both */
    RESULT_AND_IDS,
    IDS,
};

static enum operands operands_of(uint32_t opcode) {
    switch (opcode) {
    case SPIRV_OP_EXT_INST:
    case SPIRV_OP_CONSTANT:
    case SPIRV_OP_SPEC_CONSTANT_OP:
    case SPIRV_OP_VARIABLE:
    case SPIRV_OP_VECTOR_SHUFFLE:
    case SPIRV_OP_COMPOSITE_EXTRACT:
    case SPIRV_OP_COMPOSITE_INSERT:
        return RESULT_AND_NUMBERS;
    case SPIRV_OP_FUNCTION_CALL:
    case SPIRV_OP_LOAD:
    case SPIRV_OP_ACCESS_CHAIN:
    case SPIRV_OP_COMPOSITE_CONSTRUCT:
    case SPIRV_OP_PHI:
        return RESULT_AND_IDS;
    case SPIRV_OP_STORE:
    case SPIRV_OP_SELECTION_MERGE:
    case SPIRV_OP_LABEL:
    case SPIRV_OP_BRANCH:
    case SPIRV_OP_BRANCH_CONDITIONAL:
        return IDS;
    default:
        return opcode >= SPIRV_OP_CONVERT_F_TO_U && opcode <= SPIRV_OP_BIT_COUNT ? RESULT_AND_IDS : NUMBERS;
    }
}

/* A distance of either sign, modulo 2^32. */
static uint32_t next_distance(const uint8_t **packed) {
    const uint32_t number = next_number(packed);
    return (number >> 1) ^ (0 - (number & 1));
}

/* The text lies at the end of the words' memory, and is read before it is overwritten, as tools/build/embed.py has made
 * sure.
 */
void vkdml_kernel_unpack(const struct vkdml_kernel_module *module, uint32_t *words) {
    uint8_t *text = (uint8_t *)(words + module->word_count) - module->text_bytes;
    vkdml_inflate(module->packed, text, module->text_bytes);
    const uint8_t *packed = text;
    uint32_t last = 0; /* result */
    size_t at = 0;
    while (at < SPIRV_HEADER_WORDS) {
        words[at++] = next_number(&packed);
    }
    while (at < module->word_count) {
        const uint32_t first = spirv_first_words[next_number(&packed)];
        const uint32_t count = spirv_length(&first);
        const enum operands operands = operands_of(spirv_opcode(&first));
        const bool has_result = operands == RESULT_AND_NUMBERS || operands == RESULT_AND_IDS;
        words[at] = first;
        for (uint32_t i = 1; i < count; i++) {
            if (has_result && i == 2) {
                last += next_distance(&packed);
                words[at + i] = last;
            } else if (operands == IDS || (operands == RESULT_AND_IDS && i > 2)) {
                words[at + i] = last - next_distance(&packed);
            } else {
                words[at + i] = next_number(&packed);
            }
        }
        at += count;
    }
}
