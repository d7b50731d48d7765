"""BERT-base's encoder: embeddings, layers of attention and of two dense layers, each normalized after its residual
(arXiv 1810.04805).
"""
from layers import Any, Layers, Outputs


def layer(net: Layers, x: Any, mask: Any, heads: int) -> Any:
    width = x.shape[3]
    query, key, value = (net.heads(net.connect(x, width), heads) for _ in range(3))
    x = net.normalize_layer(net.add(net.connect(net.attend(query, key, value, mask), width), x))
    y = net.connect(net.gelu(net.connect(x, 4 * width)), width)
    return net.normalize_layer(net.add(y, x))


def bert(net: Layers, batch: int = 1, tokens: int = 128, layers: int = 12, width: int = 768, heads: int = 12,
         words: int = 30522) -> Outputs:
    ids = net.indices("ids", (1, 1, 1, batch * tokens), words)
    mask = net.mask("mask", (batch, 1, 1, tokens))
    x = net.reshape(net.gather(net.draw((1, 1, words, width)), ids), (1, batch, tokens, width))
    x = net.normalize_layer(net.add(x, net.draw((1, 1, tokens, width))))
    for _ in range(layers):
        x = layer(net, x, mask, heads)
    return {"tokens": x}
