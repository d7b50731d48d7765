"""A small convolutional network as one graph: compiled once, with its weights on the device, and run on many pictures.

The weights are random, so are the pictures: what is held to the CPU reference is that the classes are the same.
"""
import numpy as np

import vkdml

BATCH, SIZE, CLASSES = 4, 32, 10
RANDOM = np.random.default_rng(1)


def weights(*sizes: int) -> np.ndarray:
    return (RANDOM.standard_normal(sizes) / np.sqrt(np.prod(sizes[1:]))).astype(np.float32)


def convolution(graph: vkdml.Graph, x: vkdml.Value, channels: int, name: str) -> vkdml.Value:
    """3 by 3, padded so that sizes stay."""
    bias = np.full((1, channels, 1, 1), 0.1, np.float32)
    return graph.add("CONVOLUTION", InputTensor=x, FilterTensor=weights(channels, x.sizes[1], 3, 3), BiasTensor=bias,
                     StartPadding=[1, 1], EndPadding=[1, 1], name=name)


def block(graph: vkdml.Graph, x: vkdml.Value, channels: int, name: str) -> vkdml.Value:
    """Two convolutions, around which what comes in goes too, and a pooling."""
    first = graph.add("ACTIVATION_RELU", InputTensor=convolution(graph, x, channels, name + ".first"))
    second = convolution(graph, first, channels, name + ".second")
    both = graph.add("ELEMENT_WISE_ADD1", ATensor=first, BTensor=second, FusedActivation="RELU")
    return graph.add("MAX_POOLING", InputTensor=both, WindowSize=[2, 2], Strides=[2, 2], name=name + ".pool")


def classifier() -> vkdml.Graph:
    graph = vkdml.Graph()
    x = graph.input("pictures", (BATCH, 3, SIZE, SIZE), "FLOAT32")
    for n, channels in enumerate((8, 16)):
        x = block(graph, x, channels, f"block{n}")
    means = graph.add("REDUCE", Function="AVERAGE", InputTensor=x, Axes=[2, 3])
    # From here on it is a matrix, a row a picture: the same bytes by other sizes, which takes no operator.
    rows = means.reshape((1, 1, BATCH, -1))
    scores = graph.add("GEMM", ATensor=rows, BTensor=weights(1, 1, CLASSES, rows.sizes[-1]), TransB="TRANSPOSE",
                       name="classes")
    probabilities = graph.add("ACTIVATION_SOFTMAX1", InputTensor=scores, Axes=-1)
    best = graph.add("TOP_K", InputTensor=probabilities, Axis=-1, K=1)
    graph.outputs(probabilities=probabilities.reshape((BATCH, CLASSES)), best=best.OutputIndexTensor.reshape((BATCH,)))
    return graph


def main() -> None:
    graph = classifier()
    with vkdml.Device() as device, graph.compile(device=device) as compiled:
        print(f"{graph!r}: {compiled.properties.persistent_bytes} bytes of weights, "
              f"{compiled.properties.temporary_bytes} between operators")
        for _ in range(3):
            pictures = RANDOM.standard_normal((BATCH, 3, SIZE, SIZE)).astype(np.float32)
            found, expected = compiled.run(pictures=pictures), graph.reference(pictures=pictures)
            difference = np.abs(found.probabilities - expected.probabilities).max()
            print(f"classes {found.best}, probabilities within {difference:.1e} of the reference's")
            assert np.array_equal(found.best, expected.best) and difference < 1e-5


if __name__ == "__main__":
    main()
