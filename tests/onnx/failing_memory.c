#include "failing_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "onnx/arena.h"

static atomic_int asked, fails, live;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);
void *__real_onnx_allocate(struct onnx_arena *arena, size_t count, size_t size);
void *__wrap_onnx_allocate(struct onnx_arena *arena, size_t count, size_t size);
char *__real_onnx_copy_text(struct onnx_arena *arena, const char *text, size_t length);
char *__wrap_onnx_copy_text(struct onnx_arena *arena, const char *text, size_t length);

void failing_memory_begin(int nth) {
    atomic_store(&asked, 0);
    atomic_store(&fails, nth);
}

bool failing_memory_end(void) {
    const int nth = atomic_exchange(&fails, 0);
    return nth != 0 && atomic_load(&asked) >= nth;
}

int failing_memory_live(void) {
    return atomic_load(&live);
}

static bool is_out(void) {
    const bool is_this = atomic_fetch_add(&asked, 1) + 1 == atomic_load(&fails);
    if (is_this) {
        errno = ENOMEM;
    }
    return is_this;
}

static void *counted(void *memory) {
    atomic_fetch_add(&live, memory != NULL);
    return memory;
}

void *__wrap_malloc(size_t size) {
    return is_out() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return is_out() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
    if (is_out()) {
        return NULL;
    }
    void *grown = __real_realloc(memory, size);
    atomic_fetch_add(&live, memory == NULL && grown != NULL);
    return grown;
}

void __wrap_free(void *memory) {
    atomic_fetch_sub(&live, memory != NULL);
    __real_free(memory);
}

char *__wrap_realpath(const char *path, char *resolved) {
    return is_out() ? NULL : counted(__real_realpath(path, resolved));
}

void *__wrap_onnx_allocate(struct onnx_arena *arena, size_t count, size_t size) {
    return is_out() ? NULL : __real_onnx_allocate(arena, count, size);
}

char *__wrap_onnx_copy_text(struct onnx_arena *arena, const char *text, size_t length) {
    return is_out() ? NULL : __real_onnx_copy_text(arena, text, length);
}
