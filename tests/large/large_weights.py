#!/usr/bin/env python3
"""A model whose weights exceed 4 GiB together: in a file that has holes, so that it takes little of the disk. By vkdml.Model and by
the plugin, each in a process of its own; the device takes that memory, and lavapipe's is the host's. Each weight moves elements to
other places, so that one read from a wrong place of the file changes the result. Prints TAP.

large_weights.py [--mib N]      weights of at least N MiB together; 4224. With the module vkdml, onnx, onnxruntime and numpy
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper

SIDE, MOVED = 8192, 64  # of a weight; rows at its begin, and at its end, that are not 0
WEIGHT_BYTES = 4 * SIDE * SIDE
ROWS = np.r_[0:MOVED, SIDE - MOVED:SIDE]


def order(number):
    return np.random.default_rng(number).permutation(len(ROWS))


def write(folder, count):
    path, tensors, nodes = os.path.join(folder, "large.onnx"), [], []
    with open(os.path.join(folder, "large.data"), "wb") as file:
        for i in range(count):
            tensor = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[SIDE, SIDE], data_location=TensorProto.EXTERNAL)
            for key, value in (("location", "large.data"), ("offset", str(i * WEIGHT_BYTES)), ("length", str(WEIGHT_BYTES))):
                tensor.external_data.add(key=key, value=value)
            for row, column in zip(ROWS, ROWS[order(i)]):
                file.seek(i * WEIGHT_BYTES + 4 * (int(row) * SIDE + int(column)))
                file.write(np.float32(1).tobytes())
            tensors.append(tensor)
            nodes.append(helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]))
        file.truncate(count * WEIGHT_BYTES)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", SIDE]) for name in ("v0", f"v{count}")]
    graph = helper.make_graph(nodes, "large", ends[:1], ends[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def run(path, by, rows):
    """The outputs of one shape after another, and the device memory of weights, where it is reported."""
    feeds = [np.random.default_rng(n).random((n, SIDE), np.float32) for n in rows]
    if by == "vkdml.Model":
        import vkdml
        with vkdml.Model(path) as model:
            return feeds, [model.run({"v0": x}) for x in feeds], model.memory.weights
    import onnxruntime
    import vkdml.onnxruntime
    session = onnxruntime.InferenceSession(path, vkdml.onnxruntime.session_options())
    session.disable_fallback()
    return feeds, [dict(enumerate(session.run(None, {"v0": x}))) for x in feeds], None


def check(path, by, count):
    """In this process. An error, or a line of what was measured."""
    feeds, outputs, weights = run(path, by, (1, 3))
    for x, (y,) in zip(feeds, map(dict.values, outputs)):
        expected, moved = np.zeros_like(x), x[:, ROWS]
        for i in range(count):
            moved[:, order(i)] = moved.copy()
        expected[:, ROWS] = moved
        assert np.array_equal(y, expected), "other elements"
    total = count * WEIGHT_BYTES
    assert weights is None or total <= weights <= total * 1.01, f"{weights} bytes of weights on the device, must be {total}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"{by}: {total / 2**20:.0f} MiB of weights, peak of resident memory {peak:.0f} MiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=4224)
    parser.add_argument("--check", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.check:
        check(options.check[0], options.check[1], int(options.check[2]))
        return 0
    count, failed = -(-options.mib * 2**20 // WEIGHT_BYTES), 0
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, count)
        for number, by in enumerate(("vkdml.Model", "the plugin"), 1):
            done = subprocess.run([sys.executable, __file__, "--check", path, by, str(count)], capture_output=True, text=True, check=False)
            failed += done.returncode != 0
            text = (done.stderr if done.returncode else done.stdout).strip().splitlines()[-1]
            print(f"{'not ok' if done.returncode else 'ok'} {number} - {text}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
