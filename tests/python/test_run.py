"""vkdml.run() against NumPy, on a Vulkan device and on the reference. Prints TAP. VKDML_DEVICE picks the device."""
import unittest

import numpy as np
import tap
import vkdml

random = np.random.default_rng(13)


def floats(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def integers(*shape, dtype=np.int32, least=-9, most=9):
    return random.integers(least, most, shape, endpoint=True).astype(dtype)


class Runs:
    """Tests that both devices have. `label` names the device."""

    def run_on(self, operator, **fields):
        return vkdml.run(operator, device=self.device, **fields)

    def assert_equal(self, actual, expected):
        expected = np.asarray(expected)
        self.assertEqual((actual.dtype, actual.shape), (expected.dtype, expected.shape))
        np.testing.assert_array_equal(actual, expected)

    def assert_near(self, actual, expected):
        self.assertEqual(actual.shape, expected.shape)
        np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-5)

    def test_add(self):
        """a sum has the sizes and the type of its operands"""
        for dtype in (np.float32, np.float16, np.int64, np.uint8):
            a, b = integers(3, 5, dtype=dtype, least=0), integers(3, 5, dtype=dtype, least=0)
            self.assert_equal(self.run_on("ELEMENT_WISE_ADD", ATensor=a, BTensor=b), a + b)

    def test_names(self):
        """operators go by short and by full names, in any case"""
        x = floats(4)
        for name in ("ELEMENT_WISE_ABS", "DML_OPERATOR_ELEMENT_WISE_ABS", "element_wise_abs"):
            self.assert_equal(self.run_on(name, InputTensor=x), np.abs(x))

    def test_lists(self):
        """what np.asarray() takes is a tensor too, and a number is one of one element"""
        self.assert_equal(self.run_on("ELEMENT_WISE_NEGATE", InputTensor=[1, -2]), np.array([-1, 2]))
        self.assert_equal(self.run_on("ELEMENT_WISE_NEGATE", InputTensor=np.float32(3)), np.array([-3], np.float32))

    def test_scale_bias(self):
        """a ScaleBias is a pair"""
        x = integers(7, dtype=np.float32)
        self.assert_equal(self.run_on("ELEMENT_WISE_IDENTITY", InputTensor=x, ScaleBias=(2, 0.5)), x * 2 + np.float32(0.5))

    def test_compare(self):
        """comparisons give UINT8, or what is asked for"""
        a, b = integers(9), integers(9)
        less = {"ATensor": a, "BTensor": b}
        self.assert_equal(self.run_on("ELEMENT_WISE_LOGICAL_LESS_THAN", **less), (a < b).astype(np.uint8))
        self.assert_equal(self.run_on("ELEMENT_WISE_LOGICAL_LESS_THAN", OutputTensor="UINT32", **less), (a < b).astype(np.uint32))

    def test_bools(self):
        """arrays of bool are UINT8"""
        condition = np.array([True, False, True])
        out = self.run_on("ELEMENT_WISE_IF", ConditionTensor=condition, ATensor=[1, 2, 3], BTensor=[4, 5, 6])
        self.assert_equal(out, np.array([1, 5, 3]))

    def test_cast(self):
        """a cast takes its type from OutputTensor, by NumPy's name or DirectML's"""
        x = floats(11) * 100
        for type_ in (np.int16, "int16", "INT16", "DML_TENSOR_DATA_TYPE_INT16", np.dtype("int16")):
            self.assert_equal(self.run_on("CAST", InputTensor=x, OutputTensor=type_), x.astype(np.int16))

    def test_clip(self):
        """scalars have the tensors' type, to the last bit"""
        x = np.array([-2**62 - 1, 5, 2**62 + 1])
        self.assert_equal(self.run_on("ELEMENT_WISE_CLIP1", InputTensor=x, Min=-2**62 + 1, Max=2**62 - 1),
                          x.clip(-2**62 + 1, 2**62 - 1))

    def test_gemm(self):
        """GEMM: transposes, C, Alpha, Beta and a fused activation, batches too"""
        a, b, c = floats(2, 3, 4), floats(2, 5, 4), floats(2, 3, 5)
        out = self.run_on("GEMM", ATensor=a, BTensor=b, CTensor=c, TransB="TRANSPOSE", Alpha=2, Beta=0.5, FusedActivation="RELU")
        self.assert_near(out, np.maximum(2 * a @ b.transpose(0, 2, 1) + c / 2, 0))
        self.assert_near(self.run_on("GEMM", ATensor=a.transpose(0, 2, 1), BTensor=b, TransA=1, TransB=1), a @ b.transpose(0, 2, 1))

    def test_fused(self):
        """a fused activation takes attributes, and has their defaults"""
        a, zeros = np.array([-4, 4], np.float32), np.zeros(2, np.float32)
        for activation, expected in (("ACTIVATION_LEAKY_RELU", -0.04), (("LEAKY_RELU", {"Alpha": 0.5}), -2), (("RELU",), 0)):
            out = self.run_on("ELEMENT_WISE_ADD1", ATensor=a, BTensor=zeros, FusedActivation=activation)
            np.testing.assert_allclose(out, np.array([expected, 4], np.float32), rtol=1e-6)

    def test_fused_axes(self):
        """SOFTMAX1 may be fused too, over axes that count from the end"""
        a, b = floats(3, 4), floats(4, 5)
        powers = np.exp(a @ b)
        for activation in ("SOFTMAX", ("SOFTMAX1", {"Axes": [-1]}), ("SOFTMAX1", {"Axes": 1})):
            self.assert_near(self.run_on("GEMM", ATensor=a, BTensor=b, FusedActivation=activation),
                             powers / powers.sum(1, keepdims=True))

    def test_convolution(self):
        """a convolution infers its output's sizes, forward and backward"""
        x, filter_ = floats(1, 2, 7), floats(3, 2, 3)
        out = self.run_on("CONVOLUTION", InputTensor=x, FilterTensor=filter_, Strides=2, StartPadding=1, EndPadding=[1])
        padded = np.pad(x, [(0, 0), (0, 0), (1, 1)])
        expected = [[[(padded[0, :, 2 * i:2 * i + 3] * f).sum() for i in range(4)] for f in filter_]]
        self.assert_near(out, np.array(expected))
        back = self.run_on("CONVOLUTION", InputTensor=out, FilterTensor=filter_, Direction="BACKWARD", Strides=2)
        self.assertEqual(back.shape, (1, 2, 9))

    def test_pooling(self):
        """maxima, and their places where they are named"""
        x = random.permutation(2 * 36).reshape(1, 2, 6, 6).astype(np.float32)
        blocks = x.reshape(1, 2, 3, 2, 3, 2).transpose(0, 1, 2, 4, 3, 5).reshape(1, 2, 3, 3, 4)
        self.assert_equal(self.run_on("MAX_POOLING", InputTensor=x, WindowSize=[2, 2], Strides=2), blocks.max(-1))
        out = self.run_on("MAX_POOLING2", InputTensor=x, WindowSize=[2, 2], Strides=2, OutputIndicesTensor=True)
        self.assertEqual(out._fields, ("OutputTensor", "OutputIndicesTensor"))
        self.assert_equal(x.reshape(-1)[out.OutputIndicesTensor], out.OutputTensor)
        self.assertIsInstance(self.run_on("MAX_POOLING2", InputTensor=x, WindowSize=[2, 2]), np.ndarray)

    def test_padding(self):
        """padding is np.pad(), in all five modes"""
        x = integers(4, 5, dtype=np.int8)
        for mode, name in (("EDGE", "edge"), ("REFLECTION", "reflect"), ("SYMMETRIC", "symmetric"), ("WRAP", "wrap")):
            out = self.run_on("PADDING", InputTensor=x, PaddingMode=mode, StartPadding=[2, 1], EndPadding=[0, 3])
            self.assert_equal(out, np.pad(x, [(2, 0), (1, 3)], name))
        self.assert_equal(self.run_on("PADDING1", InputTensor=x, PaddingValue=-7, EndPadding=1),
                          np.pad(x, [(0, 1), (0, 1)], constant_values=-7))

    def test_reduce(self):
        """reductions keep their dimensions; axes may count from the end"""
        x = integers(2, 3, 4)
        self.assert_equal(self.run_on("REDUCE", Function="SUM", InputTensor=x, Axes=[-1, 0]),
                          x.sum((0, 2), keepdims=True, dtype=np.int32))
        self.assert_equal(self.run_on("REDUCE", Function="MAX", InputTensor=x, Axes=1), x.max(1, keepdims=True))
        self.assert_equal(self.run_on("ARGMAX", InputTensor=x, Axes=[1]), x.argmax(1)[:, None].astype(np.uint32))

    def test_softmax(self):
        """SOFTMAX1 over an axis"""
        x = floats(3, 6)
        powers = np.exp(x - x.max(-1, keepdims=True))
        self.assert_near(self.run_on("ACTIVATION_SOFTMAX1", InputTensor=x, Axes=-1), powers / powers.sum(-1, keepdims=True))

    def test_batch_normalization(self):
        """what is broadcast may have sizes of 1"""
        x = floats(2, 3, 4, 5)
        per_channel = [floats(1, 3, 1, 1), np.abs(floats(1, 3, 1, 1)) + 1, floats(1, 3, 1, 1), floats(1, 3, 1, 1)]
        mean, variance, scale, bias = per_channel
        out = self.run_on("BATCH_NORMALIZATION", InputTensor=x, MeanTensor=mean, VarianceTensor=variance, ScaleTensor=scale,
                          BiasTensor=bias)
        self.assert_near(out, scale * (x - mean) / np.sqrt(variance + np.float32(1e-5)) + bias)

    def test_gather(self):
        """GATHER puts the indices' dimensions in place of the axis"""
        x = floats(1, 5, 4)
        self.assert_equal(self.run_on("GATHER", InputTensor=x, IndicesTensor=[[[3, 0], [-1, 2]]], Axis=1, IndexDimensions=2),
                          x[0][[[3, 0], [-1, 2]]])
        self.assert_equal(self.run_on("GATHER_ND", InputTensor=x[0], IndicesTensor=[[1], [4]]), x[0][[1, 4]])
        indices = integers(1, 5, 2, least=0, most=3)
        self.assert_equal(self.run_on("GATHER_ELEMENTS", InputTensor=x, IndicesTensor=indices, Axis=2),
                          np.take_along_axis(x, indices, 2))

    def test_slice(self):
        """slices, with strides of either sign"""
        x = floats(7, 6)
        self.assert_equal(self.run_on("SLICE", InputTensor=x, Offsets=[1, 2], Sizes=[3, 4], Strides=[2, 1]), x[1:7:2, 2:6])
        self.assert_equal(self.run_on("SLICE1", InputTensor=x, InputWindowSizes=[7, 6], InputWindowStrides=[-1, 3]), x[::-1, ::3])

    def test_join_split(self):
        """arrays of tensors are lists"""
        parts = [floats(2, n) for n in (1, 3, 2)]
        joined = self.run_on("JOIN", InputTensors=parts, Axis=1)
        self.assert_equal(joined, np.concatenate(parts, 1))
        for back, part in zip(self.run_on("SPLIT", InputTensor=joined, OutputTensors=[(2, 1), (2, 3), (2, 2)], Axis=1), parts):
            self.assert_equal(back, part)
        halves = self.run_on("SPLIT", InputTensor=joined, OutputTensors=2, Axis=-1)
        self.assert_equal(halves[1], joined[:, 3:])

    def test_rearranging(self):
        """TILE, SPACE_TO_DEPTH and back"""
        x = integers(1, 2, 4, 6)
        self.assert_equal(self.run_on("TILE", InputTensor=x, Repeats=[1, 2, 1, 3]), np.tile(x, [1, 2, 1, 3]))
        deep = self.run_on("SPACE_TO_DEPTH", InputTensor=x, BlockSize=2)
        self.assertEqual(deep.shape, (1, 8, 2, 3))
        self.assert_equal(self.run_on("DEPTH_TO_SPACE", InputTensor=deep, BlockSize=2), x)

    def test_top_k(self):
        """several outputs are a named tuple"""
        x = random.permutation(20).reshape(4, 5).astype(np.float32)
        out = self.run_on("TOP_K", InputTensor=x, Axis=1, K=3, OutputIndexTensor=np.uint64)
        self.assert_equal(out.OutputValueTensor, -np.sort(-x, 1)[:, :3])
        self.assert_equal(out.OutputIndexTensor, np.argsort(-x, 1)[:, :3].astype(np.uint64))

    def test_resample(self):
        """sizes follow from scales, or scales from sizes"""
        x = floats(2, 3)
        twice = x.repeat(2, 0).repeat(2, 1)
        self.assert_equal(self.run_on("RESAMPLE", InputTensor=x, InterpolationMode="NEAREST_NEIGHBOR", Scales=2), twice)
        self.assert_equal(self.run_on("RESAMPLE1", InputTensor=x, InterpolationMode="NEAREST_NEIGHBOR", OutputTensor=(4, 6)), twice)
        self.assert_equal(self.run_on("UPSAMPLE_2D", InputTensor=x[None, None], InterpolationMode="NEAREST_NEIGHBOR",
                                      ScaleSize=(2, 2))[0, 0], twice)
        gradient = floats(4, 6)
        self.assert_near(self.run_on("RESAMPLE_GRAD", InputGradientTensor=gradient, InterpolationMode="NEAREST_NEIGHBOR",
                                     Scales=2, OutputGradientTensor=(2, 3)), gradient.reshape(2, 2, 3, 2).sum((1, 3)))

    def test_nothing_in(self):
        """operators without inputs take their sizes and type from OutputTensor"""
        self.assert_equal(self.run_on("FILL_VALUE_SEQUENCE", OutputTensor=((2, 3), "INT16"), ValueStart=5, ValueDelta=-2),
                          np.arange(5, -7, -2, dtype=np.int16).reshape(2, 3))
        self.assert_equal(self.run_on("DIAGONAL_MATRIX", OutputTensor=np.empty((3, 4), np.float16), Offset=1),
                          np.eye(3, 4, 1, dtype=np.float16))

    def test_nonzero(self):
        """coordinates, of which those past the count are 0"""
        x = integers(4, 5, least=0, most=1)
        out = self.run_on("NONZERO_COORDINATES", InputTensor=x, zero_undefined=True)
        expected = np.argwhere(x)
        self.assertEqual(out.OutputCountTensor[0, 0], len(expected))
        self.assert_equal(out.OutputCoordinatesTensor[:len(expected)], expected.astype(np.uint32))
        self.assertFalse(out.OutputCoordinatesTensor[len(expected):].any())

    def test_4_bits(self):
        """elements of 4 bits are in bytes outside tensors"""
        q = vkdml.Tensor("INT4", (3, 3), values=np.arange(-8, 1).reshape(3, 3))
        scale = np.full((1, 1), 0.5, np.float32)
        out = self.run_on("DEQUANTIZE", InputTensor=q, QuantizationTensors=[scale])
        self.assert_equal(out, np.arange(-8, 1, dtype=np.float32).reshape(3, 3) / 2)
        self.assert_equal(self.run_on("QUANTIZE", InputTensor=out, QuantizationTensors=[scale], OutputTensor="INT4"),
                          np.arange(-8, 1, dtype=np.int8).reshape(3, 3))

    def test_layouts(self):
        """views are taken as they lie: transposed, with gaps, broadcast, backward, big-endian, unaligned"""
        whole = floats(8, 12)
        unaligned = np.frombuffer(bytearray(b"x" + whole.tobytes()), np.uint8)[1:].view(np.float32)
        for x in (whole.T, whole[1::3, ::2], np.broadcast_to(whole[0], (5, 12)), whole[::-1, ::-2], whole.astype(">f4"),
                  unaligned, whole[2:3, 3], whole[:, :1], np.broadcast_to(np.float16(3), (2, 2)), whole.astype(np.int8)[1:, 3:]):
            self.assert_equal(self.run_on("ELEMENT_WISE_NEGATE", InputTensor=x), -x.astype(x.dtype.newbyteorder("=")))

    def test_fill(self):
        """an array to fill is filled and returned, and what lies between its elements stays"""
        x, whole = floats(3, 4), np.full((6, 8), 7, np.float32)
        for view in (whole[::2, 1::2], whole[::-2, ::-2], whole.T[::2, :3].T):
            whole[:] = 7
            source = x[:view.shape[0], :view.shape[1]]
            out = self.run_on("ELEMENT_WISE_ABS", InputTensor=source, OutputTensor=view)
            self.assertIs(out, view)
            self.assert_equal(out, np.abs(source))
            self.assertEqual((whole == 7).sum(), whole.size - source.size)

    def test_output_strides(self):
        """a Tensor says an output's strides, and the bytes between its elements stay"""
        out = vkdml.empty((2, 3), np.int16, strides=(8, 2))
        out.memory[:] = 0xEE
        self.assert_equal(self.run_on("ELEMENT_WISE_NEGATE", InputTensor=np.full((2, 3), 5, np.int16), OutputTensor=out),
                          np.full((2, 3), -5, np.int16))
        self.assertEqual(out.memory.view(np.int16).tolist(), [-5, -0x1112, -5, -0x1112, -5, -0x1112, -0x1112, -0x1112, -5,
                                                              -0x1112, -5, -0x1112, -5, -0x1112])

    def test_owned(self):
        """inputs that the operator owns give the same"""
        a, b, c = floats(3, 4), floats(4, 5), floats(3, 5)
        gemm = {"ATensor": a, "BTensor": b, "CTensor": c}
        expected = self.run_on("GEMM", **gemm)
        for owned in (["BTensor"], ["CTensor", "BTensor"], list(gemm)):
            self.assert_equal(self.run_on("GEMM", owned=owned, **gemm), expected)

    def test_inputs_stay(self):
        """inputs are not written"""
        x = floats(6, 6)
        before = x.copy()
        x.flags.writeable = False
        self.run_on("CUMULATIVE_SUMMATION", InputTensor=x.T, Axis=0)
        self.assert_equal(x, before)

    def test_refused(self):
        """a refusal says which field breaks which rule, and the next call works"""
        for _ in range(3):
            with self.assertRaises(vkdml.Error) as caught:
                self.run_on("ELEMENT_WISE_ADD", ATensor=floats(2, 3), BTensor=floats(3, 2))
            self.assertEqual(caught.exception.result, "VKDML_ERROR_INVALID_ARGUMENT")
            self.assertIn("BTensor.Sizes[0] is 3, must be 2", caught.exception.reason)
        self.test_add()

    def test_levels(self):
        """a descriptor is held to the level that is named"""
        x = floats(1, 1, 2, 2)
        wrap = {"InputTensor": x, "PaddingMode": "WRAP", "EndPadding": 1}
        self.assertEqual(vkdml.run("PADDING", device=self.device, level="6_4", **wrap).shape, (2, 2, 3, 3))
        with self.assertRaisesRegex(vkdml.Error, "WRAP"):
            vkdml.run("PADDING", device=self.device, level="6_3", **wrap)


class OnDevice(Runs, unittest.TestCase):
    label, device = "device", None


class OnReference(Runs, unittest.TestCase):
    label, device = "reference", "reference"


if __name__ == "__main__":
    tap.main()
