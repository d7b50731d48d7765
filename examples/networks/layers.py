"""Layers of networks with random weights. What a network is made of it says by the methods of Layers; what computes them are the
operations below: operators of a vkdml.Graph here, PyTorch's and ONNX's in tools/bench/network_peers.py, with the same weights.
"""
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

DTYPES = {"FLOAT32": np.float32, "FLOAT16": np.float16}


class Layers:
    """What networks are written in. Values are what operations return; they have a `shape`. Weights and inputs follow from the
    seed alone, in the order in which they are asked for.

    Attributes:
        type: FLOAT32 or FLOAT16, of all weights and values but indices.
        inputs: values for the network's inputs, by name.
    """

    def __init__(self, type_: str = "FLOAT32", seed: int = 1):
        self.type = type_
        self.inputs: Dict[str, np.ndarray] = {}
        self._random = np.random.default_rng(seed)

    def draw(self, sizes: Sequence[int], deviation: float = 1.0, mean: float = 0.0) -> np.ndarray:
        """Normally distributed, but not negative where the mean is 1."""
        values = self._random.standard_normal(sizes, np.float32) * np.float32(deviation) + np.float32(mean)
        return (np.abs(values) if mean == 1 else values).astype(DTYPES[self.type])

    def input(self, name: str, sizes: Sequence[int]) -> Any:
        self.inputs[name] = self.draw(sizes)
        return self.taken(name, self.inputs[name])

    def indices(self, name: str, sizes: Sequence[int], limit: int) -> Any:
        self.inputs[name] = self._random.integers(0, limit, sizes, np.uint32)
        return self.taken(name, self.inputs[name])

    def mask(self, name: str, sizes: Sequence[int]) -> Any:
        """What is added to scores: 0, and much less where attention is not to look, at the end."""
        kept = np.arange(sizes[-1]) < sizes[-1] - sizes[-1] // 8
        self.inputs[name] = np.ascontiguousarray(np.broadcast_to(np.where(kept, 0, -10000), sizes), DTYPES[self.type])
        return self.taken(name, self.inputs[name])

    # ---- layers ----

    def convolve(self, x: Any, channels: int, window: int, stride: int = 1, groups: int = 1, bias: bool = False) -> Any:
        """As large as the input, or smaller by the stride."""
        sizes = (channels, x.shape[1] // groups, window, window)
        weights = self.draw(sizes, 1 / math.sqrt(math.prod(sizes[1:])))
        return self.convolution(x, weights, self.draw((1, channels, 1, 1), 0.1) if bias else None, stride, window // 2, groups)

    def normalize_batch(self, x: Any) -> Any:
        sizes = (1, x.shape[1], 1, 1)
        mean, variance = self.draw(sizes, 0.1), self.draw(sizes, 0.1, 1.0)
        return self.batch_normalization(x, mean, variance, self.draw(sizes, 0.1, 1.0), self.draw(sizes, 0.1))

    def normalize_layer(self, x: Any) -> Any:
        sizes = (1, 1, 1, x.shape[3])
        return self.mean_variance_normalization(x, self.draw(sizes, 0.1, 1.0), self.draw(sizes, 0.1), [3])

    def normalize_groups(self, x: Any, groups: int) -> Any:
        """A group of channels is a row of all their pixels."""
        batch, channels, height, width = x.shape
        sizes = (1, groups, channels // groups, 1)
        scale, bias = self.draw(sizes, 0.1, 1.0), self.draw(sizes, 0.1)
        rows = self.reshape(x, (batch, groups, channels // groups, height * width))
        return self.reshape(self.mean_variance_normalization(rows, scale, bias, [2, 3]), x.shape)

    def connect(self, x: Any, width: int, bias: bool = True) -> Any:
        """A dense layer of tokens (1, batch, tokens, channels)."""
        rows = self.reshape(x, (1, 1, math.prod(x.shape[:-1]), x.shape[-1]))
        weights = self.draw((1, 1, x.shape[-1], width), 1 / math.sqrt(x.shape[-1]))
        rows = self.gemm(rows, weights, self.draw((1, 1, 1, width), 0.1) if bias else None)
        return self.reshape(rows, (*x.shape[:-1], width))

    # Of 8 bits, as quantized models are written: what is quantized is dequantized at once, and layers are of floats between.

    def quantize_weights(self, sizes: Sequence[int], deviation: float, axis: int) -> Tuple[np.ndarray, np.ndarray]:
        """INT8, and a scale for each place along the axis."""
        weights = self.draw(sizes, deviation).astype(np.float32)
        others = tuple(d for d in range(len(sizes)) if d != axis)
        scales = np.abs(weights).max(axis=others, keepdims=True) / np.float32(127)
        return np.rint(weights / scales).astype(np.int8), scales

    def quantized_convolve(self, x: Any, scale: float, channels: int, window: int, stride: int = 1, gain: float = 1.0) -> Any:
        """Of an input of that scale; the bias is of 32 bits."""
        sizes = (channels, x.shape[1], window, window)
        weights, scales = self.quantize_weights(sizes, gain * math.sqrt(2 / math.prod(sizes[1:])), 0)
        units = scales.reshape(1, channels, 1, 1) * np.float32(scale)
        bias = np.rint(self.draw(units.shape, 0.1).astype(np.float32) / units).astype(np.int32)
        bias_values = self.dequantization(bias, units)
        return self.convolution(x, self.dequantization(weights, scales), bias_values, stride, window // 2, 1)

    def quantized_connect(self, x: Any, width: int) -> Any:
        """As connect(), of tokens that are quantized."""
        weights, scales = self.quantize_weights((1, 1, x.shape[-1], width), 1 / math.sqrt(x.shape[-1]), 3)
        return self.gemm(x, self.dequantization(weights, scales), self.draw((1, 1, 1, width), 0.1))

    def silu(self, x: Any) -> Any:
        return self.multiply(x, self.sigmoid(x))

    def heads(self, x: Any, count: int) -> Any:
        """(1, batch, tokens, channels) by heads: (batch, heads, tokens, channels of each), without being moved."""
        _, batch, tokens, channels = x.shape
        return self.transpose(self.reshape(x, (batch, tokens, count, channels // count)), (0, 2, 1, 3))

    def attend(self, query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        """Of heads; the heads of each token side by side again."""
        scores = self.scale(self.gemm(query, key, transposed=True), 1 / math.sqrt(query.shape[3]))
        if mask is not None:
            scores = self.add(scores, mask)
        context = self.gemm(self.softmax(scores), value)
        batch, count, tokens, channels = context.shape
        context = self.pack(self.transpose(context, (0, 2, 1, 3)))
        return self.reshape(context, (1, batch, tokens, count * channels))

    # ---- operations ----

    def taken(self, name: str, values: np.ndarray) -> Any:
        """An input of the network."""
        raise NotImplementedError


class GraphLayers(Layers):
    """Layers as nodes of a vkdml.Graph, an operator each: nothing is fused but the bias that CONVOLUTION and GEMM have."""

    def __init__(self, type_: str = "FLOAT32", seed: int = 1):
        import vkdml
        super().__init__(type_, seed)
        self.graph = vkdml.Graph()
        self.add_node = self.graph.add

    def weight(self, name: str, values: np.ndarray, sizes: Optional[Sequence[int]] = None) -> Any:
        weight = self.graph.weight(values, name)
        return weight if sizes is None else weight.broadcast_to(sizes)

    def taken(self, name: str, values: np.ndarray) -> Any:
        return self.graph.input(name, values.shape, values.dtype)

    def convolution(self, x: Any, weights: np.ndarray, bias: Optional[np.ndarray], stride: int, padding: int, groups: int) -> Any:
        return self.add_node("CONVOLUTION", InputTensor=x, FilterTensor=weights, BiasTensor=bias, Strides=[stride] * 2,
                             StartPadding=[padding] * 2, EndPadding=[padding] * 2, GroupCount=groups)

    def batch_normalization(self, x: Any, mean: np.ndarray, variance: np.ndarray, scale: np.ndarray, bias: np.ndarray) -> Any:
        return self.add_node("BATCH_NORMALIZATION", InputTensor=x, MeanTensor=mean, VarianceTensor=variance, ScaleTensor=scale,
                             BiasTensor=bias)

    def mean_variance_normalization(self, x: Any, scale: np.ndarray, bias: np.ndarray, axes: List[int]) -> Any:
        return self.add_node("MEAN_VARIANCE_NORMALIZATION1", InputTensor=x, ScaleTensor=self.weight("scale", scale, x.shape),
                             BiasTensor=self.weight("bias", bias, x.shape), Axes=axes)

    def gemm(self, a: Any, b: Any, bias: Optional[np.ndarray] = None, transposed: bool = False) -> Any:
        if bias is not None:
            bias = self.weight("bias", bias, (*a.shape[:-1], bias.shape[-1]))
        return self.add_node("GEMM", ATensor=a, BTensor=b, CTensor=bias, TransB="TRANSPOSE" if transposed else "NONE")

    def quantization(self, x: Any, scale: float, signed: bool = False) -> Any:
        """To 8 bits, and back."""
        of_all = self.graph.constant(np.full((1,) * len(x.shape), scale, np.float32)).broadcast_to(x.shape)
        zero = self.graph.constant(np.zeros((1,) * len(x.shape), np.int8 if signed else np.uint8)).broadcast_to(x.shape)
        x = self.add_node("ELEMENT_WISE_QUANTIZE_LINEAR", InputTensor=x, ScaleTensor=of_all, ZeroPointTensor=zero)
        return self.add_node("ELEMENT_WISE_DEQUANTIZE_LINEAR", InputTensor=x, ScaleTensor=of_all, ZeroPointTensor=zero)

    def dequantization(self, weights: np.ndarray, scales: np.ndarray) -> Any:
        of_all = self.graph.constant(scales).broadcast_to(weights.shape)
        return self.add_node("ELEMENT_WISE_DEQUANTIZE_LINEAR", InputTensor=self.graph.weight(weights), ScaleTensor=of_all)

    def relu(self, x: Any) -> Any:
        return self.add_node("ACTIVATION_RELU", InputTensor=x)

    def relu6(self, x: Any) -> Any:
        return self.add_node("ELEMENT_WISE_CLIP", InputTensor=x, Min=0, Max=6)

    def gelu(self, x: Any) -> Any:
        return self.add_node("ACTIVATION_GELU", InputTensor=x)

    def sigmoid(self, x: Any) -> Any:
        return self.add_node("ACTIVATION_SIGMOID", InputTensor=x)

    def tanh(self, x: Any) -> Any:
        return self.add_node("ACTIVATION_TANH", InputTensor=x)

    def softmax(self, x: Any) -> Any:
        return self.add_node("ACTIVATION_SOFTMAX1", InputTensor=x, Axes=[-1])

    def add(self, a: Any, b: Any) -> Any:
        """b is broadcast."""
        b = self.weight("summand", b) if isinstance(b, np.ndarray) else b
        return self.add_node("ELEMENT_WISE_ADD", ATensor=a, BTensor=b.broadcast_to(a.shape))

    def multiply(self, a: Any, b: Any) -> Any:
        return self.add_node("ELEMENT_WISE_MULTIPLY", ATensor=a, BTensor=b)

    def scale(self, x: Any, factor: float) -> Any:
        return self.add_node("ELEMENT_WISE_IDENTITY", InputTensor=x, ScaleBias=(factor, 0))

    def max_pooling(self, x: Any, window: int, stride: int) -> Any:
        return self.add_node("MAX_POOLING", InputTensor=x, WindowSize=[window] * 2, Strides=[stride] * 2,
                             StartPadding=[window // 2] * 2, EndPadding=[window // 2] * 2)

    def average(self, x: Any) -> Any:
        """Of each channel."""
        return self.add_node("AVERAGE_POOLING", InputTensor=x, WindowSize=x.shape[2:])

    def upsample(self, x: Any) -> Any:
        return self.add_node("UPSAMPLE_2D", InputTensor=x, ScaleSize=(2, 2), InterpolationMode="NEAREST_NEIGHBOR")

    def join(self, parts: List[Any], axis: int) -> Any:
        return self.add_node("JOIN", InputTensors=parts, Axis=axis)

    def split(self, x: Any, count: int, axis: int) -> List[Any]:
        return self.add_node("SPLIT", InputTensor=x, OutputCount=count, Axis=axis)

    def gather(self, x: Any, indices: Any) -> Any:
        """Rows of (1, 1, rows, channels): (1, 1, indices, channels)."""
        return self.add_node("GATHER", InputTensor=x, IndicesTensor=indices, Axis=2, IndexDimensions=1)

    def top_k(self, x: Any, k: int) -> Tuple[Any, Any]:
        """Along the last axis, the largest first, and their indices."""
        return self.add_node("TOP_K", InputTensor=x, Axis=-1, K=k)

    def nonzero(self, x: Any, threshold: float) -> Tuple[Any, Any]:
        """How many elements are greater, and the coordinates of those."""
        limit = self.weight("limit", np.full((1,) * len(x.shape), threshold, DTYPES[self.type]), x.shape)
        found = self.add_node("ELEMENT_WISE_LOGICAL_GREATER_THAN", ATensor=x, BTensor=limit)
        return self.add_node("NONZERO_COORDINATES", InputTensor=found)

    def reshape(self, x: Any, sizes: Sequence[int]) -> Any:
        return x.reshape(sizes)

    def transpose(self, x: Any, axes: Sequence[int]) -> Any:
        return x.transpose(axes)

    def pack(self, x: Any) -> Any:
        return self.add_node("ELEMENT_WISE_IDENTITY", InputTensor=x)


Outputs = Dict[str, Any]
