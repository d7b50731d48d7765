"""Prints the names of the tests that one of several profiles runs, one per line.

rotate.py BUILD INDEX COUNT ROTATION

Every test that opens a device runs on one of COUNT profiles; the profile changes with ROTATION, so that COUNT rotations run
every test on every profile. The differential tests of portable kernels run on each profile, because the cases are already
divided among the profiles (tests/profiles/meson.build).
"""
import json
import subprocess
import sys

EVERYWHERE = ("differential, portable kernels, ",)
# Suites that no profile runs, or that only some do: `meson test --setup` leaves the latter out by itself.
NEVER = {"host", "loader", "profiles", "halves", "math", "appended", "counted"}


def main():
    build, index, count, rotation = sys.argv[1], *map(int, sys.argv[2:])
    listed = json.loads(subprocess.check_output(["meson", "introspect", "--tests", build]))
    names = sorted({test["name"] for test in listed if not NEVER & {suite.split(":")[-1] for suite in test["suite"]}})
    rotated = [name for name in names if not name.startswith(EVERYWHERE)]
    if len(rotated) < count or len(rotated) == len(names):
        sys.exit(f"{build} has {len(names)} tests that open a device, {len(rotated)} of them rotated: too few")
    for position, name in enumerate(rotated):
        if (position + rotation) % count == index:
            print(name)
    for name in names:
        if name.startswith(EVERYWHERE):
            print(name)


if __name__ == "__main__":
    main()
