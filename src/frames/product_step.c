#include "frames/product_step.h"

#include <string.h>

#include "base/checked.h"
#include "frames/plan_step.h"
#include "frames/product_pixels.h"
#include "tensor/tensor.h"

enum { OUTER = VKDML_PRODUCT_OUTER, INNER, M, N, K, RANK };
enum { A = VKDML_PRODUCT_A, B, C, OUT, TENSORS };

/* What SHAPE of product.glsl, constant 2, says. */
#define SHAPE         2
#define ALONG_ROWS    1u /* of a; of b shifted by LAYOUT_B */
#define VECTORS       2u
#define LAYOUT_B      2
#define HAS_C         16u
#define C_IS_VECTOR   32u
#define OUT_IS_VECTOR 64u
#define TO_SUMS       128u
#define ACCUMULATES   256u
#define JOINS         512u
#define IS_SERIAL     1024u
#define TWO_STAGES    2048u
#define IS_THIN       16384u

/* Mirrors product.glsl's block. */
struct product_parameters {
    uint32_t group_count;
    uint32_t unit_count;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t tiles_m;
    uint32_t tiles_n;
    uint32_t share_count;
    uint32_t share;
    uint32_t inner_batches;
    uint32_t out_share;
    uint32_t alpha;
    uint32_t beta;
    uint32_t n_first;
    uint32_t k_first;
    uint32_t k_used;
    uint32_t firsts[TENSORS];
    uint32_t steps[4];
    uint32_t more_steps[4];
    uint32_t batches[2][TENSORS];
    uint32_t arguments[3][4];
    struct vkdml_product_pixels pixels;
};
_Static_assert(sizeof(struct product_parameters) <= 4 * VKDML_PLAN_MAX_PARAMETERS, "the parameters fit a plan's");

/* Sums of a workgroup and of an invocation. */
struct tile {
    uint32_t m;
    uint32_t n;
    uint32_t k; /* steps that are in shared memory at once */
    uint32_t rows;
    uint32_t columns;
    uint32_t stages; /* so many times that, one of which is filled while another is used */
};

/* The largest first. Every device has 16 KiB of shared memory. */
static const struct tile tiles[] = {{128, 128, 16, 8, 8, 2}, {128, 128, 8, 8, 8, 1}, {64, 64, 16, 4, 4, 2},
                                    {64, 64, 16, 4, 4, 1},   {64, 64, 16, 8, 4, 1},  {32, 32, 16, 4, 4, 1}};
#define TILE_COUNT (sizeof(tiles) / sizeof(tiles[0]))

/* Of an invocation that goes alone, on processors. */
static const struct tile alone = {8, 8, 16, 8, 8, 1};
#define SERIAL_LOCAL_SIZE 8

/* Of four columns, of sums that are joined. */
static const struct tile joint = {1, 4, 16, 4, 4, 1};
#define JOINT_LOCAL_SIZE 64

/* Of few columns, for which k is among a workgroup's invocations. */
#define MOST_THIN_COLUMNS 4
#define LEAST_THIN_STEPS  64
#define THIN_ROWS         32
#define THIN_LOCAL_SIZE   256

/* Workgroups that keep the largest GPUs busy, and how many there are to be where k has shares: of at least so many
 * steps each, of at most so many, so that loops stay below what lavapipe ends silently. */
#define ENOUGH_GROUPS 128
#define WANTED_GROUPS 256
#define LEAST_SHARE   256
#define MOST_SHARE    16384

static uint32_t local_size_of(const struct tile *tile) {
    return tile->m / tile->rows * (tile->n / tile->columns);
}

static uint32_t shared_bytes(const struct tile *tile) {
    return 4 * tile->stages * tile->k * (tile->m + 4 + tile->n + 4);
}

static bool is_allowed(const struct tile *tile, const struct vkdml_plan_limits *limits) {
    const uint32_t size = local_size_of(tile);
    return vkdml_local_size(limits, size) == size && shared_bytes(tile) <= limits->max_shared_memory_bytes;
}

static uint64_t count_tiles(const struct tile *tile, const uint32_t *sizes) {
    return vkdml_divide_up(sizes[M], tile->m) * vkdml_divide_up(sizes[N], tile->n) * sizes[OUTER] * sizes[INNER];
}

/* The largest of which there are enough and that have little beyond the output's ends; else the smallest for what fits
 * it, and the one before. */
