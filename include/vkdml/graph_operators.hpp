/**
 * @file graph_operators.hpp
 * @brief The functions that make a graph's nodes, and operators of C++ on expressions. Part of graph.hpp, which
 * includes it.
 *
 * Names and the order of parameters are DirectMLX's; what they compute is said where their descriptors are
 * (dml_operators.h). Sizes of outputs follow from the inputs, and their layout from the graph's TensorPolicy.
 *
 * Spans that are left out ({}) have a default: strides, dilations and repeats 1, paddings 0, axes all of them.
 */
#ifndef VKDML_GRAPH_OPERATORS_HPP
#define VKDML_GRAPH_OPERATORS_HPP

#include "vkdml/graph.hpp"

namespace vkdml::dml {

/** What the functions share. Not for programs. */
namespace detail {

/** The descriptor of an operator that is to be fused, for the duration of a call. */
class FusedDesc {
  public:
    FusedDesc() = default;
    FusedDesc(const FusedDesc &) = delete;
    FusedDesc &operator=(const FusedDesc &) = delete;
    ~FusedDesc() = default;

    /** NULL for none. */
    const DML_OPERATOR_DESC *Set(const FusedActivation &fused) {
        switch (fused.activation) {
#define VKDML_FUSED_0(NAME)                                                                                            \
    case DML_OPERATOR_ACTIVATION_##NAME:                                                                               \
        return Point(fused, DML_ACTIVATION_##NAME##_OPERATOR_DESC{nullptr, nullptr});
#define VKDML_FUSED_1(NAME)                                                                                            \
    case DML_OPERATOR_ACTIVATION_##NAME:                                                                               \
        return Point(fused, DML_ACTIVATION_##NAME##_OPERATOR_DESC{nullptr, nullptr, fused.param1});
#define VKDML_FUSED_2(NAME)                                                                                            \
    case DML_OPERATOR_ACTIVATION_##NAME:                                                                               \
        return Point(fused, DML_ACTIVATION_##NAME##_OPERATOR_DESC{nullptr, nullptr, fused.param1, fused.param2});
            VKDML_FUSED_0(GELU)
            VKDML_FUSED_0(IDENTITY)
            VKDML_FUSED_0(RELU)
            VKDML_FUSED_0(SIGMOID)
            VKDML_FUSED_0(SOFTSIGN)
            VKDML_FUSED_0(TANH)
            VKDML_FUSED_1(CELU)
            VKDML_FUSED_1(ELU)
            VKDML_FUSED_1(LEAKY_RELU)
            VKDML_FUSED_1(SOFTPLUS)
            VKDML_FUSED_1(SWISH)
            VKDML_FUSED_1(THRESHOLDED_RELU)
            VKDML_FUSED_2(HARD_SIGMOID)
            VKDML_FUSED_2(HARD_SWISH)
            VKDML_FUSED_2(LINEAR)
            VKDML_FUSED_2(PARAMETRIC_SOFTPLUS)
            VKDML_FUSED_2(SCALED_ELU)
            VKDML_FUSED_2(SCALED_TANH)
            VKDML_FUSED_2(SHRINK)
#undef VKDML_FUSED_0
#undef VKDML_FUSED_1
#undef VKDML_FUSED_2
        case DML_OPERATOR_INVALID:
            return nullptr;
        default: // the library says that it cannot be fused
            return Point(fused, DML_ACTIVATION_RELU_OPERATOR_DESC{nullptr, nullptr});
        }
    }

  private:
    template <typename Desc> const DML_OPERATOR_DESC *Point(const FusedActivation &fused, const Desc &desc) {
        static_assert(sizeof desc <= sizeof desc_ && std::is_trivially_copyable_v<Desc>);
        std::memcpy(desc_, &desc, sizeof desc);
        whole_ = {fused.activation, desc_};
        return &whole_;
    }

    alignas(DML_ACTIVATION_LINEAR_OPERATOR_DESC) unsigned char desc_[sizeof(DML_ACTIVATION_LINEAR_OPERATOR_DESC)] = {};
    DML_OPERATOR_DESC whole_{};
};

/** An operator that is being made: owns what its descriptor points to. Tensors in the descriptor's order. */
class Call {
  public:
    explicit Call(GraphBuilder *builder = nullptr) noexcept : builder_(builder) {
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;
    ~Call() = default;

    /** An input that must be there. */
    const DML_TENSOR_DESC *In(const Expression &input) {
        NodeOutput *const output = input.Impl();
        if (builder_ == nullptr && output != nullptr) {
            builder_ = output->GetGraphBuilder();
        }
        if (output == nullptr || output->GetGraphBuilder() != builder_) {
            Wrong(output == nullptr ? "an input is an empty expression" : "an input is of another graph");
        }
        return Add(output);
    }

    /** An input that may be absent. */
    const DML_TENSOR_DESC *In(const Optional<Expression> &input) {
        return input && *input ? In(*input) : Add(nullptr);
    }

    /** An array of inputs. */
    const DML_TENSOR_DESC *In(Span<const Expression> inputs) {
        for (const Expression &input : inputs) {
            const DML_TENSOR_DESC *const desc = In(input);
            array_.push_back(desc != nullptr ? *desc : DML_TENSOR_DESC{});
        }
        return array_.data();
    }

    /** An output, laid out by the graph's policy. */
    const DML_TENSOR_DESC *Out(DML_TENSOR_DATA_TYPE type, TensorDimensions sizes) {
        results_.push_back(
            TensorDesc(type, std::move(sizes), builder_ != nullptr ? builder_->GetTensorPolicy() : TensorPolicy()));
        outputs_.push_back(&results_.back());
        return results_.back().AsPtr<DML_TENSOR_DESC>();
    }
    /** One of the type and sizes of another tensor. */
    const DML_TENSOR_DESC *Out(const Expression &like) {
        return Out(like.GetOutputDesc().dataType, like.GetOutputDesc().sizes);
    }
    /** An output that may be absent. */
    const DML_TENSOR_DESC *Out(bool there, DML_TENSOR_DATA_TYPE type, TensorDimensions sizes) {
        if (there) {
            return Out(type, std::move(sizes));
        }
        outputs_.push_back(nullptr);
        return nullptr;
    }

    /** The sizes of an operator's one output as its rules have them, of a descriptor that is complete but for that.
     * Where they refuse it no sizes are right: those of the first input, and making the operator says why. */
    template <typename Desc> [[nodiscard]] TensorDimensions Infer(DML_OPERATOR_TYPE type, const Desc &desc) const {
        const DML_OPERATOR_DESC whole = {type, &desc};
        VkdmlTensorShape shape{};
        if (vkdmlInferOutputSizes(&whole, static_cast<DML_FEATURE_LEVEL>(0), 1, &shape) == VKDML_SUCCESS) {
            return TensorDimensions(shape.sizes, shape.sizes + shape.dimensionCount);
        }
        return inputs_.empty() || inputs_[0] == nullptr ? TensorDimensions() : inputs_[0]->GetOutputDesc().sizes;
    }

    const DML_OPERATOR_DESC *Fuse(const FusedActivation &fused) {
        return fused_.Set(fused);
    }

    /** An array of them. */
    const DML_OPERATOR_DESC *Fuse(Span<const FusedActivation> fused) {
        for (const FusedActivation &one : fused) {
            fusedEach_.emplace_back();
            const DML_OPERATOR_DESC *const desc = fusedEach_.back().Set(one);
            fusedArray_.push_back(desc != nullptr ? *desc : DML_OPERATOR_DESC{});
        }
        return fusedArray_.data();
    }

    /** An array of so many numbers; none is all of a default. */
    template <typename Number>
    const Number *Array(const char *name, Span<const Number> numbers, std::size_t count, Number missing) {
        static_assert(sizeof(Number) == sizeof(std::uint32_t));
        auto &kept = Kept<Number>();
        if (numbers.empty()) {
            kept.emplace_back(count, missing);
        } else {
            kept.emplace_back(numbers.begin(), numbers.end());
            if (numbers.size() != count) {
                Wrong(std::string(name) + " has " + std::to_string(numbers.size()) + " elements, must have " +
                      std::to_string(count));
                kept.back().resize(count, missing);
            }
        }
        return kept.back().data();
    }

    /** Makes it. Its only output, or its first. */
    template <typename Desc> Expression Make(DML_OPERATOR_TYPE type, const Desc &desc) {
        if (builder_ != nullptr) {
            node_ = builder_->CreateOperatorNode(type, &desc, inputs_);
        }
        return Output(0);
    }

    /** An output of what was made, empty where it is absent. */
    Expression Output(std::size_t index) {
        if (builder_ == nullptr || index >= outputs_.size() || outputs_[index] == nullptr) {
            return {};
        }
        return builder_->CreateNodeOutput(node_, static_cast<std::uint32_t>(index), *outputs_[index]);
    }

    /** Without exceptions it goes on, and the operator is not made. */
    void Wrong(const std::string &reason) {
        if (builder_ != nullptr) {
            builder_->Fail(VKDML_ERROR_INVALID_ARGUMENT, reason);
        }
#ifndef VKDML_HPP_NO_EXCEPTIONS
        throw Error(VKDML_ERROR_INVALID_ARGUMENT, reason);
#endif
    }

  private:
    const DML_TENSOR_DESC *Add(NodeOutput *output) {
        inputs_.push_back(output);
        return output != nullptr ? output->Tensor() : nullptr;
    }

    template <typename Number> std::deque<std::vector<Number>> &Kept() {
        if constexpr (std::is_same_v<Number, float>) {
            return floats_;
        } else if constexpr (std::is_same_v<Number, std::int32_t>) {
            return ints_;
        } else {
            return uints_;
        }
    }

    GraphBuilder *builder_;
    NodeID node_{NodeType::Invalid, 0};
    std::vector<NodeOutput *> inputs_;
    std::vector<DML_TENSOR_DESC> array_;
    std::deque<TensorDesc> results_; // the descriptor points to them
    std::vector<TensorDesc *> outputs_;
    std::deque<std::vector<std::uint32_t>> uints_;
    std::deque<std::vector<std::int32_t>> ints_;
    std::deque<std::vector<float>> floats_;
    FusedDesc fused_;
    std::deque<FusedDesc> fusedEach_; // the array points to them
    std::vector<DML_OPERATOR_DESC> fusedArray_;
};

/* Sizes that do not exist are 0, which the library refuses with its reasons. */

inline const TensorDimensions &Sizes(const Expression &tensor) noexcept {
    return tensor.GetOutputDesc().sizes;
}

inline DML_TENSOR_DATA_TYPE Type(const Expression &tensor) noexcept {
    return tensor.GetOutputDesc().dataType;
}

inline std::uint32_t SizeAt(const TensorDimensions &sizes, std::size_t dimension) noexcept {
    return dimension < sizes.size() ? sizes[dimension] : 0;
}

inline void SetSize(TensorDimensions &sizes, std::size_t dimension, std::uint32_t size) noexcept {
    if (dimension < sizes.size()) {
        sizes[dimension] = size;
    }
}

inline std::uint32_t Count(const TensorDimensions &sizes) noexcept {
    return static_cast<std::uint32_t>(sizes.size());
}

inline std::size_t SpatialCount(const Expression &tensor) noexcept {
    return std::max<std::size_t>(Sizes(tensor).size(), 2) - 2;
}

/** Where windows of a size fit, that lie a stride apart. */
inline std::uint32_t Windows(std::uint64_t padded, std::uint64_t window, std::uint64_t dilation,
                             std::uint64_t stride) noexcept {
    const std::uint64_t extent = window != 0 ? (window - 1) * dilation + 1 : 0;
    return stride != 0 && window != 0 && padded >= extent ? static_cast<std::uint32_t>((padded - extent) / stride + 1)
                                                          : 0;
}

inline std::vector<std::uint32_t> AllAxes(Span<const std::uint32_t> axes, const TensorDimensions &sizes) {
    std::vector<std::uint32_t> all(axes.begin(), axes.end());
    for (std::uint32_t i = 0; axes.empty() && i < sizes.size(); i++) {
        all.push_back(i);
    }
    return all;
}

inline TensorDimensions Reduced(TensorDimensions sizes, Span<const std::uint32_t> axes) {
    for (const std::uint32_t axis : axes) {
        SetSize(sizes, axis, 1);
    }
    return sizes;
}

template <typename Desc>
Expression MakeUnary(DML_OPERATOR_TYPE type, Desc desc, const Expression &input, DML_TENSOR_DATA_TYPE outputDataType) {
    Call call;
    desc.InputTensor = call.In(input);
    desc.OutputTensor = call.Out(outputDataType, Sizes(input));
    return call.Make(type, desc);
}

template <typename Desc> Expression MakeUnary(DML_OPERATOR_TYPE type, const Desc &desc, const Expression &input) {
    return MakeUnary(type, desc, input, Type(input));
}

template <typename Desc>
Expression MakeScaled(DML_OPERATOR_TYPE type, Desc desc, const Expression &input,
                      const Optional<DML_SCALE_BIAS> &scaleBias) {
    desc.ScaleBias = scaleBias ? &*scaleBias : nullptr;
    return MakeUnary(type, desc, input);
}

template <typename Desc>
Expression MakeBinary(DML_OPERATOR_TYPE type, Desc desc, const Expression &a, const Expression &b,
                      DML_TENSOR_DATA_TYPE outputDataType) {
    Call call;
    desc.ATensor = call.In(a);
    desc.BTensor = call.In(b);
    desc.OutputTensor = call.Out(outputDataType, Sizes(a));
    return call.Make(type, desc);
}

template <typename Desc>
Expression MakeBinary(DML_OPERATOR_TYPE type, const Desc &desc, const Expression &a, const Expression &b) {
    return MakeBinary(type, desc, a, b, Type(a));
}

template <typename Desc>
Expression MakeOverAxes(DML_OPERATOR_TYPE type, Desc desc, const Expression &input, Span<const std::uint32_t> axes) {
    desc.AxisCount = static_cast<std::uint32_t>(axes.size());
    desc.Axes = axes.data();
    return MakeUnary(type, desc, input);
}
} // namespace detail

/* ---- What a graph begins with ---- */

/** An input of the graph, which is bound at inputIndex. */
inline Expression InputTensor(Graph &graph, std::uint32_t inputIndex, TensorDesc desc) {
    detail::GraphBuilder *const builder = graph.Impl();
    return builder->CreateNodeOutput(builder->CreateInputNode(inputIndex), 0, std::move(desc));
}

/** Constant data (6_2): the elements of a container, copied. Meant for small ones; large ones are better inputs that
 * are OWNED_BY_DML. */
template <typename Elements> Expression ConstantData(Graph &graph, const Elements &elements, TensorDesc desc) {
    static_assert(std::is_trivially_copyable_v<std::remove_reference_t<decltype(*std::data(elements))>>);
    const Byte *const bytes = reinterpret_cast<const Byte *>(std::data(elements));
    detail::GraphBuilder *const builder = graph.Impl();
    const detail::NodeID node = builder->CreateConstantNode({bytes, std::size(elements) * sizeof *std::data(elements)});
    return builder->CreateNodeOutput(node, 0, std::move(desc));
}

/* ---- The same bytes, seen in another way: no operator ---- */

/** @cond */
namespace detail {
/* By reference: of a std::optional that is moved on, GCC 14 warns that it may hold nothing. */
inline Expression Reinterpreted(const Expression &input, DML_TENSOR_DATA_TYPE newType, TensorDimensions &newSizes,
                                const Optional<TensorStrides> &newStrides) {
    const NodeOutput *const output = input.Impl();
    if (output == nullptr) {
        Call().Wrong("an input is an empty expression");
        return {};
    }
    const TensorDesc &desc = output->GetOutputDesc();
    return output->GetGraphBuilder()->CreateNodeOutput(output->GetNode(), output->GetOutputIndex(),
                                                       TensorDesc(newType, desc.flags, std::move(newSizes), newStrides,
                                                                  desc.totalTensorSizeInBytes,
                                                                  desc.guaranteedBaseOffsetAlignment));
}
} // namespace detail
/** @endcond */

/** As many bytes as before, of another type, sizes and strides. */
inline Expression Reinterpret(Expression input, DML_TENSOR_DATA_TYPE newType, TensorDimensions newSizes,
                              Optional<TensorStrides> newStrides) {
    return detail::Reinterpreted(input, newType, newSizes, newStrides);
}
/** Of other sizes and strides. */
inline Expression Reinterpret(Expression input, TensorDimensions newSizes, Optional<TensorStrides> newStrides) {
    return detail::Reinterpreted(input, detail::Type(input), newSizes, newStrides);
}
/** Of another type. */
inline Expression Reinterpret(Expression input, DML_TENSOR_DATA_TYPE newType) {
    return Reinterpret(input, newType, detail::Sizes(input), input.GetOutputDesc().strides);
}

/* ---- Element by element ---- */

/* Each name is declared once here, and defined by what it stands in. */
#define VKDML_SCALED(Name, NAME)                                                                                       \
    inline Expression Name(Expression input, const Optional<DML_SCALE_BIAS> &scaleBias = NullOpt) {                    \
        return detail::MakeScaled(DML_OPERATOR_ELEMENT_WISE_##NAME, DML_ELEMENT_WISE_##NAME##_OPERATOR_DESC{}, input,  \
                                  scaleBias);                                                                          \
    }
VKDML_SCALED(Identity, IDENTITY)
VKDML_SCALED(Abs, ABS)
VKDML_SCALED(ACos, ACOS)
VKDML_SCALED(ACosh, ACOSH)
VKDML_SCALED(ASin, ASIN)
VKDML_SCALED(ASinh, ASINH)
VKDML_SCALED(ATan, ATAN)
VKDML_SCALED(ATanh, ATANH)
VKDML_SCALED(Ceil, CEIL)
VKDML_SCALED(Cos, COS)
VKDML_SCALED(Cosh, COSH)
VKDML_SCALED(Erf, ERF)
VKDML_SCALED(Exp, EXP)
VKDML_SCALED(Floor, FLOOR)
VKDML_SCALED(Log, LOG)
VKDML_SCALED(Recip, RECIP)
VKDML_SCALED(Sin, SIN)
VKDML_SCALED(Sinh, SINH)
VKDML_SCALED(Sqrt, SQRT)
VKDML_SCALED(Tan, TAN)
VKDML_SCALED(Tanh, TANH)
#undef VKDML_SCALED

#define VKDML_UNARY(Name, NAME)                                                                                        \
    inline Expression Name(Expression input) {                                                                         \
        return detail::MakeUnary(DML_OPERATOR_##NAME, DML_##NAME##_OPERATOR_DESC{}, input);                            \
    }
VKDML_UNARY(BitNot, ELEMENT_WISE_BIT_NOT)
VKDML_UNARY(LogicalNot, ELEMENT_WISE_LOGICAL_NOT)
VKDML_UNARY(Negate, ELEMENT_WISE_NEGATE)
VKDML_UNARY(Sign, ELEMENT_WISE_SIGN)
VKDML_UNARY(ActivationGelu, ACTIVATION_GELU)
VKDML_UNARY(ActivationHardmax, ACTIVATION_HARDMAX)
VKDML_UNARY(ActivationIdentity, ACTIVATION_IDENTITY)
VKDML_UNARY(ActivationLogSoftmax, ACTIVATION_LOG_SOFTMAX)
VKDML_UNARY(ActivationRelu, ACTIVATION_RELU)
VKDML_UNARY(ActivationSigmoid, ACTIVATION_SIGMOID)
VKDML_UNARY(ActivationSoftmax, ACTIVATION_SOFTMAX)
VKDML_UNARY(ActivationSoftsign, ACTIVATION_SOFTSIGN)
VKDML_UNARY(ActivationTanh, ACTIVATION_TANH)
#undef VKDML_UNARY

#define VKDML_BINARY(Name, NAME)                                                                                       \
    inline Expression Name(Expression a, Expression b) {                                                               \
        return detail::MakeBinary(DML_OPERATOR_ELEMENT_WISE_##NAME, DML_ELEMENT_WISE_##NAME##_OPERATOR_DESC{}, a, b);  \
    }
VKDML_BINARY(Add, ADD)
VKDML_BINARY(ATanYX, ATAN_YX)
VKDML_BINARY(BitAnd, BIT_AND)
VKDML_BINARY(BitOr, BIT_OR)
VKDML_BINARY(BitShiftLeft, BIT_SHIFT_LEFT)
VKDML_BINARY(BitShiftRight, BIT_SHIFT_RIGHT)
VKDML_BINARY(BitXor, BIT_XOR)
VKDML_BINARY(DifferenceSquare, DIFFERENCE_SQUARE)
VKDML_BINARY(Divide, DIVIDE)
VKDML_BINARY(LogicalAnd, LOGICAL_AND)
VKDML_BINARY(LogicalOr, LOGICAL_OR)
VKDML_BINARY(LogicalXor, LOGICAL_XOR)
VKDML_BINARY(Max, MAX)
VKDML_BINARY(Mean, MEAN)
VKDML_BINARY(Min, MIN)
VKDML_BINARY(ModulusFloor, MODULUS_FLOOR)
VKDML_BINARY(ModulusTruncate, MODULUS_TRUNCATE)
VKDML_BINARY(Multiply, MULTIPLY)
VKDML_BINARY(Subtract, SUBTRACT)
#undef VKDML_BINARY

#define VKDML_COMPARISON(Name, NAME)                                                                                   \
    inline Expression Name(Expression a, Expression b,                                                                 \
                           DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT8) {                         \
        return detail::MakeBinary(DML_OPERATOR_ELEMENT_WISE_LOGICAL_##NAME,                                            \
                                  DML_ELEMENT_WISE_LOGICAL_##NAME##_OPERATOR_DESC{}, a, b, outputDataType);            \
    }                                                                                                                  \
    /** The same, by the operator's name. */                                                                           \
    inline Expression Logical##Name(Expression a, Expression b,                                                        \
                                    DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT8) {                \
        return Name(a, b, outputDataType);                                                                             \
    }
VKDML_COMPARISON(Equals, EQUALS)
VKDML_COMPARISON(GreaterThan, GREATER_THAN)
VKDML_COMPARISON(GreaterThanOrEqual, GREATER_THAN_OR_EQUAL)
VKDML_COMPARISON(LessThan, LESS_THAN)
VKDML_COMPARISON(LessThanOrEqual, LESS_THAN_OR_EQUAL)
#undef VKDML_COMPARISON

inline Expression Add(Expression a, Expression b, FusedActivation fusedActivation) {
    detail::FusedDesc fused;
    DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc{};
    desc.FusedActivation = fused.Set(fusedActivation);
    return detail::MakeBinary(DML_OPERATOR_ELEMENT_WISE_ADD1, desc, a, b);
}

inline Expression BitCount(Expression input, DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT8) {
    return detail::MakeUnary(DML_OPERATOR_ELEMENT_WISE_BIT_COUNT, DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC{}, input,
                             outputDataType);
}

inline Expression Cast(Expression input, DML_TENSOR_DATA_TYPE targetDataType) {
    return detail::MakeUnary(DML_OPERATOR_CAST, DML_CAST_OPERATOR_DESC{}, input, targetDataType);
}

inline Expression Clip(Expression input, float min, float max, const Optional<DML_SCALE_BIAS> &scaleBias = NullOpt) {
    DML_ELEMENT_WISE_CLIP_OPERATOR_DESC desc{};
    desc.Min = min;
    desc.Max = max;
    return detail::MakeScaled(DML_OPERATOR_ELEMENT_WISE_CLIP, desc, input, scaleBias);
}
/** With bounds of the input's type. */
inline Expression Clip(Expression input, DML_SCALAR_UNION min, DML_SCALAR_UNION max,
                       const Optional<DML_SCALE_BIAS> &scaleBias = NullOpt) {
    DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC desc{};
    desc.MinMaxDataType = detail::Type(input);
    desc.Min = min;
    desc.Max = max;
    return detail::MakeScaled(DML_OPERATOR_ELEMENT_WISE_CLIP1, desc, input, scaleBias);
}

inline Expression ClipGrad(Expression input, Expression inputGradient, float min, float max) {
    detail::Call call;
    DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(inputGradient);
    desc.Min = min;
    desc.Max = max;
    return call.Make(DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD, desc);
}
/** With bounds of the input's type. */
inline Expression ClipGrad(Expression input, Expression inputGradient, DML_SCALAR_UNION min, DML_SCALAR_UNION max) {
    detail::Call call;
    DML_ELEMENT_WISE_CLIP_GRAD1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(inputGradient);
    desc.MinMaxDataType = detail::Type(inputGradient);
    desc.Min = min;
    desc.Max = max;
    return call.Make(DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1, desc);
}

inline Expression If(Expression condition, Expression a, Expression b) {
    detail::Call call;
    DML_ELEMENT_WISE_IF_OPERATOR_DESC desc{};
    desc.ConditionTensor = call.In(condition);
    desc.ATensor = call.In(a);
    desc.BTensor = call.In(b);
    desc.OutputTensor = call.Out(a);
    return call.Make(DML_OPERATOR_ELEMENT_WISE_IF, desc);
}

inline Expression IsInfinity(Expression input, DML_IS_INFINITY_MODE infinityMode = DML_IS_INFINITY_MODE_EITHER,
                             DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT8) {
    DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC desc{};
    desc.InfinityMode = infinityMode;
    return detail::MakeUnary(DML_OPERATOR_ELEMENT_WISE_IS_INFINITY, desc, input, outputDataType);
}

inline Expression IsNaN(Expression input, DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT8) {
    return detail::MakeUnary(DML_OPERATOR_ELEMENT_WISE_IS_NAN, DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC{}, input,
                             outputDataType);
}

inline Expression Pow(Expression input, Expression exponent, const Optional<DML_SCALE_BIAS> &scaleBias = NullOpt) {
    detail::Call call;
    DML_ELEMENT_WISE_POW_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ExponentTensor = call.In(exponent);
    desc.OutputTensor = call.Out(input);
    desc.ScaleBias = scaleBias ? &*scaleBias : nullptr;
    return call.Make(DML_OPERATOR_ELEMENT_WISE_POW, desc);
}
inline Expression Pow(Expression input, float exponent, const Optional<DML_SCALE_BIAS> &scaleBias = NullOpt) {
    DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC desc{};
    desc.Exponent = exponent;
    return detail::MakeScaled(DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW, desc, input, scaleBias);
}

inline Expression Round(Expression input, DML_ROUNDING_MODE roundingMode = DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN) {
    DML_ELEMENT_WISE_ROUND_OPERATOR_DESC desc{};
    desc.RoundingMode = roundingMode;
    return detail::MakeUnary(DML_OPERATOR_ELEMENT_WISE_ROUND, desc, input);
}

inline Expression Threshold(Expression input, float min, const Optional<DML_SCALE_BIAS> &scaleBias = NullOpt) {
    DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC desc{};
    desc.Min = min;
    return detail::MakeScaled(DML_OPERATOR_ELEMENT_WISE_THRESHOLD, desc, input, scaleBias);
}

/* ---- Quantization ---- */

inline Expression QuantizeLinear(Expression input, Expression scale, Optional<Expression> zeroPoint = NullOpt,
                                 DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT8) {
    detail::Call call;
    DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ScaleTensor = call.In(scale);
    desc.ZeroPointTensor = call.In(zeroPoint);
    desc.OutputTensor = call.Out(outputDataType, detail::Sizes(input));
    return call.Make(DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR, desc);
}

inline Expression DequantizeLinear(Expression input, Expression scale, Optional<Expression> zeroPoint = NullOpt) {
    detail::Call call;
    DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ScaleTensor = call.In(scale);
    desc.ZeroPointTensor = call.In(zeroPoint);
    desc.OutputTensor = call.Out(detail::Type(scale), detail::Sizes(input));
    return call.Make(DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR, desc);
}

inline Expression QuantizedLinearAdd(Expression a, Expression aScale, Optional<Expression> aZeroPoint, Expression b,
                                     Expression bScale, Optional<Expression> bZeroPoint, Expression outputScale,
                                     Optional<Expression> outputZeroPoint) {
    detail::Call call;
    DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC desc{};
    desc.ATensor = call.In(a);
    desc.AScaleTensor = call.In(aScale);
    desc.AZeroPointTensor = call.In(aZeroPoint);
    desc.BTensor = call.In(b);
    desc.BScaleTensor = call.In(bScale);
    desc.BZeroPointTensor = call.In(bZeroPoint);
    desc.OutputScaleTensor = call.In(outputScale);
    desc.OutputZeroPointTensor = call.In(outputZeroPoint);
    desc.OutputTensor = call.Out(a);
    return call.Make(DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD, desc);
}

/** Outputs of DynamicQuantizeLinear(). */
struct DynamicQuantizeLinearOutputs {
    Expression output;
    Expression outputScale;
    Expression outputZeroPoint;
};

inline DynamicQuantizeLinearOutputs
DynamicQuantizeLinear(Expression input, DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT8) {
    const TensorDimensions one(detail::Sizes(input).size(), 1);
    detail::Call call;
    DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.OutputTensor = call.Out(outputDataType, detail::Sizes(input));
    desc.OutputScaleTensor = call.Out(DML_TENSOR_DATA_TYPE_FLOAT32, one);
    desc.OutputZeroPointTensor = call.Out(outputDataType, one);
    const Expression output = call.Make(DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR, desc);
    return {output, call.Output(1), call.Output(2)};
}

/** Of a scale, or a scale and a zero point. */
inline Expression Quantize(Expression input, Span<const Expression> quantizationParameters,
                           DML_TENSOR_DATA_TYPE outputDataType, DML_QUANTIZATION_TYPE quantizationType) {
    detail::Call call;
    DML_QUANTIZE_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.QuantizationType = quantizationType;
    desc.QuantizationTensorCount = static_cast<std::uint32_t>(quantizationParameters.size());
    desc.QuantizationTensors = call.In(quantizationParameters);
    desc.OutputTensor = call.Out(outputDataType, detail::Sizes(input));
    return call.Make(DML_OPERATOR_QUANTIZE, desc);
}

/** Of a scale, whose type the result has, or a scale and a zero point. */
inline Expression Dequantize(Expression input, Span<const Expression> quantizationParameters,
                             DML_QUANTIZATION_TYPE quantizationType) {
    detail::Call call;
    DML_DEQUANTIZE_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.QuantizationType = quantizationType;
    desc.QuantizationTensorCount = static_cast<std::uint32_t>(quantizationParameters.size());
    desc.QuantizationTensors = call.In(quantizationParameters);
    desc.OutputTensor = call.Out(quantizationParameters.empty() ? DML_TENSOR_DATA_TYPE_FLOAT32
                                                                : detail::Type(quantizationParameters[0]),
                                 detail::Sizes(input));
    return call.Make(DML_OPERATOR_DEQUANTIZE, desc);
}

/* ---- Activations ---- */

#define VKDML_ACTIVATION_1(Name, NAME, Field, parameter, value)                                                        \
    inline Expression Activation##Name(Expression input, float parameter = value) {                                    \
        DML_ACTIVATION_##NAME##_OPERATOR_DESC desc{};                                                                  \
        desc.Field = parameter;                                                                                        \
        return detail::MakeUnary(DML_OPERATOR_ACTIVATION_##NAME, desc, input);                                         \
    }
VKDML_ACTIVATION_1(Celu, CELU, Alpha, alpha, 1.0f)
VKDML_ACTIVATION_1(Elu, ELU, Alpha, alpha, 1.0f)
VKDML_ACTIVATION_1(LeakyRelu, LEAKY_RELU, Alpha, alpha, 0.01f)
VKDML_ACTIVATION_1(Softplus, SOFTPLUS, Steepness, steepness, 1.0f)
VKDML_ACTIVATION_1(Swish, SWISH, SigmoidInputScale, sigmoidInputScale, 1.0f)
VKDML_ACTIVATION_1(ThresholdedRelu, THRESHOLDED_RELU, Alpha, alpha, 1.0f)
#undef VKDML_ACTIVATION_1

#define VKDML_ACTIVATION_2(Name, NAME, Field1, first, Field2, second)                                                  \
    inline Expression Activation##Name(Expression input, float first, float second) {                                  \
        DML_ACTIVATION_##NAME##_OPERATOR_DESC desc{};                                                                  \
        desc.Field1 = first;                                                                                           \
        desc.Field2 = second;                                                                                          \
        return detail::MakeUnary(DML_OPERATOR_ACTIVATION_##NAME, desc, input);                                         \
    }
VKDML_ACTIVATION_2(HardSigmoid, HARD_SIGMOID, Alpha, alpha = 0.2f, Beta, beta = 0.5f)
VKDML_ACTIVATION_2(HardSwish, HARD_SWISH, Alpha, alpha = 1.0f / 6.0f, Beta, beta = 0.5f)
VKDML_ACTIVATION_2(Linear, LINEAR, Alpha, alpha, Beta, beta)
VKDML_ACTIVATION_2(ParametricSoftplus, PARAMETRIC_SOFTPLUS, Alpha, alpha, Beta, beta)
VKDML_ACTIVATION_2(ScaledElu, SCALED_ELU, Alpha, alpha = 1.67326319217681884765625f, Gamma,
                   gamma = 1.05070102214813232421875f)
VKDML_ACTIVATION_2(ScaledTanh, SCALED_TANH, Alpha, alpha = 1.0f, Beta, beta = 0.5f)
VKDML_ACTIVATION_2(Shrink, SHRINK, Bias, bias = 0.0f, Threshold, threshold = 0.5f)
#undef VKDML_ACTIVATION_2

#define VKDML_ACTIVATION_AXES(Name, NAME)                                                                              \
    inline Expression Activation##Name(Expression input, Span<const std::uint32_t> axes) {                             \
        return detail::MakeOverAxes(DML_OPERATOR_ACTIVATION_##NAME, DML_ACTIVATION_##NAME##_OPERATOR_DESC{}, input,    \
                                    axes);                                                                             \
    }
VKDML_ACTIVATION_AXES(Hardmax, HARDMAX1)
VKDML_ACTIVATION_AXES(LogSoftmax, LOG_SOFTMAX1)
VKDML_ACTIVATION_AXES(Softmax, SOFTMAX1)
#undef VKDML_ACTIVATION_AXES

inline Expression ActivationParameterizedRelu(Expression input, Expression slope) {
    detail::Call call;
    DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.SlopeTensor = call.In(slope);
    desc.OutputTensor = call.Out(input);
    return call.Make(DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU, desc);
}

inline Expression ActivationReluGrad(Expression input, Expression inputGradient) {
    detail::Call call;
    DML_ACTIVATION_RELU_GRAD_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(inputGradient);
    return call.Make(DML_OPERATOR_ACTIVATION_RELU_GRAD, desc);
}

/* ---- Matrix products and convolution ---- */

inline Expression Gemm(Expression a, Expression b, Optional<Expression> c = NullOpt,
                       DML_MATRIX_TRANSFORM transA = DML_MATRIX_TRANSFORM_NONE,
                       DML_MATRIX_TRANSFORM transB = DML_MATRIX_TRANSFORM_NONE, float alpha = 1.0f, float beta = 1.0f,
                       FusedActivation fusedActivation = FusedActivation::None()) {
    detail::Call call;
    DML_GEMM_OPERATOR_DESC desc{};
    desc.ATensor = call.In(a);
    desc.BTensor = call.In(b);
    desc.CTensor = call.In(c);
    desc.TransA = transA;
    desc.TransB = transB;
    desc.Alpha = alpha;
    desc.Beta = beta;
    desc.FusedActivation = call.Fuse(fusedActivation);
    desc.OutputTensor = call.Out(detail::Type(a), call.Infer(DML_OPERATOR_GEMM, desc));
    return call.Make(DML_OPERATOR_GEMM, desc);
}

/** Gemm() with its parameters by name. */
class GemmBuilder {
  public:
    GemmBuilder(Expression a, Expression b, Optional<Expression> c = NullOpt) : a_(a), b_(b), c_(c) {
    }
    GemmBuilder &TransA(DML_MATRIX_TRANSFORM transA) {
        transA_ = transA;
        return *this;
    }
    GemmBuilder &TransB(DML_MATRIX_TRANSFORM transB) {
        transB_ = transB;
        return *this;
    }
    GemmBuilder &Alpha(float alpha) {
        alpha_ = alpha;
        return *this;
    }
    GemmBuilder &Beta(float beta) {
        beta_ = beta;
        return *this;
    }
    GemmBuilder &FusedActivation(dml::FusedActivation fusedActivation) {
        fused_ = fusedActivation;
        return *this;
    }
    [[nodiscard]] Expression Build() const {
        return Gemm(a_, b_, c_, transA_, transB_, alpha_, beta_, fused_);
    }

  private:
    Expression a_, b_;
    Optional<Expression> c_;
    DML_MATRIX_TRANSFORM transA_ = DML_MATRIX_TRANSFORM_NONE, transB_ = DML_MATRIX_TRANSFORM_NONE;
    float alpha_ = 1.0f, beta_ = 1.0f;
    dml::FusedActivation fused_;
};

inline Expression Convolution(Expression input, Expression filter, Optional<Expression> bias = NullOpt,
                              DML_CONVOLUTION_MODE mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION,
                              DML_CONVOLUTION_DIRECTION direction = DML_CONVOLUTION_DIRECTION_FORWARD,
                              Span<const std::uint32_t> strides = {}, Span<const std::uint32_t> dilations = {},
                              Span<const std::uint32_t> startPadding = {}, Span<const std::uint32_t> endPadding = {},
                              Span<const std::uint32_t> outputPadding = {}, std::uint32_t groupCount = 1,
                              FusedActivation fusedActivation = FusedActivation::None(),
                              TensorDimensions outputSizes = {}) {
    const std::size_t spatial = detail::SpatialCount(input);
    detail::Call call;
    DML_CONVOLUTION_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.FilterTensor = call.In(filter);
    desc.BiasTensor = call.In(bias);
    desc.Mode = mode;
    desc.Direction = direction;
    desc.DimensionCount = static_cast<std::uint32_t>(spatial);
    desc.Strides = call.Array("strides", strides, spatial, 1u);
    desc.Dilations = call.Array("dilations", dilations, spatial, 1u);
    desc.StartPadding = call.Array("startPadding", startPadding, spatial, 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, spatial, 0u);
    desc.OutputPadding = call.Array("outputPadding", outputPadding, spatial, 0u);
    desc.GroupCount = groupCount;
    desc.FusedActivation = call.Fuse(fusedActivation);
    if (outputSizes.empty()) {
        outputSizes = call.Infer(DML_OPERATOR_CONVOLUTION, desc);
    }
    desc.OutputTensor = call.Out(detail::Type(input), std::move(outputSizes));
    return call.Make(DML_OPERATOR_CONVOLUTION, desc);
}

/* A parameter of a builder, that keeps what it is given. */
#define VKDML_BUILDER_ARRAY(Builder, Name, member)                                                                     \
    Builder &Name(Span<const std::uint32_t> values) {                                                                  \
        member.assign(values.begin(), values.end());                                                                   \
        return *this;                                                                                                  \
    }
#define VKDML_BUILDER_VALUE(Builder, Name, type, member)                                                               \
    Builder &Name(type value) {                                                                                        \
        member = std::move(value);                                                                                     \
        return *this;                                                                                                  \
    }

/** Convolution() with its parameters by name. */
class ConvolutionBuilder {
  public:
    ConvolutionBuilder(Expression input, Expression filter, Optional<Expression> bias = NullOpt)
        : input_(input), filter_(filter), bias_(bias) {
    }
    VKDML_BUILDER_VALUE(ConvolutionBuilder, Mode, DML_CONVOLUTION_MODE, mode_)
    VKDML_BUILDER_VALUE(ConvolutionBuilder, Direction, DML_CONVOLUTION_DIRECTION, direction_)
    VKDML_BUILDER_ARRAY(ConvolutionBuilder, Strides, strides_)
    VKDML_BUILDER_ARRAY(ConvolutionBuilder, Dilations, dilations_)
    VKDML_BUILDER_ARRAY(ConvolutionBuilder, StartPadding, start_)
    VKDML_BUILDER_ARRAY(ConvolutionBuilder, EndPadding, end_)
    VKDML_BUILDER_ARRAY(ConvolutionBuilder, OutputPadding, output_)
    VKDML_BUILDER_VALUE(ConvolutionBuilder, GroupCount, std::uint32_t, groups_)
    VKDML_BUILDER_VALUE(ConvolutionBuilder, FusedActivation, dml::FusedActivation, fused_)
    VKDML_BUILDER_VALUE(ConvolutionBuilder, OutputSizes, TensorDimensions, sizes_)
    [[nodiscard]] Expression Build() const {
        return Convolution(input_, filter_, bias_, mode_, direction_, strides_, dilations_, start_, end_, output_,
                           groups_, fused_, sizes_);
    }

  private:
    Expression input_, filter_;
    Optional<Expression> bias_;
    DML_CONVOLUTION_MODE mode_ = DML_CONVOLUTION_MODE_CROSS_CORRELATION;
    DML_CONVOLUTION_DIRECTION direction_ = DML_CONVOLUTION_DIRECTION_FORWARD;
    std::vector<std::uint32_t> strides_, dilations_, start_, end_, output_;
    std::uint32_t groups_ = 1;
    dml::FusedActivation fused_;
    TensorDimensions sizes_;
};

/* ---- Pooling ---- */

namespace detail {

/** Fills in what all poolings have; sizes of the output. */
template <typename Desc>
TensorDimensions Pool(Call &call, Desc &desc, const Expression &input, Span<const std::uint32_t> strides,
                      Span<const std::uint32_t> windowSizes, Span<const std::uint32_t> startPadding,
                      Span<const std::uint32_t> endPadding, Span<const std::uint32_t> dilations,
                      TensorDimensions outputSizes) {
    const std::size_t spatial = SpatialCount(input);
    desc.DimensionCount = static_cast<std::uint32_t>(spatial);
    desc.Strides = call.Array("strides", strides, spatial, 1u);
    desc.WindowSize = call.Array("windowSizes", windowSizes, spatial, 1u);
    desc.StartPadding = call.Array("startPadding", startPadding, spatial, 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, spatial, 0u);
    const std::uint32_t *const apart = call.Array("dilations", dilations, spatial, 1u);
    if (outputSizes.empty()) {
        outputSizes = Sizes(input);
        for (std::size_t i = 0; i < spatial; i++) {
            outputSizes[i + 2] = Windows(std::uint64_t{outputSizes[i + 2]} + desc.StartPadding[i] + desc.EndPadding[i],
                                         desc.WindowSize[i], apart[i], desc.Strides[i]);
        }
    }
    return outputSizes;
}

/** The same of those with dilations. */
template <typename Desc>
TensorDimensions PoolDilated(Call &call, Desc &desc, const Expression &input, Span<const std::uint32_t> strides,
                             Span<const std::uint32_t> windowSizes, Span<const std::uint32_t> startPadding,
                             Span<const std::uint32_t> endPadding, Span<const std::uint32_t> dilations,
                             TensorDimensions outputSizes) {
    desc.Dilations = call.Array("dilations", dilations, SpatialCount(input), 1u);
    return Pool(call, desc, input, strides, windowSizes, startPadding, endPadding, dilations, std::move(outputSizes));
}

inline bool Dilated(Span<const std::uint32_t> dilations) {
    return std::any_of(dilations.begin(), dilations.end(), [](std::uint32_t dilation) { return dilation != 1; });
}
} // namespace detail

inline Expression AveragePooling(Expression input, Span<const std::uint32_t> strides,
                                 Span<const std::uint32_t> windowSizes, Span<const std::uint32_t> startPadding,
                                 Span<const std::uint32_t> endPadding, Span<const std::uint32_t> dilations,
                                 bool includePadding, TensorDimensions outputSizes = {}) {
    detail::Call call;
    const auto make = [&](DML_OPERATOR_TYPE type, auto &desc, TensorDimensions sizes) {
        desc.InputTensor = call.In(input);
        desc.OutputTensor = call.Out(detail::Type(input), std::move(sizes));
        desc.IncludePadding = includePadding;
        return call.Make(type, desc);
    };
    if (detail::Dilated(dilations)) {
        DML_AVERAGE_POOLING1_OPERATOR_DESC desc{};
        return make(DML_OPERATOR_AVERAGE_POOLING1, desc,
                    detail::PoolDilated(call, desc, input, strides, windowSizes, startPadding, endPadding, dilations,
                                        std::move(outputSizes)));
    }
    DML_AVERAGE_POOLING_OPERATOR_DESC desc{};
    return make(
        DML_OPERATOR_AVERAGE_POOLING, desc,
        detail::Pool(call, desc, input, strides, windowSizes, startPadding, endPadding, {}, std::move(outputSizes)));
}
/** Without dilations, as DirectMLX has it below 6_2. */
inline Expression AveragePooling(Expression input, Span<const std::uint32_t> strides,
                                 Span<const std::uint32_t> windowSizes, Span<const std::uint32_t> startPadding,
                                 Span<const std::uint32_t> endPadding, bool includePadding,
                                 TensorDimensions outputSizes = {}) {
    return AveragePooling(input, strides, windowSizes, startPadding, endPadding, Span<const std::uint32_t>(),
                          includePadding, std::move(outputSizes));
}

/** AveragePooling() with its parameters by name. */
class AveragePoolingBuilder {
  public:
    AveragePoolingBuilder(Expression input, Span<const std::uint32_t> windowSizes)
        : input_(input), window_(windowSizes.begin(), windowSizes.end()) {
    }
    VKDML_BUILDER_ARRAY(AveragePoolingBuilder, Strides, strides_)
    VKDML_BUILDER_ARRAY(AveragePoolingBuilder, StartPadding, start_)
    VKDML_BUILDER_ARRAY(AveragePoolingBuilder, EndPadding, end_)
    VKDML_BUILDER_ARRAY(AveragePoolingBuilder, Dilations, dilations_)
    VKDML_BUILDER_VALUE(AveragePoolingBuilder, IncludePadding, bool, include_)
    VKDML_BUILDER_VALUE(AveragePoolingBuilder, OutputSizes, TensorDimensions, sizes_)
    [[nodiscard]] Expression Build() const {
        return AveragePooling(input_, strides_, window_, start_, end_, dilations_, include_, sizes_);
    }

  private:
    Expression input_;
    std::vector<std::uint32_t> window_, strides_, start_, end_, dilations_;
    bool include_ = false;
    TensorDimensions sizes_;
};

inline Expression LpPooling(Expression input, std::uint32_t p, Span<const std::uint32_t> windowSizes,
                            Span<const std::uint32_t> strides = {}, Span<const std::uint32_t> startPadding = {},
                            Span<const std::uint32_t> endPadding = {}, Span<const std::uint32_t> dilations = {},
                            TensorDimensions outputSizes = {}) {
    detail::Call call;
    const auto make = [&](DML_OPERATOR_TYPE type, auto &desc, TensorDimensions sizes) {
        desc.InputTensor = call.In(input);
        desc.OutputTensor = call.Out(detail::Type(input), std::move(sizes));
        desc.P = p;
        return call.Make(type, desc);
    };
    if (detail::Dilated(dilations)) {
        DML_LP_POOLING1_OPERATOR_DESC desc{};
        return make(DML_OPERATOR_LP_POOLING1, desc,
                    detail::PoolDilated(call, desc, input, strides, windowSizes, startPadding, endPadding, dilations,
                                        std::move(outputSizes)));
    }
    DML_LP_POOLING_OPERATOR_DESC desc{};
    return make(
        DML_OPERATOR_LP_POOLING, desc,
        detail::Pool(call, desc, input, strides, windowSizes, startPadding, endPadding, {}, std::move(outputSizes)));
}

/** Outputs of MaxPooling(). */
struct MaxPoolingOutputs {
    Expression values;
    Expression indices; /**< empty unless asked for */
};

inline MaxPoolingOutputs MaxPooling(Expression input, Span<const std::uint32_t> windowSize,
                                    Span<const std::uint32_t> strides = {}, Span<const std::uint32_t> startPadding = {},
                                    Span<const std::uint32_t> endPadding = {}, Span<const std::uint32_t> dilations = {},
                                    bool outputIndices = false, TensorDimensions outputSizes = {}) {
    detail::Call call;
    const auto make = [&](DML_OPERATOR_TYPE type, auto &desc, const TensorDimensions &sizes) {
        desc.InputTensor = call.In(input);
        desc.OutputTensor = call.Out(detail::Type(input), sizes);
        desc.OutputIndicesTensor = call.Out(outputIndices, DML_TENSOR_DATA_TYPE_UINT32, sizes);
        const Expression values = call.Make(type, desc);
        return MaxPoolingOutputs{values, call.Output(1)};
    };
    if (detail::Dilated(dilations)) {
        DML_MAX_POOLING2_OPERATOR_DESC desc{};
        return make(DML_OPERATOR_MAX_POOLING2, desc,
                    detail::PoolDilated(call, desc, input, strides, windowSize, startPadding, endPadding, dilations,
                                        std::move(outputSizes)));
    }
    if (outputIndices) {
        DML_MAX_POOLING1_OPERATOR_DESC desc{};
        return make(
            DML_OPERATOR_MAX_POOLING1, desc,
            detail::Pool(call, desc, input, strides, windowSize, startPadding, endPadding, {}, std::move(outputSizes)));
    }
    DML_MAX_POOLING_OPERATOR_DESC desc{};
    TensorDimensions sizes =
        detail::Pool(call, desc, input, strides, windowSize, startPadding, endPadding, {}, std::move(outputSizes));
    desc.InputTensor = call.In(input);
    desc.OutputTensor = call.Out(detail::Type(input), std::move(sizes));
    return {call.Make(DML_OPERATOR_MAX_POOLING, desc), Expression()};
}

/** MaxPooling() with its parameters by name. */
class MaxPoolingBuilder {
  public:
    MaxPoolingBuilder(Expression input, Span<const std::uint32_t> windowSize)
        : input_(input), window_(windowSize.begin(), windowSize.end()) {
    }
    VKDML_BUILDER_ARRAY(MaxPoolingBuilder, Strides, strides_)
    VKDML_BUILDER_ARRAY(MaxPoolingBuilder, StartPadding, start_)
    VKDML_BUILDER_ARRAY(MaxPoolingBuilder, EndPadding, end_)
    VKDML_BUILDER_ARRAY(MaxPoolingBuilder, Dilations, dilations_)
    VKDML_BUILDER_VALUE(MaxPoolingBuilder, OutputIndices, bool, indices_)
    VKDML_BUILDER_VALUE(MaxPoolingBuilder, OutputSizes, TensorDimensions, sizes_)
    [[nodiscard]] MaxPoolingOutputs Build() const {
        return MaxPooling(input_, window_, strides_, start_, end_, dilations_, indices_, sizes_);
    }

  private:
    Expression input_;
    std::vector<std::uint32_t> window_, strides_, start_, end_, dilations_;
    bool indices_ = false;
    TensorDimensions sizes_;
};
#undef VKDML_BUILDER_ARRAY
#undef VKDML_BUILDER_VALUE

inline Expression MaxUnpooling(Expression input, Expression indices, TensorDimensions outputSizes) {
    detail::Call call;
    DML_MAX_UNPOOLING_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.IndicesTensor = call.In(indices);
    desc.OutputTensor = call.Out(detail::Type(input), std::move(outputSizes));
    return call.Make(DML_OPERATOR_MAX_UNPOOLING, desc);
}

/* ---- Regions of interest ---- */

inline Expression RoiPooling(Expression input, Expression roi, float spatialScale, DML_SIZE_2D pooledSize) {
    detail::Call call;
    DML_ROI_POOLING_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ROITensor = call.In(roi);
    desc.OutputTensor =
        call.Out(detail::Type(input), {detail::SizeAt(detail::Sizes(roi), 2), detail::SizeAt(detail::Sizes(input), 1),
                                       pooledSize.Height, pooledSize.Width});
    desc.SpatialScale = spatialScale;
    desc.PooledSize = pooledSize;
    return call.Make(DML_OPERATOR_ROI_POOLING, desc);
}

/** With pixels' centres at halves and regions that are not aligned to corners: ROI_ALIGN of 3_0. */
inline Expression RoiAlign(Expression input, Expression roi, Expression batchIndices,
                           DML_REDUCE_FUNCTION reductionFunction, DML_INTERPOLATION_MODE interpolationMode,
                           float spatialScaleX, float spatialScaleY, float outOfBoundsInputValue,
                           std::uint32_t minimumSamplesPerOutput, std::uint32_t maximumSamplesPerOutput,
                           std::uint32_t outputHeight, std::uint32_t outputWidth) {
    const TensorDimensions &regions = detail::Sizes(batchIndices);
    detail::Call call;
    DML_ROI_ALIGN_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ROITensor = call.In(roi);
    desc.BatchIndicesTensor = call.In(batchIndices);
    desc.OutputTensor =
        call.Out(detail::Type(input), {detail::SizeAt(regions, regions.size() - 1),
                                       detail::SizeAt(detail::Sizes(input), 1), outputHeight, outputWidth});
    desc.ReductionFunction = reductionFunction;
    desc.InterpolationMode = interpolationMode;
    desc.SpatialScaleX = spatialScaleX;
    desc.SpatialScaleY = spatialScaleY;
    desc.OutOfBoundsInputValue = outOfBoundsInputValue;
    desc.MinimumSamplesPerOutput = minimumSamplesPerOutput;
    desc.MaximumSamplesPerOutput = maximumSamplesPerOutput;
    return call.Make(DML_OPERATOR_ROI_ALIGN, desc);
}
inline Expression RoiAlign(Expression input, Expression roi, Expression batchIndices,
                           DML_REDUCE_FUNCTION reductionFunction, DML_INTERPOLATION_MODE interpolationMode,
                           float spatialScaleX, float spatialScaleY, float inputPixelOffset, float outputPixelOffset,
                           float outOfBoundsInputValue, std::uint32_t minimumSamplesPerOutput,
                           std::uint32_t maximumSamplesPerOutput, bool alignRegionsToCorners,
                           std::uint32_t outputHeight, std::uint32_t outputWidth) {
    const TensorDimensions &regions = detail::Sizes(batchIndices);
    detail::Call call;
    DML_ROI_ALIGN1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ROITensor = call.In(roi);
    desc.BatchIndicesTensor = call.In(batchIndices);
    desc.OutputTensor =
        call.Out(detail::Type(input), {detail::SizeAt(regions, regions.size() - 1),
                                       detail::SizeAt(detail::Sizes(input), 1), outputHeight, outputWidth});
    desc.ReductionFunction = reductionFunction;
    desc.InterpolationMode = interpolationMode;
    desc.SpatialScaleX = spatialScaleX;
    desc.SpatialScaleY = spatialScaleY;
    desc.InputPixelOffset = inputPixelOffset;
    desc.OutputPixelOffset = outputPixelOffset;
    desc.OutOfBoundsInputValue = outOfBoundsInputValue;
    desc.MinimumSamplesPerOutput = minimumSamplesPerOutput;
    desc.MaximumSamplesPerOutput = maximumSamplesPerOutput;
    desc.AlignRegionsToCorners = alignRegionsToCorners;
    return call.Make(DML_OPERATOR_ROI_ALIGN1, desc);
}

/* ---- Resampling ---- */

namespace detail {

/** Fills in tensors and arrays of a resampling operator whose count has DirectML's newer name. */
template <typename Desc>
void Resampled(Call &call, Desc &desc, const Expression &input, const TensorDimensions &outputSizes,
               DML_INTERPOLATION_MODE mode, Span<const float> scales, Span<const float> inputPixelOffsets,
               Span<const float> outputPixelOffsets) {
    const std::size_t rank = Sizes(input).size();
    desc.InputTensor = call.In(input);
    desc.OutputTensor = call.Out(Type(input), outputSizes);
    desc.InterpolationMode = mode;
    desc.DimensionCount = static_cast<std::uint32_t>(rank);
    desc.Scales = call.Array("scales", scales, rank, 1.0f);
    desc.InputPixelOffsets = call.Array("inputPixelOffsets", inputPixelOffsets, rank, 0.5f);
    desc.OutputPixelOffsets = call.Array("outputPixelOffsets", outputPixelOffsets, rank, -0.5f);
}

/** The given ones, or output divided by input. */
inline std::vector<float> ScalesOf(Span<const float> scales, const Expression &input, const TensorDimensions &output) {
    std::vector<float> all(scales.begin(), scales.end());
    for (std::size_t i = 0; scales.empty() && i < Sizes(input).size(); i++) {
        all.push_back(static_cast<float>(SizeAt(output, i)) / static_cast<float>(Sizes(input)[i]));
    }
    return all;
}
} // namespace detail

inline Expression Resample(Expression input, TensorDimensions outputSizes, DML_INTERPOLATION_MODE mode,
                           Span<const float> scales = {}, Span<const float> inputPixelOffsets = {},
                           Span<const float> outputPixelOffsets = {}) {
    const std::vector<float> all = detail::ScalesOf(scales, input, outputSizes);
    detail::Call call;
    if (inputPixelOffsets.empty() && outputPixelOffsets.empty()) {
        DML_RESAMPLE_OPERATOR_DESC desc{};
        desc.InputTensor = call.In(input);
        desc.OutputTensor = call.Out(detail::Type(input), std::move(outputSizes));
        desc.InterpolationMode = mode;
        desc.ScaleCount = static_cast<std::uint32_t>(all.size());
        desc.Scales = all.data();
        return call.Make(DML_OPERATOR_RESAMPLE, desc);
    }
    DML_RESAMPLE1_OPERATOR_DESC desc{};
    detail::Resampled(call, desc, input, outputSizes, mode, all, inputPixelOffsets, outputPixelOffsets);
    return call.Make(DML_OPERATOR_RESAMPLE1, desc);
}
/** With a direction of rounding (5_1), and antialiased (6_4). */
inline Expression Resample(Expression input, TensorDimensions outputSizes, DML_INTERPOLATION_MODE mode,
                           DML_AXIS_DIRECTION roundingDirection, Span<const float> scales = {},
                           Span<const float> inputPixelOffsets = {}, Span<const float> outputPixelOffsets = {},
                           bool antialiased = false) {
    const std::vector<float> all = detail::ScalesOf(scales, input, outputSizes);
    detail::Call call;
    if (antialiased) {
        DML_RESAMPLE3_OPERATOR_DESC desc{};
        detail::Resampled(call, desc, input, outputSizes, mode, all, inputPixelOffsets, outputPixelOffsets);
        desc.RoundingDirection = roundingDirection;
        desc.Antialiased = antialiased;
        return call.Make(DML_OPERATOR_RESAMPLE3, desc);
    }
    DML_RESAMPLE2_OPERATOR_DESC desc{};
    detail::Resampled(call, desc, input, outputSizes, mode, all, inputPixelOffsets, outputPixelOffsets);
    desc.RoundingDirection = roundingDirection;
    return call.Make(DML_OPERATOR_RESAMPLE2, desc);
}

inline Expression Upsample2D(Expression input, DML_SIZE_2D scaleSize, DML_INTERPOLATION_MODE interpolationMode) {
    detail::Call call;
    DML_UPSAMPLE_2D_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ScaleSize = scaleSize;
    desc.InterpolationMode = interpolationMode;
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_UPSAMPLE_2D, desc));
    return call.Make(DML_OPERATOR_UPSAMPLE_2D, desc);
}

/* ---- Products of integers ---- */

namespace detail {

/** Fills in the arrays of a convolution of integers. */
template <typename Desc>
void Convolved(Call &call, Desc &desc, std::size_t spatial, Span<const std::uint32_t> strides,
               Span<const std::uint32_t> dilations, Span<const std::uint32_t> startPadding,
               Span<const std::uint32_t> endPadding, std::uint32_t groupCount) {
    desc.DimensionCount = static_cast<std::uint32_t>(spatial);
    desc.Strides = call.Array("strides", strides, spatial, 1u);
    desc.Dilations = call.Array("dilations", dilations, spatial, 1u);
    desc.StartPadding = call.Array("startPadding", startPadding, spatial, 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, spatial, 0u);
    desc.GroupCount = groupCount;
}
} // namespace detail

inline Expression ConvolutionInteger(Expression input, Optional<Expression> inputZeroPoint, Expression filter,
                                     Optional<Expression> filterZeroPoint, Span<const std::uint32_t> strides = {},
                                     Span<const std::uint32_t> dilations = {},
                                     Span<const std::uint32_t> startPadding = {},
                                     Span<const std::uint32_t> endPadding = {}, std::uint32_t groupCount = 1,
                                     TensorDimensions outputSizes = {}) {
    detail::Call call;
    DML_CONVOLUTION_INTEGER_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputZeroPointTensor = call.In(inputZeroPoint);
    desc.FilterTensor = call.In(filter);
    desc.FilterZeroPointTensor = call.In(filterZeroPoint);
    detail::Convolved(call, desc, detail::SpatialCount(input), strides, dilations, startPadding, endPadding,
                      groupCount);
    if (outputSizes.empty()) {
        outputSizes = call.Infer(DML_OPERATOR_CONVOLUTION_INTEGER, desc);
    }
    desc.OutputTensor = call.Out(DML_TENSOR_DATA_TYPE_INT32, std::move(outputSizes));
    return call.Make(DML_OPERATOR_CONVOLUTION_INTEGER, desc);
}

/** outputDataType: of the zero point of the output, if there is one. UNKNOWN is the type of the zero point, or of the
 * input. */
inline Expression
QuantizedLinearConvolution(Expression input, Expression inputScale, Optional<Expression> inputZeroPoint,
                           Expression filter, Expression filterScale, Optional<Expression> filterZeroPoint,
                           Optional<Expression> bias, Expression outputScale, Optional<Expression> outputZeroPoint,
                           DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UNKNOWN,
                           Span<const std::uint32_t> strides = {}, Span<const std::uint32_t> dilations = {},
                           Span<const std::uint32_t> startPadding = {}, Span<const std::uint32_t> endPadding = {},
                           std::uint32_t groupCount = 1, TensorDimensions outputSizes = {}) {
    detail::Call call;
    DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputScaleTensor = call.In(inputScale);
    desc.InputZeroPointTensor = call.In(inputZeroPoint);
    desc.FilterTensor = call.In(filter);
    desc.FilterScaleTensor = call.In(filterScale);
    desc.FilterZeroPointTensor = call.In(filterZeroPoint);
    desc.BiasTensor = call.In(bias);
    desc.OutputScaleTensor = call.In(outputScale);
    desc.OutputZeroPointTensor = call.In(outputZeroPoint);
    detail::Convolved(call, desc, detail::SpatialCount(input), strides, dilations, startPadding, endPadding,
                      groupCount);
    if (outputSizes.empty()) {
        outputSizes = call.Infer(DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION, desc);
    }
    if (outputDataType == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        outputDataType = detail::Type(outputZeroPoint ? *outputZeroPoint : input);
    }
    desc.OutputTensor = call.Out(outputDataType, std::move(outputSizes));
    return call.Make(DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION, desc);
}

inline Expression MatrixMultiplyInteger(Expression a, Optional<Expression> aZeroPoint, Expression b,
                                        Optional<Expression> bZeroPoint) {
    detail::Call call;
    DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC desc{};
    desc.ATensor = call.In(a);
    desc.AZeroPointTensor = call.In(aZeroPoint);
    desc.BTensor = call.In(b);
    desc.BZeroPointTensor = call.In(bZeroPoint);
    desc.OutputTensor = call.Out(DML_TENSOR_DATA_TYPE_INT32, call.Infer(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, desc));
    return call.Make(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, desc);
}

/** Without a zero point of the output it is of A's type. */
inline Expression QuantizedLinearMatrixMultiply(Expression a, Expression aScale, Optional<Expression> aZeroPoint,
                                                Expression b, Expression bScale, Optional<Expression> bZeroPoint,
                                                Expression outputScale, Optional<Expression> outputZeroPoint) {
    detail::Call call;
    DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC desc{};
    desc.ATensor = call.In(a);
    desc.AScaleTensor = call.In(aScale);
    desc.AZeroPointTensor = call.In(aZeroPoint);
    desc.BTensor = call.In(b);
    desc.BScaleTensor = call.In(bScale);
    desc.BZeroPointTensor = call.In(bZeroPoint);
    desc.OutputScaleTensor = call.In(outputScale);
    desc.OutputZeroPointTensor = call.In(outputZeroPoint);
    desc.OutputTensor = call.Out(detail::Type(outputZeroPoint ? *outputZeroPoint : a),
                                 call.Infer(DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY, desc));
    return call.Make(DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY, desc);
}

/** Of the scales' type. */
inline Expression MatrixMultiplyIntegerToFloat(Expression a, Expression aScale, Optional<Expression> aZeroPoint,
                                               Expression b, Expression bScale, Optional<Expression> bZeroPoint,
                                               Optional<Expression> bias = NullOpt) {
    detail::Call call;
    DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC desc{};
    desc.ATensor = call.In(a);
    desc.AScaleTensor = call.In(aScale);
    desc.AZeroPointTensor = call.In(aZeroPoint);
    desc.BTensor = call.In(b);
    desc.BScaleTensor = call.In(bScale);
    desc.BZeroPointTensor = call.In(bZeroPoint);
    desc.BiasTensor = call.In(bias);
    desc.OutputTensor = call.Out(detail::Type(aScale), call.Infer(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT, desc));
    return call.Make(DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT, desc);
}

/** Without a zero point of the output it is of the input's type. */
inline Expression QuantizedLinearAveragePooling(Expression input, Expression inputScale,
                                                Optional<Expression> inputZeroPoint, Expression outputScale,
                                                Optional<Expression> outputZeroPoint, Span<const std::uint32_t> strides,
                                                Span<const std::uint32_t> windowSizes,
                                                Span<const std::uint32_t> startPadding = {},
                                                Span<const std::uint32_t> endPadding = {},
                                                Span<const std::uint32_t> dilations = {}, bool includePadding = false) {
    const std::size_t spatial = detail::SpatialCount(input);
    detail::Call call;
    DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputScaleTensor = call.In(inputScale);
    desc.InputZeroPointTensor = call.In(inputZeroPoint);
    desc.OutputScaleTensor = call.In(outputScale);
    desc.OutputZeroPointTensor = call.In(outputZeroPoint);
    desc.DimensionCount = static_cast<std::uint32_t>(spatial);
    desc.Strides = call.Array("strides", strides, spatial, 1u);
    desc.WindowSize = call.Array("windowSizes", windowSizes, spatial, 1u);
    desc.StartPadding = call.Array("startPadding", startPadding, spatial, 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, spatial, 0u);
    desc.Dilations = call.Array("dilations", dilations, spatial, 1u);
    desc.IncludePadding = includePadding;
    desc.OutputTensor = call.Out(detail::Type(outputZeroPoint ? *outputZeroPoint : input),
                                 call.Infer(DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING, desc));
    return call.Make(DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING, desc);
}

/* ---- Training ---- */

/** Outputs of BatchNormalizationTraining(). */
struct BatchNormalizationTrainingOutputs {
    Expression output;
    Expression mean;
    Expression variance;
};

inline BatchNormalizationTrainingOutputs
BatchNormalizationTraining(Expression input, Expression scale, Expression bias, Optional<Expression> fusedAdd = NullOpt,
                           float epsilon = 1e-5f, FusedActivation fusedActivation = FusedActivation::None()) {
    detail::Call call;
    DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ScaleTensor = call.In(scale);
    desc.BiasTensor = call.In(bias);
    desc.FusedAddTensor = call.In(fusedAdd);
    desc.OutputTensor = call.Out(input);
    desc.OutputMeanTensor = call.Out(scale);
    desc.OutputVarianceTensor = call.Out(scale);
    desc.Epsilon = epsilon;
    desc.FusedActivation = call.Fuse(fusedActivation);
    const Expression output = call.Make(DML_OPERATOR_BATCH_NORMALIZATION_TRAINING, desc);
    return {output, call.Output(1), call.Output(2)};
}

/** Outputs of BatchNormalizationGrad() and BatchNormalizationTrainingGrad(). */
struct BatchNormalizationGradOutputs {
    Expression gradient;
    Expression scaleGradient;
    Expression biasGradient;
};

namespace detail {

template <typename Desc>
BatchNormalizationGradOutputs NormalizedBack(DML_OPERATOR_TYPE type, const Expression &input,
                                             const Expression &inputGradient, const Expression &mean,
                                             const Expression &variance, const Expression &scale, float epsilon) {
    Call call;
    Desc desc{};
    desc.InputTensor = call.In(input);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.MeanTensor = call.In(mean);
    desc.VarianceTensor = call.In(variance);
    desc.ScaleTensor = call.In(scale);
    desc.OutputGradientTensor = call.Out(input);
    desc.OutputScaleGradientTensor = call.Out(mean);
    desc.OutputBiasGradientTensor = call.Out(mean);
    desc.Epsilon = epsilon;
    const Expression gradient = call.Make(type, desc);
    return {gradient, call.Output(1), call.Output(2)};
}
} // namespace detail

inline BatchNormalizationGradOutputs BatchNormalizationGrad(Expression input, Expression inputGradient, Expression mean,
                                                            Expression variance, Expression scale, float epsilon) {
    return detail::NormalizedBack<DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC>(
        DML_OPERATOR_BATCH_NORMALIZATION_GRAD, input, inputGradient, mean, variance, scale, epsilon);
}

inline BatchNormalizationGradOutputs BatchNormalizationTrainingGrad(Expression input, Expression inputGradient,
                                                                    Expression mean, Expression variance,
                                                                    Expression scale, float epsilon) {
    return detail::NormalizedBack<DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC>(
        DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD, input, inputGradient, mean, variance, scale, epsilon);
}

inline Expression LocalResponseNormalizationGrad(Expression input, Expression inputGradient, bool crossChannel,
                                                 std::uint32_t localSize, float alpha, float beta, float bias) {
    detail::Call call;
    DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(input);
    desc.CrossChannel = crossChannel;
    desc.LocalSize = localSize;
    desc.Alpha = alpha;
    desc.Beta = beta;
    desc.Bias = bias;
    return call.Make(DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD, desc);
}

/** Outputs of AdamOptimizer(). */
struct AdamOptimizerOutputs {
    Expression parameters;
    Expression firstMoment;
    Expression secondMoment;
};

inline AdamOptimizerOutputs AdamOptimizer(Expression inputParameters, Expression inputFirstMoment,
                                          Expression inputSecondMoment, Expression gradient, Expression trainingStep,
                                          float learningRate, float beta1, float beta2, float epsilon) {
    detail::Call call;
    DML_ADAM_OPTIMIZER_OPERATOR_DESC desc{};
    desc.InputParametersTensor = call.In(inputParameters);
    desc.InputFirstMomentTensor = call.In(inputFirstMoment);
    desc.InputSecondMomentTensor = call.In(inputSecondMoment);
    desc.GradientTensor = call.In(gradient);
    desc.TrainingStepTensor = call.In(trainingStep);
    desc.OutputParametersTensor = call.Out(inputParameters);
    desc.OutputFirstMomentTensor = call.Out(inputParameters);
    desc.OutputSecondMomentTensor = call.Out(inputParameters);
    desc.LearningRate = learningRate;
    desc.Beta1 = beta1;
    desc.Beta2 = beta2;
    desc.Epsilon = epsilon;
    const Expression parameters = call.Make(DML_OPERATOR_ADAM_OPTIMIZER, desc);
    return {parameters, call.Output(1), call.Output(2)};
}

/** Outputs of RandomGenerator(). */
struct RandomGeneratorOutputs {
    Expression values;
    Expression state; /**< empty unless asked for */
};

inline RandomGeneratorOutputs
RandomGenerator(Expression inputState, TensorDimensions outputSizes, bool outputState = true,
                DML_RANDOM_GENERATOR_TYPE type = DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10) {
    detail::Call call;
    DML_RANDOM_GENERATOR_OPERATOR_DESC desc{};
    desc.InputStateTensor = call.In(inputState);
    desc.OutputTensor = call.Out(DML_TENSOR_DATA_TYPE_UINT32, std::move(outputSizes));
    desc.OutputStateTensor = call.Out(outputState, detail::Type(inputState), detail::Sizes(inputState));
    desc.Type = type;
    const Expression values = call.Make(DML_OPERATOR_RANDOM_GENERATOR, desc);
    return {values, call.Output(1)};
}

/* ---- Attention ---- */

/** What attention reads: query, key and value, each from one of these. Those that are not set are absent. */
struct AttentionInputs {
    Optional<Expression> query;
    Optional<Expression> key;
    Optional<Expression> value;
    Optional<Expression> stackedQueryKey;
    Optional<Expression> stackedKeyValue;
    Optional<Expression> stackedQueryKeyValue;
    Optional<Expression> bias;
    Optional<Expression> mask;
    Optional<Expression> relativePositionBias;
    Optional<Expression> pastKey;
    Optional<Expression> pastValue;
    Optional<Expression> pastSequenceLengths; /**< of heads in groups alone */
};

/** Outputs of MultiHeadAttention(). */
struct MultiHeadAttentionOutputs {
    Expression output;
    Expression presentKey; /**< empty where no sizes of it were given */
    Expression presentValue;
};

namespace detail {

template <typename Desc> void ReadAttention(Call &call, Desc &desc, const AttentionInputs &inputs) {
    desc.QueryTensor = call.In(inputs.query);
    desc.KeyTensor = call.In(inputs.key);
    desc.ValueTensor = call.In(inputs.value);
    desc.StackedQueryKeyTensor = call.In(inputs.stackedQueryKey);
    desc.StackedKeyValueTensor = call.In(inputs.stackedKeyValue);
    desc.StackedQueryKeyValueTensor = call.In(inputs.stackedQueryKeyValue);
    desc.BiasTensor = call.In(inputs.bias);
    desc.MaskTensor = call.In(inputs.mask);
    desc.RelativePositionBiasTensor = call.In(inputs.relativePositionBias);
    desc.PastKeyTensor = call.In(inputs.pastKey);
    desc.PastValueTensor = call.In(inputs.pastValue);
}

template <typename Desc>
MultiHeadAttentionOutputs Attend(Call &call, Desc &desc, DML_OPERATOR_TYPE operatorType, const AttentionInputs &inputs,
                                 TensorDimensions outputSizes, TensorDimensions presentKeySizes,
                                 TensorDimensions presentValueSizes, float scale, float maskFilterValue,
                                 DML_MULTIHEAD_ATTENTION_MASK_TYPE maskType) {
    const DML_TENSOR_DATA_TYPE type =
        Type(inputs.query             ? *inputs.query
             : inputs.stackedQueryKey ? *inputs.stackedQueryKey
                                      : inputs.stackedQueryKeyValue.value_or(Expression()));
    const bool hasKeys = !presentKeySizes.empty(), hasValues = !presentValueSizes.empty();
    desc.OutputTensor = call.Out(type, std::move(outputSizes));
    desc.OutputPresentKeyTensor = call.Out(hasKeys, type, std::move(presentKeySizes));
    desc.OutputPresentValueTensor = call.Out(hasValues, type, std::move(presentValueSizes));
    desc.Scale = scale;
    desc.MaskFilterValue = maskFilterValue;
    desc.MaskType = maskType;
    const Expression output = call.Make(operatorType, desc);
    return {output, call.Output(1), call.Output(2)};
}
} // namespace detail

/** outputSizes: {batches, queries, heads * columns of values}; of what is present {batches, heads, keys, columns}. */
inline MultiHeadAttentionOutputs
MultiHeadAttention(const AttentionInputs &inputs, TensorDimensions outputSizes, std::uint32_t headCount, float scale,
                   float maskFilterValue = -10000.0f,
                   DML_MULTIHEAD_ATTENTION_MASK_TYPE maskType = DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE,
                   TensorDimensions presentKeySizes = {}, TensorDimensions presentValueSizes = {}) {
    detail::Call call;
    DML_MULTIHEAD_ATTENTION_OPERATOR_DESC desc{};
    detail::ReadAttention(call, desc, inputs);
    desc.HeadCount = headCount;
    return detail::Attend(call, desc, DML_OPERATOR_MULTIHEAD_ATTENTION, inputs, std::move(outputSizes),
                          std::move(presentKeySizes), std::move(presentValueSizes), scale, maskFilterValue, maskType);
}
/** With heads of queries in groups that share keys and values, and lengths of the past (6_3). */
inline MultiHeadAttentionOutputs
MultiHeadAttention(const AttentionInputs &inputs, TensorDimensions outputSizes, std::uint32_t queryHeadCount,
                   std::uint32_t keyValueHeadCount, float scale, float maskFilterValue = -10000.0f,
                   DML_MULTIHEAD_ATTENTION_MASK_TYPE maskType = DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE,
                   TensorDimensions presentKeySizes = {}, TensorDimensions presentValueSizes = {}) {
    detail::Call call;
    DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC desc{};
    detail::ReadAttention(call, desc, inputs);
    desc.PastSequenceLengthsTensor = call.In(inputs.pastSequenceLengths);
    desc.QueryHeadCount = queryHeadCount;
    desc.KeyValueHeadCount = keyValueHeadCount;
    return detail::Attend(call, desc, DML_OPERATOR_MULTIHEAD_ATTENTION1, inputs, std::move(outputSizes),
                          std::move(presentKeySizes), std::move(presentValueSizes), scale, maskFilterValue, maskType);
}

/* ---- Recurrent networks ---- */

/** Outputs of RNN(), GRU() and LSTM(). */
struct RecurrentOutputs {
    Expression sequence; /**< of every step; empty unless asked for */
    Expression single;   /**< of the last step; the same */
    Expression cell;     /**< of LSTM() alone: its memory after the last step; the same */
};

namespace detail {

/** Fills in what recurrent networks have in common; their outputs are made behind what else they read. */
template <typename Desc>
void Recur(Call &call, Desc &desc, const Expression &input, const Expression &recurrence, bool outputSequence,
           bool outputSingle, Span<const FusedActivation> activations, DML_RECURRENT_NETWORK_DIRECTION direction) {
    const TensorDimensions &x = Sizes(input), &r = Sizes(recurrence);
    const TensorDimensions states = {1, SizeAt(r, 1), SizeAt(x, 2), SizeAt(r, 3)};
    desc.OutputSequenceTensor =
        call.Out(outputSequence, Type(input), {SizeAt(x, 1), SizeAt(r, 1), SizeAt(x, 2), SizeAt(r, 3)});
    desc.OutputSingleTensor = call.Out(outputSingle, Type(input), states);
    desc.ActivationDescCount = static_cast<std::uint32_t>(activations.size());
    desc.ActivationDescs = call.Fuse(activations);
    desc.Direction = direction;
}
} // namespace detail

/** activations: one for each direction. */
inline RecurrentOutputs RNN(Expression input, Expression weight, Expression recurrence, Optional<Expression> bias,
                            Optional<Expression> hiddenInit, Optional<Expression> sequenceLengths,
                            Span<const FusedActivation> activations, DML_RECURRENT_NETWORK_DIRECTION direction,
                            bool outputSequence, bool outputSingle) {
    detail::Call call;
    DML_RNN_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.WeightTensor = call.In(weight);
    desc.RecurrenceTensor = call.In(recurrence);
    desc.BiasTensor = call.In(bias);
    desc.HiddenInitTensor = call.In(hiddenInit);
    desc.SequenceLengthsTensor = call.In(sequenceLengths);
    detail::Recur(call, desc, input, recurrence, outputSequence, outputSingle, activations, direction);
    const Expression sequence = call.Make(DML_OPERATOR_RNN, desc);
    return {sequence, call.Output(1), {}};
}

/** activations: two for each direction. */
inline RecurrentOutputs GRU(Expression input, Expression weight, Expression recurrence, Optional<Expression> bias,
                            Optional<Expression> hiddenInit, Optional<Expression> sequenceLengths,
                            Span<const FusedActivation> activations, DML_RECURRENT_NETWORK_DIRECTION direction,
                            bool linearBeforeReset, bool outputSequence, bool outputSingle) {
    detail::Call call;
    DML_GRU_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.WeightTensor = call.In(weight);
    desc.RecurrenceTensor = call.In(recurrence);
    desc.BiasTensor = call.In(bias);
    desc.HiddenInitTensor = call.In(hiddenInit);
    desc.SequenceLengthsTensor = call.In(sequenceLengths);
    detail::Recur(call, desc, input, recurrence, outputSequence, outputSingle, activations, direction);
    desc.LinearBeforeReset = linearBeforeReset;
    const Expression sequence = call.Make(DML_OPERATOR_GRU, desc);
    return {sequence, call.Output(1), {}};
}

/** Which outputs GRU() makes. */
enum class GRUOutputOptions { Both, Sequence, Single };

/** Outputs of GRU(). */
struct GRUOutputs {
    Expression sequence; /**< of every step; empty unless asked for */
    Expression single;   /**< of the last step; the same */
};

inline GRUOutputs GRU(Expression input, Expression weight, Expression recurrence, Optional<Expression> bias,
                      Optional<Expression> hiddenInit, Optional<Expression> sequenceLengths,
                      Span<const FusedActivation> activations, DML_RECURRENT_NETWORK_DIRECTION direction,
                      bool linearBeforeReset, GRUOutputOptions outputOptions) {
    const RecurrentOutputs outputs =
        GRU(input, weight, recurrence, bias, hiddenInit, sequenceLengths, activations, direction, linearBeforeReset,
            outputOptions != GRUOutputOptions::Single, outputOptions != GRUOutputOptions::Sequence);
    return {outputs.sequence, outputs.single};
}

/** activations: three for each direction. clipThreshold: none where it is absent. */
inline RecurrentOutputs LSTM(Expression input, Expression weight, Expression recurrence, Optional<Expression> bias,
                             Optional<Expression> hiddenInit, Optional<Expression> cellMemInit,
                             Optional<Expression> sequenceLengths, Optional<Expression> peephole,
                             Span<const FusedActivation> activations, DML_RECURRENT_NETWORK_DIRECTION direction,
                             Optional<float> clipThreshold, bool coupleInputForget, bool outputSequence,
                             bool outputSingle, bool outputCellSingle) {
    detail::Call call;
    DML_LSTM_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.WeightTensor = call.In(weight);
    desc.RecurrenceTensor = call.In(recurrence);
    desc.BiasTensor = call.In(bias);
    desc.HiddenInitTensor = call.In(hiddenInit);
    desc.CellMemInitTensor = call.In(cellMemInit);
    desc.SequenceLengthsTensor = call.In(sequenceLengths);
    desc.PeepholeTensor = call.In(peephole);
    detail::Recur(call, desc, input, recurrence, outputSequence, outputSingle, activations, direction);
    const TensorDimensions &x = detail::Sizes(input), &r = detail::Sizes(recurrence);
    desc.OutputCellSingleTensor = call.Out(outputCellSingle, detail::Type(input),
                                           {1, detail::SizeAt(r, 1), detail::SizeAt(x, 2), detail::SizeAt(r, 3)});
    desc.ClipThreshold = clipThreshold ? *clipThreshold : 0.0f;
    desc.UseClipThreshold = clipThreshold ? 1 : 0;
    desc.CoupleInputForget = coupleInputForget;
    const Expression sequence = call.Make(DML_OPERATOR_LSTM, desc);
    return {sequence, call.Output(1), call.Output(2)};
}

/* ---- Gradients of poolings, of regions and of resampling ----
 * Their outputs have the sizes of what was pooled or resampled. */

namespace detail {

/** Fills in the arrays of a pooling's gradient. */
template <typename Desc>
void PooledBack(Call &call, Desc &desc, std::size_t spatial, Span<const std::uint32_t> strides,
                Span<const std::uint32_t> windowSizes, Span<const std::uint32_t> startPadding,
                Span<const std::uint32_t> endPadding) {
    desc.DimensionCount = static_cast<std::uint32_t>(spatial);
    desc.Strides = call.Array("strides", strides, spatial, 1u);
    desc.WindowSize = call.Array("windowSizes", windowSizes, spatial, 1u);
    desc.StartPadding = call.Array("startPadding", startPadding, spatial, 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, spatial, 0u);
}

/** Fills in the tensors and arrays of a resampling's gradient. */
template <typename Desc>
void ResampledBack(Call &call, Desc &desc, const Expression &inputGradient, const TensorDimensions &outputSizes,
                   DML_INTERPOLATION_MODE mode, Span<const float> scales, Span<const float> inputPixelOffsets,
                   Span<const float> outputPixelOffsets) {
    const std::size_t rank = Sizes(inputGradient).size();
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(Type(inputGradient), outputSizes);
    desc.InterpolationMode = mode;
    desc.DimensionCount = static_cast<std::uint32_t>(rank);
    desc.Scales = call.Array("scales", scales, rank, 1.0f);
    desc.InputPixelOffsets = call.Array("inputPixelOffsets", inputPixelOffsets, rank, -0.5f);
    desc.OutputPixelOffsets = call.Array("outputPixelOffsets", outputPixelOffsets, rank, 0.5f);
}
} // namespace detail

inline Expression AveragePoolingGrad(Expression inputGradient, TensorDimensions outputSizes,
                                     Span<const std::uint32_t> strides, Span<const std::uint32_t> windowSizes,
                                     Span<const std::uint32_t> startPadding = {},
                                     Span<const std::uint32_t> endPadding = {}, bool includePadding = false) {
    detail::Call call;
    DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC desc{};
    detail::PooledBack(call, desc, detail::SpatialCount(inputGradient), strides, windowSizes, startPadding, endPadding);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(detail::Type(inputGradient), std::move(outputSizes));
    desc.IncludePadding = includePadding;
    return call.Make(DML_OPERATOR_AVERAGE_POOLING_GRAD, desc);
}

inline Expression MaxPoolingGrad(Expression input, Expression inputGradient, Span<const std::uint32_t> windowSizes,
                                 Span<const std::uint32_t> strides = {}, Span<const std::uint32_t> startPadding = {},
                                 Span<const std::uint32_t> endPadding = {}, Span<const std::uint32_t> dilations = {}) {
    detail::Call call;
    DML_MAX_POOLING_GRAD_OPERATOR_DESC desc{};
    detail::PooledBack(call, desc, detail::SpatialCount(input), strides, windowSizes, startPadding, endPadding);
    desc.Dilations = call.Array("dilations", dilations, detail::SpatialCount(input), 1u);
    desc.InputTensor = call.In(input);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(detail::Type(input), detail::Sizes(input));
    return call.Make(DML_OPERATOR_MAX_POOLING_GRAD, desc);
}

/**
 * The gradient of Resample(). Scales are the forward operator's; none: the gradient's sizes divided by the output's.
 * The offsets belong to this operator's own tensors: inputPixelOffsets are the forward operator's output offsets, and
 * the other way round. None: -0.5 and 0.5, which belong to Resample()'s 0.5 and -0.5. (DirectMLX: 0.5 and -0.5.)
 */
inline Expression ResampleGrad(Expression inputGradient, TensorDimensions outputSizes, DML_INTERPOLATION_MODE mode,
                               Span<const float> scales = {}, Span<const float> inputPixelOffsets = {},
                               Span<const float> outputPixelOffsets = {}) {
    std::vector<float> all(scales.begin(), scales.end());
    for (std::size_t i = 0; scales.empty() && i < outputSizes.size(); i++) {
        all.push_back(static_cast<float>(detail::SizeAt(detail::Sizes(inputGradient), i)) /
                      static_cast<float>(outputSizes[i]));
    }
    detail::Call call;
    DML_RESAMPLE_GRAD_OPERATOR_DESC desc{};
    detail::ResampledBack(call, desc, inputGradient, outputSizes, mode, all, inputPixelOffsets, outputPixelOffsets);
    return call.Make(DML_OPERATOR_RESAMPLE_GRAD, desc);
}
/** With a direction of rounding (5_1). */
inline Expression ResampleGrad(Expression inputGradient, TensorDimensions outputSizes, DML_INTERPOLATION_MODE mode,
                               DML_AXIS_DIRECTION roundingDirection, Span<const float> scales,
                               Span<const float> inputPixelOffsets = {}, Span<const float> outputPixelOffsets = {}) {
    detail::Call call;
    DML_RESAMPLE_GRAD1_OPERATOR_DESC desc{};
    detail::ResampledBack(call, desc, inputGradient, outputSizes, mode, scales, inputPixelOffsets, outputPixelOffsets);
    desc.RoundingDirection = roundingDirection;
    return call.Make(DML_OPERATOR_RESAMPLE_GRAD1, desc);
}

/** Outputs of RoiAlignGrad(). */
struct RoiAlignGradOutputs {
    Expression outputGradient;    /**< empty unless asked for */
    Expression outputROIGradient; /**< the same */
};

/** batchSize, imageHeight, imageWidth: sizes of the images; the number of channels is the incoming gradient's. */
inline RoiAlignGradOutputs RoiAlignGrad(Optional<Expression> input, Expression inputGradient, Expression roi,
                                        Expression batchIndices, DML_REDUCE_FUNCTION reductionFunction,
                                        DML_INTERPOLATION_MODE interpolationMode, float spatialScaleX,
                                        float spatialScaleY, float inputPixelOffset, float outputPixelOffset,
                                        std::uint32_t minimumSamplesPerOutput, std::uint32_t maximumSamplesPerOutput,
                                        bool alignRegionsToCorners, std::uint32_t batchSize, std::uint32_t imageHeight,
                                        std::uint32_t imageWidth, bool computeOutputGradient,
                                        bool computeOutputROIGradient) {
    const std::uint32_t channels = detail::SizeAt(detail::Sizes(inputGradient), 1);
    detail::Call call;
    DML_ROI_ALIGN_GRAD_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.InputGradientTensor = call.In(inputGradient);
    desc.ROITensor = call.In(roi);
    desc.BatchIndicesTensor = call.In(batchIndices);
    desc.OutputGradientTensor = call.Out(computeOutputGradient, detail::Type(inputGradient),
                                         {batchSize, channels, imageHeight, imageWidth});
    desc.OutputROIGradientTensor = call.Out(computeOutputROIGradient, detail::Type(roi), detail::Sizes(roi));
    desc.ReductionFunction = reductionFunction;
    desc.InterpolationMode = interpolationMode;
    desc.SpatialScaleX = spatialScaleX;
    desc.SpatialScaleY = spatialScaleY;
    desc.InputPixelOffset = inputPixelOffset;
    desc.OutputPixelOffset = outputPixelOffset;
    desc.MinimumSamplesPerOutput = minimumSamplesPerOutput;
    desc.MaximumSamplesPerOutput = maximumSamplesPerOutput;
    desc.AlignRegionsToCorners = alignRegionsToCorners;
    const Expression outputGradient = call.Make(DML_OPERATOR_ROI_ALIGN_GRAD, desc);
    return {outputGradient, call.Output(1)};
}

/* ---- Reductions and running totals ---- */

/** Of type UNKNOWN the output has the input's, of ARGMIN and ARGMAX UINT32. */
inline Expression Reduce(Expression input, DML_REDUCE_FUNCTION function, Span<const std::uint32_t> axes = {},
                         DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UNKNOWN) {
    const std::vector<std::uint32_t> all = detail::AllAxes(axes, detail::Sizes(input));
    if (outputDataType == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        const bool places = function == DML_REDUCE_FUNCTION_ARGMIN || function == DML_REDUCE_FUNCTION_ARGMAX;
        outputDataType = places ? DML_TENSOR_DATA_TYPE_UINT32 : detail::Type(input);
    }
    detail::Call call;
    DML_REDUCE_OPERATOR_DESC desc{};
    desc.Function = function;
    desc.InputTensor = call.In(input);
    desc.OutputTensor = call.Out(outputDataType, detail::Reduced(detail::Sizes(input), all));
    desc.AxisCount = static_cast<std::uint32_t>(all.size());
    desc.Axes = all.data();
    return call.Make(DML_OPERATOR_REDUCE, desc);
}

#define VKDML_PLACE(Name, NAME)                                                                                        \
    inline Expression Name(Expression input, Span<const std::uint32_t> axes = {},                                      \
                           DML_AXIS_DIRECTION axisDirection = DML_AXIS_DIRECTION_INCREASING,                           \
                           DML_TENSOR_DATA_TYPE outputDataType = DML_TENSOR_DATA_TYPE_UINT32) {                        \
        const std::vector<std::uint32_t> all = detail::AllAxes(axes, detail::Sizes(input));                            \
        detail::Call call;                                                                                             \
        DML_##NAME##_OPERATOR_DESC desc{};                                                                             \
        desc.InputTensor = call.In(input);                                                                             \
        desc.OutputTensor = call.Out(outputDataType, detail::Reduced(detail::Sizes(input), all));                      \
        desc.AxisCount = static_cast<std::uint32_t>(all.size());                                                       \
        desc.Axes = all.data();                                                                                        \
        desc.AxisDirection = axisDirection;                                                                            \
        return call.Make(DML_OPERATOR_##NAME, desc);                                                                   \
    }
VKDML_PLACE(ArgMin, ARGMIN)
VKDML_PLACE(ArgMax, ARGMAX)
#undef VKDML_PLACE

inline Expression CumulativeSummation(Expression input, std::uint32_t axis, DML_AXIS_DIRECTION axisDirection,
                                      bool hasExclusiveSum) {
    DML_CUMULATIVE_SUMMATION_OPERATOR_DESC desc{};
    desc.Axis = axis;
    desc.AxisDirection = axisDirection;
    desc.HasExclusiveSum = hasExclusiveSum;
    return detail::MakeUnary(DML_OPERATOR_CUMULATIVE_SUMMATION, desc, input);
}

inline Expression CumulativeProduct(Expression input, std::uint32_t axis, DML_AXIS_DIRECTION axisDirection,
                                    bool hasExclusiveProduct) {
    DML_CUMULATIVE_PRODUCT_OPERATOR_DESC desc{};
    desc.Axis = axis;
    desc.AxisDirection = axisDirection;
    desc.HasExclusiveProduct = hasExclusiveProduct;
    return detail::MakeUnary(DML_OPERATOR_CUMULATIVE_PRODUCT, desc, input);
}

/** Outputs of TopK(). */
struct TopKOutputs {
    Expression value;
    Expression index;
};

inline TopKOutputs TopK(Expression input, std::uint32_t axis, std::uint32_t k,
                        DML_AXIS_DIRECTION axisDirection = DML_AXIS_DIRECTION_DECREASING) {
    TensorDimensions sizes = detail::Sizes(input);
    detail::SetSize(sizes, axis, k);
    detail::Call call;
    DML_TOP_K1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.OutputValueTensor = call.Out(detail::Type(input), sizes);
    desc.OutputIndexTensor = call.Out(DML_TENSOR_DATA_TYPE_UINT32, sizes);
    desc.Axis = axis;
    desc.K = k;
    desc.AxisDirection = axisDirection;
    if (axisDirection == DML_AXIS_DIRECTION_DECREASING) {
        const DML_TOP_K_OPERATOR_DESC greatest = {desc.InputTensor, desc.OutputValueTensor, desc.OutputIndexTensor,
                                                  axis, k};
        const Expression value = call.Make(DML_OPERATOR_TOP_K, greatest);
        return {value, call.Output(1)};
    }
    const Expression value = call.Make(DML_OPERATOR_TOP_K1, desc);
    return {value, call.Output(1)};
}

/* ---- Normalization ---- */

inline Expression BatchNormalization(Expression input, Expression mean, Expression variance, Expression scale,
                                     Expression bias, bool spatial, float epsilon,
                                     FusedActivation fusedActivation = FusedActivation::None()) {
    detail::Call call;
    DML_BATCH_NORMALIZATION_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.MeanTensor = call.In(mean);
    desc.VarianceTensor = call.In(variance);
    desc.ScaleTensor = call.In(scale);
    desc.BiasTensor = call.In(bias);
    desc.OutputTensor = call.Out(input);
    desc.Spatial = spatial;
    desc.Epsilon = epsilon;
    desc.FusedActivation = call.Fuse(fusedActivation);
    return call.Make(DML_OPERATOR_BATCH_NORMALIZATION, desc);
}

inline Expression MeanVarianceNormalization(Expression input, Optional<Expression> scale, Optional<Expression> bias,
                                            Span<const std::uint32_t> axes, bool normalizeVariance, float epsilon,
                                            FusedActivation fusedActivation = FusedActivation::None()) {
    detail::Call call;
    DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ScaleTensor = call.In(scale);
    desc.BiasTensor = call.In(bias);
    desc.OutputTensor = call.Out(input);
    desc.AxisCount = static_cast<std::uint32_t>(axes.size());
    desc.Axes = axes.data();
    desc.NormalizeVariance = normalizeVariance;
    desc.Epsilon = epsilon;
    desc.FusedActivation = call.Fuse(fusedActivation);
    return call.Make(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, desc);
}
/** Of {N, C, H, W}, over {H, W} or {C, H, W}: the operator of 1_0. */
inline Expression MeanVarianceNormalization(Expression input, Optional<Expression> scale, Optional<Expression> bias,
                                            bool crossChannel, bool normalizeVariance, float epsilon,
                                            FusedActivation fusedActivation = FusedActivation::None()) {
    detail::Call call;
    DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ScaleTensor = call.In(scale);
    desc.BiasTensor = call.In(bias);
    desc.OutputTensor = call.Out(input);
    desc.CrossChannel = crossChannel;
    desc.NormalizeVariance = normalizeVariance;
    desc.Epsilon = epsilon;
    desc.FusedActivation = call.Fuse(fusedActivation);
    return call.Make(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION, desc);
}
/** With or without the mean (6_3): with the variance only, root mean square normalization. */
inline Expression MeanVarianceNormalization(Expression input, Optional<Expression> scale, Optional<Expression> bias,
                                            Span<const std::uint32_t> axes, bool normalizeVariance, bool normalizeMean,
                                            float epsilon, FusedActivation fusedActivation = FusedActivation::None()) {
    detail::Call call;
    DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.ScaleTensor = call.In(scale);
    desc.BiasTensor = call.In(bias);
    desc.OutputTensor = call.Out(input);
    desc.AxisCount = static_cast<std::uint32_t>(axes.size());
    desc.Axes = axes.data();
    desc.UseMean = normalizeMean;
    desc.UseVariance = normalizeVariance;
    desc.Epsilon = epsilon;
    desc.FusedActivation = call.Fuse(fusedActivation);
    return call.Make(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2, desc);
}

inline Expression LocalResponseNormalization(Expression input, bool crossChannel, std::uint32_t localSize, float alpha,
                                             float beta, float bias) {
    DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC desc{};
    desc.CrossChannel = crossChannel;
    desc.LocalSize = localSize;
    desc.Alpha = alpha;
    desc.Beta = beta;
    desc.Bias = bias;
    return detail::MakeUnary(DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION, desc, input);
}

inline Expression LpNormalization(Expression input, std::uint32_t axis, float epsilon, std::uint32_t p) {
    DML_LP_NORMALIZATION_OPERATOR_DESC desc{};
    desc.Axis = axis;
    desc.Epsilon = epsilon;
    desc.P = p;
    return detail::MakeUnary(DML_OPERATOR_LP_NORMALIZATION, desc, input);
}

/* ---- Moving data ---- */

inline Expression Padding(Expression input, DML_PADDING_MODE paddingMode, float paddingValue,
                          Span<const std::uint32_t> startPadding, Span<const std::uint32_t> endPadding) {
    const TensorDimensions &sizes = detail::Sizes(input);
    detail::Call call;
    DML_PADDING_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.PaddingMode = paddingMode;
    desc.PaddingValue = paddingValue;
    desc.DimensionCount = detail::Count(sizes);
    desc.StartPadding = call.Array("startPadding", startPadding, sizes.size(), 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, sizes.size(), 0u);
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_PADDING, desc));
    return call.Make(DML_OPERATOR_PADDING, desc);
}
/** With a value of the input's type. */
inline Expression Padding(Expression input, DML_PADDING_MODE paddingMode, DML_SCALAR_UNION paddingValue,
                          Span<const std::uint32_t> startPadding, Span<const std::uint32_t> endPadding) {
    const TensorDimensions &sizes = detail::Sizes(input);
    detail::Call call;
    DML_PADDING1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.PaddingMode = paddingMode;
    desc.PaddingValueDataType = detail::Type(input);
    desc.PaddingValue = paddingValue;
    desc.DimensionCount = detail::Count(sizes);
    desc.StartPadding = call.Array("startPadding", startPadding, sizes.size(), 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, sizes.size(), 0u);
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_PADDING1, desc));
    return call.Make(DML_OPERATOR_PADDING1, desc);
}

inline Expression Slice(Expression input, Span<const std::uint32_t> inputWindowOffsets,
                        Span<const std::uint32_t> inputWindowSizes, Span<const std::int32_t> inputWindowStrides = {}) {
    const std::size_t rank = detail::Sizes(input).size();
    detail::Call call;
    DML_SLICE1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.DimensionCount = static_cast<std::uint32_t>(rank);
    desc.InputWindowOffsets = call.Array("inputWindowOffsets", inputWindowOffsets, rank, 0u);
    desc.InputWindowSizes = call.Array("inputWindowSizes", inputWindowSizes, rank, 1u);
    desc.InputWindowStrides = call.Array("inputWindowStrides", inputWindowStrides, rank, 1);
    TensorDimensions sizes(rank);
    std::vector<std::uint32_t> strides(rank);
    bool forward = true;
    for (std::size_t i = 0; i < rank; i++) {
        const std::int64_t stride = desc.InputWindowStrides[i];
        forward = forward && stride > 0;
        strides[i] = static_cast<std::uint32_t>(stride < 0 ? -stride : stride);
        sizes[i] = detail::Windows(desc.InputWindowSizes[i], 1, 1, strides[i]);
    }
    desc.OutputTensor = call.Out(detail::Type(input), sizes);
    if (forward) {
        const DML_SLICE_OPERATOR_DESC oldest = {desc.InputTensor,        desc.OutputTensor, desc.DimensionCount,
                                                desc.InputWindowOffsets, sizes.data(),      strides.data()};
        return call.Make(DML_OPERATOR_SLICE, oldest);
    }
    return call.Make(DML_OPERATOR_SLICE1, desc);
}

inline Expression SliceGrad(Expression inputGradient, TensorDimensions outputGradientSizes,
                            Span<const std::uint32_t> inputWindowOffsets, Span<const std::uint32_t> inputWindowSizes,
                            Span<const std::int32_t> inputWindowStrides = {}) {
    const std::size_t rank = outputGradientSizes.size();
    detail::Call call;
    DML_SLICE_GRAD_OPERATOR_DESC desc{};
    desc.InputGradientTensor = call.In(inputGradient);
    desc.OutputGradientTensor = call.Out(detail::Type(inputGradient), std::move(outputGradientSizes));
    desc.DimensionCount = static_cast<std::uint32_t>(rank);
    desc.InputWindowOffsets = call.Array("inputWindowOffsets", inputWindowOffsets, rank, 0u);
    desc.InputWindowSizes = call.Array("inputWindowSizes", inputWindowSizes, rank, 1u);
    desc.InputWindowStrides = call.Array("inputWindowStrides", inputWindowStrides, rank, 1);
    return call.Make(DML_OPERATOR_SLICE_GRAD, desc);
}

/** Of pieces that none of a graph's outputs needs DirectML wants an end all the same: a graph with one is refused. */
inline std::vector<Expression> Split(Expression input, std::uint32_t axis, Span<const std::uint32_t> outputAxisSizes) {
    detail::Call call;
    std::vector<DML_TENSOR_DESC> outputs;
    DML_SPLIT_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    for (const std::uint32_t size : outputAxisSizes) {
        TensorDimensions sizes = detail::Sizes(input);
        detail::SetSize(sizes, axis, size);
        outputs.push_back(*call.Out(detail::Type(input), std::move(sizes)));
    }
    desc.OutputCount = static_cast<std::uint32_t>(outputs.size());
    desc.OutputTensors = outputs.data();
    desc.Axis = axis;
    (void)call.Make(DML_OPERATOR_SPLIT, desc);
    std::vector<Expression> pieces;
    for (std::size_t i = 0; i < outputs.size(); i++) {
        pieces.push_back(call.Output(i));
    }
    return pieces;
}

inline Expression Join(Span<const Expression> inputs, std::uint32_t axis) {
    TensorDimensions sizes = inputs.empty() ? TensorDimensions() : detail::Sizes(inputs[0]);
    std::uint32_t sum = 0;
    for (const Expression &input : inputs) {
        sum += detail::SizeAt(detail::Sizes(input), axis);
    }
    detail::SetSize(sizes, axis, sum);
    detail::Call call;
    DML_JOIN_OPERATOR_DESC desc{};
    desc.InputCount = static_cast<std::uint32_t>(inputs.size());
    desc.InputTensors = call.In(inputs);
    desc.OutputTensor =
        call.Out(inputs.empty() ? DML_TENSOR_DATA_TYPE_UNKNOWN : detail::Type(inputs[0]), std::move(sizes));
    desc.Axis = axis;
    if (inputs.empty()) {
        call.Wrong("Join() has no inputs");
    }
    return call.Make(DML_OPERATOR_JOIN, desc);
}

inline Expression Tile(Expression input, Span<const std::uint32_t> repeats) {
    const TensorDimensions &sizes = detail::Sizes(input);
    detail::Call call;
    DML_TILE_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.RepeatsCount = detail::Count(sizes);
    desc.Repeats = call.Array("repeats", repeats, sizes.size(), 1u);
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_TILE, desc));
    return call.Make(DML_OPERATOR_TILE, desc);
}

