#!/usr/bin/env python3
"""Checks that kernels ask for zeros of FLOAT32 by math_is_zero() alone: glsl/math/math.glsl says why. Prints TAP.

test_zeros.py ROOT
"""
import pathlib
import re
import sys

# What is true of both zeros and of nothing else, as one writes it, beside 0 or in place of a condition.
FORMS = re.compile(r"""
    <<\s*1u?\s*\)?\s*([=!]=|>)\s*0u?(?![\dx.])            # x << 1 == 0
  | &\s*(~SIGN_BIT|0x7FFFFFFFu?)\s*\)?\s*([=!]=\s*0|<=?\s*[01]|>\s*0|>=\s*1)u?(?![\dx.]) # (x & ~SIGN_BIT) == 0
  | \b0u?\s*([=!]=|<)\s*\(?\s*\w+\s*(<<\s*1u?\b(?!\s*<)|&\s*(~SIGN_BIT|0x7FFFFFFFu?)) # 0 == x << 1
  | \bbool\(\s*\w+\s*(<<\s*1u?|&\s*(~SIGN_BIT|0x7FFFFFFFu?))\s*\)  # bool(x << 1)
  | \|\s*(SIGN_BIT|0x80000000u?)\s*\)\s*[=!]=\s*(SIGN_BIT|0x80000000u?) # (x | SIGN_BIT) == SIGN_BIT
  | \b(?P<x>\w+)\s*==\s*0u?\s*\|\|\s*(?P=x)\s*==\s*(SIGN_BIT|0x80000000u?)  # x == 0 || x == SIGN_BIT
  | \b(magnitude|ordinate|dividend|divisor)s?\s*[=!]=\s*0u?(?![\dx.]) # the same, given a name
  | \bmin\([^;?]*<<\s*1[^;?]*\)\s*[=!]=\s*0u?(?![\dx.])
""", re.VERBOSE)
# What a magnitude is called, and how it is then compared.
NAME = re.compile(r"\b(\w+)\s*=[^=;]*&\s*(?:~SIGN_BIT|0x7FFFFFFFu?)\s*\)?\s*;")
NAMED = r"\b(?:{0})\s*(?:(?:[=!]=|>)\s*0u?|(?:<|>=)\s*1u?)\b(?!\.|\s*<<)"
COMMENT = re.compile(r"//.*")
# Of integers, and of words of which the other one is looked at too.
ELSEWHERE = {
    ("glsl/map/fast_conversions64.glsl", "uint high = magnitude == 0 ? 0 : (uint(top + 1022) << 20) + (significand >> 11);"),
    ("glsl/map/float64.glsl", "exponent = magnitude == 0 ? 0 : 1024 - 127 - n;"),
}


def forms_of(text):
    """The lines that ask otherwise, by number."""
    found_lines, names = [], set()
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("}"):
            names = set() # a function's end
        line = COMMENT.sub("", line).strip()
        named = re.compile(NAMED.format("|".join(sorted(names)) or "(?!)"))
        if FORMS.search(line) or named.search(line):
            found_lines.append((number, line))
        names |= set(NAME.findall(line))
    return found_lines


def found(root):
    places = []
    for path in sorted((root / "glsl").rglob("*")):
        if path.suffix in (".glsl", ".comp", ".inc"):
            name = path.relative_to(root).as_posix()
            places += [f"{name}:{number}: {line}" for number, line in forms_of(path.read_text())
                       if (name, line) not in ELSEWHERE]
    return places


def main(root):
    samples = ["(x << 1) == 0u ? x", "x << 1 == 0 ?", "(x & 0x7FFFFFFFu) == 0u", "if ((x & ~SIGN_BIT) != 0)", "magnitude == 0u",
               "(bits << 1) == 0 && min(a << 1, b << 1) == 0", "(x & 0x7FFFFFFFu) < 1u", "(x << 1) > 0u", "0u == (x << 1)",
               "0 != (x & ~SIGN_BIT)", "bool(x << 1)", "(x | SIGN_BIT) == SIGN_BIT", "x == 0u || x == 0x80000000u",
               "uint size = x & 0x7FFFFFFFu;\nif (size == 0u) {", "const uint m = (bits & ~SIGN_BIT);\nreturn m < 1u ? 0 : x;"]
    others = ["math_is_zero(x)", "(x & ~SIGN_BIT) == INFINITY", "(x & SIGN_BIT) != 0", "magnitude < 0x00800000u", "x == 0u",
              "uint size = x & 0x7FFFFFFFu;\nif (size < 1u << 23) {", "x == 0u || y == 0x80000000u", "lost == SIGN_BIT"]
    missed = [s for s in samples if not forms_of(s)] + [s for s in others if forms_of(s)]
    places = found(root)
    print("1..2")
    for line in missed:
        print(f"# {line}")
    print(f"{'not ' if missed else ''}ok 1 - forms are told apart")
    for line in places:
        print(f"# {line}")
    print(f"{'not ' if places else ''}ok 2 - zeros are asked for by math_is_zero()")
    return 1 if missed or places else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
