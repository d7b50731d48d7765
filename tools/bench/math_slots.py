#!/usr/bin/env python3
"""Counts what the functions of glsl/math/ cost a kernel: slots of their common paths, the tests for these included.

    tools/bench/math_slots.py [FUNCTION ..]     needs glslangValidator and spirv-opt

A float addition, subtraction or multiplication is a slot; every other operation on numbers is two, as GPUs have half as many
units for integers. Counted is what spirv-opt leaves of tests/math/math.comp for the function.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "src" / "math" / "function_list.inc"
SOURCE = ROOT / "tests" / "math" / "math.comp"
PARTS = {"common": 1, "half": 2, "whole": 0}

FLOAT = {127, 129, 131, 133}  # FNegate, FAdd, FSub, FMul
NOTHING = {124}  # Bitcast
# Conversions, arithmetic, comparisons, selections, bits; ExtInst's of integers.
OTHER = {12, *range(109, 206)} - FLOAT - NOTHING


def functions():
    """Number and name of each."""
    found = re.findall(r"^MATH_(\w+)\((\d+), (\w+)", LIST.read_text(), re.MULTILINE)
    return [(int(n), f"half_{name}" if kind.startswith("HALF") else name) for kind, n, name in found]


def compile_all(folder):
    module = folder / "math.spv"
    command = ["glslangValidator", "--quiet", "--target-env", "vulkan1.2", f"-I{ROOT / 'glsl' / 'math'}",
               f"-I{LIST.parent}", str(SOURCE), "-o", str(module)]
    subprocess.run(command, check=True)
    return module


def slots(module, number, part):
    """What is left of the module where only this part of this function is asked for."""
    reduced = module.with_name("reduced.spv")
    command = ["spirv-opt", "--target-env=vulkan1.2", f"--set-spec-const-default-value=0:{number} 1:{part}",
               "--freeze-spec-const", "--fold-spec-const-op-composite", "-O", "-O", str(module), "-o", str(reduced)]
    subprocess.run(command, check=True)
    code = reduced.read_bytes()
    words = struct.unpack(f"<{len(code) // 4}I", code)
    at, total = 5, 0
    while at < len(words):
        opcode = words[at] & 0xFFFF
        total += 1 if opcode in FLOAT else 2 if opcode in OTHER else 0
        at += words[at] >> 16
    return total


def main(names):
    with tempfile.TemporaryDirectory() as folder:
        module = compile_all(pathlib.Path(folder))
        nothing = slots(module, 0xFFFF, 0)
        beside = {"common": nothing + 2, "half": nothing, "whole": nothing}  # a selection: what the kernel makes of the test
        for number, name in functions():
            if not names or name in names:
                counts = {part: slots(module, number, value) - beside[part] for part, value in PARTS.items()}
                print(f"{name:20}", "  ".join(f"{part} {count}" for part, count in counts.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
