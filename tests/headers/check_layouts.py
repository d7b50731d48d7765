"""Holds the structs of dml_types.h and dml_operators.h to DirectML's layout, that of layouts.c. Prints TAP.

check_layouts.py --language c|c++ --includes DIR [DIR..] -- COMPILER [ARGUMENT..]
"""

import argparse
import pathlib
import sys

import compiling

HERE = pathlib.Path(__file__).parent
TABLE = "operator_layouts.inc"

# What must not compile: a row of the table, and what is put in its place.
WRONG = {
    "a field at another offset": ("FIELD(GEMM, Alpha, float, 40, 4)", "FIELD(GEMM, Alpha, float, 44, 4)"),
    "a field of another type": ("FIELD(GEMM, Alpha, float, 40, 4)", "FIELD(GEMM, Alpha, uint32_t, 40, 4)"),
    "a field of another name": ("FIELD(GEMM, Alpha, float, 40, 4)", "FIELD(GEMM, Alpa, float, 40, 4)"),
    "a struct of another size": ("OPERATOR(FOLD, 176, 64)", "OPERATOR(FOLD, 176, 72)"),
    "an operator of another value": ("OPERATOR(FOLD, 176, 64)", "OPERATOR(FOLD, 178, 64)"),
    "an operator that is missing": ("OPERATOR(FOLD, 176, 64)", ""),
    "an operator that is there twice": ("OPERATOR(FOLD, 176, 64)", "OPERATOR(UNFOLD, 177, 64)"),
}


def main():
    parser = argparse.ArgumentParser()
    compiling.add_arguments(parser)
    compiler = compiling.Compiler(parser.parse_args(), tap=True)
    tap = compiling.Tap()
    table = (HERE / TABLE).read_text()
    others = "struct_layouts.inc"
    source = (HERE / "layouts.c").read_text().replace(f'#include "{others}"', (HERE / others).read_text())

    def with_table(text):
        return source.replace(f'#include "{TABLE}"', text)

    for standard in compiler.standards:
        complaints = compiler.complaints(with_table(table), standard)
        tap.tell(complaints is None, f"all structs have DirectML's layout, {standard}", complaints or "")
    for what, (row, other) in WRONG.items():
        wrong = table.replace(row + "\n", other + "\n")
        tap.tell(wrong != table and compiler.complaints(with_table(wrong)) is not None, f"{what} is noticed",
                 f"not in the table: {row}" if wrong == table else "it compiles")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
