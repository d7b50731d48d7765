"""Tests graphs in models: test_graphs.py COMMAND MODELS_FOLDER. Prints TAP.

What is refused is refused without a device; what runs runs on the reference and on the default device.
"""
import copy
import json
import re
import struct
import sys

from command_harness import DEVICES, npy_bytes, resources, run, run_all, tell, write


def values(*numbers):
    return {"initialValuesDataType": "FLOAT32", "initialValues": list(numbers)}


def tensor(*sizes, **more):
    return {"DataType": "FLOAT32", "Sizes": list(sizes), **more}


def named():
    """relu(x * w + half), with a weight that the graph owns."""
    return {
        "resources": {"X": values(1, 2, 3, -4), "W": values(1, 2, 3, 4), "Y": {"initialValues": "deferred"}},
        "dispatchables": {"net": {
            "type": "graph",
            "inputs": {"x": tensor(1, 1, 2, 2), "w": tensor(1, 1, 2, 2, Flags="OWNED_BY_DML")},
            "nodes": {
                "relu": {"type": "ACTIVATION_RELU", "InputTensor": "add.OutputTensor",
                         "OutputTensor": tensor(1, 1, 2, 2)},
                "half": {"type": "constant", "DataType": "FLOAT32", "Sizes": [1, 1, 2, 2], "values": {"value": 0.5}},
                "gemm": {"type": "DML_OPERATOR_GEMM",
                         "desc": {"ATensor": "x", "BTensor": tensor(1, 1, 2, 2, Flags="OWNED_BY_DML", **{"from": "w"}),
                                  "OutputTensor": tensor(1, 1, 2, 2), "TransA": "NONE", "TransB": "NONE", "Alpha": 1,
                                  "Beta": 0}},
                "add": {"type": "ELEMENT_WISE_ADD", "ATensor": "gemm", "BTensor": "half",
                        "OutputTensor": tensor(1, 1, 2, 2)}},
            "outputs": {"y": "relu"},
            "bindings": {"w": "W"}}},
        "commands": [{"type": "dispatch", "dispatchable": "net", "bindings": {"x": "X", "y": "Y"}},
                     {"type": "print", "resource": "Y"},
                     {"type": "expect", "resource": "Y", "values": [7.5, 10.5, 0, 0]}]}


def declared():
    """(2 x + 10) x + 3.5, as DxDispatch's model has it."""
    def scale(by, bias):
        return {"type": "ELEMENT_WISE_IDENTITY", "desc": {"InputTensor": tensor(4), "OutputTensor": tensor(4),
                                                          "ScaleBias": {"Scale": by, "Bias": bias}}}
    def between(node, to, index):
        return {"FromNodeIndex": node, "FromNodeOutputIndex": 0, "ToNodeIndex": to, "ToNodeInputIndex": index}
    operators = ("node_0", "node_1", "node_2")
    return {
        "resources": {"x": values(4, -2, 3, -5), "y": {"initialValues": "deferred"}},
        "dispatchables": {
            "quadratic": {"type": "DML_GRAPH_DESC", "desc": {
                "InputCount": 1, "OutputCount": 1,
                "Nodes": [{"type": "DML_GRAPH_NODE_TYPE_OPERATOR", "Operator": name} for name in operators],
                "InputEdges": [{"GraphInputIndex": 0, "ToNodeIndex": node, "ToNodeInputIndex": 0} for node in (0, 1)],
                "OutputEdges": [{"FromNodeIndex": 2, "FromNodeOutputIndex": 0, "GraphOutputIndex": 0, "Name": "y"}],
                "IntermediateEdges": [between(0, 1, 1), between(1, 2, 0)]}},
            "node_0": scale(2, 10),
            "node_1": {"type": "ELEMENT_WISE_MULTIPLY", "ATensor": tensor(4), "BTensor": tensor(4),
                       "OutputTensor": tensor(4)},
            "node_2": scale(1, 3.5)},
        "commands": [{"type": "dispatch", "dispatchable": "quadratic", "bindings": {"GraphInputs[0]": "x", "y": "y"}},
                     {"type": "print", "resource": "y"}]}


def path_of(folder, model, name="graph.json"):
    return write(folder, name, json.dumps(model, indent=1))


