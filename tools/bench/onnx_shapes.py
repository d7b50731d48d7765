#!/usr/bin/env python3
"""Measures models whose input shapes change, and models with large weights: vkdml.Model and the plugin, beside ONNX Runtime's CPU
provider and, where the package is installed, its WebGPU provider.

onnx_shapes.py [--repeat N] [--mib N] [--json FILE] [NAME..]

Each NAME is a part: recognizer (a convolutional network of an open batch and an open width), encoder (24 transformer layers of an
open batch and an open length), weights (a model with --mib MiB of external weights, 1024 by default). Without a NAME all run.

Each figure is taken in a process of its own. For shapes, in milliseconds:
  create   opening the model or creating the session
  first    the first run
  again    the median of later runs of that shape
  new size, new batch
           the median, over the first runs of shapes that are new, of what a first run takes beyond a later run of its shape
  device   MiB of device memory after all shapes, as vkdml.Model reports it: weights + tensors
For weights: peak and later resident memory in MiB, and how many times as much as the CPU provider's.
The figures of one call belong together: compare them with one another. The modules vkdml, onnx, onnxruntime and numpy must be found.
"""
import argparse
import glob
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

WIDTHS, LENGTHS, BATCHES = (320, 328, 336, 400, 480, 240), (20, 23, 26, 29, 32, 40), (2, 3)
HIDDEN, LAYERS, HEADS, INNER = 256, 24, 4, 1024
PROVIDERS = ("vkdml.Model", "plugin", "cpu", "webgpu")


# ---- models ----


def weight(onnx, random, name, shape):
    return onnx.numpy_helper.from_array((random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1)).astype(np.float32), name)


class Making:
    """Nodes and weights of a model."""

    def __init__(self, onnx):
        self.onnx, self.random, self.nodes, self.weights = onnx, np.random.default_rng(1), [], []

    def node(self, op, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(op, inputs, [name], **attributes))
        return name

    def weight(self, *shape):
        self.weights.append(weight(self.onnx, self.random, f"w{len(self.weights)}", shape))
        return f"w{len(self.weights) - 1}"

    def numbers(self, *values):
        self.weights.append(self.onnx.numpy_helper.from_array(np.array(values, np.int64), f"w{len(self.weights)}"))
        return f"w{len(self.weights) - 1}"

    def model(self, shape, output):
        float32 = self.onnx.TensorProto.FLOAT
        ends = [self.onnx.helper.make_tensor_value_info(name, float32, of) for name, of in (("x", shape), (output, None))]
        graph = self.onnx.helper.make_graph(self.nodes, "shapes", ends[:1], ends[1:], self.weights)
        return self.onnx.helper.make_model(graph, opset_imports=[self.onnx.helper.make_opsetid("", 17)], ir_version=8)


