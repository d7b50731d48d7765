/* The file of the option "report". */
#ifndef VKDML_ORT_REPORT_H
#define VKDML_ORT_REPORT_H

#include "onnx/judge.h"

/* Whether it can be written, so that a session says so once, when it is made. */
bool report_check(const char *path, struct onnx_error *error);

/* Appends a line for each node: where it runs, its operator, its name and why, between tabs. What goes wrong is no
 * error.
 */
void report_nodes(const char *path, const struct onnx_model *model, const struct onnx_verdict *verdicts);

/* Appends what a fused node became for inputs of certain sizes: of how many operators of DirectML it is, before they
 * are fused; 0 where its outputs are known. */
void report_plan(const char *path, uint32_t operators);

#endif
