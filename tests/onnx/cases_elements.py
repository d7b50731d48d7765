"""Cases of operators that go element by element, as node_tests.py writes those of ONNX: corners and forms that its own
tests leave out. What is expected is said here, or is what ONNX Runtime computes on the CPU.

cases_elements.py FOLDER"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FLOAT_CORNERS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.25, -7.75, 20.0, -20.0, 88.0, -88.0, 1e-30, -1e-30]
INFINITE = [np.inf, -np.inf]
MICROSOFT = "com.microsoft"


def floats(kind=np.float32, corners=True, infinite=False, nan=False, scale=3.0, count=23, seed=1):
    values = list(np.random.default_rng(seed).normal(0, scale, count))
    values += FLOAT_CORNERS if corners else []
    values += INFINITE if infinite else []
    values += [np.nan] if nan else []
    return np.array(values).astype(kind)


def integers(kind, seed=2, shape=(3, 7), least=None, most=None):
    limits = np.iinfo(kind)
    least, most = limits.min if least is None else least, limits.max if most is None else most
    values = np.random.default_rng(seed).integers(least, most, shape, dtype=kind, endpoint=True)
    values.flat[0], values.flat[1] = least, most
    return values


class Cases:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0

    def add(self, name, op, inputs, opset, outputs=None, domain="", constants=(), output_count=1, **attributes):
        """A node of one operator. Inputs of the numbers in `constants` are initializers; None is absent."""
        names = ["" if value is None else f"x{i}" for i, value in enumerate(inputs)]
        results = [f"y{i}" for i in range(output_count)]
        node = helper.make_node(op, names, results, domain=domain, **attributes)
        fed = [i for i, value in enumerate(inputs) if value is not None and i not in constants]

        def type_of(value):
            return helper.np_dtype_to_tensor_dtype(value.dtype)

        graph = helper.make_graph(
            [node], name,
            [helper.make_tensor_value_info(names[i], type_of(inputs[i]), inputs[i].shape) for i in fed],
            [onnx.ValueInfoProto(name=result) for result in results],
            [numpy_helper.from_array(inputs[i], names[i]) for i in constants])
        opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        if outputs is None:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            outputs = session.run(None, {names[i]: inputs[i] for i in fed})
        folder = self.folder / f"elements_{name}"
        (folder / "test_data_set_0").mkdir(parents=True, exist_ok=True)
        for value, output in zip(model.graph.output, outputs):
            value.CopyFrom(helper.make_tensor_value_info(value.name, type_of(output), output.shape))
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        for kind, tensors in (("input", [inputs[i] for i in fed]), ("output", outputs)):
            for i, tensor in enumerate(tensors):
                proto = numpy_helper.from_array(np.asarray(tensor), f"{kind}_{i}")
                (folder / "test_data_set_0" / f"{kind}_{i}.pb").write_bytes(proto.SerializeToString())
        self.count += 1


def functions(cases):
    wide = floats(infinite=True, nan=True)
    unit = np.array([-1, -0.75, -0.0, 0.0, 1e-20, 0.5, 0.999, 1, 2, -2, np.nan], np.float32)
    for op in ("Sqrt", "Exp", "Log", "Erf", "Reciprocal", "Floor", "Ceil", "Round", "Abs", "Neg", "Sin", "Cos", "Tan",
               "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Sigmoid", "Softplus", "Softsign", "Elu", "Selu"):
        cases.add(op.lower(), op, [wide], 15)
    for op in ("Asin", "Acos", "Atanh"):
        cases.add(op.lower(), op, [unit], 15)
    for op in ("Sqrt", "Floor", "Ceil", "Round", "Abs", "Neg", "Sigmoid", "Tanh", "Relu"):
        cases.add(f"{op.lower()}_half", op, [floats(np.float16)], 15)
    for kind in (np.int8, np.int32, np.int64, np.uint8, np.uint64):
        cases.add(f"abs_{kind.__name__}", "Abs", [integers(kind)], 13)
        cases.add(f"sign_{kind.__name__}", "Sign", [integers(kind)], 13)
    for kind in (np.float32, np.float16):  # ONNX Runtime's FLOAT16 gives 0 of NaN
        x = floats(kind, infinite=True, nan=True)
        cases.add("sign" if kind is np.float32 else "sign_half", "Sign", [x], 13, [np.sign(x)])
    for kind in (np.int8, np.int32, np.int64):
        cases.add(f"neg_{kind.__name__}", "Neg", [integers(kind)], 13)
    double = floats(np.float64, infinite=True, nan=True)
    cases.add("abs_double", "Abs", [double], 13)
    cases.add("neg_double", "Neg", [double], 13)
    cases.add("sqrt_scalar", "Sqrt", [np.array(2, np.float32)], 13)
    cases.add("exp_empty", "Exp", [np.zeros((3, 0, 2), np.float32)], 13)


def arithmetic(cases):
    a, b = integers(np.int32, 3, (4, 5), -50, 50), integers(np.int32, 4, (5,), 1, 7)
    for op in ("Add", "Sub", "Mul", "Div"):
        cases.add(f"{op.lower()}_int32", op, [a, -b], 14)
        cases.add(f"{op.lower()}_half", op, [floats(np.float16, False), np.array([2.5], np.float16)], 14)
        cases.add(f"{op.lower()}_scalars", op, [np.array(7, np.float32), np.array(2, np.float32)], 14)
        cases.add(f"{op.lower()}_empty", op, [np.zeros((2, 0), np.float32), np.ones((3, 1, 1), np.float32)], 14)
    for kind in (np.int8, np.int16, np.int32, np.int64):
        x, y = integers(kind, 5, (6, 6), -100, 100), integers(kind, 6, (6,), 1, 9)
        cases.add(f"mod_{kind.__name__}", "Mod", [x, -y], 13)
        cases.add(f"fmod_{kind.__name__}", "Mod", [x, -y], 13, fmod=1)
        cases.add(f"div_{kind.__name__}_truncated", "Div", [x, -y], 14, [(x / -y.astype(np.float64)).astype(kind)])
    cases.add("fmod", "Mod", [floats(), np.array([0.75], np.float32)], 13, fmod=1)
    x, y = floats(corners=False), floats(corners=False, seed=9)
    for op in ("Min", "Max", "Sum", "Mean"):
        cases.add(f"{op.lower()}_three", op, [x, y[:1], np.array(0.5, np.float32)], 13)
        cases.add(f"{op.lower()}_half", op, [x.astype(np.float16), y.astype(np.float16)], 13)
    nans = np.array([np.nan, 1, -1, np.nan], np.float32)
    for op in ("Min", "Max"):
        cases.add(f"{op.lower()}_nan", op, [nans, np.array([0, np.nan, 0, 0], np.float32)], 13,
                  [np.array([np.nan, np.nan, -1 if op == "Min" else 0, np.nan], np.float32)])


def broadcasting_of_old(cases):
    """Below version 7."""
    a = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    b = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    for op, result in (("Add", a + b[..., None]), ("Sub", a - b[..., None]), ("Mul", a * b[..., None]),
                       ("Div", a / b[..., None]), ("Less", a < b[..., None])):
        cases.add(f"old_{op.lower()}", op, [a, b], 6, [result], broadcast=1, axis=1)
    one = np.array([[4]], np.float32)
    cases.add("old_one", "Add", [b, one], 6, [b + 4], broadcast=1, axis=1)
    cases.add("old_suffix", "Add", [a, b[0, :1].reshape(1, 1)], 6, [a + b[0, 0]], broadcast=1)
    cases.add("old_end", "Greater", [a, a[0, 0]], 6, [a > a[0, 0]], broadcast=1)
    cases.add("old_equal_sizes", "Mul", [a, a], 6, [a * a])
    cases.add("old_first", "Pow", [b, np.array([2, 3, 0], np.float32)], 6,
              [b ** np.array([[2], [3], [0]], np.float32)], broadcast=1, axis=0)


def powers(cases):
    base = np.array([-3, -2, -1, 0, 1, 2, 3, 7], np.int64)
    for kind in (np.int32, np.int64):
        x = base.astype(kind)[:, None]
        for name, exponent in (("int32", np.arange(0, 6, dtype=np.int32)), ("int64", np.arange(0, 9, dtype=np.int64)),
                               ("uint8", np.arange(0, 7, dtype=np.uint8))):
            cases.add(f"pow_{kind.__name__}_{name}", "Pow", [x, exponent], 15,
                      [(x.astype(np.int64) ** exponent.astype(np.int64)).astype(kind)])
        cases.add(f"pow_{kind.__name__}_whole", "Pow", [x, np.array([0, 2, 3], np.float32)], 15,
                  [(x.astype(np.int64) ** np.array([0, 2, 3])).astype(kind)], constants=[1])
        units = np.array([1, -1, -1, 2, -5], kind)
        cases.add(f"pow_{kind.__name__}_negative", "Pow", [units, np.array([-3, -3, -4, -1, -2], np.int64)], 15,
                  [np.array([1, -1, 1, 0, 0], kind)])
        cases.add(f"pow_{kind.__name__}_parity", "Pow", [units[:3], np.array([2**40, 2**40 + 1, 2**40], np.int64)], 15,
                  [np.array([1, -1, 1], kind)])
    cases.add("pow_int64_wide", "Pow", [np.array([2, -2, 3, 10], np.int64), np.array([62, 63, 39, 18], np.int64)], 15,
              [np.array([2**62, -2**63, 3**39, 10**18], np.int64)])
    x = np.array([-2, -1.5, -0.0, 0.0, 0.5, 2, 3.7, np.inf], np.float32)[:, None]
    cases.add("pow_float_int64", "Pow", [x, np.array([0, 1, 2, 3, -2, 2**40], np.int64)], 15)
    cases.add("pow_float_double", "Pow", [x, np.array([2, 0.5], np.float64)], 15, constants=[1])
    cases.add("pow_float", "Pow", [x, np.array([0, 1, 2, 0.5, -2, 3], np.float32)], 15)
    exponents = np.array([0, 1, 2, 3], np.int32)
    cases.add("pow_half_int32", "Pow", [x.astype(np.float16), exponents], 15,
              [(x.astype(np.float64) ** exponents).astype(np.float16)])


def clips(cases):
    x = floats(nan=True)
    low, high = np.array(-1.5, np.float32), np.array(2, np.float32)
    for name, bounds in (("both", [low, high]), ("min", [low]), ("max", [None, high]), ("turned", [high, low])):
        known = [i + 1 for i, bound in enumerate(bounds) if bound is not None]
        cases.add(f"clip_{name}", "Clip", [x, *bounds], 13)
        cases.add(f"clip_{name}_known", "Clip", [x, *bounds], 13, constants=known)
    nothing = np.array(np.nan, np.float32)
    cases.add("clip_nan_min_known", "Clip", [x, nothing, high], 13, constants=[1, 2])
    cases.add("clip_nan_max_known", "Clip", [x, low, nothing], 13, constants=[1, 2])
    cases.add("clip_none", "Clip", [x], 13)
    cases.add("clip_half", "Clip", [x.astype(np.float16), low.astype(np.float16)], 13, constants=[1])
    for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
        data = integers(kind)
        cases.add(f"clip_{kind.__name__}", "Clip", [data, np.array(3, kind), np.array(100, kind)], 13)
        cases.add(f"clip_{kind.__name__}_known", "Clip", [data, np.array(3, kind), np.array(100, kind)], 13,
                  constants=[1, 2])
        cases.add(f"clip_{kind.__name__}_max", "Clip", [data, None, np.array(100, kind)], 13, constants=[2])
    double = floats(np.float64, nan=True)
    cases.add("clip_double", "Clip", [double, np.array(-1.5), np.array(2.0)], 13)
    cases.add("clip_double_max", "Clip", [double, None, np.array(2.0)], 13, constants=[2])
    cases.add("clip_old", "Clip", [x], 6, min=-1.25, max=3.0)
    cases.add("clip_old_max", "Clip", [x], 6, max=3.0)


def logic(cases):
    corners = np.array([np.nan, 1, -1, 0, -0.0, np.inf], np.float32)
    for op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        cases.add(f"{op.lower()}_corners", op, [corners[:, None], corners], 16)
        cases.add(f"{op.lower()}_half", op, [corners[:, None].astype(np.float16), corners.astype(np.float16)], 16,
                  [getattr(np, {"Equal": "equal", "Greater": "greater", "Less": "less",
                                "GreaterOrEqual": "greater_equal", "LessOrEqual": "less_equal"}[op])(
                      corners[:, None], corners)])
    double = np.array([np.nan, 1, np.nextafter(1, 2), -1, -1e-310, 1e-310, 0, -0.0, np.inf, -np.inf])
    for op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
        cases.add(f"{op.lower()}_double", op, [double[:, None], double], 16)
    cases.add("min_double", "Min", [double[:, None], double], 13, [np.minimum(double[:, None], double)])
    cases.add("max_double", "Max", [double[:, None], double], 13, [np.maximum(double[:, None], double)])
    cases.add("relu_double", "Relu", [double], 14, [np.maximum(double, 0)])
    cases.add("equal_bool", "Equal", [np.array([True, False]), np.array([[True], [False]])], 13)
    cases.add("greater_empty", "Greater", [np.zeros((0, 3), np.float32), np.zeros(3, np.float32)], 13)
    for kind in (np.float32, np.float64):
        x = floats(kind, infinite=True, nan=True)
        cases.add(f"isnan_{kind.__name__}", "IsNaN", [x], 13)
        for negative in (0, 1):
            for positive in (0, 1):
                cases.add(f"isinf_{kind.__name__}_{negative}{positive}", "IsInf", [x], 10, detect_negative=negative,
                          detect_positive=positive)
    condition = np.array([True, False, True])
    for kind in (np.float32, np.float64, np.float16, np.int64, np.uint8, np.bool_):
        a, b = np.array([[1], [0]]).astype(kind), np.array([0, 5, 1]).astype(kind)
        cases.add(f"where_{kind.__name__}", "Where", [condition, a, b], 16, [np.where(condition, a, b)])


def casts(cases):
    kinds = (np.float32, np.float16, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32,
             np.uint64, np.bool_)
    values = np.array([0, 1, 2, 2.75, 100.5, 127])
    for source in kinds:
        for target in kinds:
            x = values.astype(source)
            cases.add(f"cast_{source.__name__}_{target.__name__}", "Cast", [x], 13, [x.astype(target)],
                      to=helper.np_dtype_to_tensor_dtype(np.dtype(target)))
    corners = np.array([0.0, -0.0, 0.25, np.nan, np.inf, 1e-40])
    for kind in (np.float32, np.float64):
        cases.add(f"cast_truth_{kind.__name__}", "Cast", [corners.astype(kind)], 13, to=TensorProto.BOOL)
    for kind in (np.int8, np.uint8, np.int16):
        x = np.array([-129, 200, 70000, -1], np.int32)
        cases.add(f"cast_wrap_{kind.__name__}", "Cast", [x], 13, [x.astype(kind)],
                  to=helper.np_dtype_to_tensor_dtype(np.dtype(kind)))
    cases.add("cast_negative", "Cast", [np.array([-2.75, -0.5, 2.5], np.float32)], 13, to=TensorProto.INT32)
    cases.add("cast_named", "Cast", [np.array([1.5, -3.5], np.float32)], 5, [np.array([1, -3], np.int64)], to="INT64")


def shifts(cases):
    for kind in (np.uint8, np.uint16, np.uint32, np.uint64):
        if kind == np.uint16:
            continue
        x = integers(kind, 8, (2, 4))
        for direction in ("LEFT", "RIGHT"):
            cases.add(f"bitshift_{direction.lower()}_{kind.__name__}", "BitShift",
                      [x, np.array([0, 1, 3, 7], kind)], 11, direction=direction)


def activations(cases):
    x = floats(infinite=False)
    for op, attributes, opset in (("LeakyRelu", {"alpha": 0.3}, 16), ("Elu", {"alpha": 2.0}, 6),
                                  ("Selu", {"alpha": 1.5, "gamma": 2.0}, 6), ("Celu", {"alpha": 0.5}, 12),
                                  ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}, 6), ("HardSwish", {}, 14),
                                  ("Mish", {}, 18), ("ThresholdedRelu", {"alpha": 0.7}, 10),
                                  ("Shrink", {"bias": 0.25, "lambd": 1.25}, 9), ("Gelu", {}, 20),
                                  ("Gelu", {"approximate": "tanh"}, 20)):
        name = f"{op.lower()}{'_tanh' if 'approximate' in attributes else ''}_attributes"
        cases.add(name, op, [x], opset, **attributes)
    for op, opset in (("Elu", 6), ("HardSwish", 14), ("Mish", 18), ("Gelu", 20), ("Softplus", 1)):
        half = floats(np.float16, scale=1)
        wide = onnxruntime_alone(op, half.astype(np.float32), opset)
        cases.add(f"{op.lower()}_half", op, [half], opset, [wide.astype(np.float16)])
    for kind in (np.int8, np.int16, np.int32, np.int64):
        data = integers(kind)
        cases.add(f"relu_{kind.__name__}", "Relu", [data], 14, [np.maximum(data, 0)])
    small = integers(np.int32, 11, (3, 5), -6, 6)
    cases.add("shrink_int32", "Shrink", [small], 9, bias=1.0, lambd=2.5)
    slope = np.array([[2], [3], [-1]], np.int64)
    for kind in (np.int32, np.int64):
        data = small.astype(kind)
        cases.add(f"prelu_{kind.__name__}", "PRelu", [data, slope.astype(kind)], 16,
                  [np.where(data < 0, data * slope.astype(kind), data)])
    data = np.random.default_rng(12).normal(size=(2, 3, 4)).astype(np.float32)
    channel = np.array([0.5, -2, 3], np.float32)
    cases.add("prelu_old", "PRelu", [data, channel], 6, [np.where(data < 0, data * channel[:, None], data)])
    cases.add("prelu_one", "PRelu", [data, channel[:1]], 6, [np.where(data < 0, data * channel[0], data)])
    tanh = (1.5 * np.tanh(0.7 * x.astype(np.float64))).astype(np.float32)
    cases.add("scaledtanh", "ScaledTanh", [x], 1, [tanh], alpha=1.5, beta=0.7)
    softplus = (1.5 * np.logaddexp(0, 0.7 * x.astype(np.float64))).astype(np.float32)
    cases.add("parametricsoftplus", "ParametricSoftplus", [x], 1, [softplus], alpha=1.5, beta=0.7)
    cases.add("affine", "Affine", [x], 1, [1.5 * x + np.float32(0.25)], alpha=1.5, beta=0.25)
    image = np.random.default_rng(13).normal(size=(2, 5, 3, 2)).astype(np.float32)
    bias = np.array([1, 2, 3, 4, 5], np.float32)
    cases.add("imagescaler", "ImageScaler", [image], 1, [image * np.float32(0.5) + bias[:, None, None]], scale=0.5,
              bias=bias.tolist())


def onnxruntime_alone(op, x, opset):
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"])], op,
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, x.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def by_sigmoid(x, inner):
    """ONNX Runtime's own sums cancel below 0."""
    return (x / (1 + np.exp(-inner.astype(np.float64)))).astype(np.float32)


