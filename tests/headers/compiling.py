"""What the checks of the headers share: a compiler, and sources given as text."""

import pathlib
import subprocess
import sys
import tempfile

EXIT_SKIPPED = 77
# The newest standard last.
STANDARDS = {"c": ["-std=c11"], "c++": ["-std=c++11", "-std=c++17"]}
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wno-sign-conversion", "-Wshadow", "-Wundef", "-Werror"]
MORE_WARNINGS = {"c": ["-Wstrict-prototypes"], "c++": ["-Wold-style-cast"]}


def add_arguments(parser):
    parser.add_argument("--language", choices=sorted(STANDARDS), required=True)
    parser.add_argument("--includes", nargs="+", required=True)
    parser.add_argument("compiler", nargs="+")


class Compiler:
    """The compiler that the arguments name; ends the program as skipped, after saying why, where it is missing."""

    def __init__(self, options, tap=False):
        self.language = options.language
        self.standards = STANDARDS[options.language]
        self.command = [*options.compiler, "-fsyntax-only", "-x", options.language, *WARNINGS,
                        *MORE_WARNINGS[options.language]]
        for folder in options.includes:
            self.command += ["-I", str(folder)]
        try:
            version = subprocess.run([*options.compiler, "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{'1..0 # SKIP' if tap else 'skipped:'} no {options.language} compiler: {error}")
            sys.exit(0 if tap else EXIT_SKIPPED)
        print(("# " if tap else "") + version.stdout.splitlines()[0])

    def complaints(self, source, standard=None, arguments=()):
        """What it says of a source that it does not accept, or None; by the newest standard, unless told otherwise."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "source"
            path.write_text(source)
            command = [*self.command, standard or self.standards[-1], *arguments, str(path)]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
        return None if result.returncode == 0 else result.stderr


class Tap:
    """Prints a line per test."""

    def __init__(self):
        self.count = 0
        self.failures = 0

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}", flush=True)

    def tell(self, good, name, detail=""):
        self.count += 1
        self.failures += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        if not good:
            # Not among the TAP lines, of which Meson shows the verdicts only.
            print("".join(f"# {line}\n" for line in detail.splitlines()[:40]), end="", file=sys.stderr, flush=True)

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failures or not self.count else 0
