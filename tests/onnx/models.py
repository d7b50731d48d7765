#!/usr/bin/env python3
"""Whole models through ONNX Runtime: by the plugin and by its CPU provider, every tensor in between compared. Prints a line of TAP
for each model, with how many of its nodes are ours and the largest difference, as a share of the greatest element of its tensor;
and whether vkdml.Model, without ONNX Runtime, makes the same bits of it.

models.py [--list] [--seconds S] [NAME..]

The models: ONNX's light ones, with random weights for the constants that they have; the networks of examples/networks, small;
MobileNetV3; an LSTM tagger. --seconds: also times whole runs, after the first, for so long. The module vkdml, onnx, onnxruntime
and numpy must be found.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import mobilenet_v3

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench"))
import onnx_networks  # noqa: E402
import vkdml.onnxruntime  # noqa: E402

onnxruntime.set_default_logger_severity(4)
LIGHT = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
BOUND = 1e-4  # of FLOAT32; sums of thousands of terms, and what is amplified on the way
NETWORKS = ("bert_128", "decoder", "decoder_12", "detector", "mobilenet_v2", "resnet50", "resnet50_int8", "unet")


def random_weights(model, rng):
    """Weights are one number each, in light models, by ConstantOfShape: numbers of a size that keeps activations in range."""
    constants = {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}
    readers = {name: (node.op_type, i) for node in model.graph.node for i, name in enumerate(node.input)}
    kept = []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in constants:
            kept.append(node)
            continue
        shape = [int(size) for size in constants[node.input[0]]]
        reader, place = readers.get(node.output[0], ("", 0))
        if reader == "BatchNormalization":
            values = rng.uniform(0.5, 1.5, shape) if place in (1, 4) else rng.normal(0, 0.1, shape)
        elif len(shape) < 2:
            values = rng.normal(0, 0.1, shape) if reader != "Unsqueeze" else rng.uniform(0.5, 1.5, shape)
        else:
            values = rng.normal(0, 1, shape) * np.sqrt(2 / np.prod(shape[1:]))
        model.graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    names = {value.name for value in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in names]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = 8  # before 4 constants were inputs, too
    return model


def light(name):
    rng = np.random.default_rng(1)
    model = random_weights(onnx.load(LIGHT / f"{name}.onnx"), rng)
    inputs = {}
    for value in model.graph.input:
        shape = [size.dim_value or 1 for size in value.type.tensor_type.shape.dim]
        inputs[value.name] = rng.uniform(0, 1, shape).astype(np.float32)
    return model, inputs


def network(name):
    made = onnx_networks.network_model(name, "small")
    return made.model, made.inputs


def tagger():
    """Words to tags: embeddings, an LSTM in both directions, a product and softmax."""
    rng = np.random.default_rng(2)
    words, width, hidden, tags = 100, 32, 24, 9

    def weights(*shape):
        return (rng.normal(0, 1, shape) / np.sqrt(shape[-1])).astype(np.float32)

    constants = {"embeddings": weights(words, width), "w": weights(2, 4 * hidden, width), "r": weights(2, 4 * hidden, hidden),
                 "b": weights(2, 8 * hidden), "to_tags": weights(2 * hidden, tags), "shape": np.array([0, 0, -1], np.int64)}
    nodes = [helper.make_node("Gather", ["embeddings", "words"], ["x"]),
             helper.make_node("LSTM", ["x", "w", "r", "b"], ["y", "h"], hidden_size=hidden, direction="bidirectional"),
             helper.make_node("Transpose", ["y"], ["t"], perm=[0, 2, 1, 3]),
             helper.make_node("Reshape", ["t", "shape"], ["flat"]),
             helper.make_node("MatMul", ["flat", "to_tags"], ["scores"]),
             helper.make_node("Softmax", ["scores"], ["tags"], axis=-1)]
    graph = helper.make_graph(nodes, "tagger", [helper.make_tensor_value_info("words", TensorProto.INT64, ["S", "B"])],
                              [helper.make_tensor_value_info("tags", TensorProto.FLOAT, ["S", "B", tags])],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return model, {"words": rng.integers(0, words, (12, 3))}


def models():
    made = {path.stem: (lambda stem=path.stem: light(stem)) for path in sorted(LIGHT.glob("*.onnx"))}
    made.update({name: (lambda name=name: network(name)) for name in NETWORKS})
    made["mobilenet_v3_small"] = lambda: mobilenet_v3.mobilenet_v3(mobilenet_v3.SMALL, 1024)
    made["mobilenet_v3_large"] = lambda: mobilenet_v3.mobilenet_v3(mobilenet_v3.LARGE, 1280)
    made["tagger"] = tagger
    return made


def with_all_outputs(model):
    """Every float in between is an output, too."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    known = {value.name for value in copy.graph.output}
    for node in copy.graph.node:
        # What Dropout's mask is where nothing is dropped, versions before 12 leave open.
        for name in node.output[:1] if node.op_type == "Dropout" else node.output:
            if name and name not in known:
                copy.graph.output.append(helper.make_empty_tensor_value_info(name))
                known.add(name)
    return copy


