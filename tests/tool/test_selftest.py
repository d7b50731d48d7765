"""Tests `vkdml selftest`: test_selftest.py COMMAND MODELS_FOLDER FOLDER_OF_THE_WRONG_LOADER. Prints TAP."""
import json
import os
import re
import shlex
import signal
import subprocess
import sys

from command_harness import COMMAND, VALIDATION, run, run_all, tell

WRONG = sys.argv[3]
IDENTITY = "ELEMENT_WISE_IDENTITY InputTensor=FLOAT32[64] OutputTensor=FLOAT32[64]"


def selftest(*arguments, **keywords):
    return run("selftest", *VALIDATION, *arguments, **keywords)


def on_wrong_device(*arguments, **environment):
    """On a device that goes wrong, see tests/tool/wrong/loader.c."""
    path = os.pathsep.join(filter(None, [WRONG, os.environ.get("LD_LIBRARY_PATH")]))
    return selftest(*arguments, env={"LD_LIBRARY_PATH": path, **environment})


def devices_of(driver_info, **environment):
    path = os.pathsep.join(filter(None, [WRONG, os.environ.get("LD_LIBRARY_PATH")]))
    return run("devices", env={"LD_LIBRARY_PATH": path, "VKDML_TEST_DRIVER_INFO": driver_info,
                               "GALLIUM_OVERRIDE_CPU_CAPS": "", **environment}).stdout


def has_avx512():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return "avx512f" in file.read()
    except OSError:
        return False


def report_of(result):
    try:
        return json.loads(result.stdout)
    except ValueError:
        return {}


def test_devices_of_a_faulty_compiler_have_a_note():
    faulty = devices_of("Mesa 26.1.6-1 (LLVM 21.1.8)")
    right = devices_of("Mesa 25.0.7-2 (LLVM 19.1.7)")
    helped = devices_of("Mesa 26.1.6-1 (LLVM 21.1.8)", GALLIUM_OVERRIDE_CPU_CAPS="avx")
    notes = re.findall("^  note: .*LLVM 21.*GALLIUM_OVERRIDE_CPU_CAPS=avx", faulty, re.MULTILINE)
    tell("(LLVM 21.1.8)" in faulty and bool(notes) == has_avx512() and "note:" not in right + helped and "(LLVM 21.1.8)" in helped,
         "devices whose compiler is at fault are listed with a note, where it is", f"{faulty}{right}{helped}")


def test_a_case_of_each():
    result = selftest("--quick", "--json")
    report = report_of(result)
    counts = report.get("result", {})
    tell(result.returncode == 0 and counts.get("verdict") == "passed" and counts.get("passed", 0) > 0
         and counts.get("failed") == 0 and report.get("failures") == [] and counts.get("not reached") == 0, "a quick run passes",
         f"{result.stderr}{counts} {report.get('failures')}")
    device = report.get("device", {})
    tell(all(device.get(key) for key in ("name", "type", "Vulkan", "driver", "driverVersion", "limits", "features",
                                         "subgroups", "floats promised")), "the report describes the device", device)
    tell(device.get("limits", {}).get("maxStorageBufferRange", 0) >= 1 << 15, "with its limits", device)
    floats = report.get("floats observed", {})
    tell(isinstance(floats, dict) and len(floats) >= 16
         and floats.get("FLOAT32 sums halfway, above") in ("to nearest even", "toward zero")
         and floats.get("FLOAT32 denormals, added") in ("kept", "flushed to zero"), "with what it does with floats",
         floats)
    tell("kernels (" in report.get("library", "") and report.get("vkdml"), "with what the library says", report)
    variants = report.get("variants", {})
    tell(set(variants) == {"portable", "subgroup", "serial"} and sum("chosen" in told for told in variants.values()) == 1
         and sum(told.get("passed", 0) for told in variants.values()) == counts.get("passed"),
         "with each variant of the kernels", variants)
    operators = report.get("operators", {})
    reached = [told for told in operators.values() if told]
    tell(len(operators) > 150 and len(reached) == len(operators)
         and all(sum(tally.values()) == 1 for told in reached for tally in told.values())
         and sum(tally["passed"] for told in reached for tally in told.values()) == counts.get("passed"),
         "operator by operator, with a case of each", operators)
    tell(report.get("seconds", 0) > 0 and report.get("seed") == 1, "with time and seed", report.get("seconds"))


