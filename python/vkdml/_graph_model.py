"""Graphs as JSON models, which the command takes (docs/MODELS.md)."""
import json
import pathlib
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Set

import numpy as np

from ._graph_run import host, needed
from ._schema import Field, did_you_mean
from ._tensor import BITS, FLOATS, Tensor, packed
from ._value import Source

if TYPE_CHECKING:
    from ._graph import Graph, Node


def number(value: Any) -> Any:
    """As JSON has it; what FLOAT32 does not hold is infinite in descriptors too."""
    if isinstance(value, int):
        return value
    with np.errstate(over="ignore"):
        return float(value) if np.isfinite(np.float32(value)) else str(np.float32(value))


def described(tensor: Any) -> Dict[str, Any]:
    """A tensor's descriptor. What follows from the rest is left out."""
    desc: Dict[str, Any] = {"DataType": tensor.type, "Sizes": list(tensor.sizes)}
    if tensor.strides != packed(tensor.sizes):
        desc["Strides"] = list(tensor.strides)
    size = tensor.bytes if isinstance(tensor, Source) else tensor.size_in_bytes
    if size != Tensor(tensor.type, tensor.sizes, tensor.strides).size_in_bytes:
        desc["TotalTensorSizeInBytes"] = size
    return desc


def attribute(field: Field, value: Any) -> Any:
    if field.type == "SCALE_BIAS":
        return dict(zip(("Scale", "Bias"), map(number, value)))
    if field.type == "SCALAR_UNION":
        one = value.reshape(-1)[0]
        return one.item() if np.isfinite(one) else str(one)
    if field.type == "OPERATOR_DESC":
        operator, attributes = value
        return {"Type": operator.name, "Desc": attributes_of(operator.fields_of("attribute"), attributes)}
    if field.type == "OPERATOR_DESC_ARRAY":
        return [{"Type": operator.name, "Desc": attributes_of(operator.fields_of("attribute"), attributes)}
                for operator, attributes in value]
    if isinstance(value, list):
        return [number(one) for one in value]
    return value if isinstance(value, str) else number(value)


def attributes_of(fields: List[Field], values: Mapping[str, Any]) -> Dict[str, Any]:
    return {field.name: attribute(field, values[field.name]) for field in fields if values.get(field.name) is not None}


