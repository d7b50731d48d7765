"""Tests what the vkdml command makes of models: test_command.py COMMAND MODELS_FOLDER. Prints TAP."""
import ast
import os
import re
import struct
import sys

from command_harness import (DEVICES, MODELS, VALIDATION, dispatch, identity, model_text, npy_bytes, resources,
                             run, run_all, show, tell, write)

# DirectML's documentation prints these results beside its operators.
PRINTED = {
    "padding_constant": {"Output": "9 " * 10 + "9 9 1 2 3 4 9 9 9 9 " + "9 9 5 6 7 8 9 9 9 9 " + "9 9 1 2 3 4 9 9 9 9 "
                         + "9 9 5 6 7 8 9 9 9 9 " + "9 " * 30},
    "padding_edge": {"Output": "1 1 1 2 3 4 4 4 4 4 1 1 1 2 3 4 4 4 4 4 5 5 5 6 7 8 8 8 8 8 1 1 1 2 3 4 4 4 4 4 "
                               "5 5 5 6 7 8 8 8 8 8 5 5 5 6 7 8 8 8 8 8 5 5 5 6 7 8 8 8 8 8 5 5 5 6 7 8 8 8 8 8"},
    "padding_reflection": {"Output": "7 6 5 6 7 8 7 6 5 6 3 2 1 2 3 4 3 2 1 2 " * 4},
    "padding_symmetric": {"Output": "2 1 1 2 3 4 4 3 2 1 2 1 1 2 3 4 4 3 2 1 6 5 5 6 7 8 8 7 6 5 2 1 1 2 3 4 4 3 2 1 "
                                    "6 5 5 6 7 8 8 7 6 5 6 5 5 6 7 8 8 7 6 5 2 1 1 2 3 4 4 3 2 1 6 5 5 6 7 8 8 7 6 5"},
    "padding_wrap": {"Output": "7 8 5 6 7 8 5 6 7 8 3 4 1 2 3 4 1 2 3 4 " * 4},
    "padding1_int64": {"Output": "9007199254740993 1 2 3 9007199254740993 9007199254740993"},
    "diagonal_identity": {"Output": "1 0 0 0 1 0 0 0 1"},
    "diagonal_right": {"Output": "0 1 0 0 0 1 0 0 0"},
    "rnn_bidirectional": {"Output": "-0.38843492 -0.2638167 -3.038634 1"},
    "diagonal_left": {"Output": "0 0 1 0 0 1"},
    "diagonal_out": {"Output": "0 0 0 0 0 0"},
    "diagonal1_upper": {"Output": "0 7 3 7 9 0 0 8 6 9 0 0 0 8 7 0 0 0 0 4"},
    # The rows past the count keep the zeros that the model put there.
    "nonzero_coordinates": {"Count": "4", "Coordinates": "0 0 0 0 0 3 0 1 1 0 1 3 0 0 0 0 0 0 0 0 0 0 0 0"},
    "identity": {"Output": "1 2 3 4 5 6"},
    "identity_scale_bias": {"Output": "12 14 16 18 20 22"},
    "identity_transposed": {"Output": "1 4 2 5 3 6"},
    "graph": {},  # which expects what it is to give
}

# What the models with files write: type, shape, elements.
WRITTEN = {
    "padding_npy": {"padding.npy": ("<f4", (4, 5), [0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0])},
    "identity_npy": {"identity.npy": ("<f4", (3, 2), [1, 4, 2, 5, 3, 6])},
    "diagonal_npy": {"diagonal.npy": ("<f2", (3, 4), [0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5])},
    "nonzero_coordinates_npy": {
        "count.npy": ("<u4", (1,), [4]),
        "coordinates.npy": ("<u4", (8, 2), [0, 0, 0, 3, 1, 1, 1, 3] + [0] * 8),
    },
}

NPY_CODES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H",
             "u4": "I", "u8": "Q"}
NPY_TYPES = {"f2": "FLOAT16", "f4": "FLOAT32", "f8": "FLOAT64", "i1": "INT8", "i2": "INT16", "i4": "INT32",
             "i8": "INT64", "u1": "UINT8", "u2": "UINT16", "u4": "UINT32", "u8": "UINT64"}

