/* Runs a fuzz target without libFuzzer: over files, and then over random bytes; or, where the target changes what it is
 * given (FUZZ_CHANGES), over the files changed.
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
#include "change.h"

#define MOST_BYTES  16384
#define MOST_FILES  512
#define MOST_ROUNDS 6  /* of changes */
#define MOST_RANDOM 96 /* random bytes */

struct input {
    uint8_t data[MOST_BYTES];
    size_t size;
};

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

static void try_file(const char *path, struct input *input) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s cannot be opened\n", path);
        exit(1);
    }
    input->size = fread(input->data, 1, sizeof(input->data), file);
    fclose(file);
    try_input(input->data, input->size);
}

#ifdef FUZZ_CHANGES
static void make_input(struct random *random, const struct input *files, uint32_t file_count, struct input *input) {
    input->size = 0;
    if (file_count > 0) {
        *input = files[random_below(random, file_count)];
    }
    uint32_t rounds = 0;
    do {
        input->size = change_input(input->data, input->size, sizeof(input->data), random_next(random));
    } while (++rounds < MOST_ROUNDS && random_chance(random, 50));
}
#else
static void make_input(struct random *random, const struct input *files, uint32_t file_count, struct input *input) {
    (void)files;
    (void)file_count;
    input->size = random_between(random, 1, MOST_RANDOM);
    random_bytes(random, input->data, input->size);
}
#endif

int main(int argc, char **argv) {
    static struct input files[MOST_FILES], input;
    uint64_t count = 0;
    uint32_t file_count = 0;
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
        } else if (file_count == MOST_FILES) {
            fprintf(stderr, "at most %d files\n", MOST_FILES);
            return 1;
        } else {
            try_file(argv[i], &files[file_count++]);
        }
    }
    const time_t begun = time(NULL);
    uint64_t tried = 0;
    while (tried < count || (seconds > 0 && difftime(time(NULL), begun) < seconds)) {
        make_input(&random, files, file_count, &input);
        try_input(input.data, input.size);
        tried++;
    }
    printf("%u files and %llu random inputs\n", (unsigned)file_count, (unsigned long long)tried);
    return 0;
}
