/**
 * @file graph.hpp
 * @brief Optional: graphs as expressions, in C++17, with DirectMLX's words. Header only, over the C API.
 *
 * Code written for DirectMLX moves over by an include and a namespace:
 *
 *     #include <vkdml/graph.hpp>
 *     namespace dml = vkdml::dml;
 *
 *     dml::Graph graph(device);
 *     auto x = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 3, 32, 32}));
 *     auto w = dml::InputTensor(graph, 1, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, {8, 3, 3, 3}));
 *     auto y = dml::ActivationRelu(dml::Convolution(x, w) * 0.5f);
 *     vkdml::Dispatchable compiled = graph.Compile(DML_EXECUTION_FLAG_NONE, {y});
 *
 * A function makes an operator and one or more expressions, which are its outputs; sizes of outputs follow from those
 * of the inputs. Nothing is computed: Graph::Compile() makes one dispatchable of what its outputs need
 * (vkdmlCompileGraph()), to be initialized, bound and recorded as any other. graph_operators.hpp has the functions. Of
 * several operators that could do what is asked for, a function takes the one of the lowest feature level.
 *
 * As in DirectMLX operators do not broadcast: Reinterpret() with strides of 0 makes a tensor as large as the other.
 *
 * An expression lives as long as its graph; so does what GetOutputDesc() gives. One thread at a time uses a graph.
 *
 * **With exceptions** whatever fails throws vkdml::Error, where it is written. **Without** them (see vkdml.hpp) the
 * graph remembers the first failure, the functions go on, and Graph::Compile() gives an empty handle:
 * Graph::GetResult() and Graph::GetErrorMessage() tell why.
 */
#ifndef VKDML_GRAPH_HPP
#define VKDML_GRAPH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vkdml/vkdml.hpp"

