"""Python packages that were built for DirectML, on any Vulkan device: torch-directml and tensorflow-directml-plugin.

    import vkdml.directml
    vkdml.directml.enable()
    import torch_directml

The packages are used as they are. Linux only; on the command line `python -m vkdml.directml train.py` and `vkdml exec python
train.py` do the same for a program and its children.
"""
import argparse
import ctypes
import os
import re
import sys
import threading
from typing import List, NoReturn, Optional, Union

from . import _library

# Each before those that depend on it.
LIBRARIES = ("libdxcore.so", "libd3d12.so", "libdirectml.so")
NAMED = "VKDML_DIRECTML"
# Modules that look for DirectML's libraries when they are imported.
CLIENTS = ("torch_directml", "torch_directml_native", "tensorflow")

_lock = threading.Lock()
_loaded: List[ctypes.CDLL] = []


def _has_libraries(folder: str) -> bool:
    return all(os.path.exists(os.path.join(folder, name)) for name in LIBRARIES)


def libraries() -> str:
    """The folder of libdxcore.so, libd3d12.so and libdirectml.so: the environment variable VKDML_DIRECTML, else the one that was
    packed or installed with this module, else in a build folder of the source tree.

    Raises:
        OSError: there is none; the message has the folders that were tried.
    """
    named = os.environ.get(NAMED)
    if named:
        if not _has_libraries(named):
            raise OSError(f"{NAMED} is {named}, must be a folder with {', '.join(LIBRARIES)}")
        return os.path.abspath(named)
    tried = []
    for folder in [os.path.dirname(os.path.abspath(_library.library().path)), *_library.folders()]:
        for place in ("_directml", os.path.join("vkdml", "directml"), os.path.join("..", "integrations", "directml")):
            path = os.path.normpath(os.path.join(folder, place))
            if _has_libraries(path):
                return path
            tried.append(path)
    raise OSError("DirectML's libraries were not found. Tried:\n  " + "\n  ".join(tried) + "\nBuild vkdml with -Ddirectml_abi=true "
                  f"(Debian: apt-get install g++ directx-headers-dev), or set {NAMED} to their folder")


def _set_options(device: Union[str, int, None], software: Optional[bool], debug: Optional[bool]) -> None:
    if device is not None:
        os.environ["VKDML_DEVICE"] = f"#{device}" if isinstance(device, int) else device
    for name, value in (("VKDML_SOFTWARE", software), ("VKDML_VALIDATION", debug)):
        if value is not None:
            os.environ[name] = "1" if value else "0"


def enable(*, device: Union[str, int, None] = None, software: Optional[bool] = None, debug: Optional[bool] = None) -> None:
    """Loads vkdml's DirectML into this process, for torch_directml or tensorflow, which are imported afterwards. Once is enough, and
    more is no error. Processes that are started, not forked, must do the same.

    Args:
        device: offers one device only: a part of its name, its number (1 or "#1"), or its UUID. All GPUs where left out, the
            best first, or the one that VKDML_DEVICE names. Sets that variable.
        software: whether devices on the CPU, as lavapipe, are offered too (VKDML_SOFTWARE).
        debug: whether devices are opened with the Vulkan validation layer (VKDML_VALIDATION).

    Raises:
        RuntimeError: torch_directml or tensorflow has been imported already.
        OSError: the libraries were not found or cannot be loaded.
    """
    with _lock:
        if not _loaded:
            early = [name for name in CLIENTS if name in sys.modules]
            if early:
                raise RuntimeError(f"{early[0]} is imported already: call vkdml.directml.enable() before the first import of it")
            folder = libraries()
            # Extension modules name the libraries as dependencies and get what is loaded by these names.
            _loaded.extend([ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL) for name in LIBRARIES])
            os.environ["TF_DIRECTML_PATH"] = folder  # where TensorFlow's plugin looks
        _set_options(device, software, debug)


def _prepend(name: str, value: str) -> None:
    old = os.environ.get(name)
    os.environ[name] = f"{value}:{old}" if old else value


def _run(arguments: List[str]) -> NoReturn:
    """Becomes another Python, which it and its children load the libraries into, as `vkdml exec` does."""
    folder = libraries()
    refused = re.search("[:;$\n]", folder)
    if refused:
        raise OSError(f"the libraries' folder {folder} has a '{refused.group()}' in its path, which the dynamic linker cannot take")
    # LD_PRELOAD is split at spaces; names alone are found in LD_LIBRARY_PATH.
    _prepend("LD_PRELOAD", ":".join(name if re.search(r"\s", folder) else os.path.join(folder, name) for name in LIBRARIES))
    _prepend("LD_LIBRARY_PATH", folder)
    os.environ["TF_DIRECTML_PATH"] = folder
    os.execv(sys.executable, [sys.executable, *arguments])


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m vkdml.directml", description="Runs a Python program that uses DirectML, such "
                                     "as PyTorch with torch-directml, on Vulkan devices.")
    parser.add_argument("-a", "--adapter", "--device", dest="device", metavar="TEXT", help="offer only the device whose name "
                        "contains TEXT, #N by number, or a UUID")
    parser.add_argument("--software", action="store_true", default=None, help="offer software devices, too (lavapipe)")
    parser.add_argument("-d", "--debug", action="store_true", default=None, help="with the Vulkan validation layer")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM ..", help="a file and its arguments, or after "
                        "-- any command line of `python`: -- -m MODULE")
    options = parser.parse_args()
    program = options.program[options.program[:1] == ["--"]:]  # argparse of some versions keeps it
    if not program:
        parser.error("which program?")
    _set_options(options.device, options.software, options.debug)
    try:
        _run(program)
    except OSError as error:
        sys.exit(f"vkdml.directml: {error}")


if __name__ == "__main__":
    _main()
