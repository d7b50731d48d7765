#include "com.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace vkdml::abi {

void Log(const char *format, ...) noexcept {
    const char *const log = std::getenv("VKDML_LOG");
    if (log != nullptr && std::strcmp(log, "0") == 0) {
        return;
    }
    char text[1024];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "vkdml: %s\n", text); // one call: lines of several threads do not mix
}

HRESULT Refuse(const char *method, const char *reason) noexcept {
    static std::mutex mutex;
    static auto *const logged = new (std::nothrow) std::set<std::string>; // used by destructors of other libraries, too
    try {
        const std::lock_guard<std::mutex> guard(mutex);
        if (logged == nullptr || !logged->insert(method).second) {
            return notImplemented;
        }
    } catch (const std::exception &) { // out of memory: it is logged once more
    }
    Log("%s is not supported: %s", method, reason);
    return notImplemented;
}

} // namespace vkdml::abi
