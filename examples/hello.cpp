// hello.c in C++17, with Vulkan-Hpp: makes a 4x4 identity matrix on a Vulkan device and prints it. Handles destroy what
// vkdml makes, in the order in which they were declared backwards, and what fails throws.
#define VK_NO_PROTOTYPES
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#include <vulkan/vulkan.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>

#include <vkdml/vkdml.hpp>

VULKAN_HPP_DEFAULT_DISPATCH_LOADER_DYNAMIC_STORAGE

namespace {

// A buffer that the host sees. Real programs use memory of the device and copy.
struct Buffer {
    vk::UniqueDeviceMemory memory;
    vk::UniqueBuffer buffer;
};

Buffer create_buffer(vk::PhysicalDevice physical_device, vk::Device vulkan, vk::DeviceSize size) {
    constexpr auto wanted = vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
    Buffer made;
    made.buffer = vulkan.createBufferUnique({{}, size, vk::BufferUsageFlagBits::eStorageBuffer});
    const vk::MemoryRequirements needs = vulkan.getBufferMemoryRequirements(*made.buffer);
    const vk::PhysicalDeviceMemoryProperties types = physical_device.getMemoryProperties();
    std::uint32_t type = 0;
    while (!(needs.memoryTypeBits & 1u << type) || (types.memoryTypes[type].propertyFlags & wanted) != wanted) {
        type++; // Vulkan promises that there is one
    }
    made.memory = vulkan.allocateMemoryUnique({needs.size, type});
    vulkan.bindBufferMemory(*made.buffer, *made.memory, 0);
    return made;
}

void hello() {
    // The operator: DirectML's own structs.
    const std::array<std::uint32_t, 2> sizes = {4, 4};
    std::array<float, 4 * 4> elements{};
    DML_BUFFER_TENSOR_DESC matrix{};
    matrix.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    matrix.DimensionCount = static_cast<std::uint32_t>(sizes.size());
    matrix.Sizes = sizes.data();
    matrix.TotalTensorSizeInBytes = sizeof elements;
    const DML_TENSOR_DESC output{DML_TENSOR_TYPE_BUFFER, &matrix};
    const DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal{&output, 0, 1.0f};

    // A device of the library's choice, or the one that the environment variable VKDML_DEVICE names.
    const vkdml::Device device = vkdml::Device::open();
    const VkdmlVulkanHandles handles = device.vulkanHandles();
    VULKAN_HPP_DEFAULT_DISPATCHER.init(handles.instance, handles.getInstanceProcAddr, handles.device);
    const vk::Device vulkan(handles.device);

    // Validate, compile, bind. The compiled operator does not need the operator.
    const vkdml::Dispatchable compiled = device.createOperator({DML_OPERATOR_DIAGONAL_MATRIX, &diagonal}).compile();
    const Buffer buffer = create_buffer(handles.physicalDevice, vulkan, matrix.TotalTensorSizeInBytes);
    vkdml::BindingTable table = device.createBindingTable(compiled);
    table.bindOutputs({{*buffer.buffer, 0, matrix.TotalTensorSizeInBytes}});

    // Run and read. The queue records, submits and waits, and makes the results visible to the host.
    vkdml::Queue(device).submit([&](VkCommandBuffer commands) { device.recordDispatch(commands, compiled, table); });
    std::memcpy(elements.data(), vulkan.mapMemory(*buffer.memory, 0, VK_WHOLE_SIZE), sizeof elements);
    for (std::size_t row = 0; row < elements.size(); row += 4) {
        std::printf("%g %g %g %g\n", static_cast<double>(elements[row]), static_cast<double>(elements[row + 1]),
                    static_cast<double>(elements[row + 2]), static_cast<double>(elements[row + 3]));
    }
}
} // namespace

int main() {
    try {
        hello();
        return 0;
    } catch (const std::exception &error) { // vkdml::Error and vk::SystemError are
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
