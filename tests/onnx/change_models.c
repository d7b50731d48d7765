/* Changes ONNX models again and again, and tries what comes of them: fuzzing without a fuzzer, the same each time.
 * Prints TAP of one test. What ends the process, takes longer than it may, or more memory is written to the file of
 * --found.
 *
 * change_models [--count N] [--seconds N] [--seed N] [--limit N] [--found FILE] [--once | --memory] [--write FOLDER]
 *               [PATH..]
 *   PATH..       models, or folders of *.onnx and of NAME/model.onnx; a few small ones that are made here, where none
 * is
 *   --count N    changed models to try; 20000
 *   --seconds N  ends after so long, too; 0: never
 *   --limit N    milliseconds of the processor that a model may take; 1000
 *   --once       the files as they are, once each
 *   --memory     the files as they are, where each allocation fails in turn
 *   --write TO   changed models are written to files N.onnx of that folder, and not tried */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/onnx_change.h"
#include "fuzz/onnx_try.h"
#include "models.h"
#include "onnx/file.h"
#include "try_memory.h"

enum { MOST_MODELS = 4096, ROOM = 16384, MOST_BYTES = 8192, GENERATIONS = 12 };

struct model {
    unsigned char *bytes, *changed;
    size_t length, changed_length;
    uint32_t generation;
};

static struct model models[MOST_MODELS];
static uint32_t model_count;
static const char *found = "found.onnx";
static unsigned char current[ROOM];
static size_t current_length;

/* ---- models ---- */

static void add_model(unsigned char *bytes, size_t length) {
    if (model_count < MOST_MODELS && length <= MOST_BYTES) {
        models[model_count++] = (struct model){bytes, calloc(1, ROOM), length, 0, 0};
    } else {
        free(bytes);
    }
}

static void add_file(const char *path) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = calloc(1, MOST_BYTES + 1);
    if (file != NULL && bytes != NULL) {
        const size_t length = fread(bytes, 1, MOST_BYTES + 1, file);
        add_model(bytes, length);
    } else {
        free(bytes);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_path(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        fprintf(stderr, "%s is not there\n", path);
        exit(2);
    }
    if (!S_ISDIR(status.st_mode)) {
        add_file(path);
        return;
    }
    static char *names[MOST_MODELS];
    size_t count = 0;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && count < MOST_MODELS && (entry = readdir(folder)) != NULL) {
        const size_t length = strlen(path) + strlen(entry->d_name) + 16;
        char *name = malloc(length);
        if (entry->d_name[0] == '.' || name == NULL) {
            free(name);
            continue;
        }
        snprintf(name, length, "%s/%s", path, entry->d_name);
        if (stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
            snprintf(name, length, "%s/%s/model.onnx", path, entry->d_name);
        }
        names[count++] = name;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    qsort(names, count, sizeof *names, compare);
    for (size_t i = 0; i < count; i++) {
        add_file(names[i]);
        free(names[i]);
    }
}

/* ---- models of our own ---- */

static struct proto int_attribute(const char *name, int64_t value) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_int(&attribute, 3, value);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_INT);
    return attribute;
}

static struct proto graph_attribute(const char *name, struct proto graph) {
    struct proto attribute = {NULL, 0};
    proto_text(&attribute, 1, name);
    proto_message(&attribute, 6, graph);
    proto_int(&attribute, 20, ONNX_ATTRIBUTE_GRAPH);
    return attribute;
}

static struct proto ints_tensor(const char *name, uint32_t count, const int64_t *ints) {
    struct proto tensor = {NULL, 0};
    proto_int(&tensor, 1, count);
    proto_int(&tensor, 2, ONNX_INT64);
    proto_text(&tensor, 8, name);
    proto_bytes(&tensor, 9, ints, count * sizeof *ints);
    return tensor;
}

static struct proto scalar_tensor(const char *name, const int64_t *number) {
    struct proto tensor = {NULL, 0};
    proto_int(&tensor, 2, ONNX_INT64);
    proto_text(&tensor, 8, name);
    proto_bytes(&tensor, 9, number, sizeof *number);
    return tensor;
}

