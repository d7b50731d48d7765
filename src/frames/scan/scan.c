/* A scan is a step where there are lines enough to fill the device, each walked by one workgroup or part of one. Else
 * lines have shares: a step leaves their totals as entries in the temporary resource, and another adds up those before
 * its share and scans it. What cannot be bound whole is cut: lines from one another, and where that is not enough into
 * stretches, which follow one another and leave an entry each. */
#include "frames/scan/scan.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/notes.h"
#include "kernels/blocks.h"
#include "plan/boxes.h"
#include "plan/dimensions.h"
#include "plan/step.h"

/* Invocations of a workgroup, and of one down columns where it is used whole. Along rows of FLOAT16 512 reach 0.90 of
 * an H200's copy peak, 256 0.96: fewer wait for one another. */
#define LOCAL_SIZE        256
#define LARGE_LOCAL_SIZE  512
#define SERIAL_LOCAL_SIZE 8

/* Items that an invocation holds, all of them on their way at once. */
#define HELD 4

/* Of a line along memory so many items are one invocation's each before any has more. */
#define LANES_BEFORE_HELD 32

/* Rows of fewer items, whose ends are ragged, are walked element by element. */
#define LEAST_DENSE_ITEMS 4

/* Neighbouring columns that invocations of a workgroup walk side by side: 128 bytes, a whole line of a cache. */
#define LEAST_ACROSS 8

/* Of general plans: for lines of integers of any length; and the longest lines of floats that have kernels of their
 * own. */
#define GENERAL_LANES 32
#define LONGEST_SPARE (1u << 20)
#define MOST_WIDTH    8

/* Whatever keeps the largest GPUs busy; what shares cost is that the input is read twice. */
#define ENOUGH_INVOCATIONS (1u << 16)
#define ENOUGH_GROUPS      128
#define SHARED_GROUPS      2048
#define ENOUGH_SERIAL      64

/* Sums are made of blocks of at most 512 elements an invocation, 512 of these at most, and a workgroup's turns. A
 * share's loops must also stay below 65,535 turns of an invocation in total, which lavapipe ends silently. */
#define MOST_ALONE 131072
#define MOST_TURNS 512

/* Fewer elements are no share of a processor's. */
#define LEAST_SERIAL 4096

enum { IN, OUT, TENSORS };

/* Part of the lines, or of their length: which elements are its lowest, and whether something comes before it. */
struct part {
    uint32_t rank;
    struct vkdml_dimension kept[VKDML_MAX_DIMENSIONS]; /* lines; outermost first, as the output lies */
    uint32_t length;
    uint64_t first[TENSORS];
};

struct scanning {
    const struct vkdml_scan *scan;
    struct vkdml_builder *builder;
    const struct vkdml_view *tensors[TENSORS];
    uint32_t strides[TENSORS]; /* along the axis */
    uint32_t bits;
    bool serial;
};

/* How a part is walked. */
struct walk {
    uint32_t shape;
    uint32_t local_size;
    uint32_t lanes;
    uint32_t width;
    uint32_t held;
    uint64_t lines;
    uint64_t items; /* of a line */
    uint64_t units;
    uint64_t unit_groups;
    uint64_t share;
    uint64_t shares;
};

/* ---- parts ---- */

static uint64_t count_lines(const struct part *part) {
    uint64_t lines = 1;
    for (uint32_t d = 0; d < part->rank; ++d) {
        lines *= part->kept[d].size;
    }
    return lines;
}

static struct vkdml_window window_of(const struct scanning *s, const struct part *part, uint32_t tensor) {
    struct vkdml_span span = {part->first[tensor], 1 + (uint64_t)(part->length - 1) * s->strides[tensor]};
    for (uint32_t d = 0; d < part->rank; ++d) {
        span.count += (uint64_t)(part->kept[d].size - 1) * part->kept[d].strides[tensor];
    }
    return vkdml_window_of(span, s->bits);
}

/* Where the first line's lowest element lies modulo 16 bytes, in elements; 16 bytes of no element: anywhere. */
static uint32_t place_of(const struct scanning *s, const struct part *part, uint32_t tensor) {
    const struct vkdml_window window = window_of(s, part, tensor);
    const uint64_t offset = s->tensors[tensor]->at.offset + window.offset;
    return vkdml_place_modulo_16(s->builder->limits, offset, (uint64_t)window.lead * s->bits / 8) * 8 / s->bits;
}

