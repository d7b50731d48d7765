/*
 * Finds the elements of a matrix that are not 0. How many there are is known only when the GPU has counted: the
 * coordinates' tensor has room for all, and a host that wants them reads the count first and then so many rows.
 */
#include "application.h"

#include <stdio.h>
#include <string.h>

static const float matrix[4][5] = {{0, 3, 0, 0, 1}, {0, 0, 0, 0, 0}, {7, 0, 0, 0, 0}, {0, 0, 2, 9, 0}};

/* In the buffer: any multiple of 16 bytes will do. */
enum {
    INPUT_OFFSET = 0,
    COUNT_OFFSET = 1024,
    COORDINATES_OFFSET = 2048,
    TEMPORARY_OFFSET = 4096,
    BUFFER_BYTES = 65536
};

static bool find(struct application *app, VkdmlBindingTable *table, VkdmlDispatchable *compiled) {
    struct tensor input;
    struct tensor count;
    struct tensor coordinates;
    tensor_init(&input, DML_TENSOR_DATA_TYPE_FLOAT32, 2, (const uint32_t[]){4, 5});
    tensor_init(&count, DML_TENSOR_DATA_TYPE_UINT32, 1, (const uint32_t[]){1});
    /* A row of two coordinates for each element. */
    tensor_init(&coordinates, DML_TENSOR_DATA_TYPE_UINT32, 2, (const uint32_t[]){20, 2});
    const DML_NONZERO_COORDINATES_OPERATOR_DESC nonzero = {&input.desc, &count.desc, &coordinates.desc};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_NONZERO_COORDINATES, &nonzero};
    if (!compile(app, &desc, compiled, table)) {
        return false;
    }

    VkdmlBindingProperties needs;
    const VkdmlBufferBinding in = binding_of(app, &input, INPUT_OFFSET);
    const VkdmlBufferBinding out[] = {binding_of(app, &count, COUNT_OFFSET),
                                      binding_of(app, &coordinates, COORDINATES_OFFSET)};
    if (!succeeded(vkdmlGetBindingProperties(*compiled, &needs)) || !succeeded(vkdmlBindInputs(*table, 1, &in)) ||
        !succeeded(vkdmlBindOutputs(*table, 2, out))) {
        return false;
    }
    /* What an operator needs while it runs; several may share it, one after the other. */
    const VkdmlBufferBinding temporary = {app->buffer, TEMPORARY_OFFSET, needs.temporaryResourceSize};
    if (needs.temporaryResourceSize > BUFFER_BYTES - TEMPORARY_OFFSET ||
        (needs.temporaryResourceSize > 0 && !succeeded(vkdmlBindTemporaryResource(*table, &temporary)))) {
        return false;
    }
    memcpy(app->bytes + INPUT_OFFSET, matrix, sizeof matrix);
    return application_begin(app) && succeeded(vkdmlRecordDispatch(app->device, app->commands, *compiled, *table)) &&
           application_submit(app);
}

int main(void) {
    struct application app;
    VkdmlDispatchable compiled = NULL;
    VkdmlBindingTable table = NULL;
    bool found = application_open(&app, NULL, BUFFER_BYTES) && find(&app, &table, &compiled);
    if (found) {
        uint32_t count;
        uint32_t coordinates[20][2];
        memcpy(&count, app.bytes + COUNT_OFFSET, sizeof count);
        /* Rows past the count are undefined: they are not read. */
        memcpy(coordinates, app.bytes + COORDINATES_OFFSET, count * sizeof coordinates[0]);
        printf("%u of 20\n", (unsigned)count);
        for (uint32_t i = 0; i < count; i++) {
            printf("[%u, %u] = %g\n", (unsigned)coordinates[i][0], (unsigned)coordinates[i][1],
                   (double)matrix[coordinates[i][0]][coordinates[i][1]]);
        }
    }
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    application_close(&app);
    return found ? 0 : 1;
}
