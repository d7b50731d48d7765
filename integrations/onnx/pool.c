#include "onnx/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes that are kept for later, and the least of a piece. */
#define MOST_KEPT     ((uint64_t)256 << 20)
#define LEAST_BYTES   256
#define BOUNCE_BYTES  ((uint64_t)4 << 20)
#define MOST_MIRRORED ((uint64_t)256 << 10)
#define READ_UNCACHED 64 /* so few bytes the host reads through the window to the device faster than by a copy */
#define MIRROR_COUNT  8

struct onnx_piece {
    struct onnx_piece *next; /* of those that are kept, the one that was given back before */
    uint64_t id;
    unsigned char *address;
    struct onnx_buffer memory;
    bool is_reserved; /* the address is of addresses that were reserved for it */
    struct onnx_mirror mirrors[MIRROR_COUNT];
};

struct onnx_pool {
    struct onnx_device *device;
    pthread_mutex_t lock;     /* of the pieces */
    struct onnx_piece **used; /* by address */
    size_t used_count, used_room;
    struct onnx_piece *kept;
    uint64_t latest_id;
    struct onnx_pool_facts facts;
    pthread_mutex_t copying; /* of what is below */
    struct onnx_commands commands;
    struct onnx_buffer bounce;
};

bool onnx_pool_create(struct onnx_device *device, struct onnx_pool **made, struct onnx_error *error) {
    struct onnx_pool *pool = calloc(1, sizeof *pool);
    *made = NULL;
    if (pool == NULL || pthread_mutex_init(&pool->lock, NULL) != 0) {
        free(pool);
        return onnx_fail_memory(error);
    }
    if (pthread_mutex_init(&pool->copying, NULL) != 0) {
        pthread_mutex_destroy(&pool->lock);
        free(pool);
        return onnx_fail_memory(error);
    }
    pool->device = device;
    *made = pool;
    return true;
}

/* ---- pieces ---- */

static void free_mirrors(struct onnx_pool *pool, struct onnx_piece *piece) {
    for (int i = 0; i < MIRROR_COUNT; ++i) {
        onnx_buffer_free(pool->device, &piece->mirrors[i].host);
        piece->mirrors[i] = (struct onnx_mirror){.size = 0};
    }
}

static void free_piece(struct onnx_pool *pool, struct onnx_piece *piece) {
    if (piece->is_reserved) {
        munmap(piece->address, piece->memory.size);
    }
    free_mirrors(pool, piece);
    onnx_buffer_free(pool->device, &piece->memory);
    free(piece);
}

void onnx_pool_trim(struct onnx_pool *pool) {
    if (onnx_device_is_inherited(pool->device)) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    struct onnx_piece *piece = pool->kept;
    pool->kept = NULL;
    pool->facts.kept_bytes = 0;
    pthread_mutex_unlock(&pool->lock);
    while (piece != NULL) {
        struct onnx_piece *next = piece->next;
        free_piece(pool, piece);
        piece = next;
    }
}

void onnx_pool_free(struct onnx_pool *pool) {
    if (pool == NULL || onnx_device_is_inherited(pool->device)) {
        return;
    }
    for (size_t i = 0; i < pool->used_count; ++i) {
        free_piece(pool, pool->used[i]);
    }
    onnx_pool_trim(pool);
    onnx_commands_free(pool->device, &pool->commands);
    onnx_buffer_free(pool->device, &pool->bounce);
    pthread_mutex_destroy(&pool->copying);
    pthread_mutex_destroy(&pool->lock);
    free(pool->used);
    free(pool);
}

/* An eighth more at most, so that pieces fit again for sizes that are near. 0: too many bytes. */
static uint64_t round_size(size_t size) {
    uint64_t step = LEAST_BYTES;
    while (step <= UINT64_MAX / 32 && step * 16 < size) {
        step *= 2;
    }
    const uint64_t most = UINT64_MAX - 2 * step;
    return size > most ? 0 : size == 0 ? LEAST_BYTES : (size + step - 1) / step * step;
}

