/*
 * A shape that changes with every run, as a sequence's length does. DirectML's operators, and so vkdml's, are of one
 * shape: the operator is made anew for each. What takes time, pipelines, the device keeps, so that is microseconds.
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include "application.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST = 512, INPUT_OFFSET = 0, OUTPUT_OFFSET = MOST * 4, BUFFER_BYTES = 2 * MOST * 4 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* The sum of squares of `length` elements. *microseconds: what making and binding the operator took. */
static bool sum_squares(struct application *app, uint32_t length, float *sum, double *microseconds) {
    const double begin = now();
    VkdmlDispatchable compiled = NULL;
    VkdmlBindingTable table = NULL;
    struct tensor input;
    struct tensor output;
    tensor_init(&input, DML_TENSOR_DATA_TYPE_FLOAT32, 1, &length);
    tensor_init(&output, DML_TENSOR_DATA_TYPE_FLOAT32, 1, (const uint32_t[]){1});
    const DML_REDUCE_OPERATOR_DESC reduce = {DML_REDUCE_FUNCTION_SUM_SQUARE, &input.desc, &output.desc, 1,
                                             (const uint32_t[]){0}};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_REDUCE, &reduce};
    const VkdmlBufferBinding in = binding_of(app, &input, INPUT_OFFSET);
    const VkdmlBufferBinding out = binding_of(app, &output, OUTPUT_OFFSET);
    bool done = compile(app, &desc, &compiled, &table) && succeeded(vkdmlBindInputs(table, 1, &in)) &&
                succeeded(vkdmlBindOutputs(table, 1, &out));
    *microseconds = now() - begin;
    /* An operator that needs a temporary resource would say so in VkdmlBindingProperties; examples/nonzero.c binds one.
     */
    done = done && application_begin(app) &&
           succeeded(vkdmlRecordDispatch(app->device, app->commands, compiled, table)) && application_submit(app);
    if (done) {
        memcpy(sum, app->bytes + OUTPUT_OFFSET, sizeof *sum);
    }
    /* The GPU has finished with them. */
    vkdmlDestroyBindingTable(table);
    vkdmlDestroyDispatchable(compiled);
    return done;
}

int main(void) {
    struct application app;
    bool done = application_open(&app, NULL, BUFFER_BYTES);
    for (uint32_t i = 0; done && i < MOST; i++) {
        const float element = (float)(i + 1);
        memcpy(app.bytes + INPUT_OFFSET + i * sizeof element, &element, sizeof element);
    }
    /* The first also creates the pipelines. */
    for (uint32_t length = 4; done && length < 16; length++) {
        float sum = 0;
        double microseconds = 0;
        done = sum_squares(&app, length, &sum, &microseconds);
        if (done) {
            printf("%2u elements: %4g, made in %.0f us\n", (unsigned)length, (double)sum, microseconds);
        }
    }
    application_close(&app);
    return done ? 0 : 1;
}
