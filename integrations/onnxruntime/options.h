/* Options of a session's provider. ONNX Runtime stores a provider option NAME as the session's configuration entry
 * "ep.vkdmlexecutionprovider.NAME", after the provider's name in lower case; "ep.vkdml.NAME" is the same in short, and is
 * read where the long entry is not set. */
#ifndef VKDML_ORT_OPTIONS_H
#define VKDML_ORT_OPTIONS_H

#include "check.h"
#include "ort.h"

#define OPTION_TEXT 1024

struct provider_options {
    char device[256];               /* "device": the name, "#1" or UUID that the session's device must have; "": any */
    char cache_folder[OPTION_TEXT]; /* "cache": a folder for pipelines, if has_cache */
    char report[OPTION_TEXT];       /* "report": a file that tells of each node where it runs, and why; "": none */
    bool has_cache;                 /* the entry is there, "" too */
    bool allows_half;               /* "half": "1" */
    bool has_float32_intermediates; /* "float32_intermediates": "1": of what FLOAT16 nodes write out as parts */
    bool node_by_node;              /* "node_by_node": "1": nothing is fused */
    bool prepares;                  /* "prepare": "0": nothing is compiled before the first run */
    uint64_t kept_bytes;            /* "kept_bytes": of memory for shapes that are kept compiled; 0: the default */
    bool logs;                      /* "log": "1": what vkdml has to say goes to ONNX Runtime's log */
    enum onnx_check check;          /* "check": "finite" or "cpu": nodes that go wrong are reported; "": none are */
    bool labels;                    /* "labels": "1": tools that show Vulkan's labels show nodes and kernels by name */
};

/* Reads the options of a session. On failure the error has the entry and what it must be. */
bool read_options(const OrtSessionOptions *session, struct provider_options *options, struct onnx_error *error);

#endif
