/* Graphs of small operators, what fusion makes of them, and their results fused and node by node. */
#ifndef UNIT_FUSION_FIXTURE_H
#define UNIT_FUSION_FIXTURE_H

#include <stdbool.h>

#include "graph_fixture.h"

/* The one that tests build. */
extern struct graph graph;

/* Without nodes or edges. */
void begin(uint32_t inputs, uint32_t outputs);

/* ---- tensors: as long as the graph is being built ---- */

/* Of 4 dimensions; strides NULL: packed. */
const DML_TENSOR_DESC *tensor_of(DML_TENSOR_DATA_TYPE type, const uint32_t *sizes, const uint32_t *strides);

/* Of 3 to 5. */
const DML_TENSOR_DESC *ranked(DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *sizes, const uint32_t *strides);

#define SIZES(...)                    ((const uint32_t[4]){__VA_ARGS__})
#define TENSOR(type, ...)             tensor_of((type), SIZES(__VA_ARGS__), NULL)
#define STRIDED(type, sizes, strides) tensor_of((type), (sizes), (strides))

/* Flags a tensor OWNED_BY_DML. */
const DML_TENSOR_DESC *owned(const DML_TENSOR_DESC *desc);

/* ---- nodes ---- */

uint32_t node(DML_OPERATOR_TYPE type, const void *operator_desc, const char *name);

/* An activation, all numbers of which are 1.25. */
uint32_t activation_node(DML_OPERATOR_TYPE type, const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output);
uint32_t relu_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output);
uint32_t identity_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output, const DML_SCALE_BIAS *scale);
uint32_t add_node(const DML_TENSOR_DESC *a, const DML_TENSOR_DESC *b, const DML_TENSOR_DESC *output);
uint32_t cast_node(const DML_TENSOR_DESC *input, const DML_TENSOR_DESC *output);

#define ROWS    20
#define COLUMNS 24
#define DEPTH   36

/* What the next two make. */
#define MADE_OF_GEMM  SIZES(1, 1, ROWS, COLUMNS)
#define MADE_OF_OTHER SIZES(2, 6, 8, 8)

/* Of inputs 0 and 1. */
uint32_t gemm_node(DML_TENSOR_DATA_TYPE type, const DML_TENSOR_DESC *c, float alpha);
uint32_t convolution_node(DML_TENSOR_DATA_TYPE type);

/* The same convolution, which pads by `lacking` itself: input 0 is to come. */
uint32_t convolution_of(DML_TENSOR_DATA_TYPE type, DML_CONVOLUTION_DIRECTION direction, uint32_t lacking);

extern const uint32_t ones[2], zeros[2];

/* ---- what becomes of it ---- */

/* A line each, of the last fusion. */
#define NOTES_MOST 4096
extern char notes_text[NOTES_MOST];

/* How many nodes there are once they have been fused by patterns; or by all passes, which also join maps to what is
 * before them. */
uint32_t fuse(DML_EXECUTION_FLAGS flags);
uint32_t fuse_all(DML_EXECUTION_FLAGS flags, uint32_t storage_buffers);

/* Of a dispatch, on the device. */
uint32_t count_storage_buffers(void);

/* So many, and a note has this in it; NULL: there is no note. */
void assert_nodes(uint32_t expected, const char *note);
void assert_operators(uint32_t expected, const char *note); /* without constants */
void assert_all_nodes(uint32_t expected, const char *note);

/* Steps of executions, as vkdmlExplainGraph() tells of them. */
uint32_t count_steps(VkdmlCompileFlags flags);

/* Fused nodes, by patterns and to programs, give the bits that they give one by one, and numbers of a type near the
 * reference's. The graph ends. */
void agree(DML_TENSOR_DATA_TYPE type);

/* The same where half precision is allowed: numbers near the reference's alone. */
void agree_about(DML_TENSOR_DATA_TYPE type);

/* The same of sums, whose bits may differ. */
void agree_nearly(DML_TENSOR_DATA_TYPE type);

/* A BATCH_NORMALIZATION behind a sum of so many products, in FLOAT32: fused, it is as far from the reference as the sum
 * may be. Which inputs of the graph are the mean and the variance; those of a sum alone are none. The graph ends. */
void agree_in_sums(uint32_t products, uint32_t mean, uint32_t variance);

/* Where memory ends, compiling and explaining say so, and leave nothing behind. The graph ends. */
void assert_no_leaks(void);

#endif
