"""Tests the command on ONNX models: test_onnx.py COMMAND MODELS_FOLDER WRONG_LOADER_FOLDER. Prints TAP."""
import json
import os
import re
import struct
import sys

from command_harness import npy_bytes, resources, run, run_all, tell, write
from onnx_models import FLOAT, FLOAT16, INT32, INT64, model, node, number, tensor, text as field, value_info

WRONG = os.path.abspath(sys.argv[3])
IDENTITY = os.path.join(sys.argv[2], "padding_edge.json")


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def network():
    """y = transposed (x * w + x), n = the shape of x."""
    return model([node("Mul", ["x", "w"], ["h"], "scale"), node("Add", ["h", "x"], ["s"], "sum"),
                  node("Transpose", ["s"], ["y"], "turn", perm=[1, 0]), node("Shape", ["x"], ["n"])],
                 [value_info("x", FLOAT, ["batch", 3])],
                 [value_info("y", FLOAT, [3, "batch"]), value_info("n", INT64, [2])], [tensor("w", FLOAT, [3], [1, 2, 3])])


def test_run(folder):
    path = write(folder, "net.onnx", network())
    x = write(folder, "x.npy", npy_bytes("<f4", "(2, 3)", floats(1, 2, 3, 4, 5, 6)))
    for device in ([], ["-a", "reference"]):
        result = run("run", *device, "--input", f"x={x}", path)
        tell(result.returncode == 0 and resources(result.stdout) == {"y": "2, 8, 6, 15, 12, 24", "n": "2, 3"},
             f"a model runs on {device or 'the device'}, and the file says the size that it leaves open", result)
    zeros = run("--zeros", "--size", "batch=1", path)
    tell(zeros.returncode == 0 and resources(zeros.stdout) == {"y": "0, 0, 0", "n": "1, 3"}, "--zeros, and a path alone", zeros)
    random = [run("run", "--size", size, path).stdout for size in ("batch=2", "x.0=2", "batch=3")]
    tell(resources(random[0]) == resources(random[1]) != resources(random[2]) and resources(random[2])["n"] == "3, 3",
         "random inputs are the same each time; a size goes by its name or its place", random)
    tell(len(resources(run("run", path).stdout)["y"].split(",")) == 3, "sizes that are open are 1")
    document = json.loads(run("run", "--json", "--input", f"x={x}", path).stdout)
    printed = [command for command in document["commands"] if command["type"] == "print"]
    tell(document["succeeded"] and [(one["resource"], one["shape"], one["values"]) for one in printed] ==
         [("y", [3, 2], [2, 8, 6, 15, 12, 24]), ("n", [2], [2, 3])], "--json prints a document", document)
    written = os.path.join(folder, "y.npy")
    result = run("run", "--input", f"x={x}", "--output", f"y={written}", path)
    with open(written, "rb") as file:
        content = file.read()
    tell(result.returncode == 0 and b"'<f4'" in content and b"(3, 2)" in content and
         content.endswith(floats(2, 8, 6, 15, 12, 24)) and resources(result.stdout).keys() == {"n"},
         "--output writes a .npy file instead", result)


def test_sizes_that_depend_on_data(folder):
    """NonZero ends a plan: what reads it has as many elements as it found."""
    path = write(folder, "found.onnx", model(
        [node("Relu", ["x"], ["a"]), node("NonZero", ["a"], ["p"]), node("Cast", ["p"], ["f"], to=1), node("Neg", ["f"], ["y"])],
        [value_info("x", FLOAT, [5])], [value_info("y", FLOAT, [1, "n"])]))
    x = write(folder, "found.npy", npy_bytes("<f4", "(5,)", floats(0, 1, -1, 2, 3)))
    for options in ([], ["-a", "reference"], ["--compare", "cpu"], ["-i", "3"]):
        result = run("run", *options, "--input", f"x={x}", path)
        tell(result.returncode == 0 and resources(result.stdout) == {"y": "-1, -3, -4"}, f"sizes depend on data {options}", result)
    result = run("check", "--input", f"x={x}", path)
    tell(result.returncode == 0 and all(name in result.stdout for name in ("RELU", "CAST", "NEGATE")),
         "check goes on after a node that ends a plan", result)
    result = run("explain", "--input", f"x={x}", path)
    tell(result.returncode == 0 and "RELU" in result.stdout and "NEGATE" not in result.stdout and "depend on data" in result.stderr,
         "explain tells of the graph before it", result)


