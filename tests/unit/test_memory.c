/* Host memory comes from the caller's callbacks, zeroed, or from malloc. */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/memory.h"

/* What the callbacks were last asked. */
struct asked {
    size_t size;
    size_t alignment;
    void *freed;
    bool fails;
};

static void *VKAPI_PTR dirty_allocation(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope) {
    struct asked *asked = user;
    (void)scope;
    asked->size = size;
    asked->alignment = alignment;
    void *memory = asked->fails ? NULL : malloc(size);
    if (memory != NULL) {
        memset(memory, 0xAB, size);
    }
    return memory;
}

static void VKAPI_PTR noted_free(void *user, void *memory) {
    struct asked *asked = user;
    asked->freed = memory;
    free(memory);
}

static void expect_zeroed(const VkAllocationCallbacks *callbacks) {
    unsigned char *memory = vkdml_allocate(callbacks, 1000);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % alignof(max_align_t), 0);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(memory[i], 0);
    }
    vkdml_free(callbacks, memory);
}

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    struct asked asked = {0};
    const VkAllocationCallbacks callbacks = {
        .pUserData = &asked, .pfnAllocation = dirty_allocation, .pfnFree = noted_free};
    expect_zeroed(NULL);
    expect_zeroed(&callbacks);
    assert_int_equal(asked.size, 1000);
    assert_int_equal(asked.alignment, alignof(max_align_t));
    assert_non_null(asked.freed);
}

static void an_allocation_of_nothing_succeeds(void **state) {
    (void)state;
    void *memory = vkdml_allocate(NULL, 0);
    assert_non_null(memory);
    vkdml_free(NULL, memory);
}

static void a_failed_allocation_is_null_and_null_is_not_freed(void **state) {
    (void)state;
    struct asked asked = {.fails = true, .freed = &asked};
    const VkAllocationCallbacks callbacks = {
        .pUserData = &asked, .pfnAllocation = dirty_allocation, .pfnFree = noted_free};
    assert_null(vkdml_allocate(&callbacks, 8));
    vkdml_free(&callbacks, NULL);
    assert_ptr_equal(asked.freed, &asked);
    vkdml_free(NULL, NULL);
}

enum { PIECES = 3000 };

/* Pieces of many sizes, some larger than a block, hold what is written to them, and go with the arena alone. */
static void an_arena_frees_all_pieces_together(void **state) {
    (void)state;
    struct asked asked = {0};
    const VkAllocationCallbacks callbacks = {
        .pUserData = &asked, .pfnAllocation = dirty_allocation, .pfnFree = noted_free};
    struct vkdml_arena arena;
    unsigned char *pieces[PIECES];
    vkdml_arena_begin(&arena, &callbacks);
    for (size_t i = 0; i < PIECES; i++) {
        const size_t size = i % 1000 == 999 ? 100000 : i % 300 + 1;
        pieces[i] = vkdml_allocate(&arena.callbacks, size);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        assert_int_equal(pieces[i][size - 1], 0);
        memset(pieces[i], (int)(i % 251), size);
        vkdml_free(&arena.callbacks, i % 7 == 0 ? pieces[i] : NULL);
    }
    assert_null(asked.freed);
    for (size_t i = 0; i < PIECES; i++) {
        const size_t size = i % 1000 == 999 ? 100000 : i % 300 + 1;
        assert_int_equal(pieces[i][0], i % 251);
        assert_int_equal(pieces[i][size - 1], i % 251);
    }
    vkdml_arena_end(&arena);
    assert_non_null(asked.freed);
    asked.fails = true;
    vkdml_arena_begin(&arena, &callbacks);
    assert_null(vkdml_allocate(&arena.callbacks, 1));
    assert_null(vkdml_allocate_unset(&arena.callbacks, SIZE_MAX));
    vkdml_arena_end(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(an_allocation_of_nothing_succeeds),
        cmocka_unit_test(a_failed_allocation_is_null_and_null_is_not_freed),
        cmocka_unit_test(an_arena_frees_all_pieces_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
