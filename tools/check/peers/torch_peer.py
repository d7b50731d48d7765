"""What PyTorch says, on the CPU. A function it lacks for a type raises, and is then not compared."""
import numpy as np
import torch

from .definitions import by_channel, divisor, factors, filter_of, folded_axes, full, in_place, in_rows, keeps_a_size, scaled, scanned, whole

torch.set_num_threads(1)
F = torch.nn.functional


def tensor_of(values):
    return torch.from_numpy(np.array(values, order="C"))


def one(function):
    def results(case):
        x = scaled(case, next(iter(case.inputs))) if case.attributes.get("ScaleBias") else case.first
        return function(case, tensor_of(x))
    return results


def two(function):
    return lambda case: function(*[tensor_of(x) for x in case.inputs.values()])


def divided(function):
    return lambda case: function(tensor_of(case.inputs["ATensor"]), tensor_of(divisor(case)))


def bounds(case):
    return np.float32(case["Min"]).item(), np.float32(case["Max"]).item()


def round_away(x):
    return torch.where(x.abs() < 2**23, torch.copysign(torch.floor(x.abs().double() + 0.5), x.double()).to(x.dtype), x)


ROUNDINGS = {"HALVES_TO_NEAREST_EVEN": torch.round, "TOWARD_ZERO": torch.trunc, "TOWARD_INFINITY": round_away}


def infinite(case, x):
    mode = case["InfinityMode"]
    return torch.isinf(x) if mode == "EITHER" else torch.isposinf(x) if mode == "POSITIVE" else torch.isneginf(x)


def inside(case):
    """Indices that PyTorch takes: none negative, none beyond."""
    indices, size = full(case, "IndicesTensor").astype(object), case.tensors["InputTensor"].sizes[case["Axis"]]
    if ((indices < 0) | (indices >= size)).any():
        raise NotImplementedError
    return indices.astype(np.int64)


def extreme(case, function):
    """Of one axis, the first of equal ones; which that is PyTorch leaves open, so none is asked where some are."""
    x = full(case, "InputTensor")
    if len(case["Axes"]) != 1 or any(len(np.unique(row)) < len(row) for row in np.moveaxis(x, case["Axes"][0], -1).reshape(
            -1, x.shape[case["Axes"][0]])):
        raise NotImplementedError
    return function(tensor_of(x), case["Axes"][0], keepdim=True)


def scan(case, function, first):
    """Of integers; of floats the exact value has judged. PyTorch has no unsigned ones to add up."""
    x = full(case, "InputTensor")
    if x.dtype.kind != "i":
        raise NotImplementedError
    result = scanned(case, x, lambda x, axis, dtype: function(tensor_of(x), axis, dtype=getattr(torch, dtype.name)).numpy(),
                     first)
    return torch.from_numpy(result.copy())


def first_in_order(case):
    """Its topk leaves open which of equal elements comes first, its sort does not; NaN comes elsewhere."""
    x = full(case, "InputTensor")
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise NotImplementedError
    descending = case.attributes.get("AxisDirection", "DECREASING") == "DECREASING"
    values, places = torch.sort(tensor_of(x), dim=case["Axis"], descending=descending, stable=True)
    values, places = (y.narrow(case["Axis"], 0, case["K"]) for y in (values, places))
    assert torch.equal(torch.topk(tensor_of(x), case["K"], case["Axis"], descending)[0], values)  # but for zeros' signs
    return values, places


def cast(case):
    return tensor_of(case.first).to(getattr(torch, case.output.type.lower()))


def selu(case, x):
    """PyTorch's SELU has constants of its own: SCALED_ELU is its ELU, scaled."""
    return case["Gamma"] * F.elu(x, alpha=case["Alpha"])


