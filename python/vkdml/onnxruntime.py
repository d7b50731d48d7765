"""ONNX Runtime on any Vulkan device: registers the plugin, and makes options of sessions that use it.

    import onnxruntime, vkdml.onnxruntime
    session = onnxruntime.InferenceSession("model.onnx", vkdml.onnxruntime.session_options())
    outputs = session.run(None, {"input": image})

Needs onnxruntime 1.23 or newer. What a session may be told, and how to see what runs where: docs/ONNXRUNTIME.md.
"""
import ctypes
import os
import re
import threading
from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _library
from ._device import enumerated
from ._library import Error

NAME = "vkdml"  # under which register() registers the library
EP_NAME = "VkdmlExecutionProvider"
FILE = "libonnxruntime_ep_vkdml.so"
OLDEST = (1, 23)
SOFTWARE = "VKDML_ONNXRUNTIME_SOFTWARE"
MEMORY_VENDOR = 0x766B646D  # of tensors on devices, as the plugin says it

_lock = threading.Lock()
_registered = False
_path = ""


def _onnxruntime() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError("vkdml.onnxruntime needs ONNX Runtime, 1.23 or newer: pip install onnxruntime") from error
    version = onnxruntime.__version__
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise ImportError(f"vkdml.onnxruntime needs ONNX Runtime 1.23 or newer, and this is {version}: it has no plugins")
    return onnxruntime


def plugin() -> str:
    """The path of the plugin: the environment variable VKDML_ONNXRUNTIME_PLUGIN, else beside the library that the module uses,
    else in a build folder of the source tree.

    Raises:
        OSError: it was not found; says where it was looked for.
    """
    named = os.environ.get("VKDML_ONNXRUNTIME_PLUGIN")
    if named:
        return os.path.abspath(named)
    tried = []
    # The plugin may need the library, which is found by its name once it is there.
    for folder in [os.path.dirname(os.path.abspath(_library.library().path)), *_library.folders()]:
        for place in (folder, os.path.join(os.path.dirname(folder), "integrations", "onnxruntime")):
            path = os.path.join(place, FILE)
            if os.path.exists(path):
                return os.path.abspath(path)
            tried.append(path)
    raise OSError("ONNX Runtime's plugin was not found. Tried:\n  " + "\n  ".join(tried) + "\nBuild it: meson setup "
                  "-Donnxruntime=FOLDER_OF_ONNX_RUNTIMES_HEADERS, or set VKDML_ONNXRUNTIME_PLUGIN to its path")


def get_library_path() -> str:
    """The path of the plugin's library, for onnxruntime.register_execution_provider_library(): plugin(), by the name that
    the packages of other plugins have for it.

    Raises:
        OSError: it was not found; the message has the paths that were tried.
    """
    return plugin()


def get_ep_name() -> str:
    """The execution provider's name, as OrtEpDevice.ep_name and InferenceSession.get_providers() have it."""
    return EP_NAME


def get_ep_names() -> List[str]:
    """The names of all execution providers in the library: one."""
    return [EP_NAME]


def register(path: Optional[str] = None, *, software: bool = True) -> None:
    """Lets ONNX Runtime know the plugin; once is enough, and more is no error. session_options() does it, too.

    Args:
        path: of the plugin; plugin() where there is none.
        software: whether drivers that are software, as lavapipe, are devices too. ONNX Runtime's policies, for sessions that
            leave the choice to it, prefer them to its CPU provider. The environment variable VKDML_ONNXRUNTIME_SOFTWARE, 1 or
            0, has the last word, and is all that there is in other languages.
    """
    global _registered, _path
    with _lock:
        if not _registered:
            if software:
                os.environ.setdefault(SOFTWARE, "1")
            _path = path or plugin()
            _onnxruntime().register_execution_provider_library(NAME, _path)
            _registered = True


def _check_unused(path: str) -> None:
    """ONNX Runtime does not look whether a plugin is used: the plugin counts."""
    sessions, tensors = ctypes.c_uint64(), ctypes.c_uint64()
    ctypes.CDLL(path).VkdmlOnnxRuntimeCountUses(ctypes.byref(sessions), ctypes.byref(tensors))
    if sessions.value or tensors.value:
        raise RuntimeError(f"the plugin is used by {sessions.value} sessions and {tensors.value} tensors on devices: delete them "
                           "first (del, gc.collect())")


def unregister() -> None:
    """The opposite of register(). Options and devices that were made before are of no use afterwards.

    Raises:
        RuntimeError: sessions, or tensors on devices, use the plugin; says how many.
    """
    global _registered
    with _lock:
        if _registered:
            _check_unused(_path)
            _onnxruntime().unregister_execution_provider_library(NAME)
            _registered = False


