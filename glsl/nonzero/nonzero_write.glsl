// Second pass of NONZERO_COORDINATES: sums the totals of the chunks before, then writes the coordinates of the chunk's
// marked elements from that row on. Chunk 0 also writes the count. A workgroup takes four mask words per invocation at
// a time, its tile, and of that parts of so few rows that they fit in shared memory: it puts the marked elements'
// places in the part there side by side, and streams their rows out, 16 aligned bytes per invocation.
#include "nonzero_output.glsl"

const uint TILE = 4 * gl_WorkGroupSize.x; // mask words

// So many have their marks counted at a time, and few marks written together, because each part costs barriers.
const uint TILES = 4;

// As many places as an eighth of a tile may have, after up to three slots. A gap after each 32 keeps invocations that
// write from whole mask words in different banks. Sums use the same memory: with 2 KiB of their own an H200 took 1.05
// times as long, since fewer workgroups were under way at once.
const uint STAGED = 16 * gl_WorkGroupSize.x;
shared uint staged[STAGED + 3 + (STAGED + 3) / 32];
#define scratch staged
#include "workgroup.glsl"

shared uvec4 tile_masks[gl_WorkGroupSize.x];
shared uint tile_before[gl_WorkGroupSize.x]; // marks in the tile before those four words

uint lane; // place in the workgroup

uint staged_index(uint slot)
{
    return slot + (slot >> 5);
}

// Of the one bit that is set. On an H200 both passes take up to 1 % longer with findMSB().
uint bit_index(uint bit)
{
    return (floatBitsToUint(float(bit)) >> 23) - 127;
}

// `mask` marks elements from a place in the part on; they go to the slots from `slot` on.
void stage(uint mask, uint place, uint slot)
{
    for (; mask != 0; mask &= mask - 1) {
        staged[staged_index(slot)] = place + bit_index(mask & (0 - mask));
        ++slot;
    }
}

// The same for 16 bits, of which many are set.
void stage_half(uint bits, uint place, uint slot)
{
    [[unroll]] for (uint i = 0; i < 16; ++i) {
        if ((bits & (1u << i)) != 0) {
            staged[staged_index(slot)] = place + i;
            ++slot;
        }
    }
}

// A part of a tile, or few marked elements of several.
struct Part {
    uint element; // its first
    uint row;     // of its first marked element
    uint rows;
    uint slot;    // of its first row
    bool full;    // all of its elements are marked: nothing is staged
};

// The slot for the first of rows from `row` on: where a row is one word, those of aligned vectors are side by side.
uint first_slot(uint row)
{
    return DENSE && COLUMNS == 1 ? row_place(row) & 3 : 0;
}

uint part_element(Part part, uint row)
{
    return part.element + (part.full ? row : staged[staged_index(part.slot + row)]);
}

// Four words of coordinates from word `word` of the part's rows on.
uvec4 part_words(Part part, uint word)
{
    if (COLUMNS % 4 == 0)
        return four_coordinates(part_element(part, word / COLUMNS), word % COLUMNS / 4);
    if (COLUMNS == 1 && !part.full) {
        uint at = staged_index(part.slot + word); // a multiple of 4 in 32
        return part.element + uvec4(staged[at], staged[at + 1], staged[at + 2], staged[at + 3]);
    }
    uvec4 result;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        result[i] = coordinate(part_element(part, (word + i) / COLUMNS), (word + i) % COLUMNS);
    return result;
}

// Word `at` of the coordinates; `place` is the part's first.
void write_word(Part part, uint place, uint at)
{
    uint word = at - place;
    coordinates.words[at] = coordinate(part_element(part, word / COLUMNS), word % COLUMNS);
}

void write_part(Part part)
{
    uint first = max(part.row, parameters.row_first);
    uint end = min(part.row + part.rows, parameters.row_end);
    if (first >= end)
        return;
    if (!DENSE) {
        for (uint row = first + lane; row < end; row += gl_WorkGroupSize.x)
            write_row(row, part_element(part, row - part.row));
        return;
    }
    uint place = row_place(part.row); // wraps for a row before the window
    uint begin = row_place(first);
    uint after = row_place(end);
    uint vector_begin = (begin + 3) >> 2;
    uint vector_end = after >> 2;
    for (uint vector = vector_begin + lane; vector < vector_end; vector += gl_WorkGroupSize.x)
        coordinate_vectors.vectors[vector] = part_words(part, 4 * vector - place);
    if (COLUMNS % 4 == 0)
        return;
    // The words before and after whole vectors.
    if (begin + lane < min(4 * vector_begin, after))
        write_word(part, place, begin + lane);
    if (max(4 * vector_end, 4 * vector_begin) + lane < after)
        write_word(part, place, max(4 * vector_end, 4 * vector_begin) + lane);
}

