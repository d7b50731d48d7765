/* Arrays that grow. */
#ifndef BASE_GROWTH_H
#define BASE_GROWTH_H

#include <stdlib.h>

/* `items`, of which there are `count`, with room for one more: moved where there was none. NULL, and all is as it was,
 * where memory is out. */
static inline void *growth_room(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) {
        return items;
    }
    const size_t grown = *capacity ? 2 * *capacity : 64;
    void *moved = realloc(items, grown * size);
    *capacity = moved ? grown : *capacity;
    return moved;
}

#endif
