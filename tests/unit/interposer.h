/* A vkGetInstanceProcAddr that stands between the library and a driver: it counts calls, makes chosen ones fail, hides
 * functions, and tells lies about the physical device. One at a time; reset it in each test. */
#ifndef UNIT_INTERPOSER_H
#define UNIT_INTERPOSER_H

#include <stdbool.h>
#include <stdint.h>

#include <volk.h>

/* The functions that are counted, and may fail where they return a VkResult. */
enum interposed {
#define INTERPOSE(name, ...) INTERPOSED_##name,
#include "interposed.inc"
    INTERPOSED_COUNT
};

struct interposer {
    /* Set by tests: */
    const char *hidden;            /* a function that the driver lacks; NULL: none */
    enum interposed failing;       /* with fail_at */
    uint32_t fail_at;              /* the call of it, from 1, that fails; 0: none */
    bool stays;                    /* those after it fail, too */
    VkResult failure;              /* with what */
    uint32_t api_version;          /* of the physical device; 0: the truth */
    uint32_t offset_alignment;     /* minStorageBufferOffsetAlignment; 0: the truth */
    uint32_t storage_range;        /* maxStorageBufferRange; 0: the truth */
    VkPhysicalDeviceType type;     /* OTHER, which is 0: the truth */
    bool no_subgroups;             /* no subgroup operation in compute shaders */
    const char *driver_info;       /* of lavapipe, whatever it is; NULL: the truth */
    bool discrete;                 /* a discrete GPU, whatever it is */
    bool drops_copies;             /* for tensors larger than their buffers */
    const VkBool32 *features;      /* what each feature that the library reads is; NULL: the truth */
    bool no_compute;               /* no queue family can compute */
    void (*while_compiling)(void); /* called once, while the driver creates a pipeline */
    bool traces;                   /* keeps a trace */
    VkResult naming;               /* what vkSetDebugUtilsObjectNameEXT returns */
    /* Told to tests: */
    _Atomic uint32_t calls[INTERPOSED_COUNT];
    _Atomic int32_t live;           /* Vulkan objects created and not destroyed; descriptor sets aside */
    VkDescriptorBufferInfo storage; /* the storage buffer last written to a descriptor at binding 1 */
    uint32_t push_constants[32];    /* last pushed: as many as Vulkan guarantees */
    struct {
        VkPipelineStageFlags before, after;
        VkAccessFlags written, used;
    } barrier;             /* last recorded */
    uint32_t regions;      /* of all copies */
    uint64_t copied_bytes; /* likewise */
    uint64_t filled_bytes; /* of all fills */
    /* A line per call that records something, "vkCmdDispatch", a label, "{ TEXT" and "}", or a name, "buffer = TEXT".
     */
    char trace[16384];
};

extern struct interposer interposer;

/* Of functions that return a VkResult, the calls of the calling thread; never reset. */
extern _Thread_local uint32_t interposer_own_calls[INTERPOSED_COUNT];

/* Puts the interposer before `next`, in its neutral state. */
void interposer_reset(PFN_vkGetInstanceProcAddr next);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL interposer_get_instance_proc_addr(VkInstance instance, const char *name);

/* "vkCreateBuffer" of INTERPOSED_CreateBuffer. */
const char *interposed_name(enum interposed function);

#endif