def test_intermediates(folder):
    """The square of 300 is beyond FLOAT16, the quotient is not."""
    path = write(folder, "rms.onnx", model(
        [node("Mul", ["x", "x"], ["s"]), node("ReduceMean", ["s"], ["m"], axes=[-1]), node("Sqrt", ["m"], ["r"]),
         node("Div", ["x", "r"], ["y"])], [value_info("x", FLOAT16, [1, 2])], [value_info("y", FLOAT16, None)]))
    x = write(folder, "x16.npy", npy_bytes("<f2", "(1, 2)", struct.pack("<2e", 300, 0)))
    for options, expected in (([], "0, 0"), (["--float32-intermediates"], "1.414, 0")):
        result = run("run", *options, "--compare", "cpu", "--input", f"x={x}", path)
        tell(result.returncode == 0 and resources(result.stdout) == {"y": expected}, f"FLOAT16 {options} gives {expected}", result)
        result = run("explain", *options, path)
        tell(result.returncode == 0 and ("CAST" in result.stdout) == bool(options), f"explain {options} tells of casts", result)


def test_wrong(folder):
    path = write(folder, "net.onnx", network())
    half = write(folder, "half.npy", npy_bytes("<f2", "(1, 3)", b"\0" * 6))
    wide = write(folder, "wide.npy", npy_bytes("<f4", "(1, 4)", b"\0" * 16))
    for arguments, reason in {
        ("--input", "z=f.npy"): "there is no input 'z'",
        ("--output", "why=f.npy"): "there is no output 'why'",
        ("--size", "bach=2"): "no input leaves a size 'bach' open",
        ("--input", "x=/nowhere.npy"): "/nowhere.npy: No such file",
        ("--input", f"x={half}"): "is of type FLOAT16, input 'x' of FLOAT",
        ("--input", f"x={wide}"): "has other dimensions than input 'x'",
        ("--size", "batch=0", "-a", "no such device"): "no such device",
    }.items():
        result = run("run", *arguments, path)
        tell(result.returncode == 1 and reason in result.stderr, f"{' '.join(arguments[:2])} is refused with the reason", result)
    for arguments, reason in {
        ("run", "--size", "batch", path): "'batch' must be NAME=N",
        ("run", "--size", "batch=two", path): "'two' must be a whole number",
        ("run", "--per-node", path): "are of JSON models",
        ("run", "--zeros", IDENTITY): "are of ONNX models",
        ("check", "--zeros", IDENTITY): "are of ONNX models",
        ("check", "--level", "5_0", path): "of an ONNX model there are",
        ("explain", "--dot", path): "are of JSON models",
        ("explain", "--half", IDENTITY): "are of ONNX models",
        ("run", "--float32-intermediates", IDENTITY): "are of ONNX models",
        ("bench", "--float32-intermediates", IDENTITY): "are of ONNX models",
        ("bench", "--half", IDENTITY): "are of ONNX models",
        ("bench", "--zeros"): "are of ONNX models",
    }.items():
        result = run(*arguments)
        tell(result.returncode == 2 and reason in result.stderr, f"{' '.join(arguments[:3])} is wrong usage", result)
    for name, content in {"nothing": b"", "text": b"no model at all", "half": network()[:-40]}.items():
        result = run("run", write(folder, name + ".onnx", content))
        tell(result.returncode == 1 and result.stderr.startswith("vkdml: ") and not result.stdout, f"{name} is no model", result)
    empty = write(folder, "open.onnx", model([node("Identity", ["x"], ["y"])], [value_info("x", FLOAT, None)],
                                             [value_info("y", FLOAT, None)]))
    result = run("run", empty)
    tell(result.returncode == 1 and "input 'x' has no shape: --input x=FILE.npy" in result.stderr,
         "an input without a shape needs a file", result)
    result = run("run", "--input", f"x={wide}", empty)
    tell(result.returncode == 0 and resources(result.stdout) == {"y": "0, 0, 0, 0"}, "which gives it one", result)


