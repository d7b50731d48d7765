/* A graph that is compiled for many sizes must not wait for pipelines after the first time: whatever the sizes of the
 * tensors are, the steps of a general plan have pipelines that the general plan for the first sizes has, or its spare
 * steps. Each operator has a family of cases here, or is an exception. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"
#include "plan_fixture.h"

/* What n, h and w stand for. The first are those that the others are compared with; of lengths some others, too. */
struct sizes {
    uint32_t n, h, w;
};

#define MOST_SIZES 16

/* Sizes of at least two, or four; rows that are walked in all ways, few or many of them; queries and keys that are. */
enum which { ANY, TWO, FOUR, LENGTHS, ATTENDED };

static const struct sizes sizes_of[][MOST_SIZES] = {
    [ANY] = {{1, 48, 320},
             {1, 1, 1},
             {1, 7, 1},
             {1, 1, 9},
             {2, 1, 1},
             {3, 5, 33},
             {6, 48, 328},
             {1, 64, 2},
             {2, 2048, 1},
             {1, 1100, 1030}},
    [TWO] = {{1, 48, 320},
             {1, 2, 2},
             {1, 7, 2},
             {1, 2, 9},
             {2, 3, 3},
             {3, 5, 33},
             {6, 48, 328},
             {1, 64, 2},
             {2, 2048, 2},
             {1, 1100, 1030}},
    [FOUR] = {{1, 48, 320},
              {1, 4, 4},
              {1, 7, 4},
              {1, 4, 9},
              {2, 5, 5},
              {3, 5, 33},
              {6, 48, 328},
              {1, 64, 6},
              {2, 2048, 4},
              {1, 1100, 1030}},
    [LENGTHS] = {{1, 20, 20},
                 {1, 1, 1},
                 {3, 7, 7},
                 {1, 8, 8},
                 {2, 30, 24},
                 {2, 31, 72},
                 {1, 1, 24},
                 {5, 24, 1},
                 {1, 400, 400},
                 {1, 402, 402},
                 {1, 33, 1600},
                 {1, 64, 12000},
                 {2, 64, 40000},
                 {1, 1, 40000},
                 {1, 1, 4000003},
                 {1, 70001, 3}},
    [ATTENDED] = {{1, 20, 20},
                  {1, 1, 1},
                  {3, 7, 7},
                  {1, 1, 40},
                  {2, 8, 72},
                  {2, 13, 4000},
                  {1, 1, 24},
                  {5, 24, 1},
                  {1, 400, 400},
                  {300, 402, 402},
                  {1, 33, 1600},
                  {1, 64, 12000},
                  {9, 64, 12},
                  {1, 1, 40000},
                  {20, 300, 15},
                  {1, 20001, 3}},
};

struct family {
    enum which which;
    const char *text;
};

static const struct family families[] = {
#include "plan_general_families.inc"
};

/* Operators whose general plans may need other pipelines for other sizes. */
static const struct {
    const char *name;
    const char *why;
} exceptions[] = {
    {"AVERAGE_POOLING_GRAD", "of training, whose sizes do not change"},
    {"BATCH_NORMALIZATION_GRAD", "of training"},
    {"BATCH_NORMALIZATION_TRAINING", "of training"},
    {"BATCH_NORMALIZATION_TRAINING_GRAD", "of training"},
    {"LOCAL_RESPONSE_NORMALIZATION_GRAD", "of training"},
    {"MAX_POOLING_GRAD", "of training"},
    {"RESAMPLE_GRAD", "of training"},
    {"RESAMPLE_GRAD1", "of training"},
    {"ROI_ALIGN_GRAD", "of training"},
    {"SLICE_GRAD", "of training"},
    {"LOCAL_RESPONSE_NORMALIZATION", "the order of its sums depends on sizes; of networks for pictures of one size"},
};

/* ---- cases ---- */

/* A family's, or that of an operator all of whose tensors have the same sizes. */
struct source {
    const char *text; /* NULL: of an operator */
    DML_OPERATOR_TYPE type;
    DML_TENSOR_DATA_TYPE in, out;
};

static uint32_t operand(const char **at, const struct sizes *sizes) {
    uint32_t value = 0;
    if (!isdigit((unsigned char)**at)) {
        const char c = *(*at)++;
        return c == 'n' ? sizes->n : c == 'h' ? sizes->h : sizes->w;
    }
    while (isdigit((unsigned char)**at)) {
        value = 10 * value + (uint32_t)(*(*at)++ - '0');
    }
    return value;
}

static uint32_t evaluate(const char **at, const struct sizes *sizes) {
    uint32_t value = operand(at, sizes);
    while (**at != '}') {
        const char operation = *(*at)++;
        const uint32_t other = operand(at, sizes);
        value = operation == '+'   ? value + other
                : operation == '-' ? value - other
                : operation == '*' ? value * other
                                   : value / other;
    }
    ++*at;
    return value;
}

