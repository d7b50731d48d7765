#!/usr/bin/env python3
"""Writes SPIR-V modules as static C arrays: embed.py OUTPUT.inc MODULE.spv ...

Packed, to less than 40 %: most words are small numbers, so each is written as LEB128 (7 bits a byte, low ones first, the
top bit set on all but the last), and an instruction's first word as two, opcode and word count. Ids are written as
their distance from the last result's, which is small; src/kernels/kernels.c reads them.
"""

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


def pack(words):
    packed = bytearray()
    for word in words[:HEADER_WORDS]:
        packed += leb128(word)
    at = HEADER_WORDS
    last = 0
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        operands, last = pack_operands(opcode, words[at + 1 : at + count], last)
        packed += leb128(opcode) + leb128(count) + operands
        at += count
    return packed


def main(output, modules):
    lines = []
    for path in map(pathlib.Path, modules):
        code = path.read_bytes()
        words = struct.unpack(f"<{len(code) // 4}I", code)
        if not words or words[0] != MAGIC:
            sys.exit(f"{path} is not a SPIR-V module")
        packed = pack(words)
        lines.append(f"enum {{ spirv_{path.stem}_words = {len(words)} }};")
        lines.append(f"static const uint8_t spirv_{path.stem}[] = {{")
        for i in range(0, len(packed), 24):
            lines.append("    " + ", ".join(str(byte) for byte in packed[i : i + 24]) + ",")
        lines.append("};")
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
