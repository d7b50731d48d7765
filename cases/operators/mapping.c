#include "cases/operators/mapping.h"

#include <assert.h>
#include <string.h>

#include "cases/generate.h"
#include "cases/number.h"

/* The field's tensor, of an array the first, whether it is there or not. */
static struct case_tensor *tensor_at(struct operator_case *c, uint32_t field) {
    return &c->tensors[field];
}

static bool is_output(const struct operator_case *c, uint32_t field) {
    return case_is_tensor(c, field) && !case_is_input(c, field);
}

static bool is_array(const struct operator_case *c, uint32_t field) {
    return c->schema->fields[field].type == VKDML_FIELD_TYPE_TENSOR_DESC_ARRAY;
}

static bool is_present_input(const struct operator_case *c, uint32_t field) {
    return case_is_tensor(c, field) && case_is_input(c, field) && c->fields[field].present;
}

static uint32_t first_output(const struct operator_case *c) {
    uint32_t field = 0;
    while (!is_output(c, field)) {
        field++;
    }
    return field;
}

static DML_TENSOR_DATA_TYPE output_type(const struct operator_case *c) {
    return c->tensors[first_output(c)].type;
}

/* ---- tensors that agree ---- */

static void agree_in_sizes(struct random *random, uint32_t what, const struct case_tensor *other,
                           struct case_tensor *tensor) {
    tensor->rank = other->rank;
    for (uint32_t d = 0; d < other->rank; d++) {
        uint32_t size = other->sizes[d];
        if ((what & VKDML_AGREE_SIZES_OR_ONE) != 0) {
            size = random_chance(random, 50) ? size : 1;
        } else if ((what & VKDML_AGREE_SIZES_DIVIDE) != 0) {
            const uint32_t block = random_between(random, 1, 8);
            size = random_chance(random, 30) ? 1 : size % block == 0 ? size / block : size;
        }
        tensor->sizes[d] = size;
    }
}

/* Type and sizes of a tensor, by the rules about earlier ones. */
static void shape(struct random *random, struct operator_case *c, uint32_t field, struct case_tensor *tensor) {
    const VkdmlFieldSchema *schema = &c->schema->fields[field];
    const uint32_t sizes = VKDML_AGREE_SIZES | VKDML_AGREE_SIZES_OR_ONE | VKDML_AGREE_SIZES_DIVIDE;
    tensor->type = generate_type(random, c, schema->name);
    for (uint32_t i = 0; i < schema->agreementCount; i++) {
        const VkdmlAgreement *agreement = &schema->agreements[i];
        if (agreement->field == VKDML_NONE || !c->fields[agreement->field].present) {
            continue;
        }
        const struct case_tensor *other = tensor_at(c, agreement->field);
        if ((agreement->what & VKDML_AGREE_DATA_TYPE) != 0 && (int)agreement->below == 0) {
            tensor->type = other->type;
        }
        if ((agreement->what & sizes) != 0) {
            agree_in_sizes(random, agreement->what, other, tensor);
        } else if ((agreement->what & VKDML_AGREE_DIMENSION_COUNT) != 0) {
            tensor->rank = other->rank;
        }
    }
    for (uint32_t i = 0; i < schema->agreementCount; i++) {
        if ((schema->agreements[i].what & VKDML_AGREE_ONE_ELEMENT) != 0) {
            for (uint32_t d = 0; d < tensor->rank; d++) {
                tensor->sizes[d] = 1;
            }
        }
    }
    if (tensor->rank == 0) {
        tensor->rank =
            random_between(random, schema->support[0].minDimensionCount, schema->support[0].maxDimensionCount);
        generate_sizes(random, generate_budget(random), tensor);
    }
}

/* All but arrays, which the family adds. */
static void add_tensors(struct random *random, struct operator_case *c) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &c->schema->fields[i];
        if (case_is_tensor(c, i) && !is_array(c, i) && !(field->optional && random_chance(random, 40))) {
            shape(random, c, i, case_tensor(c, field->name));
        }
    }
}

/* ---- layouts ---- */

static enum case_fill any_fill(struct random *random) {
    static const enum case_fill fills[] = {CASE_FILL_BITS,    CASE_FILL_SMALL,  CASE_FILL_SMALL, CASE_FILL_SPECIAL,
                                           CASE_FILL_SPECIAL, CASE_FILL_SPARSE, CASE_FILL_UNIT};
    return RANDOM_OF(random, fills);
}