/** Graphs with DirectMLX's words: `namespace dml = vkdml::dml;` makes them those of a program. */
namespace vkdml::dml {

/** Elements that lie side by side, of a container, an array or a list in braces, during a call. */
template <typename T> class Span {
  public:
    using Element = std::remove_const_t<T>; /**< what it is made of */

    /** None. */
    constexpr Span() noexcept = default;
    /** So many from a place on. */
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {
    }
    /** From a first one up to and without a last one. */
    template <typename Last, typename = std::enable_if_t<std::is_convertible_v<Last *, T *>>>
    constexpr Span(T *first, Last *last) noexcept : data_(first), size_(static_cast<std::size_t>(last - first)) {
    }
    /** Of a list in braces. */
    constexpr Span(const std::initializer_list<Element> &list) noexcept : data_(std::data(list)), size_(list.size()) {
    }
    /** All of a container. */
    template <typename Container,
              typename = std::enable_if_t<std::is_convertible_v<decltype(std::data(std::declval<Container &>())), T *>>>
    constexpr Span(Container &&container) noexcept // NOLINT: meant to convert
        : data_(std::data(container)), size_(std::size(container)) {
    }

    /** The first. */
    constexpr T *data() const noexcept {
        return data_;
    }
    /** How many. */
    constexpr std::size_t size() const noexcept {
        return size_;
    }
    /** How many bytes they take. */
    constexpr std::size_t size_bytes() const noexcept {
        return size_ * sizeof(T);
    }
    /** Whether there is none. */
    constexpr bool empty() const noexcept {
        return size_ == 0;
    }
    /** The first. */
    constexpr T *begin() const noexcept {
        return data_;
    }
    /** Behind the last. */
    constexpr T *end() const noexcept {
        return data_ + size_;
    }
    /** One of them. */
    constexpr T &operator[](std::size_t index) const noexcept {
        return data_[index];
    }
    /** `count` of them from an index on; both lie within the span. */
    constexpr Span subspan(std::size_t index, std::size_t count) const noexcept {
        return Span(data_ + index, count);
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** A value or none. */
template <typename T> using Optional = std::optional<T>;
/** None. */
inline constexpr std::nullopt_t NullOpt = std::nullopt;
using StringView = std::string_view; /**< a name */
using Byte = std::byte;              /**< of constant data */
/** A vector; N, which DirectMLX passes to a vector with room for as many elements, has no effect. */
template <typename T, std::size_t N> using SmallVector = std::vector<T>;
using TensorDimensions = SmallVector<std::uint32_t, 4>; /**< sizes, a number per dimension */
using TensorStrides = SmallVector<std::uint32_t, 4>;    /**< in elements, a number per dimension */

/** How a tensor lies in memory. */
struct TensorProperties {
    Optional<TensorStrides> strides;                 /**< none: packed */
    std::uint64_t totalTensorSizeInBytes = 0;        /**< as in DML_BUFFER_TENSOR_DESC */
    std::uint32_t guaranteedBaseOffsetAlignment = 0; /**< as in DML_BUFFER_TENSOR_DESC */
};

/** Decides how tensors lie in memory: all outputs of a graph's operators, and TensorDescs that are made with one. */
class TensorPolicy {
  public:
    /** Given type, flags and sizes. */
    using Func = std::function<TensorProperties(DML_TENSOR_DATA_TYPE dataType, DML_TENSOR_FLAGS flags,
                                                Span<const std::uint32_t> sizes)>;

    /** Packed. */
    TensorPolicy() = default;
    /** As a function says. */
    template <typename Function, typename = std::enable_if_t<std::is_invocable_r_v<
                                     TensorProperties, const Function &, DML_TENSOR_DATA_TYPE, DML_TENSOR_FLAGS,
                                     Span<const std::uint32_t>>>>
    TensorPolicy(Function function) : function_(std::move(function)) { // NOLINT: meant to convert
    }

    /** What it decides. */
    [[nodiscard]] TensorProperties Get(DML_TENSOR_DATA_TYPE dataType, DML_TENSOR_FLAGS flags,
                                       Span<const std::uint32_t> sizes) const {
        if (function_) {
            return function_(dataType, flags, sizes);
        }
        return {NullOpt, Bytes(dataType, sizes, nullptr), 0};
    }

    /** Packed, row-major. */
    static TensorPolicy Default() {
        return {};
    }

    /** {N, C, spatial dimensions} with the channels innermost: NHWC, NDHWC. */
    static TensorPolicy InterleavedChannel() {
        return TensorPolicy([](DML_TENSOR_DATA_TYPE dataType, DML_TENSOR_FLAGS, Span<const std::uint32_t> sizes) {
            TensorStrides strides(sizes.size());
            std::uint32_t stride = 1;
            const auto next = [&](std::size_t dimension) {
                strides[dimension] = stride;
                stride *= sizes[dimension];
            };
            if (sizes.size() > 1) {
                next(1);
            }
            for (std::size_t i = sizes.size(); i-- > 2;) {
                next(i);
            }
            if (!sizes.empty()) {
                next(0);
            }
            const std::uint64_t bytes = Bytes(dataType, sizes, strides.data());
            return TensorProperties{std::move(strides), bytes, 0};
        });
    }

  private:
    static std::uint64_t Bytes(DML_TENSOR_DATA_TYPE dataType, Span<const std::uint32_t> sizes,
                               const std::uint32_t *strides) {
        return vkdmlCalcBufferTensorSize(dataType, static_cast<std::uint32_t>(sizes.size()), sizes.data(), strides);
    }

    Func function_;
};

/** A tensor: DML_BUFFER_TENSOR_DESC, which owns its arrays. */
struct TensorDesc {
    using Dimensions = TensorDimensions; /**< sizes */
    using Strides = TensorStrides;       /**< in elements */

    DML_TENSOR_DATA_TYPE dataType = DML_TENSOR_DATA_TYPE_UNKNOWN; /**< of the elements */
    DML_TENSOR_FLAGS flags = DML_TENSOR_FLAG_NONE;                /**< whose it is */
    TensorDimensions sizes;                                       /**< a number per dimension */
    Optional<TensorStrides> strides;                              /**< none: packed */
    std::uint64_t totalTensorSizeInBytes = 0;                     /**< as in DML_BUFFER_TENSOR_DESC */
    std::uint32_t guaranteedBaseOffsetAlignment = 0;              /**< as in DML_BUFFER_TENSOR_DESC */

    TensorDesc() = default;
    /** Lies in memory as the policy decides. */
    TensorDesc(DML_TENSOR_DATA_TYPE type, TensorDimensions lengths, const TensorPolicy &policy = {})
        : TensorDesc(type, DML_TENSOR_FLAG_NONE, std::move(lengths), policy) {
    }
    /** The same, with flags. */
    TensorDesc(DML_TENSOR_DATA_TYPE type, DML_TENSOR_FLAGS tensorFlags, TensorDimensions lengths,
               const TensorPolicy &policy = {})
        : dataType(type), flags(tensorFlags), sizes(std::move(lengths)) {
        TensorProperties properties = policy.Get(dataType, flags, sizes);
        strides = std::move(properties.strides);
        totalTensorSizeInBytes = properties.totalTensorSizeInBytes;
        guaranteedBaseOffsetAlignment = properties.guaranteedBaseOffsetAlignment;
    }
    /** All of it given. */
    TensorDesc(DML_TENSOR_DATA_TYPE type, DML_TENSOR_FLAGS tensorFlags, TensorDimensions lengths,
               Optional<TensorStrides> tensorStrides, std::uint64_t bytes, std::uint32_t alignment)
        : dataType(type), flags(tensorFlags), sizes(std::move(lengths)), strides(std::move(tensorStrides)),
          totalTensorSizeInBytes(bytes), guaranteedBaseOffsetAlignment(alignment) {
    }
    /** A copy. */
    TensorDesc(const DML_BUFFER_TENSOR_DESC &desc) // NOLINT: meant to convert
        : dataType(desc.DataType), flags(desc.Flags), sizes(desc.Sizes, desc.Sizes + desc.DimensionCount),
          totalTensorSizeInBytes(desc.TotalTensorSizeInBytes),
          guaranteedBaseOffsetAlignment(desc.GuaranteedBaseOffsetAlignment) {
        if (desc.Strides != nullptr) {
            strides.emplace(desc.Strides, desc.Strides + desc.DimensionCount);
        }
    }
    /** A copy. */
    TensorDesc(const DML_TENSOR_DESC &desc) // NOLINT: meant to convert
        : TensorDesc(*static_cast<const DML_BUFFER_TENSOR_DESC *>(desc.Desc)) {
    }

    /** It as a DML_TENSOR_DESC or a DML_BUFFER_TENSOR_DESC, which points into it: until it is changed, copied to or
     * destroyed. */
    template <typename T> T *AsPtr() {
        static_assert(std::is_same_v<std::remove_const_t<T>, DML_TENSOR_DESC> ||
                      std::is_same_v<std::remove_const_t<T>, DML_BUFFER_TENSOR_DESC>);
        buffer_ = {};
        buffer_.DataType = dataType;
        buffer_.Flags = flags;
        buffer_.DimensionCount = static_cast<std::uint32_t>(sizes.size());
        buffer_.Sizes = sizes.data();
        buffer_.Strides = strides ? strides->data() : nullptr;
        buffer_.TotalTensorSizeInBytes = totalTensorSizeInBytes;
        buffer_.GuaranteedBaseOffsetAlignment = guaranteedBaseOffsetAlignment;
        tensor_ = {DML_TENSOR_TYPE_BUFFER, &buffer_};
        if constexpr (std::is_same_v<std::remove_const_t<T>, DML_TENSOR_DESC>) {
            return &tensor_;
        } else {
            return &buffer_;
        }
    }

  private:
    DML_BUFFER_TENSOR_DESC buffer_{};
    DML_TENSOR_DESC tensor_{};
};

class Expression;
class Graph;

/** @cond */
/* The nodes behind expressions, with DirectMLX's names: its clients make operators of their own by them. */
namespace detail {
class GraphBuilder;

enum class NodeType { Invalid, Input, Operator, Constant };

/** A node of a GraphBuilder. */
struct NodeID {
    NodeType type;
    std::uint32_t index; /**< among those of its type; of inputs, GraphInputIndex */
};

/** An output of a node, as one expression sees it. */
class NodeOutput {
  public:
    NodeOutput(GraphBuilder *builder, NodeID node, std::uint32_t index, TensorDesc desc)
        : builder_(builder), node_(node), index_(index), desc_(std::move(desc)) {
    }

    [[nodiscard]] GraphBuilder *GetGraphBuilder() const noexcept {
        return builder_;
    }
    [[nodiscard]] NodeID GetNode() const noexcept {
        return node_;
    }
    [[nodiscard]] std::uint32_t GetOutputIndex() const noexcept {
        return index_;
    }
    [[nodiscard]] const TensorDesc &GetOutputDesc() const noexcept {
        return desc_;
    }
    /** Valid as long as the output, and the same at each call. */
    [[nodiscard]] const DML_TENSOR_DESC *Tensor() {
        return desc_.AsPtr<DML_TENSOR_DESC>();
    }

  private:
    GraphBuilder *builder_;
    NodeID node_;
    std::uint32_t index_; /**< among the node's outputs */
    TensorDesc desc_;
};
} // namespace detail
/** @endcond */

/** A tensor that a graph computes or is given. Copies are the same tensor. Empty: no tensor. */
class Expression {
  public:
    /** No tensor. */
    Expression() noexcept = default;
    /** An output of a node that GraphBuilder made. */
    Expression(detail::NodeOutput *output) noexcept : output_(output) { // NOLINT: meant to convert
    }

    /** Type, sizes and layout. */
    [[nodiscard]] const TensorDesc &GetOutputDesc() const noexcept {
        static const TensorDesc none;
        return output_ != nullptr ? output_->GetOutputDesc() : none;
    }
    /** Whether there is one. */
    explicit operator bool() const noexcept {
        return output_ != nullptr;
    }
    /** For the library. */
    [[nodiscard]] detail::NodeOutput *Impl() const noexcept {
        return output_;
    }

  private:
    detail::NodeOutput *output_ = nullptr;
};

/** An activation to be applied to each result of an operator, with its parameters in the order of its descriptor. */
struct FusedActivation {
    DML_OPERATOR_TYPE activation = DML_OPERATOR_INVALID; /**< INVALID: none */
    float param1 = 0.0f;                                 /**< the first of its descriptor */
    float param2 = 0.0f;                                 /**< the second */

    FusedActivation() = default;
    /** Any. */
    explicit FusedActivation(DML_OPERATOR_TYPE type, float first = 0.0f, float second = 0.0f)
        : activation(type), param1(first), param2(second) {
    }

    /** @cond */
    static FusedActivation None() {
        return FusedActivation();
    }
    static FusedActivation Celu(float alpha = 1.0f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_CELU, alpha);
    }
    static FusedActivation Elu(float alpha = 1.0f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_ELU, alpha);
    }
    static FusedActivation Gelu() {
        return FusedActivation(DML_OPERATOR_ACTIVATION_GELU);
    }
    static FusedActivation HardSigmoid(float alpha = 0.2f, float beta = 0.5f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_HARD_SIGMOID, alpha, beta);
    }
    static FusedActivation HardSwish(float alpha = 1.0f / 6.0f, float beta = 0.5f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_HARD_SWISH, alpha, beta);
    }
    static FusedActivation Identity() {
        return FusedActivation(DML_OPERATOR_ACTIVATION_IDENTITY);
    }
    static FusedActivation LeakyRelu(float alpha = 0.01f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_LEAKY_RELU, alpha);
    }
    static FusedActivation Linear(float alpha, float beta) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_LINEAR, alpha, beta);
    }
    static FusedActivation ParametricSoftplus(float alpha, float beta) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS, alpha, beta);
    }
    static FusedActivation Relu() {
        return FusedActivation(DML_OPERATOR_ACTIVATION_RELU);
    }
    static FusedActivation ScaledElu(float alpha = 1.67326319217681884765625f,
                                     float gamma = 1.05070102214813232421875f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_SCALED_ELU, alpha, gamma);
    }
    static FusedActivation ScaledTanh(float alpha = 1.0f, float beta = 0.5f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_SCALED_TANH, alpha, beta);
    }
    static FusedActivation Shrink(float bias = 0.0f, float threshold = 0.5f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_SHRINK, bias, threshold);
    }
    static FusedActivation Sigmoid() {
        return FusedActivation(DML_OPERATOR_ACTIVATION_SIGMOID);
    }
    static FusedActivation Softplus(float steepness = 1.0f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_SOFTPLUS, steepness);
    }
    static FusedActivation Softsign() {
        return FusedActivation(DML_OPERATOR_ACTIVATION_SOFTSIGN);
    }
    static FusedActivation Swish(float sigmoidInputScale = 1.0f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_SWISH, sigmoidInputScale);
    }
    static FusedActivation Tanh() {
        return FusedActivation(DML_OPERATOR_ACTIVATION_TANH);
    }
    static FusedActivation ThresholdedRelu(float alpha = 1.0f) {
        return FusedActivation(DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, alpha);
    }
    /** @endcond */
};

