#include "allocation_faults.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <link.h>

extern "C" {
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void __libc_free(void *memory);
}

namespace allocation_faults {

namespace {

struct Place {
    std::uintptr_t first, end;
};

Place watched[8];
std::atomic<int> watchedCount{0}, remaining{0};
std::atomic<bool> failed{false}, rest{false};

/* Pointers that watched libraries allocated: open addressing, and 1 where one was removed. Larger than any test needs. */
constexpr std::size_t room = 1 << 16;
std::uintptr_t pointers[room];
std::size_t pointerCount = 0;
std::atomic_flag busy = ATOMIC_FLAG_INIT;

class Lock {
  public:
    Lock() {
        while (busy.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Lock() {
        busy.clear(std::memory_order_release);
    }
};

std::uintptr_t *slot_of(std::uintptr_t pointer, bool adds) {
    std::size_t at = (pointer >> 4) * 2654435761u % room;
    for (std::size_t i = 0; i < room; ++i, at = (at + 1) % room) {
        if (pointers[at] == pointer || pointers[at] == 0 || (adds && pointers[at] == 1)) {
            return pointers[at] == 0 && !adds ? nullptr : &pointers[at];
        }
    }
    return nullptr;
}

bool is_watched(const void *caller) {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    for (int i = 0; i < watchedCount; ++i) {
        if (watched[i].first <= address && address < watched[i].end) {
            return true;
        }
    }
    return false;
}

bool fails_now() {
    if (remaining == 0 || (failed && rest)) {
        return failed && rest;
    }
    failed = --remaining == 0;
    return failed;
}

} // namespace

void *note(void *memory) {
    if (memory != nullptr) {
        const Lock lock;
        if (std::uintptr_t *const slot = slot_of(reinterpret_cast<std::uintptr_t>(memory), true)) {
            *slot = reinterpret_cast<std::uintptr_t>(memory);
            ++pointerCount;
        }
    }
    return memory;
}

void forget(void *memory) {
    if (memory != nullptr && watchedCount != 0) {
        const Lock lock;
        if (std::uintptr_t *const slot = slot_of(reinterpret_cast<std::uintptr_t>(memory), false)) {
            *slot = 1;
            --pointerCount;
        }
    }
}

/** Whether an allocation of a caller fails. */
bool fails(const void *caller, bool &counts) {
    counts = watchedCount != 0 && is_watched(caller);
    return counts && fails_now();
}

void watch(const void *address) {
    const auto find = [](dl_phdr_info *info, std::size_t, void *data) {
        const auto at = reinterpret_cast<std::uintptr_t>(*static_cast<const void **>(data));
        Place place = {UINTPTR_MAX, 0};
        bool has = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr) &header = info->dlpi_phdr[i];
            if (header.p_type == PT_LOAD) {
                const std::uintptr_t first = info->dlpi_addr + header.p_vaddr, end = first + header.p_memsz;
                place = {first < place.first ? first : place.first, end > place.end ? end : place.end};
                has = has || (first <= at && at < end);
            }
        }
        if (has) {
            watched[watchedCount] = place;
            ++watchedCount;
        }
        return has ? 1 : 0;
    };
    (void)dl_iterate_phdr(find, &address);
}

void begin(int at, Fails which) {
    failed = false;
    rest = which == Fails::Rest;
    remaining = at;
}

bool end() {
    remaining = 0;
    rest = false;
    return failed;
}

std::size_t live() {
    const Lock lock;
    return pointerCount;
}

} // namespace allocation_faults

extern "C" {

void *malloc(std::size_t size) {
    bool counts = false;
    if (allocation_faults::fails(__builtin_return_address(0), counts)) {
        errno = ENOMEM;
        return nullptr;
    }
    void *const memory = __libc_malloc(size);
    return counts ? allocation_faults::note(memory) : memory;
}

void *calloc(std::size_t count, std::size_t size) {
    bool counts = false;
    if (allocation_faults::fails(__builtin_return_address(0), counts)) {
        errno = ENOMEM;
        return nullptr;
    }
    void *const memory = __libc_calloc(count, size);
    return counts ? allocation_faults::note(memory) : memory;
}

void free(void *memory) {
    allocation_faults::forget(memory);
    __libc_free(memory);
}
}
