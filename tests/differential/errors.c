#include "errors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases/case_data.h"
#include "cases/generate.h"
#include "cases/number.h"

#define MAX_ENTRIES   64
#define NAME_CAPACITY 64
#define LARGEST_POWER 20 /* of elements */

static struct entry {
    char name[NAME_CAPACITY];
    DML_TENSOR_DATA_TYPE type;
    uint64_t cases, elements;
    double units;     /* the worst error, beyond the rounding to FLOAT16 */
    double of_bound;  /* the worst error, of what is allowed */
    uint64_t reduced; /* input elements for each output element of the case that has the worst units */
} entries[MAX_ENTRIES];
static uint32_t entry_count;

/* Half of them of sizes as tests have them, for short sums; half of any size. */
void errors_generate(const struct case_family *family, struct random *random, struct operator_case *c) {
    static const enum case_fill fills[] = {CASE_FILL_SMALL, CASE_FILL_UNIT, CASE_FILL_UNIT, CASE_FILL_ABOVE_ONE};
    const uint32_t power = random_between(random, 6, LARGEST_POWER);
    generate_fix_budget(random_chance(random, 50) ? 0 : random_between(random, 1u << (power - 1), 1u << power));
    family->generate(family, random, c);
    generate_fix_budget(0);
    for (struct case_at at = case_first(c); at.tensor != NULL; at = case_next(c, at)) {
        struct case_tensor *tensor = &c->tensors[at.slot];
        if (at.is_input && number_is_float(tensor->type) && tensor->value_count == 0) {
            tensor->fill = RANDOM_OF(random, fills);
        }
    }
}

/* The operator, and the function that its line says. */
static void name_case(const struct operator_case *c, char *name) {
    char line[CASE_MAX_LINE];
    const char *operator_name = vkdmlGetOperatorName(c->schema->type) + strlen("DML_OPERATOR_");
    const char *function = case_print(c, line, sizeof(line)) ? strstr(line, " Function=") : NULL;
    function = function != NULL ? function + strlen(" Function=") : "";
    snprintf(name, NAME_CAPACITY, "%s %.*s", operator_name, (int)strcspn(function, " "), function);
}

static struct entry *find_entry(const struct operator_case *c, DML_TENSOR_DATA_TYPE type) {
    char name[NAME_CAPACITY];
    name_case(c, name);
    for (uint32_t i = 0; i < entry_count; i++) {
        if (entries[i].type == type && strcmp(entries[i].name, name) == 0) {
            return &entries[i];
        }
    }
    if (entry_count == MAX_ENTRIES) {
        return NULL;
    }
    struct entry *entry = &entries[entry_count++];
    *entry = (struct entry){.type = type};
    memcpy(entry->name, name, sizeof(entry->name));
    return entry;
}

/* Half a unit in the last place: what rounding to FLOAT16 takes. */
static double rounding(DML_TENSOR_DATA_TYPE type, double exact) {
    return type != DML_TENSOR_DATA_TYPE_FLOAT16 ? 0 : fmax(ldexp(1, exact == 0 ? -25 : ilogb(exact) - 11), 0x1p-25);
}

static void take(struct entry *entry, uint64_t bits, const struct accuracy_bounds *bounds,
                 const struct accuracy_exact *exact, uint64_t reduced) {
    const struct accuracy_bounds wide = accuracy_widened(bounds, entry->type);
    const double value = number_decode(entry->type, bits), error = fabs(value - exact->value);
    if (!isfinite(value) || !isfinite(exact->value) || !isfinite(exact->unit)) {
        return;
    }
    const double allowed = value > exact->value ? wide.greatest - exact->value : exact->value - wide.least;
    const double units = fmax(error - rounding(entry->type, exact->value), 0) / exact->unit;
    entry->elements++;
    entry->of_bound = fmax(entry->of_bound, error / allowed);
    entry->reduced = units > entry->units ? reduced : entry->reduced;
    entry->units = fmax(entry->units, units);
}

void errors_observe(const struct operator_case *c, const unsigned char *const *tensors, const unsigned char *got) {
    uint32_t strides[DML_TENSOR_DIMENSION_COUNT_MAX1], coordinates[DML_TENSOR_DIMENSION_COUNT_MAX1] = {0};
    const struct case_family *family = case_family_of(c->schema->type);
    struct case_at at = case_first(c);
    const uint64_t inputs = case_element_count(at.tensor);
    while (at.is_input) {
        at = case_next(c, at);
    }
    if (family->bounds == NULL || family->exact == NULL || !number_is_float(at.tensor->type)) {
        return;
    }
    struct entry *entry = find_entry(c, at.tensor->type);
    if (entry == NULL) {
        return;
    }
    entry->cases++;
    accuracy_renew();
    case_strides(at.tensor, strides);
    do {
        const struct accuracy_exact exact = family->exact(c, tensors, coordinates);
        const struct accuracy_bounds bounds = family->bounds(c, tensors, coordinates);
        const uint64_t position = case_element_position(at.tensor, strides, coordinates);
        take(entry, case_read_element(at.tensor, got, position), &bounds, &exact,
             inputs / case_element_count(at.tensor));
    } while (case_next_coordinates(at.tensor, coordinates));
}

void errors_print(void) {
    for (uint32_t i = 0; i < entry_count; i++) {
        const struct entry *entry = &entries[i];
        if (entry->elements == 0) {
            continue; /* exact */
        }
        printf("# %s %s: %.3g units, in a case of %" PRIu64 " to one; %.3g of what is allowed; %" PRIu64 " elements of "
               "%" PRIu64 " cases\n",
               entry->name, vkdmlGetDataTypeName(entry->type) + strlen("DML_TENSOR_DATA_TYPE_"), entry->units,
               entry->reduced, entry->of_bound, entry->elements, entry->cases);
    }
    entry_count = 0;
    fflush(stdout);
}
