#include "run/expect.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "model/compare.h"
#include "run/results.h"
#include "text/visible_text.h"

static void compare(struct executor *executor, const struct command *command, const unsigned char *got) {
    const struct resource *resource = command->resource;
    const struct expectation *expectation = command->expectation;
    const struct compare_arrays arrays = {resource->type, resource->count, got, expectation->values};
    struct compare_result result;
    compare_elements(&arrays, &expectation->tolerance, &result);
    if (result.different != 0) {
        FILE *stream = document_error_begin(&executor->model->document, command->json);
        fprintf(stream, "expect: resource '%s': ", visible_text(resource->name).text);
        compare_print(stream, &arrays, &expectation->tolerance, &result, &expectation->shape);
        message_end(stream);
        executor->differs = true;
        return;
    }
    char text[COMPARE_TOLERANCE_SIZE];
    compare_tolerance_text(&expectation->tolerance, text);
    results_expected(executor->results, command, text);
}

bool expect_run(struct executor *executor, const struct command *command) {
    const struct resource *resource = command->resource;
    unsigned char *got = malloc(resource->values_size ? resource->values_size : 1);
    if (!got) {
        return document_error(&executor->model->document, command->json, "out of memory");
    }
    const bool good =
        executor->operations->download(executor, resource, resource->values_offset, resource->values_size, got);
    if (good) {
        compare(executor, command, got);
    }
    free(got);
    return good;
}
