// vkdml.hpp with exceptions, on a device that it opens.
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#include <vulkan/vulkan.hpp>

#include <array>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <vkdml/vkdml.hpp>

#include "cpp/counting.hpp"

VULKAN_HPP_DEFAULT_DISPATCH_LOADER_DYNAMIC_STORAGE

static_assert(sizeof(vkdml::Device) == sizeof(VkdmlDevice), "a handle is as large as a pointer");
static_assert(std::is_nothrow_move_constructible_v<vkdml::Operator> &&
              std::is_nothrow_move_assignable_v<vkdml::Operator>);
static_assert(!std::is_copy_constructible_v<vkdml::Operator> && !std::is_copy_assignable_v<vkdml::Operator>);
static_assert(!std::is_convertible_v<VkdmlOperator, vkdml::Operator>, "owning is said, not happening");
static_assert(!std::is_convertible_v<vkdml::Operator, VkdmlOperator>);

namespace {

vkdml::Device device;

// The sum of two tensors of 4 floats, the second of which may be the library's own.
vkdml::Operator create_add(std::uint64_t bytes = 16, DML_TENSOR_FLAGS flags_of_b = DML_TENSOR_FLAG_NONE) {
    const DML_BUFFER_TENSOR_DESC buffer = four_floats(bytes);
    DML_BUFFER_TENSOR_DESC buffer_b = buffer;
    buffer_b.Flags = flags_of_b;
    const DML_TENSOR_DESC tensor{DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_TENSOR_DESC tensor_b{DML_TENSOR_TYPE_BUFFER, &buffer_b};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add{&tensor, &tensor_b, &tensor};
    return device.createOperator({DML_OPERATOR_ELEMENT_WISE_ADD, &add});
}

// That a call throws the code and the reason that the C API tells.
template <typename Call> void expect_told(VkdmlResult result, const char *reason, Call call) {
    expect_error(result, reason, [&] {
        try {
            call();
        } catch (const vkdml::Error &error) {
            assert_string_equal(error.what(), vkdmlGetErrorMessage());
            throw;
        }
    });
}

int set_up(void **) {
    device = vkdml::Device::open(counting_info());
    const VkdmlVulkanHandles handles = device.vulkanHandles();
    VULKAN_HPP_DEFAULT_DISPATCHER.init(handles.instance, handles.getInstanceProcAddr, handles.device);
    return 0;
}

int tear_down(void **) {
    device.reset();
    return nothing_is_left(nullptr);
}

void a_handle_without_an_object_is_false(void **) {
    vkdml::Operator nothing;
    assert_true(!nothing);
    assert_null(nothing.get());
    assert_false(!create_add());
}

void a_moved_object_has_one_owner(void **) {
    const int before = counted();
    vkdml::Operator first = create_add();
    VkdmlOperator object = first.get();
    vkdml::Operator second = std::move(first);
    assert_null(first.get());
    assert_ptr_equal(second.get(), object);
    first = std::move(second);
    assert_null(second.get());
    assert_ptr_equal(first.get(), object);
    first = vkdml::Operator();
    assert_int_equal(counted(), before);
}

void moving_onto_another_object_destroys_that(void **) {
    vkdml::Operator kept = create_add();
    const int with_one = counted();
    vkdml::Operator other = create_add();
    other = std::move(kept);
    assert_int_equal(counted(), with_one);
}

void moving_onto_itself_changes_nothing(void **) {
    vkdml::Operator add = create_add();
    VkdmlOperator object = add.get();
    const int before = counted();
    vkdml::Operator &same = add;
    add = std::move(same);
    assert_ptr_equal(add.get(), object);
    assert_int_equal(counted(), before);
    assert_non_null(add.compile().get());
}

void a_released_object_is_the_callers(void **) {
    const int before = counted();
    VkdmlOperator object = create_add().release();
    assert_true(counted() > before);
    vkdml::Operator owner(object);
    assert_ptr_equal(owner.get(), object);
    owner.reset();
    assert_null(owner.get());
    assert_int_equal(counted(), before);
}

void put_destroys_what_was_held(void **) {
    const int before = counted();
    vkdml::Operator add = create_add();
    VkdmlOperator *place = add.put();
    assert_null(*place);
    assert_int_equal(counted(), before);
}

void handles_live_in_containers(void **) {
    const int before = counted();
    {
        std::vector<vkdml::Operator> operators;
        for (int i = 0; i < 10; i++) {
            operators.push_back(create_add());
        }
        std::swap(operators.front(), operators.back());
        operators.erase(operators.begin() + 3);
        assert_int_equal(operators.size(), 9);
    }
    assert_int_equal(counted(), before);
}

void what_fails_throws_code_and_reason(void **) {
    const int before = counted();
    expect_told(VKDML_ERROR_INVALID_ARGUMENT, "TotalTensorSizeInBytes", [] { (void)create_add(12); });
    assert_int_equal(counted(), before);

    VkdmlDeviceOpenInfo none{};
    none.name = "no device is called so";
    expect_told(VKDML_ERROR_INITIALIZATION_FAILED, none.name, [&none] { (void)vkdml::Device::open(none); });
    expect_told(VKDML_ERROR_INVALID_ARGUMENT, "", [] { (void)vkdml::Device::create({}); });
}

void an_empty_handle_is_refused_not_read(void **) {
    const vkdml::Device no_device;
    const vkdml::Dispatchable nothing;
    vkdml::BindingTable no_table;
    const VkdmlBufferBinding binding{};
    const std::array<VkdmlBufferBinding, 1> bindings{};
    const auto refuses = [](auto call) { expect_told(VKDML_ERROR_INVALID_ARGUMENT, "NULL", call); };
    refuses([&] { (void)no_device.vulkanHandles(); });
    refuses([&] { const vkdml::Queue queue(no_device); });
    refuses([&] { (void)no_device.createOperatorInitializer({}); });
    refuses([&] { (void)no_device.createBindingTable(nothing); });
    refuses([&] { no_device.recordDispatch(nullptr, nothing, no_table); });
    refuses([&] { (void)vkdml::Operator().compile(); });
    refuses([&] { (void)nothing.bindingProperties(); });
    refuses([&] { no_table.bindInputs(bindings); });
    refuses([&] { no_table.bindInputs({}); });
    refuses([&] { no_table.bindOutputs(bindings); });
    refuses([&] { no_table.bindOutputs({binding}); });
    refuses([&] { no_table.bindTemporaryResource(binding); });
    refuses([&] { no_table.bindPersistentResource(binding); });
}

void an_imported_device_is_another(void **) {
    const VkdmlVulkanHandles handles = device.vulkanHandles();
    VkdmlDeviceCreateInfo info{};
    info.instance = handles.instance;
    info.physicalDevice = handles.physicalDevice;
    info.device = handles.device;
    info.queueFamilyIndex = handles.queueFamilyIndex;
    info.getInstanceProcAddr = handles.getInstanceProcAddr;
    const vkdml::Device imported = vkdml::Device::create(info);
    assert_ptr_not_equal(imported.get(), device.get());
    assert_ptr_equal(imported.vulkanHandles().device, handles.device);
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "queue is VK_NULL_HANDLE", [&] { const vkdml::Queue queue(imported); });
    int recorded = 0;
    vkdml::Queue(imported, handles.queue).submit([&](VkCommandBuffer) { recorded++; });
    assert_int_equal(recorded, 1);
}

void compiling_takes_flags(void **) {
    const auto flags = DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION;
    assert_int_equal(create_add().compile(flags, VKDML_COMPILE_FLAG_ZERO_UNDEFINED).bindingProperties().inputCount, 2);
    expect_told(VKDML_ERROR_INVALID_ARGUMENT, "lags",
                [] { (void)create_add().compile(DML_EXECUTION_FLAG_NONE, 1u << 31); });
}

void an_explanation_is_of_the_operator(void **) {
    const int before = counted();
    {
        const vkdml::Explanation explanation = create_add().explain();
        assert_string_equal(explanation.get()->operatorName, "DML_OPERATOR_ELEMENT_WISE_ADD");
    }
    assert_int_equal(counted(), before);
    expect_told(VKDML_ERROR_INVALID_ARGUMENT, "NULL", [] { (void)vkdml::Operator().explain(); });
}

// A mapped buffer, tensors at multiples of 256 bytes.
struct Memory {
    vk::UniqueDeviceMemory memory;
    vk::UniqueBuffer buffer;
    unsigned char *bytes;

