#include "ort.h"

struct ort ort;

bool ort_check(OrtStatus *status, struct onnx_error *error) {
    if (status == NULL) {
        return true;
    }
    onnx_fail(error, "%s", ort.api->GetErrorMessage(status));
    ort.api->ReleaseStatus(status);
    return false;
}

OrtStatus *ort_status(bool succeeded, const struct onnx_error *error) {
    return succeeded ? NULL : ort.api->CreateStatus(ORT_EP_FAIL, error->text);
}
