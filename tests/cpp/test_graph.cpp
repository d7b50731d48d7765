// graph.hpp: graphs in DirectMLX's manner, executed on a device and by the reference; and every function of it.
#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include <vkdml/graph.hpp>

#include "cpp/counting.hpp"
#include "cpp/small_network.h"

namespace dml = vkdml::dml;

static_assert(!std::is_copy_constructible_v<dml::Graph> && std::is_move_constructible_v<dml::Graph>);
static_assert(std::is_trivially_copyable_v<dml::Expression>);
static_assert(!std::is_convertible_v<dml::Expression, bool>);

namespace {

using Floats = std::vector<float>;
constexpr DML_TENSOR_DATA_TYPE F32 = DML_TENSOR_DATA_TYPE_FLOAT32, U32 = DML_TENSOR_DATA_TYPE_UINT32,
                               U8 = DML_TENSOR_DATA_TYPE_UINT8;

// Outputs of a graph as the reference computes them. All inputs and outputs are floats.
std::vector<Floats> reference(const dml::Graph &graph, const std::vector<dml::Expression> &outputs,
                              const std::vector<Floats> &inputs) {
    const dml::GraphDesc desc = graph.Describe(outputs, static_cast<std::uint32_t>(inputs.size()));
    std::vector<Floats> data = inputs, results;
    std::vector<VkdmlHostBinding> bindings, bound;
    for (Floats &values : data) {
        bindings.push_back({values.data(), values.size() * sizeof(float)});
    }
    for (const dml::Expression &output : outputs) {
        results.emplace_back(output.GetOutputDesc().totalTensorSizeInBytes / sizeof(float));
    }
    for (Floats &result : results) {
        bound.push_back({result.data(), result.size() * sizeof(float)});
    }
    VkdmlReferenceGraphInfo info{};
    info.structSize = sizeof info;
    info.desc = desc.Get();
    info.inputCount = static_cast<std::uint32_t>(bindings.size());
    info.inputs = bindings.data();
    info.outputCount = static_cast<std::uint32_t>(bound.size());
    info.outputs = bound.data();
    vkdml::check(vkdmlReferenceExecuteGraph(&info));
    return results;
}

Floats reference(const dml::Graph &graph, const dml::Expression &output, const std::vector<Floats> &inputs) {
    return reference(graph, std::vector<dml::Expression>{output}, inputs)[0];
}

// The same on the device.
Floats execute(const vkdml::Session &session, const dml::Graph &graph, const dml::Expression &output,
               const std::vector<Floats> &inputs, std::size_t firstOwned = 99) {
    vkdml::Dispatchable compiled =
        graph.Compile(DML_EXECUTION_FLAG_NONE, {output}, static_cast<std::uint32_t>(inputs.size()));
    std::vector<vkdml::DeviceArray> arrays(inputs.size()), owned(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); i++) {
        (i < firstOwned ? arrays : owned)[i] = session.array(inputs[i]);
    }
    vkdml::Compiled network = session.compile(std::move(compiled), owned);
    Floats result(output.GetOutputDesc().totalTensorSizeInBytes / sizeof(float));
    const vkdml::DeviceArray made = session.array(result);
    network(arrays, {made});
    made.read(result);
    return result;
}

void assert_close(const Floats &found, const Floats &expected) {
    assert_int_equal(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); i++) {
        assert_true(std::fabs(found[i] - expected[i]) <= 1e-5f);
    }
}

void a_network_runs_as_the_reference_does(void **) {
    const vkdml::Session session = open();
    std::vector<Floats> inputs;
    for (std::uint32_t i = 0; i < small_network::INPUTS; i++) {
        inputs.push_back(small_network::data(i));
    }
    dml::Graph graph(session.device());
    const dml::Expression plain = small_network::build(graph, DML_TENSOR_FLAG_NONE);
    const Floats expected = reference(graph, plain, inputs);
    assert_int_equal(expected.size(), small_network::OUTPUT_ELEMENTS);
    assert_true(std::fabs(expected[0] + expected[1] + expected[2] - 1.0f) <= 1e-5f);
    assert_close(execute(session, graph, plain, inputs), expected);

    dml::Graph owning(session.device());
    const dml::Expression owned = small_network::build(owning, DML_TENSOR_FLAG_OWNED_BY_DML);
    assert_close(execute(session, owning, owned, inputs, 1), expected);

    // Another layout of what lies between, the same results.
    dml::Graph interleaved(session.device(), dml::TensorPolicy([](DML_TENSOR_DATA_TYPE type, DML_TENSOR_FLAGS flags,
                                                                  dml::Span<const std::uint32_t> sizes) {
                               return sizes[1] == small_network::CHANNELS && sizes[2] == small_network::SIDE
                                          ? dml::TensorPolicy::InterleavedChannel().Get(type, flags, sizes)
                                          : dml::TensorPolicy::Default().Get(type, flags, sizes);
                           }));
    const dml::Expression same = small_network::build(interleaved, DML_TENSOR_FLAG_NONE);
    assert_close(reference(interleaved, same, inputs), expected);
    assert_close(execute(session, interleaved, same, inputs), expected);
}

void graphs_share_weights(void **) {
    const vkdml::Session session = open();
    std::vector<Floats> inputs;
    std::vector<vkdml::DeviceArray> arrays(small_network::INPUTS), owned(small_network::INPUTS);
    std::vector<std::uint64_t> ids;
    for (std::uint32_t i = 0; i < small_network::INPUTS; i++) {
        inputs.push_back(small_network::data(i));
        (i == 0 ? arrays : owned)[i] = session.array(inputs[i]);
        ids.push_back(100 + i);
    }
    dml::Graph graph(session.device());
    const dml::Expression output = small_network::build(graph, DML_TENSOR_FLAG_OWNED_BY_DML);
    const Floats expected = reference(graph, output, inputs);
    const vkdml::Weights weights = session.weights();
    const auto description = graph.Describe({output}, small_network::INPUTS);
    Floats found(expected.size());
    vkdml::DeviceArray result = session.array(found);
    vkdml::Compiled first = session.compile(*description.Get(), weights, ids, owned);
    const std::uint64_t bytes = weights.info().pageBytes;
    assert_true(bytes > 0);
    assert_int_equal(weights.info().uninitializedBytes, 0);
    {
        vkdml::Compiled second = session.compile(*description.Get(), weights, ids); // no weights are given
        assert_int_equal(weights.info().pageBytes, bytes);
        second(arrays, {result});
        result.read(found);
        assert_close(found, expected);
    }
    ids[1] = 7; // a weight that the store does not have
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "must be a buffer of at least", [&] {
        (void)session.compile(*description.Get(), weights, ids);
    });
    result.write(Floats(expected.size()));
    first(arrays, {result});
    result.read(found);
    assert_close(found, expected);
    first = session.compile(*description.Get(), weights, {}, owned); // weights of nobody else's
    weights.trim();
    assert_true(weights.info().pageBytes <= 2 * bytes);
}

