"""Graphs: many operators compiled as one, held to the reference bit for bit. Prints TAP."""
import gc
import threading

import numpy as np
import tap
import vkdml
from on_device import OnDevice, Staged
from vkdml._value import strides_of

X = np.arange(12, dtype=np.float32).reshape(3, 4)
W = np.arange(8, dtype=np.float32).reshape(4, 2) - 3
RANDOM = np.random.default_rng(7)


def small(*sizes, dtype=np.float32):
    """Small integers, whose sums are exact in any order."""
    return RANDOM.integers(-2, 3, sizes).astype(dtype)


def network():
    """Convolutions, a residual, pooling, a classifier. Returns the graph, and what goes in."""
    graph = vkdml.Graph()
    x = graph.input("x", (2, 3, 8, 8), "FLOAT32")
    bias = graph.weight(small(4), "bias").reshape((1, 4, 1, 1))
    around = {"StartPadding": [1, 1], "EndPadding": [1, 1]}
    first = graph.add("CONVOLUTION", InputTensor=x, FilterTensor=small(4, 3, 3, 3), BiasTensor=bias, **around, name="conv1")
    y = graph.add("ACTIVATION_RELU", InputTensor=first, name="relu1")
    y = graph.add("CONVOLUTION", InputTensor=y, FilterTensor=small(4, 4, 3, 3), BiasTensor=bias, **around, name="conv2")
    y = graph.add("ELEMENT_WISE_ADD1", ATensor=y, BTensor=first, name="residual")
    y = graph.add("ACTIVATION_RELU", InputTensor=y, name="relu2")
    y = graph.add("MAX_POOLING", InputTensor=y, WindowSize=[2, 2], Strides=[2, 2], name="pool")
    y = graph.add("GEMM", ATensor=y.reshape((1, 1, 2, -1)), BTensor=small(1, 1, 5, 64), TransB="TRANSPOSE", name="classes")
    best = graph.add("TOP_K", InputTensor=y, Axis=-1, K=2, name="best")
    graph.outputs(scores=y.reshape((2, 5)), best=best.OutputIndexTensor)
    return graph, small(2, 3, 8, 8)


