#!/usr/bin/env python3
"""Runs ONNX's own node tests through ONNX Runtime and the plugin, and counts them: `ours` where each node ran on the plugin and
operators of DirectML were recorded for it, `known` where all of it was computed before it ran, `partly` where ONNX Runtime's CPU
provider had a share, `not ours` where all of it, `refused` where a claim did not hold, and `wrong`. Tests that the CPU provider
does not pass itself are left out. Prints a line of TAP for each; the last counts them. Exits with 1 where one is wrong or refused,
or where fewer are `ours` than --least says.

ort_nodes.py PLUGIN [--quiet] [--json FILE] [--least N] [--seconds N] [TEXT..]     only those whose names contain a TEXT
    --seconds N     a test that takes longer fails, as does one that ends the process, and the next one runs
"""
import argparse
import collections
import json
import os
import pathlib
import signal
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime as ort
from onnx.backend.test.case.node import collect_testcases

warnings.filterwarnings("ignore")
ort.set_default_logger_severity(4)
# Of a process: SwiftShader, which is loaded for each session, leaves a thread-specific key behind, and there are 1024.
MOST_CASES = 500


def same(expected, got, case):
    if isinstance(expected, (list, dict)) or expected is None:
        return type(expected) is type(got) and len(expected) == len(got) and all(map(same, expected, got, [case] * len(got)))
    expected, got = np.asarray(expected), np.asarray(got)
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return False
    if expected.dtype.kind in "fc":
        # As run_nodes.c: of FLOAT16 two units in the last place, and what is left of sums that come to nothing.
        rtol = max(case.rtol, 2e-3) if expected.dtype == np.float16 else case.rtol
        greatest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
        return np.allclose(got, expected, rtol=rtol, atol=case.atol + 1e-6 * float(greatest), equal_nan=True)
    return np.array_equal(expected, got)


def options(device, report):
    result = ort.SessionOptions()
    result.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    result.log_severity_level = 4
    if device:
        result.add_session_config_entry("ep.vkdml.report", str(report))
        result.add_provider_for_devices([device], {})
    return result


def run(case, device, report):
    session = ort.InferenceSession(case.model.SerializeToString(), options(device, report),
                                   providers=None if device else ["CPUExecutionProvider"])
    session.disable_fallback()
    inputs, outputs = case.data_sets[0]
    names = [value.name for value in session.get_inputs()]
    got = session.run(None, dict(zip(names, inputs)))
    return all(same(a, b, case) for a, b in zip(outputs, got))


def passes_on_cpu(case):
    try:
        return run(case, None, None)
    except Exception:
        return False


def judge(case, device, report):
    report.write_text("")
    try:
        right = run(case, device, report)
    except Exception as error:
        return "refused", str(error).split("\n")[0][:300]
    lines = [line.split("\t") for line in report.read_text().splitlines()]
    nodes = [line for line in lines if line[0] != "plan"]
    operators = sum(int(line[1]) for line in lines if line[0] == "plan")
    claimed = [line for line in nodes if line[0] == "vkdml"]
    others = "; ".join(sorted({f"{line[1]}: {line[3]}" for line in nodes if line[0] != "vkdml"}))[:300]
    if not right:
        return ("wrong" if claimed else "not ours"), others
    if not claimed:
        return "not ours", others
    if len(claimed) < len(nodes):
        return "partly", others
    return ("ours" if operators else "known"), ""


def verdicts(cases, plugin, seconds):
    """The verdict on each case and why, as they come."""
    os.environ.setdefault("VKDML_ONNXRUNTIME_SOFTWARE", "1")
    ort.register_execution_provider_library("vkdml", str(pathlib.Path(plugin).resolve()))
    device = next(device for device in ort.get_ep_devices() if device.ep_name == "VkdmlExecutionProvider")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        for case in cases:
            signal.alarm(seconds)
            yield judge(case, device, report) if passes_on_cpu(case) else ("not CPU's", "")
        signal.alarm(0)


def patient_verdicts(cases, plugin, seconds):
    """The same from processes of their own, of which another one begins behind a case that does not come to an end."""
    done = 0
    while done < len(cases):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            with open(writer, "w") as file:
                for verdict in verdicts(cases[done:done + MOST_CASES], plugin, seconds):
                    print(json.dumps(verdict), file=file, flush=True)
            os._exit(0)
        os.close(writer)
        with open(reader) as file:
            for line in file:
                done += 1
                yield json.loads(line)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != 0:
            done += 1
            yield "not done", f"in {seconds} seconds" if status == -signal.SIGALRM else f"ended by {status}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("texts", nargs="*")
    given = parser.parse_intermixed_args()
    cases = [case for case in collect_testcases(None)
             if case.model is not None and (not given.texts or any(text in case.name for text in given.texts))]
    counts, results = collections.Counter(), {}
    judged = (patient_verdicts if given.seconds else verdicts)(cases, given.plugin, given.seconds)
    for case, (verdict, why) in zip(cases, judged):
        counts[verdict] += 1
        if verdict == "not CPU's":
            continue
        results[case.name] = [verdict, why]
        bad = verdict in ("wrong", "refused", "not done")
        if not given.quiet or bad:
            tap = "not ok" if bad else "ok" if verdict in ("ours", "known") else "#"
            print(f"{tap} {len(results)} - {case.name}: {verdict}{', ' if why else ''}{why}", flush=True)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1))
    print("#", ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    bad = counts["wrong"] + counts["refused"] + counts["not done"]
    if counts["ours"] < given.least:
        print(f"not ok {len(results) + 1} - {counts['ours']} tests are ours, must be {given.least}")
        bad += 1
    print(f"{len(results) - bad} passed, {bad} failed, 0 skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