def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", "magic and version"
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n", "padding of the header"
    header = ast.literal_eval(data[10:10 + length].decode())
    assert header["fortran_order"] is False
    code = NPY_CODES[header["descr"][1:]]
    body = data[10 + length:]
    return header["descr"], header["shape"], [x for x, in struct.iter_unpack("<" + code, body)]


def test_printed():
    for model, wanted in PRINTED.items():
        for device, options in DEVICES.items():
            result = run("run", *options, os.path.join(MODELS, model + ".json"))
            printed = resources(result.stdout)
            right = {name: ", ".join(values.split()) for name, values in wanted.items()}
            tell(result.returncode == 0 and printed == right and result.stdout.startswith("Running on '")
                 and not result.stderr, f"{model} prints the expected numbers on {device}",
                 f"{result.stdout}{result.stderr}")


def test_every_model_is_tested():
    models = {name[:-5] for name in os.listdir(MODELS) if name.endswith(".json")}
    tell(models == set(PRINTED) | set(WRITTEN), "every example model has its expected result here",
         models ^ (set(PRINTED) | set(WRITTEN)))


def test_written(folder):
    for model, files in WRITTEN.items():
        for device, options in DEVICES.items():
            result = run("run", *options, "--output_path", folder, os.path.join(MODELS, model + ".json"))
            good, detail = result.returncode == 0, result.stderr
            for name, wanted in files.items() if good else ():
                got = read_npy(os.path.join(folder, name))
                os.remove(os.path.join(folder, name))
                good, detail = good and got == wanted, f"{detail}{name}: {got}"
            tell(good, f"{model} goes from .npy files to .npy files on {device}", detail)


def test_npy_types(folder):
    for descr, data_type in NPY_TYPES.items():
        order = "|" if descr.endswith("1") else "<"
        largest = {"e": 65504, "f": 1.5, "d": 1e300}.get(NPY_CODES[descr])
        if largest is None:
            largest = 2 ** (8 * int(descr[1]) - (descr[0] == "i")) - 1
        values = [0, 1, 100, largest] + ([-1, -largest - (descr[0] == "i")] if descr[0] != "u" else [2, 3])
        body = struct.pack(f"<{len(values)}{NPY_CODES[descr]}", *values)
        for version in (1, 2):
            write(folder, "in.npy", npy_bytes(order + descr, "(2, 3)", body, version))
            path = write(folder, "types.json", model_text(
                {"A": {"initialValues": {"sourcePath": "in.npy"}},
                 "B": {"initialValues": "deferred"}},
                {"copy": identity(data_type, 6)},
                [dispatch("copy", InputTensor="A", OutputTensor="B"),
                 {"type": "writeFile", "resource": "B", "targetPath": "out.npy", "dimensions": [3, 2]},
                 {"type": "writeFile", "resource": "A", "targetPath": "same.npy"},
                 {"type": "writeFile", "resource": "B", "targetPath": "out.dat"}]))
            result = run("run", *VALIDATION, "--output_path", folder, path)
            good = result.returncode == 0
            if good:
                with open(os.path.join(folder, "out.dat"), "rb") as file:
                    good = file.read() == body
                good = good and read_npy(os.path.join(folder, "out.npy")) == (order + descr, (3, 2), values)
                good = good and read_npy(os.path.join(folder, "same.npy")) == (order + descr, (2, 3), values)
            tell(good, f".npy files of {descr}, format {version}.0, keep every bit", result.stdout + result.stderr)


def test_npy_refusals(folder):
    body = struct.pack("<6f", *range(6))
    wrong = {
        "Fortran order": (npy_bytes("<f4", "(2, 3)", body, order="True"), "Fortran order"),
        "big-endian": (npy_bytes(">f4", "(2, 3)", body), "big-endian"),
        "complex elements": (npy_bytes("<c8", "(2, 3)", body), "none of b1 f2"),
        "a short body": (npy_bytes("<f4", "(2, 4)", body), "shorter than its shape"),
        "a shape beyond 64 bits": (npy_bytes("<f4", f"({2**63}, {2**63})", body), "2^64"),
        "no descr": (npy_bytes("<f4", "(2, 3)", body, key="x"), "key other than"),
        "another format": (b"PK\x03\x04 not npy at all", "no .npy file"),
        "a cut header": (npy_bytes("<f4", "(2, 3)", body)[:20], "ends within its header"),
        "an empty file": (b"", "no .npy file"),
    }
    path = write(folder, "bad.json", model_text({"A": {"initialValues": {"sourcePath": "wrong.npy"}}}))
    for what, (content, reason) in wrong.items():
        write(folder, "wrong.npy", content)
        result = run("run", path)
        tell(result.returncode == 1 and reason in result.stderr and result.stderr.startswith(path + ":1: "),
             f"a .npy file with {what} is refused", result.stderr)


