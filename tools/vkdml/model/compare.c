#include "model/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/element.h"

/* Elements of up to 8 bytes, zeros behind them. */
static bool same_bits(const struct compare_difference *difference) {
    return memcmp(difference->got, difference->expected, sizeof(difference->got)) == 0;
}

static bool is_within(const struct compare_difference *difference, DML_TENSOR_DATA_TYPE type,
                      const struct compare_tolerance *tolerance, double largest) {
    if (tolerance->bits || same_bits(difference)) {
        return same_bits(difference);
    }
    if (!isfinite(difference->distance)) {
        return false;
    }
    const double expected = element_number(type, difference->expected);
    const double magnitude = isfinite(expected) ? fabs(expected) : 0;
    return difference->distance <=
               tolerance->absolute + tolerance->relative * magnitude + tolerance->of_largest * largest ||
           difference->distance <= tolerance->ulp * element_unit(type, difference->expected);
}

static double largest_magnitude(const struct compare_arrays *arrays) {
    double largest = 0;
    for (uint64_t i = 0; i < arrays->count; i++) {
        unsigned char element[8] = {0};
        element_load(arrays->type, arrays->expected, i, element);
        const double magnitude = fabs(element_number(arrays->type, element));
        if (isfinite(magnitude) && magnitude > largest) {
            largest = magnitude;
        }
    }
    return largest;
}

void compare_elements(const struct compare_arrays *arrays, const struct compare_tolerance *tolerance,
                      struct compare_result *result) {
    const double largest = tolerance->of_largest > 0 && !tolerance->bits ? largest_magnitude(arrays) : 0;
    *result = (struct compare_result){0};
    for (uint64_t i = 0; i < arrays->count; i++) {
        struct compare_difference difference = {.index = i};
        element_load(arrays->type, arrays->got, i, difference.got);
        element_load(arrays->type, arrays->expected, i, difference.expected);
        if (same_bits(&difference)) {
            continue;
        }
        difference.distance = element_distance(arrays->type, difference.got, difference.expected);
        if (is_within(&difference, arrays->type, tolerance, largest)) {
            continue;
        }
        if (result->different == 0 || difference.distance > result->largest.distance) {
            result->largest = difference;
        }
        if (result->kept < COMPARE_KEPT) {
            result->first[result->kept++] = difference;
        }
        result->different++;
    }
}

struct compare_shape compare_shape_of_sizes(uint32_t dimension_count, const uint64_t *sizes) {
    struct compare_shape shape = {.dimension_count = dimension_count <= COMPARE_MAX_DIMENSIONS ? dimension_count : 0};
    uint64_t stride = 1;
    for (uint32_t i = shape.dimension_count; i-- > 0;) {
        shape.sizes[i] = sizes[i];
        shape.strides[i] = stride;
        stride *= sizes[i];
    }
    return shape;
}

struct compare_shape compare_shape_of_tensor(const DML_BUFFER_TENSOR_DESC *tensor) {
    uint64_t sizes[COMPARE_MAX_DIMENSIONS] = {0};
    for (uint32_t i = 0; i < tensor->DimensionCount && i < COMPARE_MAX_DIMENSIONS; i++) {
        sizes[i] = tensor->Sizes[i];
    }
    struct compare_shape shape = compare_shape_of_sizes(tensor->DimensionCount, sizes);
    for (uint32_t i = 0; tensor->Strides && i < shape.dimension_count; i++) {
        shape.strides[i] = tensor->Strides[i];
    }
    return shape;
}

/* The dimension with the largest stride, of those not taken yet that are more than one element long; dimension_count
 * where there is none. */
static uint32_t next_dimension(const struct compare_shape *shape, const bool *taken) {
    uint32_t next = shape->dimension_count;
    for (uint32_t i = 0; i < shape->dimension_count; i++) {
        if (!taken[i] && shape->sizes[i] > 1 && shape->strides[i] > 0 &&
            (next == shape->dimension_count || shape->strides[i] > shape->strides[next])) {
            next = i;
        }
    }
    return next;
}

/* False where no element of the tensor lies there. Right for tensors whose dimensions do not interleave, as those of
 * outputs hardly ever do. */
