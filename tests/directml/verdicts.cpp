// Compares what Microsoft's libdirectml.so and vkdml accept and refuse. Microsoft's library validates descriptors on
// vkdml's libd3d12.so; it executes nothing. Outside CI: the library comes from the torch-directml package, and nothing
// of it is kept.
//
// verdicts LIBDIRECTML.SO [--cases N] [--walk N] [--seed N] [--minimum LEVEL] [OPERATOR..]
// verdicts LIBDIRECTML.SO --case LINE
//
// Both judge random cases of each operator and their neighbors, which differ in one field each; then a random neighbor
// that vkdml accepts and its neighbors, and so on (--walk, 2 steps if not stated). vkdml judges at the newest level of
// Microsoft's library; --minimum is the level for DMLCreateDevice1(). Prints the rows of verdicts_known.inc that were
// met, each with its count and one case, and each difference that belongs to no row. The exit status is 1 if there is
// such a difference. With --case it prints both verdicts of one case, with - of each line of the input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "verdicts_known.h"

extern "C" {
#include "cases/family.h"
#include "invalid/documented.h"
#include "invalid/neighbours.h"
}

#include <vkdml/directml.hpp>

#include <dxguids/dxguids.h>

namespace {

using CreateDevice12 = HRESULT (*)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
using CreateDml1 = HRESULT (*)(ID3D12Device *, DML_CREATE_DEVICE_FLAGS, DML_FEATURE_LEVEL, REFIID, void **);

// ---- descriptors ----

// What a case cannot express: a change of the built descriptor of one tensor.
enum class Change {
    NONE,
    SIZE_TOO_SMALL,
    UNKNOWN_FLAG,
    NO_DIMENSIONS,
    NINE_DIMENSIONS,
    SIZE_OF_ZERO,
    TENSOR_TYPE,
    COUNT
};
constexpr const char *changeNames[] = {
    "", "TotalTensorSizeInBytes-4", "Flags|2", "DimensionCount=0", "DimensionCount=9", "Sizes[0]=0", "TensorType=0"};

struct Descriptor {
    const operator_case *one;
    Change change;
    std::uint32_t slot;
};

void apply(const Descriptor &descriptor, case_desc *desc) {
    static std::uint32_t nine[9];
    DML_BUFFER_TENSOR_DESC &buffer = desc->buffers[descriptor.slot];
    std::memcpy(nine, desc->sizes[descriptor.slot], sizeof nine - sizeof nine[0]);
    nine[8] = 1;
    switch (descriptor.change) {
    case Change::SIZE_TOO_SMALL:
        buffer.TotalTensorSizeInBytes = case_minimum_bytes(&descriptor.one->tensors[descriptor.slot]) - 4;
        break;
    case Change::UNKNOWN_FLAG:
        buffer.Flags = static_cast<DML_TENSOR_FLAGS>(buffer.Flags | 2);
        break;
    case Change::NO_DIMENSIONS:
        buffer.DimensionCount = 0;
        break;
    case Change::NINE_DIMENSIONS:
        buffer.DimensionCount = 9;
        buffer.Sizes = nine;
        buffer.Strides = nullptr;
        break;
    case Change::SIZE_OF_ZERO:
        desc->sizes[descriptor.slot][0] = 0;
        break;
    case Change::TENSOR_TYPE:
        for (DML_TENSOR_DESC &tensor : desc->tensors) {
            tensor.Type = tensor.Desc == &buffer ? DML_TENSOR_TYPE_INVALID : tensor.Type;
        }
        break;
    default:
        break;
    }
}

using Visit = void (*)(const Descriptor &descriptor, void *context);

// Other strides, alignments and sizes in bytes of a tensor.
void visit_layouts(operator_case *one, std::uint32_t slot, Visit visit, void *context) {
    struct case_tensor &tensor = one->tensors[slot];
    const struct case_tensor was = tensor;
    for (const std::uint32_t align : {1u, 2u, 3u, 4u, 8u, 16u, 24u, 32u, 4096u, 1u << 31}) {
        tensor.align = align;
        visit({one, Change::NONE, 0}, context);
    }
    tensor = was;
    tensor.slack = 3;
    visit({one, Change::NONE, 0}, context);
    tensor = was;
    if (tensor.has_strides != 0) {
        tensor.has_strides = 0;
        visit({one, Change::NONE, 0}, context);
    }
    for (std::uint32_t d = 0; d < tensor.rank; ++d) {
        tensor = was;
        case_strides(&was, tensor.strides);
        tensor.has_strides = 1;
        const std::uint32_t stride = tensor.strides[d];
        for (const std::uint32_t other : {0u, 1u, 2u, stride + 1, stride * 2, 65537u, 1u << 31}) {
            tensor.strides[d] = other;
            visit({one, Change::NONE, 0}, context);
        }
    }
    tensor = was;
    for (int change = 1; change < static_cast<int>(Change::COUNT); ++change) {
        visit({one, static_cast<Change>(change), slot}, context);
    }
}

struct Forward {
    Visit visit;
    void *context;
};

void visit_unchanged(const operator_case *one, void *context) {
    const Forward &forward = *static_cast<Forward *>(context);
    if (one->level == 0) { // both judge at one level only
        forward.visit({one, Change::NONE, 0}, forward.context);
    }
}

void visit_all(const operator_case &base, Visit visit, void *context) {
    static operator_case copy;
    Forward forward = {visit, context};
    copy = base;
    visit_neighbours(&base, visit_unchanged, &forward);
    for (case_at at = case_first(&base); at.tensor != nullptr; at = case_next(&base, at)) {
        visit_layouts(&copy, at.slot, visit, context);
        copy = base;
    }
}

// ---- verdicts ----

constexpr std::uint64_t batch = 8; // cases of one child
constexpr int mostSteps = 100;     // of a walk

// What the parent and the next child know about a child that has ended.
struct Shared {
    std::uint64_t index; // of the descriptor within the batch
    std::uint64_t bases; // walked so far
    bool agreed[batch * (mostSteps + 1)]; // whether both accept a base
    std::uint64_t accepted, refused, compared;
    bool ours; // vkdml's verdict on the current descriptor
    char line[CASE_MAX_LINE];
};

// The cases that a child process compares.
struct Comparison {
    IDMLDevice *device;
    DML_FEATURE_LEVEL level;
    Shared *shared;
    std::FILE *differences; // a line each: vkdml's reasons, the base, the case
    std::uint64_t from;     // descriptors before this one were compared by a child that crashed
    struct random numbers;  // for the walk
    std::string base;
    operator_case next;
    std::uint32_t candidates;
};

bool accepts(IDMLDevice *device, const DML_OPERATOR_DESC &desc) {
    IDMLOperator *made = nullptr;
    const bool accepted = device->CreateOperator(&desc, IID_PPV_ARGS(&made)) >= 0;
    if (made != nullptr) {
        made->Release();
    }
    return accepted;
}

// A line of a record has neither tabs nor line breaks.
std::string reasons_of(bool accepted) {
    std::string reasons = accepted ? "" : vkdmlGetErrorMessage();
    for (char &c : reasons) {
        c = c == '\n' ? '\v' : c;
    }
    return reasons;
}

// Whether both accept the descriptor. One that an earlier child compared is not compared again.
bool compare(const Descriptor &descriptor, Comparison &comparison) {
    static case_desc desc;
    Shared &shared = *comparison.shared;
    const std::uint64_t index = shared.index++;
    case_build_desc(descriptor.one, &desc);
    apply(descriptor, &desc);
    shared.ours = vkdmlValidateOperator(&desc.op, comparison.level) == VKDML_SUCCESS;
    bool *const agreed = comparison.base.empty() ? &shared.agreed[shared.bases++] : nullptr;
    if (index < comparison.from) {
        return agreed != nullptr && *agreed;
    }
    if (agreed != nullptr) {
        *agreed = false; // if it crashes
    }
    const std::string reasons = reasons_of(shared.ours);
    if (!case_print(descriptor.one, shared.line, sizeof shared.line)) {
        return false;
    }
    if (descriptor.change != Change::NONE) {
        std::strncat(shared.line, " # ", sizeof shared.line - std::strlen(shared.line) - 1);
        std::strncat(shared.line, changeNames[static_cast<int>(descriptor.change)],
                     sizeof shared.line - std::strlen(shared.line) - 1);
    }
    const bool theirs = accepts(comparison.device, desc.op);
    (shared.ours ? shared.accepted : shared.refused)++;
    shared.compared++;
    if (shared.ours != theirs) {
        std::fprintf(comparison.differences, "%s\t%s\t%s\n", reasons.c_str(), comparison.base.c_str(), shared.line);
        std::fflush(comparison.differences);
    }
    if (agreed != nullptr) {
        *agreed = shared.ours && theirs;
    }
    return shared.ours && theirs;
}

// Compares a neighbor, and perhaps chooses it for the next step: each one that vkdml accepts has the same chance.
void compare_neighbor(const Descriptor &descriptor, void *context) {
    Comparison &comparison = *static_cast<Comparison *>(context);
    compare(descriptor, comparison);
    if (comparison.shared->ours && descriptor.change == Change::NONE &&
        random_below(&comparison.numbers, ++comparison.candidates) == 0) {
        comparison.next = *descriptor.one;
    }
}

// Removes what does not belong to a descriptor, and alignments that Microsoft's library refuses: they are neighbors.
void strip(operator_case *one) {
    one->seed = 0;
    one->level = static_cast<DML_FEATURE_LEVEL>(0);
    one->flags = 0;
    one->execution = 0;
    for (struct case_tensor &tensor : one->tensors) {
        tensor.extra = tensor.offset = tensor.in_place = tensor.value_count = tensor.fill_permille = 0;
        tensor.fill = CASE_FILL_BITS;
        tensor.align = tensor.align < DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT ? 0 : tensor.align;
    }
}

void compare_walk(const case_family *family, Comparison &comparison, int steps, std::uint64_t seed) {
    static operator_case one;
    struct random numbers = {seed};
    family->generate(family, &numbers, &one);
    strip(&one);
    comparison.numbers = {seed};
    for (int step = 0; step <= steps; ++step) {
        static char line[CASE_MAX_LINE];
        comparison.base.clear();
        comparison.candidates = 0;
        if (!compare({&one, Change::NONE, 0}, comparison) || !case_print(&one, line, sizeof line)) {
            return;
        }
        comparison.base = line;
        visit_all(one, compare_neighbor, &comparison);
        if (comparison.candidates != 0) {
            one = comparison.next;
        }
    }
}

// ---- differences ----

// A reason without the operator, with N for numbers: equal reasons are one kind.
std::string kind_of(const std::string &reason) {
    const std::size_t colon = reason.find(": ");
    std::string kind;
    for (std::size_t i = colon != std::string::npos ? colon + 2 : 0; i < reason.size(); ++i) {
        const bool isDigit = reason[i] >= '0' && reason[i] <= '9';
        if (!isDigit) {
            kind += reason[i];
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

struct Difference {
    std::uint64_t count = 0;
    std::string line;

    void add(const std::string &one) {
        line = count++ == 0 || one.size() < line.size() ? one : line;
    }
};

struct Totals {
    std::uint64_t compared = 0, accepted = 0, refused = 0, crashes = 0, differences = 0;
    std::map<std::size_t, std::map<std::string, Difference>> known = {}; // by row and operator
    std::map<std::string, Difference> unknown = {};
};

std::string operator_of(const std::string &line) {
    return line.substr(0, line.find(' '));
}

// Each reason on its own may be what Microsoft's library does not check.
void add_refusal(Totals &totals, const std::string &reasons, const std::string &line) {
    std::istringstream stream(reasons);
    for (std::string reason; std::getline(stream, reason, '\v');) {
        const std::string kind = kind_of(reason);
        const std::size_t known = find_known_reason(operator_of(line), kind);
        if (known < knownDifferenceCount) {
            totals.known[known][operator_of(line)].add(line);
        } else {
            totals.unknown[operator_of(line) + " | only vkdml refuses | " + kind].add(line);
        }
    }
}

void add_acceptance(Totals &totals, const std::string &what, const std::string &line) {
    static operator_case one;
    char error[256];
    const bool parsed = case_parse(line.substr(0, line.find(" # ")).c_str(), &one, error, sizeof error);
    const std::size_t known = parsed ? find_known_case(one) : knownDifferenceCount;
    if (known < knownDifferenceCount) {
        totals.known[known][operator_of(line)].add(line);
    } else {
        totals.unknown[operator_of(line) + " | only vkdml accepts | " + what].add(line);
    }
}

void add_record(Totals &totals, const std::string &record) {
    const std::size_t first = record.find('\t'), second = record.find('\t', first + 1);
    const std::string reasons = record.substr(0, first), base = record.substr(first + 1, second - first - 1),
                      line = record.substr(second + 1);
    ++totals.differences;
    if (!reasons.empty()) {
        add_refusal(totals, reasons, line);
    } else {
        add_acceptance(totals, base.empty() ? "the case" : changed_fields(line, base), line);
    }
}

// A crash counts as a refusal: vkdml must not accept what ends the other library.
void add_crash(Totals &totals, const Shared &shared) {
    ++totals.crashes;
    if (shared.ours) {
        ++totals.differences;
        add_acceptance(totals, "Microsoft's library crashes", shared.line);
    }
}

// ---- Microsoft's library ----

struct Options {
    std::uint64_t cases = 24, seed = 1;
    int walk = 2;
    DML_FEATURE_LEVEL minimum = DML_FEATURE_LEVEL_1_0;
    const char *line = nullptr;
    std::set<std::string> operators = {};
};

struct Library {
    IDMLDevice *device;
    DML_FEATURE_LEVEL level; // the newest that it offers
};

bool open_library(const char *path, DML_FEATURE_LEVEL minimum, Library *library) {
    DML_FEATURE_LEVEL all[LEVEL_COUNT];
    for (std::size_t i = 0; i < LEVEL_COUNT; ++i) {
        all[i] = levels[i].value;
    }
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {LEVEL_COUNT, all};
    DML_FEATURE_DATA_FEATURE_LEVELS newest{};
    ID3D12Device *parent = nullptr;
    void *const d3d12 = dlopen("libd3d12.so", RTLD_NOW | RTLD_GLOBAL);
    void *const directml = d3d12 != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (directml == nullptr) {
        std::fprintf(stderr, "verdicts: %s\n", dlerror());
        return false;
    }
    const auto createDevice = reinterpret_cast<CreateDevice12>(dlsym(d3d12, "D3D12CreateDevice"));
    const auto createDml = reinterpret_cast<CreateDml1>(dlsym(directml, "DMLCreateDevice1"));
    if (createDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&parent)) < 0 ||
        createDml(parent, DML_CREATE_DEVICE_FLAG_NONE, minimum, IID_PPV_ARGS(&library->device)) < 0 ||
        library->device->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof newest,
                                             &newest) < 0) {
        std::fprintf(stderr, "verdicts: Microsoft's library creates no device\n");
        return false;
    }
    library->level = newest.MaxSupportedFeatureLevel;
    return true;
}

// ---- processes ----

// The child has the parent's device: CreateOperator() needs none of its threads. A hang ends it, too.
[[noreturn]] void run_child(const Library &library, const case_family *family, const Options &options, Shared *shared,
                            std::uint64_t first, std::uint64_t from, int output) {
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) { // of std::terminate()
        _exit(3);
    }
    alarm(60);
    static Comparison comparison{};
    comparison.device = library.device;
    comparison.level = library.level;
    comparison.shared = shared;
    comparison.differences = fdopen(output, "w");
    comparison.from = from;
    shared->index = shared->bases = 0;
    for (std::uint64_t i = first; i < first + batch && i < options.cases; ++i) {
        const std::uint64_t seed = random_mix(options.seed, (static_cast<std::uint64_t>(family->type) << 32) + i);
        compare_walk(family, comparison, options.walk, seed);
    }
    _exit(0);
}

