"""Operators of ONNX models, compared with formulas in NumPy: those for which ONNX Runtime's CPU provider is no exact
measure, or has no kernel. Prints TAP. test_onnx_operators.py HARNESS_FOLDER"""
import os
import sys
import tempfile
import unittest

import numpy as np

import tap
import vkdml

sys.path.insert(0, sys.argv[1])
from onnx_models import FLOAT, FLOAT16, INT32, INT64, INT8, UINT8, model, node, tensor, value_info  # noqa: E402

MICROSOFT = "com.microsoft"
TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.float16): FLOAT16, np.dtype(np.int32): INT32, np.dtype(np.int8): INT8,
         np.dtype(np.uint8): UINT8}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def dequantize(quantized, scale, zero):
    """Weights {D, K, 4 H}, with numbers {D} or {D, 4 H}."""
    scale, zero = (array.astype(np.float64).reshape(len(quantized), 1, -1) for array in (scale, zero))
    return (quantized - zero) * scale


def round_to_bytes(x):
    """DynamicQuantizeLinear and back."""
    least, greatest = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = (greatest - least) / np.float32(255)
    zero = np.clip(np.rint(-least / scale), 0, 255)
    return (np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * np.float64(scale)


def lstm(x, weights, recurrence, bias, lengths, hidden, cell, peepholes, backward):
    """One direction, gates in the order i, o, f, c: all states {steps, batch, H}, and the last cell."""
    steps, batch, _ = x.shape
    size = hidden.shape[-1]
    states, hidden, cell = np.zeros((steps, batch, size)), hidden.copy(), cell.copy()
    for row in range(batch):
        order = range(lengths[row])
        for t in reversed(order) if backward else order:
            gates = x[t, row] @ weights + hidden[row] @ recurrence + bias[:4 * size] + bias[4 * size:]
            i, o, f, c = np.split(gates, 4)
            p_i, p_o, p_f = np.split(peepholes, 3)
            i, f = sigmoid(i + p_i * cell[row]), sigmoid(f + p_f * cell[row])
            cell[row] = f * cell[row] + i * np.tanh(c)
            hidden[row] = sigmoid(o + p_o * cell[row]) * np.tanh(cell[row])
            states[t, row] = hidden[row]
    return states, hidden, cell


class Operators(unittest.TestCase):
    label = "operators"

    def setUp(self):
        self.random = np.random.default_rng(5)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "net.onnx")

    def floats(self, *sizes, scale=1.0, dtype=np.float32):
        return (self.random.standard_normal(sizes) * scale).astype(dtype)

    def run_node(self, op, inputs, outputs, constants=(), **attributes):
        """The outputs of one node of com.microsoft; inputs are arrays or None, those of `constants` are initializers."""
        names = ["" if array is None else f"x{i}" for i, array in enumerate(inputs)]
        parts = {is_constant: [(names[i], TYPES[array.dtype], array.shape, array) for i, array in enumerate(inputs)
                               if array is not None and (i in constants) == is_constant] for is_constant in (True, False)}
        with open(self.path, "wb") as file:
            file.write(model([node(op, names, [f"y{i}" for i in range(len(outputs))], domain=MICROSOFT, **attributes)],
                             [value_info(*part[:3]) for part in parts[False]],
                             [value_info(f"y{i}", type_, None) for i, type_ in enumerate(outputs)],
                             [tensor(*part[:3], part[3].ravel().tolist()) for part in parts[True]]))
        with vkdml.Model(self.path) as net:
            made = net.run({part[0]: part[3] for part in parts[False]})
        return [made[f"y{i}"] for i in range(len(outputs))]

    def weights(self, directions, inner, size, dtype, per_column):
        zero = 0 if dtype == np.int8 else 120
        weights = np.clip(np.rint(self.random.standard_normal((directions, inner, 4 * size)) * 20) + zero,
                          np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
        sizes = (directions, 4 * size) if per_column else (directions,)
        return weights, self.random.uniform(.01, .03, sizes).astype(np.float32), np.full(sizes, zero, dtype)

    def test_dynamic_quantize_lstm(self):
        """DynamicQuantizeLSTM: both directions, lengths, states, peepholes, types and scales of weights"""
        steps, batch, inner, size = 6, 2, 5, 8
        for direction, dtype, per_column, is_full in (("forward", np.int8, False, False), ("reverse", np.uint8, False, True),
                                                      ("bidirectional", np.int8, True, True),
                                                      ("forward", np.uint8, True, False)):
            count = 2 if direction == "bidirectional" else 1
            x = self.floats(steps, batch, inner)
            w, w_scale, w_zero = self.weights(count, inner, size, dtype, per_column)
            r, r_scale, r_zero = self.weights(count, size, size, dtype, per_column)
            bias, peepholes = self.floats(count, 8 * size), self.floats(count, 3 * size, scale=.3)
            states = [self.random.uniform(-1, 1, (count, batch, size)).astype(np.float32) for _ in range(2)]
            lengths = np.array([4, 6], np.int32)
            optional = [bias, lengths, *states, peepholes] if is_full else [None] * 5
            got = self.run_node("DynamicQuantizeLSTM", [x, w, r, *optional, w_scale, w_zero, r_scale, r_zero], [FLOAT] * 3,
                                constants=range(1, 12), hidden_size=size, direction=direction)
            if not is_full:
                bias, peepholes, states = bias * 0, peepholes * 0, [state * 0 for state in states]
                lengths = [steps] * batch
            made = [lstm(round_to_bytes(x), dequantize(w, w_scale, w_zero)[d], dequantize(r, r_scale, r_zero)[d],
                         bias[d].astype(float), lengths, states[0][d].astype(float), states[1][d].astype(float),
                         peepholes[d].astype(float), d == 1 or direction == "reverse") for d in range(count)]
            for output, expected in zip(got, (np.stack([m[0] for m in made], 1), np.stack([m[1] for m in made]),
                                              np.stack([m[2] for m in made]))):
                np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5, err_msg=f"{direction} {dtype}")

    def test_skip_group_norm(self):
        """SkipGroupNorm: layouts, shapes of the skip, bias, activation, the sum as an output, FLOAT16"""
        n, channels, rows, columns, groups = 2, 12, 3, 5, 3
        for is_last, skip_rank, has_bias, activation, dtype in ((1, 4, True, 1, np.float32), (1, 2, False, 0, np.float32),
                                                                (0, 4, False, 1, np.float32), (0, 2, True, 0, np.float32),
                                                                (1, 1, True, 1, np.float32), (1, 4, True, 1, np.float16)):
            x = self.floats(n, channels, rows, columns, dtype=dtype)
            skip = self.floats(n, channels, rows if skip_rank == 4 else 1, columns if skip_rank == 4 else 1, dtype=dtype)
            gamma, beta = self.floats(channels), self.floats(channels)
            bias = self.floats(channels, dtype=dtype) if has_bias else None
            total = x.astype(float) + skip + (0 if bias is None else bias.reshape(1, -1, 1, 1).astype(float))
            parts = total.reshape(n, groups, -1)
            y = (parts - parts.mean(-1, keepdims=True)) / np.sqrt(parts.var(-1, keepdims=True) + 1e-5)
            y = y.reshape(total.shape) * gamma.reshape(-1, 1, 1) + beta.reshape(-1, 1, 1)
            y = y * sigmoid(y) if activation else y

            def turned(array):
                return np.ascontiguousarray(array.transpose(0, 2, 3, 1)) if is_last else array

            given = skip.reshape(n, channels) if skip_rank == 2 else turned(skip)
            got = self.run_node("SkipGroupNorm", [turned(x), gamma, beta, given, bias], [TYPES[np.dtype(dtype)]] * 2,
                                activation=activation, groups=groups, channels_last=is_last)
            bound = {"rtol": 2e-3, "atol": 2e-3} if dtype == np.float16 else {"rtol": 1e-5, "atol": 1e-5}
            for output, expected in zip(got, (y, total)):
                self.assertEqual(output.dtype, dtype)
                np.testing.assert_allclose(output, turned(expected), **bound)

    def test_skip_group_norm_refused(self):
        """a skip that does not fit the input is refused"""
        x, gamma = self.floats(2, 3, 5, 4), self.floats(4)
        for skip in (self.floats(2, 3, 5, 3), self.floats(3, 4), self.floats(2, 3, 4)):
            with self.assertRaisesRegex(vkdml.Error, "SkipGroupNorm"):
                self.run_node("SkipGroupNorm", [x, gamma, gamma, skip], [FLOAT], activation=0, groups=2)


