#include "frames/gather/band.h"

#include "frames/gather/copy.h"
#include "frames/gather/gather.h"
#include "frames/gather/transfer.h"
#include "plan/step.h"

/* The roles of a gather's dimensions; others are of the batch. */
enum role { ROLE_BATCH, ROLE_COLUMNS, ROLE_ROWS };

#define CHUNK_BYTES 16

struct diagonals {
    const struct vkdml_view *output;
    const struct vkdml_view *input; /* NULL: zeros */
    struct vkdml_band band;
    struct vkdml_builder *builder;
};

static uint32_t find_role(const struct vkdml_gather *gather, enum role role) {
    for (uint32_t d = 0; d < gather->count; ++d) {
        if (gather->dimensions[d].role == (uint32_t)role) {
            return d;
        }
    }
    return VKDML_BAND_NO_DIMENSION;
}

/* Makes the innermost dimension of the output the row, and elements of matrices side by side wider ones. */
static void arrange(struct vkdml_gather *gather, bool has_input, uint32_t value[2]) {
    const uint32_t element_bytes = gather->element_bytes;
    vkdml_gather_collapse(gather, 0, gather->count);
    for (uint32_t d = 0; d < gather->count && !has_input; ++d) {
        gather->dimensions[d].input_stride = gather->dimensions[d].output_stride;
    }
    uint32_t before;
    do {
        before = gather->element_bytes;
        vkdml_gather_widen(gather);
        vkdml_gather_collapse(gather, 0, gather->count);
    } while (gather->element_bytes != before);
    for (uint32_t d = 0; d < gather->count && !has_input; ++d) {
        gather->dimensions[d].input_stride = 0;
    }
    for (uint32_t bytes = element_bytes; bytes < gather->element_bytes; bytes *= 2) {
        value[0] = (value[0] & ((1u << 8 * bytes) - 1)) * ((1u << 8 * bytes) + 1);
    }
}

/* The kernel's row is of columns or of the batch: where it is of rows the matrices are transposed, and the band. */
static void transpose(struct vkdml_gather *gather, struct vkdml_band *band) {
    for (uint32_t d = 0; d < gather->count; ++d) {
        const uint32_t role = gather->dimensions[d].role;
        gather->dimensions[d].role = role == ROLE_ROWS ? ROLE_COLUMNS : role == ROLE_COLUMNS ? ROLE_ROWS : ROLE_BATCH;
    }
    const int64_t first = band->first;
    band->first = -band->last;
    band->last = -first;
}

/* Whether what lies side by side in the output does so in the input. */
static bool is_alike(const struct vkdml_gather *gather) {
    uint64_t length = 1;
    for (uint32_t d = gather->count; d > 0 && gather->dimensions[d - 1].output_stride == length; --d) {
        if (gather->dimensions[d - 1].input_stride != length) {
            return false;
        }
        length *= gather->dimensions[d - 1].size;
    }
    return length > 1;
}

/* Whether rows are shorter than 16 bytes. */
static bool is_short(const struct vkdml_gather *gather) {
    return gather->dimensions[gather->count - 1].size < CHUNK_BYTES / gather->element_bytes;
}

/* Where elements that lie side by side in the input are so far apart in the output, more is loaded than is used. On an
 * NVIDIA H200 square matrices, transposed, take as long by elements as by tiles and a second dispatch where their sides
 * are 256 elements of 8 bits; with 512 of 32 bits 0.82 and 0.60 of the copy peak are reached, with 4000 0.11 and 0.62.
 * On lavapipe tiles are always faster. */
#define FAR_NARROW 256
#define FAR_WIDE   512

static uint32_t far_apart(const struct vkdml_gather *gather, const struct vkdml_plan_limits *limits) {
    return limits->variant == VKDML_KERNEL_VARIANT_SERIAL ? 0 : gather->element_bytes >= 4 ? FAR_WIDE : FAR_NARROW;
}

