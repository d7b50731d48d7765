#!/usr/bin/env python3
"""The Python module vkdml.onnxruntime and the plugin: options, reports, shapes that change, threads, errors. Prints TAP.

test_onnxruntime.py      with the module and onnx, onnxruntime and numpy where Python finds them
"""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import vkdml
import vkdml.onnxruntime

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from forked import forked  # noqa: E402

onnxruntime.set_default_logger_severity(4)
FLOAT = TensorProto.FLOAT
EP_NAME = "VkdmlExecutionProvider"


def model(nodes, inputs, outputs, constants=(), opset=20):
    values = [[helper.make_tensor_value_info(name, type_, shape) for name, type_, shape in ends] for ends in (inputs, outputs)]
    graph = helper.make_graph(nodes, "test", *values, [numpy_helper.from_array(value, name) for name, value in constants])
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def sums(width=4):
    weights = np.arange(width, dtype=np.float32)
    return model([helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Mul", ["a", "a"], ["y"])],
                 [("x", FLOAT, ["N", width])], [("y", FLOAT, ["N", width])], [("w", weights)]), weights


def session(text, **options):
    made = onnxruntime.InferenceSession(text, vkdml.onnxruntime.session_options(**options))
    made.disable_fallback()
    return made


def together(work, count):
    """Calls work(0), work(1), .. in threads of their own, and waits for all."""
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Plugin(unittest.TestCase):
    def test_devices_have_names(self):
        names = [device.ep_metadata["vulkan_device"] for device in vkdml.onnxruntime.devices()]
        self.assertTrue(names and all(names))

    def test_an_unknown_device_is_refused_by_name(self):
        with self.assertRaisesRegex(ValueError, "no Vulkan device nosuchdevice"):
            vkdml.onnxruntime.session_options(device="nosuchdevice")

    def test_no_device_has_a_reason(self):
        program = "import vkdml.onnxruntime\ntry: vkdml.onnxruntime.session_options()\nexcept ValueError as error: print(error)"
        cases = [({"VK_DRIVER_FILES": "/missing", "VK_ICD_FILENAMES": "/missing"}, "VK_ERROR_INCOMPATIBLE_DRIVER")]
        if all(device.type == "cpu" for device in vkdml.devices()):
            cases += [({"VKDML_ONNXRUNTIME_SOFTWARE": "0"}, "software, offered with VKDML_ONNXRUNTIME_SOFTWARE=1")]
        for changed, reason in cases:
            result = subprocess.run([sys.executable, "-c", program], env={**os.environ, **changed}, capture_output=True, text=True)
            self.assertRegex(result.stdout, f"^there is no Vulkan device: .*{reason}\n$", result)

    def test_shapes_may_change(self):
        text, weights = sums()
        one = session(text)
        self.assertEqual(one.get_providers()[0], EP_NAME)
        for rows in (1, 5, 1, 2, 5, *range(3, 20), 1):
            x = np.random.default_rng(rows).standard_normal((rows, 4), dtype=np.float32)
            np.testing.assert_array_equal(one.run(None, {"x": x})[0], (x + weights) ** 2)

    def test_no_elements(self):
        one = session(sums()[0])
        self.assertEqual(one.run(None, {"x": np.zeros((0, 4), np.float32)})[0].shape, (0, 4))

    def test_the_report_tells_of_each_node(self):
        text = model([helper.make_node("Add", ["x", "x"], ["a"]), helper.make_node("Det", ["a"], ["y"])],
                     [("x", FLOAT, [3, 3])], [("y", FLOAT, [])])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report"
            x = np.eye(3, dtype=np.float32)
            self.assertEqual(session(text, report=str(path)).run(None, {"x": x})[0], 8)
            lines = [line.split("\t") for line in path.read_text().splitlines()]
        self.assertEqual([line[:2] for line in lines if line[0] != "plan"], [["vkdml", "Add"], ["-", "Det"]])
        self.assertIn("no translation of Det", lines[1][3])

    def test_a_report_that_cannot_be_written_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Exception, "ep.vkdml.report: .*missing/report: No such file or directory"):
                onnxruntime.InferenceSession(sums()[0], vkdml.onnxruntime.session_options(report=f"{folder}/missing/report"))

    def test_pipelines_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                one = session(sums()[0], cache=folder)
                one.run(None, {"x": np.ones((2, 4), np.float32)})
                del one
            self.assertEqual([path.suffix for path in pathlib.Path(folder).iterdir()], [".pipelines"])

    def test_a_cache_that_fails_is_logged(self):
        """A program of its own, whose standard error has ONNX Runtime's log."""
        program = ("import onnxruntime, numpy, vkdml.onnxruntime, sys\n"
                   "options = vkdml.onnxruntime.session_options(cache=sys.argv[1])\n"
                   "one = onnxruntime.InferenceSession(sys.stdin.buffer.read(), options)\n"
                   "for rows in (1, 2, 1):\n"
                   "    print(one.run(None, {'x': numpy.ones((rows, 4), numpy.float32)})[0].shape)\n")
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([sys.executable, "-c", program, os.path.join(folder, "missing")], input=sums()[0],
                                    capture_output=True)
        self.assertEqual(result.stdout.splitlines(), [b"(1, 4)", b"(2, 4)", b"(1, 4)"], result)
        for what in (b"the pipeline cache is not read: ", b"the pipeline cache is not written: "):
            told = [line for line in result.stderr.splitlines() if what in line]
            self.assertEqual(len(told), 1, result)
            self.assertIn(b"No such file or directory", told[0])

    def test_loading_weights_is_logged(self):
        """Once, whatever the number of shapes, where the option asks for it; and for how many shapes a session was prepared."""
        program = ("import onnxruntime, numpy, vkdml.onnxruntime, sys\n"
                   "options = vkdml.onnxruntime.session_options()\n"
                   "options.add_session_config_entry('ep.vkdml.log', sys.argv[1])\n"
                   "options.add_session_config_entry('ep.vkdml.prepare', sys.argv[2])\n"
                   "one = onnxruntime.InferenceSession(sys.stdin.buffer.read(), options)\n"
                   "for rows in (1, 2, 1):\n"
                   "    one.run(None, {'x': numpy.ones((rows, 131072), numpy.float32)})\n")
        for log, prepare, counts in (("1", "1", (1, 1)), ("1", "0", (1, 0)), ("0", "1", (0, 0))):
            result = subprocess.run([sys.executable, "-c", program, log, prepare], input=sums(131072)[0], capture_output=True)
            told = tuple(len(re.findall(what, result.stderr))
                         for what in (b"weights: 0.5 MiB loaded in ", b"session: prepared for [1-3] shapes? in "))
            self.assertEqual((result.returncode, told), (0, counts), result)

    def test_an_empty_cache_folder_is_refused(self):
        with self.assertRaisesRegex(ValueError, 'cache is ""'):
            vkdml.onnxruntime.session_options(cache="")
        options = vkdml.onnxruntime.session_options()
        options.add_session_config_entry("ep.vkdml.cache", "")
        with self.assertRaisesRegex(Exception, 'the cache folder is ""'):
            onnxruntime.InferenceSession(sums()[0], options)

    def test_models_with_compiled_parts_are_refused(self):
        options = vkdml.onnxruntime.session_options()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "compiled.onnx")
            if hasattr(onnxruntime, "ModelCompiler"):
                with self.assertRaisesRegex(Exception, "vkdml does not write models with EPContext nodes"):
                    onnxruntime.ModelCompiler(options, sums()[0]).compile_to_file(path)
            options.add_session_config_entry("ep.context_enable", "1")
            options.add_session_config_entry("ep.context_file_path", path)
            with self.assertRaisesRegex(Exception, "vkdml does not write models with EPContext nodes"):
                onnxruntime.InferenceSession(sums()[0], options)
            self.assertEqual(os.listdir(folder), [])

    def test_a_constant_graph(self):
        text = model([helper.make_node("Shape", ["x"], ["y"])], [("x", FLOAT, ["N", 4])], [("y", TensorProto.INT64, [2])])
        np.testing.assert_array_equal(session(text).run(None, {"x": np.ones((7, 4), np.float32)})[0], [7, 4])

    def test_a_shape_that_is_an_input(self):
        text = model([helper.make_node("Add", ["x", "x"], ["a"]), helper.make_node("Reshape", ["a", "s"], ["y"])],
                     [("x", FLOAT, [2, 6]), ("s", TensorProto.INT64, [2])], [("y", FLOAT, ["A", "B"])])
        one = session(text)
        for shape in ([3, 4], [4, 3], [12, 1], [3, 4]):
            x = np.arange(12, dtype=np.float32).reshape(2, 6)
            got = one.run(None, {"x": x, "s": np.array(shape, np.int64)})[0]
            np.testing.assert_array_equal(got, (x + x).reshape(shape))

    def test_one_plan_decodes(self):
        """A cache of a fixed size, its lengths data: after the prompt each token runs by the same plan."""
        heads, size, room = 2, 8, 12
        cache = [1, heads, room, size]

        def decoder(window):
            nodes = [helper.make_node("GroupQueryAttention", ["x", "", "", *past, "lengths", "total"], outputs,
                                      domain="com.microsoft", num_heads=heads, kv_num_heads=heads, local_window_size=width)
                     for past, outputs, width in (("kv", ["y", "nk", "nv"], -1), ("vk", ["z", "mk", "mv"], -1),
                                                  ("kv", ["w", "lk", "lv"], window))]
            return model(nodes, [("x", FLOAT, [1, "rows", 3 * heads * size]), ("k", FLOAT, cache), ("v", FLOAT, cache),
                                 ("lengths", TensorProto.INT32, [1]), ("total", TensorProto.INT32, [])],
                         [*((name, FLOAT, [1, "rows", heads * size]) for name in "yzw"),
                          ("nk", FLOAT, cache), ("nv", FLOAT, cache)])

        # The CPU provider of 1.23 takes one key more into a window than it is told to.
        theirs = 2 if onnxruntime.__version__.startswith("1.23.") else 3
        rng, results = np.random.default_rng(3), []
        tokens = rng.standard_normal((1, room, 3 * heads * size), dtype=np.float32)
        cpu = onnxruntime.InferenceSession(decoder(theirs), providers=["CPUExecutionProvider"])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report"
            for one in (session(decoder(3), report=str(path)), cpu):
                past, results_of = [np.zeros(cache, np.float32)] * 2, []
                for first, end in [(0, 4), *[(place, place + 1) for place in range(4, room)]]:
                    feeds = {"x": tokens[:, first:end], "k": past[0], "v": past[1],
                             "lengths": np.array([end - 1], np.int32), "total": np.array(end, np.int32)}
                    *made, past[0], past[1] = one.run(None, feeds)
                    results_of += made
                results.append([*results_of, *past])
            plans = [line for line in path.read_text().splitlines() if line.startswith("plan")]
        self.assertEqual(len(plans), 2)
        for ours, theirs in zip(*results):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)

    def test_what_does_not_fit_is_an_error_with_a_reason(self):
        text = model([helper.make_node("Reshape", ["x", "s"], ["y"])],
                     [("x", FLOAT, [2, 6]), ("s", TensorProto.INT64, [2])], [("y", FLOAT, ["A", "B"])])
        one = session(text)
        with self.assertRaisesRegex(Exception, "Reshape"):
            one.run(None, {"x": np.zeros((2, 6), np.float32), "s": np.array([5, 5], np.int64)})
        self.assertEqual(one.run(None, {"x": np.zeros((2, 6), np.float32), "s": np.array([4, 3], np.int64)})[0].shape, (4, 3))

    def test_the_same_bits_without_onnx_runtime(self):
        path = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models" / "classify.onnx"
        picture = np.random.default_rng(5).standard_normal((3, 1, 8, 8), dtype=np.float32)
        through = session(path.read_bytes()).run(None, {"picture": picture})[0]
        np.testing.assert_array_equal(through, vkdml.Model(str(path)).run({"picture": picture})["classes"])

    def test_threads(self):
        text, weights = sums(64)
        sessions, failures = [], []
        together(lambda _: sessions.append(session(text)), 2)

        def work(seed):
            rng = np.random.default_rng(seed)
            for turn in range(20):
                x = rng.standard_normal((1 + turn % 3, 64), dtype=np.float32)
                if not np.array_equal(sessions[turn % 2].run(None, {"x": x})[0], (x + weights) ** 2):
                    failures.append(seed)

        together(work, 4)
        self.assertEqual(failures, [])

    def test_weights_in_files_are_not_copied(self):
        """They are mapped, beside the model or inside its file, and leave memory as they are loaded. Another shape loads none, and
        has the same bits as weights of a model that is in memory."""
        size = 512
        weights = (np.arange(size * size, dtype=np.float32).reshape(size, size) % 17 - 8) / 8
        ends = [[(name, TensorProto.FLOAT, ["n", size])] for name in "xy"]
        text = model([helper.make_node("MatMul", ["x", "w"], ["y"])], *ends, [("w", weights)])
        inside = session(text)
        for name, of_file in (("net.data", {"save_as_external_data": True, "location": "net.data", "size_threshold": 0}),
                              ("net.onnx", {})):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "net.onnx")
                onnx.save(onnx.load_from_string(text), path, **of_file)
                one = session(path)
                for rows in (1, 5, 40):
                    x = np.random.default_rng(rows).random((rows, size), np.float32)
                    np.testing.assert_array_equal(one.run(None, {"x": x})[0], inside.run(None, {"x": x})[0])
                with open("/proc/self/smaps", encoding="ascii", errors="replace") as file:
                    mapped = [part for part in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", file.read(), flags=re.MULTILINE)
                              if name in part.partition("\n")[0]]
                resident = [int(re.search(r"^Rss: +(\d+)", part, re.MULTILINE).group(1)) for part in mapped]
                self.assertEqual((len(resident), max(resident, default=0) <= 8), (1, True), (name, resident))  # the first and last page
                del one

    def test_memory_for_shapes_is_a_number(self):
        options = vkdml.onnxruntime.session_options()
        options.add_session_config_entry("ep.vkdml.kept_bytes", "1 GiB")
        self.assertFalse(made(self, options, "option kept_bytes is 1 GiB, must be a number of bytes"))
        options = vkdml.onnxruntime.session_options()
        options.add_session_config_entry("ep.vkdml.kept_bytes", "1")
        text, weights = sums()
        one = onnxruntime.InferenceSession(text, options)
        for rows in (1, 2, 1):
            x = np.ones((rows, 4), np.float32)
            np.testing.assert_array_equal(one.run(None, {"x": x})[0], (x + weights) ** 2)

    def test_fork(self):
        """A child process is refused sessions and tensors of its parent at once, leaves them, and makes its own."""
        text, weights = sums()
        x = np.ones((2, 4), np.float32)

        def make():
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1  # ONNX Runtime's own threads would be waited for when a session ends
            made = onnxruntime.InferenceSession(text, vkdml.onnxruntime.session_options(options))
            made.disable_fallback()
            return made

        def fails(use):
            try:
                use()
            except Exception as error:
                return "before fork()" in str(error)

        kept = {"session": make(), "tensor": vkdml.onnxruntime.tensor(x)}
        one, tensor = kept.values()

        def inherited():
            return (fails(lambda: one.run(None, {"x": x})) and fails(lambda: one.run_with_ort_values(None, {"x": tensor}))
                    and fails(tensor.numpy))

        def own():
            there = vkdml.onnxruntime.tensor(x)
            got = make().run_with_ort_values(None, {"x": there})[0].numpy()
            return np.array_equal(got, (x + weights) ** 2)

        def left():
            nonlocal one, tensor
            del one, tensor
            kept.clear()
            vkdml.onnxruntime.unregister()
            return own()

        np.testing.assert_array_equal(one.run(None, {"x": x})[0], (x + weights) ** 2)
        for work in (inherited, own, left):
            self.assertEqual(forked(work), 0, work.__name__)
        ends = threading.Event()

        def run():
            while not ends.is_set():
                make().run(None, {"x": x})

        thread = threading.Thread(target=run)  # holds locks of the plugin now and then
        thread.start()
        try:
            self.assertEqual([forked(inherited) for _ in range(3)], [0, 0, 0])
        finally:
            ends.set()
            thread.join()
        np.testing.assert_array_equal(one.run(None, {"x": x})[0], (x + weights) ** 2)  # the parent's works on

    def test_the_plugin_does_not_go_while_it_is_used(self):
        x = np.ones((2, 4), np.float32)
        used = [session(sums()[0]), session(sums()[0]), vkdml.onnxruntime.tensor(x)]
        used[0].run(None, {"x": x})
        for sessions, tensors in ((2, 1), (1, 1), (0, 1)):
            with self.assertRaisesRegex(RuntimeError, f"used by {sessions} sessions and {tensors} tensors"):
                vkdml.onnxruntime.unregister()
            np.testing.assert_array_equal(used[-1].numpy(), x)
            del used[0]
        options = vkdml.onnxruntime.session_options()
        vkdml.onnxruntime.unregister()
        with self.assertRaisesRegex(Exception, "was unregistered after the session's options were made"):
            onnxruntime.InferenceSession(sums()[0], options)
        self.assertEqual(session(sums()[0]).run(None, {"x": x})[0].shape, x.shape)

    def test_what_outlives_the_plugin_does_not_crash(self):
        """ONNX Runtime's own function asks nobody: in a program of its own."""
        program = ("import gc, numpy, onnxruntime, sys, vkdml.onnxruntime as plugin\n"
                   "x = numpy.ones((2, 4), numpy.float32)\n"
                   "one = onnxruntime.InferenceSession(sys.stdin.buffer.read(), plugin.session_options())\n"
                   "tensor = plugin.tensor(x)\n"
                   "onnxruntime.unregister_execution_provider_library(plugin.NAME)\n"
                   "one.disable_fallback()\n"
                   "print(one.run(None, {'x': x})[0].shape)\n"
                   "del tensor, one\n"
                   "gc.collect()\n"
                   "plugin._registered = False\n"
                   "print(plugin.tensor(x).numpy().shape)\n")
        result = subprocess.run([sys.executable, "-c", program], input=sums()[0], capture_output=True)
        self.assertEqual((result.returncode, result.stdout), (0, b"(2, 4)\n(2, 4)\n"), result)

    def test_the_plugin_can_go_and_come_again(self):
        text, _ = sums()
        one = session(text)
        del one
        vkdml.onnxruntime.unregister()
        self.assertEqual(session(text).run(None, {"x": np.ones((1, 4), np.float32)})[0].tolist(), [[1, 4, 9, 16]])


