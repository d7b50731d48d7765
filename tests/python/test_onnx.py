"""vkdml.Model: ONNX models from Python. Prints TAP. test_onnx.py HARNESS_FOLDER"""
import multiprocessing
import os
import sys
import tempfile
import threading
import unittest
import warnings

import numpy as np

import tap
import vkdml

sys.path.insert(0, sys.argv[1])
from forked import forked  # noqa: E402
from onnx_models import BOOL, FLOAT, FLOAT16, INT64, UINT8, model, node, tensor, value_info  # noqa: E402

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
W = np.array([1, 2, 3], np.float32)


def network():
    """y = transposed (x * w + x), n = the shape of x."""
    return model([node("Mul", ["x", "w"], ["h"], "scale"), node("Add", ["h", "x"], ["s"], "sum"),
                  node("Transpose", ["s"], ["y"], "turn", perm=[1, 0]), node("Shape", ["x"], ["n"])],
                 [value_info("x", FLOAT, ["batch", 3])],
                 [value_info("y", FLOAT, [3, "batch"]), value_info("n", INT64, [2])], [tensor("w", FLOAT, [3], [1, 2, 3])])


class Models(unittest.TestCase):
    label = "models"

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else self.make_folder()

    def make_folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def write(self, content, name="net.onnx"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_run(self):
        """a model runs on the device and on the reference, for one shape and then another"""
        path = self.write(network())
        for device in (None, "reference"):
            with vkdml.Model(path, device) as net:
                for x in (X, X[:1], X):
                    outputs = net.run({"x": x})
                    np.testing.assert_array_equal(outputs["y"], (x * W + x).T)
                    self.assertEqual((outputs["y"].dtype, list(outputs), outputs["n"].tolist()), (np.float32, ["y", "n"], [*x.shape]))
                np.testing.assert_array_equal(net.run({"x": X.tolist()})["y"], (X * W + X).T)
                np.testing.assert_array_equal(net.run({"x": np.asfortranarray(X)})["y"], (X * W + X).T)

    def test_described(self):
        """inputs and outputs are told as the model says them"""
        net = vkdml.Model(self.write(network()))
        self.assertEqual(net.inputs, (vkdml.ModelValue("x", "FLOAT", np.dtype(np.float32), ("batch", 3)),))
        self.assertEqual([(value.name, value.type, value.shape) for value in net.outputs],
                         [("y", "FLOAT", (3, "batch")), ("n", "INT64", (2,))])
        self.assertIn(net.device, [device.name for device in vkdml.devices()])
        open_ = vkdml.Model(self.write(model([node("Identity", ["x"], ["y"])], [value_info("x", 0, None)],
                                             [value_info("y", UINT8, [None])]), "open.onnx"))
        self.assertEqual([(value.dtype, value.shape) for value in open_.inputs + open_.outputs],
                         [(None, None), (np.dtype(np.uint8), (None,))])
        np.testing.assert_array_equal(open_.run({"x": np.arange(5, dtype=np.uint8)})["y"], np.arange(5))
        with self.assertRaisesRegex(vkdml.Error, "says no type of NumPy of its input 'x'"):
            open_.nodes

    def test_names(self):
        """names of a model are escaped and shortened in messages, and what they are elsewhere"""
        wild, long = "\x1b[31mred\nrow", "n" * 100000
        net = vkdml.Model(self.write(model([node("Add", [wild, long], [long + "y"], wild)],
                                           [value_info(wild, FLOAT, [2]), value_info(long, FLOAT, [2])],
                                           [value_info(long + "y", FLOAT, [2])])))
        self.assertEqual([value.name for value in net.inputs], [wild, long])
        self.assertEqual(net.nodes[0].name, wild)
        for error, inputs in ((TypeError, {}), (TypeError, {wild: X, long: X, "\x1b": X}), (TypeError, {wild: X.astype(float), long: X}),
                              (vkdml.Error, {wild: X[0], long: X[0]}), (vkdml.Error, {wild: X[0, :2], long: X[0]})):
            with self.assertRaises(error) as caught:
                net.run(inputs)
            self.assertNotRegex(str(caught.exception), r"[\x00-\x1f]")
            self.assertLess(len(str(caught.exception)), 2000)

    def test_optional(self):
        """an input with an initializer has its value unless another one is given"""
        path = self.write(model([node("Mul", ["x", "w"], ["y"])], [value_info("w", FLOAT, ["m"]), value_info("x", FLOAT, ["n", 3])],
                                [value_info("y", FLOAT, ["n", 3])], [tensor("w", FLOAT, [3], [1, 2, 3])]))
        for device in (None, "reference"):
            net = vkdml.Model(path, device)
            self.assertEqual([[value.name for value in values] for values in (net.inputs, net.optional_inputs)], [["x"], ["w"]])
            for _ in range(2):
                np.testing.assert_array_equal(net.run({"x": X})["y"], X * W)
                np.testing.assert_array_equal(net.run({"x": X, "w": W + 4})["y"], X * (W + 4))
                np.testing.assert_array_equal(net.run({"x": X, "w": [5]})["y"], X * 5)
            self.assertEqual([one.outcome for one in net.nodes + net.node_report({"x": X, "w": W})], ["translated"] * 2)
            with self.assertRaisesRegex(TypeError, "inputs are x; optional: w; unknown: z"):
                net.run({"x": X, "z": W})
            with self.assertRaisesRegex(vkdml.Error, "input 'w' has 2 dimensions, must have 1"):
                net.run({"x": X, "w": X})

    def test_types(self):
        """scalars stay scalars, bools bools, and tensors of no elements have their shape"""
        for type_, array in ((FLOAT, np.float32(2)), (BOOL, np.array([True, False, True])), (FLOAT, np.zeros((0, 3), np.float32))):
            path = self.write(model([node("Identity", ["x"], ["y"])], [value_info("x", type_, array.shape)],
                                    [value_info("y", type_, array.shape)]))
            result = vkdml.Model(path).run({"x": array})["y"]
            self.assertEqual((result.dtype, result.shape, result.tolist()), (array.dtype, array.shape, array.tolist()))

    def test_nodes(self):
        """what becomes of each node is told, all refusals at once"""
        net = vkdml.Model(self.write(network()))
        self.assertEqual([(one.name, one.op, one.outcome, one.operators) for one in net.nodes],
                         [("scale", "Mul", "translated", ("ELEMENT_WISE_MULTIPLY",)), ("sum", "Add", "translated", ("ELEMENT_WISE_ADD",)),
                          ("turn", "Transpose", "translated", ()), ("", "Shape", "translated", ())])
        bad = vkdml.Model(self.write(model(
            [node("Wrong", ["x"], ["s"], "odd"), node("Odd", ["x"], ["t"]), node("Add", ["s", "t"], ["y"]),
             node("Add", ["x", "x"], ["z"])], [value_info("x", FLOAT, ["batch", 3])], [value_info("y", FLOAT, None)])))
        told = [(one.op, one.version, one.outcome, one.reason) for one in bad.node_report({"x": X})]
        self.assertEqual(told[:2], [("Wrong", 17, "refused", "Wrong 'odd': there is no translation of Wrong 17"),
                                    ("Odd", 17, "refused", "Odd: there is no translation of Odd 17")])
        self.assertEqual([one[2] for one in told[2:]], ["unreached", "unneeded"])
        with self.assertRaisesRegex(vkdml.Error, "^Wrong 'odd': there is no translation of Wrong 17$"):
            bad.run({"x": X})

    def test_refused(self):
        """what is wrong is refused with the reason"""
        net = vkdml.Model(self.write(network()))
        for kind, reason, inputs in ((TypeError, "inputs are x; missing: x", {}),
                                     (TypeError, "inputs are x; unknown: z", {"x": X, "z": X}),
                                     (TypeError, "input 'x' is an array of float64, must be float32", {"x": X.astype(float)}),
                                     (vkdml.Error, "input 'x' has 2 elements in dimension 1, must have 3", {"x": X[:, :2]}),
                                     (vkdml.Error, "input 'x' has 1 dimensions, must have 2", {"x": X[0]})):
            with self.assertRaisesRegex(kind, reason):
                net.run(inputs)
        np.testing.assert_array_equal(net.run({"x": X})["n"], [2, 3])  # none of which harms the next
        with self.assertRaisesRegex(TypeError, r"^device is 3, must be None \(the best device\)"):
            vkdml.Model(net.path, 3)
        with self.assertRaises(vkdml.Error) as caught:
            vkdml.Model(self.write(b"no model", "text.onnx"))
        self.assertEqual(caught.exception.result, "VKDML_ERROR_INVALID_ARGUMENT")
        with self.assertRaisesRegex(vkdml.Error, "No such file"):
            vkdml.Model("/nowhere.onnx")
        with self.assertRaisesRegex(vkdml.Error, "no such device") as caught:
            vkdml.Model(net.path, "no such device")
        self.assertEqual(caught.exception.result, "VKDML_ERROR_INITIALIZATION_FAILED")

    def test_check(self):
        """a model that checks its nodes names the first that overflows, and lets right ones pass"""
        norm = [node("Mul", ["x", "x"], ["square"], "squares"), node("ReduceMean", ["square"], ["mean"], "mean", axes=[1]),
                node("Sqrt", ["mean"], ["root"], "root"), node("Div", ["x", "root"], ["y"], "scale")]
        path = self.write(model(norm, [value_info("x", FLOAT16, [1, 2])], [value_info("y", FLOAT16, [1, 2])]))
        large, small = np.array([[300, 0]], np.float16), np.array([[3, 4]], np.float16)
        for check in (None, "cpu"):
            np.testing.assert_array_equal(vkdml.Model(path, check=check).run({"x": large})["y"], [[0, 0]])
        net = vkdml.Model(path, check="finite")
        with self.assertRaisesRegex(vkdml.Error, r"node 'squares' \(Mul\): output 'square' has 1 inf and 0 NaN of 2 elements: the "
                                    "result exceeds the largest FLOAT16.*inputs: 'x' FLOAT16 .1, 2. from 0 to 300, 0 inf, 0 NaN"):
            net.run({"x": large})
        self.assertAlmostEqual(float(net.run({"x": small})["y"][0, 0]), 3 / 12.5 ** 0.5, 2)
        with self.assertRaisesRegex(ValueError, "check is 'all', must be"):
            vkdml.Model(path, check="all")

    def test_memory(self):
        """weights are on the device once, whatever the number of shapes; kept_bytes limits what shapes take"""
        weights = [float(i % 7) for i in range(64 * 64)]
        path = self.write(model([node("MatMul", ["x", "w"], ["y"])], [value_info("x", FLOAT, ["batch", 64])],
                                [value_info("y", FLOAT, ["batch", 64])], [tensor("w", FLOAT, [64, 64], weights)]))
        expected = np.array(weights, np.float32).reshape(64, 64).sum(0)
        for kept_bytes, count, prepare in ((0, 3, False), (1, 1, True)):
            with vkdml.Model(path, kept_bytes=kept_bytes, prepare=prepare) as net:
                memory = net.memory
                self.assertEqual((memory.weights >= 4 * len(weights), memory.tensors, memory.shape_count > 0), (prepare, 0, prepare))
                for rows in (3, 1, 2):
                    y = net.run({"x": np.ones((rows, 64), np.float32)})["y"]
                    np.testing.assert_array_equal(y, np.broadcast_to(expected, (rows, 64)))
                    memory = net.memory
                    self.assertTrue(4 * len(weights) <= memory.weights < 8 * len(weights), memory)
                self.assertEqual((memory.shape_count, memory.tensors >= 2 * 2 * 64 * 4), (count, True))

    def test_closed(self):
        """a closed model says so"""
        net = vkdml.Model(self.write(network()))
        net.close()
        net.close()
        self.assertIn(", closed>", repr(net))
        for use in (lambda: net.run({"x": X}), lambda: net.nodes):
            with self.assertRaisesRegex(ValueError, "closed> cannot be used"):
                use()

    def test_cache(self):
        """pipelines are kept in a folder"""
        folder = self.make_folder()
        for _ in range(2):
            with vkdml.Model(self.write(network()), cache=folder) as net:
                net.run({"x": X})
        self.assertRegex(" ".join(os.listdir(folder)), r"^vkdml-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}\.pipelines$")

    def test_cache_that_fails(self):
        """a cache that cannot be used is a warning, with the reason, once"""
        folder = self.make_folder()
        missing, loop = os.path.join(folder, "missing"), os.path.join(folder, "loop")
        os.symlink(loop, loop)
        for name, reason in ((missing, "missing: No such file or directory"), (loop, "Too many levels of symbolic links")):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                with vkdml.Model(self.write(network()), cache=name) as net:
                    np.testing.assert_array_equal(net.run({"x": X})["n"], [2, 3])
                    net.run({"x": X[:1]})
            texts = [str(one.message) for one in told if one.category is RuntimeWarning]
            self.assertEqual(len(texts), 2, texts)
            self.assertIn(f"vkdml: the pipeline cache is not read: {folder}", texts[0])
            self.assertIn("vkdml: the pipeline cache is not written: ", texts[1])
            self.assertIn(reason, texts[0])
            self.assertEqual({one.filename for one in told}, {__file__})
        with self.assertRaisesRegex(vkdml.Error, 'cache folder is ""') as caught:
            vkdml.Model(self.write(network()), cache="")
        self.assertEqual(caught.exception.result, "VKDML_ERROR_INVALID_ARGUMENT")

    def test_fork(self):
        """a child process is refused a model of its parent at once, ends without it, and opens its own"""
        path = self.write(network())
        net = vkdml.Model(path)
        net.run({"x": X})

        def refused():
            try:
                net.run({"x": X})
            except vkdml.Error as error:
                return error.result == "VKDML_ERROR_DEVICE_LOST" and "before fork()" in error.reason

        def nodes_refused():
            try:
                return not net.nodes
            except vkdml.Error as error:
                return error.result == "VKDML_ERROR_DEVICE_LOST"

        def closed():
            net.close()
            return "closed" in repr(net)

        def own():
            with vkdml.Model(path) as own_net:
                return (own_net.run({"x": X})["n"] == [2, 3]).all()

        for work in (refused, nodes_refused, closed, own):
            self.assertEqual(forked(work), 0, work.__name__)
        with net._lock:  # as a thread that runs it while another forks
            self.assertEqual(forked(refused), 0)
            self.assertEqual(forked(closed), 0)
        context = multiprocessing.get_context("fork")
        results = context.Queue()
        child = context.Process(target=lambda: results.put((refused(), own())))
        child.start()
        self.assertEqual(results.get(timeout=20), (True, True))
        child.join()
        np.testing.assert_array_equal(net.run({"x": X})["n"], [2, 3])  # the parent's works on

    def test_threads(self):
        """threads take turns on a model"""
        net, wrong = vkdml.Model(self.write(network())), []

        def work(seed):
            for step in range(10):
                x = np.random.default_rng(seed).standard_normal((1 + (seed + step) % 3, 3), np.float32)
                y = net.run({"x": x})["y"]
                if y.shape != x.T.shape or not np.allclose(y, (x * W + x).T):
                    wrong.append((seed, step))

        threads = [threading.Thread(target=work, args=[seed]) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    sys.argv[1:] = []
    tap.main()
