// directml.hpp: a client of IDMLDevice, with ComPtr and IID_PPV_ARGS as on Windows; only what it executes on is Vulkan.
#include <atomic>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
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

ComPtr<IDMLDevice1> create_device(const vkdml::Device &lent) {
    ComPtr<IDMLDevice1> device;
    expect(vkdml::directml::CreateDevice(lent.get(), IID_PPV_ARGS(&device)), OK);
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

using Floats = std::vector<float>;

// An array on the device and its binding.
struct Buffer {
    explicit Buffer(const vkdml::DeviceArray &elements)
        : array(elements), range{vkdml::directml::AsResource(array.binding().buffer), 0, array.bytes()},
          desc{DML_BINDING_TYPE_BUFFER, &range} {
    }
    Buffer(const vkdml::Session &session, UINT64 size) : Buffer(session.allocate(size)) {
    }
    Buffer(const vkdml::Session &session, const Floats &elements) : Buffer(session.array(elements)) {
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    void expect(const Floats &expected) const {
        Floats found(expected.size());
        array.read(found);
        assert_memory_equal(found.data(), expected.data(), expected.size() * sizeof(float));
    }

    vkdml::DeviceArray array;
    DML_BUFFER_BINDING range;
    DML_BINDING_DESC desc;
};

// Errors that imported devices have logged.
std::atomic<unsigned> logged_errors{0};

// The device of a session, imported so that counted() is of the library's objects and not of the driver's.
vkdml::Device import(const vkdml::Session &session) {
    static const VkAllocationCallbacks callbacks = counting();
    const VkdmlVulkanHandles handles = session.device().vulkanHandles();
    VkdmlDeviceCreateInfo info{};
    info.instance = handles.instance;
    info.physicalDevice = handles.physicalDevice;
    info.device = handles.device;
    info.queueFamilyIndex = handles.queueFamilyIndex;
    info.getInstanceProcAddr = handles.getInstanceProcAddr;
    info.allocationCallbacks = &callbacks;
    info.logCallback = [](void *, VkdmlLogLevel level, const char *) {
        logged_errors += level == VKDML_LOG_LEVEL_ERROR ? 1 : 0;
    };
    return vkdml::Device::create(info);
}

// A device with a recorder, and a queue to execute on.
struct Client {
    explicit Client(vkdml::Session lent = vkdml::Session(validated_info()))
        : session(std::move(lent)), imported(import(session)), queue(imported, session.device().vulkanHandles().queue),
          device(create_device(imported)) {
        ::expect(device->CreateCommandRecorder(IID_PPV_ARGS(&recorder)), OK);
    }

    ComPtr<IDMLBindingTable> table(IDMLDispatchable *dispatchable, DML_BINDING_TABLE_DESC desc = {}) const {
        ComPtr<IDMLBindingTable> made;
        desc.Dispatchable = dispatchable;
        ::expect(device->CreateBindingTable(&desc, IID_PPV_ARGS(&made)), OK);
        return made;
    }
    template <typename Record> void execute(Record record) {
        vkdml::directml::Execute(device.Get(), queue, record);
        expect_not_removed();
    }
    void expect_not_removed() const {
        if (device->GetDeviceRemovedReason() != 0) {
            fail_msg("removed: %s", vkdml::directml::GetRemovedMessage(device.Get()));
        }
    }
    void execute(IDMLDispatchable *dispatchable, IDMLBindingTable *bindings) {
        execute([&](ID3D12CommandList *list) { recorder->RecordDispatch(list, dispatchable, bindings); });
    }
    void expect_removed(const char *reason) const {
        ::expect(device->GetDeviceRemovedReason(), INVALID);
        if (std::strstr(vkdml::directml::GetRemovedMessage(device.Get()), reason) == nullptr) {
            fail_msg("'%s' is not in: %s", reason, vkdml::directml::GetRemovedMessage(device.Get()));
        }
    }

    vkdml::Session session;
    vkdml::Device imported;
    vkdml::Queue queue;
    ComPtr<IDMLDevice1> device;
    ComPtr<IDMLCommandRecorder> recorder;
};

// out = |in|
ComPtr<IDMLCompiledOperator> compile_abs(IDMLDevice1 *device) {
    const Row a(4);
    const DML_ELEMENT_WISE_ABS_OPERATOR_DESC abs{&a.desc, &a.desc, nullptr};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ABS, &abs};
    ComPtr<IDMLOperator> op;
    ComPtr<IDMLCompiledOperator> compiled;
    expect(device->CreateOperator(&desc, IID_PPV_ARGS(&op)), OK);
    expect(device->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), OK);
    return compiled;
}

