"""Prints a C file that defines every function the public headers declare, as compiled libraries do, and nothing behind
it: what abidiff reads of it is what programs see, without the library's insides.

abi_stubs.py HEADER..
"""

import pathlib
import re
import sys

DECLARATION = re.compile(r"^(?:VKDML|VKDML_ONNX)_API ([^;{}]*?\([^;{}]*\));", re.MULTILINE)


def main():
    headers = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    declarations = [found for header in headers for found in DECLARATION.findall(header.read_text())]
    if not declarations:
        print("no function is declared: this checks nothing", file=sys.stderr)
        return 1
    for header in headers:
        print(f'#include "{header}"')
    print("#include <stdlib.h>")
    for declaration in declarations:
        print(declaration + " { abort(); }")
    return 0


if __name__ == "__main__":
    sys.exit(main())
