"""Vulkan devices: which there are, opening one, running an operator on it once."""
import ctypes
import os
import threading
import uuid
import weakref
from contextlib import ExitStack, contextmanager
from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple,
                    Union)

from . import _library
from ._call import Call
from ._library import BufferBinding, Error
from ._schema import Operator, level_name, level_value
from ._tensor import Tensor, as_tensor, empty
from ._vulkan import Buffer, BufferCopy, CommandBufferAllocateInfo, CommandBufferBeginInfo, CommandPoolCreateInfo, Vulkan

if TYPE_CHECKING:
    from ._resident import Compiled, DeviceArray
    from ._weights import Weights

WHICH = ("must be None (the best device), part of a device's name, a vkdml.Device or \"reference\"; vkdml.devices() lists "
         "what there is")
VARIANTS = {None: 0, "PORTABLE": 1, "SUBGROUP": 2, "SERIAL": 3}
VALIDATION = 2  # VKDML_DEVICE_FLAG_VALIDATION
ALLOW_HALF_PRECISION_COMPUTATION = 1  # of DML_EXECUTION_FLAGS
ZERO_UNDEFINED, NODE_BY_NODE = 1, 2  # of VkdmlCompileFlags
LOG_LEVELS = ("error", "warning", "info")
DEVICE_TYPES = ("other", "integrated", "discrete", "virtual", "cpu")
HINT = '\nMesa\'s lavapipe is a Vulkan device that needs no GPU; device="reference" needs no Vulkan.'


class DeviceInfo(NamedTuple):
    """A device that vkdml.Device could open. `unusable` is None, or why it cannot; `warning` a fault of its driver, and what helps."""
    name: str
    driver: str
    driver_info: str
    api_version: str
    type: str
    memory: int
    uuid: str
    unusable: Optional[str]
    warning: Optional[str]


def devices() -> List[DeviceInfo]:
    """The machine's Vulkan devices, best first; without a Vulkan driver none. "reference" is always there besides."""
    try:
        return enumerated()
    except Error as error:
        if error.result == "VKDML_ERROR_INITIALIZATION_FAILED":
            return []
        raise


def enumerated() -> List[DeviceInfo]:
    """As devices(); without a Vulkan driver an Error says why."""
    library, count = _library.library(), c_uint32()
    library.EnumeratePhysicalDevices(byref(count), None)
    infos = (_library.PhysicalDeviceInfo * count.value)()
    library.EnumeratePhysicalDevices(byref(count), infos)
    return [DeviceInfo(info.name.decode(errors="replace"), info.driver.decode(errors="replace"),
                       info.driverInfo.decode(errors="replace"),
                       f"{info.apiVersion >> 22 & 0x7F}.{info.apiVersion >> 12 & 0x3FF}.{info.apiVersion & 0xFFF}",
                       DEVICE_TYPES[info.type] if info.type < len(DEVICE_TYPES) else "other", info.deviceLocalBytes,
                       str(uuid.UUID(bytes=bytes(info.uuid))), info.unusable.decode() if info.unusable else None,
                       info.warning.decode() if info.warning else None) for info in infos[:count.value]]