/* ---- walks ---- */

static uint64_t at_least_one(uint64_t n) {
    return n == 0 ? 1 : n;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Whether all that neighbouring lines have side by side begins at a multiple of `width` elements. */
static bool is_aligned_across(const struct scanning *s, const struct part *part, uint32_t width) {
    bool aligned = part->kept[part->rank - 1].size % width == 0;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        aligned = aligned && part->kept[part->rank - 1].strides[t] == 1 && place_of(s, part, t) % width == 0 &&
                  (part->length == 1 || s->strides[t] % width == 0);
        for (uint32_t d = 0; d + 1 < part->rank; ++d) {
            aligned = aligned && part->kept[d].strides[t] % width == 0;
        }
    }
    return aligned;
}

/* Whether a line's 16 bytes of the input are 16 bytes of the output; *begins: whether lines do at such. */
static bool is_aligned_along(const struct scanning *s, const struct part *part, uint32_t width, bool *begins) {
    const uint32_t place = place_of(s, part, IN) % width;
    bool aligned = s->strides[IN] == 1 && s->strides[OUT] == 1 && place == place_of(s, part, OUT) % width;
    const uint32_t end = s->scan->is_backward ? part->length % width : 0;
    *begins = (place + end) % width == 0;
    for (uint32_t d = 0; d < part->rank; ++d) {
        const uint32_t *strides = part->kept[d].strides;
        aligned = aligned && strides[IN] % width == strides[OUT] % width;
        *begins = *begins && strides[OUT] % width == 0;
    }
    return aligned;
}

/* Whether items may be vectors: as tensors lie, or whatever they do. */
enum alignment { AS_THEY_LIE, BY_VECTORS, BY_WORDS, UNALIGNED };

static bool may_go_across(const struct scanning *s, const struct part *part, enum alignment alignment, uint32_t width) {
    return alignment == AS_THEY_LIE  ? is_aligned_across(s, part, width)
           : alignment == BY_VECTORS ? true
                                     : alignment == BY_WORDS && width == (s->bits == 16 ? 2 : 1);
}

static bool may_go_along(const struct scanning *s, const struct part *part, enum alignment alignment, uint32_t width,
                         bool *begins) {
    *begins = alignment == BY_VECTORS;
    return alignment == AS_THEY_LIE ? is_aligned_along(s, part, width, begins) : alignment == BY_VECTORS;
}

static void choose_items(const struct scanning *s, const struct part *part, enum alignment alignment,
                         struct walk *walk) {
    const uint32_t vector = 128 / s->bits;
    const struct vkdml_dimension *inner = part->rank != 0 ? &part->kept[part->rank - 1] : NULL;
    bool begins;
    walk->shape =
        (s->scan->is_backward ? VKDML_SCAN_IS_BACKWARD : 0) | (s->scan->is_exclusive ? VKDML_SCAN_IS_EXCLUSIVE : 0);
    walk->width = 1;
    walk->items = part->length;
    if (inner != NULL && (part->length == 1 || inner->strides[OUT] < s->strides[OUT])) {
        const uint32_t word = s->bits == 16 ? 2 : 1;
        walk->shape |= VKDML_SCAN_ACROSS;
        walk->width = may_go_across(s, part, alignment, vector) ? vector
                      : may_go_across(s, part, alignment, word) ? word
                                                                : 1;
    } else if (may_go_along(s, part, alignment, vector, &begins) &&
               ((begins && part->length % vector == 0) || part->length / vector >= LEAST_DENSE_ITEMS)) {
        walk->width = vector;
        walk->items = vkdml_divide_up((uint64_t)part->length + (begins ? 0 : vector - 1), vector);
    }
    walk->units = walk->lines / ((walk->shape & VKDML_SCAN_ACROSS) != 0 ? walk->width : 1);
}

static uint32_t tally_bytes(const struct scanning *s) {
    return s->bits == 64 || (s->scan->multiplies && vkdml_data_type_is_float(s->tensors[IN]->at.type)) ? 8 : 4;
}

