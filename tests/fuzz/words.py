"""Makes an initializer of C out of a dictionary for libFuzzer: words.py FILE."""
import sys

for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith('"'):
        print(line.rstrip() + ",")
