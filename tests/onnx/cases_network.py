"""Writes models of network operators with ONNX Runtime's results, as onnx_nodes reads them, beyond ONNX's own tests:
cases_network.py FOLDER [NAME..]. Needs onnx, onnxruntime and numpy."""
import pathlib
import sys

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
import onnxruntime

FLOAT, HALF = numpy.float32, numpy.float16
CASES = []


class Case:
    """A node, its inputs, which of them are constants of the model, and results where they are not ONNX Runtime's."""

    def __init__(self, name, op, inputs, outputs=1, domain="", version=22, constants=(), expected=None, **attributes):
        self.expected = expected
        self.name, self.op, self.inputs, self.outputs = name, op, inputs, outputs
        self.domain, self.version, self.constants, self.attributes = domain, version, constants, attributes


def add(*arguments, **attributes):
    CASES.append(Case(*arguments, **attributes))


def whole(seed, *shape, kind=FLOAT, low=-4, high=5):
    """Whole numbers, whose sums are exact."""
    return numpy.random.default_rng(seed).integers(low, high, shape).astype(kind)


def real(seed, *shape, kind=FLOAT):
    return (numpy.random.default_rng(seed).random(shape) * 2 - 1).astype(kind)


def build(case):
    names = ["x%d" % i if value is not None else "" for i, value in enumerate(case.inputs)]
    outputs = ["y%d" % i for i in range(case.outputs)] if isinstance(case.outputs, int) else list(case.outputs)
    node = onnx.helper.make_node(case.op, names, outputs, domain=case.domain, **case.attributes)
    given = [i for i, value in enumerate(case.inputs) if value is not None and i not in case.constants]
    kind = onnx.helper.np_dtype_to_tensor_dtype
    graph = onnx.helper.make_graph(
        [node], case.name,
        [onnx.helper.make_tensor_value_info(names[i], kind(case.inputs[i].dtype), case.inputs[i].shape) for i in given],
        [onnx.helper.make_empty_tensor_value_info(name) for name in outputs if name],
        [onnx.numpy_helper.from_array(case.inputs[i], names[i]) for i in case.constants])
    opsets = [onnx.helper.make_opsetid("", case.version), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), [case.inputs[i] for i in given]


def run(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {given.name: value for given, value in zip(session.get_inputs(), inputs)})


def write(case, folder):
    model, inputs = build(case)
    results = run(model, inputs) if case.expected is None else case.expected
    for value, result in zip(model.graph.output, results):
        value.CopyFrom(onnx.helper.make_tensor_value_info(
            value.name, onnx.helper.np_dtype_to_tensor_dtype(result.dtype), result.shape))
    data = folder / case.name / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / case.name / "model.onnx")
    for kind, tensors in (("input", inputs), ("output", results)):
        for i, tensor in enumerate(tensors):
            file = data / ("%s_%d.pb" % (kind, i))
            file.write_bytes(onnx.numpy_helper.from_array(tensor).SerializeToString())


