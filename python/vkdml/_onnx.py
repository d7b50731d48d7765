"""ONNX models, through the library libvkdml_onnx: opening one, running it on NumPy arrays, what becomes of its nodes."""
import ctypes
import os
import threading
import warnings
import weakref
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _library
from ._library import Error, SizedStructure

ALLOW_HALF, REFERENCE, FLOAT32_INTERMEDIATES, PREPARE_LATER = 1, 4, 8, 64
CHECKS = {None: 0, "finite": 16, "cpu": 32}
# TensorProto.DataType: its name, and NumPy's type.
ONNX_TYPES: Dict[int, Tuple[str, Any]] = {
    1: ("FLOAT", np.float32), 2: ("UINT8", np.uint8), 3: ("INT8", np.int8), 4: ("UINT16", np.uint16), 5: ("INT16", np.int16),
    6: ("INT32", np.int32), 7: ("INT64", np.int64), 9: ("BOOL", np.bool_), 10: ("FLOAT16", np.float16), 11: ("DOUBLE", np.float64),
    12: ("UINT32", np.uint32), 13: ("UINT64", np.uint64)}
OUTCOMES = ("translated", "refused", "unreached", "unneeded")
NAMES = [name.replace("libvkdml", "libvkdml_onnx") for name in _library.NAMES]


WarningCallback = CFUNCTYPE(None, c_void_p, c_char_p)


class OnnxOpenInfo(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("path", c_char_p), ("device", c_char_p), ("cacheFolder", c_char_p),
                ("flags", c_uint32), ("shapesKept", c_uint32), ("warningCallback", WarningCallback),
                ("warningUserData", c_void_p), ("keptBytes", c_uint64), ("progressCallback", c_void_p),
                ("progressUserData", c_void_p)]


class OnnxMemory(SizedStructure):
    _fields_ = [("structSize", c_size_t), ("weightBytes", c_uint64), ("tensorBytes", c_uint64), ("shapeBytes", c_uint64),
                ("shapeCount", c_uint32)]


class OnnxValue(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_uint32), ("hasShape", c_uint32), ("rank", c_uint32), ("sizes", c_int64 * 8),
                ("symbols", c_char_p * 8)]


class OnnxTensor(ctypes.Structure):
    _fields_ = [("type", c_uint32), ("rank", c_uint32), ("sizes", c_uint32 * 8), ("bytes", c_uint64), ("data", c_void_p)]


class OnnxNode(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("domain", c_char_p), ("op", c_char_p), ("version", c_uint32), ("outcome", c_int32),
                ("reason", c_char_p), ("operatorCount", c_uint32), ("operators", POINTER(c_int32))]


NodeCallback = CFUNCTYPE(None, c_void_p, POINTER(OnnxNode))
CHECKED = {
    "vkdmlOnnxOpenModel": [POINTER(OnnxOpenInfo), POINTER(c_void_p)],
    "vkdmlOnnxGetMemory": [c_void_p, POINTER(OnnxMemory)],
    "vkdmlOnnxReportNodes": [c_void_p, c_uint32, POINTER(OnnxTensor), NodeCallback, c_void_p],
    "vkdmlOnnxBeginRun": [c_void_p, c_uint32, POINTER(OnnxTensor), POINTER(c_void_p)],
    "vkdmlOnnxExecuteRun": [c_void_p, POINTER(c_void_p)],
}
OTHERS: Dict[str, Any] = {
    "vkdmlOnnxGetErrorMessage": ([], c_char_p), "vkdmlOnnxCloseModel": ([c_void_p], None),
    "vkdmlOnnxGetDeviceName": ([c_void_p], c_char_p), "vkdmlOnnxGetInputCount": ([c_void_p], c_uint32),
    "vkdmlOnnxGetOptionalInputCount": ([c_void_p], c_uint32),
    "vkdmlOnnxGetOutputCount": ([c_void_p], c_uint32), "vkdmlOnnxGetInput": ([c_void_p, c_uint32, POINTER(OnnxValue)], None),
    "vkdmlOnnxGetOutput": ([c_void_p, c_uint32, POINTER(OnnxValue)], None),
    "vkdmlOnnxGetResult": ([c_void_p, c_uint32, POINTER(OnnxTensor)], None), "vkdmlOnnxEndRun": ([c_void_p], None),
}


