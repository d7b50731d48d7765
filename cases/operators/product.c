/* Cases of GEMM. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/family.h"
#include "cases/generate.h"
#include "cases/loops.h"
#include "cases/support.h"
#include "cases/terms.h"

/* The fields' places in the descriptor, which are the tensors' slots. */
enum { A, B, C, OUT, TRANS_A, TRANS_B, ALPHA, BETA };

static float float_of(const struct operator_case *c, uint32_t field) {
    float value;
    memcpy(&value, c->fields[field].words, sizeof(value));
    return value;
}

/* ---- what results may be ---- */

static struct terms terms_at(const struct operator_case *c, const unsigned char *const *tensors, const uint32_t *at) {
    const uint32_t rank = c->tensors[OUT].rank, row = rank - 2, column = rank - 1;
    const bool turns_a = c->fields[TRANS_A].words[0] != 0, turns_b = c->fields[TRANS_B].words[0] != 0;
    const double alpha = (double)float_of(c, ALPHA), beta = (double)float_of(c, BETA);
    const uint32_t depth = c->tensors[A].sizes[turns_a ? row : column];
    struct terms terms = {.depth = depth};
    uint32_t of_a[CASE_MAX_RANK], of_b[CASE_MAX_RANK];
    memcpy(of_a, at, sizeof(of_a));
    memcpy(of_b, at, sizeof(of_b));
    of_a[turns_a ? column : row] = at[row];
    of_b[turns_b ? row : column] = at[column];
    for (uint32_t k = 0; k < depth; k++) {
        of_a[turns_a ? row : column] = k;
        of_b[turns_b ? column : row] = k;
        const double factors[] = {case_number(c, tensors, A, of_a), case_number(c, tensors, B, of_b)};
        terms_add_product(c, &terms, (const uint32_t[]){A, B}, factors);
    }
    terms.largest = terms.magnitudes;
    terms.value *= alpha;
    terms.magnitudes *= fabs(alpha);
    terms.lost *= fabs(alpha);
    if (c->fields[C].present) {
        terms_add(c, &terms, C, case_number(c, tensors, C, at), beta);
    }
    return terms;
}

/* What the sum may be off. */
static double distance_of(const struct operator_case *c, const struct terms *t) {
    return accuracy_of_terms(c, t->depth) * t->magnitudes +
           (t->depth * fabs((double)float_of(c, ALPHA)) + t->depth + 4) * 0x1p-126;
}

/* The fields of SOFTMAX1 that say its dimensions. */
enum { AXIS_COUNT = 2, AXES };

static bool has_type(const struct case_fused *fused, DML_OPERATOR_TYPE type) {
    return fused->schema != NULL && fused->schema->type == type;
}

static bool is_folded(const struct operator_case *c, uint32_t dimension) {
    const struct case_field *axes = &c->fused[0].fields[AXES];
    bool is_named = false;
    for (uint32_t i = 0; i < axes->word_count; i++) {
        is_named = is_named || axes->words[i] == dimension;
    }
    return has_type(&c->fused[0], DML_OPERATOR_ACTIVATION_SOFTMAX1) ? is_named : dimension + 1 == c->tensors[OUT].rank;
}

static bool is_within_float(const struct terms *t) {
    return t->magnitudes <= FLT_MAX && t->largest <= FLT_MAX;
}

static struct accuracy_bounds softmax_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                             const uint32_t *at) {
    struct case_tensor box = {.rank = c->tensors[OUT].rank};
    uint32_t in_box[CASE_MAX_RANK] = {0};
    double farthest = 0, powers = 0;
    const struct terms own = terms_at(c, tensors, at);
    for (uint32_t d = 0; d < box.rank; d++) {
        box.sizes[d] = is_folded(c, d) ? c->tensors[OUT].sizes[d] : 1;
    }
    do {
        uint32_t other[CASE_MAX_RANK];
        for (uint32_t d = 0; d < box.rank; d++) {
            other[d] = is_folded(c, d) ? in_box[d] : at[d];
        }
        const struct terms t = terms_at(c, tensors, other);
        farthest = fmax(farthest, is_within_float(&t) ? distance_of(c, &t) + t.lost : (double)INFINITY);
        powers += exp(t.value - own.value);
    } while (case_next_coordinates(&box, in_box));
    if (farthest > 1) {
        return (struct accuracy_bounds){0, 1, true};
    }
    const double factor = exp(2 * farthest) * (1 + c->fused[0].schema->accuracy.ofResult.fixed * 0x1p-24);
    return (struct accuracy_bounds){1 / powers / factor - 0x1p-125, factor / powers + 0x1p-125, false};
}