def convolutions():
    add("conv_1d", "Conv", [whole(1, 2, 4, 9), whole(2, 6, 2, 3), whole(3, 6)], constants=(1, 2), group=2,
        pads=[1, 2], strides=[2], dilations=[2])
    add("conv_3d", "Conv", [whole(1, 1, 2, 5, 6, 7), whole(2, 3, 2, 2, 3, 2)], pads=[0, 1, 1, 1, 1, 0],
        strides=[1, 2, 1])
    add("conv_large_constant", "Conv", [whole(1, 1, 16, 8, 8), whole(2, 32, 16, 3, 3), whole(3, 32)],
        constants=(1, 2), pads=[1, 1, 1, 1])
    for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        add("conv_" + mode.lower(), "Conv", [whole(1, 1, 1, 6, 7), whole(2, 1, 1, 3, 4)], auto_pad=mode,
            strides=[2, 3])
        add("conv_transpose_" + mode.lower(), "ConvTranspose", [whole(1, 1, 1, 3, 4), whole(2, 1, 1, 4, 3)],
            auto_pad=mode, strides=[2, 2])
    add("conv_transpose_1d", "ConvTranspose", [whole(1, 2, 4, 5), whole(2, 4, 3, 3), whole(3, 6)], group=2,
        strides=[3], pads=[1, 0], output_padding=[1], dilations=[2])
    add("conv_transpose_3d", "ConvTranspose", [whole(1, 1, 2, 2, 3, 2), whole(2, 2, 3, 2, 2, 3)], strides=[2, 1, 2],
        pads=[1, 0, 1, 0, 1, 1])
    for size in (7, 8, 9, 10):
        add("conv_transpose_to_%d" % size, "ConvTranspose", [whole(1, 1, 1, 4, 4), whole(2, 1, 1, 3, 3), whole(3, 1)],
            strides=[2, 2], output_shape=[size, size])
        add("conv_transpose_upper_to_%d" % size, "ConvTranspose", [whole(1, 1, 1, 4, 4), whole(2, 1, 1, 3, 3)],
            strides=[2, 2], output_shape=[size, size], auto_pad="SAME_UPPER")
    add("conv_transpose_pads", "ConvTransposeWithDynamicPads",
        [whole(1, 1, 2, 3, 4), whole(2, 2, 1, 3, 3), numpy.array([1, 0, 1, 2], numpy.int64), whole(3, 1)],
        domain="com.microsoft", strides=[2, 2])
    for activation, numbers in (("Relu", []), ("LeakyRelu", [.25]), ("Clip", [-3., 5.]), ("HardSigmoid", [.5, .25]),
                                ("Tanh", []), ("Sigmoid", [])):
        more = {"activation_params": numbers} if numbers else {}
        add("fused_conv_" + activation.lower(), "FusedConv", [whole(1, 1, 2, 4, 4), whole(2, 3, 2, 3, 3), whole(3, 3)],
            domain="com.microsoft", activation=activation, **more)
    add("fused_conv_sum", "FusedConv", [whole(1, 1, 2, 4, 4), whole(2, 3, 2, 3, 3), whole(3, 3), whole(4, 1, 3, 2, 2)],
        domain="com.microsoft", activation="Relu")
    add("conv_known", "Conv", [whole(1, 1, 2, 5, 5), whole(2, 3, 2, 3, 3), whole(3, 3)], constants=(0, 1, 2))
    x, w, b = whole(1, 1, 4, 6, 5), whole(2, 6, 2, 3, 2), whole(3, 6)
    common = dict(group=2, pads=[1, 0, 1, 1], strides=[2, 1], kernel_shape=[3, 2])
    y = run(build(Case("", "Conv", [x, w, b], **common))[0], [x, w, b])[0].transpose(0, 2, 3, 1)
    for name, order in (("nchw", (0, 1, 2, 3)), ("nhwc", (0, 2, 3, 1))):
        add("nhwc_conv_" + name, "NhwcConv", [x.transpose(0, 2, 3, 1).copy(), w.transpose(order).copy(), b],
            domain="com.microsoft", expected=[y], **common)