inline Expression SpaceToDepth(Expression input, std::uint32_t blockSize,
                               DML_DEPTH_SPACE_ORDER order = DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW) {
    detail::Call call;
    DML_SPACE_TO_DEPTH1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.BlockSize = blockSize;
    desc.Order = order;
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_SPACE_TO_DEPTH1, desc));
    if (order == DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW) {
        const DML_SPACE_TO_DEPTH_OPERATOR_DESC oldest = {desc.InputTensor, desc.OutputTensor, blockSize};
        return call.Make(DML_OPERATOR_SPACE_TO_DEPTH, oldest);
    }
    return call.Make(DML_OPERATOR_SPACE_TO_DEPTH1, desc);
}

inline Expression DepthToSpace(Expression input, std::uint32_t blockSize,
                               DML_DEPTH_SPACE_ORDER order = DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW) {
    detail::Call call;
    DML_DEPTH_TO_SPACE1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.BlockSize = blockSize;
    desc.Order = order;
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_DEPTH_TO_SPACE1, desc));
    if (order == DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW) {
        const DML_DEPTH_TO_SPACE_OPERATOR_DESC oldest = {desc.InputTensor, desc.OutputTensor, blockSize};
        return call.Make(DML_OPERATOR_DEPTH_TO_SPACE, oldest);
    }
    return call.Make(DML_OPERATOR_DEPTH_TO_SPACE1, desc);
}