static struct accuracy_bounds gemm_bounds(const struct operator_case *c, const unsigned char *const *tensors,
                                          const uint32_t *at) {
    if (has_type(&c->fused[0], DML_OPERATOR_ACTIVATION_SOFTMAX) ||
        has_type(&c->fused[0], DML_OPERATOR_ACTIVATION_SOFTMAX1)) {
        return softmax_bounds(c, tensors, at);
    }
    const struct terms t = terms_at(c, tensors, at);
    return terms_bounds(c, &t, distance_of(c, &t));
}

static struct accuracy_exact gemm_exact(const struct operator_case *c, const unsigned char *const *tensors,
                                        const uint32_t *at) {
    const struct terms t = terms_at(c, tensors, at);
    return terms_exact(c, &t);
}

/* ---- random cases ---- */

static void set_sizes(struct case_tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rank, const uint32_t *batches,
                      uint32_t rows, uint32_t columns) {
    tensor->type = type;
    tensor->rank = rank;
    memcpy(tensor->sizes, batches + 4 - rank, (rank - 2) * sizeof(*batches));
    tensor->sizes[rank - 2] = rows;
    tensor->sizes[rank - 1] = columns;
}

static void fuse_softmax(struct random *random, struct operator_case *c) {
    const uint32_t rank = c->tensors[OUT].rank;
    uint32_t order[CASE_MAX_RANK];
    if (rank == 2 && random_chance(random, 30)) {
        case_fuse(c, "FusedActivation", 0, DML_OPERATOR_ACTIVATION_SOFTMAX);
        return;
    }
    struct case_fused *fused = case_fuse(c, "FusedActivation", 0, DML_OPERATOR_ACTIVATION_SOFTMAX1);
    random_permutation(random, rank, order);
    const uint32_t count = random_between(random, 1, rank);
    fused->fields[AXIS_COUNT] = (struct case_field){.present = 1, .word_count = 1, .words = {count}};
    fused->fields[AXES] = (struct case_field){.present = 1, .word_count = count};
    memcpy(fused->fields[AXES].words, order, count * sizeof(*order));
}

static void generate_gemm(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_SMALL, CASE_FILL_BITS,
                                           CASE_FILL_SPECIAL};
    static const float alphas[] = {1, 1, 1, 0.5f, -2, 0, 1e-3f}, betas[] = {1, 1, 0.25f, -3, 0};
    case_begin(c, family->type);
    const uint32_t budget = 16 * generate_budget(random); /* products */
    uint32_t order[3], sizes[3];
    random_permutation(random, 3, order);
    uint32_t left = budget;
    for (uint32_t i = 0; i < 3; i++) {
        sizes[order[i]] = generate_tile_size(random, left);
        left /= sizes[order[i]];
    }
    const uint32_t rank = random_between(random, 2, 4);
    const uint32_t inner = rank > 2 && left > 1 ? random_between(random, 1, left < 5 ? left : 5) : 1;
    const uint32_t batches[] = {rank > 3 && left / inner > 1 ? random_between(random, 1, 2) : 1, inner};
    const uint32_t m = sizes[0], n = sizes[1], k = sizes[2];
    const bool fuses_softmax = (uint64_t)m * n * inner * batches[0] <= 400 && k <= 64 && random_chance(random, 50);
    const bool turns_a = random_chance(random, 50), turns_b = random_chance(random, 50);
    struct case_tensor *a = case_tensor(c, "ATensor"), *b = case_tensor(c, "BTensor"),
                       *out = case_tensor(c, "OutputTensor");
    const DML_TENSOR_DATA_TYPE type = generate_type(random, c, "ATensor");
    set_sizes(a, type, rank, batches, turns_a ? k : m, turns_a ? m : k);
    set_sizes(b, type, rank, batches, turns_b ? n : k, turns_b ? k : n);
    set_sizes(out, type, rank, batches, m, n);
    a->fill = RANDOM_OF(random, fills);
    b->fill = a->fill == CASE_FILL_SPECIAL ? CASE_FILL_UNIT : a->fill;
    generate_input_layout(random, a);
    generate_input_layout(random, b);
    if (random_chance(random, 50)) {
        struct case_tensor *other = case_tensor(c, "CTensor");
        set_sizes(other, type, rank, batches, m, n);
        other->fill = CASE_FILL_UNIT;
        generate_input_layout(random, other);
    }
    generate_output_layout(random, out);
    case_set_uint(c, "TransA", turns_a);
    case_set_uint(c, "TransB", turns_b);
    case_set_float(c, "Alpha", RANDOM_OF(random, alphas));
    case_set_float(c, "Beta", RANDOM_OF(random, betas));
    if (fuses_softmax) {
        fuse_softmax(random, c);
    } else if (random_chance(random, 30)) {
        terms_fuse(random, c);
    }
    generate_call(random, c);
}

