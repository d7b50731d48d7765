"""Tensors: elements in memory as DirectML lays them out, from NumPy arrays and back."""
import ctypes
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

TYPES = ("UNKNOWN", "FLOAT32", "FLOAT16", "UINT32", "UINT16", "UINT8", "INT32", "INT16", "INT8", "FLOAT64", "UINT64",
         "INT64", "UINT4", "INT4")
# NumPy has no elements of 4 bits: outside tensors they are held in bytes.
DTYPES = {name: np.dtype({"UINT4": "uint8", "INT4": "int8"}.get(name, name.lower())) for name in TYPES[1:]}
BITS = {name: 4 if name in ("UINT4", "INT4") else 8 * dtype.itemsize for name, dtype in DTYPES.items()}
FLOATS = ("FLOAT32", "FLOAT16", "FLOAT64")

NAMES = {dtype: name for name, dtype in DTYPES.items() if BITS[name] > 4}
NAMES[np.dtype(bool)] = "UINT8"


def type_name(type_: Any) -> str:
    """The name of a DirectML data type, from that name or from what NumPy takes for a dtype."""
    if isinstance(type_, str):
        name = type_.upper()
        name = name[len("DML_TENSOR_DATA_TYPE_"):] if name.startswith("DML_TENSOR_DATA_TYPE_") else name
        if name in DTYPES:
            return name
    dtype = np.dtype(type_).newbyteorder("=")
    if dtype not in NAMES:
        raise TypeError(f"DirectML has no data type for NumPy's {dtype}")
    return NAMES[dtype]


def packed(sizes: Sequence[int]) -> Tuple[int, ...]:
    """The strides, in elements, of row-major order without gaps."""
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


class Tensor:
    """Elements of a DirectML data type in memory of their own, by sizes and strides (which count elements).

    Wherever an operator takes a tensor, a NumPy array will do. This class says what arrays cannot: elements of 4 bits,
    and outputs with strides.

    Attributes:
        type, sizes, strides: "FLOAT32" for example, and tuples.
        size_in_bytes: TotalTensorSizeInBytes: up to the last element, rounded up to 4.
        memory: so many bytes, an array of uint8; zeros at first. What lies between elements keeps its value.
    """

    def __init__(self, type_: Any, sizes: Sequence[int], strides: Optional[Sequence[int]] = None, values: Any = None):
        self.type = type_name(type_)
        self.sizes = tuple(int(size) for size in sizes)
        self.strides = packed(self.sizes) if strides is None else tuple(int(stride) for stride in strides)
        if len(self.strides) != len(self.sizes):
            raise ValueError(f"{len(self.strides)} strides for {len(self.sizes)} sizes")
        if min(self.sizes + self.strides, default=0) < 0:
            raise ValueError(f"sizes {self.sizes} and strides {self.strides} must not be negative")
        last = sum((size - 1) * stride for size, stride in zip(self.sizes, self.strides))
        self.span = 0 if 0 in self.sizes else last + 1
        self.size_in_bytes = -(-self.span * BITS[self.type] // 32) * 4
        self._memory: Optional[np.ndarray] = None
        self._owner: Any = None  # of memory that is an array's
        if values is not None:
            self.write(values)

    @property
    def memory(self) -> np.ndarray:
        if self._memory is None:  # of a tensor that is only described there is none
            self._memory = np.zeros(self.size_in_bytes // 8 + 1, np.uint64).view(np.uint8)[:self.size_in_bytes]
        return self._memory

    @memory.setter
    def memory(self, memory: np.ndarray) -> None:
        if memory.dtype != np.uint8 or memory.shape != (self.size_in_bytes,) or memory.ctypes.data % 8:
            raise ValueError(f"memory must be {self.size_in_bytes} bytes, aligned to 8")
        self._memory = memory

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of what read() returns."""
        return DTYPES[self.type]

    def read(self) -> np.ndarray:
        """The elements, as an array of their own."""
        if BITS[self.type] > 4:
            return self._elements().copy()
        nibbles = self._nibbles()[self._places()]
        return (nibbles.astype(np.int8) ^ 8) - 8 if self.type == "INT4" else nibbles

    def write(self, values: Any) -> None:
        """Sets the elements, and leaves the bytes between them as they are."""
        if BITS[self.type] > 4:
            self._elements()[...] = values
            return
        nibbles = self._nibbles()
        nibbles[self._places()] = np.asarray(values).astype(np.int64) & 15
        self.memory[:] = nibbles[0::2] | nibbles[1::2] << 4

    def _elements(self) -> np.ndarray:
        size = self.dtype.itemsize
        return np.ndarray(self.sizes, self.dtype, self.memory, strides=[stride * size for stride in self.strides])

    def _nibbles(self) -> np.ndarray:
        return np.stack([self.memory & 15, self.memory >> 4], 1).reshape(-1)

    def _places(self) -> np.ndarray:
        places = np.zeros((), np.int64)
        for size, stride in zip(self.sizes, self.strides):
            places = np.add.outer(places, np.arange(size, dtype=np.int64) * stride)
        return places

    def __repr__(self) -> str:
        strides = "" if self.strides == packed(self.sizes) else f", strides {self.strides}"
        return f"<Tensor {self.type} {self.sizes}{strides}>"


def empty(sizes: Union[int, Sequence[int]], type_: Any, strides: Optional[Sequence[int]] = None) -> Tensor:
    """A tensor to be written, or only to be described: its memory is taken when it is needed, and begins as zeros.

    Args:
        sizes: as NumPy's shapes.
        type_: "INT4", "FLOAT16", np.float32, ..
        strides: in elements; packed, row-major, where left out.
    """
    return Tensor(type_, (sizes,) if isinstance(sizes, (int, np.integer)) else sizes, strides)


def as_tensor(values: Any) -> Tensor:
    """A tensor of an array's elements. Views keep their layout where DirectML can say it, that is, with strides that are
    not negative and multiples of the element; others are copied. Nothing is copied that need not be."""
    if isinstance(values, Tensor):
        return values
    array = np.asarray(values)
    if array.dtype == np.float64 and not hasattr(values, "dtype"):
        array = array.astype(np.float32)  # Python's own floats: few operators take FLOAT64
    type_ = type_name(array.dtype)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.dtype == bool:
        array = array.view(np.uint8)
    if not array.dtype.isnative or not array.flags.aligned or array.size == 0 or any(
            stride % array.itemsize or not 0 <= stride // array.itemsize < 2**32
            for size, stride in zip(array.shape, array.strides) if size > 1):
        array = np.array(array, array.dtype.newbyteorder("="), order="C")
    strides = [stride // array.itemsize if size > 1 else step
               for size, stride, step in zip(array.shape, array.strides, packed(array.shape))]
    tensor = Tensor(type_, array.shape, strides)
    bytes_ = tensor.span * array.itemsize
    if not bytes_:
        return tensor
    source = np.ctypeslib.as_array((ctypes.c_uint8 * bytes_).from_address(array.ctypes.data))
    if bytes_ == tensor.size_in_bytes and array.ctypes.data % 8 == 0:
        tensor.memory, tensor._owner = source, array
    else:
        tensor.memory[:bytes_] = source
    return tensor
