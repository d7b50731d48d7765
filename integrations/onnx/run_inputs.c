/* Inputs of a run whose plan does not fix all sizes: padded copies, and numbers that are computed from sizes. */
#include <stdlib.h>
#include <string.h>

#include "onnx/run.h"

/* Inputs of the model's graph, those with initializers among them. */
static uint32_t count_inputs(const struct onnx_run *run) {
    return run->session->graph->input_count + run->session->graph->optional_count;
}

bool onnx_run_is_padded(const struct onnx_run *run, uint32_t input) {
    return input < count_inputs(run) && onnx_plan_open_sizes(run->plan)[input].is_open;
}

/* Rows of an input as it is given, and as the plan has it, in bytes. */
struct padding {
    uint64_t rows, from, to;
};

static struct padding find_padding(const struct onnx_run *run, uint32_t index, const struct onnx_plan_input *input) {
    const struct onnx_open_size *open = &onnx_plan_open_sizes(run->plan)[index];
    const uint64_t row = onnx_elements(input->rank - open->dimension, input->sizes + open->dimension);
    return (struct padding){onnx_elements(open->dimension, input->sizes), onnx_bytes_of(input->type, row),
                            onnx_bytes_of(input->type, row / input->sizes[open->dimension] * open->capacity)};
}

void onnx_run_free_inputs(struct onnx_run *run) {
    for (uint32_t i = 0; run->own_data != NULL && i < run->own_count; ++i) {
        free(run->own_data[i]);
    }
    free(run->own_data);
    free(run->own_inputs);
    free(run->own_places);
}

bool onnx_run_create_inputs(struct onnx_run *run, struct onnx_error *error) {
    const uint32_t count = count_inputs(run), vectors = onnx_plan_size_vector_count(run->plan);
    bool is_open = false;
    for (uint32_t i = 0; i < count; ++i) {
        is_open = is_open || onnx_run_is_padded(run, i);
    }
    if (!is_open) {
        return true;
    }
    run->own_count = count + vectors;
    run->own_data = calloc(run->own_count, sizeof *run->own_data);
    run->own_inputs = calloc(run->own_count, sizeof *run->own_inputs);
    run->own_places = calloc(run->own_count, sizeof *run->own_places);
    bool done = run->own_data != NULL && run->own_inputs != NULL && run->own_places != NULL;
    for (uint32_t i = 0; done && i < run->own_count; ++i) {
        uint64_t bytes = 0;
        if (i >= count) {
            bytes = onnx_plan_size_vectors(run->plan)[i - count].count * sizeof(int64_t);
        } else if (onnx_run_is_padded(run, i)) {
            const struct padding padding = find_padding(run, i, &run->key[i]);
            bytes = padding.rows * padding.to;
        }
        run->own_data[i] = bytes == 0 ? NULL : calloc(1, ROUND_UP(bytes, 8));
        done = bytes == 0 || run->own_data[i] != NULL;
    }
    return done || onnx_fail_memory(error);
}

/* The session keeps each copy, so elements beyond the size of this run may be those of another. */
static void pad(const struct onnx_run *run, uint32_t index, const struct onnx_plan_input *input) {
    const struct padding padding = find_padding(run, index, input);
    const unsigned char *from = input->data;
    unsigned char *to = run->own_data[index];
    for (uint64_t r = 0; r < padding.rows; ++r) {
        memcpy(to + r * padding.to, from + r * padding.from, padding.from);
        memset(to + r * padding.to + padding.from, 0, padding.to - padding.from);
    }
}

static void compute_sizes(const struct onnx_run *run, const struct onnx_size_vector *vector, void *to) {
    for (uint32_t i = 0; i < vector->count; ++i) {
        const struct onnx_size_element *e = &vector->elements[i];
        int64_t value = e->bias;
        if (e->input != ONNX_NONE) {
            const uint32_t dimension = onnx_plan_open_sizes(run->plan)[e->input].dimension;
            value += e->scale * run->own_inputs[e->input].sizes[dimension];
        }
        if (vector->type == ONNX_INT32) {
            ((int32_t *)to)[i] = (int32_t)value;
        } else {
            ((int64_t *)to)[i] = value;
        }
    }
}

void onnx_run_set_inputs(struct onnx_run *run, uint32_t given, const struct onnx_plan_input *inputs,
                         const struct onnx_place *places) {
    const uint32_t count = count_inputs(run);
    if (run->own_data == NULL) {
        run->begun = inputs;
        run->begun_at = places;
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        run->own_inputs[i] = i < given ? inputs[i] : (struct onnx_plan_input){0};
        run->own_places[i] = i < given && places != NULL ? places[i] : (struct onnx_place){0};
        if (onnx_run_is_padded(run, i) && run->own_inputs[i].data != NULL) {
            pad(run, i, &inputs[i]);
            run->own_inputs[i].data = run->own_data[i];
        }
    }
    for (uint32_t i = count; i < run->own_count; ++i) {
        compute_sizes(run, &onnx_plan_size_vectors(run->plan)[i - count], run->own_data[i]);
        run->own_inputs[i].data = run->own_data[i];
    }
    run->begun = run->own_inputs;
    run->begun_at = places == NULL ? NULL : run->own_places;
}

uint64_t onnx_run_given_bytes(const struct onnx_run *run, uint32_t input) {
    const struct onnx_plan_input *is = &run->begun[input];
    return onnx_bytes_of(is->type, onnx_elements(is->rank, is->sizes));
}

void onnx_run_copy_padded(const struct onnx_run *run, const struct onnx_commands *commands, uint32_t input,
                          uint64_t offset) {
    struct onnx_device *device = run->session->device;
    const struct padding padding = find_padding(run, input, &run->begun[input]);
    const struct onnx_place *from = &run->begun_at[input];
    onnx_commands_clear(device, commands, run->inputs.buffer, offset, ROUND_UP(padding.rows * padding.to, 4));
    onnx_commands_barrier(device, commands);
    for (uint64_t r = 0; r < padding.rows; ++r) {
        onnx_commands_copy(device, commands, onnx_place_buffer(from), from->offset + r * padding.from,
                           run->inputs.buffer, offset + r * padding.to, padding.from);
    }
}
