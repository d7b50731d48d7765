/* Inputs of which random bytes make nothing: a target changes what it is given instead, by a function of its own. */
#ifndef FUZZ_CHANGE_H
#define FUZZ_CHANGE_H

#include <stddef.h>
#include <stdint.h>

/* The target's. Changes an input that lies in `room` bytes, as the seed says, the same each time; its length then. */
size_t change_input(uint8_t *bytes, size_t length, size_t room, uint64_t seed);

#endif
