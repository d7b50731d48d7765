#include "profiles/spirv.h"

#include <string.h>

/* Numbers of the SPIR-V specification, chapter 3. */
#define MAGIC                   0x07230203u
#define HEADER_WORDS            5u
#define OP_ENTRY_POINT          15u
#define OP_EXECUTION_MODE       16u
#define OP_TYPE_BOOL            20u
#define OP_TYPE_INT             21u
#define OP_TYPE_FLOAT           22u
#define OP_TYPE_VECTOR          23u
#define OP_TYPE_MATRIX          24u
#define OP_TYPE_ARRAY           28u
#define OP_TYPE_STRUCT          30u
#define OP_TYPE_POINTER         32u
#define OP_CONSTANT             43u
#define OP_CONSTANT_COMPOSITE   44u
#define OP_VARIABLE             59u
#define OP_DECORATE             71u
#define MODEL_GL_COMPUTE        5u
#define MODE_LOCAL_SIZE         17u
#define DECORATION_BUILT_IN     11u
#define BUILT_IN_WORKGROUP_SIZE 25u
#define STORAGE_WORKGROUP       4u

/* Types nest a few deep; a module that refers to itself must end too. */
#define MAX_DEPTH 64

/* A module, and why it could not be read. */
struct reader {
    const struct spirv *module;
    const char *why;
};

static uint32_t opcode_of(const uint32_t *instruction) {
    return instruction[0] & 0xFFFFu;
}

static uint32_t length_of(const uint32_t *instruction) {
    return instruction[0] >> 16;
}

bool spirv_is_whole(const struct spirv *module) {
    if (module->count < HEADER_WORDS || module->words[0] != MAGIC) {
        return false;
    }
    size_t at = HEADER_WORDS;
    while (at < module->count) {
        const uint32_t length = length_of(module->words + at);
        if (length == 0 || length > module->count - at) {
            return false;
        }
        at += length;
    }
    return true;
}

const uint32_t *spirv_next(const struct spirv *module, uint32_t opcode, const uint32_t *after) {
    const uint32_t *at = after != NULL ? after + length_of(after) : module->words + HEADER_WORDS;
    const uint32_t *end = module->words + module->count;
    while (at < end && opcode_of(at) != opcode) {
        at += length_of(at);
    }
    return at < end ? at : NULL;
}

static bool fail(struct reader *reader, const char *why) {
    reader->why = why;
    return false;
}

/* The instruction of one of the opcodes from `first` to `last` that defines an id; of types word 1 is the id, of
 * constants and variables word 2. */
static const uint32_t *definition(const struct reader *reader, uint32_t id, uint32_t first, uint32_t last,
                                  uint32_t word) {
    const uint32_t *end = reader->module->words + reader->module->count;
    const uint32_t *at = reader->module->words + HEADER_WORDS;
    while (at < end && !(opcode_of(at) >= first && opcode_of(at) <= last && length_of(at) > word && at[word] == id)) {
        at += length_of(at);
    }
    return at < end ? at : NULL;
}

/* Of 32 bits, and not to be specialized. */
static bool constant(struct reader *reader, uint32_t id, uint64_t *value) {
    const uint32_t *found = definition(reader, id, OP_CONSTANT, OP_CONSTANT, 2);
    if (found == NULL || length_of(found) != 4) {
        return fail(reader, "a constant is none of 32 bits, or is to be specialized");
    }
    *value = found[3];
    return true;
}

/* Component `index` of a constant vector. */
static bool component(struct reader *reader, uint32_t id, uint32_t index, uint64_t *value) {
    const uint32_t *composite = definition(reader, id, OP_CONSTANT_COMPOSITE, OP_CONSTANT_COMPOSITE, 2);
    if (composite == NULL || length_of(composite) <= 3 + index) {
        return fail(reader, "a constant is no vector of constants, or is to be specialized");
    }
    return constant(reader, composite[3 + index], value);
}

