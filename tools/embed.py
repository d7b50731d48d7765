#!/usr/bin/env python3
"""Writes SPIR-V modules as static C arrays: embed.py OUTPUT.inc MODULE.spv ..."""

import pathlib
import struct
import sys


def main(output, modules):
    lines = []
    for path in map(pathlib.Path, modules):
        code = path.read_bytes()
        words = struct.unpack(f"<{len(code) // 4}I", code)
        if not words or words[0] != 0x07230203:
            sys.exit(f"{path} is not a SPIR-V module")
        lines.append(f"static const uint32_t spirv_{path.stem}[] = {{")
        for i in range(0, len(words), 8):
            lines.append("    " + ", ".join(f"0x{word:08x}" for word in words[i : i + 8]) + ",")
        lines.append("};")
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