/* Whether 16 bytes of the output come of many loads, and those are not shared. */
static bool is_scattered(const struct vkdml_gather *gather, const struct vkdml_plan_limits *limits) {
    const struct vkdml_gather_dimension *row = &gather->dimensions[gather->count - 1];
    const struct vkdml_gather_dimension *closest = row;
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        if (dimension->input_stride != 0 &&
            (closest->input_stride == 0 || dimension->input_stride < closest->input_stride)) {
            closest = dimension;
        }
    }
    return row->output_stride == 1 && (row->input_stride > 1 || (is_short(gather) && !is_alike(gather))) &&
           closest->output_stride > far_apart(gather, limits);
}

/* Beside less, a second dispatch costs more than it saves. */
#define LEAST_TILED_BYTES 0x100000

static bool is_large(const struct vkdml_gather *gather) {
    uint64_t bytes = gather->element_bytes;
    for (uint32_t d = 0; d < gather->count; ++d) {
        bytes *= gather->dimensions[d].size;
    }
    return bytes > LEAST_TILED_BYTES;
}

/* Whether an element that lies at `place` is on the band's diagonals. */
static bool is_in_band(const struct vkdml_gather *gather, const struct vkdml_band *band, uint64_t place) {
    int64_t diagonal = 0;
    for (uint32_t d = 0; d < gather->count; ++d) {
        const struct vkdml_gather_dimension *dimension = &gather->dimensions[d];
        const int64_t coordinate = (int64_t)(place / dimension->output_stride % dimension->size);
        diagonal += dimension->role == ROLE_COLUMNS ? coordinate : dimension->role == ROLE_ROWS ? -coordinate : 0;
    }
    return band->first <= diagonal && diagonal <= band->last;
}

#define PATTERN_BITS 128

/* Writes the pattern of matrices of few elements, see band.glsl; false where they are not. None of them is cut by a
 * window. */
static bool fill_pattern(const struct vkdml_gather *gather, const struct vkdml_band *band, uint32_t pattern[8]) {
    uint32_t within = gather->count; /* dimensions from here on are whole matrices, side by side */
    uint64_t length = 1;
    const uint32_t columns = find_role(gather, ROLE_COLUMNS);
    const uint32_t rows = find_role(gather, ROLE_ROWS);
    const uint32_t outermost = columns < rows ? columns : rows;
    while (within > outermost && gather->dimensions[within - 1].output_stride == length) {
        length *= gather->dimensions[--within].size;
    }
    if (within != outermost || length > PATTERN_BITS + 1 - CHUNK_BYTES) {
        return false;
    }
    for (uint32_t bit = 0; bit < PATTERN_BITS; ++bit) {
        pattern[bit / 32] |= (uint32_t)is_in_band(gather, band, bit % length) << bit % 32;
    }
    const struct vkdml_divisor divisor = vkdml_divisor((uint32_t)length);
    pattern[4] = divisor.multiplier;
    pattern[5] = divisor.shifts;
    pattern[6] = (uint32_t)length;
    return true;
}

static VkdmlResult plan_gather(const struct diagonals *d, const struct vkdml_gather *gather,
                               enum vkdml_band_source source, const struct vkdml_band *band) {
    struct vkdml_gather_use use = {
        .kernel = VKDML_KERNEL_DIAGONAL,
        .constants = {{VKDML_GATHER_CONSTANT_SOURCE, source},
                      {VKDML_GATHER_CONSTANT_INVERT, band->invert},
                      {VKDML_GATHER_CONSTANT_Y_DIMENSION, find_role(gather, ROLE_ROWS)},
                      {VKDML_GATHER_CONSTANT_X_DIMENSION, find_role(gather, ROLE_COLUMNS)}},
        .constant_count = 4,
        .arguments = {band->value[0], band->value[1], (uint32_t)band->first, (uint32_t)(band->last - band->first)},
    };
    use.has_pattern = source != VKDML_BAND_INPUT && !d->builder->limits->general && fill_pattern(gather, band, use.pattern);
    if (use.has_pattern) {
        use.constants[3].value = VKDML_BAND_PATTERN;
    }
    /* On lavapipe masks serve short rows too: beside the input, rows of 12 bytes take half the time of runs, of 3 a
     * fourth. */
    const bool by_masks =
        use.has_pattern || source == VKDML_BAND_OUTPUT || (source != VKDML_BAND_INPUT && is_short(gather));
    use.runs_kernel = by_masks ? VKDML_KERNEL_COPY : VKDML_KERNEL_DIAGONAL_RUNS;
    return vkdml_gather_plan(gather, &use, d->builder);
}

