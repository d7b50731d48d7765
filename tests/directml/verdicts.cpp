// Compares what Microsoft's libdirectml.so and vkdml accept and refuse. Microsoft's library validates descriptors on
// vkdml's libd3d12.so; it executes nothing. Outside CI: the library comes from the torch-directml package, and nothing
// of it is kept.
//
// verdicts LIBDIRECTML.SO [--cases N] [--seed N] [OPERATOR..]
//
// Both judge random cases of each operator and their neighbors, which differ in one field each, at the newest level
// that Microsoft's library offers. Prints a line for each kind of difference: the operator, who accepts, vkdml's first
// reason without its numbers or the changed field, how often, and one case.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "cases/family.h"
#include "invalid/neighbours.h"
}

#include <vkdml/directml.hpp>

#include <dxguids/dxguids.h>

namespace {

using CreateDevice12 = HRESULT (*)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
using CreateDml1 = HRESULT (*)(ID3D12Device *, DML_CREATE_DEVICE_FLAGS, DML_FEATURE_LEVEL, REFIID, void **);

constexpr std::size_t lineBytes = 8192;

// The current case of the child process, so that a crash of Microsoft's library is reported with its case.
struct Shared {
    std::uint64_t index;
    char line[lineBytes];
};

struct Difference {
    std::uint64_t count = 0;
    std::string line;
};

// The cases of one operator that a process compares.
struct Comparison {
    IDMLDevice *device;
    DML_FEATURE_LEVEL level;
    Shared *shared;
    std::uint64_t from;      // cases before this one were compared already
    std::string base = {};   // the line of the case whose neighbors these are; empty: this is the case
    bool baseAgrees = false; // both accept it
    std::map<std::string, Difference> differences = {};
    std::uint64_t accepted = 0, refused = 0, alike = 0;
};

// vkdml's first reason without the operator, with N for numbers: equal reasons are one kind.
std::string kind_of(const char *reason) {
    const char *const colon = std::strstr(reason, ": ");
    std::string kind;
    for (const char *c = colon != nullptr ? colon + 2 : reason; *c != '\0' && *c != '\n'; ++c) {
        const bool isDigit = *c >= '0' && *c <= '9';
        if (!isDigit) {
            kind += *c;
        } else if (kind.empty() || kind.back() != 'N') {
            kind += 'N';
        }
    }
    return kind;
}

// The fields of a line that another one does not have as they are: "Strides, OutputTensor".
std::string changed_fields(const std::string &line, const std::string &base) {
    std::istringstream fields(line);
    std::string field, changed;
    while (fields >> field) {
        if ((" " + base + " ").find(" " + field + " ") == std::string::npos) {
            changed += (changed.empty() ? "" : ", ") + field.substr(0, field.find('='));
        }
    }
    return changed.empty() ? "a field that is missing" : changed;
}

struct Verdicts {
    bool ours, theirs;
};

bool operator==(const Verdicts &a, const Verdicts &b) {
    return a.ours == b.ours && a.theirs == b.theirs;
}

bool accepts(IDMLDevice *device, const DML_OPERATOR_DESC &desc) {
    IDMLOperator *made = nullptr;
    const bool accepted = device->CreateOperator(&desc, IID_PPV_ARGS(&made)) >= 0;
    if (made != nullptr) {
        made->Release();
    }
    return accepted;
}

Verdicts judge(const Comparison &comparison, const operator_case *c) {
    static case_desc desc;
    case_build_desc(c, &desc);
    return {vkdmlValidateOperator(&desc.op, comparison.level) == VKDML_SUCCESS, accepts(comparison.device, desc.op)};
}

// Removes the fields of a case line that the difference does not depend on. Lines that crash Microsoft's library stay.
std::string reduce(const Comparison &comparison, const std::string &line, const Verdicts &verdicts) {
    static operator_case c;
    std::istringstream stream(line);
    std::vector<std::string> fields{std::istream_iterator<std::string>(stream), {}};
    char error[256];
    for (std::size_t i = fields.size(); i-- > 1;) {
        std::string shorter = fields[0];
        for (std::size_t k = 1; k < fields.size(); ++k) {
            shorter += k != i ? " " + fields[k] : "";
        }
        if (case_parse(shorter.c_str(), &c, error, sizeof error) && judge(comparison, &c) == verdicts) {
            fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    std::string reduced = fields[0];
    for (std::size_t k = 1; k < fields.size(); ++k) {
        reduced += " " + fields[k];
    }
    return reduced;
}

// The fields of a reduced case, with names of layouts and flags in place of whole tensors.
std::string kind_of_case(const std::string &reduced) {
    std::string kind;
    std::istringstream fields(reduced);
    std::string field;
    while (fields >> field) {
        const std::string name = field.substr(0, field.find('='));
        if (name.find('.') != std::string::npos || name.find("Fused") == 0) {
            kind += " " + name;
        }
    }
    return "the case:" + kind;
}

void compare(const operator_case *c, void *context) {
    Comparison &comparison = *static_cast<Comparison *>(context);
    Shared &shared = *comparison.shared;
    const bool isBase = comparison.base.empty();
    const std::uint64_t index = shared.index++;
    if (c->level != 0 || (!isBase && (index < comparison.from || !comparison.baseAgrees)) ||
        !case_print(c, shared.line, sizeof shared.line)) {
        return;
    }
    if (isBase) {
        comparison.base = shared.line;
        comparison.baseAgrees = false;
        if (index + 1 == comparison.from) {
            return; // the library crashed
        }
    }
    const Verdicts verdicts = judge(comparison, c);
    const std::string line = shared.line;
    std::string kind = verdicts.ours ? "" : kind_of(vkdmlGetErrorMessage());
    comparison.baseAgrees = isBase ? verdicts.ours && verdicts.theirs : comparison.baseAgrees;
    (verdicts.ours ? comparison.accepted : comparison.refused)++;
    if (verdicts.ours == verdicts.theirs) {
        comparison.alike++;
        return;
    }
    const std::string reduced = isBase ? reduce(comparison, line, verdicts) : line;
    if (verdicts.ours) {
        kind = isBase ? kind_of_case(reduced) : "changed: " + changed_fields(line, comparison.base);
    }
    Difference &difference =
        comparison.differences[(verdicts.ours ? "only vkdml accepts | " : "only vkdml refuses | ") + kind];
    if (difference.count++ == 0) {
        difference.line = reduced;
    }
}

void print(const char *name, const Comparison &comparison) {
    for (const auto &entry : comparison.differences) {
        std::printf("%s | %s | %llu | %s\n", name, entry.first.c_str(),
                    static_cast<unsigned long long>(entry.second.count), entry.second.line.c_str());
    }
    std::printf("# %s: %llu accepted and %llu refused by vkdml, %llu alike\n", name,
                static_cast<unsigned long long>(comparison.accepted),
                static_cast<unsigned long long>(comparison.refused), static_cast<unsigned long long>(comparison.alike));
    std::fflush(stdout);
}

void compare_family(const case_family *family, Comparison &comparison, std::uint64_t cases, std::uint64_t seed) {
    struct random numbers = {seed};
    static operator_case c;
    for (std::uint64_t i = 0; i < cases; ++i) {
        family->generate(family, &numbers, &c);
        c.level = static_cast<DML_FEATURE_LEVEL>(0);
        for (struct case_tensor &tensor :
             c.tensors) { // Microsoft's library refuses alignments below 16: one known difference
            tensor.align = tensor.align < DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT ? 0 : tensor.align;
        }
        comparison.base.clear();
        compare(&c, &comparison);
        visit_neighbours(&c, compare, &comparison);
    }
}

// ---- Microsoft's library ----

struct Library {
    CreateDevice12 createDevice;
    CreateDml1 createDml;
};

using CheckFeatures = HRESULT(STDMETHODCALLTYPE *)(ID3D12Device *, D3D12_FEATURE, void *, UINT);
CheckFeatures checkFeatures; // libd3d12.so's

// Microsoft's library accepts data types by the shader features of the device. vkdml's libd3d12.so has no shaders, so
// this function reports that all types are supported.
HRESULT STDMETHODCALLTYPE check_features(ID3D12Device *device, D3D12_FEATURE feature, void *data, UINT size) {
    const HRESULT found = checkFeatures(device, feature, data, size);
    if (feature == D3D12_FEATURE_D3D12_OPTIONS && found >= 0) {
        static_cast<D3D12_FEATURE_DATA_D3D12_OPTIONS *>(data)->DoublePrecisionFloatShaderOps = 1;
    } else if (feature == D3D12_FEATURE_SHADER_MODEL) {
        static_cast<D3D12_FEATURE_DATA_SHADER_MODEL *>(data)->HighestShaderModel = D3D_SHADER_MODEL_6_2;
    } else if (feature == D3D12_FEATURE_D3D12_OPTIONS1) {
        auto *const options = static_cast<D3D12_FEATURE_DATA_D3D12_OPTIONS1 *>(data);
        *options = {};
        options->WaveOps = options->Int64ShaderOps = 1;
        options->WaveLaneCountMin = options->WaveLaneCountMax = 32;
        options->TotalLaneCount = 1024;
    } else if (feature == D3D12_FEATURE_D3D12_OPTIONS4) {
        auto *const options = static_cast<D3D12_FEATURE_DATA_D3D12_OPTIONS4 *>(data);
        *options = {};
        options->Native16BitShaderOpsSupported = 1;
    } else {
        return found;
    }
    return 0;
}

// Gives a device a copy of its table of methods, with the one above.
void pretend_shaders(ID3D12Device *device) {
    constexpr std::size_t before = 2, methods = 44,
                          checkFeatureSupport = 13; // of ID3D12Device; its type is before them
    static void *table[before + methods];
    void **own = nullptr;
    std::memcpy(&own, static_cast<void *>(device), sizeof own);
    std::memcpy(table, own - before, sizeof table);
    std::memcpy(&checkFeatures, &own[checkFeatureSupport], sizeof checkFeatures);
    const CheckFeatures replacement = check_features;
    std::memcpy(&table[before + checkFeatureSupport], &replacement, sizeof replacement);
    void **const copy = table + before;
    std::memcpy(static_cast<void *>(device), &copy, sizeof copy);
}

// The newest level that the library offers is stored. A device has threads, so that each process makes its own.
IDMLDevice *create_device(const Library &library, DML_FEATURE_LEVEL *level) {
    static const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_2_0, DML_FEATURE_LEVEL_2_1,
                                               DML_FEATURE_LEVEL_3_0, DML_FEATURE_LEVEL_3_1, DML_FEATURE_LEVEL_4_0,
                                               DML_FEATURE_LEVEL_4_1, DML_FEATURE_LEVEL_5_0, DML_FEATURE_LEVEL_5_1,
                                               DML_FEATURE_LEVEL_5_2, DML_FEATURE_LEVEL_6_0, DML_FEATURE_LEVEL_6_1,
                                               DML_FEATURE_LEVEL_6_2, DML_FEATURE_LEVEL_6_3, DML_FEATURE_LEVEL_6_4};
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {sizeof levels / sizeof levels[0], levels};
    DML_FEATURE_DATA_FEATURE_LEVELS newest{};
    ID3D12Device *parent = nullptr;
    IDMLDevice *device = nullptr;
    if (library.createDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&parent)) < 0) {
        return nullptr;
    }
    pretend_shaders(parent);
    if (library.createDml(parent, DML_CREATE_DEVICE_FLAG_NONE, DML_FEATURE_LEVEL_1_0, IID_PPV_ARGS(&device)) < 0 ||
        device->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof newest, &newest) < 0) {
        return nullptr;
    }
    *level = newest.MaxSupportedFeatureLevel;
    return device;
}

