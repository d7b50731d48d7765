#!/usr/bin/env python3
"""Writes what there is to say about kernels: kernel_facts.py OUTPUT.inc DEPFILE GLSL_FOLDER MODULE.spv ...

A text, kernel_words, of words with a zero behind each, and for each kernel NAME a line `#define NAME_facts WRITTEN, FRAME, {NAMES}`: of
its storage buffers a bit for each that it may write, as its module says; where in the text the folder of glsl/ stands that it lies in,
and the names of its specialization constants by id, as its source says: the text begins with none. A variant NAME_subgroup or
NAME_serial counts as NAME.
"""

import pathlib
import re
import struct
import sys

CONSTANT = re.compile(r"layout\(constant_id = (\d+)\) const \w+ (\w+)")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
OF_PIPELINES = 12  # BASES_ARE_ZERO, which no plan has: see src/plan/plan.h
LOCAL_SIZE = "LOCAL_SIZE"  # constant 0 of every kernel, which has no name in GLSL

HEADER_WORDS = 5
TYPE_POINTER, VARIABLE, DECORATE, MEMBER_DECORATE = 32, 59, 71, 72
NON_WRITABLE, BINDING = 24, 33


def sources_of(path, common, found):
    """The file and all that it includes."""
    if path not in found:
        found.append(path)
        for name in INCLUDE.findall(path.read_text()):
            own = path.parent / name
            sources_of(own if own.exists() else common / name, common, found)
    return found


def constants_of(sources):
    names = {}
    for source in sources:
        for number, name in CONSTANT.findall(source.read_text()):
            if names.setdefault(int(number), name) != name:
                sys.exit(f"{source}: constant {number} is {name}, and {names[int(number)]} elsewhere in the same kernel")
    names.pop(OF_PIPELINES, None)
    return names


def written_by(module):
    """Of buffers at bindings 1, 2, .. bit 0, 1, ..: no member of its struct may be written, or some may."""
    data = module.read_bytes()
    words = struct.unpack(f"<{len(data) // 4}I", data)
    bindings, pointers, variables, read_only = {}, {}, {}, set()
    at = HEADER_WORDS
    while at < len(words):
        opcode, count = words[at] & 0xFFFF, words[at] >> 16
        operands = words[at + 1:at + count]
        if opcode == DECORATE and operands[1] == BINDING:
            bindings[operands[0]] = operands[2]
        elif opcode == DECORATE and operands[1] == NON_WRITABLE:
            read_only.add(operands[0])
        elif opcode == MEMBER_DECORATE and operands[2] == NON_WRITABLE:
            read_only.add(operands[0])
        elif opcode == TYPE_POINTER:
            pointers[operands[0]] = operands[2]
        elif opcode == VARIABLE:
            variables[operands[1]] = operands[0]
        at += count
    written = 0
    for variable, binding in bindings.items():
        if binding > 0 and variable not in read_only and pointers[variables[variable]] not in read_only:
            written |= 1 << (binding - 1)
    return written


def main(output, depfile, glsl, modules):
    glsl = pathlib.Path(glsl)
    frames, constants, written, dependencies = {}, {}, {}, set(modules)
    for path in map(pathlib.Path, modules):
        source = next(glsl.glob(f"*/{path.stem}.comp"))
        kernel = re.sub(r"_(subgroup|serial)$", "", path.stem)
        sources = sources_of(source, glsl / "common", [])
        dependencies.update(map(str, sources))
        frames[kernel] = source.parent.name
        constants.setdefault(kernel, {0: LOCAL_SIZE}).update(constants_of(sources))
        written[kernel] = written.get(kernel, 0) | written_by(path)
    words = dict.fromkeys([""])  # in the order in which they are met
    for kernel in frames:
        words.update(dict.fromkeys([frames[kernel], *constants[kernel].values()]))
    places, length = {}, 0
    for word in words:
        places[word] = length
        length += len(word) + 1
    text = "\n".join(f'    "{word}\\0"' for word in words)
    lines = [f"static const char kernel_words[] =\n{text};\n"]
    for kernel, frame in sorted(frames.items()):
        names = ", ".join(f"[{number}] = {places[name]}" for number, name in sorted(constants[kernel].items()))
        lines.append(f"#define {kernel}_facts {written[kernel]:#x}, {places[frame]}, {{{names}}}\n")
    pathlib.Path(output).write_text("".join(lines))
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(sorted(dependencies))}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
