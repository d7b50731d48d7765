#!/usr/bin/env python3
"""Builds the documentation as a site: the pages, the operators, the public headers and the example programs, by Doxygen.

build.py ROOT OUTPUT COMMAND LIBRARY     the vkdml command and the shared library, for the operators' examples

The pages are Markdown that a forge shows as it is; pages.py turns what Doxygen reads otherwise. A warning is an error,
but for what DirectML's own declarations leave without a comment: those mirror DirectML.h.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import pages

AWESOME = "/usr/share/doxygen-awesome-css"
# What dml_types.h and dml_operators.h need not have.
MIRRORS = re.compile(r"dml_(types|operators)\.h:\d+: warning: (Member|Compound) .* is not documented\.")


def version_of(root):
    text = (root / "include/vkdml/version.h").read_text()
    return re.search(r'VKDML_VERSION_STRING "(.*)"', text).group(1)


def fill_in(template, values):
    return re.sub(r"@([A-Z]+)@", lambda match: values[match.group(1)], template)


def build(root, output, command, library):
    """Returns the warnings."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    problems = pages.prepare(root, output / "pages", command, library)
    values = {"ROOT": str(root), "OUTPUT": str(output), "AWESOME": AWESOME, "VERSION": version_of(root)}
    settings = output / "Doxyfile"
    settings.write_text(fill_in((root / "docs/site/Doxyfile.in").read_text(), values))
    subprocess.run(["doxygen", settings], check=True, cwd=output)
    warnings = (output / "warnings.txt").read_text().splitlines()
    return problems + [line for line in warnings if line.strip() and not MIRRORS.search(line)]


def main(root, output, command, library):
    if not shutil.which("doxygen") or not pathlib.Path(AWESOME).is_dir():
        sys.exit("doxygen or its style is missing: install them (Debian: doxygen, doxygen-awesome-css)")
    warnings = build(*(pathlib.Path(path).resolve() for path in (root, output, command, library)))
    for warning in warnings:
        print(warning, file=sys.stderr)
    if warnings:
        sys.exit(f"{len(warnings)} warnings")
    print(f"{output}/html/index.html")


if __name__ == "__main__":
    main(*sys.argv[1:])
