/* Fourier transforms, as products with matrices of cosines and sines, and what weighs their spectra. */
#include <math.h>

#include "onnx/operators/move.h"

enum { MOST_NUMBERS = 1 << 22 }; /* of a matrix */

struct transform {
    uint32_t length;    /* L */
    uint32_t inputs;    /* elements of the axis that count: others are 0 */
    uint32_t outputs;   /* of L, or the first half */
    uint32_t parts_in;  /* 1: real, 2: real and imaginary */
    uint32_t parts_out; /* likewise */
    bool is_inverse;
};

/* Row: input element and part; column: output element and part. */
static double coefficient(const struct transform *t, uint32_t n, uint32_t part, uint32_t k, uint32_t part_out) {
    const uint32_t turn = (uint32_t)((uint64_t)n * k % t->length);
    const double angle = 2 * 3.14159265358979323846 * turn / t->length;
    const double sign = t->is_inverse ? 1 : -1;
    double c = cos(angle), s = sign * sin(angle);
    if (4 * (uint64_t)turn % t->length == 0) {
        const uint32_t quarter = (uint32_t)(4 * (uint64_t)turn / t->length);
        c = quarter == 0 ? 1 : quarter == 2 ? -1 : 0;
        s = quarter == 1 ? sign : quarter == 3 ? -sign : 0;
    }
    /* (re + i im) (c + i s) */
    double value = part == part_out ? c : part == 0 ? s : -s;
    if (t->is_inverse) {
        value /= t->length;
        /* Of half a spectrum all elements but these stand for two. */
        value *= t->parts_out == 1 && n != 0 && 2 * (uint64_t)n != t->length ? 2 : 1;
    }
    return value;
}

static struct onnx_tensor *make_matrix(const struct onnx_call *call, const struct transform *t) {
    const uint32_t rows = t->inputs * t->parts_in, columns = t->outputs * t->parts_out;
    if ((uint64_t)t->inputs * t->parts_in * t->outputs * t->parts_out > MOST_NUMBERS) {
        onnx_refuse(call, "a transform of %u elements: DirectML has none, and a product takes too long",
                    (unsigned)t->length);
        return NULL;
    }
    float *numbers = onnx_scratch(call, (size_t)rows * columns, sizeof *numbers);
    for (uint32_t r = 0; numbers != NULL && r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) {
            numbers[(size_t)r * columns + c] =
                (float)coefficient(t, r / t->parts_in, r % t->parts_in, c / t->parts_out, c % t->parts_out);
        }
    }
    return numbers == NULL ? NULL : onnx_constant(call, ONNX_FLOAT, 4, (uint32_t[]){1, 1, rows, columns}, numbers);
}

/* Along an axis that is not the last, which holds the parts. */
static struct onnx_tensor *apply(const struct onnx_call *call, const struct transform *t, struct onnx_tensor *tensor,
                                 uint32_t axis) {
    const uint32_t rank = tensor->rank, size = tensor->sizes[axis];
    uint32_t order[ONNX_MAX_RANK], back[ONNX_MAX_RANK], sizes[ONNX_MAX_RANK], batches = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        order[d] = d < axis || d + 1 == rank ? d : d + 2 == rank ? axis : d + 1;
        back[order[d]] = d;
        sizes[d] = tensor->sizes[order[d]];
        batches *= d + 2 < rank ? sizes[d] : 1;
    }
    const enum onnx_type type = tensor->type;
    tensor = onnx_cast(call, onnx_transpose(call, tensor, order), type == ONNX_FLOAT16 ? ONNX_FLOAT : type);
    tensor = onnx_reshape(call, tensor, 4, (uint32_t[]){1, 1, batches, size * t->parts_in});
    tensor = onnx_slice_axis(call, tensor, 3, 0, t->inputs * t->parts_in, 1);
    struct onnx_tensor *matrix = make_matrix(call, t);
    struct onnx_tensor *made = onnx_gemm(call, tensor, matrix, false, 1, NULL);
    sizes[rank - 2] = t->outputs;
    sizes[rank - 1] = t->parts_out;
    made = onnx_transpose(call, onnx_reshape(call, onnx_cast(call, made, type), rank, sizes), back);
    return made;
}