void read_records(int input, Totals &totals) {
    std::FILE *const stream = fdopen(input, "r");
    char *line = nullptr;
    std::size_t size = 0;
    for (ssize_t length = getline(&line, &size, stream); length > 0; length = getline(&line, &size, stream)) {
        if (line[length - 1] == '\n') {
            add_record(totals, std::string(line, static_cast<std::size_t>(length) - 1));
        }
    }
    std::free(line);
    std::fclose(stream);
}

// One child, and another one after each crash.
bool run_batch(const Library &library, const case_family *family, const Options &options, Shared *shared,
               std::uint64_t first, Totals &totals) {
    for (std::uint64_t from = 0;;) {
        int ends[2];
        if (pipe(ends) != 0) {
            std::perror("verdicts: pipe");
            return false;
        }
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            run_child(library, family, options, shared, first, from, ends[1]);
        }
        close(ends[1]);
        read_records(ends[0], totals);
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status) != 0)) {
            std::fprintf(stderr, "verdicts: a child failed\n");
            return false;
        }
        if (WIFEXITED(status)) {
            return true;
        }
        add_crash(totals, *shared);
        from = shared->index;
    }
}

bool run_family(const Library &library, const case_family *family, const Options &options, Shared *shared,
                Totals &totals) {
    const Totals before = totals;
    shared->accepted = shared->refused = shared->compared = 0;
    for (std::uint64_t first = 0; first < options.cases; first += batch) {
        if (!run_batch(library, family, options, shared, first, totals)) {
            return false;
        }
    }
    totals.compared += shared->compared;
    totals.accepted += shared->accepted;
    totals.refused += shared->refused;
    std::printf("# %s: %llu descriptors, %llu accepted by vkdml, %llu differences, %llu crashes\n",
                vkdmlGetOperatorName(family->type), static_cast<unsigned long long>(shared->compared),
                static_cast<unsigned long long>(shared->accepted),
                static_cast<unsigned long long>(totals.differences - before.differences),
                static_cast<unsigned long long>(totals.crashes - before.crashes));
    return true;
}

