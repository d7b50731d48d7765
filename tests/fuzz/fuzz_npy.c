/* The command's reader of .npy files: what it takes lies within the file, and is written and read again as it is. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vkdml/schema.h>

#include "change.h"
#include "model/npy.h"
#include "require.h"
#include "text_change.h"

static const char *const words[] = {"descr", "fortran_order", "shape", "<f4",           "<f2", "<f8", "|b1",
                                    "|i1",   "|u1",           "<i2",   "<i8",           ">f4", "=f4", "f4",
                                    "<c8",   "|S5",           "",      "<U12345678901", NULL};

static void require_same_again(const struct npy *npy) {
    char header[NPY_HEADER_SIZE];
    struct npy again;
    const size_t length = npy_header(npy->type, npy->dimension_count, npy->dimensions, header);
    REQUIRE(length != 0 && length <= sizeof(header) && length % 64 == 0);
    const char *why = npy_read((const unsigned char *)header, length, &again);
    /* Without data it is short of elements, and all before that was understood. */
    REQUIRE(npy->count == 0 ? why == NULL : why != NULL && strstr(why, "is shorter than its shape says") != NULL);
    REQUIRE(again.type == npy->type && again.count == npy->count && again.dimension_count == npy->dimension_count);
    REQUIRE(memcmp(again.dimensions, npy->dimensions, npy->dimension_count * sizeof(npy->dimensions[0])) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct npy npy;
    const char *why = npy_read(data, size, &npy);
    if (why != NULL) {
        REQUIRE(why[0] != '\0' && npy.data == NULL);
        return 0;
    }
    uint64_t count = 1;
    REQUIRE(npy.dimension_count <= NPY_MAX_DIMENSIONS);
    for (uint32_t d = 0; d < npy.dimension_count; d++)
        count *= npy.dimensions[d];
    REQUIRE(count == npy.count);
    REQUIRE(npy.data >= data && npy.data <= data + size);
    REQUIRE(npy.count <= (size_t)(data + size - npy.data) / vkdmlGetDataTypeSize(npy.type));
    require_same_again(&npy);
    return 0;
}

/* A file of few elements. */
static size_t make(uint8_t *bytes, size_t room, struct random *random) {
    char header[NPY_HEADER_SIZE];
    uint64_t dimensions[NPY_MAX_DIMENSIONS];
    const uint32_t rank = random_below(random, random_chance(random, 10) ? NPY_MAX_DIMENSIONS + 1 : 5);
    for (uint32_t d = 0; d < rank; d++)
        dimensions[d] = random_below(random, 4);
    const DML_TENSOR_DATA_TYPE type =
        (DML_TENSOR_DATA_TYPE)random_between(random, DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_INT64);
    const size_t length = npy_header(type, rank, dimensions, header), size = random_below(random, 256);
    if (length + size > room)
        return 0;
    memcpy(bytes, header, length);
    memset(bytes + length, 7, size);
    return length + size;
}

/* The header's text is changed, and the length before it says so mostly; now and then a byte, or the file ends early.
 */
size_t change_input(uint8_t *bytes, size_t length, size_t room, uint64_t seed) {
    static uint8_t text[8192];
    struct random random = {seed};
    if (length < 10 || random_chance(&random, 30))
        length = make(bytes, room, &random);
    const size_t given = length < 10 ? 0 : bytes[8] | (size_t)bytes[9] << 8;
    if (length < 10 || given > length - 10 || given > sizeof(text) / 2)
        return length;
    size_t changed = given;
    memcpy(text, bytes + 10, given);
    for (uint32_t changes = random_below(&random, 4); changes > 0; changes--)
        changed = text_change(text, changed, sizeof(text), &random, words);
    if (length - given + changed > room)
        return length;
    memmove(bytes + 10 + changed, bytes + 10 + given, length - 10 - given);
    memcpy(bytes + 10, text, changed);
    length = length - given + changed;
    if (random_chance(&random, 80)) {
        bytes[8] = (uint8_t)(changed & 255);
        bytes[9] = (uint8_t)(changed >> 8);
    }
    if (random_chance(&random, 15))
        bytes[random_below(&random, 12) % length] = (uint8_t)random_below(&random, 256);
    return random_chance(&random, 10) ? random_below(&random, (uint32_t)length + 1) : length;
}
