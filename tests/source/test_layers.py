#!/usr/bin/env python3
"""Checks who includes whom in src/, glsl/ and tools/vkdml/: the layers of docs/DESIGN.md; and two rules of style. Prints TAP.

test_layers.py ROOT
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
import tap

# Each module may include what stands here, itself, and the public headers.
MAY_INCLUDE = {
    "base": set(),
    "math": set(),
    "tensor": {"base"},
    "schema": {"tensor", "base"},
    "kernels": {"base"},
    "plan": {"kernels", "tensor", "base"},
    "frames": {"plan", "kernels", "tensor", "base"},
    "operators": {"frames", "plan", "schema", "kernels", "tensor", "base"},
    "reference": {"schema", "tensor", "math", "base"},
    "vulkan": {"plan", "kernels", "base"},
    "api": {"operators", "frames", "plan", "reference", "vulkan", "schema", "kernels", "tensor", "math", "base"},
}
# The same of the command, whose subcommands lie above all; bench and selftest run the case lines.
COMMAND_MAY_INCLUDE = {
    "base": set(),
    "command_line": {"base"},
    "device": {"base"},
    "model": {"base"},
    "run": {"model", "device", "base"},
    "bench": {"device", "command_line", "base", "cases"},
    "explain": {"base"},
    "selftest": {"base", "cases"},
}
# Files of data that belong to a layer's list, not to its code.
LISTS = {"schema/operator_table.inc", "../glsl/common/operation_list.inc"}
# Text that is both C and GLSL, and who may include it.
SHARED = {"../glsl/math/math.glsl": "math"}


def includes_of(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE)


def folder_of(root, path, name):
    """The folder of glsl/ that an include is found in: the file's own, common, or what the path says."""
    for base in (path.parent, root / "glsl" / "common"):
        if (base / name).exists():
            return (base / name).resolve().relative_to((root / "glsl").resolve()).parts[0]
    return "nowhere"


def upward_includes(command):
    """Of the command: each folder includes what its layer may, and nothing includes a subcommand."""
    found = []
    for path in sorted(command.rglob("*.[chi]*")):
        parts = path.relative_to(command).parts
        for name in includes_of(path):
            other = name.split("/")[0] if "/" in name else "the subcommands"
            if len(parts) > 1 and other != parts[0] and other not in COMMAND_MAY_INCLUDE[parts[0]]:
                found.append(f"{path.relative_to(command)} includes {name}")
    return found


def circles(folder):
    """Modules, a .c with its .h, that reach themselves by what they include."""
    includes = {}
    for path in sorted(folder.rglob("*.[chi]*")):
        names = {pathlib.PurePosixPath(name).with_suffix("").as_posix() for name in includes_of(path)}
        module = path.relative_to(folder).with_suffix("").as_posix()
        includes.setdefault(module, set()).update(names - {module})
    found = []
    for module in includes:
        reached, ahead = set(), list(includes[module])
        while ahead:
            other = ahead.pop()
            if other not in reached:
                reached.add(other)
                ahead += includes.get(other, ())
        if module in reached:
            found.append(f"{module} includes itself by way of others")
    return found


def foreign_includes(root):
    """Of kernels: each frame has its folder, and what two share is in common/ or math/."""
    found = []
    for path in sorted((root / "glsl").rglob("*")):
        if path.suffix in (".glsl", ".comp"):
            own = path.relative_to(root / "glsl").parts[0]
            may = {"math": {"math"}, "common": {"common", "math"}}.get(own, {own, "common", "math"})
            found += [f"{path.relative_to(root)} includes {name}" for name in includes_of(path)
                      if folder_of(root, path, name) not in may]
    return found


def outdented_comments(root):
    """Of public headers: what continues a tag or an item stands below its text, where clang-format leaves it unless it breaks
    the line itself."""
    found = []
    for path in sorted((root / "include").rglob("*.h")):
        inside = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.match(r" \* (@(return|param)|[ ]*- )", line):
                inside = True
            elif not re.match(r" \*  ", line):
                if inside and re.match(r" \* [^ @]", line):
                    found.append(f"{path.relative_to(root)}:{number} has lost its indentation")
                inside = False
    return found


def foreign_to_cases(root):
    """The command links them as well, so they see nothing of the library or the tests; the list of families the table."""
    return [f"{path.relative_to(root)} includes {name}" for path in sorted((root / "cases").rglob("*.[ch]"))
            for name in includes_of(path) if not name.startswith(("cases/", "vkdml/"))
            and (path.name, name) != ("families.c", "schema/operator_table.inc")]


WIDTH = 120
FOLDERS = ("cases", "docs", "examples", "glsl", "include", "packaging", "python", "src", "tests", "tools")


def long_lines(root):
    """Of what no formatter wraps."""
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".glsl", ".comp", ".inc", ".md")] + sorted(root.glob("*.md"))
    return [f"{path.relative_to(root)}:{number} has {len(line)} columns" for path in paths
            for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > WIDTH]


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
    results.append(("the command's folders include only what their layers may", upward_includes(root / "tools" / "vkdml")))
    results.append(("the command's files include each other in no circle", circles(root / "tools" / "vkdml")))
    results.append(("cases/ includes itself and public headers", foreign_to_cases(root)))
    results.append(("no switch over operators", switches))
    results.append(("no kernel includes another frame's text", foreign_includes(root)))
    results.append(("comments of public headers keep their indentation", outdented_comments(root)))
    results.append((f"lines of GLSL, tables and Markdown have {WIDTH} columns at the most", long_lines(root)))
    return tap.finish_with(results)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