void print(const Totals &totals) {
    for (const auto &row : totals.known) {
        for (const auto &of : row.second) {
            std::printf("known | %s | %s | %llu | %s\n", of.first.c_str(), knownDifferences[row.first].rule,
                        static_cast<unsigned long long>(of.second.count), of.second.line.c_str());
        }
    }
    for (const auto &entry : totals.unknown) {
        std::printf("NEW | %s | %llu | %s\n", entry.first.c_str(), static_cast<unsigned long long>(entry.second.count),
                    entry.second.line.c_str());
    }
    std::printf("# %llu descriptors: %llu accepted and %llu refused by vkdml, %llu differences in %zu of %zu rows, "
                "%zu kinds in no row, %llu crashes\n",
                static_cast<unsigned long long>(totals.compared), static_cast<unsigned long long>(totals.accepted),
                static_cast<unsigned long long>(totals.refused), static_cast<unsigned long long>(totals.differences),
                totals.known.size(), knownDifferenceCount, totals.unknown.size(),
                static_cast<unsigned long long>(totals.crashes));
}

// In a process of its own, since Microsoft's library may crash.
void judge_case(const Library &library, const char *line) {
    static operator_case one;
    static case_desc desc;
    char error[256];
    if (!case_parse(line, &one, error, sizeof error)) {
        std::printf("%s\n", error);
        return;
    }
    case_build_desc(&one, &desc);
    const bool ours = vkdmlValidateOperator(&desc.op, library.level) == VKDML_SUCCESS;
    std::string reason = ours ? "" : ": " + std::string(vkdmlGetErrorMessage());
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    std::printf("vkdml %s, ", ours ? "accepts" : "refuses");
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(accepts(library.device, desc.op));
    }
    int status = 0;
    waitpid(child, &status, 0);
    const char *const theirs = !WIFEXITED(status) ? "crashes" : WEXITSTATUS(status) != 0 ? "accepts" : "refuses";
    std::printf("Microsoft's library %s%s\n", theirs, reason.c_str());
    std::fflush(stdout);
}