def expect_print(name, text, wanted, folder, options=()):
    path = write(folder, "print.json", text)
    for device, device_options in DEVICES.items():
        result = run("run", *device_options, *options, path)
        printed = resources(result.stdout)
        tell(result.returncode == 0 and printed == wanted, f"{name} ({device})",
             f"{printed}\n{wanted}\n{result.stderr}")


def test_initializers(folder):
    values = lambda kind, initial, **more: {"initialValuesDataType": kind, "initialValues": initial, **more}
    write(folder, "raw.bin", struct.pack("<3h", -1, 2, -3))
    buffers = {
        "half": (values("FLOAT16", ["nan", "inf", "-inf", 0.1, 65519]), "nan, inf, -inf, 0.1, 65504"),
        "single": (values("DML_TENSOR_DATA_TYPE_FLOAT32", [16777217, 1e-45, 100000]), "16777216, 1e-45, 100000"),
        "double": (values("FLOAT64", [0.1, -1e300]), "0.1, -1e+300"),
        "largest": (values("UINT64", [18446744073709551615]), "18446744073709551615"),
        "least": (values("INT64", [-9223372036854775808, 9223372036854775807]),
                  "-9223372036854775808, 9223372036854775807"),
        "constant": (values("INT8", {"valueCount": 3, "value": -5}), "-5, -5, -5"),
        "sequence": (values("FLOAT16", {"valueCount": 3, "valueStart": 2047, "valueDelta": 1}), "2047, 2048, 2048"),
        "wrapping": (values("UINT8", {"valueCount": 3, "valueStart": 250, "valueDelta": 4}), "250, 254, 2"),
        "nibbles": (values("INT4", [-8, 7, -1]), "-8, 7, -1"),
        "wrapping_nibbles": (values("UINT4", {"valueCount": 4, "valueStart": 11, "valueDelta": 3}), "11, 14, 1, 4"),
        "raw_nibbles": (values("UINT4", {"sourcePath": "raw.bin"}), "15, 15, 15, 15, 2, 0, 0, 0, 13, 15, 15, 15"),
        "raw": (values("INT16", {"sourcePath": "raw.bin"}), "-1, 2, -3"),
        "placed": (values("UINT32", [7], sizeInBytes=64, initialValuesOffsetInBytes=32), "7"),
        "mixed": (values("UNKNOWN", [{"name": "n", "type": "UINT32", "value": 6},
                                     {"type": "FLOAT32", "value": 2.5}], sizeInBytes=256), "6, 2.5"),
    }
    expect_print("every initializer gives the values it says",
                 model_text({name: buffer for name, (buffer, _) in buffers.items()},
                            commands=[show(name) for name in buffers]),
                 {name: text for name, (_, text) in buffers.items()}, folder)
    expect_print("verbose prints the bits",
                 model_text({"A": values("FLOAT32", [1, -2]), "B": values("INT8", [-1])},
                            commands=[show("A", verbose=True), show("B", verbose=True)]),
                 {"A": "1 (0x3F800000), -2 (0xC0000000)", "B": "-1 (0xFF)"}, folder)
    expect_print("verbose prints the bits of halves of bytes",
                 model_text({"A": values("INT4", [-1, 3])}, commands=[show("A", verbose=True)]),
                 {"A": "-1 (0xF), 3 (0x3)"}, folder)


def test_nibbles_have_no_npy(folder):
    path = write(folder, "nibbles.json", model_text(
        {"A": {"initialValuesDataType": "INT4", "initialValues": [1]}},
        commands=[{"type": "writeFile", "resource": "A", "targetPath": "out.npy"}]))
    result = run("run", "--device", "reference", "--output_path", folder, path)
    tell(result.returncode == 1 and "'A' is of type INT4, which .npy files do not have" in result.stderr,
         "elements of 4 bits are not written to .npy files", result.stderr)


