"""Checks that test_fault_points.c has every function that the public headers declare.

check_fault_points.py SOURCE HEADERS
"""

import pathlib
import re
import sys

DECLARATION = re.compile(r"^VKDML_API [^;{}]*?(vkdml\w+)\([^;{}]*\);", re.MULTILINE)


def main():
    subjects = set(re.findall(r'^    \{"(vkdml\w+)", \w+,', pathlib.Path(sys.argv[1]).read_text(), re.MULTILINE))
    declared = {name for header in pathlib.Path(sys.argv[2]).glob("*.h") for name in DECLARATION.findall(header.read_text())}
    for name in sorted(declared - subjects):
        print(f"{name} is in no row: no point of it is made to fail")
    for name in sorted(subjects - declared):
        print(f"{name} is in a row, and is no function")
    print(f"{len(declared)} functions")
    return 1 if subjects != declared or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
