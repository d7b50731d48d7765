"""Where a peer's definition is another than ours: by operator and peer, which elements, and why.

An entry is (operators, peers, which(case, ours, theirs) -> elements, reason). What no entry covers fails the check.
"""
import numpy as np

from . import definitions
from .definitions import operands_of, scaled, wide

TORCH, ONNX = ("torch",), ("onnxruntime",)
ANY = TORCH + ONNX


def everywhere(case, ours, theirs):
    return np.ones(ours.shape, bool)


def zeros(case, ours, theirs):
    return (ours == 0) & (theirs == 0)


def not_divided(case, ours, theirs):
    """What definitions.divisor() replaces."""
    return np.broadcast_to(definitions.divisor(case) != case.inputs["BTensor"], ours.shape)


def near(ulps):
    """Within some ULP of each other."""
    def which(case, ours, theirs):
        digits, least = (10, -14) if case.output.type == "FLOAT16" else (23, -126)
        a, b = ours.astype(wide), theirs.astype(wide)
        power = np.maximum(np.frexp(np.where(np.isfinite(a), a, 0))[1] - 1, least)
        return np.abs(a - b) <= ulps * np.ldexp(wide(1), (power - digits).astype(np.int32))
    return which


def farther(case, ours, theirs):
    """Ours is a number within the bound of the exact value, theirs another or an infinity."""
    exact = definitions.FUNCTIONS[case.operator.name][0](*[v.astype(wide) for v in operands_of(case)], case)
    errors = [definitions.distance(case.output.type, v, np.broadcast_to(exact, ours.shape)) for v in (ours, theirs)]
    bound = case.operator.ulp if case.output.type == "FLOAT32" else 1
    return np.isfinite(ours) & ~np.isnan(theirs) & (errors[0] <= bound) & (errors[1] > bound)


def at_infinity(case, ours, theirs):
    return np.broadcast_to(np.isinf(case.first), ours.shape) & np.isnan(theirs)


def nan_input(case, ours, theirs):
    return np.broadcast_to(np.isnan(case.first), ours.shape)


def crossed_bounds(case, ours, theirs):
    least, most = (case[name] for name in ("Min", "Max"))
    return np.full(ours.shape, not least <= most)


def out_of_range(case, ours, theirs):
    """A float that is none of the integer type's numbers when truncated, or NaN."""
    if case.first.dtype.kind != "f" or ours.dtype.kind == "f":
        return np.zeros(ours.shape, bool)
    limits, x = np.iinfo(ours.dtype), np.trunc(case.first.astype(wide))
    return np.broadcast_to(~((x >= limits.min) & (x <= limits.max)), ours.shape)


def hard_remainder(case, ours, theirs):
    """The divisor is infinite or denormal, or the quotient is beyond FLOAT32."""
    a, b = (case.inputs[name].astype(wide) for name in ("ATensor", "BTensor"))
    hard = np.isinf(b) | (np.abs(b) < 2.0**-126) | (np.abs(a / b) > 2.0**127)
    return np.broadcast_to(hard, ours.shape) & np.isnan(theirs.astype(wide))


def negative_threshold(case, ours, theirs):
    return np.full(ours.shape, case["Threshold"] < 0)


def beyond_double(case, ours, theirs):
    """Integers of which FLOAT64 does not hold all digits."""
    large = [np.abs(v.astype(wide)) >= 2.0**53 for v in case.inputs.values()]
    return np.broadcast_to(large[0] | large[1], ours.shape) & (ours.dtype.kind != "f")


def power_overflow(case, ours, theirs):
    """Integer powers that are beyond the type or FLOAT64's digits, or are none: those of 0 to a negative exponent."""
    if ours.dtype.kind == "f":
        return np.zeros(ours.shape, bool)
    power = np.power(scaled(case, "InputTensor").astype(wide), case.inputs["ExponentTensor"].astype(wide))
    limits = np.iinfo(ours.dtype)
    fits = (power > limits.min) & (power < limits.max) & (np.abs(power) < 2.0**53)
    return np.broadcast_to(~fits, ours.shape)


def by_one(case, ours, theirs):
    return np.abs(ours.astype(int) - theirs.astype(int)) == 1


