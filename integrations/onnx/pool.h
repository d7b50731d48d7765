/* Memory of a device that others hold by addresses, as ONNX Runtime does. */
#ifndef ONNX_POOL_H
#define ONNX_POOL_H

#include <stddef.h>

#include "onnx/device.h"

/* Where the host sees the device's memory an address is where the elements are. Elsewhere it only stands for a piece:
 * a touch of it is a fault at once. Arithmetic within a piece is as with other addresses.
 *
 * Thread-safe, but a piece is written by one thread at a time, and not while it is read. Pieces that were given back
 * are kept for the next that is about as large. Each is an allocation of Vulkan's, of which devices allow some
 * thousands. */
struct onnx_pool;

/* The device outlives it. In a process that inherited the device by fork() there is nothing in the pool. */
bool onnx_pool_create(struct onnx_device *device, struct onnx_pool **pool, struct onnx_error *error);
/* With every piece. NULL is ignored. */
void onnx_pool_free(struct onnx_pool *pool);

/* NULL, with a reason, where memory is out. size may be 0. */
void *onnx_pool_allocate(struct onnx_pool *pool, size_t size, struct onnx_error *error);
/* False where it is no piece's first address. */
bool onnx_pool_release(struct onnx_pool *pool, void *address);
/* Gives back to the device what is kept. */
void onnx_pool_trim(struct onnx_pool *pool);

struct onnx_pool_facts {
    uint64_t used_bytes, most_used_bytes, kept_bytes, allocations;
};
void onnx_pool_facts(struct onnx_pool *pool, struct onnx_pool_facts *facts);

/* Where an address lies. */
struct onnx_piece;
struct onnx_place {
    struct onnx_piece *piece; /* NULL: nowhere */
    uint64_t offset;
};

/* False where these bytes are not all in a piece. */
bool onnx_pool_find(struct onnx_pool *pool, const void *address, uint64_t size, struct onnx_place *place);

/* Each waits until it is done. Ranges of onnx_place_copy() do not overlap. */
bool onnx_place_write(struct onnx_pool *pool, const struct onnx_place *place, const void *data, uint64_t size,
                      struct onnx_error *error);
bool onnx_place_read(struct onnx_pool *pool, const struct onnx_place *place, void *data, uint64_t size,
                     struct onnx_error *error);
bool onnx_place_copy(struct onnx_pool *pool, const struct onnx_place *from, const struct onnx_place *to, uint64_t size,
                     struct onnx_error *error);

VkBuffer onnx_place_buffer(const struct onnx_place *place);

/* Of a piece, and of no other, ever. */
uint64_t onnx_place_id(const struct onnx_place *place);

/* ---- mirrors: what a run leaves on the host besides ---- */

/* A copy of a few bytes of a piece, so that who reads them next need not ask the device, which takes as long as a small
 * run. */
struct onnx_mirror {
    struct onnx_buffer host;
    uint64_t offset, size; /* of the piece; size 0: there is none */
    bool is_valid;
};

/* The mirror that a run copies these bytes to, or NULL where none would help. It lives as long as the piece's id. */
struct onnx_mirror *onnx_place_mirror(struct onnx_pool *pool, const struct onnx_place *place, uint64_t size);

/* The device is about to write there: mirrors hold what was. */
void onnx_place_touch(const struct onnx_place *place, uint64_t size);

#endif
