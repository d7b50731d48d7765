"""Compiles an engine's code (engine.cpp; in C layouts.c) with vkdml's headers before, behind and between others that
declare the same Windows names: directx-headers, X11, and the engine's own. Prints TAP; what is not installed is skipped
by name.

check_neighbours.py --language c|c++ --includes DIR [DIR..] [--directx DIR] [--x11 DIR] -- COMPILER [ARGUMENT..]
--directx and --x11 are the include folders of those packages.
"""

import argparse
import itertools
import pathlib
import sys

import compiling

HERE = pathlib.Path(__file__).parent
VKDML = "vkdml"
PARTS = {
    VKDML: "#include <vkdml/vkdml.h>\n",
    "directx-headers": "#include <wsl/winadapter.h>\n#include <directx/d3d12.h>\n",
    "X11/Xlib.h": "#include <X11/Xlib.h>\n",
    "X11/Xmd.h": "#include <X11/Xlib.h>\n#include <X11/Xmd.h>\n",
    "an int BOOL": "typedef int BOOL;\n",
    "an unsigned char BOOL": "typedef unsigned char BOOL;\n",
    "a bool BOOL": "#include <stdbool.h>\ntypedef bool BOOL;\n",
    "a BOOL macro": "#define BOOL int\n",
    "a long INT32": "typedef long INT32;\n",
}
PACKAGES = {"directx-headers": "directx-headers-dev", "X11/Xlib.h": "libx11-dev", "X11/Xmd.h": "libx11-dev"}

# What stands together in a translation unit, in every order; the BOOLs of two of them would clash without vkdml too.
TOGETHER = [
    (VKDML, "directx-headers"),
    (VKDML, "X11/Xmd.h"),
    (VKDML, "directx-headers", "X11/Xlib.h"),
    (VKDML, "X11/Xlib.h", "an int BOOL"),
    (VKDML, "an unsigned char BOOL"),
    (VKDML, "a bool BOOL"),
    (VKDML, "a BOOL macro"),
]
REQUEST = "#define VKDML_WINDOWS_BOOL\n"
WITHOUT = "#define VKDML_NO_WINDOWS_TYPES\n"
# X11 has no TRUE, and engines then have their own.
OWN_TRUE = "#ifndef TRUE\n#define TRUE 1\n#define FALSE 0\n#endif\n"
NAMES_BOOL = {
    "c": "extern BOOL vkdml_engine_bool;\nextern int vkdml_engine_array[TRUE + 1 - FALSE];\n",
    "c++": '#include "engine.cpp"\n',
}
LAYOUTS = '#include "layouts.c"\n'
# Each header of C++ in every order with those that it stands beside: DirectML's interfaces need directx-headers.
INTERFACES = {
    VKDML: PARTS[VKDML],
    "graph.hpp": "#include <vkdml/graph.hpp>\n",
    "directml.hpp": "#include <vkdml/directml.hpp>\n",
    "directx-headers": PARTS["directx-headers"],
}
USES_INTERFACES = "extern HRESULT vkdml_check(IDMLDevice1 *, const DML_BINDING_TABLE_DESC *, DML_GRAPH_DESC);\n"


def cases(body):
    """(name, parts, what stands before them, what behind, whether it must compile)"""
    yield "alone, BOOL on request", (VKDML,), REQUEST, body, True
    yield "alone, BOOL not named", (VKDML,), "", LAYOUTS, True
    for together in TOGETHER:
        for order in itertools.permutations(together):
            yield ", ".join(order), order, "", OWN_TRUE + body, True
    for first in ("directx-headers", "X11/Xmd.h"):
        yield f"{first}, {VKDML}, BOOL on request", (first, VKDML), REQUEST, body, True
    for order in itertools.permutations((VKDML, "directx-headers")):
        yield ", ".join(order) + ", without vkdml's Windows names", order, WITHOUT, body, True
    for order in itertools.permutations((VKDML, "a long INT32")):
        yield ", ".join(order) + ", without vkdml's Windows names", order, WITHOUT, LAYOUTS, True
    # That clashes are noticed.
    for order in itertools.permutations((VKDML, "an unsigned char BOOL")):
        yield ", ".join(order) + ", BOOL on request: clashes", order, REQUEST, LAYOUTS, False
    for order in itertools.permutations((VKDML, "a long INT32")):
        yield ", ".join(order) + ": clashes", order, "", LAYOUTS, False
    yield "alone, BOOL named without request: not declared", (VKDML,), "", OWN_TRUE + body, False


def main():
    parser = argparse.ArgumentParser()
    compiling.add_arguments(parser)
    parser.add_argument("--directx", nargs="?")
    parser.add_argument("--x11", nargs="?")
    options = parser.parse_args()
    compiler = compiling.Compiler(options, tap=True)
    compiler.command += ["-I", str(HERE)]
    for folder in filter(None, (options.directx, options.x11)):
        # A folder that the compiler searches anyway must keep its place.
        compiler.command += [] if folder == "/usr/include" else ["-isystem", folder]
    if options.directx:
        compiler.command += ["-isystem", options.directx + "/wsl/stubs"]

    tap = compiling.Tap()
    missing = {part: package for part, package in PACKAGES.items() if compiler.complaints(PARTS[part]) is not None}
    body = LAYOUTS + NAMES_BOOL[options.language]
    for name, parts, before, behind, good in cases(body):
        lacking = sorted({missing[part] for part in parts if part in missing})
        if lacking:
            tap.skip(name, "the compiler does not find " + " and ".join(lacking))
            continue
        has_d3d12 = "directx-headers" in parts and parts.index("directx-headers") < parts.index(VKDML)
        source = before + "".join(PARTS[part] for part in parts) + behind
        complaints = compiler.complaints(source, arguments=["-DENGINE_HAS_D3D12_FIRST"] if has_d3d12 else [])
        tap.tell((complaints is None) == good, name, complaints or "it compiles")
    if options.language == "c++":
        for index, order in enumerate(itertools.permutations(INTERFACES)):
            name = ", ".join(order)
            if "directx-headers" in missing:
                tap.skip(name, "the compiler does not find directx-headers-dev")
                continue
            source = "".join(INTERFACES[part] for part in order) + USES_INTERFACES
            for arguments in ([], ["-fno-exceptions"]) if index == 0 else ([],):
                complaints = compiler.complaints(source, arguments=arguments)
                tap.tell(complaints is None, " ".join([name, *arguments]), complaints or "it compiles")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
