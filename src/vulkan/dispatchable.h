/* Dispatchables: compiled operators and operator initializers, as steps to record and points to bind. They keep nothing
 * of the operator they were compiled from. */
#ifndef VKDML_VULKAN_DISPATCHABLE_H
#define VKDML_VULKAN_DISPATCHABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/aliases.h"
#include "base/report.h"
#include "plan/plan.h"
#include "vkdml/operator.h"
#include "vulkan/handles.h"
#include "vulkan/parameters.h"
#include "vulkan/pipelines.h"

#define VKDML_NO_INDEX UINT32_MAX

/* The largest region of a copy: Mesa counts a region's bytes in 31 bits (struct pipe_box). */
#define VKDML_MAX_REGION_BYTES (UINT64_C(1) << 30)

/* Where a buffer is bound, and what it must be. */
struct vkdml_bind_point {
    const char *name;             /* of the field or resource; static */
    uint32_t element;             /* of a tensor array: which of its tensors; else VKDML_NO_INDEX */
    uint32_t operator_index;      /* of an initializer's points: whose it is; else VKDML_NO_INDEX */
    const char *unbound;          /* NULL: a buffer may be bound; else why there must be none; static */
    uint64_t bytes;               /* required; 0: what is bound is not used */
    uint32_t alignment;           /* of the offset: 16 or 256 */
    const char *alignment_rule;   /* the name of that number; static */
    uint32_t base_alignment;      /* GuaranteedBaseOffsetAlignment; 0: none */
    bool owned;                   /* an input that is bound at initialization: DML_TENSOR_FLAG_OWNED_BY_DML */
    struct vkdml_aliases aliases; /* of outputs */
    uint64_t written;             /* of outputs: bytes from the offset on that each execution writes */
    VkdmlDispatchable owner;      /* of an initializer's outputs: the operator; else NULL */
};

/* "operators[4294967295].QuantizationTensors[65535]" and then some */
struct vkdml_bind_point_name {
    char text[128];
};

/* What a point is called in reasons and labels. */
struct vkdml_bind_point_name vkdml_bind_point_name(const struct vkdml_bind_point *point);

/* Longest labels; longer ones are cut. */
#define VKDML_LABEL_CAPACITY      512
#define VKDML_STEP_LABEL_CAPACITY 192

/* A plan's step with the Vulkan objects it needs. */
struct vkdml_step {
    enum vkdml_plan_step_kind kind;
    VkPipelineStageFlags waits_for; /* the stages of the steps whose writes must be visible; 0: no barrier */
    uint32_t buffer_count;
    struct vkdml_plan_buffer buffers[VKDML_PLAN_MAX_BUFFERS];
    struct vkdml_plan_copy copy; /* of a COPY */
    uint32_t region_count;       /* of a COPY */
    uint32_t fill_word;          /* of a FILL */
    /* Of a DISPATCH: */
    VkPipeline pipeline; /* the device's */
    struct vkdml_parameter_block parameters;
    uint32_t groups[3];
    uint32_t repeat_count; /* 0 and 1: once */
    uint32_t repeat_strides[VKDML_PLAN_MAX_BUFFERS];
    const char *label; /* of its commands, for debugging tools; NULL where there are none */
};

/* The stage that a step's command runs in. */
VkPipelineStageFlags vkdml_step_stage(enum vkdml_plan_step_kind kind);

enum vkdml_dispatchable_kind { VKDML_COMPILED_OPERATOR, VKDML_OPERATOR_INITIALIZER };

struct vkdml_weights;

