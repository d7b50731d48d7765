/* The persistent resource of a plan, cut into regions that can be stored apart from each other, and numbers for what
 * initialization leaves in them, so that plans can share regions of equal content. */
#ifndef VKDML_PLAN_REGIONS_H
#define VKDML_PLAN_REGIONS_H

#include "base/intern.h"
#include "plan/plan.h"

/* A part of the persistent resource that no other part shares a block of VKDML_PLAN_REGION_ALIGNMENT bytes with. Every
 * buffer of every step lies in one region. */
struct vkdml_region {
    uint64_t offset;  /* in the persistent resource */
    uint64_t bytes;   /* a multiple of VKDML_PLAN_REGION_ALIGNMENT */
    uint64_t content; /* plans whose regions have equal numbers have equal bytes there */
};

/* Indices side by side in an array: [first, first + count). */
struct vkdml_index_range {
    uint32_t first;
    uint32_t count;
};

/* What an init step has to do with regions and with other init steps. */
struct vkdml_region_step {
    struct vkdml_index_range writes; /* regions, in `indices` */
    struct vkdml_index_range reads;  /* regions that it reads and does not write, likewise */
    struct vkdml_index_range needs;  /* earlier init steps that write temporary memory which it reads, likewise */
};

struct vkdml_regions {
    const VkAllocationCallbacks *callbacks;
    struct vkdml_region *items;
    uint32_t count;
    struct vkdml_region_step *steps; /* by init step */
    uint32_t step_count;
    uint32_t *indices;
};

/* Finds the regions of a plan. input_contents: a number for the bytes of each input, by index, by the same table.
 * callbacks: of the regions, which may outlive the plan. On success `regions` is to be ended, which a failure leaves
 * empty. */
VkdmlResult vkdml_regions_find(const struct vkdml_plan *plan, const uint64_t *input_contents,
                               struct vkdml_intern *intern, const VkAllocationCallbacks *callbacks,
                               struct vkdml_report *report, struct vkdml_regions *regions);
void vkdml_regions_end(struct vkdml_regions *regions);

/* The region that byte `offset` of the persistent resource is in. */
uint32_t vkdml_regions_at(const struct vkdml_regions *regions, uint64_t offset);

/* Marks the init steps that make the regions that are wanted, both by index. The other regions' content, where such a
 * step reads it, must have been made before. */
void vkdml_regions_mark(const struct vkdml_regions *regions, const bool *wanted, bool *marked);

#endif
