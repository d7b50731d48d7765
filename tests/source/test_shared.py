#!/usr/bin/env python3
"""Breaks what C and GLSL share on purpose, in copies: the header that C includes must change with it, or the build must fail.
Prints TAP.

test_shared.py ROOT
"""

import contextlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
COMPILER = "glslangValidator"
sys.path.insert(0, str(ROOT / "tools/build"))

import reflection


@contextlib.contextmanager
def copies():
    """The shaders and their modules, to be broken."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(ROOT / "glsl", folder / "glsl")
        (folder / "spirv").mkdir()
        for module in (ROOT / "spirv").glob("*.spv"):
            shutil.copy(module, folder / "spirv")
        shutil.copy(ROOT / "spirv/manifest.json", folder / "spirv")
        yield folder


def replace(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, f"{path.name} has no longer what the test changes: {old}"
    path.write_text(text.replace(old, new))


def swap(path, one, other):
    replace(path, f"    uint {one};", "    uint between_them;")
    replace(path, f"    uint {other};", f"    uint {one};")
    replace(path, "    uint between_them;", f"    uint {other};")


def compile_kernels(folder, names):
    for name in names:
        source = next((folder / "glsl").glob(f"*/{name}.comp"))
        subprocess.run([COMPILER, "--quiet", "--target-env", "vulkan1.2", f"-I{folder}/glsl/common", source, "-o",
                        folder / f"spirv/{name}.spv"], check=True)


def kernels_of(folder):
    """Those of the library: bench/ has the command's own."""
    stored = sorted((folder / "spirv").glob("*.spv"))
    return [path for path in stored if not (folder / f"glsl/bench/{path.stem}.comp").exists()]


def header_of(folder, holds_to_manifest=True):
    """What C would include, or why there is none."""
    output = folder / "blocks.h"
    manifest = folder / "spirv/manifest.json" if holds_to_manifest else "-"
    done = subprocess.run([sys.executable, ROOT / "tools/build/kernel_blocks.py", output, folder / "blocks.d", folder / "glsl",
                           manifest, *kernels_of(folder)], capture_output=True, text=True, check=False)
    return output.read_text() if done.returncode == 0 else "", done.stderr


def fields_of(header, struct):
    body = re.search(rf"^struct {struct} {{\n(.*?)^}};", header, re.MULTILINE | re.DOTALL)[1]
    return re.findall(r"(\w+)(?:\[\d+\])*;", body)


def swapped_fields_change_both_sides():
    with copies() as folder:
        before = fields_of(header_of(folder)[0], "vkdml_gather_parameters")
        swap(folder / "glsl/gather/gather.glsl", "row_output_stride", "row_input_stride")
        kernels = ["copy", "copy_runs", "diagonal", "diagonal_runs", "padding", "padding_runs"]
        compile_kernels(folder, kernels)
        after = fields_of(header_of(folder, False)[0], "vkdml_gather_parameters")
    at, to = before.index("row_output_stride"), before.index("row_input_stride")
    before[at], before[to] = before[to], before[at]
    return [] if before == after else [f"the fields are {' '.join(after)}"]


def kernels_must_agree():
    with copies() as folder:
        swap(folder / "glsl/gather/gather.glsl", "row_output_stride", "row_input_stride")
        compile_kernels(folder, ["copy"])
        header, error = header_of(folder, False)
    return [] if not header and "another block" in error else [f"it was built: {error}"]


def constants_must_agree():
    with copies() as folder:
        replace(folder / "glsl/gather/gather.glsl", "constant_id = 2", "constant_id = 13")
        compile_kernels(folder, ["copy"])
        header, error = header_of(folder, False)
    return [] if not header and "constant RANK" in error else [f"it was built: {error}"]


def renamed_enumerators_change_both_sides():
    with copies() as folder:
        replace(folder / "glsl/rows/rows.comp", "const uint MOMENTS = 2;", "const uint MOMENTS = 3;")
        stale, error = header_of(folder)
        header, _ = header_of(folder, False)
    problems = [] if not stale and "changed since" in error else ["it was built with modules of another state"]
    return problems + ([] if "VKDML_ROWS_MOMENTS = 3," in header else ["C has the old number"])


def known_enumerators_are_held_to():
    with copies() as folder:
        replace(folder / "glsl/common/types.glsl", "const uint FLOAT16 = 2;", "const uint FLOAT16 = 14;")
        header, _ = header_of(folder, False)
    wanted = "_Static_assert(DML_TENSOR_DATA_TYPE_FLOAT16 == 14,"
    return [] if wanted in header else ["C does not look"]


def sources_of(path, found):
    if path not in found:
        found.append(path)
        for name in re.findall(r'^\s*#include "([^"]+)"', path.read_text(), re.MULTILINE):
            own = path.parent / name
            sources_of((own if own.exists() else ROOT / "glsl/common" / name).resolve(), found)
    return found


def constants_have_their_sources_names():
    """A compiler may give an id several names; the first must be the one that the source gives the constant."""
    problems = []
    for module in kernels_of(ROOT):
        source = next((ROOT / "glsl").glob(f"*/{module.stem}.comp")).resolve()
        text = "".join(path.read_text() for path in sources_of(source, []))
        wanted = {int(number): name for number, name in re.findall(r"layout\(constant_id = (\d+)\) const \w+ (\w+)", text)}
        found = {number: name for number, name in reflection.read(module.read_bytes()).constants.items() if name}
        if wanted != found:
            problems.append(f"{module.stem}: {found}, and in the source {wanted}")
    return problems


def no_block_is_mirrored_by_hand():
    declaration = re.compile(r"^struct \w*parameters {", re.MULTILINE)
    shared = [path for path in (ROOT / "src").glob("frames/**/*.[ch]") if declaration.search(path.read_text())]
    return [f"{path.relative_to(ROOT)} declares a parameter block of its own" for path in shared]


def main():
    tests = [swapped_fields_change_both_sides, kernels_must_agree, constants_must_agree, renamed_enumerators_change_both_sides,
             known_enumerators_are_held_to, constants_have_their_sources_names, no_block_is_mirrored_by_hand]
    needs_compiler = tests[:3]
    failed = False
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        if test in needs_compiler and not shutil.which(COMPILER):
            print(f"ok {number} - {name} # SKIP no {COMPILER}")
            continue
        problems = test()
        failed |= bool(problems)
        print(f"{'not ok' if problems else 'ok'} {number} - {name}")
        for problem in problems:
            print(f"# {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
