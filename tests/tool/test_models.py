"""Tests how the vkdml command reads operator models: test_models.py COMMAND SOURCE_ROOT. Prints TAP.

Everything runs on the CPU reference: no device is needed.
"""
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import threading

from command_harness import COMMAND, dispatch, finish, npy_bytes as npy, run as vkdml, tell, write

ROOT = os.path.abspath(sys.argv[2])


def check(folder, text, name="model.json"):
    return vkdml("check", write(folder, name, text))


def run(folder, text, name="model.json"):
    return vkdml("run", "-a", "reference", write(folder, name, text))


def model(resources, dispatchables=None, commands=()):
    return json.dumps({"resources": resources, "dispatchables": dispatchables or {}, "commands": list(commands)},
                      indent=1)


def values(data_type, initial, **more):
    return {"initialValuesDataType": data_type, "initialValues": initial, **more}


def tensor(data_type, *sizes, **more):
    return {"DataType": data_type, "Sizes": list(sizes), **more}


def identity(data_type, *sizes, **more):
    return {"type": "ELEMENT_WISE_IDENTITY", "InputTensor": tensor(data_type, *sizes, **more),
            "OutputTensor": tensor(data_type, *sizes)}


def unary(operator, data_type, *sizes):
    return {**identity(data_type, *sizes), "type": operator}


def line_of(text, part):
    return text[:text.index(part)].count("\n") + 1


# ---- names ----

def test_names(folder):
    long = "a" * 300
    pair = '{"resources": {"%s": {"initialValuesDataType": "INT8", "initialValues": [1]},\n' \
           ' "%s": {"initialValuesDataType": "INT8", "initialValues": [2]}}, "dispatchables": {},\n' \
           ' "commands": [{"type": "print", "resource": "%s"}, {"type": "print", "resource": "%s"}]}'
    for what, one, other in (("differ behind 255 bytes", long + "x", long + "y"),
                             ("begin alike", "In", "In1"),
                             ("differ by an escaped letter", "Ino", "I\\u006e"),
                             ("hold escapes", "a\\\"b", "a\\\\b"),
                             ("differ in case", "in", "IN")):
        result = run(folder, pair % (one, other, one, other))
        printed = [line.rsplit(": ", 1)[1] for line in result.stdout.splitlines() if line.startswith("Resource")]
        tell(result.returncode == 0 and printed == ["1", "2"] and not result.stderr, f"names that {what} are two",
             result.stdout + result.stderr)
    for what, one, other in (("the same", "In", "In"), ("the same but for an escape", "In", "I\\u006e"),
                             ("the same, both escaped", "\\u0049n", "I\\u006e"),
                             ("the same beyond 255 bytes", long, long)):
        text = pair % (one, other, one, other)
        result = check(folder, text)
        named = one if one == long else "In"
        tell(result.returncode == 1 and f":2: member '{named[:200]}' is given twice" in result.stderr,
             f"names that are {what} are refused as one given twice", result.stderr)
    text = pair % ("In", "A", "In", "A")
    for what, broken in (("a name", text.replace('"A"', '"A\\u0000B"', 1)),
                         ("a value", text.replace('"resource": "A"', '"resource": "A\\u0000"'))):
        result = check(folder, broken)
        tell(result.returncode == 1 and "a string holds \\u0000" in result.stderr, f"{what} with a zero in it is refused",
             result.stderr)
    text = '{"resources": {},\n "dispatchables": {"d\\u006f": {"type": "ELEMENT_WISE_IDENTITY",\n' \
           ' "Input\\u0054ensor": {"DataType":\n "FLOAT33", "Sizes": [1]}}}, "commands": []}'
    result = check(folder, text)
    tell(":4: dispatchable 'do': InputTensor.DataType is \"FLOAT33\"" in result.stderr,
         "what stands behind names with escapes has its line", result.stderr)


