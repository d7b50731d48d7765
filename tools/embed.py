#!/usr/bin/env python3
"""Writes SPIR-V modules as static C arrays: embed.py OUTPUT.inc MODULE.spv ...

Packed, to less than half: most words are small numbers, so each is written as LEB128 (7 bits a byte, low ones first, the
top bit set on all but the last), and an instruction's first word as two, opcode and word count.
"""

import pathlib
import struct
import sys

HEADER_WORDS = 5
MAGIC = 0x07230203


def leb128(number):
    packed = bytearray()
    while number > 0x7F:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    packed.append(number)
    return packed


def pack(words):
    packed = bytearray()
    for word in words[:HEADER_WORDS]:
        packed += leb128(word)
    at = HEADER_WORDS
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        packed += leb128(opcode) + leb128(count)
        for word in words[at + 1 : at + count]:
            packed += leb128(word)
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