static struct onnx_piece *make_piece(struct onnx_pool *pool, uint64_t size, struct onnx_error *error) {
    struct onnx_piece *piece = calloc(1, sizeof *piece);
    const enum onnx_memory memory = onnx_device_shares_memory(pool->device) ? ONNX_MEMORY_SHARED : ONNX_MEMORY_OPEN;
    if (piece == NULL) {
        onnx_fail_memory(error);
        return NULL;
    }
    if (!onnx_buffer_create(pool->device, size, memory, &piece->memory, error)) {
        free(piece);
        return NULL;
    }
    piece->address = piece->memory.mapped;
    if (piece->address == NULL) {
        void *reserved = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        piece->is_reserved = reserved != MAP_FAILED;
        piece->address = piece->is_reserved ? reserved : NULL;
    }
    if (piece->address == NULL) {
        onnx_fail(error, "there are no %llu addresses left", (unsigned long long)size);
        free_piece(pool, piece);
        return NULL;
    }
    return piece;
}

/* With the lock held. The first of this size among those that are kept. */
static struct onnx_piece *take_kept(struct onnx_pool *pool, uint64_t size) {
    for (struct onnx_piece **link = &pool->kept; *link != NULL; link = &(*link)->next) {
        struct onnx_piece *piece = *link;
        if (piece->memory.size == size) {
            *link = piece->next;
            pool->facts.kept_bytes -= size;
            return piece;
        }
    }
    return NULL;
}

/* With the lock held: how many begin at this address or before. */
static size_t count_until(const struct onnx_pool *pool, const unsigned char *address) {
    size_t low = 0, high = pool->used_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)pool->used[middle]->address <= (uintptr_t)address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* With the lock held. */
static bool add_used(struct onnx_pool *pool, struct onnx_piece *piece) {
    if (pool->used_count == pool->used_room) {
        const size_t room = pool->used_room == 0 ? 64 : 2 * pool->used_room;
        struct onnx_piece **used = realloc(pool->used, room * sizeof(struct onnx_piece *));
        if (used == NULL) {
            return false;
        }
        pool->used = used;
        pool->used_room = room;
    }
    const size_t at = count_until(pool, piece->address);
    memmove(pool->used + at + 1, pool->used + at, (pool->used_count - at) * sizeof(struct onnx_piece *));
    pool->used[at] = piece;
    ++pool->used_count;
    pool->facts.used_bytes += piece->memory.size;
    if (pool->facts.used_bytes > pool->facts.most_used_bytes) {
        pool->facts.most_used_bytes = pool->facts.used_bytes;
    }
    return true;
}

void *onnx_pool_allocate(struct onnx_pool *pool, size_t wanted, struct onnx_error *error) {
    const uint64_t size = round_size(wanted);
    if (!onnx_device_check_process(pool->device, error)) {
        return NULL;
    }
    if (size == 0) {
        onnx_fail(error, "%zu bytes are too many", wanted);
        return NULL;
    }
    pthread_mutex_lock(&pool->lock);
    struct onnx_piece *piece = take_kept(pool, size);
    pthread_mutex_unlock(&pool->lock);
    const bool is_new = piece == NULL;
    if (is_new) {
        struct onnx_error first = {0};
        piece = make_piece(pool, size, &first);
        if (piece == NULL) {
            onnx_pool_trim(pool);
            piece = make_piece(pool, size, error);
        }
    }
    if (piece == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&pool->lock);
    const bool added = add_used(pool, piece);
    if (is_new) {
        piece->id = ++pool->latest_id;
    }
    ++pool->facts.allocations;
    pthread_mutex_unlock(&pool->lock);
    if (!added) {
        onnx_fail_memory(error);
        free_piece(pool, piece);
        return NULL;
    }
    return piece->address;
}

/* Mirrors of ranges that do not come again would leave no room for others; what was recorded with them is not used
 * for a piece of another id. */
static void renew_mirrors(struct onnx_pool *pool, struct onnx_piece *piece) {
    if (piece->mirrors[MIRROR_COUNT / 2].size != 0) {
        free_mirrors(pool, piece);
        piece->id = ++pool->latest_id;
    }
}

/* With the lock held: those that were given back first, until no more is kept than may be. */
static struct onnx_piece *take_excess(struct onnx_pool *pool) {
    uint64_t bytes = 0;
    struct onnx_piece **link = &pool->kept;
    while (*link != NULL && bytes + (*link)->memory.size <= MOST_KEPT) {
        bytes += (*link)->memory.size;
        link = &(*link)->next;
    }
    struct onnx_piece *excess = *link;
    *link = NULL;
    pool->facts.kept_bytes = bytes;
    return excess;
}

