#!/usr/bin/env python3
"""Checks that nothing in a compiled glsl/math/ may be fused or put in another order: prints TAP.

test_no_contraction.py [--other-operations] MODULE.spv ..
    Every float addition, subtraction and multiplication is decorated NoContraction, and there is no other float operation
    but the device's inverse square root, with which estimates begin that are checked afterwards. With --other-operations
    the first alone: of kernels, which also compare and convert.
"""

import pathlib
import struct
import sys

OP_DECORATE = 71
NO_CONTRACTION = 42
DECORATED = {129: "OpFAdd", 131: "OpFSub", 133: "OpFMul"}
# Negation, remainders and quotients, vectors, comparisons of floats, and conversions other than of integers to float.
FORBIDDEN = {12: "OpExtInst of floats", 127: "OpFNegate", 136: "OpFDiv", 140: "OpFRem", 141: "OpFMod", 142: "OpVectorTimesScalar",
             148: "OpDot", 112: "OpConvertUToF", 109: "OpConvertFToU", 115: "OpFConvert",
             **{code: "a comparison of floats" for code in range(180, 192)}}
EXTENDED = {5, 38, 39, 41, 42, 73, 74, 75, 32}  # SAbs, UMin, SMin, UMax, SMax, FindLsb, FindSMsb, FindUMsb; InverseSqrt


def instructions(path):
    code = path.read_bytes()
    words = struct.unpack(f"<{len(code) // 4}I", code)
    at = 5
    while at < len(words):
        length = words[at] >> 16
        yield words[at] & 0xFFFF, words[at + 1 : at + length]
        at += length


def judge(path):
    """How many float operations a module has, which of them are bare, and which it may not have."""
    decorated, arithmetic, bare, forbidden = set(), 0, [], []
    for opcode, operands in instructions(path):
        if opcode == OP_DECORATE and operands[1] == NO_CONTRACTION:
            decorated.add(operands[0])
        elif opcode in DECORATED:
            arithmetic += 1
            if operands[1] not in decorated:
                bare.append(f"{DECORATED[opcode]} %{operands[1]}")
        elif opcode == 12 and operands[3] in EXTENDED:
            continue
        elif opcode in FORBIDDEN:
            forbidden.append(f"{FORBIDDEN[opcode]} %{operands[1]}")
    return arithmetic, bare, forbidden


def main(arguments):
    with_others = arguments[0] == "--other-operations"
    results = []
    for path in map(pathlib.Path, arguments[with_others:]):
        arithmetic, bare, forbidden = judge(path)
        results.append((f"{path.name}: all {arithmetic} float operations are decorated NoContraction", bare or arithmetic == 0))
        if not with_others:
            results.append(("no float operation but addition, subtraction, multiplication and the inverse square root", forbidden))
    print(f"1..{len(results)}")
    for number, (name, found) in enumerate(results, 1):
        print(f"{'not ok' if found else 'ok'} {number} - {name}")
        for line in found if isinstance(found, list) else []:
            print(f"# {line}")
    return 1 if any(found for _, found in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
