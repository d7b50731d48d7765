#!/usr/bin/env python3
"""Decoders as exporters write them: the plugin generates the CPU provider's tokens, with few plans. Prints TAP.

test_growing.py [TOKENS]      with the module and numpy, onnx and onnxruntime where Python finds them; 8 after a prompt of 60
"""
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import vkdml.onnxruntime

FLOAT, INT64, INT32, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL
TOKENS = int(sys.argv[1]) if len(sys.argv) > 1 else 8
PROMPT = 60
VOCABULARY, HEADS, SIZE = 32, 2, 4
WIDTH = HEADS * SIZE
LEAST = np.float32(-1e9)
MICROSOFT = "com.microsoft"


class Decoder:
    """A graph that is being written; its first input is the new tokens."""

    def __init__(self, opset=18):
        self.opset, self.nodes, self.constants, self.caches = opset, [], [], []
        self.inputs, self.outputs = [("ids", INT64, ["batch", "rows"])], [("logits", FLOAT, ["batch", "rows", VOCABULARY])]
        self.rng = np.random.default_rng(3)

    def node(self, op, *inputs, outputs=None, domain="", **attributes):
        names = outputs or [f"t{len(self.nodes)}"]
        self.nodes.append(helper.make_node(op, list(inputs), names, domain=domain, **attributes))
        return names[0]

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def int(self, value):
        return self.constant(np.int64(value))

    def weights(self, *shape):
        return self.constant(self.rng.standard_normal(shape).astype(np.float32) / 2)

    def project(self, x, width=WIDTH):
        return self.node("MatMul", x, self.weights(WIDTH, width))

    def cache(self, name, past=("batch", HEADS, "past", SIZE)):
        self.inputs.append((name, FLOAT, list(past)))
        self.outputs.append(("new_" + name, FLOAT, ["all" if size == "past" else size for size in past]))
        self.caches.append((name, past))
        return name

    def size(self, tensor, dimension):
        return self.node("Gather", self.node("Shape", tensor), self.int(dimension))

    def vector(self, *sizes):
        return self.node("Concat", *(self.node("Unsqueeze", size, self.ints(0)) for size in sizes), axis=0)

    def range(self, start, limit):
        return self.node("Range", start, limit, self.int(1))

    def heads(self, x, heads=HEADS):
        return self.node("Transpose", self.node("Reshape", x, self.ints(0, 0, heads, SIZE)), perm=[0, 2, 1, 3])

    def join(self, y):
        return self.node("Reshape", self.node("Transpose", y, perm=[0, 2, 1, 3]), self.ints(0, 0, WIDTH))

    def append(self, name, tensor, axis=2):
        return self.node("Concat", self.cache(name), tensor, axis=axis, outputs=["new_" + name])

    def model(self):
        values = [[helper.make_tensor_value_info(*value) for value in ends] for ends in (self.inputs, self.outputs)]
        graph = helper.make_graph(self.nodes, "decoder", *values, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def written_out(d, make_mask, repeats=False):
    """Products and a softmax; the mask is added, or chosen by if it is BOOL."""
    x = d.node("Gather", d.weights(VOCABULARY, WIDTH), "ids")
    k, v = (d.append(name, d.heads(d.project(x), HEADS)) for name in "kv")
    past = d.caches[0][0]
    if repeats:
        k, v = repeat(d, k), repeat(d, v)
    scores = d.node("MatMul", d.heads(d.project(x)), d.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = make_mask(d, scores, past, k)
    y = d.node("MatMul", d.node("Softmax", scores, axis=-1), v)
    return d.node("Add", x, d.join(y))


def repeat(d, tensor):
    """As if heads of queries shared keys: each once."""
    batch, heads, length, size = (d.size(tensor, i) for i in range(4))
    shape = d.vector(batch, heads, d.int(1), length, size)
    ones = d.node("ConstantOfShape", d.node("Shape", shape), value=numpy_helper.from_array(np.array([1], np.int64)))
    shape = d.node("Where", d.node("Equal", shape, d.ints(-1)), ones, shape)
    return d.node("Reshape", d.node("Expand", d.node("Unsqueeze", tensor, d.ints(2)), shape), d.vector(batch, heads, length, size))


def no_mask(d, scores, past, k):
    return scores


def padding(d, scores, past, k):
    mask = d.node("Cast", d.node("Unsqueeze", "mask", d.ints(1, 2)), to=FLOAT)
    return d.node("Add", scores, d.node("Mul", d.node("Sub", d.constant(np.float32(1)), mask), d.constant(LEAST)))


def ends(d, past):
    return d.size(past, 2), d.node("Add", d.size(past, 2), d.size("ids", 1))


def positions(d, scores, past, k):
    begin, end = ends(d, past)
    columns, rows = d.range(d.int(0), end), d.node("Unsqueeze", d.range(begin, end), d.ints(1))
    return d.node("Where", d.node("LessOrEqual", columns, rows), scores, d.constant(LEAST))


def triangle(d, past):
    begin, end = ends(d, past)
    value = numpy_helper.from_array(np.array([LEAST]))
    full = d.node("ConstantOfShape", d.vector(d.size("ids", 1), end), value=value)
    upper = d.node("Trilu", full, d.int(1), upper=1)
    behind = d.node("Greater", d.range(d.int(0), end), d.node("Reshape", d.range(begin, end), d.ints(-1, 1)))
    return d.node("Unsqueeze", d.node("Mul", upper, d.node("Cast", behind, to=FLOAT)), d.ints(0, 1))


def table(d, scores, past, k):
    """A part of a table of all positions."""
    length, rows = d.size(k, -2), d.size("ids", 1)
    begin, end = d.vector(d.node("Sub", length, rows)), d.vector(length)
    keep = d.constant(np.tril(np.ones((1, 1, 512, 512), bool)))
    keep = d.node("Slice", d.node("Slice", keep, begin, end, d.ints(2)), d.ints(0), end, d.ints(3))
    return d.node("Where", keep, scores, d.constant(LEAST))


def scattered(d, scores, past, k):
    """A part of the causal mask is filled and put back."""
    causal, width = triangle(d, past), d.vector(d.size("mask", 1))
    part = d.node("Slice", causal, d.ints(0), width, d.ints(3))
    is_padding = d.node("Equal", d.node("Unsqueeze", "mask", d.ints(1, 2)), d.ints(0))
    filled = d.node("Where", is_padding, d.constant(LEAST), part)
    places = [d.node("Reshape", d.range(d.int(0), d.size(causal, i)), d.ints(-1, *[1] * (3 - i))) for i in range(4)]
    shape = d.node("Shape", d.node("Add", d.node("Add", places[0], places[1]), d.node("Add", places[2], places[3])))
    indices = d.node("Concat", *(d.node("Unsqueeze", d.node("Expand", place, shape), d.ints(-1)) for place in places), axis=-1)
    return d.node("Add", scores, d.node("ScatterND", causal, indices, filled))


def gathered(d, scores, past, k):
    """The padding mask is read at indices of batches and keys."""
    begin, end = ends(d, past)
    batch, rows = d.size("ids", 0), d.size("ids", 1)
    columns = d.node("Reshape", d.range(d.int(0), end), d.ints(1, 1, 1, -1))
    shape = d.vector(batch, d.int(1), rows, end)
    parts = d.node("Reshape", d.range(d.int(0), batch), d.ints(-1, 1, 1, 1)), columns
    indices = d.node("Concat", *(d.node("Unsqueeze", d.node("Expand", part, shape), d.ints(-1)) for part in parts), axis=-1)
    kept = d.node("GatherND", d.node("Cast", "mask", to=BOOL), indices)
    causal = d.node("LessOrEqual", columns, d.node("Reshape", d.range(begin, end), d.ints(1, 1, -1, 1)))
    return d.node("Where", d.node("And", causal, kept), scores, d.constant(LEAST))


def from_positions(d):
    """Embeddings of positions, which the mask's sums are."""
    x = written_out(d, padding)
    places = d.node("Sub", d.node("CumSum", "mask", d.int(1)), d.int(1))
    places = d.node("Where", d.node("Equal", "mask", d.int(0)), d.int(1), places)
    begin = d.vector(d.node("Mul", d.size("ids", 1), d.int(-1)))
    places = d.node("Slice", places, begin, d.ints(2**63 - 1), d.ints(1))
    return d.node("Add", x, d.node("Gather", d.weights(512, WIDTH), places))


def by_attention(d, *rest, **attributes):
    x = d.node("Gather", d.weights(VOCABULARY, WIDTH), "ids")
    parts = [d.project(x) for _ in range(3)]
    inputs = [*parts, *rest, d.cache("k"), d.cache("v")]
    return d.node("Add", x, d.node("Attention", *inputs, outputs=["y", "new_k", "new_v"], q_num_heads=HEADS, kv_num_heads=HEADS,
                                   **attributes))


def by_heads(d, bias, **attributes):
    x = d.node("Gather", d.weights(VOCABULARY, WIDTH), "ids")
    inputs = [*(d.project(x) for _ in range(3)), "", "", bias, d.cache("k"), d.cache("v")]
    return d.node("Add", x, d.node("MultiHeadAttention", *inputs, outputs=["y", "new_k", "new_v"], domain=MICROSOFT, num_heads=HEADS,
                                   **attributes))


def by_stacked_past(d):
    x = d.node("Gather", d.weights(VOCABULARY, WIDTH), "ids")
    inputs = [x, d.weights(WIDTH, 3 * WIDTH), d.weights(3 * WIDTH), d.node("Cast", "mask", to=INT32),
              d.cache("past", (2, "batch", HEADS, "past", SIZE))]
    return d.node("Add", x, d.node("Attention", *inputs, outputs=["y", "new_past"], domain=MICROSOFT, num_heads=HEADS,
                                   unidirectional=1))


MASK, BIAS = ("mask", INT64, ["batch", "total"]), ("bias", FLOAT, ["batch", 1, "rows", "total"])
CASES = {
    "products and a softmax": (lambda d: written_out(d, no_mask), None, 18),
    "a padding mask": (lambda d: written_out(d, padding), MASK, 18),
    "keys that are repeated": (lambda d: written_out(d, padding, True), MASK, 18),
    "a mask of positions": (lambda d: written_out(d, positions), None, 18),
    "a triangle": (lambda d: written_out(d, lambda d, s, past, k: d.node("Add", s, triangle(d, past))), None, 18),
    "a table of positions": (lambda d: written_out(d, table), None, 18),
    "a mask that is scattered": (lambda d: written_out(d, scattered), MASK, 18),
    "a mask that is gathered": (lambda d: written_out(d, gathered), MASK, 18),
    "positions from sums": (from_positions, MASK, 18),
    "Attention": (lambda d: by_attention(d, "", is_causal=1), None, 23),
    "Attention with a bias": (lambda d: by_attention(d, "bias"), BIAS, 24),
    "MultiHeadAttention": (lambda d: by_heads(d, "", unidirectional=1), None, 18),
    "MultiHeadAttention with a bias": (lambda d: by_heads(d, "bias"), BIAS, 18),
    "Attention of com.microsoft": (by_stacked_past, MASK, 18),
}


def feed_of(d, ids, caches, total):
    rows, feed = ids.shape[1], {"ids": ids, **caches}
    for name, _, _ in d.inputs:
        if name == "mask":
            feed[name] = np.ones((1, total), np.int64)
        elif name == "bias":
            reached = np.arange(total)[None] <= np.arange(total - rows, total)[:, None]
            feed[name] = np.where(reached, 0, LEAST).astype(np.float32)[None, None]
    return feed


def generate(d, session):
    ids = np.random.default_rng(1).integers(0, VOCABULARY, (1, PROMPT))
    sizes = {"batch": 1, "past": 0}
    caches = {name: np.zeros([sizes.get(size, size) for size in past], np.float32) for name, past in d.caches}
    tokens = []
    for total in range(PROMPT, PROMPT + TOKENS):
        logits, *made = session.run(None, feed_of(d, ids, caches, total))
        caches = dict(zip(caches, made))
        tokens.append(int(logits[0, -1].argmax()))
        ids = np.array([[(tokens[-1] + total) % VOCABULARY]])
    return tokens


def check(number, name, add, more, opset):
    d = Decoder(opset)
    d.inputs += [more] if more else []
    d.node("MatMul", add(d), d.weights(WIDTH, VOCABULARY), outputs=["logits"])
    model = d.model()
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        session = onnxruntime.InferenceSession(model, vkdml.onnxruntime.session_options(report=str(report)))
        session.disable_fallback()
        ours = generate(d, session)
        lines = [line.split("\t") for line in report.read_text().splitlines()]
    theirs = generate(d, onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]))
    plans, elsewhere = sum(line[0] == "plan" for line in lines), [line[:2] for line in lines if line[0] not in ("plan", "vkdml")]
    most = 3 if TOKENS <= 64 else 8
    good = ours == theirs and len(set(ours)) > 2 and plans <= most and not elsewhere
    print(f"{'ok' if good else 'not ok'} {number} - {name}: the CPU provider's tokens by {most} plans at most\n"
          f"# {plans} plans, {ours}, {theirs}, not on the plugin: {elsewhere}", flush=True)
    return good