/* What a workgroup's invocations exchange; see scan_main.glsl. */
static uint64_t shared_bytes(const struct scanning *s, const struct walk *walk) {
    const bool across = (walk->shape & VKDML_SCAN_ACROSS) != 0;
    const uint32_t tallies = across ? 2 * walk->width : 2 + (walk->held > 1 ? walk->held : 0);
    return walk->lanes > 1 ? (uint64_t)walk->local_size * tallies * tally_bytes(s) : 0;
}

static void choose_lanes(const struct scanning *s, uint32_t local_size, struct walk *walk) {
    walk->local_size = vkdml_local_size(s->builder->limits, local_size);
    walk->held = walk->items < 2 ? 1 : walk->items < HELD ? 2 : HELD;
    walk->lanes = 1;
    if (s->serial) {
        return;
    }
    if ((walk->shape & VKDML_SCAN_ACROSS) != 0) {
        while (walk->lanes * LEAST_ACROSS < walk->local_size && walk->units * walk->lanes < 2 * ENOUGH_INVOCATIONS &&
               walk->items >= 2 * (uint64_t)walk->lanes * HELD) {
            walk->lanes *= 2;
        }
        return;
    }
    walk->held = walk->items <= LANES_BEFORE_HELD ? 1 : walk->items <= 2 * LANES_BEFORE_HELD ? 2 : HELD;
    while (walk->lanes < walk->local_size && (uint64_t)walk->lanes * walk->held < walk->items) {
        walk->lanes *= 2;
    }
}

/* Of the larger workgroup sizes the one that is used whole and whose exchange fits. */
static void choose_workgroup(const struct scanning *s, struct walk *walk) {
    uint32_t local_size = s->serial                                ? SERIAL_LOCAL_SIZE
                          : (walk->shape & VKDML_SCAN_ACROSS) != 0 ? LARGE_LOCAL_SIZE
                                                                   : LOCAL_SIZE;
    choose_lanes(s, local_size, walk);
    if (!s->serial && walk->lanes * LEAST_ACROSS < walk->local_size) {
        local_size = LOCAL_SIZE;
        choose_lanes(s, local_size, walk);
    }
    while (shared_bytes(s, walk) > s->builder->limits->max_shared_memory_bytes) {
        local_size /= 2;
        choose_lanes(s, local_size, walk);
    }
}

static bool is_general(const struct scanning *s) {
    return s->builder->limits->general;
}

/* General plans walk integers element by element, along the axis however it lies: their sums have no order. Floats go
 * as in other plans. */
static bool is_by_elements(const struct scanning *s) {
    return is_general(s) && !vkdml_data_type_is_float(s->tensors[IN]->at.type);
}

static void choose_shares(const struct scanning *s, struct walk *walk) {
    const uint64_t tile = (uint64_t)walk->lanes * walk->held;
    const bool across = (walk->shape & VKDML_SCAN_ACROSS) != 0;
    const uint32_t along = across ? 1 : walk->width;
    const uint64_t tiles = vkdml_divide_up(walk->items, tile);
    const uint64_t most = walk->lanes > 1 ? MOST_TURNS : MOST_ALONE / along / HELD;
    const uint64_t bindable = s->builder->limits->max_storage_buffer_range / 8 / (walk->lines * tally_bytes(s));
    const uint64_t groups = vkdml_divide_up(walk->units * walk->lanes, walk->local_size);
    uint64_t wanted = 1;
    if (is_by_elements(s)) {
        wanted = 1; /* kernels that join shares are for lines that need them */
    } else if (s->serial) {
        wanted = least(ENOUGH_SERIAL / walk->units, (uint64_t)walk->items * along / LEAST_SERIAL);
    } else if (groups < ENOUGH_GROUPS) {
        wanted = SHARED_GROUPS / groups;
    }
    const uint64_t needed = vkdml_divide_up(tiles, most);
    uint64_t shares = at_least_one(least(least(wanted, bindable), tiles));
    shares = shares < needed ? needed : shares;
    uint64_t share = vkdml_divide_up(tiles, shares);
    if (s->serial && share < tiles && share % 2 == 0) {
        --share; /* neighbours' shares would fall on the same lines of a cache */
    }
    walk->share = share * tile;
    walk->shares = vkdml_divide_up(walk->items, walk->share);
}

