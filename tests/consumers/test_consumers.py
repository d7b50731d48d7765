"""Builds programs that use vkdml from other builds, against an installed copy and as a subproject, and runs them. Prints TAP.

test_consumers.py --root SOURCES --build FOLDER --meson COMMAND --cc COMMAND --cxx COMMAND [--as-part]
  --as-part   vkdml is part of their builds, where else it is installed

The build in FOLDER is installed into a temporary folder; nothing outside it is written.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

import installing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "headers"))
import compiling  # noqa: E402 the tests' TAP lines

SUM = "11 22 33 44"
IDENTITY = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
# What each build of a consumer's makes, and what that prints.
PRINTED = {"reference": SUM, "gpu": SUM, "prototypes": SUM, "hello": IDENTITY, "session": f"{SUM} 89 55"}


def needed(program):
    """The shared libraries that a program names."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", installing.run(["readelf", "-d", program]))


class Consumers:
    """A copy of the consumers' projects, and what builds them."""

    def __init__(self, tap, options, installed, folder):
        self.tap = tap
        self.options = options
        self.installed = installed
        self.folder = folder / "consumers"
        shutil.copytree(options.root / "tests" / "consumers", self.folder)
        for name in ("hello.cpp", "session.cpp"):
            shutil.copy(options.root / "examples" / name, self.folder / "programs")
        self.env = installed.environment()
        self.env["CC"] = shlex.join(options.cc)
        self.env["CXX"] = shlex.join(options.cxx)

    def attempt(self, name, function, *arguments):
        """One test: it passes unless the function raises."""
        try:
            function(*arguments)
            self.tap.tell(True, name)
        except (AssertionError, OSError, installing.CommandFailed) as error:
            self.tap.tell(False, name, f"{type(error).__name__}: {error}")

    def check_program(self, program, shared, env=None):
        """That it prints what it should, and names the libraries it should."""
        printed = " ".join(installing.run([program], env=env or self.env).split())
        expected = PRINTED[program.name.split("-")[0]]
        assert printed == expected, f"{program.name} prints {printed}, not {expected}"
        libraries = needed(program)
        own = [library for library in libraries if library.startswith("libvkdml.so.")]
        assert len(own) == int(shared), f"{program.name} needs {libraries}"
        loader = any(library.startswith("libvulkan") for library in libraries)
        assert loader == (program.name == "prototypes"), f"{program.name} needs {libraries}"

    def check_programs(self, how, folder, names, shared):
        """A test for each of the programs that a build has made; shared: those not called static."""
        for name in names:
            is_static = name.endswith("-static")
            self.attempt(f"{how}: {name} runs", self.check_program, folder / name, shared and not is_static)

    def check_prefix(self, folder):
        """A program that was linked with an rpath finds the library in a prefix that no loader knows; else it does not."""
        alone = {name: value for name, value in self.env.items() if name != "LD_LIBRARY_PATH"}
        self.check_program(folder / "reference-rpath", True, alone)
        try:
            installing.run([folder / "reference"], env=alone)
        except installing.CommandFailed as error:
            assert "libvkdml.so" in str(error), error
        else:
            raise AssertionError("the library is found without its prefix: is one installed?")

    def make(self):
        folder = self.folder / "makefile"
        self.attempt("make with pkg-config builds", installing.run, ["make", "-C", folder], None, self.env)
        self.check_programs("make with pkg-config", folder,
                            ["reference", "gpu", "prototypes", "hello", "reference-static", "gpu-static"], True)
        self.attempt("a private prefix is found by an rpath", self.check_prefix, folder)

    def cmake(self):
        folder = self.folder / "build-cmake"
        self.attempt("CMake configures", installing.run, ["cmake", "-S", self.folder / "cmake", "-B", folder], None, self.env)
        self.attempt("CMake builds", installing.run, ["cmake", "--build", folder], None, self.env)
        self.check_programs("CMake", folder,
                            ["reference", "gpu", "prototypes", "reference-static", "gpu-static", "hello-static"], True)

    def cmake_subproject(self):
        """vkdml as part of a CMake project: by its folder, shared, and by FetchContent, static."""
        env = {name: value for name, value in self.env.items()
               if name not in ("CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
        env["PATH"] = os.pathsep.join([str(pathlib.Path(self.options.meson[-1]).parent), env["PATH"]])
        root = self.options.root
        for how, shared, arguments in (("add_subdirectory()", True, [f"-DVKDML_FOLDER={root}", "-DBUILD_SHARED_LIBS=ON"]),
                                       ("FetchContent", False, [f"-DFETCHCONTENT_SOURCE_DIR_VKDML={root}"])):
            folder = self.folder / f"build-cmake-{'shared' if shared else 'static'}"
            # What is measured elsewhere need not be optimized here.
            self.attempt(f"CMake's {how} configures", installing.run,
                         ["cmake", "-S", self.folder / "cmake-subproject", "-B", folder, "-DCMAKE_C_FLAGS=-O0", *arguments], None, env)
            self.attempt(f"CMake's {how} builds", installing.run, ["cmake", "--build", folder], None, env)
            for name in ("reference", "gpu", "session"):
                self.attempt(f"CMake's {how}: {name} runs", self.check_program, folder / name, shared, env)
            self.attempt(f"CMake's {how} builds again, and nothing is done anew", self.check_nothing_new, folder, env)
        self.attempt("CMake says that Meson is missing", self.check_refused, "vkdml is built by Meson, which was not found", env,
                     f"-DVKDML_FOLDER={root}", "-DVKDML_MESON=/nowhere/meson")
        self.attempt("CMake asks for a cross file", self.check_refused, "VKDML_MESON_ARGS to --cross-file=FILE", env,
                     f"-DVKDML_FOLDER={root}", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
                     "-DCMAKE_SYSTEM_VERSION=1")

    def check_nothing_new(self, folder, env):
        library = next(folder.rglob("installed/lib/libvkdml.*"), None)
        assert library, f"no library in {folder}"
        before = library.stat().st_mtime_ns
        installing.run(["cmake", "-S", self.folder / "cmake-subproject", "-B", folder], None, env)
        installing.run(["cmake", "--build", folder], None, env)
        assert library.stat().st_mtime_ns == before, f"{library} is another file"

    def check_refused(self, reason, env, *arguments):
        folder = self.folder / "build-cmake-refused"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            installing.run(["cmake", "-S", self.folder / "cmake-subproject", "-B", folder, *arguments], None, env)
        except installing.CommandFailed as error:
            text = " ".join(str(error).split())
            assert reason in text, text
        else:
            raise AssertionError("CMake configures")

    def cmake_refusals(self):
        """What find_package() must not accept."""
        script = self.folder / "find"
        script.mkdir()
        for what, arguments, found in (("this version", "0.1", True), ("this minor version", "0.1.0", True),
                                       ("a later patch", "0.1.9", False), ("a later minor version", "0.2", False),
                                       ("an earlier minor version", "0.0.9", False), ("static", "COMPONENTS static", True),
                                       ("a component that is none", "COMPONENTS framework", False)):
            (script / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.13)\nproject(find LANGUAGES C)\n"
                f"find_package(vkdml {arguments})\nif(NOT \"${{vkdml_FOUND}}\" STREQUAL \"{1 if found else 0}\")\n"
                "message(FATAL_ERROR \"vkdml_FOUND is ${vkdml_FOUND}\")\nendif()\n")
            shutil.rmtree(script / "build", ignore_errors=True)
            self.attempt(f"CMake {'finds' if found else 'refuses'} {what}", installing.run,
                         ["cmake", "-S", script, "-B", script / "build"], None, self.env)

    def meson(self, how, project, env, *options):
        folder = self.folder / f"build-{project}"
        self.attempt(f"{how} configures", installing.run,
                     [*self.options.meson, "setup", *options, folder, self.folder / project], None, env)
        self.attempt(f"{how} builds", installing.run, [*self.options.meson, "compile", "-C", folder], None, env)
        return folder

    def meson_installed(self):
        folder = self.meson("Meson's dependency()", "meson", self.env)
        self.check_programs("Meson's dependency()", folder,
                            ["reference", "gpu", "prototypes", "hello", "reference-static", "gpu-static"], True)

    def meson_subproject(self):
        """The same project, where nothing is installed but there is a wrap."""
        project = self.folder / "meson-subproject"
        shutil.copytree(self.folder / "meson", project)
        (project / "subprojects").mkdir()
        shutil.copy(self.options.root / "packaging" / "vkdml.wrap", project / "subprojects")
        (project / "subprojects" / "vkdml").symlink_to(self.options.root, target_is_directory=True)
        # Even where the machine has a vkdml installed.
        folder = self.meson("a Meson subproject", "meson-subproject", self.env, "--force-fallback-for=vkdml")
        self.check_programs("a Meson subproject", folder,
                            ["reference", "gpu", "prototypes", "hello", "reference-static", "gpu-static"], False)
        self.attempt("a Meson subproject is the library alone", self.check_library_alone, folder)

    def check_library_alone(self, folder):
        made = [path.name for path in (folder / "subprojects" / "vkdml").rglob("*") if path.is_dir()]
        assert "src" in made and not {"tests", "tools", "examples"} & set(made), f"the subproject has {made}"

    def pkg_config(self):
        """Flags that who links vkdml gets, however it is linked."""
        for option in ("--libs", "--static --libs", "--cflags"):
            command = [*self.env["PKG_CONFIG"].split(), *option.split(), "vkdml"]
            self.attempt(f"pkg-config {option} says nothing of Vulkan's loader", self.check_flags, command)

    def check_flags(self, command):
        flags = installing.run(command, env=self.env)
        assert "vulkan" not in flags.replace(str(self.folder), ""), flags


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    for name in ("--meson", "--cc", "--cxx"):
        parser.add_argument(name, type=shlex.split, required=True)
    parser.add_argument("--as-part", action="store_true")
    options = parser.parse_args()
    tap = compiling.Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        installed = installing.Installed(options.meson, options.build, folder / "installed")
        consumers = Consumers(tap, options, installed, folder)
        if options.as_part:
            consumers.meson_subproject()
        else:
            consumers.pkg_config()
            consumers.make()
            consumers.meson_installed()
        if not shutil.which("cmake"):
            tap.skip("CMake", "no cmake")
        elif options.as_part:
            consumers.cmake_subproject()
        else:
            consumers.cmake()
            consumers.cmake_refusals()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