def check_capacity(number):
    """Numbers in a shape that equal a plan's capacity: the dimension that grows is another one in each run."""
    good = True
    for shape in ([-1, 256], [8, -1], [0, -1], [256, -1], [4, 2, -1]):
        nodes = [helper.make_node("Reshape", ["x", "s"], ["r"]), helper.make_node("Add", ["r", "one"], ["y"])]
        constants = [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in (("s", shape), ("one", 1))]
        graph = helper.make_graph(nodes, "capacity", [helper.make_tensor_value_info("x", INT64, [8, "n"])],
                                  [helper.make_tensor_value_info("y", INT64, None)], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8).SerializeToString()
        session = onnxruntime.InferenceSession(model, vkdml.onnxruntime.session_options())
        session.disable_fallback()
        for length in (32, 64, 256, 96):
            x = np.arange(8 * length).reshape(8, length)
            good = good and np.array_equal(session.run(None, {"x": x})[0], x.reshape([8 if size == 0 else size for size in shape]) + 1)
    print(f"{'ok' if good else 'not ok'} {number} - shapes that hold a plan's capacity as a number", flush=True)
    return good


def main():
    os.environ.setdefault(vkdml.onnxruntime.SOFTWARE, "1")
    print(f"1..{len(CASES) + 1}")
    good = [check(i + 1, name, *case) for i, (name, case) in enumerate(CASES.items())]
    good.append(check_capacity(len(CASES) + 1))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
