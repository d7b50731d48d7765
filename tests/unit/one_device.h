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

#endif