def test_what_time_leaves_out():
    result = selftest("--seconds", "0", "--json")
    report = report_of(result)
    operators = report.get("operators", {})
    verdict = f"passed, but {len(operators) - 1} of {len(operators)} operators not reached: one case of each takes about "
    tell(result.returncode == 3 and report["result"]["verdict"].startswith(verdict)
         and report["result"]["not reached"] == len(operators) - 1 and operators["GEMM"],
         "where time is up after GEMM, verdict and exit code say so", f"{result.returncode} {report.get('result')}")
    result = selftest("--seconds", "0", "--operator", "*pooling*", "--json")
    operators = report_of(result).get("operators", {})
    tell(result.returncode == 3 and len(operators) > 5 and operators["MAX_POOLING2"] and not operators["LP_POOLING"],
         "of what is asked for what networks use comes first", operators)


def test_text(folder):
    path = os.path.join(folder, "report.txt")
    result = selftest("--seconds", "1", "--operator", "CAST", "-o", path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tell(result.returncode == 0 and result.stdout == f"passed; the report is in '{path}'\n",
         "-o writes the report to a file", f"{result.stdout}{result.stderr}")
    tell(all(re.search(line, text, re.MULTILINE) for line in (
        r"^vkdml: \d", r"^device:$", r"^  name: \w", r"^    maxStorageBufferRange: \d", r"^floats observed:$",
        r"^  CAST: .*passed \d", r"^failures: none$", r"^  verdict: passed$", r"^  failed: 0$")),
        "and people can read it", text)


def test_operators():
    result = selftest("--seconds", "8", "--operator", "GATHER_N*", "--json", "--variant", "portable")
    report = report_of(result)
    tell(result.returncode == 0 and set(report["operators"]) == {"GATHER_ND", "GATHER_ND1"}
         and report["variants"]["serial"] == {**report["variants"]["serial"], "not tested": "not asked for"}
         and report["variants"]["portable"]["operators"] == 2, "--operator and --variant choose",
         f"{result.stdout}{result.stderr}")
    result = selftest("--seconds", "0", "--operator", "dml_operator_gemm", "--json")
    tell(result.returncode == 0 and set(report_of(result)["operators"]) == {"GEMM"}, "names are taken in any case",
         f"{result.stdout}{result.stderr}")
    result = selftest("--seconds", "0", "--operator", "GATER")
    tell(result.returncode == 2 and "no operator 'GATER'; did you mean GATHER?" in result.stderr,
         "an operator that is none is wrong usage", result.stderr)


def test_seeds():
    """Random cases are what the seed says, and other seeds' are others."""
    option = ("--seconds", "2", "--operator", "FILL_VALUE_CONSTANT", "--variant", "portable", "--json")
    first, second = (report_of(selftest(*option, "--seed", seed)) for seed in ("5", "6"))
    tell(first.get("seed") == 5 and second.get("seed") == 6 and first["result"]["failed"] == 0
         and second["result"]["failed"] == 0, "--seed is taken", f"{first}{second}")


def test_a_case():
    result = selftest("--case", IDENTITY, "--json")
    report = report_of(result)
    tell(result.returncode == 0 and "operators" not in report and report["result"]["passed"] >= 1,
         "--case runs one case", f"{result.stdout}{result.stderr}")
    result = selftest("--case", "ELEMENT_WISE_IDENTITY InputTensor=FLOAT32[")
    tell(result.returncode == 2 and "--case: " in result.stderr, "a case that is none is wrong usage", result.stderr)


def test_a_wrong_device_is_found():
    """The third submission, or the first of a case, leaves a bit wrong, once; the report says in which case."""
    result = on_wrong_device("--seconds", "3", "--operator", "ELEMENT_WISE_A*", "--variant", "portable", "--json",
                             VKDML_TEST_WRONG_WAIT="3")
    report = report_of(result)
    failures = report.get("failures", [])
    tell(result.returncode == 1 and report["result"]["verdict"].startswith("failed: 1 case") and report["result"]["failed"] == 1
         and len(failures) == 1 and "differs from the reference" in failures[0]["what"],
         "a wrong bit fails one case, and the run goes on", f"{result.stdout}{result.stderr}")
    tell(report["result"]["passed"] > 3, "the others pass", report["result"])
    again = shlex.split(failures[0]["again"]) if failures else [""]
    tell(again[:4] == ["vkdml", "selftest", "--variant", "portable"] and again[4] == "--case"
         and again[5] == failures[0]["case"] and shlex.split(failures[0]["or"])[1:3] == ["test_differential", "--case"],
         "the failure says how to run it again", failures)
    wrong = on_wrong_device(*again[2:], VKDML_TEST_WRONG_WAIT="1")
    right = selftest(*again[2:])
    tell(wrong.returncode == 1 and "verdict: failed" in wrong.stdout and "differs from the reference" in wrong.stdout,
         "which fails there", f"{wrong.stdout}{wrong.stderr}")
    tell(right.returncode == 0 and "verdict: passed" in right.stdout, "and passes here", f"{right.stdout}{right.stderr}")


def test_a_lost_device_is_reported():
    result = on_wrong_device("--seconds", "30", "--operator", "ELEMENT_WISE_A*", "--json", VKDML_TEST_LOST_SUBMIT="4")
    report = report_of(result)
    tell(result.returncode == 1 and "lost" in report["result"].get("stopped", "") and report["result"]["failed"] == 1
         and report["result"]["passed"] > 0 and report["seconds"] < 30 and report["device"]["name"]
         and report["failures"][0]["case"], "a lost device ends the run, with a report", f"{result.stdout}{result.stderr}")


def test_a_hang_can_be_interrupted():
    path = os.pathsep.join(filter(None, [WRONG, os.environ.get("LD_LIBRARY_PATH")]))
    process = subprocess.Popen([COMMAND, "selftest", "--operator", "ELEMENT_WISE_A*", "--json"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "LD_LIBRARY_PATH": path, "VKDML_TEST_HANG_SUBMIT": "3"})
    told = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate()
    result = json.loads(text).get("result", {}) if text else {}
    tell(told == "hangs\n" and process.returncode == 1 and result.get("interrupted")
         and "interrupted before the GPU had finished" in result.get("stopped", "") and result["passed"] > 0,
         "an interrupt ends the wait for a GPU that hangs, with a report", f"{told}{process.returncode} {result}")


def test_refusals(folder):
    nowhere = os.path.join(folder, "no", "report")
    result = selftest("--case", IDENTITY, "-o", nowhere)
    tell(result.returncode == 1 and nowhere in result.stderr, "a report that cannot be written is a failure",
         result.stderr)
    result = selftest("--device", "no such device")
    tell(result.returncode == 1 and result.stderr.startswith("vkdml: ") and not result.stdout,
         "so is a device that is not there", result.stderr)
    wrong = {("-a", "reference"): "held to", ("--seconds", "x"): "whole number", ("--variant", "quick"): "quick",
             ("--bogus",): "bogus", ("model.json",): ""}
    for arguments, reason in wrong.items():
        result = selftest(*arguments)
        tell(result.returncode == 2 and reason in result.stderr and not result.stdout,
             f"{' '.join(arguments)} is wrong usage", result.stderr)
    result = selftest("--case", IDENTITY, "--variant", "portable", env={"VKDML_KERNEL_VARIANT": "serial"})
    tell(result.returncode == 1 and "VKDML_KERNEL_VARIANT forces another" in result.stderr,
         "a variant that the environment rules out is refused", result.stderr)


def main():
    return run_all(test_devices_of_a_faulty_compiler_have_a_note, test_a_case_of_each, test_what_time_leaves_out, test_operators, test_seeds, test_a_case,
                   test_a_wrong_device_is_found, test_a_lost_device_is_reported, test_a_hang_can_be_interrupted,
                   test_text, test_refusals)


if __name__ == "__main__":
    sys.exit(main())
