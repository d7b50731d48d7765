"""Models with open sizes, after published architectures, as exporters of PyTorch and PaddlePaddle write them: shapes by Shape, Gather
and Concat, positions by Range or from tables, masks by comparisons. Weights are random.

models() has a function per name that makes (model, feeds): feeds(rng) returns inputs of random sizes.
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


class Net:
    """Nodes, weights, inputs and outputs of a model. Methods add nodes and return the names of values."""

    def __init__(self, seed=1):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.weights, self.ends, self.numbers = [], [], ([], []), {}

    def op(self, op, *inputs, outputs=1, **attributes):
        names = [f"{op.lower()}_{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=names[0], **attributes))
        return names[0] if outputs == 1 else names

    def array(self, array):
        self.weights.append(numpy_helper.from_array(array, f"weight_{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *shape, scale=1.0):
        fan = np.prod(shape[1:]) if len(shape) > 1 else 1
        return self.array((self.rng.standard_normal(shape) * scale / np.sqrt(fan)).astype(np.float32))

    def bias(self, size):
        return self.array((self.rng.standard_normal(size) * 0.1).astype(np.float32))

    def ones(self, size):
        return self.array((1 + self.rng.standard_normal(size) * 0.1).astype(np.float32))

    def const(self, value, kind=np.int64):
        """One tensor per value."""
        key = (str(value), np.dtype(kind).name)
        if key not in self.numbers:
            self.numbers[key] = self.array(np.array(value, kind))
        return self.numbers[key]

    def input(self, name, kind, shape):
        self.ends[0].append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, rank, value, kind=FLOAT):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=name))
        self.ends[1].append(helper.make_tensor_value_info(name, kind, [None] * rank))

    def model(self, name, opset=17):
        graph = helper.make_graph(self.nodes, name, *self.ends, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)

    # ---- sizes ----

    def size(self, value, axis):
        return self.op("Gather", self.op("Shape", value), self.const(axis), axis=0)

    def sizes(self, *parts):
        """A shape of numbers and of values that are scalars."""
        values = [self.const([part]) if isinstance(part, int) else self.op("Unsqueeze", part, self.const([0])) for part in parts]
        return self.op("Concat", *values, axis=0)

    def reshape(self, value, *parts):
        fixed = all(isinstance(part, int) for part in parts)
        return self.op("Reshape", value, self.const(list(parts)) if fixed else self.sizes(*parts))

    def slice(self, value, begin, end, axis, step=1):
        begin, end = (self.const([at]) if isinstance(at, int) else self.op("Unsqueeze", at, self.const([0])) for at in (begin, end))
        return self.op("Slice", value, begin, end, self.const([axis]), self.const([step]))

    # ---- layers ----

    def conv(self, x, inner, outer, kernel, stride=1, groups=1, pads=None, norm=False, dilation=1):
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        stride = stride if isinstance(stride, tuple) else (stride,) * len(kernel)
        half = [dilation * (size // 2) for size in kernel]
        made = self.op("Conv", x, self.weight(outer, inner // groups, *kernel, scale=1.4), self.bias(outer), group=groups,
                       kernel_shape=kernel, strides=stride, pads=half * 2 if pads is None else pads,
                       dilations=[dilation] * len(kernel))
        if norm:
            mean, variance = self.bias(outer), self.array(self.rng.uniform(0.5, 1.5, outer).astype(np.float32))
            made = self.op("BatchNormalization", made, self.ones(outer), self.bias(outer), mean, variance)
        return made

    def linear(self, x, inner, outer):
        return self.op("Add", self.op("MatMul", x, self.array((self.rng.standard_normal((inner, outer)) / np.sqrt(inner)).astype(
            np.float32))), self.bias(outer))

    def layer_norm(self, x, width):
        """As PyTorch's older exporter writes it."""
        centered = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        variance = self.op("ReduceMean", self.op("Pow", centered, self.const(2, np.float32)), axes=[-1])
        deviation = self.op("Sqrt", self.op("Add", variance, self.const(1e-5, np.float32)))
        return self.op("Add", self.op("Mul", self.op("Div", centered, deviation), self.ones(width)), self.bias(width))

    def rms_norm(self, x, width):
        mean = self.op("ReduceMean", self.op("Pow", x, self.const(2, np.float32)), axes=[-1])
        root = self.op("Sqrt", self.op("Add", mean, self.const(1e-5, np.float32)))
        return self.op("Mul", self.op("Mul", x, self.op("Reciprocal", root)), self.ones(width))

    def group_norm(self, x, channels, groups):
        """As PyTorch's exporter writes it."""
        rows = self.op("Reshape", x, self.const([0, groups, -1]))
        ones, zeros = self.array(np.ones(groups, np.float32)), self.array(np.zeros(groups, np.float32))
        normal = self.op("Reshape", self.op("InstanceNormalization", rows, ones, zeros, epsilon=1e-5), self.op("Shape", x))
        scale, bias = (self.op("Unsqueeze", made, self.const([1, 2])) for made in (self.ones(channels), self.bias(channels)))
        return self.op("Add", self.op("Mul", normal, scale), bias)

    def gelu(self, x):
        inner = self.op("Erf", self.op("Div", x, self.const(np.sqrt(2), np.float32)))
        return self.op("Mul", self.op("Mul", x, self.op("Add", inner, self.const(1, np.float32))), self.const(0.5, np.float32))

    def swish(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def hard_swish(self, x):
        return self.op("Mul", x, self.op("HardSigmoid", x, alpha=1 / 6, beta=0.5))

    def heads(self, x, heads, size, order):
        return self.op("Transpose", self.reshape(x, self.size(x, 0), self.size(x, 1), heads, size), perm=order)

    def attention(self, x, width, heads, mask=None, context=None, inner=None):
        """`mask`: added to the scores. `context`: of `inner` columns, which keys and values are made of."""
        size, context, inner = width // heads, context or x, inner or width
        q = self.heads(self.linear(x, width, width), heads, size, [0, 2, 1, 3])
        k = self.heads(self.linear(context, inner, width), heads, size, [0, 2, 3, 1])
        v = self.heads(self.linear(context, inner, width), heads, size, [0, 2, 1, 3])
        scores = self.op("Div", self.op("MatMul", q, k), self.const(np.sqrt(size), np.float32))
        scores = self.op("Add", scores, mask) if mask else scores
        mixed = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.linear(self.reshape(mixed, self.size(x, 0), self.size(x, 1), width), width, width)

    def encoder_layer(self, x, width, heads, inner, mask=None):
        x = self.layer_norm(self.op("Add", x, self.attention(x, width, heads, mask)), width)
        more = self.linear(self.gelu(self.linear(x, width, inner)), inner, width)
        return self.layer_norm(self.op("Add", x, more), width)


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


# ---- images ----


def squeeze_excite(net, x, channels):
    mean = net.op("GlobalAveragePool", x)
    mean = net.conv(net.op("Relu", net.conv(mean, channels, channels // 4, 1)), channels // 4, channels, 1)
    return net.op("Mul", x, net.op("HardSigmoid", mean, alpha=0.2, beta=0.5))


def separable(net, x, inner, outer, kernel, stride, excites):
    x = net.hard_swish(net.conv(x, inner, inner, kernel, stride, inner, norm=True))
    x = squeeze_excite(net, x, inner) if excites else x
    return net.hard_swish(net.conv(x, inner, outer, 1, norm=True))


def recognizer(whole):
    """Lines of text, after PP-OCRv3's: separable convolutions that lower the height, SVTR's mixing of columns, CTC."""
    net, layers, wide = Net(), 3 if whole else 1, 16 if whole else 4
    x = net.input("x", FLOAT, ["batch", 3, 48, "width"])
    x = net.hard_swish(net.conv(x, 3, wide, 3, 2, norm=True))
    inner = wide
    for outer, stride, count in ((2, 1, 1), (4, (2, 1), 2), (8, (2, 1), 2), (16, (2, 1), 6), (32, (2, 1), 2)):
        for i in range(count if whole else 1):
            x = separable(net, x, inner, outer * wide, 3 if outer < 16 else 5, stride if i == 0 else 1, outer == 32)
            inner = outer * wide
    x = net.op("AveragePool", net.op("Pad", x, net.const([0, 0, 0, 0, 0, 0, 1, 0])), kernel_shape=[2, 2], strides=[2, 2])
    short, width = x, 8 * wide
    x = net.swish(net.conv(net.swish(net.conv(x, inner, inner // 8, 3, norm=True)), inner // 8, width, 1, norm=True))
    shape = net.op("Shape", x)
    x = net.op("Transpose", net.op("Reshape", x, net.const([0, width, -1])), perm=[0, 2, 1])
    for _ in range(layers):
        x = net.encoder_layer(x, width, 4, 2 * width)
    x = net.op("Reshape", net.op("Transpose", net.layer_norm(x, width), perm=[0, 2, 1]), shape)
    x = net.conv(x, width, inner, 1, norm=True)
    x = net.conv(net.op("Concat", short, x, axis=1), 2 * inner, 2 * wide, 3, norm=True)
    x = net.op("Transpose", net.op("Squeeze", net.swish(x), net.const([2])), perm=[0, 2, 1])
    classes = 6625 if whole else 97
    net.output("text", 3, net.op("Softmax", net.linear(x, 2 * wide, classes), axis=2))
    return net.model("recognizer"), lambda rng: {"x": floats(rng, rng.integers(1, 4), 3, 48, rng.integers(16, 120) * 4)}


def crnn(whole):
    """Lines of text, after Shi's CRNN: convolutions and two bidirectional LSTM."""
    net, wide, hidden = Net(), 32 if whole else 8, 64 if whole else 16
    x, inner = net.input("x", FLOAT, ["batch", 1, 32, "width"]), 1
    stages = ((1, (2, 2)), (2, (2, 2)), (4, None), (4, (2, 1)), (8, None), (8, (2, 1)))
    for outer, pool in stages if whole else (*stages[:2], *stages[3::2]):
        x = net.op("Relu", net.conv(x, inner, outer * wide, 3, norm=outer == 8))
        x = x if pool is None else net.op("MaxPool", x, kernel_shape=pool, strides=pool)
        inner = outer * wide
    x = net.op("Relu", net.conv(x, inner, inner, 2, pads=[0, 0, 0, 0]))
    x = net.op("Transpose", net.op("Squeeze", x, net.const([2])), perm=[2, 0, 1])
    for _ in range(2):
        weights = [net.weight(2, 4 * hidden, size, scale=np.sqrt(4 * hidden)) for size in (inner, hidden)]
        states = net.op("LSTM", x, *weights, net.weight(2, 8 * hidden, scale=0.3), hidden_size=hidden, direction="bidirectional",
                        outputs=3)
        x = net.op("Reshape", net.op("Transpose", states[0], perm=[0, 2, 1, 3]), net.const([0, 0, -1]))
        inner = 2 * hidden
    net.output("text", 3, net.op("LogSoftmax", net.linear(x, inner, 37), axis=-1))
    return net.model("crnn"), lambda rng: {"x": floats(rng, rng.integers(1, 4), 1, 32, rng.integers(4, 26 if whole else 12) * 4)}


def text_detector(whole):
    """After DBNet: a network of four resolutions, joined at the finest, and two transposed convolutions."""
    net, wide, inner, levels = Net(), 16 if whole else 4, 3, []
    x = net.input("x", FLOAT, ["batch", 3, "height", "width"])
    x = net.hard_swish(net.conv(x, 3, wide, 3, 2, norm=True))
    inner = wide
    for outer in (1, 2, 4, 8) if whole else (1, 2):
        for i in range(3 if whole else 1):
            y = net.conv(x, inner, 2 * inner, 1, norm=True)
            y = net.op("Relu", net.conv(net.op("Relu", y), 2 * inner, 2 * inner, 3, 1 if i else 2, 2 * inner, norm=True))
            y = net.conv(squeeze_excite(net, y, 2 * inner), 2 * inner, outer * wide, 1, norm=True)
            x = net.op("Add", x, y) if i else y
            inner = outer * wide
        levels.append((x, inner))
    width = 6 * wide
    levels = [net.conv(level, size, width, 1) for level, size in levels]
    for i in reversed(range(len(levels) - 1)):
        shape = net.op("Slice", net.op("Shape", levels[i]), net.const([2]), net.const([4]), net.const([0]))
        sizes = net.op("Concat", net.op("Slice", net.op("Shape", levels[i + 1]), net.const([0]), net.const([2]), net.const([0])), shape,
                       axis=0)
        levels[i] = net.op("Add", levels[i], net.op("Resize", levels[i + 1], "", "", sizes, mode="nearest",
                                                     coordinate_transformation_mode="asymmetric", nearest_mode="floor"))
    levels = [net.conv(level, width, width // 2, 3) for level in levels]
    scales = [net.op("Resize", level, "", net.const([1, 1, 2 ** i, 2 ** i], np.float32), mode="nearest",
                     coordinate_transformation_mode="asymmetric", nearest_mode="floor") if i else level
              for i, level in enumerate(levels)]
    x = net.op("Concat", *reversed(scales), axis=1)
    x = net.op("Relu", net.conv(x, len(levels) * (width // 2), wide, 3, norm=True))
    for size, last in ((wide, False), (1, True)):
        x = net.op("ConvTranspose", x, net.weight(wide, size, 2, 2, scale=2), net.bias(size), kernel_shape=[2, 2], strides=[2, 2])
        x = net.op("Sigmoid", x) if last else net.op("Relu", x)
    net.output("map", 4, x)
    most = 12 if whole else 5
    return net.model("text_detector"), lambda rng: {"x": floats(rng, rng.integers(1, 3), 3, *(rng.integers(1, most, 2) * 32))}


def unet(whole):
    """A diffusion model's network: time steps, group normalizations, attention of all positions and of a text of any length."""
    net, wide, groups, inner = Net(), 32 if whole else 16, 8, 24
    x, time = net.input("x", FLOAT, ["batch", 4, "height", "width"]), net.input("time", INT64, ["batch"])
    text = net.input("text", FLOAT, ["batch", "length", inner])
    waves = net.array(np.exp(-np.log(10000) * np.arange(wide // 2) / (wide // 2)).astype(np.float32))
    angles = net.op("Mul", net.op("Unsqueeze", net.op("Cast", time, to=FLOAT), net.const([1])), waves)
    step = net.op("Concat", net.op("Cos", angles), net.op("Sin", angles), axis=-1)
    step = net.linear(net.swish(net.linear(step, wide, 4 * wide)), 4 * wide, 4 * wide)

    def block(x, width, outer):
        y = net.conv(net.swish(net.group_norm(x, width, groups)), width, outer, 3)
        y = net.op("Add", y, net.op("Unsqueeze", net.linear(net.swish(step), 4 * wide, outer), net.const([2, 3])))
        y = net.conv(net.swish(net.group_norm(y, outer, groups)), outer, outer, 3)
        return net.op("Add", x if width == outer else net.conv(x, width, outer, 1), y)

    def mixing(x, width):
        flat = net.reshape(net.op("Transpose", net.group_norm(x, width, groups), perm=[0, 2, 3, 1]), net.size(x, 0),
                           net.op("Mul", net.size(x, 2), net.size(x, 3)), width)
        flat = net.op("Add", flat, net.attention(net.layer_norm(flat, width), width, 4))
        flat = net.op("Add", flat, net.attention(net.layer_norm(flat, width), width, 4, context=text, inner=inner))
        rows = net.reshape(flat, net.size(x, 0), net.size(x, 2), net.size(x, 3), width)
        return net.op("Add", x, net.conv(net.op("Transpose", rows, perm=[0, 3, 1, 2]), width, width, 1))

    x, width, kept = net.conv(x, 4, wide, 3), wide, []
    widths = (wide, 2 * wide, 4 * wide) if whole else (wide,)
    for i, outer in enumerate(widths):
        x = block(x, width, outer)
        x = mixing(x, outer) if i or not whole else x
        kept.append((x, outer))
        x, width = net.conv(x, outer, outer, 3, 2), outer
    x = block(mixing(block(x, width, width), width), width, width) if whole else x
    for skip, outer in reversed(kept):
        scale = net.const([1, 1, 2, 2], np.float32)
        x = net.conv(net.op("Resize", x, "", scale, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
                     width, width, 3)
        x = block(net.op("Concat", x, skip, axis=1), width + outer, outer)
        width = outer
    net.output("noise", 4, net.conv(net.swish(net.group_norm(x, width, groups)), width, 4, 3))
    factor = 2 ** len(widths)

    def feeds(rng):
        batch = rng.integers(1, 3)
        return {"x": floats(rng, batch, 4, *(rng.integers(1, 7, 2) * factor)), "time": rng.integers(0, 1000, batch),
                "text": floats(rng, batch, rng.integers(1, 20), inner)}
    return net.model("unet"), feeds


def detector(whole):
    """Boxes at three resolutions, on grids by Range, and NonMaxSuppression of all classes."""
    net, wide, classes, boxes, scores = Net(), 16 if whole else 8, 4, [], []
    x = net.input("x", FLOAT, [1, 3, "height", "width"])
    x, inner = net.swish(net.conv(x, 3, wide, 3, 2, norm=True)), wide
    for level in range(1, 4):
        for i in range(2 if whole else 1):
            y = net.swish(net.conv(x, inner, wide * 2 ** level, 3, 1 if i else 2, norm=True))
            x = net.op("Add", x, y) if i else y
            inner = wide * 2 ** level
        head = net.conv(net.swish(net.conv(x, inner, inner, 3, norm=True)), inner, 4 + classes, 1)
        height, width = net.size(head, 2), net.size(head, 3)
        rows, columns = (net.op("Cast", net.op("Range", net.const(0), size, net.const(1)), to=FLOAT) for size in (height, width))
        shape = net.sizes(height, width)
        grid = [net.op("Expand", net.op("Unsqueeze", values, net.const([axis])), shape) for values, axis in ((columns, 0), (rows, 1))]
        grid = net.op("Unsqueeze", net.op("Reshape", net.op("Concat", *(net.op("Unsqueeze", one, net.const([2])) for one in grid),
                                                            axis=2), net.const([-1, 2])), net.const([0]))
        flat = net.op("Transpose", net.op("Reshape", head, net.const([0, 4 + classes, -1])), perm=[0, 2, 1])
        middle, size, some = net.op("Split", flat, net.const([2, 2, classes]), axis=2, outputs=3)
        stride = net.const(2.0 ** (level + 1), np.float32)
        middle = net.op("Mul", net.op("Add", net.op("Sigmoid", middle), grid), stride)
        half = net.op("Mul", net.op("Exp", net.op("Clip", size, net.const(-2, np.float32), net.const(2, np.float32))), stride)
        boxes.append(net.op("Concat", net.op("Sub", middle, half), net.op("Add", middle, half), axis=2))
        scores.append(net.op("Sigmoid", some))
    boxes, scores = net.op("Concat", *boxes, axis=1), net.op("Transpose", net.op("Concat", *scores, axis=1), perm=[0, 2, 1])
    selected = net.op("NonMaxSuppression", boxes, scores, net.const([20]), net.const([0.5], np.float32), net.const([0.7], np.float32))
    which = net.op("Squeeze", net.slice(selected, 2, 3, 1), net.const([1]))
    kinds = net.op("Squeeze", net.slice(selected, 1, 2, 1), net.const([1]))
    net.output("boxes", 2, net.op("Gather", net.op("Squeeze", boxes, net.const([0])), which, axis=0))
    at = net.op("Concat", *(net.op("Unsqueeze", one, net.const([1])) for one in (kinds, which)), axis=1)
    net.output("scores", 1, net.op("GatherND", net.op("Squeeze", scores, net.const([0])), at))
    net.output("kinds", 1, kinds, INT64)
    most = 10 if whole else 5
    return net.model("detector"), lambda rng: {"x": floats(rng, 1, 3, *(rng.integers(1, most, 2) * 16))}


def vision(whole):
    """A vision transformer whose table of positions is resized to the image."""
    net, width, side = Net(), 64 if whole else 32, 7
    x = net.input("x", FLOAT, ["batch", 3, "height", "width"])
    x = net.conv(x, 3, width, 8, 8, pads=[0, 0, 0, 0])
    height, columns = net.size(x, 2), net.size(x, 3)
    table = net.weight(1, width, side, side, scale=3)
    table = net.op("Resize", table, "", "", net.sizes(1, width, height, columns), mode="cubic", cubic_coeff_a=-0.75,
                   coordinate_transformation_mode="half_pixel")
    x, table = (net.op("Transpose", net.op("Reshape", one, net.const([0, width, -1])), perm=[0, 2, 1]) for one in (x, table))
    first = net.op("Expand", net.weight(1, 1, width), net.sizes(net.size(x, 0), 1, width))
    x = net.op("Concat", first, net.op("Add", x, table), axis=1)
    for _ in range(4 if whole else 1):
        x = net.encoder_layer(x, width, 4, 2 * width)
    net.output("classes", 2, net.linear(net.op("Gather", x, net.const(0), axis=1), width, 10))
    return net.model("vision"), lambda rng: {"x": floats(rng, rng.integers(1, 3), 3, *(rng.integers(1, 12, 2) * 8))}


# ---- text and speech ----


def sentences(whole):
    """After BERT, with the mean of all tokens that are there: a sentence transformer."""
    net, width, words = Net(), 64 if whole else 32, 200
    ids, mask, kinds = (net.input(name, INT64, ["batch", "tokens"]) for name in ("input_ids", "attention_mask", "token_type_ids"))
    positions = net.slice(net.array(np.arange(512)[None]), 0, net.size(ids, 1), 1)
    x = net.op("Add", net.op("Gather", net.weight(words, width, scale=8), ids), net.op("Gather", net.weight(2, width, scale=8), kinds))
    x = net.layer_norm(net.op("Add", x, net.op("Gather", net.weight(512, width, scale=8), positions)), width)
    there = net.op("Cast", net.op("Unsqueeze", mask, net.const([1, 2])), to=FLOAT)
    added = net.op("Mul", net.op("Sub", net.const(1, np.float32), there), net.const(np.finfo(np.float32).min, np.float32))
    for _ in range(4 if whole else 1):
        x = net.encoder_layer(x, width, 4, 4 * width, added)
    rows = net.op("Cast", net.op("Expand", net.op("Unsqueeze", mask, net.const([-1])), net.op("Shape", x)), to=FLOAT)
    total = net.op("Clip", net.op("ReduceSum", rows, net.const([1]), keepdims=0), net.const(1e-9, np.float32))
    mean = net.op("Div", net.op("ReduceSum", net.op("Mul", x, rows), net.const([1]), keepdims=0), total)
    length = net.op("Clip", net.op("ReduceL2", mean, axes=[1]), net.const(1e-12, np.float32))
    net.output("sentence", 2, net.op("Div", mean, net.op("Expand", length, net.op("Shape", mean))))

    def feeds(rng):
        batch, length = rng.integers(1, 5), rng.integers(2, 60)
        mask = (np.arange(length) < rng.integers(1, length + 1, (batch, 1))).astype(np.int64)
        return {"input_ids": rng.integers(0, words, (batch, length)) * mask, "attention_mask": mask,
                "token_type_ids": rng.integers(0, 2, (batch, length))}
    return net.model("sentences"), feeds


def speech(whole):
    """After wav2vec 2.0: strided convolutions of samples, a convolution for positions, transformer layers."""
    net, width, inner = Net(), 64 if whole else 32, 1
    x, outer = net.op("Unsqueeze", net.input("samples", FLOAT, ["batch", "length"]), net.const([1])), 32 if whole else 16
    for i, (kernel, stride) in enumerate(((10, 5), (3, 2), (3, 2), (3, 2), (2, 2))):
        x = net.conv(x, inner, outer, (kernel,), stride, pads=[0, 0])
        if i == 0:
            x = net.op("InstanceNormalization", x, net.ones(outer), net.bias(outer), epsilon=1e-5)
        x = net.gelu(x)
        inner = outer
    x = net.linear(net.layer_norm(net.op("Transpose", x, perm=[0, 2, 1]), inner), inner, width)
    y = net.conv(net.op("Transpose", x, perm=[0, 2, 1]), width, width, (16,), groups=4)
    y = net.op("Transpose", net.gelu(net.slice(y, 0, -1, 2)), perm=[0, 2, 1])
    x = net.layer_norm(net.op("Add", x, y), width)
    for _ in range(4 if whole else 1):
        x = net.encoder_layer(x, width, 4, 4 * width)
    net.output("letters", 3, net.op("LogSoftmax", net.linear(x, width, 32), axis=-1))
    return net.model("speech"), lambda rng: {"samples": floats(rng, rng.integers(1, 3), rng.integers(400, 8000))}


def spectrogram(whole):
    """After Whisper's encoder: two convolutions of a spectrogram, a table of positions cut to its length, transformer layers."""
    net, width, bands = Net(), 64 if whole else 32, 20
    x = net.input("mel", FLOAT, ["batch", bands, "frames"])
    x = net.gelu(net.conv(x, bands, width, (3,)))
    x = net.op("Transpose", net.gelu(net.conv(x, width, width, (3,), 2)), perm=[0, 2, 1])
    x = net.op("Add", x, net.slice(net.weight(750, width, scale=8), 0, net.size(x, 1), 0))
    for _ in range(4 if whole else 1):
        x = net.op("Add", x, net.attention(net.layer_norm(x, width), width, 4))
        y = net.gelu(net.linear(net.layer_norm(x, width), width, 4 * width))
        x = net.op("Add", x, net.linear(y, 4 * width, width))
    net.output("states", 3, net.layer_norm(x, width))
    return net.model("spectrogram"), lambda rng: {"mel": floats(rng, rng.integers(1, 3), bands, rng.integers(2, 300))}


def decoder(whole):
    """After Llama, as PyTorch exports it: rotary positions, past keys and values by Concat, a causal mask by Range."""
    net, width, heads, shared, size, words, layers = Net(), 64, 4, 2, 16, 100, 4 if whole else 1
    ids, mask = net.input("input_ids", INT64, ["batch", "rows"]), net.input("attention_mask", INT64, ["batch", "total"])
    where = net.input("position_ids", INT64, ["batch", "rows"])
    past = [[net.input(f"past.{i}.{name}", FLOAT, ["batch", shared, "past", size]) for name in ("key", "value")] for i in range(layers)]
    x = net.op("Gather", net.weight(words, width, scale=8), ids)
    rows, total, before = net.size(ids, 1), net.size(mask, 1), net.size(past[0][0], 2)
    at = net.op("Unsqueeze", net.op("Add", net.op("Range", net.const(0), rows, net.const(1)), before), net.const([1]))
    later = net.op("Greater", net.op("Unsqueeze", net.op("Range", net.const(0), total, net.const(1)), net.const([0])), at)
    absent = net.op("Equal", net.op("Unsqueeze", mask, net.const([1, 2])), net.const(0))
    hidden = net.op("Or", net.op("Unsqueeze", later, net.const([0, 1])), absent)
    added = net.op("Where", hidden, net.const(np.finfo(np.float32).min, np.float32), net.const(0, np.float32))
    waves = net.array((10000.0 ** (-np.arange(0, size, 2) / size)).astype(np.float32))
    angles = net.op("Mul", net.op("Cast", net.op("Unsqueeze", where, net.const([2])), to=FLOAT), waves)
    angles = net.op("Unsqueeze", net.op("Concat", angles, angles, axis=-1), net.const([1]))
    cosines, sines = net.op("Cos", angles), net.op("Sin", angles)

    def turned(x):
        first, second = net.slice(x, 0, size // 2, 3), net.slice(x, size // 2, size, 3)
        other = net.op("Concat", net.op("Neg", second), first, axis=-1)
        return net.op("Add", net.op("Mul", x, cosines), net.op("Mul", other, sines))

    def repeated(x):
        shape = net.sizes(net.size(x, 0), shared, heads // shared, net.size(x, 2), size)
        return net.reshape(net.op("Expand", net.op("Unsqueeze", x, net.const([2])), shape), net.size(x, 0), heads, net.size(x, 2), size)

    for i in range(layers):
        y = net.rms_norm(x, width)
        q = turned(net.heads(net.linear(y, width, heads * size), heads, size, [0, 2, 1, 3]))
        k = turned(net.heads(net.linear(y, width, shared * size), shared, size, [0, 2, 1, 3]))
        v = net.heads(net.linear(y, width, shared * size), shared, size, [0, 2, 1, 3])
        k, v = (net.op("Concat", old, new, axis=2) for old, new in zip(past[i], (k, v)))
        net.output(f"present.{i}.key", 4, k)
        net.output(f"present.{i}.value", 4, v)
        scores = net.op("MatMul", q, net.op("Transpose", repeated(k), perm=[0, 1, 3, 2]))
        scores = net.op("Add", net.op("Mul", scores, net.const(size ** -0.5, np.float32)), added)
        mixed = net.op("MatMul", net.op("Softmax", scores, axis=-1), repeated(v))
        mixed = net.reshape(net.op("Transpose", mixed, perm=[0, 2, 1, 3]), net.size(x, 0), net.size(x, 1), width)
        x = net.op("Add", x, net.linear(mixed, width, width))
        y = net.rms_norm(x, width)
        gated = net.op("Mul", net.swish(net.linear(y, width, 2 * width)), net.linear(y, width, 2 * width))
        x = net.op("Add", x, net.linear(gated, 2 * width, width))
    net.output("logits", 3, net.linear(net.rms_norm(x, width), width, words))

    def feeds(rng):
        batch, rows, past = rng.integers(1, 3), int(rng.choice([1, 1, rng.integers(2, 12)])), int(rng.integers(0, 40))
        mask = np.ones((batch, past + rows), np.int64)
        mask[:, :rng.integers(0, 1 + past // 2)] = 0
        made = {"input_ids": rng.integers(0, words, (batch, rows)), "attention_mask": mask,
                "position_ids": np.tile(np.arange(past, past + rows), (batch, 1))}
        return {**made, **{f"past.{i}.{name}": floats(rng, batch, shared, past, size) for i in range(layers) for name in
                           ("key", "value")}}
    return net.model("decoder"), feeds


def voice(whole):
    """After FastSpeech 2 and HiFi-GAN: the numbers of frames per letter are predicted; letters are repeated as often, and transposed
    convolutions make samples of frames."""
    net, width, letters = Net(), 64 if whole else 32, 60
    ids, there = net.input("letters", INT64, ["batch", "length"]), net.input("there", FLOAT, ["batch", "length"])
    x = net.op("Gather", net.weight(letters, width, scale=8), ids)
    x = net.op("Add", x, net.slice(net.weight(512, width, scale=8), 0, net.size(ids, 1), 0))
    rows = net.op("Unsqueeze", there, net.const([2]))
    added = net.op("Mul", net.op("Sub", net.const(1, np.float32), net.op("Unsqueeze", there, net.const([1, 2]))), net.const(-1e4, np.float32))
    for _ in range(2 if whole else 1):
        x = net.layer_norm(net.op("Add", x, net.attention(x, width, 2, added)), width)
        y = net.op("Transpose", net.op("Mul", x, rows), perm=[0, 2, 1])
        y = net.conv(net.op("Relu", net.conv(y, width, 2 * width, (9,))), 2 * width, width, (1,))
        x = net.op("Mul", net.layer_norm(net.op("Add", x, net.op("Transpose", y, perm=[0, 2, 1])), width), rows)
    y = net.op("Transpose", x, perm=[0, 2, 1])
    for _ in range(2 if whole else 1):
        y = net.op("Transpose", net.op("Relu", net.conv(y, width, width, (3,))), perm=[0, 2, 1])
        y = net.op("Transpose", net.layer_norm(y, width), perm=[0, 2, 1])
    logs = net.op("Squeeze", net.linear(net.op("Transpose", y, perm=[0, 2, 1]), width, 1), net.const([2]))
    frames = net.op("Mul", net.op("Ceil", net.op("Mul", net.op("Exp", logs), net.const(1.5, np.float32))), there)
    ends = net.op("CumSum", frames, net.const(1))
    total = net.op("Cast", net.op("ReduceMax", net.op("ReduceSum", frames, net.const([1]), keepdims=0), keepdims=0), to=INT64)
    at = net.op("Unsqueeze", net.op("Cast", net.op("Range", net.const(0), total, net.const(1)), to=FLOAT), net.const([0, 1]))
    until = net.op("Cast", net.op("Less", at, net.op("Unsqueeze", ends, net.const([2]))), to=FLOAT)
    since = net.op("Pad", net.slice(until, 0, -1, 1), net.const([0, 1, 0, 0, 0, 0]))
    path = net.op("Transpose", net.op("Sub", until, since), perm=[0, 2, 1])
    y = net.op("Transpose", net.op("MatMul", path, x), perm=[0, 2, 1])
    y = net.conv(y, width, width, (7,))
    for inner, factor in ((width, 4), (width // 2, 4)) if whole else ((width, 4),):
        y = net.op("ConvTranspose", net.op("LeakyRelu", y, alpha=0.1), net.weight(inner, inner // 2, 2 * factor, scale=2),
                   net.bias(inner // 2), kernel_shape=[2 * factor], strides=[factor], pads=[factor // 2] * 2)
        for dilation in (1, 3) if whole else (3,):
            more = net.conv(net.op("LeakyRelu", y, alpha=0.1), inner // 2, inner // 2, (3,), dilation=dilation)
            y = net.op("Add", y, net.conv(net.op("LeakyRelu", more, alpha=0.1), inner // 2, inner // 2, (3,)))
    net.output("samples", 3, net.op("Tanh", net.conv(net.op("LeakyRelu", y, alpha=0.01), inner // 2, 1, (7,))))
    net.output("frames", 2, net.op("Cast", frames, to=INT64), INT64)

    def feeds(rng):
        batch, length = rng.integers(1, 3), rng.integers(1, 30)
        there = np.arange(length) < np.maximum(rng.integers(1, length + 1, (batch, 1)), [[length]] + [[1]] * (batch - 1))
        return {"letters": rng.integers(0, letters, (batch, length)), "there": there.astype(np.float32)}
    return net.model("voice"), feeds


MODELS = {make.__name__: make for make in (recognizer, crnn, text_detector, unet, detector, vision, sentences, speech, spectrogram, decoder,
                                           voice)}
