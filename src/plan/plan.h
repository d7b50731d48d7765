/* The plan: all that recording an operator needs, as plain data. Planners write it, the Vulkan side records it;
 * neither knows the other. */
#ifndef VKDML_PLAN_PLAN_H
#define VKDML_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/report.h"
#include "kernels/cooperative_matrix.h"
#include "kernels/kernels.h"

/* A tensor larger than a descriptor can bind is covered by windows, a dispatch each. 4096 cover a transpose of 7 GiB
 * within 128 MiB ranges; what would need more is refused rather than planned at any length. */
#define VKDML_PLAN_MAX_STEPS 4096
/* Where the device has so many; Vulkan 1.2 guarantees 4. Each takes 4 of the 128 bytes of push constants that it
 * guarantees too, and GLSL holds those of four in a uvec4, of which binding.glsl has two. */
#define VKDML_PLAN_MAX_BUFFERS 8
/* 32-bit words of one parameter block, of which kernels of today take up to 128. Vulkan 1.2 guarantees 16 KiB
 * (maxUniformBufferRange); this is less because each step begins with room for so many. Room for one stays below the
 * 1032 bytes that glibc's malloc() has at hand. */
#define VKDML_PLAN_MAX_PARAMETERS 240
#define VKDML_PLAN_MAX_COPY_RANK  7  /* of 8 dimensions all but the run */
#define VKDML_PLAN_MAX_ALIASES    16 /* an operator of today has 3, ADAM_OPTIMIZER 12 */

/* Where regions of the temporary and persistent resource begin: at what DirectML has these bound at, so that a region
 * is bound like a resource of its own. */
#define VKDML_PLAN_REGION_ALIGNMENT 256

enum vkdml_plan_resource {
    VKDML_PLAN_INPUT,      /* index: binding index of the input tensor */
    VKDML_PLAN_OUTPUT,     /* index: binding index of the output tensor */
    VKDML_PLAN_TEMPORARY,  /* index: 0 */
    VKDML_PLAN_PERSISTENT, /* index: 0 */
    VKDML_PLAN_PAGE,       /* index: of a weight store's pages, among those that the dispatchable uses; in no planner's
                              plan, see vulkan/weights.h */
};

/* What a storage buffer of a step is bound to. */
struct vkdml_plan_buffer {
    enum vkdml_plan_resource resource;
    uint32_t index;
    uint64_t offset; /* bytes from where the caller bound the resource, multiple of 4 */
    uint64_t size;   /* bytes, multiple of 4; of a DISPATCH at most the device's maxStorageBufferRange less what
                        alignment takes */
};

/* A step that is no node's, of a graph's plan. */
#define VKDML_PLAN_NO_NODE UINT32_MAX

/* The command that a step is. */
enum vkdml_plan_step_kind {
    VKDML_PLAN_DISPATCH,
    VKDML_PLAN_COPY, /* of runs of bytes in buffers[0] to buffers[1] */
    VKDML_PLAN_FILL, /* of buffers[0] with one word, over and over */
};

/* The runs of a COPY: one per coordinate of the outer dimensions, from the buffers' first bytes on. Vulkan has no limit
 * on their sizes and alignments. */
struct vkdml_plan_copy {
    uint64_t run_bytes;
    uint32_t rank; /* 0: one run */
    uint32_t sizes[VKDML_PLAN_MAX_COPY_RANK];
    uint64_t source_strides[VKDML_PLAN_MAX_COPY_RANK]; /* bytes */
    uint64_t target_strides[VKDML_PLAN_MAX_COPY_RANK]; /* bytes */
};

/* Words of parameter blocks, one step's behind another's. They stay in place when steps move, since a plan that needs
 * more words begins another arena. */
struct vkdml_plan_words {
    struct vkdml_plan_words *before; /* the arena that was full; NULL: this is the first */
    uint32_t count;
    uint32_t capacity;
    uint32_t items[];
};