/* Most operands lie alike, some are broadcast, transposed, with gaps. */
static void lay_out_input(struct random *random, const struct case_tensor *output, struct case_tensor *tensor) {
    const bool alike = tensor->rank == output->rank && tensor->type == output->type &&
                       memcmp(tensor->sizes, output->sizes, sizeof(tensor->sizes)) == 0;
    if (alike && random_chance(random, 40)) {
        tensor->has_strides = output->has_strides;
        memcpy(tensor->strides, output->strides, sizeof(tensor->strides));
    } else {
        generate_input_layout(random, tensor);
    }
    tensor->fill = any_fill(random);
    tensor->fill_permille = tensor->fill == CASE_FILL_SPARSE ? 500 : 0;
}

static void lay_out(struct random *random, struct operator_case *c) {
    const struct case_tensor *output = tensor_at(c, first_output(c));
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (is_output(c, i)) {
            generate_output_layout(random, tensor_at(c, i));
        }
    }
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        if (at.is_input) {
            lay_out_input(random, output, &c->tensors[at.slot]);
        }
    }
}

/* Puts the output where one of the inputs is that it may be bound in place of, with that one's layout. */
static void bind_in_place(struct random *random, struct operator_case *c, uint32_t field) {
    struct case_tensor *output = tensor_at(c, field);
    uint32_t ordinal = 0;
    for (uint32_t i = 0; i < field; i++) {
        if ((c->schema->fields[field].mayAliasFields >> i & 1) == 0) {
            continue;
        }
        struct case_tensor *input = tensor_at(c, i);
        if (input->type == output->type && random_chance(random, 15)) {
            const struct case_tensor before = *input;
            *input = *output;
            input->fill = before.fill;
            input->fill_permille = before.fill_permille;
            output->in_place = 1u << ordinal;
            return;
        }
        ordinal++;
    }
}

/* ---- attributes ---- */

static float ordinary_float(struct random *random) {
    static const float numbers[] = {0, 1, -1, 0.5f, -0.25f, 2, 3, 10, 0.1f, 0.01f, -3.5f, 1.0507f, 1.6732f, 100};
    return RANDOM_OF(random, numbers);
}

static uint32_t any_float(struct random *random) {
    const float value = random_chance(random, 60) ? ordinary_float(random) : number_special_float(random);
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void set_scalar(struct operator_case *c, const char *name, uint64_t bits) {
    case_set(c, name, 2, (const uint32_t[]){(uint32_t)bits, (uint32_t)(bits >> 32)});
}

static void set_enumerator(struct operator_case *c, const VkdmlFieldSchema *field, uint32_t n) {
    const bool is_type = strcmp(field->enumeration->name, "DML_TENSOR_DATA_TYPE") == 0;
    case_set_uint(c, field->name,
                  is_type ? (uint32_t)output_type(c) : (uint32_t)field->enumeration->enumerators[n].value);
}

/* Of all that may be fused any. */
static const VkdmlOperatorSchema *any_fusable(struct random *random) {
    const VkdmlOperatorSchema *schema;
    do {
        schema = vkdmlGetOperatorSchemaAt(random_below(random, vkdmlGetOperatorSchemaCount()));
    } while ((int)schema->fusableSince == 0 || schema->fusableInto != DML_OPERATOR_INVALID);
    return schema;
}

static void fuse(struct random *random, struct operator_case *c, const char *name) {
    struct case_fused *fused = case_fuse(c, name, 0, any_fusable(random)->type);
    for (uint32_t i = 0; i < fused->schema->fieldCount; i++) {
        if (fused->schema->fields[i].type == VKDML_FIELD_TYPE_FLOAT) {
            /* A steepness below 1 is refused at the older levels alone. */
            case_fused_set_float(fused, fused->schema->fields[i].name, ordinary_float(random));
        }
    }
}

static void add_attribute(struct random *random, struct operator_case *c, uint32_t field) {
    const VkdmlFieldSchema *schema = &c->schema->fields[field];
    switch (schema->type) {
    case VKDML_FIELD_TYPE_FLOAT:
        case_set(c, schema->name, 1, (const uint32_t[]){any_float(random)});
        break;
    case VKDML_FIELD_TYPE_SCALE_BIAS:
        if (random_chance(random, 40)) {
            case_set(c, schema->name, 2, (const uint32_t[]){any_float(random), any_float(random)});
        }
        break;
    case VKDML_FIELD_TYPE_ENUM:
        set_enumerator(c, schema, random_below(random, schema->enumeration->enumeratorCount));
        break;
    case VKDML_FIELD_TYPE_SCALAR_UNION: {
        const DML_TENSOR_DATA_TYPE type = output_type(c);
        const bool special = random_chance(random, 50);
        set_scalar(c, schema->name,
                   special ? number_special(type, random)
                           : number_encode_integer(type, (int64_t)random_below(random, 100)));
        break;
    }
    case VKDML_FIELD_TYPE_BOOL:
        case_set_uint(c, schema->name, random_below(random, 2));
        break;
    case VKDML_FIELD_TYPE_OPERATOR_DESC:
        if (number_is_float(output_type(c)) && random_chance(random, 60)) {
            fuse(random, c, schema->name);
        }
        break;
    default:
        break;
    }
}

static void add_attributes(struct random *random, struct operator_case *c) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (c->schema->fields[i].kind == VKDML_FIELD_KIND_ATTRIBUTE) {
            add_attribute(random, c, i);
        }
    }
}

