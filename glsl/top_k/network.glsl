// Bitonic sorting of blocks that begin at multiples of their size, a power of two: first items first. Each turn takes
// four items through two steps of the network, so that half as much is loaded and stored. Who includes this defines
//     Item get(uint n), void put(uint n, Item item)
#ifndef VKDML_TOP_K_NETWORK_GLSL
#define VKDML_TOP_K_NETWORK_GLSL

// What a turn does: sorts four items side by side; or orders the items of two sorted halves of a block, last against
// first, and then those a quarter apart; or those `reach` apart and those half of that; or items side by side.
// In C: VKDML_TOP_K_TURN_...
const uint SORT_FOUR = 0;
const uint FLIP = 1;
const uint HALVE = 2;
const uint LAST = 3;

// size: of FLIP the block's, of HALVE twice the reach.
void turn(uint kind, uint size, uint n)
{
    uint a = 4 * n, b = 4 * n + 1, c = 4 * n + 2, d = 4 * n + 3;
    if (kind == FLIP || kind == HALVE) {
        uint quarter = size / 4; // a power of two
        uint within = n & (quarter - 1);
        a = (n - within) * 4 + within;
        b = a + quarter;
        c = b + quarter;
        d = c + quarter;
        if (kind == FLIP) {
            d = (n - within) * 4 + size - 1 - within;
            c = d - quarter;
        }
    }
    Item w = get(a), x = get(b), y = get(c), z = get(d);
    if (kind == SORT_FOUR) {
        order(w, x);
        order(y, z);
    }
    if (kind == FLIP || kind == SORT_FOUR) {
        order(w, z);
        order(x, y);
    } else if (kind == HALVE) {
        order(w, y);
        order(x, z);
    }
    order(w, x);
    order(y, z);
    put(a, w);
    put(b, x);
    put(c, y);
    put(d, z);
}

#endif
