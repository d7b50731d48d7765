#include "cases/operators/pooling.h"

struct pooling_windows pooling_read_windows(const struct operator_case *c) {
    struct pooling_windows w = {.spatial = case_word(c, "DimensionCount"), .dilations = {1, 1, 1}};
    memcpy(w.strides, case_words(c, "Strides"), sizeof(w.strides));
    memcpy(w.window, case_words(c, "WindowSize"), sizeof(w.window));
    memcpy(w.start, case_words(c, "StartPadding"), sizeof(w.start));
    memcpy(w.end, case_words(c, "EndPadding"), sizeof(w.end));
    if (case_has(c, "Dilations")) {
        memcpy(w.dilations, case_words(c, "Dilations"), sizeof(w.dilations));
    }
    return w;
}

void pooling_set_windows(struct operator_case *c, const struct pooling_windows *w) {
    case_set_uint(c, "DimensionCount", w->spatial);
    case_set(c, "Strides", w->spatial, w->strides);
    case_set(c, "WindowSize", w->spatial, w->window);
    case_set(c, "StartPadding", w->spatial, w->start);
    case_set(c, "EndPadding", w->spatial, w->end);
    if (case_has(c, "Dilations")) {
        case_set(c, "Dilations", w->spatial, w->dilations);
    }
}

void pooling_set_sizes(const struct pooling_windows *w, const struct case_tensor *input, struct case_tensor *output) {
    output->rank = input->rank;
    memcpy(output->sizes, input->sizes, sizeof(output->sizes));
    for (uint32_t s = 0; s < w->spatial; s++) {
        const uint32_t padded = input->sizes[2 + s] + w->start[s] + w->end[s];
        output->sizes[2 + s] = (padded - w->dilations[s] * (w->window[s] - 1) - 1) / w->strides[s] + 1;
    }
}

struct pooled pooling_beside(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at,
                             double beside) {
    const struct case_tensor *input = &c->tensors[0];
    const double power = beside != 0 ? case_word(c, "P") : 0;
    const struct pooling_windows w = pooling_read_windows(c);
    struct case_tensor box = {.rank = w.spatial};
    uint32_t strides[CASE_MAX_RANK], element[CASE_MAX_RANK] = {0}, from[CASE_MAX_RANK];
    struct pooled p = {.size = 1};
    memcpy(from, at, sizeof(from));
    case_strides(input, strides);
    for (uint32_t s = 0; s < w.spatial; s++) {
        box.sizes[s] = w.window[s];
        p.size *= w.window[s];
    }
    do {
        bool is_there = true;
        for (uint32_t s = 0; s < w.spatial; s++) {
            const int64_t q = (int64_t)at[2 + s] * w.strides[s] + (int64_t)element[s] * w.dilations[s] - w.start[s];
            is_there = is_there && q >= 0 && q < input->sizes[2 + s];
            from[2 + s] = (uint32_t)q;
        }
        if (is_there) {
            const double x = number_decode(
                input->type, case_read_element(input, tensors[0], case_element_position(input, strides, from)));
            p.sum += x;
            p.magnitudes += fabs(x);
            p.finite += isfinite(x) ? fabs(x) : 0;
            p.squares += x * x;
            p.greatest = isnan(x) || isnan(p.greatest) ? (double)NAN : fmax(p.greatest, fabs(x));
            p.powers += beside != 0 ? pow(fabs(x) / beside, power) : 0;
            p.count++;
        }
    } while (case_next_coordinates(&box, element));
    return p;
}

struct pooled pooling_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    return pooling_beside(c, tensors, at, 0);
}

void pooling_change_count(struct random *random, const struct pooling_windows *w, struct case_tensor *pooled) {
    for (uint32_t s = 0; s < w->spatial; s++) {
        if (random_chance(random, 10)) {
            pooled->sizes[2 + s] = random_between(random, 1, pooled->sizes[2 + s] + 3);
        }
    }
}

static uint32_t window_size(struct random *random, uint32_t padded, uint32_t room) {
    const uint32_t most = random_chance(random, 85) ? 4 : random_chance(random, 80) ? 10 : 40;
    const uint32_t limit = padded < room ? padded : room;
    return random_between(random, 1, limit < most ? limit : most);
}

void pooling_generate_windows(struct random *random, const struct case_tensor *input, bool dilates,
                              struct pooling_windows *w) {
    const bool is_padded = random_chance(random, 50), is_global = random_chance(random, 10);
    uint32_t room = 128;
    w->spatial = input->rank - 2;
    for (uint32_t s = 0; s < w->spatial; s++) {
        const uint32_t size = input->sizes[2 + s];
        w->start[s] = is_padded ? random_below(random, 3) : 0;
        w->end[s] = is_padded ? random_below(random, 3) : 0;
        w->dilations[s] = 1;
        w->strides[s] = random_chance(random, 40) ? 1 : random_between(random, 1, random_chance(random, 80) ? 3 : 12);
        if (is_global && (s == 0 || size <= room)) {
            w->window[s] = size + (random_chance(random, 30) ? w->start[s] + w->end[s] : 0);
            room = room / (w->window[s] < room ? w->window[s] : room);
            continue;
        }
        const uint32_t padded = size + w->start[s] + w->end[s];
        w->window[s] = window_size(random, padded, room == 0 ? 1 : room);
        room /= w->window[s];
        if (dilates && w->window[s] > 1 && random_chance(random, 50)) {
            const uint32_t farthest = (padded - 1) / (w->window[s] - 1);
            w->dilations[s] = random_between(random, 1, random_chance(random, 70) && farthest > 3 ? 3 : farthest);
        } else if (dilates && w->window[s] == 1 && random_chance(random, 20)) {
            w->dilations[s] = random_chance(random, 50) ? 7 : UINT32_MAX;
        }
    }
}

