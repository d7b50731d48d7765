"""What ONNX Runtime says, on the CPU. A node that it has no kernel for is not compared."""
import numpy as np
import onnx
import onnxruntime
from onnx import helper

from .definitions import divisor, full, rows_of_indices, scaled, whole
from .library import DTYPES

OPSET, IR = 21, 10
onnxruntime.set_default_logger_severity(4)


class Node:
    """An ONNX operator with its attributes, and how a case's inputs become its own."""

    def __init__(self, name, attributes=None, inputs=None):
        self.name, self.attributes = name, attributes or (lambda case: {})
        self.inputs = inputs or default_inputs


def default_inputs(case):
    names = list(case.inputs)
    first = scaled(case, names[0]) if case.attributes.get("ScaleBias") else case.first
    return [first, *[case.inputs[name] for name in names[1:]]]


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
    x, mean, variance, scale, bias = (case.inputs[name + "Tensor"] for name in ("Input", "Mean", "Variance", "Scale", "Bias"))
    if case.attributes.get("FusedActivation") or any(v.shape[d] != 1 for v in (mean, variance, scale, bias)
                                                     for d in range(v.ndim) if d != 1):
        raise NotImplementedError
    channels = case.output.sizes[1]
    flat = [np.broadcast_to(v.reshape(-1), [channels]) for v in (scale, bias, mean, variance)]
    return [np.broadcast_to(x, case.output.sizes), *flat]


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


PEER = {
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
    key = node.name, tuple(sorted(attributes.items())), tuple(types), tuple(x.ndim for x in inputs), outputs
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
    node = PEER.get(case.operator.name)
    if node is None or case.attributes.get("FusedActivation"):
        return None
    try:
        inputs, attributes = [np.asarray(x, order="C") for x in node.inputs(case)], node.attributes(case)
    except (NotImplementedError, KeyError, OverflowError):
        return None
    has_several = case.operator.name in ("SPLIT", "TOP_K", "TOP_K1")
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
    return outs
