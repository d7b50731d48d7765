"""The library by its Python module (python/vkdml), as the peers use it: the reference, on tensors whose surroundings are seen."""
import numpy as np
import vkdml
from vkdml import BITS, DTYPES  # noqa: F401 (for the modules beside this one)

FLOATS = ("FLOAT32", "FLOAT16", "FLOAT64")


class Tensor(vkdml.Tensor):
    """Elements in memory with bytes before, between and behind them that are no element's."""

    def __init__(self, type_, sizes, strides, values=None, random=None):
        super().__init__(type_, sizes, strides)
        count = self.size_in_bytes // 8 + 2
        self.around = random.integers(0, 2**63, count, dtype=np.uint64) if random is not None else np.zeros(count, np.uint64)
        self.memory = self.around.view(np.uint8)[:self.size_in_bytes]
        if values is not None:
            self.write(values)

    def broadcast(self):
        """The elements, of dimensions that a stride of 0 repeats the first only: what a peer would be given."""
        return self.read()[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in self.strides)]

    def others(self):
        """What lies beside the elements."""
        rest = Tensor(self.type, self.sizes, self.strides)
        rest.around[:] = self.around
        rest.write(np.zeros(self.sizes, self.dtype))
        return rest.around


class Library:
    def __init__(self, path):
        vkdml.load(path)
        self.operators = {name: vkdml.schema(name) for name in vkdml.operators()}

    def execute(self, operator, tensors, attributes):
        """None, or why the library refuses."""
        try:
            vkdml.run(operator, device="reference", **tensors, **attributes)
        except vkdml.Error as error:
            return error.reason
        return None
