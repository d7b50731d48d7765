/* For libFuzzer: changes by the target's own function mostly, and by bytes and words of the dictionary. */
#include "change.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    return seed % 4 == 0 ? LLVMFuzzerMutate(data, size, room) : change_input(data, size, room, seed);
}