def truncated_power(case, ours, theirs):
    """Powers of integers to a float that are nearly integers."""
    if case.inputs["ExponentTensor"].dtype.kind != "f" or ours.dtype.kind == "f":
        return np.zeros(ours.shape, bool)
    return np.abs(ours.astype(wide) - theirs.astype(wide)) <= np.maximum(1, np.abs(ours.astype(wide)) * 2.0**-21)


def far_quotient(case, ours, theirs):
    """x / scale is NaN or beyond 32 bits."""
    name = "ScaleTensor" if "ScaleTensor" in case.inputs else "QuantizationTensors[0]"
    quotient = case.inputs["InputTensor"].astype(np.float32) / case.inputs[name].astype(np.float32)
    return np.broadcast_to(~(np.abs(quotient) < 2.0**31), ours.shape)


def of_half(which):
    return lambda case, ours, theirs: which(case, ours, theirs) & (case.first.dtype == np.float16)


def of_integers(case, ours, theirs):
    return np.full(ours.shape, ours.dtype.kind != "f")


def of_floats(which):
    return lambda case, ours, theirs: which(case, ours, theirs) if ours.dtype.kind == "f" else np.zeros(ours.shape, bool)


def large_value(case, ours, theirs):
    return np.full(ours.shape, abs(int(case["PaddingValue"])) >= 2**53 if ours.dtype.kind != "f" else False)


def overflow(case, ours, theirs):
    """The product with an attribute is beyond FLOAT32."""
    return np.isinf(ours) & (np.abs(np.broadcast_to(case.first, ours.shape).astype(wide) * case["Steepness"]) > 3.4e38)


def odd_attribute(case, ours, theirs):
    """An attribute is NaN or infinite, or would be in FLOAT16."""
    most = 65504 if ours.dtype == np.float16 else np.inf
    return np.full(ours.shape, any(not abs(v) < most for v in case.attributes.values()))


def half_power(case, ours, theirs):
    return np.full(ours.shape, abs(case["Exponent"]) == 0.5)


def rounded_exponent(case, ours, theirs):
    exponent = case.inputs["ExponentTensor"]
    return np.broadcast_to((exponent.dtype.kind != "f") & (np.abs(exponent.astype(wide)) > 2.0**24), ours.shape)


def near_terms(case, ours, theirs):
    """Of batch normalization: within some ULP of the largest of the terms that are added."""
    x, mean, variance, scale, bias = (case.inputs[name + "Tensor"].astype(wide)
                                      for name in ("Input", "Mean", "Variance", "Scale", "Bias"))
    factor = scale / np.sqrt(variance + case["Epsilon"])
    largest = np.maximum(np.maximum(np.abs(x * factor), np.abs(mean * factor)), np.abs(bias))
    epsilon = 2.0**-10 if ours.dtype == np.float16 else 2.0**-23
    apart = np.abs(ours.astype(wide) - theirs.astype(wide)) <= 4 * epsilon * np.maximum(largest, 2.0**-126)
    return apart | ~np.isfinite(ours) | ~np.isfinite(theirs)


def near_sum(case, ours, theirs):
    """Of what definitions.BOUNDED bounds: peers compute in FLOAT32 or FLOAT16, not in double."""
    exact, distance, _ = definitions.BOUNDED[case.operator.name](case)
    half = ours.dtype == np.float16
    slack = distance * 2.0**(35 if half else 25) + np.abs(exact) * 2.0**(-9 if half else -20) + 2.0**(-23 if half else -125)
    return np.abs(ours.astype(wide) - theirs.astype(wide)) <= slack


def beyond_sums(case, ours, theirs):
    """Where the magnitudes of what is summed leave FLOAT32."""
    return ~definitions.BOUNDED[case.operator.name](case)[2]


def around_place(case, ours, theirs):
    """Places are off by roundings, so that neighbours' shares are, and those that have none count."""
    if not definitions.is_bounded(case):
        return np.zeros(ours.shape, bool)
    x = np.abs(definitions.full(case, "InputTensor").astype(wide))
    most = x.max()
    if not np.isfinite(most) or most > np.finfo(ours.dtype).max * (1 - 2.0**-8):
        return np.full(ours.shape, True)
    return np.abs(ours.astype(wide) - theirs.astype(wide)) <= most * (2.0**-8 if ours.dtype == np.float16 else 2.0**-19)


def in_reduction(which):
    """All elements of a reduction, of one of which it is so."""
    def results(case, ours, theirs):
        found = which(definitions.full(case, "InputTensor").astype(wide))
        return np.broadcast_to(found.any(definitions.folded_axes(case), keepdims=True), ours.shape)
    return results


