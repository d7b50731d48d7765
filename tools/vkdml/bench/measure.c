/* Timed submissions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/timing.h"
#include "bench/device.h"

/* A sample is so long that a timestamp's own cost, about a microsecond, is lost in it. */
#define SAMPLE_MILLISECONDS 1.0
#define MAX_REPETITIONS     512u

/* A submission is so short that no driver's watchdog minds. */
#define SUBMISSION_MILLISECONDS 100.0

/* A GPU lets its clocks fall while the host prepares data, and takes a while to raise them again: it is kept busy for
 * four times as long as is measured, at most so long. After seconds of preparing less than 300 ms found it at a fifth
 * of its speed. Where it was idle for longer than IDLE_MILLISECONDS, as behind a long check on the CPU, it is kept busy
 * for twice the most: in 200 ms one benchmark went from 1.26 to 0.29 ms. */
#define WARM_UP_MILLISECONDS 300.0
#define IDLE_MILLISECONDS    200.0

#define MAX_SAMPLES 4096u

/* One submission: samples intervals of repetitions each. */
struct run {
    struct bench_device *device;
    const struct bench_work *work;
    uint32_t repetitions, samples;
    uint32_t next; /* index of the next repetition */
    uint64_t ticks[BENCH_MAX_TIMESTAMPS];
    double host; /* milliseconds around submission and wait */
};

static void barrier(VkCommandBuffer commands) {
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &memory, 0, NULL, 0, NULL);
}

static void timestamp(const struct run *run, uint32_t index) {
    if (run->device->queries) {
        vkCmdWriteTimestamp(run->device->gpu.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, run->device->queries,
                            index);
    }
}

static bool submit(struct run *run) {
    struct gpu *gpu = &run->device->gpu;
    if (!gpu_begin(gpu)) {
        return false;
    }
    if (run->device->queries) {
        vkCmdResetQueryPool(gpu->commands, run->device->queries, 0, BENCH_MAX_TIMESTAMPS);
    }
    timestamp(run, 0);
    for (uint32_t s = 0; s < run->samples; s++) {
        for (uint32_t r = 0; r < run->repetitions; r++) {
            if (!run->work->record(run->device, run->next++, run->work->context)) {
                return false;
            }
            barrier(gpu->commands);
        }
        timestamp(run, s + 1);
    }
    const double start = timing_now();
    if (!gpu_submit(gpu)) {
        return false;
    }
    run->device->last_done = timing_now();
    run->host = run->device->last_done - start;
    if (run->device->queries &&
        vkGetQueryPoolResults(gpu->handles.device, run->device->queries, 0, run->samples + 1, sizeof(run->ticks),
                              run->ticks, sizeof(run->ticks[0]), VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
        fprintf(stderr, "vkdml: vkGetQueryPoolResults failed\n");
        return false;
    }
    return true;
}

/* Milliseconds of one repetition in a sample. */
static double sample(const struct run *run, uint32_t index) {
    const struct gpu *gpu = &run->device->gpu;
    if (!run->device->queries) {
        return run->host / run->samples / run->repetitions;
    }
    const uint64_t ticks = (run->ticks[index + 1] - run->ticks[index]) & gpu->timestamp_mask;
    /* timestampPeriod: nanoseconds a tick. */
    return (double)ticks * (double)gpu->properties.limits.timestampPeriod * 1e-6 / run->repetitions;
}

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The value that `part` of all are below, between neighbours in proportion. */
static double percentile(const double *sorted, size_t count, double part) {
    const double position = part * (double)(count - 1);
    const size_t below = (size_t)position;
    const size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (sorted[above] - sorted[below]) * (position - (double)below);
}

void bench_summarize(double *samples, size_t count, struct bench_figures *figures) {
    qsort(samples, count, sizeof(*samples), by_size);
    *figures = (struct bench_figures){.median = percentile(samples, count, 0.5),
                                      .low = percentile(samples, count, 0.1),
                                      .high = percentile(samples, count, 0.9),
                                      .samples = (uint32_t)count};
}

/* Chooses how many repetitions make a sample, and samples a submission, from one repetition's time; milliseconds: to
 * measure in all. */
static bool warm_up(struct run *run, double milliseconds) {
    const bool is_cpu = run->device->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const bool was_idle = timing_now() - run->device->last_done > IDLE_MILLISECONDS;
    /* CPU drivers compile at the first dispatch; caches and clocks settle with the second. */
    run->repetitions = 2;
    run->samples = 1;
    if (!submit(run)) {
        return false;
    }
    run->repetitions = 1;
    run->samples = 4;
    if (!submit(run)) {
        return false;
    }
    double one = sample(run, 3);
    one = one > 1e-5 ? one : 1e-5;
    const double repetitions = SAMPLE_MILLISECONDS / one;
    run->repetitions = repetitions < 1 ? 1 : repetitions > MAX_REPETITIONS ? MAX_REPETITIONS : (uint32_t)repetitions;
    const double submission = fmax(SAMPLE_MILLISECONDS, fmin(milliseconds, SUBMISSION_MILLISECONDS));
    const double samples = submission / one / run->repetitions;
    run->samples = samples < 1 ? 1 : samples > BENCH_MAX_TIMESTAMPS - 1 ? BENCH_MAX_TIMESTAMPS - 1 : (uint32_t)samples;
    run->samples = run->device->queries ? run->samples : 1;
    const double busy = was_idle ? 2 * WARM_UP_MILLISECONDS : fmin(WARM_UP_MILLISECONDS, 4 * milliseconds);
    const double until = timing_now() + (is_cpu ? 0 : busy);
    bool good = true;
    while (good && timing_now() < until) {
        good = submit(run);
    }
    return good;
}

bool bench_measure(struct bench_device *device, const struct bench_work *work, const struct bench_effort *effort,
                   struct bench_figures *figures) {
    struct run run = {.device = device, .work = work};
    double *samples = malloc(2 * MAX_SAMPLES * sizeof(*samples));
    double *hosts = samples + MAX_SAMPLES;
    uint32_t count = 0, submissions = 0;
    bool good = samples != NULL && warm_up(&run, 1e3 * effort->seconds);
    const double end = timing_now() + effort->seconds * 1e3;
    while (good && count + BENCH_MAX_TIMESTAMPS < MAX_SAMPLES && (count < effort->repeat || timing_now() < end)) {
        good = submit(&run);
        for (uint32_t i = 0; good && i < run.samples; i++) {
            samples[count++] = sample(&run, i);
        }
        if (good) {
            hosts[submissions++] = run.host / run.samples / run.repetitions;
        }
    }
    if (good) {
        bench_summarize(samples, count, figures);
        qsort(hosts, submissions, sizeof(*hosts), by_size);
        figures->host = percentile(hosts, submissions, 0.5);
        figures->repetitions = run.repetitions;
    }
    free(samples);
    return good;
}
