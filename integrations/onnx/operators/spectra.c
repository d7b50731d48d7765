/* Fourier transforms, as products with matrices of cosines and sines, and what weighs their spectra. */
#include <math.h>

#include "onnx/operators/move.h"

enum {
    MOST_NUMBERS = 1 << 22, /* of a matrix; longer transforms are products of short ones */
    MOST_LENGTH = 512,      /* of those */
};

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
    float *numbers = onnx_scratch(call, (size_t)rows * columns, sizeof *numbers);
    for (uint32_t r = 0; numbers != NULL && r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) {
            numbers[(size_t)r * columns + c] =
                (float)coefficient(t, r / t->parts_in, r % t->parts_in, c / t->parts_out, c % t->parts_out);
        }
    }
    return numbers == NULL ? NULL : onnx_constant(call, ONNX_FLOAT, 4, (uint32_t[]){1, 1, rows, columns}, numbers);
}

static bool has_matrix(const struct transform *t) {
    return (uint64_t)t->inputs * t->parts_in * t->outputs * t->parts_out <= MOST_NUMBERS;
}

/* {batches, inputs * parts_in} to {batches, outputs * parts_out}. */
static struct onnx_tensor *apply_matrix(const struct onnx_call *call, const struct transform *t,
                                        struct onnx_tensor *signal) {
    if (signal == NULL) {
        return NULL;
    }
    const uint32_t batches = signal->sizes[0];
    signal = onnx_reshape(call, signal, 4, (uint32_t[]){1, 1, batches, t->inputs * t->parts_in});
    signal = onnx_gemm(call, signal, make_matrix(call, t), false, 1, NULL);
    return onnx_reshape(call, signal, 2, (uint32_t[]){batches, t->outputs * t->parts_out});
}

/* ---- long transforms: of complex numbers, {batches, length, 2} ---- */

/* An inverse one, of a positive sign, divides by the length. */
static struct onnx_tensor *transform(const struct onnx_call *call, struct onnx_tensor *signal, double sign);

/* Complex products; the factors have 2 as their last size. */
static struct onnx_tensor *multiply(const struct onnx_call *call, struct onnx_tensor *a, struct onnx_tensor *b) {
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const uint32_t axis = a->rank - 1;
    struct onnx_tensor *re_a = onnx_slice_axis(call, a, axis, 0, 1, 1), *im_a = onnx_slice_axis(call, a, axis, 1, 1, 1);
    struct onnx_tensor *re_b = onnx_slice_axis(call, b, axis, 0, 1, 1), *im_b = onnx_slice_axis(call, b, axis, 1, 1, 1);
    struct onnx_tensor *re = onnx_subtract(call, onnx_multiply(call, re_a, re_b), onnx_multiply(call, im_a, im_b));
    struct onnx_tensor *im = onnx_add(call, onnx_multiply(call, re_a, im_b), onnx_multiply(call, im_a, re_b));
    return onnx_join(call, 2, (struct onnx_tensor *[]){re, im}, axis);
}

/* exp(sign 2 pi i turns[n] / length) of each element. */
static struct onnx_tensor *make_turns(const struct onnx_call *call, uint32_t rank, const uint32_t *sizes,
                                      const uint64_t *turns, uint64_t length, double sign) {
    const uint64_t count = (uint64_t)sizes[rank - 3] * sizes[rank - 2];
    float *numbers = onnx_table(call, 2 * count, sizeof *numbers);
    for (uint64_t n = 0; numbers != NULL && n < count; ++n) {
        const double angle = 2 * 3.14159265358979323846 * (double)turns[n] / (double)length;
        numbers[2 * n] = (float)cos(angle);
        numbers[2 * n + 1] = (float)(sign * sin(angle));
    }
    return numbers == NULL ? NULL : onnx_constant(call, ONNX_FLOAT, rank, sizes, numbers);
}

/* By transforms of `rows` and `columns` elements, their product the length: element (n, m) of the signal, as rows of
 * columns, is transformed along n, turned by n' m / length, and transformed along m. */
