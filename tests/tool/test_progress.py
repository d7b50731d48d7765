"""Tests the line that tells on a terminal how far work is: test_progress.py COMMAND MODELS_FOLDER. Prints TAP."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading

from command_harness import COMMAND, MODELS, finish, resources, run, tell

IDENTITY = os.path.join(MODELS, "identity.json")
CLEAR = "\r\x1b[K"


def run_on_terminal(*arguments, columns=80, kind="xterm"):
    """The command with stderr on a terminal; returns its status, stdout and what the terminal got."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    pieces = []

    def read():
        try:
            while piece := os.read(terminal, 65536):
                pieces.append(piece)
        except OSError:  # Linux says so where the other end is closed
            pass

    reader = threading.Thread(target=read)
    process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=end, text=True,
                               env={**os.environ, "TERM": kind})
    os.close(end)
    reader.start()
    output = process.communicate()[0]
    reader.join()
    os.close(terminal)
    return process.returncode, output, b"".join(pieces).decode()


def long_product(size):
    """A product of two matrices of so many rows and columns."""
    tensor = {"DataType": "FLOAT32", "Sizes": [1, 1, size, size]}
    values = {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": size * size, "value": 1}}
    tensors = ["ATensor", "BTensor", "OutputTensor"]
    return {"resources": {name: values for name in tensors},
            "dispatchables": {"gemm": {"type": "DML_OPERATOR_GEMM", "desc": {
                **{name: tensor for name in tensors}, "CTensor": None, "TransA": "NONE", "TransB": "NONE", "Alpha": 1,
                "Beta": 0, "FusedActivation": None}}},
            "commands": [{"type": "dispatch", "dispatchable": "gemm", "bindings": {name: name for name in tensors}}]}


def main():
    # A second and a half: the line comes after half a second.
    long_run = ["run", "-t", "1500", IDENTITY]
    status, output, seen = run_on_terminal(*long_run)
    lines = seen.split(CLEAR)
    tell(status == 0 and len(lines) > 2 and all(re.fullmatch(r"identity: \d\.\d of 1\.5 seconds\r", line)
                                                for line in lines[1:-1]), "a line tells how far a dispatch is", repr(seen))
    tell(lines[0] == "" and lines[-1] == "" and resources(output) == {"Output": "1, 2, 3, 4, 5, 6"},
         "and is gone before the results", repr(seen))
    status, output, seen = run_on_terminal("run", "-a", "reference", "-i", "100", "-I", "15", IDENTITY, columns=20)
    lines = seen.split(CLEAR)
    tell(status == 0 and len(lines) > 2 and all(len(line.rstrip("\r")) < 20 for line in lines),
         "it is cut where the terminal ends", repr(seen))
    tell(all(re.match(r"identity: \d+ of 10", line) for line in lines[1:-1]), "and counts iterations", repr(seen))
    for what, result in {"a terminal that cannot take a line away": run_on_terminal(*long_run, kind="dumb"),
                         "short work": run_on_terminal("run", "-a", "reference", IDENTITY)}.items():
        tell(result[0] == 0 and result[2] == "", f"{what} sees nothing of it", result)
    result = run(*long_run)
    tell(result.returncode == 0 and result.stderr == "", "nor does a file", result)
    status, output, seen = run_on_terminal("bench", "--bytes", "16KiB", "--peak-bytes", "256KiB", "--seconds-each", "0.2",
                                           "--repeat", "1", "--filter", "identity/contiguous/*")
    shown = re.findall(r"(\d+) of (\d+)(, about \d+ (?:s|min) left)?: (identity/\S+?)\r", seen)
    tell(status == 0 and shown and all(int(done) <= int(count) for done, count, _, name in shown) and seen.endswith(CLEAR)
         and all(left for done, _, left, _ in shown if int(done) > 1),
         "bench tells which benchmark it is at, and how much time is left", repr(seen))
    status, output, seen = run_on_terminal("run", "-t", "1500", "no-such-model.json")
    tell(status == 1 and seen == "no-such-model.json: No such file or directory\r\n", "messages stand alone", repr(seen))
    # A product of 10^10 terms takes the reference a minute.
    with tempfile.NamedTemporaryFile("w", suffix=".json") as model:
        json.dump(long_product(2048), model)
        model.flush()
        status, output, seen = run_on_terminal("run", "-a", "reference", "--reference-seconds", "2", model.name)
    tell(status == 1 and re.search(r"gemm: on the CPU reference, \d of at most 2 s\r", seen), "the reference tells how long it takes",
         repr(seen))
    tell(seen.endswith("gemm: not done after 2 seconds on the CPU reference, which --reference-seconds allows\r\n"),
         "and ends where it may take no longer", repr(seen))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
