#!/usr/bin/env python3
"""Networks with random weights, as graphs: builds one, runs it on a device, and holds it to the CPU reference; or writes it as a
model, for `vkdml run`, explain and bench.

networks.py NETWORK [--size whole|small|tiny] [--type FLOAT32|FLOAT16] [--device NAME | --model FILE.json]

The module vkdml must be found (docs/PYTHON.md). A file beside this one is a network; layers.py is what they are made of.
"""
import argparse
import time
from typing import Any, Callable, Dict, NamedTuple, Tuple

import numpy as np

from bert import bert
from decoder import decoder
from detector import detector
from layers import DTYPES, GraphLayers, Layers, Outputs
from mobilenet import mobilenet_v2
from resnet import resnet50, resnet50_int8
from unet import unet


class Network(NamedTuple):
    """A network, and the arguments that make it as large as it is used, small for a device on the CPU, tiny for tests; and the
    types that it is of."""
    build: Callable[..., Outputs]
    whole: Dict[str, int]
    small: Dict[str, int]
    tiny: Dict[str, int]
    types: Tuple[str, ...] = tuple(DTYPES)


TINY_BERT = {"tokens": 16, "layers": 1, "width": 48, "heads": 4, "words": 64}
TINY_UNET = {"image": 8, "channels": 16, "heads": 2, "words": 5, "depth": 24, "groups": 4}
TINY_DECODER = {"tokens": 3, "past": 13, "width": 48, "heads": 4}
TINY_IMAGE = {"image": 32, "classes": 16}
NETWORKS: Dict[str, Network] = {
    "resnet50": Network(resnet50, {}, {"image": 64}, {**TINY_IMAGE, "width": 8}),
    "resnet50_32": Network(resnet50, {"batch": 32}, {"image": 64, "batch": 2}, {**TINY_IMAGE, "width": 8, "batch": 2}),
    "resnet50_int8": Network(resnet50_int8, {}, {"image": 64}, {**TINY_IMAGE, "width": 8}, ("FLOAT32",)),
    "mobilenet_v2": Network(mobilenet_v2, {}, {"image": 64}, TINY_IMAGE),
    "mobilenet_v2_32": Network(mobilenet_v2, {"batch": 32}, {"image": 64, "batch": 2}, {**TINY_IMAGE, "batch": 2}),
    "bert_128": Network(bert, {}, {"layers": 2}, TINY_BERT),
    "bert_512": Network(bert, {"tokens": 512}, {"tokens": 512, "layers": 2}, {**TINY_BERT, "tokens": 24, "batch": 2}),
    "bert_128_8": Network(bert, {"batch": 8}, {"batch": 2, "layers": 1}, {**TINY_BERT, "batch": 3}),
    "bert_512_8": Network(bert, {"tokens": 512, "batch": 8}, {"tokens": 512, "batch": 2, "layers": 1},
                          {**TINY_BERT, "tokens": 20, "batch": 2}),
    "unet": Network(unet, {}, {"image": 16}, TINY_UNET),
    "decoder": Network(decoder, {}, {}, TINY_DECODER),
    "decoder_12": Network(decoder, {"layers": 12}, {"layers": 2}, {**TINY_DECODER, "layers": 2, "batch": 2}),
    "detector": Network(detector, {}, {"image": 16, "best": 200}, {"image": 6, "channels": 16, "best": 20}),
}


def build(name: str, size: str, layers: Layers) -> Outputs:
    """The outputs of a network, by name, in whatever the layers compute with."""
    return NETWORKS[name].build(layers, **getattr(NETWORKS[name], size))


def by_name(results: Any, outputs: Outputs) -> Dict[str, np.ndarray]:
    """What a graph's run returns: coordinates only as many as there are."""
    arrays = dict(zip(outputs, results if len(outputs) > 1 else [results]))
    if "kept" in arrays:
        arrays["kept"] = arrays["kept"][..., :int(arrays["count"].flat[0]), :]
    return arrays


def differences(found: Dict[str, np.ndarray], expected: Dict[str, np.ndarray]) -> Dict[str, float]:
    """Of each output: the largest difference, by the largest magnitude. Infinite where sizes or indices differ."""
    worst: Dict[str, float] = {}
    for name, wanted in expected.items():
        got = found[name]
        if got.shape != wanted.shape or np.isfinite(got).sum() != got.size:
            worst[name] = float("inf")
        elif wanted.dtype.kind in "ui":
            worst[name] = 0.0 if np.array_equal(got, wanted) else float("inf")
        else:
            wide = wanted.astype(np.float64)
            worst[name] = float(np.abs(got.astype(np.float64) - wide).max() / np.abs(wide).max())
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("--size", choices=["whole", "small", "tiny"], default="small")
    parser.add_argument("--type", choices=DTYPES, default="FLOAT32")
    parser.add_argument("--device", help="part of a device's name; the best one where left out")
    parser.add_argument("--model", metavar="FILE.json", help="write the graph here, its weights beside it, and run nothing")
    options = parser.parse_args()
    if options.type not in NETWORKS[options.network].types:
        parser.error(f"{options.network} is of {' or '.join(NETWORKS[options.network].types)} alone")
    net = GraphLayers(options.type)
    outputs = build(options.network, options.size, net)
    print(net.graph)
    if options.model:
        net.graph.outputs(outputs)
        net.graph.write_model(options.model, net.inputs)
        return
    start = time.perf_counter()
    compiled = net.graph.compile(outputs, device=options.device)
    print(f"compiled in {time.perf_counter() - start:.2f} s for {compiled.device.name}, {compiled.properties}")
    found = by_name(compiled.run(**net.inputs), outputs)
    for name, difference in differences(found, by_name(net.graph.reference(**net.inputs), outputs)).items():
        print(f"{name} {found[name].shape}: {difference:.1e} of the largest element from the reference")


if __name__ == "__main__":
    main()