// In a process for each operator, and another one after each crash.
void run_family(const Library &library, const case_family *family, const char *name, Shared *shared,
                std::uint64_t cases, std::uint64_t seed) {
    std::uint64_t from = 0;
    for (int crashes = 0; crashes < 20; ++crashes) {
        shared->index = 0;
        const pid_t child = fork();
        if (child == 0) {
            Comparison comparison{nullptr, DML_FEATURE_LEVEL_1_0, shared, from};
            comparison.device = create_device(library, &comparison.level);
            if (comparison.device == nullptr) {
                std::fprintf(stderr, "verdicts: Microsoft's library creates no device\n");
                _exit(2);
            }
            compare_family(family, comparison, cases, seed);
            print(name, comparison);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status)) {
            return;
        }
        std::printf("%s | Microsoft's library ends with signal %d | %s\n", name, WTERMSIG(status), shared->line);
        std::fflush(stdout);
        from = shared->index;
    }
}

const char *short_name(DML_OPERATOR_TYPE type) {
    const char *const name = vkdmlGetOperatorName(type);
    const char *const prefix = "DML_OPERATOR_";
    return std::strncmp(name, prefix, std::strlen(prefix)) == 0 ? name + std::strlen(prefix) : name;
}

bool is_asked(const char *name, int argc, char **argv, int first) {
    bool asked = first >= argc;
    for (int i = first; i < argc; ++i) {
        asked = asked || std::strcmp(argv[i], name) == 0;
    }
    return asked;
}

