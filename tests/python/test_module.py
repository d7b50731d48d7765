"""What the Python module refuses, what it tells, how it finds the library, and what it leaves behind. Prints TAP."""
import gc
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import tap
import vkdml
from vkdml import _device

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def python(code, **environment):
    """Another interpreter, with this one's environment but for what is given; None takes a variable away."""
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={name: value for name, value in env.items() if value is not None})


class Refusals(unittest.TestCase):
    label = "refusals"

    def refused(self, kind, pattern, operator, **fields):
        with self.assertRaisesRegex(kind, pattern):
            vkdml.run(operator, device="reference", **fields)

    def test_names(self):
        """wrong names are answered with the nearest right one"""
        self.refused(ValueError, "GEM is no operator; did you mean GEMM?", "GEM")
        self.refused(TypeError, "GEMM has no field ATensr; did you mean ATensor?", "GEMM", ATensr=X)
        self.refused(ValueError, "PADDING: PaddingMode is 'REFLECT', must be one of CONSTANT, .*did you mean REFLECTION?", "PADDING",
                     InputTensor=X, PaddingMode="REFLECT")
        self.refused(TypeError, "ACTIVATION_ELU has no attribute Alfa; did you mean Alpha?", "ELEMENT_WISE_ADD1", ATensor=X,
                     BTensor=X, FusedActivation=("ELU", {"Alfa": 1}))
        self.refused(ValueError, "RELUX is no operator", "GEMM", ATensor=X, BTensor=X.T, FusedActivation="RELUX")
        self.refused(ValueError, "^relu is no operator; did you mean ACTIVATION_RELU\\?$", "relu", InputTensor=X)
        self.refused(ValueError, "^softmax is no operator; did you mean ACTIVATION_SOFTMAX\\?$", "softmax", InputTensor=X)
        self.refused(ValueError, "^conv2d is no operator; did you mean CONVOLUTION\\?$", "conv2d", InputTensor=X)
        self.refused(ValueError, r"^xyz is no operator; vkdml.operators\(\) lists them$", "xyz", InputTensor=X)
        self.refused(TypeError, "^the operator is 3, must be its name", 3, InputTensor=X)

    def test_types(self):
        """who gives elements of a type that the operator does not take is told what was given, and what to write"""
        self.refused(vkdml.Error, r"(?m)^InputTensor was given as an array of float64: give InputTensor.astype\(np.float32\), "
                     "which is FLOAT32$", "ELEMENT_WISE_EXP", InputTensor=np.ones(3))
        self.refused(vkdml.Error, r"(?m)^InputTensor was given as \[1, 2, 3\], of which NumPy makes int64: give np.array\(.., "
                     r"np.float32\), which is FLOAT32$", "ELEMENT_WISE_EXP", InputTensor=[1, 2, 3])
        self.refused(vkdml.Error, r"(?m)^BTensor was given as an array of float64: give BTensor.astype\(np.int8\), which is INT8$",
                     "ELEMENT_WISE_ADD", ATensor=X.astype(np.int8), BTensor=X.astype(float))
        self.refused(vkdml.Error, r"(?m)^InputTensors\[1\] was given as an array of float64", "JOIN", Axis=0,
                     InputTensors=[X, X.astype(float)])
        self.refused(TypeError, "ELEMENT_WISE_EXP: InputTensor is 'a', must be an array of numbers: ", "ELEMENT_WISE_EXP",
                     InputTensor="a")
        self.refused(ValueError, r"ELEMENT_WISE_EXP: InputTensor is \[\[1, 2\], \[3\]\], must be an array of numbers: ",
                     "ELEMENT_WISE_EXP", InputTensor=[[1, 2], [3]])
        self.refused(TypeError, "JOIN: InputTensors is an array of float32, must be a list of arrays", "JOIN", InputTensors=X, Axis=0)

    def test_lengths(self):
        """who gives a list of another length than the tensors ask for is told which, and how long it must be"""
        picture = X[None, None]
        for operator, name, more in (("CONVOLUTION", "Strides", {"FilterTensor": picture}), ("MAX_POOLING", "EndPadding", {"WindowSize": 1})):
            self.refused(vkdml.Error, rf"(?m)^{name} was given as \[1, 2, 3\], of length 3: give 2 values, or one number that "
                         "stands for all$", operator, InputTensor=picture, **{name: [1, 2, 3]}, **more)
        self.refused(vkdml.Error, r"(?m)^StartPadding was given as \(0, 1\), of length 2: give 4 values", "PADDING", InputTensor=picture,
                     StartPadding=(0, 1))

    def test_device(self):
        """a device that is no device's name is answered with what would be one"""
        for wrong in (3, b"llvmpipe", ["cpu"]):
            with self.assertRaisesRegex(TypeError, r"^device is .*, must be None \(the best device\), part of a device's name, a "
                                        r"vkdml.Device or \"reference\"; vkdml.devices\(\) lists"):
                vkdml.run("ELEMENT_WISE_EXP", InputTensor=X, device=wrong)
        with self.assertRaisesRegex(TypeError, "^name is 3, must be None"):
            vkdml.Device(3)

    def test_missing(self):
        """what is missing is named, with what it may be"""
        self.refused(TypeError, r"GEMM needs ATensor \(tensor: FLOAT32 FLOAT16; .*\), BTensor \(", "GEMM")
        self.refused(TypeError, r"TOP_K needs Axis \(an integer of 0 or more\), K \(", "TOP_K", InputTensor=X)
        self.refused(TypeError, r"needs Function \(ARGMAX \| ", "REDUCE", InputTensor=X, Axes=0)
        self.refused(TypeError, "ACTIVATION_LINEAR needs Alpha", "GEMM", ATensor=X, BTensor=X.T, FusedActivation="LINEAR")
        self.refused(TypeError, "needs OutputTensors", "SPLIT", InputTensor=X, Axis=0)

    def test_outputs(self):
        """an output that follows from nothing is asked for"""
        self.refused(TypeError, "CAST: OutputTensor: its type must be given", "CAST", InputTensor=X)
        self.refused(TypeError, "FILL_VALUE_CONSTANT: OutputTensor: its sizes and type must be given", "FILL_VALUE_CONSTANT", Value=1)
        self.refused(TypeError, "FOLD: OutputTensor: its sizes must be given", "FOLD", InputTensor=X[None], WindowSizes=[1])
        self.refused(ValueError, "the array is read-only", "CAST", InputTensor=X, OutputTensor=np.broadcast_to(X, X.shape))
        self.refused(ValueError, "are not 5 equal parts", "SPLIT", InputTensor=X, Axis=0, OutputTensors=5)

    def test_values(self):
        """values that a descriptor cannot hold are refused, none is cut"""
        self.refused(ValueError, "TOP_K: K is 4294967296, must be from 0 to 4294967295", "TOP_K", InputTensor=X, Axis=0, K=2**32)
        self.refused(ValueError, "K is -1, must be", "TOP_K", InputTensor=X, Axis=0, K=-1)
        self.refused(TypeError, "K is 1.5, must be an integer", "TOP_K", InputTensor=X, Axis=0, K=1.5)
        self.refused(ValueError, "Axis is -3, before the first dimension", "TOP_K", InputTensor=X, Axis=-3, K=1)
        self.refused(TypeError, "Min is 'a', must be a number", "ELEMENT_WISE_CLIP", InputTensor=X, Min="a", Max=1)
        self.refused(ValueError, "Value is 256, beyond UINT8", "FILL_VALUE_CONSTANT", OutputTensor=((3,), "UINT8"), Value=256)
        self.refused(TypeError, "Value is 0.5, must be an integer, as UINT8 is", "FILL_VALUE_CONSTANT", OutputTensor=((3,), "UINT8"),
                     Value=0.5)
        self.refused(ValueError, "lengths differ: StartPadding 2, EndPadding 1", "PADDING", InputTensor=X, StartPadding=[1, 1],
                     EndPadding=[1])
        self.refused(ValueError, r"ScaleBias is \(1,\), must be \(Scale, Bias\)", "ELEMENT_WISE_ABS", InputTensor=X, ScaleBias=(1,))
        self.refused(TypeError, "no data type for NumPy's complex64", "ELEMENT_WISE_ABS", InputTensor=X * 1j)
        self.refused(ValueError, "owned: OutputTensor is no input", "ELEMENT_WISE_ABS", InputTensor=X, owned=["OutputTensor"])
        self.refused(TypeError, "NormalizeVariance is 'no', must be a bool", "MEAN_VARIANCE_NORMALIZATION", InputTensor=X,
                     NormalizeVariance="no")
        self.refused(ValueError, "7_0 is no feature level", "ELEMENT_WISE_ABS", InputTensor=X, level="7_0")

    def test_library(self):
        """what the library refuses is an Error with the result's name and all reasons"""
        with self.assertRaises(vkdml.Error) as caught:
            vkdml.run("GEMM", device="reference", ATensor=X.astype(int), BTensor=X.T.astype(int))
        self.assertEqual(caught.exception.result, "VKDML_ERROR_INVALID_ARGUMENT")
        self.assertIn("DML_OPERATOR_GEMM: ATensor.DataType", str(caught.exception))
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).result, "VKDML_ERROR_INVALID_ARGUMENT")
        self.refused(vkdml.Error, "Sizes.* 0", "ELEMENT_WISE_ABS", InputTensor=np.zeros((2, 0), np.float32))
        self.refused(vkdml.Error, "DimensionCount", "ELEMENT_WISE_ABS", InputTensor=np.zeros([1] * 9, np.float32))

    def test_impossible(self):
        """inputs and attributes that no output follows from are the library's to refuse, by their own names"""
        self.refused(vkdml.Error, "ATensor.DimensionCount is 1, ", "GEMM", ATensor=X[0], BTensor=X[0])
        self.refused(vkdml.Error, "Strides", "AVERAGE_POOLING", InputTensor=X[None, None], WindowSize=2, Strides=0)
        self.refused(vkdml.Error, "BlockSize", "DEPTH_TO_SPACE", InputTensor=X[None, None], BlockSize=0)
        self.refused(vkdml.Error, "Axis", "JOIN", InputTensors=[X, X], Axis=5)
        self.refused(vkdml.Error, "number of windows", "MAX_POOLING", InputTensor=X[None, None], WindowSize=[9, 1])
        for operator in vkdml.operators():  # whatever it is, no accident
            fields = {field.name: [X[0]] if field.type == "TENSOR_DESC_ARRAY" else X[0] for field in
                      vkdml.schema(operator).fields_of("input")}
            for field in vkdml.schema(operator).fields_of("attribute"):
                if field.default is vkdml._defaults.REQUIRED:
                    fields[field.name] = (0, 0) if field.type == "SIZE_2D" else 0
            try:
                vkdml.run(operator, device="reference", **fields)
            except (vkdml.Error, TypeError) as error:
                self.assertRegex(str(error), f"^(DML_OPERATOR_)?{operator}[: ]")

    def test_validate(self):
        """validate() gives every reason, and needs no memory"""
        huge = vkdml.empty((1 << 15, 1 << 15), np.float32)
        self.assertEqual(vkdml.validate("ELEMENT_WISE_ABS", InputTensor=huge), [])
        reasons = vkdml.validate("ELEMENT_WISE_ADD", ATensor=huge, BTensor=vkdml.empty((2, 3), "INT8"), OutputTensor="INT16")
        self.assertGreater(len(reasons), 3)
        self.assertEqual(vkdml.validate("PADDING", InputTensor=X[None, None], EndPadding=1, PaddingMode="WRAP"), [])
        self.assertIn("PaddingMode", vkdml.validate("PADDING", level="1_0", InputTensor=X[None, None], EndPadding=1,
                                                    PaddingMode="WRAP")[0])


