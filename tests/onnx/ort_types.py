#!/usr/bin/env python3
"""Runs one of ONNX's node tests for each operator through ONNX Runtime and the plugin, with each of some types that the
operator's schema allows in place of its own. A node that the plugin claims must run. Results are not compared: ort_nodes.py
does that. Prints a line of TAP for each operator; the last counts them. Exits with 1 where a claim did not hold.

ort_types.py PLUGIN [TEXT..]     only operators whose names contain a TEXT
"""
import argparse
import copy
import os
import pathlib
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper
from onnx.backend.test.case.node import collect_testcases

warnings.filterwarnings("ignore")
ort.set_default_logger_severity(4)
# Those that DirectML has for few operators, or not at all.
TYPES = {f"tensor({name})": type_ for name, type_ in (("double", TensorProto.DOUBLE), ("bfloat16", TensorProto.BFLOAT16),
                                                      ("uint64", TensorProto.UINT64), ("int32", TensorProto.INT32))}


def converted(array, type_):
    if type_ == TensorProto.BFLOAT16:
        return np.asarray(np.asarray(array, np.float32).view(np.uint32) >> 16, np.uint16)
    return np.asarray(array, helper.tensor_dtype_to_np_dtype(type_))


def type_name(parameters, index):
    return parameters[min(index, len(parameters) - 1)].type_str if parameters else ""


def variants(case, schema):
    """A name, a model and its inputs for each type of each type parameter."""
    node, arrays = case.model.graph.node[0], case.data_sets[0][0]
    for constraint in schema.type_constraints:
        names = {name for i, name in enumerate(node.input) if type_name(schema.inputs, i) == constraint.type_param_str}
        names |= {name for i, name in enumerate(node.output) if type_name(schema.outputs, i) == constraint.type_param_str}
        for name in sorted(set(constraint.allowed_type_strs) & set(TYPES)):
            model = copy.deepcopy(case.model)
            values = [value for value in (*model.graph.input, *model.graph.output) if value.name in names]
            for value in values:
                value.type.tensor_type.elem_type = TYPES[name]
            if values:
                feeds = {value.name: ort.OrtValue.ortvalue_from_numpy_with_onnx_type(
                             converted(array, value.type.tensor_type.elem_type), value.type.tensor_type.elem_type)
                         for value, array in zip(model.graph.input, arrays)}
                yield f"{constraint.type_param_str} {name}", model.SerializeToString(), feeds


def holds(model, feeds, device, report):
    """None where the node is not the plugin's, or runs there; else why it does not. Sessions that cannot be created are left
    out: ONNX Runtime has no kernel for what is not claimed."""
    report.write_text("")
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.add_session_config_entry("ep.vkdml.report", str(report))
    options.add_provider_for_devices([device], {})
    try:
        session = ort.InferenceSession(model, options)
    except Exception:
        return None
    nodes = [line for line in report.read_text().splitlines() if not line.startswith("plan")]
    if not all(line.startswith("vkdml") for line in nodes):
        return None
    session.disable_fallback()
    try:
        session.run_with_ort_values(None, feeds)
    except Exception as error:
        return str(error)[-200:]
    return None


def is_plain(case):
    """Whether the case is of one node, whose inputs are tensors of numbers."""
    return (case.model is not None and len(case.model.graph.node) == 1 and
            all(value.type.HasField("tensor_type") for value in case.model.graph.input) and
            all(isinstance(array, (np.ndarray, np.generic)) and array.dtype.kind in "biuf" for array in case.data_sets[0][0]))


def chosen(texts):
    """The first such case of each operator, and the operator's schema."""
    found = {}
    for case in filter(is_plain, collect_testcases(None)):
        node = case.model.graph.node[0]
        versions = {opset.domain: opset.version for opset in case.model.opset_import}
        if node.op_type not in found and node.domain in versions and (not texts or any(text in node.op_type for text in texts)):
            found[node.op_type] = case, onnx.defs.get_schema(node.op_type, versions[node.domain], node.domain)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("texts", nargs="*")
    given = parser.parse_args()
    os.environ.setdefault("VKDML_ONNXRUNTIME_SOFTWARE", "1")
    ort.register_execution_provider_library("vkdml", str(pathlib.Path(given.plugin).resolve()))
    device = next(device for device in ort.get_ep_devices() if device.ep_name == "vkdml")
    bad, found = 0, chosen(given.texts)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        for number, (op, (case, schema)) in enumerate(found.items(), 1):
            reasons = [f"{name}: {reason}" for name, model, feeds in variants(case, schema)
                       if (reason := holds(model, feeds, device, report)) is not None]
            bad += bool(reasons)
            print(f"{'not ok' if reasons else 'ok'} {number} - {op}{', ' if reasons else ''}{'; '.join(reasons)}", flush=True)
    print(f"{len(found) - bad} passed, {bad} failed, 0 skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
