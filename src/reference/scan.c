/* CUMULATIVE_SUMMATION and CUMULATIVE_PRODUCT. Floats are tallied in double, and rounded to FLOAT32 and to the output's
 * type where they are written. */
#include <math.h>

#include "reference/element.h"
#include "reference/number.h"
#include "reference/reference.h"

struct tally {
    bool multiplies;
    double number;
    int64_t exponent; /* of a product, so that nothing on the way leaves double */
    uint64_t integer; /* modulo 2^64 */
};

static void add(struct tally *tally, DML_TENSOR_DATA_TYPE type, uint64_t bits) {
    if (!vkdml_data_type_is_float(type)) {
        tally->integer = tally->multiplies ? tally->integer * bits : tally->integer + bits;
        return;
    }
    const double x = (double)vkdml_element_to_float(type, bits);
    if (!tally->multiplies) {
        tally->number += x;
        return;
    }
    int power;
    tally->number = frexp(tally->number * x, &power);
    tally->exponent += isfinite(tally->number) && tally->number != 0 ? power : 0;
}

static uint64_t value_of(const struct tally *tally, DML_TENSOR_DATA_TYPE type) {
    if (!vkdml_data_type_is_float(type)) {
        return tally->integer;
    }
    const int64_t exponent = tally->exponent;
    const double value = ldexp(tally->number, exponent > 2000 ? 2000 : exponent < -2000 ? -2000 : (int)exponent);
    return vkdml_float_to_element(type, (float)value);
}

struct scan {
    uint32_t axis;
    DML_AXIS_DIRECTION direction;
    bool multiplies;
    bool exclusive;
};

static void scan_line(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                      const struct scan *scan, struct vkdml_coordinate at) {
    const struct vkdml_tensor *input = &instance->inputs[0], *output = &instance->outputs[0];
    const uint32_t length = input->sizes[scan->axis];
    struct tally tally = {scan->multiplies, scan->multiplies, 0, scan->multiplies};
    for (uint32_t i = 0; i < length; i++) {
        at.index[scan->axis] = scan->direction == DML_AXIS_DIRECTION_DECREASING ? length - 1 - i : i;
        const struct tally before = tally;
        add(&tally, input->data_type, vkdml_element_read(input, memory->inputs[0], &at));
        vkdml_element_write(output, memory->outputs[0], &at,
                            value_of(scan->exclusive ? &before : &tally, output->data_type));
    }
}

static void scan_lines(const struct vkdml_instance *instance, const struct vkdml_reference_memory *memory,
                       const struct scan *scan) {
    struct vkdml_tensor lines = instance->inputs[0];
    lines.sizes[scan->axis] = 1;
    struct vkdml_coordinate at = {{0}};
    do {
        scan_line(instance, memory, scan, at);
    } while (vkdml_coordinate_next(&lines, &at));
}

void vkdml_reference_cumulative_summation(const struct vkdml_instance *instance,
                                          const struct vkdml_reference_memory *memory) {
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC *desc = instance->desc;
    const struct scan scan = {desc->Axis, desc->AxisDirection, false, desc->HasExclusiveSum != 0};
    scan_lines(instance, memory, &scan);
}

void vkdml_reference_cumulative_product(const struct vkdml_instance *instance,
                                        const struct vkdml_reference_memory *memory) {
    const DML_CUMULATIVE_PRODUCT_OPERATOR_DESC *desc = instance->desc;
    const struct scan scan = {desc->Axis, desc->AxisDirection, true, desc->HasExclusiveProduct != 0};
    scan_lines(instance, memory, &scan);
}
