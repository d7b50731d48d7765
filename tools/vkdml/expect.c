#include "expect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"

static bool compare(const struct model *model, const struct command *command, const unsigned char *got) {
    const struct resource *resource = command->resource;
    const struct expectation *expectation = command->expectation;
    const struct compare_arrays arrays = {resource->type, resource->count, got, expectation->values};
    struct compare_result result;
    compare_elements(&arrays, &expectation->tolerance, &result);
    if (result.different != 0) {
        document_where(&model->document, command->json);
        fprintf(stderr, "expect: resource '%s': ", resource->name);
        compare_print(stderr, &arrays, &expectation->tolerance, &result, &expectation->shape);
        return false;
    }
    char text[COMPARE_TOLERANCE_SIZE];
    compare_tolerance_text(&expectation->tolerance, text);
    printf("Resource '%s' is as expected: %" PRIu64 " elements, %s\n", resource->name, resource->count, text);
    return true;
}

bool expect_run(struct executor *executor, const struct command *command) {
    const struct resource *resource = command->resource;
    unsigned char *got = malloc(resource->values_size ? resource->values_size : 1);
    if (!got) {
        return document_error(&executor->model->document, command->json, "out of memory");
    }
    const bool good =
        executor->operations->download(executor, resource, resource->values_offset, resource->values_size, got) &&
        compare(executor->model, command, got);
    free(got);
    return good;
}
