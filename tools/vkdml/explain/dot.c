#include "explain/dot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/operator_names.h"
#include "text/visible_text.h"

#define INITIAL_COLOUR  "\"#ffe8a8\""
#define EXECUTED_COLOUR "\"#dbe9ff\""

/* A text within quotes. */
static void print_quoted(const char *name) {
    const struct visible_text visible = visible_text(name);
    for (const char *text = visible.text; *text; text++) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
}

/* "1 x 3 x 8 x 8 FLOAT32" */
static void print_sizes(const DML_BUFFER_TENSOR_DESC *desc) {
    const char *type = vkdmlGetDataTypeName(desc->DataType);
    for (uint32_t i = 0; i < desc->DimensionCount; i++) {
        printf("%s%u", i ? " x " : "", desc->Sizes[i]);
    }
    printf(" %s", type ? type + strlen("DML_TENSOR_DATA_TYPE_") : "?");
}

/* Its operator, where the name does not begin with it, and what it makes. */
static void print_operator(const struct graph_node *node) {
    const char *name = operator_names_short(node->op->schema->name);
    if (strncmp(node->name, name, strlen(name)) != 0) {
        printf("\\n%s", name);
    }
    for (uint32_t i = 0; i < node->op->output_count; i++) {
        const DML_BUFFER_TENSOR_DESC *desc = model_tensor(node->op, VKDML_FIELD_KIND_OUTPUT_TENSOR, i).desc;
        if (desc) {
            printf("\\n");
            print_sizes(desc);
        }
    }
}

static void print_node(const struct graph *graph, uint32_t n, VkdmlNodeRole role) {
    static const char *const looks[] = {
        [VKDML_NODE_ROLE_EXECUTED] = "fillcolor=" EXECUTED_COLOUR,
        [VKDML_NODE_ROLE_INITIALIZED] = "fillcolor=" INITIAL_COLOUR,
        [VKDML_NODE_ROLE_FUSED] = "fillcolor=" EXECUTED_COLOUR ", style=\"filled,dashed\"",
        [VKDML_NODE_ROLE_VIEW] = "fillcolor=white, style=\"filled,dotted\"",
        [VKDML_NODE_ROLE_CONSTANT] = "fillcolor=" INITIAL_COLOUR ", shape=note",
    };
    const struct graph_node *node = &graph->nodes[n];
    printf("  n%u [label=\"", n);
    print_quoted(node->name);
    if (node->op) {
        print_operator(node);
    } else {
        printf("\\n%" PRIu64 " bytes", node->constant->values_size);
    }
    printf("\", %s];\n", looks[role]);
}

static void print_ends(const struct graph *graph) {
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct graph_end *input = &graph->inputs[i];
        const bool owned = input->desc && (input->desc->Flags & DML_TENSOR_FLAG_OWNED_BY_DML);
        printf("  i%u [shape=ellipse, fillcolor=%s, label=\"", i, owned ? INITIAL_COLOUR : "white");
        print_quoted(input->name);
        if (input->desc) {
            printf("\\n");
            print_sizes(input->desc);
        }
        printf("\"];\n");
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        printf("  o%u [shape=ellipse, fillcolor=white, label=\"", i);
        print_quoted(graph->outputs[i].name);
        printf("\"];\n");
    }
}

/* Nodes of which one does the work are in a box of their own. */
static void print_groups(const VkdmlExplanation *e) {
    for (uint32_t group = 0; group < e->nodeCount; group++) {
        uint32_t members = 0;
        for (uint32_t n = 0; n < e->nodeCount; n++) {
            members += e->nodes[n].group == group;
        }
        if (members < 2) {
            continue;
        }
        printf("  subgraph cluster_%u { style=rounded; color=\"#4477aa\";", group);
        for (uint32_t n = 0; n < e->nodeCount; n++) {
            if (e->nodes[n].group == group) {
                printf(" n%u;", n);
            }
        }
        printf(" }\n");
    }
}

static void print_edge(const struct graph_source *source, const char *to, uint32_t index) {
    printf("  %s%u -> %s%u;\n", source->node == GRAPH_INPUT ? "i" : "n",
           source->node == GRAPH_INPUT ? source->index : source->node, to, index);
}

void dot_print(const struct graph *graph, const VkdmlExplanation *e) {
    printf("digraph \"");
    print_quoted(graph->name);
    printf("\" {\n  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n"
           "  edge [arrowsize=0.6];\n");
    print_ends(graph);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        print_node(graph, n, e->nodes[n].role);
    }
    print_groups(e);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct graph_node *node = &graph->nodes[n];
        for (uint32_t i = 0; node->op && i < node->op->input_count; i++) {
            if (node->sources[i].json) {
                print_edge(&node->sources[i], "n", n);
            }
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        print_edge(&graph->outputs[i].source, "o", i);
    }
    printf("}\n");
}