class Device:
    """An open Vulkan device, to run operators on. Threads take turns. Closed by close(), by `with`, or with its last use.
    After os.fork() it is of use to the parent only: the child opens its own.

    Args:
        name: part of its name, in any case, its number in devices() as "#1", or its UUID. The best device where left out,
            or what the environment variable VKDML_DEVICE names.
        level: the feature level that descriptors are held to, "6_4" for example; the newest where left out.
        variant: forces a build of the kernels: "PORTABLE", "SUBGROUP" or "SERIAL".
        validation: enables Vulkan's validation layer, whose messages are warnings to `log`.
        log: called with ("error", "warning" or "info") and the message.

    Attributes:
        name, level: its whole name, and the feature level.

    Raises:
        Error: there is no such device, or it cannot be used.
    """

    def __init__(self, name: Optional[str] = None, *, level: Union[str, int, None] = None, variant: Optional[str] = None,
                 validation: bool = False, log: Optional[Callable[[str, str], None]] = None):
        self._library = _library.library()
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name is {name!r}, must be None (the best device) or part of a device's name; vkdml.devices() "
                            "lists what there is")
        if variant not in VARIANTS:
            raise ValueError(f"variant is {variant!r}, must be PORTABLE, SUBGROUP or SERIAL")
        callback = _library.LogCallback()
        if log is not None:
            callback = _library.LogCallback(lambda _, urgency, message: log(LOG_LEVELS[urgency],
                                                                            message.decode(errors="replace")))
        info = _library.DeviceOpenInfo(headerVersion=_library.HEADER_VERSION, name=name.encode() if name else None,
                                       featureLevel=level_value(level), flags=VALIDATION if validation else 0,
                                       logCallback=callback, kernelVariant=VARIANTS[variant])
        handle = c_void_p()
        try:
            self._library.OpenDevice(byref(info), byref(handle))
        except Error as error:
            if error.result == "VKDML_ERROR_INITIALIZATION_FAILED" and not devices():
                raise Error(_library.INITIALIZATION_FAILED, error.reason + HINT) from None
            raise
        self._handle, self._lock, self._process = handle, threading.Lock(), os.getpid()
        # What was made of the device and lives on: each as a finalizer, which knows nothing of this object.
        self._kept: Dict[object, weakref.finalize] = {}
        self._callbacks = Callbacks()
        self._close = weakref.finalize(self, destroy, self._library, handle, callback, self._kept, self._process)
        self.level = level_name(level_value(level) or 0x6400)
        self._vulkan = Vulkan(self._library, handle)
        self.name = self._vulkan.device_name

    def __repr__(self) -> str:
        return f"<vkdml.Device {self.name!r}, level {self.level}{'' if self._close.alive else ', closed'}>"

    def close(self) -> None:
        """Destroys the device, with the arrays and the compiled operators on it. Using it is then an error; closing it
        again is none."""
        if _library.is_inherited(self._process):
            self._close()
            return
        with self._lock:
            self._close()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def array(self, values: Any) -> "DeviceArray":
        """A copy of an array, on the device: of what run() takes for a tensor."""
        from ._resident import DeviceArray
        tensor = as_tensor(values)
        array = DeviceArray(self, tensor)
        array.write(tensor)
        return array

    def empty(self, sizes: Union[int, Sequence[int]], type_: Any) -> "DeviceArray":
        """An array on the device whose elements are not defined yet, by a shape and a dtype or DirectML's name of one."""
        from ._resident import DeviceArray
        return DeviceArray(self, empty(sizes, type_))

    def compile(self, operator: Union[str, Operator], *, owned: Iterable[str] = (), allow_half: bool = False,
                zero_undefined: bool = False, **fields: Any) -> "Compiled":
        """Compiles an operator once, to be called many times on arrays of the same types, sizes and strides.

        Takes what vkdml.run() takes; of tensors only types, sizes and strides matter here, so that vkdml.empty() and
        arrays of this device do as well. Inputs that are `owned` are read now, and not given to the calls.

        Returns:
            A function of the operator's tensors, by their names: see Compiled.
        """
        from ._resident import Compiled
        return Compiled(self, operator, fields, tuple(owned), *flags_of(allow_half, zero_undefined))

    def weights(self) -> "Weights":
        """An empty weight store, for graphs that share weights: see Weights, and Graph.compile()."""
        from ._weights import Weights
        return Weights(self)

    def execute(self, call: Call, owned: Tuple[str, ...], execution_flags: int, flags: int) -> None:
        with self.executing() as execution:
            execution.run(call, owned, execution_flags, flags)

    @contextmanager
    def executing(self) -> Iterator["Execution"]:
        """One user of the device at a time; what it makes is destroyed at the end. In a child process the lock may be held by a
        thread that is not there."""
        _library.check_process(self._process)
        with self._lock, ExitStack() as stack:
            if not self._close.alive:
                raise ValueError("the device is closed")
            yield Execution(self._library, self._vulkan, self._handle, stack)

    @contextmanager
    def calling_back(self) -> Iterator[None]:
        """A call of the library that may call back, with the device's lock held. Objects that the garbage collector
        releases on this thread meanwhile are destroyed afterwards, because a callback must not call the library."""
        callbacks = self._callbacks
        callbacks.thread = threading.get_ident()
        try:
            yield
        finally:
            callbacks.thread = None
            while callbacks.waiting:
                callbacks.waiting.pop(0)()

    def keep(self, owner: Any, destroy_: Callable[[], None]) -> weakref.finalize:
        """Has something destroyed with its owner, or with the device where that comes first."""
        kept, key, process, callbacks = self._kept, object(), self._process, self._callbacks

        def release() -> None:
            kept.pop(key, None)
            if callbacks.thread == threading.get_ident():
                callbacks.waiting.append(destroy_)
            elif not _library.is_inherited(process):
                destroy_()

        kept[key] = weakref.finalize(owner, release)
        return kept[key]


