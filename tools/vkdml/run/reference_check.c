#include "run/reference_check.h"

#include <stdlib.h>

#include <vkdml/reference.h>

#include "model/tolerance.h"

/* A resource's bytes on the host. */
struct copy {
    const struct resource *resource;
    unsigned char *bytes;
};

struct reference_check {
    struct executor *executor;
    unsigned char ***owned; /* by dispatchable and input: what is OWNED_BY_DML */
    struct copy *copies;    /* of the dispatch at hand: each resource once, as it is bound and aliased */
    size_t copy_count;
};

static bool out_of_memory(const struct reference_check *check, const struct json_object *where) {
    return document_error(&check->executor->model->document, where, "out of memory");
}

/* A part of a resource as the device holds it now; malloc'ed, NULL on failure. */
static unsigned char *download(const struct reference_check *check, const struct resource *resource, uint64_t offset,
                               uint64_t size, const struct json_object *where) {
    unsigned char *bytes = malloc(size ? size : 1);
    if (!bytes) {
        out_of_memory(check, where);
        return NULL;
    }
    if (!check->executor->operations->download(check->executor, resource, offset, size, bytes)) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

static bool copy_owned(struct reference_check *check, size_t index) {
    const struct dispatchable *dispatchable = &check->executor->model->dispatchables[index];
    bool good = true;
    check->owned[index] = calloc((size_t)dispatchable->input_count + 1, sizeof(*check->owned[index]));
    if (!check->owned[index]) {
        return out_of_memory(check, dispatchable->json);
    }
    for (uint32_t i = 0; good && i < dispatchable->input_count; i++) {
        const struct binding *binding = &dispatchable->owned[i];
        if (binding->resource) {
            check->owned[index][i] = download(check, binding->resource, binding->offset, binding->size, binding->json);
            good = check->owned[index][i] != NULL;
        }
    }
    return good;
}

struct reference_check *reference_check_open(struct executor *executor) {
    const struct model *model = executor->model;
    struct reference_check *check = calloc(1, sizeof(*check));
    bool good = check != NULL;
    if (good) {
        *check = (struct reference_check){.executor = executor,
                                          .owned = calloc(model->dispatchable_count + 1, sizeof(*check->owned))};
        good = check->owned != NULL;
    }
    if (!good) {
        document_error(&model->document, NULL, "out of memory");
    }
    for (size_t i = 0; good && i < model->dispatchable_count; i++) {
        good = copy_owned(check, i);
    }
    if (!good) {
        reference_check_close(check);
        check = NULL;
    }
    return check;
}

static void release_copies(struct reference_check *check) {
    for (size_t i = 0; i < check->copy_count; i++) {
        free(check->copies[i].bytes);
    }
    check->copy_count = 0;
    free(check->copies);
    check->copies = NULL;
}

void reference_check_close(struct reference_check *check) {
    if (!check) {
        return;
    }
    for (size_t i = 0; check->owned && i < check->executor->model->dispatchable_count; i++) {
        for (uint32_t j = 0; check->owned[i] && j < check->executor->model->dispatchables[i].input_count; j++) {
            free(check->owned[i][j]);
        }
        free(check->owned[i]);
    }
    release_copies(check);
    free(check->owned);
    free(check);
}

static const struct copy *find_copy(const struct reference_check *check, const struct resource *resource) {
    for (size_t i = 0; i < check->copy_count; i++) {
        if (check->copies[i].resource == resource) {
            return &check->copies[i];
        }
    }
    return NULL;
}

static bool copy_bound(struct reference_check *check, const struct binding *bindings, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct resource *resource = bindings[i].resource;
        if (!resource || find_copy(check, resource)) {
            continue;
        }
        struct copy *copy = &check->copies[check->copy_count];
        *copy = (struct copy){resource, download(check, resource, 0, resource->size, bindings[i].json)};
        if (!copy->bytes) {
            return false;
        }
        check->copy_count++;
    }
    return true;
}