def test_bindings(folder):
    numbers = {"initialValuesDataType": "FLOAT32", "initialValues": list(range(16))}
    zeros = {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 8, "value": 0}}
    for stride in ("elementSizeInBytes", "elementStride"):
        expect_print(f"a binding with {stride} starts at its offset",
                     model_text({"A": numbers, "B": zeros}, {"copy": identity("FLOAT32", 4)},
                                [dispatch("copy", InputTensor={"name": "A", "elementCount": 4, stride: 8,
                                                               "elementOffset": 4},
                                          OutputTensor=[{"name": "B", "elementOffset": 4}]), show("B")]),
                     {"B": "0, 0, 0, 0, 8, 9, 10, 11"}, folder)
    expect_print("an operator runs in place where it may",
                 model_text({"A": numbers}, {"double": {**identity("FLOAT32", 16),
                                                        "ScaleBias": {"Scale": 2, "Bias": 0}}},
                            [dispatch("double", InputTensor="A", OutputTensor="A"), show("A")]),
                 {"A": ", ".join(str(2 * i) for i in range(16))}, folder)
    owned = {**identity("FLOAT32", 4, "OWNED_BY_DML"), "bindings": {"InputTensor": "A"}}
    # The first dispatch overwrites A with what the operator owns; the second must still see what A held at first.
    expect_print("an input OWNED_BY_DML keeps what it was initialized with",
                 model_text({"A": numbers, "B": zeros, "Z": zeros},
                            {"own": owned, "clear": identity("FLOAT32", 4)},
                            [dispatch("clear", InputTensor="Z", OutputTensor="A"), dispatch("own", OutputTensor="B"),
                             show("B")]),
                 {"B": "0, 1, 2, 3, 0, 0, 0, 0"}, folder)
    expect_print("undefined outputs are zero with --zero-undefined",
                 model_text({"A": zeros, "N": {"initialValuesDataType": "UINT32", "initialValues": [9]},
                             "C": {"initialValuesDataType": "UINT32", "initialValues": {"valueCount": 8, "value": 9}}},
                            {"nonzero": {"type": "NONZERO_COORDINATES",
                                         "InputTensor": {"DataType": "FLOAT32", "Sizes": [8]},
                                         "OutputCountTensor": {"DataType": "UINT32", "Sizes": [1]},
                                         "OutputCoordinatesTensor": {"DataType": "UINT32", "Sizes": [8, 1]}}},
                            [dispatch("nonzero", InputTensor="A", OutputCountTensor="N",
                                      OutputCoordinatesTensor="C"), show("N"), show("C")]),
                 {"N": "0", "C": "0, 0, 0, 0, 0, 0, 0, 0"}, folder, ["--zero-undefined"])


# A model as DirectX users write them: comments, trailing commas, long tensors, an inline descriptor, flags in a list.
LENIENT = """\xef\xbb\xbf/* a model */
{
    "$schema": "./_schema.json",
    "resources": {
        "A": { "initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3,], }, // trailing commas
        "Out": { "initialValuesDataType": "FLOAT32", "initialValues": { "valueCount": 3, "value": 0 } }
    },
    "dispatchables": {
        "identity": {
            "Type": "ELEMENT_WISE_IDENTITY",
            "dmlCompileType": "DmlCompileGraph",
            "executionFlags": ["DML_EXECUTION_FLAG_DISABLE_META_COMMANDS", "DESCRIPTORS_VOLATILE"],
            "Desc": {
                "InputTensor": { "Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {
                    "DataType": "DML_TENSOR_DATA_TYPE_FLOAT32", "Flags": ["DML_TENSOR_FLAG_NONE"],
                    "DimensionCount": 1, "Sizes": [3], "Strides": [1], "TotalTensorSizeInBytes": 12,
                    "GuaranteedBaseOffsetAlignment": 0 } },
                "OutputTensor": { "DataType": "FLOAT32", "Sizes": [3] },
                "ScaleBias": { "Scale": 2, "Bias": 10 }
            }
        }
    },
    "commands": [
        { "type": "dispatch", "dispatchable": "identity", "bindings": { "InputTensor": "A", "OutputTensor": "Out" } },
        { "type": "print", "resource": "Out" },
    ],
}
// the end
"""


