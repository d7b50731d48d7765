// directml.hpp: a client of IDMLDevice, with ComPtr and IID_PPV_ARGS as on Windows; only what it executes on is Vulkan.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <vkdml/directml.hpp>
#include <vkdml/graph.hpp>
#include <wrl/client.h>

#include "cpp/counting.hpp"

using Microsoft::WRL::ComPtr;

namespace {

// Codes without the casts of C that are in the headers' macros.
constexpr std::int32_t OK = 0, FALSE_BUT_FINE = 1;
constexpr std::uint32_t INVALID = 0x80070057u, NO_INTERFACE = 0x80004002u, NOT_FOUND = 0x887A0002u,
                        MORE_DATA = 0x887A0003u;

std::shared_ptr<vkdml::detail::Context> open_context() {
    return std::make_shared<vkdml::detail::Context>(counting_info());
}

void expect(HRESULT found, std::uint32_t expected) {
    if (static_cast<std::uint32_t>(found) != expected) {
        fail_msg("0x%08x in the place of 0x%08x: %s", static_cast<unsigned>(found), expected, vkdmlGetErrorMessage());
    }
}

ULONG references(IUnknown *object) {
    object->AddRef();
    return object->Release();
}

// A row of floats, that points into itself.
struct Row {
    explicit Row(UINT count, DML_TENSOR_FLAGS flags = DML_TENSOR_FLAG_NONE) : size(count) {
        buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
        buffer.Flags = flags;
        buffer.DimensionCount = 1;
        buffer.Sizes = &size;
        buffer.TotalTensorSizeInBytes = UINT64{4} * count;
    }
    Row(const Row &) = delete;
    Row &operator=(const Row &) = delete;

