"""The shared library through ctypes: where it is found, its structs, its functions, and errors with their reasons."""
import ctypes
import glob
import os
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, List, Optional

# The version of the headers that the structs below are written after; tests/python holds it to include/vkdml/version.h.
VERSION = "0.1.0"
HEADER_VERSION = sum(int(part) << shift for part, shift in zip(VERSION.split("."), (20, 10, 0)))

RESULTS = {0: "VKDML_SUCCESS", -1: "VKDML_ERROR_INVALID_ARGUMENT", -2: "VKDML_ERROR_NOT_IMPLEMENTED",
           -3: "VKDML_ERROR_FEATURE_NOT_PRESENT", -4: "VKDML_ERROR_LIMIT_EXCEEDED",
           -5: "VKDML_ERROR_OUT_OF_HOST_MEMORY", -6: "VKDML_ERROR_OUT_OF_DEVICE_MEMORY", -7: "VKDML_ERROR_DEVICE_LOST",
           -8: "VKDML_ERROR_INITIALIZATION_FAILED", -9: "VKDML_ERROR_DRIVER"}
INVALID_ARGUMENT, NOT_IMPLEMENTED, OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, DEVICE_LOST, INITIALIZATION_FAILED, DRIVER = (
    -1, -2, -5, -6, -7, -8, -9)


class Error(Exception):
    """A call of the library, or of Vulkan, failed.

    Attributes:
        result: the name of the result code, "VKDML_ERROR_INVALID_ARGUMENT" for example.
        code: its number.
        reason: why, a line for each reason; a refused descriptor's say which field breaks which rule.
    """

    def __init__(self, result: int, reason: str):
        self.code, self.result = result, RESULTS.get(result, str(result))
        self.reason = reason
        super().__init__(reason or self.result)

    def add(self, lines: List[str]) -> None:
        """More reasons, behind the others."""
        self.reason = "\n".join([self.reason, *lines])
        self.args = (self.reason,)

    def __reduce__(self) -> Any:
        return Error, (self.code, self.reason)


class Enumerator(Structure):
    _fields_ = [("name", c_char_p), ("value", c_int32), ("introduced", c_int32)]


class Enumeration(Structure):
    _fields_ = [("name", c_char_p), ("enumeratorCount", c_uint32), ("enumerators", POINTER(Enumerator))]


class TensorSupport(Structure):
    _fields_ = [("level", c_int32), ("minDimensionCount", c_uint32), ("maxDimensionCount", c_uint32),
                ("dataTypes", c_uint32)]


class Agreement(Structure):
    _fields_ = [("field", c_uint32), ("what", c_uint32), ("below", c_int32)]


class FieldSchema(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int32), ("type", c_int32), ("offset", c_uint32), ("optional", c_uint32),
                ("optionalSince", c_int32), ("enumeration", POINTER(Enumeration)), ("countField", c_uint32),
                ("typeField", c_uint32), ("support", POINTER(TensorSupport)), ("supportCount", c_uint32),
                ("agreements", POINTER(Agreement)), ("agreementCount", c_uint32), ("mayAliasFields", c_uint32),
                ("bindingIndex", c_uint32)]


class Roundings(Structure):
    _fields_ = [("fixed", c_double), ("perTerm", c_double)]


class Accuracy(Structure):
    _fields_ = [("kind", c_int32), ("ulp", c_uint32), ("what", c_char_p), ("ofTermsCount", c_uint32),
                ("ofTerms", POINTER(Roundings)), ("ofResult", Roundings), ("absolute", c_double), ("ofIntegers", c_uint32)]


class OperatorSchema(Structure):
    _fields_ = [("type", c_int32), ("name", c_char_p), ("introduced", c_int32), ("descSize", c_uint32),
                ("fieldCount", c_uint32), ("fields", POINTER(FieldSchema)), ("inputCount", c_uint32),
                ("outputCount", c_uint32), ("fusableSince", c_int32), ("fusableInto", c_int32),
                ("accuracy", Accuracy)]


class BufferTensorDesc(Structure):
    _fields_ = [("DataType", c_int32), ("Flags", c_int32), ("DimensionCount", c_uint32), ("Sizes", c_void_p),
                ("Strides", c_void_p), ("TotalTensorSizeInBytes", c_uint64), ("GuaranteedBaseOffsetAlignment", c_uint32)]


class TensorDesc(Structure):
    _fields_ = [("Type", c_int32), ("Desc", c_void_p)]


class OperatorDesc(Structure):
    _fields_ = [("Type", c_int32), ("Desc", c_void_p)]


class TensorShape(Structure):
    _fields_ = [("dataType", c_int32), ("dimensionCount", c_uint32), ("sizes", c_uint32 * 8)]


