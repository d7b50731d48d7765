#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sys/utsname.h>
#include <unistd.h>

#include <vkdml/version.h>

#include "bench/report.h"

static void add_string(struct json_object *object, const char *name, const char *value) {
    json_object_object_add(object, name, json_object_new_string(value));
}

static void add_count(struct json_object *object, const char *name, uint64_t value) {
    json_object_object_add(object, name, json_object_new_int64((int64_t)value));
}

/* Leaves out what was not measured: JSON has no NaN. */
static void add_number(struct json_object *object, const char *name, double value) {
    if (!isnan(value)) {
        json_object_object_add(object, name, json_object_new_double(value));
    }
}

/* Of a struct, its numbers by their names in JSON. */
struct number {
    const char *name;
    size_t place;
};

static void add_numbers(struct json_object *object, const void *of, const struct number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const unsigned char *)of + numbers[i].place, sizeof(value));
        add_number(object, numbers[i].name, value);
    }
}

#define ADD_NUMBERS(object, of, numbers) add_numbers((object), (of), (numbers), sizeof(numbers) / sizeof((numbers)[0]))

static struct json_object *device_json(const struct bench_session *session) {
    const VkPhysicalDeviceProperties *properties = &session->device.gpu.properties;
    struct json_object *device = json_object_new_object();
    add_string(device, "name", properties->deviceName);
    add_string(device, "type", bench_device_is_cpu(&session->device) ? "cpu" : "gpu");
    add_count(device, "vendor", properties->vendorID);
    add_count(device, "device", properties->deviceID);
    add_count(device, "driver_version", properties->driverVersion);
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 more = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
    vkGetPhysicalDeviceProperties2(session->device.gpu.handles.physicalDevice, &more);
    char text[2 * VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
    snprintf(text, sizeof(text), "%s%s%s", driver.driverName, *driver.driverInfo ? ", " : "", driver.driverInfo);
    add_string(device, "driver", text);
    snprintf(text, sizeof(text), "%u.%u.%u", VK_API_VERSION_MAJOR(properties->apiVersion),
             VK_API_VERSION_MINOR(properties->apiVersion), VK_API_VERSION_PATCH(properties->apiVersion));
    add_string(device, "vulkan", text);
    add_string(device, "kernels", bench_session_variant(session));
    return device;
}

/* What Linux calls the processor; "" where it does not say. */
static void read_processor(char *text, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    text[0] = '\0';
    while (file && text[0] == '\0' && fgets(line, sizeof(line), file)) {
        const char *colon = strncmp(line, "model name", strlen("model name")) == 0 ? strchr(line, ':') : NULL;
        if (colon) {
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        }
    }
    if (file) {
        fclose(file);
    }
}

/* What the run was made on beside the device. No name of the machine: runs are shown to others. */
static struct json_object *machine_json(void) {
    struct json_object *machine = json_object_new_object();
    struct utsname system;
    char text[256];
    if (uname(&system) == 0) {
        snprintf(text, sizeof(text), "%.64s %.64s, %.64s", system.sysname, system.release, system.machine);
        add_string(machine, "system", text);
    }
    read_processor(text, sizeof(text));
    if (text[0] != '\0') {
        add_string(machine, "processor", text);
    }
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    add_count(machine, "processors", count > 0 ? (uint64_t)count : 1);
    return machine;
}

/* Now, in UTC, as ISO 8601 has it. */
static void add_date(struct json_object *run) {
    const time_t now = time(NULL);
    struct tm parts;
    char text[32];
    if (gmtime_r(&now, &parts) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) != 0) {
        add_string(run, "date", text);
    }
}