void scalars_scale_and_shift(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {4}));
    const Floats values = {1, 2, 4, 8};
    const auto expect = [&](const dml::Expression &y, const Floats &expected) {
        const Floats found = reference(graph, y, {values});
        assert_memory_equal(found.data(), expected.data(), expected.size() * sizeof(float));
    };
    expect(x + 1.0f, {2, 3, 5, 9});
    expect(1.0f + x, {2, 3, 5, 9});
    expect(x - 1.0f, {0, 1, 3, 7});
    expect(1.0f - x, {0, -1, -3, -7});
    expect(x * 2.0f, {2, 4, 8, 16});
    expect(2.0f * x, {2, 4, 8, 16});
    expect(x / 2.0f, {0.5f, 1, 2, 4});
    expect(8.0f / x, {8, 4, 2, 1});
    expect(-x, {-1, -2, -4, -8});
    expect(+x, values);
    dml::Expression y = x;
    y += 1.0f;
    y -= 3.0f;
    y *= 4.0f;
    y /= 2.0f;
    expect(y, {-2, 0, 4, 12});
    y += x;
    y -= x;
    y *= x;
    y /= x;
    y %= x;
    expect(y, {-0.0f, 0, 0, 4});
    expect(dml::If(x > y, x * x, y), {1, 4, 16, 64});
    const Floats constant = {10, 20, 30, 40};
    expect(x + dml::ConstantData(graph, constant, dml::TensorDesc(F32, {4})), {11, 22, 34, 48});
}

void gradients_by_default_belong_to_resample(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression gradient = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {4}));
    const Floats values = {1, 2, 4, 8}, linear = {3.5f, 11.5f}, nearest = {3, 12}; // of two elements, at twice the scale
    Floats found = reference(graph, dml::ResampleGrad(gradient, {2}, DML_INTERPOLATION_MODE_LINEAR), {values});
    assert_memory_equal(found.data(), linear.data(), sizeof(float) * 2);
    found = reference(graph, dml::ResampleGrad(gradient, {2}, DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR), {values});
    assert_memory_equal(found.data(), nearest.data(), sizeof(float) * 2);
}

void operators_of_integers_are_those_of_cpp(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression a = dml::InputTensor(graph, 0, dml::TensorDesc(U32, {2})),
                          b = dml::InputTensor(graph, 1, dml::TensorDesc(U32, {2}));
    std::uint32_t left[] = {12, 7}, right[] = {5, 2};
    const auto expect = [&](const dml::Expression &y, std::uint32_t first, std::uint32_t second) {
        const dml::GraphDesc desc = graph.Describe({dml::Cast(y, U32)}, 2);
        std::uint32_t found[2] = {};
        const VkdmlHostBinding inputs[] = {{left, sizeof left}, {right, sizeof right}};
        const VkdmlHostBinding output = {found, sizeof found};
        VkdmlReferenceGraphInfo info{};
        info.structSize = sizeof info;
        info.desc = desc.Get();
        info.inputCount = 2;
        info.inputs = inputs;
        info.outputCount = 1;
        info.outputs = &output;
        vkdml::check(vkdmlReferenceExecuteGraph(&info));
        assert_int_equal(found[0], first);
        assert_int_equal(found[1], second);
    };
    expect(a + b, 17, 9);
    expect(a - b, 7, 5);
    expect(a * b, 60, 14);
    expect(a / b, 2, 3);
    expect(a % b, 2, 1);
    expect(a & b, 4, 2);
    expect(a | b, 13, 7);
    expect(a ^ b, 9, 5);
    expect(a << b, 384, 28);
    expect(a >> b, 0, 1);
    expect(~a, ~12u, ~7u);
    expect(a > b, 1, 1);
    expect(a >= a, 1, 1);
    expect(a < b, 0, 0);
    expect(a <= b, 0, 0);
    expect(a == a, 1, 1);
    expect(a != a, 0, 0);
    expect((a > b) && (a == b), 0, 0);
    expect((a > b) || (a == b), 1, 1);
    expect(!(a > b), 0, 0);
    dml::Expression y = a;
    y &= b;
    y |= a;
    y ^= b;
    y <<= b;
    y >>= b;
    expect(y, 9, 5);
}

void a_reinterpretation_is_no_operator(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {2, 3}));
    const dml::Expression row = dml::InputTensor(graph, 1, dml::TensorDesc(F32, {3}));
    const dml::Expression sum = x + dml::Reinterpret(row, {2, 3}, dml::TensorStrides{0, 1});
    const dml::Expression transposed = dml::Reinterpret(sum, {3, 2}, dml::TensorStrides{1, 3}) * 1.0f;
    const dml::Expression bits = dml::Reinterpret(transposed, U32);
    assert_int_equal(graph.Impl()->Types().size(), 2);
    assert_int_equal(bits.GetOutputDesc().dataType, U32);
    assert_int_equal(bits.GetOutputDesc().totalTensorSizeInBytes, 24);
    assert_true(bits.GetOutputDesc().sizes == dml::TensorDimensions({3, 2}));
    const std::vector<Floats> inputs = {{1, 2, 3, 4, 5, 6}, {10, 20, 30}};
    const Floats expected = {11, 14, 22, 25, 33, 36};
    const Floats found = execute(session, graph, dml::Reinterpret(bits, F32), inputs);
    assert_memory_equal(found.data(), expected.data(), 24);
}

void nodes_have_the_names_of_their_scopes(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {4}));
    dml::Expression y = dml::Abs(x);
    {
        const dml::NameScope outer = graph.CreateNameScope("outer");
        graph.PushName("inner");
        y = dml::Exp(y);
        graph.PopName();
        y = dml::Sqrt(y);
    }
    const dml::GraphDesc desc = graph.Describe({y});
    const auto name = [&](std::uint32_t node) {
        return static_cast<const DML_OPERATOR_GRAPH_NODE_DESC *>(desc.Get()->Nodes[node].Desc)->Name;
    };
    assert_int_equal(desc.Get()->NodeCount, 3);
    assert_null(name(0));
    assert_string_equal(name(1), "outer_inner");
    assert_string_equal(name(2), "outer");
}

void only_what_outputs_need_is_compiled(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 1, dml::TensorDesc(F32, {4}));
    const dml::Expression unused = dml::Exp(x);
    const dml::Expression y = dml::Abs(x), z = dml::Sqrt(y);
    assert_true(static_cast<bool>(unused));
    const dml::GraphDesc desc = graph.Describe({z, y, z}, 5);
    assert_int_equal(desc.Get()->NodeCount, 2);
    assert_int_equal(desc.Get()->InputCount, 5);
    assert_int_equal(desc.Get()->OutputCount, 3);
    assert_int_equal(desc.Get()->InputEdgeCount, 1);
    assert_int_equal(desc.Get()->IntermediateEdgeCount, 1);
    const vkdml::Dispatchable compiled = graph.Compile(DML_EXECUTION_FLAG_NONE, {y, z});
    assert_int_equal(compiled.bindingProperties().inputCount, 2);
    assert_int_equal(compiled.bindingProperties().outputCount, 2);
}

