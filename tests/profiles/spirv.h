/* What Vulkan's limits have to do with a SPIR-V module: its capabilities, its workgroup, its shared memory. */
#ifndef PROFILES_SPIRV_H
#define PROFILES_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spirv {
    const uint32_t *words; /* the header's five first */
    size_t count;
};

/* The opcodes that the profiles look for outside of this module. */
#define SPIRV_OP_EXTENSION         10u
#define SPIRV_OP_CAPABILITY        17u
#define SPIRV_OP_EXECUTION_MODE_ID 331u

/* Whether the words are a header and whole instructions; nothing else here may be asked where not. */
bool spirv_is_whole(const struct spirv *module);

/* The next instruction of that opcode behind `after` (NULL: the first), as its words; NULL: there is none. */
const uint32_t *spirv_next(const struct spirv *module, uint32_t opcode, const uint32_t *after);

/* What an entry point takes. */
struct spirv_usage {
    uint32_t local_size[3];
    uint64_t shared_bytes; /* of all Workgroup variables, without padding between them */
};

/* False where it cannot be told, with the reason: what is not known here, the profiles refuse. So they do modules where
 * specialization constants have a say in it. */
bool spirv_usage(const struct spirv *module, const char *entry_point, struct spirv_usage *usage, const char **why);

#endif