def session(model, options):
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Weights of more than 2 GiB would need another way in.
    made = onnxruntime.InferenceSession(model.SerializeToString(), options)
    made.disable_fallback()
    return made


def difference(expected, got):
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return float("inf")
    if expected.dtype.kind != "f" and expected.dtype.itemsize > 1:
        return 0.0 if np.array_equal(expected, got) else float("inf")
    scale = np.abs(expected).max(initial=0) or 1
    return float(np.abs(expected.astype(np.float64) - got).max(initial=0) / scale)


def is_a_step_apart(expected, got):
    """A few quantized numbers, of sums that lie between two: what comes behind is as far apart as that makes it."""
    steps = np.abs(expected.astype(np.float64) - got)
    return expected.dtype.itemsize == 1 and steps.max() <= 1 and np.count_nonzero(steps) <= max(1, 1e-3 * steps.size)


def by_plugin(model, inputs, folder):
    """The outputs, a report's line for each node, and how many parts were planned."""
    report = pathlib.Path(folder) / "report"
    report.unlink(missing_ok=True)
    got = session(model, vkdml.onnxruntime.session_options(report=str(report))).run(None, inputs)
    lines = [line.split("\t") for line in report.read_text().splitlines()]
    nodes = [line for line in lines if line[0] != "plan"]
    return got, nodes, len(lines) - len(nodes)


def by_runner(model, inputs, folder):
    path = pathlib.Path(folder) / "model.onnx"
    onnx.save(model, path)
    with vkdml.Model(path) as runner:
        return list(runner.run(inputs).values())


def other_bits(model, inputs, folder, through):
    """Where ONNX Runtime gives the plugin a model in one part, vkdml.Model makes the same graph of it, and the same bits: names
    of outputs of which that is wrong, or None where there are more parts. `through`: what by_plugin() gave."""
    got, nodes, parts = through
    if parts != 1 or any(line[0] != "vkdml" for line in nodes):
        return None
    names = [value.name for value in model.graph.output]
    return [name for name, a, b in zip(names, got, by_runner(model, inputs, folder), strict=True)
            if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes()]


def check(name, model, inputs, seconds):
    whole = with_all_outputs(model)
    expected = session(whole, onnxruntime.SessionOptions()).run(None, inputs)
    with tempfile.TemporaryDirectory() as folder:
        fused, through = by_plugin(model, inputs, folder), by_plugin(whole, inputs, folder)
        others = [other_bits(model, inputs, folder, fused), other_bits(whole, inputs, folder, through)]
    got, nodes, parts = through
    names = [value.name for value in whole.graph.output]
    differences = [difference(a, b) for a, b in zip(expected, got)]
    worst = max(zip(differences, names))
    order = {name: i for i, node in enumerate(whole.graph.node) for name in node.output}
    beyond = sorted((order[name], name, i) for i, (value, name) in enumerate(zip(differences, names)) if value > BOUND)
    apart = max(map(difference, got, fused[0]))  # more is fused where not all is an output
    right = apart <= BOUND and (not beyond or is_a_step_apart(expected[beyond[0][2]], got[beyond[0][2]]))
    first = f", the first beyond {BOUND} at {beyond[0][1]}" if beyond else ""
    first += f", fused {apart:.1e} apart" if apart > BOUND else ""
    text = (f"{name}: {sum(line[0] == 'vkdml' for line in nodes)} of {len(nodes)} nodes, {worst[0]:.1e} at {worst[1]} of "
            f"{len(names)} tensors{first}")
    for other in sorted({f"{line[1]}: {line[3]}" for line in nodes if line[0] != "vkdml"}):
        print(f"# {name}: not ours: {other}")
    if None in others:
        text += f"; in {parts} parts, so not held to vkdml.Model"
        right = False
    elif any(others):
        text += f"; vkdml.Model has other bits of {', '.join(sum(others, [])[:4])}"
        right = False
    else:
        text += "; vkdml.Model's bits"
    if seconds:
        text += timed(model, inputs, seconds)
    return right, text


def timed(model, inputs, seconds):
    def median(options):
        start = time.perf_counter()
        one = session(model, options)
        made = time.perf_counter()
        one.run(None, inputs)
        first, samples = time.perf_counter(), []
        while len(samples) < 3 or time.perf_counter() < first + seconds:
            begin = time.perf_counter()
            one.run(None, inputs)
            samples.append(time.perf_counter() - begin)
        return [1e3 * value for value in (made - start, first - made, statistics.median(samples))]

    ours, cpu = median(vkdml.onnxruntime.session_options()), median(onnxruntime.SessionOptions())
    return f"; session {ours[0]:.0f} ms, first run {ours[1]:.0f}, then {ours[2]:.2f}; CPU provider {cpu[2]:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    all_models = models()
    if options.list:
        print("\n".join(all_models))
        return 0
    failed = 0
    for number, name in enumerate(options.names or all_models, 1):
        try:
            right, text = check(name, *all_models[name](), options.seconds)
        except Exception as error:
            right, text = False, f"{name}: {str(error).splitlines()[0][:300]}"
        failed += not right
        print(f"{'ok' if right else 'not ok'} {number} - {text}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