void failures_are_thrown_where_they_are_written(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device()), other(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {2, 2}));
    const dml::Expression foreign = dml::InputTensor(other, 0, dml::TensorDesc(F32, {2, 2}));
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "Sizes", [&] {
        (void)(x + dml::InputTensor(graph, 1, dml::TensorDesc(F32, {2, 3})));
    });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "BTensor.Sizes", [&] {
        (void)dml::Gemm(x, dml::InputTensor(graph, 1, dml::TensorDesc(F32, {3, 2})));
    });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "Axes", [&] { (void)dml::Reduce(x, DML_REDUCE_FUNCTION_SUM, {2}); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "empty expression", [&] { (void)(x + dml::Expression()); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "empty expression", [&] { (void)dml::Reinterpret({}, U32); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "another graph", [&] { (void)(x + foreign); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "startPadding has 1 elements, must have 2", [&] {
        (void)dml::Padding(x, DML_PADDING_MODE_EDGE, 0.0f, {1}, {1, 1});
    });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "Join() has no inputs", [&] { (void)dml::Join({}, 0); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "outputs[0] is an input of the graph",
                 [&] { (void)graph.Compile(DML_EXECUTION_FLAG_NONE, {x}); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "outputs[1] is empty", [&] {
        (void)graph.Compile(DML_EXECUTION_FLAG_NONE, {dml::Abs(x), dml::Expression()});
    });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "outputs[0] is of another graph",
                 [&] { (void)graph.Compile(DML_EXECUTION_FLAG_NONE, {dml::Abs(foreign)}); });
    expect_error(VKDML_ERROR_INVALID_ARGUMENT, "", [&] { (void)graph.Compile(DML_EXECUTION_FLAG_NONE, {}); });
    // And the graph goes on.
    const Floats found = reference(graph, dml::Abs(x), {{-1, 2, -3, 4}, {}});
    assert_true(std::fabs(found[2] - 3) <= 0);
    assert_int_equal(graph.GetResult(), VKDML_SUCCESS);
    assert_string_equal(graph.GetErrorMessage(), "");
}

void tensor_descs_are_directml_s(void **) {
    const std::uint32_t sizes[] = {2, 3, 4, 5};
    DML_BUFFER_TENSOR_DESC buffer{};
    buffer.DataType = F32;
    buffer.DimensionCount = 4;
    buffer.Sizes = sizes;
    buffer.TotalTensorSizeInBytes = 480;
    dml::TensorDesc copy(DML_TENSOR_DESC{DML_TENSOR_TYPE_BUFFER, &buffer});
    assert_false(copy.strides.has_value());
    const auto *tensor = copy.AsPtr<DML_TENSOR_DESC>();
    const auto *again = static_cast<const DML_BUFFER_TENSOR_DESC *>(tensor->Desc);
    assert_int_equal(again->DimensionCount, 4);
    assert_int_equal(again->Sizes[3], 5);
    assert_int_equal(again->TotalTensorSizeInBytes, 480);

    const dml::TensorDesc interleaved(F32, {2, 3, 4, 5}, dml::TensorPolicy::InterleavedChannel());
    assert_true(*interleaved.strides == dml::TensorStrides({60, 1, 15, 3}));
    assert_int_equal(interleaved.totalTensorSizeInBytes, 480);
    dml::TensorDesc moved = interleaved;
    assert_ptr_equal(moved.AsPtr<DML_BUFFER_TENSOR_DESC>()->Strides, moved.strides->data());
}

void spans_and_vectors_are_directmlx_s(void **) {
    const std::uint32_t numbers[] = {1, 2, 3, 4, 5};
    const dml::Span<const std::uint32_t> all(numbers, numbers + 5), counted(numbers, 0), some = all.subspan(1, 3);
    assert_int_equal(all.size(), 5);
    assert_int_equal(all.size_bytes(), 20);
    assert_true(counted.empty());
    assert_int_equal(some.size(), 3);
    assert_int_equal(some[0], 2);
    assert_ptr_equal(some.end(), numbers + 4);
    static_assert(std::is_same_v<dml::SmallVector<std::uint32_t, 4>, dml::TensorDimensions>);
    static_assert(std::is_same_v<dml::TensorDesc::Strides, dml::TensorStrides> && sizeof(dml::Byte) == 1);
}

// A constant of any type, as the functions take their scales and zero points.
template <typename T> dml::Expression constant(dml::Graph &graph, DML_TENSOR_DATA_TYPE type, T value) {
    const T values[] = {value};
    const dml::Byte *const bytes = reinterpret_cast<const dml::Byte *>(values);
    return dml::ConstantData(graph, dml::Span<const dml::Byte>(bytes, sizeof values), dml::TensorDesc(type, {1, 1, 1, 1}));
}

dml::Expression floats(const dml::Expression &x) {
    return dml::Cast(x, F32);
}

void comparisons_compare(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression a = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {3})),
                          b = dml::InputTensor(graph, 1, dml::TensorDesc(F32, {3}));
    const std::vector<Floats> found = reference(
        graph,
        {floats(dml::Equals(a, b)), floats(dml::GreaterThan(a, b)), floats(dml::GreaterThanOrEqual(a, b)),
         floats(dml::LessThan(a, b)), floats(dml::LessThanOrEqual(a, b, U32)), floats(dml::LogicalLessThan(a, b))},
        {{1, 2, 3}, {2, 2, 2}});
    const std::vector<Floats> expected = {{0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}, {1, 0, 0}};
    assert_true(found == expected);
    assert_int_equal(dml::Equals(a, b).GetOutputDesc().dataType, U8);
    assert_int_equal(dml::LessThan(a, b, U32).GetOutputDesc().dataType, U32);
}

void quantized_types_are_those_asked_for(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const DML_TENSOR_DATA_TYPE i8 = DML_TENSOR_DATA_TYPE_INT8;
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {1, 1, 1, 1}));
    const dml::Expression half = constant(graph, F32, 0.5f), one = constant(graph, F32, 1.0f);
    const dml::Expression bytes = dml::QuantizeLinear(x, half, constant<std::uint8_t>(graph, U8, 10));
    assert_int_equal(bytes.GetOutputDesc().dataType, U8);
    // 3 / 0.5 + 10 = 16; minus a zero point of 10 and times -2 is -12, of which no UINT8 is left.
    const dml::Expression filter = constant<std::int8_t>(graph, i8, -2);
    const dml::Expression products =
        dml::QuantizedLinearConvolution(bytes, one, constant<std::uint8_t>(graph, U8, 10), filter, one, dml::NullOpt,
                                        dml::NullOpt, one, dml::NullOpt, i8, {1, 1});
    assert_int_equal(products.GetOutputDesc().dataType, i8);
    const std::vector<Floats> found = reference(graph, {floats(bytes), floats(products)}, {{3}});
    assert_true(found == (std::vector<Floats>{{16}, {-12}}));
}

