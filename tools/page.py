#!/usr/bin/env python3
"""Writes a page, cut in two where its data goes, as C strings: page.py PAGE.html OUTPUT.c"""

import pathlib
import sys


def array(name, data):
    data += b"\0"
    lines = (", ".join(str(byte) for byte in data[i : i + 24]) for i in range(0, len(data), 24))
    return f"extern const char {name}[];\nconst char {name}[] = {{\n    " + ",\n    ".join(lines) + ",\n};\n"


def main(page, output):
    head, tail = pathlib.Path(page).read_bytes().split(b"/*DATA*/\n")
    pathlib.Path(output).write_text(array("bench_page_head", head) + array("bench_page_tail", tail))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
