"""Values: the tensors of a graph, before there are elements, and other ways to read them."""
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

import numpy as np

from ._resident import DeviceArray, fitting
from ._tensor import Tensor, as_tensor, packed

if TYPE_CHECKING:
    from ._graph import Graph, Node


class Source:
    """Where bytes in a graph come from: an input, a weight, a constant, or an output of a node.

    Attributes:
        values: a weight's or a constant's, on the host.
        given: a weight's, as the caller gave them: the object that identifies it in a weight store.
        node, output: which output of which node; None of others.
    """

    def __init__(self, graph: "Graph", kind: str, name: str, tensor: Tensor, values: Any = None,
                 node: Optional["Node"] = None, output: int = 0, given: Any = None):
        self.given = given
        self.graph, self.kind, self.name, self.values, self.node, self.output = graph, kind, name, values, node, output
        self.type, self.sizes, self.strides, self.bytes = tensor.type, tensor.sizes, tensor.strides, tensor.size_in_bytes

    def value(self) -> "Value":
        return Value(self, self.type, self.sizes, self.strides)

    def tensor(self) -> Tensor:
        """The elements of a weight, as they are now."""
        return fitting(as_tensor(self.values), Tensor(self.type, self.sizes, self.strides), self.name, self.values)


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

    @memory.setter
    def memory(self, memory: np.ndarray) -> None:
        raise TypeError(f"{self!r} is a value of a graph: its elements are what the graph makes")

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
            raise ValueError(f"{self!r} cannot be reshaped to {wanted} where it lies: give ELEMENT_WISE_IDENTITY of it, which is "
                             "packed")
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
    """The same on the host, where it is an array of a device. Not for one who has the device's lock."""
    return Tensor(values.type, values.sizes, None, values.read()) if isinstance(values, DeviceArray) else values
