"""The operations of tensorflow_operations.py: a name of TensorFlow, its inputs in the order of its definition, its attributes."""
import dataclasses
import typing

import numpy as np


@dataclasses.dataclass
class Data:
    """Random values, even in [low, high]. `kind` is a type's name; None stands for the type under test."""
    shape: tuple
    low: float = -2.0
    high: float = 2.0
    kind: typing.Optional[str] = None
    variable: bool = False

    def make(self, random, kind, _index, _made):
        kind = self.kind or kind
        if kind == "bool":
            return random.randint(0, 2, self.shape).astype(bool)
        values = random.uniform(self.low, self.high, self.shape)
        if kind.startswith("float"):
            return values.astype(kind)
        values = np.rint(values * 4)
        return (np.abs(values) if kind.startswith("uint") else values).astype(kind)


@dataclasses.dataclass
class Fixed:
    """These values; `kind` "index" stands for the type of indices under test."""
    values: object
    kind: typing.Optional[str] = None

    def make(self, _random, kind, index, _made):
        return np.array(self.values).astype({None: kind, "index": index}.get(self.kind, self.kind))


@dataclasses.dataclass
class Computed:
    """A result of another operation, computed by the CPU from the arrays made so far."""
    function: typing.Callable

    def make(self, _random, _kind, _index, made):
        return self.function(made)


@dataclasses.dataclass
class Case:
    op: str
    inputs: list
    attrs: dict = dataclasses.field(default_factory=dict)
    outputs: typing.Optional[int] = None  # compares only so many results: the others are private to a device
    random: bool = False                  # compares mean and deviation
    graph: bool = False                   # run by a session: references, and operations without a function in tf.raw_ops
    nchw: bool = False                    # the CPU has no NCHW: it computes NHWC of transposed images
    kinds: typing.Optional[tuple] = None  # of those that the plugin has
    tolerance: float = 1.0
    sample: str = ""                      # what is special about it; KNOWN names it


def D(*shape):
    return Data(shape)


def P(*shape):
    return Data(shape, 0.25, 2.0)


def U(*shape):
    return Data(shape, -0.9, 0.9)


def V(*shape):
    return Data(shape, 0.25, 2.0, variable=True)


def F(*shape):
    return Data(shape, -2.0, 2.0, "float32")


def FP(*shape):
    return Data(shape, 0.25, 2.0, "float32")


def B(*shape):
    return Data(shape, kind="bool")


def X(values):
    return Fixed(values, "index")


def I32(values):
    return Fixed(values, "int32")


def I64(values):
    return Fixed(values, "int64")


def C(values):
    return Fixed(values)


def cpu(op, count, attrs, result=0, chosen=None):
    """The result of an operation on the first `count` (or the chosen) arrays."""
    def compute(made):
        import tensorflow as tf
        from tensorflow.python.framework import op_def_registry
        names = [argument.name for argument in op_def_registry.get(op).input_arg]
        arrays = [made[i] for i in chosen] if chosen else made[:count]
        kind = arrays[0].dtype
        wide = np.float32 if kind == np.float16 else kind  # the CPU lacks some kernels of FLOAT16
        with tf.device("/CPU:0"):
            given = [tf.constant(array.astype(wide) if array.dtype == kind else array) for array in arrays]
            found = getattr(tf.raw_ops, op)(**dict(zip(names, given)), **attrs)
        found = (found[result] if isinstance(found, (list, tuple)) else found).numpy()
        return found.astype(kind) if found.dtype == wide else found
    return Computed(compute)


def unary():
    any_value = "Abs Ceil Cos Elu Erf Erfc Exp Expm1 Floor IsFinite IsInf IsNan LeakyRelu Neg OnesLike Relu Relu6 Rint Round Selu " \
        "Sigmoid Sign Sin Softplus Softsign Square Tanh ZerosLike Identity Snapshot DeepCopy Cosh Sinh Asinh Atan Softmax " \
        "LogSoftmax L2Loss Invert PopulationCount StopGradient PreventGradient DebugGradientIdentity".split()
    return ([Case(op, [D(3, 5)]) for op in any_value] +
            [Case(op, [P(3, 5)]) for op in "Inv Reciprocal Log Log1p Rsqrt Sqrt".split()] +
            [Case(op, [U(3, 5)]) for op in "Acos Asin Atanh Tan".split()] +
            [Case("Acosh", [Data((3, 5), 1.1, 3.0)]), Case("CheckNumerics", [D(3, 5)], {"message": "bad"}),
             Case("Abs", [D(2, 3, 4, 5, 2, 2)]), Case("Relu", [D(100003)]), Case("Softmax", [D(7, 1000)]),
             Case("LeakyRelu", [D(4, 4)], {"alpha": 0.1})] +
            [Case(op, [D(0, 3)]) for op in "Abs Relu Softmax".split()])