void print_level(const Library &library) {
    std::fflush(stdout);
    if (fork() == 0) {
        DML_FEATURE_LEVEL level = DML_FEATURE_LEVEL_1_0;
        const bool made = create_device(library, &level) != nullptr;
        std::printf("# Microsoft's library: %s\n", made ? vkdmlGetFeatureLevelName(level) : "no device");
        std::fflush(stdout);
        _exit(0);
    }
    wait(nullptr);
}

} // namespace

int main(int argc, char **argv) {
    std::uint64_t cases = 20, seed = 1;
    int first = 2;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        (std::strcmp(argv[first], "--seed") == 0 ? seed : cases) = std::strtoull(argv[first + 1], nullptr, 10);
    }
    void *const d3d12 = dlopen("libd3d12.so", RTLD_NOW | RTLD_GLOBAL);
    void *const directml = argc > 1 && d3d12 != nullptr ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    void *const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (directml == nullptr || memory == MAP_FAILED) {
        std::fprintf(stderr, "verdicts: %s\n", argc > 1 ? dlerror() : "which libdirectml.so?");
        return 2;
    }
    const Library library = {reinterpret_cast<CreateDevice12>(dlsym(d3d12, "D3D12CreateDevice")),
                             reinterpret_cast<CreateDml1>(dlsym(directml, "DMLCreateDevice1"))};
    print_level(library);
    for (std::size_t i = 0; i < case_family_count; ++i) {
        const char *const name = short_name(case_families[i]->type);
        if (is_asked(name, argc, argv, first)) {
            run_family(library, case_families[i], name, static_cast<Shared *>(memory), cases, seed);
        }
    }
    return 0;
}
