// Times the calls that a client of the binary interfaces makes for each dispatch, on the host, in microseconds.
//
//     VKDML_DIRECTML=build/integrations/directml build/tools/directml_calls
//
// VKDML_DEVICE selects the device; VKDML_SOFTWARE=1 also offers one that is a CPU. Each line is the median of several
// rounds. A round makes what torch-directml makes for many operations: an operator that is created and compiled once, a
// binding table for each dispatch, a barrier before and after it, and a submission for a list.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <vkdml/directml.hpp> /* DirectML's declarations; none of its functions are called */

#include <dxguids/dxguids.h>
#include <wrl/client.h>

using Microsoft::WRL::ComPtr;

namespace {

constexpr int rounds = 21, dispatches = 200;
constexpr UINT64 bytes = 64;

void check(HRESULT result, const char *call) {
    if (result != 0) {
        char text[16];
        std::snprintf(text, sizeof text, ": 0x%08x", static_cast<unsigned>(result));
        throw std::runtime_error(call + std::string(text));
    }
}

template <typename Function> Function find(const char *name, const char *symbol) {
    const char *const folder = std::getenv("VKDML_DIRECTML");
    const std::string path = (folder != nullptr ? std::string(folder) + "/" : std::string()) + name;
    void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void *const found = library != nullptr ? dlsym(library, symbol) : nullptr;
    if (found == nullptr) {
        throw std::runtime_error(dlerror());
    }
    Function function;
    std::memcpy(&function, &found, sizeof function);
    return function;
}

/** Microseconds for each call, by what was called; in the order of the names. */
class Times {
  public:
    template <typename Function> void Add(const char *name, int calls, Function function) {
        const auto start = std::chrono::steady_clock::now();
        function();
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        times_[name].push_back(time.count() / calls);
    }
    void Print() {
        for (auto &[name, values] : times_) {
            std::sort(values.begin(), values.end());
            std::printf("%-48s %9.2f us\n", name.c_str(), values[values.size() / 2]);
        }
    }

  private:
    std::map<std::string, std::vector<double>> times_;
};

struct Client {
    Client();
    ComPtr<ID3D12Resource> CreateBuffer() const;
    ComPtr<IDMLOperator> CreateOperator(float scale) const;
    ComPtr<IDMLCompiledOperator> Compile(IDMLOperator *op) const;

    ComPtr<ID3D12Device> device;
    ComPtr<IDMLDevice> dml;
    ComPtr<ID3D12CommandQueue> queue;
    ComPtr<ID3D12CommandAllocator> allocator;
    ComPtr<ID3D12GraphicsCommandList> list;
    ComPtr<ID3D12Fence> fence;
    ComPtr<IDMLCommandRecorder> recorder;
    UINT64 value = 0;
};

Client::Client() {
    using CreateDevice = HRESULT (*)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
    using CreateDml = HRESULT (*)(ID3D12Device *, DML_CREATE_DEVICE_FLAGS, REFIID, void **);
    find<void *>("libdxcore.so", "DXCoreCreateAdapterFactory"); // which the others need
    check(
        find<CreateDevice>("libd3d12.so", "D3D12CreateDevice")(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device)),
        "D3D12CreateDevice");
    check(find<CreateDml>("libdirectml.so", "DMLCreateDevice")(device.Get(), DML_CREATE_DEVICE_FLAG_NONE,
                                                               IID_PPV_ARGS(&dml)),
          "DMLCreateDevice");
    D3D12_COMMAND_QUEUE_DESC desc{};
    desc.Type = D3D12_COMMAND_LIST_TYPE_COMPUTE;
    check(device->CreateCommandQueue(&desc, IID_PPV_ARGS(&queue)), "CreateCommandQueue");
    check(device->CreateCommandAllocator(desc.Type, IID_PPV_ARGS(&allocator)), "CreateCommandAllocator");
    check(device->CreateCommandList(0, desc.Type, allocator.Get(), nullptr, IID_PPV_ARGS(&list)), "CreateCommandList");
    check(device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&fence)), "CreateFence");
    check(dml->CreateCommandRecorder(IID_PPV_ARGS(&recorder)), "CreateCommandRecorder");
}

ComPtr<ID3D12Resource> Client::CreateBuffer() const {
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = D3D12_HEAP_TYPE_DEFAULT;
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width = bytes;
    desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
    desc.SampleDesc.Count = 1;
    desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    ComPtr<ID3D12Resource> buffer;
    check(device->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc, D3D12_RESOURCE_STATE_COMMON,
                                          nullptr, IID_PPV_ARGS(&buffer)),
          "CreateCommittedResource");
    return buffer;
}

