"""Runs an example program and compares what it prints: test_examples.py PROGRAM TEXT."""
import subprocess
import sys

program, wanted = sys.argv[1:3]
result = subprocess.run([program], capture_output=True, text=True, timeout=120)
if result.returncode != 0 or result.stdout.split() != wanted.split() or result.stderr:
    sys.exit(f"exit status {result.returncode}\n{result.stdout}{result.stderr}")