/* A gather of the output, its columns and rows told apart from the batch. */
static void begin_gather(const struct diagonals *d, const struct vkdml_view *input, struct vkdml_gather *gather) {
    vkdml_gather_init(gather, d->output, input);
    gather->dimensions[gather->count - 1].role = ROLE_COLUMNS;
    gather->dimensions[gather->count - 2].role = ROLE_ROWS;
}

/* Fills all with one value: a band of all diagonals of no matrix. */
static VkdmlResult plan_value(const struct diagonals *d, struct vkdml_gather *gather, const uint32_t value[2]) {
    struct vkdml_band all = {.first = 0, .last = UINT32_MAX, .value = {value[0], value[1]}};
    arrange(gather, false, all.value);
    return plan_gather(d, gather, VKDML_BAND_ZEROS, &all);
}

/* One diagonal of a stack of matrices. */
static VkdmlResult plan_diagonal(const struct diagonals *d, const uint32_t value[2]) {
    const struct vkdml_view *output = d->output;
    const uint32_t x = output->rank - 1;
    const uint32_t y = x - 1;
    const int64_t diagonal = d->band.first;
    const uint64_t first_x = diagonal > 0 ? (uint64_t)diagonal : 0;
    const uint64_t first_y = diagonal < 0 ? (uint64_t)-diagonal : 0;
    const uint32_t columns = output->sizes[x] - (uint32_t)first_x;
    const uint32_t rows = output->sizes[y] - (uint32_t)first_y;
    const uint32_t length = columns < rows ? columns : rows;
    const uint64_t stride = (uint64_t)output->strides[x] + output->strides[y];
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, output, NULL);
    gather.output.first += first_x * output->strides[x] + first_y * output->strides[y];
    gather.dimensions[y] = (struct vkdml_gather_dimension){.size = 1, .input_size = 1};
    gather.dimensions[x] = (struct vkdml_gather_dimension){
        .size = length, .output_stride = length > 1 ? (uint32_t)stride : 1, .input_size = length};
    vkdml_gather_collapse(&gather, 0, gather.count);
    const struct vkdml_band all = {.first = 0, .last = UINT32_MAX, .value = {value[0], value[1]}};
    return plan_gather(d, &gather, VKDML_BAND_ZEROS, &all);
}

static VkdmlResult plan_filled(const struct diagonals *d, const uint32_t value[2], uint32_t word) {
    VkdmlResult result = vkdml_transfer_plan_fill(d->output, word, d->builder);
    vkdml_builder_phase(d->builder);
    return result == VKDML_SUCCESS ? plan_diagonal(d, value) : result;
}

/* All elements alike: none is filled, or every one. */
static VkdmlResult plan_uniform(const struct diagonals *d, bool filled) {
    static const uint32_t zero[2] = {0, 0};
    if (!filled && d->input != NULL) {
        return vkdml_copy_plan_identity(d->output, d->input, d->builder);
    }
    const uint32_t *value = filled ? d->band.value : zero;
    uint32_t word;
    if (vkdml_transfer_suits_fill(d->output, value, d->builder->limits, &word)) {
        return vkdml_transfer_plan_fill(d->output, word, d->builder);
    }
    struct vkdml_gather gather;
    vkdml_gather_init(&gather, d->output, NULL);
    return plan_value(d, &gather, value);
}

/* Orders a gather's dimensions for a band, which is transposed with them. */
static void arrange_band(struct vkdml_gather *gather, bool has_input, struct vkdml_band *band) {
    arrange(gather, has_input, band->value);
    if (gather->dimensions[gather->count - 1].role == ROLE_ROWS) {
        transpose(gather, band);
    }
}

