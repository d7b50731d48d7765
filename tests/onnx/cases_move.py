"""Writes models of ONNX operators that move data, of versions and attributes that ONNX's own node tests leave out, with
ONNX Runtime's outputs, as folders that run_nodes.c takes.

Usage: cases_move.py FOLDER
"""
import os
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

random = numpy.random.default_rng(7)
f32 = numpy.float32
i64 = numpy.int64


def floats(*shape):
    return random.standard_normal(shape).astype(f32)


def ints(low, high, *shape, dtype=i64):
    return random.integers(low, high, shape).astype(dtype)


class Case:
    """A node: `inputs` are arrays, None where one is absent; those in `constants` are initializers. The outputs are
    ONNX Runtime's, or `expected`."""

    def __init__(self, name, op, version, inputs, outputs=1, constants=(), expected=None, **attributes):
        self.name, self.op, self.version, self.expected = name, op, version, expected
        self.outputs, self.constants, self.attributes = outputs, constants, attributes

        self.inputs = [None if value is None else numpy.asarray(value) for value in inputs]

    def model(self):
        names = ["" if value is None else f"x{i}" for i, value in enumerate(self.inputs)]
        results = [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.op, names, results, **self.attributes)
        given, held = [], []
        for i, value in enumerate(self.inputs):
            if value is None:
                continue
            if i in self.constants:
                held.append(numpy_helper.from_array(value, names[i]))
            else:
                given.append(helper.make_tensor_value_info(
                    names[i], helper.np_dtype_to_tensor_dtype(value.dtype), value.shape))
        graph = helper.make_graph([node], "g", given, [onnx.ValueInfoProto(name=r) for r in results], held)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.version)], ir_version=7)

    def feeds(self):
        return {f"x{i}": value for i, value in enumerate(self.inputs) if value is not None and i not in self.constants}


def slices():
    x = floats(5, 6, 7)
    yield Case("slice_1", "Slice", 1, [x], starts=[1, -3], ends=[4, 100], axes=[0, 2])
    yield Case("slice_1_no_axes", "Slice", 1, [x], starts=[1, 2], ends=[-1, 5])
    big = numpy.iinfo(i64).max
    for name, start, end, axes, steps in [("back", [-1, 4], [-big, 0], [0, 1], [-1, -2]), ("far", [0], [big], [2], [3]),
                                          ("none", [4], [2], [1], None), ("back_end", [3], [-100], [2], [-3]),
                                          ("huge", [1], [big], [0], [big])]:
        arrays = [x] + [None if v is None else numpy.array(v, i64) for v in (start, end, axes, steps)]
        yield Case("slice_13_" + name, "Slice", 13, arrays)
    yield Case("slice_bool", "Slice", 13, [x > 0] + [numpy.array([v], i64) for v in (0, 5, 0, 2)])
    yield Case("slice_int32", "Slice", 10, [x] + [numpy.array([v], numpy.int32) for v in (0, 5, 0, 2)])
    yield Case("split_2", "Split", 2, [x], outputs=2, axis=1, split=[2, 4])
    yield Case("split_2_equal", "Split", 2, [x], outputs=3, axis=-2)
    yield Case("split_18_num", "Split", 18, [x], outputs=3, axis=2, num_outputs=3)
    yield Case("split_bool", "Split", 13, [x > 0, numpy.array([0, 5], i64)], outputs=2)
    yield Case("concat_4_i8", "Concat", 4, [ints(-99, 99, 2, n, 3, dtype=numpy.int8) for n in (1, 4, 2)], axis=1)
    yield Case("concat_empty", "Concat", 13, [floats(2, 0), floats(2, 3)], axis=1)
    yield Case("concat_all_empty", "Concat", 13, [floats(2, 0), floats(2, 0)], axis=1)
    yield Case("concat_double", "Concat", 13, [floats(2, 3).astype(float)] * 2, axis=-1)
    yield Case("center", "CenterCropPad", 18, [floats(3, 7, 4), numpy.array([4, 7], i64)], axes=[1, 2])