static struct json_object *peaks_json(const struct bench_peaks *peaks) {
#define PEAK(name)                                                                                                     \
    { #name "_gbps", offsetof(struct bench_peaks, name) }
    static const struct number numbers[] = {PEAK(copy),         PEAK(copy_command), PEAK(copy_kernel), PEAK(fill),
                                            PEAK(fill_command), PEAK(fill_kernel),  PEAK(read)};
    struct json_object *object = json_object_new_object();
    add_count(object, "size", peaks->bytes);
    ADD_NUMBERS(object, peaks, numbers);
    return object;
}

/* What was timed. */
static void add_entry(struct json_object *object, const struct bench_record *record) {
    char type[32];
    bench_type_name(record->entry.type, sizeof(type), type);
    add_string(object, "name", record->entry.name);
    add_string(object, "group", record->entry.family->group);
    add_string(object, "benchmark", record->entry.benchmark ? record->entry.benchmark->name : "sweep");
    add_string(object, "type", type);
    add_count(object, "size", record->entry.size);
    add_count(object, "bytes", record->result.bytes);
}

static struct json_object *record_json(const struct bench_record *record) {
#define OF_RECORD(name, member)                                                                                        \
    { name, offsetof(struct bench_record, member) }
#define FIGURE(name, member) OF_RECORD(name, result.figures.member)
    static const struct number figures[] = {FIGURE("ms", median),     FIGURE("ms_p10", low),
                                            FIGURE("ms_p90", high),   FIGURE("ms_host", host),
                                            OF_RECORD("gbps", speed), OF_RECORD("ratio", ratio)};
    static const struct number others[] = {OF_RECORD("reference_ms", times.reference),
                                           OF_RECORD("memcpy_ms", times.memory_copy), OF_RECORD("loop_ms", times.loop)};
    struct json_object *object = json_object_new_object();
    add_entry(object, record);
    ADD_NUMBERS(object, record, figures);
    add_string(object, "peak", record->peak);
    add_number(object, "tflops", record->tflops);
    add_count(object, "samples", record->result.figures.samples);
    add_count(object, "repetitions", record->result.figures.repetitions);
    add_count(object, "buffer_sets", record->result.sets);
    ADD_NUMBERS(object, record, others);
    add_string(object, "case", record->line);
    return object;
}

/* What every run begins with; NULL where memory is out. */
static struct json_object *begin_run(bool on_device, struct json_object **results) {
    struct json_object *run = json_object_new_object();
    *results = json_object_new_array();
    if (!run || !*results) {
        fprintf(stderr, "vkdml: out of memory\n");
        json_object_put(run);
        json_object_put(*results);
        return NULL;
    }
    add_string(run, "schema", BENCH_SCHEMA);
    add_string(run, "version", VKDML_VERSION_STRING);
    add_string(run, "timer", on_device ? "device" : "host");
    add_date(run);
    json_object_object_add(run, "machine", machine_json());
    return run;
}

struct json_object *bench_models_to_json(const char *device, bool on_device, struct json_object *rows) {
    struct json_object *results, *run = begin_run(on_device, &results);
    if (!run) {
        return NULL;
    }
    struct json_object *named = json_object_new_object();
    add_string(named, "name", device);
    json_object_object_add(run, "device", named);
    json_object_object_add(run, "results", results);
    json_object_object_add(run, "models", json_object_get(rows));
    return run;
}

struct json_object *bench_to_json(const struct bench_session *session, const char *kind, struct json_object *rows) {
    struct json_object *results, *run = begin_run(session->device.queries != VK_NULL_HANDLE, &results);
    if (!run) {
        return NULL;
    }
    json_object_object_add(run, "device", device_json(session));
    if (session->peaks.bytes != 0) {
        json_object_object_add(run, "peaks", peaks_json(&session->peaks));
    }
    for (size_t i = 0; i < session->count; i++) {
        json_object_array_add(results, record_json(&session->records[i]));
    }
    json_object_object_add(run, "results", results);
    if (kind) {
        json_object_object_add(run, kind, json_object_get(rows));
    }
    return run;
}

bool bench_write_json(const char *path, struct json_object *run) {
    if (json_object_to_file_ext(path, run, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE) != 0) {
        fprintf(stderr, "vkdml bench: %s\n", json_util_get_last_err());
        return false;
    }
    return true;
}
