#include "bench/cause.h"

#include <stdio.h>
#include <string.h>

/* Below, what a dispatch takes is most of the time. */
#define SMALL_BYTES ((uint64_t)4 << 20)

/* Of a case: the largest output, and the input of as many dimensions. */
struct tensors {
    const struct case_tensor *input; /* NULL: none */
    const struct case_tensor *output;
    bool scaled;
};

static struct tensors find_tensors(const struct operator_case *c) {
    struct tensors tensors = {NULL, NULL, false};
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        tensors.scaled =
            tensors.scaled || (c->fields[i].present && strcmp(c->schema->fields[i].name, "ScaleBias") == 0);
    }
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input) {
            tensors.input = tensors.input ? tensors.input : at.tensor;
        } else if (!tensors.output || case_element_count(at.tensor) > case_element_count(tensors.output)) {
            tensors.output = at.tensor;
        }
    }
    /* Coordinates are laid out as no input is; then it is the input that is walked. */
    if (tensors.input && tensors.input->rank != tensors.output->rank) {
        tensors.output = tensors.input;
    }
    return tensors;
}

/* The dimension of the least stride that is at least `least`; rank: none. */
static uint32_t next_dimension(const struct case_tensor *tensor, const uint32_t *strides, uint64_t least) {
    uint32_t found = tensor->rank;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        if (tensor->sizes[d] != 1 && strides[d] >= least && (found == tensor->rank || strides[d] < strides[found])) {
            found = d;
        }
    }
    return found;
}

/* How many elements lie side by side in both tensors; 0: not even two do. */
static uint64_t run_length(const struct tensors *tensors, const uint32_t *in, const uint32_t *out) {
    uint64_t run = 1;
    for (;;) {
        const uint32_t d = next_dimension(tensors->output, out, run);
        if (d == tensors->output->rank) {
            return run;
        }
        if (out[d] != run || (tensors->input && in[d] != run)) {
            return run == 1 ? 0 : run;
        }
        run *= tensors->output->sizes[d];
        if (tensors->input && tensors->input->sizes[d] != tensors->output->sizes[d]) {
            return run;
        }
    }
}

/* Where the elements of the output's innermost dimension are apart. */
static const char *tell_gaps(const struct tensors *tensors, const uint32_t *in, const uint32_t *out) {
    const uint32_t d = next_dimension(tensors->output, out, 1);
    const bool output_apart = out[d] != 1;
    if (!tensors->input || in[d] == 1) {
        return "elements apart in the output";
    }
    if (in[d] == 0) {
        return output_apart ? "one element repeated, apart in the output" : "one element repeated";
    }
    const uint32_t inner = next_dimension(tensors->input, in, 1);
    if (inner < tensors->input->rank && in[inner] == 1) {
        return output_apart ? "transposed, apart in the output" : "transposed";
    }
    return output_apart ? "elements apart in both" : "elements apart in the input";
}

static const char *tell_run(uint64_t bytes) {
    return bytes < 16     ? "runs below 16 bytes"
           : bytes < 128  ? "runs of 16 to 127 bytes"
           : bytes < 1024 ? "runs of 128 to 1023 bytes"
                          : "runs of 1 KiB and more";
}

void bench_cause(const struct operator_case *c, uint64_t bytes, size_t capacity, char *text) {
    const struct tensors tensors = find_tensors(c);
    uint32_t in[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0}, out[DML_TENSOR_DIMENSION_COUNT_MAX1];
    const uint32_t element_bits = vkdmlGetDataTypeBits(tensors.output->type);
    case_strides(tensors.output, out);
    if (tensors.input) {
        case_strides(tensors.input, in);
    }
    const uint64_t run = run_length(&tensors, in, out);
    const char *shape = bytes < SMALL_BYTES ? "less than 4 MiB"
                        : run == 0          ? tell_gaps(&tensors, in, out)
                                            : tell_run(run * element_bits / 8);
    snprintf(text, capacity, "%u-bit%s, %s", element_bits, tensors.scaled ? ", ScaleBias" : "", shape);
}