def recognizer(onnx):
    """Like a recognizer of text lines: convolutions that lower the height alone, then a classifier per column."""
    make = Making(onnx)
    value, channels = "x", 3
    for wide, stride in ((32, 2), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1)):
        for groups, size, kernel in ((channels, channels, 3), (1, wide, 1)):
            strides = [stride, 1] if kernel == 3 else [1, 1]
            value = make.node("Conv", [value, make.weight(size, channels // groups, kernel, kernel), make.weight(size)],
                              strides=strides, pads=[kernel // 2] * 4, group=groups)
            value = make.node("Relu", [value])
        channels = wide
    value = make.node("ReduceMean", [value], axes=[2], keepdims=0)
    value = make.node("MatMul", [make.node("Transpose", [value], perm=[0, 2, 1]), make.weight(channels, 512)])
    return make.model(["batch", 3, 48, "width"], make.node("Softmax", [value], axis=-1))


def split(make, x, order):
    return make.node("Transpose", [make.node("Reshape", [x, make.numbers(0, 0, HEADS, HIDDEN // HEADS)])], perm=order)


def encoder(onnx):
    make = Making(onnx)
    value = "x"
    for _ in range(LAYERS):
        q, k, v = (split(make, make.node("MatMul", [value, make.weight(HIDDEN, HIDDEN)]), order)
                   for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = make.node("Softmax", [make.node("MatMul", [q, k])], axis=-1)
        mixed = make.node("Transpose", [make.node("MatMul", [scores, v])], perm=[0, 2, 1, 3])
        mixed = make.node("MatMul", [make.node("Reshape", [mixed, make.numbers(0, 0, HIDDEN)]), make.weight(HIDDEN, HIDDEN)])
        value = make.node("LayerNormalization", [make.node("Add", [value, mixed]), make.weight(HIDDEN), make.weight(HIDDEN)])
        inner = make.node("Relu", [make.node("MatMul", [value, make.weight(HIDDEN, INNER)])])
        inner = make.node("MatMul", [inner, make.weight(INNER, HIDDEN)])
        value = make.node("LayerNormalization", [make.node("Add", [value, inner]), make.weight(HIDDEN), make.weight(HIDDEN)])
    return make.model(["batch", "length", HIDDEN], value)


def write_weights(onnx, folder, mebibytes):
    """MatMul after MatMul of 2048 x 2048, 16 MiB each, with data beside the model."""
    size, helper, tensors, nodes = 2048, onnx.helper, [], []
    random = np.random.default_rng(1)
    path = os.path.join(folder, "weights.onnx")
    with open(os.path.join(folder, "weights.data"), "wb") as file:
        for i in range(max(1, mebibytes // 16)):
            tensor = onnx.TensorProto(name=f"w{i}", data_type=onnx.TensorProto.FLOAT, dims=[size, size])
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key, value in (("location", "weights.data"), ("offset", str(file.tell())), ("length", str(4 * size * size))):
                tensor.external_data.add(key=key, value=value)
            file.write(((random.random((size, size), np.float32) - 0.5) * 0.08).tobytes())
            tensors.append(tensor)
            nodes.append(helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]))
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["batch", size]) for name in ("v0", nodes[-1].output[0])]
    graph = helper.make_graph(nodes, "weights", ends[:1], ends[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


# ---- one provider, in a process of its own ----


def webgpu_library():
    spec = importlib.util.find_spec("onnxruntime_ep_webgpu")
    found = glob.glob(os.path.join(os.path.dirname(spec.origin), "**", "*webgpu*.so"), recursive=True) if spec else []
    return found[0] if found else None


def runner(provider, path):
    """A function that runs a model on an array, and one that tells its device memory."""
    if provider == "vkdml.Model":
        import vkdml
        model = vkdml.Model(path)
        name = model.inputs[0].name
        return lambda x: model.run({name: x}), lambda: model.memory._asdict()
    import onnxruntime
    options = onnxruntime.SessionOptions()
    if provider == "plugin":
        import vkdml.onnxruntime
        options = vkdml.onnxruntime.session_options(options)
    elif provider == "webgpu":
        onnxruntime.register_execution_provider_library("webgpu", webgpu_library())
        devices = [device for device in onnxruntime.get_ep_devices() if "WebGpu" in device.ep_name]
        options.add_provider_for_devices(devices[:1], {})
    session = onnxruntime.InferenceSession(path, options)
    name = session.get_inputs()[0].name
    return lambda x: session.run(None, {name: x}), lambda: None


def timed(function, *arguments):
    begin = time.perf_counter()
    result = function(*arguments)
    return 1e3 * (time.perf_counter() - begin), result


def resident():
    with open("/proc/self/status", encoding="ascii") as file:
        lines = dict(line.split(":", 1) for line in file if line.startswith("Vm"))
    return {name: int(lines[key].split()[0]) / 1024 for name, key in (("peak", "VmHWM"), ("later", "VmRSS"))}


def measure_shapes(provider, path, shapes, repeat):
    random = np.random.default_rng(2)
    create, (run, memory) = timed(runner, provider, path)
    rows = []
    for shape in shapes:
        x = random.random(shape, np.float32)
        first = timed(run, x)[0]
        rows.append({"shape": shape, "first": first, "again": statistics.median(timed(run, x)[0] for _ in range(repeat))})
    return {"create": create, "shapes": rows, "memory": memory(), **resident()}


def measure_weights(provider, path):
    create, (run, memory) = timed(runner, provider, path)
    x = np.ones((1, 2048), np.float32)
    first = timed(run, x)[0]
    return {"create": create, "first": first, "again": timed(run, x)[0], "memory": memory(), **resident()}


def measure_here(given):
    request = json.loads(given)
    with open(os.devnull, "w", encoding="ascii") as nothing:
        output, sys.stdout = sys.stdout, nothing
        result = (measure_weights(request["provider"], request["path"]) if request["part"] == "weights" else
                  measure_shapes(request["provider"], request["path"], request["shapes"], request["repeat"]))
        sys.stdout = output
    print(json.dumps(result))


def measure(**request):
    done = subprocess.run([sys.executable, __file__, "--measure", json.dumps(request)], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


# ---- tables ----


def beyond(rows):
    return statistics.median(max(0.0, row["first"] - row["again"]) for row in rows)


def shape_row(provider, result, sizes):
    base, more, batches = result["shapes"][0], result["shapes"][1:sizes], result["shapes"][sizes:]
    memory = result["memory"]
    device = f"{memory['weights'] / 2**20:.1f} + {memory['tensors'] / 2**20:.1f}" if memory else ""
    return [provider, f"{result['create']:.0f}", f"{base['first']:.0f}", f"{base['again']:.1f}", f"{beyond(more):.1f}",
            f"{beyond(more) / base['again']:.2f}", f"{beyond(batches):.1f}", device, f"{result['peak']:.0f}"]


def print_table(title, rows):
    print(f"\n| {title} |\n|{'---|' * title.count('|')}---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def shapes_of(part):
    if part == "recognizer":
        return [(1, 3, 48, width) for width in WIDTHS] + [(batch, 3, 48, WIDTHS[0]) for batch in BATCHES]
    return [(1, length, HIDDEN) for length in LENGTHS] + [(batch, LENGTHS[0], HIDDEN) for batch in BATCHES]


def compare_shapes(onnx, part, folder, providers, repeat):
    path = os.path.join(folder, f"{part}.onnx")
    onnx.save({"recognizer": recognizer, "encoder": encoder}[part](onnx), path)
    results = {provider: measure(part=part, provider=provider, path=path, shapes=shapes_of(part), repeat=repeat)
               for provider in providers}
    rows = [shape_row(provider, result, len(WIDTHS)) for provider, result in results.items() if result]
    print_table(f"{part} | create | first | again | new size | .. of a later run | new batch | device | peak resident", rows)
    return results


def compare_weights(onnx, folder, providers, mebibytes):
    path = write_weights(onnx, folder, mebibytes)
    results = {provider: measure(part="weights", provider=provider, path=path) for provider in providers}
    cpu, rows = results["cpu"], []
    for provider, result in results.items():
        if result:
            memory = result["memory"]
            ratios = [f"{result[name] / cpu[name]:.2f}" if cpu else "" for name in ("peak", "later")]
            rows.append([provider, f"{result['create']:.0f}", f"{result['first']:.0f}", f"{result['again']:.1f}",
                         f"{result['peak']:.0f}", ratios[0], f"{result['later']:.0f}", ratios[1],
                         f"{memory['weights'] / 2**20:.1f} + {memory['tensors'] / 2**20:.1f}" if memory else ""])
    print_table(f"{mebibytes} MiB of weights | create | first | again | peak resident | .. of CPU's | later | .. of CPU's | device", rows)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="later runs of each shape")
    parser.add_argument("--mib", type=int, default=1024, help="MiB of weights")
    parser.add_argument("--json", help="writes the figures there")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="recognizer, encoder, weights")
    options = parser.parse_args()
    if options.measure:
        measure_here(options.measure)
        return
    unknown = set(options.names) - {"recognizer", "encoder", "weights"}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    import onnx
    providers = [provider for provider in PROVIDERS if provider != "webgpu" or webgpu_library()]
    results = {}
    with tempfile.TemporaryDirectory(prefix="vkdml-shapes-") as folder:
        for part in options.names or ("recognizer", "encoder", "weights"):
            results[part] = (compare_weights(onnx, folder, providers, options.mib) if part == "weights" else
                             compare_shapes(onnx, part, folder, providers, options.repeat))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1), encoding="ascii")


if __name__ == "__main__":
    main()