def binary():
    cases = []
    for op in "Add AddV2 Sub Mul Maximum Minimum SquaredDifference Equal NotEqual Greater GreaterEqual Less LessEqual " \
            "BitwiseAnd BitwiseOr BitwiseXor MulNoNan".split():
        cases.append(Case(op, [D(3, 1, 5), D(2, 5)]))
    cases += [Case("LogicalAnd", [B(3, 1, 5), B(2, 5)]), Case("LogicalOr", [B(3, 1, 5), B(2, 5)]), Case("LogicalNot", [B(3, 5)])]
    cases += [Case("Add", [D(4, 5), D()]), Case("Mul", [D(2, 3, 4, 5), D(1, 3, 1, 1)]), Case("Equal", [C([1, 2, 3]), C([1, 0, 3])]),
              Case("ApproximateEqual", [C([1, 2, 3]), C([1, 0, 3])], {"tolerance": 0.5}),
              Case("AddN", [[D(3, 4), D(3, 4), D(3, 4)]]), Case("Atan2", [D(3, 5), P(3, 5)]),
              Case("Pow", [P(3, 5), Data((3, 5), 0.0, 2.0)], tolerance=4)]
    for op in "Div RealDiv DivNoNan FloorDiv FloorMod Mod TruncateDiv TruncateMod Xdivy Xlogy".split():
        cases.append(Case(op, [D(3, 5), P(3, 5)]))
    for op in "EluGrad ReluGrad Relu6Grad LeakyReluGrad SeluGrad SoftplusGrad SoftsignGrad SigmoidGrad TanhGrad InvGrad " \
            "ReciprocalGrad".split():
        cases.append(Case(op, [D(3, 5), D(3, 5)]))
    cases += [Case(op, [P(3, 5), P(3, 5)]) for op in ("SqrtGrad", "RsqrtGrad")]
    shifts = {"x": [[1, 2, 3, 64]], "n": [[0, 1, 3, 1]]}
    cases += [Case(op, [C(shifts["x"]), C(shifts["n"])]) for op in ("LeftShift", "RightShift")]
    cases += [Case("ClipByValue", [D(3, 5), C(0), C(1)]), Case("Cross", [D(4, 3), D(4, 3)]),
              Case("Select", [B(3, 5), D(3, 5), D(3, 5)]), Case("Select", [B(3), D(3, 5), D(3, 5)]),
              Case("SelectV2", [B(3, 1), D(3, 5), D(5)])]
    return cases


def matrices():
    cases = [Case("MatMul", [D(5, 7), D(7, 3)]), Case("MatMul", [D(7, 5), D(3, 7)], {"transpose_a": True, "transpose_b": True}),
             Case("MatMul", [D(130, 70), D(70, 90)], tolerance=4),
             Case("BatchMatMul", [D(2, 5, 7), D(2, 7, 3)]), Case("BatchMatMulV2", [D(2, 1, 5, 7), D(3, 7, 4)]),
             Case("BatchMatMulV2", [D(2, 7, 5), D(2, 7, 4)], {"adj_x": True}),
             Case("Einsum", [[D(3, 4), D(4, 5)]], {"equation": "ij,jk->ik"}),
             Case("_FusedMatMul", [D(5, 7), D(7, 3), [D(3)]], {"fused_ops": ["BiasAdd", "Relu"]}, graph=True),
             Case("Diag", [D(4)]), Case("DiagPart", [D(4, 4)])]
    cases += [Case(op, [D(2, 3)]) for op in ("MatrixDiag",)]
    cases += [Case(op, [D(2, 3, 4)]) for op in ("MatrixDiagPart",)]
    cases += [Case(op, [D(2, 4, 5), I64(1), I64(-1)]) for op in ("MatrixBandPart",)]
    cases += [Case(op, [D(2, 3, 4), D(2, 3)]) for op in ("MatrixSetDiag",)]
    cases += [Case(op, [D(2, 3), I32(1), I32(-1), I32(-1), C(0)]) for op in ("MatrixDiagV2", "MatrixDiagV3")]
    cases += [Case(op, [D(2, 4, 4), I32([-1, 1]), C(0)]) for op in ("MatrixDiagPartV2", "MatrixDiagPartV3")]
    cases += [Case("MatrixSetDiagV2", [D(2, 4, 4), D(2, 3), I32(1)]), Case("MatrixSetDiagV3", [D(2, 4, 4), D(2, 3), I32(1)])]
    cases += [Case(op, [D(3, 3)]) for op in ("MatrixInverse", "MatrixDeterminant", "Cholesky")]
    return cases


