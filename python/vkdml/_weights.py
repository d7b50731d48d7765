"""Weight stores: weights that are packed and uploaded once, for all compiled graphs that read them."""
import ctypes
from contextlib import ExitStack, contextmanager
from ctypes import byref, c_uint32, c_uint64, c_void_p
from itertools import count
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import _library
from ._device import Device, Execution
from ._library import BufferBinding, Error
from ._value import Source
from ._vulkan import Buffer, Vulkan

UPLOAD_BYTES = 64 << 20  # in host memory at a time; a larger weight is uploaded on its own
OFFSET_ALIGNMENT = 256


class WeightsInfo(NamedTuple):
    """The contents of a weight store: its memory on the device, in pages, and the packed weights in it, in regions."""
    pages: int
    bytes: int
    regions: int
    region_bytes: int


class Pages:
    """The device memory of a store. The library asks for it by callbacks, which must not call the library."""

    def __init__(self, vulkan: Vulkan):
        self.vulkan = vulkan
        self.buffers: Dict[int, Buffer] = {}  # by handle
        self.failure: Optional[BaseException] = None  # of the last allocation that failed

    def allocate(self, _: Any, size: int, page: Any) -> int:
        try:
            buffer = Buffer(self.vulkan, size)
            self.buffers[buffer.buffer.value] = buffer
            page[0] = BufferBinding(buffer.buffer.value, 0, size)
        except BaseException as failure:  # the library expects a result code, also after a KeyboardInterrupt
            self.failure = failure
            return failure.code if isinstance(failure, Error) else _library.OUT_OF_HOST_MEMORY
        return 0

    def free(self, _: Any, page: Any) -> None:
        buffer = self.buffers.pop(page[0].buffer, None)
        if buffer is not None:
            buffer.destroy()

    def close(self, _callbacks: Any) -> None:
        """Destroys pages that an interrupt kept from the library. The argument keeps the callbacks alive."""
        while self.buffers:
            self.buffers.popitem()[1].destroy()