def chain(width):
    """y = (x + w)^2, and z = x - w: two outputs of one fused node."""
    weights = np.linspace(-1, 1, width, dtype=np.float32)
    nodes = [helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Mul", ["a", "a"], ["y"]),
             helper.make_node("Sub", ["x", "w"], ["z"])]
    return model(nodes, [("x", FLOAT, ["N", width])], [("y", FLOAT, ["N", width]), ("z", FLOAT, ["N", width])],
                 [("w", weights)]), weights


def where(text, feeds, **options):
    """The outputs, and the operators by who ran their nodes: "vkdml" or "-"."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report"
        results = session(text, report=str(path), **options).run(None, feeds)
        lines = [line.split("\t") for line in path.read_text().splitlines()]
    return results, {name: [line[1] for line in lines if line[0] == name] for name in ("vkdml", "-")}


def on_cpu(text, feeds):
    return onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"]).run(None, feeds)


class Operators(unittest.TestCase):
    """Of com.microsoft, and what is claimed and what is not."""

    def setUp(self):
        self.rng = np.random.default_rng(17)

    def test_dynamic_quantize_lstm_is_near_the_cpus(self):
        """The CPU provider rounds the hidden state to 8 bits in each step, too: within 1/128."""
        steps, batch, inner, size = 6, 2, 5, 8
        for direction, kind, zero, per_column in (("bidirectional", np.int8, 0, True), ("reverse", np.uint8, 128, False)):
            count = 2 if direction == "bidirectional" else 1
            sizes = (count, 4 * size) if per_column else (count,)
            constants = [("b", self.rng.standard_normal((count, 8 * size), dtype=np.float32)),
                         ("p", self.rng.standard_normal((count, 3 * size), dtype=np.float32)),
                         ("l", np.array([4, 6], np.int32))]
            constants += [(name, self.rng.uniform(-1, 1, (count, batch, size)).astype(np.float32)) for name in "hc"]
            for name, rows in (("w", inner), ("r", size)):
                weights = self.rng.integers(-50, 50, (count, rows, 4 * size)) + zero
                constants += [(name, weights.astype(kind)), (name + "z", np.full(sizes, zero, kind)),
                              (name + "s", self.rng.uniform(.01, .03, sizes).astype(np.float32))]
            node = helper.make_node("DynamicQuantizeLSTM", ["x", "w", "r", "b", "l", "h", "c", "p", "ws", "wz", "rs", "rz"],
                                    ["y", "yh", "yc"], domain="com.microsoft", hidden_size=size, direction=direction)
            text = model([node], [("x", FLOAT, [steps, batch, inner])], [(name, FLOAT, None) for name in ("y", "yh", "yc")],
                         constants)
            feeds = {"x": self.rng.standard_normal((steps, batch, inner), dtype=np.float32)}
            results, nodes = where(text, feeds)
            self.assertEqual(nodes, {"vkdml": ["com.microsoft.DynamicQuantizeLSTM"], "-": []})
            for ours, theirs in zip(results, on_cpu(text, feeds)):
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1 / 128)

    def test_skip_group_norm_without_a_kernel_of_the_cpu(self):
        x, ones = self.rng.standard_normal((1, 2, 3, 4), dtype=np.float32), np.ones(4, np.float32)
        node = helper.make_node("SkipGroupNorm", ["x", "g", "g", "x"], ["y", "s"], domain="com.microsoft", groups=2,
                                activation=0)
        (y, s), _ = where(model([node], [("x", FLOAT, x.shape)], [("y", FLOAT, None), ("s", FLOAT, None)], [("g", ones)]), {"x": x})
        parts = (2 * x).reshape(6, 2, 2)
        expected = (parts - parts.mean((0, 2), keepdims=True)) / np.sqrt(parts.var((0, 2), keepdims=True) + 1e-5) + 1
        np.testing.assert_array_equal(s, 2 * x)
        np.testing.assert_allclose(y, expected.reshape(x.shape), rtol=1e-5, atol=1e-5)

    def test_float32_intermediates(self):
        half, x = TensorProto.FLOAT16, np.array([[300, 0], [1, 2]], np.float16)
        nodes = [helper.make_node("Pow", ["x", "two"], ["s"]), helper.make_node("ReduceMean", ["s", "axis"], ["m"]),
                 helper.make_node("Add", ["m", "e"], ["a"]), helper.make_node("Sqrt", ["a"], ["r"]),
                 helper.make_node("Div", ["x", "r"], ["y"])]
        text = model(nodes, [("x", half, ["N", 2])], [("y", half, ["N", 2])],
                     [("two", np.float16(2)), ("e", np.float16(1e-6)), ("axis", np.array([-1]))])
        theirs = on_cpu(text, {"x": x})[0]
        np.testing.assert_allclose(where(text, {"x": x}, float32_intermediates=True)[0][0], theirs, rtol=1e-3)
        self.assertEqual(where(text, {"x": x})[0][0][0].tolist(), [0, 0])

    def test_open_sizes_are_what_the_rules_ask_for(self):
        """All nodes are claimed while sizes are open; sizes that do not fit are told with the condition."""
        def image(*shape):
            return {"x": self.rng.standard_normal(shape, dtype=np.float32)}

        def caches(past, total, head=8):
            sizes = {"x": (1, total - past, 64), "k": (1, 2, past, head), "v": (1, 2, past, head)}
            return {"mask": np.ones((1, total), np.int64),
                    **{name: self.rng.standard_normal(size, dtype=np.float32) for name, size in sizes.items()}}

        for text, good, bad, reason in (
                (pyramid(self.rng), [image(1, 3, 64, 128), image(1, 3, 128, 64)], image(1, 3, 100, 64),
                 "'height' % 64 = 0, but it is 100"),
                (positions(self.rng), [image(2, 4, 5, 3), image(1, 4, 8, 8)], image(1, 4, 256, 257),
                 "sizes of this run: 'N' = 1, 'height' = 256, 'width' = 257"),
                (waves(self.rng), [image(1, 1, 41040), image(2, 1, 65000)], image(1, 1, 41039), "'samples' >= 41040, but it is 41039"),
                (cached(self.rng), [caches(3, 4), caches(5, 6)], caches(3, 4, 16), "'head' = 8, but it is 16")):
            for feeds in good:
                results, nodes = where(text, feeds)
                self.assertEqual(nodes["-"], [])
                for ours, theirs in zip(results, on_cpu(text, feeds)):
                    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
            with self.assertRaisesRegex(Exception, re.escape(reason)):
                where(text, bad)

    def test_open_sizes_may_be_large(self):
        """Sizes that are open when a node is claimed, small and then large: the same session, by the plugin."""
        rng = np.random.default_rng(9)
        int32, int64 = TensorProto.INT32, TensorProto.INT64
        cases = [
            ("Resize", ["x", "", "", "sizes"], {"antialias": 1, "mode": "cubic"}, [("x", FLOAT, [1, 1, "H", "W"])],
             [("sizes", np.array([1, 1, 8, 8]))], lambda n: {"x": rng.standard_normal((1, 1, n, n)).astype(np.float32)}, (20, 310)),
            ("ScatterND", ["x", "i", "u"], {"reduction": "add"}, [("x", FLOAT, ["N"]), ("i", int64, ["M", 1]), ("u", FLOAT, ["M"])], [],
             lambda n: {"x": np.zeros(n, np.float32), "i": rng.integers(0, n, (n, 1)), "u": np.ones(n, np.float32)}, (10, 10000)),
            ("MatMul", ["x", "w"], {}, [("x", int32, ["M", "K"]), ("w", int32, ["K", "N"])], [],
             lambda n: {name: rng.integers(-9, 9, (n, n), np.int32) for name in "xw"}, (8, 420)),
            ("DFT", ["x"], {"axis": 1}, [("x", FLOAT, [1, "N", 1])], [],
             lambda n: {"x": rng.standard_normal((1, n, 1)).astype(np.float32)}, (10, 3000)),
            ("RoiAlign", ["x", "r", "b"], {"output_height": 2, "output_width": 2}, [("x", FLOAT, [1, 1, "H", "W"]), ("r", FLOAT, [1, 4]), ("b", int64, [1])], [],
             lambda n: {"x": rng.standard_normal((1, 1, n, n)).astype(np.float32), "r": np.array([[0, 0, n - 1, n]], np.float32),
                        "b": np.zeros(1, np.int64)}, (20, 400))]
        for op, inputs, attributes, ends, constants, make, sizes in cases:
            text = model([helper.make_node(op, inputs, ["y"], **attributes)], ends, [("y", ends[0][1], None)], constants, opset=18)
            one, cpu = session(text), onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
            for size in (*sizes, sizes[0]):
                feed = make(size)
                expected, got = cpu.run(None, feed)[0], one.run(None, feed)[0]
                if op == "DFT":  # the CPU provider's is 1e-3 of the largest element off
                    spectrum = np.fft.fft(feed["x"][:, :, 0].astype(float))
                    expected = np.stack([spectrum.real, spectrum.imag], -1)
                np.testing.assert_allclose(got, expected, rtol=1e-4, atol=2e-5 * max(1, np.abs(expected).max()), err_msg=op)
            self.assertEqual(one.get_providers()[0], EP_NAME)

    def test_nodes_after_a_branch_are_ours(self):
        """The branches differ in their ranks, and shapes alone decide."""
        def body(op, inputs):
            return helper.make_graph([helper.make_node(op, inputs, ["z"])], op, [], [helper.make_tensor_value_info("z", FLOAT, None)])

        nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Gather", ["s", "zero"], ["n"]),
                 helper.make_node("Equal", ["n", "one"], ["c"]),
                 helper.make_node("If", ["c"], ["b"], then_branch=body("Squeeze", ["x", "axis"]), else_branch=body("Identity", ["x"])),
                 helper.make_node("Relu", ["b"], ["y"])]
        text = model(nodes, [("x", FLOAT, ["N", 3, 4])], [("y", FLOAT, None)],
                     [("zero", np.array(0)), ("one", np.array(1)), ("axis", np.array([0]))])
        for rows in (1, 2):
            x = self.rng.standard_normal((rows, 3, 4), dtype=np.float32)
            (y,), nodes = where(text, {"x": x})
            np.testing.assert_array_equal(y, np.maximum(x[0] if rows == 1 else x, 0))
            self.assertIn("Relu", nodes["vkdml"])
            self.assertEqual(nodes["-"], ["If"])

    def test_training_that_an_input_asks_for_is_the_cpus(self):
        text = model([helper.make_node("Dropout", ["x", "", "t"], ["d"]), helper.make_node("Add", ["d", "x"], ["y"])],
                     [("x", FLOAT, [100]), ("t", TensorProto.BOOL, [])], [("y", FLOAT, [100])])
        x = np.ones(100, np.float32)
        for trains in (False, True):
            (y,), nodes = where(text, {"x": x, "t": np.array(trains)})
            self.assertEqual(set(y.tolist()), {1, 3} if trains else {2})
            self.assertEqual(nodes, {"vkdml": ["Add"], "-": ["Dropout"]})

    def test_one_direction_with_two_activations(self):
        """ONNX's default for RNN."""
        constants = [("w", self.rng.standard_normal((1, 3, 4), dtype=np.float32)),
                     ("r", self.rng.standard_normal((1, 3, 3), dtype=np.float32))]
        for stated in ({}, {"activations": ["Relu", "Tanh"]}):
            text = model([helper.make_node("RNN", ["x", "w", "r"], ["y"], hidden_size=3, **stated)], [("x", FLOAT, [5, 2, 4])],
                         [("y", FLOAT, None)], constants)
            feeds = {"x": self.rng.standard_normal((5, 2, 4), dtype=np.float32)}
            results, nodes = where(text, feeds)
            self.assertEqual(nodes["vkdml"], ["RNN"])
            np.testing.assert_allclose(results[0], on_cpu(text, feeds)[0], rtol=1e-5, atol=1e-6)

    def test_rms_normalization_has_the_scales_type(self):
        x = self.rng.standard_normal((3, 8), dtype=np.float32)
        for first, second in ((np.float32, np.float16), (np.float16, np.float32)):
            types = [helper.np_dtype_to_tensor_dtype(np.dtype(kind)) for kind in (first, second)]
            text = model([helper.make_node("RMSNormalization", ["x", "g"], ["y"])], [("x", types[0], [3, 8])],
                         [("y", types[1], [3, 8])], [("g", np.full(8, 2, second))], opset=23)
            (y,), nodes = where(text, {"x": x.astype(first)})
            self.assertEqual((y.dtype, nodes["vkdml"]), (second, ["RMSNormalization"]))
            np.testing.assert_allclose(y, 2 * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5), rtol=2e-3)


