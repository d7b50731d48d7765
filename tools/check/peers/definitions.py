"""What operators are, written a second time: EXACT ones in NumPy and Python's integers, others as functions of real numbers.

docs/OPERATORS.md says it in words. DEFINITIONS gives all results of a case, to be met bit for bit; FUNCTIONS the value that
results are measured against.
"""
import functools
import math
from fractions import Fraction

import mpmath
import numpy as np

from .library import BITS, DTYPES, FLOATS

mpmath.mp.prec = 140
wide = np.longdouble  # 64 bits of significand on x86, 113 on aarch64, never fewer than 53: FLOAT32 has 24


# ---- numbers ----

def is_float(case, name=None):
    return (case.first if name is None else case.inputs[name]).dtype.kind == "f"


def wrap(values, dtype):
    """Python's integers, modulo 2^width."""
    bits = 8 * dtype.itemsize
    return np.array([v & (1 << bits) - 1 for v in values.reshape(-1)], f"uint{bits}").view(dtype).reshape(values.shape)


def saturate(values, type_):
    if BITS[type_] == 4:
        least, most = (-8, 7) if type_ == "INT4" else (0, 15)
    else:
        least, most = np.iinfo(DTYPES[type_]).min, np.iinfo(DTYPES[type_]).max
    return np.array([min(max(v, least), most) for v in values.reshape(-1)], DTYPES[type_]).reshape(values.shape)


def truncate_to(value, type_):
    """A float as an integer type's: toward zero, saturated, NaN 0."""
    if math.isnan(value):
        return 0
    limits = np.iinfo(DTYPES[type_])
    return limits.max if value >= limits.max else limits.min if value <= limits.min else int(value)


def to_integers(values, type_):
    flat = [truncate_to(float(v), type_) for v in values.reshape(-1)]
    return np.array(flat, DTYPES[type_]).reshape(values.shape)


def of_integers(function):
    """Elements as Python's integers; the result wraps around."""
    pointwise = np.frompyfunc(function, 2, 1)
    return lambda a, b: wrap(np.atleast_1d(pointwise(a.astype(object), b.astype(object))), a.dtype)


