"""ResNet-50: bottlenecks of three convolutions, each with its batch normalization (arXiv 1512.03385; strides as in 1.5)."""
from layers import Any, Layers, Outputs


def bottleneck(net: Layers, x: Any, width: int, stride: int) -> Any:
    y = net.relu(net.normalize_batch(net.convolve(x, width, 1)))
    y = net.relu(net.normalize_batch(net.convolve(y, width, 3, stride)))
    y = net.normalize_batch(net.convolve(y, 4 * width, 1))
    if x.shape != y.shape:
        x = net.normalize_batch(net.convolve(x, 4 * width, 1, stride))
    return net.relu(net.add(y, x))


def resnet50(net: Layers, batch: int = 1, image: int = 224, width: int = 64, classes: int = 1000) -> Outputs:
    x = net.input("image", (batch, 3, image, image))
    x = net.relu(net.normalize_batch(net.convolve(x, width, 7, 2)))
    x = net.max_pooling(x, 3, 2)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        for block in range(blocks):
            x = bottleneck(net, x, width << stage, 2 if stage and not block else 1)
    x = net.average(x)
    return {"classes": net.softmax(net.connect(net.reshape(x, (1, 1, batch, x.shape[1])), classes))}
