"""Tests the vkdml command's surface: test_command_line.py COMMAND MODELS_FOLDER. Prints TAP."""
import json
import os
import re
import struct
import sys

from command_harness import MODELS, model_text, npy_bytes, resources, run, run_all, show, tell, write

IDENTITY = os.path.join(MODELS, "identity.json")
IDENTITY_PRINTED = {"Output": "1, 2, 3, 4, 5, 6"}
COMMANDS = json.loads(run("help", "--json").stdout)["commands"]
RUN = next(command for command in COMMANDS if command["name"] == "run")


def told(arguments):
    return "vkdml " + " ".join(os.path.basename(argument) for argument in arguments)


def test_run_options(folder):
    result = run("run", "-i", "5", "-r", "2", "-w", "2", "-v", "2", IDENTITY)
    tell(result.returncode == 0 and "Dispatch 'identity': 5 iterations\n" in result.stdout
         and "CPU Timings (Cold) : 2 samples" in result.stdout and "CPU Timings (Hot)  : 3 samples" in result.stdout
         and "iteration 4: " in result.stdout and "Initialize 'identity': " in result.stdout,
         "-i, -r, -w and -v govern iterations and what is told of them", result.stdout + result.stderr)
    # A machine that stalls dispatches less often than it could; one that never dispatches a second time does not repeat.
    counts = []
    while len(counts) < 10 and counts[-1:] in ([], [1]):
        result = run("run", "--device", "reference", "-t", "30", "-I", "10", IDENTITY)
        count = re.search(r"Dispatch 'identity': (\d+) iterations, [\d.]+ ms median \(CPU\)", result.stdout)
        counts.append(int(count.group(1)) if count else 0)
    tell(2 <= counts[-1] <= 4, "-t and -I govern how long and how often", f"{counts}\n{result.stdout}")
    result = run("run", IDENTITY)
    tell(bool(re.search(r"^Dispatch 'identity': 1 iterations, [\d.]+ ms median \(CPU\), "
                        r"([\d.]+ ms median \(GPU\), )?[\d.]+ ms median \(Bind\)$", result.stdout, re.MULTILINE)),
         "a dispatch tells its times in one line", result.stdout + result.stderr)
    result = run("run", "--print_commands", "--post_dispatch_barriers", "none", IDENTITY)
    tell(result.returncode == 0 and 'Command 1: {"type":"print","resource":"Output"}' in result.stdout,
         "--print_commands prints the commands", result.stdout)
    os.makedirs(os.path.join(folder, "models"), exist_ok=True)
    text = model_text({"A": {"initialValues": {"sourcePath": "elsewhere.npy"}}}, commands=[show("A")])
    path = write(os.path.join(folder, "models"), "m.json", text)
    write(folder, "elsewhere.npy", npy_bytes("<i4", "(2,)", struct.pack("<2i", 3, -4)))
    for name, result in {"--input_path names the folder that files are read from":
                         run("run", "-a", "reference", "--input_path", folder, path),
                         "files are looked for in the working directory last":
                         run("run", "-a", "reference", path, cwd=folder)}.items():
        tell(resources(result.stdout) == {"A": "3, -4"}, name, result.stdout + result.stderr)
    target = os.path.join(folder, "no", "such", "folder")
    result = run("run", "-a", "reference", "--output_path", target, os.path.join(MODELS, "diagonal_npy.json"))
    tell(result.returncode == 1 and "No such file or directory" in result.stderr
         and re.match(r".*diagonal_npy\.json:\d+: writeFile", result.stderr), "a folder that is missing is told",
         result.stderr)


def exit_with(status, refused):
    """Of command lines, reasons."""
    for arguments, reason in refused.items():
        result = run(*arguments)
        tell(result.returncode == status and reason in result.stderr and not result.stdout,
             f"{told(arguments)}: exits with {status} and says why", result)