def pads():
    x = floats(3, 4)
    for mode in ("constant", "reflect", "edge"):
        yield Case("pad_2_" + mode, "Pad", 2, [x], mode=mode, pads=[1, 2, 0, 3], value=1.5)
        yield Case("pad_13_neg_" + mode, "Pad", 13, [x, numpy.array([-1, 2, 1, -1], i64), f32(2.5)], mode=mode)
    yield Case("pad_19_wrap_neg", "Pad", 19, [x, numpy.array([0, 3, 1, -1], i64)], mode="wrap")
    yield Case("pad_18_axes", "Pad", 18, [x, numpy.array([2, 1], i64), f32(-2), numpy.array([-1], i64)])
    yield Case("pad_18_axes_known", "Pad", 18, [x, numpy.array([2, 1], i64), f32(-2), numpy.array([-1], i64)],
               constants=(1, 2, 3))
    yield Case("pad_i32", "Pad", 13, [ints(-9, 9, 2, 2, dtype=numpy.int32), numpy.array([0, 1, 1, 0], i64)])
    yield Case("pad_bool", "Pad", 13, [x > 0, numpy.array([0, 1, 1, 0], i64), numpy.array(True)])
    yield Case("pad_empty", "Pad", 13, [floats(0, 2), numpy.array([1, 0, 1, 0], i64), f32(3)])
    yield Case("pad_none", "Pad", 13, [x, numpy.zeros(4, i64)])
    yield Case("expand_both", "Expand", 13, [floats(3, 1, 2), numpy.array([2, 1, 4, 1], i64)])
    yield Case("expand_scalar", "Expand", 8, [f32(2), numpy.array([2, 3], i64)])
    yield Case("expand_zero", "Expand", 8, [floats(1, 3), numpy.array([0, 3], i64)])
    yield Case("tile_bool", "Tile", 13, [x > 0, numpy.array([2, 3], i64)])
    yield Case("tile_zero", "Tile", 13, [x, numpy.array([2, 0], i64)])
    yield Case("tile_5d", "Tile", 6, [floats(1, 2, 1, 3, 2), numpy.array([2, 1, 3, 1, 2], i64)])


def gathers():
    x = floats(4, 5, 6)
    yield Case("gather_neg", "Gather", 11, [x, ints(-5, 5, 2, 3)], axis=1)
    yield Case("gather_i32", "Gather", 1, [x, ints(0, 6, 3, dtype=numpy.int32)], axis=-1)
    yield Case("gather_scalar", "Gather", 13, [x, numpy.array(-1, i64)], axis=0)
    yield Case("gather_known", "Gather", 13, [x, numpy.array(-2, i64)], constants=(1,), axis=1)
    yield Case("gather_known_ones", "Gather", 13, [x > 0, numpy.array([[3]], numpy.int32)], constants=(1,), axis=-1)
    yield Case("gather_bool", "Gather", 13, [x > 0, ints(-4, 4, 3)])
    yield Case("gather_none", "Gather", 13, [x, numpy.zeros((0,), i64)], axis=1)
    yield Case("gather_vector", "Gather", 13, [floats(7), ints(-7, 7, 2, 2, 2)])
    yield Case("elements_fewer", "GatherElements", 13, [x, ints(-5, 5, 2, 7, 3)], axis=1)
    yield Case("elements_i32", "GatherElements", 11, [x, ints(-6, 6, 4, 5, 2, dtype=numpy.int32)], axis=2)
    yield Case("nd_neg", "GatherND", 13, [x, ints(-4, 4, 3, 2, 2)])
    yield Case("nd_all", "GatherND", 11, [x, ints(0, 4, 3, 3)])
    yield Case("nd_batch", "GatherND", 12, [floats(2, 3, 4, 5), ints(-4, 4, 2, 3, 2, 1)], batch_dims=2)
    yield Case("nd_deep", "GatherND", 12, [floats(2, 3, 2, 3, 2, 2), ints(0, 2, 2, 2, 4)], batch_dims=1)
    yield Case("nd_bool", "GatherND", 13, [x > 0, ints(0, 4, 3, 1)])
    condition = numpy.array([True, False, True, True])
    yield Case("compress_axis", "Compress", 11, [x, condition], axis=0)
    yield Case("compress_flat", "Compress", 9, [x, condition])
    yield Case("nonzero_bool", "NonZero", 13, [x > 0])
    yield Case("nonzero_none", "NonZero", 13, [numpy.zeros((2, 3), f32)])
    yield Case("unique", "Unique", 11, [ints(0, 5, 4, 3)], outputs=4)
    yield Case("unique_axis", "Unique", 11, [ints(0, 2, 6, 2).astype(f32)], outputs=4, axis=0, sorted=0)


