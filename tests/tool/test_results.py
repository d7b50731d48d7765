"""Tests what `vkdml run` tells of results: test_results.py COMMAND MODELS_FOLDER. Prints TAP."""
import json
import os
import re
import struct
import sys

from command_harness import (MODELS, VALIDATION, dispatch, identity, model_text, npy_bytes, run, run_all, show, tell,
                             write)

ON_REFERENCE = ["-a", "reference"]


def values(data_type, initial):
    return {"initialValuesDataType": data_type, "initialValues": initial}


def copy_of(sizes, data_type="FLOAT32"):
    return {"type": "ELEMENT_WISE_IDENTITY", "InputTensor": {"DataType": data_type, "Sizes": sizes},
            "OutputTensor": {"DataType": data_type, "Sizes": sizes}}


def copied(initial, sizes, data_type="FLOAT32"):
    """A model that prints a resource after it was an operator's input of those sizes."""
    return model_text({"A": values(data_type, initial), "B": {"initialValues": "deferred"}},
                      {"copy": copy_of(sizes, data_type)},
                      [dispatch("copy", InputTensor="A", OutputTensor="B"), show("A")])


def expect_array(folder, name, text, wanted):
    """Of print commands alone: what is on stdout without the lines of device and dispatches."""
    result = run("run", *ON_REFERENCE, "--print", "array", write(folder, "array.json", text))
    got = "".join(line for line in result.stdout.splitlines(True) if not line.startswith(("Running", "Dispatch")))
    tell(result.returncode == 0 and got == wanted, name, f"{got}{result.stderr}wanted:\n{wanted}")


def test_arrays(folder):
    expect_array(folder, "elements are aligned, rows in brackets", copied([1, -2.5, 3, 100, 0.125, 6], [2, 3]),
                 "Resource 'A', FLOAT32 [2, 3]:\n[[    1  -2.5     3]\n [  100 0.125     6]]\n")
    expect_array(folder, "blocks stand apart", copied(list(range(8)), [2, 2, 2], "INT32"),
                 "Resource 'A', INT32 [2, 2, 2]:\n[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n")
    sequence = {"valueCount": 1001, "valueStart": 0, "valueDelta": 1}
    expect_array(folder, "of more than 1000 elements the ends are printed", copied(sequence, [7, 11, 13], "UINT16"),
                 "Resource 'A', UINT16 [7, 11, 13]:\n" + CUT)
    expect_array(folder, "a thousand are printed whole", copied({"valueCount": 1000, "value": 1}, [1000], "UINT8"),
                 "Resource 'A', UINT8 [1000]:\n[" + "\n ".join(" ".join("1" * count) for count in [37] * 27 + [1])
                 + "]\n")
    flat = values("FLOAT32", [1, 2, 3, 4])
    strided = copy_of([2, 2])
    strided["InputTensor"]["Strides"] = [1, 2]
    expect_array(folder, "values that are not the tensor's in their order are printed flat",
                 model_text({"A": flat, "B": {"initialValues": "deferred"}}, {"copy": strided},
                            [dispatch("copy", InputTensor="A", OutputTensor="B"), show("A")]),
                 "Resource 'A', FLOAT32 [4]:\n[1 2 3 4]\n")
    expect_array(folder, "before any dispatch it is the next one's shape",
                 model_text({"A": flat, "B": flat}, {"copy": copy_of([2, 2])},
                            [show("A"), dispatch("copy", InputTensor="A", OutputTensor="B")]),
                 "Resource 'A', FLOAT32 [2, 2]:\n[[1 2]\n [3 4]]\n")
    write(folder, "in.npy", npy_bytes("<i2", "(3, 1)", struct.pack("<3h", 1, -2, 3)))
    expect_array(folder, "without any it is the file's",
                 model_text({"A": {"initialValues": {"sourcePath": "in.npy"}}}, commands=[show("A")]),
                 "Resource 'A', INT16 [3, 1]:\n[[ 1]\n [-2]\n [ 3]]\n")
    expect_array(folder, "verbose has the bits", model_text({"A": values("INT8", [-1, 5])},
                                                            commands=[show("A", verbose=True)]),
                 "Resource 'A', INT8 [2]:\n[-1 (0xFF)  5 (0x05)]\n")
    mixed = {"initialValuesDataType": "UNKNOWN", "initialValues": [{"type": "UINT32", "value": 6},
                                                                   {"type": "FLOAT32", "value": 2.5}]}
    expect_array(folder, "values of several types stay a line", model_text({"A": mixed}, commands=[show("A")]),
                 "Resource 'A': 6, 2.5\n")
    flat_line = run("run", *ON_REFERENCE, "--print", "flat", write(folder, "flat.json", copied([1, 2], [1, 2])))
    tell(flat_line.stdout.endswith("Resource 'A': 1, 2\n"), "--print flat is the line that scripts read", flat_line)


