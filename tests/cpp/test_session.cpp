// session.hpp: operators on arrays of the host and of a device, without a word of Vulkan.
#include <array>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <vkdml/vkdml.hpp>

#include "cpp/counting.hpp"

static_assert(!std::is_copy_constructible_v<vkdml::Compiled> && std::is_move_constructible_v<vkdml::Compiled>);
static_assert(std::is_copy_constructible_v<vkdml::DeviceArray> && std::is_copy_constructible_v<vkdml::Bytes>);

namespace {

// The sum of two tensors, the second of which may be the operator's own.
struct Add {
    explicit Add(std::uint32_t count, DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_FLOAT32,
                 std::uint64_t bytesOfElement = 4, DML_TENSOR_FLAGS flagsOfB = DML_TENSOR_FLAG_NONE)
        : size(count) {
        buffer.DataType = type;
        buffer.DimensionCount = 1;
        buffer.Sizes = &size;
        buffer.TotalTensorSizeInBytes = (count * bytesOfElement + 3) / 4 * 4;
        bufferOfB = buffer;
        bufferOfB.Flags = flagsOfB;
    }
    Add(const Add &) = delete;
    Add &operator=(const Add &) = delete;

    std::uint32_t size;
    DML_BUFFER_TENSOR_DESC buffer{}, bufferOfB{};
    DML_TENSOR_DESC tensor{DML_TENSOR_TYPE_BUFFER, &buffer}, tensorOfB{DML_TENSOR_TYPE_BUFFER, &bufferOfB};
    DML_ELEMENT_WISE_ADD_OPERATOR_DESC add{&tensor, &tensorOfB, &tensor};
    DML_OPERATOR_DESC desc{DML_OPERATOR_ELEMENT_WISE_ADD, &add};
};

using Floats = std::vector<float>;

void expect(const vkdml::DeviceArray &array, const Floats &expected) {
    Floats found(expected.size());
    array.read(found);
    assert_memory_equal(found.data(), expected.data(), expected.size() * sizeof(float));
}

void an_operator_runs_once_on_arrays_of_the_host(void **) {
    const vkdml::Session session = open();
    const Add add(4);
    const Floats a{1, 2, 3, 4};
    const std::array<float, 4> b{10, 20, 30, 40};
    float sum[4] = {};
    session.run(add.desc, {a, b}, {sum});
    const float expected[] = {11, 22, 33, 44};
    assert_memory_equal(sum, expected, sizeof expected);
}

void elements_that_fill_no_word_come_back_alone(void **) {
    const vkdml::Session session = open();
    const Add add(3, DML_TENSOR_DATA_TYPE_UINT8, 1);
    const std::vector<std::uint8_t> a{1, 2, 3}, b{10, 20, 30};
    std::array<std::uint8_t, 4> sum{0, 0, 0, 77};
    session.run(add.desc, {a, b}, {sum});
    const std::array<std::uint8_t, 4> expected{11, 22, 33, 77};
    assert_memory_equal(sum.data(), expected.data(), sum.size());
    std::array<std::uint8_t, 3> as_many{};
    session.run(add.desc, {a, b}, {as_many});
    assert_memory_equal(as_many.data(), expected.data(), as_many.size());
}

void absent_tensors_are_empty(void **) {
    const vkdml::Session session = open();
    const std::uint32_t sizes[] = {1, 1, 2, 2};
    DML_BUFFER_TENSOR_DESC buffer{};
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.DimensionCount = 4;
    buffer.Sizes = sizes;
    buffer.TotalTensorSizeInBytes = 16;
    const DML_TENSOR_DESC tensor{DML_TENSOR_TYPE_BUFFER, &buffer};
    DML_GEMM_OPERATOR_DESC gemm{};
    gemm.ATensor = gemm.BTensor = gemm.OutputTensor = &tensor;
    gemm.Alpha = 1;
    const Floats a{1, 2, 3, 4};
    Floats product(4);
    session.run({DML_OPERATOR_GEMM, &gemm}, {a, a, {}}, {product});
    const Floats expected{7, 10, 15, 22};
    assert_memory_equal(product.data(), expected.data(), 16);
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "count is 2, must be 3", [&] {
        session.run({DML_OPERATOR_GEMM, &gemm}, {a, a}, {product});
    });
}

void an_operator_runs_many_times_on_arrays_that_stay(void **) {
    const vkdml::Session session = open();
    const Add add(4);
    vkdml::Compiled compiled = session.compile(add.desc);
    const vkdml::DeviceArray one = session.array(Floats{1, 1, 1, 1});
    vkdml::DeviceArray from = session.array(Floats{0, 1, 2, 3}), to = session.allocate(16);
    for (int i = 0; i < 5; i++) {
        compiled({from, one}, {to});
        std::swap(from, to);
    }
    expect(from, {5, 6, 7, 8});
    expect(to, {4, 5, 6, 7});
    compiled({from, one}, {from}); // in place
    expect(from, {6, 7, 8, 9});
    vkdml::Compiled moved = std::move(compiled);
    from.write(Floats{9});
    moved({from, one}, {to});
    expect(to, {10, 8, 9, 10});
}

