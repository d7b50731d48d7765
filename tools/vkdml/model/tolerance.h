/* How far an operator's results may be from what is expected of it. */
#ifndef TOLERANCE_H
#define TOLERANCE_H

#include "model/compare.h"
#include "model/model.h"

/* What the operator table's accuracy allows an output of that type, when it is compared with the exact results rounded
 * to the type. Operators that are fused add theirs. NULL for the dispatchable: bit for bit.
 *
 * EXACT: bit for bit. ULP(n): floats within n + 0.5 units in the last place, of FLOAT16 1.5 (half a unit for the
 * rounding of what is expected), integers bit for bit.
 *
 * SUM: the table's bound where it is one of the result alone, as softmax's. Elsewhere it counts in terms that results
 * do not show, so this is a rule of thumb: floats within 2^-13 of the element plus 2^-16 of the largest element
 * expected, of FLOAT16, and of FLOAT32 where half precision is allowed, 2^-9 and 2^-12. Integers within what the table
 * says, mostly bit for bit. */
struct compare_tolerance tolerance_of_results(const struct dispatchable *dispatchable, DML_TENSOR_DATA_TYPE type);

/* The same against results of the reference, which those of EXACT and ULP(n) are bit for bit. */
struct compare_tolerance tolerance_of_reference(const struct dispatchable *dispatchable, DML_TENSOR_DATA_TYPE type);

#endif