void pooling_generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const uint32_t powers[] = {1, 2, 2, 2, 3, 4, 7, 1000, UINT32_MAX};
    struct pooling_windows w;
    case_begin(c, family->type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    input->type = generate_type(random, c, "InputTensor");
    input->rank = random_chance(random, 60) ? 4 : 5;
    generate_sizes(random, generate_budget(random) / 4 + 1, input);
    pooling_generate_windows(random, input, case_has(c, "Dilations"), &w);
    pooling_set_windows(c, &w);
    output->type = input->type;
    pooling_set_sizes(&w, input, output);
    pooling_change_count(random, &w, output);
    if (case_has(c, "IncludePadding")) {
        case_set_uint(c, "IncludePadding", random_below(random, 2));
    }
    if (case_has(c, "P")) {
        case_set_uint(c, "P", RANDOM_OF(random, powers));
    }
    neighbours_lay_out(random, input, output);
    if (family->adjust != NULL) {
        family->adjust(random, c);
    }
    if (case_has(c, "OutputIndicesTensor") && random_chance(random, 60)) {
        struct case_tensor *indices = case_tensor(c, "OutputIndicesTensor");
        indices->type = generate_type(random, c, "OutputIndicesTensor");
        indices->rank = output->rank;
        memcpy(indices->sizes, output->sizes, sizeof(indices->sizes));
        generate_output_layout(random, indices);
    }
    generate_call(random, c);
}

void pooling_make(DML_OPERATOR_TYPE operator_type, uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument,
                  struct operator_case *c) {
    const uint32_t side = argument & 15, stride = argument >> 4 & 15;
    case_begin(c, operator_type);
    struct case_tensor *input = case_tensor(c, "InputTensor"), *output = case_tensor(c, "OutputTensor");
    benchmark_images(input, bytes, type);
    input->fill = CASE_FILL_UNIT;
    struct pooling_windows w = {2, {stride, stride}, {side, side}, {side / 2, side / 2}, {side / 2, side / 2}, {1, 1}};
    if (side == 0) {
        w.window[0] = input->sizes[2];
        w.window[1] = input->sizes[3];
    } else if (side % 2 == 0) {
        memset(w.start, 0, sizeof(w.start));
        memset(w.end, 0, sizeof(w.end));
    }
    pooling_set_windows(c, &w);
    output->type = type;
    pooling_set_sizes(&w, input, output);
    if ((argument & POOLING_WITH_INDICES) != 0) {
        struct case_tensor *indices = case_tensor(c, "OutputIndicesTensor");
        *indices = *output;
        indices->type = DML_TENSOR_DATA_TYPE_UINT32;
    }
}

void pooling_loop(const struct operator_case *c, unsigned char *const *tensors, enum pooling_function function) {
    const struct case_tensor *in = &c->tensors[0], *out = &c->tensors[1];
    const struct pooling_windows w = pooling_read_windows(c);
    const ptrdiff_t height = in->sizes[2], width = in->sizes[3], planes = (ptrdiff_t)in->sizes[0] * in->sizes[1];
    const ptrdiff_t down = out->sizes[2], along = out->sizes[3];
    const ptrdiff_t stride_y = w.strides[0], stride = w.strides[1], start_y = w.start[0], start = w.start[1];
    const float scale = 1 / (float)(w.window[0] * w.window[1]);
    static float row[65536];
    static uint32_t places[65536];
    for (ptrdiff_t i = 0; i < planes * down; i++) {
        for (ptrdiff_t x = 0; x < along; x++) {
            row[x] = function == POOLING_MAXIMUM ? -INFINITY : 0;
        }
        for (ptrdiff_t dy = 0; dy < w.window[0]; dy++) {
            const ptrdiff_t y = i % down * stride_y + dy - start_y;
            const ptrdiff_t from = (i / down * height + y) * width;
            for (ptrdiff_t dx = 0; y >= 0 && y < height && dx < w.window[1]; dx++) {
                const ptrdiff_t before = start > dx ? (start - dx + stride - 1) / stride : 0;
                const ptrdiff_t last = (width - 1 + start - dx) / stride;
                const ptrdiff_t end = last + 1 < along ? last + 1 : along;
                for (ptrdiff_t x = before; x < end; x++) {
                    const ptrdiff_t at = from + x * stride + dx - start;
                    const float v = loop_load(tensors[0], in->type, (size_t)at);
                    if (function == POOLING_MAXIMUM) {
                        if (tensors[2] != NULL) {
                            places[x] = v > row[x] ? (uint32_t)at : places[x];
                        }
                        row[x] = v > row[x] ? v : row[x];
                    } else {
                        row[x] += function == POOLING_ROOT ? v * v : v;
                    }
                }
            }
        }
        for (ptrdiff_t x = 0; x < along; x++) {
            const float v = function == POOLING_MAXIMUM ? row[x]
                            : function == POOLING_ROOT  ? sqrtf(row[x])
                                                        : row[x] * scale;
            loop_store(tensors[1], out->type, (size_t)(i * along + x), v);
        }
        if (function == POOLING_MAXIMUM && tensors[2] != NULL) {
            memcpy((uint32_t *)tensors[2] + i * along, places, (size_t)along * sizeof(places[0]));
        }
    }
}
