/* Tensors of a run whose plan does not fix all sizes: inputs that are padded to the plan's sizes, outputs of which a
 * part is taken, and numbers that are computed from sizes. */
#include <stdlib.h>
#include <string.h>

#include "onnx/run.h"

/* Inputs of the model's graph, those with initializers among them. */
static uint32_t count_inputs(const struct onnx_run *run) {
    return run->session->graph->input_count + run->session->graph->optional_count;
}

bool onnx_run_is_padded(const struct onnx_run *run, uint32_t input) {
    return input < count_inputs(run) && onnx_plan_growing_sizes(run->plan)[input].is_growing;
}

bool onnx_run_is_cut(const struct onnx_run *run, uint32_t output) {
    return onnx_plan_outputs(run->plan)[output].growing != NULL;
}

/* ---- rows ---- */

/* The same rows in a tensor of the run and in the plan's, which has room for more: how many, and bytes of each. */
struct rows {
    uint64_t count, in_run, in_plan;
};

static struct rows find_rows(enum onnx_type type, uint32_t rank, const uint32_t *sizes, uint32_t dimension,
                             uint32_t capacity) {
    const uint64_t inner = onnx_elements(rank - dimension - 1, sizes + dimension + 1);
    return (struct rows){onnx_elements(dimension, sizes), onnx_bytes_of(type, inner * sizes[dimension]),
                         onnx_bytes_of(type, inner * capacity)};
}

static struct rows find_input_rows(const struct onnx_run *run, uint32_t input) {
    const struct onnx_growing_size *growing = &onnx_plan_growing_sizes(run->plan)[input];
    const struct onnx_plan_input *is = &run->begun[input];
    return find_rows(is->type, is->rank, is->sizes, growing->dimension, growing->capacity);
}

static struct rows find_output_rows(const struct onnx_run *run, uint32_t output) {
    const struct onnx_plan_output *planned = &onnx_plan_outputs(run->plan)[output], *is = &run->results[output];
    const uint32_t dimension = planned->growing->dimension;
    return find_rows(is->type, is->rank, is->sizes, dimension, planned->sizes[dimension]);
}

/* ---- on the host ---- */

void onnx_run_write_input(const struct onnx_run *run, uint32_t input, uint64_t bytes, void *memory) {
    const unsigned char *from = run->begun[input].data;
    unsigned char *to = memory;
    if (!onnx_run_is_padded(run, input)) {
        memcpy(to, from, bytes);
        return;
    }
    const struct rows rows = find_input_rows(run, input);
    for (uint64_t r = 0; r < rows.count; ++r) {
        memcpy(to + r * rows.in_plan, from + r * rows.in_run, rows.in_run);
        memset(to + r * rows.in_plan + rows.in_run, 0, rows.in_plan - rows.in_run);
    }
}

void onnx_run_read_output(const struct onnx_run *run, uint32_t output, const void *memory, void *to) {
    const unsigned char *from = memory;
    if (!onnx_run_is_cut(run, output)) {
        memcpy(to, from, onnx_plan_outputs(run->plan)[output].bytes);
        return;
    }
    const struct rows rows = find_output_rows(run, output);
    for (uint64_t r = 0; r < rows.count; ++r) {
        memcpy((unsigned char *)to + r * rows.in_run, from + r * rows.in_plan, rows.in_run);
    }
}

/* ---- on the device ---- */

uint64_t onnx_run_given_bytes(const struct onnx_run *run, uint32_t input) {
    const struct onnx_plan_input *is = &run->begun[input];
    return onnx_bytes_of(is->type, onnx_elements(is->rank, is->sizes));
}

void onnx_run_clear_padded(const struct onnx_run *run, const struct onnx_commands *commands, uint32_t input,
                           VkBuffer to, uint64_t offset) {
    const struct rows rows = find_input_rows(run, input);
    onnx_commands_clear(run->session->device, commands, to, offset, ROUND_UP(rows.count * rows.in_plan, 4));
}

void onnx_run_copy_padded(const struct onnx_run *run, const struct onnx_commands *commands, uint32_t input, VkBuffer to,
                          uint64_t offset) {
    struct onnx_device *device = run->session->device;
    const struct rows rows = find_input_rows(run, input);
    const struct onnx_place *from = &run->begun_at[input];
    for (uint64_t r = 0; r < rows.count; ++r) {
        onnx_commands_copy(device, commands, onnx_place_buffer(from), from->offset + r * rows.in_run, to,
                           offset + r * rows.in_plan, rows.in_run);
    }
}