def suppressions():
    """Boxes and scores of few different numbers, so that many scores and overlaps are equal."""
    boxes, scores = ints(0, 9, 2, 40, 4).astype(f32), ints(-5, 6, 2, 3, 40).astype(f32) / 4
    one = numpy.array([1], i64)
    for most in (0, 1, 3, 1000, -1):
        for overlap in (0, 0.25, 0.5, 1):
            yield Case(f"suppression_{most}_{overlap}", "NonMaxSuppression", 11,
                       [boxes, scores, most * one, numpy.array([overlap], f32)])
    for least in (-9, 0.25, 9):
        yield Case(f"suppression_least_{least}", "NonMaxSuppression", 10,
                   [boxes, scores, 9 * one, numpy.array([0.3], f32), numpy.array([least], f32)])
        yield Case(f"suppression_center_{least}", "NonMaxSuppression", 11,
                   [boxes - 1, scores, 9 * one, numpy.array([0.3], f32), numpy.array([least], f32)], center_point_box=1)
    yield Case("suppression_no_overlap", "NonMaxSuppression", 11, [boxes, scores, 9 * one])
    yield Case("suppression_no_most", "NonMaxSuppression", 11, [boxes, scores])
    yield Case("suppression_scalars", "NonMaxSuppression", 11, [floats(1, 50, 4), floats(1, 2, 50), numpy.array(7, i64), f32(0.1), f32(0)])
    yield Case("suppression_no_boxes", "NonMaxSuppression", 11, [floats(1, 0, 4), floats(1, 2, 0), 9 * one])


def scatters():
    x = floats(4, 5, 3)
    places = numpy.stack([random.permutation(5)[:2] for _ in range(12)]).reshape(4, 3, 2).transpose(0, 2, 1)
    yield Case("scatter_9", "Scatter", 9, [x, places.astype(i64), floats(4, 2, 3)], axis=1)
    yield Case("scatter_fewer", "ScatterElements", 11, [x, (places[:3, :, :2] - 5).astype(i64), floats(3, 2, 2)], axis=1)
    yield Case("scatter_bool", "ScatterElements", 13, [x > 0, places.astype(i64), floats(4, 2, 3) > 0], axis=-2)
    for reduction in ("add", "mul", "max", "min"):
        yield Case("scatter_" + reduction, "ScatterElements", 18, [x, ints(-5, 5, 3, 6, 2), floats(3, 6, 2)], axis=1,
                   reduction=reduction)
        yield Case("scatter_i32_" + reduction, "ScatterElements", 18,
                   [ints(-9, 9, 4, 5, dtype=numpy.int32), ints(-5, 5, 4, 6), ints(-9, 9, 4, 6, dtype=numpy.int32)],
                   axis=1, reduction=reduction)
        yield Case("scatter_nd_" + reduction, "ScatterND", 18, [x, ints(-4, 4, 6, 2), floats(6, 3)], reduction=reduction)
        yield Case("scatter_nd_i64_" + reduction, "ScatterND", 18,
                   [ints(-9, 9, 4, 5), ints(-4, 4, 3, 2, 1), ints(-9, 9, 3, 2, 5)], reduction=reduction)
    rows = numpy.array([[[0], [-1]], [[2], [1]]], i64)
    yield Case("scatter_nd", "ScatterND", 13, [x, rows, floats(2, 2, 5, 3)])
    yield Case("scatter_nd_all", "ScatterND", 11, [x, numpy.array([[0, 1, 2], [-1, -1, -1]], i64), floats(2)])
    yield Case("scatter_none", "ScatterND", 13, [x, numpy.zeros((0, 1), i64), floats(0, 5, 3)])


