"""Graphs: many operators that are compiled as one, and run on NumPy arrays or on arrays of a device."""
import ctypes
import keyword
from collections import namedtuple
from contextlib import ExitStack, contextmanager
from ctypes import byref, c_void_p
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

import numpy as np

from . import _library
from ._call import Call, in_short
from ._describe import Descriptor
from ._device import Device, Execution, flags_of, opened
from ._library import BufferBinding, Error, HostBinding
from ._resident import DeviceArray, fitting
from ._schema import Operator, did_you_mean, schema
from ._tensor import BITS, Tensor, as_tensor, packed, type_name

OPERATOR_NODE, CONSTANT_NODE = 1, 2  # of DML_GRAPH_NODE_TYPE
INPUT_EDGE, OUTPUT_EDGE, INTERMEDIATE_EDGE = 1, 2, 3  # of DML_GRAPH_EDGE_TYPE


class Source:
    """Where bytes in a graph come from: an input, a weight, a constant, or an output of a node.

    Attributes:
        values: a weight's or a constant's, as the caller gave them.
        node, output: which output of which node; None of others.
    """

    def __init__(self, graph: "Graph", kind: str, name: str, tensor: Tensor, values: Any = None,
                 node: Optional["Node"] = None, output: int = 0):
        self.graph, self.kind, self.name, self.values, self.node, self.output = graph, kind, name, values, node, output
        self.type, self.sizes, self.strides, self.bytes = tensor.type, tensor.sizes, tensor.strides, tensor.size_in_bytes

    def value(self) -> "Value":
        return Value(self, self.type, self.sizes, self.strides)

    def tensor(self) -> Tensor:
        """The elements of a weight, as they are now."""
        return fitting(as_tensor(hosted(self.values)), Tensor(self.type, self.sizes, self.strides), self.name, self.values)


