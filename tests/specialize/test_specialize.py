#!/usr/bin/env python3
"""Tests vkdml_specialize(): test_specialize.py SPECIALIZE_FILE PLANNED_KERNELS. Prints TAP.

modules/ has small modules and what must be left of them, in the words of spirv-dis; PLANNED_KERNELS tells of those of
the pipelines that planners ask for. spirv-val judges both.

A file in modules/ has sections: `;; capabilities`, `;; decorations` and `;; globals` are added to those that all have,
`;; main` is what follows main()'s first lines, and other functions; then per set of constants, `;; with 0=1 3=0`, what it
becomes, then `;; having WORD ..` and `;; without WORD ..`, what the module has to have and may not have any more. Constants are told by their values, what is
in functions by its name there; `;; names` lists what else has one.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from tap import finish, tell

VALIDATE = ["spirv-val", "--target-env", "vulkan1.2"]

# Debian's spirv-val does not know matrix cores; tools/build/newer_glslang.sh gets one that does.
NEWER = pathlib.Path(__file__).resolve().parents[2] / "build-glslang" / "spirv-val"

# %x and %is are no constants. What is stored tells which way a function goes.
PRELUDE = """
OpCapability Shader
{capabilities}
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer {variables}
OpExecutionMode %main LocalSize 1 1 1
{names}
OpDecorate %A SpecId 0
OpDecorate %B SpecId 1
OpDecorate %S SpecId 2
OpDecorate %P SpecId 3
OpDecorate %Q SpecId 4
OpDecorate %F SpecId 5
OpDecorate %words ArrayStride 4
OpDecorate %Words Block
OpMemberDecorate %Words 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{decorations}
%void = OpTypeVoid
%procedure = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
{numbers}
%A = OpSpecConstant %uint 70
%B = OpSpecConstant %uint 80
%S = OpSpecConstant %int -90
%P = OpSpecConstantTrue %bool
%Q = OpSpecConstantFalse %bool
%F = OpSpecConstant %float 0.5
%words = OpTypeRuntimeArray %uint
%Words = OpTypeStruct %words
%to_Words = OpTypePointer StorageBuffer %Words
%to_uint = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %to_Words StorageBuffer
{globals}
%main = OpFunction %void None %procedure
%entry = OpLabel
%place = OpAccessChain %to_uint %buffer %uint_0 %uint_0
%x = OpLoad %uint %place
%is = OpIEqual %bool %x %uint_0
{main}
"""
NUMBERS = [f"%uint_{i} = OpConstant %uint {i}" for i in range(10)]

def run(*arguments, text=None):
    """Whether a command succeeds, and what it prints."""
    result = subprocess.run(arguments, input=text, capture_output=True, text=True)
    return result.returncode == 0, result.stdout + result.stderr


def sections_of(path):
    """The headings and the lines below each, without indentation and comments."""
    sections = []
    for line in path.read_text().splitlines():
        line = re.sub(r"\s+", " ", line).strip()
        if line.startswith(";; "):
            sections.append((line[3:], []))
        elif line and not line.startswith(";"):
            sections[-1][1].append(line)
    return sections


def source_of(sections):
    """Every label, function and result in functions has its name in the module too."""
    text = {heading: "\n".join(lines) for heading, lines in sections}
    parts = {part: text.get(part, "") for part in ("capabilities", "decorations", "globals", "main")}
    names = ["main", "entry", "place", "x", "is", *text.get("names", "").split(),
             *re.findall(r"^%(\w+) =", parts["main"], re.MULTILINE)]
    return PRELUDE.format(
        names="\n".join(f'OpName %{name} "{name}"' for name in names), numbers="\n".join(NUMBERS),
        variables=" ".join(re.findall(r"^(%\w+) = OpVariable", parts["globals"], re.MULTILINE)), **parts)


def specialized(folder, whole, constants):
    """The lines of spirv-dis, or why there are none."""
    path = os.path.join(folder, "specialized.spv")
    for step in ([SPECIALIZE_FILE, whole, path, *constants], [*VALIDATE, path],
                 ["spirv-dis", "--no-indent", "--no-header", path]):
        good, text = run(*step)
        if not good:
            return [text]
    return text.splitlines()


def test_module(folder, path):
    whole = os.path.join(folder, "whole.spv")
    sections = sections_of(path)
    source = source_of(sections)
    for step in (["spirv-as", "--target-env", "vulkan1.2", "-o", whole, "-"], [*VALIDATE, whole]):
        good, text = run(*step, text=source)
        if not good:
            tell(False, f"{path.stem} is a module", text)
            return
    lines = []
    for heading, wanted in sections:
        kind, *words = heading.split()
        if kind == "with":
            lines = specialized(folder, whole, words)
            begin = next((i + 1 for i, line in enumerate(lines) if line.startswith("%is =")), 0)
            found = lines[begin:]
            tell(found == wanted, f"{path.stem} {heading}", "\n".join(["found:", *found, "wanted:", *wanted]))
        elif kind in ("having", "without"):
            there = set(words) & set(re.findall(r"\w+", " ".join(lines)))
            tell(there == (set(words) if kind == "having" else set()), f"{path.stem}: {heading}", "\n".join(lines))


def validate(path):
    if not any(name in path.name for name in ("attention_matrix", "product_matrix")):
        return run(*VALIDATE, str(path))
    return run(str(NEWER), *VALIDATE[1:], str(path)) if NEWER.exists() else (True, "")


def test_kernels(folder):
    """Cases enough that each kernel is seen with some hundred sets of constants; spirv-val sees some of each."""
    good, text = run(PLANNED_KERNELS, folder, "1", "20", "40")
    tell(good, "kernels: nothing is left to specialize or to branch on, whatever planners ask for", text)
    modules = sorted(pathlib.Path(folder).glob("*.spv"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(validate, modules))
    wrong = [f"{path.name}: {text}" for path, (good, text) in zip(modules, results) if not good]
    tell(modules and not wrong, f"kernels: spirv-val passes {len(modules)} pipelines' modules", "\n".join(wrong))
    if not NEWER.exists():
        print("# those of matrix cores were not held to spirv-val: sh tools/build/newer_glslang.sh gets one that knows them")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((pathlib.Path(__file__).parent / "modules").glob("*.spvasm")):
            test_module(folder, path)
    with tempfile.TemporaryDirectory() as folder:
        test_kernels(folder)
    return finish()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    SPECIALIZE_FILE, PLANNED_KERNELS = (os.path.abspath(path) for path in sys.argv[1:])
    sys.exit(main())
