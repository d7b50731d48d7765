// What tests of the C++ headers share: devices whose host memory counts, tensors, and errors that are expected.
#ifndef CPP_COUNTING_HPP
#define CPP_COUNTING_HPP

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <vkdml/vkdml.hpp>

#include "cpp/counting.h"

// Messages of the validation layer, which are warnings.
inline std::atomic<unsigned> validation_messages{0};

// With VKDML_TEST_VALIDATION=1 under the validation layer, whose messages nothing_is_left() refuses.
inline VkdmlDeviceOpenInfo validated_info() {
    const char *const validation = std::getenv("VKDML_TEST_VALIDATION");
    VkdmlDeviceOpenInfo info{};
    if (validation != nullptr && std::strcmp(validation, "1") == 0) {
        info.flags = VKDML_DEVICE_FLAG_VALIDATION;
        info.logCallback = [](void *, VkdmlLogLevel level, const char *message) {
            if (level == VKDML_LOG_LEVEL_WARNING) {
                print_error("%s\n", message);
                ++validation_messages;
            }
        };
    }
    return info;
}

inline VkdmlDeviceOpenInfo counting_info() {
    static const VkAllocationCallbacks callbacks = counting();
    VkdmlDeviceOpenInfo info = validated_info();
    info.allocationCallbacks = &callbacks;
    return info;
}

inline int nothing_is_left(void **) {
    if (validated_info().flags == 0) { // the layer does not free all that an instance's callbacks gave it
        assert_int_equal(counted(), 0);
    }
    assert_int_equal(validation_messages.exchange(0), 0);
    return 0;
}

// Of 4 floats, whose sizes live as long as the program.
inline DML_BUFFER_TENSOR_DESC four_floats(std::uint64_t bytes) {
    static const std::uint32_t size = 4;
    DML_BUFFER_TENSOR_DESC buffer{};
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.DimensionCount = 1;
    buffer.Sizes = &size;
    buffer.TotalTensorSizeInBytes = bytes;
    return buffer;
}

#ifndef VKDML_HPP_NO_EXCEPTIONS
inline vkdml::Session open() {
    return vkdml::Session(counting_info());
}

// That a call throws this code, with this in the reason.
template <typename Call> void expect_error(VkdmlResult result, const char *reason, Call call) {
    bool caught = false;
    try {
        call();
    } catch (const vkdml::Error &error) {
        caught = true;
        assert_int_equal(error.result(), result);
        if (std::strstr(error.what(), reason) == nullptr) {
            fail_msg("'%s' is not in: %s", reason, error.what());
        }
    }
    assert_true(caught);
}
#endif

#endif
