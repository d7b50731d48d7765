/* What reading a descriptor from JSON takes everywhere along, and what its parts share. */
#ifndef BUILDER_H
#define BUILDER_H

#include "model/model.h"

/* One descriptor struct that is being read: a dispatchable's, or that of an operator fused into it. */
struct builder {
    struct model *model;
    struct dispatchable *dispatchable;
    const char *owner; /* before its fields' names in messages: "", "FusedActivation.", "ActivationDescs[2]." */
    const VkdmlOperatorSchema *schema;
    struct json_object *fields; /* the object with them */
    unsigned char *desc;        /* the struct */
    bool takes_sources;         /* the tensor at hand is an input of a graph's node, and may name what it reads */
};

/* A name and its value, e.g. of a flag. */
struct named_value {
    const char *name;
    int value;
};

/* Longest name of anything in a descriptor, final zero included. */
#define BUILDER_NAME_SIZE 128

/* "dispatchable 'pad': FIELD " and the message, with the value's line. All return false. */
bool builder_fail(const struct builder *builder, const struct json_object *where, const char *field,
                  const char *message);

/* The same, with the value that is there. */
bool builder_fail_value(const struct builder *builder, struct json_object *value, const char *field, const char *must);

/* Whether text is an enumerator in full, or what follows the prefix. */
bool builder_names(const char *text, const char *full, const char *prefix);

/* Considers an enumerator as what was meant by a text: in full where the text is, else what follows the prefix. */
void builder_consider(struct suggest *suggest, const char *full, const char *prefix);

/* Flags: a string, or an array of strings. Absent: 0. `flags` ends with a NULL name. */
bool builder_read_flags(const struct builder *builder, struct json_object *owner, const char *field, const char *prefix,
                        const struct named_value *flags, int *result);

/* An array of whole numbers; *count is its length. */
bool builder_read_uints(const struct builder *builder, struct json_object *value, const char *field,
                        const uint32_t **array, uint32_t *count);

/* The length of a field's array, which must be what its count field says where that says a number. */
bool builder_array_length(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field,
                          uint32_t *length);

/* A field's array of structs, each of `size` bytes and read by `read` under its name. */
bool builder_read_array(const struct builder *builder, struct json_object *value, const VkdmlFieldSchema *field,
                        size_t size,
                        bool (*read)(const struct builder *builder, struct json_object *value, const char *name,
                                     void *element));

/* Makes a field of the struct point there. */
void builder_point(const struct builder *builder, const VkdmlFieldSchema *field, const void *pointer);

#endif
