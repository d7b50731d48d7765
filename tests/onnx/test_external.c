/* Tensors whose data lies in other files, and files themselves. */
#include <sys/stat.h>
#include <unistd.h>

#include "reading.h"

static char folder[] = "/tmp/vkdml-onnx-XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* A folder in a folder, and a secret beside it. */
static int make_folder(void **state) {
    char target[256];
    (void)state;
    if (mkdtemp(folder) == NULL || mkdir(path_of("model"), 0700) != 0 || mkdir(path_of("model/sub"), 0700) != 0 ||
        mkfifo(path_of("model/pipe"), 0600) != 0) {
        return -1;
    }
    write_file("secret", "0123456789abcdef", 16);
    write_file("model/data", "0123456789abcdef", 16);
    write_file("model/sub/data", "0123456789abcdef", 16);
    write_file("model/..data", "0123456789abcdef", 16);
    snprintf(target, sizeof target, "%s", path_of("secret"));
    return symlink(target, path_of("model/out")) | symlink("../secret", path_of("model/up")) |
           symlink("..", path_of("model/parent")) | symlink("sub/data", path_of("model/in")) |
           symlink("loop", path_of("model/loop"));
}

static int remove_folder(void **state) {
    static const char *const names[] = {
        "secret",   "model/data", "model/sub/data", "model/..data", "model/out", "model/up", "model/parent",
        "model/in", "model/loop", "model/pipe",     "model/net",    "model/large",    "model/floats", "model/sub", "model",    ""};
    (void)state;
    for (size_t i = 0; i < ENTRIES(names); i++) {
        remove(path_of(names[i]));
    }
    return 0;
}

static void put_entry(struct proto *tensor, const char *key, const char *value) {
    struct proto entry = {NULL, 0};
    if (value != NULL) {
        proto_text(&entry, 1, key);
        proto_text(&entry, 2, value);
        proto_message(tensor, 13, entry);
    }
}

/* Two INT16 of a file. */
static struct proto outside(const char *location, const char *offset, const char *length) {
    struct proto tensor = {NULL, 0}, graph = {NULL, 0};
    proto_int(&tensor, 1, 2);
    proto_int(&tensor, 2, ONNX_INT16);
    proto_text(&tensor, 8, "w");
    put_entry(&tensor, "location", location);
    put_entry(&tensor, "offset", offset);
    put_entry(&tensor, "length", length);
    put_entry(&tensor, "checksum", "whatever");
    proto_int(&tensor, 14, 1);
    proto_message(&graph, 5, tensor);
    return model_of(graph);
}