/* One command. */
struct vkdml_plan_step {
    enum vkdml_plan_step_kind kind;
    uint32_t buffer_count; /* all that is left of the kernel's by its constants; COPY 2, FILL 1 */
    struct vkdml_plan_buffer buffers[VKDML_PLAN_MAX_BUFFERS]; /* a kernel's bindings 1, 2, .. */
    /* Recorded so many times, where that is more than once, a barrier between; each time a buffer's bytes begin
     * repeat_strides[] further on, a multiple of 16. The buffers' sizes hold all times. Of a DISPATCH alone, which has
     * at most VKDML_PLAN_REPETITION buffers. */
    uint32_t repeat_count;
    uint32_t repeat_strides[VKDML_PLAN_MAX_BUFFERS];
    uint32_t phase;      /* see plan/builder.h; ascending */
    bool barrier_before; /* what earlier steps wrote must be visible to this one, and to those of its kind that follow:
                            found by vkdml_plan_synchronize() */
    bool is_general;     /* of a plan by vkdml_plan_limits::general: its pipeline does not depend on offsets either */
    uint32_t node;       /* of a graph, whose step it is, or VKDML_PLAN_NO_NODE */
    size_t noted;        /* where notes of it begin, see base/notes.h */

    struct vkdml_plan_copy copy;
    uint32_t fill_word;

    /* Of a DISPATCH: */
    enum vkdml_kernel kernel;
    uint32_t constants_given;                   /* vkdml_step_constant(): a bit for each id */
    uint32_t constants[VKDML_KERNEL_CONSTANTS]; /* 0 where none is given */
    uint32_t float_controls; /* VKDML_FLOAT_CONTROLS_ bits: what the kernel declares, of those that the limits have */
    struct vkdml_plan_words *words; /* the plan's, where its parameters go: vkdml_step_parameters() */
    uint32_t first_parameter;       /* of the uniform block at binding 0, among these */
    uint32_t parameter_count;
    uint32_t groups[3];
};

/* Steps in the order they are recorded, and the temporary memory that they have among them. */
struct vkdml_plan_steps {
    uint32_t count;
    uint32_t capacity;
    struct vkdml_plan_step *items;
    uint32_t phase;           /* of the next step */
    uint64_t temporary_bytes; /* a multiple of VKDML_PLAN_REGION_ALIGNMENT */
};

/* An output that may be bound in place of an input, of the same layout. */
struct vkdml_plan_alias {
    uint32_t output;
    uint32_t input;
};

/* Made empty by vkdml_plan_begin(), freed by vkdml_plan_end(). */
struct vkdml_plan {
    const VkAllocationCallbacks *callbacks; /* of steps and words; borrowed; may be NULL */
    struct vkdml_plan_words *words;         /* of all steps: the arena that was begun last */
    struct vkdml_plan_steps steps;
    struct vkdml_plan_steps init_steps; /* recorded by the operator initializer: INPUT to PERSISTENT */
    struct vkdml_plan_steps spare_steps; /* never recorded: DISPATCHes, without parameters, whose pipelines a plan for
                                            other sizes may need */
    uint64_t persistent_bytes;          /* a multiple of VKDML_PLAN_REGION_ALIGNMENT */
    uint32_t alias_count;
    struct vkdml_plan_alias aliases[VKDML_PLAN_MAX_ALIASES];
    bool keeps_input; /* output 0 is input 0, element for element: in place there is nothing to do */
};

/* Which pipelines a device has, for planning a graph whose sizes change. Called on the planning thread. */
struct vkdml_plan_pipelines {
    void *context;
    bool (*exists)(void *context, const struct vkdml_plan_step *step);
    void (*request)(void *context, const struct vkdml_plan_steps *steps); /* a node would rather have these: those of
                                                                              their pipelines that do not exist are
                                                                              created in the background */
    bool is_first; /* the graph was not compiled for other sizes before: general pipelines are to be created now */
};