def pyramid(rng, levels=6):
    """A U-Net: halved and doubled again, joined with what was there before."""
    nodes, constants, x, inner = [], [("b", rng.standard_normal((4, 8, 3, 3), dtype=np.float32) / 8)], "x", 3
    for level in range(levels):
        constants += [(f"w{level}", rng.standard_normal((4, inner, 3, 3), dtype=np.float32) / 6),
                      (f"u{level}", rng.standard_normal((4, 4, 2, 2), dtype=np.float32) / 2)]
        nodes += [helper.make_node("Conv", [x, f"w{level}"], [f"c{level}"], pads=[1] * 4),
                  helper.make_node("MaxPool", [f"c{level}"], [f"p{level}"], kernel_shape=[2, 2], strides=[2, 2])]
        x, inner = f"p{level}", 4
    for level in reversed(range(levels)):
        nodes += [helper.make_node("ConvTranspose", [x, f"u{level}"], [f"d{level}"], strides=[2, 2]),
                  helper.make_node("Concat", [f"d{level}", f"c{level}"], [f"j{level}"], axis=1),
                  helper.make_node("Conv", [f"j{level}", "b"], [f"y{level}"], pads=[1] * 4)]
        x = f"y{level}"
    return model(nodes, [("x", FLOAT, [1, 3, "height", "width"])], [(x, FLOAT, None)], constants)


