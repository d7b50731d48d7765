"""A decoder's layers of GPT-2's size, one step: tokens attend to the keys and values of those before, which grow by theirs."""
from layers import Any, Dict, Layers, Outputs


def layer(net: Layers, x: Any, mask: Any, past: int, heads: int, n: int, outputs: Dict[str, Any]) -> Any:
    _, batch, _, width = x.shape
    query, key, value = (net.heads(part, heads) for part in net.split(net.connect(net.normalize_layer(x), 3 * width), 3, 3))
    sizes = (batch, heads, past, width // heads)
    keys, values = (net.join([net.input(f"past_{name}_{n}", sizes), new], 2) for name, new in (("key", key), ("value", value)))
    outputs.update({f"key_{n}": keys, f"value_{n}": values})
    x = net.add(net.connect(net.attend(query, keys, values, mask), width), x)
    return net.add(net.connect(net.gelu(net.connect(net.normalize_layer(x), 4 * width)), width), x)


def decoder(net: Layers, batch: int = 1, tokens: int = 1, past: int = 1023, layers: int = 1, width: int = 768,
            heads: int = 12) -> Outputs:
    outputs: Dict[str, Any] = {}
    x, mask = net.input("tokens", (1, batch, tokens, width)), net.mask("mask", (batch, 1, tokens, past + tokens))
    for n in range(layers):
        x = layer(net, x, mask, past, heads, n, outputs)
    return {"hidden": net.normalize_layer(x), **outputs}
