"""What the tests of the vkdml command share. Each takes COMMAND MODELS_FOLDER and prints TAP.

The environment: VKDML_DEVICE picks the device that models run on beside the reference, VKDML_TEST_VALIDATION=1 turns the
validation layer on.
"""
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from tap import finish, run_all, skip, tell

COMMAND, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
VALIDATION = ["--debug"] if os.environ.get("VKDML_TEST_VALIDATION") == "1" else []
DEVICES = {"the default device": VALIDATION, "the reference": ["--device", "reference"]}

def run(*arguments, cwd=None, env=None, text=None):
    """Runs the command; `env` is added to the environment, `text` is its standard input."""
    return subprocess.run([COMMAND, *arguments], cwd=cwd, env={**os.environ, **(env or {})}, input=text,
                          capture_output=True, text=True)


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)
    return path


def resources(output):
    return {name: values for name, values in re.findall(r"^Resource '(.*)': (.*)$", output, re.MULTILINE)}


def model_text(resources_, dispatchables=None, commands=()):
    return json.dumps({"resources": resources_, "dispatchables": dispatchables or {}, "commands": list(commands)})


def identity(data_type, size, flags="NONE"):
    return {"type": "ELEMENT_WISE_IDENTITY",
            "InputTensor": {"DataType": data_type, "Sizes": [size], "Flags": flags},
            "OutputTensor": {"DataType": data_type, "Sizes": [size]}}


def dispatch(dispatchable, **bindings):
    return {"type": "dispatch", "dispatchable": dispatchable, "bindings": bindings}


def show(resource, **more):
    return {"type": "print", "resource": resource, **more}


def npy_bytes(descr, shape, body, version=1, order="False", key="descr"):
    header = f"{{'{key}': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    size = struct.pack("<H", len(header)) if version == 1 else struct.pack("<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + body