class OnnxLibrary:
    """The loaded library. Its functions are attributes, without their vkdmlOnnx."""

    def __init__(self, path: str):
        self.path = path
        loaded = ctypes.CDLL(path)
        try:
            for name, arguments in CHECKED.items():
                function = getattr(loaded, name)
                function.argtypes, function.restype, function.errcheck = arguments, c_int32, self.check
                setattr(self, name[9:], function)
            for name, (arguments, result) in OTHERS.items():
                function = getattr(loaded, name)
                function.argtypes, function.restype = arguments, result
                setattr(self, name[9:], function)
        except AttributeError as error:
            raise OSError(f"{path} is no library of vkdml's ONNX models: {error}") from None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the library has no function vkdmlOnnx{name}")

    def check(self, result: int, function: Any, arguments: Any) -> None:
        if result:
            raise Error(result, self.GetErrorMessage().decode(errors="replace"))


def candidates() -> List[str]:
    """Where the library may be: beside libvkdml, in a build folder where that builds it, or by the system's loader."""
    named = os.environ.get("VKDML_ONNX_LIBRARY")
    if named:
        return [named]
    folder = os.path.dirname(_library.library().path)
    if not folder:
        return NAMES
    folders = [folder, os.path.join(os.path.dirname(folder), "integrations", "onnx")]
    return [path for place in folders for path in (os.path.join(place, name) for name in NAMES) if os.path.exists(path)] or NAMES


_loaded: Optional[OnnxLibrary] = None
_lock = threading.Lock()


def library() -> OnnxLibrary:
    """The library, loaded where it is not yet: behind libvkdml, which it needs and then finds by its name."""
    global _loaded
    with _lock:
        if _loaded is None:
            tried = []
            for path in candidates():
                try:
                    _loaded = OnnxLibrary(path)
                    break
                except OSError as error:
                    tried.append(f"  {path}: {error}")
            if _loaded is None:
                raise OSError(f"libvkdml_onnx, which goes with {_library.library().path}, was not found. Tried:\n" + "\n".join(tried) +
                              "\nIt is built with -Donnx=true, or VKDML_ONNX_LIBRARY names it")
        return _loaded


class ModelValue(NamedTuple):
    """An input or output of a model. `dtype` is NumPy's, None where the model says none or NumPy has none; of `shape`
    sizes that are open are their names, or None; None where the model says no shape."""
    name: str
    type: str
    dtype: Optional[np.dtype]
    shape: Optional[Tuple[Union[int, str, None], ...]]


class ModelMemory(NamedTuple):
    """The memory that a model takes, in bytes."""
    weights: int  # on the device, once for all shapes
    tensors: int  # on the device, for temporary memory, inputs and outputs: what the largest shape takes
    shapes: int  # for shapes that are kept compiled, besides these: an estimate
    shape_count: int


class ModelNode(NamedTuple):
    """What becomes of a node of a model: its `outcome` is "translated", into DirectML's `operators` (none: it is a view,
    or computed while planning); "refused", and why is the `reason`; "unreached", behind a refused one whose shape the
    model does not say; or "unneeded"."""
    name: str
    domain: str
    op: str
    version: int
    outcome: str
    operators: Tuple[str, ...]
    reason: str


def text_of(value: Optional[bytes]) -> str:
    return (value or b"").decode(errors="replace")


def shown(names: Iterable[Any]) -> str:
    """Names of a model in a message: escaped and shortened, as the library has them in its reasons."""
    texts = [str(name) for name in names]
    short = [text if len(text) <= 100 else f"{text[:100]}... ({len(text.encode(errors='replace'))} bytes)" for text in texts[:20]]
    return ", ".join(repr(text)[1:-1] for text in short) + (", ..." if len(texts) > 20 else "")


