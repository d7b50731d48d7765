"""Compiles every public header alone, as C11 and as C++11, with all warnings as errors; also after a DirectML.h.

check_headers.py --language c|c++ --includes DIR [DIR..] --directml-stub FILE --headers DIR -- COMPILER [ARGUMENT..]
Exits with 77, after saying why, where the compiler is missing.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

EXIT_SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
STANDARDS = {"c": ("c", "-std=c11"), "c++": ("c++", "-std=c++11")}


def compiles(compiler, language, system_includes, source):
    """Returns the compiler's complaints, or None."""
    name, standard = STANDARDS[language]
    command = [*compiler, "-x", name, standard, *WARNINGS, "-fsyntax-only"]
    for directory in system_includes:
        command += ["-I", str(directory)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "only_header.source"
        path.write_text(source)
        result = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    return None if result.returncode == 0 else result.stderr


def sources(header, stub):
    """The ways a header must compile: alone, twice, and with the real DirectML.h first."""
    include = f'#include "vkdml/{header.name}"\n'
    # A declaration of its own, as a translation unit may not be empty.
    end = "extern int vkdml_header_check;\n"
    yield "alone", include + end
    yield "included twice", include + include + end
    yield "without the Windows names", "#define VKDML_NO_WINDOWS_TYPES\n" + include + end
    if header.name not in ("result.h", "version.h"):
        member = '#include <stddef.h>\nextern char vkdml_stub_used[offsetof(DML_OPERATOR_DESC, StubMember)];\n'
        yield "after DirectML.h", f'#include "{stub}"\n' + include + member + end


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--language", choices=sorted(STANDARDS), required=True)
    parser.add_argument("--includes", nargs="+", required=True)
    parser.add_argument("--directml-stub", type=pathlib.Path, required=True)
    parser.add_argument("--headers", type=pathlib.Path, required=True)
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()

    try:
        version = subprocess.run([*options.compiler, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"skipped: no {options.language} compiler: {error}")
        return EXIT_SKIPPED
    print(version.splitlines()[0])

    headers = sorted(options.headers.glob("*.h"))
    failures = checks = 0
    for header in headers:
        for how, source in sources(header, options.directml_stub.resolve()):
            complaints = compiles(options.compiler, options.language, options.includes, source)
            checks += 1
            if complaints is not None:
                failures += 1
                print(f"{header.name} does not compile {how} as {options.language}:\n{complaints}")
    # A header that uses a name it does not declare must be noticed.
    if compiles(options.compiler, options.language, options.includes, "extern NoSuchType check;\n") is None:
        failures += 1
        print("the compiler accepts an undeclared type: this check checks nothing")
    print(f"{checks} checks of {len(headers)} headers, {failures} failures")
    return 1 if failures != 0 or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
