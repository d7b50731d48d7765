"""Holds what the examples of docs/PYTHON.md print to the page, but for line breaks. Prints TAP: test_page.py PAGE."""
import doctest
import re
import sys

import vkdml

PAGE = sys.argv[1]


def main():
    with open(PAGE) as file:
        # Fences would be taken for output.
        text = re.sub(r"^```.*$", "", file.read(), flags=re.MULTILINE)
    tests = doctest.DocTestParser().get_doctest(text, {}, PAGE, PAGE, 0)
    out = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(tests, out=out.append)
    print("".join(f"# {line}\n" for line in "".join(out).splitlines()), end="")
    enough = results.attempted > 30
    print(f"{'not ok' if results.failed else 'ok'} 1 - the page's {results.attempted} examples print what it says")
    print(f"{'ok' if enough else 'not ok'} 2 - there are examples")
    print("1..2")
    return results.failed or not enough or not vkdml.version()


if __name__ == "__main__":
    sys.exit(bool(main()))
