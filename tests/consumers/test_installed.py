"""Holds what `meson install` brings to a list. Prints TAP.

test_installed.py --root SOURCES --build FOLDER --meson COMMAND --version VERSION --soversion VERSION
"""
import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import installing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "headers"))
import compiling  # noqa: E402 the tests' TAP lines

ALWAYS = [
    "libdir/cmake/vkdml/vkdml-config-version.cmake",
    "libdir/cmake/vkdml/vkdml-config.cmake",
    "libdir/pkgconfig/vkdml.pc",
    "datadir/licenses/vkdml/LICENSE",
]
OF_TOOLS = [
    "bindir/vkdml",
    "datadir/bash-completion/completions/vkdml",
    "datadir/zsh/site-functions/_vkdml",
    "mandir/man1/vkdml.1",
]


def expected(options, installed):
    """Every public header, the libraries, and what stands above."""
    names = [f"includedir/vkdml/{path.name}" for path in (options.root / "include" / "vkdml").iterdir()] + ALWAYS
    if "shared" in installed.kinds:
        names += ["libdir/libvkdml.so", f"libdir/libvkdml.so.{options.soversion}", f"libdir/libvkdml.so.{options.version}"]
        # The ONNX models' library, where it was not left out.
        if (installed.libdir / "libvkdml_onnx.so").exists():
            names += ["includedir/vkdml_onnx.h", "libdir/libvkdml_onnx.so", f"libdir/libvkdml_onnx.so.{options.soversion}",
                      f"libdir/libvkdml_onnx.so.{options.version}"]
    # ONNX Runtime's plugin, where its headers were given.
    private = installed.libdir / "vkdml" / "directml"
    if private.exists():
        names += [f"libdir/vkdml/directml/{name}" for name in ("libdxcore.so", "libd3d12.so", "libdirectml.so")]
    names += ["libdir/libonnxruntime_ep_vkdml.so"] if (installed.libdir / "libonnxruntime_ep_vkdml.so").exists() else []
    if "static" in installed.kinds:
        names += ["libdir/libvkdml.a"]
    if installed.has_python:
        sources = (options.root / "python" / "vkdml").iterdir()
        names += ["python/vkdml/_installed.py"]
        names += [f"python/vkdml/{path.name}" for path in sources if path.suffix == ".py" or path.name == "py.typed"]
    return sorted(names + (OF_TOOLS if installed.has_tools else []))


def found(installed):
    """Every file under the folder that was installed into, by the option that says where it goes."""
    names = []
    for path in sorted(installed.folder.rglob("*")):
        if path.is_dir():
            continue
        if installed.python_folder in path.parents:
            names.append(f"python/{path.relative_to(installed.python_folder)}")
            continue
        for option in ("libdir", "includedir", "mandir", "datadir", "bindir"):
            folder = getattr(installed, option)
            if folder in path.parents:
                names.append(f"{option}/{path.relative_to(folder)}")
                break
        else:
            names.append(str(path.relative_to(installed.folder)))
    return sorted(names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--meson", type=shlex.split, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--soversion", required=True)
    options = parser.parse_args()
    tap = compiling.Tap()
    with tempfile.TemporaryDirectory() as folder:
        installed = installing.Installed(options.meson, options.build, folder)
        wanted, there = expected(options, installed), found(installed)
        tap.tell(not set(wanted) - set(there), "all that is to be installed is", "\n".join(set(wanted) - set(there)))
        tap.tell(not set(there) - set(wanted), "nothing else is", "\n".join(set(there) - set(wanted)))
        if "shared" in installed.kinds:
            leads_to = os.readlink(installed.libdir / "libvkdml.so")
            tap.tell(leads_to == f"libvkdml.so.{options.soversion}", "libvkdml.so leads to the SONAME", leads_to)
        if installed.has_python:
            module = (installed.python_folder / "vkdml" / "_installed.py").read_text()
            folder = module.split('LIBRARY_FOLDER = "')[1].split('"')[0]
            there = (installed.python_folder / "vkdml" / folder / f"libvkdml.so.{options.soversion}").exists()
            tap.tell(there, "the Python module says where the library is", module)
        private, command = installed.libdir / "vkdml" / "directml", installed.bindir / "vkdml"
        if private.exists() and command.exists():
            result = subprocess.run([command, "exec", "sh", "-c", 'echo "$TF_DIRECTML_PATH"'], capture_output=True, text=True,
                                    env={name: value for name, value in os.environ.items() if name != "VKDML_DIRECTML"})
            tap.tell(result.stdout == f"{private.resolve()}\n" and not result.stderr, "the command finds DirectML's libraries", result)
        license_file = installed.datadir / "licenses" / "vkdml" / "LICENSE"
        tap.tell(license_file.read_text() == (options.root / "LICENSE").read_text(), "the license is this project's")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