    UINT size;
    DML_BUFFER_TENSOR_DESC buffer{};
    DML_TENSOR_DESC desc{DML_TENSOR_TYPE_BUFFER, &buffer};
};

ComPtr<IDMLDevice1> create_device(VkdmlDevice lent) {
    ComPtr<IDMLDevice1> device;
    expect(vkdml::directml::CreateDevice(lent, IID_PPV_ARGS(&device)), OK);
    return device;
}

// relu(a + b), where the library owns b.
ComPtr<IDMLCompiledOperator> compile_graph(IDMLDevice1 *device) {
    const Row a(4), b(4, DML_TENSOR_FLAG_OWNED_BY_DML);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add{&a.desc, &b.desc, &a.desc};
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu{&a.desc, &a.desc};
    const DML_OPERATOR_DESC descs[] = {{DML_OPERATOR_ELEMENT_WISE_ADD, &add}, {DML_OPERATOR_ACTIVATION_RELU, &relu}};
    ComPtr<IDMLOperator> operators[2];
    DML_OPERATOR_GRAPH_NODE_DESC node_descs[2] = {};
    DML_GRAPH_NODE_DESC nodes[2] = {};
    for (int i = 0; i < 2; i++) {
        expect(device->CreateOperator(&descs[i], IID_PPV_ARGS(&operators[i])), OK);
        node_descs[i].Operator = operators[i].Get();
        nodes[i] = {DML_GRAPH_NODE_TYPE_OPERATOR, &node_descs[i]};
    }
    const DML_INPUT_GRAPH_EDGE_DESC in[] = {{0, 0, 0, nullptr}, {1, 0, 1, nullptr}};
    const DML_INTERMEDIATE_GRAPH_EDGE_DESC between = {0, 0, 1, 0, nullptr};
    const DML_OUTPUT_GRAPH_EDGE_DESC out = {1, 0, 0, nullptr};
    const DML_GRAPH_EDGE_DESC inputs[] = {{DML_GRAPH_EDGE_TYPE_INPUT, &in[0]}, {DML_GRAPH_EDGE_TYPE_INPUT, &in[1]}};
    const DML_GRAPH_EDGE_DESC intermediates[] = {{DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &between}};
    const DML_GRAPH_EDGE_DESC outputs[] = {{DML_GRAPH_EDGE_TYPE_OUTPUT, &out}};
    DML_GRAPH_DESC graph{};
    graph.InputCount = 2;
    graph.OutputCount = 1;
    graph.NodeCount = 2;
    graph.Nodes = nodes;
    graph.InputEdgeCount = 2;
    graph.InputEdges = inputs;
    graph.OutputEdgeCount = 1;
    graph.OutputEdges = outputs;
    graph.IntermediateEdgeCount = 1;
    graph.IntermediateEdges = intermediates;
    ComPtr<IDMLCompiledOperator> compiled;
    expect(device->CompileGraph(&graph, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), OK);
    return compiled;
}

// A buffer and its binding.
struct Buffer {
    Buffer(const std::shared_ptr<vkdml::detail::Context> &context, UINT64 size)
        : memory(context, size, false), range{vkdml::directml::AsResource(memory.buffer), 0, memory.bytes},
          desc{DML_BINDING_TYPE_BUFFER, &range} {
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    vkdml::detail::Buffer memory;
    DML_BUFFER_BINDING range;
    DML_BINDING_DESC desc;
};

void a_graph_is_built_initialized_and_executed(void **) {
    const auto context = open_context();
    const ComPtr<IDMLDevice1> device = create_device(context->device.get());
    const ComPtr<IDMLCompiledOperator> compiled = compile_graph(device.Get());
    ComPtr<IDMLOperatorInitializer> initializer;
    IDMLCompiledOperator *const operators[] = {compiled.Get()};
    expect(device->CreateOperatorInitializer(1, operators, IID_PPV_ARGS(&initializer)), OK);
    const DML_BINDING_PROPERTIES first = initializer->GetBindingProperties();
    const DML_BINDING_PROPERTIES then = compiled->GetBindingProperties();
    assert_true(then.PersistentResourceSize >= 16);

    Buffer a(context, 16), b(context, 16), result(context, 16), persistent(context, then.PersistentResourceSize);
    Buffer temporary(context, first.TemporaryResourceSize + then.TemporaryResourceSize);
    if (a.memory.mapped == nullptr) {
        print_message("skipped: the device's memory is not the host's\n");
        skip();
    }
    const float left[] = {1, -2, 3, -4}, right[] = {10, -20, -30, 40}, expected[] = {11, 0, 0, 36};
    std::memcpy(a.memory.mapped, left, sizeof left);
    std::memcpy(b.memory.mapped, right, sizeof right);

    ComPtr<IDMLCommandRecorder> recorder;
    ComPtr<IDMLBindingTable> table;
    DML_BINDING_TABLE_DESC desc{};
    desc.Dispatchable = initializer.Get();
    expect(device->CreateCommandRecorder(IID_PPV_ARGS(&recorder)), OK);
    expect(device->CreateBindingTable(&desc, IID_PPV_ARGS(&table)), OK);
    const DML_BUFFER_BINDING owned[] = {{nullptr, 0, 0}, b.range};
    const DML_BUFFER_ARRAY_BINDING array = {2, owned};
    const DML_BINDING_DESC weights = {DML_BINDING_TYPE_BUFFER_ARRAY, &array};
    table->BindInputs(1, &weights);
    table->BindOutputs(1, &persistent.desc);
    table->BindTemporaryResource(&temporary.desc);
    context->queue.submit([&](VkCommandBuffer commands) {
        recorder->RecordDispatch(vkdml::directml::AsCommandList(commands), initializer.Get(), table.Get());
    });
    std::memset(b.memory.mapped, 0, 16);

    desc.Dispatchable = compiled.Get();
    expect(table->Reset(&desc), OK);
    const DML_BINDING_DESC inputs[] = {a.desc, {DML_BINDING_TYPE_NONE, nullptr}};
    table->BindInputs(2, inputs);
    table->BindOutputs(1, &result.desc);
    table->BindTemporaryResource(&temporary.desc);
    table->BindPersistentResource(&persistent.desc);
    context->queue.submit([&](VkCommandBuffer commands) {
        recorder->RecordDispatch(vkdml::directml::AsCommandList(commands), compiled.Get(), table.Get());
    });
    expect(device->GetDeviceRemovedReason(), OK);
    assert_memory_equal(result.memory.mapped, expected, sizeof expected);
}

void an_initializer_of_what_owns_nothing_needs_no_bindings(void **) {
    const auto context = open_context();
    const ComPtr<IDMLDevice1> device = create_device(context->device.get());
    const Row a(4);
    const DML_ELEMENT_WISE_ABS_OPERATOR_DESC abs{&a.desc, &a.desc, nullptr};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ABS, &abs};
    ComPtr<IDMLOperator> op;
    ComPtr<IDMLCompiledOperator> compiled;
    ComPtr<IDMLOperatorInitializer> initializer;
    ComPtr<IDMLBindingTable> table;
    ComPtr<IDMLCommandRecorder> recorder;
    expect(device->CreateOperator(&desc, IID_PPV_ARGS(&op)), OK);
    expect(device->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), OK);
    expect(device->CreateOperatorInitializer(0, nullptr, IID_PPV_ARGS(&initializer)), OK);
    IDMLCompiledOperator *const operators[] = {compiled.Get()};
    expect(initializer->Reset(1, operators), OK);
    DML_BINDING_TABLE_DESC table_desc{};
    table_desc.Dispatchable = initializer.Get();
    expect(device->CreateBindingTable(&table_desc, IID_PPV_ARGS(&table)), OK);
    expect(device->CreateCommandRecorder(IID_PPV_ARGS(&recorder)), OK);
    context->queue.submit([&](VkCommandBuffer commands) {
        recorder->RecordDispatch(vkdml::directml::AsCommandList(commands), initializer.Get(), table.Get());
    });
    expect(device->GetDeviceRemovedReason(), OK);
}