def cut_row(start):
    numbers = [start, start + 1, start + 2, None, start + 10, start + 11, start + 12]
    return "[" + " ".join("..." if n is None else f"{n:4}" for n in numbers) + "]"


def cut_block(start):
    rows = [cut_row(start + 13 * row) for row in (0, 1, 2, 8, 9, 10)]
    return "[" + "\n  ".join(rows[:3] + ["..."] + rows[3:]) + "]"


# Three blocks, rows and elements at each end; an ellipsis for those between.
CUT = "[" + "\n\n ".join([cut_block(143 * block) for block in (0, 1, 2)] + ["..."]
                         + [cut_block(143 * block) for block in (4, 5, 6)]) + "]\n"


def run_json(folder, text, *options):
    result = run("run", "--json", *options, "--output_path", folder, write(folder, "model.json", text))
    try:
        return result, json.loads(result.stdout)
    except ValueError:
        tell(False, "--json prints one document", result)
        return result, {}


def test_json(folder):
    text = model_text(
        {"A": values("FLOAT32", ["nan", "-inf", 0.1, 16777216, 3, 4]), "B": {"initialValues": "deferred"},
         "L": values("UINT64", [18446744073709551615])},
        {"copy": copy_of([2, 3])},
        [dispatch("copy", InputTensor="A", OutputTensor="B"), show("B"), show("L"),
         {"type": "writeFile", "resource": "B", "targetPath": "out.npy"}])
    for options in (VALIDATION, ON_REFERENCE):
        result, document = run_json(folder, text, *options, "-i", "3", "--print_commands", "-v", "2")
        tell(result.returncode == 0 and document["succeeded"] is True and document["schema"] == "vkdml-run-1"
             and document["device"] and document["messages"] == [] and not result.stderr,
             f"--json tells device and success ({' '.join(options)})", result)
        copy, shown, largest, written = document["commands"]
        tell(copy["type"] == "dispatch" and copy["dispatchable"] == "copy" and copy["iterations"] == 3
             and copy["warmup"] == 1 and copy["cpu_ms"]["samples"] == 2
             and copy["cpu_ms"]["minimum"] <= copy["cpu_ms"]["median"] <= copy["cpu_ms"]["maximum"]
             and document["dispatchables"][0]["operator"] == "DML_OPERATOR_ELEMENT_WISE_IDENTITY",
             "and how long a dispatch took", document)
        tell(shown == {"type": "print", "resource": "B", "data_type": "FLOAT32", "shape": [2, 3],
                       "values": ["nan", "-inf", 0.1, 16777216, 3, 4]}, "and values with their type and shape", shown)
        tell(largest["values"] == [18446744073709551615], "digit for digit", largest)
        tell(written == {"type": "writeFile", "resource": "B", "path": os.path.join(folder, "out.npy")},
             "and files that were written", written)
    expected = {"type": "expect", "resource": "A", "values": [1, 2]}
    two = {"A": values("FLOAT32", [1, 3])}
    result, document = run_json(folder, model_text(two, commands=[expected]), *ON_REFERENCE)
    tell(result.returncode == 1 and document["succeeded"] is False and len(document["messages"]) == 1
         and "resource 'A': 1 of 2 elements" in document["messages"][0]
         and result.stderr == document["messages"][0] + "\n", "what is complained of is told in both places", result)
    result, document = run_json(folder, "{ broken", *ON_REFERENCE)
    tell(result.returncode == 1 and document["succeeded"] is False and document["commands"] == []
         and len(document["messages"]) == 1, "a model that cannot be read has its document too", result)
    result, document = run_json(folder, text, "-a", "no such device")
    tell(result.returncode == 1 and document["succeeded"] is False and "no such device" in document["messages"][0],
         "and a device that is not there", result)


