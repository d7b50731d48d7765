"""Verdicts of tests in Python as TAP, a line each: tell() them, then `sys.exit(tap.finish())`."""
import inspect
import sys
import tempfile

number = 0
failures = 0


def tell(good, name, detail=""):
    """A verdict; `detail` is shown where it is a bad one."""
    global number, failures
    number += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
    if not good:
        # Not among the TAP lines, of which Meson shows the verdicts only.
        print("".join(f"# {line}\n" for line in str(detail).splitlines()), end="", file=sys.stderr, flush=True)


def skip(name, reason):
    """A verdict that there is none, and why."""
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP {reason}", flush=True)


def run_all(*tests):
    """Functions one after another, those that take one with a folder that they share; and finish()."""
    with tempfile.TemporaryDirectory() as folder:
        for test in tests:
            test(*[folder][:len(inspect.signature(test).parameters)])
    return finish()


def finish_with(results):
    """The verdicts of (name, problems found) pairs, and finish()."""
    for name, found in results:
        tell(not found, name, "\n".join(found))
    return finish()


def finish():
    """The plan, and the exit status."""
    print(f"1..{number}")
    return 1 if failures else 0