/** A graph as the C API takes it. It points into the dml::Graph that it is of, which outlives it and its moves. */
class GraphDesc {
  public:
    /** Moves. */
    GraphDesc(GraphDesc &&) = default;
    /** Moves. */
    GraphDesc &operator=(GraphDesc &&) = default;
    GraphDesc(const GraphDesc &) = delete;
    GraphDesc &operator=(const GraphDesc &) = delete;
    ~GraphDesc() = default;

    /** NULL: the graph has failed (without exceptions only). */
    [[nodiscard]] const DML_GRAPH_DESC *Get() const noexcept {
        return good_ ? &desc_ : nullptr;
    }

  private:
    friend class detail::GraphBuilder;
    GraphDesc() = default;

    DML_GRAPH_DESC desc_{};
    bool good_ = false;
    std::vector<DML_OPERATOR_GRAPH_NODE_DESC> operators_;
    std::vector<DML_CONSTANT_DATA_GRAPH_NODE_DESC> constants_;
    std::vector<DML_INPUT_GRAPH_EDGE_DESC> inputs_;
    std::vector<DML_OUTPUT_GRAPH_EDGE_DESC> outputs_;
    std::vector<DML_INTERMEDIATE_GRAPH_EDGE_DESC> intermediates_;
    std::vector<DML_GRAPH_NODE_DESC> nodes_;
    std::vector<DML_GRAPH_EDGE_DESC> edges_[3];
};