class Callbacks:
    """Which thread makes a call that may call back, and what is to be destroyed after that call."""

    def __init__(self) -> None:
        self.thread: Optional[int] = None
        self.waiting: List[Callable[[], None]] = []


def flags_of(allow_half: bool, zero_undefined: bool, node_by_node: bool = False) -> Tuple[int, int]:
    """The flags of an execution and of a compilation."""
    return (ALLOW_HALF_PRECISION_COMPUTATION if allow_half else 0,
            (ZERO_UNDEFINED if zero_undefined else 0) | (NODE_BY_NODE if node_by_node else 0))


def destroy(library: Any, handle: c_void_p, callback: Any, kept: Dict[object, weakref.finalize], process: int) -> None:
    """`callback` is only kept until then. Of another process nothing is destroyed: its driver's threads are not here."""
    if _library.is_inherited(process):
        return
    for finalizer in reversed(list(kept.values())):
        finalizer()
    library.DestroyDevice(handle)


class Execution:
    """One run of an operator. What it makes is destroyed with the stack, the latest first, whatever fails."""

    def __init__(self, library: Any, vulkan: Vulkan, device: c_void_p, stack: ExitStack):
        self.library, self.vulkan, self.device, self.stack = library, vulkan, device, stack
        self.buffers: List[Tuple[Tensor, Buffer, Buffer]] = []  # with the one that the host sees

    def run(self, call: Call, owned: Tuple[str, ...], execution_flags: int, flags: int) -> None:
        compiled = self.compile(call, owned, execution_flags, flags)
        inputs = [self.upload(tensor) for tensor in call.bound("input")]
        outputs = [self.upload(tensor) for tensor in call.bound("output")]
        is_owned = call.is_owned(owned)
        persistent = self.resource(self.properties(compiled).persistentResourceSize)
        commands = self.begin()
        if persistent.size:
            self.initialize(commands, compiled, [b if o else BufferBinding() for b, o in zip(inputs, is_owned)], persistent)
        table = self.table(compiled, persistent)
        self.record(commands, compiled, table, [BufferBinding() if o else b for b, o in zip(inputs, is_owned)], outputs)
        self.finish(commands, len(outputs))

    def create(self, create: str, destroy_: str, *arguments: Any) -> c_void_p:
        handle = c_void_p()
        getattr(self.library, create)(*arguments, byref(handle))
        self.stack.callback(getattr(self.library, destroy_), handle)
        return handle

    def compile(self, call: Call, owned: Tuple[str, ...], execution_flags: int, flags: int) -> c_void_p:
        descriptor = call.descriptor(owned)
        operator = self.create("CreateOperator", "DestroyOperator", self.device, byref(descriptor.desc))
        info = _library.CompileInfo(executionFlags=execution_flags, flags=flags)
        return self.create("CompileOperator", "DestroyDispatchable", operator, byref(info))

    def properties(self, dispatchable: c_void_p) -> _library.BindingProperties:
        properties = _library.BindingProperties()
        self.library.GetBindingProperties(dispatchable, byref(properties))
        return properties

    def buffer(self, size: int, for_host: bool = False) -> Buffer:
        buffer = Buffer(self.vulkan, size, for_host)
        self.stack.callback(buffer.destroy)
        return buffer

    def resource(self, size: int) -> BufferBinding:
        """Memory that is the operator's: temporary or persistent."""
        return BufferBinding(self.buffer(size).buffer.value, 0, size) if size else BufferBinding()

    def upload(self, tensor: Optional[Tensor]) -> BufferBinding:
        """Outputs too: what lies between their elements stays as it was."""
        if tensor is None:
            return BufferBinding()
        binding = self.download(tensor)
        ctypes.memmove(self.buffers[-1][2].mapped, tensor.memory.ctypes.data, tensor.size_in_bytes)
        return binding

    def download(self, tensor: Tensor) -> BufferBinding:
        """Of an output; behind begin() what it was before is not uploaded."""
        buffer = self.buffer(tensor.size_in_bytes)
        seen = buffer if buffer.mapped else self.buffer(tensor.size_in_bytes, for_host=True)
        self.buffers.append((tensor, buffer, seen))
        return BufferBinding(buffer.buffer.value, 0, tensor.size_in_bytes)

    def begin(self, once: bool = True) -> c_void_p:
        """A command buffer in which tensors are on the device; if not `once`, it may be submitted again when it is done."""
        vulkan, pool, commands = self.vulkan, c_uint64(), c_void_p()
        vulkan.CreateCommandPool(vulkan.device, byref(CommandPoolCreateInfo(39, None, 0, vulkan.family)), None, byref(pool))
        self.stack.callback(vulkan.DestroyCommandPool, vulkan.device, pool, None)
        vulkan.AllocateCommandBuffers(vulkan.device, byref(CommandBufferAllocateInfo(40, None, pool.value, 0, 1)),
                                      byref(commands))
        vulkan.BeginCommandBuffer(commands, byref(CommandBufferBeginInfo(42, None, 1 if once else 0)))
        for tensor, buffer, seen in self.buffers:
            self.copy(commands, seen, buffer, tensor.size_in_bytes)
        vulkan.barrier(commands)
        return commands

    def copy(self, commands: c_void_p, source: Buffer, target: Buffer, size: int) -> None:
        if source is not target:
            self.vulkan.CmdCopyBuffer(commands, source.buffer, target.buffer, 1, byref(BufferCopy(0, 0, size)))

    def initialize(self, commands: c_void_p, compiled: c_void_p, inputs: List[BufferBinding],
                   persistent: BufferBinding) -> None:
        initializer = self.create("CreateOperatorInitializer", "DestroyDispatchable", self.device, 1, byref(compiled))
        self.record(commands, initializer, self.table(initializer, BufferBinding()), inputs, [persistent])

    def table(self, dispatchable: c_void_p, persistent: BufferBinding,
              temporary: Optional[BufferBinding] = None) -> c_void_p:
        """A binding table, with all bound but tensors. For one recording only: a buffer made since may have the handle of one
        that was destroyed, which the table would take for the same."""
        info = _library.BindingTableCreateInfo(dispatchable=dispatchable)
        table = self.create("CreateBindingTable", "DestroyBindingTable", self.device, byref(info))
        if temporary is None:
            temporary = self.resource(self.properties(dispatchable).temporaryResourceSize)
        self.library.BindTemporaryResource(table, byref(temporary))
        self.library.BindPersistentResource(table, byref(persistent))
        return table

    def record(self, commands: c_void_p, dispatchable: c_void_p, table: c_void_p, inputs: List[BufferBinding],
               outputs: List[BufferBinding]) -> None:
        """One dispatch with its tensors, and a barrier behind it."""
        library = self.library
        library.BindInputs(table, len(inputs), (BufferBinding * len(inputs))(*inputs))
        library.BindOutputs(table, len(outputs), (BufferBinding * len(outputs))(*outputs))
        library.RecordDispatch(self.device, commands, dispatchable, table)
        self.vulkan.barrier(commands)

    def finish(self, commands: c_void_p, output_count: int) -> None:
        """Submits, waits, and takes the outputs, which are the last buffers."""
        results = self.buffers[len(self.buffers) - output_count:] if output_count else []
        for tensor, buffer, seen in results:
            self.copy(commands, buffer, seen, tensor.size_in_bytes)
        self.vulkan.barrier(commands)
        self.vulkan.EndCommandBuffer(commands)
        self.vulkan.submit(commands)
        for tensor, _, seen in results:
            ctypes.memmove(tensor.memory.ctypes.data, seen.mapped, tensor.size_in_bytes)


_opened: Dict[Tuple[Optional[str], str], Device] = {}
_lock = threading.Lock()


def opened(name: Optional[str], level: Union[str, int, None]) -> Device:
    """A device that stays open, for those who name one."""
    if name is not None and not isinstance(name, str):
        raise TypeError(f"device is {name!r}, {WHICH}")
    key = name, level_name(level_value(level) or 0x6400)
    with _lock:
        if key not in _opened:
            _opened[key] = Device(name, level=level)
        return _opened[key]


def _forget_opened() -> None:
    """In a child process: it opens its own devices, and the lock may be held by a thread that is not there."""
    global _lock
    _lock = threading.Lock()
    _opened.clear()


os.register_at_fork(after_in_child=_forget_opened)
