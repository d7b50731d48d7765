/* Stands in for the real DirectML.h, which exists for Windows only: its include guard, and the few types that vkdml's
 * functions name. What else vkdml's headers would want of it is a compile error. */
#ifndef DIRECTML_H
#define DIRECTML_H

#define DML_TENSOR_DIMENSION_COUNT_MAX1 8u

typedef enum DML_TENSOR_DATA_TYPE { DML_TENSOR_DATA_TYPE_FLOAT32 = 1 } DML_TENSOR_DATA_TYPE;
typedef enum DML_OPERATOR_TYPE { DML_OPERATOR_PADDING = 64 } DML_OPERATOR_TYPE;
typedef enum DML_FEATURE_LEVEL { DML_FEATURE_LEVEL_6_4 = 0x6400 } DML_FEATURE_LEVEL;
typedef enum DML_EXECUTION_FLAGS { DML_EXECUTION_FLAG_NONE = 0 } DML_EXECUTION_FLAGS;
typedef enum DML_FEATURE { DML_FEATURE_FEATURE_LEVELS = 1 } DML_FEATURE;

typedef struct IDMLOperator IDMLOperator;
typedef struct DML_GRAPH_DESC DML_GRAPH_DESC;

/* Members unlike vkdml's own, so that a second definition cannot pass for the first. */
typedef struct DML_OPERATOR_DESC {
    DML_OPERATOR_TYPE Type;
    const void *Desc;
    int StubMember;
} DML_OPERATOR_DESC;

typedef struct IDMLOperator IDMLOperator;
typedef struct DML_GRAPH_DESC {
    int StubMember;
} DML_GRAPH_DESC;

#endif