#define GEMM_SUPPORT CASE_SUPPORT(AT_LEVEL(1_0, 4, 4, FLOATS), AT_LEVEL(4_0, 2, 4, FLOATS))
static const struct case_tensor_support gemm_support[] = {
    {"ATensor", GEMM_SUPPORT}, {"BTensor", GEMM_SUPPORT}, {"CTensor", GEMM_SUPPORT}, {"OutputTensor", GEMM_SUPPORT}};

#define PLAIN " TransA=NONE TransB=NONE Alpha=1 Beta=0"
/* ATensor of {m, k}, BTensor of {k, n}. */
#define RANDOM(seed, type, a, b, out)                                                                                  \
    "GEMM seed=" seed " ATensor=" type a " ATensor.fill=UNIT BTensor=" type b                                          \
    " BTensor.fill=UNIT OutputTensor=" type out
/* A function of the elements themselves. */
#define FUSED(seed, type, activation)                                                                                  \
    "GEMM seed=" seed " ATensor=" type "[300,1] ATensor.fill=UNIT BTensor=" type                                       \
    "[1,1] BTensor.data=1 OutputTensor=" type                                                                          \
    "[300,1] TransA=NONE TransB=NONE Alpha=1 Beta=0 FusedActivation=" activation
static const char *const gemm_fixed[] = {
    "GEMM ATensor=FLOAT32[1,1,2,2] ATensor.data=1,2,3,4 BTensor=FLOAT32[1,1,2,2] BTensor.data=5,6,7,8 "
    "OutputTensor=FLOAT32[1,1,2,2] OutputTensor.data=19,22,43,50" PLAIN,
    "GEMM ATensor=FLOAT32[2,3] ATensor.data=1,4,2,5,3,6 BTensor=FLOAT32[2,2] BTensor.data=1,0,0,1 "
    "OutputTensor=FLOAT32[3,2] OutputTensor.data=1,5,4,3,2,6 TransA=TRANSPOSE TransB=NONE Alpha=1 Beta=0",
    "GEMM ATensor=FLOAT16[2,2] ATensor.data=1,2,3,4 BTensor=FLOAT16[3,2] BTensor.data=1,1,2,0,0,2 CTensor=FLOAT16[2,3] "
    "CTensor.data=1,2,3,4,5,6 OutputTensor=FLOAT16[2,3] OutputTensor.data=8,8,14,22,22,28 TransA=NONE "
    "TransB=TRANSPOSE Alpha=2 Beta=2",
    /* One row of C for all, and a function of what comes out. */
    "GEMM ATensor=FLOAT32[2,1] ATensor.data=1,-1 BTensor=FLOAT32[1,2] BTensor.data=3,-2 CTensor=FLOAT32[2,2] "
    "CTensor.strides=0,1 CTensor.data=1,1,1,1 OutputTensor=FLOAT32[2,2] OutputTensor.data=4,0,0,3 TransA=NONE "
    "TransB=NONE Alpha=1 Beta=1 FusedActivation=RELU",
    /* Of rows, and of columns. */
    "GEMM ATensor=FLOAT32[2,1] ATensor.data=0,1 BTensor=FLOAT32[1,2] BTensor.data=0,2 OutputTensor=FLOAT32[2,2] "
    "OutputTensor.data=0.5,0.5,0.11920292,0.88079708 TransA=NONE TransB=NONE Alpha=1 Beta=0 FusedActivation=SOFTMAX",
    "GEMM ATensor=FLOAT16[1,1,2,1] ATensor.data=0,1 BTensor=FLOAT16[1,1,1,2] BTensor.data=0,2 "
    "OutputTensor=FLOAT16[1,1,2,2] OutputTensor.data=0.5,0.11920166,0.5,0.8808594 TransA=NONE TransB=NONE Alpha=1 "
    "Beta=0 FusedActivation=SOFTMAX1 FusedActivation.AxisCount=1 FusedActivation.Axes=2",
    /* Of no dimension: each element is alone. */
    "GEMM level=6_3 ATensor=FLOAT32[1,2] ATensor.data=1,-2 BTensor=FLOAT32[2,1] BTensor.data=3,0 "
    "OutputTensor=FLOAT32[2,2] OutputTensor.data=1,1,1,1 TransA=TRANSPOSE TransB=TRANSPOSE Alpha=1 Beta=0 "
    "FusedActivation=SOFTMAX1 FusedActivation.AxisCount=0",
    /* Infinities and NaN. */
    "GEMM ATensor=FLOAT32[2,2] ATensor.data=inf,0,nan,1 BTensor=FLOAT32[2,2] BTensor.data=1,0,1,1 "
    "OutputTensor=FLOAT32[2,2] OutputTensor.data=inf,nan,nan,nan" PLAIN,
    /* Sums of FLOAT16 products stay FLOAT32 until the end. */
    "GEMM ATensor=FLOAT16[1,3] ATensor.data=60000,60000,-60000 BTensor=FLOAT16[3,1] BTensor.data=1,1,1 "
    "OutputTensor=FLOAT16[1,1] OutputTensor.data=60000" PLAIN,
    /* Whole tiles of each size, and what is beyond. */
    RANDOM("1", "FLOAT32", "[128,64]", "[64,128]", "[128,128]") PLAIN,
    RANDOM("2", "FLOAT16", "[64,48]", "[48,192]", "[64,192]") PLAIN,
    RANDOM("3", "FLOAT32", "[131,67]", "[67,129]", "[131,129]") PLAIN,
    RANDOM("4", "FLOAT16", "[33,31]", "[31,35]", "[33,35]") PLAIN,
    RANDOM("5", "FLOAT32", "[64,96]", "[80,96]", "[64,80]") " TransA=NONE TransB=TRANSPOSE Alpha=1 Beta=0",
    RANDOM("6", "FLOAT32", "[96,64]", "[96,80]", "[64,80]") " TransA=TRANSPOSE TransB=NONE Alpha=1 Beta=0",
    RANDOM("7", "FLOAT16", "[96,64]", "[80,96]", "[64,80]") " TransA=TRANSPOSE TransB=TRANSPOSE Alpha=1 Beta=0",
    /* Long sums have shares; those of more than 16384 must. */
    RANDOM("8", "FLOAT32", "[4,5000]", "[5000,6]", "[4,6]") PLAIN,
    RANDOM("9", "FLOAT32", "[1,40000]", "[40000,2]", "[1,2]") PLAIN,
    RANDOM("10", "FLOAT16", "[3,33001]", "[2,33001]", "[3,2]") " TransA=NONE TransB=TRANSPOSE Alpha=1 Beta=0",
    /* Thin ones. */
    RANDOM("11", "FLOAT32", "[1,300]", "[300,1000]", "[1,1000]") PLAIN,
    RANDOM("12", "FLOAT32", "[1000,300]", "[300,1]", "[1000,1]") PLAIN,
    RANDOM("13", "FLOAT32", "[500,1]", "[1,400]", "[500,400]") PLAIN,
    /* Batches that share B are one product; those that do not are many. */
    "GEMM seed=14 ATensor=FLOAT32[2,3,40,32] ATensor.fill=UNIT BTensor=FLOAT32[2,3,32,24] BTensor.strides=0,0,24,1 "
    "BTensor.fill=UNIT OutputTensor=FLOAT32[2,3,40,24]" PLAIN,
    "GEMM seed=15 ATensor=FLOAT16[2,3,40,32] ATensor.fill=UNIT BTensor=FLOAT16[2,3,32,24] BTensor.fill=UNIT "
    "OutputTensor=FLOAT16[2,3,40,24]" PLAIN,
    /* All that may be fused. */
    TERMS_FUSED(FUSED),
    /* Columns of the output side by side. */
    "GEMM seed=16 ATensor=FLOAT32[40,32] ATensor.fill=UNIT BTensor=FLOAT32[32,24] BTensor.fill=UNIT "
    "CTensor=FLOAT32[40,24] "
    "CTensor.fill=UNIT OutputTensor=FLOAT32[40,24] OutputTensor.strides=1,40 TransA=NONE TransB=NONE Alpha=1 Beta=0.5",
};