/** @cond */
namespace detail {

/** The nodes of a graph, as they are made. */
class GraphBuilder {
  public:
    GraphBuilder(VkdmlDevice device, TensorPolicy policy) : device_(device), policy_(std::move(policy)) {
    }
    GraphBuilder(const GraphBuilder &) = delete;
    GraphBuilder &operator=(const GraphBuilder &) = delete;
    ~GraphBuilder() = default;

    void SetTensorPolicy(TensorPolicy policy) {
        policy_ = std::move(policy);
    }
    [[nodiscard]] const TensorPolicy &GetTensorPolicy() const noexcept {
        return policy_;
    }
    TensorPolicy &GetTensorPolicy() noexcept {
        return policy_;
    }
    [[nodiscard]] VkdmlResult Result() const noexcept {
        return result_;
    }
    [[nodiscard]] const std::string &Message() const noexcept {
        return message_;
    }

    /** Throws, or remembers the first. */
    void Fail(VkdmlResult result, const std::string &reason) {
#ifndef VKDML_HPP_NO_EXCEPTIONS
        throw Error(result, reason);
#else
        if (result_ == VKDML_SUCCESS) {
            result_ = result;
            message_ = reason;
        }
#endif
    }

    void PushName(StringView name) {
        lengths_.push_back(name_.size());
        if (!name_.empty()) {
            name_ += '_';
        }
        name_ += name;
    }
    void PopName() {
        if (!lengths_.empty()) {
            name_.resize(lengths_.back());
            lengths_.pop_back();
        }
    }