static struct proto body(const char *op) {
    struct proto graph = {NULL, 0};
    proto_message(&graph, 1, model_node(op, "x w", "b"));
    proto_text(&graph, 2, op);
    proto_message(&graph, 12, model_value("b", ONNX_FLOAT, "n 4"));
    return graph;
}

/* A mask, keys and values that grow. */
static void add_loop(void) {
    static const struct {
        const char *op, *inputs, *output;
    } arithmetic[] = {{"Shape", "k", "keys"},          {"Gather", "keys two", "past"}, {"Add", "past one", "all"},
                      {"Shape", "mask", "shape"},      {"Slice", "shape one two", "size"},
                      {"Concat", "shape size", "parts"}, {"Mul", "shape shape", "squares"}};
    const int64_t numbers[] = {1, 2};
    struct proto graph = {NULL, 0}, node, model;
    for (int i = 0; i < 7; i++) {
        node = model_node(arithmetic[i].op, arithmetic[i].inputs, arithmetic[i].output);
        if (i == 5) {
            proto_message(&node, 5, int_attribute("axis", 0));
        }
        proto_message(&graph, 1, node);
    }
    node = model_node("Cast", "all", "total");
    proto_message(&node, 5, int_attribute("to", ONNX_INT32));
    proto_message(&graph, 1, node);
    proto_message(&graph, 1, model_node("Identity", "mask", "same"));
    proto_message(&graph, 1, model_node("ReduceSum", "same one", "sums"));
    node = model_node("Cast", "sums", "lengths");
    proto_message(&node, 5, int_attribute("to", ONNX_INT32));
    proto_message(&graph, 1, node);
    node = model_call("com.microsoft", "GroupQueryAttention", "x - - k v lengths total", "y nk nv");
    proto_message(&node, 5, int_attribute("num_heads", 2));
    proto_message(&node, 5, int_attribute("kv_num_heads", 1));
    proto_message(&graph, 1, node);
    proto_message(&graph, 5, ints_tensor("one", 1, numbers));
    proto_message(&graph, 5, ints_tensor("two", 1, numbers + 1));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "b 1 16"));
    proto_message(&graph, 11, model_value("k", ONNX_FLOAT, "b 1 past 4"));
    proto_message(&graph, 11, model_value("v", ONNX_FLOAT, "b 1 past 4"));
    proto_message(&graph, 11, model_value("mask", ONNX_INT64, "b total"));
    const char *const outputs[] = {"y", "nk", "nv", "parts", "squares"};
    for (int i = 0; i < 5; i++) {
        proto_message(&graph, 12, model_value(outputs[i], i < 3 ? ONNX_FLOAT : ONNX_INT64, "?"));
    }
    model = model_of(graph);
    proto_message(&model, 8, model_opset("com.microsoft", 1));
    add_model(model.bytes, model.length);
}

