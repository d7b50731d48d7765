#!/usr/bin/env python3
"""Holds the networks of examples/networks to PyTorch or to ONNX Runtime with the same weights, as graphs on a device, fused
and node by node. tools/check/peers.sh runs it in an environment that has PyTorch. Prints TAP.

networks.py [--peer torch|onnx] [--size whole|small|tiny] [--type FLOAT32|FLOAT16] [--device NAME] [NETWORK..]
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import network_peers  # noqa: E402
from network_peers import networks  # noqa: E402

BOUNDS = {"FLOAT32": 1e-4, "FLOAT16": 2e-2}  # of an output's largest element
QUANTIZED_BOUND = 0.1  # .. where sums that lie near a tie are quantized to either side of it


def torch_outputs(name, size, type_):
    return network_peers.arrays_of(network_peers.torch_network(name, size, type_)())


def onnx_outputs(name, size, type_):
    import onnx_networks
    return onnx_networks.onnx_network(name, size, type_)()


def held(name, type_, differences):
    """Which boxes are the best of equal ones follows from the last bits of sums: of FLOAT16 many are equal."""
    return [differences["scores"]] if (name, type_) == ("detector", "FLOAT16") else list(differences.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    parser.add_argument("--peer", choices=["torch", "onnx"], default="torch")
    parser.add_argument("--size", choices=["whole", "small", "tiny"], default="tiny")
    parser.add_argument("--type", choices=["FLOAT32", "FLOAT16"], default="FLOAT32")
    parser.add_argument("--device")
    options = parser.parse_args()
    names = [name for name in options.networks or networks.NETWORKS if options.type in networks.NETWORKS[name].types]
    number, failed = 0, 0
    print(f"1..{2 * len(names)}", flush=True)
    for name in names:
        bound = QUANTIZED_BOUND if name.endswith("_int8") else BOUNDS[options.type]
        expected = (torch_outputs if options.peer == "torch" else onnx_outputs)(name, options.size, options.type)
        net = networks.GraphLayers(options.type)
        outputs = networks.build(name, options.size, net)
        for way in ("fused", "node by node"):
            compiled = net.graph.compile(outputs, device=options.device, node_by_node=way != "fused")
            worst = networks.differences(networks.by_name(compiled.run(**net.inputs), outputs), expected)
            compiled.close()
            number, good = number + 1, max(held(name, options.type, worst)) < bound
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {name}, {options.size}, {options.type}, {way}: "
                  + ", ".join(f"{output} {difference:.1e}" for output, difference in worst.items()), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
