"""What ONNX Runtime says, on the CPU. A node that it has no kernel for is not compared."""
import numpy as np
import onnx
import onnxruntime
from onnx import helper

from .definitions import by_channel, divisor, filter_of, folded_axes, full, in_place, in_rows, keeps_a_size, rows_of_indices, scaled, wide, whole
from .library import DTYPES

OPSET, IR = 21, 10
onnxruntime.set_default_logger_severity(4)


class Node:
    """An ONNX operator with its attributes, how a case's inputs become its own, and its output the case's."""

    def __init__(self, name, attributes=None, inputs=None, output=None):
        self.name, self.attributes = name, attributes or (lambda case: {})
        self.inputs, self.output = inputs or default_inputs, output


def default_inputs(case):
    names = list(case.inputs)
    first = scaled(case, names[0]) if case.attributes.get("ScaleBias") else case.first
    return [first, *[case.inputs[name] for name in names[1:]]]


def matrices(case):
    """Its Gemm() has no batches; what is absent last stays away."""
    if len(case.output.sizes) != 2:
        raise NotImplementedError
    return [full(case, name) for name in ("ATensor", "BTensor", "CTensor") if name in case.inputs]


def divided(case):
    return [case.inputs["ATensor"], divisor(case)]


def booleans(case):
    return [x != 0 for x in case.inputs.values()]


def condition(case):
    return [case.inputs["ConditionTensor"] != 0, case.inputs["ATensor"], case.inputs["BTensor"]]


def bound_inputs(case):
    type_ = DTYPES[case.output.type].type
    if isinstance(case["Min"], float):
        if case.first.dtype.kind != "f":
            raise NotImplementedError
        return [case.first if not case.attributes.get("ScaleBias") else scaled(case, "InputTensor"),
                np.asarray(case["Min"], case.first.dtype if not case.attributes.get("ScaleBias") else np.float32),
                np.asarray(case["Max"], case.first.dtype if not case.attributes.get("ScaleBias") else np.float32)]
    if case.attributes.get("ScaleBias"):
        raise NotImplementedError
    return [case.first, np.asarray(case["Min"], type_), np.asarray(case["Max"], type_)]


def pad_inputs(case):
    x = np.broadcast_to(case.first, case.tensors["InputTensor"].sizes)
    pads = np.array([*case["StartPadding"], *case["EndPadding"]], np.int64)
    value = case["PaddingValue"]
    if isinstance(value, float) and x.dtype.kind != "f":
        raise NotImplementedError
    return [x, pads, np.asarray(value, x.dtype)]


def indices_of(case):
    """Those that ONNX Runtime takes."""
    indices, size = full(case, "IndicesTensor").astype(object), case.tensors["InputTensor"].sizes[case["Axis"]]
    if ((indices < -size) | (indices >= size)).any():
        raise NotImplementedError
    return indices.astype(np.int64)


def gather_inputs(case):
    indices = indices_of(case)
    if any(size != 1 for size in indices.shape[:indices.ndim - case["IndexDimensions"]]):
        raise NotImplementedError  # batches
    return [whole(case), indices.reshape(indices.shape[indices.ndim - case["IndexDimensions"]:])]


def nd_inputs(case):
    x, shape, rows = rows_of_indices(case)
    if any(at is None for _, at in rows):
        raise NotImplementedError
    return [x, full(case, "IndicesTensor").astype(np.int64).reshape(shape)]


def place_attributes(case):
    if len(case["Axes"]) != 1 or case.first.dtype.kind == "f" and np.isnan(case.first).any():
        raise NotImplementedError  # it passes NaN over
    return {"axis": case["Axes"][0], "keepdims": 1, "select_last_index": int(case["AxisDirection"] == "DECREASING")}


