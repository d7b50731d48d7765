#include "frames/product/product_step.h"

#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "frames/product/pixels.h"
#include "kernels/blocks.h"
#include "plan/step.h"
#include "tensor/tensor.h"

enum { OUTER = VKDML_PRODUCT_OUTER, INNER, M, N, K, RANK };
enum { A = VKDML_PRODUCT_A, B, C, OUT, OPERAND, TENSORS };

/* Sums of a workgroup, and of an invocation or a subgroup. */
struct tile {
    enum vkdml_kernel kernel;
    uint32_t m;
    uint32_t n;
    uint32_t k;         /* steps that are in shared memory at once */
    uint32_t rows;      /* of PRODUCT an invocation's, of PRODUCT_MATRIX a subgroup's */
    uint32_t columns;   /* .. */
    uint32_t stages;    /* so many times k, one of which is filled while another is used */
    uint32_t speed;     /* TFLOPS of an H200 whose processors are all busy */
    uint32_t gathering; /* .. where b is gathered */
};

#define PLAIN(m, n, k, rows, columns, stages, speed, gathering)                                                        \
    { VKDML_KERNEL_PRODUCT, m, n, k, rows, columns, stages, speed, gathering }
#define MATRIX(m, n, k, rows, columns, speed, gathering)                                                               \
    { VKDML_KERNEL_PRODUCT_MATRIX, m, n, k, rows, columns, 1, speed, gathering }

/* Every device has 16 KiB of shared memory. Speeds are of 4096 x 4096 x 4096, of the small tiles 1024, and of a
 * ResNet's convolutions. */
static const struct tile tiles[] = {PLAIN(128, 128, 16, 8, 8, 2, 41, 30), PLAIN(128, 128, 8, 8, 8, 1, 38, 28),
                                    PLAIN(64, 64, 16, 8, 4, 1, 33, 33), PLAIN(32, 32, 16, 4, 4, 1, 15, 15)};
static const struct tile matrix_tiles[] = {MATRIX(128, 256, 32, 64, 64, 300, 85), MATRIX(128, 128, 32, 64, 64, 290, 70),
                                           MATRIX(64, 128, 32, 32, 32, 83, 68), MATRIX(64, 64, 64, 32, 32, 120, 43),
                                           MATRIX(32, 32, 64, 16, 16, 60, 30)};

/* Of general plans. Where a device does not allow them its choice among the others is kept. */
#define GENERAL_TILE        2
#define GENERAL_MATRIX_TILE 3

struct tiles {
    const struct tile *items;
    uint32_t count;
};

/* Of an invocation that goes alone, on processors. */
static const struct tile alone = PLAIN(8, 8, 16, 8, 8, 1, 0, 0);
#define SERIAL_LOCAL_SIZE 8

/* Of four columns, of sums that are joined. */
static const struct tile joint = PLAIN(1, 4, 16, 4, 4, 1, 0, 0);
#define JOINT_LOCAL_SIZE 64

/* Of few columns, for which k is among a workgroup's invocations. */
#define MOST_THIN_COLUMNS 4
#define LEAST_THIN_STEPS  64
#define THIN_ROWS         32
#define THIN_LOCAL_SIZE   256

/* Workgroups that a large GPU runs side by side, one a processor: an H200 132. Where they are fewer k has shares, so
 * that there are so many: of at least so many steps each, of at most so many, so that loops stay below what lavapipe
 * ends silently. */
#define PROCESSORS    132
#define ENOUGH_GROUPS 128
#define WANTED_GROUPS 256
#define LEAST_SHARE   256
#define MOST_SHARE    16384

/* What matrix cores do not pay for: they make whole fragments. */
#define LEAST_MATRIX_SIZE 16

static uint32_t local_size_of(const struct tile *tile, const struct vkdml_plan_limits *limits) {
    const uint32_t parts = tile->m / tile->rows * (tile->n / tile->columns);
    return tile->kernel == VKDML_KERNEL_PRODUCT_MATRIX ? parts * limits->matrix_cores.subgroup_size : parts;
}

