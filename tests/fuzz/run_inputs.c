/* Runs a fuzz target without libFuzzer: over files, and then over random bytes; or, where the target changes what it is
 * given (FUZZ_CHANGES), over the files changed.
 *
 *   fuzz_rows_inputs [--count N] [--seed S] [--seconds T] [--found FILE] FILE..
 *
 * --found: the input at which the process was aborted, by a requirement or a sanitizer, or ended from outside because
 * it hung, is written there. */
#include <signal.h>
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

/* Sanitizers abort like requirements do, and undefined behaviour is no less. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void) {
    return "abort_on_error=1:allow_user_segv_handler=0";
}
const char *__ubsan_default_options(void) {
    return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static const char *found;
static struct {
    const uint8_t *data;
    size_t size;
} tried_now;

static void keep_input(int sent) {
    FILE *file = tried_now.data != NULL ? fopen(found, "wb") : NULL;
    if (file != NULL) {
        fwrite(tried_now.data, 1, tried_now.size, file);
        fclose(file);
    }
    signal(sent, SIG_DFL);
    raise(sent);
}

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
    tried_now.data = data;
    tried_now.size = size;
    LLVMFuzzerTestOneInput(copy, size);
    tried_now.data = NULL;
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
    if (found != NULL) {
        signal(SIGABRT, keep_input);
        signal(SIGSEGV, keep_input);
        signal(SIGTERM, keep_input);
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
