"""Weight stores: graphs that share weights compute the same as without, and nothing is left behind. Prints TAP."""
import gc
import threading
import unittest.mock

import numpy as np
import tap
import vkdml
from on_device import OnDevice, Staged
from vkdml import _library, _weights

RANDOM = np.random.default_rng(11)


def small(*sizes):
    """Small integers, whose sums are exact in any order."""
    return RANDOM.integers(-2, 3, sizes).astype(np.float32)


W, BIAS, HALVES = small(16, 24), small(24), small(24, 8).astype(np.float16)


def network(rows, weights=W, bias=BIAS, halves=HALVES):
    """A weight that is packed, one that is broadcast, one that is converted first, and constant data."""
    graph = vkdml.Graph()
    x = graph.input("x", (rows, 16), "FLOAT32")
    c = graph.weight(bias).broadcast_to((rows, 24))
    y = graph.add("GEMM", ATensor=x, BTensor=weights, CTensor=c, FusedActivation="RELU")
    y = graph.add("GEMM", ATensor=y, BTensor=graph.add("CAST", InputTensor=halves, OutputTensor="FLOAT32"))
    three = graph.constant(np.float32(3)).broadcast_to((rows, 8))
    graph.outputs(y=graph.add("ELEMENT_WISE_ADD", ATensor=y, BTensor=three))
    return graph


def result(x, weights=W, bias=BIAS, halves=HALVES):
    return np.maximum(x @ weights + bias, 0) @ halves.astype(np.float32) + 3


class OnStores(OnDevice):
    """Counts the device's buffers and submissions."""

    def setUp(self):
        super().setUp()
        vulkan = self.device._vulkan
        self.live, self.submitted = set(), []
        create, destroy, submit = vulkan.CreateBuffer, vulkan.DestroyBuffer, vulkan.QueueSubmit

        def created(device, info, allocator, buffer):
            create(device, info, allocator, buffer)
            self.live.add(buffer._obj.value)

        def destroyed(device, buffer, allocator):
            self.live.discard(buffer.value)
            destroy(device, buffer, allocator)

        vulkan.CreateBuffer, vulkan.DestroyBuffer = created, destroyed
        vulkan.QueueSubmit = lambda *arguments: (self.submitted.append(1), submit(*arguments))[1]

    def same(self, compiled, *others):
        """Holds runs of a compiled network to its result."""
        x = small(*compiled.inputs["x"].sizes)
        np.testing.assert_array_equal(compiled.run(x=x), result(x, *others))
        np.testing.assert_array_equal(compiled(x=self.device.array(x)).read(), result(x, *others))


