// What tests of the C++ headers share: devices whose host memory counts, tensors, and errors that are expected.
#ifndef CPP_COUNTING_HPP
#define CPP_COUNTING_HPP

#include <cstdint>
#include <cstring>

#include <vkdml/vkdml.hpp>

#include "cpp/counting.h"

inline VkdmlDeviceOpenInfo counting_info() {
    static const VkAllocationCallbacks callbacks = counting();
    VkdmlDeviceOpenInfo info{};
    info.allocationCallbacks = &callbacks;
    return info;
}

inline int nothing_is_left(void **) {
    assert_int_equal(counted(), 0);
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