def pad(case):
    modes = {"CONSTANT": "constant", "EDGE": "replicate", "REFLECTION": "reflect", "WRAP": "circular"}
    mode = modes[case["PaddingMode"]]  # KeyError: it has no SYMMETRIC
    x = tensor_of(np.broadcast_to(case.first, case.tensors["InputTensor"].sizes))
    rims = [n for pair in reversed(list(zip(case["StartPadding"], case["EndPadding"]))) for n in pair]
    if mode == "constant":
        value = case["PaddingValue"]
        return F.pad(x, rims, value=value if isinstance(value, float) else value.item())
    if any(rims[6:]) or len(rims) < 2:
        raise NotImplementedError
    keep = min(3, len(x.shape))  # its other modes pad the last one to three of three to five dimensions
    flat = x.reshape(1, -1, *x.shape[-keep:])
    return F.pad(flat, rims[:2 * keep], mode=mode).reshape(case.output.sizes)


def quantize(scale_name, zero_name):
    def results(case):
        scale, zero = case.inputs[scale_name], case.inputs.get(zero_name, np.zeros(1, np.int32))
        if case.output.type not in ("UINT8", "INT8") or scale.size != 1 or zero.size != 1:
            raise NotImplementedError  # per tensor alone
        x = tensor_of(case.inputs["InputTensor"].astype(np.float32))
        type_ = torch.quint8 if case.output.type == "UINT8" else torch.qint8
        return torch.quantize_per_tensor(x, float(scale.reshape(-1)[0]), int(zero.reshape(-1)[0]), type_).int_repr()
    return results


def batch_normalization(case):
    x, *channels = (tensor_of(v) for v in by_channel(case, ("Mean", "Variance", "Scale", "Bias")))
    return F.batch_norm(x, *channels, eps=case["Epsilon"])


def rows(function):
    """Of what is folded, as the last dimension."""
    def results(case):
        y = function(case, tensor_of(in_rows(full(case, "InputTensor"), folded_axes(case))))
        return tensor_of(in_place(y.numpy(), case.output.sizes, folded_axes(case)))
    return results


def mean_variance(case):
    """layer_norm(), rms_norm() where no mean is used, or the mean alone. Scales and biases come behind."""
    uses_mean = case.attributes.get("UseMean", 1)
    uses_variance = case.attributes.get("UseVariance", case.attributes.get("NormalizeVariance"))

    def of_rows(case, x):
        x = x.float() if "ScaleTensor" in case.inputs else x  # what is scaled is not yet rounded
        if not uses_variance:
            return x - x.mean(-1, keepdim=True) if uses_mean else x
        return (F.layer_norm if uses_mean else F.rms_norm)(x, x.shape[-1:], eps=case["Epsilon"])

    y = rows(of_rows)(case).double()
    y = y * tensor_of(full(case, "ScaleTensor")).double() if "ScaleTensor" in case.inputs else y
    y = y + tensor_of(full(case, "BiasTensor")).double() if "BiasTensor" in case.inputs else y
    return y