def half(name, *values):
    return tensor(name, FLOAT16, [], values)


AXIS = [tensor("axis", INT64, [1], [-1])]
RMS = [node("Pow", ["x", "two"], ["s"]), node("ReduceMean", ["s"], ["m"], axes=[-1]), node("Add", ["m", "epsilon"], ["e"]),
       node("Sqrt", ["e"], ["r"])]
LAYER = [node("ReduceMean", ["x"], ["m"], axes=[-1]), node("Sub", ["x", "m"], ["d"])]
SQUARES = [node("Mul", ["d", "d"], ["s"]), node("ReduceMean", ["s"], ["v"], axes=[-1]), node("Add", ["v", "epsilon"], ["e"]),
           node("Sqrt", ["e"], ["r"]), node("Div", ["d", "r"], ["y"])]
SOFTMAX = [node("ReduceMax", ["c"], ["g"], axes=[-1]), node("Sub", ["c", "g"], ["d"]), node("Exp", ["d"], ["p"]),
           node("ReduceSum", ["p", "axis"], ["s"]), node("Div", ["p", "s"], ["y"])]
SCORES = [node("Transpose", ["x"], ["t"], perm=[0, 2, 1]), node("MatMul", ["x", "t"], ["q"]), node("Mul", ["q", "scale"], ["f"]),
          node("Add", ["f", "mask"], ["c"])]