def reductions():
    cases = []
    for op in "All Any Sum Mean Max Min Prod EuclideanNorm".split():
        kind = Data((2, 3, 4), kind="bool") if op in ("All", "Any") else P(2, 3, 4)
        cases += [Case(op, [kind, X([1])]), Case(op, [kind, X([0, 2])], {"keep_dims": True}), Case(op, [kind, X([0, 1, 2])])]
    cases += [Case("Sum", [D(3, 5000), X([1])], tolerance=4), Case("Mean", [D(4, 9, 9, 3), X([0, 1, 2])])]
    cases += [Case(op, [D(3, 7), X(axis)], {"output_type": kind}) for op in ("ArgMax", "ArgMin") for axis in (0, 1)
              for kind in ("int32", "int64")]
    for op in ("Cumsum", "Cumprod"):
        cases += [Case(op, [P(3, 6), X(1)], {"exclusive": exclusive, "reverse": reverse}) for exclusive in (False, True)
                  for reverse in (False, True)]
    cases += [Case("TopKV2", [D(3, 30), I32(4)]), Case("InTopKV2", [F(4, 9), C([1, 2, 3, 8]), C(3)])]
    for op in ("UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"):
        cases.append(Case(op, [P(6, 3), X([0, 2, 2, 0, 1, 2]), I32(3)]))
    cases += [Case("SegmentSum", [P(6, 3), X([0, 0, 1, 1, 2, 2])]), Case("Bincount", [I32([1, 2, 1]), I32(4), C([1, 1, 1])])]
    return cases


