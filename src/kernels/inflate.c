#include "kernels/inflate.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define MOST_BITS    15 /* of a code */
#define FAST_BITS    10 /* found in one step */
#define LITERALS     288
#define DISTANCES    30
#define LENGTH_CODES 19
#define END_OF_BLOCK 256
#define FIRST_LENGTH 257

enum block { STORED, FIXED, DYNAMIC };

/* What is left of the deflated text; low bits come first. */
struct bits {
    const uint8_t *next;
    uint64_t held;
    uint32_t count;
};

/* A canonical code: how many symbols have codes of each length, and all symbols in the order of their codes. */
struct code {
    uint16_t counts[MOST_BITS + 1];
    uint16_t symbols[LITERALS];
    uint16_t fast[1 << FAST_BITS]; /* by the next bits: symbol * 16 + length; 0: the code is longer */
};

/* RFC 1951, 3.2.5: by code from FIRST_LENGTH on, and of distances. */
static const uint16_t length_bases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_bases[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                          33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                          1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

static uint32_t peek(struct bits *bits, uint32_t count) {
    while (bits->count <= 56) {
        bits->held |= (uint64_t)*bits->next++ << bits->count;
        bits->count += 8;
    }
    return (uint32_t)(bits->held & ((1u << count) - 1));
}

static void drop(struct bits *bits, uint32_t count) {
    bits->held >>= count;
    bits->count -= count;
}

static uint32_t take(struct bits *bits, uint32_t count) {
    const uint32_t value = peek(bits, count);
    drop(bits, count);
    return value;
}

static void set_fast(struct code *code, uint32_t bits, uint32_t length, uint32_t symbol) {
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < length; ++i) {
        reversed |= (bits >> i & 1) << (length - 1 - i);
    }
    for (uint32_t at = reversed; at < 1u << FAST_BITS; at += 1u << length) {
        code->fast[at] = (uint16_t)(symbol << 4 | length);
    }
}

/* RFC 1951, 3.2.2: of each symbol the length of its code, 0 where it has none. */
static void make_code(struct code *code, const uint8_t *lengths, uint32_t symbol_count) {
    uint32_t places[MOST_BITS + 2] = {0}, next[MOST_BITS + 1] = {0};
    memset(code, 0, sizeof *code);
    for (uint32_t symbol = 0; symbol < symbol_count; ++symbol) {
        ++code->counts[lengths[symbol]];
    }
    code->counts[0] = 0;
    for (uint32_t length = 1; length <= MOST_BITS; ++length) {
        places[length + 1] = places[length] + code->counts[length];
        next[length] = (next[length - 1] + code->counts[length - 1]) << 1;
    }
    for (uint32_t symbol = 0; symbol < symbol_count; ++symbol) {
        const uint32_t length = lengths[symbol];
        if (length != 0) {
            code->symbols[places[length]++] = (uint16_t)symbol;
            if (length <= FAST_BITS) {
                set_fast(code, next[length]++, length, symbol);
            }
        }
    }
}

static uint32_t next_symbol(struct bits *bits, const struct code *code) {
    const uint32_t ahead = peek(bits, MOST_BITS);
    const uint32_t fast = code->fast[ahead & ((1u << FAST_BITS) - 1)];
    if (fast != 0) {
        drop(bits, fast & 15);
        return fast >> 4;
    }
    uint32_t place = 0, first = 0, own = 0;
    for (uint32_t length = 1;; ++length) {
        assert(length <= MOST_BITS);
        own = own << 1 | (ahead >> (length - 1) & 1);
        if (own - first < code->counts[length]) {
            drop(bits, length);
            return code->symbols[place + own - first];
        }
        place += code->counts[length];
        first = (first + code->counts[length]) << 1;
    }
}

static void read_fixed(struct code *literals, struct code *distances) {
    uint8_t lengths[LITERALS];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    make_code(literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(distances, lengths, DISTANCES);
}

/* RFC 1951, 3.2.7: lengths of codes, by a code of their own. */
static void read_dynamic(struct bits *bits, struct code *literals, struct code *distances) {
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + DISTANCES + 2] = {0};
    const uint32_t literal_count = take(bits, 5) + 257;
    const uint32_t count = literal_count + take(bits, 5) + 1;
    const uint32_t given = take(bits, 4) + 4;
    for (uint32_t i = 0; i < given; ++i) {
        lengths[order[i]] = (uint8_t)take(bits, 3);
    }
    make_code(literals, lengths, LENGTH_CODES);
    memset(lengths, 0, sizeof lengths);
    for (uint32_t at = 0; at < count;) {
        const uint32_t symbol = next_symbol(bits, literals);
        if (symbol < 16) {
            lengths[at++] = (uint8_t)symbol;
            continue;
        }
        const uint8_t repeated = symbol == 16 ? lengths[at - 1] : 0;
        uint32_t times = symbol == 18 ? take(bits, 7) + 11 : symbol == 17 ? take(bits, 3) + 3 : take(bits, 2) + 3;
        assert(at + times <= count);
        for (; times > 0; --times) {
            lengths[at++] = repeated;
        }
    }
    make_code(literals, lengths, literal_count);
    make_code(distances, lengths + literal_count, count - literal_count);
}

static size_t read_stored(struct bits *bits, uint8_t *text) {
    drop(bits, bits->count % 8);
    const size_t bytes = take(bits, 16);
    take(bits, 16); /* the same inverted */
    for (size_t i = 0; i < bytes; ++i) {
        text[i] = (uint8_t)take(bits, 8);
    }
    return bytes;
}

/* Returns where the text then is. */
static size_t read_block(struct bits *bits, const struct code *literals, const struct code *distances, uint8_t *text,
                         size_t at) {
    for (;;) {
        const uint32_t symbol = next_symbol(bits, literals);
        if (symbol == END_OF_BLOCK) {
            return at;
        }
        if (symbol < END_OF_BLOCK) {
            text[at++] = (uint8_t)symbol;
            continue;
        }
        const uint32_t length = symbol - FIRST_LENGTH;
        const size_t end = at + length_bases[length] + take(bits, length_bits[length]);
        const uint32_t far = next_symbol(bits, distances);
        const size_t distance = distance_bases[far] + take(bits, far < 2 ? 0 : far / 2 - 1);
        assert(distance <= at);
        for (; at < end; ++at) { /* which may lie over one another */
            text[at] = text[at - distance];
        }
    }
}

void vkdml_inflate(const uint8_t *deflated, uint8_t *text, size_t bytes) {
    struct bits bits = {deflated, 0, 0};
    struct code literals, distances;
    size_t at = 0;
    bool is_last = false;
    while (!is_last) {
        is_last = take(&bits, 1) != 0;
        switch ((enum block)take(&bits, 2)) {
        case STORED:
            at += read_stored(&bits, text + at);
            break;
        case FIXED:
            read_fixed(&literals, &distances);
            at = read_block(&bits, &literals, &distances, text, at);
            break;
        case DYNAMIC:
            read_dynamic(&bits, &literals, &distances);
            at = read_block(&bits, &literals, &distances, text, at);
            break;
        }
    }
    assert(at == bytes);
    (void)bytes;
}
