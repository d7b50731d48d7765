/* A table of a graph's nodes. */
#include <stdio.h>
#include <string.h>

#include "base/json_tree.h"
#include "run/results.h"
#include "text/visible_text.h"

static double sum_of(const struct results_node *nodes, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += nodes[i].milliseconds;
    }
    return sum;
}

static bool add_nodes(struct json_object *command, const struct results_node *nodes, uint32_t count, double graph,
                      double node_by_node, bool on_device) {
    struct json_object *object = json_tree_object(command, "per_node");
    bool good = json_tree_text(object, "clock", on_device ? "gpu" : "cpu") &&
                json_tree_number(object, "graph_ms", graph) &&
                json_tree_number(object, "node_by_node_ms", node_by_node) &&
                json_tree_number(object, "sum_ms", sum_of(nodes, count));
    struct json_object *array = good ? json_tree_array(object, "nodes") : NULL;
    good = array != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        struct json_object *node = json_tree_object(array, NULL);
        good = json_tree_text(node, "name", nodes[i].name) &&
               json_tree_text(node, "operator", nodes[i].operator_name) &&
               json_tree_number(node, "median_ms", nodes[i].milliseconds);
    }
    return good;
}

static int widest(const struct results_node *nodes, uint32_t count, bool operators, size_t least) {
    size_t width = least;
    for (uint32_t i = 0; i < count; i++) {
        const size_t length = strlen(operators ? nodes[i].operator_name : nodes[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_nodes(const struct results_node *nodes, uint32_t count, double graph, double node_by_node) {
    const double sum = sum_of(nodes, count);
    const int names = widest(nodes, count, false, strlen("the graph, node by node"));
    const int operators = widest(nodes, count, true, strlen("operator"));
    printf("  %-*s  %-*s  %10s  share\n", names, "node", operators, "operator", "ms");
    for (uint32_t i = 0; i < count; i++) {
        printf("  %-*s  %-*s  %10.4f  %4.1f %%\n", names, nodes[i].name, operators, nodes[i].operator_name,
               nodes[i].milliseconds, sum > 0 ? 100 * nodes[i].milliseconds / sum : 0);
    }
    printf("  %-*s  %-*s  %10.4f\n", names, "all of them", operators, "", sum);
    printf("  %-*s  %-*s  %10.4f\n", names, "the graph, node by node", operators, "", node_by_node);
    printf("  %-*s  %-*s  %10.4f\n", names, "the graph", operators, "", graph);
}

void results_nodes(struct results *results, const struct command *command, const struct results_node *nodes,
                   uint32_t count, double graph, double node_by_node, bool on_device) {
    if (results->root) {
        const bool good = add_nodes(results->command, nodes, count, graph, node_by_node, on_device);
        results->incomplete = results->incomplete || !good;
        return;
    }
    printf("Dispatch '%s', each node by itself, medians by the %s's clock:\n",
           visible_text(command->dispatchable->name).text,
           on_device ? "device" : "CPU");
    print_nodes(nodes, count, graph, node_by_node);
}