static uint32_t shared_bytes(const struct tile *tile) {
    return 4 * tile->stages * tile->k * (tile->m + 4 + tile->n + 4);
}

/* Mirrors product_matrix.comp. Lines of operands lie along k or across it, whichever takes more. */
static uint32_t matrix_shared_bytes(const struct tile *tile, const struct vkdml_matrix_cores *cores) {
    const uint32_t along_k = (tile->m + tile->n) * (tile->k / 8 + 1);
    const uint32_t across_k = tile->k * (tile->m / 8 + 1 + tile->n / 8 + 1);
    const uint32_t operands = along_k > across_k ? along_k : across_k;
    const uint32_t sums = tile->m / tile->rows * cores->m * (tile->n / 4 + 1);
    const uint32_t taps = 10 * tile->k; /* words */
    return 16 * (operands > sums ? operands : sums) + 4 * taps;
}

/* Whether fragments make up a subgroup's part, and invocations load equally much. */
static bool fits_cores(const struct tile *tile, const struct vkdml_plan_limits *limits) {
    const struct vkdml_matrix_cores *cores = &limits->matrix_cores;
    const uint32_t loads = 8 * local_size_of(tile, limits);
    return tile->rows % cores->m == 0 && tile->columns % cores->n == 0 && tile->k % cores->k == 0 &&
           tile->m * tile->k % loads == 0 && tile->n * tile->k % loads == 0 &&
           matrix_shared_bytes(tile, cores) <= limits->max_shared_memory_bytes;
}

static bool is_allowed(const struct tile *tile, const struct vkdml_plan_limits *limits) {
    const uint32_t size = local_size_of(tile, limits);
    const bool fits = tile->kernel == VKDML_KERNEL_PRODUCT_MATRIX
                          ? fits_cores(tile, limits)
                          : shared_bytes(tile) <= limits->max_shared_memory_bytes;
    return fits && vkdml_local_size(limits, size) == size;
}

static uint64_t count_tiles(const struct tile *tile, const uint32_t *sizes) {
    return vkdml_divide_up(sizes[M], tile->m) * vkdml_divide_up(sizes[N], tile->n) * sizes[OUTER] * sizes[INNER];
}

static uint64_t count_shares(uint64_t groups, uint32_t k) {
    const uint64_t wanted = groups < ENOUGH_GROUPS ? WANTED_GROUPS / groups : 1;
    const uint64_t most = k / LEAST_SHARE;
    return wanted < most ? wanted : most > 1 ? most : 1;
}

/* Seconds that an H200 takes: workgroups come in rounds, of which a tile's speed says how long each is; joining shares
 * is a dispatch more, that reads as many sums of each element, and as many were written. */
static double estimate(const struct tile *tile, const struct vkdml_product *product, const uint32_t *sizes) {
    const double speed = product->gather.rank > 0 ? tile->gathering : tile->speed;
    const uint64_t groups = count_tiles(tile, sizes);
    const uint64_t shares = count_shares(groups, sizes[K]);
    const double rounds = (double)vkdml_divide_up(groups * shares, PROCESSORS) / (double)shares;
    const double sums = (double)sizes[M] * sizes[N] * sizes[INNER] * sizes[OUTER] * (double)shares;
    const double joining = shares > 1 ? 4e-6 + 8 * sums / 4e12 : 0;
    return rounds * tile->m * tile->n * 2 * sizes[K] / (speed * 1e12 / PROCESSORS) + joining;
}

/* The one that is done first. NULL: none is allowed. */
static const struct tile *choose_of(const struct tiles *family, const struct vkdml_product *product,
                                    const uint32_t *sizes, const struct vkdml_plan_limits *limits) {
    const struct tile *chosen = NULL;
    double least = 0;
    for (uint32_t i = 0; i < family->count; ++i) {
        const struct tile *tile = &family->items[i];
        const double time = estimate(tile, product, sizes);
        if (is_allowed(tile, limits) && (chosen == NULL || time < least)) {
            chosen = tile;
            least = time;
        }
    }
    return chosen;
}