def test_wrong_usage():
    """What is wrong with the line itself exits with 2, and says what."""
    exit_with(2, {
        (): "Usage: vkdml",
        ("bogus",): "no command and no file 'bogus'",
        ("help", "bogus"): "no command and no file 'bogus'",
        ("run",): "which model?",
        ("run", "-m", "a", "b"): "one model at a time",
        ("run", "a", "b"): "what is 'b'?",
        ("run", "--bogus", "x"): "there is no option --bogus",
        ("run", "--bogus=3", "x"): "there is no option --bogus ",
        ("run", "-Z", "x"): "there is no option -Z",
        ("run", "--dispatch", "x"): "there is no option --dispatch; did you mean dispatch_",
        ("run", "--adaptor=x"): "there is no option --adaptor; did you mean adapter?",
        ("rum", IDENTITY): "no command and no file 'rum'; did you mean run?",
        ("operators", "GEM"): "there is no operator 'GEM'; did you mean GEMM?",
        ("operators", "DML_OPERATOR_ADD1"): "did you mean ELEMENT_WISE_ADD1?",
        ("operators", "multihead_attention2"): "'multihead_attention2'; did you mean MULTIHEAD_ATTENTION",
        ("run", "--debug=yes", "x"): "--debug takes no argument",
        ("run", "--help=yes"): "--help takes no argument",
        ("run", "x", "-i"): "what is the argument of -i?",
        ("run", "-i", "0", "x"): "vkdml run: --dispatch_iterations: '0' must be a whole number from 1 to",
        ("run", "-i", "many", "x"): "'many' must be a whole number",
        ("run", "-i", " -1", "x"): "' -1' must be a whole number",
        ("run", "-v", "3", "x"): "--timing_verbosity is '3', must be one of 0|1|2",
        ("run", "--post_dispatch_barriers", "some", "x"): "must be one of none|uav|uav+aliasing",
        ("run", "--compare", "lavapipe", "x"): "--compare is 'lavapipe', must be one of reference|cpu",
        ("run", "--compare", "reference", "-a", "reference", IDENTITY): "-a names the reference itself",
        ("check",): "MODEL is missing",
        ("check", "--dml_feature_level", "five", "x"): "vkdml check: --dml_feature_level: 'five' is no feature level",
        ("check", "-a", "reference", IDENTITY): "--adapter is refused: the rules are the same on every device",
        ("operators", "--level", "9_9"): "'9_9' is no feature level; there are 1_0 2_0 ",
        ("devices", "--bogus"): "there is no option --bogus",
        ("bench", "identity", "other"): "what is 'other'?",
        ("bench", "x.json", "--filter", "gemm"): "of a model there are --adapter, --seconds-each, --repeat and --json alone",
        ("bench", "--repeat", "0"): "vkdml bench: --repeat: '0' must be a whole number from 1 to 1000",
        ("bench", "--host", "--latency"): "one at a time",
        ("bench", "-a", "reference"): "it times Vulkan devices; --reference",
    })


# Every option of DxDispatch (its CommandLineArgs.cpp of 2025): the letter, the name, an argument as its guide has it, and
# whether vkdml run takes it.
DXDISPATCH = [
    ("m", "model", IDENTITY, True), ("h", "help", None, True), ("S", "show_dependencies", None, True),
    ("", "input_path", ".", True), ("", "output_path", ".", True), ("", "print_commands", None, True),
    ("i", "dispatch_iterations", "2", True), ("r", "dispatch_repeat", "2", True), ("t", "milliseconds_to_run", "1", True),
    ("I", "dispatch_interval", "1", True), ("w", "warmup_samples", "1", True), ("v", "timing_verbosity", "1", True),
    ("", "max_gpu_time_measurements", "1", True), ("d", "debug", None, True), ("a", "adapter", "reference", True),
    ("s", "show_adapters", None, True), ("q", "queue_type", "compute", True), ("q", "queue_type", "direct", False),
    ("", "disable_custom_heaps", None, True), ("", "clear_shader_caches", None, True),
    ("", "disable_gpu_timeout", None, False), ("", "enable_dred", None, False),
    ("", "disable_background_processing", None, False), ("", "set_stable_power_state", None, False),
    ("", "disable_agility_sdk", None, False), ("", "print_hlsl_disassembly", None, False),
    ("", "post_dispatch_barriers", "uav+aliasing", True), ("", "dml_feature_level", "6.2", True),
    ("", "xbox_allow_precompile", None, False), ("c", "pix_capture_type", "gpu", False),
    ("o", "pix_capture_name", "capture", False), ("", "present_separator", None, False),
    ("f", "onnx_free_dim_name_override", "batch:3", False), ("F", "onnx_free_dim_denotation_override", "BATCH:3", False),
    ("e", "onnx_session_config_entry", "a:0", False), ("b", "binding_shape", "input:2,2", False),
    ("l", "onnx_graph_optimization_level", "99", False), ("L", "onnx_logging_level", "2", False),
    ("p", "print_onnx_bindings", None, False), ("x", "enable_ort_extensions", None, False),
    ("", "enable_onnx_profiling", None, False),
]


