"""The networks of examples/networks as models of the command, small ones: it runs them as vkdml.Graph does, fused and node by node;
their memory and their barriers are as few as can be. test_network_models.py FOLDER COMMAND; VKDML_TEST_VALIDATION=1 turns the
validation layer on. Prints TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import tap
import vkdml

FOLDER, COMMAND = sys.argv[1:3]
del sys.argv[1:3]
sys.path.insert(0, FOLDER)
import networks  # noqa: E402

VALIDATION = ["--debug"] if os.environ.get("VKDML_TEST_VALIDATION") == "1" else []
NAMES = ["resnet50", "resnet50_int8", "mobilenet_v2", "bert_128", "bert_512", "unet", "decoder_12", "detector"]
BOUNDS = {"FLOAT32": 2e-5, "FLOAT16": 2e-2}  # of an output's largest element, where fusing may change the order of sums


def command(*arguments):
    result = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    if result.returncode or result.stderr:
        raise AssertionError(f"{arguments}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def may_round_otherwise(net):
    """Batch normalization that goes into a convolution's filters is rounded elsewhere."""
    return any(node.call.operator.name == "BATCH_NORMALIZATION" for node in net.graph._nodes)


def meet(earlier, later, both_write=True):
    """Whether one writes what the other reads, or writes where that is not known to be apart: as parts of one tensor are."""
    for one in earlier["buffers"]:
        for other in later["buffers"]:
            writes = (one["access"] != "read") + (other["access"] != "read")
            if one["name"] == other["name"] and (writes == 1 or (writes == 2 and both_write)) \
                    and one["offset"] < other["offset"] + other["size"] and other["offset"] < one["offset"] + one["size"]:
                return True
    return False


class Models(unittest.TestCase):
    def setUp(self):
        try:
            self.device = vkdml.Device()
        except vkdml.Error as error:
            self.skipTest(error.reason)
        self.addCleanup(self.device.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_model(self, path, outputs, *options):
        """What the command makes of it, from the files that it writes."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        command("run", *VALIDATION, "--output_path", folder, *options, path)
        arrays = [np.load(folder / f"{name}.npy") for name in outputs]
        return networks.by_name(arrays if len(arrays) > 1 else arrays[0], outputs)

    def check(self, name, type_):
        net, path = networks.GraphLayers(type_), self.folder / f"{name}.json"
        outputs = networks.build(name, "tiny", net)
        net.graph.outputs(outputs)
        net.graph.write_model(path, net.inputs)
        with net.graph.compile(device=self.device) as compiled:
            expected = networks.by_name(compiled.run(**net.inputs), outputs)
        found = self.run_model(path, outputs)
        apart = self.run_model(path, outputs, "--node-by-node")
        for output in outputs:
            np.testing.assert_array_equal(found[output], expected[output], output)
            if not may_round_otherwise(net):
                np.testing.assert_array_equal(apart[output], expected[output], f"{output}, node by node")
        self.assertLess(max(networks.differences(apart, expected).values()), BOUNDS[type_])
        self.check_plan(json.loads(command("explain", "--json", path))["dispatchables"][0])

    def check_plan(self, plan):
        self.assertLessEqual(plan["temporary_resource"], 1.05 * plan["least_temporary_resource"])
        steps = [0] * len(plan["level_bytes"])
        for node in plan["nodes"]:
            if node["role"] == "executed":  # operators of several steps have barriers of their own
                steps[node["level"]] = max(steps[node["level"]], node["step_count"])
        self.assertLessEqual(plan["barriers"], sum(steps))
        for initializes in (False, True):
            self.check_barriers([step for step in plan["steps"] if step["initializes"] == initializes])

    def check_barriers(self, steps):
        """Each has its reason behind the one before, and none is missing."""
        since = []
        for number, step in enumerate(steps):
            if step["barrier_before"]:
                self.assertTrue(any(meet(earlier, step) for earlier in since), f"the barrier before step {number}")
                since = []
            for earlier in since:
                self.assertFalse(meet(earlier, step, both_write=False), f"no barrier before step {number}")
            since.append(step)

    def test_options(self):
        """inputs that are left out are random, and what is wrong is told"""
        graph = vkdml.Graph()
        x = graph.input("x", (2, 3), "FLOAT32")
        graph.input("unused", (5,), "INT8")
        weights = np.arange(6, dtype=np.float32).reshape(2, 3).T  # not packed
        with self.assertRaisesRegex(TypeError, "no outputs yet"):
            graph.write_model(self.folder / "net.json")
        half = graph.constant(np.array([0.5, 0.25], np.float32), "half").broadcast_to((2, 2))
        product = graph.add("GEMM", ATensor=x, BTensor=weights, CTensor=half, FusedActivation=("ELU", {"Alpha": 0.1}), name="GEMM")
        best = graph.add("TOP_K", InputTensor=product, Axis=-1, K=1, name="GEMM")
        graph.outputs(y=best.OutputIndexTensor, product=product.reshape((4,)))
        with self.assertRaisesRegex(TypeError, "no input 'y'; its inputs are x, unused"):
            graph.write_model(self.folder / "net.json", {"y": weights})
        given = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
        for inputs in ({"x": given}, {"x": np.asfortranarray(given)}, None):
            graph.write_model(self.folder / "net.json", inputs, allow_half=True)
            found = self.run_model(self.folder / "net.json", ["product", "y"])
            expected = graph.compile(device=self.device, allow_half=True).run(x=given)
            if inputs:
                np.testing.assert_array_equal(found["product"], expected.product)
                np.testing.assert_array_equal(found["y"], expected.y)
            self.assertEqual((found["product"].shape, found["y"].dtype), ((4,), np.uint32))


tap.add_checks(Models, [*((name, "FLOAT32") for name in NAMES), ("unet", "FLOAT16")])

if __name__ == "__main__":
    tap.main()