def test_many_names(folder):
    # Minutes, were each name looked up by going over all of them; the test's time limit is what tells.
    count = 100000
    text = model({f"r{i}": values("FLOAT32", [i]) for i in range(count)},
                 {f"d{i}": identity("FLOAT32", 1) for i in range(count // 5)},
                 [dispatch(f"d{i}", InputTensor=f"r{i}", OutputTensor=f"r{count - 1 - i}") for i in range(count // 5)])
    result = check(folder, text)
    tell(result.returncode == 0 and not result.stderr,
         "a model of 100,000 resources, 20,000 dispatchables and 20,000 dispatches is read", result.stderr)
    text = model({f"r{i}": values("FLOAT32", [i]) for i in range(count)},
                 commands=[{"type": "print", "resource": f"r{i}x"} for i in range(count)])
    result = check(folder, text)
    tell(result.returncode == 1 and result.stderr.count("no resource is called") == count,
         "a model of 100,000 mistaken names is refused for each of them", result.stderr[:2000])


# ---- bindings ----

def test_owned(folder):
    text = model({"A": values("FLOAT32", [1, 2]), "B": values("FLOAT32", [0, 0])},
                 {"own": identity("FLOAT32", 2, Flags="OWNED_BY_DML")},
                 [dispatch("own", InputTensor="A", OutputTensor="B")])
    result = check(folder, text)
    tell(result.returncode == 1 and "nothing is bound to InputTensor, which is OWNED_BY_DML: the dispatchable's own "
         "'bindings' must bind it, not those of a dispatch command" in result.stderr,
         "who binds an input OWNED_BY_DML in a dispatch is told where to bind it", result.stderr)


# ---- files ----

def test_endless_files(folder):
    fifo = os.path.join(folder, "fifo.bin")
    os.mkfifo(fifo)
    for path in ("/dev/zero", fifo, "/dev/full"):
        result = check(folder, model({"A": values("INT8", {"sourcePath": path})}))
        tell(result.returncode == 1 and f"'{path}': is no regular file, may never end" in result.stderr,
             f"{os.path.basename(path)} is no source of values", result.stderr)
    result = check(folder, model({"A": values("INT8", {"sourcePath": folder})}))
    tell(result.returncode == 1 and "Is a directory" in result.stderr, "a folder is no source of values", result.stderr)
    sparse = os.path.join(folder, "sparse.bin")
    with open(sparse, "wb") as file:
        file.truncate(1 << 42)
    result = check(folder, model({"A": values("INT8", {"sourcePath": "sparse.bin"})}))
    os.remove(sparse)
    tell(result.returncode == 1 and "sparse.bin': too large" in result.stderr,
         "a file that is larger than the machine's memory is refused before it is read", result.stderr)


def test_models_from_elsewhere(folder):
    text = model({"A": values("INT8", [1])}, commands=[{"type": "print", "resource": "A"}])
    result = vkdml("check", "-", text=text)
    tell(result.returncode == 0 and not result.stderr, "a model is read from standard input", result.stderr)
    result = vkdml("check", "-", text=text.replace("INT8", "INT7"))
    tell(result.returncode == 1 and result.stderr.startswith("standard input:4: resource 'A'"),
         "mistakes in standard input have their lines", result.stderr)
    fifo = os.path.join(folder, "model.fifo")
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: write(folder, "model.fifo", text))
    writer.start()
    result = vkdml("check", fifo)
    writer.join()
    tell(result.returncode == 0, "a model is read from a pipe", result.stderr)
    result = vkdml("check", "/dev/zero")
    tell(result.returncode == 1 and "too large" in result.stderr, "a model that never ends is refused", result.stderr)


def test_npy_shapes(folder):
    floats = lambda count: struct.pack(f"<{count}f", *range(count))
    cases = {
        "the tensor's shape": ("(2, 3)", tensor("FLOAT32", 2, 3), None),
        "the tensor's shape but for ones": ("(2, 3)", tensor("FLOAT32", 1, 2, 1, 3), None),
        "a column": ("(6, 1)", tensor("FLOAT32", 1, 6), None),
        "the shape in memory of a transposed tensor": ("(2, 3)", tensor("FLOAT32", 3, 2, Strides=[1, 3]), None),
        "the shape of a tensor that is broadcast": ("(6,)", tensor("FLOAT32", 2, 6, Strides=[0, 1]), None),
        "more than a tensor with gaps takes": ("(2, 3)", tensor("FLOAT32", 2, 2, Strides=[3, 1]), None),
        "the transposed shape": ("(3, 2)", tensor("FLOAT32", 2, 3),
                                 "has sizes [2, 3], 'A' comes from a .npy file of shape (3, 2)"),
        "no dimensions of the tensor's": ("(6,)", tensor("FLOAT32", 1, 2, 3),
                                          "has sizes [1, 2, 3], 'A' comes from a .npy file of shape (6)"),
        "more elements than the tensor": ("(6,)", tensor("FLOAT32", 4),
                                          "has sizes [4], 'A' comes from a .npy file of shape (6)"),
        "another type": ("(6,)", tensor("INT32", 6),
                         "is of type INT32, 'A' comes from a .npy file of FLOAT32: its bytes are taken as they are"),
    }
    for what, (shape, description, warning) in cases.items():
        write(folder, "shape.npy", npy("<f4", shape, floats(6)))
        output = {key: value for key, value in description.items() if key != "Strides"}
        text = model({"A": {"initialValues": {"sourcePath": "shape.npy"}}, "B": {"initialValues": "deferred"}},
                     {"copy": {"type": "ELEMENT_WISE_IDENTITY", "InputTensor": description, "OutputTensor": output}},
                     2 * [dispatch("copy", InputTensor="A", OutputTensor="B")])
        result = check(folder, text)
        said = result.stderr == "" if warning is None else \
            result.stderr.count("warning") == 1 and f"warning: InputTensor {warning}" in result.stderr
        tell(result.returncode == 0 and said,
             f"a .npy file of {what} is taken {'without a word' if warning is None else 'with a warning'}",
             result.stderr)


def test_npy_bool(folder):
    write(folder, "bool.npy", npy("|b1", "(4,)", bytes([1, 0, 0, 1])))
    result = run(folder, model({"A": {"initialValues": {"sourcePath": "bool.npy"}}, "B": {"initialValues": "deferred"}},
                               {"not": unary("ELEMENT_WISE_LOGICAL_NOT", "UINT8", 4)},
                               [dispatch("not", InputTensor="A", OutputTensor="B"),
                                {"type": "print", "resource": "B"}]))
    tell(result.returncode == 0 and "Resource 'B': 0, 1, 1, 0\n" in result.stdout and not result.stderr,
         "a .npy file of bool is of UINT8", result.stdout + result.stderr)


# ---- what was meant ----

def test_suggestions(folder):
    good = model({"Input": values("FLOAT32", [1, 2]), "Output": {"initialValues": "deferred"}},
                 {"pad": {"type": "PADDING", "InputTensor": tensor("FLOAT32", 1, 2, Flags="NONE"),
                          "OutputTensor": tensor("FLOAT32", 1, 4), "PaddingMode": "CONSTANT", "PaddingValue": 0,
                          "DimensionCount": 2, "StartPadding": [0, 1], "EndPadding": [0, 1],
                          "executionFlags": "NONE"}},
                 [dispatch("pad", InputTensor="Input", OutputTensor="Output"),
                  {"type": "print", "resource": "Output"}])
    result = check(folder, good)
    tell(result.returncode == 0 and not result.stderr, "the model that is to be broken is good", result.stderr)
    cases = {
        "a data type": ('"DataType": "FLOAT32"', '"DataType": "FLOAT"', "FLOAT32"),
        "a data type in full": ('"DataType": "FLOAT32"', '"DataType": "DML_TENSOR_DATA_TYPE_FLOAT3"',
                                "DML_TENSOR_DATA_TYPE_FLOAT32"),
        "an initializer's data type": ('"initialValuesDataType": "FLOAT32"', '"initialValuesDataType": "float32"',
                                       "FLOAT32"),
        "an enumerator": ('"CONSTANT"', '"CONST"', "CONSTANT"),
        "an enumerator in lower case": ('"CONSTANT"', '"constant"', "CONSTANT"),
        "a flag": ('"Flags": "NONE"', '"Flags": "OWNED_BY_DLM"', "OWNED_BY_DML"),
        "an execution flag": ('"executionFlags": "NONE"', '"executionFlags": "ALLOW_HALF_PRECISION_COMPUTATIONS"',
                              "ALLOW_HALF_PRECISION_COMPUTATION"),
        "an operator": ('"PADDING"', '"PADING"', "PADDING"),
        "an operator without its family": ('"PADDING"', '"RELU"', "ACTIVATION_RELU"),
        "a field": ('"PaddingValue"', '"PadingValue"', "PaddingValue"),
        "a tensor's member": ('"Sizes"', '"Size"', "Sizes"),
        "a resource": ('"resource": "Output"', '"resource": "output"', "Output"),
        "a bound resource": ('"InputTensor": "Input"', '"InputTensor": "Inputs"', "Input"),
        "a dispatchable": ('"dispatchable": "pad"', '"dispatchable": "pda"', "pad"),
        "a command": ('"type": "print"', '"type": "prnt"', "print"),
        "a bind point": ('"InputTensor": "Input"', '"InputTensors": "Input"', "InputTensor"),
        "a resource's member": ('"initialValuesDataType"', '"initialValueDataType"', "initialValuesDataType"),
        "the model's member": ('"commands"', '"command"', "commands"),
    }
    for what, (part, instead, meant) in cases.items():
        text = good.replace(part, instead, 1)
        result = check(folder, text)
        at = f"model.json:{line_of(text, instead)}: "
        told = [line for line in result.stderr.splitlines() if f"; did you mean {meant}?" in line]
        # Of an array or object that is misnamed, the line is where it begins.
        tell(result.returncode == 1 and len(told) == 1 and at in told[0], f"{what} that is misspelt is put right",
             result.stderr)
    result = check(folder, good.replace('"PADDING"', '"QUICKSORT"'))
    tell("did you mean" not in result.stderr and "no DML operator" in result.stderr,
         "what is like no name is not put right", result.stderr)


# ---- expect ----

def expecting(expected, operator="ELEMENT_WISE_IDENTITY", data_type="FLOAT32", sizes=(2, 3), data=None, **more):
    count = math.prod(sizes)
    return model({"A": values(data_type, data or list(range(count))), "B": {"initialValues": "deferred"}},
                 {"op": unary(operator, data_type, *sizes)},
                 [dispatch("op", InputTensor="A", OutputTensor="B"),
                  {"type": "expect", "resource": "B", "values": expected, **more}])


def test_expect(folder):
    write(folder, "good.npy", npy("<f4", "(2, 3)", struct.pack("<6f", *range(6))))
    write(folder, "good.bin", struct.pack("<6f", *range(6)))
    for what, expected in {"a list": list(range(6)), "a sequence": {"valueCount": 6, "valueStart": 0, "valueDelta": 1},
                           "a sequence without a count": {"valueStart": 0, "valueDelta": 1},
                           "a .npy file": {"sourcePath": "good.npy"}, "a raw file": {"sourcePath": "good.bin"}}.items():
        result = run(folder, expecting(expected))
        tell(result.returncode == 0 and "Resource 'B' is as expected: 6 elements, bit for bit\n" in result.stdout
             and not result.stderr, f"what is expected may be {what}", result.stdout + result.stderr)

    text = expecting([0, 1, 2, 3.5, 4, -5])
    result = run(folder, text)
    tell(result.returncode == 1 and result.stderr.splitlines() == [
        f"{folder}/model.json:{line_of(text, 'expect') - 1}: expect: resource 'B': 2 of 6 elements differ (compared bit "
        "for bit), most by 10 at [1, 2]",
        "  [1, 0]: got 3, expected 3.5",
        "  [1, 2]: got 5, expected -5"], "what differs is told with its coordinates", result.stderr)
    result = run(folder, expecting([9] * 12, sizes=(12,)))
    tell(result.returncode == 1 and "11 of 12 elements differ" in result.stderr and "  .. and 3 more\n" in result.stderr
         and result.stderr.count("got") == 8, "of many differences the first eight are told", result.stderr)


    text = json.loads(expecting([9] * 6))
    text["commands"] += [{"type": "expect", "resource": "A", "values": [8] * 6}, {"type": "print", "resource": "B"}]
    result = run(folder, json.dumps(text))
    tell(result.returncode == 1 and "'B': 6 of 6 elements differ" in result.stderr and "'A': 6 of 6" in result.stderr
         and "Resource 'B': 0, 1, 2, 3, 4, 5\n" in result.stdout,
         "after what is not as expected the other commands are run", result.stdout + result.stderr)


def test_expect_tolerances(folder):
    exp = [math.exp(x / 7) for x in range(6)]
    single = lambda x, units: struct.unpack("<f", struct.pack("<i", struct.unpack(
        "<i", struct.pack("<f", x))[0] + units))[0]
    arguments = {"operator": "ELEMENT_WISE_EXP", "data": [x / 7 for x in range(6)]}
    cases = (
        ("an EXACT operator's results may not differ", {}, [0, 1, 2, 3, 4, single(5, 1)], None, False),
        ("zeros of either sign are two, bit for bit", {}, [-0.0, 1, 2, 3, 4, 5], None, False),
        ("zeros of either sign are one number", {}, [-0.0, 1, 2, 3, 4, 5], {"absolute": 0}, True),
        ("a ULP(2) operator's results may differ by that", arguments, [single(x, 2) for x in exp[:1]] + exp[1:], None,
         True),
        ("a ULP(2) operator's results may not differ by more", arguments, [single(exp[0], 4)] + exp[1:], None, False),
        ("but where the model allows it", arguments, [single(exp[0], 4)] + exp[1:], {"ulp": 5}, True),
        ("and may not at all where it says exact", arguments, [single(exp[0], 1)] + exp[1:], "exact", False),
        ("an absolute tolerance", {}, [0.5, 1, 2, 3, 4, 5], {"absolute": 0.5}, True),
        ("an absolute tolerance that is too small", {}, [0.5, 1, 2, 3, 4, 5], {"absolute": 0.25}, False),
        ("a relative tolerance", {}, [0, 1, 2, 3, 4, 10], {"relative": 0.5}, True),
        ("a relative tolerance that is too small", {}, [0, 1, 2, 3, 4, 10], {"relative": 0.25}, False),
    )
    for what, more, expected, tolerance, good in cases:
        result = run(folder, expecting(expected, **more, **({} if tolerance is None else {"tolerance": tolerance})))
        tell(result.returncode == (0 if good else 1) and ("as expected" in result.stdout) == good,
             f"{what}: {'met' if good else 'not met'}", result.stdout + result.stderr)


def test_expect_sums(folder):
    def gemm(expected, data_type="FLOAT32", **more):
        return model({"A": values(data_type, [1, 2, 3, 4]), "B": values(data_type, [1, 10, 100, 1000]),
                      "C": {"initialValues": "deferred"}},
                     {"gemm": {"type": "GEMM", "ATensor": tensor(data_type, 1, 1, 2, 2),
                               "BTensor": tensor(data_type, 1, 1, 2, 2), "CTensor": None,
                               "OutputTensor": tensor(data_type, 1, 1, 2, 2), "TransA": "NONE", "TransB": "NONE",
                               "Alpha": 1, "Beta": 0, "FusedActivation": None, **more}},
                     [dispatch("gemm", ATensor="A", BTensor="B", OutputTensor="C"),
                      {"type": "expect", "resource": "C", "values": expected}])
    exact = [201, 2010, 403, 4030]
    half_allowed = {"executionFlags": "ALLOW_HALF_PRECISION_COMPUTATION"}
    for what, text, good in (
            ("by 2^-13 of themselves", gemm([201.02, 2010.2, 403, 4030]), True),
            ("by 2^-16 of the largest", gemm([201.08, 2010, 403, 4030]), True),
            ("not by more", gemm([201.1, 2010, 403, 4030]), False),
            ("of FLOAT16 by 2^-9 of themselves", gemm([201.3, 2010, 403, 4030], "FLOAT16"), True),
            ("of FLOAT16 not by more", gemm([203, 2010, 403, 4030], "FLOAT16"), False),
            ("by as much where half precision is allowed", gemm([201.3, 2010, 403, 4030], **half_allowed), True),
            ("not at all to be right", gemm(exact), True)):
        result = run(folder, text)
        tell(result.returncode == (0 if good else 1), f"sums may differ {what}", result.stdout + result.stderr)


def test_expect_refusals(folder):
    write(folder, "double.npy", npy("<f8", "(6,)", struct.pack("<6d", *range(6))))
    write(folder, "turned.npy", npy("<f4", "(3, 2)", struct.pack("<6f", *range(6))))
    good = expecting(list(range(6)))
    cases = {
        "too few values": (expecting([1, 2]), "expect: 2 values are given, resource 'B' has 6"),
        "a value that is none": (expecting([0, 1, 2, 3, 4, "x"]), "resource 'B': values[5] is \"x\", must be a number"),
        "another type": (expecting({"sourcePath": "double.npy"}),
                         "expect: the values are of type FLOAT64, resource 'B' of FLOAT32"),
        "no values": (good.replace('"values"', '"value"'), "resource 'B': 'values' is missing, must be an array or an "
                      "object"),
        "deferred values": (expecting("deferred"), "'values' must be an array or an object"),
        "no such resource": (good.replace('"resource": "B"', '"resource": "b"'), "did you mean B?"),
        "a negative tolerance": (expecting(list(range(6)), tolerance={"absolute": -1}),
                                 "'absolute' is -1, must be a number from 0 on"),
        "a tolerance that is a number": (expecting(list(range(6)), tolerance=1),
                                         "'tolerance' must be \"exact\", or an object"),
        "nothing written before": (model({"B": {"initialValues": "deferred"}},
                                         commands=[{"type": "expect", "resource": "B", "values": [1]}]),
                                   "resource 'B' is deferred, and no dispatch before is bound to it"),
        "several types": (model({"B": values("UNKNOWN", [{"type": "INT8", "value": 1}])},
                                commands=[{"type": "expect", "resource": "B", "values": [1]}]),
                          "resource 'B' is of several types, must be of one"),
    }
    for what, (text, reason) in cases.items():
        result = check(folder, text)
        tell(result.returncode == 1 and reason in result.stderr, f"expect with {what} is refused", result.stderr)
    result = check(folder, expecting(list(range(6)), tolerance={"absolut": 1}))
    tell("tolerance: unknown member 'absolut' is ignored; did you mean absolute?" in result.stderr,
         "a tolerance's unknown member is warned of", result.stderr)
    result = check(folder, expecting({"sourcePath": "turned.npy"}))
    tell(result.returncode == 0 and "'B' comes from a .npy file of shape (3, 2)" in result.stderr,
         "an expected .npy file of another shape is warned of", result.stderr)


# ---- random values ----

class Splitmix:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = 2 ** 64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        mixed = self.state
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & mask
        return mixed ^ mixed >> 31

    def part(self):
        return (self.next() >> 11) * 2.0 ** -53


def seed_of(name):
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = ((seed ^ byte) * 0x100000001B3) % 2 ** 64
    return seed


def printed(folder, **resources):
    text = model(resources, commands=[{"type": "print", "resource": name} for name in resources])
    result = run(folder, text)
    lines = [line.split(": ", 1)[1] for line in result.stdout.splitlines() if line.startswith("Resource")]
    return [[float(x) if "." in x or "e" in x else int(x) for x in line.split(", ")] for line in lines] or result.stderr


def test_random(folder):
    generator = Splitmix(7)
    wanted = [-1 * (1 - u) + 3 * u for u in (generator.part() for _ in range(100))]
    got = printed(folder, A=values("FLOAT64", {"valueCount": 100, "random": "uniform", "min": -1, "max": 3, "seed": 7}))
    tell(got == [wanted], "uniform floats are splitmix64's upper 53 bits, weighed", got)
    generator = Splitmix(seed_of("Größe"))
    got = printed(folder, **{"Größe": values("FLOAT64", {"valueCount": 9, "random": "uniform"})})
    tell(got == [[generator.part() for _ in range(9)]], "the seed is by default the name's, and floats are from 0 to 1",
         got)

    generator = Splitmix(12)
    wanted = [-3 + generator.next() % 7 for _ in range(100)]
    got = printed(folder, A=values("INT8", {"valueCount": 100, "random": "uniform", "min": -3, "max": 3, "seed": 12}))
    tell(got == [wanted] and set(wanted) == set(range(-3, 4)), "uniform integers are from min to max, both included", got)
    generator = Splitmix(12)
    wanted = [generator.next() for _ in range(10)]
    got = printed(folder, A=values("UINT64", {"valueCount": 10, "random": "uniform", "seed": 12}),
                  B=values("INT64", {"valueCount": 10, "random": "uniform", "seed": 12}),
                  C=values("UINT4", {"valueCount": 10, "random": "uniform", "seed": 12}))
    tell(got == [wanted, [x - 2 ** 63 if x >= 2 ** 63 else x - 2 ** 63 for x in wanted], [x % 16 for x in wanted]],
         "integers are by default all of their type", got)

    count = 20000
    got = printed(folder, A=values("FLOAT32", {"valueCount": count, "random": "normal", "mean": 5, "deviation": 2,
                                               "seed": 1}),
                  B=values("INT8", {"valueCount": count, "random": "normal", "deviation": 100, "seed": 1}))
    mean = sum(got[0]) / count
    deviation = math.sqrt(sum((x - mean) ** 2 for x in got[0]) / count)
    inside = sum(abs(x - 5) < 2 for x in got[0]) / count
    # Four standard errors of each.
    tell(abs(mean - 5) < 0.057 and abs(deviation - 2) < 0.04 and abs(inside - 0.6827) < 0.0132,
         "normal floats have the mean, the deviation and the shape they should", (mean, deviation, inside))
    tell(min(got[1]) == -128 and max(got[1]) == 127 and len(set(got[1])) == 256,
         "normal integers are rounded and saturated", (min(got[1]), max(got[1])))
    generator = Splitmix(5)
    wanted = []
    while len(wanted) < 50:
        x, y = 2 * generator.part() - 1, 2 * generator.part() - 1
        square = x * x + y * y
        if 0 < square < 1:
            factor = math.sqrt(-2 * math.log(square) / square)
            wanted += [x * factor, y * factor]
    got = printed(folder, A=values("FLOAT64", {"valueCount": 50, "random": "normal", "seed": 5}))
    # The logarithm is the command's own; libraries' differ in the last bits.
    tell(len(got[0]) == 50 and all(math.isclose(a, b, rel_tol=1e-14) for a, b in zip(got[0], wanted)),
         "normal floats are Marsaglia's polar method's", list(zip(got[0], wanted)))
    same = values("FLOAT32", {"valueCount": 5, "random": "normal"})
    got = printed(folder, A=same, B=same)
    tell(got[0] != got[1], "two resources hold different numbers where no seed is given", got)


def test_random_bits(folder):
    """Bits that must never change: models hold expectations of them."""
    write(folder, "random.json", model(
        {"U": values("FLOAT32", {"valueCount": 3, "random": "uniform", "min": -1, "max": 1, "seed": 1}),
         "N": values("FLOAT32", {"valueCount": 3, "random": "normal", "seed": 1})},
        commands=[{"type": "print", "resource": name, "verbose": True} for name in "UN"]))
    result = vkdml("run", "-a", "reference", os.path.join(folder, "random.json"))
    tell("Resource 'U': " + RANDOM_BITS["U"] in result.stdout and "Resource 'N': " + RANDOM_BITS["N"] in result.stdout,
         "random numbers of a seed are what they have always been", result.stdout)


RANDOM_BITS = {
    "U": "0.13312314 (0x3E08516F), 0.49156353 (0x3EFBAE37), 0.9420055 (0x3F712746)",
    "N": "0.4294522 (0x3EDBE129), 1.5857725 (0x3FCAFA98), 0.4564552 (0x3EE9B47F)",
}


def test_random_refusals(folder):
    uniform = {"valueCount": 3, "random": "uniform"}
    cases = {
        "another distribution": ("FLOAT32", {**uniform, "random": "poisson"},
                                 'random is "poisson", must be "uniform" or "normal"'),
        "no count": ("FLOAT32", {"random": "uniform"}, "'valueCount' is missing"),
        "ends the wrong way round": ("FLOAT32", {**uniform, "min": 2}, "min is greater than max"),
        "integers' ends the wrong way round": ("INT8", {**uniform, "min": 1, "max": -1}, "min is greater than max"),
        "an end beyond the type": ("UINT8", {**uniform, "max": 256}, "max is 256, must fit the data type (UINT8)"),
        "an infinite end": ("FLOAT32", {**uniform, "max": "inf"}, "max must be finite"),
        "a negative deviation": ("FLOAT32", {**uniform, "random": "normal", "deviation": -1},
                                 "deviation must not be negative"),
        "a negative seed": ("FLOAT32", {**uniform, "seed": -1}, "'seed' is -1, must be a whole number"),
    }
    for what, (data_type, initial, reason) in cases.items():
        result = check(folder, model({"A": values(data_type, initial)}))
        tell(result.returncode == 1 and reason in result.stderr, f"random values with {what} are refused", result.stderr)
    result = check(folder, model({"A": values("FLOAT32", {**uniform, "mean": 3})}))
    tell(result.returncode == 0 and "unknown member 'mean' is ignored" in result.stderr,
         "random values with a member of the other distribution are warned of", result.stderr)


# ---- templates ----

def test_templates(folder):
    operators = re.findall(r"^DML_OPERATOR_(\w+) \(since", vkdml("operators").stdout, re.MULTILINE)
    wrong, wrong_in_full = [], []
    for operator in operators:
        text = vkdml("template", operator).stdout
        result = vkdml("run", "-a", "reference", "-", text=text)
        if result.returncode or result.stderr or "Resource '" not in result.stdout \
                or re.search("^Resource '.*: .*(nan|inf)", result.stdout, re.MULTILINE):
            wrong.append(f"{operator}: {result.stdout}{result.stderr}")
        # The same with all that is optional, but where that excludes one another.
        if operator.startswith("MULTIHEAD_ATTENTION"):
            continue
        text = re.sub(r"null(,?) // optional: (.*)", r"\2\1", text)
        text = re.sub(r"^( +)// ", r"\1", text, flags=re.MULTILINE)
        result = vkdml("run", "-a", "reference", "-", text=text)
        if "null" in text or result.returncode or result.stderr:
            wrong_in_full.append(f"{operator}: {result.stderr}")
    tell(len(operators) == 177 and not wrong, f"the templates of all {len(operators)} operators run, and give numbers",
         "\n".join(wrong))
    tell(not wrong_in_full, "so they do with all that is optional", "\n".join(wrong_in_full))
    one, other = vkdml("template", "GEMM"), vkdml("template", "DML_OPERATOR_GEMM")
    tell(one.returncode == 0 and one.stdout == other.stdout != "", "an operator's name may be given in full", one.stderr)
    other = vkdml("template", "gemm")
    tell(other.returncode == 0 and one.stdout == other.stdout, "and in any case", other.stderr)
    for name, reason in (("GEM", "there is no operator 'GEM'; did you mean GEMM?\n"),
                         ("RELU", "there is no operator 'RELU'; did you mean ACTIVATION_RELU?\n"),
                         ("QUICKSORT", "there is no operator 'QUICKSORT'\n")):
        result = vkdml("template", name)
        tell(result.returncode == 2 and result.stdout == "" and result.stderr == f"vkdml template: {reason}",
             f"there is no template of {name}", result.stderr)


# ---- malformed models ----

def mutated(generator, text):
    data = bytearray(text.encode())
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(len(data))
        end = min(len(data), at + generator.randint(1, 12))
        kind = generator.randrange(4)
        if kind == 0:
            del data[at:end]
        elif kind == 1:
            data[at:at] = data[generator.randrange(len(data)):][:generator.randint(1, 40)]
        elif kind == 2:
            data[at] = generator.choice(b'{}[]",:\\/0129-.eEnulltrue \n')
        else:
            data[at:end] = generator.choice([b"null", b"-1", b"4294967296", b"[]", b"{}", b'""', b"1e999", b"[[[[",
                                             b'"\\u0000"', b'"\\ud800"', b"18446744073709551615", b"true"])
        if not data:
            break
    return bytes(data)


def test_malformed(folder):
    generator = random.Random(1)
    seeds = [expecting([0, 1, 2, 3, 4, 5], tolerance={"relative": 0.1}),
             model({"A": values("FLOAT32", {"valueCount": 6, "random": "normal"}), "B": {"initialValues": "deferred"}},
                   {"op": {**identity("FLOAT32", 2, 3), "ScaleBias": {"Scale": 2, "Bias": 1}}},
                   [dispatch("op", InputTensor={"name": "A", "elementOffset": 0}, OutputTensor="B"),
                    {"type": "expect", "resource": "B", "values": {"valueCount": 6, "value": 1}},
                    {"type": "print", "resource": "A", "verbose": True}])]
    crashed = []
    for _ in range(int(os.environ.get("VKDML_TEST_MUTATIONS", "150"))):
        text = mutated(generator, generator.choice(seeds))
        path = write(folder, "mutated.json", text)
        result = subprocess.run([COMMAND, "run", "-a", "reference", path], capture_output=True)
        if result.returncode not in (0, 1) or (result.returncode == 1 and not result.stderr):
            crashed.append((text, result))
    tell(not crashed, "malformed models are refused with a reason, and nothing crashes", crashed[:1])


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
