"""The wheels of tools/build/wheel.sh: what is in them, and that they work once they are installed. Prints TAP.

test_wheel.py SOURCES PYTHON [PACKAGES COMMAND..]

SOURCES has build-wheel/; PYTHON has ONNX Runtime and pip. The Python that runs this has NumPy. Of a cross build COMMAND runs
a Python of the other machine, and in the folder PACKAGES, numpy/ and onnxruntime/ have the packages of these names for it.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import tap

SOURCES, ONNX_PYTHON = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PACKAGES, EMULATED = "".join(sys.argv[3:4]), sys.argv[4:]
WHEELS = sorted(glob.glob(os.path.join(SOURCES, "build-wheel", "wheel", "*.whl")))
HARNESS = os.path.join(SOURCES, "tests", "harness")
EP = "VkdmlExecutionProvider"
LIBRARIES = ("libonnxruntime_ep_vkdml.so", "libvkdml.so", "libvkdml_onnx.so")
# Cross builds lack the headers for these. Each with its functions.
DIRECTML = {} if EMULATED else {
    "libdxcore.so": ["DXCoreCreateAdapterFactory"], "libdirectml.so": ["DMLCreateDevice", "DMLCreateDevice1"],
    "libd3d12.so": ["D3D12CreateDevice", "D3D12CreateRootSignatureDeserializer",
                    "D3D12CreateVersionedRootSignatureDeserializer", "D3D12EnableExperimentalFeatures", "D3D12GetDebugInterface",
                    "D3D12GetInterface", "D3D12SerializeRootSignature", "D3D12SerializeVersionedRootSignature", "VER_1"]}

ALONE = """
import os, numpy, vkdml, onnxruntime_ep_vkdml as ep, vkdml.onnxruntime
print(vkdml.run("ELEMENT_WISE_ADD", device="reference", ATensor=numpy.arange(3), BTensor=numpy.ones(3, int)))
picture = numpy.ones((1, 1, 8, 8), numpy.float32)
print(vkdml.Model(os.environ["MODEL"], device="reference").run({"picture": picture})["classes"].shape)
print(ep.get_ep_name(), ep.get_ep_names(), ep.__version__ == vkdml.__version__)
for path in (vkdml._library.library().path, vkdml._onnx.library().path, ep.get_library_path()):
    print(os.path.relpath(path, os.path.dirname(vkdml.__file__)))
try:
    vkdml.onnxruntime.session_options()
except ImportError as error:
    print(error)
