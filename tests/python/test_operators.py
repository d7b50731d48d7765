"""Every operator of the table through vkdml.run(): the device against the reference, and outputs that are inferred against those
that are given, on the random cases of tools/check/peers/cases.py. Prints TAP.

test_operators.py [CASES]    so many an operator; 1
"""
import os
import sys
import zlib

import numpy as np
import vkdml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "check"))
from peers import cases, library  # noqa: E402 (where that is)

# Whose outputs nothing says: they must be asked for, not guessed.
NOT_INFERRED = {"CAST", "DIAGONAL_MATRIX", "FILL_VALUE_CONSTANT", "FILL_VALUE_SEQUENCE", "FOLD", "MAX_UNPOOLING", "ONE_HOT",
                "RANDOM_GENERATOR", "ROI_ALIGN", "ROI_ALIGN1", "SLICE_GRAD"}


def same(operator, ours, reference):
    """Bit for bit but for sums, whose order is the device's; those that are no longer finite may be so in other ways."""
    if ours.dtype.kind != "f":
        return np.array_equal(ours, reference)
    if operator.accuracy != "SUM":
        bits = f"u{ours.itemsize}"
        return np.array_equal(ours.view(bits), reference.view(bits))
    finite = np.isfinite(ours) & np.isfinite(reference)
    ours, reference = ours[finite].astype(float), reference[finite].astype(float)
    return bool((np.abs(ours - reference) <= 2e-2 * max(1, np.abs(reference).max(initial=0))).all())


def tame(random, operator, case):
    """Sums of huge terms that cancel out say nothing."""
    if operator.accuracy == "SUM":
        for tensor in (case.tensors.get(field.name) for field in operator.fields_of("input")):
            for one in tensor if isinstance(tensor, list) else [tensor]:
                if one is not None and one.type in library.FLOATS:
                    one.write(random.uniform(0.5, 2, one.sizes))


def inferred(operator, case):
    """The outputs that run() makes of the case's inputs and attributes alone."""
    fields = {field.name: True if field.optional and field.name in case.tensors else None for field in operator.fields_of("output")}
    given = {name: value for name, value in {**case.tensors, **case.attributes}.items() if name not in fields}
    if operator.name == "SPLIT":
        fields["OutputTensors"] = [tensor.sizes for tensor in case.tensors["OutputTensors"]]
    return vkdml.run(operator, device="reference", **given, **fields)


def check(random, operator, run, device):
    """None, or what is wrong."""
    with np.errstate(all="ignore"):
        case = cases.random_case(random, operator, run)
        tame(random, operator, case)
    reason = run.execute(operator, case.tensors, case.attributes)
    if reason:
        return f"the reference refuses: {reason}; {case}"
    reference = [tensor.read() for tensor in case.outputs]
    before = [tensor.others() for tensor in case.outputs]
    vkdml.run(operator, device=device, **case.tensors, **case.attributes)
    for tensor, expected, others in zip(case.outputs, reference, before):
        if not same(operator, tensor.read(), expected):
            return f"the device differs: {case}"
        if (tensor.others() != others).any():
            return f"bytes that are no element's changed: {case}"
    if "RESAMPLE" in operator.name or operator.name == "AVERAGE_POOLING_GRAD":
        return None  # sizes that are not the scales' are legal, and in the cases; so are inputs of as many windows
    try:
        results = inferred(operator, case)
    except TypeError as error:
        return None if operator.name in NOT_INFERRED or operator.name == "DIAGONAL_MATRIX1" else f"{error}; {case}"
    if operator.name in NOT_INFERRED:
        return "an output is inferred that nothing says"
    for result, expected in zip(results if isinstance(results, (tuple, list)) else [results], reference):
        if result.shape != expected.shape:
            return f"{result.shape} is inferred: {case}"
    return None


def main():
    run, failed = library.Library(None), False
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    print(f"1..{len(run.operators)}")
    with vkdml.Device() as device:
        for number, (name, operator) in enumerate(run.operators.items(), 1):
            random = np.random.default_rng([7, zlib.crc32(name.encode())])
            wrong = [what for what in (check(random, operator, run, device) for _ in range(count)) if what]
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
            for what in wrong:
                print("# " + what.replace("\n", "\n# "))
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
