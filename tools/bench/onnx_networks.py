"""The networks of examples/networks as ONNX models, with the same weights, run by ONNX Runtime on the CPU with one thread.

tools/check/networks.py holds the graphs to these, tools/bench/networks.py times them.
"""
import math
import pathlib
import sys
from typing import Dict, NamedTuple, Tuple

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/networks"))
import networks  # noqa: E402
from layers import DTYPES, Layers  # noqa: E402

OPSET = 20  # Gelu's first
EPSILON = 1e-5
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float16): TensorProto.FLOAT16,
         np.dtype(np.uint32): TensorProto.INT64, np.dtype(np.int64): TensorProto.INT64}


class Value(NamedTuple):
    name: str
    shape: Tuple[int, ...]


class OnnxLayers(Layers):
    """Layers as nodes of an ONNX model."""

    def __init__(self, type_="FLOAT32"):
        super().__init__(type_)
        self.nodes, self.weights, self.taken_inputs, self.named = [], [], [], {}

    def node(self, kind, inputs, shape, count=1, **attributes):
        """A value of this shape, or a list of as many as count says."""
        names = [f"v{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(kind, [value.name if value else "" for value in inputs], names, **attributes))
        values = [Value(name, tuple(shape)) for name in names]
        return values if count > 1 else values[0]

    def weight(self, values):
        if isinstance(values, Value):
            return values
        key = id(values)
        if key not in self.named:  # with the array, which keeps its id its own
            values = values.astype(np.int64) if values.dtype == np.uint32 else values
            name = f"w{len(self.weights)}"
            self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
            self.named[key] = (Value(name, values.shape), values)
        return self.named[key][0]

    def numbers(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, np.int64), name))
        return Value(name, (len(values),))

    def flat(self, values):
        return values if values is None or isinstance(values, Value) else self.weight(values.reshape(-1))

    def taken(self, name, values):
        self.taken_inputs.append(helper.make_tensor_value_info(name, TYPES[values.dtype], values.shape))
        return Value(name, values.shape)

    def convolution(self, x, weights, bias, stride, padding, groups):
        window = weights.shape[2:]
        sizes = [(size + 2 * padding - width) // stride + 1 for size, width in zip(x.shape[2:], window)]
        return self.node("Conv", [x, self.weight(weights), *([self.flat(bias)] if bias is not None else [])],
                         (x.shape[0], weights.shape[0], *sizes), strides=[stride] * 2, pads=[padding] * 4, group=groups)

    def quantization(self, x, scale, signed=False):
        numbers = [self.weight(np.array(scale, np.float32)), self.weight(np.array(0, np.int8 if signed else np.uint8))]
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, *numbers], x.shape), *numbers], x.shape)

    def dequantization(self, weights, scales):
        """A bias is flat, as Conv takes it."""
        weights = weights.reshape(-1) if weights.dtype == np.int32 else weights
        axis = 0 if weights.ndim == 1 else int(np.argmax(scales.shape))
        return self.node("DequantizeLinear", [self.weight(weights), self.flat(scales)], weights.shape, axis=axis)

    def batch_normalization(self, x, mean, variance, scale, bias):
        parameters = [self.flat(values) for values in (scale, bias, mean, variance)]
        return self.node("BatchNormalization", [x, *parameters], x.shape, epsilon=EPSILON)

    def mean_variance_normalization(self, x, scale, bias, axes):
        if len(axes) == 1:
            return self.node("LayerNormalization", [x, self.flat(scale), self.flat(bias)], x.shape, axis=-1, epsilon=EPSILON)
        batch, groups, channels, pixels = x.shape  # each group is normalized, each of its channels scaled
        rows = self.reshape(x, (batch, groups * channels, pixels))
        one, zero = np.ones(groups, DTYPES[self.type]), np.zeros(groups, DTYPES[self.type])
        rows = self.node("InstanceNormalization", [self.reshape(rows, (batch, groups, channels * pixels)), self.weight(one),
                                                   self.weight(zero)], (batch, groups, channels * pixels), epsilon=EPSILON)
        return self.add(self.multiply(self.reshape(rows, x.shape), self.weight(scale)), bias)

    def gemm(self, a, b, bias=None, transposed=False):
        b = self.weight(b)
        if transposed:
            b = self.transpose(b, (*range(len(b.shape) - 2), len(b.shape) - 1, len(b.shape) - 2))
        product = self.node("MatMul", [a, b], (*a.shape[:-1], b.shape[-1]))
        return product if bias is None else self.add(product, bias)

    def unary(self, kind, x, **attributes):
        return self.node(kind, [x], x.shape, **attributes)

    def relu(self, x):
        return self.unary("Relu", x)

    def relu6(self, x):
        limits = [self.weight(np.array(limit, DTYPES[self.type])) for limit in (0, 6)]
        return self.node("Clip", [x, *limits], x.shape)

    def gelu(self, x):
        return self.unary("Gelu", x)

    def sigmoid(self, x):
        return self.unary("Sigmoid", x)

    def softmax(self, x):
        return self.unary("Softmax", x, axis=-1)

    def add(self, a, b):
        return self.node("Add", [a, self.weight(b)], a.shape)

    def multiply(self, a, b):
        return self.node("Mul", [a, b], a.shape)

    def scale(self, x, factor):
        return self.multiply(x, self.weight(np.array(factor, DTYPES[self.type])))

    def max_pooling(self, x, window, stride):
        sizes = [(size + 2 * (window // 2) - window) // stride + 1 for size in x.shape[2:]]
        return self.node("MaxPool", [x], (*x.shape[:2], *sizes), kernel_shape=[window] * 2, strides=[stride] * 2,
                         pads=[window // 2] * 4)

    def average(self, x):
        return self.node("GlobalAveragePool", [x], (*x.shape[:2], 1, 1))

    def upsample(self, x):
        scales = self.weight(np.array([1, 1, 2, 2], np.float32))
        return self.node("Resize", [x, None, scales], (*x.shape[:2], 2 * x.shape[2], 2 * x.shape[3]), mode="nearest",
                         coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def join(self, parts, axis):
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return self.node("Concat", parts, shape, axis=axis)

    def split(self, x, count, axis):
        shape = list(x.shape)
        shape[axis] //= count
        return self.node("Split", [x], shape, count, axis=axis, num_outputs=count)

    def gather(self, x, indices):
        x, count = self.weight(x), math.prod(indices.shape)
        return self.node("Gather", [x, self.reshape(indices, (count,))], (1, 1, count, x.shape[3]), axis=2)

    def top_k(self, x, k):
        return self.node("TopK", [x, self.numbers([k])], (*x.shape[:-1], k), 2)

    def nonzero(self, x, threshold):
        limit = self.weight(np.full(1, threshold, DTYPES[self.type]))
        found = self.node("NonZero", [self.node("Greater", [x, limit], x.shape)], (4, -1))  # coordinates by dimension
        found = self.transpose(found, (1, 0))
        count = self.node("Slice", [self.node("Shape", [found], (2,)), self.numbers([0]), self.numbers([1])], (1,))
        return (self.reshape(count, (1, 1, 1, 1)),
                self.node("Reshape", [found, self.numbers([1, 1, -1, 4])], (1, 1, -1, 4)))

    def reshape(self, x, sizes):
        return self.node("Reshape", [x, self.numbers(sizes)], sizes)

    def transpose(self, x, axes):
        return self.node("Transpose", [x], [x.shape[axis] for axis in axes], perm=list(axes))

    def pack(self, x):
        return x

    def model(self, outputs):
        untyped = [helper.make_empty_tensor_value_info(value.name) for value in outputs.values()]
        graph = helper.make_graph(self.nodes, "network", self.taken_inputs, untyped, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        return onnx.shape_inference.infer_shapes(model)


class Network(NamedTuple):
    model: onnx.ModelProto
    inputs: Dict[str, np.ndarray]
    outputs: Dict[str, Value]


def network_model(name, size, type_="FLOAT32"):
    """A network as a model, inputs for it, and its outputs by their names there."""
    net = OnnxLayers(type_)
    outputs = networks.build(name, size, net)
    inputs = {name: values.astype(np.int64) if values.dtype == np.uint32 else values for name, values in net.inputs.items()}
    return Network(net.model(outputs), inputs, outputs)


def onnx_network(name, size, type_="FLOAT32"):
    """A function that runs a network, and returns its outputs as arrays by name: indices of 32 bits, as the graphs have."""
    model, inputs, outputs = network_model(name, size, type_)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])

    def run():
        arrays = session.run([value.name for value in outputs.values()], inputs)
        return {name: array.astype(np.uint32) if array.dtype == np.int64 else array for name, array in zip(outputs, arrays)}
    return run