static void expect_outside(struct proto bytes, const char *expected) {
    struct onnx_model model;
    expect_read(bytes, path_of("model"), &model);
    const struct onnx_data *data = model.graph.values[0].constant;
    assert_int_equal(data->bytes, 4);
    assert_memory_equal(data->data, expected, 4);
    assert_int_equal((uintptr_t)data->data % 2, 0);
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static void external_data_is_read(void **state) {
    (void)state;
    expect_outside(outside("data", NULL, NULL), "0123");
    expect_outside(outside("data", "12", "4"), "cdef");
    expect_outside(outside("data", "3", "4"), "3456");
    expect_outside(outside("sub/data", "2", NULL), "2345");
    expect_outside(outside("./data", "2", NULL), "2345");
    expect_outside(outside("in", "2", NULL), "2345");
    expect_outside(outside("..data", "2", NULL), "2345");
}

static void external_data_stays_in_its_folder(void **state) {
    static const char not_below[] = "is not below the model's folder", out[] = "is a link out of the model's folder";
    const struct {
        const char *location, *reason;
    } cases[] = {{"../secret", not_below},
                 {"sub/../../secret", not_below},
                 {"..", not_below},
                 {"/etc/passwd", not_below},
                 {"", not_below},
                 {NULL, not_below},
                 {"sub//data", not_below},
                 {"data/", not_below},
                 {"sub/..", not_below},
                 {"out", out},
                 {"up", out},
                 {"parent/secret", out},
                 {"loop", "\"loop\": "},
                 {"nil", "\"nil\": "},
                 {"pipe", "is no file"},
                 {"sub", "is no file"},
                 {"parent/model/data", NULL},
                 {".", out}};
    (void)state;
    for (size_t i = 0; i < ENTRIES(cases); i++) {
        if (cases[i].reason != NULL) {
            expect_refused_in(outside(cases[i].location, NULL, NULL), path_of("model"), cases[i].reason);
        } else {
            expect_outside(outside(cases[i].location, NULL, NULL), "0123");
        }
    }
    expect_refused(outside("data", NULL, NULL), "external data \"data\": the model has no folder");
    struct proto link = {NULL, 0}, graph = {NULL, 0};
    proto_int(&link, 2, ONNX_STRING);
    proto_int(&link, 14, 1);
    proto_message(&graph, 5, link);
    expect_refused_in(model_of(graph), path_of("model"), "is of STRING, which is not supported");
}

static void external_data_stays_in_its_file(void **state) {
    const struct {
        const char *offset, *length, *reason;
    } cases[] = {{"13", NULL, "tensor \"w\" takes 4 bytes from byte 13 of a file that has 16"},
                 {"17", NULL, "takes 4 bytes from byte 17"},
                 {"18446744073709551615", "4", "takes 4 bytes from byte 18446744073709551615"},
                 {"18446744073709551616", "4", "tensor \"w\": external data's offset is no number"},
                 {"-1", NULL, "external data's offset is no number"},
                 {"", NULL, "external data's offset is no number"},
                 {"0", "4x", "external data's length is no number"},
                 {"0", "5", "tensor \"w\" has 5 bytes of data, its shape takes 4"}};
    (void)state;
    for (size_t i = 0; i < ENTRIES(cases); i++) {
        expect_refused_in(outside("data", cases[i].offset, cases[i].length), path_of("model"), cases[i].reason);
    }
}

static struct proto int16s_of(const char *name, int64_t count, int offset) {
    struct proto tensor = {NULL, 0};
    char text[16];
    snprintf(text, sizeof text, "%d", offset);
    proto_int(&tensor, 1, count);
    proto_int(&tensor, 2, ONNX_INT16);
    proto_text(&tensor, 8, name);
    put_entry(&tensor, "location", "data");
    put_entry(&tensor, "offset", text);
    proto_int(&tensor, 14, 1);
    return tensor;
}

/* Parts that overlap each take memory of a device; there are 36 of them here, and the file has 16 bytes. */
static void a_small_model_does_not_fill_memory_from_a_large_file(void **state) {
    struct proto graph = {NULL, 0};
    (void)state;
    for (int i = 0; i < 36; i++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", i);
        proto_message(&graph, 5, int16s_of(name, 1 + i % 4, i / 4));
    }
    expect_refused_in(model_of(graph), path_of("model"), "data: parts of external data overlap too much");
}

/* Tied weights. */
static void tensors_of_the_same_part_share_it(void **state) {
    enum { COUNT = 100 };
    struct proto graph = {NULL, 0};
    struct onnx_model model;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        proto_message(&graph, 5, int16s_of(name, 7, 1));
    }
    struct proto bytes = model_of(graph);
    expect_read(bytes, path_of("model"), &model);
    for (int i = 0; i < COUNT; i++) {
        assert_ptr_equal(model.graph.values[i].constant->data, model.graph.values[0].constant->data);
    }
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
}

static uint64_t allocated; /* bytes that were asked for */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size) {
    allocated += (uint64_t)count * size;
    return __real_calloc(count, size);
}

/* Of a file of 20 GiB, which has no bytes on the disk but its last, only what tensors take is read. */
static void only_what_tensors_take_is_read(void **state) {
    const uint64_t length = UINT64_C(20) << 30;
    char offset[32];
    (void)state;
    FILE *file = fopen(path_of("model/large"), "wb");
    assert_non_null(file);
    assert_int_equal(fseeko(file, (off_t)(length - 4), SEEK_SET), 0);
    assert_int_equal(fwrite("wxyz", 1, 4, file), 4);
    assert_int_equal(fclose(file), 0);
    snprintf(offset, sizeof offset, "%llu", (unsigned long long)(length - 4));
    allocated = 0;
    expect_outside(outside("large", offset, NULL), "wxyz");
    assert_in_range(allocated, 1, 1 << 20);
}

enum { LARGE = 100000 };

static struct proto floats_of(const char *name, const char *offset) {
    struct proto tensor = {NULL, 0};
    proto_int(&tensor, 1, LARGE);
    proto_int(&tensor, 2, ONNX_FLOAT);
    proto_text(&tensor, 8, name);
    put_entry(&tensor, "location", "floats");
    put_entry(&tensor, "offset", offset);
    proto_int(&tensor, 14, 1);
    return tensor;
}

