"""Tests `vkdml explain`: test_explain.py COMMAND MODELS_FOLDER. Prints TAP."""
import json
import os
import re
import sys

from command_harness import MODELS, model_text, run, run_all, tell, write

def tensor(*sizes, **more):
    return {"DataType": "FLOAT32", "Sizes": sizes, **more}


GEMM = {"type": "GEMM", "ATensor": tensor(1, 1, 64, 32), "BTensor": tensor(1, 1, 32, 16, Flags="OWNED_BY_DML"),
        "OutputTensor": tensor(1, 1, 64, 16), "TransA": "NONE", "TransB": "NONE", "Alpha": 1, "Beta": 0,
        "bindings": {"BTensor": "B"}}
B = {"B": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 512, "value": 1}}}


def explain(*arguments, **keywords):
    return run("explain", *arguments, **keywords)


def test_models():
    for name in sorted(name for name in os.listdir(MODELS) if name.endswith(".json")):
        path = os.path.join(MODELS, name)
        with open(path, encoding="utf-8") as file:
            wanted = [line for line in file if '"DML_OPERATOR_' in line or '"type": "graph"' in line]
        result, as_json = explain(path), explain("--json", path)
        document = json.loads(as_json.stdout) if as_json.returncode == 0 else {}
        told = document.get("dispatchables", [])
        steps = [step for one in told for step in one["steps"]]
        tell(result.returncode == 0 and not result.stderr and result.stdout.startswith("on '")
             and result.stdout.count("\ndispatchable '") == len(told) == len(wanted),
             f"{name} is explained, each dispatchable once", f"{result.stdout}{result.stderr}{as_json.stderr}")
        tell(bool(steps) and all(one["notes"] or one["steps"][0]["notes"] for one in told)
             and all(step["buffers"] and step["kind"] in ("dispatch", "copy", "fill") for step in steps),
             f"{name}: every dispatchable has a note and steps with buffers", as_json.stdout)
        tell(all(step["workgroup_size"] == step["constants"]["LOCAL_SIZE"] > 0 and min(step["workgroups"]) > 0
                 and step["frame"] and step["kernel"] in result.stdout for step in steps if step["kind"] == "dispatch"),
             f"{name}: dispatches have a kernel and workgroups, and the text names it", as_json.stdout)
        tell(all(one["compile_ms"] > 0 for one in told), f"{name}: compiling took its time", as_json.stdout)


def test_owned(folder):
    path = write(folder, "product.json", model_text(B, {"product": GEMM}))
    document = json.loads(explain("--json", path).stdout)
    (product,) = document["dispatchables"]
    once = [step for step in product["steps"] if step["initializes"]]
    tell(product["operator"] == "DML_OPERATOR_GEMM" and len(once) == 1
         and [buffer["name"] for buffer in once[0]["buffers"]] == ["BTensor", "PersistentResource"]
         and [buffer["access"] for buffer in once[0]["buffers"]] == ["read", "write"],
         "an owned tensor is copied at initialization", product)
    tell(product["persistent_resource"] >= 32 * 16 * 4 and product["input_bytes"] == 4 * (64 * 32 + 32 * 16)
         and product["output_bytes"] == 4 * 64 * 16, "bytes and persistent memory are told", product)
    tell(any("64 x 16, sums of 32 products" in note for note in product["notes"]), "the product's sizes are told",
         product["notes"])
    text = explain("--values", path).stdout
    tell("TILE_M=" in text and "parameters: " in text and "once, at initialization: " in text,
         "--values prints constants by name, and parameters", text)


def test_steps(folder):
    path = write(folder, "product.json", model_text(B, {"product": GEMM}))
    result = explain("--steps", "1", path)
    tell(result.returncode == 0 and "  1. " in result.stdout and "  2. " not in result.stdout
         and "and 1 more (--steps 2 shows all)" in result.stdout, "--steps shows the first ones", result.stdout)


def test_variants(folder):
    """Figures are told as those of another device, and of its kernels alone."""
    path = write(folder, "product.json", model_text(B, {"product": GEMM}))
    pad = os.path.join(MODELS, "padding_edge.json")
    portable = explain(pad, env={"VKDML_KERNEL_VARIANT": "portable"})
    serial = explain(pad, env={"VKDML_KERNEL_VARIANT": "serial"})
    tell("portable kernels (forced)" in portable.stdout and "share of the copy peak: 0.76 to 0.99, measured on an NVIDIA "
         "H200: padding" in portable.stdout and "docs/performance/h200.md" in portable.stdout,
         "what was measured of a kernel is told with device and source", portable.stdout)
    tell("serial kernels (forced)" in serial.stdout and "share of the copy peak: not measured" in serial.stdout,
         "of processors' kernels nothing was measured", serial.stdout)
    product = explain(path, env={"VKDML_KERNEL_VARIANT": "portable"})
    tell("products wait for arithmetic, not for memory\n" in product.stdout, "products have another measure",
         product.stdout)


