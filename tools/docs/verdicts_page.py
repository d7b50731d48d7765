#!/usr/bin/env python3
"""Writes the known differences of tests/directml/verdicts_known.inc to docs/DIRECTML.md: which descriptors Microsoft's
library and vkdml judge differently, and why.

verdicts_page.py [--check] SOURCES
    --check   compares instead, and prints TAP
"""
import pathlib
import re
import sys
import textwrap

STRING = r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*'
# KNOWN_DIRECTML has vkdml's reasons as the third argument, KNOWN_VKDML a function.
ROW = re.compile(rf"^KNOWN_(DIRECTML|VKDML)\(\s*({STRING}),\s*({STRING}),\s*(?:{STRING}|\w+),\s*({STRING})\)",
                 re.MULTILINE)
FIRST, LAST = "<!-- verdicts_page.py: begin -->\n", "<!-- verdicts_page.py: end -->\n"
TITLES = {"DIRECTML": "Microsoft's library accepts, vkdml refuses:",
          "VKDML": "vkdml accepts, Microsoft's library refuses:"}


def text_of(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def read_rows(root):
    source = (root / "tests" / "directml" / "verdicts_known.inc").read_text()
    rows = [(side, *(text_of(literals) for literals in strings)) for side, *strings in ROW.findall(source)]
    if len(rows) != len(re.findall(r"^KNOWN_", source, re.MULTILINE)):
        raise SystemExit("verdicts_page.py: a row of verdicts_known.inc has another form")
    return rows


def item(operators, rule, why):
    return textwrap.fill(f"- {operators}: {rule}. *{why[0].upper() + why[1:]}.*", 120, subsequent_indent="  ",
                         break_long_words=False, break_on_hyphens=False)


def page(root):
    """docs/DIRECTML.md with the rows as they are."""
    text = (root / "docs" / "DIRECTML.md").read_text()
    before, rest = text.split(FIRST)
    after = rest.split(LAST)[1]
    lists = []
    for side, title in TITLES.items():
        items = [item(*row[1:]) for row in read_rows(root) if row[0] == side]
        lists.append("\n".join([title, "", *items, ""]))
    return before + FIRST + "\n" + "\n".join(lists) + "\n" + LAST + after


def main():
    root = pathlib.Path([argument for argument in sys.argv[1:] if argument != "--check"][0])
    path = root / "docs" / "DIRECTML.md"
    if "--check" not in sys.argv:
        path.write_text(page(root))
        return 0
    holds = path.read_text() == page(root)
    print(f"{'ok' if holds else 'not ok'} 1 - docs/DIRECTML.md lists the known differences of verdicts\n1..1")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
