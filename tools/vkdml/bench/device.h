/* What benchmarks run on: a device, large buffers that are kept from case to case, and timed submissions. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "device/gpu.h"

#include "cases/case.h"

/* Timestamps of one submission: the intervals between them are the samples. */
#define BENCH_MAX_TIMESTAMPS 65

/* A buffer that grows as cases need it, and what its bytes are. */
struct bench_pool {
    struct gpu_buffer buffer;
    bool filled;
    DML_TENSOR_DATA_TYPE type;
    enum case_fill fill;
    uint32_t permille;
};

struct bench_device {
    struct gpu gpu;
    VkdmlDevice opened;   /* NULL; or what was opened, where `gpu.device` is its VkDevice imported without features */
    VkdmlDevice transfer; /* the same VkDevice, imported with VKDML_DEVICE_FLAG_ALLOW_TRANSFER */
    VkQueryPool queries;
    struct bench_pool tensors[CASE_MAX_TENSORS]; /* by slot */
    struct bench_pool temporary;
    struct bench_pool persistent;
    uint64_t period;  /* of the pools' bytes */
    double last_done; /* when the last timed submission was done, by the host's clock, milliseconds */
};

/* All return false with the reason on stderr; bench_device_close() is due either way. */
bool bench_device_open(struct bench_device *device, const VkdmlDeviceOpenInfo *info, bool no_features);
void bench_device_close(struct bench_device *device);

/* Its VkDevice, to import once more. */
VkdmlDeviceCreateInfo bench_import_info(const struct bench_device *device);

/* Whether the device is the CPU itself. */
bool bench_device_is_cpu(const struct bench_device *device);

/* Makes a pool at least so large; its bytes are then anything. */
bool bench_pool_reserve(struct bench_device *device, struct bench_pool *pool, uint64_t size);

/* The same, with elements as the tensor's fill says, which repeat after the device's period. */
bool bench_pool_fill(struct bench_device *device, struct bench_pool *pool, uint64_t size,
                     const struct case_tensor *tensor);

/* How far into a filled pool its bytes repeat: beyond any reach of compression, quick to make; and quicker, for many
 * cases one after another. */
#define BENCH_PERIOD       ((uint64_t)4 << 20)
#define BENCH_SWEEP_PERIOD ((uint64_t)1 << 20)

/* What is timed: records one repetition, the index-th of the run. */
struct bench_work {
    bool (*record)(struct bench_device *device, uint32_t index, void *context);
    void *context;
};

/* How long to measure. */
struct bench_effort {
    double seconds;  /* at least so long */
    uint32_t repeat; /* at least so many samples */
};

struct bench_figures {
    double median, low, high; /* milliseconds: the median, the 10th and the 90th percentile */
    double host;              /* median of the host's time for a repetition, submission and wait included */
    uint32_t samples;
    uint32_t repetitions; /* in one sample */
};

/* Sorts samples, of which there is one at least, and writes what a figure is made of but the host's time. */
void bench_summarize(double *samples, size_t count, struct bench_figures *figures);

/* Warms up, then measures. */
bool bench_measure(struct bench_device *device, const struct bench_work *work, const struct bench_effort *effort,
                   struct bench_figures *figures);

#endif
