/* The execution provider of a session. */
#ifndef VKDML_ORT_PROVIDER_H
#define VKDML_ORT_PROVIDER_H

#include "adapter.h"
#include "options.h"

/* On the adapter's device, which is opened where it is not. The logger is the session's. On failure *made is NULL. */
bool provider_create(struct adapter *adapter, const struct provider_options *options, const OrtLogger *logger,
                     OrtEp **made, struct onnx_error *error);
void provider_release(OrtEp *provider);

#endif