def value_of(raw: OnnxValue) -> ModelValue:
    name, dtype = ONNX_TYPES.get(raw.type, (f"type {raw.type}" if raw.type else "", None))
    shape: Optional[Tuple[Union[int, str, None], ...]] = None
    if raw.hasShape:
        shape = tuple(size if size >= 0 else text_of(symbol) or None
                      for size, symbol in zip(raw.sizes[:raw.rank], raw.symbols[:raw.rank]))
    return ModelValue(text_of(raw.name), name, np.dtype(dtype) if dtype is not None else None, shape)


def tensor_of(array: np.ndarray, type_: int) -> OnnxTensor:
    return OnnxTensor(type=type_, rank=array.ndim, sizes=(c_uint32 * 8)(*array.shape), data=array.ctypes.data)


class Warnings:
    """Collects what the library warns of, and passes it on when no code of the library runs."""

    def __init__(self) -> None:
        self._messages: List[str] = []
        self.callback = WarningCallback(lambda _, message: self._messages.append(text_of(message)))

    def show(self, stacklevel: int) -> None:
        while self._messages:
            warnings.warn(f"vkdml: {self._messages.pop(0)}", RuntimeWarning, stacklevel=stacklevel + 1)


def close(library_: OnnxLibrary, handle: c_void_p, lock: Any, warned: Warnings, process: int) -> None:
    if _library.is_inherited(process):
        return
    with lock:
        library_.CloseModel(handle)
    warned.show(1)


