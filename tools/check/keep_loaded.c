/* For the build with sanitizers, in place of the system's dlclose(): drivers stay loaded, so that what they still hold
 * when the program ends is not taken for a leak. Once they are unloaded LeakSanitizer can neither reach that memory nor
 * tell whose it was. Weak, as programs in C++ are linked with what is for C and what is for C++: with two of it. */
__attribute__((weak)) int dlclose(void *handle);

int dlclose(void *handle) {
    (void)handle;
    return 0;
}