inline Expression Unfold(Expression input, Span<const std::uint32_t> windowSizes,
                         Span<const std::uint32_t> strides = {}, Span<const std::uint32_t> dilations = {},
                         Span<const std::uint32_t> startPadding = {}, Span<const std::uint32_t> endPadding = {}) {
    const std::size_t spatial = detail::SpatialCount(input);
    detail::Call call;
    DML_UNFOLD_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.DimensionCount = static_cast<std::uint32_t>(spatial);
    desc.WindowSizes = call.Array("windowSizes", windowSizes, spatial, 1u);
    desc.Strides = call.Array("strides", strides, spatial, 1u);
    desc.Dilations = call.Array("dilations", dilations, spatial, 1u);
    desc.StartPadding = call.Array("startPadding", startPadding, spatial, 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, spatial, 0u);
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_UNFOLD, desc));
    return call.Make(DML_OPERATOR_UNFOLD, desc);
}

/** Its output's sizes are given: they do not follow from the columns. */
inline Expression Fold(Expression input, TensorDimensions outputSizes, Span<const std::uint32_t> windowSizes,
                       Span<const std::uint32_t> strides = {}, Span<const std::uint32_t> dilations = {},
                       Span<const std::uint32_t> startPadding = {}, Span<const std::uint32_t> endPadding = {}) {
    const std::size_t spatial = std::max<std::size_t>(outputSizes.size(), 2) - 2;
    detail::Call call;
    DML_FOLD_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.OutputTensor = call.Out(detail::Type(input), std::move(outputSizes));
    desc.DimensionCount = static_cast<std::uint32_t>(spatial);
    desc.WindowSizes = call.Array("windowSizes", windowSizes, spatial, 1u);
    desc.Strides = call.Array("strides", strides, spatial, 1u);
    desc.Dilations = call.Array("dilations", dilations, spatial, 1u);
    desc.StartPadding = call.Array("startPadding", startPadding, spatial, 0u);
    desc.EndPadding = call.Array("endPadding", endPadding, spatial, 0u);
    return call.Make(DML_OPERATOR_FOLD, desc);
}

