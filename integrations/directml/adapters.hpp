/* The Vulkan devices that libdxcore.so and libd3d12.so offer as adapters. */
#ifndef VKDML_DIRECTML_ADAPTERS_HPP
#define VKDML_DIRECTML_ADAPTERS_HPP

#include <string>
#include <vector>

#include "com.hpp"

namespace vkdml::abi {

/** The LUID of a Vulkan device: made of its UUID, so that it is the same in both libraries and in all processes. */
LUID LuidOf(const VkdmlPhysicalDeviceInfo &info);

/** Whether the device and the host have the same memory. */
bool SharesMemory(const VkdmlPhysicalDeviceInfo &info) noexcept;

/** The device's UUID as vkdmlOpenDevice() takes it. */
std::string NameOf(const VkdmlPhysicalDeviceInfo &info);

/**
 * The devices that vkdml can use, best first. VKDML_DEVICE, when set, selects one by name, number or UUID as in
 * VkdmlDeviceOpenInfo::name. Without it, software devices (lavapipe) are left out unless VKDML_SOFTWARE is 1. Throws
 * vkdml::Error.
 */
std::vector<VkdmlPhysicalDeviceInfo> FindAdapters();

} // namespace vkdml::abi

#endif
