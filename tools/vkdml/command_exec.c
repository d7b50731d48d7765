/* vkdml exec: runs a program with the libraries of integrations/directml. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "commands.h"

enum { OPTION_SOFTWARE = OPTION_KEY_FIRST, OPTION_LIBRARIES };

/* The exit status of a program that was found and could not be run, and of one that was not found, as shells have it.
 */
enum { EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };

#define FOLDER_VARIABLE "VKDML_DIRECTML"

struct request {
    const char *device, *libraries;
    bool software, validation;
};

static const struct option_row options[] = {
    {'a', "adapter", .alias = "device", .argument = "TEXT", .kind = ARGUMENT_DEVICE,
     .text =
         "offer only the device whose name contains TEXT, `#N` by number, or a UUID; default: `$VKDML_DEVICE`, else "
         "all GPUs, the best first"},
    {OPTION_SOFTWARE, "software", SETS(struct request, software),
     .text = "offer software devices, too (lavapipe); they come last"},
    {'d', "debug", SETS(struct request, validation), .text = "with the Vulkan validation layer"},
    {OPTION_LIBRARIES, "libraries", KEEPS(struct request, libraries), .argument = "FOLDER", .kind = ARGUMENT_FOLDER,
     .text =
         "the folder of libdxcore.so, libd3d12.so and libdirectml.so; default: `$" FOLDER_VARIABLE "`, else the one "
         "that was built or installed with this command"},
    {0},
};

static bool apply_option(int key, const char *argument, void *context) {
    struct request *request = context;
    (void)key; /* only --adapter has no effect of its own */
    request->device = argument;
    if (strcmp(argument, "reference") == 0) {
        return refusal_tell("programs run on Vulkan devices; --software offers those on the CPU");
    }
    return true;
}

/* Each before those that depend on it. */
static const char *const libraries[] = {"libdxcore.so", "libd3d12.so", "libdirectml.so"};
#define LIBRARY_COUNT (sizeof(libraries) / sizeof(libraries[0]))

/* Folders of the libraries, installed and in a build: absolute, or relative to the folder of this program. */
static const char *const places[] = {VKDML_DIRECTML_INSTALLED, "../integrations/directml"};
#define PLACE_COUNT (sizeof(places) / sizeof(places[0]))

/* The libraries' folder: its absolute path and the values of the variables that name it. */
struct folder {
    char path[PATH_MAX];
    char preload[LIBRARY_COUNT * (PATH_MAX + 16)];
};

static bool has_libraries(const char *path) {
    char file[PATH_MAX + 16];
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        snprintf(file, sizeof(file), "%s/%s", path, libraries[i]);
        if (!file_exists(file)) {
            return false;
        }
    }
    return true;
}

/* False where that folder does not exist, or lacks a library. */
static bool take_folder(struct folder *folder, const char *path) {
    return realpath(path, folder->path) != NULL && has_libraries(folder->path);
}

static bool take_named(struct folder *folder, const char *path, const char *by) {
    if (!take_folder(folder, path)) {
        fprintf(stderr, "vkdml exec: %s is '%s', must be a folder with libdxcore.so, libd3d12.so and libdirectml.so\n",
                by, path);
        return false;
    }
    return true;
}

static bool find_own(struct folder *folder) {
    char program[PATH_MAX], path[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(program, '/');
    if (slash != NULL) {
        slash[1] = '\0';
    }
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        snprintf(path, sizeof(path), "%s%s", places[i][0] == '/' ? "" : program, places[i]);
        if (take_folder(folder, path)) {
            return true;
        }
    }
    fprintf(stderr,
            "vkdml exec: this vkdml was built without DirectML's libraries: build it with -Ddirectml_abi=true, or "
            "name their folder with --libraries\n");
    return false;
}

static bool find_folder(struct folder *folder, const struct request *request) {
    const char *given = getenv(FOLDER_VARIABLE);
    return request->libraries != NULL          ? take_named(folder, request->libraries, "--libraries")
           : given != NULL && given[0] != '\0' ? take_named(folder, given, FOLDER_VARIABLE)
                                               : find_own(folder);
}