class Stores(OnStores):
    label = "device"

    def test_shared(self):
        """graphs of several shapes share weights: the second uploads nothing"""
        weights = self.device.weights()
        self.assertEqual(weights.info(), vkdml.WeightsInfo(0, 0, 0, 0))
        compiled = [network(5).compile(weights=weights)]
        first = weights.info()
        self.assertEqual(first.pages, 1)
        self.assertGreaterEqual(first.bytes, first.region_bytes)
        self.assertGreaterEqual(first.region_bytes, W.nbytes + BIAS.nbytes + 2 * HALVES.nbytes)
        self.submitted.clear()
        for rows in (1, 5, 64):
            compiled.append(network(rows).compile(device=self.device, weights=weights))
            self.assertEqual(compiled[-1].properties.persistent_bytes, 0)
        self.assertEqual((weights.info(), self.submitted), (first, []))
        self.assertGreater(network(5).compile(device=self.device).properties.persistent_bytes, 0)
        for one in compiled:
            self.same(one)

    def test_identity(self):
        """a weight is the array that was given: an equal one and a view are others"""
        array = self.device.array(W)
        for given, shares in ((W, True), (array, True), (W.tolist(), True), (W.copy(), False), (W.view(), False)):
            weights = self.device.weights()
            self.same(network(2, given).compile(weights=weights), W)
            before = weights.info()
            for rows in (2, 3):
                self.same(network(rows, given if shares else given.copy()).compile(weights=weights), W)
            self.assertEqual(weights.info().regions - before.regions, 0 if shares else 2)
        other = 2 * W
        weights, graphs = self.device.weights(), []
        for given in (W, other, W):
            graphs.append(network(4, given).compile(weights=weights))
        for given, compiled in zip((W, other, W), graphs):
            self.same(compiled, given)

    def test_parts(self):
        """weights are uploaded in parts, of which each is a submission"""
        for limit, submissions in ((1, 4), (W.nbytes + BIAS.nbytes, 2), (1 << 20, 1)):
            with unittest.mock.patch.object(_weights, "UPLOAD_BYTES", limit):
                self.submitted.clear()
                compiled = network(3).compile(weights=self.device.weights())
            self.assertEqual(len(self.submitted), submissions)
            self.same(compiled)

    def test_without_weights(self):
        """graphs that have constants only, or nothing to keep, take a store too"""
        graph, weights = vkdml.Graph(), self.device.weights()
        root = graph.add("ELEMENT_WISE_SQRT", InputTensor=graph.constant(np.array([4, 9], np.float32)))
        graph.outputs(y=graph.add("ELEMENT_WISE_NEGATE", InputTensor=root))
        np.testing.assert_array_equal(graph.compile(weights=weights).run(), [-2, -3])
        other = vkdml.Graph()
        other.outputs(y=other.add("ELEMENT_WISE_NEGATE", InputTensor=other.input("x", 2, "FLOAT32")))
        np.testing.assert_array_equal(other.compile(weights=weights).run(x=[1, 2.0]), [-1, -2])

    def test_trim(self):
        """trimming frees what no open graph uses, and forgets its arrays"""
        weights, other = self.device.weights(), small(16, 24)
        kept = network(3).compile(weights=weights)
        before = weights.info()
        closed = network(3, other, small(24), small(24, 8).astype(np.float16)).compile(weights=weights)
        self.assertEqual(weights.info().regions, 2 * before.regions - 1)  # equal constants are one
        weights.trim()
        self.assertEqual(len(weights._arrays), 6)
        closed.close()
        weights.trim()
        self.assertEqual(weights.info(), before)
        self.assertEqual({id(W), id(BIAS), id(HALVES)}, set(weights._arrays))
        self.same(kept)
        self.same(network(7, other).compile(weights=weights), other)
        self.same(network(7).compile(weights=weights))
        kept.close()
        gc.collect()
        weights.trim()
        self.assertEqual((weights.info(), weights._arrays), (vkdml.WeightsInfo(0, 0, 0, 0), {}))

    def test_closing(self):
        """a closed store takes no more graphs, and lives as long as those that it has"""
        before = set(self.live)
        with self.device.weights() as weights:
            compiled, other = network(3).compile(weights=weights), network(4).compile(weights=weights)
        weights.close()
        self.assertEqual(repr(weights), f"<vkdml.Weights on {self.device.name!r}, closed>")
        for function in (weights.info, weights.trim, lambda: network(3).compile(weights=weights)):
            self.refused(ValueError, "<vkdml.Weights on .*, closed> is closed", function)
        self.same(compiled)
        self.same(other)
        compiled.close()
        self.same(other)
        self.assertNotEqual(self.live, before)
        other.close()
        self.assertEqual(self.live, before)
        self.assertEqual(self.device._kept, {})

    def test_device_closed(self):
        """a device that is closed takes its stores with it, before or after they are closed"""
        one, two = self.device.weights(), self.device.weights()
        compiled = [network(3).compile(weights=one), network(3).compile(weights=two)]
        one.close()
        self.device.close()
        self.assertEqual(self.live, set())
        for function in (two.info, two.trim, compiled[0].run, lambda: network(3).compile(weights=two),
                         self.device.weights):
            self.refused(ValueError, "the device is closed", function)
        two.close()

    def test_forgotten(self):
        """what nobody holds is destroyed, in any order"""
        for order in (lambda weights, graph: [weights, graph], lambda weights, graph: [graph, weights]):
            weights = self.device.weights()
            compiled, loop = network(3).compile(weights=weights), {}
            loop["self"], loop["rest"] = loop, order(weights, compiled)
            del weights, compiled, loop
            gc.collect()
            self.assertEqual((self.live, self.device._kept), (set(), {}))
        compiled = network(3).compile(weights=self.device.weights())
        gc.collect()
        self.same(compiled)

    def test_refused(self):
        """what does not fit is refused"""
        weights = self.device.weights()
        self.refused(TypeError, "weights are 'w', must be a weight store, as Device.weights", network(3).compile,
                     weights="w")
        with vkdml.Device() as other:
            self.refused(ValueError, "weights are <.*>, must be on the device that the graph is compiled for",
                         network(3).compile, device=other, weights=weights)
        with vkdml.Device(level="1_0") as old, old.weights() as weights:
            self.refused(vkdml.Error, "must be 4 at feature level 1_0", network(3).compile, weights=weights)
            self.assertEqual((weights.info().regions, weights._store.graphs), (0, {}))

    def test_pages_fail(self):
        """a page that cannot be allocated fails the compilation, with a reason and without a leak"""
        weights, vulkan = self.device.weights(), self.device._vulkan
        for name in ("CreateBuffer", "AllocateMemory", "BindBufferMemory"):
            for failure, kind, reason in (
                    (vkdml.Error(_library.OUT_OF_DEVICE_MEMORY, "no memory at all"), vkdml.Error,
                     r"(?s)allocatePage failed for \d+ bytes.*\nno memory at all"),
                    (MemoryError("host"), MemoryError, "host"), (KeyboardInterrupt("now"), KeyboardInterrupt, "now")):
                with unittest.mock.patch.object(vulkan, name, side_effect=failure) as call:
                    with self.assertRaisesRegex(kind, reason) as caught:
                        network(3).compile(weights=weights)
                self.assertEqual(call.call_count, 1)
                if kind is vkdml.Error:
                    self.assertEqual(caught.exception.result, "VKDML_ERROR_OUT_OF_DEVICE_MEMORY")
                del caught
                gc.collect()
                self.assertEqual((weights.info().pages, self.live), (0, set()), (name, failure))
                self.assertEqual(len(self.device._kept), 1)
        self.same(network(3).compile(weights=weights))
        with self.device.weights() as other:
            with unittest.mock.patch.object(_weights, "BufferBinding", side_effect=KeyboardInterrupt):
                self.refused(KeyboardInterrupt, "", network(3).compile, weights=other)
        gc.collect()
        weights.trim()
        self.assertEqual(self.live, set())

    def test_upload_fails(self):
        """an upload that did not run is made up for by the next graph"""
        weights, vulkan = self.device.weights(), self.device._vulkan
        other = small(16, 24)
        before = network(3).compile(weights=weights)
        failure = vkdml.Error(_library.OUT_OF_HOST_MEMORY, "no")
        with unittest.mock.patch.object(vulkan, "QueueSubmit", side_effect=failure):
            self.refused(vkdml.Error, "^no$", network(3, other).compile, weights=weights)
        self.same(before)
        self.same(network(3, other).compile(weights=weights), other)

    def test_upload_is_not_recorded(self):
        """an upload that fails before it is recorded is made up for by the next graph"""
        weights, other = self.device.weights(), small(16, 24)
        with unittest.mock.patch.object(vkdml._value.Source, "tensor", side_effect=MemoryError("none")):
            self.refused(MemoryError, "none", network(3, other).compile, weights=weights)
        self.same(network(3, other).compile(weights=weights), other)

    def test_collected_in_callback(self):
        """a graph that is garbage is collected while the store, locked, asks for a page"""
        weights, vulkan = self.device.weights(), self.device._vulkan
        loop = {"graph": network(3).compile(weights=weights)}
        loop["self"], finalizer = loop, loop["graph"]._close
        create, collected = vulkan.CreateBuffer, []

        def collecting(*arguments):
            if not collected:
                collected.append(gc.collect())
                self.assertFalse(finalizer.alive)
            create(*arguments)

        gc.disable()
        try:
            del loop
            with unittest.mock.patch.object(vulkan, "CreateBuffer", collecting):
                compiled = network(3, other := small(16, 24)).compile(weights=weights)
        finally:
            gc.enable()
        self.assertEqual(len(collected), 1)
        self.assertEqual(self.device._callbacks.waiting, [])
        self.same(compiled, other)
        self.assertEqual(len(self.device._kept), 2)  # the store and the graph

    def test_many(self):
        """200 compilations leave nothing on the device"""
        weights = self.device.weights()
        network(1).compile(weights=weights).close()
        before, live = weights.info(), set(self.live)
        for n in range(100):
            with network(1 + n % 9).compile(weights=weights) as compiled:
                self.assertEqual(compiled.properties.persistent_bytes, 0)
        self.assertEqual((weights.info(), self.live, len(self.device._kept)), (before, live, 1))
        for n in range(100):
            network(2, small(16, 24)).compile(weights=weights).close()
            weights.trim()
        self.assertEqual((weights.info().pages, self.live, weights._arrays), (0, set(), {}))
        weights.close()
        self.assertEqual(self.device._kept, {})

    def test_threads(self):
        """threads compile with one store, and take turns"""
        weights, failed = self.device.weights(), []

        def work(rows):
            for _ in range(3):
                with network(rows).compile(weights=weights) as compiled:
                    x = np.full((rows, 16), rows, np.float32)
                    if not np.array_equal(compiled.run(x=x), result(x)) or weights.info().pages != 1:
                        failed.append(rows)

        threads = [threading.Thread(target=work, args=(rows,)) for rows in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


class StagedStores(Staged, OnStores):
    """What depends on buffers, where the host does not see the device's memory."""
    test_shared, test_parts, test_pages_fail = Stores.test_shared, Stores.test_parts, Stores.test_pages_fail


if __name__ == "__main__":
    tap.main()
