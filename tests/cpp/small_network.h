/* A small network in DirectMLX's manner, which test_graph.cpp runs and test_plain_graph.cpp builds without exceptions:
 * a residual block of convolutions, pooling, a classifier. */
#ifndef CPP_SMALL_NETWORK_H
#define CPP_SMALL_NETWORK_H

#include <cstdint>
#include <vector>

#include <vkdml/graph.hpp>

namespace small_network {

namespace dml = vkdml::dml;

enum : std::uint32_t { CHANNELS = 4, SIDE = 8, CLASSES = 3, FEATURES = CHANNELS * SIDE / 2 * SIDE / 2, INPUTS = 6 };

/* Elements of the inputs, by their index. */
inline const std::uint32_t elements[INPUTS] = {2 * CHANNELS * SIDE * SIDE, CHANNELS *CHANNELS * 9, CHANNELS,
                                               CHANNELS *CHANNELS * 9,     FEATURES *CLASSES,      CLASSES};
constexpr std::uint32_t OUTPUT_ELEMENTS = 2 * CLASSES;

/* Eighths between -1 and 1, of which sums are exact. */
inline std::vector<float> data(std::uint32_t input) {
    std::vector<float> values(elements[input]);
    std::uint32_t state = input * 77 + 1;
    for (float &value : values) {
        state = state * 1664525 + 1013904223;
        value = static_cast<float>(static_cast<int>(state >> 24) % 17 - 8) / 8.0f;
    }
    return values;
}

inline dml::Expression build(dml::Graph &graph, DML_TENSOR_FLAGS weights) {
    const auto input = [&](std::uint32_t index, DML_TENSOR_FLAGS flags, dml::TensorDimensions sizes) {
        return dml::InputTensor(graph, index, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, flags, std::move(sizes)));
    };
    const dml::Expression x = input(0, DML_TENSOR_FLAG_NONE, {2, CHANNELS, SIDE, SIDE});
    const dml::Expression first = input(1, weights, {CHANNELS, CHANNELS, 3, 3});
    const dml::Expression bias = input(2, weights, {1, CHANNELS, 1, 1});
    const dml::Expression second = input(3, weights, {CHANNELS, CHANNELS, 3, 3});
    const dml::Expression classifier = input(4, weights, {1, 1, FEATURES, CLASSES});
    const dml::Expression offsets = input(5, weights, {1, 1, 1, CLASSES});

    dml::Expression y;
    {
        const dml::NameScope block = graph.CreateNameScope("block");
        graph.PushName("first");
        y = dml::ConvolutionBuilder(x, first, bias)
                .StartPadding({1, 1})
                .EndPadding({1, 1})
                .FusedActivation(dml::FusedActivation::Relu())
                .Build();
        graph.PopName();
        y = dml::Convolution(y, second, dml::NullOpt, DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                             DML_CONVOLUTION_DIRECTION_FORWARD, {}, {}, {1, 1}, {1, 1});
        y = dml::ActivationRelu(y + x) * 0.25f;
    }
    y = dml::MaxPooling(y, {2, 2}, {2, 2}).values;
    y = dml::Reinterpret(y, {1, 1, 2, FEATURES}, dml::NullOpt);
    y = dml::GemmBuilder(y, classifier, dml::Reinterpret(offsets, {1, 1, 2, CLASSES}, dml::TensorStrides{0, 0, 0, 1}))
            .Beta(0.5f)
            .Build();
    return dml::ActivationSoftmax(y);
}
} // namespace small_network

#endif
