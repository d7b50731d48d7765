"""vkdml from Python: DirectML's operators on NumPy arrays, on a Vulkan device or on the CPU reference.

    import numpy as np
    import vkdml
    c = vkdml.run("GEMM", ATensor=a, BTensor=b, FusedActivation="RELU")

run() takes an operator's fields by their names in DirectML's structs. print(vkdml.schema("GEMM")) lists them, what they
take and their defaults; docs/PYTHON.md has examples.
"""
import ctypes
from collections import namedtuple
from ctypes import byref
from typing import Any, Iterable, List, Union

from . import _library
from ._call import Call
from ._describe import host_bindings
from ._device import Device, DeviceInfo, devices, flags_of, opened
from ._graph import Graph
from ._graph_run import CompiledGraph, GraphProperties
from ._library import Error, ReferenceInfo, load, version
from ._onnx import Model, ModelMemory, ModelNode, ModelValue
from ._resident import Compiled, DeviceArray
from ._schema import Field, Operator, level_value, operators, schema
from ._tensor import BITS, DTYPES, Tensor, empty
from ._value import Value
from ._weights import Weights, WeightsInfo

__all__ = ["BITS", "DTYPES", "Compiled", "CompiledGraph", "Device", "DeviceArray", "DeviceInfo", "Error", "Field", "Graph",
           "GraphProperties", "Model", "ModelMemory", "ModelNode", "ModelValue", "Operator", "Tensor", "Value", "Weights", "WeightsInfo",
           "devices", "empty", "load", "operators", "run", "schema", "validate", "version"]
__version__ = _library.VERSION
for public in (Compiled, CompiledGraph, Device, DeviceArray, DeviceInfo, Error, Field, Graph, GraphProperties, Model, ModelMemory, ModelNode,
               ModelValue, Operator, Tensor, Value, Weights, WeightsInfo):
    public.__module__ = __name__  # the name that messages and pickles have
del public


def run(operator: Union[str, Operator], *, device: Union[None, str, Device] = None, level: Union[None, str, int] = None,
        owned: Iterable[str] = (), allow_half: bool = False, zero_undefined: bool = False, **fields: Any) -> Any:
    """Runs an operator and returns its output; of several outputs a named tuple.

    Args:
        operator: its name, "GEMM" or "DML_OPERATOR_GEMM".
        device: None, the best Vulkan device (or what the environment variable VKDML_DEVICE names); part of a device's
            name; a vkdml.Device; or "reference". Devices that are named stay open until the program ends.
        level: the feature level that the descriptor is held to, "4_0" for example; the newest where left out. A
            vkdml.Device has one of its own.
        owned: names of inputs that the operator is to own (DML_TENSOR_FLAG_OWNED_BY_DML): it is initialized with them.
        allow_half: DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION.
        zero_undefined: VKDML_COMPILE_FLAG_ZERO_UNDEFINED.
        fields: of the operator's descriptor:
            - input tensors: arrays (or what np.asarray() takes, where Python's floats become FLOAT32; or vkdml.Tensor).
              Views keep their strides.
            - attributes: numbers, lists, names of enumerators ("REFLECTION"). Lengths of arrays are counted; one number
              stands for a list of it; Axis and Axes may be negative. FusedActivation is "RELU" or
              ("LEAKY_RELU", {"Alpha": 0.1}), ScaleBias (2.0, 1.0).
            - outputs, where they do not follow from the rest: an array to fill, a shape, a dtype, or (shape, dtype).
              Optional outputs are made where they are named; True makes one of the usual type.

    Raises:
        TypeError, ValueError: a field is missing, unknown, or of a kind that no descriptor can hold.
        Error: the library refuses the descriptor, or the device fails; `reason` says why.
    """
    call = Call(operator, fields, device.level if isinstance(device, Device) else level)
    owned = tuple(owned)
    call.is_owned(owned)
    execution_flags, flags = flags_of(allow_half, zero_undefined)
    # What lies beside an array's elements is not the operator's to write: it gets a tensor of its own.
    with call.advising():
        if isinstance(device, str) and device == "reference":
            execute_on_reference(call, level, owned, flags)
        else:
            if not isinstance(device, Device):
                device = opened(device, level)
            elif level is not None:
                raise ValueError("level is the device's: give it to vkdml.Device")
            device.execute(call, owned, execution_flags, flags)
    return results_of(call)


def execute_on_reference(call: Call, level: Union[None, str, int], owned: Iterable[str], flags: int) -> None:
    descriptor = call.descriptor(tuple(owned))
    (input_count, inputs), (output_count, outputs) = host_bindings(call.bound("input")), host_bindings(call.bound("output"))
    info = ReferenceInfo(desc=ctypes.pointer(descriptor.desc), featureLevel=level_value(level), flags=flags,
                         inputCount=input_count, inputs=inputs, outputCount=output_count, outputs=outputs)
    _library.library().ReferenceExecute(byref(info))


def results_of(call: Call) -> Any:
    """The outputs: arrays that the caller gave, filled, or new ones."""
    arrays = []
    for tensor, target in call.targets:
        array = tensor.read()
        if target is not None:
            target[...] = array.reshape(target.shape)
            array = target
        arrays.append(array)
    fields = [field for field in call.operator.fields_of("output") if call.tensors[field.name] is not None]
    if len(fields) == 1:
        return arrays if fields[0].type == "TENSOR_DESC_ARRAY" else arrays[0]
    return namedtuple(call.operator.name, [field.name for field in fields])(*arrays)


def validate(operator: Union[str, Operator], *, level: Union[None, str, int] = None, **fields: Any) -> List[str]:
    """Holds a descriptor to the rules of a feature level, without a device. Takes fields as run() does; vkdml.empty()
    makes tensors that are only described.

    Returns:
        Every reason to refuse it; none where it is valid.
    """
    call = Call(operator, fields, level)
    try:
        descriptor = call.descriptor()
        _library.library().ValidateOperator(byref(descriptor.desc), level_value(level))
    except Error as error:
        return error.reason.splitlines()
    return []
