/* Code as an engine on DirectML has it, which must compile with vkdml's headers in place of DirectML.h, and beside what
 * else an engine includes (check_neighbours.py). Compiled, never run. */
#include <vkdml/vkdml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace engine {

/* ---- flags ---- */

static_assert((DML_EXECUTION_FLAG_DISABLE_META_COMMANDS | DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE) == 6, "constexpr |");
static_assert((DML_EXECUTION_FLAG_NONE & DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE) == 0, "constexpr &");
static_assert((DML_TENSOR_FLAG_OWNED_BY_DML ^ DML_TENSOR_FLAG_OWNED_BY_DML) == DML_TENSOR_FLAG_NONE, "constexpr ^");
static_assert(static_cast<UINT>(~DML_TENSOR_FLAG_OWNED_BY_DML) == 0xFFFFFFFEu, "constexpr ~");

inline DML_EXECUTION_FLAGS execution_flags(bool half, bool fixed) {
    DML_EXECUTION_FLAGS flags = DML_EXECUTION_FLAG_DISABLE_META_COMMANDS | DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE;
    if (half) {
        flags |= DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION;
    }
    if (fixed) {
        flags &= ~DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE;
    }
    (flags ^= DML_EXECUTION_FLAG_DISABLE_META_COMMANDS) |= DML_EXECUTION_FLAG_NONE;
    return (flags & DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE) != DML_EXECUTION_FLAG_NONE ? flags : ~~flags;
}

inline DML_CREATE_DEVICE_FLAGS device_flags(bool debug) {
    DML_CREATE_DEVICE_FLAGS flags = DML_CREATE_DEVICE_FLAG_NONE;
    return debug ? flags | DML_CREATE_DEVICE_FLAG_DEBUG : flags;
}

/* ---- tensors ---- */

class Tensor {
  public:
    Tensor(DML_TENSOR_DATA_TYPE type, std::initializer_list<UINT> sizes, bool owned = false) {
        std::copy(sizes.begin(), sizes.end(), sizes_.begin());
        buffer_.DataType = type;
        buffer_.Flags = owned ? DML_TENSOR_FLAG_OWNED_BY_DML : DML_TENSOR_FLAG_NONE;
        buffer_.DimensionCount = static_cast<UINT>(sizes.size());
        buffer_.Sizes = sizes_.data();
        buffer_.Strides = nullptr;
        UINT64 elements = 1;
        for (UINT size : sizes) {
            elements *= size;
        }
        buffer_.TotalTensorSizeInBytes = (elements * sizeof(FLOAT) + 3) & ~UINT64{3};
        buffer_.GuaranteedBaseOffsetAlignment = DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
        desc_ = DML_TENSOR_DESC{DML_TENSOR_TYPE_BUFFER, &buffer_};
    }
    const DML_TENSOR_DESC *get() const {
        return &desc_;
    }
    UINT64 bytes() const {
        return buffer_.TotalTensorSizeInBytes;
    }

  private:
    std::array<UINT, DML_TENSOR_DIMENSION_COUNT_MAX1> sizes_{};
    DML_BUFFER_TENSOR_DESC buffer_ = {};
    DML_TENSOR_DESC desc_ = {};
};

/* ---- operators ---- */

inline UINT fused_convolution(const Tensor &input, const Tensor &filter, const Tensor &output) {
    DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC activation = {};
    activation.Alpha = 0.01f;
    DML_OPERATOR_DESC fused = {DML_OPERATOR_ACTIVATION_LEAKY_RELU, &activation};

    const UINT ones[] = {1, 1};
    const UINT zeros[] = {0, 0};
    DML_CONVOLUTION_OPERATOR_DESC convolution = {};
    convolution.InputTensor = input.get();
    convolution.FilterTensor = filter.get();
    convolution.BiasTensor = nullptr;
    convolution.OutputTensor = output.get();
    convolution.Mode = DML_CONVOLUTION_MODE_CROSS_CORRELATION;
    convolution.Direction = DML_CONVOLUTION_DIRECTION_FORWARD;
    convolution.DimensionCount = 2;
    convolution.Strides = ones;
    convolution.Dilations = ones;
    convolution.StartPadding = zeros;
    convolution.EndPadding = zeros;
    convolution.OutputPadding = zeros;
    convolution.GroupCount = 1;
    convolution.FusedActivation = &fused;

    DML_GEMM_OPERATOR_DESC gemm = {
        input.get(), filter.get(), nullptr, output.get(), DML_MATRIX_TRANSFORM_NONE, DML_MATRIX_TRANSFORM_TRANSPOSE,
        1.0f,        0.0f,         &fused};
    const DML_OPERATOR_DESC descs[] = {{DML_OPERATOR_CONVOLUTION, &convolution}, {DML_OPERATOR_GEMM, &gemm}};
    return static_cast<UINT>(descs[0].Type) + static_cast<UINT>(descs[1].Type);
}