void mean_and_variance_are_told_apart(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {1, 1, 1, 2}));
    const auto normalized = [&](bool variance, bool mean) {
        return dml::MeanVarianceNormalization(x, dml::NullOpt, dml::NullOpt, {3}, variance, mean, 0.0f);
    };
    assert_close(reference(graph, normalized(false, true), {{3, 4}}), {-0.5f, 0.5f});
    assert_close(reference(graph, normalized(true, false), {{3, 4}}), {3 / std::sqrt(12.5f), 4 / std::sqrt(12.5f)});
    assert_close(reference(graph, normalized(true, true), {{3, 4}}), {-1, 1});
}

void gradients_of_regions_are_in_their_image(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const std::uint32_t second[] = {1};
    const dml::Expression gradient = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {1, 1, 1, 1})),
                          region = dml::InputTensor(graph, 1, dml::TensorDesc(F32, {1, 1, 1, 4})),
                          index = dml::ConstantData(graph, second, dml::TensorDesc(U32, {1, 1, 1, 1}));
    const dml::RoiAlignGradOutputs made =
        dml::RoiAlignGrad(dml::NullOpt, gradient, region, index, DML_REDUCE_FUNCTION_AVERAGE,
                          DML_INTERPOLATION_MODE_LINEAR, 1.0f, 1.0f, 0.5f, -0.5f, 1, 1, false, 2, 2, 3, true, false);
    assert_true(made.outputGradient.GetOutputDesc().sizes == dml::TensorDimensions({2, 1, 2, 3}));
    assert_false(static_cast<bool>(made.outputROIGradient));
    // The one sample is the middle of the last column of the second image.
    const Floats found = reference(graph, made.outputGradient, {{4}, {2, 0, 3, 2}});
    assert_close(found, {0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 2});
}

void coordinates_are_rows(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {1, 2, 2}));
    const dml::NonZeroCoordinatesOutputs made = dml::NonZeroCoordinates(x);
    assert_true(made.count.GetOutputDesc().sizes == dml::TensorDimensions({1}));
    assert_true(made.coordinates.GetOutputDesc().sizes == dml::TensorDimensions({4, 3}));
    const std::vector<Floats> found = reference(graph, {floats(made.count), floats(made.coordinates)}, {{0, 3, 0, 5}});
    assert_close(found[0], {2});
    assert_close(Floats(found[1].begin(), found[1].begin() + 6), {0, 0, 1, 0, 1, 1});
}

void the_last_step_of_a_gru_is_its_single_output(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const auto input = [&](std::uint32_t i, dml::TensorDimensions sizes) {
        return dml::InputTensor(graph, i, dml::TensorDesc(F32, std::move(sizes)));
    };
    const auto gru = [&](dml::GRUOutputOptions outputs) -> dml::GRUOutputs {
        return dml::GRU(input(0, {1, 2, 1, 1}), input(1, {1, 1, 3, 1}), input(2, {1, 1, 3, 1}), dml::NullOpt,
                        dml::NullOpt, dml::NullOpt, {dml::FusedActivation::Sigmoid(), dml::FusedActivation::Tanh()},
                        DML_RECURRENT_NETWORK_DIRECTION_FORWARD, false, outputs);
    };
    const dml::GRUOutputs both = gru(dml::GRUOutputOptions::Both);
    const std::vector<Floats> found =
        reference(graph, {both.sequence, both.single, gru(dml::GRUOutputOptions::Sequence).sequence,
                          gru(dml::GRUOutputOptions::Single).single},
                  {{1, -1}, {0, 0, 1}, {0, 0, 0}});
    // Gates of 1/2: h1 = tanh(1) / 2, h2 = tanh(-1) / 2 + h1 / 2.
    assert_close(found[0], {0.5f * std::tanh(1.0f), -0.25f * std::tanh(1.0f)});
    assert_close(found[1], {found[0][1]});
    assert_true(found[2] == found[0] && found[3] == found[1]);
}

// As clients of DirectMLX do for operators that it has no function for.
void a_client_makes_nodes_of_its_own(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {2}));
    dml::detail::GraphBuilder *const builder = x.Impl()->GetGraphBuilder();
    assert_ptr_equal(builder, graph.Impl());
    dml::TensorDesc in = x.Impl()->GetOutputDesc(), out(in.dataType, in.sizes, builder->GetTensorPolicy());
    DML_ELEMENT_WISE_ABS_OPERATOR_DESC desc{};
    desc.InputTensor = in.AsPtr<DML_TENSOR_DESC>();
    desc.OutputTensor = out.AsPtr<DML_TENSOR_DESC>();
    dml::detail::NodeOutput *const inputs[] = {x.Impl()};
    const dml::detail::NodeID node = builder->CreateOperatorNode(DML_OPERATOR_ELEMENT_WISE_ABS, &desc, inputs);
    const dml::Expression y = builder->CreateNodeOutput(node, 0, std::move(out));
    assert_true(y.Impl()->GetNode().type == dml::detail::NodeType::Operator && y.Impl()->GetOutputIndex() == 0);
    assert_close(reference(graph, y + 1.0f, {{-3, 4}}), {4, 5});
}

// Every function once, or as often as it may choose another operator.
struct Everything {
    explicit Everything(const vkdml::Device &device) : graph(device) {
    }

    dml::Expression input(DML_TENSOR_DATA_TYPE type, dml::TensorDimensions sizes) {
        return dml::InputTensor(graph, next++, dml::TensorDesc(type, std::move(sizes)));
    }

    void expect(const dml::Expression &y, const dml::TensorDimensions &sizes) {
        assert_true(static_cast<bool>(y));
        assert_true(y.GetOutputDesc().sizes == sizes);
    }

    void element_wise();
    void activations();
    void quantization();
    void products_and_windows();
    void normalization_and_folds();
    void moving();
    void indices_and_fills();
    void integers();
    void training();
    void attention_and_recurrence();

    dml::Graph graph;
    std::uint32_t next = 0;
};

DML_SCALAR_UNION scalar(float value) {
    DML_SCALAR_UNION whole{};
    whole.Float32 = value;
    return whole;
}

