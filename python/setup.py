"""Packs the vkdml library into the module, so that `pip install ./python` needs nothing else. What pyproject.toml cannot say.

The library comes from the first of these that there is:

1. VKDML_LIBRARY names it.
2. vkdml's source tree round this folder: Meson builds it into build/library here. It needs Meson, ninja, a C compiler and
   the Vulkan headers.
3. One is installed where the system's loader finds it. It is not packed: the module loads it from there.

libvkdml_onnx.so, which runs ONNX models, is packed with it: of a build it is that build's, and else the one that
VKDML_ONNX_LIBRARY names, or that lies beside the library that is named. Without one, the module has no models.

DirectML's libraries, which vkdml.directml loads, are packed where VKDML_PACKED_DIRECTML names their folder: those of
tools/build/wheel.sh. Others would not find the packed library.
"""
import ctypes
import os
import shlex
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
HAS_TREE = os.path.exists(os.path.join(TREE, "include", "vkdml", "version.h"))
INSTALLED = "libvkdml.so.0.1"  # the SONAME, by which the loader knows it; tests/python holds it to the library's
NAMED = os.environ.get("VKDML_LIBRARY")
PACKAGES = "meson ninja-build gcc libvulkan-dev"  # Debian's names of what a build takes

OPTIONS = ["--buildtype=release", "-Doptimization=2", "-Ddefault_library=shared", "-Dtests=false", "-Dtools=false",
           "-Dexamples=false", "-Dpython=false", "-Ddirectml_abi=false", "-Dc_link_args=-s"]


def is_installed() -> bool:
    try:
        ctypes.CDLL(INSTALLED)
    except OSError:
        return False
    return True


def meson(*arguments: str) -> None:
    command = [shutil.which("meson") or "meson", *arguments]
    print("+", shlex.join(command), flush=True)
    subprocess.run(command, check=True)


def build() -> str:
    """The path of the library, built from the tree."""
    folder = os.path.join(HERE, "build", "library")
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        meson("setup", *OPTIONS, folder, TREE)
    meson("compile", "-C", folder)
    return os.path.join(folder, "src", "libvkdml.so")


def library() -> str:
    """The path of the library to pack; empty: an installed one is used. Ends the build where there is none."""
    if NAMED:
        if not os.path.exists(NAMED):
            sys.exit(f"vkdml: VKDML_LIBRARY is {NAMED}, which is no file. Name a libvkdml.so, or unset it to have the "
                     "library built.")
        return NAMED
    if not HAS_TREE:
        if is_installed():
            return ""
        sys.exit("vkdml: there is no library to go with the Python module. Tried:\n"
                 "  VKDML_LIBRARY, which is not set\n"
                 f"  {TREE}, which is not vkdml's source tree\n"
                 f"  {INSTALLED}, which the system's loader does not find\n"
                 "Do one of these:\n"
                 "  install from vkdml's source tree, where the library is built: pip install ./python\n"
                 "  name the library, and it is packed: VKDML_LIBRARY=/path/of/libvkdml.so pip install ..\n"
                 "  install the library first: meson install, or the Debian packages")
    try:
        return build()
    except (OSError, subprocess.CalledProcessError) as error:
        if is_installed():
            print(f"vkdml: the library was not built ({error}); the module will use the installed {INSTALLED}", flush=True)
            return ""
        sys.exit(f"vkdml: the library was not built: {error}\n"
                 "What failed stands above. Do one of these:\n"
                 f"  install what the build takes (Debian: apt-get install {PACKAGES}), and try again\n"
                 "  name a library that is built, and it is packed: VKDML_LIBRARY=/path/of/libvkdml.so pip install ./python")


def beside(path: str, variable: str, integration: str, name: str) -> str:
    """What goes with a library, and an environment variable may name; empty: there is none."""
    named = os.environ.get(variable)
    if named and not os.path.exists(named):
        sys.exit(f"vkdml: {variable} is {named}, which is no file")
    folder = os.path.dirname(os.path.abspath(path))
    found = [named, os.path.join(folder, name), os.path.join(os.path.dirname(folder), "integrations", integration, name)]
    return next((place for place in found if place and os.path.exists(place)), "")


# What is packed with the library where a build has it: the variable that names it, and its folder of integrations/.
BESIDE = {"libvkdml_onnx.so": ("VKDML_ONNX_LIBRARY", "onnx"),
          "libonnxruntime_ep_vkdml.so": ("VKDML_ONNXRUNTIME_PLUGIN", "onnxruntime")}
PACKED = ("libvkdml.so", *BESIDE)
DIRECTML = os.environ.get("VKDML_PACKED_DIRECTML")
DIRECTML_PACKED = [os.path.join("_directml", name) for name in ("libdxcore.so", "libd3d12.so", "libdirectml.so")] if DIRECTML else []


class BuildWithLibrary(build_py):
    """The module, and the library beside it. Of an editable install the module finds the tree's build folders itself."""

    def run(self) -> None:
        super().run()
        if not getattr(self, "editable_mode", False):
            path = library()
            if path:
                self.copy_file(os.path.realpath(path), self.packed(PACKED[0]), preserve_mode=False)
            for name, (variable, integration) in BESIDE.items():
                source = beside(path, variable, integration, name) if path else ""
                if source:
                    self.copy_file(os.path.realpath(source), self.packed(name), preserve_mode=False)
            for name in DIRECTML_PACKED:
                self.mkpath(self.packed("_directml"))
                self.copy_file(os.path.join(DIRECTML, os.path.basename(name)), self.packed(name), preserve_mode=False)

    def packed(self, name: str) -> str:
        return os.path.join(self.build_lib, "vkdml", name)

    def get_outputs(self, include_bytecode: int = 1) -> list:
        packed = [self.packed(name) for name in [*PACKED, *DIRECTML_PACKED]]
        return super().get_outputs(include_bytecode) + [path for path in packed if os.path.exists(path)]


class DistributionWithLibrary(Distribution):
    def has_ext_modules(self) -> bool:
        """Whether it is for one platform."""
        return bool(NAMED or HAS_TREE)


class WheelOfAnyPython(bdist_wheel):
    """The library is a platform's, and no Python's: ctypes loads it."""

    def get_tag(self) -> tuple:
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfAnyPython}, distclass=DistributionWithLibrary)
