"""Runs an example program and holds what it prints to a regular expression: test_examples.py PROGRAM PATTERN [ARGUMENT..].

However many spaces and lines there are. Anything on stderr fails it, and so do messages of the validation layer.
"""
import re
import subprocess
import sys

program, pattern, *arguments = sys.argv[1:]
result = subprocess.run([program, *arguments], capture_output=True, text=True)
if result.returncode != 0 or not re.fullmatch(pattern, " ".join(result.stdout.split())) or result.stderr:
    sys.exit(f"exit status {result.returncode}\n{result.stdout}{result.stderr}")