def broken(text, old, new):
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def test_refusals(folder):
    with open(os.path.join(MODELS, "padding_constant.json")) as file:
        good = file.read()

    def line(text, part):
        return text[:text.index(part)].count("\n") + 1

    sizes = broken(broken(good, "[1, 1, 8, 10]", "[1, 1, 8, 11]"), '"valueCount": 80', '"valueCount": 88')
    cases = {
        "a size that breaks the operator's rule": (
            sizes, "OutputTensor", ["DML_OPERATOR_PADDING: OutputTensor.Sizes[3] is 11, must be 10"]),
        "two broken rules": (
            broken(sizes, "[1, 1, 8, 11]", "[1, 1, 7, 11]"), "OutputTensor",
            ["OutputTensor.Sizes[2] is 7, must be 8", "OutputTensor.Sizes[3] is 11, must be 10"]),
        "a missing field": (broken(good, '        "PaddingValue": 9,\n', ""), '"desc"', ["PaddingValue is missing"]),
        "a misspelt enumerator": (broken(good, '"CONSTANT"', '"constant"'), "PaddingMode",
                                  ['PaddingMode is "constant", must be a DML_PADDING_MODE']),
        "an array of another length": (broken(good, "[0, 0, 3, 4]", "[0, 3, 4]"), "EndPadding",
                                       ["EndPadding has 3 elements, must have 4 = DimensionCount"]),
        "a negative size": (broken(good, "[1, 1, 8, 10]", "[1, 1, -8, 10]"), "OutputTensor",
                            ["OutputTensor.Sizes[2] is -8"]),
        "an unknown data type": (broken(good, '"DataType": "FLOAT32", "Sizes": [1, 1, 4, 4]',
                                        '"DataType": "FLOAT", "Sizes": [1, 1, 4, 4]'), "InputTensor",
                                 ['InputTensor.DataType is "FLOAT"']),
        "a resource too small": (broken(good, '"valueCount": 80', '"valueCount": 79'), '"bindings"',
                                 ["OutputTensor needs 320 bytes, resource 'Output' has 316"]),
        "an unknown resource": (broken(good, '"InputTensor": "Input"', '"InputTensor": "Inputs"'), '"bindings"',
                                ["no resource is called 'Inputs'"]),
        "a tensor left unbound": (broken(good, '"InputTensor": "Input", ', ""), '"bindings"',
                                  ["nothing is bound to InputTensor"]),
        "a binding to no tensor": (broken(good, '"InputTensor": "Input"', '"Bogus": "Input", "InputTensor": "Input"'),
                                   '"bindings"', ["has no tensor called Bogus"]),
        "input and output in one place": (broken(good, '"OutputTensor": "Output"', '"OutputTensor": "Input"')
                                          .replace("[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]",
                                                   '{ "valueCount": 80, "value": 1 }'), '"bindings"',
                                          ["OutputTensor and InputTensor overlap in 'Input'"]),
        "a dispatch of nothing": (broken(good, '"dispatchable": "pad"', '"dispatchable": "bad"'),
                                  '"dispatchable"', ["no dispatchable is called 'bad'"]),
        "an unknown command": (broken(good, '"type": "print"', '"type": "show"'), '"show"', ['command type is "show"']),
        "an HLSL shader": (broken(good, '"DML_OPERATOR_PADDING"', '"hlsl"'), '"hlsl"', ["type is hlsl"]),
        "an ONNX model": (broken(good, '"DML_OPERATOR_PADDING"', '"onnx"'), '"onnx"', ["type is onnx", "vkdml run MODEL.onnx"]),
        "a serialized graph": (broken(good, '"DML_OPERATOR_PADDING"', '"dmlSerializedGraph"'), '"dmlSerializedGraph"',
                               ["type is dmlSerializedGraph", "the ONNX model that it was made from"]),
        # One operator of two names.
        **{f"a descriptor of another operator, called {name}": (
            broken(good, '"DML_OPERATOR_PADDING"', f'"{name}"'), '"desc": {', ["UpdatesTensor is missing"])
           for name in ("SCATTER", "DML_OPERATOR_SCATTER", "SCATTER_ELEMENTS", "DML_OPERATOR_SCATTER_ELEMENTS")},
        "an operator that does not exist": (broken(good, '"DML_OPERATOR_PADDING"', '"PADDED"'), '"PADDED"',
                                            ['"PADDED", no DML operator']),
        "a value beyond its type": (broken(good, '"initialValuesDataType": "FLOAT32",\n      "initialValues": [1,',
                                           '"initialValuesDataType": "INT8",\n      "initialValues": [128,'), "[128",
                                    ["initialValues[0] is 128, must fit the data type (INT8)"]),
        "a value beyond half a byte": (broken(good, '"initialValuesDataType": "FLOAT32",\n      "initialValues": [1,',
                                              '"initialValuesDataType": "UINT4",\n      "initialValues": [16,'), "[16",
                                       ["initialValues[0] is 16, must fit the data type (UINT4)"]),
        "a number beyond 64 bits": (broken(good, '"DimensionCount": 4', '"DimensionCount": 18446744073709551616'),
                                    "DimensionCount", ["does not fit 64 bits"]),
        "a resource beyond the machine's memory": (broken(good, '"valueCount": 80',
                                                          '"valueCount": 80, "value": 0 }, "sizeInBytes": '
                                                          '1000000000000000, "x": { "y": 1'), '"Output"',
                                                   ["exceed the machine's memory"]),
        "an image": (broken(good, '{ "valueCount": 80, "value": 0 }', '{ "sourcePath": "a.png" }'), "a.png",
                     ["images are not supported"]),
        "a missing file": (broken(good, '{ "valueCount": 80, "value": 0 }', '{ "sourcePath": "a.npy" }'), "a.npy",
                           ["No such file or directory"]),
        "a member given twice": (broken(good, '"DimensionCount": 4', '"DimensionCount": 4,\n "DimensionCount": 4'),
                                 '"StartPadding"', ["member 'DimensionCount' is given twice"]),
        "a missing comma": (broken(good, '"PaddingValue": 9,', '"PaddingValue": 9'), "DimensionCount", ["expected"]),
        "an unclosed brace": (good.rstrip()[:-1], None, ["ends too early"]),
        "text after the model": (good + "x", None, ["goes on after its end"]),
    }
    for what, (text, part, reasons) in cases.items():
        path = write(folder, "refused.json", text)
        for command in ("check", "run"):
            result = run(command, path)
            lines = result.stderr.splitlines()
            found = all(any(reason in told for told in lines) for reason in reasons)
            where = f"{path}:{line(text, part) - (1 if 'twice' in what else 0)}: " if part else f"{path}:"
            placed = any(told.startswith(where) and reasons[0] in told for told in lines)
            tell(result.returncode == 1 and found and placed and not result.stdout,
                 f"{command} refuses {what}, and says where", f"{where}\n{result.stderr}{result.stdout}")