def positions(rng):
    """Attention of all positions of an image."""
    nodes = [helper.make_node("Reshape", ["x", "s"], ["k"]), helper.make_node("Transpose", ["k"], ["q"], perm=[0, 2, 1]),
             helper.make_node("MatMul", ["q", "k"], ["l"], "scores"), helper.make_node("Softmax", ["l"], ["p"]),
             helper.make_node("MatMul", ["p", "q"], ["o"]), helper.make_node("Transpose", ["o"], ["y"], perm=[0, 2, 1])]
    return model(nodes, [("x", FLOAT, ["N", 4, "height", "width"])], [("y", FLOAT, None)], [("s", np.array([0, 4, -1]))])


def waves(rng):
    """Windows of 400 samples, and seven strided convolutions of these."""
    nodes, constants, x = [helper.make_node("Conv", ["x", "w"], ["c"], strides=[160])], [], "c"
    constants = [("w", rng.standard_normal((4, 1, 400), dtype=np.float32) / 20),
                 ("v", rng.standard_normal((4, 4, 3), dtype=np.float32) / 3)]
    for turn in range(7):
        nodes.append(helper.make_node("Conv", [x, "v"], [f"c{turn}"], f"conv{turn}", strides=[2]))
        x = f"c{turn}"
    return model(nodes, [("x", FLOAT, ["N", 1, "samples"])], [(x, FLOAT, None)], constants)


