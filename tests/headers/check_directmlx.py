"""Compiles the names that docs/DIRECTMLX.md lists, with graph.hpp: the supported ones are declared, the others are not.
Prints TAP.

check_directmlx.py --language c++ --includes DIR [DIR..] --page FILE -- COMPILER [ARGUMENT..]
"""

import argparse
import pathlib
import re
import sys

import compiling

NAME = re.compile(r"`((?:\w+::)*(?:operator[^`\w]+|\w+))`")
ENUMERATIONS = ("GRUOutputOptions", "detail::NodeType")
TEMPLATES = {"Span": "Span<const int>"}


def section(page, title):
    return page.split(f"\n## {title}\n")[1].split("\n## ")[0]


def supported(page):
    """Names in the lists below headings, a paragraph each."""
    lists = re.findall(r"^### .*\n\n((?:.+\n)+)", section(page, "Supported"), re.MULTILINE)
    return [name for names in lists for name in NAME.findall(names)]


def unsupported(page):
    return re.findall(r"^\| `([\w:]+)` \|", section(page, "Not supported"), re.MULTILINE)


def use(name, number):
    """A line that compiles where the name is declared."""
    if name.startswith("::"):
        return f"using {name};"
    scope, _, member = name.rpartition("::")
    if scope in ENUMERATIONS:
        return f"constexpr auto use{number} = vkdml::dml::{name};"
    if scope in ("", "detail"):
        return f"using vkdml::dml::{name};"
    owner = f"vkdml::dml::{TEMPLATES.get(scope, scope)}"
    return f"struct Use{number} : {owner} {{ using {owner}::{member}; }};"


def main():
    parser = argparse.ArgumentParser()
    compiling.add_arguments(parser)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    options = parser.parse_args()
    compiler = compiling.Compiler(options, tap=True)
    page = options.page.read_text()
    names, others = supported(page), unsupported(page)

    tap = compiling.Tap()
    tap.tell(len(names) > 250 and len(others) > 10 and len(set(names)) == len(names), "the page lists names",
             f"{len(names)} and {len(others)} names; twice: {sorted(name for name in names if names.count(name) > 1)}")
    # In one source: the compiler says by line what it does not find. The scopes keep names that are used twice apart.
    lines = ["#include <vkdml/graph.hpp>"]
    lines += [f"namespace use{i} {{ {use(name, i)} }}" for i, name in enumerate([*names, *others])]
    complaints = compiler.complaints("\n".join(lines) + "\n", arguments=["-Wno-unused"]) or ""
    refused = {int(line) for line in re.findall(r"source:(\d+):\d+: (?:fatal )?error", complaints)}
    lacking = [name for i, name in enumerate(names) if i + 2 in refused]
    there = [name for i, name in enumerate(others) if len(names) + i + 2 not in refused]
    tap.tell(not lacking and 1 not in refused, "every supported name is declared", f"{lacking}\n{complaints}")
    tap.tell(not there, "no other name is declared", str(there))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