void Everything::element_wise() {
    const dml::TensorDimensions sizes = {1, 2, 3, 4};
    const dml::Expression x = input(F32, sizes), y = input(F32, sizes);
    const dml::Expression a = input(U32, sizes), b = input(U32, sizes), truth = input(U8, sizes);
    for (auto *function : {dml::Identity, dml::Abs,   dml::ACos, dml::ACosh, dml::ASin, dml::ASinh, dml::ATan,
                           dml::ATanh,    dml::Ceil,  dml::Cos,  dml::Cosh,  dml::Erf,  dml::Exp,   dml::Floor,
                           dml::Log,      dml::Recip, dml::Sin,  dml::Sinh,  dml::Sqrt, dml::Tan,   dml::Tanh}) {
        expect(function(x, DML_SCALE_BIAS{2.0f, 1.0f}), sizes);
    }
    const std::vector<dml::Expression> expressions = {dml::Add(x, y),
                                                      dml::Add(x, y, dml::FusedActivation::Relu()),
                                                      dml::ATanYX(x, y),
                                                      dml::DifferenceSquare(x, y),
                                                      dml::Divide(x, y),
                                                      dml::Max(x, y),
                                                      dml::Mean(x, y),
                                                      dml::Min(x, y),
                                                      dml::ModulusFloor(x, y),
                                                      dml::ModulusTruncate(x, y),
                                                      dml::Multiply(x, y),
                                                      dml::Subtract(x, y),
                                                      dml::Negate(x),
                                                      dml::Sign(x),
                                                      dml::BitAnd(a, b),
                                                      dml::BitOr(a, b),
                                                      dml::BitXor(a, b),
                                                      dml::BitNot(a),
                                                      dml::BitShiftLeft(a, b),
                                                      dml::BitShiftRight(a, b),
                                                      dml::BitCount(a),
                                                      dml::LogicalAnd(truth, truth),
                                                      dml::LogicalOr(truth, truth),
                                                      dml::LogicalXor(truth, truth),
                                                      dml::LogicalNot(truth),
                                                      dml::LogicalEquals(x, y),
                                                      dml::LogicalGreaterThan(x, y),
                                                      dml::LogicalGreaterThanOrEqual(x, y),
                                                      dml::LogicalLessThan(x, y),
                                                      dml::LogicalLessThanOrEqual(x, y, U32),
                                                      dml::Clip(x, 0.0f, 1.0f),
                                                      dml::Clip(x, scalar(0), scalar(1)),
                                                      dml::ClipGrad(x, y, 0.0f, 1.0f),
                                                      dml::ClipGrad(x, y, scalar(0), scalar(1)),
                                                      dml::If(truth, x, y),
                                                      dml::IsInfinity(x),
                                                      dml::IsNaN(x),
                                                      dml::Pow(x, y),
                                                      dml::Pow(x, 2.0f),
                                                      dml::Round(x),
                                                      dml::Threshold(x, 0.5f),
                                                      dml::Cast(x, U8)};
    for (const dml::Expression &sum : expressions) {
        expect(sum, sizes);
    }
}

void Everything::activations() {
    const dml::TensorDimensions sizes = {1, 1, 3, 4};
    const dml::Expression x = input(F32, sizes), y = input(F32, sizes);
    for (const dml::Expression &z : {dml::ActivationCelu(x),
                                     dml::ActivationElu(x),
                                     dml::ActivationGelu(x),
                                     dml::ActivationHardmax(x),
                                     dml::ActivationHardmax(x, {2, 3}),
                                     dml::ActivationHardSigmoid(x),
                                     dml::ActivationHardSwish(x),
                                     dml::ActivationIdentity(x),
                                     dml::ActivationLeakyRelu(x),
                                     dml::ActivationLinear(x, 2.0f, 1.0f),
                                     dml::ActivationLogSoftmax(x),
                                     dml::ActivationLogSoftmax(x, {3}),
                                     dml::ActivationParameterizedRelu(x, y),
                                     dml::ActivationParametricSoftplus(x, 1.0f, 2.0f),
                                     dml::ActivationRelu(x),
                                     dml::ActivationReluGrad(x, y),
                                     dml::ActivationScaledElu(x),
                                     dml::ActivationScaledTanh(x),
                                     dml::ActivationShrink(x),
                                     dml::ActivationSigmoid(x),
                                     dml::ActivationSoftmax(x),
                                     dml::ActivationSoftmax(x, {1, 2}),
                                     dml::ActivationSoftplus(x),
                                     dml::ActivationSoftsign(x),
                                     dml::ActivationSwish(x),
                                     dml::ActivationTanh(x),
                                     dml::ActivationThresholdedRelu(x)}) {
        expect(z, sizes);
    }
    using Fused = dml::FusedActivation;
    for (const Fused &fused : {Fused::Celu(),
                               Fused::Elu(),
                               Fused::Gelu(),
                               Fused::HardSigmoid(),
                               Fused::HardSwish(),
                               Fused::Identity(),
                               Fused::LeakyRelu(),
                               Fused::Linear(1.0f, 0.0f),
                               Fused::ParametricSoftplus(1.0f, 1.0f),
                               Fused::Relu(),
                               Fused::ScaledElu(),
                               Fused::ScaledTanh(),
                               Fused::Shrink(),
                               Fused::Sigmoid(),
                               Fused::Softplus(),
                               Fused::Softsign(),
                               Fused::Swish(),
                               Fused::Tanh(),
                               Fused::ThresholdedRelu(),
                               Fused::None()}) {
        expect(dml::Add(x, y, fused), sizes);
    }
}

void Everything::quantization() {
    const dml::TensorDimensions sizes = {1, 2, 4, 4};
    const dml::Expression x = input(F32, sizes), scale = input(F32, sizes), zero = input(U8, sizes);
    const dml::Expression q = dml::QuantizeLinear(x, scale, zero, U8);
    expect(q, sizes);
    expect(dml::DequantizeLinear(q, scale, zero), sizes);
    const dml::Expression one = input(F32, {1, 1, 1, 1}), none = input(U8, {1, 1, 1, 1});
    expect(dml::QuantizedLinearAdd(q, one, none, q, one, dml::NullOpt, one, none), sizes);
    const dml::DynamicQuantizeLinearOutputs dynamic = dml::DynamicQuantizeLinear(x);
    expect(dynamic.output, sizes);
    expect(dynamic.outputScale, {1, 1, 1, 1});
    expect(dynamic.outputZeroPoint, {1, 1, 1, 1});
    const dml::Expression blocks = input(F32, {1, 2, 2, 1});
    const dml::Expression small = dml::Quantize(x, {blocks}, DML_TENSOR_DATA_TYPE_INT4, DML_QUANTIZATION_TYPE_SCALE);
    expect(small, sizes);
    expect(dml::Dequantize(small, {blocks}, DML_QUANTIZATION_TYPE_SCALE), sizes);
}