static void choose_elements(const struct scanning *s, const struct part *part, struct walk *walk) {
    walk->shape =
        (s->scan->is_backward ? VKDML_SCAN_IS_BACKWARD : 0) | (s->scan->is_exclusive ? VKDML_SCAN_IS_EXCLUSIVE : 0);
    walk->local_size = vkdml_local_size(s->builder->limits, s->serial ? SERIAL_LOCAL_SIZE : LOCAL_SIZE);
    walk->lanes = s->serial ? 1 : GENERAL_LANES;
    walk->width = walk->held = 1;
    walk->items = part->length;
    walk->units = walk->lines;
}

static void choose_aligned_walk(const struct scanning *s, const struct part *part, enum alignment alignment,
                                struct walk *walk) {
    memset(walk, 0, sizeof(*walk));
    walk->lines = count_lines(part);
    if (is_by_elements(s)) {
        choose_elements(s, part, walk);
    } else {
        choose_items(s, part, alignment, walk);
        choose_workgroup(s, walk);
    }
    choose_shares(s, walk);
    walk->unit_groups = walk->lanes > 1 ? vkdml_divide_up(walk->units, walk->local_size / walk->lanes) : walk->units;
}

static void choose_walk(const struct scanning *s, const struct part *part, struct walk *walk) {
    choose_aligned_walk(s, part, AS_THEY_LIE, walk);
}

/* ---- steps ---- */

/* The entries that a step reads, or makes, and where it leaves one. */
struct entries {
    struct vkdml_plan_buffer buffer;
    uint32_t first;      /* words into it */
    uint32_t last_first; /* of what the next stretch begins with */
    bool has_before;     /* something comes before the first share */
    bool keeps_last;
};

static void fill_parameters(const struct scanning *s, const struct part *part, const struct walk *walk,
                            struct vkdml_scan_parameters *parameters) {
    const uint32_t backward = s->scan->is_backward;
    const uint32_t end = backward ? part->length - 1 : 0;
    memset(parameters, 0, sizeof(*parameters));
    parameters->unit_count = (uint32_t)walk->units;
    parameters->unit_groups = (uint32_t)walk->unit_groups;
    parameters->groups_divisor = vkdml_divisor((uint32_t)walk->unit_groups);
    parameters->share = (uint32_t)walk->share;
    parameters->item_count = (uint32_t)walk->items;
    parameters->length_ = part->length;
    parameters->line_count = (uint32_t)walk->lines;
    parameters->source_stride = backward ? 0 - s->strides[IN] : s->strides[IN];
    parameters->target_stride = backward ? 0 - s->strides[OUT] : s->strides[OUT];
    parameters->source_first = window_of(s, part, IN).lead + end * s->strides[IN];
    parameters->target_first = window_of(s, part, OUT).lead + end * s->strides[OUT];
    for (uint32_t d = 0; d < part->rank; ++d) {
        const struct vkdml_dimension *dimension = &part->kept[d];
        const uint32_t width = (walk->shape & VKDML_SCAN_ACROSS) != 0 && d + 1 == part->rank ? walk->width : 1;
        const struct vkdml_divisor divisor = vkdml_divisor(dimension->size / width);
        parameters->kept[d][0] = dimension->size / width;
        parameters->kept[d][1] = divisor.multiplier;
        parameters->kept[d][2] = divisor.shifts;
        parameters->kept[d][3] = dimension->strides[IN] * width;
        parameters->kept_out[d] = dimension->strides[OUT] * width;
    }
}

/* Of general plans: dimensions of size 1 before the others, so that kernels do not depend on how many there are. */
static struct part fill_up(const struct part *part) {
    struct part result = *part;
    vkdml_dimensions_make_general(result.kept, &result.rank);
    return result;
}

/* Whether each invocation, of whole workgroups where these share lines, always holds whole items of a line. */
static bool is_even(const struct part *part, const struct walk *walk) {
    const uint32_t along = (walk->shape & VKDML_SCAN_ACROSS) != 0 ? 1 : walk->width;
    return part->length == walk->items * along && walk->items % ((uint64_t)walk->lanes * walk->held) == 0 &&
           (walk->lanes == 1 || walk->units % (walk->local_size / walk->lanes) == 0);
}

