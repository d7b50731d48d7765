"""Installs the module with pip, offline, into a fresh virtual environment, and uses it from another folder. Prints TAP.

The sources are copied first: pip builds beside them. NumPy and setuptools are the system's.
"""
import os
import shutil
import subprocess
import tempfile
import unittest
import venv

import tap

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")
LIBRARY = os.path.abspath(os.environ["VKDML_LIBRARY"])
USE = ("import vkdml, numpy\nprint(vkdml.__file__)\n"
       "print(vkdml.run('ELEMENT_WISE_ADD', device='reference', ATensor=numpy.arange(3), BTensor=[1, 1, 1]))")


class Installing(unittest.TestCase):
    label = "installing"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        shutil.copytree(SOURCES, os.path.join(cls.folder, "sources"), ignore=shutil.ignore_patterns("__pycache__"))
        venv.create(os.path.join(cls.folder, "venv"), system_site_packages=True, with_pip=True)

    def run_python(self, *arguments):
        """The environment's, which sees nothing of the source tree."""
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        result = subprocess.run([os.path.join(self.folder, "venv", "bin", "python"), *arguments], capture_output=True, text=True,
                                cwd=self.folder, env={**env, "VKDML_LIBRARY": LIBRARY})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_install(self):
        """pip install from the tree, the module in use elsewhere, and gone when it is uninstalled"""
        self.run_python("-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "./sources")
        path, values = self.run_python("-c", USE).splitlines()
        self.assertTrue(path.startswith(os.path.join(self.folder, "venv")), path)
        self.assertEqual(values, "[1 2 3]")
        listed = self.run_python("-m", "pip", "show", "--files", "vkdml")
        self.assertIn("vkdml/py.typed", listed)
        self.assertIn("Version: " + self.run_python("-c", "import vkdml; print(vkdml.version())"), listed)
        self.run_python("-m", "pip", "uninstall", "--quiet", "--yes", "vkdml")
        self.run_python("-c", "import importlib.util; assert not importlib.util.find_spec('vkdml')")


if __name__ == "__main__":
    tap.main()
