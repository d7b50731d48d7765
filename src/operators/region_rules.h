/* Rules that operators on regions of pictures have in common. */
#ifndef VKDML_OPERATORS_REGION_RULES_H
#define VKDML_OPERATORS_REGION_RULES_H

#include "base/report.h"
#include "tensor/tensor.h"

/* A dimension of a tensor that is a dimension of another; and one of a size, with what is said behind it. */
void vkdml_regions_check_size(const char *name, struct vkdml_tensor *tensor, uint32_t d, const char *other_name,
                              const struct vkdml_tensor *other, uint32_t e, struct vkdml_report *report);
void vkdml_regions_check_is(const char *name, struct vkdml_tensor *tensor, uint32_t d, uint32_t size, const char *why,
                            struct vkdml_report *report);

/* The regions' tensor, of two dimensions or more, which says how many there are. */
void vkdml_regions_check_numbers(const char *name, struct vkdml_tensor *corners, uint32_t numbers,
                                 struct vkdml_report *report);

/* Their pictures, of as many regions as a tensor of bins has. */
void vkdml_regions_check_indices(const char *name, struct vkdml_tensor *indices, const char *bins_name,
                                 const struct vkdml_tensor *bins, struct vkdml_report *report);

void vkdml_regions_check_bins(const char *name, const struct vkdml_tensor *bins, struct vkdml_report *report);

struct vkdml_samples {
    DML_REDUCE_FUNCTION function;
    uint32_t least;
    uint32_t most;
};

void vkdml_samples_check(const struct vkdml_samples *samples, struct vkdml_report *report);

/* A denormal number may be 0 on a device. */
float vkdml_regions_normal(float x);

#endif