/* What a planner may know of a device. Invented at will in tests. */
struct vkdml_plan_limits {
    uint64_t max_storage_buffer_range;
    uint32_t min_storage_buffer_offset_alignment;
    uint32_t max_workgroup_count[3];
    uint32_t max_workgroup_size[3];
    uint32_t max_workgroup_invocations;
    uint32_t max_shared_memory_bytes;
    uint32_t max_storage_buffers; /* of a dispatch; at least 4 */
    VkdmlKernelVariant variant;   /* of the kernels that the device runs */
    uint32_t float_controls;      /* VKDML_FLOAT_CONTROLS_ bits */
    bool transfer_allowed;        /* the caller's buffers and barriers are for transfer commands too */
    bool transfer_is_faster;      /* than kernels: on CPUs, where a copy is memcpy(); GPUs have slow engines for it */
    struct vkdml_matrix_cores matrix_cores;
    struct vkdml_matrix_cores byte_cores; /* .. that multiply INT8 */
    bool dot_products;                    /* of four bytes are one instruction */
    bool avoids_long_code;                /* its compiler takes minutes for loops unrolled a hundred times */
    bool half_allowed; /* DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION: FLOAT32 may be computed as FLOAT16 */
    bool open_sizes;   /* VKDML_COMPILE_FLAG_OPEN_SIZES: fusions treat weights alike for all sizes of activations */
    /* Constants of kernels must not depend on sizes of activations, but for what decides the order of sums: results
     * have the same bits as without. Where there are several orders a planner adds the others' pipelines as spare
     * steps. */
    bool general;
    const struct vkdml_plan_limits *initialization; /* of general plans: the limits for steps of initialization, which
                                                       are those of other plans; NULL: these; borrowed */
    const struct vkdml_plan_pipelines *pipelines; /* NULL, or a node is planned as general where its best pipelines do
                                                     not exist yet; borrowed */
};

void vkdml_plan_begin(struct vkdml_plan *plan, const VkAllocationCallbacks *callbacks);
void vkdml_plan_end(struct vkdml_plan *plan);

/* Makes room for so many more steps in one of the plan's lists, and for words of theirs side by side.
 * VKDML_ERROR_OUT_OF_HOST_MEMORY. */
VkdmlResult vkdml_plan_reserve(struct vkdml_plan *plan, struct vkdml_plan_steps *steps, uint32_t more, uint32_t words,
                               struct vkdml_report *report);

/* Adds DISPATCHes of other steps to the plan's spare ones, without their parameters. VKDML_ERROR_OUT_OF_HOST_MEMORY. */
VkdmlResult vkdml_plan_add_spares(struct vkdml_plan *plan, const struct vkdml_plan_step *steps, uint32_t count,
                                  struct vkdml_report *report);

/* The words of a step's parameter block. */
const uint32_t *vkdml_plan_step_parameters(const struct vkdml_plan_step *step);

/* A bit for each buffer of a step that it may write. */
uint32_t vkdml_plan_step_written(const struct vkdml_plan_step *step);

/* Finds where barriers are needed, once steps stand: before a step that reads what a step of an earlier phase writes,
 * or writes what one reads or writes, and no barrier lies between; also between a transfer and a dispatch of one phase.
 * Of steps before the ones given that was found. */
void vkdml_plan_synchronize(struct vkdml_plan *plan, uint32_t first_step, uint32_t first_init_step);

/* Push constants of every kernel: per storage buffer the distance in bytes, multiple of 4, from the bound descriptor's
 * start to the resource's first byte. Buffers are bound at an offset rounded down to
 * minStorageBufferOffsetAlignment; this is the rest. */
/* A step that is repeated is told there how many times it was recorded before. */
#define VKDML_PLAN_REPETITION (VKDML_PLAN_MAX_BUFFERS - 1)

struct vkdml_push_constants {
    uint32_t base_bytes[VKDML_PLAN_MAX_BUFFERS];
};

#endif