def devices() -> List[Any]:
    """The devices that sessions can be on, as ONNX Runtime's OrtEpDevice, best first; .ep_metadata["vulkan_device"] is the name,
    and "vulkan_index", "vulkan_uuid" and "vulkan_driver" tell more."""
    register()
    return [device for device in _onnxruntime().get_ep_devices() if device.ep_name == EP_NAME]


def _is_named(one: Any, name: Union[str, int]) -> bool:
    about = one.ep_metadata
    if isinstance(name, int) or re.fullmatch("#[0-9]+", name):
        return int(about["vulkan_index"]) == int(str(name).lstrip("#"))
    return name.lower() in about["vulkan_device"].lower() or name.lower() == about["vulkan_uuid"]


def _why_none() -> str:
    """Why the plugin offers no device at all."""
    try:
        others = enumerated()
    except Error as error:
        return error.reason
    return "\n".join(f"{other.name}: {other.unusable or f'software, offered with {SOFTWARE}=1'}" for other in others)


def _find(name: Union[str, int, None]) -> Any:
    offered = devices()
    if not offered:
        raise ValueError(f"there is no Vulkan device: {_why_none()}")
    found = [one for one in offered if name is None or name == "" or _is_named(one, name)]
    if not found:
        names = [f'#{one.ep_metadata["vulkan_index"]} {one.ep_metadata["vulkan_device"]}' for one in offered]
        raise ValueError(f"there is no Vulkan device {name}; there are {names}")
    return found[0]


def session_options(options: Any = None, *, device: Union[str, int, None] = None, half: bool = False,
                    float32_intermediates: bool = False, cache: Optional[str] = None, report: Optional[str] = None,
                    check: Optional[str] = None) -> Any:
    """Options of a session that runs on a Vulkan device what the plugin translates, and the rest on the CPU.

    Args:
        options: an onnxruntime.SessionOptions to add this to; a new one where there is none.
        device: a part of the device's name, its number (1 or "#1"), or its UUID; the best device where there is none.
        half: FLOAT32 may be computed with less precision where that is faster.
        float32_intermediates: normalizations, softmax and attention that the model writes out as several FLOAT16 nodes keep
            their intermediate values in FLOAT32, as the CPU provider does. This changes results.
        cache: an existing folder where compiled pipelines are kept, so that later sessions start faster. ONNX Runtime's log
            says why it cannot be read or written.
        report: a file that is told of each node where it runs, and why.
        check: "finite" or "cpu": after each run the nodes run one by one, and a run fails with the first that makes infinities
            or NaN of finite inputs, or whose result is not the CPU reference's. Slow; the session's log has all such nodes.

    Raises:
        ValueError: there is no such device, or cache is "".
    """
    if cache == "":
        raise ValueError('cache is "", must be the name of a folder, or None')
    found = _find(device)
    result = _onnxruntime().SessionOptions() if options is None else options
    settings = {"half": "1" if half else "", "float32_intermediates": "1" if float32_intermediates else "",
                "cache": cache or "", "report": report or "", "check": check or ""}
    for name, value in settings.items():
        if value:
            result.add_session_config_entry(f"ep.vkdml.{name}", str(value))
    result.add_provider_for_devices([found], {})
    return result


# ---- tensors on a device ----


def _place(device: Union[str, int, None]) -> Tuple[str, int, int]:
    return "gpu", int(_find(device).ep_metadata["vulkan_index"]), MEMORY_VENDOR


def tensor(array: Any, device: Union[str, int, None] = None) -> Any:
    """An onnxruntime.OrtValue on a device, with an array's elements: for io_binding(), and for sessions on that device."""
    return _onnxruntime().OrtValue.ortvalue_from_numpy(array, *_place(device))


def empty(shape: Sequence[int], element_type: Any, device: Union[str, int, None] = None) -> Any:
    """An onnxruntime.OrtValue on a device, with elements that are not set; element_type as numpy.float32."""
    return _onnxruntime().OrtValue.ortvalue_from_shape_and_type(shape, element_type, *_place(device))


def bind_output(binding: Any, name: str, device: Union[str, int, None] = None) -> None:
    """Leaves an output of a session's io_binding() on a device, of whatever shape it becomes; binding.get_outputs() has it."""
    # ONNX Runtime's own bind_output() takes no vendor, which tells the memory of providers apart.
    place = _onnxruntime().OrtDevice.make(*_place(device))
    binding._iobinding.bind_output(name, place._get_c_device())
    if hasattr(binding, "_bound_outputs"):
        binding._bound_outputs[name] = None