/* Attention that is written out, of keys that Concat appends to. */
static void add_decoder(void) {
    static const struct {
        const char *op, *inputs, *output;
        const char *attribute;
        int64_t value;
    } nodes[] = {{"Reshape", "x four", "xh", NULL, 0},        {"Concat", "k xh", "nk", "axis", 2},
                 {"Concat", "v xh", "nv", "axis", 2},         {"Transpose", "nk", "turned", NULL, 0},
                 {"Transpose", "turned", "again", NULL, 0},   {"MatMul", "nk again", "wide", NULL, 0},
                 {"Shape", "nk", "shape", NULL, 0},           {"Gather", "shape two", "total", NULL, 0},
                 {"Range", "zero total one", "all", NULL, 0}, {"Unsqueeze", "all one_list", "column", NULL, 0},
                 {"Less", "column total", "keep", NULL, 0},   {"Expand", "least shape", "low", NULL, 0},
                 {"Where", "keep nk low", "kept", NULL, 0},   {"GatherND", "kept column4", "taken", NULL, 0},
                 {"Reshape", "all column_sizes", "column4", NULL, 0},
                 {"Slice", "kept from end axes", "last", NULL, 0},
                 {"ReduceMax", "kept", "most", NULL, 0},      {"Softmax", "kept", "weights", "axis", 2},
                 {"ScatterND", "all column4 all", "y2", NULL, 0},
                 {"Mul", "weights nv", "y", NULL, 0}};
    const int64_t zero[] = {0, 1, 2}, four[] = {0, 1, 1, 4}, column[] = {-1, 1}, from[] = {-2}, end[] = {INT64_MAX};
    struct proto graph = {NULL, 0};
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct proto node = model_node(nodes[i].op, nodes[i].inputs, nodes[i].output);
        if (nodes[i].attribute != NULL) {
            proto_message(&node, 5, int_attribute(nodes[i].attribute, nodes[i].value));
        }
        proto_message(&graph, 1, node);
    }
    proto_message(&graph, 5, scalar_tensor("zero", zero));
    proto_message(&graph, 5, scalar_tensor("one", zero + 1));
    proto_message(&graph, 5, scalar_tensor("two", zero + 2));
    proto_message(&graph, 5, ints_tensor("one_list", 1, zero + 1));
    proto_message(&graph, 5, ints_tensor("four", 4, four));
    proto_message(&graph, 5, ints_tensor("column_sizes", 2, column));
    proto_message(&graph, 5, ints_tensor("from", 1, from));
    proto_message(&graph, 5, ints_tensor("end", 1, end));
    proto_message(&graph, 5, ints_tensor("axes", 1, zero + 2));
    proto_message(&graph, 5, model_tensor("least", 1, (const int64_t[]){1}));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "b 4"));
    proto_message(&graph, 11, model_value("k", ONNX_FLOAT, "b 1 past 4"));
    proto_message(&graph, 11, model_value("v", ONNX_FLOAT, "b 1 past 4"));
    const char *const outputs[] = {"y", "y2", "nk", "nv", "taken", "last", "most", "wide"};
    for (int i = 0; i < 8; i++) {
        proto_message(&graph, 12, model_value(outputs[i], i == 1 ? ONNX_INT64 : ONNX_FLOAT, "?"));
    }
    struct proto model = model_of(graph);
    add_model(model.bytes, model.length);
}

static void add_own(void) {
    const int64_t sizes[] = {4, 4}, picture[] = {2, 3, 3, 3}, shape[] = {0, -1}, axes[] = {1};
    struct proto graph = {NULL, 0}, node, function = {NULL, 0}, model;
    /* Arithmetic, a shape that is computed, data beside the file. */
    proto_message(&graph, 1, model_node("MatMul", "x w", "a"));
    proto_message(&graph, 1, model_node("Shape", "a", "s"));
    node = model_node("Concat", "s one", "t");
    proto_message(&node, 5, int_attribute("axis", 0));
    proto_message(&graph, 1, node);
    proto_message(&graph, 1, model_node("Reshape", "a t", "b"));
    proto_message(&graph, 1, model_node("ReduceSum", "b one", "y"));
    proto_message(&graph, 5, model_tensor("w", 2, sizes));
    proto_message(&graph, 5, ints_tensor("one", 1, axes));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 4"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "? ? ?"));
    model = model_of(graph);
    add_model(model.bytes, model.length);
    /* Normalization and attention written out in FLOAT16. */
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 1, model_node("Mul", "x x", "s"));
    proto_message(&graph, 1, model_node("ReduceMean", "s", "m"));
    proto_message(&graph, 1, model_node("Sqrt", "m", "r"));
    proto_message(&graph, 1, model_node("Div", "x r", "n"));
    proto_message(&graph, 1, model_node("MatMul", "n n", "q"));
    proto_message(&graph, 1, model_node("Add", "q x", "c"));
    proto_message(&graph, 1, model_node("Softmax", "c", "y"));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT16, "n 4"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT16, "? ?"));
    model = model_of(graph);
    add_model(model.bytes, model.length);
    /* Bodies. */
    graph = (struct proto){NULL, 0};
    node = model_node("If", "c", "y");
    proto_message(&node, 5, graph_attribute("then_branch", body("Add")));
    proto_message(&node, 5, graph_attribute("else_branch", body("Mul")));
    proto_message(&graph, 1, node);
    proto_message(&graph, 5, model_tensor("w", 2, sizes));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 4"));
    proto_message(&graph, 11, model_value("c", ONNX_BOOL, ""));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "n 4"));
    model = model_of(graph);
    add_model(model.bytes, model.length);
    /* A function, called twice. */
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 1, model_call("own", "F", "x w", "a"));
    proto_message(&graph, 1, model_call("own", "F", "a x", "y"));
    proto_message(&graph, 5, model_tensor("w", 2, sizes));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "4 4"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "4 4"));
    proto_text(&function, 1, "F");
    proto_text(&function, 4, "p");
    proto_text(&function, 4, "q");
    proto_text(&function, 5, "r");
    proto_message(&function, 7, model_node("Gemm", "p q", "h"));
    proto_message(&function, 7, model_node("Softmax", "h", "r"));
    proto_message(&function, 9, model_opset("", 17));
    proto_text(&function, 10, "own");
    model = model_of(graph);
    proto_message(&model, 8, model_opset("own", 1));
    proto_message(&model, 25, function);
    add_model(model.bytes, model.length);
    /* A picture. */
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 1, model_node("Conv", "x w", "a"));
    proto_message(&graph, 1, model_node("Relu", "a", "b"));
    proto_message(&graph, 1, model_node("GlobalAveragePool", "b", "g"));
    proto_message(&graph, 1, model_node("Reshape", "g s", "h"));
    proto_message(&graph, 1, model_node("Expand", "h e", "y"));
    proto_message(&graph, 5, model_tensor("w", 4, picture));
    proto_message(&graph, 5, ints_tensor("s", 2, shape));
    proto_message(&graph, 5, ints_tensor("e", 2, sizes));
    proto_message(&graph, 11, model_value("x", ONNX_FLOAT, "n 3 h w"));
    proto_message(&graph, 12, model_value("y", ONNX_FLOAT, "? ?"));
    model = model_of(graph);
    add_model(model.bytes, model.length);
    add_loop();
    add_decoder();
}