def test_figures():
    """What the table of measured shares says stands in the page that it names."""
    root = os.path.dirname(os.path.dirname(MODELS))
    with open(os.path.join(root, "tools", "vkdml", "explain", "share.c"), encoding="utf-8") as file:
        rows = re.findall(r'^    \{"(\w+)", (?:"([^"]*)"|NULL),.*?"([^"]*)"\},$', file.read(), re.MULTILINE | re.DOTALL)
    with open(os.path.join(root, "docs", "performance", "h200.md"), encoding="utf-8") as file:
        figures = set(re.findall(r"\d+(?:\.\d+)?", file.read()))
    told = {kernel: re.findall(r"\d+\.\d+", f"{share} {what}") for kernel, share, what in rows}
    missing = {kernel: set(numbers) - figures for kernel, numbers in told.items() if set(numbers) - figures}
    tell(len(rows) > 10 and sum(map(len, told.values())) > 15 and not missing,
         "measured shares stand in docs/performance/h200.md", missing or rows)


def test_refusals(folder):
    path = os.path.join(MODELS, "padding_edge.json")
    nothing = write(folder, "nothing", b"")
    result = explain(path, env={"VKDML_KERNEL_VARIANT": "quick"})
    tell(result.returncode == 1 and "VKDML_KERNEL_VARIANT" in result.stderr and not result.stdout,
         "a device that cannot be opened is a failure", result.stderr)
    result = explain("--device", "no such device", path)
    tell(result.returncode == 1 and result.stderr.startswith("vkdml: ") and not result.stdout,
         "so is one that is not there", result.stderr)
    # No driver: the loader is told of one manifest, which is empty.
    result = explain(path, env={"VK_ICD_FILENAMES": nothing, "VK_DRIVER_FILES": nothing})
    tell(result.returncode == 1 and "vkdml: " in result.stderr and not result.stdout,
         "without a Vulkan driver it says so", result.stderr)
    wrong = {("-a", "reference"): "only Vulkan devices have plans", ("--steps", "-1"): "must be a whole number",
             ("--bogus",): "bogus"}
    for arguments, reason in wrong.items():
        result = explain(*arguments, path)
        tell(result.returncode == 2 and reason in result.stderr and not result.stdout,
             f"{' '.join(arguments)} is wrong usage", result.stderr)
    result = explain()
    tell(result.returncode == 2, "a model must be given", result.stderr)
    bad = write(folder, "bad.json", model_text(B, {"product": {**GEMM, "ATensor": tensor(1, 1, 64, 31)}}))
    result = explain(bad)
    tell(result.returncode == 1 and "ATensor" in result.stderr and not result.stdout, "a model is held to the rules",
         result.stderr)


def test_added_nodes(folder):
    size = tensor(1, 2, 4, 4)
    numbers = {"type": "constant", "DataType": "FLOAT32", "Sizes": [1, 2, 1, 1], "values": {"value": 0.5}}
    nodes = {"filter": {"type": "constant", "DataType": "FLOAT32", "Sizes": [2, 2, 1, 1], "values": {"value": 0.5}},
             "numbers": numbers,
             "conv": {"type": "CONVOLUTION", "InputTensor": "x", "FilterTensor": "filter", "OutputTensor": size,
                      "Mode": "CROSS_CORRELATION", "Direction": "FORWARD", "DimensionCount": 2, "Strides": [1, 1],
                      "Dilations": [1, 1], "StartPadding": [0, 0], "EndPadding": [0, 0], "OutputPadding": [0, 0],
                      "GroupCount": 1},
             "norm": {"type": "BATCH_NORMALIZATION", "InputTensor": "conv", "MeanTensor": "numbers",
                      "VarianceTensor": "numbers", "ScaleTensor": "numbers", "BiasTensor": "numbers",
                      "OutputTensor": size, "Spatial": 1, "Epsilon": 0.5}}
    graph = {"type": "graph", "inputs": {"x": size}, "nodes": nodes, "outputs": {"y": "norm"}}
    path = write(folder, "folded.json", model_text(B, {"net": graph}))
    (net,) = json.loads(explain("--json", path).stdout)["dispatchables"]
    tell([(node["name"], node["role"]) for node in net["nodes"]] ==
         [("filter", "constant"), ("numbers", "constant"), ("conv", "executed"), ("norm", "fused"), ("zero", "constant"),
          ("conv filter", "initialized"), ("conv bias", "initialized")],
         "nodes that fusing added are told of behind the others", net)
    drawn = explain("--dot", path).stdout
    tell(drawn.endswith("}\n") and drawn.count("[label=") == 4 and "n4" not in drawn, "but not drawn", drawn)