class OperatorGraphNodeDesc(Structure):
    _fields_ = [("Operator", c_void_p), ("Name", c_char_p)]


class ConstantDataGraphNodeDesc(Structure):
    _fields_ = [("Data", c_void_p), ("DataSize", c_size_t), ("Name", c_char_p)]


class GraphNodeDesc(Structure):
    _fields_ = [("Type", c_int32), ("Desc", c_void_p)]


class InputGraphEdgeDesc(Structure):
    _fields_ = [("GraphInputIndex", c_uint32), ("ToNodeIndex", c_uint32), ("ToNodeInputIndex", c_uint32),
                ("Name", c_char_p)]


class OutputGraphEdgeDesc(Structure):
    _fields_ = [("FromNodeIndex", c_uint32), ("FromNodeOutputIndex", c_uint32), ("GraphOutputIndex", c_uint32),
                ("Name", c_char_p)]


class IntermediateGraphEdgeDesc(Structure):
    _fields_ = [("FromNodeIndex", c_uint32), ("FromNodeOutputIndex", c_uint32), ("ToNodeIndex", c_uint32),
                ("ToNodeInputIndex", c_uint32), ("Name", c_char_p)]


class GraphEdgeDesc(Structure):
    _fields_ = [("Type", c_int32), ("Desc", c_void_p)]


class GraphDesc(Structure):
    _fields_ = [("InputCount", c_uint32), ("OutputCount", c_uint32), ("NodeCount", c_uint32),
                ("Nodes", POINTER(GraphNodeDesc)), ("InputEdgeCount", c_uint32), ("InputEdges", POINTER(GraphEdgeDesc)),
                ("OutputEdgeCount", c_uint32), ("OutputEdges", POINTER(GraphEdgeDesc)),
                ("IntermediateEdgeCount", c_uint32), ("IntermediateEdges", POINTER(GraphEdgeDesc))]


class HostBinding(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class BufferBinding(Structure):
    _fields_ = [("buffer", c_uint64), ("offset", c_uint64), ("size", c_uint64)]


class BindingProperties(Structure):
    _fields_ = [("inputCount", c_uint32), ("outputCount", c_uint32), ("temporaryResourceSize", c_uint64),
                ("persistentResourceSize", c_uint64), ("descriptorSetCount", c_uint32),
                ("storageBufferDescriptorCount", c_uint32), ("uniformBufferDescriptorCount", c_uint32)]


class PhysicalDeviceInfo(Structure):
    _fields_ = [("name", c_char * 256), ("driver", c_char * 256), ("driverInfo", c_char * 256), ("apiVersion", c_uint32),
                ("vendorId", c_uint32), ("deviceId", c_uint32), ("type", c_int32), ("deviceLocalBytes", c_uint64),
                ("uuid", c_uint8 * 16), ("unusable", c_char_p), ("warning", c_char_p)]


class VulkanHandles(Structure):
    _fields_ = [("instance", c_void_p), ("physicalDevice", c_void_p), ("device", c_void_p),
                ("queueFamilyIndex", c_uint32), ("getInstanceProcAddr", c_void_p), ("enabledFeatures", c_void_p),
                ("queue", c_void_p)]


class WeightStoreInfo(Structure):
    _fields_ = [("pageCount", c_uint32), ("pageBytes", c_uint64), ("regionCount", c_uint32), ("regionBytes", c_uint64),
                ("uninitializedCount", c_uint32), ("uninitializedBytes", c_uint64)]


LogCallback = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)
AllocatePageCallback = CFUNCTYPE(c_int32, c_void_p, c_uint64, POINTER(BufferBinding))
FreePageCallback = CFUNCTYPE(None, c_void_p, POINTER(BufferBinding))


def is_inherited(process: int) -> bool:
    """Whether what that process opened came here by os.fork(). Its driver's threads did not: a wait for them has no end."""
    return process != os.getpid()


def check_process(process: int) -> None:
    if is_inherited(process):
        raise Error(DEVICE_LOST, f"the device was opened before fork(), by process {process}: a child process must open its own")


class SizedStructure(Structure):
    """One that a call reads: it says its own size first."""

    def __init__(self, **members: Any):
        super().__init__(structSize=ctypes.sizeof(type(self)), **members)


class ReferenceInfo(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("desc", POINTER(OperatorDesc)), ("featureLevel", c_int32),
                ("flags", c_uint32), ("inputCount", c_uint32), ("inputs", POINTER(HostBinding)),
                ("outputCount", c_uint32), ("outputs", POINTER(HostBinding))]


class ReferenceGraphInfo(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("desc", POINTER(GraphDesc)), ("flags", c_uint32), ("inputCount", c_uint32),
                ("inputs", POINTER(HostBinding)), ("outputCount", c_uint32), ("outputs", POINTER(HostBinding))]


