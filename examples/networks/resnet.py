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


# Scales of what is quantized: 0 to 16 behind RELU, else up to 8 of both signs.
POSITIVE, SIGNED = 1 / 16, 1 / 16


def quantized_bottleneck(net: Layers, x: Any, width: int, stride: int) -> Any:
    y = net.quantization(net.relu(net.quantized_convolve(x, POSITIVE, width, 1)), POSITIVE)
    y = net.quantization(net.relu(net.quantized_convolve(y, POSITIVE, width, 3, stride)), POSITIVE)
    y = net.quantization(net.quantized_convolve(y, POSITIVE, 4 * width, 1, gain=0.3), SIGNED, signed=True)
    if x.shape != y.shape:
        x = net.quantization(net.quantized_convolve(x, POSITIVE, 4 * width, 1, stride, gain=0.7), SIGNED, signed=True)
    return net.quantization(net.relu(net.add(y, x)), POSITIVE)


def resnet50_int8(net: Layers, batch: int = 1, image: int = 224, width: int = 64, classes: int = 1000) -> Outputs:
    """With batch normalizations in filters of 8 bits, as tools quantize it."""
    x = net.quantization(net.input("image", (batch, 3, image, image)), SIGNED, signed=True)
    x = net.quantization(net.relu(net.quantized_convolve(x, SIGNED, width, 7, 2)), POSITIVE)
    x = net.quantization(net.max_pooling(x, 3, 2), POSITIVE)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        for block in range(blocks):
            x = quantized_bottleneck(net, x, width << stage, 2 if stage and not block else 1)
    x = net.quantization(net.average(x), POSITIVE)
    return {"classes": net.softmax(net.quantized_connect(net.reshape(x, (1, 1, batch, x.shape[1])), classes))}
