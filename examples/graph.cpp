// A small network as one graph, in DirectMLX's words: a convolution with ReLU, pooling, a classifier with softmax. Its
// weights are constants here; a network of some size has them as inputs that the graph owns.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include <vkdml/graph.hpp>

namespace dml = vkdml::dml;

namespace {

constexpr std::uint32_t SIDE = 8, CHANNELS = 2, CLASSES = 3, FEATURES = CHANNELS * SIDE / 2 * SIDE / 2;

dml::Expression constant(dml::Graph &graph, const std::vector<float> &elements, dml::TensorDimensions sizes) {
    return dml::ConstantData(graph, elements, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, std::move(sizes)));
}

dml::Expression build(dml::Graph &graph) {
    // Edges, from left to right and from above; each class sums up a third of the features.
    const auto filters = constant(graph, {-1, 0, 1, -1, 0, 1, -1, 0, 1, -1, -1, -1, 0, 0, 0, 1, 1, 1}, {2, 1, 3, 3});
    std::vector<float> weights(FEATURES * CLASSES);
    for (std::uint32_t i = 0; i < FEATURES; i++) {
        weights[i * CLASSES + i * CLASSES / FEATURES] = 0.1f;
    }
    const auto image = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 1, SIDE, SIDE}));
    const auto edges = dml::ConvolutionBuilder(image * 2.0f - 1.0f, filters)
                           .StartPadding({1, 1})
                           .EndPadding({1, 1})
                           .FusedActivation(dml::FusedActivation::Relu())
                           .Build();
    const auto pooled = dml::MaxPooling(edges, {2, 2}, {2, 2}).values;
    const auto row = dml::Reinterpret(pooled, {1, 1, 1, FEATURES}, dml::NullOpt);
    return dml::ActivationSoftmax(dml::Gemm(row, constant(graph, weights, {1, 1, FEATURES, CLASSES})));
}
} // namespace

int main() {
    try {
        const vkdml::Session session;
        dml::Graph graph(session.device());
        vkdml::Compiled network = session.compile(graph.Compile(DML_EXECUTION_FLAG_NONE, {build(graph)}));

        std::vector<float> image(SIDE * SIDE), classes(CLASSES);
        for (std::uint32_t i = 0; i < SIDE * SIDE; i++) {
            image[i] = i % SIDE >= SIDE / 2 ? 1.0f : 0.0f; // dark on the left, light on the right
        }
        const vkdml::DeviceArray result = session.array(classes);
        network({session.array(image)}, {result});
        result.read(classes);
        for (const float probability : classes) {
            std::printf("%.3f ", static_cast<double>(probability));
        }
        std::printf("\n");
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "failed: %s\n", error.what());
        return 1;
    }
}