void onnx_run_copy_cut(const struct onnx_run *run, const struct onnx_commands *commands, uint32_t output, VkBuffer from,
                       uint64_t offset, const struct onnx_place *to) {
    const struct rows rows = find_output_rows(run, output);
    for (uint64_t r = 0; r < rows.count; ++r) {
        onnx_commands_copy(run->session->device, commands, from, offset + r * rows.in_plan,
                           onnx_place_buffer(to), to->offset + r * rows.in_run, rows.in_run);
    }
}

/* ---- a run begins ---- */

void onnx_run_free_sizes(struct onnx_run *run) {
    for (uint32_t i = 0; run->own_data != NULL && i < onnx_plan_size_vector_count(run->plan); ++i) {
        free(run->own_data[i]);
    }
    free(run->own_data);
    free(run->own_inputs);
    free(run->own_places);
    free(run->results);
}

bool onnx_run_create_sizes(struct onnx_run *run, struct onnx_error *error) {
    const uint32_t vectors = onnx_plan_size_vector_count(run->plan), outputs = onnx_plan_output_count(run->plan);
    const size_t all = (size_t)count_inputs(run) + vectors + 1;
    run->own_data = calloc((size_t)vectors + 1, sizeof *run->own_data);
    run->own_inputs = calloc(all, sizeof *run->own_inputs);
    run->own_places = calloc(all, sizeof *run->own_places);
    run->results = calloc((size_t)outputs + 1, sizeof *run->results);
    bool done = run->own_data != NULL && run->own_inputs != NULL && run->own_places != NULL && run->results != NULL;
    for (uint32_t v = 0; done && v < vectors; ++v) {
        run->own_data[v] = calloc(onnx_plan_size_vectors(run->plan)[v].count, sizeof(int64_t));
        done = run->own_data[v] != NULL;
    }
    if (!done) {
        return onnx_fail_memory(error);
    }
    if (outputs != 0) {
        memcpy(run->results, onnx_plan_outputs(run->plan), outputs * sizeof *run->results);
    }
    return true;
}

static int64_t size_of(const struct onnx_run *run, uint32_t input) {
    return run->own_inputs[input].sizes[onnx_plan_growing_sizes(run->plan)[input].dimension];
}

static void compute_sizes(const struct onnx_run *run, const struct onnx_size_vector *vector, void *to) {
    for (uint32_t i = 0; i < vector->count; ++i) {
        const struct onnx_size_element *e = &vector->elements[i];
        const int64_t value = e->bias + (e->input == ONNX_NONE ? 0 : e->scale * size_of(run, e->input));
        if (vector->type == ONNX_INT32) {
            ((int32_t *)to)[i] = (int32_t)value;
        } else {
            ((int64_t *)to)[i] = value;
        }
    }
}

static void set_results(struct onnx_run *run) {
    for (uint32_t i = 0; i < onnx_plan_output_count(run->plan); ++i) {
        const struct onnx_growing_dimension *growing = onnx_plan_outputs(run->plan)[i].growing;
        if (growing != NULL) {
            struct onnx_plan_output *is = &run->results[i];
            is->sizes[growing->dimension] = (uint32_t)size_of(run, growing->input) + growing->added;
            is->bytes = onnx_bytes_of(is->type, onnx_elements(is->rank, is->sizes));
        }
    }
}

void onnx_run_set_inputs(struct onnx_run *run, uint32_t given, const struct onnx_plan_input *inputs,
                         const struct onnx_place *places) {
    const uint32_t count = count_inputs(run), vectors = onnx_plan_size_vector_count(run->plan);
    for (uint32_t i = 0; i < count; ++i) {
        run->own_inputs[i] = i < given ? inputs[i] : (struct onnx_plan_input){.data = NULL};
        run->own_places[i] = i < given && places != NULL ? places[i] : (struct onnx_place){.piece = NULL};
    }
    for (uint32_t v = 0; v < vectors; ++v) {
        compute_sizes(run, &onnx_plan_size_vectors(run->plan)[v], run->own_data[v]);
        run->own_inputs[count + v].data = run->own_data[v];
    }
    set_results(run);
    run->begun = run->own_inputs;
    run->begun_at = places == NULL ? NULL : run->own_places;
}