def reduce_inputs(case):
    x = whole(case)
    if case["Function"] != "MAX" or x.dtype.kind == "f" and (np.isnan(x) | (x == 0)).any():
        raise NotImplementedError  # of sums the exact value has judged; NaN and the zeros' order are ours
    return [x, np.array(case["Axes"], np.int64)]


def sum_inputs(case):
    x = whole(case)
    if x.dtype.kind == "f":
        raise NotImplementedError  # the exact value has judged
    return [x, np.array(case["Axis"], np.int64)]


def window_inputs(case):
    """Backward windows end before their first element, which may be none."""
    starts, ends = [], []
    for offset, length, stride in zip(case["InputWindowOffsets"], case["InputWindowSizes"], case["InputWindowStrides"]):
        starts.append(offset if stride > 0 else offset + length - 1)
        ends.append(offset + length if stride > 0 else offset - 1 if offset > 0 else -2**31)
    return [whole(case), *(np.array(v, np.int64) for v in (starts, ends, range(len(starts)), case["InputWindowStrides"]))]


def pad_attributes(case):
    return {"mode": {"CONSTANT": "constant", "EDGE": "edge", "REFLECTION": "reflect", "WRAP": "wrap"}[case["PaddingMode"]]}


def quantization_inputs(scale_name, zero_name):
    def inputs(case):
        scale = case.inputs[scale_name]
        zero = case.inputs.get(zero_name)
        if scale.size != 1 or zero is not None and zero.size != 1 or case.output.type.endswith("T4"):
            raise NotImplementedError  # per tensor; other kinds are in the definitions
        if zero is None and case.output.type != "UINT8" and case.operator.name.endswith(("QUANTIZE_LINEAR", "QUANTIZE")):
            raise NotImplementedError  # the zero point says the type
        zeros = [] if zero is None else [zero.reshape(())]
        return [case.inputs["InputTensor"], scale.reshape(()), *zeros]
    return inputs


def batch_inputs(case):
    return by_channel(case, ("Scale", "Bias", "Mean", "Variance"))


def infinity(case):
    mode = case["InfinityMode"]
    return {"detect_positive": int(mode != "NEGATIVE"), "detect_negative": int(mode != "POSITIVE")}


def prelu_inputs(case):
    """Its slope is broadcast to x, not x to it."""
    return [np.broadcast_to(case.first, case.output.sizes), case.inputs["SlopeTensor"]]


def attributes_of(**names):
    return lambda case: {name: case[field] for name, field in names.items()}


def only_even(case):
    if case["RoundingMode"] != "HALVES_TO_NEAREST_EVEN":
        raise NotImplementedError
    return {}


def only(field, value):
    def attributes(case):
        if case[field] != value:
            raise NotImplementedError
        return {}
    return attributes


def order_inputs(case):
    x = full(case, "InputTensor")
    if x.dtype.kind == "f" and np.isnan(x).any():  # whose place ONNX leaves open
        raise NotImplementedError
    return [x, np.array([case["K"]], np.int64)]


def order_attributes(case):
    return {"axis": case["Axis"], "largest": int(case.attributes.get("AxisDirection", "DECREASING") == "DECREASING"),
            "sorted": 1}


def rows(name, attributes=None, inputs=None, output=None):
    """A node that folds the last dimension, and this one alone."""
    return Node(name, attributes or (lambda case: {"axis": -1}),
                inputs or (lambda case: [in_rows(full(case, "InputTensor"), folded_axes(case))]),
                lambda case, y: (output or (lambda case, y: y))(case, in_place(y, case.output.sizes, folded_axes(case))))


def rows_above(case):
    """It has no Epsilon: asked where that is below all norms."""
    x = in_rows(full(case, "InputTensor"), folded_axes(case))
    if (np.abs(x.astype(wide)).max(-1) <= case["Epsilon"]).any():
        raise NotImplementedError
    return [x]