def local_response(case):
    """Its local_response_norm() begins even regions one before: asked of odd ones. Of a channel, an average of all places."""
    size, x = case["LocalSize"], tensor_of(whole(case))
    alpha, beta, bias = case["Alpha"], case["Beta"], case["Bias"]
    if size % 2 == 0:
        raise NotImplementedError
    if case["CrossChannel"]:
        return F.local_response_norm(x, size, alpha, beta, bias)
    padded = F.pad(x * x, [size // 2] * 4)
    return x / (bias + alpha * size * F.avg_pool2d(padded, size, 1)) ** beta


def local_response_gradient(case):
    """By its own gradients of the forward one's formula."""
    size, x = case["LocalSize"], tensor_of(full(case, "InputTensor").astype(np.float64)).requires_grad_()
    before, behind = (size - 1) // 2, size // 2
    squares = x * x
    for axis in [1] if case["CrossChannel"] else [2, 3]:
        rims = [0, 0] * (3 - axis) + [before, behind]
        squares = F.pad(squares, rims).unfold(axis, size, 1).sum(-1)
    y = x / (case["Bias"] + case["Alpha"] / size * squares) ** case["Beta"]
    y.backward(tensor_of(full(case, "InputGradientTensor").astype(np.float64)))
    return x.grad


def trained(case, x):
    axes = [d for d, (a, b) in enumerate(zip(x.shape, case.tensors["ScaleTensor"].sizes)) if b == 1]
    mean = x.mean(axes, keepdim=True) if axes else x
    variance = ((x - mean) ** 2).mean(axes, keepdim=True) if axes else 0 * x
    return mean, variance, (x - mean) / torch.sqrt(variance + case["Epsilon"])


def batch_gradients(case):
    """Where statistics are the input's own, by its own gradients."""
    x, scale = (tensor_of(full(case, f"{name}Tensor").astype(np.float64)).requires_grad_() for name in ("Input", "Scale"))
    bias = torch.zeros_like(scale).requires_grad_()
    mean, variance, z = trained(case, x)
    given = [tensor_of(full(case, f"{name}Tensor").astype(np.float64)) for name in ("Mean", "Variance")]
    if not (torch.allclose(mean, given[0], rtol=1e-4) and torch.allclose(variance, given[1], rtol=1e-3)):
        raise NotImplementedError
    (scale * z + bias).backward(tensor_of(full(case, "InputGradientTensor").astype(np.float64)))
    return x.grad, scale.grad, bias.grad


def upsampled(case):
    x, (width, height) = tensor_of(full(case, "InputTensor")), case["ScaleSize"]
    mode = {"mode": "bilinear", "align_corners": False} if case["InterpolationMode"] == "LINEAR" else {"mode": "nearest"}
    return F.interpolate(x.reshape(1, -1, *x.shape[-2:]), scale_factor=(height, width), **mode).reshape(case.output.sizes)


def resampled(case):
    """Pictures' centres on centres."""
    x, scales = tensor_of(full(case, "InputTensor")), case["Scales"]
    sizes = [int(size * scale) for size, scale in zip(x.shape, scales)]
    linear = case["InterpolationMode"] == "LINEAR"
    if (x.ndim != 4 or case.attributes.get("InputPixelOffsets", [0.5])[0] != 0.5 or sizes != list(case.output.sizes)
            or case.attributes.get("OutputPixelOffsets", [-0.5])[0] != -0.5 or case.output.type not in ("FLOAT32", "FLOAT16")):
        raise NotImplementedError
    if linear and case.attributes.get("Antialiased") and min(scales) < 1:
        raise NotImplementedError  # what lies beyond the edges has no share there
    if keeps_a_size(case) or not linear and "RoundingDirection" in case.attributes:
        raise NotImplementedError
    mode = ({"mode": "bilinear", "align_corners": False} if linear
            else {"mode": "nearest-exact"})
    return F.interpolate(x, scale_factor=scales[2:], **mode)


def folded(case):
    columns = full(case, "InputTensor")
    if case["DimensionCount"] != 2 or case["StartPadding"] != case["EndPadding"]:
        raise NotImplementedError
    return F.fold(tensor_of(columns.reshape(columns.shape[-3:])), case.output.sizes[2:], case["WindowSizes"],
                  case["Dilations"], case["StartPadding"], case["Strides"])


def pooled(case):
    """Padded alike on both sides, by half a window at most, of averages without dilations. Its maxima pass zeros' signs over,
    and their places are a plane's."""
    x, rank, dilations = full(case, "InputTensor"), case["DimensionCount"], case.attributes.get("Dilations", 1)
    windows, start = case["WindowSize"], case["StartPadding"]
    is_maximum = case.operator.name.startswith("MAX")
    if start != case["EndPadding"] or any(2 * a > b for a, b in zip(start, windows)) or case.output.type not in ("FLOAT32", "FLOAT16"):
        raise NotImplementedError
    if not is_maximum:
        if dilations != 1 and any(d != 1 for d in dilations):
            raise NotImplementedError
        average = F.avg_pool2d if rank == 2 else F.avg_pool3d
        return average(tensor_of(x), windows, case["Strides"], start, False, bool(case["IncludePadding"]))
    if np.isnan(x).any() or (x == 0).any():
        raise NotImplementedError
    maximum = F.max_pool2d if rank == 2 else F.max_pool3d
    values, places = maximum(tensor_of(x), windows, case["Strides"], start, dilations, False, True)
    plane = int(np.prod(x.shape[2:]))
    places = places + torch.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * rank) * plane
    return (values, places) if len(case.outputs) > 1 else values


def pooled_back(case):
    """By autograd, in double. Its maxima name places outside where a window has no element above -infinity."""
    gradient, sizes = full(case, "InputGradientTensor"), case.output.sizes
    start, end, windows = case["StartPadding"], case["EndPadding"], case["WindowSize"]
    rank, is_maximum = len(windows), case.operator.name.startswith("MAX")
    x = full(case, "InputTensor") if is_maximum else np.zeros(sizes)
    if any(2 * a > window for a, window in zip(start, windows)) or start != end or not np.isfinite(x).all() or is_maximum and (x == 0).any():
        raise NotImplementedError
    if is_maximum and any(start) and any(d != 1 for d in case["Dilations"]):
        raise NotImplementedError
    leaf = tensor_of(np.ascontiguousarray(x)).double().requires_grad_()
    if is_maximum:
        maximum = F.max_pool2d if rank == 2 else F.max_pool3d
        y = maximum(leaf, windows, case["Strides"], start, case["Dilations"])
    else:
        average = F.avg_pool2d if rank == 2 else F.avg_pool3d
        y = average(leaf, windows, case["Strides"], start, False, bool(case["IncludePadding"]))
    y.backward(tensor_of(np.ascontiguousarray(gradient)).double())
    return leaf.grad


def resampled_back(case):
    """Of forward calls that are PyTorch's: pictures, centres on centres, and sizes that are the scales'."""
    gradient, sizes, scales = full(case, "InputGradientTensor"), case.output.sizes, [float(np.float32(s)) for s in case["Scales"]]
    centred = all(o == -0.5 for o in case["InputPixelOffsets"]) and all(o == 0.5 for o in case["OutputPixelOffsets"])
    exact = all(out == size * scale for size, out, scale in zip(sizes, gradient.shape, scales))
    if (len(sizes) != 4 or list(gradient.shape[:2]) != list(sizes[:2]) or not centred or not exact
            or case["InterpolationMode"] != "LINEAR" or not np.isfinite(gradient).all()):
        raise NotImplementedError
    leaf = torch.zeros(*sizes, dtype=torch.double, requires_grad=True)
    F.interpolate(leaf, size=list(gradient.shape[2:]), mode="bilinear", align_corners=False).backward(
        tensor_of(np.ascontiguousarray(gradient)).double())
    return leaf.grad


def nonzero(case):
    return torch.nonzero(tensor_of(np.broadcast_to(case.first, case.tensors["InputTensor"].sizes)))


def multiplied(case):
    a, b = (tensor_of(np.ascontiguousarray(x)) for x in factors(case))
    y = case["Alpha"] * torch.matmul(a.double(), b.double())
    return y + case["Beta"] * tensor_of(full(case, "CTensor")).double() if "CTensor" in case.inputs else y


def convolved(case):
    """In double. Transposed ones whole, and then cut."""
    x, filter_ = (tensor_of(np.ascontiguousarray(v)).double() for v in (full(case, "InputTensor"), filter_of(case)))
    spatial, strides, dilations, groups = (case[name] for name in ("DimensionCount", "Strides", "Dilations", "GroupCount"))
    paddings = list(zip(case["StartPadding"], case["EndPadding"]))
    more = [n for size in reversed(case["OutputPadding"]) for n in (0, size)]
    if case["Direction"] == "BACKWARD":
        function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[spatial - 1]
        y = F.pad(function(x, filter_, None, strides, 0, 0, groups, dilations), more)
        y = y[(..., *[slice(a, size - b) for (a, b), size in zip(paddings, y.shape[2:])])]
    else:
        function = (F.conv1d, F.conv2d, F.conv3d)[spatial - 1]
        y = F.pad(function(F.pad(x, [n for pair in reversed(paddings) for n in pair]), filter_, None, strides, 0, dilations, groups), more)
    return y + tensor_of(full(case, "BiasTensor")).double() if "BiasTensor" in case.inputs else y


PEER = {
    "GEMM": multiplied,
    "CONVOLUTION": convolved,
    "ACTIVATION_SOFTMAX": rows(lambda case, x: F.softmax(x, -1)),
    "ACTIVATION_SOFTMAX1": rows(lambda case, x: F.softmax(x, -1)),
    "ACTIVATION_LOG_SOFTMAX": rows(lambda case, x: F.log_softmax(x, -1)),
    "ACTIVATION_LOG_SOFTMAX1": rows(lambda case, x: F.log_softmax(x, -1)),
    "MEAN_VARIANCE_NORMALIZATION": mean_variance,
    "MEAN_VARIANCE_NORMALIZATION1": mean_variance,
    "MEAN_VARIANCE_NORMALIZATION2": mean_variance,
    "LP_NORMALIZATION": rows(lambda case, x: F.normalize(x, case["P"], -1, case["Epsilon"])),
    "LOCAL_RESPONSE_NORMALIZATION": local_response,
    "LOCAL_RESPONSE_NORMALIZATION_GRAD": local_response_gradient,
    "UPSAMPLE_2D": upsampled,
    **dict.fromkeys(("RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3"), resampled),
    "FOLD": folded,
    **{name: pooled for name in ("AVERAGE_POOLING", "AVERAGE_POOLING1", "MAX_POOLING", "MAX_POOLING1", "MAX_POOLING2")},
    "AVERAGE_POOLING_GRAD": pooled_back,
    "MAX_POOLING_GRAD": pooled_back,
    "RESAMPLE_GRAD": resampled_back,
    "RESAMPLE_GRAD1": resampled_back,
    "ELEMENT_WISE_IDENTITY": one(lambda case, x: x.clone()),
    "ELEMENT_WISE_ABS": one(lambda case, x: torch.abs(x)),
    "ELEMENT_WISE_NEGATE": one(lambda case, x: torch.neg(x)),
    "ELEMENT_WISE_SIGN": one(lambda case, x: torch.sign(x)),
    "ELEMENT_WISE_CEIL": one(lambda case, x: torch.ceil(x)),
    "ELEMENT_WISE_FLOOR": one(lambda case, x: torch.floor(x)),
    "ELEMENT_WISE_ROUND": one(lambda case, x: ROUNDINGS[case["RoundingMode"]](x)),
    "ELEMENT_WISE_RECIP": one(lambda case, x: torch.reciprocal(x)),
    "ELEMENT_WISE_SQRT": one(lambda case, x: torch.sqrt(x)),
    "ELEMENT_WISE_ADD": two(torch.add),
    "ELEMENT_WISE_SUBTRACT": two(torch.sub),
    "ELEMENT_WISE_MULTIPLY": two(torch.mul),
    "ELEMENT_WISE_DIVIDE": divided(lambda a, b: torch.div(a, b) if a.is_floating_point()
                               else torch.div(a, b, rounding_mode="trunc")),
    "ELEMENT_WISE_MODULUS_TRUNCATE": divided(torch.fmod),
    "ELEMENT_WISE_MODULUS_FLOOR": divided(torch.remainder),
    "ELEMENT_WISE_MAX": two(torch.maximum),
    "ELEMENT_WISE_MIN": two(torch.minimum),
    "ELEMENT_WISE_CLIP": one(lambda case, x: torch.clamp(x, *bounds(case)) if x.is_floating_point() else no(case)),
    "ELEMENT_WISE_CLIP1": one(lambda case, x: torch.clamp(x, case["Min"].item(), case["Max"].item())),
    "ELEMENT_WISE_LOGICAL_AND": two(torch.logical_and),
    "ELEMENT_WISE_LOGICAL_OR": two(torch.logical_or),
    "ELEMENT_WISE_LOGICAL_XOR": two(torch.logical_xor),
    "ELEMENT_WISE_LOGICAL_NOT": one(lambda case, x: torch.logical_not(x)),
    "ELEMENT_WISE_LOGICAL_EQUALS": two(torch.eq),
    "ELEMENT_WISE_LOGICAL_GREATER_THAN": two(torch.gt),
    "ELEMENT_WISE_LOGICAL_LESS_THAN": two(torch.lt),
    "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL": two(torch.ge),
    "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL": two(torch.le),
    "ELEMENT_WISE_IS_NAN": one(lambda case, x: torch.isnan(x)),
    "ELEMENT_WISE_IS_INFINITY": one(infinite),
    "ELEMENT_WISE_IF": two(lambda c, a, b: torch.where(c != 0, a, b)),
    "ELEMENT_WISE_BIT_AND": two(torch.bitwise_and),
    "ELEMENT_WISE_BIT_OR": two(torch.bitwise_or),
    "ELEMENT_WISE_BIT_XOR": two(torch.bitwise_xor),
    "ELEMENT_WISE_BIT_NOT": one(lambda case, x: torch.bitwise_not(x)),
    "ELEMENT_WISE_BIT_SHIFT_LEFT": two(torch.bitwise_left_shift),
    "ELEMENT_WISE_BIT_SHIFT_RIGHT": two(torch.bitwise_right_shift),
    "ELEMENT_WISE_QUANTIZE_LINEAR": quantize("ScaleTensor", "ZeroPointTensor"),
    "QUANTIZE": quantize("QuantizationTensors[0]", "QuantizationTensors[1]"),
    "GATHER_ELEMENTS": lambda case: torch.gather(tensor_of(full(case, "InputTensor")), case["Axis"], tensor_of(
        inside(case))),
    "CUMULATIVE_SUMMATION": lambda case: scan(case, torch.cumsum, 0),
    "CUMULATIVE_PRODUCT": lambda case: scan(case, torch.cumprod, 1),
    "TOP_K": first_in_order,
    "TOP_K1": first_in_order,
    "ARGMIN": lambda case: extreme(case, torch.argmin),
    "ARGMAX": lambda case: extreme(case, torch.argmax),
    "SPLIT": lambda case: torch.split(tensor_of(whole(case)), [t.sizes[case["Axis"]] for t in case.outputs], case["Axis"]),
    "JOIN": lambda case: torch.cat([tensor_of(np.broadcast_to(x, t.sizes)) for x, t in zip(
        case.inputs.values(), case.tensors["InputTensors"])], case["Axis"]),
    "TILE": lambda case: torch.tile(tensor_of(whole(case)), case["Repeats"]),
    "SPACE_TO_DEPTH1": lambda case: F.pixel_unshuffle(tensor_of(whole(case)), case["BlockSize"])
    if case["Order"] == "COLUMN_ROW_DEPTH" else no(case),
    "DEPTH_TO_SPACE1": lambda case: F.pixel_shuffle(tensor_of(whole(case)), case["BlockSize"])
    if case["Order"] == "COLUMN_ROW_DEPTH" else no(case),
    "UNFOLD": lambda case: F.unfold(tensor_of(whole(case)), case["WindowSizes"], case["Dilations"], case["StartPadding"],
                                    case["Strides"])
    if case["DimensionCount"] == 2 and case["StartPadding"] == case["EndPadding"] else no(case),
    "CAST": cast,
    "FILL_VALUE_CONSTANT": lambda case: torch.full(case.output.sizes, case["Value"].item(),
                                                   dtype=getattr(torch, case.output.type.lower())),
    "BATCH_NORMALIZATION": batch_normalization,
    "PADDING": pad,
    "PADDING1": pad,
    "NONZERO_COORDINATES": nonzero,
    "ACTIVATION_IDENTITY": one(lambda case, x: x.clone()),
    "ACTIVATION_LEAKY_RELU": one(lambda case, x: F.leaky_relu(x, case["Alpha"])),
    "ACTIVATION_RELU": one(lambda case, x: torch.relu(x)),
    "ACTIVATION_SHRINK": one(lambda case, x: F.hardshrink(x, case["Threshold"]) if case["Bias"] == 0 else
                             F.softshrink(x, case["Threshold"]) if case["Bias"] == case["Threshold"] else no(case)),
    "ACTIVATION_SOFTSIGN": one(lambda case, x: F.softsign(x)),
    "ACTIVATION_THRESHOLDED_RELU": one(lambda case, x: F.threshold(x, case["Alpha"], 0.0)),
    "ACTIVATION_PARAMETERIZED_RELU": two(lambda x, slope: torch.where(x >= 0, x, slope * x)),
    "ELEMENT_WISE_EXP": one(lambda case, x: torch.exp(x)),
    "ELEMENT_WISE_LOG": one(lambda case, x: torch.log(x)),
    "ELEMENT_WISE_SIN": one(lambda case, x: torch.sin(x)),
    "ELEMENT_WISE_COS": one(lambda case, x: torch.cos(x)),
    "ELEMENT_WISE_TAN": one(lambda case, x: torch.tan(x)),
    "ELEMENT_WISE_ASIN": one(lambda case, x: torch.asin(x)),
    "ELEMENT_WISE_ACOS": one(lambda case, x: torch.acos(x)),
    "ELEMENT_WISE_ATAN": one(lambda case, x: torch.atan(x)),
    "ELEMENT_WISE_SINH": one(lambda case, x: torch.sinh(x)),
    "ELEMENT_WISE_COSH": one(lambda case, x: torch.cosh(x)),
    "ELEMENT_WISE_TANH": one(lambda case, x: torch.tanh(x)),
    "ELEMENT_WISE_ASINH": one(lambda case, x: torch.asinh(x)),
    "ELEMENT_WISE_ACOSH": one(lambda case, x: torch.acosh(x)),
    "ELEMENT_WISE_ATANH": one(lambda case, x: torch.atanh(x)),
    "ELEMENT_WISE_ERF": one(lambda case, x: torch.erf(x)),
    "ELEMENT_WISE_CONSTANT_POW": one(lambda case, x: torch.pow(x, case["Exponent"])),
    "ELEMENT_WISE_POW": lambda case: torch.pow(tensor_of(scaled(case, "InputTensor")), tensor_of(
        case.inputs["ExponentTensor"])) if case.first.dtype == case.inputs["ExponentTensor"].dtype else no(case),
    "ELEMENT_WISE_ATAN_YX": two(torch.atan2),
    "ACTIVATION_SIGMOID": one(lambda case, x: torch.sigmoid(x)),
    "ACTIVATION_TANH": one(lambda case, x: torch.tanh(x)),
    "ACTIVATION_GELU": one(lambda case, x: F.gelu(x)),
    "ACTIVATION_ELU": one(lambda case, x: F.elu(x, alpha=case["Alpha"])),
    "ACTIVATION_CELU": one(lambda case, x: F.celu(x, alpha=case["Alpha"])),
    "ACTIVATION_SCALED_ELU": one(selu),
    "ACTIVATION_SOFTPLUS": one(lambda case, x: F.softplus(x, beta=case["Steepness"])),
    "ACTIVATION_SWISH": one(lambda case, x: F.silu(x) if case["SigmoidInputScale"] == 1 else no(case)),
}


def no(case):
    raise NotImplementedError(case.operator.name)


def version():
    return torch.__version__


def results(case):
    """A list of arrays, or None."""
    function = PEER.get(case.operator.name)
    if function is None or case.attributes.get("FusedActivation"):
        return None
    try:
        out = function(case)
    except (NotImplementedError, RuntimeError, TypeError, KeyError, AttributeError, ValueError, OverflowError, IndexError):
        return None
    if case.operator.name == "NONZERO_COORDINATES":
        return [np.array([len(out)], np.uint32), out.numpy().astype(np.uint32)]
    return [part.numpy() for part in out] if isinstance(out, tuple) else [out.numpy()]
