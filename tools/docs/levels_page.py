#!/usr/bin/env python3
"""Writes docs/LEVELS.md from the operator table, as `vkdml operators` prints it.

levels_page.py VKDML ROOT           prints the page
levels_page.py --check VKDML ROOT   says where docs/LEVELS.md is another; prints TAP
"""
import difflib
import pathlib
import re
import subprocess
import sys
import textwrap

LEVELS = "1_0 2_0 2_1 3_0 3_1 4_0 4_1 5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4".split()
# Sets of types that many tensors have, by a name each.
SETS = {
    "FLOAT32 FLOAT16": "floats",
    "FLOAT32 FLOAT16 UINT32 UINT16 UINT8 INT32 INT16 INT8": "up to 32 bits",
    "FLOAT32 FLOAT16 UINT32 UINT16 UINT8 INT32 INT16 INT8 FLOAT64 UINT64 INT64": "up to 64 bits",
    "UINT32 UINT16 UINT8 INT32 INT16 INT8 UINT64 INT64": "integers",
}

HEAD = """# Feature levels and accuracy

`tools/docs/levels_page.py` writes this page from the operator table; a test holds it to the table. `vkdml operators`
prints all of the table, `vkdml operators --level 4_0` what one level takes.

A device has a feature level, the newest unless you name one (`VkdmlDeviceCreateInfo::featureLevel`), and descriptors
are held to it: an operator, a data type, a dimension count or an enumerator that came later is refused, with that
reason.
"""

ACCURACY = """
## Accuracy

**EXACT**: the CPU reference's bits on every device. **ULP(n)**: so too, and FLOAT32 results are within n units in the
last place of the exact value, FLOAT16 results within 1. **SUM**: sums and products of many floats, whose order depends
on shapes and device; they are within the bound. [Operators](OPERATORS.md) says what was measured.
"""


def read_table(command):
    """[(operator, since, fused since or None, accuracy, [(tensor, [(level, dimensions, types)])])]"""
    lines = subprocess.run([command, "operators"], capture_output=True, text=True, check=True).stdout.splitlines()
    table = []
    for line in lines:
        row = re.fullmatch(r"DML_OPERATOR_(\w+) \(since (\w+), (?:to fuse since ([^,]+), )?(EXACT|ULP\(\d+\)|SUM: .*)\)", line)
        tensor = re.fullmatch(r"  (\w+) \((?:in|out)put.*\)", line)
        support = re.fullmatch(r"    (\w+): ([\d to]+) dimensions, (.*)", line)
        if row:
            table.append((*row.groups(), []))
        elif tensor:
            table[-1][4].append((tensor.group(1), []))
        elif support:
            table[-1][4][-1][1].append(support.groups())
    return sorted(table)


def wrapped(text, hanging=""):
    """Lines of at most 120 columns, broken at spaces alone."""
    return textwrap.fill(text, 120, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False) + "\n"


def paragraph(what, names):
    return "\n" + wrapped(f"{what}: {', '.join(sorted(names))}.") if names else ""


def by_level(table):
    text = "\n## By level\n"
    for level in LEVELS:
        new = [row[0] for row in table if row[1] == level]
        wider = [row[0] for row in table if row[1] != level
                 and any(support[0] == level for _, supports in row[4] for support in supports)]
        if new or wider:
            text += f"\n### {level}\n" + paragraph("New", new) + paragraph("Of more types or dimension counts", wider)
    return text


def by_accuracy(table):
    text = ACCURACY
    for accuracy in sorted({row[3] for row in table if row[3].startswith("ULP")}):
        text += paragraph(f"**{accuracy}**", [row[0] for row in table if row[3] == accuracy])
    text += "\n**SUM**, and the bound:\n\n"
    for name, _, _, accuracy, _ in table:
        if accuracy.startswith("SUM: "):
            text += wrapped(f"- {name}: {accuracy[5:].replace('*', chr(92) + '*')}", "  ")
    return text + "\nAll others are EXACT.\n"


def tensors_of(row):
    """At the newest level: tensors that are alike together."""
    alike = {}
    for name, supports in row[4]:
        _, dimensions, types = supports[0]
        alike.setdefault((dimensions, SETS.get(types, types)), []).append(name)
    return "; ".join(f"{', '.join(names)}: {dimensions}, {types}" for (dimensions, types), names in alike.items())


def by_operator(table):
    text = "\n## By operator\n\nHow many dimensions each tensor may have, and which types, at the newest level. Sets of types have names:"
    text += "\n\n" + "".join(f"- *{name.capitalize()}*: {types}.\n" for types, name in SETS.items()) + "\n"
    for row in table:
        fused = f", fused since {row[2]}" if row[2] else ""
        text += wrapped(f"- **{row[0]}** (since {row[1]}{fused}): {tensors_of(row)}", "  ")
    return text


def page(command):
    table = read_table(command)
    return HEAD + by_level(table) + by_accuracy(table) + by_operator(table)


def check(command, root):
    stands = (root / "docs/LEVELS.md").read_text().splitlines()
    wanted = page(command).splitlines()
    print("1..1")
    print(f"{'ok' if stands == wanted else 'not ok'} 1 - docs/LEVELS.md is the operator table's")
    for line in difflib.unified_diff(stands, wanted, "docs/LEVELS.md", "the table", lineterm="", n=0):
        print(f"# {line}")
    return 0 if stands == wanted else 1


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2], pathlib.Path(sys.argv[3])))
    sys.stdout.write(page(sys.argv[1]))