def layer_inputs(case):
    if not (case.attributes.get("UseMean", 1) and case.attributes.get("UseVariance", case.attributes.get("NormalizeVariance"))):
        raise NotImplementedError
    x = in_rows(full(case, "InputTensor"), folded_axes(case))
    x = x.astype(np.float32) if "ScaleTensor" in case.inputs else x  # what is scaled is not yet rounded
    return [x, np.ones(x.shape[1], x.dtype)]


def scaled_and_biased(case, y):
    """It has a scale and a bias of each place in a row alone: they come behind."""
    y = y.astype(wide)
    y = y * full(case, "ScaleTensor").astype(wide) if "ScaleTensor" in case.inputs else y
    return y + full(case, "BiasTensor").astype(wide) if "BiasTensor" in case.inputs else y


def channels(case):
    if not case["CrossChannel"]:
        raise NotImplementedError
    return {"size": case["LocalSize"], "alpha": case["Alpha"], "beta": case["Beta"], "bias": case["Bias"]}


def resized(case):
    """It has interpolation of pictures of four dimensions alone."""
    x, (width, height) = full(case, "InputTensor"), case["ScaleSize"]
    return [x.reshape(1, -1, *x.shape[-2:]), np.array([], np.float32), np.array([1, 1, height, width], np.float32)]


def resize_attributes(case):
    return {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_floor",
            "mode": "linear" if case["InterpolationMode"] == "LINEAR" else "nearest"}


COORDINATES = {(0.5, -0.5): "half_pixel", (0.0, 0.0): "asymmetric", (0.0, -0.5): "tf_half_pixel_for_nn"}
ROUNDINGS = {None: "round_prefer_ceil", "INCREASING": "ceil", "DECREASING": "floor"}


def resampling_attributes(case):
    """It leaves dimensions alone whose scale is 1, whatever the offsets."""
    linear = case["InterpolationMode"] == "LINEAR"
    coordinates = COORDINATES.get((*case.attributes.get("InputPixelOffsets", [0.5])[:1], *case.attributes.get("OutputPixelOffsets", [-0.5])[:1]))
    sizes = [int(np.floor(size * np.float32(scale))) for size, scale in zip(full(case, "InputTensor").shape, case["Scales"])]
    if keeps_a_size(case) or coordinates is None or sizes != list(case.output.sizes) or linear and (len(sizes) != 4 or case.output.type != "FLOAT32"):
        raise NotImplementedError
    if coordinates == "tf_half_pixel_for_nn" and (linear or 1 in case["Scales"]) or not linear and case.output.type == "FLOAT16":
        raise NotImplementedError
    return {"coordinate_transformation_mode": coordinates, "mode": "linear" if linear else "nearest",
            "nearest_mode": ROUNDINGS[case.attributes.get("RoundingDirection")],
            "antialias": int(linear and bool(case.attributes.get("Antialiased")) and min(case["Scales"]) < 1)}


def column_inputs(case):
    """Not of dilated windows of other than two dimensions: it miscounts them and reads beyond (onnxruntime #18156)."""
    if case["DimensionCount"] != 2 and max(case["Dilations"]) > 1:
        raise NotImplementedError
    columns = full(case, "InputTensor")
    return [columns.reshape(columns.shape[-3:]), *(np.array(v, np.int64) for v in (case.output.sizes[2:], case["WindowSizes"]))]


def bytes_alone(case):
    if case.output.type != "UINT8" or not np.isfinite(whole(case)).all():
        raise NotImplementedError  # it leaves what is not finite to the processor
    return [whole(case)]


def convolution_attributes(case):
    """Transposed ones alone have output padding, below their strides or dilations."""
    is_backward = case["Direction"] == "BACKWARD"
    most = [max(pair) if is_backward else 1 for pair in zip(case["Strides"], case["Dilations"])]
    if any(a >= b for a, b in zip(case["OutputPadding"], most)):
        raise NotImplementedError
    more = {"output_padding": case["OutputPadding"]} if is_backward else {}
    return {"strides": case["Strides"], "dilations": case["Dilations"], "group": case["GroupCount"],
            "pads": [*case["StartPadding"], *case["EndPadding"]], **more}