    /** Lives as long as the builder, at the same place. */
    NodeOutput *CreateNodeOutput(NodeID node, std::uint32_t index, TensorDesc desc) {
        outputs_.emplace_back(this, node, index, std::move(desc));
        return &outputs_.back();
    }

    NodeID CreateInputNode(std::uint32_t index) {
        inputCount_ = std::max(inputCount_, index + 1);
        return {NodeType::Input, index};
    }

    /** A copy of the bytes. */
    NodeID CreateConstantNode(Span<const Byte> data) {
        constants_.push_back({std::vector<Byte>(data.begin(), data.end()), name_});
        return {NodeType::Constant, static_cast<std::uint32_t>(constants_.size() - 1)};
    }

    /** Inputs in the order of the descriptor's, NULL for absent ones. */
    NodeID CreateOperatorNode(DML_OPERATOR_TYPE type, const void *desc, Span<NodeOutput *const> inputs) {
        const DML_OPERATOR_DESC whole = {type, desc};
        Operator op;
        if (result_ == VKDML_SUCCESS) {
            const VkdmlResult result = vkdmlCreateOperator(device_, &whole, op.put());
            if (result != VKDML_SUCCESS) {
                Fail(result, vkdmlGetErrorMessage());
            }
        }
        operators_.push_back({type, std::move(op), std::vector<NodeOutput *>(inputs.begin(), inputs.end()), name_});
        return {NodeType::Operator, static_cast<std::uint32_t>(operators_.size() - 1)};
    }

