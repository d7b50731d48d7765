/*
 * Many operators in one command buffer, a barrier before each that reads what another wrote: Newton's steps to a square
 * root, x = (x + a / x) / 2, are three operators each, and the host is not asked in between.
 */
#include "application.h"

#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 4, STEPS = 8, OPERATORS = 3 };

/* In the buffer, by tensor: where a, x, a / x and the sum lie, and the constant 2. */
enum { A, X, QUOTIENT, SUM, TWO, TENSORS };

static VkdmlBufferBinding place(const struct application *app, const struct tensor *tensor, int which) {
    return binding_of(app, tensor, (VkDeviceSize)which * 256);
}

static void write_elements(struct application *app, int which, const float elements[ELEMENTS]) {
    memcpy(app->bytes + which * 256, elements, ELEMENTS * sizeof elements[0]);
}

static bool run(struct application *app, VkdmlDispatchable compiled[OPERATORS], VkdmlBindingTable tables[OPERATORS]) {
    struct tensor t;
    tensor_init(&t, DML_TENSOR_DATA_TYPE_FLOAT32, 1, (const uint32_t[]){ELEMENTS});
    const DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC divide = {&t.desc, &t.desc, &t.desc};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = {&t.desc, &t.desc, &t.desc};
    const struct {
        DML_OPERATOR_DESC desc;
        int a, b, output;
    } operators[OPERATORS] = {
        {{DML_OPERATOR_ELEMENT_WISE_DIVIDE, &divide}, A, X, QUOTIENT},
        {{DML_OPERATOR_ELEMENT_WISE_ADD, &add}, X, QUOTIENT, SUM},
        {{DML_OPERATOR_ELEMENT_WISE_DIVIDE, &divide}, SUM, TWO, X},
    };
    for (int i = 0; i < OPERATORS; i++) {
        const VkdmlBufferBinding inputs[] = {place(app, &t, operators[i].a), place(app, &t, operators[i].b)};
        const VkdmlBufferBinding output = place(app, &t, operators[i].output);
        if (!compile(app, &operators[i].desc, &compiled[i], &tables[i]) ||
            !succeeded(vkdmlBindInputs(tables[i], 2, inputs)) || !succeeded(vkdmlBindOutputs(tables[i], 1, &output))) {
            return false;
        }
    }
    write_elements(app, A, (const float[]){1, 2, 9, 100});
    write_elements(app, X, (const float[]){1, 2, 9, 100});
    write_elements(app, TWO, (const float[]){2, 2, 2, 2});
    if (!application_begin(app)) {
        return false;
    }
    /* The same dispatchable and table may be recorded any number of times. */
    for (int i = 0; i < STEPS * OPERATORS; i++) {
        if (i > 0) {
            application_order(app);
        }
        if (!succeeded(
                vkdmlRecordDispatch(app->device, app->commands, compiled[i % OPERATORS], tables[i % OPERATORS]))) {
            return false;
        }
    }
    return application_submit(app);
}

int main(void) {
    struct application app;
    VkdmlDispatchable compiled[OPERATORS] = {NULL};
    VkdmlBindingTable tables[OPERATORS] = {NULL};
    bool done = application_open(&app, NULL, TENSORS * 256) && run(&app, compiled, tables);
    if (done) {
        float x[ELEMENTS];
        memcpy(x, app.bytes + X * 256, sizeof x);
        printf("%.4f %.4f %.4f %.4f after %d operators\n", (double)x[0], (double)x[1], (double)x[2], (double)x[3],
               STEPS * OPERATORS);
    }
    for (int i = 0; i < OPERATORS; i++) {
        vkdmlDestroyBindingTable(tables[i]);
        vkdmlDestroyDispatchable(compiled[i]);
    }
    application_close(&app);
    return done ? 0 : 1;
}