static bool find_coordinates(const struct compare_shape *shape, uint64_t index, uint64_t *coordinates) {
    bool taken[COMPARE_MAX_DIMENSIONS] = {false};
    memset(coordinates, 0, COMPARE_MAX_DIMENSIONS * sizeof(*coordinates));
    for (;;) {
        const uint32_t next = next_dimension(shape, taken);
        if (next == shape->dimension_count) {
            return index == 0 && shape->dimension_count > 0;
        }
        taken[next] = true;
        coordinates[next] = index / shape->strides[next];
        index %= shape->strides[next];
        if (coordinates[next] >= shape->sizes[next]) {
            return false;
        }
    }
}

void compare_coordinates(const struct compare_shape *shape, uint64_t index, char text[COMPARE_COORDINATES_SIZE]) {
    uint64_t coordinates[COMPARE_MAX_DIMENSIONS];
    size_t used = 1;
    if (!find_coordinates(shape, index, coordinates)) {
        snprintf(text, COMPARE_COORDINATES_SIZE, "[%" PRIu64 "]", index);
        return;
    }
    text[0] = '[';
    for (uint32_t i = 0; i < shape->dimension_count; i++) {
        used +=
            (size_t)snprintf(text + used, COMPARE_COORDINATES_SIZE - used, "%s%" PRIu64, i ? ", " : "", coordinates[i]);
    }
    snprintf(text + used, COMPARE_COORDINATES_SIZE - used, "]");
}

void compare_tolerance_text(const struct compare_tolerance *tolerance, char text[COMPARE_TOLERANCE_SIZE]) {
    const struct {
        double amount;
        const char *of;
    } parts[] = {{tolerance->absolute, ""},
                 {tolerance->relative, " of the element"},
                 {tolerance->of_largest, " of the largest"}};
    size_t used = 0;
    if (tolerance->bits) {
        snprintf(text, COMPARE_TOLERANCE_SIZE, "bit for bit");
        return;
    }
    snprintf(text, COMPARE_TOLERANCE_SIZE, "in value");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].amount > 0) {
            used += (size_t)snprintf(text + used, COMPARE_TOLERANCE_SIZE - used, "%s%.3g%s", used ? " + " : "within ",
                                     parts[i].amount, parts[i].of);
        }
    }
    if (tolerance->ulp > 0) {
        snprintf(text + used, COMPARE_TOLERANCE_SIZE - used, "%s%.3g ULP", used ? " or " : "within ", tolerance->ulp);
    }
}

static void print_difference(FILE *stream, DML_TENSOR_DATA_TYPE type, const struct compare_difference *difference,
                             const struct compare_shape *shape) {
    char at[COMPARE_COORDINATES_SIZE];
    char got[ELEMENT_TEXT_SIZE];
    char expected[ELEMENT_TEXT_SIZE];
    compare_coordinates(shape, difference->index, at);
    element_format(type, difference->got, false, got);
    element_format(type, difference->expected, false, expected);
    if (strcmp(got, expected) == 0) { /* NaNs of other bits */
        element_format(type, difference->got, true, got);
        element_format(type, difference->expected, true, expected);
    }
    fprintf(stream, "  %s: got %s, expected %s\n", at, got, expected);
}

void compare_print(FILE *stream, const struct compare_arrays *arrays, const struct compare_tolerance *tolerance,
                   const struct compare_result *result, const struct compare_shape *shape) {
    char allowed[COMPARE_TOLERANCE_SIZE];
    char at[COMPARE_COORDINATES_SIZE];
    if (result->different == 0) {
        return;
    }
    compare_tolerance_text(tolerance, allowed);
    compare_coordinates(shape, result->largest.index, at);
    fprintf(stream, "%" PRIu64 " of %" PRIu64 " elements differ (compared %s), most by %.6g at %s\n", result->different,
            arrays->count, allowed, result->largest.distance, at);
    for (uint32_t i = 0; i < result->kept; i++) {
        print_difference(stream, arrays->type, &result->first[i], shape);
    }
    if (result->different > result->kept) {
        fprintf(stream, "  .. and %" PRIu64 " more\n", result->different - result->kept);
    }
}
