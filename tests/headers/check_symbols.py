"""Checks the names that a built library puts into its user's program, with nm.

check_symbols.py NM static|shared|onnx FILE
  static  every global symbol it defines begins with vkdml, so it meets no other library's
  shared  it exports vkdml functions only, and imports no vk function: Vulkan is reached through the caller
  onnx    it exports vkdmlOnnx functions only
Exits with 77, after saying why, where there is no nm.
"""

import re
import subprocess
import sys

EXIT_SKIPPED = 77
OWN = re.compile(r"vkdml")
# What instrumenting compilers add (AddressSanitizer, coverage).
INSTRUMENTED = re.compile(r"__(asan|odr_asan|ubsan|sancov|start___sancov|stop___sancov|gcov|profc|profd|llvm)_?")


def symbols(nm, arguments, path):
    """Yields names; nm prints "NAME TYPE [VALUE SIZE]" with --portability, and headings for archive members."""
    output = subprocess.run([nm, "--portability", *arguments, path], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        words = line.split()
        if len(words) >= 2:
            yield words[0].split("@")[0]


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in ("static", "shared", "onnx"):
        print(__doc__)
        return 2
    nm, kind, path = sys.argv[1:]
    dynamic = ["--dynamic"] if kind != "static" else []
    try:
        defined = sorted(set(symbols(nm, [*dynamic, "--extern-only", "--defined-only"], path)))
        undefined = sorted(set(symbols(nm, [*dynamic, "--extern-only", "--undefined-only"], path)))
    except FileNotFoundError as error:
        print(f"skipped: {error}")
        return EXIT_SKIPPED

    own = re.compile("vkdmlOnnx") if kind == "onnx" else OWN
    failures = [f"defines {name}" for name in defined if not own.match(name) and not INSTRUMENTED.match(name)]
    failures += [f"needs {name}" for name in undefined if re.match(r"vk(?!dml)[A-Z]", name)]
    if kind == "shared":
        failures += [f"exports the internal {name}" for name in defined if name.startswith("vkdml_")]
    known = "vkdmlOnnxOpenModel" if kind == "onnx" else "vkdmlCreateOperator"
    if known not in defined:
        failures.append(f"does not define {known}")
    for failure in failures:
        print(f"{path} {failure}")
    print(f"{len(defined)} global symbols, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
