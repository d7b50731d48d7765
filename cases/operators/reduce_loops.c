/* The benchmarks of reduce.c and argmin.c as plain loops: see cases/loops.h. Sums and products of a row are four, so
 * that none waits for the one before. */
#include "cases/loops.h"

/* Of the benchmarks' columns. */
#define MAX_WIDTH 4096

/* A packed matrix whose rows become one element each, or whose columns do. */
struct matrix {
    const void *from;
    void *to;
    size_t height, width;
    bool rows;
    DML_TENSOR_DATA_TYPE type;
};

static struct matrix matrix_of(const struct operator_case *c, unsigned char *const *tensors, uint32_t first) {
    const struct case_tensor *input = &c->tensors[first], *output = &c->tensors[first + 1];
    const size_t outputs = (size_t)case_element_count(output), folded = (size_t)case_element_count(input) / outputs;
    const bool rows = output->sizes[output->rank - 1] == 1;
    return (struct matrix){.from = tensors[first],
                           .to = tensors[first + 1],
                           .height = rows ? outputs : folded,
                           .width = rows ? folded : outputs,
                           .rows = rows,
                           .type = input->type};
}

/* name(matrix): STEP(t, x) takes an element into a total, BOTH(a, b) puts two together, END(t) is the result. */
#define DEFINE_FOLD(name, element, total, READ, FIRST, STEP, BOTH, END)                                                \
    static void name(const struct matrix *m) {                                                                         \
        const element *from = m->from;                                                                                 \
        element *to = m->to;                                                                                           \
        static total columns[MAX_WIDTH];                                                                               \
        for (size_t i = 0; m->rows && i < m->height; i++, from += m->width) {                                          \
            total a = FIRST, b = FIRST, c = FIRST, d = FIRST;                                                          \
            size_t j = 0;                                                                                              \
            for (; j + 4 <= m->width; j += 4) {                                                                        \
                a = STEP(a, READ(from[j]));                                                                            \
                b = STEP(b, READ(from[j + 1]));                                                                        \
                c = STEP(c, READ(from[j + 2]));                                                                        \
                d = STEP(d, READ(from[j + 3]));                                                                        \
            }                                                                                                          \
            for (; j < m->width; j++) {                                                                                \
                a = STEP(a, READ(from[j]));                                                                            \
            }                                                                                                          \
            to[i] = (element)END(BOTH(BOTH(a, b), BOTH(c, d)));                                                        \
        }                                                                                                              \
        for (size_t j = 0; !m->rows && j < m->width; j++) {                                                            \
            columns[j] = FIRST;                                                                                        \
        }                                                                                                              \
        for (size_t i = 0; !m->rows && i < m->height; i++, from += m->width) {                                         \
            for (size_t j = 0; j < m->width; j++) {                                                                    \
                columns[j] = STEP(columns[j], READ(from[j]));                                                          \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t j = 0; !m->rows && j < m->width; j++) {                                                            \
            to[j] = (element)END(columns[j]);                                                                          \
        }                                                                                                              \
    }

#define SAME(x)       (x)
#define ADD(a, b)     ((a) + (b))
#define TIMES(a, b)   ((a) * (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define SQUARE(t, x)  ((t) + (x) * (x))
#define HALF(x)       loop_narrow(x)
#define HALF_ROOT(x)  loop_narrow(sqrtf(x))

DEFINE_FOLD(sum_float, float, float, SAME, 0, ADD, ADD, SAME)
DEFINE_FOLD(sum_half, uint16_t, float, loop_widen, 0, ADD, ADD, HALF)
DEFINE_FOLD(sum_int, uint32_t, uint32_t, SAME, 0, ADD, ADD, SAME)
DEFINE_FOLD(sum_long, uint64_t, uint64_t, SAME, 0, ADD, ADD, SAME)
DEFINE_FOLD(max_float, float, float, SAME, -INFINITY, GREATER, GREATER, SAME)
DEFINE_FOLD(max_half, uint16_t, float, loop_widen, -INFINITY, GREATER, GREATER, HALF)
DEFINE_FOLD(max_int, int32_t, int32_t, SAME, INT32_MIN, GREATER, GREATER, SAME)
DEFINE_FOLD(max_long, int64_t, int64_t, SAME, INT64_MIN, GREATER, GREATER, SAME)
DEFINE_FOLD(max_byte, int8_t, int8_t, SAME, INT8_MIN, GREATER, GREATER, SAME)
DEFINE_FOLD(max_unsigned_byte, uint8_t, uint8_t, SAME, 0, GREATER, GREATER, SAME)
DEFINE_FOLD(l2_float, float, float, SAME, 0, SQUARE, ADD, sqrtf)
DEFINE_FOLD(l2_half, uint16_t, float, loop_widen, 0, SQUARE, ADD, HALF_ROOT)
DEFINE_FOLD(product_float, float, float, SAME, 1, TIMES, TIMES, SAME)
DEFINE_FOLD(product_half, uint16_t, float, loop_widen, 1, TIMES, TIMES, HALF)

/* The greatest of a row or column first, then the powers beside it. */
#define DEFINE_POWERS(name, element, READ, END)                                                                        \
    static void name(const struct matrix *m) {                                                                         \
        const element *from = m->from;                                                                                 \
        element *to = m->to;                                                                                           \
        static float greatest[MAX_WIDTH], sums[MAX_WIDTH];                                                             \
        for (size_t i = 0; m->rows && i < m->height; i++, from += m->width) {                                          \
            float most = -INFINITY, sum = 0;                                                                           \
            for (size_t j = 0; j < m->width; j++) {                                                                    \
                most = GREATER(most, READ(from[j]));                                                                   \
            }                                                                                                          \
            for (size_t j = 0; j < m->width; j++) {                                                                    \
                sum += expf(READ(from[j]) - most);                                                                     \
            }                                                                                                          \
            to[i] = END(most + logf(sum));                                                                             \
        }                                                                                                              \
        for (size_t j = 0; !m->rows && j < m->width; j++) {                                                            \
            greatest[j] = -INFINITY;                                                                                   \
            sums[j] = 0;                                                                                               \
        }                                                                                                              \
        for (size_t i = 0; !m->rows && i < m->height; i++) {                                                           \
            for (size_t j = 0; j < m->width; j++) {                                                                    \
                greatest[j] = GREATER(greatest[j], READ(from[i * m->width + j]));                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t i = 0; !m->rows && i < m->height; i++) {                                                           \
            for (size_t j = 0; j < m->width; j++) {                                                                    \
                sums[j] += expf(READ(from[i * m->width + j]) - greatest[j]);                                           \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t j = 0; !m->rows && j < m->width; j++) {                                                            \
            to[j] = END(greatest[j] + logf(sums[j]));                                                                  \
        }                                                                                                              \
    }

DEFINE_POWERS(powers_float, float, SAME, SAME)
DEFINE_POWERS(powers_half, uint16_t, loop_widen, loop_narrow)

typedef void fold(const struct matrix *m);

/* By data type. */
static fold *const maxima[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = max_float, [DML_TENSOR_DATA_TYPE_FLOAT16] = max_half,
    [DML_TENSOR_DATA_TYPE_INT32] = max_int,     [DML_TENSOR_DATA_TYPE_INT64] = max_long,
    [DML_TENSOR_DATA_TYPE_INT8] = max_byte,     [DML_TENSOR_DATA_TYPE_UINT8] = max_unsigned_byte,
};
static fold *const sums[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = sum_float,
    [DML_TENSOR_DATA_TYPE_FLOAT16] = sum_half,
    [DML_TENSOR_DATA_TYPE_INT32] = sum_int,
    [DML_TENSOR_DATA_TYPE_INT64] = sum_long,
};

void loop_reduce(const struct operator_case *c, unsigned char *const *tensors) {
    const struct matrix m = matrix_of(c, tensors, 1);
    const bool is_half = m.type == DML_TENSOR_DATA_TYPE_FLOAT16;
    switch ((DML_REDUCE_FUNCTION)c->fields[0].words[0]) {
    case DML_REDUCE_FUNCTION_SUM:
        sums[m.type](&m);
        break;
    case DML_REDUCE_FUNCTION_MAX:
        maxima[m.type](&m);
        break;
    case DML_REDUCE_FUNCTION_L2:
        (is_half ? l2_half : l2_float)(&m);
        break;
    case DML_REDUCE_FUNCTION_MULTIPLY:
        (is_half ? product_half : product_float)(&m);
        break;
    default:
        (is_half ? powers_half : powers_float)(&m);
        break;
    }
}

/* The first place of the least, or greatest, element of a row or column. */
#define DEFINE_PLACE(name, element, key, READ, OVER)                                                                   \
    static void name(const struct matrix *m) {                                                                         \
        const element *from = m->from;                                                                                 \
        uint32_t *to = m->to;                                                                                          \
        static key best[MAX_WIDTH];                                                                                    \
        for (size_t i = 0; m->rows && i < m->height; i++, from += m->width) {                                          \
            key found = READ(from[0]);                                                                                 \
            size_t place = 0;                                                                                          \
            for (size_t j = 1; j < m->width; j++) {                                                                    \
                const key x = READ(from[j]);                                                                           \
                if (x OVER found) {                                                                                    \
                    found = x;                                                                                         \
                    place = j;                                                                                         \
                }                                                                                                      \
            }                                                                                                          \
            to[i] = (uint32_t)place;                                                                                   \
        }                                                                                                              \
        for (size_t j = 0; !m->rows && j < m->width; j++) {                                                            \
            best[j] = READ(from[j]);                                                                                   \
            to[j] = 0;                                                                                                 \
        }                                                                                                              \
        for (size_t i = 1; !m->rows && i < m->height; i++) {                                                           \
            for (size_t j = 0; j < m->width; j++) {                                                                    \
                const key x = READ(from[i * m->width + j]);                                                            \
                to[j] = x OVER best[j] ? (uint32_t)i : to[j];                                                          \
                best[j] = x OVER best[j] ? x : best[j];                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }

#define DEFINE_PLACES(name, element, key, READ)                                                                        \
    DEFINE_PLACE(name##_of_least, element, key, READ, <)                                                               \
    DEFINE_PLACE(name##_of_greatest, element, key, READ, >)

DEFINE_PLACES(place_float, float, float, SAME)
DEFINE_PLACES(place_half, uint16_t, float, loop_widen)
DEFINE_PLACES(place_int, int32_t, int32_t, SAME)
DEFINE_PLACES(place_long, int64_t, int64_t, SAME)
DEFINE_PLACES(place_byte, int8_t, int8_t, SAME)
DEFINE_PLACES(place_unsigned_byte, uint8_t, uint8_t, SAME)

/* By data type: the least, the greatest. */
#define PLACES(name)                                                                                                   \
    { name##_of_least, name##_of_greatest }
static fold *const places[][2] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = PLACES(place_float), [DML_TENSOR_DATA_TYPE_FLOAT16] = PLACES(place_half),
    [DML_TENSOR_DATA_TYPE_INT32] = PLACES(place_int),     [DML_TENSOR_DATA_TYPE_INT64] = PLACES(place_long),
    [DML_TENSOR_DATA_TYPE_INT8] = PLACES(place_byte),     [DML_TENSOR_DATA_TYPE_UINT8] = PLACES(place_unsigned_byte),
};

void loop_place(const struct operator_case *c, unsigned char *const *tensors) {
    const struct matrix m = matrix_of(c, tensors, 0);
    places[m.type][c->schema->type == DML_OPERATOR_ARGMAX](&m);
}