/* Large inputs that lie otherwise are copied by tiles where there are any, and the band is filled over them. *planned:
 * there are. */
static VkdmlResult plan_over_copy(const struct diagonals *d, bool *planned) {
    const struct vkdml_builder_mark before = vkdml_builder_mark(d->builder);
    *planned = false;
    VkdmlResult result = vkdml_copy_plan_identity(d->output, d->input, d->builder);
    if (result == VKDML_SUCCESS && !vkdml_gather_is_tiled(vkdml_builder_first_since(d->builder, &before))) {
        vkdml_builder_undo(d->builder, &before);
        return VKDML_SUCCESS;
    }
    *planned = true;
    vkdml_builder_phase(d->builder);
    if (result == VKDML_SUCCESS) {
        struct vkdml_gather gather;
        struct vkdml_band band = d->band;
        begin_gather(d, NULL, &gather);
        arrange_band(&gather, false, &band);
        result = plan_gather(d, &gather, VKDML_BAND_OUTPUT, &band);
    }
    return result;
}

/* For any sizes: no shorter way where the band is empty or the whole matrix, no wider elements. */
static VkdmlResult plan_general(struct diagonals *d) {
    struct vkdml_gather gather;
    begin_gather(d, d->input, &gather);
    const struct vkdml_gather_dimension *columns = &gather.dimensions[gather.count - 1];
    if (columns->output_stride != 1 && gather.dimensions[gather.count - 2].output_stride == 1) {
        const struct vkdml_gather_dimension rows = gather.dimensions[gather.count - 2];
        gather.dimensions[gather.count - 2] = *columns;
        gather.dimensions[gather.count - 1] = rows;
        transpose(&gather, &d->band);
    }
    vkdml_gather_collapse(&gather, 0, gather.count - 2);
    vkdml_gather_make_general(&gather);
    return plan_gather(d, &gather, d->input == NULL ? VKDML_BAND_ZEROS : VKDML_BAND_INPUT, &d->band);
}

static VkdmlResult plan_band(struct diagonals *d) {
    static const uint32_t zero[2] = {0, 0};
    const struct vkdml_view *output = d->output;
    struct vkdml_band *band = &d->band;
    const int64_t lowest = 1 - (int64_t)output->sizes[output->rank - 2];
    const int64_t highest = (int64_t)output->sizes[output->rank - 1] - 1;
    band->first = band->first > lowest ? band->first : lowest;
    band->last = band->last < highest ? band->last : highest;
    if (d->builder->limits->general) {
        if (band->first > band->last) { /* a diagonal beyond the last */
            band->first = band->last = highest + 1;
        }
        return plan_general(d);
    }
    const bool is_all = band->first == lowest && band->last == highest;
    if (is_all || band->first > band->last) {
        return plan_uniform(d, is_all != band->invert);
    }
    uint32_t word;
    if (d->input == NULL && band->first == band->last &&
        vkdml_transfer_suits_fill(output, band->invert ? band->value : zero, d->builder->limits, &word)) {
        return plan_filled(d, band->invert ? zero : band->value, word);
    }
    struct vkdml_gather gather;
    struct vkdml_band arranged = *band;
    begin_gather(d, d->input, &gather);
    arrange_band(&gather, d->input != NULL, &arranged);
    if (d->input != NULL && is_large(&gather) && is_scattered(&gather, d->builder->limits)) {
        bool planned;
        VkdmlResult result = plan_over_copy(d, &planned);
        if (planned) {
            return result;
        }
    }
    const enum vkdml_band_source source = d->input == NULL    ? VKDML_BAND_ZEROS
                                          : is_alike(&gather) ? VKDML_BAND_ALIKE
                                                              : VKDML_BAND_INPUT;
    return plan_gather(d, &gather, source, &arranged);
}

VkdmlResult vkdml_band_plan(const struct vkdml_band *band, const struct vkdml_view *output,
                            const struct vkdml_view *input, struct vkdml_builder *builder) {
    struct diagonals d = {
        .output = output, .input = vkdml_view_exists(input) ? input : NULL, .band = *band, .builder = builder};
    return plan_band(&d);
}