def truncated(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def divisor(case):
    """B for peers, which fault on integers that are divided by 0, and on the least one divided by -1: 1 for these."""
    a, b = case.inputs["ATensor"], case.inputs["BTensor"]
    if b.dtype.kind == "f":
        return b
    return np.where((b == 0) | (b.dtype.kind == "i") & (b == b.dtype.type(0) - b.dtype.type(1)), b.dtype.type(1), b)


def scaled(case, name):
    """x, or x * Scale + Bias: of floats two roundings to FLOAT32; of integers exact, truncated and saturated."""
    x = case.inputs[name]
    if x.dtype == np.float16:
        x = x.astype(np.float32)
    if not case.attributes.get("ScaleBias"):
        return x
    scale, bias = case["ScaleBias"]
    if x.dtype.kind == "f":
        return x * x.dtype.type(scale) + x.dtype.type(bias)
    type_ = x.dtype.name.upper()
    limits = np.iinfo(x.dtype)
    scale, bias = Fraction(scale), Fraction(bias)
    return np.array([min(max(math.trunc(int(v) * scale + bias), limits.min), limits.max) for v in x.reshape(-1)],
                    DTYPES[type_]).reshape(x.shape)


def widen(x):
    return x.astype(np.float32) if x.dtype == np.float16 else x


def attribute(case, name):
    """A FLOAT attribute as an element of the tensor's type, in the type that is computed in."""
    type_, value = case.output.type, np.float32(case[name])
    if type_ in FLOATS:
        return widen(np.asarray(value).astype(DTYPES[type_]))[()]
    return DTYPES[type_].type(truncate_to(float(value), type_))


def scalar(case, name):
    return widen(np.asarray(case[name]))[()]


def larger(a, b):
    """NaN wins; of zeros +0."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind != "f":
        return np.maximum(a, b)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, np.where((a > b) | ((a == b) & ~np.signbit(a)), a, b)).astype(a.dtype)


def smaller(a, b):
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind != "f":
        return np.minimum(a, b)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, np.where((a < b) | ((a == b) & np.signbit(a)), a, b)).astype(a.dtype)


def one(function):
    return lambda case: function(case, scaled(case, "InputTensor"))


def two(function):
    return lambda case: function(widen(case.inputs["ATensor"]), widen(case.inputs["BTensor"]))


def numbers(of_floats, integers):
    """Two operands, of floats or of integers."""
    return lambda case: (of_floats if is_float(case) else integers)(widen(case.inputs["ATensor"]), widen(case.inputs["BTensor"]))


def float_remainder_floor(a, b):
    rest = np.fmod(a, b)
    return np.where(rest == 0, np.copysign(rest, b), np.where((rest < 0) != (b < 0), rest + b, rest)).astype(a.dtype)


def clip(case, x, least, most):
    return larger(least, smaller(x, most))


def clip_gradient(least, most):
    def function(case):
        x, g = widen(case.inputs["InputTensor"]), widen(case.inputs["InputGradientTensor"])
        return np.where((x <= least(case)) | (x >= most(case)), g.dtype.type(0), g)
    return function


def integer_power(base, exponent):
    if exponent < 0:
        return 0 if abs(base) != 1 else base if exponent % 2 else 1
    return pow(base, exponent, 1 << 64)


def shrink(case, x):
    if x.dtype.kind == "f":
        bias, threshold = np.float32(case["Bias"]), np.float32(case["Threshold"])
        return np.where(x > threshold, x - bias, np.where(x < -threshold, x + bias, np.float32(0)))
    type_ = case.output.type
    bias, high, low = (truncate_to(float(np.float32(v)), type_) for v in (case["Bias"], case["Threshold"], -case["Threshold"]))
    flat = [v - bias if v > high else v + bias if v < low else 0 for v in map(int, x.reshape(-1))]
    return wrap(np.array(flat, object).reshape(x.shape), x.dtype)


def round_away(x):
    return np.where(np.abs(x) >= 2**23, x, np.copysign(np.floor(np.abs(x).astype(np.float64) + 0.5), x)).astype(x.dtype)


ROUNDINGS = {"HALVES_TO_NEAREST_EVEN": np.rint, "TOWARD_ZERO": np.trunc, "TOWARD_INFINITY": round_away}


def infinite(case):
    x, mode = case.inputs["InputTensor"], case["InfinityMode"]
    return np.isposinf(x) & (mode != "NEGATIVE") | np.isneginf(x) & (mode != "POSITIVE")


def bit_count(case):
    x = case.inputs["InputTensor"]
    x = x.view(f"uint{8 * x.dtype.itemsize}")
    return np.array([int(v).bit_count() for v in x.reshape(-1)]).reshape(x.shape)


def bitwise(function):
    def results(case):
        operands = [x.view(f"uint{8 * x.dtype.itemsize}") for x in case.inputs.values()]
        return function(*operands).view(case.first.dtype)
    return results


def shift(function):
    return lambda case: wrap(np.frompyfunc(function, 2, 1)(case.inputs["ATensor"].astype(object),
                                                            case.inputs["BTensor"].astype(object)), case.first.dtype)


def choose(case):
    """Bits are kept, of NaN too."""
    condition, a, b = (case.inputs[name] for name in ("ConditionTensor", "ATensor", "BTensor"))
    return np.where(condition != 0, a, b)


def cast(case):
    x, target = case.inputs["InputTensor"], case.output.type
    if target not in FLOATS:
        return to_integers(x, target) if x.dtype.kind == "f" else wrap(x.astype(object), DTYPES[target])
    if x.dtype.kind == "f":
        return x.astype(DTYPES[target])  # NumPy rounds once, from FLOAT64 to FLOAT16 too
    # Python divides and rounds integers of any length right; FLOAT16 through FLOAT64, which holds all that is finite.
    return np.array([np.float32(round_to_24(int(v))) if target == "FLOAT32" else float(int(v)) for v in x.reshape(-1)],
                    np.float64).reshape(x.shape).astype(DTYPES[target])


def round_to_24(value):
    """An integer's nearest of 24 bits, ties to even."""
    shift_ = max(abs(value).bit_length() - 24, 0)
    whole, rest, half = abs(value) >> shift_, abs(value) & (1 << shift_) - 1, 1 << shift_ >> 1
    whole += shift_ > 0 and (rest > half or rest == half and whole % 2 == 1)
    return math.copysign(float(whole << shift_), value) if value else 0.0


# ---- quantization ----

def spread(parameter, sizes):
    """An element for each block, repeated over it; inputs come with a size of 1 where they are broadcast."""
    for d, size in enumerate(sizes):
        if parameter.shape[d] != 1:
            parameter = np.repeat(parameter, size // parameter.shape[d], axis=d)
    return np.broadcast_to(parameter, sizes)


def quantize_to(type_, x, scale, zero_point):
    quotient = np.asarray(x / scale, np.float32)
    flat = [int(z) if math.isnan(q) else int(np.rint(min(max(float(q), -1e6), 1e6))) + int(z)
            for q, z in zip(quotient.reshape(-1), zero_point.reshape(-1))]
    return saturate(np.array(flat, object).reshape(quotient.shape), type_)


def quantization_of(case, scale_name, zero_name):
    """Scale and zero point of each element."""
    sizes = case.output.sizes
    blocks = next((t.sizes for name, t in tensors_of(case) if name == scale_name), sizes)
    scale = spread(np.broadcast_to(widen(case.inputs[scale_name]), blocks), sizes).astype(np.float32)
    zero = case.inputs.get(zero_name)
    zero = np.zeros(sizes, np.int64) if zero is None else spread(np.broadcast_to(zero, blocks), sizes)
    return scale, zero


def tensors_of(case):
    for name, tensor in case.tensors.items():
        if isinstance(tensor, list):
            yield from ((f"{name}[{i}]", t) for i, t in enumerate(tensor))
        else:
            yield name, tensor


def dequantized(x, scale, zero):
    return np.asarray((x.astype(np.int64) - zero.astype(np.int64)).astype(np.float32) * scale, np.float32)


def quantize(scale_name, zero_name):
    def results(case):
        x = np.broadcast_to(case.inputs["InputTensor"].astype(np.float32), case.output.sizes)
        return quantize_to(case.output.type, x, *quantization_of(case, scale_name, zero_name))
    return results


def dequantize(scale_name, zero_name):
    def results(case):
        x = np.broadcast_to(case.inputs["InputTensor"], case.output.sizes)
        return dequantized(x, *quantization_of(case, scale_name, zero_name))
    return results


def dynamically_quantized(case):
    """0 is in the range, a scale of 0 becomes 1, and NaN among the elements makes the scale NaN."""
    x = whole(case).astype(np.float32)
    first = f32(-128 if case.output.type == "INT8" else 0)
    high, low = np.maximum(np.max(x), f32(0)), np.minimum(np.min(x), f32(0))  # NaN wins
    scale = f32((high - low) / f32(255))
    scale = f32(1) if scale == 0 else scale
    exact = np.rint(first - f32(low / scale))
    zero = int(first if np.isnan(exact) else min(max(exact, first), first + 255))
    return [quantize_to(case.output.type, x, scale, np.full(x.shape, zero)), scale, zero]


def quantized_add(case):
    sides = [dequantized(case.inputs[side + "Tensor"], case.inputs[side + "ScaleTensor"],
                         case.inputs.get(side + "ZeroPointTensor", np.zeros(1, np.int64))) for side in "AB"]
    total = sides[0] + sides[1]
    zero = case.inputs.get("OutputZeroPointTensor", np.zeros(1, np.int64))
    return quantize_to(case.output.type, total, case.inputs["OutputScaleTensor"], np.broadcast_to(zero, total.shape))


# ---- data movement ----

def pad(value):
    def results(case):
        rims = list(zip(case["StartPadding"], case["EndPadding"]))
        mode = {"CONSTANT": "constant", "EDGE": "edge", "REFLECTION": "reflect", "SYMMETRIC": "symmetric", "WRAP": "wrap"}
        x = np.broadcast_to(case.inputs["InputTensor"], case.tensors["InputTensor"].sizes)
        more = {"constant_values": value(case)} if case["PaddingMode"] == "CONSTANT" else {}
        return np.pad(x, rims, mode=mode[case["PaddingMode"]], **more)
    return results


def padding_value(case):
    type_ = case.output.type
    value = np.float32(case["PaddingValue"])
    return value.astype(DTYPES[type_]) if type_ in FLOATS else truncate_to(float(value), type_)


def diagonals(sizes):
    return np.broadcast_to(np.arange(sizes[-1]) - np.arange(sizes[-2])[:, None], sizes)


def diagonal_matrix(case):
    type_ = case.output.type
    value = np.float32(case["Value"])
    value = value.astype(DTYPES[type_]) if type_ in FLOATS else DTYPES[type_].type(truncate_to(float(value), type_))
    return np.where(diagonals(case.output.sizes) == case["Offset"], value, DTYPES[type_].type(0))


def diagonal_matrix1(case):
    k, begin, end = diagonals(case.output.sizes), case["DiagonalFillBegin"], case["DiagonalFillEnd"]
    inside = (k >= begin) & (k < end) if begin <= end else ~((k >= end) & (k < begin))
    other = case.inputs.get("InputTensor", np.zeros(1, DTYPES[case.output.type]))
    return np.where(inside, case["Value"], other)


def fill_sequence(case):
    type_, sizes = case.output.type, case.output.sizes
    start, delta = case["ValueStart"], case["ValueDelta"]
    index = np.arange(int(np.prod(sizes)))
    if type_ in FLOATS:
        return (widen(start) + index.astype(np.float32) * widen(delta)).reshape(sizes)
    return wrap(index.astype(object) * int(delta) + int(start), DTYPES[type_]).reshape(sizes)


def hard_sigmoid(case, x):
    return larger(np.float32(0), smaller(np.float32(case["Alpha"]) * x + np.float32(case["Beta"]), np.float32(1)))


def batch_normalization(case):
    x, mean, variance, scale, bias = (widen(case.inputs[name + "Tensor"])
                                      for name in ("Input", "Mean", "Variance", "Scale", "Bias"))
    return scale * ((x - mean) / np.sqrt(variance + np.float32(case["Epsilon"]))) + bias


f32 = np.float32
POWERS = of_integers(integer_power)

def whole(case):
    """The first input, of all its elements."""
    return np.broadcast_to(case.first, next(t for t in case.tensors.values() if not isinstance(t, list)).sizes)


def taken(case):
    """The elements of a window, as slices: from its end on where a stride is negative."""
    slices = []
    for offset, length, stride in zip(case["InputWindowOffsets"], case["InputWindowSizes"], case["InputWindowStrides"]):
        inside = range(offset, offset + length)[::stride]
        slices.append(list(inside))
    return np.ix_(*slices)


def slice_gradient(case):
    result = np.zeros(case.output.sizes, case.first.dtype)
    result[taken(case)] = whole(case)
    return result


def split(case):
    ends = np.cumsum([t.sizes[case["Axis"]] for t in case.outputs])[:-1]
    return np.split(whole(case), ends, case["Axis"])


def joined(case):
    parts = [np.broadcast_to(x, t.sizes) for x, t in zip(case.inputs.values(), case.tensors["InputTensors"])]
    return np.concatenate(parts, case["Axis"])


def blocks(case, to_depth, order):
    n, c, h, w = (case.tensors["InputTensor"] if to_depth else case.output).sizes
    b, x = case["BlockSize"], whole(case)
    if to_depth:
        parts = x.reshape(n, c, h // b, b, w // b, b)
        axes = (0, 3, 5, 1, 2, 4) if order == "DEPTH_COLUMN_ROW" else (0, 1, 3, 5, 2, 4)
        return parts.transpose(axes).reshape(n, c * b * b, h // b, w // b)
    if order == "DEPTH_COLUMN_ROW":
        return x.reshape(n, b, b, c, h // b, w // b).transpose(0, 3, 4, 1, 5, 2).reshape(n, c, h, w)
    return x.reshape(n, c, b, b, h // b, w // b).transpose(0, 1, 4, 2, 5, 3).reshape(n, c, h, w)


def unfolded(case):
    rims = [(0, 0), (0, 0), *zip(case["StartPadding"], case["EndPadding"])]
    x = np.pad(whole(case), rims)
    windows, strides, dilations = case["WindowSizes"], case["Strides"], case["Dilations"]
    columns = []
    for element in np.ndindex(*windows):
        at = [slice(e * d, size - (window - 1 - e) * d, stride)
              for e, d, size, window, stride in zip(element, dilations, x.shape[2:], windows, strides)]
        columns.append(x[(slice(None), slice(None), *at)].reshape(*x.shape[:2], -1))
    return np.stack(columns, 2).reshape(case.output.sizes)


def by_channel(case, names):
    """The first input, of all its elements, and others by name, each a row of the channels' numbers: a normalization by
    channels, which more than these and an activation are not."""
    others = [case.inputs[name + "Tensor"] for name in names]
    if case.attributes.get("FusedActivation") or any(v.shape[d] != 1 for v in others for d in range(v.ndim) if d != 1):
        raise NotImplementedError
    channels = case.output.sizes[1]
    rows = [np.broadcast_to(v.reshape(-1), [channels]) for v in others]
    return [np.broadcast_to(case.inputs["InputTensor"], case.output.sizes), *rows]


def full(case, name):
    return np.broadcast_to(case.inputs[name], case.tensors[name].sizes)


def places(x, axes, greatest, last):
    """Of the least or greatest along the axes, in row-major order of what Axes lists; NaN comes before all others."""
    kept = [d for d in range(x.ndim) if d not in axes]
    rows = x.transpose(*kept, *sorted(axes)).reshape(*(x.shape[d] for d in kept), -1)
    if x.dtype.kind == "f":
        rows = rows.astype(np.longdouble)
        rows = np.where(np.isnan(rows), np.inf if greatest else -np.inf, rows) + 0 * 0
        isnan = np.isnan(x.transpose(*kept, *sorted(axes)).reshape(rows.shape))
        rows = np.where(isnan.any(-1, keepdims=True), isnan if greatest else ~isnan, rows)
    if last:
        rows = rows[..., ::-1]
    found = (np.argmax if greatest else np.argmin)(rows, -1)
    found = rows.shape[-1] - 1 - found if last else found
    return found.reshape([1 if d in axes else size for d, size in enumerate(x.shape)])


def place(case):
    greatest = case.operator.name == "ARGMAX"
    return places(full(case, "InputTensor"), case["Axes"], greatest, case["AxisDirection"] == "DECREASING")


def order(case, greatest):
    """NaN wins, and -0 is below +0."""
    x, axes = full(case, "InputTensor"), tuple(case["Axes"])
    result = (np.max if greatest else np.min)(x, axes, keepdims=True)
    if x.dtype.kind == "f":
        negative = np.signbit(x) & (x == 0)
        wins = (~negative & (x == 0)).any(axes, keepdims=True) if greatest else ~negative.any(axes, keepdims=True)
        result = np.where(result == 0, np.where(wins, x.dtype.type(0), x.dtype.type(-0.0)), result)
    return result


def reduced(case):
    """Integers, extremes and places: exact. Sums of floats: REDUCED_SUMS."""
    x, axes, function = full(case, "InputTensor"), tuple(case["Axes"]), case["Function"]
    if function in ("MIN", "MAX"):
        return order(case, function == "MAX")
    if function in ("ARGMIN", "ARGMAX"):
        return places(x, axes, function == "ARGMAX", False)
    values = {"SUM": x, "SUM_SQUARE": x * x, "MULTIPLY": x, "L1": np.abs(x)}[function]
    return (np.prod if function == "MULTIPLY" else np.sum)(values, axes, keepdims=True, dtype=x.dtype)


def log_sum_exp(x, axes):
    most = np.max(x, axes, keepdims=True)
    shift = np.where(np.isfinite(most), most, 0)
    return np.log(np.sum(np.exp(x - shift), axes, keepdims=True)) + shift


REDUCED_SUMS = {
    "SUM": lambda x, axes: np.sum(x, axes, keepdims=True),
    "AVERAGE": lambda x, axes: np.mean(x, axes, keepdims=True),
    "L1": lambda x, axes: np.sum(np.abs(x), axes, keepdims=True),
    "L2": lambda x, axes: np.sqrt(np.sum(x * x, axes, keepdims=True)),
    "SUM_SQUARE": lambda x, axes: np.sum(x * x, axes, keepdims=True),
    "MULTIPLY": lambda x, axes: np.prod(x, axes, keepdims=True),
    "LOG_SUM": lambda x, axes: np.log(np.sum(x, axes, keepdims=True)),
    "LOG_SUM_EXP": log_sum_exp,
}


def scanned(case, x, function, first):
    """Along the case's axis, in its direction, with an element's own value or without."""
    axis, backward = case["Axis"], case["AxisDirection"] == "DECREASING"
    x = np.flip(x, axis) if backward else x
    if case.attributes.get("HasExclusiveSum") or case.attributes.get("HasExclusiveProduct"):
        last = [slice(-1) if d == axis else slice(None) for d in range(x.ndim)]
        x = np.concatenate([np.full_like(np.take(x, [0], axis), first), x[tuple(last)]], axis)
    result = function(x, axis, dtype=x.dtype)
    return np.flip(result, axis) if backward else result


def tallied(case):
    """Integers: exact. Floats: tallies_of_floats()."""
    multiplies = case.operator.name == "CUMULATIVE_PRODUCT"
    return scanned(case, full(case, "InputTensor"), np.cumprod if multiplies else np.cumsum, int(multiplies))


def tallies_of_floats(case):
    """The value, how far a result may be from it, and whether it is known."""
    x = full(case, "InputTensor").astype(wide)
    finite = np.where(np.isfinite(x), x, 0)
    if case.operator.name == "CUMULATIVE_PRODUCT":
        exact = scanned(case, x, np.cumprod, 1)
        powers = scanned(case, np.abs(np.frexp(np.where(finite == 0, 1, finite))[1]).astype(np.int64), np.cumsum, 0)
        return exact, np.abs(exact) * x.shape[case["Axis"]] * 2.0**-23, powers < 16000
    terms = scanned(case, np.abs(finite), np.cumsum, 0)
    return scanned(case, x, np.cumsum, 0), terms * x.shape[case["Axis"]] * 2.0**-24, terms < 2.0**128 * (1 - 2.0**-24)


# ---- sums that are computed in double: the value, how far a result may be from it, and whether it is known ----

DOUBLE = 2.0**-44  # of some hundred terms


def folded_axes(case):
    """The dimensions that a reduction is over."""
    if "Axes" in case.attributes:
        return tuple(case["Axes"])
    if "Axis" in case.attributes:
        return (case["Axis"],)
    if "CrossChannel" in case.attributes:
        return (1, 2, 3) if case["CrossChannel"] else (2, 3)
    return (len(case.output.sizes) - 1,)


def softmax(case):
    """Each operation as IEEE 754 has it: of infinity NaN, beside which others are 0."""
    x, axes = full(case, "InputTensor").astype(wide), folded_axes(case)
    below = x - np.max(x, axes, keepdims=True)
    powers = np.where(x == np.max(x, axes, keepdims=True), 1, np.exp(below))
    total = np.sum(powers, axes, keepdims=True)
    size = 1 + np.where(np.isfinite(below), np.abs(below), 0)  # whose rounding the power has
    if "LOG" in case.operator.name:
        exact = below - np.log(total)
        return exact, (size + np.log(total)) * DOUBLE, np.full(x.shape, True)
    exact = np.exp(below) / total
    return exact, exact * size * DOUBLE, np.full(x.shape, True)


def in_rows(x, axes):
    """What is folded as the last of two dimensions; in_place() is the way back."""
    kept = [d for d in range(x.ndim) if d not in axes]
    return np.ascontiguousarray(x.transpose(*kept, *sorted(axes)).reshape(-1, int(np.prod([x.shape[d] for d in axes]))))


def in_place(rows, sizes, axes):
    order_ = [*[d for d in range(len(sizes)) if d not in axes], *sorted(axes)]
    return rows.reshape([sizes[d] for d in order_]).transpose(np.argsort(order_))


def hardmax(case):
    """1 where REDUCE's ARGMAX is."""
    x, axes = full(case, "InputTensor"), sorted(folded_axes(case))
    numbers_ = np.arange(int(np.prod([x.shape[d] for d in axes]))).reshape(
        [size if d in axes else 1 for d, size in enumerate(x.shape)])
    return np.broadcast_to(places(x, axes, True, False) == numbers_, x.shape)


def mean_variance(case):
    """The elements' squares are of their distances from the mean, or from 0 where that is not used."""
    x, axes = full(case, "InputTensor").astype(wide), folded_axes(case)
    uses_mean = case.attributes.get("UseMean", 1)
    uses_variance = case.attributes.get("UseVariance", case.attributes.get("NormalizeVariance"))
    mean = np.mean(x, axes, keepdims=True) if uses_mean else 0
    magnitude = np.mean(np.abs(x), axes, keepdims=True) * DOUBLE if uses_mean else 0
    variance = np.mean((x - mean)**2, axes, keepdims=True) + wide(f32(case["Epsilon"]))
    scale = full(case, "ScaleTensor").astype(wide) if "ScaleTensor" in case.inputs else wide(1)
    bias = full(case, "BiasTensor").astype(wide) if "BiasTensor" in case.inputs else wide(0)
    deviation = np.sqrt(variance) if uses_variance else wide(1)
    z = (x - mean) / deviation
    # The mean's error squared is in the variance, and Epsilon may be below 0 and leave little of it.
    terms = np.mean((x - mean)**2, axes, keepdims=True) + abs(wide(f32(case["Epsilon"])))
    lost = (terms * DOUBLE + magnitude**2) / np.abs(variance) if uses_variance else wide(0)
    distance = np.abs(scale) * (magnitude / deviation + np.abs(z) * (lost + DOUBLE)) + (np.abs(scale * z) + np.abs(bias)) * DOUBLE
    known = ~(lost > 2.0**-20) & (np.isfinite(scale) | ~(np.abs(z) <= magnitude / deviation))
    return scale * z + bias, distance, np.broadcast_to(known, x.shape)


def lp_normalization(case):
    """The norm, or Epsilon where that is more."""
    x, axes = full(case, "InputTensor").astype(wide), folded_axes(case)
    norm = np.sum(np.abs(x), axes, keepdims=True) if case["P"] == 1 else np.sqrt(np.sum(x * x, axes, keepdims=True))
    epsilon = wide(f32(case["Epsilon"]))
    exact = x / np.where(norm < epsilon, epsilon, norm)
    return exact, np.abs(exact) * DOUBLE, np.full(x.shape, True)


def beyond_float(x):
    """What FLOAT32 does not hold is infinite."""
    return np.where(np.abs(x) > np.finfo(f32).max, np.copysign(np.inf, x), x)


def squares_around(case):
    """The sums of the regions' squares, an element of the region after the other."""
    x, size = full(case, "InputTensor").astype(wide), case["LocalSize"]
    before, behind = (size - 1) // 2, size // 2
    squares = x * x
    for axis in [1] if case["CrossChannel"] else [2, 3]:
        rims = [(before, behind) if d == axis else (0, 0) for d in range(4)]
        padded = np.pad(squares, rims)
        squares = sum(np.take(padded, range(i, i + x.shape[axis]), axis) for i in range(size))
    return x, squares


def local_response(case):
    """x / (Bias + Alpha / LocalSize * s)^Beta, of which Alpha / LocalSize is rounded to FLOAT32."""
    alpha, beta, bias = (wide(f32(case[name])) for name in ("Alpha", "Beta", "Bias"))
    x, total = squares_around(case)
    limit = wide(np.finfo(f32).max)
    product = alpha / case["LocalSize"] * beyond_float(total)
    divisor = bias + beyond_float(product)
    parts = np.abs(bias) + np.abs(product)
    near_limit = np.any([np.abs(np.abs(v) / limit - 1) < 2.0**-20 for v in (total, product, divisor)], 0)
    exact = x / np.power(beyond_float(divisor), beta)
    logarithm = np.log2(np.abs(divisor))
    lost = np.where(np.isfinite(divisor), np.abs(product) * 2.0**-24 + parts * DOUBLE, 0) / np.abs(divisor)
    known = ~near_limit & ~(lost > 2.0**-16) & ~(np.isfinite(divisor) & (np.abs(beta * logarithm) > 1000))
    known &= not 0 < abs(alpha) / case["LocalSize"] < 2.0**-120
    roundings = np.abs(beta) * lost + np.where(np.isfinite(logarithm), np.abs(beta * logarithm) + 1, 1) * DOUBLE
    return exact, np.abs(exact) * np.where(beta == 0, DOUBLE, roundings), known


def shares(size, factor):
    """Of each output element along a dimension the two input elements, and the second's weight, exactly."""
    first, second, weight = [], [], []
    for o in range(size * factor):
        place_ = Fraction(2 * o + 1, 2 * factor) - Fraction(1, 2)
        below = math.floor(place_)
        first.append(min(max(below, 0), size - 1))
        second.append(min(max(below + 1, 0), size - 1))
        weight.append(place_ - below if first[-1] != second[-1] else Fraction(0))
    return first, second, np.array([wide(w.numerator) / wide(w.denominator) for w in weight])


def upsampled(case):
    """The nearest pixel's centre: those of the element that is enlarged."""
    width, height = case["ScaleSize"]
    return np.repeat(np.repeat(full(case, "InputTensor"), height, -2), width, -1)


def interpolated(case):
    x = full(case, "InputTensor").astype(wide)
    width, height = case["ScaleSize"]
    rows, columns = shares(x.shape[-2], height), shares(x.shape[-1], width)
    exact = magnitudes = np.zeros(case.output.sizes, wide)
    for row, down in ((rows[0], 1 - rows[2]), (rows[1], rows[2])):
        for column, across in ((columns[0], 1 - columns[2]), (columns[1], columns[2])):
            weight = down[:, None] * across
            part = x[..., row, :][..., column]
            exact = exact + np.where(weight == 0, 0, weight * part)
            magnitudes = magnitudes + np.where(weight == 0, 0, np.abs(part))
    return exact, magnitudes * DOUBLE, np.full(exact.shape, True)


def sampled_places(case, axis):
    """Where the output's elements lie along an axis of the input: in FLOAT32."""
    of = {name: f32(case.attributes.get(name, [default] * (axis + 1))[axis])
          for name, default in (("InputPixelOffsets", 0.5), ("OutputPixelOffsets", -0.5), ("Scales", 1))}
    place_ = (np.arange(case.output.sizes[axis]).astype(f32) - of["OutputPixelOffsets"]) / of["Scales"] - of["InputPixelOffsets"]
    return np.where(np.abs(place_) < f32(2.0**-32), f32(0), place_)


def keeps_a_size(case):
    """Peers leave a dimension alone that keeps its size, whatever its scale."""
    return any(a == b and scale != 1 for a, b, scale in zip(full(case, "InputTensor").shape, case.output.sizes, case["Scales"]))


def nearest(case):
    x = full(case, "InputTensor")
    direction = case.attributes.get("RoundingDirection")
    for axis in range(x.ndim):
        place_ = sampled_places(case, axis)
        rounded = np.floor(place_ + f32(0.5)) if direction is None else np.ceil(place_) if direction == "INCREASING" else np.floor(place_)
        x = np.take(x, np.clip(rounded, 0, x.shape[axis] - 1).astype(np.int64), axis)
    return x


def resampled(case):
    exact = full(case, "InputTensor").astype(wide)
    magnitudes = np.abs(exact)
    shares_ = wide(1)
    for axis in range(exact.ndim):
        size, scale = exact.shape[axis], wide(f32(case["Scales"][axis]))
        averages = case.attributes.get("Antialiased") and scale < 1
        place_ = (sampled_places(case, axis) if averages else np.clip(sampled_places(case, axis), 0, size - 1)).astype(wide)
        beyond = int(2 / scale) + 12 if averages else 0  # the outermost elements go on
        near = np.maximum(1 - np.abs(np.arange(-beyond, size + beyond) - place_[:, None]) * (scale if averages else 1), 0)
        weights = near[:, beyond:beyond + size].copy()
        weights[:, 0] += near[:, :beyond].sum(1)
        weights[:, -1] += near[:, beyond + size:].sum(1)
        shares_ = shares_ * weights.sum(1).reshape(-1, *[1] * (exact.ndim - 1 - axis))
        parts = [np.where(weights == 0, 0, weights * np.moveaxis(v, axis, -1)[..., None, :]).sum(-1) for v in (exact, magnitudes)]
        exact, magnitudes = (np.moveaxis(v, -1, axis) for v in parts)
    return exact / shares_, magnitudes / shares_ * DOUBLE, np.full(exact.shape, True)


def resampled_copies(case):
    """The nearest, and integers."""
    return nearest(case) if case["InterpolationMode"] == "NEAREST_NEIGHBOR" else np.rint(resampled(case)[0])


def added_up(case, columns):
    """unfolded() the other way round, in the columns' type."""
    n, c, *sizes = case.output.sizes
    windows, strides, dilations, starts = (case[name] for name in ("WindowSizes", "Strides", "Dilations", "StartPadding"))
    padded = [a + b + size for a, b, size in zip(starts, case["EndPadding"], sizes)]
    blocks_ = [(size - d * (window - 1) - 1) // stride + 1 for size, d, window, stride in zip(padded, dilations, windows, strides)]
    columns = columns.reshape(n, c, *windows, *blocks_)
    image = np.zeros([n, c, *padded], columns.dtype)
    for element in np.ndindex(*windows):
        at = [slice(e * d, e * d + (count - 1) * stride + 1, stride)
              for e, d, count, stride in zip(element, dilations, blocks_, strides)]
        image[(slice(None), slice(None), *at)] += columns[(slice(None), slice(None), *element)]
    return image[(slice(None), slice(None), *[slice(a, a + size) for a, size in zip(starts, sizes)])]


def folded(case):
    x = full(case, "InputTensor").astype(wide)
    return added_up(case, x), added_up(case, np.abs(x)) * DOUBLE, np.full(case.output.sizes, True)


def factors(case):
    """A and B as they are multiplied."""
    a, b = full(case, "ATensor"), full(case, "BTensor")
    return (np.swapaxes(a, -1, -2) if case["TransA"] == "TRANSPOSE" else a,
            np.swapaxes(b, -1, -2) if case["TransB"] == "TRANSPOSE" else b)


def multiplied(case):
    a, b = (x.astype(wide) for x in factors(case))
    alpha, beta = wide(f32(case["Alpha"])), wide(f32(case["Beta"]))
    products = np.matmul(np.abs(a), np.abs(b))
    exact, magnitudes = alpha * np.matmul(a, b), np.abs(alpha) * products
    if "CTensor" in case.inputs:
        c = full(case, "CTensor").astype(wide)
        exact, magnitudes = exact + beta * c, magnitudes + np.abs(beta * c)
    limit = np.finfo(f32).max
    return exact, magnitudes * DOUBLE, (products <= limit) & (magnitudes <= limit)


def filter_of(case):
    """The filter as a cross-correlation has it."""
    filter_ = full(case, "FilterTensor")
    return np.flip(filter_, range(2, filter_.ndim)) if case["Mode"] == "CONVOLUTION" else filter_


def added_products(case, x, filter_):
    """What the filter's elements give with the input's, one after another; padding is 0."""
    is_backward, groups = case["Direction"] == "BACKWARD", case["GroupCount"]
    x = x.reshape(len(x), groups, -1, *x.shape[2:])
    filter_ = filter_.reshape(groups, -1, *filter_.shape[1:])
    if not is_backward:
        filter_ = np.swapaxes(filter_, 1, 2)
        x = np.pad(x, [(0, 0)] * 3 + list(zip(case["StartPadding"], case["EndPadding"])))
    sizes = case.output.sizes[2:]
    places = x.shape[3:] if is_backward else [size - more for size, more in zip(sizes, case["OutputPadding"])]
    whole_sizes = [a + size + b for a, size, b in zip(case["StartPadding"], sizes, case["EndPadding"])] if is_backward else sizes
    result = np.zeros([len(x), groups, filter_.shape[2], *whole_sizes], x.dtype)
    for element in np.ndindex(*filter_.shape[3:]):
        apart = (..., *[slice(e * d, e * d + (count - 1) * stride + 1, stride)
                        for e, d, count, stride in zip(element, case["Dilations"], places, case["Strides"])])
        put = (..., *[slice(count) for count in places])
        source, target = (put, apart) if is_backward else (apart, put)
        result[target] += np.einsum("ngc...,gcm->ngm...", x[source], filter_[(..., *element)])
    if is_backward:
        result = result[(..., *[slice(a, a + size) for a, size in zip(case["StartPadding"], sizes)])]
    return result.reshape(case.output.sizes)


def convolved(case):
    x, filter_ = full(case, "InputTensor").astype(wide), filter_of(case).astype(wide)
    products = added_products(case, np.abs(x), np.abs(filter_))
    exact, magnitudes = added_products(case, x, filter_), products
    if "BiasTensor" in case.inputs:
        bias = full(case, "BiasTensor").astype(wide)
        exact, magnitudes = exact + bias, magnitudes + np.abs(bias)
    limit = np.finfo(f32).max
    return exact, magnitudes * DOUBLE, (products <= limit) & (magnitudes <= limit)


def pooled(case, x, beyond):
    """What windows hold, one of their elements after another, `beyond` where there is padding."""
    windows, sizes = case["WindowSize"], case.output.sizes[2:]
    dilations = case.attributes.get("Dilations", [1] * len(windows))
    padded = np.pad(x, [(0, 0), (0, 0), *zip(case["StartPadding"], case["EndPadding"])], constant_values=beyond)
    return [padded[(slice(None), slice(None), *[slice(e * d, e * d + (size - 1) * stride + 1, stride)
                                                for e, d, size, stride in zip(element, dilations, sizes, case["Strides"])])]
            for element in np.ndindex(*windows)]


def averaged(case):
    x = full(case, "InputTensor").astype(wide)
    count = sum(pooled(case, np.ones_like(x), wide(bool(case["IncludePadding"]))))
    if case["IncludePadding"]:
        count = np.full_like(count, int(np.prod(case["WindowSize"])))
    count = np.maximum(count, 1)
    return sum(pooled(case, x, 0)) / count, sum(pooled(case, np.abs(x), 0)) / count * DOUBLE, np.full(count.shape, True)


def normed(case):
    """Squares, and their sum, beyond FLOAT32 or below it are not looked at."""
    p, x = wide(case["P"]), np.abs(full(case, "InputTensor").astype(wide))
    taken_ = pooled(case, x, 0)
    greatest = functools.reduce(np.maximum, taken_)
    beside = np.where((greatest > 0) & np.isfinite(greatest), greatest, 1)
    exact = beside * sum((y / beside) ** p for y in taken_) ** (1 / p)
    looked_at = (case["P"] != 2) | (greatest == 0) | ~np.isfinite(greatest) | ((greatest > 1e-18) & (greatest < 1e17))
    return np.where(np.isfinite(greatest), exact, greatest), exact * 16 * DOUBLE, looked_at


def maxima(case):
    """And their places: NaN is above all, -0 below +0, and of equal ones the first counts."""
    x = full(case, "InputTensor")
    floats = x.dtype.kind == "f"
    least = -np.inf if floats else np.iinfo(x.dtype).min
    best = np.full(case.output.sizes, least, x.dtype)
    places_ = np.full(case.output.sizes, -1, np.int64)
    numbers_ = np.arange(x.size, dtype=np.int64).reshape(x.shape)
    for y, at in zip(pooled(case, x, least), pooled(case, numbers_, -1)):
        above = y > best
        if floats:
            above |= np.isnan(y) | ((y == best) & np.signbit(best) & ~np.signbit(y))
            above &= ~np.isnan(best)
        above = (at >= 0) & ((places_ < 0) | above)
        best, places_ = np.where(above, y, best), np.where(above, at, places_)
    return [best, places_.astype(case.outputs[1].type.lower())] if len(case.outputs) > 1 else best


def unpooled(case):
    result = np.zeros(int(np.prod(case.output.sizes)), case.first.dtype)
    for value, at in zip(full(case, "InputTensor").reshape(-1), full(case, "IndicesTensor").reshape(-1)):
        if at < result.size:
            result[int(at)] = value
    return result.reshape(case.output.sizes)


def regions_of(case):
    """The numbers of each region, as FLOAT32."""
    numbers = full(case, "ROITensor").astype(f32)
    return np.where(np.abs(numbers) < np.finfo(f32).tiny, f32(0), numbers).reshape(-1, numbers.shape[-1])


def pooled_regions(case):
    x, (width, height) = full(case, "InputTensor"), case["PooledSize"]
    result = np.zeros(case.output.sizes, x.dtype)
    for r, region in enumerate(regions_of(case)):
        with np.errstate(all="ignore"):
            places_ = region[1:] * f32(case["SpatialScale"])
        if np.isnan(region[0]) or np.isnan(places_).any() or not -1 < region[0] < x.shape[0]:
            continue
        rounded = np.trunc(np.clip(places_.astype(wide), -2**29, 2**29) + np.copysign(0.5, places_))
        x1, y1, x2, y2 = (max(-2**29, min(2**29, int(v))) for v in rounded)
        long, high = max(x2 - x1 + 1, 1), max(y2 - y1 + 1, 1)
        for i, j in np.ndindex(height, width):
            rows = slice(max(y1 + i * high // height, 0), max(y1 - (-(i + 1) * high // height), 0))
            columns = slice(max(x1 + j * long // width, 0), max(x1 - (-(j + 1) * long // width), 0))
            cell = x[int(region[0]), :, rows, columns].reshape(x.shape[1], -1)
            if cell.size:
                order = np.where(np.signbit(cell) & (cell == 0), -1, 0)  # -0 is below 0
                greatest = cell.max(1)
                zero = np.where(np.where(cell == 0, order, -2).max(1) == -1, x.dtype.type(-0.0), x.dtype.type(0))
                result[r, :, i, j] = np.where(greatest == 0, zero, greatest)
    return result


def points_of(case, axis, low, high, size, outputs):
    """Of each output element along an axis its samples: two elements, the second's weight, and whether they are inside."""
    old = case.operator.name == "ROI_ALIGN"
    before, after = (f32(0.5), f32(-0.5)) if old else (f32(case["InputPixelOffset"]), f32(case["OutputPixelOffset"]))
    tiny = np.finfo(f32).tiny
    scale = f32(case["SpatialScale" + "XY"[axis]])
    start = low * scale
    length = high * scale - start
    least, most = max(case["MinimumSamplesPerOutput"], 1), min(case["MaximumSamplesPerOutput"], 160)
    wanted = np.ceil(length / f32(outputs))
    count = int(min(max(wanted, least), most)) if np.isfinite(wanted) else most
    points = outputs * count
    step = length / f32(points if old or not case["AlignRegionsToCorners"] else max(points - 1, 1))
    step = f32(0) if abs(step) < tiny else step
    place_ = (np.arange(points, dtype=f32) - (f32(0) if abs(after) < tiny else after)) * step + start - before
    inside = (place_ >= -1) & (place_ <= size)
    if not np.isfinite(place_[[0, -1]]).all():
        return None
    place_ = np.clip(np.where(place_ < tiny, f32(0), place_), 0, size - 1)
    first = place_.astype(np.int64)
    weight = (place_ - first).astype(wide)
    second = np.minimum(first + 1, size - 1)
    if case["InterpolationMode"] == "NEAREST_NEIGHBOR":
        first, weight = np.where(weight > 0.5, second, first), weight * 0
    return [v.reshape(outputs, count) for v in (first, second, weight, inside)]


def aligned_regions(case):
    x, outside = full(case, "InputTensor").astype(wide), wide(full(case, "InputTensor").dtype.type(case["OutOfBoundsInputValue"]))
    exact = np.full(case.output.sizes, outside, wide)
    magnitudes = np.abs(exact)
    for r, (region, picture) in enumerate(zip(regions_of(case), full(case, "BatchIndicesTensor"))):
        columns = points_of(case, 0, region[0], region[2], x.shape[3], case.output.sizes[3])
        rows = points_of(case, 1, region[1], region[3], x.shape[2], case.output.sizes[2])
        if picture >= x.shape[0] or columns is None or rows is None:
            continue
        for i, j in np.ndindex(case.output.sizes[2], case.output.sizes[3]):
            (y1, y2, v, above), (x1, x2, u, beside) = [p[i] for p in rows], [p[j] for p in columns]
            value = magnitude = 0
            for y, down in ((y1, 1 - v), (y2, v)):
                for at, across in ((x1, 1 - u), (x2, u)):
                    weight = down[:, None] * across
                    part = np.where(weight == 0, 0, weight * x[int(picture)][:, y][:, :, at])
                    value, magnitude = value + part, magnitude + np.abs(part)
            inside = above[:, None] & beside
            value, magnitude = np.where(inside, value, outside), np.where(inside, magnitude, np.abs(outside))
            average = case["ReductionFunction"] == "AVERAGE"
            exact[r, :, i, j] = value.mean((1, 2)) if average else value.max((1, 2))
            magnitudes[r, :, i, j] = magnitude.mean((1, 2)) if average else magnitude.max((1, 2))
    return exact, magnitudes * DOUBLE, np.full(exact.shape, True)


RECURRENT = {
    "ACTIVATION_SIGMOID": lambda x, a: 1 / (1 + np.exp(-x)),
    "ACTIVATION_TANH": lambda x, a: np.tanh(x),
    "ACTIVATION_RELU": lambda x, a: np.maximum(x, 0),
    "ACTIVATION_LEAKY_RELU": lambda x, a: np.where(x >= 0, x, a["Alpha"] * x),
    "ACTIVATION_HARD_SIGMOID": lambda x, a: np.clip(a["Alpha"] * x + a["Beta"], 0, 1),
    "ACTIVATION_ELU": lambda x, a: np.where(x >= 0, x, a["Alpha"] * np.expm1(np.minimum(x, 0))),
    "ACTIVATION_SOFTSIGN": lambda x, a: x / (1 + np.abs(x)),
    "ACTIVATION_SOFTPLUS": lambda x, a: np.log1p(np.exp(x)),
    "ACTIVATION_SCALED_TANH": lambda x, a: a["Alpha"] * np.tanh(a["Beta"] * x),
}


def rnn_step(x, h, c, w, r, wb, rb, p, functions, case):
    return functions[0](x @ w[0].T + h @ r[0].T + wb[0] + rb[0]), c


def gru_step(x, h, c, w, r, wb, rb, p, functions, case):
    f, g = functions
    z, reset = (f(x @ w[n].T + h @ r[n].T + wb[n] + rb[n]) for n in (0, 1))
    own = reset * (h @ r[2].T + rb[2]) if case["LinearBeforeReset"] else (reset * h) @ r[2].T + rb[2]
    return (1 - z) * g(x @ w[2].T + wb[2] + own) + z * h, c


def lstm_step(x, h, c, w, r, wb, rb, p, functions, case):
    """Gates in DirectML's order: i, o, f, c; peepholes: i, o, f."""
    f, g, last = functions
    most = case["ClipThreshold"] if case["UseClipThreshold"] else np.inf
    i, o, forget, new = (x @ w[n].T + h @ r[n].T + wb[n] + rb[n] for n in range(4))
    i = f(np.clip(i + p[0] * c, -most, most))
    forget = 1 - i if case["CoupleInputForget"] else f(np.clip(forget + p[2] * c, -most, most))
    c = forget * c + i * g(np.clip(new, -most, most))
    return f(np.clip(o + p[1] * c, -most, most)) * last(c), c


NETWORKS = {"RNN": (1, 1, rnn_step), "GRU": (3, 2, gru_step), "LSTM": (4, 3, lstm_step)}


def network(case):
    """All outputs: the sequence, and the last states. A sequence of no steps leaves 0."""
    gates, count, step = NETWORKS[case.operator.name]
    def get(name, sizes):
        return full(case, name).astype(wide).reshape(sizes) if name in case.inputs else np.zeros(sizes, wide)
    (_, t, b, i), (_, d, _, h) = case.tensors["InputTensor"].sizes, case.tensors["RecurrenceTensor"].sizes
    x = full(case, "InputTensor").astype(wide)[0]
    w, r = get("WeightTensor", (d, gates, h, i)), get("RecurrenceTensor", (d, gates, h, h))
    biases, peepholes = get("BiasTensor", (d, 2, gates, h)), get("PeepholeTensor", (d, 3, h))
    hidden, cells = get("HiddenInitTensor", (d, b, h)), get("CellMemInitTensor", (d, b, h))
    lengths = np.full(b, t)
    if "SequenceLengthsTensor" in case.inputs:
        lengths = np.minimum(full(case, "SequenceLengthsTensor").reshape(-1).astype(np.int64), t)
    sequence = np.zeros((t, d, b, h), wide)
    for way in range(d):
        functions = [lambda v, row=row: RECURRENT[row[0].name](v, row[1]) for row in
                     case["ActivationDescs"][way * count:(way + 1) * count]]
        is_backward = way == 1 or case["Direction"] == "BACKWARD"
        for k in range(b):
            state, cell = hidden[way, k], cells[way, k]
            for at in range(lengths[k])[::-1 if is_backward else 1]:
                state, cell = step(x[at, k], state, cell, w[way], r[way], *biases[way], peepholes[way], functions, case)
                sequence[at, way, k] = state
            hidden[way, k], cells[way, k] = (state, cell) if lengths[k] else (0, 0)
    return [sequence, hidden[None], cells[None]][:len(case.outputs)]


def near_network(ours, exact):
    """Whether states are near: of networks of few units, which forget what a step was off."""
    return np.abs(ours - exact) <= np.maximum(np.abs(exact), 1) * (2.0**-9 if ours.dtype == np.float16 else 2.0**-18)


# ---- gradients: what is taken forward is given back, element by element of the forward output ----


def windows_apart(case, sizes):
    """Of each of a window's elements where all windows' are, in a padded input."""
    dilations = case.attributes.get("Dilations", [1] * len(sizes))
    return [(slice(None), slice(None), *[slice(e * d, e * d + (size - 1) * stride + 1, stride)
                                         for e, d, size, stride in zip(element, dilations, sizes, case["Strides"])])
            for element in np.ndindex(*case["WindowSize"])]


def averaged_back(case):
    gradient = full(case, "InputGradientTensor").astype(wide)
    paddings = [(0, 0), (0, 0), *zip(case["StartPadding"], case["EndPadding"])]
    places_ = windows_apart(case, gradient.shape[2:])
    ones = np.pad(np.ones(case.output.sizes, wide), paddings, constant_values=wide(bool(case["IncludePadding"])))
    count = np.maximum(sum(ones[place_] for place_ in places_), 1)
    exact, magnitudes = np.zeros(ones.shape, wide), np.zeros(ones.shape, wide)
    for place_ in places_:
        exact[place_] += gradient / count
        magnitudes[place_] += np.abs(gradient / count)
    inside = tuple(slice(a, size - b) for (a, b), size in zip(paddings, ones.shape))
    return exact[inside], magnitudes[inside] * DOUBLE, np.full(case.output.sizes, True)


def maxima_back(case):
    x, gradient = full(case, "InputTensor"), full(case, "InputGradientTensor").astype(wide)
    paddings = [(0, 0), (0, 0), *zip(case["StartPadding"], case["EndPadding"])]
    numbers_ = np.pad(np.arange(x.size, dtype=np.int64).reshape(x.shape), paddings, constant_values=-1)
    padded = np.pad(x, paddings, constant_values=-np.inf)
    best, at = np.zeros(gradient.shape, x.dtype), np.full(gradient.shape, -1, np.int64)
    for place_ in windows_apart(case, gradient.shape[2:]):
        y, number = padded[place_], numbers_[place_]
        above = (np.isnan(y) | (y > best) | ((y == best) & np.signbit(best) & ~np.signbit(y))) & ~np.isnan(best)
        above = (number >= 0) & ((at < 0) | above)
        best, at = np.where(above, y, best), np.where(above, number, at)
    exact, magnitudes = np.zeros(x.size, wide), np.zeros(x.size, wide)
    for where, value in zip(at.reshape(-1), gradient.reshape(-1)):
        if where >= 0:
            exact[where] += value
            magnitudes[where] += np.abs(value)
    return exact.reshape(x.shape), magnitudes.reshape(x.shape) * DOUBLE, np.full(x.shape, True)


def resampled_back(case):
    exact = full(case, "InputGradientTensor").astype(wide)
    magnitudes = np.abs(exact)
    direction = case.attributes.get("RoundingDirection")
    for axis, size in enumerate(case.output.sizes):
        scale, before, after = (f32(case[name][axis]) for name in ("Scales", "OutputPixelOffsets", "InputPixelOffsets"))
        place_ = (np.arange(exact.shape[axis]).astype(f32) - after) / scale - before
        place_ = np.where(np.abs(place_) < f32(2.0**-32), f32(0), place_)
        if case["InterpolationMode"] == "NEAREST_NEIGHBOR":
            place_ = np.floor(place_ + f32(0.5)) if direction is None else np.ceil(place_) if direction == "INCREASING" else np.floor(place_)
        near = np.maximum(1 - np.abs(np.arange(size)[:, None] - np.clip(place_, 0, size - 1).astype(wide)), 0)
        parts = [np.where(near == 0, 0, near * np.moveaxis(v, axis, -1)[..., None, :]).sum(-1) for v in (exact, magnitudes)]
        exact, magnitudes = (np.moveaxis(v, -1, axis) for v in parts)
    return exact, magnitudes * DOUBLE, np.full(exact.shape, True)


def winner_among(values, inside):
    """The first of the greatest, NaN above all, -0 below +0; None where there is none."""
    best = None
    for at in np.argwhere(inside):
        v = values[tuple(at)]
        if best is None or not np.isnan(values[best]) and (
                np.isnan(v) or v > values[best] or v == values[best] == 0 and np.signbit(values[best]) and not np.signbit(v)):
            best = tuple(at)
    return best


def points_taken(case, plane, rows, columns):
    """The weights of a bin's points: all alike, or that of the greatest, whose value is FLOAT32's."""
    (y1, y2, v, above), (x1, x2, u, beside) = rows, columns
    inside = above[:, None] & beside
    if case["ReductionFunction"] == "AVERAGE":
        return np.where(inside, wide(1) / inside.size, 0)

    def blend(weight, a, b):
        weight = weight.astype(f32)
        one, two = (f32(1) - weight) * a, weight * b
        return np.where(weight == 1, f32(0), one) + np.where(weight == 0, f32(0), two)
    lines = [blend(u[None, :] + 0 * v[:, None], plane[y][:, x1], plane[y][:, x2]) for y in (y1, y2)]
    winner = winner_among(blend(v[:, None] + 0 * u[None, :], *lines), inside)
    weights = np.zeros(inside.shape, wide)
    if winner is not None:
        weights[winner] = 1
    return weights


def bins_of(case, planes):
    """Of each element of the gradient: the region, the picture, and its points along y and x."""
    gradient = full(case, "InputGradientTensor")
    for r, (region, picture) in enumerate(zip(regions_of(case), full(case, "BatchIndicesTensor").reshape(-1))):
        columns = points_of(case, 0, region[0], region[2], planes[3], gradient.shape[3])
        rows = points_of(case, 1, region[1], region[3], planes[2], gradient.shape[2])
        if picture >= planes[0] or columns is None or rows is None:
            continue
        for c, i, j in np.ndindex(*gradient.shape[1:]):
            yield wide(gradient[r, c, i, j]), (r, c, i, j), int(picture), [p[i] for p in rows], [p[j] for p in columns]


def regions_back(case):
    x = full(case, "InputTensor").astype(f32) if "InputTensor" in case.inputs else None
    if "OutputGradientTensor" not in case.tensors:
        return corners_back(case, x)
    exact, magnitudes = np.zeros(case.output.sizes, wide), np.zeros(case.output.sizes, wide)
    for g, (_, c, _, _), picture, rows, columns in bins_of(case, case.output.sizes):
        weights = points_taken(case, None if x is None else x[picture, c], rows, columns)
        (y1, y2, v, _), (x1, x2, u, _) = rows, columns
        for a, b in np.argwhere(weights):
            for y, down in ((y1[a], 1 - v[a]), (y2[a], v[a])):
                for at, across in ((x1[b], 1 - u[b]), (x2[b], u[b])):
                    if down * across:
                        exact[picture, c, y, at] += down * across * weights[a, b] * g
                        magnitudes[picture, c, y, at] += np.abs(down * across * weights[a, b] * g)
    return exact, magnitudes * DOUBLE, np.full(exact.shape, True)


def corners_back(case, x):
    """How places move with a region's numbers, by how elements change along them."""
    regions, sizes = len(regions_of(case)), full(case, "InputGradientTensor").shape
    exact, magnitudes = np.zeros((regions, 4), wide), np.zeros((regions, 4), wide)
    after = f32(case["OutputPixelOffset"])
    after = wide(0 if abs(after) < np.finfo(f32).tiny else after)
    for g, (r, c, i, j), picture, rows, columns in bins_of(case, x.shape):
        plane = x[picture, c].astype(wide)
        weights = points_taken(case, x[picture, c], rows, columns)
        for a, b in np.argwhere(weights):
            for axis, (own, other, n, bin_, bins) in enumerate(((columns, rows, b, j, sizes[3]), (rows, columns, a, i, sizes[2]))):
                other_n, count = (a, len(columns[0])) if axis == 0 else (b, len(rows[0]))
                slope = magnitude = wide(0)
                if own[2][n] == 0 or case["InterpolationMode"] == "NEAREST_NEIGHBOR":
                    continue
                for line, share in ((other[0][other_n], 1 - other[2][other_n]), (other[1][other_n], other[2][other_n])):
                    if share:
                        low, high = (plane[line, own[k][n]] if axis == 0 else plane[own[k][n], line] for k in (0, 1))
                        slope, magnitude = slope + share * (high - low), magnitude + share * (np.abs(high) + np.abs(low))
                points = bins * count
                part = (bin_ * count + n - after) / wide(max(points - 1, 1) if case["AlignRegionsToCorners"] else points)
                factor = g * weights[a, b] * wide(f32(case["SpatialScale" + "XY"[axis]]))
                exact[r, axis] += slope * factor * (1 - part)
                exact[r, 2 + axis] += slope * factor * part
                magnitudes[r, [axis, 2 + axis]] += magnitude * np.abs(factor) * (1 + np.abs(part))
    sizes = case.output.sizes
    known = np.isfinite(exact) & (magnitudes < 1e30)
    return exact.reshape(sizes), (magnitudes * DOUBLE).reshape(sizes), known.reshape(sizes)


# ---- training ----

def batch_of(case, name):
    """The dimensions in which one element of a tensor serves several of the input's."""
    x, small = case.tensors["InputTensor"].sizes, case.tensors[name].sizes
    return tuple(d for d, (a, b) in enumerate(zip(x, small)) if b == 1)


def trained(case):
    """Output, mean and variance, which is divided by the number of elements."""
    axes = batch_of(case, "ScaleTensor")
    x, scale, bias = (full(case, name).astype(wide) for name in ("InputTensor", "ScaleTensor", "BiasTensor"))
    add = full(case, "FusedAddTensor").astype(wide) if "FusedAddTensor" in case.inputs else wide(0)
    mean = np.mean(x, axes, keepdims=True)
    variance = np.mean((x - mean)**2, axes, keepdims=True)
    terms = variance + wide(f32(case["Epsilon"]))
    noise = np.mean(np.abs(x), axes, keepdims=True) * DOUBLE
    z = (x - mean) / np.sqrt(terms)
    parts = np.abs(scale * z) + np.abs(bias) + np.abs(add)
    distance = np.abs(scale) * (noise / np.sqrt(terms) + np.abs(z) * noise**2 / terms) + parts * DOUBLE
    everywhere = np.full(mean.shape, True)
    return [(scale * z + bias + add, distance, (terms > 2.0**-100) & (noise**2 * 16 < terms) & np.full(x.shape, True)),
            (mean, noise, everywhere), (variance, variance * DOUBLE + noise**2, everywhere)]


def batch_gradients(is_training):
    """Of the input, the scale and the bias: by the product of gradients and normalized elements, not by their formula."""
    def results(case):
        axes = batch_of(case, "MeanTensor")
        x, g, mean, variance, scale = (full(case, f"{name}Tensor").astype(wide)
                                       for name in ("Input", "InputGradient", "Mean", "Variance", "Scale"))
        terms = variance + wide(f32(case["Epsilon"]))
        z = (x - mean) / np.sqrt(terms)
        sums, along = np.sum(g, axes, keepdims=True), np.sum(g * z, axes, keepdims=True)
        all_, all_along = np.sum(np.abs(g), axes, keepdims=True), np.sum(np.abs(g * z), axes, keepdims=True)
        count = x.size // sums.size
        factor = scale / np.sqrt(terms)
        exact = factor * (g - sums / count - z * along / count) if is_training else factor * g
        taken_off = all_ / count + np.abs(z) * all_along / count if is_training else 0
        parts = np.abs(factor) * (np.abs(g) + taken_off)
        known = np.full(sums.shape, True)
        return [(exact, parts * DOUBLE, np.full(x.shape, True) & (terms > 0)),
                (along, all_along * DOUBLE, known & (terms > 0)), (sums, all_ * DOUBLE, known)]
    return results


def local_response_gradient(case):
    """Of each element, what it is to each of the others that it is around."""
    x, g = (full(case, name).astype(wide) for name in ("InputTensor", "InputGradientTensor"))
    _, total = squares_around(case)
    size, (alpha, beta, bias) = case["LocalSize"], (wide(f32(case[name])) for name in ("Alpha", "Beta", "Bias"))
    divisor = bias + alpha / size * total
    exact = g * np.power(divisor, -beta)
    parts = np.abs(exact)
    terms = -2 * alpha / size * beta * g * x * np.power(divisor, -beta - 1)
    axes = [1] if case["CrossChannel"] else [2, 3]
    for offset in np.ndindex(*[size] * len(axes)):
        moved = terms
        for axis, n in zip(axes, offset):
            # The element that this one is around from its (size - 1) // 2 - n th neighbour on.
            step = (size - 1) // 2 - n
            places_ = np.arange(x.shape[axis]) + step
            inside = (places_ >= 0) & (places_ < x.shape[axis])
            shape = [-1 if d == axis else 1 for d in range(4)]
            moved = np.where(inside.reshape(shape), np.take(moved, np.clip(places_, 0, x.shape[axis] - 1), axis), 0)
        exact, parts = exact + moved * x, parts + np.abs(moved * x)
    known = (bias > 0) & (alpha >= 0) & np.isfinite(exact) & (parts < 2.0**100) & (np.abs(beta * np.log2(divisor)) < 60)
    return exact, parts * DOUBLE * (1 + np.abs(np.log2(np.maximum(np.abs(divisor), 2.0**-100)))), known


def adam(case):
    """Each operation rounded to FLOAT32; powers of the two factors are mpmath's."""
    x, m, v, g = (widen(full(case, f"{name}Tensor"))
                  for name in ("InputParameters", "InputFirstMoment", "InputSecondMoment", "Gradient"))
    t = int(case.inputs["TrainingStepTensor"].reshape(-1)[0])
    rate, beta1, beta2, epsilon = (f32(case[name]) for name in ("LearningRate", "Beta1", "Beta2", "Epsilon"))
    lacks = [f32(float(1 - mpmath.mpf(float(beta))**t)) for beta in (beta1, beta2)]
    rate = rate * (np.sqrt(lacks[1]) / lacks[0]) if t != 0 else rate
    m = beta1 * m + (f32(1) - beta1) * g
    v = beta2 * v + (f32(1) - beta2) * g * g
    return [x - rate * m / (np.sqrt(v) + epsilon), m, v]


def philox_block(counter, key):
    """Four words: a counter of four, the least significant first, and a key of two."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & 0xFFFFFFFF, a >> 32 ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return c


def random_words(case):
    state = [int(word) for word in full(case, "InputStateTensor").reshape(-1)]
    counter, count = sum(word << 32 * i for i, word in enumerate(state[:4])), int(np.prod(case.output.sizes))
    words = []
    for n in range(counter, counter + -(-count // 4)):
        words += philox_block([n >> 32 * i & 0xFFFFFFFF for i in range(4)], state[4:])
    after = counter + -(-count // 4)
    results = [np.array(words[:count], np.uint32).reshape(case.output.sizes)]
    for tensor in case.outputs[1:]:
        following = [after >> 32 * i & 0xFFFFFFFF for i in range(4)] + state[4:]
        results.append(np.array(following, np.uint32).reshape(tensor.sizes))
    return results


# ---- quantized matrices and pictures ----

def numbers_along(case, name, dimension, rank):
    """A scale or zero point as it is broadcast over tensors of so many dimensions: along one of theirs; absent ones are 0."""
    x = case.inputs.get(name)
    return np.zeros([1] * rank, np.int64) if x is None else np.asarray(x).reshape(
        [-1 if d == dimension % rank else 1 for d in range(rank)])


def differences(case, name, zero_name, dimension):
    x = full(case, name).astype(np.int64)
    return x - numbers_along(case, zero_name, dimension, x.ndim).astype(np.int64)


def wrapped_sums(x):
    return x.astype(np.uint64).astype(np.uint32).astype(np.int32)


def integer_products(case):
    a, b = differences(case, "ATensor", "AZeroPointTensor", -2), differences(case, "BTensor", "BZeroPointTensor", -1)
    return wrapped_sums(np.matmul(a, b))


def integer_convolution(case):
    """Padding is the zero point: differences of 0."""
    x, filter_ = differences(case, "InputTensor", "InputZeroPointTensor", 1), differences(case, "FilterTensor",
                                                                                     "FilterZeroPointTensor", 0)
    groups, sizes = case["GroupCount"], case.output.sizes[2:]
    x = np.pad(x.reshape(len(x), groups, -1, *x.shape[2:]), [(0, 0)] * 3 + list(zip(case["StartPadding"], case["EndPadding"])))
    filter_ = filter_.reshape(groups, -1, *filter_.shape[1:])
    result = np.zeros([len(x), groups, filter_.shape[1], *sizes], np.int64)
    for element in np.ndindex(*filter_.shape[3:]):
        at = (..., *[slice(e * d, e * d + (count - 1) * stride + 1, stride)
                     for e, d, count, stride in zip(element, case["Dilations"], sizes, case["Strides"])])
        result += np.einsum("ngc...,gmc->ngm...", x[at], filter_[(..., *element)])
    return wrapped_sums(result.reshape(case.output.sizes))


def requantized(case, sums, scales, out_dimension):
    """Both scales are multiplied and divided by the output's, and the sum by what comes out, each rounded."""
    rank = len(case.output.sizes)
    with np.errstate(all="ignore"):
        both = f32(1) * numbers_along(case, *scales[0], rank) * numbers_along(case, *scales[1], rank)
        scale = np.asarray(both / numbers_along(case, "OutputScaleTensor", out_dimension, rank), f32)
        x = np.asarray(sums.astype(f32) * scale, f32)
    zero = np.broadcast_to(numbers_along(case, "OutputZeroPointTensor", out_dimension, rank), x.shape)
    return quantize_to(case.output.type, x, np.ones_like(x), zero)


def quantized_products(case):
    return requantized(case, integer_products(case), [("AScaleTensor", -2), ("BScaleTensor", -1)], -2)


def quantized_convolution(case):
    sums = integer_convolution(case)
    if "BiasTensor" in case.inputs:
        sums = wrapped_sums(sums.astype(np.int64) + full(case, "BiasTensor").astype(np.int64))
    return requantized(case, sums, [("FilterScaleTensor", 1), ("InputScaleTensor", 1)], 1)


def scaled_products(case):
    """Of bytes."""
    rank = len(case.output.sizes)
    with np.errstate(all="ignore"):
        scale = np.asarray(numbers_along(case, "AScaleTensor", -2, rank).astype(f32)
                           * numbers_along(case, "BScaleTensor", -1, rank).astype(f32), f32)
        result = np.asarray(integer_products(case).astype(f32) * scale, f32)
        if "BiasTensor" in case.inputs:
            result = np.asarray(result + full(case, "BiasTensor").astype(f32), f32)
    return result


def products_of_numbers(case):
    """Of more bits: what both stand for is FLOAT32."""
    def numbers_of(name, dimension):
        scale = numbers_along(case, name + "ScaleTensor", dimension, len(case.output.sizes)).astype(f32)
        x = differences(case, name + "Tensor", name + "ZeroPointTensor", dimension).astype(f32)
        return np.asarray(x * scale, f32).astype(wide)
    with np.errstate(all="ignore"):
        a, b = numbers_of("A", -2), numbers_of("B", -1)
        products = np.matmul(np.abs(a), np.abs(b))
        exact, magnitudes = np.matmul(a, b), products
        if "BiasTensor" in case.inputs:
            bias = full(case, "BiasTensor").astype(wide)
            exact, magnitudes = exact + bias, magnitudes + np.abs(bias)
    limit = np.finfo(f32).max
    return exact, magnitudes * DOUBLE, (products <= limit) & (magnitudes <= limit)


def quantized_average(case):
    """Of padding alone 0."""
    x, sizes = differences(case, "InputTensor", "InputZeroPointTensor", 1), case.output.sizes
    rank = len(sizes)
    there = sum(pooled(case, np.ones_like(x), 0))
    count = np.full(sizes, int(np.prod(case["WindowSize"]))) if case["IncludePadding"] else np.maximum(there, 1)
    with np.errstate(all="ignore"):
        scaled = np.asarray(sum(pooled(case, x, 0)).astype(f32) * numbers_along(case, "InputScaleTensor", 1, rank), f32)
        average = np.asarray(scaled / count.astype(f32), f32)
        quotient = np.asarray(average / numbers_along(case, "OutputScaleTensor", 1, rank), f32)
    quotient = np.where(there == 0, f32(0), quotient)
    zero = np.broadcast_to(numbers_along(case, "OutputZeroPointTensor", 1, rank), quotient.shape)
    return quantize_to(case.output.type, quotient, np.ones_like(quotient), zero)


def last(x, count):
    """With so many dimensions, of which the first are 1."""
    return x.reshape((1,) * (count - x.ndim) + x.shape)[(0,) * max(x.ndim - count, 0)]


def heads_of(case, heads, key_heads):
    """Queries, keys and values, {N, heads, rows, elements}, with their bias, rounded as elements."""
    def alone(name, count):
        x = last(full(case, name), 3)
        return x.reshape(*x.shape[:2], count, -1)

    stacked = {name: last(full(case, name), 5) for name in case.inputs if name.startswith("Stacked")}
    both = stacked.get("StackedQueryKeyValueTensor")
    query = both if both is not None else stacked.get("StackedQueryKeyTensor")
    value = both if both is not None else stacked.get("StackedKeyValueTensor")
    parts = [alone("QueryTensor", heads) if query is None else query[:, :, :, 0]]
    parts.append(query[:, :, :, 1] if query is not None else
                 value[:, :, :, 0] if value is not None else alone("KeyTensor", key_heads))
    parts.append(alone("ValueTensor", key_heads) if value is None else value[:, :, :, value.shape[3] - 1])
    if "BiasTensor" in case.inputs:
        bias, at = full(case, "BiasTensor").reshape(-1), 0
        for i, part in enumerate(parts):
            count = part.shape[2] * part.shape[3]
            sums = part.astype(f32) + bias[at:at + count].astype(f32).reshape(part.shape[2:])
            parts[i], at = sums.astype(part.dtype), at + count
    return [part.transpose(0, 2, 1, 3) for part in parts]


def masked(case, scores):
    """By a filter, which takes the place of scores, or is added to them."""
    kind, filter_ = case["MaskType"], wide(f32(case["MaskFilterValue"]))
    keys = np.arange(scores.shape[-1])
    if kind == "NONE":
        return scores
    mask = full(case, "MaskTensor").astype(np.int64)
    if kind == "BOOLEAN":
        return np.where(last(mask, 4) > 0, scores, scores + filter_)
    if kind == "KEY_QUERY_SEQUENCE_LENGTH_START_END":
        mask = mask.reshape(-1)[:scores.shape[0]]
    ends, starts = (last(mask, 2)[0], last(mask, 2)[1:].reshape(-1)) if kind == "KEY_SEQUENCE_END_START" else \
        (mask.reshape(-1), np.zeros(1, np.int64))
    kept = (keys < ends[:, None]) & (keys >= starts[:, None])
    return np.where(kept[:, None, None], scores, filter_)


def attended(case):
    """Attention; what outputs hold before is not known here."""
    is_newer = case.operator.name == "MULTIHEAD_ATTENTION1"
    heads = case["QueryHeadCount"] if is_newer else case["HeadCount"]
    key_heads = case["KeyValueHeadCount"] if is_newer else heads
    if "PastSequenceLengthsTensor" in case.inputs:
        nothing = np.zeros(case.output.sizes)
        return nothing, nothing, np.zeros(nothing.shape, bool)
    q, k, v = heads_of(case, heads, key_heads)
    if "PastKeyTensor" in case.inputs:
        k = np.concatenate([last(full(case, "PastKeyTensor"), 4), k], 2)
        v = np.concatenate([last(full(case, "PastValueTensor"), 4), v], 2)
    q, k, v = (x.astype(wide) for x in (q, np.repeat(k, heads // key_heads, 1), np.repeat(v, heads // key_heads, 1)))
    scores = wide(f32(case["Scale"])) * np.matmul(q, k.swapaxes(2, 3))
    if "RelativePositionBiasTensor" in case.inputs:
        scores = scores + last(full(case, "RelativePositionBiasTensor"), 4).astype(wide)
    scores = masked(case, scores)
    greatest = scores.max(-1, keepdims=True)
    weights = np.where(np.isneginf(greatest), 0, np.exp(scores - greatest))
    sums = weights.sum(-1, keepdims=True)
    weights = np.where(sums == 0, 0, weights / np.where(sums == 0, 1, sums))
    # The reference's scores are FLOAT32; of those that have a weight.
    near = np.where(weights > 2.0**-100, np.abs(scores), 0).max(-1, keepdims=True)
    exact, magnitudes = np.matmul(weights, v), np.matmul(weights, np.abs(v))
    known = np.isfinite(scores).all(-1, keepdims=True) & np.isfinite(v).all(2, keepdims=True)
    distance = magnitudes * (np.expm1(2 * near * 2.0**-24 + 2.0**-100) + DOUBLE)

    def laid_out(x):
        x = np.broadcast_to(x, exact.shape)
        return x.transpose(0, 2, 1, 3).reshape(case.output.sizes)
    return laid_out(exact), laid_out(distance), laid_out(known & (near <= np.finfo(f32).max))


BOUNDED = {
    "AVERAGE_POOLING_GRAD": averaged_back,
    "MAX_POOLING_GRAD": maxima_back,
    "RESAMPLE_GRAD": resampled_back,
    "RESAMPLE_GRAD1": resampled_back,
    "ROI_ALIGN_GRAD": regions_back,
    "BATCH_NORMALIZATION_TRAINING": trained,
    "BATCH_NORMALIZATION_GRAD": batch_gradients(False),
    "BATCH_NORMALIZATION_TRAINING_GRAD": batch_gradients(True),
    "LOCAL_RESPONSE_NORMALIZATION_GRAD": local_response_gradient,
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT": products_of_numbers,
    "MULTIHEAD_ATTENTION": attended,
    "MULTIHEAD_ATTENTION1": attended,
    "GEMM": multiplied,
    "CONVOLUTION": convolved,
    "AVERAGE_POOLING": averaged,
    "AVERAGE_POOLING1": averaged,
    "LP_POOLING": normed,
    "LP_POOLING1": normed,
    "ROI_ALIGN": aligned_regions,
    "ROI_ALIGN1": aligned_regions,
    "CUMULATIVE_SUMMATION": tallies_of_floats,
    "CUMULATIVE_PRODUCT": tallies_of_floats,
    "ACTIVATION_SOFTMAX": softmax,
    "ACTIVATION_SOFTMAX1": softmax,
    "ACTIVATION_LOG_SOFTMAX": softmax,
    "ACTIVATION_LOG_SOFTMAX1": softmax,
    "MEAN_VARIANCE_NORMALIZATION": mean_variance,
    "MEAN_VARIANCE_NORMALIZATION1": mean_variance,
    "MEAN_VARIANCE_NORMALIZATION2": mean_variance,
    "LP_NORMALIZATION": lp_normalization,
    "LOCAL_RESPONSE_NORMALIZATION": local_response,
    "UPSAMPLE_2D": interpolated,
    **dict.fromkeys(("RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3"), resampled),
    "FOLD": folded,
}


def is_bounded(case):
    """Whether BOUNDED says what an operator's results are; DEFINITIONS says it of integers and copies."""
    return (case.operator.name in BOUNDED and case.output.type in FLOATS
            and not (case.operator.name == "MATRIX_MULTIPLY_INTEGER_TO_FLOAT" and case.inputs["ATensor"].dtype.itemsize == 1)
            and ("ROI_ALIGN" in case.operator.name or "GRAD" in case.operator.name
                 or case.attributes.get("InterpolationMode") != "NEAREST_NEIGHBOR"))


def wrapped(indices, size):
    """Negative ones from the end on; -1 where there is no such element."""
    i = indices.astype(object)
    i = np.where(i < 0, i + size, i)
    return np.where((i >= 0) & (i < size), i, -1).astype(np.int64)


def gathered_elements(case):
    x, axis = full(case, "InputTensor"), case["Axis"]
    at = wrapped(full(case, "IndicesTensor"), x.shape[axis])
    part = x[tuple(slice(None) if d == axis else slice(size) for d, size in enumerate(at.shape))]
    return np.where(at >= 0, np.take_along_axis(part, np.maximum(at, 0), axis), x.dtype.type(0))


def first_of_many(sizes):
    return next((d for d, size in enumerate(sizes) if size != 1), len(sizes))


def gathered(case):
    """Of each batch: those are the indices' dimensions before the last, and the input's first ones, without leading ones."""
    x, indices, axis = full(case, "InputTensor"), full(case, "IndicesTensor"), case["Axis"]
    end = indices.ndim - case["IndexDimensions"]
    batches = indices.shape[first_of_many(indices.shape[:end]):end]
    x = x.reshape(x.shape[first_of_many(x.shape[:axis]):]) if batches else x
    axis += x.ndim - len(case.tensors["InputTensor"].sizes) - len(batches)
    parts = []
    for batch in np.ndindex(batches):
        part, at = x[batch], wrapped(indices.reshape(batches + indices.shape[end:])[batch], x.shape[axis + len(batches)])
        there = (at >= 0).reshape([1] * axis + list(at.shape) + [1] * (part.ndim - axis - 1))
        parts.append(np.where(there, np.take(part, np.maximum(at, 0), axis), x.dtype.type(0)))
    return np.stack(parts).reshape(case.output.sizes)


def rows_of_indices(case):
    """The input without ones before, and of each row of indices the place; None: nowhere."""
    x, indices = full(case, "InputTensor"), full(case, "IndicesTensor")
    x = x.reshape(x.shape[x.ndim - case["InputDimensionCount"]:])
    indices = indices.reshape(indices.shape[indices.ndim - case["IndicesDimensionCount"]:])
    batches = case.attributes.get("BatchDimensionCount", 0)
    rows = []
    for outer in np.ndindex(*indices.shape[:-1]):
        at = [int(wrapped(np.asarray(i), size)) for i, size in zip(indices[outer], x.shape[batches:])]
        rows.append((outer, None if -1 in at else (*outer[:batches], *at)))
    return x, indices.shape, rows


def gathered_nd(case):
    x, shape, rows = rows_of_indices(case)
    depth = case.attributes.get("BatchDimensionCount", 0) + shape[-1]
    result = np.zeros([*shape[:-1], *x.shape[depth:]], x.dtype)
    for outer, at in rows:
        if at is not None:
            result[outer] = x[at]
    return result.reshape(case.output.sizes)


def scattered_nd(case):
    x, shape, rows = rows_of_indices(case)
    result, updates = x.copy(), full(case, "UpdatesTensor")
    updates = updates.reshape([*shape[:-1], *x.shape[shape[-1]:]])
    for outer, at in rows:
        if at is not None:
            result[at] = updates[outer]
    return result.reshape(case.output.sizes)


def scattered_elements(case):
    x, axis = full(case, "InputTensor").copy(), case["Axis"]
    at, updates = wrapped(full(case, "IndicesTensor"), x.shape[axis]), full(case, "UpdatesTensor")
    for c in np.ndindex(*at.shape):
        if at[c] >= 0:
            x[(*c[:axis], at[c], *c[axis + 1:])] = updates[c]
    return x


def one_hot(case):
    axis, sizes = case["Axis"], case.output.sizes
    values = full(case, "ValuesTensor").reshape(-1)
    at = wrapped(full(case, "IndicesTensor"), sizes[axis])
    numbers = np.arange(sizes[axis]).reshape([-1 if d == axis else 1 for d in range(len(sizes))])
    return np.where(np.broadcast_to(at, [1 if d == axis else s for d, s in enumerate(sizes)]) == numbers, values[1], values[0])


def reversed_sequences(case):
    x, axis = full(case, "InputTensor"), case["Axis"]
    lengths = np.minimum(full(case, "SequenceLengthsTensor").astype(object), x.shape[axis]).astype(np.int64)
    numbers = np.arange(x.shape[axis]).reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    return np.take_along_axis(x, np.where(numbers < lengths, lengths - 1 - numbers, numbers), axis)


def first_in_order(case):
    """Values and places, sorted; NaN last, and of equal ones the first."""
    x, axis = full(case, "InputTensor"), case["Axis"]
    isnan = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)
    ranks = np.unique(np.where(isnan, x.dtype.type(0), x), return_inverse=True)[1].reshape(x.shape).astype(np.int64)
    least = case.attributes.get("AxisDirection", "DECREASING") == "INCREASING"
    ranks = np.where(isnan, x.size, ranks if least else -ranks)
    places_ = np.take(np.argsort(ranks, axis, kind="stable"), range(case["K"]), axis)
    return [np.take_along_axis(x, places_, axis), places_]


DEFINITIONS = {
    "MATRIX_MULTIPLY_INTEGER": integer_products,
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY": quantized_products,
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT": scaled_products,
    "CONVOLUTION_INTEGER": integer_convolution,
    "QUANTIZED_LINEAR_CONVOLUTION": quantized_convolution,
    "QUANTIZED_LINEAR_AVERAGE_POOLING": quantized_average,
    "MAX_POOLING": maxima,
    "MAX_POOLING1": maxima,
    "MAX_POOLING2": maxima,
    "MAX_UNPOOLING": unpooled,
    "ROI_POOLING": pooled_regions,
    "ACTIVATION_HARDMAX": hardmax,
    "ACTIVATION_HARDMAX1": hardmax,
    "UPSAMPLE_2D": upsampled,
    **dict.fromkeys(("RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3"), resampled_copies),
    "FOLD": lambda case: added_up(case, full(case, "InputTensor")),
    "DYNAMIC_QUANTIZE_LINEAR": dynamically_quantized,
    "CUMULATIVE_SUMMATION": tallied,
    "CUMULATIVE_PRODUCT": tallied,
    "TOP_K": first_in_order,
    "TOP_K1": first_in_order,
    "REDUCE": reduced,
    "ARGMIN": place,
    "ARGMAX": place,
    "GATHER": gathered,
    "GATHER_ELEMENTS": gathered_elements,
    "GATHER_ND": gathered_nd,
    "GATHER_ND1": gathered_nd,
    "SCATTER_ELEMENTS": scattered_elements,
    "SCATTER_ND": scattered_nd,
    "ONE_HOT": one_hot,
    "REVERSE_SUBSEQUENCES": reversed_sequences,
    "SLICE": lambda case: whole(case)[tuple(slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(
        case["Offsets"], case["Sizes"], case["Strides"]))],
    "SLICE1": lambda case: whole(case)[taken(case)],
    "SLICE_GRAD": slice_gradient,
    "SPLIT": split,
    "JOIN": joined,
    "TILE": lambda case: np.tile(whole(case), case["Repeats"]),
    "SPACE_TO_DEPTH": lambda case: blocks(case, True, "DEPTH_COLUMN_ROW"),
    "SPACE_TO_DEPTH1": lambda case: blocks(case, True, case["Order"]),
    "DEPTH_TO_SPACE": lambda case: blocks(case, False, "DEPTH_COLUMN_ROW"),
    "DEPTH_TO_SPACE1": lambda case: blocks(case, False, case["Order"]),
    "UNFOLD": unfolded,
    "ELEMENT_WISE_IDENTITY": one(lambda case, x: x),
    "ELEMENT_WISE_ABS": one(lambda case, x: np.abs(x)),
    "ELEMENT_WISE_NEGATE": one(lambda case, x: -x),
    "ELEMENT_WISE_SIGN": one(lambda case, x: np.where(x > 0, 1, np.where(x < 0, -1, 0)).astype(x.dtype)),
    "ELEMENT_WISE_CEIL": one(lambda case, x: np.ceil(x)),
    "ELEMENT_WISE_FLOOR": one(lambda case, x: np.floor(x)),
    "ELEMENT_WISE_ROUND": one(lambda case, x: ROUNDINGS[case["RoundingMode"]](x)),
    "ELEMENT_WISE_RECIP": one(lambda case, x: f32(1) / x),
    "ELEMENT_WISE_SQRT": one(lambda case, x: np.sqrt(x)),
    "ELEMENT_WISE_ADD": two(np.add),
    "ELEMENT_WISE_ADD1": two(np.add),
    "ELEMENT_WISE_SUBTRACT": two(np.subtract),
    "ELEMENT_WISE_MULTIPLY": two(np.multiply),
    "ELEMENT_WISE_DIVIDE": numbers(np.divide, of_integers(truncated)),
    "ELEMENT_WISE_MODULUS_TRUNCATE": numbers(np.fmod, of_integers(lambda a, b: 0 if b == 0 else a - truncated(a, b) * b)),
    "ELEMENT_WISE_MODULUS_FLOOR": numbers(float_remainder_floor, of_integers(lambda a, b: 0 if b == 0 else a % b)),
    "ELEMENT_WISE_MEAN": numbers(lambda a, b: (a + b) / f32(2),
                                 lambda a, b: of_integers(lambda s, n: truncated(s, n))(a + b, np.array([2]))),
    "ELEMENT_WISE_DIFFERENCE_SQUARE": two(lambda a, b: (a - b) * (a - b)),
    "ELEMENT_WISE_MAX": two(larger),
    "ELEMENT_WISE_MIN": two(smaller),
    "ELEMENT_WISE_CLIP": one(lambda case, x: clip(case, x, attribute(case, "Min"), attribute(case, "Max"))),
    "ELEMENT_WISE_CLIP1": one(lambda case, x: clip(case, x, scalar(case, "Min"), scalar(case, "Max"))),
    "ELEMENT_WISE_CLIP_GRAD": clip_gradient(lambda case: attribute(case, "Min"), lambda case: attribute(case, "Max")),
    "ELEMENT_WISE_CLIP_GRAD1": clip_gradient(lambda case: scalar(case, "Min"), lambda case: scalar(case, "Max")),
    "ELEMENT_WISE_THRESHOLD": one(lambda case, x: larger(x, attribute(case, "Min"))),
    "ELEMENT_WISE_LOGICAL_AND": two(lambda a, b: (a != 0) & (b != 0)),
    "ELEMENT_WISE_LOGICAL_OR": two(lambda a, b: (a != 0) | (b != 0)),
    "ELEMENT_WISE_LOGICAL_XOR": two(lambda a, b: (a != 0) ^ (b != 0)),
    "ELEMENT_WISE_LOGICAL_NOT": one(lambda case, x: x == 0),
    "ELEMENT_WISE_LOGICAL_EQUALS": two(np.equal),
    "ELEMENT_WISE_LOGICAL_GREATER_THAN": two(np.greater),
    "ELEMENT_WISE_LOGICAL_LESS_THAN": two(np.less),
    "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL": two(np.greater_equal),
    "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL": two(np.less_equal),
    "ELEMENT_WISE_IS_NAN": lambda case: np.isnan(case.first),
    "ELEMENT_WISE_IS_INFINITY": infinite,
    "ELEMENT_WISE_IF": choose,
    "ELEMENT_WISE_BIT_AND": bitwise(np.bitwise_and),
    "ELEMENT_WISE_BIT_OR": bitwise(np.bitwise_or),
    "ELEMENT_WISE_BIT_XOR": bitwise(np.bitwise_xor),
    "ELEMENT_WISE_BIT_NOT": bitwise(np.invert),
    "ELEMENT_WISE_BIT_SHIFT_LEFT": shift(lambda a, b: a << min(b, 64)),
    "ELEMENT_WISE_BIT_SHIFT_RIGHT": shift(lambda a, b: a >> min(b, 64)),
    "ELEMENT_WISE_BIT_COUNT": bit_count,
    "ELEMENT_WISE_QUANTIZE_LINEAR": quantize("ScaleTensor", "ZeroPointTensor"),
    "ELEMENT_WISE_DEQUANTIZE_LINEAR": dequantize("ScaleTensor", "ZeroPointTensor"),
    "ELEMENT_WISE_QUANTIZED_LINEAR_ADD": quantized_add,
    "QUANTIZE": quantize("QuantizationTensors[0]", "QuantizationTensors[1]"),
    "DEQUANTIZE": dequantize("QuantizationTensors[0]", "QuantizationTensors[1]"),
    "CAST": cast,
    "FILL_VALUE_CONSTANT": lambda case: np.full(case.output.sizes, case["Value"]),
    "FILL_VALUE_SEQUENCE": fill_sequence,
    "VALUE_SCALE_2D": one(lambda case, x: x * f32(case["Scale"]) + np.array(case["Bias"], f32).reshape(1, -1, 1, 1)),
    "BATCH_NORMALIZATION": batch_normalization,
    "ADAM_OPTIMIZER": adam,
    "RANDOM_GENERATOR": random_words,
    "PADDING": pad(padding_value),
    "PADDING1": pad(lambda case: case["PaddingValue"]),
    "DIAGONAL_MATRIX": diagonal_matrix,
    "DIAGONAL_MATRIX1": diagonal_matrix1,
    "ACTIVATION_IDENTITY": one(lambda case, x: x),
    "ACTIVATION_HARD_SIGMOID": one(hard_sigmoid),
    "ACTIVATION_HARD_SWISH": one(lambda case, x: x * hard_sigmoid(case, x)),
    "ACTIVATION_LEAKY_RELU": one(lambda case, x: np.where(x >= 0, x, f32(case["Alpha"]) * x)),
    "ACTIVATION_LINEAR": one(lambda case, x: f32(case["Alpha"]) * x + f32(case["Beta"])),
    "ACTIVATION_RELU": one(lambda case, x: larger(x.dtype.type(0), x)),
    "ACTIVATION_SHRINK": one(shrink),
    "ACTIVATION_SOFTSIGN": one(lambda case, x: x / (f32(1) + np.abs(x))),
    "ACTIVATION_THRESHOLDED_RELU": one(lambda case, x: np.where(x > f32(case["Alpha"]), x, f32(0))),
    "ACTIVATION_PARAMETERIZED_RELU": lambda case: np.where(widen(case.first) >= 0, widen(case.first),
                                                          widen(case.inputs["SlopeTensor"]) * widen(case.first)),
    "ACTIVATION_RELU_GRAD": lambda case: np.where(widen(case.first) > 0, widen(case.inputs["InputGradientTensor"]), 0),
}


# ---- functions of real numbers: with NumPy's widest floats for all elements, and mpmath for those that matter ----

def softplus_wide(t):
    return np.where(t > 0, t + np.log1p(np.exp(-np.abs(t))), np.log1p(np.exp(np.where(t > 0, 0, t))))


def softplus_exact(t):
    return mpmath.log1p(mpmath.exp(t)) if t < 0 else t + mpmath.log1p(mpmath.exp(-t))


def sigmoid_wide(t):
    return 1 / (1 + np.exp(-t))


def sigmoid_exact(t):
    return 1 / (1 + mpmath.exp(-t))


def gelu_wide(x):
    return np.array([-0.0 if v == -math.inf else 0.5 * v * math.erfc(-v * math.sqrt(0.5)) for v in
                     map(float, x.reshape(-1))], wide).reshape(x.shape)


def gelu_exact(x):
    return x / 2 * mpmath.erfc(-x / mpmath.sqrt(2))


def power_wide(x, e):
    return np.power(x, e)


def power_exact(x, e):
    if x == 0 or (x < 0 and e != int(e)):
        return None  # what Annex F says of them: power_wide
    return mpmath.power(x, e)


def unary(function, exact):
    return lambda x, case: function(x), lambda x, case: exact(x)


def composed(rounded):
    """Operators whose function takes a product or quotient of x and an attribute, which is rounded to FLOAT32."""

    def times(case, name, x):
        if isinstance(x, mpmath.mpf):
            return mpmath.mpf(float(f32(case[name]) * f32(float(x)))) if rounded else mpmath.mpf(case[name]) * x
        return (f32(case[name]) * x.astype(f32)).astype(wide) if rounded else wide(case[name]) * x

    def over(case, x, name):
        if isinstance(x, mpmath.mpf):
            return mpmath.mpf(float(f32(float(x)) / f32(case[name]))) if rounded else x / mpmath.mpf(case[name])
        return (x.astype(f32) / f32(case[name])).astype(wide) if rounded else x / wide(case[name])

    def number(case, name, x):
        return mpmath.mpf(case[name]) if isinstance(x, mpmath.mpf) else wide(case[name])

    def both(formula, of_arrays, of_number):
        return (lambda x, case: formula(x, case, *of_arrays)), (lambda x, case: formula(x, case, *of_number))

    return {
        "ACTIVATION_CELU": both(
            lambda x, case, expm1, larger_, smaller_: larger_(0, x) + smaller_(
                0, number(case, "Alpha", x) * expm1(over(case, x, "Alpha"))),
            (np.expm1, np.maximum, np.minimum), (mpmath.expm1, max, min)),
        "ACTIVATION_SCALED_TANH": both(
            lambda x, case, tanh: number(case, "Alpha", x) * tanh(times(case, "Beta", x)), (np.tanh,), (mpmath.tanh,)),
        "ACTIVATION_SOFTPLUS": both(
            lambda x, case, softplus: softplus(times(case, "Steepness", x)) / number(case, "Steepness", x),
            (softplus_wide,), (softplus_exact,)),
        "ACTIVATION_PARAMETRIC_SOFTPLUS": both(
            lambda x, case, softplus: number(case, "Alpha", x) * softplus(times(case, "Beta", x)),
            (softplus_wide,), (softplus_exact,)),
        "ACTIVATION_SWISH": both(lambda x, case, sigmoid: x * sigmoid(times(case, "SigmoidInputScale", x)),
                                 (sigmoid_wide,), (sigmoid_exact,)),
    }


FUNCTIONS = {
    "ELEMENT_WISE_EXP": unary(np.exp, mpmath.exp),
    "ELEMENT_WISE_LOG": unary(np.log, mpmath.log),
    "ELEMENT_WISE_SIN": unary(np.sin, mpmath.sin),
    "ELEMENT_WISE_COS": unary(np.cos, mpmath.cos),
    "ELEMENT_WISE_TAN": unary(np.tan, mpmath.tan),
    "ELEMENT_WISE_ASIN": unary(np.arcsin, mpmath.asin),
    "ELEMENT_WISE_ACOS": unary(np.arccos, mpmath.acos),
    "ELEMENT_WISE_ATAN": unary(np.arctan, mpmath.atan),
    "ELEMENT_WISE_SINH": unary(np.sinh, mpmath.sinh),
    "ELEMENT_WISE_COSH": unary(np.cosh, mpmath.cosh),
    "ELEMENT_WISE_TANH": unary(np.tanh, mpmath.tanh),
    "ELEMENT_WISE_ASINH": unary(np.arcsinh, mpmath.asinh),
    "ELEMENT_WISE_ACOSH": unary(np.arccosh, mpmath.acosh),
    "ELEMENT_WISE_ATANH": unary(np.arctanh, mpmath.atanh),
    "ELEMENT_WISE_ERF": unary(lambda x: np.array([math.erf(v) for v in x.reshape(-1)], wide).reshape(x.shape), mpmath.erf),
    "ELEMENT_WISE_CONSTANT_POW": (lambda x, case: power_wide(x, wide(f32(case["Exponent"]))),
                                  lambda x, case: power_exact(x, mpmath.mpf(case["Exponent"]))),
    "ELEMENT_WISE_POW": (lambda x, e, case: power_wide(x, e), lambda x, e, case: power_exact(x, e)),
    "ELEMENT_WISE_ATAN_YX": (lambda y, x, case: np.arctan2(y, x), lambda y, x, case: mpmath.atan2(y, x) if y else None),
    "ACTIVATION_SIGMOID": unary(sigmoid_wide, sigmoid_exact),
    "ACTIVATION_TANH": unary(np.tanh, mpmath.tanh),
    "ACTIVATION_GELU": unary(gelu_wide, gelu_exact),
    "ACTIVATION_ELU": (lambda x, case: np.where(x >= 0, x, wide(case["Alpha"]) * np.expm1(x)),
                       lambda x, case: x if x >= 0 else case["Alpha"] * mpmath.expm1(x)),
    "ACTIVATION_SCALED_ELU": (
        lambda x, case: wide(case["Gamma"]) * np.where(x > 0, x, wide(case["Alpha"]) * np.expm1(x)),
        lambda x, case: mpmath.mpf(case["Gamma"]) * (x if x > 0 else case["Alpha"] * mpmath.expm1(x))),
    **composed(rounded=True),
}
# The same operators without that rounding: measured, not promised.
FORMULAS = composed(rounded=False)


def operands_of(case):
    """What the function of an operator takes: FLOAT32 numbers; exponents that are wide integers are rounded to them."""
    names = list(case.inputs)
    first = scaled(case, names[0])
    others = [case.inputs[name] for name in names[1:]]
    if first.dtype.kind == "f" and case.operator.name in FUNCTIONS:
        others = [v.astype(f32) for v in others]
    return [widen(v) for v in (first, *others)]


def distance(type_, results, exact):
    """In units in the last place of the exact value, as the tests count them (cases/accuracy.c)."""
    digits, least, greatest = {"FLOAT32": (23, -126, 127), "FLOAT16": (10, -14, 15)}[type_]
    with np.errstate(all="ignore"):
        nearest = exact.astype(DTYPES[type_])
        power = np.clip(np.frexp(np.where(np.isfinite(exact), exact, 0))[1] - 1, least, greatest)
        power = np.where(exact == 0, least, power)
        away = np.abs(results.astype(wide) - exact) / np.ldexp(wide(1), (power - digits).astype(np.int32))
        same = (results == exact) | np.isinf(results) & (results == nearest) | np.isnan(results) & np.isnan(exact)
        return np.where(same, 0, np.where(np.isnan(away), np.inf, away)).astype(np.float64)


def distance_exactly(type_, result, operands, case, functions):
    """The same of one element by mpmath; None where it has no say."""
    exact_function = functions[case.operator.name][1]
    values = [float(v) for v in operands]
    if not all(map(math.isfinite, values)) or not math.isfinite(float(result)):
        return None
    try:
        exact = exact_function(*[mpmath.mpf(v) for v in values], case)
    except (ZeroDivisionError, ValueError, OverflowError, TypeError):
        return None
    if exact is None or not isinstance(exact, mpmath.mpf) or not mpmath.isfinite(exact):
        return None
    digits, least, greatest = {"FLOAT32": (23, -126, 127), "FLOAT16": (10, -14, 15)}[type_]
    power = least if exact == 0 else min(max(int(mpmath.frexp(exact)[1]) - 1, least), greatest)
    return float(abs(mpmath.mpf(float(result)) - exact) / mpmath.ldexp(1, power - digits))