void references_keep_what_is_needed(void **) {
    const auto context = open_context();
    ComPtr<IDMLDevice1> device = create_device(context->device.get());
    assert_int_equal(references(device.Get()), 1);
    ComPtr<IDMLCompiledOperator> compiled = compile_graph(device.Get());
    assert_int_equal(references(device.Get()), 2);
    ComPtr<IDMLOperatorInitializer> initializer;
    IDMLCompiledOperator *const operators[] = {compiled.Get()};
    expect(device->CreateOperatorInitializer(1, operators, IID_PPV_ARGS(&initializer)), OK);
    assert_int_equal(references(compiled.Get()), 2);
    expect(initializer->Reset(0, nullptr), OK);
    assert_int_equal(references(compiled.Get()), 1);
    ComPtr<IDMLBindingTable> table;
    DML_BINDING_TABLE_DESC desc{};
    desc.Dispatchable = compiled.Get();
    expect(device->CreateBindingTable(&desc, IID_PPV_ARGS(&table)), OK);
    assert_int_equal(references(compiled.Get()), 2);
    device.Reset(); // its children keep it
    ComPtr<IDMLDevice> same;
    expect(table->GetDevice(IID_PPV_ARGS(&same)), OK);
    assert_ptr_equal(vkdml::directml::GetDevice(same.Get()), context->device.get());
    compiled.Reset();
}

void interfaces_are_found_by_their_guids(void **) {
    const auto context = open_context();
    const ComPtr<IDMLDevice1> device = create_device(context->device.get());
    const ComPtr<IDMLCompiledOperator> compiled = compile_graph(device.Get());
    ComPtr<IDMLDevice> older;
    ComPtr<IDMLObject> object;
    ComPtr<IDMLDispatchable> dispatchable;
    ComPtr<IDMLPageable> pageable;
    ComPtr<IDMLDeviceChild> child;
    ComPtr<IUnknown> unknown, again;
    expect(device.As(&older), OK);
    expect(device.As(&object), OK);
    expect(compiled.As(&dispatchable), OK);
    expect(compiled.As(&pageable), OK);
    expect(compiled.As(&child), OK);
    expect(compiled.As(&unknown), OK);
    expect(child.As(&again), OK);
    assert_ptr_equal(unknown.Get(), again.Get()); // an object's identity
    ComPtr<IDMLOperator> none;
    expect(compiled.As(&none), NO_INTERFACE);
    assert_null(none.Get());
    expect(device->QueryInterface(__uuidof(IDMLDevice), nullptr), INVALID);
    ComPtr<IDMLOperatorInitializer> wrong;
    const Row a(4);
    const DML_ACTIVATION_RELU_OPERATOR_DESC relu{&a.desc, &a.desc};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ACTIVATION_RELU, &relu};
    expect(device->CreateOperator(&desc, IID_PPV_ARGS(&wrong)), NO_INTERFACE);
    expect(device->CreateOperator(&desc, __uuidof(IDMLOperator), nullptr), FALSE_BUT_FINE);
    expect(device->GetParentDevice(IID_PPV_ARGS(&unknown)), NO_INTERFACE);

    // {6dbd6437-96fd-423f-a98c-ae5e7c2a573f}
    const GUID published = {0x6dbd6437, 0x96fd, 0x423f, {0xa9, 0x8c, 0xae, 0x5e, 0x7c, 0x2a, 0x57, 0x3f}};
    assert_memory_equal(&__uuidof(IDMLDevice), &published, sizeof published);
}

