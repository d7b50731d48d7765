"""Dispatches that are recorded once, and submitted again for as long as they are asked for with the same arrays."""
import weakref
from contextlib import ExitStack
from ctypes import c_void_p
from typing import Any, Callable, List, Optional, Sequence

from ._device import Execution
from ._vulkan import Buffer


class Recording:
    """The last dispatch of something compiled whose arrays were all the caller's. Knows arrays by their buffers, and keeps none
    alive: one that is gone is no other's, though a new buffer may have its handle.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._commands: Optional[c_void_p] = None
        self._buffers: List[Any] = []

    def is_of(self, buffers: Sequence[Buffer]) -> bool:
        return self._commands is not None and len(buffers) == len(self._buffers) and all(
            known() is buffer for known, buffer in zip(self._buffers, buffers))

    def run(self, execution: Execution, buffers: Sequence[Buffer], record: Callable[[Execution, c_void_p], None]) -> None:
        """Submits what was recorded for these buffers, in their order; else has `record` write it."""
        if self.is_of(buffers):
            assert self._commands is not None
            execution.vulkan.submit(self._commands)
            return
        self.close()
        with ExitStack() as stack:
            kept = Execution(execution.library, execution.vulkan, execution.device, stack)
            commands = kept.begin(once=False)
            record(kept, commands)
            kept.finish(commands, 0)
            self._stack = stack.pop_all()
        self._commands, self._buffers = commands, [weakref.ref(buffer) for buffer in buffers]

    def close(self) -> None:
        self._commands = None
        self._stack.close()
