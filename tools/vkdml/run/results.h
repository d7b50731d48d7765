/* What a run has to tell: lines on stdout as DxDispatch writes them, or one JSON document. */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>

#include "base/timing.h"
#include "model/compare.h"
#include "model/model.h"

struct results {
    struct json_object *root;     /* NULL: lines */
    struct json_object *messages; /* these are root's */
    struct json_object *dispatchables;
    struct json_object *commands;
    struct json_object *command; /* the one that runs */
    bool arrays;                 /* printed resources have brackets */
    bool incomplete;             /* memory was out while the document was made */
};

/* Of a model that is to be loaded. What is complained of from now on goes into the document too. */
void results_begin(struct results *results, const char *path, bool json, bool arrays);

void results_device(struct results *results, const char *name);

/* A dispatchable was compiled and initialized in so many milliseconds. */
void results_prepared(struct results *results, const struct dispatchable *dispatchable, double milliseconds,
                      uint32_t verbosity);

/* The index-th command begins. */
void results_command(struct results *results, size_t index, const struct command *command, bool print);

/* Its dispatch took so long. */
void results_dispatch(struct results *results, const struct command *command, const struct timing *timing,
                      uint32_t warmup, uint32_t verbosity);

/* A node of a graph, or the graph itself, and how long it took. */
struct results_node {
    const char *name;
    const char *operator_name; /* NULL: the graph */
    double milliseconds;       /* the median */
};

/* The nodes of a dispatch's graph, each dispatched by itself, the graph as it was dispatched, and the graph node by
 * node. */
void results_nodes(struct results *results, const struct command *command, const struct results_node *nodes,
                   uint32_t count, double graph, double node_by_node, bool on_device);

/* An output of a dispatch and what the reference made of the same inputs. `result` says where they differ. */
void results_comparison(struct results *results, const struct dispatchable *dispatchable, const char *tensor,
                        const struct compare_arrays *arrays, const struct compare_tolerance *tolerance,
                        const struct compare_result *result, const struct compare_shape *shape);

/* The values of a resource, `bytes`, are to be printed. */
void results_values(struct results *results, const struct model *model, const struct command *command,
                    const unsigned char *bytes);

/* They are in the command's file. */
void results_file(struct results *results, const struct command *command);

/* They are as expected, within a tolerance. */
void results_expected(struct results *results, const struct command *command, const char *tolerance);

/* Prints the document. False, with the reason on stderr, where it or what was printed before is not whole. */
bool results_end(struct results *results, bool succeeded);

#endif
