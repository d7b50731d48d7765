"""Compiles a client of C++ with vkdml's headers before and after the real DirectML.h, which directx-headers have from
1.614 on. Prints TAP.

check_directml.py --language c++ --includes DIR [DIR..] --directx DIR -- COMPILER [ARGUMENT..]
--directx is the include folder of directx-headers.
"""

import argparse
import itertools
import sys

import compiling

REAL = "DirectML.h"
HEADERS = {
    "vkdml.h": "#include <vkdml/vkdml.h>\n",
    "graph.hpp": "#include <vkdml/graph.hpp>\n",
    "directml.hpp": "#include <vkdml/directml.hpp>\n",
    REAL: "#include <wsl/winadapter.h>\n#include <directx/DirectML.h>\n",
}
# Each client uses the declarations of whichever header came first.
DESCRIPTORS = """
DML_OPERATOR_DESC vkdml_client(DML_GEMM_OPERATOR_DESC &gemm, const DML_TENSOR_DESC &tensor) {
    static const DML_ACTIVATION_RELU_OPERATOR_DESC relu = {};
    static const DML_OPERATOR_DESC fused = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    static_assert(DML_TENSOR_DIMENSION_COUNT_MAX1 == 8, "");
    gemm.ATensor = gemm.BTensor = gemm.OutputTensor = &tensor;
    gemm.FusedActivation = &fused;
    return {DML_OPERATOR_GEMM, &gemm};
}
DML_TENSOR_FLAGS vkdml_flags() {
    return DML_TENSOR_FLAG_OWNED_BY_DML | DML_TENSOR_FLAG_NONE;
}
"""
GRAPH = """
vkdml::Dispatchable vkdml_graph(VkdmlDevice device) {
    vkdml::dml::Graph graph(device);
    const vkdml::dml::TensorDesc desc(DML_TENSOR_DATA_TYPE_FLOAT32, {4});
    const auto x = vkdml::dml::InputTensor(graph, 0, desc);
    return graph.Compile(DML_EXECUTION_FLAG_NONE, {vkdml::dml::ActivationRelu(x + 0.5f)});
}
"""
INTERFACES = """
#include <wrl/client.h>
UINT vkdml_descriptors(const DML_BINDING_TABLE_DESC &table) {
    return table.SizeInDescriptors;
}
HRESULT vkdml_interfaces(VkdmlDevice lent, const DML_OPERATOR_DESC &desc, IDMLCompiledOperator **compiled) {
    Microsoft::WRL::ComPtr<IDMLDevice1> device;
    Microsoft::WRL::ComPtr<IDMLOperator> op;
    (void)vkdml::directml::CreateDevice(lent, IID_PPV_ARGS(&device));
    (void)device->CreateOperator(&desc, IID_PPV_ARGS(&op));
    return device->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, __uuidof(IDMLCompiledOperator),
                                   reinterpret_cast<void **>(compiled));
}
"""
INCOMPLETE = "HRESULT vkdml_client(IDMLDevice *device) { return device->GetDeviceRemovedReason(); }\n"


def orders():
    """Each header before and after the real one; and the real one between those of vkdml."""
    for header in (name for name in HEADERS if name != REAL):
        yield from itertools.permutations((header, REAL))
    yield "vkdml.h", REAL, "directml.hpp", "graph.hpp"


def body(order):
    uses = DESCRIPTORS
    uses += GRAPH if "graph.hpp" in order else ""
    return uses + (INTERFACES if "directml.hpp" in order else "")


def main():
    parser = argparse.ArgumentParser()
    compiling.add_arguments(parser)
    parser.add_argument("--directx", required=True)
    options = parser.parse_args()
    compiler = compiling.Compiler(options, tap=True)
    # A folder that the compiler searches anyway must keep its place.
    compiler.command += [] if options.directx == "/usr/include" else ["-isystem", options.directx]
    compiler.command += ["-isystem", options.directx + "/wsl/stubs"]

    tap = compiling.Tap()
    for order in orders():
        complaints = compiler.complaints("".join(HEADERS[name] for name in order) + body(order))
        tap.tell(complaints is None, ", ".join(order), complaints or "")
    # Only vkdml.h before it: the interfaces are incomplete, and the message names the declaration that says so.
    complaints = compiler.complaints(HEADERS["vkdml.h"] + HEADERS[REAL] + INCOMPLETE) or ""
    tap.tell(complaints.count("error:") == 1 and "IDMLDevice" in complaints and "dml_types.h" in complaints,
             "vkdml.h, DirectML.h, a call of an interface: one error", complaints)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
