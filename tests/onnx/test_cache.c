/* The file of a device's pipelines: what is read is whole or refused, by threads and processes that write at once, by
 * writers that are killed, and beside links, FIFOs and full disks. Opens no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "onnx/cache.h"

enum { BYTES = 1 << 20, SMALL = 1000, PROCESSES = 3, THREADS = 2, ROUNDS = 12, KILLED = 20 };

static const VkPhysicalDeviceProperties device = {
    .vendorID = 1, .deviceID = 2, .driverVersion = 3, .pipelineCacheUUID = {4, 5, 6}};

static char folder[] = "/tmp/vkdml-cache-XXXXXX", *path;

static int set_up(void **state) {
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    path = onnx_cache_path(folder, &device);
    return path == NULL;
}

static int tear_down(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    free(path);
    return system(command);
}

/* All bytes of it are the seed, so that a mixture of two shows. */
static bool write_seed(unsigned char seed, size_t size, struct onnx_error *error) {
    unsigned char *data = malloc(size);
    memset(data, seed, size);
    const bool done = onnx_cache_write(path, &device, data, size, error);
    free(data);
    return done;
}

/* The seed of what is read; -1: there is nothing; -2: it was refused, and error says why; -3: a mixture. */
static int read_seed(struct onnx_error *error) {
    unsigned char *data;
    size_t size;
    *error = (struct onnx_error){0};
    if (!onnx_cache_read(path, &device, (void **)&data, &size, error)) {
        assert_null(data);
        return -2;
    }
    int seed = data == NULL ? -1 : data[0];
    for (size_t i = 0; i < size; ++i) {
        seed = data[i] == seed ? seed : -3;
    }
    free(data);
    return seed;
}

static void expect_refused(const char *why) {
    struct onnx_error error;
    assert_int_equal(read_seed(&error), -2);
    if (strstr(error.text, why) == NULL) {
        fail_msg("refused for another reason than '%s': %s", why, error.text);
    }
}