def test_results(folder):
    for what, model, resource, printed in (("by names", named(), "Y", "7.5, 10.5, 0, 0"),
                                           ("as declared", declared(), "y", "75.5, -8.5, 51.5, 3.5")):
        path = path_of(folder, model)
        for where, options in DEVICES.items():
            for how in ([], ["--node-by-node"], ["-i", "3", "-r", "2"]):
                result = run("run", *options, *how, path)
                tell(result.returncode == 0 and not result.stderr and resources(result.stdout)[resource] == printed,
                     f"a graph {what} runs on {where} {' '.join(how)}", result.stdout + result.stderr)
        checked = run("check", path)
        tell(checked.returncode == 0 and not checked.stderr and "graph of " in checked.stdout,
             f"a graph {what} is fine", checked.stdout + checked.stderr)


def test_compare(folder):
    path = path_of(folder, named())
    result = run("run", "--compare", "reference", path)
    tell(result.returncode == 0 and "Dispatch 'net': y is the reference's: 4 elements, within" in result.stdout,
         "a graph's outputs are held to the reference", result.stdout + result.stderr)
    result = run("run", "--compare", "reference", "--per-node", "-i", "3", path)
    tell(result.returncode == 0 and "'net.gemm': OutputTensor is the reference's: 4 elements, within" in result.stdout
         and "'net.relu': OutputTensor is the reference's: 4 elements, bit for bit" in result.stdout,
         "and each node's, within its own accuracy", result.stdout + result.stderr)
    rows = re.findall(r"^  (gemm|add|relu|all of them|the graph, node by node|the graph) +(\S*) +([0-9.]+)(?: +[0-9.]+ %)?$",
                      result.stdout, re.MULTILINE)
    tell([row[0] for row in rows] == ["gemm", "add", "relu", "all of them", "the graph, node by node", "the graph"],
         "--per-node prints a table in the order of execution", result.stdout)
    document = json.loads(run("run", "--compare", "reference", "--per-node", "--json", path).stdout)
    dispatch = document["commands"][0]
    table = dispatch["per_node"]
    tell([node["name"] for node in table["nodes"]] == ["gemm", "add", "relu"]
         and abs(sum(node["median_ms"] for node in table["nodes"]) - table["sum_ms"]) < 1e-4 * table["sum_ms"]
         and table["graph_ms"] > 0 and table["node_by_node_ms"] > 0, "--json has the same", document)
    tell([one.get("dispatchable") for one in dispatch["comparisons"]] == [None, "net.gemm", "net.add", "net.relu"],
         "and says which node a comparison is of", document)
    tell((dispatch["iterations"], dispatch["warmup"]) == (2, 1), "the first dispatch, at which drivers compile, is not timed",
         dispatch)
    cold = json.loads(run("run", "--per-node", "-w", "0", "--json", path).stdout)["commands"][0]
    tell((cold["iterations"], cold["warmup"]) == (1, 0), "unless it is wanted", cold)
    result = run("run", "-a", "reference", "--per-node", path)
    tell(result.returncode == 0 and "medians by the CPU's clock" in result.stdout, "the reference's nodes are timed",
         result.stdout + result.stderr)
    owned = declared()
    result = run("run", "--per-node", "--compare", "reference", path_of(folder, owned))
    tell(result.returncode == 0 and "node_1" in result.stdout, "nodes that are dispatchables of the model are, too",
         result.stdout + result.stderr)


def test_declared_inputs(folder):
    """A file's shape is held to the input as it is declared, where a node reads it so."""
    write(folder, "x.npy", npy_bytes("<f4", "(1, 4)", struct.pack("<4f", 1, -2, 3, -4)))
    model = named()
    model["resources"]["X"] = {"initialValues": {"sourcePath": "x.npy"}}
    net = model["dispatchables"]["net"]
    net["inputs"]["x"] = tensor(1, 4)
    net["nodes"] = {"flat": {"type": "ACTIVATION_RELU", "InputTensor": tensor(2, 2, **{"from": "x"}), "OutputTensor": tensor(2, 2)},
                    "relu": {"type": "ELEMENT_WISE_ADD", "ATensor": "x", "OutputTensor": tensor(1, 4),
                             "BTensor": tensor(1, 4, **{"from": "flat"})}}
    del net["inputs"]["w"], net["bindings"], model["commands"][2]
    result = run("run", "-a", "reference", path_of(folder, model))
    tell(result.returncode == 0 and not result.stderr and resources(result.stdout)["Y"] == "2, -2, 6, -4",
         "a file of an input's shape is taken without a warning", result.stdout + result.stderr)
    net["nodes"]["relu"]["ATensor"] = tensor(1, 4, **{"from": "x"})
    result = run("run", "-a", "reference", path_of(folder, model))
    tell(result.returncode == 0 and "its elements are taken in their order" in result.stderr,
         "where none reads it so, the first one's is told", result.stdout + result.stderr)