const DML_BINDING_DESC nothing = {DML_BINDING_TYPE_NONE, nullptr};

ComPtr<IDMLOperatorInitializer> create_initializer(const Client &client, IDMLCompiledOperator *compiled) {
    ComPtr<IDMLOperatorInitializer> initializer;
    expect(client.device->CreateOperatorInitializer(1, &compiled, IID_PPV_ARGS(&initializer)), OK);
    return initializer;
}

// Of compile_graph(): copies b.
void initialize(Client &client, IDMLOperatorInitializer *initializer, IDMLBindingTable *table, const Buffer &b,
                const Buffer &persistent, const Buffer &temporary) {
    const DML_BUFFER_BINDING owned[] = {{nullptr, 0, 0}, b.range};
    const DML_BUFFER_ARRAY_BINDING array = {2, owned};
    const DML_BINDING_DESC weights = {DML_BINDING_TYPE_BUFFER_ARRAY, &array};
    table->BindInputs(1, &weights);
    table->BindOutputs(1, &persistent.desc);
    table->BindTemporaryResource(&temporary.desc);
    client.execute(initializer, table);
}

void a_graph_is_built_initialized_and_executed(void **) {
    Client client;
    logged_errors = 0;
    const vkdml::Session &session = client.session;
    const auto &device = client.device;
    const ComPtr<IDMLCompiledOperator> compiled = compile_graph(device.Get());
    const ComPtr<IDMLOperatorInitializer> initializer = create_initializer(client, compiled.Get());
    const DML_BINDING_PROPERTIES first = initializer->GetBindingProperties();
    const DML_BINDING_PROPERTIES then = compiled->GetBindingProperties();
    assert_true(then.PersistentResourceSize >= 16);

    const Buffer a(session, Floats{1, -2, 3, -4}), result(session, 16);
    const Buffer persistent(session, then.PersistentResourceSize);
    Buffer b(session, Floats{10, -20, -30, 40});
    const Buffer temporary(session, first.TemporaryResourceSize + then.TemporaryResourceSize);
    const ComPtr<IDMLBindingTable> table = client.table(initializer.Get());
    initialize(client, initializer.Get(), table.Get(), b, persistent, temporary);
    b.array.write(Floats(4));

    DML_BINDING_TABLE_DESC desc{};
    desc.Dispatchable = compiled.Get();
    expect(table->Reset(&desc), OK);
    const DML_BINDING_DESC inputs[] = {a.desc, nothing};
    table->BindInputs(2, inputs);
    table->BindOutputs(1, &result.desc);
    table->BindTemporaryResource(&temporary.desc);
    table->BindPersistentResource(&persistent.desc);
    client.execute(compiled.Get(), table.Get());
    result.expect({11, 0, 0, 36});
    assert_int_equal(logged_errors, 0);
}

// Clients release the table, or the dispatchable with it, as soon as RecordDispatch() returns, and give its range of
// descriptors to the next: the same range, and ranges that overlap it.
void a_table_may_go_as_soon_as_it_is_recorded(void **) {
    Client client;
    std::vector<std::unique_ptr<Buffer>> in, out;
    client.execute([&](ID3D12CommandList *list) {
        for (int i = 0; i < 12; i++) {
            const float x = static_cast<float>(i);
            in.push_back(std::make_unique<Buffer>(client.session, Floats{x, -x, x - 100, 7}));
            out.push_back(std::make_unique<Buffer>(client.session, 16));
            const ComPtr<IDMLCompiledOperator> compiled = compile_abs(client.device.Get());
            DML_BINDING_TABLE_DESC range{};
            range.CPUDescriptorHandle.ptr = 4096 + 32 * static_cast<SIZE_T>(i % 3); // and so two of three overlap
            range.SizeInDescriptors = 2;
            const ComPtr<IDMLBindingTable> table = client.table(compiled.Get(), range);
            table->BindInputs(1, &in.back()->desc);
            table->BindOutputs(1, &out.back()->desc);
            client.recorder->RecordDispatch(list, compiled.Get(), table.Get());
        }
    });
    for (int i = 0; i < 12; i++) {
        const float x = static_cast<float>(i);
        out[static_cast<std::size_t>(i)]->expect({x, x, 100 - x, 7});
    }
}