def test_graphs(folder):
    size = tensor(1, 1, 4, 4)
    nodes = {"half": {"type": "constant", "DataType": "FLOAT32", "Sizes": [1, 1, 4, 4], "values": {"value": 0.5}},
             "twice": {"type": "ELEMENT_WISE_ADD", "ATensor": "half", "BTensor": "half", "OutputTensor": size},
             "product": {"type": "GEMM", "ATensor": "x", "BTensor": "w", "OutputTensor": size, "TransA": "NONE",
                         "TransB": "NONE", "Alpha": 1, "Beta": 0},
             "sum": {"type": "ELEMENT_WISE_ADD", "ATensor": "product", "BTensor": "twice", "OutputTensor": size},
             "relu": {"type": "ACTIVATION_RELU", "InputTensor": "sum", "OutputTensor": size}}
    graph = {"type": "graph", "inputs": {"x": size, "w": tensor(1, 1, 4, 4, Flags="OWNED_BY_DML")}, "nodes": nodes,
             "outputs": {"y": "relu"}, "bindings": {"w": "B"}}
    path = write(folder, "graph.json", model_text(B, {"net": graph}))
    (net,) = json.loads(explain("--json", "--node-by-node", path).stdout)["dispatchables"]
    told = {node["name"]: node for node in net["nodes"]}
    tell(net["operator"] == "graph" and {name: node["role"] for name, node in told.items()} ==
         {"half": "constant", "twice": "initialized", "product": "executed", "sum": "executed", "relu": "executed"},
         "what becomes of a graph's nodes is told", net)
    tell([told[name]["level"] for name in ("product", "sum", "relu")] == [0, 1, 2], "and their levels", net)
    steps = net["steps"]
    tell(all(steps[told[name]["step"]]["frame"] == frame and told[name]["step_count"] >= 1
             for name, frame in (("product", "product"), ("sum", "map"), ("relu", "map")))
         and steps[told["twice"]["initial_step"]]["initializes"] and told["twice"]["step_count"] == 0,
         "and which steps are theirs", net)
    tell(net["barriers"] == sum(step["barrier_before"] and not step["initializes"] for step in steps)
         and max(net["level_bytes"]) == net["least_temporary_resource"] <= net["temporary_resource"],
         "barriers are counted, and memory by level", net)
    tell(any(note.startswith("Nodes[2] (product): ") for note in net["notes"]), "notes bear their node", net["notes"])
    text = explain("--node-by-node", path).stdout
    tell("temporary memory that is needed, by level: 256 512 256; no placement takes less than 512 bytes" in text,
         "the text has memory", text)
    tell(re.search(r"^    twice +ELEMENT_WISE_ADD +at initialization alone, once 1 step from 3 on", text, re.MULTILINE),
         "and what is done at initialization", text)
    example = os.path.join(MODELS, "graph.json")
    (network,) = json.loads(explain("--json", example).stdout)["dispatchables"]
    nodes = {node["name"]: node for node in network["nodes"]}
    tell(len(nodes) == 6 and nodes["relu"]["role"] == "fused" and nodes["relu"]["step_count"] == 0
         and network["nodes"][nodes["relu"]["group"]]["name"] == "conv"
         and any(note == "Nodes[2] (relu) is fused into Nodes[1] (conv)" for note in network["notes"]),
         "nodes that others do are told of", network)
    tell(explain("--dot", example).stdout.count("subgraph cluster_") == 1, "and drawn in one box", "")
    maps = {"negated": {"type": "ELEMENT_WISE_NEGATE", "InputTensor": "x", "OutputTensor": size},
            "product": {"type": "ELEMENT_WISE_MULTIPLY", "ATensor": "negated", "BTensor": "w", "OutputTensor": size},
            "mean": {"type": "ELEMENT_WISE_MEAN", "ATensor": "product", "BTensor": "x", "OutputTensor": size},
            "sine": {"type": "ELEMENT_WISE_SIN", "InputTensor": "mean", "OutputTensor": size}}
    chain = write(folder, "chain.json", model_text(B, {"net": {**graph, "nodes": maps, "outputs": {"y": "sine"}}}))
    (net,) = json.loads(explain("--json", chain).stdout)["dispatchables"]
    tell([(node["role"], net["nodes"][node["group"]]["name"], node["step_count"]) for node in net["nodes"]] ==
         [("fused", "mean", 0), ("fused", "mean", 0), ("executed", "mean", 1), ("executed", "sine", 1)]
         and any("program of 3 instructions on 2 operands" in note for note in net["notes"])
         and any(note == "Nodes[0] (negated) is fused into Nodes[2] (mean)" for note in net["notes"]),
         "nodes of a chain are told to be one", net)
    (net,) = json.loads(explain("--json", "--node-by-node", chain).stdout)["dispatchables"]
    tell([node["role"] for node in net["nodes"]] == ["executed"] * 4, "but not node by node", net)
    drawn = explain("--dot", path).stdout
    tell(drawn.startswith('digraph "net" {') and drawn.endswith("}\n") and drawn.count(" -> ") == 8
         and drawn.count("{") == drawn.count("}") and "product\\nGEMM\\n1 x 1 x 4 x 4 FLOAT32" in drawn,
         "--dot draws nodes and edges", drawn)
    plain = explain("--dot", write(folder, "product.json", model_text(B, {"product": GEMM})))
    tell(plain.returncode == 1 and "has no graph to draw" in plain.stderr, "a model without graphs is not drawn",
         plain.stderr)


def main():
    return run_all(test_graphs, test_added_nodes, test_models, test_figures, test_owned, test_steps, test_variants, test_refusals)


if __name__ == "__main__":
    sys.exit(main())