def broken(change, base=named):
    model = copy.deepcopy(base())
    change(model["dispatchables"]["net" if base is named else "quadratic"])
    return model


def refuse(folder, what, model, expected, line_has):
    text = json.dumps(model, indent=1)
    path = write(folder, "graph.json", text)
    result = run("check", path)
    told = [re.match(r".*?:(\d+): (.*)", line) for line in result.stderr.splitlines()]
    lines = [text.splitlines()[int(match[1]) - 1] for match in told if match]
    tell(result.returncode == 1 and any(match and expected in match[2] for match in told)
         and any(line_has in line for line in lines), f"refused: {what}", f"{result.stderr}{lines}")


def test_names(folder):
    def set_input(node, field, value):
        return lambda net: net["nodes"][node].__setitem__(field, value)
    for what, change, expected, line_has in (
            ("a node that is not there", set_input("add", "ATensor", "gem"), "no input or node of 'net' is called 'gem'; "
             "did you mean gemm?", '"gem"'),
            ("an output that is not there", set_input("relu", "InputTensor", "add.OutputTenser"),
             "'net.add' has no output OutputTenser; did you mean OutputTensor?", "OutputTenser"),
            ("a field of a constant", set_input("add", "BTensor", "half.Out"), "which has no fields", "half.Out"),
            ("a field of an input", set_input("add", "BTensor", "x.Out"), "'x' is an input, which has no fields", "x.Out"),
            ("an input that reads nothing", set_input("relu", "InputTensor", tensor(1, 1, 2, 2)),
             "InputTensor reads nothing", '"InputTensor"'),
            ("an output that reads", set_input("relu", "OutputTensor", "x"), "OutputTensor is \"x\", must be an object",
             '"OutputTensor": "x"'),
            ("an operator that is not there", set_input("relu", "type", "RELU"), "did you mean ACTIVATION_RELU?", '"RELU"'),
            ("a name of two things", lambda net: net["inputs"].__setitem__("half", None), "is an input and a node",
             '"half"'),
            ("an input that is no tensor", lambda net: net["inputs"].__setitem__("x", "FLOAT32"),
             "input 'x' must be a tensor's descriptor, or null", '"FLOAT32"'),
            ("an output of nothing", lambda net: net["outputs"].__setitem__("y", "rely"), "did you mean relu?", "rely"),
            ("no outputs", lambda net: net.__setitem__("outputs", {}), "has no outputs", '"net"')):
        refuse(folder, what, broken(change), expected, line_has)
    for what, name in (("with a dot", "a.b"), ("that looks like a field", "half.OutputTensor")):
        def rename(net):
            net["nodes"][name] = net["nodes"].pop("half")
            net["nodes"]["add"]["BTensor"] = name
        result = run("run", "-a", "reference", path_of(folder, broken(rename)))
        tell(result.returncode == 0 and not result.stderr, f"a node's name {what} names it", result.stderr)


def test_rules(folder):
    def circle(net):
        net["nodes"]["gemm"]["desc"]["ATensor"] = tensor(1, 1, 2, 2, **{"from": "relu"})
        net["nodes"]["gemm"]["desc"]["ATensor"]["DataType"] = "FLOAT32"
    def larger(net):
        net["nodes"]["relu"]["InputTensor"] = tensor(1, 1, 2, 3, **{"from": "add"})
        net["nodes"]["relu"]["OutputTensor"] = tensor(1, 1, 2, 3)
    def unread(net):
        net["outputs"]["y"] = "gemm"
    def owned_between(net):
        net["nodes"]["relu"]["InputTensor"] = tensor(1, 1, 2, 2, Flags="OWNED_BY_DML", **{"from": "add"})
    def mixed(net):
        net["nodes"]["add"]["BTensor"] = tensor(1, 1, 2, 2, **{"from": "w"})
    for what, change, expected, line_has in (
            ("a circle", circle, "reads what it makes", '"relu"'),
            ("an edge of two sizes", larger, "has a TotalTensorSizeInBytes of 24, must be 16, what it reads", '"from"'),
            ("an output that nobody reads", unread, "nobody reads OutputTensor", '"relu"'),
            ("an intermediate that is OWNED_BY_DML", owned_between, "must then read an input of the graph", '"from"'),
            ("an input that some own", mixed, "must all be OWNED_BY_DML, or none", '"'),
            ("an output that is an input", lambda net: net["outputs"].__setitem__("z", "x"), "must come from a node",
             '"z"'),
            ("an owned input that nothing is bound to", lambda net: net.pop("bindings"), "nothing is bound to w",
             '"net"'),
            ("a constant with too few values", lambda net: net["nodes"]["half"].__setitem__("values", [1, 2]),
             "2 values are given, must be 4", '"values"'),
            ("a rule of an operator", lambda net: net["nodes"]["relu"]["OutputTensor"].__setitem__("DataType", "INT8"),
             "DML_OPERATOR_ACTIVATION_RELU: OutputTensor", "INT8")):
        refuse(folder, what, broken(change), expected, line_has)
    model = named()
    model["commands"][0]["bindings"]["z"] = "X"
    refuse(folder, "a binding that the graph has not", model, "graph has no tensor called z", '"z"')