class Telling(unittest.TestCase):
    label = "what is told"

    def test_operators(self):
        """all operators are listed, and each has a page"""
        names = vkdml.operators()
        self.assertGreaterEqual(len(names), 155)
        for name in names:
            page = str(vkdml.schema(name))
            self.assertTrue(all(field.name in page for field in vkdml.schema(name).fields))

    def test_schema(self):
        """a row of the table as objects"""
        gemm = vkdml.schema("GEMM")
        self.assertEqual((gemm.introduced, gemm.fusable_since, gemm.accuracy), ("1_0", None, "SUM"))
        self.assertEqual((gemm.of_terms, gemm.of_result, gemm.of_integers), (((6, 1),), (0, 0), 0))
        softmax = vkdml.schema("ACTIVATION_SOFTMAX")
        self.assertEqual((softmax.fusable_since, softmax.fusable_into, softmax.of_result), ("6_1", "GEMM", (512, 0)))
        self.assertEqual([field.name for field in gemm.fields_of("input")], ["ATensor", "BTensor", "CTensor"])
        self.assertEqual(gemm.field("TransA").enumerators, {"NONE": 0, "TRANSPOSE": 1})
        self.assertTrue(gemm.field("CTensor").optional)
        self.assertEqual(gemm.field("CTensor").types, ("FLOAT32", "FLOAT16"))
        self.assertEqual(vkdml.schema("PADDING").field("StartPadding").count_field, "DimensionCount")

    def test_defaults(self):
        """every default can be told apart from none, and fits its field"""
        for name in vkdml.operators():
            for field in vkdml.schema(name).fields_of("attribute"):
                if field.enumerators and isinstance(field.default, str):
                    self.assertIn(field.default, field.enumerators, name)

    def test_devices(self):
        """devices are listed with their drivers"""
        for device in vkdml.devices():
            self.assertTrue(device.name and device.api_version.startswith("1."))

    def test_no_driver(self):
        """without a driver there are no devices, the reference works, and the reason and a way out are told"""
        code = ("import vkdml\nprint(vkdml.devices(), vkdml.run('ELEMENT_WISE_ABS', device='reference', InputTensor=[-1.5]))\n"
                "vkdml.run('ELEMENT_WISE_ABS', InputTensor=[-1.5])")
        result = python(code, VK_DRIVER_FILES="/nowhere", VK_ICD_FILENAMES="/nowhere", VKDML_DEVICE=None)
        self.assertEqual(result.stdout, "[] [1.5]\n")
        self.assertRegex(result.stderr, '(?s)vkdml.*Error: .*device="reference" needs no Vulkan')


