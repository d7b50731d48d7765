#include "adapters.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace vkdml::abi {

LUID LuidOf(const VkdmlPhysicalDeviceInfo &info) {
    std::uint32_t words[VK_UUID_SIZE / 4];
    static_assert(sizeof words == sizeof info.uuid, "a UUID of four words");
    std::memcpy(words, info.uuid, sizeof words);
    LUID luid{};
    luid.LowPart = words[0] ^ words[2];
    luid.HighPart = static_cast<std::int32_t>((words[1] ^ words[3]) & 0x7fffffff);
    return luid;
}

bool SharesMemory(const VkdmlPhysicalDeviceInfo &info) noexcept {
    return info.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

std::string NameOf(const VkdmlPhysicalDeviceInfo &info) {
    static const char digits[] = "0123456789abcdef";
    std::string name;
    for (const std::uint8_t byte : info.uuid) {
        name += digits[byte >> 4];
        name += digits[byte & 15];
    }
    return name;
}

namespace {

std::string Lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/** Whether VKDML_DEVICE selects the device: by "#number", UUID, or part of its name. */
bool IsSelected(const std::string &selection, std::size_t index, const VkdmlPhysicalDeviceInfo &info) {
    if (selection[0] == '#') {
        return selection.substr(1) == std::to_string(index);
    }
    std::string digits = selection;
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    return digits == NameOf(info) || Lower(info.name).find(selection) != std::string::npos;
}

std::vector<VkdmlPhysicalDeviceInfo> ListDevices() {
    std::uint32_t count = 0;
    const VkdmlResult result = vkdmlEnumeratePhysicalDevices(&count, nullptr);
    if (result == VKDML_ERROR_INITIALIZATION_FAILED) { // no loader, or no driver
        Log("there are no adapters: %s", vkdmlGetErrorMessage());
        return {};
    }
    check(result);
    std::vector<VkdmlPhysicalDeviceInfo> devices(count);
    check(vkdmlEnumeratePhysicalDevices(&count, devices.data()));
    devices.resize(count);
    return devices;
}

template <typename Predicate>
std::vector<VkdmlPhysicalDeviceInfo> Filter(const std::vector<VkdmlPhysicalDeviceInfo> &devices, Predicate keeps) {
    std::vector<VkdmlPhysicalDeviceInfo> kept;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i].unusable == nullptr && keeps(i, devices[i])) {
            kept.push_back(devices[i]);
        }
    }
    return kept;
}

} // namespace

std::vector<VkdmlPhysicalDeviceInfo> FindAdapters() {
    const std::vector<VkdmlPhysicalDeviceInfo> devices = ListDevices();
    const char *const given = std::getenv("VKDML_DEVICE");
    if (given != nullptr && *given != '\0') {
        const std::string selection = Lower(given);
        std::vector<VkdmlPhysicalDeviceInfo> selected =
            Filter(devices,
                   [&](std::size_t i, const VkdmlPhysicalDeviceInfo &info) { return IsSelected(selection, i, info); });
        selected.resize(std::min<std::size_t>(selected.size(), 1)); // as vkdmlOpenDevice() does
        return selected;
    }
    const char *const software = std::getenv("VKDML_SOFTWARE");
    const bool all = software != nullptr && std::strcmp(software, "1") == 0;
    return Filter(devices, [&](std::size_t, const VkdmlPhysicalDeviceInfo &info) {
        return all || info.type != VK_PHYSICAL_DEVICE_TYPE_CPU;
    });
}

} // namespace vkdml::abi
