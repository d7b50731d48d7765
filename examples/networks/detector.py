"""A detector's head: scores and boxes of each anchor, the best of them, and which of those are good enough."""
from layers import Layers, Outputs


def detector(net: Layers, image: int = 64, channels: int = 256, anchors: int = 9, best: int = 1000,
             threshold: float = 0.6) -> Outputs:
    x = net.input("features", (1, channels, image, image))
    x = net.relu(net.convolve(x, channels, 3, bias=True))
    scores = net.sigmoid(net.convolve(x, anchors, 1, bias=True))
    boxes = net.convolve(x, 4 * anchors, 1, bias=True)
    boxes = net.transpose(net.reshape(boxes, (1, anchors, 4, image * image)), (0, 1, 3, 2))
    boxes = net.reshape(net.pack(boxes), (1, 1, anchors * image * image, 4))
    values, places = net.top_k(net.reshape(scores, (1, 1, 1, anchors * image * image)), best)
    count, kept = net.nonzero(values, threshold)
    return {"scores": values, "boxes": net.gather(boxes, places), "count": count, "kept": kept}
