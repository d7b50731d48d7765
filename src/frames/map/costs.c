#include "frames/map/costs.h"

struct cost {
    uint8_t turns;
    bool is_much;
};

enum { LITTLE, MUCH };
static const struct cost operation_costs[] = {
#define OPERATION(NAME, value, turns, work) [value] = {(turns), (work)},
#define FUNCTION(NAME, value, turns, work)
#include "../glsl/common/operation_list.inc"
};
static const struct cost function_costs[] = {
#define OPERATION(NAME, value, turns, work)
#define FUNCTION(NAME, value, turns, work) [value] = {(turns), (work)},
#include "../glsl/common/operation_list.inc"
};

struct vkdml_map_cost vkdml_map_cost(enum vkdml_map_operation operation, enum vkdml_map_function function) {
    const struct cost *a = &operation_costs[operation], *b = &function_costs[function];
    return (struct vkdml_map_cost){(uint32_t)a->turns + b->turns, a->is_much || b->is_much};
}
