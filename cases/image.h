/* The memory of a case: all its tensors and resources in one buffer, each between guards, and what must be in it. */
#ifndef CASES_IMAGE_H
#define CASES_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cases/accuracy.h"
#include "cases/case.h"

/* Bytes before and after each region, at least, that nobody may touch. */
#define IMAGE_GUARD 64

/* Bytes of a buffer. size 0: absent. */
struct image_region {
    struct case_name name;
    size_t offset;
    size_t size;  /* of the tensor or resource */
    size_t bound; /* at least size: bytes the binding allows, the rest being guard */
};

struct image_layout {
    struct image_region tensors[CASE_MAX_TENSORS]; /* by slot; in place: the input's region again */
    struct image_region temporary;
    struct image_region persistent;
    size_t size; /* of the whole */
};

/* Places a case's regions. The sizes of the resources are in bytes, 0 for none. */
void image_place(const struct operator_case *c, uint64_t temporary, uint64_t persistent, struct image_layout *layout);

/* Writes the memory as it is before the run: guards and outputs random, inputs as the case says, resources random or
 * all ones. */
void image_write(const struct operator_case *c, const struct image_layout *layout, unsigned char *bytes);

/* Turns over every bit of resources, and of outputs that hold nothing before the run. */
void image_turn_over(const struct operator_case *c, const struct image_layout *layout, unsigned char *bytes);

/* Sets the elements of all outputs to what they were `after` another run, but those that neither that run, from
 * `before`, nor what made `bytes`, from `initial`, has written. */
void image_expect_same(const struct operator_case *c, const struct image_layout *layout, const unsigned char *before,
                       const unsigned char *after, const unsigned char *initial, unsigned char *bytes);

/* Copies exactly the elements of all outputs. */
void image_copy_outputs(const struct operator_case *c, const struct image_layout *layout, const unsigned char *from,
                        unsigned char *to);

/* Sets output elements that the case has typed in, leaves those it says are kept; false if it has none. */
bool image_write_typed(const struct operator_case *c, const struct image_layout *layout, unsigned char *bytes);

/* Lets elements of the first output be what was got where that and what is wanted both lie within bounds. */
void image_accept(const struct operator_case *c, const struct image_layout *layout, accuracy_bounds_of *bounds_of,
                  const unsigned char *initial, const unsigned char *got, unsigned char *want);

/* Where two images differ first, in words: element of an output, or byte of a guard, gap or input. False where they
 * are equal. */
bool image_difference(const struct operator_case *c, const struct image_layout *layout, const unsigned char *got,
                      const unsigned char *want, char *text, size_t text_size);

#endif