def shapes():
    x = floats(2, 1, 3, 1)
    yield Case("reshape_zero", "Reshape", 14, [floats(0, 3), numpy.array([0, 3, 1], i64)], allowzero=1)
    yield Case("squeeze_1", "Squeeze", 1, [x], axes=[1])
    yield Case("squeeze_11_all", "Squeeze", 11, [x])
    yield Case("squeeze_13", "Squeeze", 13, [x, numpy.array([-1, 1], i64)])
    yield Case("unsqueeze_1", "Unsqueeze", 1, [x], axes=[0, 3])
    yield Case("unsqueeze_11", "Unsqueeze", 11, [x], axes=[-1, 0])
    yield Case("unsqueeze_13_scalar", "Unsqueeze", 13, [f32(3), numpy.array([0, 1], i64)])
    yield Case("flatten_1", "Flatten", 1, [floats(2, 3, 4)], axis=0)
    yield Case("flatten_neg", "Flatten", 13, [floats(2, 3, 4)], axis=-1)
    yield Case("flatten_empty", "Flatten", 13, [floats(2, 0, 4)], axis=3)
    yield Case("size", "Size", 1, [floats(2, 0, 4)])
    yield Case("depth_crd", "DepthToSpace", 11, [floats(2, 12, 2, 3)], blocksize=2, mode="CRD")
    yield Case("depth_dcr", "DepthToSpace", 1, [floats(2, 18, 2, 3)], blocksize=3)
    yield Case("space", "SpaceToDepth", 1, [floats(2, 3, 4, 6)], blocksize=2)


def numbers():
    x = floats(3, 5)
    yield Case("eye", "EyeLike", 9, [x], k=-1, dtype=TensorProto.DOUBLE)
    yield Case("eye_i32", "EyeLike", 9, [ints(0, 9, 4, 3, dtype=numpy.int32)], k=2)
    yield Case("trilu_bool", "Trilu", 14, [floats(2, 3, 3) > -9, numpy.array(1, i64)], upper=0)
    yield Case("trilu_far", "Trilu", 14, [x, numpy.array(-7, i64)])
    yield Case("range_i64", "Range", 11, [numpy.array(v, i64) for v in (9, -8, -4)])
    yield Case("range_double", "Range", 11, [numpy.array(v, float) for v in (0.5, 4.1, 0.3)])
    yield Case("range_float", "Range", 11, [numpy.array(v, f32) for v in (0.1, 1.0, 0.1)])
    yield Case("range_none", "Range", 11, [numpy.array(v, i64) for v in (3, 3, 1)])
    yield Case("onehot_i32", "OneHot", 11, [ints(-6, 6, 3, 2, dtype=numpy.int32), numpy.array(5, numpy.int32),
                                            numpy.array([0.5, 2], f32)], axis=1)
    yield Case("onehot_float", "OneHot", 11, [ints(0, 5, 4).astype(f32), numpy.array([5.0], f32), numpy.array([0, 3], f32)])
    yield Case("fill_i64", "ConstantOfShape", 9, [numpy.array([2, 3], i64)],
               value=numpy_helper.from_array(numpy.array([7], i64)))
    yield Case("fill_bool", "ConstantOfShape", 9, [numpy.array([2, 0], i64)],
               value=numpy_helper.from_array(numpy.array([True])))
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        yield Case(op.lower(), op, 17, [numpy.array(9, i64)], periodic=0)
        yield Case(op.lower() + "_double", op, 17, [numpy.array(10, i64)], output_datatype=TensorProto.DOUBLE)