/* BOOL, TRUE and FALSE are whatever the translation unit has for them. */
inline INT booleans(const Tensor &input, const Tensor &output, bool include_padding) {
    const UINT two[] = {2, 2};
    const UINT none[] = {0, 0};
    DML_AVERAGE_POOLING_OPERATOR_DESC pooling = {};
    pooling.InputTensor = input.get();
    pooling.OutputTensor = output.get();
    pooling.DimensionCount = 2;
    pooling.Strides = pooling.WindowSize = two;
    pooling.StartPadding = pooling.EndPadding = none;
    pooling.IncludePadding = include_padding;
    pooling.IncludePadding = include_padding ? TRUE : FALSE;

    DML_CUMULATIVE_SUMMATION_OPERATOR_DESC sum = {input.get(), output.get(), 3, DML_AXIS_DIRECTION_INCREASING, FALSE};
    sum.HasExclusiveSum = static_cast<BOOL>(include_padding);
    DML_LSTM_OPERATOR_DESC lstm = {};
    lstm.UseClipThreshold = TRUE;
    lstm.CoupleInputForget = false;
    DML_BATCH_NORMALIZATION_OPERATOR_DESC normalization = {};
    normalization.Spatial = true;
    DML_RESAMPLE3_OPERATOR_DESC resample = {};
    resample.Antialiased = TRUE;

    DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT support = {};
    const BOOL supported = support.IsSupported != 0;
    return pooling.IncludePadding == TRUE && sum.HasExclusiveSum && lstm.UseClipThreshold && !lstm.CoupleInputForget &&
           normalization.Spatial && resample.Antialiased && supported;
}

inline std::vector<BYTE> scalars(const Tensor &output) {
    DML_SCALAR_UNION one = {};
    one.Float32 = 1.0f;
    DML_SCALAR_UNION step;
    step.Int64 = INT64{-1};
    DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC fill = {};
    fill.OutputTensor = output.get();
    fill.ValueDataType = DML_TENSOR_DATA_TYPE_INT64;
    fill.ValueStart = one;
    fill.ValueDelta = step;
    DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC clip = {};
    clip.MinMaxDataType = DML_TENSOR_DATA_TYPE_UINT8;
    clip.Min.UInt8 = UINT8{1};
    clip.Max.Int16 = INT16{2};
    clip.Max.UInt16 = UINT16{2};
    clip.Max.Int8 = INT8{2};
    clip.Max.Int32 = INT32{2};
    clip.Max.UInt32 = UINT32{2};
    clip.Max.UInt64 = UINT64{2};
    clip.Max.Float64 = DOUBLE{2};
    return std::vector<BYTE>(clip.Max.Bytes, clip.Max.Bytes + sizeof(clip.Max.Bytes));
}

inline UINT arrays(const Tensor &input, const Tensor &output) {
    const INT strides[] = {1, -1};
    const UINT zeros[] = {0, 0};
    const UINT sizes[] = {2, 2};
    const FLOAT scales[] = {2.0f, 0.5f};
    DML_SLICE1_OPERATOR_DESC slice = {input.get(), output.get(), 2, zeros, sizes, strides};
    DML_RESAMPLE1_OPERATOR_DESC resample = {input.get(), output.get(), DML_INTERPOLATION_MODE_LINEAR, 2, scales,
                                            scales,      scales};
    std::vector<DML_TENSOR_DESC> inputs(3, *input.get());
    DML_JOIN_OPERATOR_DESC join = {};
    join.InputCount = static_cast<UINT>(inputs.size());
    join.InputTensors = inputs.data();
    join.OutputTensor = output.get();
    join.Axis = 1;
    DML_ROI_POOLING_OPERATOR_DESC pooling = {};
    pooling.PooledSize = DML_SIZE_2D{7, 7};
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC identity = {input.get(), output.get(), nullptr};
    const DML_SCALE_BIAS scale_bias = {2.0f, 1.0f};
    identity.ScaleBias = &scale_bias;
    return identity.ScaleBias
               ? slice.DimensionCount + resample.DimensionCount + join.InputCount + pooling.PooledSize.Width
               : 0;
}

/* One operator under two names. */
inline bool scatters(const Tensor &tensor) {
    DML_SCATTER_OPERATOR_DESC older = {};
    older.InputTensor = older.OutputTensor = tensor.get();
    DML_SCATTER_ELEMENTS_OPERATOR_DESC newer = older;
    newer.Axis = 1;
    const DML_OPERATOR_DESC descs[] = {{DML_OPERATOR_SCATTER, &older}, {DML_OPERATOR_SCATTER_ELEMENTS, &newer}};
    switch (descs[0].Type) {
    case DML_OPERATOR_SCATTER_ELEMENTS:
        return static_cast<const struct DML_SCATTER_OPERATOR_DESC *>(descs[1].Desc)->Axis == 1;
    default:
        return false;
    }
}