static void write_case(const char *text, const struct sizes *sizes, char *line, size_t capacity) {
    size_t length = 0;
    for (const char *from = text; *from != '\0' && length + 16 < capacity;) {
        if (*from != '{') {
            line[length++] = *from++;
            continue;
        }
        ++from;
        length += (size_t)snprintf(line + length, capacity - length, "%u", (unsigned)evaluate(&from, sizes));
    }
    line[length] = '\0';
}

static void make_map(const struct source *source, const struct sizes *sizes, struct operator_case *c) {
    case_begin(c, source->type);
    for (uint32_t f = 0; f < c->schema->fieldCount; ++f) {
        const VkdmlFieldSchema *field = &c->schema->fields[f];
        if (case_is_tensor(c, f) && !field->optional) {
            struct case_tensor *tensor = case_tensor(c, field->name);
            tensor->type = case_is_input(c, f) ? source->in : source->out;
            tensor->rank = 4;
            memcpy(tensor->sizes, (const uint32_t[]){sizes->n, 16, sizes->h, sizes->w}, 4 * sizeof(uint32_t));
        } else if (strstr(field->name, "DataType") != NULL) {
            case_set_uint(c, field->name, (uint32_t)source->in);
        }
    }
}

static void make_case(const struct source *source, const struct sizes *sizes, struct operator_case *c) {
    char line[2048], text[256];
    if (source->text == NULL) {
        make_map(source, sizes, c);
        return;
    }
    write_case(source->text, sizes, line, sizeof(line));
    if (!case_parse(line, c, text, sizeof(text))) {
        print_error("%s\n%s\n", line, text);
        fail();
    }
}

/* ---- pipelines ---- */

/* Plans a case; whether the device can do without needing more than it has. */
static bool plan_case(const struct source *source, const struct sizes *sizes, const struct invented_device *device,
                      struct vkdml_plan *plan) {
    static struct operator_case c;
    struct subject subject;
    make_case(source, sizes, &c);
    open_subject(&subject, &c, device);
    const VkdmlResult result = plan_subject(&subject, plan);
    CHECK(&subject, result == VKDML_SUCCESS || result == VKDML_ERROR_LIMIT_EXCEEDED);
    close_subject(&subject);
    return result == VKDML_SUCCESS;
}

static bool same_pipeline(const struct vkdml_plan_step *a, const struct vkdml_plan_step *b) {
    return a->kernel == b->kernel && a->buffer_count == b->buffer_count && a->constants_given == b->constants_given &&
           a->float_controls == b->float_controls && a->is_general == b->is_general &&
           memcmp(a->constants, b->constants, sizeof(a->constants)) == 0;
}

static bool has_pipeline(const struct vkdml_plan *plan, const struct vkdml_plan_step *step) {
    bool has = step->kind != VKDML_PLAN_DISPATCH;
    for (uint32_t s = 0; s < plan->steps.count && !has; ++s) {
        has = plan->steps.items[s].kind == VKDML_PLAN_DISPATCH && same_pipeline(&plan->steps.items[s], step);
    }
    for (uint32_t s = 0; s < plan->spare_steps.count && !has; ++s) {
        has = same_pipeline(&plan->spare_steps.items[s], step);
    }
    return has;
}

static void print_step(const char *what, const struct vkdml_plan_step *step) {
    print_error("  %s %s, %u buffers:", what, vkdml_kernel_info(step->kernel)->name, (unsigned)step->buffer_count);
    for (uint32_t i = 0; i < VKDML_KERNEL_CONSTANTS; ++i) {
        if ((step->constants_given >> i & 1) != 0) {
            print_error(" %u=%u", (unsigned)i, (unsigned)step->constants[i]);
        }
    }
    print_error("%s\n", step->is_general ? "" : ", not general");
}

static void print_missing(const struct source *source, const struct sizes *sizes, const struct invented_device *device,
                          const struct vkdml_plan *first, const struct vkdml_plan_step *step) {
    static struct operator_case c;
    char line[2048] = "";
    make_case(source, sizes, &c);
    case_print(&c, line, sizeof(line));
    print_error("on \"%s\" the first sizes have no such pipeline: %s\n", device->name, line);
    print_step("needed:", step);
    for (uint32_t s = 0; s < first->steps.count; ++s) {
        if (first->steps.items[s].kind == VKDML_PLAN_DISPATCH) {
            print_step("made:", &first->steps.items[s]);
        }
    }
    for (uint32_t s = 0; s < first->spare_steps.count; ++s) {
        print_step("spare:", &first->spare_steps.items[s]);
    }
}