def shapes():
    cases = [Case("BroadcastTo", [D(3, 1), X([2, 3, 4])]), Case("Concat", [I32(1), [D(2, 3), D(2, 4)]]),
             Case("ConcatV2", [[D(2, 3), D(2, 4), D(2, 1)], X(1)]), Case("ConcatV2", [[D(2, 3), D(1, 3)], X(0)]),
             Case("Pack", [[D(2, 3), D(2, 3)]], {"axis": 1}), Case("Unpack", [D(3, 4)], {"num": 4, "axis": 1}),
             Case("ParallelConcat", [[D(1, 3), D(1, 3)]], {"shape": (2, 3)}),
             Case("Split", [I32(1), D(2, 6)], {"num_split": 3}), Case("SplitV", [D(2, 6), X([1, 3, 2]), I32(1)], {"num_split": 3}),
             Case("Reshape", [D(2, 6), X([3, 4])]), Case("ExpandDims", [D(2, 6), X(1)]), Case("Squeeze", [D(2, 1, 6)]),
             Case("Transpose", [D(2, 3, 4), X([2, 0, 1])]), Case("Transpose", [D(2, 3, 4, 5), X([0, 3, 1, 2])]),
             Case("Tile", [D(2, 3), X([2, 3])]), Case("Slice", [D(4, 5), X([1, 2]), X([2, 3])]),
             Case("Reverse", [D(3, 4), Fixed([True, False], "bool")]), Case("ReverseV2", [D(3, 4), X([1])]),
             Case("ReverseSequence", [D(3, 4, 2), X([1, 4, 2])], {"seq_dim": 1, "batch_dim": 0}),
             Case("Roll", [D(3, 4), X([1, -2]), X([0, 1])]), Case("Bitcast", [D(3, 4)], {"type": "same"}),
             Case("Pad", [D(2, 3), X([[1, 0], [2, 1]])]), Case("PadV2", [D(2, 3), X([[1, 0], [2, 1]]), C(3)]),
             Case("Fill", [X([3, 4]), C(2)]), Case("Range", [C(1), C(9), C(2)]), Case("Empty", [I32([2, 3])], {"dtype": "kind", "init": True}),
             Case("PlaceholderWithDefault", [D(2, 3)], {"shape": (2, 3)}), Case("Where", [D(4, 5)], outputs=1),
             Case("Shape", [D(2, 3)]), Case("Rank", [D(2, 3)]), Case("Size", [D(2, 3)])]
    cases += [Case("MirrorPad", [D(4, 5), X([[1, 2], [2, 0]])], {"mode": mode}) for mode in ("REFLECT", "SYMMETRIC")]
    cases += [Case("MirrorPadGrad", [D(7, 7), X([[1, 2], [2, 0]])], {"mode": mode}) for mode in ("REFLECT", "SYMMETRIC")]
    begin, end, strides = X([0, 1, 0]), X([3, 5, 4]), X([1, 2, 1])
    cases += [Case("StridedSlice", [D(3, 5, 4), begin, end, strides]),
              Case("StridedSlice", [D(3, 5, 4), X([2, 4, 0]), X([0, 0, 4]), X([-1, -2, 1])], {"shrink_axis_mask": 4}),
              Case("StridedSliceGrad", [X([3, 5, 4]), begin, end, strides, D(3, 2, 4)]),
              Case("TensorStridedSliceUpdate", [D(3, 5, 4), begin, end, strides, D(3, 2, 4)]),
              Case("ResourceStridedSliceAssign", [V(3, 5, 4), begin, end, strides, P(3, 2, 4)])]
    cases += [Case("DataFormatDimMap", [C([0, 1, 2, 3])]), Case("DataFormatVecPermute", [C([1, 2, 3, 4])])]
    return cases


def indexing():
    spot = [[0, 1], [2, 0], [1, 1]]
    cases = [Case("Gather", [D(5, 3), X([4, 0, 2])]), Case("GatherV2", [D(3, 5, 2), X([[4, 0], [1, 1]]), I32(1)]),
             Case("GatherV2", [D(2, 5, 3), X([[4, 0], [1, 1]]), I32(1)], {"batch_dims": 1}), Case("GatherNd", [D(3, 2, 4), X(spot)]),
             Case("ScatterNd", [X(spot), D(3, 4), X([3, 2, 4])]), Case("ScatterNd", [X([[1], [1], [0]]), D(3, 4), X([3, 4])], sample="duplicates"),
             Case("ScatterNdNonAliasingAdd", [D(3, 2), X(spot), D(3)]), Case("TensorScatterUpdate", [D(3, 2), X(spot), D(3)]),
             Case("TensorScatterAdd", [D(3, 2), X(spot), D(3)]),
             Case("OneHot", [X([0, 2, 5]), I32(4), C(1), C(0)]), Case("OneHot", [X([[0, 2]]), I32(3), C(1), C(0)], {"axis": 0}),
             Case("DynamicStitch", [[I32([0, 2]), I32([1, 3])], [D(2, 3), D(2, 3)]]),
             Case("ParallelDynamicStitch", [[I32([0, 2]), I32([1, 3])], [D(2, 3), D(2, 3)]]),
             Case("ResourceGather", [V(5, 3), X([4, 0, 2])], {"dtype": "kind"}), Case("ResourceGatherNd", [V(3, 2), X(spot)], {"dtype": "kind"})]
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Update"):
        cases += [Case("ResourceScatter" + op, [V(5, 3), X([4, 0, 2]), P(3, 3)])]
    cases += [Case("ResourceScatter" + op, [V(5, 3), X([1, 1, 1]), P(3, 3)]) for op in ("Add", "Mul", "Max")]
    cases += [Case("ResourceScatterNd" + op, [V(3, 2), X(spot), P(3)]) for op in ("Add", "Sub", "Update")]
    cases += [Case(op, [D(4, 3), I32([1, 3]), D(2, 3)]) for op in ("InplaceAdd", "InplaceSub", "InplaceUpdate")]
    return cases


CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}
STRIDED = {"strides": [1, 2, 2, 1], "padding": "SAME"}
VALID = {"strides": [1, 2, 1, 1], "padding": "VALID"}
DILATED = {"strides": [1, 1, 1, 1], "padding": "VALID", "dilations": [1, 2, 2, 1]}


def convolutions():
    cases = []
    for attrs, size in ((CONV, (8, 7)), (STRIDED, (4, 4)), (VALID, (3, 5)), (DILATED, (4, 3))):
        image, weights, out = (2, 8, 7, 3), (3, 3, 3, 4), (2, *size, 4)
        cases += [Case("Conv2D", [D(*image), D(*weights)], attrs),
                  Case("Conv2DBackpropInput", [I32(image), D(*weights), D(*out)], attrs, tolerance=4),
                  Case("Conv2DBackpropFilter", [D(*image), I32(weights), D(*out)], attrs, tolerance=4)]
        square = dict(attrs, strides=[1, attrs["strides"][1]] * 2) if attrs is VALID else attrs
        square["strides"] = [1, attrs["strides"][1], attrs["strides"][1], 1]
        size = (3, 3) if attrs is VALID else size
        weights, out = (3, 3, 3, 2), (2, *size, 6)
        cases += [Case("DepthwiseConv2dNative", [D(*image), D(*weights)], square),
                  Case("DepthwiseConv2dNativeBackpropInput", [I32(image), D(*weights), D(*out)], square, tolerance=4),
                  Case("DepthwiseConv2dNativeBackpropFilter", [D(*image), I32(weights), D(*out)], square, tolerance=4,
                       sample="" if attrs is CONV else "dilated" if attrs is DILATED else "strided")]
    cases += [Case("Conv2D", [D(2, 3, 8, 7), D(3, 3, 3, 4)], dict(STRIDED, data_format="NCHW", strides=[1, 1, 2, 2]), nchw=True),
              Case("Conv2D", [D(2, 8, 7, 3), D(1, 1, 3, 16)], CONV),
              Case("Conv2D", [D(1, 9, 9, 4), D(3, 3, 2, 6)], CONV),
              Case("Conv2D", [D(1, 9, 9, 2), D(5, 5, 2, 3)], {"strides": [1, 1, 1, 1], "padding": "EXPLICIT",
                                                            "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]})]
    for activation in ([], ["Relu"], ["Relu6"], ["Elu"], ["LeakyRelu"]):
        cases.append(Case("_FusedConv2D", [D(2, 8, 7, 3), D(3, 3, 3, 4), [D(4)]], dict(CONV, fused_ops=["BiasAdd"] + activation), graph=True,
                          sample="".join(activation)))
    for strides, size in (([1] * 5, (4, 5, 6)), ([1, 2, 2, 2, 1], (2, 3, 3))):
        attrs = {"strides": strides, "padding": "SAME"}
        image, weights, out = (2, 4, 5, 6, 2), (3, 3, 3, 2, 3), (2, *size, 3)
        cases += [Case("Conv3D", [D(*image), D(*weights)], attrs, tolerance=4),
                  Case("Conv3DBackpropInputV2", [X(image), D(*weights), D(*out)], attrs, tolerance=4),
                  Case("Conv3DBackpropFilterV2", [D(*image), I32(weights), D(*out)], attrs, tolerance=4)]

    cases += [Case(op, [D(2, 4, 5, 3), D(3)]) for op in ("BiasAdd", "BiasAddV1")]
    cases += [Case("BiasAdd", [D(2, 3, 4, 5), D(3)], {"data_format": "NCHW"}, nchw=True), Case("BiasAddGrad", [D(2, 4, 5, 3)])]
    return cases


def pools():
    cases = []
    for padding, size in (("SAME", (4, 4)), ("VALID", (3, 3))):
        attrs = {"ksize": [1, 3, 3, 1] if padding == "VALID" else [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": padding}
        windows = [I32(attrs["ksize"]), I32(attrs["strides"])]
        image, out, depth = (2, 8, 7, 3), D(2, *size, 3), {"padding": padding, "ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1]}
        cases += [Case("MaxPool", [D(*image)], attrs), Case("AvgPool", [D(*image)], attrs),
                  Case("MaxPoolV2", [D(*image)] + windows, {"padding": padding}), Case("AvgPoolGrad", [I32(image), out], attrs),
                  Case("MaxPoolGrad", [D(*image), cpu("MaxPool", 1, attrs), out], attrs),
                  Case("MaxPoolGradV2", [D(*image), cpu("MaxPool", 1, attrs), out] + windows, {"padding": padding}),
                  Case("MaxPool3D", [D(1, 4, 4, 6, 2)], depth), Case("AvgPool3D", [D(1, 4, 4, 6, 2)], depth),
                  Case("AvgPool3DGrad", [I32([1, 4, 4, 6, 2]), D(1, 2, 2, 3, 2)], depth),
                  Case("MaxPool3DGrad", [D(1, 4, 4, 6, 2), cpu("MaxPool3D", 1, depth), D(1, 2, 2, 3, 2)], depth)]
    cases += [Case("MaxPool", [D(2, 3, 8, 7)], {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "padding": "VALID", "data_format": "NCHW"}, nchw=True)]
    cases += [Case("LRN", [D(2, 4, 5, 6)], {"depth_radius": 2}),
              Case("LRNGrad", [D(2, 4, 5, 6), D(2, 4, 5, 6), cpu("LRN", 1, {"depth_radius": 2}, chosen=[1])], {"depth_radius": 2})]
    return cases


def images():
    half, corners = {"half_pixel_centers": True}, {"align_corners": True}
    cases = []
    for op in ("ResizeBilinear", "ResizeNearestNeighbor"):
        for attrs in ({}, half, corners):
            cases += [Case(op, [D(2, 4, 5, 3), I32([7, 9])], attrs), Case(op, [D(2, 8, 6, 3), I32([4, 3])], attrs)]
            second = F(2, 4, 5, 3) if op == "ResizeBilinear" else None
            cases += [Case(op + "Grad", [F(2, 8, 10, 3), D(2, 4, 5, 3)] if second else [D(2, 8, 10, 3), I32([4, 5])], attrs)]
    cases += [Case("ResizeBicubic", [D(2, 4, 5, 3), I32([7, 9])])]
    boxes = Fixed([[0.1, 0.2, 0.7, 0.9], [0.0, 0.0, 1.0, 1.0]], "float32")  # places between two elements, in their middle
    beyond = Fixed([[-0.12, 0.21, 0.71, 1.09], [0.0, 0.0, 1.0, 1.0]], "float32")  # by less than an element
    others = Fixed([[0.12, 0.23, 0.71, 0.94], [0.0, 0.0, 1.0, 0.8]], "float32")
    cases += [Case("CropAndResize", [D(2, 6, 7, 3), boxes, I32([1, 0]), I32([4, 5])], {"method": "bilinear"}),
              Case("CropAndResize", [D(2, 6, 7, 3), others, I32([1, 0]), I32([4, 5])], {"method": "nearest"}),
              Case("CropAndResize", [D(2, 6, 7, 3), boxes, I32([1, 0]), I32([4, 5])], {"method": "nearest"}, sample="middle"),
              Case("CropAndResize", [D(2, 6, 7, 3), beyond, I32([1, 0]), I32([4, 5])], {"extrapolation_value": 9.0}, sample="outside")]
    cases += [Case("CropAndResizeGradImage", [F(2, 4, 5, 3), boxes, I32([1, 0]), I32([2, 6, 7, 3])], {"T": "kind"}),
              Case("CropAndResizeGradBoxes", [F(2, 4, 5, 3), D(2, 6, 7, 3), boxes, I32([1, 0])], tolerance=4)]
    unit = Data((2, 4, 5, 3), 0.0, 1.0)
    cases += [Case("RGBToHSV", [unit]), Case("HSVToRGB", [unit]), Case("AdjustHue", [unit, Fixed(0.3, "float32")]),
              Case("AdjustSaturation", [unit, Fixed(0.5, "float32")]), Case("AdjustContrastv2", [unit, Fixed(1.5, "float32")])]
    cases += [Case("DepthToSpace", [D(2, 3, 4, 8)], {"block_size": 2}), Case("SpaceToDepth", [D(2, 4, 6, 3)], {"block_size": 2}),
              Case("BatchToSpace", [D(8, 2, 3, 2), X([[0, 1], [1, 0]])], {"block_size": 2}),
              Case("SpaceToBatch", [D(2, 3, 5, 2), X([[0, 1], [1, 0]])], {"block_size": 2}),
              Case("BatchToSpaceND", [D(8, 2, 3, 2), X([2, 2]), X([[0, 1], [1, 0]])]),
              Case("SpaceToBatchND", [D(2, 3, 5, 2), X([2, 2]), X([[0, 1], [1, 0]])]),
              Case("ExtractImagePatches", [D(2, 6, 7, 3)], {"ksizes": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}),
              Case("ExtractVolumePatches", [D(1, 4, 5, 6, 2)], {"ksizes": [1, 2, 2, 2, 1], "strides": [1, 1, 2, 2, 1], "padding": "SAME"})]
    return cases


def normalization():
    cases, image, channels = [], (2, 4, 5, 3), 3
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        one, plus = (D, P) if op == "FusedBatchNorm" else (F, FP)
        empty = Fixed(np.zeros(0), None if op == "FusedBatchNorm" else "float32")
        cases += [Case(op, [D(*image), one(channels), one(channels), one(channels), plus(channels)], {"is_training": False}, outputs=1),
                  Case(op, [D(*image), one(channels), one(channels), empty, empty], {"is_training": True}, outputs=3)]
    cases += [Case("FusedBatchNormV3", [D(2, 3, 4, 5), F(3), F(3), F(3), FP(3)], {"is_training": False, "data_format": "NCHW"}, outputs=1, nchw=True),
              Case("FusedBatchNormV3", [D(*image), F(3), F(3), F(3), FP(3)], {"is_training": True, "exponential_avg_factor": 0.3}, outputs=3)]
    for op in ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"):
        one, plus = (D, P) if op == "FusedBatchNormGrad" else (F, FP)
        extra = [FP()] if op.endswith("V3") else []  # of the shape that the plugin's FusedBatchNormV3 gives
        cases.append(Case(op, [D(*image), D(*image), one(3), one(3), plus(3)] + extra, {"is_training": False}, outputs=3, tolerance=8))
    cases += [Case("SoftmaxCrossEntropyWithLogits", [D(4, 7), P(4, 7)]),
              Case("SparseSoftmaxCrossEntropyWithLogits", [D(4, 7), X([0, 6, 3, 3])])]
    return cases


def recurrent():
    weights = [Data((7, 16), -0.5, 0.5), Data((4,), -0.5, 0.5), Data((4,), -0.5, 0.5), Data((4,), -0.5, 0.5), Data((16,), -0.5, 0.5)]
    state = [U(2, 4), U(2, 4)]
    cases = []
    for peephole in (False, True):
        attrs = {"use_peephole": peephole}
        cases += [Case("LSTMBlockCell", [U(2, 3)] + state + weights, dict(attrs, cell_clip=-1.0)),
                  Case("LSTMBlockCell", [U(2, 3)] + state + weights, attrs, sample="clipped"),
                  Case("LSTMBlockCellGrad", [U(2, 3)] + state + weights + [P(2, 4) for _ in range(8)], attrs, tolerance=8,
                       sample="peephole" if peephole else "")]
        for op in ("BlockLSTM", "BlockLSTMV2"):
            cases.append(Case(op, [I64(5), U(5, 2, 3)] + state + weights, attrs))
        large = [I64(5), U(5, 2, 3), Data((2, 4), -5.0, -4.0), U(2, 4)] + weights
        cases += [Case("BlockLSTM", large, attrs, sample="clipped"), Case("BlockLSTM", large, dict(attrs, cell_clip=0.0))]
        for op in ("BlockLSTMGrad", "BlockLSTMGradV2"):
            cases.append(Case(op, [I64(5), U(5, 2, 3)] + state + weights + [Data((5, 2, 4), 0.1, 0.9) for _ in range(9)], attrs, tolerance=8))
    gru = [U(2, 3), U(2, 4), U(7, 8), U(7, 4), U(8), U(4)]
    return cases + [Case("GRUBlockCell", gru), Case("GRUBlockCellGrad", gru + [Data((2, 4), 0.1, 0.9) for _ in range(4)], tolerance=8)]


def updates():
    v, scalar = V(3, 4), lambda value: C(value)
    rate, rho, tiny = scalar(0.25), scalar(0.75), scalar(0.0625)
    cases = [Case("AssignVariableOp", [V(3, 4), P(3, 4)]), Case("AssignAddVariableOp", [V(3, 4), P(3, 4)]),
             Case("AssignSubVariableOp", [V(3, 4), P(3, 4)]), Case("Assign", [V(3, 4), P(3, 4)], graph=True),
             Case("AssignAdd", [V(3, 4), P(3, 4)], graph=True), Case("AssignSub", [V(3, 4), P(3, 4)], graph=True)]
    appliers = [("AdaMax", [v, v, v, rho, rate, rho, rho, tiny, P(3, 4)], {}), ("Adadelta", [v, v, v, rate, rho, tiny, P(3, 4)], {}),
                ("Adagrad", [v, v, rate, P(3, 4)], {}), ("AdagradV2", [v, v, rate, tiny, P(3, 4)], {}),
                ("Adam", [v, v, v, rho, rho, rate, rho, rho, tiny, P(3, 4)], {}),
                ("Adam", [v, v, v, rho, rho, rate, rho, rho, tiny, P(3, 4)], {"use_nesterov": True}, "nesterov"),
                ("AddSign", [v, v, rate, rho, rho, rho, P(3, 4)], {}), ("PowerSign", [v, v, rate, rho, rho, rho, P(3, 4)], {}),
                ("CenteredRMSProp", [v, Data((3, 4), 0.1, 0.3, variable=True), Data((3, 4), 1.0, 2.0, variable=True), v, rate, rho, rho,
                                     tiny, U(3, 4)], {}),
                ("RMSProp", [v, v, v, rate, rho, rho, tiny, P(3, 4)], {}), ("GradientDescent", [v, rate, P(3, 4)], {}),
                ("Momentum", [v, v, rate, P(3, 4), rho], {}), ("Momentum", [v, v, rate, P(3, 4), rho], {"use_nesterov": True})]
    for name, inputs, attrs, *sample in appliers:
        cases += [Case("ResourceApply" + name, inputs, attrs, sample="".join(sample)),
                  Case("Apply" + name, inputs, attrs, graph=True, sample="".join(sample))]
    cases += [Case("ResourceApplyAdamWithAmsgrad", [v, v, v, v, rho, rho, rate, rho, rho, tiny, P(3, 4)]),
              Case("ResourceApplyKerasMomentum", [v, v, rate, P(3, 4), rho]),
              Case("ResourceApplyFtrl", [v, v, v, P(3, 4), rate, tiny, tiny, C(-0.5)])]
    sparse = [P(2, 4), X([2, 0])]
    for name, first in (("Adagrad", [v, v, rate]), ("AdagradV2", [v, v, rate, tiny])):
        cases += [Case("ResourceSparseApply" + name, first + sparse), Case("SparseApply" + name, first + sparse, graph=True)]
    return cases


def random():
    cases = [Case(op, [I32([64, 100])], {"dtype": "kind", "seed": 3, "seed2": 5}, random=True)
             for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")]
    cases += [Case("RandomUniformInt", [I32([64, 100]), C(0), C(100)], {"seed": 3, "seed2": 5}, random=True),
              Case("StatelessRandomUniform", [I32([64, 100]), I32([3, 5])], {"dtype": "kind"}, random=True),
              Case("StatelessRandomUniformInt", [I32([64, 100]), I32([3, 5]), C(0), C(100)], random=True),
              Case("StatelessRandomUniformV2", [I32([64, 100]), Fixed([3], "uint64"), Fixed([5, 7], "uint64"), I32(1)], {"dtype": "kind"}, random=True),
              Case("StatelessRandomUniformIntV2", [I32([64, 100]), Fixed([3], "uint64"), Fixed([5, 7], "uint64"), I32(1), C(0), C(100)], random=True),
              Case("StatelessRandomNormal", [I32([64, 100]), I32([3, 5])], {"dtype": "kind"}, random=True)]
    return cases


def casts():
    kinds = "bool float16 float32 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
    return [Case("Cast", [P(3, 5)], {"DstT": kind}) for kind in kinds]


def all_cases():
    return (unary() + binary() + matrices() + reductions() + shapes() + indexing() + convolutions() + pools() + images() +
            normalization() + recurrent() + updates() + random() + casts())
