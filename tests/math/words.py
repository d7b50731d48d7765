#!/usr/bin/env python3
"""Writes a SPIR-V module as a C array's words: words.py MODULE.spv OUTPUT.inc"""

import pathlib
import struct
import sys

code = pathlib.Path(sys.argv[1]).read_bytes()
words = [f"0x{word:x}," for word in struct.unpack(f"<{len(code) // 4}I", code)]
lines = ["".join(words[i : i + 12]) for i in range(0, len(words), 12)]
pathlib.Path(sys.argv[2]).write_text("\n".join(lines) + "\n")
