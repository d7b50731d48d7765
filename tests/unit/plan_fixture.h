/* Plans for invented devices, and what must hold of each. */
#ifndef VKDML_TEST_PLAN_FIXTURE_H
#define VKDML_TEST_PLAN_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cases/case.h"
#include "kernels/blocks.h"
#include "operators/operators.h"
#include "plan/step.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MIB             (UINT64_C(1) << 20)

#define PORTABLE    VKDML_KERNEL_VARIANT_PORTABLE
#define SUBGROUP    VKDML_KERNEL_VARIANT_SUBGROUP
#define SERIAL      VKDML_KERNEL_VARIANT_SERIAL
#define EVERY_FLOAT (VKDML_FLOAT_CONTROLS_32 | VKDML_FLOAT_CONTROLS_16 | VKDML_FLOAT_CONTROLS_DENORMALS)

/* Of limits: those that devices here differ by, and what Vulkan 1.2 guarantees. */
#define RANGES(bytes, alignment) .max_storage_buffer_range = (bytes), .min_storage_buffer_offset_alignment = (alignment)
#define GRID_MINIMUM             .max_workgroup_count = {65535, 65535, 65535}
#define WORKGROUPS_MINIMUM                                                                                             \
    .max_workgroup_size = {128, 128, 64}, .max_workgroup_invocations = 128, .max_shared_memory_bytes = 16384

struct invented_device {
    const char *name;
    bool cramped; /* below what Vulkan guarantees: any legal descriptor may be too large */
    struct vkdml_plan_limits limits;
};

enum {
    DEVICE_MINIMUM, /* guarantees no more than Vulkan 1.2 does */
    DEVICE_LAVAPIPE,
    DEVICE_SMALL_PROCESSOR,
    DEVICE_TRANSFER,
    DEVICE_SLOW_TRANSFER,
    DEVICE_LARGE,
    DEVICE_MATRIX_CORES,
    DEVICE_BYTE_ALIGNED,
    DEVICE_NARROW,
    DEVICE_FEW_INVOCATIONS,
    DEVICE_SMALL_RANGES,
    DEVICE_FEW_WORKGROUPS,
    DEVICE_COUNT
};

extern const struct invented_device devices[DEVICE_COUNT];

/* What a test holds while it looks at one descriptor on one device. */
struct subject {
    const struct operator_case *c;
    const struct invented_device *device;
    VkdmlCompileFlags flags;
    struct vkdml_instance *instance;
    struct vkdml_report report;
    VkdmlResult result;
    struct vkdml_plan plan;                     /* while it is checked */
    enum vkdml_plan_step_kind first_kind;       /* of its steps */
    uint32_t step_count;                        /* that it had */
    uint32_t init_step_count;                   /* likewise */
    enum vkdml_kernel kernel;                   /* of its first step */
    uint32_t constants[VKDML_KERNEL_CONSTANTS]; /* likewise; UINT32_MAX where it has none */
    uint32_t float_controls;                    /* likewise */
    uint32_t groups;                            /* likewise */
    uint64_t persistent_bytes;
};

/* Ends the test, after printing the case and the device. */
void fail_subject(const struct subject *subject, const char *file, int line);

#define CHECK(subject, expression)                                                                                     \
    do {                                                                                                               \
        if (!(expression)) {                                                                                           \
            print_error("does not hold: %s\n", #expression);                                                           \
            fail_subject(subject, __FILE__, __LINE__);                                                                 \
        }                                                                                                              \
    } while (0)

/* Makes the instance of a case that must be legal. */
void open_subject(struct subject *subject, const struct operator_case *c, const struct invented_device *device);
void close_subject(struct subject *subject);

/* Plans, and no more. */
VkdmlResult plan_subject(struct subject *subject, struct vkdml_plan *plan);
/* Plans, checks what must hold of any plan, and leaves the result in the subject. */
void check_subject(struct subject *subject);

/* Whether two lists have the same steps, down to their parameters. */
bool same_steps(const struct vkdml_plan_steps *a, const struct vkdml_plan_steps *b);

/* Checks what a case's plan is, or why there is none. */
VkdmlResult result_of(struct operator_case *c, const struct invented_device *device);
/* The same of one that there must be; returns its steps. */
uint32_t steps_of(struct operator_case *c, const struct invented_device *device);

/* Checks the plan of a case that has one step on a device. */
void plan_line(const char *line, const struct invented_device *device, struct subject *subject);

/* DIAGONAL_MATRIX with {rows, columns} of a type. */
void diagonal_case(struct operator_case *c, DML_TENSOR_DATA_TYPE type, uint32_t rows, uint32_t columns);

/* Whether a number stands in a text, alone. */
bool contains_number(const char *text, uint64_t number);

#endif