def beside_infinity(case, ours, theirs):
    return in_reduction(np.isposinf)(case, ours, theirs) & np.isnan(theirs)


def range_of(ours):
    """The least and the greatest that squares of a type's numbers may add up to."""
    return (2.0**-14, 65504) if ours.dtype == np.float16 else (2.0**-120, 2.0**127)


def lost_variance(case, ours, theirs):
    """Squares beyond FLOAT32, or whose sum hardly counts beside the mean or a negative Epsilon."""
    x, axes = definitions.full(case, "InputTensor").astype(wide), definitions.folded_axes(case)
    mean = np.mean(x, axes, keepdims=True) if case.attributes.get("UseMean", 1) else 0
    squares, epsilon = np.mean(x * x, axes, keepdims=True), wide(np.float32(case["Epsilon"]))
    variance = np.mean((x - mean)**2, axes, keepdims=True) + epsilon
    least, greatest = range_of(np.zeros(1, np.float32))
    lost = ~(np.abs(variance) > 2.0**-8 * (squares + abs(epsilon))) | (np.abs(variance) < least)
    return np.broadcast_to(lost | ~(np.sum(x * x, axes, keepdims=True) < greatest), ours.shape)


def norm_out_of_range(case, ours, theirs):
    """The norm, or the sum of squares that it is the root of, is none of the type's ordinary numbers."""
    x, axes = definitions.full(case, "InputTensor").astype(wide), definitions.folded_axes(case)
    total = np.sum(np.abs(x) if case["P"] == 1 else x * x, axes, keepdims=True)
    least, greatest = range_of(ours)
    return np.broadcast_to(~((total > least) & (total < greatest)), ours.shape)


def squares_out_of_range(case, ours, theirs):
    """The sum of a region's squares, their average, or the divisor that it is in, is none of the type's ordinary numbers."""
    total = definitions.squares_around(case)[1]
    power = np.abs(wide(case["Bias"]) + wide(case["Alpha"]) / case["LocalSize"] * total) ** wide(case["Beta"])
    least, greatest = range_of(ours)
    average = total / wide(case["LocalSize"])**2
    return ~((average > least) & (total < greatest) & (power > least) & (power < greatest))


def running_squares(case, ours, theirs):
    """Other channels' squares, which were added and are taken away again, leave little of a region's."""
    x = definitions.whole(case).astype(wide)
    most = np.max(x * x, 1, keepdims=True)
    return ~(definitions.squares_around(case)[1] > most * 2.0**(-2 if ours.dtype == np.float16 else -12))


def powers_out_of_range(case, ours, theirs):
    """The sum that the norm is the root of is none of the type's ordinary numbers."""
    x = np.abs(definitions.full(case, "InputTensor").astype(wide))
    total = sum(definitions.pooled(case, x ** wide(case["P"]), 0))
    least, greatest = range_of(ours)
    return ~((total > least) & (total < greatest))


def overflowing_sum(case, ours, theirs):
    """Which infinity, or none, hangs on the order in which elements are added."""
    x = np.abs(definitions.full(case, "InputTensor").astype(wide))
    return sum(definitions.pooled(case, np.where(np.isfinite(x), x, 0), 0)) > range_of(ours)[1]


def padding_alone(case, ours, theirs):
    return sum(definitions.pooled(case, np.ones(case.tensors["InputTensor"].sizes), 0)) == 0


def vanished_range(case, ours, theirs):
    """Denormals, so few apart that a 255th of that is 0."""
    x = np.append(definitions.whole(case).astype(np.float32).reshape(-1), np.float32(0))
    apart = np.float32(np.max(x) - np.min(x))
    return np.full(ours.shape, apart != 0 and apart / np.float32(255) == 0)


def lost_divisor(case, ours, theirs):
    """Terms of another sign leave little of it, or nothing that has a power."""
    return np.full(ours.shape, case["Bias"] < 0 or case["Alpha"] < 0)