static const struct tile *choose_tile(const uint32_t *sizes, const struct vkdml_plan_limits *limits) {
    const struct tile *smallest = &tiles[TILE_COUNT - 1];
    const struct tile *chosen = smallest;
    for (uint32_t i = TILE_COUNT - 1; i-- > 0;) {
        const struct tile *tile = &tiles[i];
        const uint64_t area = count_tiles(tile, sizes) * tile->m * tile->n;
        const uint64_t least = count_tiles(smallest, sizes) * smallest->m * smallest->n;
        const bool is_large = sizes[M] > smallest->m && sizes[N] > smallest->n;
        const bool are_many =
            count_tiles(tile, sizes) >= ENOUGH_GROUPS || (tile->m == 64 && is_large && sizes[K] >= 2 * LEAST_SHARE);
        if (is_allowed(tile, limits) && are_many && 4 * area <= 5 * least) {
            chosen = tile;
        }
    }
    return chosen;
}

bool vkdml_product_is_thin(const struct vkdml_product *product, const uint32_t *sizes) {
    return product->gather.rank == 0 && sizes[N] <= MOST_THIN_COLUMNS && sizes[K] >= LEAST_THIN_STEPS;
}

/* How a part is computed. */
struct way {
    struct tile tile;
    uint32_t local_size;
    uint32_t bits; /* of SHAPE */
};

static struct way choose_way(const struct vkdml_product *p, const struct vkdml_product_part *part,
                             const struct vkdml_plan_limits *limits) {
    const bool serial = limits->variant == VKDML_KERNEL_VARIANT_SERIAL;
    const uint32_t columns = part->box.size[N];
    const bool thin = vkdml_product_is_thin(p, part->box.size);
    if (part->joins) {
        return (struct way){joint, vkdml_local_size(limits, serial ? SERIAL_LOCAL_SIZE : JOINT_LOCAL_SIZE), JOINS};
    }
    if (thin && serial) {
        return (struct way){
            {4, MOST_THIN_COLUMNS, 4, 4, columns, 1}, vkdml_local_size(limits, SERIAL_LOCAL_SIZE), IS_THIN | IS_SERIAL};
    }
    if (thin) {
        const uint32_t size = vkdml_local_size(limits, THIN_LOCAL_SIZE);
        const uint32_t lanes = size / (THIN_ROWS / 4);
        return (struct way){{THIN_ROWS, MOST_THIN_COLUMNS, 4 * lanes, 4, columns, 1}, size, IS_THIN};
    }
    if (serial) {
        return (struct way){alone, vkdml_local_size(limits, SERIAL_LOCAL_SIZE), IS_SERIAL};
    }
    const struct tile *tile = choose_tile(part->box.size, limits);
    return (struct way){*tile, local_size_of(tile), tile->stages > 1 ? TWO_STAGES : 0};
}

uint32_t vkdml_product_shares(const struct vkdml_product *product, const struct vkdml_plan_limits *limits) {
    const uint32_t k = product->sizes[K];
    const uint64_t needed = vkdml_divide_up(k, MOST_SHARE);
    struct vkdml_product_part whole = {.share_count = 1};
    memcpy(whole.box.size, product->sizes, sizeof(product->sizes));
    const struct way way = choose_way(product, &whole, limits);
    const uint64_t groups = count_tiles(&way.tile, product->sizes);
    uint64_t shares = 1;
    if (limits->variant != VKDML_KERNEL_VARIANT_SERIAL && groups < ENOUGH_GROUPS) {
        shares = WANTED_GROUPS / groups;
        shares = shares < k / LEAST_SHARE ? shares : k / LEAST_SHARE;
    }
    return (uint32_t)(shares > needed ? shares : needed);
}

/* ---- a step ---- */

static bool exists(const struct vkdml_product *p, uint32_t t) {
    return p->tensors[t].type != DML_TENSOR_DATA_TYPE_UNKNOWN;
}

static struct vkdml_window window_of(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t) {
    struct vkdml_span span = vkdml_product_span(p, t, &part->box);
    span.count += t == OUT ? (uint64_t)(part->share_count - 1) * part->out_share : 0;
    return vkdml_window_of(span, vkdml_data_type_bits(p->tensors[t].type));
}

/* Whether four elements side by side along dimension d, from a multiple of four on, are 16 bytes, or 8, that begin at a
 * multiple of that, and there is never a part of them. */
static bool has_vectors(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t, uint32_t d,
                        const struct vkdml_plan_limits *limits) {
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    const struct vkdml_window window = window_of(p, part, t);
    const uint32_t bytes = vkdml_data_type_size(tensor->type);
    bool aligned =
        tensor->strides[d] == 1 && part->box.size[d] % 4 == 0 &&
        vkdml_place_modulo_16(limits, tensor->offset + window.offset, (uint64_t)window.lead * bytes) % (4 * bytes) == 0;
    for (uint32_t other = 0; other < RANK; ++other) {
        aligned = aligned && (other == d || part->box.size[other] == 1 || tensor->strides[other] % 4 == 0);
    }
    return aligned;
}