static void set_kernel(const struct scanning *s, const struct walk *walk, uint32_t shape, uint32_t kept_rank,
                       struct vkdml_plan_step *step) {
    const DML_TENSOR_DATA_TYPE type = s->tensors[IN]->at.type;
    const uint32_t float_controls = s->bits == 64 ? 0
                                    : type == DML_TENSOR_DATA_TYPE_FLOAT16
                                        ? s->builder->limits->float_controls
                                        : s->builder->limits->float_controls & ~VKDML_FLOAT_CONTROLS_16;
    step->kernel = s->bits == 64 ? VKDML_KERNEL_SCAN_WIDE : VKDML_KERNEL_SCAN;
    step->float_controls = float_controls;
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_LOCAL_SIZE, walk->local_size);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_TYPE, (uint32_t)type);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_MULTIPLIES, s->scan->multiplies);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_SHAPE, shape);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_LANES, walk->lanes);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_WIDTH, walk->width);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_HELD, walk->held);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_KEPT_RANK, kept_rank);
    vkdml_step_constant(step, VKDML_SCAN_CONSTANT_FLOAT_CONTROLS, float_controls);
    step->buffer_count = (shape & (VKDML_SCAN_HAS_ENTRIES | VKDML_SCAN_KEEPS_LAST)) != 0 ? 3 : 2;
}

/* Adds a step that scans a part, or that leaves the totals of its shares, all but the last, among the entries. */
static VkdmlResult add_step(const struct scanning *s, const struct part *part, const struct walk *walk,
                            const struct entries *entries, bool to_entries) {
    const struct vkdml_window from = window_of(s, part, IN);
    const struct vkdml_window to = window_of(s, part, OUT);
    struct vkdml_scan_parameters parameters;
    struct vkdml_plan_step *step;
    vkdml_builder_phase(s->builder); /* in place a window reads words in which the one before may change an element */
    VkdmlResult result = vkdml_builder_add(s->builder, &step);
    if (result != VKDML_SUCCESS) {
        return result;
    }
    vkdml_note_step(
        s->builder->report, "%" PRIu64 " lines of %" PRIu64 " items, by %u invocations each in %" PRIu64 " shares%s",
        walk->lines, walk->items, (unsigned)walk->lanes, walk->shares, to_entries ? ": their totals first" : "");
    const bool has_entries = !to_entries && (walk->shares > 1 || entries->has_before);
    const bool keeps_last = !to_entries && entries->keeps_last;
    const uint64_t shares = walk->shares - (to_entries ? 1 : 0);
    const uint64_t groups =
        walk->lanes > 1 ? walk->unit_groups * shares : vkdml_divide_up(walk->unit_groups * shares, walk->local_size);
    const struct part walked = is_general(s) ? fill_up(part) : *part;
    fill_parameters(s, &walked, walk, &parameters);
    parameters.group_count = (uint32_t)groups;
    parameters.share_count = (uint32_t)shares;
    parameters.first_entry = entries->has_before ? 0 : 1;
    parameters.entries_first = entries->first;
    parameters.last_first = entries->last_first;
    parameters.is_turned = has_entries && walk->shares > 1;
    const uint32_t shape = walk->shape | (to_entries ? VKDML_SCAN_TO_ENTRIES : 0) |
                           (has_entries ? VKDML_SCAN_HAS_ENTRIES : 0) | (keeps_last ? VKDML_SCAN_KEEPS_LAST : 0) |
                           (!is_general(s) && is_even(part, walk) ? VKDML_SCAN_IS_EVEN : 0);
    set_kernel(s, walk, shape, walked.rank, step);
    vkdml_step_parameters(step, &parameters, sizeof(parameters));
    step->buffers[0] = vkdml_origin_buffer(&s->tensors[IN]->at, from.offset, from.size);
    step->buffers[1] = to_entries ? entries->buffer : vkdml_origin_buffer(&s->tensors[OUT]->at, to.offset, to.size);
    step->buffers[2] = entries->buffer;
    return vkdml_grid(groups, s->builder->limits, s->builder->report, step->groups);
}

