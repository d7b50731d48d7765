/* Pipeline cache data, which comes from files: a driver sees it where its header is the device's own, whole, and else
 * never. What is behind the header is the driver's to read. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "invented.h"
#include "require.h"

#define HEADER_BYTES 32 /* of version one */

static uint32_t word_at(const uint8_t *data, uint32_t at) {
    return data[at] | (uint32_t)data[at + 1] << 8 | (uint32_t)data[at + 2] << 16 | (uint32_t)data[at + 3] << 24;
}

/* The rule, as Vulkan's specification has it: five fields, little-endian. */
static bool is_own(const uint8_t *data, size_t size) {
    if (size < HEADER_BYTES)
        return false;
    bool own = word_at(data, 0) >= HEADER_BYTES && word_at(data, 0) <= size && word_at(data, 4) == 1 &&
               word_at(data, 8) == INVENTED_VENDOR && word_at(data, 12) == INVENTED_DEVICE;
    for (uint32_t i = 16; i < HEADER_BYTES; i++)
        own = own && data[i] == INVENTED_UUID;
    return own;
}

static void put_word(uint8_t *data, uint32_t at, uint32_t word) {
    for (uint32_t i = 0; i < 4; i++)
        data[at + i] = (uint8_t)(word >> 8 * i);
}

/* The device's header over the first bytes, of which a few are then others. */
static void put_header(struct bytes *bytes, uint8_t *data, size_t size) {
    uint8_t header[HEADER_BYTES];
    memset(header, INVENTED_UUID, sizeof(header));
    put_word(header, 0, HEADER_BYTES);
    put_word(header, 4, 1);
    put_word(header, 8, INVENTED_VENDOR);
    put_word(header, 12, INVENTED_DEVICE);
    for (uint32_t changes = take(bytes, 1) % 4; changes > 1; changes--)
        header[take(bytes, 1) % HEADER_BYTES] = (uint8_t)take(bytes, 1);
    if (take(bytes, 1) % 4 == 0)
        put_word(header, 0, take_below(bytes, 80));
    memcpy(data, header, size < HEADER_BYTES ? size : HEADER_BYTES);
}

static uint64_t sum_of(const uint8_t *data, size_t size) {
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return sum;
}

/* A device that begins with the data. */
static void require_created(const uint8_t *data, size_t size) {
    VkdmlDevice device = NULL;
    VkdmlDeviceCreateInfo info = invented_info();
    info.pipelineCacheData = data;
    info.pipelineCacheDataSize = size;
    REQUIRE(vkdmlCreateDevice(&info, &device) == VKDML_SUCCESS && device != NULL);
    REQUIRE(invented_cache.size == (is_own(data, size) ? size : 0));
    REQUIRE(invented_cache.sum == (is_own(data, size) ? sum_of(data, size) : 0));
    vkdmlDestroyDevice(device);
}

/* One that gets it later. */
static void require_merged(const uint8_t *data, size_t size) {
    VkdmlDevice device = invented_device();
    const uint32_t created = invented_cache.created;
    const VkdmlResult result = vkdmlMergePipelineCacheData(device, size, data);
    if (is_own(data, size)) {
        REQUIRE(result == VKDML_SUCCESS && invented_cache.created == created + 1);
        REQUIRE(invented_cache.size == size && invented_cache.sum == sum_of(data, size));
    } else {
        REQUIRE(result == VKDML_ERROR_INVALID_ARGUMENT && invented_cache.created == created);
        REQUIRE(vkdmlGetErrorMessage()[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, size};
    const uint32_t choice = take(&bytes, 1) % 8;
    /* In memory of exactly that size, so that a byte read too far shows. */
    const size_t length = choice == 0 ? bytes.left : take_below(&bytes, 96) % 4096;
    uint8_t *blob = malloc(length > 0 ? length : 1);
    REQUIRE(blob != NULL);
    memset(blob, 0, length);
    memcpy(blob, bytes.next, length < bytes.left ? length : bytes.left);
    if (choice != 0)
        put_header(&bytes, blob, length);
    require_created(blob, length);
    require_merged(blob, length);
    free(blob);
    return 0;
}