class Finding(unittest.TestCase):
    label = "finding the library"

    def test_version(self):
        """the module is of the library's version"""
        self.assertEqual(vkdml.version(), vkdml.__version__)

    def test_named(self):
        """VKDML_LIBRARY names it, and nothing else is tried"""
        result = python("import vkdml; vkdml.version()", VKDML_LIBRARY="/nowhere/libvkdml.so")
        self.assertRegex(result.stderr, "(?s)OSError: /nowhere/libvkdml.so: cannot open shared object file.*\n"
                         "the environment variable VKDML_LIBRARY names /nowhere/libvkdml.so, so nothing else was tried")

    def test_none(self):
        """where there is none, it says what was tried and what to do; importing alone needs none"""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.dirname(vkdml.__file__), os.path.join(folder, "vkdml"))
            code = "import vkdml\nprint(vkdml.__version__)\nvkdml.version()"
            result = python(code, VKDML_LIBRARY=None, PYTHONPATH=folder, LD_LIBRARY_PATH="")
            self.assertEqual(result.stdout.strip(), vkdml.__version__)
            self.assertRegex(result.stderr, r"(?s)OSError: the vkdml library was not found. Tried:\n.*/vkdml: no libvkdml.so there\n"
                             r".*libvkdml.so, by the system's loader: .*Install the module anew.*pip install ./python\nor set VKDML_LIB")
            # By the loader, under the name that versions have, it is found; and beside the module.
            os.mkdir(os.path.join(folder, "lib"))
            name = vkdml._library.NAMES[0]
            self.assertRegex(name, r"^libvkdml\.so\.\d")
            shutil.copy(vkdml._library.library().path, os.path.join(folder, "lib", name))
            result = python(code + "\nprint(vkdml.version())", VKDML_LIBRARY=None, PYTHONPATH=folder,
                            LD_LIBRARY_PATH=os.path.join(folder, "lib"))
            self.assertEqual(result.stdout.split(), [vkdml.__version__] * 2, result.stderr)
            shutil.copy(vkdml._library.library().path, os.path.join(folder, "vkdml", "libvkdml.so"))
            result = python(code + "\nprint(vkdml.version())", VKDML_LIBRARY=None, PYTHONPATH=folder)
            self.assertEqual(result.stdout.split(), [vkdml.__version__] * 2, result.stderr)

    def test_installed(self):
        """what Meson installed finds its library from where it lies itself, wherever that is moved"""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.dirname(vkdml.__file__), os.path.join(folder, "python", "vkdml"))
            with open(os.path.join(folder, "python", "vkdml", "_installed.py"), "w") as file:
                file.write('LIBRARY_FOLDER = "../../lib"\n')
            os.mkdir(os.path.join(folder, "lib"))
            path = os.path.join(folder, "lib", vkdml._library.NAMES[0])
            shutil.copy(vkdml._library.library().path, path)
            result = python("import vkdml\nvkdml.version()\nprint(vkdml._library.library().path)", VKDML_LIBRARY=None,
                            PYTHONPATH=os.path.join(folder, "python"), LD_LIBRARY_PATH="")
            self.assertEqual(result.stdout.strip(), os.path.realpath(path), result.stderr)

    def test_other_version(self):
        """a library of another version is refused"""
        code = ("import vkdml\nfrom vkdml import _library\n_library.HEADER_VERSION += 1 << 10\n_library.VERSION = '0.2.0'\n"
                "vkdml.version()")
        path = vkdml._library.library().path
        self.assertRegex(python(code, VKDML_LIBRARY=path).stderr, r"OSError: .* is vkdml 0\.1\.\d+; this Python module is of 0\.2\.0")

    def test_no_library(self):
        """a library that is not vkdml is refused"""
        libc = "libc.so.6"
        self.assertIn(f"OSError: {libc} is no vkdml library", python(f"import vkdml; vkdml.load('{libc}')").stderr)