def test_strings(folder):
    """Of types that nothing computes with no output is made."""
    text = number(1, 2) + number(2, 8) + field(6, "one") + field(6, "two") + field(8, "t")
    bfloat = number(1, 2) + number(2, 16) + field(9, b"\x80\x3f\x00\x40") + field(8, "t")
    for constant, type_ in ((text, 8), (bfloat, 16)):
        path = write(folder, "text.onnx", model([node("Identity", ["x"], ["y"]), node("Identity", ["t"], ["s"])],
                                                [value_info("x", FLOAT, [2])],
                                                [value_info("y", FLOAT, [2]), value_info("s", type_, [2])], [constant]))
        result = run("run", "--zeros", path)
        tell(result.returncode == 1 and re.search("output (1|'s') is of type (STRING, which is not computed with|BFLOAT16, which "
                                                  "is not told)", result.stderr), f"an output of type {type_} is refused", result)


def test_compare(folder):
    path = write(folder, "net.onnx", network())
    result = run("run", "--compare", "cpu", path)
    tell(result.returncode == 0 and "y is the reference's: 3 elements" in result.stdout
         and re.search(r"^Node by node all 4 values are the reference's, within \S+ of the largest", result.stdout, re.M),
         "--compare holds outputs and nodes to the reference", result)
    result = run("run", "--compare", "cpu", "--json", path)
    compared = [(one.get("dispatchable"), one["tensor"]) for one in json.loads(result.stdout)["commands"][0]["comparisons"]]
    tell(compared == [("Mul scale", "h"), ("Add sum", "s"), ("Transpose turn", "y"), ("Shape", "n"), (None, "y"), (None, "n")],
         "each node in its order, and then the outputs", compared)


def test_a_fault_is_found(folder):
    # Without inputs the first bytes of the memory that goes wrong are an output's. The first wait is for the constants, the
    # second for the run, and then come as many for each node. So much is not computed while planning.
    path = write(folder, "chain.onnx", model([node("Add", ["w", "w"], ["h"], "one"), node("Mul", ["h", "h"], ["y"], "two")],
                                             [], [value_info("y", INT32, [20000])], [tensor("w", INT32, [20000], range(20000))]))
    output = ("--output", "y=" + os.path.join(folder, "wrong.npy"))
    library_path = os.pathsep.join(filter(None, [WRONG, os.environ.get("LD_LIBRARY_PATH")]))
    whole, nodes = (run("run", "--compare", "cpu", *output, path,
                        env={"LD_LIBRARY_PATH": library_path, "VKDML_TEST_WRONG_WAIT": wait}) for wait in ("2", "4"))
    tell(whole.returncode == 1 and "Dispatch 'net': y differs from the reference: 1 of 20000 elements" in whole.stderr
         and "Node by node all 2" in whole.stdout and "Every node by itself is right" in whole.stderr,
         "an output that is wrong is told, with how much", whole)
    tell(nodes.returncode == 1 and "Dispatch 'Add one': h differs from the reference: 1 of 20000 elements" in nodes.stderr
         and "node 'one' (Add): output 'h' is not the CPU reference's: 1 of 20000 elements is wrong, most at [0]" in nodes.stderr
         and "inputs: 'w' INT32 [20000] from 0 to 19999" in nodes.stderr and "Node by node 1 of 2 values differ" in nodes.stderr,
         "so is the node that is, with its inputs' ranges", nodes)