/* Of lines that are not too long for one share, and others. */
static VkdmlResult add_spares_of(const struct scanning *s, const struct walk *walk, bool has_shares) {
    static const uint32_t ways[] = {0, VKDML_SCAN_TO_ENTRIES, VKDML_SCAN_HAS_ENTRIES};
    const size_t count = has_shares ? sizeof(ways) / sizeof(ways[0]) : 1;
    VkdmlResult result = VKDML_SUCCESS;
    for (size_t i = 0; i < count && result == VKDML_SUCCESS; ++i) {
        struct vkdml_plan_step spare = {.kind = VKDML_PLAN_DISPATCH, .is_general = true};
        set_kernel(s, walk, walk->shape | ways[i], VKDML_MAX_DIMENSIONS - 1, &spare);
        result = vkdml_builder_add_spare(s->builder, &spare);
    }
    return result;
}

/* Lines of a length: as many as there are, few, which are cut into shares first, and one alone. */
static VkdmlResult add_spares_of_length(const struct scanning *s, const struct part *part, uint32_t length,
                                        enum alignment alignment) {
    struct part lines = *part;
    struct walk many, few, one;
    lines.length = length;
    if (lines.rank != 0) { /* whole vectors of columns */
        uint32_t *columns = &lines.kept[lines.rank - 1].size;
        *columns = *columns < MOST_WIDTH ? MOST_WIDTH : *columns / MOST_WIDTH * MOST_WIDTH;
    }
    choose_aligned_walk(s, &lines, alignment, &many);
    for (uint32_t d = 0; d < lines.rank; ++d) {
        lines.kept[d].size = d + 1 == lines.rank ? MOST_WIDTH : 1;
    }
    choose_aligned_walk(s, &lines, alignment, &few);
    lines.rank = 0;
    choose_aligned_walk(s, &lines, alignment, &one);
    VkdmlResult result = add_spares_of(s, &many, few.shares > 1);
    result = result == VKDML_SUCCESS ? add_spares_of(s, &few, few.shares > 1) : result;
    return result == VKDML_SUCCESS ? add_spares_of(s, &one, one.shares > 1) : result;
}

/* Integers have one walk. The order of floats' sums depends on the length, up to that of which lines have shares
 * anyhow. */
static VkdmlResult add_spares(const struct scanning *s, const struct part *part) {
    VkdmlResult result = VKDML_SUCCESS;
    if (is_by_elements(s)) {
        struct walk walk;
        choose_walk(s, part, &walk);
        return add_spares_of(s, &walk, true);
    }
    for (uint32_t power = 1; power <= LONGEST_SPARE && result == VKDML_SUCCESS; power *= 2) {
        for (uint32_t i = 0; i < 9 && result == VKDML_SUCCESS; ++i) { /* a power, a fourth of it more, a half more */
            result = add_spares_of_length(s, part, power * (4 + i / 3) / 4, (enum alignment)(BY_VECTORS + i % 3));
        }
    }
    return result;
}

/* ---- stretches ---- */

static struct part stretch_at(const struct scanning *s, const struct part *part, uint32_t stretch, uint32_t origin) {
    struct part result = *part;
    const uint32_t left = part->length - origin;
    result.length = left < stretch ? left : stretch;
    const uint32_t lowest = s->scan->is_backward ? left - result.length : origin;
    for (uint32_t t = 0; t < TENSORS; ++t) {
        result.first[t] += (uint64_t)lowest * s->strides[t];
    }
    return result;
}

/* Entries of a stretch: one that it begins with, and one for each share, of all lines. */
static uint64_t entry_bytes(const struct scanning *s, const struct walk *walk) {
    return ((walk->shares + 1) * walk->lines * tally_bytes(s) + 15) & ~UINT64_C(15);
}

/* Room for the entries of a part's stretches: two by turns, each as large as the largest asks for; 0: none. */
static uint64_t entries_room(const struct scanning *s, const struct part *part, uint32_t stretch) {
    uint64_t most = 0;
    bool needed = stretch < part->length;
    for (uint64_t origin = 0; origin < part->length; origin += stretch) {
        struct part piece = stretch_at(s, part, stretch, (uint32_t)origin);
        struct walk walk;
        choose_walk(s, &piece, &walk);
        const uint64_t bytes = entry_bytes(s, &walk);
        most = bytes > most ? bytes : most;
        needed = needed || walk.shares > 1;
    }
    return needed ? most : 0;
}

