#!/usr/bin/env python3
"""Runs ONNX's own node tests through ONNX Runtime and the plugin, and counts them: `ours` where each node ran on the plugin and
operators of DirectML were recorded for it, `known` where all of it was computed before it ran, `partly` where ONNX Runtime's CPU
provider had a share, `not ours` where all of it, `refused` where a claim did not hold, and `wrong`. Tests that the CPU provider
does not pass itself are left out. Prints a line of TAP for each; the last counts them. Exits with 1 where one is wrong or refused,
or where fewer are `ours` than --least says.

ort_nodes.py PLUGIN [--quiet] [--json FILE] [--least N] [TEXT..]     only those whose names contain a TEXT
"""
import collections
import json
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime as ort
from onnx.backend.test.case.node import collect_testcases

warnings.filterwarnings("ignore")
ort.set_default_logger_severity(4)


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


def main():
    arguments = sys.argv[2:]
    quiet = "--quiet" in arguments
    path = arguments[arguments.index("--json") + 1] if "--json" in arguments else None
    least = int(arguments[arguments.index("--least") + 1]) if "--least" in arguments else 0
    texts = [text for text in arguments if not text.startswith("--") and text not in (path, str(least))]
    ort.register_execution_provider_library("vkdml", str(pathlib.Path(sys.argv[1]).resolve()))
    device = next(device for device in ort.get_ep_devices() if device.ep_name == "vkdml")
    counts, results = collections.Counter(), {}
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        for case in collect_testcases(None):
            if case.model is None or texts and not any(text in case.name for text in texts):
                continue
            if not passes_on_cpu(case):
                counts["not CPU's"] += 1
                continue
            verdict, why = judge(case, device, report)
            counts[verdict] += 1
            results[case.name] = [verdict, why]
            bad = verdict in ("wrong", "refused")
            if not quiet or bad:
                tap = "not ok" if bad else "ok" if verdict in ("ours", "known") else "#"
                print(f"{tap} {len(results)} - {case.name}: {verdict}{', ' if why else ''}{why}", flush=True)
    if path:
        pathlib.Path(path).write_text(json.dumps(results, indent=1))
    print("#", ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    bad = counts["wrong"] + counts["refused"]
    if counts["ours"] < least:
        print(f"not ok {len(results) + 1} - {counts['ours']} tests are ours, must be {least}")
        bad += 1
    print(f"{len(results) - bad} passed, {bad} failed, 0 skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