int judge_lines(const Library &library, const char *line) {
    static char text[CASE_MAX_LINE];
    if (std::strcmp(line, "-") != 0) {
        judge_case(library, line);
        return 0;
    }
    while (std::fgets(text, sizeof text, stdin) != nullptr) {
        text[std::strcspn(text, "\n")] = '\0';
        judge_case(library, text);
    }
    return 0;
}

bool parse_level(const char *name, DML_FEATURE_LEVEL *level) {
    for (const struct level &known : levels) {
        if (std::strcmp(known.name, name) == 0) {
            *level = known.value;
            return true;
        }
    }
    return false;
}

bool parse(int argc, char **argv, Options &options) {
    bool valid = argc > 1;
    for (int i = 2; i < argc && valid; ++i) {
        const std::string name = argv[i];
        const char *const value = name[0] == '-' && i + 1 < argc ? argv[++i] : nullptr;
        if (name[0] != '-') {
            options.operators.insert(name);
        } else if (value != nullptr && name == "--cases") {
            options.cases = std::strtoull(value, nullptr, 10);
        } else if (value != nullptr && name == "--walk") {
            options.walk = std::min(std::max(std::atoi(value), 0), mostSteps);
        } else if (value != nullptr && name == "--seed") {
            options.seed = std::strtoull(value, nullptr, 10);
        } else if (value != nullptr && name == "--case") {
            options.line = value;
        } else {
            valid = value != nullptr && name == "--minimum" && parse_level(value, &options.minimum);
        }
    }
    return valid;
}