    VkdmlBufferBinding binding(std::uint64_t index, std::uint64_t size) const {
        return {*buffer, 256 * index, size};
    }
};

Memory create_memory() {
    const VkdmlVulkanHandles handles = device.vulkanHandles();
    const vk::Device vulkan(handles.device);
    constexpr auto wanted = vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
    Memory made{};
    made.buffer = vulkan.createBufferUnique({{}, 4096, vk::BufferUsageFlagBits::eStorageBuffer});
    const auto needs = vulkan.getBufferMemoryRequirements(*made.buffer);
    const auto types = vk::PhysicalDevice(handles.physicalDevice).getMemoryProperties();
    std::uint32_t type = 0;
    while (!(needs.memoryTypeBits & 1u << type) || (types.memoryTypes[type].propertyFlags & wanted) != wanted) {
        type++;
    }
    made.memory = vulkan.allocateMemoryUnique({needs.size, type});
    vulkan.bindBufferMemory(*made.buffer, *made.memory, 0);
    made.bytes = static_cast<unsigned char *>(vulkan.mapMemory(*made.memory, 0, VK_WHOLE_SIZE));
    return made;
}

// Records two dispatchables, the second of which reads what the first wrote, and waits until both are done.
void run(const vkdml::Dispatchable &first, vkdml::BindingTable &first_table, const vkdml::Dispatchable &second,
         vkdml::BindingTable &second_table) {
    vkdml::Queue(device).submit([&](vk::CommandBuffer commands) {
        const auto shader = vk::PipelineStageFlagBits::eComputeShader;
        const vk::MemoryBarrier between(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead);
        device.recordDispatch(commands, first, first_table);
        commands.pipelineBarrier(shader, shader, {}, between, {}, {});
        device.recordDispatch(commands, second, second_table);
    });
}

void an_operator_that_owns_an_input_runs(void **) {
    const vkdml::Dispatchable add = create_add(16, DML_TENSOR_FLAG_OWNED_BY_DML).compile();
    const std::uint64_t persistent_size = add.bindingProperties().persistentResourceSize;
    const vkdml::Dispatchable initializer = device.createOperatorInitializer({add.get()});
    const Memory memory = create_memory();
    const std::array<float, 4> a = {1, 2, 3, 4}, b = {10, 20, 30, 40}, sum = {11, 22, 33, 44};
    std::memcpy(memory.bytes, a.data(), sizeof a);
    std::memcpy(memory.bytes + 256, b.data(), sizeof b);

    vkdml::BindingTable first = device.createBindingTable(initializer);
    const std::vector<VkdmlBufferBinding> owned = {{}, memory.binding(1, 16)};
    first.bindInputs(owned);
    first.bindOutputs({memory.binding(2, persistent_size)});
    vkdml::BindingTable second = device.createBindingTable(add);
    second.bindInputs({memory.binding(0, 16), {}});
    const VkdmlBufferBinding output[] = {memory.binding(3, 16)};
    second.bindOutputs(output);
    second.bindPersistentResource(memory.binding(2, persistent_size));
    second.bindTemporaryResource(memory.binding(4, 16)); // not needed, not used
    expect_told(VKDML_ERROR_INVALID_ARGUMENT, "an initializer's outputs are",
                [&] { first.bindPersistentResource(memory.binding(2, persistent_size)); });

    run(initializer, first, add, second);
    assert_memory_equal(memory.bytes + 3 * 256, sum.data(), sizeof sum);
}
} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_without_an_object_is_false),
        cmocka_unit_test(a_moved_object_has_one_owner),
        cmocka_unit_test(moving_onto_another_object_destroys_that),
        cmocka_unit_test(moving_onto_itself_changes_nothing),
        cmocka_unit_test(a_released_object_is_the_callers),
        cmocka_unit_test(put_destroys_what_was_held),
        cmocka_unit_test(handles_live_in_containers),
        cmocka_unit_test(what_fails_throws_code_and_reason),
        cmocka_unit_test(an_empty_handle_is_refused_not_read),
        cmocka_unit_test(an_imported_device_is_another),
        cmocka_unit_test(compiling_takes_flags),
        cmocka_unit_test(an_explanation_is_of_the_operator),
        cmocka_unit_test(an_operator_that_owns_an_input_runs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