def around_pixel(case, ours, theirs):
    """A share is off by a rounding, so that one of a neighbour that has no weight counts; an infinite one makes NaN."""
    x, (width, height) = np.abs(definitions.full(case, "InputTensor").astype(wide)), case["ScaleSize"]
    for axis in (-2, -1):
        rims = [(1, 1) if d - x.ndim == axis else (0, 0) for d in range(x.ndim)]
        size = x.shape[axis]
        x = np.max([np.take(np.pad(x, rims), range(i, i + size), axis) for i in range(3)], 0)
    most = np.repeat(np.repeat(x, height, -2), width, -1)
    overflows = np.isinf(theirs) & (most > np.finfo(ours.dtype).max * (1 - 2.0**-8))
    return ~np.isfinite(most) | overflows | (np.abs(ours.astype(wide) - theirs.astype(wide)) <= most * (
        2.0**-9 if ours.dtype == np.float16 else 2.0**-20))


FUNCTIONS = tuple(definitions.FUNCTIONS)
CLIPS = ("ELEMENT_WISE_CLIP", "ELEMENT_WISE_CLIP1")
MOMENTS = tuple(f"MEAN_VARIANCE_NORMALIZATION{n}" for n in ("", "1", "2"))
POWERS = tuple(f"ACTIVATION_{name}" for name in ("SOFTMAX", "SOFTMAX1", "LOG_SOFTMAX", "LOG_SOFTMAX1"))
QUANTIZATIONS = ("ELEMENT_WISE_QUANTIZE_LINEAR", "QUANTIZE")
DIVISIONS = ("ELEMENT_WISE_DIVIDE", "ELEMENT_WISE_MODULUS_TRUNCATE", "ELEMENT_WISE_MODULUS_FLOOR")