void failures_are_hresults_with_reasons(void **) {
    const auto context = open_context();
    const ComPtr<IDMLDevice1> device = create_device(context->device.get());
    const Row a(4), b(5);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add{&a.desc, &b.desc, &a.desc};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ADD, &add};
    ComPtr<IDMLOperator> op;
    expect(device->CreateOperator(&desc, IID_PPV_ARGS(&op)), INVALID);
    assert_non_null(std::strstr(vkdmlGetErrorMessage(), "BTensor"));
    ComPtr<IDMLCompiledOperator> compiled;
    expect(device->CompileOperator(nullptr, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), INVALID);
    expect(device->CompileGraph(nullptr, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), INVALID);
    const DML_GRAPH_DESC empty{};
    expect(device->CompileGraph(&empty, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), INVALID);
    ComPtr<IDMLOperatorInitializer> initializer;
    IDMLCompiledOperator *const none[] = {nullptr};
    expect(device->CreateOperatorInitializer(1, none, IID_PPV_ARGS(&initializer)), INVALID);
    ComPtr<IDMLDevice> no_device;
    expect(vkdml::directml::CreateDevice(nullptr, IID_PPV_ARGS(&no_device)), INVALID);

    const DML_FEATURE_LEVEL wanted[] = {DML_FEATURE_LEVEL_2_1, DML_FEATURE_LEVEL_6_4};
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {2, wanted};
    DML_FEATURE_DATA_FEATURE_LEVELS answer{};
    expect(device->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof answer, &answer), OK);
    assert_int_equal(answer.MaxSupportedFeatureLevel, DML_FEATURE_LEVEL_6_4);

    // What returns nothing removes the device.
    expect(device->GetDeviceRemovedReason(), OK);
    compiled = compile_graph(device.Get());
    ComPtr<IDMLBindingTable> table;
    DML_BINDING_TABLE_DESC table_desc{};
    expect(device->CreateBindingTable(&table_desc, IID_PPV_ARGS(&table)), INVALID);
    table_desc.Dispatchable = compiled.Get();
    expect(device->CreateBindingTable(&table_desc, IID_PPV_ARGS(&table)), OK);
    const DML_BINDING_DESC unbound = {DML_BINDING_TYPE_NONE, nullptr};
    table->BindInputs(1, &unbound);
    expect(device->GetDeviceRemovedReason(), INVALID);
    assert_non_null(std::strstr(vkdml::directml::GetRemovedMessage(device.Get()), "count is 1"));
}

void objects_keep_private_data(void **) {
    const auto context = open_context();
    const ComPtr<IDMLDevice1> device = create_device(context->device.get());
    const GUID guid = {1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
    UINT size = 0;
    int value = 77, found = 0;
    expect(device->SetName(L"device"), OK);
    expect(device->GetPrivateData(guid, &size, &found), NOT_FOUND);
    expect(device->SetPrivateData(guid, sizeof value, &value), OK);
    expect(device->GetPrivateData(guid, &size, nullptr), OK);
    assert_int_equal(size, sizeof value);
    size = 1;
    expect(device->GetPrivateData(guid, &size, &found), MORE_DATA);
    expect(device->GetPrivateData(guid, &size, &found), OK);
    assert_int_equal(found, 77);
    const ComPtr<IDMLCompiledOperator> compiled = compile_graph(device.Get());
    {
        const ComPtr<IDMLDevice1> other = create_device(context->device.get());
        expect(other->SetPrivateDataInterface(guid, compiled.Get()), OK);
        assert_int_equal(references(compiled.Get()), 2);
    }
    assert_int_equal(references(compiled.Get()), 1);
}

void a_graph_of_expressions_becomes_an_interface(void **) {
    namespace dml = vkdml::dml;
    const auto context = open_context();
    const ComPtr<IDMLDevice1> device = create_device(context->device.get());
    dml::Graph graph(vkdml::directml::GetDevice(device.Get()));
    const auto x = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, {4}));
    ComPtr<IDMLCompiledOperator> compiled;
    expect(vkdml::directml::CreateCompiledOperator(
               device.Get(), graph.Compile(DML_EXECUTION_FLAG_NONE, {dml::Exp(x) + 1.0f}).release(),
               IID_PPV_ARGS(&compiled)),
           OK);
    assert_int_equal(compiled->GetBindingProperties().PersistentResourceSize, 0);
}
} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_graph_is_built_initialized_and_executed, nothing_is_left),
        cmocka_unit_test_teardown(an_initializer_of_what_owns_nothing_needs_no_bindings, nothing_is_left),
        cmocka_unit_test_teardown(references_keep_what_is_needed, nothing_is_left),
        cmocka_unit_test_teardown(interfaces_are_found_by_their_guids, nothing_is_left),
        cmocka_unit_test_teardown(failures_are_hresults_with_reasons, nothing_is_left),
        cmocka_unit_test_teardown(objects_keep_private_data, nothing_is_left),
        cmocka_unit_test_teardown(a_graph_of_expressions_becomes_an_interface, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
