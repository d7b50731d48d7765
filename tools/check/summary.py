"""Counts test cases in the logs of `meson test` and prints `N passed, N failed, N skipped` as the last line.

summary.py [--root DIR] testlog.json..

A test program that prints TAP, or cmocka's lines, counts by its cases, any other as one. Exits with 1 where a case failed
or was skipped, or where a log is missing or empty.
"""
import argparse
import json
import os
import re
import sys

TAP = re.compile(r"^\s*(not )?ok\b\s*\d*\s*-?\s*(.*)$")
SKIP = re.compile(r"#\s*skip\b", re.IGNORECASE)
CMOCKA = re.compile(r"^\[\s*(OK|FAILED|SKIPPED)\s*\] ([^:]*)$")

# Skips that are right: the modules can be compared byte for byte only where the compiler is the one that made them; and a
# person's machine, though not CI's, may lack the memory for tensors of 1.5 GiB.
EXPECTED_SKIPS = re.compile(r"compiler's version|glslang" + ("" if os.environ.get("CI") else "|large tensors"), re.IGNORECASE)


def cases_of(test):
    """The cases of one test program: (name, "passed" | "failed" | "skipped")."""
    text = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
    cases = []
    cmocka = {}
    for line in text.splitlines():
        match = TAP.match(line)
        if match:
            # A TODO that fails is as good as a failure: none are planned.
            outcome = "skipped" if SKIP.search(line) else "failed" if match.group(1) else "passed"
            cases.append((match.group(2).strip(), outcome))
            continue
        match = CMOCKA.match(line)
        if match and not re.match(r"\d+ test\(s\)", match.group(2)):
            # cmocka lists failed cases a second time at the end.
            outcome = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}[match.group(1)]
            cmocka[match.group(2).strip().rstrip(".")] = outcome
    return cases or list(cmocka.items())


def count(test, tally, notes):
    name = test["name"]
    result = test["result"]
    cases = cases_of(test)
    bad = result in ("FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS")
    if not cases:
        outcome = "skipped" if result == "SKIP" else "failed" if bad else "passed"
        cases = [(name, outcome)]
    elif bad and not any(outcome == "failed" for _, outcome in cases):
        # It died outside its cases.
        cases.append((f"{name} ({result})", "failed"))
    elif result == "SKIP" and all(outcome == "passed" for _, outcome in cases):
        cases.append((name, "skipped"))
    for case, outcome in cases:
        tally[outcome] += 1
        if outcome == "failed":
            notes.append(f"failed: {name}: {case}")
        elif outcome == "skipped":
            expected = EXPECTED_SKIPS.search(f"{name} {case}")
            tally["unexpected"] += 0 if expected else 1
            notes.append(f"skipped{'' if expected else ', though it should run'}: {name}: {case}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=".")
    parser.add_argument("logs", nargs="+")
    arguments = parser.parse_args()
    tally = {"passed": 0, "failed": 0, "skipped": 0, "unexpected": 0}
    notes = []
    for path in arguments.logs:
        before = sum(tally.values())
        if os.path.exists(path):
            with open(path, encoding="utf-8") as log:
                for line in log:
                    if line.strip():
                        count(json.loads(line), tally, notes)
        if sum(tally.values()) == before:
            tally["failed"] += 1
            notes.append(f"failed: {os.path.relpath(path, arguments.root)} holds no tests")
    for note in notes:
        print(note)
    print(f"{tally['passed']} passed, {tally['failed']} failed, {tally['skipped']} skipped")
    return 1 if tally["failed"] or tally["unexpected"] else 0


if __name__ == "__main__":
    sys.exit(main())
