"""The networks of examples/networks by PyTorch, as people call it there, with the same weights: they follow from the seed.

tools/check/networks.py holds the graphs to these, tools/bench/networks.py times them.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/networks"))
import networks  # noqa: E402
from layers import Layers  # noqa: E402


class TorchLayers(Layers):
    """Layers that compute at once. What is asked for again after replay() has the weights and the inputs that it had."""

    def __init__(self, type_="FLOAT32", device="cpu"):
        import torch
        super().__init__(type_)
        self.torch, self.device, self.function = torch, device, torch.nn.functional
        self.drawn, self.again, self.tensors, self.dequantized = [], None, {}, 0

    def replay(self):
        self.again, self.dequantized = iter(self.drawn), 0

    def draw(self, sizes, deviation=1.0, mean=0.0):
        if self.again is not None:
            return next(self.again)
        self.drawn.append(super().draw(sizes, deviation, mean))
        return self.drawn[-1]

    def weight(self, values, key=None):
        """On the device, once; of weights no more dimensions than PyTorch wants are others than 1."""
        if isinstance(values, self.torch.Tensor):
            return values
        key = id(values) if key is None else key
        if key not in self.tensors:
            values = values.astype(np.int64) if values.dtype == np.uint32 else np.array(values)
            self.tensors[key] = self.torch.from_numpy(values).to(self.device)
        return self.tensors[key]

    def taken(self, name, values):
        return self.weight(values, name)

    def convolution(self, x, weights, bias, stride, padding, groups):
        bias = None if bias is None else self.weight(bias).flatten()
        return self.function.conv2d(x, self.weight(weights), bias, stride, padding, 1, groups)

    def quantization(self, x, scale, signed=False):
        return self.torch.fake_quantize_per_tensor_affine(x, scale, 0, *((-128, 127) if signed else (0, 255)))

    def dequantization(self, weights, scales):
        self.dequantized += 1
        return self.weight(weights.astype(np.float32) * scales, f"dequantized {self.dequantized}")

    def batch_normalization(self, x, mean, variance, scale, bias):
        return self.function.batch_norm(x, *(self.weight(values).flatten() for values in (mean, variance, scale, bias)))

    def mean_variance_normalization(self, x, scale, bias, axes):
        normalized = self.function.layer_norm(x, [x.shape[axis] for axis in axes])
        return normalized * self.weight(scale) + self.weight(bias)

    def gemm(self, a, b, bias=None, transposed=False):
        b = self.weight(b) if isinstance(b, np.ndarray) else b
        if bias is not None:
            return self.torch.addmm(self.weight(bias).flatten(), a.flatten(0, 2), b[0, 0])[None, None]
        return self.torch.matmul(a, b.transpose(2, 3) if transposed else b)

    def relu(self, x):
        return self.torch.relu(x)

    def relu6(self, x):
        return self.function.relu6(x)

    def gelu(self, x):
        return self.function.gelu(x)

    def sigmoid(self, x):
        return self.torch.sigmoid(x)

    def softmax(self, x):
        return self.torch.softmax(x, -1)

    def add(self, a, b):
        return a + (self.weight(b) if isinstance(b, np.ndarray) else b)

    def multiply(self, a, b):
        return a * b

    def scale(self, x, factor):
        return x * factor

    def max_pooling(self, x, window, stride):
        return self.function.max_pool2d(x, window, stride, window // 2)

    def average(self, x):
        return x.mean((2, 3), keepdim=True)

    def upsample(self, x):
        return self.function.interpolate(x, scale_factor=2)

    def join(self, parts, axis):
        return self.torch.cat(parts, axis)

    def split(self, x, count, axis):
        return x.chunk(count, axis)

    def gather(self, x, indices):
        x = self.weight(x) if isinstance(x, np.ndarray) else x
        return x[:, :, indices.flatten()]

    def top_k(self, x, k):
        return self.torch.topk(x, k, -1)

    def nonzero(self, x, threshold):
        kept = (x > threshold).nonzero()
        return kept.new_tensor([[[[len(kept)]]]]), kept[None, None]

    def reshape(self, x, sizes):
        return x.reshape(tuple(sizes))

    def transpose(self, x, axes):
        return x.permute(*axes)

    def pack(self, x):
        return x.contiguous()


def torch_network(name, size, type_="FLOAT32", device="cpu", compiled=False):
    """A function that runs a network, and returns its outputs as tensors: FLOAT32 without TF32. compiled: by torch.compile, of
    the operations that PyTorch was seen to do, which need not ask for weights by name again.
    """
    net = TorchLayers(type_, device)
    net.torch.backends.cuda.matmul.allow_tf32 = net.torch.backends.cudnn.allow_tf32 = False
    with net.torch.no_grad():
        networks.build(name, size, net)

    def run():
        net.replay()
        with net.torch.inference_mode():
            return networks.build(name, size, net)
    return compile_torch(net.torch, run) if compiled else run


def compile_torch(torch, run):
    from torch.fx.experimental.proxy_tensor import make_fx
    with torch.no_grad():
        operations = make_fx(run)()
    fast = torch.compile(operations)

    def run_compiled():
        with torch.inference_mode():
            return fast()
    return run_compiled


def arrays_of(outputs):
    """Tensors as the graphs' outputs are."""
    arrays = {name: tensor.cpu().numpy() for name, tensor in outputs.items()}
    return {name: array.astype(np.uint32) if array.dtype == np.int64 else array for name, array in arrays.items()}
