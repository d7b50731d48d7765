#include "operators/unfolding.h"

#include <inttypes.h>

#include "operators/positive.h"
#include "tensor/infer.h"

#define MAX_SPATIAL (VKDML_MAX_DIMENSIONS - 2)

/* The descriptors differ in their names alone. */
#define READER(name, NAME, image_side, columns_side)                                                                   \
    struct vkdml_unfolding vkdml_unfolding_of_##name(const struct vkdml_instance *instance) {                          \
        const DML_##NAME##_OPERATOR_DESC *desc = instance->desc;                                                       \
        return (struct vkdml_unfolding){                                                                               \
            .image = &instance->image_side##s[0],                                                                      \
            .columns = &instance->columns_side##s[0],                                                                  \
            .image_name = vkdml_##image_side##_name(instance, 0),                                                      \
            .columns_name = vkdml_##columns_side##_name(instance, 0),                                                  \
            .dimension_count = desc->DimensionCount,                                                                   \
            .window_sizes = desc->WindowSizes,                                                                         \
            .strides = desc->Strides,                                                                                  \
            .dilations = desc->Dilations,                                                                              \
            .start = desc->StartPadding,                                                                               \
            .end = desc->EndPadding,                                                                                   \
        };                                                                                                             \
    }

READER(unfold, UNFOLD, input, output)
READER(fold, FOLD, output, input)

uint64_t vkdml_unfolding_blocks(const struct vkdml_unfolding *unfolding, uint32_t s) {
    const uint64_t padded = (uint64_t)unfolding->image->sizes[2 + s] + unfolding->start[s] + unfolding->end[s];
    const uint64_t reach = (uint64_t)unfolding->dilations[s] * (unfolding->window_sizes[s] - 1);
    return padded <= reach ? 0 : (padded - reach - 1) / unfolding->strides[s] + 1;
}

static bool check_numbers(const struct vkdml_unfolding *unfolding, struct vkdml_report *report) {
    const struct vkdml_positive arrays[] = {
        {"WindowSizes", unfolding->window_sizes}, {"Strides", unfolding->strides}, {"Dilations", unfolding->dilations}};
    return vkdml_positive_check(arrays, sizeof(arrays) / sizeof(arrays[0]), unfolding->dimension_count, report);
}

static void check_size(const struct vkdml_unfolding *unfolding, uint32_t d, uint64_t size, const char *what,
                       struct vkdml_report *report) {
    if (!vkdml_size_is(unfolding->columns, d, size)) {
        vkdml_report_invalid(report, "%s.Sizes[%" PRIu32 "] is %" PRIu32 ", must be %" PRIu64 "%s",
                             unfolding->columns_name, d, unfolding->columns->sizes[d], size, what);
    }
}

/* The product of numbers, or UINT64_MAX where it is more. */
static uint64_t product(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* The image as the columns say it, of which they do not have the spatial sizes. Returns whether it is known. */
static bool know_image(const struct vkdml_unfolding *unfolding, uint64_t window) {
    struct vkdml_tensor *image = unfolding->image;
    const uint32_t *columns = &unfolding->columns->sizes[unfolding->columns->dimension_count - 3];
    vkdml_choose_size(image, 0, columns[0]);
    if (columns[1] % window == 0) {
        vkdml_choose_size(image, 1, columns[1] / window);
    }
    bool is_known = true;
    for (uint32_t d = 0; d < image->dimension_count; ++d) {
        is_known = is_known && !vkdml_size_is_unknown(image, d);
    }
    return is_known;
}

void vkdml_unfolding_check(const struct vkdml_unfolding *unfolding, struct vkdml_report *report) {
    struct vkdml_tensor *image = unfolding->image;
    struct vkdml_tensor *columns = unfolding->columns;
    const uint32_t spatial = unfolding->dimension_count;
    vkdml_choose_dimension_count(columns, 3);
    if (spatial >= 1 && spatial <= MAX_SPATIAL) {
        vkdml_choose_dimension_count(image, spatial + 2);
    }
    if (spatial == 0 || spatial > MAX_SPATIAL || image->dimension_count != spatial + 2) {
        vkdml_report_invalid(
            report, "%s.DimensionCount is %" PRIu32 ", must be %" PRIu64 " = DimensionCount (%" PRIu32 ", 1 to %d) + 2",
            unfolding->image_name, image->dimension_count, (uint64_t)spatial + 2, spatial, MAX_SPATIAL);
        return;
    }
    if (columns->dimension_count != 3 && columns->dimension_count != spatial + 2) {
        vkdml_report_invalid(report, "%s.DimensionCount is %" PRIu32 ", must be 3, or %" PRIu32 " with ones before",
                             unfolding->columns_name, columns->dimension_count, spatial + 2);
        return;
    }
    if (!check_numbers(unfolding, report)) {
        return;
    }
    const uint32_t first = columns->dimension_count - 3;
    uint64_t window = 1;
    uint64_t blocks = 1;
    for (uint32_t s = 0; s < spatial; ++s) {
        window = product(window, unfolding->window_sizes[s]);
        blocks = product(blocks, vkdml_unfolding_blocks(unfolding, s));
    }
    if (!know_image(unfolding, window)) {
        return;
    }
    for (uint32_t d = 0; d < first; ++d) {
        check_size(unfolding, d, 1, "", report);
    }
    check_size(unfolding, first, image->sizes[0], ", the batch size", report);
    check_size(unfolding, first + 1, product(window, image->sizes[1]), ", the channels times the elements of a window",
               report);
    check_size(unfolding, first + 2, blocks, ", the number of windows", report);
}