static bool find_length(const struct onnx_call *call, uint32_t index, uint32_t otherwise, uint32_t *length) {
    uint32_t count = 0;
    *length = otherwise;
    if (onnx_input(call, index) != NULL) {
        const int64_t *number = onnx_host_ints(call, index, &count);
        if (number == NULL || count != 1 || number[0] < 1 || number[0] > 1 << 24) {
            return onnx_refuse(call, "no length");
        }
        *length = (uint32_t)number[0];
    }
    return *length != 0 || onnx_refuse(call, "a length of 0");
}

/* The axis is an attribute to version 19, then an input. */
static bool find_axis(const struct onnx_call *call, uint32_t rank, uint32_t *axis) {
    int64_t number = onnx_int(call, "axis", 1);
    if (call->node->version >= 20) {
        uint32_t count = 0;
        number = -2;
        if (onnx_input(call, 2) != NULL) {
            const int64_t *numbers = onnx_host_ints(call, 2, &count);
            if (numbers == NULL || count != 1) {
                return onnx_refuse(call, "no axis");
            }
            number = numbers[0];
        }
    }
    return onnx_axis(call, number, rank, axis) && (*axis + 1 < rank || onnx_refuse(call, "the last axis"));
}

static bool dft(const struct onnx_call *call) {
    struct onnx_tensor *input = onnx_needed(call, 0);
    uint32_t axis;
    if (input == NULL || input->rank < 2 || onnx_is_empty(input)) {
        return onnx_refuse(call, "no signal");
    }
    const bool is_inverse = onnx_int(call, "inverse", 0) != 0, is_half = onnx_int(call, "onesided", 0) != 0;
    struct transform t = {.is_inverse = is_inverse, .parts_in = input->sizes[input->rank - 1], .parts_out = 2};
    if (t.parts_in < 1 || t.parts_in > 2 || !find_axis(call, input->rank, &axis)) {
        return onnx_refuse(call, "%u parts of a number", (unsigned)t.parts_in);
    }
    const uint32_t size = input->sizes[axis];
    if (!find_length(call, 1, is_inverse && is_half ? 2 * (size - 1) : size, &t.length)) {
        return false;
    }
    if (is_half && (is_inverse ? t.parts_in == 1 : t.parts_in == 2)) {
        return onnx_refuse(call, "half a spectrum of no real signal");
    }
    t.outputs = is_half && !is_inverse ? t.length / 2 + 1 : t.length;
    t.parts_out = is_half && is_inverse ? 1 : 2;
    const uint32_t most = is_half && is_inverse ? t.length / 2 + 1 : t.length;
    t.inputs = size < most ? size : most;
    return onnx_output(call, 0, apply(call, &t, input, axis));
}

/* Frames of a signal, each times the window. */
static struct onnx_tensor *make_frames(const struct onnx_call *call, struct onnx_tensor *signal, uint32_t step,
                                       uint32_t length, uint32_t frames) {
    uint32_t *places = onnx_scratch(call, (size_t)frames * length, sizeof *places);
    struct onnx_tensor *window = onnx_input(call, 2);
    for (uint32_t f = 0; places != NULL && f < frames; ++f) {
        for (uint32_t n = 0; n < length; ++n) {
            places[(size_t)f * length + n] = f * step + n;
        }
    }
    if (places == NULL) {
        return NULL;
    }
    struct onnx_tensor *made = onnx_take(call, signal, 1, frames * length, places);
    made = onnx_reshape(call, made, 4, (uint32_t[]){signal->sizes[0], frames, length, signal->sizes[2]});
    if (window != NULL) {
        window = onnx_reshape(call, window, 2, (uint32_t[]){length, 1});
        made = onnx_binary(call, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, made, window);
    }
    return made;
}