inline Expression ReverseSubsequences(Expression input, Expression sequenceLengths, std::uint32_t axis) {
    detail::Call call;
    DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.SequenceLengthsTensor = call.In(sequenceLengths);
    desc.OutputTensor = call.Out(input);
    desc.Axis = axis;
    return call.Make(DML_OPERATOR_REVERSE_SUBSEQUENCES, desc);
}

inline Expression ValueScale2D(Expression input, float scale, Span<const float> bias) {
    DML_VALUE_SCALE_2D_OPERATOR_DESC desc{};
    desc.Scale = scale;
    desc.ChannelCount = static_cast<std::uint32_t>(bias.size());
    desc.Bias = bias.data();
    return detail::MakeUnary(DML_OPERATOR_VALUE_SCALE_2D, desc, input);
}

/* ---- Indices ---- */

inline Expression Gather(Expression input, Expression indices, std::uint32_t axis, std::uint32_t indexDimensions) {
    detail::Call call;
    DML_GATHER_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.IndicesTensor = call.In(indices);
    desc.Axis = axis;
    desc.IndexDimensions = indexDimensions;
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_GATHER, desc));
    return call.Make(DML_OPERATOR_GATHER, desc);
}

inline Expression GatherElements(Expression input, Expression indices, std::uint32_t axis) {
    detail::Call call;
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.IndicesTensor = call.In(indices);
    desc.OutputTensor = call.Out(detail::Type(input), detail::Sizes(indices));
    desc.Axis = axis;
    return call.Make(DML_OPERATOR_GATHER_ELEMENTS, desc);
}

