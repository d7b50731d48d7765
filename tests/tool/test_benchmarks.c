/* Every benchmark is a case that its operator accepts, at every size that `vkdml bench` times. Needs no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <vkdml/vkdml.h>

#include "bench/list.h"
#include "cases/case.h"

/* From the least to the most that --bytes takes; the defaults of CPU devices and of GPUs are among them. */
static const uint64_t sizes[] = {256,
                                 4096,
                                 (uint64_t)64 << 10,
                                 (uint64_t)1 << 20,
                                 (uint64_t)8 << 20,
                                 (uint64_t)64 << 20,
                                 (uint64_t)256 << 20,
                                 (uint64_t)1 << 30,
                                 (uint64_t)2 << 30};

static bool validate(const struct bench_entry *entry, void *context) {
    static struct operator_case c;
    static struct case_desc desc;
    unsigned *refused = context;
    case_begin(&c, entry->family->type);
    entry->benchmark->make(entry->size, entry->type, entry->benchmark->argument, &c);
    case_build_desc(&c, &desc);
    if (vkdmlValidateOperator(&desc.op, (DML_FEATURE_LEVEL)0) != VKDML_SUCCESS) {
        printf("# %s: %s\n", entry->name, vkdmlGetErrorMessage());
        (*refused)++;
    }
    return true;
}

static void every_benchmark_is_valid_at_every_size(void **state) {
    const struct bench_filter all = {.count = 0};
    unsigned refused = 0;
    (void)state;
    assert_true(bench_list(&all, sizes, sizeof(sizes) / sizeof(sizes[0]), validate, &refused) >
                case_family_count * sizeof(sizes) / sizeof(sizes[0]));
    assert_int_equal(refused, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_benchmark_is_valid_at_every_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
