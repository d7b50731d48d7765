/* What DirectML's documentation says that an operator's tensors take, by feature level, data type and dimension count,
 * as the families of cases hold it, tried on descriptors. */
#ifndef VKDML_TESTS_INVALID_DOCUMENTED_H
#define VKDML_TESTS_INVALID_DOCUMENTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cases/family.h"

struct level {
    DML_FEATURE_LEVEL value;
    const char *name;
};

#define LEVEL_COUNT 15
extern const struct level levels[LEVEL_COUNT];

#define TYPE_COUNT 14
extern const char *const type_names[TYPE_COUNT]; /* UNKNOWN too */

const char *level_name(DML_FEATURE_LEVEL level);

/* The index of a level, which must be one. */
size_t level_index(DML_FEATURE_LEVEL level);

/* What holds at a level; NULL below the tensor's first. */
const struct case_support *support_at(const struct case_tensor_support *support, DML_FEATURE_LEVEL level);

/* The oldest level that is documented for any of the tensors; 0 where none is. */
DML_FEATURE_LEVEL introduced(const struct case_family *family);

/* A field's index; schema->fieldCount where there is none of the name. */
uint32_t find_field(const VkdmlOperatorSchema *schema, const char *name);

/* The family's first fixed case; aborts where it is none of the operator. */
void parse_first_case(const struct case_family *family, struct operator_case *c);

/* Whether a line of the text begins with `start` and has `also` in it, if that is not NULL. */
bool has_line(const char *text, const char *start, const char *also);

/* One tensor of the first case, of any type and dimension count. */
struct trial {
    const struct case_family *family;
    const struct case_tensor_support *support;
    uint32_t field;
    char tensor_name[80];
    struct operator_case c;
};

void trial_begin(struct trial *trial, const struct case_family *family, const struct case_tensor_support *support);

struct complaint {
    char text[1024];
};

/* Whether the tensor is refused with its reason where the documents refuse it, and for neither type nor dimension count
 * elsewhere. Nothing is documented, and all holds, below the tensor's first level. */
bool trial_holds(const struct trial *trial, const struct level *level, DML_TENSOR_DATA_TYPE type, uint32_t dimensions,
                 struct complaint *complaint);

/* Whether the first case is refused below the level that introduced the operator, with the reason, and taken from its
 * own level on. */
bool level_holds(const struct case_family *family, const struct level *level, struct complaint *complaint);

#endif