def test_all_options_of_dxdispatch():
    """Each is taken, or refused with a reason that does not call it unknown."""
    for letter, name, argument, taken in DXDISPATCH:
        options = [f"--{name}"] if argument is None else [f"--{name}", argument]
        if not taken and argument is not None:
            options = [f"--{name}={argument}"]
        result = run("run", "-a", "reference", *options, *([] if name == "model" else [IDENTITY]))
        good = result.returncode == 0 and not result.stderr if taken else (
            result.returncode == 2 and re.search(rf"vkdml run: --{name}( is refused)?: ..", result.stderr) and not result.stdout)
        tell(good, f"--{name} of DxDispatch is {'taken' if taken else 'refused with the reason'}", result)
        if letter:
            known = [option["name"] for option in RUN["options"] if option.get("letter") == letter]
            tell(known == [name] or letter == "h", f"and -{letter} is it", known)


def test_options_of_dxdispatch():
    """Those that make no sense here are refused by name, whatever is written behind them."""
    for arguments, reason in {
        ("-c", "gpu"): "--pix_capture_type is refused: PIX captures Direct3D",
        ("-cgpu",): "--pix_capture_type is refused",
        ("--pix-capture-type=gpu",): "--pix_capture_type is refused",
        ("-q", "direct"): "--queue_type: 'direct' must be compute: vkdml takes the first queue family",
        ("-f", "batch:3"): "--onnx_free_dim_name_override is refused: --size NAME=N says it",
        ("--print_hlsl_disassembly",): "vkdml runs no HLSL",
        ("--set_stable_power_state",): "clocks",
    }.items():
        result = run(*arguments, IDENTITY)
        tell(result.returncode == 2 and reason in result.stderr and not result.stdout,
             f"{told(arguments)} is refused with the reason", result)
    versions = run("-S")
    tell(versions.returncode == 0 and versions.stdout.startswith(run("--version").stdout)
         and re.search(r"^json-c \d", versions.stdout, re.MULTILINE), "-S tells versions", versions)
    result = run("-m", IDENTITY, "-areference")
    tell(result.returncode == 0 and resources(result.stdout) == IDENTITY_PRINTED, "-m names the model", result)


def test_timing_options():
    result = run("-i", "3", "-t", "1", "-I", "0", "-v", "1", IDENTITY)
    count = re.search(r"Dispatch 'identity': (\d+) iterations", result.stdout)
    tell(result.returncode == 0 and count and int(count.group(1)) >= 3, "-t runs -i iterations at least", result)
    result = run("-areference", "-i", "3", "-I", "20", "-t", "1", IDENTITY)
    tell("Dispatch 'identity': 3 iterations" in result.stdout, "and no more than the time is for", result)
    result = run("-i", "4", "-w", "0", "-v", "2", "--max_gpu_time_measurements", "3", IDENTITY)
    timed = re.findall(r"^iteration (\d+): .*GPU", result.stdout, re.MULTILINE)
    measured = re.findall(r"^GPU Timings .*: (\d) samples", result.stdout, re.MULTILINE)
    tell(result.returncode == 0 and (timed, measured) in ((["0", "1", "2"], ["3"]), ([], [])),
         "--max_gpu_time_measurements times the first iterations on the device", result)
    result = run("--max_gpu_time_measurements", "0", IDENTITY)
    tell(result.returncode == 0 and "(CPU)" in result.stdout and "(GPU)" not in result.stdout, "of 0 none is", result)
    for environment in ({}, {"MESA_SHADER_CACHE_DISABLE": "false"}):
        result = run("--clear_shader_caches", IDENTITY, env=environment)
        tell(result.returncode == 0 and resources(result.stdout) == IDENTITY_PRINTED,
             "--clear_shader_caches leaves results alone", result)