DIFFERENCES = [
    (DIVISIONS, ANY, not_divided, "not asked: it faults on integers divided by 0, or the least one by -1; here 0, and it wraps"),
    (("ELEMENT_WISE_MODULUS_TRUNCATE",), ONNX, beyond_double, "computes remainders of integers in FLOAT64, and loses digits"),
    (("ELEMENT_WISE_MODULUS_FLOOR",), TORCH, zeros, "a remainder of 0 has the dividend's sign; here the divisor's, as Python's"),
    (DIVISIONS, TORCH, hard_remainder, "of an infinite or denormal divisor, or a quotient beyond FLOAT32, gives NaN"),
    (("ELEMENT_WISE_POW",), ANY, power_overflow,
     "computes integer powers in FLOAT64 and converts; here they wrap around, and 0 to a negative exponent is 0"),
    (("ELEMENT_WISE_POW",), ANY, truncated_power, "computes in FLOAT64; here in FLOAT32, whose truncation may go the other way"),
    (("CAST",), ANY, out_of_range, "leaves floats beyond an integer type, and NaN, to the processor; here they saturate, NaN is 0"),
    (CLIPS, ANY, crossed_bounds, "with Min above Max, or NaN, gives another of the bounds; here max(Min, min(x, Max)) as written"),
    (CLIPS, ANY, zeros, "does not tell zeros apart; here -0 is below +0"),
    (("ELEMENT_WISE_MAX", "ELEMENT_WISE_MIN", "ACTIVATION_RELU", "ACTIVATION_HARD_SIGMOID", "ACTIVATION_LEAKY_RELU",
      "ACTIVATION_PARAMETERIZED_RELU", "ACTIVATION_THRESHOLDED_RELU"), ANY, of_floats(zeros),
     "does not tell zeros apart, or compares with > instead of >=; here -0 is below +0"),
    (("ACTIVATION_SHRINK",), TORCH, of_floats(zeros), "keeps the sign of a zero between the thresholds"),
    (("ACTIVATION_SHRINK",), ANY, of_integers, "computes integers in FLOAT32 and converts; here Bias and Threshold are converted"),
    (("ACTIVATION_SHRINK",), ANY, negative_threshold, "looks at -Threshold first, which matters where Threshold is below 0"),
    (("ACTIVATION_SHRINK", "ACTIVATION_THRESHOLDED_RELU"), TORCH, nan_input, "gives NaN; here NaN is above no threshold: 0"),
    (("ACTIVATION_SOFTSIGN",), ANY, near(3), "rounds otherwise, FLOAT16 after each operation"),
    (("ACTIVATION_SHRINK", "ACTIVATION_LEAKY_RELU", "ACTIVATION_PARAMETERIZED_RELU"), ANY, of_half(near(2)),
     "rounds attributes, or each operation, to FLOAT16"),
    (("ACTIVATION_HARD_SIGMOID",), ONNX, of_half(near(4)), "rounds each operation to FLOAT16"),
    (("ELEMENT_WISE_SQRT",), TORCH, near(1), "its square root is not correctly rounded"),
    (QUANTIZATIONS, ANY, far_quotient, "converts quotients beyond 32 bits, and NaN, as the processor does; here they saturate"),
    (QUANTIZATIONS, TORCH, by_one, "multiplies by the scale's reciprocal; here the quotient is rounded"),
    (QUANTIZATIONS, ONNX, of_half(by_one), "divides in FLOAT16; here in FLOAT32"),
    (("ACTIVATION_GELU", "ACTIVATION_SWISH"), ANY, at_infinity, "multiplies an infinity by 0, or adds two: NaN"),
    (("BATCH_NORMALIZATION",), ANY, near_terms, "multiplies by one factor and adds one term for each channel"),
    (("ACTIVATION_CELU", "ACTIVATION_SCALED_ELU", "ACTIVATION_ELU", "ACTIVATION_SHRINK"), ANY, odd_attribute,
     "multiplies attributes that are not finite, or not in FLOAT16, in another order, or not where they have no say"),
    (("ACTIVATION_SOFTPLUS",), TORCH, overflow, "is x where Steepness * x is large; here that overflows"),
    (("ELEMENT_WISE_CONSTANT_POW",), TORCH, half_power, "takes 0.5 for sqrt(); here -0 and -infinity are pow()'s"),
    (("ELEMENT_WISE_POW",), ANY, rounded_exponent, "has integer exponents beyond 2^24 exact; here they are rounded to FLOAT32"),
    (("ELEMENT_WISE_SIGN",), ONNX, nan_input, "gives NaN for NaN; here 0"),
    (("ELEMENT_WISE_IF",), ONNX, of_floats(zeros), "gives +0 for -0; here bits are kept"),
    (("PADDING1",), TORCH, large_value, "takes the padding value as FLOAT64, and loses digits"),
    (POWERS, ANY, beside_infinity, "gives NaN for all of what has an infinity; here exp(x) / infinity is 0, its logarithm -infinity"),
    (("ACTIVATION_HARDMAX", "ACTIVATION_HARDMAX1"), ONNX, in_reduction(np.isnan),
     "passes NaN over, but for the first; here NaN comes before all others"),
    (MOMENTS, ANY, lost_variance, "loses a variance beside the mean's square or a negative Epsilon, or in squares beyond FLOAT32"),
    (("LP_NORMALIZATION",), ANY, norm_out_of_range, "has norms and squares in the tensor's type, which does not hold them"),
    (("LP_POOLING", "LP_POOLING1"), ONNX, powers_out_of_range, "has powers in the tensor's type, which does not hold them"),
    (("AVERAGE_POOLING", "AVERAGE_POOLING1"), ANY, overflowing_sum, "adds up in another order, or in the tensor's type"),
    (("MAX_POOLING", "MAX_POOLING1", "MAX_POOLING2"), ANY, padding_alone,
     "gives the least number and a place outside the input where a window is padding alone"),
    (("LOCAL_RESPONSE_NORMALIZATION",), ANY, squares_out_of_range,
     "has sums of squares and powers in the tensor's type, which does not hold them"),
    (("LOCAL_RESPONSE_NORMALIZATION",), ONNX, running_squares, "has a running sum of squares, which keeps an infinity too"),
    (("LOCAL_RESPONSE_NORMALIZATION",), ANY, lost_divisor, "loses a divisor that is a difference, or has powers of one below 0"),
    (("DYNAMIC_QUANTIZE_LINEAR",), ONNX, vanished_range, "leaves a scale of 0 where denormals' range / 255 is; here that becomes 1"),
    (("GEMM",), ANY, beyond_sums, "sums in another order, of which parts leave FLOAT32"),
    (("CONVOLUTION",), ANY, beyond_sums, "sums in another order, of which parts leave FLOAT32, or multiplies padding by them"),
    (("UPSAMPLE_2D",), ANY, around_pixel, "has shares rounded to FLOAT32, and counts elements whose share is 0"),
    (("RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3"), ANY, around_place,
     "multiplies by the scale's reciprocal, and counts elements whose share is 0"),
    (FUNCTIONS, ANY, of_floats(farther), "is farther from the exact value than the bound, ours is not"),
]