def test_ill_conditioned(folder):
    """A sum that cancels, in one node and in a chain: rounding moves every element farther than the bound."""
    count, width = 512, 16
    weights = [((i * 7919 + 12289) % 20011) / 10000 - 1 for i in range(count * width)]
    x = write(folder, "x.npy", npy_bytes("<f4", f"(1, {count})", floats(*[3.0] * count)))
    sums = [3 * sum(struct.unpack("<f", floats(weight))[0] for weight in weights[j::width]) for j in range(width)]
    chain = [node("MatMul", ["x", "w"], ["h"], "sum"), node("Sub", ["h", "about"], ["less"], "less"),
             node("Mul", ["less", "many"], ["more"], "more"), node("Tanh", ["more"], ["y"], "tanh")]
    path = write(folder, "chain.onnx", model(
        chain, [value_info("x", FLOAT, [1, count])], [value_info("y", FLOAT, [1, width])],
        [tensor("w", FLOAT, [count, width], weights), tensor("about", FLOAT, [1, width], sums), tensor("many", FLOAT, [], [1e5])]))
    result = run("run", "--compare", "cpu", "--input", f"x={x}", path)
    tell(result.returncode == 0 and "Node by node all 4" in result.stdout, "nodes are judged from their own inputs", result)
    # The same weights twice, of both signs: what is left is rounding.
    pairs = weights[:count * width // 2]
    path = write(folder, "cancel.onnx", model(
        [node("MatMul", ["x", "w"], ["y"], "cancel")], [value_info("x", FLOAT, [1, count])], [value_info("y", FLOAT, [1, width])],
        [tensor("w", FLOAT, [count, width], pairs + [-weight for weight in pairs])]))
    values = [1e4 * (1 + i * 0.37 % 1) for i in range(count // 2)]
    x = write(folder, "pairs.npy", npy_bytes("<f4", f"(1, {count})", floats(*values, *[v * (1 + 1e-7) for v in values])))
    result = run("run", "--compare", "cpu", "--input", f"x={x}", path)
    tell(result.returncode == 0 and "elements are outside the bound, but rounding" in result.stdout,
         "an element may be off by as much as rounding of the inputs moves it", result)


def test_finite(folder):
    """RMSNorm written out in FLOAT16: 300 squared is infinite, and what comes out is finite again."""
    x = write(folder, "x.npy", npy_bytes("<f2", "(1, 2)", struct.pack("<2e", 300, 0)))
    norm = [node("Mul", ["x", "x"], ["square"], "squares"), node("ReduceMean", ["square"], ["mean"], "mean", axes=[1]),
            node("Sqrt", ["mean"], ["root"], "root"), node("Div", ["x", "root"], ["y"], "scale")]
    path = write(folder, "norm.onnx", model(norm, [value_info("x", FLOAT16, [1, 2])], [value_info("y", FLOAT16, [1, 2])], opset=13))
    for device in ([], ["-a", "reference"]):
        result = run("run", *device, "--check", "finite", "--input", f"x={x}", path)
        tell(result.returncode == 1 and "node 'squares' (Mul): output 'square' has 1 inf and 0 NaN of 2 elements: the result exceeds "
             "the largest FLOAT16, 65504; in FLOAT it is from 0 to 90000; inputs: 'x' FLOAT16 [1, 2] from 0 to 300, 0 inf, 0 NaN"
             in result.stderr and "'mean'" not in result.stderr, "the first node that overflows is told, and why", result)
    small = write(folder, "small.npy", npy_bytes("<f2", "(1, 2)", struct.pack("<2e", 3, 4)))
    result = run("run", "--check", "finite", "--input", f"x={small}", path)
    tell(result.returncode == 0 and "no node makes infinities or NaN of finite inputs: 4 values" in result.stdout,
         "nothing is told of what is finite", result)
    for op, value, reason in (("Log", 0, "the logarithm of 0"), ("Log", -1, "the logarithm of a negative number"),
                              ("Sqrt", -1, "the square root of a negative number"), ("Reciprocal", 0, "the reciprocal of 0"),
                              ("Exp", 1000, "the result exceeds the largest FLOAT, 3.40e38"), ("Abs", float("inf"), None)):
        one = write(folder, "one.onnx", model([node(op, ["x"], ["y"], "one")], [value_info("x", FLOAT, [1])],
                                              [value_info("y", FLOAT, [1])]))
        x = write(folder, "one.npy", npy_bytes("<f4", "(1,)", floats(value)))
        result = run("run", "--check", "finite", "--input", f"x={x}", one)
        tell(result.returncode == (1 if reason else 0) and (reason or "") in result.stderr, f"{op} of {value}", result)
    result = run("run", "--check", "finite", IDENTITY)
    tell(result.returncode == 2 and "--check finite are of ONNX models" in result.stderr, "a JSON model has no such check", result)


def test_check(folder):
    good = run("check", write(folder, "net.onnx", network()))
    tell(good.returncode == 0 and "  Mul 17 'scale' -> ELEMENT_WISE_MULTIPLY\n" in good.stdout
         and "  Shape 17 of n: a view, or known" in good.stdout and good.stdout.endswith(": fine: 4 nodes, 2 DirectML operators\n"),
         "check tells what nodes become", good)
    bad = model([node("Mul", ["x", "x"], ["h"], "scale"), node("Wrong", ["h"], ["s"], "odd"), node("Add", ["s", "x"], ["t"], "sum"),
                 node("Odd", ["t"], ["u"]), node("Add", ["u", "u"], ["y"], "last"), node("Add", ["h", "h"], ["unused"], "idle")],
                [value_info("x", FLOAT, ["batch", 3])], [value_info("y", FLOAT, ["batch", 3])],
                values=[value_info("s", FLOAT, ["batch", 3])])
    path = write(folder, "bad.onnx", bad)
    result = run("check", "--size", "batch=5", path)
    lines = result.stdout.splitlines()
    tell(result.returncode == 1 and lines[2:7] == [
        "  Wrong 17 'odd': refused: there is no translation of Wrong 17", "  Add 17 'sum' -> ELEMENT_WISE_ADD",
        "  Odd 17 of u: refused: there is no translation of Odd 17",
        "  Add 17 'last': not looked at: it reads what a refused node makes, whose shape the model does not say",
        "  Add 17 'idle': left out: no output depends on it"] and "2 nodes refused, 1 not looked at" in lines[-1],
        "all refusals are told, and what is behind them", result)
    shaped = model([node("Reshape", ["x", "to"], ["y"])], [value_info("x", FLOAT, [2, 3]), value_info("to", INT64, [1])],
                   [value_info("y", FLOAT, ["n"])])
    to = write(folder, "to.npy", npy_bytes("<i8", "(1,)", struct.pack("<q", 6)))
    result = run("check", "--input", f"to={to}", write(folder, "shaped.onnx", shaped))
    tell(result.returncode == 0 and "fine: 1 node, 0 DirectML operators" in result.stdout,
         "a shape that an input holds is looked at", result)


def test_check_open(folder):
    """Without --size a model is checked for sizes that stay open: no one size decides."""
    path = write(folder, "open.onnx", model(
        [node("Conv", ["x", "w"], ["c"], "window"), node("Reshape", ["c", "to"], ["y"])],
        [value_info("x", FLOAT, ["batch", 1, None])], [value_info("y", FLOAT, ["n"])],
        [tensor("w", FLOAT, [1, 1, 5], [1] * 5), tensor("to", INT64, [1], [-1])]))
    result = run("check", path)
    tell(result.returncode == 0 and "  sizes that are open: batch, x.2 (--size NAME=N states one)\n" in result.stdout
         and "-> CONVOLUTION" in result.stdout and "  runs where 'x.2' >= 5 (Conv 17 'window')\n" in result.stdout
         and ": fine: 2 nodes" in result.stdout, "a window fits some open size, which is stated", result)
    result = run("check", "--size", "batch=2", path)
    tell(result.returncode == 0 and "open: x.2 (" in result.stdout, "sizes that are stated are not open", result)
    result = run("check", "--size", "batch=2", "--size", "x.2=4", path)
    tell(result.returncode == 1 and "open" not in result.stdout.splitlines()[1] and "refused: a window of 5 in 4" in result.stdout,
         "where all are stated they decide", result)
    wide = write(folder, "wide.onnx", model([node("Conv", ["x", "w"], ["y"])], [value_info("x", FLOAT, [1, 1, "n"])],
                                            [value_info("y", FLOAT, [1, 1, "m"])], [tensor("w", FLOAT, [1, 1, 1000], [1] * 1000)]))
    result = run("check", wide)
    tell(result.returncode == 0 and "  runs where 'n' >= 1000 (Conv 17 of y)\n" in result.stdout,
         "a window of any size fits some open size", result)
    result = run("run", "--size", "n=999", wide)
    tell(result.returncode == 1 and "a window of 1000 in 999 elements; the model needs 'n' >= 1000, but it is 999" in result.stderr,
         "a run that does not fit names the condition", result)
    result = run("explain", "--size", "n=999", wide)
    tell(result.returncode == 1 and "the model needs 'n' >= 1000, but it is 999" in result.stderr, "and explain does", result)
    never = write(folder, "never.onnx", model([node("Reshape", ["x", "to"], ["y"])], [value_info("x", FLOAT, [2, "n"])],
                                              [value_info("y", FLOAT, ["m"])], [tensor("to", INT64, [1], [7])]))
    result = run("check", never)
    tell(result.returncode == 1 and "fits no size that was tried: a shape of another number" in result.stdout
         and ": undecided: 1 node" in result.stdout and "runs where" not in result.stdout, "what no size fits is undecided", result)
    shaped = write(folder, "held.onnx", model([node("Reshape", ["x", "to"], ["y"])], [value_info("x", FLOAT, ["n", 4]),
                                                                                      value_info("to", INT64, [2])],
                                              [value_info("y", FLOAT, ["a", "b"])]))
    to = write(folder, "held.npy", npy_bytes("<i8", "(2,)", struct.pack("<2q", 8, 3)))
    result = run("check", "--input", f"to={to}", shaped)
    tell(result.returncode == 0 and "  runs where 'n' = 6 (Reshape 17 of y)\n" in result.stdout,
         "elements of inputs count while sizes are open", result)
    bad = write(folder, "odd.onnx", model([node("Odd", ["x"], ["y"])], [value_info("x", FLOAT, ["n"])],
                                          [value_info("y", FLOAT, ["n"])]))
    result = run("check", bad)
    tell(result.returncode == 1 and "y: refused: there is no translation of Odd" in result.stdout and ": refused: 1 node" in result.stdout,
         "what no size helps is refused", result)


def test_names(folder):
    """Names of a file may hold anything: what is printed is a line of visible text, and not longer than one can read."""
    wild = "\x1b[31mred\x1b[0m\nrow\u202e"
    shown = "\\x1b[31mred\\x1b[0m\\nrow\\xe2\\x80\\xae"
    long = "n" * 100000
    path = write(folder, "wild.onnx", model(
        [node("Add", [wild, wild], [wild + "h"], wild), node(wild, [wild + "h"], [long], long)],
        [value_info(wild, FLOAT, [wild])], [value_info(long, FLOAT, [wild])], name=wild))
    good = write(folder, "good.onnx", model([node("Add", [wild, wild], [wild + "y"], wild)], [value_info(wild, FLOAT, [wild])],
                                            [value_info(wild + "y", FLOAT, [wild])], name=wild))
    none = write(folder, "none.onnx", model([node("Add", [wild, long], ["y"])], [value_info(wild, FLOAT, [2])],
                                            [value_info("y", FLOAT, [2])]))
    for arguments in (("check", path), ("run", good), ("run", none), ("explain", good), ("run", "-v", "1", "--compare", "cpu", good),
                      ("bench", "--seconds-each", "0", "--repeat", "1", good), ("run", "--input", "z=f", good)):
        result = run(*arguments)
        told = result.stdout + result.stderr
        tell(not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", told) and not re.search("^row", told, re.M) and len(told) < 8000,
             f"{arguments[0]} of {os.path.basename(arguments[-1])} prints visible text", result)
    result = run("check", path)
    tell(f"{shown} 17 'nnnnn" in result.stdout and "... (100000 bytes)'" in result.stdout
         and f"  Add 17 '{shown}' -> ELEMENT_WISE_ADD" in result.stdout, "names are escaped and shortened", result)


def test_optional(folder):
    """An input with an initializer has its value, or what --input gives; what is no tensor is refused by its kind."""
    path = write(folder, "optional.onnx", model([node("Mul", ["x", "w"], ["y"])], [value_info("x", FLOAT, [3]), value_info("w", FLOAT, ["m"])],
                                                [value_info("y", FLOAT, [3])], [tensor("w", FLOAT, [3], [1, 2, 3])]))
    x = write(folder, "ones.npy", npy_bytes("<f4", "(3,)", floats(1, 1, 1)))
    w = write(folder, "w.npy", npy_bytes("<f4", "(1,)", floats(7)))
    for more, values in (([], "1, 2, 3"), (["--input", f"w={w}"], "7, 7, 7")):
        result = run("run", "--input", f"x={x}", *more, path)
        tell(result.returncode == 0 and resources(result.stdout) == {"y": values}, f"y is {values}", result)
    kinds = {4: "a sequence", 5: "a map", 9: "an optional value"}
    for number_, kind in kinds.items():
        info = field(1, "x") + field(2, field(number_, b""))
        result = run("check", write(folder, "kind.onnx", model([node("Identity", ["x"], ["y"])], [info], [value_info("y", FLOAT, None)])))
        tell(result.returncode == 1 and f"input 'x' is {kind}: maps, sequences and optional values are not supported" in result.stderr,
             f"{kind} is refused", result)
    result = run("check", write(folder, "newer.onnx", model([node("Identity", ["x"], ["y"])], [value_info("x", FLOAT, [1])],
                                                            [value_info("y", FLOAT, [1])], opset=29)))
    tell(result.returncode == 1 and "operator set 29 of ai.onnx is not supported: 28 is the newest" in result.stderr,
         "a newer operator set is refused", result)


def test_batches_are_rows(folder):
    """A product of batches is one of matrices; what follows it by the batches' sizes is done with it."""
    path = write(folder, "rows.onnx", model(
        [node("MatMul", ["x", "w"], ["p"], "product"), node("Add", ["p", "b"], ["s"], "bias"), node("Relu", ["s"], ["r"], "relu"),
         node("Add", ["r", "x"], ["y"], "residual")],
        [value_info("x", FLOAT, [2, 3, 2])], [value_info("y", FLOAT, [2, 3, 2])],
        [tensor("w", FLOAT, [2, 2], [1, 2, 3, 4]), tensor("b", FLOAT, [2], [-5, 6])]))
    told = run("explain", path).stdout
    tell(all(re.search(rf"^    {name} .* done by product$", told, re.M) for name in ("bias", "relu", "residual")),
         "what follows a product is done with it", told)
    x = write(folder, "rows.npy", npy_bytes("<f4", "(2, 3, 2)", floats(*range(12))))
    values = resources(run("run", "--input", f"x={x}", path).stdout)["y"]
    tell(values == "0, 11, 8, 25, 18, 39, 28, 53, 38, 67, 48, 81", "and rightly", values)


def test_explain_and_bench(folder):
    path = write(folder, "net.onnx", network())
    result = run("explain", path)
    tell(result.returncode == 0 and "dispatchable 'net': graph" in result.stdout and "done by sum" in result.stdout,
         "explain names nodes as the model does", result)
    unnamed = model([node("Mul", ["x", "w"], ["h"]), node("Add", ["h", "x"], ["y"])], [value_info("x", FLOAT, [3])],
                    [value_info("y", FLOAT, [3])], [tensor("w", FLOAT, [3], [1, 2, 3])])
    result = run("explain", write(folder, "unnamed.onnx", unnamed))
    tell("h         ELEMENT_WISE_MULTIPLY  done by y" in result.stdout, "and those without a name as what they make", result)
    document = json.loads(run("explain", "--json", "--node-by-node", path).stdout)
    tell([one["name"] for one in document["dispatchables"]] == ["net"], "and prints a document", document)
    out = os.path.join(folder, "bench.json")
    result = run("bench", "--seconds-each", "0", "--repeat", "3", "--json", out, path)
    with open(out, encoding="utf-8") as file:
        (row,) = json.load(file)["models"]
    tell(result.returncode == 0 and re.search(r"^net +graph +[\d.]+ .* 3$", result.stdout, re.M)
         and "planned and compiled in" in result.stdout and row["nodes"] == 2 and row["ms"] > 0 and row["first_ms"] > 0
         and row["compile_ms"] > 0 and row["samples"] == 3, "bench times runs, the first one and what was before it", result)


if __name__ == "__main__":
    sys.exit(run_all(test_run, test_sizes_that_depend_on_data, test_intermediates, test_wrong, test_strings, test_compare,
                     test_a_fault_is_found, test_ill_conditioned, test_finite, test_check, test_check_open, test_names,
                     test_optional, test_batches_are_rows, test_explain_and_bench))
