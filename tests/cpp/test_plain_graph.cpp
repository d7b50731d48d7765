// graph.hpp without exceptions: the graph remembers what failed first.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <vkdml/graph.hpp>

#include "cpp/counting.h"
#include "cpp/small_network.h"

#ifndef VKDML_HPP_NO_EXCEPTIONS
#error "without exceptions the header is to see that itself"
#endif

namespace dml = vkdml::dml;

namespace {

constexpr DML_TENSOR_DATA_TYPE F32 = DML_TENSOR_DATA_TYPE_FLOAT32;

vkdml::Device open() {
    static const VkAllocationCallbacks callbacks = counting();
    VkdmlDeviceOpenInfo info{};
    info.structSize = sizeof info;
    info.headerVersion = VKDML_HEADER_VERSION;
    info.allocationCallbacks = &callbacks;
    vkdml::Device device;
    assert_int_equal(vkdmlOpenDevice(&info, device.put()), VKDML_SUCCESS);
    return device;
}

int nothing_is_left(void **) {
    assert_int_equal(counted(), 0);
    return 0;
}

void a_network_is_compiled(void **) {
    const vkdml::Device device = open();
    dml::Graph graph(device);
    const dml::Expression output = small_network::build(graph, DML_TENSOR_FLAG_NONE);
    const vkdml::Dispatchable compiled = graph.Compile(DML_EXECUTION_FLAG_NONE, {output});
    assert_int_equal(graph.GetResult(), VKDML_SUCCESS);
    VkdmlBindingProperties properties{};
    assert_int_equal(vkdmlGetBindingProperties(compiled.get(), &properties), VKDML_SUCCESS);
    assert_int_equal(properties.inputCount, small_network::INPUTS);
    assert_int_equal(properties.outputCount, 1);
}

// A graph that has failed, with this as the reason.
void expect_failed(const dml::Graph &graph, const dml::Expression &output, const char *reason) {
    const vkdml::Dispatchable compiled = graph.Compile(DML_EXECUTION_FLAG_NONE, {output});
    assert_null(compiled.get());
    assert_null(graph.Describe({output}).Get());
    assert_int_equal(graph.GetResult(), VKDML_ERROR_INVALID_ARGUMENT);
    if (std::strstr(graph.GetErrorMessage(), reason) == nullptr) {
        fail_msg("'%s' is not in: %s", reason, graph.GetErrorMessage());
    }
}

void the_first_failure_is_remembered(void **) {
    const vkdml::Device device = open();
    dml::Graph graph(device);
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {2, 3}));
    const dml::Expression y = dml::InputTensor(graph, 1, dml::TensorDesc(F32, {3, 2}));
    dml::Expression z = dml::Reduce(x, DML_REDUCE_FUNCTION_SUM, {7});
    z = dml::Sqrt(z + y) * 2.0f;
    z = dml::Join({z, dml::Slice(z, {0}, {1, 1})}, 5);
    assert_true(static_cast<bool>(z));
    expect_failed(graph, z, "Axes");
}

void an_empty_expression_fails_too(void **) {
    const vkdml::Device device = open();
    dml::Graph one(device), two(device), three(device);
    const dml::Expression x = dml::InputTensor(one, 0, dml::TensorDesc(F32, {4}));
    expect_failed(one, x + dml::Expression(), "an input is an empty expression");
    expect_failed(two, dml::Abs(dml::Reinterpret({}, F32)), "outputs[0] is empty");
    // Of nothing but empty ones nothing is made, whatever it is.
    const dml::Expression none;
    expect_failed(three,
                  dml::Convolution(none, none) + dml::Gemm(none, none) + dml::MaxPooling(none, {1}).values +
                      dml::Gather(none, none, 1, 2) + dml::SpaceToDepth(none, 0) + dml::GatherND(none, none, 1, 1),
                  "outputs[0] is empty");
}
} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_network_is_compiled, nothing_is_left),
        cmocka_unit_test_teardown(the_first_failure_is_remembered, nothing_is_left),
        cmocka_unit_test_teardown(an_empty_expression_fails_too, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
