/* An application with a volk of its own: its vk* function pointers and the library's symbols must not meet. Linked with
 * the whole static library, or with the shared one. */
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <stdio.h>
#include <string.h>

#include <vkdml/vkdml.h>

int main(void) {
    if (vkdmlGetVersion() != VKDML_HEADER_VERSION || strcmp(vkdmlGetVersionString(), VKDML_VERSION_STRING) != 0) {
        printf("the library is %s, its headers %s\n", vkdmlGetVersionString(), VKDML_VERSION_STRING);
        return 1;
    }
    VkdmlRequirements requirements;
    if (vkdmlGetRequirements(&requirements) != VKDML_SUCCESS) {
        printf("vkdmlGetRequirements: %s\n", vkdmlGetErrorMessage());
        return 1;
    }
    /* Opening a device must leave the application's pointers alone. */
    PFN_vkCreateInstance before = vkCreateInstance;
    VkdmlDevice device = NULL;
    vkdmlOpenDevice(NULL, &device);
    vkdmlDestroyDevice(device);
    return vkCreateInstance == before ? 0 : 1;
}