void Everything::products_and_windows() {
    const dml::Expression a = input(F32, {1, 2, 3, 4}), b = input(F32, {1, 2, 5, 4});
    expect(dml::Gemm(a, b, dml::NullOpt, DML_MATRIX_TRANSFORM_NONE, DML_MATRIX_TRANSFORM_TRANSPOSE), {1, 2, 3, 5});
    expect(dml::GemmBuilder(b, a).TransA(DML_MATRIX_TRANSFORM_NONE).TransB(DML_MATRIX_TRANSFORM_TRANSPOSE).Build(),
           {1, 2, 5, 3});
    expect(dml::GemmBuilder(a, a).TransA(DML_MATRIX_TRANSFORM_TRANSPOSE).Alpha(2).Build(), {1, 2, 4, 4});
    const dml::Expression x = input(F32, {1, 4, 9, 8}), filter = input(F32, {6, 2, 3, 3});
    expect(dml::Convolution(x, filter, dml::NullOpt, DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                            DML_CONVOLUTION_DIRECTION_FORWARD, {2, 1}, {1, 2}, {1, 0}, {0, 1}, {}, 2),
           {1, 6, 4, 5});
    const dml::Expression back = input(F32, {4, 3, 3, 3});
    expect(dml::ConvolutionBuilder(x, back)
               .Direction(DML_CONVOLUTION_DIRECTION_BACKWARD)
               .Mode(DML_CONVOLUTION_MODE_CONVOLUTION)
               .Strides({2, 2})
               .Dilations({1, 1})
               .StartPadding({1, 1})
               .EndPadding({1, 1})
               .OutputPadding({1, 0})
               .GroupCount(2)
               .Build(),
           {1, 6, 18, 15});
    expect(dml::ConvolutionBuilder(x, filter).GroupCount(2).OutputSizes({1, 6, 7, 6}).Build(), {1, 6, 7, 6});

    expect(dml::AveragePooling(x, {2, 2}, {3, 2}, {1, 0}, {0, 0}, false), {1, 4, 4, 4});
    expect(dml::AveragePooling(x, {1, 1}, {3, 2}, {0, 0}, {0, 0}, {2, 1}, true), {1, 4, 5, 7});
    expect(dml::AveragePoolingBuilder(x, {9, 8}).IncludePadding(true).Build(), {1, 4, 1, 1});
    expect(dml::LpPooling(x, 2, {3, 2}), {1, 4, 7, 7});
    expect(dml::LpPooling(x, 2, {3, 2}, {1, 1}, {0, 0}, {0, 0}, {2, 1}), {1, 4, 5, 7});
    expect(dml::MaxPooling(x, {3, 2}).values, {1, 4, 7, 7});
    const dml::MaxPoolingOutputs placed = dml::MaxPoolingBuilder(x, {3, 2}).Strides({3, 2}).OutputIndices(true).Build();
    expect(placed.values, {1, 4, 3, 4});
    expect(placed.indices, {1, 4, 3, 4});
    const dml::MaxPoolingOutputs dilated = dml::MaxPoolingBuilder(x, {3, 2}).Dilations({2, 1}).Build();
    expect(dilated.values, {1, 4, 5, 7});
    assert_false(static_cast<bool>(dilated.indices));
    expect(dml::MaxUnpooling(placed.values, placed.indices, {1, 4, 9, 8}), {1, 4, 9, 8});

    const dml::Expression regions = input(F32, {1, 1, 7, 5}), corners = input(F32, {1, 1, 7, 4});
    const dml::Expression pictures = input(U32, {1, 1, 1, 7});
    expect(dml::RoiPooling(x, regions, 1.0f, {2, 3}), {7, 4, 3, 2});
    expect(dml::RoiAlign(x, corners, pictures, DML_REDUCE_FUNCTION_MAX, DML_INTERPOLATION_MODE_LINEAR, 1.0f, 1.0f, 0.0f,
                         1, 4, 3, 2),
           {7, 4, 3, 2});
    expect(dml::RoiAlign(x, corners, pictures, DML_REDUCE_FUNCTION_AVERAGE, DML_INTERPOLATION_MODE_LINEAR, 1.0f, 1.0f,
                         0.5f, -0.5f, 0.0f, 1, 4, true, 3, 2),
           {7, 4, 3, 2});

    const auto nearest = DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR, linear = DML_INTERPOLATION_MODE_LINEAR;
    const dml::TensorDimensions doubled = {1, 4, 18, 16};
    expect(dml::Resample(x, doubled, nearest), doubled);
    expect(dml::Resample(x, doubled, linear, {1, 1, 2, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}), doubled);
    expect(dml::Resample(x, doubled, nearest, DML_AXIS_DIRECTION_DECREASING), doubled);
    expect(dml::Resample(x, {1, 4, 3, 2}, linear, DML_AXIS_DIRECTION_DECREASING, {}, {}, {}, true), {1, 4, 3, 2});
    expect(dml::Upsample2D(x, {2, 3}, nearest), {1, 4, 27, 16});
    const dml::Expression windows = input(F32, {1, 4, 7, 7}), bins = input(F32, {7, 4, 3, 2});
    expect(dml::AveragePoolingGrad(windows, {1, 4, 9, 8}, {1, 1}, {3, 2}), {1, 4, 9, 8});
    expect(dml::MaxPoolingGrad(x, windows, {3, 2}), {1, 4, 9, 8});
    expect(dml::ResampleGrad(x, {1, 4, 3, 4}, linear), {1, 4, 3, 4});
    expect(dml::ResampleGrad(x, {1, 4, 3, 4}, nearest, DML_AXIS_DIRECTION_DECREASING, {1, 1, 3, 2}), {1, 4, 3, 4});
    const dml::RoiAlignGradOutputs given_back =
        dml::RoiAlignGrad(x, bins, corners, pictures, DML_REDUCE_FUNCTION_AVERAGE, linear, 1.0f, 1.0f, 0.5f, -0.5f, 1,
                          4, true, 1, 9, 8, true, true);
    expect(given_back.outputGradient, {1, 4, 9, 8});
    expect(given_back.outputROIGradient, {1, 1, 7, 4});
    const dml::Expression columns = dml::Unfold(x, {3, 2}, {2, 2}, {1, 1}, {1, 0}, {0, 0});
    expect(columns, {1, 24, 16});
    expect(dml::Fold(columns, {1, 4, 9, 8}, {3, 2}, {2, 2}, {1, 1}, {1, 0}, {0, 0}), {1, 4, 9, 8});
}

void Everything::normalization_and_folds() {
    const dml::TensorDimensions sizes = {2, 3, 4, 5};
    const dml::Expression x = input(F32, sizes), channel = input(F32, {1, 3, 1, 1});
    expect(dml::Reduce(x, DML_REDUCE_FUNCTION_SUM), {1, 1, 1, 1});
    expect(dml::Reduce(x, DML_REDUCE_FUNCTION_ARGMAX, {1}), {2, 1, 4, 5});
    expect(dml::ArgMin(x, {3}), {2, 3, 4, 1});
    expect(dml::ArgMax(x, {2, 3}, DML_AXIS_DIRECTION_DECREASING), {2, 3, 1, 1});
    expect(dml::CumulativeSummation(x, 3, DML_AXIS_DIRECTION_INCREASING, false), sizes);
    expect(dml::CumulativeProduct(x, 3, DML_AXIS_DIRECTION_DECREASING, true), sizes);
    for (const DML_AXIS_DIRECTION direction : {DML_AXIS_DIRECTION_INCREASING, DML_AXIS_DIRECTION_DECREASING}) {
        const dml::TopKOutputs top = dml::TopK(x, 2, 3, direction);
        expect(top.value, {2, 3, 3, 5});
        expect(top.index, {2, 3, 3, 5});
    }
    expect(dml::BatchNormalization(x, channel, channel, channel, channel, true, 1e-5f), sizes);
    expect(dml::MeanVarianceNormalization(x, dml::NullOpt, dml::NullOpt, false, true, 1e-5f), sizes);
    expect(dml::MeanVarianceNormalization(x, channel, channel, {2, 3}, true, 1e-5f), sizes);
    expect(dml::MeanVarianceNormalization(x, channel, dml::NullOpt, {3}, false, true, 1e-5f), sizes);
    expect(dml::LocalResponseNormalization(x, true, 3, 1e-4f, 0.75f, 1.0f), sizes);
    expect(dml::LpNormalization(x, 1, 1e-6f, 2), sizes);
}