def orders():
    x = floats(3, 4, 5)
    same = ints(0, 3, 4, 9).astype(f32)
    yield Case("topk_1", "TopK", 1, [x], outputs=2, k=3, axis=1)
    yield Case("topk_10", "TopK", 10, [x, numpy.array([2], i64)], outputs=2)
    yield Case("topk_same", "TopK", 11, [same, numpy.array([6], i64)], outputs=2)
    yield Case("topk_same_least", "TopK", 11, [same, numpy.array([6], i64)], outputs=2, largest=0)
    yield Case("topk_i64", "TopK", 11, [ints(-9, 9, 3, 7), numpy.array([4], i64)], outputs=2, axis=0 - 1)
    nans = numpy.array([[1, numpy.nan, 3, numpy.inf], [numpy.nan, -numpy.inf, numpy.nan, 0]], f32)
    for largest in (0, 1):
        for k in (1, 2, 4):
            yield Case(f"topk_nan_{'most' if largest else 'least'}_{k}", "TopK", 11, [nans, numpy.array([k], i64)],
                       outputs=2, largest=largest)
    yield Case("topk_none", "TopK", 11, [x, numpy.array([0], i64)], outputs=2)
    for name, attributes in [("", {}), ("_back", {"reverse": 1}), ("_ex", {"exclusive": 1}),
                             ("_back_ex", {"reverse": 1, "exclusive": 1})]:
        yield Case("cumsum" + name, "CumSum", 14, [x, numpy.array(-2, numpy.int32)], **attributes)
        yield Case("cumsum_i64" + name, "CumSum", 11, [ints(-9, 9, 3, 4), numpy.array(0, i64)], **attributes)
    yield Case("reverse", "ReverseSequence", 10, [x, numpy.array([1, 3, 0, 2], i64)], time_axis=0, batch_axis=1)
    yield Case("reverse_bool", "ReverseSequence", 10, [x > 0, numpy.array([4, 1, 2], i64)], time_axis=1, batch_axis=0)
    yield Case("col2im", "Col2Im", 18, [floats(2, 12, 6), numpy.array([4, 5], i64), numpy.array([2, 3], i64)],
               strides=[2, 2], pads=[0, 1, 0, 1], dilations=[1, 1])


def resizes():
    x = floats(1, 2, 5, 7)
    none = numpy.zeros(0, f32)
    for mode in ("nearest", "linear"):
        for version, op in ((7, "Upsample"), (9, "Upsample"), (10, "Resize")):
            scales = [1, 1, 2, 3]
            if version == 7:
                yield Case(f"upsample_7_{mode}", op, 7, [x], mode=mode, scales=[float(s) for s in scales])
            else:
                yield Case(f"resize_{version}_{mode}", op, version, [x, numpy.array(scales, f32)], constants=(1,),
                           mode=mode)
        yield Case(f"resize_10_{mode}_less", "Resize", 10, [x, numpy.array([1, 1, 0.6, 0.5], f32)], constants=(1,),
                   mode=mode)
    for coordinates in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn",
                        "half_pixel_symmetric"):
        version = 19 if coordinates == "half_pixel_symmetric" else 11
        for size in ([1, 2, 9, 11], [1, 2, 3, 4], [1, 2, 10, 14], [1, 2, 1, 1]):
            label = f"{coordinates}_{size[2]}"
            arrays = [x, none, none, numpy.array(size, i64)]
            if coordinates == "align_corners" and size[2] == 1:
                continue
            yield Case(f"resize_linear_{label}", "Resize", version, arrays, constants=(1, 2, 3), mode="linear",
                       coordinate_transformation_mode=coordinates)
            if coordinates != "tf_half_pixel_for_nn":
                yield Case(f"resize_cubic_{label}", "Resize", version, arrays, constants=(1, 2, 3), mode="cubic",
                           coordinate_transformation_mode=coordinates)
            if size[2] < 9:
                continue  # ties, which ONNX Runtime decides by rounding of its own
            for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
                yield Case(f"resize_{rounding}_{label}", "Resize", version, arrays, constants=(1, 2, 3), mode="nearest",
                           coordinate_transformation_mode=coordinates, nearest_mode=rounding)
    # By ONNX's formula with the exact width, 4 * 0.6; ONNX Runtime and PyTorch take the rounded width and give 3.
    yield Case("resize_align_corners_fraction", "Resize", 13,
               [numpy.arange(4, dtype=f32).reshape(1, 1, 1, 4), None, numpy.array([1, 1, 1, 0.6], f32)], constants=(2,),
               expected=[numpy.array([[[[0, 3 / 1.4]]]], f32)], mode="linear",
               coordinate_transformation_mode="align_corners")
    yield Case("resize_u8", "Resize", 13, [ints(0, 255, 1, 1, 4, 4, dtype=numpy.uint8), None,
                                           numpy.array([1, 1, 2, 2], f32)], constants=(2,), mode="nearest")
    yield Case("resize_volume", "Resize", 13, [floats(1, 2, 3, 4, 5), None, numpy.array([1, 1, 2, 2, 2], f32)],
               constants=(2,), mode="linear")
    for mode in ("linear", "cubic"):
        yield Case(f"resize_antialias_{mode}", "Resize", 18,
                   [floats(1, 1, 16, 12), None, None, numpy.array([1, 1, 6, 5], i64)], constants=(3,), mode=mode,
                   antialias=1)
    yield Case("resize_crop", "Resize", 13, [x, numpy.array([0, 0, 0.2, -0.1, 1, 1, 0.9, 1.2], f32), none,
                                             numpy.array([1, 2, 4, 6], i64)], constants=(1, 2, 3), mode="linear",
               coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=3.0)