/* ---- graphs, bindings, features ---- */

inline DML_GRAPH_DESC graph(IDMLOperator *first, IDMLOperator *second, const std::vector<BYTE> &constant) {
    static std::array<DML_OPERATOR_GRAPH_NODE_DESC, 2> operators;
    operators[0] = DML_OPERATOR_GRAPH_NODE_DESC{first, "first"};
    operators[1] = {second, nullptr};
    static DML_CONSTANT_DATA_GRAPH_NODE_DESC data;
    data.Data = constant.data();
    data.DataSize = constant.size();
    static const DML_GRAPH_NODE_DESC nodes[] = {{DML_GRAPH_NODE_TYPE_OPERATOR, &operators[0]},
                                                {DML_GRAPH_NODE_TYPE_OPERATOR, &operators[1]},
                                                {DML_GRAPH_NODE_TYPE_CONSTANT, &data}};
    static const DML_INPUT_GRAPH_EDGE_DESC input = {0, 0, 0, nullptr};
    static const DML_INTERMEDIATE_GRAPH_EDGE_DESC middle = {0, 0, 1, 0, nullptr};
    static const DML_OUTPUT_GRAPH_EDGE_DESC output = {1, 0, 0, "output"};
    static const DML_GRAPH_EDGE_DESC input_edges[] = {{DML_GRAPH_EDGE_TYPE_INPUT, &input}};
    static const DML_GRAPH_EDGE_DESC middle_edges[] = {{DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &middle}};
    static const DML_GRAPH_EDGE_DESC output_edges[] = {{DML_GRAPH_EDGE_TYPE_OUTPUT, &output}};
    DML_GRAPH_DESC desc = {};
    desc.InputCount = 1;
    desc.OutputCount = 1;
    desc.NodeCount = static_cast<UINT>(sizeof(nodes) / sizeof(nodes[0]));
    desc.Nodes = nodes;
    desc.InputEdgeCount = 1;
    desc.InputEdges = input_edges;
    desc.OutputEdgeCount = 1;
    desc.OutputEdges = output_edges;
    desc.IntermediateEdgeCount = 1;
    desc.IntermediateEdges = middle_edges;
    return desc;
}

inline UINT64 bindings(ID3D12Resource *resource, const DML_BINDING_PROPERTIES &properties) {
    const DML_BUFFER_BINDING buffers[] = {{resource, 0, properties.TemporaryResourceSize}, {nullptr, 0, 0}};
    const DML_BUFFER_ARRAY_BINDING array = {2, buffers};
    const DML_BINDING_DESC descs[] = {
        {DML_BINDING_TYPE_NONE, nullptr}, {DML_BINDING_TYPE_BUFFER, buffers}, {DML_BINDING_TYPE_BUFFER_ARRAY, &array}};
#ifdef ENGINE_HAS_D3D12_FIRST
    DML_BINDING_TABLE_DESC table = {};
    table.CPUDescriptorHandle = D3D12_CPU_DESCRIPTOR_HANDLE{0};
    table.GPUDescriptorHandle.ptr = 0;
    table.SizeInDescriptors = properties.RequiredDescriptorCount;
#endif
    return std::max<UINT64>(buffers[0].SizeInBytes, descs[2].Type);
}

inline DML_FEATURE_LEVEL newest_level() {
    const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_6_4};
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {2, levels};
    DML_FEATURE_DATA_FEATURE_LEVELS data = {};
    data.MaxSupportedFeatureLevel = query.RequestedFeatureLevels[1];
    return data.MaxSupportedFeatureLevel;
}

#if DML_TARGET_VERSION < 0x6400
#error "code chooses structs by DML_TARGET_VERSION"
#endif

/* ---- and what it hands to vkdml ---- */

inline VkdmlResult create(VkdmlDevice device, VkdmlOperator *op) {
    Tensor input(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 1, 2, 2}, true);
    Tensor output(DML_TENSOR_DATA_TYPE_FLOAT32, {1, 1, 2, 2});
    DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {input.get(), input.get(), output.get()};
    DML_OPERATOR_DESC desc = {DML_OPERATOR_ELEMENT_WISE_ADD, &add};
    const bool used = fused_convolution(input, input, output) && booleans(input, output, true) && scatters(input) &&
                      arrays(input, output) && input.bytes() && newest_level() &&
                      bindings(nullptr, DML_BINDING_PROPERTIES{1, 0, 0}) &&
                      graph(nullptr, nullptr, scalars(output)).NodeCount && execution_flags(true, false) &&
                      device_flags(true);
    return used ? vkdmlCreateOperator(device, &desc, op) : VKDML_ERROR_INVALID_ARGUMENT;
}

} // namespace engine

VkdmlResult engine_create(VkdmlDevice device, VkdmlOperator *op);
VkdmlResult engine_create(VkdmlDevice device, VkdmlOperator *op) {
    return engine::create(device, op);
}