/* Matrix cores need FLOAT16 whose denormals stay, of operands or allowed for them. */
static bool suits_cores(const struct vkdml_product *product, const uint32_t *sizes,
                        const struct vkdml_plan_limits *limits) {
    const bool are_halves = product->tensors[A].at.type == DML_TENSOR_DATA_TYPE_FLOAT16 || limits->half_allowed;
    return limits->matrix_cores.subgroup_size != 0 && (limits->float_controls & VKDML_FLOAT_CONTROLS_16) != 0 &&
           are_halves && sizes[M] >= LEAST_MATRIX_SIZE && sizes[N] >= LEAST_MATRIX_SIZE &&
           sizes[K] >= LEAST_MATRIX_SIZE;
}

bool vkdml_product_is_thin(const struct vkdml_product *product, const uint32_t *sizes) {
    return product->gather.rank == 0 && sizes[N] <= MOST_THIN_COLUMNS && sizes[K] >= LEAST_THIN_STEPS;
}

/* ---- a step ---- */

static bool exists(const struct vkdml_product *p, uint32_t t) {
    return p->tensors[t].at.type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

struct vkdml_span vkdml_product_span(const struct vkdml_product *product, uint32_t t, const struct vkdml_box *box) {
    struct vkdml_span span = {0, 1};
    if (t == B && product->gather.rank > 0) {
        span = vkdml_product_gathered_span(product, box);
    } else if (t >= OUT && product->scatter.rank > 0) {
        span = vkdml_product_scattered_span(product, t, box);
    }
    span.first += product->tensors[t].at.first;
    for (uint32_t d = 0; d < RANK; ++d) {
        const uint64_t stride = product->tensors[t].strides[d];
        span.first += box->origin[d] * stride;
        span.count += (box->size[d] - 1) * stride;
    }
    return span;
}

static struct vkdml_window window_of(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t) {
    struct vkdml_span span = vkdml_product_span(p, t, &part->box);
    span.count += t == OUT ? (uint64_t)(part->share_count - 1) * part->out_share : 0;
    return vkdml_window_of(span, vkdml_data_type_bits(p->tensors[t].at.type));
}

/* Whether so many elements side by side along dimension d, from a multiple of that on, are bytes that begin at a
 * multiple of their number, 8 or 16, and there is never a part of them. */
static bool has_runs(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t, uint32_t d,
                     uint32_t elements, const struct vkdml_plan_limits *limits) {
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    const struct vkdml_window window = window_of(p, part, t);
    const uint32_t bytes = vkdml_data_type_size(tensor->at.type);
    bool aligned = tensor->strides[d] == 1 && part->box.size[d] % elements == 0 &&
                   vkdml_place_modulo_16(limits, tensor->at.offset + window.offset, (uint64_t)window.lead * bytes) %
                           (elements * bytes) ==
                       0;
    for (uint32_t other = 0; other < RANK; ++other) {
        aligned = aligned && (other == d || part->box.size[other] == 1 || tensor->strides[other] % elements == 0);
    }
    return aligned;
}

static bool has_vectors(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t, uint32_t d,
                        const struct vkdml_plan_limits *limits) {
    return has_runs(p, part, t, d, 4, limits);
}

/* The same of b that is gathered and of an output that pixels scatter, of whose fours the pixels approve. */
static bool has_aligned_fours(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t,
                              uint32_t d, const struct vkdml_plan_limits *limits) {
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    const uint32_t bytes = vkdml_data_type_size(tensor->at.type);
    const struct vkdml_window window = window_of(p, part, t);
    const uint32_t begin = vkdml_place_modulo_16(limits, tensor->at.offset + window.offset, 0);
    bool aligned = (begin + 16 - (uint32_t)(window.offset % 16)) % (4 * bytes) == 0 && tensor->at.first % 4 == 0 &&
                   part->box.origin[d] % 4 == 0 && part->box.size[d] % 4 == 0;
    for (uint32_t other = 0; other < RANK; ++other) {
        aligned = aligned && (p->sizes[other] == 1 || tensor->strides[other] % 4 == 0);
    }
    return aligned;
}

static uint32_t layout_of_gather(const struct vkdml_product *p, const struct vkdml_product_part *part,
                                 const struct vkdml_plan_limits *limits) {
    if (vkdml_product_gathers_fours(p, K) && has_aligned_fours(p, part, B, K, limits)) {
        return VKDML_PRODUCT_VECTORS;
    }
    const bool has_fours = vkdml_product_gathers_fours(p, N) && has_aligned_fours(p, part, B, N, limits);
    return VKDML_PRODUCT_ALONG_ROWS | (has_fours ? VKDML_PRODUCT_VECTORS : 0);
}

/* Along what lies side by side. */
static uint32_t layout_of(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t,
                          uint32_t rows, const struct vkdml_plan_limits *limits) {
    if (t == B && p->gather.rank > 0) {
        return layout_of_gather(p, part, limits);
    }
    const uint32_t *strides = p->tensors[t].strides;
    if (has_vectors(p, part, t, K, limits)) {
        return VKDML_PRODUCT_VECTORS;
    }
    if (has_vectors(p, part, t, rows, limits)) {
        return VKDML_PRODUCT_VECTORS | VKDML_PRODUCT_ALONG_ROWS;
    }
    return strides[K] <= strides[rows] && part->box.size[K] > 1 ? 0 : VKDML_PRODUCT_ALONG_ROWS;
}

/* Whether an operand of that layout is loaded eight FLOAT16 at a time. */
static bool has_eights(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t, uint32_t rows,
                       uint32_t layout, const struct vkdml_plan_limits *limits) {
    return p->tensors[t].at.type == DML_TENSOR_DATA_TYPE_FLOAT16 && (t != B || p->gather.rank == 0) &&
           has_runs(p, part, t, (layout & VKDML_PRODUCT_ALONG_ROWS) != 0 ? rows : K, 8, limits);
}

/* Whether four of a row of the output, or of a tail's operand, are one store or load. */
static bool has_scattered_vectors(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t,
                                  const struct vkdml_plan_limits *limits) {
    return p->scatter.rank == 0 ? has_vectors(p, part, t, N, limits)
                                : vkdml_product_scatters_fours(p, t) && has_aligned_fours(p, part, t, N, limits);
}

static bool has_vectors_out(const struct vkdml_product *p, const struct vkdml_product_part *part,
                            const struct vkdml_plan_limits *limits) {
    const bool is_whole = part->share_count == 1 || part->out_share % 4 == 0;
    return is_whole && has_scattered_vectors(p, part, OUT, limits);
}

static const struct tile *choose_tile(const struct vkdml_product *product, const struct vkdml_product_part *part,
                                      const struct vkdml_plan_limits *limits) {
    static const struct tiles plain = {tiles, sizeof(tiles) / sizeof(tiles[0])};
    static const struct tiles of_cores = {matrix_tiles, sizeof(matrix_tiles) / sizeof(matrix_tiles[0])};
    const uint32_t *sizes = part->box.size;
    const struct tile *tile = suits_cores(product, sizes, limits) ? choose_of(&of_cores, product, sizes, limits) : NULL;
    tile = tile != NULL ? tile : choose_of(&plain, product, sizes, limits);
    const struct tile *general = tile->kernel == VKDML_KERNEL_PRODUCT_MATRIX ? &matrix_tiles[GENERAL_MATRIX_TILE]
                                                                             : &tiles[GENERAL_TILE];
    return limits->general && is_allowed(general, limits) ? general : tile;
}

/* How a part is computed. General plans compute it by the same kernel in the same order, but by tiles of one size. */
struct way {
    struct tile tile;
    uint32_t local_size;
    uint32_t bits; /* of SHAPE */
};

static struct way choose_way(const struct vkdml_product *p, const struct vkdml_product_part *part,
                             const struct vkdml_plan_limits *limits) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t columns = limits->general ? MOST_THIN_COLUMNS : part->box.size[N];
    const bool thin = vkdml_product_is_thin(p, part->box.size);
    if (part->joins) {
        return (struct way){joint, vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : JOINT_LOCAL_SIZE),
                            VKDML_PRODUCT_JOINS};
    }
    if (thin && serial) {
        return (struct way){PLAIN(4, MOST_THIN_COLUMNS, 4, 4, columns, 1, 0, 0),
                            vkdml_local_size(limits, SERIAL_LOCAL_SIZE),
                            VKDML_PRODUCT_IS_THIN | VKDML_PRODUCT_IS_SERIAL};
    }
    if (thin) {
        const uint32_t size = vkdml_local_size(limits, THIN_LOCAL_SIZE);
        const uint32_t lanes = size / (THIN_ROWS / 4);
        return (struct way){PLAIN(THIN_ROWS, MOST_THIN_COLUMNS, 4 * lanes, 4, columns, 1, 0, 0), size,
                            VKDML_PRODUCT_IS_THIN};
    }
    if (serial) {
        return (struct way){alone, vkdml_local_size(limits, SERIAL_LOCAL_SIZE), VKDML_PRODUCT_IS_SERIAL};
    }
    const struct tile *tile = choose_tile(p, part, limits);
    return (struct way){*tile, local_size_of(tile, limits), tile->stages > 1 ? VKDML_PRODUCT_TWO_STAGES : 0};
}

