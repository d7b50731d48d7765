"""Graphs: many operators that are compiled as one, and run on NumPy arrays or on arrays of a device."""
import ctypes
import keyword
from collections import namedtuple
from contextlib import contextmanager
from ctypes import byref
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library
from ._call import Call, in_short
from ._describe import host_bindings
from ._device import Device, flags_of, opened
from ._graph_model import write_model
from ._graph_run import CompiledGraph, Description, alike, results
from ._library import Error
from ._resident import DeviceArray
from ._schema import Field, Operator, schema
from ._tensor import Tensor, as_tensor
from ._value import Source, Value, hosted, whole
from ._weights import Weights


class Node:
    """An operator in a graph.

    Attributes:
        inputs, outputs: by index of binding; None where a tensor is absent.
    """

    def __init__(self, graph: "Graph", call: Call, given: Dict[str, Any], name: Optional[str]):
        self.call, self.given_name = call, name
        self.name = name or call.operator.name
        values = call.bound("input")
        self.inputs = [value._source if isinstance(value, Value) else None for value in values]
        owned = [field for field, source in zip(call.bound_names("input"), self.inputs) if source and source.kind == "weight"]
        call.given = given  # as the caller wrote it, of which advice speaks
        with self.advising():
            self.descriptor = call.descriptor(owned)
            _library.library().ValidateOperator(byref(self.descriptor.desc), 0)
        self.outputs = [Source(graph, "node", f"{self.name}.{output}", tensor, None, self, i) if tensor is not None else None
                        for i, (output, tensor) in enumerate(zip(call.bound_names("output"), call.bound("output")))]

    @contextmanager
    def advising(self) -> Iterator[None]:
        """Adds to what the library refuses what to write instead, and which node it is."""
        try:
            with self.call.advising():
                yield
        except Error as error:
            if self.given_name:
                error.add([f"{self.call.operator.name} is the node {self.given_name!r}"])
            raise

    def needs_reader(self, output: int) -> bool:
        """Whether a graph must do something with an output."""
        optional = [field.name for field in self.call.operator.fields_of("output") if field.optional]
        return self.call.bound_names("output")[output] not in optional