static const char *const gemm_repeated[] = {
    RANDOM("1", "FLOAT32", "[40,5000]", "[5000,36]", "[40,36]") PLAIN,
    RANDOM("2", "FLOAT16", "[100,200]", "[200,70]", "[100,70]") PLAIN,
};

#define REFUSED(a, b, c, out) "GEMM ATensor=FLOAT32" a " BTensor=FLOAT32" b c " OutputTensor=FLOAT32" out PLAIN
static const struct case_refusal gemm_refused[] = {
    {REFUSED("[2,3]", "[4,5]", "", "[2,5]"),
     "DML_OPERATOR_GEMM: BTensor.Sizes[0] is 4, must be 3 = ATensor.Sizes[1], what is summed"},
    {REFUSED("[2,3]", "[3,5]", "", "[3,5]"),
     "DML_OPERATOR_GEMM: OutputTensor.Sizes[0] is 3, must be 2 = ATensor.Sizes[0], the rows"},
    {REFUSED("[2,3]", "[3,5]", "", "[2,6]"),
     "DML_OPERATOR_GEMM: OutputTensor.Sizes[1] is 6, must be 5 = BTensor.Sizes[1], the columns"},
    {REFUSED("[2,2,3]", "[3,3,5]", "", "[2,2,5]"),
     "DML_OPERATOR_GEMM: BTensor.Sizes[0] is 3, must be 2 = ATensor.Sizes[0], a batch"},
    {REFUSED("[2,3]", "[3,5]", " CTensor=FLOAT32[1,5]", "[2,5]"),
     "DML_OPERATOR_GEMM: CTensor.Sizes[0] is 1, must be 2 = OutputTensor.Sizes[0], as all sizes of both"},
    {REFUSED("[2,2,3]", "[2,3,5]", "", "[2,2,5]") " FusedActivation=SOFTMAX",
     "DML_OPERATOR_GEMM: FusedActivation: OutputTensor has 3 dimensions without leading ones, must have at most 2"},
    {REFUSED("[2,3]", "[3,5]", "",
             "[2,5]") " FusedActivation=SOFTMAX1 FusedActivation.AxisCount=1 FusedActivation.Axes=2",
     "DML_OPERATOR_GEMM: FusedActivation: Axes[0] is 2, must be below 2 = OutputTensor.DimensionCount"},
    {"GEMM level=6_0 ATensor=FLOAT32[2,3] BTensor=FLOAT32[3,5] OutputTensor=FLOAT32[2,5]" PLAIN
     " FusedActivation=SOFTMAX",
     "DML_OPERATOR_GEMM: FusedActivation: DML_OPERATOR_ACTIVATION_SOFTMAX needs DML_FEATURE_LEVEL_6_1 to be fused, the "
     "feature level is 6_0"},
};

