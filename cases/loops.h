/* The operators' benchmarks as one writes them in plain C: loops for one thread, fast but not clever. Tensors are given
 * by field, each from its first element on. */
#ifndef CASES_LOOPS_H
#define CASES_LOOPS_H

#include <math.h>
#include <string.h>

#include "cases/family.h"

/* A packed matrix's transpose, in blocks that fit the first-level cache. */
void loop_transpose(const struct operator_case *c, unsigned char *const *tensors);

/* Padding of packed tensors, row by row: the inside copied whole, the borders element by element. */
void loop_padding(const struct operator_case *c, unsigned char *const *tensors);

/* Coordinates of a packed tensor: each is written, and counts only where its element is not zero. */
void loop_nonzero(const struct operator_case *c, unsigned char *const *tensors);

/* Reductions of a matrix's rows or columns: REDUCE of the benchmarks' functions, ARGMIN and ARGMAX. */
case_loop loop_reduce, loop_place;

/* Operators that map floats. LOOP_OF_ONE(name, expression of x) and LOOP_OF_TWO(name, expression of a and b) define
 * name_loop(); the expression may use the attributes p[0], p[1], .. */

#define LOOP_MOVE_RANK 8

/* Rows of elements moved from one place to another: strides in elements, outermost first; the row's elements lie side
 * by side in the target. */
struct loop_move {
    uint32_t element; /* bytes */
    uint32_t rank;
    uint32_t sizes[LOOP_MOVE_RANK];
    ptrdiff_t from[LOOP_MOVE_RANK], to[LOOP_MOVE_RANK];
};

void loop_move(const struct loop_move *move, const unsigned char *from, unsigned char *to);

/* Operands as matrices of the output's sizes, strides in elements. */
struct loop_operands {
    size_t height, width;
    bool packed; /* all of them */
    struct {
        const void *elements;
        size_t column, row, every, count; /* row i begins at i / every % count * row */
    } inputs[2];
    void *output;
    DML_TENSOR_DATA_TYPE type;
    float p[4];
};

struct loop_operands loop_operands(const struct operator_case *c, unsigned char *const *tensors);

static inline size_t loop_row(const struct loop_operands *o, int n, size_t i) {
    return i / o->inputs[n].every % o->inputs[n].count * o->inputs[n].row;
}

/* FLOAT16 to FLOAT32. */
static inline float loop_widen(uint16_t half) {
    const uint32_t magnitude = half & 0x7fffu;
    uint32_t bits = (magnitude << 13) + (112u << 23);
    float value;
    if (magnitude >= 0x7c00) {
        bits += 112u << 23;
    } else if (magnitude < 0x400) {
        value = (float)magnitude * 0x1p-24f;
        memcpy(&bits, &value, sizeof(bits));
    }
    bits |= (uint32_t)(half & 0x8000u) << 16;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* And back, to nearest even. */
static inline uint16_t loop_narrow(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return 0x7e00;
    }
    if (magnitude >= 143u << 23) {
        return (uint16_t)(sign | 0x7c00);
    }
    if (magnitude < 113u << 23) {
        memcpy(&value, &magnitude, sizeof(value));
        return (uint16_t)(sign | (uint32_t)nearbyintf(value * 0x1p24f));
    }
    return (uint16_t)(sign | (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

/* An index of the type that benchmarks use. */
static inline size_t loop_index(unsigned char *const *tensors, uint32_t slot, size_t i) {
    return ((const uint32_t *)(const void *)tensors[slot])[i];
}

/* An element, or a row. */
static inline void loop_copy(unsigned char *to, const unsigned char *from, size_t bytes) {
    switch (bytes) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, bytes);
        break;
    }
}

/* Elements of FLOAT32 and FLOAT16. */
static inline float loop_load(const void *memory, DML_TENSOR_DATA_TYPE type, size_t i) {
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? loop_widen(((const uint16_t *)memory)[i])
                                                : ((const float *)memory)[i];
}

static inline void loop_store(void *memory, DML_TENSOR_DATA_TYPE type, size_t i, float x) {
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        ((uint16_t *)memory)[i] = loop_narrow(x);
    } else {
        ((float *)memory)[i] = x;
    }
}

/* Two loops: one along memory, one with strides. */
#define LOOP_TURNS(a_, b_, READ, expression, WRITE, from, to)                                                          \
    {                                                                                                                  \
        const from *const as = o.inputs[0].elements, *const bs = o.inputs[1].elements;                                 \
        to *const out = o.output;                                                                                      \
        for (size_t i = 0; o.packed && i < o.height * o.width; i++) {                                                  \
            const float a_ = READ(as[i]), b_ = READ(bs[i]);                                                            \
            (void)b_;                                                                                                  \
            out[i] = (to)WRITE(expression);                                                                            \
        }                                                                                                              \
        for (size_t i = 0; !o.packed && i < o.height; i++) {                                                           \
            const from *const a_row = as + loop_row(&o, 0, i), *const b_row = bs + loop_row(&o, 1, i);                 \
            for (size_t j = 0; j < o.width; j++) {                                                                     \
                const float a_ = READ(a_row[j * o.inputs[0].column]), b_ = READ(b_row[j * o.inputs[1].column]);        \
                (void)b_;                                                                                              \
                out[i * o.width + j] = (to)WRITE(expression);                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }

#define LOOP_SAME(x) (x)
#define LOOP_MAP(name, a_, b_, expression, WRITE32, WRITE16, to32, to16)                                               \
    static void name##_loop(const struct operator_case *c, unsigned char *const *tensors) {                            \
        const struct loop_operands o = loop_operands(c, tensors);                                                      \
        const float *const p = o.p;                                                                                    \
        (void)p;                                                                                                       \
        if (o.type == DML_TENSOR_DATA_TYPE_FLOAT32)                                                                    \
            LOOP_TURNS(a_, b_, LOOP_SAME, expression, WRITE32, float, to32)                                            \
        else                                                                                                           \
            LOOP_TURNS(a_, b_, loop_widen, expression, WRITE16, uint16_t, to16)                                        \
    }

#define LOOP_OF_ONE(name, expression)          LOOP_MAP(name, x, unused, expression, LOOP_SAME, loop_narrow, float, uint16_t)
#define LOOP_OF_TWO(name, expression)          LOOP_MAP(name, a, b, expression, LOOP_SAME, loop_narrow, float, uint16_t)
#define LOOP_OF_TWO_TO_BYTES(name, expression) LOOP_MAP(name, a, b, expression, LOOP_SAME, LOOP_SAME, uint8_t, uint8_t)
#define LOOP_OF_ONE_TO_BYTES(name, expression)                                                                         \
    LOOP_MAP(name, x, unused, expression, LOOP_SAME, LOOP_SAME, uint8_t, uint8_t)

#endif
