#!/usr/bin/env python3
"""Checks who includes whom in src/, glsl/, integrations/ and tools/vkdml/: the layers of docs/DESIGN.md; and two rules of style. Prints TAP.

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
    "graph": {"operators", "frames", "plan", "schema", "kernels", "tensor", "base"},
    "reference": {"schema", "tensor", "math", "base"},
    "vulkan": {"plan", "kernels", "base"},
    "api": {"graph", "operators", "frames", "plan", "reference", "vulkan", "schema", "kernels", "tensor", "math", "base"},
}
# Frames are held apart as their kernels are: each may include what stands here and itself.
FRAMES_MAY_INCLUDE = {
    "attention": {"gather"},
    "index": {"gather"},
    "regions": {"gather", "map"},
}
# The same of the command, whose subcommands lie above all; bench and selftest run the case lines.
COMMAND_MAY_INCLUDE = {
    "base": set(),
    "command_line": {"base"},
    "device": {"base"},
    "model": {"base"},
    "run": {"model", "device", "base"},
    "bench": {"run", "model", "device", "command_line", "base", "cases"},
    "explain": {"model", "base"},
    "onnx": {"run", "bench", "explain", "model", "device", "command_line", "base"},
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
    """Of the command: each folder includes what its layer may, and nothing includes a subcommand. All print text of files by
    integrations/text."""
    found = []
    for path in sorted(command.rglob("*.[chi]*")):
        parts = path.relative_to(command).parts
        for name in includes_of(path):
            other = name.split("/")[0] if "/" in name else "the subcommands"
            if len(parts) > 1 and other not in (parts[0], "text") and other not in COMMAND_MAY_INCLUDE[parts[0]]:
                found.append(f"{path.relative_to(command)} includes {name}")
    return found


def reached_from(arrows, begin):
    """What arrows, a collection for each name, lead to from a name."""
    reached, ahead = set(), list(arrows[begin])
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += arrows.get(name, ())
    return reached


def circles(folder):
    """Modules, a .c with its .h, that reach themselves by what they include."""
    includes = {}
    for path in sorted(folder.rglob("*.[chi]*")):
        names = {pathlib.PurePosixPath(name).with_suffix("").as_posix() for name in includes_of(path)}
        module = path.relative_to(folder).with_suffix("").as_posix()
        includes.setdefault(module, set()).update(names - {module})
    return [f"{module} includes itself by way of others" for module in includes if module in reached_from(includes, module)]


def foreign_frames(root):
    """Of plans: the frames that a frame includes."""
    found = []
    for path in sorted((root / "src/frames").rglob("*.[ch]")):
        own = path.relative_to(root / "src/frames").parts[0]
        for name in includes_of(path):
            frame = name.split("/")[1] if name.startswith("frames/") else own
            if frame != own and frame not in FRAMES_MAY_INCLUDE.get(own, ()):
                found.append(f"{path.relative_to(root)} includes {name}")
    return found


def headers_in_circles(folder):
    """Headers that include themselves by way of others."""
    includes = {path.relative_to(folder).as_posix(): includes_of(path) for path in sorted(folder.rglob("*.h"))}
    return [f"{name} includes itself by way of others" for name in includes if name in reached_from(includes, name)]


def calls_in_circles(folder):
    """Files that call each other's functions, or by way of a header's macro: names that are followed by a parenthesis, outside of
    comments and texts. A step's file may include the header of what it is a step of, for its structs."""
    defined_in, called, made_by = {}, {}, {}
    for path in sorted(folder.rglob("*.h")):
        for macro, body in re.findall(r"^#define (\w+)\(((?:.*\\\n)*.*)", path.read_text(), re.MULTILINE):
            made_by[macro] = set(re.findall(r"\b(\w+)\(", body))
    for path in sorted(folder.rglob("*.c")):
        name = path.relative_to(folder).as_posix()
        text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"', "", path.read_text(), flags=re.DOTALL)
        for function in re.findall(r"^(?!static)[A-Za-z][^;{}()=#\n]*?\b(\w+)\([^;{}]*\)\s*\{", text, re.MULTILINE):
            defined_in[function] = name
        names = set(re.findall(r"\b(\w+)\(", text))
        called[name] = names.union(*(made_by.get(function, ()) for function in names))
    calls = {name: {defined_in[function] for function in functions if function in defined_in} - {name}
             for name, functions in called.items()}
    return [f"{name} calls itself by way of others" for name in calls if name in reached_from(calls, name)]


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


def foreign_to_integrations(root):
    """They are programs of the public API: nothing of src/. ONNX Runtime's plugin is one of what reads ONNX models, too, and all
    print text in one way. Those for DirectML's programs are built against directx-headers."""
    found = []
    for path in sorted((root / "integrations").rglob("*.[chi]*")):
        own = path.relative_to(root / "integrations").parts[0]
        found += [f"{path.relative_to(root)} includes {name}" for name in includes_of(path)
                  if not name.startswith((own + "/", "onnx/", "text/"))
                  and not any((folder / name).exists() for folder in (path.parent, root / "integrations" / own, root / "include"))]
        found += [f"{path.relative_to(root)} includes <{name}>"
                  for name in re.findall(r"^\s*#\s*include\s+<([^>]+/[^>]+)>", path.read_text(), re.MULTILINE)
                  if not name.startswith(("vkdml/", "sys/", "vulkan/", "directx/", "dxguids/", "wsl/"))]
    own = {path.name for path in (root / "integrations" / "onnx").iterdir()}
    return found + [f"tools/vkdml/onnx/{path.name} has a namesake in integrations/onnx"
                    for path in sorted((root / "tools" / "vkdml" / "onnx").iterdir()) if path.name in own]


WIDTH = 120
FOLDERS = ("cases", "docs", "examples", "glsl", "include", "integrations", "packaging", "python", "src", "tests", "tools")


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
    results.append(("src/frames/ includes across frames only what stands in the list", foreign_frames(root)))
    results.append(("src/'s headers include each other in no circle", headers_in_circles(root / "src")))
    results.append(("src/'s files call each other in no circle", calls_in_circles(root / "src")))
    results.append(("the command's folders include only what their layers may", upward_includes(root / "tools" / "vkdml")))
    results.append(("the command's files include each other in no circle", circles(root / "tools" / "vkdml")))
    results.append(("cases/ includes itself and public headers", foreign_to_cases(root)))
    results.append(("integrations/ include themselves and public headers", foreign_to_integrations(root)))
    results.append(("no switch over operators", switches))
    results.append(("no kernel includes another frame's text", foreign_includes(root)))
    results.append(("comments of public headers keep their indentation", outdented_comments(root)))
    results.append((f"lines of GLSL, tables and Markdown have {WIDTH} columns at the most", long_lines(root)))
    return tap.finish_with(results)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