// Of a word of the tile.
uint marks_before(uint word)
{
    uvec4 masks = tile_masks[word / 4];
    uint result = tile_before[word / 4];
    [[unroll]] for (uint i = 0; i < 3; ++i)
        result += i < word % 4 ? bitCount(masks[i]) : 0;
    return result;
}

// The part of `words` words, a multiple of 4, from word `word` of the tile on.
Part tile_part(uint tile, uint row, uint rows, uint word, uint words)
{
    uint begin = tile_before[word / 4];
    uint end = word + words < TILE ? tile_before[(word + words) / 4] : rows;
    return Part((tile + word) * 32, row + begin, end - begin, first_slot(row + begin), end - begin == words * 32);
}

// An invocation per word.
void write_quarter(Part part, uint row, uint word)
{
    stage(tile_masks[word / 4][word % 4], lane * 32, part.slot + row + marks_before(word) - part.row);
    barrier();
    write_part(part);
    barrier(); // staged may be used again
}

// An invocation per half word, so that all have work.
void write_eighth(Part part, uint row, uint word)
{
    if (!part.full) {
        uint shift = lane % 2 * 16;
        uint mask = tile_masks[word / 4][word % 4];
        uint before = marks_before(word) + bitCount(bitfieldExtract(mask, 0, int(shift)));
        stage_half(bitfieldExtract(mask, int(shift), 16), lane * 16, part.slot + row + before - part.row);
        barrier();
    }
    write_part(part);
    barrier();
}

bool in_window(uint row, uint rows)
{
    return row < parameters.row_end && row + rows > parameters.row_first;
}

// Stages the marks of the invocation's words of a tile, whose elements begin at a place in the part.
void stage_words(uvec4 masks, uint place, uint slot)
{
    [[unroll]] for (uint i = 0; i < 4; ++i) {
        stage(masks[i], place + lane * 128 + i * 32, slot);
        slot += bitCount(masks[i]);
    }
}

// Writes the coordinates of a tile's marked elements. `masks` are the invocation's words, before which the tile has
// `before` of its `rows` marks.
void write_tile(uint tile, uvec4 masks, uint before, uint row, uint rows)
{
    if (rows == 0 || !in_window(row, rows))
        return;
    if (rows <= STAGED) {
        Part part = Part(tile * 32, row, rows, first_slot(row), false);
        stage_words(masks, 0, part.slot + before);
        barrier();
        write_part(part);
        barrier();
        return;
    }
    tile_masks[lane] = masks;
    tile_before[lane] = before;
    barrier();
    for (uint word = 0; word < TILE; word += gl_WorkGroupSize.x) {
        Part quarter = tile_part(tile, row, rows, word, gl_WorkGroupSize.x);
        if (quarter.rows <= STAGED) {
            write_quarter(quarter, row, word + lane);
            continue;
        }
        for (uint i = 0; i < 2; ++i) {
            uint first = word + i * gl_WorkGroupSize.x / 2;
            Part eighth = tile_part(tile, row, rows, first, gl_WorkGroupSize.x / 2);
            write_eighth(eighth, row, first + lane / 2);
        }
    }
}

// Writes the coordinates of all tiles' marked elements at once, which are at most STAGED.
void write_few(uint tile, uvec4 masks[TILES], uvec4 before, uint row, uvec4 rows)
{
    uint all_rows = rows.x + rows.y + rows.z + rows.w;
    if (all_rows == 0 || !in_window(row, all_rows))
        return;
    Part part = Part(tile * 32, row, all_rows, first_slot(row), false);
    uint slot = part.slot;
    [[unroll]] for (uint i = 0; i < TILES; ++i) {
        stage_words(masks[i], i * TILE * 32, slot + before[i]);
        slot += rows[i];
    }
    barrier();
    write_part(part);
    barrier();
}

// Of numbers of 16 bits each: a tile has less than 2^16 elements.
uvec4 unpack(uvec2 packed)
{
    return uvec4(packed.x & 0xFFFF, packed.x >> 16, packed.y & 0xFFFF, packed.y >> 16);
}

