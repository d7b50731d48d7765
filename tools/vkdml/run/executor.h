/* What runs a model: a Vulkan device, or the library's CPU reference. */
#ifndef EXECUTOR_H
#define EXECUTOR_H

#include <stdbool.h>

#include <stdint.h>
#include <vkdml/reference.h>

#include "base/timing.h"
#include "model/model.h"

/* What the command line says about running. */
struct run_options {
    const char *device; /* substring of a name, "reference", or NULL: the default device */
    DML_FEATURE_LEVEL level;
    bool validation;
    bool zero_undefined;
    bool print_commands;
    bool json;              /* one document instead of lines */
    bool arrays;            /* printed resources have brackets */
    bool compare_reference; /* hold each dispatch to the reference */
    bool check_finite;      /* run an ONNX model node by node and print the nodes that make infinities or NaN */
    bool barriers;          /* between the repeats of a dispatch */
    bool node_by_node;      /* graphs are not fused */
    bool per_node;          /* each node of a graph is dispatched by itself, too */
    bool no_driver_caches;  /* what drivers keep of compiled kernels in files is left alone */
    uint32_t gpu_times;     /* iterations of a dispatch that are timed on the device too */
    uint32_t iterations;    /* of a dispatch, at least */
    uint32_t repeats;
    uint32_t milliseconds; /* to run each dispatch for at least */
    uint32_t interval;     /* least milliseconds from one iteration's start to the next one's */
    uint32_t reference_seconds; /* that an execution by the reference may take; 0: any */
    uint32_t warmup;
    uint32_t verbosity;
    const char *input_path;
    const char *output_path;
};

struct executor;
struct reference_check;
struct results;

/* The two executors' functions. Each returns false with the reason on stderr. */
struct executor_operations {
    /* Creates the buffer of a resource, with its contents. */
    bool (*create_buffer)(struct executor *executor, struct resource *resource);
    /* Compiles an operator and initializes it with what it owns. */
    bool (*prepare)(struct executor *executor, struct dispatchable *dispatchable);
    /* Compiles it once more, and lets go of that: milliseconds of the function alone. NULL of the reference. */
    bool (*time_compiling)(struct executor *executor, struct dispatchable *dispatchable, double *milliseconds);
    /* Runs the command's operator options->repeats times and waits. */
    bool (*dispatch)(struct executor *executor, const struct command *command, struct timing_sample *sample);
    /* Copies a range of a resource's buffer to `bytes`. */
    bool (*download)(struct executor *executor, const struct resource *resource, uint64_t offset, uint64_t size,
                     void *bytes);
    void (*release_dispatchable)(struct executor *executor, struct dispatchable *dispatchable);
    void (*release_buffer)(struct executor *executor, struct resource *resource);
    void (*close)(struct executor *executor);
};

struct executor {
    const struct executor_operations *operations;
    struct model *model;
    const struct run_options *options;
    const char *name;              /* of the device */
    bool complained;               /* a validation message was printed */
    struct results *results;       /* where what is found is told */
    struct reference_check *check; /* NULL: results are not compared */
    bool differs;                  /* a result is not the reference's, or not what is expected */
};

/* Opens the executor for options->device; NULL on failure. Everything is released by operations->close, after the
 * dispatchables and buffers. */
struct executor *reference_open(struct model *model, const struct run_options *options);
/* Runs a command's operator on the CPU reference, as often as the options say; its bindings are the inputs' and then
 * the outputs'. */
bool reference_execute(const struct executor *executor, const struct command *command,
                       const VkdmlHostBinding *bindings);

struct executor *vulkan_open(struct model *model, const struct run_options *options);

#endif