    /** Of all nodes so far that are operators. */
    [[nodiscard]] std::vector<DML_OPERATOR_TYPE> Types() const {
        std::vector<DML_OPERATOR_TYPE> types;
        for (const OperatorNode &node : operators_) {
            types.push_back(node.type);
        }
        return types;
    }

    /** What the outputs need: operators first, then constants. */
    GraphDesc Describe(Span<const Expression> outputs, std::uint32_t inputCount) {
        GraphDesc graph;
        std::vector<bool> needed[2] = {std::vector<bool>(operators_.size()), std::vector<bool>(constants_.size())};
        for (std::size_t i = 0; i < outputs.size() && result_ == VKDML_SUCCESS; i++) {
            const char *const wrong = WhyNoOutput(outputs[i].Impl());
            if (wrong != nullptr) {
                Fail(VKDML_ERROR_INVALID_ARGUMENT, "outputs[" + std::to_string(i) + "] " + wrong);
            } else {
                needed[0][outputs[i].Impl()->GetNode().index] = true;
            }
        }
        if (result_ != VKDML_SUCCESS) {
            return graph;
        }
        // Nodes are made after those that they read.
        for (std::size_t i = operators_.size(); i-- > 0;) {
            for (const NodeOutput *input : operators_[i].inputs) {
                const NodeID node = input != nullptr ? input->GetNode() : NodeID{NodeType::Invalid, 0};
                if (needed[0][i] && (node.type == NodeType::Operator || node.type == NodeType::Constant)) {
                    needed[node.type == NodeType::Constant][node.index] = true;
                }
            }
        }
        std::vector<std::uint32_t> places[2];
        std::uint32_t count = 0;
        for (int constant = 0; constant < 2; constant++) {
            for (const bool need : needed[constant]) {
                places[constant].push_back(count);
                count += need ? 1 : 0;
            }
        }
        for (std::size_t i = 0; i < operators_.size(); i++) {
            if (needed[0][i]) {
                DescribeOperator(graph, operators_[i], places[0][i], places);
            }
        }
        for (std::size_t i = 0; i < constants_.size(); i++) {
            if (needed[1][i]) {
                graph.constants_.push_back({constants_[i].data.data(), constants_[i].data.size(),
                                            constants_[i].name.empty() ? nullptr : constants_[i].name.c_str()});
            }
        }
        for (std::size_t i = 0; i < outputs.size(); i++) {
            const NodeOutput &output = *outputs[i].Impl();
            graph.outputs_.push_back({places[0][output.GetNode().index], output.GetOutputIndex(),
                                      static_cast<std::uint32_t>(i), nullptr});
        }
        Join(graph, std::max(inputCount, inputCount_));
        return graph;
    }

