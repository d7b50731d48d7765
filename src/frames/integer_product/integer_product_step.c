#include "frames/integer_product/integer_product_step.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "plan/step.h"

enum { OUTER, INNER, M, COLUMNS, RANK = VKDML_INTEGER_COLUMN_RANK };
enum { A, B };

/* Sums of a workgroup, and of an invocation or a subgroup. */
struct tile {
    enum vkdml_kernel kernel;
    uint32_t m, n, rows, columns;
    uint32_t k;     /* vectors along lines that are in shared memory at once */
    uint32_t speed; /* of all processors of a large GPU, compared with the others */
};

#define MATRIX(m, n, rows, columns, k, speed)                                                                          \
    { VKDML_KERNEL_INTEGER_PRODUCT_MATRIX, m, n, rows, columns, k, speed }

/* By the shapes of product_step.c, of whose FLOAT16 lines have twice as many bytes. */
static const struct tile matrix_tiles[] = {MATRIX(128, 256, 64, 64, 4, 300), MATRIX(128, 128, 64, 64, 4, 290),
                                           MATRIX(64, 256, 32, 64, 4, 220),  MATRIX(64, 128, 32, 32, 4, 120),
                                           MATRIX(64, 64, 32, 32, 8, 110),   MATRIX(32, 32, 16, 16, 8, 50)};

static const struct tile plain = {VKDML_KERNEL_INTEGER_PRODUCT, 64, 64, 8, 4, 4, 0};
static const struct tile dot = {VKDML_KERNEL_INTEGER_PRODUCT_DOT, 64, 64, 8, 4, 4, 0};

/* Of an invocation that goes alone, on processors. */
static const struct tile alone = {VKDML_KERNEL_INTEGER_PRODUCT, 8, 8, 8, 8, 4, 0};
#define SERIAL_LOCAL_SIZE 8

/* Of few rows, for which lines of b are read once, each by a quarter of a workgroup. */
#define MOST_THIN_ROWS   4
#define LEAST_THIN_WORDS 64
#define THIN_LOCAL_SIZE  128

/* Workgroups that a large GPU runs side by side, one a processor: an H200 132. */
#define PROCESSORS 132

/* What matrix cores do not pay for: they make whole fragments. */
#define LEAST_MATRIX_SIZE 16

uint32_t vkdml_integer_column_count(const struct vkdml_integer_product *p) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < p->column_rank; ++d) {
        count *= p->columns[d].size; /* no more than the output has elements */
    }
    return count;
}

uint32_t vkdml_integer_out_stride(const struct vkdml_integer_product *product, uint32_t dimension) {
    return dimension < COLUMNS ? product->out_strides[dimension] : product->columns[dimension - COLUMNS].out_stride;
}

