#!/usr/bin/env python3
"""Compiles glsl/*/*.comp to spirv/*.spv and keeps spirv/manifest.json; or checks that they agree.

    tools/build/shaders.py build   compile every kernel and rewrite the manifest (needs glslangValidator)
    tools/build/shaders.py check   verify that every module has a source, that no source has changed since it was compiled, and,
                             where glslangValidator has the manifest's version, that compiling again gives the same
                             bytes. Exit code 77: all verified but the last, which this machine cannot.

Kernels for matrix cores need a newer compiler than Debian's: they are compiled by build-glslang/glslangValidator and
held to build-glslang/spirv-val, which sh tools/build/newer_glslang.sh puts there; without them their modules stay as they are,
as long as their sources do.

Of what a module calls things the names are kept that C shares with it (glsl/README.md).

The manifest holds the compilers' versions, their flags, and per kernel the SHA-256 of the source and of every file it
includes, and of the module; and whether the newer compiler made it.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import reflection

ROOT = pathlib.Path(__file__).resolve().parents[2]
GLSL = ROOT / "glsl"
SPIRV = ROOT / "spirv"
MANIFEST = SPIRV / "manifest.json"
COMPILER = "glslangValidator"
NEWER = ROOT / "build-glslang"
NEWER_EXTENSION = "GL_KHR_cooperative_matrix"
FLAGS = ["--quiet", "--target-env", "vulkan1.2", "-Icommon"]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def compiler_version(compiler=COMPILER):
    """A compiler's version line, or None where there is no compiler."""
    try:
        output = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return output.splitlines()[0].strip()


def kernel_sources():
    """The kernels' files by their names, which no two folders share."""
    sources = sorted(GLSL.glob("*/*.comp"))
    by_name = {source.stem: source for source in sources}
    if len(by_name) != len(sources):
        sys.exit("two folders of glsl/ have a kernel of one name")
    return by_name


def included(name, includer):
    """The file that an #include means: beside the one that includes it, or in common/."""
    beside = includer.parent / name
    return beside if beside.exists() else GLSL / "common" / name


def sources_of(kernel):
    """The kernel's file and everything it includes, relative to glsl/."""
    found, pending = [], [kernel]
    while pending:
        path = pending.pop()
        if path in found:
            continue
        found.append(path)
        for name in re.findall(r'^\s*#include\s+"([^"]+)"', path.read_text(), re.MULTILINE):
            pending.append(included(name, path).resolve())
    return {str(path.relative_to(GLSL)): sha256(path) for path in sorted(found)}


def needs_newer(kernel):
    return NEWER_EXTENSION in kernel.read_text()


def compile_kernel(kernel, module):
    source = str(kernel.relative_to(GLSL))
    newer = needs_newer(kernel)
    compiler = NEWER / COMPILER if newer else COMPILER
    subprocess.run([compiler, *FLAGS, source, "-o", str(module)], cwd=GLSL, check=True)
    module.write_bytes(reflection.with_shared_names(module.read_bytes()))
    if newer:
        subprocess.run([NEWER / "spirv-val", "--target-env", "vulkan1.2", str(module)], check=True)


def build():
    version, newer_version = compiler_version(), compiler_version(NEWER / COMPILER)
    before = json.loads(MANIFEST.read_text())
    if version is None:
        sys.exit(f"{COMPILER} is needed to compile the kernels (Debian: glslang-tools)")
    modules = {}
    for name, kernel in sorted(kernel_sources().items()):
        module = SPIRV / (name + ".spv")
        newer = needs_newer(kernel)
        entry = {"sources": sources_of(kernel)}
        if newer and newer_version is None:
            if before["modules"].get(name, {}).get("sources") != entry["sources"]:
                sys.exit(f"{name}.comp or a file it includes changed: sh tools/build/newer_glslang.sh gets its compiler")
        else:
            compile_kernel(kernel, module)
        modules[name] = {**entry, "module": sha256(module), **({"newer": True} if newer else {})}
    for module in SPIRV.glob("*.spv"):
        if module.stem not in modules:
            module.unlink()
    newer_version = newer_version or before["newer compiler"]
    manifest = {"compiler": version, "newer compiler": newer_version, "flags": FLAGS, "modules": modules}
    MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n")
    return 0


def check():
    manifest = json.loads(MANIFEST.read_text())
    modules = manifest["modules"]
    problems = []
    kernels = kernel_sources()
    stored = {module.stem for module in SPIRV.glob("*.spv")}
    problems += [f"spirv/{name}.spv has no source {name}.comp in glsl/" for name in sorted(stored - set(kernels))]
    problems += [f"{name}.comp in glsl/ has no module spirv/{name}.spv" for name in sorted(set(kernels) - stored)]
    if set(modules) != set(kernels):
        problems.append("spirv/manifest.json lists other kernels than glsl/ holds")
    comparable = compiler_version() == manifest["compiler"] and manifest["flags"] == FLAGS
    comparable_newer = compiler_version(NEWER / COMPILER) == manifest["newer compiler"] and manifest["flags"] == FLAGS
    for name in sorted(set(kernels) & stored & set(modules)):
        kernel, module = kernels[name], SPIRV / (name + ".spv")
        if sources_of(kernel) != modules[name]["sources"]:
            problems.append(f"{name}.comp, or a file it includes, changed since spirv/{name}.spv was compiled")
        if sha256(module) != modules[name]["module"]:
            problems.append(f"spirv/{name}.spv is not the module that the manifest describes")
        if comparable_newer if needs_newer(kernel) else comparable:
            with tempfile.TemporaryDirectory() as folder:
                fresh = pathlib.Path(folder) / module.name
                compile_kernel(kernel, fresh)
                if fresh.read_bytes() != module.read_bytes():
                    problems.append(f"compiling {name}.comp again gives other bytes than spirv/{name}.spv")
    for problem in problems:
        print(problem)
    if problems:
        print("run tools/build/shaders.py build")
        return 1
    if not comparable_newer:
        newer = ", ".join(name for name in sorted(kernels) if needs_newer(kernels[name]))
        print(f"not compiled again, without {manifest['newer compiler']} from tools/build/newer_glslang.sh: {newer}")
    if not comparable:
        print(f"not compiled again: this machine has {compiler_version()}, the manifest {manifest['compiler']}")
        return 77
    return 0


if __name__ == "__main__":
    actions = {"build": build, "check": check}
    if len(sys.argv) != 2 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    sys.exit(actions[sys.argv[1]]())