static struct onnx_tensor *split(const struct onnx_call *call, struct onnx_tensor *signal, uint32_t rows,
                                 double sign) {
    const uint32_t batches = signal->sizes[0], length = signal->sizes[1], columns = length / rows;
    static const uint32_t order[] = {0, 2, 1, 3};
    uint64_t *turns = onnx_table(call, length, sizeof *turns);
    for (uint32_t m = 0; turns != NULL && m < columns; ++m) {
        for (uint32_t n = 0; n < rows; ++n) {
            turns[(size_t)m * rows + n] = (uint64_t)n * m; /* below the length */
        }
    }
    if (turns == NULL) {
        return NULL;
    }
    signal = onnx_transpose(call, onnx_reshape(call, signal, 4, (uint32_t[]){batches, rows, columns, 2}), order);
    signal = transform(call, onnx_reshape(call, signal, 3, (uint32_t[]){batches * columns, rows, 2}), sign);
    signal = onnx_reshape(call, signal, 4, (uint32_t[]){batches, columns, rows, 2});
    signal = multiply(call, signal,
                      make_turns(call, 4, (uint32_t[]){1, columns, rows, 2}, turns, length, sign));
    signal = onnx_transpose(call, signal, order);
    signal = transform(call, onnx_reshape(call, signal, 3, (uint32_t[]){batches * rows, columns, 2}), sign);
    signal = onnx_transpose(call, onnx_reshape(call, signal, 4, (uint32_t[]){batches, rows, columns, 2}), order);
    return onnx_reshape(call, signal, 3, (uint32_t[]){batches, length, 2});
}

/* Of a prime length (Bluestein): n k = (n^2 + k^2 - (k - n)^2) / 2 makes it a convolution with a chirp, which
 * transforms of a power of two compute. */
static struct onnx_tensor *convolve(const struct onnx_call *call, struct onnx_tensor *signal, double sign) {
    const uint32_t batches = signal->sizes[0], length = signal->sizes[1], none[3] = {0};
    uint32_t padded = 1;
    while (padded < 2 * length) {
        padded *= 2;
    }
    uint64_t *turns = onnx_table(call, padded, sizeof *turns);
    float *chirp = onnx_table(call, 2 * (uint64_t)padded, sizeof *chirp);
    if (turns == NULL || chirp == NULL) {
        return NULL;
    }
    for (uint32_t n = 0; n < length; ++n) {
        turns[n] = (uint64_t)n * n % (2 * (uint64_t)length);
        const double angle = 3.14159265358979323846 * (double)turns[n] / length;
        const uint32_t at[] = {n, n == 0 ? 0 : padded - n};
        for (uint32_t i = 0; i < 2; ++i) {
            chirp[2 * (size_t)at[i]] = (float)cos(angle);
            chirp[2 * (size_t)at[i] + 1] = (float)(-sign * sin(angle));
        }
    }
    struct onnx_tensor *turned =
        make_turns(call, 3, (uint32_t[]){1, length, 2}, turns, 2 * (uint64_t)length, sign);
    struct onnx_tensor *filter = onnx_constant(call, ONNX_FLOAT, 3, (uint32_t[]){1, padded, 2}, chirp);
    filter = filter == NULL ? NULL : transform(call, filter, -1);
    signal = onnx_pad_zeros(call, multiply(call, signal, turned), none, (uint32_t[]){0, padded - length, 0});
    signal = signal == NULL ? NULL : multiply(call, transform(call, signal, -1), filter);
    signal = signal == NULL ? NULL : transform(call, signal, 1);
    signal = multiply(call, onnx_slice(call, signal, none, (uint32_t[]){batches, length, 2}, NULL), turned);
    return signal != NULL && sign > 0 ? onnx_linear(call, signal, (float)(1.0 / length), 0) : signal;
}

static struct onnx_tensor *transform(const struct onnx_call *call, struct onnx_tensor *signal, double sign) {
    if (signal == NULL) {
        return NULL;
    }
    const uint32_t batches = signal->sizes[0], length = signal->sizes[1];
    const struct transform whole = {length, length, length, 2, 2, sign > 0};
    uint32_t rows = 1;
    if (length <= MOST_LENGTH) {
        signal = apply_matrix(call, &whole, onnx_reshape(call, signal, 2, (uint32_t[]){batches, 2 * length}));
        return onnx_reshape(call, signal, 3, (uint32_t[]){batches, length, 2});
    }
    for (uint32_t d = 2; (uint64_t)d * d <= length; ++d) {
        rows = length % d == 0 ? d : rows;
    }
    return rows == 1 ? convolve(call, signal, sign) : split(call, signal, rows, sign);
}

