#!/usr/bin/env python3
"""Writes SPIR-V modules as static C arrays: embed.py OUTPUT.inc MODULE.spv ...

Packed, to less than a third: most words are small numbers, so each is written as LEB128 (7 bits a byte, low ones first,
the top bit set on all but the last), and an instruction's first word, its opcode and word count, as the index of it in a
list of all there are, the most frequent first. Ids are written as their distance from the last result's, which is small;
src/kernels/kernels.c reads them.
"""

import collections
import pathlib
import struct
import sys

HEADER_WORDS = 5
MAGIC = 0x07230203

# What an instruction's words are, by opcode: a type, a result and numbers; a type, a result and ids; ids.
WITH_NUMBERS = {12, 43, 52, 59, 79, 81, 82}  # ExtInst, (Spec)Constant(Op), Variable, shuffles, extracts, inserts
WITH_IDS = {57, 61, 65, 80, 245, *range(109, 206)}  # FunctionCall, Load, AccessChain, CompositeConstruct, Phi, arithmetic
IDS = {62, 247, 248, 249, 250}  # Store, SelectionMerge, Label, Branch, BranchConditional


def leb128(number):
    packed = bytearray()
    while number > 0x7F:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    packed.append(number)
    return packed


def zigzag(distance):
    """Small numbers for small distances of either sign, modulo 2^32."""
    distance &= 0xFFFFFFFF
    return (distance << 1 & 0xFFFFFFFF) ^ (0xFFFFFFFF if distance >> 31 else 0)


def pack_operands(opcode, operands, last):
    """The words after an instruction's first; also the last result's id."""
    numbers = list(operands)
    if opcode in WITH_NUMBERS or opcode in WITH_IDS:
        numbers[1] = zigzag(operands[1] - last)
        last = operands[1]
    if opcode in WITH_IDS:
        numbers[2:] = [zigzag(last - word) for word in operands[2:]]
    if opcode in IDS:
        numbers = [zigzag(last - word) for word in operands]
    return b"".join(leb128(number) for number in numbers), last


def read(path):
    """The words of a module."""
    code = path.read_bytes()
    words = struct.unpack(f"<{len(code) // 4}I", code)
    if not words or words[0] != MAGIC:
        sys.exit(f"{path} is not a SPIR-V module")
    return words


def instructions(words):
    """Each instruction's first word, and the others."""
    at = HEADER_WORDS
    while at < len(words):
        end = at + (words[at] >> 16)
        yield words[at], words[at + 1 : end]
        at = end


def pack(words, index):
    packed = bytearray()
    for word in words[:HEADER_WORDS]:
        packed += leb128(word)
    last = 0
    for first, others in instructions(words):
        operands, last = pack_operands(first & 0xFFFF, others, last)
        packed += leb128(index[first]) + operands
    return packed


def array(type_and_name, numbers):
    lines = [f"static const {type_and_name}[] = {{"]
    lines += ["    " + ", ".join(map(str, numbers[i : i + 24])) + "," for i in range(0, len(numbers), 24)]
    return [*lines, "};"]


def main(output, paths):
    modules = {path.stem: read(path) for path in map(pathlib.Path, paths)}
    counts = collections.Counter(first for words in modules.values() for first, _ in instructions(words))
    firsts = [first for first, _ in counts.most_common()]
    index = {first: i for i, first in enumerate(firsts)}
    lines = array("uint32_t spirv_first_words", firsts)
    for name, words in modules.items():
        lines.append(f"enum {{ spirv_{name}_words = {len(words)} }};")
        lines += array(f"uint8_t spirv_{name}", pack(words, index))
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
