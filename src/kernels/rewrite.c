#include "kernels/rewrite.h"

#include <string.h>

void vkdml_rewrite_put(struct vkdml_rewrite *rewrite, const uint32_t *words, uint32_t count) {
    if (count <= rewrite->out_capacity - rewrite->out_count) {
        memcpy(rewrite->out + rewrite->out_count, words, count * sizeof *words);
        rewrite->out_count += count;
    }
}

void vkdml_rewrite_call(struct vkdml_rewrite *rewrite, uint32_t id) {
    struct vkdml_rewrite_id *function = vkdml_rewrite_id(rewrite, id);
    if (!function->called && function->function != 0) {
        function->called = true;
        function->called_before = rewrite->last_called;
        rewrite->last_called = id;
    }
}