void a_command_list_keeps_what_it_recorded_until_its_release(void **) {
    Client client;
    const ComPtr<IDMLCompiledOperator> compiled = compile_abs(client.device.Get());
    const Buffer in(client.session, Floats{-1, 2, -3, 4}), first(client.session, 16), second(client.session, 16);
    vkdml::Queue other(client.session.device());
    const auto record = [&](ID3D12CommandList *list, const Buffer &out) {
        ComPtr<IDMLBindingTable> table = client.table(compiled.Get());
        table->BindInputs(1, &in.desc);
        table->BindOutputs(1, &out.desc);
        client.recorder->RecordDispatch(list, compiled.Get(), table.Get());
        const int with_table = counted();
        table.Reset();
        assert_int_equal(counted(), with_table);
    };
    int before = 0;
    for (int round = 0; round < 2; round++) { // the second finds the two tables of the first
        client.execute([&](ID3D12CommandList *list) {
            record(list, first);
            // Another list is recorded, executed and released meanwhile.
            vkdml::directml::Execute(client.device.Get(), other, [&](ID3D12CommandList *its) { record(its, second); });
            second.expect({1, 2, 3, 4});
            assert_true(round == 0 || counted() == before);
        });
        first.expect({1, 2, 3, 4});
        assert_true(round == 0 || counted() == before);
        before = counted();
    }

    // One that is never submitted nor released goes with the device.
    expect_error(VKDML_ERROR_DRIVER, "thrown", [&] {
        client.execute([&](ID3D12CommandList *list) {
            record(list, first);
            record(list, second);
            record(list, first); // a third table: the list still has the two that were spare
            throw vkdml::Error(VKDML_ERROR_DRIVER, "thrown");
        });
    });
    assert_true(counted() > before);
}

void one_table_that_is_reset_for_each_dispatch_takes_no_more_memory(void **) {
    Client client;
    const ComPtr<IDMLCompiledOperator> compiled = compile_abs(client.device.Get());
    const Buffer in(client.session, Floats{-1, 2, -3, 4});
    const Buffer out[] = {Buffer(client.session, 16), Buffer(client.session, 16)};
    const ComPtr<IDMLBindingTable> table = client.table(compiled.Get());
    DML_BINDING_TABLE_DESC desc{};
    desc.Dispatchable = compiled.Get();
    int before = 0;
    for (int i = 0; i < 100; i++) {
        client.execute([&](ID3D12CommandList *list) {
            for (int k = 0; k < 100; k++) {
                expect(table->Reset(&desc), OK);
                table->BindInputs(1, &in.desc);
                table->BindOutputs(1, &out[k % 2].desc);
                client.recorder->RecordDispatch(list, compiled.Get(), table.Get());
                client.recorder->RecordDispatch(list, compiled.Get(), table.Get()); // once more is nothing more to keep
            }
        });
        before = i == 0 ? counted() : before; // with a hundred spare tables
        assert_int_equal(counted(), before);
    }
    out[0].expect({1, 2, 3, 4});
    out[1].expect({1, 2, 3, 4});
}

