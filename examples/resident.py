"""Power iteration: the largest eigenvalue of a matrix, by operators that are compiled once and arrays that stay on the device.

Each step is a matrix times a vector, divided by its length. Nothing is copied between steps.
"""
import numpy as np

import vkdml

SIZE = 64


def main() -> None:
    random = np.random.default_rng(1)
    a = random.standard_normal((SIZE, SIZE)).astype(np.float32)
    matrix = a @ a.T / SIZE  # symmetric: its eigenvalues are real
    with vkdml.Device() as device:
        vector = device.array(np.ones((SIZE, 1), np.float32))
        product = device.empty((SIZE, 1), np.float32)
        length = device.empty((1, 1), np.float32)
        # The matrix is the operator's own: it is on the device before the first step.
        multiply = device.compile("GEMM", ATensor=matrix, BTensor=vector, owned=["ATensor"])
        measure = device.compile("REDUCE", Function="L2", InputTensor=product, Axes=[0, 1])
        divide = device.compile("ELEMENT_WISE_DIVIDE", ATensor=product,
                                BTensor=length.view((SIZE, 1), strides=(0, 0)))
        for _ in range(200):
            multiply(BTensor=vector, OutputTensor=product)
            measure(InputTensor=product, OutputTensor=length)
            divide(ATensor=product, BTensor=length.view((SIZE, 1), strides=(0, 0)), OutputTensor=vector)
        found = length.read()[0, 0]
    expected = np.linalg.eigvalsh(matrix.astype(np.float64))[-1]
    print(f"largest eigenvalue {found:.4f}, NumPy's {expected:.4f}")
    assert abs(found - expected) < 1e-3 * expected


if __name__ == "__main__":
    main()