// Writes the coordinates of the tiles' marked elements; returns how many they are.
uint write_tiles(uint tile, uvec4 masks[TILES], uint row)
{
    uvec4 counts;
    [[unroll]] for (uint i = 0; i < TILES; ++i) {
        uvec4 words = bitCount(masks[i]);
        counts[i] = words.x + words.y + words.z + words.w;
    }
    uvec2 packed_before;
    uvec4 rows = unpack(workgroup_sum(counts.xz | counts.yw << 16, packed_before));
    uvec4 before = unpack(packed_before);
    uint all_rows = rows.x + rows.y + rows.z + rows.w;
    if (all_rows <= STAGED) {
        write_few(tile, masks, before, row, rows);
        return all_rows;
    }
    // Not unrolled, or the kernel would be too long for the GPU's instruction cache.
    for (uint i = 0; i < TILES; ++i) {
        write_tile(tile + i * TILE, masks[0], before.x, row, rows.x);
        row += rows.x;
        masks = uvec4[TILES](masks[1], masks[2], masks[3], masks[3]);
        before = before.yzww;
        rows = rows.yzww;
    }
    return all_rows;
}

// The rows before this chunk's. *all_rows, of all chunks, is right for chunk 0 and with ZERO_UNDEFINED.
uint count_rows(uint chunk, out uint all_rows)
{
    uint lower = 0;
    uint all = 0;
    uint end = ZERO_UNDEFINED || chunk == 0 ? parameters.chunk_count : chunk;
    for (uint c = 4 * lane; c < end; c += 4 * gl_WorkGroupSize.x) {
        uvec4 four = total_vectors.vectors[(push.base_bytes.y >> 4) + c / 4];
        [[unroll]] for (uint i = 0; i < 4; ++i) {
            all += c + i < end ? four[i] : 0;
            lower += c + i < chunk ? four[i] : 0;
        }
    }
    uvec2 sums = workgroup_total(uvec2(all, lower));
    all_rows = sums.x;
    return sums.y;
}

// The masks of the invocation's four words of a tile, those from `end` on 0.
uvec4 load_masks(uint tile, uint end)
{
    uint word = tile + 4 * lane;
    if (word + 4 <= end)
        return mark_vectors.vectors[(push.base_bytes.x >> 4) + mask_place(word) / 4];
    uvec4 masks = uvec4(0);
    [[unroll]] for (uint i = 0; i < 3; ++i) {
        if (word + i < end)
            masks[i] = load_mask(word + i);
    }
    return masks;
}

uvec4[TILES] load_tiles(uint tile, uint end)
{
    uvec4 masks[TILES];
    [[unroll]] for (uint i = 0; i < TILES; ++i)
        masks[i] = load_masks(tile + i * TILE, end);
    return masks;
}

void zero_rows(uvec2 rows)
{
    if (rows.x >= rows.y)
        return;
    if (!DENSE) {
        for (uint r = rows.x + lane; r < rows.y; r += gl_WorkGroupSize.x)
            zero_row(r);
        return;
    }
    uint begin = row_place(rows.x);
    uint end = row_place(rows.y);
    for (uint vector = (begin >> 2) + lane; 4 * vector < end; vector += gl_WorkGroupSize.x) {
        if (4 * vector >= begin && 4 * vector + 4 <= end) {
            coordinate_vectors.vectors[vector] = uvec4(0);
        } else {
            for (uint w = max(4 * vector, begin); w < min(4 * vector + 4, end); ++w)
                coordinates.words[w] = 0;
        }
    }
}

void main()
{
    uint chunk = parameters.chunk_first + group_index();
    if (chunk >= parameters.chunk_end)
        return;
    lane = workgroup_place();
    uint chunk_begin = chunk * parameters.chunk_words;
    uint chunk_end = min(chunk_begin + parameters.chunk_words, parameters.mask_words);
    uint chunk_rows = load_total(chunk);
    uvec4 masks[TILES] = load_tiles(chunk_begin, chunk_end);
    uint all_rows;
    uint row = count_rows(chunk, all_rows);
    if (parameters.first_pass != 0 && chunk == 0 && lane == 0)
        count.words[push.base_bytes.z >> 2] = all_rows;

    bool some_in_window = in_window(row, chunk_rows);
    for (uint tile = chunk_begin; some_in_window && tile < chunk_end; tile += TILES * TILE) {
        // The next tiles' masks are on their way while these ones' rows are written.
        uvec4 next[TILES] = load_tiles(tile + TILES * TILE, chunk_end);
        row += write_tiles(tile, masks, row);
        masks = next;
    }
    if (ZERO_UNDEFINED)
        zero_rows(undefined_rows(chunk_begin, chunk_end, all_rows));
}