def pooling():
    for kind, shape, kernel in (("1d", (2, 3, 9), [3]), ("2d", (1, 2, 7, 8), [3, 2]),
                                ("3d", (1, 1, 5, 6, 7), [2, 3, 2])):
        n = len(kernel)
        for ceil in (0, 1):
            common = dict(kernel_shape=kernel, strides=[2] * n, pads=[1] * n + [0] * n, ceil_mode=ceil)
            x = whole(5, *shape)
            add("max_pool_%s_%d" % (kind, ceil), "MaxPool", [x], 2, **common)
            add("max_pool_columns_%s_%d" % (kind, ceil), "MaxPool", [x], 2, storage_order=1, **common)
            add("max_pool_bytes_%s_%d" % (kind, ceil), "MaxPool", [whole(5, *shape, kind=numpy.int8)], **common)
            add("lp_pool_%s_%d" % (kind, ceil), "LpPool", [x], p=3, **common)
            for counts in (0, 1):
                add("average_pool_%s_%d_%d" % (kind, ceil, counts), "AveragePool", [x], count_include_pad=counts,
                    **common)
    add("max_pool_dilated", "MaxPool", [whole(5, 1, 2, 8, 9)], 2, kernel_shape=[2, 3], dilations=[3, 2], ceil_mode=1)
    add("average_pool_dilated", "AveragePool", [whole(5, 1, 2, 8, 9)], kernel_shape=[2, 3], dilations=[3, 2],
        pads=[1, 1, 1, 1], count_include_pad=1)
    for mode in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        add("average_pool_" + mode.lower(), "AveragePool", [whole(5, 1, 1, 7, 8)], kernel_shape=[3, 4], strides=[2, 3],
            auto_pad=mode)
    add("average_pool_old", "AveragePool", [whole(5, 1, 1, 7, 8)], version=10, kernel_shape=[3, 3], ceil_mode=1,
        strides=[2, 2])
    for op in ("MaxPool", "AveragePool"):  # the last window would begin in the padding
        add(op.lower() + "_padded_end", op, [whole(5, 1, 1, 4, 4)], kernel_shape=[3, 3], strides=[3, 3],
            pads=[1, 1, 1, 1], ceil_mode=1)
    add("max_pool_half", "MaxPool", [whole(5, 1, 1, 7, 8, kind=HALF)], kernel_shape=[3, 3])
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        add(op.lower(), op, [whole(5, 2, 3, 4, 5, 6)])
    for p in (1, 2, 3):
        add("global_lp_pool_%d" % p, "GlobalLpPool", [whole(5, 2, 3, 4, 5)], version=21, p=p)
    places = numpy.array([[[[5, 7], [13, 15]], [[22, 20], [29, 31]]]], numpy.int64)
    add("max_unpool", "MaxUnpool", [whole(5, 1, 2, 2, 2), places], kernel_shape=[2, 2], strides=[2, 2])
    regions = numpy.array([[0, 0, 0, 3, 3], [0, 1, 1, 6, 5], [0, 3, 2, 3, 2], [0, 0, 4, 9, 9]], FLOAT)
    add("max_roi_pool", "MaxRoiPool", [whole(6, 1, 2, 8, 8), regions], version=21, pooled_shape=[2, 3],
        spatial_scale=.75)


def regions():
    corners = numpy.array([[0, 0, 3, 3], [1.5, .5, 6, 5], [3, 2, 3, 2], [-4, 4, 19, 9], [5, 5, 5.5, 7], [6, 6, 2, 3]],
                          FLOAT)
    pictures = numpy.array([0, 1, 0, 1, 1, 0], numpy.int64)
    for mode in ("half_pixel", "output_half_pixel"):
        for samples in (0, 2):
            for size in (1, 3):
                add("roi_align_%s_%d_%d" % (mode, samples, size), "RoiAlign", [real(6, 2, 2, 8, 9), corners, pictures],
                    version=16, coordinate_transformation_mode=mode, sampling_ratio=samples, output_height=size,
                    output_width=2, spatial_scale=.8)
    # More than 160 samples of a bin along an axis.
    long = numpy.array([[0, 0, 400, 400], [3.25, 10, 390.5, 20.75], [-0.5, 100, 50, 401], [380, 0, 300, 4]], FLOAT)
    for mode in ("half_pixel", "output_half_pixel"):
        add("roi_align_long_" + mode, "RoiAlign", [real(7, 2, 2, 400, 403), long[:3], numpy.array([0, 1, 1])], version=16,
            output_height=2, output_width=2, sampling_ratio=0, coordinate_transformation_mode=mode)
    add("roi_align_long_one", "RoiAlign", [real(7, 1, 3, 700, 170), long[:2], numpy.array([0, 0])], version=16,
        output_height=1, output_width=3, sampling_ratio=0)
    add("roi_align_many_samples", "RoiAlign", [real(7, 2, 2, 30, 20), long[1:] / 18, numpy.array([0, 1, 1])], version=16,
        output_height=2, output_width=3, sampling_ratio=200)
    add("roi_align_old", "RoiAlign", [real(6, 2, 2, 8, 9), corners, pictures], version=10, output_height=2,
        output_width=2, spatial_scale=.5)