/* Of half a spectrum, whose elements but the first and the middle one stand for two, the real part is the signal. */
static struct onnx_tensor *double_half(const struct onnx_call *call, const struct transform *t,
                                       struct onnx_tensor *signal) {
    float *factors = onnx_table(call, t->inputs, sizeof *factors);
    for (uint32_t n = 0; factors != NULL && n < t->inputs; ++n) {
        factors[n] = n != 0 && 2 * (uint64_t)n != t->length ? 2 : 1;
    }
    return factors == NULL ? NULL
                           : onnx_multiply(call, signal,
                                           onnx_constant(call, ONNX_FLOAT, 3, (uint32_t[]){1, t->inputs, 1}, factors));
}

/* As apply_matrix(), for lengths whose matrix is too large. */
static struct onnx_tensor *apply_long(const struct onnx_call *call, const struct transform *t,
                                      struct onnx_tensor *signal) {
    if (signal == NULL) {
        return NULL;
    }
    const uint32_t batches = signal->sizes[0], none[3] = {0};
    if (t->length > INT32_MAX / 2) {
        onnx_refuse(call, "a transform of %u elements", (unsigned)t->length);
        return NULL;
    }
    signal = onnx_reshape(call, signal, 3, (uint32_t[]){batches, t->inputs, t->parts_in});
    if (t->is_inverse && t->parts_out == 1) {
        signal = double_half(call, t, signal);
    }
    signal = onnx_pad_zeros(call, signal, none, (uint32_t[]){0, t->length - t->inputs, 2 - t->parts_in});
    signal = transform(call, signal, t->is_inverse ? 1 : -1);
    signal = onnx_slice(call, signal, none, (uint32_t[]){batches, t->outputs, t->parts_out}, NULL);
    return onnx_reshape(call, signal, 2, (uint32_t[]){batches, t->outputs * t->parts_out});
}

/* ---- the axis ---- */

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
    if (!onnx_is_float(type)) {
        onnx_refuse_type(call, "a transform of %s", onnx_type_name(type));
        return NULL;
    }
    tensor = onnx_cast(call, onnx_transpose(call, tensor, order), ONNX_FLOAT);
    tensor = onnx_reshape(call, tensor, 2, (uint32_t[]){batches, size * t->parts_in});
    tensor = onnx_slice_axis(call, tensor, 1, 0, t->inputs * t->parts_in, 1);
    struct onnx_tensor *made = has_matrix(t) ? apply_matrix(call, t, tensor) : apply_long(call, t, tensor);
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
        if (number == NULL || count != 1 || number[0] < 1 || number[0] > UINT32_MAX) {
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
    struct onnx_tensor *window = onnx_input(call, 2);
    struct onnx_tensor *places =
        onnx_add(call, onnx_reshape(call, onnx_sequence(call, frames, 0, step), 2, (uint32_t[]){frames, 1}),
                 onnx_reshape(call, onnx_sequence(call, length, 0, 1), 2, (uint32_t[]){1, length}));
    places = onnx_cast(call, onnx_reshape(call, places, 1, (uint32_t[]){frames * length}), ONNX_UINT32);
    struct onnx_tensor *made = onnx_gather(call, signal, places, 1);
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
    if ((uint64_t)frames * length > UINT32_MAX || (is_half && signal->sizes[2] == 2)) {
        return onnx_refuse(call, "more than 2^32 - 1 elements of frames, or half a spectrum of no real signal");
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
    return (*number >= least && *number <= (double)INT32_MAX) ||
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
    const double low = 2595 * log10(1 + lower / 700), high = 2595 * log10(1 + upper / 700);
    uint32_t *bins = onnx_table(call, (uint64_t)sizes[1] + 2, sizeof *bins);
    float *matrix = onnx_table(call, (uint64_t)sizes[0] * sizes[1], sizeof *matrix);
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