static struct proto inside_of(const char *name, const float *data) {
    struct proto tensor = {NULL, 0};
    proto_int(&tensor, 1, LARGE);
    proto_int(&tensor, 2, ONNX_FLOAT);
    proto_text(&tensor, 8, name);
    proto_bytes(&tensor, 9, data, LARGE * sizeof *data);
    return tensor;
}

/* Large tensors stay in their file, which is mapped, aligned or not; the model's own, too. */
static void large_tensors_are_not_copied(void **state) {
    static float data[LARGE + 2];
    struct proto graph = {NULL, 0};
    struct onnx_model model;
    (void)state;
    for (size_t i = 0; i < LARGE + 2; i++) {
        data[i] = (float)i;
    }
    write_file("model/floats", data, sizeof data);
    proto_message(&graph, 5, floats_of("first", "0"));
    proto_message(&graph, 5, floats_of("second", "8"));
    struct proto bytes = model_of(graph);
    allocated = 0;
    expect_read(bytes, path_of("model"), &model);
    assert_in_range(allocated, 1, 1 << 18);
    const float *first = model.graph.values[0].constant->data, *second = model.graph.values[1].constant->data;
    assert_ptr_equal(second, first + 2);
    assert_true(onnx_arena_bytes(&model.arena) < 1 << 18);
    for (int turn = 0; turn < 2; turn++) {
        assert_memory_equal(first, data, LARGE * sizeof *data);
        assert_memory_equal(second, data + 2, LARGE * sizeof *data);
        onnx_arena_release(&model.arena, second, LARGE * sizeof *data); /* they are read again */
        onnx_arena_release(&model.arena, data, sizeof data);
        assert_true(data[1] == 1);
    }
    onnx_arena_free(&model.arena);
    proto_free(&bytes);
    graph = (struct proto){NULL, 0};
    proto_message(&graph, 5, floats_of("odd", "2"));
    proto_message(&graph, 5, inside_of("inside", data));
    bytes = model_of(graph);
    write_file("model/net", bytes.bytes, bytes.length);
    proto_free(&bytes);
    struct onnx_file *file;
    struct onnx_error error;
    allocated = 0;
    assert_true(onnx_open(path_of("model/net"), &file, &error));
    const struct onnx_model *opened = onnx_file_model(file);
    assert_true(onnx_arena_bytes(&opened->arena) < 1 << 18);
    assert_in_range(allocated, 1, LARGE * sizeof *data + (1 << 18)); /* the file's bytes, while it is read */
    assert_memory_equal(opened->graph.values[0].constant->data, (char *)data + 2, LARGE * sizeof *data);
    assert_memory_equal(opened->graph.values[1].constant->data, data, LARGE * sizeof *data);
    onnx_close(file);
}

static void files_are_opened(void **state) {
    struct proto bytes = outside("data", "12", "4");
    struct onnx_file *file;
    struct onnx_error error;
    char path[256];
    (void)state;
    write_file("model/net", bytes.bytes, bytes.length);
    snprintf(path, sizeof path, "%s", path_of("model/net"));
    assert_true(onnx_open(path, &file, &error));
    assert_memory_equal(onnx_file_model(file)->graph.values[0].constant->data, "cdef", 4);
    onnx_close(file);
    assert_int_equal(chdir(path_of("model")), 0);
    assert_true(onnx_open("net", &file, &error));
    onnx_close(file);
    assert_false(onnx_open("nil", &file, &error));
    assert_non_null(strstr(error.text, "nil: "));
    assert_null(file);
    assert_false(onnx_open("data", &file, &error));
    assert_non_null(strstr(error.text, "byte 2 of the file"));
    assert_false(onnx_open("sub", &file, &error));
    assert_int_equal(chdir("/"), 0);
    onnx_close(NULL);
    proto_free(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(external_data_is_read),
        cmocka_unit_test(external_data_stays_in_its_folder),
        cmocka_unit_test(external_data_stays_in_its_file),
        cmocka_unit_test(a_small_model_does_not_fill_memory_from_a_large_file),
        cmocka_unit_test(tensors_of_the_same_part_share_it),
        cmocka_unit_test(only_what_tensors_take_is_read),
        cmocka_unit_test(large_tensors_are_not_copied),
        cmocka_unit_test(files_are_opened),
    };
    return cmocka_run_group_tests_name("onnx_external", tests, make_folder, remove_folder);
}
