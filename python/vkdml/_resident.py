"""What stays on a device: arrays, and operators that are compiled once and called many times."""
import ctypes
from collections import namedtuple
from contextlib import ExitStack
from ctypes import c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._call import Call, in_short
from ._device import Device, Execution
from ._library import BufferBinding
from ._recording import Recording
from ._schema import Field, Operator
from ._tensor import Tensor, as_tensor
from ._vulkan import Buffer


class DeviceArray:
    """An array whose elements stay on a device, until it is closed, or nobody holds it. Made by Device.array() and
    Device.empty(), and by calls of compiled operators.

    Attributes:
        device: where it is.
        type, sizes, strides: DirectML's, as of a vkdml.Tensor.
    """

    def __init__(self, device: Device, like: Tensor, of: Optional["DeviceArray"] = None):
        self.device, self.type, self.sizes, self.strides = device, like.type, like.sizes, like.strides
        self._of = of  # whose elements these are, where they are another's
        if of is not None:
            self._buffer, self._close = of._buffer, of._close
            return
        with device.executing() as execution:
            buffer = Buffer(execution.vulkan, max(like.size_in_bytes, 4))
        self._buffer = buffer
        self._close = device.keep(self, buffer.destroy)

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.sizes

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of what read() returns."""
        return self.described().dtype

    def described(self) -> Tensor:
        """Its type, sizes and strides, without elements."""
        return Tensor(self.type, self.sizes, self.strides)

    def view(self, sizes: Sequence[int], strides: Optional[Sequence[int]] = None) -> "DeviceArray":
        """The same elements by other sizes and strides (in elements; packed where left out): reshaped, or with strides of 0
        broadcast. As long as it lives, so do the elements."""
        view = DeviceArray(self.device, Tensor(self.type, sizes, strides), self)
        if view.described().size_in_bytes > self._buffer.size:
            raise ValueError(f"a view by sizes {view.sizes} and strides {view.strides} reaches beyond {self!r}")
        return view

    def read(self) -> np.ndarray:
        """A copy of the elements."""
        tensor = self.described()
        self._move(tensor, to_device=False)
        return tensor.read()

    def write(self, values: Any) -> None:
        """Sets the elements: of values as Device.array() takes them, of this array's type and sizes."""
        tensor = fitting(as_tensor(values), self.described(), "values", values)
        self._move(tensor, to_device=True)

    def close(self) -> None:
        """Gives its memory back. Using it is then an error; closing it again is none."""
        self._close()

    def binding(self) -> BufferBinding:
        if not self._close.alive:
            raise ValueError(f"{self!r} is closed, or its device is")
        return BufferBinding(self._buffer.buffer.value, 0, self.described().size_in_bytes)

    def _move(self, tensor: Tensor, to_device: bool) -> None:
        with self.device.executing() as execution:
            size, seen = self.binding().size, self._buffer
            if not seen.mapped:
                seen = execution.buffer(size, for_host=True)
            if to_device:
                ctypes.memmove(seen.mapped, tensor.memory.ctypes.data, size)
            if seen is not self._buffer:
                commands = execution.begin()
                execution.copy(commands, *((seen, self._buffer) if to_device else (self._buffer, seen)), size)
                execution.finish(commands, 0)
            if not to_device:
                ctypes.memmove(tensor.memory.ctypes.data, seen.mapped, size)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        """So that NumPy takes it; a copy, always."""
        return self.read() if dtype is None else self.read().astype(dtype)

    def __repr__(self) -> str:
        return f"<DeviceArray {self.type} {self.sizes} on {self.device.name!r}>"


def fitting(tensor: Tensor, wanted: Tensor, name: str, given: Any) -> Tensor:
    """Elements of a tensor with the strides that are wanted; ValueError where it has another type or other sizes."""
    if (tensor.type, tensor.sizes) != (wanted.type, wanted.sizes):
        raise ValueError(f"{name} is {in_short(given)}, {tensor.type} {tensor.sizes}; must be {wanted.type} {wanted.sizes}")
    if tensor.strides == wanted.strides:
        return tensor
    same = Tensor(wanted.type, wanted.sizes, wanted.strides)
    same.write(tensor.read())
    return same