bool onnx_pool_release(struct onnx_pool *pool, void *address) {
    if (onnx_device_is_inherited(pool->device)) {
        return false;
    }
    pthread_mutex_lock(&pool->lock);
    const size_t count = count_until(pool, address);
    struct onnx_piece *piece = count == 0 ? NULL : pool->used[count - 1];
    struct onnx_piece *excess = NULL;
    const bool found = piece != NULL && piece->address == address;
    if (found) {
        memmove(pool->used + count - 1, pool->used + count, (pool->used_count - count) * sizeof(struct onnx_piece *));
        --pool->used_count;
        pool->facts.used_bytes -= piece->memory.size;
        renew_mirrors(pool, piece);
        piece->next = pool->kept;
        pool->kept = piece;
        excess = take_excess(pool);
    }
    pthread_mutex_unlock(&pool->lock);
    while (excess != NULL) {
        struct onnx_piece *next = excess->next;
        free_piece(pool, excess);
        excess = next;
    }
    return found;
}

void onnx_pool_facts(struct onnx_pool *pool, struct onnx_pool_facts *facts) {
    *facts = (struct onnx_pool_facts){0};
    if (!onnx_device_is_inherited(pool->device)) {
        pthread_mutex_lock(&pool->lock);
        *facts = pool->facts;
        pthread_mutex_unlock(&pool->lock);
    }
}

bool onnx_pool_find(struct onnx_pool *pool, const void *address, uint64_t size, struct onnx_place *place) {
    *place = (struct onnx_place){NULL, 0};
    if (onnx_device_is_inherited(pool->device)) {
        return false;
    }
    pthread_mutex_lock(&pool->lock);
    const size_t count = count_until(pool, address);
    struct onnx_piece *piece = count == 0 ? NULL : pool->used[count - 1];
    pthread_mutex_unlock(&pool->lock);
    const uint64_t offset = piece == NULL ? 0 : (uint64_t)((uintptr_t)address - (uintptr_t)piece->address);
    const bool found = piece != NULL && offset < piece->memory.size && size <= piece->memory.size - offset;
    if (found) {
        *place = (struct onnx_place){piece, offset};
    }
    return found;
}

VkBuffer onnx_place_buffer(const struct onnx_place *place) {
    return place->piece->memory.buffer;
}

uint64_t onnx_place_id(const struct onnx_place *place) {
    return place->piece->id;
}

/* ---- mirrors ---- */

struct onnx_mirror *onnx_place_mirror(struct onnx_pool *pool, const struct onnx_place *place, uint64_t size) {
    struct onnx_piece *piece = place->piece;
    const bool is_seen = piece->memory.mapped != NULL;
    if (size == 0 || size > MOST_MIRRORED || (is_seen && size <= READ_UNCACHED) ||
        onnx_device_shares_memory(pool->device)) {
        return NULL;
    }
    int i = 0;
    while (i < MIRROR_COUNT && piece->mirrors[i].size != 0) {
        struct onnx_mirror *mirror = &piece->mirrors[i++];
        if (mirror->offset == place->offset && mirror->size == size) {
            return mirror;
        }
    }
    struct onnx_error ignored = {0};
    if (i == MIRROR_COUNT ||
        !onnx_buffer_create(pool->device, (size + 3) / 4 * 4, ONNX_MEMORY_HOST, &piece->mirrors[i].host, &ignored)) {
        return NULL;
    }
    piece->mirrors[i].offset = place->offset;
    piece->mirrors[i].size = size;
    return &piece->mirrors[i];
}

void onnx_place_touch(const struct onnx_place *place, uint64_t size) {
    for (int i = 0; i < MIRROR_COUNT; ++i) {
        struct onnx_mirror *mirror = &place->piece->mirrors[i];
        if (mirror->offset < place->offset + size && place->offset < mirror->offset + mirror->size) {
            mirror->is_valid = false;
        }
    }
}

