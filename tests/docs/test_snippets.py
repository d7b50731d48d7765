#!/usr/bin/env python3
"""Tests every fenced block of the documentation in the way that stands before it (snippets.py). Prints TAP.

test_snippets.py --root ROOT --build BUILD --includes FOLDER.. --c COMPILER.. --cpp COMPILER.. [--directx FOLDER]
    [-- PAGE..]                       all of docs/ without any
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import snippets

HERE = pathlib.Path(__file__).parent
SUFFIXES = {"c": ".c", "cpp": ".cpp"}


class Tester:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.printed = None
        self.elsewhere = []
        programs = folder / "programs"
        programs.mkdir()
        # What `meson compile` would make is made; a test does not build.
        (programs / "meson").write_text("#!/bin/sh\n[ \"$1\" = compile ]\n")
        (programs / "meson").chmod(0o755)
        self.environment = dict(os.environ, PATH=f"{programs}:{options.build / 'tools'}:{os.environ['PATH']}")
        self.tree = self.tree_of(folder / "tree")

    def tree_of(self, folder):
        """The tree as a person has it who built it in build/: what commands write stays in a temporary folder."""
        folder.mkdir()
        for path in self.options.root.iterdir():
            if not path.name.startswith((".", "build")):
                (folder / path.name).symlink_to(path)
        (folder / "build").symlink_to(self.options.build)
        return folder

    def run(self, command, **more):
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.environment, **more)

    def compile(self, path, more):
        language = "cpp" if path.suffix == ".cpp" else "c"
        standard = {"c": "-std=c11", "cpp": "-std=c++17"}[language]
        includes = [f"-I{folder}" for folder in self.options.includes]
        command = [*getattr(self.options, language), standard, "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                   "-Wno-unused", *includes, *more, str(path)]
        result = self.run(command)
        return result.stdout if result.returncode else None

    # A method for each way: returns what is wrong, or None.

    def way_file(self, block, name, whole=""):
        text = (self.options.root / name).read_text()
        if whole and block.text != text:
            return f"is not {name}"
        return None if snippets.is_excerpt(block.lines, text) else f"is not in {name}"

    def way_compile(self, block, frame="body"):
        suffix = SUFFIXES[block.language]
        template = (HERE / "frames" / (frame + suffix)).read_text()
        path = self.folder / ("snippet" + suffix)
        path.write_text(template.replace("SNIPPET;", f"#line {block.line + 1} \"{block.page.name}\"\n{block.text}"))
        return self.compile(path, [])

    def way_directml(self, block):
        if not self.options.directx:
            return self.way_elsewhere(block, "directx-headers are not installed here")
        path = self.folder / "directml.cpp"
        path.write_text(block.text)
        directx = self.options.directx[0]
        return self.compile(path, [f"-I{HERE / 'directml'}", "-idirafter", directx, "-idirafter", f"{directx}/wsl/stubs"])

    def way_run(self, block):
        self.printed = None
        result = self.run(["sh", "-eu", "-c", block.text], cwd=self.tree)
        self.printed = result.stdout
        return f"exit status {result.returncode}\n{result.stdout}" if result.returncode else None

    def way_output(self, block):
        if self.printed is None:
            return "no `run` block before it"
        return None if snippets.matches(block.lines, self.printed) else f"this was printed:\n{self.printed}"

    def way_model(self, block, refused=""):
        path = self.tree / "MODEL.json"
        path.write_text(block.text)
        result = self.run([str(self.options.build / "tools" / "vkdml"), "check", str(path)], cwd=self.tree)
        self.printed = result.stdout
        if refused:
            return None if result.returncode == 1 else f"exit status {result.returncode}\n{result.stdout}"
        return result.stdout if result.returncode else None

    def way_elsewhere(self, block, *why):
        if not why:
            return "says not what tests it"
        self.elsewhere.append((block.line, " ".join(why)))
        return None

    def test(self, block):
        if block.way is None:
            return None if block.language in snippets.TEXT else "no comment says how it is tested"
        name, *words = block.way.split()
        method = getattr(self, f"way_{name}", None)
        return method(block, *words) if method else f"no way is called {name}"


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve())
    for name in ("includes", "c", "cpp", "directx"):
        parser.add_argument(f"--{name}", nargs="+", action="extend", default=[])
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.pages = options.pages or pages_of(options.root)
    return options


def pages_of(root):
    """All pages. README.md is one of them as soon as a block of it says how it is tested."""
    readme = root / "README.md"
    marked = any(block.way for block in snippets.blocks_of(readme))
    return [readme] * marked + sorted((root / "docs").glob("*.md")) + sorted((root / "docs").glob("*/*.md"))


def same_descriptors(page):
    """DIRECTML.md: what stands between the marks is the same in DirectML's program and in vkdml's."""
    parts = re.findall(r"/\* ---- the descriptor ---- \*/\n(.*?)/\* ---- \*/", page.read_text(), re.DOTALL)
    return None if len(parts) == 2 and parts[0] == parts[1] else f"{len(parts)} parts, which differ"


def main():
    options = parse_options()
    number, failed = 0, False
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(options, pathlib.Path(folder))
        for page in options.pages:
            tester.printed, tester.elsewhere = None, []
            found = snippets.blocks_of(page)
            wrong = [(block, problem) for block in found for problem in [tester.test(block)] if problem]
            texts = sum(block.way is None and block.language in snippets.TEXT for block in found)
            number += 1
            failed |= bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - {page.name}: {len(found) - texts} blocks")
            for block, problem in wrong:
                print(f"# {page.name}:{block.line} ({block.way}): " + problem.rstrip().replace("\n", "\n#   "))
            for why in sorted({why for _, why in tester.elsewhere}):
                lines = ", ".join(str(line) for line, other in tester.elsewhere if other == why)
                print(f"# line {lines}: tested elsewhere: {why}")
            if page.name == "DIRECTML.md":
                problem = same_descriptors(page)
                number += 1
                failed |= bool(problem)
                print(f"{'not ok' if problem else 'ok'} {number} - DirectML's descriptor is vkdml's {problem or ''}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
