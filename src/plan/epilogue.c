#include "plan/epilogue.h"

#include <assert.h>
#include <string.h>

struct vkdml_epilogue_step *vkdml_epilogue_add(struct vkdml_epilogue *epilogue) {
    assert(epilogue->count < VKDML_EPILOGUE_STEPS);
    return &epilogue->steps[epilogue->count++];
}

const struct vkdml_epilogue_step *vkdml_epilogue_find(const struct vkdml_epilogue *epilogue,
                                                      enum vkdml_map_operation operation) {
    for (uint32_t i = 0; i < epilogue->count; ++i) {
        if (epilogue->steps[i].operation == operation && vkdml_view_exists(&epilogue->steps[i].operand)) {
            return &epilogue->steps[i];
        }
    }
    return NULL;
}

enum vkdml_map_function vkdml_epilogue_function(const struct vkdml_epilogue *epilogue,
                                                uint32_t arguments[VKDML_FUNCTION_ARGUMENTS]) {
    memset(arguments, 0, VKDML_FUNCTION_ARGUMENTS * sizeof(*arguments));
    if (epilogue->count == 0) {
        return VKDML_FUNCTION_NONE;
    }
    const struct vkdml_epilogue_step *last = &epilogue->steps[epilogue->count - 1];
    memcpy(arguments, last->arguments, sizeof(last->arguments));
    return last->function;
}