class DeviceOpenInfo(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("headerVersion", c_uint32), ("name", c_char_p), ("featureLevel", c_int32),
                ("flags", c_uint32), ("allocationCallbacks", c_void_p), ("logCallback", LogCallback),
                ("logUserData", c_void_p), ("pipelineCacheData", c_void_p), ("pipelineCacheDataSize", c_size_t),
                ("kernelVariant", c_int32)]


class CompileInfo(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("executionFlags", c_int32), ("flags", c_uint32), ("weightStore", c_void_p),
                ("weightIdCount", c_uint32), ("weightIds", POINTER(c_uint64))]


class WeightStoreCreateInfo(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("maxPageBytes", c_uint64), ("allocatePage", AllocatePageCallback),
                ("freePage", FreePageCallback), ("userData", c_void_p)]


class BindingTableCreateInfo(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("dispatchable", c_void_p), ("descriptorPool", c_uint64)]


# The functions used here and what they take. Those named CHECKED return a VkdmlResult: failures raise Error.
CHECKED = {
    "vkdmlValidateOperator": [POINTER(OperatorDesc), c_int32],
    "vkdmlInferOutputSizes": [POINTER(OperatorDesc), c_int32, c_uint32, POINTER(TensorShape)],
    "vkdmlReferenceExecute": [POINTER(ReferenceInfo)],
    "vkdmlReferenceExecuteGraph": [POINTER(ReferenceGraphInfo)],
    "vkdmlEnumeratePhysicalDevices": [POINTER(c_uint32), POINTER(PhysicalDeviceInfo)],
    "vkdmlOpenDevice": [POINTER(DeviceOpenInfo), POINTER(c_void_p)],
    "vkdmlGetVulkanHandles": [c_void_p, POINTER(VulkanHandles)],
    "vkdmlCreateOperator": [c_void_p, POINTER(OperatorDesc), POINTER(c_void_p)],
    "vkdmlCompileOperator": [c_void_p, POINTER(CompileInfo), POINTER(c_void_p)],
    "vkdmlCompileGraph": [c_void_p, POINTER(GraphDesc), POINTER(CompileInfo), POINTER(c_void_p)],
    "vkdmlCreateOperatorInitializer": [c_void_p, c_uint32, POINTER(c_void_p), POINTER(c_void_p)],
    "vkdmlGetBindingProperties": [c_void_p, POINTER(BindingProperties)],
    "vkdmlCreateBindingTable": [c_void_p, POINTER(BindingTableCreateInfo), POINTER(c_void_p)],
    "vkdmlBindInputs": [c_void_p, c_uint32, POINTER(BufferBinding)],
    "vkdmlBindOutputs": [c_void_p, c_uint32, POINTER(BufferBinding)],
    "vkdmlBindTemporaryResource": [c_void_p, POINTER(BufferBinding)],
    "vkdmlBindPersistentResource": [c_void_p, POINTER(BufferBinding)],
    "vkdmlRecordDispatch": [c_void_p, c_void_p, c_void_p, c_void_p],
    "vkdmlCreateWeightStore": [c_void_p, POINTER(WeightStoreCreateInfo), POINTER(c_void_p)],
    "vkdmlTrimWeightStore": [c_void_p],
    "vkdmlGetWeightStoreInfo": [c_void_p, POINTER(WeightStoreInfo)],
    "vkdmlCreateWeightInitializer": [c_void_p, c_uint64, POINTER(c_void_p)],
    "vkdmlGetWeightInitializerInputs": [c_void_p, POINTER(c_uint32), POINTER(c_uint32)],
    "vkdmlResetWeightInitializer": [c_void_p],
}
OTHERS = {
    "vkdmlDestroyDevice": ([c_void_p], None), "vkdmlDestroyOperator": ([c_void_p], None),
    "vkdmlDestroyDispatchable": ([c_void_p], None), "vkdmlDestroyBindingTable": ([c_void_p], None),
    "vkdmlDestroyWeightStore": ([c_void_p], None),
    "vkdmlReportDeviceLost": ([c_void_p, c_char_p], None), "vkdmlMuteLog": ([c_void_p, c_int32], None),
    "vkdmlGetErrorMessage": ([], c_char_p),
    "vkdmlGetVersion": ([], c_uint32), "vkdmlGetVersionString": ([], c_char_p),
    "vkdmlGetOperatorSchemaCount": ([], c_uint32), "vkdmlGetOperatorSchemaAt": ([c_uint32], POINTER(OperatorSchema)),
    "vkdmlGetOperatorName": ([c_int32], c_char_p), "vkdmlGetFeatureLevelName": ([c_int32], c_char_p),
}