def test_failures():
    """What is wrong with files or the machine exits with 1."""
    exit_with(1, {
        ("run", "no-such-model.json"): "No such file or directory",
        ("no-such-model.json",): "No such file or directory",
        ("check", "no-such-model.json"): "No such file or directory",
        ("explain", "gemm"): "gemm: No such file or directory; a file is expected: `vkdml template` prints one",
        ("run", "."): "Is a directory",
        ("run", "-a", "referense", IDENTITY): "models run on \"reference\" too, the CPU reference; did you mean reference?",
        ("run", "-a", "no such device", IDENTITY): "has a name that contains \"no such device\"; there ",
        ("bench", "-a", "no such device"): "has a name that contains \"no such device\"; there ",
        ("bench", "--from", "/no/such.json"): "/no/such.json",
    })


def test_help():
    version = run("--version")
    tell(version.returncode == 0 and re.fullmatch(r"vkdml \d+\.\d+\.\d+\n", version.stdout), "--version", version)
    overview = run("help")
    tell(overview.returncode == 0 and all(f"\n  {command['name']} " in overview.stdout for command in COMMANDS)
         and overview.stdout == run("--help").stdout == run("-h").stdout, "help lists the commands", overview)
    tell(max(map(len, overview.stdout.splitlines())) <= 100, "help fits 100 columns", overview.stdout)
    for command in COMMANDS:
        name = command["name"]
        result = run(name, "--help")
        tell(result.returncode == 0 and result.stdout.startswith(f"Usage: vkdml {name} ")
             and result.stdout == run("help", name).stdout == run(name, "-h").stdout and not result.stderr
             and "Exits with 0, with 1 where something failed, and with 2" in result.stdout
             and max(map(len, result.stdout.splitlines())) <= 100,
             f"`vkdml {name} --help` and `vkdml help {name}` are one page", result)
        shown = set(re.findall(r"^  (?:-., |    )(--[^ ]+?)(?:, | |\n)", result.stdout, re.MULTILINE))
        known = {f"--{option['name']}" for option in command["options"] if "refusal" not in option}
        tell(shown == known, f"the help of {name} shows the options of its table", shown ^ known)


def test_names_of_options(folder):
    """People try both spellings, and the names that other commands have."""
    for options in (["-a", "reference"], ["--adapter", "reference"], ["--device", "reference"], ["--device=reference"],
                    ["--zero_undefined", "--output-path", folder, "-areference"]):
        result = run("run", *options, IDENTITY)
        tell(result.returncode == 0 and resources(result.stdout) == IDENTITY_PRINTED,
             f"run takes {' '.join(options[:1])}", result)
    for name in ("--level", "--dml_feature_level", "--dml-feature-level"):
        for command in (["operators"], ["check", IDENTITY], ["run", "-a", "reference", IDENTITY]):
            result = run(*command, name, "5_0")
            tell(result.returncode == 0, f"{command[0]} takes {name}", result)


