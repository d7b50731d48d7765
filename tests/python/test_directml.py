"""vkdml.directml: DirectML's libraries in a Python process. test_directml.py HARNESS_FOLDER built|none. Prints TAP.

A client calls the binary interface as torch_directml does, without PyTorch.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap
import vkdml.directml

HARNESS, BUILT = os.path.abspath(sys.argv[1]), sys.argv[2] == "built"
CLIENT = os.path.join(HARNESS, "directml_adapters.py")
HIDDEN = ("VKDML_DIRECTML", "VKDML_DEVICE", "VKDML_SOFTWARE", "VKDML_VALIDATION", "LD_PRELOAD", "LD_LIBRARY_PATH")
needs_libraries = unittest.skipUnless(BUILT, "DirectML's libraries were not built (-Ddirectml_abi)")


def python(*arguments, **environment):
    """Another interpreter, where the variables of HIDDEN are those given only."""
    env = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**env, **environment})


class Enabling(unittest.TestCase):
    label = "enable()"

    def result_of(self, code, **environment):
        return python("-c", f"import os, sys; sys.path.append({HARNESS!r})\nimport vkdml.directml\n{code}", **environment)

    @needs_libraries
    def test_enable(self):
        """a client finds the libraries by their names and is offered devices; once more is no error"""
        result = self.result_of("vkdml.directml.enable(software=True)\nvkdml.directml.enable(debug=False)\n"
                                "import ctypes, directml_adapters\nprint(directml_adapters.adapter_count() > 0)\n"
                                "for name in vkdml.directml.LIBRARIES: ctypes.CDLL(name)\n"
                                "print(os.environ['TF_DIRECTML_PATH'] == vkdml.directml.libraries(), os.environ['VKDML_VALIDATION'])")
        self.assertEqual(result.stdout, "True\nTrue 0\n", result.stderr)

    @needs_libraries
    def test_device(self):
        """device selects what a client is offered"""
        result = self.result_of("vkdml.directml.enable(device='no such device')\nimport directml_adapters\n"
                                "print(directml_adapters.adapter_count())\nvkdml.directml.enable(device=0)\n"
                                "print(directml_adapters.adapter_count())")
        self.assertEqual(result.stdout, "0\n1\n", result.stderr)

    def test_late(self):
        """refused once torch_directml is imported"""
        result = self.result_of("sys.modules['torch_directml'] = os\nvkdml.directml.enable()")
        self.assertIn("RuntimeError: torch_directml is imported already: call vkdml.directml.enable() before", result.stderr)

    def test_none(self):
        """without libraries it reports where it looked, and what to do"""
        result = self.result_of("vkdml.directml.enable()", VKDML_DIRECTML="/nowhere")
        self.assertIn("OSError: VKDML_DIRECTML is /nowhere, must be a folder with libdxcore.so, ", result.stderr)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.dirname(vkdml.__file__), os.path.join(folder, "vkdml"))
            os.symlink(vkdml._library.library().path, os.path.join(folder, "vkdml", "libvkdml.so"))
            environment = {"PYTHONPATH": folder, "VKDML_LIBRARY": ""}
            result = self.result_of("vkdml.directml.enable()", **environment)
            self.assertRegex(result.stderr, r"(?s)OSError: DirectML's libraries were not found. Tried:\n  .*/vkdml/_directml\n.*"
                             "Build vkdml with -Ddirectml_abi=true .*, or set VKDML_DIRECTML to their folder")
            result = python("-m", "vkdml.directml", "x.py", **environment)
            self.assertRegex(result.stderr, r"^vkdml.directml: DirectML's libraries were not found. Tried:\n")
            self.assertEqual(result.returncode, 1)


class Running(unittest.TestCase):
    label = "python -m vkdml.directml"

    @needs_libraries
    def test_program(self):
        """a program and its children get the libraries, arguments, and options; the exit status is the program's"""
        result = python("-m", "vkdml.directml", "--software", CLIENT)
        self.assertRegex(result.stdout, "^[1-9][0-9]* adapters\n$", result.stderr)
        child = f"import os, subprocess, sys; subprocess.run([sys.executable, {CLIENT!r}]); sys.exit(len(sys.argv))"
        result = python("-m", "vkdml.directml", "--device", "no such device", "--", "-c", child, "-x", "y")
        self.assertEqual((result.stdout, result.returncode), ("0 adapters\n", 3), result.stderr)

    @needs_libraries
    def test_folders(self):
        """a folder with a space works, one with a colon is refused, and no program is wrong usage"""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("with space", "with:colon"):
                os.symlink(vkdml.directml.libraries(), os.path.join(folder, name))
            result = python("-m", "vkdml.directml", "--software", CLIENT, VKDML_DIRECTML=os.path.join(folder, "with space"))
            self.assertRegex(result.stdout, "^[1-9][0-9]* adapters\n$", result.stderr)
            result = python("-m", "vkdml.directml", "--software", CLIENT, VKDML_DIRECTML=os.path.join(folder, "with:colon"))
            self.assertRegex(result.stderr, "^vkdml.directml: .* has a ':' in its path, which the dynamic linker cannot take\n$")
        self.assertEqual(python("-m", "vkdml.directml").returncode, 2)


if __name__ == "__main__":
    tap.main()