static VkdmlResult plan_stretches(const struct scanning *s, const struct part *part, uint32_t stretch) {
    const uint64_t room = entries_room(s, part, stretch);
    const uint64_t bytes = room * (stretch < part->length ? 2 : 1);
    struct entries entries = {0};
    if (bytes != 0) {
        const struct vkdml_origin region =
            vkdml_builder_region(s->builder, "what lines come to", bytes, DML_TENSOR_DATA_TYPE_UNKNOWN);
        entries.buffer = vkdml_origin_buffer(&region, 0, bytes);
    }
    uint32_t turn = 0;
    VkdmlResult result = VKDML_SUCCESS;
    for (uint64_t origin = 0; origin < part->length && result == VKDML_SUCCESS; origin += stretch) {
        const struct part piece = stretch_at(s, part, stretch, (uint32_t)origin);
        struct walk walk;
        choose_walk(s, &piece, &walk);
        entries.first = (uint32_t)(turn * room / 4);
        entries.last_first = (uint32_t)((1 - turn) * room / 4);
        entries.has_before = origin != 0;
        entries.keeps_last = origin + stretch < part->length;
        if (walk.shares > 1) {
            result = add_step(s, &piece, &walk, &entries, true);
        }
        if (result == VKDML_SUCCESS) {
            result = add_step(s, &piece, &walk, &entries, false);
        }
        turn = 1 - turn;
    }
    return result;
}

/* ---- pieces ---- */

/* Stretches and pieces longer than this are multiples of it, so that they begin alike in memory. */
#define PIECE_STEP 64

/* The size that reaches farthest in a tensor, of lines alone or with the length; NULL: all are 1. */
static uint32_t *widest(const struct scanning *s, struct part *part, uint32_t tensor, bool lines_alone) {
    uint32_t *found = NULL;
    uint64_t farthest = 0;
    for (uint32_t d = 0; d < part->rank; ++d) {
        const uint64_t own = (uint64_t)(part->kept[d].size - 1) * part->kept[d].strides[tensor];
        if (part->kept[d].size > 1 && (found == NULL || own > farthest)) {
            found = &part->kept[d].size;
            farthest = own;
        }
    }
    const uint64_t own = (uint64_t)(part->length - 1) * s->strides[tensor];
    return part->length > 1 && (found == NULL || (!lines_alone && own > farthest)) ? &part->length : found;
}

/* Shortens what `amount` hangs on, as if it hung on that alone, to what is allowed. False where there is none. */
static bool shorten(uint32_t *size, uint64_t amount, uint64_t allowed) {
    if (size == NULL) {
        return false;
    }
    uint64_t shorter = amount > allowed ? (uint64_t)((double)*size * (double)allowed / (double)amount) : *size - 1;
    shorter = shorter >= *size ? *size - 1 : shorter;
    shorter = shorter > PIECE_STEP ? shorter / PIECE_STEP * PIECE_STEP : shorter;
    *size = shorter == 0 ? 1 : (uint32_t)shorter;
    return true;
}

/* Bytes that can be bound wherever they begin. */
static uint64_t usable_bytes(const struct vkdml_plan_limits *limits) {
    const uint64_t range = limits->max_storage_buffer_range;
    const uint64_t lost = 2 * (uint64_t)limits->min_storage_buffer_offset_alignment + 16;
    return range > 2 * lost ? range - lost : range / 2;
}

/* A window of a whole tensor can be bound where the tensor can, others wherever they begin. */
static bool can_bind(const struct scanning *s, uint64_t bytes, bool is_cut) {
    return is_cut ? vkdml_fits(s->builder->limits, 4, bytes + 8) : vkdml_fits(s->builder->limits, 0, bytes);
}

