// First pass of NONZERO_COORDINATES: marks the nonzero elements of each chunk and counts them. A workgroup takes a tile
// of mask words at a time. Neighbouring invocations load neighbouring groups, eight each, so a mask word's bits come
// from several of them and meet in shared memory.
#include "nonzero_input.glsl"

const uint LOADS = 8;
const uint WORDS = LOADS / GROUPS_PER_WORD; // of the mask, per invocation
const uint TILE = WORDS * gl_WorkGroupSize.x;

// Row j holds, per invocation, the marks of its groups j * GROUPS_PER_WORD and following. A gap after the invocations
// that make up one mask word keeps those that read apart in different banks.
const uint PITCH = gl_WorkGroupSize.x + gl_WorkGroupSize.x / GROUPS_PER_WORD;
shared uint gathered[6 * gl_WorkGroupSize.x]; // WORDS * PITCH of 8-bit elements, the most; sums use the same memory
#define scratch gathered
#include "workgroup.glsl"

uint place(uint row, uint invocation)
{
    return row * PITCH + invocation + invocation / GROUPS_PER_WORD;
}

// A whole tile of a DENSE input.
void load_tile(uint tile, uint self)
{
    uvec4 vectors[LOADS];
    [[unroll]] for (uint i = 0; i < LOADS; ++i)
        vectors[i] = load_group(tile * 32 + (i * gl_WorkGroupSize.x + self) * GROUP);
    [[unroll]] for (uint row = 0; row < WORDS; ++row) {
        uint bits = 0;
        [[unroll]] for (uint i = 0; i < GROUPS_PER_WORD; ++i)
            bits |= vector_marks(vectors[row * GROUPS_PER_WORD + i]) << i * GROUP;
        gathered[place(row, self)] = bits;
    }
}

void load_part(uint tile, uint chunk_end, uint self)
{
    for (uint row = 0; row < WORDS; ++row) {
        uint bits = 0;
        for (uint i = 0; i < GROUPS_PER_WORD; ++i) {
            uint group = (row * GROUPS_PER_WORD + i) * gl_WorkGroupSize.x + self;
            uint word = tile + group / GROUPS_PER_WORD;
            uint element = word * 32 + group % GROUPS_PER_WORD * GROUP;
            if (word < chunk_end && element < parameters.element_count)
                bits |= group_marks(element) << i * GROUP;
        }
        gathered[place(row, self)] = bits;
    }
}

// The tile's mask word row * gl_WorkGroupSize.x + self.
uint gather_word(uint row, uint self)
{
    uint invocation = self * GROUPS_PER_WORD % gl_WorkGroupSize.x;
    uint shift = self * GROUPS_PER_WORD / gl_WorkGroupSize.x * GROUP;
    uint word = 0;
    [[unroll]] for (uint i = 0; i < GROUPS_PER_WORD; ++i)
        word |= bitfieldExtract(gathered[place(row, invocation + i)], int(shift), int(GROUP)) << i * GROUP;
    return word;
}

void main()
{
    uint self = gl_LocalInvocationIndex;
    uint chunk = parameters.chunk_first + group_index();
    if (chunk >= parameters.chunk_end)
        return;
    uint chunk_begin = chunk * parameters.chunk_words;
    uint chunk_end = min(chunk_begin + parameters.chunk_words, parameters.mask_words);
    uint whole_words = parameters.element_count / 32;
    uint count = 0;
    for (uint tile = chunk_begin; tile < chunk_end; tile += TILE) {
        bool whole = DENSE && min(chunk_end, whole_words) >= tile + TILE;
        if (whole)
            load_tile(tile, self);
        else
            load_part(tile, chunk_end, self);
        barrier();
        [[unroll]] for (uint row = 0; row < WORDS; ++row) {
            uint word = tile + row * gl_WorkGroupSize.x + self;
            if (word < chunk_end) {
                uint at = (push.base_bytes.y >> 2) + mask_place(word);
                uint mask = gather_word(row, self);
                if (parameters.first_pass == 0)
                    mask |= marks.words[at];
                marks.words[at] = mask;
                count += bitCount(mask);
            }
        }
        barrier(); // gathered may be used again
    }
    uint total = workgroup_total(uvec2(count, 0)).x;
    if (self == 0)
        totals.words[(push.base_bytes.z >> 2) + chunk] = total;
}
