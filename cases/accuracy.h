/* How far results may be from the exact value: read from the operator table, which is the one place that says it. */
#ifndef CASES_ACCURACY_H
#define CASES_ACCURACY_H

#include "cases/case.h"

/* In units in the last place; 0 where a type's results are exact. SUM has no such number. */
uint32_t accuracy_ulp(const VkdmlAccuracy *accuracy, DML_TENSOR_DATA_TYPE type);

/* Of a case's results: what its operator and those that are fused into it add up to. */
uint32_t accuracy_of_case(const struct operator_case *c, DML_TENSOR_DATA_TYPE type);

/* Of SUM, as parts of magnitudes: of those of `terms` terms together, of the result itself, and of 1. */
double accuracy_of_terms(const struct operator_case *c, double terms);
double accuracy_of_result(const struct operator_case *c, double terms);
double accuracy_of_one(const struct operator_case *c);

/* What an output's element may be where its operator's accuracy is SUM, as numbers; NaN too where may_be_nan says so.
 * Integers are the nearest to what lies within, or where bounds are NaN exact. */
struct accuracy_bounds {
    double least, greatest;
    bool may_be_nan;
};

/* The bounds of an output's element at a coordinate: of the first output, unless accuracy_slot() says another;
 * `tensors` are a case's by slot, each from its first element on. */
typedef struct accuracy_bounds accuracy_bounds_of(const struct operator_case *c, const unsigned char *const *tensors,
                                                  const uint32_t *coordinates);

/* The exact value of such an element, and what its error is counted in: the least that computing in FLOAT32 could lose.
 */
struct accuracy_exact {
    double value, unit;
};

/* Bounds that say nothing, and those of results that are exact. */
extern const struct accuracy_bounds accuracy_anything, accuracy_is_exact;

struct accuracy_bounds accuracy_around(double value, double distance);

/* None; and one whose error is counted in roundings of such magnitudes. */
extern const struct accuracy_exact accuracy_no_exact;

struct accuracy_exact accuracy_beside(double value, double magnitudes);

typedef struct accuracy_exact accuracy_exact_of(const struct operator_case *c, const unsigned char *const *tensors,
                                                const uint32_t *coordinates);

/* Bounds with what lies beyond them that is_within allows. */
struct accuracy_bounds accuracy_widened(const struct accuracy_bounds *bounds, DML_TENSOR_DATA_TYPE type);

/* A number that differs each time that accuracy_accept() has been given tensors, of the calling thread: what a family
 * computed of them holds while it stays. */
uint64_t accuracy_occasion(void);

/* The slot of the output whose bounds are asked for, of the calling thread; 0: the first. */
uint32_t accuracy_slot(void);

/* Makes it differ, where tensors are others without having been given. */
void accuracy_renew(void);

/* Whether an element is within bounds, a unit in the last place of its type or a denormal beyond which it may lie. */
bool accuracy_is_within(const struct accuracy_bounds *bounds, DML_TENSOR_DATA_TYPE type, uint64_t bits);

/* Lets elements of an output be what was got where that and what is wanted both lie within bounds; both are given from
 * its first element on. */
void accuracy_accept(const struct operator_case *c, struct case_at output, accuracy_bounds_of *bounds_of,
                     const unsigned char *const *tensors, const unsigned char *got, unsigned char *want);

/* The distance of an element of a FLOAT type from the exact value, in units in the last place of that value. 0 for NaN
 * where that is exact, and for infinity where the type has nothing nearer. */
double accuracy_distance(DML_TENSOR_DATA_TYPE type, uint64_t bits, double exact);

#endif