class Library:
    """The loaded library. Its functions are attributes, without their vkdml: library.CreateOperator(..)."""

    def __init__(self, path: str):
        self.path = path
        loaded = ctypes.CDLL(path)
        try:
            loaded.vkdmlGetVersion.restype = c_uint32
            self.check_version(loaded.vkdmlGetVersion())
            for name, arguments in CHECKED.items():
                function = getattr(loaded, name)
                function.argtypes, function.restype, function.errcheck = arguments, c_int32, self.check
                setattr(self, name[5:], function)
            for name, (arguments, result) in OTHERS.items():
                function = getattr(loaded, name)
                function.argtypes, function.restype = arguments, result
                setattr(self, name[5:], function)
        except AttributeError as error:
            raise OSError(f"{path} is no vkdml library: {error}") from None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the library has no function vkdml{name}")

    def check_version(self, running: int) -> None:
        """Rows of the table and what calls fill have no sizes of their own: they are those of one version."""
        same = 20 if HEADER_VERSION >> 20 else 10
        if running >> same != HEADER_VERSION >> same:
            version = ".".join(str(running >> shift & mask) for shift, mask in ((20, 0xFFF), (10, 0x3FF), (0, 0x3FF)))
            raise OSError(f"{self.path} is vkdml {version}; this Python module is of {VERSION} and needs a library of "
                          f"the same {'major' if same == 20 else 'minor'} version")

    def check(self, result: int, function: Any, arguments: Any) -> None:
        if result:
            raise Error(result, self.GetErrorMessage().decode(errors="replace"))


HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NAMES = ["libvkdml.so." + (VERSION.rsplit(".", 1)[0] if VERSION.startswith("0.") else VERSION.split(".")[0]), "libvkdml.so"]


def is_in_source_tree() -> bool:
    return os.path.exists(os.path.join(ROOT, "include", "vkdml", "version.h"))


def folders() -> List[str]:
    """Where the library may be, in the order in which it is looked for, before the system's loader is asked."""
    found = [HERE]  # pip's: packed into the module
    try:
        from ._installed import LIBRARY_FOLDER  # Meson's: which installed both
        found.append(os.path.normpath(os.path.join(HERE, LIBRARY_FOLDER)))
    except ImportError:
        pass
    if is_in_source_tree():
        builds = [os.path.join(ROOT, "build"), *sorted(glob.glob(os.path.join(glob.escape(ROOT), "build-*")))]
        found += [os.path.join(build, "src") for build in builds]
    return found


def find(path: Optional[str]) -> Library:
    named = path or os.environ.get("VKDML_LIBRARY")
    if named:
        try:
            return Library(named)
        except OSError as error:
            by = "vkdml.load() was given" if path else "the environment variable VKDML_LIBRARY names"
            raise OSError(f"{error}\n{by} {named}, so nothing else was tried") from None
    tried = []
    for folder in folders():
        paths = [os.path.join(folder, name) for name in NAMES if os.path.exists(os.path.join(folder, name))]
        if not paths:
            tried.append(f"  {folder}: no {NAMES[-1]} there")
        for candidate in paths:
            try:
                return Library(candidate)
            except OSError as error:
                tried.append(f"  {candidate}: {error}")
    for name in NAMES:
        try:
            return Library(name)
        except OSError as error:
            tried.append(f"  {name}, by the system's loader: {error}")
    raise OSError("the vkdml library was not found. Tried:\n" + "\n".join(tried) + "\n" + WHAT_TO_DO[is_in_source_tree()])


WHAT_TO_DO = {
    True: f"Build it: cd {ROOT} && meson setup build && meson compile -C build\n"
          f"or install the module with the library in it: pip install {os.path.join(ROOT, 'python')}",
    False: "This copy of the module came without its library. Install the module anew from vkdml's source tree, which packs "
           "the library into it: pip install ./python\n"
           "or set VKDML_LIBRARY to the path of a libvkdml.so of this version",
}


_loaded: Optional[Library] = None
_lock = threading.Lock()


def load(path: Optional[str] = None) -> None:
    """Loads the library, where the first call that needs it should not choose.

    Without a path it is the one that the environment variable VKDML_LIBRARY names; else the one that was installed with
    this module; in a source tree one of its build folders; else the one that the system's loader finds.

    Raises:
        OSError: there is none, it is of another version, or another one has been loaded.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = find(path)
        elif path is not None and os.path.realpath(path) != os.path.realpath(_loaded.path):
            raise OSError(f"{_loaded.path} is loaded already")


def library() -> Library:
    """The library, loaded where it is not yet."""
    if _loaded is None:
        load()
    assert _loaded is not None
    return _loaded


def version() -> str:
    """The version of the library that is running, as "major.minor.patch". That of this module is vkdml.__version__."""
    return library().GetVersionString().decode()

