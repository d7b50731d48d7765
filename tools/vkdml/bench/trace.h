/* The Vulkan commands that a dispatch records, caught between the library and the driver to be counted and replayed. */
#ifndef BENCH_TRACE_H
#define BENCH_TRACE_H

#include "bench/device.h"

/* A device that imports the benchmarked VkDevice, with the trace before the driver and host memory counted. NULL, with
 * the reason on stderr, where it cannot be had. One at a time; destroyed with vkdmlDestroyDevice(). */
VkdmlDevice bench_trace_open(const struct bench_device *device, VkdmlDeviceFlags flags);

/* What happened since bench_trace_begin(). */
struct bench_trace_counts {
    uint32_t commands;
    uint32_t dispatches;         /* and transfer commands: what does work */
    uint32_t descriptor_updates; /* calls */
    uint32_t allocations;        /* of host memory, through VkAllocationCallbacks */
    bool complete;               /* all commands can be replayed */
};

void bench_trace_begin(void);
struct bench_trace_counts bench_trace_end(void);

/* Records the traced commands again, straight into the driver. */
void bench_trace_replay(VkCommandBuffer commands);

#endif
