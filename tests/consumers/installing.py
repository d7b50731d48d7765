"""What the tests of other builds share: an installed copy of the build under test, in a folder of its own."""

import json
import os
import pathlib
import subprocess


class CommandFailed(Exception):
    """Says which command, and what it printed."""


def run(command, cwd=None, env=None):
    """What a command prints; CommandFailed where it fails."""
    result = subprocess.run([str(word) for word in command], cwd=cwd, env=env, text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise CommandFailed(f"{' '.join(str(word) for word in command)}: exit status {result.returncode}\n{result.stdout}")
    return result.stdout


class Installed:
    """`meson install` of a build into a folder that is not the prefix it was configured with."""

    def __init__(self, meson, build, folder):
        run([*meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder])
        options = {option["name"]: option["value"]
                   for option in json.loads(run([*meson, "introspect", "--buildoptions", build]))}
        self.folder = pathlib.Path(folder)
        self.prefix = self.folder / options["prefix"].lstrip("/")
        self.libdir, self.includedir, self.datadir, self.mandir, self.bindir = (
            self.prefix / options[name] for name in ("libdir", "includedir", "datadir", "mandir", "bindir"))
        self.kinds = {"both": ["shared", "static"]}.get(options["default_library"], [options["default_library"]])
        self.has_tools = options["tools"]
        self.has_python = options["python"] and "shared" in self.kinds
        # Where it goes is Python's to say.
        self.python_folder = next((path.parents[1] for path in self.folder.rglob("vkdml/__init__.py")), None)

    def environment(self):
        """For builds that look for it, and for programs that run with its shared library."""
        env = dict(os.environ)
        # The file says the configured prefix.
        env["PKG_CONFIG"] = f"pkg-config --define-variable=prefix={self.prefix}"
        for name, value in (("PKG_CONFIG_PATH", self.libdir / "pkgconfig"), ("CMAKE_PREFIX_PATH", self.prefix),
                            ("LD_LIBRARY_PATH", self.libdir)):
            env[name] = os.pathsep.join(filter(None, [str(value), env.get(name)]))
        # Of this build's own; a consumer's project has its own.
        for name in ("DESTDIR", "MAKEFLAGS", "MESON_BUILD_ROOT"):
            env.pop(name, None)
        return env