inline Expression GatherND(Expression input, Expression indices, std::uint32_t inputDimensionCount,
                           std::uint32_t indicesDimensionCount, std::uint32_t batchDimensionCount = 0) {
    detail::Call call;
    DML_GATHER_ND1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.IndicesTensor = call.In(indices);
    desc.InputDimensionCount = inputDimensionCount;
    desc.IndicesDimensionCount = indicesDimensionCount;
    desc.BatchDimensionCount = batchDimensionCount;
    desc.OutputTensor = call.Out(detail::Type(input), call.Infer(DML_OPERATOR_GATHER_ND1, desc));
    if (batchDimensionCount == 0) {
        const DML_GATHER_ND_OPERATOR_DESC oldest = {desc.InputTensor, desc.IndicesTensor, desc.OutputTensor,
                                                    inputDimensionCount, indicesDimensionCount};
        return call.Make(DML_OPERATOR_GATHER_ND, oldest);
    }
    return call.Make(DML_OPERATOR_GATHER_ND1, desc);
}

inline Expression ScatterElements(Expression input, Expression indices, Expression updates, std::uint32_t axis) {
    detail::Call call;
    DML_SCATTER_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.IndicesTensor = call.In(indices);
    desc.UpdatesTensor = call.In(updates);
    desc.OutputTensor = call.Out(input);
    desc.Axis = axis;
    return call.Make(DML_OPERATOR_SCATTER, desc);
}