def spectra():
    real, imaginary = floats(2, 12, 1), floats(2, 9, 2)
    for length in (None, 8, 15):
        number = None if length is None else numpy.array(length, i64)
        yield Case(f"dft_{length}", "DFT", 17, [real, number], constants=(1,), axis=1)
        yield Case(f"dft_half_{length}", "DFT", 17, [real, number], constants=(1,), axis=1, onesided=1)
        yield Case(f"dft_complex_{length}", "DFT", 20, [imaginary, number, numpy.array(-2, i64)], constants=(1, 2))
    yield Case("stft", "STFT", 17, [floats(2, 40, 1), numpy.array(6, i64), floats(16), numpy.array(16, i64)],
               constants=(1, 3))
    yield Case("stft_whole", "STFT", 17, [floats(1, 40, 1), numpy.array(8, i64), None, numpy.array(8, i64)],
               constants=(1, 3), onesided=0)


def grids():
    x, grid = floats(2, 3, 5, 4) + 5, (random.random((2, 6, 7, 2)) * 3.6 - 1.8).astype(f32)
    for mode in ("bilinear", "bicubic", "nearest"):
        for border in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                yield Case(f"grid_{mode}_{border}_{corners}", "GridSample", 16, [x, grid], mode=mode,
                           padding_mode=border, align_corners=corners)


def control():
    """Bodies."""
    def info(name, kind=TensorProto.FLOAT, shape=None):
        return helper.make_tensor_value_info(name, kind, shape)

    then = helper.make_graph([helper.make_node("Add", ["x0", "x0"], ["t"])], "then", [], [info("t", shape=[2, 3])])
    other = helper.make_graph([helper.make_node("Mul", ["x0", "x0"], ["e"])], "else", [], [info("e", shape=[2, 3])])
    for truth in (True, False):
        case = Case(f"if_{truth}", "If", 13, [floats(2, 3), numpy.array(truth)], then_branch=then, else_branch=other)
        case.node_inputs = ["x1"]
        yield case
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x2"], ["s1"]), helper.make_node("Mul", ["s1", "s"], ["c"]),
         helper.make_node("Identity", ["k"], ["k1"])], "body",
        [info("i", TensorProto.INT64, []), info("k", TensorProto.BOOL, []), info("s", shape=[3])],
        [info("k1", TensorProto.BOOL, []), info("s1", shape=[3]), info("c", shape=[3])])
    for turns in (0, 1, 5, 70):
        case = Case(f"loop_{turns}", "Loop", 13, [numpy.array(turns, i64), numpy.array(True), floats(3)], outputs=2,
                    body=body)
        case.node_inputs = ["x0", "x1", "x2"]
        yield case