def cached(rng):
    """A head size that follows from the queries, and a mask whose length decides."""
    nodes = [helper.make_node("ReduceSum", ["mask", "one"], ["r"], keepdims=0), helper.make_node("Sub", ["r", "one"], ["d"]),
             helper.make_node("Cast", ["d"], ["l"], to=TensorProto.INT32), helper.make_node("Shape", ["mask"], ["m"]),
             helper.make_node("Gather", ["m", "second"], ["g"]), helper.make_node("Cast", ["g"], ["t"], to=TensorProto.INT32),
             helper.make_node("GroupQueryAttention", ["x", "", "", "k", "v", "l", "t"], ["y", "p", "q"],
                              domain="com.microsoft", num_heads=4, kv_num_heads=2)]
    caches = [(name, FLOAT, [1, 2, "past", "head"]) for name in "kv"]
    return model(nodes, [("x", FLOAT, [1, "length", 64]), *caches, ("mask", TensorProto.INT64, [1, "total"])],
                 [(name, FLOAT, None) for name in "ypq"], [("one", np.array([1])), ("second", np.array(1))])


def made(case, options, reason):
    """Whether a session is on the plugin; else it was refused for the reason, or older versions fell back, and printed it."""
    try:
        return onnxruntime.InferenceSession(chain(6)[0], options, disable_fallback=True).get_providers()[0] == EP_NAME
    except Exception as error:
        case.assertRegex(str(error), reason)
        return False


def detector():
    """Two convolutions make boxes and scores of each place of an image; boxes that are selected are gathered. Weights and images
    are whole numbers, so that scores are exact, and many are equal."""
    rng = np.random.default_rng(3)
    constants = [("box_weights", rng.integers(-2, 3, (4, 3, 3, 3)).astype(np.float32)),
                 ("score_weights", rng.integers(-2, 3, (2, 3, 3, 3)).astype(np.float32)), ("eighth", np.array(0.125, np.float32)),
                 ("box_shape", np.array([1, 4, -1])), ("score_shape", np.array([1, 2, -1])), ("most", np.array([50])),
                 ("overlap", np.array([0.4], np.float32)), ("second", np.array([2])), ("third", np.array([3])),
                 ("columns", np.array([1])), ("flat", np.array([-1]))]
    nodes = [helper.make_node("Conv", ["x", "box_weights"], ["b"], pads=[1, 1, 1, 1]),
             helper.make_node("Conv", ["x", "score_weights"], ["s"], pads=[1, 1, 1, 1]),
             helper.make_node("Reshape", ["b", "box_shape"], ["rows"]), helper.make_node("Reshape", ["s", "score_shape"], ["logits"]),
             helper.make_node("Transpose", ["rows"], ["boxes"], perm=[0, 2, 1]), helper.make_node("Mul", ["logits", "eighth"], ["scores"]),
             helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "least"], ["selected"]),
             helper.make_node("Slice", ["selected", "second", "third", "columns"], ["column"]),
             helper.make_node("Reshape", ["column", "flat"], ["places"]),
             helper.make_node("Gather", ["boxes", "places"], ["found"], axis=1), helper.make_node("Relu", ["found"], ["y"])]
    return model(nodes, [("x", FLOAT, [1, 3, "H", "W"]), ("least", FLOAT, [1])],
                 [("selected", TensorProto.INT64, ["N", 3]), ("y", FLOAT, [1, "N", 4]), ("scores", FLOAT, [1, 2, "P"])], constants)


def host_chain():
    """Nodes of the host one after another, and one of its results that is an output as it is."""
    nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("NonZero", ["a"], ["places"]),
             helper.make_node("Transpose", ["places"], ["t"]), helper.make_node("GatherND", ["a", "t"], ["values"]),
             helper.make_node("Greater", ["values", "half"], ["large"]),
             helper.make_node("Compress", ["values", "large"], ["kept"], axis=0),
             helper.make_node("Cast", ["kept"], ["whole"], to=TensorProto.INT64),
             helper.make_node("Unique", ["whole"], ["u", "", "", "counts"]), helper.make_node("Neg", ["u"], ["y"])]
    return model(nodes, [("x", FLOAT, ["H", "W"])],
                 [("y", TensorProto.INT64, ["U"]), ("places", TensorProto.INT64, [2, "P"]), ("counts", TensorProto.INT64, ["U"]),
                  ("kept", FLOAT, ["K"]), ("x", FLOAT, ["H", "W"])], [("half", np.array(0.5, np.float32))])


