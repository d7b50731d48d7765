"""A U-Net's down and up block, as in diffusion models: residual blocks that know the time, attention of pixels to each other and
to a text, and what was skipped joined again (arXiv 2112.10752).
"""
from layers import Any, Layers, Outputs


def residual(net: Layers, x: Any, time: Any, channels: int, groups: int) -> Any:
    y = net.convolve(net.silu(net.normalize_groups(x, groups)), channels, 3, bias=True)
    shift = net.connect(net.silu(time), channels)
    y = net.add(y, net.reshape(shift, (x.shape[0], channels, 1, 1)))
    y = net.convolve(net.silu(net.normalize_groups(y, groups)), channels, 3, bias=True)
    return net.add(y, net.convolve(x, channels, 1, bias=True) if x.shape != y.shape else x)


def attention(net: Layers, x: Any, source: Any, heads: int) -> Any:
    width, y = x.shape[3], net.normalize_layer(x)
    source = y if source is None else source
    query, key, value = (net.heads(net.connect(of, width, bias=False), heads) for of in (y, source, source))
    return net.add(net.connect(net.attend(query, key, value), width), x)


def transformer(net: Layers, x: Any, text: Any, heads: int, groups: int) -> Any:
    """Pixels are tokens, which lie channel by channel until they are transposed."""
    batch, channels, height, width = x.shape
    y = net.convolve(net.normalize_groups(x, groups), channels, 1, bias=True)
    y = net.pack(net.transpose(net.reshape(y, (1, batch, channels, height * width)), (0, 1, 3, 2)))
    y = attention(net, attention(net, y, None, heads), text, heads)
    y = net.add(net.connect(net.gelu(net.connect(net.normalize_layer(y), 4 * channels)), channels), y)
    y = net.reshape(net.pack(net.transpose(y, (0, 1, 3, 2))), x.shape)
    return net.add(net.convolve(y, channels, 1, bias=True), x)


def unet(net: Layers, batch: int = 1, image: int = 64, channels: int = 320, heads: int = 8, words: int = 77, depth: int = 768,
         groups: int = 32) -> Outputs:
    x = net.input("image", (batch, channels, image, image))
    time, text = net.input("time", (1, 1, batch, 4 * channels)), net.input("text", (1, batch, words, depth))
    skipped = transformer(net, residual(net, x, time, channels, groups), text, heads, groups)
    x = net.convolve(skipped, channels, 3, 2, bias=True)
    x = transformer(net, residual(net, x, time, 2 * channels, groups), text, heads, groups)
    x = net.convolve(net.upsample(x), 2 * channels, 3, bias=True)
    x = residual(net, net.join([x, skipped], 1), time, channels, groups)
    return {"image_out": transformer(net, x, text, heads, groups)}