class Model:
    """An ONNX model on a device of its own. Planned at the first run of each shape, and kept.

    Threads take turns. Closed by close(), by `with`, or with its last use. After os.fork() it is of use to the parent only:
    the child opens its own.

    Args:
        path: of the file; external data lies beside it.
        device: None, the best Vulkan device (or what the environment variable VKDML_DEVICE names); part of a device's
            name; or "reference", the CPU reference, which asks the best device for its rules.
        half: sums of FLOAT16 may be computed in half precision.
        float32_intermediates: normalizations, softmax and attention that the model writes out as several FLOAT16 nodes keep
            their intermediate values in FLOAT32, as ONNX Runtime's CPU provider does. This changes results.
        cache: an existing folder in which compiled pipelines are kept from one program to the next. A RuntimeWarning says
            why it cannot be read or written; the model runs without it.
        check: after each run the nodes run one by one, and run() raises an Error that names the first that goes wrong, with
            the ranges of its inputs and the reason. "finite": nodes that make infinities or NaN of finite inputs; "cpu":
            nodes whose results are not the CPU reference's. Both are slow.
        kept_bytes: the memory that shapes which are kept compiled may take together, without weights, which all shapes share;
            the least recently used go first. 0: 256 MiB.
        prepare: before the first run, loads the weights and creates pipelines, for a few sizes if the model leaves sizes open.
            False: the first run of each shape does what it needs.

    Attributes:
        inputs, outputs: tuples of ModelValue, as the model says them.
        optional_inputs: a tuple of ModelValue: inputs with initializers, which hold where no other value is given.
        device: the device's name.

    Raises:
        Error: the file is no model, or there is no such device.
        OSError: the library libvkdml_onnx is missing.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], device: Optional[str] = None, *, half: bool = False,
                 float32_intermediates: bool = False, cache: Union[None, str, "os.PathLike[str]"] = None,
                 check: Optional[str] = None, kept_bytes: int = 0, prepare: bool = True):
        if check not in CHECKS:
            raise ValueError(f"check is {check!r}, must be None, \"finite\" or \"cpu\"")
        if device is not None and not isinstance(device, str):
            raise TypeError(f"device is {device!r}, must be None (the best device), part of a device's name or \"reference\"")
        self._library = library()
        self._warned = Warnings()
        reference = device == "reference"
        info = OnnxOpenInfo(path=os.fsencode(path), device=device.encode() if device and not reference else None,
                            cacheFolder=os.fsencode(cache) if cache is not None else None,
                            flags=(ALLOW_HALF if half else 0) | (REFERENCE if reference else 0) |
                                  (FLOAT32_INTERMEDIATES if float32_intermediates else 0) |
                                  (0 if prepare else PREPARE_LATER) | CHECKS[check],
                            warningCallback=self._warned.callback, keptBytes=kept_bytes)
        handle = c_void_p()
        self._library.OpenModel(byref(info), byref(handle))
        self._handle, self._lock, self._process = handle, threading.RLock(), os.getpid()
        self._close = weakref.finalize(self, close, self._library, handle, self._lock, self._warned,
                                       self._process)
        self.path = os.fspath(path)
        self.device = "reference" if reference else text_of(self._library.GetDeviceName(handle))
        self._types: List[int] = []
        needed, optional = self._library.GetInputCount(handle), self._library.GetOptionalInputCount(handle)
        inputs = self._values(needed + optional, self._library.GetInput, self._types)
        self.inputs, self.optional_inputs = inputs[:needed], inputs[needed:]
        self.outputs = self._values(self._library.GetOutputCount(handle), self._library.GetOutput, [])
        self._warned.show(2)

    def __repr__(self) -> str:
        return f"<vkdml.Model {self.path!r} on {self.device!r}{'' if self._close.alive else ', closed'}>"

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Frees the model and all that was compiled of it. Using it is then an error; closing it again is none."""
        self._close()

    @property
    def memory(self) -> ModelMemory:
        """The memory that the model takes, as of the latest run."""
        with self._using() as handle:
            memory = OnnxMemory()
            self._library.GetMemory(handle, byref(memory))
            return ModelMemory(memory.weightBytes, memory.tensorBytes, memory.shapeBytes, memory.shapeCount)

    def _values(self, count: int, get: Any, types: List[int]) -> Tuple[ModelValue, ...]:
        values, raw = [], OnnxValue()
        for index in range(count):
            get(self._handle, index, byref(raw))
            types.append(raw.type)
            values.append(value_of(raw))
        return tuple(values)

    @contextmanager
    def _using(self) -> Iterator[c_void_p]:
        """The handle, for one thread at a time. In a child process the lock may be held by a thread that is not there."""
        _library.check_process(self._process)
        with self._lock:
            if not self._close.alive:
                raise ValueError(f"{self!r} cannot be used")
            yield self._handle

    def _arrays(self, given: Mapping[str, Any]) -> Tuple[List[np.ndarray], Any]:
        """What is given as arrays, in the model's order, and as the library takes them. Optional inputs that are not
        given are tensors of type 0."""
        names, optional = [value.name for value in self.inputs], {value.name for value in self.optional_inputs}
        needed = set(names)
        missing = [name for name in names if name not in given]
        unknown = [name for name in given if name not in needed and name not in optional]
        if missing or unknown:
            raise TypeError(f"the model's inputs are {shown(names) or 'none'}" +
                            (f"; optional: {shown(value.name for value in self.optional_inputs)}" if optional else "") +
                            (f"; missing: {shown(missing)}" if missing else "") +
                            (f"; unknown: {shown(unknown)}" if unknown else ""))
        arrays, tensors = [], []
        for value, type_ in zip(self.inputs + self.optional_inputs, self._types):
            if value.name not in given:
                tensors.append(OnnxTensor())
                continue
            array = given[value.name]
            if not isinstance(array, (np.ndarray, np.generic)) and value.dtype is not None:
                array = np.asarray(array, value.dtype)
            array = np.asarray(array)
            if value.dtype is not None and array.dtype != value.dtype:
                raise TypeError(f"input '{shown([value.name])}' is an array of {array.dtype}, must be {value.dtype}")
            if type_ == 0:
                type_ = next((number for number, (_, dtype) in ONNX_TYPES.items() if array.dtype == dtype), 0)
            if ONNX_TYPES.get(type_, ("", None))[1] is None:
                raise TypeError(f"input '{shown([value.name])}': NumPy has no type for it")
            if array.ndim > 8:
                raise ValueError(f"input '{shown([value.name])}' has {array.ndim} dimensions, 8 at most")
            arrays.append(np.require(array, array.dtype.newbyteorder("<"), ["C", "A"]))
            tensors.append(tensor_of(arrays[-1], type_))
        return arrays, (OnnxTensor * len(tensors))(*tensors)

    def run(self, inputs: Optional[Mapping[str, Any]] = None) -> Dict[str, np.ndarray]:
        """Runs the model on arrays by the names of its inputs, and returns its outputs by theirs.

        Arrays have the model's types; of lists and numbers arrays of these are made.

        Raises:
            TypeError: inputs are missing, unknown or of another type.
            Error: a shape is not the model's, a node cannot be translated (nodes says which), the device fails, or the
                model's check finds a node that goes wrong.
        """
        arrays, tensors = self._arrays(inputs or {})
        run, results = c_void_p(), []
        with self._using() as handle:
            self._library.BeginRun(handle, len(tensors), tensors, byref(run))
            try:
                raw = OnnxTensor()
                for index in range(len(self.outputs)):
                    self._library.GetResult(run, index, byref(raw))
                    results.append(empty_of(self.outputs[index].name, raw))
                self._library.ExecuteRun(run, (c_void_p * (len(results) + 1))(*(array.ctypes.data for array in results)))
            finally:
                self._library.EndRun(run)
        self._warned.show(2)
        return {value.name: array for value, array in zip(self.outputs, results)}

    @property
    def nodes(self) -> Tuple[ModelNode, ...]:
        """What becomes of each node, with sizes that the model leaves open as 1. Of other sizes node_report() tells."""
        return self.node_report()

    def node_report(self, inputs: Optional[Mapping[str, Any]] = None) -> Tuple[ModelNode, ...]:
        """What becomes of each node, for such inputs; without them zeros, with sizes that the model leaves open as 1.

        Raises:
            Error: the model says no type or no shape of an input, and none are given.
        """
        if inputs is None:
            inputs = {value.name: zeros_of(value) for value in self.inputs}
        arrays, tensors = self._arrays(inputs)
        nodes: List[ModelNode] = []

        def tell(_: Any, node: Any) -> None:
            raw = node.contents
            nodes.append(ModelNode(text_of(raw.name), text_of(raw.domain), text_of(raw.op), raw.version, OUTCOMES[raw.outcome],
                                   tuple(operator_name(raw.operators[i]) for i in range(raw.operatorCount)),
                                   text_of(raw.reason)))

        with self._using() as handle:
            self._library.ReportNodes(handle, len(tensors), tensors, NodeCallback(tell), None)
        return tuple(nodes)


def zeros_of(value: ModelValue) -> np.ndarray:
    if value.shape is None or value.dtype is None:
        raise Error(_library.INVALID_ARGUMENT, f"the model says no {'shape' if value.dtype is not None else 'type of NumPy'} of "
                    f"its input '{shown([value.name])}': give inputs to node_report()")
    return np.zeros([size if isinstance(size, int) else 1 for size in value.shape], value.dtype)


def empty_of(name: str, raw: OnnxTensor) -> np.ndarray:
    dtype = ONNX_TYPES.get(raw.type, ("", None))[1]
    if dtype is None:
        raise Error(_library.NOT_IMPLEMENTED, f"output '{shown([name])}' is of type {raw.type}, for which NumPy has none")
    return np.empty(tuple(raw.sizes[:raw.rank]), dtype)


def operator_name(type_: int) -> str:
    return text_of(_library.library().GetOperatorName(type_)).replace("DML_OPERATOR_", "", 1)