class Stages(unittest.TestCase):
    """Models some of whose sizes depend on data."""

    def compare(self, text, feeds):
        """Each run of one session with ONNX Runtime's CPU provider, and bit by bit with a session of its own and vkdml.Model."""
        cpu = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report"
            one = session(text, report=str(path))
            lines = [line.split("\t")[0] for line in path.read_text().splitlines()]
            self.assertEqual(set(lines), {"vkdml"}, lines)
            (pathlib.Path(folder) / "model.onnx").write_bytes(text)
            with vkdml.Model(pathlib.Path(folder) / "model.onnx") as module:
                for feed in feeds:
                    expected, got = cpu.run(None, feed), one.run(None, feed)
                    for a, b in zip(expected, got):
                        self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
                        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-4)
                    for others in (session(text).run(None, feed), module.run(feed).values()):
                        for a, b in zip(got, others, strict=True):
                            np.testing.assert_array_equal(a, b)
        return [[a.shape for a in cpu.run(None, feed)] for feed in feeds]

    def test_a_detector(self):
        rng = np.random.default_rng(4)
        feeds = [{"x": rng.integers(-3, 4, (1, 3, size, 9)).astype(np.float32), "least": np.array([least], np.float32)}
                 for size, least in ((7, 0.5), (7, 99), (7, 3), (9, 2), (7, 99), (7, -99), (9, 4))]
        counts = {shapes[0][0] for shapes in self.compare(detector(), feeds)}
        self.assertIn(0, counts)
        self.assertGreater(len(counts), 3)

    def test_sizes_that_the_device_computes(self):
        """The limit of Range is a sum of products: it is read back, and ends a plan, of whatever size the inputs are."""
        weights = np.ones((512, 3), np.float32)
        nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("ReduceMax", ["p"], ["m"], keepdims=0),
                 helper.make_node("Cast", ["m"], ["limit"], to=TensorProto.INT64), helper.make_node("Range", ["zero", "limit", "one"], ["r"]),
                 helper.make_node("Cast", ["r"], ["f"], to=FLOAT), helper.make_node("Unsqueeze", ["f", "one_axis"], ["column"]),
                 helper.make_node("Mul", ["column", "w0"], ["y"])]
        for rows, runs in (("N", ((1, 5), (300, 7), (40, 0), (300, 9), (1, 7))), (300, ((300, 4),))):
            text = model(nodes, [("x", FLOAT, [rows, 512])], [("y", FLOAT, ["M", 3]), ("p", FLOAT, [rows, 3])],
                         [("w", weights), ("w0", np.array([1, 2, 3], np.float32)), ("zero", np.array(0)), ("one", np.array(1)),
                          ("one_axis", np.array([1]))], opset=17)
            feeds = [{"x": np.full((count, 512), value / 512, np.float32)} for count, value in runs]
            self.assertEqual([shapes[0] for shapes in self.compare(text, feeds)], [(value, 3) for _, value in runs])

    def test_one_box(self):
        x = np.random.default_rng(6).integers(-3, 4, (1, 3, 5, 5)).astype(np.float32)
        scores = np.unique(session(detector()).run(["scores"], {"x": x, "least": np.ones(1, np.float32)})[0])
        self.assertEqual(self.compare(detector(), [{"x": x, "least": scores[-2:-1]}])[0][0], (1, 3))

    def test_nodes_of_the_host_in_a_row(self):
        rng = np.random.default_rng(6)
        sizes = [(5, 7), (1, 1), (30, 40), (0, 3), (5, 7), (300, 200)]
        feeds = [{"x": rng.standard_normal(size).astype(np.float32) * 3} for size in sizes]
        feeds.append({"x": np.full((5, 7), -1, np.float32)})
        self.compare(host_chain(), feeds)

    def test_nodes_are_checked_one_by_one(self):
        """Inputs of more than 64 KiB, whose elements plans do not look at."""
        x = np.random.default_rng(7).standard_normal((150, 150)).astype(np.float32)
        expected = session(host_chain()).run(None, {"x": x})
        for a, b in zip(expected, session(host_chain(), check="cpu").run(None, {"x": x})):
            np.testing.assert_array_equal(a, b)

    def test_executing_again(self):
        """Of a bound session: inputs and outputs stay on the device."""
        text = model([helper.make_node("Relu", ["x"], ["a"]), helper.make_node("NonZero", ["a"], ["y"])],
                     [("x", FLOAT, ["N"])], [("y", TensorProto.INT64, [1, "P"])])
        one = session(text)
        for values in ([1, 0, 2], [0, 0, 0], [3, 4, 5]):
            x = np.array(values, np.float32)
            binding = one.io_binding()
            binding.bind_ortvalue_input("x", vkdml.onnxruntime.tensor(x))
            vkdml.onnxruntime.bind_output(binding, "y")
            one.run_with_iobinding(binding)
            np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], [np.flatnonzero(x)])

    def test_threads_take_turns(self):
        one, x = session(host_chain()), np.random.default_rng(8).standard_normal((4, 6, 8)).astype(np.float32)
        expected = [one.run(None, {"x": part}) for part in x]
        wrong = []

        def work(seed):
            for i in np.random.default_rng(seed).integers(0, 4, 6):
                if any(not np.array_equal(a, b) for a, b in zip(expected[i], one.run(None, {"x": x[i]}))):
                    wrong.append(i)
        together(work, 4)
        self.assertEqual(wrong, [])

    def test_what_shapes_say_is_not_split(self):
        """NonZero of a shape is computed while planning, and NonZero between the CPU's nodes is the CPU's."""
        fill = helper.make_tensor("value", TensorProto.INT64, [1], [1])
        text = model([helper.make_node("Shape", ["x"], ["s"]), helper.make_node("ConstantOfShape", ["s"], ["ones"], value=fill),
                      helper.make_node("NonZero", ["ones"], ["places"]), helper.make_node("Cast", ["places"], ["c"], to=FLOAT),
                      helper.make_node("Det", ["z"], ["d"]), helper.make_node("NonZero", ["d"], ["of_cpu"])],
                     [("x", FLOAT, ["N", "N"]), ("z", FLOAT, ["K", 2, 2])], [("c", FLOAT, [2, "M"]), ("of_cpu", TensorProto.INT64, [1, "P"])])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report"
            one = session(text, report=str(path))
            for size in (2, 3):
                got = one.run(None, {"x": np.eye(size, dtype=np.float32), "z": np.ones((3, 2, 2), np.float32)})
                np.testing.assert_array_equal(got[0], np.indices((size, size)).reshape(2, -1))
            lines = [line.split("\t") for line in path.read_text().splitlines()]
        self.assertEqual(sorted(line[0] for line in lines if line[1] == "NonZero"), ["-", "vkdml"])


