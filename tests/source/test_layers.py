#!/usr/bin/env python3
"""Checks who includes whom in src/: the layers of docs/DESIGN.md. Prints TAP.

test_layers.py ROOT
"""
import pathlib
import re
import sys

# Each module may include what stands here, itself, and the public headers.
MAY_INCLUDE = {
    "base": set(),
    "math": set(),
    "tensor": {"base"},
    "schema": {"tensor", "base"},
    "kernels": {"base"},
    "frames": {"kernels", "tensor", "base"},
    "operators": {"frames", "schema", "kernels", "tensor", "base"},
    "reference": {"schema", "tensor", "math", "base"},
    "vulkan": {"kernels", "base"},
    "api": {"operators", "frames", "reference", "vulkan", "schema", "kernels", "tensor", "math", "base"},
}
# Files of data that belong to a layer's list, not to its code.
LISTS = {"schema/operator_table.inc", "../glsl/map/operation_list.inc"}
# Text that is both C and GLSL, and who may include it.
SHARED = {"../glsl/math/math.glsl": "math"}


def includes_of(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE)


def main(root):
    problems = {module: [] for module in MAY_INCLUDE}
    for path in sorted((root / "src").rglob("*.[chi]*")):
        if path.suffix not in (".c", ".h", ".inc"):
            continue
        module = path.relative_to(root / "src").parts[0]
        for name in includes_of(path):
            other = name.split("/")[0]
            if other == "vkdml" or other == module or name in LISTS or "/" not in name or SHARED.get(name) == module:
                continue
            if other not in MAY_INCLUDE[module]:
                problems[module].append(f"{path.relative_to(root)} includes {name}")
    switches = []
    for path in sorted((root / "src").rglob("*.c")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"case DML_OPERATOR_", line):
                switches.append(f"{path.relative_to(root)}:{number} switches over operators")

    results = [(f"src/{module} includes only what its layer may", found) for module, found in problems.items()]
    results.append(("no switch over operators", switches))
    print(f"1..{len(results)}")
    for number, (name, found) in enumerate(results, 1):
        print(f"{'not ok' if found else 'ok'} {number} - {name}")
        for problem in found:
            print(f"# {problem}")
    return 1 if any(found for _, found in results) else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