def convolution_inputs(case):
    bias = [full(case, "BiasTensor").reshape(-1)] if "BiasTensor" in case.inputs else []
    return [full(case, "InputTensor"), filter_of(case), *bias]


def pool_attributes(case):
    attributes = {"kernel_shape": case["WindowSize"], "strides": case["Strides"], "pads": [*case["StartPadding"], *case["EndPadding"]]}
    if "Dilations" in case.attributes:
        attributes["dilations"] = case["Dilations"]
    if "IncludePadding" in case.attributes:
        attributes["count_include_pad"] = int(case["IncludePadding"])
    if "P" in case.attributes:
        attributes["p"] = case["P"]
    return attributes


def pool_inputs(case):
    """It passes NaN over, zeros' signs too."""
    x = full(case, "InputTensor")
    if "MAX" in case.operator.name and x.dtype.kind == "f" and (np.isnan(x).any() or (x == 0).any()):
        raise NotImplementedError
    return [x]


def regions(case):
    """Regions that are there, and finite elements: else it stops, or leaves them to the processor."""
    x, roi = full(case, "InputTensor"), full(case, "ROITensor")
    pictures = full(case, "BatchIndicesTensor") if "BatchIndicesTensor" in case.inputs else roi[..., 0]
    if not np.isfinite(x).all() or not (np.abs(roi) < 1e6).all() or not (pictures < x.shape[0]).all() or not (pictures >= 0).all():
        raise NotImplementedError
    if x.dtype != np.float32:
        raise NotImplementedError
    return x, roi.reshape(-1, roi.shape[-1]), pictures.astype(np.int64)


def pooled_inputs(case):
    x, roi, _ = regions(case)
    return [x, roi]


def aligned_inputs(case):
    """It has one scale, samples that are counted or a number, 0 outside, and a maximum of weighted elements."""
    x, roi, pictures = regions(case)
    counts = case["MinimumSamplesPerOutput"], case["MaximumSamplesPerOutput"]
    fixed = counts[0] == counts[1]
    if (case["SpatialScaleX"] != case["SpatialScaleY"] or case["OutOfBoundsInputValue"] != 0 or case["ReductionFunction"] != "AVERAGE"
            or case["InterpolationMode"] != "LINEAR" or not (fixed or (counts[0] <= 1 and counts[1] > 1000))
            or not (fixed or (roi[:, 2:] > roi[:, :2]).all())):
        raise NotImplementedError
    return [x, roi, pictures]


def aligned_attributes(case):
    counts = case["MinimumSamplesPerOutput"], case["MaximumSamplesPerOutput"]
    return {"output_height": case.output.sizes[2], "output_width": case.output.sizes[3], "spatial_scale": case["SpatialScaleX"],
            "sampling_ratio": counts[0] if counts[0] == counts[1] else 0, "coordinate_transformation_mode": "half_pixel"}


RECURRENT = {"SIGMOID": "Sigmoid", "TANH": "Tanh", "RELU": "Relu", "LEAKY_RELU": "LeakyRelu", "HARD_SIGMOID": "HardSigmoid",
             "ELU": "Elu", "SOFTSIGN": "Softsign", "SOFTPLUS": "Softplus", "SCALED_TANH": "ScaledTanh"}


def network_attributes(case):
    """Of functions that have an alpha or beta only these are listed."""
    functions = case["ActivationDescs"]
    attributes = {"activations": [RECURRENT[row.name.removeprefix("ACTIVATION_")] for row, _ in functions],
                  "direction": case["Direction"].lower().replace("backward", "reverse"),
                  "hidden_size": case.tensors["RecurrenceTensor"].sizes[3]}
    for name in ("Alpha", "Beta"):
        values = [float(given[name]) for _, given in functions if name in given]
        if values:
            attributes[f"activation_{name.lower()}"] = values
    if case.operator.name == "LSTM":
        attributes["input_forget"] = int(case["CoupleInputForget"])
        if case["UseClipThreshold"]:
            attributes["clip"] = float(case["ClipThreshold"])
    if case.operator.name == "GRU":
        attributes["linear_before_reset"] = int(case["LinearBeforeReset"])
    return attributes