    Dispatchable Compile(DML_EXECUTION_FLAGS executionFlags, Span<const Expression> outputs, std::uint32_t inputCount,
                         VkdmlCompileFlags flags) {
        const GraphDesc graph = Describe(outputs, inputCount);
        VkdmlCompileInfo info{};
        info.structSize = sizeof info;
        info.executionFlags = executionFlags;
        info.flags = flags;
        Dispatchable compiled;
        if (graph.Get() != nullptr) {
            const VkdmlResult result = vkdmlCompileGraph(device_, graph.Get(), &info, compiled.put());
            if (result != VKDML_SUCCESS) {
                Fail(result, vkdmlGetErrorMessage());
            }
        }
        return compiled;
    }

  private:
    struct OperatorNode {
        DML_OPERATOR_TYPE type;
        Operator op;
        std::vector<NodeOutput *> inputs;
        std::string name;
    };
    struct ConstantNode {
        std::vector<Byte> data;
        std::string name;
    };

    /** NULL where an output of the graph may be it. */
    const char *WhyNoOutput(const NodeOutput *output) const {
        if (output == nullptr || output->GetGraphBuilder() != this) {
            return output == nullptr ? "is empty" : "is of another graph";
        }
        switch (output->GetNode().type) {
        case NodeType::Operator:
            return nullptr;
        case NodeType::Constant:
            return "is constant data: take its Identity()";
        default:
            return "is an input of the graph: take its Identity()";
        }
    }

    static void DescribeOperator(GraphDesc &graph, const OperatorNode &node, std::uint32_t place,
                                 const std::vector<std::uint32_t> *places) {
        graph.operators_.push_back(
            {vkdmlGraphOperator(node.op.get()), node.name.empty() ? nullptr : node.name.c_str()});
        for (std::size_t i = 0; i < node.inputs.size(); i++) {
            const NodeOutput *const from = node.inputs[i];
            const std::uint32_t index = static_cast<std::uint32_t>(i);
            if (from == nullptr) {
                continue;
            }
            const NodeID id = from->GetNode();
            if (id.type == NodeType::Input) {
                graph.inputs_.push_back({id.index, place, index, nullptr});
            } else {
                const std::uint32_t node_of = places[id.type == NodeType::Constant][id.index];
                graph.intermediates_.push_back({node_of, from->GetOutputIndex(), place, index, nullptr});
            }
        }
    }

    template <typename Nodes> static void AddNodes(GraphDesc &graph, DML_GRAPH_NODE_TYPE type, const Nodes &descs) {
        for (const auto &desc : descs) {
            graph.nodes_.push_back({type, &desc});
        }
    }
    template <typename Edges>
    static std::uint32_t AddEdges(std::vector<DML_GRAPH_EDGE_DESC> &edges, DML_GRAPH_EDGE_TYPE type,
                                  const Edges &descs) {
        for (const auto &desc : descs) {
            edges.push_back({type, &desc});
        }
        return static_cast<std::uint32_t>(edges.size());
    }

    /** Once its vectors grow no more. */
    static void Join(GraphDesc &graph, std::uint32_t inputCount) {
        AddNodes(graph, DML_GRAPH_NODE_TYPE_OPERATOR, graph.operators_);
        AddNodes(graph, DML_GRAPH_NODE_TYPE_CONSTANT, graph.constants_);
        DML_GRAPH_DESC &desc = graph.desc_;
        desc.InputCount = inputCount;
        desc.OutputCount = static_cast<std::uint32_t>(graph.outputs_.size());
        desc.NodeCount = static_cast<std::uint32_t>(graph.nodes_.size());
        desc.Nodes = graph.nodes_.data();
        desc.InputEdgeCount = AddEdges(graph.edges_[0], DML_GRAPH_EDGE_TYPE_INPUT, graph.inputs_);
        desc.InputEdges = graph.edges_[0].data();
        desc.OutputEdgeCount = AddEdges(graph.edges_[1], DML_GRAPH_EDGE_TYPE_OUTPUT, graph.outputs_);
        desc.OutputEdges = graph.edges_[1].data();
        desc.IntermediateEdgeCount = AddEdges(graph.edges_[2], DML_GRAPH_EDGE_TYPE_INTERMEDIATE, graph.intermediates_);
        desc.IntermediateEdges = graph.edges_[2].data();
        graph.good_ = true;
    }