// A table that was used before is as new: what is not bound is missed.
void a_spare_table_has_nothing_bound(void **) {
    const vkdml::Session session(validated_info());
    const Buffer in(session, Floats{-1, 2, -3, 4}), out(session, 16), b(session, Floats(4));
    const Buffer persistent(session, 4096), temporary(session, 4096);
    const auto try_one = [&](const char *reason, auto unfinished) {
        Client client(session);
        const ComPtr<IDMLCompiledOperator> compiled = compile_graph(client.device.Get());
        const DML_BINDING_DESC inputs[] = {in.desc, nothing};
        const ComPtr<IDMLOperatorInitializer> initializer = create_initializer(client, compiled.Get());
        ComPtr<IDMLBindingTable> table = client.table(initializer.Get());
        initialize(client, initializer.Get(), table.Get(), b, persistent, temporary);
        table = client.table(compiled.Get());
        table->BindInputs(2, inputs);
        table->BindOutputs(1, &out.desc);
        table->BindTemporaryResource(&temporary.desc);
        table->BindPersistentResource(&persistent.desc);
        client.execute(compiled.Get(), table.Get());
        table.Reset();
        const int before = counted();
        table = client.table(compiled.Get());
        assert_int_equal(counted(), before); // it is the first one
        unfinished(table.Get(), inputs);
        vkdml::directml::Execute(client.device.Get(), client.queue, [&](ID3D12CommandList *list) {
            client.recorder->RecordDispatch(list, compiled.Get(), table.Get());
        });
        client.expect_removed(reason);
    };
    try_one("nothing is bound", [&](IDMLBindingTable *table, const DML_BINDING_DESC *) {
        table->BindOutputs(1, &out.desc);
        table->BindPersistentResource(&persistent.desc);
    });
    try_one("nothing is bound", [&](IDMLBindingTable *table, const DML_BINDING_DESC *inputs) {
        table->BindInputs(2, inputs);
        table->BindPersistentResource(&persistent.desc);
    });
    try_one("nothing is bound", [&](IDMLBindingTable *table, const DML_BINDING_DESC *inputs) {
        table->BindInputs(2, inputs);
        table->BindOutputs(1, &out.desc);
    });
}

// Spare tables are limited for a device, go with their dispatchable, and are taken from the one that needs them least.
void spare_tables_are_bounded(void **) {
    Client client;
    const int limit = static_cast<int>(vkdml::directml::detail::SpareTables::limit);
    ComPtr<IDMLCompiledOperator> first = compile_abs(client.device.Get()), second = compile_abs(client.device.Get());
    const auto create = [&](IDMLCompiledOperator *compiled, int count) {
        std::vector<ComPtr<IDMLBindingTable>> tables;
        for (int i = 0; i < count; i++) {
            tables.push_back(client.table(compiled));
        }
        return counted();
    };
    const int none = counted(), each = create(first.Get(), 1) - none;
    assert_int_equal(create(first.Get(), limit + 10), none + (limit + 10) * each);
    assert_int_equal(counted(), none + limit * each);
    assert_int_equal(create(second.Get(), 10), none + (limit + 10) * each);
    assert_int_equal(counted(), none + limit * each);                       // first has lost ten
    assert_int_equal(create(first.Get(), limit - 10), none + limit * each); // and has all others
    assert_int_equal(create(second.Get(), 10), none + limit * each);
    const int with_first = counted();
    first.Reset();
    assert_true(counted() < with_first - (limit - 10) * each);
    second.Reset();
    assert_true(counted() < none);
}

void threads_share_spare_tables(void **) {
    Client client;
    const ComPtr<IDMLCompiledOperator> shared = compile_abs(client.device.Get());
    std::atomic<int> failures{0};
    const auto use = [&] {
        for (int i = 0; i < 20; i++) {
            const ComPtr<IDMLCompiledOperator> own = compile_abs(client.device.Get());
            for (int k = 0; k < 20; k++) {
                DML_BINDING_TABLE_DESC desc{};
                desc.Dispatchable = k % 2 == 0 ? shared.Get() : own.Get();
                ComPtr<IDMLBindingTable> table;
                failures += client.device->CreateBindingTable(&desc, IID_PPV_ARGS(&table)) == OK ? 0 : 1;
            }
        }
    };
    use();
    const int before = counted();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back(use);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    assert_int_equal(failures, 0);
    client.expect_not_removed();
    const ComPtr<IDMLBindingTable> first = client.table(shared.Get());
    assert_in_range(counted(), before, before + 8); // of the two tables, if any, that were used at the same time
}

