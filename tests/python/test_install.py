"""Installs the module with pip, offline, into a fresh virtual environment, and uses it from another folder. Prints TAP.

test_install.py SOURCES CC..

The source tree is copied first: pip builds beside the sources. NumPy, setuptools and Meson are the system's.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv

import tap

SOURCES, CC = os.path.abspath(sys.argv[1]), sys.argv[2:]
LIBRARY = os.path.abspath(os.environ["VKDML_LIBRARY"])
USE = ("import vkdml, numpy\nprint(vkdml.__file__)\nprint(vkdml.version(), vkdml._library.library().path)\n"
       "print(vkdml.run('ELEMENT_WISE_ADD', device='reference', ATensor=numpy.arange(3), BTensor=[1, 1, 1]))")
OFFLINE = ("--quiet", "--no-index", "--no-build-isolation", "--disable-pip-version-check")


class Installing(unittest.TestCase):
    label = "installing"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.tree = os.path.join(cls.folder, "tree")
        shutil.copytree(SOURCES, cls.tree, ignore=shutil.ignore_patterns("build", "build-*", ".*", "__pycache__", "*.egg-info", "tests"))
        # build and tests are folders of tools/ and options here too.
        shutil.copytree(os.path.join(SOURCES, "tools", "build"), os.path.join(cls.tree, "tools", "build"))
        cls.alone = os.path.join(cls.folder, "alone", "python")
        shutil.copytree(os.path.join(cls.tree, "python"), cls.alone)
        cls.venv = os.path.join(cls.folder, "venv")
        venv.create(cls.venv, system_site_packages=True, with_pip=True)

    def tearDown(self):
        self.pip("uninstall", "--quiet", "--yes", "vkdml")

    def run_python(self, *arguments, **environment):
        """The environment's, which sees nothing of the source tree, and of no library but what **environment says."""
        env = {**os.environ, "VKDML_LIBRARY": None, "VKDML_ONNX_LIBRARY": None, "PYTHONPATH": None, "LD_LIBRARY_PATH": None, "CC": shlex.join(CC),
               "CFLAGS": "-O0",  # of what is built here; nothing of it is measured
               **environment}
        return subprocess.run([os.path.join(self.venv, "bin", "python"), *arguments], capture_output=True, text=True,
                              cwd=self.folder, env={name: value for name, value in env.items() if value is not None})

    def pip(self, *arguments, **environment):
        return self.run_python("-m", "pip", *arguments, **environment)

    def assert_works(self, library, **environment):
        """That the installed module runs, with a library that lies in a folder."""
        result = self.run_python("-c", USE, **environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        path, loaded, values = result.stdout.splitlines()
        self.assertTrue(path.startswith(self.venv), path)
        version, _, loaded = loaded.partition(" ")
        self.assertTrue(loaded.startswith(library), loaded)
        self.assertEqual(values, "[1 2 3]")
        listed = self.pip("show", "--files", "vkdml").stdout
        self.assertIn("vkdml/py.typed", listed)
        self.assertIn("Version: " + version, listed)

    def test_tree(self):
        """pip install from the tree builds the library and packs it; uninstalling leaves nothing"""
        result = self.pip("install", *OFFLINE, os.path.join(self.tree, "python"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assert_works(self.venv)
        listed = self.pip("show", "--files", "vkdml").stdout
        self.assertIn("vkdml/libvkdml.so", listed)
        self.assertIn("vkdml/libvkdml_onnx.so", listed)
        result = self.run_python("-c", "import vkdml; print(vkdml._onnx.library().path)")
        self.assertTrue(result.stdout.startswith(self.venv), result.stdout + result.stderr)
        self.pip("uninstall", "--quiet", "--yes", "vkdml")
        self.assertEqual([path for path, _, _ in os.walk(self.venv) if path.endswith("vkdml")], [])

    def test_named(self):
        """VKDML_LIBRARY names the library to pack; the wheel is for one platform and any Python"""
        result = self.pip("wheel", *OFFLINE, "--no-deps", "--wheel-dir", self.folder, self.alone, VKDML_LIBRARY=LIBRARY)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        wheel = [name for name in os.listdir(self.folder) if name.endswith(".whl")]
        self.assertRegex(" ".join(wheel), r"^vkdml-[\d.]+-py3-none-linux_\w+\.whl$")
        self.pip("install", *OFFLINE, os.path.join(self.folder, wheel[0]))
        self.assert_works(self.venv)
        result = self.pip("install", *OFFLINE, self.alone, VKDML_LIBRARY="/nowhere/libvkdml.so")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("vkdml: VKDML_LIBRARY is /nowhere/libvkdml.so, which is no file", result.stdout + result.stderr)

    def test_installed(self):
        """beside no source tree an installed library is used, and where there is none pip says what was tried and what to do"""
        result = self.pip("install", *OFFLINE, self.alone)
        self.assertNotEqual(result.returncode, 0, "is there an installed libvkdml?")
        self.assertRegex(result.stdout + result.stderr, r"(?s)there is no library to go with the Python module. Tried:.*alone, which is "
                         r"not vkdml's source tree.*libvkdml.so.[\d.]+, which the system's loader does not find.*pip install ./python")
        self.assertNotIn("Traceback", result.stdout + result.stderr)
        installed = os.path.join(self.folder, "installed")
        os.mkdir(installed)
        shutil.copy(LIBRARY, os.path.join(installed, self.soname()))
        result = self.pip("install", *OFFLINE, self.alone, LD_LIBRARY_PATH=installed)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assert_works(self.soname(), LD_LIBRARY_PATH=installed)
        self.assertNotIn("libvkdml.so", self.pip("show", "--files", "vkdml").stdout)

    def test_no_meson(self):
        """in a tree without what a build takes pip says what to install"""
        result = self.pip("install", *OFFLINE, os.path.join(self.tree, "python"), PATH="/nowhere")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stdout + result.stderr, r"(?s)vkdml: the library was not built: .*meson.*apt-get install meson ninja-build")
        self.assertNotIn("Traceback", result.stdout + result.stderr)

    def test_editable(self):
        """an editable install packs nothing; where nothing is built it says what to do"""
        result = self.pip("install", *OFFLINE, "--editable", os.path.join(self.tree, "python"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.tree, "python", "vkdml", "libvkdml.so")))
        result = self.run_python("-c", "import vkdml; vkdml.version()")
        self.assertRegex(result.stderr, rf"(?s)the vkdml library was not found. Tried:\n.*Build it: cd {re.escape(self.tree)} && meson setup")

    def soname(self):
        """As the library says it, by which setup.py looks for it too."""
        printed = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
        name = re.search(r"SONAME.*\[(.*)\]", printed)[1]
        with open(os.path.join(self.alone, "setup.py")) as file:
            self.assertIn(f'INSTALLED = "{name}"', file.read())
        return name


if __name__ == "__main__":
    tap.main()
