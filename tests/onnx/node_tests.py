#!/usr/bin/env python3
"""Writes ONNX's own node tests, of the package onnx, as folders for onnx_nodes.

node_tests.py FOLDER
"""
import pathlib
import sys

import numpy as np
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def write(folder, case):
    data = folder / case.name / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (data.parent / "model.onnx").write_bytes(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    for kind, values in (("input", inputs), ("output", outputs)):
        for i, value in enumerate(values):
            if isinstance(value, (np.ndarray, np.generic)):
                text = numpy_helper.from_array(np.asarray(value)).SerializeToString()
            elif hasattr(value, "SerializeToString"):
                text = value.SerializeToString()
            else:
                text = b"?"  # sequences and optionals
            (data / f"{kind}_{i}.pb").write_bytes(text)


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = [case for case in collect_testcases(None) if case.model is not None]
    for case in cases:
        write(folder, case)
    print(f"{len(cases)} tests in {folder}")


if __name__ == "__main__":
    main()