static bool stft(const struct onnx_call *call) {
    struct onnx_tensor *signal = onnx_needed(call, 0);
    const struct onnx_tensor *window = onnx_input(call, 2);
    uint32_t step, length;
    if (signal != NULL && signal->rank == 2) {
        signal = onnx_reshape(call, signal, 3, (uint32_t[]){signal->sizes[0], signal->sizes[1], 1});
    }
    if (signal == NULL || signal->rank != 3 || onnx_is_empty(signal) || signal->sizes[2] > 2) {
        return onnx_refuse(call, "no signal");
    }
    if (!find_length(call, 1, 0, &step) ||
        !find_length(call, 3, window != NULL && window->rank == 1 ? window->sizes[0] : signal->sizes[1], &length)) {
        return false;
    }
    if (length > signal->sizes[1] || (window != NULL && onnx_count(window) != length)) {
        return onnx_refuse(call, "frames of %u elements", (unsigned)length);
    }
    const uint32_t frames = (signal->sizes[1] - length) / step + 1;
    const bool is_half = onnx_int(call, "onesided", 1) != 0;
    if ((uint64_t)frames * length > 1 << 26 || (is_half && signal->sizes[2] == 2)) {
        return onnx_refuse(call, "more than 2^26 elements of frames, or half a spectrum of no real signal");
    }
    const struct transform t = {.length = length,
                                .inputs = length,
                                .outputs = is_half ? length / 2 + 1 : length,
                                .parts_in = signal->sizes[2],
                                .parts_out = 2};
    struct onnx_tensor *made = make_frames(call, signal, step, length, frames);
    return made != NULL && onnx_output(call, 0, apply(call, &t, made, 2));
}

/* ---- MelWeightMatrix ---- */

static bool read_number(const struct onnx_call *call, uint32_t index, double least, double *number) {
    uint32_t count = 0;
    const double *numbers = onnx_host_floats(call, index, &count);
    if (numbers == NULL) {
        return false;
    }
    *number = count == 1 ? numbers[0] : -1;
    return (*number >= least && *number <= (double)MOST_NUMBERS) ||
           onnx_refuse(call, "input %u: no number that fits", (unsigned)index);
}

/* A column of the matrix: up from one bin to the next, and down to the one behind it. */
static void fill_triangle(float *column, uint32_t stride, const uint32_t *bins) {
    const uint32_t up = bins[1] - bins[0], down = bins[2] - bins[1];
    for (uint32_t i = bins[0]; i <= bins[1]; ++i) {
        column[(size_t)i * stride] = up == 0 ? 1.0F : (float)((double)(i - bins[0]) / up);
    }
    for (uint32_t i = bins[1]; i < bins[2]; ++i) {
        column[(size_t)i * stride] = (float)((double)(bins[2] - i) / down);
    }
}

/* Computed in double. mel(f) = 2595 log10(1 + f / 700). */
static bool mel_weight_matrix(const struct onnx_call *call) {
    double mels, length, rate, lower, upper;
    if (!read_number(call, 0, 1, &mels) || !read_number(call, 1, 1, &length) || !read_number(call, 2, 1, &rate) ||
        !read_number(call, 3, 0, &lower) || !read_number(call, 4, lower, &upper)) {
        return false;
    }
    const uint32_t sizes[] = {(uint32_t)length / 2 + 1, (uint32_t)mels};
    if ((uint64_t)sizes[0] * sizes[1] > MOST_NUMBERS) {
        return onnx_refuse(call, "a matrix of more than 2^22 numbers");
    }
    const double low = 2595 * log10(1 + lower / 700), high = 2595 * log10(1 + upper / 700);
    uint32_t *bins = onnx_scratch(call, (size_t)sizes[1] + 2, sizeof *bins);
    float *matrix = onnx_scratch(call, (size_t)sizes[0] * sizes[1], sizeof *matrix);
    if (bins == NULL || matrix == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < sizes[1] + 2; ++i) {
        const double mel = low + i * (high - low) / (sizes[1] + 2.0), hertz = 700 * (pow(10, mel / 2595) - 1);
        const double bin = floor((floor(length) + 1) * hertz / floor(rate));
        if (!(bin >= 0 && bin < sizes[0])) {
            return onnx_refuse(call, "an upper edge beyond the spectrum");
        }
        bins[i] = (uint32_t)bin;
    }
    for (uint32_t i = 0; i < sizes[1]; ++i) {
        fill_triangle(matrix + i, sizes[1], bins + i);
    }
    const enum onnx_type type = (enum onnx_type)onnx_int(call, "output_datatype", ONNX_FLOAT);
    return onnx_output(call, 0, onnx_cast(call, onnx_constant(call, ONNX_FLOAT, 2, sizes, matrix), type));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "DFT", 17, dft},
    {ONNX_ML, "MelWeightMatrix", 17, mel_weight_matrix},
    {ONNX_ML, "STFT", 17, stft},
};
ONNX_DEFINE_FAMILY(spectra, rows)