class Memory(unittest.TestCase):
    """Tensors on the device: bound, passed on, and read where the host wants them."""

    def setUp(self):
        self.text, self.weights = chain(6)
        self.session = session(self.text)
        self.rng = np.random.default_rng(11)

    def test_elements_come_and_go(self):
        for shape in ((), (0, 3), (5,), (3, 7), (1 << 21, 3)):
            x = self.rng.standard_normal(shape).astype(np.float32)
            on_device = vkdml.onnxruntime.tensor(x)
            self.assertNotEqual(on_device.device_name(), "cpu")
            np.testing.assert_array_equal(on_device.numpy(), x)
            x = np.asarray(x * 2)
            on_device.update_inplace(x)
            np.testing.assert_array_equal(on_device.numpy(), x)

    def test_bound_tensors_stay(self):
        for rows in (1, 3, 500, 30000, 3):
            x = self.rng.standard_normal((rows, 6), dtype=np.float32)
            y, z = (vkdml.onnxruntime.empty((rows, 6), np.float32) for _ in range(2))
            binding = self.session.io_binding()
            binding.bind_ortvalue_input("x", vkdml.onnxruntime.tensor(x))
            binding.bind_ortvalue_output("y", y)
            binding.bind_ortvalue_output("z", z)
            for _ in range(2):
                self.session.run_with_iobinding(binding)
                np.testing.assert_array_equal(y.numpy(), (x + self.weights) ** 2)
                np.testing.assert_array_equal(z.numpy(), x - self.weights)

    def test_outputs_are_inputs_again(self):
        x = self.rng.standard_normal((4, 6), dtype=np.float32)
        now, expected = vkdml.onnxruntime.tensor(x), x
        for turn in range(9):
            binding = self.session.io_binding()
            binding.bind_ortvalue_input("x", now)
            for name in ("y", "z"):
                vkdml.onnxruntime.bind_output(binding, name)
            self.session.run_with_iobinding(binding)
            now = binding.get_outputs()[1]
            expected = expected - self.weights
            np.testing.assert_array_equal(now.numpy(), expected)

    def test_some_may_be_on_the_host(self):
        x = self.rng.standard_normal((4, 6), dtype=np.float32)
        for x_on_device, y_on_device in ((False, True), (True, False), (False, False), (True, True)):
            binding = self.session.io_binding()
            binding.bind_ortvalue_input("x", vkdml.onnxruntime.tensor(x) if x_on_device
                                        else onnxruntime.OrtValue.ortvalue_from_numpy(x))
            if y_on_device:
                vkdml.onnxruntime.bind_output(binding, "y")
            else:
                binding.bind_output("y")
            binding.bind_output("z")
            self.session.run_with_iobinding(binding)
            np.testing.assert_array_equal(binding.get_outputs()[0].numpy(), (x + self.weights) ** 2)
            np.testing.assert_array_equal(binding.get_outputs()[1].numpy(), x - self.weights)

    def test_an_output_may_lie_over_an_input(self):
        text = model([helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]), helper.make_node("Add", ["t", "x"], ["y"])],
                     [("x", FLOAT, [9, 9])], [("y", FLOAT, [9, 9])])
        one = session(text)
        x = self.rng.standard_normal((9, 9), dtype=np.float32)
        both, binding = vkdml.onnxruntime.tensor(x), one.io_binding()
        binding.bind_ortvalue_input("x", both)
        binding.bind_ortvalue_output("y", both)
        for _ in range(3):
            one.run_with_iobinding(binding)
            x = x.T + x
            np.testing.assert_array_equal(both.numpy(), x)

    def test_a_shape_on_the_device(self):
        text = model([helper.make_node("Add", ["x", "x"], ["a"]), helper.make_node("Reshape", ["a", "s"], ["y"])],
                     [("x", FLOAT, [2, 6]), ("s", TensorProto.INT64, [2])], [("y", FLOAT, ["A", "B"])])
        one, x = session(text), np.arange(12, dtype=np.float32).reshape(2, 6)
        shape = vkdml.onnxruntime.tensor(np.array([3, 4], np.int64))
        for sizes in ([3, 4], [4, 3], [3, 4]):
            shape.update_inplace(np.array(sizes, np.int64))
            got = one.run_with_ort_values(None, {"x": vkdml.onnxruntime.tensor(x), "s": shape})
            np.testing.assert_array_equal(got[0].numpy(), (x + x).reshape(sizes))

    def test_known_outputs_and_half_bytes(self):
        text = model([helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Cast", ["x"], ["q"], to=TensorProto.UINT4)],
                     [("x", FLOAT, ["N", 3])], [("s", TensorProto.INT64, [2]), ("q", TensorProto.UINT4, ["N", 3])], opset=21)
        one = session(text)
        binding = one.io_binding()
        binding.bind_ortvalue_input("x", vkdml.onnxruntime.tensor(np.array([[1, 2, 3]], np.float32)))
        vkdml.onnxruntime.bind_output(binding, "s")
        binding.bind_output("q")
        one.run_with_iobinding(binding)
        self.assertEqual(binding.get_outputs()[0].numpy().tolist(), [1, 3])

    def test_what_the_cpu_does_between(self):
        text = model([helper.make_node("Add", ["x", "x"], ["a"]), helper.make_node("Det", ["a"], ["d"]),
                      helper.make_node("Mul", ["a", "a"], ["y"])], [("x", FLOAT, [3, 3])],
                     [("y", FLOAT, [3, 3]), ("d", FLOAT, []), ("a", FLOAT, [3, 3])])
        one, x = session(text), np.diag(np.array([1, 2, 3], np.float32))
        for _ in range(3):
            y, d, a = one.run(None, {"x": x})
            np.testing.assert_array_equal(y, 4 * x * x)
            np.testing.assert_array_equal(a, 2 * x)
            self.assertEqual(d, 48)
            x = x + np.eye(3, dtype=np.float32) - np.diag(np.array([1, 1, 1], np.float32))

    def test_threads_have_tensors_of_their_own(self):
        failures = []

        def work(seed):
            rng = np.random.default_rng(seed)
            for turn in range(20):
                x = rng.standard_normal((1 + turn % 4, 6), dtype=np.float32)
                got = self.session.run_with_ort_values(["z"], {"x": vkdml.onnxruntime.tensor(x)})
                if not np.array_equal(got[0].numpy(), x - self.weights):
                    failures.append(seed)

        together(work, 4)
        self.assertEqual(failures, [])

    def test_devices_by_number_and_uuid(self):
        about = vkdml.onnxruntime.devices()[0].ep_metadata
        x = np.ones((1, 6), np.float32)
        for name in (0, "#0", about["vulkan_uuid"], about["vulkan_uuid"].upper(), about["vulkan_device"][1:]):
            one = session(self.text, device=name)
            np.testing.assert_array_equal(one.run(None, {"x": x})[0], (x + self.weights) ** 2)
        for name in (99, "#99", "12345678-1234-1234-1234-123456789abc"):
            with self.assertRaisesRegex(ValueError, "there is no Vulkan device"):
                vkdml.onnxruntime.session_options(device=name)

    def test_the_device_option_is_held_to_what_was_chosen(self):
        for name, fits in (("#0", True), ("#7", False), ("no such", False)):
            options = vkdml.onnxruntime.session_options(device=0)
            options.add_session_config_entry("ep.vkdml.device", name)
            self.assertEqual(made(self, options, f"option device is {name}, but the session was given"), fits)


class Software(unittest.TestCase):
    def test_it_is_offered_to_who_asks(self):
        """In processes of their own: the number of devices, and what a policy chooses."""
        program = """
import onnxruntime, vkdml.onnxruntime
vkdml.onnxruntime.register({})
found = [device for device in onnxruntime.get_ep_devices() if device.ep_name == vkdml.onnxruntime.get_ep_name()]
options = onnxruntime.SessionOptions()
options.set_provider_selection_policy(onnxruntime.OrtExecutionProviderDevicePolicy.PREFER_CPU)
print(len(found) > 0, onnxruntime.InferenceSession(%r, options).get_providers()[0])
""" % chain(6)[0]
        is_software = vkdml.devices()[0].type == "cpu"
        for arguments, environment, there in (("", None, True), ("software=False", None, not is_software), ("", "0", not is_software),
                                              ("software=False", "1", True)):
            own = {name: value for name, value in os.environ.items() if name != vkdml.onnxruntime.SOFTWARE}
            if environment:
                own[vkdml.onnxruntime.SOFTWARE] = environment
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", program.format(arguments)], env=own, text=True,
                                  capture_output=True, check=True, timeout=120)
            chosen = EP_NAME if there else "CPUExecutionProvider"
            self.assertEqual(done.stdout.split()[-2:], [str(there), chosen], (arguments, environment))