def network_inputs(case):
    """All of them, since later ones need those before."""
    x = full(case, "InputTensor")[0]
    t, b, _ = x.shape
    weights, recurrence = full(case, "WeightTensor")[0], full(case, "RecurrenceTensor")[0]
    d, rows, h = recurrence.shape

    def given(name, sizes):
        return full(case, name).reshape(sizes) if name in case.inputs else np.zeros(sizes, x.dtype)
    lengths = np.full(b, t, np.int32)
    if "SequenceLengthsTensor" in case.inputs:
        lengths = np.minimum(full(case, "SequenceLengthsTensor").reshape(-1).astype(np.int64), t).astype(np.int32)
    inputs = [x, weights, recurrence, given("BiasTensor", (d, 2 * rows)), lengths, given("HiddenInitTensor", (d, b, h))]
    if case.operator.name == "LSTM":
        inputs += [given("CellMemInitTensor", (d, b, h)), given("PeepholeTensor", (d, 3 * h))]
    return inputs


PEER = {
    **{name: Node(name, network_attributes, network_inputs) for name in ("RNN", "GRU", "LSTM")},
    **{f"{ours}_POOLING{n}": Node(theirs, pool_attributes, pool_inputs) for ours, theirs, n in [
        ("AVERAGE", "AveragePool", ""), ("AVERAGE", "AveragePool", 1), ("LP", "LpPool", ""), ("LP", "LpPool", 1),
        ("MAX", "MaxPool", ""), ("MAX", "MaxPool", 1), ("MAX", "MaxPool", 2)]},
    "ROI_POOLING": Node("MaxRoiPool", lambda case: {"pooled_shape": list(case.output.sizes[2:]), "spatial_scale": case["SpatialScale"]},
                        pooled_inputs),
    "ROI_ALIGN": Node("RoiAlign", aligned_attributes, aligned_inputs),
    "ACTIVATION_SOFTMAX": rows("Softmax"),
    "ACTIVATION_SOFTMAX1": rows("Softmax"),
    "ACTIVATION_LOG_SOFTMAX": rows("LogSoftmax"),
    "ACTIVATION_LOG_SOFTMAX1": rows("LogSoftmax"),
    "ACTIVATION_HARDMAX": rows("Hardmax"),
    "ACTIVATION_HARDMAX1": rows("Hardmax"),
    **{f"MEAN_VARIANCE_NORMALIZATION{n}": rows("LayerNormalization", lambda case: {"axis": -1, "epsilon": case["Epsilon"]},
                                              layer_inputs, scaled_and_biased) for n in ("", "1", "2")},
    "LP_NORMALIZATION": rows("LpNormalization", lambda case: {"axis": -1, "p": case["P"]}, rows_above),
    "DYNAMIC_QUANTIZE_LINEAR": Node("DynamicQuantizeLinear", inputs=bytes_alone),
    "LOCAL_RESPONSE_NORMALIZATION": Node("LRN", channels, lambda case: [whole(case)]),
    "UPSAMPLE_2D": Node("Resize", resize_attributes, resized, lambda case, y: y.reshape(case.output.sizes)),
    **dict.fromkeys(("RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3"), Node(
        "Resize", resampling_attributes,
        lambda case: [full(case, "InputTensor"), np.array([], np.float32), np.array(case["Scales"], np.float32)])),
    "FOLD": Node("Col2Im", lambda case: {"dilations": case["Dilations"], "strides": case["Strides"],
                                         "pads": [*case["StartPadding"], *case["EndPadding"]]}, column_inputs),
    **{f"ELEMENT_WISE_{ours}": Node(theirs) for ours, theirs in {
        "IDENTITY": "Identity", "ABS": "Abs", "NEGATE": "Neg", "SIGN": "Sign", "CEIL": "Ceil", "FLOOR": "Floor",
        "RECIP": "Reciprocal", "SQRT": "Sqrt", "EXP": "Exp", "LOG": "Log", "SIN": "Sin", "COS": "Cos", "TAN": "Tan",
        "ASIN": "Asin", "ACOS": "Acos", "ATAN": "Atan", "SINH": "Sinh", "COSH": "Cosh", "TANH": "Tanh",
        "ASINH": "Asinh", "ACOSH": "Acosh", "ATANH": "Atanh", "ERF": "Erf", "POW": "Pow", "ADD": "Add", "ADD1": "Add",
        "SUBTRACT": "Sub", "MULTIPLY": "Mul", "MAX": "Max", "MIN": "Min", "MEAN": "Mean",
        "BIT_AND": "BitwiseAnd", "BIT_OR": "BitwiseOr", "BIT_XOR": "BitwiseXor", "BIT_NOT": "BitwiseNot"}.items()},
    **{f"ELEMENT_WISE_LOGICAL_{ours}": Node(theirs) for ours, theirs in {
        "EQUALS": "Equal", "GREATER_THAN": "Greater", "LESS_THAN": "Less", "GREATER_THAN_OR_EQUAL": "GreaterOrEqual",
        "LESS_THAN_OR_EQUAL": "LessOrEqual"}.items()},
    **{f"ELEMENT_WISE_LOGICAL_{ours}": Node(theirs, inputs=booleans) for ours, theirs in {
        "AND": "And", "OR": "Or", "XOR": "Xor", "NOT": "Not"}.items()},
    **{f"ACTIVATION_{ours}": Node(theirs) for ours, theirs in {
        "IDENTITY": "Identity", "RELU": "Relu", "SIGMOID": "Sigmoid", "TANH": "Tanh", "SOFTSIGN": "Softsign",
        "GELU": "Gelu"}.items()},
    "ELEMENT_WISE_ROUND": Node("Round", only_even),
    "ELEMENT_WISE_DIVIDE": Node("Div", inputs=divided),
    "ELEMENT_WISE_MODULUS_FLOOR": Node("Mod", inputs=divided),
    "ELEMENT_WISE_MODULUS_TRUNCATE": Node("Mod", lambda case: {"fmod": 1}, divided),
    "ELEMENT_WISE_CLIP": Node("Clip", inputs=bound_inputs),
    "ELEMENT_WISE_CLIP1": Node("Clip", inputs=bound_inputs),
    "ELEMENT_WISE_IS_NAN": Node("IsNaN"),
    "ELEMENT_WISE_IS_INFINITY": Node("IsInf", infinity),
    "ELEMENT_WISE_IF": Node("Where", inputs=condition),
    "ELEMENT_WISE_BIT_SHIFT_LEFT": Node("BitShift", lambda case: {"direction": "LEFT"}),
    "ELEMENT_WISE_BIT_SHIFT_RIGHT": Node("BitShift", lambda case: {"direction": "RIGHT"}),
    "ELEMENT_WISE_QUANTIZE_LINEAR": Node("QuantizeLinear", inputs=quantization_inputs("ScaleTensor", "ZeroPointTensor")),
    "ELEMENT_WISE_DEQUANTIZE_LINEAR": Node("DequantizeLinear",
                                           inputs=quantization_inputs("ScaleTensor", "ZeroPointTensor")),
    "QUANTIZE": Node("QuantizeLinear", inputs=quantization_inputs("QuantizationTensors[0]", "QuantizationTensors[1]")),
    "DEQUANTIZE": Node("DequantizeLinear", inputs=quantization_inputs("QuantizationTensors[0]", "QuantizationTensors[1]")),
    "GATHER_ELEMENTS": Node("GatherElements", lambda case: {"axis": case["Axis"]}, lambda case: [
        full(case, "InputTensor"), indices_of(case)]),
    "SCATTER_ELEMENTS": Node("ScatterElements", lambda case: {"axis": case["Axis"]}, lambda case: [
        full(case, "InputTensor"), indices_of(case), full(case, "UpdatesTensor")]),
    "CUMULATIVE_SUMMATION": Node("CumSum", lambda case: {
        "exclusive": int(case["HasExclusiveSum"]), "reverse": int(case["AxisDirection"] == "DECREASING")}, sum_inputs),
    ("CONVOLUTION", "FORWARD"): Node("Conv", convolution_attributes, convolution_inputs),
    ("CONVOLUTION", "BACKWARD"): Node("ConvTranspose", convolution_attributes, convolution_inputs),
    "GEMM": Node("Gemm", lambda case: {"alpha": case["Alpha"], "beta": case["Beta"], "transA": int(
        case["TransA"] == "TRANSPOSE"), "transB": int(case["TransB"] == "TRANSPOSE")}, matrices),
    "TOP_K": Node("TopK", order_attributes, order_inputs),
    "TOP_K1": Node("TopK", order_attributes, order_inputs),
    "ARGMIN": Node("ArgMin", place_attributes, lambda case: [whole(case)]),
    "ARGMAX": Node("ArgMax", place_attributes, lambda case: [whole(case)]),
    "REDUCE": Node("ReduceMax", lambda case: {"keepdims": 1}, reduce_inputs),
    "GATHER": Node("Gather", lambda case: {"axis": case["Axis"]}, gather_inputs),
    "GATHER_ND": Node("GatherND", inputs=nd_inputs),
    "GATHER_ND1": Node("GatherND", lambda case: {"batch_dims": case["BatchDimensionCount"]}, nd_inputs),
    "SLICE": Node("Slice", inputs=lambda case: [whole(case), *(np.array(v, np.int64) for v in (
        case["Offsets"], [a + (n - 1) * s + 1 for a, n, s in zip(case["Offsets"], case["Sizes"], case["Strides"])],
        range(case["DimensionCount"]), case["Strides"]))]),
    "SLICE1": Node("Slice", inputs=window_inputs),
    "SPLIT": Node("Split", lambda case: {"axis": case["Axis"]}, lambda case: [whole(case), np.array(
        [t.sizes[case["Axis"]] for t in case.outputs], np.int64)]),
    "JOIN": Node("Concat", lambda case: {"axis": case["Axis"]}, lambda case: [np.broadcast_to(x, t.sizes) for x, t in zip(
        case.inputs.values(), case.tensors["InputTensors"])]),
    "TILE": Node("Tile", inputs=lambda case: [whole(case), np.array(case["Repeats"], np.int64)]),
    "SPACE_TO_DEPTH": Node("SpaceToDepth", lambda case: {"blocksize": case["BlockSize"]}, lambda case: [whole(case)]),
    "DEPTH_TO_SPACE": Node("DepthToSpace", lambda case: {"blocksize": case["BlockSize"]}, lambda case: [whole(case)]),
    "DEPTH_TO_SPACE1": Node("DepthToSpace", lambda case: {
        "blocksize": case["BlockSize"], "mode": "DCR" if case["Order"] == "DEPTH_COLUMN_ROW" else "CRD"},
        lambda case: [whole(case)]),
    "CAST": Node("Cast", lambda case: {"to": helper.np_dtype_to_tensor_dtype(DTYPES[case.output.type])}),
    "BATCH_NORMALIZATION": Node("BatchNormalization", attributes_of(epsilon="Epsilon"), batch_inputs),
    "PADDING": Node("Pad", pad_attributes, pad_inputs),
    "PADDING1": Node("Pad", pad_attributes, pad_inputs),
    "NONZERO_COORDINATES": Node("NonZero", inputs=lambda case: [np.broadcast_to(case.first, case.tensors["InputTensor"].sizes)]),
    "ACTIVATION_ELU": Node("Elu", attributes_of(alpha="Alpha")),
    "ACTIVATION_CELU": Node("Celu", attributes_of(alpha="Alpha")),
    "ACTIVATION_SCALED_ELU": Node("Selu", attributes_of(alpha="Alpha", gamma="Gamma")),
    "ACTIVATION_HARD_SIGMOID": Node("HardSigmoid", attributes_of(alpha="Alpha", beta="Beta")),
    "ACTIVATION_LEAKY_RELU": Node("LeakyRelu", attributes_of(alpha="Alpha")),
    "ACTIVATION_PARAMETERIZED_RELU": Node("PRelu", inputs=prelu_inputs),
    "ACTIVATION_SHRINK": Node("Shrink", attributes_of(bias="Bias", lambd="Threshold")),
    "ACTIVATION_SOFTPLUS": Node("Softplus", only("Steepness", 1.0)),
    "ACTIVATION_THRESHOLDED_RELU": Node("ThresholdedRelu", attributes_of(alpha="Alpha")),
}
sessions = {}