inline Expression ScatterND(Expression input, Expression indices, Expression updates, std::uint32_t inputDimensionCount,
                            std::uint32_t indicesDimensionCount) {
    detail::Call call;
    DML_SCATTER_ND_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.IndicesTensor = call.In(indices);
    desc.UpdatesTensor = call.In(updates);
    desc.OutputTensor = call.Out(input);
    desc.InputDimensionCount = inputDimensionCount;
    desc.IndicesDimensionCount = indicesDimensionCount;
    return call.Make(DML_OPERATOR_SCATTER_ND, desc);
}

inline Expression OneHot(Expression indices, Expression values, std::uint32_t outputLength, std::uint32_t axis) {
    TensorDimensions sizes = detail::Sizes(indices);
    detail::SetSize(sizes, axis, outputLength);
    detail::Call call;
    DML_ONE_HOT_OPERATOR_DESC desc{};
    desc.IndicesTensor = call.In(indices);
    desc.ValuesTensor = call.In(values);
    desc.OutputTensor = call.Out(detail::Type(values), std::move(sizes));
    desc.Axis = axis;
    return call.Make(DML_OPERATOR_ONE_HOT, desc);
}

/** Outputs of NonZeroCoordinates(). */
struct NonZeroCoordinatesOutputs {
    Expression count;       /**< {1} */
    Expression coordinates; /**< {elements, dimensions}: a row for each element, of which `count` rows are written */
};

