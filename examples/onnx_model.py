#!/usr/bin/env python3
"""A model in ONNX's format, run three ways: through ONNX Runtime on a Vulkan device, on its CPU provider, and by vkdml alone.

onnx_model.py [MODEL.onnx]    MODEL: that, with random inputs of the sizes it says, 1 where it says none. Without one a small
                              classifier of pictures is made, which is examples/models/classify.onnx

Needs onnxruntime and numpy beside vkdml, and onnx for making the model.
"""
import pathlib
import sys
import tempfile

import numpy as np
import onnxruntime

import vkdml
import vkdml.onnxruntime

TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64, "tensor(int32)": np.int32,
         "tensor(bool)": np.bool_, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}


def make(path):
    """A convolution, its activation, a pooling, a product and softmax, of any number of pictures."""
    from onnx import TensorProto, helper, numpy_helper, save
    rng = np.random.default_rng(3)
    weights = {"filters": rng.normal(0, 0.5, (4, 1, 3, 3)), "bias": rng.normal(0, 0.1, 4), "matrix": rng.normal(0, 0.3, (64, 5)),
               "more": rng.normal(0, 0.1, 5)}
    nodes = [helper.make_node("Conv", ["picture", "filters", "bias"], ["features"], name="conv", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["features"], ["active"], name="relu"),
             helper.make_node("MaxPool", ["active"], ["pooled"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Flatten", ["pooled"], ["row"], name="flatten"),
             helper.make_node("Gemm", ["row", "matrix", "more"], ["scores"], name="dense"),
             helper.make_node("Softmax", ["scores"], ["classes"], name="softmax", axis=1)]
    graph = helper.make_graph(nodes, "classify", [helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["batch", 1, 8, 8])],
                              [helper.make_tensor_value_info("classes", TensorProto.FLOAT, ["batch", 5])],
                              [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def random_inputs(session):
    rng = np.random.default_rng(4)
    inputs = {}
    for value in session.get_inputs():
        shape = [size if isinstance(size, int) else 1 for size in value.shape]
        kind = TYPES[value.type]
        inputs[value.name] = (rng.normal(0, 1, shape) if issubclass(kind, np.floating) else rng.integers(0, 2, shape)).astype(kind)
    return inputs


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/classify.onnx")
        if len(sys.argv) == 1:
            make(path)
        cpu = onnxruntime.InferenceSession(path)
        report = pathlib.Path(folder) / "report"
        gpu = onnxruntime.InferenceSession(path, vkdml.onnxruntime.session_options(report=str(report)))
        inputs = random_inputs(cpu)
        expected, got, alone = cpu.run(None, inputs), gpu.run(None, inputs), vkdml.Model(str(path)).run(inputs)
        where = [line.split("\t")[0] for line in report.read_text().splitlines() if not line.startswith("plan")]
    print(f"{where.count('vkdml')} of {len(where)} nodes run on {vkdml.onnxruntime.devices()[0].ep_metadata['vulkan_device']}")
    for value, a, b in zip(cpu.get_outputs(), expected, got):
        apart = max(np.abs(a.astype(np.float64) - other).max(initial=0) for other in (b, alone[value.name]))
        print(f"{value.name} {list(a.shape)}: {apart:.1e} from the CPU provider's")


if __name__ == "__main__":
    main()
