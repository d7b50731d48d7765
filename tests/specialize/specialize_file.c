/* Specializes a module: specialize_file IN.spv OUT.spv ID=VALUE.. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/specialize.h"

#define MAX_WORDS (1 << 18)

static bool read_constant(const char *text, struct vkdml_specialization *constants) {
    char *end;
    const unsigned long id = strtoul(text, &end, 0);
    if (*end != '=' || id >= VKDML_SPECIALIZATION_COUNT) {
        return false;
    }
    constants->given |= UINT32_C(1) << id;
    constants->values[id] = (uint32_t)strtoul(end + 1, &end, 0);
    return *end == '\0';
}

int main(int argument_count, char **arguments) {
    static uint32_t words[MAX_WORDS];
    struct vkdml_specialization constants = {0};
    for (int i = 3; i < argument_count; i++) {
        if (!read_constant(arguments[i], &constants)) {
            fprintf(stderr, "specialize_file: cannot read %s\n", arguments[i]);
            return EXIT_FAILURE;
        }
    }
    FILE *input = argument_count > 2 ? fopen(arguments[1], "rb") : NULL;
    size_t count = input ? fread(words, sizeof *words, MAX_WORDS, input) : 0;
    uint32_t *specialized = count != 0 ? vkdml_specialize(words, &count, &constants, NULL) : NULL;
    FILE *output = specialized ? fopen(arguments[2], "wb") : NULL;
    bool good = output && fwrite(specialized, sizeof *specialized, count, output) == count;
    if (output) {
        good = fclose(output) == 0 && good;
    }
    if (input) {
        fclose(input);
    }
    vkdml_free(NULL, specialized);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