/* The dynamic linker splits LD_LIBRARY_PATH at ':' and ';', LD_PRELOAD at ':' and spaces, and expands '$' in both. By
 * name alone the libraries are found in LD_LIBRARY_PATH; their paths also reach children that have another one. */
static bool write_preload(struct folder *folder) {
    const char *const refused = strpbrk(folder->path, ":;$\n");
    if (refused != NULL) {
        fprintf(stderr,
                "vkdml exec: the libraries' folder '%s' has a '%c' in its path, which the dynamic linker cannot "
                "take: copy or install it elsewhere\n",
                folder->path, *refused);
        return false;
    }
    const bool by_name = strpbrk(folder->path, " \t") != NULL;
    size_t length = 0;
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        length += (size_t)snprintf(folder->preload + length, sizeof(folder->preload) - length, "%s%s%s%s",
                                   i != 0 ? ":" : "", by_name ? "" : folder->path, by_name ? "" : "/", libraries[i]);
    }
    return true;
}

/* Puts values in front of a variable's list. */
static bool prepend(const char *name, const char *values) {
    const char *old = getenv(name);
    if (old == NULL || old[0] == '\0') {
        return setenv(name, values, 1) == 0;
    }
    const size_t size = strlen(values) + 1 + strlen(old) + 1;
    char *joined = malloc(size);
    const bool done =
        joined != NULL && snprintf(joined, size, "%s:%s", values, old) > 0 && setenv(name, joined, 1) == 0;
    free(joined);
    return done;
}

static bool set_environment(const struct folder *folder, const struct request *request) {
    const bool done = prepend("LD_PRELOAD", folder->preload) && prepend("LD_LIBRARY_PATH", folder->path) &&
                      setenv("TF_DIRECTML_PATH", folder->path, 1) == 0 && /* TensorFlow's plugin looks there */
                      (request->device == NULL || setenv("VKDML_DEVICE", request->device, 1) == 0) &&
                      (!request->software || setenv("VKDML_SOFTWARE", "1", 1) == 0) &&
                      (!request->validation || setenv("VKDML_VALIDATION", "1", 1) == 0);
    if (!done) {
        fprintf(stderr, "vkdml exec: out of memory\n");
    }
    return done;
}

static int run(int argc, char **argv) {
    struct request request = {0};
    static struct folder folder;
    int first;
    const int status = command_line_read(&subcommand_exec, argc, argv, &request, &first);
    if (status != COMMAND_LINE_GO_ON) {
        return status;
    }
    if (!find_folder(&folder, &request) || !write_preload(&folder) || !set_environment(&folder, &request)) {
        return EXIT_FAILURE;
    }
    execvp(argv[first], argv + first);
    const int error = errno;
    fprintf(stderr, "vkdml exec: '%s' cannot be run: %s\n", argv[first], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

const struct subcommand subcommand_exec = {
    .name = "exec",
    .operands = "PROGRAM [ARGUMENT]..",
    .operands_least = 1,
    .operands_most = UINT_MAX,
    .kind = ARGUMENT_PROGRAM,
    .stops_at_operand = true,
    .summary = "runs a program that uses DirectML, such as PyTorch with torch-directml",
    .description =
        "Runs a program that was built for DirectML on Linux on Vulkan devices: `vkdml exec python train.py`. The "
        "program "
        "and its children load vkdml's libdxcore.so, libd3d12.so and libdirectml.so in place of the libraries of the "
        "Windows Subsystem for Linux, by LD_PRELOAD and LD_LIBRARY_PATH. No file of another package is changed.\n"
        "Once the program runs, its exit status is that of this command. Exits with 127 where there is no such "
        "program, "
        "and with 126 where it cannot be run.",
    .options = options,
    .apply = apply_option,
    .run = run,
};