def test_levels():
    wrap = os.path.join(MODELS, "padding_wrap.json")
    results = {level: run("check", "--dml_feature_level", level, wrap) for level in ("6_4", "6.3", "1_0")}
    tell(results["6_4"].returncode == 0 and not results["6_4"].stderr, "check accepts a mode at its feature level",
         results["6_4"].stderr)
    for level in ("6.3", "1_0"):
        tell(results[level].returncode == 1 and "DML_PADDING_MODE_WRAP" in results[level].stderr,
             f"check refuses WRAP at {level}", results[level].stderr)
    for options in DEVICES.values():
        result = run("run", *options, "--dml_feature_level", "6_3", wrap)
        tell(result.returncode == 1 and "DML_PADDING_MODE_WRAP" in result.stderr and not result.stdout,
             f"run {' '.join(options)} holds operators to the feature level", result.stderr)


def test_lenient(folder):
    path = write(folder, "lenient.json", LENIENT.encode("latin-1"))
    for device, options in DEVICES.items():
        result = run("run", *options, path)
        tell(result.returncode == 0 and resources(result.stdout) == {"Out": "12, 14, 16"} and not result.stderr,
             f"comments, trailing commas and both spellings are understood ({device})", result)
    path = write(folder, "unknown.json", broken(LENIENT, '"dmlCompileType"', '"bogus"').encode("latin-1"))
    result = run("check", path)
    tell(result.returncode == 0 or "bogus" in result.stderr, "unknown members are no error", result)
    tell(f"{path}:11: warning: " in result.stderr or "warning" in result.stderr, "unknown members are warned of",
         result)


def main():
    return run_all(test_every_model_is_tested, test_printed, test_written, test_npy_types, test_npy_refusals,
                   test_initializers, test_nibbles_have_no_npy, test_bindings, test_lenient, test_refusals, test_levels)


if __name__ == "__main__":
    sys.exit(main())
