"""What the Python module says of the headers is what they say: versions, layouts of structs, values. Prints TAP.

test_abi.py INCLUDE_DIRECTORY COMPILER..
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap
from vkdml import _device, _graph_run, _library, _onnx, _schema, _tensor, _vulkan

INCLUDE, COMPILER = sys.argv[1], sys.argv[2:]
ONNX = os.path.join(os.path.dirname(INCLUDE), "integrations", "onnx")
NAMES = {"BufferTensorDesc": "DML_BUFFER_TENSOR_DESC", "TensorDesc": "DML_TENSOR_DESC", "OperatorDesc": "DML_OPERATOR_DESC",
         "GraphDesc": "DML_GRAPH_DESC", "GraphNodeDesc": "DML_GRAPH_NODE_DESC", "GraphEdgeDesc": "DML_GRAPH_EDGE_DESC",
         "OperatorGraphNodeDesc": "DML_OPERATOR_GRAPH_NODE_DESC",
         "ConstantDataGraphNodeDesc": "DML_CONSTANT_DATA_GRAPH_NODE_DESC", "InputGraphEdgeDesc": "DML_INPUT_GRAPH_EDGE_DESC",
         "OutputGraphEdgeDesc": "DML_OUTPUT_GRAPH_EDGE_DESC", "IntermediateGraphEdgeDesc": "DML_INTERMEDIATE_GRAPH_EDGE_DESC",
         "MemoryProperties": "VkPhysicalDeviceMemoryProperties"}
CONSTANTS = {
    "VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT":
        _vulkan.STORAGE_AND_TRANSFER,
    **{f"VK_MEMORY_PROPERTY_{name}_BIT": getattr(_vulkan, name) for name in
       ("DEVICE_LOCAL", "HOST_VISIBLE", "HOST_COHERENT", "HOST_CACHED")},
    **{f"VK_PIPELINE_STAGE_{name}_BIT": getattr(_vulkan, name) for name in ("ALL_COMMANDS", "HOST")},
    **{f"VK_ACCESS_{name}_BIT": getattr(_vulkan, name) for name in ("HOST_READ", "HOST_WRITE", "MEMORY_READ", "MEMORY_WRITE")},
    "VKDML_DEVICE_FLAG_VALIDATION": _device.VALIDATION, "DML_TENSOR_FLAG_OWNED_BY_DML": 1,
    "DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION": _device.ALLOW_HALF_PRECISION_COMPUTATION,
    "VKDML_COMPILE_FLAG_ZERO_UNDEFINED": _device.ZERO_UNDEFINED, "VKDML_COMPILE_FLAG_NODE_BY_NODE": _device.NODE_BY_NODE,
    **{f"DML_GRAPH_NODE_TYPE_{name}": getattr(_graph_run, f"{name}_NODE") for name in ("OPERATOR", "CONSTANT")},
    **{f"DML_GRAPH_EDGE_TYPE_{name}": getattr(_graph_run, f"{name}_EDGE") for name in ("INPUT", "OUTPUT", "INTERMEDIATE")},
    "VK_STRUCTURE_TYPE_SUBMIT_INFO": 4, "VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO": 5, "VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO": 12,
    "VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO": 39, "VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO": 40,
    "VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO": 42, "VK_STRUCTURE_TYPE_MEMORY_BARRIER": 46,
    **{name: code for code, name in [*_library.RESULTS.items(), *((c, n) for c, n in _vulkan.RESULTS.items())]},
    "VKDML_ONNX_ALLOW_HALF": _onnx.ALLOW_HALF, "VKDML_ONNX_REFERENCE": _onnx.REFERENCE,
    "VKDML_ONNX_PREPARE_LATER": _onnx.PREPARE_LATER,
    **{f"VKDML_ONNX_{name.upper()}": value for value, name in enumerate(_onnx.OUTCOMES)},
    "DML_FEATURE_LEVEL_6_4": _schema.NEWEST_LEVEL, "VKDML_HEADER_VERSION": _library.HEADER_VERSION,
    **{f"VKDML_KERNEL_VARIANT_{name or 'DEFAULT'}": value for name, value in _device.VARIANTS.items()},
    **{f"VKDML_LOG_LEVEL_{name.upper()}": value for value, name in enumerate(_device.LOG_LEVELS)},
    **{f"VKDML_FIELD_TYPE_{name}": value for value, name in enumerate(_schema.FIELD_TYPES)},
    **{f"VKDML_AGREE_{name}": 1 << place for place, name in enumerate(_schema.AGREEMENTS)},
    **{f"VKDML_ACCURACY_{name}": value for value, name in enumerate(_schema.ACCURACIES)},
    **{f"DML_TENSOR_DATA_TYPE_{name}": value for value, name in enumerate(_tensor.TYPES)},
}


def structures():
    """(name in C, class)."""
    for module, prefix in ((_library, "Vkdml"), (_onnx, "Vkdml"), (_vulkan, "Vk")):
        for name, kind in vars(module).items():
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind.__module__ == module.__name__ and (
                    hasattr(kind, "_fields_")):
                yield NAMES.get(name, prefix + name), kind


class Headers(unittest.TestCase):
    label = "headers"

    def test_version(self):
        """the module's version is that of include/vkdml/version.h"""
        with open(os.path.join(INCLUDE, "vkdml", "version.h")) as file:
            text = file.read()
        self.assertEqual(re.search(r'VKDML_VERSION_STRING "(.*)"', text).group(1), _library.VERSION)

    def test_values(self):
        """sizes, places of members and constants, by the compiler"""
        wanted = [f"({what}) == {value}" for what, value in CONSTANTS.items()]
        for name, kind in structures():
            # Those that say their size may have grown since.
            relation = ">=" if issubclass(kind, _library.SizedStructure) else "=="
            wanted.append(f"sizeof({name}) {relation} {ctypes.sizeof(kind)}")
            wanted += [f"offsetof({name}, {member}) == {getattr(kind, member).offset}" for member, _ in kind._fields_]
        self.assertGreater(len(wanted), 200)
        asserts = "".join(f'_Static_assert({what}, "{what}");\n' for what in wanted)
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "abi.c")
            with open(source, "w") as file:
                file.write("#include <stddef.h>\n#include <vkdml/vkdml.h>\n#include <vkdml_onnx.h>\n" + asserts)
            result = subprocess.run([*COMPILER, "-std=c11", "-I", INCLUDE, "-I", ONNX, "-fsyntax-only", source], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    sys.argv[1:] = []
    tap.main()
