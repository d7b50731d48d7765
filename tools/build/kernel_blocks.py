#!/usr/bin/env python3
"""Writes what C and GLSL share as a header of C: kernel_blocks.py OUTPUT.h DEPFILE GLSL_FOLDER MANIFEST.json|- MODULE.spv ...

Of the modules: for each parameter block `uniform NameParameters` a struct vkdml_name_parameters, whose fields lie where the
shaders read them, and enumerators VKDML_NAME_CONSTANT_... for the ids of the specialization constants of all kernels that
have the block. Of the sources: their groups of constants that say `// In C: ` (glsl/README.md). SPIR-V has no trace of
these, so each must be in the state that the manifest says the modules were compiled from; with - they are compiled anew. What begins with `// As in C: ` is held to enumerators that C has.
"""

import hashlib
import json
import pathlib
import re
import sys

import reflection

GAP = 4  # bytes
ALIGNED = "BASES_ARE_ZERO"  # not of plans
LOCAL_SIZE = "LOCAL_SIZE"  # id 0, which has no name in GLSL

TOP = """/* What C and GLSL share, written by the build (tools/build/kernel_blocks.py): see glsl/README.md. */
#ifndef VKDML_KERNELS_BLOCKS_H
#define VKDML_KERNELS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/divisor.h"
#include "vkdml/dml_operators.h"

"""


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def declaration(field):
    """Two vectors of four are a list of eight numbers, one for each dimension; more are records."""
    if field.name.endswith("divisor") and (field.width, field.length) == (2, 0):
        return f"struct vkdml_divisor {field.name};"
    if (field.width, field.length) == (4, 2):
        return f"uint32_t {field.name}[8];"
    lengths = [field.length] * (field.length > 0) + [field.width] * (field.width > 1)
    return f"uint32_t {field.name}{''.join(f'[{length}]' for length in lengths)};"


def block_text(name, fields, kernels):
    lines, asserts, end = [], [], 0
    for field in fields:
        if field.offset != end:
            lines.append(f"    uint32_t gap_at_{end}[{(field.offset - end) // GAP}];")
        lines.append(f"    {declaration(field)}")
        asserts.append(f'_Static_assert(offsetof(struct {name}, {field.name}) == {field.offset}, "{field.name} lies elsewhere");')
        end = field.offset + field.size
    asserts.append(f'_Static_assert(sizeof(struct {name}) == {end}, "the block has another size");')
    of = ", ".join(kernels)
    return f"/* Of {of}. */\nstruct {name} {{\n" + "\n".join(lines) + "\n};\n" + "\n".join(asserts) + "\n"


def enum_text(enum, numbers):
    lines = [f"    {name} = {number},{f' /* {said} */' if said else ''}\n" for name, (number, said) in numbers.items()]
    return f"enum {enum}{' ' if enum else ''}{{\n{''.join(lines)}}};\n"


def agreement_text(numbers):
    return "".join(f'_Static_assert({name} == {number}, "{name} is another in GLSL");\n' for name, (number, _) in numbers.items())


class Blocks:
    def __init__(self):
        self.fields, self.constants, self.kernels = {}, {}, {}

    def add(self, path, module):
        if not module.block.endswith("Parameters"):
            sys.exit(f"{path}: its parameter block is called {module.block or 'nothing'}, not ..Parameters")
        name = snake(module.block.removesuffix("Parameters"))
        known = self.fields.setdefault(name, module.fields)
        # Kernels of one block may leave out its last fields.
        shorter, longer = sorted([known, module.fields], key=len)
        if longer[: len(shorter)] != shorter:
            sys.exit(f"{path}: {module.block} is another block than in {self.kernels[name][0]}")
        self.fields[name] = longer
        self.kernels.setdefault(name, []).append(path.stem)
        constants = self.constants.setdefault(name, {LOCAL_SIZE: 0})
        for number, constant in sorted(module.constants.items()):
            constant = constant or LOCAL_SIZE
            if constants.setdefault(constant, number) != number:
                sys.exit(f"{path}: constant {constant} is {number}, and {constants[constant]} in another kernel of {module.block}")

    def text(self):
        parts, aligned = [], set()
        for name in sorted(self.fields):
            parts.append(block_text(f"vkdml_{name}_parameters", self.fields[name], sorted(self.kernels[name])))
            ids = sorted(self.constants[name].items(), key=lambda item: item[1])
            aligned.update(number for constant, number in ids if constant == ALIGNED)
            prefix = f"VKDML_{name.upper()}_CONSTANT_"
            parts.append(enum_text("", {prefix + constant: (number, "") for constant, number in ids if constant != ALIGNED}))
        if len(aligned) != 1:
            sys.exit(f"{ALIGNED} has no id, or several: {sorted(aligned)}")
        parts.append(f"/* Every kernel's, and no plan's. */\n{enum_text('', {f'VKDML_CONSTANT_{ALIGNED}': (aligned.pop(), '')})}")
        return "\n".join(parts)


def check_state(path, glsl, manifest):
    name, state = str(path.relative_to(glsl)), hashlib.sha256(path.read_bytes()).hexdigest()
    for module, entry in manifest["modules"].items():
        if entry["sources"].get(name, state) != state:
            sys.exit(f"glsl/{name} changed since {module}.spv was compiled: run tools/build/shaders.py build")


def groups_text(glsl, manifest, dependencies):
    parts, known = [], {}
    for path in sorted(glsl.glob("*/*.glsl")) + sorted(glsl.glob("*/*.comp")):
        dependencies.append(str(path))
        groups = reflection.groups_of(path.read_text())
        if groups and manifest:
            check_state(path, glsl, manifest)
        for group in groups:
            if not group.numbers:
                sys.exit(f"{path}: a group of nothing")
            twice = next((name for name in group.numbers if name in known and not group.is_known), None)
            if twice:
                sys.exit(f"{path}: {twice} is in {known[twice]} too")
            known.update(dict.fromkeys(group.numbers, path))
            text = agreement_text(group.numbers) if group.is_known else enum_text(group.enum, group.numbers)
            parts.append(f"/* Of glsl/{path.relative_to(glsl)}. */\n{text}")
    return "\n".join(parts)


def main(output, depfile, glsl, manifest, modules):
    glsl, dependencies, blocks = pathlib.Path(glsl), [], Blocks()
    dependencies += [reflection.__file__] + ([] if manifest == "-" else [manifest])
    for path in map(pathlib.Path, modules):
        try:
            blocks.add(path, reflection.read(path.read_bytes()))
        except ValueError as error:
            sys.exit(f"{path}: {error}")
    manifest = None if manifest == "-" else json.loads(pathlib.Path(manifest).read_text())
    groups = groups_text(glsl, manifest, dependencies)
    pathlib.Path(output).write_text(f"{TOP}{blocks.text()}\n{groups}\n#endif\n")
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(dependencies)}\n")


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:5], sys.argv[5:])