/* Of sums whose order it does not change: the same where there is one row, or one step. */
static uint32_t general_layout(const struct vkdml_product *p, uint32_t t, uint32_t rows) {
    return p->tensors[t].strides[K] <= p->tensors[t].strides[rows] ? 0 : VKDML_PRODUCT_ALONG_ROWS;
}

/* No vectors. The order of a thin product's sums hangs on a's layout. */
static uint32_t general_layouts(const struct vkdml_product *p, const struct vkdml_product_part *part,
                                const struct vkdml_plan_limits *limits) {
    if (part->joins) {
        return 0;
    }
    const bool is_thin = vkdml_product_is_thin(p, part->box.size);
    const uint32_t of_a =
        is_thin ? layout_of(p, part, A, M, limits) & VKDML_PRODUCT_ALONG_ROWS : general_layout(p, A, M);
    const uint32_t of_b = is_thin              ? 0
                          : p->gather.rank > 0 ? VKDML_PRODUCT_ALONG_ROWS
                                               : general_layout(p, B, N);
    return of_a | of_b << VKDML_PRODUCT_LAYOUT_B_SHIFT;
}

static uint32_t shape_of(const struct vkdml_product *p, const struct vkdml_product_part *part, const struct tile *tile,
                         const struct vkdml_plan_limits *limits) {
    uint32_t shape = (part->to_sums ? VKDML_PRODUCT_TO_SUMS : 0) | (part->accumulates ? VKDML_PRODUCT_ACCUMULATES : 0);
    if (limits->general) {
        return shape | general_layouts(p, part, limits) | (exists(p, C) ? VKDML_PRODUCT_HAS_C : 0);
    }
    if (part->joins) {
        shape |= has_vectors(p, part, A, N, limits) ? VKDML_PRODUCT_VECTORS : 0;
    } else {
        const uint32_t of_b = vkdml_product_is_thin(p, part->box.size)
                                  ? has_vectors(p, part, B, K, limits) ? VKDML_PRODUCT_VECTORS : 0
                                  : layout_of(p, part, B, N, limits);
        const uint32_t of_a = layout_of(p, part, A, M, limits);
        shape |= of_a | of_b << VKDML_PRODUCT_LAYOUT_B_SHIFT;
        if (tile->kernel == VKDML_KERNEL_PRODUCT_MATRIX) {
            shape |= has_eights(p, part, A, M, of_a, limits) ? VKDML_PRODUCT_A_IN_EIGHTS : 0;
            shape |= has_eights(p, part, B, N, of_b, limits) ? VKDML_PRODUCT_B_IN_EIGHTS : 0;
        }
    }
    if (exists(p, C)) {
        shape |= VKDML_PRODUCT_HAS_C | (has_vectors(p, part, C, N, limits) ? VKDML_PRODUCT_C_IS_VECTOR : 0);
    }
    if (exists(p, OPERAND) && has_scattered_vectors(p, part, OPERAND, limits)) {
        shape |= VKDML_PRODUCT_OPERAND_IS_VECTOR;
    }
    return shape | (has_vectors_out(p, part, limits) ? VKDML_PRODUCT_OUT_IS_VECTOR : 0);
}