struct VkdmlDispatchable_T {
    struct vkdml_handle handle;
    enum vkdml_dispatchable_kind kind;
    const char *context; /* of its failures: "DML_OPERATOR_PADDING", "operator initializer"; static */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t page_count;
    /* Where buffers are bound: outputs, temporary and persistent resource, inputs, pages. A binding table's bindings
     * are in the same order. */
    struct vkdml_bind_point *points;
    struct vkdml_bind_point *outputs; /* among them, as the next four */
    struct vkdml_bind_point *temporary;
    struct vkdml_bind_point *persistent;
    struct vkdml_bind_point *inputs;
    struct vkdml_bind_point *pages;
    struct vkdml_weights *weights; /* NULL, or its own: what it has in a weight store */
    struct vkdml_awaited awaited;  /* its own */
    bool keeps_input;        /* output 0 in place of input 0: nothing is recorded */
    atomic_bool initialized; /* an initializer of it was recorded; kept where the device checks handles */
    uint32_t step_count;
    struct vkdml_step *steps;
    uint32_t init_step_count;      /* of compiled operators: the initializer's */
    uint64_t init_temporary_bytes; /* and what these need of its temporary memory */
    struct vkdml_step *init_steps;
    char *label; /* of a recording, VKDML_LABEL_CAPACITY; NULL where the device has no labels */
};

/* How large a dispatchable is to be. */
struct vkdml_dispatchable_info {
    enum vkdml_dispatchable_kind kind;
    const char *context;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t page_count;
    uint32_t step_count;
    uint32_t init_step_count;
    uint64_t temporary_bytes;
    uint64_t init_temporary_bytes; /* of compiled operators: what their steps at initialization need */
    uint64_t persistent_bytes;
    bool keeps_input;
};

/* What a plan says of it: a compiled operator's kind, counts and sizes but for inputs, outputs and context. */
struct vkdml_dispatchable_info vkdml_dispatchable_of_plan(const struct vkdml_plan *plan);

/* Allocates a dispatchable whose inputs, outputs and steps are to be filled in. NULL on failure. */
VkdmlResult vkdml_dispatchable_create(VkdmlDevice device, const struct vkdml_dispatchable_info *info,
                                      struct vkdml_report *report, VkdmlDispatchable *dispatchable);

/* Gives a dispatchable with page_count pages the weights that these are of, which it owns from then on. */
void vkdml_dispatchable_take_weights(VkdmlDispatchable dispatchable, struct vkdml_weights *weights);

/* The point of an initializer's input, which is bound where it is not at execution. */
struct vkdml_bind_point vkdml_initializer_input(const struct vkdml_bind_point *input, uint32_t operator_index);

/* How a graph's labels come by the names of its nodes. */
struct vkdml_node_names {
    const void *of;
    const char *(*name)(const void *of, uint32_t node, char *text, size_t capacity); /* in text, or elsewhere */
};

/* Fills in the steps of a compiled operator: pipelines and parameter blocks. names: NULL where it is no graph. After a
 * failure the dispatchable is only good to be destroyed. */
VkdmlResult vkdml_dispatchable_compile(VkdmlDispatchable dispatchable, const struct vkdml_plan *plan,
                                       const struct vkdml_node_names *names, struct vkdml_report *report);

/* The initializer of compiled operators of one device, which outlive it: it uses their parameter blocks. */
VkdmlResult vkdml_initializer_create(VkdmlDevice device, uint32_t count, const VkdmlDispatchable *operators,
                                     struct vkdml_report *report, VkdmlDispatchable *initializer);

/* What its steps take of a descriptor pool: a set with one uniform buffer per dispatch, and storage buffers. */
struct vkdml_descriptor_count {
    uint32_t sets;
    uint32_t storage_buffers;
};

struct vkdml_descriptor_count vkdml_dispatchable_descriptors(const struct VkdmlDispatchable_T *dispatchable);

/* The index of a resource's point in `points`. */
size_t vkdml_dispatchable_point(const struct VkdmlDispatchable_T *dispatchable, enum vkdml_plan_resource resource,
                                uint32_t index);

size_t vkdml_dispatchable_point_count(const struct VkdmlDispatchable_T *dispatchable);

/* NULL is ignored; half-built is fine. */
void vkdml_dispatchable_destroy(VkdmlDispatchable dispatchable);

#endif