/** y = scale x */
ComPtr<IDMLOperator> Client::CreateOperator(float scale) const {
    const UINT sizes[] = {1, 1, 1, bytes / 4};
    const DML_BUFFER_TENSOR_DESC buffer{
        DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, nullptr, bytes, 0};
    const DML_TENSOR_DESC tensor{DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_SCALE_BIAS scaled{scale, 0};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity{&tensor, &tensor, &scaled};
    const DML_OPERATOR_DESC desc{DML_OPERATOR_ELEMENT_WISE_IDENTITY, &identity};
    ComPtr<IDMLOperator> op;
    check(dml->CreateOperator(&desc, IID_PPV_ARGS(&op)), "CreateOperator");
    return op;
}

ComPtr<IDMLCompiledOperator> Client::Compile(IDMLOperator *op) const {
    ComPtr<IDMLCompiledOperator> compiled;
    check(dml->CompileOperator(op, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)), "CompileOperator");
    return compiled;
}

/** Operators, equal or with another scale each. */
void time_creation(const Client &client, Times &times, bool equal, int round) {
    std::vector<ComPtr<IDMLOperator>> operators;
    std::vector<ComPtr<IDMLCompiledOperator>> compiled;
    const int count = 100;
    times.Add(equal ? "1 CreateOperator, equal" : "3 CreateOperator, another scale", count, [&] {
        for (int i = 0; i < count; ++i) {
            operators.push_back(client.CreateOperator(equal ? 2.0f : static_cast<float>(round * count + i + 3)));
        }
    });
    times.Add(equal ? "2 CompileOperator, equal" : "4 CompileOperator, another scale", count, [&] {
        for (const auto &op : operators) {
            compiled.push_back(client.Compile(op.Get()));
        }
    });
}

void time_list(Client &client, Times &times, IDMLCompiledOperator *compiled, ID3D12Resource *in, ID3D12Resource *out) {
    std::vector<ComPtr<IDMLBindingTable>> tables(dispatches);
    const DML_BUFFER_BINDING from{in, 0, bytes}, to{out, 0, bytes};
    const DML_BINDING_DESC input{DML_BINDING_TYPE_BUFFER, &from}, output{DML_BINDING_TYPE_BUFFER, &to};
    D3D12_RESOURCE_BARRIER barrier{};
    barrier.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV;
    times.Add("5 CreateBindingTable", dispatches, [&] {
        DML_BINDING_TABLE_DESC desc{};
        desc.Dispatchable = compiled;
        for (auto &table : tables) {
            check(client.dml->CreateBindingTable(&desc, IID_PPV_ARGS(&table)), "CreateBindingTable");
        }
    });
    times.Add("6 BindInputs, BindOutputs", dispatches, [&] {
        for (const auto &table : tables) {
            table->BindInputs(1, &input);
            table->BindOutputs(1, &output);
        }
    });
    times.Add("7 barrier, RecordDispatch, barrier", dispatches, [&] {
        for (const auto &table : tables) {
            client.list->ResourceBarrier(1, &barrier);
            client.recorder->RecordDispatch(client.list.Get(), compiled, table.Get());
            client.list->ResourceBarrier(1, &barrier);
        }
    });
    times.Add("8 Release of tables", dispatches, [&] { tables.clear(); });
    times.Add("9 Close, ExecuteCommandLists, Signal: of a list", 1, [&] {
        check(client.list->Close(), "Close");
        ID3D12CommandList *const lists[] = {client.list.Get()};
        client.queue->ExecuteCommandLists(1, lists);
        check(client.queue->Signal(client.fence.Get(), ++client.value), "Signal");
    });
    check(client.fence->SetEventOnCompletion(client.value, nullptr), "SetEventOnCompletion");
    times.Add("A Reset of allocator and list: of a dispatch", dispatches, [&] {
        check(client.allocator->Reset(), "ID3D12CommandAllocator::Reset");
        check(client.list->Reset(client.allocator.Get(), nullptr), "ID3D12GraphicsCommandList::Reset");
    });
    check(client.dml->GetDeviceRemovedReason(), "GetDeviceRemovedReason");
}

void run() {
    Client client;
    Times times;
    const ComPtr<ID3D12Resource> in = client.CreateBuffer(), out = client.CreateBuffer();
    const ComPtr<IDMLCompiledOperator> compiled = client.Compile(client.CreateOperator(2.0f).Get());
    for (int round = 0; round < rounds; ++round) {
        time_creation(client, times, true, round);
        time_creation(client, times, false, round);
        time_list(client, times, compiled.Get(), in.Get(), out.Get());
    }
    times.Print();
}

} // namespace

int main() {
    try {
        run();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "directml_calls: %s\n", error.what());
        return 1;
    }
    return 0;
}
