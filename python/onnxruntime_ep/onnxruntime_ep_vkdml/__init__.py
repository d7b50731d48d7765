"""vkdml's plugin of ONNX Runtime, by the functions that packages of such plugins have.

    import onnxruntime, onnxruntime_ep_vkdml
    onnxruntime.register_execution_provider_library("vkdml", onnxruntime_ep_vkdml.get_library_path())
    devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == onnxruntime_ep_vkdml.get_ep_name()]

vkdml.onnxruntime does the same, and more, with one call.
"""
from vkdml import __version__
from vkdml.onnxruntime import get_ep_name, get_ep_names, get_library_path

__all__ = ["__version__", "get_ep_name", "get_ep_names", "get_library_path"]
