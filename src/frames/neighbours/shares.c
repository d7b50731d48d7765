#include "frames/neighbours/shares.h"

#include "base/checked.h"

/* What fills the largest GPUs; and processors. */
#define ENOUGH_INVOCATIONS (1u << 18)
#define ENOUGH_SERIAL      512
#define SERIAL_ITEMS       256

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void vkdml_shares_of_ring(struct vkdml_shares *shares, uint64_t length, uint64_t shortest, uint64_t most,
                          bool is_serial) {
    const uint64_t lines = shares->items / length;
    const uint64_t enough = is_serial ? ENOUGH_SERIAL : ENOUGH_INVOCATIONS;
    const uint64_t wanted = vkdml_divide_up(length, vkdml_divide_up(enough, lines));
    const uint64_t share = least(least(wanted < shortest ? shortest : wanted, most), length);
    shares->share = vkdml_divide_up(length, vkdml_divide_up(length, share));
    shares->shares = vkdml_divide_up(length, shares->share);
    shares->items = lines * shares->shares;
}

void vkdml_shares_of_items(struct vkdml_shares *shares, uint64_t most, bool is_serial) {
    const uint64_t share = is_serial ? least(least(shares->items / ENOUGH_SERIAL, SERIAL_ITEMS), most) : 1;
    shares->share = share == 0 ? 1 : share;
    shares->shares = 1;
}