void generate_mapping(const struct case_family *family, struct random *random, struct operator_case *c) {
    case_begin(c, family->type);
    add_tensors(random, c);
    add_attributes(random, c);
    if (family->adjust != NULL) {
        family->adjust(random, c);
    }
    lay_out(random, c);
    bind_in_place(random, c, first_output(c));
    generate_call(random, c);
}

/* ---- exhaustive ones ---- */

/* The inputs that elements may come from: all but the optional. */
static uint32_t list_inputs(const struct operator_case *c, uint32_t fields[]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        if (is_present_input(c, i)) {
            fields[count++] = i;
        }
    }
    return count;
}

/* Sets the sizes of all tensors, packed. */
static void resize(struct operator_case *c, uint32_t rank, const uint32_t *sizes) {
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        struct case_tensor *tensor = &c->tensors[at.slot];
        tensor->rank = rank;
        tensor->has_strides = 0;
        memset(tensor->sizes, 0, sizeof(tensor->sizes));
        memset(tensor->strides, 0, sizeof(tensor->strides));
        memcpy(tensor->sizes, sizes, rank * sizeof(sizes[0]));
    }
}

static void fill_all_of(struct case_tensor *tensor, enum case_fill fill, uint32_t stride0, uint32_t stride1) {
    tensor->fill = fill;
    tensor->fill_permille = 0;
    if (tensor->rank == 2) {
        tensor->has_strides = 1;
        tensor->strides[0] = stride0;
        tensor->strides[1] = stride1;
    }
}

/* Of each type that the first input may have one, and where there are attributes or other types so many. */
#define ROUNDS 3

static bool varies(const struct operator_case *c) {
    uint32_t free_types = 0, attributes = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        free_types += case_is_tensor(c, i) && case_is_input(c, i) && c->schema->fields[i].agreementCount == 0;
        attributes += c->schema->fields[i].kind == VKDML_FIELD_KIND_ATTRIBUTE;
    }
    return free_types > 1 || attributes != 0;
}