class Graph:
    """Operators and what goes from one to the other, to be compiled as one.

        graph = vkdml.Graph()
        x = graph.input("x", (1, 3, 32, 32), "FLOAT32")
        y = graph.add("CONVOLUTION", InputTensor=x, FilterTensor=weights, FusedActivation="RELU", name="conv1")
        graph.outputs(y=y)
        compiled = graph.compile()
        compiled.run(x=picture)
    """

    def __init__(self) -> None:
        self._inputs: Dict[str, Source] = {}
        self._weights: List[Source] = []
        self._constants: List[Source] = []
        self._by_identity: Dict[int, Tuple[Any, Value]] = {}  # with the array, whose id nothing else gets so
        self._outputs: Dict[str, Value] = {}
        self._nodes: List[Node] = []

    def input(self, name: str, sizes: Union[int, Sequence[int]], type_: Any,
              strides: Optional[Sequence[int]] = None) -> Value:
        """What runs of the graph are given by this name: elements of a type, sizes and strides (packed where left out)."""
        if not isinstance(name, str) or not name:
            raise TypeError(f"name is {name!r}, must be a string: that by which runs are given the input")
        if name in self._inputs:
            raise ValueError(f"the graph has an input {name!r} already")
        if name in self._outputs:
            raise ValueError(f"the graph has an output {name!r}, inputs must have other names")
        source = Source(self, "input", name, Tensor(type_, whole(sizes), strides))
        self._inputs[name] = source
        return source.value()

    def weight(self, values: Any, name: Optional[str] = None) -> Value:
        """An array that belongs to the graph (OWNED_BY_DML): it is read when the graph is compiled, and goes to the device
        then, once; an array of a device is read now. Of one array there is one weight."""
        if isinstance(values, Value):
            raise TypeError(f"{values!r} is a value already; weights are arrays")
        return self._weight(values, name or f"weight {len(self._weights)}", name or "a weight")

    def constant(self, values: Any, name: Optional[str] = None) -> Value:
        """An array that is part of the graph's description (a node of constant data, from 6_2 on), copied now: for small
        ones. Large ones are better weights."""
        tensor = self._tensor(hosted(values), name or "a constant")
        self._constants.append(Source(self, "constant", name or "a constant", tensor, tensor.memory.tobytes()))
        return self._constants[-1].value()

    def add(self, operator: Union[str, Operator], *, name: Optional[str] = None, **fields: Any) -> Any:
        """Adds an operator: takes what vkdml.run() takes, and values of the graph for tensors. Arrays are weights, each one
        once. Outputs may be given a shape, a type, both, or a vkdml.Tensor that describes them.

        Args:
            name: what reasons and labels call the node.

        Returns:
            The output's Value; of several outputs a named tuple, of an array of tensors a list.
        """
        row = schema(operator)
        tensors = {field.name: field for field in row.fields if field.is_tensor}
        taken = {key: self._taken(name or row.name, f"{row.name}: {key}", tensors[key], value) if key in tensors else value
                 for key, value in fields.items()}
        node = Node(self, Call(row, taken), fields, name)
        self._nodes.append(node)
        made = iter(node.outputs)
        values: Dict[str, Any] = {}
        for field in row.fields_of("output"):
            tensor = node.call.tensors[field.name]
            sources = [next(made) for _ in (tensor if isinstance(tensor, list) else [0])]
            if tensor is not None:
                several = [source.value() for source in sources if source]
                values[field.name] = several if isinstance(tensor, list) else several[0]
        return next(iter(values.values())) if len(values) == 1 else namedtuple(row.name, list(values))(**values)

    def outputs(self, values: Optional[Mapping[str, Value]] = None, /, **named: Value) -> None:
        """Names the values that runs return, in their order, instead of those that were named before."""
        outputs = {**(values or {}), **named}
        if not outputs:
            raise TypeError("a graph needs outputs: graph.outputs(y=value)")
        for name, value in outputs.items():
            self._check(f"output {name!r}", value)
            if value._source.kind != "node":
                raise ValueError(f"output {name!r} is {value!r}, which no operator writes: give ELEMENT_WISE_IDENTITY of it")
            if name in self._inputs:
                raise ValueError(f"the graph has an input {name!r}, outputs must have other names")
            if len(outputs) > 1 and (not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_")):
                raise ValueError(f"output {name!r} is to be a field of a named tuple: its name must be an identifier, without "
                                 "_ in front")
        self._outputs = outputs

    def compile(self, outputs: Optional[Mapping[str, Value]] = None, *, device: Union[None, str, Device] = None,
                weights: Optional[Weights] = None, allow_half: bool = False, zero_undefined: bool = False,
                node_by_node: bool = False) -> "CompiledGraph":
        """Compiles what the outputs need, and takes the weights to the device. The graph may be added to, and compiled again.

        Args:
            outputs: as for outputs(), in a dictionary; those that were given to it where left out.
            device: as for vkdml.run(): the best one, one by name, number or UUID, or a vkdml.Device. The default with
                `weights` is their device.
            weights: a weight store, made by Device.weights(). Graphs that are compiled with it share the weights that were
                given to them as the same arrays, which are uploaded once. See Weights.
            allow_half, zero_undefined: as for vkdml.run().
            node_by_node: VKDML_COMPILE_FLAG_NODE_BY_NODE: no nodes are joined to one.
        """
        if outputs is not None:
            if not isinstance(outputs, Mapping):
                raise TypeError(f"outputs are {in_short(outputs)}, must be a dictionary of names and values")
            self.outputs(outputs)
        if device == "reference":
            raise ValueError("the reference compiles nothing: graph.reference() runs on it")
        if weights is not None and not isinstance(weights, Weights):
            raise TypeError(f"weights are {in_short(weights)}, must be a weight store, as Device.weights() makes it")
        if weights is not None and device is None:
            device = weights.device
        if not isinstance(device, Device):
            device = opened(device, None)
        if weights is not None and weights.device is not device:
            raise ValueError(f"weights are {weights!r}, must be on the device that the graph is compiled for")
        return CompiledGraph(device, self, weights, *flags_of(allow_half, zero_undefined, node_by_node))

    def reference(self, /, **inputs: Any) -> Any:
        """What CompiledGraph.run() returns, by the CPU reference, node by node. The best device only holds the operators: on
        it nothing runs."""
        device, inputs = opened(None, None), {name: hosted(value) for name, value in inputs.items()}
        with device.executing() as execution:
            description = Description(self, execution)
            read = description.on_host(inputs)
            made = [alike(value) for value in [*self._outputs.values(), *description.hidden]]
            (input_count, bound), (output_count, written) = host_bindings(read), host_bindings(made)
            info = _library.ReferenceGraphInfo(desc=ctypes.pointer(description.desc), inputCount=input_count, inputs=bound,
                                               outputCount=output_count, outputs=written)
            _library.library().ReferenceExecuteGraph(byref(info))
        return results(list(self._outputs), [tensor.read() for tensor in made[:len(self._outputs)]])

    def write_model(self, path: Any, inputs: Optional[Mapping[str, Any]] = None, *, allow_half: bool = False) -> None:
        """Writes what the outputs need as a JSON model, which `vkdml run`, check, explain and bench take. What the model runs
        writes each output to a file by its name, OUTPUT.npy.

        Args:
            path: of the model, "net.json" for example. Weights go to files in a folder beside it, net.arrays then.
            inputs: arrays by name. Those that are left out are random numbers in the model, or of integers 0.
            allow_half: as for compile().
        """
        write_model(self, path, {name: hosted(value) for name, value in (inputs or {}).items()}, allow_half)

    def _tensor(self, values: Any, what: str) -> Tensor:
        try:
            return as_tensor(values)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{what} is {in_short(values)}, must be an array of numbers: {error}") from None

    def _weight(self, values: Any, name: str, what: str) -> Value:
        if id(values) not in self._by_identity:
            read = hosted(values)
            self._weights.append(Source(self, "weight", name, self._tensor(read, what), read, given=values))
            self._by_identity[id(values)] = values, self._weights[-1].value()
        return self._by_identity[id(values)][1]

    def _taken(self, node: str, what: str, field: Field, value: Any) -> Any:
        """A field of tensors as Call takes it: with values for arrays."""
        several = isinstance(value, (list, tuple))
        if field.kind == "input" and field.type == "TENSOR_DESC_ARRAY" and several:
            return [self._input(f"{node}.{field.name}[{i}]", f"{what}[{i}]", one) for i, one in enumerate(value)]
        if field.kind == "input":
            return self._input(f"{node}.{field.name}", what, value)
        for one in value if several else [value]:
            if isinstance(one, (Value, np.ndarray, DeviceArray)):
                raise TypeError(f"{what} is {in_short(one)}; what an operator of a graph writes is new: give a shape, a type, or "
                                "(shape, type)")
        return value

    def _input(self, name: str, what: str, value: Any) -> Optional[Value]:
        if value is None:
            return None
        if not isinstance(value, Value):
            return self._weight(value, name, what)
        self._check(what, value)
        return value

    def _check(self, what: str, value: Any) -> None:
        if not isinstance(value, Value):
            raise TypeError(f"{what} is {in_short(value)}, must be a value of the graph"
                            + (": one of its members" if isinstance(value, (list, tuple)) else ""))
        if value.graph is not self:
            raise ValueError(f"{what} is {value!r}, a value of another graph")

    def __repr__(self) -> str:
        return f"<vkdml.Graph: {len(self._inputs)} inputs, {len(self._weights)} weights, {len(self._nodes)} operators>"