"""

WITH_ONNX_RUNTIME = """
import os, numpy, onnxruntime, onnxruntime_ep_vkdml as ep
onnxruntime.register_execution_provider_library("some name", ep.get_library_path())
devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == ep.get_ep_name()]
options = onnxruntime.SessionOptions()
options.add_provider_for_devices(devices[:1], {})
session = onnxruntime.InferenceSession(os.environ["MODEL"], options, disable_fallback=True)
session.disable_fallback()
feeds = {"picture": numpy.random.default_rng(3).standard_normal((1, 1, 8, 8), numpy.float32)}
results = [session.run(None, feeds)[0]]
print(session.get_providers()[0])
del session
onnxruntime.unregister_execution_provider_library("some name")
import vkdml.onnxruntime
session = onnxruntime.InferenceSession(os.environ["MODEL"], vkdml.onnxruntime.session_options())
results += [session.run(None, feeds)[0], vkdml.Model(os.environ["MODEL"], device="reference").run(feeds)["classes"]]
print(session.get_providers()[0])
print([numpy.allclose(result, results[2], 1e-5, 1e-6) for result in results])
"""


WITH_DIRECTML = """
import sys, vkdml.directml
vkdml.directml.enable(software=True)
sys.path.append(sys.argv[1])
import directml_adapters, subprocess
print(directml_adapters.adapter_count() > 0, flush=True)
subprocess.run([sys.executable, "-m", "vkdml.directml", "--device", "no such device", directml_adapters.__file__])
"""


def command(*arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{arguments[:4]} failed: {done.stderr}"
    return done.stdout


class Wheels(unittest.TestCase):
    label = "wheels"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.read = {}
        for path in WHEELS:
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(cls.folder)
                cls.read.update({name: wheel.read(name).decode(errors="replace") for name in wheel.namelist()})

    def of_file(self, name):
        """The text of the one file whose path ends so."""
        found = [text for path, text in self.read.items() if path.endswith(name)]
        self.assertEqual(len(found), 1, name)
        return found[0]

    def environment(self, **others):
        hidden = ("VKDML_LIBRARY", "VKDML_ONNX_LIBRARY", "VKDML_ONNXRUNTIME_PLUGIN", "PYTHONPATH", "LD_LIBRARY_PATH")
        return {**{name: value for name, value in os.environ.items() if name not in hidden}, **others,
                "MODEL": os.path.join(SOURCES, "examples", "models", "classify.onnx"), "VKDML_ONNXRUNTIME_SOFTWARE": "1"}

    def installed_for(self, package):
        """As installed(), of a cross build: pip finds that the wheels are for the machine, and installs them in a folder."""
        folder = tempfile.mkdtemp(dir=self.folder)
        command(ONNX_PYTHON, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
                "--only-binary=:all:", "--platform", "manylinux_2_28_aarch64", "--target", folder, *WHEELS)
        env = self.environment(PYTHONPATH=os.pathsep.join([folder, os.path.join(PACKAGES, package)]))
        return lambda program: command(*EMULATED, "-W", "ignore", "-c", program, cwd=folder, env=env).splitlines()

    def installed(self, python, *options):
        """A function that runs a program in a fresh environment, which has the wheels and no other of vkdml's files."""
        if EMULATED:
            return self.installed_for("onnxruntime" if python == ONNX_PYTHON else "numpy")
        folder = tempfile.mkdtemp(dir=self.folder)
        command(python, "-m", "venv", "--without-pip", *options, folder)
        own = os.path.join(folder, "bin", "python")
        if python == ONNX_PYTHON:
            packages = command(python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])")
            there = command(own, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip()
            with open(os.path.join(there, "onnxruntime.pth"), "w") as file:
                file.write(packages)
        command(ONNX_PYTHON, "-m", "pip", "--python", own, "install", "--quiet", "--no-index", "--disable-pip-version-check", *WHEELS)
        return lambda program: command(own, "-W", "ignore", "-c", program, HARNESS, cwd=folder, env=self.environment()).splitlines()

    def test_names(self):
        """there are two, for any Python 3, and the one with libraries is for glibc 2.28"""
        names = [os.path.basename(path) for path in WHEELS]
        self.assertEqual(len(names), 2, names)
        self.assertRegex(names[0], r"^onnxruntime_ep_vkdml-[\d.]+-py3-none-any\.whl$")
        self.assertRegex(names[1], r"^vkdml-[\d.]+-py3-none-manylinux_2_28_(x86_64|aarch64)\.whl$")

    def test_metadata(self):
        """they name their licence, have its text, and do not require ONNX Runtime"""
        with open(os.path.join(SOURCES, "LICENSE")) as file:
            licence = file.read()
        for name in ("onnxruntime_ep_vkdml", "vkdml"):
            version = self.of_file("vkdml/_library.py").split('VERSION = "')[1].split('"')[0]
            folder = f"{name}-{version}.dist-info"
            lines = self.read[f"{folder}/METADATA"].split("\n\n")[0].splitlines()
            self.assertIn("License: MIT", lines)
            self.assertIn("Classifier: License :: OSI Approved :: MIT License", lines)
            self.assertEqual(self.read[f"{folder}/LICENSE"], licence)
            required = [re.split(r"[ (>=]", line)[1] for line in lines if line.startswith("Requires-Dist")]
            self.assertEqual(required, ["numpy"] if name == "vkdml" else ["vkdml"])

    def test_libraries(self):
        """libraries need glibc 2.28 or older and each other, and export their functions only"""
        for name in (*LIBRARIES, *DIRECTML):
            path = os.path.join(self.folder, "vkdml", "_directml" if name in DIRECTML else "", name)
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", command("readelf", "-d", path))
            glibc = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"}
            others = [one for one in needed if one not in glibc and not one.startswith("ld-linux")]
            self.assertEqual(sorted(others), ["libgcc_s.so.1", "libvkdml.so"] if name in DIRECTML else
                             ["libvkdml.so"] if name == "libvkdml_onnx.so" else [], name)
            versions = re.findall(r"GLIBC_2\.(\d+)", command("readelf", "-V", path))
            self.assertLessEqual(max(map(int, versions)), 28, name)
            self.assertNotIn(SOURCES, command("readelf", "-d", path))
        self.assertEqual(self.exported(LIBRARIES[0]), ["CreateEpFactories", "ReleaseEpFactory", "VkdmlOnnxRuntimeCountUses"])
        for name, functions in DIRECTML.items():
            self.assertEqual(self.exported(os.path.join("_directml", name)), functions)

    def exported(self, name):
        symbols = command("readelf", "-W", "--dyn-syms", os.path.join(self.folder, "vkdml", name)).splitlines()
        return sorted(line.split()[-1].split("@")[0] for line in symbols if re.search(" (GLOBAL|WEAK|UNIQUE) ", line) and " UND " not in line)

    def test_without_onnx_runtime(self):
        """in a fresh environment operators, models and the functions for ONNX Runtime's plugins work without ONNX Runtime"""
        run = self.installed(sys.executable, "--system-site-packages")
        self.assertEqual(run("import importlib.util; print(importlib.util.find_spec('onnxruntime'))"), ["None"])
        *lines, error = run(ALONE)
        self.assertEqual(lines, ["[1 2 3]", "(1, 5)", f"{EP} ['{EP}'] True", "libvkdml.so", "libvkdml_onnx.so",
                                 "libonnxruntime_ep_vkdml.so"])
        self.assertRegex(error, "needs ONNX Runtime, 1.23 or newer: pip install onnxruntime")

    @unittest.skipUnless(DIRECTML, "a cross build has no DirectML's libraries")
    def test_directml(self):
        """in a fresh environment a client of DirectML finds the libraries, and so does a child by python -m vkdml.directml"""
        self.assertEqual(self.installed(sys.executable, "--system-site-packages")(WITH_DIRECTML), ["True", "0 adapters"])

    def test_with_onnx_runtime(self):
        """in a fresh environment with ONNX Runtime a session runs, by the functions of plugins and by vkdml.onnxruntime"""
        self.assertEqual(self.installed(ONNX_PYTHON)(WITH_ONNX_RUNTIME), [EP, EP, "[True, True, True]"])


if __name__ == "__main__":
    tap.main()
