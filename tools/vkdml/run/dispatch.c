#include "run/dispatch.h"

#include <math.h>

#include "base/progress.h"
#include "run/reference_check.h"

/* On a terminal: how much of a dispatch's iterations is done. */
static void show_iterations(const struct command *command, const struct timing *timing, uint32_t iterations,
                            double milliseconds, double of) {
    if (timing->count < iterations) {
        progress_show("%s: %zu of %u iterations", command->dispatchable->name, timing->count, iterations);
    } else {
        progress_show("%s: %.1f of %.1f seconds", command->dispatchable->name, milliseconds * 1e-3, of * 1e-3);
    }
}

/* An iteration, which is the first where its results are to be compared. */
static bool run_iteration(struct executor *executor, const struct command *command, struct reference_check *check,
                          struct timing *timing) {
    const struct run_options *options = executor->options;
    struct timing_sample sample;
    bool agree = true;
    bool good = (!check || reference_check_before(check, command)) &&
                executor->operations->dispatch(executor, command, &sample) &&
                (!check || reference_check_after(check, command, executor->results, &agree));
    executor->differs = executor->differs || !agree;
    if (good && timing->count >= options->gpu_times) {
        sample.gpu = (double)NAN;
    }
    return good &&
           (timing_add(timing, &sample) || document_error(&executor->model->document, command->json, "out of memory"));
}

bool dispatch_run(struct executor *executor, const struct command *command, struct reference_check *check,
                  uint32_t iterations, struct timing *timing) {
    const struct run_options *options = executor->options;
    bool good = true;
    double begin = timing_now();
    double start = begin;
    while (good && (timing->count < iterations || start - begin < options->milliseconds)) {
        show_iterations(command, timing, iterations, start - begin, options->milliseconds);
        good = run_iteration(executor, command, timing->count == 0 ? check : NULL, timing);
        timing_sleep(start + options->interval - timing_now());
        start = timing_now();
    }
    progress_clear();
    return good;
}
