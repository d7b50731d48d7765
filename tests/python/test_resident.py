"""Arrays that stay on a device, and operators that are compiled once and called many times. Prints TAP."""
import gc
import os
import sys
import threading

import numpy as np
import tap
import vkdml
from on_device import OnDevice, Staged

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from forked import forked  # noqa: E402

X = np.arange(12, dtype=np.float32).reshape(3, 4)
W = np.arange(8, dtype=np.float32).reshape(4, 2)


class Resident(OnDevice):
    label = "device"

    def test_array(self):
        """an array comes back as it went, whatever its type and layout"""
        for values in (X, X.T, X[:, ::2], X[::-1], X.astype(np.float16), X.astype(np.int64), np.float32(3), [[1, 2], [3, 4]],
                       np.broadcast_to(X[0], (5, 4)), X.astype(np.int8)[1:, 3:]):
            array = self.device.array(values)
            np.testing.assert_array_equal(array.read(), np.atleast_1d(values))
            np.testing.assert_array_equal(np.asarray(array), np.atleast_1d(values))
            self.assertEqual((array.shape, array.dtype), (array.read().shape, array.read().dtype))
        array.write(np.zeros((2, 1), np.int8))
        self.assertFalse(array.read().any())
        quarters = self.device.array(vkdml.Tensor("INT4", (3,), values=[-8, 0, 7]))
        self.assertEqual(quarters.read().tolist(), [-8, 0, 7])
        self.assertEqual(repr(quarters), f"<DeviceArray INT4 (3,) on {self.device.name!r}>")
        self.refused(ValueError, r"values is an array of float32, FLOAT32 \(3, 4\); must be INT4 \(3,\)", quarters.write, X)

    def test_fork(self):
        """a child process is refused what is on its parent's devices at once, ends without it, and opens its own"""
        array = self.device.array(X)
        negate = self.device.compile("ELEMENT_WISE_NEGATE", InputTensor=array)
        self.assertFalse((vkdml.run("ELEMENT_WISE_NEGATE", InputTensor=X) + X).any())  # on a device that stays open

        def refused():
            reasons = []
            for use in (array.read, lambda: negate(InputTensor=array), lambda: self.device.array(X)):
                try:
                    use()
                except vkdml.Error as error:
                    reasons.append(error.result == "VKDML_ERROR_DEVICE_LOST" and "before fork()" in error.reason)
            return reasons == [True] * 3

        def closed():
            array.close()
            negate.close()
            self.device.close()
            return True

        def own():
            return not (vkdml.run("ELEMENT_WISE_NEGATE", InputTensor=X) + X).any()

        for work in (refused, closed, own):
            self.assertEqual(forked(work), 0, work.__name__)
        with self.device._lock:  # as a thread that uses it while another forks
            self.assertEqual(forked(refused), 0)
            self.assertEqual(forked(closed), 0)
        np.testing.assert_array_equal(negate(InputTensor=array).read(), -X)  # the parent's works on

    def test_chain(self):
        """what one operator leaves on the device another takes, call after call"""
        x = self.device.array(X)
        product = self.device.compile("GEMM", ATensor=x, BTensor=W, FusedActivation="RELU")
        total = self.device.compile("REDUCE", Function="SUM", InputTensor=vkdml.empty((3, 2), "FLOAT32"), Axes=1)
        w = self.device.array(W)
        for sign in (1, -1, 1):
            x.write(sign * X)
            y = product(ATensor=x, BTensor=w)
            np.testing.assert_array_equal(total(InputTensor=y).read(), np.maximum(sign * X @ W, 0).sum(1, keepdims=True))
        np.testing.assert_array_equal(y.read(), X @ W)  # not overwritten by what came after

    def test_outputs(self):
        """an output may be named, in place too; several are a named tuple, arrays of tensors lists"""
        x, y = self.device.array(X), self.device.empty(X.shape, np.float32)
        negate = self.device.compile("ELEMENT_WISE_NEGATE", InputTensor=x)
        self.assertIs(negate(InputTensor=x, OutputTensor=y), y)
        np.testing.assert_array_equal(y.read(), -X)
        negate(InputTensor=y, OutputTensor=y)
        np.testing.assert_array_equal(y.read(), X)
        best = self.device.compile("TOP_K", InputTensor=X, Axis=-1, K=1)(InputTensor=x)
        self.assertEqual(best._fields, ("OutputValueTensor", "OutputIndexTensor"))
        self.assertEqual(best.OutputIndexTensor.read().tolist(), [[3], [3], [3]])
        split = self.device.compile("SPLIT", InputTensor=X, Axis=1, OutputTensors=[(3, 1), (3, 3)])
        y = self.device.empty((3, 3), "FLOAT32")
        first, second = split(InputTensor=x, OutputTensors=[None, y])
        np.testing.assert_array_equal(first.read(), X[:, :1])
        self.assertIs(second, y)
        np.testing.assert_array_equal(y.read(), X[:, 1:])

    def test_view(self):
        """the same elements by other sizes and strides, which live as long as one of them"""
        x = self.device.array(X)
        y = x.view((4, 3), (1, 4))
        del x
        np.testing.assert_array_equal(y.read(), X.T)
        row = y.view((5, 4), (0, 1))
        np.testing.assert_array_equal(row.read(), np.broadcast_to(X[0], (5, 4)))
        add = self.device.compile("ELEMENT_WISE_ADD", ATensor=vkdml.empty((5, 4), "FLOAT32"), BTensor=row)
        np.testing.assert_array_equal(add(ATensor=np.ones((5, 4), np.float32), BTensor=row).read(), np.tile(X[0] + 1, (5, 1)))
        self.refused(ValueError, r"a view by sizes \(13,\) and strides \(1,\) reaches beyond <DeviceArray FLOAT32 \(4, 3\)", y.view,
                     (13,))
        y.close()
        self.refused(ValueError, "is closed, or its device is", row.read)

    def test_host(self):
        """arrays of the host are copied for the call, into the layout that was compiled"""
        join = self.device.compile("JOIN", InputTensors=[X.T, X.T], Axis=0)
        x = np.ascontiguousarray(X.T)
        np.testing.assert_array_equal(join(InputTensors=[x, self.device.array(-X.T)]).read(), np.concatenate([x, -x]))

    def test_recorded_once(self):
        """calls with the same arrays are recorded once; others, and the same in other places, anew"""
        layer = self.device.compile("ELEMENT_WISE_SUBTRACT", ATensor=X, BTensor=X)
        a, b, y = self.device.array(X), self.device.array(2 * X), self.device.empty(X.shape, "FLOAT32")
        begin, begun = self.device._vulkan.BeginCommandBuffer, []
        self.device._vulkan.BeginCommandBuffer = lambda *arguments: (begun.append(1), begin(*arguments))[1]

        def recorded(expected, **tensors):
            before = len(begun)
            layer(**tensors, OutputTensor=y)
            count = len(begun) - before
            np.testing.assert_array_equal(y.read(), expected)
            return count

        self.assertEqual(recorded(-X, ATensor=a, BTensor=b), 1)
        self.assertEqual(recorded(-X, BTensor=b, ATensor=a), 0)
        a.write(5 * X)
        self.assertEqual(recorded(3 * X, ATensor=a, BTensor=b), 0)
        self.assertEqual(recorded(-3 * X, ATensor=b, BTensor=a), 1)
        for n in range(3, 6):
            b.close()
            b = self.device.array(n * X)
            self.assertEqual(recorded(n * X - 5 * X, ATensor=b, BTensor=a), 1)
        b.close()
        self.refused(ValueError, "is closed, or its device is", layer, ATensor=b, BTensor=a, OutputTensor=y)
        self.assertEqual(recorded(4 * X, ATensor=a, BTensor=X), 1)
        np.testing.assert_array_equal(layer(ATensor=a, BTensor=a).read(), 0 * X)

    def test_owned(self):
        """what the operator owns is read once, from the host or from the device"""
        for w in (W.copy(), self.device.array(W)):
            layer = self.device.compile("GEMM", ATensor=X, BTensor=w, owned=["BTensor"])
            if isinstance(w, np.ndarray):
                w[...] = 7
            else:
                w.close()
            for n in (1, 2):
                np.testing.assert_array_equal(layer(ATensor=n * X).read(), n * X @ W)
            self.refused(TypeError, "GEMM: BTensor is the operator's own", layer, ATensor=X, BTensor=W)

    def test_refused(self):
        """what does not fit is refused by name, and the next call works"""
        x = self.device.array(X)
        layer = self.device.compile("GEMM", ATensor=x, BTensor=W)
        self.refused(TypeError, r"GEMM: BTensor is missing, must be FLOAT32 \(4, 2\)", layer, ATensor=x)
        self.refused(ValueError, r"GEMM: BTensor is an array of float64, FLOAT64 \(4, 2\); must be FLOAT32 \(4, 2\)", layer, ATensor=x,
                     BTensor=W.astype(float))
        self.refused(ValueError, r"GEMM: ATensor is <DeviceArray FLOAT32 \(4, 2\).*, must be FLOAT32 \(3, 4\)", layer,
                     ATensor=self.device.array(W), BTensor=W)
        self.refused(ValueError, r"must be FLOAT32 \(3, 4\), strides \(4, 1\), as", layer,
                     ATensor=self.device.array(X.reshape(4, 3).T), BTensor=W)
        self.refused(TypeError, "GEMM: Alpha is an attribute; those are given to compile", layer, ATensor=x, BTensor=W, Alpha=2)
        self.refused(TypeError, "GEMM: CTensor was not given to compile", layer, ATensor=x, BTensor=W, CTensor=X)
        self.refused(TypeError, "GEMM has no field Atensor; did you mean ATensor", layer, Atensor=x)
        self.refused(TypeError, "must be an array of the device", layer, ATensor=x, BTensor=W, OutputTensor=X)
        square = self.device.array(np.eye(4, dtype=np.float32))
        self.refused(vkdml.Error, "OutputTensor: bytes .* overlap", self.device.compile("GEMM", ATensor=square, BTensor=square),
                     ATensor=square, BTensor=square, OutputTensor=square)
        self.refused(vkdml.Error, "(?m)^BTensor was given as an array of float64", self.device.compile, "GEMM", ATensor=x,
                     BTensor=W.astype(float))
        self.refused(ValueError, "owned: OutputTensor is no input", self.device.compile, "GEMM", ATensor=x, BTensor=W,
                     owned=["OutputTensor"])
        self.refused(TypeError, "GEMM: CTensor is owned, and missing", self.device.compile, "GEMM", ATensor=x, BTensor=W,
                     owned=["CTensor"])
        with vkdml.Device() as other:
            self.refused(ValueError, "must be on the device that the operator was compiled for", layer, ATensor=other.array(X),
                         BTensor=W)
        np.testing.assert_array_equal(layer(ATensor=x, BTensor=W).read(), X @ W)

    def test_closing(self):
        """what is closed says so; a device takes with it what is on it"""
        x = self.device.array(X)
        layer = self.device.compile("ELEMENT_WISE_NEGATE", InputTensor=x)
        y = layer(InputTensor=x)
        y.close()
        y.close()
        self.refused(ValueError, "is closed, or its device is", layer, InputTensor=y)
        self.refused(ValueError, "is closed, or its device is", y.read)
        layer.close()
        self.refused(ValueError, "<Compiled ELEMENT_WISE_NEGATE .* is closed", layer, InputTensor=x)
        self.device.array(X)
        self.device.compile("ELEMENT_WISE_NEGATE", InputTensor=x)
        self.device.close()
        for function in (x.read, lambda: self.device.array(X), lambda: layer(InputTensor=x)):
            self.refused(ValueError, "the device is closed", function)

    def test_forgotten(self):
        """what nobody holds is destroyed, its device last"""
        self.device.close()
        messages = []
        device = vkdml.Device(log=lambda *message: messages.append(message))
        array = device.array(X)
        layer = device.compile("GEMM", ATensor=array, BTensor=W, owned=["BTensor"])
        layer(ATensor=array)
        self.assertEqual(len(device._kept), 2)
        device.loop = [device, array, layer]
        finalizer = device._close
        del device, array, layer
        gc.collect()
        self.assertFalse(finalizer.alive)
        self.assertEqual([message for message in messages if message[0] != "info"], [])

    def test_threads(self):
        """threads take turns"""
        layer, results = self.device.compile("ELEMENT_WISE_ADD", ATensor=X, BTensor=X), []

        def work(n):
            x = self.device.array(n * X)
            results.extend((layer(ATensor=x, BTensor=X).read() == (n + 1) * X).all() for _ in range(5))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [True] * 20)


class StagedResident(Staged, Resident):
    """The same, where the host does not see the device's memory."""


if __name__ == "__main__":
    tap.main()
