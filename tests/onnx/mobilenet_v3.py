"""MobileNetV3, small and large (arXiv 1905.02244), with random weights, as PyTorch's exporters write it: hard-swish, and channels
weighed by what squeezing and exciting makes of their averages. Batch normalization is left as nodes."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

# Of each block: the window, channels between, channels behind, whether it squeezes and excites, what activates it, the stride.
SMALL = [(3, 16, 16, True, "Relu", 2), (3, 72, 24, False, "Relu", 2), (3, 88, 24, False, "Relu", 1),
         (5, 96, 40, True, "HardSwish", 2), (5, 240, 40, True, "HardSwish", 1), (5, 240, 40, True, "HardSwish", 1),
         (5, 120, 48, True, "HardSwish", 1), (5, 144, 48, True, "HardSwish", 1), (5, 288, 96, True, "HardSwish", 2),
         (5, 576, 96, True, "HardSwish", 1),
         (5, 576, 96, True, "HardSwish", 1)]
LARGE = [(3, 16, 16, False, "Relu", 1), (3, 64, 24, False, "Relu", 2), (3, 72, 24, False, "Relu", 1), (5, 72, 40, True, "Relu", 2),
         (5, 120, 40, True, "Relu", 1), (5, 120, 40, True, "Relu", 1), (3, 240, 80, False, "HardSwish", 2),
         (3, 200, 80, False, "HardSwish", 1), (3, 184, 80, False, "HardSwish", 1), (3, 184, 80, False, "HardSwish", 1),
         (3, 480, 112, True, "HardSwish", 1), (3, 672, 112, True, "HardSwish", 1), (5, 672, 160, True, "HardSwish", 2),
         (5, 960, 160, True, "HardSwish", 1), (5, 960, 160, True, "HardSwish", 1)]


def eights(channels):
    """A multiple of 8 near it, not much smaller."""
    near = max(8, (channels + 4) // 8 * 8)
    return near + 8 if near < 0.9 * channels else near


class Builder:
    def __init__(self):
        self.rng, self.nodes, self.weights = np.random.default_rng(3), [], []

    def weight(self, values):
        self.weights.append(numpy_helper.from_array(np.asarray(values, np.float32), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, kind, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def convolution(self, x, from_, to, window=1, stride=1, groups=1, gain=1):
        shape = (to, from_ // groups, window, window)
        weights = self.rng.normal(0, 1, shape) * gain * np.sqrt(2 / np.prod(shape[1:]))
        weights -= weights.mean((1, 2, 3), keepdims=True)  # else averages grow from layer to layer, and gates are all open or shut
        return self.node("Conv", x, self.weight(weights), kernel_shape=[window] * 2, strides=[stride] * 2, pads=[window // 2] * 4,
                         group=groups)

    def normalized(self, x, channels, largest):
        scale, variance = (self.weight(self.rng.uniform(0.5, most, channels)) for most in (largest, 1.5))
        bias, mean = (self.weight(self.rng.normal(0, 0.1, channels)) for _ in range(2))
        return self.node("BatchNormalization", x, scale, bias, mean, variance, epsilon=1e-3)

    def layer(self, x, from_, to, window, stride, groups, activation):
        # What is added to the block's input is smaller, so that sums do not grow from block to block.
        x = self.normalized(self.convolution(x, from_, to, window, stride, groups), to, 1.5 if activation else 0.6)
        return self.node(activation, x) if activation else x

    def excited(self, x, channels):
        squeezed, y = eights(channels // 4), self.node("GlobalAveragePool", x)
        y = self.node("Relu", self.convolution(y, channels, squeezed))
        y = self.convolution(y, squeezed, channels, gain=16)  # gates from 0 to 1, where averages are far smaller than their terms
        return self.node("Mul", x, self.node("HardSigmoid", y, alpha=1 / 6))

    def block(self, x, from_, window, between, to, excites, activation, stride):
        y = x if between == from_ else self.layer(x, from_, between, 1, 1, 1, activation)
        y = self.layer(y, between, between, window, stride, between, activation)
        y = self.layer(self.excited(y, between) if excites else y, between, to, 1, 1, 1, None)
        return self.node("Add", y, x) if stride == 1 and from_ == to else y

    def connected(self, x, from_, to):
        weights = self.rng.normal(0, 1, (to, from_)) * np.sqrt(2 / from_)
        return self.node("Gemm", x, self.weight(weights), self.weight(self.rng.normal(0, 0.1, to)), transB=1)


def mobilenet_v3(blocks, wide, image=224, classes=1000):
    """`wide`: what the last layer but one makes."""
    net, channels = Builder(), 16
    x = net.layer("image", 3, channels, 3, 2, 1, "HardSwish")
    for window, between, to, *others in blocks:
        x, channels = net.block(x, channels, window, between, to, *others), to
    last = 6 * channels
    x = net.node("Flatten", net.node("GlobalAveragePool", net.layer(x, channels, last, 1, 1, 1, "HardSwish")))
    x = net.connected(net.node("HardSwish", net.connected(x, last, wide)), wide, classes)
    graph = helper.make_graph(net.nodes, "mobilenet_v3",
                              [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, image, image])],
                              [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["N", classes])], net.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    return model, {"image": net.rng.normal(0, 1, (1, 3, image, image)).astype(np.float32)}
