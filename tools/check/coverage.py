"""Holds what gcovr measured to tests/coverage/explained.txt, which coverage.sh does.

coverage.py --root ROOT [--least PERCENT] COVERAGE.json
Fails where fewer lines are run than PERCENT (95), where one that is not run is not explained, and where an explanation
is of a line that is not there. Prints what is not explained, and explanations of lines that are run after all.

A line of explained.txt is "FILE: CODE -- WHY". CODE is the line of FILE without what stands around it, or "*": any
line of that file; each line with that text is explained, so that other lines may come and go.
"""

import argparse
import json
import pathlib
import sys


def read_explained(path):
    """(file, code) -> why."""
    explained = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        file, _, rest = line.partition(": ")
        code, _, why = rest.rpartition(" -- ")
        if not code or not why:
            sys.exit(f"{path.name}:{number} is not \"FILE: CODE -- WHY\"")
        explained[file, code.strip()] = why
    return explained


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--least", type=float, default=95.0)
    parser.add_argument("coverage", type=pathlib.Path)
    options = parser.parse_args()

    explained = read_explained(options.root / "tests/coverage/explained.txt")
    used, there = set(), set()
    count = run = 0
    failures = []
    for file in json.loads(options.coverage.read_text())["files"]:
        path = options.root / file["file"]
        source = path.read_text().splitlines()
        there |= {(file["file"], line.strip()) for line in source} | {(file["file"], "*")}
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            count += 1
            run += line["count"] > 0
            if line["count"] == 0:
                code = source[line["line_number"] - 1].strip()
                keys = {(file["file"], code), (file["file"], "*")} & explained.keys()
                used |= keys
                if not keys:
                    failures.append(f"{file['file']}:{line['line_number']}: {code}")
    for failure in failures:
        print(f"not run, not explained: {failure}")
    for file, code in sorted(explained.keys() - there):
        print(f"explained, but not there: {file}: {code}")
        failures.append(code)
    for file, code in sorted((explained.keys() & there) - used):
        print(f"explained, but run: {file}: {code}")
    percent = 100 * run / max(count, 1)
    print(f"{run} of {count} lines are run, {percent:.2f} %; {len(failures)} failures")
    return 1 if failures or percent < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
