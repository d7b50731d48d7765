/* What became of a graph's nodes, in text and JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/operator_names.h"
#include "explain/explain.h"
#include "text/visible_text.h"

/* By VkdmlNodeRole, as --json has them. */
static const char *const roles[] = {"executed", "initialized", "fused", "view", "constant"};

static uint32_t count_steps(const VkdmlExplanation *e, bool initializes, bool barriers) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->stepCount; i++) {
        count += (e->steps[i].initializes != 0) == initializes && (!barriers || e->steps[i].barrierBefore);
    }
    return count;
}

static uint32_t count_role(const VkdmlExplanation *e, VkdmlNodeRole role) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < e->nodeCount; n++) {
        count += e->nodes[n].role == role;
    }
    return count;
}

/* "Nodes[3]", or the name. */
static struct visible_text name_of(const VkdmlExplainedNode *node, uint32_t index) {
    struct visible_text text = visible_text(node->name);
    if (!*node->name) {
        snprintf(text.text, sizeof(text.text), "Nodes[%u]", index);
    }
    return text;
}

static void print_steps(uint32_t first, uint32_t count, const char *when) {
    if (count) {
        printf(", %s%u step%s from %u on", when, count, count == 1 ? "" : "s", first + 1);
    }
}

static void print_node(const VkdmlExplanation *e, uint32_t index, int names, int operators) {
    const VkdmlExplainedNode *node = &e->nodes[index];
    printf("    %-*s  %-*s  ", names, name_of(node, index).text, operators,
           node->operatorName ? operator_names_short(node->operatorName) : "constant");
    switch (node->role) {
    case VKDML_NODE_ROLE_EXECUTED:
        printf("level %u", node->level);
        break;
    case VKDML_NODE_ROLE_INITIALIZED:
        printf("at initialization alone");
        break;
    case VKDML_NODE_ROLE_VIEW:
        printf("a view: nothing to do");
        break;
    case VKDML_NODE_ROLE_CONSTANT:
        printf("%" PRIu64 " bytes", node->outputBytes);
        break;
    default:
        if (node->group == index) {
            printf("done by others");
        } else {
            printf("done by %s", name_of(&e->nodes[node->group], node->group).text);
        }
        break;
    }
    print_steps(node->initialStep, node->initialStepCount, "once ");
    print_steps(node->step, node->stepCount, "");
    putchar('\n');
}

static bool same_pipeline(const VkdmlStep *a, const VkdmlStep *b) {
    bool same = strcmp(a->kernel, b->kernel) == 0 && a->constantCount == b->constantCount &&
                a->bufferCount == b->bufferCount;
    for (uint32_t i = 0; same && i < a->constantCount; i++) {
        same = a->constants[i].value == b->constants[i].value;
    }
    return same;
}

/* Kernels with other constants or buffers are other pipelines. */
static uint32_t count_pipelines(const VkdmlExplanation *e) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->stepCount; i++) {
        bool is_first = e->steps[i].kind == VKDML_STEP_KIND_DISPATCH;
        for (uint32_t j = 0; is_first && j < i; j++) {
            is_first = e->steps[j].kind != VKDML_STEP_KIND_DISPATCH || !same_pipeline(&e->steps[j], &e->steps[i]);
        }
        count += is_first;
    }
    return count;
}

void explain_print_graph(const VkdmlExplanation *e) {
    int names = 0, operators = (int)strlen("constant");
    for (uint32_t n = 0; n < e->nodeCount; n++) {
        const VkdmlExplainedNode *node = &e->nodes[n];
        const int name = (int)strlen(name_of(node, n).text);
        const int operator_name = node->operatorName ? (int)strlen(operator_names_short(node->operatorName)) : 0;
        names = name > names ? name : names;
        operators = operator_name > operators ? operator_name : operators;
    }
    printf("  an execution: %u steps, %u of them after a barrier; the initializer: %u steps; %u pipelines\n",
           count_steps(e, false, false), count_steps(e, false, true), count_steps(e, true, false), count_pipelines(e));
    printf("  temporary memory that is needed, by level:");
    for (uint32_t l = 0; l < e->levelCount; l++) {
        printf(" %" PRIu64, e->levelBytes[l]);
    }
    printf("; no placement takes less than %" PRIu64 " bytes\n", e->leastTemporaryBytes);
    printf("  %u nodes: %u executed, %u fused, %u views, %u at initialization, %u constants\n", e->nodeCount,
           count_role(e, VKDML_NODE_ROLE_EXECUTED), count_role(e, VKDML_NODE_ROLE_FUSED),
           count_role(e, VKDML_NODE_ROLE_VIEW), count_role(e, VKDML_NODE_ROLE_INITIALIZED),
           count_role(e, VKDML_NODE_ROLE_CONSTANT));
    for (uint32_t n = 0; n < e->nodeCount; n++) {
        print_node(e, n, names, operators);
    }
}

static bool add_node(struct json_object *array, const VkdmlExplainedNode *node) {
    struct json_object *object = json_tree_object(array, NULL);
    return json_tree_text(object, "name", node->name) &&
           (!node->operatorName || json_tree_text(object, "operator", node->operatorName)) &&
           json_tree_text(object, "role", roles[node->role]) && json_tree_count(object, "group", node->group) &&
           json_tree_count(object, "level", node->level) &&
           json_tree_count(object, "output_bytes", node->outputBytes) &&
           json_tree_count(object, "initial_step", node->initialStep) &&
           json_tree_count(object, "initial_step_count", node->initialStepCount) &&
           json_tree_count(object, "step", node->step) && json_tree_count(object, "step_count", node->stepCount);
}

bool explain_graph_to_json(struct json_object *object, const VkdmlExplanation *e) {
    bool good = json_tree_count(object, "barriers", count_steps(e, false, true)) &&
                json_tree_count(object, "pipelines", count_pipelines(e)) &&
                json_tree_count(object, "least_temporary_resource", e->leastTemporaryBytes);
    struct json_object *levels = good ? json_tree_array(object, "level_bytes") : NULL;
    good = levels != NULL;
    for (uint32_t l = 0; l < e->levelCount && good; l++) {
        good = json_tree_count(levels, NULL, e->levelBytes[l]);
    }
    struct json_object *nodes = good ? json_tree_array(object, "nodes") : NULL;
    good = nodes != NULL;
    for (uint32_t n = 0; n < e->nodeCount && good; n++) {
        good = add_node(nodes, &e->nodes[n]);
    }
    return good;
}