struct vkdml_window vkdml_integer_out_window(const struct vkdml_integer_product *product, const struct vkdml_box *box) {
    struct vkdml_span span = {product->out.first, 1};
    for (uint32_t d = 0; d < COLUMNS + product->column_rank; ++d) {
        const uint64_t stride = vkdml_integer_out_stride(product, d);
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    return vkdml_window_of(span, vkdml_data_type_bits(product->out.type));
}

/* ---- columns ---- */

/* A box's columns, innermost first, as few dimensions as there can be. */
struct column {
    uint32_t size, b_step, out_step, sum_step;
};

static uint32_t find_columns(const struct vkdml_integer_product *p, const struct vkdml_box *box,
                             const struct vkdml_plan_limits *limits, struct column *columns) {
    const uint32_t words = vkdml_integer_line_words(&p->b.lines);
    uint32_t rank = 0, sums = 1;
    for (uint32_t d = p->column_rank; d-- > 0;) {
        const struct column column = {box->size[COLUMNS + d], p->columns[d].step * words, p->columns[d].out_stride,
                                      sums};
        sums *= p->columns[d].size;
        struct column *inner = rank > 0 ? &columns[rank - 1] : NULL;
        if (column.size == 1 && !limits->general) {
            continue;
        }
        if (!limits->general && inner != NULL && (uint64_t)inner->b_step * inner->size == column.b_step &&
            (uint64_t)inner->out_step * inner->size == column.out_step &&
            inner->sum_step * inner->size == column.sum_step) {
            inner->size *= column.size;
        } else {
            columns[rank++] = column;
        }
    }
    if (rank == 0) {
        columns[rank++] = (struct column){1, 0, 0, 0};
    }
    return rank;
}

/* Whether four columns from a multiple of four on are one store. */
static bool has_vectors(const struct vkdml_integer_product *p, const struct vkdml_box *box,
                        const struct column *columns, uint32_t rank, const struct vkdml_plan_limits *limits) {
    const uint32_t bytes = vkdml_data_type_size(p->out.type);
    const struct vkdml_window window = vkdml_integer_out_window(p, box);
    const uint32_t place = vkdml_place_modulo_16(limits, p->out.offset + window.offset, (uint64_t)window.lead * bytes);
    bool has_vectors = !limits->general && columns[0].out_step == 1 && columns[0].size % 4 == 0 && place % (4 * bytes) == 0;
    for (uint32_t d = 1; d < rank; ++d) {
        has_vectors = has_vectors && columns[d].out_step % 4 == 0;
    }
    for (uint32_t d = 0; d < COLUMNS; ++d) {
        has_vectors = has_vectors && (box->size[d] == 1 || p->out_strides[d] % 4 == 0);
    }
    return has_vectors;
}

/* ---- a step ---- */

static bool exists(const struct vkdml_integer_product *p, uint32_t term) {
    return p->terms[term].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static uint32_t words_of_sum(const struct vkdml_integer_product *p) {
    return vkdml_integer_line_words(&p->a.lines) * p->taps * p->tap_rows;
}

static bool is_gathered(const struct vkdml_integer_product *p) {
    return p->taps * p->tap_rows > 1;
}

static uint32_t local_size_of(const struct tile *tile, const struct vkdml_plan_limits *limits) {
    const uint32_t parts = tile->m / tile->rows * (tile->n / tile->columns);
    return tile == &alone                                        ? vkdml_local_size(limits, SERIAL_LOCAL_SIZE)
           : tile->kernel == VKDML_KERNEL_INTEGER_PRODUCT_MATRIX ? parts * limits->byte_cores.subgroup_size
                                                                 : parts;
}

/* Mirrors integer_product_matrix.comp: whether fragments make up a subgroup's part, and invocations load equally much.
 */
static bool fits_cores(const struct tile *tile, const struct vkdml_plan_limits *limits) {
    const struct vkdml_matrix_cores *cores = &limits->byte_cores;
    const uint32_t size = local_size_of(tile, limits);
    const uint32_t operands = (tile->m + tile->n) * (tile->k + 1);
    const uint32_t sums = tile->m / tile->rows * cores->m * (tile->n / 4 + 1);
    const bool by_pairs = cores->k % 16 != 0;
    const uint32_t cells = by_pairs ? operands + sums : operands > sums ? operands : sums;
    return tile->rows % cores->m == 0 && tile->columns % cores->n == 0 && 16 * tile->k % cores->k == 0 &&
           tile->m * tile->k % size == 0 && tile->n * tile->k % size == 0 && size % tile->k == 0 &&
           16 * cells + 16 <= limits->max_shared_memory_bytes && vkdml_local_size(limits, size) == size;
}

static bool is_thin(const struct vkdml_integer_product *p, uint32_t rows, const struct vkdml_plan_limits *limits) {
    return !limits->general && limits->variant != VKDML_KERNEL_VARIANT_SERIAL && rows <= MOST_THIN_ROWS && !is_gathered(p) &&
           words_of_sum(p) >= LEAST_THIN_WORDS && vkdml_local_size(limits, THIN_LOCAL_SIZE) == THIN_LOCAL_SIZE;
}

/* The tile that is done first; of general plans one for all sizes, which has no matrix cores. Workgroups come in rounds, of which a tile's speed says how long each is. */
static const struct tile *choose_tile(const struct vkdml_integer_product *p, const uint32_t sizes[2], uint64_t batches,
                                      const struct vkdml_plan_limits *limits) {
    const struct tile *chosen = limits->dot_products ? &dot : &plain;
    double least = 0;
    if (limits->variant == VKDML_KERNEL_VARIANT_SERIAL) {
        return &alone;
    }
    if (limits->general || limits->byte_cores.subgroup_size == 0 || sizes[0] < LEAST_MATRIX_SIZE || sizes[1] < LEAST_MATRIX_SIZE ||
        4 * (uint64_t)words_of_sum(p) < LEAST_MATRIX_SIZE) {
        return chosen;
    }
    for (size_t i = 0; i < sizeof(matrix_tiles) / sizeof(matrix_tiles[0]); ++i) {
        const struct tile *tile = &matrix_tiles[i];
        const uint64_t groups = vkdml_divide_up(sizes[0], tile->m) * vkdml_divide_up(sizes[1], tile->n) * batches;
        const double time = (double)vkdml_divide_up(groups, PROCESSORS) * tile->m * tile->n / tile->speed;
        if (fits_cores(tile, limits) && (chosen->speed == 0 || time < least)) {
            chosen = tile;
            least = time;
        }
    }
    return chosen;
}

static void note_tile(const struct tile *tile, const struct vkdml_plan_limits *limits, struct vkdml_report *report) {
    if (tile == &alone) {
        vkdml_note_step(report, "an invocation makes %u x %u sums alone, as suits processors", (unsigned)tile->m,
                        (unsigned)tile->n);
        return;
    }
    vkdml_note_step(report, "tiles of %u x %u, %u bytes of lines at once, %s", (unsigned)tile->m, (unsigned)tile->n,
                    16 * (unsigned)tile->k,
                    tile->kernel == VKDML_KERNEL_INTEGER_PRODUCT_MATRIX ? "on matrix cores"
                    : tile->kernel == VKDML_KERNEL_INTEGER_PRODUCT_DOT
                        ? "by dot products of four bytes"
                        : "in FLOAT32, whose sums are exact while they are few");
    if (limits->byte_cores.subgroup_size == 0) {
        vkdml_note_step(report, "without matrix cores: the device has none for INT8, or they are not enabled");
    }
}

static uint32_t shape_of(const struct vkdml_integer_product *p, const struct tile *tile) {
    const uint32_t words = vkdml_integer_line_words(&p->a.lines);
    return (words % 4 == 0 ? VKDML_INTEGER_PRODUCT_BY_VECTORS : 0) |
           (is_gathered(p) ? VKDML_INTEGER_PRODUCT_IS_GATHERED : 0) |
           (tile == &alone ? VKDML_INTEGER_PRODUCT_IS_SERIAL : 0) |
           (p->a.lines.source.type == DML_TENSOR_DATA_TYPE_UINT8 ? VKDML_INTEGER_PRODUCT_A_IS_UNSIGNED : 0) |
           (p->b.lines.source.type == DML_TENSOR_DATA_TYPE_UINT8 ? VKDML_INTEGER_PRODUCT_B_IS_UNSIGNED : 0) |
           (exists(p, VKDML_INTEGER_TERM_ZERO_A) ? VKDML_INTEGER_PRODUCT_A_HAS_ZERO : 0) |
           (exists(p, VKDML_INTEGER_TERM_ZERO_B) ? VKDML_INTEGER_PRODUCT_B_HAS_ZERO : 0) |
           (p->terms[VKDML_INTEGER_TERM_ZERO_B].count > 1 ? VKDML_INTEGER_PRODUCT_HAS_COLUMN_ZEROS : 0) |
           (p->is_scaled ? VKDML_INTEGER_PRODUCT_IS_SCALED : 0) |
           (p->is_scaled && p->terms[VKDML_INTEGER_TERM_SCALE_B].count > 1 ? VKDML_INTEGER_PRODUCT_HAS_COLUMN_SCALES
                                                                           : 0) |
           (exists(p, VKDML_INTEGER_TERM_BIAS) ? VKDML_INTEGER_PRODUCT_HAS_BIAS : 0) |
           (exists(p, VKDML_INTEGER_TERM_ZERO_OUT) ? VKDML_INTEGER_PRODUCT_OUT_HAS_ZERO : 0);
}

/* Where the numbers of a term begin for a box, and how far apart they are along rows, columns and inner batches. */
static void fill_terms(const struct vkdml_integer_product *p, const struct vkdml_integer_terms *terms,
                       const struct vkdml_box *box, struct vkdml_integer_product_parameters *parameters) {
    for (uint32_t t = 0; t < VKDML_INTEGER_TERM_TERM_COUNT; ++t) {
        const bool is_column = t == VKDML_INTEGER_TERM_ZERO_B || t == VKDML_INTEGER_TERM_SCALE_B;
        const uint32_t step = p->terms[t].count > 1 ? 1 : 0;
        const uint32_t row = is_column ? 0 : step, column = is_column ? step : 0;
        const uint32_t inner = row != 0 && p->terms[t].count > p->m ? p->m : 0;
        const uint32_t origin = box->origin[M] * row + box->origin[COLUMNS] * column + box->origin[INNER] * inner;
        const uint32_t steps[] = {terms->firsts[t] + origin, row, column, inner};
        memcpy(parameters->terms[t], steps, sizeof(steps));
    }
}

static void fill_columns(const struct column *columns, uint32_t rank,
                         struct vkdml_integer_product_parameters *parameters) {
    for (uint32_t d = 0; d < rank; ++d) {
        const struct vkdml_divisor divisor = vkdml_divisor(columns[d].size);
        const uint32_t pixel[] = {columns[d].size, divisor.multiplier, divisor.shifts};
        const uint32_t steps[] = {columns[d].b_step, columns[d].out_step, columns[d].sum_step};
        memcpy(parameters->pixels[d], pixel, sizeof(pixel));
        memcpy(parameters->pixel_steps[d], steps, sizeof(steps));
    }
}

static void fill_operands(const struct vkdml_integer_product *p, const struct vkdml_integer_packed *packed,
                          const struct vkdml_box *box, struct vkdml_integer_product_parameters *parameters) {
    const uint32_t words = vkdml_integer_line_words(&p->a.lines);
    const uint32_t *of_a = packed[A].sums.strides, *of_b = packed[B].sums.strides;
    /* Of sums, which are packed: in each dimension so many lie behind a coordinate. */
    const uint32_t a_inner = packed[A].sums.sizes[1] > 1 ? p->m : 0;
    const uint32_t a_outer = packed[A].sums.sizes[0] > 1 ? packed[A].sums.sizes[1] * p->m : 0;
    const uint32_t count = vkdml_integer_column_count(p);
    const uint32_t b_inner = packed[B].sums.sizes[1] > 1 ? count : 0;
    const uint32_t b_outer = packed[B].sums.sizes[0] > 1 ? packed[B].sums.sizes[1] * count : 0;
    uint32_t b_first = of_b[0] * box->origin[OUTER] + of_b[1] * box->origin[INNER];
    uint32_t b_sums = packed[B].sums_first + b_outer * box->origin[OUTER] + b_inner * box->origin[INNER];
    uint32_t stride = 1;
    for (uint32_t d = p->column_rank; d-- > 0;) {
        b_first += p->columns[d].step * words * box->origin[COLUMNS + d];
        b_sums += stride * box->origin[COLUMNS + d];
        stride *= p->columns[d].size;
    }
    parameters->row_step = p->a.row_step * words;
    parameters->firsts[0] =
        of_a[0] * box->origin[OUTER] + of_a[1] * box->origin[INNER] + parameters->row_step * box->origin[M];
    parameters->firsts[1] = b_first;
    parameters->sums[0] =
        packed[A].sums_first + a_outer * box->origin[OUTER] + a_inner * box->origin[INNER] + box->origin[M];
    parameters->sums[1] = b_sums;
    parameters->sums[2] = a_outer;
    parameters->sums[3] = a_inner;
    const uint32_t batches[] = {of_a[0], of_b[0], p->out_strides[OUTER], b_outer,
                                of_a[1], of_b[1], p->out_strides[INNER], b_inner};
    memcpy(parameters->batches, batches, sizeof(batches));
}

static void fill_parameters(const struct vkdml_integer_product *p, const struct vkdml_integer_packed *packed,
                            const struct vkdml_box *box, struct vkdml_integer_product_parameters *parameters) {
    const uint32_t words = vkdml_integer_line_words(&p->a.lines);
    const struct vkdml_divisor tap = vkdml_divisor(words), row = vkdml_divisor(p->taps);
    const uint32_t taps[] = {words, tap.multiplier, tap.shifts, p->tap_step * words};
    const uint32_t rows[] = {p->taps, row.multiplier, row.shifts, p->tap_row_step * words};
    memset(parameters, 0, sizeof(*parameters));
    parameters->m = box->size[M];
    parameters->word_count = words_of_sum(p);
    parameters->depth = p->a.lines.count * p->taps * p->tap_rows;
    parameters->inner_batches = box->size[INNER];
    parameters->out_step = p->out_strides[M];
    parameters->firsts[2] = vkdml_integer_out_window(p, box).lead;
    memcpy(parameters->taps, taps, sizeof(taps));
    memcpy(parameters->tap_rows, rows, sizeof(rows));
    fill_operands(p, packed, box, parameters);
}

VkdmlResult vkdml_integer_fill_step(const struct vkdml_integer_product *product,
                                    const struct vkdml_integer_packed *packed, const struct vkdml_integer_terms *terms,
                                    const struct vkdml_box *box, struct vkdml_builder *builder,
                                    struct vkdml_plan_step *step) {
    const struct vkdml_integer_product *p = product;
    const struct vkdml_plan_limits *limits = builder->limits;
    struct vkdml_integer_product_parameters parameters;
    struct column columns[RANK];
    const uint32_t rank = find_columns(p, box, limits, columns);
    fill_parameters(p, packed, box, &parameters);
    fill_columns(columns, rank, &parameters);
    fill_terms(p, terms, box, &parameters);
    parameters.n = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        parameters.n *= columns[d].size;
    }
    const uint32_t sizes[] = {parameters.m, parameters.n};
    const struct tile *tile = choose_tile(p, sizes, (uint64_t)box->size[OUTER] * box->size[INNER], limits);
    const bool thin = is_thin(p, parameters.m, limits);
    const struct tile of_rows = {tile->kernel, parameters.m, 4, parameters.m, 1, 4, 0};
    tile = thin ? &of_rows : tile;
    const uint32_t local_size = thin ? THIN_LOCAL_SIZE : local_size_of(tile, limits);
    if (thin) {
        vkdml_note_step(builder->report,
                        "few rows: bound by reading b, whose lines the invocations of a workgroup share");
    } else {
        note_tile(tile, limits, builder->report);
    }
    parameters.tiles_m = (uint32_t)vkdml_divide_up(parameters.m, tile->m);
    parameters.tiles_n = (uint32_t)vkdml_divide_up(parameters.n, tile->n);
    uint64_t groups = (uint64_t)parameters.tiles_m * parameters.tiles_n * box->size[OUTER] * box->size[INNER];
    if (tile == &alone) {
        parameters.unit_count = (uint32_t)groups; /* no more than the output has elements */
        groups = vkdml_divide_up(groups, local_size);
    }
    parameters.group_count = (uint32_t)groups;
    step->kernel = tile->kernel;
    step->float_controls = limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_LOCAL_SIZE, local_size);
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_TYPE_OUT, (uint32_t)p->out.type);
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_SHAPE,
                        shape_of(p, tile) | (thin ? VKDML_INTEGER_PRODUCT_IS_THIN : 0) |
                            rank << VKDML_INTEGER_PRODUCT_PIXEL_RANK_SHIFT |
                            (has_vectors(p, box, columns, rank, limits) ? VKDML_INTEGER_PRODUCT_OUT_IS_VECTOR : 0));
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_TILE_M, tile->m);
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_TILE_N, tile->n);
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_ROWS, tile->rows);
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_COLUMNS, tile->columns);
    vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    if (tile->kernel == VKDML_KERNEL_INTEGER_PRODUCT_MATRIX) {
        const struct vkdml_matrix_cores *cores = &limits->byte_cores;
        vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_FRAGMENT, cores->m | cores->n << 8 | cores->k << 16);
        vkdml_step_constant(step, VKDML_INTEGER_PRODUCT_CONSTANT_TILE_K, tile->k);
    }
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    const struct vkdml_window window = vkdml_integer_out_window(p, box);
    step->buffers[0] = vkdml_origin_buffer(&packed[A].at, 0, 4 * (uint64_t)packed[A].word_count);
    step->buffers[1] = vkdml_origin_buffer(&p->out, window.offset, window.size);
    step->buffers[2] = vkdml_origin_buffer(&packed[B].at, 0, 4 * (uint64_t)packed[B].word_count);
    step->buffers[3] = vkdml_origin_buffer(&terms->at, 0, 4 * (uint64_t)terms->word_count);
    step->buffer_count = terms->word_count != 0 ? 4 : 3;
    return vkdml_grid(groups, limits, builder->report, step->groups);
}