class Value(Tensor):
    """A tensor in a graph: what operators of Graph.add() take, and return. It has a type, sizes and strides, and elements
    only while the graph runs. view() and those after it are other ways to read the same bytes, and cost nothing.

    Attributes:
        graph, name: whose it is, and what messages call it.
        type, sizes, strides: as of a vkdml.Tensor.
        size_in_bytes: of what was made, whatever part of it a view reads.
    """

    def __init__(self, source: Source, type_: Any, sizes: Sequence[int], strides: Optional[Sequence[int]] = None):
        super().__init__(type_, sizes, strides)
        if self.size_in_bytes > source.bytes:
            raise ValueError(f"a view of {source.name} as {self.type} by sizes {self.sizes} and strides {self.strides} reaches "
                             f"beyond its {source.bytes} bytes")
        self._source, self.size_in_bytes = source, source.bytes

    @property
    def graph(self) -> "Graph":
        return self._source.graph

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.sizes

    @property
    def memory(self) -> np.ndarray:
        raise TypeError(f"{self!r} is a value of a graph: it has no elements until the graph is compiled and run")

    def view(self, sizes: Sequence[int], strides: Optional[Sequence[int]] = None, type_: Any = None) -> "Value":
        """The same bytes by other sizes and strides (in elements; packed where left out), or as another type's."""
        return Value(self._source, self.type if type_ is None else type_, whole(sizes), strides)

    def reshape(self, sizes: Sequence[int]) -> "Value":
        """The same elements in the same order by other sizes, of which one may be -1: what is left."""
        wanted, count = whole(sizes), int(np.prod(self.sizes, dtype=np.int64))
        if wanted.count(-1) == 1:
            others = -int(np.prod(wanted, dtype=np.int64))
            wanted = tuple(count // others if size == -1 and others else size for size in wanted)
        if min(wanted, default=1) < 1 or int(np.prod(wanted, dtype=np.int64)) != count:
            raise ValueError(f"{self!r} has {count} elements, cannot be reshaped to {whole(sizes)}")
        strides = strides_of(self.sizes, self.strides, wanted)
        if strides is None:
            raise ValueError(f"{self!r} cannot be reshaped to {wanted} where it lies: add ELEMENT_WISE_IDENTITY, which packs it, "
                             "before")
        return Value(self._source, self.type, wanted, strides)

    def transpose(self, axes: Optional[Sequence[int]] = None) -> "Value":
        """The dimensions in another order: reversed, where none is given."""
        rank = len(self.sizes)
        order = list(reversed(range(rank))) if axes is None else [axis + rank if axis < 0 else axis for axis in whole(axes)]
        if sorted(order) != list(range(rank)):
            raise ValueError(f"axes are {whole(axes or ())}, must be each of the {rank} dimensions of {self!r} once")
        return Value(self._source, self.type, [self.sizes[d] for d in order], [self.strides[d] for d in order])

    def broadcast_to(self, sizes: Sequence[int]) -> "Value":
        """By NumPy's rules: dimensions of size 1, and new ones in front, are repeated, by strides of 0."""
        wanted, more = whole(sizes), len(whole(sizes)) - len(self.sizes)
        if more < 0 or any(have not in (1, want) for have, want in zip(self.sizes, wanted[more:])):
            raise ValueError(f"{self!r} cannot be broadcast to {wanted}")
        strides = [stride if have == want else 0 for have, want, stride in zip(self.sizes, wanted[more:], self.strides)]
        return Value(self._source, self.type, wanted, [0] * more + strides)

    def __repr__(self) -> str:
        strides = "" if self.strides == packed(self.sizes) else f", strides {self.strides}"
        return f"<Value {self.type} {self.sizes}{strides} of {self.name}>"


def whole(sizes: Any) -> Tuple[int, ...]:
    """Sizes, or axes, as NumPy takes them: one number is that of one dimension."""
    return (int(sizes),) if isinstance(sizes, (int, np.integer)) else tuple(int(size) for size in sizes)


def strides_of(sizes: Sequence[int], strides: Sequence[int], wanted: Sequence[int]) -> Optional[List[int]]:
    """Those by which other sizes read the same elements in the same order; None where no strides do."""
    runs: List[Tuple[int, int]] = []  # dimensions that are as one: how many elements, their stride
    for size, stride in zip(sizes, strides):
        if size != 1:
            merged = bool(runs) and runs[-1][1] == size * stride
            runs.append((runs.pop()[0] * size if merged else size, stride))
    found, rest, step = [], 1, 1
    for size in reversed(wanted):
        if size != 1 and rest == 1:
            rest, step = runs.pop()
        if rest % size:
            return None
        found.append(step)
        step, rest = step * size, rest // size
    return found[::-1]


def hosted(values: Any) -> Any:
    """What the host has of a device's array."""
    return Tensor(values.type, values.sizes, None, values.read()) if isinstance(values, DeviceArray) else values


def results(names: Sequence[str], values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else namedtuple("Outputs", names)(*values)


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
        owned = [name for name, source in zip(call.bound_names("input"), self.inputs) if source and source.kind == "weight"]
        self.descriptor = Descriptor(call.operator, call.tensors, call.attributes, owned)
        call.given = given  # as the caller wrote it, of which advice speaks
        with self.advising():
            _library.library().ValidateOperator(byref(self.descriptor.desc), 0)
        self.outputs = [tensor and Source(graph, "node", f"{self.name}.{output}", tensor, None, self, i) for i, (output, tensor) in
                        enumerate(zip(call.bound_names("output"), call.bound("output")))]

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
        return self.call.bound_names("output")[output] not in [f.name for f in self.call.operator.fields_of("output") if f.optional]


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
        source = Source(self, "input", name, Tensor(type_, whole(sizes), strides))
        self._inputs[name] = source
        return source.value()

    def weight(self, values: Any, name: Optional[str] = None) -> Value:
        """An array that belongs to the graph (OWNED_BY_DML): it is read when the graph is compiled, and goes to the device
        then, once. Of one array there is one weight."""
        if isinstance(values, Value):
            raise TypeError(f"{values!r} is a value already; weights are arrays")
        if id(values) in self._by_identity:
            return self._by_identity[id(values)][1]
        source = Source(self, "weight", name or f"weight {len(self._weights)}", self._tensor(values, name or "a weight"), values)
        self._weights.append(source)
        self._by_identity[id(values)] = values, source.value()
        return source.value()

    def constant(self, values: Any, name: Optional[str] = None) -> Value:
        """An array that is part of the graph's description (a node of constant data, from 6_2 on), copied now: for small
        ones. Large ones are better weights."""
        tensor = self._tensor(values, name or "a constant")
        return Source(self, "constant", name or "constant", tensor, tensor.memory.tobytes()).value()

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
        taken = {key: self._taken(f"{row.name}: {key}", tensors[key].kind, value) if key in tensors else value
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
                raise ValueError(f"output {name!r} is {value!r}, no operator's: an ELEMENT_WISE_IDENTITY of it may be an output")
            if name in self._inputs:
                raise ValueError(f"{name!r} is the name of an input and of an output, must be of one")
            if len(outputs) > 1 and (not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_")):
                raise ValueError(f"output {name!r} must be named as attributes of a named tuple are: letters, digits, not _ in front")
        self._outputs = outputs

    def compile(self, outputs: Optional[Mapping[str, Value]] = None, *, device: Union[None, str, Device] = None,
                allow_half: bool = False, zero_undefined: bool = False, node_by_node: bool = False) -> "CompiledGraph":
        """Compiles what the outputs need, and takes the weights to the device. The graph may be added to, and compiled again.

        Args:
            outputs: as for outputs(), in a dictionary; those that were given to it where left out.
            device: as for vkdml.run(): the best one, a part of one's name, or a vkdml.Device.
            allow_half, zero_undefined: as for vkdml.run().
            node_by_node: VKDML_COMPILE_FLAG_NODE_BY_NODE: no nodes are joined to one.
        """
        if outputs is not None:
            if not isinstance(outputs, Mapping):
                raise TypeError(f"outputs are {in_short(outputs)}, must be a dictionary of names and values")
            self.outputs(outputs)
        if device == "reference":
            raise ValueError("the reference compiles nothing: graph.reference() runs on it")
        if not isinstance(device, Device):
            device = opened(device, None)
        return CompiledGraph(device, self, *flags_of(allow_half, zero_undefined, node_by_node))

    def reference(self, /, **inputs: Any) -> Any:
        """What CompiledGraph.run() returns, by the CPU reference, node by node. The best device only holds the operators: on
        it nothing runs."""
        device = opened(None, None)
        with device.executing() as execution:
            description = Description(self, execution)
            given = description.given(inputs)
            bound = [given[name] if source.kind == "input" else source.tensor() if name in description.used else None
                     for name, source in description.inputs.items()]
            made = [tensor_of(value) for value in self._outputs.values()]
            hidden = [Tensor(source.type, source.sizes, source.strides) for source in description.hidden]
            info = _library.ReferenceGraphInfo(desc=ctypes.pointer(description.desc), inputCount=len(bound),
                                               inputs=host_bindings(bound), outputCount=len(made + hidden),
                                               outputs=host_bindings(made + hidden))
            _library.library().ReferenceExecuteGraph(byref(info))
        return results(list(self._outputs), [tensor.read() for tensor in made])

    def _tensor(self, values: Any, what: str) -> Tensor:
        try:
            return as_tensor(hosted(values))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{what} is {in_short(values)}, must be an array of numbers: {error}") from None

    def _taken(self, what: str, kind: str, value: Any) -> Any:
        """A field of tensors as Call takes it: with values for arrays."""
        if kind == "input":
            if isinstance(value, (list, tuple)) and any(isinstance(one, (Value, Tensor, np.ndarray, DeviceArray)) for one in value):
                return [self._taken(f"{what}[{i}]", kind, one) for i, one in enumerate(value)]
            if isinstance(value, Value):
                self._check(what, value)
            return value if value is None or isinstance(value, Value) else self.weight(value)
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, (Value, np.ndarray, DeviceArray)):
                raise TypeError(f"{what} is {in_short(one)}; what an operator of a graph writes is new: give a shape, a type, or "
                                "(shape, type)")
        return value

    def _check(self, what: str, value: Any) -> None:
        if not isinstance(value, Value):
            raise TypeError(f"{what} is {in_short(value)}, must be a value of the graph"
                            + (": one of its members" if isinstance(value, (list, tuple)) else ""))
        if value.graph is not self:
            raise ValueError(f"{what} is {value!r}, a value of another graph")

    def __repr__(self) -> str:
        return f"<vkdml.Graph: {len(self._inputs)} inputs, {len(self._weights)} weights, {len(self._nodes)} operators>"


def tensor_of(value: Value) -> Tensor:
    """Memory for all that was made of a value's source, read as the value reads it."""
    tensor = Tensor(value.type, value.sizes, value.strides)
    tensor.size_in_bytes = value.size_in_bytes
    return tensor


def host_bindings(tensors: Sequence[Optional[Tensor]]) -> Any:
    bound = [HostBinding(t.memory.ctypes.data, t.size_in_bytes) if t is not None else HostBinding() for t in tensors]
    return (HostBinding * max(len(bound), 1))(*bound)


class Description:
    """A DML_GRAPH_DESC of what a graph's outputs need, and all that it points to; its operators are the execution's.

    Attributes:
        inputs: by name, in the order of bindings.
        used: the names of those that are read.
        hidden: outputs of nodes that nobody reads and that must be bound all the same, behind the graph's own.
    """

    def __init__(self, graph: Graph, execution: Execution):
        if not graph._outputs:
            raise TypeError("the graph has no outputs yet: graph.outputs(y=value)")
        self.keep: List[Any] = []
        outputs = [value._source for value in graph._outputs.values()]
        nodes, sources = needed(outputs)
        operators = [node for node in graph._nodes if node in nodes]
        constants = [source for source in sources if source.kind == "constant"]
        self.inputs = dict(graph._inputs)
        self.inputs.update((f"{i}: {source.name}", source) for i, source in enumerate(graph._weights) if source in sources)
        self.used = {name for name, source in self.inputs.items() if source in sources}
        read = sources | set(outputs)
        self.hidden = [source for node in operators for i, source in enumerate(node.outputs)
                       if source is not None and source not in read and node.needs_reader(i)]
        places: Dict[Any, int] = {maker: place for place, maker in enumerate([*operators, *constants])}
        feeds = {source: i for i, source in enumerate(self.inputs.values())}
        entering, inner = [], []
        for node in operators:
            for i, source in enumerate(node.inputs):
                if source is None:
                    continue
                name, to = source.name.encode(), places[node]
                if source in feeds:
                    entering.append(_library.InputGraphEdgeDesc(feeds[source], to, i, name))
                else:
                    inner.append(_library.IntermediateGraphEdgeDesc(places[source.node or source], source.output, to, i, name))
        leaving = [_library.OutputGraphEdgeDesc(places[source.node], source.output, i, source.name.encode())
                   for i, source in enumerate(outputs + self.hidden)]
        made = [(OPERATOR_NODE, _library.OperatorGraphNodeDesc(self.operator(execution, node), node.name.encode()))
                for node in operators]
        made += [(CONSTANT_NODE, self.constant(source)) for source in constants]
        self.desc = _library.GraphDesc(
            len(self.inputs), len(leaving), len(made), self.pointers(_library.GraphNodeDesc, made),
            len(entering), self.edges(INPUT_EDGE, entering), len(leaving), self.edges(OUTPUT_EDGE, leaving),
            len(inner), self.edges(INTERMEDIATE_EDGE, inner))

    def operator(self, execution: Execution, node: Node) -> c_void_p:
        with node.advising():
            return execution.create("CreateOperator", "DestroyOperator", execution.device, byref(node.descriptor.desc))

    def constant(self, source: Source) -> Any:
        data = ctypes.create_string_buffer(source.values, len(source.values))
        self.keep.append(data)
        return _library.ConstantDataGraphNodeDesc(ctypes.addressof(data), len(source.values), source.name.encode())

    def pointers(self, kind: Any, things: List[Tuple[int, Any]]) -> Any:
        self.keep += [thing for _, thing in things]
        return (kind * max(len(things), 1))(*[kind(type_, ctypes.addressof(thing)) for type_, thing in things])

    def edges(self, type_: int, edges: List[Any]) -> Any:
        return self.pointers(_library.GraphEdgeDesc, [(type_, edge) for edge in edges])

    def given(self, inputs: Mapping[str, Any]) -> Dict[str, Optional[Tensor]]:
        """What the caller gave for the inputs, by their names, in the layout of each; None for those that nothing reads."""
        return given_for({name: source for name, source in self.inputs.items() if source.kind == "input"}, self.used, inputs, host)


def needed(outputs: Sequence[Source]) -> Tuple[Set[Node], Set[Source]]:
    """The nodes that outputs depend on, and what those read."""
    nodes: Set[Node] = set()
    sources: Set[Source] = set()
    waiting = [source.node for source in outputs]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            sources.update(source for source in node.inputs if source is not None)
            waiting += [source.node for source in node.inputs if source is not None]
    return nodes, sources


def host(name: str, wanted: Tensor, value: Any) -> Tensor:
    """An input on the host."""
    try:
        tensor = as_tensor(hosted(value))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} is {in_short(value)}, must be {wanted.type} {wanted.sizes}: {error}") from None
    return fitting(tensor, wanted, name, value)


def given_for(inputs: Mapping[str, Source], used: Set[str], given: Mapping[str, Any], take: Any) -> Dict[str, Any]:
    """What `take` makes of what the caller gave for each input. Those that nothing reads need not be given."""
    for name in given:
        if name not in inputs:
            raise TypeError(f"the graph has no input {name!r}; its inputs are {', '.join(inputs) or 'none'}"
                            + did_you_mean(name, inputs))
    taken: Dict[str, Any] = {}
    for name, source in inputs.items():
        if given.get(name) is None and name in used:
            raise TypeError(f"input {name!r} is missing, must be {source.type} {source.sizes}")
        wanted = Tensor(source.type, source.sizes, source.strides)
        taken[name] = take(f"input {name!r}", wanted, given[name]) if name in used else None
    return taken


class GraphProperties(NamedTuple):
    """The memory that a compiled graph has besides its inputs and outputs: for what is between nodes, and for weights."""
    temporary_bytes: int
    persistent_bytes: int


class CompiledGraph:
    """A graph that is compiled for one device. Made by Graph.compile().

    run() takes and returns arrays of the host. A call takes arrays of the device, which stay there, or others, which are
    copied to it for the call, and returns new arrays of the device, or those that are named as outputs, when they are
    written.

    Attributes:
        device: where it runs.
        inputs, outputs: their types, sizes and strides by name, as vkdml.Tensor without elements.
        properties: GraphProperties.
    """

    def __init__(self, device: Device, graph: Graph, execution_flags: int, flags: int):
        self.device = device
        with device.executing() as execution, ExitStack() as stack:
            kept = Execution(execution.library, execution.vulkan, execution.device, stack)
            description = Description(graph, execution)
            info = _library.CompileInfo(executionFlags=execution_flags, flags=flags)
            self._dispatchable = kept.create("CompileGraph", "DestroyDispatchable", kept.device, byref(description.desc),
                                             byref(info))
            properties = kept.properties(self._dispatchable)
            self.properties = GraphProperties(properties.temporaryResourceSize, properties.persistentResourceSize)
            persistent = kept.resource(properties.persistentResourceSize)
            self._persistent, self._temporary = persistent, kept.resource(properties.temporaryResourceSize)
            if persistent.size:
                weights = [execution.upload(source.tensor() if source.kind == "weight" else None)
                           for source in description.inputs.values()]
                commands = execution.begin()
                execution.initialize(commands, self._dispatchable, weights, persistent)
                execution.finish(commands, 0)
            self._close = device.keep(self, stack.pop_all().close)
        self._used = description.used
        self._bindings = [name if source.kind == "input" else None for name, source in description.inputs.items()]
        self.inputs = {name: Tensor(source.type, source.sizes, source.strides)
                       for name, source in description.inputs.items() if source.kind == "input"}
        self.outputs = {name: Tensor(value.type, value.sizes, value.strides) for name, value in graph._outputs.items()}
        self._sizes = [value.size_in_bytes for value in graph._outputs.values()]
        self._hidden = [source.bytes for source in description.hidden]

    def run(self, /, **inputs: Any) -> Any:
        """Runs it on arrays, by the names of the inputs.

        Returns:
            The output, as a NumPy array; of several outputs a named tuple.
        """
        for name in inputs:
            if name in self.outputs:
                raise TypeError(f"{name!r} is an output: run() returns it; a call, compiled(..), takes an array of the device for it")
        made = [self._whole(name, size) for name, size in zip(self.outputs, self._sizes)]
        with self._executing() as execution:
            bound = self._bind(execution, inputs)
            commands = execution.begin()
            self._record(execution, commands, bound, [execution.download(tensor) for tensor in made])
            execution.finish(commands, len(made))
        return results(list(self.outputs), [tensor.read() for tensor in made])

    def __call__(self, /, **tensors: Any) -> Any:
        given = {name: tensors.pop(name) for name in self.outputs if name in tensors}
        made = {name: self._output(name, size, given.get(name)) for name, size in zip(self.outputs, self._sizes)}
        with self._executing() as execution:
            bound = self._bind(execution, tensors)
            outputs = [self._bound(array, f"output {name!r}", self.outputs[name], size)
                       for (name, array), size in zip(made.items(), self._sizes)]
            commands = execution.begin()
            self._record(execution, commands, bound, outputs)
            execution.finish(commands, 0)
        return results(list(made), list(made.values()))

    def close(self) -> None:
        """Gives back what it holds of the device. Running it is then an error; closing it again is none."""
        self._close()

    def __enter__(self) -> "CompiledGraph":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @contextmanager
    def _executing(self) -> Iterator[Execution]:
        with self.device.executing() as execution:
            if not self._close.alive:
                raise ValueError(f"{self!r} is closed")
            yield execution

    def _record(self, execution: Execution, commands: c_void_p, inputs: List[BufferBinding],
                outputs: List[BufferBinding]) -> None:
        hidden = [execution.resource(size) for size in self._hidden]
        table = execution.table(self._dispatchable, self._persistent, self._temporary)
        execution.record(commands, self._dispatchable, table, inputs, outputs + hidden)

    def _whole(self, name: str, size: int) -> Tensor:
        """An output's tensor with all the bytes that are written."""
        tensor = self.outputs[name]
        tensor = Tensor(tensor.type, tensor.sizes, tensor.strides)
        tensor.size_in_bytes = size
        return tensor

    def _output(self, name: str, size: int, given: Any) -> DeviceArray:
        if given is None:
            return DeviceArray(self.device, self._whole(name, size))
        if not isinstance(given, DeviceArray):
            raise TypeError(f"output {name!r} is {in_short(given)}, must be an array of the device, as Device.empty() makes it")
        return given

    def _bind(self, execution: Execution, given: Mapping[str, Any]) -> List[BufferBinding]:
        def take(name: str, wanted: Tensor, value: Any) -> BufferBinding:
            if isinstance(value, DeviceArray):
                return self._bound(value, name, wanted, wanted.size_in_bytes)
            return execution.upload(host(name, wanted, value))

        bound = given_for(self.inputs, self._used, given, take)
        return [(name is not None and bound[name]) or BufferBinding() for name in self._bindings]

    def _bound(self, array: DeviceArray, name: str, wanted: Tensor, size: int) -> BufferBinding:
        if array.device is not self.device:
            raise ValueError(f"{name} is {array!r}, must be on the device that the graph was compiled for")
        if (array.type, array.sizes, array.strides) != (wanted.type, wanted.sizes, wanted.strides):
            raise ValueError(f"{name} is {array!r}, strides {array.strides}; must be {wanted.type} {wanted.sizes}, strides "
                             f"{wanted.strides}")
        if array._buffer.size < size:
            raise ValueError(f"{name} is {array!r}, in {array._buffer.size} bytes; must have {size}, which the graph writes")
        return BufferBinding(array.binding().buffer, 0, size)

    def __repr__(self) -> str:
        return f"<CompiledGraph {', '.join(self.inputs)} -> {', '.join(self.outputs)} on {self.device.name!r}>"