class Arrays:
    """Files of arrays in a folder beside the model."""

    def __init__(self, model: pathlib.Path):
        self.folder, self.count = model.with_suffix(".arrays"), 0

    def write(self, tensor: Tensor) -> Dict[str, Any]:
        """The initializer that reads a tensor's bytes: a .npy file where NumPy has such elements side by side."""
        self.folder.mkdir(exist_ok=True)
        path = self.folder / f"{self.count}.npy"
        if BITS[tensor.type] > 4 and tensor.strides == packed(tensor.sizes):
            np.save(path, tensor.read())
        else:
            path = path.with_suffix(".bin")
            path.write_bytes(tensor.memory[:-(-tensor.span * BITS[tensor.type] // 8)].tobytes())
        self.count += 1
        return {"sourcePath": f"{self.folder.name}/{path.name}"}


class Model:
    """What a graph's outputs need, as a model with one dispatchable."""

    def __init__(self, graph: "Graph", path: pathlib.Path, inputs: Mapping[str, Any], allow_half: bool):
        self.graph, self.name, self.arrays = graph, path.stem, Arrays(path)
        self.taken: Set[str] = set(graph._inputs) | set(graph._outputs)
        self.names: Dict[Any, str] = {}  # of inputs, weights, constants and nodes
        outputs = [value._source for value in graph._outputs.values()]
        nodes, sources = needed(outputs)
        self.nodes = [node for node in graph._nodes if node in nodes]
        self.inputs = [source for source in graph._inputs.values() if source in sources]
        self.weights = [source for source in graph._weights if source in sources]
        self.constants = [source for source in graph._constants if source in sources]
        self.names.update({source: source.name for source in self.inputs})
        self.names.update({made: self.unique(made.name) for made in [*self.weights, *self.constants, *self.nodes]})
        self.outputs = {name: value._source for name, value in graph._outputs.items()}
        read = sources | set(outputs)
        for source in (source for node in self.nodes for i, source in enumerate(node.outputs)
                       if source is not None and source not in read and node.needs_reader(i)):
            self.outputs[self.unique(source.name)] = source
        self.json = {"resources": self.resources(inputs), "dispatchables": {self.name: self.dispatchable(allow_half)},
                     "commands": self.commands()}

    def unique(self, name: str) -> str:
        """The same name, or with the first number that nothing else has."""
        found, number_ = name, 2
        while found in self.taken:
            found, number_ = f"{name} {number_}", number_ + 1
        self.taken.add(found)
        return found

    def resources(self, given: Mapping[str, Any]) -> Dict[str, Any]:
        resources: Dict[str, Any] = {}
        for source in self.inputs:
            value, wanted = given.get(source.name), Tensor(source.type, source.sizes, source.strides)
            if value is not None:
                values: Any = self.arrays.write(host(f"input {source.name!r}", wanted, value))
            else:
                values = {"valueCount": wanted.span, **({"random": "normal"} if source.type in FLOATS else {"value": 0})}
            resources[source.name] = {"initialValuesDataType": source.type, "initialValues": values}
        for source in self.weights:
            resources[self.names[source]] = {"initialValuesDataType": source.type,
                                             "initialValues": self.arrays.write(source.tensor())}
        resources.update({name: {"initialValues": "deferred"} for name in self.outputs})
        return resources

    def dispatchable(self, allow_half: bool) -> Dict[str, Any]:
        inputs = {source.name: described(source) for source in self.inputs}
        inputs.update({self.names[source]: {**described(source), "Flags": "OWNED_BY_DML"} for source in self.weights})
        nodes: Dict[str, Any] = {self.names[source]: self.constant(source) for source in self.constants}
        nodes.update({self.names[node]: self.node(node) for node in self.nodes})
        graph = {"type": "graph", "inputs": inputs, "nodes": nodes,
                 "outputs": {name: self.text(source) for name, source in self.outputs.items()},
                 "bindings": {self.names[source]: self.names[source] for source in self.weights}}
        return {**graph, "executionFlags": "ALLOW_HALF_PRECISION_COMPUTATION"} if allow_half else graph

    def constant(self, source: Source) -> Dict[str, Any]:
        """Its elements as they lie; who reads them says by which strides."""
        flat = Tensor(source.type, [Tensor(source.type, source.sizes, source.strides).span])
        flat.memory[:] = np.frombuffer(source.values, np.uint8)
        sizes = source.sizes if source.strides == packed(source.sizes) else flat.sizes
        return {"type": "constant", "DataType": source.type, "Sizes": list(sizes), "values": self.arrays.write(flat)}

    def node(self, node: "Node") -> Dict[str, Any]:
        made: Dict[str, Any] = {"type": node.call.operator.name}
        for field in node.call.operator.fields:
            tensors = node.call.tensors.get(field.name) if field.is_tensor else None
            describe = self.read if field.kind == "input" else described
            if tensors is not None:
                made[field.name] = [describe(one) for one in tensors] if isinstance(tensors, list) else describe(tensors)
        return {**made, **attributes_of(node.call.operator.fields_of("attribute"), node.call.attributes)}

    def text(self, source: Source) -> str:
        """What names a source where it is read."""
        if source.node is None:
            return self.names[source]
        field = source.name[len(source.node.name):]
        return self.names[source.node] + field if len(source.node.outputs) > 1 else self.names[source.node]

    def read(self, value: Any) -> Any:
        """An input of a node: the name alone, where it is read as it was made."""
        source = value._source
        desc, made = described(value), described(source)
        if desc == made and (source.kind != "constant" or "Strides" not in made):
            return self.text(source)
        return {**desc, "from": self.text(source), **({"Flags": "OWNED_BY_DML"} if source.kind == "weight" else {})}

    def commands(self) -> List[Dict[str, Any]]:
        bindings = {name: name for name in [*(source.name for source in self.inputs), *self.outputs]}
        commands: List[Dict[str, Any]] = [{"type": "dispatch", "dispatchable": self.name, "bindings": bindings}]
        for name, value in self.graph._outputs.items():
            command: Dict[str, Any] = {"type": "writeFile", "resource": name,
                                       "targetPath": name + (".npy" if BITS[value._source.type] > 4 else ".bin")}
            whole = value.type == value._source.type and packed(value.sizes) == value.strides
            if whole and value.size_in_bytes == Tensor(value.type, value.sizes).size_in_bytes:
                command["dimensions"] = list(value.sizes)
            commands.append(command)
        return commands


def write_model(graph: "Graph", path: Any, inputs: Optional[Mapping[str, Any]], allow_half: bool) -> None:
    if not graph._outputs:
        raise TypeError("the graph has no outputs yet: graph.outputs(y=value)")
    for name in inputs or {}:
        if name not in graph._inputs:
            raise TypeError(f"the graph has no input {name!r}; its inputs are {', '.join(graph._inputs) or 'none'}"
                            + did_you_mean(name, graph._inputs))
    path = pathlib.Path(path)
    path.write_text(json.dumps(Model(graph, path, inputs or {}, allow_half).json, indent=1) + "\n")
