#!/usr/bin/env python3
"""Times ONNX models through ONNX Runtime: by the plugin, by its CPU provider and, where the package is installed, by its WebGPU
provider. Prints a Markdown table: creating a session, the first run, and the median of later runs, in milliseconds, from host
memory to host memory; and how many times as long as ours others take.

onnx_models.py [--size whole|small] [--seconds S] [--cache FOLDER] [--json FILE] [NAME..]

The models are those of tests/onnx/models.py, and `add`, four floats. The modules vkdml, onnx, onnxruntime and numpy must be found.
"""
import argparse
import glob
import importlib.util
import json
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "onnx"))
import models  # noqa: E402
import onnx_networks  # noqa: E402
import vkdml.onnxruntime  # noqa: E402

DEFAULT = ("add", "light_squeezenet", "light_shufflenet", "light_inception_v1", "light_resnet50", "light_densenet121", "mobilenet_v2",
           "resnet50_int8", "bert_128")


def add():
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xyz"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "y"], ["z"])], "add", ends[:2], ends[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return model, {name: np.ones(4, np.float32) for name in "xy"}


def made(name, size):
    if name == "add":
        return add()
    if name.startswith("light_") or name == "tagger":
        return models.models()[name]()
    network = onnx_networks.network_model(name, size)
    return network.model, network.inputs


def webgpu_options():
    spec = importlib.util.find_spec("onnxruntime_ep_webgpu")
    if spec is None:
        return None
    library = glob.glob(os.path.join(os.path.dirname(spec.origin), "**", "*webgpu*.so"), recursive=True)[0]
    onnxruntime.register_execution_provider_library("webgpu", library)

    def options():
        result = onnxruntime.SessionOptions()
        devices = [device for device in onnxruntime.get_ep_devices() if "WebGpu" in device.ep_name]
        result.add_provider_for_devices(devices[:1], {})
        return result
    return options


def timed(model, inputs, options, seconds):
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    session.disable_fallback()
    created = time.perf_counter()
    outputs = session.run(None, inputs)
    first, samples = time.perf_counter(), []
    while len(samples) < 5 or time.perf_counter() < first + seconds:
        begin = time.perf_counter()
        session.run(None, inputs)
        samples.append(time.perf_counter() - begin)
    return {"session_ms": 1e3 * (created - start), "first_ms": 1e3 * (first - created),
            "run_ms": 1e3 * statistics.median(samples)}, outputs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--size", choices=["whole", "small"], default="whole")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--cache", help="a folder where the plugin keeps pipelines: run twice for the first run with a warm one")
    parser.add_argument("--json")
    parser.add_argument("--write-add", metavar="FILE", help="writes the model `add`, for onnx_latency, and ends")
    options = parser.parse_args()
    if options.write_add:
        pathlib.Path(options.write_add).write_bytes(add()[0].SerializeToString())
        return
    providers = {"vkdml": lambda: vkdml.onnxruntime.session_options(cache=options.cache), "CPU": onnxruntime.SessionOptions}
    webgpu = webgpu_options()
    if webgpu:
        providers["WebGPU"] = webgpu
    others = list(providers)[1:]
    results = []
    print(f"| model | session | first run | run | {' | '.join(f'{name} run | times' for name in others)} |")
    print("|---|---|---|---|" + "---|---|" * len(others))
    for name in options.names or DEFAULT:
        model, inputs = made(name, options.size)
        row = {"model": name, "device": vkdml.onnxruntime.devices()[0].ep_metadata["vulkan_device"], "size": options.size}
        expected = None
        for provider, make in providers.items():
            try:
                row[provider], outputs = timed(model, inputs, make(), options.seconds)
                if provider == "vkdml":
                    expected = outputs
                elif expected is not None:
                    row[provider]["apart"] = max(models.difference(a, b) for a, b in zip(outputs, expected))
            except Exception as error:
                row[provider] = {"error": str(error).splitlines()[0][:200]}
                print(f"# {name}, {provider}: {row[provider]['error']}", file=sys.stderr)
        ours = row["vkdml"]
        if "run_ms" in ours:
            cells = [f"{ours[key]:.3g}" for key in ("session_ms", "first_ms", "run_ms")]
            for other in others:
                there = "run_ms" in row[other]
                cells += [f"{row[other]['run_ms']:.3g}", f"{row[other]['run_ms'] / ours['run_ms']:.2f}"] if there else ["", ""]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
        results.append(row)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
