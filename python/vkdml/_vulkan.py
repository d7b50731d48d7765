"""As much of Vulkan through ctypes as running an operator takes: buffers, memory, a command buffer, a queue."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int32, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Tuple

from . import _library
from ._library import Error

RESULTS = {1: "VK_NOT_READY", 2: "VK_TIMEOUT", -1: "VK_ERROR_OUT_OF_HOST_MEMORY", -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
           -3: "VK_ERROR_INITIALIZATION_FAILED", -4: "VK_ERROR_DEVICE_LOST", -5: "VK_ERROR_MEMORY_MAP_FAILED"}
AS_VKDML = {-1: _library.OUT_OF_HOST_MEMORY, -2: _library.OUT_OF_DEVICE_MEMORY, -4: _library.DEVICE_LOST}
STORAGE_AND_TRANSFER = 0x20 | 0x1 | 0x2  # VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, _TRANSFER_SRC_BIT, _TRANSFER_DST_BIT
DEVICE_LOCAL, HOST_VISIBLE, HOST_COHERENT, HOST_CACHED = 1, 2, 4, 8  # VkMemoryPropertyFlagBits
ALL_COMMANDS, HOST = 0x10000, 0x4000  # VkPipelineStageFlagBits
HOST_READ, HOST_WRITE, MEMORY_READ, MEMORY_WRITE = 0x2000, 0x4000, 0x8000, 0x10000  # VkAccessFlagBits
WHOLE_SIZE = 2**64 - 1


class BufferCreateInfo(Structure):
    _fields_ = [("sType", c_int32), ("pNext", c_void_p), ("flags", c_uint32), ("size", c_uint64), ("usage", c_uint32),
                ("sharingMode", c_int32), ("queueFamilyIndexCount", c_uint32), ("pQueueFamilyIndices", c_void_p)]


class MemoryRequirements(Structure):
    _fields_ = [("size", c_uint64), ("alignment", c_uint64), ("memoryTypeBits", c_uint32)]


class MemoryType(Structure):
    _fields_ = [("propertyFlags", c_uint32), ("heapIndex", c_uint32)]


class MemoryHeap(Structure):
    _fields_ = [("size", c_uint64), ("flags", c_uint32)]


class MemoryProperties(Structure):
    _fields_ = [("memoryTypeCount", c_uint32), ("memoryTypes", MemoryType * 32), ("memoryHeapCount", c_uint32),
                ("memoryHeaps", MemoryHeap * 16)]


class MemoryAllocateInfo(Structure):
    _fields_ = [("sType", c_int32), ("pNext", c_void_p), ("allocationSize", c_uint64), ("memoryTypeIndex", c_uint32)]


class CommandPoolCreateInfo(Structure):
    _fields_ = [("sType", c_int32), ("pNext", c_void_p), ("flags", c_uint32), ("queueFamilyIndex", c_uint32)]


class CommandBufferAllocateInfo(Structure):
    _fields_ = [("sType", c_int32), ("pNext", c_void_p), ("commandPool", c_uint64), ("level", c_int32),
                ("commandBufferCount", c_uint32)]


class CommandBufferBeginInfo(Structure):
    _fields_ = [("sType", c_int32), ("pNext", c_void_p), ("flags", c_uint32), ("pInheritanceInfo", c_void_p)]


class MemoryBarrier(Structure):
    _fields_ = [("sType", c_int32), ("pNext", c_void_p), ("srcAccessMask", c_uint32), ("dstAccessMask", c_uint32)]


class BufferCopy(Structure):
    _fields_ = [("srcOffset", c_uint64), ("dstOffset", c_uint64), ("size", c_uint64)]


class SubmitInfo(Structure):
    _fields_ = [("sType", c_int32), ("pNext", c_void_p), ("waitSemaphoreCount", c_uint32), ("pWaitSemaphores", c_void_p),
                ("pWaitDstStageMask", c_void_p), ("commandBufferCount", c_uint32), ("pCommandBuffers", POINTER(c_void_p)),
                ("signalSemaphoreCount", c_uint32), ("pSignalSemaphores", c_void_p)]


# Functions of a VkDevice, by name without vk: what they return (c_int32: a VkResult) and take. Handles that are not
# dispatchable are 64 bits wide everywhere.
DEVICE_FUNCTIONS: Dict[str, Tuple[Any, ...]] = {
    "CreateBuffer": (c_int32, c_void_p, POINTER(BufferCreateInfo), c_void_p, POINTER(c_uint64)),
    "DestroyBuffer": (None, c_void_p, c_uint64, c_void_p),
    "GetBufferMemoryRequirements": (None, c_void_p, c_uint64, POINTER(MemoryRequirements)),
    "AllocateMemory": (c_int32, c_void_p, POINTER(MemoryAllocateInfo), c_void_p, POINTER(c_uint64)),
    "FreeMemory": (None, c_void_p, c_uint64, c_void_p),
    "BindBufferMemory": (c_int32, c_void_p, c_uint64, c_uint64, c_uint64),
    "MapMemory": (c_int32, c_void_p, c_uint64, c_uint64, c_uint64, c_uint32, POINTER(c_void_p)),
    "CreateCommandPool": (c_int32, c_void_p, POINTER(CommandPoolCreateInfo), c_void_p, POINTER(c_uint64)),
    "DestroyCommandPool": (None, c_void_p, c_uint64, c_void_p),
    "AllocateCommandBuffers": (c_int32, c_void_p, POINTER(CommandBufferAllocateInfo), POINTER(c_void_p)),
    "BeginCommandBuffer": (c_int32, c_void_p, POINTER(CommandBufferBeginInfo)),
    "EndCommandBuffer": (c_int32, c_void_p),
    "CmdPipelineBarrier": (None, c_void_p, c_uint32, c_uint32, c_uint32, c_uint32, POINTER(MemoryBarrier), c_uint32,
                           c_void_p, c_uint32, c_void_p),
    "CmdCopyBuffer": (None, c_void_p, c_uint64, c_uint64, c_uint32, POINTER(BufferCopy)),
    "QueueSubmit": (c_int32, c_void_p, c_uint32, POINTER(SubmitInfo), c_uint64),
    "QueueWaitIdle": (c_int32, c_void_p),
}


class Vulkan:
    """The VkDevice behind a VkdmlDevice. Functions are attributes, without vk; failures raise Error."""

    def __init__(self, library: Any, device: c_void_p):
        handles = _library.VulkanHandles()
        library.GetVulkanHandles(device, byref(handles))
        self.library, self.vkdml_device = library, device
        self.device, self.queue, self.family = handles.device, handles.queue, handles.queueFamilyIndex
        get_instance = CFUNCTYPE(c_void_p, c_void_p, c_char_p)(handles.getInstanceProcAddr)
        get_device = CFUNCTYPE(c_void_p, c_void_p, c_char_p)(get_instance(handles.instance, b"vkGetDeviceProcAddr"))
        for name, (result, *arguments) in DEVICE_FUNCTIONS.items():
            function = CFUNCTYPE(result, *arguments)(get_device(self.device, b"vk" + name.encode()))
            setattr(self, name, self.checked(name, function) if result is c_int32 else function)
        # VkPhysicalDeviceProperties begins with 5 integers and the name; all of it has less than 1024 bytes.
        device_properties = ctypes.create_string_buffer(1024)
        CFUNCTYPE(None, c_void_p, c_void_p)(get_instance(handles.instance, b"vkGetPhysicalDeviceProperties"))(
            handles.physicalDevice, device_properties)
        self.device_name = ctypes.string_at(ctypes.addressof(device_properties) + 20).decode(errors="replace")
        properties = MemoryProperties()
        CFUNCTYPE(None, c_void_p, POINTER(MemoryProperties))(
            get_instance(handles.instance, b"vkGetPhysicalDeviceMemoryProperties"))(handles.physicalDevice, byref(properties))
        self.memory_types = [kind.propertyFlags for kind in properties.memoryTypes[:properties.memoryTypeCount]]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def checked(self, name: str, function: Any) -> Any:
        def call(*arguments: Any) -> None:
            result = function(*arguments)
            if result:
                reason = f"vk{name}: {RESULTS.get(result, 'VkResult')} ({result})"
                if result == -4:
                    self.library.ReportDeviceLost(self.vkdml_device, reason.encode())
                raise Error(AS_VKDML.get(result, _library.DRIVER), reason)
        return call

    def memory_type(self, allowed: int, *wishes: int) -> int:
        """The first type that has all properties of a wish, wishes in order."""
        for wish in wishes:
            for i, flags in enumerate(self.memory_types):
                if allowed >> i & 1 and flags & wish == wish:
                    return i
        raise Error(_library.DRIVER, "no type of memory fits a buffer")

    def barrier(self, commands: c_void_p) -> None:
        """Orders all before it, the host's writes included, before all after it, the host's reads included."""
        barrier = MemoryBarrier(46, None, MEMORY_WRITE | HOST_WRITE, MEMORY_READ | MEMORY_WRITE | HOST_READ)
        self.CmdPipelineBarrier(commands, ALL_COMMANDS | HOST, ALL_COMMANDS | HOST, 0, 1, byref(barrier), 0, None, 0, None)

    def submit(self, commands: c_void_p) -> None:
        """Submits a command buffer and waits for it."""
        submit = SubmitInfo(sType=4, commandBufferCount=1, pCommandBuffers=ctypes.pointer(commands))
        try:
            self.QueueSubmit(self.queue, 1, byref(submit), 0)
        finally:  # an interrupt too must find the queue idle, before what it uses is destroyed
            self.QueueWaitIdle(self.queue)


class Buffer:
    """A buffer with memory of its own: of the device, or that the host sees (`mapped` is then its address, else 0)."""

    def __init__(self, vulkan: Vulkan, size: int, for_host: bool = False):
        self.vulkan, self.size, self.mapped = vulkan, size, 0
        self.buffer, self.memory = c_uint64(), c_uint64()
        try:
            self._create(for_host)
        except BaseException:
            self.destroy()
            raise

    def _create(self, for_host: bool) -> None:
        vulkan, needs, mapped = self.vulkan, MemoryRequirements(), c_void_p()
        vulkan.CreateBuffer(vulkan.device, byref(BufferCreateInfo(12, None, 0, self.size, STORAGE_AND_TRANSFER)), None,
                            byref(self.buffer))
        vulkan.GetBufferMemoryRequirements(vulkan.device, self.buffer, byref(needs))
        visible = HOST_VISIBLE | HOST_COHERENT
        wishes = (visible | HOST_CACHED, visible) if for_host else (DEVICE_LOCAL, 0)
        kind = vulkan.memory_type(needs.memoryTypeBits, *wishes)
        vulkan.AllocateMemory(vulkan.device, byref(MemoryAllocateInfo(5, None, needs.size, kind)), None, byref(self.memory))
        vulkan.BindBufferMemory(vulkan.device, self.buffer, self.memory, 0)
        # Memory of the device that the host may as well read: a processor's, or one that shares its memory.
        if for_host or vulkan.memory_types[kind] & (visible | HOST_CACHED) == visible | HOST_CACHED:
            vulkan.MapMemory(vulkan.device, self.memory, 0, WHOLE_SIZE, 0, byref(mapped))
            self.mapped = mapped.value or 0

    def destroy(self) -> None:
        self.vulkan.DestroyBuffer(self.vulkan.device, self.buffer, None)  # VK_NULL_HANDLE is ignored, by both
        self.vulkan.FreeMemory(self.vulkan.device, self.memory, None)
