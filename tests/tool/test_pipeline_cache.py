"""Runs examples/pipeline_cache as its users do, run after run: test_pipeline_cache.py PROGRAM. Prints TAP."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from tap import finish, tell

program = os.path.abspath(sys.argv[1])
def compiles(found, name):
    """Runs it; it must say whether it found a cache, and leave one."""
    result = subprocess.run([program], cwd=folder, capture_output=True, text=True)
    good = (result.returncode == 0 and re.fullmatch(rf"{found}: 3 operators compiled in [0-9.]+ ms\n", result.stdout)
            and not result.stderr and os.listdir(folder) == ["vkdml.cache"] and os.path.getsize(cache) > 0)
    tell(good, name, f"{result}\n{os.listdir(folder)}")


with tempfile.TemporaryDirectory() as folder:
    cache = os.path.join(folder, "vkdml.cache")
    compiles("without", "the first run has no cache and leaves one")
    first = open(cache, "rb").read()
    compiles("with a cache", "the next run has it")
    tell(open(cache, "rb").read() == first, "which holds what it held", "the cache changed")
    with open(cache, "wb") as file:
        file.write(b"not a pipeline cache " * 100)
    compiles("with a cache", "a damaged one is ignored, and replaced")
    tell(open(cache, "rb").read(4) != b"not ", "by a whole one", "the damaged one is still there")
    result = subprocess.run([program, os.path.join(folder, "missing", "file")], capture_output=True, text=True)
    tell(result.returncode == 1 and "No such file" in result.stderr, "a folder that is not there is said", result)
sys.exit(finish())
