// vkdml.hpp without exceptions: the handles, and the C API for the calls.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

extern "C" {
#include <cmocka.h>
}

#include <vkdml/vkdml.hpp>

#include "cpp/counting.hpp"

#ifndef VKDML_HPP_NO_EXCEPTIONS
#error "without exceptions the header is to see that itself"
#endif

namespace {

VkdmlResult create_identity(const vkdml::Device &device, std::uint64_t bytes, vkdml::Operator &op) {
    const DML_BUFFER_TENSOR_DESC buffer = four_floats(bytes);
    const DML_TENSOR_DESC tensor{DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity{&tensor, &tensor, nullptr};
    const DML_OPERATOR_DESC desc{DML_OPERATOR_ELEMENT_WISE_IDENTITY, &identity};
    return vkdmlCreateOperator(device.get(), &desc, op.put());
}

void handles_are_filled_by_the_c_api(void **) {
    const VkAllocationCallbacks callbacks = counting();
    {
        vkdml::Device device;
        VkdmlDeviceOpenInfo info{};
        info.structSize = sizeof info;
        info.headerVersion = VKDML_HEADER_VERSION;
        info.allocationCallbacks = &callbacks;
        assert_int_equal(vkdmlOpenDevice(&info, device.put()), VKDML_SUCCESS);

        vkdml::Operator identity;
        assert_int_equal(create_identity(device, 16, identity), VKDML_SUCCESS);
        vkdml::Dispatchable compiled;
        assert_int_equal(vkdmlCompileOperator(identity.get(), nullptr, compiled.put()), VKDML_SUCCESS);
        vkdml::Dispatchable moved = std::move(compiled);
        assert_null(compiled.get());
        vkdml::BindingTable table;
        VkdmlBindingTableCreateInfo table_info{};
        table_info.structSize = sizeof table_info;
        table_info.dispatchable = moved.get();
        assert_int_equal(vkdmlCreateBindingTable(device.get(), &table_info, table.put()), VKDML_SUCCESS);

        // What fails leaves the handle empty.
        assert_int_equal(create_identity(device, 12, identity), VKDML_ERROR_INVALID_ARGUMENT);
        assert_non_null(std::strstr(vkdmlGetErrorMessage(), "TotalTensorSizeInBytes"));
        assert_null(identity.get());
    }
    assert_int_equal(counted(), 0);
}
} // namespace

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(handles_are_filled_by_the_c_api)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