def test_comparison(folder):
    for name in sorted(os.listdir(MODELS)):
        if name.endswith(".json"):
            result = run("run", *VALIDATION, "--compare", "reference", "--output_path", folder, os.path.join(MODELS, name))
            tell(result.returncode == 0 and " is the reference's: " in result.stdout and not result.stderr,
                 f"{name} agrees with the reference", result)
    doubled = {**identity("FLOAT32", 4, "NONE"), "ScaleBias": {"Scale": 2, "Bias": 1}}
    owned = {**identity("FLOAT32", 4, "OWNED_BY_DML"), "bindings": {"InputTensor": "A"}}
    numbers = values("FLOAT32", [1, 2, 3, 4])
    text = model_text({"A": numbers, "B": numbers}, {"double": doubled, "own": owned},
                      [dispatch("double", InputTensor="A", OutputTensor="A"), dispatch("own", OutputTensor="B"),
                       dispatch("double", InputTensor="B", OutputTensor="A"), show("A")])
    result, document = run_json(folder, text, *VALIDATION, "--compare", "reference", "-r", "3", "-i", "2")
    compared = [command.get("comparisons") for command in document["commands"]]
    good = {"tensor": "OutputTensor", "tolerance": "bit for bit", "elements": 4, "different": 0, "first": []}
    tell(result.returncode == 0 and compared == [[good], [good], [good], None]
         and document["commands"][3]["values"] == [3, 5, 7, 9],
         "in place, repeated, of owned inputs: each dispatch is compared by what it began with", result)
    product = {"type": "GEMM", "ATensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 16, 300]},
               "BTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 300, 16]},
               "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 16, 16]},
               "TransA": "NONE", "TransB": "NONE", "Alpha": 0.1, "Beta": 0}
    ramp = values("FLOAT32", {"valueCount": 4800, "valueStart": -0.7, "valueDelta": 0.0003})
    text = model_text({"A": ramp, "B": ramp, "C": {"initialValues": "deferred"}}, {"gemm": product},
                      [dispatch("gemm", ATensor="A", BTensor="B", OutputTensor="C")])
    result = run("run", *VALIDATION, "--compare", "reference", write(folder, "gemm.json", text))
    tell(result.returncode == 0 and "OutputTensor is the reference's: 256 elements, within " in result.stdout,
         "sums are compared within a tolerance", result)
    softmax = {"type": "ACTIVATION_SOFTMAX", "InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 16, 300]},
               "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 16, 300]}}
    text = model_text({"A": ramp, "B": {"initialValues": "deferred"}}, {"softmax": softmax},
                      [dispatch("softmax", InputTensor="A", OutputTensor="B")])
    result, document = run_json(folder, text, *VALIDATION, "--compare", "reference")
    tolerance = document["commands"][0]["comparisons"][0]["tolerance"]
    relative = re.search(r"([\d.e-]+) of the element", tolerance)
    tell(result.returncode == 0 and relative and abs(float(relative.group(1)) - (2 * 2 ** -15 + 2 * 2 ** -24)) < 1e-7,
         "a bound of the result alone is the table's", tolerance)


def main():
    return run_all(test_arrays, test_json, test_comparison)


if __name__ == "__main__":
    sys.exit(main())