void what_an_operator_owns_is_read_once(void **) {
    const vkdml::Session session = open();
    const Add add(4, DML_TENSOR_DATA_TYPE_FLOAT32, 4, DML_TENSOR_FLAG_OWNED_BY_DML);
    vkdml::DeviceArray b = session.array(Floats{10, 20, 30, 40});
    vkdml::Compiled compiled = session.compile(add.desc, {{}, b});
    b.write(Floats{0, 0, 0, 0});
    b = {};
    const vkdml::DeviceArray a = session.array(Floats{1, 2, 3, 4}), sum = session.allocate(16);
    compiled({a, {}}, {sum});
    expect(sum, {11, 22, 33, 44});
    compiled({sum, {}}, {sum});
    expect(sum, {21, 42, 63, 84});
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "operators[0].BTensor: buffer is VK_NULL_HANDLE",
                 [&] { (void)session.compile(add.desc); });
    Floats host(4);
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "BTensor", [&] { session.run(add.desc, {host, host}, {host}); });
}

void a_queue_takes_many_operators_at_once(void **) {
    const vkdml::Session session = open();
    const Add add(4);
    const vkdml::DeviceArray one = session.array(Floats{1, 1, 1, 1}), x = session.array(Floats{0, 1, 2, 3});
    const vkdml::DeviceArray sum = session.allocate(16), unchanged = session.array(Floats{7, 7, 7, 7});
    const vkdml::Device &device = session.device();
    const vkdml::Dispatchable compiled = device.createOperator(add.desc).compile();
    vkdml::BindingTable both[] = {device.createBindingTable(compiled), device.createBindingTable(compiled)};
    both[0].bindInputs({x.binding(), one.binding()});
    both[0].bindOutputs({sum.binding()});
    both[1].bindInputs({one.binding(), one.binding()});
    both[1].bindOutputs({unchanged.binding()});
    expect_error(VKDML_ERROR_DRIVER, "thrown", [&] {
        session.queue().submit([&](VkCommandBuffer commands) {
            device.recordDispatch(commands, compiled, both[1]);
            throw vkdml::Error(VKDML_ERROR_DRIVER, "thrown");
        });
    });
    expect(unchanged, {7, 7, 7, 7});
    vkdml::Queue own(device);
    for (vkdml::Queue *const queue : {&session.queue(), &own}) {
        queue->submit([&](VkCommandBuffer commands) { device.recordDispatch(commands, compiled, both[0]); });
        expect(sum, {1, 2, 3, 4});
        both[0].bindInputs({one.binding(), one.binding()});
        queue->submit([&](VkCommandBuffer commands) {
            device.recordDispatch(commands, compiled, both[0]);
            device.recordDispatch(commands, compiled, both[1]);
        });
        expect(sum, {2, 2, 2, 2});
        expect(unchanged, {2, 2, 2, 2});
        both[0].bindInputs({x.binding(), one.binding()});
    }
}

void what_outlives_its_session_works_on(void **) {
    vkdml::DeviceArray array;
    assert_int_equal(array.bytes(), 0);
    {
        const vkdml::Session session = open();
        array = session.array(Floats{1, 2, 3, 4});
        assert_non_null(session.device().get());
    }
    const vkdml::DeviceArray same = array;
    array = {};
    assert_int_equal(same.bytes(), 16);
    expect(same, {1, 2, 3, 4});
}

void failures_have_reasons_and_leave_all_as_it_was(void **) {
    const vkdml::Session session = open();
    const Add add(4);
    vkdml::Compiled compiled = session.compile(add.desc);
    vkdml::DeviceArray a = session.array(Floats{1, 2, 3, 4});
    const vkdml::DeviceArray sum = session.allocate(16), little = session.allocate(3);
    assert_int_equal(little.bytes(), 4);
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "BTensor: size is 4, must be at least 16", [&] {
        compiled({a, little}, {sum});
    });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "OutputTensor: buffer is VK_NULL_HANDLE", [&] {
        compiled({a, a}, {{}});
    });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "the host's elements are 20 bytes, must be at most the array's 16",
                 [&] { a.write(Floats(5)); });
    Floats five(5);
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "the host's elements are 20 bytes", [&] { a.read(five); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "is 4, must be", [&] {
        Add wrong(4);
        wrong.buffer.TotalTensorSizeInBytes = 4;
        (void)session.compile(wrong.desc);
    });
    compiled({a, a}, {sum});
    expect(sum, {2, 4, 6, 8});
}
} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_operator_runs_once_on_arrays_of_the_host, nothing_is_left),
        cmocka_unit_test_teardown(elements_that_fill_no_word_come_back_alone, nothing_is_left),
        cmocka_unit_test_teardown(absent_tensors_are_empty, nothing_is_left),
        cmocka_unit_test_teardown(an_operator_runs_many_times_on_arrays_that_stay, nothing_is_left),
        cmocka_unit_test_teardown(what_an_operator_owns_is_read_once, nothing_is_left),
        cmocka_unit_test_teardown(a_queue_takes_many_operators_at_once, nothing_is_left),
        cmocka_unit_test_teardown(what_outlives_its_session_works_on, nothing_is_left),
        cmocka_unit_test_teardown(failures_have_reasons_and_leave_all_as_it_was, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