/* The same of b that is gathered and of an output that pixels scatter, of whose fours the pixels approve. */
static bool has_aligned_fours(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t,
                              uint32_t d, const struct vkdml_plan_limits *limits) {
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    const uint32_t bytes = vkdml_data_type_size(tensor->type);
    const struct vkdml_window window = window_of(p, part, t);
    const uint32_t begin = vkdml_place_modulo_16(limits, tensor->offset + window.offset, 0);
    bool aligned = (begin + 16 - (uint32_t)(window.offset % 16)) % (4 * bytes) == 0 && tensor->first % 4 == 0 &&
                   part->box.origin[d] % 4 == 0 && part->box.size[d] % 4 == 0;
    for (uint32_t other = 0; other < RANK; ++other) {
        aligned = aligned && (p->sizes[other] == 1 || tensor->strides[other] % 4 == 0);
    }
    return aligned;
}

static uint32_t layout_of_gather(const struct vkdml_product *p, const struct vkdml_product_part *part,
                                 const struct vkdml_plan_limits *limits) {
    if (vkdml_product_gathers_fours(p, K) && has_aligned_fours(p, part, B, K, limits)) {
        return VECTORS;
    }
    const bool has_fours = vkdml_product_gathers_fours(p, N) && has_aligned_fours(p, part, B, N, limits);
    return ALONG_ROWS | (has_fours ? VECTORS : 0);
}

/* Along what lies side by side. */
static uint32_t layout_of(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t,
                          uint32_t rows, const struct vkdml_plan_limits *limits) {
    if (t == B && p->gather.rank > 0) {
        return layout_of_gather(p, part, limits);
    }
    const uint32_t *strides = p->tensors[t].strides;
    if (has_vectors(p, part, t, K, limits)) {
        return VECTORS;
    }
    if (has_vectors(p, part, t, rows, limits)) {
        return VECTORS | ALONG_ROWS;
    }
    return strides[K] <= strides[rows] && part->box.size[K] > 1 ? 0 : ALONG_ROWS;
}

static uint32_t shape_of(const struct vkdml_product *p, const struct vkdml_product_part *part,
                         const struct vkdml_plan_limits *limits) {
    uint32_t shape = (part->to_sums ? TO_SUMS : 0) | (part->accumulates ? ACCUMULATES : 0);
    if (part->joins) {
        shape |= has_vectors(p, part, A, N, limits) ? VECTORS : 0;
    } else {
        const uint32_t of_b = vkdml_product_is_thin(p, part->box.size)
                                  ? has_vectors(p, part, B, K, limits) ? VECTORS : 0
                                  : layout_of(p, part, B, N, limits);
        shape |= layout_of(p, part, A, M, limits) | of_b << LAYOUT_B;
    }
    if (exists(p, C)) {
        shape |= HAS_C | (has_vectors(p, part, C, N, limits) ? C_IS_VECTOR : 0);
    }
    const bool is_whole = part->share_count == 1 || part->out_share % 4 == 0;
    const bool has_fours = p->scatter.rank == 0
                               ? has_vectors(p, part, OUT, N, limits)
                               : vkdml_product_scatters_fours(p) && has_aligned_fours(p, part, OUT, N, limits);
    return shape | (is_whole && has_fours ? OUT_IS_VECTOR : 0);
}

/* Where a box begins in what is bound; of pixels where it did if all of them were there, modulo 2^32. */
static uint32_t first_of(const struct vkdml_product *p, const struct vkdml_product_part *part, uint32_t t) {
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    const uint32_t lead = window_of(p, part, t).lead;
    if ((t != B || p->gather.rank == 0) && (t != OUT || p->scatter.rank == 0)) {
        return lead;
    }
    uint32_t first = lead + tensor->first - (uint32_t)vkdml_product_span(p, t, &part->box).first;
    for (uint32_t d = 0; d < RANK; ++d) {
        first += part->box.origin[d] * tensor->strides[d];
    }
    return first;
}

