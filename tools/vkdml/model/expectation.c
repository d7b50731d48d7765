#include "model/expectation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/element.h"
#include "model/initializer.h"
#include "model/shape.h"
#include "model/tolerance.h"

/* A member of `tolerance`: a finite number, not negative. */
static bool read_amount(const struct model *model, struct json_object *object, const char *name, double *amount) {
    struct json_object *value = document_member(object, name);
    if (!value) {
        return true;
    }
    const bool is_number = json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double);
    *amount = is_number ? json_object_get_double(value) : -1;
    return (isfinite(*amount) && *amount >= 0) ||
           document_error(&model->document, value, "expect: tolerance: '%s' is %.60s, must be a number from 0 on", name,
                          json_object_to_json_string(value));
}

/* "exact", or an object. */
static bool read_tolerance(const struct model *model, struct json_object *value, struct compare_tolerance *tolerance) {
    static const char *const known[] = {"absolute", "relative", "ulp", NULL};
    *tolerance = (struct compare_tolerance){0};
    if (json_object_is_type(value, json_type_string) && strcmp(json_object_get_string(value), "exact") == 0) {
        tolerance->bits = true;
        return true;
    }
    if (!json_object_is_type(value, json_type_object)) {
        return document_error(&model->document, value,
                              "expect: 'tolerance' must be \"exact\", or an object with absolute, relative or ulp");
    }
    document_warn_unknown(&model->document, value, known, "tolerance");
    return read_amount(model, value, "absolute", &tolerance->absolute) &&
           read_amount(model, value, "relative", &tolerance->relative) &&
           read_amount(model, value, "ulp", &tolerance->ulp);
}

/* What the elements are told by: the coordinates of the tensor that was written, else of the file. */
static struct compare_shape find_shape(const struct resource *resource, const struct resource *expected) {
    if (resource->written && resource->written->DataType == resource->type) {
        return compare_shape_of_tensor(resource->written);
    }
    const struct resource *from = expected->dimensions ? expected : resource;
    return compare_shape_of_sizes(from->dimension_count, from->dimensions);
}

/* Holds the values to the resource: type and count must be the same. */
static bool check_values(const struct model *model, const struct command *command, struct resource *expected) {
    const struct resource *resource = command->resource;
    struct json_object *values = document_member(command->json, "values");
    if (expected->type != resource->type) {
        return document_error(&model->document, values, "expect: the values are of type %s, resource '%s' of %s",
                              element_type_name(expected->type), resource->name, element_type_name(resource->type));
    }
    if (expected->count != resource->count) {
        return document_error(&model->document, values, "expect: %llu values are given, resource '%s' has %llu",
                              (unsigned long long)expected->count, resource->name, (unsigned long long)resource->count);
    }
    if (resource->written && resource->written->DataType == resource->type) {
        shape_check(model, expected, resource->written, values, "what was written");
    }
    return true;
}

/* Whether there is something to hold to values of one type. */
static bool check_resource(const struct model *model, const struct command *command) {
    const struct resource *resource = command->resource;
    if (resource->types) {
        return document_error(&model->document, command->json,
                              "expect: resource '%s' is of several types, must be of one", resource->name);
    }
    if (resource->deferred && !resource->contents) {
        return document_error(&model->document, command->json,
                              "expect: resource '%s' is deferred, and no dispatch before is bound to it",
                              resource->name);
    }
    return resource->contents != NULL; /* else it could not be read, which has been said */
}

static bool load_values(struct model *model, struct command *command, struct expectation *expectation) {
    const struct resource *resource = command->resource;
    struct resource expected = {.name = resource->name,
                                .json = command->json,
                                .member = "values",
                                .is_expected = true,
                                .type = resource->type,
                                .count = resource->count};
    bool good = initializer_load_values(model, &expected, document_member(command->json, "values")) &&
                check_values(model, command, &expected);
    if (good) {
        expectation->shape = find_shape(resource, &expected);
        expectation->values = expected.contents;
    } else {
        free(expected.contents);
    }
    return good;
}

bool expectation_load(struct model *model, struct command *command) {
    static const char *const known[] = {"type", "resource", "values", "tolerance", NULL};
    document_warn_unknown(&model->document, command->json, known, "expect");
    struct json_object *name =
        document_require(&model->document, command->json, "resource", json_type_string, "expect");
    struct json_object *tolerance = document_member(command->json, "tolerance");
    command->resource = name ? model_find_resource(model, name, "expect") : NULL;
    command->expectation = arena_allocate(&model->arena, 1, sizeof(*command->expectation));
    if (!command->resource || !command->expectation || !check_resource(model, command)) {
        return false;
    }
    struct expectation *expectation = command->expectation;
    expectation->tolerance = tolerance_of_results(command->resource->writer, command->resource->type);
    return (!tolerance || read_tolerance(model, tolerance, &expectation->tolerance)) &&
           load_values(model, command, expectation);
}
