#include "onnx/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILE_BYTES   ((uint64_t)256 << 20)
#define TEMPORARY_SUFFIX ".new-XXXXXX" /* of mkstemp() */
#define STALE_SECONDS    3600

static bool fail(struct onnx_error *error, const char *path, int number) {
    return onnx_fail(error, "%.300s: %s", path, strerror(number));
}

/* ---- content ---- */

/* Numbers are little-endian. The checksum is the CRC-32 of everything behind it. */
enum {
    MAGIC_AT = 0,
    VERSION_AT = 8,
    CHECKSUM_AT = 12,
    VENDOR_AT = 16,
    DEVICE_AT = 20,
    DRIVER_AT = 24,
    UUID_AT = 28,
    LENGTH_AT = UUID_AT + VK_UUID_SIZE,
    HEADER_BYTES = LENGTH_AT + 8,
};

#define FORMAT_VERSION 1

static const unsigned char magic[VERSION_AT] = {'v', 'k', 'd', 'm', 'l', '\r', '\n', 0x1A};

static void put(unsigned char *bytes, uint64_t number, int count) {
    for (int i = 0; i < count; ++i) {
        bytes[i] = (unsigned char)(number >> 8 * i);
    }
}

static uint64_t get(const unsigned char *bytes, int count) {
    uint64_t number = 0;
    for (int i = 0; i < count; ++i) {
        number |= (uint64_t)bytes[i] << 8 * i;
    }
    return number;
}

/* tables[k][b]: the CRC-32 (IEEE 802.3, reflected) of byte b before k bytes of 0. */
struct crc_tables {
    uint32_t tables[4][256];
};

static void make_tables(struct crc_tables *crc) {
    for (uint32_t b = 0; b < 256; ++b) {
        uint32_t value = b;
        for (int bit = 0; bit < 8; ++bit) {
            value = value >> 1 ^ ((value & 1) != 0 ? UINT32_C(0xEDB88320) : 0);
        }
        crc->tables[0][b] = value;
    }
    for (int k = 1; k < 4; ++k) {
        for (uint32_t b = 0; b < 256; ++b) {
            const uint32_t value = crc->tables[k - 1][b];
            crc->tables[k][b] = value >> 8 ^ crc->tables[0][value & 0xFF];
        }
    }
}

/* Four bytes at once: caches have tens of megabytes. */
static uint32_t add_bytes(const struct crc_tables *crc, uint32_t value, const unsigned char *bytes, size_t count) {
    for (; count >= 4; count -= 4, bytes += 4) {
        value ^= (uint32_t)get(bytes, 4);
        value = crc->tables[3][value & 0xFF] ^ crc->tables[2][value >> 8 & 0xFF] ^ crc->tables[1][value >> 16 & 0xFF] ^
                crc->tables[0][value >> 24];
    }
    for (; count > 0; --count, ++bytes) {
        value = value >> 8 ^ crc->tables[0][(value ^ *bytes) & 0xFF];
    }
    return value;
}

static uint32_t checksum(const unsigned char header[HEADER_BYTES], const void *data, size_t size) {
    struct crc_tables crc;
    make_tables(&crc);
    const uint32_t value =
        add_bytes(&crc, UINT32_MAX, header + CHECKSUM_AT + 4, (size_t)HEADER_BYTES - CHECKSUM_AT - 4);
    return ~add_bytes(&crc, value, data, size);
}

static void make_header(unsigned char header[HEADER_BYTES], const VkPhysicalDeviceProperties *device, const void *data,
                        size_t size) {
    memcpy(header + MAGIC_AT, magic, sizeof magic);
    put(header + VERSION_AT, FORMAT_VERSION, 4);
    put(header + VENDOR_AT, device->vendorID, 4);
    put(header + DEVICE_AT, device->deviceID, 4);
    put(header + DRIVER_AT, device->driverVersion, 4);
    memcpy(header + UUID_AT, device->pipelineCacheUUID, VK_UUID_SIZE);
    put(header + LENGTH_AT, size, 8);
    put(header + CHECKSUM_AT, checksum(header, data, size), 4);
}

