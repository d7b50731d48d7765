"""Tests `vkdml exec`: test_exec.py COMMAND MODELS_FOLDER [LIBRARIES_FOLDER]. Prints TAP.

Without LIBRARIES_FOLDER DirectML's libraries were not built; what needs them is skipped. Files of their names show which
environment a program gets: the dynamic linker reports that they are no libraries and goes on.
"""
import os
import shutil
import subprocess
import sys

from command_harness import COMMAND, run, run_all, skip, tell, write

LIBRARIES = ("libdxcore.so", "libd3d12.so", "libdirectml.so")
BUILT = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness", "directml_adapters.py")
VARIABLES = ("LD_PRELOAD", "LD_LIBRARY_PATH", "TF_DIRECTML_PATH", "VKDML_DEVICE", "VKDML_SOFTWARE", "VKDML_VALIDATION")
UNSET = {name: None for name in (*VARIABLES, "VKDML_DIRECTML")}
SHOW = "; ".join(f'echo "{name}=${name}"' for name in VARIABLES)


def run_clean(*arguments, command=COMMAND, cwd=None, **env):
    """Runs the command without any of its variables but `env`."""
    environment = {name: value for name, value in {**os.environ, **UNSET, **env}.items() if value is not None}
    return subprocess.run([command, "exec", *arguments], capture_output=True, text=True, cwd=cwd, env=environment)


def shown(result):
    return dict(line.split("=", 1) for line in result.stdout.splitlines())


def make_libraries(folder, name):
    path = os.path.join(os.path.realpath(folder), name)
    os.makedirs(path)
    for library in LIBRARIES:
        write(path, library, "no library")
    return path


def test_environment(folder):
    path = make_libraries(folder, "plain")
    preloaded = ":".join(os.path.join(path, library) for library in LIBRARIES)
    result = run_clean("--libraries", path, "sh", "-c", SHOW)
    tell(shown(result) == {"LD_PRELOAD": preloaded, "LD_LIBRARY_PATH": path, "TF_DIRECTML_PATH": path, "VKDML_DEVICE": "",
                           "VKDML_SOFTWARE": "", "VKDML_VALIDATION": ""}, "a program gets the libraries", result)
    result = run_clean("--software", "--debug", "-a", "#1", "--", "sh", "-c", f"sh -c '{SHOW}'", cwd=folder,
                       VKDML_DIRECTML="plain", LD_LIBRARY_PATH="/before", LD_PRELOAD="/nowhere/before.so")
    tell(shown(result) == {"LD_PRELOAD": preloaded + ":/nowhere/before.so", "LD_LIBRARY_PATH": path + ":/before",
                           "TF_DIRECTML_PATH": path, "VKDML_DEVICE": "#1", "VKDML_SOFTWARE": "1", "VKDML_VALIDATION": "1"},
         "options are passed on, lists are added to, and children inherit all of it", result)
    result = run_clean("--libraries", path, "sh", "-c", 'echo "$@"', "sh", "--software", "-x")
    tell(result.stdout == "--software -x\n", "options after the program are the program's", result)


def test_folders(folder):
    path = make_libraries(folder, "with space")
    result = run_clean("--libraries", path, "sh", "-c", SHOW)
    tell(shown(result)["LD_PRELOAD"] == ":".join(LIBRARIES) and shown(result)["LD_LIBRARY_PATH"] == path,
         "libraries in a folder with a space are preloaded by name", result)
    for character in ":;$":
        path = make_libraries(folder, f"with{character}one")
        result = run_clean("--libraries", path, "true")
        tell(result.returncode == 1 and f"has a '{character}' in its path" in result.stderr,
             f"a folder with a {character} is refused", result)
    os.remove(os.path.join(make_libraries(folder, "two"), LIBRARIES[0]))
    for arguments, environment, named in ((("--libraries", "two"), {}, "--libraries is 'two'"),
                                          ((), {"VKDML_DIRECTML": "nowhere"}, "VKDML_DIRECTML is 'nowhere'")):
        result = run_clean(*arguments, "true", cwd=folder, **environment)
        tell(result.returncode == 1 and f"{named}, must be a folder with libdxcore.so" in result.stderr,
             f"{named}: refused without all libraries", result)
    alone = shutil.copy(COMMAND, folder)
    result = run_clean("true", command=alone)
    tell(result.returncode == 1 and result.stderr.count("\n") == 1
         and "was built without DirectML's libraries: build it with -Ddirectml_abi=true" in result.stderr,
         "without libraries it says how to get them", result)