uint32_t vkdml_product_shares(const struct vkdml_product *product, const struct vkdml_plan_limits *limits) {
    const uint32_t k = product->sizes[K];
    const uint64_t needed = vkdml_divide_up(k, MOST_SHARE);
    struct vkdml_product_part whole = {.share_count = 1};
    memcpy(whole.box.size, product->sizes, sizeof(product->sizes));
    const struct way way = choose_way(product, &whole, limits);
    const uint64_t groups = count_tiles(&way.tile, product->sizes);
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint64_t shares = serial ? 1 : count_shares(groups, k);
    return (uint32_t)(shares > needed ? shares : needed);
}

bool vkdml_product_may_share(const struct vkdml_product *product, bool serial) {
    return product->sizes[K] > MOST_SHARE || (!serial && product->sizes[K] / LEAST_SHARE > 1);
}

uint32_t vkdml_product_share_step(const struct vkdml_product *product, const struct vkdml_plan_limits *limits) {
    struct vkdml_product_part whole = {.share_count = 1};
    memcpy(whole.box.size, product->sizes, sizeof(product->sizes));
    return choose_way(product, &whole, limits).tile.k;
}

/* Where a box begins in what is bound; of pixels where it did if all of them were there, modulo 2^32. */
static uint32_t first_of(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t) {
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    const uint32_t lead = window_of(p, part, t).lead;
    if ((t != B || p->gather.rank == 0) && (t < OUT || p->scatter.rank == 0)) {
        return lead;
    }
    uint32_t first = lead + (uint32_t)(tensor->at.first - vkdml_product_span(p, t, &part->box).first);
    for (uint32_t d = 0; d < RANK; ++d) {
        first += part->box.origin[d] * tensor->strides[d];
    }
    return first;
}

