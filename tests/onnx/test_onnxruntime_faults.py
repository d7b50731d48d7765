#!/usr/bin/env python3
"""The plugin where something goes wrong: a device that is lost, memory that is out, models that are none, and what ONNX Runtime's
users do then: other sessions, fallback to the CPU, the plugin gone and registered again. Prints TAP.

test_onnxruntime_faults.py      with the module and onnx, onnxruntime and numpy where Python finds them, and LD_LIBRARY_PATH naming
                                the folder of tests/onnx's libvulkan.so.1, which fails where it is told to (faults.h)
"""
import contextlib
import ctypes
import gc
import io
import os
import pathlib
import sys
import tempfile
import threading
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import vkdml.onnxruntime
from test_onnxruntime import FLOAT, Tap, model, session, sums

faults = ctypes.CDLL("libvulkan.so.1")
faults.faults_set.argtypes = [ctypes.c_char_p, ctypes.c_int32, ctypes.c_int32]
OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, LOST = -1, -2, -4
X = np.arange(8, dtype=np.float32).reshape(2, 4)


def fail(function, nth, result):
    faults.faults_set(function.encode(), nth, result)


def network(width=32):
    """A product by weights that are uploaded, of a batch that the model leaves open."""
    weights = np.random.default_rng(3).integers(-3, 4, (width, width)).astype(np.float32)
    text = model([helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])],
                 [("x", FLOAT, ["N", width])], [("y", FLOAT, ["N", width])], [("w", weights)])
    return text, weights