class Graphs(OnDevice):
    label = "device"

    def same(self, graph, *expected, **inputs):
        """Runs a graph by the reference, and compiled, as it is and node by node; holds all to what is expected of the outputs,
        or else to the reference. Returns that."""
        reference = graph.reference(**inputs)
        outputs = list(graph._outputs)
        listed = lambda results: list(results) if len(outputs) > 1 else [results]  # noqa: E731
        for result, wanted in zip(listed(reference), expected):
            np.testing.assert_array_equal(result, wanted)
            self.assertEqual((result.shape, result.dtype), (wanted.shape, wanted.dtype))
        for node_by_node in (False, True):
            with graph.compile(device=self.device, node_by_node=node_by_node) as compiled:
                for _ in range(2):
                    for name, result, wanted in zip(outputs, listed(compiled.run(**inputs)), listed(reference)):
                        np.testing.assert_array_equal(result, wanted, f"{name}, node by node: {node_by_node}")
                        self.assertEqual((result.shape, result.dtype), (wanted.shape, wanted.dtype))
                arrays = compiled(**{name: self.device.array(value) for name, value in inputs.items()})
                for array, wanted in zip(listed(arrays), listed(reference)):
                    np.testing.assert_array_equal(array.read(), wanted)
                    self.assertEqual((array.shape, array.dtype), (wanted.shape, wanted.dtype))
        return reference

    def test_network(self):
        """a network, fused and node by node, has the reference's bits"""
        graph, x = network()
        reference = self.same(graph, x=x)
        self.assertEqual(reference._fields, ("scores", "best"))
        self.assertEqual([value.shape for value in reference], [(2, 5), (1, 1, 2, 2)])
        np.testing.assert_array_equal(reference.best[0, 0], np.argsort(-reference.scores, 1, "stable")[:, :2])

    def test_steps(self):
        """a graph has the bits of its operators, run one by one"""
        graph = vkdml.Graph()
        x = graph.input("x", (3, 4), "FLOAT16")
        exp = graph.add("ELEMENT_WISE_EXP", InputTensor=x, ScaleBias=(0.25, 1))
        sine = graph.add("ELEMENT_WISE_SIN", InputTensor=exp)
        total = graph.add("ELEMENT_WISE_MULTIPLY", ATensor=sine, BTensor=exp)
        graph.outputs(total=total, sine=sine)
        half = RANDOM.standard_normal((3, 4)).astype(np.float16)
        a = vkdml.run("ELEMENT_WISE_EXP", InputTensor=half, ScaleBias=(0.25, 1), device="reference")
        b = vkdml.run("ELEMENT_WISE_SIN", InputTensor=a, device="reference")
        c = vkdml.run("ELEMENT_WISE_MULTIPLY", ATensor=b, BTensor=a, device="reference")
        reference = graph.reference(x=half)
        np.testing.assert_array_equal(reference.total, c)
        np.testing.assert_array_equal(reference.sine, b)
        compiled = graph.compile(device=self.device, node_by_node=True)
        for result, wanted in zip(compiled.run(x=half), (c, b)):
            self.assertLessEqual(abs(result.view(np.int16).astype(int) - wanted.view(np.int16)).max(), 2)

    def test_views(self):
        """values are reshaped, transposed, broadcast and viewed as others without an operator"""
        graph = vkdml.Graph()
        x = graph.input("x", (3, 4), "FLOAT32")
        y = graph.add("ELEMENT_WISE_NEGATE", InputTensor=x)
        row = y.view((4,))
        total = graph.add("ELEMENT_WISE_ADD", ATensor=y.transpose(), BTensor=row.view((4, 1)).broadcast_to((4, 3)))
        across = graph.add("ELEMENT_WISE_SUBTRACT", ATensor=x, BTensor=row.broadcast_to((3, 4)))
        bits = graph.add("ELEMENT_WISE_BIT_NOT", InputTensor=y.view((3, 8), type_="UINT16"))
        graph.outputs(total=total, across=across, bits=bits, turned=y.reshape((3, 2, 2)).transpose((2, -3, 1)),
                      doubled=y.reshape((1, 1, 12)).broadcast_to((2, 1, 12)), y=y, part=y.view((2, 2), (4, 1)), again=y,
                      raw=y.view((12,), type_="INT32"))
        self.same(graph, -X.T - X[0][:, None], X + X[0], ~(-X).view(np.uint16), (-X).reshape(3, 2, 2).transpose(2, 0, 1),
                  np.broadcast_to((-X).reshape(1, 12), (2, 1, 12)), -X, -X[:2, :2], -X, (-X).view(np.int32).reshape(12), x=X)
        self.assertEqual((y.shape, y.dtype, row.size_in_bytes), ((3, 4), np.float32, 48))
        self.assertEqual(repr(y.transpose()), "<Value FLOAT32 (4, 3), strides (1, 4) of ELEMENT_WISE_NEGATE.OutputTensor>")

    def test_reshape(self):
        """reshaping finds the strides that NumPy finds, and none where NumPy copies"""
        found = 0
        for _ in range(500):
            array = np.empty(RANDOM.choice([1, 2, 3, 4, 6], RANDOM.integers(1, 5)), np.uint8)
            array = array.transpose(RANDOM.permutation(array.ndim))
            array = array[..., ::RANDOM.integers(1, 3)] if RANDOM.integers(2) else np.broadcast_to(array, (2, *array.shape))
            rest, wanted = array.size, []
            while rest > 1:
                wanted.append(RANDOM.choice([size for size in (1, 2, 3, 4, 6, rest) if rest % size == 0]))
                rest //= wanted[-1]
            strides = strides_of(array.shape, array.strides, wanted)
            try:
                view = array.view()
                view.shape = wanted
            except AttributeError:
                self.assertIsNone(strides, (array.shape, array.strides, wanted))
                continue
            found += 1
            by_both = [(one, other) for size, one, other in zip(wanted, strides, view.strides) if size > 1 and one != other]
            self.assertEqual(by_both, [], (array.shape, array.strides, wanted))
        self.assertGreater(found, 100)

    def test_inputs(self):
        """inputs have their layouts, whatever comes; those that nothing reads need not come"""
        graph = vkdml.Graph()
        x = graph.input("x", (3, 4), "FLOAT32", strides=(1, 3))
        bytes_ = graph.input("class", 4, "INT8")  # any name will do
        graph.input("unread", (7, 7), "FLOAT64")
        graph.outputs(y=graph.add("ELEMENT_WISE_ABS", InputTensor=x),
                      z=graph.add("ELEMENT_WISE_SIGN", InputTensor=bytes_.reshape((2, 2))))
        given = {"class": np.arange(-2, 2, dtype=np.int8)}
        compiled = graph.compile(device=self.device)
        for values in (-X, np.asfortranarray(-X), (-X).tolist(), (-X)[::-1]):
            for results in (compiled.run(x=values, **given), graph.reference(x=values, unread=3, **given)):
                np.testing.assert_array_equal(results.y, np.abs(np.array(values)))
                np.testing.assert_array_equal(results.z, [[-1, -1], [0, 1]])
        self.assertEqual(list(compiled.inputs), ["x", "class", "unread"])
        self.assertEqual(compiled.outputs["y"].strides, (4, 1))

    def test_outputs(self):
        """several outputs: named tuples, lists, those that nobody reads, those that are optional"""
        graph = vkdml.Graph()
        x = graph.input("x", (3, 4), "FLOAT32")
        first, second = graph.add("SPLIT", InputTensor=x, Axis=1, OutputTensors=[(3, 1), (3, 3)])
        best = graph.add("TOP_K", InputTensor=second, Axis=-1, K=1)
        self.assertEqual(best._fields, ("OutputValueTensor", "OutputIndexTensor"))
        pooled = graph.add("MAX_POOLING2", InputTensor=x.reshape((1, 1, 3, 4)), WindowSize=[2, 2], OutputIndicesTensor=True)
        graph.add("ELEMENT_WISE_EXP", InputTensor=first)  # nobody's
        graph.outputs(value=best.OutputValueTensor, where=pooled.OutputIndicesTensor)
        self.same(graph, X[:, 3:], np.array([[[[5, 6, 7], [9, 10, 11]]]], np.uint32), x=X)
        graph.outputs({"first": first})
        self.same(graph, X[:, :1], x=X)
        graph.outputs({"any-name": pooled.OutputTensor})
        self.same(graph, X.reshape(1, 1, 3, 4)[..., 1:, 1:], x=X)

    def test_described_outputs(self):
        """outputs may be given a type, a shape, both, or strides"""
        graph = vkdml.Graph()
        x = graph.input("x", (3, 4), "FLOAT32")
        spaced = graph.add("CAST", InputTensor=x, OutputTensor=vkdml.empty((3, 4), "UINT8", strides=(9, 2)))
        self.assertEqual((spaced.strides, spaced.size_in_bytes), ((9, 2), 28))
        graph.outputs(spaced=spaced, packed=graph.add("ELEMENT_WISE_IDENTITY", InputTensor=spaced, OutputTensor=(3, 4)),
                      sequence=graph.add("FILL_VALUE_SEQUENCE", OutputTensor=((3,), "INT32"), ValueStart=1, ValueDelta=2))
        self.same(graph, X.astype(np.uint8), X.astype(np.uint8), np.array([1, 3, 5], np.int32), x=X)

    def test_weights(self):
        """of an array there is one weight, which is read when the graph is compiled, and then no more"""
        graph, w, joined = vkdml.Graph(), W.copy(), small(3, 2)
        x = graph.input("x", (3, 4), "FLOAT32")
        y = graph.add("GEMM", ATensor=x, BTensor=w)
        z = graph.add("GEMM", ATensor=y, BTensor=graph.weight(w), TransB="TRANSPOSE")
        self.assertIs(graph.weight(w).graph, graph)
        graph.outputs(z=z, j=graph.add("JOIN", InputTensors=[y, joined, joined.copy(), y], Axis=0))
        self.same(graph, X @ W @ W.T, np.concatenate([X @ W, joined, joined, X @ W]), x=X)
        compiled = graph.compile(device=self.device)
        w *= 2
        np.testing.assert_array_equal(compiled.run(x=X).z, X @ W @ W.T)
        np.testing.assert_array_equal(graph.compile(device=self.device).run(x=X).z, 4 * X @ W @ W.T)
        self.assertEqual(repr(graph), "<vkdml.Graph: 1 inputs, 3 weights, 3 operators>")
        self.assertGreaterEqual(compiled.properties.persistent_bytes, W.nbytes)
        self.assertGreater(compiled.properties.temporary_bytes, 0)

    def test_weights_of_all_kinds(self):
        """weights are views, lists, broadcast, of 4 bits, of a device"""
        graph = vkdml.Graph()
        x = graph.input("x", (2, 2), "FLOAT32")
        nibbles = vkdml.Tensor("INT4", (2, 2), values=[[-8, -1], [0, 7]])
        quantized = graph.add("DEQUANTIZE", InputTensor=nibbles, QuantizationTensors=[np.full((1, 1), 0.5, np.float32)])
        on_device = graph.weight(self.device.array(X[:2, :2]))
        several = [quantized, X[::2, ::3], X[:2, :2].T, np.broadcast_to(X[1, 1:3], (2, 2)), [[1, 2.5], [3, 4]], on_device,
                   on_device.transpose(), X[:1, :2].astype(">f4").repeat(2, 0)]
        total = x
        for value in several:
            total = graph.add("ELEMENT_WISE_ADD", ATensor=total, BTensor=value)
        graph.outputs(total=total)
        wanted = sum([X[::2, ::3], X[:2, :2].T, X[1, 1:3], np.array([[1, 2.5], [3, 4]]), X[:2, :2], X[:2, :2].T, X[0, :2],
                      np.array([[-4, -0.5], [0, 3.5]])])
        self.same(graph, wanted.astype(np.float32), x=np.zeros((2, 2), np.float32))

    def test_fixed(self):
        """what depends on weights and constants alone is made when the graph is compiled"""
        graph, halves = vkdml.Graph(), W.astype(np.float16)
        x = graph.input("x", (3, 4), "FLOAT32")
        w = graph.add("CAST", InputTensor=halves, OutputTensor="FLOAT32", name="cast")
        w = graph.add("ELEMENT_WISE_MULTIPLY", ATensor=w, BTensor=graph.constant(np.float32(3)).broadcast_to((4, 2)))
        graph.outputs(y=graph.add("GEMM", ATensor=x, BTensor=w), w=w)
        self.same(graph, X @ (3 * W), 3 * W, x=X)

    def test_constants(self):
        """constants are as they were when they were given, of any type and number"""
        graph, values = vkdml.Graph(), np.array([3, 4, 5], np.int8)
        x = graph.input("x", (2, 3), "INT8")
        c = graph.constant(values, name="c")
        values[...] = 0
        first_bytes = graph.constant([1, 1, 1], "ones").view((3,), type_="INT8")  # 1, 0, 0
        graph.outputs(y=graph.add("ELEMENT_WISE_ADD", ATensor=x, BTensor=c.broadcast_to((2, 3))),
                      z=graph.add("ELEMENT_WISE_ADD", ATensor=c, BTensor=first_bytes))
        self.same(graph, np.full((2, 3), [4, 5, 6], np.int8), np.array([4, 4, 5], np.int8), x=np.ones((2, 3), np.int8))

    def test_without_inputs(self):
        """a graph may have no inputs at all"""
        graph = vkdml.Graph()
        root = graph.add("ELEMENT_WISE_SQRT", InputTensor=[4.0, 9.0])
        graph.outputs(y=graph.add("ELEMENT_WISE_NEGATE", InputTensor=root))
        self.same(graph, np.array([-2, -3], np.float32))

    def test_chained(self):
        """what one graph leaves on the device another takes, into arrays that stay"""
        first, second = vkdml.Graph(), vkdml.Graph()
        x = first.input("x", (3, 4), "FLOAT32")
        y = first.add("GEMM", ATensor=x, BTensor=W)
        first.outputs(y=y.transpose(), z=first.add("ELEMENT_WISE_ABS", InputTensor=y))
        a, b = second.input("a", (2, 3), "FLOAT32", strides=(1, 2)), second.input("b", (3, 2), "FLOAT32")
        second.outputs(s=second.add("GEMM", ATensor=a, BTensor=b))
        one, two = first.compile(device=self.device), second.compile(device=self.device)
        array, kept = self.device.empty((3, 4), "FLOAT32"), self.device.empty((2, 2), "FLOAT32")
        for n in range(3):
            array.write(n * X)
            y, z = one(x=array)
            self.assertIs(two(a=y, b=z, s=kept), kept)
            np.testing.assert_array_equal(kept.read(), n * n * (X @ W).T @ abs(X @ W))
        np.testing.assert_array_equal(two.run(a=y, b=abs(X @ W)), 2 * (X @ W).T @ abs(X @ W))
        np.testing.assert_array_equal(two(a=(X @ W).T, b=z).read(), 2 * (X @ W).T @ abs(X @ W))

    def test_again(self):
        """a graph may be added to, and compiled again, for other outputs and other devices"""
        graph = vkdml.Graph()
        x = graph.input("x", (3, 4), "FLOAT32")
        y = graph.add("ELEMENT_WISE_NEGATE", InputTensor=x)
        one = graph.compile({"y": y}, device=self.device)
        z = graph.add("GEMM", ATensor=y, BTensor=W)
        with vkdml.Device() as other:
            np.testing.assert_array_equal(graph.compile({"z": z}, device=other).run(x=X), -X @ W)
        np.testing.assert_array_equal(one.run(x=X), -X)
        best = graph.compile()  # on the best device, which the reference uses too
        np.testing.assert_array_equal(best.run(x=X), -X @ W)
        np.testing.assert_array_equal(graph.reference(x=best.device.array(X)), -X @ W)
        self.assertEqual(repr(one), f"<CompiledGraph x -> y on {self.device.name!r}>")

    def test_many_runs(self):
        """run after run, each with buffers of its own, which take the places of others"""
        graph = vkdml.Graph()
        x = graph.input("x", (4, 3, 32, 32), "FLOAT32")
        y = graph.add("CONVOLUTION", InputTensor=x, FilterTensor=small(8, 3, 3, 3), StartPadding=[1, 1], EndPadding=[1, 1])
        graph.outputs(y=graph.add("ACTIVATION_RELU", InputTensor=y))
        compiled, values = graph.compile(device=self.device, node_by_node=True), small(4, 3, 32, 32)
        reference = graph.reference(x=values)
        for n in range(20):
            np.testing.assert_array_equal(compiled.run(x=n * values), n * reference)

    def test_flags(self):
        """how to compile is as for run()"""
        graph = vkdml.Graph()
        x = graph.input("x", (2, 4), "FLOAT32")
        found = graph.add("NONZERO_COORDINATES", InputTensor=x)
        graph.outputs(count=found.OutputCountTensor, where=found.OutputCoordinatesTensor)
        result = graph.compile(device=self.device, zero_undefined=True, allow_half=True).run(x=np.eye(2, 4, 1, dtype=np.float32))
        self.assertEqual(result.where.tolist(), [[0, 1], [1, 2]] + [[0, 0]] * 6)

    def test_refused_values(self):
        """what no graph can hold is refused where it is written, by name"""
        graph, other = vkdml.Graph(), vkdml.Graph()
        x = graph.input("x", (2, 3), "FLOAT32")
        add = graph.add
        self.refused(ValueError, "ELEMENT_WISE_EXP: InputTensor is <Value .* of x>, a value of another graph", other.add,
                     "ELEMENT_WISE_EXP", InputTensor=x)
        self.refused(vkdml.Error, r"(?s)BTensor.Sizes\[0\] is 3, must be 2 = ATensor.Sizes\[0\].*ELEMENT_WISE_ADD is the node 'sum'",
                     add, "ELEMENT_WISE_ADD", ATensor=x, BTensor=np.ones((3, 3), np.float32), name="sum")
        self.refused(vkdml.Error, "(?m)^InputTensor was given as an array of float64: give InputTensor.astype", add,
                     "ELEMENT_WISE_EXP", InputTensor=np.ones(3))
        self.refused(TypeError, "ELEMENT_WISE_EXP: InputTensor is 'hello', must be an array of numbers", add, "ELEMENT_WISE_EXP",
                     InputTensor="hello")
        self.refused(TypeError, "ELEMENT_WISE_EXP: OutputTensor is an array of float32; what an operator of a graph writes is new",
                     add, "ELEMENT_WISE_EXP", InputTensor=x, OutputTensor=np.ones(3, np.float32))
        self.refused(TypeError, "did you mean InputTensor", add, "ELEMENT_WISE_EXP", InputTensr=x)
        self.refused(TypeError, "JOIN: InputTensors is <Value .*, must be a list of arrays", add, "JOIN", InputTensors=x, Axis=0)
        self.refused(ValueError, r"JOIN: InputTensors\[1\] is <Value .* of another graph", add, "JOIN", Axis=0,
                     InputTensors=[x, other.input("x", (1, 3), "FLOAT32")])
        self.refused(ValueError, "the graph has an input 'x' already", graph.input, "x", 1, "FLOAT32")
        self.refused(TypeError, "name is 3, must be a string", graph.input, 3, 1, "FLOAT32")
        self.refused(TypeError, "is a value already; weights are arrays", graph.weight, x)
        self.refused(TypeError, "a constant is 'c', must be an array of numbers", graph.constant, "c")
        y = add("ELEMENT_WISE_EXP", InputTensor=x)
        self.refused(ValueError, r"has 6 elements, cannot be reshaped to \(4, 2\)", y.reshape, (4, 2))
        self.refused(ValueError, r"has 6 elements, cannot be reshaped to \(-1, 4\)", y.reshape, (-1, 4))
        self.refused(ValueError, r"cannot be reshaped to \(6,\) where it lies: give ELEMENT_WISE_IDENTITY", y.transpose().reshape, 6)
        self.refused(ValueError, "reaches beyond its 24 bytes", y.view, (7,))
        self.refused(ValueError, r"axes are \(0, 0\), must be each of the 2 dimensions", y.transpose, (0, 0))
        self.refused(ValueError, r"cannot be broadcast to \(3, 3\)", y.broadcast_to, (3, 3))
        for function in (y.read, lambda: y.write(1), lambda: vkdml.run("ELEMENT_WISE_EXP", InputTensor=y, device="reference")):
            self.refused(TypeError, "is a value of a graph: it has no elements", function)

    def test_refused_outputs(self):
        """outputs are values that operators write, under names of their own"""
        graph = vkdml.Graph()
        x = graph.input("x", (2, 3), "FLOAT32")
        y = graph.add("ELEMENT_WISE_EXP", InputTensor=x)
        self.refused(TypeError, "the graph has no outputs yet", graph.reference, x=X)
        self.refused(TypeError, "the graph has no outputs yet", graph.compile, device=self.device)
        self.refused(TypeError, "a graph needs outputs", graph.outputs)
        self.refused(TypeError, "output 'y' is 1, must be a value of the graph", graph.outputs, y=1)
        self.refused(TypeError, "must be a value of the graph: one of its members", graph.outputs, y=[y])
        self.refused(ValueError, "output 'y' is .* which no operator writes: give ELEMENT_WISE_IDENTITY of it", graph.outputs, y=x)
        self.refused(ValueError, "which no operator writes", graph.outputs, y=graph.constant(X))
        self.refused(ValueError, "which no operator writes", graph.outputs, y=graph.weight(X))
        self.refused(ValueError, "the graph has an input 'x', outputs must have other names", graph.outputs, x=y)
        for name in ("a.b", "class", "_y"):
            self.refused(ValueError, f"output {name!r} is to be a field of a named tuple", graph.outputs, {name: y, "c": y})
        graph.outputs(y=y)
        self.refused(ValueError, "the graph has an output 'y', inputs must have other names", graph.input, "y", 1, "INT8")

    def test_refused_runs(self):
        """what does not fit is refused by name, and the next run works"""
        graph = vkdml.Graph()
        x = graph.input("x", (3, 4), "FLOAT32")
        graph.outputs(y=graph.add("ELEMENT_WISE_NEGATE", InputTensor=x))
        compiled = graph.compile(device=self.device)
        for run in (graph.reference, compiled.run, compiled):
            self.refused(TypeError, r"input 'x' is missing, must be FLOAT32 \(3, 4\)", run)
            self.refused(ValueError, r"input 'x' is an array of float64, FLOAT64 \(3, 4\); must be FLOAT32 \(3, 4\)", run,
                         x=X.astype(float))
            self.refused(TypeError, "input 'x' is 'a', must be FLOAT32", run, x="a")
            self.refused(TypeError, "the graph has no input 'xx'; its inputs are x; did you mean x", run, x=X, xx=X)
        self.refused(TypeError, "'y' is an output: run", compiled.run, x=X, y=X)
        self.refused(TypeError, "output 'y' is an array of float32, must be an array of the device", compiled, x=X, y=X)
        self.refused(ValueError, r"input 'x' is <DeviceArray .*; must be FLOAT32 \(3, 4\), strides \(4, 1\)", compiled,
                     x=self.device.array(X.reshape(4, 3).T))
        with vkdml.Device() as other:
            self.refused(ValueError, "must be on the device that the graph was compiled for", compiled, x=other.array(X))
        array = self.device.array(X)
        self.refused(vkdml.Error, r"(?s)overlap GraphInputs\[0\].*GraphOutputs\[0\] is 'y'.*GraphInputs\[0\] is 'x'", compiled, x=array,
                     y=array)
        np.testing.assert_array_equal(compiled.run(x=X), -X)
        self.refused(ValueError, r"graph.reference\(\) runs on it", graph.compile, device="reference")
        self.refused(TypeError, "device is 3, must be None", graph.compile, device=3)
        self.refused(TypeError, "must be a dictionary of names and values", graph.compile, [x])
        part = vkdml.Graph()
        y = part.add("ELEMENT_WISE_NEGATE", InputTensor=part.input("x", (3, 4), "FLOAT32"))
        self.refused(ValueError, "output 'y' is .*, of 16 bytes; must have 48, as the value has that is viewed",
                     part.compile({"y": y.view((4,))}, device=self.device), x=X, y=self.device.empty(4, "FLOAT32"))

    def test_recorded_once(self):
        """calls with the same arrays are recorded once, whatever is in them"""
        graph = vkdml.Graph()
        x, _ = graph.input("x", (3, 4), "FLOAT32"), graph.input("unused", (3, 4), "FLOAT32")
        graph.outputs(y=graph.add("ELEMENT_WISE_NEGATE", InputTensor=x))
        compiled = graph.compile(device=self.device)
        x, y = self.device.array(X), self.device.empty(X.shape, "FLOAT32")
        begin, begun = self.device._vulkan.BeginCommandBuffer, []
        for n, expected in ((1, 1), (2, 0), (3, 0)):
            x.write(n * X)
            self.device._vulkan.BeginCommandBuffer = lambda *arguments: (begun.append(1), begin(*arguments))[1]
            before = len(begun)
            compiled(x=x, y=y)
            self.assertEqual(len(begun) - before, expected)
            np.testing.assert_array_equal(y.read(), -n * X)
        np.testing.assert_array_equal(compiled(x=x).read(), -3 * X)

    def test_levels(self):
        """a device's feature level refuses what it has not"""
        graph = vkdml.Graph()
        y = graph.add("ELEMENT_WISE_NEGATE", InputTensor=graph.constant(X), name="minus")
        graph.outputs(y=y)
        for level, reason in (("4_0", "ELEMENT_WISE_NEGATE is the node 'minus'"), ("5_0", "DML_FEATURE_LEVEL_6_2")):
            with vkdml.Device(level=level) as device:
                self.refused(vkdml.Error, reason, graph.compile, device=device)

    def test_closing(self):
        """what is closed says so; a device takes with it what is on it"""
        graph, x = network()
        compiled = graph.compile(device=self.device)
        compiled.close()
        compiled.close()
        self.refused(ValueError, "<CompiledGraph x -> scores, best .* is closed", compiled.run, x=x)
        self.refused(ValueError, "<CompiledGraph x -> scores, best .* is closed", compiled, x=x)
        open_ = graph.compile(device=self.device)
        array = self.device.array(x)
        array.close()
        self.refused(ValueError, "is closed, or its device is", open_, x=array)
        self.device.close()
        for function in (open_.run, open_):
            self.refused(ValueError, "the device is closed", function, x=x)
        self.refused(ValueError, "the device is closed", graph.compile, device=self.device)

    def test_forgotten(self):
        """what nobody holds is destroyed, its device last"""
        self.device.close()
        messages = []
        device = vkdml.Device(log=lambda *message: messages.append(message))
        graph, x = network()
        compiled = graph.compile(device=device)
        results = compiled(x=x)
        self.assertEqual(len(device._kept), 3)
        del compiled
        gc.collect()
        self.assertEqual(len(device._kept), 2)
        compiled = graph.compile(device=device)
        device.loop = [device, graph, compiled, results]
        finalizer = device._close
        del device, graph, compiled, results
        gc.collect()
        self.assertFalse(finalizer.alive)
        self.assertEqual([message for message in messages if message[0] != "info"], [])

    def test_threads(self):
        """threads take turns"""
        graph, x = network()
        compiled, failed = graph.compile(device=self.device), []
        expected = [graph.reference(x=n * x).scores for n in range(4)]

        def work(n):
            for _ in range(3):
                if not np.array_equal(compiled.run(x=n * x).scores, expected[n]):
                    failed.append(n)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


class StagedGraphs(Staged, Graphs):
    """The same, where the host does not see the device's memory."""


if __name__ == "__main__":
    tap.main()