class Store:
    """A weight store of the library. Its Weights, until this is closed, and each compiled graph that uses it have a
    reference to it. The last one destroys it. It has no reference to its device. Its methods are for the thread that
    holds the device's lock.

    Attributes:
        graphs: the arrays that each open graph uses, by their ids.
    """

    def __init__(self, device: Device):
        self.graphs: Dict[object, List[int]] = {}
        with device.executing() as execution, ExitStack() as stack:
            pages = self._pages = Pages(execution.vulkan)
            info = _library.WeightStoreCreateInfo(allocatePage=_library.AllocatePageCallback(pages.allocate),
                                                  freePage=_library.FreePageCallback(pages.free))
            stack.callback(pages.close, info)
            kept = Execution(execution.library, execution.vulkan, execution.device, stack)
            self.handle = kept.create("CreateWeightStore", "DestroyWeightStore", kept.device, byref(info))
            device.keep(self, stack.pop_all().close)

    def add(self, arrays: List[int], stack: ExitStack) -> None:
        """Adds a graph, which uses the store until its stack is closed."""
        graph = object()
        self.graphs[graph] = arrays
        stack.callback(self._remove, graph)

    def _remove(self, graph: object) -> None:
        del self.graphs[graph]

    @contextmanager
    def compiling(self, device: Device) -> Iterator[None]:
        """A graph is compiled with the store. If a page cannot be allocated, the error says why."""
        self._pages.failure = None
        try:
            with device.calling_back():
                yield
        except Error as error:
            failure, self._pages.failure = self._pages.failure, None
            if isinstance(failure, Error):
                error.add([failure.reason])
            elif failure is not None:
                raise failure from None
            raise

    def upload(self, execution: Execution, compiled: c_void_p, sources: Sequence[Source]) -> None:
        """Uploads the weights that a compiled graph needs and the store does not have, part by part."""
        while self._upload_part(execution, compiled, sources):
            pass

    def _upload_part(self, execution: Execution, compiled: c_void_p, sources: Sequence[Source]) -> bool:
        """Returns False if nothing was left to upload."""
        with ExitStack() as stack:
            part = Execution(execution.library, execution.vulkan, execution.device, stack)
            initializer = part.create("CreateWeightInitializer", "DestroyDispatchable", compiled, UPLOAD_BYTES)
            if initializer:
                self._initialize(part, initializer, sources)
            return bool(initializer)

    def _initialize(self, part: Execution, initializer: c_void_p, sources: Sequence[Source]) -> None:
        read, indices = c_uint32(len(sources)), (c_uint32 * len(sources))()
        part.library.GetWeightInitializerInputs(initializer, byref(read), indices)
        places, size = {}, 0
        for i in indices[:read.value]:
            places[i] = size
            size += -(-sources[i].bytes // OFFSET_ALIGNMENT) * OFFSET_ALIGNMENT
        staging = part.buffer(max(size, 4), for_host=True)
        inputs = [BufferBinding() for _ in sources]
        for i, place in places.items():
            tensor = sources[i].tensor()
            ctypes.memmove(staging.mapped + place, tensor.memory.ctypes.data, tensor.size_in_bytes)
            inputs[i] = BufferBinding(staging.buffer.value, place, tensor.size_in_bytes)
        commands, table = part.begin(), part.table(initializer, BufferBinding())
        try:
            part.record(commands, initializer, table, inputs, [])
            part.finish(commands, 0)
        except BaseException:  # the library regards recorded weights as uploaded, and they may not be
            part.library.ResetWeightInitializer(initializer)
            raise


class Weights:
    """A weight store on a device. Graphs that are compiled with it share packed weights. Made by Device.weights().

        with device.weights() as weights:
            small, large = (network(size).compile(weights=weights) for size in (224, 448))

    A weight is identified by the object that was given to Graph.add() or Graph.weight(): two graphs share it if both
    were given the same array, not an equal one or a view of it. The store holds a reference to each array. Arrays must
    not be changed while the store is open: whether a new graph reads the old or the new elements is undefined.

    Threads may share a store: like all users of a device, they take turns.

    After close() no graph can be compiled with the store. Graphs that were compiled with it still run. Its memory is
    freed with the last of them.

    Attributes:
        device: where it is.
    """

    def __init__(self, device: Device):
        self.device = device
        self._store: Optional[Store] = Store(device)
        self._arrays: Dict[int, Tuple[Any, int]] = {}  # each array with its number, by its id, which it thereby keeps
        self._numbers = count(1)

    def info(self) -> WeightsInfo:
        """Returns how much the store holds, as WeightsInfo."""
        facts = _library.WeightStoreInfo()
        with self.device.executing() as execution:
            store = self._open()
            execution.library.GetWeightStoreInfo(store.handle, byref(facts))
        return WeightsInfo(facts.pageCount, facts.pageBytes, facts.regionCount, facts.regionBytes)

    def trim(self) -> None:
        """Frees the pages that no open graph uses, and drops the references to arrays that none uses. Such an array is
        a new weight when it is given again."""
        with self.device.executing() as execution:
            store = self._open()
            with self.device.calling_back():
                execution.library.TrimWeightStore(store.handle)
            used = {array for arrays in list(store.graphs.values()) for array in arrays}
            self._arrays = {array: known for array, known in self._arrays.items() if array in used}

    def close(self) -> None:
        """Closes the store. Its memory is freed now or with the last graph that uses it. A second call does nothing."""
        self._store, self._arrays = None, {}

    def _open(self) -> Store:
        if self._store is None:
            raise ValueError(f"{self!r} is closed")
        return self._store

    def _add(self, info: _library.CompileInfo, sources: Sequence[Source], stack: ExitStack) -> Store:
        """Adds a graph that is to be compiled with this information, by a user of the device."""
        store = self._open()
        owned = [source.given if source.kind == "weight" else None for source in sources]
        numbers = [0 if array is None else self._number(array) for array in owned]
        store.add([id(array) for array in owned if array is not None], stack)
        info.weightStore, info.weightIdCount = store.handle, len(numbers)
        info.weightIds = (c_uint64 * len(numbers))(*numbers)
        return store

    def _number(self, array: Any) -> int:
        if id(array) not in self._arrays:
            self._arrays[id(array)] = array, next(self._numbers)
        return self._arrays[id(array)][1]

    def __enter__(self) -> "Weights":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<vkdml.Weights on {self.device.name!r}{', closed' if self._store is None else ''}>"