    VkdmlDevice device_;
    TensorPolicy policy_;
    VkdmlResult result_ = VKDML_SUCCESS;
    std::string message_;
    std::string name_;
    std::vector<std::size_t> lengths_;
    std::uint32_t inputCount_ = 0;
    std::deque<NodeOutput> outputs_; // expressions point to them
    std::deque<OperatorNode> operators_;
    std::deque<ConstantNode> constants_;
};
} // namespace detail
/** @endcond */

/** While it lives, nodes that are made have its name before theirs: in reasons and in debuggers. */
class NameScope {
  public:
    /** For the library. */
    NameScope(detail::GraphBuilder *builder, StringView name) : builder_(builder) {
        builder_->PushName(name);
    }
    /** Takes it over. */
    NameScope(NameScope &&other) noexcept : builder_(std::exchange(other.builder_, nullptr)) {
    }
    NameScope &operator=(NameScope &&) = delete;
    NameScope(const NameScope &) = delete;
    NameScope &operator=(const NameScope &) = delete;
    ~NameScope() {
        if (builder_ != nullptr) {
            builder_->PopName();
        }
    }

  private:
    detail::GraphBuilder *builder_;
};

/** A graph that is being built. Moves and does not copy; the device outlives it. */
class Graph {
  public:
    /** On a device. */
    explicit Graph(VkdmlDevice device, TensorPolicy policy = {})
        : builder_(std::make_unique<detail::GraphBuilder>(device, std::move(policy))) {
    }
    /** On a device. */
    explicit Graph(const Device &device, TensorPolicy policy = {}) : Graph(device.get(), std::move(policy)) {
    }

    /** How outputs of operators lie in memory, of those that are made from now on. */
    void SetTensorPolicy(TensorPolicy policy) {
        builder_->SetTensorPolicy(std::move(policy));
    }
    /** What decides it. */
    [[nodiscard]] const TensorPolicy &GetTensorPolicy() const {
        return builder_->GetTensorPolicy();
    }
    /** The same, to be changed. */
    [[nodiscard]] TensorPolicy &GetTensorPolicy() {
        return builder_->GetTensorPolicy();
    }

    /** Names the nodes that are made while it lives. */
    [[nodiscard]] NameScope CreateNameScope(StringView name) {
        return {builder_.get(), name};
    }
    /** The same until PopName(). */
    void PushName(StringView name) {
        builder_->PushName(name);
    }
    /** Ends the latest PushName(). */
    void PopName() {
        builder_->PopName();
    }

    /**
     * Compiles what the outputs need to one dispatchable: vkdmlCompileGraph().
     *
     * @param executionFlags as DirectML's CompileGraph() takes them
     * @param outputs        by GraphOutputIndex; outputs of operators
     * @param inputCount     at least so many inputs are bound, whether used or not
     * @param flags          more flags, vkdml's
     * @return initialized, bound and recorded as a compiled operator is; it does not need the graph
     */
    [[nodiscard]] Dispatchable Compile(DML_EXECUTION_FLAGS executionFlags, Span<const Expression> outputs,
                                       std::uint32_t inputCount = 0, VkdmlCompileFlags flags = 0) const {
        return builder_->Compile(executionFlags, outputs, inputCount, flags);
    }

    /** The same graph as a descriptor, for functions of the C API: vkdmlReferenceExecuteGraph() for example. */
    [[nodiscard]] GraphDesc Describe(Span<const Expression> outputs, std::uint32_t inputCount = 0) const {
        return builder_->Describe(outputs, inputCount);
    }

    /** Without exceptions: of the first call that failed, or VKDML_SUCCESS. */
    [[nodiscard]] VkdmlResult GetResult() const noexcept {
        return builder_->Result();
    }
    /** Without exceptions: its reason. */
    [[nodiscard]] const char *GetErrorMessage() const noexcept {
        return builder_->Message().c_str();
    }

    /** For the library. */
    [[nodiscard]] detail::GraphBuilder *Impl() const noexcept {
        return builder_.get();
    }

  private:
    std::unique_ptr<detail::GraphBuilder> builder_;
};

} // namespace vkdml::dml

#include "vkdml/graph_operators.hpp"

#endif /* VKDML_GRAPH_HPP */
