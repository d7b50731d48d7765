"""MobileNetV2: each block widens, filters channels one by one, and narrows again (arXiv 1801.04381)."""
from layers import Any, Layers, Outputs

STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def block(net: Layers, x: Any, expansion: int, channels: int, stride: int) -> Any:
    y, wide = x, expansion * x.shape[1]
    if expansion != 1:
        y = net.relu6(net.normalize_batch(net.convolve(y, wide, 1)))
    y = net.relu6(net.normalize_batch(net.convolve(y, wide, 3, stride, groups=wide)))
    y = net.normalize_batch(net.convolve(y, channels, 1))
    return net.add(y, x) if x.shape == y.shape else y


def mobilenet_v2(net: Layers, batch: int = 1, image: int = 224, classes: int = 1000) -> Outputs:
    x = net.input("image", (batch, 3, image, image))
    x = net.relu6(net.normalize_batch(net.convolve(x, 32, 3, 2)))
    for expansion, channels, count, stride in STAGES:
        for n in range(count):
            x = block(net, x, expansion, channels, 1 if n else stride)
    x = net.average(net.relu6(net.normalize_batch(net.convolve(x, 1280, 1))))
    return {"classes": net.softmax(net.connect(net.reshape(x, (1, 1, batch, x.shape[1])), classes))}