/* Whether other sizes need no pipeline that the first do not. Initialization is that of a plan that is not general. */
static bool check_sizes(const struct source *source, enum which which, size_t of,
                        const struct invented_device *device) {
    struct invented_device general = *device;
    struct vkdml_plan first, best;
    general.limits.general = true;
    general.limits.initialization = &device->limits;
    bool has_all = true;
    if (plan_case(source, &sizes_of[which][of], &general, &first)) {
        if (plan_case(source, &sizes_of[which][of], device, &best)) {
            assert_true(same_steps(&first.init_steps, &best.init_steps));
        }
        vkdml_plan_end(&best);
        for (size_t s = 0; s < MOST_SIZES && sizes_of[which][s].n != 0 && has_all; ++s) {
            struct vkdml_plan other;
            const bool is_planned = plan_case(source, &sizes_of[which][s], &general, &other);
            for (uint32_t i = 0; is_planned && i < other.steps.count && has_all; ++i) {
                has_all = has_pipeline(&first, &other.steps.items[i]);
                if (!has_all) {
                    print_missing(source, &sizes_of[which][s], &general, &first, &other.steps.items[i]);
                }
            }
            vkdml_plan_end(&other);
        }
    }
    vkdml_plan_end(&first);
    return has_all;
}

static bool check_devices(const struct source *source, enum which which) {
    bool has_all = true;
    for (size_t d = 0; d < DEVICE_COUNT && has_all; ++d) {
        const bool has_lengths = which == LENGTHS || which == ATTENDED;
        has_all = devices[d].cramped ||
                  (check_sizes(source, which, 0, &devices[d]) &&
                   (!has_lengths ||
                    (check_sizes(source, which, 1, &devices[d]) && check_sizes(source, which, 8, &devices[d]))));
    }
    return has_all;
}

static void any_sizes_have_the_pipelines_of_the_first(void **state) {
    (void)state;
    uint32_t missing = 0;
    for (size_t f = 0; f < COUNT_OF(families); ++f) {
        const struct source source = {.text = families[f].text};
        missing += !check_devices(&source, families[f].which);
    }
    assert_int_equal(missing, 0);
}

/* ---- operators ---- */

static const char *name_of(const VkdmlOperatorSchema *schema) {
    return schema->name + strlen("DML_OPERATOR_");
}

static bool has_family(const char *name) {
    const size_t length = strlen(name);
    bool has = false;
    for (size_t f = 0; f < COUNT_OF(families) && !has; ++f) {
        has = strncmp(families[f].text, name, length) == 0 && families[f].text[length] == ' ';
    }
    return has;
}

static bool is_exception(const char *name) {
    bool is = false;
    for (size_t e = 0; e < COUNT_OF(exceptions) && !is; ++e) {
        is = strcmp(exceptions[e].name, name) == 0;
    }
    return is;
}

static bool is_valid(const struct source *source) {
    static struct operator_case c;
    static struct case_desc desc;
    struct vkdml_report report;
    struct vkdml_instance *instance = NULL;
    make_case(source, &sizes_of[ANY][0], &c);
    case_build_desc(&c, &desc);
    vkdml_report_clear(&report);
    const VkdmlResult result = vkdml_validate(&desc.op, c.level, NULL, &report, &instance);
    if (result == VKDML_SUCCESS) {
        vkdml_instance_destroy(instance, NULL);
    }
    return result == VKDML_SUCCESS;
}

/* Of the types that maps have one fits each. */
static void check_map(const VkdmlOperatorSchema *schema) {
    static const DML_TENSOR_DATA_TYPE types[][2] = {
        {DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_DATA_TYPE_FLOAT16},
        {DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_DATA_TYPE_UINT8},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_UINT8},
        {DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_INT32},
        {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_UINT32},
    };
    for (size_t t = 0; t < COUNT_OF(types); ++t) {
        const struct source source = {.type = schema->type, .in = types[t][0], .out = types[t][1]};
        if (is_valid(&source)) {
            assert_true(check_devices(&source, ANY));
            return;
        }
    }
    print_error("%s has no family here, and is no map of one type\n", name_of(schema));
    fail();
}

static void each_operator_has_a_family(void **state) {
    (void)state;
    for (uint32_t i = 0; i < vkdmlGetOperatorSchemaCount(); ++i) {
        const VkdmlOperatorSchema *schema = vkdmlGetOperatorSchemaAt(i);
        assert_false(has_family(name_of(schema)) && is_exception(name_of(schema)));
        if (!has_family(name_of(schema)) && !is_exception(name_of(schema))) {
            check_map(schema);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_sizes_have_the_pipelines_of_the_first),
                                       cmocka_unit_test(each_operator_has_a_family)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
