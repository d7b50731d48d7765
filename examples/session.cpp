// The least that runs operators on a device: no Vulkan in sight. Adds two arrays of the host once; then computes
// Fibonacci numbers by a matrix that is compiled once and applied ten times to a vector that stays on the device.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <vkdml/vkdml.hpp>

namespace {

// A descriptor of packed floats in two dimensions, which points into itself.
struct Matrix {
    Matrix(std::uint32_t rows, std::uint32_t columns, DML_TENSOR_FLAGS flags = DML_TENSOR_FLAG_NONE)
        : sizes{rows, columns} {
        buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
        buffer.Flags = flags;
        buffer.DimensionCount = 2;
        buffer.Sizes = sizes.data();
        buffer.TotalTensorSizeInBytes = std::uint64_t{4} * rows * columns;
    }
    Matrix(const Matrix &) = delete;
    Matrix &operator=(const Matrix &) = delete;

    std::array<std::uint32_t, 2> sizes;
    DML_BUFFER_TENSOR_DESC buffer{};
    DML_TENSOR_DESC desc{DML_TENSOR_TYPE_BUFFER, &buffer};
};

void add_once(const vkdml::Session &session) {
    const Matrix matrix(1, 4);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add{&matrix.desc, &matrix.desc, &matrix.desc};
    const std::vector<float> a{1, 2, 3, 4}, b{10, 20, 30, 40};
    std::vector<float> sum(4);
    session.run({DML_OPERATOR_ELEMENT_WISE_ADD, &add}, {a, b}, {sum});
    for (const float element : sum) {
        std::printf("%g ", static_cast<double>(element));
    }
    std::printf("\n");
}

void apply_many_times(const vkdml::Session &session) {
    const Matrix step(2, 2, DML_TENSOR_FLAG_OWNED_BY_DML), vector(2, 1);
    DML_GEMM_OPERATOR_DESC gemm{};
    gemm.ATensor = &step.desc;
    gemm.BTensor = &vector.desc;
    gemm.OutputTensor = &vector.desc;
    gemm.Alpha = 1;
    // The matrix is the operator's own: it is on the device before the first step, and bound to none.
    const vkdml::DeviceArray matrix = session.array(std::array<float, 4>{1, 1, 1, 0});
    vkdml::Compiled multiply = session.compile({DML_OPERATOR_GEMM, &gemm}, {matrix, {}, {}});
    vkdml::DeviceArray from = session.array(std::array<float, 2>{1, 0}), to = session.allocate(from.bytes());
    for (int i = 0; i < 10; i++) {
        multiply({{}, from, {}}, {to});
        std::swap(from, to);
    }
    std::array<float, 2> fibonacci{};
    from.read(fibonacci);
    std::printf("%g %g\n", static_cast<double>(fibonacci[0]), static_cast<double>(fibonacci[1]));
}
} // namespace

int main() {
    try {
        const vkdml::Session session;
        add_once(session);
        apply_many_times(session);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