void Everything::moving() {
    const dml::Expression x = input(F32, {1, 4, 6, 8});
    expect(dml::Padding(x, DML_PADDING_MODE_EDGE, 0.0f, {0, 0, 1, 2}, {0, 0, 3, 4}), {1, 4, 10, 14});
    expect(dml::Padding(x, DML_PADDING_MODE_CONSTANT, scalar(1), {0, 0, 1, 2}, {}), {1, 4, 7, 10});
    expect(dml::Slice(x, {0, 1, 2, 0}, {1, 3, 4, 8}, {1, 1, 1, 3}), {1, 3, 4, 3});
    expect(dml::Slice(x, {0, 1, 2, 0}, {1, 3, 4, 8}, {1, 1, -2, 1}), {1, 3, 2, 8});
    const dml::Expression part = input(F32, {1, 3, 2, 8});
    expect(dml::SliceGrad(part, {1, 4, 6, 8}, {0, 1, 2, 0}, {1, 3, 4, 8}, {1, 1, -2, 1}), {1, 4, 6, 8});
    const std::vector<dml::Expression> pieces = dml::Split(x, 2, {1, 2, 3});
    assert_int_equal(pieces.size(), 3);
    expect(pieces[2], {1, 4, 3, 8});
    expect(dml::Join(pieces, 2), {1, 4, 6, 8});
    expect(dml::Join({x, x}, 1), {1, 8, 6, 8});
    expect(dml::Tile(x, {1, 2, 1, 3}), {1, 8, 6, 24});
    for (const auto order : {DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW, DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH}) {
        expect(dml::SpaceToDepth(x, 2, order), {1, 16, 3, 4});
        expect(dml::DepthToSpace(x, 2, order), {1, 1, 12, 16});
    }
    expect(dml::ReverseSubsequences(x, input(U32, {1, 4, 1, 8}), 2), {1, 4, 6, 8});
    const float bias[] = {1, 2, 3};
    expect(dml::ValueScale2D(input(F32, {1, 3, 2, 2}), 2.0f, bias), {1, 3, 2, 2});
}

void Everything::indices_and_fills() {
    const dml::TensorDimensions sizes = {1, 4, 6, 8};
    const dml::Expression x = input(F32, sizes), places = input(U32, {1, 1, 2, 3});
    expect(dml::Gather(x, input(U32, {1, 1, 1, 3}), 3, 1), {1, 4, 6, 3});
    expect(dml::Gather(input(F32, {1, 1, 6, 8}), places, 3, 2), {1, 6, 2, 3});
    expect(dml::GatherElements(x, input(U32, {1, 4, 6, 2}), 3), {1, 4, 6, 2});
    expect(dml::GatherND(x, input(U32, {1, 1, 5, 2}), 3, 2), {1, 1, 5, 8});
    expect(dml::GatherND(x, input(U32, {1, 4, 5, 1}), 3, 3, 1), {1, 4, 5, 8});
    expect(dml::ScatterElements(x, input(U32, {1, 4, 6, 2}), input(F32, {1, 4, 6, 2}), 3), sizes);
    expect(dml::ScatterND(x, input(U32, {1, 1, 5, 2}), input(F32, {1, 1, 5, 8}), 3, 2), sizes);
    expect(dml::OneHot(input(U32, {1, 1, 6, 1}), input(F32, {1, 1, 1, 2}), 9, 3), {1, 1, 6, 9});
    const dml::NonZeroCoordinatesOutputs found = dml::NonZeroCoordinates(x);
    expect(found.count, {1});
    expect(found.coordinates, {192, 4});
    expect(dml::NonZeroCoordinates(input(F32, {5})).coordinates, {5, 1});
    expect(dml::FillValueConstant(graph, sizes, F32, scalar(1)), sizes);
    expect(dml::FillValueSequence(graph, sizes, F32, scalar(1), scalar(2)), sizes);
    expect(dml::DiagonalMatrix(graph, sizes, F32, 1, 2.0f), sizes);
    expect(dml::DiagonalMatrix(graph, sizes, F32, scalar(2), -1, 1), sizes);
    expect(dml::DiagonalMatrix(x, scalar(2), -1, 1), sizes);
}

void Everything::integers() {
    const DML_TENSOR_DATA_TYPE i8 = DML_TENSOR_DATA_TYPE_INT8;
    const dml::TensorDimensions one = {1, 1, 1, 1};
    const dml::Expression a = input(i8, {1, 1, 2, 3}), b = input(i8, {1, 1, 3, 4}), zero = input(i8, one);
    const dml::Expression scale = input(F32, one), x = input(i8, {1, 2, 5, 5}), w = input(i8, {3, 2, 3, 3});
    expect(dml::MatrixMultiplyInteger(a, zero, b, dml::NullOpt), {1, 1, 2, 4});
    expect(dml::QuantizedLinearMatrixMultiply(a, scale, zero, b, scale, zero, scale, zero), {1, 1, 2, 4});
    expect(dml::MatrixMultiplyIntegerToFloat(a, scale, zero, b, scale, zero, input(F32, {1, 1, 2, 4})), {1, 1, 2, 4});
    expect(dml::ConvolutionInteger(x, zero, w, zero, {2, 2}, {}, {1, 1}, {1, 1}), {1, 3, 3, 3});
    expect(dml::QuantizedLinearConvolution(x, scale, zero, w, scale, zero, dml::NullOpt, scale, dml::NullOpt),
           {1, 3, 3, 3});
    expect(dml::QuantizedLinearAveragePooling(x, scale, zero, scale, zero, {2, 2}, {3, 3}), {1, 2, 2, 2});
}

void Everything::training() {
    const dml::TensorDimensions sizes = {2, 3, 4, 5}, channels = {1, 3, 1, 1};
    const dml::Expression x = input(F32, sizes), dy = input(F32, sizes), scale = input(F32, channels);
    const dml::BatchNormalizationTrainingOutputs trained =
        dml::BatchNormalizationTraining(x, scale, scale, dy, 1e-5f, dml::FusedActivation::Relu());
    expect(trained.output, sizes);
    expect(trained.variance, channels);
    expect(dml::BatchNormalizationGrad(x, dy, scale, scale, scale, 1e-5f).scaleGradient, channels);
    expect(dml::BatchNormalizationTrainingGrad(x, dy, scale, scale, scale, 1e-5f).gradient, sizes);
    expect(dml::LocalResponseNormalizationGrad(x, dy, true, 3, 1e-4f, 0.75f, 1.0f), sizes);
    const dml::AdamOptimizerOutputs adam = dml::AdamOptimizer(x, dy, input(F32, sizes), input(F32, sizes),
                                                              input(U32, {1, 1, 1, 1}), 0.1f, 0.9f, 0.999f, 1e-8f);
    expect(adam.parameters, sizes);
    expect(adam.secondMoment, sizes);
    const dml::RandomGeneratorOutputs random = dml::RandomGenerator(input(U32, {1, 1, 1, 6}), {1, 1, 3, 5});
    expect(random.values, {1, 1, 3, 5});
    expect(random.state, {1, 1, 1, 6});
}

