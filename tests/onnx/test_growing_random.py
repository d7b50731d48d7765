#!/usr/bin/env python3
"""Random models of integers whose last size grows: vkdml.Model gives ONNX Runtime's results at each length. Prints TAP.

test_growing_random.py [FIRST LAST]     seeds; with the module and numpy, onnx and onnxruntime where Python finds them; 600 to 659

Numbers in shapes, bounds and indices are often those that a plan has room for (64, 256).
"""
import os
import random
import sys
import tempfile

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import vkdml

INT64 = TensorProto.INT64
SEEDS = range(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else range(600, 660)
LENGTHS = (1, 2, 3, 7, 8, 16, 32, 63, 64, 65, 128, 256, 257)
NUMBERS = (1, 2, 4, 8, 64, 128, 256)
MOST_ELEMENTS = 200000


class Graph:
    def __init__(self, seed):
        self.rng, self.nodes, self.constants = random.Random(seed), [], []
        rows = self.rng.choice((1, 2, 4, 8))
        self.sizes = self.rng.choice(([rows, "n"], [self.rng.choice((1, 2)), rows, "n"]))
        self.values = ["x"]
        for _ in range(self.rng.randint(1, 5)):
            last = self.values[-1] if self.rng.random() < 0.75 else self.rng.choice(self.values)
            self.values.append(getattr(self, self.rng.choice(KINDS))(last))

    def node(self, op, *inputs, outputs=1, **attributes):
        names = [f"{len(self.nodes)}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names[0]

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, np.int64), name))
        return name

    def axis(self):
        return self.rng.choice((0, 1, -1))

    def reshape(self, x):
        shape = [self.rng.choice(NUMBERS + (0, 0)) for _ in range(self.rng.randint(1, 3))]
        if self.rng.random() < 0.85:
            shape[self.rng.randrange(len(shape))] = -1
        return self.node("Reshape", x, self.constant(shape))

    def transpose(self, x):
        return self.node("Transpose", x)

    def add_constant(self, x):
        sizes = [self.rng.choice((1, 1, 2, 4, 8, 64, 256)) for _ in range(self.rng.randint(0, 2))]
        return self.node("Add", x, self.constant(np.arange(int(np.prod(sizes))).reshape(sizes)))

    def add(self, x):
        return self.node("Add", x, self.rng.choice(self.values))

    def concat(self, x):
        both = [x, self.rng.choice(self.values + [self.constant(np.arange(8).reshape([-1] + [1] * (len(self.sizes) - 1)))])]
        self.rng.shuffle(both)
        return self.node("Concat", *both, axis=self.axis())

    def slice(self, x):
        start, end = self.rng.choice(((0, 2), (0, 64), (1, 1000), (-3, 1000), (0, -1), (2, 5), (-64, -1)))
        return self.node("Slice", x, self.constant([start]), self.constant([end]), self.constant([self.axis()]))

    def gather(self, x):
        return self.node("Gather", x, self.constant(self.rng.choice((0, -1, [0, 1], [[0], [-1]]))), axis=self.axis())

    def expand(self, x):
        return self.node("Expand", x, self.constant([self.rng.choice((1, 1, 2, 64, 256)) for _ in range(self.rng.randint(1, 3))]))

    def reduce(self, x):
        return self.node("ReduceSum", x, self.constant([self.axis()]), keepdims=self.rng.choice((0, 1)))

    def cumulate(self, x):
        return self.node("CumSum", x, self.constant(self.axis()), exclusive=self.rng.choice((0, 1)))

    def where(self, x):
        return self.node("Where", self.node("Less", x, self.constant(7)), x, self.rng.choice(self.values))

    def unsqueeze(self, x):
        return self.node("Unsqueeze", x, self.constant([self.axis()]))

    def squeeze(self, x):
        return self.node("Squeeze", x, self.constant([0]))

    def add_length(self, x):
        size = self.node("Gather", self.node("Shape", self.rng.choice(self.values)), self.constant(self.axis()))
        return self.node("Add", x, size)

    def add_range(self, x):
        size = self.node("Gather", self.node("Shape", self.rng.choice(self.values)), self.constant(self.axis()))
        return self.node("Add", x, self.node("Range", self.constant(0), size, self.constant(1)))

    def split(self, x):
        return self.node("Split", x, outputs=2, axis=self.axis())

    def model(self):
        result = self.node("Add", self.values[-1], self.constant(1))
        ends = [helper.make_tensor_value_info("x", INT64, self.sizes)], [helper.make_tensor_value_info(result, INT64, None)]
        graph = helper.make_graph(self.nodes, "growing", *ends, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


KINDS = ["reshape"] * 5 + sorted(name for name in vars(Graph) if name not in ("node", "constant", "axis", "model", "reshape") and
                                 not name.startswith("_"))


def compare(seed, folder):
    """How many lengths agree, and what is wrong at the first that does not. Lengths that ONNX Runtime refuses do not count."""
    made, agreed, ours = Graph(seed), 0, None
    path = os.path.join(folder, f"{seed}.onnx")
    with open(path, "wb") as file:
        file.write(made.model())
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # which would remove what is invalid
    try:
        theirs = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception:  # the shapes contradict each other
        return 0, None
    for length in made.rng.sample(LENGTHS, 4):
        x = np.random.default_rng(length).integers(0, 20, [length if size == "n" else size for size in made.sizes])
        try:
            expected = theirs.run(None, {"x": x})[0]
        except Exception:
            continue
        if not 0 < expected.size <= MOST_ELEMENTS:
            continue
        try:
            ours = ours or vkdml.Model(path, prepare=False)
            (found,) = ours.run({"x": x}).values()
        except vkdml.Error as error:
            return agreed, f"{length}: {error}"
        if not np.array_equal(np.asarray(found), expected):
            return agreed, f"{length}: another result"
        agreed += 1
    return agreed, None


def main():
    onnxruntime.set_default_logger_severity(4)
    os.environ.setdefault("VKDML_ONNXRUNTIME_SOFTWARE", "1")
    with tempfile.TemporaryDirectory() as folder:
        results = {seed: compare(seed, folder) for seed in SEEDS}
    wrong = {seed: reason for seed, (_, reason) in results.items() if reason is not None}
    agreed = sum(count for count, _ in results.values())
    good = not wrong and agreed > len(SEEDS)
    print(f"1..1\n{'ok' if good else 'not ok'} 1 - {agreed} runs of {len(SEEDS)} models agree; wrong, by seed: {wrong}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
