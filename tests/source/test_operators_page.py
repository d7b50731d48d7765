#!/usr/bin/env python3
"""Holds docs/operators/ to the operator table: each operator in the list of one page, remarks and errors of such alone. Prints
TAP.

test_operators_page.py VKDML ROOT
"""
import collections
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[2])
sys.path += [str(ROOT / "docs/site"), str(ROOT / "tests/harness")]

import operators
import tap


def main(command):
    table, families = operators.table_of(command), operators.families(ROOT)
    listed = [name for family in families for name in family.operators]
    measured = {name for family in families for _, header, rows in family.tables
                for cell in [header.split("|")[1], *(row.split("|")[1] for row in rows.splitlines())]
                for name in operators.operators_in(cell) if name in listed}
    results = [
        ("vkdml operators lists operators", [] if table else ["none was read"]),
        ("every operator is listed", sorted(set(table) - set(listed))),
        ("every operator that is listed is in the table", sorted(set(listed) - set(table))),
        ("no operator is listed twice", [name for name, count in collections.Counter(listed).items() if count > 1]),
        ("remarks are of a page's own operators, each once", [
            f"{family.path.name}: {name}" for family in families for name, count in collections.Counter(family.named).items()
            if count > 1 or name not in family.operators]),
        ("every function tells its worst error", sorted(name for name, row in table.items()
                                                        if row[2].startswith("ULP") and name not in measured)),
    ]
    return tap.finish_with(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
