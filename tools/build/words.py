#!/usr/bin/env python3
"""Writes a SPIR-V module as a C array's words; with NAME as a source file that defines the array, and NAME_bytes, its size.

words.py MODULE.spv OUTPUT [NAME]
"""

import pathlib
import struct
import sys


def main(module, output, name=None):
    code = pathlib.Path(module).read_bytes()
    words = [f"0x{word:x}," for word in struct.unpack(f"<{len(code) // 4}I", code)]
    lines = ["".join(words[i : i + 12]) for i in range(0, len(words), 12)]
    if name is not None:
        lines = ["#include <stddef.h>", "#include <stdint.h>", f"extern const uint32_t {name}[];",
                 f"extern const size_t {name}_bytes;", f"const uint32_t {name}[] = {{", *lines, "};",
                 f"const size_t {name}_bytes = sizeof({name});"]
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