class Chain(Case):
    """Nodes one behind another, each of what the one before makes and of constants: (operator, constants, attributes)."""

    def __init__(self, name, x, *links):
        super().__init__(name, links[0][0], 17, [x])
        self.links = links

    def model(self):
        model = super().model()
        del model.graph.node[:]
        last = "x0"
        for i, (op, constants, attributes) in enumerate(self.links):
            names = [f"c{i}_{j}" for j in range(len(constants))]
            model.graph.initializer.extend(map(numpy_helper.from_array, constants, names))
            made = "y0" if i + 1 == len(self.links) else f"t{i}"
            model.graph.node.append(helper.make_node(op, [last, *names], [made], **attributes))
            last = made
        return model


def sizes_of(count):
    """Some factors of it, ones among them."""
    sizes = []
    while count > 1 and len(sizes) < 6:
        sizes.append(int(random.choice([i for i in range(1, count + 1) if count % i == 0])))
        count //= sizes[-1]
    return [*sizes, count]


def large():
    """Sizes from which on operators are translated otherwise: nothing is refused for its size."""
    for mode, sizes in (("linear", (300, 700)), ("cubic", (150, 700))):
        for size in sizes:
            yield Case(f"large_resize_{mode}_{size}", "Resize", 18,
                       [floats(1, 2, size, size - 1), None, None, numpy.array([1, 2, 8, 7], i64)], antialias=1, mode=mode)
    yield Case("large_resize_outside", "Resize", 18, [floats(1, 1, 400, 5), None, None, numpy.array([1, 1, 3, 5], i64)],
               antialias=1, mode="linear", exclude_outside=1)
    yield Case("large_resize_row", "Resize", 13, [floats(1, 1, 3, 3), None, None, numpy.array([1, 1, 1100000, 1], i64)],
               mode="cubic")
    for reduction in ("add", "mul", "max", "min"):
        few = ints(-30, 30, 3000)
        yield Case("large_scatter_" + reduction, "ScatterElements", 18, [few, ints(-3000, 3000, 3000), few], reduction=reduction)
        yield Case("large_scatter_nd_" + reduction, "ScatterND", 18,
                   [floats(60, 50, 2), ints(-50, 50, 2500, 2), floats(2500, 2)], reduction=reduction)
    yield Case("large_scatter_10000", "ScatterND", 18, [floats(10000), ints(0, 10000, 10000, 1), floats(10000)], reduction="add")
    yield Case("large_scatter_one", "ScatterElements", 18, [floats(5000000), ints(0, 5000000, 1), floats(1)], reduction="add")
    yield Case("large_scatter_same", "ScatterElements", 18, [floats(2, 2100), ints(0, 2, 2, 1500), whole(2, 1500)],
               axis=1, reduction="add")
    yield Case("large_scatter_axis", "ScatterElements", 18,
               [ints(0, 9, 3, 700, 3, dtype=numpy.int32), ints(0, 700, 2, 1100, 3), ints(0, 9, 2, 1100, 3, dtype=numpy.int32)],
               axis=1, reduction="add")
    for length in (3000, 2053, 4106, 8192):  # 50 * 60, a prime, twice that
        yield Case(f"large_dft_{length}", "DFT", 17, [floats(2, length, 1)], axis=1)
    yield Case("large_dft_inverse", "DFT", 17, [floats(1, 3000, 2)], axis=1, inverse=1)
    yield Case("large_dft_inverse_prime", "DFT", 17, [floats(1, 2053, 2)], axis=1, inverse=1)
    yield Case("large_dft_half", "DFT", 20, [floats(3000, 2, 1), None, numpy.array(0, i64)], onesided=1)
    yield Case("large_dft_padded", "DFT", 20, [floats(1, 100, 2), numpy.array(3000, i64), numpy.array(1, i64)])
    yield Case("large_stft", "STFT", 17, [floats(1, 9000, 1), numpy.array(1500, i64), floats(3000)])
    yield Case("large_range", "Range", 11, [numpy.array(-5, i64), numpy.array(3300000, i64), numpy.array(3, i64)])
    yield Case("large_range_back", "Range", 11, [numpy.array(5, i64), numpy.array(-1100000, i64), numpy.array(-1, i64)])
    yield Case("large_range_i32", "Range", 11, [numpy.array(v, numpy.int32) for v in (7, 2200007, 2)])
    yield Case("large_range_float", "Range", 11, [numpy.array(v, f32) for v in (-3, 550000, 0.5)])