static void fill_parameters(const struct vkdml_product *p, const struct vkdml_product_part *part,
                            const struct tile *tile, struct vkdml_product_parameters *parameters) {
    const uint32_t *sizes = part->box.size;
    memset(parameters, 0, sizeof(*parameters));
    parameters->m = sizes[M];
    parameters->n = sizes[N];
    parameters->k = sizes[K];
    parameters->tiles_m = (uint32_t)vkdml_divide_up(sizes[M], tile->m);
    parameters->tiles_n = (uint32_t)vkdml_divide_up(sizes[N], tile->n);
    parameters->share_count = part->share_count;
    const uint32_t step = part->share_step != 0 ? part->share_step : tile->k;
    parameters->share = (uint32_t)vkdml_divide_up(vkdml_divide_up(sizes[K], part->share_count), step) * step;
    parameters->inner_batches = sizes[INNER];
    parameters->out_share = part->out_share;
    memcpy(&parameters->alpha, &p->alpha, sizeof(p->alpha));
    const struct vkdml_epilogue_step *sum = vkdml_epilogue_find(p->epilogue, VKDML_MAP_ADD);
    const float beta = sum != NULL ? sum->factor : 0;
    memcpy(&parameters->beta, &beta, sizeof(beta));
    parameters->n_first = part->box.origin[N];
    parameters->k_first = part->box.origin[K];
    parameters->k_used = p->is_empty ? 0 : sizes[K];
    for (uint32_t t = 0; t < OPERAND; ++t) {
        const uint32_t *strides = p->tensors[t].strides;
        parameters->firsts[t] = exists(p, t) ? first_of(p, part, t) : 0;
        parameters->batches[t] = strides[OUTER];
        parameters->batches[4 + t] = strides[INNER];
    }
    parameters->steps[0] = p->tensors[A].strides[M];
    parameters->steps[1] = p->tensors[A].strides[K];
    parameters->steps[2] = p->tensors[B].strides[N];
    parameters->steps[3] = p->tensors[B].strides[K];
    parameters->more_steps[0] = p->tensors[C].strides[M];
    parameters->more_steps[1] = p->tensors[C].strides[N];
    parameters->more_steps[2] = p->tensors[OUT].strides[M];
    parameters->more_steps[3] = p->tensors[OUT].strides[N];
}

