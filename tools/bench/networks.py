#!/usr/bin/env python3
"""Times the networks of examples/networks as graphs: fused and node by node, their memory, and how long compiling takes. Prints a
Markdown table, and writes a run that tools/docs/performance_page.py makes the same table of.

networks.py [--size whole|small|tiny] [--type FLOAT32|FLOAT16|both] [--device NAME] [--seconds-each S] [--torch-compile] [--no-onnx]
            [--json FILE] [NETWORK..]

PyTorch (eager, and with --torch-compile by torch.compile too, on CUDA) and ONNX Runtime (CPU, one thread) are timed beside it where
they are installed. Times are medians, from a submission until its end is seen, with inputs and outputs on the device; on a GPU the
smallest networks wait for the host. For their ratio fused and node by node take turns, on a CPU in time of the processor.
"""
import argparse
import functools
import json
import math
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import network_peers  # noqa: E402
import vkdml  # noqa: E402
from network_peers import networks  # noqa: E402
from networks_table import table  # noqa: E402


def call_ms(function, clock=time.perf_counter):
    start = clock()
    function()
    return (clock() - start) * 1e3


def calls_ms(function, seconds, clock=time.perf_counter):
    """At least one call, and as many as begin within the time."""
    end, samples = time.perf_counter() + seconds, [call_ms(function, clock)]
    while time.perf_counter() < end:
        samples.append(call_ms(function, clock))
    return samples


def warm_up(function, seconds):
    """At least once, and half a second at most: an idle GPU has low clocks."""
    calls_ms(function, min(seconds, 0.5))


def median_ms(function, seconds):
    """At least 3 times."""
    warm_up(function, seconds)
    samples, end = [], time.perf_counter() + seconds
    while len(samples) < 3 or time.perf_counter() < end and len(samples) < 1000:
        samples.append(call_ms(function))
    return statistics.median(samples)


def turns_ratio(first, second, seconds, clock):
    """The second's time as a multiple of the first's: they take turns, of 20 ms or one call, and it is the median of pairs of
    turns. So both meet what changes on the machine meanwhile.
    """
    ratios, end = [], time.perf_counter() + 2 * seconds
    while len(ratios) < 5 or time.perf_counter() < end:
        turn = {}
        for function in (first, second) if len(ratios) % 2 else (second, first):
            turn[function] = statistics.median(calls_ms(function, 0.02, clock))
        ratios.append(turn[second] / turn[first])
    return statistics.median(ratios)


def compile_ms(net, device, **options):
    start = time.perf_counter()
    compiled = net.graph.compile(device=device, **options)
    return compiled, (time.perf_counter() - start) * 1e3


def naive_bytes(net):
    """Of what the nodes write, each in memory of its own, but the graph's outputs."""
    outputs = {value._source for value in net.graph._outputs.values()}
    return sum(math.ceil(source.bytes / 256) * 256 for node in net.graph._nodes for source in node.outputs
               if source is not None and source not in outputs)


def time_graph(net, device, seconds):
    """Of a CPU the ratio is of the processor's time: its threads may share a core for seconds, and then not."""
    result, ways = {}, {}
    inputs = {name: device.array(values) for name, values in net.inputs.items()}
    for way, options in (("fused", {}), ("nodes", {"node_by_node": True})):
        compiled, cold = compile_ms(net, device, **options)
        ways[way] = (compiled, {**inputs, **{name: device.array(tensor) for name, tensor in compiled.outputs.items()}})
        result[f"{way}_bytes"] = compiled.properties.temporary_bytes
        if way == "fused":  # both with the weights' way to the device
            again, warm = compile_ms(net, device, **options)
            again.close()
            result.update(cold_ms=cold, warm_ms=warm)
    run = {way: functools.partial(compiled, **arrays) for way, (compiled, arrays) in ways.items()}
    result.update({f"{way}_ms": median_ms(run[way], seconds) for way in run})
    cpu = any(info.name == device.name and info.type == "cpu" for info in vkdml.devices())
    result["nodes_ratio"] = turns_ratio(run["fused"], run["nodes"], seconds, time.process_time if cpu else time.perf_counter)
    for compiled, _ in ways.values():
        compiled.close()
    return result


def torch_ms(name, size, type_, seconds, compiled=False):
    """None where there is no CUDA, or torch.compile cannot compile it."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    try:
        run = network_peers.torch_network(name, size, type_, "cuda", compiled)

        def synchronized():
            run()
            torch.cuda.synchronize()
        return median_ms(synchronized, seconds)
    except Exception as error:  # whatever its compiler raises
        if not compiled:
            raise
        print(f"# {name} {type_}: torch.compile: {str(error).splitlines()[0]}", file=sys.stderr, flush=True)
        return None


def onnx_ms(name, size, type_, seconds):
    """With all data on the host. None where onnx or onnxruntime is missing."""
    try:
        import onnx_networks
    except ImportError:
        return None
    return median_ms(onnx_networks.onnx_network(name, size, type_), seconds)


def time_network(name, options, type_):
    net = networks.GraphLayers(type_)
    net.graph.outputs(networks.build(name, options.size, net))
    result = {"network": name, "type": type_, "nodes": len(net.graph._nodes), "naive_bytes": naive_bytes(net)}
    with vkdml.Device(options.device, variant=options.variant) as device:
        result.update(time_graph(net, device, options.seconds_each), device=device.name)
    result["torch_ms"] = torch_ms(name, options.size, type_, options.seconds_each)
    if options.torch_compile:
        result["torch_compile_ms"] = torch_ms(name, options.size, type_, options.seconds_each, compiled=True)
    result["onnx_ms"] = None if options.no_onnx else onnx_ms(name, options.size, type_, options.seconds_each)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    parser.add_argument("--size", choices=["whole", "small", "tiny"], default="whole")
    parser.add_argument("--type", choices=["FLOAT32", "FLOAT16", "both"], default="both")
    parser.add_argument("--device")
    parser.add_argument("--variant", choices=["PORTABLE", "SUBGROUP", "SERIAL"])
    parser.add_argument("--seconds-each", type=float, default=1)
    parser.add_argument("--torch-compile", action="store_true")
    parser.add_argument("--no-onnx", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    results = []
    for name in options.networks or networks.NETWORKS:
        wanted = ["FLOAT32", "FLOAT16"] if options.type == "both" else [options.type]
        for type_ in [type_ for type_ in wanted if type_ in networks.NETWORKS[name].types]:
            results.append(time_network(name, options, type_))
            print(f"# {name} {type_}: {results[-1]['fused_ms']:.2f} ms", file=sys.stderr, flush=True)
            run = {"schema": "vkdml-networks-1", "device": results[0]["device"], "size": options.size, "results": results}
            if options.json:  # so far
                pathlib.Path(options.json).write_text(json.dumps(run, indent=1) + "\n")
    print(table(run))


if __name__ == "__main__":
    main()
