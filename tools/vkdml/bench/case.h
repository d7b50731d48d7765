/* Running a case for its time. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "bench/device.h"
#include "bench/images.h"
#include "bench/list.h"

#define BENCH_MAX_SETS 16

/* A case compiled for a device, with sets of buffers that are used in turn. */
struct bench_bound {
    const struct operator_case *c;
    VkdmlDevice device;
    VkdmlDispatchable compiled;
    VkdmlBindingProperties properties;
    VkdmlBindingTable tables[BENCH_MAX_SETS];
    uint32_t sets;
};

/* Compiles a case for vkdml, which is one of the device's or imports the same VkDevice; fills and binds buffers.
 * bench_release() is due either way. */
bool bench_bind(struct bench_device *device, VkdmlDevice vkdml, const struct operator_case *c, uint32_t sets,
                struct bench_bound *bound);

/* Initializes what bench_bind() bound, where it has anything to keep: of the inputs that vkdml owns. */
bool bench_initialize(struct bench_device *device, const struct bench_bound *bound);

/* A bench_work: records what the context, a bench_bound, has bound. */
bool bench_record(struct bench_device *device, uint32_t index, void *context);

void bench_release(struct bench_bound *bound);

/* Creates and compiles a case's operator. */
bool bench_compile(VkdmlDevice vkdml, const struct operator_case *c, VkdmlDispatchable *compiled);

/* The device that a benchmark of such flags runs on. */
VkdmlDevice bench_device_for(const struct bench_device *device, uint32_t flags);

struct bench_result {
    struct bench_figures figures;
    uint64_t bytes; /* that must move: each input element read once, each output byte written once */
    uint32_t sets;  /* of buffers used in turn */
};

/* Times a case. rotate: as many sets of buffers as keep it from finding its last turn in a cache; else one. */
bool bench_case(struct bench_device *device, const struct case_family *family, const struct operator_case *c,
                VkdmlDevice vkdml, bool rotate, const struct bench_effort *effort, struct bench_result *result);

/* Times vkCmdCopyBuffer or vkCmdFillBuffer of so many bytes. */
bool bench_copy(struct bench_device *device, uint64_t bytes, const struct bench_effort *effort,
                struct bench_result *result);
bool bench_fill(struct bench_device *device, uint64_t bytes, const struct bench_effort *effort,
                struct bench_result *result);

/* Times a kernel that does nothing but read about so many bytes, in the best of some forms. */
bool bench_read(struct bench_device *device, uint64_t bytes, const struct bench_effort *effort,
                struct bench_result *result);

/* How many sets of buffers of so many bytes keep a case from finding its last turn in a cache. */
uint32_t bench_choose_sets(uint64_t bytes);

/* Runs a case once, on random data that the images then hold, outputs as they were before. */
bool bench_execute(struct bench_device *device, const struct operator_case *c, VkdmlDevice vkdml,
                   struct bench_images *images);

/* The same, and compares every byte of its outputs with the reference's. */
bool bench_check(struct bench_device *device, const struct operator_case *c, VkdmlDevice vkdml);

/* What the CPU takes for a case, in milliseconds. NAN: not measured. */
struct bench_host_times {
    double reference;   /* the library's, once */
    double memory_copy; /* memcpy that moves as many bytes */
    double loop;        /* the benchmark's plain loop */
};

/* Runs them at full size, and holds the device's result to theirs. */
bool bench_host_times(struct bench_device *device, const struct bench_entry *entry, const struct operator_case *c,
                      uint64_t bytes, struct bench_host_times *times);

#endif