void an_initializer_of_what_owns_nothing_needs_no_bindings(void **) {
    Client client;
    const ComPtr<IDMLCompiledOperator> compiled = compile_abs(client.device.Get());
    ComPtr<IDMLOperatorInitializer> initializer;
    expect(client.device->CreateOperatorInitializer(0, nullptr, IID_PPV_ARGS(&initializer)), OK);
    IDMLCompiledOperator *const operators[] = {compiled.Get(), compiled.Get()};
    expect(initializer->Reset(2, operators), OK);
    const ComPtr<IDMLBindingTable> table = client.table(initializer.Get());
    client.execute(initializer.Get(), table.Get());
    const DML_BUFFER_ARRAY_BINDING no_buffers = {0, nullptr};
    const DML_BUFFER_BINDING no_buffer = {nullptr, 0, 0};
    const DML_BUFFER_ARRAY_BINDING null_buffers = {1, &no_buffer};
    const DML_BINDING_DESC forms[] = {nothing,
                                      {DML_BINDING_TYPE_BUFFER, nullptr},
                                      {DML_BINDING_TYPE_BUFFER, &no_buffer},
                                      {DML_BINDING_TYPE_BUFFER_ARRAY, nullptr},
                                      {DML_BINDING_TYPE_BUFFER_ARRAY, &no_buffers},
                                      {DML_BINDING_TYPE_BUFFER_ARRAY, &null_buffers}};
    for (const DML_BINDING_DESC &form : forms) {
        const DML_BINDING_DESC both[] = {form, nothing};
        table->BindInputs(2, both);
        table->BindTemporaryResource(&form);
        table->BindPersistentResource(&form);
        client.execute(initializer.Get(), table.Get());
    }
    table->BindInputs(0, nullptr);
    table->BindOutputs(0, nullptr);
    table->BindTemporaryResource(nullptr);
    table->BindPersistentResource(nullptr);
    client.execute(initializer.Get(), table.Get());
    table->BindInputs(1, forms);
    client.expect_removed("bindingCount is 1, must be 2");
}

// The inputs of the next operator would move up otherwise.
void an_initializers_array_is_of_its_operators_inputs(void **) {
    Client client;
    const ComPtr<IDMLCompiledOperator> abs = compile_abs(client.device.Get());
    const ComPtr<IDMLCompiledOperator> graph = compile_graph(client.device.Get());
    ComPtr<IDMLOperatorInitializer> initializer;
    IDMLCompiledOperator *const operators[] = {abs.Get(), graph.Get()}; // 1 input and 2
    expect(client.device->CreateOperatorInitializer(2, operators, IID_PPV_ARGS(&initializer)), OK);
    const ComPtr<IDMLBindingTable> table = client.table(initializer.Get());
    const Buffer b(client.session, 16);
    const DML_BUFFER_BINDING two[] = {{nullptr, 0, 0}, {nullptr, 0, 0}};
    const DML_BUFFER_ARRAY_BINDING first = {2, two}, second = {1, &b.range};
    const DML_BINDING_DESC shifted[] = {{DML_BINDING_TYPE_BUFFER_ARRAY, &first},
                                        {DML_BINDING_TYPE_BUFFER_ARRAY, &second}};
    table->BindInputs(2, shifted);
    client.expect_removed("bindings[0] must be an array");
}

// Any form of nothing unbinds, and RecordDispatch() finds that something is missing.
void nothing_unbinds_what_an_operators_table_has(void **) {
    const vkdml::Session session(validated_info());
    const DML_BUFFER_ARRAY_BINDING no_buffers = {0, nullptr};
    const DML_BINDING_DESC forms[] = {nothing,
                                      {DML_BINDING_TYPE_BUFFER, nullptr},
                                      {DML_BINDING_TYPE_BUFFER_ARRAY, nullptr},
                                      {DML_BINDING_TYPE_BUFFER_ARRAY, &no_buffers}};
    const Buffer in(session, Floats{-1, 2, -3, 4}), out(session, 16);
    const auto try_one = [&](const char *reason, auto unbind) {
        Client client(session);
        const ComPtr<IDMLCompiledOperator> compiled = compile_abs(client.device.Get());
        const ComPtr<IDMLBindingTable> table = client.table(compiled.Get());
        const auto bind = [&] {
            table->BindInputs(1, &in.desc);
            table->BindOutputs(1, &out.desc);
            table->BindTemporaryResource(&in.desc); // neither is needed
            table->BindPersistentResource(&in.desc);
        };
        bind();
        unbind(table.Get());
        bind();
        client.execute(compiled.Get(), table.Get());
        unbind(table.Get());
        client.expect_not_removed();
        vkdml::directml::Execute(client.device.Get(), client.queue, [&](ID3D12CommandList *list) {
            client.recorder->RecordDispatch(list, compiled.Get(), table.Get());
        });
        client.expect_removed(reason);
    };
    for (const DML_BINDING_DESC &form : forms) {
        try_one("InputTensor: nothing is bound", [&](IDMLBindingTable *table) {
            table->BindInputs(1, &form);
            table->BindTemporaryResource(&form);
            table->BindPersistentResource(&form);
        });
        try_one("OutputTensor: nothing is bound", [&](IDMLBindingTable *table) { table->BindOutputs(1, &form); });
    }
    try_one("InputTensor: nothing is bound", [](IDMLBindingTable *table) {
        table->BindInputs(0, nullptr);
        table->BindTemporaryResource(nullptr);
        table->BindPersistentResource(nullptr);
    });
    try_one("OutputTensor: nothing is bound", [](IDMLBindingTable *table) { table->BindOutputs(0, nullptr); });
}

