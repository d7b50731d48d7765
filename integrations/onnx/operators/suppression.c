/* NonMaxSuppression, of what is known before the plan runs: how many boxes are selected depends on their scores. */
#include <stdlib.h>

#include "onnx/operators/move.h"

struct box {
    float left, top, right, bottom;
};

struct candidate {
    float score;
    uint32_t index;
};

struct suppression {
    uint32_t batches, classes, boxes, most; /* most: boxes of a class of a batch */
    const double *corners, *scores;
    float overlap, least_score;
    bool has_least_score, is_centered;
};

/* Corners come in any order. */
static struct box box_at(const struct suppression *s, uint32_t batch, uint32_t index) {
    const double *from = s->corners + 4 * ((size_t)batch * s->boxes + index);
    const float a = (float)from[0], b = (float)from[1], c = (float)from[2], d = (float)from[3];
    if (s->is_centered) {
        return (struct box){a - c / 2, b - d / 2, a + c / 2, b + d / 2};
    }
    return (struct box){b < d ? b : d, a < c ? a : c, b < d ? d : b, a < c ? c : a};
}

/* Whether the intersection is a larger share of the union than is allowed. In FLOAT, as ONNX Runtime computes it. */
static bool overlaps(const struct suppression *s, const struct box *a, const struct box *b) {
    const float left = a->left > b->left ? a->left : b->left, right = a->right < b->right ? a->right : b->right;
    const float top = a->top > b->top ? a->top : b->top, bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
    if (right <= left || bottom <= top) {
        return false;
    }
    const float both = (right - left) * (bottom - top);
    const float of_a = (a->right - a->left) * (a->bottom - a->top);
    const float of_b = (b->right - b->left) * (b->bottom - b->top);
    const float either = of_a + of_b - both;
    return both > 0 && of_a > 0 && of_b > 0 && either > 0 && both / either > s->overlap;
}

/* The greatest score first, of equal ones the first box. */
static int compare(const void *a, const void *b) {
    const struct candidate *first = a, *second = b;
    if (first->score != second->score) {
        return first->score > second->score ? -1 : 1;
    }
    return first->index < second->index ? -1 : first->index > second->index;
}

static uint32_t find_candidates(const struct suppression *s, uint32_t batch, uint32_t class,
                                struct candidate *candidates) {
    const double *scores = s->scores + ((size_t)batch * s->classes + class) * s->boxes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->boxes; ++i) {
        const float score = (float)scores[i];
        if (score == score && (!s->has_least_score || score > s->least_score)) {
            candidates[count++] = (struct candidate){score, i};
        }
    }
    qsort(candidates, count, sizeof *candidates, compare);
    return count;
}

/* Selects in place: what is selected of one class of one batch comes first. */
static uint32_t select_boxes(const struct suppression *s, uint32_t batch, uint32_t class,
                             struct candidate *candidates) {
    const uint32_t count = find_candidates(s, batch, class, candidates);
    uint32_t selected = 0;
    for (uint32_t i = 0; i < count && selected < s->most; ++i) {
        const struct box box = box_at(s, batch, candidates[i].index);
        bool is_free = true;
        for (uint32_t k = 0; is_free && k < selected; ++k) {
            const struct box other = box_at(s, batch, candidates[k].index);
            is_free = !overlaps(s, &box, &other);
        }
        if (is_free) {
            candidates[selected++] = candidates[i];
        }
    }
    return selected;
}

/* A number that may be absent. */
static bool read_number(const struct onnx_call *call, uint32_t index, double otherwise, double *number) {
    uint32_t count = 0;
    *number = otherwise;
    if (onnx_input(call, index) == NULL) {
        return true;
    }
    const double *numbers = onnx_host_floats(call, index, &count);
    if (numbers == NULL || count != 1) {
        return onnx_refuse(call, "input %u is no number", (unsigned)index);
    }
    *number = numbers[0];
    return true;
}

static bool read_inputs(const struct onnx_call *call, struct suppression *s) {
    const struct onnx_tensor *corners = onnx_needed(call, 0), *scores = onnx_needed(call, 1);
    uint32_t count;
    double most, overlap, least_score;
    if (corners == NULL || scores == NULL || corners->rank != 3 || scores->rank != 3 || corners->sizes[2] != 4 ||
        corners->sizes[0] != scores->sizes[0] || corners->sizes[1] != scores->sizes[2]) {
        return onnx_refuse(call, "boxes and scores whose sizes do not fit");
    }
    if (corners->type != ONNX_FLOAT || scores->type != ONNX_FLOAT) {
        return onnx_refuse_type(call, "boxes of %s", onnx_type_name(corners->type));
    }
    if (!read_number(call, 2, 0, &most) || !read_number(call, 3, 0, &overlap) ||
        !read_number(call, 4, 0, &least_score)) {
        return false;
    }
    if (!(overlap >= 0 && overlap <= 1)) {
        return onnx_refuse(call, "an iou_threshold of %g", overlap);
    }
    s->batches = scores->sizes[0];
    s->classes = scores->sizes[1];
    s->boxes = scores->sizes[2];
    s->most = most > 0 ? (most < s->boxes ? (uint32_t)most : s->boxes) : 0;
    s->overlap = (float)overlap;
    s->least_score = (float)least_score;
    s->has_least_score = onnx_input(call, 4) != NULL;
    s->is_centered = onnx_int(call, "center_point_box", 0) != 0;
    s->corners = onnx_host_floats(call, 0, &count);
    s->scores = s->corners == NULL ? NULL : onnx_host_floats(call, 1, &count);
    return s->scores != NULL;
}

/* Triples of a batch, a class and a box. */
static bool suppress(const struct onnx_call *call) {
    struct suppression s = {0};
    if (!read_inputs(call, &s)) {
        return false;
    }
    const uint64_t room = (uint64_t)s.batches * s.classes * s.most;
    struct candidate *candidates = onnx_table(call, s.boxes, sizeof *candidates);
    int64_t *selected = onnx_table(call, room, 3 * sizeof *selected);
    uint32_t count = 0;
    if (candidates == NULL || selected == NULL) {
        return false;
    }
    for (uint32_t batch = 0; batch < s.batches; ++batch) {
        for (uint32_t class = 0; class < s.classes; ++class) {
            const uint32_t found = select_boxes(&s, batch, class, candidates);
            for (uint32_t i = 0; i < found; ++i) {
                int64_t *triple = selected + 3 * (size_t)count++;
                triple[0] = batch;
                triple[1] = class;
                triple[2] = candidates[i].index;
            }
        }
    }
    return onnx_output(call, 0, onnx_constant(call, ONNX_INT64, 2, (uint32_t[]){count, 3}, selected));
}

static const struct onnx_operator rows[] = {
    {ONNX_ML, "NonMaxSuppression", 10, suppress},
};
ONNX_DEFINE_FAMILY(suppression, rows)
