/* Runs a fuzz target without libFuzzer: over files, and then over random bytes.
 *
 *   fuzz_rows_inputs [--count N] [--seed S] [--seconds T] [--found FILE] FILE..
 *
 * --found: each input is written there before it is tried, so that it is left where one crashes. That takes longer than
 * most inputs do: run it where a test failed. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases/random.h"

#define MOST_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *found;

/* In heap memory of exactly that size, so that the address sanitizer sees a byte read too far. */
static void try_input(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        fprintf(stderr, "memory is out\n");
        exit(1);
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    FILE *file = found != NULL ? fopen(found, "wb") : NULL;
    if (file != NULL) {
        fwrite(copy, 1, size, file);
        fclose(file);
    }
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void try_file(const char *path) {
    static uint8_t data[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be opened\n", path);
        exit(1);
    }
    const size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    try_input(data, size);
}

int main(int argc, char **argv) {
    uint64_t count = 0, files = 0;
    double seconds = 0;
    struct random random = {1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--count") == 0) {
            count = strtoull(value, NULL, 10), i++;
        } else if (strcmp(argv[i], "--seed") == 0) {
            random.state = strtoull(value, NULL, 10), i++;
        } else if (strcmp(argv[i], "--seconds") == 0) {
            seconds = strtod(value, NULL), i++;
        } else if (strcmp(argv[i], "--found") == 0) {
            found = value, i++;
        } else {
            try_file(argv[i]), files++;
        }
    }
    const time_t begun = time(NULL);
    uint64_t tried = 0;
    while (tried < count || (seconds > 0 && difftime(time(NULL), begun) < seconds)) {
        uint8_t data[96];
        const uint32_t size = random_between(&random, 1, sizeof(data));
        random_bytes(&random, data, size);
        try_input(data, size);
        tried++;
    }
    printf("%llu files and %llu random inputs\n", (unsigned long long)files, (unsigned long long)tried);
    return 0;
}