def respond_far(x, size, alpha, beta, bias):
    """The same of one plane, by differences of sums."""
    before, after, channels = (size - 1) // 2, size // 2, x.shape[1]
    sums = numpy.concatenate([[0], numpy.cumsum(x.astype(float).ravel() ** 2)])
    squares = [sums[min(c + after + 1, channels)] - sums[max(c - before, 0)] for c in range(channels)]
    return (x / (bias + alpha / size * numpy.reshape(squares, x.shape)) ** beta).astype(FLOAT)


def respond(x, size, alpha, beta, bias):
    x, squares = x.astype(float), 0
    for offset in range(-((size - 1) // 2), size - (size - 1) // 2):
        moved = numpy.zeros_like(x)
        for c in range(x.shape[1]):
            if 0 <= c + offset < x.shape[1]:
                moved[:, c] = x[:, c + offset] ** 2
        squares = squares + moved
    return (x / (bias + alpha / size * squares) ** beta).astype(FLOAT)


def norm_groups(x, gamma, beta, groups, silu):
    parts = x.astype(float).reshape(x.shape[0], x.shape[1], x.shape[2], groups, -1)
    parts = parts - parts.mean((1, 2, 4), keepdims=True)
    parts = parts / numpy.sqrt((parts ** 2).mean((1, 2, 4), keepdims=True) + 1e-5)
    y = parts.reshape(x.shape) * gamma + beta
    return (y / (1 + numpy.exp(-y)) if silu else y).astype(x.dtype)


def normalization():
    x, c = real(7, 2, 6, 4, 5), [real(8 + i, 6) for i in range(3)] + [numpy.abs(real(12, 6)) + FLOAT(.5)]
    for version in (7, 9, 14, 15):
        add("batch_normalization_%d" % version, "BatchNormalization", [x] + c, version=version, epsilon=.01)
    add("batch_normalization_training", "BatchNormalization", [x] + c, 3, version=15, training_mode=1, momentum=.75)
    add("batch_normalization_matrix", "BatchNormalization", [x[:, :, 0, 0].copy()] + c, version=15)
    add("instance_normalization_1d", "InstanceNormalization", [x[:, :, 0].copy(), c[0], c[1]])
    add("instance_normalization_3d", "InstanceNormalization", [x.reshape(2, 6, 2, 2, 5), c[0], c[1]], constants=(1, 2))
    add("group_normalization_21", "GroupNormalization", [x, c[0], c[1]], version=21, num_groups=3)
    add("lrn_even", "LRN", [x], size=4, alpha=.5, bias=2., expected=[respond(x, 4, .5, .75, 2)])
    far = real(77, 1, 10500, 1, 1)
    add("lrn_far", "LRN", [far], size=20001, alpha=2., expected=[respond_far(far, 20001, 2, .75, 1)])
    add("lrn_1d", "LRN", [x[:, :, 0].copy()], size=3, expected=[respond(x[:, :, 0], 3, .0001, .75, 1)])
    for kind in (FLOAT, HALF):
        y = real(7, 2, 4, 5, 6, kind=kind)
        for silu in (0, 1):
            add("group_norm_%s_%d" % (numpy.dtype(kind).name, silu), "GroupNorm", [y, c[0], c[1]], groups=3,
                domain="com.microsoft", activation=silu, expected=[norm_groups(y, c[0], c[1], 3, silu)])
    add("lp_normalization", "LpNormalization", [numpy.concatenate([x, 0 * x])], axis=1, p=2)
    add("mean_variance", "MeanVarianceNormalization", [x], version=13, axes=[0, 2, 3])
    for kind in (FLOAT, HALF):
        name, y = numpy.dtype(kind).name, real(7, 2, 3, 8, kind=kind)
        g, b = real(9, 8, kind=kind), real(10, 8, kind=kind)
        add("layer_normalization_" + name, "LayerNormalization", [y, g, b], 3 if kind is FLOAT else 1, version=17)
        add("skip_layer_" + name, "SkipLayerNormalization", [y, real(11, 2, 3, 8, kind=kind), g, b,
            real(12, 8, kind=kind)], ["y0", "", "", "y3"], domain="com.microsoft", epsilon=.001)
        add("skip_simplified_" + name, "SkipSimplifiedLayerNormalization", [y, real(11, 2, 3, 8, kind=kind), g,
            real(12, 8, kind=kind)], ["y0", "", "", "y3"], domain="com.microsoft")
        add("simplified_layer_" + name, "SimplifiedLayerNormalization", [y, g], version=17)
    add("layer_normalization_axis", "LayerNormalization", [x, real(9, 4, 5)], version=17, axis=2)
    add("skip_layer_broadcast", "SkipLayerNormalization", [real(7, 2, 3, 8), real(11, 1, 3, 8), real(9, 8)],
        domain="com.microsoft")
    ids = numpy.array([[1, 3, 2], [0, 4, 4]], numpy.int32)
    tables = [real(20, 5, 8), real(21, 4, 8), real(22, 2, 8), real(23, 8), real(24, 8)]
    mask = numpy.array([[1, 1, 0], [1, 1, 1]], numpy.int32)
    add("embed_layer", "EmbedLayerNormalization", [ids, ids % 2] + tables + [mask], 2, domain="com.microsoft")
    add("embed_layer_sum", "EmbedLayerNormalization", [ids, None, tables[0], tables[1], None, tables[3], tables[4],
        mask, ids[:, ::-1] % 4], 3, domain="com.microsoft")
    add("softmax_old", "Softmax", [real(7, 2, 3, 4)], version=11, axis=1)
    add("log_softmax_old", "LogSoftmax", [real(7, 2, 3, 4)], version=9)
    add("hardmax_old", "Hardmax", [whole(7, 2, 3, 4)], version=11, axis=1)


def reductions():
    for op in ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"):
        add("reduce_old_" + op.lower(), "Reduce" + op, [numpy.abs(real(13, 2, 3, 4))], version=11, axes=[0, 2],
            keepdims=0)
        add("reduce_scalar_" + op.lower(), "Reduce" + op, [numpy.array(2.5, FLOAT)], version=18)
        add("reduce_nothing_" + op.lower(), "Reduce" + op, [numpy.abs(real(13, 2, 3)),
            numpy.array([], numpy.int64)], version=18, noop_with_empty_axes=1, constants=(1,))
    for kind in (numpy.int32, numpy.int64):
        for op in ("Sum", "Mean", "Max", "Min", "Prod"):
            add("reduce_%s_%s" % (op.lower(), kind.__name__), "Reduce" + op, [whole(13, 3, 4, 5, kind=kind)],
                version=11, axes=[1])
    for op in ("ArgMax", "ArgMin"):
        for last in (0, 1):
            add("%s_%d" % (op.lower(), last), op, [whole(13, 3, 9, low=0, high=3)], version=13, axis=-1, keepdims=0,
                select_last_index=last)
        add(op.lower() + "_bytes", op, [whole(13, 3, 9, kind=numpy.int8)], version=13)


def products():
    for kind in (FLOAT, HALF, numpy.int32, numpy.int64, numpy.uint32):
        name, low = numpy.dtype(kind).name, 0 if kind is numpy.uint32 else -4
        add("matmul_" + name, "MatMul", [whole(14, 2, 1, 3, 4, kind=kind, low=low),
            whole(15, 5, 4, 2, kind=kind, low=low)], version=13)
    for kind in (numpy.int32, numpy.uint32, numpy.int64, numpy.uint64):  # so many terms are products of bytes
        limits = numpy.iinfo(kind)
        random = numpy.random.default_rng(16)
        add("matmul_large_" + numpy.dtype(kind).name, "MatMul",
            [random.integers(limits.min, limits.max, sizes, kind) for sizes in ((2, 130, 140), (140, 150))], version=13)
    add("matmul_long", "MatMul", [whole(14, 40, 9000, kind=numpy.int64, low=-2**40, high=2**40),
                                  whole(15, 9000, 15, kind=numpy.int64, low=-2**40, high=2**40)], version=13)
    add("matmul_large_batches", "MatMul", [whole(14, 2, 1, 2, 80, 90, kind=numpy.int32), whole(15, 2, 2, 90, 80, kind=numpy.int32)],
        version=13)
    add("matmul_512", "MatMul", [whole(14, 512, 512, kind=numpy.int32), whole(15, 512, 512, kind=numpy.int32)], version=13)
    add("matmul_integer_long", "MatMulInteger",
        [whole(14, 2, 1000001, kind=numpy.uint8, low=0, high=9), whole(15, 1000001, 1, kind=numpy.int8), numpy.array(3, numpy.uint8),
         numpy.array(-2, numpy.int8)], version=13)
    add("matmul_6d", "MatMul", [whole(14, 2, 1, 2, 1, 3, 4), whole(15, 3, 1, 2, 4, 2)], version=13)
    add("matmul_rows", "MatMul", [whole(14, 2, 5, 3, 4), whole(15, 4, 70)], version=13, constants=(1,))
    add("matmul_nothing", "MatMul", [whole(14, 2, 0), whole(15, 0, 3)], version=13)
    add("matmul_empty", "MatMul", [whole(14, 0, 2), whole(15, 2, 3)], version=13)
    for kind in (FLOAT, HALF):
        add("gemm_" + numpy.dtype(kind).name, "Gemm", [whole(14, 4, 3, kind=kind), whole(15, 5, 4, kind=kind),
            whole(16, 3, 1, kind=kind)], version=13, transA=1, transB=1, alpha=.5, beta=2.)
    add("gemm_7", "Gemm", [whole(14, 3, 4), whole(15, 4, 5), whole(16, 5)], version=7)
    add("gemm_scalar", "Gemm", [whole(14, 3, 4), whole(15, 4, 5), numpy.array(2, FLOAT)], version=13)
    for turns in range(16):
        a = turns & 1, turns >> 1 & 1
        b = turns >> 2 & 1, turns >> 3 & 1
        m, n, k, batch, more = 2, 3, 4, 5, 2
        shapes = []
        for (last, leading), (rows, columns) in ((a, (m, k)), (b, (k, n))):
            rows, columns = (columns, rows) if last else (rows, columns)
            shapes.append((rows, batch, more, columns) if leading else (batch, more, rows, columns))
        add("fused_matmul_%d" % turns, "FusedMatMul", [whole(14, *shapes[0]), whole(15, *shapes[1])],
            domain="com.microsoft", transA=a[0], transBatchA=a[1], transB=b[0], transBatchB=b[1], alpha=.5)
    a, b = whole(14, 2, 3, 4), whole(15, 2, 3, 5)
    y = numpy.matmul(a.transpose(0, 2, 1), b) * FLOAT(.5)
    add("fused_matmul_activation", "FusedMatMulActivation", [a, b], domain="com.microsoft", transA=1, alpha=.5,
        activation="Relu", expected=[numpy.maximum(y, 0)])
    add("fused_gemm", "FusedGemm", [whole(14, 3, 4), whole(15, 4, 5), whole(16, 5)], domain="com.microsoft",
        activation="LeakyRelu", activation_alpha=.25)
    equations = ("ij,jk->ik", "ij,jk", "bij,bjk->bik", "...ij,...jk->...ik", "ii->i", "ii", "ij->ji", "ij,ij->",
                 "i,j->ij", "bhid,bhjd->bhij", "bij,jk,kl->bl", "ijk->kj", "iji->j", "abc,cd,bd->ad", "ij,ij,ij->i", "ib,kb,hb->ikh",
                 " i j , j -> i ", "...i->...", "b i...,b j...->b...")
    sizes = dict(zip("abcdhijklmn", (2, 3, 4, 5, 2, 3, 4, 5, 2, 2, 2)))
    for number, equation in enumerate(equations):
        operands = equation.replace(" ", "").split("->")[0].split(",")
        tensors = []
        for i, operand in enumerate(operands):
            shape = []
            for part in operand.replace("...", "."):
                shape += ([2, 3] if i == 0 else [3]) if part == "." else [sizes[part]]
            tensors.append(whole(17 + i, *shape))
        expected = [numpy.array(numpy.einsum(equation.replace(" ", ""), *tensors))]
        add("einsum_%d" % number, "Einsum", tensors, version=12, equation=equation, expected=expected)
    add("einsum_integers", "Einsum", [whole(17, 2, 3, kind=numpy.int64), whole(18, 3, 4, kind=numpy.int64)], version=12,
        equation="ij,jk->ki")


def losses():
    scores, classes, weights = real(30, 3, 5, 2), whole(31, 3, 2, kind=numpy.int64, low=0), numpy.abs(real(32, 5))
    for reduction in ("none", "sum", "mean"):
        for ignored in (None, 2):
            more = {} if ignored is None else {"ignore_index": ignored}
            tag = "%s_%s" % (reduction, ignored)
            add("likelihood_" + tag, "NegativeLogLikelihoodLoss", [scores, classes, weights], version=13,
                reduction=reduction, **more)
            add("cross_entropy_" + tag, "SoftmaxCrossEntropyLoss", [scores, classes], 2, version=13,
                reduction=reduction, **more)


def recurrent():
    steps, batch, size, hidden = 5, 3, 4, 6
    lengths = numpy.array([5, 2, 0], numpy.int32)
    for op, gates, functions in (("RNN", 1, 1), ("GRU", 3, 2), ("LSTM", 4, 3)):
        outputs = 3 if op == "LSTM" else 2
        for direction, d in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            x = real(40, steps, batch, size)
            w, r = real(41, d, gates * hidden, size), real(42, d, gates * hidden, hidden)
            b, h = real(43, d, 2 * gates * hidden), real(44, d, batch, hidden)
            more = [real(45, d, batch, hidden), real(46, d, 3 * hidden)] if op == "LSTM" else []
            common = dict(version=14, hidden_size=hidden, direction=direction)
            name = "%s_%s" % (op.lower(), direction)
            add(name, op, [x, w, r, b, None, h] + more, outputs, constants=(1, 2, 3), **common)
            add(name + "_lengths", op, [x, w, r, b, lengths, h] + more, outputs, **common)
            add(name + "_plain", op, [x, w, r], outputs, **common)
            add(name + "_functions", op, [x, w, r], outputs, activations=(["HardSigmoid", "LeakyRelu", "Softsign",
                "Affine", "Elu", "Softplus"] * 2)[:functions * d],
                activation_alpha=[.25, .5, .75][:max(functions, 2) + 1], activation_beta=[.5, .125], **common)
        results = run(build(Case("", op, [x, w, r, b, None, h], outputs, **common))[0], [x, w, r, b, h])
        results = [results[0].transpose(2, 0, 1, 3)] + [value.swapaxes(0, 1) for value in results[1:]]
        add(op.lower() + "_batch_first", op, [x.swapaxes(0, 1).copy(), w, r, b, None, h.swapaxes(0, 1).copy()], outputs,
            layout=1, expected=results, **common)
        add(op.lower() + "_last_only", op, [x, w, r], ["", "y1"], **common)
        if op == "GRU":
            add("gru_linear", op, [x, w, r, b, lengths, h], outputs, linear_before_reset=1, **common)
        if op == "LSTM":
            add("lstm_clip", op, [x, w, r, b], outputs, clip=.25, **common)
            add("lstm_coupled", op, [x, w, r, b], outputs, input_forget=1, **common)


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    for family in (convolutions, pooling, regions, normalization, reductions, products, losses, recurrent):
        family()
    for case in CASES:
        if not names or any(name in case.name for name in names):
            try:
                write(case, folder)
            except Exception as error:  # ONNX Runtime's, which has no common class
                print("no result for %s: %s" % (case.name, str(error).splitlines()[0][:200]))


if __name__ == "__main__":
    main()