static bool type_bytes(struct reader *reader, uint32_t id, int depth, uint64_t *bytes) {
    const uint32_t *type = definition(reader, id, OP_TYPE_BOOL, OP_TYPE_STRUCT, 1);
    uint64_t element = 0, count = 0;
    if (type == NULL || depth == MAX_DEPTH) {
        return fail(reader, "a shared variable's type is not known");
    }
    switch (opcode_of(type)) {
    case OP_TYPE_BOOL:
        *bytes = 4;
        return true;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        *bytes = type[2] / 8;
        return true;
    case OP_TYPE_VECTOR:
    case OP_TYPE_MATRIX:
        *bytes = type_bytes(reader, type[2], depth + 1, &element) ? element * type[3] : 0;
        return *bytes != 0;
    case OP_TYPE_ARRAY:
        if (!type_bytes(reader, type[2], depth + 1, &element) || !constant(reader, type[3], &count)) {
            return false;
        }
        *bytes = element * count; /* both below 2^32 but for arrays of arrays, which no limit lets come near */
        return true;
    case OP_TYPE_STRUCT:
        *bytes = 0;
        for (uint32_t i = 2; i < length_of(type); i++) {
            if (!type_bytes(reader, type[i], depth + 1, &element)) {
                return false;
            }
            *bytes += element;
        }
        return true;
    default:
        return fail(reader, "a shared variable's type is not known");
    }
}

static bool shared_bytes(struct reader *reader, uint64_t *bytes) {
    const uint32_t *variable = NULL;
    *bytes = 0;
    while ((variable = spirv_next(reader->module, OP_VARIABLE, variable)) != NULL) {
        if (variable[3] != STORAGE_WORKGROUP) {
            continue;
        }
        const uint32_t *pointer = definition(reader, variable[1], OP_TYPE_POINTER, OP_TYPE_POINTER, 1);
        uint64_t size;
        if (pointer == NULL) {
            return fail(reader, "a shared variable's type is not known");
        }
        if (!type_bytes(reader, pointer[3], 0, &size)) {
            return false;
        }
        *bytes += size;
    }
    return true;
}

static const uint32_t *find_entry_point(const struct spirv *module, const char *name) {
    const uint32_t *entry = NULL;
    while ((entry = spirv_next(module, OP_ENTRY_POINT, entry)) != NULL) {
        const size_t room = (length_of(entry) - 3) * sizeof *entry;
        if (entry[1] == MODEL_GL_COMPUTE && strlen(name) < room && memcmp(entry + 3, name, strlen(name) + 1) == 0) {
            return entry;
        }
    }
    return NULL;
}

/* The constant decorated WorkgroupSize, which stands above LocalSize; 0: none. */
static uint32_t find_workgroup_size(const struct spirv *module) {
    const uint32_t *decorate = NULL;
    while ((decorate = spirv_next(module, OP_DECORATE, decorate)) != NULL) {
        if (length_of(decorate) == 4 && decorate[2] == DECORATION_BUILT_IN && decorate[3] == BUILT_IN_WORKGROUP_SIZE) {
            return decorate[1];
        }
    }
    return 0;
}

static bool local_size(struct reader *reader, uint32_t entry_id, uint32_t size[3]) {
    const uint32_t vector = find_workgroup_size(reader->module);
    if (vector != 0) {
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t value;
            if (!component(reader, vector, i, &value)) {
                return false;
            }
            size[i] = (uint32_t)value;
        }
        return true;
    }
    const uint32_t *mode = NULL;
    while ((mode = spirv_next(reader->module, OP_EXECUTION_MODE, mode)) != NULL) {
        if (mode[1] == entry_id && mode[2] == MODE_LOCAL_SIZE && length_of(mode) == 6) {
            memcpy(size, mode + 3, 3 * sizeof *size);
            return true;
        }
    }
    return fail(reader, "it has no workgroup size that Vulkan 1.2 knows (LocalSizeId is of Vulkan 1.3)");
}

bool spirv_usage(const struct spirv *module, const char *entry_point, struct spirv_usage *usage, const char **why) {
    struct reader reader = {.module = module, .why = ""};
    const uint32_t *entry = find_entry_point(module, entry_point);
    const bool told =
        entry != NULL ? local_size(&reader, entry[2], usage->local_size) && shared_bytes(&reader, &usage->shared_bytes)
                      : fail(&reader, "it has no compute entry point of that name");
    *why = reader.why;
    return told;
}