/* Whether the file was written for this device and driver, in this format. */
static bool is_for(const unsigned char header[HEADER_BYTES], const VkPhysicalDeviceProperties *device) {
    return get(header + VERSION_AT, 4) == FORMAT_VERSION && get(header + VENDOR_AT, 4) == device->vendorID &&
           get(header + DEVICE_AT, 4) == device->deviceID && get(header + DRIVER_AT, 4) == device->driverVersion &&
           memcmp(header + UUID_AT, device->pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

/* ---- reading ---- */

char *onnx_cache_path(const char *folder, const VkPhysicalDeviceProperties *device) {
    const size_t room = strlen(folder) + 64;
    char *path = malloc(room);
    if (path != NULL) {
        snprintf(path, room, "%s/vkdml-%08x-%08x-%08x.pipelines", folder, (unsigned)device->vendorID,
                 (unsigned)device->deviceID, (unsigned)device->driverVersion);
    }
    return path;
}

/* Below the count at the end of the file; -1: errno says why. */
static int64_t read_bytes(int file, void *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        const ssize_t part = read(file, (char *)bytes + done, count - done);
        if (part == 0) {
            break;
        }
        if (part < 0 && errno != EINTR) {
            return -1;
        }
        done += part < 0 ? 0 : (size_t)part;
    }
    return (int64_t)done;
}

/* What is in an open file. */
static bool read_content(int file, const char *path, const VkPhysicalDeviceProperties *device, void **data,
                         size_t *size, struct onnx_error *error) {
    struct stat about;
    unsigned char header[HEADER_BYTES];
    if (fstat(file, &about) != 0) {
        return fail(error, path, errno);
    }
    if (!S_ISREG(about.st_mode)) {
        return onnx_fail(error, "%.300s: not a regular file", path);
    }
    const int64_t got = read_bytes(file, header, sizeof header);
    if (got < 0) {
        return fail(error, path, errno);
    }
    if (got < HEADER_BYTES || memcmp(header + MAGIC_AT, magic, sizeof magic) != 0) {
        return onnx_fail(error, "%.300s: not a file of vkdml's pipelines", path);
    }
    if (!is_for(header, device)) {
        return true;
    }
    const uint64_t length = get(header + LENGTH_AT, 8);
    if (length > MAX_FILE_BYTES || (uint64_t)about.st_size != length + HEADER_BYTES) {
        return onnx_fail(error, "%.300s: damaged: wrong length", path);
    }
    void *bytes = malloc((size_t)length + 1);
    if (bytes == NULL) {
        return onnx_fail_memory(error);
    }
    const int64_t rest = read_bytes(file, bytes, (size_t)length);
    if (rest != (int64_t)length || checksum(header, bytes, (size_t)length) != get(header + CHECKSUM_AT, 4)) {
        free(bytes);
        return rest < 0 ? fail(error, path, errno) : onnx_fail(error, "%.300s: damaged: wrong checksum", path);
    }
    *data = bytes;
    *size = (size_t)length;
    return true;
}

/* The folder of a path of onnx_cache_path(), allocated with malloc(). */
static char *folder_of(const char *path) {
    const size_t length = (size_t)(strrchr(path, '/') - path);
    char *folder = malloc(length + 2);
    if (folder != NULL) {
        snprintf(folder, length + 2, "%.*s", length == 0 ? 1 : (int)length, path);
    }
    return folder;
}

/* No file is no failure, but no folder is one. */
static bool check_folder(const char *path, struct onnx_error *error) {
    char *folder = folder_of(path);
    struct stat about;
    if (folder == NULL) {
        return onnx_fail_memory(error);
    }
    const bool is_there = stat(folder, &about) == 0 || fail(error, folder, errno);
    free(folder);
    return is_there;
}

bool onnx_cache_read(const char *path, const VkPhysicalDeviceProperties *device, void **data, size_t *size,
                     struct onnx_error *error) {
    *data = NULL;
    *size = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        const int number = errno;
        struct stat about;
        const bool is_link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
        return is_link            ? onnx_fail(error, "%.300s: is a symbolic link, must be a regular file", path)
               : number == ENOENT ? check_folder(path, error)
                                  : fail(error, path, number);
    }
    const bool done = read_content(file, path, device, data, size, error);
    close(file);
    return done;
}

/* ---- writing ---- */

static bool write_bytes(int file, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        const ssize_t part = write(file, (const char *)bytes + done, count - done);
        if (part < 0 && errno != EINTR) {
            return false;
        }
        done += part < 0 ? 0 : (size_t)part;
    }
    return true;
}

/* A writer holds a lock on its temporary file as long as it lives. An hour is for file systems without locks. */
static bool is_stale(int file) {
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           (flock(file, LOCK_EX | LOCK_NB) == 0 || time(NULL) - about.st_mtime > STALE_SECONDS);
}

static bool is_temporary(const char *name, const char *cache) {
    const size_t length = strlen(cache), fixed = strcspn(TEMPORARY_SUFFIX, "X");
    return strncmp(name, cache, length) == 0 && strncmp(name + length, TEMPORARY_SUFFIX, fixed) == 0 &&
           strlen(name + length) == sizeof TEMPORARY_SUFFIX - 1;
}

/* Removes temporary files of this cache whose writers were killed. */
static void remove_stale(const char *path) {
    char *folder = folder_of(path);
    DIR *entries = folder == NULL ? NULL : opendir(folder);
    const char *cache = strrchr(path, '/') + 1;
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        const int file = is_temporary(entry->d_name, cache)
                             ? openat(dirfd(entries), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                             : -1;
        if (file >= 0 && is_stale(file)) {
            unlinkat(dirfd(entries), entry->d_name, 0);
        }
        if (file >= 0) {
            close(file);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    free(folder);
}

/* An empty file of a name that nobody else has, locked. Between mkstemp() and flock() another writer may have taken it
 * for stale: it has no name then, and the next one is tried. -1: errno says why. */
static int make_temporary(char *name, size_t room, const char *path) {
    for (int i = 0; i < 16; ++i) {
        struct stat about;
        snprintf(name, room, "%s" TEMPORARY_SUFFIX, path);
        const int file = mkstemp(name);
        if (file < 0) {
            return -1;
        }
        fcntl(file, F_SETFD, FD_CLOEXEC);
        const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        if (is_locked && fstat(file, &about) == 0 && about.st_nlink != 0) {
            return file;
        }
        close(file);
    }
    errno = EAGAIN;
    return -1;
}

bool onnx_cache_write(const char *path, const VkPhysicalDeviceProperties *device, const void *data, size_t size,
                      struct onnx_error *error) {
    unsigned char header[HEADER_BYTES];
    const size_t room = strlen(path) + sizeof TEMPORARY_SUFFIX;
    char *name = malloc(room);
    if (name == NULL) {
        return onnx_fail_memory(error);
    }
    remove_stale(path);
    make_header(header, device, data, size);
    const int file = make_temporary(name, room, path);
    bool done = file >= 0 && write_bytes(file, header, sizeof header) && write_bytes(file, data, size) &&
                rename(name, path) == 0;
    if (!done) {
        fail(error, path, errno);
    }
    if (file >= 0) {
        done = (close(file) == 0 || fail(error, path, errno)) && done;
    }
    if (file >= 0 && !done) {
        unlink(name);
    }
    free(name);
    return done;
}