/* ---- benchmarks ---- */

/* The argument: what is transposed, and the shape. */
#define TURNS_A   1u
#define TURNS_B   2u
#define IS_VECTOR 4u
#define IS_ODD    8u
#define IS_BATCH  16u
#define HAS_RELU  32u
#define HAS_TANH  64u

static void make_gemm(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const uint64_t elements = bytes / (type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 4);
    uint32_t side = 16;
    while ((uint64_t)4 * side * side <= elements) {
        side *= 2;
    }
    uint32_t m = side, n = side, k = side, batches = 1;
    if ((argument & IS_ODD) != 0) {
        m = n = k = side - 1;
    } else if ((argument & IS_VECTOR) != 0) {
        n = 1;
    } else if ((argument & IS_BATCH) != 0) {
        m = n = 512;
        k = 64;
        const uint64_t most = UINT32_MAX / (512 * 512); /* of the product, which has fewer than 2^32 elements */
        batches = (uint32_t)(elements / (512 * 64) < most ? elements / (512 * 64) : most);
        batches = batches == 0 ? 1 : batches;
    }
    const bool turns_a = (argument & TURNS_A) != 0, turns_b = (argument & TURNS_B) != 0;
    case_begin(c, DML_OPERATOR_GEMM);
    benchmark_tensor(case_tensor(c, "ATensor"), type, 4,
                     (const uint32_t[]){1, batches, turns_a ? k : m, turns_a ? m : k});
    benchmark_tensor(case_tensor(c, "BTensor"), type, 4,
                     (const uint32_t[]){1, batches, turns_b ? n : k, turns_b ? k : n});
    benchmark_tensor(case_tensor(c, "OutputTensor"), type, 4, (const uint32_t[]){1, batches, m, n});
    case_tensor(c, "ATensor")->fill = CASE_FILL_UNIT;
    case_tensor(c, "BTensor")->fill = CASE_FILL_UNIT;
    case_set_uint(c, "TransA", turns_a);
    case_set_uint(c, "TransB", turns_b);
    case_set_float(c, "Alpha", 1);
    if ((argument & (HAS_RELU | HAS_TANH)) != 0) {
        case_fuse(c, "FusedActivation", 0,
                  (argument & HAS_RELU) != 0 ? DML_OPERATOR_ACTIVATION_RELU : DML_OPERATOR_ACTIVATION_TANH);
    }
}

