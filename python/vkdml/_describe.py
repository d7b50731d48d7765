"""DirectML's descriptor structs in memory, written field by field where the operator table says that they lie."""
import ctypes
import struct
from ctypes import c_float, c_int32, c_uint32
from typing import Any, Container, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._library import BufferTensorDesc, HostBinding, OperatorDesc, TensorDesc
from ._schema import Field, Operator
from ._tensor import TYPES, Tensor

OWNED_BY_DML = 1
FORMATS = {"UINT": "=I", "INT": "=i", "BOOL": "=i", "FLOAT": "=f"}
ARRAYS: Dict[str, Any] = {"UINT_ARRAY": c_uint32, "INT_ARRAY": c_int32, "FLOAT_ARRAY": c_float, "SCALE_BIAS": c_float}


class Known(NamedTuple):
    """What is known of an output before the library infers the rest."""
    type: Optional[str]
    sizes: Optional[Tuple[int, ...]]


def host_bindings(tensors: Sequence[Optional[Tensor]]) -> Tuple[int, Any]:
    """How many, and where their elements are; nowhere for those that are absent."""
    bound = [HostBinding(t.memory.ctypes.data, t.size_in_bytes) if t is not None else HostBinding() for t in tensors]
    return len(bound), (HostBinding * max(len(bound), 1))(*bound)


class Descriptor:
    """A DML_OPERATOR_DESC and all that it points to, in memory as long as this object. `owned` names fields, or tensors of
    an array: "InputTensors[1]"."""

    def __init__(self, operator: Operator, tensors: Dict[str, Any], attributes: Dict[str, Any],
                 owned: Container[str] = ()):
        self.keep: List[Any] = []
        self.memory = ctypes.create_string_buffer(operator.size)
        self.desc = OperatorDesc(operator.type, ctypes.addressof(self.memory))
        for field in operator.fields:
            value = (tensors if field.is_tensor else attributes).get(field.name)
            if value is None:
                continue  # NULL
            if field.is_tensor:
                self.put_tensors(field, value, owned)
            else:
                self.put_attribute(field, value)

    def put(self, field: Field, format_: str, *values: Any) -> None:
        struct.pack_into(format_, self.memory, field.offset, *values)

    def put_pointer(self, field: Field, thing: Any) -> None:
        self.keep.append(thing)
        self.put(field, "P", ctypes.addressof(thing))

    def put_tensors(self, field: Field, value: Any, owned: Container[str]) -> None:
        tensors = value if isinstance(value, list) else [value]
        flags = [OWNED_BY_DML if field.name in owned or f"{field.name}[{i}]" in owned else 0 for i in range(len(tensors))]
        self.put_pointer(field, (TensorDesc * len(tensors))(*map(self.tensor, tensors, flags)))

    def tensor(self, tensor: Any, flags: int) -> TensorDesc:
        if isinstance(tensor, Known):
            return self.known(tensor)
        count = len(tensor.sizes)
        sizes, strides = (c_uint32 * count)(*tensor.sizes), (c_uint32 * count)(*tensor.strides)
        desc = BufferTensorDesc(TYPES.index(tensor.type), flags, count, ctypes.addressof(sizes),
                                ctypes.addressof(strides), tensor.size_in_bytes, 0)
        self.keep += [sizes, strides, desc]
        return TensorDesc(1, ctypes.addressof(desc))

    def known(self, output: Known) -> TensorDesc:
        sizes = (c_uint32 * len(output.sizes or ()))(*output.sizes or ())
        desc = BufferTensorDesc(TYPES.index(output.type or "UNKNOWN"), 0, len(sizes), ctypes.addressof(sizes), None, 0, 0)
        self.keep += [sizes, desc]
        return TensorDesc(1, ctypes.addressof(desc))

    def fused(self, value: Any) -> OperatorDesc:
        descriptor = Descriptor(value[0], {}, value[1])
        self.keep.append(descriptor)
        return descriptor.desc

    def put_attribute(self, field: Field, value: Any) -> None:
        if field.type == "ENUM":
            self.put(field, "=i", field.enumerators[value])
        elif field.type == "FLOAT":
            self.put(field, "=4s", bytes(c_float(value)))  # what is beyond FLOAT32 becomes infinite
        elif field.type in FORMATS:
            self.put(field, FORMATS[field.type], value)
        elif field.type == "SIZE_2D":
            self.put(field, "=II", *value)
        elif field.type in ARRAYS:
            self.put_pointer(field, (ARRAYS[field.type] * len(value))(*value))
        elif field.type == "SCALAR_UNION":
            self.put(field, "=8s", value.tobytes())
        elif field.type == "OPERATOR_DESC":
            self.put_pointer(field, self.fused(value))
        elif field.type == "OPERATOR_DESC_ARRAY":
            self.put_pointer(field, (OperatorDesc * len(value))(*map(self.fused, value)))
        else:
            raise NotImplementedError(f"{field.name}: fields of type {field.type}")