/* What becomes of results. */
static void fill_endings(const struct vkdml_product *p, const struct vkdml_product_part *part,
                         struct vkdml_product_parameters *parameters) {
    const struct vkdml_ending ending = vkdml_epilogue_ending(p->tail);
    vkdml_product_function(p, parameters->arguments[2]);
    parameters->ending[1] = ending.factor;
    if (exists(p, OPERAND)) {
        const uint32_t *strides = p->tensors[OPERAND].strides;
        const uint32_t steps[] = {strides[OUTER], strides[INNER], strides[M], strides[N]};
        parameters->ending[0] = first_of(p, part, OPERAND);
        memcpy(parameters->operand_steps, steps, sizeof(steps));
    }
}

/* The size of a fragment, in the place of an operation. */
static uint32_t fragment_of(const struct vkdml_matrix_cores *cores) {
    return cores->m | cores->n << 8 | cores->k << 16;
}

static struct vkdml_plan_buffer buffer_of(const struct vkdml_product *p, const struct vkdml_product_part *part,
                                          uint32_t t) {
    const struct vkdml_window window = window_of(p, part, t);
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    return vkdml_origin_buffer(&tensor->at, window.offset, window.size);
}

static void note_cores(const struct vkdml_product *p, const struct tile *tile, const struct vkdml_plan_limits *limits,
                       struct vkdml_report *report) {
    const bool are_halves = p->tensors[A].at.type == DML_TENSOR_DATA_TYPE_FLOAT16 || limits->half_allowed;
    if (tile->kernel == VKDML_KERNEL_PRODUCT_MATRIX) {
        vkdml_note_step(report, "on matrix cores");
    } else if (!are_halves) {
        vkdml_note_step(report, "without matrix cores, which multiply FLOAT16: half precision is not allowed");
    } else if (limits->matrix_cores.subgroup_size == 0) {
        vkdml_note_step(report, "without matrix cores: the device has none, or they are not enabled");
    } else {
        vkdml_note_step(report, "without matrix cores: sizes are below %d, or FLOAT16's denormals are not kept",
                        LEAST_MATRIX_SIZE);
    }
}

static void note_way(const struct vkdml_product *p, const struct way *way, const struct vkdml_plan_limits *limits,
                     struct vkdml_report *report) {
    const struct tile *tile = &way->tile;
    if ((way->bits & VKDML_PRODUCT_JOINS) != 0) {
        vkdml_note_step(report, "joins the shares of each sum");
    } else if ((way->bits & VKDML_PRODUCT_IS_THIN) != 0) {
        vkdml_note_step(report, "few columns: bound by reading a, whose rows the invocations of a workgroup share");
    } else if ((way->bits & VKDML_PRODUCT_IS_SERIAL) != 0) {
        vkdml_note_step(report, "an invocation makes %u x %u sums alone, as suits processors", (unsigned)tile->m,
                        (unsigned)tile->n);
    } else {
        vkdml_note_step(report,
                        "tiles of %u x %u, %u steps at once: of those that the device can run the quickest by estimate",
                        (unsigned)tile->m, (unsigned)tile->n, (unsigned)tile->k);
        note_cores(p, tile, limits, report);
    }
    if (p->gather.rank > 0) {
        vkdml_note_step(report, "b is gathered: a convolution's pixels, as they lie in the input");
    }
}