def test_models_named_first(folder):
    for arguments in ([IDENTITY], ["-a", "reference", IDENTITY], [IDENTITY, "-a", "reference"]):
        result = run(*arguments)
        tell(result.returncode == 0 and resources(result.stdout) == IDENTITY_PRINTED, told(arguments) + " runs it", result)
    with open(IDENTITY) as file:
        text = file.read()
    for arguments in (["-"], ["-a", "reference", "-"], ["run", "-a", "reference", "-"]):
        result = run(*arguments, text=text)
        tell(result.returncode == 0 and resources(result.stdout) == IDENTITY_PRINTED,
             told(arguments) + " reads standard input", result)
    result = run("check", "-", text=text.replace("[2, 3]", "[2, 4]", 1))
    tell(result.returncode == 1 and result.stderr.startswith("standard input:"), "standard input is called by its name",
         result)
    long = model_text({"A": {"initialValuesDataType": "UINT8", "initialValues": [1] * 100000}}, commands=[show("A")])
    result = run("-areference", "-", text=long)
    tell(result.returncode == 0 and len(resources(result.stdout)["A"]) == 299998, "what no pipe holds is read whole",
         result.stderr)
    plain = write(folder, "model", text)
    result = run("model", "-areference", cwd=folder)
    tell(result.returncode == 0 and resources(result.stdout) == IDENTITY_PRINTED,
         "a file without an extension is a model too", f"{plain} {result}")


def test_operators_and_devices():
    everything = run("operators").stdout
    old = run("operators", "--level", "1_0").stdout
    tell("DML_OPERATOR_PADDING (since 1_0, EXACT)" in everything
         and "DML_OPERATOR_DIAGONAL_MATRIX (since 2_0, EXACT)" in everything,
         "operators lists what is implemented", everything)
    tell("DML_OPERATOR_PADDING" in old and "DIAGONAL" not in old and "INT64" not in old and "INT64" in everything,
         "operators --level leaves out what is newer", old)
    named = run("operators", "gemm", "DML_OPERATOR_PADDING", "--level", "5_0").stdout
    tell(re.findall(r"^(DML_\w+) ", named, re.MULTILINE) == ["DML_OPERATOR_GEMM", "DML_OPERATOR_PADDING"],
         "operators lists those named", named)
    devices = run("devices")
    named = run("run", "--show_adapters")
    profile = os.environ.get("VKDML_TEST_PROFILE")
    tell(not profile or f"as profile {profile}" in devices.stdout, "the device is the profile's where one is asked for",
         devices)
    tell(devices.returncode == 0 and "Vulkan: " in devices.stdout and "reference" in devices.stdout
         and named.stdout == devices.stdout, "devices and run --show_adapters list the devices", devices)


def test_machines_without_vulkan(folder):
    """The reference needs none, and what to do is said."""
    hint = "install a Vulkan driver (Debian: mesa-vulkan-drivers), or run models with -a reference"
    # Nothing that the dynamic linker takes for a library, before any that it would find.
    for name in ("libvulkan.so.1", "libvulkan.so"):
        write(folder, name, "no library")
    nowhere = os.path.join(folder, "nowhere.json")
    for what, (environment, reason) in {
        "driver": ({"VK_DRIVER_FILES": nowhere, "VK_ICD_FILENAMES": nowhere}, "VK_ERROR_INCOMPATIBLE_DRIVER"),
        "loader": ({"LD_LIBRARY_PATH": folder}, "there is no Vulkan loader (libvulkan.so.1)"),
    }.items():
        result = run("devices", env=environment)
        tell(result.returncode == 0 and re.fullmatch("reference\n  .*\n", result.stdout)
             and reason in result.stderr and hint in result.stderr,
             f"devices lists the reference without a Vulkan {what}", result)
        result = run("run", IDENTITY, env=environment)
        tell(result.returncode == 1 and reason in result.stderr and hint in result.stderr and not result.stdout,
             f"run without a Vulkan {what} says what to do", result)
        result = run("run", "-a", "Reference", IDENTITY, env=environment)
        tell(result.returncode == 0 and resources(result.stdout) == IDENTITY_PRINTED and not result.stderr,
             f"the reference runs models without a Vulkan {what}", result)


def main():
    return run_all(test_help, test_wrong_usage, test_options_of_dxdispatch,
                   test_all_options_of_dxdispatch, test_timing_options, test_failures,
                   test_operators_and_devices, test_run_options, test_machines_without_vulkan, test_names_of_options,
                   test_models_named_first)


if __name__ == "__main__":
    sys.exit(main())
