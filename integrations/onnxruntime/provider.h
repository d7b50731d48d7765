/* The execution provider of a session. */
#ifndef VKDML_ORT_PROVIDER_H
#define VKDML_ORT_PROVIDER_H

#include "onnx/device.h"
#include "options.h"

/* Opens the device. name: of it, or a part. On failure *made is NULL. */
bool provider_create(const char *name, const struct provider_options *options, const OrtLogger *logger, OrtEp **made,
                     struct onnx_error *error);
void provider_release(OrtEp *provider);

#endif
