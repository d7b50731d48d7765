"""Compiles every public header alone, as C11, C++11 and C++17, with all warnings as errors; also before and after a
DirectML.h. Headers of C++ (.hpp) as C++17 and C++20, with exceptions and without.

check_headers.py --language c|c++ --includes DIR [DIR..] --directml-stub FILE --headers DIR -- COMPILER [ARGUMENT..]
Exits with 77, after saying why, where the compiler is missing.
"""

import argparse
import pathlib
import sys

import compiling


def sources(header, stub):
    """The ways a header must compile: alone, twice, and before and after the real DirectML.h."""
    include = f'#include "vkdml/{header.name}"\n'
    # A declaration of its own, as a translation unit may not be empty.
    end = "extern int vkdml_header_check;\n"
    yield "alone", include + end
    yield "included twice", include + include + end
    yield "without the Windows names", "#define VKDML_NO_WINDOWS_TYPES\n" + include + end
    if header.name in ("result.h", "version.h"):
        return
    yield "before DirectML.h", include + f'#include "{stub}"\n' + end
    # Two headers name every struct of DirectML, more than the stub declares: check_directml.py has the real one.
    if header.name not in ("graph.hpp", "graph_operators.hpp"):
        member = '#include <stddef.h>\nextern char vkdml_stub_used[offsetof(DML_OPERATOR_DESC, StubMember)];\n'
        yield "after DirectML.h", f'#include "{stub}"\n' + include + member + end


def dialects(header, compiler):
    """A standard, and other arguments, that a header must compile with."""
    if header.suffix == ".hpp":
        return [(standard, exceptions) for standard in ("-std=c++17", "-std=c++20")
                for exceptions in ((), ("-fno-exceptions",), ("-DVKDML_HPP_NO_EXCEPTIONS",))]
    return [(standard,) for standard in compiler.standards]


def main():
    parser = argparse.ArgumentParser()
    compiling.add_arguments(parser)
    parser.add_argument("--directml-stub", type=pathlib.Path, required=True)
    parser.add_argument("--headers", type=pathlib.Path, required=True)
    options = parser.parse_args()
    compiler = compiling.Compiler(options)

    headers = sorted(options.headers.glob("*.h"))
    if options.language == "c++":
        # directml.hpp needs directx-headers: check_neighbours.py compiles it.
        headers += sorted(path for path in options.headers.glob("*.hpp") if path.name != "directml.hpp")
    failures = checks = 0
    for header in headers:
        for how, source in sources(header, options.directml_stub.resolve()):
            tried = dialects(header, compiler)
            # What is included before and after, and how often, does not depend on the standard and on exceptions.
            for arguments in tried if how == "alone" or header.suffix != ".hpp" else tried[:1]:
                complaints = compiler.complaints(source, *arguments)
                checks += 1
                if complaints is not None:
                    failures += 1
                    print(f"{header.name} does not compile {how} with {arguments}:\n{complaints}")
    # A header that uses a name it does not declare must be noticed.
    if compiler.complaints("extern NoSuchType check;\n") is None:
        failures += 1
        print("the compiler accepts an undeclared type: this check checks nothing")
    print(f"{checks} checks of {len(headers)} headers, {failures} failures")
    return 1 if failures != 0 or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