def biases(cases):
    generator = np.random.default_rng(14)
    x = generator.normal(0, 3, (2, 3, 8)).astype(np.float32)
    bias, skip = generator.normal(size=8).astype(np.float32), generator.normal(size=(2, 3, 8)).astype(np.float32)
    cases.add("microsoft_gelu", "Gelu", [x], 13, domain=MICROSOFT)
    for alpha, attributes in ((1.5, {"alpha": 1.5}), (1.702, {})):
        cases.add(f"quickgelu_{alpha}", "QuickGelu", [x], 13, [by_sigmoid(x, alpha * x)], domain=MICROSOFT,
                  **attributes)
    for name, inputs in (("fastgelu", [x]), ("fastgelu_bias", [x, bias])):
        y = sum(inputs)
        inner = np.sqrt(8 / np.pi) * (y + 0.044715 * y.astype(np.float64) ** 3)
        cases.add(name, "FastGelu", inputs, 13, [by_sigmoid(y, inner)], domain=MICROSOFT)
    cases.add("biasgelu", "BiasGelu", [x, bias], 13, domain=MICROSOFT)
    cases.add("biasadd", "BiasAdd", [x, bias, skip], 13, [x + bias + skip], domain=MICROSOFT)
    total = x + bias
    gelu = onnxruntime_alone("Gelu", np.ascontiguousarray(total[..., 4:]), 20)
    cases.add("biassplitgelu", "BiasSplitGelu", [x, bias], 13, [total[..., :4] * gelu], domain=MICROSOFT)


def dropouts(cases):
    x = floats(corners=False)
    everything = np.ones(x.shape, bool)
    cases.add("dropout", "Dropout", [x, np.array(0.5, np.float32)], 13, output_count=2)
    cases.add("dropout_inference", "Dropout", [x, np.array(0.5, np.float32), np.array(False)], 13, [x, everything],
              constants=[1, 2], output_count=2)
    cases.add("dropout_7", "Dropout", [x], 7, [x, np.ones_like(x)], output_count=2)
    cases.add("dropout_6", "Dropout", [x], 6, [x], is_test=1)


def main(folder):
    onnxruntime.set_default_logger_severity(3)
    cases = Cases(folder)
    for family in (functions, arithmetic, broadcasting_of_old, powers, clips, logic, casts, shifts, activations, biases,
                   dropouts):
        family(cases)
    print(f"{cases.count} cases")


if __name__ == "__main__":
    main(sys.argv[1])