inline NonZeroCoordinatesOutputs NonZeroCoordinates(Expression input) {
    const TensorDimensions &from = detail::Sizes(input);
    std::uint32_t elements = 1;
    for (const std::uint32_t size : from) {
        elements *= size;
    }
    detail::Call call;
    DML_NONZERO_COORDINATES_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.OutputCountTensor = call.Out(DML_TENSOR_DATA_TYPE_UINT32, {1});
    desc.OutputCoordinatesTensor = call.Out(DML_TENSOR_DATA_TYPE_UINT32, {elements, detail::Count(from)});
    const Expression count = call.Make(DML_OPERATOR_NONZERO_COORDINATES, desc);
    return {count, call.Output(1)};
}

/* ---- Tensors from nothing ---- */

inline Expression FillValueConstant(Graph &graph, TensorDimensions outputSizes, DML_TENSOR_DATA_TYPE valueDataType,
                                    DML_SCALAR_UNION value) {
    detail::Call call(graph.Impl());
    DML_FILL_VALUE_CONSTANT_OPERATOR_DESC desc{};
    desc.OutputTensor = call.Out(valueDataType, std::move(outputSizes));
    desc.ValueDataType = valueDataType;
    desc.Value = value;
    return call.Make(DML_OPERATOR_FILL_VALUE_CONSTANT, desc);
}