class Devices(unittest.TestCase):
    """Under the validation layer, which also says what was not destroyed."""
    label = "devices"

    def setUp(self):
        self.messages = []
        try:
            self.device = vkdml.Device(validation=True, log=lambda level, message: self.messages.append((level, message)))
        except vkdml.Error as error:
            self.skipTest(error.reason)

    def tearDown(self):
        self.device.close()
        self.assertEqual([message for message in self.messages if message[0] != "info"], [])

    def test_runs(self):
        """many runs leave nothing behind, with owned inputs and temporary memory too"""
        for n in range(1, 20):
            a, b = np.ones((n, 5), np.float32), np.ones((5, 3), np.float32)
            out = vkdml.run("GEMM", device=self.device, ATensor=a, BTensor=b, owned=["BTensor"])
            self.assertTrue((out == 5).all())
        x = np.arange(5000, dtype=np.float32)
        self.assertEqual(vkdml.run("NONZERO_COORDINATES", device=self.device, InputTensor=x).OutputCountTensor[0], 4999)
        self.assertEqual(vkdml.run("TOP_K", device=self.device, InputTensor=x, Axis=0, K=1).OutputValueTensor[0], 4999)

    def test_failures(self):
        """what fails in the middle leaves nothing behind, and the device works on"""
        def fail(*_):
            raise KeyboardInterrupt

        for name in ("compile", "upload", "begin", "record", "finish"):
            kept = getattr(_device.Execution, name)
            try:
                for replacement in (fail, lambda *arguments: (kept(*arguments), fail())):
                    setattr(_device.Execution, name, replacement)
                    with self.assertRaises(KeyboardInterrupt):
                        vkdml.run("ELEMENT_WISE_ABS", device=self.device, InputTensor=X, owned=["InputTensor"])
            finally:
                setattr(_device.Execution, name, kept)
        np.testing.assert_array_equal(vkdml.run("ELEMENT_WISE_ABS", device=self.device, InputTensor=-X), X)

    def test_staging(self):
        """memory that the host does not see, or sees slowly, is copied from and to"""
        cached = vkdml._vulkan.HOST_CACHED
        vulkan = self.device._vulkan
        vulkan.memory_types = [flags & ~cached for flags in vulkan.memory_types]
        out = np.full((3, 8), 7, np.float32)
        vkdml.run("ELEMENT_WISE_ADD", device=self.device, ATensor=X, BTensor=X.copy(), OutputTensor=out[:, ::2])
        np.testing.assert_array_equal(out[:, ::2], 2 * X)
        gemm = vkdml.run("GEMM", device=self.device, ATensor=X, BTensor=X.T, owned=["BTensor"])
        np.testing.assert_array_equal(gemm, X @ X.T)

    def test_threads(self):
        """threads take turns"""
        results = {}

        def work(n):
            x = np.full((50, n), n, np.float32)
            results[n] = all((vkdml.run("ELEMENT_WISE_ADD", device=self.device, ATensor=x, BTensor=x) == 2 * n).all()
                             for _ in range(5))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {n: True for n in range(1, 7)})

    def test_closing(self):
        """a closed device says so, and may be closed again"""
        self.device.close()
        self.device.close()
        with self.assertRaisesRegex(ValueError, "the device is closed"):
            vkdml.run("ELEMENT_WISE_ABS", device=self.device, InputTensor=X)
        with vkdml.Device() as device:
            vkdml.run("ELEMENT_WISE_ABS", device=device, InputTensor=X)
        with self.assertRaisesRegex(ValueError, "the device is closed"):
            vkdml.run("ELEMENT_WISE_ABS", device=device, InputTensor=X)

    def test_forgotten(self):
        """a device that nobody holds is destroyed"""
        messages = []
        device = vkdml.Device(validation=True, log=lambda *message: messages.append(message))
        finalizer = device._close
        del device
        gc.collect()
        self.assertFalse(finalizer.alive)

    def test_names(self):
        """a device by part of its name, and by one that none has"""
        name = vkdml.devices()[0].name
        np.testing.assert_array_equal(vkdml.run("ELEMENT_WISE_ABS", device=name[1:5].upper(), InputTensor=X), X)
        with self.assertRaisesRegex(vkdml.Error, "no such device as this"):
            vkdml.run("ELEMENT_WISE_ABS", device="no such device as this", InputTensor=X)

    def test_told(self):
        """a device says which it is"""
        self.assertEqual(self.device.name, vkdml.devices()[0].name)
        self.assertEqual(repr(self.device), f"<vkdml.Device {self.device.name!r}, level 6_4>")
        self.device.close()
        self.assertEqual(repr(self.device), f"<vkdml.Device {self.device.name!r}, level 6_4, closed>")

    def test_level(self):
        """a device has a level, which run() cannot change"""
        with vkdml.Device(level="2_0") as device:
            self.assertEqual(device.level, "2_0")
            with self.assertRaisesRegex(vkdml.Error, "3_0"):
                vkdml.run("ELEMENT_WISE_BIT_NOT", device=device, InputTensor=X.astype(np.uint32))
            with self.assertRaisesRegex(ValueError, "level is the device's"):
                vkdml.run("ELEMENT_WISE_ABS", device=device, level="3_0", InputTensor=X)

    def test_variants(self):
        """every variant of the kernels gives the same"""
        for variant in ("PORTABLE", "SERIAL"):
            with vkdml.Device(variant=variant) as device:
                np.testing.assert_array_equal(vkdml.run("ELEMENT_WISE_ABS", device=device, InputTensor=-X), X)
        with self.assertRaisesRegex(ValueError, "must be PORTABLE, SUBGROUP or SERIAL"):
            vkdml.Device(variant="FAST")


if __name__ == "__main__":
    tap.main()