/* Packed FLOAT32 without C, by blocks that fit the first-level cache. */
static void gemm_loop(const struct operator_case *c, unsigned char *const *tensors) {
    const struct case_tensor *a = &c->tensors[A], *out = &c->tensors[OUT];
    const bool turns_a = c->fields[TRANS_A].words[0] != 0, turns_b = c->fields[TRANS_B].words[0] != 0;
    const size_t m = out->sizes[2], n = out->sizes[3], k = a->sizes[turns_a ? 2 : 3];
    const size_t a_row = turns_a ? 1 : k, a_column = turns_a ? m : 1, b_row = turns_b ? 1 : n,
                 b_column = turns_b ? k : 1;
    enum { BLOCK = 64 };
    memset(tensors[OUT], 0, case_element_count(out) * sizeof(float));
    for (size_t batch = 0; batch < out->sizes[1]; batch++) {
        const float *as = (const float *)(const void *)tensors[A] + batch * m * k;
        const float *bs = (const float *)(const void *)tensors[B] + batch * k * n;
        float *outs = (float *)(void *)tensors[OUT] + batch * m * n;
        for (size_t k_first = 0; k_first < k; k_first += BLOCK) {
            for (size_t n_first = 0; n_first < n; n_first += BLOCK) {
                const size_t k_end = k_first + BLOCK < k ? k_first + BLOCK : k;
                const size_t n_end = n_first + BLOCK < n ? n_first + BLOCK : n;
                for (size_t i = 0; i < m; i++) {
                    for (size_t l = k_first; l < k_end; l++) {
                        const float x = as[i * a_row + l * a_column];
                        for (size_t j = n_first; j < n_end; j++) {
                            outs[i * n + j] += x * bs[l * b_row + j * b_column];
                        }
                    }
                }
            }
        }
    }
}

/* The loop is of FLOAT32. */
#define BENCHMARK(name, argument)                                                                                      \
    {name, CASE_TYPE(FLOAT32), argument, 0, make_gemm, gemm_loop}, {                                                   \
        name, CASE_TYPE(FLOAT16), argument, 0, make_gemm, NULL                                                         \
    }
static const struct case_benchmark gemm_benchmarks[] = {
    BENCHMARK("gemm/nn", 0),
    BENCHMARK("gemm/nt", TURNS_B),
    BENCHMARK("gemm/tn", TURNS_A),
    BENCHMARK("gemm/tt", TURNS_A | TURNS_B),
    BENCHMARK("gemm/odd", IS_ODD),
    BENCHMARK("gemm/vector", IS_VECTOR),
    BENCHMARK("gemm/batch", IS_BATCH | TURNS_B),
    {"gemm/nn_relu", CASE_TYPE(FLOAT32) | CASE_TYPE(FLOAT16), HAS_RELU, 0, make_gemm, NULL},
    {"gemm/nn_tanh", CASE_TYPE(FLOAT32) | CASE_TYPE(FLOAT16), HAS_TANH, 0, make_gemm, NULL},
};

static double gemm_operations(const struct operator_case *c) {
    const uint32_t depth = c->tensors[A].sizes[c->tensors[A].rank - (c->fields[TRANS_A].words[0] != 0 ? 2 : 1)];
    return 2 * (double)case_element_count(&c->tensors[OUT]) * depth;
}

CASE_FAMILY(gemm, GEMM, CASE_REPEATED(gemm_repeated), .has_frame = true, .generate = generate_gemm, .group = "product",
            CASE_BENCHMARKS(gemm_benchmarks), .operations = gemm_operations, .bounds = gemm_bounds,
            .exact = gemm_exact);