/* Cuts a part until all that steps of a piece bind can be bound. */
static VkdmlResult cut(const struct scanning *s, const struct part *whole, struct part *piece) {
    const uint64_t usable = usable_bytes(s->builder->limits);
    *piece = *whole;
    for (bool is_cut = false, shortened = true; shortened; is_cut = true) {
        struct walk walk;
        choose_walk(s, piece, &walk);
        const uint64_t from = window_of(s, piece, IN).size;
        const uint64_t to = window_of(s, piece, OUT).size;
        const bool is_stretch = piece->length < whole->length;
        const uint64_t entries = is_stretch || walk.shares > 1 ? 2 * entry_bytes(s, &walk) : 0;
        const uint64_t invocations = walk.unit_groups * walk.shares * (walk.lanes > 1 ? walk.local_size : 1);
        if (!can_bind(s, from, is_cut)) {
            shortened = shorten(widest(s, piece, IN, false), from, usable);
        } else if (!can_bind(s, to, is_cut)) {
            shortened = shorten(widest(s, piece, OUT, false), to, usable);
        } else if (!can_bind(s, entries, is_cut)) {
            shortened = shorten(widest(s, piece, OUT, true), entries, usable);
        } else if (invocations > INT32_MAX) {
            shortened = shorten(widest(s, piece, OUT, true), invocations, INT32_MAX);
        } else {
            return VKDML_SUCCESS;
        }
    }
    return vkdml_report_add(s->builder->report, VKDML_ERROR_LIMIT_EXCEEDED,
                            "maxStorageBufferRange (%" PRIu64 ") is too small for one element and its tally",
                            s->builder->limits->max_storage_buffer_range);
}

/* Below 2^32, as numbers of elements are. */
static uint64_t piece_count(const struct part *whole, const struct part *piece) {
    uint64_t pieces = vkdml_divide_up(whole->length, piece->length);
    for (uint32_t d = 0; d < whole->rank; ++d) {
        pieces *= vkdml_divide_up(whole->kept[d].size, piece->kept[d].size);
    }
    return pieces;
}

/* Steps to the next piece; false after the last. */
static bool next_piece(const struct part *whole, const struct part *piece, uint32_t *origin) {
    for (uint32_t d = whole->rank; d-- > 0;) {
        if (piece->kept[d].size < whole->kept[d].size - origin[d]) {
            origin[d] += piece->kept[d].size;
            return true;
        }
        origin[d] = 0;
    }
    return false;
}

/* The lines of a piece, whole. */
static struct part lines_at(const struct part *whole, const struct part *piece, const uint32_t *origin) {
    struct part result = *whole;
    for (uint32_t d = 0; d < whole->rank; ++d) {
        const uint32_t left = whole->kept[d].size - origin[d];
        result.kept[d].size = left < piece->kept[d].size ? left : piece->kept[d].size;
        for (uint32_t t = 0; t < TENSORS; ++t) {
            result.first[t] += (uint64_t)origin[d] * whole->kept[d].strides[t];
        }
    }
    return result;
}

static struct part whole_of(const struct scanning *s) {
    struct part whole = {.first = {[IN] = s->tensors[IN]->at.first, [OUT] = s->tensors[OUT]->at.first},
                         .length = s->tensors[IN]->sizes[s->scan->axis]};
    for (uint32_t d = 0; d < s->tensors[IN]->rank; ++d) {
        if (d != s->scan->axis) {
            whole.kept[whole.rank++] = (struct vkdml_dimension){
                s->tensors[IN]->sizes[d], {[IN] = s->tensors[IN]->strides[d], [OUT] = s->tensors[OUT]->strides[d]}};
        }
    }
    whole.rank = vkdml_dimensions_collapse(whole.kept, whole.rank, OUT);
    return whole;
}

VkdmlResult vkdml_scan_plan(const struct vkdml_scan *scan, struct vkdml_builder *builder) {
    const struct scanning s = {
        .scan = scan,
        .builder = builder,
        .tensors = {[IN] = &scan->input, [OUT] = &scan->output},
        .strides = {[IN] = scan->input.strides[scan->axis], [OUT] = scan->output.strides[scan->axis]},
        .bits = vkdml_view_bits(&scan->input),
        .serial = builder->limits->variant == VKDML_KERNEL_VARIANT_SERIAL,
    };
    const struct part whole = whole_of(&s);
    struct part piece;
    VkdmlResult result = cut(&s, &whole, &piece);
    if (result == VKDML_SUCCESS && vkdml_builder_wants_spares(builder)) {
        result = add_spares(&s, &piece);
    }
    if (result == VKDML_SUCCESS) { /* each piece takes a step at least */
        result = vkdml_builder_expect(builder, piece_count(&whole, &piece));
    }
    uint32_t origin[VKDML_MAX_DIMENSIONS] = {0};
    while (result == VKDML_SUCCESS) {
        const struct part lines = lines_at(&whole, &piece, origin);
        result = plan_stretches(&s, &lines, piece.length);
        if (!next_piece(&whole, &piece, origin)) {
            break;
        }
    }
    return result;
}