bool reference_check_before(struct reference_check *check, const struct command *command) {
    const size_t bound = (size_t)command->dispatchable->input_count + command->dispatchable->output_count;
    release_copies(check);
    check->copies = calloc(bound + 1, sizeof(*check->copies));
    if (!check->copies) {
        return out_of_memory(check, command->json);
    }
    return copy_bound(check, command->inputs, command->dispatchable->input_count) &&
           copy_bound(check, command->outputs, command->dispatchable->output_count);
}

static VkdmlHostBinding host_binding(const struct reference_check *check, const struct binding *binding) {
    const struct copy *copy = binding->resource ? find_copy(check, binding->resource) : NULL;
    return copy ? (VkdmlHostBinding){copy->bytes + binding->offset, binding->size} : (VkdmlHostBinding){NULL, 0};
}

/* What a dispatchable of the model owns, or a node of a graph. */
static unsigned char *find_owned(const struct reference_check *check, const struct dispatchable *dispatchable,
                                 uint32_t input) {
    const struct model *model = check->executor->model;
    for (size_t d = 0; d < model->dispatchable_count; d++) {
        const struct graph *graph = model->dispatchables[d].graph;
        if (&model->dispatchables[d] == dispatchable) {
            return check->owned[d][input];
        }
        for (uint32_t n = 0; graph && graph == dispatchable->within && n < graph->node_count; n++) {
            const struct graph_source *source = graph->nodes[n].sources + input;
            if (graph->nodes[n].op == dispatchable && source->json && source->node == GRAPH_INPUT) {
                return check->owned[d][source->index];
            }
        }
    }
    return NULL;
}

/* What the device was told, on the copies. */
static bool execute(struct reference_check *check, const struct command *command) {
    const struct executor *executor = check->executor;
    const struct dispatchable *dispatchable = command->dispatchable;
    const uint32_t input_count = dispatchable->input_count, output_count = dispatchable->output_count;
    VkdmlHostBinding *bindings = calloc((size_t)input_count + output_count + 1, sizeof(*bindings));
    bool good = bindings != NULL;
    if (!good) {
        return out_of_memory(check, command->json);
    }
    for (uint32_t i = 0; i < input_count; i++) {
        unsigned char *owned = find_owned(check, dispatchable, i);
        bindings[i] =
            owned ? (VkdmlHostBinding){owned, dispatchable->owned[i].size} : host_binding(check, &command->inputs[i]);
    }
    for (uint32_t i = 0; i < output_count; i++) {
        bindings[input_count + i] = host_binding(check, &command->outputs[i]);
    }
    good = reference_execute(executor, command, bindings);
    free(bindings);
    return good;
}

/* Elements from a tensor's first to its last, with those between that are none of its: they keep their values. */
static uint64_t reach(const struct compare_shape *shape) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < shape->dimension_count; i++) {
        last += (shape->sizes[i] - 1) * shape->strides[i];
    }
    return last + 1;
}

static bool compare_output(struct reference_check *check, const struct command *command, uint32_t index,
                           struct results *results, bool *agree) {
    const struct binding *binding = &command->outputs[index];
    const struct model_tensor tensor = model_tensor(command->dispatchable, VKDML_FIELD_KIND_OUTPUT_TENSOR, index);
    struct compare_result result;
    if (!binding->resource || !tensor.desc) {
        return true;
    }
    unsigned char *got = download(check, binding->resource, binding->offset, binding->size, binding->json);
    if (!got) {
        return false;
    }
    const struct compare_shape shape = compare_shape_of_tensor(tensor.desc);
    const struct compare_tolerance tolerance = tolerance_of_reference(command->dispatchable, tensor.desc->DataType);
    const struct compare_arrays arrays = {tensor.desc->DataType, reach(&shape), got,
                                          find_copy(check, binding->resource)->bytes + binding->offset};
    compare_elements(&arrays, &tolerance, &result);
    results_comparison(results, command->dispatchable, tensor.name, &arrays, &tolerance, &result, &shape);
    *agree = *agree && result.different == 0;
    free(got);
    return true;
}

bool reference_check_after(struct reference_check *check, const struct command *command, struct results *results,
                           bool *agree) {
    bool good = execute(check, command);
    for (uint32_t i = 0; good && i < command->dispatchable->output_count; i++) {
        good = compare_output(check, command, i, results, agree);
    }
    release_copies(check);
    return good;
}
