#include "model/npy.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <vkdml/schema.h>

#include "model/element.h"

static const char magic[6] = "\x93NUMPY";

/* The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } */
struct scan {
    const char *at;
    const char *end;
};

static void skip_spaces(struct scan *scan) {
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\n')) {
        scan->at++;
    }
}

static bool take(struct scan *scan, char wanted) {
    skip_spaces(scan);
    if (scan->at < scan->end && *scan->at == wanted) {
        scan->at++;
        return true;
    }
    return false;
}

static bool take_string(struct scan *scan, char *text, size_t size) {
    char quote = take(scan, '\'') ? '\'' : '"';
    size_t length = 0;
    if (quote == '"' && !take(scan, '"')) {
        return false;
    }
    while (scan->at < scan->end && *scan->at != quote && length + 1 < size) {
        text[length++] = *scan->at++;
    }
    text[length] = 0;
    return take(scan, quote);
}

static bool take_word(struct scan *scan, const char *word) {
    skip_spaces(scan);
    size_t length = strlen(word);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) {
        return false;
    }
    scan->at += length;
    return true;
}

static bool take_number(struct scan *scan, uint64_t *number) {
    skip_spaces(scan);
    const char *start = scan->at;
    *number = 0;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9') {
        uint64_t digit = (uint64_t)(*scan->at - '0');
        if (*number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *number = 10 * *number + digit;
        scan->at++;
    }
    return scan->at > start;
}

static const char *read_shape(struct scan *scan, struct npy *npy) {
    npy->dimension_count = 0;
    if (!take(scan, '(')) {
        return "the .npy header's shape is no tuple";
    }
    while (!take(scan, ')')) {
        if (npy->dimension_count == NPY_MAX_DIMENSIONS) {
            return "the .npy header's shape has more than 32 dimensions";
        }
        if (!take_number(scan, &npy->dimensions[npy->dimension_count++])) {
            return "the .npy header's shape holds something other than numbers";
        }
        if (!take(scan, ',') && scan->at < scan->end && *scan->at != ')') {
            return "the .npy header's shape is no tuple";
        }
    }
    return NULL;
}

static const char *read_type(struct scan *scan, struct npy *npy) {
    char name[16];
    if (!take_string(scan, name, sizeof(name))) {
        return "the .npy file holds records, not elements of one type";
    }
    if (name[0] == '>') {
        return "the .npy file is big-endian, must be little-endian";
    }
    if (!element_type_from_npy_name(name, &npy->type)) {
        return "the .npy file's type is none of b1 f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8";
    }
    return NULL;
}

static const char *read_header(struct scan *scan, struct npy *npy) {
    bool has_type = false, has_order = false, has_shape = false;
    char key[32];
    if (!take(scan, '{')) {
        return "the .npy header is no dictionary";
    }
    while (!take(scan, '}')) {
        const char *why = NULL;
        if (!take_string(scan, key, sizeof(key)) || !take(scan, ':')) {
            return "the .npy header is no dictionary";
        }
        if (strcmp(key, "descr") == 0) {
            why = read_type(scan, npy);
            has_type = true;
        } else if (strcmp(key, "fortran_order") == 0) {
            if (take_word(scan, "True")) {
                return "the .npy file is in Fortran order, must be in C order";
            }
            why = take_word(scan, "False") ? NULL : "the .npy header's fortran_order is neither True nor False";
            has_order = true;
        } else if (strcmp(key, "shape") == 0) {
            why = read_shape(scan, npy);
            has_shape = true;
        } else {
            why = "the .npy header has a key other than descr, fortran_order and shape";
        }
        if (why) {
            return why;
        }
        take(scan, ',');
    }
    return has_type && has_order && has_shape ? NULL : "the .npy header lacks descr, fortran_order or shape";
}

const char *npy_read(const unsigned char *bytes, size_t length, struct npy *npy) {
    *npy = (struct npy){0};
    if (length < 10 || memcmp(bytes, magic, sizeof(magic)) != 0) {
        return "this is no .npy file";
    }
    unsigned version = bytes[6];
    if (version < 1 || version > 3) {
        return "the .npy file's format is newer than 3.0";
    }
    size_t start = version == 1 ? 10 : 12;
    if (length < start) {
        return "the .npy file ends within its header";
    }
    size_t header_length = bytes[8] | (size_t)bytes[9] << 8;
    if (version > 1) {
        header_length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (header_length > length - start) {
        return "the .npy file ends within its header";
    }
    struct scan scan = {(const char *)bytes + start, (const char *)bytes + start + header_length};
    const char *why = read_header(&scan, npy);
    if (why) {
        return why;
    }
    npy->count = 1;
    for (uint32_t i = 0; i < npy->dimension_count; i++) {
        if (npy->dimensions[i] != 0 && npy->count > UINT64_MAX / npy->dimensions[i]) {
            return "the .npy file's shape has more than 2^64-1 elements";
        }
        npy->count *= npy->dimensions[i];
    }
    if (npy->count > (length - start - header_length) / vkdmlGetDataTypeSize(npy->type)) {
        return "the .npy file is shorter than its shape says";
    }
    npy->data = bytes + start + header_length;
    return NULL;
}

size_t npy_header(DML_TENSOR_DATA_TYPE type, uint32_t dimension_count, const uint64_t *dimensions,
                  char header[NPY_HEADER_SIZE]) {
    const char *name = element_npy_name(type);
    if (!name) {
        return 0;
    }
    char *text = header + 10;
    size_t size = NPY_HEADER_SIZE - 10;
    size_t used = (size_t)snprintf(text, size, "{'descr': '%s', 'fortran_order': False, 'shape': (", name);
    for (uint32_t i = 0; i < dimension_count; i++) {
        /* A tuple of one needs its comma. */
        const char *separator = i + 1 < dimension_count ? ", " : dimension_count == 1 ? "," : "";
        used += (size_t)snprintf(text + used, size - used, "%" PRIu64 "%s", dimensions[i], separator);
    }
    used += (size_t)snprintf(text + used, size - used, "), }");
    /* Padded with spaces and a line feed so that the data starts at a multiple of 64 bytes. */
    size_t length = (10 + used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', length - 10 - used);
    header[length - 1] = '\n';
    memcpy(header, magic, sizeof(magic));
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)((length - 10) & 255);
    header[9] = (char)((length - 10) >> 8);
    return length;
}
