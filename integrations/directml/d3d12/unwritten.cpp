#include "unwritten.hpp"

#include <algorithm>
#include <atomic>

namespace vkdml::d3d12 {

namespace {

std::atomic<std::uint64_t> recordings{0};

} // namespace

FirstUses::FirstUses() : recording_(++recordings) {
}

void Unwritten::Add(const Bytes &range) {
    const std::lock_guard<std::mutex> guard(mutex_);
    ranges_[{range.buffer, range.first}] = {range.end, ++count_, 0};
}

void Unwritten::Remove(VkBuffer buffer, std::uint64_t first) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    ranges_.erase({buffer, first});
}

void Unwritten::Use(std::shared_ptr<FirstUses> &uses, const Bytes &bytes, std::uint64_t written) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (ranges_.empty() || bytes.first >= bytes.end) {
        return;
    }
    auto at = ranges_.upper_bound({bytes.buffer, bytes.first});
    if (at != ranges_.begin() && std::prev(at)->first.first == bytes.buffer && std::prev(at)->second.end > bytes.first) {
        --at;
    }
    for (; at != ranges_.end() && at->first.first == bytes.buffer && at->first.second < bytes.end; ++at) {
        Range &range = at->second;
        if (uses == nullptr) {
            uses = std::make_shared<FirstUses>();
        }
        if (range.recording != uses->recording_) {
            uses->uses_.push_back(
                {bytes.buffer, at->first.second, range.id, bytes.first, std::min(bytes.first + written, bytes.end)});
            range.recording = uses->recording_;
        }
    }
}

void Unwritten::Submit(const FirstUses &uses, std::vector<Bytes> &fills) {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (const FirstUses::Use &use : uses.uses_) {
        const auto at = ranges_.find({use.buffer, use.offset});
        if (at == ranges_.end() || at->second.id != use.id) {
            continue; // written meanwhile, or gone
        }
        // Vulkan fills whole words; what is filled is written before the command.
        const std::uint64_t first = std::max((use.first + 3) / 4 * 4, use.offset), end = use.end / 4 * 4;
        if (first >= end) {
            fills.push_back({use.buffer, use.offset, at->second.end});
        } else {
            fills.push_back({use.buffer, use.offset, first});
            fills.push_back({use.buffer, std::min(end, at->second.end), at->second.end});
        }
        ranges_.erase(at);
    }
    fills.erase(std::remove_if(fills.begin(), fills.end(), [](const Bytes &fill) { return fill.first >= fill.end; }),
                fills.end());
}

} // namespace vkdml::d3d12