class Options(unittest.TestCase):
    def test_labels_log_and_single_nodes(self):
        """The device is opened with them: the plugin is registered anew."""
        vkdml.onnxruntime.unregister()
        text, weights = chain(6)
        options = vkdml.onnxruntime.session_options()
        for name in ("labels", "log", "node_by_node"):
            options.add_session_config_entry(f"ep.vkdml.{name}", "1")
        x = np.ones((2, 6), np.float32)
        one = onnxruntime.InferenceSession(text, options)
        self.assertEqual(one.get_providers()[0], EP_NAME)
        np.testing.assert_array_equal(one.run(None, {"x": x})[0], (x + weights) ** 2)
        del one
        vkdml.onnxruntime.unregister()

    def test_the_node_that_overflows_is_named(self):
        """RMSNorm written out in FLOAT16; from the host and from the device, and written over its input."""
        half = TensorProto.FLOAT16
        nodes = [helper.make_node("Mul", ["x", "x"], ["square"], "squares"),
                 helper.make_node("ReduceMean", ["square", "axes"], ["mean"], "mean"), helper.make_node("Sqrt", ["mean"], ["root"], "root"),
                 helper.make_node("Div", ["x", "root"], ["y"], "scale")]
        text = model(nodes, [("x", half, [1, 2])], [("y", half, [1, 2])], [("axes", np.array([1], np.int64))])
        one = session(text, check="finite")
        reason = (r"node 'squares' \(Mul\): output 'square' has 1 inf and 0 NaN of 2 elements: the result exceeds the largest FLOAT16"
                  ".*'x' FLOAT16 .1, 2. from 0 to 300, 0 inf, 0 NaN")
        large, small = np.array([[300, 0]], np.float16), np.array([[3, 4]], np.float16)
        right = session(text).run(None, {"x": small})[0]
        with self.assertRaisesRegex(Exception, reason):
            one.run(None, {"x": large})
        np.testing.assert_array_equal(one.run(None, {"x": small})[0], right)
        for x, fails in ((large, True), (small, False)):
            value, binding = vkdml.onnxruntime.tensor(x), one.io_binding()
            binding.bind_ortvalue_input("x", value)
            binding.bind_ortvalue_output("y", value)
            if fails:
                self.assertRaisesRegex(Exception, reason, one.run_with_iobinding, binding)
            else:
                one.run_with_iobinding(binding)
                np.testing.assert_array_equal(value.numpy(), right)
        np.testing.assert_array_equal(session(text, check="cpu").run(None, {"x": large})[0], [[0, 0]])
        self.assertFalse(made(self, vkdml.onnxruntime.session_options(check="all"), "option check is all, must be finite or cpu"))

    def test_the_node_that_is_wrong_is_named(self):
        """In processes of their own, with a Vulkan loader whose memory goes wrong after a wait: that of the whole run, and of each
        node."""
        program = """
import numpy as np, onnxruntime, vkdml.onnxruntime
from test_onnxruntime import helper, model, session, TensorProto
ends = [[(name, TensorProto.INT32, [2000])] for name in "xy"]
one = session(model([helper.make_node("Add", ["x", "x"], ["h"], "one"), helper.make_node("Mul", ["h", "h"], ["y"], "two")], *ends),
              check="cpu")
one.run(None, {"x": np.arange(2000, dtype=np.int32)})
"""
        wrong = pathlib.Path(os.environ["VKDML_LIBRARY"]).parents[1] / "tests" / "tool" / "wrong"
        self.assertTrue((wrong / "libvulkan.so.1").exists())
        folders = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        loaders = os.pathsep.join(filter(None, [str(wrong), os.environ.get("LD_LIBRARY_PATH")]))
        for wait, said in ((1, "the model's output 'y' is not what its nodes make one by one"),
                           (2, "node 'one' (Add): output 'h' is not the CPU reference's: 1 of 2000 elements is wrong, most at [0]"),
                           (3, "node 'two' (Mul): output 'y' is not the CPU reference's"), (4, None)):
            own = {**os.environ, "PYTHONPATH": folders, "LD_LIBRARY_PATH": loaders, "VKDML_TEST_WRONG_WAIT": str(wait)}
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=own, text=True, capture_output=True, timeout=120)
            self.assertEqual((done.returncode != 0, (said or "") in done.stderr), (said is not None, True), (wait, done.stderr))

    def test_what_is_no_truth_is_refused(self):
        options = vkdml.onnxruntime.session_options()
        options.add_session_config_entry("ep.vkdml.labels", "perhaps")
        self.assertFalse(made(self, options, "option labels is perhaps, must be 0 or 1"))


class Conventions(unittest.TestCase):
    """What applications expect of any plugin of ONNX Runtime."""

    def test_names(self):
        device = vkdml.onnxruntime.devices()[0]
        self.assertEqual(vkdml.onnxruntime.get_ep_name(), EP_NAME)
        self.assertEqual(vkdml.onnxruntime.get_ep_names(), [EP_NAME])
        self.assertEqual(device.ep_name, EP_NAME)
        self.assertTrue(os.path.samefile(device.ep_metadata["library_path"], vkdml.onnxruntime.get_library_path()))

    def test_any_registration_name(self):
        vkdml.onnxruntime.unregister()
        onnxruntime.register_execution_provider_library("any name", vkdml.onnxruntime.get_library_path())
        try:
            found = [device for device in onnxruntime.get_ep_devices() if device.ep_name == EP_NAME]
            options = onnxruntime.SessionOptions()
            options.add_provider_for_devices(found[:1], {})
            text, weights = sums()
            one = onnxruntime.InferenceSession(text, options, disable_fallback=True)
            np.testing.assert_array_equal(one.run(None, {"x": np.ones((1, 4), np.float32)})[0], (1 + weights)[None] ** 2)
            del one
        finally:
            onnxruntime.unregister_execution_provider_library("any name")

    def test_a_provider_by_name(self):
        vkdml.onnxruntime.register()
        if EP_NAME not in onnxruntime.get_available_providers():
            self.skipTest(f"ONNX Runtime {onnxruntime.__version__} takes no plugin by name")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report"
            one = onnxruntime.InferenceSession(sums()[0], providers=[(EP_NAME, {"report": str(path)})])
            self.assertEqual(one.get_providers()[0], EP_NAME)
            self.assertIn("vkdml\tAdd", path.read_text())

    def test_options_by_both_prefixes(self):
        """Options of the provider become entries with its name in lower case; the short ones are read where these are not."""
        device = vkdml.onnxruntime.devices()[0]
        for provider, long, short, fits in (("perhaps", None, None, False), (None, "perhaps", None, False),
                                            (None, None, "perhaps", False), ("0", None, "perhaps", True),
                                            (None, "true", "perhaps", True), (None, "perhaps", "1", False)):
            options = onnxruntime.SessionOptions()
            options.add_provider_for_devices([device], {"half": provider} if provider else {})
            for key, value in (("ep.vkdmlexecutionprovider.half", long), ("ep.vkdml.half", short)):
                if value:
                    options.add_session_config_entry(key, value)
            self.assertEqual(made(self, options, "option half is perhaps, must be 0 or 1"), fits, (provider, long, short))

    def test_of_several_devices_the_first(self):
        """In a process of its own, where a driver is there twice: a session that is given both devices is on the first."""
        program = """
import sys, numpy, onnxruntime, vkdml.onnxruntime
devices = vkdml.onnxruntime.devices()
for given in (devices, devices[::-1]):
    number = given[0].ep_metadata["vulkan_index"]
    options = onnxruntime.SessionOptions()
    options.add_provider_for_devices(given, {"device": "#" + number})
    one = onnxruntime.InferenceSession(%r, options, disable_fallback=True)
    one.disable_fallback()
    print(len(given), number, one.get_providers()[0], one.run(["z"], {"x": numpy.full((1, 6), 2, numpy.float32)})[0].sum())
""" % chain(6)[0]
        named = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES") or ""
        driver = pathlib.Path(named.split(":")[0] or next(iter(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")), "none"))
        if not driver.is_file():
            self.skipTest("lavapipe is not installed")
        about = json.loads(driver.read_text())
        library = about["ICD"]["library_path"]
        about["ICD"]["library_path"] = str(driver.parent / library) if "/" in library else library
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.json", "b.json")]
            for file in files:
                file.write_text(json.dumps(about))
            drivers = ":".join(map(str, files))
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], text=True, capture_output=True, timeout=120,
                                  env={**os.environ, "VK_DRIVER_FILES": drivers, "VK_ICD_FILENAMES": drivers})
        self.assertEqual(done.stdout.splitlines(), [f"2 {number} {EP_NAME} 12.0" for number in "01"], done.stderr)

    def test_free_dimensions_may_be_fixed(self):
        """Then all sizes are known, and the plan is made with the session, not at its first run."""
        text, weights = sums()
        for rows in (None, 3):
            options = onnxruntime.SessionOptions()
            if rows:
                options.add_free_dimension_override_by_name("N", rows)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "report"
                one = session(text, options=options, report=str(path))
                self.assertEqual([line for line in path.read_text().splitlines() if line.startswith("plan")],
                                 ["plan\t2"] if rows else [])
            x = np.ones((3, 4), np.float32)
            np.testing.assert_array_equal(one.run(None, {"x": x})[0], (x + weights) ** 2)


class Tap(unittest.TextTestResult):
    def line(self, test, ok):
        print(f"{'ok' if ok else 'not ok'} {self.testsRun} - {test.id().split('.', 1)[1]}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line(test, True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line(test, False)

    def addError(self, test, err):
        super().addError(test, err)
        self.line(test, False)


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    sys.exit(not unittest.TextTestRunner(stream=sys.stderr, resultclass=Tap, verbosity=0).run(suite).wasSuccessful())
