/* A test program's one device, which tests import and the fixture destroys. */
#ifndef UNIT_ONE_DEVICE_H
#define UNIT_ONE_DEVICE_H

#include "device_fixture.h"

extern VkdmlDevice device;

/* Before a test: no device yet, and zeros in the buffers; or one without flags. */
int begin_without_device(void **state);
int begin_with_device(void **state);

/* After it: no device, and nothing left. */
int end_with_device(void **state);

/* All that a dispatch takes. Temporary memory lies in the other buffer; what is not needed is not bound. */
struct bindings {
    uint32_t input_count;
    const VkdmlBufferBinding *inputs;
    uint32_t output_count;
    const VkdmlBufferBinding *outputs;
    VkdmlBufferBinding persistent;
    VkDeviceSize temporary_at;
};

/* A table with all of it. */
VkdmlBindingTable bind_all(VkdmlDispatchable dispatchable, const struct bindings *bindings);

/* Runs the initializer of dispatchables, whose inputs stand one behind the other; outputs are their persistent
 * resources. */
void initialize_all(uint32_t count, const VkdmlDispatchable *dispatchables, const struct bindings *bindings);

/* .. of one. */
void initialize_one(VkdmlDispatchable dispatchable, uint32_t input_count, const VkdmlBufferBinding *inputs,
                    VkdmlBufferBinding persistent);

/* Makes a call, whose handle is to be NULL where it fails, again and again, with one allocation more before the one
 * that fails, until none does. What it allocated is gone then, but for what the device may keep. */
void survive_failing_allocations(VkdmlResult (*call)(void **handle), bool device_keeps, void **handle);

#endif