static void fill_parameters(const struct vkdml_product *p, const struct vkdml_product_part *part,
                            const struct tile *tile, struct product_parameters *parameters) {
    const uint32_t *sizes = part->box.size;
    memset(parameters, 0, sizeof(*parameters));
    parameters->m = sizes[M];
    parameters->n = sizes[N];
    parameters->k = sizes[K];
    parameters->tiles_m = (uint32_t)vkdml_divide_up(sizes[M], tile->m);
    parameters->tiles_n = (uint32_t)vkdml_divide_up(sizes[N], tile->n);
    parameters->share_count = part->share_count;
    parameters->share = (uint32_t)vkdml_divide_up(vkdml_divide_up(sizes[K], part->share_count), tile->k) * tile->k;
    parameters->inner_batches = sizes[INNER];
    parameters->out_share = part->out_share;
    memcpy(&parameters->alpha, &p->alpha, sizeof(p->alpha));
    memcpy(&parameters->beta, &p->beta, sizeof(p->beta));
    parameters->n_first = part->box.origin[N];
    parameters->k_first = part->box.origin[K];
    parameters->k_used = p->is_empty ? 0 : sizes[K];
    for (uint32_t t = 0; t < TENSORS; ++t) {
        const uint32_t *strides = p->tensors[t].strides;
        parameters->firsts[t] = exists(p, t) ? first_of(p, part, t) : 0;
        parameters->batches[0][t] = strides[OUTER];
        parameters->batches[1][t] = strides[INNER];
    }
    parameters->steps[0] = p->tensors[A].strides[M];
    parameters->steps[1] = p->tensors[A].strides[K];
    parameters->steps[2] = p->tensors[B].strides[N];
    parameters->steps[3] = p->tensors[B].strides[K];
    parameters->more_steps[0] = p->tensors[C].strides[M];
    parameters->more_steps[1] = p->tensors[C].strides[N];
    parameters->more_steps[2] = p->tensors[OUT].strides[M];
    parameters->more_steps[3] = p->tensors[OUT].strides[N];
    memcpy(parameters->arguments[2], p->arguments, sizeof(p->arguments));
}

static struct vkdml_plan_buffer buffer_of(const struct vkdml_product *p, const struct vkdml_product_part *part,
                                          uint32_t t) {
    const struct vkdml_window window = window_of(p, part, t);
    const struct vkdml_product_tensor *tensor = &p->tensors[t];
    return (struct vkdml_plan_buffer){tensor->resource, tensor->index, tensor->offset + window.offset, window.size};
}

VkdmlResult vkdml_product_fill_step(const struct vkdml_product *product, const struct vkdml_product_part *part,
                                    const struct vkdml_plan_limits *limits, struct vkdml_report *report,
                                    struct vkdml_plan_step *step) {
    const struct way way = choose_way(product, part, limits);
    const struct tile *tile = &way.tile;
    struct product_parameters parameters;
    fill_parameters(product, part, tile, &parameters);
    const uint32_t gather = vkdml_product_fill_pixels(product, &parameters.pixels);
    uint64_t group_count = count_tiles(tile, part->box.size) * part->share_count;
    if ((way.bits & (JOINS | IS_SERIAL)) != 0) {
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

    const DML_TENSOR_DATA_TYPE type_of_c = exists(product, C) ? product->tensors[C].type : DML_TENSOR_DATA_TYPE_FLOAT32;
    const DML_TENSOR_DATA_TYPE types[] = {product->tensors[A].type, type_of_c, product->tensors[OUT].type};
    const bool has_halves = types[0] == DML_TENSOR_DATA_TYPE_FLOAT16 || types[1] == DML_TENSOR_DATA_TYPE_FLOAT16 ||
                            types[2] == DML_TENSOR_DATA_TYPE_FLOAT16;
    step->float_controls = has_halves ? limits->float_controls : limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    const uint32_t specializations[] = {way.local_size,
                                        (uint32_t)types[0] | (uint32_t)types[1] << 4 | (uint32_t)types[2] << 8,
                                        shape_of(product, part, limits) | way.bits,
                                        tile->m,
                                        tile->n,
                                        tile->k,
                                        tile->rows,
                                        tile->columns,
                                        0,
                                        part->to_sums ? (uint32_t)VKDML_FUNCTION_NONE : (uint32_t)product->function,
                                        gather,
                                        step->float_controls};
    step->kernel = VKDML_KERNEL_PRODUCT;
    step->specialization_count = sizeof(specializations) / sizeof(specializations[0]);
    memcpy(step->specializations, specializations, sizeof(specializations));
    step->parameter_count = sizeof(parameters) / 4;
    memcpy(step->parameters, &parameters, sizeof(parameters));
    step->buffers[0] = buffer_of(product, part, A);
    step->buffers[1] = buffer_of(product, part, OUT);
    step->buffers[2] = part->joins ? step->buffers[0] : buffer_of(product, part, B);
    step->buffers[3] = exists(product, C) ? buffer_of(product, part, C) : step->buffers[2];
    step->buffer_count = exists(product, C) ? 4 : part->joins ? 2 : 3;
    return VKDML_SUCCESS;
}

bool vkdml_product_stores_words(const struct vkdml_plan_step *step) {
    return step->kernel == VKDML_KERNEL_PRODUCT && (step->specializations[SHAPE] & OUT_IS_VECTOR) != 0;
}