/* Of the mirror that has all of these bytes, or NULL. */
static const void *find_mirrored(const struct onnx_place *place, uint64_t size) {
    for (int i = 0; i < MIRROR_COUNT; ++i) {
        const struct onnx_mirror *mirror = &place->piece->mirrors[i];
        if (mirror->is_valid && mirror->offset <= place->offset && place->offset - mirror->offset <= mirror->size &&
            size <= mirror->size - (place->offset - mirror->offset)) {
            return (const unsigned char *)mirror->host.mapped + (place->offset - mirror->offset);
        }
    }
    return NULL;
}

/* ---- elements ---- */

/* One copy, which is waited for. With `copying` held. */
static bool copy_buffer(struct onnx_pool *pool, VkBuffer from, uint64_t from_offset, VkBuffer to, uint64_t to_offset,
                        uint64_t size, struct onnx_error *error) {
    struct onnx_device *device = pool->device;
    if (!onnx_commands_begin(device, &pool->commands, error)) {
        return false;
    }
    onnx_commands_barrier(device, &pool->commands);
    onnx_commands_copy(device, &pool->commands, from, from_offset, to, to_offset, size);
    onnx_commands_barrier(device, &pool->commands);
    return onnx_commands_end(device, &pool->commands, error) && onnx_commands_run(device, &pool->commands, error);
}

/* With `copying` held. */
static bool make_bounce(struct onnx_pool *pool, struct onnx_error *error) {
    return pool->bounce.buffer != VK_NULL_HANDLE ||
           onnx_buffer_create(pool->device, BOUNCE_BYTES, ONNX_MEMORY_HOST, &pool->bounce, error);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

bool onnx_place_write(struct onnx_pool *pool, const struct onnx_place *place, const void *data, uint64_t size,
                      struct onnx_error *error) {
    struct onnx_piece *piece = place->piece;
    onnx_place_touch(place, size);
    if (piece->memory.mapped != NULL) {
        memcpy((unsigned char *)piece->memory.mapped + place->offset, data, size);
        return true;
    }
    pthread_mutex_lock(&pool->copying);
    bool done = make_bounce(pool, error);
    for (uint64_t at = 0; done && at < size; at += BOUNCE_BYTES) {
        const uint64_t part = least(size - at, BOUNCE_BYTES);
        memcpy(pool->bounce.mapped, (const unsigned char *)data + at, part);
        done = copy_buffer(pool, pool->bounce.buffer, 0, piece->memory.buffer, place->offset + at, part, error);
    }
    pthread_mutex_unlock(&pool->copying);
    return done;
}

bool onnx_place_read(struct onnx_pool *pool, const struct onnx_place *place, void *data, uint64_t size,
                     struct onnx_error *error) {
    const struct onnx_piece *piece = place->piece;
    const void *mirrored = find_mirrored(place, size);
    if (mirrored == NULL && piece->memory.mapped != NULL &&
        (size <= READ_UNCACHED || onnx_device_shares_memory(pool->device))) {
        mirrored = (const unsigned char *)piece->memory.mapped + place->offset;
    }
    if (mirrored != NULL) {
        memcpy(data, mirrored, size);
        return true;
    }
    pthread_mutex_lock(&pool->copying);
    bool done = make_bounce(pool, error);
    for (uint64_t at = 0; done && at < size; at += BOUNCE_BYTES) {
        const uint64_t part = least(size - at, BOUNCE_BYTES);
        done = copy_buffer(pool, piece->memory.buffer, place->offset + at, pool->bounce.buffer, 0, part, error);
        if (done) {
            memcpy((unsigned char *)data + at, pool->bounce.mapped, part);
        }
    }
    pthread_mutex_unlock(&pool->copying);
    return done;
}

bool onnx_place_copy(struct onnx_pool *pool, const struct onnx_place *from, const struct onnx_place *to, uint64_t size,
                     struct onnx_error *error) {
    onnx_place_touch(to, size);
    if (size == 0) {
        return true;
    }
    if (onnx_device_shares_memory(pool->device)) {
        memcpy((unsigned char *)to->piece->memory.mapped + to->offset,
               (const unsigned char *)from->piece->memory.mapped + from->offset, size);
        return true;
    }
    pthread_mutex_lock(&pool->copying);
    const bool done =
        copy_buffer(pool, from->piece->memory.buffer, from->offset, to->piece->memory.buffer, to->offset, size, error);
    pthread_mutex_unlock(&pool->copying);
    return done;
}