static void set_constants(const struct vkdml_product *product, const struct vkdml_product_part *part,
                          const struct way *way, const struct vkdml_plan_limits *limits, struct vkdml_plan_step *step) {
    const struct tile *tile = &way->tile;
    uint32_t unused[VKDML_FUNCTION_ARGUMENTS];
    const DML_TENSOR_DATA_TYPE type_of_c =
        exists(product, C) ? product->tensors[C].at.type : DML_TENSOR_DATA_TYPE_FLOAT32;
    const DML_TENSOR_DATA_TYPE types[] = {product->tensors[A].at.type, type_of_c, product->tensors[OUT].at.type};
    const bool has_halves = types[0] == DML_TENSOR_DATA_TYPE_FLOAT16 || types[1] == DML_TENSOR_DATA_TYPE_FLOAT16 ||
                            types[2] == DML_TENSOR_DATA_TYPE_FLOAT16;
    const bool on_cores = tile->kernel != VKDML_KERNEL_PRODUCT;
    step->float_controls =
        has_halves || on_cores ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = tile->kernel;
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_LOCAL_SIZE, way->local_size);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_TYPES,
                        (uint32_t)types[0] | (uint32_t)types[1] << 4 | (uint32_t)types[2] << 8);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_SHAPE, shape_of(product, part, tile, limits) | way->bits);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_TILE_M, tile->m);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_TILE_N, tile->n);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_TILE_K, tile->k);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_ROWS, tile->rows);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_COLUMNS, tile->columns);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_OPERATION, on_cores ? fragment_of(&limits->matrix_cores) : 0);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_FUNCTION, (uint32_t)vkdml_product_function(product, unused));
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_EPILOGUE, vkdml_epilogue_ending(product->tail).constant);
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_GATHER, vkdml_product_pixel_bits(product));
    vkdml_step_constant(step, VKDML_PRODUCT_CONSTANT_FLOAT_CONTROLS, step->float_controls);
    step->buffer_count = exists(product, OPERAND) ? OPERAND + 1 : exists(product, C) ? 4 : part->joins ? 2 : 3;
}

void vkdml_product_set_kernel(const struct vkdml_product *product, const struct vkdml_product_part *part,
                              const struct vkdml_plan_limits *limits, struct vkdml_plan_step *step) {
    const struct way way = choose_way(product, part, limits);
    set_constants(product, part, &way, limits, step);
}

VkdmlResult vkdml_product_fill_step(const struct vkdml_product *product, const struct vkdml_product_part *part,
                                    const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                    struct vkdml_plan_step *step) {
    const struct way way = choose_way(product, part, limits);
    note_way(product, &way, limits, report);
    const struct tile *tile = &way.tile;
    struct vkdml_product_parameters parameters;
    fill_parameters(product, part, tile, &parameters);
    vkdml_product_fill_pixels(product, &parameters);
    uint64_t group_count = count_tiles(tile, part->box.size) * part->share_count;
    if ((way.bits & (VKDML_PRODUCT_JOINS | VKDML_PRODUCT_IS_SERIAL)) != 0) {
        if (group_count > UINT32_MAX) {
            return vkdml_grid(UINT64_MAX / 2, limits, report, step->groups); /* says why */
        }
        parameters.unit_count = (uint32_t)group_count;
        group_count = vkdml_divide_up(group_count, way.local_size);
    }
    VkdmlResult result = vkdml_grid(group_count, limits, report, step->groups);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    parameters.group_count = (uint32_t)group_count;

    set_constants(product, part, &way, limits, step);
    fill_endings(product, part, &parameters);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    step->buffers[0] = buffer_of(product, part, A);
    step->buffers[1] = buffer_of(product, part, OUT);
    step->buffers[2] = part->joins ? step->buffers[0] : buffer_of(product, part, B);
    step->buffers[3] = exists(product, C) ? buffer_of(product, part, C) : step->buffers[2];
    if (exists(product, OPERAND)) {
        step->buffers[OPERAND] = buffer_of(product, part, OPERAND);
    }
    return VKDML_SUCCESS;
}

bool vkdml_product_is_small(const uint32_t *sizes, DML_TENSOR_DATA_TYPE type, const struct vkdml_plan_limits *limits) {
    struct vkdml_product product = {.tensors = {[A] = {.at = {.type = type}}}};
    struct vkdml_product_part whole = {.share_count = 1};
    memcpy(whole.box.size, sizes, sizeof product.sizes);
    const struct way way = choose_way(&product, &whole, limits);
    return count_tiles(&way.tile, sizes) < PROCESSORS;
}

bool vkdml_product_stores_words(const struct vkdml_plan_step *step) {
    return (step->constants[VKDML_PRODUCT_CONSTANT_SHAPE] & VKDML_PRODUCT_OUT_IS_VECTOR) != 0;
}