void Everything::attention_and_recurrence() {
    dml::AttentionInputs inputs;
    inputs.query = input(F32, {2, 5, 8});
    inputs.key = input(F32, {2, 7, 8});
    inputs.value = input(F32, {2, 7, 8});
    const dml::MultiHeadAttentionOutputs attended = dml::MultiHeadAttention(
        inputs, {2, 5, 8}, 2u, 0.5f, -1e4f, DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE, {2, 2, 7, 4}, {2, 2, 7, 4});
    expect(attended.output, {2, 5, 8});
    expect(attended.presentValue, {2, 2, 7, 4});
    inputs.key = input(F32, {2, 7, 4});
    inputs.value = input(F32, {2, 7, 4});
    expect(dml::MultiHeadAttention(inputs, {2, 5, 8}, 2u, 1u, 0.5f).output, {2, 5, 8});

    const dml::Expression x = input(F32, {1, 4, 2, 3});
    const auto weights = [&](std::uint32_t rows, std::uint32_t columns) { return input(F32, {1, 1, rows, columns}); };
    const dml::FusedActivation sigmoid = dml::FusedActivation::Sigmoid(), tanh = dml::FusedActivation::Tanh();
    const DML_RECURRENT_NETWORK_DIRECTION forward = DML_RECURRENT_NETWORK_DIRECTION_FORWARD;
    expect(dml::RNN(x, weights(5, 3), weights(5, 5), dml::NullOpt, dml::NullOpt, dml::NullOpt, {{tanh}}, forward, true,
                    true)
               .sequence,
           {4, 1, 2, 5});
    expect(dml::GRU(x, weights(15, 3), weights(15, 5), dml::NullOpt, dml::NullOpt, dml::NullOpt, {{sigmoid, tanh}},
                    forward, true, true, true)
               .single,
           {1, 1, 2, 5});
    const auto gru = [&](dml::GRUOutputOptions outputs) -> dml::GRUOutputs {
        return dml::GRU(x, weights(15, 3), weights(15, 5), dml::NullOpt, dml::NullOpt, dml::NullOpt, {{sigmoid, tanh}},
                        forward, true, outputs);
    };
    expect(gru(dml::GRUOutputOptions::Both).single, {1, 1, 2, 5});
    expect(gru(dml::GRUOutputOptions::Sequence).sequence, {4, 1, 2, 5});
    assert_false(static_cast<bool>(gru(dml::GRUOutputOptions::Sequence).single));
    assert_false(static_cast<bool>(gru(dml::GRUOutputOptions::Single).sequence));
    expect(dml::LSTM(x, weights(20, 3), weights(20, 5), dml::NullOpt, dml::NullOpt, dml::NullOpt, dml::NullOpt,
                     dml::NullOpt, {{sigmoid, tanh, tanh}}, forward, 2.0f, false, true, true, true)
               .cell,
           {1, 1, 2, 5});
}

void every_operator_has_a_function(void **) {
    const vkdml::Session session = open();
    Everything all(session.device());
    all.element_wise();
    all.activations();
    all.quantization();
    all.products_and_windows();
    all.normalization_and_folds();
    all.moving();
    all.indices_and_fills();
    all.integers();
    all.training();
    all.attention_and_recurrence();
    // Operators that no function makes, and why.
    std::set<DML_OPERATOR_TYPE> made = {};
    for (const DML_OPERATOR_TYPE type : all.graph.Impl()->Types()) {
        made.insert(type);
    }
    int missing = 0;
    for (std::uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); i++) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        if (made.count(schema->type) == 0) {
            std::printf("# no function makes %s\n", schema->name);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

void all_that_functions_make_executes(void **) {
    const vkdml::Session session = open();
    dml::Graph graph(session.device());
    const dml::Expression x = dml::InputTensor(graph, 0, dml::TensorDesc(F32, {1, 2, 4, 4}));
    const std::vector<dml::Expression> halves = dml::Split(x, 1, {1, 1});
    const dml::TopKOutputs top = dml::TopK(halves[0], 3, 2);
    const dml::Expression y = dml::Join({top.value, dml::Cast(top.index, F32)}, 3) + halves[1];
    DML_SCALAR_UNION one{}, two{};
    one.Float32 = 1;
    two.Float32 = 2;
    const dml::Expression z = y * dml::FillValueSequence(graph, {1, 1, 4, 4}, F32, one, two);
    Floats values(32);
    for (std::size_t i = 0; i < values.size(); i++) {
        values[i] = static_cast<float>(i * 7 % 13);
    }
    const Floats expected = reference(graph, z, {values}), found = execute(session, graph, z, {values});
    assert_memory_equal(found.data(), expected.data(), expected.size() * sizeof(float));
}
} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_network_runs_as_the_reference_does, nothing_is_left),
        cmocka_unit_test_teardown(graphs_share_weights, nothing_is_left),
        cmocka_unit_test_teardown(scalars_scale_and_shift, nothing_is_left),
        cmocka_unit_test_teardown(gradients_by_default_belong_to_resample, nothing_is_left),
        cmocka_unit_test_teardown(operators_of_integers_are_those_of_cpp, nothing_is_left),
        cmocka_unit_test_teardown(a_reinterpretation_is_no_operator, nothing_is_left),
        cmocka_unit_test_teardown(nodes_have_the_names_of_their_scopes, nothing_is_left),
        cmocka_unit_test_teardown(only_what_outputs_need_is_compiled, nothing_is_left),
        cmocka_unit_test_teardown(failures_are_thrown_where_they_are_written, nothing_is_left),
        cmocka_unit_test_teardown(tensor_descs_are_directml_s, nothing_is_left),
        cmocka_unit_test_teardown(spans_and_vectors_are_directmlx_s, nothing_is_left),
        cmocka_unit_test_teardown(comparisons_compare, nothing_is_left),
        cmocka_unit_test_teardown(quantized_types_are_those_asked_for, nothing_is_left),
        cmocka_unit_test_teardown(mean_and_variance_are_told_apart, nothing_is_left),
        cmocka_unit_test_teardown(gradients_of_regions_are_in_their_image, nothing_is_left),
        cmocka_unit_test_teardown(coordinates_are_rows, nothing_is_left),
        cmocka_unit_test_teardown(the_last_step_of_a_gru_is_its_single_output, nothing_is_left),
        cmocka_unit_test_teardown(a_client_makes_nodes_of_its_own, nothing_is_left),
        cmocka_unit_test_teardown(every_operator_has_a_function, nothing_is_left),
        cmocka_unit_test_teardown(all_that_functions_make_executes, nothing_is_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
