#include "frames/map/program.h"

#include <assert.h>
#include <string.h>

#include "base/notes.h"
#include "frames/map/map.h"

_Static_assert(VKDML_PROGRAM_OPERANDS == VKDML_MAP_OPERANDS, "a program has a map's operands");

uint32_t vkdml_program_operands(const struct vkdml_plan_limits *limits) {
    const uint32_t operands = limits->max_storage_buffers - 1;
    return operands < VKDML_PROGRAM_OPERANDS ? operands : VKDML_PROGRAM_OPERANDS;
}

bool vkdml_program_is_in_place(const struct vkdml_program *program, uint32_t operand) {
    const struct vkdml_view *a = &program->operands[operand], *b = &program->output;
    return a->at.type == b->at.type && a->rank == b->rank &&
           memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) == 0 &&
           memcmp(a->strides, b->strides, a->rank * sizeof *a->strides) == 0;
}

VkdmlResult vkdml_program_plan(const struct vkdml_program *program, struct vkdml_builder *builder) {
    struct vkdml_map map;
    assert(program->count > 0 && program->operand_count <= vkdml_program_operands(builder->limits));
    vkdml_map_begin(&map, program->output);
    for (uint32_t i = 0; i < program->operand_count; ++i) {
        vkdml_map_set_operand(&map, i, program->operands[i]);
    }
    map.program = program;
    vkdml_note(builder->report, "program of %u instructions on %u operands", (unsigned)program->count,
               (unsigned)program->operand_count);
    return vkdml_map_plan(&map, builder);
}
