"""Graphs as DirectML describes them, and those that are compiled: they run many times on one device."""
import ctypes
import re
from collections import namedtuple
from contextlib import ExitStack, contextmanager, nullcontext
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from . import _library
from ._call import in_short
from ._device import Device, Execution
from ._library import BufferBinding, Error
from ._recording import Recording
from ._resident import DeviceArray, fitting
from ._schema import did_you_mean
from ._tensor import Tensor, as_tensor
from ._value import Source
from ._weights import Weights

if TYPE_CHECKING:
    from ._graph import Graph, Node

OPERATOR_NODE, CONSTANT_NODE = 1, 2  # of DML_GRAPH_NODE_TYPE
INPUT_EDGE, OUTPUT_EDGE, INTERMEDIATE_EDGE = 1, 2, 3  # of DML_GRAPH_EDGE_TYPE


def results(names: Sequence[str], values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else namedtuple("Outputs", names)(*values)


def alike(value: Tensor) -> Tensor:
    """The same without elements: by the sizes and strides of a view, with all the bytes of what is viewed."""
    tensor = Tensor(value.type, value.sizes, value.strides)
    tensor.size_in_bytes = value.size_in_bytes
    return tensor


class Description:
    """A DML_GRAPH_DESC of what a graph's outputs need, and all that it points to; its operators are the execution's.

    Attributes:
        inputs: the graph's own, then weights, in the order of bindings.
        used: the names of the graph's own that are read.
        hidden: values of outputs of nodes that nobody reads, and that are bound all the same, behind the graph's own.
    """

    def __init__(self, graph: "Graph", execution: Execution):
        if not graph._outputs:
            raise TypeError("the graph has no outputs yet: graph.outputs(y=value)")
        self.keep: List[Any] = []
        outputs = [value._source for value in graph._outputs.values()]
        nodes, sources = needed(outputs)
        operators = [node for node in graph._nodes if node in nodes]
        constants = [source for source in graph._constants if source in sources]
        self.inputs = [*graph._inputs.values(), *(source for source in graph._weights if source in sources)]
        self.used = {name for name, source in graph._inputs.items() if source in sources}
        read = sources | set(outputs)
        unread = [source for node in operators for i, source in enumerate(node.outputs)
                  if source is not None and source not in read and node.needs_reader(i)]
        self.hidden = [source.value() for source in unread]
        places: Dict[Any, int] = {maker: place for place, maker in enumerate([*operators, *constants])}
        feeds = {source: i for i, source in enumerate(self.inputs)}
        entering, inner = [], []
        for node in operators:
            for i, source in enumerate(node.inputs):
                if source is None:
                    continue
                name, to = source.name.encode(), places[node]
                if source in feeds:
                    entering.append(_library.InputGraphEdgeDesc(feeds[source], to, i, name))
                else:
                    inner.append(_library.IntermediateGraphEdgeDesc(places[source.node or source], source.output, to, i,
                                                                    name))
        leaving = [_library.OutputGraphEdgeDesc(places[source.node], source.output, i, source.name.encode())
                   for i, source in enumerate(outputs + unread)]
        made = [(OPERATOR_NODE, _library.OperatorGraphNodeDesc(self.operator(execution, node), node.name.encode()))
                for node in operators]
        made += [(CONSTANT_NODE, self.constant(source)) for source in constants]
        self.desc = _library.GraphDesc(
            len(self.inputs), len(leaving), len(made), self.pointers(_library.GraphNodeDesc, made),
            len(entering), self.edges(INPUT_EDGE, entering), len(leaving), self.edges(OUTPUT_EDGE, leaving),
            len(inner), self.edges(INTERMEDIATE_EDGE, inner))

    def operator(self, execution: Execution, node: "Node") -> c_void_p:
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

    def graph_inputs(self) -> Dict[str, Tensor]:
        """Those that runs are given."""
        return {source.name: alike(source.value()) for source in self.inputs if source.kind == "input"}

    def on_host(self, given: Mapping[str, Any]) -> List[Optional[Tensor]]:
        """All inputs on the host, in the order of bindings, weights too; None for those that nothing reads."""
        taken = given_for(self.graph_inputs(), self.used, given, host)
        return [taken[source.name] if source.kind == "input" else source.tensor() for source in self.inputs]


def needed(outputs: Sequence[Source]) -> Tuple[Set["Node"], Set[Source]]:
    """The nodes that outputs depend on, and what those read."""
    nodes: Set["Node"] = set()
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
        tensor = as_tensor(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} is {in_short(value)}, must be {wanted.type} {wanted.sizes}: {error}") from None
    return fitting(tensor, wanted, name, value)


def given_for(inputs: Mapping[str, Tensor], used: Set[str], given: Mapping[str, Any],
              take: Callable[[str, Tensor, Any], Any]) -> Dict[str, Any]:
    """What `take` makes of what the caller gave for each input. Those that nothing reads need not be given, and are None."""
    for name in given:
        if name not in inputs:
            raise TypeError(f"the graph has no input {name!r}; its inputs are {', '.join(inputs) or 'none'}"
                            + did_you_mean(name, inputs))
    taken: Dict[str, Any] = {}
    for name, wanted in inputs.items():
        if given.get(name) is None and name in used:
            raise TypeError(f"input {name!r} is missing, must be {wanted.type} {wanted.sizes}")
        taken[name] = take(f"input {name!r}", wanted, given[name]) if name in used else None
    return taken


@contextmanager
def naming(kind: str, names: Sequence[str]) -> Iterator[None]:
    """Adds to what the library refuses the names of inputs, or outputs, of which it knows the numbers."""
    try:
        yield
    except Error as error:
        found = {int(number) for number in re.findall(rf"\bGraph{kind}(?:s\[|Index )(\d+)", error.reason)}
        error.add([f"Graph{kind}s[{i}] is {names[i]!r}" for i in sorted(found) if i < len(names)])
        raise


class GraphProperties(NamedTuple):
    """The memory that a compiled graph has besides its inputs and outputs: for what is between nodes, and for weights. The
    latter is 0 with a weight store, which has the weights: see Weights.info()."""
    temporary_bytes: int
    persistent_bytes: int


class CompiledGraph:
    """A graph that is compiled for one device. Made by Graph.compile().

    run() takes and returns arrays of the host. A call takes arrays of the device, which stay there, or others, which are
    copied to it for the call, and returns new arrays of the device, or those that are named as outputs, when they are
    written. A call with the same arrays as the last one, outputs among them, is one submission: nothing is recorded.

    Attributes:
        device: where it runs.
        inputs, outputs: their types, sizes and strides by name, as vkdml.Tensor without elements.
        properties: GraphProperties.
    """

    def __init__(self, device: Device, graph: "Graph", weights: Optional[Weights], execution_flags: int, flags: int):
        self.device = device
        with device.executing() as execution, ExitStack() as stack:
            kept = Execution(execution.library, execution.vulkan, execution.device, stack)
            description = Description(graph, execution)
            info = _library.CompileInfo(executionFlags=execution_flags, flags=flags)
            store = weights._add(info, description.inputs, stack) if weights is not None else None
            with naming("Input", [source.name for source in description.inputs]), naming("Output", list(graph._outputs)), (
                    store.compiling(device) if store else nullcontext()):
                self._dispatchable = kept.create("CompileGraph", "DestroyDispatchable", kept.device, byref(description.desc),
                                                 byref(info))
            properties = kept.properties(self._dispatchable)
            self.properties = GraphProperties(properties.temporaryResourceSize, properties.persistentResourceSize)
            self._temporary, self._persistent = map(kept.resource, self.properties)
            if store is not None:
                store.upload(execution, self._dispatchable, description.inputs)
            elif self._persistent.size:
                owned = [execution.upload(source.tensor() if source.kind == "weight" else None)
                         for source in description.inputs]
                commands = execution.begin()
                execution.initialize(commands, self._dispatchable, owned, self._persistent)
                execution.finish(commands, 0)
            self._recording = Recording()
            stack.callback(self._recording.close)
            self._close = device.keep(self, stack.pop_all().close)
        self._used = description.used
        self.inputs = description.graph_inputs()
        self._weight_count = len(description.inputs) - len(self.inputs)  # behind them
        self.outputs = {name: alike(value) for name, value in graph._outputs.items()}
        self._hidden = [value.size_in_bytes for value in description.hidden]

    def run(self, /, **inputs: Any) -> Any:
        """Runs it on arrays, by the names of the inputs.

        Returns:
            The output, as a NumPy array; of several outputs a named tuple.
        """
        for name in inputs:
            if name in self.outputs:
                raise TypeError(f"{name!r} is an output: run() returns it; a call, compiled(..), takes an array of the device "
                                "for it")
        made = [alike(tensor) for tensor in self.outputs.values()]
        with self._executing() as execution:
            bound = self._bind(execution, inputs)
            commands = execution.begin()
            self._record(execution, commands, bound, [execution.download(tensor) for tensor in made])
            execution.finish(commands, len(made))
        return results(list(self.outputs), [tensor.read() for tensor in made])

    def __call__(self, /, **tensors: Any) -> Any:
        given = [tensors.get(name) for name in [*self.inputs, *self.outputs] if name in self._used or name in self.outputs]
        made = {name: self._output(name, tensors.pop(name, None)) for name in self.outputs}
        with self._executing() as execution:
            bound = self._bind(execution, tensors)
            outputs = [self._bound(array, f"output {name!r}", self.outputs[name]) for name, array in made.items()]
            if all(isinstance(array, DeviceArray) for array in given):
                self._recording.run(execution, [array._buffer for array in given],
                                    lambda kept, commands: self._record(kept, commands, bound, outputs))
            else:
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
        with naming("Input", list(self.inputs)), naming("Output", list(self.outputs)):
            table = execution.table(self._dispatchable, self._persistent, self._temporary)
            execution.record(commands, self._dispatchable, table, inputs, outputs + hidden)

    def _output(self, name: str, given: Any) -> DeviceArray:
        if given is None:
            return DeviceArray(self.device, self.outputs[name])
        if not isinstance(given, DeviceArray):
            raise TypeError(f"output {name!r} is {in_short(given)}, must be an array of the device, as Device.empty() makes "
                            "it")
        return given

    def _bind(self, execution: Execution, given: Mapping[str, Any]) -> List[BufferBinding]:
        def take(name: str, wanted: Tensor, value: Any) -> BufferBinding:
            if isinstance(value, DeviceArray):
                return self._bound(value, name, wanted)
            return execution.upload(host(name, wanted, value))

        bound = given_for(self.inputs, self._used, given, take)
        return [binding or BufferBinding() for binding in [*bound.values(), *[None] * self._weight_count]]

    def _bound(self, array: DeviceArray, name: str, wanted: Tensor) -> BufferBinding:
        if array.device is not self.device:
            raise ValueError(f"{name} is {array!r}, must be on the device that the graph was compiled for")
        if (array.type, array.sizes, array.strides) != (wanted.type, wanted.sizes, wanted.strides):
            raise ValueError(f"{name} is {array!r}, strides {array.strides}; must be {wanted.type} {wanted.sizes}, strides "
                             f"{wanted.strides}")
        if array._buffer.size < wanted.size_in_bytes:
            raise ValueError(f"{name} is {array!r}, of {array._buffer.size} bytes; must have {wanted.size_in_bytes}, as the "
                             "value has that is viewed")
        return BufferBinding(array.binding().buffer, 0, wanted.size_in_bytes)

    def __repr__(self) -> str:
        return f"<CompiledGraph {', '.join(self.inputs)} -> {', '.join(self.outputs)} on {self.device.name!r}>"