static void write_file(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static size_t read_file(const char *name, unsigned char *bytes, size_t room) {
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static int count_files(void) {
    DIR *entries = opendir(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(entries);
    return count;
}

/* ---- content ---- */

static void what_was_written_is_read(void **state) {
    struct onnx_error error = {0};
    (void)state;
    assert_int_equal(read_seed(&error), -1);
    for (int size = 1; size < 10; ++size) {
        assert_true(write_seed((unsigned char)size, (size_t)size, &error));
        assert_int_equal(read_seed(&error), size);
    }
    assert_int_equal(count_files(), 1);
}

static void pipelines_of_another_driver_are_none(void **state) {
    VkPhysicalDeviceProperties others[] = {device, device, device, device};
    struct onnx_error error = {0};
    (void)state;
    assert_true(write_seed(1, SMALL, &error));
    others[0].vendorID = others[1].deviceID = others[2].driverVersion = 77;
    others[3].pipelineCacheUUID[15] = 77;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        void *data;
        size_t size;
        assert_true(onnx_cache_read(path, &others[i], &data, &size, &error));
        assert_null(data);
    }
}

static void damage_is_refused(void **state) {
    unsigned char whole[SMALL + 100], damaged[SMALL + 100];
    struct onnx_error error = {0};
    (void)state;
    assert_true(write_seed(1, SMALL, &error));
    const size_t size = read_file(path, whole, sizeof whole);
    for (size_t i = 0; i < size; i += i < 60 ? 1 : 41) {
        memcpy(damaged, whole, size);
        damaged[i] ^= (unsigned char)(1 << i % 8);
        write_file(path, damaged, size);
        assert_true(read_seed(&error) < 0);
        write_file(path, whole, i);
        assert_int_equal(read_seed(&error), -2);
    }
    write_file(path, whole, size + 1);
    expect_refused("damaged: wrong length");
    memset(whole + size / 2, 0, size - size / 2);
    write_file(path, whole, size);
    expect_refused("damaged: wrong checksum");
    write_file(path, "PIPELINES", 9);
    expect_refused("not a file of vkdml's pipelines");
    assert_true(write_seed(2, SMALL, &error));
    assert_int_equal(read_seed(&error), 2);
}

/* ---- other files ---- */

static void links_are_not_followed(void **state) {
    unsigned char bytes[16];
    char target[64], planted[128];
    struct onnx_error error = {0};
    (void)state;
    snprintf(target, sizeof target, "%s/target", folder);
    write_file(target, "precious", 8);
    assert_int_equal(symlink(target, path), 0);
    snprintf(planted, sizeof planted, "%s.%ld", path, (long)getpid()); /* a name that could be guessed */
    assert_int_equal(symlink(target, planted), 0);
    expect_refused("is a symbolic link");
    assert_true(write_seed(3, SMALL, &error));
    assert_int_equal(read_seed(&error), 3);
    assert_int_equal(read_file(target, bytes, sizeof bytes), 8);
    assert_memory_equal(bytes, "precious", 8);
}

static void other_kinds_of_files_do_not_block(void **state) {
    struct onnx_error error = {0};
    (void)state;
    alarm(10); /* ends the program where it hangs */
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused("not a regular file");
    assert_true(write_seed(4, SMALL, &error));
    assert_int_equal(read_seed(&error), 4);
    alarm(0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_refused("not a regular file");
    assert_false(write_seed(4, SMALL, &error));
    assert_non_null(strstr(error.text, "directory"));
    assert_int_equal(count_files(), 1);
}

static void folders_that_are_none_are_named(void **state) {
    char missing[64], *kept = path;
    struct onnx_error error = {0};
    (void)state;
    snprintf(missing, sizeof missing, "%s/missing", folder);
    path = onnx_cache_path(missing, &device);
    expect_refused("missing: No such file or directory");
    assert_false(write_seed(5, SMALL, &error));
    assert_non_null(strstr(error.text, "No such file or directory"));
    write_file(missing, "", 0);
    expect_refused("Not a directory");
    free(path);
    path = kept;
}

static void a_full_disk_leaves_the_old_file(void **state) {
    struct onnx_error error = {0};
    struct rlimit before;
    (void)state;
    assert_true(write_seed(6, SMALL, &error));
    getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit small = {2 * SMALL, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool done = write_seed(7, BYTES, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(done);
    assert_non_null(strstr(error.text, "File too large"));
    assert_int_equal(count_files(), 1);
    assert_int_equal(read_seed(&error), 6);
}

/* ---- many writers ---- */

/* Writes and reads; whether all that it read was whole. */
static void *work(void *seed) {
    struct onnx_error error = {0};
    for (int round = 0; round < ROUNDS; ++round) {
        const bool written = write_seed(*(unsigned char *)seed, BYTES - 1000U * (unsigned)round, &error);
        if (!written || read_seed(&error) < 0) {
            fprintf(stderr, "# round %d: %s\n", round, error.text[0] == 0 ? "torn" : error.text);
            return NULL;
        }
    }
    return seed;
}

static bool work_by_threads(int process) {
    unsigned char seeds[THREADS];
    pthread_t threads[THREADS];
    bool good = true;
    for (int i = 0; i < THREADS; ++i) {
        seeds[i] = (unsigned char)(process * THREADS + i + 1);
        good = pthread_create(&threads[i], NULL, work, &seeds[i]) == 0 && good;
    }
    for (int i = 0; i < THREADS; ++i) {
        void *result;
        good = pthread_join(threads[i], &result) == 0 && result != NULL && good;
    }
    return good;
}

static void threads_and_processes_write_at_once(void **state) {
    pid_t processes[PROCESSES];
    (void)state;
    for (int i = 0; i < PROCESSES; ++i) {
        processes[i] = fork();
        if (processes[i] == 0) {
            _exit(work_by_threads(i) ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; ++i) {
        int status;
        assert_int_equal(waitpid(processes[i], &status, 0), processes[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_files(), 1);
}

static void killed_writers_leave_little(void **state) {
    struct onnx_error error = {0};
    (void)state;
    for (int i = 0; i < KILLED; ++i) {
        const pid_t writer = fork();
        while (writer == 0) {
            write_seed(8, BYTES, &error);
        }
        nanosleep(&(struct timespec){.tv_nsec = 3000000L + i * 500000L}, NULL);
        kill(writer, SIGKILL);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
        assert_true(count_files() <= 2);
    }
    assert_true(read_seed(&error) == 8 || read_seed(&error) == -1);
    assert_true(write_seed(9, SMALL, &error));
    assert_int_equal(count_files(), 1);
    assert_int_equal(read_seed(&error), 9);
}

/* Files of other names stay, and those of writers that live. */
static void only_stale_files_are_removed(void **state) {
    static const char *const suffixes[] = {".new-ABCDE", ".new-ABCDEFG", ".old-ABCDEF", "X.new-ABCDEF", ".new-ABCDEF"};
    struct onnx_error error = {0};
    char name[128];
    (void)state;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; ++i) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        write_file(name, "", 0);
    }
    const int writer = open(name, O_RDWR);
    assert_int_equal(flock(writer, LOCK_EX), 0);
    assert_true(write_seed(1, SMALL, &error));
    assert_int_equal(count_files(), 6);
    close(writer);
    assert_true(write_seed(1, SMALL, &error));
    assert_int_equal(count_files(), 5);
    assert_int_equal(access(name, F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pipelines_of_another_driver_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_are_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_kinds_of_files_do_not_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_that_are_none_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_and_processes_write_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killed_writers_leave_little, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_stale_files_are_removed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
