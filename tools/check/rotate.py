"""Prints the names of the tests that one profile runs, one per line.

rotate.py BUILD PROFILE ROTATION PROFILE..

Every test that opens a device runs on one of the profiles; which one changes with ROTATION, so that enough rotations run
every test on every profile that takes it. The portable kernels' differential tests run on every second profile, because
their cases are divided among the profiles (tests/profiles/meson.build).
"""
import json
import subprocess
import sys

EVERY_SECOND = ("differential, portable kernels, ",)
# Suites that no profile runs.
NEVER = {"host", "loader", "profiles", "halves", "math", "appended", "counted", "directml"}
# Suites that only some run, as tests/profiles/meson.build has it.
ONLY = {"bench": {"minimum"}, "selftest": {"minimum"}, "large": {"minimum", "windows"}, "tails": {"minimum", "windows"},
        "processors": {"minimum", "windows", "processor"}}


def main():
    build, profile, rotation, profiles = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    suites = {}
    for test in json.loads(subprocess.check_output(["meson", "introspect", "--tests", build])):
        suites.setdefault(test["name"], set()).update(suite.split(":")[-1] for suite in test["suite"])
    names = sorted(name for name, of in suites.items() if not NEVER & of)
    shared = [name for name in names if not name.startswith(EVERY_SECOND)]
    if profile not in profiles or len(shared) < len(profiles) or len(shared) == len(names):
        sys.exit(f"{build} has {len(names)} tests that open a device, {len(shared)} of them shared: too few")
    for position, name in enumerate(shared):
        takers = [one for one in profiles if all(one in ONLY[suite] for suite in suites[name] & set(ONLY))]
        if takers[(position + rotation) % len(takers)] == profile:
            print(name)
    if (profiles.index(profile) + rotation) % 2 == 0:
        print("\n".join(name for name in names if name not in shared))


if __name__ == "__main__":
    main()
