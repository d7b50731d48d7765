"""Runs a module's unittest cases and prints TAP, a line per case, named by its first line of documentation."""
import sys
import traceback
import unittest


class Result(unittest.TestResult):
    number = 0
    failed = False

    def tell(self, good, test, note="", details=""):
        Result.number += 1
        name = f"{type(test).label}: {test.shortDescription()}" if hasattr(test, "label") else str(test)
        print(f"{'ok' if good else 'not ok'} {Result.number} - {name.replace('#', '')}{note}")
        print("".join(f"# {line}\n" for line in details.splitlines()), end="", flush=True)
        Result.failed |= not good

    def addSuccess(self, test):
        self.tell(True, test)

    def addSkip(self, test, reason):
        self.tell(True, test, f" # SKIP {' '.join(reason.split())}")

    def addFailure(self, test, error):
        self.tell(False, test, details="".join(traceback.format_exception(*error)))

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.tell(False, test, f" {subtest.params}", "".join(traceback.format_exception(*error)))


def add_checks(case, networks):
    """Gives a class of tests one for each network and type, which calls its check()."""
    for name, type_ in networks:
        def test(self, name=name, type_=type_):
            self.check(name, type_)

        test.__doc__ = f"{name} of {type_}"
        setattr(case, f"test_{name}_{type_}", test)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    suite.run(Result())
    print(f"1..{Result.number}")
    sys.exit(Result.failed)