inline Expression FillValueSequence(Graph &graph, TensorDimensions outputSizes, DML_TENSOR_DATA_TYPE valueDataType,
                                    DML_SCALAR_UNION valueStart, DML_SCALAR_UNION valueDelta) {
    detail::Call call(graph.Impl());
    DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC desc{};
    desc.OutputTensor = call.Out(valueDataType, std::move(outputSizes));
    desc.ValueDataType = valueDataType;
    desc.ValueStart = valueStart;
    desc.ValueDelta = valueDelta;
    return call.Make(DML_OPERATOR_FILL_VALUE_SEQUENCE, desc);
}

inline Expression DiagonalMatrix(Graph &graph, TensorDimensions outputSizes, DML_TENSOR_DATA_TYPE outputDataType,
                                 std::int32_t offset, float value) {
    detail::Call call(graph.Impl());
    DML_DIAGONAL_MATRIX_OPERATOR_DESC desc{};
    desc.OutputTensor = call.Out(outputDataType, std::move(outputSizes));
    desc.Offset = offset;
    desc.Value = value;
    return call.Make(DML_OPERATOR_DIAGONAL_MATRIX, desc);
}
/** A band of diagonals (5_1). */
inline Expression DiagonalMatrix(Graph &graph, TensorDimensions outputSizes, DML_TENSOR_DATA_TYPE valueDataType,
                                 DML_SCALAR_UNION value, std::int32_t diagonalFillBegin, std::int32_t diagonalFillEnd) {
    detail::Call call(graph.Impl());
    (void)call.In(Optional<Expression>());
    DML_DIAGONAL_MATRIX1_OPERATOR_DESC desc{};
    desc.OutputTensor = call.Out(valueDataType, std::move(outputSizes));
    desc.ValueDataType = valueDataType;
    desc.Value = value;
    desc.DiagonalFillBegin = diagonalFillBegin;
    desc.DiagonalFillEnd = diagonalFillEnd;
    return call.Make(DML_OPERATOR_DIAGONAL_MATRIX1, desc);
}
/** The same over another tensor, of whose type the value is. */
inline Expression DiagonalMatrix(Expression input, DML_SCALAR_UNION value, std::int32_t diagonalFillBegin,
                                 std::int32_t diagonalFillEnd) {
    detail::Call call;
    DML_DIAGONAL_MATRIX1_OPERATOR_DESC desc{};
    desc.InputTensor = call.In(input);
    desc.OutputTensor = call.Out(input);
    desc.ValueDataType = detail::Type(input);
    desc.Value = value;
    desc.DiagonalFillBegin = diagonalFillBegin;
    desc.DiagonalFillEnd = diagonalFillEnd;
    return call.Make(DML_OPERATOR_DIAGONAL_MATRIX1, desc);
}

/* ---- Operators of C++ ---- */

#define VKDML_OPERATOR(symbol, Name)                                                                                   \
    inline Expression operator symbol(Expression a, Expression b) {                                                    \
        return Name(a, b);                                                                                             \
    }
VKDML_OPERATOR(+, Add)
VKDML_OPERATOR(-, Subtract)
VKDML_OPERATOR(*, Multiply)
VKDML_OPERATOR(/, Divide)
VKDML_OPERATOR(%, ModulusTruncate)
VKDML_OPERATOR(&, BitAnd)
VKDML_OPERATOR(|, BitOr)
VKDML_OPERATOR(^, BitXor)
VKDML_OPERATOR(<<, BitShiftLeft)
VKDML_OPERATOR(>>, BitShiftRight)
VKDML_OPERATOR(&&, LogicalAnd)
VKDML_OPERATOR(||, LogicalOr)
VKDML_OPERATOR(>, GreaterThan)
VKDML_OPERATOR(>=, GreaterThanOrEqual)
VKDML_OPERATOR(<, LessThan)
VKDML_OPERATOR(<=, LessThanOrEqual)
VKDML_OPERATOR(==, Equals)
#undef VKDML_OPERATOR

#define VKDML_ASSIGNMENT(symbol, Name)                                                                                 \
    inline Expression &operator symbol(Expression &a, Expression b) {                                                  \
        return a = Name(a, b);                                                                                         \
    }
VKDML_ASSIGNMENT(+=, Add)
VKDML_ASSIGNMENT(-=, Subtract)
VKDML_ASSIGNMENT(*=, Multiply)
VKDML_ASSIGNMENT(/=, Divide)
VKDML_ASSIGNMENT(%=, ModulusTruncate)
VKDML_ASSIGNMENT(&=, BitAnd)
VKDML_ASSIGNMENT(|=, BitOr)
VKDML_ASSIGNMENT(^=, BitXor)
VKDML_ASSIGNMENT(<<=, BitShiftLeft)
VKDML_ASSIGNMENT(>>=, BitShiftRight)
#undef VKDML_ASSIGNMENT

inline Expression operator!=(Expression a, Expression b) {
    return LogicalNot(Equals(a, b));
}
inline Expression operator~(Expression input) {
    return BitNot(input);
}
inline Expression operator!(Expression input) {
    return LogicalNot(input);
}
inline Expression operator+(Expression input) {
    return Identity(input);
}

/* With a scalar: input * scale + bias, as Identity() computes it. */

inline Expression operator-(Expression input) {
    return Identity(input, DML_SCALE_BIAS{-1.0f, 0.0f});
}
inline Expression operator+(Expression a, float b) {
    return Identity(a, DML_SCALE_BIAS{1.0f, b});
}
inline Expression operator+(float a, Expression b) {
    return b + a;
}
inline Expression operator-(Expression a, float b) {
    return Identity(a, DML_SCALE_BIAS{1.0f, -b});
}
inline Expression operator-(float a, Expression b) {
    return Identity(b, DML_SCALE_BIAS{-1.0f, a});
}
inline Expression operator*(Expression a, float b) {
    return Identity(a, DML_SCALE_BIAS{b, 0.0f});
}
inline Expression operator*(float a, Expression b) {
    return b * a;
}
/** a * (1 / b), as in DirectMLX: the reciprocal is rounded. */
inline Expression operator/(Expression a, float b) {
    return Identity(a, DML_SCALE_BIAS{1.0f / b, 0.0f});
}
/** a * (1 / b), as in DirectMLX. */
inline Expression operator/(float a, Expression b) {
    return Identity(Recip(b), DML_SCALE_BIAS{a, 0.0f});
}
inline Expression &operator+=(Expression &a, float b) {
    return a = a + b;
}
inline Expression &operator-=(Expression &a, float b) {
    return a = a - b;
}
inline Expression &operator*=(Expression &a, float b) {
    return a = a * b;
}
inline Expression &operator/=(Expression &a, float b) {
    return a = a / b;
}

} // namespace vkdml::dml

#endif /* VKDML_GRAPH_OPERATORS_HPP */