def test_statuses(folder):
    path = os.path.join(folder, "plain")
    for program, status, text in ((["sh", "-c", "exit 7"], 7, ""), (["no-such-program"], 127, "'no-such-program' cannot be run: No such"),
                                  ([folder], 126, f"'{folder}' cannot be run: Permission denied")):
        result = run_clean("--libraries", path, *program)
        tell(result.returncode == status and text in result.stderr, f"the exit status is {status}", result)
    for arguments, reason in (((), "PROGRAM [ARGUMENT].. is missing"),
                              (("-a", "reference", "true"), "--adapter: programs run on Vulkan devices")):
        result = run("exec", *arguments)
        tell(result.returncode == 2 and reason in result.stderr, f"refused: {reason}", result)


def test_client(folder):
    """The command finds the libraries of its build, and of one that was moved."""
    if BUILT is None:
        skip("a program that uses DirectML runs", "DirectML's libraries were not built (-Ddirectml_abi)")
        return
    for options, offered in ((["--software"], "devices"), (["--device=no such device"], "no device")):
        result = run_clean(*options, sys.executable, CLIENT)
        counted = result.returncode == 0 and result.stdout.endswith(" adapters\n")
        tell(counted and result.stdout.startswith("0 ") == (offered == "no device"),
             f"a program is offered {offered} with {options[0]}", result)
    moved = os.path.join(folder, "a moved build")
    os.makedirs(os.path.join(moved, "tools"))
    os.makedirs(os.path.join(moved, "integrations", "directml"))
    os.symlink(os.path.join(BUILT, "..", "..", "src"), os.path.join(moved, "src"))
    for library in LIBRARIES:
        shutil.copy(os.path.join(BUILT, library), os.path.join(moved, "integrations", "directml"))
    result = run_clean("--software", sys.executable, CLIENT, command=shutil.copy(COMMAND, os.path.join(moved, "tools")))
    tell(result.returncode == 0 and not result.stdout.startswith("0 "), "from a folder with spaces, too", result)


def test_symbols():
    """A preloaded library's symbols and dependencies come before those of the program, which may have another C++ library."""
    if BUILT is None:
        skip("libraries export their functions only", "DirectML's libraries were not built (-Ddirectml_abi)")
        return
    d3d12 = ["D3D12CreateDevice", "D3D12CreateRootSignatureDeserializer", "D3D12CreateVersionedRootSignatureDeserializer",
             "D3D12EnableExperimentalFeatures", "D3D12GetDebugInterface", "D3D12GetInterface", "D3D12SerializeRootSignature",
             "D3D12SerializeVersionedRootSignature", "VER_1"]
    functions_of = {"libdxcore.so": ["DXCoreCreateAdapterFactory"], "libd3d12.so": d3d12,
                    "libdirectml.so": ["DMLCreateDevice", "DMLCreateDevice1"]}
    for library in LIBRARIES:
        functions = functions_of[library]
        path = os.path.join(BUILT, library)
        exported = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True).stdout.splitlines()
        needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
        tell(sorted(line.split()[-1].split("@")[0] for line in exported) == functions
             and "libvkdml.so" in needed and "libstdc++" not in needed and "libgcc_s" not in needed,
             f"{library} exports its functions only, and needs no C++ library", f"{exported}\n{needed}")


def main():
    return run_all(test_environment, test_folders, test_statuses, test_client, test_symbols)


if __name__ == "__main__":
    sys.exit(main())