void a_table_without_a_dispatchable_is_empty(void **) {
    Client client;
    const ComPtr<IDMLCompiledOperator> compiled = compile_abs(client.device.Get());
    const Buffer in(client.session, Floats{-1, 2, -3, 4}), out(client.session, 16);
    ComPtr<IDMLBindingTable> table;
    expect(client.device->CreateBindingTable(nullptr, IID_PPV_ARGS(&table)), OK);
    for (int i = 0; i < 2; i++) {
        table->BindInputs(0, nullptr);
        table->BindOutputs(1, &nothing);
        table->BindTemporaryResource(nullptr);
        table->BindPersistentResource(&nothing);
        DML_BINDING_TABLE_DESC desc{};
        expect(table->Reset(&desc), INVALID);
        desc.Dispatchable = compiled.Get();
        expect(table->Reset(&desc), OK);
        table->BindInputs(1, &in.desc);
        table->BindOutputs(1, &out.desc);
        client.execute([&](ID3D12CommandList *list) {
            client.recorder->RecordDispatch(list, compiled.Get(), table.Get());
            expect(table->Reset(nullptr), OK);
        });
    }
    out.expect({1, 2, 3, 4});
    table->BindOutputs(1, &out.desc);
    client.expect_removed("table is NULL");
}

void references_keep_what_is_needed(void **) {
    const vkdml::Session session = open();
    ComPtr<IDMLDevice1> device = create_device(session.device());
    assert_int_equal(references(device.Get()), 1);
    ComPtr<IDMLCompiledOperator> compiled = compile_graph(device.Get());
    assert_int_equal(references(device.Get()), 2);
    ComPtr<IDMLOperatorInitializer> initializer;
    IDMLCompiledOperator *const operators[] = {compiled.Get()};
    expect(device->CreateOperatorInitializer(1, operators, IID_PPV_ARGS(&initializer)), OK);
    expect(initializer->Reset(0, nullptr), OK);
    ComPtr<IDMLBindingTable> table;
    DML_BINDING_TABLE_DESC desc{};
    desc.Dispatchable = compiled.Get();
    expect(device->CreateBindingTable(&desc, IID_PPV_ARGS(&table)), OK);
    device.Reset(); // its children keep it
    ComPtr<IDMLDevice> same;
    expect(table->GetDevice(IID_PPV_ARGS(&same)), OK);
    assert_ptr_equal(vkdml::directml::GetDevice(same.Get()), session.device().get());
    compiled.Reset();
}

void interfaces_are_found_by_their_guids(void **) {
    const vkdml::Session session = open();
    const ComPtr<IDMLDevice1> device = create_device(session.device());
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

    // {6dbd6437-96fd-423f-a98c-ae5e7c2a573f}
    const GUID published = {0x6dbd6437, 0x96fd, 0x423f, {0xa9, 0x8c, 0xae, 0x5e, 0x7c, 0x2a, 0x57, 0x3f}};
    assert_memory_equal(&__uuidof(IDMLDevice), &published, sizeof published);
}

void failures_are_hresults_with_reasons(void **) {
    const vkdml::Session session = open();
    const ComPtr<IDMLDevice1> device = create_device(session.device());
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
    table->BindInputs(1, &nothing);
    expect(device->GetDeviceRemovedReason(), INVALID);
    assert_non_null(std::strstr(vkdml::directml::GetRemovedMessage(device.Get()), "count is 1"));
}

