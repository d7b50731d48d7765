/* Compiles, as C11 and as C++, where DirectML's structs are declared with DirectML's layout: every field of its type at
 * its offset. */
#include <vkdml/dml_types.h>

#include <assert.h>
#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>
#define OF(Struct, Field)               Struct::Field
#define IS_OF_TYPE(Struct, Field, type) std::is_same<decltype(OF(Struct, Field)), type>::value
#else
#define OF(Struct, Field)               ((Struct *)0)->Field
#define IS_OF_TYPE(Struct, Field, type) _Generic(OF(Struct, Field), type : 1, default : 0)
#endif

/* The figures are of 64-bit pointers. */
#define LP64(condition) (sizeof(void *) != 8 || (condition))
#define STRUCT(Struct, size)                                                                                           \
    static_assert(LP64(sizeof(Struct) == (size)), #Struct " has not the size that it has in DirectML");
#define MEMBER(Struct, Field, type, offset, size)                                                                      \
    static_assert(IS_OF_TYPE(Struct, Field, type), #Struct "." #Field " is not of DirectML's type, " #type);           \
    static_assert(LP64(offsetof(Struct, Field) == (offset) && sizeof(OF(Struct, Field)) == (size)),                    \
                  #Struct "." #Field " does not lie where it does in DirectML, at " #offset);

#define OPERATOR(NAME, value, size)                                                                                    \
    static_assert(DML_OPERATOR_##NAME == (value), "DML_OPERATOR_" #NAME " has not DirectML's value, " #value);         \
    STRUCT(DML_##NAME##_OPERATOR_DESC, size)
#define FIELD(NAME, Field, type, offset, size) MEMBER(DML_##NAME##_OPERATOR_DESC, Field, type, offset, size)
#include "operator_layouts.inc"
#undef OPERATOR
#undef FIELD

/* All 177: as many rows, of different values. */
#define OPERATOR(NAME, value, size) +1
#define FIELD(NAME, Field, type, offset, size)
static_assert(0
#include "operator_layouts.inc"
                  == 177,
              "operator_layouts.inc has not a row for each of DirectML's operators");
#undef OPERATOR
#define OPERATOR(NAME, value, size) case value:
int vkdml_layouts_is_operator(int type);
int vkdml_layouts_is_operator(int type) {
    switch (type) {
#include "operator_layouts.inc"
        return 1;
    default:
        return 0;
    }
}

/* Code uses both names of 94. */
static_assert(DML_OPERATOR_SCATTER == DML_OPERATOR_SCATTER_ELEMENTS, "SCATTER is SCATTER_ELEMENTS");
MEMBER(DML_SCATTER_OPERATOR_DESC, Axis, uint32_t, 32, 4)
MEMBER(DML_SCATTER_ELEMENTS_OPERATOR_DESC, Axis, uint32_t, 32, 4)

STRUCT(DML_BUFFER_TENSOR_DESC, 48)
MEMBER(DML_BUFFER_TENSOR_DESC, DataType, DML_TENSOR_DATA_TYPE, 0, 4)
MEMBER(DML_BUFFER_TENSOR_DESC, Flags, DML_TENSOR_FLAGS, 4, 4)
MEMBER(DML_BUFFER_TENSOR_DESC, DimensionCount, uint32_t, 8, 4)
MEMBER(DML_BUFFER_TENSOR_DESC, Sizes, const uint32_t *, 16, 8)
MEMBER(DML_BUFFER_TENSOR_DESC, Strides, const uint32_t *, 24, 8)
MEMBER(DML_BUFFER_TENSOR_DESC, TotalTensorSizeInBytes, uint64_t, 32, 8)
MEMBER(DML_BUFFER_TENSOR_DESC, GuaranteedBaseOffsetAlignment, uint32_t, 40, 4)
STRUCT(DML_TENSOR_DESC, 16)
MEMBER(DML_TENSOR_DESC, Type, DML_TENSOR_TYPE, 0, 4)
MEMBER(DML_TENSOR_DESC, Desc, const void *, 8, 8)
STRUCT(DML_OPERATOR_DESC, 16)
MEMBER(DML_OPERATOR_DESC, Type, DML_OPERATOR_TYPE, 0, 4)
MEMBER(DML_OPERATOR_DESC, Desc, const void *, 8, 8)
STRUCT(DML_SCALE_BIAS, 8)
MEMBER(DML_SCALE_BIAS, Scale, float, 0, 4)
MEMBER(DML_SCALE_BIAS, Bias, float, 4, 4)
STRUCT(DML_SIZE_2D, 8)
MEMBER(DML_SIZE_2D, Width, uint32_t, 0, 4)
MEMBER(DML_SIZE_2D, Height, uint32_t, 4, 4)
STRUCT(DML_SCALAR_UNION, 8)
MEMBER(DML_SCALAR_UNION, Int8, int8_t, 0, 1)
MEMBER(DML_SCALAR_UNION, UInt8, uint8_t, 0, 1)
MEMBER(DML_SCALAR_UNION, Int16, int16_t, 0, 2)
MEMBER(DML_SCALAR_UNION, UInt16, uint16_t, 0, 2)
MEMBER(DML_SCALAR_UNION, Int32, int32_t, 0, 4)
MEMBER(DML_SCALAR_UNION, UInt32, uint32_t, 0, 4)
MEMBER(DML_SCALAR_UNION, Int64, int64_t, 0, 8)
MEMBER(DML_SCALAR_UNION, UInt64, uint64_t, 0, 8)
MEMBER(DML_SCALAR_UNION, Float32, float, 0, 4)
MEMBER(DML_SCALAR_UNION, Float64, double, 0, 8)
static_assert(offsetof(DML_SCALAR_UNION, Bytes) == 0 && sizeof(OF(DML_SCALAR_UNION, Bytes)) == 8, "Bytes[8]");

STRUCT(DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT, 4)
MEMBER(DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT, DataType, DML_TENSOR_DATA_TYPE, 0, 4)
STRUCT(DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT, 4)
MEMBER(DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT, IsSupported, int32_t, 0, 4)
STRUCT(DML_FEATURE_QUERY_FEATURE_LEVELS, 16)
MEMBER(DML_FEATURE_QUERY_FEATURE_LEVELS, RequestedFeatureLevelCount, uint32_t, 0, 4)
MEMBER(DML_FEATURE_QUERY_FEATURE_LEVELS, RequestedFeatureLevels, const DML_FEATURE_LEVEL *, 8, 8)
STRUCT(DML_FEATURE_DATA_FEATURE_LEVELS, 4)
MEMBER(DML_FEATURE_DATA_FEATURE_LEVELS, MaxSupportedFeatureLevel, DML_FEATURE_LEVEL, 0, 4)

STRUCT(DML_BINDING_PROPERTIES, 24)
MEMBER(DML_BINDING_PROPERTIES, RequiredDescriptorCount, uint32_t, 0, 4)
MEMBER(DML_BINDING_PROPERTIES, TemporaryResourceSize, uint64_t, 8, 8)
MEMBER(DML_BINDING_PROPERTIES, PersistentResourceSize, uint64_t, 16, 8)
STRUCT(DML_BINDING_DESC, 16)
MEMBER(DML_BINDING_DESC, Type, DML_BINDING_TYPE, 0, 4)
MEMBER(DML_BINDING_DESC, Desc, const void *, 8, 8)
STRUCT(DML_BUFFER_BINDING, 24)
MEMBER(DML_BUFFER_BINDING, Buffer, ID3D12Resource *, 0, 8)
MEMBER(DML_BUFFER_BINDING, Offset, uint64_t, 8, 8)
MEMBER(DML_BUFFER_BINDING, SizeInBytes, uint64_t, 16, 8)
STRUCT(DML_BUFFER_ARRAY_BINDING, 16)
MEMBER(DML_BUFFER_ARRAY_BINDING, BindingCount, uint32_t, 0, 4)
MEMBER(DML_BUFFER_ARRAY_BINDING, Bindings, const DML_BUFFER_BINDING *, 8, 8)

STRUCT(DML_GRAPH_NODE_DESC, 16)
MEMBER(DML_GRAPH_NODE_DESC, Type, DML_GRAPH_NODE_TYPE, 0, 4)
MEMBER(DML_GRAPH_NODE_DESC, Desc, const void *, 8, 8)
STRUCT(DML_OPERATOR_GRAPH_NODE_DESC, 16)
MEMBER(DML_OPERATOR_GRAPH_NODE_DESC, Operator, IDMLOperator *, 0, 8)
MEMBER(DML_OPERATOR_GRAPH_NODE_DESC, Name, const char *, 8, 8)
STRUCT(DML_CONSTANT_DATA_GRAPH_NODE_DESC, 24)
MEMBER(DML_CONSTANT_DATA_GRAPH_NODE_DESC, Data, const void *, 0, 8)
MEMBER(DML_CONSTANT_DATA_GRAPH_NODE_DESC, DataSize, size_t, 8, 8)
MEMBER(DML_CONSTANT_DATA_GRAPH_NODE_DESC, Name, const char *, 16, 8)
STRUCT(DML_GRAPH_EDGE_DESC, 16)
MEMBER(DML_GRAPH_EDGE_DESC, Type, DML_GRAPH_EDGE_TYPE, 0, 4)
MEMBER(DML_GRAPH_EDGE_DESC, Desc, const void *, 8, 8)
STRUCT(DML_INPUT_GRAPH_EDGE_DESC, 24)
MEMBER(DML_INPUT_GRAPH_EDGE_DESC, GraphInputIndex, uint32_t, 0, 4)
MEMBER(DML_INPUT_GRAPH_EDGE_DESC, ToNodeIndex, uint32_t, 4, 4)
MEMBER(DML_INPUT_GRAPH_EDGE_DESC, ToNodeInputIndex, uint32_t, 8, 4)
MEMBER(DML_INPUT_GRAPH_EDGE_DESC, Name, const char *, 16, 8)
STRUCT(DML_OUTPUT_GRAPH_EDGE_DESC, 24)
MEMBER(DML_OUTPUT_GRAPH_EDGE_DESC, FromNodeIndex, uint32_t, 0, 4)
MEMBER(DML_OUTPUT_GRAPH_EDGE_DESC, FromNodeOutputIndex, uint32_t, 4, 4)
MEMBER(DML_OUTPUT_GRAPH_EDGE_DESC, GraphOutputIndex, uint32_t, 8, 4)
MEMBER(DML_OUTPUT_GRAPH_EDGE_DESC, Name, const char *, 16, 8)
STRUCT(DML_INTERMEDIATE_GRAPH_EDGE_DESC, 24)
MEMBER(DML_INTERMEDIATE_GRAPH_EDGE_DESC, FromNodeIndex, uint32_t, 0, 4)
MEMBER(DML_INTERMEDIATE_GRAPH_EDGE_DESC, FromNodeOutputIndex, uint32_t, 4, 4)
MEMBER(DML_INTERMEDIATE_GRAPH_EDGE_DESC, ToNodeIndex, uint32_t, 8, 4)
MEMBER(DML_INTERMEDIATE_GRAPH_EDGE_DESC, ToNodeInputIndex, uint32_t, 12, 4)
MEMBER(DML_INTERMEDIATE_GRAPH_EDGE_DESC, Name, const char *, 16, 8)
STRUCT(DML_GRAPH_DESC, 72)
MEMBER(DML_GRAPH_DESC, InputCount, uint32_t, 0, 4)
MEMBER(DML_GRAPH_DESC, OutputCount, uint32_t, 4, 4)
MEMBER(DML_GRAPH_DESC, NodeCount, uint32_t, 8, 4)
MEMBER(DML_GRAPH_DESC, Nodes, const DML_GRAPH_NODE_DESC *, 16, 8)
MEMBER(DML_GRAPH_DESC, InputEdgeCount, uint32_t, 24, 4)
MEMBER(DML_GRAPH_DESC, InputEdges, const DML_GRAPH_EDGE_DESC *, 32, 8)
MEMBER(DML_GRAPH_DESC, OutputEdgeCount, uint32_t, 40, 4)
MEMBER(DML_GRAPH_DESC, OutputEdges, const DML_GRAPH_EDGE_DESC *, 48, 8)
MEMBER(DML_GRAPH_DESC, IntermediateEdgeCount, uint32_t, 56, 4)
MEMBER(DML_GRAPH_DESC, IntermediateEdges, const DML_GRAPH_EDGE_DESC *, 64, 8)