/* The n-th type of the first input; UNKNOWN where there are not so many. */
static DML_TENSOR_DATA_TYPE nth_type(const struct operator_case *c, uint32_t n) {
    uint32_t first = 0;
    while (first < c->schema->fieldCount && !(case_is_tensor(c, first) && case_is_input(c, first))) {
        first++;
    }
    for (uint32_t type = 0; first < c->schema->fieldCount && type <= DML_TENSOR_DATA_TYPE_INT4; type++) {
        if ((c->schema->fields[first].support[0].dataTypes >> type & 1) != 0 && n-- == 0) {
            return (DML_TENSOR_DATA_TYPE)type;
        }
    }
    return DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* A case whose first input has a type. */
static void begin_exhaustive(const struct case_family *family, DML_TENSOR_DATA_TYPE type, struct random *random,
                             struct operator_case *c) {
    uint32_t inputs[CASE_MAX_FIELDS] = {0};
    generate_fix_budget(1);
    do {
        case_begin(c, family->type);
        add_tensors(random, c);
        list_inputs(c, inputs);
    } while (tensor_at(c, inputs[0])->type != type);
    add_attributes(random, c);
    if (family->adjust != NULL) {
        family->adjust(random, c);
    }
    generate_fix_budget(0);
}

bool exhaust_mapping(const struct case_family *family, uint32_t number, struct operator_case *c) {
    uint32_t inputs[CASE_MAX_FIELDS] = {0};
    case_begin(c, family->type);
    const uint32_t rounds = varies(c) ? ROUNDS : 1;
    const DML_TENSOR_DATA_TYPE type = nth_type(c, number / rounds);
    if (type == DML_TENSOR_DATA_TYPE_UNKNOWN) {
        return false;
    }
    struct random random = {.state = random_mix((uint64_t)family->type, number)};
    begin_exhaustive(family, type, &random, c);
    const uint32_t count = list_inputs(c, inputs);
    if (count > 2) {
        return false;
    }
    struct case_tensor *a = tensor_at(c, inputs[0]), *b = tensor_at(c, inputs[count - 1]);
    const uint32_t bits = number_bits(a->type);
    const bool all = bits <= (count == 1 ? 16u : 8u) && number_bits(b->type) == bits;
    const enum case_fill fill = all ? CASE_FILL_COUNTED : CASE_FILL_LISTED;
    const uint32_t columns = all ? 1u << bits : number_listed_count(a->type);
    const uint32_t rows = all ? 1u << bits : number_listed_count(b->type);
    if (count == 1) {
        /* As many channels as a rule may want. */
        resize(c, 4, (const uint32_t[]){1, a->rank == 4 ? a->sizes[1] : 1, 1, columns});
        fill_all_of(a, fill, 0, 0);
    } else {
        resize(c, 2, (const uint32_t[]){rows, columns});
        fill_all_of(a, fill, 0, 1);
        fill_all_of(b, fill, 1, 0);
    }
    return true;
}

/* ---- benchmarks ---- */

#define ROW_BYTES 4096u
#define GAP       64u /* elements */

/* Of types that no rule binds to the first input's. */
static DML_TENSOR_DATA_TYPE free_type(const VkdmlFieldSchema *field, DML_TENSOR_DATA_TYPE wanted) {
    static const DML_TENSOR_DATA_TYPE preferred[] = {DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_DATA_TYPE_FLOAT32,
                                                     DML_TENSOR_DATA_TYPE_UINT32};
    DML_TENSOR_DATA_TYPE type = wanted;
    for (size_t i = 0; (field->support[0].dataTypes >> type & 1) == 0; i++) {
        assert(i < sizeof(preferred) / sizeof(preferred[0]));
        type = preferred[i];
    }
    return type;
}

static void choose_types(struct operator_case *c, DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE to) {
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &c->schema->fields[i];
        if (!case_is_tensor(c, i) || is_array(c, i)) {
            continue;
        }
        struct case_tensor *tensor = case_tensor(c, field->name);
        tensor->type = free_type(field, is_output(c, i) && to != DML_TENSOR_DATA_TYPE_UNKNOWN ? to : type);
        for (uint32_t a = 0; a < field->agreementCount; a++) {
            if ((field->agreements[a].what & VKDML_AGREE_DATA_TYPE) != 0 && (int)field->agreements[a].below == 0) {
                tensor->type = tensor_at(c, field->agreements[a].field)->type;
            }
        }
    }
}

/* The most bits that an element of any tensor has. */
static DML_TENSOR_DATA_TYPE widest(const struct operator_case *c) {
    DML_TENSOR_DATA_TYPE type = output_type(c);
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        type = number_bits(at.tensor->type) > number_bits(type) ? at.tensor->type : type;
    }
    return type;
}

static void choose_sizes(struct operator_case *c, uint64_t bytes, enum mapping_layout layout) {
    struct case_tensor model = {.type = widest(c)};
    const uint32_t width = ROW_BYTES * 8 / number_bits(model.type);
    if (layout == MAPPING_CHANNELS) {
        benchmark_images(&model, bytes, model.type);
    } else if (layout == MAPPING_TRANSPOSED) {
        uint32_t side = 64;
        while ((uint64_t)(side + 64) * (side + 64) * number_bits(model.type) / 8 <= bytes) {
            side += 64;
        }
        benchmark_tensor(&model, model.type, 2, (const uint32_t[]){side, side});
    } else {
        benchmark_tensor(&model, model.type, 2, (const uint32_t[]){benchmark_size(bytes, model.type, width, 1), width});
    }
    resize(c, model.rank, model.sizes);
}