NUMBERS = [half("two", 2), half("epsilon", 2 ** -20), half("scale", 2 ** -8), half("mask", -3)]
PATTERNS = {
    "RMS normalization": RMS + [node("Div", ["x", "r"], ["y"])],
    "RMS normalization by a reciprocal, with a scale": RMS + [node("Reciprocal", ["r"], ["i"]), node("Mul", ["x", "i"], ["n"]),
                                                              node("Mul", ["scale", "n"], ["y"])],
    "L2 norm": [node("Mul", ["x", "x"], ["s"]), node("ReduceSum", ["s", "axis"], ["m"], keepdims=0), node("Sqrt", ["m"], ["r"]),
                node("Unsqueeze", ["r", "axis"], ["n"]), node("Div", ["x", "n"], ["y"])],
    "layer normalization": LAYER + SQUARES,
    "attention": SCORES + [node("Softmax", ["c"], ["y"], axis=-1)],
    "attention, with softmax written out": SCORES + SOFTMAX,
    "no pattern": [node("Mul", ["x", "x"], ["s"]), node("ReduceMean", ["s"], ["y"], axes=[-1])],
}


def expected_of(name, x):
    """In double precision."""
    x = x.astype(float)
    if name.startswith("RMS"):
        y = x / np.sqrt((x * x).mean(-1, keepdims=True) + 2 ** -20)
        return y * 2 ** -8 if "scale" in name else y
    if name == "L2 norm":
        return x / np.sqrt((x * x).sum(-1, keepdims=True))
    if name == "layer normalization":
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 2 ** -20)
    if name == "no pattern":
        return np.full(x.shape[:-1] + (1,), np.inf)
    scores = x @ x.swapaxes(1, 2) * 2 ** -8 - 3
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


class Intermediates(unittest.TestCase):
    """float32_intermediates: what FLOAT16 nodes write out as parts."""
    label = "float32_intermediates"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "net.onnx")

    def run_nodes(self, nodes, x, outputs=("y",), **options):
        with open(self.path, "wb") as file:
            file.write(model(nodes, [value_info("x", FLOAT16, x.shape)], [value_info(name, FLOAT16, None) for name in outputs],
                             NUMBERS + AXIS))
        with vkdml.Model(self.path, **options) as net:
            return net.run({"x": x})

    def test_patterns(self):
        """squares and scores beyond 65504 do not overflow; without the option they do, as the model states"""
        x = np.array([[[300, 0, -299, 290], [270, 1, 280, -260], [3, 280, 299, 2]]], np.float16)
        for name, nodes in PATTERNS.items():
            wide = self.run_nodes(nodes, x, float32_intermediates=True)["y"]
            self.assertEqual(wide.dtype, np.float16)
            np.testing.assert_allclose(wide, expected_of(name, x), rtol=2e-3, atol=1e-3, err_msg=name)
            with np.errstate(all="ignore"):
                narrow = self.run_nodes(nodes, x)["y"]
                self.assertFalse(name != "no pattern" and np.allclose(narrow, expected_of(name, x), rtol=2e-3, atol=1e-3), name)
        np.testing.assert_array_equal(self.run_nodes(PATTERNS["RMS normalization"], np.array([[300, 0]], np.float16))["y"], [[0, 0]])

    def test_values_in_between(self):
        """an intermediate value that is an output, too, is FLOAT16"""
        x = np.array([[30, 0, -29, 25]], np.float16)
        made = self.run_nodes(PATTERNS["RMS normalization"], x, ("y", "s", "m", "r"), float32_intermediates=True)
        self.assertEqual({array.dtype for array in made.values()}, {np.dtype(np.float16)})
        np.testing.assert_array_equal(made["s"], [[900, 0, 841, 625]])
        np.testing.assert_allclose(made["r"], [[np.sqrt(np.square(x.astype(float)).mean())]], rtol=1e-3)

    def test_other_types(self):
        """models of FLOAT, and FLOAT16 nodes outside of patterns, give the same bits"""
        x = np.random.default_rng(3).standard_normal((2, 3, 8)).astype(np.float16)
        nodes = [node("Mul", ["x", "scale"], ["a"]), node("Exp", ["a"], ["b"]), node("Sub", ["b", "x"], ["y"])]
        np.testing.assert_array_equal(self.run_nodes(nodes, x)["y"], self.run_nodes(nodes, x, float32_intermediates=True)["y"])
        with open(self.path, "wb") as file:
            file.write(model(RMS[:1] + [node("ReduceMean", ["s"], ["m"], axes=[-1]), node("Sqrt", ["m"], ["r"]),
                                        node("Div", ["x", "r"], ["y"])],
                             [value_info("x", FLOAT, x.shape)], [value_info("y", FLOAT, None)], [tensor("two", FLOAT, [], [2])]))
        bits = [vkdml.Model(self.path, float32_intermediates=wide).run({"x": x.astype(np.float32)})["y"] for wide in (False, True)]
        np.testing.assert_array_equal(*bits)


if __name__ == "__main__":
    sys.argv[1:] = []
    tap.main()
