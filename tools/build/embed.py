#!/usr/bin/env python3
"""Writes SPIR-V modules as static C arrays: embed.py OUTPUT.inc MODULE.spv ...

Packed, to less than a sixth: most words are small numbers, so each is written as LEB128 (7 bits a byte, low ones first,
the top bit set on all but the last), and an instruction's first word, its opcode and word count, as the index of it in a
list of all there are, the most frequent first. Ids are written as their distance from the last result's, which is small. That
text is deflated (RFC 1951). src/kernels/kernels.c reads them. Names, which only the build reads, are left out.
"""

import collections
import pathlib
import sys
import zlib

import reflection
from reflection import HEADER_WORDS

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
    return reflection.words_of(reflection.without_names(path.read_bytes()))


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


SLACK = 8  # VKDML_INFLATE_SLACK


def deflated(text):
    """Without a header; behind it are bytes that are looked at and not used."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    return packer.compress(bytes(text)) + packer.flush() + bytes(SLACK)


def check_room(words, index):
    """The text is read from the end of the words' own memory: none may be overwritten before it is read."""
    text, words_left = len(pack(words, index)), len(words)
    left, last = text, 0
    for word in words[:HEADER_WORDS]:
        left, words_left = left - len(leb128(word)), words_left - 1
        assert left <= 4 * words_left
    for first, others in instructions(words):
        operands, last = pack_operands(first & 0xFFFF, others, last)
        left, words_left = left - len(leb128(index[first])) - len(operands), words_left - 1 - len(others)
        assert left <= 4 * words_left


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
        check_room(words, index)
        text = pack(words, index)
        lines.append(f"enum {{ spirv_{name}_words = {len(words)}, spirv_{name}_bytes = {len(text)} }};")
        lines += array(f"uint8_t spirv_{name}", deflated(text))
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
