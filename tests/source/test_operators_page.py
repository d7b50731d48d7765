#!/usr/bin/env python3
"""Holds docs/OPERATORS.md to the operator table: the same operators, each once, of the same accuracy. Prints TAP.

test_operators_page.py VKDML PAGE
"""
import collections
import pathlib
import re
import subprocess
import sys


def table_of(command):
    """{operator: accuracy}, from `vkdml operators`."""
    lines = subprocess.run([command, "operators"], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = (re.fullmatch(r"DML_OPERATOR_(\w+) \(.*, (EXACT|ULP\(\d+\)|SUM.*)\)", line) for line in lines)
    return {row.group(1): row.group(2) for row in rows if row}


def page_of(path):
    """[(operator, accuracy)], of the rows of four columns."""
    rows = re.findall(r"^\| ([A-Z]\w+) \|.*\| ([^|]+) \| [^|]*\|$", path.read_text(), re.MULTILINE)
    return [(name, accuracy.strip()) for name, accuracy in rows]


def main(command, path):
    table, page = table_of(command), page_of(pathlib.Path(path))
    told = dict(page)
    twice = [name for name, count in collections.Counter(name for name, _ in page).items() if count > 1]
    results = [
        ("vkdml operators lists operators", [] if table else ["none was read"]),
        ("every operator is on the page", sorted(set(table) - set(told))),
        ("every operator on the page is in the table", sorted(set(told) - set(table))),
        ("no operator is there twice", sorted(twice)),
        ("accuracies are the table's", [f"{name} is {told[name]} on the page, {table[name]} in the table"
                                        for name in sorted(set(table) & set(told)) if table[name] != told[name]]),
    ]
    print(f"1..{len(results)}")
    for number, (name, found) in enumerate(results, 1):
        print(f"{'not ok' if found else 'ok'} {number} - {name}")
        for problem in found:
            print(f"# {problem}")
    return 1 if any(found for _, found in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