def test_declared(folder):
    def desc(change):
        return lambda graph: change(graph["desc"])
    for what, change, expected, line_has in (
            ("a dispatchable that is not there", lambda desc: desc["Nodes"][0].__setitem__("Operator", "node_9"),
             "no dispatchable is called 'node_9'; did you mean node_0?", "node_9"),
            ("a graph in a graph", lambda desc: desc["Nodes"][0].__setitem__("Operator", "quadratic"),
             "is a graph, must be an operator", "quadratic"),
            ("an index too large", lambda desc: desc["InputEdges"][0].__setitem__("ToNodeIndex", 3),
             "ToNodeIndex is 3, must be a whole number below 3", "ToNodeIndex"),
            ("two edges into one input", lambda desc: desc["InputEdges"].append(desc["InputEdges"][0]),
             "two edges end at one input of a node", ""),
            ("an input without an edge", lambda desc: desc["IntermediateEdges"].pop(), "reads nothing, must have an edge",
             "")):
        refuse(folder, what, broken(desc(change), declared), expected, line_has)


def test_arrays(folder):
    parts = {"resources": {"X": values(1, 2, 3, 4), "Y": {"initialValues": "deferred"}},
             "dispatchables": {"swap": {
                 "type": "graph", "inputs": ["x"],
                 "nodes": {"split": {"type": "SPLIT", "InputTensor": tensor(1, 1, 1, 4, **{"from": "x"}),
                                     "OutputCount": 2, "OutputTensors": [tensor(1, 1, 1, 2), tensor(1, 1, 1, 2)], "Axis": 3},
                           "join": {"type": "JOIN", "InputCount": 2,
                                    "InputTensors": ["split.OutputTensors[1]",
                                                     tensor(1, 1, 1, 2, **{"from": "split.OutputTensors[0]"})],
                                    "OutputTensor": tensor(1, 1, 1, 4), "Axis": 3}},
                 "outputs": {"y": "join.OutputTensor"}}},
             "commands": [{"type": "dispatch", "dispatchable": "swap", "bindings": {"x": "X", "y": "Y"}},
                          {"type": "print", "resource": "Y"}]}
    for where, options in DEVICES.items():
        result = run("run", *options, path_of(folder, parts))
        tell(result.returncode == 0 and resources(result.stdout)["Y"] == "3, 4, 1, 2",
             f"tensors of arrays are named on {where}", result.stdout + result.stderr)
    parts["dispatchables"]["swap"]["nodes"]["join"]["InputTensors"][0] = "split"
    refuse(folder, "a node of two outputs without a field", parts, "has not one output", '"split"')
    parts["dispatchables"]["swap"]["nodes"]["join"]["InputTensors"][0] = "split.OutputTensors[2]"
    refuse(folder, "an element that is not there", parts, "has no output OutputTensors[2]", "[2]")
    unnamed = copy.deepcopy(parts)
    unnamed["dispatchables"]["swap"]["nodes"]["join"]["InputTensors"][0] = "x"
    refuse(folder, "a name alone of an input without a descriptor", unnamed, "has no descriptor where it is declared",
           '"x"')


def main():
    return run_all(test_results, test_compare, test_declared_inputs, test_names, test_rules, test_declared, test_arrays)


if __name__ == "__main__":
    sys.exit(main())