class Faults(unittest.TestCase):
    def setUp(self):
        fail("", 0, 0)
        self.misuses = faults.faults_misuses()

    def tearDown(self):
        """What failed leaves nothing behind when the plugin goes, and was never in use when it ended."""
        self.afresh()
        self.assertEqual(faults.faults_misuses(), self.misuses)

    def afresh(self):
        """No device is open, which is what sessions share: the plugin has it."""
        fail("", 0, 0)
        gc.collect()
        vkdml.onnxruntime.unregister()
        self.assertEqual(faults.faults_live(), 0)

    def right(self, one):
        text, weights = sums()
        np.testing.assert_array_equal(one.run(None, {"x": X})[0], (X + weights) ** 2)

    def fails(self, one, reason, x=X):
        with self.assertRaisesRegex(Exception, reason):
            one.run(None, {"x": x})

    def test_a_lost_device_is_told_and_another_session_works(self):
        for function in ("vkQueueSubmit", "vkWaitForFences", "vkResetFences"):
            with self.subTest(function):
                one, other = session(sums()[0]), session(sums()[0])  # on one device
                self.right(one)
                self.right(other)
                old = vkdml.onnxruntime.tensor(X)
                fail(function, 3, LOST)
                self.right(one)
                self.right(one)
                self.fails(one, f"{function}: the device is lost")
                fail("", 0, 0)
                self.fails(one, "lost")
                self.fails(one, "lost", np.ones((5, 4), np.float32))  # a shape that is new
                self.fails(other, "lost")
                self.right(session(sums()[0]))
                with self.assertRaisesRegex(Exception, "lost"):
                    one.run_with_iobinding(self.bound(one))
                with self.assertRaisesRegex(Exception, "not on the session's device, or that was lost"):
                    session(sums()[0]).run_with_ort_values(None, {"x": old})
                del old

    def bound(self, one):
        binding = one.io_binding()
        binding.bind_cpu_input("x", X)
        binding.bind_output("y")
        return binding

    def test_python_falls_back_to_the_cpu(self):
        for function, nth, result in (("vkQueueSubmit", 1, LOST), ("vkWaitForFences", 1, LOST),
                                      ("vkQueueSubmit", -1, OUT_OF_DEVICE_MEMORY)):
            with self.subTest(function):
                one = onnxruntime.InferenceSession(sums()[0], vkdml.onnxruntime.session_options())
                self.right(one)
                fail(function, nth, result)
                told = io.StringIO()
                with contextlib.redirect_stdout(told):
                    self.right(one)
                self.assertIn(function, told.getvalue())
                self.assertIn("Falling back", told.getvalue())
                self.assertEqual(one.get_providers(), ["CPUExecutionProvider"])
                self.right(one)

    def test_a_device_that_is_lost_while_a_session_is_made(self):
        static = model([helper.make_node("Add", ["x", "x"], ["y"])], [("x", FLOAT, [2, 4])], [("y", FLOAT, [2, 4])])
        for function in ("vkCreateComputePipelines", "vkAllocateMemory", "vkCreateCommandPool"):
            with self.subTest(function):
                one = None
                self.afresh()
                vkdml.onnxruntime.register()
                fail(function, 1, LOST)
                one = session(static)
                self.fails(one, "(lost|LOST)")
                self.fails(one, "(lost|LOST)")
                fail("", 0, 0)
                np.testing.assert_array_equal(session(static).run(None, {"x": X})[0], X + X)

    def test_no_device_no_session(self):
        for function in ("vkCreateInstance", "vkCreateDevice", "vkCreatePipelineCache", "vkCreatePipelineLayout"):
            with self.subTest(function):
                self.afresh()
                options = vkdml.onnxruntime.session_options()
                fail(function, -1, OUT_OF_HOST_MEMORY)
                with self.assertRaisesRegex(Exception, function):
                    onnxruntime.InferenceSession(sums()[0], options)
                fail("", 0, 0)
                self.right(session(sums()[0]))

    def test_memory_that_is_out_is_told_and_comes_again(self):
        text, weights = network()
        x = np.ones((3, 32), np.float32)
        for function in ("vkAllocateMemory", "vkCreateBuffer", "vkMapMemory", "vkBindBufferMemory", "vkQueueSubmit",
                         "vkCreateComputePipelines", "vkAllocateDescriptorSets", "vkWaitForFences"):
            for result in (OUT_OF_DEVICE_MEMORY, OUT_OF_HOST_MEMORY):
                with self.subTest(function, result=result):
                    one = None
                    self.afresh()
                    options = onnxruntime.SessionOptions()
                    options.add_session_config_entry("ep.vkdml.prepare", "0")  # else pipelines are there at the first run
                    one = session(text, options=options)
                    fail(function, -1, result)
                    self.fails(one, function, x)
                    self.fails(one, function, x)
                    fail("", 0, 0)
                    for rows in (3, 1):
                        y = one.run(None, {"x": np.ones((rows, 32), np.float32)})[0]
                        np.testing.assert_array_equal(y, np.maximum(np.ones((rows, 32), np.float32) @ weights, 0))

    def test_a_tensor_larger_than_memory(self):
        # Of 2^32 bytes: lavapipe binds no such buffer.
        text = model([helper.make_node("Expand", ["x", "s"], ["a"]), helper.make_node("ReduceSum", ["a", "d"], ["y"], keepdims=0)],
                     [("x", FLOAT, ["N", 1]), ("s", TensorProto.INT64, [2])], [("y", FLOAT, ["M"])], [("d", np.array([1], np.int64))])
        one = session(text)
        for size in (1 << 62, 1 << 32, -1):
            with self.assertRaisesRegex(Exception, "Expand|Shape|shape|size"):
                one.run(None, {"x": np.ones((2, 1), np.float32), "s": np.array([2, size], np.int64)})
        np.testing.assert_array_equal(one.run(None, {"x": np.ones((2, 1), np.float32), "s": np.array([2, 3], np.int64)})[0], [3, 3])

    def test_threads_on_several_sessions(self):
        """Eight threads, on sessions that all use and on one of their own, made and dropped meanwhile; shapes change."""
        text, weights = network()
        shared, failures = [session(text) for _ in range(3)], []
        barrier = threading.Barrier(8)

        def work(seed):
            try:
                rng = np.random.default_rng(seed)
                barrier.wait(60)
                own = session(text)
                for turn in range(12):
                    x = rng.integers(-4, 5, (1 + int(rng.integers(4)), 32)).astype(np.float32)
                    one = own if turn % 4 == 0 else shared[int(rng.integers(3))]
                    if not np.array_equal(one.run(None, {"x": x})[0], np.maximum(x @ weights, 0)):
                        failures.append(f"{seed}: wrong")
                    if turn % 6 == 5:
                        own = session(text)
            except Exception as error:
                failures.append(f"{seed}: {error}")

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual(failures, [])

    def test_threads_on_a_device_that_is_lost(self):
        one, other, results = session(sums()[0]), session(sums()[0]), []
        x = X[:1]
        self.right(one)
        fail("vkQueueSubmit", 20, LOST)

        def work(seed):
            mine = [one, other][seed % 2]
            for _ in range(10):
                try:
                    results.append(bool(np.array_equal(mine.run(None, {"x": x})[0], (x + np.arange(4)) ** 2)))
                except Exception as error:
                    results.append("lost" in str(error))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual(results, [True] * 80)
        self.assertEqual(faults.faults_failed(), 1)

    def test_the_plugin_goes_and_comes_again(self):
        for turn in range(5):
            ones = [session(sums()[0]) for _ in range(1 + turn % 2)]
            for one in ones:
                self.right(one)
            if turn == 2:
                fail("vkQueueSubmit", 1, LOST)
                self.fails(ones[0], "lost")
                fail("", 0, 0)
            del ones, one
            self.afresh()
            self.assertFalse([device for device in onnxruntime.get_ep_devices() if device.ep_name == "VkdmlExecutionProvider"])
            cpu = onnxruntime.InferenceSession(sums()[0], providers=["CPUExecutionProvider"])
            self.right(cpu)
        self.assertTrue(vkdml.onnxruntime.devices())
        vkdml.onnxruntime.register()  # once more is no error
        self.right(session(sums()[0]))

    def test_models_that_are_none(self):
        """ONNX Runtime reads the file; what it lets through is ours. A reason, or a session."""
        good = onnx.load_from_string(sums()[0])
        cyclic = onnx.ModelProto()
        cyclic.CopyFrom(good)
        cyclic.graph.node[0].input[1] = "y"
        twice = onnx.ModelProto()
        twice.CopyFrom(good)
        twice.graph.node[1].output[0] = "a"
        huge = onnx.ModelProto()
        huge.CopyFrom(good)
        huge.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1 << 62
        short = onnx.ModelProto()
        short.CopyFrom(good)
        short.graph.initializer[0].raw_data = short.graph.initializer[0].raw_data[:-3]
        for name, bad in (("cyclic", cyclic), ("made twice", twice), ("weights cut off", short)):
            with self.subTest(name), self.assertRaises(Exception):
                session(bad.SerializeToString())
        with self.subTest("huge"), contextlib.suppress(Exception):
            self.fails(session(huge.SerializeToString()), ".")
        bytes_ = good.SerializeToString()
        for length in range(0, len(bytes_), 3):
            with contextlib.suppress(Exception):
                session(bytes_[:length])
        self.right(session(bytes_))

    def test_external_data_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "inner" / "model.onnx"
            path.parent.mkdir()
            (pathlib.Path(folder) / "outside").write_bytes(bytes(16))
            os.symlink(pathlib.Path(folder) / "outside", path.parent / "link")
            (path.parent / "short").write_bytes(bytes(15))
            for location, offset in (("../outside", 0), ("link", 0), (str(pathlib.Path(folder) / "outside"), 0), ("none", 0),
                                     ("short", 0), ("short", 1 << 40)):
                text = onnx.load_from_string(sums()[0])
                weights = text.graph.initializer[0]
                weights.ClearField("raw_data")
                weights.data_location = TensorProto.EXTERNAL
                for key, value in (("location", location), ("offset", str(offset)), ("length", "16")):
                    entry = weights.external_data.add()
                    entry.key, entry.value = key, value
                path.write_bytes(text.SerializeToString())
                with self.subTest(location, offset=offset):
                    with self.assertRaises(Exception):  # the reader's of libvkdml_onnx, whoever else reads it
                        vkdml.Model(str(path))
                    with contextlib.suppress(Exception):
                        session(str(path))
        self.right(session(sums()[0]))


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Faults)
    sys.exit(not unittest.TextTestRunner(stream=sys.stderr, resultclass=Tap, verbosity=0).run(suite).wasSuccessful())
