"""Vulkan devices: which there are, opening one, running an operator on it."""
import ctypes
import threading
import weakref
from contextlib import ExitStack
from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from . import _library
from ._call import Call
from ._describe import Descriptor
from ._library import BufferBinding, Error
from ._schema import level_name, level_value
from ._tensor import Tensor
from ._vulkan import Buffer, BufferCopy, CommandBufferAllocateInfo, CommandBufferBeginInfo, CommandPoolCreateInfo, Vulkan

VARIANTS = {None: 0, "PORTABLE": 1, "SUBGROUP": 2, "SERIAL": 3}
VALIDATION = 2  # VKDML_DEVICE_FLAG_VALIDATION
LOG_LEVELS = ("error", "warning", "info")
DEVICE_TYPES = ("other", "integrated", "discrete", "virtual", "cpu")
HINT = '\nMesa\'s lavapipe is a Vulkan device that needs no GPU; device="reference" needs no Vulkan.'


class DeviceInfo(NamedTuple):
    """A device that vkdml.Device could open. `unusable` is None, or why it cannot."""
    name: str
    driver: str
    driver_info: str
    api_version: str
    type: str
    memory: int
    unusable: Optional[str]


def devices() -> List[DeviceInfo]:
    """The machine's Vulkan devices, best first; without a Vulkan driver none. "reference" is always there besides."""
    library, count = _library.library(), c_uint32()
    try:
        library.EnumeratePhysicalDevices(byref(count), None)
        infos = (_library.PhysicalDeviceInfo * count.value)()
        library.EnumeratePhysicalDevices(byref(count), infos)
    except Error as error:
        if error.result == "VKDML_ERROR_INITIALIZATION_FAILED":
            return []
        raise
    return [DeviceInfo(info.name.decode(errors="replace"), info.driver.decode(errors="replace"),
                       info.driverInfo.decode(errors="replace"),
                       f"{info.apiVersion >> 22 & 0x7F}.{info.apiVersion >> 12 & 0x3FF}.{info.apiVersion & 0xFFF}",
                       DEVICE_TYPES[info.type] if info.type < len(DEVICE_TYPES) else "other", info.deviceLocalBytes,
                       info.unusable.decode() if info.unusable else None) for info in infos[:count.value]]


class Device:
    """An open Vulkan device, to run operators on. Threads take turns. Closed by close(), by `with`, or with its last use.

    Args:
        name: part of its name, in any case. The best device where left out, or what the environment variable
            VKDML_DEVICE names.
        level: the feature level that descriptors are held to, "6_4" for example; the newest where left out.
        variant: forces a build of the kernels: "PORTABLE", "SUBGROUP" or "SERIAL".
        validation: enables Vulkan's validation layer, whose messages are warnings to `log`.
        log: called with ("error", "warning" or "info") and the message.

    Raises:
        Error: there is no such device, or it cannot be used.
    """

    def __init__(self, name: Optional[str] = None, *, level: Union[str, int, None] = None, variant: Optional[str] = None,
                 validation: bool = False, log: Optional[Callable[[str, str], None]] = None):
        self._library = _library.library()
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
        self._handle, self._lock = handle, threading.Lock()
        self._close = weakref.finalize(self, destroy, self._library, handle, callback)
        self.level = level_name(level_value(level) or 0x6400)
        self._vulkan = Vulkan(self._library, handle)

    def close(self) -> None:
        """Destroys the device. Running on it is then an error; closing it again is none."""
        with self._lock:
            self._close()

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def execute(self, call: Call, owned: Tuple[str, ...], execution_flags: int, flags: int) -> None:
        with self._lock, ExitStack() as stack:
            if not self._close.alive:
                raise ValueError("the device is closed")
            Execution(self._library, self._vulkan, self._handle, stack).run(call, owned, execution_flags, flags)


def destroy(library: Any, handle: c_void_p, callback: Any) -> None:
    """`callback` is only kept until then."""
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
        is_owned = [field.name in owned for field in call.operator.fields_of("input")
                    for _ in (call.tensors[field.name] if isinstance(call.tensors[field.name], list) else [0])]
        nothing = BufferBinding()
        persistent = self.resource(self.properties(compiled).persistentResourceSize)
        commands = self.begin()
        if owned:
            initializer = self.create("CreateOperatorInitializer", "DestroyDispatchable", self.device, 1, byref(compiled))
            self.record(commands, initializer, [b if o else nothing for b, o in zip(inputs, is_owned)], [persistent], None)
        self.record(commands, compiled, [nothing if o else b for b, o in zip(inputs, is_owned)], outputs, persistent)
        self.finish(commands, len(outputs))

    def create(self, create: str, destroy_: str, *arguments: Any) -> c_void_p:
        handle = c_void_p()
        getattr(self.library, create)(*arguments, byref(handle))
        self.stack.callback(getattr(self.library, destroy_), handle)
        return handle

    def compile(self, call: Call, owned: Tuple[str, ...], execution_flags: int, flags: int) -> c_void_p:
        descriptor = Descriptor(call.operator, call.tensors, call.attributes, owned)
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
        buffer = self.buffer(tensor.size_in_bytes)
        seen = buffer if buffer.mapped else self.buffer(tensor.size_in_bytes, for_host=True)
        ctypes.memmove(seen.mapped, tensor.memory.ctypes.data, tensor.size_in_bytes)
        self.buffers.append((tensor, buffer, seen))
        return BufferBinding(buffer.buffer.value, 0, tensor.size_in_bytes)

    def begin(self) -> c_void_p:
        """A command buffer in which tensors are on the device."""
        vulkan, pool, commands = self.vulkan, c_uint64(), c_void_p()
        vulkan.CreateCommandPool(vulkan.device, byref(CommandPoolCreateInfo(39, None, 0, vulkan.family)), None, byref(pool))
        self.stack.callback(vulkan.DestroyCommandPool, vulkan.device, pool, None)
        vulkan.AllocateCommandBuffers(vulkan.device, byref(CommandBufferAllocateInfo(40, None, pool.value, 0, 1)),
                                      byref(commands))
        vulkan.BeginCommandBuffer(commands, byref(CommandBufferBeginInfo(42, None, 1)))
        for tensor, buffer, seen in self.buffers:
            self.copy(commands, seen, buffer, tensor.size_in_bytes)
        vulkan.barrier(commands)
        return commands

    def copy(self, commands: c_void_p, source: Buffer, target: Buffer, size: int) -> None:
        if source is not target:
            self.vulkan.CmdCopyBuffer(commands, source.buffer, target.buffer, 1, byref(BufferCopy(0, 0, size)))

    def record(self, commands: c_void_p, dispatchable: c_void_p, inputs: List[BufferBinding],
               outputs: List[BufferBinding], persistent: Optional[BufferBinding]) -> None:
        """One dispatch with its bindings, and a barrier behind it."""
        library = self.library
        info = _library.BindingTableCreateInfo(dispatchable=dispatchable)
        table = self.create("CreateBindingTable", "DestroyBindingTable", self.device, byref(info))
        library.BindInputs(table, len(inputs), (BufferBinding * len(inputs))(*inputs))
        library.BindOutputs(table, len(outputs), (BufferBinding * len(outputs))(*outputs))
        temporary = self.resource(self.properties(dispatchable).temporaryResourceSize)
        if temporary.size:
            library.BindTemporaryResource(table, byref(temporary))
        if persistent is not None and persistent.size:
            library.BindPersistentResource(table, byref(persistent))
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
    key = name, level_name(level_value(level) or 0x6400)
    with _lock:
        if key not in _opened:
            _opened[key] = Device(name, level=level)
        return _opened[key]