/* ---- trying ---- */

static void keep(const char *path) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0) {
        const ssize_t written = write(file, current, current_length);
        (void)written;
        close(file);
    }
}

static void on_signal(int number) {
    static const char text[] = "not ok 1 - changed models are refused or planned: a signal, or it hangs\n";
    const ssize_t written = write(STDOUT_FILENO, text, sizeof text - 1);
    (void)written;
    keep(found);
    signal(number, SIG_DFL);
    raise(number);
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The next of a model's changes: of a change of it, where that was still a model. */
static void change(struct model *model, uint64_t seed) {
    if (model->changed_length == 0 || model->generation == GENERATIONS) {
        memcpy(model->changed, model->bytes, model->length);
        model->changed_length = model->length;
        model->generation = 0;
    }
    if (seed % 8 == 0) {
        const struct model *other = &models[seed / 8 % model_count];
        current_length =
            onnx_cross(model->changed, model->changed_length, other->bytes, other->length, current, MOST_BYTES, seed);
    } else {
        memcpy(current, model->changed, model->changed_length);
        current_length = model->changed_length;
    }
    current_length = onnx_change(current, current_length, MOST_BYTES, seed);
}

static bool is_model(void) {
    struct onnx_model model;
    struct onnx_error error;
    if (!onnx_read_model(current, current_length, NULL, &model, &error)) {
        return false;
    }
    onnx_arena_free(&model.arena);
    return true;
}

static void keep_change(struct model *model, bool is_read) {
    if (is_read) {
        memcpy(model->changed, current, current_length);
        model->changed_length = current_length;
    }
    model->generation++;
}

struct options {
    const char *write;
    uint64_t count, seed, limit;
    double seconds;
    bool once, memory;
};

static int write_all(const struct options *options) {
    for (uint64_t i = 0; i < options->count; i++) {
        char path[1024];
        struct model *model = &models[i % model_count];
        change(model, options->seed + i);
        snprintf(path, sizeof path, "%s/%llu.onnx", options->write, (unsigned long long)i);
        keep(path);
        keep_change(model, is_model());
    }
    return 0;
}

static int run(const struct options *options) {
    const double begun = seconds(CLOCK_MONOTONIC);
    double longest = 0;
    uint64_t done = 0;
    int failures = 0;
    const uint64_t count = options->once ? model_count : options->count;
    for (; done < count && (options->seconds == 0 || seconds(CLOCK_MONOTONIC) - begun < options->seconds); done++) {
        struct model *model = &models[done % model_count];
        const uint64_t was_read = onnx_tried.read;
        if (options->once) {
            memcpy(current, model->bytes, model->length);
            current_length = model->length;
        } else {
            change(model, options->seed + done);
        }
        const double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
        alarm(60);
        onnx_try(current, current_length, ".");
        alarm(0);
        const double took = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
        longest = took > longest ? took : longest;
        if (took * 1000 > (double)options->limit) {
            printf("# changed model %llu took %.0f ms\n", (unsigned long long)done, took * 1000);
            keep(found);
            failures++;
        }
        keep_change(model, onnx_tried.read != was_read);
    }
    onnx_try_end();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s 1 - changed models are refused or planned\n", failures == 0 ? "ok" : "not ok");
    printf("# %llu changes of %u models in %.0f s: %llu read, %llu planned, %llu compiled; the longest took %.0f ms; "
           "%ld MiB\n1..1\n",
           (unsigned long long)done, (unsigned)model_count, seconds(CLOCK_MONOTONIC) - begun,
           (unsigned long long)onnx_tried.read, (unsigned long long)onnx_tried.planned,
           (unsigned long long)onnx_tried.compiled, longest * 1000, usage.ru_maxrss / 1024);
    return failures != 0;
}

/* Each allocation of each model fails in turn. */
static int run_memory(const struct options *options) {
    const double begun = seconds(CLOCK_MONOTONIC);
    uint32_t done = 0;
    int failures = 0;
    for (; done < model_count && (options->seconds == 0 || seconds(CLOCK_MONOTONIC) - begun < options->seconds);
         done++) {
        memcpy(current, models[done].bytes, models[done].length);
        current_length = models[done].length;
        alarm(600);
        if (!try_memory(current, current_length, ".")) {
            printf("# that was model %u\n", (unsigned)done);
            keep(found);
            failures++;
        }
        alarm(0);
        onnx_try_end();
    }
    const struct memory_tried *t = &memory_tried;
    printf("%s 1 - where memory is out, models are refused, and nothing is left\n", failures == 0 ? "ok" : "not ok");
    printf(
        "# %u models in %.0f s; allocations that failed: %llu of reading, %llu judging, %llu reporting, %llu planning, "
        "%llu making graphs, %llu compiling; %llu did not matter\n1..1\n",
        (unsigned)done, seconds(CLOCK_MONOTONIC) - begun, (unsigned long long)t->read, (unsigned long long)t->judged,
        (unsigned long long)t->reported, (unsigned long long)t->planned, (unsigned long long)t->made,
        (unsigned long long)t->compiled, (unsigned long long)t->survived);
    return failures != 0 || t->read == 0 || t->judged == 0 || t->reported == 0 || t->planned == 0 || t->made == 0 ||
           t->compiled == 0;
}

static void set_number(struct options *options, const char *name, uint64_t number) {
    if (strcmp(name, "--count") == 0) {
        options->count = number;
    } else if (strcmp(name, "--seconds") == 0) {
        options->seconds = (double)number;
    } else if (strcmp(name, "--seed") == 0) {
        options->seed = number;
    } else if (strcmp(name, "--limit") == 0) {
        options->limit = number;
    } else {
        fprintf(stderr, "%s is no option\n", name);
        exit(2);
    }
}

int main(int argc, char **argv) {
    struct options options = {.count = 20000, .seed = 1, .limit = 1000};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "0";
        if (strcmp(argv[i], "--once") == 0) {
            options.once = true;
        } else if (strcmp(argv[i], "--memory") == 0) {
            options.memory = true;
        } else if (argv[i][0] != '-') {
            add_path(argv[i]);
        } else if (strcmp(argv[i], "--found") == 0) {
            found = next;
            i++;
        } else if (strcmp(argv[i], "--write") == 0) {
            options.write = next;
            i++;
        } else {
            set_number(&options, argv[i], strtoull(next, NULL, 10));
            i++;
        }
    }
    if (model_count == 0) {
        add_own();
    }
    signal(SIGABRT, on_signal);
    signal(SIGALRM, on_signal);
    const int status = options.write != NULL ? write_all(&options)
                       : options.memory      ? run_memory(&options)
                                             : run(&options);
    for (uint32_t i = 0; i < model_count; i++) {
        free(models[i].bytes);
        free(models[i].changed);
    }
    return status;
}