const char *short_name(DML_OPERATOR_TYPE type) {
    return vkdmlGetOperatorName(type) + std::strlen("DML_OPERATOR_");
}

int run(const Library &library, Options &options, Shared *shared) {
    Totals totals;
    const bool all = options.operators.empty();
    std::printf("# Microsoft's library: level %s\n", level_name(library.level));
    for (std::size_t i = 0; i < case_family_count; ++i) {
        const case_family *const family = case_families[i];
        const bool asked = options.operators.erase(short_name(family->type)) != 0;
        if ((all || asked) && introduced(family) <= library.level &&
            !run_family(library, family, options, shared, totals)) {
            return 2;
        }
    }
    for (const std::string &name : options.operators) {
        std::fprintf(stderr, "verdicts: %s is no operator\n", name.c_str());
    }
    print(totals);
    for (std::size_t i = 0; all && i < knownDifferenceCount; ++i) {
        if (totals.known.count(i) == 0) {
            std::printf("not met | %s | %s\n", knownDifferences[i].operators, knownDifferences[i].rule);
        }
    }
    return options.operators.empty() ? !totals.unknown.empty() : 2;
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    Library library{};
    if (!parse(argc, argv, options)) {
        std::fprintf(stderr, "verdicts LIBDIRECTML.SO [--cases N] [--walk N] [--seed N] [--minimum LEVEL] "
                             "[OPERATOR..]\nverdicts LIBDIRECTML.SO --case LINE\n");
        return 2;
    }
    void *const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || !open_library(argv[1], options.minimum, &library)) {
        return 2;
    }
    const int status = options.line != nullptr ? judge_lines(library, options.line)
                                               : run(library, options, static_cast<Shared *>(memory));
    std::fflush(stdout);
    _exit(status); // the libraries' destructors need no test here
}