def whole(*shape):
    return random.integers(-50, 50, shape).astype(f32)


def views():
    """Sizes of what lies otherwise than in order; and element by element behind products, by sizes of any kind."""
    for i in range(40):
        sizes = sizes_of(int(random.choice([24, 36, 120])))
        links = [("Transpose", [], {"perm": [int(d) for d in random.permutation(len(sizes))]})]
        for _ in range(int(random.integers(1, 4))):
            links.append(("Reshape", [numpy.array(sizes_of(int(numpy.prod(sizes))), i64)], {}))
        if i % 2:
            links.append(("Neg", [], {}))
        yield Chain(f"view_{i}", floats(*sizes), *links)
    yield Chain("view_empty", floats(0, 3), ("Transpose", [], {}), ("Reshape", [numpy.array([2, 0, 3], i64)], {"allowzero": 1}))
    operands = {"bias": (5,), "all": (2, 3, 5), "batch": (2, 1, 1), "row": (3, 1), "more": (4, 1, 1, 5), "one": ()}
    for name, operand in operands.items():
        for sizes in ((2, 3, 4), (1, 3, 4)):
            yield Chain(f"rows_{name}_{sizes[0]}", floats(*sizes), ("MatMul", [floats(4, 5)], {}), ("Add", [floats(*operand)], {}),
                        ("Erf", [], {}), ("Mul", [floats(2, 3, 5)], {}), ("Sum", [floats(3, 1)], {}))
    yield Chain("rows_turned", floats(2, 3, 4), ("MatMul", [floats(4, 6)], {}), ("Add", [floats(6)], {}),
                ("Reshape", [numpy.array([2, 3, 2, 3], i64)], {}), ("Transpose", [], {"perm": [0, 2, 1, 3]}),
                ("Mul", [floats(2, 2, 3, 3)], {}), ("Reshape", [numpy.array([2, -1], i64)], {}), ("Neg", [], {}))


def write(folder, case):
    model = case.model()
    if hasattr(case, "node_inputs"):
        del model.graph.node[0].input[:]
        model.graph.node[0].input.extend(case.node_inputs)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    results = case.expected or session.run(None, case.feeds())
    if case.op in ("DFT", "STFT"):  # zeros are exact only where the rounding of float does not blur them
        results = [r.astype(f32) for r in ReferenceEvaluator(model).run(None, {
            name: value.astype(float) if value.dtype == f32 else value for name, value in case.feeds().items()})]
        results = [numpy.where(abs(r) < 1e-9, f32(0), r) for r in results]
    data = os.path.join(folder, case.name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    onnx.save(model, os.path.join(folder, case.name, "model.onnx"))
    for kind, arrays in (("input", list(case.feeds().values())), ("output", results)):
        for i, array in enumerate(arrays):
            with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as file:
                file.write(numpy_helper.from_array(numpy.asarray(array)).SerializeToString())


def main():
    written = 0
    for family in (slices, pads, gathers, suppressions, scatters, shapes, numbers, orders, resizes, spectra, grids, control, views, large):
        for case in family():
            try:
                write(sys.argv[1], case)
                written += 1
            except Exception as error:  # ONNX Runtime has not all of it
                print(f"{case.name}: {str(error).splitlines()[0][:160]}", file=sys.stderr)
    print(f"{written} cases")


if __name__ == "__main__":
    main()