class Compiled:
    """An operator that is compiled for one device: a function of its tensors. Made by Device.compile().

        layer = device.compile("GEMM", ATensor=x, BTensor=weights, owned=["BTensor"])
        y = layer(ATensor=x)

    A call takes every input by name but those that are owned: arrays of the device, which stay there, or others, which
    are copied to it for the call. Outputs are new arrays of the device, or those that are named. A call returns as run()
    does, with arrays of the device, when they are written. One with the same arrays as the last one, outputs among them, is
    one submission: nothing is recorded.

    Attributes:
        operator: the row of the operator table.
        device: where it runs.
    """

    def __init__(self, device: Device, operator: Union[str, Operator], fields: Dict[str, Any], owned: Tuple[str, ...],
                 execution_flags: int, flags: int):
        self.device = device
        self._call = Call(operator, {name: described(value) for name, value in fields.items()}, device.level)
        self.operator = self._call.operator
        self._is_owned = self._call.is_owned(owned)
        with device.executing() as execution, ExitStack() as stack, self._call.advising():
            kept = Execution(execution.library, execution.vulkan, execution.device, stack)
            self._dispatchable = kept.compile(self._call, owned, execution_flags, flags)
            properties = kept.properties(self._dispatchable)
            self._temporary = kept.resource(properties.temporaryResourceSize)
            self._persistent = kept.resource(properties.persistentResourceSize)
            if self._persistent.size:
                inputs = self._bind(execution, "input", {name: fields[name] for name in owned}, True)
                commands = execution.begin()
                execution.initialize(commands, self._dispatchable, inputs, self._persistent)
                execution.finish(commands, 0)
            self._recording = Recording()
            stack.callback(self._recording.close)
            self._close = device.keep(self, stack.pop_all().close)
        self._call.forget_values()

    def __call__(self, **tensors: Any) -> Any:
        for name in tensors:
            if self.operator.field(name).kind == "attribute":
                raise TypeError(f"{self.operator.name}: {name} is an attribute; those are given to compile()")
            if self._call.tensors[name] is None:
                raise TypeError(f"{self.operator.name}: {name} was not given to compile()")
        given = self._given(tensors)
        outputs = {field.name: self._outputs(field, tensors.pop(field.name, None))
                   for field in self.operator.fields_of("output") if self._call.tensors[field.name] is not None}
        with self.device.executing() as execution:
            if not self._close.alive:
                raise ValueError(f"{self!r} is closed")
            inputs = self._bind(execution, "input", tensors, False)
            bound = self._bind(execution, "output", outputs, False)

            def record(execution: Execution, commands: c_void_p) -> None:
                table = execution.table(self._dispatchable, self._persistent, self._temporary)
                execution.record(commands, self._dispatchable, table, inputs, bound)

            if all(isinstance(array, DeviceArray) for array in given):
                self._recording.run(execution, [array._buffer for array in given], record)
            else:
                commands = execution.begin()
                record(execution, commands)
                execution.finish(commands, 0)
        results = list(outputs.values())
        return results[0] if len(results) == 1 else namedtuple(self.operator.name, list(outputs))(*results)

    def close(self) -> None:
        """Gives back what it holds of the device. Calling it is then an error; closing it again is none."""
        self._close()

    def _given(self, tensors: Dict[str, Any]) -> List[Any]:
        """Of all tensors that calls have, in the order of fields; None for those that are not given."""
        given: List[Any] = []
        for kind in "input", "output":
            for field in self.operator.fields_of(kind):
                if self._call.tensors[field.name] is not None and (kind == "output" or field.name in tensors):
                    value = tensors.get(field.name)
                    given += value if isinstance(value, (list, tuple)) else [value]
        return given

    def _outputs(self, field: Field, given: Any) -> Any:
        tensors = self._call.tensors[field.name]
        if isinstance(tensors, list):
            given = [None] * len(tensors) if given is None else list(given)
            return [self._output(field, tensor, one) for tensor, one in zip(tensors, given)]
        return self._output(field, tensors, given)

    def _output(self, field: Field, tensor: Tensor, given: Any) -> DeviceArray:
        if given is None:
            return DeviceArray(self.device, tensor)
        if not isinstance(given, DeviceArray):
            raise TypeError(f"{self.operator.name}: {field.name} is {in_short(given)}, must be an array of the device, "
                            "as Device.empty() makes it")
        return given

    def _bind(self, execution: Execution, kind: str, given: Dict[str, Any], owned: bool) -> List[BufferBinding]:
        """Bindings of what is given for all tensors of a kind; of inputs those that are owned, or the others."""
        wanted = self._call.bound(kind)
        names = [f"{self.operator.name}: {name}" for name in self._call.bound_names(kind)]
        values: List[Any] = []
        for field in self.operator.fields_of(kind):
            tensors, value = self._call.tensors[field.name], given.get(field.name)
            count = len(tensors) if isinstance(tensors, list) else 1
            if isinstance(tensors, list) and value is not None and len(value) != count:
                raise ValueError(f"{self.operator.name}: {field.name} has {len(value)} tensors, must have {count}")
            values += [None] * count if value is None else list(value) if isinstance(tensors, list) else [value]
        bindings = []
        for tensor, name, value, is_owned in zip(wanted, names, values,
                                                 self._is_owned if kind == "input" else [owned] * len(wanted)):
            if tensor is None or is_owned != owned:
                if value is not None:
                    raise TypeError(f"{name} is the operator's own: it was given to compile()")
                bindings.append(BufferBinding())
            elif value is None:
                raise TypeError(f"{name} is missing, must be {tensor.type} {tensor.sizes}")
            else:
                bindings.append(self._binding(execution, tensor, name, value))
        return bindings

    def _binding(self, execution: Execution, wanted: Tensor, name: str, value: Any) -> BufferBinding:
        if not isinstance(value, DeviceArray):
            return execution.upload(fitting(as_tensor(value), wanted, name, value))
        if value.device is not self.device:
            raise ValueError(f"{name} is {value!r}, must be on the device that the operator was compiled for")
        if (value.type, value.sizes, value.strides) != (wanted.type, wanted.sizes, wanted.strides):
            raise ValueError(f"{name} is {value!r}, must be {wanted.type} {wanted.sizes}, strides {wanted.strides}, as it "
                             "was given to compile()")
        return value.binding()

    def __repr__(self) -> str:
        return f"<Compiled {self.operator.name} on {self.device.name!r}>"


def described(value: Any) -> Any:
    """The same for a field's value, in which arrays of a device are described."""
    if isinstance(value, DeviceArray):
        return value.described()
    return [described(one) for one in value] if isinstance(value, (list, tuple)) and any(
        isinstance(one, DeviceArray) for one in value) else value