def session_of(node, attributes, inputs, outputs):
    """A model of one node; NotImplemented where the runtime refuses it, which is remembered."""
    types = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in inputs]
    key = node.name, str(sorted(attributes.items())), tuple(types), tuple(x.ndim for x in inputs), outputs
    if key not in sessions:
        if len(sessions) > 500:
            sessions.clear()
        names = [f"x{i}" for i in range(len(inputs))]
        results_ = [f"y{i}" for i in range(outputs)]
        values = [helper.make_tensor_value_info(name, type_, [None] * x.ndim)
                  for name, type_, x in zip(names, types, inputs)]
        output = [onnx.ValueInfoProto(name=name) for name in results_]
        graph = helper.make_graph([helper.make_node(node.name, names, results_, **attributes)], "g", values, output)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            sessions[key] = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception:  # the runtime's own classes, several for "no kernel for this type"
            sessions[key] = None
    return sessions[key]


def version():
    return onnxruntime.__version__


def results(case):
    """A list of arrays, or None."""
    node = PEER.get(case.operator.name) or PEER.get((case.operator.name, case.attributes.get("Direction")))
    if node is None or case.attributes.get("FusedActivation"):
        return None
    try:
        inputs, attributes = [np.asarray(x, order="C") for x in node.inputs(case)], node.attributes(case)
    except (NotImplementedError, KeyError, OverflowError):
        return None
    has_several = case.operator.name in ("SPLIT", "TOP_K", "TOP_K1", "DYNAMIC_QUANTIZE_LINEAR", "MAX_POOLING1", "MAX_POOLING2",
                                          "RNN", "GRU", "LSTM")
    session = session_of(node, attributes, inputs, len(case.outputs) if has_several else 1)
    if session is None:
        return None
    try:
        outs = session.run(None, {f"x{i}": x for i, x in enumerate(inputs)})
        out = outs[0]
    except Exception:  # refused as it runs: division by zero, for one
        return None
    if case.operator.name == "NONZERO_COORDINATES":
        return [np.array([out.shape[1]], np.uint32), out.T.astype(np.uint32)]
    if case.operator.name.startswith("GATHER"):
        return [out.reshape(case.output.sizes)]  # ours may have ones before
    if case.operator.name in ("DYNAMIC_QUANTIZE_LINEAR", "RNN", "GRU", "LSTM"):
        return [y.reshape(tensor.sizes) for y, tensor in zip(outs, case.outputs)]
    if node.output:
        return [node.output(case, out)]
    return outs