void the_parent_device_is_the_callers(void **) {
    const vkdml::Session session = open();
    const ComPtr<IDMLDevice1> parent = create_device(session.device()); // any object serves
    ComPtr<IDMLDevice1> device;
    ComPtr<IDMLDevice> found;
    ComPtr<IDMLOperator> wrong;
    expect(parent->GetParentDevice(IID_PPV_ARGS(&found)), NO_INTERFACE);
    expect(vkdml::directml::CreateDevice(session.device().get(), IID_PPV_ARGS(&device), parent.Get()), OK);
    assert_int_equal(references(parent.Get()), 2);
    expect(device->GetParentDevice(IID_PPV_ARGS(&found)), OK);
    assert_ptr_equal(found.Get(), parent.Get());
    expect(device->GetParentDevice(IID_PPV_ARGS(&wrong)), NO_INTERFACE);
    assert_null(wrong.Get());
    expect(device->GetParentDevice(__uuidof(IDMLDevice), nullptr), INVALID);
    found.Reset();
    device.Reset();
    assert_int_equal(references(parent.Get()), 1);
}

void the_debug_device_mutes_the_log(void **) {
    Client client;
    ComPtr<IDMLDebugDevice> debug;
    ComPtr<IDMLDevice1> same;
    ComPtr<IUnknown> unknown, identity;
    expect(client.device.As(&debug), OK);
    expect(debug.As(&same), OK);
    assert_ptr_equal(same.Get(), client.device.Get());
    expect(debug.As(&unknown), OK);
    expect(client.device.As(&identity), OK);
    assert_ptr_equal(unknown.Get(), identity.Get());
    assert_int_equal(references(debug.Get()), references(client.device.Get()));
    const auto refuse = [&] {
        ComPtr<IDMLOperator> op;
        logged_errors = 0;
        expect(client.device->CreateOperator(nullptr, IID_PPV_ARGS(&op)), INVALID);
        assert_non_null(std::strstr(vkdmlGetErrorMessage(), "NULL"));
    };
    refuse();
    assert_int_equal(logged_errors, 1);
    debug->SetMuteDebugOutput(1);
    refuse();
    assert_int_equal(logged_errors, 0);
    debug->SetMuteDebugOutput(0);
    refuse();
    assert_int_equal(logged_errors, 1);
}

void objects_keep_private_data(void **) {
    const vkdml::Session session = open();
    const ComPtr<IDMLDevice1> device = create_device(session.device());
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
        const ComPtr<IDMLDevice1> other = create_device(session.device());
        expect(other->SetPrivateDataInterface(guid, compiled.Get()), OK);
        assert_int_equal(references(compiled.Get()), 2);
    }
    assert_int_equal(references(compiled.Get()), 1);
}

void a_graph_of_expressions_becomes_an_interface(void **) {
    namespace dml = vkdml::dml;
    const vkdml::Session session = open();
    const ComPtr<IDMLDevice1> device = create_device(session.device());
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
        cmocka_unit_test_teardown(a_table_may_go_as_soon_as_it_is_recorded, nothing_is_left),
        cmocka_unit_test_teardown(a_command_list_keeps_what_it_recorded_until_its_release, nothing_is_left),
        cmocka_unit_test_teardown(one_table_that_is_reset_for_each_dispatch_takes_no_more_memory, nothing_is_left),
        cmocka_unit_test_teardown(a_spare_table_has_nothing_bound, nothing_is_left),
        cmocka_unit_test_teardown(spare_tables_are_bounded, nothing_is_left),
        cmocka_unit_test_teardown(threads_share_spare_tables, nothing_is_left),
        cmocka_unit_test_teardown(an_initializer_of_what_owns_nothing_needs_no_bindings, nothing_is_left),
        cmocka_unit_test_teardown(an_initializers_array_is_of_its_operators_inputs, nothing_is_left),
        cmocka_unit_test_teardown(nothing_unbinds_what_an_operators_table_has, nothing_is_left),
        cmocka_unit_test_teardown(a_table_without_a_dispatchable_is_empty, nothing_is_left),
        cmocka_unit_test_teardown(the_parent_device_is_the_callers, nothing_is_left),
        cmocka_unit_test_teardown(the_debug_device_mutes_the_log, nothing_is_left),
        cmocka_unit_test_teardown(references_keep_what_is_needed, nothing_is_left),
        cmocka_unit_test_teardown(interfaces_are_found_by_their_guids, nothing_is_left),
        cmocka_unit_test_teardown(failures_are_hresults_with_reasons, nothing_is_left),
        cmocka_unit_test_teardown(objects_keep_private_data, nothing_is_left),
        cmocka_unit_test_teardown(a_graph_of_expressions_becomes_an_interface, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