static void set_layout(struct case_tensor *tensor, enum mapping_layout layout) {
    const uint32_t width = tensor->sizes[1];
    const uint32_t strides[][4] = {
        [MAPPING_ROWS] = {0, 1},
        [MAPPING_COLUMNS] = {1, 0},
        [MAPPING_CHANNELS] = {0, 1},
        [MAPPING_SCALAR] = {0, 0},
        [MAPPING_STRIDED_ROWS] = {width + GAP, 1},
        [MAPPING_TRANSPOSED] = {1, width},
    };
    if (layout != MAPPING_PACKED) {
        tensor->has_strides = 1;
        memcpy(tensor->strides, strides[layout], sizeof(strides[layout]));
    }
}

/* Those of operators with several: the first is the least. */
static float benchmark_float(uint32_t n) {
    static const float numbers[] = {0.75f, 1.5f, 2};
    return numbers[n % 3];
}

static void choose_attributes(struct operator_case *c, uint32_t argument) {
    uint32_t floats = 0;
    for (uint32_t i = 0; i < c->schema->fieldCount; i++) {
        const VkdmlFieldSchema *field = &c->schema->fields[i];
        if (field->type == VKDML_FIELD_TYPE_FLOAT) {
            case_set_float(c, field->name, benchmark_float(floats++));
        } else if (field->type == VKDML_FIELD_TYPE_ENUM) {
            set_enumerator(c, field, 0);
        } else if (field->type == VKDML_FIELD_TYPE_SCALAR_UNION) {
            set_scalar(c, field->name, number_encode_integer(output_type(c), ++floats));
        } else if (field->type == VKDML_FIELD_TYPE_SCALE_BIAS && (argument & MAPPING_SCALED) != 0) {
            case_set(c, field->name, 2, (const uint32_t[]){0x3fc00000, 0x3e800000}); /* 1.5 and 0.25 */
        } else if (field->type == VKDML_FIELD_TYPE_OPERATOR_DESC && (argument & MAPPING_FUSED) != 0) {
            case_fuse(c, field->name, 0, DML_OPERATOR_ACTIVATION_RELU);
        }
    }
}

void benchmark_mapping(uint64_t bytes, DML_TENSOR_DATA_TYPE type, uint32_t argument, struct operator_case *c) {
    const enum mapping_layout layout = (enum mapping_layout)(argument & MAPPING_LAYOUT);
    uint32_t inputs[CASE_MAX_FIELDS];
    choose_types(c, type, (DML_TENSOR_DATA_TYPE)(argument >> 8 & 0xFF));
    choose_sizes(c, bytes, layout);
    choose_attributes(c, argument);
    const uint32_t count = list_inputs(c, inputs);
    for (uint32_t i = 0; i < count; i++) {
        struct case_tensor *input = tensor_at(c, inputs[i]);
        input->fill = (argument & MAPPING_ABOVE_ONE) != 0 ? CASE_FILL_ABOVE_ONE : CASE_FILL_UNIT;
        if (i == count - 1 || (i > 0 && (layout == MAPPING_CHANNELS || layout == MAPPING_SCALAR))) {
            set_layout(input, layout);
        }
    }
}

const struct case_benchmark mapping_packed[] = {
    MAPPING_BENCHMARK("packed", CASE_TYPES_UP_TO_64, MAPPING_PACKED),
};

const struct case_benchmark mapping_of_layouts[] = {
    MAPPING_BENCHMARK("packed", CASE_TYPES_UP_TO_64, MAPPING_PACKED),
    MAPPING_BENCHMARK("broadcast/rows", CASE_TYPES_UP_TO_64, MAPPING_ROWS),
    MAPPING_BENCHMARK("broadcast/columns", CASE_TYPES_UP_TO_64, MAPPING_COLUMNS),
    MAPPING_BENCHMARK("broadcast/channels", CASE_TYPES_UP_TO_64, MAPPING_CHANNELS),
    MAPPING_BENCHMARK("strided_rows", CASE_TYPES_UP_TO_64, MAPPING_STRIDED_ROWS),
    MAPPING_BENCHMARK("transposed", CASE_TYPES_UP_TO_64, MAPPING_TRANSPOSED),
};

const struct case_benchmark mapping_above_one[] = {
    MAPPING_BENCHMARK("packed", CASE_TYPES_UP_TO_64, MAPPING_PACKED | MAPPING_ABOVE_ONE),
};
